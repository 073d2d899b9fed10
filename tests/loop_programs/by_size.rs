//! Kernels that choose by their sizes: each side is what its schedule alone leads to, and computes the program.

use super::*;
use crate::common::{chain_text, program_text};
use rise_opt::driver::auto::Auto;
use rise_opt::driver::by_size::auto_for;
use rise_opt::driver::candidates::Ended;
use rise_opt::driver::sizes::Classes;
use rise_opt::driver::Input;
use rise_opt::interp::compare;
use rise_opt::lower::lower;
use rise_opt::proof;
use rise_opt::schedule::{Permits, Space};
use rise_opt::search;
use rise_opt::validate::{validate, Verdict};

const MM: &str = "def mm [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
    a |> map (\\row -> transpose b |> map (\\col ->
      zip row col |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))";
const DOT: &str = "def dot [n : nat] (x : n.f32) (y : n.f32) : f32 =
    zip x y |> map (\\p -> fst p * snd p) |> reduce (+) 0.0";
const GEMV: &str = "def gemv [m n : nat] (a : m.n.f32) (x : n.f32) : m.f32 =
    a |> map (\\row -> zip row x |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)";
/// Two results, of which one is a single number.
const BOTH: &str = "def both [n : nat] (x : n.f32) : (f32, n.f32) =
    pair (reduce (+) 0.0 x) (x |> map (\\v -> v * v))";

fn input(program: &Program) -> Input {
    Input {
        program: program.clone(),
        steps: Vec::new(),
        params: BTreeMap::new(),
        fixed: BTreeMap::new(),
        target: Target::Avx512,
        unverified: Vec::new(),
        plan: None,
    }
}

fn tried(program: &Program, classes: &Classes) -> Auto {
    tried_for(&input(program), Some(classes))
}

fn tried_for(input: &Input, classes: Option<&Classes>) -> Auto {
    let permits = Permits {
        reassociate: true,
        ..Permits::default()
    };
    let options = search::Options::default();
    let sources = &mut SourceMap::new();
    auto_for(input, permits, Space::Small, classes, &options, sources)
}

fn classes(text: &str, program: &Program) -> Classes {
    Classes::read(text, program, &BTreeMap::new(), &mut SourceMap::new()).expect("classes")
}

/// The program after steps, whose proof holds.
fn reached(program: &Program, text: &str) -> Program {
    let options = search::Options {
        prove: true,
        ..search::Options::default()
    };
    let outcome = search::optimize(program, &chain_text(text, program), &options);
    assert!(outcome.failure.is_none(), "{text}");
    let proof = outcome.proof.expect("asked for").expect("made");
    proof::check(&proof).unwrap_or_else(|r| panic!("{text}: {r:?}"));
    let term = outcome.terms.last().expect("a step").clone();
    Program {
        term,
        ..program.clone()
    }
}

/// The sub-terms at the ends of all choices of sizes, first ones first.
fn sides(program: &Program) -> Vec<rise_opt::term::Term> {
    let mut all = Vec::new();
    let mut open = vec![vec![0; program.term.lambdas() as usize]];
    while let Some(place) = open.pop() {
        let here = proof::at(&program.term, &place).expect("a place");
        match here.as_prim_app() {
            Some((p, args)) if p.op() == Op::Select && args.len() == 3 => {
                open.push([&place[..], &[1]].concat());
                open.push([&place[..], &[0, 1]].concat());
            }
            _ => all.push(here.clone()),
        }
    }
    all
}

