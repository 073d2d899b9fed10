//! Operators evaluated on unknown data.
//!
//! In: a term, and trees of leaves for its arguments. Out: the tree of expressions that it gives. Pairs are taken apart, arrays
//! of few elements are their elements; an array of many, or of a size that is no number, is read by one element that stands
//! for all ([`Tree::Each`]), as long as nothing mixes its elements. A vector is one lane for the same reason. Invariant: the
//! expressions are equal to the term for all values of the leaves. `None` is what cannot be read so. Absent: laws.

use super::dag::{Dag, Id, Leaf};
use crate::arith::Nat;
use crate::term::{Arithmetic, Bits, Data, Kind, Lit, Loop, Op, Prim, Sort, Term, View};
use crate::ty::{Scalar, Ty, TyKind};
use std::rc::Rc;

/// Data whose scalars are expressions.
#[derive(Clone)]
pub(super) enum Tree {
    Leaf(Id),
    Pair(Rc<(Tree, Tree)>),
    Array(Rc<Vec<Tree>>),
    /// An array of that size, by one element that stands for all.
    Each(Nat, Rc<Tree>),
    Fun(Rc<Fun>),
}

pub(super) enum Fun {
    /// The body of a lambda and what its variables stand for, outermost first.
    Closure(Vec<Tree>, Term),
    Waiting(Prim, Ty, Vec<Tree>),
}

/// Arrays of more elements are read by one.
const MOST_ELEMENTS: i64 = 16;
/// Evaluated nodes.
const FUEL: u32 = 100_000;

pub(super) struct Reader {
    pub dag: Dag,
    fuel: u32,
}

/// The scalar of a type, of its lanes, or of an index.
pub(super) fn leaf(ty: Ty) -> Option<Leaf> {
    let (ty, index) = match ty.kind() {
        TyKind::Scalar(s) => (s, false),
        TyKind::Idx(_) => (Scalar::I64, true),
        TyKind::Vec(_, t) => (t.as_scalar()?, false),
        _ => return None,
    };
    Some(Leaf { ty, index })
}

impl Tree {
    fn pair(a: Tree, b: Tree) -> Tree {
        Tree::Pair(Rc::new((a, b)))
    }

    /// The expressions, from left to right; `None` if there are functions in it.
    pub fn leaves(&self) -> Option<Vec<Id>> {
        Some(match self {
            Tree::Leaf(id) => vec![*id],
            Tree::Pair(p) => [p.0.leaves()?, p.1.leaves()?].concat(),
            Tree::Array(all) => {
                let parts: Option<Vec<_>> = all.iter().map(Tree::leaves).collect();
                parts?.concat()
            }
            Tree::Each(_, one) => one.leaves()?,
            Tree::Fun(_) => return None,
        })
    }

    /// Of an array: the size that a type has, read as [`Reader::fresh`] does.
    fn array(n: Nat, elements: impl Fn(i64) -> Option<Tree>) -> Option<Tree> {
        let known = n.as_int().filter(|k| (0..=MOST_ELEMENTS).contains(k))?;
        let all: Option<Vec<_>> = (0..known).map(elements).collect();
        Some(Tree::Array(Rc::new(all?)))
    }
}

impl Reader {
    pub fn new() -> Reader {
        Reader {
            dag: Dag::default(),
            fuel: FUEL,
        }
    }

    /// A tree of a type, made of new leaves.
    pub fn fresh(&mut self, ty: Ty) -> Option<Tree> {
        self.build(ty, &mut |dag, l| dag.leaf(l))
    }

    /// A tree of a type, made of the next of these expressions.
    pub fn build(
        &mut self,
        ty: Ty,
        next: &mut impl FnMut(&mut Dag, Leaf) -> Option<Id>,
    ) -> Option<Tree> {
        match ty.kind() {
            TyKind::Pair(a, b) => {
                let a = self.build(a, next)?;
                Some(Tree::pair(a, self.build(b, next)?))
            }
            TyKind::Array(n, t) => match n.as_int() {
                Some(k) if (0..=MOST_ELEMENTS).contains(&k) => {
                    let all: Option<Vec<_>> = (0..k).map(|_| self.build(t, next)).collect();
                    Some(Tree::Array(Rc::new(all?)))
                }
                _ => Some(Tree::Each(n, Rc::new(self.build(t, next)?))),
            },
            _ => next(&mut self.dag, leaf(ty)?).map(Tree::Leaf),
        }
    }

