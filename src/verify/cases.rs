//! Rules as cases about polynomials: the strong encoding.
//!
//! In: a rule. Out: cases which together are all that can be, and in each what is known and a goal: the rule is
//! true if in no case all of it holds. Absent: how a case is closed (`case_split`).
//!
//! Note [Cases]. A case assumes the signs of divisors, and which of two is the smaller, wherever that matters: the
//! reading of a rule stops at the first question, and goes on in two or three cases, from the beginning. So
//! nothing is asked that the condition has answered. In a case every integer is a polynomial:
//! * a divisor d is 0, and the quotient, too; or positive; or -d is, and x/d = -(x/-d).
//! * The dividend is written d·k + rest, and its quotient k + rest/d. What rest/d is has a name; a rest of 0 has none.
//!   So x % d is x - d·(x/d), and what is a multiple of d vanishes modulo d.
//! * Factors that dividend and divisor share are cancelled, and (n/c + s)/d is (n + s·c)/(c·d): both for positive factors.
//! * If that is asked for ([`Rests::Apart`]): where a divisor is a small constant n and the dividend holds a product of x, the
//!   cases are the rests of x by n, and x is n times its quotient, and the rest.
//! * Where the condition says a % b == 0 and b is not 0, a is b times something that has a name; if a is a variable,
//!   it is replaced everywhere, and so is a product that a is. So is a variable of which an equation says what it is.

use super::formula::Formula;
use super::poly::{Atom, Monomial, Poly};
use crate::arith::gcd;
use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Lanes, Node, Op, Rule};
use std::collections::BTreeMap;

/// The rests of a variable by larger constants are not looked at one by one.
const MOST_RESTS: i128 = 12;

/// A rule with more cases is not looked at.
const MOST_CASES: usize = 600;

/// What an atom stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A variable; of a vector, what it is in the lane that is looked at.
    Var(Symbol),
    /// What a vector is in another lane.
    InLane(Symbol, Poly),
    /// The number of the lane that is looked at.
    Lane,
    /// x/d, where d > 0.
    Quotient(Poly, Poly),
    /// x/d, where d ≠ 0 divides x.
    Exact(Poly, Poly),
}

/// Atoms, by their numbers, and booleans of vectors in other lanes.
#[derive(Clone, Default, Debug)]
pub struct Names {
    atoms: Vec<Meaning>,
    truths: Vec<(Symbol, Symbol, Poly)>,
}

impl Names {
    fn of(&mut self, meaning: Meaning) -> Atom {
        let known = self.atoms.iter().position(|m| *m == meaning);
        Atom(known.unwrap_or_else(|| {
            self.atoms.push(meaning);
            self.atoms.len() - 1
        }) as u32)
    }

    pub fn meaning(&self, a: Atom) -> &Meaning {
        &self.atoms[a.0 as usize]
    }

    /// What a vector of booleans is called in another lane.
    fn truth(&mut self, v: Symbol, lane: Poly) -> Symbol {
        let known = (self.truths.iter()).find(|t| t.1 == v && t.2 == lane);
        known.map(|t| t.0).unwrap_or_else(|| {
            let name = Symbol::new(&format!("{v}@{}", self.truths.len()));
            self.truths.push((name, v, lane));
            name
        })
    }

