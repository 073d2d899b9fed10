//! What a kernel rests on is read off its steps: summary, plan, proof, C and header say it, and a plan that says
//! something else is refused.

use super::{json_of, planned, refused, rise_opt, BLOCKING, MM};
use serde_json::{json, Value};
use std::fs;
use std::path::Path;

/// Exit code, standard output, standard error.
fn run(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let output = rise_opt(dir, args);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap()
}

/// Searches with rules that nobody proved, and writes all that rests on them.
const SEARCH: [&str; 6] = [
    "sum.rise",
    "--sketch",
    "mine.sk",
    "--emit",
    "c,header,plan,proof",
    "--allow-unverified",
];

/// Rules that regroup: by blocks, and by folding what is added into the operator.
const SUMS: [(&str, &str, &str); 2] = [
    (
        "blocks",
        "rule blocks [k : nat]  reduce op e (xs : n.s)  =>  reduce op e (map (reduce op e) (split[k] xs))
  where associative op, identity e op, k divides n",
        "use mine.rules (blocks[4])\npermit reassociate\nsketch contains (app split ?)\n",
    ),
    (
        "inside",
        "rule inside  reduce op (e : f32) (xs : n.f32)  =>  e + reduce op 0.0 xs\n  where accumulates op (+)",
        "use mine.rules (inside)\npermit reassociate\nsketch contains (app (+) ? ?)\n",
    ),
];

fn sum(rule: &str, sketch: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write(
        "sum.rise",
        "def sum [n : nat] (xs : n.f32) : f32 = reduce (\\a -> \\x -> a + x) 0.0 (map (\\x -> x * 2.0) xs)\n",
    );
    write("mine.rules", &format!("{rule}\n"));
    write("mine.sk", sketch);
    dir
}

#[test]
fn rules_that_regroup_are_named_everywhere() {
    let dir = planned(&[MM, "--sketch", "sketches/risegg/vectorization.sk"]);
    let plan = json_of(&dir.path().join("mm.plan.json"));
    let named: Vec<&Value> = (plan["reassociation"].as_array().unwrap().iter())
        .filter(|r| r["rules"] != json!([]))
        .collect();
    assert!(!named.is_empty(), "{plan}");
    for name in ["mm.c", "mm.h"] {
        let text = read(dir.path(), name);
        for step in &named {
            let rules: Vec<&str> = step["rules"]
                .as_array()
                .unwrap()
                .iter()
                .map(|r| r.as_str().unwrap())
                .collect();
            let says = format!(
                "`{}` (by {})",
                step["step"].as_str().unwrap(),
                rules.join(", ")
            );
            assert!(
                text.contains("sums of floats may be regrouped in ") && text.contains(&says),
                "{says}: {text}"
            );
        }
    }
}

/// Sums of integers are the same in any order: only where there are floats is anything said of them.
#[test]
fn kernels_of_integers_say_nothing_of_floats() {
    for (scalar, zero, speaks) in [("i32", "0", false), ("f32", "0.0", true)] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let sum = format!(
            "def sum [n m : nat] (xs : n.m.{scalar}) : n.{scalar} = map (reduce (+) {zero}) xs\n"
        );
        fs::write(dir.join("sum.rise"), sum).unwrap();
        let sketch = "import \"sketches/prelude.sk\"\nuse rules/algorithmic.rules (reduce-seq)\nsketch containsReduceSeq m ?\n";
        fs::write(dir.join("sum.sk"), sketch).unwrap();
        let args = ["sum.rise", "--sketch", "sum.sk", "--report", "page.html"];
        let (code, _, err) = run(dir, &args);
        assert_eq!(code, 0, "{err}");
        for (file, words) in [
            ("sum.c", "sums of floats are not regrouped"),
            ("sum.h", "sums of floats are not regrouped"),
            ("page.html", "floating-point"),
            ("page.html", "Rounding: "),
        ] {
            let text = read(dir, file);
            assert_eq!(text.contains(words), speaks, "{scalar}, {file}: {words}");
        }
    }
}

