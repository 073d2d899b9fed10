//! Reductions in lanes, at any size, by the shipped books: found, right at sizes around that of a block, and, of floats,
//! only where a step permits it.

mod bits;
mod columns;
mod operators;
mod random;
mod tables;

use crate::common::{chain_text, definition_text, program_text};
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{compare, eval, eval_program, Sizes, Value};
use rise_opt::operator::lift::{self, Lifting, Parts};
use rise_opt::operator::{self, Effort, Law, Meaning};
use rise_opt::search::{optimize, Options, Outcome};
use rise_opt::source::SourceMap;
use rise_opt::term::{call, Op, Program, Term};
use rise_opt::ty::Ty;

const PERMIT: &str = "permit reassociate\n";

/// Loops of two vectors of four lanes, and a rest.
const IN_VECTORS: &str = "
def inVectors = app reduceSeq ? ? (app split[2] (contains take))
";

const SUMS: &str = "
use \"rules/reduction.rules\" (reduce-rest[8])
use \"rules/regrouping.rules\" (reduce-vectors-many[2, 4])
";

/// Vectors into what is reduced.
const VECTORS: &str = "
step vectors
use \"rules/sharing.rules\" (take-before-map, take-zip)
use \"rules/vector.rules\" (vectorize-map[4], vectorize-zip[4])
use \"rules/algorithmic.rules\" (split-before-map[2], reduce-seq-map-fusion)
";

fn dot(element: &str, zero: &str) -> Program {
    program_text(&format!(
        "def dot [n : nat] (xs : n.{element}) (ys : n.{element}) : {element} =
  zip xs ys |> map (\\p -> fst p * snd p) |> reduce (+) {zero}
"
    ))
}

/// In lanes, and the products in the same loop.
fn dot_steps(permission: &str) -> String {
    format!(
        "{permission}{IN_VECTORS}
step regroup{SUMS}sketch contains (app (+) (contains inVectors) ?)
{VECTORS}sketch contains (app reduceSeq ? ? (app split[2] (app zip (app asVector (contains take)) ?)))
"
    )
}

fn softmax() -> Program {
    program_text(
        "def softmax [m n : nat] (x : m.(n+1).f32) : m.(n+1).f32 =
  x |> map (\\row ->
    let most = reduce max (at[0] row) row in
    let powers = row |> map (\\v -> exp (v - most)) in
    let sum = reduce (+) 0.0 powers in
    powers |> map (\\v -> v / sum))
",
    )
}

fn softmax_steps() -> String {
    format!(
        "{PERMIT}{IN_VECTORS}
step sums{SUMS}sketch contains (app let (app (+) (contains inVectors) ?))
step maxima
use \"rules/regrouping.rules\" (reduce-vectors-idempotent[2, 4])
sketch
  contains (app let (app reduce max (contains inVectors) ?)
    (contains (app let (app (+) (contains inVectors) ?))))
"
    )
}

fn layer_norm() -> Program {
    program_text(
        "def layer_norm [m n : nat] (gamma : n.f32) (beta : n.f32) (x : m.n.f32) : m.n.f32 =
  x |> map (\\row ->
    let mean = reduce (+) 0.0 row / size[n] in
    let centred = row |> map (\\v -> v - mean) in
    let variance = reduce (+) 0.0 (centred |> map (\\v -> v * v)) / size[n] in
    let scale = 1.0 / sqrt (variance + 0.00001) in
    zip centred (zip gamma beta) |> map (\\p -> fst p * scale * fst (snd p) + snd (snd p)))
",
    )
}

fn layer_norm_steps() -> String {
    format!(
        "{PERMIT}{IN_VECTORS}
step sums{SUMS}sketch contains (app let (contains inVectors) (contains (app let ? (contains (app let (contains inVectors))))))
{VECTORS}sketch contains (app reduceSeq ? ? (app split[2] (app map ? (app asVector (app take ?)))))
"
    )
}

fn found(program: &Program, steps: &str) -> Outcome {
    let outcome = optimize(program, &chain_text(steps, program), &Options::default());
    assert!(
        outcome.failure.is_none(),
        "{}: {:?}",
        program.name,
        outcome.failure
    );
    outcome
}

