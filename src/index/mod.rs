//! Index arithmetic under facts: ranges of loop variables, sizes known to be whole.
//!
//! Comes in: sizes and indices of `arith`, what lowering knows of them; goes out: equal ones in which every operation
//! is gone that the facts decide, and answers to comparisons. What decides is `simplify`: each question becomes
//! expressions of `scalar` ([`to_expr`]) under the assumptions that its variables have, and what the rules
//! of `rules/index.rules` make of an operation comes back. Sums and products stay in the normal form of `arith`.
//! Invariant: equal in value wherever the facts hold.
//! Absent: loops, C, rules.

mod convert;
mod engine;
mod queries;

pub use convert::{to_expr, to_nat, variable};
pub use engine::{not_negative, View};
pub use queries::{question_text, Asked, Queries, Query};

use crate::arith::{is_whole, rejoin, Atom, AtomKind, Mono, Nat, Rat, Signs};
use crate::intern::Symbol;
use engine::Engine;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;

/// How much is done to indices.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Operations stay as they are written.
    Off,
    /// Constants are folded and terms ordered: the normal form of `arith`.
    Fold,
    /// Rules and facts.
    #[default]
    Full,
}

impl Level {
    /// Whether nothing is left out.
    pub fn is_full(&self) -> bool {
        *self == Level::Full
    }
}

/// What is known of variables. A variable without a range is a size: not negative.
#[derive(Default)]
pub struct Facts {
    level: Level,
    /// Least and largest value, and how many had a range before.
    ranges: FxHashMap<Symbol, (Nat, Nat, usize)>,
    /// Not negative, beyond what follows from the form.
    at_least_zero: Vec<Nat>,
    /// How often each of them was added, and the places of those that mention a variable: there may be thousands.
    times: FxHashMap<Nat, usize>,
    places: FxHashMap<Symbol, Vec<usize>>,
    /// The number of all facts up to each of them.
    states: Vec<u32>,
    /// Whole, beyond what follows from the form: `n/32`.
    whole: Vec<Nat>,
    engine: RefCell<Engine>,
}

impl Facts {
    /// No facts.
    pub fn new(level: Level) -> Facts {
        Facts {
            level,
            ..Facts::default()
        }
    }

    /// `lo <= var <= hi`
    pub fn range(&mut self, var: Symbol, lo: Nat, hi: Nat) {
        let place = self.ranges.len();
        self.ranges.insert(var, (lo, last_if_any(lo, hi), place));
        self.engine.get_mut().forget_answers_about(var);
    }

    /// Forgets what was added by [`Signs::not_negative`] since there were `len` of them.
    pub fn forget(&mut self, len: usize) {
        while self.at_least_zero.len() > len {
            self.forget_last();
        }
    }

    fn forget_last(&mut self) -> Option<Nat> {
        let n = self.at_least_zero.pop()?;
        self.states.pop();
        match self.times.get_mut(&n) {
            Some(times) if *times > 1 => *times -= 1,
            _ => drop(self.times.remove(&n)),
        }
        for v in n.vars().iter() {
            self.places.get_mut(v).and_then(Vec::pop);
        }
        Some(n)
    }

    /// Takes out what was added by [`Signs::not_negative`] since there were `len` of them.
    pub fn split_off(&mut self, len: usize) -> Vec<Nat> {
        let count = self.at_least_zero.len().saturating_sub(len);
        let mut last: Vec<Nat> = (0..count).filter_map(|_| self.forget_last()).collect();
        last.reverse();
        last
    }

    /// Puts back what [`Facts::split_off`] took.
    pub fn extend(&mut self, facts: Vec<Nat>) {
        facts.into_iter().for_each(|n| self.not_negative(n));
    }

    /// What [`Signs::not_negative`] added.
    pub fn added(&self) -> &[Nat] {
        &self.at_least_zero
    }

    /// Whether [`Signs::not_negative`] added a number.
    pub fn is_added(&self, n: Nat) -> bool {
        self.times.contains_key(&n)
    }

