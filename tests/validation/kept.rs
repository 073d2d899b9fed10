//! Tiles that are kept and read again, and stores whose order decides what is read.

use super::{differs, expected_of, lowered, open, told_by_the_main_job, CHOICES};
use super::{each_site, CHANGES};
use crate::common;
use rise_opt::arith::Nat;
use rise_opt::intern::Symbol;
use rise_opt::interp::Sizes;
use rise_opt::lower::Options;
use rise_opt::nest::{Block, Expr, ExprKind, LoopKind, Nest, Stmt};
use rise_opt::term::{Lit, Op, Program};
use rise_opt::ty::Scalar;
use rise_opt::validate::{obligations, obligations_within, Obligation};

/// Sums in tiles of two rows and two vectors, the last of which are parts.
const TILES: &str = "take[m] (join (map (map take[n]) (map (map join) (map transpose (transpose (
    split[8] (padClamp[0, 8*ceil(n, 8) - n] ys) |> OUTER (\\cols ->
      split[2] (padClamp[0, 2*ceil(m, 2) - m] xs) |> map (\\rows ->
        map asScalar
          (transpose (rows |> map (\\row -> transpose (map (zip row) cols)))
           |> reduceSeq
             (\\acc x ->
               zip acc x |> mapSeqUnroll (\\p ->
                 zip (fst p) (asVector[4] (snd p)) |> mapSeqUnroll (\\q ->
                   fst q + abs (fst (snd q) - snd (snd q)))))
             (rows |> map (\\_ -> generate[2] (\\_ -> vectorFromScalar[4] 0.0))))))))))))";

/// Kept for all threads, and for each thread alone.
fn programs() -> [String; 2] {
    let tiles = |outer: &str| TILES.replace("OUTER", outer);
    [
        format!(
            "def f [m n d : nat] (xs : m.d.f32) (ys : n.d.f32) (top : f32) : m.n.f32 =
               let sums = toMem ({}) in sums |> mapPar (mapSeq (min top))",
            tiles("mapPar")
        ),
        format!(
            "def f [b m n d : nat] (all : b.m.d.f32) (ys : n.d.f32) (top : f32) : b.m.n.f32 =
               all |> mapPar (\\xs ->
                 let sums = toMem ({}) in sums |> mapSeq (mapSeq (min top)))",
            tiles("map")
        ),
    ]
}

#[test]
fn tiles_that_are_kept_are_validated() {
    for text in programs() {
        let program = common::program_text(&text);
        let nest = lowered(&program, &Options::default());
        let found = obligations(&nest, &program);
        assert!(found.open.is_empty(), "{nest}{}", open(&found));
    }
}

/// `cargo test --test all changed_tiles -- --ignored`
#[test]
#[ignore = "a minute"]
fn changed_tiles_are_rejected() {
    let mut differ = 0;
    for text in programs() {
        let program = common::program_text(&text);
        let nest = lowered(&program, &Options::default());
        differ += changes_that_differ(&program, &nest);
    }
    assert!(differ >= 60, "{differ}");
}

/// How many changes of a loop program differ from it, none of which is validated.
pub fn changes_that_differ(program: &Program, nest: &Nest) -> usize {
    let at = |i: usize| {
        let each = program.sizes.iter().enumerate();
        each.map(|(j, s)| (*s, CHOICES[(i + 3 * j) % CHOICES.len()]))
            .collect()
    };
    let expected = expected_of(program, nest, (0..CHOICES.len()).map(at).collect());
    let mut differ = 0;
    for (kind, change) in CHANGES {
        for changed in each_site(nest, 4, change) {
            let Some(what) = differs(&changed, &expected) else {
                continue;
            };
            differ += 1;
            let found = obligations(&changed, program);
            assert!(
                !found.open.is_empty(),
                "{kind}: validated, but {what}\n{changed}"
            );
        }
    }
    differ
}

