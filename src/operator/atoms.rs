//! What the atoms of polynomials stand for.
//!
//! In: functions of polynomials. Out: polynomials in which the function of equal polynomials is one atom. Products of
//! exponentials are one exponential, squares of roots are what they are roots of, `log` and `exp` undo each other, and
//! a quotient is a product with a reciprocal, whose denominator is cleared where two values are compared. Invariant: equal as
//! polynomials ⇒ equal in value, over reals wherever all of the values are real numbers; what cannot be said is `None`.
//!
//! Note [Logarithms]: the atom of `log u` stands for `log |u|`. Wherever `log (a/b)` is real it is the difference of two of
//! these, and `exp` of a sum of logarithms that are real is the product of what they are of, signs included.

use super::frac::Frac;
use super::poly::{Atom, Monomial, Poly};
use crate::term::Op;
use crate::ty::Scalar;
use rustc_hash::FxHashMap;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Tag {
    Leaf(u32),
    /// A float that is no rational here, by the bits of an f64; +∞ among them.
    Const(u64),
    /// One over a polynomial.
    Inverse,
    /// An operation of which nothing else is known, at the type of its result.
    Apply(Op, Scalar),
    /// A polynomial modulo the width of a type.
    Wrapped(Scalar),
    /// The largest integer that is not above a polynomial divided by this.
    Quotient(i128),
}

#[derive(Clone, Debug)]
pub(super) struct Known {
    pub tag: Tag,
    pub args: Vec<Poly>,
    pub integer: bool,
    pub least: Option<Frac>,
    pub most: Option<Frac>,
}

#[derive(Default)]
pub(super) struct Atoms {
    all: Vec<Known>,
    ids: FxHashMap<(Tag, Vec<Poly>), Atom>,
}

pub(super) const INFINITY: Tag = Tag::Const(0x7ff0_0000_0000_0000);

impl Atoms {
    pub fn get(&self, a: Atom) -> &Known {
        &self.all[a as usize]
    }

    /// The atom of a function and its arguments, which the limits hold of.
    pub fn atom(&mut self, tag: Tag, args: Vec<Poly>, limits: Limits) -> Atom {
        let next = self.all.len() as Atom;
        let id = *self.ids.entry((tag.clone(), args.clone())).or_insert(next);
        if id == next {
            self.all.push(Known {
                tag,
                args,
                integer: limits.integer,
                least: limits.least.map(Frac::int),
                most: limits.most.map(Frac::int),
            });
        }
        id
    }

    pub fn infinity(&mut self) -> Atom {
        self.atom(INFINITY, Vec::new(), Limits::REAL)
    }

    /// The coefficient of +∞ in a sum, and what else there is; `None` where it is multiplied with something.
    pub fn infinite(&self, p: &Poly) -> Option<(Frac, bool)> {
        let mut found = Frac::ZERO;
        let mut rest = false;
        for (m, c) in p.terms() {
            let infinite = |a: &Atom| self.get(*a).tag == INFINITY;
            match m.0.iter().any(|p| infinite(&p.0)) {
                true => {
                    m.as_atom()?;
                    found = c;
                }
                false => rest = true,
            }
        }
        Some((found, rest))
    }

    fn tag(&self, a: Atom) -> &Tag {
        &self.all[a as usize].tag
    }

    /// The exponential or root that an atom is.
    fn function(&self, a: Atom) -> Option<(Op, &Poly)> {
        match (self.tag(a), &self.get(a).args[..]) {
            (Tag::Apply(op @ (Op::Exp | Op::Exp2 | Op::Sqrt), _), [p]) => Some((*op, p)),
            _ => None,
        }
    }

    pub fn mul(&mut self, a: &Poly, b: &Poly) -> Option<Poly> {
        let product = a.mul(b)?;
        self.tidy(product)
    }

