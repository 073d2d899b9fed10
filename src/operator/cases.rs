//! Equality of expressions, by cases.
//!
//! In: two expressions over leaves, how numbers are read. Out: whether they are equal for all values of the leaves. Both are
//! evaluated to polynomials; where a comparison, a choice or a wrapped sum has no answer yet, the values are split into cases,
//! each with its linear constraint, and cases whose constraints contradict each other are left out (`linear`). What is left
//! must be one polynomial on both sides, or differ by what the constraints say is zero. So it does not matter how an
//! operator is spelled. Invariant: "proved" is certain. Absent: counterexamples (`points`).
//!
//! Note [Machine integers]: a value is a polynomial that it equals modulo the width of its type, until a comparison, a
//! division or a cast asks which integer it is. Then its limits say how often the width has to be taken away: not at all,
//! one of a few numbers, which are cases, or it is an atom of which only its type's limits are known.
//!
//! Note [Floats to the bit]: a float is an atom; what it is computed by is compared as it is written, up to the order of the
//! operands of sums and products. Comparisons ask first which operands are NaN, then for an order, in which zeros are equal:
//! floats that compare as equal are the same bits only where they are not zero.

use super::atoms::{Atoms, Tag};
use super::dag::{Dag, Id};
use super::linear::{infeasible, Bound};
use super::poly::{Atom, Poly};
use super::Meaning;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A value in a case.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Bool(bool),
    /// A number; `exact` where it is no more than equal modulo the width of its type otherwise.
    Num {
        poly: Poly,
        exact: bool,
    },
}

/// What splits cases.
#[derive(Clone, Debug)]
pub(super) enum Fact {
    Above(Bound),
    /// A polynomial is zero.
    Zero(Poly),
    Bool(u32, bool),
    Nan(Atom, bool),
}

/// Why an evaluation stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// One of these holds.
    Split(Vec<Vec<Fact>>),
    Unknown,
}

pub(super) type Outcome<T> = Result<T, Stop>;

pub(super) fn known<T>(x: Option<T>) -> Outcome<T> {
    x.ok_or(Stop::Unknown)
}

/// A bound with what is asked of it in every case: a number that tells it from all others, and what it speaks of.
pub(super) struct Held {
    bound: Bound,
    number: u32,
    atoms: Vec<Atom>,
}

impl Held {
    /// Whether it speaks of one of these, or of nothing at all.
    fn concerns(&self, atoms: &BTreeSet<Atom>) -> bool {
        self.atoms.is_empty() || self.atoms.iter().any(|a| atoms.contains(a))
    }
}

/// What holds in a case.
#[derive(Clone, Default)]
pub(super) struct Case {
    pub bounds: Vec<Rc<Held>>,
    /// Atoms of which equations with zero say what they are; none where that grows too long.
    solved: Vec<(Atom, Option<Poly>)>,
    pub bools: BTreeMap<u32, bool>,
    pub nan: BTreeMap<Atom, bool>,
    pub values: FxHashMap<Id, Val>,
    /// How many of the equations that are asked to hold together do.
    met: usize,
}

pub(super) struct Prover<'a> {
    pub dag: &'a Dag,
    pub meaning: Meaning,
    pub atoms: Atoms,
    has_functions: bool,
    /// Cases that may still be looked at.
    left: u32,
    used: u32,
    /// Entries of linear systems that may still be looked at.
    work: usize,
    /// Factors with their products.
    made: Vec<[Poly; 3]>,
    held: FxHashMap<Bound, Rc<Held>>,
    /// By the numbers of bounds, in order.
    feasibility: FxHashMap<Vec<u32>, bool>,
}

/// Entries of linear systems for each case that is paid for.
const ENTRIES: usize = 200;

/// Products that are remembered.
const MOST_MADE: usize = 32;

/// Bounds on one atom alone that are multiplied.
const MOST_ALONE: usize = 3;

/// How two numbers relate.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Relation {
    Above,
    NotBelow,
}

