//! Types of functions taken apart.

use crate::ty::Ty;

/// The arguments and the result of a function's type.
pub fn uncurried(ty: Ty) -> (Vec<Ty>, Ty) {
    let (mut args, mut ty) = (Vec::new(), ty);
    while let Some((a, r)) = ty.as_fun() {
        args.push(a);
        ty = r;
    }
    (args, ty)
}
