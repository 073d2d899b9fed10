//! The shipped programs mean what they say.
//!
//! Each program of `programs/` has a file of cases here: sizes, a seed for the
//! inputs, and the values that the interpreter gave. Every case is computed again
//! by the interpreter and by a plain loop written for that program; all three must
//! agree to the bit, as no step of any of them reassociates.
//! `BLESS=1 cargo test --test all programs::` writes the expected values anew.

use rise_opt::elab;
use rise_opt::intern::Symbol;
use rise_opt::interp::random::{self, Numbers, Rng};
use rise_opt::interp::{eval_program, Num, Shape, Sizes, Value};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

#[derive(Serialize, Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Serialize, Deserialize)]
struct Case {
    sizes: BTreeMap<String, i64>,
    seed: u64,
    expected: Vec<f32>,
}

/// Sizes by name and the inputs, each flat.
struct Input<'a> {
    sizes: &'a BTreeMap<String, i64>,
    args: &'a [Vec<f32>],
}

impl Input<'_> {
    fn size(&self, name: &str) -> usize {
        self.sizes[name] as usize
    }
}

fn dot(n: usize, x: impl Fn(usize) -> f32, y: impl Fn(usize) -> f32) -> f32 {
    let mut sum = 0.0;
    for i in 0..n {
        sum += x(i) * y(i);
    }
    sum
}

/// What the program computes, written as loops.
fn by_loops(program: &str, input: &Input) -> Vec<f32> {
    let size = |name| input.size(name);
    let arg = |i: usize| &input.args[i];
    let mut out = Vec::new();
    match program {
        "mm" => {
            let (m, n, k) = (size("m"), size("n"), size("k"));
            let (a, b) = (arg(0), arg(1));
            for i in 0..m {
                for j in 0..n {
                    out.push(dot(k, |l| a[i * k + l], |l| b[l * n + j]));
                }
            }
        }
        "mm_bt" => {
            let (m, n, k) = (size("m"), size("n"), size("k"));
            let (a, b) = (arg(0), arg(1));
            for i in 0..m {
                for j in 0..n {
                    out.push(dot(k, |l| a[i * k + l], |l| b[j * k + l]));
                }
            }
        }
        "gemm" => {
            let (m, n, k) = (size("m"), size("n"), size("k"));
            let (alpha, beta, a, b, c) = (arg(0)[0], arg(1)[0], arg(2), arg(3), arg(4));
            for i in 0..m {
                for j in 0..n {
                    let product = dot(k, |l| a[i * k + l], |l| b[l * n + j]);
                    out.push(alpha * product + beta * c[i * n + j]);
                }
            }
        }
        "batched_mm" => {
            let (t, m, n, k) = (size("t"), size("m"), size("n"), size("k"));
            for p in 0..t {
                let (a, b) = (&arg(0)[p * m * k..], &arg(1)[p * k * n..]);
                for i in 0..m {
                    for j in 0..n {
                        out.push(dot(k, |l| a[i * k + l], |l| b[l * n + j]));
                    }
                }
            }
        }
        "mm_bias_relu" => {
            let (m, n, k) = (size("m"), size("n"), size("k"));
            let (a, b, bias) = (arg(0), arg(1), arg(2));
            for i in 0..m {
                for j in 0..n {
                    let sum = dot(k, |l| a[i * k + l], |l| b[l * n + j]) + bias[j];
                    out.push(if sum > 0.0 { sum } else { 0.0 });
                }
            }
        }
        "mm_row_max" => {
            let (m, n, k) = (size("m"), size("n"), size("k"));
            let (a, b, least) = (arg(0), arg(1), arg(2)[0]);
            for i in 0..m {
                let row = (0..n).map(|j| dot(k, |l| a[i * k + l], |l| b[l * n + j]));
                out.push(row.fold(least, |x, y| if y > x { y } else { x }));
            }
        }
        "gemv" => {
            let (m, n) = (size("m"), size("n"));
            let (alpha, beta, a, x, y) = (arg(0)[0], arg(1)[0], arg(2), arg(3), arg(4));
            for i in 0..m {
                out.push(alpha * dot(n, |j| a[i * n + j], |j| x[j]) + beta * y[i]);
            }
        }
        "dot" => out.push(dot(size("n"), |i| arg(0)[i], |i| arg(1)[i])),
        "vector_add" => {
            for i in 0..size("n") {
                out.push(arg(0)[i] + arg(1)[i]);
            }
        }
        "stencil" => {
            let (xs, weights) = (arg(0), [0.25, 0.5, 0.25]);
            for i in 0..size("n") {
                out.push(dot(3, |j| weights[j], |j| xs[i + j]));
            }
        }
        "binomial" => {
            let (h, w, image) = (size("h"), size("w"), arg(0));
            let row = [1.0, 2.0, 1.0];
            for y in 0..h {
                for x in 0..w {
                    let weight = |i: usize| row[i / 3] * row[i % 3] / 16.0;
                    let pixel = |i: usize| image[(y + i / 3) * (w + 2) + x + i % 3];
                    out.push(dot(9, weight, pixel));
                }
            }
        }
        other => panic!("no loops are written for {other}; every shipped program needs some"),
    }
    out
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn load(name: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources
        .load_shipped(&format!("programs/{name}.rise"))
        .expect("shipped");
    elab::program(&mut sources, file, None).unwrap_or_else(|e| panic!("{name}: {e:#?}"))
}

fn flat(v: &Value) -> Vec<f32> {
    let mut out = Vec::new();
    v.each_num(&mut |n| match n {
        Num::F32(x) => out.push(x),
        other => panic!("these programs work on f32, not {other:?}"),
    });
    out
}

/// The result by the interpreter and the result by loops.
fn run(name: &str, p: &Program, sizes: &BTreeMap<String, i64>, seed: u64) -> (Vec<f32>, Vec<f32>) {
    let env: Sizes = sizes.iter().map(|(s, n)| (Symbol::new(s), *n)).collect();
    let mut rng = Rng::new(seed);
    let args: Vec<Value> = p
        .params
        .iter()
        .map(|(_, t)| random::value_of(&mut rng, *t, &env, Numbers::Unit).expect("data"))
        .collect();
    let result = eval_program(p, &env, &args).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(result.fits(&Shape::of(p.result, &env).expect("sizes")));
    let args: Vec<Vec<f32>> = args.iter().map(flat).collect();
    let input = Input { sizes, args: &args };
    (flat(&result), by_loops(name, &input))
}

fn bits(xs: &[f32]) -> Vec<u32> {
    xs.iter().map(|x| x.to_bits()).collect()
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(root().join("programs"))
        .expect("programs")
        .map(|f| f.expect("a file").path())
        .filter(|f| f.extension().is_some_and(|e| e == "rise"))
        .map(|f| f.file_stem().expect("a name").to_string_lossy().into())
        .collect();
    names.sort();
    names
}

#[test]
fn programs_interpreter_and_loops_agree() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut checked = 0;
    for name in names() {
        let program = load(&name);
        assert_eq!(
            program.name.as_str(),
            name,
            "the entry is named as the file"
        );
        let path = root().join(format!("tests/suite/programs/{name}.json"));
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut cases: Cases = serde_json::from_str(&text).expect("cases");
        for case in &mut cases.cases {
            let (interpreted, looped) = run(&name, &program, &case.sizes, case.seed);
            let at = format!("{name} at {:?}", case.sizes);
            assert_eq!(bits(&interpreted), bits(&looped), "{at}");
            if bless {
                case.expected = interpreted;
            } else {
                assert_eq!(bits(&interpreted), bits(&case.expected), "{at}");
            }
            checked += 1;
        }
        if bless {
            let text = serde_json::to_string(&cases).expect("numbers");
            // One case to a line.
            let text = text.replace("{\"sizes\"", "\n{\"sizes\"") + "\n";
            fs::write(&path, text).expect("written");
        }
    }
    assert!(checked >= 24, "only {checked} cases");
}

