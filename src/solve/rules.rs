//! Rules of the solver: which there are, what they match, what they make.
//!
//! In: rules over scalars, in which `t`, `t0` … stand for what has the target, `c`, `c0` … for constants, `n`, `n0` … for what has
//! no target, and any other name for anything. Out: what the variables stand for where a rule matches, operands of operators that
//! commute in either order, a factor 1 and a summand 0 wherever none is written. Absent: conditions, the order in which rules are tried.

use super::oriented::Oriented;
use crate::intern::Symbol;
use crate::scalar::{is_open, load_rules, Expr, Node, Op, Rule, Sort, VarClass};
use crate::source::SourceMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The file of the shipped rules.
pub const RULES: &str = "rules/solver.rules";

/// What pattern variables stand for.
pub(super) type Bindings = BTreeMap<Symbol, Expr>;

/// Rules in order of priority, by the operator at the root of their left sides.
#[derive(Default)]
pub struct Rules {
    by_root: BTreeMap<Op, Vec<Rule>>,
}

impl Rules {
    pub fn new(rules: &[Rule]) -> Rules {
        let mut all = Rules::default();
        for rule in rules {
            for reading in rule.readings() {
                if let Node::Apply(op, _) = reading.lhs.node() {
                    all.by_root.entry(op).or_default().push(reading);
                }
            }
        }
        all
    }

    pub(super) fn with_root(&self, op: Op) -> &[Rule] {
        self.by_root.get(&op).map_or(&[], |all| all)
    }
}

thread_local! {
    static SHIPPED: Rc<Rules> = Rc::new(Rules::new(&shipped_list()));
}

/// The shipped ones, read once in a thread.
pub fn shipped() -> Rc<Rules> {
    SHIPPED.with(Rc::clone)
}

/// They load, or a test fails.
pub fn shipped_list() -> Vec<Rule> {
    let mut sources = SourceMap::new();
    let file = sources.load_shipped(RULES).expect("a shipped file");
    load_rules(&sources, file).expect("the shipped rules are read without errors")
}

/// Whether a name stands for what has no target.
pub fn is_free(name: Symbol) -> bool {
    let digits = name.as_str().strip_prefix('n');
    digits.is_some_and(|d| d.chars().all(|c| c.is_ascii_digit()))
}

/// What the variables of a left side stand for if `e` is an instance of it.
pub(super) fn matches(left: Expr, e: Expr, of: &Oriented) -> Vec<Bindings> {
    let mut found = Vec::new();
    part(vec![(left, e)], &Bindings::new(), of, &mut found);
    found
}

/// Adds every way in which all pairs match.
fn part(mut pairs: Vec<(Expr, Expr)>, by: &Bindings, of: &Oriented, found: &mut Vec<Bindings>) {
    let Some((left, e)) = pairs.pop() else {
        found.push(by.clone());
        return;
    };
    match (left.node(), e.node()) {
        (Node::Var(v, sort), _) => {
            if e.sort() != sort || !may_stand(v, e, of) {
                return;
            }
            match by.get(&v) {
                Some(known) if *known != e => {}
                Some(_) => part(pairs, by, of, found),
                None => {
                    let mut by = by.clone();
                    by.insert(v, e);
                    part(pairs, &by, of, found);
                }
            }
        }
        (Node::Apply(op, a), Node::Apply(other, b)) if op == other => {
            let orders: &[[usize; 3]] = match op.commutes() {
                true => &[[0, 1, 2], [1, 0, 2]],
                false => &[[0, 1, 2]],
            };
            for order in orders {
                let operands = a.iter().zip(order).map(|(a, i)| (*a, b[*i]));
                let pairs = pairs.iter().copied().chain(operands).collect();
                part(pairs, by, of, found);
            }
        }
        (Node::Apply(op, a), _) => {
            if let Some((rest, v, unit)) = unit(op, &a, e) {
                pairs.extend([(rest, e), (v, unit)]);
                part(pairs, by, of, found);
            }
        }
        (Node::Int(_) | Node::Bool(_), _) if left == e => part(pairs, by, of, found),
        _ => {}
    }
}

/// What is left of a product or a sum of which `e` is all but a constant factor 1 or a summand 0, the operand that stands for
/// that, and the number.
fn unit(op: Op, operands: &[Expr], e: Expr) -> Option<(Expr, Expr, Expr)> {
    let [a, b] = operands else { return None };
    let (number, fits): (i64, fn(Symbol) -> bool) = match op {
        Op::Mul => (1, |v| VarClass::of(v) == VarClass::Constant),
        Op::Add => (0, is_free),
        _ => return None,
    };
    let stands = |e: &Expr| matches!(e.node(), Node::Var(v, Sort::INT) if fits(v));
    let of_integer = e.sort() == Sort::INT;
    match (stands(a), stands(b)) {
        (_, true) if of_integer => Some((*a, *b, Expr::int(number))),
        (true, _) if of_integer => Some((*b, *a, Expr::int(number))),
        _ => None,
    }
}

fn may_stand(name: Symbol, e: Expr, of: &Oriented) -> bool {
    match VarClass::of(name) {
        VarClass::Constant => e.as_int().is_some(),
        VarClass::Lanes => false,
        VarClass::Term if is_open(name) => of.has_target(e),
        VarClass::Term => !is_free(name) || !of.has_target(e),
    }
}

/// An instance of a side; `None` if arithmetic on its constants leaves them.
pub(super) fn instance(e: Expr, by: &Bindings, of: &Oriented) -> Option<Expr> {
    match e.node() {
        Node::Var(v, _) => by.get(&v).copied(),
        Node::Apply(op, args) => {
            let parts = args.iter().map(|a| instance(*a, by, of));
            let parts = parts.collect::<Option<Vec<Expr>>>()?;
            let constants = parts
                .iter()
                .all(|p| !matches!(p.node(), Node::Apply(..) | Node::Var(..)));
            let made = of.make(op, &parts);
            let folded = !matches!(made.node(), Node::Apply(..));
            (folded || !constants).then_some(made)
        }
        _ => Some(e),
    }
}
