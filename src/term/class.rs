//! Which types a type variable may stand for.
//!
//! Comes in: what a scheme or a rule asks of one of its type variables, and a type;
//! goes out: whether the type is of that class, which is not known yet where unknown
//! types decide it. Inference, the search and the checker of proofs all ask here.

use crate::ty::{Scalar, Ty, TyKind};

/// What a scheme asks of one of its type variables.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Class {
    /// Not a function, nor anything with functions in it.
    Data,
    /// A number, or a vector of numbers.
    Number,
    /// An f32 or f64, or a vector of them.
    Float,
    /// A scalar, bool and `idx[n]` included; no vector, as `lt` gives one bool.
    Element,
    /// A scalar or pair of such.
    Flat,
}

impl Class {
    /// Whether a type is of this class; `None` if that is not known yet.
    pub fn judge(self, ty: Ty) -> Option<bool> {
        let both = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        let scalar = |t: Ty, test: fn(Scalar) -> bool| match t.kind() {
            TyKind::Scalar(s) => Some(test(s)),
            TyKind::Meta(_) => None,
            _ => Some(false),
        };
        let lane = match ty.kind() {
            TyKind::Vec(_, t) => t,
            _ => ty,
        };
        match (self, ty.kind()) {
            (Class::Data | Class::Flat, TyKind::Pair(a, b)) => both(self.judge(a), self.judge(b)),
            (Class::Data, TyKind::Array(_, e)) => self.judge(e),
            (Class::Data, TyKind::Meta(_)) => None,
            (Class::Data, kind) => Some(!matches!(kind, TyKind::Fun(..))),
            (Class::Element, TyKind::Idx(_)) => Some(true),
            (Class::Element | Class::Flat, _) => scalar(ty, |_| true),
            (Class::Number, _) => scalar(lane, |s| s != Scalar::Bool),
            (Class::Float, _) => scalar(lane, Scalar::is_float),
        }
    }

    /// Whether a type without unknowns is of this class.
    pub fn admits(self, ty: Ty) -> bool {
        self.judge(ty) == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::Nat;

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
            let all = [Data, Number, Float, Element, Flat];
            let of = all.into_iter().filter(|c| c.judge(ty) == Some(true));
            let open = all.into_iter().filter(|c| c.judge(ty).is_none());
            (
                of.map(|c| format!("{c:?}")).collect::<Vec<_>>().join(" "),
                open.count(),
            )
        };
        let known = [
            (f32, "Data Number Float Element Flat"),
            (int, "Data Number Element Flat"),
            (bool, "Data Element Flat"),
            (Ty::idx(n), "Data Element"),
            (pair, "Data Flat"),
            (Ty::pair(f32, fun), ""),
            (Ty::vec(n, f32), "Data Number Float"),
            (Ty::vec(n, int), "Data Number"),
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
        assert_eq!(classes(open), (String::new(), 5));
        assert_eq!(classes(Ty::pair(open, f32)), (String::new(), 2));
        assert_eq!(classes(Ty::vec(n, open)), ("Data".to_string(), 2));
        assert_eq!(classes(Ty::array(n, open)), (String::new(), 1));
    }
}
