mod lawful;

use rise_opt::elab;
use rise_opt::elab::RuleDecl;
use rise_opt::interp::random::Rng;
use rise_opt::rule::instance::*;
use rise_opt::source::SourceMap;
use std::rc::Rc;

fn rules(text: &str) -> Vec<Rc<RuleDecl>> {
    let mut sources = SourceMap::new();
    // Declarations begin in the first column.
    let text = text.replace("\n         rule", "\nrule");
    let file = sources.add_text("test.rules", &text);
    elab::rule_decls(&mut sources, file).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// Every rule of the text holds.
fn holds(text: &str) {
    for rule in rules(text) {
        let outcome = test_rule(&rule, 60, 1);
        if let Some(c) = outcome.refuted {
            panic!("{} is wrong:\n{c}", rule.name);
        }
        assert_eq!(
            outcome.agreed, 60,
            "{}: {} missed",
            rule.name, outcome.missed
        );
    }
}

/// Every rule of the text is refuted.
fn fails(text: &str) {
    for rule in rules(text) {
        let outcome = test_rule(&rule, 200, 1);
        assert!(
            outcome.refuted.is_some(),
            "{} was not refuted: {outcome:?}",
            rule.name
        );
    }
}

#[test]
fn right_rules_hold() {
    holds(
        "rule map-fusion
           map f (map g xs) => map (\\x -> f (g x)) xs
         rule fission
           map (\\x -> f (gx : data)) => \\xs -> map f (map (\\x -> gx) xs)
         rule split-join [k : nat]
           map f (xs : n.s) => join (map (map f) (split[k] xs))
           where k divides n
         rule blocked [k : nat]
           reduce op e (xs : n.t) => reduceSeq (\\acc -> \\ys -> op acc (reduce op e ys)) e (split[k] xs)
           where associative op, identity e op, k divides n
         rule vectorize-map [k : nat]
           asVector[k] (map (f : s -> t) xs) => map (fv : <k>s -> <k>t) (asVector[k] xs)
           where vectorizable f as fv [k]
         rule reverse-fold
           reduce op e (xs : n.t) => reduce op e (reverse xs)
           where associative op, commutative op
         rule scan-is-fold
           reduceSeq op e (xs : 4.s) => at[3] (scanSeq (\\x -> \\acc -> op acc x) e xs)",
    );
}

#[test]
fn wrong_rules_are_refuted() {
    fails(
        "rule swapped [k : nat]
           split[k] (xs : (k*k).s) => transpose (split[k] xs)
         rule transpose-alone
           map (map f) (xs : n.n.s) => map (map f) (transpose xs)
         rule subtraction [k : nat]
           reduce (-) (e : i32) (xs : n.i32) => reduceSeq (\\acc -> \\ys -> acc - reduce (-) e ys) e (split[k] xs)
           where k divides n
         rule no-law [k : nat]
           reduce op e (xs : n.t) => reduceSeq (\\acc -> \\ys -> op acc (reduce op e ys)) e (split[k] xs)
           where k divides n
         rule not-identity [k : nat]
           reduce op e (xs : n.t) => reduceSeq (\\acc -> \\ys -> op acc (reduce op e ys)) e (split[k] xs)
           where associative op, k divides n
         rule strict-order
           reduceSeq (op : t -> s -> t) e xs => reduceSeq op e (reverse xs)
         rule drop-first
           reduceSeq op e (xs : n.t) => e
         rule wrong-side
           map fst (zip (a : n.t) (b : n.t)) => b
         rule off-by-one
           slide[3, 1] xs => slide[3, 1] (reverse xs)
         rule lanes [k : nat]
           asVector[k] (map (f : s -> s) xs) => map (fv : <k>s -> <k>s) (map fv (asVector[k] xs))
           where vectorizable f as fv [k]",
    );
}

#[test]
fn what_conditions_exclude_is_not_drawn() {
    let decl = &rules(
        "rule fission
           map (\\x -> f (gx : data)) => \\xs -> map f (map (\\x -> gx) xs)
         rule split [k : nat]
           map f (xs : n.s) => join (map (map f) (split[k] xs))
           where k divides n, n != k",
    );
    let mut rng = Rng::new(5);
    let (mut drawn, mut used) = (0, 0);
    for _ in 0..200 {
        if let Some(i) = draw(&decl[0], &mut rng) {
            drawn += 1;
            // f stands outside of x on the right, gx inside.
            assert!(!i.holes[0].mentions(0), "{i:?}");
            used += u32::from(i.holes[1].mentions(0));
        }
        if let Some(i) = draw(&decl[1], &mut rng) {
            let size = |n: u32| i.types.nats[&n].as_int().expect("a number");
            assert!(size(1) % size(0) == 0 && size(1) != size(0));
        }
    }
    assert!(drawn > 50 && used > 20, "{drawn} {used}");
}
