//! Of `interp::bounds`.

use rise_opt::interp::bounds::*;
use rise_opt::interp::random::Rng;
use rise_opt::term::{Function, Op};
use rise_opt::ty::Scalar;

fn exact(x: f32) -> Bounded {
    Bounded::exact(x.into(), Scalar::F32)
}

/// Sums of products in a random order, contracted or not, are within the bound; and it is no wider than a few units.
#[test]
fn whatever_is_regrouped_is_within_the_bound() {
    let mut rng = Rng::new(5);
    for n in [1, 2, 3, 7, 40, 300] {
        for _ in 0..50 {
            let mut draw = || (rng.below(1 << 24) as f32 / (1 << 23) as f32) - 1.0;
            let mut terms: Vec<(f32, f32)> = (0..n).map(|_| (draw(), draw())).collect();
            let mut sum = exact(0.0);
            for (x, y) in &terms {
                sum = sum.plus(exact(*x).times(exact(*y)));
            }
            for contract in [false, true] {
                for i in (1..terms.len()).rev() {
                    terms.swap(i, rng.below(i as u64 + 1) as usize);
                }
                let parts = 1 + rng.below(4) as usize;
                let mut sums = vec![0f32; parts];
                for (i, (x, y)) in terms.iter().enumerate() {
                    let s = &mut sums[i % parts];
                    *s = if contract {
                        x.mul_add(*y, *s)
                    } else {
                        *s + x * y
                    };
                }
                let got = f64::from(sums.iter().fold(0f32, |a, b| a + b));
                assert!((got - sum.value).abs() <= sum.bound(), "{n}");
            }
            let all: f64 = terms.iter().map(|(x, y)| f64::from((x * y).abs())).sum();
            let unit = f64::from(f32::EPSILON);
            assert!(sum.bound() <= 1.1 * n as f64 * unit * all + 1e-40, "{n}");
        }
    }
}

#[test]
fn functions_are_within_their_bounds() {
    let mut rng = Rng::new(6);
    for _ in 0..2000 {
        let mut draw = || (rng.below(1 << 24) as f32 / (1 << 21) as f32) - 4.0;
        let (x, y, z) = (draw(), draw(), draw());
        let (a, b, c) = (exact(x), exact(y), exact(z));
        let sum = a.plus(b).plus(c);
        let got = x + (y + z);
        let within = |b: Bounded, got: f32| {
            let off = (f64::from(got) - b.value).abs();
            assert!(
                off <= b.bound() || got.is_nan() == b.value.is_nan() && got.is_nan(),
                "{b:?} {got}"
            );
        };
        within(function(Function::Exp, sum), got.exp());
        within(function(Function::Tanh, sum), got.tanh());
        within(function(Function::Sin, sum), got.sin());
        within(
            function(Function::Sqrt, unary(Op::Abs, sum)),
            got.abs().sqrt(),
        );
        within(binary(Op::Max, sum, a), if got > x { got } else { x });
        if sum.value.abs() > 1e-3 {
            within(binary(Op::Div, a, sum), x / got);
        }
    }
}

#[test]
fn where_nothing_is_known_the_bound_is_infinite_and_infinities_stay() {
    let (zero, one) = (exact(0.0), exact(1.0));
    let near = exact(0.1).plus(exact(0.2)).plus(exact(-0.3));
    assert_eq!(binary(Op::Div, one, near).bound(), f64::INFINITY);
    let most = exact(f32::MAX);
    assert_eq!(most.plus(most).bound(), f64::INFINITY);
    for (x, want) in [
        (binary(Op::Div, one, zero), f64::INFINITY),
        (exact(f32::INFINITY).plus(one), f64::INFINITY),
        (exact(f32::NEG_INFINITY).times(one), f64::NEG_INFINITY),
    ] {
        assert_eq!(x.value, want);
        assert!(x.bound() < 1e-30, "{x:?}");
    }
    let nan = exact(f32::NAN).plus(one);
    assert!(nan.value.is_nan() && nan.bound() < 1e-30, "{nan:?}");
}