/// Every term means what the program means, up to regrouping; at all of the sizes that are given for `n`.
fn check(program: &Program, outcome: &Outcome, sizes: &[i64], tolerance: f64) {
    for &n in sizes {
        let at: Sizes = [("m".into(), 3), ("n".into(), n)].into();
        let mut rng = Rng::new(7);
        let args: Vec<Value> = (program.params.iter())
            .map(|(_, ty)| value_of(&mut rng, *ty, &at, Numbers::Unit).unwrap())
            .collect();
        let want = eval_program(program, &at, &args).unwrap();
        for term in &outcome.terms {
            let got = eval(term, &at, &args).unwrap();
            let difference = compare::compare(&got, &want).expect("one shape");
            assert!(
                difference.same || difference.relative_to_largest <= tolerance,
                "{} at {n}: {difference:?}\n{term}",
                program.name
            );
        }
    }
}

const AROUND_BLOCKS: [i64; 9] = [0, 1, 2, 7, 8, 9, 16, 23, 50];

#[test]
fn an_inner_product_is_found_in_lanes_at_any_size() {
    let program = dot("f32", "0.0");
    let outcome = found(&program, &dot_steps(PERMIT));
    check(&program, &outcome, &AROUND_BLOCKS, 1e-5);
}

#[test]
fn integers_are_regrouped_without_a_permission() {
    let program = dot("i32", "0");
    let outcome = found(&program, &dot_steps(""));
    check(&program, &outcome, &AROUND_BLOCKS, 0.0);
}

#[test]
fn floats_are_not_regrouped_without_a_permission() {
    let program = dot("f32", "0.0");
    let steps = chain_text(&dot_steps(""), &program);
    let outcome = optimize(&program, &steps, &Options::default());
    assert!(outcome.failure.is_some());
}

#[test]
fn a_softmax_is_found_in_lanes_at_any_size() {
    let program = softmax();
    let outcome = found(&program, &softmax_steps());
    check(&program, &outcome, &AROUND_BLOCKS, 1e-5);
}

#[test]
fn a_layer_norm_is_found_in_lanes_at_any_size() {
    let program = layer_norm();
    let outcome = found(&program, &layer_norm_steps());
    // Of no elements there is no mean.
    check(&program, &outcome, &AROUND_BLOCKS[1..], 1e-3);
}

#[test]
fn a_scan_is_found_in_blocks() {
    let program = program_text(
        "def cumulated [n : nat] (xs : (8*n).i32) : (8*n).i32 = scanSeq (\\x acc -> acc + x) 0 (map (\\x -> 3 * x) xs)
",
    );
    let steps = "
use \"rules/regrouping.rules\" (scan-blocks[8])
sketch contains (app join (app map (contains scanSeq) ?))
";
    let outcome = found(&program, steps);
    check(&program, &outcome, &[0, 1, 2, 5], 0.0);
}

/// A stage that is kept for each tile, with the halo that windows reach into, at any size.
#[test]
fn stages_are_found_in_tiles_at_any_size() {
    let program = program_text(
        "def twice [n : nat] (xs : (n+2).i32) : n.i32 =
  xs |> map (\\x -> x * x) |> slide[3, 1] |> map (\\w -> reduceSeq (\\a x -> a + x) 0 w)
",
    );
    let steps = "
step tiles
use \"rules/stencil.rules\" (map-slide-tile-padded[4])
sketch contains (app take (app join (app map (contains (app slide[3, 1] ?)) ?)))
step stages
use \"rules/stencil.rules\" (map-pad-clamp, slide-before-map, slide-after-map, stage-tile)
use \"rules/algorithmic.rules\" (map-fusion)
sketch contains (app map (contains (app let (app toMem ?))) (app slide[6, 4] ?))
";
    let outcome = found(&program, steps);
    check(&program, &outcome, &[1, 2, 3, 4, 5, 9, 12], 0.0);
}

/// A program, and the chain that reduces blocks in parallel at a small size of them.
fn in_blocks(path: &str, element: Option<f64>) {
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let program = program_text(&read(path));
    let text = read("sketches/reduction/blocks.sk").replace("block = 16384", "block = 4");
    let outcome = found(
        &program,
        &text.replace("\"../prelude.sk\"", "\"sketches/prelude.sk\""),
    );
    let blocks = outcome.terms.last().unwrap().to_string();
    assert!(blocks.contains("mapPar"), "{blocks}");
    check(
        &program,
        &outcome,
        &[0, 1, 3, 4, 5, 11, 12, 13],
        element.unwrap_or(0.0),
    );
}

/// Operators that no table has are proved to associate, and so reduced in blocks. What moves numbers, and what wraps, is the
/// same to the bit.
#[test]
fn operators_that_are_proved_to_associate_are_reduced_in_blocks() {
    in_blocks("tests/operators/first_least.rise", None);
    in_blocks("tests/operators/saturating_sum.rise", None);
    in_blocks("programs/reduction/fibonacci.rise", None);
    in_blocks("programs/reduction/segment_sum.rise", Some(1e-5));
    in_blocks("programs/reduction/complex_product.rise", Some(1e-5));
    in_blocks("tests/operators/affine.rise", Some(1e-5));
}

