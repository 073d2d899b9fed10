//! What lies in a buffer: the stores so far, with the loops and choices around them.
//!
//! In: stores, in the order in which they happen. Out: the value of an element at any index, by going back from the last
//! store. Invariants: an element is read from a store only if that one stored it, and no later one stored anything else
//! there; a store that writes one element in several iterations is never read. Absent: statements.
//!
//! Note [Witnesses]
//! Which iteration of the loops around a store wrote an element is not searched for: indices are sums of variables with
//! strides, and where each stride is larger than all that is added by the variables below it, the quotient by it is the
//! only candidate. That the sum is the index again, that the variables are in their ranges and that the conditions around
//! the store hold is decided by what is known, or becomes the condition of a choice.

use super::node::nats;
use super::parts::multiples;
use super::place::coordinates;
use super::value::{Node, Res, Rewrite, Values, V};
use super::{Place, Stuck};
use crate::arith::{Atom, AtomKind, Nat};
use crate::intern::Symbol;
use crate::term::Op;
use crate::ty::Scalar;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Values of variables for each of which an element is read by itself, at most.
const VALUES: i64 = 64;

/// What happened to a buffer, the last at the end.
#[derive(Clone)]
pub enum Item {
    Store(Store),
    Loop(Symbol, Nat, Rc<Vec<Item>>),
    Cond(V, Rc<Vec<Item>>, Rc<Vec<Item>>),
    /// The content when the iteration of a loop began.
    Start(u32),
    /// From here on the buffer is another one.
    Undef,
    /// What cannot be said of it.
    Bad(String),
}

/// One element.
#[derive(Clone)]
pub struct Store {
    pub at: Nat,
    pub value: V,
    pub statement: Place,
    /// Where it stands, for messages.
    pub place: Rc<str>,
}

/// What stands around a store.
#[derive(Clone)]
pub enum Around {
    Loop(Symbol, Nat),
    Cond(V, bool),
}

/// A store, or what else happened, with all that is around it.
#[derive(Clone)]
pub struct Leaf {
    pub path: Vec<Around>,
    pub is: Item,
}

impl Leaf {
    pub fn loops(&self) -> impl DoubleEndedIterator<Item = (Symbol, Nat)> + '_ {
        self.path.iter().filter_map(|a| match a {
            Around::Loop(v, n) => Some((*v, *n)),
            Around::Cond(..) => None,
        })
    }
}

/// All stores of a list, in order.
pub fn leaves(items: &[Item]) -> Vec<Leaf> {
    let mut out = Vec::new();
    collect(items, &mut Vec::new(), &mut out);
    out
}

fn collect(items: &[Item], path: &mut Vec<Around>, out: &mut Vec<Leaf>) {
    for item in items {
        match item {
            Item::Loop(v, n, inner) => {
                path.push(Around::Loop(*v, *n));
                collect(inner, path, out);
                path.pop();
            }
            Item::Cond(c, then, els) => {
                for (side, holds) in [(then, true), (els, false)] {
                    path.push(Around::Cond(*c, holds));
                    collect(side, path, out);
                    path.pop();
                }
            }
            _ => out.push(Leaf {
                path: path.clone(),
                is: item.clone(),
            }),
        }
    }
}

/// Makes known what holds where a store happens.
pub fn assume_path(cx: &mut Values, path: &[Around]) {
    for a in path {
        match a {
            Around::Loop(_, n) => cx.known.positive(*n),
            Around::Cond(c, holds) => cx.assume(*c, *holds),
        }
    }
}

/// Strides of the variables of an index, the largest first, each with what stands beside its block; and what is left.
pub struct Strides {
    pub vars: Vec<(Symbol, Nat, Nat)>,
    base: Nat,
}

/// An index that comes round again: what a variable and an offset leave when they are divided.
pub struct Round {
    digit: Symbol,
    var: Symbol,
    offset: Nat,
    by: Nat,
}

