//! Verdicts on rules over arrays.

use crate::common::share;
use rise_opt::elab::{self, Cond, RuleDecl};
use rise_opt::interp::random::Rng;
use rise_opt::obligation::Assumption;
use rise_opt::rule::instance::test_rule;
use rise_opt::source::SourceMap;
use rise_opt::verify::arrays::{prove, verify_rule, Verdict, INSTANCES};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;

fn shipped() -> Vec<(String, Rc<RuleDecl>)> {
    let mut sources = SourceMap::new();
    let known = elab::shipped_rules(&mut sources);
    known
        .into_iter()
        .map(|k| (format!("{} of {}", k.rule.name, k.file), k.rule))
        .collect()
}

/// Whether what is assumed is said by the conditions, or that explicit sizes are positive.
fn is_said(rule: &RuleDecl, assuming: &[Assumption]) -> bool {
    let explicit: Vec<String> = (rule.size_params.iter())
        .map(|k| format!("{k} >= 1"))
        .collect();
    let divides = rule.conds.iter().any(|c| matches!(c, Cond::Divides(..)));
    let assumes = rule.conds.iter().any(|c| matches!(c, Cond::Assume(_)));
    let said = |a: &Assumption| match a {
        Assumption::Divides(..) => divides,
        Assumption::NotNegative(_) => assumes || explicit.contains(&a.to_string()),
    };
    assuming.iter().all(said)
}

/// Rules whose left side says by the form of a size what is assumed: what matches `n + 1` is at least 1, an array has the
/// halo of its windows, and blocks of offsets have a last one of their own.
const BY_FORM: [&str; 17] = [
    "slide-after-take",
    "slide-after-drop",
    "slide-slide",
    "slide-tile",
    "map-slide-tile",
    "pad-clamp-parts",
    "slide-pad-clamp-interior",
    "slide-pad-cst-interior",
    "map-pad-clamp",
    "iterate-peel-first",
    "iterate-peel-last",
    "reduce-vectors-idempotent",
    "reduce-rows-named-idempotent",
    "reduce-seq-last",
    "segments-blocks",
    "reduce-lanes-peeled",
    "reduce-lanes-from-last",
];

#[test]
fn every_shipped_rule_is_proved() {
    let (mut open, mut unsaid) = (Vec::new(), Vec::new());
    for (at, rule) in shipped() {
        match prove(&rule) {
            Ok(assuming) => {
                let by_form = BY_FORM.contains(&rule.name.as_str());
                let said = is_said(&rule, &assuming);
                if said == by_form {
                    unsaid.push(format!("{at}: {assuming:?}"));
                }
            }
            Err(why) => open.push(format!("{at}: {why}")),
        }
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
    assert!(unsaid.is_empty(), "{}", unsaid.join("\n"));
}

/// A file of one rule.
fn rule_of(text: &str) -> Option<Rc<RuleDecl>> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("rule.rules", text);
    let mut rules = elab::rule_decls(&mut sources, file).ok()?;
    (rules.len() == 1).then(|| rules.remove(0))
}

/// The texts of the rules of the shipped books and of the right ones by hand, each alone.
fn texts() -> Vec<String> {
    let mut out = Vec::new();
    for path in SourceMap::shipped().filter(|p| p.ends_with(".rules")) {
        let mut sources = SourceMap::new();
        let file = sources.load_shipped(path).unwrap();
        let text = sources.file(file).text.to_string();
        if text.contains("domain scalar") {
            continue;
        }
        out.extend(rules_of(&text));
    }
    assert!(out.len() > 40);
    for path in files("right") {
        out.extend(rules_of(&std::fs::read_to_string(path).unwrap()));
    }
    assert!(out.len() > 350);
    out
}

/// The texts of the rules of a file.
fn rules_of(text: &str) -> Vec<String> {
    let (mut out, mut rule): (Vec<String>, Option<String>) = (Vec::new(), None);
    for line in text.lines().chain(["ruleset"]) {
        if line.starts_with("rule ") {
            rule = Some(String::new());
        } else if !line.starts_with("  ") || line.trim().is_empty() {
            out.extend(rule.take());
        }
        if let Some(rule) = &mut rule {
            *rule += line;
            *rule += "\n";
        }
    }
    out
}