    /// With exponentials put together, and squares of roots, and reciprocals beside what they are reciprocals of, taken out.
    fn tidy(&mut self, p: Poly) -> Option<Poly> {
        let Some((m, c)) = p.terms().find(|(m, _)| self.untidy(m)) else {
            return Some(p);
        };
        let (m, c) = (m.clone(), c);
        let rest = p.sub(&Poly::term(m.clone(), c))?;
        let mut product = Poly::constant(c);
        for op in [Op::Exp, Op::Exp2] {
            let mut sum = Poly::default();
            for (a, k) in &m.0 {
                if let Some((_, q)) = self.function(*a).filter(|f| f.0 == op) {
                    sum = sum.add(&q.scale(Frac::int((*k).into()))?)?;
                }
            }
            let factor = self.exponential(op, &sum)?;
            product = product.mul(&factor)?;
        }
        for (a, k) in &m.0 {
            let factor = match self.function(*a) {
                Some((Op::Sqrt, q)) => {
                    let mut power = Poly::term(
                        Monomial(vec![(*a, k % 2)].into_iter().filter(|p| p.1 > 0).collect()),
                        Frac::ONE,
                    );
                    for _ in 0..k / 2 {
                        power = power.mul(q)?;
                    }
                    power
                }
                Some(_) => continue,
                None => Poly::term(Monomial::power_of(*a, *k), Frac::ONE),
            };
            product = product.mul(&factor)?;
        }
        let product = self.tidy(product)?;
        self.tidy(rest)?.add(&product)
    }

    fn untidy(&self, m: &Monomial) -> bool {
        let mut exponentials = Vec::new();
        for (a, k) in &m.0 {
            match self.function(*a) {
                Some((Op::Sqrt, _)) if *k > 1 => return true,
                Some((op, _)) if op != Op::Sqrt => {
                    if *k > 1 || exponentials.contains(&op) {
                        return true;
                    }
                    exponentials.push(op);
                }
                _ => {}
            }
        }
        false
    }

    /// `exp p`, `exp2 p`.
    fn exponential(&mut self, op: Op, p: &Poly) -> Option<Poly> {
        if p.is_zero() {
            return Some(Poly::int(1));
        }
        let (infinite, _) = self.infinite(p)?;
        match infinite.sign() {
            0 => {}
            1 => return None,
            _ => return Some(Poly::default()),
        }
        // exp (k · log u + rest) = u^k · exp rest. See Note [Logarithms].
        let log = p.terms().find_map(|(m, c)| {
            let power = c.as_int().filter(|c| c.abs() <= 4 && op == Op::Exp)?;
            let a = m.as_atom()?;
            match (self.tag(a), &self.get(a).args[..]) {
                (Tag::Apply(Op::Log, _), [u]) => Some((a, power, u.clone())),
                _ => None,
            }
        });
        if let Some((a, power, u)) = log {
            let log = Poly::atom(a).scale(Frac::int(power))?;
            let mut product = self.exponential(op, &p.sub(&log)?)?;
            let factor = if power < 0 { self.inverse(&u)? } else { u };
            for _ in 0..power.abs() {
                product = self.mul(&product, &factor)?;
            }
            return Some(product);
        }
        let a = self.atom(Tag::Apply(op, Scalar::F64), vec![p.clone()], Limits::REAL);
        Some(Poly::atom(a))
    }

    /// A function of a real number.
    pub fn call(&mut self, op: Op, p: &Poly) -> Option<Poly> {
        match op {
            Op::Exp | Op::Exp2 => return self.exponential(op, p),
            Op::Log => return self.logarithm(p),
            Op::Sqrt => {
                if let Some(c) = p.as_constant().and_then(Frac::as_int) {
                    let root = (c as f64).sqrt() as i128;
                    if c >= 0 && root.checked_mul(root) == Some(c) {
                        return Some(Poly::int(root));
                    }
                }
            }
            _ => {}
        }
        if self.infinite(p)?.0.sign() != 0 {
            return None;
        }
        let limits = Limits {
            least: (op == Op::Sqrt).then_some(0),
            ..Limits::REAL
        };
        let a = self.atom(Tag::Apply(op, Scalar::F64), vec![p.clone()], limits);
        Some(Poly::atom(a))
    }