    /// Names of booleans of vectors in other lanes, each with its vector and the number of the lane.
    pub fn truths(&self) -> &[(Symbol, Symbol, Poly)] {
        &self.truths
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sign {
    Negative,
    Zero,
    Positive,
}

impl Sign {
    fn times(self, other: Sign) -> Sign {
        match (self, other) {
            (Sign::Zero, _) | (_, Sign::Zero) => Sign::Zero,
            (a, b) if a == b => Sign::Positive,
            _ => Sign::Negative,
        }
    }

    fn of(n: i128) -> Sign {
        match n.signum() {
            0 => Sign::Zero,
            1 => Sign::Positive,
            _ => Sign::Negative,
        }
    }
}

/// One case: all of `known` hold, and the sides differ if `goal` holds.
#[derive(Clone, Debug)]
pub struct Case {
    pub known: Vec<Formula>,
    /// x and d of the quotients x/d in it, with their names; d > 0.
    pub quotients: Vec<(Poly, Poly, Atom)>,
    /// What stands for atoms that are replaced.
    pub replaced: BTreeMap<Atom, Poly>,
    /// The sides differ.
    pub goal: Formula,
}

/// Why the reading of a rule ends before its end.
enum Stop {
    /// The sign of this is needed.
    Sign(Poly),
    /// Whether this holds is needed.
    Truth(Formula),
    /// The rest of a variable by a constant is needed.
    Rest(Atom, i128),
    /// What is assumed cannot be.
    Void,
    TooLarge,
}

type Read<T> = Result<T, Stop>;

fn fits<T>(found: Option<T>) -> Read<T> {
    found.ok_or(Stop::TooLarge)
}

/// Whether variables are looked at by their rests.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Rests {
    Together,
    Apart,
}

/// The cases of a rule that can be and in which its sides may differ; `None` if they are too many or too large.
pub fn cases(rule: &Rule, rests: Rests) -> Option<(Names, Vec<Case>)> {
    let mut names = Names::default();
    let counts = rule.counts();
    let mut open = vec![Assumed::default()];
    let mut found = Vec::new();
    let mut read = 0;
    while let Some(assumed) = open.pop() {
        read += 1;
        if read > MOST_CASES {
            return None;
        }
        let reader = Reader {
            rule,
            names: &mut names,
            signs: &assumed.signs,
            truths: &assumed.truths,
            rests: &assumed.rests,
            apart: rests == Rests::Apart,
            replaced: BTreeMap::new(),
            products: Vec::new(),
            counts: &counts,
            lane: None,
        };
        match reader.case() {
            Ok(case) if case.goal == Formula::Truth(false) => {}
            Ok(case) => found.push(case),
            Err(Stop::Void) => {}
            Err(Stop::TooLarge) => return None,
            Err(Stop::Sign(p)) => {
                for sign in [Sign::Negative, Sign::Zero, Sign::Positive] {
                    let mut more = assumed.clone();
                    more.signs.push((p.clone(), sign));
                    open.push(more);
                }
            }
            Err(Stop::Rest(a, n)) => {
                for rest in 0..n {
                    let mut more = assumed.clone();
                    more.rests.push((a, n, rest));
                    open.push(more);
                }
            }
            Err(Stop::Truth(f)) => {
                for truth in [f.clone(), f.negated()] {
                    let mut more = assumed.clone();
                    more.truths.push(truth);
                    open.push(more);
                }
            }
        }
    }
    Some((names, found))
}

#[derive(Clone, Default)]
struct Assumed {
    signs: Vec<(Poly, Sign)>,
    truths: Vec<Formula>,
    /// A variable, a constant, and the rest of one by the other.
    rests: Vec<(Atom, i128, i128)>,
}

struct Reader<'a> {
    rule: &'a Rule,
    names: &'a mut Names,
    signs: &'a [(Poly, Sign)],
    truths: &'a [Formula],
    rests: &'a [(Atom, i128, i128)],
    apart: bool,
    replaced: BTreeMap<Atom, Poly>,
    /// Products that are replaced.
    products: Vec<(Monomial, Poly)>,
    /// Names that count lanes: each is at least 1.
    counts: &'a [Symbol],
    /// In a vector of which lanes are made, the number of the lane that is read; else it is that which is looked at.
    lane: Option<Poly>,
}

