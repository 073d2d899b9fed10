//! All rules at once on random programs, and every class of every graph audited.
//!
//! The shipped sketches lead a search along few paths; random programs bring the
//! rules, β, η and the substitution of the e-graph together in ways that nobody
//! thought of. Whatever was made equal has to mean the same.

use crate::common::audit::audit;
use crate::common::flow::Programs;
use crate::common::share;
use crate::common::{aimless_step, general_book, shipped_rules};
use rise_opt::elab::{self, Limits, RuleUse};
use rise_opt::interp::generate::{Generator, Options as Kinds};
use rise_opt::interp::random::{self, Numbers, Rng};
use rise_opt::interp::{compare, eval, eval_program, Shape, Value};
use rise_opt::search::{saturate, Options};
use rise_opt::source::SourceMap;
use rise_opt::term::{self, call, Kind, Op, Term};
use rise_opt::ty::{Scalar, Ty};

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
    sound(&general_book(), 0..share::half(200), false);
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

#[test]
fn random_programs_have_values() {
    let mut used = std::collections::BTreeMap::new();
    let mut elements = 0;
    for seed in 0..1000 {
        let mut rng = Rng::new(seed);
        let mut g = Generator::new(&mut rng, Kinds::default());
        let p = g.program();
        let sizes = g.sizes.clone();
        assert_eq!(p.term.open(), 0);
        assert_eq!(
            p.term.ty(),
            Ty::funs(p.params.iter().map(|p| p.1), p.result)
        );
        let args: Vec<Value> = p
            .params
            .iter()
            .map(|(_, t)| random::value_of(&mut rng, *t, &sizes, Numbers::Whole).unwrap())
            .collect();
        let v = eval_program(&p, &sizes, &args).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{p}"));
        assert!(v.fits(&Shape::of(p.result, &sizes).unwrap()), "seed {seed}");
        v.each_num(&mut |_| elements += 1);
        p.term.visit(&mut |t, _| {
            if let term::Kind::Prim(p) = t.kind() {
                *used.entry(p.op()).or_insert(0) += 1;
            }
        });
    }
    let missing: Vec<_> = Op::ALL
        .iter()
        .filter(|o| !used.contains_key(o) && !Kinds::default().exclude.contains(o))
        .collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
    assert!(elements > 1000);
}

#[test]
fn normal_forms_mean_the_same() {
    let mut changed = 0;
    for seed in 0..300 {
        let mut rng = Rng::new(0x0f0f ^ seed);
        let mut g = Generator::new(&mut rng, Kinds::default());
        let p = g.program();
        let sizes = g.sizes.clone();
        // `let` becomes a redex, and so does every second function of a map.
        let redexes = map_apps(&p.term, &mut |t| {
            let (f, args) = t.as_prim_app()?;
            match (f.op(), &args[..]) {
                (Op::Let, [x, f]) => Some(Term::app((*f).clone(), (*x).clone())),
                (Op::Map, [f, xs]) => {
                    let (arg, _) = f.ty().as_fun()?;
                    let again = Term::app(f.shift(1), Term::var(0, arg));
                    call(Op::Map, [], [Term::lam(None, arg, again), (*xs).clone()])
                }
                _ => None,
            }
        });
        let normal = term::normalize(&redexes);
        changed += u32::from(normal != p.term);
        let args: Vec<Value> = p
            .params
            .iter()
            .map(|(_, t)| random::value_of(&mut rng, *t, &sizes, Numbers::Whole).unwrap())
            .collect();
        let value = |t: &Term| eval(t, &sizes, &args).unwrap_or_else(|e| panic!("{seed}: {e}"));
        let (a, b, c) = (value(&p.term), value(&redexes), value(&normal));
        assert!(
            compare::same(&a, &b) && compare::same(&a, &c),
            "{seed}: {redexes}\n{normal}"
        );
    }
    assert!(changed > 50, "{changed}");
}

/// Rebuilds applications from the leaves up where `f` answers.
fn map_apps(t: &Term, f: &mut impl FnMut(&Term) -> Option<Term>) -> Term {
    let t = match t.kind() {
        Kind::Lam(hint, body) => {
            let (arg, _) = t.ty().as_fun().expect("a lambda is a function");
            Term::lam(*hint, arg, map_apps(body, f))
        }
        Kind::App(g, x) => Term::app(map_apps(g, f), map_apps(x, f)),
        _ => t.clone(),
    };
    f(&t).unwrap_or(t)
}
