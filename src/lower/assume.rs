//! What a program asks of its sizes.
//!
//! Every size in a type of the term must be a whole number that is not negative;
//! so must what primitives leave implicit (what `take` drops, the steps of
//! `slide`). A constant index must be below its bound wherever it stands, and a cast
//! to an index needs one that it can give, unless nothing is ever cast (`casts`).
//! Goes out: those that are not always so, without repetition, in the
//! order in which they stand in the term. Fixed sizes that contradict them are an
//! error here.

use super::casts::Casts;
use super::Options;
use crate::arith::{AtomKind, Nat, Rat, Signs};
use crate::diag::{code, Diagnostic};
use crate::index::{fraction, Facts, Level};
use crate::intern::Symbol;
use crate::nest::{Assumption, ErrorCode, Nest};
use crate::term::{Kind, Lit, Op, Program, Term};
use crate::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
struct Sizes {
    seen: FxHashSet<Nat>,
    types: FxHashSet<Ty>,
    all: Vec<Nat>,
    /// Constant indices and their bounds, by what must not be negative.
    indices: FxHashMap<Nat, (Nat, Nat)>,
    /// Numbers that need not be sizes, but whole.
    numbers: Vec<Nat>,
    /// Whether an index is made of a number.
    casts: bool,
}

impl Sizes {
    fn size(&mut self, n: Nat) {
        if self.seen.insert(n) {
            self.all.push(n);
        }
    }

    fn ty(&mut self, ty: Ty) {
        if !self.types.insert(ty) {
            return;
        }
        match ty.kind() {
            TyKind::Scalar(_) | TyKind::Meta(_) => {}
            TyKind::Idx(n) => self.size(n),
            TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
                self.ty(a);
                self.ty(b);
            }
            TyKind::Vec(n, t) | TyKind::Array(n, t) => {
                self.size(n);
                self.ty(t);
            }
        }
    }

    fn term(&mut self, t: &Term) {
        self.ty(t.ty());
        let p = match t.kind() {
            Kind::Prim(p) => p,
            Kind::Lit(l) => return self.literal(*l, t.ty()),
            _ => return,
        };
        let sizes = p.sizes();
        for n in &sizes {
            self.size(*n);
        }
        let (args, result) = uncurry(t.ty());
        let len = |t: Option<&Ty>| t.and_then(|t| t.as_array()).map(|a| a.0);
        let one = Nat::int(1);
        match p.op() {
            Op::Take | Op::Drop => {
                if let Some(n) = len(args.first()) {
                    self.size(n - sizes[0]);
                }
            }
            Op::Slide | Op::CircularBuffer | Op::RotateValues => {
                if let Some(n) = len(Some(&result)) {
                    self.size(n - one);
                }
            }
            Op::At => {
                if let Some(n) = len(args.first()) {
                    self.index(sizes[0], n);
                }
            }
            Op::Cast => self.casts |= matches!(result.kind(), TyKind::Idx(_)),
            _ => {}
        }
    }

    fn index(&mut self, i: Nat, n: Nat) {
        let after = n - Nat::int(1) - i;
        self.indices.insert(after, (i, n));
        self.size(after);
    }

    fn literal(&mut self, l: Lit, ty: Ty) {
        let index = match l {
            Lit::Int(i) => i64::try_from(i).ok().map(Nat::int),
            Lit::Size(n) => Some(n),
            _ => None,
        };
        match (index, ty.kind()) {
            (Some(i), TyKind::Idx(n)) => {
                self.size(i);
                self.index(i, n);
            }
            (Some(i), _) => self.numbers.push(i),
            _ => {}
        }
    }
}

pub(super) fn uncurry(ty: Ty) -> (Vec<Ty>, Ty) {
    let (mut args, mut ty) = (Vec::new(), ty);
    while let Some((a, r)) = ty.as_fun() {
        args.push(a);
        ty = r;
    }
    (args, ty)
}