impl<'a> Prover<'a> {
    pub fn new(dag: &'a Dag, meaning: Meaning, cases: u32) -> Prover<'a> {
        Prover {
            dag,
            meaning,
            atoms: Atoms::default(),
            has_functions: dag.has_functions(),
            left: cases,
            used: 0,
            work: cases as usize * ENTRIES,
            made: Vec::new(),
            held: FxHashMap::default(),
            feasibility: FxHashMap::default(),
        }
    }

    /// The number of cases in which two expressions were found equal; `None` if that is not known.
    pub fn equal(&mut self, a: Id, b: Id) -> Option<u32> {
        self.used = 0;
        self.all_cases(Case::default(), &mut |p, case| p.same(case, a, b))
            .then_some(self.used.max(1))
    }

    /// Whether no values satisfy all of these equations.
    pub fn never(&mut self, equations: &[(Id, Id)]) -> bool {
        self.all_cases(Case::default(), &mut |p, case| {
            while let Some((a, b)) = equations.get(case.met) {
                if p.differ(case, *a, *b)? {
                    return Ok(true);
                }
                case.met += 1;
            }
            Ok(false)
        })
    }

    fn all_cases(
        &mut self,
        mut case: Case,
        holds: &mut impl FnMut(&mut Prover<'a>, &mut Case) -> Outcome<bool>,
    ) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        match holds(self, &mut case) {
            Ok(answer) => {
                self.used += 1;
                answer
            }
            Err(Stop::Unknown) => false,
            Err(Stop::Split(parts)) => parts.into_iter().all(|facts| {
                let mut part = case.clone();
                match self.assume(&mut part, facts) {
                    true => self.all_cases(part, holds),
                    false => true,
                }
            }),
        }
    }

    /// Adds facts to a case; whether they may hold.
    fn assume(&mut self, case: &mut Case, facts: Vec<Fact>) -> bool {
        let mut linear = false;
        for fact in facts {
            match fact {
                Fact::Bool(leaf, value) => drop(case.bools.insert(leaf, value)),
                Fact::Nan(atom, value) => drop(case.nan.insert(atom, value)),
                Fact::Above(b) => {
                    let Some(b) = self.tightened(b) else { continue };
                    // What is neither below nor above zero is zero.
                    let back = b.poly.scale(super::frac::Frac::int(-1));
                    let opposed = |o: &Rc<Held>| {
                        !b.strict && !o.bound.strict && Some(&o.bound.poly) == back.as_ref()
                    };
                    if self.has_functions && case.bounds.iter().any(opposed) {
                        self.put_in(case, b.poly.clone());
                    }
                    let b = self.hold(b);
                    case.bounds.push(b);
                    linear = true;
                }
                Fact::Zero(p) => {
                    for poly in [Some(p.clone()), p.scale(super::frac::Frac::int(-1))] {
                        let bound = poly.and_then(|poly| {
                            self.tightened(Bound {
                                poly,
                                strict: false,
                            })
                        });
                        let bound = bound.map(|b| self.hold(b));
                        case.bounds.extend(bound);
                    }
                    self.put_in(case, p);
                    linear = true;
                }
            }
        }
        !linear || self.feasible(case, &[])
    }

    /// Puts in that a polynomial is zero; of functions the values are computed again, as what they are applied to may be another one.
    fn put_in(&self, case: &mut Case, p: Poly) {
        case.solved.extend(self.solved(&p));
        if self.has_functions {
            case.values.clear();
        }
    }

    /// An atom that stands alone in what is zero, and what it is then.
    fn solved(&self, zero: &Poly) -> Option<(Atom, Option<Poly>)> {
        let (atom, c) = zero.terms().find_map(|(m, c)| {
            let a = m.as_atom()?;
            let alone = zero.terms().filter(|(m, _)| m.power(a) > 0).count() == 1;
            // An integer is replaced by integers only.
            let whole = !self.atoms.get(a).integer || c.num().abs() == 1;
            let only_here = matches!(
                self.atoms.get(a).tag,
                Tag::Leaf(_) | Tag::Apply(..) | Tag::Wrapped(_)
            );
            (alone && whole && only_here).then_some((a, c))
        })?;
        let value = || {
            let this = Poly::term(super::poly::Monomial::power_of(atom, 1), c);
            let rest = zero.sub(&this)?;
            rest.scale(super::frac::Frac::int(-1).div(c)?)
        };
        Some((atom, value()))
    }

    /// The same for integers, as sharp as it can be said.
    fn tightened(&self, b: Bound) -> Option<Bound> {
        use super::frac::Frac;
        let integers = (b.poly.terms()).all(|(m, _)| self.atoms.is_integer(m));
        if !integers {
            return Some(b);
        }
        let mut common = 1i128;
        for (_, c) in b.poly.terms() {
            let g = crate::arith::gcd(common, c.den());
            common = common.checked_mul(c.den() / g)?;
        }
        let poly = b.poly.scale(Frac::int(common))?;
        let constant = poly.constant_part();
        let rest = poly.sub(&Poly::constant(constant))?;
        let factor = rest
            .terms()
            .fold(0, |g, (_, c)| crate::arith::gcd(g, c.num()));
        if factor == 0 {
            return Some(b);
        }
        let constant = constant.as_int()? - i128::from(b.strict);
        let poly = rest.scale(Frac::new(1, factor)?)?;
        let poly = poly.add(&Poly::int(constant.div_euclid(factor)))?;
        Some(Bound {
            poly,
            strict: false,
        })
    }

    /// Whether a case may hold together with more bounds.
    fn feasible(&mut self, case: &Case, more: &[Bound]) -> bool {
        let more: Vec<Rc<Held>> = more.iter().map(|b| self.hold(b.clone())).collect();
        let newest = more.last().or(case.bounds.last()).cloned();
        let all = case.bounds.iter().chain(&more).cloned();
        let all: Vec<Rc<Held>> = match newest {
            Some(newest) => related(all.collect(), &newest),
            None => all.collect(),
        };
        let mut key: Vec<u32> = all.iter().map(|h| h.number).collect();
        key.sort_unstable();
        key.dedup();
        if let Some(known) = self.feasibility.get(&key) {
            return *known;
        }
        let mut all: Vec<Bound> = all.iter().map(|h| h.bound.clone()).collect();
        self.add_limits(&mut all);
        all.sort();
        all.dedup();
        let entries = all.len() * all.len();
        if self.work < entries {
            // Nothing more is found out, and the next case ends the proof.
            self.left = 0;
            return true;
        }
        self.work -= entries;
        let answer = !infeasible(&all.iter().collect::<Vec<_>>());
        self.feasibility.insert(key, answer);
        answer
    }

    /// Whether a bound was assumed in a case.
    fn holds(&self, case: &Case, bound: &Bound) -> bool {
        let held = self.held.get(bound);
        held.is_some_and(|held| case.bounds.iter().any(|h| h.number == held.number))
    }

    fn hold(&mut self, bound: Bound) -> Rc<Held> {
        if let Some(known) = self.held.get(&bound) {
            return known.clone();
        }
        let atoms: BTreeSet<Atom> = bound.poly.atoms().collect();
        let held = Rc::new(Held {
            bound: bound.clone(),
            number: self.held.len() as u32,
            atoms: atoms.into_iter().collect(),
        });
        self.held.insert(bound, held.clone());
        held
    }

    /// What is known of the atoms themselves.
    fn add_limits(&mut self, all: &mut Vec<Bound>) {
        let mut monomials = std::collections::BTreeSet::new();
        let mut i = 0;
        let mut constants: Vec<(f64, Atom)> = Vec::new();
        while i < all.len() {
            let new: Vec<_> = (all[i].poly.terms())
                .map(|(m, _)| m.clone())
                .filter(|m| !m.0.is_empty() && !monomials.contains(m))
                .collect();
            for m in new {
                if !monomials.insert(m.clone()) {
                    continue;
                }
                let this = Poly::term(m.clone(), super::frac::Frac::ONE);
                let (least, most) = self.atoms.monomial_range(&m);
                let not_below = |p: Option<Poly>| {
                    p.map(|poly| Bound {
                        poly,
                        strict: false,
                    })
                };
                if let Some(least) = least {
                    all.extend(not_below(this.sub(&Poly::constant(least))));
                }
                if let Some(most) = most {
                    all.extend(not_below(Poly::constant(most).sub(&this)));
                }
                if let Some(root) = m.root() {
                    all.extend(not_below(Some(this.clone())));
                    // No integer is larger than its square.
                    if self.atoms.is_integer(&m) {
                        let root = Poly::term(root, super::frac::Frac::ONE);
                        all.extend(not_below(this.sub(&root)));
                        all.extend(not_below(this.add(&root)));
                    }
                }
                if let Some(factors) = m.as_product() {
                    let found = self.products(all, factors);
                    all.extend(found);
                }
                if self.atoms.is_positive(&m) {
                    all.push(Bound {
                        poly: this.clone(),
                        strict: true,
                    });
                }
                let Some(a) = m.as_atom() else { continue };
                let known = self.atoms.get(a);
                match (&known.tag, &known.args[..]) {
                    (Tag::Quotient(by), [p]) => {
                        let times = this.scale(super::frac::Frac::int(*by));
                        let rest = times.and_then(|t| p.sub(&t));
                        let above = rest.as_ref().and_then(|r| Poly::int(by - 1).sub(r));
                        all.extend(not_below(rest));
                        all.extend(not_below(above));
                    }
                    (Tag::Const(bits), _) => constants.push((f64::from_bits(*bits), a)),
                    _ => {}
                }
            }
            i += 1;
        }
        self.order_constants(all, &monomials, &mut constants);
    }

    /// Products of bounds on two atoms, each by what is known of it alone.
    fn products(&self, all: &[Bound], factors: [Atom; 2]) -> Vec<Bound> {
        let of = |atom: Atom| {
            let alone = |b: &&Bound| {
                let mut terms = b.poly.terms().filter(|(m, _)| !m.0.is_empty());
                let only = terms.next().and_then(|(m, _)| m.as_atom());
                only == Some(atom) && terms.next().is_none()
            };
            let known = self.atoms.get(atom);
            let (this, of) = (Poly::atom(atom), Poly::constant);
            let least = known.least.and_then(|l| this.sub(&of(l)));
            let most = known.most.and_then(|m| of(m).sub(&this));
            let limits = least.into_iter().chain(most).map(|poly| Bound {
                poly,
                strict: false,
            });
            let mut found: Vec<Bound> = all.iter().filter(alone).cloned().chain(limits).collect();
            found.dedup();
            found.truncate(MOST_ALONE);
            found
        };
        let [a, b] = factors.map(of);
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
        let product = |(x, y): (&Bound, &Bound)| {
            Some(Bound {
                poly: x.poly.mul(&y.poly)?,
                strict: x.strict && y.strict,
            })
        };
        pairs.filter_map(product).collect()
    }

    /// Floats that are atoms: constants are in their order, infinities before and behind all.
    fn order_constants(
        &self,
        all: &mut Vec<Bound>,
        monomials: &std::collections::BTreeSet<super::poly::Monomial>,
        constants: &mut [(f64, Atom)],
    ) {
        constants.sort_by(|a, b| a.0.total_cmp(&b.0));
        for pair in constants.windows(2) {
            let [(x, a), (y, b)] = pair else { continue };
            let Some(poly) = Poly::atom(*b).sub(&Poly::atom(*a)) else {
                continue;
            };
            if x == y {
                let back = poly.scale(super::frac::Frac::int(-1));
                all.extend(back.map(|poly| Bound {
                    poly,
                    strict: false,
                }));
            }
            let strict = x < y;
            all.push(Bound { poly, strict });
        }
        let ends = constants.iter().filter(|c| c.0.is_infinite());
        for (x, end) in ends {
            for a in monomials
                .iter()
                .filter_map(|m| m.as_atom())
                .filter(|a| a != end)
            {
                let (a, end) = (Poly::atom(a), Poly::atom(*end));
                let rest = if *x > 0.0 { end.sub(&a) } else { a.sub(&end) };
                all.extend(rest.map(|poly| Bound {
                    poly,
                    strict: false,
                }));
            }
        }
    }

    /// Whether `p` is above, or not below, zero.
    pub fn decide(&mut self, case: &Case, p: &Poly, is: Relation) -> Outcome<bool> {
        let p = known(self.reduced(case, p))?;
        if let Some(answer) = self.sign(&p, is)? {
            return Ok(answer);
        }
        let strict = is == Relation::Above;
        let minus = known(p.scale(super::frac::Frac::int(-1)))?;
        let yes = Bound {
            poly: p.clone(),
            strict,
        };
        let no = Bound {
            poly: minus,
            strict: !strict,
        };
        let [yes, no] = [known(self.tightened(yes))?, known(self.tightened(no))?];
        // What was assumed is known, whether or not linear arithmetic finds it again.
        if self.holds(case, &yes) {
            return Ok(true);
        }
        if self.holds(case, &no) {
            return Ok(false);
        }
        let may = |p: &mut Prover, b: &Bound| p.feasible(case, std::slice::from_ref(b));
        if !may(self, &no) {
            return Ok(true);
        }
        if !may(self, &yes) {
            return Ok(false);
        }
        if let Some((a, b)) = self.factors(&p) {
            return self.decide_product(case, &a, &b, is);
        }
        Err(Stop::Split(vec![
            vec![Fact::Above(yes)],
            vec![Fact::Above(no)],
        ]))
    }

    /// The same of a product, by the signs of its factors: they are known by linear arithmetic where its own is not.
    fn decide_product(&mut self, case: &Case, a: &Poly, b: &Poly, is: Relation) -> Outcome<bool> {
        if self.is_zero(case, a)? {
            return Ok(is == Relation::NotBelow);
        }
        if self.decide(case, a, Relation::Above)? {
            return self.decide(case, b, is);
        }
        let minus = known(b.scale(super::frac::Frac::int(-1)))?;
        self.decide(case, &minus, is)
    }

    /// Two factors of a polynomial, none of them constant: an atom, or what was multiplied, if it is that product and as often as may be one of
    /// the factors again, as where a product is compared with a factor.
    fn factors(&self, p: &Poly) -> Option<(Poly, Poly)> {
        if let Some((atom, rest)) = p.factored() {
            return Some((Poly::atom(atom), rest));
        }
        let of = |sign: i128, [t, u, product]: &[Poly; 3]| {
            let sign = super::frac::Frac::int(sign);
            let rest = p.scale(sign)?.sub(product)?;
            let as_factor = |a: &Poly, b: &Poly| {
                let b = b.add(&Poly::constant(rest.ratio(a)?))?.scale(sign)?;
                b.as_constant().is_none().then(|| (a.clone(), b))
            };
            as_factor(t, u).or_else(|| as_factor(u, t))
        };
        let made = self.made.iter();
        made.flat_map(|m| [of(1, m), of(-1, m)]).flatten().next()
    }

    /// Keeps that something is a product; of functions it may be simpler than its factors, whose signs would be asked of it again.
    pub fn keep_product(&mut self, t: &Poly, u: &Poly, product: &Poly) {
        let simple = [t, u].iter().any(|p| p.as_constant().is_some()) || t.len() + u.len() < 3;
        let new = |m: &[Poly; 3]| m[2] != *product;
        let whole = t.degree() + u.degree() == product.degree();
        if !simple && whole && self.made.len() < MOST_MADE && self.made.iter().all(new) {
            self.made.push([t.clone(), u.clone(), product.clone()]);
        }
    }

    /// What constants, infinities and limits tell.
    fn sign(&self, p: &Poly, is: Relation) -> Outcome<Option<bool>> {
        let strict = is == Relation::Above;
        if !self.meaning.strict_floats() {
            let (infinite, _) = known(self.atoms.infinite(p))?;
            if !infinite.is_zero() {
                return Ok(Some(infinite.sign() > 0));
            }
        }
        let (least, most) = self.atoms.range(p);
        let positive = |c: super::frac::Frac| c.sign() > 0 || !strict && c.is_zero();
        Ok(match (least, most) {
            (Some(l), _) if positive(l) => Some(true),
            (_, Some(m)) if !positive(m) => Some(false),
            _ => None,
        })
    }

    /// Whether `p` is zero.
    pub fn is_zero(&mut self, case: &Case, p: &Poly) -> Outcome<bool> {
        let p = known(self.reduced(case, p))?;
        if p.is_zero() {
            return Ok(true);
        }
        if !self.meaning.strict_floats() && !known(self.atoms.infinite(&p))?.0.is_zero() {
            return Ok(false);
        }
        let (least, most) = self.atoms.range(&p);
        if least.is_some_and(|l| l.sign() > 0) || most.is_some_and(|m| m.sign() < 0) {
            return Ok(false);
        }
        if let Some((a, b)) = self.factors(&p) {
            return Ok(self.is_zero(case, &a)? || self.is_zero(case, &b)?);
        }
        let minus = known(p.scale(super::frac::Frac::int(-1)))?;
        let mut sides = Vec::new();
        for poly in [p.clone(), minus.clone()] {
            let b = known(self.tightened(Bound { poly, strict: true }))?;
            if self.holds(case, &b) {
                return Ok(false);
            }
            if self.feasible(case, std::slice::from_ref(&b)) {
                sides.push(vec![Fact::Above(b)]);
            }
        }
        if sides.is_empty() {
            return Ok(true);
        }
        let equal = [p.clone(), minus].map(|poly| Bound {
            poly,
            strict: false,
        });
        if !self.feasible(case, &equal) {
            return Ok(false);
        }
        sides.insert(0, vec![Fact::Zero(p)]);
        Err(Stop::Split(sides))
    }

    /// With what is said to be zero put in.
    pub fn reduced(&self, case: &Case, p: &Poly) -> Option<Poly> {
        let mut p = p.clone();
        for (atom, value) in &case.solved {
            let value = value.as_ref()?;
            if p.atoms().any(|a| a == *atom) {
                p = p.replace(*atom, value)?;
            }
        }
        Some(p)
    }

    /// Whether two expressions are equal in a case. "No" is "not known".
    fn same(&mut self, case: &mut Case, a: Id, b: Id) -> Outcome<bool> {
        let (x, y) = (self.value(case, a)?, self.value(case, b)?);
        let ty = self.dag.node(a).ty;
        let (p, q) = match (&x, &y) {
            (Val::Bool(p), Val::Bool(q)) => return Ok(p == q),
            (Val::Num { poly: p, .. }, Val::Num { poly: q, .. }) => (p, q),
            _ => return Ok(false),
        };
        if p == q {
            return Ok(true);
        }
        if ty.is_float() && self.meaning.strict_floats() {
            return self.same_float(case, p, q);
        }
        let d = known(p.sub(q).and_then(|d| self.reduced(case, &d)))?;
        if ty.is_float() {
            let (over, _) = known(self.atoms.fraction(&d))?;
            return Ok(over.is_zero() || self.implied_zero(case, &over));
        }
        if self.meaning.wraps() && d.modulo(1 << (8 * ty.bytes())).is_some_and(|d| d.is_zero()) {
            return Ok(true);
        }
        let p = self.exact(case, &x, ty)?;
        let q = self.exact(case, &y, ty)?;
        let d = known(p.sub(&q).and_then(|d| self.reduced(case, &d)))?;
        Ok(self.implied_zero(case, &d))
    }

    /// Whether two expressions are sure to differ in a case.
    fn differ(&mut self, case: &mut Case, a: Id, b: Id) -> Outcome<bool> {
        let (x, y) = (self.value(case, a)?, self.value(case, b)?);
        let ty = self.dag.node(a).ty;
        match (&x, &y) {
            (Val::Bool(p), Val::Bool(q)) => Ok(p != q),
            (Val::Num { poly: p, .. }, Val::Num { poly: q, .. }) => {
                if ty.is_float() && self.meaning.strict_floats() {
                    let (nan_p, nan_q) = (self.is_nan(case, p)?, self.is_nan(case, q)?);
                    if nan_p || nan_q {
                        return Ok(nan_p != nan_q);
                    }
                }
                let (p, q) = match ty.is_float() {
                    true => (p.clone(), q.clone()),
                    false => (self.exact(case, &x, ty)?, self.exact(case, &y, ty)?),
                };
                let d = known(p.sub(&q))?;
                self.is_zero(case, &d).map(|zero| !zero)
            }
            _ => Ok(false),
        }
    }

    fn implied_zero(&mut self, case: &Case, p: &Poly) -> bool {
        matches!(self.is_zero(case, p), Ok(true))
    }

    /// See Note [Floats to the bit].
    fn same_float(&mut self, case: &mut Case, p: &Poly, q: &Poly) -> Outcome<bool> {
        let (nan_p, nan_q) = (self.is_nan(case, p)?, self.is_nan(case, q)?);
        if nan_p || nan_q {
            return Ok(nan_p && nan_q);
        }
        let d = known(p.sub(q))?;
        if !self.implied_zero(case, &d) {
            return Ok(false);
        }
        let zero = self
            .atoms
            .atom(Tag::Const(0), Vec::new(), super::atoms::Limits::REAL);
        let from_zero = known(p.sub(&Poly::atom(zero)))?;
        self.is_zero(case, &from_zero).map(|zero| !zero)
    }

    /// Whether a float to the bit is NaN.
    pub fn is_nan(&mut self, case: &Case, p: &Poly) -> Outcome<bool> {
        let a = known(p.as_atom())?;
        if let Tag::Const(bits) = self.atoms.get(a).tag {
            return Ok(f64::from_bits(bits).is_nan());
        }
        match case.nan.get(&a) {
            Some(known) => Ok(*known),
            None => Err(Stop::Split(vec![
                vec![Fact::Nan(a, false)],
                vec![Fact::Nan(a, true)],
            ])),
        }
    }

    /// The integer that a value is; see Note [Machine integers].
    pub fn exact(&mut self, case: &mut Case, value: &Val, ty: crate::ty::Scalar) -> Outcome<Poly> {
        let Val::Num { poly, exact } = value else {
            return Err(Stop::Unknown);
        };
        if *exact || !self.meaning.wraps() || ty.is_float() {
            return Ok(poly.clone());
        }
        let modulus = 1i128 << (8 * ty.bytes());
        let p = known(self.reduced(case, poly).and_then(|p| p.modulo(modulus)))?;
        let (least, most) = ty.bounds();
        if let (Some(lo), Some(hi)) = self.atoms.range(&p) {
            let turns = |n: i128| Some(n.checked_sub(least)?.div_euclid(modulus));
            if let (Some(first), Some(last)) = (turns(lo.floor()), turns(hi.floor())) {
                if last.checked_sub(first).is_some_and(|n| n < 4) {
                    return self.unwrapped(case, &p, (first, last), modulus, (least, most));
                }
            }
        }
        let limits = super::atoms::Limits::of(ty);
        let a = self.atoms.atom(Tag::Wrapped(ty), vec![p], limits);
        Ok(Poly::atom(a))
    }

    fn unwrapped(
        &mut self,
        case: &Case,
        p: &Poly,
        (first, last): (i128, i128),
        modulus: i128,
        (least, most): (i128, i128),
    ) -> Outcome<Poly> {
        let mut possible = Vec::new();
        for k in first..=last {
            let turns = known(k.checked_mul(modulus))?;
            let value = known(p.sub(&Poly::int(turns)))?;
            if first == last {
                return Ok(value);
            }
            let low = known(value.sub(&Poly::int(least)))?;
            let high = known(Poly::int(most).sub(&value))?;
            let inside = [low, high].map(|poly| Bound {
                poly,
                strict: false,
            });
            let inside = [
                known(self.tightened(inside[0].clone()))?,
                known(self.tightened(inside[1].clone()))?,
            ];
            if inside.iter().all(|b| self.holds(case, b)) {
                return Ok(value);
            }
            if self.feasible(case, &inside) {
                possible.push((value, inside));
            }
        }
        if let [(value, _)] = &possible[..] {
            return Ok(value.clone());
        }
        let parts = possible
            .into_iter()
            .map(|(_, inside)| inside.map(Fact::Above).to_vec());
        Err(Stop::Split(parts.collect()))
    }
}

/// The bounds that share atoms with the newest, directly or by way of others.
fn related(all: Vec<Rc<Held>>, newest: &Held) -> Vec<Rc<Held>> {
    let mut atoms: BTreeSet<Atom> = newest.atoms.iter().copied().collect();
    let mut taken = vec![false; all.len()];
    loop {
        let before = atoms.len();
        let mut grew = false;
        for (h, taken) in all.iter().zip(&mut taken).filter(|h| !*h.1) {
            if h.concerns(&atoms) {
                atoms.extend(&h.atoms);
                *taken = true;
                grew = true;
            }
        }
        if !grew || atoms.len() == before {
            break;
        }
    }
    let inside = all.into_iter().zip(taken).filter(|b| b.1);
    inside.map(|b| b.0).collect()
}
