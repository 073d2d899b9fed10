//! What is known of sizes, indices and conditions at a place of a program.
//!
//! In: ranges of variables, which hold wherever these stand; conditions, which are assumed and forgotten again. Out:
//! answers. Invariant: an answer holds wherever all holds that was assumed; no answer means nothing. Every state of what is
//! assumed has a number, so that what was found under one is not used under another. Absent: values.

use super::parts::{choice, factor, multiples_where, primitive, tightened, Choice};
use super::points::Points;
use super::questions::{Answer, Question};
use super::system::{contradict, is_integer};
use crate::arith::{AtomKind, Mono, Nat, Rat, Signs};
use crate::index::{Facts, Level};
use crate::intern::Symbol;
use crate::obligation::Assumption;
use crate::term::Op;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A variable with its range, and the number of the facts about it.
type Ranged = (u32, Symbol, Option<(Nat, Nat)>);

pub struct Known {
    pub(super) facts: RefCell<Facts>,
    /// By the numbers of conditions.
    truths: Vec<(u32, bool)>,
    states: Vec<u64>,
    next: u64,
    /// What is assumed after what, by what comes last: the same has the same number wherever it is assumed.
    numbers: FxHashMap<(u64, Step), u64>,
    /// What each assumption brought, by the state before it.
    brought: FxHashMap<(u64, Step), Brought>,
    /// Whether numbers are not negative, whether they are not 0 at a point, and what they are, by the number of the facts about
    /// them.
    least: RefCell<FxHashMap<(u32, Nat), bool>>,
    apart: RefCell<FxHashMap<(u32, Nat), bool>>,
    simple: RefCell<FxHashMap<(u32, Nat), Nat>>,
    /// The only values of variables, by what is known and their ranges.
    pub(super) fixed: RefCell<FxHashMap<Ranged, Option<Nat>>>,
    /// Between which numbers variables are, by what numbers alone say of them.
    pub(super) between_numbers: RefCell<FxHashMap<Ranged, (i64, i64)>>,
    ages: Cell<u64>,
    /// Of numbers, whatever holds: factors of variables, and their first choices.
    factors: RefCell<FxHashMap<(Nat, Symbol), Option<i64>>>,
    choices: RefCell<FxHashMap<Nat, Choice>>,
    /// Where what is asked is looked at first.
    points: RefCell<Points>,
    /// Questions that were answered neither by their form nor at a point, each once; and those that a point answered.
    asked: Cell<u64>,
    /// In so many quotients is what is asked.
    pub(super) quotients: Cell<u32>,
    pointed: Cell<u64>,
    /// They themselves, where they are kept.
    kept: Option<RefCell<Vec<Question>>>,
}

impl Default for Known {
    fn default() -> Known {
        Known {
            facts: RefCell::new(Facts::new(Level::Full)),
            truths: Vec::new(),
            states: vec![0],
            next: 0,
            numbers: FxHashMap::default(),
            brought: FxHashMap::default(),
            least: RefCell::default(),
            apart: RefCell::default(),
            simple: RefCell::default(),
            fixed: RefCell::default(),
            between_numbers: RefCell::default(),
            ages: Cell::new(0),
            factors: RefCell::default(),
            choices: RefCell::default(),
            points: RefCell::default(),
            asked: Cell::new(0),
            quotients: Cell::new(0),
            pointed: Cell::new(0),
            kept: None,
        }
    }
}

/// The facts that an assumption adds, and the state after it.
#[derive(Clone)]
struct Brought {
    facts: Vec<Nat>,
    state: u64,
}

/// One more assumption.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Step {
    Truth(u32, bool),
    Fact(Nat),
    Positive(Nat),
    Compare(Op, Nat, Nat, bool),
    /// What follows from the last ones.
    Settled,
    /// What is assumed once.
    Told(u64),
    /// What held in another state.
    Recalled(u64),
}

/// Variables that are put at an end of their range, at most.
pub(super) const ENDS: u32 = 16;
/// Minima in each other of which what follows is noted.
pub(super) const IMPLIED: u32 = 3;

/// Questions that points answer and that take as long as one that none does.
const POINTED: u64 = 16;

