mod settle;

use rise_opt::intern::Symbol;
use rise_opt::scalar::random::Dice;
use rise_opt::scalar::{
    eval, load_rules, parse_expr, parse_truth, EvalError, Expr, Kind, Node, Op, Rule, Sort, Value,
};
use rise_opt::simplify::*;
use rise_opt::source::{FileId, SourceMap};
use rise_opt::verify::{try_points, Tried};
use std::rc::Rc;

fn int(dice: &mut Dice) -> i128 {
    match dice.below(8) {
        0 => [0, 1, -1, 2, -2, 16, -16, 100][dice.below(8) as usize],
        _ => i128::from(dice.below(13)) - 6,
    }
}

fn e(text: &str) -> Expr {
    parse_expr(FileId(0), text).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

fn simplifier(assumptions: &str) -> Simplifier {
    let mut s = Simplifier::new(shipped());
    if !assumptions.is_empty() {
        s.assume(parse_truth(FileId(0), assumptions).unwrap());
    }
    s
}

fn simple(assumptions: &str, text: &str) -> String {
    let mut s = simplifier(assumptions);
    let out = s.simplify(e(text)).to_string();
    assert!(!s.exhausted(), "{text}");
    out
}

#[test]
fn every_rule_is_true_at_random_points() {
    let mut wrong = Vec::new();
    for rule in shipped().rules() {
        let Tried { differs, held } = try_points(rule, 4_000);
        if let Some(point) = differs {
            wrong.push(format!(
                "{}: {} => {}: {point:?}",
                rule.name, rule.lhs, rule.rhs
            ));
        }
        if held < 3 {
            wrong.push(format!("{}: its condition held {held} times", rule.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rules\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn wrong_rules_are_refuted_at_random_points() {
    let mut sources = SourceMap::new();
    for (i, text) in [
        "x*c0/c1 => x/(c1/c0) where c1%c0 == 0 && c1 > 0",
        "((x+c0)/c1)*c1 - x => x%c1 where c1 > 0 && c0+1 == c1",
        "(x/y)*y + x%y => x",
        "-1/x => select(x < 0, 1, -1)",
        "(x+y)/x => y/x + 1",
        "min(x-y, x-z) => x - min(y,z)",
        "min((x + ((y-x)/c0)*c0) + c1, y) => y where 1 <= c1 && -1 <= (-1/c0)*c0 + c1",
    ]
    .iter()
    .enumerate()
    {
        let file = sources.add_text(
            &format!("{i}.rules"),
            &format!("domain scalar\nrule r  {text}\n"),
        );
        let rules = load_rules(&sources, file).unwrap();
        assert!(try_points(&rules[0], 20_000).differs.is_some(), "{text}");
    }
}

/// What is read for one operator is what all rules have for it.
#[test]
fn the_root_of_a_rule_shows_before_it_is_read() {
    let mut sources = SourceMap::new();
    let file = sources.load_shipped(RULES).unwrap();
    let text = sources.file(file).text.clone();
    let places = rise_opt::simplify::shipped::places(&text);
    let book = shipped();
    assert_eq!(places.len(), book.rules().len());
    for (place, rule) in places.into_iter().zip(book.rules()) {
        let Node::Apply(op, _) = rule.lhs.node() else {
            panic!("{}", rule.lhs);
        };
        assert_eq!(
            rise_opt::simplify::shipped::root(&text[place]),
            Some(op),
            "{}",
            rule.name
        );
    }
    let names = |book: &Book| Vec::from_iter(book.rules().iter().map(|r| r.name));
    for op in [Op::Div, Op::Select, Op::Lt] {
        let has = |r: &&Rule| matches!(r.lhs.node(), Node::Apply(o, _) if o == op);
        let wanted = Vec::from_iter(book.rules().iter().filter(has).map(|r| r.name));
        assert_eq!(names(&rise_opt::simplify::shipped::with_root(op)), wanted);
    }
}

#[test]
fn there_are_rules_for_every_operator() {
    let book = shipped();
    assert!(book.rules().len() >= 300);
    for op in Op::ALL {
        let heads = book.rules().iter().map(|r| r.lhs.node());
        let found = heads
            .filter(|n| matches!(n, Node::Apply(o, _) if *o == op))
            .count();
        let named = matches!(op, Op::Prove | Op::Broadcast | Op::Ramp) || found > 0;
        assert!(named, "no rule for `{}`", op.text());
    }
}

#[test]
fn indices_become_simple() {
    for (assumptions, text, wanted) in [
        ("", "x + 0", "x"),
        ("", "3 + x", "x + 3"),
        ("", "(4*i + 3)/4", "i"),
        ("0 <= w && w < 32", "(32*v + w)/32", "v"),
        ("0 <= w && w < 32", "(32*v + w)%32", "w"),
        ("0 <= j && j < n && 0 <= x", "(x*n + j)/n", "x"),
        ("0 <= j && j < n", "(x*n + j)%n", "j"),
        (
            "0 <= v && 0 <= w && w < 32 && 32*v + w < n",
            "(x*n + (32*v + w))/n",
            "x",
        ),
        ("0 <= w && w < 32", "(32*j + w)/128", "j / 4"),
        ("n % 32 == 0", "n / 32 * 32", "n"),
        ("n % 32 == 0", "(n + 5) % 32", "5"),
        ("", "j/5*5 + j%5", "j"),
        ("0 <= j && j < n", "min(j, n - 1)", "j"),
        ("0 <= w && w < 32", "w < 32", "true"),
        ("0 <= w && w < 32", "w < 16", "w < 16"),
        ("", "ramp(x, 1, 8) + broadcast(y, 8)", "ramp(x + y, 1, 8)"),
        ("", "v + broadcast(0, 4) + ramp(0, 0, 4)", "v"),
        (
            "0 <= i && i < 4",
            "ramp(i*8, 1, 8)/broadcast(8, 8)",
            "broadcast(i, 8)",
        ),
        ("", "x >= y && !(y > x)", "y <= x"),
    ] {
        assert_eq!(
            simple(assumptions, text),
            wanted,
            "{text} under {assumptions}"
        );
    }
}

#[test]
fn facts_prove_and_refute() {
    for (assumptions, goal, wanted) in [
        ("0 <= i && i < 32", "i/32 == 0", Some(true)),
        (
            "0 <= i && i < m && 0 <= j && j < 32",
            "i*32 + j < m*32",
            Some(true),
        ),
        (
            "0 <= i && i < m && 0 <= j && j < n",
            "i*n + j < m*n",
            Some(true),
        ),
        (
            "0 <= i && i < m && 0 <= j && j < n",
            "m*n <= i*n + j",
            Some(false),
        ),
        ("n % 32 == 0", "n % 8 == 0", Some(true)),
        ("n % 32 == 0 && n % 4 == x", "2*n + 1 != 4*x", Some(true)),
        ("0 < n", "x % n < n", Some(true)),
        ("", "x % n < n", None),
        ("0 <= i", "i < 32", None),
        ("0 <= x", "min(x, y) <= x + z*z", None),
    ] {
        let mut s = simplifier(assumptions);
        assert_eq!(s.prove(e(goal)), wanted, "{goal} under {assumptions}");
    }
}

/// An expression over x, y, z (integers) and b (a boolean).
fn random(dice: &mut Dice, kind: Kind, depth: u32) -> Expr {
    let var = |name: &str, sort| Expr::var(Symbol::new(name), sort);
    if depth == 0 || dice.below(6) == 0 {
        return match (kind, dice.below(3)) {
            (Kind::Bool, 0) => Expr::bool(dice.below(2) == 1),
            (Kind::Bool, _) => var("b", Sort::BOOL),
            (Kind::Int, 0) => Expr::int(int(dice) as i64),
            (Kind::Int, _) => var(["x", "y", "z"][dice.below(3) as usize], Sort::INT),
        };
    }
    use Op::*;
    let of = |dice: &mut Dice, kind| random(dice, kind, depth - 1);
    match (kind, dice.below(8)) {
        (_, 0) => {
            let b = of(dice, Kind::Bool);
            Expr::of(Select, &[b, of(dice, kind), of(dice, kind)])
        }
        (Kind::Int, n) => {
            let op = [Add, Sub, Mul, Div, Mod, Min, Max][n as usize - 1];
            Expr::of(op, &[of(dice, kind), of(dice, kind)])
        }
        (Kind::Bool, 1) => Expr::of(Not, &[of(dice, kind)]),
        (Kind::Bool, 2) => Expr::of(And, &[of(dice, kind), of(dice, kind)]),
        (Kind::Bool, 3) => Expr::of(Or, &[of(dice, kind), of(dice, kind)]),
        (Kind::Bool, _) => {
            let op = [Eq, Ne, Lt, Le, Gt, Ge][dice.below(6) as usize];
            Expr::of(op, &[of(dice, Kind::Int), of(dice, Kind::Int)])
        }
    }
}

/// `RISE_OPT_SIMPLIFY_CASES=1000000 cargo test --release simplified_is_equal` looks at more.
#[test]
fn simplified_is_equal_done_once_and_ends() {
    let cases = std::env::var("RISE_OPT_SIMPLIFY_CASES").ok();
    let cases: u64 = cases.and_then(|c| c.parse().ok()).unwrap_or(3_000);
    let assumptions = [
        "",
        "0 <= x && x < 8",
        "0 <= x && x < y && 0 < y && y <= 6",
        "x % 4 == 2 && z != 0",
    ];
    let mut dice = Dice(5);
    let mut smaller = 0u64;
    for case in 0..cases {
        let assumed = assumptions[case as usize % assumptions.len()];
        let mut s = simplifier(assumed);
        let assumed = match assumed {
            "" => Expr::bool(true),
            text => e(text),
        };
        let kind = [Kind::Int, Kind::Bool][(case % 3 == 0) as usize];
        let depth = 2 + dice.below(4) as u32;
        let expr = random(&mut dice, kind, depth);
        let out = s.simplify(expr);
        if s.exhausted() {
            let steps = replayed(assumed, expr);
            panic!(
                "{expr} does not end\n{}",
                steps[steps.len() - 8..].join("\n")
            );
        }
        assert_eq!(s.simplify(out), out, "{expr} => {out} is not simple");
        let again = &mut simplifier(&match assumed.as_bool() {
            Some(_) => String::new(),
            None => assumed.to_string(),
        });
        assert_eq!(again.simplify(out), out, "{expr} => {out} is not simple");
        smaller += u64::from(out != expr);
        for _ in 0..30 {
            let at = [int(&mut dice), int(&mut dice), int(&mut dice)];
            let b = dice.below(2) == 1;
            let of = |v: Symbol| match v.as_str() {
                "b" => Some(Value::Bool(b)),
                name => ["x", "y", "z"]
                    .iter()
                    .position(|n| *n == name)
                    .map(|i| Value::Int(at[i])),
            };
            if eval(assumed, &of) != Ok(Value::Bool(true)) {
                continue;
            }
            let (l, r) = (eval(expr, &of), eval(out, &of));
            if l != r && l != Err(EvalError::Overflow) {
                let steps: Vec<String> = replayed(assumed, expr);
                panic!(
                    "case {case}: {expr} => {out} at {at:?} {b}: {l:?} against {r:?}\n{}",
                    steps.join("\n")
                );
            }
        }
    }
    assert!(smaller > cases / 2, "{smaller}");
}

fn replayed(assumed: Expr, expr: Expr) -> Vec<String> {
    let mut s = Simplifier::new(shipped());
    s.assume(assumed);
    s.record();
    s.simplify(expr);
    s.steps()
        .iter()
        .map(|s| format!("{:?}: {} => {}", s.rule, s.before, s.after))
        .collect()
}

#[test]
fn vectors_are_simplified_lane_by_lane() {
    let mut dice = Dice(3);
    for case in 0..600 {
        let mut s = simplifier("");
        let scalar = random(&mut dice, Kind::Int, 2);
        let other = random(&mut dice, Kind::Int, 1);
        let l = Expr::int(4);
        let ramp = Expr::of(Op::Ramp, &[scalar, Expr::int(int(&mut dice) as i64), l]);
        let lanes = Expr::of(Op::Broadcast, &[other, l]);
        let op = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Div,
            Op::Mod,
            Op::Min,
            Op::Max,
        ][dice.below(7) as usize];
        let expr = Expr::of(op, &[Expr::of(op, &[ramp, lanes]), lanes]);
        let out = s.simplify(expr);
        for _ in 0..20 {
            let at = [int(&mut dice), int(&mut dice), int(&mut dice)];
            let of = |v: Symbol| match v.as_str() {
                "b" => Some(Value::Bool(at[0] > 0)),
                name => ["x", "y", "z"]
                    .iter()
                    .position(|n| *n == name)
                    .map(|i| Value::Int(at[i])),
            };
            assert_eq!(
                eval(expr, &of),
                eval(out, &of),
                "case {case}: {expr} => {out} at {at:?}"
            );
        }
    }
}

#[test]
fn rules_that_undo_each_other_are_reported() {
    let mut sources = SourceMap::new();
    let text = "domain scalar\nrule there  min(x, y) => x + y\nrule back  x + y => min(x, y)\n";
    let file = sources.add_text("loop.rules", text);
    let book = Rc::new(Book::new(load_rules(&sources, file).unwrap()));
    let mut s = Simplifier::new(book);
    s.simplify(e("x + y"));
    assert!(s.exhausted());
}

/// What a call that did not end leaves behind is not taken for simple by the next one.
#[test]
fn nothing_half_done_is_remembered() {
    let mut sources = SourceMap::new();
    let text = "domain scalar
rule there  min(x, y) => x + y
rule back  x + y => min(x, y)
rule zero  x * 0 => 0
rule common  x * c0 / c0 => x
";
    let file = sources.add_text("loop.rules", text);
    let mut s = Simplifier::new(Rc::new(Book::new(load_rules(&sources, file).unwrap())));
    s.simplify(e("(x + y) * 0"));
    assert!(s.exhausted());
    s.limit(0);
    s.simplify(e("z * 0"));
    s.limit(20);
    assert_eq!(s.simplify(e("z * 0 / 0")), e("0"));
}

/// A rule that leaves open whether it is about integers or booleans is about both.
#[test]
fn selections_of_booleans_are_simplified_as_those_of_integers() {
    for (text, simple) in [
        ("select(b, p && q, p && q)", "p && q"),
        ("select(!b, p && q, !p)", "select(b, !p, p && q)"),
        ("select(true, p || q, p)", "p || q"),
        ("select(b, select(b, p && q, q), p)", "select(b, p && q, p)"),
    ] {
        let mut s = Simplifier::shipped();
        assert_eq!(s.simplify(e(text)).to_string(), simple);
        assert!(!s.exhausted());
    }
}
