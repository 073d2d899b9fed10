//! Rules that are found: worked examples, conditions, a corpus, the command line.

use super::*;
use rise_opt::intern::Symbol;
use rise_opt::simplify::Simplifier;
use rise_opt::solve::{decreases, shipped_list, Order};
use rise_opt::synth::{self, canonical, left_sides, Again, Aim, Given, Options, Question};
use rise_opt::verify::alone;
use std::collections::BTreeMap;
use std::path::Path;

/// Solvers, with as little work for each query as synthesis gives them.
fn quick() -> Tools {
    Tools {
        solvers: solvers(),
        limits: Limits {
            direct: Work(1),
            linear: Work(1),
            strong: Work::NONE,
            ..Limits::default()
        },
        ..Tools::default()
    }
}

/// A left side as a rule has it.
fn left(text: &str) -> Rule {
    rules(&format!("rule asked  {text}  =>  {text}")).remove(0)
}

#[test]
fn left_sides_are_all_patterns_of_an_expression() {
    let e = left("(z + 2) + min(x, y - z)").lhs;
    let all = left_sides(e);
    let texts: Vec<String> = all.iter().map(|l| l.pattern.to_string()).collect();
    for expected in [
        // z is one variable in both places, or two.
        "x + 2 + min(y, z - x)",
        "x + 2 + min(y, z - w)",
        "x + 2 + min(y, z)",
        "x + 2 + y",
        "x + min(y, z - w)",
    ] {
        let found = texts.iter().any(|t| t == expected);
        // A sum of two variables with nothing shared and no number leads nowhere.
        assert_eq!(
            found,
            expected != "x + min(y, z - w)",
            "{expected}: {texts:?}"
        );
    }
    assert!(all
        .iter()
        .all(|l| l.pattern.vars().len() <= synth::MOST_LEAVES));
    // What a variable stands for, put back, is the part again.
    for l in &all {
        let back = l.pattern.replace(&|v| l.stands.get(&v).copied());
        let mut inside = false;
        e.visit(&mut |part| inside |= part == back);
        assert!(inside, "{} is not of {e}", l.pattern);
    }
    assert_eq!(
        canonical(left("(b + 2) + min(a, c5 - b)").lhs),
        canonical(left("(a + 2) + min(b, c5 - a)").lhs)
    );
}

/// Left sides of published repairs of a rewriting system, with the rules that are found for them without any other rule.
const REPAIRS: [(&str, &[&str]); 13] = [
    (
        "max(max(x, y) + c0, x)",
        &[
            "max(x, y) + c0  where c0 >= 0",
            "max(y + c0, x)  where c0 <= 0",
        ],
    ),
    (
        "min(x, c0) < min(x, c1) + c2",
        &["false  where c2 <= 0 && c1 + c2 <= c0"],
    ),
    ("min(x, y) < min(x, z)", &["y < min(x, z)"]),
    ("x % x", &["0"]),
    ("max(y, z) < min(x, y)", &["false"]),
    (
        "min(y + c0, z) < min(y, x)",
        &[
            "z < min(x, y)  where c0 >= 0",
            "min(y + c0, z) < x  where c0 < 0",
        ],
    ),
    ("x * y - (z + w * x)", &["(y - w) * x - z"]),
    ("x < y + x + z", &["0 < y + z"]),
    (
        "max(x * x, y) + max(z, w * w) < c0",
        &["false  where c0 <= 0"],
    ),
    (
        "select(b, c0, y) < min(select(b, c1, y), c2)",
        &["false  where min(c1, c2) <= c0"],
    ),
    ("x + y - x", &["y"]),
    ("u + 2 + v - u", &["v + 2"]),
    ("x + (y - (z + (w + x) + u))", &["y - (u + z + w)"]),
];

#[test]
fn rules_of_published_repairs_are_found() {
    let tools = quick();
    if tools.solvers.is_empty() {
        return;
    }
    for (asked, expected) in REPAIRS {
        let found = synth::complete(left(asked).lhs, &[], &tools);
        let texts: Vec<String> = found.iter().map(synth::Helped::text).collect();
        for e in expected {
            let found = texts.iter().any(|t| t.ends_with(&format!("=>  {e}")));
            assert!(found, "{asked}: {e} is not among {texts:?}");
        }
    }
}