impl Reader<'_> {
    fn case(mut self) -> Read<Case> {
        for (p, sign) in self.signs {
            if let (Some((m, _)), Sign::Zero) = (p.as_term(), sign) {
                if let [a] = m.atoms() {
                    self.replace(*a, Poly::zero())?;
                }
            }
        }
        let mut known = Vec::new();
        for (a, n, rest) in self.rests {
            known.push(self.take_rest(*a, *n, *rest)?);
        }
        let facts = conjuncts(self.rule.condition);
        for fact in &facts {
            self.learn(*fact)?;
        }
        for (p, sign) in self.signs {
            if *sign == Sign::Zero {
                known.push(Formula::zero(p.clone()));
            }
            // What was replaced may have a sign of its own.
            let p = self.full(p)?;
            if self.sign(&p).is_some_and(|s| s != *sign) {
                return Err(Stop::Void);
            }
            known.push(match sign {
                Sign::Positive => Formula::positive(p),
                Sign::Negative => Formula::positive(fits(p.scale(-1))?),
                Sign::Zero => Formula::zero(p),
            });
        }
        for truth in self.truths {
            let reader = &self;
            known.push(fits(truth.map(&mut |p| reader.full(p).ok()))?);
        }
        for fact in facts {
            known.push(self.truth(fact)?);
            if known.last() == Some(&Formula::Truth(false)) {
                return Err(Stop::Void);
            }
        }
        let (lhs, rhs) = (self.rule.lhs, self.rule.rhs);
        let goal = match lhs.sort().kind {
            Kind::Int => {
                let apart = fits(self.int(lhs)?.sub(&self.int(rhs)?))?;
                self.zero(apart)?.negated()
            }
            Kind::Bool => self.truth(lhs)?.same(self.truth(rhs)?).negated(),
        };
        self.lanes(&mut known)?;
        known.retain(|f| *f != Formula::Truth(true));
        if known.contains(&Formula::Truth(false)) {
            return Err(Stop::Void);
        }
        let quotients = self.quotients(&known, &goal)?;
        Ok(Case {
            known,
            quotients,
            replaced: self.replaced,
            goal,
        })
    }

    /// Replaces a variable by n times its quotient, and the rest; says so.
    fn take_rest(&mut self, a: Atom, n: i128, rest: i128) -> Read<Formula> {
        let (this, n) = (Poly::atom(a), Poly::constant(n));
        let quotient = self.names.of(Meaning::Quotient(this.clone(), n.clone()));
        let multiple = fits(n.mul(&Poly::atom(quotient)))?;
        let value = fits(multiple.add(&Poly::constant(rest)))?;
        let says = Formula::zero(fits(this.sub(&value))?);
        match self.replaced.contains_key(&a) {
            true => {
                // It is something else already, of which this is known.
                let (old, value) = (self.full(&this)?, self.full(&value)?);
                let says = Formula::zero(fits(old.sub(&value))?);
                match says {
                    Formula::Truth(false) => Err(Stop::Void),
                    says => Ok(says),
                }
            }
            false => {
                self.replace(a, value)?;
                Ok(says)
            }
        }
    }

    /// All quotients that the case speaks of, also within others.
    fn quotients(&self, known: &[Formula], goal: &Formula) -> Read<Vec<(Poly, Poly, Atom)>> {
        let mut atoms = Vec::new();
        for f in known.iter().chain([goal]) {
            f.polys(&mut |p| atoms.extend(p.atoms()));
        }
        atoms.extend(self.replaced.values().flat_map(Poly::atoms));
        atoms.extend(self.replaced.keys().copied());
        let mut found: Vec<(Poly, Poly, Atom)> = Vec::new();
        let mut at = 0;
        while at < atoms.len() {
            let a = atoms[at];
            at += 1;
            let Meaning::Quotient(x, d) = self.names.meaning(a) else {
                continue;
            };
            if found.iter().any(|(.., b)| a == *b) {
                continue;
            }
            let (x, d) = (self.full(x)?, self.full(d)?);
            atoms.extend(x.atoms().chain(d.atoms()));
            found.push((x, d, a));
        }
        Ok(found)
    }

    /// The lane is one of those that there are.
    fn lanes(&mut self, known: &mut Vec<Formula>) -> Read<()> {
        let one = Poly::constant(1);
        let lane = Poly::atom(self.names.of(Meaning::Lane));
        known.push(Formula::positive(fits(lane.add(&one))?));
        for v in self.counts {
            let count = self.var(*v)?;
            known.push(Formula::positive(count));
        }
        if self.rule.lhs.sort().lanes != Lanes::One {
            let all = self.count(self.rule.lhs.sort().lanes)?;
            known.push(Formula::positive(fits(all.sub(&lane))?));
        }
        Ok(())
    }

    /// Replaces what a conjunct of the condition says is something else.
    fn learn(&mut self, fact: Expr) -> Read<()> {
        let Node::Apply(Op::Eq, sides) = fact.node() else {
            return Ok(());
        };
        if let (Node::Apply(Op::Mod, parts), Some(0)) = (sides[0].node(), sides[1].as_int()) {
            let (a, b) = (self.int(parts[0])?, self.int(parts[1])?);
            if self.needed_sign(&b)? == Sign::Zero {
                return Ok(());
            }
            let (_, rest) = fits(a.divide(&b))?;
            if rest.is_zero() {
                return Ok(());
            }
            let exact = self.names.of(Meaning::Exact(rest.clone(), b.clone()));
            let multiple = fits(b.mul(&Poly::atom(exact)))?;
            if let Some((m, 1 | -1)) = rest.as_term() {
                let free = m.atoms().len() > 1 && !b.atoms().any(|x| m.atoms().contains(&x));
                if free {
                    let sign = rest.as_term().map_or(1, |t| t.1);
                    let m = m.clone();
                    self.products.push((m, fits(multiple.scale(sign))?));
                    return Ok(());
                }
            }
            return self.solve(fits(rest.sub(&multiple))?);
        }
        let equation = fits(self.int(sides[0])?.sub(&self.int(sides[1])?))?;
        self.solve(equation)
    }

    /// Replaces a variable of which p = 0 says what it is.
    fn solve(&mut self, p: Poly) -> Read<()> {
        let alone = |a: Atom| p.atoms().filter(|b| a == *b).count() == 1;
        let names = &self.names;
        let variable = |a: Atom| matches!(names.meaning(a), Meaning::Var(_));
        let found = p.terms().find_map(|(m, n)| match m.atoms() {
            [a] if (n == 1 || n == -1) && variable(*a) && alone(*a) => Some((*a, n)),
            _ => None,
        });
        let Some((a, n)) = found else {
            return Ok(());
        };
        // n·a + others = 0, and n·n = 1.
        let others = fits(p.sub(&Poly::term(Monomial::of(vec![a]), n)))?;
        self.replace(a, fits(others.scale(-n))?)
    }

    fn replace(&mut self, a: Atom, by: Poly) -> Read<()> {
        let one = |b: Atom| (a == b).then(|| by.clone());
        for old in self.replaced.values_mut() {
            *old = fits(old.replace(&one))?;
        }
        self.replaced.insert(a, by);
        Ok(())
    }

    /// With everything replaced that is.
    fn full(&self, p: &Poly) -> Read<Poly> {
        self.reduced(fits(p.replace(&|a| self.replaced.get(&a).cloned()))?)
    }

    fn reduced(&self, p: Poly) -> Read<Poly> {
        let mut p = p;
        for (m, by) in &self.products {
            let found = |p: &Poly| {
                p.terms()
                    .find_map(|(n, k)| Some((n.clone(), n.without(m)?, k)))
            };
            while let Some((whole, factor, k)) = found(&p) {
                p = fits(p.sub(&Poly::term(whole, k)))?;
                p = fits(p.add(&fits(by.mul(&Poly::term(factor, k)))?))?;
            }
        }
        Ok(p)
    }

    fn var(&mut self, v: Symbol) -> Read<Poly> {
        let a = self.names.of(Meaning::Var(v));
        self.full(&Poly::atom(a))
    }

    /// A variable in the lane that is read.
    fn read(&mut self, v: Symbol, lanes: Lanes) -> Read<Poly> {
        match self.lane.clone() {
            Some(lane) if lanes != Lanes::One => {
                let a = self.names.of(Meaning::InLane(v, lane));
                self.full(&Poly::atom(a))
            }
            _ => self.var(v),
        }
    }

    /// How many lanes there are.
    fn count(&mut self, lanes: Lanes) -> Read<Poly> {
        let number = lanes.value(&|_| Some(1)).unwrap_or(1);
        let mut product = Poly::constant(number as i128);
        for name in lanes.names() {
            let count = self.var(name)?;
            product = self.reduced(fits(product.mul(&count))?)?;
        }
        Ok(product)
    }

    /// Of the lane that is read of something repeated, which it is in what is repeated, and how often that was there before.
    fn place(&mut self, whole: Expr, part: Expr) -> Read<(Poly, Poly)> {
        let (each, single) = (part.sort().lanes, whole.sort().lanes == Lanes::One);
        let lane = match &self.lane {
            _ if single => Poly::zero(),
            Some(lane) => lane.clone(),
            None => Poly::atom(self.names.of(Meaning::Lane)),
        };
        if each == Lanes::One {
            return Ok((Poly::zero(), lane));
        }
        let each = self.count(each)?;
        let turn = self.quotient(lane.clone(), each.clone())?;
        let within = fits(lane.sub(&fits(each.mul(&turn))?))?;
        Ok((self.reduced(within)?, turn))
    }

    /// What `read` says of a lane of what is repeated.
    fn within<T>(&mut self, lane: Poly, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let before = self.lane.replace(lane);
        let found = read(self);
        self.lane = before;
        found
    }

    fn int(&mut self, e: Expr) -> Read<Poly> {
        let (op, args) = match e.node() {
            Node::Int(n) => return Ok(Poly::constant(n.into())),
            Node::Var(v, sort) => return self.read(v, sort.lanes),
            Node::Apply(op, args) => (op, args),
            Node::Bool(_) => return Err(Stop::TooLarge),
        };
        match op {
            Op::Broadcast => {
                let (lane, _) = self.place(e, args[0])?;
                return self.within(lane, |r| r.int(args[0]));
            }
            Op::Ramp => {
                let (lane, turn) = self.place(e, args[0])?;
                let (x, s) = self.within(lane, |r| Ok((r.int(args[0])?, r.int(args[1])?)))?;
                return self.reduced(fits(x.add(&fits(s.mul(&turn))?))?);
            }
            Op::Select => {
                let b = self.truth(args[0])?;
                let at = if self.decided(b)? { 1 } else { 2 };
                return self.int(args[at]);
            }
            _ => {}
        }
        let (x, y) = (self.int(args[0])?, self.int(args[1])?);
        match op {
            Op::Add => fits(x.add(&y)),
            Op::Sub => fits(x.sub(&y)),
            Op::Mul => self.reduced(fits(x.mul(&y))?),
            Op::Div => self.quotient(x, y),
            Op::Mod => match self.needed_sign(&y)? {
                Sign::Zero => Ok(Poly::zero()),
                _ => {
                    let quotient = self.quotient(x.clone(), y.clone())?;
                    let multiple = fits(y.mul(&quotient))?;
                    self.reduced(fits(x.sub(&multiple))?)
                }
            },
            Op::Min | Op::Max => {
                // Of two that are equal either is the result, so what is known of one order decides for both.
                let smaller = match self.positive(fits(x.sub(&y))?)? {
                    Formula::Truth(larger) => !larger,
                    _ => {
                        let smaller = self.positive(fits(y.sub(&x))?)?;
                        self.decided(smaller)?
                    }
                };
                let first = smaller == (op == Op::Min);
                Ok(if first { x } else { y })
            }
            _ => Err(Stop::TooLarge),
        }
    }

    /// x/d
    fn quotient(&mut self, x: Poly, d: Poly) -> Read<Poly> {
        let (x, d, sign) = match self.needed_sign(&d)? {
            Sign::Zero => return Ok(Poly::zero()),
            Sign::Positive => (x, d, 1),
            Sign::Negative => (x, fits(d.scale(-1))?, -1),
        };
        let (k, rest) = fits(x.divide(&d))?;
        let named = self.named_quotient(rest, d)?;
        fits(fits(k.add(&named))?.scale(sign))
    }

    /// rest/d for a positive d
    fn named_quotient(&mut self, rest: Poly, d: Poly) -> Read<Poly> {
        if rest.is_zero() {
            return Ok(rest);
        }
        if let (Some(x), Some(d)) = (rest.as_constant(), d.as_constant()) {
            return Ok(Poly::constant(x.div_euclid(d)));
        }
        // Common factors.
        let shared = d
            .common_atom()
            .filter(|a| rest.without(&Monomial::of(vec![*a])).is_some());
        if let Some(a) = shared {
            let m = Monomial::of(vec![a]);
            let parts = (rest.without(&m), d.without(&m));
            if let (Some(rest), Some(d)) = parts {
                return match self.needed_sign(&Poly::atom(a))? {
                    Sign::Zero => Err(Stop::Void),
                    Sign::Positive => self.quotient(rest, d),
                    Sign::Negative => self.quotient(fits(rest.scale(-1))?, fits(d.scale(-1))?),
                };
            }
        }
        let content = |p: &Poly| p.terms().fold(0, |g, (_, n)| gcd(g, n));
        let common = gcd(content(&rest), content(&d));
        if common > 1 {
            let part = |p: &Poly| p.divide(&Poly::constant(common)).map(|(k, _)| k);
            return self.quotient(fits(part(&rest))?, fits(part(&d))?);
        }
        // The quotient of a quotient.
        let inner = rest.terms().find_map(|(m, n)| match (m.atoms(), n) {
            ([a], 1) => match self.names.meaning(*a) {
                // What is taken apart by its rest is not put together again.
                Meaning::Quotient(x, _) if self.rests.iter().any(|r| *x == Poly::atom(r.0)) => None,
                Meaning::Quotient(x, c) => Some((*a, x.clone(), c.clone())),
                _ => None,
            },
            _ => None,
        });
        if let Some((a, x, c)) = inner {
            let (x, c) = (self.full(&x)?, self.full(&c)?);
            let others = fits(rest.sub(&Poly::atom(a)))?;
            let dividend = fits(x.add(&fits(others.mul(&c))?))?;
            return self.quotient(self.reduced(dividend)?, self.reduced(fits(c.mul(&d))?)?);
        }
        if let Some((a, n)) = self.needed_rest(&rest, &d) {
            return Err(Stop::Rest(a, n));
        }
        Ok(Poly::atom(self.names.of(Meaning::Quotient(rest, d))))
    }

    /// A variable that stands in a product which a small constant divides or not as its rest is.
    fn needed_rest(&self, x: &Poly, d: &Poly) -> Option<(Atom, i128)> {
        let n = d.as_constant().filter(|n| (2..=MOST_RESTS).contains(n))?;
        self.apart.then_some(())?;
        let products = x.terms().filter(|(m, _)| m.atoms().len() > 1);
        let mut atoms = products.flat_map(|(m, _)| m.atoms().iter().copied());
        let known = |a: Atom| self.rests.iter().any(|r| r.0 == a);
        let variable = |a: &Atom| matches!(self.names.meaning(*a), Meaning::Var(_)) && !known(*a);
        atoms.find(variable).map(|a| (a, n))
    }

    fn needed_sign(&self, p: &Poly) -> Read<Sign> {
        if let Some(sign) = self.sign(p) {
            return Ok(sign);
        }
        // Of a product, the signs of the factors.
        let term = p.as_term().map(|(m, _)| m.atoms().to_vec());
        let unknown = |a: &Atom| self.sign(&Poly::atom(*a)).is_none();
        match term.and_then(|atoms| atoms.into_iter().find(unknown)) {
            Some(a) => Err(Stop::Sign(Poly::atom(a))),
            None => Err(Stop::Sign(p.clone())),
        }
    }

    fn sign(&self, p: &Poly) -> Option<Sign> {
        if let Some(n) = p.as_constant() {
            return Some(Sign::of(n));
        }
        for (q, sign) in self.signs {
            if p == q {
                return Some(*sign);
            }
            if p.scale(-1).as_ref() == Some(q) {
                return Some(sign.times(Sign::Negative));
            }
        }
        // All terms of one sign.
        let mut all = None;
        for (m, n) in p.terms() {
            let mut sign = Sign::of(n);
            for a in m.atoms() {
                let known = |(q, s): &&(Poly, Sign)| *q == Poly::atom(*a) && *s != Sign::Zero;
                let counts =
                    matches!(self.names.meaning(*a), Meaning::Var(v) if self.counts.contains(v));
                sign = sign.times(match counts {
                    true => Sign::Positive,
                    false => self.signs.iter().find(known)?.1,
                });
            }
            if all.is_some_and(|s| s != sign) {
                return None;
            }
            all = Some(sign);
        }
        all
    }

    /// Whether a formula holds in this case.
    fn decided(&self, f: Formula) -> Read<bool> {
        match f {
            Formula::Truth(b) => return Ok(b),
            Formula::And(a, b) => return Ok(self.decided(*a)? && self.decided(*b)?),
            Formula::Or(a, b) => return Ok(self.decided(*a)? || self.decided(*b)?),
            Formula::Same(a, b) => return Ok(self.decided(*a)? == self.decided(*b)?),
            Formula::Not(a) => return Ok(!self.decided(*a)?),
            _ => {}
        }
        if self.truths.contains(&f) {
            return Ok(true);
        }
        match self.truths.contains(&f.clone().negated()) {
            true => Ok(false),
            false => Err(Stop::Truth(f)),
        }
    }

    fn truth(&mut self, e: Expr) -> Read<Formula> {
        let (op, args) = match e.node() {
            Node::Bool(b) => return Ok(Formula::Truth(b)),
            Node::Var(v, sort) => {
                let name = match self.lane.clone() {
                    Some(lane) if sort.lanes != Lanes::One => self.names.truth(v, lane),
                    _ => v,
                };
                return Ok(self.settled(Formula::Bool(name)));
            }
            Node::Apply(op, args) => (op, args),
            Node::Int(_) => return Err(Stop::TooLarge),
        };
        if matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge) {
            let (x, y) = (self.int(args[0])?, self.int(args[1])?);
            return match op {
                Op::Lt => self.positive(fits(y.sub(&x))?),
                Op::Gt => self.positive(fits(x.sub(&y))?),
                Op::Le => Ok(self.positive(fits(x.sub(&y))?)?.negated()),
                Op::Ge => Ok(self.positive(fits(y.sub(&x))?)?.negated()),
                Op::Eq => self.zero(fits(x.sub(&y))?),
                _ => Ok(self.zero(fits(x.sub(&y))?)?.negated()),
            };
        }
        match op {
            Op::Prove => self.truth(args[0]),
            Op::Broadcast => {
                let (lane, _) = self.place(e, args[0])?;
                self.within(lane, |r| r.truth(args[0]))
            }
            Op::Not => Ok(self.truth(args[0])?.negated()),
            Op::And => Ok(self.truth(args[0])?.and(self.truth(args[1])?)),
            Op::Or => Ok(self.truth(args[0])?.or(self.truth(args[1])?)),
            Op::Select => {
                let b = self.truth(args[0])?;
                let at = if self.decided(b)? { 1 } else { 2 };
                self.truth(args[at])
            }
            _ => Err(Stop::TooLarge),
        }
    }

    /// p > 0
    fn positive(&self, p: Poly) -> Read<Formula> {
        if let Some(sign) = self.sign(&p) {
            return Ok(Formula::Truth(sign == Sign::Positive));
        }
        let p = self.plain(p)?;
        Ok(self.settled(Formula::positive(p)))
    }

    /// p = 0
    fn zero(&self, p: Poly) -> Read<Formula> {
        if let Some(sign) = self.sign(&p) {
            return Ok(Formula::Truth(sign == Sign::Zero));
        }
        let p = self.plain(p)?;
        Ok(self.settled(Formula::zero(p)))
    }

    /// Without factors that all terms share, up to their sign.
    fn plain(&self, p: Poly) -> Read<Poly> {
        let mut p = p;
        while let Some(a) = p
            .common_atom()
            .filter(|_| p.as_term().is_none_or(|t| t.0.atoms().len() > 1))
        {
            let rest = fits(p.without(&Monomial::of(vec![a])))?;
            p = match self.needed_sign(&Poly::atom(a))? {
                Sign::Zero => Poly::zero(),
                Sign::Positive => rest,
                Sign::Negative => fits(rest.scale(-1))?,
            };
        }
        Ok(p)
    }

    /// What the case says of it, if it says something.
    fn settled(&self, f: Formula) -> Formula {
        match &f {
            _ if self.truths.contains(&f) => Formula::Truth(true),
            _ if self.truths.contains(&f.clone().negated()) => Formula::Truth(false),
            _ => f,
        }
    }
}

/// The parts of a condition that all hold, without `prove`.
fn conjuncts(e: Expr) -> Vec<Expr> {
    let proved = |e: Expr| match e.node() {
        Node::Apply(Op::Prove, args) => args[0].conjuncts(),
        _ => vec![e],
    };
    e.conjuncts().into_iter().flat_map(proved).collect()
}
