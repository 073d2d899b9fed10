use rise_opt::arith::*;

fn v(name: &str) -> Nat {
    Nat::var(name.into())
}

#[test]
fn equal_sizes_have_equal_ids() {
    let (n, k) = (v("n"), v("k"));
    assert_eq!(n.exact_div(32.into()) * 32.into(), n);
    assert_eq!((n * k).exact_div(k), n);
    assert_eq!((n + k) * (n - k), n * n - k * k);
    assert_eq!((n * n - k * k).exact_div(n - k), n + k);
    assert_eq!((n * k + n).exact_div(k + 1.into()), n);
    assert_ne!(n.exact_div(k), k.exact_div(n));
}

#[test]
fn a_constant_below_one_is_never_a_size() {
    assert!(Nat::int(4).exact_div(32.into()).never_a_size());
    assert!(Nat::int(0).never_a_size());
    assert!(!Nat::int(1).never_a_size());
    assert!(!v("n").exact_div(32.into()).never_a_size());
}

#[test]
fn multiples_of_sums_are_taken_out() {
    let (h, w, i, j) = (v("h"), v("w"), v("i"), v("j"));
    let rows = (h + 1.into()) * (w + 1.into());
    assert_eq!((rows * i + j).floor_div(rows), i + j.floor_div(rows));
    assert_eq!((rows * i * 4.into() + j).rem(rows), j.rem(rows));
    assert_eq!((rows * (i + j)).ceil_div(rows), i + j);
    // Of a part of it nothing is known.
    let part = h * i + w * i;
    assert_eq!(
        part.floor_div(rows).to_string(),
        "floor(h*i + i*w, h + h*w + w + 1)"
    );
}

#[test]
fn floor_ceil_and_rem_take_out_whole_multiples() {
    let n = v("n");
    assert_eq!((n * 8.into() + 3.into()).floor_div(8.into()), n);
    assert_eq!((n * 8.into()).ceil_div(8.into()), n);
    assert_eq!((n * 8.into()).rem(8.into()), 0.into());
    assert_eq!(Nat::int(-1).rem(8.into()), 7.into());
    assert_eq!(Nat::int(9).ceil_div(8.into()), 2.into());
    let tiles = n.ceil_div(8.into());
    assert_eq!((tiles * 8.into()).exact_div(8.into()), tiles);
}

#[test]
fn solves_for_one_unknown() {
    let (n, q) = (v("n"), Nat::meta(0));
    assert_eq!((q * 32.into()).solve(n), Some((0, n.exact_div(32.into()))));
    assert_eq!((q + 3.into()).solve(n), Some((0, n - 3.into())));
    assert_eq!((q * Nat::meta(1)).solve(n), None);
}

#[test]
fn overflow_absorbs_and_is_found() {
    let big = Nat::int(i64::MAX);
    assert!((big * big).is_overflow());
    assert!((big * big + v("n")).never_a_size());
    let lost = Nat::overflow();
    for (a, b) in [(lost, v("n")), (v("n"), lost)] {
        assert!([
            a.rem(b),
            a.floor_div(b),
            a.ceil_div(b),
            a.exact_div(b),
            a - b
        ]
        .map(Nat::is_overflow)
        .into_iter()
        .all(|o| o));
    }
    assert!(Nat::int(1).exact_div(0.into()).is_overflow());
}

#[test]
fn shows_what_the_parser_reads() {
    let (m, n) = (v("m"), v("n"));
    assert_eq!(n.exact_div(32.into()).to_string(), "n/32");
    assert_eq!(
        (Nat::int(3) + n * m - m.exact_div(n)).to_string(),
        "m*n - m/n + 3"
    );
    assert_eq!((Nat::int(0) - n).to_string(), "-n");
    assert_eq!(n.ceil_div(8.into()).to_string(), "ceil(n, 8)");
}

#[test]
fn evaluates_and_refuses_inexact_division() {
    let n = v("n").exact_div(32.into());
    assert_eq!(n.eval(&mut |_| Some(64)), Some(2));
    assert_eq!(n.eval(&mut |_| Some(65)), None);
    assert_eq!(n.eval(&mut |_| None), None);
    let m = v("m");
    let tiles = (m + 1.into()).ceil_div(8.into()) * m.rem(5.into()).max(m.floor_div(3.into()));
    assert_eq!(tiles.eval(&mut |_| Some(13)), Some(8));
    let whole = n * 32.into() - m.exact_div(m + 1.into()) * (m + 1.into());
    assert_eq!(whole.eval(&mut |_| Some(7)), Some(0));
}

/// A size that is at least 1, and how often it is there.
#[test]
fn the_smaller_and_the_larger_of_two_are_both() {
    let (m, n, four) = (v("m"), v("n"), Nat::int(4));
    let rows = n.floor_div(four) - m;
    let (some, one) = (rows.max(1.into()), rows.min(1.into()));
    assert_eq!(some * one, rows);
    assert_eq!(m * some * (one * four), four * m * rows);
    assert_eq!((rows * four).exact_div(some * four), one);
    assert_eq!((rows * m).exact_div(one), some * m);
    assert_eq!((n - four * m).floor_div(some * four), one);
    // Neither of others, nor of what is not whole.
    assert_ne!((n - m).floor_div(some * four), one);
    assert!((m * four).exact_div(some).to_string().contains('/'));
    let (x, y, z) = (n * m + 1.into(), m - n, n + 1.into());
    let of = |f: &dyn Fn(Nat, Nat) -> Nat| f(x.min(y), x.max(y)) + f(y.min(z), y.max(z));
    let all = [
        of(&|a, b| a * b),
        of(&|a, b| (a * b * m).exact_div(b)),
        (x * y).exact_div(x.max(y)),
        (n - four * m).floor_div(some * four),
        (m + v("p").exact_div(some))
            .subst_vars(&mut |s| (s.as_str() == "p").then(|| rows * 3.into())),
    ];
    for (i, j) in (0..12_i64).flat_map(|i| (0..12_i64).map(move |j| (i, j))) {
        let (rows, x, y, z) = (j / 4 - i, i * j + 1, i - j, j + 1);
        let values = [
            x * y + y * z,
            x.min(y) * i + y.min(z) * i,
            x.min(y),
            (j - 4 * i).div_euclid(4 * rows.max(1)),
            i + 3 * rows.min(1),
        ];
        for (n, value) in all.iter().zip(values) {
            let found = n.eval(&mut |s| Some(if s.as_str() == "m" { i } else { j }));
            assert_eq!(found.unwrap_or(value), value, "{n} at {i}, {j}");
        }
    }
}

#[test]
fn a_quotient_is_not_whole_by_its_form() {
    let (n, rows) = (v("n"), v("w") + 1.into());
    for n in [n, n.floor_div(rows), n.rem(rows), rows.min(n) * n] {
        assert!(is_whole(n), "{n}");
    }
    let part = n.exact_div(rows);
    for n in [
        part,
        n.exact_div(2.into()),
        part * n,
        part.max(n),
        part.rem(n),
    ] {
        assert!(!is_whole(n), "{n}");
    }
}
