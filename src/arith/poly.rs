//! Polynomials with rational coefficients and integer exponents over atoms.

use super::{Nat, Rat, ARITH};
use crate::intern::{NotSend, Symbol};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::marker::PhantomData;

/// A variable or an operation that the normal form keeps whole.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom(u32, NotSend);

/// What an [`Atom`] is.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub enum AtomKind {
    /// A named variable.
    Var(Symbol),
    /// An unknown.
    Meta(u32),
    /// ⌊a / b⌋
    Floor(Nat, Nat),
    /// ⌈a / b⌉
    Ceil(Nat, Nat),
    /// a mod b, in [0, |b|)
    Mod(Nat, Nat),
    /// The smaller; operands ordered.
    Min(Nat, Nat),
    /// The larger; operands ordered.
    Max(Nat, Nat),
    /// Exact a / b for a `b` that is a sum.
    Quot(Nat, Nat),
    /// Left 64 bits.
    Overflow,
}

impl AtomKind {
    pub(super) fn min(a: Nat, b: Nat) -> AtomKind {
        AtomKind::Min(Ord::min(a, b), Ord::max(a, b))
    }

    pub(super) fn max(a: Nat, b: Nat) -> AtomKind {
        AtomKind::Max(Ord::min(a, b), Ord::max(a, b))
    }

    /// The expressions inside of it.
    pub fn parts(self) -> SmallVec<[Nat; 2]> {
        use AtomKind::*;
        match self {
            Var(_) | Meta(_) | Overflow => SmallVec::new(),
            Floor(a, b) | Ceil(a, b) | Mod(a, b) | Min(a, b) | Max(a, b) | Quot(a, b) => {
                SmallVec::from_slice(&[a, b])
            }
        }
    }

    /// The same operation of other operands.
    pub fn map(self, f: &mut impl FnMut(Nat) -> Nat) -> AtomKind {
        use AtomKind::*;
        match self {
            Var(_) | Meta(_) | Overflow => self,
            Floor(a, b) => Floor(f(a), f(b)),
            Ceil(a, b) => Ceil(f(a), f(b)),
            Mod(a, b) => Mod(f(a), f(b)),
            Min(a, b) => Min(f(a), f(b)),
            Max(a, b) => Max(f(a), f(b)),
            Quot(a, b) => Quot(f(a), f(b)),
        }
    }

    /// The normal form of the operation.
    pub fn value(self) -> Nat {
        use AtomKind::*;
        match self {
            Var(_) | Meta(_) | Overflow => Nat::atom(Atom::new(self)),
            Floor(a, b) => a.floor_div(b),
            Ceil(a, b) => a.ceil_div(b),
            Mod(a, b) => a.rem(b),
            Min(a, b) => a.min(b),
            Max(a, b) => a.max(b),
            Quot(a, b) => a.exact_div(b),
        }
    }
}

impl Atom {
    /// The atom of `kind`.
    pub fn new(kind: AtomKind) -> Atom {
        ARITH.with_borrow_mut(|t| Atom(t.atoms.intern(kind).0, PhantomData))
    }

    /// What it is.
    pub fn kind(self) -> AtomKind {
        ARITH.with_borrow(|t| *t.atoms.get(self.0))
    }

    /// With the atoms inside of it replaced.
    pub(super) fn mapped(self, f: &mut impl FnMut(Atom) -> Option<Nat>) -> Nat {
        match self.kind() {
            AtomKind::Var(_) => Nat::atom(self),
            kind => kind.map(&mut |n| n.map_atoms(f)).value(),
        }
    }

    pub(super) fn eval_rat(self, env: &mut dyn FnMut(Symbol) -> Option<i64>) -> Option<Rat> {
        use AtomKind::*;
        let (a, b) = match self.kind() {
            Var(name) => return env(name).map(Rat::int),
            Meta(_) | Overflow => return None,
            Floor(a, b) | Ceil(a, b) | Mod(a, b) | Min(a, b) | Max(a, b) | Quot(a, b) => {
                (a.eval_rat(env)?, b.eval_rat(env)?)
            }
        };
        match self.kind() {
            Floor(..) => Some(Rat::int(a.div(b)?.floor())),
            Ceil(..) => Some(Rat::int(a.neg()?.div(b)?.floor().checked_neg()?)),
            Mod(..) => Some(Rat::int(a.as_int()?.checked_rem_euclid(b.as_int()?)?)),
            Min(..) => Some(Ord::min(a, b)),
            Max(..) => Some(Ord::max(a, b)),
            _ => a.div(b),
        }
    }

    /// How many parts it has as a tree.
    pub(super) fn parts(self) -> u64 {
        let inner = |n: Nat| ARITH.with_borrow(|t| t.parts[n.id() as usize]);
        let each = self.kind().parts().into_iter().map(inner);
        each.fold(1, u64::saturating_add)
    }

    /// Whether an unknown stands in it.
    pub fn has_meta(self) -> bool {
        match self.kind() {
            AtomKind::Meta(_) => true,
            k => k.parts().iter().any(|n| n.has_meta()),
        }
    }
}

/// A product of powers of distinct atoms, ordered by atom.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Mono(SmallVec<[(Atom, i32); 2]>);

impl Mono {
    /// The empty product.
    pub fn one() -> Mono {
        Mono::default()
    }

