//! Of `algebra::accumulate`.

use rise_opt::algebra::accumulate::*;
use rise_opt::term::{Op, Term};
use rise_opt::ty::{Scalar, Ty};

#[test]
fn only_sums_onto_the_first_argument() {
    let t: Ty = Scalar::I32.into();
    let add = Term::prim(Op::Add.into(), Ty::funs([t, t], t));
    let mul = Term::prim(Op::Mul.into(), Ty::funs([t, t], t));
    let v = |i| Term::var(i, t);
    let two = |f: &Term, x: Term, y: Term| Term::apps(f.clone(), [x, y]);
    let op = |b: Term| Term::lam(None, t, Term::lam(None, t, b));
    let square = two(&mul, v(0), v(0));
    assert!(accumulates(&add, &add).is_some());
    assert!(accumulates(&op(two(&add, v(1), square.clone())), &add).is_some());
    assert!(accumulates(&op(two(&add, square.clone(), v(1))), &add).is_some());
    assert!(accumulates(&op(two(&mul, v(1), square)), &add).is_none());
    assert!(accumulates(&op(two(&add, v(1), v(1))), &add).is_none());
}