/// A loop program of one element after the other whose body is another one.
fn with_body(nest: &Nest, body: impl Fn(Nat, Nat) -> Block) -> Nest {
    let (i, j) = (Symbol::new("i"), Symbol::new("j"));
    let around = |var, body| Stmt::For {
        var,
        extent: Nat::var(Symbol::new("n")),
        kind: LoopKind::Seq,
        body,
        note: None,
    };
    let mut nest = nest.clone();
    nest.body = vec![around(i, vec![around(j, body(Nat::var(i), Nat::var(j)))])];
    nest
}

/// Two stores of one index, in different iterations: which iteration is later counts, and not which store stands later.
#[test]
fn stores_of_one_index_in_other_iterations_are_told_apart() {
    let program: Program =
        common::program_text("def f [n : nat] (a : n.f32) : n.f32 = a |> mapSeq (\\x -> x + 1.0)");
    let nest = lowered(&program, &Options::default());
    let Stmt::For { var, body, .. } = &nest.body[0] else {
        panic!("{nest}")
    };
    let store = &body[0];
    let at = |n: Nat, new: Expr| {
        let mut store = store.clone();
        if let Stmt::Store { index, value, .. } = &mut store {
            (*index, *value) = (n, new);
        }
        store
    };
    let right = |n: Nat| match store {
        Stmt::Store { value, .. } => value.rewrite(&mut |e| match e.kind() {
            ExprKind::Load(b, m) => {
                let load = ExprKind::Load(*b, m.subst_var(*var, n));
                Some(Expr::new(load, e.shape()))
            }
            _ => None,
        }),
        _ => panic!("{nest}"),
    };
    let when = |n: Nat, then: Stmt| Stmt::If {
        cond: Expr::compare(Op::Eq, n, Nat::int(0)),
        then: vec![then],
        els: Vec::new(),
    };
    let zero = Nat::int(0);
    // What the first of them stores, when i is the element, comes after what the second stores when j is.
    let made = |wrong_first: bool| {
        with_body(&nest, |i, j| {
            let element = i + j;
            let wrong = right(zero);
            let (first, second) = match wrong_first {
                true => (wrong, right(element)),
                false => (right(element), wrong),
            };
            vec![when(j, at(element, first)), when(i, at(element, second))]
        })
    };
    let sizes = |n: i64| Sizes::from_iter([(Symbol::new("n"), n)]);
    let expected = expected_of(&program, &nest, [1, 2, 3, 5].map(sizes).to_vec());
    for (wrong_first, wrong) in [(true, true), (false, false)] {
        let changed = made(wrong_first);
        assert_eq!(differs(&changed, &expected).is_some(), wrong, "{changed}");
        let found = obligations(&changed, &program);
        assert!(!(wrong && found.open.is_empty()), "{changed}");
    }
}

/// The first of two stores writes an element in a later iteration than the second one does: what stands later does not come later.
#[test]
fn later_iterations_come_after_later_stores() {
    let text = "def f [n : nat] (a : n.f32) : n.f32 = a |> mapSeq (\\x -> x + 1.0)";
    let program = common::program_text(text);
    let nest = lowered(&program, &Options::default());
    let Stmt::For { var, body, .. } = &nest.body[0] else {
        panic!("{nest}")
    };
    let Stmt::Store { value, .. } = &body[0] else {
        panic!("{nest}")
    };
    let of = |n: Nat| {
        value.rewrite(&mut |e| match e.kind() {
            ExprKind::Load(b, _) => Some(Expr::new(ExprKind::Load(*b, n), e.shape())),
            _ => None,
        })
    };
    let i = Nat::var(*var);
    let mirrored = Nat::var(Symbol::new("n")) - Nat::int(1) - i;
    let changed = |wrong: Nat| {
        let mut nest = nest.clone();
        let Stmt::For { body, .. } = &mut nest.body[0] else {
            panic!("{nest}")
        };
        let mut first = body[0].clone();
        if let Stmt::Store { index, value, .. } = &mut first {
            (*index, *value) = (mirrored, of(wrong));
        }
        body.insert(0, first);
        nest
    };
    let sizes = |n: i64| Sizes::from_iter([(Symbol::new("n"), n)]);
    let expected = expected_of(&program, &nest, [1, 2, 3, 5].map(sizes).to_vec());
    assert_eq!(differs(&changed(mirrored), &expected), None);
    let wrong = changed(Nat::int(0));
    assert!(differs(&wrong, &expected).is_some(), "{wrong}");
    assert!(!obligations(&wrong, &program).open.is_empty(), "{wrong}");
}