/// What does not associate is not reduced in blocks, and the diagnosis says where it fails.
#[test]
fn an_operator_that_does_not_associate_is_refused_with_a_counterexample() {
    for (operator, objection) in [
        (
            "max (min (100 - x) y) x",
            "over integers without bounds it holds, on the machine they wrap",
        ),
        ("x - y", "op (op x y) z is -1, op x (op y z) is 1"),
    ] {
        let program = program_text(&format!(
            "def refused [n : nat] (xs : n.i32) : i32 = reduce (\\x y -> {operator}) 0 xs\n"
        ));
        let text = "use \"rules/reduction.rules\" (reduce-blocks-peeled[4])\n\
                    sketch contains (app map (contains reduceSeq))\n";
        let options = Options {
            diagnose: true,
            ..Options::default()
        };
        let outcome = optimize(&program, &chain_text(text, &program), &options);
        let failure = outcome.failure.expect("it does not associate");
        let said = rise_opt::report::not_reached(&failure, None, &[], &SourceMap::new());
        let notes = said.notes.join("\n");
        let rule = "the rule `reduce-blocks-peeled` does not apply: `associative";
        assert!(notes.contains(rule) && notes.contains(objection), "{notes}");
    }
}

/// A table of docs/reductions.md is what a command prints: `BLESS=1` writes it.
fn table_is_printed(head: &str, args: &[&str], least: usize) {
    let page = "docs/reductions.md";
    let text = std::fs::read_to_string(page).unwrap();
    let begin = text.find(head).expect("a table");
    let length = text[begin..]
        .find("\n\n")
        .map_or(text.len() - begin, |n| n + 1);
    let stored = &text[begin..begin + length];
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_rise-opt"))
        .args([&["assoc", "table"], args].concat())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.lines().count() > least, "{printed}");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(page, text.replace(stored, &printed)).unwrap();
    } else {
        assert_eq!(printed, stored, "{page}: BLESS=1 writes what is printed");
    }
}

#[test]
fn the_table_of_operators_is_what_the_command_prints() {
    table_is_printed("| operator | of |", &["tests/operators/list.txt"], 80);
}

#[test]
fn the_table_of_steps_is_what_the_command_prints() {
    table_is_printed(
        "| name | step |",
        &["--steps", "tests/operators/steps.txt"],
        50,
    );
}

/// What steps become reduces to the same numbers as they do, however a list is cut in two.
#[test]
fn steps_and_what_they_become_reduce_to_the_same() {
    let text = std::fs::read_to_string("tests/operators/steps.txt").unwrap();
    // In doubles, so that rounding is no difference.
    let lines = text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with("--"));
    let mut found = 0;
    for line in lines.map(|l| l.replace("f32", "f64")) {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [name, step, state, element, start] = columns[..] else {
            panic!("{line}");
        };
        let define =
            |ty: &str, body: &str| definition_text(&format!("def op : {ty} =\n  {body}\n")).term;
        let step = define(&format!("({state}) -> ({element}) -> ({state})"), step);
        let start = (start != "-").then(|| define(&format!("({state})"), start));
        for meaning in [Meaning::Machine, Meaning::Reals, Meaning::Unbounded] {
            let effort = Effort {
                points: 300,
                ..Effort::ASKED
            };
            if let Some(lifting) = lift::lift(&step, start.as_ref(), &[], meaning, effort) {
                reduces_alike(name, &step, start.as_ref(), &lifting);
                found += 1;
                break;
            }
        }
    }
    assert!(found > 50, "{found}");
}

