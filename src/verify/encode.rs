//! Rules as queries for a solver.
//!
//! In: a rule. Out: text in SMT-LIB that can be satisfied only if the rule is wrong. Vectors are looked at in one lane,
//! whose number is a variable: operators work lane by lane, so a vector variable is the value of that lane.
//!
//! Note [Encodings]: *direct* writes `x / y` as `(ite (= y 0) 0 (div x y))`; the solver's division is Euclidean,
//! too. Solvers are poor at divisors that are no numbers. *Strong* splits the signs of all such divisors into cases, a
//! query each, and in each names quotient and remainder: `x = y*q + r`, `0 <= r < |y|`, which leaves products
//! only. Two quotients by one divisor y with dividends a and b are put in relation: `b - a < j*|y|` implies that they
//! are less than j + 1 apart, for small j.

use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Lanes, Node, Op, Rule, Sort, VarClass};
use std::fmt::Write;

/// How divisions are written; see Note [Encodings].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Encoding {
    Direct,
    Strong,
}

/// Divisors beyond these are not split: each makes three times as many cases.
const MOST_DIVISORS: usize = 4;

/// The queries that must all be unsatisfiable.
pub fn queries(rule: &Rule, encoding: Encoding) -> Vec<String> {
    let divisors = match encoding {
        Encoding::Direct => Vec::new(),
        Encoding::Strong => divisors(rule),
    };
    let cases = 3usize.pow(divisors.len() as u32);
    let case = |mut number: usize| {
        let mut signs = Vec::new();
        for _ in &divisors {
            signs.push([0, 1, -1][number % 3]);
            number /= 3;
        }
        Writer::new(rule, encoding, &divisors, signs).query()
    };
    (0..cases).map(case).collect()
}

/// What a variable is called in a query: quoted, and no word of the language.
pub fn name(v: Symbol) -> String {
    format!("|v_{v}|")
}

/// Divisors that are no constants, each once.
fn divisors(rule: &Rule) -> Vec<Expr> {
    let mut found = Vec::new();
    for e in [rule.condition, rule.lhs, rule.rhs] {
        e.visit(&mut |e| {
            if let Node::Apply(Op::Div | Op::Mod, args) = e.node() {
                if args[1].as_int().is_none() && !found.contains(&args[1]) {
                    found.push(args[1]);
                }
            }
        });
    }
    found.truncate(MOST_DIVISORS);
    found
}

struct Writer<'a> {
    rule: &'a Rule,
    encoding: Encoding,
    divisors: &'a [Expr],
    signs: Vec<i32>,
    /// Dividend, divisor, sign of the divisor, texts of quotient and remainder.
    quotients: Vec<(String, String, i32, String, String)>,
    /// What is declared and asserted of quotients.
    facts: String,
}