/// What lies in memory before a loop is what it starts with: where it has no iteration, that is left, too.
#[test]
fn a_loop_without_an_iteration_leaves_what_was_there() {
    let text = "def f [m n : nat] (a : n.f32) (b : m.f32) : m.f32 =
      b |> mapSeq (\\x -> a |> reduceSeq (\\s y -> s + y * exp x) 1.0)";
    let program = common::program_text(text);
    let nest = lowered(&program, &Options::default());
    let Stmt::For { body, .. } = &nest.body[0] else {
        panic!("{nest}")
    };
    let (before, after) = body.split_at(body.len() - 2);
    let (sum, last) = (&after[0], &after[1]);
    let Stmt::Store { buf, index, .. } = last else {
        panic!("{nest}")
    };
    let store = |new: Expr| {
        let mut store = last.clone();
        if let Stmt::Store { value, .. } = &mut store {
            *value = new;
        }
        store
    };
    let number = |x: f32| Expr::lit(Lit::f32(x), Scalar::F32);
    let mut in_memory = sum.clone();
    if let Stmt::For { body, .. } = &mut in_memory {
        for s in body {
            if let Stmt::Assign { var, value } = s {
                let new = value.rewrite(&mut |e| match e.kind() {
                    ExprKind::Var(v) if v == var => {
                        Some(Expr::new(ExprKind::Load(*buf, *index), e.shape()))
                    }
                    _ => None,
                });
                *s = store(new);
            }
        }
    }
    let begun = |first: f32| {
        let mut nest = nest.clone();
        let Stmt::For { body, .. } = &mut nest.body[0] else {
            panic!("{nest}")
        };
        let some = Expr::compare(Op::Lt, Nat::int(0), Nat::var(Symbol::new("n")));
        let start = Stmt::If {
            cond: some,
            then: vec![store(number(1.0))],
            els: Vec::new(),
        };
        *body = before.to_vec();
        body.extend([store(number(first)), start, in_memory.clone()]);
        nest
    };
    let sizes = |n: i64| Sizes::from_iter([(Symbol::new("m"), 2), (Symbol::new("n"), n)]);
    let expected = expected_of(&program, &nest, [0, 1, 2].map(sizes).to_vec());
    let right = begun(1.0);
    assert_eq!((differs(&right, &expected), expected.len()), (None, 3));
    let found = obligations(&right, &program);
    assert!(found.open.is_empty(), "{right}{}", open(&found));
    let wrong = begun(2.0);
    assert!(differs(&wrong, &expected).is_some(), "{wrong}");
    assert!(!obligations(&wrong, &program).open.is_empty(), "{wrong}");
}

/// Rows that are stored by threes and read one by one, or by windows: what a tile has in a row is one value of both.
#[test]
fn rows_of_tiles_are_read_at_any_row() {
    let of = |read: &str, square: &str| {
        common::program_text(&format!(
            "def f [m n : nat] (xs : (3*m).n.f32) (top : f32) : (3*m).f32 =
               let sums = toMem (join (split[3] xs |> mapPar (mapSeqUnroll (mapSeq (\\x -> min top {square}))))) in
               {read} |> mapSeq (reduceSeq (\\s x -> s + x) 0.0)"
        ))
    };
    let program = of("sums", "(x * x)");
    let nest = lowered(&program, &Options::default());
    let found = obligations(&nest, &program);
    assert!(found.open.is_empty(), "{nest}{}", open(&found));
    for other in [of("reverse sums", "(x * x)"), of("sums", "x")] {
        assert!(!obligations(&nest, &other).open.is_empty(), "{nest}");
    }
    let differ = changes_that_differ(&program, &nest);
    assert!(differ > 20, "{differ}");
}

