//! Rules that are equal at some sizes only: the search, the kernel, the plan and the proof say at which.

use crate::common::{self, chain, definition_text, mm, rules};
use rise_opt::arith::Nat;
use rise_opt::elab::RuleUse;
use rise_opt::lower::{lower, Options};
use rise_opt::proof::{check, instance, By, Proof, Segment, Step};
use rise_opt::search;
use rise_opt::term::{normalize, Term};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A rule, how it is used, the sketch, the program, what the kernel requires.
struct Case {
    rule: &'static str,
    used: &'static str,
    sketch: &'static str,
    program: &'static str,
    requires: &'static [&'static str],
}

const CASES: &[Case] = &[
    // A size of a pattern is one less than one of the program.
    Case {
        rule: "rule r [l r : nat]  padClamp[l, r] (map f (xs : (n + 1).s))  =>  map f (padClamp[l, r] xs)",
        used: "r[2, 1]",
        sketch: "contains (app map ? (app padClamp ?))",
        program: "def p [n : nat] (xs : n.f32) : (2+n+1).f32 = padClamp[2, 1] (map (\\x -> x * 2.0 + 1.0) xs)",
        requires: &["n >= 1"],
    },
    // An explicit size is one of the program.
    Case {
        rule: "rule r [l r : nat]  take[1] (padCst[l, r] c xs)  =>  fill[1] c",
        used: "r[m, 1]",
        sketch: "contains (app fill ?)",
        program: "def p [m : nat] (c : f32) (xs : 5.f32) : 1.f32 = take[1] (padCst[m, 1] c xs)",
        requires: &["m >= 1"],
    },
    // The quotient is in no type of the right side.
    Case {
        rule: "rule r [k : nat]  reduceSeq op e (xs : n.f32)  =>  reduceSeq (\\acc -> \\ys -> reduceSeq op acc ys) e (split[k] (padCst[0, k*ceil(n, k)-n] 0.0 xs))\n  where k divides n, n != k",
        used: "r[4]",
        sketch: "contains (app padCst ? ?)",
        program: "def p [n : nat] (xs : n.f32) : f32 = xs |> map (\\x -> x * 2.0) |> reduceSeq (\\a -> \\x -> a + x*x + 3.0) 0.0",
        requires: &["4 divides n"],
    },
    // The part that needed the size is dropped by β.
    Case {
        rule: "rule r  reduceSeq op e (map f (xs : n.s))  =>  (\\u -> reduceSeq op e (map f (take[2*floor(n, 2)] xs))) (split[2] xs)",
        used: "r",
        sketch: "contains (app take ?)",
        program: "def p [n : nat] (xs : n.f32) : f32 = reduceSeq (\\a -> \\x -> a + x) 0.0 (map (\\x -> x * 2.0) xs)",
        requires: &["2 divides n"],
    },
    // Two sizes less, under `drop`; what is dropped is made of the size of the pattern.
    Case {
        rule: "rule r  map f (xs : (n + 2).s)  =>  map f (concat (take[2] xs) (drop[2] xs))",
        used: "r",
        sketch: "contains (app concat ?)",
        program: "def p [n : nat] (xs : n.f32) : f32 = reduceSeq (\\a -> \\x -> a + x) 0.0 (map (\\x -> x + 1.0) xs)",
        requires: &["n >= 2"],
    },
    // A quotient less one.
    Case {
        rule: "rule r  reduceSeq op e (xs : (3*(n + 1)).s)  =>  reduceSeq op e (concat (take[3*n] xs) (drop[3*n] xs))",
        used: "r",
        sketch: "contains (app concat ?)",
        program: "def p [m : nat] (xs : m.f32) : f32 = reduceSeq (\\a -> \\x -> a + x) 0.0 (map (\\x -> x * 2.0) xs)",
        requires: &["m >= 3", "3 divides m - 3"],
    },
    // There is a way without the rule that obliges to something.
    Case {
        rule: "rule r  reduceSeq op e (map f (xs : n.s))  =>  (\\u -> reduceSeq op e (map f (take[2*floor(n, 2)] xs))) (split[2] xs)",
        used: "r, t",
        sketch: "contains (app reverse ?)",
        program: "def p [n : nat] (xs : n.f32) : f32 = reduceSeq (\\a -> \\x -> a + x) 0.0 (map (\\x -> x * 2.0) xs)",
        requires: &[],
    },
];

fn rise_opt(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    let output = command.args(args).current_dir(dir).env("NO_COLOR", "1");
    output.output().unwrap()
}

