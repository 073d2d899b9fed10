//! Rows that are joined, and read or stored as one; numbers of iterations that data begins with.

use super::{lowered, obligations, told_by_the_main_job};
use crate::common;
use rise_opt::arith::Nat;
use rise_opt::lower::Options;
use rise_opt::nest::{Expr, ExprKind, Stmt};
use rise_opt::term::Program;

fn are_validated(texts: &[String], flags: &str) {
    for text in texts {
        let said = told_by_the_main_job(text, flags);
        assert!(said.contains("at all sizes"), "{text}\n{said}");
    }
}

/// All rows of an image are one, of which blocks are read and tiles stored: what is divided by the length of a row is less than the
/// number of rows, whatever bounds it.
#[test]
fn blocks_of_joined_rows_are_validated() {
    let mixed = |params: &str, rows: &str| {
        format!(
            "def f [c d h w : nat] (x : {params}) (mix : d.c.f32) (bias : d.f32) : d.h.w.f32 =
               {rows}
               zip mix bias |> map (\\m ->
                 y |> map join |> transpose |> map (\\col ->
                   zip col (fst m) |> map (\\p -> fst p * snd p) |> reduce (+) (snd m)) |> split[w])\n"
        )
    };
    let all = [
        mixed("c.h.w.f32", "let y = x in"),
        // Of rows with a border, each number is read where it lies.
        mixed(
            "c.(h+2).(w+2).f32",
            "let y = x |> map (\\p -> p |> map (slide[3, 1]) |> slide[3, 1] |> map transpose |> map (map (\\q -> at[0] (at[1] q)))) in",
        ),
        "def f [c h w : nat] (x : c.h.w.f32) : (16*floor(h*w, 16)).c.f32 =
           let y = toMem (x |> map (map (map (\\v -> v * 2.0)))) in
           y |> map join |> map take[16*floor(h*w, 16)] |> transpose |> map (map (\\v -> v + 1.0))\n"
            .to_string(),
    ];
    are_validated(&all, "--permit reassociate");
}

/// Rows of a table, each from the one before: at its end there is what it began with, if there are no steps.
#[test]
fn tables_that_begin_with_numbers_are_validated() {
    let all = [
        // The distance of two words.
        "def f [m n : nat] (a : m.i32) (b : n.i32) : i32 =
           let first = generate (\\j -> (cast j : i32)) in
           at[n] (zip a (generate (\\i -> (cast i : i32))) |> reduceSeq (\\row p ->
             concat (fill[1] (snd p + 1))
               (zip (zip (drop[1] row) (take[n] row)) b |> scanSeq (\\q left ->
                 min (min (left + 1) (fst (fst q) + 1)) (snd (fst q) + select (fst p == snd q) 0 1)) (snd p + 1)))
             (first : (n+1).i32))\n"
            .to_string(),
        SHIFTED.to_string(),
        SHIFTED.replace("i32", "f32"),
    ];
    are_validated(&all, "");
}

const SHIFTED: &str = "def f [m n : nat] (a : m.i32) : i32 =
    let first = generate (\\j -> (cast j : i32)) in
    at[n] (a |> reduceSeq (\\row p -> concat (fill[1] p) (take[n] row)) (first : (n+1).i32))\n";

/// The same that begins with the next number is refused.
#[test]
fn tables_that_begin_with_other_numbers_are_refused() {
    let program: Program = common::program_text(SHIFTED);
    let nest = lowered(&program, &Options::default());
    assert_eq!(obligations(&nest, &program).open.len(), 0, "{nest}");
    let mut changed = 0;
    let mut wrong = nest.clone();
    more(&mut wrong.body, &mut changed);
    assert!(changed > 0, "{nest}");
    assert!(!obligations(&wrong, &program).open.is_empty(), "{wrong}");
}

/// Each index that is stored as a number is one more.
fn more(block: &mut [Stmt], changed: &mut u32) {
    for s in block {
        match s {
            Stmt::For { body, .. } => more(body, changed),
            Stmt::If { then, els, .. } => {
                more(then, changed);
                more(els, changed);
            }
            Stmt::Store { value, .. } => {
                if let ExprKind::Cast(of) = value.kind() {
                    if let Some(n) = of.as_index() {
                        let next = Expr::index(n + Nat::int(1));
                        *value = Expr::new(ExprKind::Cast(next), value.shape());
                        *changed += 1;
                    }
                }
            }
            _ => {}
        }
    }
}
