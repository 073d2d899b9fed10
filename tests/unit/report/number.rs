//! Of `report::number`.

use rise_opt::report::number::*;

#[test]
fn numbers_have_three_digits_and_a_unit() {
    assert_eq!(seconds(0.00123), "1.23 ms");
    assert_eq!(seconds(12.34), "12.3 s");
    assert_eq!(seconds(4.5e-7), "450 ns");
    assert_eq!(seconds(f64::NAN), "-");
    assert_eq!(bytes(18 << 20), "18.0 MB");
    assert_eq!(bytes(512), "512 B");
    assert_eq!(count(1234567), "1 234 567");
    assert_eq!(count(12), "12");
}