/// An infinity beside what may overflow to the other one may be no number, and nothing is known of a function of it.
#[test]
fn functions_of_what_may_be_no_number_have_no_bound() {
    let large = exact(f32::MAX).times(exact(-4.0));
    let sum = exact(f32::INFINITY).plus(large);
    assert!(sum.value == f64::INFINITY && sum.bound() == f64::INFINITY);
    for f in [Function::Exp, Function::Tanh, Function::Sqrt] {
        assert_eq!(function(f, sum.negated()).bound(), f64::INFINITY, "{f:?}");
        assert_eq!(function(f, sum).bound(), f64::INFINITY, "{f:?}");
    }
    assert_eq!(function(Function::Exp, exact(f32::INFINITY)).bound(), 0.0);
}

#[test]
fn quotients_by_powers_of_two_are_exact() {
    let sum = exact(1.0).plus(exact(2.0));
    assert_eq!(binary(Op::Div, sum, exact(4.0)).bound(), 0.0);
    assert_eq!(binary(Op::Div, sum, exact(-0.5)).value, -6.0);
    assert!(binary(Op::Div, sum, exact(3.0)).bound() > 0.0);
    let tiny = exact(f32::from_bits(1));
    assert!(binary(Op::Div, tiny, exact(2.0)).bound() > 0.0);
}

#[test]
fn what_division_leaves_is_as_near_as_the_number_where_the_quotient_is_one() {
    let sum = exact(0.1).plus(exact(0.2));
    let rest = binary(Op::Mod, sum.plus(exact(5.0)), exact(1.0));
    assert!(rest.bound() > 0.0 && rest.bound() < 1e-5, "{rest:?}");
    let whole = sum.plus(exact(0.7));
    assert_eq!(binary(Op::Mod, whole, exact(1.0)).bound(), f64::INFINITY);
    assert_eq!(binary(Op::Mod, exact(5.5), exact(2.0)).bound(), 0.0);
}

/// At the border of where a function is defined the result may be no number on one side.
#[test]
fn at_the_border_of_a_function_there_is_no_bound() {
    let near = exact(0.1).plus(exact(0.2)).plus(exact(-0.3));
    assert!(near.bound() > near.value.abs());
    for f in [Function::Sqrt, Function::Log] {
        assert_eq!(function(f, near).bound(), f64::INFINITY, "{f:?}");
    }
    assert!(function(Function::Sqrt, exact(0.0)).bound() < 1e-30);
}

/// Sums and products of small whole numbers, and of halves, are the same in every order.
#[test]
fn what_is_never_rounded_has_no_bound() {
    let mut sum = exact(0.5);
    for i in 0..1000 {
        sum = sum.plus(exact((i % 9) as f32).times(exact(-3.5)));
    }
    assert_eq!(sum.bound(), 0.0);
    // Of a product with what is no multiple of much, every rounding counts again.
    assert!(sum.times(exact(0.1)).bound() > 0.0);
    let large = exact(16_777_215.0).plus(exact(1.0));
    assert_eq!(large.bound(), 0.0);
    assert!(large.plus(exact(1.0)).bound() > 0.0);
    assert!(exact(1e-30).times(exact(1e-30)).bound() > 0.0);
    let root = function(Function::Sqrt, sum.times(sum));
    assert!(root.bound() > 0.0);
}

#[test]
fn the_sign_of_a_zero_is_known_of_what_was_not_computed_only() {
    let zero = exact(1.0).plus(exact(-1.0));
    assert!(zero.value == 0.0 && zero.bound() == 0.0);
    assert_eq!(binary(Op::Div, exact(1.0), zero).bound(), f64::INFINITY);
    assert_eq!(binary(Op::Div, exact(1.0), exact(0.0)).bound(), 0.0);
    assert_eq!(binary(Op::Div, zero, zero).bound(), 0.0);
}

/// More roundings than the digits of a type have a bound, too.
#[test]
fn long_sums_of_short_floats_have_a_bound() {
    let (mut sum, mut zeros) = (half(0.0), half(0.0));
    for i in 0..3000 {
        sum = sum.plus(half(1.0 / (3 + i % 5) as f32));
        zeros = zeros.plus(half(0.0)).times(half(0.3));
    }
    assert!(sum.bound() > 0.1 * sum.value && sum.bound() < 100.0 * sum.value);
    assert!(zeros.bound() < 0.1, "{zeros:?}");
}

fn half(x: f32) -> Bounded {
    Bounded::exact(Scalar::F16.rounded(x).into(), Scalar::F16)
}
