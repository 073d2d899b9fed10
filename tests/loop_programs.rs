//! Loop programs mean what the terms mean that they were lowered from, before and after every pass.
//!
//! Random typed programs, the written ones and the shipped goals are lowered without passes and evaluated: races, reads
//! of what was never written and indices out of bounds are errors, and every bit must be that of the interpreter. Then
//! one pass after the other is run, with the same question after each. Guards against silence: how many programs each
//! pass changed is asserted. `SEEDS=first,count cargo test --test all loop_programs:: -- --ignored` looks at more.

mod abreast;
mod by_size;
mod invariant;
mod lanes;
mod rows;
mod tables;
mod trimming;

use crate::common;
use crate::common::cases::{self, written, Case, GOALS};
use crate::common::flow::{self, Programs};
use crate::common::share;
use rise_opt::arith::Nat;
use rise_opt::elab;
use rise_opt::index::{Facts, Level};
use rise_opt::intern::Symbol;
use rise_opt::interp::generate::Generator;
use rise_opt::interp::random::{self, Numbers, Rng};
use rise_opt::interp::{eval_program, Num, Sizes, Value};
use rise_opt::lower::{self, Options};
use rise_opt::nest::eval::{eval, EvalError, Fault};
use rise_opt::nest::passes::PASSES;
use rise_opt::nest::walk::{each_stmt, exprs};
use rise_opt::nest::{BufId, Buffer, Expr, ExprKind, LoopKind, Nest, Shape, Stmt, StorageClass};
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use rise_opt::term::{normalize, Lit, Op, Program};
use rise_opt::ty::Scalar;
use std::collections::BTreeMap;

/// How many programs were looked at, and how many each pass changed.
#[derive(Default)]
struct Counts {
    programs: usize,
    changed: BTreeMap<&'static str, usize>,
    /// Those in which something is read for nothing while another iteration writes it.
    idle_races: usize,
}

fn leaves(v: &Value) -> Vec<Vec<Num>> {
    match v.as_pair() {
        Some((a, b)) => [leaves(a), leaves(b)].concat(),
        None => {
            let mut all = Vec::new();
            v.each_num(&mut |n| all.push(n));
            vec![all]
        }
    }
}

fn same(a: &[Vec<Num>], b: &[Vec<Num>]) -> bool {
    let equal = |(a, b): (&Vec<Num>, &Vec<Num>)| {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same(*y))
    };
    a.len() == b.len() && a.iter().zip(b).all(equal)
}

/// What a program has to compute.
struct Expected {
    sizes: Sizes,
    inputs: Vec<Vec<Num>>,
    outputs: Vec<Vec<Num>>,
}

impl Expected {
    /// None where the program has no meaning.
    fn of(program: &Program, sizes: &Sizes, rng: &mut Rng) -> Option<Expected> {
        let arg = |ty| random::value_of(rng, ty, sizes, Numbers::Unit).ok();
        let args: Vec<Value> = program
            .params
            .iter()
            .map(|p| p.1)
            .map(arg)
            .collect::<Option<_>>()?;
        Some(Expected {
            sizes: sizes.clone(),
            inputs: args.iter().flat_map(leaves).collect(),
            outputs: leaves(&eval_program(program, sizes, &args).ok()?),
        })
    }

    fn check(&self, nest: &Nest, when: &str) {
        self.agrees(eval(nest, &self.sizes, &self.inputs), nest, when);
    }

    fn agrees(&self, found: Result<Vec<Vec<Num>>, EvalError>, nest: &Nest, when: &str) {
        match found {
            Ok(found) if same(&found, &self.outputs) => {}
            other => panic!(
                "{when}, at {:?}: {other:?}\ninstead of {:?}\n{nest}",
                self.sizes, self.outputs
            ),
        }
    }
}

