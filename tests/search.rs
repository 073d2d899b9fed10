//! Guided search over the shipped goals: found, right, audited, deterministic,
//! and ended by limits with a diagnosis.

use crate::common;
use crate::common::audit::audit;
use crate::common::{chain, chain_text, mm, program_text, rules, GOALS};
use rise_opt::alloc;
use rise_opt::elab::Step;
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{compare, eval, eval_program, Sizes};
use rise_opt::search::progress::Phase;
use rise_opt::search::{optimize, saturate, unguided, Observer, Options, Outcome, Stop};
use rise_opt::term::Program;

fn steps(goal: &str, program: &Program, settings: &[(&str, i64)]) -> Vec<Step> {
    chain(&format!("sketches/mm/{goal}.sk"), program, settings)
}

fn sizes(m: i64, n: i64, k: i64) -> Sizes {
    [("m", m), ("n", n), ("k", k)]
        .map(|(s, v)| (s.into(), v))
        .into()
}

/// Every term that a search found means what the program means.
fn check(program: &Program, outcome: &Outcome, at: &Sizes, seed: u64) {
    let mut rng = Rng::new(seed);
    let args: Vec<_> = (program.params.iter())
        .map(|(_, ty)| value_of(&mut rng, *ty, at, Numbers::Whole).unwrap())
        .collect();
    let want = eval_program(program, at, &args).unwrap();
    for (term, step) in outcome.terms.iter().zip(&outcome.trace.steps) {
        let got = eval(term, at, &args).unwrap();
        assert!(compare::same(&want, &got), "{}: {term}", step.name);
    }
}

fn mm_of(element: &str) -> Program {
    let zero = if element.starts_with('f') {
        format!("0.0{element}")
    } else {
        format!("0{element}")
    };
    program_text(&format!(
        "def mm [m n k : nat] (a : m.k.{element}) (b : k.n.{element}) : m.n.{element} =\n  \
         a |> map (\\row -> transpose b |> map (\\col ->\n    \
         zip row col |> map (\\p -> fst p * snd p) |> reduce (+) {zero}))\n"
    ))
}

#[test]
fn the_seven_goals_are_reached_and_right() {
    let program = mm();
    for goal in GOALS {
        let steps = steps(goal, &program, &[]);
        assert!(
            steps.len() <= 4,
            "{goal}: at most three guides before the goal"
        );
        let outcome = optimize(&program, &steps, &Options::default());
        assert!(outcome.failure.is_none(), "{goal}: {:?}", outcome.failure);
        assert_eq!(outcome.terms.len(), steps.len());
        check(&program, &outcome, &sizes(64, 32, 8), 1);
    }
}

/// No size is refused: partial tiles are part of what is found.
#[test]
fn register_tiles_are_found_and_right_at_any_size() {
    for element in ["f32", "f64", "i32"] {
        let program = mm_of(element);
        for goal in ["micro", "micro-parallel"] {
            let small = [("mr", 2), ("nr", 4), ("lanes", 2), ("group", 3)];
            for settings in [&[][..], &small] {
                let steps = steps(goal, &program, settings);
                assert!(steps.len() <= 5, "{goal}: at most five guides");
                let outcome = optimize(&program, &steps, &Options::default());
                assert!(outcome.failure.is_none(), "{goal}: {:?}", outcome.failure);
                for (m, n, k) in [
                    (1, 1, 1),
                    (5, 9, 3),
                    (17, 40, 2),
                    (4, 0, 3),
                    (0, 3, 2),
                    (3, 4, 0),
                ] {
                    check(&program, &outcome, &sizes(m, n, k), 5);
                }
            }
        }
    }
}

#[test]
fn epilogues_are_fused_at_any_size() {
    for name in ["mm_bias_relu", "mm_row_max"] {
        epilogue_is_fused_at_any_size(name);
    }
}

fn epilogue_is_fused_at_any_size(name: &str) {
    let program = common::program(&format!("programs/{name}.rise"));
    let sketch = format!("sketches/{name}/fused-parallel.sk");
    let small = [("mr", 2), ("nr", 4), ("lanes", 2), ("group", 3)];
    for settings in [&[][..], &small] {
        let steps = chain(&sketch, &program, settings);
        let outcome = optimize(&program, &steps, &Options::default());
        assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
        for (m, n, k) in [(1, 1, 1), (5, 9, 3), (4, 0, 3), (3, 4, 0)] {
            check(&program, &outcome, &sizes(m, n, k), 5);
        }
    }
}

