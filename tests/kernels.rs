//! Kernels compute what the interpreter says.
//!
//! Random programs are lowered, printed into one C file for each batch, compiled
//! without contraction of `a*b + c`, and run on random data in guarded arrays:
//! every bit must be that of the interpreter. Guards against silence: how many
//! programs had loops, reductions, vectors, buffers is asserted.

use crate::common;
use crate::common::cases::{all_right, case_for, of_kernels, written, Case, SANITIZED};
use crate::common::flow::Programs;
use crate::common::share;
use rise_opt::egraph::{Graph, Id, Shape as EShape};
use rise_opt::elab::{self, Sketch, SketchKind, Step};
use rise_opt::emit::{self, emit};
use rise_opt::intern::Symbol;
use rise_opt::interp::generate::{self, Generator};
use rise_opt::interp::random::{self, Numbers, Rng};
use rise_opt::interp::{buffers, eval_program, Shape, Sizes, Value};
use rise_opt::lower;
use rise_opt::nest::walk::each_stmt;
use rise_opt::nest::{seldom, settled, Nest, Stmt};
use rise_opt::search::saturate;
use rise_opt::source::{SourceMap, Span};
use rise_opt::target::Target;
use rise_opt::term::{normalize, Op, Program, Term};
use rise_opt::ty::Scalar;

fn case(name: String, program: Program, sizes: Sizes, rng: &mut Rng) -> Option<Case> {
    case_for(Target::default(), name, program, sizes, rng)
}

fn all_right_here(cases: &[Case], flags: &[&str]) {
    all_right(
        "cc",
        cases,
        &[&["-march=native", "-fopenmp"], flags].concat(),
    );
}

fn check(first: u64, batches: u64, per_batch: u64, options: &generate::Options) {
    let mut loops = 0;
    for batch in 0..batches {
        let mut cases = Vec::new();
        for i in 0..per_batch {
            let seed = first + batch * per_batch + i;
            let mut rng = Rng::new(seed);
            let mut generator = Generator::new(&mut rng, options.clone());
            let program = generator.program();
            let sizes = generator.sizes.clone();
            cases.extend(case(format!("p{seed}"), program, sizes, &mut rng));
        }
        loops += cases
            .iter()
            .filter(|c| c.nest.to_string().contains("for "))
            .count();
        all_right_here(&cases, &["-O1"]);
    }
    assert!(loops > 0, "no program had a loop");
}

#[test]
fn random_programs() {
    check(1, 3, 100, &generate::Options::default());
}

#[test]
fn random_programs_of_every_type() {
    let options = generate::Options {
        scalars: Scalar::ALL.to_vec(),
        fuel: 5,
        ..Default::default()
    };
    check(100_000, 2, 100, &options);
}

/// Compiling takes the time: each program is compiled in one of two ways for one of the targets, half of them here.
#[test]
fn written_programs() {
    let cases = written(Target::default());
    let sanitized = [&["-O0"][..], &SANITIZED].concat();
    // As they are for `-O1` they are compiled for each target, below.
    for (way, flags) in [&["-O3"][..], &sanitized].into_iter().enumerate() {
        all_right_here(
            &of_kernels(&cases, |program| share::takes(program, way, 4)),
            flags,
        );
    }
}

/// Each target has its own vectors; what is written for it compiles with its flags without
/// a warning and is right, also for targets that are wider than this machine's: those are
/// compiled for the machine at hand.
#[test]
fn written_programs_for_every_target() {
    let mut widths = Vec::new();
    for (number, target) in Target::ALL.into_iter().enumerate() {
        // One run of each program; compiling takes the time.
        let mut cases = written(target);
        cases.dedup_by(|a, b| a.program.term == b.program.term);
        let nests: Vec<String> = cases.iter().map(|c| c.nest.to_string()).collect();
        widths.push(nests);
        let flags = match target.runs_here() {
            true => target.flags(),
            false => &["-march=native", "-Wno-psabi"],
        };
        // What sse2 adds to the portable target, every compiler for x86-64 takes as given.
        if target != Target::Sse2 {
            let cases = of_kernels(&cases, |program| share::takes(program, 2 * number + 1, 8));
            all_right("cc", &cases, &[&["-O1", "-fopenmp"], flags].concat());
        }
    }
    // Two targets of one width have the same loops.
    assert_eq!(widths[2], widths[3]);
    for pair in widths[..3].windows(2) {
        let different = pair[0].iter().zip(&pair[1]).filter(|(a, b)| a != b);
        assert!(different.count() > 10);
    }
}

/// `SEEDS=first,count cargo test --test all kernels:: -- --ignored` looks at more.
#[test]
#[ignore]
fn more_random_programs() {
    let text = std::env::var("SEEDS").unwrap_or_else(|_| "1000,3000".into());
    let numbers: Vec<u64> = text
        .split(',')
        .filter_map(|t| t.trim().parse().ok())
        .collect();
    let (first, count) = (numbers[0], numbers[1]);
    check(
        first,
        count.div_ceil(100),
        100,
        &generate::Options::default(),
    );
}

