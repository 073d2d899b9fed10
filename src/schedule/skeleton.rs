//! The loops of a term, without what they compute.
//!
//! In: the body of a program in normal form. Out: [`Loops`]: which loops a kernel of the term would have as it stands, which
//! reductions with which laws stand in them, which arrays are named. Invariant: a loop is listed where the term has it, in the
//! order of the term, so that a sketch printed from the loops finds it again. Absent: what is done with them.

use super::reuse::reused;
use crate::algebra::{determined, recognise, Claim, Floats, Property};
use crate::arith::Nat;
use crate::rule;
use crate::target::Target;
use crate::term::{Data, Kind, Loop, Op, Prim, Sort, Term, View};
use crate::ty::{Scalar, Ty, TyKind};

/// The loops of a term.
#[derive(Clone, PartialEq, Debug)]
pub enum Loops {
    /// There are none.
    Nothing,
    /// None that are written, but so many elements that such an operation is a part of.
    Elements(Nat, Op),
    Map(Map),
    Reduce(Reduce),
    /// A value is named.
    Let {
        value: Box<Loops>,
        /// Whether it is an array, computed wherever it is read unless it is kept in memory.
        array: bool,
        /// Whether the program names it; else it is what windows are taken of.
        named: bool,
        body: Box<Loops>,
    },
    /// Of the arguments of an application, each in its place; two or more have some.
    Parts(Vec<Loops>),
    /// Of a step of many, each of which takes the result of the one before: threads would be started for each.
    Step(Box<Loops>),
}

/// A loop over elements of an array that is written.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    pub n: Nat,
    /// Whether it is left to the compiler, unless a register tile has it for its columns.
    pub few: bool,
    /// What one iteration makes.
    pub elem: Ty,
    /// Whether its function works on vectors.
    pub lane_wise: bool,
    /// Whether an iteration, of a number or for an index, has steps that wait for each other.
    pub waits: bool,
    /// Whether one iteration is a reduction and nothing else.
    pub reduces: bool,
    /// Whether the operator of that depends on what the iteration is for.
    pub own_operator: bool,
    /// Whether what it goes over is a transposed array.
    pub across: bool,
    /// Whether it has no array to go over: its function is given numbers of iterations.
    pub generates: bool,
    /// Whether what a reduction below it reads along the innermost loop is the same in all iterations.
    pub reused: bool,
    /// Whether the loop in it goes over the same array in all iterations, so that both can change places as they are.
    pub fixed: bool,
    /// Whether one iteration reduces those elements that are equal to something.
    pub counts: bool,
    /// Of the arrays that it goes over, whose elements are computed where it reads them.
    pub from: Box<Loops>,
    pub body: Box<Loops>,
}

/// A reduction to one value.
#[derive(Clone, PartialEq, Debug)]
pub struct Reduce {
    pub n: Nat,
    /// Of the accumulator.
    pub elem: Ty,
    /// The widest number that is computed, where that is wider than all of the accumulator.
    pub wider: Option<Scalar>,
    pub law: Regroup,
    /// Whether its operator works on vectors.
    pub lane_wise: bool,
    /// Whether it goes on from the first element of the array that it reduces.
    pub from_first: bool,
    /// The identity of its operator, where it starts from something else.
    pub apart: Option<Term>,
    /// Whether its operator has exponentials in it, which two passes may need fewer of.
    pub weighs: bool,
    /// The operation that combines, and the last one of what makes an element, where they are primitives.
    pub ops: [Option<Op>; 2],
    /// Whether its elements are products of numbers that are converted first.
    pub converts: bool,
    /// In what is reduced.
    pub inner: Box<Loops>,
}

/// How a reduction may be regrouped.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Regroup {
    /// Not at all.
    No,
    /// Into partial results that start from the identity.
    Identity,
    /// Into partial results that start from an element, as there is one.
    Peeled,
    /// The same of full blocks; what is left goes on one by one.
    Blocks,
    /// The same, and all in order.
    InOrder,
}

/// Loops up to this length are left to the compiler.
pub const SMALL: i64 = 15;
/// So many operations of an element take longer than to read it from memory.
const MANY: usize = 8;
/// Tiles of fewer columns would mostly be padded.
pub const FEW_COLUMNS: i64 = 8;
/// Reductions known to be shorter are not worth a loop of their own, or vectors.
pub const SHORT: i64 = 16;
/// Sums known to be shorter are no work for a register tile.
pub const SHALLOW: i64 = 8;

