//! The audit: all nodes of a class mean the same.
//!
//! Comes in: a saturated graph and concrete sizes; goes out: every pair of
//! nodes of one class whose values differ on random inputs. It is the one test
//! that sees a wrong substitution or a wrong union whatever term is extracted
//! later. Each class gets random values for its free variables; a class of
//! functions is applied to random arguments, functions among them being
//! functions of the same type from the graph itself.

use rise_opt::egraph::{Class, Graph, View};
use rise_opt::interp::compare;
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{eval_with, Limits, Sizes, Value};
use rise_opt::term::{Kind, Term};
use rise_opt::ty::Ty;
use std::collections::BTreeMap;

/// What an audit found.
#[derive(Debug, Default)]
pub struct Audit {
    /// Classes whose nodes were compared.
    pub classes: u64,
    /// Nodes evaluated.
    pub nodes: u64,
    /// Nodes that could not be evaluated: over budget, or no argument could be made.
    pub skipped: u64,
    /// Nodes that differ from the first of their class.
    pub mismatches: Vec<Mismatch>,
}

/// Two terms of one class with different values.
#[derive(Debug)]
pub struct Mismatch {
    /// The class's type.
    pub ty: Ty,
    /// The term of its first node.
    pub first: Term,
    /// A term that differs.
    pub other: Term,
}

/// Random inputs for each class.
const DRAWS: u64 = 2;
/// Evaluation steps for each node.
const STEPS: u64 = 2_000_000;
/// Terms larger than this are skipped.
const LARGEST: u32 = 600;

/// Audits a graph at sizes.
pub fn audit(graph: &Graph, sizes: &Sizes, seed: u64) -> Audit {
    let view = View::new(graph);
    let mut functions: BTreeMap<u32, Vec<Term>> = BTreeMap::new();
    for c in 0..view.len() as Class {
        let facts = graph.facts(view.id(c));
        if facts.ty.is_fun() && facts.best_size <= LARGEST {
            let pool = functions.entry(facts.ty.id()).or_default();
            if pool.len() < 4 {
                pool.push(graph.best_term(view.id(c)));
            }
        }
    }
    let mut out = Audit::default();
    for c in 0..view.len() as Class {
        let id = view.id(c);
        let terms: Vec<Term> = (graph.class_nodes(id).iter())
            .map(|n| graph.node_term(n))
            .filter(|t| t.size() <= LARGEST)
            .collect();
        out.skipped += (view.nodes(c).len() - terms.len()) as u64;
        if terms.len() < 2 {
            continue;
        }
        for draw in 0..DRAWS {
            // A stream of its own for each class: auditing one more class
            // changes nothing for the others.
            let mut rng = Rng::new(seed ^ (u64::from(c) << 8 | draw));
            compare_class(&terms, sizes, &functions, &mut rng, draw == 0, &mut out);
        }
    }
    out
}

fn compare_class(
    terms: &[Term],
    sizes: &Sizes,
    functions: &BTreeMap<u32, Vec<Term>>,
    rng: &mut Rng,
    count: bool,
    out: &mut Audit,
) {
    let mut value = |ty: Ty| {
        if !ty.is_fun() {
            return value_of(rng, ty, sizes, Numbers::Whole).ok();
        }
        let f = rng.pick(functions.get(&ty.id())?);
        let types = environment(std::slice::from_ref(f))?;
        let env: Option<Vec<Value>> = (types.into_iter())
            .map(|t| value_of(rng, t, sizes, Numbers::Whole).ok())
            .collect();
        eval_with(f, sizes, &env?, &[], limits()).ok()
    };
    let inputs = environment(terms).and_then(|types| {
        let env: Option<Vec<Value>> = types.into_iter().map(&mut value).collect();
        let mut args = Vec::new();
        let mut ty = terms[0].ty();
        while let Some((arg, result)) = ty.as_fun() {
            args.push(value(arg)?);
            ty = result;
        }
        Some((env?, args))
    });
    let Some((env, args)) = inputs else {
        out.skipped += if count { terms.len() as u64 } else { 0 };
        return;
    };
    let mut first: Option<(&Term, Value)> = None;
    for t in terms {
        let Ok(v) = eval_with(t, sizes, &env, &args, limits()) else {
            out.skipped += u64::from(count);
            continue;
        };
        out.nodes += u64::from(count);
        match &first {
            None => {
                first = Some((t, v));
                out.classes += u64::from(count);
            }
            Some((f, w)) if !compare::same(w, &v) => out.mismatches.push(Mismatch {
                ty: t.ty(),
                first: (*f).clone(),
                other: t.clone(),
            }),
            Some(_) => {}
        }
    }
}

fn limits() -> Limits {
    Limits {
        steps: STEPS,
        ..Limits::default()
    }
}

/// The types of the variables that are free in any of the terms; a variable
/// that is free in none is a bool. `None` if two terms disagree.
fn environment(terms: &[Term]) -> Option<Vec<Ty>> {
    let mut types: Vec<Option<Ty>> = Vec::new();
    let mut agree = true;
    for t in terms {
        t.visit(&mut |t, depth| {
            let Kind::Var(i) = t.kind() else { return };
            let Some(i) = i.checked_sub(depth) else {
                return;
            };
            let i = i as usize;
            if types.len() <= i {
                types.resize(i + 1, None);
            }
            agree &= types[i].is_none_or(|old| old == t.ty());
            types[i] = Some(t.ty());
        });
    }
    let unused = Ty::from(rise_opt::ty::Scalar::Bool);
    agree.then(|| types.into_iter().map(|t| t.unwrap_or(unused)).collect())
}
