//! Scalar and vector values.

use super::BufId;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use std::rc::Rc;

/// Element type and number of lanes; one lane is a scalar.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// The element.
    pub elem: Scalar,
    /// A power of two that fits a register.
    pub lanes: u32,
}

impl Shape {
    /// One element.
    pub fn scalar(elem: Scalar) -> Shape {
        Shape { elem, lanes: 1 }
    }

    /// Whether it is a vector of truth values.
    pub fn is_mask(self) -> bool {
        self.lanes > 1 && self.elem == Scalar::Bool
    }

    /// An index.
    pub fn index() -> Shape {
        Shape::scalar(Scalar::I64)
    }
}

/// A value: a shared tree without effects.
#[derive(Clone, Debug)]
pub struct Expr(Rc<Node>);

#[derive(Debug)]
struct Node {
    kind: ExprKind,
    shape: Shape,
    size: u32,
}

/// What an [`Expr`] is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant.
    Lit(Lit),
    /// A variable declared by `Let`.
    Var(Symbol),
    /// An integer expression over sizes, loop variables and indices.
    Index(Nat),
    /// Consecutive elements of a buffer.
    Load(BufId, Nat),
    /// An operation with one, two or three operands, lane by lane: arithmetic,
    /// comparison (gives bool), logic, `select`.
    Op(Op, Vec<Expr>),
    /// To another element type, lane by lane.
    Cast(Expr),
    /// To an index below the bound.
    Clamp(Expr, Nat),
    /// A scalar in every lane.
    Splat(Expr),
    /// One lane.
    Lane(Expr, u32),
    /// Lanes one by one.
    Build(Vec<Expr>),
    /// A lane of the vector that these make up, by an index. Only while lowering.
    Pick(Vec<Expr>, Nat),
}

impl Expr {
    /// Of a shape.
    pub fn new(kind: ExprKind, shape: Shape) -> Expr {
        let mut size = 1u32;
        each_child(&kind, &mut |e| size = size.saturating_add(e.size()));
        Expr(Rc::new(Node { kind, shape, size }))
    }

    /// A constant.
    pub fn lit(lit: Lit, elem: Scalar) -> Expr {
        Expr::new(ExprKind::Lit(lit), Shape::scalar(elem))
    }

    /// A truth value.
    pub fn bool(b: bool) -> Expr {
        Expr::lit(Lit::Bool(b), Scalar::Bool)
    }

    /// An index.
    pub fn index(n: Nat) -> Expr {
        Expr::new(ExprKind::Index(n), Shape::index())
    }

    /// A variable.
    pub fn var(name: Symbol, shape: Shape) -> Expr {
        Expr::new(ExprKind::Var(name), shape)
    }

    /// `a op b` on indices.
    pub fn compare(op: Op, a: Nat, b: Nat) -> Expr {
        let args = vec![Expr::index(a), Expr::index(b)];
        Expr::new(ExprKind::Op(op, args), Shape::scalar(Scalar::Bool))
    }

    /// `a && b`
    pub fn and(self, b: Expr) -> Expr {
        match (self.kind(), b.kind()) {
            (ExprKind::Lit(Lit::Bool(true)), _) => b,
            (_, ExprKind::Lit(Lit::Bool(true))) => self,
            (ExprKind::Lit(Lit::Bool(false)), _) => self,
            _ => Expr::new(
                ExprKind::Op(Op::And, vec![self, b]),
                Shape::scalar(Scalar::Bool),
            ),
        }
    }

    /// The conjunction, without what follows from the rest of it by indices alone; differences of indices are
    /// simplified by `simplify`.
    pub fn all(conds: impl IntoIterator<Item = Expr>, simplify: impl Fn(Nat) -> Nat) -> Expr {
        // `i < n` follows from `i + 3 < n`.
        let implies = |a: &Expr, b: &Expr| match (a.margin(), b.margin()) {
            (Some(x), Some(y)) => simplify(y - x).as_int().is_some_and(|d| d >= 0),
            _ => a.same(b),
        };
        let mut parts: Vec<Expr> = Vec::new();
        let mut open: Vec<Expr> = conds.into_iter().collect();
        open.reverse();
        while let Some(c) = open.pop() {
            match c.kind() {
                ExprKind::Op(Op::And, args) => open.extend(args.iter().rev().cloned()),
                _ if c.as_bool() == Some(true) => {}
                _ if parts.iter().any(|p| implies(p, &c)) => {}
                _ => {
                    parts.retain(|p| !implies(&c, p));
                    parts.push(c);
                }
            }
        }
        parts.into_iter().fold(Expr::bool(true), Expr::and)
    }

    /// By how much `a < b` holds.
    pub fn margin(&self) -> Option<Nat> {
        match self.kind() {
            ExprKind::Op(Op::Lt, args) => {
                Some(args.get(1)?.as_index()? - args.first()?.as_index()?)
            }
            _ => None,
        }
    }

    /// What it is.
    pub fn kind(&self) -> &ExprKind {
        &self.0.kind
    }

    /// Its shape.
    pub fn shape(&self) -> Shape {
        self.0.shape
    }

    /// Number of nodes of the tree.
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// Whether it is what a function of the C library says.
    pub fn is_call(&self) -> bool {
        matches!(self.kind(), ExprKind::Op(op, _) if op.called().is_some())
    }

