//! Of `lower::index_map`.

use rise_opt::arith::Nat;
use rise_opt::index::{Facts, Level};
use rise_opt::lower::index_map::*;

/// What a map says of constant indices.
fn at(map: IndexMap, indices: &[i64]) -> Vec<i64> {
    let indices: Vec<Nat> = indices.iter().map(|i| Nat::int(*i)).collect();
    let found = map.apply(&Facts::new(Level::Full), &indices);
    found.iter().filter_map(|n| n.as_int()).collect()
}

#[test]
fn the_inverse_leads_back() {
    let k = Nat::int(3);
    for (map, from) in [
        (IndexMap::Merge(k), vec![4, 2]),
        (IndexMap::Divide(k), vec![14]),
        (IndexMap::Swap, vec![4, 2]),
        (IndexMap::Shift(k), vec![5]),
        (IndexMap::First(k), vec![2]),
        (IndexMap::Reverse(Nat::int(9)), vec![7]),
    ] {
        let (back, kept) = map.inverse().expect("a way back");
        let there = at(map, &from);
        assert_eq!(at(back, &there), from, "{map:?}");
        let inside = match kept {
            Kept::All => true,
            Kept::Below(n) => Nat::int(there[0]).as_int() < n.as_int(),
            Kept::From(n) => Nat::int(there[0]).as_int() >= n.as_int(),
        };
        assert!(inside, "{map:?}");
    }
}

#[test]
fn padding_repeats_the_ends() {
    let map = IndexMap::Clamp {
        before: Nat::int(2),
        last: Nat::int(3),
    };
    let all: Vec<i64> = (0..8).flat_map(|i| at(map, &[i])).collect();
    assert_eq!(all, [0, 0, 0, 1, 2, 3, 3, 3]);
    assert!(map.inverse().is_none());
}
