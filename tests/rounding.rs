//! What a kernel computes does not depend on who compiles it: contraction is said and can be forbidden, sizes are numbers
//! of every type, hints are no warnings.

use crate::common;
use crate::runs::{checked, interpreted};
use rise_opt::intern::Symbol;
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{eval_program, Num, Sizes, Value};
use std::path::Path;
use std::process::Command;

fn rise_opt(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_rise-opt"))
        .args(args)
        .current_dir(dir)
        .output()
        .expect("rise-opt runs");
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    (
        run.status.code().unwrap_or(-1),
        text(&run.stdout),
        text(&run.stderr),
    )
}

fn made(dir: &Path, args: &[&str]) {
    let (code, out, err) = rise_opt(dir, args);
    assert_eq!(code, 0, "{args:?}\n{out}{err}");
}

fn cc(dir: &Path, compiler: &str, args: &[&str]) -> (bool, String) {
    let run = Command::new(compiler).args(args).current_dir(dir).output();
    match run {
        Ok(run) => (
            run.status.success(),
            String::from_utf8_lossy(&run.stderr).into_owned(),
        ),
        Err(e) => (false, e.to_string()),
    }
}

/// Whether a compiler makes programs with these flags here.
fn works(dir: &Path, compiler: &str, flags: &[&str]) -> bool {
    std::fs::write(
        dir.join("works.c"),
        "#include <stdint.h>\n#include <stdlib.h>\nint main(void) { return 0; }\n",
    )
    .expect("write");
    let ok = cc(
        dir,
        compiler,
        &[flags, &["works.c", "-o", "works"]].concat(),
    )
    .0;
    if !ok {
        eprintln!("NOT TESTED: {compiler} does not compile with {flags:?}");
    }
    ok
}

#[test]
fn contraction_is_said_and_can_be_forbidden() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    if !works(dir, "cc", &["-mavx2", "-mfma"]) {
        return;
    }
    let fused = |file: &str, compiler: &str, flags: &[&str]| {
        let (ok, said) = cc(
            dir,
            compiler,
            &[
                &[
                    "-std=gnu11",
                    "-O3",
                    "-mavx2",
                    "-mfma",
                    "-S",
                    file,
                    "-o",
                    "k.s",
                ],
                flags,
            ]
            .concat(),
        );
        assert!(ok, "{said}");
        let text = std::fs::read_to_string(dir.join("k.s")).expect("assembly");
        text.matches("vfmadd").count()
    };
    let mm = [
        "programs/mm.rise",
        "--sketch",
        "sketches/mm/micro.sk",
        "--target",
        "avx2",
        "--emit",
        "c,header,plan",
    ];
    let (code, out, err) = rise_opt(dir, &[&mm[..], &["-o", "on.c"]].concat());
    assert!(
        code == 0 && out.contains("rounding a*b + c may be rounded once"),
        "{out}{err}"
    );
    let (code, out, err) = rise_opt(
        dir,
        &[&mm[..], &["--contract", "off", "-o", "off.c"]].concat(),
    );
    assert!(
        code == 0 && out.contains("rounding every operation is rounded"),
        "{out}{err}"
    );
    let header = |name: &str| std::fs::read_to_string(dir.join(name)).expect("a header");
    assert!(header("on.h").contains("Rounding: a*b + c may be rounded once"));
    assert!(header("off.h").contains("Rounding: every operation is rounded"));
    assert!(
        header("off.h").contains("-ffp-contract=off") && !header("on.h").contains("-ffp-contract")
    );
    for compiler in ["gcc", "clang"] {
        if works(dir, compiler, &[]) {
            assert!(fused("on.c", compiler, &[]) > 0, "{compiler}");
            assert_eq!(fused("off.c", compiler, &[]), 0, "{compiler}");
        }
    }
    // The text of the kernel is heard by gcc whatever the flags are.
    assert_eq!(fused("off.c", "gcc", &["-ffp-contract=fast"]), 0);
    made(
        dir,
        &[
            "--replay",
            "off.plan.json",
            "--emit",
            "c,header",
            "-o",
            "off2.c",
        ],
    );
    let (a, b) = (header("off.c"), header("off2.c").replace("off2.h", "off.h"));
    assert_eq!(a, b);
}

/// A size is a number of every type, the nearest one of floats.
#[test]
fn sizes_are_floats_too() {
    let text = "def mean [n : nat] (xs : n.f32) (ys : n.f64) : (f32, f64) =\n  \
                pair ((xs |> reduce (+) 0.0) / n) ((ys |> reduce (+) 0.0) / size[2 * n])\n";
    let program = common::program_text(text);
    assert!(interpreted(&checked(&program, None, &[])) > 1);
    let sizes = Sizes::from([(Symbol::new("n"), 0)]);
    let mut rng = Rng::new(1);
    let empty = (program.params.iter()).map(|p| value_of(&mut rng, p.1, &sizes, Numbers::Unit));
    let empty: Vec<Value> = empty.map(|v| v.expect("a value")).collect();
    let value = eval_program(&program, &sizes, &empty).expect("a value");
    let (a, b) = value.as_pair().expect("a pair");
    assert!(matches!(a.as_num(), Some(Num::F32(x)) if x.is_nan()));
    assert!(matches!(b.as_num(), Some(Num::F64(x)) if x.is_nan()));
}
