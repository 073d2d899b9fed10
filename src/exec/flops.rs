//! How many arithmetic operations a term does on data.
//!
//! In: a closed term in normal form, sizes. Out: a number of operations: one for each `add`, `sub`,
//! `mul`, `div`, `mod`, `min`, `max`, `neg`, `abs` and function such as `sqrt`, two for `fma`, times
//! the lanes of a vector. Comparisons, selections, conversions and index arithmetic do not count.
//! The source program is what is counted, never what the search made of it: so two kernels of one
//! program are compared by the same number. Absent: time.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::abi;
use crate::term::{normalize, normalize_within, Kind, Op, Program, Term};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The operations of one call, each value computed once for all that use it; `None` when a size has no value.
pub fn flops(program: &Program, sizes: &BTreeMap<Symbol, i64>) -> Option<f64> {
    count(program, sizes, true)
}

/// The operations of one call of the term as it stands: what is written in a loop is computed in each iteration of it, and what is
/// written twice, twice; an iteration without any counts as one. `None` when a size has no value.
pub fn work(program: &Program, sizes: &BTreeMap<Symbol, i64>) -> Option<f64> {
    count(program, sizes, false)
}

/// The elements of the longest scan, at least 1: so much more stands behind its last number than behind one of them by itself.
pub fn scanned(program: &Program, sizes: &BTreeMap<Symbol, i64>) -> f64 {
    let mut longest = 1.0f64;
    normalize(&program.term).visit(&mut |t, _| {
        let scan = matches!(t.kind(), Kind::Prim(p) if p.op() == Op::ScanSeq);
        let scanned = t.ty().uncurried().1.as_array().filter(|_| scan);
        let length = scanned.and_then(|(n, _)| n.eval(&mut |s| sizes.get(&s).copied()));
        longest = longest.max(length.unwrap_or(1) as f64);
    });
    longest
}

/// The program as its kernel computes it, where no search changes it: the elements of a named array that is not stored are computed
/// wherever it is read.
pub fn in_place(program: &Program) -> Program {
    let term = normalize_within(&read_in_place(&program.term), MOST);
    Program {
        term: term.unwrap_or_else(|| program.term.clone()),
        ..program.clone()
    }
}

fn count(program: &Program, sizes: &BTreeMap<Symbol, i64>, shared: bool) -> Option<f64> {
    let term = normalize(&program.term);
    let mut count = Count {
        sizes,
        shared,
        binders: vec![Binder { id: 0, times: 1.0 }],
        ids: 0,
        known: FxHashSet::default(),
        total: 0.0,
    };
    count.call(&term, program.params.len(), 1.0)?;
    Some(count.total)
}

/// Terms in which named arrays stand where they are read have so many nodes at most.
const MOST: u32 = 10_000;

/// The term with arrays that have a name, and are not stored, in place of their names.
fn read_in_place(t: &Term) -> Term {
    match t.kind() {
        Kind::Lam(hint, body) => match t.ty().as_fun() {
            Some((arg, _)) => Term::lam(*hint, arg, read_in_place(body)),
            None => t.clone(),
        },
        Kind::App(f, x) => {
            let (f, x) = (read_in_place(f), read_in_place(x));
            let named = f.as_prim_app().filter(|(p, _)| p.op() == Op::Let);
            match named.as_ref().map(|(_, args)| &args[..]) {
                Some([value]) if is_read_in_place(value) => Term::app(x, (*value).clone()),
                _ => Term::app(f, x),
            }
        }
        _ => t.clone(),
    }
}

/// Whether a named value is computed, or a part of it, where it is read.
fn is_read_in_place(value: &Term) -> bool {
    let stored = value
        .as_prim_app()
        .is_some_and(|(p, _)| p.op() == Op::ToMem);
    let array = abi::leaves(value.ty()).is_some_and(|all| all.iter().any(|l| !l.2.is_empty()));
    array && !stored
}

/// What binds a variable.
#[derive(Copy, Clone)]
struct Binder {
    /// Tells it from all others.
    id: usize,
    /// How often it gets another value.
    times: f64,
}

