//! What sizes and indices count as.
//!
//! In: sizes, indices and conditions on them, with the values of some variables. Out: numbers, by which loops are counted. Absent: what
//! loops compute.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{Expr, ExprKind};
use crate::term::Op;
use rustc_hash::FxHashMap;

/// What sizes, indices and variables of loops are: in no order, as it is asked for often.
pub type Env = FxHashMap<Symbol, i64>;

/// What a size counts as that nobody knows.
const UNKNOWN: i64 = 64;
/// Loops up to this length are unrolled by compilers, which have to know it.
pub const UNROLLED: i64 = 16;

/// Whether compilers write a loop of this length out.
pub fn is_unrolled(extent: Nat) -> bool {
    extent.as_int().is_some_and(|n| n <= UNROLLED)
}

/// A size or index where some variables have values.
pub fn value(n: Nat, env: &Env) -> i64 {
    let known = n.eval(&mut |s| Some(env.get(&s).copied().unwrap_or(UNKNOWN)));
    known.unwrap_or(UNKNOWN)
}

/// Whether a comparison of sizes holds, where it is one.
pub fn truth(cond: &Expr, env: &Env) -> Option<bool> {
    let ExprKind::Op(op, args) = cond.kind() else {
        return cond.as_bool();
    };
    if let (Op::And, [a, b]) = (op, &args[..]) {
        return Some(truth(a, env)? && truth(b, env)?);
    }
    let [a, b] = &args[..] else { return None };
    let (a, b) = (value(a.as_index()?, env), value(b.as_index()?, env));
    Some(match op {
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        Op::Ge => a >= b,
        Op::Eq => a == b,
        Op::Ne => a != b,
        _ => return None,
    })
}

/// By how much an index grows when a variable does.
pub fn stride(index: Nat, var: Symbol, env: &Env) -> i64 {
    if !index.mentions(var) {
        return 0;
    }
    let at = |by: i64| {
        let known = &mut |s: Symbol| {
            let known = env.get(&s).copied().unwrap_or(UNKNOWN);
            Some(if s == var { known + by } else { known })
        };
        index.eval(known).unwrap_or(0)
    };
    at(1) - at(0)
}
