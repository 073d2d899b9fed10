//! What a walk has to know of the rules.

use crate::egraph::Renaming;
use crate::elab::{RuleDecl, RuleUse};
use crate::intern::Symbol;
use crate::rule::{Rewrite, Rule};
use crate::term::{Kind, Term};

/// The rules of a step, as the record numbers them.
pub struct Known<'a> {
    pub rewrites: &'a [Rewrite],
    used: &'a [RuleUse],
    pub reassociate: bool,
    places: Vec<Vec<Place>>,
}

/// One place of a pattern variable on a left side, in the order of matching.
#[derive(Clone, Debug)]
pub struct Place {
    pub hole: usize,
    pub kind: PlaceKind,
    /// The way to it.
    pub at: Vec<u8>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    First,
    /// Under the same binders as the first.
    Same,
    /// Under others; which of those that are.
    Again(usize),
}

impl<'a> Known<'a> {
    pub fn new(rewrites: &'a [Rewrite], used: &'a [RuleUse], reassociate: bool) -> Known<'a> {
        Known {
            rewrites,
            used,
            reassociate,
            places: used.iter().map(|u| places(&u.rule)).collect(),
        }
    }

    /// A rule of a file.
    pub fn rule(&self, number: usize) -> Option<(&'a Rule, &'a RuleUse, &[Place])> {
        match self.rewrites.get(number)? {
            Rewrite::Rule(rule) => Some((rule, self.used.get(number)?, self.places.get(number)?)),
            Rewrite::Beta | Rewrite::Eta => None,
        }
    }

    /// The rule as it is declared of which a rule is the applied form, and to how many arguments
    /// the form is applied; see [`crate::rule::with_applied`] for their order.
    pub fn declared(&self, number: usize) -> (usize, usize) {
        let depth = (self.rewrites[..number].iter().rev())
            .take_while(|rule| rule.has_applied())
            .count();
        (number - depth, depth)
    }
}

/// How the pattern variables of the right side move, in the order of building.
pub fn renamings(rule: &Rule) -> Vec<Renaming> {
    rule.renamings().cloned().collect()
}

type Scope = Vec<Option<Symbol>>;

fn places(rule: &RuleDecl) -> Vec<Place> {
    let mut found = Vec::new();
    walk(&rule.lhs, &mut Scope::new(), &mut Vec::new(), &mut found);
    // The rule numbers repeated places by pattern variable.
    let mut again = 0;
    let mut kinds = vec![PlaceKind::First; found.len()];
    for hole in 0..rule.holes.len() {
        let mut first: Option<&Scope> = None;
        for (i, (h, scope, _)) in found.iter().enumerate() {
            if *h != hole {
                continue;
            }
            kinds[i] = match first {
                None => PlaceKind::First,
                Some(f) if f == scope => PlaceKind::Same,
                Some(_) => {
                    again += 1;
                    PlaceKind::Again(again - 1)
                }
            };
            first = first.or(Some(scope));
        }
    }
    let places = found.into_iter().zip(kinds);
    places
        .map(|((hole, _, at), kind)| Place { hole, kind, at })
        .collect()
}

fn walk(t: &Term, scope: &mut Scope, at: &mut Vec<u8>, out: &mut Vec<(usize, Scope, Vec<u8>)>) {
    match t.kind() {
        Kind::Hole(h) => out.push((*h as usize, scope.clone(), at.clone())),
        Kind::App(f, x) => {
            at.push(0);
            walk(f, scope, at, out);
            at.pop();
            at.push(1);
            walk(x, scope, at, out);
            at.pop();
        }
        Kind::Lam(name, b) => {
            scope.push(*name);
            at.push(0);
            walk(b, scope, at, out);
            at.pop();
            scope.pop();
        }
        _ => {}
    }
}
