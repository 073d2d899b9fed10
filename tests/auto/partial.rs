//! What is left of a list that is reduced in blocks, by operators that have no identity.

use super::*;
use rise_opt::arith::Nat;

/// Operators on pairs: of vectors, and of none, where a choice is of two numbers.
const OPERATORS: [(&str, &str); 4] = [
    (
        "(f32, f32)",
        "\\a b -> (min (fst a) (fst b), max (snd a) (snd b))",
    ),
    (
        "(f32, f32)",
        "\\a b -> (fst a + fst b, max (snd a) (snd b))",
    ),
    (
        "(f32, i32)",
        "\\a b -> let first = or (fst b < fst a) (and (fst a == fst b) (snd b < snd a)) in
           (select first (fst b) (fst a), select first (snd b) (snd a))",
    ),
    (
        "(i32, i32)",
        "\\a b -> let first = or (fst b < fst a) (and (fst a == fst b) (snd b < snd a)) in
           (select first (fst b) (fst a), select first (snd b) (snd a))",
    ),
];

fn reduced(of: &str, operator: &str) -> String {
    format!(
        "def of [n : nat] (xs : (n+1).{of}) : {of} =
           reduce ({operator}) (at[0] xs) (drop[1] xs)"
    )
}

/// How often loops that are in none run for a list of 10 000.
fn outermost(nest: &Nest) -> Vec<i64> {
    let mut known = BTreeMap::from([("n".to_string(), 9_999)]);
    let mut counts = Vec::new();
    for s in &nest.body {
        let of = |n: Nat| n.eval(&mut |v| known.get(v.as_str()).copied());
        match s {
            Stmt::Index { var, value } => {
                let n = of(*value).expect("a number");
                known.insert(var.to_string(), n);
            }
            Stmt::For { extent, .. } => counts.push(of(*extent).expect("a number")),
            _ => {}
        }
    }
    counts
}

/// Of what is left of blocks, all whole rows of partial results are one block; fewer than a row go on one by one.
#[test]
fn what_is_left_of_blocks_is_one_block() {
    for (of, operator) in OPERATORS {
        let text = reduced(of, operator);
        let program = program_text(&text);
        let auto = found(&program, REGROUPED);
        let best = auto.best().expect("a schedule");
        assert!(
            best.what.starts_with("parallel blocks, reductions in"),
            "{}",
            best.what
        );
        let kernel = replayed(&program, &auto);
        let nest: Nest = lower(&kernel, &Lowering::default()).unwrap();
        // A block of 8192 for threads, and what it came to; 28 rows of 64, and 15 elements.
        assert_eq!(outermost(&nest), [1, 1, 1, 15], "{nest}");
        for size in [0, 1, 62, 63, 64, 65, 127, 200, 8191, 8192, 8255, 8256, 8400] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{text} at {size}");
        }
    }
}

/// Rows of a matrix are reduced in whole rows of partial results, too.
#[test]
fn reductions_in_loops_are_one_block() {
    for (of, operator) in OPERATORS {
        let text = format!(
            "def of [m n : nat] (xs : m.(n+1).{of}) : m.{of} =
               xs |> map (\\xs -> reduce ({operator}) (at[0] xs) (drop[1] xs))"
        );
        let program = program_text(&text);
        let auto = found(&program, REGROUPED);
        let best = auto.best().expect("a schedule");
        assert!(best.what.contains("reductions in"), "{}", best.what);
        let kernel = replayed(&program, &auto);
        for size in [0, 1, 63, 64, 65, 200] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{text} at {size}");
        }
    }
}

/// Of a wide vector of partial sums halves are added up before lanes, without loops.
#[test]
fn wide_vectors_are_halved_before_lanes_are_added_up() {
    for length in ["64", "n"] {
        let text = format!(
            "def norms [m n : nat] (x : m.{length}.f32) (y : {length}.f32) : m.f32 =
               x |> map (\\row -> zip row y |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)"
        );
        let program = program_text(&text);
        let auto = found(&program, REGROUPED);
        let best = &auto.best().expect("one").what;
        assert!(best.contains("vector"), "{best}");
        let kernel = replayed(&program, &auto);
        let nest = lower(&kernel, &Lowering::default()).expect("a nest");
        let (mut parts, mut lanes, mut chosen) = (0, 0, 0);
        each_stmt(&nest.body, &mut |s| {
            let Some(e) = exprs(s) else { return };
            e.visit(&mut |e| match e.kind() {
                ExprKind::Build(of) => {
                    let of_one = of.iter().all(|e| matches!(e.kind(), ExprKind::Lane(..)));
                    parts += usize::from(of_one && of.len() == 4);
                }
                ExprKind::Op(Op::Add, args) => {
                    lanes += args
                        .iter()
                        .filter(|e| matches!(e.kind(), ExprKind::Lane(..)))
                        .count();
                }
                ExprKind::Pick(..) => chosen += 1,
                _ => {}
            });
        });
        // Behind chunks of several vectors there are some vectors more.
        let times = if length == "n" { 2 } else { 1 };
        assert_eq!(
            (parts, lanes, chosen),
            (4 * times, 4 * times, 0),
            "{kernel}"
        );
        for size in [5, 33, 150] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{length} at {size}");
        }
    }
}

/// Where all lanes of a loop read the same numbers, as all pixels look at the same shapes, it is better in lanes than its reductions.
#[test]
fn lanes_that_read_the_same_numbers_are_of_the_outer_loop() {
    let text = "def shapes [h w t : nat] (x0 : t.i32) (y0 : t.i32) (x1 : t.i32) (y1 : t.i32) (x2 : t.i32) (y2 : t.i32) (z : t.f32) : h.w.f32 =
  generate (\\y -> generate (\\x ->
    let px = (cast x : i32) in
    let py = (cast y : i32) in
    zip (zip (zip x0 y0) (zip x1 y1)) (zip (zip x2 y2) z) |> map (\\v ->
      let a = fst (fst v) in let b = snd (fst v) in let c = fst (snd v) in
      let e0 = (px - fst a) * (snd b - snd a) - (py - snd a) * (fst b - fst a) in
      let e1 = (px - fst b) * (snd c - snd b) - (py - snd b) * (fst c - fst b) in
      let e2 = (px - fst c) * (snd a - snd c) - (py - snd c) * (fst a - fst c) in
      select (e0 >= 0 && e1 >= 0 && e2 >= 0) (snd (snd v)) 1.0e9) |> reduce min 1.0e9))";
    let auto = found(&program_text(text), REGROUPED);
    assert_eq!(auto.best().expect("one").what, "parallel", "{auto:?}");
}
