use rise_opt::arith::{Nat, Rat};
use rise_opt::intern::Symbol;
use rise_opt::validate::system::*;

/// Whether there is no such number, of which nothing else is known.
fn never(facts: &[Nat]) -> bool {
    contradict(facts.iter().copied(), &|_| None)
}

#[test]
fn quotients_of_what_is_not_whole_are_no_closer_than_they_are() {
    let n = Nat::var(Symbol::new("n"));
    let half = n * Nat::rat(Rat::new(1, 2).unwrap());
    let at = |k: i64| [n - k.into(), Nat::int(k) - n];
    // Of 5/2 the third is 0, and 2 and a half are left.
    let third = half.floor_div(3.into());
    assert!(!never(&[&at(5)[..], &[Nat::int(0) - third]].concat()));
    assert!(never(&[&at(5)[..], &[third - 1.into()]].concat()));
    assert!(never(&[&at(6)[..], &[Nat::int(0) - third]].concat()));
    // Between 2 and 3 is something, if that may be a half.
    let least = half.min(Nat::var(Symbol::new("m")));
    assert!(!never(
        &[&at(5)[..], &[least - 2.into(), Nat::int(3) - least]].concat()
    ));
}

/// Where 8 does not divide a number, 16 does not: without what 8 leaves, which is left out with a loss of whole numbers, nothing says it.
#[test]
fn whole_numbers_are_lost_last() {
    let n = Nat::var(Symbol::new("n"));
    let by = |k: i64| (n.floor_div(k.into()), n.ceil_div(k.into()));
    let left = n - by(8).0 * 8.into() - 1.into();
    let even = by(16).0 - by(16).1;
    assert!(never(&[n, left, even]));
    assert!(!never(&[n, even]));
    assert!(!never(&[n, left, by(4).0 - by(4).1]));
}

/// Messages name variables as loop programs do.
#[test]
fn marks_of_inner_variables_are_not_shown() {
    use rise_opt::validate::show::plain;
    assert_eq!(plain("a[%64:i24] + ((n) % (4))"), "a[i24] + ((n) % (4))");
    assert_eq!(plain("%1:i, %2:i, %1:i"), "i, i', i");
    assert_eq!(plain("fold of %fold"), "fold of fold");
    assert_eq!(plain("100%"), "100%");
}
