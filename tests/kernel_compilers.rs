//! The kernels of all shipped goals, compiled for every target by gcc and by clang: without a
//! warning, and right to the bit.
//!
//! A target that this machine cannot run is compiled as it should be, and is run as compiled for
//! the machine at hand. Without clang its part is left out, except in continuous integration.

use crate::common;
use crate::common::cases::{
    all_right, case_for, compile, expect_none, goals, of_kernels, one_of_goals, one_written, text,
    wrong, Case, Goal, GOALS,
};
use crate::common::share;
use rise_opt::emit::{emit_all, Options};
use rise_opt::interp::random::Rng;
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
    let compilers = compilers();
    let ways = compilers.len() + usize::from(!target.runs_here());
    // The kernels that are compiled in one of the ways: they take turns.
    let turns = |way: usize| of_kernels(cases, |kernel| share::takes(kernel, way, ways));
    for (way, (compiler, openmp)) in compilers.into_iter().enumerate() {
        let cases = turns(way);
        let flags = |machine: &[&'static str]| [&[optimise, openmp], machine].concat();
        if target.runs_here() {
            all_right(compiler, &cases, &flags(target.flags()));
            continue;
        }
        let dir = tempfile::tempdir().expect("a folder");
        compile(compiler, dir.path(), &text(&cases), &flags(target.flags()));
    }
    if !target.runs_here() {
        let flags = [optimise, "-fopenmp", "-march=native", "-Wno-psabi"];
        all_right("gcc", &turns(ways - 1), &flags);
    }
}

/// Whether a goal is compiled for a target: each for one of them, beside the machine at hand; where everything is looked at, products for each.
fn is_for(goal: &Goal, target: Target) -> bool {
    let turns = [
        Target::Avx512,
        Target::Avx2,
        Target::Sse2,
        Target::Portable,
        Target::Neon,
    ];
    let turn = goal.sketch.bytes().map(usize::from).sum::<usize>() % turns.len();
    share::all() && goal.program.contains("mm") || turns[turn] == target
}

/// Our own goals for the machine at hand are left out: `goals_as_they_are_compiled` has them, with the same flags but `-O3`.
fn in_turn(target: Target) {
    let again = |g: &Goal| target == Target::native() && own(g);
    let chosen = goals(target, |g| is_for(g, target) && !again(g));
    right(&chosen, target, "-O1");
}

fn own(goal: &Goal) -> bool {
    !goal.sketch.contains("risegg")
}

#[test]
fn goals_for_avx512() {
    in_turn(Target::Avx512);
}

#[test]
fn goals_for_avx2() {
    in_turn(Target::Avx2);
}

#[test]
fn goals_for_sse2() {
    in_turn(Target::Sse2);
}

#[test]
fn goals_for_any_machine() {
    in_turn(Target::Portable);
}

const CROSS: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";

/// Whether programs for AArch64 are made and run here, and what the compiler defines with the flags of the target.
fn aarch64() -> Option<String> {
    let dir = tempfile::tempdir().expect("a folder");
    let (source, exe) = (dir.path().join("a.c"), dir.path().join("a"));
    std::fs::write(&source, "int main(void) { return sizeof(void *) - 8; }\n").expect("write");
    let mut make = Command::new(CROSS);
    let made = make
        .arg("-static")
        .arg(&source)
        .arg("-o")
        .arg(&exe)
        .output();
    let runs = || Command::new(EMULATOR).arg(&exe).status();
    if !made.is_ok_and(|o| o.status.success()) || !runs().is_ok_and(|s| s.success()) {
        common::lacking::not_tested(
            "kernels for AArch64 (Debian: packages `gcc-aarch64-linux-gnu`, `libc6-dev-arm64-cross` and `qemu-user`)",
        );
        return None;
    }
    let mut ask = Command::new(CROSS);
    let ask = ask.args(Target::Neon.flags()).args(["-dM", "-E"]);
    let said = ask.arg(&source).output().expect("the compiler");
    Some(String::from_utf8_lossy(&said.stdout).into_owned())
}

#[test]
fn goals_for_neon() {
    let Some(defined) = aarch64() else { return };
    for name in Target::Neon.macros() {
        assert!(defined.contains(&format!("#define {name} ")), "{name}");
    }
    let cases = goals(Target::Neon, |g| own(g) && is_for(g, Target::Neon));
    assert!(cases
        .iter()
        .any(|c| text(std::slice::from_ref(c)).contains("vector_size(16)")));
    let dir = tempfile::tempdir().expect("a folder");
    let flags = [Target::Neon.flags(), &["-O1", "-static"]].concat();
    let exe = compile(CROSS, dir.path(), &text(&cases), &flags);
    let start = || {
        let mut command = Command::new(EMULATOR);
        command.arg(&exe);
        command
    };
    expect_none(&wrong(&start, dir.path(), &cases), &cases, EMULATOR);
}

/// Compilers define with the flags of each target what the table says.
#[test]
fn flags_make_compilers_define_what_targets_have() {
    for target in Target::ALL.into_iter().filter(|t| *t != Target::Neon) {
        if target.flags().is_empty() || !cfg!(target_arch = "x86_64") {
            continue;
        }
        let mut ask = Command::new("gcc");
        let ask = ask
            .args(target.flags())
            .args(["-dM", "-E", "-x", "c", "/dev/null"]);
        let said = ask.output().expect("gcc");
        let defined = String::from_utf8_lossy(&said.stdout);
        for name in target.macros() {
            assert!(
                defined.contains(&format!("#define {name} ")),
                "{target}: {name}"
            );
        }
    }
}

/// As the header says, for the machine at hand.
#[test]
fn goals_as_they_are_compiled() {
    let target = Target::native();
    // Half of them: compiling at this level takes the time.
    right(&one_of_goals(target, own, 1, 2), target, "-O3");
}

/// What is written without sketches knows more of the language than the goals do.
#[test]
fn clang_compiles_what_is_written() {
    if !has_clang() {
        return;
    }
    all_right(
        "clang",
        &one_written(Target::native(), 2, 6),
        &["-march=native", "-O3"],
    );
}

/// Arithmetic on both sides of a choice is no reason for gcc to take numbers one by one: it may compute both.
#[test]
fn choices_are_made_in_vectors() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let text = "def hue [n : nat] (x : n.f32) (y : n.f32) : n.f32 = zip x y |> map (\\(u, v) ->
        select (u < v) (u / v) (select (u == v) (2.0 + v / (u + 3.0)) (4.0 - v / u)))";
    let sizes = crate::common::cases::sizes("n=67");
    let mut rng = Rng::new(3);
    let program = common::program_text(text);
    let case = case_for(Target::Avx2, "hue".into(), program, sizes, &mut rng).expect("a value");
    let dir = tempfile::tempdir().expect("a folder");
    let source = dir.path().join("hue.c");
    std::fs::write(&source, emit_all(&[&case.nest], &Options::default())).expect("write");
    let mut gcc = Command::new("gcc");
    let gcc = gcc
        .args(Target::Avx2.flags())
        .args(["-O3", "-S", "-o", "-"]);
    let said = gcc.arg(&source).output().expect("gcc");
    assert!(
        said.status.success(),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    let said = String::from_utf8_lossy(&said.stdout);
    let packed = said
        .lines()
        .filter(|l| l.contains("vdivps") && l.contains("%ymm"));
    assert!(packed.count() >= 3, "{said}");
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