#[test]
fn other_tiles_and_elements_work_the_same_way() {
    for element in ["f32", "f64", "i32"] {
        let program = mm_of(element);
        for goal in GOALS {
            let settings = [("tile", 16), ("block", 8)];
            let settings = if goal == "baseline" {
                &[][..]
            } else {
                &settings
            };
            let outcome = optimize(
                &program,
                &steps(goal, &program, settings),
                &Options::default(),
            );
            assert!(
                outcome.failure.is_none(),
                "{goal} {element}: {:?}",
                outcome.failure
            );
            check(&program, &outcome, &sizes(16, 48, 24), 2);
        }
    }
}

#[test]
fn every_class_of_the_saturated_graphs_means_one_thing() {
    let program = mm();
    let settings = [("tile", 4), ("block", 2)];
    let mut nodes = 0;
    for goal in ["vectorization", "parallel"] {
        let mut term = program.term.clone();
        for step in steps(goal, &program, &settings) {
            let (_, result, graph, _) = saturate(&step, &term, &Options::default());
            let report = audit(&graph, &sizes(16, 32, 16), 3);
            assert!(
                report.mismatches.is_empty(),
                "{}: {:?}",
                step.name,
                report.mismatches[0]
            );
            assert!(
                report.skipped * 10 <= report.nodes,
                "{}: {report:?}",
                step.name
            );
            nodes += report.nodes;
            term = result.unwrap();
        }
    }
    assert!(nodes > 1000, "{nodes}");
}

#[test]
fn the_audit_sees_a_wrong_rule() {
    let program = mm();
    let mut step = steps("baseline", &program, &[]).remove(0);
    step.rules = common::rules(
        "rule wrong\n  reduceSeq op e xs => e\n\nrule sequential\n  reduce => reduceSeq\n",
    );
    let limit = Options {
        iterations: Some(3),
        ..Options::default()
    };
    let (_, _, graph, _) = saturate(&step, &program.term, &limit);
    assert!(!audit(&graph, &sizes(3, 4, 5), 0).mismatches.is_empty());
}

#[test]
fn the_same_search_gives_the_same_trace_and_terms() {
    let run = || {
        std::thread::spawn(|| {
            let program = mm();
            let mut outcome = optimize(
                &program,
                &steps("parallel", &program, &[]),
                &Options::default(),
            );
            for step in &mut outcome.trace.steps {
                (step.seconds, step.extract_seconds, step.bytes) = (0.0, 0.0, 0);
                for i in &mut step.iterations {
                    (i.search_seconds, i.apply_seconds, i.bytes) = (0.0, 0.0, 0);
                    (i.rebuild_seconds, i.goal_seconds) = (0.0, 0.0);
                    i.rules.iter_mut().for_each(|r| r.seconds = 0.0);
                }
            }
            let terms: Vec<_> = outcome.terms.iter().map(|t| t.to_string()).collect();
            (serde_json::to_string(&outcome.trace).unwrap(), terms)
        })
    };
    let (a, b) = (run(), run());
    assert_eq!(a.join().unwrap(), b.join().unwrap());
}

#[test]
fn unguided_search_reaches_blocking() {
    let program = mm();
    let step = unguided(&steps("blocking", &program, &[])).unwrap();
    let outcome = optimize(&program, &[step], &Options::default());
    assert!(outcome.failure.is_none());
    check(&program, &outcome, &sizes(32, 64, 8), 4);
}

#[test]
fn limits_end_a_search_with_a_diagnosis() {
    let program = mm();
    let all = steps("parallel", &program, &[]);
    let step = unguided(&all).unwrap();
    let with = |o: Options| {
        let o = Options { parts: true, ..o };
        let outcome = optimize(&program, std::slice::from_ref(&step), &o);
        let d = outcome.failure.expect("the limit is too low for the goal");
        assert!(outcome.terms.is_empty());
        assert!(d.parts.iter().any(|p| p.classes == 0), "{d:?}");
        assert!(d.growth.iter().any(|g| g.1 > 0), "{d:?}");
        d
    };
    let d = with(Options {
        iterations: Some(2),
        ..Options::default()
    });
    assert_eq!((d.stop, d.iterations), (Stop::Iterations(2), 2));
    let d = with(Options {
        nodes: Some(5000),
        ..Options::default()
    });
    // Inside of an iteration, not only after it.
    assert_eq!(d.stop, Stop::Nodes(5000));
    assert!(d.size.nodes < 25_000, "{:?}", d.size);
    // What rules look at and build counts, also where it is known already; who limits e-nodes limits that.
    let d = with(Options {
        work: Some(3000),
        ..Options::default()
    });
    assert_eq!(d.stop, Stop::Work(3000));
    assert!(!d.stop.is_measured() && d.iterations <= 3, "{d:?}");
    let limit = alloc::allocated() + 20_000_000;
    let d = with(Options {
        bytes: Some(limit),
        ..Options::default()
    });
    assert_eq!(d.stop, Stop::Bytes(limit));
    let d = with(Options {
        seconds: Some(0),
        ..Options::default()
    });
    assert_eq!(d.stop, Stop::Seconds(0));
}

