//! Hash-consed monotypes.
//!
//! Comes in: scalars and constructors; goes out: a [`Ty`], the id of a type, so
//! that equality is equality of ids. Invariants: sizes are in normal form; a
//! vector type never stands directly over a pair (`<k>(s, t)` is built as
//! `(<k>s, <k>t)`), which is what lets one rule vectorise any element type.
//! Absent: quantifiers (a scheme is a type with unknowns), spans.

mod half;
mod show;

use crate::arith::Nat;
use crate::intern::{NotSend, Table};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::marker::PhantomData;

/// How programs write what is larger than all other floats.
pub const INFINITY: &str = "infinity";

/// The element types.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    Bf16,
    F32,
    F64,
}

impl Scalar {
    /// All of them, in the order of the documentation.
    pub const ALL: [Scalar; 13] = {
        use Scalar::*;
        [
            Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, Bf16, F32, F64,
        ]
    };

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        use Scalar::*;
        match self {
            Bool => "bool",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            F16 => "f16",
            Bf16 => "bf16",
            F32 => "f32",
            F64 => "f64",
        }
    }

    /// The scalar of that name.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Whether it is f16, bf16, f32 or f64.
    pub fn is_float(self) -> bool {
        self.is_half() || matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Whether it is an integer type (bool is none).
    pub fn is_int(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    /// Whether it is an integer type with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// The least and the largest number of an integer type; of truth values as 0 and 1.
    pub fn bounds(self) -> (i128, i128) {
        let bits = 8 * self.bytes() as u32;
        match (self, self.is_signed()) {
            (Scalar::Bool, _) => (0, 1),
            (_, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => (0, (1 << bits) - 1),
        }
    }

    /// Whether each integer of this type is one of the other.
    pub fn widens_to(self, other: Scalar) -> bool {
        let ((least, most), (low, high)) = (self.bounds(), other.bounds());
        self.is_int() && other.is_int() && low <= least && most <= high
    }

    /// Size in bytes.
    pub fn bytes(self) -> u64 {
        use Scalar::*;
        match self {
            Bool | I8 | U8 => 1,
            I16 | U16 | F16 | Bf16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 => 8,
        }
    }
}

/// A type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty(u32, NotSend);

/// What a [`Ty`] is.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// A scalar.
    Scalar(Scalar),
    /// `idx[n]`: an index below `n`.
    Idx(Nat),
    /// `(s, t)`
    Pair(Ty, Ty),
    /// `<k>t`, `t` a scalar or unknown.
    Vec(Nat, Ty),
    /// `n.t`
    Array(Nat, Ty),
    /// `s -> t`
    Fun(Ty, Ty),
    /// An unknown of unification or of a pattern.
    Meta(u32),
}

#[derive(Copy, Clone)]
struct Facts {
    has_meta: bool,
    never: bool,
    nesting: u32,
}

#[derive(Default)]
struct Types {
    table: Table<TyKind>,
    facts: Vec<Facts>,
    /// Vectors of pairs: pairs share parts, and have far more of them than nodes.
    vectors: FxHashMap<(Nat, Ty), Ty>,
}

thread_local! {
    static TYPES: RefCell<Types> = RefCell::default();
}

impl From<Scalar> for Ty {
    fn from(s: Scalar) -> Ty {
        Ty::new(TyKind::Scalar(s))
    }
}

impl Ty {
    fn new(kind: TyKind) -> Ty {
        if let Some(ty) = TYPES.with_borrow_mut(|t| {
            let (id, new) = t.table.intern(kind);
            (!new).then_some(Ty(id, PhantomData))
        }) {
            return ty;
        }
        let facts = Ty::compute_facts(kind);
        TYPES.with_borrow_mut(|t| {
            t.facts.push(facts);
            Ty(t.facts.len() as u32 - 1, PhantomData)
        })
    }

    fn compute_facts(kind: TyKind) -> Facts {
        let size = |n: Nat, t: Facts, nesting: u32| Facts {
            has_meta: n.has_meta() || t.has_meta,
            never: n.never_a_size() || t.never,
            nesting: nesting + t.nesting,
        };
        let both = |a: Facts, b: Facts| Facts {
            has_meta: a.has_meta || b.has_meta,
            never: a.never || b.never,
            nesting: a.nesting.max(b.nesting),
        };
        let plain = Facts {
            has_meta: false,
            never: false,
            nesting: 0,
        };
        match kind {
            TyKind::Scalar(_) => plain,
            TyKind::Idx(n) => size(n, plain, 0),
            TyKind::Pair(a, b) | TyKind::Fun(a, b) => both(a.facts(), b.facts()),
            TyKind::Vec(n, t) => size(n, t.facts(), 0),
            TyKind::Array(n, t) => size(n, t.facts(), 1),
            TyKind::Meta(_) => Facts {
                has_meta: true,
                ..plain
            },
        }
    }

    fn facts(self) -> Facts {
        TYPES.with_borrow(|t| t.facts[self.0 as usize])
    }

    /// What it is.
    pub fn kind(self) -> TyKind {
        TYPES.with_borrow(|t| *t.table.get(self.0))
    }

    /// A dense id, unique in this thread; for tables only.
    pub fn id(self) -> u32 {
        self.0
    }

    /// The type of a dense id that [`Ty::id`] gave on this thread.
    pub fn from_id(id: u32) -> Ty {
        debug_assert!((id as usize) < TYPES.with_borrow(|t| t.facts.len()));
        Ty(id, PhantomData)
    }

    /// `idx[n]`
    pub fn idx(n: Nat) -> Ty {
        Ty::new(TyKind::Idx(n))
    }

    /// `(s, t)`
    pub fn pair(s: Ty, t: Ty) -> Ty {
        Ty::new(TyKind::Pair(s, t))
    }

    /// `<k>t`; distributes over pairs.
    pub fn vec(k: Nat, t: Ty) -> Ty {
        let TyKind::Pair(a, b) = t.kind() else {
            return Ty::new(TyKind::Vec(k, t));
        };
        if let Some(known) = TYPES.with_borrow(|t2| t2.vectors.get(&(k, t)).copied()) {
            return known;
        }
        let vector = Ty::pair(Ty::vec(k, a), Ty::vec(k, b));
        TYPES.with_borrow_mut(|t2| t2.vectors.insert((k, t), vector));
        vector
    }

    /// `n.t`
    pub fn array(n: Nat, t: Ty) -> Ty {
        Ty::new(TyKind::Array(n, t))
    }

    /// `s -> t`
    pub fn fun(s: Ty, t: Ty) -> Ty {
        Ty::new(TyKind::Fun(s, t))
    }

    /// `a -> b -> … -> result`
    pub fn funs(
        args: impl IntoIterator<Item = Ty, IntoIter: DoubleEndedIterator>,
        result: Ty,
    ) -> Ty {
        args.into_iter().rev().fold(result, |t, a| Ty::fun(a, t))
    }

    /// An unknown.
    pub fn meta(n: u32) -> Ty {
        Ty::new(TyKind::Meta(n))
    }

    /// Argument and result, of a function.
    pub fn as_fun(self) -> Option<(Ty, Ty)> {
        match self.kind() {
            TyKind::Fun(s, t) => Some((s, t)),
            _ => None,
        }
    }

    /// The arguments and the result of a function; of anything else, it is the result.
    pub fn uncurried(self) -> (Vec<Ty>, Ty) {
        let (mut args, mut result) = (Vec::new(), self);
        while let Some((arg, rest)) = result.as_fun() {
            args.push(arg);
            result = rest;
        }
        (args, result)
    }

    /// Size and element, of an array.
    pub fn as_array(self) -> Option<(Nat, Ty)> {
        match self.kind() {
            TyKind::Array(n, t) => Some((n, t)),
            _ => None,
        }
    }

    /// Components, of a pair.
    pub fn as_pair(self) -> Option<(Ty, Ty)> {
        match self.kind() {
            TyKind::Pair(s, t) => Some((s, t)),
            _ => None,
        }
    }

    /// Whether it is made of floats, among others.
    pub fn has_floats(self) -> bool {
        match self.kind() {
            TyKind::Scalar(s) => s.is_float(),
            TyKind::Idx(_) | TyKind::Meta(_) => false,
            TyKind::Pair(a, b) | TyKind::Fun(a, b) => a.has_floats() || b.has_floats(),
            TyKind::Vec(_, t) | TyKind::Array(_, t) => t.has_floats(),
        }
    }

    /// The scalar it is.
    pub fn as_scalar(self) -> Option<Scalar> {
        match self.kind() {
            TyKind::Scalar(s) => Some(s),
            _ => None,
        }
    }

    /// Lanes and element, of a vector; pairs of vectors of equal width count as
    /// vectors of pairs, the inverse of what [`Ty::vec`] does.
    pub fn as_vec(self) -> Option<(Nat, Ty)> {
        match self.kind() {
            TyKind::Vec(k, t) => Some((k, t)),
            TyKind::Pair(a, b) => match (a.as_vec()?, b.as_vec()?) {
                ((k, s), (l, t)) if k == l => Some((k, Ty::pair(s, t))),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is a function type.
    pub fn is_fun(self) -> bool {
        matches!(self.kind(), TyKind::Fun(..))
    }

    /// Whether it is a scalar or a pair of such (no arrays, vectors, functions).
    pub fn is_flat(self) -> bool {
        match self.kind() {
            TyKind::Scalar(_) => true,
            TyKind::Pair(a, b) => a.is_flat() && b.is_flat(),
            _ => false,
        }
    }

    /// Whether an unknown type or size stands in it.
    pub fn has_meta(self) -> bool {
        self.facts().has_meta
    }

    /// Whether a size in it is [`Nat::never_a_size`], so that no value has it.
    pub fn is_never(self) -> bool {
        self.facts().never
    }

    /// How deep arrays are nested in it.
    pub fn nesting(self) -> u32 {
        self.facts().nesting
    }

    /// Replaces every unknown for which there is an answer.
    pub fn subst(
        self,
        tys: &mut impl FnMut(u32) -> Option<Ty>,
        nats: &mut impl FnMut(u32) -> Option<Nat>,
    ) -> Ty {
        if !self.has_meta() {
            return self;
        }
        match self.kind() {
            TyKind::Scalar(_) => self,
            TyKind::Idx(n) => Ty::idx(n.subst_metas(nats)),
            TyKind::Pair(a, b) => Ty::pair(a.subst(tys, nats), b.subst(tys, nats)),
            TyKind::Vec(n, t) => Ty::vec(n.subst_metas(nats), t.subst(tys, nats)),
            TyKind::Array(n, t) => Ty::array(n.subst_metas(nats), t.subst(tys, nats)),
            TyKind::Fun(a, b) => Ty::fun(a.subst(tys, nats), b.subst(tys, nats)),
            TyKind::Meta(n) => tys(n).unwrap_or(self),
        }
    }

    /// Replaces every size.
    pub fn map_nats(self, f: &mut impl FnMut(Nat) -> Nat) -> Ty {
        match self.kind() {
            TyKind::Scalar(_) | TyKind::Meta(_) => self,
            TyKind::Idx(n) => Ty::idx(f(n)),
            TyKind::Pair(a, b) => Ty::pair(a.map_nats(f), b.map_nats(f)),
            TyKind::Vec(n, t) => Ty::vec(f(n), t.map_nats(f)),
            TyKind::Array(n, t) => Ty::array(f(n), t.map_nats(f)),
            TyKind::Fun(a, b) => Ty::fun(a.map_nats(f), b.map_nats(f)),
        }
    }

    /// Calls `f` on every size in it.
    pub fn each_nat(self, f: &mut impl FnMut(Nat)) {
        self.map_nats(&mut |n| {
            f(n);
            n
        });
    }
}

/// A finite map from unknowns to types and sizes.
#[derive(Clone, Default, Debug)]
pub struct TySubst {
    /// Types by unknown.
    pub tys: FxHashMap<u32, Ty>,
    /// Sizes by unknown.
    pub nats: FxHashMap<u32, Nat>,
}

impl TySubst {
    /// Applies it to a type.
    pub fn ty(&self, t: Ty) -> Ty {
        t.subst(&mut |n| self.tys.get(&n).copied(), &mut |n| {
            self.nats.get(&n).copied()
        })
    }

    /// As [`TySubst::ty`], with what it was applied to before.
    pub fn ty_known(&self, t: Ty, known: &mut FxHashMap<Ty, Ty>) -> Ty {
        if !t.has_meta() {
            return t;
        }
        if let Some(made) = known.get(&t) {
            return *made;
        }
        let made = match t.kind() {
            TyKind::Pair(a, b) => Ty::pair(self.ty_known(a, known), self.ty_known(b, known)),
            TyKind::Vec(n, t) => Ty::vec(self.nat(n), self.ty_known(t, known)),
            TyKind::Array(n, t) => Ty::array(self.nat(n), self.ty_known(t, known)),
            TyKind::Fun(a, b) => Ty::fun(self.ty_known(a, known), self.ty_known(b, known)),
            TyKind::Scalar(_) | TyKind::Idx(_) | TyKind::Meta(_) => self.ty(t),
        };
        known.insert(t, made);
        made
    }

    /// Applies it to a size.
    pub fn nat(&self, n: Nat) -> Nat {
        n.subst_metas(&mut |n| self.nats.get(&n).copied())
    }
}
