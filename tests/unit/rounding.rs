//! Of `rounding`: programs with bounds say what the interpreter says with bounds, at all that it says.

use crate::common::{program_text, share};
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{buffers, eval_bounded, eval_program, Num, Shape, Sizes, Value};
use rise_opt::lower::{self, lower};
use rise_opt::rounding::{with_bounds, Roundings};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;

fn bytes(program: &Program, args: &[Value], sizes: &Sizes) -> Vec<Vec<Vec<u8>>> {
    let params = args.iter().zip(&program.params);
    let of = |(value, (_, ty)): (&Value, &(_, _))| {
        let shape = Shape::of(*ty, sizes).expect("a shape");
        let buffers = buffers::to_buffers(value, &shape).expect("data");
        buffers.into_iter().map(|b| b.bytes).collect()
    };
    params.map(of).collect()
}

/// The numbers of each part of a result.
type Leaves = Vec<Vec<Num>>;

/// The numbers of a program with bounds at sizes and numbers drawn, and those of the interpreter, if nothing is in doubt.
fn both(program: &Program, first: i64, numbers: Numbers) -> Option<(Leaves, Leaves)> {
    let bounded = with_bounds(program, Roundings::Alike).expect("a program with bounds");
    let sizes = program.sizes.iter().zip(first..);
    let sizes: Sizes = sizes.map(|(name, n)| (*name, n)).collect();
    let mut rng = Rng::new(7);
    let args = program.params.iter();
    let args = args.map(|p| value_of(&mut rng, p.1, &sizes, numbers).ok());
    let args: Vec<Value> = args.collect::<Option<_>>()?;
    let want = eval_bounded(program, &sizes, &bytes(program, &args, &sizes)).ok()??;
    let got = eval_program(&bounded, &sizes, &args).expect("a value");
    Some((got.leaves(), want.leaves()))
}

/// How many numbers are the same; all have to be.
fn same(name: &str, program: &Program, first: i64, numbers: Numbers) -> usize {
    let Some((got, want)) = both(program, first, numbers) else {
        return 0;
    };
    assert_eq!(got.len(), 2 * want.len(), "{name}");
    let mut count = 0;
    for (leaf, want) in want.iter().enumerate() {
        for (i, want) in want.iter().enumerate() {
            let (a, b) = (got[2 * leaf][i], got[2 * leaf + 1][i]);
            let agrees = match want {
                Num::Bounded(w) => {
                    let (value, off) = (a.as_f64(), b.as_f64());
                    (value == w.value || value.is_nan() && w.value.is_nan())
                        && (off == w.bound() || (off - w.bound()).abs() <= 1e-9 * w.bound())
                }
                w => a.int() == w.int() && b.int() == w.int(),
            };
            assert!(agrees, "{name} {leaf} {i}: {a:?} {b:?}, not {want:?}");
            count += 1;
        }
    }
    count
}

#[test]
fn shipped_programs_with_bounds_say_what_the_interpreter_says() {
    let mut compared = 0;
    let files = SourceMap::shipped().filter(|f| f.starts_with("programs/"));
    for file in share::one(files, 0, 2) {
        let program = crate::common::program(file);
        for first in [0, 3] {
            let numbers = same(file, &program, first, Numbers::Unit);
            compared += usize::from(numbers > 0);
        }
        let bounded = with_bounds(&program, Roundings::Alike).expect("a program with bounds");
        let nest = lower(&bounded, &lower::Options::default());
        assert!(nest.is_ok(), "{file}: {nest:?}");
    }
    assert!(compared > 50, "{compared}");
}

/// Operations on numbers of every kind.
const OPERATIONS: &[&str] = &[
    "def k [n : nat] (x : n.f32) (y : n.f32) : n.f32 = zip x y |> map (\\p -> fma (fst p) (snd p) (fst p) - abs (snd p))",
    "def k [n : nat] (x : n.f32) (y : n.f32) : n.f32 = zip x y |> map (\\p -> fst p / snd p * (fst p + snd p) % fst p)",
    "def k [n : nat] (x : n.f32) (y : n.f32) : n.f32 = zip x y |> map (\\p -> sqrt (fst p + snd p) + log (fst p * snd p))",
    "def k [n : nat] (x : n.f32) (y : n.f32) : n.f32 = zip x y |> map (\\p -> exp (fst p + snd p) + exp2 (fst p) - tanh (snd p + fst p))",
    "def k [n : nat] (x : n.f32) (y : n.f32) : n.f32 = zip x y |> map (\\p -> sin (fst p + snd p) * cos (fst p) / (fst p - snd p))",
    "def k [n : nat] (x : n.f32) (y : n.f32) : n.f32 = zip x y |> map (\\p -> min (fst p + snd p) (max (fst p) (-(snd p))))",
    "def k [n : nat] (x : n.f32) : n.f64 = x |> map (\\v -> (cast (v * v + v) : f64) * 3.0)",
    "def k [n : nat] (x : n.f64) : n.f16 = x |> map (\\v -> (cast (v * v + v) : f16) + 3.0)",
    "def k [n : nat] (x : n.bf16) (y : n.i32) : n.f16 = zip x y |> map (\\p -> (cast (fst p * fst p) : f16) + (cast (snd p) : f16))",
    "def k [n : nat] (x : n.f16) (y : n.i32) : (f16, i32) = pair (x |> reduce (+) 0.0) (y |> reduce (*) 1)",
    "def k [n : nat] (x : n.f32) : (f32, n.f32) = let s = reduce (+) 0.0 x in pair (1.0 / s) (x |> map (\\v -> v / s))",
];

