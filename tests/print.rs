//! Terms printed with names elaborate to themselves: on the shipped programs and on random ones.

use crate::common;
use rise_opt::diag::{render, Format};
use rise_opt::elab::{program, program_text, saved_program};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;

fn elaborate(text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("printed.rise", text);
    saved_program(&mut sources, file, None).map_err(|d| {
        let shown = d.iter().map(|d| render(d, &sources, Format::Human));
        shown.collect::<Vec<_>>().join("\n")
    })
}

fn round_trip(p: &Program) {
    let text = program_text(p);
    let again = elaborate(&text).unwrap_or_else(|e| panic!("{p}\n{text}\n{e}"));
    assert_eq!(p.term, again.term, "{text}\n{}\n{}", p.term, again.term);
    assert_eq!(text, program_text(&again));
}

#[test]
fn choices_and_truth_values_are_applications() {
    for (written, means) in [
        ("if x < y then x else y", "select (x < y) x y"),
        (
            "1.0 + if x < y then x else if y < 2.0 then 3.0 else y + x",
            "1.0 + select (x < y) x (select (y < 2.0) 3.0 (y + x))",
        ),
        (
            "if x < y || y < 2.0 && !(x == y) then x else y",
            "select (or (x < y) (and (y < 2.0) (not (x == y)))) x y",
        ),
        (
            "if x < y then let z = x in z else y",
            "select (x < y) (let z = x in z) y",
        ),
    ] {
        let term = |body: &str| {
            let text = format!("def f (x : f32) (y : f32) : f32 = {body}");
            elaborate(&text)
                .unwrap_or_else(|e| panic!("{text}\n{e}"))
                .term
        };
        assert_eq!(term(written), term(means), "{written}");
    }
}

#[test]
fn shipped_programs() {
    let mut n = 0;
    for name in SourceMap::shipped().filter(|n| n.ends_with(".rise")) {
        let mut sources = SourceMap::new();
        let file = sources.load_shipped(name).expect("shipped");
        round_trip(&program(&mut sources, file, None).expect("elaborates"));
        n += 1;
    }
    assert!(n > 0);
}

#[test]
fn forms() {
    for text in [
        "def f (x : f32) : f32 = -(-x) - -1.0 + neg 2.0",
        "def f (x : i64) : i64 = let y = x + 3 in y * y % 7",
        "def f [n : nat] (xs : n.f64) : n.f64 = map (\\x -> cast (cast x : f32)) xs",
        "def f [n : nat] (xs : n.i32) : f32 = reduce (\\_ y -> y) 0.5 (generate[n] (\\i -> cast (idx i xs)))",
        "def f [n : nat] (xs : (n+3).f32) : i64 = n",
        "def f [n : nat] (xs : (4*n).f32) : (4*n).f32 = asScalar (map (\\map1 -> map1 + vectorFromScalar 1.0) (asVector[4] xs))",
        "def f [n : nat] (xs : n.i32) : n.f32 = let fs = map cast xs in zip fs fs |> map (\\p -> fst p + (snd p : f32))",
        "def f (p : (f32, (bool, i32))) : bool = (\\(a, (b, c)) -> b) p",
        "def f [n : nat] (xs : n.f32) : n.f32 = xs |> map (\\x -> (\\x1 -> \\x2 -> x1 + x2 + x) x x)",
        "def g [n : nat] : n.f32 = generate (\\i -> 1.0)\ndef f [n : nat] (xs : n.f32) : f32 = reduce (+) 0.0 (map fst (zip g xs))",
        "def f [n : nat] (xs : n.f32) : f32 = idx 0 xs",
        "def f (x : f32) : bool = select (x < 1.0) true (x == x)",
        "def f (x : f32) (y : f64) (z : bf16) : (f32, (f64, bf16)) = (max x (-infinity), (min y infinity, z + infinitybf16))",
        "def f (x : f32) : f32 = let g = \\y -> y + x in g (g x)",
        "def f (x : f32) : f32 = let x (\\y -> y + x)",
        "def f (p : (f32, f32)) : f32 = let (fst p) (\\y -> y + snd p)",
    ] {
        let p = elaborate(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        round_trip(&p);
    }
}

#[test]
fn random_programs() {
    use common::flow::Programs;
    use rise_opt::interp::generate::{Generator, Options};
    use rise_opt::interp::random::Rng;
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        let p = Generator::new(&mut rng, Options::default()).program();
        round_trip(&p);
    }
}
