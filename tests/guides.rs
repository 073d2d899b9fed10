//! What guides can say: sketches of whole programs, of every part and of none, of what is written; the cheapest term; limits.
//!
//! Sketches are compared with their definition, told once more of terms, on all terms that searches find for shipped
//! programs; `written` with the loops that lowering makes; programs that keep their parameters with what
//! users of tiles expect, proofs included.

use crate::common::{chain, chain_text, mm, program, program_text, rules};
use rise_opt::elab::{Sketch, SketchKind, Step};
use rise_opt::interp::random::Rng;
use rise_opt::lower::{lower, Options as Lowering};
use rise_opt::nest::{LoopKind, Stmt};
use rise_opt::proof::check;
use rise_opt::search::{optimize, Options, Outcome, Stop, ITERATIONS, NODES};
use rise_opt::sketch::Goal;
use rise_opt::source::Span;
use rise_opt::term::{normalize, normalize_program, Kind, Op, Program, Term};

fn search(program: &Program, steps: &[Step]) -> Outcome {
    let options = Options {
        prove: true,
        ..Options::default()
    };
    optimize(program, steps, &options)
}

/// What the steps of a text find, with a proof that holds.
fn found(program: &Program, text: &str) -> Term {
    let outcome = search(program, &chain_text(text, program));
    let failure = outcome.failure.as_ref().map(|f| &f.parts);
    assert!(failure.is_none(), "{text}: {failure:?}");
    let proof = outcome.proof.expect("asked for").expect("made");
    check(&proof).unwrap_or_else(|r| panic!("{text}: {r:?}"));
    assert_eq!(proof.end(), outcome.terms.last().unwrap());
    outcome.terms.last().unwrap().clone()
}

fn reaches(program: &Program, text: &str) -> bool {
    let steps = chain_text(text, program);
    search(program, &steps).failure.is_none()
}

const ROOTS: &str = "def f [n : nat] (xs : n.f32) : n.f32 = map sqrt xs";
const ROWS: &str = "def f [m n : nat] (xss : m.n.f32) : m.n.f32 = map (map sqrt) xss";

#[test]
fn programs_keep_their_parameters_and_sketches_see_their_bodies() {
    let p = program_text(ROOTS);
    assert_eq!(normalize(&p.term).lambdas(), 0, "the test is about η");
    assert_eq!(normalize_program(&p.term).lambdas(), 1);
    assert!(reaches(&p, "sketch app map ? ?\n"));
    assert!(reaches(&p, "sketch app map sqrt ?\n"));
    assert!(!reaches(&p, "sketch \\ (app map ? ?)\n"));
    let term = found(&p, "sketch app map ? ?\n");
    assert_eq!(term.lambdas(), 1);
    // A rule that asks for the array finds it.
    let tiled = "import \"sketches/prelude.sk\"\nuse rules/algorithmic.rules (split-join-padded[8])\nsketch containsMap 8 ?\n";
    assert_eq!(found(&p, tiled).lambdas(), 1);
}

#[test]
fn functions_of_loops_are_found_in_both_forms() {
    let p = program_text(ROWS);
    for sketch in [
        "app map (app map sqrt) ?",
        "app map (\\ (app map sqrt ?)) ?",
    ] {
        assert!(reaches(&p, &format!("sketch {sketch}\n")), "{sketch}");
    }
    let tiled =
        "import \"sketches/prelude.sk\"\nuse rules/algorithmic.rules (split-join-padded[8])\n\
                 sketch app map (\\ (contains (app (map : ? -> 8.? -> ?) ?))) ?\n";
    let term = found(&p, tiled);
    let out = Program { term, ..p.clone() };
    assert!(out.to_string().contains("split[8]"), "{out}");
}

#[test]
fn components_of_pairs_are_their_own_normal_form() {
    let text = "def f [n : nat] (xs : n.f32) : n.f32 = map (\\x -> fst (pair (sqrt x) x) + snd (pair x x)) xs";
    let p = program_text(text);
    let direct = program_text("def f [n : nat] (xs : n.f32) : n.f32 = map (\\x -> sqrt x + x) xs");
    assert_eq!(normalize(&p.term), normalize(&direct.term));
    let term = found(&p, "sketch none pair and none fst\n");
    assert_eq!(term, normalize_program(&direct.term));
}

