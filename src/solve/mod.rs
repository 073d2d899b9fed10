//! One variable of an expression isolated: solved is what has no target, the target alone, or an operator whose first operand is
//! the target and the only one with it.
//!
//! In: rules ([`Rules`]), assumptions, an expression and a variable of it, the target. Out: an expression of equal value wherever
//! the assumptions hold, in which targets are fewer, further to the left, or higher up; for conditions, the values of the target
//! between which they hold, or outside of which they do not ([`interval`]).
//! Invariant: solving a solution changes nothing. It ends: each rule makes the [`Measure`] less, which is well founded; what the
//! rules of index arithmetic make of the result is taken only if it is no more. Absent: whether rules are true (`verify`).

mod interval;
mod order;
mod oriented;
mod rules;

pub use interval::{interval, Interval, Side};
pub use order::{decreases, form, measure, Form, Measure, Order};
pub use rules::{is_free, shipped, shipped_list, Rules, RULES};

use crate::intern::Symbol;
use crate::scalar::{eval, Expr, Node, Op, Rule, Value};
use crate::simplify::{Simplifier, Step};
use oriented::{plain, Oriented};
use rules::{instance, matches, Bindings};
use std::rc::Rc;

/// What an expression may grow to: so many times its size, and so much more.
const GROWTH: (u32, u32) = (16, 200);

/// Solves expressions for one target under what is assumed.
pub struct Solver {
    rules: Rc<Rules>,
    of: Oriented,
    simplifier: Simplifier,
    trace: Option<Vec<Step>>,
}

impl Solver {
    pub fn new(rules: Rc<Rules>, target: Symbol) -> Solver {
        Solver::of(rules, Oriented::Name(target))
    }

    /// For patterns, whose variables `t`, `t0` … are targets.
    pub fn of_patterns(rules: Rc<Rules>) -> Solver {
        Solver::of(rules, Oriented::Marked)
    }

    fn of(rules: Rc<Rules>, of: Oriented) -> Solver {
        Solver {
            rules,
            of,
            simplifier: Simplifier::shipped(),
            trace: None,
        }
    }

    /// Takes a boolean as true from now on.
    pub fn assume(&mut self, e: Expr) {
        self.simplifier.assume(e);
    }

    /// Notes steps from now on.
    pub fn record(&mut self) {
        self.trace = Some(Vec::new());
    }

    /// The steps since they are noted, each of the whole expression; one without a rule is by the rules of index arithmetic.
    pub fn steps(&self) -> &[Step] {
        self.trace.as_deref().unwrap_or(&[])
    }

    pub fn measure(&self, e: Expr) -> Measure {
        measure(e, &|v| self.of.is_target(v))
    }

    pub fn form(&self, e: Expr) -> Form {
        form(e, &|v| self.of.is_target(v))
    }

    pub(crate) fn simplifier(&mut self) -> &mut Simplifier {
        &mut self.simplifier
    }

    /// The expression with the target isolated as far as the rules go.
    pub fn solve(&mut self, e: Expr) -> Expr {
        let room = e.size().saturating_mul(GROWTH.0).saturating_add(GROWTH.1);
        let mut now = self.of.orient(e);
        self.note(None, e, now);
        loop {
            let before = now;
            let simple = self.simple(now);
            self.note(None, now, simple);
            now = simple;
            while let Some((rule, after)) = self.step(now, room) {
                self.note(Some(rule), now, after);
                now = after;
            }
            if self.measure(now) >= self.measure(before) {
                return now;
            }
        }
    }

    fn note(&mut self, rule: Option<Symbol>, before: Expr, after: Expr) {
        if let Some(trace) = self.trace.as_mut().filter(|_| before != after) {
            trace.push(Step {
                rule,
                before,
                after,
            });
        }
    }

    /// What the rules of index arithmetic make of it, if targets are not more, further to the right or deeper then; else of
    /// the parts without targets alone.
    fn simple(&mut self, e: Expr) -> Expr {
        let whole = self.simplifier.simplify(plain(e));
        let whole = self.of.orient(whole);
        if self.measure(whole) <= self.measure(e) {
            return whole;
        }
        match e.node() {
            Node::Apply(op, args) => {
                let parts: Vec<Expr> = args.iter().map(|a| self.simple(*a)).collect();
                self.around(op, &parts)
            }
            _ => e,
        }
    }

    /// An operation whose operands are simple, by rules that do not look into what has targets.
    fn around(&mut self, op: Op, parts: &[Expr]) -> Expr {
        let made = self.of.make(op, parts);
        let mut held: Vec<(Symbol, Expr)> = Vec::new();
        let covered: Vec<Expr> = (parts.iter())
            .map(|p| match self.of.has_target(*p) {
                true => {
                    let name = Symbol::new(&format!("#{}", p.id()));
                    held.push((name, *p));
                    Expr::var(name, p.sort())
                }
                false => *p,
            })
            .collect();
        let simple = self.simplifier.simplify(Expr::of(op, &covered));
        let back = simple.replace(&|v| held.iter().find(|h| h.0 == v).map(|h| h.1));
        let back = self.of.orient(back);
        let less = back.size() < made.size() && self.measure(back) <= self.measure(made);
        if less {
            back
        } else {
            made
        }
    }

    /// The first rule that applies innermost, and the whole after it.
    fn step(&mut self, e: Expr, room: u32) -> Option<(Symbol, Expr)> {
        let Node::Apply(op, args) = e.node() else {
            return None;
        };
        if !self.of.has_target(e) {
            return None;
        }
        for (i, a) in args.iter().enumerate() {
            if let Some((rule, part)) = self.step(*a, room) {
                let mut parts = args.to_vec();
                parts[i] = part;
                let whole = self.of.make(op, &parts);
                return Some((rule, whole));
            }
        }
        let rules = self.rules.clone();
        for rule in rules.with_root(op) {
            for by in matches(rule.lhs, e, &self.of) {
                if !self.holds(rule.condition, &by) {
                    continue;
                }
                let Some(after) = instance(rule.rhs, &by, &self.of) else {
                    continue;
                };
                let fits = after.size() <= room && self.measure(after) < self.measure(e);
                if fits {
                    return Some((rule.name, after));
                }
            }
        }
        None
    }

    fn holds(&mut self, condition: Expr, by: &Bindings) -> bool {
        match condition.node() {
            Node::Bool(b) => b,
            Node::Apply(Op::Prove, args) => {
                let goal = instance(args[0], by, &self.of);
                goal.is_some_and(|goal| self.simplifier.prove(plain(goal)) == Some(true))
            }
            Node::Apply(Op::And, args) => args.iter().all(|a| self.holds(*a, by)),
            Node::Apply(Op::Or, args) => args.iter().any(|a| self.holds(*a, by)),
            _ => {
                let value = |v: Symbol| by.get(&v)?.as_int().map(|n| Value::Int(n.into()));
                eval(condition, &value) == Ok(Value::Bool(true))
            }
        }
    }
}

/// The rules that do not bring whatever they are applied to nearer to a solution.
pub fn unordered(rules: &[Rule]) -> impl Iterator<Item = &Rule> {
    rules.iter().filter(|rule| {
        let fine = |r: Rule| decreases(Order::Gradual, r.lhs, r.rhs);
        !rule.readings().all(fine)
    })
}