#[test]
fn operations_with_bounds_say_what_the_interpreter_says() {
    for text in OPERATIONS {
        let program = program_text(&format!("{text}\n"));
        for numbers in [Numbers::Unit, Numbers::Whole, Numbers::Any] {
            for first in [1, 17, 300] {
                assert!(same(text, &program, first, numbers) > 0, "{text}");
            }
        }
    }
}

/// What comparisons of floats decide, and casts from them, has a range, which is one number where nothing is in doubt.
#[test]
fn what_floats_decide_has_a_range() {
    let told = |text: &str, xs: &[f32]| {
        let program = program_text(&format!("{text}\n"));
        let bounded = with_bounds(&program, Roundings::Alike).expect("a program with bounds");
        let nest = lower(&bounded, &lower::Options::default());
        assert!(nest.is_ok(), "{text}: {nest:?}");
        let less = i64::from(text.contains("n+1"));
        let size = xs.len() as i64 - less;
        let sizes: Sizes = program.sizes.iter().map(|n| (*n, size)).collect();
        let shape = Shape::of(program.params[0].1, &sizes).expect("a shape");
        let bytes: Vec<u8> = xs.iter().flat_map(|x| x.to_ne_bytes()).collect();
        let arg = buffers::from_buffers(&shape, &[bytes]).expect("data");
        let value = eval_program(&bounded, &sizes, &[arg]).expect("a value");
        let leaves = value.leaves();
        let pair = |i: usize| (leaves[2 * i][0].as_f64(), leaves[2 * i + 1][0].as_f64());
        (0..leaves.len() / 2).map(pair).collect::<Vec<_>>()
    };
    // 0.1 + 0.2 - 0.3 is near zero in every order, 1 + 2 - 3 is zero, and 1 + 2 + 3 is far from it.
    let (near, zero, far) = ([0.1, 0.2, -0.3], [1.0, 2.0, -3.0], [1.0, 2.0, 3.0]);
    let sign = "def k [n : nat] (x : n.f32) : i32 = if reduce (+) 0.0 x > 0.0 then 7 else -2";
    assert_eq!(told(sign, &near), [(-2.0, 7.0)]);
    assert_eq!(told(sign, &zero), [(-2.0, -2.0)]);
    assert_eq!(told(sign, &far), [(7.0, 7.0)]);
    let logic = "def k [n : nat] (x : n.f32) : bool = let s = reduce (+) 0.0 x in s > 0.0 && !(s >= 5.0) || s != s";
    assert_eq!(told(logic, &near), [(0.0, 1.0)]);
    assert_eq!(told(logic, &far), [(0.0, 0.0)]);
    let count = "def k [n : nat] (x : n.f32) : i32 = let s = reduce (+) 0.0 x in (if s > 0.0 then 3 else 1) * 2 - (if s < 0.0 then 1 else 0) + 10";
    assert_eq!(told(count, &near), [(11.0, 16.0)]);
    let cast = "def k [n : nat] (x : n.f32) : (i32, u8) = let s = reduce (+) 0.0 x in ((cast (s + 5.0) : i32), (cast (s * 1000.0 - 1.0) : u8))";
    assert_eq!(told(cast, &near), [(4.0, 5.0), (0.0, 0.0)]);
    assert_eq!(told(cast, &far), [(11.0, 11.0), (255.0, 255.0)]);
    let index = "def k [n : nat] (x : (n+1).f32) : (f32, idx[n+1]) = let i = (cast (reduce (+) 0.0 x + 1.0) : idx[n+1]) in (idx i x, i)";
    let in_doubt = told(index, &near);
    assert!(
        in_doubt[0].1 == f64::INFINITY && in_doubt[1] == (0.0, 1.0),
        "{in_doubt:?}"
    );
    assert_eq!(told(index, &zero), [(2.0, 0.0), (1.0, 1.0)]);
    let choice = "def k [n : nat] (x : n.f32) : f32 = let s = reduce (+) 0.0 x in if s > 0.0 then s + 8.0 else s";
    let (_, off) = told(choice, &near)[0];
    assert!((8.0..8.1).contains(&off), "{off}");
}
