//! What lies in a buffer: the stores so far, with the loops and choices around them.
//!
//! In: stores, in the order in which they happen. Out: the value of an element at any index, by going back from the last
//! store. Invariants: an element is read from a store only if that one stored it, and no later one stored anything else
//! there; of a store that writes one element in several iterations the last one is read. Absent: statements.

use super::items::{assume_path, leaves, Around, Item, Leaf, Store};
use super::node::nats;
use super::place::coordinates;
use super::rewrite::Rewrite;
use super::strides::{extent_alone, last_round, only, strides, Again};
use super::value::{Node, Res, Values, V};
use super::Stuck;
use crate::arith::{Atom, AtomKind, Nat};
use crate::intern::Symbol;
use crate::term::Op;
use crate::ty::Scalar;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Values of variables for each of which an element is read by itself, at most.
const VALUES: i64 = 256;

/// Whether a store is of an element that is asked for.
#[derive(Clone)]
enum Hit {
    No,
    /// In the iteration of the witness, if all of these hold.
    Where(Rc<Witness>, Vec<V>),
}

/// The iteration that stores an element, if any does, see Note [Witnesses] of `strides`.
struct Witness {
    vars: FxHashMap<Symbol, Nat>,
}

impl Witness {
    /// What is stored there.
    fn value(&self, cx: &mut Values, store: &Store, conds: &[V]) -> Res<V> {
        let mut r = Rewrite::default();
        r.vars = self.vars.clone();
        let mark = cx.known.mark();
        for c in conds {
            cx.assume(*c, true);
        }
        let value = cx.rewrite(&mut r, store.value);
        cx.known.restore(mark);
        value
    }
}

/// What is asked for: an element of a buffer.
struct Asked {
    flat: Nat,
    dims: Vec<Nat>,
    /// Its indices, where the buffer has several dimensions and they are known to be inside.
    indices: Option<Vec<Nat>>,
}

impl Asked {
    fn of(cx: &mut Values, buf: u32, flat: Nat) -> Asked {
        let dims = cx.dims.get(&buf).cloned().unwrap_or_default();
        let indices = match dims.is_empty() {
            true => None,
            false => coordinates(cx, flat, &dims),
        };
        Asked {
            flat,
            dims,
            indices,
        }
    }

    /// The indices of a store and those that are asked for, or both flat.
    fn beside(&self, cx: &mut Values, leaf: &Leaf, at: Nat) -> (Vec<Nat>, Vec<Nat>) {
        if let Some(own) = &self.indices {
            let mark = cx.known.mark();
            assume_path(cx, &leaf.path);
            let found = coordinates(cx, at, &self.dims);
            cx.known.restore(mark);
            if let Some(found) = found {
                return (found, own.clone());
            }
        }
        (vec![at], vec![self.flat])
    }
}

/// What an element finds at a store: where `last`, the last iteration that stores it, else the only one.
fn hit(cx: &mut Values, leaf: &Leaf, store: &Store, asked: &Asked, last: bool) -> Res<Hit> {
    let mut r = Rewrite::default();
    if is_elsewhere(cx, leaf, store, asked) {
        return Ok(Hit::No);
    }
    let (mut places, wanted) = asked.beside(cx, leaf, store.at);
    // A base may name variables of loops that run once.
    for (v, k) in only(cx, leaf) {
        r.vars.insert(v, Nat::int(k));
        places
            .iter_mut()
            .for_each(|n| *n = n.subst_var(v, Nat::int(k)));
    }
    let mut rests = Vec::new();
    let mut again = Again::default();
    let found = strides(cx, leaf, &places, last.then_some(&mut again));
    let (found, wanted) = match found {
        // Of the indices of a place one may be a quotient, of which the flat one is made.
        Err(_) if places.len() > 1 => {
            again = Again::default();
            let at = store.at.subst_vars(&mut |v| r.vars.get(&v).copied());
            let flat = strides(cx, leaf, &[at], last.then_some(&mut again))?;
            (flat, vec![asked.flat])
        }
        found => (found?, wanted),
    };
    for (s, e) in found.into_iter().zip(wanted) {
        let mut rest = e;
        for d in s.digits {
            let whole = cx.rewrite_nat(&mut r, d.whole)?;
            let q = cx.known.floor(rest - whole, d.stride);
            rest = cx.simplify(rest - whole - d.stride * q);
            r.vars.insert(d.var, d.value(q));
        }
        let base = cx.rewrite_nat(&mut r, s.base)?;
        rests.push(cx.simplify(rest - base));
    }
    let mut conds = Vec::new();
    for round in &again.rounds {
        conds.extend(last_round(cx, leaf, round, &mut r)?);
    }
    for v in again.free {
        let n = extent_alone(cx, leaf, v)?;
        let n = cx.rewrite_nat(&mut r, n)?;
        r.vars.insert(v, n - Nat::int(1));
    }
    let conds = conditions(cx, leaf, &mut r, &rests, conds)?;
    let witness = Rc::new(Witness { vars: r.vars });
    Ok(conds.map_or(Hit::No, |conds| Hit::Where(witness, conds)))
}

