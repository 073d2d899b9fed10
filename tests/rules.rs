//! Every shipped rule means the same on both sides.
//!
//! Each rule of each file in `rules/` is tested on random typed instances by the
//! interpreter: types, sizes, holes and data are random, results compared to the
//! bit. A rule for which too few instances can be drawn fails, too: it would
//! otherwise pass unseen.

use rise_opt::elab;
use rise_opt::rule::instance::test_rule;
use rise_opt::source::SourceMap;

/// For each rule.
const INSTANCES: u32 = 200;

#[test]
fn both_sides_of_every_shipped_rule_agree() {
    let mut wrong = Vec::new();
    let mut rules = 0;
    let files: Vec<&str> = SourceMap::shipped()
        .filter(|name| name.starts_with("rules/") && name.ends_with(".rules"))
        .collect();
    for name in files {
        let mut sources = SourceMap::new();
        let file = sources.load_shipped(name).expect("shipped");
        let decls =
            elab::rule_decls(&mut sources, file).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
        for rule in decls {
            let outcome = test_rule(&rule, INSTANCES, 0x0715);
            let at = format!("{} of {name}", rule.name);
            if let Some(c) = outcome.refuted {
                wrong.push(format!("{at} is wrong:\n{c}\n"));
            } else if outcome.agreed < INSTANCES {
                let (few, missed) = (outcome.agreed, outcome.missed);
                wrong.push(format!("{at}: only {few} instances, {missed} draws missed"));
            }
            rules += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rules >= 40, "only {rules} rules");
}
