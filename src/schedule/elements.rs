//! Reductions of an array whose elements are reductions.
//!
//! In: a term. Out: the step that names the array, so that its elements are computed by a loop of their own, which may be parallel and
//! has all that loops over reductions have; the array is reduced behind it. Absent: whether that pays.

use super::print::size;
use super::skeleton::{has, has_reduction, SMALL};
use super::{guide, Schedule};
use crate::term::{Kind, Loop, Op, Sort, Term};

/// What is done so.
const WORDS: &str = "elements apart";

/// The step, where a reduction outside of all loops has reductions in its elements.
pub fn apart(term: &Term) -> Option<Schedule> {
    let named = reduced(term)?;
    let rules = "use rules/sharing.rules (elements-named, elements-named-by-index, rows-of-elements-named)\n";
    let step = guide("elements-apart", rules, &[format!("contains {named}")]);
    Some(Schedule::preparation(WORDS, vec![step]))
}

/// The sketch of such elements with their name, and of those of which each of them is reduced.
fn reduced(t: &Term) -> Option<String> {
    if let Kind::Lam(_, body) = t.kind() {
        return reduced(body);
    }
    let (p, args) = t.as_prim_app()?;
    match (p.op().sort(), &args[..]) {
        (Sort::Loop(Loop::Reduce), [_, _, xs]) => {
            // Elements of rows are rows of elements.
            let rows = xs.as_prim_app().filter(|(p, _)| p.op() == Op::Join);
            let xs = rows.as_ref().and_then(|(_, of)| of.first()).unwrap_or(xs);
            let (made, of) = xs.as_prim_app()?;
            let (n, _) = xs.ty().as_array()?;
            let many = n.as_int().is_none_or(|n| n > SMALL);
            let f = of.first().filter(|f| many && has_reduction(f))?;
            let op = match has(f, &[Op::Reduce]) {
                true => Op::Reduce,
                false => Op::ReduceSeq,
            };
            let inner = reduced(f).unwrap_or(op.name().to_string());
            let inner = format!("(contains {inner})");
            let elements = match made.op() {
                Op::Map => format!("(containsMap {} {inner})", size(n)),
                Op::Generate => {
                    format!("(contains (app (generate : ? -> {}.?) {inner}))", size(n))
                }
                _ => return None,
            };
            Some(format!("(app let {elements} ?)"))
        }
        (Sort::Loop(_), _) => None,
        _ => args.iter().find_map(|a| reduced(a)),
    }
}
