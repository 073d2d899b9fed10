//! How far a target is from standing alone on the left, as numbers, and what of two patterns is nearer for sure.
//!
//! In: expressions, which of their variables are targets. Out: a [`Measure`]; for the sides of a rule, whether the right one is
//! less whatever the variables stand for. Absent: rules and how they are applied.
//!
//! A measure is how often targets stand there, then how far to the right all of them together, then how deep. Three natural
//! numbers compared in turn are well founded; further to the left alone is not, as something may always be put before it, so it
//! counts only between expressions with as many targets. A context adds the same to both sides where these have as many targets,
//! so the comparison is closed under contexts. A pattern's variable that stands for targets stands for one at least; its own
//! measures are unknown, so a rule decreases if the coefficients of those unknowns do.

use crate::intern::Symbol;
use crate::scalar::{is_open, Expr, Node, Op};
use serde::Serialize;
use std::collections::BTreeMap;

/// How near to a solution a rule has to bring an expression.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// To a form that is solved, or nearer: no target, the target alone, the target on the left of an operator.
    Goal,
    /// Fewer targets; or as many, further to the left; or as many and as far, higher up.
    Gradual,
}

/// The first number that differs decides.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Measure {
    /// How often targets stand there.
    pub count: u64,
    /// How many operands stand before those with targets, over all targets and all operators around them.
    pub right: u64,
    /// How many operators stand around targets, `&&` and `||` aside.
    pub depth: u64,
}

/// The kinds of an expression that the goal tells apart, the nearest first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// No target.
    Free,
    /// The target.
    Alone,
    /// An operator whose first operand is the target and the only one with it.
    Applied,
    Open,
}

/// Of an expression in which these variables are targets.
pub fn measure(e: Expr, target: &dyn Fn(Symbol) -> bool) -> Measure {
    let mut all = Measure::default();
    walk(e, 0, 0, &mut |v, right, depth| {
        if target(v) {
            all.count = all.count.saturating_add(1);
            all.right = all.right.saturating_add(right);
            all.depth = all.depth.saturating_add(depth);
        }
    });
    all
}

/// What an expression is for the goal.
pub fn form(e: Expr, target: &dyn Fn(Symbol) -> bool) -> Form {
    let is_target = |e: Expr| matches!(e.node(), Node::Var(v, _) if target(v));
    let free = |e: Expr| !e.vars().iter().any(|v| target(v.0));
    match e.node() {
        _ if free(e) => Form::Free,
        _ if is_target(e) => Form::Alone,
        Node::Apply(_, args) if is_target(args[0]) && args[1..].iter().all(|a| free(*a)) => {
            Form::Applied
        }
        _ => Form::Open,
    }
}

/// Whether a rule brings whatever it is applied to nearer: `t`, `t0` … stand for what has targets, all others for what has none.
pub fn decreases(order: Order, left: Expr, right: Expr) -> bool {
    let nearer = nearer(left, right);
    match order {
        Order::Gradual => nearer,
        Order::Goal => nearer && form(right, &is_open) < form(left, &is_open),
    }
}

/// Of one variable: how often it stands there, and what each of its targets would count more.
type Coefficients = BTreeMap<Symbol, [u64; 3]>;

fn coefficients(e: Expr) -> Coefficients {
    let mut found = Coefficients::new();
    walk(e, 0, 0, &mut |v, right, depth| {
        if is_open(v) {
            let [n, r, d] = found.entry(v).or_default();
            (*n, *r, *d) = (*n + 1, *r + right, *d + depth);
        }
    });
    found
}

fn nearer(left: Expr, right: Expr) -> bool {
    let (before, after) = (coefficients(left), coefficients(right));
    if after.keys().any(|v| !before.contains_key(v)) {
        return false;
    }
    for row in 0..3 {
        let pairs = before
            .iter()
            .map(|(v, b)| (b[row], after.get(v).map_or(0, |a| a[row])));
        let pairs: Vec<(u64, u64)> = pairs.collect();
        if pairs.iter().any(|(b, a)| a > b) {
            return false;
        }
        if pairs.iter().any(|(b, a)| a < b) {
            return true;
        }
    }
    false
}

/// Calls `f` on each variable, with how far to the right and how deep it stands.
fn walk(e: Expr, right: u64, depth: u64, f: &mut dyn FnMut(Symbol, u64, u64)) {
    match e.node() {
        Node::Var(v, _) => f(v, right, depth),
        Node::Apply(op, args) => {
            let depth = depth + u64::from(!matches!(op, Op::And | Op::Or));
            for (i, a) in args.iter().enumerate() {
                walk(*a, right + i as u64, depth, f);
            }
        }
        _ => {}
    }
}
