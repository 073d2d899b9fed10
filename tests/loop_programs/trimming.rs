//! Loops that end where nothing is left to do: which do, where, and which stay.

use super::*;

fn trimmed(text: &str, all: &[&[(&str, i64)]]) -> (Vec<String>, Vec<String>) {
    loops_around("trim_no_ops", text, all)
}

/// How often loops run before a pass and after it, of which each bit is that of the interpreter at some sizes.
fn loops_around(name: &str, text: &str, all: &[&[(&str, i64)]]) -> (Vec<String>, Vec<String>) {
    let program = program(text);
    let options = Options::default();
    let (mut nest, mut facts) = lower::before_passes(&program, &options).expect("a nest");
    let extents = |nest: &Nest| {
        let mut found = Vec::new();
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::For { extent, .. } = s {
                found.push(extent.to_string());
            }
        });
        found
    };
    let mut before = Vec::new();
    for pass in PASSES {
        if pass.name == name {
            before = extents(&nest);
        }
        (pass.run)(&mut nest, &mut options.context(&mut facts));
        if pass.name == name {
            for sizes in all {
                let sizes = sizes.iter().map(|(s, n)| (Symbol::new(s), *n)).collect();
                let mut rng = Rng::new(11);
                let expected = Expected::of(&program, &sizes, &mut rng).expect("a value");
                expected.check(&nest, text);
            }
            return (before, extents(&nest));
        }
    }
    panic!("no such pass");
}

#[test]
fn iterations_that_change_nothing_are_left_out() {
    let sizes: &[&[(&str, i64)]] = &[
        &[("n", 0)],
        &[("n", 1)],
        &[("n", 2)],
        &[("n", 7)],
        &[("n", 19)],
    ];
    let masked = |cond: &str, of: &str| {
        format!(
            "def f [n : nat] (a : n.n.{of}) : n.{of} =
               let places = generate[n] (\\i -> (cast i : i32)) in
               zip places a |> map (\\row -> zip places (snd row)
                 |> map (\\p -> let (j, i) = pair (fst p) (fst row) in select ({cond}) (snd p) ZERO) |> reduce (+) START)"
        )
    };
    let of = |cond: &str| {
        masked(cond, "f32")
            .replace("ZERO", "0.0")
            .replace("START", "0.0")
    };
    for (cond, extent) in [
        ("j <= i", "i0 + 1"),
        ("j < i", "i0"),
        ("i <= j", "n - i0"),
        ("i == j", "1"),
        ("j * 2 < i", "ceil(i0, 2)"),
        ("and (j <= i) (i <= j + 3)", "min(i0 + 1, 4)"),
        ("or (i < j) (i + 2 < j)", "n - i0 - 1"),
    ] {
        let (before, after) = trimmed(&of(cond), sizes);
        assert_eq!(before, ["n", "n"], "{cond}");
        // A loop of one iteration is none.
        let loops: &[&str] = if extent == "1" {
            &["n"]
        } else {
            &["n", extent]
        };
        assert_eq!(after, loops, "{cond}");
    }
    let (_, after) = trimmed(
        &masked("j <= i", "i32")
            .replace("ZERO", "0")
            .replace("START", "0"),
        sizes,
    );
    assert_eq!(after, ["n", "i0 + 1"]);
    for unchanged in [
        // -0.0 + 0.0 is another number than -0.0.
        masked("j <= i", "f32")
            .replace("ZERO", "0.0")
            .replace("START", "(-0.0)"),
        // What is added counts.
        masked("j <= i", "f32")
            .replace("ZERO", "1.0")
            .replace("START", "0.0"),
        masked("j <= i", "i32")
            .replace("ZERO", "1")
            .replace("START", "0"),
        // What is no number may be in the largest of all.
        masked("j <= i", "f32")
            .replace("(+)", "max")
            .replace("ZERO", "(-1e30)")
            .replace("START", "(-1e30)"),
        // The condition holds between places that it does not hold at.
        of("i != j"),
        // Indices that are kept in few bits begin anew.
        of("j <= i").replace("i32", "i8"),
    ] {
        let (before, after) = trimmed(&unchanged, sizes);
        assert_eq!(before, after, "{unchanged}");
    }
    // Of a row alone nothing says that its indices fit into 32 bits; those that are not converted do.
    let row = "def f [n : nat] (k : i64) (a : n.f32) : n.f32 =
        let places = generate[n] (\\i -> (cast i : CAST)) in
        zip places a |> map (\\row -> zip places a
          |> map (\\p -> select (fst p <= fst row) (snd p) 0.0) |> reduce (+) 0.0)";
    let (before, after) = trimmed(&row.replace("CAST", "i32"), sizes);
    assert_eq!(before, after);
    let (_, after) = trimmed(&row.replace("CAST", "i64"), sizes);
    assert_eq!(after, ["n", "i0 + 1"]);
}