/// The published rule has sixteen variants, for the orders of the operands of its four sums; here one rule is all of them.
#[test]
fn one_rule_stands_for_all_orders_of_operands() {
    let found = rules("rule asked  x + (y - (z + (w + x) + u))  =>  y - (u + z + w)");
    let book = std::rc::Rc::new(rise_opt::simplify::Book::new(found));
    let mut results = std::collections::BTreeSet::new();
    for orders in 0..16 {
        let sum = |a: &str, b: &str, bit: u32| match orders >> bit & 1 {
            0 => format!("({a} + {b})"),
            _ => format!("({b} + {a})"),
        };
        let inner = sum(&sum("z", &sum("w", "x", 0), 1), "u", 2);
        let variant = left(&sum("x", &format!("(y - {inner})"), 3)).lhs;
        let mut simplifier = Simplifier::new(book.clone());
        simplifier.record();
        results.insert(simplifier.simplify(variant).to_string());
        assert_eq!(simplifier.steps().len(), 1, "{variant}");
    }
    assert_eq!(results.len(), 1, "{results:?}");
}

#[test]
fn the_weakest_condition_is_found_and_compared() {
    let tools = quick();
    if tools.solvers.is_empty() {
        return;
    }
    let weakest = |text: &str| {
        let rule = rules(&format!("rule asked  {text}")).remove(0);
        let found = synth::weakest(&rule, &[], &tools).unwrap();
        (found.rule.condition.to_string(), found.given)
    };
    for (rule, condition, given) in [
        ("x < select(b, c0, c1) + x => !b", "c0 <= 0 && c1 > 0", None),
        ("max(max(x, y) + c0, x) => max(x, y + c0)", "c0 <= 0", None),
        ("x * c0 / c1 => x * (c0/c1)", "c0 % c1 == 0", None),
        ("x % y => x", "prove(0 <= x) && prove(x < y)", None),
        (
            "min(x, c0) < min(x, c1) + c2 => false where c2 < 0 && c1 <= c0",
            "c2 <= 0 && c1 + c2 <= c0",
            Some(Given::Stronger),
        ),
        (
            "max(max(x, y) + c0, x) => max(x, y + c0) where c0 < 5",
            "c0 <= 0",
            Some(Given::Wrong),
        ),
        (
            "min(x, c0) < c1 => true where c0 < c1",
            "c0 < c1",
            Some(Given::Equal),
        ),
    ] {
        assert_eq!(weakest(rule), (condition.to_string(), given), "{rule}");
    }
}

#[test]
fn rules_for_a_corpus_are_proved_ordered_and_of_use() {
    let tools = quick();
    if tools.solvers.is_empty() {
        return;
    }
    let question = |text: &str| {
        let mut sources = SourceMap::new();
        let (e, facts) = text.split_once(" where ").unwrap_or((text, "true"));
        let e_file = sources.add_text("e", e);
        let facts_file = sources.add_text("facts", facts);
        let read = rise_opt::scalar::parse_question(&[(facts_file, facts)], Some((e_file, e)));
        let (facts, e) = read.unwrap();
        synth::Question {
            e: e.unwrap(),
            facts,
            place: "corpus:1".to_string(),
        }
    };
    // No factor is taken out of the second: nothing is to be found for it.
    let corpus = [
        "max(x + 3, y) - max(x, y - 3)",
        "x * y - z",
        "min(y - 2, z) < min(x, y)",
        "max(x, y) - min(x, y) - max(x - y, y - x)",
    ];
    let corpus = corpus.map(question);
    let present = shipped();
    let options = synth::Options::default();
    let make = || synth::synthesise(&corpus, &present, &tools, &options, &mut |_| {});
    let outcome = make();
    let texts = |o: &synth::Outcome| -> Vec<String> {
        let rules = o.found.iter().map(|f| &f.rule);
        rules
            .map(|r| synth::text(r.name.as_str(), r.lhs, r.rhs, r.condition))
            .collect()
    };
    let found = texts(&outcome);
    assert_eq!(found, texts(&make()), "another run finds other rules");
    assert!((2..=6).contains(&found.len()), "{found:?}");
    let all: Vec<Rule> = present
        .iter()
        .cloned()
        .chain(outcome.found.iter().map(|f| f.rule.clone()))
        .collect();
    let last: Vec<usize> = (present.len()..all.len()).collect();
    for (i, verdict) in last
        .iter()
        .zip(verify(&all, &last, &tools, &mut |_, _| {}).verdicts)
    {
        assert!(matches!(verdict, Verdict::Proved(_)), "{}", all[*i].name);
        assert!(
            rise_opt::termination::order_of(&all, *i).is_ok(),
            "{}",
            all[*i].name
        );
    }
    let book = std::rc::Rc::new(rise_opt::simplify::Book::new(all));
    let mut smaller = Vec::new();
    for q in &corpus {
        let simplified = |mut s: Simplifier| {
            q.facts.iter().for_each(|f| s.assume(*f));
            s.simplify(q.e)
        };
        let (before, after) = (
            simplified(Simplifier::shipped()),
            simplified(Simplifier::new(book.clone())),
        );
        smaller.push(rise_opt::termination::greater(before, after));
    }
    assert_eq!(smaller, [true, false, true, true], "{found:?}");
    assert!(outcome.found.iter().all(|f| f.fires > 0));
}

