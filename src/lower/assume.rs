//! What a program asks of its sizes.
//!
//! Every size of the term must be a whole number that is not negative, and so must those that the way to the term
//! speaks of and the term itself does not. Goes out: what makes them so, those of the term first, in the order in
//! which they stand in it. Fixed sizes that contradict them are an error here.

use super::casts::Casts;
use super::Options;
use crate::arith::{Nat, Signs};
use crate::diag::{code, Diagnostic};
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{Assumption, ErrorCode, Nest};
use crate::obligation::{self, Never, Sizes};
use crate::term::{Program, Term};
use crate::ty::Ty;

/// The assumptions of a program.
pub(super) fn collect(
    program: &Program,
    term: &Term,
    params: &[(Symbol, Ty)],
    result: Ty,
    options: &Options,
) -> Result<(Vec<Assumption>, Casts), Diagnostic> {
    let mut sizes = Sizes::default();
    for (_, ty) in params {
        sizes.ty(*ty);
    }
    sizes.ty(result);
    sizes.term(term);
    let casts = match sizes.has_casts() {
        true => Casts::of(term),
        false => Casts::default(),
    };
    let excluded = |what: Never| {
        let index = match what.0 {
            Assumption::NotNegative(n) => sizes.index_of(n),
            _ => None,
        };
        let what = match index {
            Some((i, n)) => format!("the index {i} is not below {n}"),
            None => what.to_string(),
        };
        let d = Diagnostic::new(
            code::SIZES_EXCLUDED,
            format!("the fixed sizes of `{}` are excluded: {what}", program.name),
        );
        let fixed: Vec<_> = options
            .fixed
            .iter()
            .map(|(s, n)| format!("{s}={n}"))
            .collect();
        match fixed.is_empty() {
            true => d.help("change the sizes in the program"),
            false => d.help(format!("choose others than {}", fixed.join(","))),
        }
    };
    let mut all = obligation::assumptions(
        sizes.all(),
        sizes.whole(),
        &casts.conditions().collect::<Vec<_>>(),
    )
    .map_err(excluded)?;
    let fix = |s: Symbol| options.fixed.get(&s).map(|&k| Nat::int(k));
    let obliged: Vec<Nat> = (options.obliged.iter())
        .map(|n| n.subst_vars(&mut { fix }))
        .collect();
    obligation::assumptions(&obliged, &[], &[]).map_err(excluded)?;
    all.extend(obligation::missing(&all, &obliged));
    Ok((all, casts))
}

/// Makes the assumptions known.
pub(super) fn tell(assumptions: &[Assumption], facts: &mut Facts) {
    for a in assumptions {
        match a {
            Assumption::Divides(d, n) => facts.whole(n.exact_div(*d)),
            Assumption::NotNegative(n) => facts.not_negative(*n),
        }
    }
}

/// What the function can return.
pub(super) fn errors(nest: &Nest) -> Vec<ErrorCode> {
    let prefix = nest.abi.name.to_uppercase();
    let code = |suffix: &str, code, meaning| ErrorCode {
        name: format!("{prefix}_ERR_{suffix}"),
        code,
        meaning,
    };
    let mut out = vec![
        code(
            "SIZE",
            1,
            "a size is negative, too large, or excluded by the assumptions",
        ),
        code("MEMORY", 2, "no memory for the buffers"),
    ];
    if nest.abi.inputs.iter().any(|s| s.bound.is_some()) {
        out.push(code("INDEX", 3, "an index in the input is out of bounds"));
    }
    out
}
