//! Reductions of segments that threads share.
//!
//! In: a term. Out: the step that makes a loop over segments of reductions of the segments of an array, which is none that schedules
//! see. Absent: segments of which one holds most of the values.

use super::{guide, Schedule};
use crate::arith::Nat;
use crate::term::{Data, Kind, Loop, Op, Sort, Term};

const RULES: &str = "use rules/irregular.rules (segments-apart)\n";

/// What is done so.
const WORDS: &str = "segments apart";

/// The step, where a result is made of reductions of segments.
pub fn apart(term: &Term) -> Option<Schedule> {
    if !is_reduced(term) {
        return None;
    }
    let looks = "contains (app join (app map (contains reduceSegments) ?))".to_string();
    let step = guide("segments", RULES, &[looks]);
    Some(Schedule::preparation(WORDS, vec![step]).by_itself())
}

/// Whether what is written is made so.
fn is_reduced(t: &Term) -> bool {
    if let Kind::Lam(_, body) = t.kind() {
        return is_reduced(body);
    }
    let Some((p, args)) = t.as_prim_app() else {
        return false;
    };
    match (p.op().sort(), &args[..]) {
        (Sort::Loop(Loop::ReduceSegments), _) => {
            let one = Some(Nat::int(1));
            t.ty().as_array().map(|(n, _)| n) != one
        }
        (Sort::Loop(Loop::Iterate), [f, _]) => is_reduced(f),
        (Sort::View(_) | Sort::Data(Data::Let | Data::Pair | Data::Fst | Data::Snd), _) => {
            args.iter().any(|a| is_reduced(a))
        }
        _ => p.op() == Op::ToMem && args.iter().any(|a| is_reduced(a)),
    }
}
