//! All rules at once on random programs, and every class of every graph audited.
//!
//! The shipped sketches lead a search along few paths; random programs bring the
//! rules, β, η and the substitution of the e-graph together in ways that nobody
//! thought of. Whatever was made equal has to mean the same.

mod common;

use common::{aimless_step, general_book, shipped_rules};
use rise_opt::elab::{self, Limits, RuleUse};
use rise_opt::interp::generate::{Generator, Options as Kinds};
use rise_opt::interp::random::Rng;
use rise_opt::search::{audit::audit, saturate, Options};
use rise_opt::source::SourceMap;
use rise_opt::ty::Scalar;

/// Nodes compared and nodes that could not be, or the first two that differ.
fn audit_programs(
    used: &[RuleUse],
    seeds: std::ops::Range<u64>,
    reassociate: bool,
) -> Result<(u64, u64), String> {
    let (mut nodes, mut skipped) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        // Reassociated sums of integers are exact, those of random floats are not.
        let scalars = match reassociate {
            true => vec![Scalar::I32],
            false => vec![Scalar::F32, Scalar::I32],
        };
        let kinds = Kinds {
            scalars,
            fuel: 3,
            elements: 64,
            symbolic: seed % 2 == 0,
            ..Kinds::default()
        };
        let mut generator = Generator::new(&mut rng, kinds);
        let program = generator.program();
        let sizes = generator.sizes.clone();
        let limits = Limits {
            iterations: Some(3),
            nodes: Some(4000),
            nesting: Some(7),
            size: Some(250),
            ..Limits::default()
        };
        let step = aimless_step(used.to_vec(), limits, reassociate);
        let (trace, _, graph, _) = saturate(&step, &program.term, &Options::default());
        let found = audit(&graph, &sizes, seed);
        if let Some(m) = found.mismatches.first() {
            return Err(format!(
                "seed {seed}, {program}\n{:?}\nof type {}\n  {}\nbecame\n  {}",
                trace.stop, m.ty, m.first, m.other
            ));
        }
        nodes += found.nodes;
        skipped += found.skipped;
    }
    Ok((nodes, skipped))
}

fn sound(used: &[RuleUse], seeds: std::ops::Range<u64>, reassociate: bool) {
    match audit_programs(used, seeds, reassociate) {
        Ok((nodes, skipped)) => {
            assert!(
                nodes > 50_000 && skipped < nodes / 4,
                "{nodes} compared, {skipped} skipped"
            );
        }
        Err(mismatch) => panic!("{mismatch}"),
    }
}

#[test]
fn the_general_book_on_random_programs() {
    sound(&general_book(), 0..200, false);
}

#[test]
fn the_published_book_on_random_programs() {
    sound(&shipped_rules("rules/risegg.rules"), 1000..1200, true);
}

#[test]
fn a_wrong_rule_is_found() {
    let mut sources = SourceMap::new();
    let text = "rule no-loop\n  reduceSeq op e xs => e\nrule reduce-seq\n  reduce => reduceSeq\n";
    let file = sources.add_text("wrong.rules", text);
    let decls = elab::rule_decls(&mut sources, file).unwrap_or_else(|e| panic!("{e:#?}"));
    let used: Vec<RuleUse> = decls
        .into_iter()
        .map(|rule| RuleUse {
            args: Vec::new(),
            span: rule.span,
            rule,
        })
        .collect();
    assert!(audit_programs(&used, 0..40, false).is_err());
}