/// Lowers a program and looks at it before the passes and after each.
fn check(
    name: &str,
    program: &Program,
    options: &Options,
    expected: &[Expected],
    counts: &mut Counts,
) {
    let (mut nest, mut facts) = match lower::before_passes(program, options) {
        Ok(lowered) => lowered,
        // More statements than are allowed.
        Err(d) if d.code.id == "E0702" => return,
        Err(d) => panic!("{name}: {program}\n{d:?}"),
    };
    counts.programs += 1;
    let look = |nest: &Nest, when: &str| {
        for e in expected {
            e.check(nest, &format!("{name}, {when}: {program}"));
        }
    };
    // Whether a reduction may run in place is decided by what flows into it: what is read for nothing may race with it
    // until the first pass removes it.
    let found = expected.iter().map(|e| eval(&nest, &e.sizes, &e.inputs));
    let found: Vec<_> = found.collect();
    let races = |r: &_| matches!(r, Err(EvalError::Fault(Fault::Race, _)));
    let idle_races = found.iter().any(races);
    if idle_races {
        counts.idle_races += 1;
    } else {
        for (e, found) in expected.iter().zip(found) {
            e.agrees(
                found,
                &nest,
                &format!("{name}, before all passes: {program}"),
            );
        }
    }
    let print = |nest: &Nest| format!("{:?}{:?}", nest.body, nest.entry);
    let mut before = print(&nest);
    for (i, pass) in PASSES.iter().enumerate() {
        (pass.run)(&mut nest, &mut options.context(&mut facts));
        let after = print(&nest);
        if after != before {
            *counts.changed.entry(pass.name).or_default() += 1;
        }
        if after != before || idle_races && i == 0 {
            look(&nest, &format!("after {}", pass.name));
        }
        before = after;
    }
}

fn random_programs(first: u64, count: u64) -> Counts {
    let mut counts = Counts::default();
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        let options = flow::any_types(&mut rng);
        let mut generator = Generator::new(&mut rng, options);
        let mut program = generator.program();
        let own = generator.sizes.clone();
        let Some(expected) = Expected::of(&program, &own, &mut rng) else {
            continue;
        };
        program.term = normalize(&program.term);
        let options = flow::any_lowering(&mut rng);
        check(
            &format!("seed {seed}"),
            &program,
            &options,
            &[expected],
            &mut counts,
        );
    }
    counts
}

#[test]
fn random_programs_mean_the_same_before_and_after_every_pass() {
    let counts = random_programs(1, 400);
    assert!(counts.programs > 300, "{}", counts.programs);
    assert_eq!(counts.idle_races, 0);
    for pass in [
        "dce",
        "strip_mining",
        "index_set_splitting",
        "scalar_replacement",
        "cse",
        "licm",
    ] {
        assert!(
            counts.changed.contains_key(pass),
            "{pass} changed none: {:?}",
            counts.changed
        );
    }
}

/// What a program computes from random data where one of its sizes is each of `all`, before and after every pass.
fn check_at(text: &str, sizes: &[(&str, i64)], name: &str, all: std::ops::Range<i64>) {
    let mut program = common::definition_text(text);
    let mut rng = Rng::new(3);
    let at = |n| {
        let sizes = sizes.iter().copied().chain([(name, n)]);
        sizes.map(|(s, n)| (Symbol::new(s), n)).collect()
    };
    let expected: Vec<Expected> = all
        .map(|n| Expected::of(&program, &at(n), &mut rng).expect("a meaning"))
        .collect();
    program.term = normalize(&program.term);
    let mut counts = Counts::default();
    check(name, &program, &Options::default(), &expected, &mut counts);
    assert_eq!(counts.programs, 1);
}

/// Rows are taken off a loop only where it is known to be whole rows: 31 elements are none of 2 or 3 each.
#[test]
fn a_part_of_joined_rows_need_be_no_whole_rows() {
    let text =
        "def f [h w : nat] (x : (h+40).(w+1).f32) : f32 = reduce max 0.0 (take[31] (join x))";
    check_at(text, &[("h", 1)], "w", 0..5);
}