/// What a sketch means, told once more, of a term alone.
fn holds(s: &Sketch, t: &Term) -> bool {
    let parts = |t: &Term| match t.kind() {
        Kind::Lam(_, b) => vec![b.clone()],
        Kind::App(f, x) => vec![f.clone(), x.clone()],
        _ => Vec::new(),
    };
    let mut all = vec![t.clone()];
    let mut i = 0;
    while i < all.len() {
        all.extend(parts(&all[i]));
        i += 1;
    }
    match (&s.kind, t.kind()) {
        (SketchKind::Any, _) => true,
        (SketchKind::Lam(b), Kind::Lam(_, body)) => holds(b, body),
        (SketchKind::App(f, x), Kind::App(g, y)) => holds(f, g) && holds(x, y),
        (SketchKind::Prim(op, None), Kind::Prim(p)) => p.op() == *op,
        (SketchKind::Contains(b), _) => all.iter().any(|t| holds(b, t)),
        (SketchKind::OnlyContains(b), _) => all.iter().all(|t| holds(b, t)),
        (SketchKind::None(b), _) => !all.iter().any(|t| holds(b, t)),
        (SketchKind::Every(b, c), _) => all.iter().all(|t| !holds(b, t) || holds(c, t)),
        (SketchKind::Or(b), _) => b.iter().any(|b| holds(b, t)),
        (SketchKind::And(b), _) => b.iter().all(|b| holds(b, t)),
        _ => false,
    }
}

fn random_sketch(rng: &mut Rng, depth: u32) -> Sketch {
    const OPS: [Op; 9] = [
        Op::Map,
        Op::ReduceSeq,
        Op::Zip,
        Op::Transpose,
        Op::Mul,
        Op::Add,
        Op::Fst,
        Op::Split,
        Op::Join,
    ];
    let below = |rng: &mut Rng| Box::new(random_sketch(rng, depth.saturating_sub(1)));
    let kind = match if depth == 0 {
        rng.below(2)
    } else {
        rng.below(12)
    } {
        0 => SketchKind::Any,
        1 | 2 => SketchKind::Prim(*rng.pick(&OPS), None),
        3 => SketchKind::Lam(below(rng)),
        4 | 5 => SketchKind::App(below(rng), below(rng)),
        6 | 7 => SketchKind::Contains(below(rng)),
        8 => SketchKind::None(below(rng)),
        9 => SketchKind::Every(below(rng), below(rng)),
        10 => SketchKind::Or(vec![*below(rng), *below(rng)]),
        _ => SketchKind::And(vec![*below(rng), *below(rng)]),
    };
    Sketch {
        kind,
        span: Span::default(),
        label: String::new(),
        words: Default::default(),
    }
}

#[test]
fn sketches_mean_what_is_written_of_them() {
    let p = mm();
    let steps = chain("sketches/mm/parallel.sk", &p, &[]);
    let mut terms = optimize(&p, &steps, &Options::default()).terms;
    terms.push(normalize_program(&p.term));
    let mut rng = Rng::new(7);
    let mut seen = [0, 0];
    for round in 0..400 {
        let sketch = random_sketch(&mut rng, 4);
        for t in &terms {
            let body = (0..t.lambdas()).fold(t.clone(), |t, _| match t.kind() {
                Kind::Lam(_, b) => b.clone(),
                _ => t,
            });
            let wanted = holds(&sketch, &body);
            let found = Goal::new(&sketch, t.lambdas()).accepts(t);
            assert_eq!(wanted, found, "{round}: {sketch:?}\n{t}");
            seen[usize::from(found)] += 1;
        }
    }
    assert!(seen[0] > 200 && seen[1] > 200, "{seen:?}");
}

/// Rules that turn some maps into parallel ones give all or none, as the sketch says.
#[test]
fn every_part_or_none_is_asked_for() {
    let p = program_text(
        "def f [n : nat] (xs ys : n.f32) : n.(f32, f32) = zip (map sqrt xs) (map exp ys)",
    );
    let with = |sketch: &str| format!("use rules/parallel.rules (map-par)\nsketch {sketch}\n");
    let count = |t: &Term, op: Op| {
        let mut n = 0;
        t.visit(&mut |t, _| n += usize::from(matches!(t.kind(), Kind::Prim(q) if q.op() == op)));
        n
    };
    let one = found(&p, &with("contains mapPar"));
    assert_eq!((count(&one, Op::Map), count(&one, Op::MapPar)), (1, 1));
    let all = found(&p, &with("none map"));
    assert_eq!((count(&all, Op::Map), count(&all, Op::MapPar)), (0, 2));
    let which = found(
        &p,
        &with("every (app (map or mapPar) sqrt) (app mapPar ?) and every (app ? exp) (app map ?)"),
    );
    assert_eq!((count(&which, Op::Map), count(&which, Op::MapPar)), (1, 1));
    let out = Program {
        term: which,
        ..p.clone()
    };
    assert!(out.to_string().contains("mapPar sqrt"), "{out}");
    assert!(!reaches(&p, &with("none map and contains map")));
}