    /// The value of a term; variable `i` is the `i`-th last of `env`.
    pub fn eval(&mut self, t: &Term, env: &[Tree]) -> Option<Tree> {
        self.fuel = self.fuel.checked_sub(1)?;
        match t.kind() {
            Kind::Var(i) => env.iter().rev().nth(*i as usize).cloned(),
            Kind::Lam(_, body) => {
                Some(Tree::Fun(Rc::new(Fun::Closure(env.to_vec(), body.clone()))))
            }
            Kind::App(f, x) => {
                let f = self.eval(f, env)?;
                let x = self.eval(x, env)?;
                self.call(&f, &[x])
            }
            Kind::Prim(p) => Some(Tree::Fun(Rc::new(Fun::Waiting(*p, t.ty(), Vec::new())))),
            Kind::Lit(l) => self.literal(*l, t.ty()),
            Kind::Hole(_) => None,
        }
    }

    fn literal(&mut self, l: Lit, ty: Ty) -> Option<Tree> {
        let s = leaf(ty)?.ty;
        let id = match l {
            Lit::Bool(b) => self.dag.int(b.into(), s),
            Lit::Int(n) => self.dag.int(n, s),
            Lit::F32(bits) => self.dag.float(f32::from_bits(bits).into(), s),
            Lit::F64(bits) => self.dag.float(f64::from_bits(bits), s),
            Lit::Size(n) if s.is_int() => {
                let n = i128::from(n.as_int()?);
                let (least, most) = s.bounds();
                self.dag.int(n, s).filter(|_| (least..=most).contains(&n))
            }
            Lit::Size(_) => None,
        };
        id.map(Tree::Leaf)
    }

    /// A function of arguments.
    pub fn call(&mut self, f: &Tree, args: &[Tree]) -> Option<Tree> {
        let Some((first, rest)) = args.split_first() else {
            return Some(f.clone());
        };
        let Tree::Fun(fun) = f else { return None };
        let value = match &**fun {
            Fun::Closure(env, body) => {
                let env = [&env[..], std::slice::from_ref(first)].concat();
                self.eval(body, &env)?
            }
            Fun::Waiting(p, ty, have) => {
                let have = [&have[..], std::slice::from_ref(first)].concat();
                let (wanted, result) = ty.uncurried();
                match have.len() < wanted.len() {
                    true => Tree::Fun(Rc::new(Fun::Waiting(*p, *ty, have))),
                    false => self.prim(*p, &wanted, result, &have)?,
                }
            }
        };
        self.call(&value, rest)
    }

    fn prim(&mut self, p: Prim, wanted: &[Ty], result: Ty, args: &[Tree]) -> Option<Tree> {
        match p.op().sort() {
            Sort::Loop(op) => self.repeat(op, result, args),
            Sort::View(op) => view(op, &p.sizes(), result, args),
            Sort::Data(op) => self.data(op, &p.sizes(), wanted, result, args),
            Sort::Bits(Bits::Bitcast) => self.convert(Op::Bitcast, wanted, result, args),
            Sort::Arithmetic(_)
            | Sort::Bits(_)
            | Sort::Function(_)
            | Sort::Comparison(_)
            | Sort::Logic(_) => self.scalar(p.op(), result, args),
        }
    }

    fn scalar(&mut self, op: Op, result: Ty, args: &[Tree]) -> Option<Tree> {
        let ids: Option<Vec<Id>> = (args.iter())
            .map(|a| match a {
                Tree::Leaf(id) => Some(*id),
                _ => None,
            })
            .collect();
        let (ids, s) = (ids?, leaf(result)?.ty);
        // What both readings know as other operations.
        if let (Sort::Arithmetic(Arithmetic::Fma), [a, b, c], true) =
            (op.sort(), &ids[..], s.is_int())
        {
            let product = self.dag.apply(Op::Mul, &[*a, *b], s)?;
            return self.dag.apply(Op::Add, &[product, *c], s).map(Tree::Leaf);
        }
        if let (Op::Div, true) = (op, s.is_float()) {
            if let Some(infinite) = self.infinity(&ids, s) {
                return Some(Tree::Leaf(infinite));
            }
        }
        self.dag.apply(op, &ids, s).map(Tree::Leaf)
    }

    /// A constant over zero, by which programs say what is infinite.
    fn infinity(&mut self, ids: &[Id], s: Scalar) -> Option<Id> {
        let constant = |id: &Id| match self.dag.node(*id).what {
            super::dag::What::Const(c) => Some(f64::from_bits(c as u64)),
            _ => None,
        };
        let (over, under) = (constant(ids.first()?)?, constant(ids.get(1)?)?);
        let infinite = over != 0.0 && over.is_finite() && under == 0.0;
        infinite.then(|| self.dag.float(over / under, s))?
    }

    /// `cast`, `bitcast`.
    fn convert(&mut self, op: Op, wanted: &[Ty], result: Ty, args: &[Tree]) -> Option<Tree> {
        let ([Tree::Leaf(id)], [from]) = (args, wanted) else {
            return None;
        };
        let (from, to) = (leaf(*from)?, leaf(result)?);
        match (from.ty == to.ty, to.index) {
            (_, true) if from.index && wanted[0] == result => Some(Tree::Leaf(*id)),
            (_, true) => self.clamped(*id, from.ty, result),
            (true, false) => Some(Tree::Leaf(*id)),
            _ => self.dag.apply(op, &[*id], to.ty).map(Tree::Leaf),
        }
    }

