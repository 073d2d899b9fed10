//! What is said to apply is what a search applies, on every shipped program and rule.

use rise_opt::arith::Nat;
use rise_opt::elab;
use rise_opt::elab::RuleUse;
use rise_opt::rule::near::*;
use rise_opt::source::SourceMap;
use rise_opt::term::normalize;

/// The rules of all shipped files, at the size 4 where they have sizes.
fn shipped_rules(sources: &mut SourceMap) -> Vec<RuleUse> {
    let files: Vec<&str> = SourceMap::shipped()
        .filter(|p| p.ends_with(".rules"))
        .collect();
    let mut out = Vec::new();
    for path in files {
        let file = sources.load_shipped(path).unwrap();
        for rule in elab::rule_decls(sources, file).unwrap() {
            out.push(RuleUse {
                span: rule.span,
                args: vec![Nat::int(4); rule.size_params.len()],
                rule,
            });
        }
    }
    out
}

#[test]
fn a_rule_applies_where_a_search_applies_it() {
    let mut sources = SourceMap::new();
    let rules = shipped_rules(&mut sources);
    let programs: Vec<&str> = SourceMap::shipped()
        .filter(|p| p.ends_with(".rise"))
        .collect();
    let (mut applied, mut refused) = (0, 0);
    // Each rule is tried on every fourth program, and each program by every fourth rule.
    for (nth, path) in programs.into_iter().enumerate() {
        let file = sources.load_shipped(path).unwrap();
        let Ok(program) = elab::program(&mut sources, file, None) else {
            continue;
        };
        let term = normalize(&program.term);
        for used in rules.iter().skip(nth % 4).step_by(4) {
            for reassociate in [false, true] {
                let limits = Limits {
                    nesting: 6,
                    size: 300.max(2 * term.size()),
                    reassociate,
                };
                let mut trial = Trial::new(used, &term, limits.nesting, limits.size);
                for a in attempts(used, &term, limits) {
                    let result = trial.result(&a.at.term, reassociate);
                    let name = &used.rule.name;
                    match (&a.outcome, result) {
                        (Ok(_), Some(_)) => applied += 1,
                        (Err(why), None) => {
                            assert!(!why.is_empty());
                            let unclear = why.iter().any(|r| matches!(r, Refusal::Search));
                            assert!(!unclear, "{path}, {name} at {:?}: {why:?}", a.at);
                            refused += 1;
                        }
                        (ours, theirs) => {
                            panic!("{path}, {name} at {:?}: {ours:?}, {theirs:?}", a.at)
                        }
                    }
                }
                // And nowhere else than at sub-terms that were tried.
                let mut tried = Vec::new();
                for a in attempts(used, &term, limits) {
                    let class = trial.graph.add_term(&a.at.term);
                    tried.push(trial.graph.find(class));
                }
                for class in trial.at.keys() {
                    assert!(tried.contains(class), "{path}, {}", used.rule.name);
                }
            }
        }
    }
    assert!(applied > 100 && refused > 100, "{applied} {refused}");
}