/// Rows of no element have no place of an element: it is computed before it is known whether there is one, and not used.
#[test]
fn a_place_in_rows_of_no_element_is_not_used() {
    let text = "def f [n : nat] (a : 6.n.f32) : (8*n + 3).f32 =
        padClamp[2, 1] (join (padCst[1, 1] (at[4] a) a))";
    check_at(text, &[], "n", 0..3);
}

/// A reduction that is named once and used twice.
const NAMED: &str = "def f [m n : nat] (x : m.(n+1).f32) : m.f32 = x |> map (\\row ->
    (\\most -> log (row |> map (\\v -> exp (v - most)) |> reduce (+) 0.0) + most) (row |> reduce max (at[0] row)))";

/// Two reductions of the same elements.
const TWO_SUMS: &str = "def f [m n : nat] (x : m.n.f32) : m.f32 = x |> map (\\row ->
    (row |> map (\\v -> exp v * v) |> reduce (+) 0.0) / (row |> map exp |> reduce (+) 1.0))";

/// The loops of a program over rows before a pass and after it, with what `change` makes of the statements of a row before it.
fn loops_around(
    wanted: &str,
    text: &str,
    change: impl Fn(&mut Vec<Stmt>, BufId),
) -> (usize, usize) {
    let options = Options::default();
    let mut program = common::definition_text(text);
    // As what a search finds: without names.
    program.term = normalize(&program.term);
    let (mut nest, mut facts) = lower::before_passes(&program, &options).expect("a kernel");
    let loops = |nest: &Nest| {
        let mut n = 0;
        each_stmt(&nest.body, &mut |s| {
            n += usize::from(matches!(s, Stmt::For { .. }))
        });
        n
    };
    for pass in PASSES {
        if pass.name == wanted {
            let [Stmt::For { body, .. }] = nest.body.as_mut_slice() else {
                panic!("one loop over rows: {nest}");
            };
            let input = |b: &Buffer| b.storage == StorageClass::Input(0);
            let input = nest.buffers.iter().position(input).expect("an input");
            change(body, BufId(input as u32));
            let before = loops(&nest);
            (pass.run)(&mut nest, &mut options.context(&mut facts));
            return (before, loops(&nest));
        }
        (pass.run)(&mut nest, &mut options.context(&mut facts));
    }
    panic!("no such pass");
}

/// Stores to the input just before the last loop of a row.
fn overwritten(row: &mut Vec<Stmt>, input: BufId) {
    let last = row.iter().rposition(|s| matches!(s, Stmt::For { .. }));
    let Some(Stmt::Store { what, .. }) = row.last() else {
        panic!("a result is stored last");
    };
    let store = Stmt::Store {
        buf: input,
        index: Nat::int(0),
        value: Expr::lit(Lit::f32(7.0), Scalar::F32),
        what: *what,
        element: Nat::int(0),
    };
    row.insert(last.expect("a loop"), store);
}

#[test]
fn of_two_equal_reductions_one_remains() {
    assert_eq!(loops_around("cse", NAMED, |_, _| {}), (4, 3));
}

#[test]
fn equal_reductions_with_a_store_between_remain() {
    assert_eq!(loops_around("cse", NAMED, overwritten), (4, 4));
}

/// What both compute is computed once, and the start of the second is declared before the one loop.
#[test]
fn reductions_of_the_same_elements_are_one_loop() {
    assert_eq!(loops_around("loop_fusion", TWO_SUMS, |_, _| {}), (3, 2));
    assert_eq!(functions(&printed(TWO_SUMS)), 1);
}

