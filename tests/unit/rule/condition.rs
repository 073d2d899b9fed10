//! Of `rule::condition`.

use rise_opt::arith::Nat;
use rise_opt::elab::Rel;
use rise_opt::intern::Symbol;
use rise_opt::rule::condition::*;
use rise_opt::ty::TySubst;

/// A relation holds if it does at all sizes: `n < n + 1`, but not `n < m`, and not `n/2 < (n+1)/2`, of which one is no
/// whole number.
#[test]
fn orders_of_sizes_are_those_of_whole_numbers() {
    let n = Nat::var(Symbol::new("n"));
    let half = |n: Nat| n.exact_div(Nat::int(2));
    let holds = |a: Nat, rel, b: Nat| SizeCondition::Compare(a, rel, b).holds(&TySubst::default());
    let next = n + Nat::int(1);
    let cases = [
        (n, next, [true, true, false, false]),
        (next, n, [false, false, true, true]),
        (n, n, [false, true, false, true]),
        (half(n), half(next), [false, true, false, false]),
        (half(next), half(n), [false, false, false, true]),
        (n, Nat::var(Symbol::new("m")), [false; 4]),
    ];
    for (a, b, expected) in cases {
        let found = [Rel::Lt, Rel::Le, Rel::Gt, Rel::Ge].map(|rel| holds(a, rel, b));
        assert_eq!(found, expected, "{a} and {b}");
    }
}