#[test]
fn a_space_without_the_goal_is_saturated() {
    let program = mm();
    let mut step = steps("baseline", &program, &[]).remove(0);
    step.rules.clear();
    let outcome = optimize(&program, &[step], &Options::default());
    assert_eq!(outcome.failure.unwrap().stop, Stop::Saturated);
}

/// Limits on terms grow with the program unless they are set.
#[test]
fn large_programs_are_not_shut_out() {
    let sum = vec!["x * 2.0"; 150].join(" + ");
    let program = program_text(&format!(
        "def f [m n k : nat] (a : m.n.k.4.4.4.f32) : m.n.k.4.4.4.f32 =\n  \
         map (map (map (map (map (map (\\x -> {sum})))))) a\n"
    ));
    let mut step = steps("baseline", &mm(), &[]).remove(0);
    step.sketch = chain_text("sketch contains (app mapPar ?)", &program)
        .remove(0)
        .sketch;
    step.rules = common::rules("rule parallel\n  map => mapPar\n");
    let outcome = optimize(&program, std::slice::from_ref(&step), &Options::default());
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    step.limits.size = Some(300);
    let outcome = optimize(&program, &[step], &Options::default());
    assert_eq!(outcome.failure.unwrap().stop, Stop::Size(300));
}

/// A rule of any length is matched.
#[test]
fn long_rules_fire() {
    let sum = vec!["x"; 60].join(" + ");
    let left = sum.replacen('x', "(x : f32)", 1);
    let program = program_text(&format!("def f [m n k : nat] (x : f32) : f32 = {sum}"));
    let mut step = steps("baseline", &mm(), &[]).remove(0);
    step.sketch = chain_text("sketch contains (*)", &program).remove(0).sketch;
    step.rules = common::rules(&format!("rule long\n  {left} => x * 60.0\n"));
    let outcome = optimize(&program, &[step], &Options::default());
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
}

/// A rule is known by its declaration, not by its name: of two files that use
/// one name for different rules, both take part.
#[test]
fn rules_of_one_name_do_not_hide_each_other() {
    let twice = "rule r\n  reduce => reduceSeq\n";
    let other = "-- another file\nrule r\n  map => mapPar\n";
    let program = mm();
    let mut step = steps("baseline", &program, &[]).remove(0);
    step.sketch = chain_text(
        "sketch contains (app mapPar (contains reduceSeq))",
        &program,
    )
    .remove(0)
    .sketch;
    step.rules = [twice, other, twice].map(common::rules).concat();
    assert_eq!(rise_opt::rule::distinct(&step.rules).len(), 2);
    let outcome = optimize(&program, &[step], &Options::default());
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
}

/// A sum of many different numbers, each sum in brackets of its own.
fn many_sums(from: i64, to: i64) -> String {
    match to - from {
        1 => format!("{from}"),
        n => format!(
            "({} + {})",
            many_sums(from, from + n / 2),
            many_sums(from + n / 2, to)
        ),
    }
}

/// A limit in seconds may cut an iteration short that satisfies the sketch all the same: what is found then
/// is found, but its counts are not those of another run.
#[test]
fn what_a_limit_in_seconds_cut_short_is_not_reproducible() {
    let program = program_text(&format!(
        "def f (x : i32) : i32 = neg (x * {})",
        many_sums(0, 2048)
    ));
    let mut step = chain_text("sketch contains sub", &program).remove(0);
    // The first rule reaches the goal; the second has enough to do for limits to be looked at.
    step.rules = rules("rule from-zero neg (x : i32) => 0 - x\nrule swap x + y => y + x\n");
    let run = |options: &Options| {
        let outcome = optimize(&program, std::slice::from_ref(&step), options);
        assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
        outcome.trace.steps[0].clone()
    };
    let free = run(&Options::default());
    assert!(free.reproducible);
    // Whoever looks on holds it up when it begins to apply rules.
    let cut = run(&Options {
        seconds: Some(1),
        observer: Observer::new(|e| {
            if e.phase == Phase::Apply && e.added == 0 {
                std::thread::sleep(std::time::Duration::from_millis(1100));
            }
        }),
        ..Options::default()
    });
    assert_eq!((free.stop, cut.stop), (Stop::Found, Stop::Found));
    assert!(cut.applied() < free.applied(), "{}", cut.applied());
    assert!(!cut.reproducible);
}

