//! Questions about indices as a solver reads them: SMT-LIB. And those that stay open as scalar expressions.
//!
//! In: questions that were asked, each with what was known there. Out: one text, in which each of them stands by itself: `unsat` says
//! that it holds; or a comparison with what is assumed. Invariant: what is written says what the question said, by the rules of SMT-LIB
//! and not by those of `simplify`; an exact quotient is a number that gives back what it is of. Absent: solvers, how questions are
//! decided (`known`).

use crate::arith::{lcm, Atom, AtomKind, Mono, Nat};
use crate::index::{not_negative, to_expr};
use crate::intern::Symbol;
use crate::scalar::{Expr, Op};
use crate::simplify::build;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fmt::Write;

/// `least >= 0`, wherever all that was known is so.
pub struct Question {
    pub known: Vec<Nat>,
    /// What is whole, though a division stands in it.
    pub whole: Vec<Nat>,
    pub ranges: Vec<(Symbol, Nat, Nat)>,
    pub least: Nat,
    pub answer: Answer,
}

/// What was found.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Holds,
    /// At a point where all holds that is known, it does not.
    FailsSomewhere,
    Open,
}

const HEAD: &str = "\
; Questions about indices, each by itself: `unsat` says that it holds wherever all holds that is known there.
; Those that are decided were found to hold; those that are refuted do not at a point where all holds that is known of their variables;
; for those that are open an answer may be `sat`.
(set-logic QF_NIA)
(define-fun quotient ((a Int) (b Int)) Int (ite (> b 0) (div a b) (div (- a) (- b))))
(define-fun least ((a Int) (b Int)) Int (ite (< a b) a b))
(define-fun most ((a Int) (b Int)) Int (ite (> a b) a b))
";

/// All of them, in the order in which they were asked; what is asked twice stands there once.
pub fn smt(all: &[Question]) -> String {
    let mut out = HEAD.to_string();
    let mut seen = FxHashSet::default();
    for q in all {
        let mut text = Text::default();
        // A number beyond 64 bits is none.
        if text.question(q).is_none() || !seen.insert(text.body.clone()) {
            continue;
        }
        let state = match q.answer {
            Answer::Holds => "decided",
            Answer::FailsSomewhere => "refuted",
            Answer::Open => "open",
        };
        let _ = write!(out, "\n; {state}: {} >= 0\n(push 1)\n", q.least);
        text.vars.iter().for_each(|v| {
            let _ = writeln!(out, "(declare-const |{v}| Int)");
        });
        let _ = write!(out, "{}(check-sat)\n(pop 1)\n", text.body);
    }
    out
}

/// Those that are open, in the order in which they were asked, each once: what is assumed of their variables, and the comparison.
/// Names that cannot be read are others: `v0`, `v1` …
pub fn open(all: &[Question]) -> Vec<(Vec<Expr>, Expr)> {
    let mut seen = FxHashSet::default();
    let open = all.iter().filter(|q| q.answer == Answer::Open);
    open.filter_map(|q| {
        let said = q.said()?;
        seen.insert(said.clone()).then_some(said)
    })
    .collect()
}

impl Question {
    /// What is known of its variables, and of those in their ranges, and itself.
    fn said(&self) -> Option<(Vec<Expr>, Expr)> {
        let goal = not_negative(self.least)?;
        let mut vars: Vec<Symbol> = self.least.vars().to_vec();
        let mut facts = Vec::new();
        let mut at = 0;
        while let Some(v) = vars.get(at).copied() {
            at += 1;
            let ranges = self.ranges.iter().filter(|r| r.0 == v);
            let mut bounds: Vec<Nat> = ranges
                .flat_map(|(_, lo, hi)| [Nat::var(v) - *lo, *hi - Nat::var(v)])
                .collect();
            if bounds.is_empty() {
                bounds.push(Nat::var(v));
            }
            for n in bounds {
                vars.extend(
                    n.vars()
                        .iter()
                        .filter(|v| !vars.contains(v))
                        .copied()
                        .collect::<Vec<_>>(),
                );
                facts.extend(not_negative(n));
            }
        }
        let about = |n: &Nat| n.vars().iter().all(|v| vars.contains(v));
        facts.extend(
            self.known
                .iter()
                .filter(|n| about(n))
                .filter_map(|n| not_negative(*n)),
        );
        facts.extend(
            self.whole
                .iter()
                .filter(|n| about(n))
                .filter_map(|n| is_whole(*n)),
        );
        let mut each = FxHashSet::default();
        facts.retain(|f| f.as_bool().is_none() && each.insert(*f));
        Some(readable(facts, goal))
    }
}

fn is_whole(n: Nat) -> Option<Expr> {
    let (over, under) = n.fraction();
    let rest = build(Op::Mod, &[to_expr(over)?, to_expr(under)?]);
    Some(build(Op::Eq, &[rest, Expr::int(0)]))
}

/// With other names for those that are none in a text.
fn readable(facts: Vec<Expr>, goal: Expr) -> (Vec<Expr>, Expr) {
    let letter = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let is_name = |v: &Symbol| {
        v.as_str().bytes().all(letter) && !v.as_str().starts_with(|c: char| c.is_ascii_digit())
    };
    let mut vars: Vec<Symbol> = Vec::new();
    for e in [goal].iter().chain(&facts) {
        for (v, _) in e.vars() {
            if !vars.contains(&v) {
                vars.push(v);
            }
        }
    }
    let mut names: BTreeMap<Symbol, Expr> = BTreeMap::new();
    let mut next = 0;
    for v in vars.iter().filter(|v| !is_name(v)) {
        let free = (next..).find(|i| !vars.contains(&Symbol::new(&format!("v{i}"))));
        let number = free.unwrap_or(next);
        next = number + 1;
        names.insert(
            *v,
            crate::index::variable(Symbol::new(&format!("v{number}"))),
        );
    }
    let renamed = |e: Expr| e.replace(&|v| names.get(&v).copied());
    (facts.into_iter().map(renamed).collect(), renamed(goal))
}