/// Of each element a sum and a function of it, of which two sums are made: neither is computed twice.
#[test]
fn what_elements_of_fused_reductions_share_is_computed_once() {
    let text = "def near [m n : nat] (xs : m.8.f32) (ys : n.8.f32) (v : n.f32) : m.f32 =
      xs |> map (\\x ->
        let weights = zip ys v |> map (\\(y, v) ->
          (exp (-(zip x y |> map (\\(a, b) -> (a - b) * (a - b)) |> reduce (+) 0.0)), v)) in
        let all = weights |> map (\\(w, v) -> w * v) |> reduce (+) 0.0 in
        let count = weights |> map fst |> reduce (+) 0.0 in
        all / count)";
    assert_eq!(loops_around("loop_fusion", text, |_, _| {}), (5, 3));
    assert_eq!(functions(&printed(text)), 1);
}

/// How far iterations lie apart in an image of three dimensions is a long sum: compilers that count its parts would not write out loops
/// over windows.
#[test]
fn long_steps_have_names() {
    let text = "def sums [d h w : nat] (x : (d+2).(h+2).(w+2).f32) : d.h.w.f32 =
      x |> map (\\plane -> plane |> map (slide[3, 1]) |> slide[3, 1] |> map transpose)
        |> slide[3, 1] |> map (\\planes -> transpose planes |> map transpose)
        |> map (map (map (\\w -> reduce (+) 0.0 (join (join w)))))";
    let nest = printed(text);
    let (mut named, mut longest) = (0, 0);
    each_stmt(&nest.body, &mut |s| match s {
        Stmt::Index { value, .. } => named = named.max(value.terms().len()),
        s => {
            if let Some(e) = exprs(s) {
                e.visit(&mut |e| {
                    if let ExprKind::Load(_, at) = e.kind() {
                        longest = longest.max(at.terms().len());
                    }
                });
            }
        }
    });
    // (h+2)·(w+2), multiplied out.
    assert_eq!(named, 4, "{nest}");
    // Of six loops, and of rows two terms each.
    assert!(longest <= 8, "{longest}: {nest}");
}

/// How many functions of floats are computed.
fn functions(nest: &Nest) -> usize {
    let mut all = 0;
    each_stmt(&nest.body, &mut |s| {
        if let Some(e) = exprs(s) {
            e.visit(&mut |e| {
                let is = matches!(e.kind(), ExprKind::Op(op, _) if op.function().is_some());
                all += usize::from(is);
            });
        }
    });
    all
}

/// A loop whose steps need the value of another one, what is written between both, other numbers of iterations, and loops that
/// read nothing in common stand by themselves.
#[test]
fn reductions_that_are_not_of_the_same_elements_remain() {
    assert_eq!(loops_around("loop_fusion", NAMED, |_, _| {}), (3, 3));
    assert_eq!(loops_around("loop_fusion", TWO_SUMS, overwritten), (3, 3));
    for other in [
        "take[n] (slide[1, 1] row |> map (at[0]) |> drop[0])",
        "reverse row",
    ] {
        let text = TWO_SUMS.replace("(row |> map exp", &format!("({other} |> map exp"));
        let same = other.starts_with("take");
        let expected = (3, if same { 2 } else { 3 });
        assert_eq!(
            loops_around("loop_fusion", &text, |_, _| {}),
            expected,
            "{text}"
        );
    }
    let shorter = "def f [m n : nat] (x : m.(n+1).f32) : m.f32 = x |> map (\\row ->
        (row |> reduce (+) 0.0) / (drop[1] row |> reduce (+) 1.0))";
    assert_eq!(loops_around("loop_fusion", shorter, |_, _| {}), (3, 3));
}

#[test]
#[ignore]
fn more_random_programs() {
    let text = std::env::var("SEEDS").unwrap_or_else(|_| "1000,10000".into());
    let numbers: Vec<u64> = text
        .split(',')
        .filter_map(|t| t.trim().parse().ok())
        .collect();
    let counts = random_programs(numbers[0], numbers[1]);
    println!(
        "{} programs, {} with idle races; changed: {:?}",
        counts.programs, counts.idle_races, counts.changed
    );
}

