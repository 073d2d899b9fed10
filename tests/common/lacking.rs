//! What a test leaves out because the machine lacks a tool: said where it is seen, and again at the end.
//!
//! Test harnesses keep what a passing test prints, but not what it writes to standard error itself. What is said here is
//! kept in a file, too, from which `tests/zz_not_tested.rs`, the last of all, makes a list. Where `CI` is set a missing
//! tool is an error.
#![allow(dead_code)]

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// One line each: the process that started the tests, then what was left out.
pub fn file() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("not-tested")
}

/// `cargo test`, of which all tests are children.
pub fn run() -> u32 {
    #[cfg(unix)]
    return std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    0
}

/// Says what is left out, and why.
pub fn not_tested(what: &str) {
    let what = what.trim().lines().next().unwrap_or_default();
    let ci = std::env::var_os("CI").is_some_and(|v| !v.is_empty() && v != "false");
    assert!(!ci, "{what}");
    let _ = writeln!(std::io::stderr(), "NOT TESTED: {what}");
    let kept = OpenOptions::new().create(true).append(true).open(file());
    let line = format!("{} {what}\n", run());
    kept.and_then(|mut f| f.write_all(line.as_bytes()))
        .expect("the folder for files of tests can be written");
}
