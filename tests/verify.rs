//! Rules over scalars are proved or refuted.

use rise_opt::exec::solver::{self, Answer, Solver};
use rise_opt::scalar::{load_rules, Rule};
use rise_opt::source::SourceMap;
use rise_opt::verify::{differs_at, queries, verify, Encoding, Limits, Verdict};
use std::process::Command;
use std::time::Duration;

/// The solvers; none where there are none, which is an error where tests have to run.
fn solvers() -> Vec<Solver> {
    let found = solver::find();
    if found.is_empty() {
        assert!(std::env::var_os("CI").is_none(), "z3 is missing");
        eprintln!("skipped: there is no solver; install the package `z3`");
    }
    found
}

fn rules(text: &str) -> Vec<Rule> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("t.rules", &format!("domain scalar\n{text}"));
    load_rules(&sources, file).unwrap_or_else(|d| panic!("{d:?}"))
}

fn verdicts(rules: &[Rule], solvers: &[Solver]) -> Vec<Verdict> {
    verify(rules, solvers, &Limits::default(), &mut |_, _| {})
}

/// By the direct encoding alone, which takes seconds; what is left takes minutes.
#[test]
fn no_shipped_rule_is_refuted_and_most_are_proved_at_once() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let mut sources = SourceMap::new();
    let file = sources.load_shipped("rules/index.rules").unwrap();
    let rules = load_rules(&sources, file).unwrap_or_else(|d| panic!("{d:?}"));
    let limits = Limits {
        strong: Duration::ZERO,
        ..Limits::default()
    };
    let all = verify(&rules, &solvers[..1], &limits, &mut |_, _| {});
    let of = |what: fn(&Verdict) -> bool| all.iter().filter(|v| what(v)).count();
    assert_eq!(of(|v| matches!(v, Verdict::Refuted(_))), 0);
    let proved = of(|v| matches!(v, Verdict::Proved(_)));
    assert!(
        10 * proved >= 9 * rules.len(),
        "{proved} of {}",
        rules.len()
    );
}

const RIGHT: &str = "\
rule a  x*c0/c1 => x/(c1/c0)  where c1%c0 == 0 && c0 > 0 && c1/c0 != 0
rule b  ((x+c0)/c1)*c1 - x => -x % c1  where c1 > 0 && c0+1 == c1
rule c  x - ((x+c0)/c1)*c1 => ((x+c0)%c1) + -c0  where c1 > 0 && c0+1 == c1
rule d  (x/c0)*c0 + x%c0 => x  where c0 != 0
rule e  min(x,c0) < min(x,c1)+c2 => false  where c0 >= c1+c2 && c2 <= 0
rule f  min(x-y, x-z) => x - max(y,z)
rule g  x < select(b,c0,c1)+x => !b  where 0 < c1 && c0 <= 0
rule h  ramp(x, y, l) - broadcast(z, l) => ramp(x - z, y, l)
rule i  x + ramp(y, z, l) - x => ramp(y, z, l)
";

const WRONG: &str = "\
rule a  x*c0/c1 => x/(c1/c0)  where c1%c0 == 0 && c1 > 0
rule b  ((x+c0)/c1)*c1 - x => x%c1  where c1 > 0 && c0+1 == c1
rule c  x - ((x+c0)/c1)*c1 => -(x%c1)  where c1 > 0 && c0+1 == c1
rule d  (x/y)*y + x%y => x
rule e  -1/x => select(x<0, 1, -1)
rule f  (x+y)/x => y/x + 1
rule g  min(x,c0) < min(x,c1)+c2 => false  where c0 >= c1+c2
rule h  min(x-y, x-z) => x - min(y,z)
rule i  min((x + ((y-x)/c0)*c0) + c1, y) => y  where 1 <= c1 && -1 <= (-1/c0)*c0 + c1
rule j  ramp(x, y, l) - broadcast(z, l) => ramp(x - z, 0 - y, l)
";

#[test]
fn right_rules_are_proved() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let rules = rules(RIGHT);
    for (rule, verdict) in rules.iter().zip(verdicts(&rules, &solvers)) {
        let name = rule.name;
        assert!(matches!(verdict, Verdict::Proved(_)), "{name}: {verdict:?}");
    }
}