#[test]
fn the_command_line_reads_a_corpus_and_writes_rules_with_certificates() {
    if solvers().is_empty() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        let out = command.args(args).current_dir(dir.path()).output().unwrap();
        let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
        (out.status.code(), text(out.stdout), text(out.stderr))
    };
    let corpus = "-- two that are right, two that are wrong\nmax(x + 3, y) - max(x, y - 3)\nmin(x,\nx + true\nmin(y - 2, z) < min(x, y)\n";
    std::fs::write(dir.path().join("stuck.txt"), corpus).unwrap();
    let (code, out, err) = run(&["synth", "--from", "stuck.txt", "-o", "new.rules"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.contains("stuck.txt:3:") && err.contains("stuck.txt:4:"),
        "{err}"
    );
    assert!(out.starts_with("2 rules from "), "{out}");
    let written = std::fs::read_to_string(dir.path().join("new.rules")).unwrap();
    assert!(
        written.contains("(stuck.txt:2)") && written.contains("(stuck.txt:5)"),
        "{written}"
    );
    let (code, out, err) = run(&["verify", "new.rules"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("solver spared by a certificate"), "{out}");
    let (code, _, err) = run(&["synth", "min(x, y) < "]);
    assert_eq!(code, Some(1), "{err}");
    let (code, out, _) = run(&["synth", "x + 1 => x"]);
    assert_eq!((code, out.lines().count()), (Some(4), 1), "{out}");
    let (code, _, err) = run(&["synth", "--from", "nowhere.txt"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("nowhere.txt"), "{err}");
}

/// What was looked at is read from the records: the rest of the work gives the same bytes.
#[test]
fn synthesis_goes_on_where_it_was_interrupted() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    let corpus =
        "max(x + 3, y) - max(x, y - 3)\nmin(y - 2, z) < min(x, y)\nx % 8 / 4 + x / 8 * 2\n";
    std::fs::write(path("stuck.txt"), corpus).unwrap();
    let run = |records: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        command.args(["synth", "--from", "stuck.txt", "--budget", "30"]);
        command.args(["--records", records, "-o", "new.rules"]);
        let out = command.current_dir(dir.path()).output().unwrap();
        let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
        (out.status.code(), text(out.stdout), text(out.stderr))
    };
    let said = |records: &str| {
        let (code, out, error) = run(records);
        assert_eq!(code, Some(0), "{error}");
        // The command line stands in the first one.
        let rules = read("new.rules");
        let rest = rules.split_once('\n').unwrap().1;
        (rest.to_string(), out)
    };
    let whole = said("all.jsonl");
    let records = read("all.jsonl");
    let lines: Vec<&str> = records.lines().collect();
    assert!(lines.len() > 9, "{records}");
    let with_rule = |l: &&&str| !l.contains("\"rule\":null");
    assert!(lines.iter().filter(with_rule).count() > 1, "{records}");
    // Interrupted half way, it looks at the other half only.
    let half = lines[..lines.len() / 2].join("\n") + "\n";
    std::fs::write(path("half.jsonl"), half).unwrap();
    assert_eq!(said("half.jsonl"), whole);
    assert_eq!(read("half.jsonl"), records);
    // It is believed that a left side led to nothing, so the records are what is read.
    let none: String = (lines.iter())
        .map(|l| {
            let mut attempt: synth::Attempt = saved_line(l);
            (attempt.rule, attempt.how) = (None, None);
            rise_opt::report::left_side::line(&attempt)
        })
        .collect();
    std::fs::write(path("none.jsonl"), none).unwrap();
    assert_ne!(said("none.jsonl").0, whole.0);
    // A rule that is not proved is not taken, and the left side looked at again.
    let mut seen = 0;
    let wrong: String = (lines.iter())
        .map(|l| {
            let mut attempt: synth::Attempt = saved_line(l);
            if let Some(rule) = &mut attempt.rule {
                *rule = rule.replace("=>", "=> 1 +").replace("1 +  (", "(");
                seen += usize::from(rule.contains("1 +"));
            }
            rise_opt::report::left_side::line(&attempt)
        })
        .collect();
    assert!(seen > 0);
    std::fs::write(path("wrong.jsonl"), wrong).unwrap();
    assert_eq!(said("wrong.jsonl"), whole);
    // What is no such file, and what cannot be written.
    std::fs::write(path("plan.jsonl"), "{\"kind\": \"plan\"}\n").unwrap();
    let (code, _, error) = run("plan.jsonl");
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("plan.jsonl, line 1"), "{error}");
    let (code, _, error) = run("nowhere/all.jsonl");
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("nowhere"), "{error}");
}