/// What a term's loops are read with.
#[derive(Copy, Clone)]
pub struct Reader {
    pub target: Target,
    pub floats: Floats,
}

impl Loops {
    /// Without loops that are left to the compiler.
    pub fn long(&self) -> &Loops {
        match self {
            Loops::Map(m) if m.few => m.body.long(),
            loops => loops,
        }
    }
}

impl Reader {
    /// Of the body of a program: its term without the parameters.
    pub fn program(&self, term: &Term) -> Loops {
        match term.kind() {
            Kind::Lam(_, body) => self.program(body),
            _ => self.written(term),
        }
    }

    /// Of what is written where it stands.
    fn written(&self, t: &Term) -> Loops {
        let Some((p, args)) = t.as_prim_app() else {
            return Loops::Nothing;
        };
        match (p.op().sort(), &args[..]) {
            (Sort::Loop(Loop::Map | Loop::MapSeq | Loop::MapPar), [f, xs]) => {
                self.stages(t.ty(), f, xs)
            }
            (Sort::Loop(Loop::Generate), [f]) if !is_variable(f) => self.generated(t.ty(), f),
            (Sort::Loop(Loop::Iterate), [f, _]) => self.function(f),
            (Sort::Data(Data::Let), [value, f]) => self.named(value, f),
            // What indices choose from is read.
            (Sort::View(View::Gather), _) => self.value(t),
            (
                Sort::View(_)
                | Sort::Data(Data::ToMem | Data::Pair | Data::Fst | Data::Snd | Data::MakeArray),
                _,
            ) => self.parts(&args, &|a| self.written(a)),
            _ => self.value(t),
        }
    }

    fn function(&self, f: &Term) -> Loops {
        match (f.kind(), f.ty().as_fun()) {
            (Kind::Lam(_, body), _) => self.written(body),
            // `map f` and `reduce op e`, whose argument is not written out.
            (_, Some((given, result))) if !result.is_fun() && f.as_prim_app().is_some() => {
                let written_out = Term::app(f.shift(1), Term::var(0, given));
                self.written(&written_out)
            }
            _ => Loops::Nothing,
        }
    }

    /// A loop, and before it the one that computes what it takes windows of.
    fn stages(&self, result: Ty, f: &Term, xs: &Term) -> Loops {
        let stage = stage(xs);
        let body = match self.map(result, f) {
            Loops::Map(m) if m.few => Loops::Map(m),
            Loops::Map(m) => Loops::Map(Map {
                across: is_across(xs),
                from: match stage {
                    Some(_) => m.from,
                    None => self.read(xs).into(),
                },
                ..m
            }),
            other => other,
        };
        match stage {
            Some(stage) => Loops::Let {
                value: self.written(stage).into(),
                array: true,
                named: false,
                body: body.into(),
            },
            None => body,
        }
    }

    fn generated(&self, result: Ty, f: &Term) -> Loops {
        match self.map(result, f) {
            Loops::Map(m) => Loops::Map(Map {
                lane_wise: false,
                generates: true,
                ..m
            }),
            other => other,
        }
    }

    fn map(&self, result: Ty, f: &Term) -> Loops {
        let Some((n, elem)) = result.as_array() else {
            return Loops::Nothing;
        };
        let body = self.function(f);
        let lanes = leaf(elem).map_or(1, |s| self.target.lanes(s));
        let fits = |ty: Ty| ty.is_flat() && leaf(elem).is_some_and(|s| as_wide(ty, s));
        let has_lanes = lanes > 1 && fits(elem);
        let given = f.ty().as_fun().map(|(given, _)| given);
        let of_numbers = given.is_some_and(fits);
        let of_indices = given.is_some_and(|ty| matches!(ty.kind(), TyKind::Idx(_)));
        let reduction = match f.kind() {
            Kind::Lam(_, b) => reduction(b),
            _ => None,
        };
        let few = n.as_int().is_some_and(|n| n <= SMALL);
        // Of a few reductions a register tile can be made, and nothing else.
        let columns = n.as_int().is_none_or(|n| n >= FEW_COLUMNS);
        if few && !(columns && reduction.is_some() && matches!(body, Loops::Reduce(_))) {
            return body;
        }
        Loops::Map(Map {
            n,
            few,
            elem,
            lane_wise: has_lanes && of_numbers && on_vectors(f, lanes),
            waits: has_lanes && (of_numbers && has_steps(f) || of_indices && has_reduction(f)),
            reduces: reduction.is_some(),
            own_operator: reduction.is_some_and(|op| op.mentions(0)),
            across: false,
            generates: false,
            reused: reused(f),
            fixed: is_fixed(f),
            counts: counted(f).is_some(),
            from: Loops::Nothing.into(),
            body: body.into(),
        })
    }

