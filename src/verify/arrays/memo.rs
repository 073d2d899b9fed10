//! Answers that were given before, while the same was known.
//!
//! In: questions about an expression, and word of every change of what is known. Out: the answer, computed once for each state of
//! what is known. Invariant: going back to a state goes back to what was answered in it. Absent: what is known.

use crate::arith::Nat;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// A state of what is known.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct State(u32);

/// Answers by the state in which, and the expression of which they were given.
type Answers<T> = RefCell<FxHashMap<(State, Nat), T>>;

pub struct Memo {
    now: State,
    newest: u32,
    signs: Answers<bool>,
    simple: Answers<Nat>,
}

impl Memo {
    pub fn new() -> Memo {
        Memo {
            now: State(0),
            newest: 0,
            signs: Answers::default(),
            simple: Answers::default(),
        }
    }

    pub fn state(&self) -> State {
        self.now
    }

    /// Something else is known from now on.
    pub fn changed(&mut self) {
        self.newest += 1;
        self.now = State(self.newest);
    }

    /// The same is known as in an earlier state.
    pub fn back_to(&mut self, state: State) {
        self.now = state;
    }

    /// Whether an expression is known to be not negative.
    pub fn sign(&self, n: Nat, answer: impl FnOnce() -> bool) -> bool {
        self.once(&self.signs, n, answer)
    }

    /// The simplest form of an expression.
    pub fn simplest(&self, n: Nat, answer: impl FnOnce() -> Nat) -> Nat {
        self.once(&self.simple, n, answer)
    }

    fn once<T: Copy>(&self, answers: &Answers<T>, n: Nat, answer: impl FnOnce() -> T) -> T {
        let key = (self.now, n);
        let known = answers.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let given = answer();
            answers.borrow_mut().insert(key, given);
            given
        })
    }
}