fn parallel_loops(block: &[Stmt]) -> usize {
    let inside = |s: &Stmt| match s {
        Stmt::For { kind, body, .. } => usize::from(*kind == LoopKind::Par) + parallel_loops(body),
        Stmt::If { then, els, .. } => parallel_loops(then) + parallel_loops(els),
        _ => 0,
    };
    block.iter().map(inside).sum()
}

/// A loop that is asked for as one that is written is one of the kernel, and others are not.
#[test]
fn what_is_written_is_what_lowering_makes_loops_of() {
    let par = "mapPar (\\x -> x + 1.0)";
    let bodies = [
        ("n.f32", format!("{par} xs")),
        ("n.f32", format!("map sqrt ({par} xs)")),
        ("n.f32", format!("let (toMem ({par} xs)) (\\ys -> map sqrt ys)")),
        ("n.f32", format!("map sqrt (let (toMem ({par} xs)) (\\ys -> ys))")),
        ("f32", format!("reduceSeq (\\a x -> a + x) 0.0 ({par} xs)")),
        ("f32", format!("reduceSeq (\\a x -> a + x) 0.0 (let (toMem ({par} xs)) (\\ys -> ys))")),
        ("n.(f32, f32)", format!("zip ({par} xs) xs")),
        ("n.(f32, f32)", format!("zip xs (map sqrt ({par} xs))")),
        ("n.f32", format!("join (transpose (map (\\r -> {par} r) (transpose (split[4] (padClamp[0, 4*ceil(n, 4) - n] xs))))) |> take[n]")),
        ("n.f32", format!("reverse ({par} xs)")),
        ("n.f32", format!("padCst[0, 0] 0.0 ({par} xs)")),
        ("n.f32", format!("iterate[3] (\\ys -> {par} ys) xs")),
        ("n.f32", format!("map (\\x -> x + reduceSeq (\\a y -> a + y) 0.0 ({par} xs)) xs")),
        ("2.n.f32", format!("makeArray[2] xs ({par} xs)")),
        ("n.n.f32", format!("map (\\x -> map (\\y -> x + y) ({par} xs)) xs")),
        ("n.n.f32", format!("map (\\x -> {par} xs) xs")),
        ("n.n.f32", format!("map ({par}) (map (\\x -> map (\\y -> x * y) xs) xs)")),
        ("n.f32", format!("gather (reverse (generate (\\i -> i))) ({par} xs)")),
    ];
    let mut seen = [0, 0];
    for (result, body) in bodies {
        let p = program_text(&format!("def f [n : nat] (xs : n.f32) : {result} = {body}"));
        let p = Program {
            term: normalize_program(&p.term),
            ..p
        };
        let steps = chain_text("sketch written mapPar\n", &p);
        let said = Goal::new(&steps[0].sketch, p.term.lambdas()).accepts(&p.term);
        let nest = lower(&p, &Lowering::default()).unwrap_or_else(|d| panic!("{body}: {d:?}"));
        let made = parallel_loops(&nest.body) > 0;
        assert_eq!(said, made, "{body}\n{nest}");
        seen[usize::from(said)] += 1;
    }
    assert!(seen[0] >= 5 && seen[1] >= 8, "{seen:?}");
}

/// A parallel loop is asked for where there is one: with `contains` a view is enough.
#[test]
fn a_written_loop_is_found_behind_a_view() {
    let p = program_text("def f [n : nat] (xs : n.f32) : n.f32 = map exp (map sqrt xs)");
    let with = |sketch: &str| {
        let text = format!("use rules/parallel.rules (map-par)\nsketch {sketch}\n");
        found(&p, &text)
    };
    let loops = |term: Term| {
        let p = Program { term, ..p.clone() };
        parallel_loops(&lower(&p, &Lowering::default()).unwrap().body)
    };
    assert_eq!(loops(with("written (app mapPar exp)")), 1);
    assert_eq!(
        loops(with("contains (app mapPar sqrt) and none (app mapPar exp)")),
        0
    );
    assert!(!reaches(
        &p,
        "use rules/parallel.rules (map-par)\nsketch written (app mapPar sqrt)\n"
    ));
}

