//! Of `trail::witness_term`.

use rise_opt::term::Term;
use rise_opt::trail::spelled::Spelled;
use rise_opt::trail::witness_term::*;
use rise_opt::ty::{Scalar, Ty};

/// A variable that a lambda of the term binds has that lambda's type, or it is of elsewhere.
#[test]
fn what_stands_under_other_binders_is_closed() {
    let (int, float) = (Ty::from(Scalar::I32), Ty::from(Scalar::F32));
    let variable = |ty| Spelled::leaf(Term::var(0, ty), 1);
    let function = |arg, ty| Spelled::lam(None, arg, variable(ty), 2);
    for (t, as_it_is) in [
        (function(int, int), true),
        (function(float, int), false),
        (variable(float), true),
        (variable(int), false),
    ] {
        let mut scope = vec![float];
        let put = put_under(&t, &mut scope).expect("numbers have values");
        assert_eq!(put.term() == t.term(), as_it_is, "{}", put.term());
        assert!(put
            .term()
            .is_well_scoped(&mut |i, ty| i == 0 && ty == float));
        assert_eq!((put.ty(), scope), (t.ty(), vec![float]));
    }
}