/// A term of a class: up to `fuel` nodes deep any node, below that the best one.
fn any_term(graph: &Graph, id: Id, rng: &mut Rng, fuel: u32) -> Term {
    let nodes = graph.class_nodes(id);
    if fuel == 0 {
        return graph.best_term(id);
    }
    let node = rng.pick(nodes);
    match node.shape {
        EShape::App([f, x]) => {
            let f = any_term(graph, f, rng, fuel - 1);
            Term::app(f, any_term(graph, x, rng, fuel - 1))
        }
        EShape::Lam([b]) => {
            let (arg, _) = node.ty.as_fun().expect("a lambda is a function");
            Term::lam(None, arg, any_term(graph, b, rng, fuel - 1))
        }
        _ => graph.node_term(node),
    }
}

/// Random programs, then all exact rules, then any of the terms that are known
/// to be equal: what the search may find has to be lowered, too.
#[test]
fn whatever_the_rules_make_of_random_programs() {
    let rules = common::general_book();
    let part = |kind| Sketch {
        words: Default::default(),
        kind,
        span: Span::default(),
        label: String::new(),
    };
    // A goal that no program here reaches.
    let never = part(SketchKind::Prim(Op::Tanh, None));
    let step = Step {
        name: "all rules".into(),
        span: Span::default(),
        rules,
        cost: "size".into(),
        limits: elab::Limits {
            iterations: Some(3),
            nodes: Some(3000),
            nesting: Some(7),
            size: Some(200),
            ..Default::default()
        },
        normalize: true,
        scheduler: elab::Scheduler::None,
        focus: Default::default(),
        reassociate: false,
        approximate: false,
        sketch: part(SketchKind::Contains(Box::new(never))),
    };
    let (mut cases, mut different) = (Vec::new(), 0);
    for seed in 0..80 {
        let mut rng = Rng::new(0x6000 + seed);
        let options = generate::Options {
            fuel: 3,
            elements: 64,
            strategies: false,
            ..Default::default()
        };
        let mut generator = Generator::new(&mut rng, options);
        let program = generator.program();
        let sizes = generator.sizes.clone();
        let (_, _, graph, root) = saturate(&step, &program.term, &Default::default());
        for form in 0..3 {
            let depth = 4 + 4 * form;
            let term = any_term(&graph, root, &mut rng, depth);
            // A class may hold a term with variables of other binders, which cannot stand here.
            if term.size() > 400 || !term.is_well_scoped(&mut |_, _| false) {
                continue;
            }
            different += usize::from(term != program.term);
            let found = Program {
                term,
                ..program.clone()
            };
            let name = format!("p{seed}_{form}");
            if let Some(mut c) = case(name, found, sizes.clone(), &mut rng) {
                // What the program meant before any rule.
                let shape = |t| Shape::of(t, &sizes).expect("shape");
                let mut inputs = c.inputs.iter();
                let args: Vec<Value> = (program.params.iter())
                    .map(|(_, t)| {
                        buffers::from_buffers(&shape(*t), &[inputs.next().unwrap()]).unwrap()
                    })
                    .collect();
                c.expected = eval_program(&program, &sizes, &args).expect("a value");
                cases.push(c);
            }
        }
    }
    assert!(
        cases.len() > 100 && different > 80,
        "{} cases, {different}",
        cases.len()
    );
    all_right_here(&cases, &["-O1"]);
}

fn nest_of(path: &str) -> Nest {
    let mut sources = SourceMap::new();
    let id = sources.load(path).expect("a file");
    let mut program = elab::program(&mut sources, id, None).expect("a program");
    program.term = normalize(&program.term);
    lower::lower(&program, &lower::Options::default()).expect("a nest")
}

/// Buffers that are declared, and whether an innermost loop divides.
fn shape_of(nest: &Nest) -> (usize, bool) {
    fn go(block: &[Stmt], buffers: &mut usize, divides: &mut bool) -> bool {
        let mut loops = false;
        for s in block {
            match s {
                Stmt::For { body, .. } => {
                    loops = true;
                    if !go(body, buffers, divides) {
                        let index = |s: &Stmt| matches!(s, Stmt::Index { .. });
                        *divides |= body.iter().any(index);
                    }
                }
                Stmt::If { then, els, .. } => {
                    loops |= go(then, buffers, divides);
                    loops |= go(els, buffers, divides);
                }
                Stmt::Alloc(_) => *buffers += 1,
                _ => {}
            }
        }
        loops
    }
    let (mut buffers, mut divides) = (0, false);
    go(&nest.body, &mut buffers, &mut divides);
    (buffers, divides)
}