    fn named(&self, value: &Term, f: &Term) -> Loops {
        let body = self.function(f);
        // What threads compute already stays as it is.
        if has(value, &[Op::MapPar]) {
            return body;
        }
        let array = value.ty().as_array().is_some();
        let dear = (value.ty().as_array()).and_then(|(n, _)| Some((n, dear(value)?)));
        let value = match array && !computes(value) {
            true => Loops::Nothing,
            false => self.written(value),
        };
        let value = match (value, dear) {
            (Loops::Nothing, Some((n, op))) => Loops::Elements(n, op),
            (loops, _) => loops,
        };
        match value {
            Loops::Nothing => body,
            _ => Loops::Let {
                value: value.into(),
                array,
                named: true,
                body: body.into(),
            },
        }
    }

    /// Of what is computed where it is read.
    fn value(&self, t: &Term) -> Loops {
        let Some((p, args)) = t.as_prim_app() else {
            return Loops::Nothing;
        };
        match (p.op().sort(), &args[..]) {
            // What is reduced in order into an array has the loops of a step.
            (Sort::Loop(Loop::ReduceSeq), [op, _, _]) if t.ty().as_array().is_some() => {
                let step = match op.kind() {
                    Kind::Lam(_, step) => self.function(step),
                    _ => Loops::Nothing,
                };
                match step {
                    Loops::Nothing => step,
                    _ => Loops::Step(step.into()),
                }
            }
            (Sort::Loop(Loop::Reduce | Loop::ReduceSeq), [op, e, xs]) => {
                let Some((n, _)) = xs.ty().as_array() else {
                    return Loops::Nothing;
                };
                let inner = self.read(xs);
                let from_first = is_first(e, xs);
                let law = self.law(p.op(), op, e, n);
                let apart = match (p.op(), law) {
                    (Op::Reduce, Regroup::Peeled | Regroup::Blocks) if !from_first => {
                        self.apart(op)
                    }
                    _ => None,
                };
                Loops::Reduce(Reduce {
                    n,
                    elem: t.ty(),
                    law: apart.as_ref().map_or(law, |_| Regroup::Identity),
                    apart,
                    lane_wise: leaf(t.ty()).is_some_and(|s| {
                        let lanes = self.target.lanes(s);
                        same_leaves(t.ty(), s) && lanes > 1 && on_vectors(op, lanes)
                    }),
                    from_first,
                    wider: widest(&[op, xs]).filter(|w| {
                        let narrow = |l: Scalar| l.bytes() < w.bytes();
                        every_leaf(t.ty(), &narrow)
                    }),
                    weighs: has_exponential(op),
                    ops: [operation(op), element(xs)],
                    converts: converts(xs),
                    inner: inner.into(),
                })
            }
            (Sort::Data(Data::Let), [value, f]) => self.named(value, f),
            _ => self.parts(&args, &|a| self.value(a)),
        }
    }

    /// Of an array that is computed where it is read: its maps are no loops, reductions in them are.
    fn read(&self, t: &Term) -> Loops {
        let Some((p, args)) = t.as_prim_app() else {
            return Loops::Nothing;
        };
        match (p.op().sort(), &args[..]) {
            (Sort::Loop(Loop::Map), [f, xs]) => {
                let body = match f.kind() {
                    Kind::Lam(_, b) => self.value(b),
                    _ => Loops::Nothing,
                };
                match (body, self.read(xs)) {
                    (Loops::Nothing, inner) => inner,
                    (body, Loops::Nothing) => body,
                    (body, inner) => Loops::Parts(vec![body, inner]),
                }
            }
            (Sort::View(_), _) => self.parts(&args, &|a| self.read(a)),
            _ => self.value(t),
        }
    }