/// Whether a store is on the other side of a choice, or its index in another interval: what is seen at once.
fn is_elsewhere(cx: &mut Values, leaf: &Leaf, store: &Store, asked: &Asked) -> bool {
    let other_side = leaf.path.iter().any(|a| match a {
        Around::Cond(c, holds) => cx.known.truth(c.0) == Some(!holds),
        Around::Loop(..) => false,
    });
    let (own, wanted) = (cx.known.interval(store.at), cx.known.interval(asked.flat));
    let apart = own.zip(wanted);
    other_side || apart.is_some_and(|(a, b)| a.1 < b.0 || b.1 < a.0)
}

/// What has to hold for the store to happen in the iteration of the witness, as far as that is open; `None` where it
/// does not.
fn conditions(
    cx: &mut Values,
    leaf: &Leaf,
    r: &mut Rewrite,
    rests: &[Nat],
    mut all: Vec<V>,
) -> Res<Option<Vec<V>>> {
    for rest in rests {
        all.push(cx.compare(Op::Eq, *rest, Nat::int(0)));
    }
    for a in &leaf.path {
        match a {
            Around::Loop(v, n) => {
                let n = cx.rewrite_nat(r, *n)?;
                let q = r.vars.get(v).copied().unwrap_or(Nat::int(0));
                all.push(cx.compare(Op::Le, Nat::int(0), q));
                all.push(cx.compare(Op::Lt, q, n));
            }
            Around::Cond(c, holds) => {
                let c = cx.rewrite(r, *c)?;
                all.push(if *holds { c } else { cx.not(c) });
            }
        }
    }
    Ok(undecided(cx, &all))
}

/// Those of the conditions that are not known to hold; `None` if one does not.
fn undecided(cx: &mut Values, all: &[V]) -> Option<Vec<V>> {
    let mut open = Vec::new();
    for c in all {
        match cx.decide(*c) {
            Some(true) => {}
            Some(false) => return None,
            None => open.push(*c),
        }
    }
    Some(open)
}

/// Whether there is no case in which all of these hold.
fn exclude_each_other(cx: &mut Values, conds: &[V]) -> bool {
    let mark = cx.known.mark();
    conds.iter().for_each(|c| cx.assume(*c, true));
    let never = cx.never();
    cx.known.restore(mark);
    never
}

/// Whether an element is stored in no other iteration of a loop than in one: by whatever is in a list.
pub fn own(
    cx: &mut Values,
    items: &[Item],
    (k, n): (Symbol, Nat),
    (buf, e): (u32, Nat),
) -> Res<bool> {
    let asked = Asked::of(cx, buf, e);
    for mut leaf in leaves(items) {
        match &leaf.is {
            Item::Store(s) => {
                let s = s.clone();
                leaf.path.insert(0, Around::Loop(k, n));
                if let Hit::Where(w, _) = hit(cx, &leaf, &s, &asked, false)? {
                    let at = w.vars.get(&k);
                    if !at.is_some_and(|at| cx.known.equal(*at, Nat::var(k))) {
                        return Ok(false);
                    }
                }
            }
            Item::Bad(why) => return Err(Stuck::new(why.clone())),
            _ => {}
        }
    }
    Ok(true)
}

/// The element of a buffer.
pub fn read(cx: &mut Values, buf: u32, items: &[Item], e: Nat) -> Res<V> {
    let e = cx.simplify(e);
    read_by_value(cx, buf, &leaves(items), e, VALUES)
}

