//! The published search, step by step: e-nodes of Risegg's log against ours.
//!
//! Counts are put in Risegg's terms: there an explicit size is an application,
//! so `split[32]` is two nodes (two classes), and the program's size parameters
//! are lambdas at the top. Where the two implementations extract different
//! representatives of a class for substitution, later iterations differ by some
//! per cent; what must be exact is marked so.

use crate::common::{chain, mm};
use rise_opt::egraph::{Graph, Shape, View};
use rise_opt::elab::Step;
use rise_opt::search::{saturate, Options};
use rise_opt::term::{normalize, Term};
use rise_opt::ty::{Ty, TyKind};
use std::collections::BTreeSet;

/// E-nodes and classes as Risegg counts them.
fn count(graph: &Graph, size_params: usize) -> (usize, usize) {
    let view = View::new(graph);
    let mut sized = BTreeSet::new();
    for c in 0..view.len() as u32 {
        for n in view.nodes(c) {
            if let Shape::Prim(p) = n.shape {
                if p.op().size_args() > 0 {
                    sized.insert((p.op(), open_type(n.ty)));
                }
            }
        }
    }
    let more = sized.len() + size_params;
    (view.node_count() + more, view.len() + more)
}

/// The type of `split[k]` or `asVector[k]` before k is given: outer size and
/// element type say all.
fn open_type(ty: Ty) -> String {
    let (_, result) = ty.as_fun().expect("a primitive with sizes is a function");
    let (outer, inner) = result.as_array().expect("an array of blocks");
    let element = match inner.kind() {
        TyKind::Array(_, t) => t,
        _ => inner.as_vec().expect("blocks or vectors").1,
    };
    format!("{outer} {element}")
}

struct Run {
    counts: Vec<(usize, usize)>,
    found: Term,
}

fn run(step: &Step, term: &Term) -> Run {
    let mut counts = Vec::new();
    for iterations in 0..40 {
        let options = Options {
            iterations: Some(iterations),
            ..Options::default()
        };
        let (_, result, graph, _) = saturate(step, term, &options);
        counts.push(count(&graph, 3));
        if let Ok(found) = result {
            return Run { counts, found };
        }
    }
    panic!("{} was not reached: {counts:?}", step.name);
}

fn nodes(run: &Run) -> Vec<usize> {
    run.counts.iter().map(|c| c.0).collect()
}

fn within(got: &[usize], want: &[usize], exact: usize, per_cent: usize) {
    assert_eq!(got.len(), want.len(), "{got:?} against {want:?}");
    assert_eq!(got[..=exact], want[..=exact]);
    for (g, w) in got.iter().zip(want) {
        assert!(
            g.abs_diff(*w) * 100 <= w * per_cent,
            "{got:?} against {want:?}"
        );
    }
}

/// Each step of a published chain.
fn published(name: &str) -> Vec<Run> {
    let program = mm();
    let mut term = normalize(&program.term);
    let steps = chain(&format!("sketches/risegg/{name}.sk"), &program, &[]);
    (steps.iter())
        .map(|s| {
            let run = run(s, &term);
            term = run.found.clone();
            run
        })
        .collect()
}

#[test]
fn blocking() {
    let runs = published("blocking");
    within(
        &nodes(&runs[0]),
        &[40, 100, 225, 560, 1435, 3782, 9477],
        2,
        20,
    );
    within(
        &nodes(&runs[1]),
        &[66, 110, 202, 340, 545, 928, 1679, 2993, 5343, 7830, 10813],
        2,
        25,
    );
}

#[test]
fn packing_and_lowering() {
    for (goal, last) in [
        ("array-packing", "lower-3"),
        ("cache-blocks", "lower-4"),
        ("parallel", "lower-5"),
    ] {
        let runs = published(goal);
        within(
            &nodes(&runs[1]),
            &[66, 110, 202, 340, 545, 928, 1679, 2993, 5343],
            2,
            25,
        );
        assert_eq!(
            nodes(&runs[2]),
            [130, 635, 1480, 2837, 5562],
            "store before {last}"
        );
        assert_eq!(nodes(&runs[3]), [157, 326, 487, 629], "{last}");
    }
}

#[test]
fn vectors() {
    let runs = published("loop-perm");
    assert_eq!(nodes(&runs[2]), [130, 264, 397]);
    let runs = published("vectorization");
    within(&nodes(&runs[2]), &[151, 291, 429], 0, 5);
}
