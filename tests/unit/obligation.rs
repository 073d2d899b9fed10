use rise_opt::obligation::*;

use rise_opt::arith::Nat;

#[test]
fn assumptions_read_well() {
    let n = Nat::var("n".into());
    assert_eq!(
        Assumption::Divides(32.into(), n).to_string(),
        "32 divides n"
    );
    assert_eq!(Assumption::NotNegative(n - 1.into()).to_string(), "n >= 1");
    let above = Nat::int(8) - n * Nat::int(2);
    assert_eq!(Assumption::NotNegative(above).to_string(), "2*n <= 8");
    let none = (n - 1.into()).max(Nat::int(0) - Nat::var("m".into()));
    let text = Assumption::NotNegative(none).to_string();
    assert!(
        ["n >= 1 or m <= 0", "m <= 0 or n >= 1"].contains(&&*text),
        "{text}"
    );
    let at = |k: i64| Assumption::Divides(32.into(), n).holds(&mut |_| Some(k));
    assert_eq!(
        (at(64), at(33), at(0)),
        (Some(true), Some(false), Some(true))
    );
}

fn n() -> Nat {
    Nat::var("n".into())
}

fn texts(all: &[Assumption]) -> Vec<String> {
    all.iter().map(|a| a.to_string()).collect()
}

#[test]
fn what_always_holds_is_not_asked() {
    let m = Nat::var("m".into());
    let sizes = [
        n(),
        n() * m,
        32.into(),
        Nat::int(32) * n().ceil_div(32.into()) - n(),
    ];
    assert_eq!(missing(&[], &sizes), []);
    assert_eq!(assumptions(&sizes, &[], &[]).unwrap(), []);
}

#[test]
fn what_is_implied_is_not_asked_again() {
    let eight = n().exact_div(8.into());
    let held = missing(&[], &[eight, n() - 3.into()]);
    assert_eq!(texts(&held), ["8 divides n", "n >= 3"]);
    let weaker = [n().exact_div(4.into()), n() - 2.into(), eight - 0.into()];
    assert_eq!(missing(&held, &weaker), []);
    // A multiple of 16 that is at least 3 is at least 4, too.
    let other = [n().exact_div(16.into()), n() - 4.into(), n() - 40.into()];
    assert_eq!(texts(&missing(&held, &other)), ["16 divides n", "n >= 40"]);
}

#[test]
fn divisors_are_positive() {
    let m = Nat::var("m".into());
    let sizes = [n().ceil_div(m), n().exact_div(m)];
    assert_eq!(texts(&missing(&[], &sizes)), ["m >= 1", "m divides n"]);
}

#[test]
fn what_holds_at_no_sizes_is_found() {
    let minus = Nat::int(0) - n();
    let never = |sizes: &[Nat]| contradiction(&missing(&[], sizes)).is_some();
    assert!(never(&[minus]));
    assert!(never(&[Nat::int(-3)]));
    assert!(never(&[Nat::int(1).exact_div(2.into())]));
    // 2*n is even, so never one more than a multiple of 4.
    assert!(never(&[(n() * 2.into() + 1.into()).exact_div(4.into())]));
    assert!(never(&[n() - 5.into(), Nat::int(3) - n()]));
    for satisfied in [
        &[n() - 5.into()][..],
        &[Nat::int(3) - n()],
        &[n().exact_div(4.into())],
    ] {
        assert!(!never(satisfied), "{satisfied:?}");
    }
}
