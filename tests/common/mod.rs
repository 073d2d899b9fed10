//! What the harnesses share: loading programs and chains of sketches.
#![allow(dead_code)]

pub mod audit;
pub mod cases;
pub mod flow;
pub mod goals;
pub mod lacking;
#[cfg(unix)]
pub mod pty;
pub mod reference;
pub mod schema;
pub mod share;
pub mod solve_contracts;
pub mod wide;

use rise_opt::arith::Nat;
use rise_opt::cost::Cost;
use rise_opt::elab::{self, Limits, RuleUse, Scheduler, Sketch, SketchKind, Step, Surroundings};
use rise_opt::hash::fnv128;
use rise_opt::search::{optimize, Options};
use rise_opt::source::{FileId, SourceMap, Span};
use rise_opt::target::Target;
use rise_opt::term::{normalize, Op, Program};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// The goals for matrix multiplication, in the order in which they build on each other.
pub const GOALS: [&str; 7] = [
    "baseline",
    "blocking",
    "vectorization",
    "loop-perm",
    "array-packing",
    "cache-blocks",
    "parallel",
];

/// A shipped file's program.
pub fn program(path: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources
        .load(path)
        .unwrap_or_else(|_| panic!("{path} is missing"));
    elab::program(&mut sources, file, None).unwrap_or_else(|e| panic!("{path}: {e:?}"))
}

/// Matrix multiplication as shipped.
pub fn mm() -> Program {
    program("programs/mm.rise")
}

/// The steps of a shipped sketch file for a program.
pub fn chain(path: &str, program: &Program, settings: &[(&str, i64)]) -> Vec<Step> {
    chain_for(Target::default(), path, program, settings)
}

/// The same for a machine of a target.
pub fn chain_for(
    target: Target,
    path: &str,
    program: &Program,
    settings: &[(&str, i64)],
) -> Vec<Step> {
    let mut sources = SourceMap::new();
    let file = sources
        .load(path)
        .unwrap_or_else(|_| panic!("{path} is missing"));
    steps_of(target, &mut sources, file, program, settings)
}

/// The steps of a text for a program.
pub fn chain_text(text: &str, program: &Program) -> Vec<Step> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.sk", text);
    steps_of(Target::default(), &mut sources, file, program, &[])
}

fn steps_of(
    target: Target,
    sources: &mut SourceMap,
    file: FileId,
    program: &Program,
    settings: &[(&str, i64)],
) -> Vec<Step> {
    let costs: Vec<&str> = Cost::ALL.iter().map(|c| c.0).collect();
    let around = Surroundings {
        sizes: Some(&program.sizes),
        settings: settings.iter().map(|(n, v)| (n.to_string(), *v)).collect(),
        costs: &costs,
        target,
    };
    elab::steps(sources, file, &around)
        .unwrap_or_else(|e| panic!("{e:?}"))
        .steps
}

/// What steps lead to. Tests that ask for the same share one search: terms belong to their thread, so its text is kept.
pub fn reached(program: &Program, steps: &[Step]) -> Program {
    static FOUND: Mutex<BTreeMap<u128, Arc<OnceLock<String>>>> = Mutex::new(BTreeMap::new());
    let asked = fnv128(format!("{program}{steps:?}").as_bytes());
    let text = FOUND
        .lock()
        .expect("a table")
        .entry(asked)
        .or_default()
        .clone();
    let text = text.get_or_init(|| {
        let outcome = optimize(program, steps, &Options::default());
        let step = steps.last().map_or("no step", |s| &s.name);
        assert!(outcome.failure.is_none(), "{step}: {:?}", outcome.failure);
        elab::program_text(&Program {
            term: normalize(outcome.terms.last().unwrap_or(&program.term)),
            ..program.clone()
        })
    });
    let mut sources = SourceMap::new();
    let file = sources.add_text("reached.rise", text);
    let found = elab::saved_program(&mut sources, file, None);
    found.unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The program of a text.
pub fn program_text(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.rise", text);
    elab::program(&mut sources, file, None).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The definition of a text, whose parameters may be functions.
pub fn definition_text(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.rise", text);
    elab::definition(&mut sources, file, None).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The rules of a text, without explicit sizes.
pub fn rules(text: &str) -> Vec<RuleUse> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.rules", text);
    let rules = elab::rule_decls(&mut sources, file).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    (rules.into_iter())
        .map(|rule| RuleUse {
            span: rule.span,
            rule,
            args: Vec::new(),
        })
        .collect()
}

/// The rules of the general book, with 2 for every explicit size.
pub fn general_book() -> Vec<RuleUse> {
    let files = [
        "algorithmic",
        "layout",
        "vector",
        "lowering",
        "variants",
        "parallel",
    ];
    let of = |f| shipped_rules(&format!("rules/{f}.rules"));
    files.into_iter().flat_map(of).collect()
}

/// All rules of a shipped file, with 2 for every explicit size.
pub fn shipped_rules(name: &str) -> Vec<RuleUse> {
    let mut sources = SourceMap::new();
    let file = sources.load_shipped(name).expect("shipped");
    let decls = elab::rule_decls(&mut sources, file).unwrap_or_else(|e| panic!("{e:#?}"));
    decls
        .into_iter()
        .map(|rule| RuleUse {
            args: vec![Nat::int(2); rule.size_params.len()],
            span: rule.span,
            rule,
        })
        .collect()
}

/// A step whose goal, a `tanh`, is in no program of the tests that apply all rules: it ends by its limits.
pub fn aimless_step(rules: Vec<RuleUse>, limits: Limits, reassociate: bool) -> Step {
    let part = |kind| Sketch {
        words: Default::default(),
        kind,
        span: Span::default(),
        label: String::new(),
    };
    let tanh = part(SketchKind::Prim(Op::Tanh, None));
    Step {
        name: "everything".into(),
        span: Span::default(),
        rules,
        cost: "size".into(),
        limits,
        normalize: true,
        scheduler: Scheduler::None,
        focus: Default::default(),
        reassociate,
        approximate: false,
        sketch: part(SketchKind::Contains(Box::new(tanh))),
    }
}