    /// `log`: what is an exponential comes out, and of a sum of them the one that leaves the least form.
    fn logarithm(&mut self, p: &Poly) -> Option<Poly> {
        if p.as_constant() == Some(Frac::ONE) {
            return Some(Poly::default());
        }
        if self.infinite(p)?.0.sign() != 0 || p.is_zero() {
            return None;
        }
        let (over, under) = self.fraction(p)?;
        if under.as_constant().is_none() {
            let under = self.logarithm(&under)?;
            return self.logarithm(&over)?.sub(&under);
        }
        // What is candidate does not depend on a common factor, so neither does what is chosen.
        let exponents: Vec<Poly> = (p.terms())
            .map(|(m, _)| {
                let mut all = m.0.iter().filter_map(|(a, _)| self.function(*a));
                let found = all.find(|f| f.0 == Op::Exp);
                found.map(|f| f.1.clone()).unwrap_or_default()
            })
            .collect();
        let mut best: Option<(Poly, Poly)> = None;
        for e in exponents {
            let factor = self.exponential(Op::Exp, &e.scale(Frac::int(-1))?)?;
            let rest = self.mul(p, &factor)?;
            let better =
                |b: &(Poly, Poly)| (weight(self, &rest), &rest) < (weight(self, &b.1), &b.1);
            if best.as_ref().is_none_or(better) {
                best = Some((e, rest));
            }
        }
        let (out, rest) = best?;
        if rest.as_constant() == Some(Frac::ONE) {
            return Some(out);
        }
        let a = self.atom(Tag::Apply(Op::Log, Scalar::F64), vec![rest], Limits::REAL);
        out.add(&Poly::atom(a))
    }

    /// `1 / p`
    pub fn inverse(&mut self, p: &Poly) -> Option<Poly> {
        if self.infinite(p)?.0.sign() != 0 {
            return None;
        }
        if let Some(c) = p.as_constant() {
            return Frac::ONE.div(c).map(Poly::constant);
        }
        if let (Some((m, c)), 1) = (p.terms().next(), p.len()) {
            if let (Some((op @ (Op::Exp | Op::Exp2), q)), Some(_)) =
                (m.as_atom().and_then(|a| self.function(a)), m.as_atom())
            {
                let q = q.scale(Frac::int(-1))?;
                let by = Frac::ONE.div(c)?;
                return self.exponential(op, &q)?.scale(by);
            }
        }
        let (over, under) = self.fraction(p)?;
        // Of the polynomials that differ by a factor, the one whose last coefficient is 1.
        let (_, lead) = over.terms().last()?;
        let monic = over.scale(Frac::ONE.div(lead)?)?;
        let a = self.atom(Tag::Inverse, vec![monic], Limits::REAL);
        let under = under.scale(Frac::ONE.div(lead)?)?;
        self.mul(&under, &Poly::atom(a))
    }

    /// The polynomial as one over another, in which no reciprocals are left.
    pub fn fraction(&mut self, p: &Poly) -> Option<(Poly, Poly)> {
        let (mut over, mut under) = (p.clone(), Poly::int(1));
        for _ in 0..40 {
            let inverse = |a: &Atom| *self.tag(*a) == Tag::Inverse;
            let Some(a) = over.atoms().filter(inverse).max() else {
                return Some((over, under));
            };
            let by = self.get(a).args[0].clone();
            let power = over.terms().map(|(m, _)| m.power(a)).max()?;
            let mut sum = Poly::default();
            for (m, c) in over
                .terms()
                .map(|(m, c)| (m.clone(), c))
                .collect::<Vec<_>>()
            {
                let mut part = Poly::term(m.without(a), c);
                for _ in m.power(a)..power {
                    part = self.mul(&part, &by)?;
                }
                sum = sum.add(&part)?;
            }
            for _ in 0..power {
                under = self.mul(&under, &by)?;
            }
            over = sum;
        }
        None
    }

