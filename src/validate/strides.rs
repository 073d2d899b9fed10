//! Which iteration of the loops around a store wrote an element.
//!
//! In: a store with its loops, the places of its element. Out: strides by which quotients say the variables of the loops. Absent: what
//! lies there (`memory`), the quotients.
//!
//! Note [Witnesses]
//! Which iteration of the loops around a store wrote an element is not searched for: indices are sums of variables with
//! strides, and where each stride is larger than all that is added by the variables below it, the quotient by it is the
//! only candidate. That the sum is the index again, that the variables are in their ranges and that the conditions around
//! the store hold is decided by what is known, or becomes the condition of a choice.

use super::items::{assume_path, Around, Item, Leaf, Store};
use super::rewrite::Rewrite;
use super::value::{Node, Res, Values, V};
use super::Stuck;
use crate::arith::{Atom, AtomKind, Nat};
use crate::intern::Symbol;
use crate::term::Op;

/// Loops around one store whose index is divided, at most.
const DIVIDED: usize = 4;

/// Strides of the variables of an index, the largest first; and what is left.
pub struct Strides {
    pub digits: Vec<Digit>,
    pub base: Nat,
}

/// The stride of a variable, with what stands beside its block; how many values it has, if it counts from the last one on.
#[derive(Copy, Clone, PartialEq)]
pub struct Digit {
    pub var: Symbol,
    pub stride: Nat,
    pub whole: Nat,
    pub mirrored: Option<Nat>,
}

impl Digit {
    /// What the variable is where the quotient is this.
    pub fn value(&self, quotient: Nat) -> Nat {
        match self.mirrored {
            Some(n) => n - Nat::int(1) - quotient,
            None => quotient,
        }
    }
}

