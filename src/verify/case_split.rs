//! What holds in a case besides what it says, and the case as a query.
//!
//! In: a case. Out: facts, each of which follows from what is known there; a query in SMT-LIB that can be satisfied if
//! the rule is wrong in this case. Absent: how cases are made (`cases`).
//!
//! Note [Linear]. A product of atoms is read as one integer of its own, so a solver has linear arithmetic to do, which it
//! decides. What such integers have to do with each other is said by facts that are true of all products: of two numbers
//! that are not negative, the product is not; and if t > 0, t < 0 or t = 0, then d·t ≥ d, d·t ≤ -d or d·t = 0 for d > 0,
//! where t is a quotient or the difference of two. An answer that the query cannot be satisfied holds for real
//! products all the more; a model counts only once the rule is evaluated there.

use super::cases::{Case, Meaning, Names};
use super::formula::Formula;
use super::poly::{Atom, Monomial, Poly};
use crate::intern::Symbol;
use crate::scalar::{Kind, Rule};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many facts are told. More of them prove more, and take longer.
#[derive(Copy, Clone, Debug)]
pub struct Reach {
    /// Products of more bounds are left out.
    bounds: usize,
    /// More numbers are not compared with each other.
    compared: usize,
    /// More factors are not looked at.
    factors: usize,
    /// Whether what is left by quotients counts as spoken of, and sums of quotients are compared, too.
    rests: bool,
}

impl Reach {
    pub const NEAR: Reach = Reach {
        bounds: 24,
        compared: 8,
        factors: 6,
        rests: false,
    };
    pub const FAR: Reach = Reach {
        bounds: 32,
        compared: 12,
        factors: 8,
        rests: true,
    };
}

/// Facts of a higher degree are left out.
const MOST_DEGREE: usize = 4;

/// What holds in a case; `None` if a number in it is too large.
pub fn facts(case: &Case, reach: &Reach) -> Option<Vec<Formula>> {
    let mut facts = case.known.clone();
    let at_least_zero = |p: Poly| Some(Formula::positive(p.scale(-1)?).negated());
    let (mut quotients, mut rests) = (Vec::new(), Vec::new());
    for (x, d, a) in &case.quotients {
        let q = case.replaced.get(a).cloned().unwrap_or(Poly::atom(*a));
        let rest = x.sub(&d.mul(&q)?)?;
        facts.push(Formula::positive(d.clone()));
        facts.push(at_least_zero(rest.clone())?);
        facts.push(Formula::positive(d.sub(&rest)?));
        quotients.push((q, d));
        rests.push(rest);
    }
    let mut bounds = Vec::new();
    facts.iter().for_each(|f| f.bounds(&mut bounds));
    bounds.retain(|p| p.as_constant().is_none());
    let mut seen = BTreeSet::new();
    bounds.retain(|p| seen.insert(p.clone()));
    bounds.truncate(reach.bounds);
    for (i, p) in bounds.iter().enumerate() {
        for q in &bounds[..=i] {
            if p.degree() + q.degree() <= MOST_DEGREE {
                facts.push(at_least_zero(p.mul(q)?)?);
            }
        }
    }
    let mut spoken = Vec::new();
    for f in case.known.iter().chain([&case.goal]) {
        f.polys(&mut |p| spoken.push(p.clone()));
    }
    if reach.rests {
        spoken.extend(rests);
        spoken.extend(quotients.iter().map(|(_, d)| (*d).clone()));
    }
    for d in factors(&quotients, &spoken, reach) {
        let implied = |if_: Formula, then: Formula| if_.negated().or(then);
        let premise = match quotients.iter().any(|(_, e)| d == **e) {
            true => Formula::Truth(true),
            false => Formula::positive(d.clone()),
        };
        for t in apart(&d, &quotients, &spoken, reach)? {
            let product = d.mul(&t)?;
            let (up, down) = (
                Formula::positive(t.clone()),
                Formula::positive(t.scale(-1)?),
            );
            for (if_, then) in [
                (up, at_least_zero(product.sub(&d)?)?),
                (down, at_least_zero(product.add(&d)?.scale(-1)?)?),
                (Formula::zero(t), Formula::zero(product)),
            ] {
                facts.push(implied(premise.clone().and(if_), then));
            }
        }
    }
    for (a, p) in &case.replaced {
        facts.push(Formula::zero(Poly::atom(*a).sub(p)?));
    }
    facts.retain(|f| *f != Formula::Truth(true));
    Some(facts)
}

/// Divisors, and what else is a factor of products.
fn factors(quotients: &[(Poly, &Poly)], spoken: &[Poly], reach: &Reach) -> BTreeSet<Poly> {
    let mut found: BTreeSet<Poly> = quotients.iter().map(|(_, d)| (*d).clone()).collect();
    found.retain(|d| d.as_constant().is_none());
    let products = spoken
        .iter()
        .flat_map(Poly::terms)
        .filter(|t| t.0.atoms().len() == 2);
    for (m, _) in products {
        for a in m.atoms() {
            if found.len() < reach.factors {
                found.insert(Poly::atom(*a));
            }
        }
    }
    found
}

