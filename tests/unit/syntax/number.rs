//! Of `syntax::number`.

use rise_opt::syntax::number::*;

#[test]
fn values_and_suffixes() {
    let value = |t: &str| parse(t).unwrap().value;
    assert_eq!(value("50_000_000"), Value::Int(50_000_000));
    assert_eq!(value("1e-3"), Value::Float(1e-3));
    assert_eq!(value("2f32"), Value::Float(2.0));
    assert_eq!(parse("0.5bf16").unwrap().suffix, Some("bf16"));
    assert_eq!(parse("65519f16").unwrap().suffix, Some("f16"));
    assert_eq!(parse("3i64").unwrap().suffix, Some("i64"));
    assert_eq!(value("18446744073709551615u64"), Value::Int(u64::MAX));
    assert_eq!(value("infinity"), Value::Float(f64::INFINITY));
    assert_eq!(parse("infinityf64").unwrap().suffix, Some("f64"));
    for bad in [
        "infinityi32",
        "32f",
        "1i7",
        "0.5i32",
        "9223372036854775808",
        "300u8",
        "1e999",
        "4e39f32",
        "65520f16",
        "3.4e38bf16",
    ] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}
