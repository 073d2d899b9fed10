use rise_opt::intern::Symbol;
use rise_opt::scalar::random::{Dice, Recipe};
use rise_opt::scalar::{eval, parse_expr, parse_truth, Expr, Kind, Op, Value};
use rise_opt::simplify::Simplifier;
use rise_opt::source::FileId;

fn e(text: &str) -> Expr {
    parse_expr(FileId(0), text).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

fn under(assumed: &str) -> Simplifier {
    let mut s = Simplifier::shipped();
    if !assumed.is_empty() {
        s.assume(parse_truth(FileId(0), assumed).unwrap());
    }
    s
}

/// What rules alone leave open, and beside it what only looks like it.
const STATEMENTS: [(&str, &str, &str); 12] = [
    (
        "0 < n",
        "max(0, min(n - 1, i)) < n",
        "max(0, min(n, i)) < n",
    ),
    ("", "x*x >= x", "x*x > x"),
    ("0 < n && n % 4 == 0", "y % 4 < n", "y % 5 < n"),
    ("0 < y && y <= x", "x*2 != 3/y", "x*2 != 4/y"),
    ("0 <= y", "y % n <= y", "y % n < y"),
    ("0 < y && y <= x", "n <= max(x*n, y)", "n < max(x*n, y)"),
    (
        "0 <= i && i < m && 0 <= j && j < n",
        "i*n + j < m*n",
        "i*n + j < m*n - 1",
    ),
    ("n == 4*z && 0 <= x", "n != x*4 + 2", "n != x*4 + 8"),
    ("x < 0 || 8 <= x", "x != 5", "x != 8"),
    (
        "",
        "min(x, y) + max(x, y) == x + y",
        "min(x, y) + max(x, y) == x",
    ),
    ("select(b, x, y) < 3", "min(x, y) < 3", "max(x, y) < 3"),
    (
        "0 <= x",
        "x/8*8 + x%8 == x && x/8 <= x",
        "x/8*8 + x%8 == x && x/8 < x",
    ),
];

#[test]
fn statements_are_proved_by_cases_and_their_twins_are_not() {
    let mut by_rules = 0;
    for (assumed, right, wrong) in STATEMENTS {
        by_rules += usize::from(under(assumed).prove(e(right)).is_some());
        assert_eq!(
            under(assumed).prove_by_cases(e(right)),
            Some(true),
            "{right} where {assumed}"
        );
        let not = Expr::of(Op::Not, &[e(right)]);
        assert_eq!(
            under(assumed).prove_by_cases(not),
            Some(false),
            "!({right}) where {assumed}"
        );
        assert_ne!(
            under(assumed).prove_by_cases(e(wrong)),
            Some(true),
            "{wrong} where {assumed}"
        );
    }
    assert!(
        by_rules <= STATEMENTS.len() / 2,
        "rules alone prove {by_rules} of them"
    );
}

#[test]
fn what_rules_leave_is_made_smaller() {
    for (assumed, from, to) in [
        ("", "max(x - y, 0) + min(x, y)", "x"),
        ("0 <= i && i*32 < n", "min(i*32 + 31, n - 1)/32", "i"),
        ("", "x*x >= 0", "true"),
        ("x < y", "min(max(x, z), y) < y", "z < y"),
        ("", "select(x < y, y - x, x - y) + min(x, y)", "max(x, y)"),
        ("x <= 3 || y <= 3", "min(x, y) <= 3 && z < 2", "z < 2"),
        ("", "x + x + y - (x + z)", "x + y - z"),
        ("", "x + y", "x + y"),
        // Few points are where the assumptions hold.
        (
            "0 <= n && 0 <= b && 0 <= j && j <= b && 0 <= x && x < (n + 1)/16 - 4*((n + 1)/64)",
            "(b*y + j + y)/(b + 1) + 16*x",
            "x * 16 + y",
        ),
    ] {
        let mut s = under(assumed);
        let out = s.simplify_by_cases(e(from));
        assert_eq!(out.to_string(), to, "{from} where {assumed}");
        assert_eq!(s.simplify_by_cases(out), out, "{from} where {assumed}");
    }
}

const NAMES: [&str; 3] = ["x", "y", "z"];
const BOX: &str = "-3 <= x && x <= 3 && -3 <= y && y <= 3 && -3 <= z && z <= 3";

/// The values at all points of the box at which the guard holds.
fn everywhere(guard: Expr, e: Expr) -> Vec<Value> {
    let at = |point: i128, v: Symbol| match v.as_str() {
        "p" => Some(Value::Bool(point % 2 == 1)),
        "q" => Some(Value::Bool(point / 2 % 2 == 1)),
        name => {
            let i = NAMES.iter().position(|n| *n == name)?;
            Some(Value::Int(point / 4 / 7_i128.pow(i as u32) % 7 - 3))
        }
    };
    (0..4 * 7_i128.pow(3))
        .filter(|p| eval(guard, &|v| at(*p, v)) == Ok(Value::Bool(true)))
        .map(|p| eval(e, &|v| at(p, v)).unwrap())
        .collect()
}

/// All that the facts allow is looked at: what is made smaller is equal, what is proved holds, and most that holds is proved.
#[test]
fn what_cases_say_is_so_at_every_point() {
    let cases = std::env::var("CASES").map_or(100, |n| n.parse().unwrap());
    let guards = [
        "x <= y",
        "0 <= x && x < y",
        "y % 3 == 0",
        "x != 0 && (y < z || z < 0)",
        "z == 2*x",
    ];
    let mut dice = Dice(7);
    let (mut smaller, mut proved) = (0, 0);
    for case in 0..cases {
        let guard = format!("{BOX} && {}", guards[case % guards.len()]);
        let kind = if dice.below(3) > 0 {
            Kind::Int
        } else {
            Kind::Bool
        };
        let expr = Recipe {
            dice: &mut |k| dice.below(k),
            names: &NAMES,
            constants: &[-2, -1, 0, 1, 2, 3, 4],
        }
        .scalar(kind, 3);
        let mut s = under(&guard);
        let by_rules = s.simplify(expr);
        let out = s.simplify_by_cases(expr);
        smaller += usize::from(out.size() < by_rules.size());
        let guard = parse_truth(FileId(0), &guard).unwrap();
        let values = everywhere(guard, expr);
        assert_eq!(
            everywhere(guard, out),
            values,
            "{expr} => {out} where {guard}"
        );
        let least = values.iter().filter_map(|v| match v {
            Value::Int(n) => Expr::checked_int(*n),
            _ => None,
        });
        let Some(least) = least.min_by_key(|n| n.as_int()) else {
            let truth = s.prove_by_cases(expr).map(Value::Bool);
            let all = truth.is_none_or(|t| values.iter().all(|v| *v == t));
            assert!(all, "{expr} where {guard}");
            continue;
        };
        let may = |e: Expr| under(&guard.to_string()).prove_by_cases(e);
        let bound = may(Expr::of(Op::Le, &[least, expr]));
        assert_ne!(bound, Some(false), "{least} <= {expr} where {guard}");
        proved += usize::from(bound == Some(true));
        let wrong = may(Expr::of(Op::Lt, &[least, expr]));
        assert_ne!(wrong, Some(true), "{least} < {expr} where {guard}");
    }
    assert!(
        smaller >= cases / 40 && proved >= cases / 2,
        "{smaller} smaller, {proved} bounds proved"
    );
}

#[test]
fn what_is_too_large_is_left_as_it_is() {
    let sum = (0..40)
        .map(|i| format!("min(x{i}, y)"))
        .collect::<Vec<_>>()
        .join(" + ");
    let mut s = under("");
    let large = e(&sum);
    assert_eq!(s.simplify_by_cases(large), s.simplify(large));
    assert_eq!(s.prove_by_cases(e(&format!("{sum} <= 40*y"))), None);
}
