//! Plans: what `--emit plan` writes, `--replay` turns into the same bytes; what does not fit is refused.

mod basis;

use crate::common::schema::conforms;
use serde_json::{json, Value};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn rise_opt(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    let output = command.args(args).current_dir(dir).env("NO_COLOR", "1");
    output.output().unwrap()
}

fn succeeds(dir: &Path, args: &[&str]) {
    let output = rise_opt(dir, args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {stderr}");
}

/// A folder with the kernel and the plan of a program.
fn planned(args: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    succeeds(dir.path(), &[args, &["--emit", "c,header,plan"]].concat());
    dir
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The plan, the C and the header come out of a replay as they went in.
fn round_trip(name: &str, args: &[&str]) {
    let dir = planned(args);
    let plan = format!("{name}.plan.json");
    conforms(&json_of(&dir.path().join(&plan)), "plan.json").unwrap();
    for program in [None, Some(args[0])] {
        let again = tempfile::tempdir().unwrap();
        let saved = again.path().join("saved.json");
        fs::copy(dir.path().join(&plan), saved).unwrap();
        let mut args = vec!["--replay", "saved.json", "--emit", "c,header,plan"];
        args.extend(program);
        succeeds(again.path(), &args);
        for ending in ["c", "h", "plan.json"] {
            let file = format!("{name}.{ending}");
            let [a, b] = [&dir, &again].map(|d| fs::read_to_string(d.path().join(&file)).unwrap());
            assert_eq!(a, b, "{file} of {args:?}");
        }
    }
}

const MM: &str = "programs/mm.rise";
const BLOCKING: &str = "sketches/mm/blocking.sk";

#[test]
fn parallel() {
    round_trip("mm", &[MM, "--sketch", "sketches/mm/parallel.sk"]);
}

#[test]
fn every_goal_of_both_books() {
    for folder in ["mm", "risegg"] {
        for goal in [
            "baseline",
            "vectorization",
            "loop-perm",
            "array-packing",
            "cache-blocks",
        ] {
            round_trip(
                "mm",
                &[MM, "--sketch", &format!("sketches/{folder}/{goal}.sk")],
            );
        }
    }
}

#[test]
fn settings_are_part_of_the_plan() {
    let set = "tile=16,k=64";
    round_trip("mm", &[MM, "--sketch", BLOCKING, "--set", set]);
    let dir = planned(&[MM, "--sketch", BLOCKING, "--set", set]);
    let plan = json_of(&dir.path().join("mm.plan.json"));
    assert_eq!(plan["sizes"], json!({ "k": 64 }));
    assert_eq!(plan["params"], json!({ "tile": 16 }));
}

#[test]
fn programs_without_sketches() {
    for name in [
        "mm",
        "gemv",
        "gemm",
        "dot",
        "binomial",
        "stencil",
        "vector_add",
    ] {
        let path = format!("programs/{name}.rise");
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path)).unwrap();
        let entry = text
            .lines()
            .rev()
            .find_map(|l| l.strip_prefix("def "))
            .unwrap();
        let entry = entry.split(' ').next().unwrap();
        round_trip(entry, &[&path, "--plain"]);
    }
    // With what is found for it.
    round_trip("binomial", &["programs/binomial.rise"]);
}