/// How many values a variable has whose stride is less than nothing: counted from the last one on, it is more.
pub fn mirrored(cx: &Values, leaf: &Leaf, (v, stride): (Symbol, Nat)) -> Option<Nat> {
    let falls = match stride.as_int() {
        Some(s) => s < 0,
        None => cx.known.at_least(Nat::int(-1), stride),
    };
    let (_, n) = leaf.loops().find(|l| falls && l.0 == v)?;
    let fixed = !leaf.loops().any(|(w, _)| cx.mentions(n, w));
    fixed.then_some(n)
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

/// How many iterations a loop has, if nothing but that says whether one stores.
pub fn extent_alone(cx: &Values, leaf: &Leaf, var: Symbol) -> Res<Nat> {
    let mut extent = None;
    let mut depends = false;
    for a in &leaf.path {
        match a {
            Around::Loop(v, n) if *v == var => extent = Some(*n),
            Around::Loop(_, n) => depends |= cx.mentions(*n, var),
            Around::Cond(c, holds) => {
                depends |= cx.value_mentions(*c, var) && !stays_true(cx, (*c, *holds), var)
            }
        }
    }
    extent
        .filter(|_| !depends)
        .ok_or_else(|| Stuck::new("which iteration is the last to store an element is not known"))
}

/// Whether a condition that holds in one iteration of a loop holds in all later ones: where it does not hold in the last one, it
/// holds in none.
fn stays_true(cx: &Values, (c, holds): (V, bool), var: Symbol) -> bool {
    let Node::Op(Op::Le, _, args) = cx.node(c) else {
        return false;
    };
    let (Some(a), Some(b)) = (cx.as_index(args[0]), cx.as_index(args[1])) else {
        return false;
    };
    let more = if holds { b - a } else { a - b };
    let by = more.coefficient(var).and_then(Nat::as_int);
    by.is_some_and(|by| by > 0 && !cx.mentions(more - Nat::int(by) * Nat::var(var), var))
}

/// The last iteration that has a remainder.
pub fn last_round(cx: &mut Values, leaf: &Leaf, round: &Round, r: &mut Rewrite) -> Res<Vec<V>> {
    let n = extent_alone(cx, leaf, round.var)?;
    let Some(q) = r.vars.get(&round.digit).copied() else {
        return Err(Stuck::new("a remainder is not known"));
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

/// What elements are stored by several iterations: remainders, and loops that no index names.
#[derive(Default)]
pub struct Again {
    pub rounds: Vec<Round>,
    pub free: Vec<Symbol>,
}

/// See Note [Witnesses]. One for each index of a place; variables that an earlier index says are none of a later one.
/// Where elements may be stored again, also remainders of variables are variables, and there may be loops that no index names.
pub fn strides(
    cx: &mut Values,
    leaf: &Leaf,
    places: &[Nat],
    mut again: Option<&mut Again>,
) -> Res<Vec<Strides>> {
    let mut places = places.to_vec();
    let once = only(cx, leaf);
    let mut left: Vec<Symbol> = (leaf.loops().map(|l| l.0))
        .filter(|v| !once.iter().any(|o| o.0 == *v))
        .collect();
    if let Some(again) = &mut again {
        let found = &mut again.rounds;
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
                let from_end = mirrored(cx, leaf, (*v, s));
                let s = match from_end {
                    Some(n) => {
                        base = base + s * (n - Nat::int(1));
                        Nat::int(0) - s
                    }
                    None => s,
                };
                open.push((*v, s, from_end));
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
    match again {
        Some(again) => again.free = left,
        None if left.is_empty() => {}
        None => {
            return Err(Stuck::new(format!(
                "an element of {places:?} is stored in several iterations"
            )))
        }
    }
    Ok(all)
}

/// What stands beside the block of a stride, if what is left of it, with all that is added below, is less than the stride.
pub fn beside(cx: &Values, base: Nat, s: Nat, rest: Nat) -> Option<Nat> {
    // It belongs to what is below, if that fits; else all of it is left away.
    let whole = match (base.as_int(), s.as_int()) {
        (Some(b), Some(s)) if s > 0 => {
            let first = b.div_euclid(s) * s;
            vec![Nat::int(first), Nat::int(first + s), base]
        }
        _ => {
            let q = cx.known.multiples(base, s);
            vec![q * s, (q - Nat::int(1)) * s, base]
        }
    };
    let fits = |whole: &Nat| {
        let below = base - *whole + rest;
        let most = cx.known.at_least(s - Nat::int(1), below);
        most && cx.known.at_least(below, Nat::int(0))
    };
    whole.into_iter().find(fits)
}

/// Where the strides are such that quotients give the variables.
fn ordered(
    cx: &mut Values,
    mut open: Vec<(Symbol, Nat, Option<Nat>)>,
    mut base: Nat,
) -> Res<Option<Strides>> {
    let mut digits = Vec::new();
    while !open.is_empty() {
        cx.spend(open.len() as u64)?;
        let mut top = None;
        for i in 0..open.len() {
            let s = open[i].1;
            let rest = open.iter().enumerate().filter(|(j, _)| *j != i);
            let rest = rest.fold(Nat::int(0), |sum, (_, (v, s, _))| sum + *s * Nat::var(*v));
            top = beside(cx, base, s, rest).map(|whole| (i, whole));
            if top.is_some() {
                break;
            }
        }
        let Some((i, whole)) = top else {
            return Ok(None);
        };
        let (var, stride, mirrored) = open.remove(i);
        digits.push(Digit {
            var,
            stride,
            whole,
            mirrored,
        });
        base = base - whole;
    }
    Ok(Some(Strides { digits, base }))
}

/// Variables of the loops around a store that have one value where it happens.
pub fn only(cx: &mut Values, leaf: &Leaf) -> Vec<(Symbol, i64)> {
    let once = |l: &(Symbol, Nat)| l.1.as_int() == Some(1);
    let mut found: Vec<_> = leaf.loops().filter(once).map(|l| (l.0, 0)).collect();
    if leaf.path.iter().any(|a| matches!(a, Around::Cond(..))) {
        let mark = cx.known.mark();
        assume_path(cx, &leaf.path);
        for (v, _) in leaf.loops().filter(|l| !once(l)) {
            found.extend(cx.known.fixed(v).map(|k| (v, k)));
        }
        cx.known.restore(mark);
    }
    found
}

/// A store in loops whose index is divided, with two loops in place of each of these: over the quotients, and over the remainders.
pub fn in_two(cx: &mut Values, leaf: &Leaf) -> Res<Leaf> {
    let mut leaf = leaf.clone();
    for _ in 0..DIVIDED {
        let Item::Store(store) = &leaf.is else { break };
        let Some((v, n, by, from_end)) = divided(cx, &leaf, store.at) else {
            break;
        };
        let (q, rest) = (cx.symbol("q"), cx.symbol("r"));
        let many = cx.simplify(n.ceil_div(by));
        cx.known.range(q, Nat::int(0), many - Nat::int(1));
        cx.known.range(rest, Nat::int(0), by - Nat::int(1));
        let whole = by * Nat::var(q) + Nat::var(rest);
        let is_one = cx.compare(Op::Lt, whole, n);
        let mut r = Rewrite::default();
        r.vars.insert(
            v,
            if from_end {
                n - Nat::int(1) - whole
            } else {
                whole
            },
        );
        let store = Store {
            at: cx.rewrite_nat(&mut r, store.at)?,
            ..store.clone()
        };
        let mut path = Vec::new();
        for a in &leaf.path {
            match a {
                Around::Loop(w, _) if *w == v => {
                    path.extend([Around::Loop(q, many), Around::Loop(rest, by)]);
                    path.push(Around::Cond(is_one, true));
                }
                Around::Loop(w, n) => path.push(Around::Loop(*w, cx.rewrite_nat(&mut r, *n)?)),
                Around::Cond(c, holds) => path.push(Around::Cond(cx.rewrite(&mut r, *c)?, *holds)),
            }
        }
        leaf = Leaf {
            path,
            is: Item::Store(store),
        };
    }
    Ok(leaf)
}

/// A variable of which a quotient or a remainder stands in an index, how many values it has, by what it is divided, and whether it is
/// counted from its last value on.
fn divided(cx: &Values, leaf: &Leaf, at: Nat) -> Option<(Symbol, Nat, Nat, bool)> {
    let mut found = None;
    at.each_atom(&mut |a| {
        let (AtomKind::Floor(x, by) | AtomKind::Mod(x, by)) = a.kind() else {
            return;
        };
        let of = |(v, n): (Symbol, Nat)| {
            let last = n - Nat::int(1) - Nat::var(v);
            (x == Nat::var(v) || x == last).then_some((v, n, by, x == last))
        };
        let fixed = |n: Nat| !leaf.loops().any(|(w, _)| cx.mentions(n, w));
        let fits = fixed(by) && cx.known.at_least(by, Nat::int(1));
        found = found.or(leaf.loops().filter(|l| fits && fixed(l.1)).find_map(of));
    });
    found
}