/// By points, before any solver is asked; and by solvers alone.
#[test]
fn wrong_rules_are_refuted() {
    let rules = rules(WRONG);
    let check = |all: Vec<Verdict>| {
        for (rule, verdict) in rules.iter().zip(all) {
            match verdict {
                Verdict::Refuted(point) => assert_eq!(differs_at(rule, &point), Some(true)),
                other => panic!("{}: {other:?}", rule.name),
            }
        }
    };
    check(verdicts(&rules, &[]));
    let solvers = solvers();
    if !solvers.is_empty() {
        let limits = Limits {
            points: 0,
            ..Limits::default()
        };
        check(verify(&rules, &solvers, &limits, &mut |_, _| {}));
    }
}

/// What random points do not find: a rule that is wrong in one far corner.
#[test]
fn a_corner_is_found_by_a_solver() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let rules = rules("rule a  select(x == 123456, 0, x) => x\n");
    let all = verify(&rules, &[], &Limits::default(), &mut |_, _| {});
    assert!(matches!(all[0], Verdict::Unknown(_)), "{all:?}");
    let all = verdicts(&rules, &solvers);
    assert!(matches!(all[0], Verdict::Refuted(_)), "{all:?}");
}

/// The relations between quotients that the strong encoding adds hold of numbers.
#[test]
fn the_strong_encoding_has_models() {
    let solvers = solvers();
    let Some(z3) = solvers.iter().find(|s| s.name == "z3") else {
        return;
    };
    // Sides that always differ: each case must have a model, or something false was assumed.
    let rules = rules("rule a  (x/y) + (z/y) + (x%y) => (x/y) + (z/y) + (x%y) + 1\n");
    let cases = queries(&rules[0], Encoding::Strong);
    assert_eq!(cases.len(), 3);
    for case in cases {
        for (x, y, z) in [(7, 3, 8), (-7, -3, 8), (5, 0, 5), (-9, 4, 7), (100, -7, 93)] {
            let number = |n: i32| match n {
                0.. => n.to_string(),
                _ => format!("(- {})", -n),
            };
            let at: String = [("x", x), ("y", y), ("z", z)]
                .map(|(v, n)| format!("(assert (= |v_{v}| {}))\n", number(n)))
                .concat();
            let at = format!("{at}(check-sat)");
            let query = case.replacen("(check-sat)", &at, 1);
            let sign = if case.contains("(assert (= |v_y| 0))") {
                0
            } else if case.contains("(assert (> |v_y| 0))") {
                1
            } else {
                -1
            };
            let answer = z3.ask(&query, Duration::from_secs(10));
            let fits = i32::signum(y) == sign;
            assert_eq!(
                matches!(answer, Answer::Satisfiable(_)),
                fits,
                "{x} {y} {z}: {answer:?}\n{query}"
            );
        }
    }
}

#[test]
fn the_command_goes_on_after_a_bad_rule() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("own.rules");
    let text = "domain scalar\nrule a  x + 0 => x\nrule b  x - => x\nrule c  (x+y)/x => y/x + 1\n";
    std::fs::write(&path, text).unwrap();
    let run = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_rise-opt"))
            .arg("verify")
            .arg(&path)
            .args(args)
            .output()
            .unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        (
            out.status.code(),
            text,
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    let (code, out, _) = run(&["--queries", "--rule", "a"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("(check-sat)"), "{out}");
    let (code, _, err) = run(&["--rule", "d"]);
    assert!(code == Some(1) || code == Some(2), "{err}");
    assert!(err.contains("E0674"), "{err}");
    if solvers().is_empty() {
        return;
    }
    let (code, out, err) = run(&[]);
    // That a check failed counts for more than a rule that cannot be read.
    assert_eq!(code, Some(4), "{err}");
    assert!(
        err.contains("E0671") && err.contains("the left side is"),
        "{err}"
    );
    assert!(
        out.starts_with("2 rules: 1 proved, 1 refuted, 0 unknown"),
        "{out}"
    );
}
