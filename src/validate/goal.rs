//! What has to hold when the statements are done: each result is what the term says, at each index.
//!
//! In: what lies in the buffers of the results, and the term. Out: obligations, met or open. Each store is compared with the
//! element of the term at its own index; one that is not that element has to be stored over. That there is a store for
//! each element is shown by naming the iteration that does it. Absent: how the content came about (`run`).

use super::items::{assume_path, leaves, Around, Item, Leaf};
use super::machine::Machine;
use super::memory::read;
use super::place::coordinates;
use super::rewrite::Rewrite;
use super::same::same;
use super::source::{scalar_at, Sem};
use super::strides::{beside, in_two, mirrored};
use super::value::{Node, Res, Values, V};
use super::{Obligation, Stuck};
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::StorageClass;
use crate::term::Op;
use crate::ty::Ty;

/// Cases in each other while coverage is shown, and in all.
const DEEPEST: u32 = 60;
const CASES: u32 = 20_000;
/// Values of a number that are looked at one by one: where so many are asked for, and at most.
const EACH: usize = 3;
const VALUES: i64 = 256;

/// Compares a result with the term.
pub fn result(machine: &mut Machine, out: usize, term: &Sem, ty: Ty) {
    let nest = machine.nest;
    let slot = &nest.abi.outputs[out];
    let is = |b: &crate::nest::Buffer| b.alias.is_none() && b.storage == StorageClass::Output(out);
    let Some(buf) = nest.buffers.iter().position(is) else {
        let why = Stuck::new("there is no such buffer");
        return machine.tally.open(Obligation::Covered, &slot.name, why);
    };
    let mut dims = Vec::new();
    for d in &slot.dims {
        match machine.nat(*d) {
            Ok(d) => dims.push(d),
            Err(why) => return machine.tally.open(Obligation::Covered, &slot.name, why),
        }
    }
    let items = machine.content(buf as u32).to_vec();
    let all = leaves(&items);
    let mark = machine.cx.known.mark();
    // Where a dimension is empty, there is nothing to compute.
    dims.iter().for_each(|d| machine.cx.known.positive(*d));
    machine.cx.base = Some(machine.cx.known.mark());
    for (i, leaf) in all.iter().enumerate() {
        let inner = machine.cx.known.mark();
        let outside = outside(leaf, &all);
        assume_path(&mut machine.cx, &leaf.path[..outside]);
        machine.cx.begins.push(machine.cx.known.mark());
        assume_path(&mut machine.cx, &leaf.path[outside..]);
        match &leaf.is {
            Item::Store(s) => {
                let (at, value) = (s.at, s.value);
                let goal = (term, ty, out);
                let own = |cx: &mut Values| stored(cx, at, value, &dims, goal);
                let over = |cx: &mut Values| {
                    let last = read(cx, buf as u32, &items, at)?;
                    stored(cx, at, last, &dims, goal)
                };
                // What a state leaves behind stands last, most often.
                let cx = &mut machine.cx;
                let met = match is_of_state(cx, leaf) || !later_of_state(cx, &all[i + 1..]) {
                    true => own(cx).or_else(|why| {
                        let both = |last: Stuck| format!("{}; in the end: {}", why.0, last.0);
                        over(cx).map_err(|last| Stuck::new(both(last)))
                    }),
                    false => over(cx).or_else(|last| {
                        let both = |why: Stuck| format!("{}; in the end: {}", why.0, last.0);
                        own(cx).map_err(|why| Stuck::new(both(why)))
                    }),
                };
                machine.tally.at = s.statement;
                machine.tally.owe(Obligation::Value, &s.place, met);
                machine.tally.at = None;
            }
            Item::Bad(why) => {
                let why = Stuck::new(why.clone());
                machine.tally.open(Obligation::Value, &slot.name, why);
            }
            _ => {}
        }
        machine.cx.begins.clear();
        machine.cx.known.restore(inner);
    }
    machine.cx.base = None;
    match covered(&mut machine.cx, &all.iter().collect::<Vec<_>>(), &dims) {
        Ok(()) => machine.tally.met(Obligation::Covered),
        Err(why) => machine.tally.open(Obligation::Covered, &slot.name, why),
    }
    machine.cx.known.restore(mark);
}

