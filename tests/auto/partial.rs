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
