//! Where a number becomes an index, there has to be one that it can become.
//!
//! Comes in: a term; goes out: for each `cast … : idx[n]` in it that n is at least 1, or that nothing is cast, because
//! the cast stands in a function that is applied to each element of an array that has none, or in an array that sizes do not choose.
//! Lowering moves what does
//! not depend on a loop out of it, also where that loop never runs; so whoever reads or writes at an index asks
//! [`Casts::may_have_none`], and does nothing where there is no element.
//! Absent: constant indices, which are below their bounds wherever they stand.

use crate::arith::{Nat, Signs};
use crate::index::{Facts, Level};
use crate::term::{Chosen, Kind, Op, Prim, Term};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// The casts to indices of a term.
#[derive(Default)]
pub(super) struct Casts {
    /// Bounds that may be 0, and the sizes one of which is 0 where nothing is cast.
    all: Vec<(Nat, Vec<Nat>)>,
}

impl Casts {
    pub fn of(term: &Term) -> Casts {
        let mut walk = Walk {
            around: Vec::new(),
            seen: FxHashSet::default(),
            out: Casts::default(),
        };
        walk.term(term);
        walk.out
    }

    /// Numbers that must not be negative.
    pub fn conditions(&self) -> impl Iterator<Item = Nat> + '_ {
        self.all.iter().filter_map(|(bound, around)| {
            let mut facts = Facts::new(Level::Full);
            around.iter().for_each(|n| facts.positive(*n));
            let least = *bound - Nat::int(1);
            (!facts.is_not_negative(least))
                .then(|| around.iter().fold(least, |a, n| a.max(Nat::int(0) - *n)))
        })
    }

    /// Whether an index below `bound` may stand, here, for none.
    pub fn may_have_none(&self, bound: Nat, facts: &Facts) -> bool {
        let mut casts = self.all.iter().filter(|(b, _)| *b == bound).peekable();
        if casts.peek().is_none() || facts.less(0.into(), bound) == Some(true) {
            return false;
        }
        let runs = |n: &Nat| facts.less(0.into(), *n) == Some(true);
        !casts.any(|(_, around)| around.iter().all(runs))
    }
}

struct Walk {
    /// Sizes of arrays whose elements the functions around are applied to, and what is positive where sizes choose an array around.
    around: Vec<Nat>,
    seen: FxHashSet<(usize, Vec<Nat>)>,
    out: Casts,
}

impl Walk {
    fn term(&mut self, t: &Term) {
        if !self.seen.insert((t.address(), self.around.clone())) {
            return;
        }
        match t.kind() {
            Kind::Prim(p) if p.op() == Op::Cast => self.cast(t.ty()),
            Kind::Lam(_, body) => {
                let bound = t.ty().as_fun().and_then(|(arg, _)| match arg.kind() {
                    TyKind::Idx(n) => Some(n),
                    _ => None,
                });
                self.inside(bound, body);
            }
            Kind::App(..) => {
                let (head, args) = t.spine();
                if let Some(chosen) = Chosen::of(t) {
                    let sides = [chosen.sizes.clone(), vec![chosen.otherwise()]];
                    for (mut sizes, array) in sides.into_iter().zip(chosen.arrays) {
                        // What every size satisfies says nothing.
                        let facts = Facts::new(Level::Full);
                        sizes.retain(|n| !facts.is_not_negative(*n - Nat::int(1)));
                        let before = self.around.len();
                        self.around.extend(sizes);
                        self.term(array);
                        self.around.truncate(before);
                    }
                    return;
                }
                self.term(head);
                let prim = match head.kind() {
                    Kind::Prim(p) => Some(*p),
                    _ => None,
                };
                for (i, a) in args.into_iter().enumerate() {
                    match prim {
                        // The inverse is never applied.
                        Some(p) if p.op() == Op::Reorder && i == 1 => {}
                        Some(p) if i == 0 => self.function(applied(p, head.ty()), a),
                        _ => self.term(a),
                    }
                }
            }
            _ => {}
        }
    }

    /// A function that is applied so often. Arguments that it has already are computed when it is applied for the first time.
    fn function(&mut self, size: Option<Nat>, t: &Term) {
        let (head, args) = t.spine();
        match head.kind() {
            Kind::Prim(p) if t.ty().is_fun() && !args.is_empty() => {
                for (i, a) in args.into_iter().enumerate() {
                    match a.ty().is_fun() {
                        true if p.op() == Op::Reorder && i == 1 => {}
                        true => self.within(size, |walk| {
                            let own = if i == 0 { applied(*p, head.ty()) } else { None };
                            walk.function(own, a);
                        }),
                        false => self.inside(size, a),
                    }
                }
            }
            _ => self.inside(size, t),
        }
    }

    fn inside(&mut self, size: Option<Nat>, t: &Term) {
        self.within(size, |walk| walk.term(t));
    }

    fn within(&mut self, size: Option<Nat>, f: impl FnOnce(&mut Self)) {
        let new = size.filter(|n| n.as_int().is_none_or(|k| k < 1) && !self.around.contains(n));
        self.around.extend(new);
        f(self);
        if new.is_some() {
            self.around.pop();
        }
    }

    fn cast(&mut self, ty: Ty) {
        let TyKind::Idx(bound) = ty.uncurried().1.kind() else {
            return;
        };
        let entry = (bound, self.around.clone());
        if bound.as_int().is_none_or(|n| n < 1) && !self.out.all.contains(&entry) {
            self.out.all.push(entry);
        }
    }
}

/// How often a primitive of a type applies its first argument.
fn applied(p: Prim, ty: Ty) -> Option<Nat> {
    use Op::*;
    let (args, result) = ty.uncurried();
    let len = |i: usize| args.get(i).and_then(|t| t.as_array()).map(|a| a.0);
    match p.op() {
        Map | MapSeq | MapPar | MapSeqUnroll | CircularBuffer | RotateValues => len(1),
        Reduce | ReduceSeq | ReduceSeqUnroll | ScanSeq | ScatterReduce | Reorder => len(2),
        ReduceSegments => len(3),
        Iterate => p.sizes().first().copied(),
        Generate => result.as_array().map(|a| a.0),
        _ => None,
    }
}
