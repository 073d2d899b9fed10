//! How many arithmetic operations a term does on data.
//!
//! In: a closed term in normal form, sizes. Out: a number of operations: one for each `add`, `sub`,
//! `mul`, `div`, `mod`, `min`, `max`, `neg`, `abs` and function such as `sqrt`, two for `fma`, times
//! the lanes of a vector. Comparisons, selections, conversions and index arithmetic do not count.
//! The source program is what is counted, never what the search made of it: so two kernels of one
//! program are compared by the same number. Absent: time.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::{normalize, Kind, Op, Program, Term};
use crate::ty::{Ty, TyKind};
use std::collections::BTreeMap;

/// The operations of one call; `None` when a size has no value.
pub fn flops(program: &Program, sizes: &BTreeMap<Symbol, i64>) -> Option<f64> {
    let term = normalize(&program.term);
    Count { sizes }.call(&term, program.params.len())
}

struct Count<'a> {
    sizes: &'a BTreeMap<Symbol, i64>,
}

impl Count<'_> {
    fn size(&self, n: Nat) -> Option<f64> {
        let n = n.eval(&mut |s| self.sizes.get(&s).copied())?;
        (n >= 0).then_some(n as f64)
    }

    fn array_size(&self, ty: Ty) -> Option<f64> {
        let (n, _) = ty.as_array()?;
        self.size(n)
    }

    /// Evaluating `t` itself.
    fn work(&self, t: &Term) -> Option<f64> {
        match t.kind() {
            Kind::App(..) if t.ty().is_fun() => self.arguments(t),
            Kind::App(..) => self.call(t, 0),
            _ => Some(0.0),
        }
    }

    fn arguments(&self, t: &Term) -> Option<f64> {
        t.spine().1.into_iter().map(|a| self.work(a)).sum()
    }

    /// Applying `f` to `n` more arguments whose own evaluation is counted elsewhere.
    fn call(&self, f: &Term, n: usize) -> Option<f64> {
        let (head, args) = f.spine();
        match head.kind() {
            Kind::Lam(_, body) if args.is_empty() && n > 0 => self.call(body, n - 1),
            Kind::Lam(_, body) => Some(self.arguments(f)? + self.call(body, n + args.len() - 1)?),
            Kind::Prim(p) => {
                let mut types = Vec::new();
                let mut ty = head.ty();
                while let (true, Some((a, r))) = (types.len() < args.len() + n, ty.as_fun()) {
                    types.push(a);
                    ty = r;
                }
                Some(
                    self.arguments(f)?
                        + self.operation(p.op(), p.sizes().as_slice(), &args, &types, ty)?,
                )
            }
            // A function that comes from outside: only data does.
            _ => Some(0.0),
        }
    }

    /// A primitive on arguments of these types, of which the first are known.
    fn operation(
        &self,
        op: Op,
        sizes: &[Nat],
        args: &[&Term],
        types: &[Ty],
        result: Ty,
    ) -> Option<f64> {
        use Op::*;
        // Not yet all arguments: nothing happens.
        if result.is_fun() {
            return Some(0.0);
        }
        let function = |arity: usize| match args.first() {
            Some(f) => self.call(f, arity),
            None => Some(0.0),
        };
        let last = || self.array_size(*types.last()?);
        match op {
            Map | MapSeq | MapPar | MapSeqUnroll => Some(last()? * function(1)?),
            Reduce | ReduceSeq | ReduceSeqUnroll | ScanSeq | ScatterReduce => {
                Some(last()? * function(2)?)
            }
            // Between offsets that are drawn lies a sixth of the values.
            ReduceSegments => Some(self.array_size(result)? * last()? / 6.0 * function(2)?),
            CircularBuffer => Some(last()? * function(1)?),
            MapFst | MapSnd => function(1),
            Generate => Some(self.array_size(result)? * function(1)?),
            Iterate => Some(self.size(*sizes.first()?)? * function(1)?),
            Let => match args.get(1) {
                Some(f) => self.call(f, 1),
                None => Some(0.0),
            },
            Fma => Some(2.0 * self.lanes(result)?),
            _ if op.is_lane_wise() => self.lanes(result),
            _ => Some(0.0),
        }
    }

    /// How many numbers a scalar or vector holds; an index is none.
    fn lanes(&self, ty: Ty) -> Option<f64> {
        match ty.kind() {
            TyKind::Scalar(_) => Some(1.0),
            TyKind::Vec(n, t) => Some(self.size(n)? * self.lanes(t)?),
            _ => Some(0.0),
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/exec/flops.rs"]
mod tests;
