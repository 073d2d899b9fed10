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
