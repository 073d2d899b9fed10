//! What operations are by their operands alone, and what they are not.

use super::{lowered, open};
use crate::common;
use rise_opt::arith::Nat;
use rise_opt::intern::Symbol;
use rise_opt::lower::Options;
use rise_opt::validate::known::Known;
use rise_opt::validate::obligations;

/// Whether the loops of one program are seen to compute another one, of elements of a type.
fn is_seen(ty: &str, result: &str, own: &str, other: &str) -> bool {
    let of = |body: &str| {
        common::program_text(&format!(
            "def f [n : nat] (a b : n.{ty}) : n.{result} = zip a b |> map (\\p -> let x = fst p in let y = snd p in {body})"
        ))
    };
    let nest = lowered(&of(own), &Options::default());
    let found = obligations(&nest, &of(other));
    println!("{ty}: {own} for {other}\n{}", open(&found));
    found.open.is_empty()
}

/// Whether what some compute is seen to be what others do, of each of these.
fn all_are(seen: bool, cases: &[(&str, &str, &str, &str)]) {
    for &(ty, result, own, other) in cases {
        assert_eq!(
            is_seen(ty, result, own, other),
            seen,
            "{ty}: {own} for {other}"
        );
    }
}

#[test]
fn operands_that_are_the_same_or_bounded_decide() {
    let cases = [
        ("i32", "i32", "x * 0", "x - x"),
        ("i32", "bool", "y == y", "x == x"),
        ("f32", "f32", "x", "max x x"),
        ("bool", "bool", "x", "or x (and x x)"),
        ("u16", "u16", "x", "max x 0"),
        ("i8", "i32", "cast x", "min (cast x) 127"),
        ("i8", "i32", "cast x", "max (cast x) (-128)"),
        ("u8", "i32", "min 255 (cast x)", "max 0 (cast x)"),
    ];
    all_are(true, &cases);
}

/// Floats that are no number are not themselves; bounds that are less than those of the type say something.
#[test]
fn operands_that_decide_nothing_are_told_apart() {
    let cases = [
        ("f32", "f32", "x * 0.0", "x - x"),
        ("f32", "f32", "0.0", "x - x"),
        ("f32", "bool", "true", "x == x"),
        ("f32", "bool", "false", "x != x"),
        ("i32", "i32", "x * 0", "x - y"),
        ("i8", "i32", "cast x", "min (cast x) 126"),
        ("i8", "i32", "cast x", "max (cast x) (-127)"),
        ("i8", "i32", "cast x", "max 0 (cast x)"),
        ("i16", "i16", "x", "max x 0"),
        ("i32", "u8", "cast x", "min 254 (cast x)"),
    ];
    all_are(false, &cases);
}

/// A number that a table says is that of its place, and no other.
#[test]
fn rows_that_tables_say_are_told_apart() {
    let of = |table: &str| {
        common::program_text(&format!(
            "def f [m n : nat] (a : (m+7).n.f32) : 3.n.f32 = gather (makeArray[3] {table}) a"
        ))
    };
    let tables = ["0 2 4", "4 2 0", "3 1 6", "0 2 5", "1 1 1", "0 2 2"];
    for own in tables {
        let nest = lowered(&of(own), &Options::default());
        for other in tables {
            let found = obligations(&nest, &of(other));
            assert_eq!(
                found.open.is_empty(),
                own == other,
                "{own} for {other}\n{nest}{}",
                open(&found)
            );
        }
    }
}

/// Parts of rows whose number is a quotient are no more than the row, and that no more than all rows.
#[test]
fn quotients_by_constants_are_at_most_what_they_divide() {
    let [h, w, i] = ["h", "w", "i"].map(Symbol::new);
    let parts = Nat::var(w).floor_div(Nat::int(16));
    let mut known = Known::default();
    known.range(i, Nat::int(0), parts - Nat::int(1));
    known.positive(Nat::var(h));
    known.positive(parts);
    let left = Nat::var(h) * Nat::var(w) - Nat::int(16) * Nat::var(i);
    assert!(known.at_least(left, Nat::int(16)));
    assert!(!known.at_least(left, Nat::int(17)));
}

/// Charges are added to the two cells around each place, of which both are bounded.
#[test]
fn one_of_several_bounded_indices_is_bounded() {
    let text = "def f [n m : nat] (at : n.f32) (q : n.f32) : m.f32 = zip at q |> map (\\p -> let i = (cast (fst p) : i32) in
        makeArray[2] ((cast i : idx[m]), snd p) ((cast (i + 1) : idx[m]), 0.5 * snd p)) |> join
        |> scatterReduce (\\a x -> a + x) (fill[m] 0.0)";
    let program = common::program_text(text);
    let found = obligations(&lowered(&program, &Options::default()), &program);
    assert!(found.open.is_empty(), "{}", open(&found));
    // What one of them is beyond is not.
    let other = common::program_text(
        &text
            .replacen("idx[m]", "idx[m + 1]", 1)
            .replacen("idx[m]", "idx[m + 1]", 1)
            .replace("fill[m] 0.0)", "fill[m + 1] 0.0) |> take[m]"),
    );
    let found = obligations(&lowered(&program, &Options::default()), &other);
    assert!(!found.open.is_empty(), "{other}");
}

/// What has a sign may be below all of them, and is then bounded, too.
#[test]
fn a_number_is_what_it_is_bounded_to_where_it_is_below_the_bound() {
    let bounded = "(cast x : i32) == (cast (cast x : idx[n]) : i32)";
    let below = "(cast x : i64) < size[n]";
    for ty in ["u8", "u16"] {
        all_are(
            true,
            &[(ty, "bool", bounded, below), (ty, "bool", below, bounded)],
        );
    }
    all_are(false, &[("i8", "bool", bounded, below)]);
    all_are(
        false,
        &[("u8", "bool", bounded, "(cast x : i64) < size[n + 1]")],
    );
}
