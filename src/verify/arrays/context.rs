//! What is known while two values are compared, and how cases are split.
//!
//! In: a rule. Out: its unknown sizes as variables, facts about them and about indices, answers to questions. A question
//! that the facts do not decide ends evaluation with [`Stuck::Split`]; whoever compares asks again in both cases.
//! Invariant: facts hold wherever the left side of the rule has a value and its conditions hold. Every run ends: work is
//! counted. Absent: values.

use super::equal;
use super::facts::Facts;
use super::value::{Head, Neutral, Val};
use crate::arith::{AtomKind, Mono, Nat, Rat, Signs};
use crate::elab::{Cond, Obligation, Rel, RuleDecl};
use crate::intern::Symbol;
use crate::rule::instance::{usable, Binder};
use crate::term::Lit;
use crate::ty::{Ty, TySubst};
use std::rc::Rc;

/// Why evaluation does not go on.
pub enum Stuck {
    /// It depends on this.
    Split(Question),
    Unknown(String),
}

pub type Res<T> = Result<T, Stuck>;

/// What decides between two cases.
#[derive(Clone)]
pub enum Question {
    NotNegative(Nat),
    Holds(Neutral),
}

/// Steps of evaluation and comparison for one rule.
const WORK: u32 = 20_000;
/// Cases within cases, comparisons within comparisons.
const MAX_SPLITS: u32 = 6;
const MAX_DEPTH: u32 = 60;
/// Variables and operations in an index.
const MAX_ATOMS: u32 = 16;

pub struct Context {
    pub rule: Rc<RuleDecl>,
    /// Variables for unknown sizes.
    sizes: TySubst,
    facts: Facts,
    /// Not negative, beyond the facts.
    more: Vec<Nat>,
    truths: Vec<(Neutral, bool)>,
    /// Variables for indices that are values.
    named: Vec<(Neutral, Nat)>,
    /// For each pattern variable what it may mention.
    pub scopes: Vec<Vec<(Binder, bool)>>,
    fresh: u32,
    work: u32,
    splits: u32,
    pub depth: u32,
    /// The first thing that could not be shown.
    pub why: Option<String>,
}

/// See [`Context::known`].
pub struct Known {
    facts: Facts,
    more: usize,
    truths: usize,
    named: usize,
}

impl Context {
    pub fn new(rule: &Rc<RuleDecl>) -> Context {
        let mut sizes = TySubst::default();
        for (i, name) in rule.size_names().into_iter().enumerate() {
            sizes.nats.insert(i as u32, Nat::var(name));
        }
        let mut cx = Context {
            rule: rule.clone(),
            sizes,
            facts: Facts::new(),
            more: Vec::new(),
            truths: Vec::new(),
            named: Vec::new(),
            scopes: usable(rule),
            fresh: 0,
            work: WORK,
            splits: 0,
            depth: 0,
            why: None,
        };
        cx.assume();
        cx
    }

    pub fn ty(&self, t: Ty) -> Ty {
        self.sizes.ty(t)
    }

    pub fn nat(&self, n: Nat) -> Nat {
        self.sizes.nat(n)
    }

    /// What holds where the left side has a type and the conditions hold: comparisons, and what the rule obliges those
    /// to who use it. Of sizes nothing else is assumed.
    fn assume(&mut self) {
        let rule = self.rule.clone();
        for cond in &rule.conds {
            if let Cond::Compare(a, rel, b) = cond {
                let by = self.nat(*b) - self.nat(*a);
                let one = Nat::int(1);
                match rel {
                    Rel::Lt => self.more.push(by - one),
                    Rel::Le => self.more.push(by),
                    Rel::Gt => self.more.push(Nat::int(0) - by - one),
                    Rel::Ge => self.more.push(Nat::int(0) - by),
                    Rel::Eq => self.more.extend([by, Nat::int(0) - by]),
                    Rel::Ne => {}
                }
            }
        }
        for obligation in rule.obligations_of_match() {
            match obligation {
                Obligation::Positive(k) => {
                    let k = self.nat(k);
                    self.facts.positive(k);
                }
                Obligation::Size(n) => {
                    let n = self.nat(n);
                    self.size(n);
                }
            }
        }
    }

    /// A size: whole and not negative.
    pub fn size(&mut self, n: Nat) {
        self.facts.whole(n);
        if !self.facts.is_not_negative(n) {
            self.more.push(n);
        }
    }

    /// Whether a size of the right side is one wherever the left side has a value.
    pub fn is_size(&self, n: Nat) -> bool {
        self.is_whole(n) && self.is_not_negative(n)
    }

