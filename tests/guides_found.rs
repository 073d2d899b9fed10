//! Guides that are found: shipped goals from their last sketch alone, the chain as a file that replays, layers of rules.

use crate::common::{program_text, rules};
use rise_opt::driver::guides::{find, FoundGuides};
use rise_opt::driver::{load, Files, Input, Trust};
use rise_opt::elab::{sketch_text, Sketch, SketchKind, Step};
use rise_opt::search::guides::{of_rule, Layer, Layers};
use rise_opt::search::{optimize, unguided, Options, Outcome};
use rise_opt::sketch::Goal;
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use rise_opt::term::Term;

const TRUST: Trust = Trust {
    allow_unverified: false,
};

fn input(program: &str, sketch: &str, sources: &mut SourceMap) -> Input {
    let files = Files {
        program,
        entry: None,
        sketches: &[sketch.to_string()],
        set: &[],
        target: Target::Avx2,
        trust: TRUST,
    };
    load(&files, sources).unwrap_or_else(|d| panic!("{program}, {sketch}: {d:?}"))
}

/// What is found from the last sketch of a file and the rules of all its steps: no other sketch is looked at.
fn stripped(program: &str, sketch: &str) -> (Input, Step, FoundGuides) {
    let mut sources = SourceMap::new();
    let mut input = input(program, sketch, &mut sources);
    let goal = unguided(&input.steps).expect("the file has a goal");
    input.steps = vec![goal.clone()];
    let found = find(&mut input, &Options::default(), TRUST, &mut sources);
    let found = found.unwrap_or_else(|d| panic!("{program}, {sketch}: {d:?}"));
    (input, goal, found)
}

fn replayed(input: &Input) -> Outcome {
    let options = Options {
        prove: true,
        ..Options::default()
    };
    optimize(&input.program, &input.steps, &options)
}

/// Reaches the goal in small graphs, with a proof, and with its file.
fn reached(program: &str, sketch: &str, most: u64) {
    let (input, goal, found) = stripped(program, sketch);
    let outcome = replayed(&input);
    assert!(outcome.failure.is_none(), "{sketch}:\n{}", found.text);
    let last: &Term = outcome.terms.last().unwrap();
    assert!(
        Goal::new(&goal.sketch, last.lambdas()).accepts(last),
        "{sketch}"
    );
    let proof = outcome.proof.unwrap().unwrap();
    rise_opt::proof::check(&proof).unwrap_or_else(|r| panic!("{sketch}: {r:?}"));
    let tries = &found.tried.tries;
    let nodes: u64 = tries.iter().map(|t| t.nodes).sum();
    assert_eq!(nodes, found.tried.nodes);
    assert!(nodes <= most, "{sketch}: {nodes}\n{}", found.tried.human());
    assert!(tries.len() >= input.steps.len(), "every try is told");
}

#[test]
fn published_goals_are_reached_from_their_last_sketch_alone() {
    for goal in [
        "baseline",
        "blocking",
        "vectorization",
        "loop-perm",
        "array-packing",
        "cache-blocks",
        "parallel",
    ] {
        reached(
            "programs/mm.rise",
            &format!("sketches/mm/{goal}.sk"),
            60_000,
        );
    }
}

#[test]
fn a_rule_is_of_the_layers_of_what_it_makes() {
    let text = "
rule a [k : nat] map f (xs : n.s) => join (map (map f) (split[k] xs)) where k divides n
rule b map (\\x -> map f ys) => \\xs -> transpose (map (\\y -> map (\\x -> f y) xs) ys) where x not in ys
rule c (e : data) => let (toMem e) (\\x -> x)
rule d (e : n.t) => map (\\x -> x) e
rule e map => mapPar
rule f map f (map g xs) => map (\\x -> f (g x)) xs
rule g [k : nat] (e : n.s) => asScalar (asVector[k] e) where k divides n, flat s
";
    let expected = [
        vec![Layer::Tiles],
        vec![Layer::Order],
        vec![Layer::Kept],
        vec![Layer::Kept],
        vec![Layer::Form],
        vec![],
        vec![Layer::Vectors],
    ];
    for (rule, layers) in rules(text).iter().zip(expected) {
        assert_eq!(
            of_rule(&rule.rule),
            Layers::of(layers),
            "{}",
            rule.rule.name
        );
    }
}

/// A program with names, sizes and sketch of its own: nothing is known of products.
#[test]
fn guides_do_not_depend_on_names() {
    let program = "
def thing [p q r : nat] (left : p.q.f32) (right : q.r.f32) : p.r.f32 =
  left |> map (\\line ->
    transpose right |> map (\\post ->
      zip line post |> map (\\both -> fst both * snd both) |> reduce (+) 0.0))";
    let _ = program_text(program);
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    std::fs::write(path("thing.rise"), program).unwrap();
    let sketch = "
import \"sketches/prelude.sk\"
use rules/algorithmic.rules (split[16, 8], reorder[16, 8])
use rules/layout.rules (transpose-around-map-map)
use rules/vector.rules (vectorize-after[8], vectorize-map[8], vectorize-zip[8])
use rules/parallel.rules
sketch
  containsMapPar (p/16)
    (containsMap (r/16)
      (containsReduceSeq (q/8)
        (containsMap 16 (containsReduceSeq 8 (containsMap 2 (containsAddMulVec 8))))))
";
    std::fs::write(path("thing.sk"), sketch).unwrap();
    reached(&path("thing.rise"), &path("thing.sk"), 60_000);
}

/// Whether two sketches ask for the same in the same form.
fn same(a: &Sketch, b: &Sketch) -> bool {
    use SketchKind::*;
    let below = a.kind.children().into_iter().zip(b.kind.children());
    let own = match (&a.kind, &b.kind) {
        (Prim(a, ns), Prim(b, ms)) => a == b && ns == ms,
        (Number(a), Number(b)) => a == b,
        (Size(a), Size(b)) => a == b,
        (Bool(a), Bool(b)) => a == b,
        (Typed(_, a), Typed(_, b)) => a == b,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    own && a.kind.children().len() == b.kind.children().len()
        && below.into_iter().all(|(a, b)| same(a, b))
}

#[test]
fn sketches_are_printed_as_they_are_read() {
    let mut sources = SourceMap::new();
    for (program, sketch) in [
        ("programs/mm.rise", "sketches/mm/micro-parallel.sk"),
        ("programs/gemm.rise", "sketches/gemm/fused-parallel.sk"),
        (
            "programs/mm_row_max.rise",
            "sketches/mm_row_max/fused-parallel.sk",
        ),
    ] {
        let steps = input(program, sketch, &mut sources).steps;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("printed.sk");
        let mut text = "import \"sketches/prelude.sk\"\n".to_string();
        for step in &steps {
            let sketch = sketch_text(&step.sketch);
            text += &format!("step {}\nsketch {sketch}\n", step.name);
        }
        std::fs::write(&path, &text).unwrap();
        let again = input(program, &path.to_string_lossy(), &mut sources).steps;
        for (a, b) in steps.iter().zip(&again) {
            assert!(same(&a.sketch, &b.sketch), "{sketch}: {}", a.name);
        }
    }
}