/// One value for each of a variable, where that says which store it was.
fn read_by_value(cx: &mut Values, buf: u32, leaves: &[Leaf], e: Nat, most: i64) -> Res<V> {
    let mut reading = Reading {
        buf,
        all: leaves,
        asked: Asked::of(cx, buf, e),
        hits: vec![None; leaves.len()],
        found: false,
    };
    let Some((v, n, any)) = reading.deciding(cx, most)? else {
        let found = reading.back(cx, leaves.len())?;
        return Ok(found.unwrap_or_else(|| cx.make(Node::Undef)));
    };
    let (mut all, mut alike) = (Vec::new(), true);
    for i in 0..n {
        let at = cx.simplify(e.subst_var(v, Nat::int(i)));
        let mut found = read_by_value(cx, buf, leaves, at, most / n);
        let own = cx.with(any, v, Nat::int(i));
        if !found.as_ref().is_ok_and(|v| cx.is_defined(*v)) {
            // Perhaps nobody asks there.
            let c = cx.compare(Op::Eq, Nat::var(v), Nat::int(i));
            let never = cx.decide(c) == Some(false);
            let mark = cx.known.mark();
            cx.assume(c, true);
            found = match (&own, never || cx.never()) {
                (Ok(own), true) => Ok(*own),
                _ => read_by_value(cx, buf, leaves, at, most / n),
            };
            cx.known.restore(mark);
        }
        let found = found?;
        alike = alike && own.is_ok_and(|v| v == found);
        all.push(found);
    }
    match alike {
        true => Ok(any),
        false => match cx.one_of_all(&all, v)? {
            Some(each) => Ok(each),
            None => Ok(cx.table(Nat::var(v), &all)),
        },
    }
}

fn variable(a: Atom) -> Option<Symbol> {
    match a.kind() {
        AtomKind::Var(v) => Some(v),
        _ => None,
    }
}

/// The way back from the last store of a buffer to those of one element.
struct Reading<'a> {
    buf: u32,
    all: &'a [Leaf],
    asked: Asked,
    /// What was found at each store: on the way more and more is assumed, so that what held once holds.
    hits: Vec<Option<Hit>>,
    /// Whether a store may be of the element.
    found: bool,
}

impl Reading<'_> {
    fn hit(&mut self, cx: &mut Values, i: usize, store: &Store) -> Res<Hit> {
        if let Some(hit) = &self.hits[i] {
            return Ok(hit.clone());
        }
        let hit = hit(cx, &self.all[i], store, &self.asked, true)?;
        self.hits[i] = Some(hit.clone());
        Ok(hit)
    }

    /// A variable of few values, if nothing but such variables decides whether the last store that may be it is; how many
    /// values, and what that one stored.
    fn deciding(&mut self, cx: &mut Values, most: i64) -> Res<Option<(Symbol, i64, V)>> {
        let all = self.all;
        for i in (0..all.len()).rev() {
            let Item::Store(s) = &all[i].is else {
                return Ok(None);
            };
            let Hit::Where(w, conds) = self.hit(cx, i, s)? else {
                continue;
            };
            let mut vars = Vec::new();
            for c in &conds {
                cx.visit(*c, &mut |_, node| {
                    nats(node).for_each(|n| n.each_atom(&mut |a| vars.extend(variable(a))));
                });
            }
            let of = |v: Symbol| {
                let by = self.asked.flat.coefficient(v).and_then(Nat::as_int);
                Some((by?.abs(), cx.known.values_of(v)?, v))
            };
            let all: Option<Vec<_>> = vars.into_iter().map(of).collect();
            let found = all.filter(|all| all.iter().all(|(_, n, _)| *n <= most));
            let found = found.into_iter().flatten().filter(|v| v.0 > 0).max();
            let Some((_, n, v)) = found else {
                return Ok(None);
            };
            return Ok(Some((v, n, w.value(cx, s, &conds)?)));
        }
        Ok(None)
    }

    fn back(&mut self, cx: &mut Values, upto: usize) -> Res<Option<V>> {
        let all = self.all;
        for i in (0..upto).rev() {
            cx.spend(1)?;
            let leaf = &all[i];
            let (value, conds) = match &leaf.is {
                Item::Store(s) => {
                    let Hit::Where(w, conds) = self.hit(cx, i, s)? else {
                        continue;
                    };
                    let Some(conds) = undecided(cx, &conds) else {
                        continue;
                    };
                    if conds.len() > 1 && exclude_each_other(cx, &conds) {
                        continue;
                    }
                    self.check_order(cx, i, (&w, &conds))?;
                    self.found |= !conds.is_empty();
                    (w.value(cx, s, &conds)?, conds)
                }
                Item::Bad(why) => return Err(Stuck::new(why.clone())),
                other => {
                    let v = match other {
                        Item::Start(of) => {
                            let at = [self.asked.flat].into_iter().collect();
                            cx.make(Node::Cell(*of, self.buf, at))
                        }
                        _ => cx.make(Node::Undef),
                    };
                    if leaf.loops().next().is_some() {
                        return Err(Stuck::new("a buffer of an iteration is read after it"));
                    }
                    let mut conds = Vec::new();
                    for a in &leaf.path {
                        if let Around::Cond(c, holds) = a {
                            conds.push(if *holds { *c } else { cx.not(*c) });
                        }
                    }
                    let Some(conds) = undecided(cx, &conds) else {
                        continue;
                    };
                    if conds.is_empty() {
                        return Ok(self.possible(cx, v));
                    }
                    (v, conds)
                }
            };
            let c = conds
                .into_iter()
                .reduce(|a, b| cx.op(Op::And, Scalar::Bool, &[a, b]));
            let Some(c) = c else {
                return Ok(Some(value));
            };
            let mark = cx.known.mark();
            cx.assume(c, false);
            let rest = self.back(cx, i);
            cx.known.restore(mark);
            return match rest? {
                Some(rest) => either(cx, c, value, rest).map(Some),
                None => Ok(Some(value)),
            };
        }
        let none = cx.make(Node::Undef);
        Ok(self.possible(cx, none))
    }

    /// Nothing, where what is assumed contradicts itself: then nobody reads there.
    fn possible(&self, cx: &mut Values, v: V) -> Option<V> {
        let mark = cx.known.mark();
        let undefined = matches!(cx.node(v), Node::Undef);
        let never = (undefined || self.found) && cx.absurd();
        cx.known.restore(mark);
        (!never).then_some(v)
    }

    /// Of stores in one loop, the last iteration counts, and not the last in the text. So all that may store the element have
    /// to be in the same iteration.
    fn check_order(&mut self, cx: &mut Values, i: usize, own: (&Witness, &[V])) -> Res<()> {
        let all = self.all;
        let Some((outer, _)) = all[i].loops().next() else {
            return Ok(());
        };
        for j in (0..i).rev() {
            if all[j].loops().next().map(|l| l.0) != Some(outer) {
                // Earlier, as a whole.
                break;
            }
            let Item::Store(s) = &all[j].is else { continue };
            if let Hit::Where(other, conds) = self.hit(cx, j, s)? {
                let loops = common_loops(&all[i], &all[j]);
                same_iteration(cx, &loops, own, (&other, &conds))?;
            }
        }
        Ok(())
    }
}