#[derive(Default)]
struct Text {
    vars: Vec<String>,
    open: Vec<Symbol>,
    body: String,
    quotients: Vec<((String, String), String)>,
}

/// A number as a term over a denominator.
type Part = (String, i64);

fn times(a: &str, by: i64) -> String {
    match by {
        1 => a.to_string(),
        _ if by < 0 => format!("(* (- {}) {a})", by.unsigned_abs()),
        _ => format!("(* {by} {a})"),
    }
}

impl Text {
    fn question(&mut self, q: &Question) -> Option<()> {
        let goal = self.number(q.least)?;
        for n in &q.known {
            // What cannot be said is not said: the question is a harder one.
            if let Some((n, _)) = self.number(*n) {
                let _ = writeln!(self.body, "(assert (>= {n} 0))");
            }
        }
        for n in &q.whole {
            if let Some((n, by)) = self.number(*n).filter(|p| p.1 > 1) {
                let _ = writeln!(self.body, "(assert (= (mod {n} {by}) 0))");
            }
        }
        while let Some(v) = self.open.pop() {
            match q.ranges.iter().find(|r| r.0 == v) {
                Some((_, lo, hi)) => {
                    for n in [Nat::var(v) - *lo, *hi - Nat::var(v)] {
                        if let Some((n, _)) = self.number(n) {
                            let _ = writeln!(self.body, "(assert (>= {n} 0))");
                        }
                    }
                }
                None => {
                    let _ = writeln!(self.body, "(assert (>= |{v}| 0))");
                }
            }
        }
        let _ = writeln!(self.body, "(assert (< {} 0))", goal.0);
        Some(())
    }

    fn number(&mut self, n: Nat) -> Option<Part> {
        let mut all = Vec::new();
        let mut common = 1;
        for (m, c) in n.terms() {
            let (text, by) = self.product(&m)?;
            let by = by.checked_mul(c.den())?;
            common = lcm(common, by);
            all.push((text, c.num(), by));
            if common > i64::from(i32::MAX) {
                return None;
            }
        }
        let mut terms = Vec::new();
        for (text, c, by) in all {
            let c = c.checked_mul(common / by)?;
            terms.push(times(&text, c));
        }
        let text = match terms.len() {
            0 => "0".to_string(),
            1 => terms.remove(0),
            _ => format!("(+ {})", terms.join(" ")),
        };
        Some((text, common))
    }

    fn product(&mut self, m: &Mono) -> Option<Part> {
        let (mut over, mut under) = (vec![], vec![]);
        let (mut by, mut of) = (1i64, 1i64);
        for (a, e) in m.factors() {
            let (text, d) = self.atom(a)?;
            for _ in 0..e.unsigned_abs() {
                match e > 0 {
                    true => {
                        over.push(text.clone());
                        by = by.checked_mul(d)?;
                    }
                    false => {
                        under.push(text.clone());
                        of = of.checked_mul(d)?;
                    }
                }
            }
        }
        let product = |all: Vec<String>, by: i64| match &all[..] {
            [] => by.to_string(),
            [one] => times(one, by),
            _ => times(&format!("(* {})", all.join(" ")), by),
        };
        if under.is_empty() {
            return Some((product(over, 1), by));
        }
        let (over, under) = (product(over, of), product(under, by));
        Some((self.quotient(over, under), 1))
    }

    /// A number that gives back what it is a quotient of.
    fn quotient(&mut self, over: String, under: String) -> String {
        let key = (over, under);
        if let Some((_, q)) = self.quotients.iter().find(|q| q.0 == key) {
            return q.clone();
        }
        let name = format!("quotient {}", self.quotients.len());
        self.vars.push(name.clone());
        let q = format!("|{name}|");
        let _ = writeln!(self.body, "(assert (= (* {q} {}) {}))", key.1, key.0);
        self.quotients.push((key, q.clone()));
        q
    }

    fn atom(&mut self, a: Atom) -> Option<Part> {
        use AtomKind::{Ceil, Floor, Max, Meta, Min, Mod, Overflow, Quot, Var};
        let (x, y) = match a.kind() {
            Var(v) => {
                let name = v.to_string();
                if !self.vars.contains(&name) {
                    self.vars.push(name.clone());
                    self.open.push(v);
                }
                return Some((format!("|{name}|"), 1));
            }
            Meta(_) | Overflow => return None,
            Floor(x, y) | Ceil(x, y) | Mod(x, y) | Min(x, y) | Max(x, y) | Quot(x, y) => (x, y),
        };
        let ((x, d), (y, e)) = (self.number(x)?, self.number(y)?);
        // The same denominator for both.
        let (x, y, by) = (times(&x, e), times(&y, d), d.checked_mul(e)?);
        Some(match a.kind() {
            Floor(..) => (format!("(quotient {x} {y})"), 1),
            Ceil(..) => (format!("(- (quotient (- {x}) {y}))"), 1),
            Mod(..) if by == 1 => (format!("(mod {x} {y})"), 1),
            Min(..) => (format!("(least {x} {y})"), by),
            Max(..) => (format!("(most {x} {y})"), by),
            Quot(..) => (self.quotient(x, y), 1),
            _ => return None,
        })
    }
}