    /// Whether a function of the C library is called for it.
    pub fn calls(&self) -> bool {
        let mut found = false;
        self.visit(&mut |e| found |= e.is_call());
        found
    }

    /// Whether some part of it is such.
    pub fn holds(&self, is: impl Fn(&ExprKind) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |e| found |= is(e.kind()));
        found
    }

    /// The truth value it is.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind() {
            ExprKind::Lit(Lit::Bool(b)) => Some(*b),
            _ => None,
        }
    }

    /// The index it is.
    pub fn as_index(&self) -> Option<Nat> {
        match self.kind() {
            ExprKind::Index(n) => Some(*n),
            _ => None,
        }
    }

    /// The integer expression that it has itself, not in an operand: an index, a place or a bound.
    pub fn own_index(&self) -> Option<Nat> {
        match self.kind() {
            ExprKind::Index(n)
            | ExprKind::Load(_, n)
            | ExprKind::Pick(_, n)
            | ExprKind::Clamp(_, n) => Some(*n),
            _ => None,
        }
    }

    /// Replaces every integer expression in it.
    pub fn map_indices(&self, f: &mut dyn FnMut(Nat) -> Nat) -> Expr {
        self.rewrite(&mut |e| {
            let kind = match e.kind() {
                ExprKind::Index(n) => ExprKind::Index(f(*n)),
                ExprKind::Load(b, n) => ExprKind::Load(*b, f(*n)),
                ExprKind::Clamp(x, n) => {
                    let n = f(*n);
                    ExprKind::Clamp(x.map_indices(f), n)
                }
                ExprKind::Pick(parts, n) => {
                    let n = f(*n);
                    ExprKind::Pick(parts.iter().map(|x| x.map_indices(f)).collect(), n)
                }
                _ => return None,
            };
            Some(Expr::new(kind, e.shape()))
        })
    }

    /// Whether it costs nothing to write it twice.
    pub fn is_atom(&self) -> bool {
        match self.kind() {
            ExprKind::Lit(_) | ExprKind::Var(_) | ExprKind::Index(_) => true,
            ExprKind::Splat(e) => e.is_atom(),
            _ => false,
        }
    }

    /// Whether both are written alike.
    pub fn same(&self, o: &Expr) -> bool {
        use ExprKind::*;
        let all =
            |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b));
        self.shape() == o.shape()
            && match (self.kind(), o.kind()) {
                (Lit(a), Lit(b)) => a == b,
                (Var(a), Var(b)) => a == b,
                (Index(a), Index(b)) => a == b,
                (Load(a, i), Load(b, j)) => a == b && i == j,
                (Op(a, x), Op(b, y)) => a == b && all(x, y),
                (Cast(a), Cast(b)) | (Splat(a), Splat(b)) => a.same(b),
                (Clamp(a, n), Clamp(b, m)) => n == m && a.same(b),
                (Lane(a, i), Lane(b, j)) => i == j && a.same(b),
                (Build(a), Build(b)) => all(a, b),
                (Pick(a, n), Pick(b, m)) => n == m && all(a, b),
                _ => false,
            }
    }

    /// Calls `f` on it and everything in it, parents first.
    pub fn visit(&self, f: &mut impl FnMut(&Expr)) {
        fn go(e: &Expr, f: &mut dyn FnMut(&Expr)) {
            f(e);
            each_child(e.kind(), &mut |c| go(c, f));
        }
        go(self, f);
    }

    /// Calls `f` on what it is directly made of.
    pub fn each_operand(&self, f: &mut dyn FnMut(&Expr)) {
        each_child(self.kind(), f);
    }

    /// Rebuilds it bottom-up; where `f` answers, its answer stands.
    pub fn rewrite(&self, f: &mut impl FnMut(&Expr) -> Option<Expr>) -> Expr {
        fn go(e: &Expr, f: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Expr {
            if let Some(r) = f(e) {
                return r;
            }
            let mut all = |es: &[Expr]| -> Vec<Expr> { es.iter().map(|e| go(e, f)).collect() };
            let kind = match e.kind() {
                ExprKind::Op(op, args) => ExprKind::Op(*op, all(args)),
                ExprKind::Build(es) => ExprKind::Build(all(es)),
                ExprKind::Pick(es, i) => ExprKind::Pick(all(es), *i),
                ExprKind::Cast(a) => ExprKind::Cast(go(a, f)),
                ExprKind::Clamp(a, n) => ExprKind::Clamp(go(a, f), *n),
                ExprKind::Splat(a) => ExprKind::Splat(go(a, f)),
                ExprKind::Lane(a, i) => ExprKind::Lane(go(a, f), *i),
                _ => return e.clone(),
            };
            Expr::new(kind, e.shape())
        }
        go(self, f)
    }
}

fn each_child(kind: &ExprKind, f: &mut dyn FnMut(&Expr)) {
    match kind {
        ExprKind::Lit(_) | ExprKind::Var(_) | ExprKind::Index(_) | ExprKind::Load(..) => {}
        ExprKind::Op(_, es) | ExprKind::Build(es) | ExprKind::Pick(es, _) => es.iter().for_each(f),
        ExprKind::Cast(e) | ExprKind::Clamp(e, _) | ExprKind::Splat(e) | ExprKind::Lane(e, _) => {
            f(e)
        }
    }
}
