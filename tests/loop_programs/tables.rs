//! Tables: what inner loops compute alike in each iteration of an outer one is computed once.

use super::*;

/// How many loops stand around each call of a function.
fn depths(text: &str) -> Vec<usize> {
    fn go(block: &[Stmt], depth: usize, found: &mut Vec<usize>) {
        for s in block {
            if let Some(e) = rise_opt::nest::walk::exprs(s) {
                e.visit(&mut |e| found.extend(e.is_call().then_some(depth)));
            }
            match s {
                Stmt::For { body, .. } => go(body, depth + 1, found),
                Stmt::If { then, els, .. } => {
                    go(then, depth, found);
                    go(els, depth, found);
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    go(&printed(text).body, 0, &mut found);
    found
}

/// `weight` is what rows are multiplied by, of a row's number `i` and a column's `j`.
fn weighted(extent: &str, weight: &str) -> Vec<usize> {
    depths(&format!(
        "def real [n : nat] (i : idx[n]) : f32 = (cast (cast i : i32) : f32)
def f [n : nat] (x : {extent}.n.f32) (bias : n.f32) : {extent}.n.f32 =
           zip x (generate[{extent}] (\\i -> i)) |> map (\\(row, i) ->
             zip row (generate[n] (\\j -> j)) |> map (\\(v, j) -> v * {weight}))"
    ))
}

#[test]
fn what_rows_have_alike_is_computed_once() {
    assert_eq!(weighted("n", "cos (real j)"), [1]);
    assert_eq!(weighted("n", "exp (idx j bias)"), [1]);
    // What differs between rows, too, is not,
    assert_eq!(weighted("n", "exp (real i * real j)"), [2]);
    // nor are a few rows worth a table,
    assert_eq!(weighted("3", "cos (real j)"), [2]);
    // nor has a value a table that may have no meaning for what is not chosen.
    let chosen = weighted("n", "select (idx j bias < real i) (cos (real j)) v");
    assert_eq!(chosen, [1]);
    // A table has two loops.
    let images = "def f [b h w : nat] (x : b.h.w.f32) : b.h.w.f32 =
        x |> map (\\img -> zip img (generate[h] (\\i -> i)) |> map (\\(row, i) -> zip row (generate[w] (\\j -> j)) |> map (\\(v, j) ->
          v * exp ((cast (cast i : i32) : f32) * (cast (cast j : i32) : f32)))))";
    assert_eq!(depths(images), [2]);
}

/// What costs little beside a value of which there is a table is computed from that.
#[test]
fn values_that_are_nearly_one_share_its_table() {
    let tables = |of: &str| {
        let nest = printed(&format!(
            "def f [h w : nat] (a : f32) (x : h.f32) : h.w.i32 =
               x |> map (\\u -> generate[w] (\\j ->
                 let t = (cast ((cast j : f32) * a * a) : i32) in {of}))"
        ));
        let mut written = 0;
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::Store { buf, .. } = s {
                let name = nest.buffers[buf.0 as usize].name;
                written += usize::from(name.as_str().starts_with("table"));
            }
        });
        written
    };
    let i = "(cast u : i32)";
    assert_eq!(tables(&format!("t * {i}")), 1);
    assert_eq!(
        tables(&format!(
            "t * {i} + bitxor (t + 1) {i} + bitand (3 * t) {i}"
        )),
        1
    );
    // What takes a while has its own.
    assert_eq!(
        tables(&format!("t * {i} + bitxor (t * t * t * t * t) {i}")),
        2
    );
}

/// Elements of inputs are read before a loop only where there are some whatever the loop is.
#[test]
fn tables_read_nothing_that_may_be_missing() {
    // There are as many elements as rows times columns: none, if there are no rows.
    let text = "def f [m n : nat] (x : m.n.f32) (bias : (m * n).f32) : m.n.f32 =
        x |> map (\\row -> zip row (generate[n] (\\j -> j)) |> map (\\(v, j) ->
          v * exp (idx (cast (cast j : i64) : idx[m * n]) bias)))";
    assert_eq!(depths(text), [2]);
}

/// A time loop computes what it does not change once.
#[test]
fn steps_compute_once_what_they_do_not_change() {
    let text = "def f [n k : nat] (x : n.f32) (w : n.f32) : n.f32 =
        generate[k] (\\t -> t) |> reduceSeq (\\s t -> zip s w |> map (\\(a, b) -> a * exp b)) x";
    assert_eq!(depths(text), [1]);
}

/// What no array of the function is as large as, has a table only where sizes say that it is not too large.
#[test]
fn tables_that_might_be_large_are_a_choice_by_sizes() {
    let text = "def real [n : nat] (i : idx[n]) : f32 = (cast (cast i : i32) : f32)
def f [f n k : nat] (x : (f + n).f32) : f.k.f32 = generate[f] (\\i -> generate[k] (\\j ->
        generate[n] (\\t -> idx (cast ((cast i : i64) + (cast t : i64)) : idx[f + n]) x * cos (real j * real t)) |> reduce (+) 0.0))";
    assert_eq!(depths(text), [2, 3]);
    let fixed = depths(
        &text
            .replace("[f n k : nat]", "[f : nat]")
            .replace("[k]", "[64]")
            .replace("f.k.f32", "f.64.f32")
            .replace("[n] (\\t", "[64] (\\t")
            .replace("f + n", "f + 64"),
    );
    assert_eq!(fixed, [2]);
}

/// A loop that a buffer begins in is written once: it has no table that might be too large.
#[test]
fn buffers_begin_in_one_place() {
    let nest = printed("def real [n : nat] (i : idx[n]) : f32 = (cast (cast i : i32) : f32)
def f [f n k : nat] (x : (f + n).f32) : f.k.f32 = generate[f] (\\i ->
        let row = toMem (generate[n] (\\t -> idx (cast ((cast i : i64) + (cast t : i64)) : idx[f + n]) x)) in
        generate[k] (\\j -> generate[n] (\\t -> idx t row * cos (real j * real t)) |> reduce (+) 0.0))");
    let mut begun = Vec::new();
    each_stmt(&nest.body, &mut |s| {
        if let Stmt::Alloc(b) = s {
            assert!(!begun.contains(b), "{nest}");
            begun.push(*b);
        }
    });
    assert!(!begun.is_empty());
}

/// What rows and columns have each alike stands in tables of one loop; a table of both holds what takes longer than to look into it.
#[test]
fn tables_of_two_loops_hold_what_takes_long() {
    let tables = |of: &str| {
        let nest = printed(&format!(
            "def f [h w k : nat] (x : h.f32) (y : w.f32) (z : k.f32) : h.w.f32 =
               x |> map (\\u -> y |> map (\\v -> z |> map (\\p -> u * ({of})) |> reduce (+) 0.0))"
        ));
        let tables = nest.buffers.iter();
        let mut lengths: Vec<String> = tables
            .filter(|b| b.name.as_str().starts_with("table"))
            .map(|b| b.len.to_string())
            .collect();
        lengths.sort();
        lengths
    };
    assert_eq!(tables("exp p - exp v"), ["k", "w"]);
    assert_eq!(tables("exp (p * v)"), ["k*w"]);
}