/// Vectors, tails, tiles and threads are in these: there is no pass that changes none of them.
#[test]
fn written_programs_and_goals_mean_the_same_before_and_after_every_pass() {
    let mut counts = Counts::default();
    let targets = [Target::Sse2, Target::Avx512];
    let written = written(Target::Avx2);
    // The runs of a program in turn for one target and the other.
    for (number, runs) in written.chunk_by(|a, b| a.name == b.name).enumerate() {
        for (at, of_one) in [runs.iter().step_by(2), runs[1..].iter().step_by(2)]
            .into_iter()
            .enumerate()
        {
            let expected: Vec<Expected> = of_one
                .map(|run| {
                    Expected::of(&run.program, &run.sizes, &mut Rng::new(3)).expect("a value")
                })
                .collect();
            if expected.is_empty() || !share::takes(number / 2, at, 2) {
                continue;
            }
            let options = Options {
                target: targets[(number + at) % 2],
                approximate: at == 1,
                ..Default::default()
            };
            let Case { name, program, .. } = &runs[0];
            check(name, program, &options, &expected, &mut counts);
        }
    }
    let narrow = GOALS
        .iter()
        .filter(|g| g.set.contains("mr=3") || g.program.contains("batched"));
    for goal in narrow {
        let found = goal.reached(Target::Avx2);
        let mut rng = Rng::new(4);
        let expected: Vec<Expected> = (goal.at.iter())
            .map(|at| {
                let mut sizes = cases::sizes(at);
                sizes.extend(cases::sizes(goal.fixed));
                Expected::of(&found, &sizes, &mut rng).expect("a value")
            })
            .collect();
        for level in [Level::Full, Level::Off] {
            let options = goal.lowering(Target::Avx2, level);
            check(goal.sketch, &found, &options, &expected, &mut counts);
        }
    }
    // What other passes leave behind is rare.
    for pass in PASSES.iter().filter(|p| !p.name.starts_with("dce-")) {
        assert!(
            counts.changed.contains_key(pass.name),
            "{} changed none",
            pass.name
        );
    }
}

/// The nest of a program after all passes.
fn printed(text: &str) -> Nest {
    lower::lower(&program(text), &Options::default()).expect("a nest")
}

fn buffers(nest: &Nest) -> Vec<(Nat, StorageClass)> {
    let own = |s: StorageClass| !matches!(s, StorageClass::Input(_) | StorageClass::Output(_));
    (nest.buffers.iter().filter(|b| own(b.storage)))
        .map(|b| (b.len, b.storage))
        .collect()
}

/// A stage that is read element by element is no loop of its own, and needs no memory; one that is read elsewhere stays.
#[test]
fn stages_that_hand_over_one_element_are_one_loop() {
    let of = |read: &str| {
        let text = format!(
            "def f [m n : nat] (x : m.n.f32) : m.n.f32 = x |> mapPar (\\row ->
               let squares = toMem (row |> mapSeq (\\v -> v * v)) in
               zip row {read} |> mapSeq (\\p -> fst p + snd p))"
        );
        let parts = printed(&text).entry.arena.map_or(0, |all| all.len());
        (loops_around("stage_fusion", &text, |_, _| {}), parts)
    };
    assert_eq!(of("squares"), ((3, 2), 0));
    assert_eq!(of("(reverse squares)"), ((3, 3), 1));
    let overwritten = "(zip (reverse squares) squares |> map (\\p -> fst p * snd p))";
    assert_eq!(of(overwritten), ((3, 3), 1));
}

/// What little is done with each result of a scan is done in its loop; vectors are made of more, and of what is no scan.
#[test]
fn loops_behind_scans_go_along_with_them() {
    let of = |first: &str, then: &str| {
        let text = format!(
            "def f [m n : nat] (x : m.n.f32) : m.f32 = x |> mapPar (\\row ->
               let tops = toMem (row |> {first}) in
               zip row tops |> map (\\(v, top) -> {then}) |> reduceSeq (\\a d -> max a d) 0.0)"
        );
        loops_around("stage_fusion", &text, |_, _| {})
    };
    let scan = "scanSeq (\\v s -> max s v) 0.0";
    assert_eq!(of(scan, "top - v"), (3, 2));
    assert_eq!(of(scan, "exp (top - v)"), (3, 3));
    assert_eq!(of(scan, "(top - v) / v"), (3, 3));
    assert_eq!(of("mapSeq (\\v -> v * v)", "top - v"), (3, 3));
}