/// The assumptions of a program.
pub(super) fn collect(
    program: &Program,
    term: &Term,
    params: &[(Symbol, Ty)],
    result: Ty,
    options: &Options,
) -> Result<(Vec<Assumption>, Casts), Diagnostic> {
    let mut sizes = Sizes::default();
    for (_, ty) in params {
        sizes.ty(*ty);
    }
    sizes.ty(result);
    let mut seen = FxHashSet::default();
    visit_once(term, &mut seen, &mut |t| sizes.term(t));
    let mut divides: Vec<(Nat, Nat)> = Vec::new();
    let mut signs: Vec<Nat> = Vec::new();
    for n in sizes.all {
        whole(n, &mut divides);
        signs.push(n);
    }
    sizes.numbers.iter().for_each(|n| whole(*n, &mut divides));
    let plain = Facts::new(Level::Full);
    let casts = match sizes.casts {
        true => Casts::of(term),
        false => Casts::default(),
    };
    signs.extend(casts.conditions());
    let mut out: Vec<Assumption> = Vec::new();
    let excluded = |what: String| {
        let d = Diagnostic::new(
            code::SIZES_EXCLUDED,
            format!("the fixed sizes of `{}` are excluded: {what}", program.name),
        );
        let fixed: Vec<_> = options
            .fixed
            .iter()
            .map(|(s, n)| format!("{s}={n}"))
            .collect();
        match fixed.is_empty() {
            true => d.help("change the sizes in the program"),
            false => d.help(format!("choose others than {}", fixed.join(","))),
        }
    };
    for (d, n) in &divides {
        if let (Some(k), Some(n)) = (d.as_int(), n.as_int()) {
            if k == 0 || n % k != 0 {
                return Err(excluded(format!(
                    "a size would be {n}/{k}, no whole number"
                )));
            }
            continue;
        }
        // 4 divides n if 32 does.
        let implied = divides.iter().any(|(e, o)| {
            o == n
                && e != d
                && matches!((e.as_int(), d.as_int()), (Some(e), Some(d)) if d != 0 && e % d == 0)
        });
        let a = Assumption::Divides(*d, *n);
        if !implied && !out.contains(&a) {
            out.push(a);
        }
    }
    for n in signs {
        if n.as_rat().is_some_and(|r| r < Rat::ZERO) {
            return Err(excluded(match sizes.indices.get(&n) {
                Some((i, n)) => format!("the index {i} is not below {n}"),
                None => format!("{n} is negative"),
            }));
        }
        // A fraction has the sign of its numerator: sizes are not negative.
        let (numerator, _) = fraction(n);
        if plain.is_not_negative(numerator) {
            continue;
        }
        let a = Assumption::NotNegative(numerator);
        if !out.contains(&a) {
            out.push(a);
        }
    }
    Ok((out, casts))
}

/// That `n` is a whole number.
fn whole(n: Nat, out: &mut Vec<(Nat, Nat)>) {
    n.each_atom(&mut |a| {
        if let AtomKind::Quot(x, d) = a.kind() {
            out.push((d, x));
        }
        for part in a.kind().parts() {
            let (numerator, d) = fraction(part);
            if d != Nat::int(1) {
                out.push((d, numerator));
            }
        }
    });
    let (numerator, d) = fraction(n);
    if d != Nat::int(1) {
        out.push((d, numerator));
    }
}

fn visit_once(t: &Term, seen: &mut FxHashSet<usize>, f: &mut impl FnMut(&Term)) {
    // Shared nodes are looked at once; the root keeps all of them alive.
    let mut stack = vec![t.clone()];
    while let Some(t) = stack.pop() {
        if !seen.insert(t.address()) {
            continue;
        }
        f(&t);
        match t.kind() {
            Kind::Lam(_, b) => stack.push(b.clone()),
            Kind::App(g, x) => {
                stack.push(x.clone());
                stack.push(g.clone());
            }
            _ => {}
        }
    }
}

/// Makes the assumptions known.
pub(super) fn tell(assumptions: &[Assumption], facts: &mut Facts) {
    for a in assumptions {
        match a {
            Assumption::Divides(d, n) => facts.whole(n.exact_div(*d)),
            Assumption::NotNegative(n) => facts.not_negative(*n),
        }
    }
}

/// What the function can return.
pub(super) fn errors(nest: &Nest) -> Vec<ErrorCode> {
    let prefix = nest.abi.name.to_uppercase();
    let code = |suffix: &str, code, meaning| ErrorCode {
        name: format!("{prefix}_ERR_{suffix}"),
        code,
        meaning,
    };
    let mut out = vec![
        code(
            "SIZE",
            1,
            "a size is negative, too large, or excluded by the assumptions",
        ),
        code("MEMORY", 2, "no memory for the buffers"),
    ];
    if nest.abi.inputs.iter().any(|s| s.bound.is_some()) {
        out.push(code("INDEX", 3, "an index in the input is out of bounds"));
    }
    out
}