    /// The largest integer that is not above `p / by`, for an integer polynomial.
    pub fn quotient(&mut self, p: &Poly, by: i128) -> Option<Poly> {
        let mut whole = Poly::default();
        let mut rest = Poly::default();
        for (m, c) in p.terms() {
            let c = c.as_int()?;
            whole = whole.add(&Poly::term(m.clone(), Frac::int(c.div_euclid(by))))?;
            rest = rest.add(&Poly::term(m.clone(), Frac::int(c.rem_euclid(by))))?;
        }
        if rest.as_constant().is_some() {
            return Some(whole);
        }
        let a = self.atom(
            Tag::Quotient(by),
            vec![rest],
            Limits {
                integer: true,
                ..Limits::REAL
            },
        );
        whole.add(&Poly::atom(a))
    }

    /// The least and the largest value of a polynomial, as far as those of its atoms tell.
    pub fn range(&self, p: &Poly) -> (Option<Frac>, Option<Frac>) {
        let mut sum = (Some(Frac::ZERO), Some(Frac::ZERO));
        for (m, c) in p.terms() {
            let (lo, hi) = self.monomial_range(m);
            let (lo, hi) = match c.sign() {
                -1 => (hi, lo),
                _ => (lo, hi),
            };
            let plus = |a: Option<Frac>, b: Option<Frac>| a?.add(b?.mul(c)?);
            sum = (plus(sum.0, lo), plus(sum.1, hi));
        }
        sum
    }

    pub fn monomial_range(&self, m: &Monomial) -> (Option<Frac>, Option<Frac>) {
        let mut product = (Some(Frac::ONE), Some(Frac::ONE));
        for (a, k) in &m.0 {
            let known = self.get(*a);
            let range = match (known.least, known.most) {
                (Some(a), Some(b)) => (a, b),
                // A power of an even number is not negative.
                _ if m.0.len() == 1 && k % 2 == 0 => return (Some(Frac::ZERO), None),
                (Some(least), None) if least.sign() >= 0 && m.0.len() == 1 && *k == 1 => {
                    return (Some(least), None)
                }
                _ if m.0.len() == 1 && *k == 1 => return (known.least, known.most),
                _ => return (None, None),
            };
            for _ in 0..*k {
                product = times(product, range);
            }
        }
        product
    }

    /// Whether a monomial has integer values only.
    pub fn is_integer(&self, m: &Monomial) -> bool {
        m.0.iter().all(|p| self.get(p.0).integer)
    }

    /// Whether a monomial is above zero.
    pub fn is_positive(&self, m: &Monomial) -> bool {
        let exponential = |a: Atom| matches!(self.function(a), Some((Op::Exp | Op::Exp2, _)));
        !m.0.is_empty() && m.0.iter().all(|p| exponential(p.0))
    }
}

fn weight(atoms: &Atoms, p: &Poly) -> usize {
    p.atoms()
        .map(|a| atoms.get(a).args.iter().map(Poly::len).sum::<usize>())
        .sum()
}

fn times(a: (Option<Frac>, Option<Frac>), b: (Frac, Frac)) -> (Option<Frac>, Option<Frac>) {
    let (Some(lo), Some(hi)) = a else {
        return (None, None);
    };
    let products = [lo.mul(b.0), lo.mul(b.1), hi.mul(b.0), hi.mul(b.1)];
    let Some(all) = products.into_iter().collect::<Option<Vec<Frac>>>() else {
        return (None, None);
    };
    let pick = |wanted: i128| {
        all.iter().copied().reduce(|x, y| match y.sub(x) {
            Some(d) if d.sign() == wanted => y,
            _ => x,
        })
    };
    (pick(-1), pick(1))
}

/// What is known of an atom from the start.
#[derive(Copy, Clone)]
pub(super) struct Limits {
    pub integer: bool,
    pub least: Option<i128>,
    pub most: Option<i128>,
}

impl Limits {
    pub const REAL: Limits = Limits {
        integer: false,
        least: None,
        most: None,
    };

    /// The values of an integer type.
    pub fn of(s: Scalar) -> Limits {
        let (least, most) = s.bounds();
        Limits {
            integer: true,
            least: Some(least),
            most: Some(most),
        }
    }
}