/// The record of a line.
fn saved_line(line: &str) -> synth::Attempt {
    let mut sources = SourceMap::new();
    let file = sources.add_text("line", line);
    let mut all = rise_opt::report::left_side::read(&mut sources, file).unwrap();
    all.remove(0)
}

#[test]
fn rules_are_generalised() {
    let cases = [
        // A part is a variable, a number a constant.
        (
            "min(x*a, 3) + x*a - min(3, x*a) => x*a",
            "min(x, c0) + x - min(c0, x)  =>  x",
        ),
        // Of what is asked of terms only what is about them.
        (
            "(x + 4*y)/4 => x/4 + y",
            "(x + c0 * y) / c0  =>  x / c0 + y  where c0 != 0",
        ),
        (
            "select(a < b, x, x) + 5 => x + 5",
            "select(a, x, x) + c0  =>  x + c0",
        ),
    ];
    for (specific, expected) in cases {
        let rule = rules(&format!("rule asked  {specific}")).remove(0);
        let found = synth::generalise(&rule, &[], &quick());
        let found = found.unwrap_or_else(|| panic!("{specific} is not proved"));
        assert!(
            found.text().contains(expected),
            "{specific}: {}",
            found.text()
        );
    }
    let wrong = rules("rule asked  x + 1 => x").remove(0);
    assert!(synth::generalise(&wrong, &[], &quick()).is_none());
    let asked = rules("rule asked  min(x*2, y) => y  where prove(y <= x*2)").remove(0);
    let found = synth::generalise(&asked, &[], &quick()).unwrap();
    assert!(
        found
            .text()
            .contains("min(x, y)  =>  y  where prove(y <= x)"),
        "{}",
        found.text()
    );
}

#[test]
fn what_lowering_leaves_open_is_harvested_once() {
    let dir = tempfile::tempdir().unwrap();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/gemv.rise");
    std::fs::copy(shipped, dir.path().join("gemv.rise")).unwrap();
    let queries =
        "x / 4  where 0 <= x\ny / 8  where 0 <= y\nx / 4 / z  where 0 <= x\nx < y\nx % 4 < 5\nm\n";
    std::fs::write(dir.path().join("own.queries"), queries).unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        let out = command.args(args).current_dir(dir.path()).output().unwrap();
        let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
        (out.status.code(), text(out.stdout), text(out.stderr))
    };
    let (code, out, err) = run(&["synth", "--harvest", "."]);
    assert_eq!(code, Some(0), "{err}");
    let lines: Vec<&str> = out.lines().filter(|l| !l.starts_with("--")).collect();
    assert_eq!(
        lines,
        [
            // A kernel asks that, too.
            "m / 4  where (0 <= m)",
            "x / 4 / z  where (0 <= x)",
            "x % 4 < 5"
        ],
        "{out}"
    );
    assert!(out.contains("of 2 kernels (0 were not made)"), "{out}");
    assert!(out.contains("1 true here and false there"), "{out}");
    // A folder without programs, and one that is not there.
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    for folder in ["empty", "nowhere"] {
        let (code, _, err) = run(&["synth", "--harvest", folder]);
        assert_eq!(code, Some(1), "{err}");
        assert!(err.contains(folder) && err.contains("help"), "{err}");
    }
}