impl Writer<'_> {
    fn new<'a>(
        rule: &'a Rule,
        encoding: Encoding,
        divisors: &'a [Expr],
        signs: Vec<i32>,
    ) -> Writer<'a> {
        Writer {
            rule,
            encoding,
            divisors,
            signs,
            quotients: Vec::new(),
            facts: String::new(),
        }
    }

    fn query(mut self) -> String {
        let mut head = format!("; {}\n(set-logic ALL)\n", self.rule.name);
        let vars = self.rule.vars();
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
        if let Lanes::Fixed(n) = self.rule.lhs.sort().lanes {
            let _ = writeln!(head, "(assert (< lane {n}))");
        }
        let mut body = String::new();
        for (i, d) in self.divisors.iter().copied().enumerate() {
            let sign = self.signs[i];
            let d = self.text(d);
            let relation = ["=", ">", "<"][(sign.rem_euclid(3)) as usize];
            let _ = writeln!(body, "(assert ({relation} {d} 0))");
        }
        let condition = self.text(self.rule.condition);
        let (left, right) = (self.text(self.rule.lhs), self.text(self.rule.rhs));
        let _ = writeln!(body, "(assert {condition})");
        let _ = writeln!(body, "(assert (not (= {left} {right})))");
        self.relate();
        let names: Vec<String> = vars.iter().map(|(v, ..)| name(*v)).collect();
        format!(
            "{head}{}{body}(check-sat)\n(get-value ({} lane))\n",
            self.facts,
            names.join(" ")
        )
    }

    fn text(&mut self, e: Expr) -> String {
        let (op, args) = match e.node() {
            Node::Int(n) if n < 0 => return format!("(- {})", n.unsigned_abs()),
            Node::Int(n) => return n.to_string(),
            Node::Bool(b) => return b.to_string(),
            Node::Var(v, _) => return name(v),
            Node::Apply(op, args) => (op, args),
        };
        let texts: Vec<String> = match op {
            // The lane of a vector; the number of lanes is no operand of a value.
            Op::Broadcast => return self.text(args[0]),
            Op::Ramp => args[..2].iter().map(|a| self.text(*a)).collect(),
            _ => args.iter().map(|a| self.text(*a)).collect(),
        };
        let all = texts.join(" ");
        let symbol = match op {
            Op::Div | Op::Mod => return self.division(op, args[1], &texts[0], &texts[1]),
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

    fn division(&mut self, op: Op, divisor: Expr, x: &str, y: &str) -> String {
        let word = if op == Op::Div { "div" } else { "mod" };
        if let Some(n) = divisor.as_int() {
            return match n {
                0 => "0".to_string(),
                _ => format!("({word} {x} {y})"),
            };
        }
        let split = self.divisors.iter().position(|d| *d == divisor);
        let Some(at) = split.filter(|_| self.encoding == Encoding::Strong) else {
            return format!("(ite (= {y} 0) 0 ({word} {x} {y}))");
        };
        let sign = self.signs[at];
        if sign == 0 {
            return "0".to_string();
        }
        let known = (self.quotients.iter()).find(|(a, b, ..)| a == x && b == y);
        let (q, r) = match known {
            Some((.., q, r)) => (q.clone(), r.clone()),
            None => {
                let i = self.quotients.len();
                let (q, r) = (format!("q_{i}"), format!("r_{i}"));
                let size = absolute(y, sign);
                let _ = write!(
                    self.facts,
                    "(declare-const {q} Int)\n(declare-const {r} Int)\n\
                     (assert (= {x} (+ (* {y} {q}) {r})))\n(assert (<= 0 {r}))\n(assert (< {r} {size}))\n"
                );
                let entry = (x.to_string(), y.to_string(), sign, q.clone(), r.clone());
                self.quotients.push(entry);
                (q, r)
            }
        };
        if op == Op::Div {
            q
        } else {
            r
        }
    }

    /// Puts quotients by one divisor in relation.
    fn relate(&mut self) {
        for (i, (a, y, sign, q, _)) in self.quotients.iter().enumerate() {
            for (b, z, _, p, _) in &self.quotients[..i] {
                if y != z {
                    continue;
                }
                let size = absolute(y, *sign);
                for (a, q, b, p) in [(a, q, b, p), (b, p, a, q)] {
                    // For a negative divisor quotients fall as dividends rise.
                    let apart = match sign {
                        1 => format!("(- {p} {q})"),
                        _ => format!("(- {q} {p})"),
                    };
                    for j in -2..=2 {
                        let _ = writeln!(
                            self.facts,
                            "(assert (=> (< (- {b} {a}) (* {} {size})) (< {apart} {})))",
                            number(j),
                            number(j + 1)
                        );
                    }
                }
            }
        }
    }
}

fn absolute(y: &str, sign: i32) -> String {
    match sign {
        1 => y.to_string(),
        _ => format!("(- {y})"),
    }
}

fn number(n: i32) -> String {
    match n {
        0.. => n.to_string(),
        _ => format!("(- {})", -n),
    }
}
