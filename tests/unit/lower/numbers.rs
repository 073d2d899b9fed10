use crate::common::program_text;
use rise_opt::lower::{lower, Options};
use rise_opt::nest::{walk, ExprKind};
use rise_opt::validate::{validate, Verdict};

/// How many numbers are bounded where they become indices, in a loop program that is validated.
fn bounded(body: &str) -> usize {
    let text =
        format!("def f [m n : nat] (x : (n+2).f32) (y : (m*n).f32) (z : n.f32) : n.f32 = {body}");
    let program = program_text(&text);
    let nest = lower(&program, &Options::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let judged = validate(&nest, &program, &Default::default());
    assert!(
        matches!(judged.verdict, Verdict::Validated),
        "{text}: {judged:?}"
    );
    let mut n = 0;
    walk::each_stmt(&nest.body, &mut |s| {
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| n += usize::from(matches!(e.kind(), ExprKind::Clamp(..))));
        }
    });
    n
}

/// The element of `z` at a number computed of the index `i`, which is `at`.
fn at(number: &str) -> String {
    format!("generate[n] (\\i -> let at = cast i : i64 in idx (cast ({number}) : idx[n]) z)")
}

#[test]
fn numbers_that_are_computed_of_indices_are_indices() {
    let beside = "generate[n] (\\i -> idx (cast ((cast i : i64) + 2) : idx[n+2]) x)";
    assert_eq!(bounded(beside), 0);
    let rows = "generate[n] (\\i -> generate[m] (\\j ->
      idx (cast ((cast j : i64) * n + (cast i : i64)) : idx[m*n]) y) |> reduce (+) 0.0)";
    assert_eq!(bounded(rows), 0);
    let numbers = [
        "at - 1",
        "min (n - 1) (at + 3)",
        "(at + 1) % n",
        "(at + n - 1) % n",
        "at / 2",
        "2 * at - n",
    ];
    for number in numbers {
        assert_eq!(bounded(&at(number)), 0, "{number}");
    }
}

#[test]
fn numbers_that_may_wrap_or_are_rounded_towards_zero_are_bounded() {
    for number in [
        "at * 9223372036854775807 + 1",
        "(at - 1) / 2",
        "(at - 5) % 3",
        "at * at * at",
    ] {
        assert_eq!(bounded(&at(number)), 1, "{number}");
    }
}
