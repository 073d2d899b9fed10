//! Rules as queries for a solver.
//!
//! In: a rule. Out: text in SMT-LIB that can be satisfied only if the rule is wrong. Vectors are looked at in one lane,
//! whose number is a variable: operators work lane by lane, so a vector variable is the value of that lane.
//!
//! Note [Encodings]: *direct* writes the rule as it is, and `x / y` as `(ite (= y 0) 0 (div x y))`; the solver's division
//! is Euclidean, too. Solvers are poor at divisors that are no numbers. The others read the rule in cases, as polynomials
//! without division (`cases`): *linear* with a name for each product (`case_split`), *wide* the same with more facts about
//! products, *strong* with the products themselves.

use super::case_split::{name, query, Products, Reach};
use super::cases::{cases, Rests};
use crate::scalar::{Expr, Kind, Lanes, Node, Op, Rule, Sort, VarClass};
use std::fmt::Write;

/// How rules are written; see Note [Encodings].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Encoding {
    Direct,
    Linear,
    Wide,
    Strong,
}

impl Encoding {
    pub const ALL: [Encoding; 4] = [
        Encoding::Direct,
        Encoding::Linear,
        Encoding::Wide,
        Encoding::Strong,
    ];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Direct => "direct encoding",
            Encoding::Linear => "linear encoding",
            Encoding::Wide => "wide encoding",
            Encoding::Strong => "strong encoding",
        }
    }
}

/// The queries that must all be unsatisfiable; `None` if there were too many, or too large ones.
pub fn queries(rule: &Rule, encoding: Encoding) -> Option<Vec<String>> {
    let (products, reach, rests) = match encoding {
        Encoding::Direct => return Some(vec![direct(rule)]),
        Encoding::Linear => (Products::Named, Reach::NEAR, Rests::Together),
        Encoding::Wide => (Products::Named, Reach::FAR, Rests::Apart),
        Encoding::Strong => (Products::Written, Reach::NEAR, Rests::Together),
    };
    let (names, cases) = cases(rule, rests)?;
    let query = |case| query(rule, &names, case, products, &reach);
    cases.iter().map(query).collect()
}

fn direct(rule: &Rule) -> String {
    let mut head = format!("; {}\n(set-logic ALL)\n", rule.name);
    let vars = rule.vars();
    let sort = |s: Sort| match s.kind {
        Kind::Int => "Int",
        Kind::Bool => "Bool",
    };
    for (v, s, _) in &vars {
        let _ = writeln!(head, "(declare-const {} {})", name(*v), sort(*s));
    }
    let _ = writeln!(head, "(declare-const lane Int)\n(assert (<= 0 lane))");
    for (v, _, class) in &vars {
        if *class == VarClass::Lanes {
            let _ = writeln!(head, "(assert (< lane {}))", name(*v));
        }
    }
    if let Lanes::Fixed(n) = rule.lhs.sort().lanes {
        let _ = writeln!(head, "(assert (< lane {n}))");
    }
    let condition = text(rule.condition);
    let (left, right) = (text(rule.lhs), text(rule.rhs));
    let names: Vec<String> = vars.iter().map(|(v, ..)| name(*v)).collect();
    format!(
        "{head}(assert {condition})\n(assert (not (= {left} {right})))\n\
         (check-sat)\n(get-value ({} lane))\n",
        names.join(" ")
    )
}

fn text(e: Expr) -> String {
    let (op, args) = match e.node() {
        Node::Int(n) if n < 0 => return format!("(- {})", n.unsigned_abs()),
        Node::Int(n) => return n.to_string(),
        Node::Bool(b) => return b.to_string(),
        Node::Var(v, _) => return name(v),
        Node::Apply(op, args) => (op, args),
    };
    let texts: Vec<String> = match op {
        // The lane of a vector; the number of lanes is no operand of a value.
        Op::Broadcast => return text(args[0]),
        Op::Ramp => args[..2].iter().map(|a| text(*a)).collect(),
        _ => args.iter().map(|a| text(*a)).collect(),
    };
    let all = texts.join(" ");
    let symbol = match op {
        Op::Div | Op::Mod => return division(op, args[1], &texts[0], &texts[1]),
        Op::Min | Op::Max => {
            let less = if op == Op::Min { "<=" } else { ">=" };
            let (a, b) = (&texts[0], &texts[1]);
            return format!("(ite ({less} {a} {b}) {a} {b})");
        }
        Op::Ramp => return format!("(+ {} (* {} lane))", texts[0], texts[1]),
        Op::Prove | Op::Broadcast => return all,
        Op::Ne => "distinct",
        Op::Eq => "=",
        Op::And => "and",
        Op::Or => "or",
        Op::Not => "not",
        Op::Select => "ite",
        Op::Add | Op::Sub | Op::Mul | Op::Lt | Op::Le | Op::Gt | Op::Ge => op.text(),
    };
    format!("({symbol} {all})")
}

fn division(op: Op, divisor: Expr, x: &str, y: &str) -> String {
    let word = if op == Op::Div { "div" } else { "mod" };
    match divisor.as_int() {
        Some(0) => "0".to_string(),
        Some(_) => format!("({word} {x} {y})"),
        None => format!("(ite (= {y} 0) 0 ({word} {x} {y}))"),
    }
}