/// A class may hold a term that mentions a variable of another binder, of another type: it is put nowhere, and no
/// redex is made of it.
#[test]
fn variables_of_other_binders_make_no_redexes() {
    let program = program_text(
        "def f [n : nat] (c : f32) (xs : n.f32) : n.f32 = xs |> map (\\x -> x * 2.0 + c)\n",
    );
    let sketch = "use rules/algorithmic.rules (split-join[2], map-binary-fission)\n\
                  limits iterations 6, nodes 200_000\nsketch contains (app iterate ?)";
    let mut step = chain_text(sketch, &program).remove(0);
    step.rules.extend(common::rules(
        "rule map-as-generate\n  map f xs => generate (\\i -> f (idx i xs))\n",
    ));
    let outcome = optimize(&program, &[step], &Options::default());
    assert_eq!(outcome.trace.steps[0].stop, Stop::Iterations(6));
}

/// What equals something that does not depend on it may mention a variable of any binder, of any type. Where other binders
/// stand it is no term: it is not extracted, and the search goes on as if the sketch were not satisfied.
#[test]
fn variables_of_other_binders_are_not_extracted() {
    let program = program_text(
        "def f [n m : nat] (c : f32) (xs : n.i32) (ys : m.f32) : (n.f32, m.f32) =\n  \
         pair (xs |> map (\\x -> let (x + 1) (\\t -> c * 2.0))) (ys |> map (\\y -> y + c * 2.0))\n",
    );
    let dead = "rule dead-let\n  let v (\\x -> e)  =>  e\n  where x not in e\n";
    let named = "rule named\n  y + z  =>  let y (\\t -> t + z)\n";
    let at: Sizes = [("n", 2), ("m", 3)].map(|(s, v)| (s.into(), v)).into();
    let found = |sketch: &str, texts: &[&str]| {
        let mut step = chain_text(sketch, &program).remove(0);
        step.rules = texts.iter().flat_map(|t| rules(t)).collect();
        let options = Options {
            prove: true,
            ..Options::default()
        };
        let outcome = optimize(&program, &[step], &options);
        for term in &outcome.terms {
            assert!(term.is_well_scoped(&mut |_, _| false), "{term}");
        }
        check(&program, &outcome, &at, 3);
        (outcome.trace.steps[0].stop, outcome)
    };
    // The class of `c * 2.0` holds what names `x + 1`, and no name for `ys`.
    let second = "sketch app (app pair ?) (contains let)\n";
    assert_eq!(found(second, &[dead]).0, Stop::Saturated);
    // One that does.
    let (stop, outcome) = found(second, &[dead, named]);
    assert_eq!(stop, Stop::Found);
    assert!(outcome.proof.is_some_and(|p| p.is_ok()));
    // Where `x` stands it may be named; and the name may go.
    for first in ["(contains let)", "(none let)"] {
        let (stop, outcome) = found(&format!("sketch app (app pair {first}) ?\n"), &[dead]);
        assert_eq!(stop, Stop::Found, "{first}");
        assert!(outcome.proof.is_some_and(|p| p.is_ok()), "{first}");
    }
}

/// A function that is applied to its argument alone is that function: a sketch that writes the one out holds for the other. What it asks
/// of the argument, or of any other part, still counts.
#[test]
fn functions_that_are_not_written_out_satisfy_sketches_that_write_them_out() {
    let program =
        program_text("def f [m n : nat] (x : m.n.f32) : m.n.f32 = x |> map (map (\\v -> sqrt v))");
    let rules = "use rules/algorithmic.rules (split-join[32])\n";
    let found = |sketch: &str| {
        let steps = chain_text(&format!("{rules}{sketch}\n"), &program);
        optimize(&program, &steps, &Options::default())
            .failure
            .is_none()
    };
    for (sketch, holds) in [
        ("sketch app map (\\ app map sqrt ?) ?", true),
        ("sketch app map (\\ app map (\\ app sqrt ?) ?) ?", true),
        ("sketch app map (app map (\\ app sqrt ?)) ?", true),
        (
            "sketch app map (\\ app join (app map (\\ app map sqrt ?) ?)) ?",
            true,
        ),
        ("sketch app map (\\ app map (\\ app exp ?) ?) ?", false),
        ("sketch app map (\\ app map (\\ \\ app sqrt ?) ?) ?", false),
        (
            "sketch app map (\\ app map (\\ app sqrt (app fst ?)) ?) ?",
            false,
        ),
        ("sketch none (app map (\\ app sqrt ?))", false),
    ] {
        assert_eq!(found(sketch), holds, "{sketch}");
    }
}