/// The text with one place of the right side, or one condition, changed.
fn mutants(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let right = text.find("=>").unwrap() + 2;
    let conditions = text.find("\n  where").unwrap_or(text.len());
    let words = [
        ("fst", "snd"),
        ("snd", "fst"),
        ("transpose ", ""),
        ("transpose", "(\\q -> q)"),
        ("xs", "(reverse xs)"),
        ("(reduceSeq op", "(reduceSeq (\\p q -> op q p)"),
        ("op acc", "(\\p q -> op q p) acc"),
        ("zip acc y", "zip y acc"),
        ("zip a b", "zip b a"),
        ("acc ys", "e ys"),
        ("op e ys", "op acc ys"),
        ("(split[k]", "(map reverse <| split[k]"),
        ("split[k] xs", "transpose (split[n/k] xs)"),
        ("split[k] xs", "reverse (split[k] xs)"),
        ("join (", "join (reverse ("),
        ("map f", "map (\\q -> f (f q))"),
        ("map f", "\\q -> q"),
        ("asVector[k]", "asVector[k] <| reverse <|"),
        ("e", "(reverse e)"),
        ("gx", "f"),
        ("[k] a", "[k] b"),
        ("padClamp[0, ", "padClamp[1, -1 + "),
        ("padClamp[l, r] a", "padClamp[r, l] a"),
        ("take[n] (", "take[n] (reverse <| "),
        ("(xs)", "(reverse xs)"),
        ("ex", "(op ex ex)"),
        ("(fst u)", "(map (\\q -> q + 1.0) (fst u))"),
        ("op acc", "(\\p q -> p) acc"),
        ("(\\x -> f (g x))", "(\\x -> f (f (g x)))"),
        ("f acc (g x)", "f (f acc (g x)) (g x)"),
        (" + ", " - "),
        (" < ", " <= "),
        ("min", "max"),
        ("take", "drop"),
        ("[l, r]", "[r, l]"),
        ("0", "1"),
        ("(k*", "((k + 1)*"),
        ("and ", "or "),
        ("neg ", ""),
    ];
    // What combines the same again as once may be taken to have combined all of it.
    let once = ["max", "min", "and ", "or ", "idempotent"];
    let again = once.iter().any(|op| text.contains(op));
    let fewer = [("xs", "(take[1] xs)"), ("ys", "(take[1] ys)")];
    let words = words.into_iter().chain(fewer.into_iter().filter(|_| again));
    for (from, to) in words {
        for (i, _) in text[right..conditions].match_indices(from) {
            let at = right + i;
            out.push(format!("{}{to}{}", &text[..at], &text[at + from.len()..]));
        }
    }
    if let Some(conditions) = text.get(conditions + 8..) {
        let head = &text[..text.len() - conditions.len()];
        let all: Vec<&str> = conditions.trim().split(", ").collect();
        for i in 0..all.len() {
            let mut rest = all.clone();
            rest.remove(i);
            out.push(match rest.is_empty() {
                true => head[..head.len() - 8].to_string(),
                false => format!("{head} {}\n", rest.join(", ")),
            });
        }
    }
    out
}

/// One mutant of six: instances of them take the time.
#[test]
fn no_mutant_that_an_instance_refutes_is_proved() {
    let (mut typed, mut refuted) = (0, 0_u64);
    let mut wrong = Vec::new();
    let all: BTreeSet<String> = texts().iter().flat_map(|t| mutants(t)).collect();
    for mutant in share::one(all, 0, 6) {
        let Some(rule) = rule_of(&mutant) else {
            continue;
        };
        typed += 1;
        // What no instance refutes may be proved or not.
        if test_rule(&rule, 60, 1).refuted.is_some() {
            refuted += 1;
            if prove(&rule).is_ok() {
                wrong.push(mutant);
            }
        }
    }
    eprintln!("{typed} mutants, {refuted} refuted");
    assert!(wrong.is_empty(), "proved, and wrong: {}", wrong.join("\n"));
    assert!(
        refuted > share::half(60),
        "only {refuted} of {typed} mutants are refuted"
    );
}