    /// Of arguments, where those that have no loops are left out unless two others do.
    fn parts(&self, args: &[&Term], of: &dyn Fn(&Term) -> Loops) -> Loops {
        let all: Vec<Loops> = args.iter().map(|a| of(a)).collect();
        let mut some = all.iter().filter(|l| **l != Loops::Nothing);
        match some.clone().count() {
            0 => Loops::Nothing,
            1 => some.next().cloned().unwrap_or(Loops::Nothing),
            _ => Loops::Parts(all),
        }
    }

    /// The identity of an operator on numbers, where that is known.
    fn apart(&self, op: &Term) -> Option<Term> {
        let permitted = self.floats == Floats::Reassociate;
        determined(op, permitted).filter(|e| e.ty().as_scalar().is_some())
    }

    fn law(&self, reduction: Op, op: &Term, e: &Term, n: Nat) -> Regroup {
        if reduction != Op::Reduce {
            return Regroup::No;
        }
        let known = recognise(op).filter(|_| op.ty().uncurried().1.as_scalar().is_some());
        let has = |p| known.as_ref().is_some_and(|k| k.has(p, self.floats));
        if has(Property::Associative) && has(Property::Commutative) {
            if known
                .as_ref()
                .is_some_and(|k| k.has_identity(e, self.floats))
            {
                return Regroup::Identity;
            }
            let some = n.eval(&mut |_| Some(0)).is_some_and(|least| least > 0);
            if some && has(Property::Idempotent) {
                return Regroup::Peeled;
            }
        }
        let proved = |name| {
            let claim = Claim::named(name, vec![op.clone()]);
            claim.is_some_and(|c| c.holds(self.floats == Floats::Reassociate))
        };
        let flat = op.ty().uncurried().1.is_flat() && op.open() == 0;
        match flat && proved("associative") {
            true if proved("commutative") => Regroup::Blocks,
            true => Regroup::InOrder,
            false => Regroup::No,
        }
    }
}

/// Whether a function works on so many lanes at once.
pub fn on_vectors(f: &Term, lanes: u32) -> bool {
    rule::obstacle(f, Nat::int(lanes.into())).is_none()
}

/// What windows are taken of, where that is made by reductions: each window would make them again.
fn stage(xs: &Term) -> Option<&Term> {
    let (p, args) = xs.as_prim_app()?;
    let [xs] = args[..] else { return None };
    let (map, of) = xs.as_prim_app()?;
    let stage = p.op() == Op::Slide && map.op() == Op::Map && has_reduction(of.first()?);
    stage.then_some(xs)
}

/// Whether rows of an array are columns of another one.
pub fn is_across(xs: &Term) -> bool {
    through_views(xs, &|t| argument(t, Op::Transpose, 0).map(|_| true))
}

/// Whether elements of an array are windows of numbers, so that those of windows side by side lie side by side, too.
pub fn are_windows(xs: &Term) -> bool {
    through_views(xs, &|t| {
        argument(t, Op::Slide, 0)?;
        let windows = t.ty().as_array().and_then(|(_, w)| w.as_array());
        Some(windows.is_some_and(|(_, elem)| elem.is_flat()))
    })
}

/// What is said of an array, or else of what it is a view of.
fn through_views(xs: &Term, said: &dyn Fn(&Term) -> Option<bool>) -> bool {
    said(xs).unwrap_or_else(|| match xs.as_prim_app() {
        Some((p, args)) if matches!(p.op().sort(), Sort::View(_) | Sort::Data(_)) => {
            args.iter().any(|a| through_views(a, said))
        }
        _ => false,
    })
}

pub fn has_reduction(t: &Term) -> bool {
    has(t, &[Op::Reduce, Op::ReduceSeq])
}

/// Whether there are steps each of which takes what the last one made.
fn has_steps(t: &Term) -> bool {
    has(t, &[Op::ReduceSeq, Op::Iterate])
}

/// Whether one of these stands somewhere.
pub fn has(t: &Term, ops: &[Op]) -> bool {
    any(t, |op| ops.contains(&op))
}

/// Whether an operation that is so stands somewhere.
pub fn any(t: &Term, is: impl Fn(Op) -> bool) -> bool {
    let mut found = false;
    t.visit(&mut |t, _| {
        if let Kind::Prim(p) = t.kind() {
            found |= is(p.op());
        }
    });
    found
}

