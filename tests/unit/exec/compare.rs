//! Of `exec::compare`.

use rise_opt::exec::array::Array;
use rise_opt::exec::compare::*;
use rise_opt::ty::Scalar;

fn floats(xs: &[f64]) -> Vec<Array> {
    vec![Array::of(Scalar::F32, xs.iter().copied())]
}

#[test]
fn rounding_agrees_and_errors_do_not() {
    let want = floats(&[1.0, -2.0, 1e-9]);
    assert!(compare(&floats(&[1.0000002, -2.0, 1.1e-9]), &want, 4.0).agrees());
    let d = compare(&floats(&[1.0, -2.01, 1e-9]), &want, 4.0);
    assert!(!d.agrees());
    assert_eq!(d.worst.unwrap().index, 1);
    assert!(!compare(&floats(&[1.0, f64::NAN, 0.0]), &want, 4.0).agrees());
    assert!(!compare(&floats(&[1.0, -2.0]), &want, 4.0).agrees());
}

#[test]
fn infinities_and_nan_agree_with_themselves() {
    let xs = floats(&[f64::INFINITY, f64::NAN, 0.0]);
    let d = compare(&xs, &xs, 1.0);
    assert_eq!(d.error, 0.0);
    assert!(d.tolerance > 0.0);
}

#[test]
fn integers_must_be_equal() {
    let ints = |xs: &[f64]| vec![Array::of(Scalar::I32, xs.iter().copied())];
    assert!(compare(&ints(&[1.0, 2.0]), &ints(&[1.0, 2.0]), 9.0).agrees());
    assert!(!compare(&ints(&[1.0, 3.0]), &ints(&[1.0, 2.0]), 9.0).agrees());
}

/// A sum in order stops to grow where what is added is less than half of its last place.
#[test]
fn sums_that_no_longer_grow_are_explained() {
    let n = 1 << 25;
    let (mut in_order, mut in_blocks) = (0.0f32, 0.0f32);
    for _ in 0..n {
        in_order += 1.0;
    }
    for _ in 0..1 << 10 {
        in_blocks += (0..n >> 10).fold(0.0, |sum, _| sum + 1.0f32);
    }
    let (want, got) = (floats(&[in_order.into()]), floats(&[in_blocks.into()]));
    assert!(in_blocks == 2.0 * in_order && compare(&got, &want, f64::from(n)).agrees());
    let shorter = f64::from(1 << 20);
    assert!(!compare(&got, &want, shorter).agrees());
    assert!(!compare(&floats(&[1.01]), &floats(&[1.0]), shorter).agrees());
}
