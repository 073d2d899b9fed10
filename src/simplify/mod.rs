//! Simplification of scalar expressions by rules and facts.
//!
//! Comes in: rules in order of priority ([`Book`]), assumptions ([`Facts`]), an expression. Goes out: an expression
//! that is equal in value wherever the assumptions hold. Operands first, then the first rule that applies, then the
//! result again, until none applies; what was done once is remembered. Constants are folded and the operands of
//! commutative operators ordered by the constructor [`build`], before any rule sees them.
//! Invariant: the same rules, assumptions and expression give the same result, and simplifying the result changes
//! nothing. That rules end is shown elsewhere (`order`); here a number of steps guards against those that do not, and limits of
//! what an expression may grow to and of how deep rewriting may go; [`Simplifier::exhausted`] says whether one was needed.
//! Absent: proofs that rules are true, loops.

mod build;
mod cases;
mod facts;
mod linear;
mod pattern;
mod products;
mod range;
mod settle;
pub mod shipped;
mod witness;

pub use build::{build, is_constant, is_stuck};
pub use cases::equal;
pub use facts::Facts;
pub use pattern::Book;
pub use range::{Alignment, Range};
pub use shipped::{shipped, RULES};

use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Node, Op, Sort};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// One application of a rule, or of a fact if there is no name.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub rule: Option<Symbol>,
    pub before: Expr,
    pub after: Expr,
}

/// Steps that one call may take.
const FUEL: u64 = 20_000;
/// What an expression may grow to in one call: so many times its size, and so much more.
const GROWTH: (u32, u32) = (16, 1_000);
/// Operands of operands that are rewritten, each while the one before is.
const DEPTH: u32 = 1_000;

pub struct Simplifier {
    rules: Rules,
    facts: Facts,
    memo: FxHashMap<Expr, Expr>,
    /// Steps that a call may take, and that this one may still take.
    limit: u64,
    fuel: u64,
    /// The size that an expression may have, and how deep rewriting is.
    room: u32,
    depth: u32,
    exhausted: bool,
    attempts: u64,
    considered: u64,
    trace: Option<Vec<Step>>,
}

/// What is applied.
enum Rules {
    All(Rc<Book>),
    Shipped,
}

impl Rules {
    fn with_root(&self, op: Op) -> Rc<Book> {
        match self {
            Rules::All(book) => book.clone(),
            Rules::Shipped => shipped::with_root(op),
        }
    }
}

impl Simplifier {
    pub fn new(book: Rc<Book>) -> Simplifier {
        Simplifier {
            rules: Rules::All(book),
            ..Simplifier::shipped()
        }
    }

    /// With the shipped rules.
    pub fn shipped() -> Simplifier {
        Simplifier {
            rules: Rules::Shipped,
            facts: Facts::new(),
            memo: FxHashMap::default(),
            limit: FUEL,
            fuel: FUEL,
            room: u32::MAX,
            depth: 0,
            exhausted: false,
            attempts: 0,
            considered: 0,
            trace: None,
        }
    }

    /// Takes a boolean as true from now on; it is simplified under what was assumed before.
    pub fn assume(&mut self, e: Expr) {
        for part in e.conjuncts() {
            // As written first: a rule may say less in its own words than was said here.
            let simple = self.simplify(part);
            self.facts.assume(part);
            if simple != part {
                self.facts.assume(simple);
            }
            self.memo.clear();
        }
    }

    /// Lets each call take as many steps.
    pub fn limit(&mut self, steps: u64) {
        self.limit = steps;
    }

    /// Takes booleans as true, as they stand: who writes indices in one form says assumptions in it, too.
    pub fn assume_all(&mut self, all: &[Expr]) {
        self.facts.assume_all(all);
        self.memo.clear();
    }

    /// Notes steps from now on.
    pub fn record(&mut self) {
        self.trace = Some(Vec::new());
    }

    /// The steps since they are noted; each sub-expression is simplified once, so a step may stand for several places.
    pub fn steps(&self) -> &[Step] {
        self.trace.as_deref().unwrap_or(&[])
    }

    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether a call ended because it took too many steps, or because rules made an expression too large or too deep: some
    /// rules undo each other, or themselves.
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// How many patterns were compared with an expression whose root and operands they fit.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// How many patterns there were for the roots that were looked at, compared or not.
    pub fn considered(&self) -> u64 {
        self.considered
    }