/// Whether what is stored is an element of what a state leaves.
fn is_of_state(cx: &Values, leaf: &Leaf) -> bool {
    matches!(&leaf.is, Item::Store(s) if matches!(cx.node(s.value), Node::Tensor(..)))
}

fn later_of_state(cx: &Values, leaves: &[Leaf]) -> bool {
    leaves.iter().any(|leaf| is_of_state(cx, leaf))
}

/// How many choices stand around a store before any loop: those that are around another one, too, if there are some.
fn outside(leaf: &Leaf, all: &[Leaf]) -> usize {
    let is_cond = |a: &&Around| matches!(a, Around::Cond(..));
    let own = leaf.path.iter().take_while(is_cond).count();
    let common = |other: &Leaf| {
        let both = leaf.path.iter().zip(&other.path).take(own);
        let same = both.take_while(|(a, b)| match (a, b) {
            (Around::Cond(c, x), Around::Cond(d, y)) => (c, x) == (d, y),
            _ => false,
        });
        same.count()
    };
    let others = all.iter().filter(|other| !std::ptr::eq(*other, leaf));
    match others.map(common).max() {
        Some(n) if n > 0 => n,
        _ => own,
    }
}

/// Whether a value is the element of the term at a flat index.
fn stored(cx: &mut Values, at: Nat, value: V, dims: &[Nat], goal: (&Sem, Ty, usize)) -> Res<()> {
    let (term, ty, leaf) = goal;
    if cx.is_open(value) {
        return Err(Stuck::new("it is not known what is stored"));
    }
    let Some(place) = coordinates(cx, at, dims) else {
        return Err(Stuck::new(format!(
            "{at} is not shown to be an element of the result"
        )));
    };
    let place: Vec<Nat> = place.into_iter().take(dims.len()).collect();
    let element = scalar_at(cx, term, ty, leaf as u32, &place)?;
    same(cx, value, element)
}

// ---- coverage

/// A store, and what has to hold for it to have stored an element.
struct Cover {
    conds: Vec<V>,
}

/// Whether each element is stored, for each side of the choices that stand around all loops.
fn covered(cx: &mut Values, all: &[&Leaf], dims: &[Nat]) -> Res<()> {
    let outer = |l: &&&Leaf| match l.path.first() {
        Some(Around::Cond(c, holds)) => Some((*c, *holds)),
        _ => None,
    };
    let Some((c, _)) = all.iter().find_map(|l| outer(&l)) else {
        return covered_by(cx, all, dims);
    };
    for holds in [true, false] {
        if cx.decide(c) == Some(!holds) {
            continue;
        }
        let mut here = Vec::new();
        for l in all {
            match outer(&l) {
                Some((d, other)) if d == c && other != holds => {}
                Some((d, _)) if d == c => here.push(Leaf {
                    path: l.path[1..].to_vec(),
                    is: l.is.clone(),
                }),
                _ => here.push((*l).clone()),
            }
        }
        let mark = cx.known.mark();
        cx.assume(c, holds);
        let done = covered(cx, &here.iter().collect::<Vec<_>>(), dims);
        let never = done.is_err() && cx.absurd();
        cx.known.restore(mark);
        if !never {
            done?;
        }
    }
    Ok(())
}

fn covered_by(cx: &mut Values, all: &[&Leaf], dims: &[Nat]) -> Res<()> {
    let all: Vec<Leaf> = (all.iter().map(|l| in_two(cx, l))).collect::<Res<_>>()?;
    let stores: Vec<(&Leaf, Vec<Nat>)> = all
        .iter()
        .filter_map(|l| {
            let Item::Store(s) = &l.is else { return None };
            let mark = cx.known.mark();
            assume_path(cx, &l.path);
            let place = coordinates(cx, s.at, dims);
            cx.known.restore(mark);
            Some((l, place?))
        })
        .collect();
    let done = shown(cx, &stores, dims);
    if done.is_ok() || cx.spend(1).is_err() || !stores.iter().any(|(leaf, at)| divides(leaf, at)) {
        return done;
    }
    // Of what a loop over all elements stores there is one index, of which the others are quotients.
    let flat = all.iter().filter_map(|l| match &l.is {
        Item::Store(s) => Some((l, vec![s.at])),
        _ => None,
    });
    let count = dims.iter().fold(Nat::int(1), |n, d| n * *d);
    shown(cx, &flat.collect::<Vec<_>>(), &[count])
}

