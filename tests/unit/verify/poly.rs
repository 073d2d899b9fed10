//! Of `verify::poly`.

use rise_opt::verify::poly::*;

/// The value where atoms have these values.
pub fn value_of(p: &Poly, at: &dyn Fn(Atom) -> Option<i128>) -> Option<i128> {
    let mut sum = 0_i128;
    for (m, mut product) in p.terms() {
        for a in m.atoms() {
            product = product.checked_mul(at(*a)?)?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}

#[test]
fn division_is_exact_and_its_rest_canonical() {
    let [x, y, z] = [0, 1, 2].map(|i| Poly::atom(Atom(i)));
    let dividend = x.mul(&y).unwrap().scale(5).unwrap().add(&z).unwrap();
    for d in [
        y.clone(),
        y.scale(-2).unwrap(),
        y.add(&x).unwrap(),
        Poly::constant(3),
    ] {
        let (k, rest) = dividend.divide(&d).unwrap();
        assert_eq!(d.mul(&k).unwrap().add(&rest).unwrap(), dividend);
        let more = dividend.add(&d.mul(&z).unwrap()).unwrap();
        assert_eq!(more.divide(&d).unwrap().1, rest);
    }
    assert_eq!(dividend.divide(&y).unwrap().1, z);
}

#[test]
fn what_is_too_large_is_no_polynomial() {
    let large = Poly::constant(i128::MAX);
    assert_eq!(large.add(&Poly::constant(1)), None);
    assert_eq!(large.mul(&large), None);
    assert_eq!(large.sub(&large), Some(Poly::zero()));
}
