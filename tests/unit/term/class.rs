//! Of `term::class`.

use rise_opt::arith::Nat;
use rise_opt::term::class::*;
use rise_opt::ty::{Scalar, Ty};

/// Every kind of type against every class.
#[test]
fn what_is_of_which_class() {
    let n = Nat::int(4);
    let f32: Ty = Scalar::F32.into();
    let bool: Ty = Scalar::Bool.into();
    let int: Ty = Scalar::I8.into();
    let pair = Ty::pair(f32, bool);
    let fun = Ty::fun(f32, f32);
    let classes = |ty: Ty| {
        use Class::*;
        let all = [Data, Number, Int, Float, Element, Flat];
        let of = all.into_iter().filter(|c| c.judge(ty) == Some(true));
        let open = all.into_iter().filter(|c| c.judge(ty).is_none());
        (
            of.map(|c| format!("{c:?}")).collect::<Vec<_>>().join(" "),
            open.count(),
        )
    };
    let known = [
        (f32, "Data Number Float Element Flat"),
        (int, "Data Number Int Element Flat"),
        (bool, "Data Element Flat"),
        (Ty::idx(n), "Data Element"),
        (pair, "Data Flat"),
        (Ty::pair(f32, fun), ""),
        (Ty::vec(n, f32), "Data Number Float"),
        (Ty::vec(n, int), "Data Number Int"),
        (Ty::vec(n, bool), "Data"),
        (Ty::vec(n, pair), "Data"),
        (Ty::array(n, f32), "Data"),
        (Ty::array(n, fun), ""),
        (fun, ""),
    ];
    for (ty, of) in known {
        assert_eq!(classes(ty), (of.to_string(), 0), "{ty}");
    }
    let open = Ty::meta(0);
    assert_eq!(classes(open), (String::new(), 6));
    assert_eq!(classes(Ty::pair(open, f32)), (String::new(), 2));
    assert_eq!(classes(Ty::vec(n, open)), ("Data".to_string(), 3));
    assert_eq!(classes(Ty::array(n, open)), (String::new(), 1));
}
