//! Floats of 16 bits: every one of them, and the numbers between two neighbours, in Rust and in C.

use crate::common::cases::{self, all_right};
use crate::common::lacking;
use rise_opt::target::Target;
use rise_opt::ty::Scalar;

const HALVES: [Scalar; 2] = [Scalar::F16, Scalar::Bf16];

/// Bits of the exponent and of the fraction.
fn form(s: Scalar) -> (i32, i32) {
    match s {
        Scalar::F16 => (5, 10),
        _ => (8, 7),
    }
}

/// The number by the definition of the format.
fn value(s: Scalar, bits: u16) -> f64 {
    let (e, f) = form(s);
    let bias = (1 << (e - 1)) - 1;
    let exponent = i32::from(bits >> f) & ((1 << e) - 1);
    let fraction = f64::from(i32::from(bits) & ((1 << f) - 1)) / f64::from(1 << f);
    let amount = match exponent {
        0 => fraction * 2f64.powi(1 - bias),
        x if x == (1 << e) - 1 && fraction == 0.0 => f64::INFINITY,
        x if x == (1 << e) - 1 => f64::NAN,
        x => (1.0 + fraction) * 2f64.powi(x - bias),
    };
    if bits >> 15 == 1 {
        -amount
    } else {
        amount
    }
}

#[test]
fn every_number_is_what_its_bits_say() {
    for s in HALVES {
        for bits in 0..=u16::MAX {
            let (got, want) = (f64::from(s.of_half_bits(bits)), value(s, bits));
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{s:?} {bits:x}: {got} {want}");
            let back = s.half_bits(s.of_half_bits(bits));
            assert!(want.is_nan() || back == bits, "{s:?} {bits:x} {back:x}");
            assert_eq!(want.is_nan(), f64::from(s.rounded(want as f32)).is_nan());
        }
    }
}

/// The two neighbours of the number between them, the second of which may be infinite: then it counts as the next power.
fn between(s: Scalar, bits: u16) -> [f64; 2] {
    let (e, _) = form(s);
    let above = value(s, bits + 1);
    let above = match above.is_infinite() {
        true => 2f64.powi(1 << (e - 1)),
        false => above,
    };
    [value(s, bits), above]
}

#[test]
fn what_is_between_is_rounded_to_the_nearest_and_ties_to_even() {
    for s in HALVES {
        let (e, f) = form(s);
        let largest = (((1u16 << e) - 1) << f) - 1;
        for bits in 0..=largest {
            let [low, high] = between(s, bits);
            let middle = ((low + high) / 2.0) as f32;
            let even = bits + (bits & 1);
            let step = |x: f32, by: i32| f32::from_bits((x.to_bits() as i32 + by) as u32);
            for (x, want) in [
                (step(middle, -1), bits),
                (middle, even),
                (step(middle, 1), bits + 1),
            ] {
                assert_eq!(s.half_bits(x), want, "{s:?} {x}");
                assert_eq!(s.half_bits(-x), want | 0x8000, "{s:?} -{x}");
            }
        }
    }
}

/// All numbers of 16 bits to f32, and f32 beside and between them to 16 bits: one by one and in vectors.
#[test]
fn kernels_convert_every_number() {
    let one_by_one = "map (\\v -> (cast v : f32)) a, map (\\v -> (cast v : half)) x";
    let in_vectors = "asScalar (asVector[16] (map (\\v -> (cast v : f32)) a)), \
                      asScalar (asVector[16] (map (\\v -> (cast v : half)) x))";
    let n = 65536 / 16;
    let mut cases = Vec::new();
    for (s, half) in HALVES.into_iter().zip(["f16", "bf16"]) {
        let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect();
        for by in [-1, 0, 1] {
            let x = |bits: u16| {
                let low = s.of_half_bits(bits);
                let high = s.of_half_bits(bits ^ 1);
                let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
                f32::from_bits((middle.to_bits() as i32).wrapping_add(by) as u32)
            };
            let xs: Vec<u8> = (0..=u16::MAX).flat_map(|b| x(b).to_ne_bytes()).collect();
            for target in [Target::Portable, Target::default()] {
                for results in [one_by_one, in_vectors] {
                    let text = format!(
                        "def f [n : nat] (a : (16*n).half) (x : (16*n).f32) = ({results})\n"
                    )
                    .replace("half", half);
                    let name = format!("c{}", cases.len());
                    let inputs = vec![all.clone(), xs.clone()];
                    cases.push(cases::case_of(&text, n, inputs, target, &name));
                }
            }
        }
    }
    let text = cases::text(&cases);
    for macro_ in [
        "F16_TO_F32_X16",
        "F32_TO_F16_X4",
        "BF16_TO_F32_X4",
        "F32_TO_BF16_X16",
    ] {
        let wide = Target::default().lanes(Scalar::F32) == 16 || macro_.ends_with("X4");
        assert!(!wide || text.contains(macro_), "{macro_}");
    }
    for compiler in ["gcc", "clang"] {
        match std::process::Command::new(compiler)
            .arg("--version")
            .output()
        {
            Ok(_) => all_right(compiler, &cases, &["-O2", "-march=native", "-Wno-psabi"]),
            Err(_) => lacking::not_tested(compiler),
        }
    }
}