    /// The simplified expression.
    pub fn simplify(&mut self, e: Expr) -> Expr {
        self.fuel = self.limit;
        self.room = e.size().saturating_mul(GROWTH.0).saturating_add(GROWTH.1);
        let before = std::mem::take(&mut self.exhausted);
        let simple = self.reduce(e);
        if self.exhausted {
            // What was left half-way is not simple, and the next call has to know.
            self.memo.clear();
        }
        self.exhausted |= before;
        simple
    }

    /// Whether a boolean holds wherever the assumptions do; `None` if that is not known. The facts come first: where
    /// they decide, or say that it holds here and fails there, no rule is looked at.
    pub fn prove(&mut self, e: Expr) -> Option<bool> {
        if let Some(known) = self.facts.decide(e) {
            return Some(known);
        }
        if self.facts.is_open(e) {
            return None;
        }
        let simple = self.simplify(e);
        build::literal(simple).and_then(Expr::as_bool)
    }

    fn reduce(&mut self, e: Expr) -> Expr {
        if let Some(done) = self.memo.get(&e) {
            return *done;
        }
        if self.depth == DEPTH {
            self.exhausted = true;
        }
        if self.exhausted {
            return e;
        }
        self.depth += 1;
        let mut now = e;
        loop {
            let next = self.reduce_operands(now);
            self.exhausted |= next.size() > self.room;
            if self.exhausted {
                break;
            }
            now = next;
            if let Some(done) = self.memo.get(&now) {
                now = *done;
                break;
            }
            let Some((rule, after)) = self.step(now) else {
                break;
            };
            if self.fuel == 0 || after.size() > self.room {
                self.exhausted = true;
                break;
            }
            self.fuel -= 1;
            if let Some(trace) = &mut self.trace {
                trace.push(Step {
                    rule,
                    before: now,
                    after,
                });
            }
            now = after;
        }
        self.depth -= 1;
        self.memo.insert(e, now);
        self.memo.insert(now, now);
        now
    }

    fn reduce_operands(&mut self, e: Expr) -> Expr {
        let Node::Apply(op, args) = e.node() else {
            return e;
        };
        let mut parts = [e; 3];
        for (p, a) in parts.iter_mut().zip(args.iter()) {
            *p = self.reduce(*a);
            if self.exhausted {
                return e;
            }
        }
        build(op, &parts[..args.len()])
    }

    /// The first thing that applies at the root: what the facts leave no choice, then the rules.
    fn step(&mut self, e: Expr) -> Option<(Option<Symbol>, Expr)> {
        if let Some(value) = self.known(e) {
            return Some((None, value));
        }
        let Node::Apply(op, _) = e.node() else {
            return None;
        };
        let lanes = e.sort().lanes;
        let book = self.rules.with_root(op);
        self.considered += book.of_root(e) as u64;
        for pattern in book.candidates(e) {
            self.attempts += 1;
            let Some(bindings) = pattern.matches(e) else {
                continue;
            };
            let rule = &book.rules[pattern.rule];
            if !pattern.holds(rule.condition, &bindings, lanes, &self.facts) {
                continue;
            }
            match pattern.build(rule.rhs, &bindings, lanes) {
                Some(after) if after != e => return Some((Some(rule.name), after)),
                Some(_) => {}
                // What the rule computes leaves the constants. Later rules may count on earlier ones.
                None => break,
            }
        }
        None
    }

    /// The only value that the facts leave an integer, or a boolean that is a variable.
    fn known(&self, e: Expr) -> Option<Expr> {
        if let Node::Var(_, Sort::BOOL) = e.node() {
            return self.facts.decide(e).map(Expr::bool);
        }
        if e.sort().kind != Kind::Int || is_constant(e) {
            return None;
        }
        let value = Expr::checked_int(self.facts.range(e).point()?)?;
        Some(build::in_lanes(value, e.sort().lanes))
    }
}
