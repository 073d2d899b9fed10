use rise_opt::arith::Nat;
use rise_opt::index::*;
use rise_opt::intern::Symbol;
use rise_opt::scalar::random::Dice;

fn v(name: &str) -> Nat {
    Nat::var(name.into())
}

fn facts() -> Facts {
    let mut f = Facts::new(Level::Full);
    let n32 = v("n").exact_div(32.into());
    f.whole(n32);
    f.range("v".into(), 0.into(), n32 - 1.into());
    f.range("w".into(), 0.into(), 31.into());
    f.range("x".into(), 0.into(), v("m") - 1.into());
    f.range("j".into(), 0.into(), v("n") - 1.into());
    f
}

#[test]
fn split_of_join_is_the_index_itself() {
    let f = facts();
    let i = v("v") * 32.into() + v("w");
    assert_eq!(f.floor(i, 32.into()), v("v"));
    assert_eq!(f.rem(i, 32.into()), v("w"));
    let flat = v("x") * v("n") + v("j");
    assert_eq!(f.floor(flat, v("n")), v("x"));
    assert_eq!(f.rem(flat, v("n")), v("j"));
    let tiled = v("x") * v("n") + i;
    assert_eq!(f.floor(tiled, v("n")), v("x"));
    assert_eq!(f.rem(tiled, v("n")), i);
}

#[test]
fn whole_sizes_leave_a_quotient() {
    let f = facts();
    let n32 = v("n").exact_div(32.into());
    assert_eq!(f.floor(v("x") * v("n") + v("w"), 32.into()), v("x") * n32);
    assert_eq!(f.floor(v("x") * n32 + v("v"), n32), v("x"));
}

#[test]
fn common_factors_cancel() {
    let f = facts();
    // (32·j + w) / 128 = j / 4
    let e = v("j") * 32.into() + v("w");
    assert_eq!(f.floor(e, 128.into()), v("j").floor_div(4.into()));
    assert_eq!(
        f.rem(e, 128.into()),
        v("j").rem(4.into()) * 32.into() + v("w")
    );
}

#[test]
fn quotient_and_remainder_rejoin() {
    let f = facts();
    let j = v("j");
    let e = j.floor_div(5.into()) * 5.into() + j.rem(5.into());
    assert_eq!(f.simplify(e), j);
    let e = v("k") * (j.floor_div(5.into()) * 5.into() + j.rem(5.into()));
    assert_eq!(f.simplify(e), v("k") * j);
    // Sums, by what is a sum itself.
    let (i, d) = (Nat::int(8) * j + 3.into(), v("n") + 2.into());
    let e = v("k") + i.floor_div(d) * d + i.rem(d);
    assert_eq!(f.simplify(e), v("k") + i);
    // Of different numbers they are no parts of one.
    let e = (i + 1.into()).floor_div(d) * d + i.rem(d);
    assert_eq!(f.simplify(e), e);
}

#[test]
fn ranges_decide_min_max_and_order() {
    let f = facts();
    assert_eq!(f.min(v("j"), v("n") - 1.into()), v("j"));
    assert_eq!(f.max(v("j"), 0.into()), v("j"));
    assert_eq!(f.less(v("w"), 32.into()), Some(true));
    assert_eq!(f.less(v("w"), 0.into()), Some(false));
    assert_eq!(f.less(v("w"), 16.into()), None);
}

#[test]
fn divisions_are_counted() {
    let f = Facts::new(Level::Off);
    let [x, n] = [v("x"), v("n")];
    assert_eq!(divisions(x * n + 3.into()), 0);
    assert_eq!(divisions(n.exact_div(32.into()) + x), 1);
    assert_eq!(divisions(f.floor(x, 3.into()) + f.rem(x, n)), 2);
    assert_eq!(divisions(f.min(f.floor(x, n), n)), 1);
}

const NAMES: [&str; 4] = ["v", "w", "x", "j"];

