use rise_opt::scalar::*;

use rise_opt::diag::Diagnostic;
use rise_opt::intern::Symbol;
use rise_opt::source::{FileId, SourceMap};

fn e(text: &str) -> Expr {
    parse_expr(FileId(0), text).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

fn at(text: &str, x: i128, y: i128) -> Value {
    let of = |s: Symbol| match s.as_str() {
        "x" => Some(Value::Int(x)),
        "y" => Some(Value::Int(y)),
        "b" => Some(Value::Bool(x > y)),
        _ => None,
    };
    eval(e(text), &of).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

fn file(text: &str) -> Result<Vec<Rule>, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let id = sources.add_text("t.rules", &format!("domain scalar\n{text}\n"));
    load_rules(&sources, id)
}

fn codes(text: &str) -> Vec<&'static str> {
    let found = file(text).expect_err("something is wrong");
    found.iter().map(|d| d.code.id).collect()
}

#[test]
fn what_is_printed_reads_back_as_it_was() {
    for text in [
        "3 < x",
        "x / y",
        "x - (y - 3)",
        "x - y - 3",
        "(x + y) * -3 % 8",
        "0 - x",
        "x - -3",
        "min(x, max(y, 3))",
        "select(x < y && !(y == 3), x, y % 4)",
        "!(x < y) || x != y && true",
        "ramp(x * 4, 2, 8) + broadcast(y, 8)",
        "broadcast(x < y, 4)",
    ] {
        assert_eq!(e(text).to_string(), text);
        assert_eq!(e(&e(text).to_string()), e(text));
    }
}

#[test]
fn booleans_are_compared_and_lanes_computed() {
    for (text, meant) in [
        ("(x < y) == (y < x)", "select(x < y, y < x, !(y < x))"),
        ("(a && b) != true", "select(a && b, !true, true)"),
        ("b && b == d", "b && select(b, d, !d)"),
        ("broadcast(x, 2*4)", "broadcast(x, 8)"),
        ("ramp(x, 1, 16/4 - 1)", "ramp(x, 1, 3)"),
    ] {
        assert_eq!(e(text), e(meant), "{text}");
    }
    for wrong in [
        "broadcast(x, 1 - 1)",
        "broadcast(x, 4/0)",
        "broadcast(x, 2*y)",
    ] {
        assert!(parse_expr(FileId(0), wrong).is_err(), "{wrong}");
    }
}

#[test]
fn division_is_euclidean_and_by_zero_zero() {
    let int = Value::Int;
    for (x, y, q, r) in [
        (7, 2, 3, 1),
        (-7, 2, -4, 1),
        (7, -2, -3, 1),
        (-7, -2, 4, 1),
        (7, 0, 0, 0),
    ] {
        assert_eq!(at("x / y", x, y), int(q));
        assert_eq!(at("x % y", x, y), int(r));
    }
    assert_eq!(at("select(b, min(x, y), -x)", 3, 2), int(2));
    assert_eq!(
        at("ramp(x, y, 3) * broadcast(2, 3)", 1, 5),
        Value::Vector(vec![int(2), int(12), int(22)])
    );
}

/// Lanes of lanes come one after the other, and one lane is no vector.
#[test]
fn lanes_of_lanes_are_lanes() {
    let ints = |all: &[i128]| Value::Vector(all.iter().map(|n| Value::Int(*n)).collect());
    for (text, lanes) in [
        ("broadcast(ramp(x, 1, 2), 2)", &[1, 2, 1, 2][..]),
        ("ramp(broadcast(x, 2), broadcast(y, 2), 2)", &[1, 1, 6, 6]),
        ("ramp(ramp(x, 1, 2), broadcast(10, 2), 2)", &[1, 2, 11, 12]),
        ("broadcast(x, 2) + ramp(x, y, 1 + 1)", &[2, 7]),
    ] {
        assert_eq!(at(text, 1, 5), ints(lanes), "{text}");
        assert_eq!(e(text).sort().lanes, Lanes::Fixed(lanes.len() as u32));
        assert_eq!(e(&e(text).to_string()), e(text), "{text}");
    }
    for (text, value) in [("broadcast(x, 1)", 1), ("ramp(x, y, 1) + y", 6)] {
        assert_eq!(at(text, 1, 5), Value::Int(value), "{text}");
        assert_eq!(e(text).sort(), Sort::INT, "{text}");
    }
    // A name takes what lanes are left for it.
    let vars = e("broadcast(v, 3) + ramp(x, 1, 12)").vars();
    assert_eq!(vars[0].1.lanes, Lanes::Fixed(4));
    for (text, code) in [
        ("broadcast(x, 4) + broadcast(y, 6)", "E0412"),
        ("broadcast(1, 4) + broadcast(y, 8)", "E0412"),
        ("broadcast(x + ramp(0, 1, 3), 2) + ramp(0, 1, 4)", "E0412"),
        ("broadcast(broadcast(x, 60000), 60000)", "E0415"),
        (
            "broadcast(v, 60000) + broadcast(v + ramp(0, 1, 4), 60000)",
            "E0412",
        ),
        ("broadcast(x, 4 + y)", "E0415"),
    ] {
        let found = parse_expr(FileId(0), text).unwrap_err();
        assert_eq!(found[0].code.id, code, "{text}");
    }
    let many = |n: i64| Value::Int(n.into());
    let of = |s: Symbol| Some(many(if s.as_str() == "l" { 60_000 } else { 1 }));
    let rule = file("rule a  broadcast(broadcast(x, l), l) => broadcast(x, l * l)").unwrap();
    assert_eq!(eval(rule[0].lhs, &of), Err(EvalError::Lanes));
}

