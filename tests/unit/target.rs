//! Of `target`.

use rise_opt::target::*;
use rise_opt::ty::Scalar;

#[test]
fn targets_are_described() {
    assert_eq!(Target::Avx512.lanes(Scalar::F32), 16);
    assert_eq!(Target::Avx2.lanes(Scalar::F64), 4);
    assert_eq!(
        (Target::Neon.registers(), Target::Neon.register_bytes()),
        (32, 16)
    );
    let constants = Target::Sse2.constants();
    for (name, n) in [
        ("target.registers", 16),
        ("target.bytes", 16),
        ("target.f32lanes", 4),
        ("target.i8lanes", 16),
    ] {
        assert!(constants.contains(&(name.to_string(), n)), "{name}");
    }
    for (name, _) in constants {
        assert_eq!(constant_at(&name), Some(name.len()));
        assert_eq!(constant_at(&format!("{name}.f32")), Some(name.len()));
    }
    for other in ["target", "target.n", "target.f32", "target.f32lanes2"] {
        assert_eq!(constant_at(other), None, "{other}");
    }
}

#[test]
fn the_present_machine_runs_its_own_target_and_narrower_ones() {
    let native = Target::native();
    for t in Target::ALL {
        assert_eq!(native.runs(t), t.runs_here(), "{t}");
    }
    assert!(!Target::Avx512.runs(Target::Neon) && !Target::Neon.runs(Target::Sse2));
    assert!(Target::Portable.runs_here());
}
