//! Rules over scalars are proved or refuted.

mod synthesis;

use crate::common::lacking;
use rise_opt::exec::solver::{self, Answer, Solver, Work};
use rise_opt::report::CertificateFile;
use rise_opt::scalar::{load_rules, Lanes, Rule};
use rise_opt::source::SourceMap;
use rise_opt::verify::{
    differs_at, key, queries, verify, weaker, Certificates, Encoding, Limits, Tools, Verdict,
};
use std::process::Command;
use std::time::Duration;

/// The solvers; none where there are none, which is an error where tests have to run.
fn solvers() -> Vec<Solver> {
    let found = solver::find();
    if found.is_empty() {
        lacking::not_tested(
            "proofs of rules over scalars: there is no solver (Debian: package `z3`)",
        );
    }
    found
}

fn rules(text: &str) -> Vec<Rule> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("t.rules", &format!("domain scalar\n{text}"));
    load_rules(&sources, file).unwrap_or_else(|d| panic!("{d:?}"))
}

fn verify_with(rules: &[Rule], solvers: &[Solver], limits: Limits) -> Vec<Verdict> {
    let tools = Tools {
        solvers: solvers.to_vec(),
        limits,
        ..Tools::default()
    };
    let asked: Vec<usize> = (0..rules.len()).collect();
    verify(rules, &asked, &tools, &mut |_, _| {}).verdicts
}

fn verdicts(rules: &[Rule], solvers: &[Solver]) -> Vec<Verdict> {
    verify_with(rules, solvers, Limits::default())
}

fn shipped() -> Vec<Rule> {
    let mut sources = SourceMap::new();
    let file = sources.load_shipped("rules/index.rules").unwrap();
    load_rules(&sources, file).unwrap_or_else(|d| panic!("{d:?}"))
}

/// Needs no solver: what a changed rule lacks is a certificate, which
/// `rise-opt verify rules/index.rules --write-certificates` makes.
#[test]
fn every_shipped_rule_has_a_certificate_and_no_certificate_is_of_another() {
    let mut sources = SourceMap::new();
    let certificates = CertificateFile::beside("rules/index.certificates", &mut sources).unwrap();
    let rules = shipped();
    let tools = Tools {
        certificates: certificates.clone(),
        limits: Limits {
            points: 10,
            ..Limits::default()
        },
        ..Tools::default()
    };
    let asked: Vec<usize> = (0..rules.len()).collect();
    let found = verify(&rules, &asked, &tools, &mut |_, _| {});
    let certified =
        |v: &Verdict| matches!(v, Verdict::Proved(p) if p.certified || p.by == "polynomials");
    let missing: Vec<_> = (rules.iter().zip(&found.verdicts))
        .filter(|(_, v)| !certified(v))
        .map(|(r, _)| r.name.as_str())
        .collect();
    assert!(missing.is_empty(), "no certificates: {missing:?}");
    assert_eq!(
        found.certificates, certificates,
        "old certificates are left"
    );
}

/// More than half without a solver, in a second.
#[test]
fn polynomials_alone_prove_most_shipped_rules() {
    let rules = shipped();
    let all = verdicts(&rules, &[]);
    let proved = |v: &&Verdict| matches!(v, Verdict::Proved(p) if p.by == "polynomials");
    let proved = all.iter().filter(proved).count();
    assert!(2 * proved > rules.len(), "{proved} of {}", rules.len());
    assert!(!all.iter().any(|v| matches!(v, Verdict::Refuted(_))));
}

/// Nearly all that are over single values, without a solver: of every sixth.
#[test]
fn inequalities_prove_nearly_all_shipped_rules() {
    let rules: Vec<Rule> = shipped().into_iter().step_by(6).collect();
    let all = verdicts(&rules, &[]);
    let by = |v: &Verdict| match v {
        Verdict::Proved(p) => p.by.clone(),
        _ => String::new(),
    };
    let count = |name: &str| all.iter().filter(|v| by(v) == name).count();
    assert!(count("inequalities") * 4 > rules.len());
    let open: Vec<&str> = (rules.iter().zip(&all))
        .filter(|(r, v)| by(v).is_empty() && r.lhs.sort().lanes == Lanes::One)
        .map(|(r, _)| r.name.as_str())
        .collect();
    assert!(open.len() * 20 <= rules.len(), "{open:?}");
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
        check(verify_with(&rules, &solvers, limits));
    }
}

/// What random points do not find: a rule that is wrong in one far corner.
#[test]
fn a_corner_is_found_by_a_solver() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let rules = rules("rule a  select(x - 60000 == 63456, 0, x) => x\n");
    let all = verdicts(&rules, &[]);
    assert!(matches!(all[0], Verdict::Unknown(_)), "{all:?}");
    let all = verdicts(&rules, &solvers);
    assert!(matches!(all[0], Verdict::Refuted(_)), "{all:?}");
}

