//! Values whose parts may be combined in any order.
//!
//! In: two values. Out: whether they combine the same parts. A value is written as *items*: what a product of factors, or one
//! value, gives for all indices of some loops. `op x y` has the items of both; a reduction has those of its start, and
//! those of each step but the accumulator, under one more loop; identities have none. For integers the operator is `+`,
//! factors are multiplied, and numbers count how often: a ring with iterated sums. For any other operator that associates
//! and commutes an item has one factor. Two lists of items are equal if they can be paired such that a bijection between
//! the loops of two, of exchanged, reversed or nested loops, makes their factors equal. Where loops of one are longer, they
//! are cut, joined with an item that continues them, or taken apart by the rest of their index. An item may have guards,
//! where a bound is asked of several loops (`guards`).
//! Absent: laws (`equal`), induction (`fold`).

mod guards;
mod rename;
mod repeats;

use super::context::{Context, Question, Res, Stuck};
use super::equal::{self, equal};
use super::value::{Fold, Head, Neutral, Step, Val};
use super::{bits, fold, scalars};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::{Lit, Op};
use crate::ty::{Scalar, Ty};

/// Items of one value, and loops that are repeated one by one.
const MOST: usize = 24;
/// How often items are cut until two lists are alike.
const CUTS: u32 = 4;

/// What combines.
enum Algebra {
    /// `+` of integers of so many bits.
    Ring(u32),
    /// An operator, applied to nothing.
    Monoid(Neutral),
}

#[derive(Clone)]
struct Item {
    /// Variables of loops and their lengths.
    loops: Vec<(Symbol, Nat)>,
    /// What variables of loops were, in those of now.
    defined: Vec<(Symbol, Nat)>,
    /// Names of indices that are values, and so may differ from iteration to iteration; what others speak of comes first.
    named: Vec<(Neutral, Nat)>,
    /// Not negative wherever it is combined: elsewhere there is none.
    guards: Vec<Nat>,
    count: u128,
    factors: Vec<Val>,
}