/// One tile for the accumulator of both loops over k, one packed operand: nothing
/// is copied in or out in between, and no innermost loop divides.
#[test]
fn reductions_run_in_place() {
    for (name, buffers) in [
        ("blocking", 1),
        ("vectorization", 1),
        ("loop-perm", 1),
        ("array-packing", 2),
        ("cache-blocks", 2),
        ("register-tile", 1),
        ("accumulator-transposed", 0),
        // Those that must not: the old value is needed after some of the new one
        // was written.
        ("accumulator-reversed", 1),
        ("accumulator-scattered", 2),
    ] {
        let nest = nest_of(&format!("tests/kernels/{name}.rise"));
        let (have, divides) = shape_of(&nest);
        assert_eq!(have, buffers, "{name}\n{nest}");
        assert!(!divides, "{name}\n{nest}");
    }
}

/// Loops are left where nothing changes any more, and no others.
#[test]
fn settled_loops_are_left() {
    // Those of several vectors at once, of one, and of numbers; a loop of vectors as it is written; and one that has none.
    for (name, all) in [("settled", 5), ("never-settled", 0), ("iterate", 0)] {
        let nest = nest_of(&format!("tests/kernels/{name}.rise"));
        let mut left = 0;
        each_stmt(&nest.body, &mut |s| {
            left += usize::from(settled(s).is_some());
        });
        assert_eq!(left, all, "{name}\n{nest}");
        let c = emit(&nest, &emit::Options::default()).c;
        assert_eq!(c.matches(") break;").count(), all, "{name}\n{c}");
    }
}

/// Loops look ahead where few of their iterations change something, and no others.
#[test]
fn loops_look_ahead_for_changes() {
    for (name, all) in [("seldom", 2), ("settled", 0), ("iterate", 0)] {
        let nest = nest_of(&format!("tests/kernels/{name}.rise"));
        let mut looks = 0;
        each_stmt(&nest.body, &mut |s| {
            looks += usize::from(seldom(s).is_some());
        });
        assert_eq!(looks, all, "{name}\n{nest}");
        let c = emit(&nest, &emit::Options::default()).c;
        assert_eq!(c.matches("continue;").count(), all, "{name}\n{c}");
        assert_eq!(c.matches("= EITHER(").count(), all, "{name}\n{c}");
    }
}

/// Names that are read twice, one by the other, double nothing.
#[test]
fn names_of_names_are_looked_at_once() {
    let names: String = (0..40)
        .map(|i| format!("let x{} = x{i} + x{i} in ", i + 1))
        .collect();
    let text = format!("def t [n : nat] (v : n.i32) : n.i32 = v |> mapSeq (\\a -> a |> iterate[40] (\\x0 -> {names} x40 + 1))\n");
    let mut program = common::program_text(&text);
    program.term = normalize(&program.term);
    let nest = lower::lower(&program, &lower::Options::default()).expect("a nest");
    let c = emit(&nest, &emit::Options::default()).c;
    assert!(c.lines().count() < 200, "{c}");
}

/// What has no loop program is refused with the term, not with a panic.
#[test]
fn what_cannot_be_lowered_is_named() {
    let refused = |text: &str, code: &str| {
        let mut sources = SourceMap::new();
        let id = sources.add_text("t.rise", text);
        let mut program = elab::program(&mut sources, id, None).expect("a program");
        program.term = normalize(&program.term);
        let d = lower::lower(&program, &lower::Options::default()).expect_err("refused");
        assert_eq!(d.code.id, code, "{d:?}");
        assert!(d.help.is_some());
    };
    refused(
        "def t [n k : nat] (xs : (n*k).f32) : (n*k).f32 = asScalar (asVector[k] xs |> mapSeq (\\v -> v * v))\n",
        "E0701",
    );
    let chain = " |> slide[3, 1] |> map (\\w -> at[0] w + at[2] w)".repeat(30);
    refused(
        &format!("def t [n : nat] (xs : (n+60).f32) : n.f32 = xs{chain}\n"),
        "E0703",
    );
}

/// Sizes that contradict the program are refused when they are fixed, and by the
/// kernel when they are not.
#[test]
fn excluded_sizes_are_refused() {
    let mut sources = SourceMap::new();
    let id = sources.load("tests/kernels/blocking.rise").expect("a file");
    let program = elab::program(&mut sources, id, None).expect("a program");
    let with = |m: i64| lower::Options {
        fixed: [(Symbol::new("m"), m)].into(),
        ..Default::default()
    };
    let d = lower::lower(&program, &with(33)).expect_err("refused");
    assert_eq!(d.code.id, "E0702");
    let nest = lower::lower(&program, &with(64)).expect("a nest");
    assert_eq!(nest.abi.sizes.len(), 2);
    let texts: Vec<_> = nest.abi.assumptions.iter().map(|a| a.to_string()).collect();
    assert_eq!(texts, ["32 divides n", "4 divides k"]);
    let holds = |n: i64| {
        let mut sizes = |s: Symbol| Some(if s.as_str() == "n" { n } else { 8 });
        nest.abi
            .assumptions
            .iter()
            .all(|a| a.holds(&mut sizes) == Some(true))
    };
    assert!(holds(0) && holds(32) && !holds(31));
}

