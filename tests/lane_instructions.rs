//! Operations on vectors that the text of a kernel has instructions for: conversions, the least and the largest, amounts, choices by what
//! is compared in another width. Of all types and widths, on numbers of their whole range, with the instructions and without.

use crate::common::cases::{self, all_right, of_kernels, Case};
use crate::common::share;
use crate::ctext::same;
use rise_opt::emit::Contract;
use rise_opt::interp::random::Rng;
use rise_opt::target::Target;
use rise_opt::ty::Scalar;

const N: i64 = 24;

fn numbers() -> impl Iterator<Item = Scalar> {
    let all = Scalar::ALL.into_iter();
    all.filter(|s| *s != Scalar::Bool && !s.is_half())
}

/// Bits of so many numbers: any for integers; for floats the ends of integers, what lies around them, infinities and no number, too.
fn bits(s: Scalar, count: i64, rng: &mut Rng) -> Vec<u8> {
    let float = |rng: &mut Rng| -> f64 {
        let power = 2f64.powi(rng.below(70) as i32);
        let near = [power, power - 1.0, power - 0.5, power + 0.5, power * 0.7];
        let of = near[rng.below(5) as usize];
        let special = [
            f64::NAN,
            f64::INFINITY,
            0.0,
            -0.0,
            1e-40,
            255.5,
            127.5,
            65535.5,
        ];
        let x = match rng.below(6) {
            0 => special[rng.below(8) as usize],
            _ => of,
        };
        if rng.below(2) == 0 {
            -x
        } else {
            x
        }
    };
    let each = |_| match s {
        Scalar::F32 => (float(rng) as f32).to_ne_bytes().to_vec(),
        Scalar::F64 => float(rng).to_ne_bytes().to_vec(),
        _ => rng.bits().to_ne_bytes()[..s.bytes() as usize].to_vec(),
    };
    (0..count).flat_map(each).collect()
}

/// Lanes at which one of two types fills a register.
fn widths(a: Scalar, b: Scalar) -> impl Iterator<Item = u64> {
    let bytes = a.bytes().max(b.bytes());
    [16, 32, 64]
        .map(|register| register / bytes)
        .into_iter()
        .filter(|k| *k > 1)
}

struct Cases {
    all: Vec<Case>,
    rng: Rng,
}

impl Cases {
    /// A result of arrays `x` and `y` of `from`, and `p`, `q` of `to`.
    fn add(&mut self, (from, to, k): (Scalar, Scalar, u64), body: &str) {
        let (a, b) = (from.name(), to.name());
        let text = format!(
            "def f [n : nat] (x : ({k}*n).{a}) (y : ({k}*n).{a}) (p : ({k}*n).{b}) (q : ({k}*n).{b}) : ({k}*n).{b} =\n  \
             {body}\n"
        );
        let name = format!("c{}", self.all.len());
        let count = k as i64 * N;
        let of = [from, from, to, to];
        let inputs = of.map(|s| bits(s, count, &mut self.rng)).to_vec();
        let case = cases::case_of(&text, N, inputs, Target::Avx512, &name);
        self.all.push(case);
    }
}

/// Choices by numbers of another width.
fn chosen(k: u64) -> String {
    format!(
        "zip (zip x y) (zip p q) |> map (\\v -> let ((x, y), (p, q)) = v in select (x < y) p q) \
         |> asVector[{k}] |> mapSeq (\\v -> v) |> asScalar"
    )
}

fn all() -> Vec<Case> {
    let mut cases = Cases {
        all: Vec::new(),
        rng: Rng::new(7),
    };
    for from in numbers() {
        for to in numbers().filter(|to| *to != from) {
            for k in widths(from, to) {
                let to_lanes = format!("(cast x : <{k}>{})", to.name());
                let body = format!("asVector[{k}] x |> map (\\x -> {to_lanes}) |> asScalar");
                cases.add((from, to, k), &body);
                if from.bytes() != to.bytes() {
                    let body = chosen(k);
                    cases.add((from, to, k), &body);
                }
            }
        }
        for k in widths(from, from) {
            let lanes = |e: &str| {
                format!("zip (zip (asVector[{k}] x) (asVector[{k}] y)) (asVector[{k}] p) |> map (\\v -> let ((x, y), p) = v in {e}) |> asScalar")
            };
            cases.add((from, from, k), &lanes("max (min x y) p"));
            if from.is_signed() || from.is_float() {
                cases.add((from, from, k), &lanes("abs x"));
            }
        }
    }
    cases.all
}

#[test]
fn lanes_are_single_numbers() {
    let all = all();
    let text = cases::text(&all);
    for name in [
        "u8x16_to_i32",
        "i8x8_to_i64",
        "u16x8_to_u32",
        "f32x8_to_f64",
        "i32x4_to_f64",
        "MIN_u8x64",
        "MAX_i16x16",
        "ABS_i32x16",
        "f32x16_to_u8",
        "f64x8_to_i16",
    ] {
        assert!(text.contains(&format!("#define {name}(a")), "{name}");
    }
    let native: &[&str] = &[
        "-O1",
        "-march=native",
        "-mprefer-vector-width=512",
        "-Wno-psabi",
    ];
    for (way, flags) in [native, &["-O1", "-Wno-psabi"]].into_iter().enumerate() {
        let some = of_kernels(&all, |kernel| share::takes(kernel, way, 2));
        all_right("cc", &some, flags);
    }
    // The C text is read back as what was printed.
    let differ: Vec<String> = (all.iter())
        .filter_map(|case| same(&case.name, &case.nest, Contract::default()))
        .collect();
    assert!(differ.is_empty(), "{differ:#?}");
}
