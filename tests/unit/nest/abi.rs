//! Of `nest::abi`.

use rise_opt::nest::abi::*;
use rise_opt::ty::{Scalar, Ty};

#[test]
fn leaves_of_pairs_in_arrays() {
    let f = Ty::from(Scalar::F32);
    let ty = Ty::array(3.into(), Ty::pair(f, Ty::vec(4.into(), f)));
    let sizes: Vec<_> = leaf_sizes(ty).iter().map(|n| n.as_int()).collect();
    assert_eq!(sizes, [Some(3), Some(12)]);
    assert!(leaves(Ty::fun(f, f)).is_none());
}