/// The interpreter evaluates the program at the small sizes that its kernel accepts, and at no others.
fn has_a_meaning_where_it_is_accepted(program: &Program, nest: &Nest) {
    let mut rng = Rng::new(1);
    for (n, m) in [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (7, 7)] {
        let values = [n, m];
        let names = program.sizes.iter().copied();
        let sizes: Sizes = names.zip(values).collect();
        let mut at = |s: Symbol| sizes.get(&s).copied();
        let accepted = (nest.abi.assumptions.iter()).all(|a| a.holds(&mut at) == Some(true));
        let params = program.params.iter();
        let args: Vec<Value> = params
            .map(|(_, ty)| random::value_of(&mut rng, *ty, &sizes, Numbers::Unit).expect("data"))
            .collect();
        let value = eval_program(program, &sizes, &args);
        assert_eq!(value.is_ok(), accepted, "{sizes:?}: {value:?}\n{nest}");
    }
}

/// A constant index and a cast to one are below their bounds, or the sizes are refused.
#[test]
fn indices_ask_for_sizes() {
    let program = |text: &str| {
        let mut sources = SourceMap::new();
        let id = sources.add_text("t.rise", text);
        elab::program(&mut sources, id, None).expect("a program")
    };
    macro_rules! chosen {
        ($size:literal) => {
            concat!(
                "def t [n m : nat] (xs : m.f32) (is : n.i32) : n.f32 = select ((",
                $size,
                " : i64) <= size[m]) (map (\\i -> idx (cast i : idx[m]) xs) is) (map (\\i -> 0.0) is)\n"
            )
        };
    }
    macro_rules! chosen_otherwise {
        ($choice:literal) => {
            concat!(
                "def t [n m : nat] (xs : m.f32) (is : n.i32) : n.f32 = select (",
                $choice,
                ") (map (\\i -> 0.0) is) (map (\\i -> idx (cast i : idx[m]) xs) is)\n"
            )
        };
    }
    let read = "def t [n : nat] (a : n.f32) : f32 = idx (5 : idx[n]) a\n";
    for (text, wanted) in [
        (read, "n >= 6"),
        (
            "def t [n m : nat] (xs : n.f32) : m.f32 = scatter (generate[n] (\\_ -> (5 : idx[m]))) xs\n",
            "m >= 6",
        ),
        (
            "def t [n m : nat] (is : n.i32) (xs : n.f32) : m.f32 = scatter (map (\\i -> (cast i : idx[m])) is) xs\n",
            "m >= 1 or n <= 0",
        ),
        // Sizes choose an array that is computed where there is an index, or where there may be none.
        (chosen!("size[1]"), ""),
        (chosen!("size[0]"), "m >= 1 or n <= 0"),
        (chosen_otherwise!("(size[m] : i64) < size[1]"), ""),
        (
            chosen_otherwise!("(size[m] : i64) < size[0]"),
            "m >= 1 or n <= 0",
        ),
        // Where data choose, both are computed; and so are both where a size is no number of the type.
        (
            chosen_otherwise!("2.0 < (cast (size[m] : i64) : f32)"),
            "m >= 1 or n <= 0",
        ),
        (
            chosen_otherwise!("(size[m] : u8) < size[1]"),
            "m >= 1 or n <= 0",
        ),
        // What a function has of its arguments is computed when it is applied.
        (
            "def t [n m : nat] (i : i32) (xs : n.m.f32) : n.f32 = map (idx (cast i : idx[m])) xs\n",
            "m >= 1 or n <= 0",
        ),
        (
            "def t [n m : nat] (i : i32) (xs : n.m.f32) : n.1.f32 = map (gather (generate[1] (\\_ -> (cast i : idx[m])))) xs\n",
            "m >= 1 or n <= 0",
        ),
    ] {
        let program = program(text);
        let nest = lower::lower(&program, &lower::Options::default()).expect("a nest");
        let all: Vec<_> = nest.abi.assumptions.iter().map(|a| a.to_string()).collect();
        assert_eq!(all.join(", "), wanted, "{nest}");
        has_a_meaning_where_it_is_accepted(&program, &nest);
    }
    let fixed = lower::Options {
        fixed: [(Symbol::new("n"), 2)].into(),
        ..Default::default()
    };
    let d = lower::lower(&program(read), &fixed).expect_err("refused");
    assert!(d.message.contains("the index 5 is not below 2"), "{d:?}");
}