/// What is compared with 0 where multiples of d are: quotients, what d is multiplied with, and differences of these.
fn apart(
    d: &Poly,
    quotients: &[(Poly, &Poly)],
    spoken: &[Poly],
    reach: &Reach,
) -> Option<BTreeSet<Poly>> {
    let mut found: Vec<Poly> = quotients.iter().map(|(q, _)| q.clone()).collect();
    for p in spoken {
        let (k, _) = p.divide(d)?;
        let new = |k: &Poly| k.as_constant().is_none() && !found.contains(k);
        if new(&k) && new(&k.scale(-1)?) && found.len() < reach.compared {
            found.push(k);
        }
    }
    let mut apart = BTreeSet::new();
    let one = Poly::constant(1);
    for (i, t) in found.iter().enumerate() {
        apart.extend([t.clone(), t.add(&one)?, t.sub(&one)?]);
        for s in &found[..i] {
            apart.insert(t.sub(s)?);
            // What d is multiplied with may have either sign.
            if i >= quotients.len() {
                apart.insert(t.add(s)?);
            } else if reach.rests {
                let sum = t.add(s)?;
                apart.extend([sum.add(&one)?, sum.sub(&one)?, sum]);
            }
        }
    }
    Some(apart)
}

/// Products as numbers of their own, or as products.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Products {
    Named,
    Written,
}

/// The query of a case; `None` if a number in it is too large.
pub fn query(
    rule: &Rule,
    names: &Names,
    case: &Case,
    products: Products,
    reach: &Reach,
) -> Option<String> {
    let facts = facts(case, reach)?;
    let mut used = BTreeSet::new();
    let mut note = |f: &Formula| f.polys(&mut |p| used.extend(p.terms().map(|t| t.0.clone())));
    facts.iter().for_each(&mut note);
    note(&case.goal);
    let atoms: BTreeSet<Atom> = used
        .iter()
        .flat_map(|m| m.atoms().iter().copied())
        .collect();
    let writer = Writer { names, products };
    let mut text = format!("; {}\n(set-logic ALL)\n", rule.name);
    for (v, sort, _) in rule.vars() {
        let sort = match sort.kind {
            Kind::Int => "Int",
            Kind::Bool => "Bool",
        };
        let _ = writeln!(text, "(declare-const {} {sort})", name(v));
    }
    for v in rule.counts() {
        if !rule.vars().iter().any(|w| w.0 == v) {
            let _ = writeln!(text, "(declare-const {} Int)", name(v));
        }
    }
    for (truth, ..) in names.truths() {
        let _ = writeln!(text, "(declare-const {} Bool)", name(*truth));
    }
    let _ = writeln!(text, "(declare-const lane Int)");
    for a in atoms {
        if !matches!(names.meaning(a), Meaning::Var(_) | Meaning::Lane) {
            let _ = writeln!(text, "(declare-const {} Int)", writer.atom(a));
        }
    }
    if products == Products::Named {
        for m in used.iter().filter(|m| m.atoms().len() > 1) {
            let _ = writeln!(text, "(declare-const {} Int)", writer.monomial(m));
        }
    }
    for f in facts.iter().chain([&case.goal]) {
        let _ = writeln!(text, "(assert {})", writer.formula(f));
    }
    let vars: Vec<String> = rule.vars().iter().map(|(v, ..)| name(*v)).collect();
    text += &format!("(check-sat)\n(get-value ({} lane))\n", vars.join(" "));
    Some(text)
}

struct Writer<'a> {
    names: &'a Names,
    products: Products,
}

impl Writer<'_> {
    fn atom(&self, a: Atom) -> String {
        match self.names.meaning(a) {
            Meaning::Var(v) => name(*v),
            Meaning::Lane => "lane".to_string(),
            Meaning::InLane(..) | Meaning::Quotient(..) | Meaning::Exact(..) => {
                format!("q_{}", a.0)
            }
        }
    }

    fn monomial(&self, m: &Monomial) -> String {
        match (m.atoms(), self.products) {
            ([], _) => "1".to_string(),
            ([a], _) => self.atom(*a),
            (all, Products::Named) => all
                .iter()
                .map(|a| format!("p_{}", a.0))
                .collect::<Vec<_>>()
                .join("_"),
            (all, Products::Written) => {
                let all: Vec<String> = all.iter().map(|a| self.atom(*a)).collect();
                format!("(* {})", all.join(" "))
            }
        }
    }

    fn poly(&self, p: &Poly) -> String {
        let term = |(m, n): (&Monomial, i128)| match (m.atoms().is_empty(), n) {
            (true, n) => number(n),
            (false, 1) => self.monomial(m),
            (false, n) => format!("(* {} {})", number(n), self.monomial(m)),
        };
        let terms: Vec<String> = p.terms().map(term).collect();
        match &terms[..] {
            [] => "0".to_string(),
            [one] => one.clone(),
            all => format!("(+ {})", all.join(" ")),
        }
    }

    fn formula(&self, f: &Formula) -> String {
        match f {
            Formula::Truth(b) => b.to_string(),
            Formula::Bool(v) => name(*v),
            Formula::Positive(p) => format!("(> {} 0)", self.poly(p)),
            Formula::Zero(p) => format!("(= {} 0)", self.poly(p)),
            Formula::Not(f) => format!("(not {})", self.formula(f)),
            Formula::And(f, g) => format!("(and {} {})", self.formula(f), self.formula(g)),
            Formula::Or(f, g) => format!("(or {} {})", self.formula(f), self.formula(g)),
            Formula::Same(f, g) => format!("(= {} {})", self.formula(f), self.formula(g)),
        }
    }
}

fn number(n: i128) -> String {
    match n {
        0.. => n.to_string(),
        _ => format!("(- {})", n.unsigned_abs()),
    }
}

/// What a variable is called in a query: quoted, and no word of the language.
pub fn name(v: Symbol) -> String {
    format!("|v_{v}|")
}
