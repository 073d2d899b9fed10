//! When two values are equal: by extensionality, congruence, laws of operators, and induction over reductions.
//!
//! In: two values of a type. Out: whether they were shown to be equal. Arrays are equal if their elements at any index
//! are, functions if their results for any argument are. Invariant: yes means equal, whatever the unknowns are; no
//! means not shown. Every comparison leaves what is known as it was.
//!
//! Absent: induction over reductions (`fold`).

use super::context::{Context, Question, Res, Stuck};
use super::value::{Head, Neutral, Step, Val};
use super::{bits, fold, gap, scalars, sums};
use crate::algebra::{self, Form, Properties, Property, LAWS};
use crate::term::{Kind, Lit, Op, Prim, Term};
use crate::ty::{Scalar, Ty, TyKind};
use std::rc::Rc;

/// Whether two values of a type are equal.
pub fn equal(cx: &mut Context, ty: Ty, a: &Val, b: &Val) -> bool {
    shown(cx, &mut |cx| compare(cx, ty, a, b))
}

/// Whether two unknowns are equal.
pub fn same(cx: &mut Context, a: &Neutral, b: &Neutral) -> bool {
    shown(cx, &mut |cx| neutral(cx, a, b))
}

/// Runs a comparison, in cases where it asks for them.
pub fn shown(cx: &mut Context, compare: &mut dyn FnMut(&mut Context) -> Res<bool>) -> bool {
    if cx.too_deep() {
        return cx.limited(|| "the proof takes too many steps".to_string());
    }
    cx.depth += 1;
    let known = cx.known();
    let names = cx.known();
    let result = compare(cx);
    // A question may be about an index that was named while it came up.
    let named = match &result {
        Err(Stuck::Split(Question::NotNegative(n))) => cx.named_in(*n, &known),
        _ => Vec::new(),
    };
    cx.restore(known);
    cx.name(named);
    let result = match result {
        Ok(result) => result,
        Err(Stuck::Unknown(why)) => cx.limited(|| why),
        Err(Stuck::Split(q)) => cx.split(&q, &mut |cx| shown(cx, compare)),
    };
    cx.restore(names);
    cx.depth -= 1;
    result
}

/// As [`shown`] for any of something: it is the same in all cases, and what is known of it is forgotten afterwards.
pub fn for_any<T>(
    cx: &mut Context,
    any: impl FnOnce(&mut Context) -> T,
    compare: impl Fn(&mut Context, &T) -> Res<bool>,
) -> bool {
    let known = cx.known();
    let any = any(cx);
    let result = shown(cx, &mut |cx| compare(cx, &any));
    cx.restore(known);
    result
}

fn compare(cx: &mut Context, ty: Ty, a: &Val, b: &Val) -> Res<bool> {
    cx.work()?;
    match ty.kind() {
        TyKind::Fun(arg, result) => Ok(for_any(
            cx,
            |cx| cx.fresh(arg),
            |cx, x| {
                let (a, b) = (a.apply(cx, x.clone())?, b.apply(cx, x.clone())?);
                Ok(equal(cx, result, &a, &b))
            },
        )),
        TyKind::Array(n, elem) | TyKind::Vec(n, elem) => Ok(for_any(
            cx,
            |cx| cx.fresh_index(n),
            |cx, i| {
                let (a, b) = (a.at(cx, *i)?, b.at(cx, *i)?);
                Ok(equal(cx, elem, &a, &b))
            },
        )),
        TyKind::Pair(s, t) => {
            let (x, y) = (a.fst(cx)?, b.fst(cx)?);
            if !equal(cx, s, &x, &y) {
                return Ok(false);
            }
            let (x, y) = (a.snd(cx)?, b.snd(cx)?);
            Ok(equal(cx, t, &x, &y))
        }
        TyKind::Idx(_) => {
            if let (Val::Neutral(x), Val::Neutral(y)) = (a, b) {
                if same(cx, x, y) {
                    return Ok(true);
                }
            }
            let (i, j) = (cx.index(a)?, cx.index(b)?);
            Ok(cx.same_place(i, j)? || cx.not_shown(|cx| gap::indices(cx, i, j)))
        }
        TyKind::Scalar(_) | TyKind::Meta(_) => match (a, b) {
            (Val::Neutral(a), Val::Neutral(b)) => neutral(cx, a, b),
            _ => cx.stuck("values of different forms"),
        },
    }
}