/// What is assumed in the cases of a rule is true of numbers in one of them.
#[test]
fn the_cases_have_models() {
    let solvers = solvers();
    let Some(z3) = solvers.iter().find(|s| s.name == "z3") else {
        return;
    };
    // Sides that always differ: each case must have a model, or something false was assumed.
    let rules = rules("rule a  (x/y) + (z/y) + (x%y) => (x/y) + (z/y) + (x%y) + 1\n");
    for encoding in [Encoding::Linear, Encoding::Strong] {
        let cases = queries(&rules[0], encoding).unwrap();
        assert_eq!(cases.len(), 3);
        for (x, y, z) in [(7, 3, 8), (-7, -3, 8), (5, 0, 5), (-9, 4, 7), (100, -7, 93)] {
            let number = |n: i32| match n {
                0.. => n.to_string(),
                _ => format!("(- {})", -n),
            };
            let at: String = [("x", x), ("y", y), ("z", z)]
                .map(|(v, n)| format!("(assert (= |v_{v}| {}))\n", number(n)))
                .concat();
            let at = format!("{at}(check-sat)");
            let fits = cases.iter().filter(|case| {
                let query = case.replacen("(check-sat)", &at, 1);
                let answer = z3.ask(&query, Work(10), Work(10).patience());
                matches!(answer, Answer::Satisfiable(_))
            });
            assert_eq!(fits.count(), 1, "{x} {y} {z}, {encoding:?}");
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

/// What follows from what folding and the rules before leave; the same without them, or with them behind, is wrong.
const BEFORE: &str = "\
rule mul-zero  x * 0 => 0
rule div-zero  x / 0 => 0
";
const AFTER: &str = "\
rule common  x * c0 / c0 => x
rule back  x / c0 * c0 + x % c0 => x
rule self  c0 / c0 + x => x + 1
";

#[test]
fn rules_hold_under_the_normal_form_where_what_they_need_stands_before() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let needs = |text: &str| -> Vec<Option<Vec<String>>> {
        let rules = rules(text);
        let all = verdicts(&rules, &solvers);
        let needs = |v| match v {
            Verdict::Proved(p) => Some(p.needs),
            _ => None,
        };
        all.into_iter().map(needs).collect()
    };
    let some = |name: &str| Some(vec![name.to_string()]);
    let both = [BEFORE, AFTER].concat();
    let found = needs(&both);
    assert_eq!(found[..2], [Some(vec![]), Some(vec![])]);
    assert_eq!(
        found[2..],
        [some("mul-zero"), some("div-zero"), some("folding")]
    );
    // Those that need a rule which is not there, or not yet, are wrong.
    assert_eq!(needs(AFTER), [None, None, some("folding")]);
    let behind = [AFTER, BEFORE].concat();
    assert_eq!(needs(&behind)[..3], [None, None, some("folding")]);
    // A condition that may fail is none that sees to it.
    let maybe = "rule a  x * c0 => 0 where prove(x == 0)\nrule b  x * c0 / c0 => x\n";
    assert_eq!(needs(maybe), [Some(vec![]), None]);
}

/// Everything is known again from the certificates, without a solver; one is of no use for a changed rule.
#[test]
fn certificates_are_of_one_statement() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let text = [BEFORE, AFTER, RIGHT].concat();
    let rules = rules(&text);
    let asked: Vec<usize> = (0..rules.len()).collect();
    let mut tools = Tools {
        solvers,
        ..Tools::default()
    };
    let first = verify(&rules, &asked, &tools, &mut |_, _| {});
    tools.solvers.clear();
    tools.certificates = first.certificates.clone();
    let again = verify(&rules, &asked, &tools, &mut |_, _| {});
    assert_eq!(again.certificates, first.certificates);
    for ((rule, a), b) in rules.iter().zip(&first.verdicts).zip(&again.verdicts) {
        let (Verdict::Proved(a), Verdict::Proved(b)) = (a, b) else {
            panic!("{}: {a:?}, {b:?}", rule.name);
        };
        assert_eq!((&a.by, &a.needs), (&b.by, &b.needs));
        let solved = a.by != "polynomials";
        assert!(!a.certified && b.certified == solved, "{}", rule.name);
    }
    assert!(!first.certificates.0.is_empty());
    for (i, rule) in rules.iter().enumerate() {
        let mut other = rule.clone();
        other.rhs = rule.lhs;
        other.lhs = rule.rhs;
        assert_eq!(tools.certificates.get(&other), None, "{i}");
    }
}

#[test]
fn conditions_that_are_too_strong_are_told() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let text = "rule a  x / c0 * c0 + x % c0 => x where c0 > 0\n\
                rule b  x + c0 => x where c0 == 0 && c1 > 2\n\
                rule c  x * c0 / c0 => x where prove(c0 > 0 && x > 0)\n\
                rule d  min(x, c0) => x where prove(x < c0)\n";
    let text = text.replace("x + c0 =>", "x + c0 - c1 + c1 =>");
    let rules = rules(&text);
    let tools = Tools {
        solvers,
        ..Tools::default()
    };
    let asked: Vec<usize> = (0..rules.len()).collect();
    let found = weaker(&rules, &asked, &tools, &mut |_, _| {});
    let found: Vec<String> = (found.iter())
        .map(|w| {
            let instead = w.instead.map_or("nothing".to_string(), |e| e.to_string());
            format!("{}: {} by {instead}", rules[w.rule].name, w.condition)
        })
        .collect();
    assert_eq!(
        found,
        [
            "a: c0 > 0 by c0 != 0",
            "b: c1 > 2 by nothing",
            "c: prove(c0 > 0) by prove(c0 != 0)",
            "c: prove(x > 0) by nothing",
            "d: prove(x < c0) by prove(x <= c0)",
        ]
    );
}