/// Whether a place is a quotient of what a loop counts.
fn divides(leaf: &Leaf, at: &[Nat]) -> bool {
    use AtomKind::{Ceil, Floor, Mod};
    let mut found = false;
    for n in at {
        n.each_atom(&mut |a| {
            if let Floor(x, _) | Ceil(x, _) | Mod(x, _) = a.kind() {
                found |= leaf.loops().any(|(v, _)| x.mentions(v));
            }
        });
    }
    found
}

fn shown(cx: &mut Values, stores: &[(&Leaf, Vec<Nat>)], dims: &[Nat]) -> Res<()> {
    let mut place = Vec::new();
    for (d, dim) in dims.iter().enumerate() {
        place.push(digits(cx, stores, d, *dim)?);
    }
    let mut covers = Vec::new();
    for (leaf, at) in stores {
        if let Some(c) = cover(cx, leaf, at, &place)? {
            covers.push(c);
        }
    }
    let covers: Vec<&Cover> = covers.iter().collect();
    cases(cx, &covers, 0, &mut 0)
}

/// Any index below a dimension, by the blocks in which it is stored.
fn digits(cx: &mut Values, stores: &[(&Leaf, Vec<Nat>)], d: usize, dim: Nat) -> Res<Nat> {
    let mut blocks: Vec<Nat> = Vec::new();
    for (leaf, at) in stores {
        for (v, _) in leaf.loops() {
            let by = at.get(d).and_then(|c| c.coefficient(v));
            let fixed = |s: &Nat| !leaf.loops().any(|(w, _)| s.mentions(w));
            if let Some(s) = by.filter(fixed) {
                let s = match mirrored(cx, leaf, (v, s)) {
                    Some(_) => Nat::int(0) - s,
                    None => s,
                };
                let counts = s.as_int() != Some(1) && cx.known.at_least(s, Nat::int(1));
                if counts && !blocks.contains(&s) {
                    blocks.push(s);
                }
            }
        }
    }
    // Each has to be a multiple of the next.
    blocks.sort_by_key(|b| {
        (
            b.as_int().is_some(),
            std::cmp::Reverse(b.as_int().unwrap_or(0)),
        )
    });
    let mut chain: Vec<Nat> = Vec::new();
    for b in blocks {
        let fits = chain.last().is_none_or(|l| {
            let q = l.exact_div(b);
            q * b == *l
                && q.terms()
                    .iter()
                    .all(|(m, c)| m.is_integral() && c.as_int().is_some())
        });
        if fits {
            chain.push(b);
        }
    }
    chain.push(Nat::int(1));
    let mut sum = Nat::int(0);
    let mut above = None;
    for b in chain {
        let v = cx.symbol("x");
        let most = match above {
            None if b == Nat::int(1) => dim,
            None => cx.simplify(dim.ceil_div(b)),
            Some(above) => cx.simplify(Nat::exact_div(above, b)),
        };
        cx.known.range(v, Nat::int(0), most - Nat::int(1));
        sum = sum + b * Nat::var(v);
        above = Some(b);
    }
    cx.known.not_negative(dim - Nat::int(1) - sum);
    Ok(sum)
}

/// What has to hold for a store to store the element at a place; `None` if it never does.
fn cover(cx: &mut Values, leaf: &Leaf, at: &[Nat], place: &[Nat]) -> Res<Option<Cover>> {
    let mut r = Rewrite::default();
    let mut sides = Vec::new();
    let loops: Vec<(Symbol, Nat)> = leaf.loops().collect();
    for (c, x) in at.iter().zip(place) {
        sides.push(iteration(cx, (leaf, &loops), (*c, *x), &mut r)?);
    }
    // Of a loop that no index names the first iteration is as good as any.
    for (v, _) in &loops {
        r.vars.entry(*v).or_insert(Nat::int(0));
    }
    let mut conds = Vec::new();
    for (rest, base) in sides {
        let base = cx.rewrite_nat(&mut r, base)?;
        conds.push(cx.compare(Op::Eq, rest, base));
    }
    for a in &leaf.path {
        match a {
            Around::Loop(v, n) => {
                let (q, n) = (r.vars[v], cx.rewrite_nat(&mut r, *n)?);
                conds.push(cx.compare(Op::Le, Nat::int(0), q));
                conds.push(cx.compare(Op::Lt, q, n));
            }
            Around::Cond(c, holds) => {
                let c = cx.rewrite(&mut r, *c)?;
                conds.push(if *holds { c } else { cx.not(c) });
            }
        }
    }
    Ok((!conds.iter().any(|c| cx.decide(*c) == Some(false))).then_some(Cover { conds }))
}