/// Windows of rows keep the rows that they have, for each thread where rows are parallel; what is read at other distances, in other
/// rows than one's own, or outside of the loop over rows stays whole.
#[test]
fn windows_of_rows_keep_lines() {
    let of = |first: &str, windows: &str| {
        printed(&format!(
            "def f [m n : nat] (a : (m + 4).n.f32) : m.n.f32 =
               let stage = toMem (a |> {first} (mapSeq (\\x -> x * x))) in
               {windows}"
        ))
    };
    let [m, n] = ["m", "n"].map(|name| Nat::var(Symbol::new(name)));
    let three = Nat::int(3) * n;
    let sum = "(\\w -> transpose w |> mapSeq (\\c -> at[0] c + at[2] c))";
    let windows = format!("slide[3, 1] (take[m + 2] stage) |> mapPar {sum}");
    let lines = vec![(three, StorageClass::ThreadHeap)];
    assert_eq!(buffers(&of("mapPar", &windows)), lines);
    assert_eq!(buffers(&of("mapSeq", &windows)), lines);
    let in_order = windows.replace("mapPar", "mapSeq");
    let lines = vec![(three, StorageClass::Heap)];
    assert_eq!(buffers(&of("mapSeq", &in_order)), lines);
    // A parallel stage is not put into a loop in order.
    let whole = vec![((m + 4.into()) * n, StorageClass::Heap)];
    assert_eq!(buffers(&of("mapPar", &in_order)), whole);
    for other in [
        "slide[3, 1] (take[m + 2] (reverse stage)) |> mapPar SUM",
        "slide[3, 1] (take[m + 2] stage) |> mapPar (\\w -> zip (at[0] w) (at[0] stage) |> mapSeq (\\p -> fst p + snd p))",
        "take[m] stage |> mapPar (mapSeq (\\x -> x + x))",
    ] {
        assert_eq!(buffers(&of("mapPar", &other.replace("SUM", sum))), whole, "{other}");
    }
}

/// A loop in order computes one value of a window in each iteration; iterations without an order compute those that they read.
#[test]
fn loops_in_order_keep_windows() {
    let products = |map: &str| {
        let nest = printed(&format!(
            "def f [n : nat] (a : (n + 2).f32) : n.f32 =
               rotateValues[3] (\\x -> x * 2.0) a |> {map} (\\w -> at[0] w + at[1] w + at[2] w)"
        ));
        let mut count = 0;
        for s in &nest.body {
            if let Stmt::For { body, .. } = s {
                each_stmt(body, &mut |s| {
                    if let Some(e) = exprs(s) {
                        e.visit(&mut |e| {
                            let product = matches!(e.kind(), ExprKind::Op(Op::Mul, _));
                            count += usize::from(product);
                        });
                    }
                });
            }
        }
        count
    };
    assert_eq!(products("mapSeq"), 1);
    assert_eq!(products("map"), 1);
    assert_eq!(products("mapPar"), 3);
}

/// A reduction that is computed in a part of the result, by way of a second buffer, leaves the rest of the result alone.
#[test]
fn an_accumulator_has_as_many_elements_as_its_reduction() {
    let text = "def f [m : nat] (a : m.m.i64) : (m + 1).i64 =
      concat (reduce (\\acc row -> row |> mapSeq (\\x -> x + at[0] acc)) (at[0] a) a) (fill[1] (at[0] (at[0] a)))";
    let program = program(text);
    let sizes = Sizes::from([(Symbol::new("m"), 4)]);
    let expected = Expected::of(&program, &sizes, &mut Rng::new(1)).expect("a value");
    let mut counts = Counts::default();
    check(
        "concat",
        &program,
        &Options::default(),
        &[expected],
        &mut counts,
    );
    assert_eq!(counts.programs, 1);
}