#[test]
fn programs_agree_at_many_sizes() {
    let mut rng = Rng::new(0x512e);
    for name in names() {
        let program = load(&name);
        for seed in 0..12 {
            let sizes = program
                .sizes
                .iter()
                .map(|s| (s.to_string(), rng.between(1, 24)))
                .collect();
            let (interpreted, looped) = run(&name, &program, &sizes, seed);
            assert_eq!(bits(&interpreted), bits(&looped), "{name} at {sizes:?}");
        }
    }
}

/// The element types that a kernel may have; f32 is what the files say.
#[test]
fn matrix_multiplication_of_other_elements() {
    let mut sources = SourceMap::new();
    let file = sources.load_shipped("programs/mm.rise").expect("shipped");
    let text = sources.file(file).text.clone();
    for (ty, zero) in [("f64", "0.0f64"), ("i32", "0"), ("u8", "0")] {
        let text = text.replace("f32", ty).replace("0.0", zero);
        let file = sources.add_text("typed.rise", &text);
        let p = elab::program(&mut sources, file, None).unwrap_or_else(|e| panic!("{ty}: {e:#?}"));
        let (m, n, k) = (3usize, 4usize, 5usize);
        let env: Sizes = [("m", 3), ("n", 4), ("k", 5)]
            .map(|(s, n)| (Symbol::new(s), n))
            .into();
        let mut rng = Rng::new(7);
        let args: Vec<Value> = p
            .params
            .iter()
            .map(|(_, t)| random::value_of(&mut rng, *t, &env, Numbers::Whole).expect("data"))
            .collect();
        let c = eval_program(&p, &env, &args).expect("a value");
        let numbers = |v: &Value| {
            let mut out = Vec::new();
            v.each_num(&mut |x| out.push(x.as_f64()));
            out
        };
        let (a, b, c) = (numbers(&args[0]), numbers(&args[1]), numbers(&c));
        for i in 0..m {
            for j in 0..n {
                let sum: f64 = (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
                let sum = if ty == "u8" {
                    sum.rem_euclid(256.0)
                } else {
                    sum
                };
                assert_eq!(sum, c[i * n + j], "{ty}");
            }
        }
    }
}

#[test]
fn a_size_that_is_missing_is_an_error() {
    assert!(eval_program(&load("dot"), &Sizes::new(), &[]).is_err());
}