/// Whether both combine the same values by some operator that associates and commutes.
pub fn same(cx: &mut Context, a: &Neutral, b: &Neutral) -> Res<bool> {
    let ty = a.ty();
    if b.ty() != ty || ![a, b].iter().any(|n| is_fold(n) || n.head_ty.is_fun()) {
        return Ok(false);
    }
    for algebra in algebras(cx, ty) {
        if cx.apart(|cx| alike(cx, &algebra, ty, a, b))? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_fold(n: &Neutral) -> bool {
    matches!(n.head, Head::Fold(_)) && n.projections() == n.spine.len()
}

/// The algebras that a value of a type may be of.
fn algebras(cx: &Context, ty: Ty) -> Vec<Algebra> {
    let mut all = Vec::new();
    if let Some(bits) = ty.as_scalar().and_then(bits) {
        all.push(Algebra::Ring(bits));
    }
    let whole = Ty::funs([ty, ty], ty);
    let operators = equal::commuting(cx, whole).into_iter();
    all.extend(operators.map(|head| Algebra::Monoid(Neutral::new(head, whole))));
    all
}

fn bits(s: Scalar) -> Option<u32> {
    Some(match s {
        Scalar::I8 | Scalar::U8 => 8,
        Scalar::I16 | Scalar::U16 => 16,
        Scalar::I32 | Scalar::U32 => 32,
        Scalar::I64 | Scalar::U64 => 64,
        _ => return None,
    })
}

fn alike(cx: &mut Context, algebra: &Algebra, ty: Ty, a: &Neutral, b: &Neutral) -> Res<bool> {
    let mut lists = Vec::new();
    for n in [a, b] {
        let value = Val::Neutral(n.clone());
        match items(cx, algebra, &value)? {
            Some(items) => lists.push(guards::settled(cx, items)),
            None => return Ok(false),
        }
    }
    // A value that is its own only item is compared elsewhere.
    let single = |items: &[Item], n: &Neutral| match items {
        [Item {
            loops,
            guards,
            count: 1,
            factors,
            ..
        }] if loops.is_empty() && guards.is_empty() => match &factors[..] {
            [Val::Neutral(f)] => {
                let other = matches!((&f.head, &n.head), (Head::Prim(p), Head::Prim(q)) if p != q);
                f.spine.len() == n.spine.len() && f.head_ty == n.head_ty && !other
            }
            _ => false,
        },
        _ => false,
    };
    if single(&lists[0], a) && single(&lists[1], b) {
        return Ok(false);
    }
    let (Some(right), Some(left)) = (lists.pop(), lists.pop()) else {
        return Ok(false);
    };
    let (longer, some) = joined(cx, ty, left.clone());
    let (other, more) = joined(cx, ty, right.clone());
    if (some || more) && paired(cx, algebra, ty, longer, other, 0)? {
        return Ok(true);
    }
    paired(cx, algebra, ty, left, right, CUTS)
}

/// Items in longer loops: one that is what a loop would have before its first iteration, or after its last one, is that
/// iteration. So a list from its first element on, and the same from its last one on, are one loop. Says whether any was.
fn joined(cx: &mut Context, ty: Ty, mut items: Vec<Item>) -> (Vec<Item>, bool) {
    let mut any = false;
    while let Some((one, many, longer)) = next_joined(cx, ty, &items) {
        items[many] = longer;
        items.remove(one);
        any = true;
    }
    (items, any)
}

/// An item that continues a loop of another one, and both as one.
fn next_joined(cx: &mut Context, ty: Ty, items: &[Item]) -> Option<(usize, usize, Item)> {
    for (many, item) in items.iter().enumerate() {
        for (at, (_, n)) in item.loops.iter().enumerate() {
            for (one, other) in items.iter().enumerate() {
                let loops = other.loops.len() + 1 == item.loops.len();
                if one == many || !loops || other.count != item.count {
                    continue;
                }
                // Parts of one loop have its variable, each for itself.
                let own = match item.shares_variables(other) {
                    true => rename::apart(cx, other),
                    false => None,
                };
                let other = own.as_ref().unwrap_or(other);
                let ends = [(Nat::int(-1), Nat::int(1)), (*n, Nat::int(0))];
                for (place, before) in ends {
                    if !same_item(cx, ty, &item.with(at, place, &[]), other) {
                        continue;
                    }
                    let i = cx.symbol();
                    let longer = [(i, *n + Nat::int(1))];
                    return Some((one, many, item.with(at, Nat::var(i) - before, &longer)));
                }
            }
        }
    }
    None
}

/// A value as items; `None` if they are too many.
fn items(cx: &mut Context, algebra: &Algebra, v: &Val) -> Res<Option<Vec<Item>>> {
    cx.work()?;
    let Val::Neutral(n) = v else {
        return Ok(None);
    };
    let product = |sign: i128, x: Vec<Item>, y: Vec<Item>| {
        let mut all = x;
        all.extend(y.into_iter().map(|i| i.times(algebra, sign)));
        (all.len() <= MOST).then_some(all)
    };
    if let Some((op, args)) = operation(algebra, n) {
        let mut parts = Vec::new();
        for a in &args {
            match items(cx, algebra, a)? {
                Some(items) => parts.push(items),
                None => return Ok(None),
            }
        }
        return Ok(match (op, &mut parts[..]) {
            (Op::Neg, [x]) => product(-1, Vec::new(), std::mem::take(x)),
            (Op::Sub, [x, y]) => product(-1, std::mem::take(x), std::mem::take(y)),
            (Op::Mul, [x, y]) => multiplied(algebra, x, y),
            (Op::Fma, [x, y, z]) => {
                multiplied(algebra, x, y).and_then(|xy| product(1, xy, std::mem::take(z)))
            }
            (_, [x, y]) => product(1, std::mem::take(x), std::mem::take(y)),
            _ => None,
        });
    }
    if let (Algebra::Ring(_), Head::Lit(Lit::Int(i)), []) = (algebra, &n.head, &n.spine[..]) {
        let one = Item::of(Vec::new()).times(algebra, *i);
        return Ok(Some(Vec::from_iter((one.count != 0).then_some(one))));
    }
    if let Algebra::Ring(_) = algebra {
        if scalars::is_known_as_zero(cx, n)? {
            return Ok(Some(Vec::new()));
        }
        if let Some(rest) = bits::rest(cx, n)? {
            return items(cx, algebra, &rest);
        }
        match (&n.head, &n.spine[..]) {
            (Head::Zero, []) => return Ok(Some(Vec::new())),
            // A size is a sum of as many ones.
            (Head::Lit(Lit::Size(n)), []) if cx.is_not_negative(*n) => {
                let one = Item::of(Vec::new());
                return Ok(Some(vec![one.inside(&[(cx.symbol(), *n)], &[])]));
            }
            _ => {}
        }
    }
    if let Algebra::Monoid(of) = algebra {
        if equal::is_identity(cx, of, v)? {
            return Ok(Some(Vec::new()));
        }
    }
    if let Some(f) = fold::projected(cx, n)? {
        if let Some(mut all) = items(cx, algebra, &f.start)? {
            if let Some(steps) = steps(cx, algebra, &f, Nat::int(0), f.n, 0)? {
                all.extend(steps);
                return Ok((all.len() <= MOST).then_some(all));
            }
        }
    }
    Ok(Some(vec![Item::of(vec![v.clone()])]))
}

/// The operation of the algebra that stands outermost.
fn operation(algebra: &Algebra, n: &Neutral) -> Option<(Op, Vec<Val>)> {
    let mut args = Vec::new();
    for (step, _) in &n.spine {
        let Step::Apply(x, _) = step else { return None };
        args.push(x.clone());
    }
    match (algebra, &n.head) {
        (Algebra::Ring(_), Head::Prim(p)) => {
            let arity = match p.op() {
                Op::Add | Op::Sub | Op::Mul => 2,
                Op::Neg => 1,
                Op::Fma => 3,
                _ => return None,
            };
            (args.len() == arity).then_some((p.op(), args))
        }
        (Algebra::Monoid(of), head) => {
            (args.len() == 2 && n.head_ty == of.head_ty && equal::same_operator(head, &of.head))
                .then_some((Op::Add, args))
        }
        _ => None,
    }
}

fn multiplied(algebra: &Algebra, xs: &[Item], ys: &[Item]) -> Option<Vec<Item>> {
    let mut all = Vec::new();
    for x in xs {
        for y in ys {
            let mut item = x.clone();
            item.loops.extend(y.loops.iter().copied());
            item.defined.extend(y.defined.iter().copied());
            item.named.extend(y.named.iter().cloned());
            item.guards.extend(y.guards.iter().copied());
            item.factors.extend(y.factors.iter().cloned());
            all.push(item.times(algebra, y.count as i128));
        }
    }
    (all.len() <= MOST).then_some(all)
}

impl Item {
    fn of(factors: Vec<Val>) -> Item {
        Item {
            loops: Vec::new(),
            defined: Vec::new(),
            named: Vec::new(),
            guards: Vec::new(),
            count: 1,
            factors,
        }
    }

    /// So many of it, modulo what numbers of the type are modulo.
    fn times(mut self, algebra: &Algebra, by: i128) -> Item {
        self.count = match algebra {
            // Less than 2⁶⁴ both, so that their product is exact.
            Algebra::Ring(bits) => {
                let by = by.rem_euclid(1 << bits).unsigned_abs();
                (self.count * by) % (1 << bits)
            }
            Algebra::Monoid(_) => self.count,
        };
        self
    }

    /// What holds inside of its loops.
    fn assumed(&self, cx: &mut Context) {
        for (v, n) in &self.loops {
            cx.declare(*v, *n);
        }
        cx.name(self.named.clone());
        for (v, e) in self.defined.iter().rev() {
            cx.define(*v, *e);
        }
    }

    /// The same in loops around it, in which indices have names.
    fn inside(mut self, loops: &[(Symbol, Nat)], named: &[(Neutral, Nat)]) -> Item {
        self.loops.splice(0..0, loops.iter().copied());
        self.named.splice(0..0, named.iter().cloned());
        self
    }

    /// Whether it is combined once.
    fn is_single(&self) -> bool {
        self.loops.is_empty() && self.guards.is_empty()
    }

    fn variables(&self) -> impl Iterator<Item = Symbol> + '_ {
        let now = self.loops.iter().map(|l| l.0);
        now.chain(self.defined.iter().map(|d| d.0))
    }

    /// Whether a variable of both would have to be one thing here and another there, as in parts of one loop.
    fn shares_variables(&self, other: &Item) -> bool {
        (self.variables()).any(|v| other.variables().any(|w| v == w))
    }

    /// The same with a variable of a loop as an expression of others.
    fn with(&self, at: usize, value: Nat, loops: &[(Symbol, Nat)]) -> Item {
        let mut item = self.clone();
        let (var, _) = item.loops.remove(at);
        item.defined.push((var, value));
        item.loops.extend(loops);
        item
    }
}

/// What the steps `from … from + n - 1` of a reduction combine with the accumulator, if they do only that. That there is
/// a step holds of what is found out inside of it alone.
fn steps(
    cx: &mut Context,
    algebra: &Algebra,
    f: &Fold,
    from: Nat,
    n: Nat,
    depth: u32,
) -> Res<Option<Vec<Item>>> {
    let bounded = depth <= 4;
    match bounded {
        true => cx.apart(|cx| steps_inside(cx, algebra, f, from, n, depth)),
        false => Ok(None),
    }
}

fn steps_inside(
    cx: &mut Context,
    algebra: &Algebra,
    f: &Fold,
    from: Nat,
    n: Nat,
    depth: u32,
) -> Res<Option<Vec<Item>>> {
    let since = cx.names();
    if let Some(few) = n.as_int().filter(|k| (0..=fold::FEW).contains(k)) {
        let mut all = Vec::new();
        for k in 0..few {
            match step(cx, algebra, f, from + Nat::int(k))? {
                Ok(items) => {
                    let named = cx.names_from(since);
                    all.extend(items.into_iter().map(|item| item.inside(&[], &named)));
                }
                Err(_) => return Ok(None),
            }
        }
        return Ok((all.len() <= MOST).then_some(all));
    }
    let i = cx.symbol();
    cx.declare(i, n);
    let (mut loops, mut at) = (vec![(i, n)], from + Nat::var(i));
    let question = loop {
        match step(cx, algebra, f, at)? {
            Ok(items) => {
                let named = cx.names_from(since);
                let all = items.into_iter();
                return Ok(Some(all.map(|item| item.inside(&loops, &named)).collect()));
            }
            Err(Some(Question::Divide(v, d))) => {
                let Some(place) = loops.iter().position(|l| l.0 == v) else {
                    return Ok(None);
                };
                let (q, r) = (cx.symbol(), cx.symbol());
                let parts = [(q, loops[place].1.exact_div(d)), (r, d)];
                for (v, n) in parts {
                    cx.declare(v, n);
                }
                at = at.subst_var(v, d * Nat::var(q) + Nat::var(r));
                loops.splice(place..=place, parts);
            }
            Err(question) => break question,
        }
    };
    let cut = match question {
        Some(Question::NotNegative(q)) if loops.len() == 1 => fold::threshold(cx, q, i, n),
        _ => None,
    };
    let Some(cut) = cut else {
        return match question {
            Some(Question::NotNegative(q)) => {
                let inside = guards::Inside {
                    algebra,
                    f,
                    at,
                    since,
                };
                guards::guarded(cx, &inside, &loops, q, depth)
            }
            _ => Ok(None),
        };
    };
    // A variable of an item may stand under no assumption but its own range.
    let first = steps(cx, algebra, f, from, cut, depth + 1)?;
    let rest = steps(cx, algebra, f, from + cut, n - cut, depth + 1)?;
    Ok(first.zip(rest).map(|(mut a, b)| {
        a.extend(b);
        a
    }))
}

/// What one step combines with the accumulator; or the question that it depends on.
fn step(
    cx: &mut Context,
    algebra: &Algebra,
    f: &Fold,
    i: Nat,
) -> Res<Result<Vec<Item>, Option<Question>>> {
    let mut once = Vec::new();
    for _ in 0..2 {
        let acc = cx.fresh(f.ty);
        let result = (f.step)(cx, acc.clone(), i).and_then(|v| items(cx, algebra, &v));
        let mut all = match result {
            Ok(Some(all)) => all,
            Ok(None) => return Ok(Err(None)),
            Err(Stuck::Split(q)) => return Ok(Err(Some(q))),
            Err(other) => return Err(other),
        };
        let place = all.iter().position(|item| {
            let alone = item.is_single() && item.count == 1;
            alone && matches!(&item.factors[..], [v] if is_same_fresh(v, &acc))
        });
        let Some(place) = place else {
            return Ok(Err(None));
        };
        all.remove(place);
        once.push(all);
    }
    let (Some(second), Some(first)) = (once.pop(), once.pop()) else {
        return Ok(Err(None));
    };
    // What is the same for any two accumulators does not depend on them.
    let ty = f.ty;
    let mut independent = first.len() == second.len();
    for (x, y) in first.iter().zip(&second) {
        independent = independent && in_order(cx, ty, x, y);
    }
    Ok(if independent { Ok(first) } else { Err(None) })
}

fn is_same_fresh(v: &Val, acc: &Val) -> bool {
    match (v, acc) {
        (Val::Neutral(v), Val::Neutral(acc)) => {
            v.spine.is_empty()
                && matches!((&v.head, &acc.head), (Head::Fresh(a), Head::Fresh(b)) if a == b)
        }
        _ => false,
    }
}

/// The same loops in the same order, the same factors.
fn in_order(cx: &mut Context, ty: Ty, x: &Item, y: &Item) -> bool {
    let known = cx.known();
    let mut alike =
        x.count == y.count && x.loops.len() == y.loops.len() && x.factors.len() == y.factors.len();
    for ((i, m), (j, n)) in x.loops.iter().zip(&y.loops) {
        alike = alike && cx.same_nat(*m, *n);
        cx.declare(*j, *n);
        cx.define(*i, Nat::var(*j));
    }
    cx.name(x.named.clone());
    cx.name(y.named.clone());
    guards::identified(cx, x, y);
    alike = alike
        && x.guards.len() == y.guards.len()
        && (x.guards.iter().zip(&y.guards)).all(|(g, h)| cx.same_nat(*g, *h));
    for g in &x.guards {
        cx.suppose(*g);
    }
    alike = alike && (x.factors.iter().zip(&y.factors)).all(|(x, y)| equal(cx, ty, x, y));
    cx.restore(known);
    alike
}

/// Whether items can be paired with equal ones, cut a few times.
fn paired(
    cx: &mut Context,
    algebra: &Algebra,
    ty: Ty,
    mut left: Vec<Item>,
    mut right: Vec<Item>,
    cuts: u32,
) -> Res<bool> {
    cx.work()?;
    if let Algebra::Ring(bits) = algebra {
        left = collected(cx, ty, left, *bits);
        right = collected(cx, ty, right, *bits);
    }
    if let Algebra::Monoid(of) = algebra {
        left = repeats::without_repeats(cx, ty, left, of);
        right = repeats::without_repeats(cx, ty, right, of);
    }
    let mut i = 0;
    while i < left.len() {
        let found = (0..right.len())
            .find(|&j| left[i].count == right[j].count && same_item(cx, ty, &left[i], &right[j]));
        match found {
            Some(j) => {
                left.remove(i);
                right.remove(j);
            }
            None => i += 1,
        }
    }
    if left.is_empty() && right.is_empty() {
        return Ok(true);
    }
    if cuts == 0 || left.len() + right.len() > MOST {
        return Ok(false);
    }
    // First the cuts of which a part is there on the other side: each of them leaves fewer items.
    let mut ways = Vec::new();
    for (cut, other) in [(&left, &right), (&right, &left)] {
        for (at, item) in cut.iter().enumerate() {
            for parts in ways_to_cut(cx, item, other) {
                let found = parts.iter().any(|part| {
                    (other.iter()).any(|o| part.count == o.count && same_item(cx, ty, part, o))
                });
                let mut fewer = cut.clone();
                fewer.remove(at);
                fewer.extend(parts);
                ways.push((!found, fewer, other));
            }
        }
    }
    ways.sort_by_key(|way| way.0);
    for (_, fewer, other) in ways {
        if paired(cx, algebra, ty, fewer, other.clone(), cuts - 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Equal items without loops are one that counts as often.
fn collected(cx: &mut Context, ty: Ty, items: Vec<Item>, bits: u32) -> Vec<Item> {
    let mut all: Vec<Item> = Vec::new();
    for item in items {
        let known = (0..all.len()).find(|&i| same_item(cx, ty, &all[i], &item));
        match known {
            Some(i) => all[i].count = (all[i].count + item.count) % (1 << bits),
            None => all.push(item),
        }
    }
    all.retain(|i| i.count != 0);
    all
}

/// The ways to cut a loop of an item that what stands on the other side may ask for.
fn ways_to_cut(cx: &mut Context, item: &Item, others: &[Item]) -> Vec<Vec<Item>> {
    let mut ways = Vec::new();
    for (at, (_, n)) in item.loops.iter().enumerate() {
        let mut lengths: Vec<Nat> = vec![Nat::int(1)];
        lengths.extend(others.iter().flat_map(|o| o.loops.iter().map(|l| l.1)));
        lengths.dedup();
        for length in lengths {
            let rest = cx.simplify(*n - length);
            let inside = cx.is_not_negative(rest) && cx.is_not_negative(length);
            if rest.as_int() == Some(0) || !inside {
                continue;
            }
            for (first, second) in [(length, rest), (rest, length)] {
                let mut parts = Vec::new();
                for (from, n) in [(Nat::int(0), first), (first, second)] {
                    parts.push(match n.as_int() {
                        Some(1) => item.with(at, from, &[]),
                        _ => {
                            let i = cx.symbol();
                            item.with(at, from + Nat::var(i), &[(i, n)])
                        }
                    });
                }
                ways.push(parts);
            }
        }
        for k in 2..=4 {
            let blocks = n.exact_div(Nat::int(k));
            if !blocks.is_overflow() && cx.is_size(blocks) {
                let q = cx.symbol();
                let part = |r| Nat::int(k) * Nat::var(q) + Nat::int(r);
                let parts = (0..k).map(|r| item.with(at, part(r), &[(q, blocks)]));
                ways.push(parts.collect());
            }
        }
    }
    ways
}

/// Whether a bijection between the loops of both makes their factors equal.
fn same_item(cx: &mut Context, ty: Ty, x: &Item, y: &Item) -> bool {
    if x.factors.len() != y.factors.len() || x.loops.is_empty() != y.loops.is_empty() {
        return false;
    }
    if x.shares_variables(y) {
        return false;
    }
    let known = cx.known();
    x.assumed(cx);
    y.assumed(cx);
    let alike = matched(cx, ty, x, y, &x.loops, &y.loops);
    cx.restore(known);
    alike
}

fn matched(
    cx: &mut Context,
    ty: Ty,
    x: &Item,
    y: &Item,
    xs: &[(Symbol, Nat)],
    ys: &[(Symbol, Nat)],
) -> bool {
    let Some(((i, m), xs)) = xs.split_first() else {
        if !ys.is_empty() {
            return false;
        }
        let known = cx.known();
        guards::identified(cx, x, y);
        let mut alike = guards::agree(cx, x, y);
        if alike {
            for g in &x.guards {
                cx.suppose(*g);
            }
            alike = same_factors(cx, ty, x, y);
        }
        cx.restore(known);
        return alike;
    };
    for (at, (j, n)) in ys.iter().enumerate() {
        let mut ys = ys.to_vec();
        ys.remove(at);
        for (longer, l, shorter, s) in [(*i, *m, *j, *n), (*j, *n, *i, *m)] {
            let blocks = l.exact_div(s);
            if blocks.is_overflow() || blocks * s != l || !cx.is_size(blocks) {
                continue;
            }
            let forth = Nat::var(shorter);
            let turned = s - Nat::int(1) - forth;
            if blocks.as_int() == Some(1) {
                for value in [forth, turned] {
                    let known = cx.known();
                    cx.define(longer, value);
                    let alike = matched(cx, ty, x, y, xs, &ys);
                    cx.restore(known);
                    if alike {
                        return true;
                    }
                }
                break;
            }
            for value in [forth, turned] {
                let q = cx.symbol();
                for whole in [s * Nat::var(q) + value, blocks * value + Nat::var(q)] {
                    let known = cx.known();
                    cx.declare(q, blocks);
                    cx.define(longer, whole);
                    let (mut xs, mut ys) = (xs.to_vec(), ys.clone());
                    match longer == *i {
                        true => xs.push((q, blocks)),
                        false => ys.push((q, blocks)),
                    }
                    let alike = matched(cx, ty, x, y, &xs, &ys);
                    cx.restore(known);
                    if alike {
                        return true;
                    }
                }
            }
        }
    }
    false
}

fn same_factors(cx: &mut Context, ty: Ty, x: &Item, y: &Item) -> bool {
    let mut rest: Vec<&Val> = y.factors.iter().collect();
    x.factors.iter().all(|f| {
        let found = rest.iter().position(|g| equal(cx, ty, f, g));
        found.map(|i| rest.remove(i)).is_some()
    })
}