/// The search goes on to its end, and the cost decides.
#[test]
fn the_cheapest_term_is_taken_at_the_end_of_the_search() {
    let p = program_text(
        "def f [n : nat] (xs ys : (8*n).f32) : (8*n).f32 = map (\\p -> fst p * snd p) (zip xs ys)",
    );
    let rules = "use rules/vector.rules (vectorize-after[8], vectorize-map[8], vectorize-zip[8])\n";
    let term = |rest: &str| {
        let term = found(&p, &format!("{rules}{rest}"));
        Program { term, ..p.clone() }.to_string()
    };
    assert!(!term("sketch cheapest\n").contains("asVector"));
    let fast = term("cost loops\nlimits iterations 6\nsketch cheapest\n");
    assert!(fast.contains("asVector[8]"), "{fast}");
    let told = term("cost loops\nlimits iterations 6\nsketch cheapest (none asVector)\n");
    assert!(!told.contains("asVector"), "{told}");
    // Two passes over an array are dearer than one.
    let p = program_text("def f [n : nat] (xs : n.f32) : n.f32 = map sqrt (map exp xs)");
    let fused = found(
        &p,
        "use rules/algorithmic.rules (map-fusion)\ncost loops\nsketch cheapest\n",
    );
    let maps = |t: &Term| {
        let mut n = 0;
        t.visit(&mut |t, _| {
            n += usize::from(matches!(t.kind(), Kind::Prim(q) if q.op() == Op::Map))
        });
        n
    };
    assert_eq!(maps(&fused), 1);
}

/// What is computed once is cheaper than what is computed in every iteration.
#[test]
fn the_cost_of_loops_counts_what_is_computed_again() {
    let p = program_text(
        "def f [m n : nat] (xs : m.f32) (ys : n.f32) : m.n.f32 = map (\\x -> map (\\y -> x * y) (map sqrt ys)) xs",
    );
    let keep = "rule keep
  map (\\x -> map f (map g ys)) xs  =>  let (toMem (map g ys)) (\\zs -> map (\\x -> map f zs) xs)
  where x not in g, x not in ys
";
    for (cost, keeps) in [("size", false), ("loops", true)] {
        let mut steps = chain_text(&format!("cost {cost}\nsketch cheapest\n"), &p);
        steps[0].rules.extend(rules(keep));
        let outcome = search(&p, &steps);
        assert!(outcome.failure.is_none());
        let term = outcome.terms[0].clone();
        let out = Program { term, ..p.clone() };
        assert_eq!(out.to_string().contains("toMem"), keeps, "{cost}: {out}");
    }
}

/// Rules that never come to an end are ended by a limit that nobody has to set.
#[test]
fn every_search_ends() {
    let p = program_text(ROOTS);
    let mut steps = chain_text("limits size 100_000\nsketch contains max\n", &p);
    steps[0].rules.extend(rules(
        "rule longer\n  (xs : n.f32)  =>  take[n] (padCst[0, 1] 0.0 xs)\n",
    ));
    let stops = |steps: &[Step]| {
        search(&p, steps)
            .failure
            .expect("nothing has a maximum")
            .stop
    };
    assert_eq!(stops(&steps), Stop::Iterations(ITERATIONS));
    steps[0].limits.nodes = Some(200);
    assert_eq!(stops(&steps), Stop::Nodes(200));
    steps[0].limits.nodes = None;
    steps[0].limits.iterations = Some(ITERATIONS + 20);
    assert_eq!(stops(&steps), Stop::Iterations(ITERATIONS + 20));
}

/// What is shipped does not come near the limits that hold where none is set.
#[test]
fn shipped_goals_are_far_from_the_limits() {
    let goals = [
        ("programs/mm.rise", "sketches/mm/micro-parallel.sk"),
        ("programs/gemm.rise", "sketches/gemm/fused-parallel.sk"),
        ("programs/batched_mm.rise", "sketches/batched_mm/padded.sk"),
    ];
    for (path, sketch) in goals {
        let p = program(path);
        let outcome = optimize(&p, &chain(sketch, &p, &[]), &Options::default());
        assert!(outcome.failure.is_none(), "{sketch}");
        for step in &outcome.trace.steps {
            assert!(step.size().nodes < NODES / 10, "{}", step.name);
            assert!((step.iterations.len() as u64) < ITERATIONS / 5);
        }
    }
}

/// A parallel map that is no loop is said to be none.
#[test]
fn parallel_maps_without_a_loop_are_warned_of() {
    let dir = tempfile::tempdir().unwrap();
    for (body, warned) in [
        ("map sqrt (mapPar exp xs)", true),
        ("mapPar sqrt (map exp xs)", false),
        ("let (toMem (mapPar exp xs)) (\\ys -> map sqrt ys)", false),
    ] {
        let text = format!("def f [n : nat] (xs : n.f32) : n.f32 = {body}\n");
        std::fs::write(dir.path().join("f.rise"), text).unwrap();
        let mut rise_opt = std::process::Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        let ran = rise_opt
            .args(["f.rise", "--plain"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{said}");
        assert_eq!(said.contains("W0704"), warned, "{body}: {said}");
    }
}
