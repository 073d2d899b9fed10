use rise_opt::elab;
use rise_opt::lower::float::float;
use rise_opt::source::SourceMap;
use rise_opt::term::{normalize, Op, Program, Term};

fn program(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.rise", text);
    elab::program(&mut sources, file, None).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// How many functions stand around each kept value.
fn depths(t: &Term) -> Vec<u32> {
    let mut out = Vec::new();
    t.visit(&mut |t, depth| {
        let kept = t.as_prim_app().filter(|(p, _)| p.op() == Op::ToMem);
        out.extend(kept.filter(|(_, args)| args.len() == 1).map(|_| depth));
    });
    out
}

fn check(text: &str, expected: &[u32]) {
    let p = program(text);
    let moved = float(&normalize(&p.term));
    assert_eq!(depths(&moved), expected, "{moved}");
    assert_eq!(moved.ty(), p.term.ty());
    assert_eq!(moved.open(), 0);
}

#[test]
fn what_needs_no_variable_goes_to_the_top() {
    check(
        "def f [n m : nat] (a : n.f32) (b : m.f32) : n.m.f32 =
           a |> map (\\x -> (let c = toMem (b |> map (\\y -> y + 1.0)) in c |> map (\\y -> x * y)))",
        &[2],
    );
}

#[test]
fn what_needs_an_outer_variable_stops_there() {
    check(
        "def f [n m : nat] (a : n.m.f32) : n.m.m.f32 =
           a |> map (\\r -> r |> map (\\x ->
             (let c = toMem (r |> map (\\y -> y + 1.0)) in c |> map (\\y -> x * y))))",
        &[1],
    );
}

#[test]
fn what_needs_the_innermost_variable_stays() {
    check(
        "def f [n m : nat] (a : n.m.f32) : n.m.f32 =
           a |> map (\\r -> (let c = toMem (r |> map (\\y -> y + 1.0)) in c |> map (\\y -> y * y)))",
        &[1],
    );
}

#[test]
fn what_needs_another_kept_value_stays_behind_it() {
    check(
        "def f [n m : nat] (a : n.f32) (b : m.f32) : n.m.m.f32 =
           a |> map (\\x -> b |> map (\\y ->
             (let c = toMem (b |> map (\\z -> x * z)) in
              let d = toMem (c |> map (\\z -> z + 1.0)) in d |> map (\\z -> y * z))))",
        &[3, 4],
    );
}

#[test]
fn a_value_kept_for_its_own_sake_stays() {
    check(
        "def f [n : nat] (a : n.f32) : n.f32 = let c = toMem (a |> map (\\x -> x + 1.0)) in c",
        &[1],
    );
}

#[test]
fn a_function_without_its_argument_gets_it() {
    check(
        "def f [n m : nat] (a : n.f32) (b : m.f32) : n.m.f32 =
           a |> map (\\x -> b |> map (\\y -> (let c = toMem (b |> map (\\z -> x * z)) in
             at[0] (drop[0] (take[m] c)) + y)))",
        &[3],
    );
}
