//! Of `search::advise::sizes`.

use rise_opt::arith::Nat;
use rise_opt::search::advise::sizes::*;

#[test]
fn near_divisors_are_proper() {
    assert_eq!(divisors_near(100, 32), [25, 50]);
    assert_eq!(divisors_near(96, 40), [32, 48]);
    assert!(divisors_near(7, 3).is_empty());
    assert!(divisors_near(i64::MAX, i64::MAX).len() < 3);
}

#[test]
fn constants_stand_in_quotients_too() {
    let m = Nat::var("m".into());
    assert_eq!(constants(m.exact_div(Nat::int(32))), [32]);
    assert_eq!(constants(Nat::int(4)), [4]);
    assert!(constants(m).is_empty());
}