/// What mistakes of several places are made of, beside those above: parts of an array instead of the whole one.
fn parts(text: &str) -> Vec<String> {
    let right = text.find("=>").unwrap() + 2;
    let conditions = text.find("\n  where").unwrap_or(text.len());
    let words = [
        ("xs", "(take[1] xs)"),
        ("xs", "(drop[1] xs)"),
        ("xs", "(fill[1] (at[0] xs))"),
        ("ys", "(take[1] ys)"),
        ("zs", "(drop[1] zs)"),
        ("is", "(reverse is)"),
        ("reduce op e ", "op e (at[0] "),
        ("reduceSeq op e ", "op e (at[0] "),
        ("reduce max e ", "max e (at[0] "),
        ("reduce (+) 0 ", "at[0] ("),
        ("at[0]", "at[1]"),
        ("k*", "2*"),
        ("[k]", "[1]"),
        ("m", "1"),
        ("+", "*"),
        ("max", "(\\p q -> p)"),
    ];
    let mut out = Vec::new();
    for (from, to) in words {
        for (i, _) in text[right..conditions].match_indices(from) {
            let at = right + i;
            let closes = to.matches('(').count() > to.matches(')').count();
            let tail = &text[at + from.len()..];
            let end = tail.find("\n").unwrap_or(tail.len());
            let (line, rest) = tail.split_at(if closes { end } else { 0 });
            let close = if closes { ")" } else { "" };
            out.push(format!("{}{to}{line}{close}{rest}", &text[..at]));
        }
    }
    out
}

/// Mistakes at two places. `SEED=1 COUNT=100000 cargo test --test all array_rules:: -- --ignored --nocapture`
#[test]
#[ignore]
fn no_mutant_of_a_mutant_that_an_instance_refutes_is_proved() {
    let number = |name: &str, or: u64| {
        let given = std::env::var(name).ok().and_then(|n| n.parse().ok());
        given.unwrap_or(or)
    };
    let (mut rng, count) = (Rng::new(number("SEED", 1)), number("COUNT", 5_000));
    let texts = texts();
    let (mut typed, mut proved) = (0, 0);
    let mut wrong = BTreeSet::new();
    for _ in 0..count {
        let mut text = rng.pick(&texts).clone();
        for _ in 0..=rng.below(2) {
            let mut all = parts(&text);
            if rng.one_in(2) || all.is_empty() {
                all = mutants(&text);
            }
            if !all.is_empty() {
                text = rng.pick(&all).clone();
            }
        }
        let Some(rule) = rule_of(&text) else { continue };
        typed += 1;
        if prove(&rule).is_ok() {
            proved += 1;
            if test_rule(&rule, 200, 1).refuted.is_some() {
                wrong.insert(text);
            }
        }
    }
    let all: Vec<String> = wrong.into_iter().collect();
    eprintln!("{typed} of {count} have types, {proved} are proved");
    assert!(all.is_empty(), "proved, and wrong: {}", all.join("\n"));
}

