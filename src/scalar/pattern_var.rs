//! What the name of a pattern variable says that it stands for.

use crate::intern::Symbol;

/// What a pattern variable stands for; its name says so.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum VarClass {
    /// `c`, `c0`, `c1` …: a constant.
    Constant,
    /// `l`, `l0`, `l1` …: a number of lanes, a constant from 1 on.
    Lanes,
    Term,
}

impl VarClass {
    pub fn of(name: Symbol) -> VarClass {
        let text = name.as_str();
        let digits = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit());
        match (text.strip_prefix('c'), text.strip_prefix('l')) {
            (Some(rest), _) if digits(rest) => VarClass::Constant,
            (_, Some(rest)) if digits(rest) => VarClass::Lanes,
            _ => VarClass::Term,
        }
    }
}

/// Whether a pattern variable stands for terms that are no constants: `t`, `t0`, `t1` … Where a variable stands twice
/// on the left, a constant in its place may be what another rule makes.
pub fn is_open(name: Symbol) -> bool {
    let rest = name.as_str().strip_prefix('t');
    rest.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}