/// Replays a changed plan: it has to fail with these words, and to write nothing.
fn refused(dir: &Path, text: &str, args: &[&str], says: &[&str]) {
    fs::write(dir.join("bad.json"), text).unwrap();
    let args = [&["--replay", "bad.json", "-o", "new.c"], args].concat();
    let output = rise_opt(dir, &args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    for words in says {
        assert!(stderr.contains(words), "no {words:?} in {stderr}");
    }
    assert!(!dir.join("new.c").exists() && !dir.join("new.h").exists());
}

#[test]
fn what_does_not_fit_is_refused() {
    let dir = planned(&[MM, "--sketch", BLOCKING]);
    let dir = dir.path();
    let text = fs::read_to_string(dir.join("mm.plan.json")).unwrap();
    let plan: Value = serde_json::from_str(&text).unwrap();
    let changed = |path: &str, value: Value| {
        let mut plan = plan.clone();
        *plan.pointer_mut(path).unwrap() = value;
        plan.to_string()
    };
    let refused = |text: &str, says: &[&str]| refused(dir, text, &[], says);
    for end in [1, text.len() / 3, text.len() - 3] {
        let cut: String = text.chars().take(end).collect();
        refused(&cut, &["E0602", "`bad.json` ends early", "--emit plan"]);
    }
    refused("[]", &["E0602", "`bad.json` is not a plan"]);
    refused("", &["E0003"]);
    refused(
        &text.replace("\"entry\"", "\"enter\""),
        &["E0602", "unknown field `enter`"],
    );
    refused(&changed("/sizes", json!({ "k": "64" })), &["E0602"]);
    refused(
        &changed("/version", json!(1)),
        &["E0603", "version 1", "version 2"],
    );
    refused(
        &changed("/rise_opt", json!("0.0.9")),
        &["E0603", "rise-opt 0.0.9"],
    );
    refused(
        &changed("/sizes", json!({ "q": 4 })),
        &["E0604", "`q` to 4"],
    );
    refused(
        &changed("/sizes", json!({ "k": 0 })),
        &["E0604", "`k` to 0"],
    );
    refused(
        &changed("/program", json!("def")),
        &["E0605", "program of `bad.json`"],
    );
    let found = plan["steps"][1]["found"].as_str().unwrap();
    let name = plan["steps"][1]["name"].as_str().unwrap();
    let step = format!("step 2 `{name}`");
    for (what, says) in [
        (found.replacen("reduceSeq", "reduceSqe", 1), "`reduceSqe`"),
        (found.replacen("transpose ", "", 1), "does not fit"),
        (
            "def mm [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.k.f32 = a".into(),
            "its result",
        ),
        (
            "def mm [m n : nat] (a : m.n.f32) : m.n.f32 = a".into(),
            "its sizes",
        ),
    ] {
        assert_ne!(what, found, "{found}");
        refused(
            &changed("/steps/1/found", json!(what)),
            &["E0605", &step, says],
        );
    }
}

#[test]
fn a_changed_program_is_refused() {
    let dir = planned(&[MM, "--sketch", BLOCKING]);
    let dir = dir.path();
    let text = fs::read_to_string(dir.join("mm.plan.json")).unwrap();
    let plan: Value = serde_json::from_str(&text).unwrap();
    let first = plan["steps"][0]["name"].as_str().unwrap();
    let program = plan["program"].as_str().unwrap();
    let mine = |text: &str| fs::write(dir.join("mine.rise"), text).unwrap();
    let first = format!("from its first step `{first}` on");
    mine(&program.replace("0.0", "1.0"));
    refused(
        dir,
        &text,
        &["mine.rise"],
        &["E0604", &first, "its body changed"],
    );
    mine(&program.replace("m n k", "n m k"));
    refused(
        dir,
        &text,
        &["mine.rise"],
        &["E0604", &first, "its sizes changed"],
    );
    mine(&program.replace("def mm", "def nn"));
    refused(dir, &text, &["mine.rise"], &["E0604"]);
    refused(dir, &text, &["none.rise"], &["E0001", "`none.rise`"]);
    // Comments are no part of it.
    mine(&format!("-- mine\n{program}\n"));
    succeeds(
        dir,
        &[
            "--replay",
            "mm.plan.json",
            "mine.rise",
            "--emit",
            "c,header",
        ],
    );
}

#[test]
fn flags_that_make_no_sense_with_a_plan_are_refused() {
    let dir = planned(&[MM]);
    let missing = rise_opt(dir.path(), &["--replay", "none.json"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("`none.json`"));
    for flags in [
        vec!["--set", "m=4"],
        vec!["--sketch", BLOCKING],
        vec!["--entry", "mm"],
        vec!["--unguided"],
        vec!["--node-limit", "5"],
        vec!["--emit", "c,trace"],
    ] {
        let output = rise_opt(
            dir.path(),
            &[&["--replay", "mm.plan.json"], &*flags].concat(),
        );
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
    }
    let none = rise_opt(dir.path(), &["--emit", "c"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&none.stderr).contains("PROGRAM"));
}