/// What is assumed at a place, to be assumed again.
pub struct Snapshot {
    state: u64,
    facts: Vec<Nat>,
    truths: Vec<(u32, bool)>,
}

/// A place to come back to.
#[derive(Copy, Clone)]
pub struct Mark {
    facts: usize,
    truths: usize,
    states: usize,
}

/// What was assumed since.
pub struct Since {
    facts: Vec<Nat>,
    truths: Vec<(u32, bool)>,
    states: Vec<u64>,
}

impl Known {
    pub fn mark(&self) -> Mark {
        Mark {
            facts: self.facts.borrow().len(),
            truths: self.truths.len(),
            states: self.states.len(),
        }
    }

    /// The same as the last one, if nothing changed.
    pub fn snapshot(&self, last: Option<&Rc<Snapshot>>) -> Rc<Snapshot> {
        match last.filter(|s| s.state == self.state()) {
            Some(same) => same.clone(),
            None => Rc::new(Snapshot {
                state: self.state(),
                facts: self.all(),
                truths: self.truths(),
            }),
        }
    }

    /// Assumes it all again.
    pub fn recall(&mut self, s: &Snapshot) {
        for n in &s.facts {
            if !self.is_fact(*n) {
                self.facts.get_mut().not_negative(*n);
            }
        }
        self.truths.extend(s.truths.iter().copied());
        self.changed(Step::Recalled(s.state));
    }

    /// Forgets what was assumed since.
    pub fn restore(&mut self, m: Mark) {
        self.facts.get_mut().forget(m.facts);
        self.truths.truncate(m.truths);
        self.states.truncate(m.states);
    }

    /// Goes back to where less was assumed, for a while: what was assumed since comes back by [`Known::come_back`].
    pub fn go_back(&mut self, m: Mark) -> Since {
        Since {
            facts: self.facts.get_mut().split_off(m.facts),
            truths: self.truths.split_off(m.truths.min(self.truths.len())),
            states: self.states.split_off(m.states.min(self.states.len())),
        }
    }

    pub fn come_back(&mut self, since: Since) {
        self.facts.get_mut().extend(since.facts);
        self.truths.extend(since.truths);
        self.states.extend(since.states);
    }

    /// The number of what is assumed now.
    pub fn state(&self) -> u64 {
        self.states.last().copied().unwrap_or(0)
    }

