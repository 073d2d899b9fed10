//! The table of primitives: names, explicit size arguments, type schemes.
//!
//! A [`Prim`] is an operation with its explicit sizes (`split[32]`): one leaf.
//! Invariant: this table is the only place that lists primitives; elaboration,
//! printing and documentation read it. Absent: what primitives mean (`interp`)
//! and how they are compiled (`lower`).

use super::Class;
use crate::arith::Nat;
use crate::intern::{NotSend, Table};
use crate::ty::{Scalar, Ty, TyKind};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

macro_rules! ops {
    ($($(#[$doc:meta])* $kind:ident { $($variant:ident $name:literal $sizes:literal;)* })*) => {
        /// An operation, without its explicit sizes.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[allow(missing_docs)]
        pub enum Op { $($($variant),*),* }

        /// The sorts of operations: what rooms that treat many alike match on, so that the compiler names each room
        /// that a new operation is missing in.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum Sort { $($(#[$doc])* $kind($kind)),* }

        $(
            $(#[$doc])*
            #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
            #[allow(missing_docs)]
            pub enum $kind { $($variant),* }

            impl From<$kind> for Op {
                fn from(op: $kind) -> Op {
                    match op { $($kind::$variant => Op::$variant),* }
                }
            }
        )*

        impl Op {
            /// Every operation.
            pub const ALL: &'static [Op] = &[$($(Op::$variant),*),*];

            /// Its name in programs.
            pub fn name(self) -> &'static str {
                match self { $($(Op::$variant => $name),*),* }
            }

            /// How many explicit sizes stand in its brackets.
            pub fn size_args(self) -> usize {
                match self { $($(Op::$variant => $sizes),*),* }
            }

            /// What sort of operation it is.
            pub fn sort(self) -> Sort {
                match self { $($(Op::$variant => Sort::$kind($kind::$variant)),*),* }
            }

            /// The operation of that name.
            pub fn from_name(name: &str) -> Option<Op> {
                match name { $($($name => Some(Op::$variant),)*)* _ => None }
            }
        }
    };
}

// A row is all that a primitive is known by to rooms that treat a sort alike.
ops! {
    /// Calls a function for each of many elements, or many times.
    Loop {
        Map "map" 0; MapSeq "mapSeq" 0; MapPar "mapPar" 0; MapSeqUnroll "mapSeqUnroll" 0;
        Reduce "reduce" 0; ReduceSeq "reduceSeq" 0; ReduceSeqUnroll "reduceSeqUnroll" 0; ScanSeq "scanSeq" 0;
        Generate "generate" 0; Iterate "iterate" 1;
        ScatterReduce "scatterReduce" 0; ReduceSegments "reduceSegments" 0;
        CircularBuffer "circularBuffer" 2; RotateValues "rotateValues" 1;
    }
    /// Moves elements and computes nothing.
    View {
        Zip "zip" 0; Unzip "unzip" 0; Split "split" 1; Join "join" 0; Transpose "transpose" 0; Slide "slide" 2;
        Take "take" 1; Drop "drop" 1; Concat "concat" 0; PadCst "padCst" 2; PadClamp "padClamp" 2;
        Gather "gather" 0; Scatter "scatter" 0; Reorder "reorder" 0; Reverse "reverse" 0;
        AsVector "asVector" 1; AsScalar "asScalar" 0;
    }
    /// Makes, takes apart, names, chooses or converts data.
    Data {
        Pair "pair" 0; Fst "fst" 0; Snd "snd" 0; MapFst "mapFst" 0; MapSnd "mapSnd" 0;
        Idx "idx" 0; Fill "fill" 1; At "at" 1; MakeArray "makeArray" 1; VectorFromScalar "vectorFromScalar" 0;
        ToMem "toMem" 0; Let "let" 0; Select "select" 0; Cast "cast" 0;
    }
    /// Arithmetic on numbers; on vectors lane by lane.
    Arithmetic {
        Neg "neg" 0; Add "add" 0; Sub "sub" 0; Mul "mul" 0; Div "div" 0; Mod "mod" 0; Min "min" 0; Max "max" 0;
        Fma "fma" 0; Abs "abs" 0;
    }
    /// On the bits of integers, the last of any number; on vectors lane by lane.
    Bits {
        BitAnd "bitand" 0; BitOr "bitor" 0; BitXor "bitxor" 0; BitNot "bitnot" 0; Shl "shl" 0; Shr "shr" 0;
        Bitcast "bitcast" 0;
    }
    /// A function of one float that the C library has under the same name; on vectors lane by lane.
    Function {
        Sqrt "sqrt" 0; Exp "exp" 0; Exp2 "exp2" 0; Log "log" 0; Sin "sin" 0; Cos "cos" 0; Tanh "tanh" 0;
    }
    /// Compares two elements.
    Comparison {
        Lt "lt" 0; Le "le" 0; Gt "gt" 0; Ge "ge" 0; Eq "eq" 0; Ne "ne" 0;
    }
    /// Of booleans.
    Logic {
        And "and" 0; Or "or" 0; Not "not" 0;
    }
}

/// A type scheme. Unknown sizes `0..nats` and types `0..tys.len()` are
/// quantified; the explicit sizes are the first unknown sizes.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Number of quantified sizes.
    pub nats: u32,
    /// The quantified types with what is asked of them.
    pub tys: Vec<Class>,
    /// The type.
    pub ty: Ty,
}

impl Op {
    /// Whether it works lane by lane on vectors: on each lane as on single values.
    pub fn is_lane_wise(self) -> bool {
        matches!(
            self.sort(),
            Sort::Arithmetic(_) | Sort::Bits(_) | Sort::Function(_)
        )
    }

    /// Whether what it makes of lanes are as many lanes, as its type says; asked of what converts.
    pub fn keeps_lanes(self, ty: Ty) -> bool {
        let lanes = |t: Ty| t.as_vec().map(|v| v.0);
        match (self, ty.kind()) {
            (Op::Cast, TyKind::Fun(from, to)) => lanes(from) == lanes(to),
            _ => true,
        }
    }

    /// The same of a function of such a type, where a conversion has types that both have vectors.
    pub fn works_on_lanes(self, ty: Ty) -> bool {
        let number = |t: Ty| t.as_scalar().is_some_and(|s| s != Scalar::Bool);
        match (self, ty.kind()) {
            (Op::Cast, TyKind::Fun(from, to)) => number(from) && number(to),
            _ => self.is_lane_wise(),
        }
    }

    /// The functions of one float, in the order of the table.
    pub fn functions() -> impl Iterator<Item = Op> {
        let all = Op::ALL.iter().copied();
        all.filter(|op| op.function().is_some())
    }

    /// The function of one float that it is.
    pub fn function(self) -> Option<Function> {
        match self.sort() {
            Sort::Function(f) => Some(f),
            _ => None,
        }
    }

    /// The same, if vectors have it only where it may be approximated, and compilers call the C library for it.
    pub fn called(self) -> Option<Function> {
        self.function().filter(|f| *f != Function::Sqrt)
    }

    /// Its scheme. `sizes` are the explicit sizes, of which only `makeArray`
    /// looks at one: how many arguments it takes. `None` if that is no constant
    /// in 1…64.
    pub fn scheme(self, sizes: &[Nat]) -> Option<Scheme> {
        use Class::*;
        let n = Nat::meta;
        let t = Ty::meta;
        let arr = Ty::array;
        let pair = Ty::pair;
        let int = Nat::int;
        let bool_ = Ty::from(Scalar::Bool);
        let fun = |args: &[Ty], r: Ty| Ty::funs(args.iter().copied(), r);
        let fun1 = Ty::fun;
        let (nats, tys, ty): (u32, &[Class], Ty) = match self.sort() {
            Sort::Loop(op) => match op {
                Loop::Map | Loop::MapSeq | Loop::MapPar | Loop::MapSeqUnroll => (
                    1,
                    &[Data, Data],
                    fun(&[fun1(t(0), t(1)), arr(n(0), t(0))], arr(n(0), t(1))),
                ),
                Loop::Reduce => (
                    1,
                    &[Data],
                    fun(&[fun(&[t(0), t(0)], t(0)), t(0), arr(n(0), t(0))], t(0)),
                ),
                Loop::ReduceSeq | Loop::ReduceSeqUnroll => (
                    1,
                    &[Data, Data],
                    fun(&[fun(&[t(1), t(0)], t(1)), t(1), arr(n(0), t(0))], t(1)),
                ),
                Loop::ScanSeq => (
                    1,
                    &[Data, Data],
                    fun(
                        &[fun(&[t(0), t(1)], t(1)), t(1), arr(n(0), t(0))],
                        arr(n(0), t(1)),
                    ),
                ),
                Loop::Generate => (1, &[Data], fun1(fun1(Ty::idx(n(0)), t(0)), arr(n(0), t(0)))),
                Loop::Iterate => (1, &[Data], fun(&[fun1(t(0), t(0)), t(0)], t(0))),
                Loop::ScatterReduce => {
                    let update = pair(Ty::idx(n(1)), t(1));
                    let op = fun(&[t(0), t(1)], t(0));
                    let all = arr(n(1), t(0));
                    (2, &[Data, Data], fun(&[op, all, arr(n(0), update)], all))
                }
                Loop::ReduceSegments => {
                    let op = fun(&[t(0), t(1)], t(0));
                    let bounds = arr(n(0) + int(1), Ty::idx(n(1) + int(1)));
                    let values = arr(n(1), t(1));
                    (
                        2,
                        &[Data, Data],
                        fun(&[op, t(0), bounds, values], arr(n(0), t(0))),
                    )
                }
                Loop::CircularBuffer => (
                    3,
                    &[Data, Data],
                    fun(
                        &[fun1(t(0), t(1)), arr(n(2) + n(1), t(0))],
                        arr(int(1) + n(2), arr(n(1), t(1))),
                    ),
                ),
                Loop::RotateValues => (
                    2,
                    &[Data],
                    fun(
                        &[fun1(t(0), t(0)), arr(n(1) + n(0), t(0))],
                        arr(int(1) + n(1), arr(n(0), t(0))),
                    ),
                ),
            },
            Sort::View(op) => match op {
                View::Zip => (
                    1,
                    &[Data, Data],
                    fun(
                        &[arr(n(0), t(0)), arr(n(0), t(1))],
                        arr(n(0), pair(t(0), t(1))),
                    ),
                ),
                View::Unzip => (
                    1,
                    &[Data, Data],
                    fun1(
                        arr(n(0), pair(t(0), t(1))),
                        pair(arr(n(0), t(0)), arr(n(0), t(1))),
                    ),
                ),
                View::Split => (
                    2,
                    &[Data],
                    fun1(arr(n(1) * n(0), t(0)), arr(n(1), arr(n(0), t(0)))),
                ),
                View::Join => (
                    2,
                    &[Data],
                    fun1(arr(n(0), arr(n(1), t(0))), arr(n(0) * n(1), t(0))),
                ),
                View::Transpose => (
                    2,
                    &[Data],
                    fun1(arr(n(0), arr(n(1), t(0))), arr(n(1), arr(n(0), t(0)))),
                ),
                View::Slide => (
                    3,
                    &[Data],
                    fun1(
                        arr(n(1) * n(2) + n(0), t(0)),
                        arr(int(1) + n(2), arr(n(0), t(0))),
                    ),
                ),
                View::Take => (2, &[Data], fun1(arr(n(0) + n(1), t(0)), arr(n(0), t(0)))),
                View::Drop => (2, &[Data], fun1(arr(n(0) + n(1), t(0)), arr(n(1), t(0)))),
                View::Concat => (
                    2,
                    &[Data],
                    fun(&[arr(n(0), t(0)), arr(n(1), t(0))], arr(n(0) + n(1), t(0))),
                ),
                View::PadCst => (
                    3,
                    &[Data],
                    fun(&[t(0), arr(n(2), t(0))], arr(n(0) + n(2) + n(1), t(0))),
                ),
                View::PadClamp => (
                    3,
                    &[Data],
                    fun1(arr(n(2), t(0)), arr(n(0) + n(2) + n(1), t(0))),
                ),
                View::Gather => (
                    2,
                    &[Data],
                    fun(
                        &[arr(n(0), Ty::idx(n(1))), arr(n(1), t(0))],
                        arr(n(0), t(0)),
                    ),
                ),
                View::Scatter => (
                    2,
                    &[Data],
                    fun(
                        &[arr(n(0), Ty::idx(n(1))), arr(n(0), t(0))],
                        arr(n(1), t(0)),
                    ),
                ),
                View::Reorder => {
                    let perm = fun1(Ty::idx(n(0)), Ty::idx(n(0)));
                    (
                        1,
                        &[Data],
                        fun(&[perm, perm, arr(n(0), t(0))], arr(n(0), t(0))),
                    )
                }
                View::Reverse => (1, &[Data], fun1(arr(n(0), t(0)), arr(n(0), t(0)))),
                View::AsVector => (
                    2,
                    &[Flat],
                    fun1(arr(n(1) * n(0), t(0)), arr(n(1), Ty::vec(n(0), t(0)))),
                ),
                View::AsScalar => (
                    2,
                    &[Flat],
                    fun1(arr(n(0), Ty::vec(n(1), t(0))), arr(n(0) * n(1), t(0))),
                ),
            },
            Sort::Data(op) => match op {
                self::Data::Pair => (0, &[Data, Data], fun(&[t(0), t(1)], pair(t(0), t(1)))),
                self::Data::Fst => (0, &[Data, Data], fun1(pair(t(0), t(1)), t(0))),
                self::Data::Snd => (0, &[Data, Data], fun1(pair(t(0), t(1)), t(1))),
                self::Data::MapFst => (
                    0,
                    &[Data, Data, Data],
                    fun(&[fun1(t(0), t(2)), pair(t(0), t(1))], pair(t(2), t(1))),
                ),
                self::Data::MapSnd => (
                    0,
                    &[Data, Data, Data],
                    fun(&[fun1(t(1), t(2)), pair(t(0), t(1))], pair(t(0), t(2))),
                ),
                self::Data::Idx => (1, &[Data], fun(&[Ty::idx(n(0)), arr(n(0), t(0))], t(0))),
                self::Data::Fill => (1, &[Data], fun1(t(0), arr(n(0), t(0)))),
                // The index is checked against the size where both are known.
                self::Data::At => (2, &[Data], fun1(arr(n(1), t(0)), t(0))),
                self::Data::MakeArray => {
                    let k = sizes.first()?.as_int().filter(|k| (1..=64).contains(k))?;
                    (
                        1,
                        &[Data],
                        Ty::funs(vec![t(0); k as usize], arr(n(0), t(0))),
                    )
                }
                self::Data::VectorFromScalar => (1, &[Flat], fun1(t(0), Ty::vec(n(0), t(0)))),
                self::Data::ToMem => (0, &[Data], fun1(t(0), t(0))),
                self::Data::Let => (0, &[Data, Data], fun(&[t(0), fun1(t(0), t(1))], t(1))),
                self::Data::Select => (0, &[Data], fun(&[bool_, t(0), t(0)], t(0))),
                self::Data::Cast => (0, &[Convertible, Convertible], fun1(t(0), t(1))),
            },
            Sort::Arithmetic(op) => match op {
                Arithmetic::Neg | Arithmetic::Abs => (0, &[Number], fun1(t(0), t(0))),
                Arithmetic::Add
                | Arithmetic::Sub
                | Arithmetic::Mul
                | Arithmetic::Div
                | Arithmetic::Mod
                | Arithmetic::Min
                | Arithmetic::Max => (0, &[Number], fun(&[t(0), t(0)], t(0))),
                Arithmetic::Fma => (0, &[Number], fun(&[t(0), t(0), t(0)], t(0))),
            },
            Sort::Bits(op) => match op {
                Bits::BitAnd | Bits::BitOr | Bits::BitXor | Bits::Shl | Bits::Shr => {
                    (0, &[Int], fun(&[t(0), t(0)], t(0)))
                }
                Bits::BitNot => (0, &[Int], fun1(t(0), t(0))),
                // That the types are of one width is checked where both are known.
                Bits::Bitcast => (0, &[Number, Number], fun1(t(0), t(1))),
            },
            Sort::Function(_) => (0, &[Float], fun1(t(0), t(0))),
            Sort::Comparison(_) => (0, &[Element], fun(&[t(0), t(0)], bool_)),
            Sort::Logic(Logic::Not) => (0, &[], fun1(bool_, bool_)),
            Sort::Logic(Logic::And | Logic::Or) => (0, &[], fun(&[bool_, bool_], bool_)),
        };
        Some(Scheme {
            nats,
            tys: tys.to_vec(),
            ty,
        })
    }

    /// How many arguments it takes before it gives data.
    pub fn arity(self, sizes: &[Nat]) -> usize {
        let Some(scheme) = self.scheme(sizes) else {
            return 0;
        };
        let (mut ty, mut n) = (scheme.ty, 0);
        while let Some((_, result)) = ty.as_fun() {
            ty = result;
            n += 1;
        }
        n
    }
}

thread_local! {
    static PRIMS: RefCell<Table<(Op, SmallVec<[Nat; 2]>)>> = RefCell::default();
}

/// An operation with its explicit sizes, interned.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Prim(u32, NotSend);

impl Prim {
    /// `op[sizes]`; there must be as many sizes as the operation takes.
    pub fn new(op: Op, sizes: &[Nat]) -> Prim {
        assert_eq!(
            op.size_args(),
            sizes.len(),
            "{} takes {} sizes",
            op.name(),
            op.size_args()
        );
        PRIMS.with_borrow_mut(|t| Prim(t.intern((op, sizes.into())).0, PhantomData))
    }

    /// The operation.
    pub fn op(self) -> Op {
        PRIMS.with_borrow(|t| t.get(self.0).0)
    }

    /// How many nodes of a term it counts: each explicit size counts as an
    /// application.
    pub fn size(self) -> u32 {
        1 + self.op().size_args() as u32
    }

    /// Its explicit sizes.
    pub fn sizes(self) -> SmallVec<[Nat; 2]> {
        PRIMS.with_borrow(|t| t.get(self.0).1.clone())
    }

    /// A dense id, unique in this thread; for tables only.
    pub fn id(self) -> u32 {
        self.0
    }

    /// The primitive of a dense id that [`Prim::id`] gave on this thread.
    pub fn from_id(id: u32) -> Prim {
        debug_assert!((id as usize) < PRIMS.with_borrow(|t| t.len()));
        Prim(id, PhantomData)
    }

    /// The same operation with every size replaced.
    pub fn map_nats(self, f: &mut impl FnMut(Nat) -> Nat) -> Prim {
        if self.op().size_args() == 0 {
            return self;
        }
        let sizes: SmallVec<[Nat; 2]> = self.sizes().into_iter().map(f).collect();
        Prim::new(self.op(), &sizes)
    }
}

impl From<Op> for Prim {
    fn from(op: Op) -> Prim {
        Prim::new(op, &[])
    }
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.op().name())?;
        let sizes = self.sizes();
        if !sizes.is_empty() {
            let sizes: Vec<_> = sizes.iter().map(|n| n.to_string()).collect();
            write!(f, "[{}]", sizes.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Prim {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