/// Every kernel of three different sides, at sizes in each class and at their borders.
#[test]
fn sides_are_what_their_schedules_lead_to() {
    let choices = [
        (MM, "1..3,3..9,9..", 3),
        (DOT, "1..3,3..9,9..", 3),
        (GEMV, "m=1..3,3..,n=1..9,9..", 4),
        (BOTH, "..3,3..9,9..", 3),
    ];
    let mut validated = 0;
    for (text, ranges, count) in choices {
        let program = program_text(text);
        let classes = classes(ranges, &program);
        let auto = tried(&program, &Classes::default());
        let estimated = |i: &usize| matches!(auto.tried[*i].ended, Ended::Estimated(..));
        let reachable: Vec<usize> = (0..auto.tried.len()).filter(estimated).collect();
        let (first, last) = (reachable[0], *reachable.last().expect("some"));
        assert_ne!(first, last, "{text}");
        let takes = [None, Some(last), Some(first), Some(last)];
        let takes = &takes[..count];
        let schedules: Vec<_> = auto.tried.iter().map(|t| &t.schedule).collect();
        let file = classes.variants(takes).text(&schedules);
        let kernel = reached(&program, &file);
        let params = vec![0; program.term.lambdas() as usize];
        for (side, takes) in sides(&kernel).iter().zip(takes) {
            let Some(i) = takes else { continue };
            let alone = auto.tried[*i].term.as_ref().expect("a term");
            assert_eq!(Some(side), proof::at(alone, &params), "{file}");
        }
        let nest = lower(&kernel, &Options::default()).expect("a kernel");
        let verdict = validate(&nest, &kernel, &BTreeMap::new()).verdict;
        // Of tiles at sizes below their own, bounds may be left open.
        assert!(!matches!(verdict, Verdict::Refuted(_)), "{nest}");
        validated += usize::from(matches!(verdict, Verdict::Validated));
        let mut rng = Rng::new(5);
        for sizes in around(&program, &[1, 2, 3, 8, 9, 20]) {
            let expected = Expected::of(&kernel, &sizes, &mut rng).expect("a value");
            expected.check(&nest, text);
            let args = program.params.iter();
            let args = args.map(|(_, ty)| random::value_of(&mut rng, *ty, &sizes, Numbers::Whole));
            let args: Vec<Value> = args.map(|v| v.expect("a value")).collect();
            let [a, b] = [&kernel, &program].map(|p| eval_program(p, &sizes, &args).unwrap());
            assert!(compare::same(&a, &b), "{text} at {sizes:?}");
        }
    }
    assert!(validated > 1, "{validated}");
}

/// All sizes the same, and one of them each.
fn around(program: &Program, borders: &[i64]) -> Vec<Sizes> {
    let mut all = Vec::new();
    for n in borders {
        all.push(program.sizes.iter().map(|s| (*s, *n)).collect());
        for one in &program.sizes {
            let of = |s: &Symbol| (*s, if s == one { *n } else { 4 });
            all.push(program.sizes.iter().map(of).collect());
        }
    }
    all
}

/// Only one of two sums is computed, although both are single numbers.
#[test]
fn single_numbers_are_computed_on_one_side() {
    let program = program_text(
        "def total [n : nat] (x : n.f32) : f32 =
           select (size[n] <= 9) (reduce (+) 0.0 x) (reduceSeq max 0.0 x) * 2.0",
    );
    let nest = lower(&program, &Options::default()).expect("a kernel");
    let is_loop = |s: &Stmt| matches!(s, Stmt::For { .. });
    let outside = nest.body.iter().filter(|s| is_loop(s)).count();
    assert_eq!(outside, 0, "{nest}");
    for n in [0, 1, 9, 10, 30] {
        let sizes = [(Symbol::new("n"), n)].into_iter().collect();
        let expected = Expected::of(&program, &sizes, &mut Rng::new(3)).expect("a value");
        expected.check(&nest, "a choice of sums");
    }
}

/// Arrays that one side keeps are computed on that side, also where the results are several.
#[test]
fn sides_keep_their_own_arrays() {
    let program = program_text(
        "def both [n : nat] (x : n.f32) : (n.f32, f32) =
           select (size[n] <= 9)
             (let y = toMem (x |> map (\\v -> v * 2.0)) in pair (y |> map (\\v -> v + 1.0)) (reduce (+) 0.0 y))
             (let y = toMem (x |> map (\\v -> v * 2.0)) in pair (y |> map (\\v -> v + 1.0)) (reduceSeq (+) 0.0 y))",
    );
    let nest = lower(&program, &Options::default()).expect("a kernel");
    let is_loop = |s: &Stmt| matches!(s, Stmt::For { .. });
    assert!(!nest.body.iter().any(is_loop), "{nest}");
    let verdict = validate(&nest, &program, &BTreeMap::new()).verdict;
    assert!(matches!(verdict, Verdict::Validated), "{nest}");
    for n in [0, 1, 9, 10, 30] {
        let sizes = [(Symbol::new("n"), n)].into_iter().collect();
        let expected = Expected::of(&program, &sizes, &mut Rng::new(3)).expect("a value");
        expected.check(&nest, "a choice of pairs");
    }
}