    /// What [`Signs::not_negative`] added that mentions a variable.
    pub fn added_about(&self, var: Symbol) -> impl Iterator<Item = Nat> + '_ {
        let places = self.places.get(&var).into_iter().flatten();
        places.map(|place| self.at_least_zero[*place])
    }

    /// A number for what was added: the same has the same number, as long as no variable that was asked about gets another
    /// range, which [`Facts::ages`] counts.
    pub fn state(&self) -> u32 {
        self.states.last().copied().unwrap_or(0)
    }

    /// The numbers of the facts up to each of those that [`Signs::not_negative`] added.
    pub fn states(&self) -> &[u32] {
        &self.states
    }

    /// What of the facts answers to questions about a number rest on: two states in which it is the same answer alike.
    pub fn about(&self, n: Nat) -> Rc<View> {
        self.engine.borrow_mut().view_about(self, n)
    }

    /// A number for that: the same has the same number, as of [`Facts::state`].
    pub fn state_about(&self, n: Nat) -> u32 {
        self.engine.borrow_mut().state_about(self, n)
    }

    /// How often a variable got another range after it was asked about.
    pub fn ages(&self) -> u64 {
        self.engine.borrow().ages
    }

    /// How many facts [`Signs::not_negative`] added.
    pub fn len(&self) -> usize {
        self.at_least_zero.len()
    }

    /// Whether [`Signs::not_negative`] added none.
    pub fn is_empty(&self) -> bool {
        self.at_least_zero.is_empty()
    }

    /// `n` is a whole number although division stands in it.
    pub fn whole(&mut self, n: Nat) {
        if !is_whole(n) && !self.whole.contains(&n) {
            self.whole.push(n);
        }
    }

    /// The sizes known to be whole that have division in them.
    pub fn whole_sizes(&self) -> &[Nat] {
        &self.whole
    }

    /// The range of a variable, if it has one.
    pub fn range_of(&self, var: Symbol) -> Option<(Nat, Nat)> {
        self.ranges.get(&var).map(|r| (r.0, r.1))
    }

    /// The questions that were asked since [`Facts::new`], each once.
    pub fn queries(&self) -> Queries {
        self.engine.borrow().queries.clone()
    }

    /// Whether `a >= b` is known.
    pub fn at_least(&self, a: Nat, b: Nat) -> bool {
        self.is_not_negative(a - b)
    }

    /// ⌊n / d⌋
    pub fn floor(&self, n: Nat, d: Nat) -> Nat {
        self.operation(AtomKind::Floor(n, d))
    }

    /// n mod d
    pub fn rem(&self, n: Nat, d: Nat) -> Nat {
        self.operation(AtomKind::Mod(n, d))
    }

    /// The smaller.
    pub fn min(&self, a: Nat, b: Nat) -> Nat {
        self.operation(AtomKind::Min(a, b))
    }

    /// The larger.
    pub fn max(&self, a: Nat, b: Nat) -> Nat {
        self.operation(AtomKind::Max(a, b))
    }

    /// Simplifies every operation in `n`.
    pub fn simplify(&self, n: Nat) -> Nat {
        match self.level {
            Level::Full => self.simplified(n),
            _ => n,
        }
    }

    fn simplified(&self, n: Nat) -> Nat {
        if !n.has_operations() {
            return n;
        }
        let n = n.map_atoms(&mut |a| match a.kind() {
            AtomKind::Var(_) => Some(Nat::atom(a)),
            kind => Some(self.operation(kind.map(&mut |part| self.simplified(part)))),
        });
        rejoin(n)
    }

    /// The value of an operation whose operands are simple.
    fn operation(&self, kind: AtomKind) -> Nat {
        match self.level {
            Level::Off if kind.parts().iter().any(|n| n.as_rat().is_none()) => {
                Nat::atom(Atom::new(kind))
            }
            Level::Off | Level::Fold => kind.value(),
            Level::Full => self.engine.borrow_mut().operation(self, kind),
        }
    }

    /// Whether `a < b` is decided, and how.
    pub fn less(&self, a: Nat, b: Nat) -> Option<bool> {
        let answer = if self.at_least(b - 1.into(), a) {
            Some(true)
        } else if self.at_least(a, b) {
            Some(false)
        } else {
            None
        };
        if answer.is_none() {
            self.engine.borrow_mut().undecided(self, a, b);
        }
        answer
    }

    /// Notes how often a loop runs, if that is no constant.
    pub fn extent(&self, n: Nat) {
        if n.as_int().is_none() {
            self.engine.borrow_mut().extent(self, n);
        }
    }
}

/// The last of some numbers that begin with `lo`: the larger of two of which one is before that is the other one, as there are some.
fn last_if_any(lo: Nat, hi: Nat) -> Nat {
    for (m, c) in hi.terms() {
        let larger = m.factors().next().map(|(a, _)| (a.kind(), a));
        let Some((AtomKind::Max(x, y), a)) = larger else {
            continue;
        };
        if Nat::from_terms([(m, c)]) != Nat::atom(a) {
            continue;
        }
        let rest = hi - Nat::atom(a);
        let before = |n: Nat| (n + rest - lo).as_int().is_some_and(|d| d < 0);
        match (before(x), before(y)) {
            (_, true) => return last_if_any(lo, x + rest),
            (true, _) => return last_if_any(lo, y + rest),
            _ => {}
        }
    }
    hi
}

/// How often computing it divides.
pub fn divisions(n: Nat) -> usize {
    use AtomKind::{Ceil, Floor, Mod, Quot};
    let terms = n.terms();
    let integral = |m: &Mono, c: Rat| c.as_int().is_some() && m.is_integral();
    let mut found = terms.iter().filter(|(m, c)| !integral(m, *c)).count();
    n.each_atom(&mut |a| {
        let divides = matches!(a.kind(), Floor(..) | Ceil(..) | Mod(..) | Quot(..));
        found += usize::from(divides);
    });
    found
}

impl Signs for Facts {
    fn is_not_negative(&self, n: Nat) -> bool {
        match (n.as_rat(), self.level) {
            (Some(r), _) => r >= Rat::ZERO,
            (None, Level::Full) => self.engine.borrow_mut().is_not_negative(self, n),
            (None, _) => false,
        }
    }

    fn not_negative(&mut self, n: Nat) {
        let before = self.state();
        let state = self.engine.get_mut().after(before, n);
        *self.times.entry(n).or_default() += 1;
        for v in n.vars().iter() {
            let places = self.places.entry(*v).or_default();
            places.push(self.at_least_zero.len());
        }
        self.at_least_zero.push(n);
        self.states.push(state);
    }
}