    /// One atom.
    pub fn atom(a: Atom) -> Mono {
        Mono(SmallVec::from_slice(&[(a, 1)]))
    }

    /// Its atoms.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.0.iter().map(|f| f.0)
    }

    /// Its atoms with their exponents, which are not 0.
    pub fn factors(&self) -> impl Iterator<Item = (Atom, i32)> + '_ {
        self.0.iter().copied()
    }

    /// Whether it is the empty product.
    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether no exponent is negative.
    pub fn is_integral(&self) -> bool {
        self.0.iter().all(|f| f.1 > 0)
    }

    fn combine(&self, o: &Mono, sign: i32) -> Mono {
        let mut out = self.0.clone();
        for &(a, e) in &o.0 {
            match out.binary_search_by_key(&a, |f| f.0) {
                Ok(i) => {
                    out[i].1 = out[i].1.saturating_add(sign * e);
                    if out[i].1 == 0 {
                        out.remove(i);
                    }
                }
                Err(i) => out.insert(i, (a, sign * e)),
            }
        }
        Mono(out)
    }

    /// Lexicographic by the exponent of the largest atom first: unlike the
    /// derived order, one that products respect, as division needs it.
    fn lexicographic(&self, o: &Mono) -> Ordering {
        let (mut a, mut b) = (self.0.iter().rev(), o.0.iter().rev());
        loop {
            let step = match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (Some(x), None) => x.1.cmp(&0),
                (None, Some(y)) => 0.cmp(&y.1),
                (Some(x), Some(y)) if x.0 == y.0 => x.1.cmp(&y.1),
                (Some(x), Some(y)) if x.0 > y.0 => x.1.cmp(&0),
                (Some(_), Some(y)) => 0.cmp(&y.1),
            };
            if step.is_ne() {
                return step;
            }
        }
    }

    /// Product.
    pub fn mul(&self, o: &Mono) -> Mono {
        self.combine(o, 1)
    }

    /// Quotient.
    pub fn div(&self, o: &Mono) -> Mono {
        self.combine(o, -1)
    }
}

/// A sum of monomials with coefficients that are not 0, ordered by monomial.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Poly(SmallVec<[(Mono, Rat); 1]>);

/// Divisions by a sum stop after so many steps and stay exact quotients.
const DIVISION_STEPS: usize = 32;

impl Poly {
    pub fn constant(r: Rat) -> Poly {
        Poly::from_terms([(Mono::one(), r)]).expect("one term cannot overflow")
    }

    pub fn atom(a: Atom) -> Poly {
        Poly(SmallVec::from_iter([(Mono::atom(a), Rat::ONE)]))
    }

    pub fn from_terms(terms: impl IntoIterator<Item = (Mono, Rat)>) -> Option<Poly> {
        let mut out = Poly(SmallVec::new());
        for (m, c) in terms {
            out.push(m, c)?;
        }
        Some(out)
    }

    fn push(&mut self, m: Mono, c: Rat) -> Option<()> {
        if c.is_zero() {
            return Some(());
        }
        match self.0.binary_search_by(|t| t.0.cmp(&m)) {
            Ok(i) => {
                self.0[i].1 = self.0[i].1.add(c)?;
                if self.0[i].1.is_zero() {
                    self.0.remove(i);
                }
            }
            Err(i) => self.0.insert(i, (m, c)),
        }
        Some(())
    }

    fn leading(&self) -> Option<&(Mono, Rat)> {
        self.0.iter().max_by(|a, b| a.0.lexicographic(&b.0))
    }

    pub fn terms(&self) -> &[(Mono, Rat)] {
        &self.0
    }

    pub fn as_constant(&self) -> Option<Rat> {
        match &self.0[..] {
            [] => Some(Rat::ZERO),
            [(m, c)] if m.is_one() => Some(*c),
            _ => None,
        }
    }

    pub fn as_atom(&self) -> Option<Atom> {
        match &self.0[..] {
            [(m, c)] if *c == Rat::ONE => match m.0[..] {
                [(a, 1)] => Some(a),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn add(&self, o: &Poly, factor: Rat) -> Option<Poly> {
        let mut out = self.clone();
        for (m, c) in &o.0 {
            out.push(m.clone(), c.mul(factor)?)?;
        }
        Some(out)
    }

    pub fn mul(&self, o: &Poly) -> Option<Poly> {
        let mut out = Poly(SmallVec::new());
        for (m, c) in &self.0 {
            for (n, d) in &o.0 {
                out.push(m.mul(n), c.mul(*d)?)?;
            }
        }
        Some(out)
    }

    /// `Some(Some(q))` with `self = q·d`; `Some(None)` where no polynomial is
    /// found; `None` on overflow or division by 0.
    pub fn div_exact(&self, d: &Poly) -> Option<Option<Poly>> {
        let (dm, dc) = d.leading()?;
        let mut rest = self.clone();
        let mut quotient = Poly(SmallVec::new());
        for _ in 0..DIVISION_STEPS {
            let Some((m, c)) = rest.leading() else {
                return Some(Some(quotient));
            };
            let (qm, qc) = (m.div(dm), c.div(*dc)?);
            let step = Poly(SmallVec::from_iter([(qm.clone(), qc)]));
            quotient.push(qm, qc)?;
            rest = rest.add(&step.mul(d)?, Rat::int(-1))?;
        }
        Some(rest.0.is_empty().then_some(quotient))
    }
}