/// An argument of a primitive, if it is applied to one.
pub fn argument(t: &Term, op: Op, i: usize) -> Option<&Term> {
    let (p, args) = t.as_prim_app()?;
    args.get(i).copied().filter(|_| p.op() == op)
}

/// Calls for all that is computed outside of loops, behind names and views.
pub fn outside_of_loops(t: &Term, found: &mut impl FnMut(&Term)) {
    if let Kind::Lam(_, body) = t.kind() {
        return outside_of_loops(body, found);
    }
    let Some((p, args)) = t.as_prim_app() else {
        return;
    };
    match p.op().sort() {
        Sort::View(_) | Sort::Data(Data::Let | Data::Pair | Data::Fst | Data::Snd) => {
            args.iter().for_each(|a| outside_of_loops(a, found));
        }
        _ if p.op() == Op::ToMem => args.iter().for_each(|a| outside_of_loops(a, found)),
        _ if p.op() == Op::Map => args.iter().skip(1).for_each(|a| outside_of_loops(a, found)),
        _ => found(t),
    }
}

/// Whether a function gives what it is given.
fn is_variable(f: &Term) -> bool {
    matches!(f.kind(), Kind::Lam(_, body) if matches!(body.kind(), Kind::Var(_)))
}

/// Whether the start is the first element of an array, of which all others are reduced.
fn is_first(e: &Term, xs: &Term) -> bool {
    match (e.as_prim_app(), xs.as_prim_app()) {
        (Some((at, first)), Some((drop, rest))) => {
            let one = |p: Prim, n| matches!(p.sizes()[..], [size] if size.as_int() == Some(n));
            (at.op(), drop.op()) == (Op::At, Op::Drop)
                && one(at, 0)
                && one(drop, 1)
                && first == rest
        }
        _ => false,
    }
}

/// The widest number that primitives make or compare.
fn widest(terms: &[&Term]) -> Option<Scalar> {
    let mut widest: Option<Scalar> = None;
    for t in terms {
        t.visit(&mut |t, _| {
            let Some((p, args)) = t.as_prim_app() else {
                return;
            };
            let compares = matches!(p.op().sort(), Sort::Comparison(_));
            if compares || p.op().is_lane_wise() || p.op() == Op::Cast {
                let numbers = args.iter().map(|a| a.ty()).chain([t.ty()]);
                for s in numbers.filter_map(|ty| ty.as_scalar()) {
                    if widest.is_none_or(|w| s.bytes() > w.bytes()) {
                        widest = Some(s);
                    }
                }
            }
        });
    }
    widest
}

fn has_exponential(op: &Term) -> bool {
    has(op, &[Op::Exp])
}

/// Whether a function is a loop over an array that its variable is not a part of.
fn is_fixed(f: &Term) -> bool {
    let Kind::Lam(_, body) = f.kind() else {
        return false;
    };
    argument(body, Op::Map, 1).is_some_and(|xs| !xs.mentions(0))
}

/// How many numbers a function reduces that are chosen by what elements are equal to, if it does that.
pub fn counted(f: &Term) -> Option<Nat> {
    let made = |f: &Term| match f.kind() {
        Kind::Lam(_, body) => Some(within(body)),
        _ => None,
    };
    let reduced = made(f)?;
    let all = argument(&reduced, Op::Reduce, 2)?;
    let choice = made(argument(all, Op::Map, 0)?)?;
    let of = argument(&choice, Op::Select, 0)?;
    // What is compared may be elements that are truth values.
    let elements = argument(argument(all, Op::Map, 1)?, Op::Map, 0).and_then(made);
    let of = elements
        .as_ref()
        .filter(|_| matches!(of.kind(), Kind::Var(0)))
        .unwrap_or(of);
    argument(of, Op::Eq, 0)?;
    Some(all.ty().as_array()?.0)
}

/// What stands behind names.
fn within(t: &Term) -> Term {
    if let Some((p, args)) = t.as_prim_app() {
        if let (Op::Let, [_, f]) = (p.op(), &args[..]) {
            if let Kind::Lam(_, body) = f.kind() {
                return within(body);
            }
        }
    }
    t.clone()
}

/// Whether it is more than a view of other data.
pub fn computes(t: &Term) -> bool {
    let mut found = false;
    t.visit(&mut |t, _| {
        if let Kind::Prim(p) = t.kind() {
            found |= match p.op().sort() {
                Sort::Arithmetic(_) | Sort::Bits(_) | Sort::Function(_) | Sort::Comparison(_) => {
                    true
                }
                Sort::Loop(l) => {
                    !matches!(l, Loop::Map | Loop::MapSeq | Loop::MapPar | Loop::Generate)
                }
                _ => false,
            };
        }
    });
    found
}

