//! Of `exec::toolchain`.

use rise_opt::diag::code;
use rise_opt::exec::toolchain::*;
use rise_opt::target::Target;

#[test]
fn a_missing_compiler_is_named_with_the_package() {
    let e = Toolchain::find_in(Some("no-such-compiler -x"), Target::native()).unwrap_err();
    assert_eq!(e.code, code::NO_COMPILER);
    assert!(e.notes[0].contains("no-such-compiler"), "{e:?}");
    assert!(e.help.unwrap().contains("gcc"));
}

#[test]
fn what_is_no_compiler_is_not_taken_for_one() {
    let e = Toolchain::find_in(Some("true"), Target::native()).unwrap_err();
    assert_eq!(e.code, code::NO_COMPILER);
}

#[test]
fn kernels_of_wider_machines_are_refused() {
    let e = may_run(Target::Avx512, Target::Avx2).unwrap_err();
    assert_eq!(e.code, code::TARGET_TOO_WIDE);
    assert!(e.message.contains("avx512") && e.notes[0].contains("avx2"));
    assert!(may_run(Target::Sse2, Target::Portable).is_err());
    for t in Target::ALL {
        assert_eq!(may_run(t, Target::Avx512).is_ok(), t != Target::Neon, "{t}");
        assert_eq!(may_run(t, Target::native()).is_ok(), t.runs_here());
    }
}

#[test]
fn flags_that_a_target_needs_are_not_left_out() {
    let Some(narrow) = Target::ALL
        .into_iter()
        .find(|t| *t > Target::native() && t.runs_here())
    else {
        return;
    };
    if narrow.flags().is_empty() {
        return;
    }
    let dir = temp_dir().unwrap();
    let picky = dir.path().join("picky");
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in *{}*) exit 1;; esac\nexec cc \"$@\"\n",
        narrow.flags()[0]
    );
    std::fs::write(&picky, text).unwrap();
    let sh = format!("sh {}", picky.display());
    let e = Toolchain::find_with(Some(&sh), narrow).unwrap_err();
    assert_eq!(e.code, code::TARGET_FLAGS);
    assert!(Toolchain::find_with(Some(&sh), Target::Portable).is_ok());
}

#[test]
fn the_machine_has_a_compiler_and_errors_are_passed_on() {
    let tool = Toolchain::find().unwrap();
    assert!(!tool.version.is_empty());
    let dir = temp_dir().unwrap();
    let c = dir.path().join("a.c");
    std::fs::write(&c, "int main(void) { return nothing; }").unwrap();
    let e = tool
        .build(&[c], &dir.path().join("a"), &[], &[])
        .unwrap_err();
    assert_eq!(e.code, code::COMPILER_REFUSES);
    assert!(e.notes.iter().any(|n| n.contains("nothing")), "{e:?}");
}
