mod class;

use rise_opt::arith::Nat;
use rise_opt::term::*;
use rise_opt::ty::{Scalar, Ty, TyKind};

fn f32() -> Ty {
    Scalar::F32.into()
}

#[test]
fn every_scheme_binds_what_it_uses() {
    for &op in Op::ALL {
        let sizes = vec![Nat::int(3); op.size_args()];
        let s = op.scheme(&sizes).unwrap_or_else(|| panic!("{}", op.name()));
        assert!(op.size_args() as u32 <= s.nats, "{}", op.name());
        assert_eq!(Op::from_name(op.name()), Some(op));
        let closed =
            s.ty.subst(&mut |i| s.tys.get(i as usize).map(|_| f32()), &mut |i| {
                (i < s.nats).then(|| Nat::int(4))
            });
        assert!(!closed.has_meta(), "{}: {closed}", op.name());
    }
}

#[test]
fn beta_and_eta() {
    let ff = Ty::fun(f32(), f32());
    let neg = Term::prim(Op::Neg.into(), ff);
    let x = Term::var(0, f32());
    // \x -> neg x
    let eta = Term::lam(None, f32(), Term::app(neg.clone(), x.clone()));
    assert_eq!(normalize(&eta), neg);
    // (\f -> \x -> f (f x)) neg
    let f1 = Term::var(1, ff);
    let twice = Term::lam(
        None,
        ff,
        Term::lam(None, f32(), Term::app(f1.clone(), Term::app(f1, x.clone()))),
    );
    let got = normalize(&Term::app(twice, neg.clone()));
    assert_eq!(got.to_string(), "\\neg (neg %0)");
}

#[test]
fn instantiate_shifts_under_binders() {
    // body = \y -> x + y with x = %1; put %3 for x: under the binder it is %4.
    let add = Term::prim(Op::Add.into(), Ty::funs([f32(), f32()], f32()));
    let body = Term::lam(
        None,
        f32(),
        Term::apps(add, [Term::var(1, f32()), Term::var(0, f32())]),
    );
    let got = body.instantiate(&Term::var(3, f32()));
    assert_eq!(got.to_string(), "\\add %4 %0");
    assert_eq!(got.open(), 4);
}

#[test]
fn vectors_distribute_over_pairs() {
    let t = Ty::vec(8.into(), Ty::pair(f32(), f32()));
    assert!(matches!(t.kind(), TyKind::Pair(..)));
    assert_eq!(t.as_vec(), Some((8.into(), Ty::pair(f32(), f32()))));
}
