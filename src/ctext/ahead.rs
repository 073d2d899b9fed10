//! Iterations of a loop that are left out, as the text has them.
//!
//! In: the first statement of a loop, and the loop. Out: what it asks of each iteration ahead, if it is the one that leaves them out:
//!
//! ```c
//! if (i % 32 == 0 && i + 32 <= n) {
//!     int32_t changes = 0;
//!     for (int64_t ahead = i; ahead < i + 32; ahead++) {
//!         changes = changes | (…);
//!     }
//!     if (!changes) {
//!         i = i + 31;
//!         continue;
//!     }
//! }
//! ```
//!
//! Absent: whether that is what may be asked.

use super::parse::{Declared, Expr, Is, Loop, Stmt};
use super::walk::is_type;
use crate::nest::AHEAD;
use crate::ty::Scalar;

/// What is asked.
pub struct Ahead<'c> {
    /// The variable that says whether it holds in one of them.
    pub any: &'c str,
    /// That of the iteration.
    pub at: &'c str,
    /// What is asked of it.
    pub holds: &'c Expr,
}

impl<'c> Ahead<'c> {
    /// Of the first statement of a loop.
    pub fn of(first: &'c Is, of: &Loop) -> Option<Ahead<'c>> {
        let i = name(&of.var);
        let Expr::Binary("<", variable, n) = &of.cond else {
            return None;
        };
        let Is::If(cond, then, els) = first else {
            return None;
        };
        let behind = binary("+", &i, &number(AHEAD));
        let whole = binary("==", &binary("%", &i, &number(AHEAD)), &number(0));
        let asks = binary("&&", &whole, &binary("<=", &behind, n));
        let [any, look, skip] = &then[..] else {
            return None;
        };
        let any = starts(&any.is)?;
        let (at, holds) = looks(&look.is, &any.name, (&i, &behind))?;
        let skips = is_skip(&skip.is, &any.name, &i);
        (**variable == i && *cond == asks && els.is_empty() && skips).then_some(Ahead {
            any: &any.name,
            at,
            holds,
        })
    }
}

fn name(name: &str) -> Expr {
    Expr::Name(name.to_string())
}

fn number(n: i64) -> Expr {
    Expr::Number(n.to_string())
}

fn binary(sign: &'static str, x: &Expr, y: &Expr) -> Expr {
    Expr::Binary(sign, Box::new(x.clone()), Box::new(y.clone()))
}

/// `int32_t changes = 0;`
fn starts(s: &Is) -> Option<&Declared> {
    let Is::Declare(d) = s else { return None };
    let bare = d.len.is_none() && d.list.is_none() && d.aligned.is_none();
    let zero = d.value == Some(number(0));
    (bare && zero && is_type(&d.ty, Scalar::I32, false)).then_some(d)
}

/// The loop over the iterations: its variable, and what is asked.
fn looks<'c>(s: &'c Is, any: &str, (i, behind): (&Expr, &Expr)) -> Option<(&'c str, &'c Expr)> {
    let Is::For(l) = s else { return None };
    let [Stmt {
        is: Is::Assign(to, Expr::Binary("|", old, holds)),
        ..
    }] = &l.body[..]
    else {
        return None;
    };
    let at = name(&l.var);
    let head = l.pragma.is_none() && is_type(&l.ty, Scalar::I64, false) && l.start == *i;
    let all = l.cond == binary("<", &at, behind) && l.step == Expr::Unary("++", Box::new(at));
    let gathers = *to == name(any) && **old == name(any);
    (head && all && gathers).then_some((&l.var, holds))
}

/// `if (!changes) { i = i + 31; continue; }`
fn is_skip(s: &Is, any: &str, i: &Expr) -> bool {
    let Is::If(cond, then, els) = s else {
        return false;
    };
    let leaves = match &then[..] {
        [Stmt {
            is: Is::Assign(to, by),
            ..
        }, Stmt { is: Is::Next, .. }] => to == i && *by == binary("+", i, &number(AHEAD - 1)),
        _ => false,
    };
    leaves && els.is_empty() && *cond == Expr::Unary("!", Box::new(name(any)))
}
