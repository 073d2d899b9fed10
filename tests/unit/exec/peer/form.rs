use rise_opt::elab;
use rise_opt::exec::peer::form::*;
use rise_opt::lower::{self, lower};
use rise_opt::source::SourceMap;
use rise_opt::term::normalize;

fn of(text: &str) -> Vec<Form> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("a.rise", text);
    let mut program = elab::program(&mut sources, file, None).unwrap();
    program.term = normalize(&program.term);
    forms(&lower(&program, &lower::Options::default()).unwrap().abi)
}

const BODY: &str = "a |> map (\\r -> transpose b |> map (\\c -> zip r c |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))";

#[test]
fn a_product_has_one_form_and_a_square_one_many() {
    let mm = of(&format!(
        "def mm [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 = {BODY}"
    ));
    assert_eq!(mm.len(), 1);
    assert_eq!((mm[0].a, mm[0].b), ((0, false), (1, false)));
    assert_eq!(mm[0].describe(), "gemm");
    let sizes = mm[0].sizes(&mut |s| Some(if s.as_str() == "n" { 5 } else { 7 }));
    assert_eq!(sizes, Some([1, 7, 5, 7]));
    assert_eq!(mm[0].sizes(&mut |_| Some(1 << 31)), None);
    let square = of(&format!(
        "def mm [n : nat] (a : n.n.f32) (b : n.n.f32) : n.n.f32 = {BODY}"
    ));
    assert_eq!(square.len(), 8);
}

#[test]
fn other_shapes_have_none() {
    assert!(of("def f [n : nat] (a : n.f32) : n.f32 = a |> map (\\x -> x * x)").is_empty());
    let other = "def mm [m n k : nat] (a : m.k.i32) (b : k.n.i32) : m.n.i32 = a |> map (\\r -> transpose b |> map (\\c -> zip r c |> map (\\p -> fst p * snd p) |> reduce (+) 0))";
    assert!(of(other).is_empty());
}
