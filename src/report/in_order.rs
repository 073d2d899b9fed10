//! Reductions that keep their order because of what they combine elements with.
//!
//! In: a program. Out: a sentence for each operator of a reduction that was shown not to associate, with
//! values at which it does not. Absent: floats that associate as reals do, of which the line about sums speaks.

use super::operators::objection;
use crate::elab::term_text;
use crate::intern::Symbol;
use crate::operator::Law;
use crate::term::{Kind, Op, Program, Term};
use crate::ty::Scalar;

/// Operators that are looked at.
const MOST: usize = 4;

/// What is to be said of a program's reductions.
pub fn sentences(program: &Program) -> Vec<String> {
    let mut all: Vec<(Term, Vec<Symbol>)> = Vec::new();
    collect(&program.term, &mut Vec::new(), &mut all);
    all.truncate(MOST);
    let said = all.iter().filter_map(|(op, scope)| {
        let why = objection(op, scope, Law::Associative).filter(|o| !o.holds_over_reals)?;
        let (op, why) = (term_text(op, scope), why.text);
        Some(format!(
            "`reduce` by `{op}` keeps its order, as that is not associative: {why}"
        ))
    });
    said.collect()
}

fn collect(t: &Term, scope: &mut Vec<Symbol>, found: &mut Vec<(Term, Vec<Symbol>)>) {
    if let Some((p, args)) = t.as_prim_app() {
        if let (Op::Reduce, [op, ..]) = (p.op(), &args[..]) {
            let of_numbers = op
                .ty()
                .as_fun()
                .is_some_and(|(t, _)| t.is_flat() && t.as_scalar() != Some(Scalar::Bool));
            if of_numbers && !found.iter().any(|f| f.0 == **op) {
                found.push(((*op).clone(), scope.clone()));
            }
        }
    }
    match t.kind() {
        Kind::Lam(name, body) => {
            scope.push(name.unwrap_or_else(|| Symbol::new("x")));
            collect(body, scope, found);
            scope.pop();
        }
        Kind::App(f, x) => {
            collect(f, scope, found);
            collect(x, scope, found);
        }
        _ => {}
    }
}
