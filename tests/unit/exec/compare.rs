//! Of `exec::compare`.

use super::*;

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