/// What validation asks and neither shows nor refutes at a point; what is to be solved comes from lowering alone.
#[test]
fn what_validation_leaves_open_is_harvested() {
    let dir = tempfile::tempdir().unwrap();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/stencil");
    for name in ["jacobi1d.rise", "heat.rise"] {
        std::fs::copy(shipped.join(name), dir.path().join(name)).unwrap();
    }
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        let out = command.args(args).current_dir(dir.path()).output().unwrap();
        assert_eq!(out.status.code(), Some(0));
        String::from_utf8(out.stdout).unwrap()
    };
    let out = run(&["synth", "--harvest", "."]);
    let expected = "max(v0 + -2, 0) <= min(max(min(max(v0 + -1, 0), h) + -1, 0), h)  where (0 <= h && 0 <= v0 && ";
    assert!(out.lines().any(|l| l.starts_with(expected)), "{out}");
    // Of cases that contradict themselves there are some, and none of them stands there.
    assert!(!out.contains(", 0 of cases that do not occur"), "{out}");
    assert!(
        !out.lines().any(|l| l.contains("n < 1 && 0 < min(n, 1)")),
        "{out}"
    );
    // Each line is read again.
    let path = dir.path().join("stuck.txt");
    std::fs::write(&path, &out).unwrap();
    let again = run(&["simplify", "--file", "stuck.txt"]);
    assert_eq!(
        again.lines().filter(|l| !l.is_empty()).count(),
        out.lines().filter(|l| !l.starts_with("--")).count()
    );
    let solved = run(&["synth", "--harvest", ".", "--for", "x", "--count", "3"]);
    assert!(!solved.contains("v0"), "{solved}");
}

