//! The kernels of all shipped goals, compiled for every target by gcc and by clang: without a
//! warning, and right to the bit.
//!
//! A target that this machine cannot run is compiled as it should be, and is run as compiled for
//! the machine at hand. Without clang its part is left out, except in continuous integration.

#[path = "common/cases.rs"]
mod cases;
mod common;

use cases::{all_right, compile, goals, text, written, Case, GOALS};
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use std::collections::BTreeSet;
use std::process::Command;

/// gcc, and clang if the machine has it, each with what makes loops parallel.
fn compilers() -> Vec<(&'static str, &'static str)> {
    let mut all = vec![("gcc", "-fopenmp")];
    if has_clang() {
        all.push(("clang", "-fopenmp"));
    }
    all
}

fn has_clang() -> bool {
    let dir = tempfile::tempdir().expect("a folder");
    let (source, exe) = (dir.path().join("a.c"), dir.path().join("a"));
    let parallel = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n";
    std::fs::write(&source, parallel).expect("write");
    let mut command = Command::new("clang");
    let tried = command.arg("-fopenmp").arg(&source).arg("-o").arg(&exe);
    let works = tried.output().is_ok_and(|o| o.status.success());
    if !works {
        common::lacking::not_tested(
            "kernels by clang: there is none with OpenMP (Debian: packages `clang` and `libomp-dev`)",
        );
    }
    works
}

/// Everything that is compiled here is of these cases, right on this machine.
fn right(cases: &[Case], target: Target, optimise: &str) {
    for (compiler, openmp) in compilers() {
        let flags = |machine: &[&'static str]| [&[optimise, openmp], machine].concat();
        if target.runs_here() {
            all_right(compiler, cases, &flags(target.flags()));
            continue;
        }
        let dir = tempfile::tempdir().expect("a folder");
        compile(compiler, dir.path(), &text(cases), &flags(target.flags()));
        all_right(compiler, cases, &flags(&["-march=native", "-Wno-psabi"]));
    }
}

#[test]
fn goals_for_avx512() {
    right(&goals(Target::Avx512, |_| true), Target::Avx512, "-O1");
}

#[test]
fn goals_for_avx2() {
    right(&goals(Target::Avx2, |_| true), Target::Avx2, "-O1");
}

#[test]
fn goals_for_sse2() {
    right(&goals(Target::Sse2, |_| true), Target::Sse2, "-O1");
}

#[test]
fn goals_for_any_machine() {
    right(&goals(Target::Portable, |_| true), Target::Portable, "-O1");
}

/// As the header says, for the machine at hand.
#[test]
fn goals_as_they_are_compiled() {
    let target = Target::native();
    let own = |g: &cases::Goal| !g.sketch.contains("risegg");
    right(&goals(target, own), target, "-O3");
}

/// What is written without sketches knows more of the language than the goals do.
#[test]
fn clang_compiles_what_is_written() {
    if !has_clang() {
        return;
    }
    let cases = written(Target::native());
    for flags in [&["-O1"][..], &["-O3"]] {
        all_right("clang", &cases, &[&["-march=native"], flags].concat());
    }
}

/// No goal is shipped that is not compiled here.
#[test]
fn all_goals_are_tested() {
    let tested: BTreeSet<&str> = GOALS.iter().map(|g| g.sketch).collect();
    let mut chains = 0;
    for name in SourceMap::shipped().filter(|n| n.ends_with(".sk")) {
        let text = std::fs::read_to_string(name).expect("a shipped file");
        if text.lines().any(|l| l.starts_with("step ")) {
            chains += 1;
            assert!(tested.contains(name), "{name} is not among cases::GOALS");
        }
    }
    assert!(chains > 15, "{chains} goals");
}