fn reduces_alike(name: &str, step: &Term, start: Option<&Term>, lifting: &Lifting) {
    let (state, rest) = step.ty().as_fun().unwrap();
    let element = rest.as_fun().unwrap().0;
    let mut rng = Rng::new(11);
    for n in [0i64, 1, 2, 3, 7, 10] {
        let array = Ty::array(n.into(), element);
        let begin = match start {
            Some(start) => eval(start, &Sizes::new(), &[]).unwrap(),
            None => value_of(&mut rng, state, &Sizes::new(), Numbers::Unit).unwrap(),
        };
        let xs = value_of(&mut rng, array, &Sizes::new(), Numbers::Unit).unwrap();
        let value = |t: &Term| eval(t, &Sizes::new(), &[begin.clone(), xs.clone()]).unwrap();
        let from = |f: &dyn Fn(&Term) -> Term| Term::lam(None, state, f(&Term::var(0, state)));
        let want = value(&from(&|s| in_order(step, s, array)));
        let got = value(&from(&|s| lifting.parts.reduction(s, array).unwrap()));
        let mut all = vec![got];
        for k in 0..=n {
            all.push(value(&from(&|s| in_two(&lifting.parts, s, array, k))));
        }
        for got in all {
            let difference = compare::compare(&got, &want).expect("one shape");
            assert!(
                difference.same || difference.relative_to_largest < 1e-6,
                "{name} of {n}: {got:?} for {want:?}"
            );
        }
    }
}

fn in_order(step: &Term, start: &Term, array: Ty) -> Term {
    let args = [step.clone(), start.shift(1), Term::var(0, array)];
    Term::lam(None, array, call(Op::ReduceSeq, [], args).unwrap())
}

/// Two parts of a list reduced by themselves, and then together.
fn in_two(l: &Parts, start: &Term, array: Ty, k: i64) -> Term {
    let xs = Term::var(0, array);
    let part = |xs: Term| {
        let summaries = call(Op::Map, [], [l.inject.clone(), xs]).unwrap();
        call(
            Op::Reduce,
            [],
            [l.combine.clone(), l.unit.clone(), summaries],
        )
        .unwrap()
    };
    let first = part(call(Op::Take, [k.into()], [xs.clone()]).unwrap());
    let second = part(call(Op::Drop, [k.into()], [xs]).unwrap());
    let both = Term::apps(l.combine.clone(), [first, second]);
    Term::lam(
        None,
        array,
        Term::apps(l.finish.clone(), [both, start.shift(1)]),
    )
}

/// However an operator is spelled, its verdicts are the same; none is proved in one spelling and refuted in another.
#[test]
fn spellings_of_an_operator_have_one_verdict() {
    let text = std::fs::read_to_string("tests/operators/spellings.txt").unwrap();
    let (mut same, mut with_identities, mut all, mut groups) = (0, 0, 0, 0);
    for group in text.split("\n# ").skip(1) {
        let mut lines = group.lines().filter(|l| !l.is_empty());
        let head: Vec<&str> = lines.next().unwrap().split(" | ").collect();
        let [name, ty, meaning] = head[..] else {
            panic!("{head:?}");
        };
        let meaning = match meaning {
            "z" => Meaning::Unbounded,
            "reals" => Meaning::Reals,
            _ => Meaning::Machine,
        };
        let spellings: Vec<&str> = lines.collect();
        assert!(spellings.len() >= 8, "{name}");
        let verdicts: Vec<Vec<&str>> = spellings.iter().map(|s| verdicts(s, ty, meaning)).collect();
        for (spelling, found) in spellings.iter().zip(&verdicts) {
            // Of identities one may be infinite in one spelling, and no number in another.
            let laws = found.iter().zip(&verdicts[0]).take(Law::ALL.len());
            let opposed = |(a, b): (&&str, &&str)| {
                [*a, *b] == ["proved", "refuted"] || [*a, *b] == ["refuted", "proved"]
            };
            assert!(
                !laws.clone().any(opposed),
                "{name}: {spelling}: {found:?}, {:?}",
                verdicts[0]
            );
            all += 1;
            same += u32::from(laws.clone().all(|(a, b)| a == b));
            with_identities += u32::from(*found == verdicts[0]);
            if *found != verdicts[0] {
                eprintln!("{name}: {spelling}: {found:?}, {:?}", verdicts[0]);
            }
        }
        groups += 1;
    }
    eprintln!("{same} of {all} spellings of {groups} operators have the laws of the first, {with_identities} its identities, too");
    assert!(groups >= 20 && 100 * same >= 95 * all, "{same} of {all}");
}

fn verdicts(operator: &str, ty: &str, meaning: Meaning) -> Vec<&'static str> {
    let whole = format!("def op : ({ty}) -> ({ty}) -> ({ty}) =\n  {operator}\n");
    let op = definition_text(&whole).term;
    let effort = Effort {
        points: 1_000,
        cases: 3_000,
    };
    let law = |law: &Law| operator::judge(&op, &[], meaning, *law, effort).word();
    let mut words: Vec<&str> = Law::ALL.iter().map(law).collect();
    let identity = |left| operator::identity(&op, &[], meaning, left, effort).word();
    words.extend([true, false].map(identity));
    words
}