/// Whatever a solver does, the rule is unknown, the reason is said, and the others go on.
#[cfg(unix)]
#[test]
fn a_solver_that_misbehaves_proves_nothing_and_stops_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("own.rules");
    let text = "domain scalar\nrule a  min(x, y) + max(x, y) => x + y\n\
                rule b  select(x < y, x, y) => min(x, y)\n\
                rule c  select(x - 60000 == 63456, 0, x) => x\n\
                rule d  (x + y) / x => y / x + 1\n";
    std::fs::write(&path, text).unwrap();
    let cases = [
        ("echo unsat; kill -9 $$", "stopped by signal 9"),
        ("echo rubbish", "printed something else"),
        ("head -c 3000000 /dev/zero", "printed something else"),
        ("exit 3", "it returned 3"),
        ("echo sat; echo '((|v_x| 1'", "its counterexample is none"),
        (
            "echo sat; echo '((|v_x| 5) (lane 0))'",
            "its counterexample is none",
        ),
    ];
    let program = |name: &str, script: &str| {
        let fake = dir.path().join(name);
        std::fs::write(&fake, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("cvc5", "exit 1");
    for (script, reason) in cases {
        let version = "if [ \"$1\" = --version ]; then echo fake 1; exit 0; fi";
        program("z3", &format!("{version}\n{script}"));
        let out = Command::new(env!("CARGO_BIN_EXE_rise-opt"))
            .args(["verify", "--message-format", "json", "--limit", "1"])
            .arg(&path)
            .env("PATH", format!("{}:/usr/bin:/bin", dir.path().display()))
            .output()
            .unwrap();
        let page: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        let rules = page["rules"].as_array().unwrap();
        let verdicts: Vec<_> = rules
            .iter()
            .map(|r| r["verdict"].as_str().unwrap())
            .collect();
        assert_eq!(
            verdicts,
            ["proved", "proved", "unknown", "refuted"],
            "{script}"
        );
        let reasons = rules[2]["reasons"].to_string();
        assert!(reasons.contains(reason), "{script}: {reasons}");
        assert_eq!(out.status.code(), Some(4));
    }
}

/// One that says nothing is killed when patience ends, whatever it was told of its work.
#[cfg(unix)]
#[test]
fn a_solver_that_hangs_is_killed() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("z3");
    std::fs::write(&program, "#!/bin/sh\nexec sleep 1000\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let solver = Solver {
        name: "z3",
        program,
        version: "0".to_string(),
    };
    let answer = solver.ask("(check-sat)", Work(1), Duration::from_millis(200));
    let Answer::Unknown(why) = answer else {
        panic!("{answer:?}");
    };
    assert!(why.contains("gave no answer within"), "{why}");
}

/// A solver is told how much it may do, and not how long: it ends by itself, without an answer, long before patience does.
#[test]
fn limits_are_in_work() {
    // There is no such point, which no solver shows.
    let hard = "(declare-const x Int) (declare-const y Int) (declare-const z Int)\n\
         (assert (and (> x 0) (> y 0) (> z 0) (= (+ (* x x x) (* y y y)) (* z z z))))\n\
         (check-sat)\n";
    for solver in solvers() {
        let answer = solver.ask(hard, Work(1), 50 * Work(1).patience());
        assert_eq!(
            answer,
            Answer::Unknown(format!("{} does not know", solver.name))
        );
    }
}