/// Remainders in an index as variables of their own.
fn rounds(cx: &mut Values, leaf: &Leaf, at: Nat, found: &mut Vec<Round>) -> Nat {
    let mut atoms = Vec::new();
    at.each_atom(&mut |a| atoms.push(a));
    let mut out = at;
    for a in atoms {
        let AtomKind::Mod(x, by) = a.kind() else {
            continue;
        };
        let is = |v: &Symbol| x.coefficient(*v).and_then(Nat::as_int) == Some(1);
        let Some(var) = leaf.loops().map(|l| l.0).find(is) else {
            continue;
        };
        let offset = x - Nat::var(var);
        let size = by.as_int().filter(|d| *d > 0);
        let Some(size) = size.filter(|_| !leaf.loops().any(|l| cx.mentions(offset, l.0))) else {
            continue;
        };
        let same = |r: &&Round| (r.var, r.offset, r.by) == (var, offset, by);
        let digit = found.iter().find(same).map(|r| r.digit);
        let digit = digit.unwrap_or_else(|| {
            let digit = cx.symbol("round");
            cx.known.range(digit, Nat::int(0), Nat::int(size - 1));
            found.push(Round {
                digit,
                var,
                offset,
                by,
            });
            digit
        });
        out = out.map_atoms(&mut |b| (a == b).then_some(Nat::var(digit)));
    }
    out
}

/// The last iteration that has a remainder, if nothing but that says whether it stores.
fn last_round(cx: &mut Values, leaf: &Leaf, round: &Round, r: &mut Rewrite) -> Res<Vec<V>> {
    let mut extent = None;
    let mut depends = false;
    for a in &leaf.path {
        match a {
            Around::Loop(v, n) if *v == round.var => extent = Some(*n),
            Around::Loop(_, n) => depends |= cx.mentions(*n, round.var),
            Around::Cond(c, _) => depends |= cx.value_mentions(*c, round.var),
        }
    }
    let digit = r.vars.get(&round.digit).copied();
    let (Some(n), Some(q), false) = (extent, digit, depends) else {
        let why = "which iteration is the last to store an element is not known";
        return Err(Stuck::new(why));
    };
    let last = cx.rewrite_nat(r, n)? - Nat::int(1);
    // It is the same as that of what it is the remainder of.
    let plain = match q.as_atom().map(Atom::kind) {
        Some(AtomKind::Mod(x, by)) if by == round.by => x,
        _ => q,
    };
    let since = cx.simplify(last + round.offset - plain);
    let since = cx.known.rem(since, round.by);
    let var = cx.simplify(last - since);
    r.vars.insert(round.var, var);
    let below = cx.compare(Op::Lt, q, round.by);
    Ok(vec![cx.compare(Op::Le, Nat::int(0), q), below])
}

/// See Note [Witnesses]. One for each index of a place; variables that an earlier index says are none of a later one.
/// Where elements may be stored again, also remainders of variables are variables.
pub fn strides(
    cx: &mut Values,
    leaf: &Leaf,
    places: &[Nat],
    mut again: Option<&mut Vec<Round>>,
) -> Res<Vec<Strides>> {
    let mut places = places.to_vec();
    let mut left: Vec<Symbol> = (leaf.loops())
        .filter(|(_, n)| n.as_int() != Some(1))
        .map(|l| l.0)
        .collect();
    if let Some(found) = &mut again {
        for at in &mut places {
            *at = rounds(cx, leaf, *at, found);
        }
        for v in &mut left {
            if let Some(r) = found.iter().find(|r| r.var == *v) {
                *v = r.digit;
            }
        }
        let hidden = |r: &Round| places.iter().any(|at| cx.mentions(*at, r.var));
        if found.iter().any(hidden) || found.len() > 1 {
            return Err(Stuck::new(format!("{places:?} are no sums of variables")));
        }
    }
    let mut all = Vec::new();
    for at in &places {
        let (mut open, mut base) = (Vec::new(), *at);
        let no_sum = || Stuck::new(format!("{at} is no sum of variables"));
        for v in &left {
            let s = at.coefficient(*v).ok_or_else(no_sum)?;
            if leaf.loops().any(|(w, _)| cx.mentions(s, w)) {
                return Err(no_sum());
            }
            if s.as_int() != Some(0) {
                base = base - s * Nat::var(*v);
                open.push((*v, s));
            }
        }
        // A value that is an index may hide one of them.
        if left.iter().any(|v| cx.mentions(base, *v)) {
            return Err(no_sum());
        }
        left.retain(|v| !open.iter().any(|o| o.0 == *v));
        let mark = cx.known.mark();
        assume_path(cx, &leaf.path);
        let found = ordered(cx, open, base);
        cx.known.restore(mark);
        all.push(found?.ok_or_else(|| {
            Stuck::new(format!("two iterations may store the same element of {at}"))
        })?);
    }
    match left.is_empty() {
        true => Ok(all),
        false => Err(Stuck::new(format!(
            "an element of {places:?} is stored in several iterations"
        ))),
    }
}

