//! Conditions that are stronger than needed.
//!
//! In: rules that are proved. Out: for each condition, one at a time, the weakest of a few forms with which the rule is
//! still proved, if that is weaker: none at all; `!=` for a comparison; `>=` for `>`. A condition may be there so that
//! rewriting ends; that is not looked at.

use super::{portfolio, Tell, Tools, Verdict};
use crate::exec::solver::Work;
use crate::scalar::{Expr, Node, Op, Rule};

/// A condition that may be weaker, all others as they are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weaker {
    /// The number of the rule.
    pub rule: usize,
    pub condition: Expr,
    /// What is enough; nothing if the condition is not needed.
    pub instead: Option<Expr>,
    pub by: String,
}

/// What could be weaker in rules that are proved.
pub fn weaker(rules: &[Rule], asked: &[usize], tools: &Tools, tell: Tell) -> Vec<Weaker> {
    let mut tried = Vec::new();
    for i in asked {
        let all = conditions(rules[*i].condition);
        for (at, condition) in all.iter().enumerate() {
            for instead in forms(*condition) {
                let mut parts = all.clone();
                match instead {
                    Some(e) => parts[at] = e,
                    None => drop(parts.remove(at)),
                }
                let mut rule = rules[*i].clone();
                let both = |a, b| Expr::of(Op::And, &[a, b]);
                rule.condition = parts.into_iter().reduce(both).unwrap_or(Expr::bool(true));
                tried.push((*i, *condition, instead, rule));
            }
        }
    }
    // Most of these are wrong; those that are not are seldom hard.
    let mut tools = tools.clone();
    tools.limits.direct = tools.limits.direct.min(Work(1));
    tools.limits.strong = Work::NONE;
    let statements: Vec<Rule> = tried.iter().map(|t| t.3.clone()).collect();
    let verdicts = portfolio::decide(&statements, &tools, tell);
    let mut found: Vec<Weaker> = Vec::new();
    for ((rule, condition, instead, _), verdict) in tried.into_iter().zip(verdicts) {
        let known = |w: &Weaker| w.rule == rule && w.condition == condition;
        if let (Verdict::Proved(proved), false) = (verdict, found.last().is_some_and(known)) {
            let by = proved.by;
            found.push(Weaker {
                rule,
                condition,
                instead,
                by,
            });
        }
    }
    found
}

/// Weaker forms of a condition, the weakest first.
fn forms(e: Expr) -> Vec<Option<Expr>> {
    let mut found = vec![None];
    let (e, in_prove) = match e.node() {
        Node::Apply(Op::Prove, args) => (args[0], true),
        _ => (e, false),
    };
    if let Node::Apply(op, args) = e.node() {
        let weaker: &[Op] = match op {
            Op::Lt => &[Op::Ne, Op::Le],
            Op::Gt => &[Op::Ne, Op::Ge],
            // A remainder is not negative: at most 0 is 0.
            Op::Eq if matches!(args[0].node(), Node::Apply(Op::Mod, _)) => &[],
            Op::Eq => &[Op::Le, Op::Ge],
            _ => &[],
        };
        for op in weaker {
            let e = Expr::of(*op, &args);
            found.push(Some(match in_prove {
                true => Expr::of(Op::Prove, &[e]),
                false => e,
            }));
        }
    }
    found
}

/// The conditions that all have to hold; what is proved together counts as one for each.
fn conditions(e: Expr) -> Vec<Expr> {
    let apart = |e: Expr| match e.node() {
        Node::Apply(Op::Prove, args) => {
            let parts = args[0].conjuncts().into_iter();
            parts.map(|p| Expr::of(Op::Prove, &[p])).collect()
        }
        _ => vec![e],
    };
    let asked = e
        .conjuncts()
        .into_iter()
        .filter(|e| e.as_bool() != Some(true));
    asked.flat_map(apart).collect()
}