    pub fn is_whole(&self, n: Nat) -> bool {
        self.facts.floor(n, Nat::int(1)) == n
    }

    pub fn is_not_negative(&self, n: Nat) -> bool {
        if !manageable(n) {
            return false;
        }
        let known = |n: Nat| {
            self.facts.is_not_negative(n) || {
                let least = self.relaxed(self.facts.simplify(n));
                least != n && self.facts.is_not_negative(least)
            }
        };
        let more = self.more.iter().enumerate();
        known(n)
            || more.into_iter().any(|(i, p)| {
                let rest = n - *p;
                known(rest) || self.more[..i].iter().any(|q| known(rest - *q))
            })
    }

    /// A lower bound without roundings: `⌈x/d⌉ >= x/d`, `⌊x/d⌋ <= x/d`.
    fn relaxed(&self, n: Nat) -> Nat {
        let mut least = n;
        for (mono, c) in n.terms() {
            for (atom, e) in mono.factors() {
                let exact = match atom.kind() {
                    AtomKind::Ceil(x, d) if c > Rat::ZERO => (x, d),
                    AtomKind::Floor(x, d) if c < Rat::ZERO => (x, d),
                    _ => continue,
                };
                let (x, d) = exact;
                let others = Nat::from_terms([(mono.div(&Mono::atom(atom)), Rat::ONE)]);
                let positive = self.facts.is_not_negative(d - Nat::int(1));
                if e == 1 && positive && self.facts.is_not_negative(others) {
                    let term = Nat::rat(c) * others;
                    least = least - term * Nat::atom(atom) + term * x.exact_div(d);
                    break;
                }
            }
        }
        least
    }

    pub fn simplify(&self, n: Nat) -> Nat {
        match manageable(n) && n.as_rat().is_none() {
            true => self.facts.simplify(n),
            false => n,
        }
    }

    pub fn min(&self, a: Nat, b: Nat) -> Nat {
        match () {
            _ if self.is_not_negative(b - a) => a,
            _ if self.is_not_negative(a - b) => b,
            _ => a.min(b),
        }
    }

    pub fn max(&self, a: Nat, b: Nat) -> Nat {
        match () {
            _ if self.is_not_negative(b - a) => b,
            _ if self.is_not_negative(a - b) => a,
            _ => a.max(b),
        }
    }

    pub fn floor(&self, n: Nat, d: Nat) -> Nat {
        match manageable(n) {
            true => self.facts.floor(self.simplify(n), d),
            false => n.floor_div(d),
        }
    }

    pub fn rem(&self, n: Nat, d: Nat) -> Nat {
        match manageable(n) {
            true => self.facts.rem(self.simplify(n), d),
            false => n.rem(d),
        }
    }

    pub fn same_nat(&self, a: Nat, b: Nat) -> bool {
        a == b || {
            let by = self.simplify(a - b);
            by.as_int() == Some(0)
                || self.is_not_negative(by) && self.is_not_negative(Nat::int(0) - by)
        }
    }

    /// Whether `a < b`; asks where the facts do not say.
    pub fn less(&self, a: Nat, b: Nat) -> Res<bool> {
        let by = b - a - Nat::int(1);
        match () {
            _ if self.is_not_negative(by) => Ok(true),
            _ if self.is_not_negative(Nat::int(-1) - by) => Ok(false),
            _ => Err(Stuck::Split(Question::NotNegative(by))),
        }
    }

    /// Whether two indices are the same; asks where the facts do not say.
    pub fn same_index(&self, a: Nat, b: Nat) -> Res<bool> {
        Ok(self.same_nat(a, b) || !self.less(a, b)? && !self.less(b, a)?)
    }

    /// Whether a condition holds; asks where the facts do not say.
    pub fn holds(&mut self, c: &Val) -> Res<bool> {
        let Val::Neutral(c) = c else {
            return self.stuck("a condition that is no truth value");
        };
        if let (Head::Lit(Lit::Bool(b)), []) = (&c.head, &c.spine[..]) {
            return Ok(*b);
        }
        if let Some(truth) = equal::by_parts(self, c)? {
            return Ok(truth);
        }
        for i in 0..self.truths.len() {
            let (known, truth) = self.truths[i].clone();
            if equal::same(self, &known, c) {
                return Ok(truth);
            }
        }
        Err(Stuck::Split(Question::Holds(c.clone())))
    }

