use super::*;

fn v(name: &str) -> Nat {
    Nat::var(name.into())
}

fn facts() -> Facts {
    let mut f = Facts::new();
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
fn simplified_is_equal_on_random_points() {
    // A small generator: nested operations over the variables of `facts`.
    let f = facts();
    let mut state = 7u64;
    let mut next = move |k: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % k
    };
    let names = ["v", "w", "x", "j"];
    for round in 0..4000 {
        let mut e = v(names[next(4) as usize]);
        for _ in 0..next(6) {
            let o = v(names[next(4) as usize]);
            let c = Nat::int([2, 3, 4, 8, 32, 64][next(6) as usize]);
            e = match next(7) {
                0 => e + o,
                1 => e * c,
                2 => e * c + o,
                3 => e.floor_div(c),
                4 => e.rem(c),
                5 => e * v("n") + o,
                _ => e.min(o),
            };
        }
        let s = f.simplify(e);
        let (m, n) = (1 + next(5) as i64, 32 * (1 + next(4) as i64));
        let at = [
            next((n / 32) as u64) as i64,
            next(32) as i64,
            next(m as u64) as i64,
            next(n as u64) as i64,
        ];
        let mut env = |s: Symbol| match s.as_str() {
            "m" => Some(m),
            "n" => Some(n),
            name => names.iter().position(|v| *v == name).map(|i| at[i]),
        };
        assert_eq!(e.eval(&mut env), s.eval(&mut env), "{round}: {e} => {s}");
    }
}