/// Numbers of lanes of rules are products, equal whatever the order of their factors.
#[test]
fn numbers_of_lanes_are_computed_in_rules() {
    let lanes = |text: &str| file(&format!("rule a  {text}")).map(|r| r[0].lhs.sort().lanes);
    let two = lanes("broadcast(broadcast(x, l), l0) => broadcast(x, l0 * l)").unwrap();
    assert_eq!(two.expr().to_string(), "l * l0");
    let four = lanes("ramp(broadcast(x, l), broadcast(y, l), 4) => broadcast(x, 2 * l * 2)");
    assert_eq!(four.unwrap().expr().to_string(), "l * 4");
    assert!(lanes("ramp(ramp(x, 1, c0), broadcast(c0, c0), c1) => ramp(x, 1, c0 * c1)").is_ok());
    // x is a vector of as many lanes as are left.
    let blocks = "broadcast(x, l) + broadcast(y, l * l0) => broadcast(x + broadcast(y, l0), l)";
    let vars = file(&format!("rule a  {blocks}")).unwrap()[0].lhs.vars();
    assert_eq!(vars[0].1.lanes, Lanes::named(Symbol::new("l0")));
    for (wrong, code) in [
        ("broadcast(x, l) => broadcast(x, l * 2)", "E0412"),
        ("broadcast(broadcast(x, l), l0) => broadcast(x, l)", "E0412"),
        (
            "broadcast(x, l) + broadcast(y, l0) => broadcast(x + y, l)",
            "E0412",
        ),
        ("broadcast(x, l * y) => broadcast(x, l * y)", "E0415"),
        ("broadcast(x, l + l0) => broadcast(x, l + l0)", "E0415"),
        (
            "broadcast(x, l * l0) => broadcast(broadcast(x, l), l0)",
            "E0415",
        ),
        ("broadcast(x, l) => broadcast(broadcast(x, l0), l)", "E0412"),
    ] {
        assert_eq!(codes(&format!("rule a  {wrong}"))[0], code, "{wrong}");
    }
}

/// A rule about vectors holds of vectors of vectors where no constant stands for a single value.
#[test]
fn rules_about_vectors_are_lifted() {
    let lifted = |text: &str| file(&format!("rule a  {text}")).unwrap()[0].lifted();
    let rule = lifted("ramp(x, y, l) + broadcast(z, l) => ramp(x + z, y, l)").unwrap();
    assert!(rule
        .lhs
        .vars()
        .iter()
        .all(|v| v.0.as_str() == "l" || v.1.lanes != Lanes::One));
    let tried = rise_opt::verify::try_points(&rule, 500);
    assert!(tried.held > 400 && tried.differs.is_none(), "{tried:?}");
    for text in [
        "ramp(x, 0, l) => broadcast(x, l)",
        "broadcast(x, l) - broadcast(x, l) => broadcast(0, l)",
        "ramp(x, c0, l) < broadcast(y, l) => broadcast(true, l) where prove(x + c0 * l < y)",
        "x + 0 => x",
    ] {
        assert_eq!(lifted(text).map(|r| r.lhs), None, "{text}");
    }
}

#[test]
fn what_leaves_the_numbers_is_said_and_never_wraps() {
    let big = |_| Some(Value::Int(i128::MAX));
    assert_eq!(eval(e("x + 1"), &big), Err(EvalError::Overflow));
    assert_eq!(eval(e("x * x"), &big), Err(EvalError::Overflow));
    assert_eq!(
        eval(e("x"), &|_| None),
        Err(EvalError::Variable(Symbol::new("x")))
    );
    assert_eq!(Expr::checked_int(i64::MIN.into()), None);
    assert!(Expr::checked_int(-i128::from(MAX_INT)).is_some());
}