const SEGMENT: &str = "def segment [n : nat] (xs : n.f32) : (f32, f32) =
  reduceSeq (\\acc x -> let (max 0.0 (fst acc + x)) (\\cur -> pair cur (max (snd acc) cur))) (pair 0.0 0.0) xs
";
const WORDS: &str = "def words [n : nat] (xs : n.bool) : (bool, i32) =
  reduceSeq (\\a x -> pair x (select (and x (not (fst a))) (snd a + 1) (snd a))) (pair false 0) xs
";
const STATISTICS: &str = "def statistics [n : nat] (xs : n.f32) : (f32, (f32, f32)) =
  reduceSeq (\\a x ->
    let (fst a + 1.0) (\\n -> let (x - fst (snd a)) (\\d -> let (fst (snd a) + d / n) (\\mean ->
      pair n (pair mean (snd (snd a) + d * (x - mean))))))) (pair 0.0 (pair 0.0 0.0)) xs
";

/// An exit code, and what was said.
type Run = (Option<i32>, String);

/// A proof that uses a rule of `assoc lift` is checked, and refused where the rule in it says something else.
fn proofs_by_the_rule_are_checked(
    steps: &str,
    sketch: &std::path::Path,
    rise_opt: &dyn Fn(&[&str]) -> Run,
) {
    let root = env!("CARGO_MANIFEST_DIR");
    let steps = steps.replace("\"sketches/", &format!("\"{root}/sketches/"));
    std::fs::write(sketch, steps).unwrap();
    let (code, said) = rise_opt(&[
        "p.rise", "--sketch", "p.sk", "--emit", "c,proof", "-o", "k.c",
    ]);
    assert_eq!(code, Some(0), "{said}");
    let checked = || rise_opt(&["check-proof", "k.proof.json", "p.rise", "--c", "k.c"]);
    let (code, said) = checked();
    assert!(
        code == Some(0) && said.contains("lifted-1 (not shipped, proved)"),
        "{said}"
    );
    let proof = sketch.with_file_name("k.proof.json");
    let text = std::fs::read_to_string(&proof).unwrap();
    let end = text
        .rfind("fst s")
        .expect("what it makes of an accumulator");
    let other = format!("{}snd s{}", &text[..end], &text[end + 5..]);
    std::fs::write(&proof, other).unwrap();
    let (code, said) = checked();
    assert!(code.is_some_and(|c| c != 0), "{said}");
}

/// The rules that `assoc lift` writes are proved, and by them a search makes parallel blocks of steps; a rule with another
/// operator is not proved.
#[test]
fn steps_are_reduced_in_blocks_by_rules_that_are_proved() {
    let dir = tempfile::tempdir().unwrap();
    let rise_opt = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        let output = command.args(args).current_dir(dir.path()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout) + &text(output.stderr),
        )
    };
    for (text, tolerance) in [(SEGMENT, 1e-5), (WORDS, 0.0), (STATISTICS, 1e-4)] {
        let program = program_text(text);
        let (rise, rules) = (dir.path().join("p.rise"), dir.path().join("p.rules"));
        std::fs::write(&rise, text).unwrap();
        let (code, said) = rise_opt(&["assoc", "lift", "p.rise", "-o", "p.rules"]);
        assert_eq!(code, Some(0), "{said}");
        let (code, said) = rise_opt(&["verify", "p.rules"]);
        assert!(code == Some(0) && said.contains("proved"), "{said}");
        let shipped = std::fs::read_to_string("sketches/reduction/blocks.sk").unwrap();
        let first = format!(
            "step lift\nuse \"{}\" (lifted-1)\nsketch contains reduce\n\nstep blocks\n",
            rules.display()
        );
        let steps = (shipped.replace("block = 16384", "block = 4"))
            .replace("\"../prelude.sk\"", "\"sketches/prelude.sk\"")
            .replace("step blocks\n", &first);
        let outcome = found(&program, &steps);
        let last = outcome.terms.last().unwrap().to_string();
        assert!(last.contains("mapPar"), "{last}");
        check(&program, &outcome, &[0, 1, 3, 4, 5, 11, 12, 13], tolerance);
        proofs_by_the_rule_are_checked(&steps, &dir.path().join("p.sk"), &rise_opt);
        // Another step.
        let other = std::fs::read_to_string(&rules)
            .unwrap()
            .replacen(" + ", " - ", 1);
        std::fs::write(&rules, other).unwrap();
        let (code, said) = rise_opt(&["verify", "p.rules"]);
        assert_eq!(code, Some(4), "{said}");
    }
}
