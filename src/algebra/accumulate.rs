//! Operators that only add to their first argument.

use crate::term::{normalize, Kind, Term};

/// The operator `+` of `op = \a -> \y -> a + g y`, if `a` stands nowhere else; `+` must be the
/// primitive of `by`, whose type is not looked at.
pub fn accumulates(op: &Term, by: &Term) -> Option<Term> {
    let op = normalize(op);
    if same_operation(&op, by) {
        return Some(op);
    }
    let (Kind::Lam(_, step), _) = (op.kind(), ()) else {
        return None;
    };
    // `\a -> (+) a` is in normal form the operator itself, so there are two lambdas here.
    let Kind::Lam(_, body) = step.kind() else {
        return None;
    };
    let (head, args) = body.spine();
    let [x, y] = args[..] else { return None };
    let start = |t: &Term| matches!(t.kind(), Kind::Var(1));
    let alone = (start(x) && !y.mentions(1)) || (start(y) && !x.mentions(1));
    (alone && same_operation(head, by)).then(|| head.clone())
}

fn same_operation(a: &Term, b: &Term) -> bool {
    matches!((a.kind(), b.kind()), (Kind::Prim(p), Kind::Prim(q)) if p == q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Op;
    use crate::ty::{Scalar, Ty};

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
}