#[test]
fn sorts_follow_from_use() {
    let sort = |text: &str| e(text).sort();
    assert_eq!(sort("p && q").kind, Kind::Bool);
    assert_eq!(sort("select(p, x, y)"), Sort::INT);
    assert_eq!(sort("select(p, x, y < 3)"), Sort::BOOL);
    assert_eq!(sort("ramp(x, 1, 8) < v").lanes, Lanes::Fixed(8));
    for text in [
        "x && x + 1",
        "x + (y < 3)",
        "ramp(x, 1, 8) + y + 1",
        "v + ramp(0, 1, 4) + ramp(0, 1, 8)",
    ] {
        let found = parse_expr(FileId(0), text).unwrap_err();
        assert_eq!(found[0].code.id, "E0412", "{text}");
    }
    assert!(parse_truth(FileId(0), "x + 1").is_err());
}

#[test]
fn rules_are_read_with_their_conditions() {
    let rules = file(
        "rule a-b  (x*c0 + y)/c1 => y/c1 + x*(c0/c1)  where c0 % c1 == 0 && c1 > 0, prove(0 <= y)",
    );
    let rule = &rules.unwrap()[0];
    assert_eq!(rule.name.as_str(), "a-b");
    assert_eq!(rule.lhs.to_string(), "(x * c0 + y) / c1");
    assert_eq!(
        rule.condition.to_string(),
        "c0 % c1 == 0 && c1 > 0 && prove(0 <= y)"
    );
    let classes: Vec<VarClass> = rule.vars().iter().map(|v| v.2).collect();
    use VarClass::*;
    assert_eq!(classes, [Term, Constant, Term, Constant]);
    let rules = file("rule v  broadcast(x, l) + ramp(y, z, l) => ramp(x + y, z, l)").unwrap();
    assert!(rules[0].has_vectors());
    assert_eq!(rules[0].condition, Expr::bool(true));
}

/// What a condition says by itself, and as one of several.
#[test]
fn truths_are_conditions() {
    let condition = |said: &str| {
        let rules = file(&format!("rule a  x + c0 => x where {said}"));
        rules.unwrap_or_else(|d| panic!("{said}: {d:?}"))[0]
            .condition
            .to_string()
    };
    for (said, meant) in [
        ("true", "true"),
        ("false", "false"),
        ("(true)", "true"),
        ("true, c0 == 0", "true && c0 == 0"),
        ("c0 == 0 && true || false", "c0 == 0 && true || false"),
        (
            "select(c0 > 0, c0 == 1, true)",
            "select(c0 > 0, c0 == 1, true)",
        ),
        ("(c0 == 0) == true", "select(c0 == 0, true, !true)"),
    ] {
        assert_eq!(condition(said), meant);
    }
    // What is no truth, and a fact that may fail unseen.
    for (said, code) in [
        ("select(c0 > 0, c0, 1)", "E0412"),
        ("select(c0 > 0, prove(x == 0), true)", "E0403"),
        ("trueish", "E0106"),
    ] {
        assert_eq!(
            codes(&format!("rule a  x + c0 => x where {said}"))[0],
            code,
            "{said}"
        );
    }
}

#[test]
fn every_mistake_has_its_code() {
    for (text, code) in [
        ("rule a  x + mn(y, 0) => x", "E0411"),
        ("rule a  min(x) => x", "E0411"),
        ("rule a  x + prove(y) => x", "E0411"),
        ("rule a  x + (y < 0) => x", "E0412"),
        ("rule a  x + y => x < y", "E0412"),
        ("rule a  x + c0 => y", "E0402"),
        ("rule a  x + c0 => x where c1 == 0", "E0402"),
        ("rule a  x + c0 => x where x == 0", "E0413"),
        ("rule a  x + c0 => x where !prove(x == 0)", "E0403"),
        ("rule a  x + c0 => x where x not in x", "E0403"),
        ("rule a  map x => x", "E0411"),
        ("rule a  x + (\\y -> y) => x", "E0414"),
        ("rule a  x + 1.5 => x", "E0414"),
        ("rule a  broadcast(x, y) => x", "E0415"),
        ("rule a  x => x", "E0416"),
        ("rule a  x + y => x\nrule a  x => x", "E0204"),
        ("domain arrays", "E0417"),
        ("rule a  a+b+d+e+f+g+h+i+j+k+m+n+o+p+q+r+s => a", "E0418"),
    ] {
        assert_eq!(codes(text)[0], code, "{text}");
    }
}

#[test]
fn the_shipped_rules_load() {
    let mut sources = SourceMap::new();
    let id = sources.load_shipped("rules/index.rules").unwrap();
    let rules = load_rules(&sources, id).unwrap_or_else(|d| panic!("{d:?}"));
    assert!(rules.len() >= 10);
    for rule in &rules {
        assert_eq!(sources.text(rule.span), rule.name.as_str());
    }
}