fn neutral(cx: &mut Context, a: &Neutral, b: &Neutral) -> Res<bool> {
    let alike = cx.within(|cx| unknowns(cx, a, b))?;
    Ok(alike || cx.not_shown(|cx| gap::between(cx, a, b)))
}

fn unknowns(cx: &mut Context, a: &Neutral, b: &Neutral) -> Res<bool> {
    cx.work()?;
    // Where reductions have other lengths, induction is long, and counting what they combine is short.
    if fold::of_other_lengths(cx, a, b) && cx.sparing(REORDERING, |cx| sums::same(cx, a, b))? {
        return Ok(true);
    }
    if congruent(cx, a, b)? {
        return Ok(true);
    }
    if matches!((&a.head, &b.head), (Head::Fresh(x), Head::Fresh(y)) if x == y)
        || matches!((&a.head, &b.head), (Head::Hole(g, _), Head::Hole(h, _)) if g == h)
    {
        for (x, y) in a.spine.iter().zip(&b.spine) {
            if let (Step::At(i), Step::At(j)) = (&x.0, &y.0) {
                cx.same_place(*i, *j)?;
            }
        }
    }
    if fold::in_step(cx, a, b)? {
        return Ok(true);
    }
    // What both have at their ends may be left away.
    let mut common = 0;
    let most = a.projections().min(b.projections());
    while common < most {
        let [x, y] = [a, b].map(|n| n.spine[n.spine.len() - 1 - common].0.clone());
        let alike = match (&x, &y) {
            (Step::At(i), Step::At(j)) => cx.same_nat(*i, *j),
            (Step::Fst, Step::Fst) | (Step::Snd, Step::Snd) => true,
            _ => false,
        };
        if !alike {
            break;
        }
        common += 1;
    }
    for k in (0..=common).rev() {
        let (x, y) = (a.before(k), b.before(k));
        if x.ty() != y.ty() {
            continue;
        }
        if by_laws(cx, &x, &y)?
            || k == 0 && sums::same(cx, &x, &y)?
            || fold::by_induction(cx, &x, &y)?
        {
            return Ok(true);
        }
    }
    by_meaning(cx, a, b)
}

/// One of both for what it means: a reduction for its steps, where they are few, or for its last step and those
/// before; a minimum for the choice that it is.
fn by_meaning(cx: &mut Context, a: &Neutral, b: &Neutral) -> Res<bool> {
    let ty = a.ty();
    if b.ty() != ty {
        return Ok(false);
    }
    for (x, y) in [(a, b), (b, a)] {
        let meant = scalars::computed(x).or_else(|| scalars::signed(x));
        let meant = match meant.or_else(|| scalars::scaled(cx, x)) {
            Some(v) => Some(v),
            None => fold::cut(cx, x)?,
        };
        if let Some(v) = meant {
            return Ok(equal(cx, ty, &v, &Val::Neutral(y.clone())));
        }
    }
    if bits::same(cx, a, b)? {
        return Ok(true);
    }
    let both_folds = [a, b].iter().all(|n| matches!(n.head, Head::Fold(_)));
    for (x, y) in [(a, b), (b, a)] {
        let meant = match fold::unfolded(cx, x)? {
            Some(v) => Some(v),
            None if both_folds && x.spine.is_empty() => None,
            None => fold::peeled(cx, x)?,
        };
        let meant = match meant {
            Some(v) => Some(v),
            None => scalars::chosen(cx, x)?,
        };
        if let Some(v) = meant {
            return Ok(equal(cx, ty, &v, &Val::Neutral(y.clone())));
        }
    }
    if ty == Ty::from(Scalar::Bool) && [a, b].into_iter().any(scalars::is_condition) {
        let (x, y) = (Val::Neutral(a.clone()), Val::Neutral(b.clone()));
        return Ok(cx.holds(&x)? == cx.holds(&y)?);
    }
    if scalars::between(cx, a, b)? {
        return Ok(true);
    }
    for (x, y) in [(a, b), (b, a)] {
        let meant = match scalars::chosen_inside(cx, x)? {
            Some(v) => Some(Val::Neutral(v)),
            None => match bits::rest(cx, x)? {
                Some(v) => Some(v),
                None => fold::flattened(cx, x)?,
            },
        };
        if let Some(v) = meant {
            return Ok(equal(cx, ty, &v, &Val::Neutral(y.clone())));
        }
    }
    Ok(false)
}