/// The iteration that stores an index `x`, as far as the index of a store says it: what is left of it on both sides, which has to be equal.
fn iteration(
    cx: &mut Values,
    (leaf, loops): (&Leaf, &[(Symbol, Nat)]),
    (c, x): (Nat, Nat),
    r: &mut Rewrite,
) -> Res<(Nat, Nat)> {
    let c = tiles_of(cx, c, x, loops, r);
    let (mut rest, mut base) = (x, c);
    let mut vars: Vec<(Symbol, Nat, Option<Nat>)> = Vec::new();
    for (v, _) in loops {
        if let Some(s) = c.coefficient(*v).filter(|s| s.as_int() != Some(0)) {
            base = base - s * Nat::var(*v);
            let from_end = mirrored(cx, leaf, (*v, s)).filter(|_| !r.vars.contains_key(v));
            let s = match from_end {
                Some(n) => {
                    base = base + s * (n - Nat::int(1));
                    Nat::int(0) - s
                }
                None => s,
            };
            vars.push((*v, s, from_end));
        }
    }
    vars.sort_by_key(|(v, s, _)| {
        (
            !r.vars.contains_key(v),
            s.as_int().is_some(),
            std::cmp::Reverse(s.as_int().unwrap_or(0)),
        )
    });
    for (i, (v, s, from_end)) in vars.iter().copied().enumerate() {
        if let Some(known) = r.vars.get(&v) {
            rest = rest - s * *known;
            continue;
        }
        let below = vars[i + 1..].iter();
        let below = below.fold(Nat::int(0), |sum, (v, s, _)| sum + *s * Nat::var(*v));
        let mark = cx.known.mark();
        assume_path(cx, &leaf.path);
        let fixed = |n: &Nat| !loops.iter().any(|l| cx.mentions(*n, l.0));
        let whole = beside(cx, base, s, below).filter(fixed);
        cx.known.restore(mark);
        // A part of a block is asked for at its own place in it.
        let whole = whole.unwrap_or_else(|| match (base.as_int(), s.as_int()) {
            (Some(b), Some(s)) if s > 0 => Nat::int(b.div_euclid(s) * s),
            (None, _) | (_, None) => cx.known.multiples(base, s) * s,
            _ => Nat::int(0),
        });
        // Iterations of loops around it may be known.
        base = base - whole;
        let whole = cx.rewrite_nat(r, whole)?;
        let q = cx.known.floor(rest - whole, s);
        rest = cx.simplify(rest - whole - s * q);
        r.vars
            .insert(v, from_end.map_or(q, |n| n - Nat::int(1) - q));
    }
    Ok((cx.simplify(rest), base))
}

/// An index whose tiles are shifted such that they end inside, `min(4*i, n - 4) + j`: which tile stores an element is said by the
/// side with its variable. It is only tried.
fn tiles_of(cx: &mut Values, c: Nat, x: Nat, loops: &[(Symbol, Nat)], r: &mut Rewrite) -> Nat {
    let mut sides = Vec::new();
    c.each_atom(&mut |a| {
        if let AtomKind::Min(p, q) = a.kind() {
            sides.extend([p, q]);
        }
    });
    let mut out = c;
    for side in sides {
        for (v, _) in loops.iter().filter(|l| c.coefficient(l.0).is_none()) {
            let by = side.coefficient(*v).filter(|k| k.as_int() > Some(0));
            if let (Some(by), false) = (by, r.vars.contains_key(v)) {
                let q = cx.known.floor(x - (side - by * Nat::var(*v)), by);
                r.vars.insert(*v, q);
                out = out.subst_var(*v, q);
            }
        }
    }
    out
}

