//! Vectors, vectors of vectors and numbers of lanes that are computed: what rules make of them, and that it is the same.

use rise_opt::intern::Symbol;
use rise_opt::interp::random::Rng;
use rise_opt::scalar::random::{Dice, Recipe};
use rise_opt::scalar::{eval, load_rules, parse_expr, Expr, Kind, Value};
use rise_opt::simplify::{shipped, Book, Simplifier};
use rise_opt::source::{FileId, SourceMap};
use rise_opt::termination::{order, Verdict};
use rise_opt::verify::try_points;
use std::rc::Rc;

fn simple(book: Rc<Book>, text: &str) -> String {
    let e = parse_expr(FileId(0), text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
    Simplifier::new(book).simplify(e).to_string()
}

fn book(rules: &str) -> Rc<Book> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("own.rules", &format!("domain scalar\n{rules}\n"));
    let rules = load_rules(&sources, file).unwrap_or_else(|d| panic!("{d:?}"));
    Rc::new(Book::new(rules))
}

#[test]
fn lanes_of_lanes_are_simplified() {
    for (text, expected) in [
        ("broadcast(broadcast(x, 4), 2)", "broadcast(x, 8)"),
        ("broadcast(broadcast(3, 4), 2)", "broadcast(3, 8)"),
        ("broadcast(x, 1) + ramp(y, 3, 1)", "x + y"),
        ("ramp(ramp(x, 3, 4), broadcast(12, 4), 2)", "ramp(x, 3, 8)"),
        (
            "ramp(ramp(x, 3, 4), broadcast(11, 4), 2)",
            "ramp(ramp(x, 3, 4), broadcast(11, 4), 2)",
        ),
        // By a rule of single values in place of which vectors stand.
        (
            "broadcast(ramp(x, 1, 4), 2) + broadcast(ramp(y, 2, 4), 2)",
            "broadcast(ramp(x + y, 3, 4), 2)",
        ),
        (
            "ramp(ramp(x, 1, 2), broadcast(8, 2), 3) - ramp(ramp(y, 1, 2), broadcast(8, 2), 3)",
            "broadcast(x - y, 6)",
        ),
        // What is said of all lanes is said of one block of them.
        (
            "broadcast(ramp(x, 1, 4), 2) < broadcast(y, 8)",
            "broadcast(ramp(x, 1, 4) < broadcast(y, 4), 2)",
        ),
        (
            "ramp(ramp(x, 1, 2), broadcast(8, 2), 4) / broadcast(8, 8)",
            "ramp(ramp(x, 1, 2) / broadcast(8, 2), broadcast(1, 2), 4)",
        ),
        (
            "ramp(ramp(x, 1, 2), broadcast(8, 2), 4) % broadcast(8, 8)",
            "broadcast(ramp(x, 1, 2) % broadcast(8, 2), 4)",
        ),
        // As many lanes, and no multiple of each other.
        (
            "broadcast(ramp(0, 1, 2) + u, 3) + broadcast(ramp(0, 1, 3) + v, 2)",
            "broadcast(ramp(0, 1, 2) + u, 3) + broadcast(ramp(0, 1, 3) + v, 2)",
        ),
    ] {
        assert_eq!(simple(shipped(), text), expected, "{text}");
    }
}

/// A number of lanes that is a product tells its only unknown factor, or is not matched.
#[test]
fn products_of_lanes_are_matched() {
    let one = book(
        "rule a  broadcast(x, l) + broadcast(y, l * l0)  =>  broadcast(x + broadcast(y, l0), l)",
    );
    for (text, expected) in [
        (
            "broadcast(v + ramp(0, 1, 2), 3) + broadcast(y, 6)",
            "broadcast(ramp(0, 1, 2) + v + broadcast(y, 2), 3)",
        ),
        (
            "broadcast(y, 6) + broadcast(v + ramp(0, 1, 2), 3)",
            "broadcast(ramp(0, 1, 2) + v + broadcast(y, 2), 3)",
        ),
        (
            "broadcast(v + ramp(0, 1, 3), 4) + broadcast(u + ramp(0, 1, 2), 6)",
            "broadcast(ramp(0, 1, 2) + u, 6) + broadcast(ramp(0, 1, 3) + v, 4)",
        ),
    ] {
        assert_eq!(simple(one.clone(), text), expected, "{text}");
    }
    // Both factors are known elsewhere; as many lanes by other factors are others.
    let both = book(
        "rule a  ramp(broadcast(x, l), broadcast(y, l), l0) + broadcast(z, l * l0)
           =>  ramp(broadcast(x + z, l), broadcast(y, l), l0)",
    );
    let found = simple(
        both.clone(),
        "ramp(broadcast(x, 2), broadcast(y, 2), 3) + broadcast(z, 6)",
    );
    assert_eq!(found, "ramp(broadcast(x + z, 2), broadcast(y, 2), 3)");
    let found = simple(
        both,
        "ramp(broadcast(u + ramp(0, 1, 2), 2), broadcast(w, 2), 3) + broadcast(z, 12)",
    );
    assert!(found.contains("broadcast(z, 12)"), "{found}");
    // A single value for good, by its constant: not of vectors. (Whether it is true does not matter here.)
    let single = book("rule a  min(broadcast(x, l), broadcast(y, l))  =>  broadcast(0, l)");
    let found = simple(single.clone(), "min(broadcast(x, 4), broadcast(y, 4))");
    assert_eq!(found, "broadcast(0, 4)");
    let vectors = "min(broadcast(ramp(x, 1, 2), 2), broadcast(ramp(y, 3, 2), 2))";
    assert_eq!(simple(single, vectors), vectors);
}

