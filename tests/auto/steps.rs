//! Steps that make something without their state: it is made apart.

use super::lifted::scalar_fold;
use super::{evaluated, found, replayed, EXACT, REGROUPED};
use crate::common::program_text;
use rise_opt::interp::compare::same;
use rise_opt::term::Program;

/// A program and the words of what is found for it, which is the same program at a few sizes.
fn best(text: &str, exact: bool) -> (Program, String) {
    let program = program_text(text);
    let permits = if exact { EXACT } else { REGROUPED };
    let auto = found(&program, permits);
    let words = auto.best().map_or(String::new(), |b| b.what.clone());
    if words.is_empty() {
        return (program, words);
    }
    let kernel = replayed(&program, &auto);
    // Sums of more numbers are rounded in another order.
    let sizes = [0, 5, 33].into_iter().filter(|n| exact || *n < 16);
    for size in sizes {
        let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
        assert!(same(&a, &b), "{text} at {size}");
    }
    (kernel, words)
}

fn rows(body: &str) -> String {
    format!("def f [m n : nat] (t : f32) (x : m.n.f32) : m.f32 = x |> map (\\r -> {body})")
}

/// A step may read what is named outside: a mean, the largest element, a bound. Each of the reductions is made one by an operator.
#[test]
fn steps_that_read_from_outside_are_operators_of_what_they_make() {
    for text in [
        rows("let c = reduceSeq (\\a v -> a + v) 0.0 r / size[n] in reduceSeq (\\a v -> a + (v - c) * (v - c)) 0.0 r"),
        rows("reduceSeq (\\a v -> (if v > t then v else 0.0) + a) 0.0 r"),
        rows("reduceSeq (\\a v -> if v > t then a + v else a) 0.0 r"),
        rows("reduceSeq (\\a v -> let d = v - t in let e = d * d in if e > 1.0 then a + e * d else a + e) 0.0 r"),
        rows("reduceSeq max t r"),
        rows("reduceSeq (\\a v -> if v > a then v else a) t r"),
    ] {
        let (kernel, words) = best(&text, false);
        assert!(
            words.contains("steps made operators, reductions in"),
            "{text}: {words}"
        );
        let mut left = false;
        kernel.term.visit(&mut |t, _| left |= scalar_fold(t));
        assert!(!left, "{text}: {}", kernel.term);
        assert!(!best(&text, true).1.contains("operators"));
    }
}

/// The same of a whole list, and of states of several numbers in rows.
#[test]
fn lists_and_tuples_are_as_well() {
    let text = "def f [n : nat] (t : f32) (x : n.f32) : f32 = reduceSeq (\\s v -> if v > t then s + v else s) 0.0 x";
    let words = best(text, false).1;
    assert!(words.starts_with("work of steps apart, steps made operators"));
    assert!(words.ends_with("blocks"), "{words}");
    let pairs =
        "let (s, q) = reduceSeq (\\(s, q) v -> (s + v, q + v * (v - t))) (0.0, 0.0) r in q - s";
    let words = best(&rows(pairs), false).1;
    assert!(
        words.contains("steps made operators, reductions in"),
        "{words}"
    );
}

/// A step that reads elements by their index is one of these elements, in products and in sums of columns.
#[test]
fn indices_name_elements() {
    let product = "def f [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 = generate[m] (\\i -> generate[n] (\\j ->
      reduceSeq (\\s l -> s + idx l (idx i a) * idx j (idx l b)) 0.0 (generate[k] (\\l -> l))))";
    for exact in [true, false] {
        let words = best(product, exact).1;
        let start = "work of steps apart, elements instead of indices, register tiles";
        assert!(words.starts_with(start), "{words}");
    }
    let columns = "def f [m n : nat] (a : m.n.f32) (x : m.f32) : n.f32 =
      generate[n] (\\j -> reduceSeq (\\s i -> s + idx j (idx i a) * idx i x) 0.0 (generate[m] (\\i -> i)))";
    let words = best(columns, true).1;
    assert!(words.contains("whole rows into"), "{words}");
}

/// What a choice guards and takes long stays behind it.
#[test]
fn what_takes_long_stays_behind_its_choice() {
    let text = "def f [m n : nat] (t : f32) (x : m.(n+1).f32) : f32 =
      reduceSeq (\\s r -> if at[0] r > t then s + reduce (+) 0.0 r else s) 0.0 x";
    assert!(!best(text, true).1.contains("apart"));
    assert!(!best(text, false).1.contains("work of steps apart"));
}

/// Elements that indices name may be reductions, which are computed apart: each step has a name of its own.
#[test]
fn elements_by_index_are_apart() {
    let text = "def losses [b d : nat] (x y : b.d.f32) : f32 = generate[b] (\\i ->
      max 0.0 ((idx i x |> reduce (+) 0.0) - (idx i y |> reduce (+) 0.0))) |> reduce (+) 0.0";
    for exact in [true, false] {
        let words = best(text, exact).1;
        let start = "elements instead of indices, elements apart";
        assert!(words.starts_with(start), "{words}");
    }
}

/// So may elements that are folds, of which there is no reduction.
#[test]
fn folds_that_are_reduced_are_apart() {
    let text = "def paths [p t : nat] (z : p.t.f32) (v : f32) : f32 = z |> map (\\path ->
      max (path |> reduceSeq (\\s e -> s * 0.5 + s * e) v) 0.0) |> reduce (+) 0.0";
    for exact in [true, false] {
        let words = best(text, exact).1;
        assert!(words.starts_with("elements apart"), "{words}");
    }
}

/// Windows of elements that take long to compute are taken of an array that is kept, in rows as well; of others they are not.
#[test]
fn windows_are_of_arrays_that_are_kept() {
    let list = |f: &str| {
        format!("def smooth [n : nat] (x : (n+5).f32) : (n+1).f32 = x |> map (\\v -> {f}) |> slide[5, 1] |> map (reduce (+) 0.0)")
    };
    let rows =
        "def rows [m n : nat] (x : (m+3).n.f32) : (m+1).n.f32 = x |> map (map exp) |> slide[3, 1]
      |> map (\\w -> w |> transpose |> map (reduce (+) 0.0))";
    for text in [&list("exp v"), &list("1.0 / (1.0 + exp v)"), rows] {
        let words = best(text, true).1;
        let start = "windows of named arrays, named arrays kept";
        assert!(words.starts_with(start), "{text}: {words}");
    }
    let words = best(&list("v * 0.5"), true).1;
    assert!(!words.contains("named"), "{words}");
}

/// A short sum of digits is one vector of a compiler: dividing all of them by a constant in vectors of ours takes longer.
#[test]
fn short_sums_of_digits_are_left_to_compilers() {
    let text = "def digits [n : nat] (x : n.16.u8) : n.i32 = x |> map (\\r -> r
      |> map (\\d -> let v = 2 * (cast d : i32) in v / 10 + v % 10) |> reduce (+) 0)";
    assert_eq!(best(text, true).1, "parallel");
}