struct Count<'a> {
    sizes: &'a BTreeMap<Symbol, i64>,
    /// Whether a value is computed once.
    shared: bool,
    /// Outer ones first; the first one stands for the program.
    binders: Vec<Binder>,
    ids: usize,
    /// Values that are counted, each with the innermost binder that it depends on, as if it stood directly below that.
    known: FxHashSet<(usize, Term)>,
    total: f64,
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
    fn value(&mut self, t: &Term) -> Option<()> {
        if !matches!(t.kind(), Kind::App(..)) {
            return Some(());
        }
        if t.ty().is_fun() {
            return self.arguments(t);
        }
        let mut binder = *self.binders.last()?;
        if self.shared {
            let inner = (0..t.open()).find(|&i| t.mentions(i));
            let above = inner.map_or(self.binders.len() - 1, |i| i as usize);
            binder = self.binders[self.binders.len() - 1 - above];
            if !self.known.insert((binder.id, t.shift(-(above as i32)))) {
                return Some(());
            }
        }
        self.call(t, 0, binder.times)
    }

    fn arguments(&mut self, t: &Term) -> Option<()> {
        t.spine().1.into_iter().try_for_each(|a| self.value(a))
    }

    /// Applying `f` so often to `n` more arguments, whose own evaluation is counted elsewhere.
    fn call(&mut self, f: &Term, n: usize, times: f64) -> Option<()> {
        let (head, args) = f.spine();
        match head.kind() {
            Kind::Lam(_, body) if n + args.len() > 0 => {
                self.arguments(f)?;
                self.ids += 1;
                let id = self.ids;
                self.binders.push(Binder { id, times });
                let done = self.call(body, n + args.len() - 1, times);
                self.binders.pop();
                done
            }
            Kind::Prim(p) => {
                let mut types = Vec::new();
                let mut ty = head.ty();
                while let (true, Some((a, r))) = (types.len() < args.len() + n, ty.as_fun()) {
                    types.push(a);
                    ty = r;
                }
                self.arguments(f)?;
                // Not yet all arguments: nothing happens.
                if ty.is_fun() {
                    return Some(());
                }
                let own = self.operation(p.op(), p.sizes().as_slice(), &types, ty)?;
                match own {
                    Own::Operations(n) => self.total += n * times,
                    Own::Calls(arity, n) => {
                        let at = usize::from(p.op() == Op::Let);
                        let before = self.total;
                        if let Some(f) = args.get(at) {
                            self.call(f, arity, times * n)?;
                        }
                        // An iteration takes time, whatever it does.
                        if !self.shared && self.total == before {
                            self.total += times * n;
                        }
                    }
                }
                Some(())
            }
            // A function that comes from outside: only data does.
            _ => Some(()),
        }
    }

    /// What a primitive does with arguments of these types.
    fn operation(&self, op: Op, sizes: &[Nat], types: &[Ty], result: Ty) -> Option<Own> {
        use Op::*;
        let last = || self.array_size(*types.last()?);
        Some(match op {
            Map | MapSeq | MapPar | MapSeqUnroll | CircularBuffer => Own::Calls(1, last()?),
            Reduce | ReduceSeq | ReduceSeqUnroll | ScanSeq | ScatterReduce => {
                Own::Calls(2, last()?)
            }
            // Of a matrix, say, each value is in one segment.
            ReduceSegments => Own::Calls(2, last()?),
            MapFst | MapSnd | Let => Own::Calls(1, 1.0),
            Generate => Own::Calls(1, self.array_size(result)?),
            Iterate => Own::Calls(1, self.size(*sizes.first()?)?),
            Fma => Own::Operations(2.0 * self.lanes(result)?),
            _ if op.is_lane_wise() => Own::Operations(self.lanes(result)?),
            _ => Own::Operations(0.0),
        })
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

/// What a primitive does itself.
enum Own {
    /// So many operations.
    Operations(f64),
    /// Its function, with so many arguments, is called so often.
    Calls(usize, f64),
}