// ---- what evaluation refuses

fn program(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.rise", text);
    elab::program(&mut sources, file, None).expect("a program")
}

fn nest(text: &str) -> (Nest, Facts) {
    lower::before_passes(&program(text), &Options::default()).expect("a nest")
}

fn doubled() -> Nest {
    nest("def f [n : nat] (a : n.f32) : n.f32 = a |> mapSeq (\\x -> x + x)").0
}

/// What evaluation says of the program that doubles, changed.
fn said(change: impl FnOnce(&mut Nest)) -> Result<usize, EvalError> {
    let mut nest = doubled();
    change(&mut nest);
    let sizes = BTreeMap::from([(Symbol::new("n"), 4)]);
    let input: Vec<Num> = (0..4).map(|i| Num::F32(i as f32)).collect();
    eval(&nest, &sizes, &[input]).map(|out| out[0].len())
}

fn fault(change: impl FnOnce(&mut Nest)) -> Fault {
    match said(change) {
        Err(EvalError::Fault(kind, what)) => {
            assert!(!what.is_empty());
            kind
        }
        other => panic!("{other:?}"),
    }
}

/// The statements of the loop.
fn inside(nest: &mut Nest) -> (&mut Nat, &mut LoopKind, &mut Vec<Stmt>) {
    inside_of(&mut nest.body[0])
}

fn inside_of(s: &mut Stmt) -> (&mut Nat, &mut LoopKind, &mut Vec<Stmt>) {
    match s {
        Stmt::For {
            extent, kind, body, ..
        } => (extent, kind, body),
        other => panic!("{other:?}"),
    }
}