fn succeeds(dir: &Path, args: &[&str]) -> String {
    let output = rise_opt(dir, args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap()
}

fn files(case: &Case) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let more = "rule t  map f xs  =>  reverse (map f (reverse xs))";
    fs::write(
        dir.path().join("r.rules"),
        format!("{}\n{more}\n", case.rule),
    )
    .unwrap();
    let sketch = format!("use r.rules ({})\nsketch {}\n", case.used, case.sketch);
    fs::write(dir.path().join("r.sk"), sketch).unwrap();
    fs::write(dir.path().join("p.rise"), format!("{}\n", case.program)).unwrap();
    dir
}

#[test]
fn kernels_require_what_the_way_to_them_did() {
    for case in CASES {
        let dir = files(case);
        let dir = dir.path();
        succeeds(
            dir,
            &[
                "p.rise",
                "--sketch",
                "r.sk",
                "--emit",
                "c,header,proof,plan",
            ],
        );
        let header = read(dir, "p.h");
        let said: Vec<&str> = (header.lines())
            .filter_map(|l| l.strip_prefix(" * Requires: ")?.strip_suffix('.'))
            .collect();
        assert_eq!(said, case.requires, "{}", case.rule);
        let c = read(dir, "p.c");
        for requires in case.requires {
            assert!(
                c.contains(&format!("return P_ERR_SIZE; /* {requires} */")),
                "{c}"
            );
        }
        let told = succeeds(dir, &["check-proof", "p.proof.json", "p.rise"]);
        let first = told.lines().next().unwrap();
        let wherever = first.split(" wherever ").nth(1).unwrap_or_default();
        let mut wherever: Vec<&str> = wherever.split(", ").filter(|w| !w.is_empty()).collect();
        let mut requires = case.requires.to_vec();
        wherever.sort();
        requires.sort();
        assert_eq!(wherever, requires, "{}: {told}", case.rule);
        succeeds(
            dir,
            &[
                "--replay",
                "p.plan.json",
                "-o",
                "again.c",
                "--emit",
                "c,header",
            ],
        );
        let without_name = |t: String| t.replace("again.h", "p.h");
        assert_eq!(without_name(read(dir, "again.c")), c);
        assert_eq!(read(dir, "again.h"), header);
    }
}

#[test]
fn kernels_fall_back_where_the_way_to_them_does_not_hold() {
    for case in CASES.iter().filter(|c| !c.requires.is_empty()) {
        let dir = files(case);
        let fallback = ["p.rise", "--sketch", "r.sk", "--on-mismatch", "fallback"];
        succeeds(dir.path(), &["p.rise", "--plain", "-o", "plain.c"]);
        let plain = read(dir.path(), "plain.h");
        succeeds(dir.path(), &fallback);
        let header = read(dir.path(), "p.h");
        // What the program itself requires stays required.
        let own = |l: &&str| l.contains("Requires: ");
        for line in header.lines().filter(own) {
            assert!(plain.contains(line), "{header}\n{plain}");
        }
        for requires in case.requires {
            let required = format!(" * Requires: {requires}.\n");
            assert!(
                header.contains(&format!(" * Fast if: {requires}.\n")) || plain.contains(&required),
                "{header}"
            );
        }
    }
}