#[test]
fn stores_of_what_lies_there_are_left_out() {
    let text = |cond: &str| {
        format!(
            "def f [n : nat] (a : n.n.f32) : n.f32 =
               let places = generate[n] (\\i -> i) in
               zip places a |> reduceSeq
                 (\\x row -> zip places (zip x (snd row))
                   |> map (\\p -> select (fst p {cond} fst row) (fst (snd p) * 0.5 + snd (snd p)) (fst (snd p))))
                 (fill[n] 0.0)"
        )
    };
    let sizes: &[&[(&str, i64)]] = &[&[("n", 0)], &[("n", 1)], &[("n", 9)]];
    assert_eq!(trimmed(&text("=="), sizes).1, ["n", "n"]);
    assert_eq!(trimmed(&text("<"), sizes).1, ["n", "n", "i1"]);
    assert_eq!(trimmed(&text(">="), sizes).1, ["n", "n", "n - i1"]);
}

/// Where an index is bounded inside of a quotient or a minimum, the first and last iterations are those for which the bound, solved for
/// the variable of the loop, counts.
#[test]
fn borders_inside_of_quotients_are_split_off() {
    let sizes: &[&[(&str, i64)]] = &[
        &[("n", 0)],
        &[("n", 1)],
        &[("n", 2)],
        &[("n", 3)],
        &[("n", 11)],
    ];
    let smoothed = |times: usize| {
        let copies = vec!["x"; times].join(" ");
        format!(
            "def f [n : nat] (xs : n.f32) : ({times}*n + {times}*2 - 2).f32 =
               (padClamp[1, 1] xs : (n+2).f32) |> map (\\x -> makeArray[{times}] {copies}) |> join |> slide[3, 1]
                 |> map (reduce (+) 0.0)"
        )
    };
    for (times, first) in [(2, "2"), (3, "3")] {
        let (before, after) = loops_around("index_set_splitting", &smoothed(times), sizes);
        assert_eq!(before.len(), 2, "{before:?}");
        assert_eq!(after.len(), 6, "{after:?}");
        assert_eq!((&*after[0], &*after[1]), (first, "3"), "{after:?}");
    }
}

/// Where what lies beyond one end of an array is at the other one, a remainder is asked at both ends alone, however it is kept from
/// being negative.
#[test]
fn remainders_are_asked_at_the_ends() {
    let sizes: &[&[(&str, i64)]] = &[&[("n", 0)], &[("n", 1)], &[("n", 2)], &[("n", 11)]];
    let neighbours = |next: &str, last: &str| {
        format!(
            "def f [n : nat] (xs : n.f32) : n.f32 = generate[n] (\\i ->
               let j = (cast i : i64) in
               idx (cast (({next}) % n) : idx[n]) xs - idx (cast (({last}) % n) : idx[n]) xs)"
        )
    };
    for (next, last) in [
        ("j + 1", "j + n - 1"),
        ("j + 1 + n", "j - 1 + n"),
        ("j + n + 2", "j"),
    ] {
        let text = neighbours(next, last);
        let (before, after) = loops_around("index_set_splitting", &text, sizes);
        assert_eq!(before, ["n"], "{next}");
        assert!(after.len() > 1, "{next}: {after:?}");
    }
}