/// Wrong rules, one mistake each.
const PLANTED: [(&str, &str); 20] = [
    ("split and join swapped", "rule r [k : nat]
  join (map (map f) (split[k] (xs : n.s)))  =>  join (transpose (map (map f) (split[k] xs)))
  where k divides n"),
    ("rows and columns of blocks", "rule r [k : nat]
  split[k] (xs : n.s)  =>  transpose (split[n/k] xs)
  where k divides n"),
    ("a step of slide too far", "rule r [k : nat]
  map (reduceSeq op e) (slide[3, 1] (xs : (2*n + 3).s))  =>  map (reduceSeq op e) (take[1 + 2*n] (concat (slide[3, 2] xs) (slide[3, 2] xs)))"),
    ("a window of slide that starts one later", "rule r
  slide[2, 1] (xs : (n + 2).s)  =>  slide[2, 1] (concat (drop[1] xs) (take[1] xs))"),
    ("fission of a function that mentions the variable", "rule r
  map (\\(x : s) -> f (gx : s)) (xs : n.s)  =>  map (\\(x : s) -> f x) (map (\\x -> gx) xs)"),
    ("a blocked reduction by subtraction", "rule r [k : nat]
  reduce (\\a x -> a - x) (e : i32) (xs : n.i32)  =>  reduceSeq (\\acc ys -> acc - reduce (\\a x -> a - x) e ys) e (split[k] xs)
  where k divides n"),
    ("a blocked reduction with a wrong start", "rule r [k : nat]
  reduce op e (xs : n.t)  =>  reduceSeq (\\acc -> \\ys -> op acc (reduce op e ys)) e (split[k] xs)
  where associative op, k divides n"),
    ("a transposition without its partner", "rule r
  map (map (map f)) (xs : n.n.m.s)  =>  map (map (map f)) (transpose xs)"),
    ("a lifted sum whose operator does not add", "rule r
  map (\\x -> fst x + reduceSeq op 0 (snd x)) (xs : n.(i32, m.s))  =>  (\\u -> reduceSeq (\\acc y -> map (\\z -> op (fst z) (snd z)) (zip acc y)) (fst u) (transpose (snd u))) (unzip xs)
  where x not in op"),
    ("an operator with its operands exchanged", "rule r
  reduceSeq (op : t -> t -> t) e  =>  reduceSeq (\\a x -> op x a) e"),
    ("the last element padded with the first", "rule r
  padClamp[0, 1] (xs : n.s)  =>  concat xs (take[1] xs)"),
    ("a sum that counts its last element twice", "rule r [k : nat]
  reduceSeq (op : t -> t -> t) e (xs : n.t)  =>  reduceSeq op e (padClamp[0, k*ceil(n, k)-n] xs)
  where associative op, commutative op"),
    ("a maximum filled up with zeros", "rule r [k : nat]
  reduceSeq max (e : i32) (xs : n.i32)  =>  reduceSeq max e (padCst[0, k*ceil(n, k)-n] 0 xs)"),
    ("elements taken that the left side promises, in another order", "rule r
  take[6] (xs : n.s)  =>  reverse (take[6] xs)"),
    ("a reduction from the other end without a commutative operator", "rule r
  reduce op e (xs : n.t)  =>  reduce op e (reverse xs)
  where associative op, identity e op"),
    ("a reduction of blocks in another order", "rule r [k : nat]
  reduce op e (xs : n.t)  =>  reduce op e (join (reverse (split[k] xs)))
  where associative op, k divides n"),
    ("an associative operator taken to be idempotent", "rule r
  reduce op e (xs : n.t)  =>  reduce op e (concat xs xs)
  where associative op, commutative op, identity e op"),
    ("a commutative operator taken to associate", "rule r [k : nat]
  reduce op e (xs : n.t)  =>  reduce op e (map (reduce op e) (split[k] xs))
  where commutative op, identity e op, k divides n"),
    ("a regrouped sum of floats", "rule r
  map (\\x -> fst x + (fst (snd x) + snd (snd x))) (xs : n.(f32, (f32, f32)))  =>  map (\\x -> (fst x + fst (snd x)) + snd (snd x)) xs"),
    ("a scan from the other end", "rule r
  scanSeq f e (xs : n.s)  =>  reverse (scanSeq f e (reverse xs))"),
];

#[test]
fn planted_mistakes_are_refuted() {
    let mut missed = Vec::new();
    for (what, text) in PLANTED {
        let Some(rule) = rule_of(text) else {
            let mut sources = SourceMap::new();
            let file = sources.add_text("rule.rules", text);
            missed.push(format!(
                "{what}: {:?}",
                elab::rule_decls(&mut sources, file)
            ));
            continue;
        };
        match verify_rule(&rule, INSTANCES) {
            Verdict::Refuted(_) => {}
            other => missed.push(format!("{what}: {other:?}")),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// An instance has the sizes that the left side speaks of, those that its primitives leave implicit included.
#[test]
fn instances_have_a_meaning() {
    for text in [
        "rule r
  take[6] (xs : n.s)  =>  map (\\i -> idx i xs) (generate[6] (\\i -> cast (cast i : i32) : idx[n]))",
        "rule r
  drop[3] (xs : n.s)  =>  map (\\x -> x) (drop[3] xs)",
        "rule r
  at[4] (xs : n.s)  =>  at[0] (drop[4] xs)",
    ] {
        let rule = rule_of(text).expect(text);
        let tested = test_rule(&rule, 200, 3);
        assert!(tested.refuted.is_none(), "{text}: {:?}", tested.refuted);
        assert!(tested.agreed > 100, "{text}: {} agreed", tested.agreed);
    }
}

/// True rules that no book has: each needs something of the element semantics, or of the schemas.
const TRUE: [(&str, &str); 14] = [
    ("slide of a map", "rule r
  slide[3, 2] (map f (xs : (2*n + 3).s))  =>  map (map f) (slide[3, 2] xs)"),
    ("a split of a split", "rule r [k : nat]
  join (map join (map (split[k]) (xs : n.(m*k).s)))  =>  join xs"),
    ("a reduction of a concatenation", "rule r
  reduceSeq op e (concat (xs : n.s) (ys : m.s))  =>  reduceSeq op (reduceSeq op e xs) ys"),
    ("a reduction of joined blocks", "rule r
  reduceSeq op e (join (xs : n.m.s))  =>  reduceSeq (\\acc ys -> reduceSeq op acc ys) e xs"),
    ("partial reductions", "rule r [k : nat]
  reduce op e (xs : n.t)  =>  reduce op e (map (reduce op e) (split[k] xs))
  where associative op, identity e op, k divides n"),
    ("two reductions in one", "rule r
  pair (reduceSeq f a (xs : n.s)) (reduceSeq g b xs)  =>  reduceSeq (\\acc x -> pair (f (fst acc) x) (g (snd acc) x)) (pair a b) xs"),
    ("a scan of a map", "rule r
  scanSeq f e (map g (xs : n.s))  =>  scanSeq (\\x acc -> f (g x) acc) e xs"),
    ("reversed twice", "rule r
  reverse (reverse (xs : n.s))  =>  map (\\x -> x) xs"),
    ("a gathered map", "rule r
  gather is (map f (xs : n.s))  =>  map f (gather is xs)"),
    ("a map of a choice", "rule r
  map f (select c (xs : n.s) ys)  =>  select c (map f xs) (map f ys)"),
    ("a map of what is padded", "rule r [l : nat]
  map f (padCst[l, l] x (xs : n.s))  =>  padCst[l, l] (f x) (map f xs)"),
    ("sums that are added", "rule r
  map (\\x -> fst x + reduceSeq (\\a y -> a + y * y) 0 (snd x)) (xs : n.(i32, m.i32))  =>  map (\\x -> reduceSeq (\\a y -> a + y * y) (fst x) (snd x)) xs"),
    ("reduction in any order by blocks of columns", "rule r [k : nat]
  reduceSeq op e (xs : n.s)  =>  reduceSeq op e (join (split[k] xs))
  where k divides n"),
    ("an exchanged loop over lanes", "rule r [k : nat]
  asScalar (asVector[k] (xs : n.f32))  =>  xs
  where k divides n"),
];

#[test]
fn true_rules_of_other_forms_are_proved() {
    let mut missed = Vec::new();
    for (what, text) in TRUE {
        let mut sources = SourceMap::new();
        let file = sources.add_text("rule.rules", text);
        match elab::rule_decls(&mut sources, file) {
            Ok(rules) => match verify_rule(&rules[0], 60) {
                Verdict::Proved { assuming } if is_said(&rules[0], &assuming) => {}
                other => missed.push(format!("{what}: {other:?}")),
            },
            Err(e) => missed.push(format!("{what}: {e:?}")),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

const OWN: &str = "\
rule wrong
  map f (xs : n.s)  =>  map f (reverse xs)

rule hard
  reduceSeq (\\a x -> a + x) (e : f32) (reverse (xs : n.f32))  =>  reduceSeq (\\a x -> a + x) e (reverse xs)

rule open
  scatter (concat (is : n.idx[m]) (concat (js : n.idx[m]) is)) (concat (xs : n.s) (concat ys xs))  =>  scatter (concat js is) (concat ys xs)
";

/// Exit code, standard output and standard error of a command in a folder that has the rules above.
fn run(args: &[&str], sketch: &str) -> (Option<i32>, String, String) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("own.rules"), OWN).unwrap();
    std::fs::write(dir.path().join("own.sk"), sketch).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_rise-opt"))
        .args(args)
        .current_dir(dir.path())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

#[test]
fn verify_tells_what_is_known_of_each_rule() {
    let (code, out, err) = run(&["verify", "own.rules"], "");
    assert_eq!(code, Some(4), "{err}");
    assert!(
        out.starts_with("3 rules: 1 proved, 1 refuted, 1 unknown"),
        "{out}"
    );
    for part in [
        "error[E0671]: the rule `wrong` is wrong",
        "= note: xs is [",
        "= note: the left side is [",
        "error[E0672]: the rule `open` is neither",
        "not shown: a reduction of `3*m` steps stands on the left, one of `2*m` on the right",
        "= help: write lengths that are parts or multiples of each other, such as `(m*k)` and `m`",
        "agree on 1000 random instances",
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
    let (code, out, err) = run(&["verify", "own.rules", "--rule", "hard"], "");
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("1 rules: 1 proved"), "{out}");
}

#[test]
fn a_rule_that_cannot_be_read_leaves_the_others_their_verdicts() {
    let broken = "rule broken
  map f xs  =>  map g xs

";
    let text = format!("{broken}{OWN}");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("own.rules"), text).unwrap();
    let run = |command: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_rise-opt"))
            .args([command, "own.rules"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (out.status.code(), text(out.stdout), text(out.stderr))
    };
    let (code, out, err) = run("verify");
    assert!(code == Some(1) || code == Some(4), "{code:?} {err}");
    assert!(
        out.starts_with("3 rules: 1 proved, 1 refuted, 1 unknown"),
        "{out}"
    );
    assert!(
        err.contains("own.rules:2") && err.contains("E0671"),
        "{err}"
    );
    let (code, _, err) = run("check");
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.contains("own.rules:2") && err.contains("E0675"),
        "{err}"
    );
}

#[test]
fn a_sketch_uses_rules_that_are_proved_and_others_only_where_that_is_allowed() {
    let program = "programs/dot.rise";
    let using = |rule: &str| format!("use \"own.rules\" ({rule})\nsketch contains (app map ?)\n");
    let main = [program, "--sketch", "own.sk", "-o", "dot.c"];
    let allowing = [&main[..], &["--allow-unverified"]].concat();

    let (code, out, err) = run(&main, &using("hard"));
    assert_eq!(code, Some(0), "{err}");
    assert!(!out.contains("without a verdict"), "{out}");

    for args in [&main[..], &allowing] {
        let (code, _, err) = run(args, &using("wrong"));
        assert_eq!(code, Some(1), "{err}");
        assert!(
            err.contains("E0675") && err.contains("own.rules:1:6"),
            "{err}"
        );
    }
    let (code, _, err) = run(&main, &using("open"));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("E0676"), "{err}");
    let (code, out, err) = run(&allowing, &using("open"));
    assert_eq!(code, Some(0), "{err}");
    // No step uses it; tests/plan/basis.rs has one that does.
    assert!(!out.contains("without a verdict"), "{out}");

    let (code, _, err) = run(&["check", "own.rules"], "");
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("E0675") && !err.contains("E0676"), "{err}");
}

/// A rule may stand in a step, and is proved as any other; what its sides say is no sketch: `or` is the operation there.
#[test]
fn a_step_may_have_rules_of_its_own() {
    let main = ["programs/dot.rise", "--sketch", "own.sk", "-o", "dot.c"];
    let step = |rule: &str| format!("step turn\n{rule}\nsketch contains (app map ?)\n");
    let turned = "rule turned\n  or (a : bool) b  =>  or b a\n";
    let (code, _, err) = run(&main, &step(turned));
    assert_eq!(code, Some(0), "{err}");
    let (code, _, err) = run(&["fmt", "--check", "own.sk"], &step(turned));
    assert_eq!(code, Some(0), "{err}");

    let (code, _, err) = run(&main, &step(&turned.replace("or b a", "and b a")));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("E0675") && err.contains("own.sk:2:6"), "{err}");

    let sized = "rule parts [k : nat]\n  split[k] (map f xs)  =>  map (map f) (split[k] xs)\n";
    let (code, _, err) = run(&main, &step(sized));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("needs sizes"), "{err}");

    let (code, _, err) = run(&main, &step(&turned.repeat(2)));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("already"), "{err}");
}

fn files(folder: &str) -> Vec<PathBuf> {
    let path = format!("{}/tests/rules/{folder}", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(&path).expect(&path);
    let mut files: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

/// The rules of the files of a folder below `tests/rules`: the folder says what they are.
fn corpus(folder: &str) -> Vec<Rc<RuleDecl>> {
    let mut rules = Vec::new();
    for file in files(folder) {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut sources = SourceMap::new();
        let id = sources.add_text(file.to_str().unwrap(), &text);
        let (read, errors) = elab::readable_rules(&mut sources, id);
        assert!(errors.is_empty(), "{}: {errors:?}", file.display());
        rules.extend(read);
    }
    rules
}

/// No wrong rule is proved, and few right ones are not.
#[test]
fn right_rules_are_proved_and_no_wrong_one_is() {
    let (right, wrong) = (corpus("right"), corpus("wrong"));
    let mut open = Vec::new();
    for rule in &right {
        match verify_rule(rule, 100) {
            Verdict::Proved { .. } => {}
            Verdict::Refuted(c) => panic!("{} is right, but: {c}", rule.name),
            Verdict::Unknown { why, .. } => open.push(format!("{}: {why}", rule.name)),
        }
    }
    let (mut believed, mut missed) = (Vec::new(), Vec::new());
    for rule in &wrong {
        match verify_rule(rule, 1000) {
            Verdict::Proved { .. } => believed.push(rule.name.to_string()),
            Verdict::Refuted(_) => {}
            Verdict::Unknown { .. } => missed.push(rule.name.to_string()),
        }
    }
    eprintln!(
        "right: {} of {} proved; wrong: {} of {} proved, {} refuted\nnot proved:\n  {}\nnot refuted: {}",
        right.len() - open.len(),
        right.len(),
        believed.len(),
        wrong.len(),
        wrong.len() - believed.len() - missed.len(),
        open.join("\n  "),
        missed.join(", ")
    );
    assert!(believed.is_empty(), "wrong, and proved: {believed:?}");
    assert!(open.len() * 20 <= right.len(), "{}", open.join("\n"));
}

/// A proof uses what a rule asks for: a bound of a size, the permission to regroup, what an operator is.
#[test]
fn no_rule_is_proved_without_what_it_asks_for() {
    let asked = [
        ("updates-at-i32", "assume"),
        ("reduce-weights", "associative"),
        ("reduce-weights", "equal"),
        ("reduce-weighted-sums-peeled", "equal"),
        ("linear-start", "associative"),
        ("linear-start-last", "associative"),
        ("power-parts", "associative"),
    ];
    let all = shipped();
    for (name, left_out) in asked {
        let known = (all.iter()).find(|(_, rule)| rule.name.to_string() == name);
        let (at, rule) = known.expect("a shipped rule");
        assert!(prove(rule).is_ok(), "{at}");
        let mut less = RuleDecl::clone(rule);
        less.conds.retain(|c| word(c) != left_out);
        assert_eq!(less.conds.len() + 1, rule.conds.len(), "{at}");
        assert!(prove(&Rc::new(less)).is_err(), "{at}");
    }
}

/// The word with which a condition begins, of those that are left out.
fn word(c: &Cond) -> &str {
    match c {
        Cond::Law(claim) => claim.law.name,
        Cond::Assume(_) => "assume",
        _ => "",
    }
}

/// What a proof lacks, and one next step, of rules that are right or nearly so.
const GAPS: [(&str, &str, &str); 9] = [
    ("rule r
  reduce op e (reverse (xs : n.t))  =>  reduce op e xs
  where associative op",
    "the proof needs that `op` is commutative",
    "add `where commutative op`"),
    ("rule r
  reduce op e (reverse (xs : n.t))  =>  reduce op e xs",
    "the proof needs that `op` is associative and `op` is commutative",
    "add `where associative op, commutative op`"),
    ("rule r [k : nat]
  reduce op z (xs : (m*k).t)  =>  reduce op z (map (reduce op z) (split[k] xs))
  where associative op",
    "the proof needs that the start is an identity of `op`",
    "add `where identity z op`"),
    ("rule r
  reduceSeq (\\a x -> a + x) (e : f32) (reverse (xs : n.f32))  =>  reduceSeq (\\a x -> a + x) e xs",
    "the proof regroups `add` of floats, which rounds in another way",
    "match the operator as `op` with `where associative op`, which holds in steps with `permit reassociate`"),
    ("rule r
  map f (reverse (xs : n.s))  =>  map f xs",
    "the left side has element `n - i - 1` of `xs`, the right side element `i`",
    "compare the two indices at small sizes, or say with `where` how the sizes are related"),
    ("rule r
  reduceSeq op e (concat (xs : n.s) (ys : m.s))  =>  reduceSeq op e xs",
    "a reduction of `m + n` steps stands on the left, one of `n` on the right",
    "write lengths that are parts or multiples of each other, such as `(m*k)` and `m`"),
    ("rule r
  map (\\x -> sqrt (x * c)) (xs : n.f32)  =>  map (\\x -> sqrt x * c) xs",
    "`sqrt (mul xs[i] c)` on the left and `mul (sqrt xs[i]) c` on the right were not shown to be equal",
    "write it in smaller steps, or ask for more with `where`"),
    ("rule r
  concat (xs : n.s) (ys : n.s)  =>  concat xs xs",
    "`ys[i - n]` on the left and `xs[i - n]` on the right were not shown to be equal, where `i - n >= 0`",
    "write it in smaller steps, or ask for more with `where`"),
    ("rule r
  reduceSeq op e (map (f : s -> s) (xs : n.s))  =>  reduceSeq op e xs",
    "two reductions of `n` steps were not shown to do the same in each step, for any accumulator, or to combine the same \
     values in another order",
    "ask for a law of the operator with `where`, or make the steps alike"),
];

#[test]
fn what_a_proof_lacks_is_said() {
    for (text, what, next) in GAPS {
        // Without instances no wrong rule is refuted.
        let Some(rule) = rule_of(text) else {
            panic!("{text}")
        };
        match verify_rule(&rule, 0) {
            Verdict::Unknown { why, .. } => {
                assert_eq!(
                    (why.what.as_str(), why.next.as_str()),
                    (what, next),
                    "{text}"
                );
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// Rules about bits, shifts, quotients, conversions and powers of two: each is proved, with no case left.
#[test]
fn rules_that_are_decided_bit_by_bit_are_proved() {
    let text = std::fs::read_to_string("tests/rules/right/bits.rules").unwrap();
    let rules = rules_of(&text);
    assert!(rules.len() >= 60, "{}", rules.len());
    let open = rules.iter().filter(|text| {
        let rule = rule_of(text).unwrap_or_else(|| panic!("{text}"));
        prove(&rule).is_err()
    });
    let open: Vec<_> = open.cloned().collect();
    assert!(open.is_empty(), "{}", open.concat());
}
