//! Limits in time hold for all that is searched on behalf of one command, and nothing is counted that nobody reads.

use rise_opt::driver::{load, Files};
use rise_opt::search::{optimize, Options};
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use serde_json::Value;
use std::process::{Command, Output};

fn rise_opt(args: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.args(args).current_dir(folder.path());
    command.env("NO_COLOR", "1").output().unwrap()
}

fn said(o: &Output) -> String {
    let text = [&o.stdout[..], &o.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// All searches for guides are one to the user: none begins when the time is over.
#[test]
fn guides_are_looked_for_within_the_limit() {
    let o = rise_opt(&[
        "programs/mm.rise",
        "--sketch",
        "sketches/mm/parallel.sk",
        "--guides",
        "auto",
        "--time-limit",
        "0",
    ]);
    assert_eq!(o.status.code(), Some(3), "{}", said(&o));
    for part in ["in 0 searches", "the limit of 0 s ended them", "allow more"] {
        assert!(said(&o).contains(part), "{part}: {}", said(&o));
    }
}

/// So are those for a schedule: the program as it stands is left.
#[test]
fn schedules_are_tried_within_the_limit() {
    let output = ["--emit", "record", "-o", "-"];
    let o = rise_opt(&[&["programs/mm.rise", "--time-limit", "0"][..], &output].concat());
    assert_eq!(o.status.code(), Some(0), "{}", said(&o));
    let record: Value = serde_json::from_slice(&o.stdout).unwrap();
    let all = record.pointer("/candidates/all").unwrap();
    let lost = |c: &Value| c["lost"].as_str().unwrap().starts_with("not tried");
    assert!(all.as_array().unwrap().iter().all(lost), "{all}");
}

/// Who only wants to know whether a sketch is reached does not wait for counts of its parts.
#[test]
fn parts_are_counted_for_those_who_read_it() {
    let files = Files {
        program: "programs/mm.rise",
        entry: None,
        sketches: &["sketches/mm/split.sk".to_string()],
        set: &[],
        target: Target::native(),
        trust: Default::default(),
    };
    let input = load(&files, &mut SourceMap::new()).unwrap_or_else(|d| panic!("{d:?}"));
    let parts = |diagnose| {
        let options = Options {
            diagnose,
            iterations: Some(1),
            ..Options::default()
        };
        let failure = optimize(&input.program, &input.steps, &options).failure;
        failure.expect("it takes more").parts
    };
    assert!(parts(false).is_empty());
    assert!(!parts(true).is_empty());
}
