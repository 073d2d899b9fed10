//! The names that count lanes in the rules of a file.
//!
//! In: an expression of a rule. Out: the names in its numbers of lanes, and whether matching tells what they stand for.

use super::expr::{Expr, Node};
use super::lanes::Lanes;
use crate::intern::Symbol;

/// The names that an expression counts lanes by, each once.
pub(super) fn counted_by(e: Expr, names: &mut Vec<Symbol>) {
    e.visit(&mut |part| {
        for name in part.counted().into_iter().flat_map(|c| c.vars()) {
            if !names.contains(&name.0) {
                names.push(name.0);
            }
        }
    });
}

/// The names that stand in products of an expression's numbers of lanes and that matching it does not determine: a name is known where it
/// stands by itself, and if it is the only unknown factor of a product.
pub(super) fn undetermined(e: Expr) -> Option<Symbol> {
    let (mut known, mut products) = (Vec::new(), Vec::new());
    standing(e, &mut known, &mut products);
    loop {
        let left = |l: &Lanes| -> Vec<Symbol> {
            let names = l.names().into_iter();
            names.filter(|n| !known.contains(n)).collect()
        };
        let mut open: Vec<Vec<Symbol>> = products.iter().map(left).collect();
        open.retain(|names| !names.is_empty());
        match open.iter().find(|names| names.len() == 1) {
            Some(names) => known.push(names[0]),
            None => return open.first().map(|names| names[0]),
        }
    }
}

/// Names outside of products of lanes, and those products.
fn standing(e: Expr, names: &mut Vec<Symbol>, products: &mut Vec<Lanes>) {
    match (e.node(), e.counted()) {
        (Node::Var(name, _), _) => names.push(name),
        (Node::Apply(_, args), None) => args.iter().for_each(|a| standing(*a, names, products)),
        (Node::Apply(_, args), Some(lanes)) => {
            let rest = args.len() - 1;
            args[..rest]
                .iter()
                .for_each(|a| standing(*a, names, products));
            match lanes.node() {
                Node::Apply(..) => products.extend(Lanes::of(lanes)),
                _ => standing(lanes, names, products),
            }
        }
        _ => {}
    }
}