/// Points and polynomials come first, so a certificate of what a point refutes is worth nothing, and one that counts is
/// told of.
#[test]
fn a_certificate_spares_the_solver_and_nothing_else() {
    let rules = rules(
        "rule wrong  x / y * y => x\n\
         rule plain  x + y - y => x\n\
         rule hard  min(x, y) + max(x, y) + (z / w) * (w - w) => y + x + (z % (w - w))\n\
         rule far  select(x - 60000 == 63456, 0, x) => x\n",
    );
    let forged = rules
        .iter()
        .map(|r| (key(r), "z3, linear encoding".to_string()));
    let tools = Tools {
        certificates: Certificates(forged.collect()),
        ..Tools::default()
    };
    let asked: Vec<usize> = (0..rules.len()).collect();
    let all = verify(&rules, &asked, &tools, &mut |_, _| {}).verdicts;
    assert!(matches!(all[0], Verdict::Refuted(_)), "{all:?}");
    for verdict in &all[1..3] {
        assert!(
            matches!(verdict, Verdict::Proved(p) if !p.certified),
            "{all:?}"
        );
    }
    assert!(
        matches!(&all[3], Verdict::Proved(p) if p.certified),
        "{all:?}"
    );
}

#[test]
fn the_command_says_that_a_certificate_spared_the_solver() {
    let out = Command::new(env!("CARGO_BIN_EXE_rise-opt"))
        .args(["verify", "rules/index.rules"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains(" proved, 0 refuted, 0 unknown\n"), "{text}");
    assert!(text.contains("(solver spared by a certificate)"), "{text}");
    assert!(text.contains(" by polynomials\n"), "{text}");
}

const SLOW: &str = "\
rule zero  x / 0 => 0
rule slow  max(z, x*c0 + y)/c1 - x*c2 => max(y, z - x*c0)/c1 where c0 == c1*c2
";

/// Where a rule before it takes the point away, a rule is not wrong because a solver does not get to its end.
#[test]
fn a_rule_is_refuted_only_where_it_is_tried() {
    let alone = verify_with(&rules(SLOW)[1..], &[], Limits::default());
    assert!(matches!(alone[0], Verdict::Refuted(_)), "{alone:?}");
    let after = verify_with(&rules(SLOW), &[], Limits::default());
    assert!(matches!(after[1], Verdict::Proved(_)), "{after:?}");
    let wrong = SLOW.replace("max(y, z - x*c0)", "max(y, z + x*c0)");
    let rules = rules(&wrong);
    match &verify_with(&rules, &[], Limits::default())[1] {
        Verdict::Refuted(point) => {
            assert_eq!(differs_at(&rules[1], point), Some(true));
            let c1 = rise_opt::intern::Symbol::new("c1");
            assert_ne!(
                point[&c1],
                rise_opt::scalar::Value::Int(0),
                "none that is never tried"
            );
        }
        other => panic!("{other:?}"),
    }
}

/// `needs` of each rule of a file that is proved.
fn needs(text: &str) -> Vec<Option<Vec<String>>> {
    let all = verdicts(&rules(text), &[]);
    let needs = |v| match v {
        Verdict::Proved(p) => Some(p.needs),
        _ => None,
    };
    all.into_iter().map(needs).collect()
}

#[test]
fn rules_about_single_values_come_before_rules_about_vectors() {
    let ramp = "rule v  ramp(x*c0, c0, l) / broadcast(c0, l) => ramp(x, 1, l)\n";
    assert_eq!(needs(ramp), [None]);
    let both = ["rule zero  x / 0 => 0\n", ramp].concat();
    assert_eq!(needs(&both)[1], Some(vec!["zero".to_string()]));
    let folded =
        "rule v  ramp(x, 0, l) + broadcast(c0, l) / broadcast(c0, l) => ramp(x + 1, 0, l)\n";
    assert_eq!(needs(folded)[0], Some(vec!["folding".to_string()]));
}

/// What takes a value away has to be proved itself, to be sure to apply, and to change what it applies to.
#[test]
fn nothing_rests_on_rules_that_are_wrong_or_do_nothing() {
    let common = "rule common  x * c0 / c0 => x\n";
    for before in [
        "rule zero  x * 0 => 1\n",
        "rule swap  x * y => y * x\n",
        "rule keep  x / y => x / (y + 0)\n",
        "rule keep  x * c0 => x * (c0 * 2 / 2)\n",
        "rule keep  x * y => x * y * 1 where prove(y == 0)\n",
    ] {
        let all = needs(&[before, common].concat());
        assert_eq!(all[1], None, "{before}");
    }
    let good = needs(&["rule zero  x * 0 => 0\n", common].concat());
    assert_eq!(good[1], Some(vec!["zero".to_string()]));
    let good = needs(
        &[
            "rule less  x * 0 + y => y + 0 * 0\nrule zero  x * 0 => 0\n",
            common,
        ]
        .concat(),
    );
    assert_eq!(good[2], Some(vec!["zero".to_string()]));
}