    /// The numbers of all that was assumed one after the other, the last one first: what holds with fewer assumptions holds now.
    pub fn earlier(&self) -> impl Iterator<Item = u64> + '_ {
        self.states.iter().rev().copied()
    }

    fn changed(&mut self, by: Step) {
        let next = &mut self.next;
        let key = (self.states.last().copied().unwrap_or(0), by);
        let state = *self.numbers.entry(key).or_insert_with(|| {
            *next += 1;
            *next
        });
        self.states.push(state);
    }

    /// Assumes something: what follows is drawn once for each state.
    fn assuming(&mut self, step: Step, draw: impl FnOnce(&mut Known)) {
        let key = (self.state(), step);
        if let Some(known) = self.brought.get(&key).cloned() {
            self.facts.get_mut().extend(known.facts);
            return self.states.push(known.state);
        }
        let before = self.facts.get_mut().len();
        draw(self);
        let facts = self.facts.get_mut().added()[before..].to_vec();
        let state = self.state();
        self.brought.insert(key, Brought { facts, state });
    }

    /// From here on all questions are kept.
    pub fn keep(&mut self) {
        self.kept = Some(RefCell::default());
    }

    /// Those that were kept.
    pub fn questions(&mut self) -> Vec<Question> {
        self.kept.take().map_or(Vec::new(), RefCell::into_inner)
    }

    /// Something was asked, or drawn from what is known.
    fn note(&self, least: Nat, answer: Answer) {
        let Some(kept) = &self.kept else { return };
        let (known, mut ranges) = (self.all(), Vec::<(Symbol, Nat, Nat)>::new());
        let mut open: Vec<Nat> = known.iter().copied().chain([least]).collect();
        while let Some(n) = open.pop() {
            n.each_atom(&mut |a| {
                let AtomKind::Var(v) = a.kind() else { return };
                if let Some((lo, hi)) = self.range_of(v).filter(|_| ranges.iter().all(|r| r.0 != v))
                {
                    ranges.push((v, lo, hi));
                    open.extend([lo, hi]);
                }
            });
        }
        let whole = self.facts.borrow().whole_sizes().to_vec();
        kept.borrow_mut().push(Question {
            known,
            whole,
            ranges,
            least,
            answer,
        });
    }

    /// A number was drawn from what is known.
    pub(super) fn is_drawn(&self, n: Nat) {
        self.note(n, Answer::Holds);
    }

    /// How many questions were asked that take time.
    pub fn asked(&self) -> u64 {
        self.asked.get() + self.pointed.get() / POINTED
    }

    /// What a function checks before it does anything.
    pub fn tell(&mut self, a: Assumption) {
        let facts = self.facts.get_mut();
        match a {
            Assumption::Divides(d, n) => {
                facts.whole(n.exact_div(d));
                if d.as_int().is_none() && facts.is_not_negative(d) {
                    facts.not_negative(d - Nat::int(1));
                }
            }
            Assumption::NotNegative(n) => facts.not_negative(n),
        }
        self.points.get_mut().forget();
        self.changed(Step::Told(self.next));
    }

    /// `lo <= var <= hi`, wherever the variable stands.
    pub fn range(&mut self, var: Symbol, lo: Nat, hi: Nat) {
        let before = self.range_of(var);
        self.facts.get_mut().range(var, lo, hi);
        if before.is_some() && before != self.range_of(var) {
            self.points.get_mut().forget();
        }
    }

    pub fn range_once(&mut self, var: Symbol, lo: Nat, hi: Nat) {
        if self.range_of(var).is_none() {
            self.range(var, lo, hi);
        }
    }

    pub fn range_of(&self, var: Symbol) -> Option<(Nat, Nat)> {
        self.facts.borrow().range_of(var)
    }

    /// How many values a variable has, from 0 on, if that is a number.
    pub fn values_of(&self, var: Symbol) -> Option<i64> {
        let (lo, hi) = self.range_of(var)?;
        let most = hi.as_int().filter(|_| lo.as_int() == Some(0));
        most.map(|most| most + 1)
    }

    /// Between which numbers a sum of variables is that have numbers as ends of their ranges.
    pub fn interval(&self, n: Nat) -> Option<(i64, i64)> {
        let (mut least, mut most) = (0i64, 0i64);
        for (m, c) in n.terms().iter() {
            let (c, (lo, hi)) = match m.factors().next() {
                None => (c.as_int()?, (1, 1)),
                Some((a, 1)) if m.factors().count() == 1 => match a.kind() {
                    AtomKind::Var(v) => {
                        let (lo, hi) = self.range_of(v)?;
                        (c.as_int()?, (lo.as_int()?, hi.as_int()?))
                    }
                    _ => return None,
                },
                Some(_) => return None,
            };
            let ends = (c.checked_mul(lo)?, c.checked_mul(hi)?);
            least = least.checked_add(ends.0.min(ends.1))?;
            most = most.checked_add(ends.0.max(ends.1))?;
        }
        Some((least, most))
    }

    /// `n >= 1`
    pub fn positive(&mut self, n: Nat) {
        if n.as_int().is_none() {
            self.assuming(Step::Positive(n), |known| {
                known.facts.get_mut().positive(n);
                known.take(n - Nat::int(1), IMPLIED);
                known.changed(Step::Positive(n));
                known.settle();
            });
        }
    }

    pub fn not_negative(&mut self, n: Nat) {
        if n.as_int().is_none() {
            self.assuming(Step::Fact(n), |known| {
                known.take(n, IMPLIED);
                known.changed(Step::Fact(n));
            });
        }
    }

    /// With what follows for the sides of a minimum or maximum in it: all of them are at least as large, or the one that can be.
    pub(super) fn take(&self, n: Nat, depth: u32) {
        let n = tightened(n);
        self.asked.set(self.asked.get() + 1);
        if !self.is_fact(n) {
            self.facts.borrow_mut().not_negative(n);
        }
        self.implied(n, depth);
    }

    /// Takes what follows from what is known.
    pub(super) fn follows(&self, n: Nat, depth: u32) {
        self.note(n, Answer::Holds);
        self.take(n, depth);
    }

    pub(super) fn factor(&self, n: Nat, v: Symbol) -> Option<i64> {
        let mut known = self.factors.borrow_mut();
        let of = || n.coefficient(v).and_then(Nat::as_int);
        *known.entry((n, v)).or_insert_with(of)
    }

    pub(super) fn choice(&self, n: Nat) -> Choice {
        let mut known = self.choices.borrow_mut();
        *known.entry(n).or_insert_with(|| choice(n))
    }

    /// All that is not negative.
    pub(super) fn all(&self) -> Vec<Nat> {
        self.facts.borrow().added().to_vec()
    }

    pub(super) fn is_fact(&self, n: Nat) -> bool {
        self.facts.borrow().is_added(n)
    }

    /// All conditions that are assumed.
    pub fn truths(&self) -> Vec<(u32, bool)> {
        self.truths.clone()
    }

    pub fn truth(&self, c: u32) -> Option<bool> {
        self.truths.iter().rev().find(|t| t.0 == c).map(|t| t.1)
    }

    pub fn assume_truth(&mut self, c: u32, holds: bool) {
        self.truths.push((c, holds));
        self.changed(Step::Truth(c, holds));
    }

    pub fn assume_compare(&mut self, op: Op, a: Nat, b: Nat, holds: bool) {
        self.assuming(Step::Compare(op, a, b, holds), |known| {
            known.compared(op, a, b, holds);
            known.settle();
        });
    }

    fn compared(&mut self, op: Op, a: Nat, b: Nat, holds: bool) {
        let one = Nat::int(1);
        match (op, holds) {
            (Op::Lt, true) => self.not_negative(b - a - one),
            (Op::Lt, false) => self.not_negative(a - b),
            (Op::Le, true) => self.not_negative(b - a),
            (Op::Le, false) => self.not_negative(a - b - one),
            (Op::Eq, true) | (Op::Ne, false) => {
                self.not_negative(a - b);
                self.not_negative(b - a);
                self.replace(a, b);
            }
            // What is at most b and not b is less.
            (Op::Eq, false) | (Op::Ne, true) => {
                if self.at_least(b, a) {
                    self.not_negative(b - a - one);
                } else if self.at_least(a, b) {
                    self.not_negative(a - b - one);
                }
            }
            _ => {}
        }
    }

    /// Draws again what follows from minima: by now it may be known which side it is.
    fn settle(&mut self) {
        let before = self.facts.borrow().len();
        for n in self.all() {
            if self.choice(n).is_some() {
                self.implied(n, IMPLIED);
            }
        }
        if self.facts.borrow().len() > before {
            self.changed(Step::Settled);
        }
    }

    /// The variable of a range that an equation says, and what it is.
    pub fn solved(&self, a: Nat, b: Nat) -> Option<(Symbol, Nat)> {
        let n = primitive(a - b)?;
        let mut found: Option<(Symbol, Nat)> = None;
        n.each_atom(&mut |atom| {
            let AtomKind::Var(v) = atom.kind() else {
                return;
            };
            if found.is_some() || self.range_of(v).is_none() {
                return;
            }
            let rest = match n.coefficient(v).and_then(Nat::as_int) {
                Some(1) => Nat::var(v) - n,
                Some(-1) => Nat::var(v) + n,
                _ => return,
            };
            found = (!rest.mentions(v)).then_some((v, rest));
        });
        found
    }

    /// What is known of a variable is known of what it is equal to.
    fn replace(&mut self, a: Nat, b: Nat) {
        if let Some((v, n)) = self.solved(a, b) {
            self.put(v, n);
        }
    }

    /// What is known of a variable is known of a number.
    pub fn put(&mut self, v: Symbol, n: Nat) {
        let mut new: Vec<Nat> = self.facts.get_mut().added_about(v).collect();
        if let Some((lo, hi)) = self.range_of(v) {
            new.extend([Nat::var(v) - lo, hi - Nat::var(v)]);
        }
        for fact in new {
            let fact = fact.subst_var(v, n);
            self.note(fact, Answer::Holds);
            self.not_negative(fact);
        }
    }

    /// Whether a comparison of indices holds, as far as that is known.
    pub fn compare(&self, op: Op, a: Nat, b: Nat) -> Option<bool> {
        let one = Nat::int(1);
        let least = |n: Nat| self.at_least(n, Nat::int(0));
        let either = |yes: bool, no: bool| match (yes, no) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        match op {
            Op::Lt => either(least(b - a - one), least(a - b)),
            Op::Le => either(least(b - a), least(a - b - one)),
            Op::Eq => either(self.equal(a, b), least(a - b - one) || least(b - a - one)),
            Op::Ne => either(least(a - b - one) || least(b - a - one), self.equal(a, b)),
            _ => None,
        }
    }

    /// Of equal remainders what they are of is equal, too, if it is nearer to each other than what divides.
    pub fn without_remainders(&self, a: Nat, b: Nat) -> (Nat, Nat) {
        let terms = (a - b).terms();
        let [x, y] = &terms[..] else { return (a, b) };
        let (x, y) = if x.1 == Rat::ONE { (x, y) } else { (y, x) };
        let of = |m: &Mono| match Nat::from_terms([(m.clone(), Rat::ONE)]).as_atom()?.kind() {
            AtomKind::Mod(n, d) => Some((n, d)),
            _ => None,
        };
        match (of(&x.0), of(&y.0)) {
            (Some((m, d)), Some((n, by))) if d == by && x.1 == Rat::ONE && y.1 == Rat::int(-1) => {
                let near = |n: &Nat| {
                    self.at_least(d - Nat::int(1), m - *n) && self.at_least(d - Nat::int(1), *n - m)
                };
                let beside = [n, n + d, n - d];
                beside.into_iter().find(near).map_or((a, b), |n| (m, n))
            }
            _ => (a, b),
        }
    }

    pub fn equal(&self, a: Nat, b: Nat) -> bool {
        if a == b {
            return true;
        }
        let between = a - b;
        if self.differs(between) {
            return false;
        }
        match self.simplify(between).as_int() {
            Some(d) => d == 0,
            None => self.at_least(a, b) && self.at_least(b, a),
        }
    }

    pub fn at_least(&self, a: Nat, b: Nat) -> bool {
        let n = a - b;
        if let Some(n) = n.as_int() {
            return n >= 0;
        }
        // As facts have it.
        let n = tightened(n);
        let key = (self.about(n), n);
        if let Some(known) = self.least.borrow().get(&key) {
            return *known;
        }
        if self.held_before(n) {
            self.least.borrow_mut().insert(key, true);
            return true;
        }
        let mut fails = self.is_negative_somewhere(n);
        let answer = !fails && {
            self.asked.set(self.asked.get() + 1);
            self.is_shown(n, || {
                fails = self.is_negative_nearby(n);
                fails
            })
        };
        self.least.borrow_mut().insert(key, answer);
        let answered = match (answer, fails) {
            (true, _) => Answer::Holds,
            (false, true) => Answer::FailsSomewhere,
            (false, false) => Answer::Open,
        };
        self.note(n, answered);
        answer
    }

    /// Whether it was shown where fewer of the facts about it are known.
    fn held_before(&self, n: Nat) -> bool {
        let view = self.facts.borrow().about(n);
        let least = self.least.borrow();
        let mut states = view.states().iter().rev().skip(1).chain([&0]);
        states.any(|s| least.get(&(*s, n)) == Some(&true))
    }

    fn is_negative_nearby(&self, n: Nat) -> bool {
        let facts = self.facts.borrow();
        (self.points.borrow_mut()).negative_nearby(n, &facts, &facts.about(n))
    }

    fn is_negative_somewhere(&self, n: Nat) -> bool {
        self.pointed.set(self.pointed.get() + 1);
        let facts = self.facts.borrow();
        (self.points.borrow_mut()).negative(n, &facts, &facts.about(n))
    }

    /// Whether a number is not 0 at a point.
    fn differs(&self, n: Nat) -> bool {
        let key = (self.about(n), n);
        if let Some(known) = self.apart.borrow().get(&key) {
            return *known;
        }
        self.pointed.set(self.pointed.get() + 1);
        let facts = self.facts.borrow();
        let differs = (self.points.borrow_mut()).not_zero(n, &facts, &facts.about(n));
        self.apart.borrow_mut().insert(key, differs);
        differs
    }

    pub(super) fn known_sign(&self, n: Nat) -> bool {
        match n.as_int() {
            Some(n) => n >= 0,
            None => self.facts.borrow().is_not_negative(tightened(n)),
        }
    }

    /// Whether there is a point at which all holds that is known: then it does not contradict itself.
    pub fn has_points(&self) -> bool {
        (self.points.borrow_mut()).exist(&self.facts.borrow())
    }

    /// Whether what is known is seen to contradict itself.
    pub fn contradicts(&self) -> bool {
        if self.has_points() {
            return false;
        }
        let all = self.all();
        self.asked.set(self.asked.get() + all.len() as u64);
        // What takes least is asked first.
        contradict(all.iter().copied(), &|v| self.range_of(v))
            || all.iter().rev().any(|n| self.known_sign(Nat::int(-1) - *n))
            || all.iter().rev().any(|n| self.never_by_cases(*n))
    }

    /// Whether two numbers are equal by all that is known at once, see `system`.
    pub fn equal_by_all(&self, a: Nat, b: Nat) -> bool {
        // Facts about other numbers may be why they are equal.
        let facts = self.facts.borrow();
        if (self.points.borrow_mut()).not_zero_by_all(a - b, &facts) {
            return false;
        }
        drop(facts);
        let mut rest = self.simplify(a - b);
        while let Some((_, n)) = factor(rest) {
            rest = n;
        }
        // What is more than -1 is not negative, if it is whole.
        is_integer(rest)
            && [rest, Nat::int(0) - rest].into_iter().all(|n| {
                let all = self.all().into_iter().chain([Nat::int(-1) - n]);
                self.asked.set(self.asked.get() + 1);
                let holds = contradict(all, &|v| self.range_of(v));
                self.note(n, if holds { Answer::Holds } else { Answer::Open });
                holds
            })
    }

    pub fn simplify(&self, n: Nat) -> Nat {
        if !n.has_operations() {
            return n;
        }
        let key = (self.about(n), n);
        if let Some(known) = self.simple.borrow().get(&key) {
            return *known;
        }
        let simple = self.facts.borrow().simplify(n);
        self.simple.borrow_mut().insert(key, simple);
        simple
    }

    /// What of the facts answers about a number rest on: by its number they are kept, as long as ranges stay.
    fn about(&self, n: Nat) -> u32 {
        let facts = self.facts.borrow();
        let state = facts.state_about(n);
        if self.ages.replace(facts.ages()) != facts.ages() {
            self.least.borrow_mut().clear();
            self.apart.borrow_mut().clear();
            self.simple.borrow_mut().clear();
        }
        state
    }

    /// The least number below one that is at least as large as this one, which is not negative.
    pub fn most(&self, n: Nat, below: i64) -> Option<i64> {
        let is_most = |hi: i64| self.at_least(Nat::int(hi), n);
        if !self.at_least(n, Nat::int(0)) || !is_most(below - 1) {
            return None;
        }
        let (mut least, mut most) = (0, below - 1);
        while least < most {
            let middle = (least + most) / 2;
            match is_most(middle) {
                true => most = middle,
                false => least = middle + 1,
            }
        }
        Some(most)
    }

    pub fn rem(&self, n: Nat, d: Nat) -> Nat {
        self.facts.borrow().rem(n, d)
    }

    /// The quotient by a stride, as of `parts`; where 2 divides n, n/2 is whole.
    pub fn multiples(&self, n: Nat, stride: Nat) -> Nat {
        let facts = self.facts.borrow();
        let of = |part: Nat, whole: &Nat| part.exact_div(*whole).as_int().is_some();
        multiples_where(n, stride, |part| {
            facts.whole_sizes().iter().any(|w| of(part, w))
        })
    }

    pub fn floor(&self, n: Nat, d: Nat) -> Nat {
        let (n, d) = (self.simplify(n), self.simplify(d));
        if d.as_int().is_none() {
            let q = self.multiples(n, d);
            // The terms that are no multiples may be less than nothing, or more than one.
            for q in [q, q - Nat::int(1), q + Nat::int(1)] {
                let rest = n - q * d;
                if self.at_least(rest, Nat::int(0)) && self.at_least(d - Nat::int(1), rest) {
                    return q;
                }
            }
        }
        self.facts.borrow().floor(n, d)
    }
}