    /// The element at an index: one of all, where that is no constant.
    fn element(&mut self, i: Id, all: &[Tree]) -> Option<Tree> {
        let node = self.dag.node(i);
        if let super::dag::What::Const(i) = node.what {
            return all.get(usize::try_from(i).ok()?).cloned();
        }
        let (last, before) = all.split_last()?;
        let mut chosen = last.clone();
        for (place, x) in before.iter().enumerate() {
            let place = self.dag.int(place as i128, node.ty)?;
            let here = self.dag.apply(Op::Eq, &[i, place], Scalar::Bool)?;
            chosen = self.select(here, x, &chosen)?;
        }
        Some(chosen)
    }

    /// An integer as an index below a size that is known: what lies beyond the ends is at them.
    fn clamped(&mut self, id: Id, s: Scalar, index: Ty) -> Option<Tree> {
        let TyKind::Idx(n) = index.kind() else {
            return None;
        };
        let last = i128::from(n.as_int().filter(|n| *n > 0)?) - 1;
        s.is_int().then_some(())?;
        let mut inside = id;
        if last < s.bounds().1 {
            let last = self.dag.int(last, s)?;
            inside = self.dag.apply(Op::Min, &[inside, last], s)?;
        }
        let zero = self.dag.int(0, s)?;
        inside = self.dag.apply(Op::Max, &[inside, zero], s)?;
        if s != Scalar::I64 {
            inside = self.dag.apply(Op::Cast, &[inside], Scalar::I64)?;
        }
        Some(Tree::Leaf(inside))
    }

    fn data(
        &mut self,
        op: Data,
        sizes: &[Nat],
        wanted: &[Ty],
        result: Ty,
        args: &[Tree],
    ) -> Option<Tree> {
        Some(match (op, args) {
            (Data::Pair, [a, b]) => Tree::pair(a.clone(), b.clone()),
            (Data::Fst, [Tree::Pair(p)]) => p.0.clone(),
            (Data::Snd, [Tree::Pair(p)]) => p.1.clone(),
            (Data::MapFst, [f, Tree::Pair(p)]) => {
                Tree::pair(self.call(f, std::slice::from_ref(&p.0))?, p.1.clone())
            }
            (Data::MapSnd, [f, Tree::Pair(p)]) => {
                Tree::pair(p.0.clone(), self.call(f, std::slice::from_ref(&p.1))?)
            }
            (Data::ToMem | Data::VectorFromScalar, [x]) => x.clone(),
            (Data::Let, [x, f]) => self.call(f, std::slice::from_ref(x))?,
            (Data::Select, [Tree::Leaf(c), a, b]) => self.select(*c, a, b)?,
            (Data::Cast, [_]) => self.convert(Op::Cast, wanted, result, args)?,
            (Data::Fill, [x]) => {
                let (n, _) = result.as_array()?;
                Tree::array(n, |_| Some(x.clone()))
                    .unwrap_or_else(|| Tree::Each(n, Rc::new(x.clone())))
            }
            (Data::At, [Tree::Array(all)]) => {
                let i = usize::try_from(sizes.first()?.as_int()?).ok()?;
                all.get(i)?.clone()
            }
            (Data::Idx, [Tree::Leaf(i), Tree::Array(all)]) => self.element(*i, all)?,
            (Data::MakeArray, all) => {
                let few = all.len() as i64 <= MOST_ELEMENTS;
                few.then(|| Tree::Array(Rc::new(all.to_vec())))?
            }
            _ => return None,
        })
    }

    /// One of two values, scalar by scalar.
    fn select(&mut self, c: Id, a: &Tree, b: &Tree) -> Option<Tree> {
        Some(match (a, b) {
            (Tree::Leaf(a), Tree::Leaf(b)) => {
                let ty = self.dag.node(*a).ty;
                Tree::Leaf(self.dag.apply(Op::Select, &[c, *a, *b], ty)?)
            }
            (Tree::Pair(a), Tree::Pair(b)) => {
                Tree::pair(self.select(c, &a.0, &b.0)?, self.select(c, &a.1, &b.1)?)
            }
            (Tree::Array(a), Tree::Array(b)) => {
                let all = a.iter().zip(&**b).map(|(a, b)| self.select(c, a, b));
                Tree::Array(Rc::new(all.collect::<Option<_>>()?))
            }
            (Tree::Each(n, a), Tree::Each(_, b)) => Tree::Each(*n, Rc::new(self.select(c, a, b)?)),
            _ => return None,
        })
    }