/// Rows that may be short have loops for short ones, without being asked for; not where they have a length, where short calls take
/// no time, or where few rows are meant.
#[test]
fn short_rows_have_loops_of_their_own() {
    let program = program_text(GEMV);
    let auto = tried_for(&input(&program), None);
    let by = auto.by_size.as_ref().expect("short rows");
    let sides = by.variants.sides();
    let what = |i: usize| sides[i].1.map(|t| auto.tried[t].schedule.what.as_str());
    assert_eq!(sides.len(), 2, "{by:?}");
    assert!(sides[0].0.starts_with("n ≤ "), "{sides:?}");
    assert_eq!(what(0), Some("parallel"));
    assert_eq!(sides[1].1, auto.best);
    assert_ne!(what(1), what(0));
    let kernel = reached(&program, &auto.text());
    let nest = lower(&kernel, &Options::default()).expect("a kernel");
    let verdict = validate(&nest, &kernel, &BTreeMap::new()).verdict;
    assert!(matches!(verdict, Verdict::Validated), "{nest}");
    let mut rng = Rng::new(5);
    for sizes in around(&program, &[1, 7, 8, 15, 16, 33]) {
        let expected = Expected::of(&kernel, &sizes, &mut rng).expect("a value");
        expected.check(&nest, "short rows");
    }
    let fixed = Input {
        fixed: [(Symbol::new("n"), 12)].into_iter().collect(),
        ..input(&program)
    };
    assert_eq!(tried_for(&fixed, None).by_size, None);
    assert_eq!(tried_for(&input(&program_text(DOT)), None).by_size, None);
    // Rows of the result, of which usual calls have many.
    let rows = "def doubled [m n : nat] (a : m.n.f32) : m.n.f32 = a |> map (map (\\x -> x * 2.0))";
    assert_eq!(tried_for(&input(&program_text(rows)), None).by_size, None);
}

/// Where tiles make more rows than there are, fewer than four of them are gone along whole.
#[test]
fn few_rows_are_no_tiles() {
    let program = program_text(MM);
    let auto = tried_for(&input(&program), None);
    let by = auto.by_size.as_ref().expect("few rows");
    let sides = by.variants.sides();
    let what = |i: usize| {
        sides[i]
            .1
            .map_or("", |t| auto.tried[t].schedule.what.as_str())
    };
    assert_eq!(sides[0].0, "m ≤ 3");
    assert!(what(0).starts_with("whole rows into "), "{}", what(0));
    assert!(what(1).starts_with("register tiles"), "{}", what(1));
    let kernel = reached(&program, &auto.text());
    let nest = lower(&kernel, &Options::default()).expect("a kernel");
    for sizes in around(&program, &[1, 3, 4, 9]) {
        let expected = Expected::of(&kernel, &sizes, &mut Rng::new(7)).expect("a value");
        expected.check(&nest, "few rows");
    }
}

/// Where what is added up lies side by side, few rows are sums in vectors.
#[test]
fn few_rows_by_rows_are_sums_in_vectors() {
    let text = "def f [m n k : nat] (a : m.k.f32) (b : n.k.f32) : m.n.f32 = a |> map (\\r -> b |> map (\\c ->
        zip r c |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))";
    let auto = tried_for(&input(&program_text(text)), None);
    let by = auto.by_size.as_ref().expect("few rows");
    let sides = by.variants.sides();
    assert_eq!(sides[0].0, "m ≤ 3");
    let takes: Option<usize> = sides[0].1;
    let what = takes.map_or("", |t| auto.tried[t].schedule.what.as_str());
    assert!(what.starts_with("reductions in "), "{what}");
}

/// Of very few numbers in each of very few groups there are no tiles, though there are of a few more.
#[test]
fn very_few_numbers_of_several_sizes_are_no_tiles() {
    let nearest = "def nearest [n k d : nat] (x : n.d.f32) (c : (k+1).d.f32) : n.(i32, f32) = x |> map (\\p ->
        zip (generate[k+1] (\\i -> (cast i : i32))) (c |> map (\\q -> zip p q |> map (\\t -> (fst t - snd t) * (fst t - snd t)) |> reduce (+) 0.0))
          |> reduceSeq (\\b t -> select (snd t < snd b) t b) (-1, infinity))";
    let program = program_text(nearest);
    let auto = tried_for(&input(&program), None);
    let by = auto.by_size.as_ref().expect("few centres");
    let sides = by.variants.sides();
    assert_eq!(sides[0].0, "max(k, d) ≤ 3");
    let what = |i: usize| {
        let takes: Option<usize> = sides[i].1;
        takes.map_or("", |t| auto.tried[t].schedule.what.as_str())
    };
    assert!(!what(0).contains("tiles"), "{}", what(0));
    assert!(what(1).contains("tiles"), "{}", what(1));
}

