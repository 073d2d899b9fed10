//! Of `exec::array`.

use rise_opt::exec::array::*;
use rise_opt::interp::random::Rng;
use rise_opt::ty::Scalar;

#[test]
fn random_arrays_depend_on_the_seed_only_and_stay_in_range() {
    for scalar in Scalar::ALL {
        let make = |seed| Array::random(scalar, 100, &mut Rng::new(seed));
        assert_eq!(make(7), make(7));
        let a = make(7);
        assert_eq!(a.len(), 100);
        for i in 0..100 {
            let x = a.number(i);
            assert!((-9.0..=9.0).contains(&x));
            assert!(scalar.is_signed() || scalar.is_float() || x >= 0.0);
        }
    }
    let a = Array::random(Scalar::F32, 8, &mut Rng::new(1));
    assert_ne!(a, Array::random(Scalar::F32, 8, &mut Rng::new(2)));
}