/// That a number of lanes is computed prevents nothing: it is no operation on constants.
#[test]
fn rules_that_compute_lanes_are_ordered_by_what_they_do() {
    let ordered = |text: &str| {
        let book = book(&format!("rule r  {text}"));
        matches!(order(book.rules())[0], Verdict::Ordered(_))
    };
    for (smaller, larger) in [
        (
            "ramp(ramp(x, c0, l), broadcast(c1, l), 2)",
            "ramp(x, c0, l * 2)",
        ),
        (
            "broadcast(x, l) + broadcast(y, l * l0)",
            "broadcast(x + broadcast(y, l0), l)",
        ),
    ] {
        let asked = if smaller.contains("c1") {
            " where c1 == c0 * l"
        } else {
            ""
        };
        assert!(
            ordered(&format!("{smaller} => {larger}{asked}")),
            "{smaller}"
        );
    }
    for text in [
        "ramp(x, y, l * 2) => ramp(ramp(x, y, l), broadcast(y * l, l), 2)",
        "broadcast(x, l * 2) + broadcast(y, l) => broadcast(x, l * 2) + broadcast(y, l)",
        "broadcast(x + broadcast(y, l0), l) => broadcast(x, l) + broadcast(y, l * l0)",
    ] {
        assert!(!ordered(text), "{text}");
    }
}

/// Rules about vectors are applied to vectors of vectors if they can be, so they have to be true there, too.
#[test]
fn shipped_rules_hold_of_vectors_of_vectors() {
    let mut count = 0;
    for rule in shipped().rules() {
        let Some(lifted) = rule.lifted() else {
            continue;
        };
        let tried = try_points(&lifted, 400);
        assert!(tried.held > 200, "{}: {tried:?}", rule.name);
        assert_eq!(tried.differs, None, "{}", rule.name);
        let of = [lifted.lhs, lifted.rhs].map(|side| side.sort());
        assert_eq!(of[0], of[1], "{}", rule.name);
        count += 1;
    }
    assert!(count > 45, "{count}");
}

fn value(e: Expr, draw: &mut Rng, known: &mut Vec<(Symbol, Value)>) -> Option<Value> {
    for (v, sort) in e.vars() {
        if known.iter().any(|k| k.0 == v) {
            continue;
        }
        let lanes = sort.lanes.value(&|_| None).unwrap();
        let lanes = (0..lanes).map(|_| match sort.kind {
            Kind::Int => Value::Int(draw.between(-9, 9).into()),
            Kind::Bool => Value::Bool(draw.one_in(2)),
        });
        known.push((v, Value::of_lanes(lanes.collect())));
    }
    let of = |v: Symbol| known.iter().find(|k| k.0 == v).map(|k| k.1.clone());
    eval(e, &of).ok()
}

#[test]
fn random_vectors_keep_their_lanes() {
    let mut dice = Dice(3);
    let mut roll = |k| dice.below(k);
    let mut recipe = Recipe {
        dice: &mut roll,
        names: &["x", "y"],
        constants: &[0, 1, -1, 2, 4, 8, 3],
    };
    let mut simplifier = Simplifier::new(shipped());
    let computes = |e: Expr| {
        let mut computes = false;
        e.visit(&mut |e| computes |= e.counted().is_some_and(|l| l.args().next().is_some()));
        computes
    };
    let rules = shipped().rules().to_vec().into_iter();
    let others = rules
        .filter(|r| !computes(r.lhs) && !computes(r.rhs))
        .collect();
    let mut without = Simplifier::new(Rc::new(Book::new(others)));
    let mut sizes = [0; 3];
    let mut draw = Rng::new(7);
    let (mut changed, mut smaller) = (0, 0);
    for i in 0..6_000 {
        let kind = if i % 4 == 0 { Kind::Bool } else { Kind::Int };
        let e = recipe.vector(kind, 2 + i % 3);
        let simple = simplifier.simplify(e);
        assert_eq!(e.sort(), simple.sort(), "{e}");
        assert_eq!(simplifier.simplify(simple), simple, "{e}");
        changed += u32::from(simple != e);
        let all = [e, without.simplify(e), simple];
        (0..3).for_each(|i| sizes[i] += all[i].size());
        smaller += u32::from(simple.size() < e.size());
        for _ in 0..6 {
            let mut known = Vec::new();
            if let Some(expected) = value(e, &mut draw, &mut known) {
                let found = value(simple, &mut draw, &mut known);
                assert!(
                    found.is_none_or(|f| f == expected),
                    "{e}  =>  {simple} at {known:?}"
                );
            }
        }
    }
    let [before, without, with] = sizes;
    println!("{before} operations and leaves; {without} without rules that compute lanes, {with} with them");
    assert!(with < without);
    assert!(
        !simplifier.exhausted() && changed > 3_000 && smaller > 2_000,
        "{changed} {smaller}"
    );
}