    /// Whether `shown` says yes in both cases.
    pub fn split(&mut self, q: &Question, shown: &mut dyn FnMut(&mut Context) -> bool) -> bool {
        if self.splits >= MAX_SPLITS {
            return self.not_shown(|| "too many cases".to_string());
        }
        self.splits += 1;
        let both = [true, false].into_iter().all(|yes| {
            let before = self.known();
            match q {
                Question::NotNegative(n) => {
                    let n = if yes { *n } else { Nat::int(-1) - *n };
                    self.narrow(n);
                    self.more.push(n);
                }
                Question::Holds(c) => self.truths.push((c.clone(), yes)),
            }
            let shown = shown(self);
            self.restore(before);
            shown
        });
        self.splits -= 1;
        both
    }

    /// `n >= 0` as a bound of an index, where it is one.
    fn narrow(&mut self, n: Nat) {
        for (mono, c) in n.terms() {
            let (Some(c), [(atom, 1)]) = (c.as_int(), &mono.factors().collect::<Vec<_>>()[..])
            else {
                continue;
            };
            let AtomKind::Var(v) = atom.kind() else {
                continue;
            };
            let Some((lo, hi)) = self.facts.range_of(v) else {
                continue;
            };
            let rest = n - Nat::atom(*atom) * Nat::int(c);
            let mut others = false;
            rest.each_atom(&mut |a| {
                others |= matches!(a.kind(), AtomKind::Var(v) if self.facts.range_of(v).is_some());
            });
            match c {
                _ if others => {}
                // Bounds that are minima of minima would cost more than they are worth.
                1 if self.is_not_negative(Nat::int(0) - rest - lo) => {
                    self.facts.range(v, Nat::int(0) - rest, hi);
                }
                -1 if self.is_not_negative(hi - rest) => self.facts.range(v, lo, rest),
                _ => {}
            }
        }
    }

    /// What is known, to go back to it.
    pub fn known(&self) -> Known {
        Known {
            facts: self.facts.clone(),
            more: self.more.len(),
            truths: self.truths.len(),
            named: self.named.len(),
        }
    }

    pub fn restore(&mut self, known: Known) {
        self.facts = known.facts;
        self.more.truncate(known.more);
        self.truths.truncate(known.truths);
        self.named.truncate(known.named);
    }

    /// Any value of a type.
    pub fn fresh(&mut self, ty: Ty) -> Val {
        self.fresh += 1;
        Val::neutral(Head::Fresh(self.fresh), ty)
    }

    /// Any index below `n`, which is positive then.
    pub fn fresh_index(&mut self, n: Nat) -> Nat {
        self.fresh += 1;
        // No size has a name like this.
        let name = Symbol::new(&format!("i.{}", self.fresh));
        self.facts.range(name, Nat::int(0), n - Nat::int(1));
        if !self.facts.is_not_negative(n - Nat::int(1)) {
            self.facts.positive(n);
        }
        Nat::var(name)
    }

    /// The index that a value is.
    pub fn index(&mut self, v: &Val) -> Res<Nat> {
        let n = match v {
            Val::Index(i) => return Ok(self.simplify(*i)),
            Val::Neutral(n) => n,
            _ => return self.stuck("an index that is none"),
        };
        let crate::ty::TyKind::Idx(size) = n.ty().kind() else {
            return self.stuck("an index that is none");
        };
        for i in 0..self.named.len() {
            let (known, name) = self.named[i].clone();
            if equal::same(self, &known, n) {
                return Ok(name);
            }
        }
        let name = self.fresh_index(size);
        self.named.push((n.clone(), name));
        Ok(name)
    }

    /// Counts a step of work.
    pub fn work(&mut self) -> Res<()> {
        match self.work.checked_sub(1) {
            Some(rest) => {
                self.work = rest;
                Ok(())
            }
            None => self.stuck("too many steps"),
        }
    }

    pub fn stuck<T>(&self, why: &str) -> Res<T> {
        Err(Stuck::Unknown(why.to_string()))
    }

    pub fn too_deep(&self) -> bool {
        self.depth >= MAX_DEPTH || self.work == 0
    }

    pub fn not_shown(&mut self, why: impl FnOnce() -> String) -> bool {
        if self.why.is_none() {
            self.why = Some(why());
        }
        false
    }
}

/// Whether questions about an expression are cheap: their cost grows fast with roundings in roundings.
fn manageable(n: Nat) -> bool {
    let mut atoms = 0;
    n.each_atom(&mut |_| atoms += 1);
    atoms <= MAX_ATOMS
}