/// Indices of a kernel that go up and down in a loop, and lengths of buffers that a number bounds.
#[test]
fn indices_and_lengths_are_harvested() {
    let dir = tempfile::tempdir().unwrap();
    let harvest = |text: &str| {
        std::fs::write(dir.path().join("f.rise"), text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        command.args(["synth", "--harvest", "."]);
        let out = command.current_dir(dir.path()).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        assert_eq!(out.status.code(), Some(0), "{text}");
        text
    };
    // Each number twice: of two in turn, the same one, in the loops that the passes made.
    let out = harvest(
        "def f [n : nat] (xs : n.f32) : (2*n+2).f32 =
           (padClamp[1, 1] xs : (n+2).f32) |> map (\\x -> makeArray[2] x x) |> join
             |> slide[3, 1] |> map (reduce (+) 0.0)",
    );
    assert!(out.contains("\n(i7 + i8) % 2  where "), "{out}");
    // The loop runs as often as the buffer is long, so that is there twice.
    let out = harvest(
        "def f [n : nat] (xs : n.f32) : (n % 4).f32 =
           let ys = toMem (take[n % 4] xs |> map (\\x -> x * 2.0)) in
           ys |> map (\\y -> y + reduce (+) 0.0 ys)",
    );
    assert!(out.contains("\nn % 4  where (0 <= n)\n"), "{out}");
    assert!(out.contains("left out: 1 seen before"), "{out}");
}

#[test]
fn a_rule_that_is_left_out_is_superfluous_found_again_covered_by_cases_or_lost() {
    let own = rules(
        "rule cancel  x + y - x => y\nrule three  x + 3 - x => 3\nrule odd  x * x / (x * x + 1 + y * y) => 0\nrule out  select(b, x * y, x * z) => select(b, y, z) * x",
    );
    let tools = quick();
    assert_eq!(synth::again(&own, 1, &tools), Again::Superfluous);
    assert_eq!(synth::again(&own, 0, &tools), Again::Found);
    let without = Tools {
        limits: tools.limits,
        ..Tools::default()
    };
    assert_eq!(synth::again(&own, 2, &without), Again::Cases);
    assert_eq!(synth::again(&own, 3, &without), Again::Lost);
}

/// EACH-th rule of the shipped ones, from FROM on.
#[test]
#[ignore = "minutes; a measurement: which of the shipped rules are found again without them"]
fn shipped_rules_are_found_again() {
    let number = |name: &str, default: usize| {
        std::env::var(name).map_or(default, |n| n.parse().expect("a number"))
    };
    let (each, from) = (number("EACH", 1), number("FROM", 0));
    let (all, tools) = (shipped(), quick());
    // Left sides of synthesis are of single values, so rules about vectors are counted apart.
    let (mut counts, mut vectors): (BTreeMap<Again, usize>, BTreeMap<Again, usize>) =
        Default::default();
    for i in (from..all.len()).step_by(each) {
        let found = synth::again(&all, i, &tools);
        let counts = match all[i].has_vectors() {
            true => &mut vectors,
            false => &mut counts,
        };
        *counts.entry(found).or_default() += 1;
        if found == Again::Lost {
            println!(
                "lost: {}  {}  =>  {}  where {}",
                all[i].name, all[i].lhs, all[i].rhs, all[i].condition
            );
        }
    }
    println!("single values: {counts:?}; vectors: {vectors:?}");
    let of = |a: Again| counts.get(&a).copied().unwrap_or(0);
    let good = of(Again::Superfluous) + of(Again::Found) + of(Again::Cases);
    assert!(good * 100 >= (good + of(Again::Lost)) * 85, "{counts:?}");
}

/// Completion: pairs that come apart become rules, and those that they bring rules in the next round.
#[test]
fn critical_pairs_are_joined_by_rules() {
    let own = rules(
        "rule plus-one  x < y + 1 => x <= y\nrule consts  x + c0 < y + c1 => x < y + (c1 - c0)\n\
         rule min-lt  min(x, y) < y => x < y\nrule twice  x + c0 + c1 => x + (c0 + c1)",
    );
    let tools = Tools {
        limits: quick().limits,
        ..Tools::default()
    };
    let options = Options {
        budget: 40,
        rounds: 2,
        ..Options::default()
    };
    let joined = synth::join(&own, &tools, &options, &mut |_| {});
    assert!(joined.before.1 >= 5, "{:?}", joined.before);
    assert!(joined.left * 2 < joined.before.1, "{}", joined.left);
    let texts: Vec<String> = (joined.outcome.found.iter())
        .map(|f| synth::text("r", f.rule.lhs, f.rule.rhs, f.rule.condition))
        .collect();
    let expected = "rule r  x <= y + c0  =>  x < y + (c0 + 1)";
    assert!(texts.iter().any(|t| t == expected), "{texts:?}");
    // What is written can be read, and both results of each pair are the same by then.
    let all: Vec<Rule> = (own.iter().cloned())
        .chain(joined.outcome.found.iter().map(|f| f.rule.clone()))
        .collect();
    let (_, open) = rise_opt::termination::critical_pairs(&all, &mut |_| {});
    assert_eq!(open.len(), joined.after.1);
    for f in &joined.outcome.found {
        assert!(f.place.starts_with("a critical pair of "), "{}", f.place);
        assert!(f.fires > 0);
    }
    // With nothing to join, nothing is found.
    let one = rules("rule same  min(x, x) => x");
    assert_eq!(synth::join(&one, &tools, &options, &mut |_| {}).before.1, 0);
}

#[test]
fn fewer_rules_do_as_well() {
    let own = rules(
        "rule cancel  x + y - x => y\nrule three  x + 3 - x => 3\nrule same  min(x, x) => x\nrule idle  x * 0 => 0",
    );
    let question = |text: &str| Question {
        e: left(text).lhs,
        facts: Vec::new(),
        place: String::new(),
    };
    let corpus = ["a + 3 - a", "a + b - a", "min(min(a, a), b)"].map(question);
    let found = synth::minimise(&corpus, &[], &own, None, &mut |_| {});
    let names: Vec<&str> = found.kept.iter().map(|k| k.0.name.as_str()).collect();
    assert_eq!(names, ["cancel", "same"]);
    assert_eq!(found.few.decided, found.all.decided);
    assert!(found.few.size == found.all.size && found.all.size < found.none.size);
    // Rules of a solver keep what is solved.
    let own =
        rules("rule less  t0 + n0 < n1 => t0 < n1 - n0\nrule three  t0 + 3 < n1 => t0 < n1 - 3");
    let corpus = [question("x + a < b"), question("x + 3 < b")];
    let found = synth::minimise(&corpus, &[], &own, Some(Symbol::new("x")), &mut |_| {});
    assert_eq!((found.kept.len(), found.few.decided), (1, 2));
}

/// Rules of the solver from nothing but an order: proved, and each nearer to a solution.
#[test]
fn rules_of_a_solver_are_found() {
    let tools = quick();
    if tools.solvers.is_empty() {
        return;
    }
    let question = |text: &str| Question {
        e: left(text).lhs,
        facts: Vec::new(),
        place: String::new(),
    };
    let corpus = [
        question("x + a < b"),
        question("x * 4 < b"),
        question("min(x, a) < b"),
        question("x * 4 == b"),
    ];
    let options = Options {
        budget: 40,
        rounds: 2,
        ..Options::default()
    };
    for (order, expected) in [
        (
            Order::Gradual,
            &[
                "t0 < n1 - n0",
                "t0 <= (n0 - 1) / c0  where c0 > 0",
                "t0 < n1 || n0 < n1",
            ][..],
        ),
        (
            Order::Goal,
            &["t0 < n1 - n0", "t0 <= (n0 - 1) / c0  where c0 > 0"],
        ),
    ] {
        let aim = Aim {
            target: Symbol::new("x"),
            order,
        };
        let found = synth::synthesise_solver(&corpus, aim, &[], &tools, &options, &mut |_| {});
        let texts: Vec<String> = (found.found.iter())
            .map(|f| synth::text("r", f.rule.lhs, f.rule.rhs, f.rule.condition))
            .collect();
        for e in expected {
            assert!(
                texts.iter().any(|t| t.ends_with(&format!("=>  {e}"))),
                "{e}: {texts:?}"
            );
        }
        for f in &found.found {
            assert!(decreases(order, f.rule.lhs, f.rule.rhs), "{}", f.rule.name);
        }
        // A choice is nearer, and no solution.
        let choice = texts.iter().any(|t| t.contains("||"));
        assert_eq!(choice, order == Order::Gradual, "{texts:?}");
    }
}

#[test]
fn every_shipped_rule_of_the_solver_is_proved() {
    let mut sources = SourceMap::new();
    let certificates = CertificateFile::beside("rules/solver.certificates", &mut sources).unwrap();
    let rules = shipped_list();
    let tools = Tools {
        certificates,
        limits: Limits {
            points: 200,
            ..Limits::default()
        },
        ..Tools::default()
    };
    for rule in &rules {
        let proved = matches!(rise_opt::verify::alone(rule, &tools), Verdict::Proved(_));
        assert!(proved, "{}", rule.name);
    }
}

/// Rules of the files that `RULES` names, separated by `:`, at `POINTS` points, and by each solver alone.
#[test]
#[ignore = "minutes; a measurement: proved rules at a million points and by each solver"]
fn proved_rules_hold_at_many_points() {
    let named = std::env::var("RULES").unwrap_or("rules/index.rules:rules/solver.rules".into());
    let points = std::env::var("POINTS").map_or(1_000_000, |p| p.parse().unwrap());
    let mut all = Vec::new();
    for path in named.split(':') {
        let mut sources = SourceMap::new();
        let file = sources.load(path).unwrap();
        all.extend(load_rules(&sources, file).unwrap());
    }
    let differ: Vec<String> = (all.iter())
        .filter(|r| rise_opt::verify::try_points(r, points).differs.is_some())
        .map(|r| r.name.to_string())
        .collect();
    println!(
        "{} rules, {points} points each: {differ:?} differ",
        all.len()
    );
    for solver in solvers() {
        let name = solver.name;
        let tools = Tools {
            solvers: vec![solver],
            ..quick()
        };
        let mut counts = [0; 3];
        for rule in &all {
            let kind = match alone(rule, &tools) {
                Verdict::Proved(proved) if proved.by.starts_with(name) => 0,
                Verdict::Proved(_) => 1,
                Verdict::Unknown(_) => 2,
                Verdict::Refuted(at) => panic!("{} is refuted at {at:?}", rule.name),
            };
            counts[kind] += 1;
        }
        let [by, without, unknown] = counts;
        println!("{name} proves {by}, {without} need no solver, {unknown} are unknown");
    }
    assert!(differ.is_empty());
}
