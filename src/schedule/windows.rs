//! Windows of several rows, reduced as a whole.
//!
//! In: a term. Out: the step that reduces each row of a window by itself: what one row of a window is reduced to is the same for all
//! windows that have it, so it is a stage of its own before they are taken. Absent: laws of operators, which the rules ask;
//! whether that pays.

use super::skeleton::argument;
use super::{guide, Permits, Schedule};
use crate::term::{Kind, Op, Term};

const RULES: &str = "use rules/regrouping.rules (reduce-rows-named, reduce-rows-named-idempotent, reduce-rows-named-first)
use rules/stencil.rules (columns-named-first, windows-named-first)
use rules/sharing.rules (map-join, maps-named-once, let-let, let-exchange, let-out-of-argument,
  let-out-of-function)
use rules/algorithmic.rules (map-fusion)
use rules/fusion.rules (let-inline)\n";

/// What is done so.
const WORDS: &str = "rows of windows apart";

/// The step, where a reduction goes over all of a window.
pub fn apart(term: &Term, permits: Permits) -> Option<Schedule> {
    let (mut found, mut floats, mut slides) = (false, false, false);
    term.visit(&mut |t, _| {
        slides |= matches!(t.kind(), Kind::Prim(p) if p.op() == Op::Slide);
        let mut here = reduces_window(t);
        if let Some(body) = with_joined(t) {
            body.visit(&mut |t, _| here |= reduces_window(t));
        }
        found |= here;
        floats |= here && t.has_floats();
    });
    let permit = permits.to_regroup(floats).unwrap_or_default();
    let sketch = "contains (app slide (app map (\\ (contains (app map ? (app slide ?)))) ?))";
    let step = || {
        guide(
            "windows",
            &format!("{RULES}{permit}"),
            &[sketch.to_string()],
        )
    };
    (found && slides).then(|| Schedule::preparation(WORDS, vec![step()]))
}

/// What has a name for joined rows, with these for the name.
fn with_joined(t: &Term) -> Option<Term> {
    let (rows, f) = (argument(t, Op::Let, 0)?, argument(t, Op::Let, 1)?);
    match f.kind() {
        Kind::Lam(_, body) => argument(rows, Op::Join, 0).map(|_| body.instantiate(rows)),
        _ => None,
    }
}

/// Whether it reduces the joined rows of something that is given, perhaps a function of each element.
fn reduces_window(t: &Term) -> bool {
    let Some(xs) = argument(t, Op::Reduce, 2) else {
        return false;
    };
    let elements = argument(xs, Op::Map, 1).unwrap_or(xs);
    argument(elements, Op::Join, 0).is_some_and(|rows| matches!(rows.kind(), Kind::Var(_)))
}