/// Scores of attention, whose rest has clamped columns that are stored only where they are none: that is one value on all sides.
#[test]
fn tiles_whose_rest_looks_different_are_validated() {
    let attention =
        std::fs::read_to_string("programs/layer/attention_causal.rise").expect("a program");
    let job = told_by_the_main_job(
        &attention,
        "--target avx512 --permit approximate,reassociate",
    );
    assert!(job.contains("at all sizes"), "{job}");
}

/// Correlations of columns: the tiles of a product of an array with itself are read across. Sums in registers that are stored one by one,
/// and read by loops.
#[test]
fn tiles_that_are_read_in_other_loops_are_validated() {
    let kmeans = std::fs::read_to_string("programs/other/kmeans.rise").expect("a program");
    let job = told_by_the_main_job(&kmeans, "--target neon --permit reassociate");
    assert!(job.contains("at all sizes"), "{job}");
    let job = told_by_the_main_job(CORRELATIONS, "--target avx512");
    assert!(job.contains("at all sizes"), "{job}");
}

const CORRELATIONS: &str = "def corr [n m : nat] (x : m.n.f32) : n.n.f32 =
  let c = transpose x |> map (\\col -> let mu = reduce (+) 0.0 col / size[m] in col |> map (\\v -> v - mu)) in
  c |> map (\\a -> c |> map (\\b -> zip a b |> map (\\(p, q) -> p * q) |> reduce (+) 0.0))";

/// A few rows at once and those that are left are stored by loops of their own, and read in groups of other sizes: rows of an array that is as
/// long as an input with other rows.
#[test]
fn kept_rows_that_loops_share_are_validated_in_tiles() {
    let text = "def f [n m : nat] (x : m.n.f32) : n.n.f32 =
      let c = toMem (transpose x |> map (\\col -> let mu = reduce (+) 0.0 col in col |> map (\\v -> v - mu))) in
      take[n] (join (split[3] (padClamp[0, 3*ceil(n, 3) - n] c) |> map (\\rows -> rows |> mapSeqUnroll (\\a ->
        c |> map (\\b -> zip a b |> map (\\p -> fst p * snd p) |> reduceSeq (+) 0.0)))))";
    let program = common::program_text(text);
    let nest = lowered(&program, &Options::default());
    let shared = nest.shared_by_iterations.values().any(|n| *n > 1);
    assert!(shared, "{nest}");
    let found = obligations_within(&nest, &program, 10_000);
    assert!(found.open.is_empty(), "{nest}{}", open(&found));
    let differ = changes_that_differ(&program, &nest);
    assert!(differ >= 40, "{differ}");
}

/// What is left of the columns of a row is read number by number, and each may be of any row of a tile: 6 rows of 16 numbers are 96.
#[test]
fn rests_of_rows_of_wide_tiles_are_validated() {
    let text = "def f [b h k : nat] (w : k.h.f32) (x : b.k.f32) : b.h.f32 =
      let s = toMem (take[b] (join (map (map take[h]) (map (map join) (map transpose (transpose (
        split[32] (padClamp[0, 32*ceil(h, 32) - h] (transpose w))
        |> map (\\cols -> split[6] (padClamp[0, 6*ceil(b, 6) - b] x) |> map (\\rows ->
          map asScalar (transpose
            (rows |> map (\\row -> transpose (cols |> map (\\col -> zip row col))))
            |> reduceSeq
              (\\acc x -> zip acc x |> mapSeqUnroll (\\p ->
                 zip (fst p) (asVector[16] (snd p)) |> mapSeqUnroll (\\q -> fst q + fst (snd q) * snd (snd q))))
              (rows |> map (\\_ -> asVector[16] (cols |> map (\\_ -> 0.0)))))))))))))) in
      s |> map (\\r -> concat
        (asScalar (map (\\v -> v * v) (asVector[16] (take[16*floor(h, 16)] r))))
        (map (\\v -> v * v) (drop[16*floor(h, 16)] r)))";
    let program = common::program_text(text);
    let nest = lowered(&program, &Options::default());
    let found = obligations_within(&nest, &program, 10_000);
    assert!(found.open.is_empty(), "{nest}{}", open(&found));
    let other =
        common::program_text(&text.replace("(\\v -> v * v) (drop", "(\\v -> v * 2.0) (drop"));
    let found = obligations_within(&nest, &other, 10_000);
    assert!(!found.open.is_empty(), "{nest}");
}