fn common_loops(a: &Leaf, b: &Leaf) -> Vec<Symbol> {
    let both = a.loops().zip(b.loops()).take_while(|(a, b)| a.0 == b.0);
    both.map(|l| l.0 .0).collect()
}

/// Whether two stores are of one iteration of the loops around both, if both are of the element.
fn same_iteration(
    cx: &mut Values,
    loops: &[Symbol],
    (a, here): (&Witness, &[V]),
    (b, there): (&Witness, &[V]),
) -> Res<()> {
    let equal = |cx: &Values| {
        loops.iter().all(|v| match (a.vars.get(v), b.vars.get(v)) {
            (Some(x), Some(y)) => cx.known.equal(*x, *y),
            _ => false,
        })
    };
    if equal(cx) || undecided(cx, there).is_none() {
        return Ok(());
    }
    let mark = cx.known.mark();
    here.iter().chain(there).for_each(|c| cx.assume(*c, true));
    let same = equal(cx) || cx.absurd();
    cx.known.restore(mark);
    match same {
        true => Ok(()),
        false => Err(Stuck::new(
            "two iterations may store an element, and which comes last is not known",
        )),
    }
}

/// A choice between two values, or the one that is right in both cases.
fn either(cx: &mut Values, c: V, a: V, b: V) -> Res<V> {
    if a == b {
        return Ok(a);
    }
    // What was not written is no other value, whatever holds.
    let undefined = |cx: &Values, v: V| matches!(cx.node(v), Node::Undef);
    if undefined(cx, a) && !cx.has_undefined(b) || undefined(cx, b) && !cx.has_undefined(a) {
        return Ok(cx.op(Op::Select, Scalar::Bool, &[c, a, b]));
    }
    for (holds, this, other) in [(true, a, b), (false, b, a)] {
        let mark = cx.known.mark();
        let mut r = Rewrite::default();
        cx.assumed(c, holds, &mut r);
        let seen = (cx.rewrite(&mut r, this), cx.rewrite(&mut r, other));
        cx.known.restore(mark);
        if seen.0? == seen.1? {
            return Ok(other);
        }
    }
    Ok(cx.op(Op::Select, Scalar::Bool, &[c, a, b]))
}