/// Where two sizes are small together, something else is faster than where one of them is.
#[test]
fn two_small_sizes_have_loops_of_their_own() {
    let sums = "def sums [g m n : nat] (x : g.m.f64) (y : g.n.f64) : g.f64 = zip x y |> map (\\p ->
        let a = reduce (+) 0.0 (fst p) in
        let b = reduce (+) 0.0 (snd p) in
        a * b + (fst p |> map (\\v -> (v - a) * (v - a)) |> reduce (+) 0.0)
          + (snd p |> map (\\v -> (v - b) * (v - b)) |> reduce (+) 0.0))";
    let auto = tried_for(&input(&program_text(sums)), None);
    let by = auto.by_size.as_ref().expect("both small");
    let sides = by.variants.sides();
    assert!(sides[0].0.starts_with("max(m, n) ≤ "), "{sides:?}");
    let toeplitz = "def toeplitz [b m n : nat] (t : (m+n).f32) (x : b.m.f32) : b.(1+n).f32 =
        x |> map (\\r -> (slide[m, 1] t : (1+n).m.f32) |> map (\\w ->
          zip w r |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))";
    let program = program_text(toeplitz);
    let auto = tried_for(&input(&program), None);
    let by = auto.by_size.as_ref().expect("short windows");
    let sides = by.variants.sides();
    let both = |when: &str| when.contains("n ≤") && when.contains("m ≤");
    assert!(sides.iter().any(|s| both(&s.0)), "{sides:?}");
    let kernel = reached(&program, &auto.text());
    let nest = lower(&kernel, &Options::default()).expect("a kernel");
    let verdict = validate(&nest, &kernel, &BTreeMap::new()).verdict;
    assert!(matches!(verdict, Verdict::Validated), "{nest}");
}

/// Of sizes that are all small, however few numbers there are, none is worth vectors. What one size alone is the reason for is no choice
/// by all of them.
#[test]
fn few_numbers_have_plain_loops() {
    let hankel = "def hankel [m n : nat] (h : (m+n).f32) (x : n.f32) : (m+1).f32 =
        slide[n, 1] h |> map (\\w -> zip w x |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)";
    let auto = tried_for(&input(&program_text(hankel)), None);
    let by = auto.by_size.as_ref().expect("short windows");
    let plain = |s: &(String, Option<usize>)| s.1.is_none() && s.0.contains("n ≤");
    assert!(
        by.variants.sides().iter().any(plain),
        "{:?}",
        by.variants.sides()
    );
    let sddmm = "def sddmm [m n d z : nat] (i : z.idx[m]) (j : z.idx[n]) (q : m.d.f32) (k : n.d.f32) : z.f32 =
        zip i j |> map (\\p -> zip (idx (fst p) q) (idx (snd p) k) |> map (\\e -> fst e * snd e) |> reduce (+) 0.0)";
    let auto = tried_for(&input(&program_text(sddmm)), None);
    let by = auto.by_size.as_ref().expect("short rows");
    assert!(
        by.variants.sides()[0].0.starts_with("d ≤ "),
        "{:?}",
        by.variants.sides()
    );
}

/// A size that is the last of three is looked at, too; what other sizes are the reason for is no choice by it.
#[test]
fn few_channels_have_loops_of_their_own() {
    let sums = "def sums [h w c : nat] (x : h.w.c.u8) : h.w.c.u8 =
        x |> map (\\row -> transpose row |> map (scanSeq (\\v s -> v + s) 0) |> transpose)";
    let auto = tried_for(&input(&program_text(sums)), None);
    let by = auto.by_size.as_ref().expect("few channels");
    let sides = by.variants.sides();
    assert!(sides[0].0.starts_with("c ≤ "), "{sides:?}");
    let what = |i: usize| sides[i].1.map(|t| auto.tried[t].schedule.what.as_str());
    assert_eq!(what(0), Some("parallel"));
    assert_eq!(what(1), Some("scans of rows in vectors, parallel"));
    // Windows are as long as usual, however few of them there are.
    let largest = "def largest [c n k : nat] (dy : c.n.f32) (x : c.n.k.f32) : c.n.k.f32 =
        zip dy x |> map (\\r -> zip (fst r) (snd r) |> map (\\p ->
          let w = snd p in
          let m = reduce max (-infinity) w in
          let first = zip w (generate[k] (\\i -> (cast i : i32)))
            |> map (\\q -> if fst q == m then snd q else size[k]) |> reduce min (size[k]) in
          generate[k] (\\i -> if (cast i : i32) == first then fst p else 0.0)))";
    assert_eq!(
        tried_for(&input(&program_text(largest)), None).by_size,
        None
    );
}

/// Classes for which the same is best are one, and a class of its own gets what is best for it.
#[test]
fn classes_choose_by_the_estimate() {
    let program = program_text(DOT);
    let by = |text: &str| {
        let classes = classes(text, &program);
        tried(&program, &classes)
    };
    let far = by("1..2000000,2000000..");
    assert!(far.by_size.as_ref().is_some_and(|b| b.text.is_none()));
    let near = by("1..4,4..");
    let chosen = near.by_size.as_ref().expect("asked for");
    let sides = chosen.variants.sides();
    assert_eq!(sides.len(), 2, "{chosen:?}");
    assert_eq!(sides[0], ("n ≤ 3".to_string(), None));
    assert!(sides[1].1.is_some());
    let kernel = reached(&program, &near.text());
    assert_eq!(self::sides(&kernel).len(), 2);
}