/// What makes elements take so long that even a small array is kept: a reduction, a function, or one of many operations.
fn dear(t: &Term) -> Option<Op> {
    let (mut dear, mut operations) = (None, Vec::new());
    t.visit(&mut |t, _| {
        if let Kind::Prim(p) = t.kind() {
            let op = p.op();
            let reduces = matches!(op.sort(), Sort::Loop(Loop::Reduce | Loop::ReduceSeq));
            if dear.is_none() && (reduces || op.function().is_some()) {
                dear = Some(op);
            }
            operations.extend(op.is_lane_wise().then_some(op));
        }
    });
    let many = operations.len() >= MANY;
    dear.or(operations.pop().filter(|_| many))
}

/// The operation that a function is, or that its body ends with, behind names.
fn operation(f: &Term) -> Option<Op> {
    match f.kind() {
        Kind::Lam(_, body) => operation(body),
        _ => {
            let (p, args) = f.as_prim_app()?;
            match (p.op(), &args[..]) {
                (Op::Let, [_, f]) => operation(f),
                (op, _) => (op.is_lane_wise() || op == Op::Select).then_some(op),
            }
        }
    }
}

/// The operation that makes the elements of an array that is read.
fn element(xs: &Term) -> Option<Op> {
    maker(xs).and_then(operation)
}

/// The function that makes the elements of an array that is read.
fn maker(xs: &Term) -> Option<&Term> {
    let (p, args) = xs.as_prim_app()?;
    match (p.op().sort(), &args[..]) {
        (Sort::Loop(Loop::Map), &[f, _]) => Some(f),
        (Sort::View(_), &[xs]) => maker(xs),
        _ => None,
    }
}

/// Whether the elements of an array that is read are products of both parts of a pair, some of which is converted.
fn converts(xs: &Term) -> bool {
    let Some(Kind::Lam(_, body)) = maker(xs).map(|f| f.kind()) else {
        return false;
    };
    let factors = match body.as_prim_app() {
        Some((p, args)) if p.op() == Op::Mul && args.len() == 2 => args,
        _ => return false,
    };
    let parts = [Op::Fst, Op::Snd].iter().zip(&factors);
    let parts: Option<Vec<bool>> = parts.map(|(part, x)| is_part(x, *part)).collect();
    parts.is_some_and(|all| all.contains(&true))
}

/// Whether it is a part of the innermost variable, and whether that is converted.
fn is_part(x: &Term, part: Op) -> Option<bool> {
    let (p, args) = x.as_prim_app()?;
    match (p.op(), &args[..]) {
        (Op::Cast, [inner]) => (!is_part(inner, part)?).then_some(true),
        (op, [v]) if op == part => matches!(v.kind(), Kind::Var(0)).then_some(false),
        _ => None,
    }
}

/// The operator of a reduction.
fn reduction(t: &Term) -> Option<&Term> {
    let (p, args) = t.as_prim_app()?;
    let whole = matches!(p.op(), Op::Reduce | Op::ReduceSeq) && args.len() == 3;
    args.first().copied().filter(|_| whole)
}

/// The scalar type of what is in vectors.
pub fn leaf(ty: Ty) -> Option<Scalar> {
    match ty.kind() {
        TyKind::Scalar(s) => Some(s).filter(|s| *s != Scalar::Bool),
        TyKind::Pair(a, _) => leaf(a),
        _ => None,
    }
}

/// Whether all scalars of a type are as wide as this one: then one number of lanes fits all.
fn as_wide(ty: Ty, s: Scalar) -> bool {
    every_leaf(ty, &|l| l.bytes() == s.bytes())
}

/// Whether all scalars of a type are of this one.
pub fn same_leaves(ty: Ty, s: Scalar) -> bool {
    every_leaf(ty, &|l| l == s)
}

fn every_leaf(ty: Ty, is: &dyn Fn(Scalar) -> bool) -> bool {
    match ty.kind() {
        TyKind::Pair(a, b) => every_leaf(a, is) && every_leaf(b, is),
        _ => leaf(ty).is_some_and(is),
    }
}