    fn repeat(&mut self, op: Loop, result: Ty, args: &[Tree]) -> Option<Tree> {
        match (op, args) {
            (Loop::Map | Loop::MapSeq | Loop::MapPar | Loop::MapSeqUnroll, [f, xs]) => match xs {
                Tree::Array(all) => {
                    let all = all.iter().map(|x| self.call(f, std::slice::from_ref(x)));
                    Some(Tree::Array(Rc::new(all.collect::<Option<_>>()?)))
                }
                Tree::Each(n, one) => {
                    let one = self.call(f, std::slice::from_ref(one))?;
                    Some(Tree::Each(*n, Rc::new(one)))
                }
                _ => None,
            },
            (
                Loop::Reduce | Loop::ReduceSeq | Loop::ReduceSeqUnroll,
                [f, start, Tree::Array(all)],
            ) => {
                let mut acc = start.clone();
                for x in &**all {
                    acc = self.call(f, &[acc, x.clone()])?;
                }
                Some(acc)
            }
            (Loop::Generate, [f]) => {
                let (n, _) = result.as_array()?;
                let known = n.as_int().filter(|k| (0..=MOST_ELEMENTS).contains(k))?;
                let mut all = Vec::new();
                for i in 0..known {
                    let i = self.dag.int(i.into(), Scalar::I64)?;
                    all.push(self.call(f, &[Tree::Leaf(i)])?);
                }
                Some(Tree::Array(Rc::new(all)))
            }
            _ => None,
        }
    }
}

/// What moves elements; the elements of one array stand where those of another did.
fn view(op: View, sizes: &[Nat], result: Ty, args: &[Tree]) -> Option<Tree> {
    let array = |all: Vec<Tree>| Some(Tree::Array(Rc::new(all)));
    let known = |i: usize| usize::try_from(sizes.get(i)?.as_int()?).ok();
    match (op, args) {
        (View::Zip, [Tree::Array(a), Tree::Array(b)]) => {
            let pairs = a.iter().zip(&**b);
            array(
                pairs
                    .map(|(a, b)| Tree::pair(a.clone(), b.clone()))
                    .collect(),
            )
        }
        (View::Zip, [Tree::Each(n, a), Tree::Each(_, b)]) => {
            let pair = Tree::pair((**a).clone(), (**b).clone());
            Some(Tree::Each(*n, Rc::new(pair)))
        }
        (View::Unzip, [Tree::Array(all)]) => {
            let part = |first: bool| {
                let parts = all.iter().map(|x| match x {
                    Tree::Pair(p) => Some(if first { p.0.clone() } else { p.1.clone() }),
                    _ => None,
                });
                Some(Tree::Array(Rc::new(parts.collect::<Option<Vec<_>>>()?)))
            };
            Some(Tree::pair(part(true)?, part(false)?))
        }
        (View::Unzip, [Tree::Each(n, one)]) => match &**one {
            Tree::Pair(p) => {
                let part = |t: &Tree| Tree::Each(*n, Rc::new(t.clone()));
                Some(Tree::pair(part(&p.0), part(&p.1)))
            }
            _ => None,
        },
        (View::Transpose, [Tree::Array(rows)]) => {
            let rows: Option<Vec<_>> = (rows.iter())
                .map(|r| match r {
                    Tree::Array(r) => Some(r.clone()),
                    _ => None,
                })
                .collect();
            let (rows, width) = (rows?, result.as_array()?.0.as_int()?);
            let column = |i: usize| {
                let column = rows.iter().map(|r| r.get(i).cloned());
                Some(Tree::Array(Rc::new(column.collect::<Option<Vec<_>>>()?)))
            };
            array((0..width as usize).map(column).collect::<Option<_>>()?)
        }
        (View::Join, [Tree::Array(rows)]) => {
            let mut all = Vec::new();
            for r in &**rows {
                let Tree::Array(r) = r else { return None };
                all.extend(r.iter().cloned());
            }
            (all.len() as i64 <= MOST_ELEMENTS).then(|| array(all))?
        }
        (View::Split, [Tree::Array(all)]) => {
            let k = known(0).filter(|k| *k > 0)?;
            let rows = all.chunks(k).map(|r| Tree::Array(Rc::new(r.to_vec())));
            array(rows.collect())
        }
        (View::Take, [Tree::Array(all)]) => array(all.get(..known(0)?)?.to_vec()),
        (View::Drop, [Tree::Array(all)]) => array(all.get(known(0)?..)?.to_vec()),
        (View::Reverse, [Tree::Array(all)]) => array(all.iter().rev().cloned().collect()),
        (View::Concat, [Tree::Array(a), Tree::Array(b)]) => {
            let all = [&a[..], &b[..]].concat();
            (all.len() as i64 <= MOST_ELEMENTS).then(|| array(all))?
        }
        _ => None,
    }
}