/// Nested operations over the variables of [`facts`].
fn random(dice: &mut Dice, f: &Facts) -> Nat {
    let mut e = v(NAMES[dice.below(4) as usize]);
    for _ in 0..dice.below(6) {
        let o = v(NAMES[dice.below(4) as usize]);
        let c = Nat::int([2, 3, 4, 8, 32, 64][dice.below(6) as usize]);
        e = match dice.below(8) {
            0 => e + o,
            1 => e * c,
            2 => e * c + o,
            3 => f.floor(e, c),
            4 => f.rem(e, c),
            5 => e * v("n") + o,
            6 => f.min(e, o),
            _ => e.ceil_div(c),
        };
    }
    e
}

/// A point at which [`facts`] hold.
fn point(dice: &mut Dice) -> impl Fn(Symbol) -> Option<i64> {
    let (m, n) = (1 + dice.below(5) as i64, 32 * (1 + dice.below(4) as i64));
    let at = [
        dice.below((n / 32) as u64) as i64,
        dice.below(32) as i64,
        dice.below(m as u64) as i64,
        dice.below(n as u64) as i64,
    ];
    move |s| match s.as_str() {
        "m" => Some(m),
        "n" => Some(n),
        name => NAMES.iter().position(|v| *v == name).map(|i| at[i]),
    }
}

#[test]
fn simplified_is_equal_on_random_points() {
    let mut dice = Dice(7);
    let f = facts();
    for level in [Level::Off, Level::Fold, Level::Full] {
        let written = Facts::new(level);
        for round in 0..1500 {
            let e = random(&mut dice, &written);
            let s = f.simplify(e);
            for _ in 0..8 {
                let env = point(&mut dice);
                assert_eq!(e.eval(&mut &env), s.eval(&mut &env), "{round}: {e} => {s}");
            }
        }
    }
}

/// Both languages have one normal form: there and back again is where it began.
#[test]
fn sizes_are_scalar_expressions_and_back() {
    let mut dice = Dice(11);
    let plain = Facts::new(Level::Fold);
    let mut operations = 0;
    for round in 0..3000 {
        let n = random(&mut dice, &plain);
        let e = to_expr(n).unwrap();
        assert_eq!(to_nat(e), Some(n), "{round}: {n} is {e}");
        operations += usize::from(e.to_string().contains(['/', '%']));
        let env = point(&mut dice);
        let value = rise_opt::scalar::eval(e, &|v| {
            let value = env(v)?;
            Some(rise_opt::scalar::Value::Int(value.into()))
        });
        let known = n.eval(&mut &env).expect("a value");
        assert_eq!(
            value,
            Ok(rise_opt::scalar::Value::Int(known.into())),
            "{n} is {e}"
        );
    }
    assert!(operations > 500, "{operations}");
    for (n, text) in [
        (v("n").exact_div(32.into()), "n / 32"),
        (
            v("x") * v("n").exact_div(32.into()) + v("w"),
            "(n * x + w * 32) / 32",
        ),
        (v("m").ceil_div(6.into()), "(m + 5) / 6"),
        (
            v("j") * 4.into() + v("x") * v("n") * 4.into() + v("w") - 3.into(),
            "(n * x + j) * 4 + w + -3",
        ),
        (v("x") - v("w") * 2.into(), "x - w * 2"),
    ] {
        assert_eq!(to_expr(n).unwrap().to_string(), text);
    }
    assert_eq!(to_expr(Nat::meta(0)), None);
    assert_eq!(to_expr(Nat::overflow()), None);
    let truth = rise_opt::scalar::Expr::bool(true);
    assert_eq!(to_nat(truth), None);
}

#[test]
fn what_stays_open_is_noted_with_what_is_known() {
    let f = facts();
    assert_eq!(f.less(v("w"), 16.into()), None);
    assert_eq!(f.floor(v("j"), 5.into()), v("j").floor_div(5.into()));
    f.extent(v("n").exact_div(32.into()));
    let text = f.queries().text();
    for line in [
        "w < 16  where 0 <= w && w < 32\n",
        "j / 5  where 0 <= n && n % 32 == 0 && 0 <= (n/32) && 0 <= j && j < (n/32) * 32\n",
        "(n/32)  where 0 <= n && n % 32 == 0 && 0 <= (n/32)\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let asked = f.queries();
    let mut proved = asked.comparisons().filter(|a| a.answer == Some(true));
    assert!(proved.next().is_none());
}