fn cases(cx: &mut Values, covers: &[&Cover], depth: u32, count: &mut u32) -> Res<()> {
    *count += 1;
    if depth > DEEPEST || *count > CASES {
        return Err(Stuck::new(
            "too many cases decide whether each element is stored",
        ));
    }
    let mut left = Vec::new();
    // How many covers ask for each condition: what most of them ask for is asked first.
    let mut open: Vec<(V, usize)> = Vec::new();
    for c in covers {
        cx.spend(1)?;
        let mut all = true;
        let mut never = false;
        let mut undecided = Vec::new();
        for v in &c.conds {
            match cx.decide(*v) {
                Some(true) => {}
                Some(false) => {
                    never = true;
                    break;
                }
                None => {
                    all = false;
                    let plain = match cx.node(*v) {
                        Node::Op(Op::Not, _, args) => args[0],
                        _ => *v,
                    };
                    undecided.push(plain);
                }
            }
        }
        if never {
            continue;
        }
        if all {
            return Ok(());
        }
        for v in undecided {
            match open.iter_mut().find(|o| o.0 == v) {
                Some(o) => o.1 += 1,
                None => open.push((v, 1)),
            }
        }
        left.push(*c);
    }
    let Some((c, _)) = open.iter().rev().copied().max_by_key(|o| o.1) else {
        let mark = cx.known.mark();
        let never = cx.absurd();
        cx.known.restore(mark);
        return match never {
            true => Ok(()),
            false => Err(Stuck::new("an element may not be stored")),
        };
    };
    if let Some((n, least, most)) = by_value(cx, c, &left) {
        for i in least..=most {
            let other =
                |cx: &Values, v: &V| value_of(cx, *v).is_some_and(|(m, j)| m == n && j != i);
            let here: Vec<&Cover> = (left.iter().copied())
                .filter(|cover| !cover.conds.iter().any(|v| other(cx, v)))
                .collect();
            let c = cx.compare(Op::Eq, n, Nat::int(i));
            // More than ranges may be known of it.
            if cx.decide(c) == Some(false) {
                continue;
            }
            let mark = cx.known.mark();
            cx.assume(c, true);
            let done = cases(cx, &here, depth + 1, count);
            cx.known.restore(mark);
            done.map_err(|why| Stuck::new(format!("{}, where {n} = {i}", why.0)))?;
        }
        return Ok(());
    }
    // An equation is one of three.
    let ways: Vec<(V, bool)> = match cx.node(c).clone() {
        Node::Op(Op::Eq, _, args) => match (cx.as_index(args[0]), cx.as_index(args[1])) {
            (Some(a), Some(b)) => {
                let (less, more) = (cx.compare(Op::Lt, a, b), cx.compare(Op::Lt, b, a));
                vec![(c, true), (less, true), (more, true)]
            }
            _ => vec![(c, true), (c, false)],
        },
        _ => vec![(c, true), (c, false)],
    };
    for (v, holds) in ways {
        if cx.decide(v) == Some(!holds) {
            continue;
        }
        let mark = cx.known.mark();
        cx.assume(v, holds);
        let done = cases(cx, &left, depth + 1, count);
        cx.known.restore(mark);
        done.map_err(|why| match depth {
            0..=2 => Stuck::new(format!(
                "{}, where {}{}",
                why.0,
                if holds { "" } else { "not " },
                cx.show(v)
            )),
            _ => why,
        })?;
    }
    Ok(())
}

/// A number and its value, as an equation says.
fn value_of(cx: &Values, c: V) -> Option<(Nat, i64)> {
    match cx.node(c) {
        Node::Op(Op::Eq, _, args) => {
            let (a, b) = (cx.as_index(args[0])?, cx.as_index(args[1])?);
            Some((a, b.as_int()?))
        }
        _ => None,
    }
}

/// Between which values the number of an equation is, if it has few of them and elements are stored value by value.
fn by_value(cx: &Values, c: V, covers: &[&Cover]) -> Option<(Nat, i64, i64)> {
    let (n, _) = value_of(cx, c)?;
    let (least, most) = cx.known.interval(n)?;
    let all = covers.iter().flat_map(|c| &c.conds);
    let mut asked: Vec<i64> = all
        .filter_map(|v| value_of(cx, *v).filter(|(m, _)| *m == n).map(|e| e.1))
        .collect();
    asked.sort_unstable();
    asked.dedup();
    (asked.len() >= EACH && most - least < VALUES).then_some((n, least, most))
}