fn index_of(s: &mut Stmt) -> &mut Nat {
    match s {
        Stmt::Store { index, .. } => index,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_right_has_a_value() {
    assert_eq!(said(|_| {}), Ok(4));
    assert_eq!(said(|nest| *inside(nest).1 = LoopKind::Par), Ok(4));
}

#[test]
fn indices_out_of_bounds_are_errors() {
    let beyond = fault(|nest| *inside(nest).0 = *inside(nest).0 + Nat::int(1));
    assert_eq!(beyond, Fault::OutOfBounds);
    let before = fault(|nest| {
        let store = inside(nest).2.last_mut().expect("a store");
        *index_of(store) = *index_of(store) - Nat::int(1);
    });
    assert_eq!(before, Fault::OutOfBounds);
}

#[test]
fn what_was_never_written_is_not_read() {
    let missing = fault(|nest| *inside(nest).0 = *inside(nest).0 - Nat::int(1));
    assert_eq!(missing, Fault::NeverWritten);
    let own = fault(|nest| {
        let store = inside(nest).2.last_mut().expect("a store");
        let Stmt::Store {
            buf, index, value, ..
        } = store
        else {
            panic!("{store:?}")
        };
        *value = Expr::new(ExprKind::Load(*buf, *index), value.shape());
    });
    assert_eq!(own, Fault::NeverWritten);
    let variable = fault(|nest| {
        let (var, shape) = (Symbol::new("v"), Shape::scalar(Scalar::F32));
        let body = inside(nest).2;
        body.insert(
            0,
            Stmt::Let {
                var,
                value: None,
                shape,
                mutable: true,
            },
        );
        let Some(Stmt::Store { value, .. }) = body.last_mut() else {
            panic!("{body:?}")
        };
        *value = Expr::var(var, shape);
    });
    assert_eq!(variable, Fault::NeverWritten);
}

#[test]
fn iterations_that_share_an_element_race() {
    let all_at_once = |nest: &mut Nest| {
        let (_, kind, body) = inside(nest);
        *kind = LoopKind::Par;
        *index_of(body.last_mut().expect("a store")) = Nat::int(0);
    };
    assert_eq!(fault(all_at_once), Fault::Race);
    // One reads what the one before it wrote.
    let neighbour = |kind: LoopKind| {
        move |nest: &mut Nest| {
            let first = nest.body[0].clone();
            let (var, (_, own, body)) = match &first {
                Stmt::For { var, .. } => (*var, inside(nest)),
                other => panic!("{other:?}"),
            };
            *own = kind;
            let Some(Stmt::Store { buf, value, .. }) = body.last_mut() else {
                panic!("{body:?}")
            };
            let before = (Nat::var(var) - Nat::int(1)).max(Nat::int(0));
            let load = Expr::new(ExprKind::Load(*buf, before), value.shape());
            let first = Expr::compare(rise_opt::term::Op::Lt, Nat::int(0), Nat::var(var));
            let args = vec![first, load, value.clone()];
            *value = Expr::new(
                ExprKind::Op(rise_opt::term::Op::Select, args),
                value.shape(),
            );
        }
    };
    assert_eq!(said(neighbour(LoopKind::Seq)), Ok(4));
    assert_eq!(fault(neighbour(LoopKind::Par)), Fault::Race);
    assert_eq!(fault(neighbour(LoopKind::Lanes)), Fault::Race);
    // Scratch memory that is one for all threads.
    let scratch = |storage: StorageClass| {
        move |nest: &mut Nest| {
            let mut buf = nest.buffers[0].clone();
            (buf.name, buf.storage, buf.len) = (Symbol::new("t"), storage, Nat::int(1));
            nest.buffers.push(buf);
            let t = BufId(nest.buffers.len() as u32 - 1);
            let (_, kind, body) = inside(nest);
            *kind = LoopKind::Par;
            let mut first = body.last().expect("a store").clone();
            let Stmt::Store {
                buf, index, value, ..
            } = &mut first
            else {
                panic!("{first:?}")
            };
            (*buf, *index) = (t, Nat::int(0));
            let load = Expr::new(ExprKind::Load(t, Nat::int(0)), value.shape());
            let at = body.len() - 1;
            if let Stmt::Store { value, .. } = &mut body[at] {
                *value = load;
            }
            body.splice(at..at, [Stmt::Alloc(t), first]);
        }
    };
    assert_eq!(said(scratch(StorageClass::ThreadHeap)), Ok(4));
    assert_eq!(said(scratch(StorageClass::Stack)), Ok(4));
    assert_eq!(fault(scratch(StorageClass::Heap)), Fault::Race);
}

#[test]
fn what_is_used_outside_of_its_block_is_an_error() {
    let moved = fault(|nest| {
        let store = inside(nest).2.pop().expect("a store");
        nest.body.push(store);
    });
    assert_eq!(moved, Fault::OutOfScope);
}

/// An index that is divided by nothing may be computed, and not be used.
#[test]
fn what_has_no_value_is_not_used() {
    let (var, zero) = (Symbol::new("k"), Nat::var(Symbol::new("n")) - Nat::int(4));
    let value = Nat::int(1).floor_div(zero);
    let index = || Stmt::Index { var, value };
    assert_eq!(said(|nest| nest.body.insert(0, index())), Ok(4));
    let used = fault(|nest| {
        nest.body.insert(0, index());
        let store = inside_of(&mut nest.body[1]).2.last_mut();
        let at = index_of(store.expect("a store"));
        *at = *at + Nat::var(var);
    });
    assert_eq!(used, Fault::Meaningless);
}

#[test]
fn sizes_that_a_program_refuses_are_refused() {
    let (nest, _) = nest("def f [n : nat] (a : (2*n).f32) : n.2.f32 = split[2] a");
    let sizes = BTreeMap::from([(Symbol::new("n"), -1)]);
    let found = eval(&nest, &sizes, &[Vec::new()]);
    assert!(
        matches!(found, Err(EvalError::Refused(_) | EvalError::Argument(_))),
        "{found:?}"
    );
}
