//! Right and wrong rules over scalars, by hand: `tests/scalar_rules/right` and `wrong`, by what they are about. The folder is
//! what is expected; each rule stands by itself. That it stands in the right folder is shown by trying all points of a box.

use crate::common::{lacking, share};
use rise_opt::exec::solver;
use rise_opt::interp::random::Rng;
use rise_opt::scalar::{load_rules, Kind, Rule, Value};
use rise_opt::source::SourceMap;
use rise_opt::verify::{differs_at, verify, Limits, Point, Tools, Verdict};
use std::path::Path;

/// The rules of a folder, with the names of their files.
fn corpus(folder: &str) -> Vec<(String, Rule)> {
    let dir = Path::new("tests/scalar_rules").join(folder);
    let files = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut files: Vec<_> = files.map(|f| f.unwrap().path()).collect();
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let mut sources = SourceMap::new();
        let file = sources.load(path.to_str().unwrap()).unwrap();
        let rules = load_rules(&sources, file).unwrap_or_else(|d| panic!("{d:?}"));
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        all.extend(rules.into_iter().map(|r| (name.clone(), r)));
    }
    assert!(all.len() >= 120, "{folder}: {} rules", all.len());
    all
}

/// Points of a box around 0 and around the numbers of the rule: all of them, or as many of them.
fn points(rule: &Rule, most: usize) -> Vec<Point> {
    let mut numbers: Vec<i128> = (-4..=4).collect();
    for e in [rule.lhs, rule.rhs, rule.condition] {
        e.visit(&mut |e| {
            let n = e.as_int().map(i128::from);
            numbers.extend(n.into_iter().flat_map(|n| [n - 1, n, n + 1]));
        });
    }
    numbers.sort();
    numbers.dedup();
    let vars = rule.vars();
    // Names count different lanes, so that no product is mistaken for another.
    let counts = rule.counts();
    let count = |v| {
        counts
            .iter()
            .position(|n| *n == v)
            .map(|i| [5, 2, 3][i % 3])
    };
    let choices: Vec<Vec<Value>> = vars
        .iter()
        .map(|(v, sort, _)| {
            let single: Vec<Value> = match sort.kind {
                _ if counts.contains(v) => return vec![Value::Int(count(*v).unwrap())],
                Kind::Int => numbers.iter().map(|n| Value::Int(*n)).collect(),
                Kind::Bool => [false, true].map(Value::Bool).to_vec(),
            };
            let lanes = sort.lanes.value(&count).unwrap();
            let vectors = (0..single.len()).map(|i| {
                let lane = |l: usize| single[(i + l) % single.len()].clone();
                Value::of_lanes((0..lanes).map(lane).collect())
            });
            vectors.collect()
        })
        .collect();
    let all: usize = choices.iter().map(Vec::len).product();
    let mut rng = Rng::new(5);
    let point = |i: usize| {
        let mut i = if all <= most {
            i
        } else {
            rng.below(all as u64) as usize
        };
        let mut point = Point::new();
        for ((name, ..), choices) in vars.iter().zip(&choices) {
            point.insert(*name, choices[i % choices.len()].clone());
            i /= choices.len();
        }
        point
    };
    (0..all.min(most)).map(point).collect()
}

#[test]
fn rules_stand_in_the_folder_that_they_belong_to() {
    for (file, rule) in corpus("right") {
        let found: Vec<bool> = (points(&rule, 40_000).iter())
            .filter_map(|p| differs_at(&rule, p))
            .collect();
        let name = rule.name;
        assert!(!found.contains(&true), "{file}: {name} is wrong");
        assert!(!found.is_empty(), "{file}: {name} applies nowhere");
    }
    for (file, rule) in corpus("wrong") {
        let differs = |p: &Point| differs_at(&rule, p) == Some(true);
        let found = points(&rule, 400_000).iter().any(differs);
        assert!(found, "{file}: {} differs nowhere", rule.name);
    }
}

fn verdict(rule: &Rule, tools: &Tools) -> Verdict {
    let found = verify(std::slice::from_ref(rule), &[0], tools, &mut |_, _| {});
    found.verdicts[0].clone()
}

#[test]
fn no_wrong_rule_is_proved() {
    let solvers = solver::find();
    let mut tools = Tools {
        solvers,
        ..Tools::default()
    };
    for (file, rule) in corpus("wrong") {
        let found = verdict(&rule, &tools);
        let name = rule.name;
        // Without a solver a few are left open.
        let open = tools.solvers.is_empty() && matches!(found, Verdict::Unknown(_));
        assert!(
            open || matches!(found, Verdict::Refuted(_)),
            "{file}: {name}: {found:?}"
        );
    }
    // Nor where no point shows it.
    tools.limits = Limits {
        points: 0,
        strong: solver::Work::NONE,
        ..Limits::default()
    };
    for (file, rule) in share::one(corpus("wrong"), 0, 3) {
        let found = verdict(&rule, &tools);
        let name = rule.name;
        assert!(
            !matches!(found, Verdict::Proved(_)),
            "{file}: {name}: {found:?}"
        );
    }
}

#[test]
fn right_rules_are_proved() {
    let solvers = solver::find();
    if solvers.is_empty() {
        lacking::not_tested(
            "proofs of rules over scalars: there is no solver (Debian: package `z3`)",
        );
        return;
    }
    let tools = Tools {
        solvers,
        ..Tools::default()
    };
    let all = corpus("right");
    let mut left = Vec::new();
    for (file, rule) in &all {
        match verdict(rule, &tools) {
            Verdict::Proved(p) => assert!(p.needs.is_empty(), "{file}: {}: {p:?}", rule.name),
            other => left.push(format!("{file}: {}: {other:?}", rule.name)),
        }
    }
    println!("{} right rules, {} not proved", all.len(), left.len());
    assert!(left.len() * 20 <= all.len(), "{left:#?}");
}