#[test]
fn a_plan_that_hides_what_regroups_is_refused() {
    for (name, rule, sketch) in SUMS {
        let dir = sum(rule, sketch);
        let dir = dir.path();
        let (code, out, err) = run(dir, &SEARCH);
        assert_eq!(code, 0, "{name}: {err}");
        let by = format!("(by {name})");
        assert!(out.contains(&by), "{out}");
        for file in ["sum.c", "sum.h"] {
            assert!(read(dir, file).contains(&by), "{name}: {file}");
        }
        let plan = json_of(&dir.join("sum.plan.json"));
        assert_eq!(plan["reassociation"][0]["rules"], json!([name]));
        let (code, told, err) = run(dir, &["check-proof", "sum.proof.json"]);
        assert_eq!((code, &*err), (0, ""));
        assert!(told.contains(&by), "{told}");

        for hidden in [
            json!([]),
            json!([{"step": plan["reassociation"][0]["step"], "rules": []}]),
        ] {
            let mut less = plan.clone();
            less["reassociation"] = hidden;
            let says = [
                "E0605",
                "contradicts its proof: other rules regroup sums in it",
            ];
            refused(dir, &less.to_string(), &["--allow-unverified"], &says);
        }
        // A proof without the permission does not hold.
        let mut strict = plan.clone();
        strict["reassociation"] = json!([]);
        strict["proof"]["steps"][0]["reassociate"] = json!(false);
        let text = strict.to_string();
        fs::write(dir.join("bad.json"), text).unwrap();
        let (code, _, err) = run(
            dir,
            &["--replay", "bad.json", "-o", "new.c", "--allow-unverified"],
        );
        assert_eq!(code, 4, "{err}");
        assert!(
            err.contains("E0621") && err.contains("permission to reassociate"),
            "{err}"
        );
    }
}

#[test]
fn a_plan_whose_terms_are_not_those_of_its_proof_is_refused() {
    let dir = planned(&[MM, "--sketch", BLOCKING]);
    let dir = dir.path();
    let plan = json_of(&dir.join("mm.plan.json"));
    let last = plan["steps"].as_array().unwrap().len() - 1;
    let mut changed = plan.clone();
    // The program itself: well typed, and equal, but not what the proof leads to.
    changed["steps"][last]["found"] = plan["program"].clone();
    let says = ["E0605", "contradicts its proof", "ends in another term"];
    refused(dir, &changed.to_string(), &[], &says);
    for (path, value) in [("/proof", Value::Null), ("/proof/steps", json!([]))] {
        let mut changed = plan.clone();
        *changed.pointer_mut(path).unwrap() = value;
        refused(
            dir,
            &changed.to_string(),
            &[],
            &["E0605", "contradicts its proof"],
        );
    }
    let mut changed = plan.clone();
    changed["proof"]["program"] = json!(plan["program"].as_str().unwrap().replace("0.0", "1.0"));
    fs::write(dir.join("bad.json"), changed.to_string()).unwrap();
    let (code, _, err) = run(dir, &["--replay", "bad.json", "-o", "new.c"]);
    assert_eq!(code, 4, "{err}");
    assert!(
        err.contains("E0622") && err.contains("its body differs"),
        "{err}"
    );
}

/// Right, as one of two neighbours is even, but nothing here knows what is even.
const OPEN: &str = "rule open  map (\\x -> (x * (x + 1)) % 2) (xs : n.i32)  =>  map (\\x -> 0) xs";

