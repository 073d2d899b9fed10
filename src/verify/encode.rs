//! Rules as queries for a solver.
//!
//! In: a rule. Out: text in SMT-LIB that can be satisfied only if the rule is wrong. Vectors are looked at in one lane,
//! whose number is a variable: operators work lane by lane, so a vector variable is the value of that lane. What `broadcast` and `ramp` make of
//! vectors of n lanes has in its lane i what these have in i mod n; the same vector in lanes that are written differently counts as
//! two, which proves less and never more.
//!
//! Note [Encodings]: *direct* writes the rule as it is, and `x / y` as `(ite (= y 0) 0 (div x y))`; the solver's division
//! is Euclidean, too. Solvers are poor at divisors that are no numbers. The others read the rule in cases, as polynomials
//! without division (`cases`): *linear* with a name for each product (`case_split`), *wide* the same with more facts about
//! products, *strong* with the products themselves.

use super::case_split::{name, query, Products, Reach};
use super::cases::{cases, Rests};
use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Lanes, Node, Op, Rule, Sort};
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
    let mut writer = Writer::default();
    let condition = writer.text(rule.condition);
    let (left, right) = (writer.text(rule.lhs), writer.text(rule.rhs));
    let kind = |kind: Kind| match kind {
        Kind::Int => "Int",
        Kind::Bool => "Bool",
    };
    for (v, s, _) in &vars {
        let _ = writeln!(head, "(declare-const {} {})", name(*v), kind(s.kind));
    }
    for (text, _, _, k) in &writer.others {
        let _ = writeln!(head, "(declare-const {text} {})", kind(*k));
    }
    let _ = writeln!(head, "(declare-const lane Int)\n(assert (<= 0 lane))");
    for v in rule.counts() {
        if !vars.iter().any(|w| w.0 == v) {
            let _ = writeln!(head, "(declare-const {} Int)", name(v));
        }
        let _ = writeln!(head, "(assert (< 0 {}))", name(v));
    }
    if rule.lhs.sort().lanes != Lanes::One {
        let all = writer.text(rule.lhs.sort().lanes.expr());
        let _ = writeln!(head, "(assert (< lane {all}))");
    }
    let names: Vec<String> = vars.iter().map(|(v, ..)| name(*v)).collect();
    format!(
        "{head}(assert {condition})\n(assert (not (= {left} {right})))\n\
         (check-sat)\n(get-value ({} lane))\n",
        names.join(" ")
    )
}

/// Writes expressions as they are in one lane.
#[derive(Default)]
struct Writer {
    /// The lane that is read, if it is not that which is looked at.
    lane: Option<String>,
    /// What vectors are in other lanes: a name, the vector, the lane.
    others: Vec<(String, Symbol, String, Kind)>,
}

impl Writer {
    fn text(&mut self, e: Expr) -> String {
        let (op, args) = match e.node() {
            Node::Int(n) if n < 0 => return format!("(- {})", n.unsigned_abs()),
            Node::Int(n) => return n.to_string(),
            Node::Bool(b) => return b.to_string(),
            Node::Var(v, sort) => return self.variable(v, sort),
            Node::Apply(op, args) => (op, args),
        };
        if let Op::Broadcast | Op::Ramp = op {
            return self.repeated(e, op, &args);
        }
        let texts: Vec<String> = args.iter().map(|a| self.text(*a)).collect();
        operation(op, &args, &texts)
    }

    /// A variable in the lane that is read.
    fn variable(&mut self, v: Symbol, sort: Sort) -> String {
        let Some(lane) = self.lane.clone().filter(|_| sort.lanes != Lanes::One) else {
            return name(v);
        };
        let known = self.others.iter().find(|o| o.1 == v && o.2 == lane);
        known.map(|o| o.0.clone()).unwrap_or_else(|| {
            let text = format!("other_{}", self.others.len());
            self.others.push((text.clone(), v, lane, sort.kind));
            text
        })
    }

    /// Of what is repeated, the lane that is read is one of as many.
    fn repeated(&mut self, e: Expr, op: Op, args: &[Expr]) -> String {
        let lane = match (e.sort().lanes, &self.lane) {
            (Lanes::One, _) => "0".to_string(),
            (_, lane) => lane.clone().unwrap_or_else(|| "lane".to_string()),
        };
        let each = args[0].sort().lanes;
        let (within, turn) = match each {
            Lanes::One => ("0".to_string(), lane),
            _ => {
                let each = self.text(each.expr());
                (
                    format!("(mod {lane} {each})"),
                    format!("(div {lane} {each})"),
                )
            }
        };
        let before = self.lane.replace(within);
        let x = self.text(args[0]);
        let text = match op {
            Op::Ramp => format!("(+ {x} (* {} {turn}))", self.text(args[1])),
            _ => x,
        };
        self.lane = before;
        text
    }
}

fn operation(op: Op, args: &[Expr], texts: &[String]) -> String {
    let all = texts.join(" ");
    let symbol = match op {
        Op::Div | Op::Mod => return division(op, args[1], &texts[0], &texts[1]),
        Op::Min | Op::Max => {
            let less = if op == Op::Min { "<=" } else { ">=" };
            let (a, b) = (&texts[0], &texts[1]);
            return format!("(ite ({less} {a} {b}) {a} {b})");
        }
        Op::Prove | Op::Broadcast | Op::Ramp => return all,
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