#[test]
fn what_holds_at_no_sizes_is_not_applied() {
    let case = Case {
        program: "def p (xs : 1.f32) : f32 = reduceSeq (\\a -> \\x -> a + x) 0.0 (map (\\x -> x + 1.0) xs)",
        ..CASES[4]
    };
    let dir = files(&case);
    let output = rise_opt(dir.path(), &["p.rise", "--sketch", "r.sk"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn ways_to_shipped_goals_leave_no_obligations() {
    let program = mm();
    for goal in [
        "blocking",
        "vectorization",
        "loop-perm",
        "array-packing",
        "parallel",
        "micro-parallel",
    ] {
        let steps = chain(&format!("sketches/mm/{goal}.sk"), &program, &[]);
        let outcome = search::optimize(&program, &steps, &search::Options::default());
        assert!(outcome.failure.is_none(), "{goal}");
        assert_eq!(outcome.obliged, [], "{goal}");
    }
}

const DETOUR: &str = "rule detour [k : nat]  (e : data)  =>  fst (pair e (fill[k] 0.0))";

/// What the checker says of a program that makes a detour by an array of that size.
fn detour(size: Nat) -> Result<Vec<String>, String> {
    let program = definition_text("def p [n : nat] (x : n.f32) : f32 = reduceSeq (\\a -> \\y -> a + y) 0.0 (map (\\y -> y * 2.0) x)");
    let start = normalize(&program.term);
    let used = RuleUse {
        args: vec![size],
        ..rules(DETOUR).remove(0)
    };
    let by = |from: &Term| instance(&used.rule, &used.args, from, &[], false).map(|i| i.to);
    // The body of the program, or all of it.
    let here = match start.kind() {
        rise_opt::term::Kind::Lam(_, b) => (vec![0], b.clone()),
        _ => (Vec::new(), start.clone()),
    };
    let there = by(&here.1)?;
    let step = |back: bool| Step {
        at: here.0.clone(),
        by: By::Rule(0, Vec::new()),
        back,
        from: if back { there.clone() } else { here.1.clone() },
        to: if back { here.1.clone() } else { there.clone() },
        bound: None,
    };
    let proof = Proof {
        start: start.clone(),
        segments: vec![Segment {
            name: "detour".to_string(),
            rules: vec![used.clone()],
            reassociate: false,
            steps: vec![step(false), step(true)],
            end: start.clone(),
        }],
    };
    let holds = check(&proof).map_err(|r| r.why)?;
    Ok(holds.wherever.iter().map(|a| a.to_string()).collect())
}

#[test]
fn proofs_say_at_which_sizes_they_hold_and_some_hold_at_none() {
    let n = Nat::var("n".into());
    let holds = |size: Nat| detour(size).unwrap();
    assert_eq!(holds(n + 1.into()), [""; 0]);
    assert_eq!(holds(n), ["n >= 1"]);
    let quarter = holds(n.exact_div(4.into()));
    assert!(
        quarter.iter().any(|a| a.starts_with("4 divides n")),
        "{quarter:?}"
    );
    assert!(quarter.contains(&"n >= 4".to_string()), "{quarter:?}");
    for never in [
        Nat::int(0) - n,
        Nat::int(-1),
        Nat::int(1).exact_div(2.into()),
        n + Nat::int(1).exact_div(2.into()),
        Nat::int(-2) - n * n,
    ] {
        let why = detour(never).unwrap_err();
        let said = ["has a meaning at no sizes", "would have a part of type"];
        assert!(said.iter().any(|s| why.contains(s)), "{never}: {why}");
    }
}

/// What follows from other assumptions is no assumption of a kernel: blocks of a difference are as few as it is.
#[test]
fn what_follows_from_assumptions_is_left_out() {
    let lowered = |text: &str| {
        let program = common::program_text(text);
        let nest = lower(&program, &Options::default()).expect("a kernel");
        let all = nest.abi.assumptions.iter();
        all.map(|a| a.to_string()).collect::<Vec<_>>()
    };
    let valid = "def valid [k n : nat] (w : k.f32) (x : n.f32) : (n-k+1).f32 =
       slide[k, 1] x |> map (\\v -> zip v w |> map (\\p -> fst p * snd p) |> reduceSeq (\\a b -> a + b) 0.0)";
    assert_eq!(lowered(valid), ["n - k >= 0"]);
    let blocks = "def blocks [k n : nat] (x : (n-k).f32) : (8*floor(n-k, 8)).f32 =
       x |> take[8*floor(n-k, 8)] |> map (\\v -> v + 1.0)";
    assert_eq!(lowered(blocks), ["n - k >= 0"]);
    // One that says more stays, whatever stands beside it.
    let more = "def more [k n : nat] (x : (n-k).f32) : (8*floor(n-k-3, 8)).f32 =
       x |> take[8*floor(n-k-3, 8)] |> map (\\v -> v + 1.0)";
    assert!(
        lowered(more).iter().any(|a| a != "n - k >= 0"),
        "{:?}",
        lowered(more)
    );
}

/// Lengths of arrays that rules match may be 0: kernels found by the tool take all sizes that the program as it stands takes.
#[test]
fn kernels_found_take_all_sizes() {
    let programs = [
        "def p [n : nat] (x : n.f32) : n.f32 = generate[n] (\\i -> idx i x * 2.0)",
        "def p [n m : nat] (x : n.m.f32) : m.f32 =
           generate[m] (\\j -> x |> map (\\r -> idx j r) |> reduce (+) 0.0)",
    ];
    for program in programs {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("p.rise"), program).unwrap();
        let told = succeeds(
            dir.path(),
            &[
                "p.rise",
                "--permit",
                "reassociate",
                // The program itself is what small sizes take.
                "--sizes",
                "1..",
                "--emit",
                "c,header,term",
            ],
        );
        assert!(!read(dir.path(), "p.h").contains("Requires"), "{told}");
        // The tool found something else than the program.
        assert!(
            !read(dir.path(), "p.found.rise").contains("idx "),
            "{program}"
        );
    }
}