/// Softmax of the rows of a product: functions in vectors, and a rest of which the last tile is a part. Of a constant number of columns,
/// some columns of the tile lie inside of every row, and in the others a minimum stands.
#[test]
fn rests_of_rows_that_end_in_a_tile_are_validated() {
    let text = "def f [m h k : nat] (x : m.k.f32) (w : h.k.f32) : m.h.f32 =
      x |> map (\\r ->
        let s = w |> map (\\c -> zip r c |> map (\\p -> fst p * snd p) |> reduce (+) 0.0) in
        let powers = s |> map exp in
        let sum = reduce (+) 0.0 powers in
        powers |> map (\\v -> v / sum))";
    for flags in ["--target avx2", "--target avx512 --set h=100"] {
        let job = told_by_the_main_job(text, &format!("{flags} --permit approximate"));
        assert!(job.contains("at all sizes"), "{flags}: {job}");
    }
}

/// Memory that begins in a loop inside of a parallel one is one for all threads, if it is none of each thread's.
#[test]
fn memory_of_loops_inside_of_parallel_ones_is_shared() {
    let program = common::program_text(
        "def f [m n : nat] (a : m.n.n.f32) : m.n.n.f32 = a |> mapSeq (mapSeq (\\row ->
           let r = toMem (row |> scanSeq (\\x s -> s + x) 0.0) in
           zip r (reverse r) |> mapSeq (\\p -> fst p - snd p)))",
    );
    let mut nest = lowered(&program, &Options::default());
    assert!(obligations(&nest, &program).open.is_empty(), "{nest}");
    let Stmt::For { kind, .. } = &mut nest.body[0] else {
        panic!("{nest}")
    };
    *kind = LoopKind::Par;
    let found = obligations(&nest, &program);
    assert!(!found.open.is_empty(), "{nest}");
}

/// Iterations in any order store side by side, as long as no two of them store one element.
#[test]
fn rows_side_by_side_are_apart() {
    let program: Program = common::program_text(
        "def f [n : nat] (a : n.f32) : (4*n).f32 = generate[4*n] (\\i -> 1.0)",
    );
    let nest = lowered(&program, &Options::default());
    let Stmt::For { var, body, .. } = &nest.body[0] else {
        panic!("{nest}")
    };
    let (i, n) = (Nat::var(*var), Nat::var(Symbol::new("n")));
    let with = |places: &[Nat]| {
        let at = |place: &Nat| {
            let mut store = body[0].clone();
            if let Stmt::Store { index, element, .. } = &mut store {
                (*index, *element) = (*place, *place);
            }
            store
        };
        let mut nest = nest.clone();
        nest.body = vec![Stmt::For {
            var: *var,
            extent: n,
            kind: LoopKind::Independent,
            body: places.iter().map(at).collect(),
            note: None,
        }];
        obligations(&nest, &program).open
    };
    let (two, one) = (Nat::int(2), Nat::int(1));
    let rows = [two * i, two * i + one, two * (i + n), two * (i + n) + one];
    assert_eq!(with(&rows).len(), 0);
    for wrong in [two * (i + n) - one, two * (i + n) - two, two * i + n, i + n] {
        let open = with(&[&rows[..], &[wrong]].concat());
        assert!(
            open.iter().any(|o| o.obligation == Obligation::Disjoint),
            "{wrong}"
        );
    }
}