/// Whether two unknowns have the same head, and the same was done to them.
pub fn same_form(cx: &mut Context, a: &Neutral, b: &Neutral) -> bool {
    a.spine.len() == b.spine.len()
        && a.head_ty == b.head_ty
        && shown(cx, &mut |cx| congruent(cx, a, b))
}

/// The same head, and the same done to it.
fn congruent(cx: &mut Context, a: &Neutral, b: &Neutral) -> Res<bool> {
    if a.spine.len() != b.spine.len() {
        return Ok(false);
    }
    let heads = match (&a.head, &b.head) {
        (Head::Fresh(x), Head::Fresh(y)) => x == y,
        (Head::Hole(g, xs), Head::Hole(h, ys)) => {
            g == h
                && xs.len() == ys.len()
                && (xs.iter().zip(ys.iter())).all(|(x, y)| x.1 == y.1 && equal(cx, x.1, &x.0, &y.0))
        }
        (Head::Lit(Lit::Size(m)), Head::Lit(Lit::Size(n))) => {
            a.head_ty == b.head_ty && cx.same_nat(*m, *n)
        }
        (Head::Lit(l), Head::Lit(m)) => l == m && a.head_ty == b.head_ty,
        (Head::Zero, Head::Zero) => a.head_ty == b.head_ty,
        (Head::Zero, Head::Lit(l)) | (Head::Lit(l), Head::Zero) => {
            let zero = [Lit::Int(0), Lit::Bool(false), Lit::f32(0.0), Lit::f64(0.0)];
            a.head_ty == b.head_ty && zero.contains(l)
        }
        (Head::Prim(p), Head::Prim(q)) => p == q && a.head_ty == b.head_ty,
        (Head::Fold(f), Head::Fold(g)) => fold::congruent(cx, f, g)?,
        _ => false,
    };
    if !heads {
        return Ok(false);
    }
    for ((x, _), (y, _)) in a.spine.iter().zip(&b.spine) {
        let alike = match (x, y) {
            (Step::Apply(x, s), Step::Apply(y, t)) => s == t && equal(cx, *s, x, y),
            (Step::At(i), Step::At(j)) => cx.same_nat(*i, *j),
            (Step::Fst, Step::Fst) | (Step::Snd, Step::Snd) => true,
            _ => false,
        };
        if !alike {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The operators on a type, of those in the rule, that associate and commute.
pub fn commuting(cx: &Context, ty: Ty) -> Vec<Head> {
    let mut all: Vec<Head> = Vec::new();
    let mut found = |head: Head| {
        let known = laws(cx, &head, ty).is_some_and(|l| l.contain(REORDERS));
        if known && !all.iter().any(|h| same_operator(h, &head)) {
            all.push(head);
        }
    };
    for claim in cx.rule.claims() {
        for op in claim.closed() {
            match op.kind() {
                Kind::Hole(h) if cx.ty(op.ty()) == ty => found(Head::Hole(*h, Rc::default())),
                _ => {}
            }
        }
    }
    for side in [&cx.rule.lhs, &cx.rule.rhs] {
        side.visit(&mut |t, _| {
            if let Kind::Prim(p) = t.kind() {
                let lane = Ty::funs([Ty::from(Scalar::Bool); 2], Ty::from(Scalar::Bool));
                let of_type = cx.ty(t.ty()) == ty || elements(cx.ty(t.ty())) == Some(ty);
                let logical = matches!(p.op(), Op::And | Op::Or) && ty == lane;
                if p.op().scheme(&[]).is_some() && (of_type || logical) {
                    found(Head::Prim(*p));
                }
            }
        });
    }
    all
}

/// Whether combining with the same once more is known to change nothing.
pub fn is_idempotent(cx: &Context, of: &Neutral) -> bool {
    laws(cx, &of.head, of.head_ty).is_some_and(|l| l.has(Property::Idempotent))
}

/// Whether combining with the same again changes nothing, of any operator of the rule.
pub fn repeats_somewhere(cx: &Context) -> bool {
    let again = |c: &algebra::Claim<Term>| c.property_of(|_| true) == Some(Property::Idempotent);
    let mut found = cx.rule.claims().any(again);
    cx.rule.lhs.visit(&mut |t, _| {
        if let Kind::Prim(p) = t.kind() {
            let head = Neutral::new(Head::Prim(*p), cx.ty(t.ty()));
            found = found || is_idempotent(cx, &head);
        }
    });
    found
}

/// The operator on lanes of one on vectors.
fn elements(ty: Ty) -> Option<Ty> {
    let (_, lane) = ty.as_fun()?.0.as_vec()?;
    Some(Ty::funs([lane, lane], lane))
}

/// Steps for trying first whether two reductions combine the same values.
const REORDERING: u32 = 10_000;

/// What lets operands stand in any order.
const REORDERS: Properties = Properties::of(&[Property::Associative, Property::Commutative]);

/// Two applications of operators, by their laws.
fn by_laws(cx: &mut Context, a: &Neutral, b: &Neutral) -> Res<bool> {
    for (x, y) in [(a, b), (b, a)] {
        if x.operands().is_none() {
            continue;
        }
        let Some(laws) = laws(cx, &x.head, x.head_ty) else {
            continue;
        };
        if let Some(inner) = absorbing(cx, x, &laws) {
            if same(cx, &inner, y) {
                return Ok(true);
            }
        }
        let whole = Val::Neutral(y.clone());
        let (mut left, mut right) = (Vec::new(), Vec::new());
        flatten(cx, x, &Val::Neutral(x.clone()), &laws, true, &mut left)?;
        flatten(cx, x, &whole, &laws, true, &mut right)?;
        let ty = x.ty();
        if left.len() != right.len() {
            if laws.has(Property::Associative) && but_for_one(cx, x, left, right)? {
                return Ok(true);
            }
            continue;
        }
        let alike = match laws.has(Property::Commutative) {
            false => (left.iter().zip(&right)).all(|(x, y)| equal(cx, ty, x, y)),
            true => left.iter().all(|x| {
                let found = right.iter().position(|y| equal(cx, ty, x, y));
                found.map(|i| right.remove(i)).is_some()
            }),
        };
        // One operand that is the whole is no progress, but then it was compared already.
        if alike && !left.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether operands are equal but for one of the shorter list, which is what the rest of the longer one gives.
fn but_for_one(cx: &mut Context, of: &Neutral, left: Vec<Val>, right: Vec<Val>) -> Res<bool> {
    let (mut one, mut many) = match left.len() < right.len() {
        true => (left, right),
        false => (right, left),
    };
    let ty = of.ty();
    let before = one.len();
    while one.len() > 1 && equal(cx, ty, &one[0], &many[0]) {
        one.remove(0);
        many.remove(0);
    }
    while let (true, Some(x), Some(y)) = (one.len() > 1, one.last(), many.last()) {
        if !equal(cx, ty, x, y) {
            break;
        }
        one.pop();
        many.pop();
    }
    // A single one was compared with the whole already.
    let ([single], true) = (&one[..], one.len() < before) else {
        return Ok(false);
    };
    let mut rest = many.into_iter();
    let Some(mut whole) = rest.next() else {
        return Ok(false);
    };
    let op = Val::neutral(of.head.clone(), of.head_ty);
    for x in rest {
        whole = op.apply(cx, whole)?.apply(cx, x)?;
    }
    Ok(equal(cx, ty, single, &whole))
}

/// `op p q` where the whole is `op (op p q) q`, and the operator idempotent.
fn absorbing(cx: &mut Context, whole: &Neutral, laws: &Properties) -> Option<Neutral> {
    let [x, y] = whole
        .operands()
        .filter(|_| laws.has(Property::Idempotent))?;
    let Val::Neutral(inner) = x else { return None };
    let again = inner.head_ty == whole.head_ty && same_operator(&inner.head, &whole.head);
    let [_, z] = inner.operands().filter(|_| again)?;
    equal(cx, whole.ty(), y, z).then(|| inner.clone())
}

/// The operands of nested applications, without identities.
fn flatten(
    cx: &mut Context,
    of: &Neutral,
    v: &Val,
    laws: &Properties,
    root: bool,
    out: &mut Vec<Val>,
) -> Res<()> {
    cx.work()?;
    if let Val::Neutral(n) = v {
        let operator = n.head_ty == of.head_ty && same_operator(&n.head, &of.head);
        if let (true, Some([x, y])) = (
            operator && (root || laws.has(Property::Associative)),
            n.operands(),
        ) {
            flatten(cx, of, x, laws, false, out)?;
            return flatten(cx, of, y, laws, false, out);
        }
    }
    if !is_identity(cx, of, v)? {
        out.push(v.clone());
    }
    Ok(())
}

pub fn same_operator(a: &Head, b: &Head) -> bool {
    match (a, b) {
        (Head::Prim(p), Head::Prim(q)) => p == q,
        (Head::Hole(g, xs), Head::Hole(h, ys)) => g == h && xs.is_empty() && ys.is_empty(),
        _ => false,
    }
}

/// What the conditions of the rule and the table of operators say.
fn laws(cx: &Context, head: &Head, ty: Ty) -> Option<Properties> {
    let (arg, rest) = ty.as_fun()?;
    (rest == Ty::fun(arg, arg)).then_some(())?;
    match head {
        Head::Prim(p) => {
            let op = algebra::recognise(&Term::prim(*p, ty))?;
            let floats = algebra::Floats::reassociated(may_reassociate(cx));
            let all = LAWS.iter().filter_map(|l| match l.form {
                Form::Property(p) => Some(p),
                _ => None,
            });
            Some(all.filter(|p| op.has(*p, floats)).collect())
        }
        Head::Hole(h, captured) if captured.is_empty() => {
            let is = |t: &Term| matches!(t.kind(), Kind::Hole(o) if o == h);
            Some(algebra::properties_of(cx.rule.claims(), is))
        }
        _ => None,
    }
}

pub fn is_identity(cx: &mut Context, of: &Neutral, v: &Val) -> Res<bool> {
    let Val::Neutral(n) = v else { return Ok(false) };
    match &of.head {
        Head::Prim(p) => {
            let (Head::Lit(l), []) = (&n.head, &n.spine[..]) else {
                return Ok(false);
            };
            Ok(literal_identity(cx, *p, of.head_ty, *l, n.head_ty))
        }
        Head::Hole(h, _) => {
            for claim in cx.rule.clone().claims() {
                let (Form::Identity, [e, op]) = (claim.law.form, &claim.operands[..]) else {
                    continue;
                };
                if !matches!(op.kind(), Kind::Hole(o) if o == h) {
                    continue;
                }
                let e = super::eval::eval(cx, e, &Vec::new())?;
                if matches!(&e, Val::Neutral(e) if congruent(cx, e, n)?) {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => Ok(false),
    }
}

fn literal_identity(cx: &Context, p: Prim, ty: Ty, l: Lit, lit_ty: Ty) -> bool {
    let e = Term::lit(l, lit_ty);
    let floats = algebra::Floats::reassociated(may_reassociate(cx));
    algebra::recognise(&Term::prim(p, ty)).is_some_and(|op| op.has_identity(&e, floats))
}

/// Whether a condition holds only in steps that may regroup floats.
fn may_reassociate(cx: &Context) -> bool {
    let of_floats = |t: &Term| t.ty().as_fun().is_some_and(|(acc, _)| has_float(acc));
    let mut claims = cx.rule.claims();
    claims.any(|c| c.law.regroups && c.operands.first().is_some_and(of_floats))
}

fn has_float(t: Ty) -> bool {
    match t.kind() {
        TyKind::Scalar(s) => s.is_float(),
        TyKind::Pair(a, b) => has_float(a) || has_float(b),
        TyKind::Vec(_, t) | TyKind::Array(_, t) => has_float(t),
        TyKind::Idx(_) | TyKind::Fun(..) | TyKind::Meta(_) => false,
    }
}
