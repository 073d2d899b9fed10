//! What a kernel is called with at given sizes.
//!
//! In: a unit, sizes. Out: the sizes in the order of its parameters, how long its results are, or the diagnostic of what has no
//! value. Absent: which sizes.

use super::sizes::Sizes;
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::emit::CUnit;

pub(super) fn evaluate(n: Nat, sizes: &Sizes) -> Result<i64, Diagnostic> {
    let value = n.eval(&mut |s| sizes.get(&s).copied());
    value
        .filter(|v| *v >= 0)
        .ok_or_else(|| no_value(&n.to_string()))
}

pub(super) fn no_value(what: &str) -> Diagnostic {
    let what = format!("`{what}` has no value at these sizes");
    Diagnostic::new(code::RUN_SIZES, what).help("choose other sizes with `--set`")
}

pub(super) fn arguments(unit: &CUnit, sizes: &Sizes) -> Result<Vec<i64>, Diagnostic> {
    let names = unit.abi.sizes.iter();
    names.map(|s| evaluate(Nat::var(*s), sizes)).collect()
}

pub(super) fn out_lens(unit: &CUnit, sizes: &Sizes) -> Result<Vec<usize>, Diagnostic> {
    let slots = unit.abi.outputs.iter();
    slots
        .map(|s| evaluate(s.count(), sizes).map(|n| n as usize))
        .collect()
}