/// Where the strides are such that quotients give the variables.
fn ordered(cx: &mut Values, mut open: Vec<(Symbol, Nat)>, mut base: Nat) -> Res<Option<Strides>> {
    let mut vars = Vec::new();
    while !open.is_empty() {
        cx.spend(open.len() as u64)?;
        let mut top = None;
        for i in 0..open.len() {
            let s = open[i].1;
            let rest = open.iter().enumerate().filter(|(j, _)| *j != i);
            let rest = rest.fold(Nat::int(0), |sum, (_, (v, s))| sum + *s * Nat::var(*v));
            // What is beside the block belongs to what is below, if that fits; else all of it is left away.
            let whole = match (base.as_int(), s.as_int()) {
                (Some(b), Some(s)) if s > 0 => vec![Nat::int(b.div_euclid(s) * s), base],
                _ => {
                    let q = multiples(base, s);
                    vec![q * s, (q - Nat::int(1)) * s, base]
                }
            };
            let fits = |whole: &Nat| {
                let below = base - *whole + rest;
                let most = cx.known.at_least(s - Nat::int(1), below);
                most && cx.known.at_least(below, Nat::int(0))
            };
            top = whole.into_iter().find(fits).map(|whole| (i, whole));
            if top.is_some() {
                break;
            }
        }
        let Some((i, whole)) = top else {
            return Ok(None);
        };
        let (v, s) = open.remove(i);
        vars.push((v, s, whole));
        base = base - whole;
    }
    Ok(Some(Strides { vars, base }))
}

/// Whether a store is of an element that is asked for.
#[derive(Clone)]
enum Hit {
    No,
    /// In the iteration of the witness, if all of these hold.
    Where(Rc<Witness>, Vec<V>),
}

/// The iteration that stores an element, if any does.
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
    let (places, wanted) = asked.beside(cx, leaf, store.at);
    // A base may name variables of loops that run once.
    for (v, _) in leaf.loops().filter(|l| l.1.as_int() == Some(1)) {
        r.vars.insert(v, Nat::int(0));
    }
    let mut rests = Vec::new();
    let mut again = Vec::new();
    let found = strides(cx, leaf, &places, last.then_some(&mut again))?;
    for (s, e) in found.into_iter().zip(wanted) {
        let mut rest = e;
        for (v, stride, whole) in s.vars {
            let whole = cx.rewrite_nat(&mut r, whole)?;
            let q = cx.known.floor(rest - whole, stride);
            rest = cx.simplify(rest - whole - stride * q);
            r.vars.insert(v, q);
        }
        let base = cx.rewrite_nat(&mut r, s.base)?;
        rests.push(cx.simplify(rest - base));
    }
    let mut conds = Vec::new();
    for round in &again {
        conds.extend(last_round(cx, leaf, round, &mut r)?);
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
        if !found.as_ref().is_ok_and(|v| cx.is_defined(*v)) {
            // Perhaps nobody asks there.
            let c = cx.compare(Op::Eq, Nat::var(v), Nat::int(i));
            let mark = cx.known.mark();
            cx.assume(c, true);
            found = read_by_value(cx, buf, leaves, at, most / n);
            cx.known.restore(mark);
        }
        let found = found?;
        alike = alike && cx.with(any, v, Nat::int(i)).is_ok_and(|v| v == found);
        all.push(found);
    }
    match alike {
        true => Ok(any),
        false => Ok(cx.table(Nat::var(v), &all)),
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
