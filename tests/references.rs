//! Every shipped program computes what an implementation of somebody else's language says: numpy's.
//!
//! `tests/reference/programs.py` computes each program a second time. What it said is stored beside it, and compared here with
//! the interpreter; the kernel of the program as it stands has to be the interpreter's result to the bit. Where Python with numpy is
//! installed, the script is run again and has to say what is stored. `python3 tests/reference/programs.py --write` stores anew.

use crate::common::cases::{all_right, case_with};
use crate::common::lacking::not_tested;
use crate::common::reference::{name, Stored};
use crate::common::{self, share};
use rise_opt::interp::eval_program;
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

fn shipped() -> Vec<&'static str> {
    let all = SourceMap::shipped();
    all.filter(|f| f.starts_with("programs/")).collect()
}

#[test]
fn the_interpreter_computes_what_is_stored() {
    let (mut cases, mut wrong) = (0, Vec::new());
    for path in shipped() {
        let program = common::program(path);
        let stored = Stored::of(path);
        for case in &stored.cases {
            let sizes = case.sizes();
            let arguments = stored.arguments(&program, &sizes);
            let said = match eval_program(&program, &sizes, &arguments) {
                Ok(value) => stored.objection(&value, &program, case),
                Err(e) => Some(e.to_string()),
            };
            wrong.extend(said.map(|s| format!("{path} at {:?}: {s}", case.sizes)));
            cases += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases >= 4 * shipped().len(), "{cases} cases");
}

/// Each has sizes of one element, odd ones, and where a program has a meaning at 0, that.
#[test]
fn references_have_the_sizes_that_go_wrong() {
    for path in shipped() {
        let stored = Stored::of(path);
        let sizes = || stored.cases.iter().flat_map(|c| c.sizes.values());
        assert!(stored.cases.len() >= 4, "{path}");
        assert!(sizes().any(|n| *n == 1), "{path} never has a size of 1");
        let odd = sizes().any(|n| *n > 1 && n % 2 == 1);
        let powers = path.contains("fft") || path.contains("sort");
        assert!(odd || powers, "{path} never has an odd size");
    }
}

#[test]
fn kernels_compute_what_is_stored() {
    // Compiling takes the time.
    let level = if share::all() { "-O2" } else { "-O1" };
    for (i, some) in shipped().chunks(26).enumerate() {
        let mut all = Vec::new();
        for (j, path) in some.iter().enumerate() {
            let program = common::program(path);
            let stored = Stored::of(path);
            for case in &stored.cases {
                let sizes = case.sizes();
                let arguments = stored.arguments(&program, &sizes);
                let kernel = format!("r{i}_{j}");
                let own = program.clone();
                let case = case_with(Target::default(), kernel, own, sizes, &arguments);
                all.push(case.unwrap_or_else(|| panic!("{path} has no value")));
            }
        }
        all_right("cc", &all, &[level, "-march=native", "-fopenmp"]);
    }
}

/// Any in PATH will do: the first may be another than the system's, for which packages are installed.
fn python_with_numpy() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join("python3"))
        .find(|python| {
            let probe = Command::new(python).args(["-c", "import numpy"]).output();
            probe.is_ok_and(|o| o.status.success())
        })
}

#[test]
fn the_script_says_what_is_stored() {
    let Some(python) = python_with_numpy() else {
        return not_tested(
            "stored values of programs against their references: python3 with numpy is missing (package python3-numpy)",
        );
    };
    let output = Command::new(python)
        .arg("tests/reference/programs.py")
        .output();
    let output = output.expect("python3 runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let mut names = BTreeSet::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut now: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let program = now["program"].take();
        let program = program.as_str().expect("a name");
        let now: Stored = serde_json::from_value(now).expect("the form of stored values");
        let stored = Stored::of(program);
        assert_eq!(stored.ranges, now.ranges, "{program}");
        assert_eq!(stored.tolerance, now.tolerance, "{program}");
        assert_eq!(stored.cases.len(), now.cases.len(), "{program}");
        for (a, b) in stored.cases.iter().zip(&now.cases) {
            assert_eq!(a.sizes, b.sizes, "{program}");
            let both = a.expected.concat().into_iter().zip(b.expected.concat());
            let same = |(x, y): (f64, f64)| (x - y).abs() <= 1e-8 * x.abs().max(1.0);
            let lengths = |e: &common::reference::Expected| -> Vec<usize> {
                e.expected.iter().map(Vec::len).collect()
            };
            assert_eq!(lengths(a), lengths(b), "{program} at {:?}", a.sizes);
            assert!(
                both.into_iter().all(same),
                "{program} at {:?}: {:?} is stored, {:?} computed",
                a.sizes,
                a.expected,
                b.expected
            );
        }
        names.insert(program.to_string());
    }
    let programs: BTreeSet<String> = shipped().into_iter().map(|p| name(p).to_string()).collect();
    assert_eq!(names, programs, "programs and references");
}