#[test]
fn rules_without_a_verdict_leave_a_trace() {
    let dir = sum(
        OPEN,
        "use mine.rules (open)\nsketch contains (app map (\\ 0) ?)\n",
    );
    let dir = dir.path();
    let program = "def sum [n : nat] (c : i32) (xs : n.i32) : i32 = xs |> map (\\x -> (x * (x + 1)) % 2) |> reduceSeq (\\a -> \\x -> a + x * c) 7\n";
    fs::write(dir.join("sum.rise"), program).unwrap();
    let (code, out, err) = run(dir, &SEARCH);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("without a verdict: open"), "{out}");
    for file in ["sum.c", "sum.h"] {
        let says = "/* neither proved nor refuted are these rules of its steps: open */";
        assert!(read(dir, file).contains(says), "{file}");
    }
    let plan = json_of(&dir.join("sum.plan.json"));
    assert_eq!(plan["unverified"], json!(["open"]));
    let (_, told, _) = run(dir, &["check-proof", "sum.proof.json"]);
    assert!(
        told.contains("neither proved nor refuted") && told.contains("open"),
        "{told}"
    );
    // Who replays it has to allow it, too.
    let (code, _, err) = run(dir, &["--replay", "sum.plan.json", "-o", "again.c"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("E0676"), "{err}");
    let (code, out, err) = run(
        dir,
        &[
            "--replay",
            "sum.plan.json",
            "-o",
            "again.c",
            "--allow-unverified",
        ],
    );
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("without a verdict: open"), "{out}");
    let mut less = plan.clone();
    less.as_object_mut().unwrap().remove("unverified");
    let says = [
        "E0605",
        "says that of the rules of its proof all are proved",
        "open",
    ];
    refused(dir, &less.to_string(), &["--allow-unverified"], &says);
    // What no step uses leaves none.
    fs::write(dir.join("any.sk"), "use mine.rules (open)\nsketch ?\n").unwrap();
    let args = [
        "sum.rise",
        "--sketch",
        "any.sk",
        "-o",
        "any.c",
        "--allow-unverified",
    ];
    let (code, out, err) = run(dir, &args);
    assert_eq!(code, 0, "{err}");
    assert!(!out.contains("without a verdict"), "{out}");
}

#[test]
fn a_plan_that_hides_at_which_sizes_it_holds_is_refused() {
    // Nothing of what is found tells that the first element was asked for.
    let rule = "rule r  padClamp[1, 1] (map f (xs : (n + 1).s))  =>  map f (padClamp[1, 1] xs)";
    let dir = sum(
        rule,
        "use mine.rules (r)\nsketch contains (app map ? (app padClamp ?))\n",
    );
    let dir = dir.path();
    let program = "def sum [n : nat] (xs : n.f32) : f32 = reduceSeq (\\a -> \\x -> a + x) 0.0 (padClamp[1, 1] (map (\\x -> x + 1.0) xs))\n";
    fs::write(dir.join("sum.rise"), program).unwrap();
    let args = ["sum.rise", "--sketch", "mine.sk", "--emit", "c,header,plan"];
    let (code, _, err) = run(dir, &args);
    assert_eq!(code, 0, "{err}");
    let plan = json_of(&dir.join("sum.plan.json"));
    assert!(read(dir, "sum.h").contains("Requires: n >= 1"));
    assert!(plan.get("obliged").is_some(), "{plan}");
    let mut less = plan.clone();
    less.as_object_mut().unwrap().remove("obliged");
    let says = ["E0605", "contradicts its proof: it holds only where"];
    refused(dir, &less.to_string(), &[], &says);
}

#[test]
fn proofs_and_kernels_know_whether_they_belong_together() {
    let dir = planned(&[MM, "--sketch", BLOCKING, "--emit", "c,header,plan,proof"]);
    let dir = dir.path();
    let check = |file: &str| run(dir, &["check-proof", "mm.proof.json", "--c", file]);
    for file in ["mm.c", "mm.h"] {
        let (code, told, err) = check(file);
        assert_eq!((code, &*err), (0, ""), "{told}");
    }
    // Of a replay, too.
    let again = [
        "--replay",
        "mm.plan.json",
        "-o",
        "again.c",
        "--emit",
        "c,header,proof",
    ];
    assert_eq!(run(dir, &again).0, 0);
    assert_eq!(check("again.c").0, 0);
    assert_eq!(read(dir, "again.proof.json"), read(dir, "mm.proof.json"));
    assert_eq!(run(dir, &[MM, "-o", "other.c"]).0, 0);
    fs::write(dir.join("none.c"), "int mm(void);\n").unwrap();
    let words = [
        ("other.c", "that is made of the term "),
        ("none.c", "that does not say of which term it is"),
    ];
    for (file, says) in words {
        let (code, told, err) = check(file);
        assert_eq!((code, &*told), (4, ""), "{err}");
        let first = format!("error[E0625]: `mm.proof.json` is no proof of `{file}`: {says}");
        assert!(err.starts_with(&first), "{err}");
    }
    assert_eq!(check("gone.c").0, 1);
}
