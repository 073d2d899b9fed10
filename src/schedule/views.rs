//! Matrices that are other data in another order.
//!
//! In: a term. Out: the step that writes such a matrix by two loops that copy its elements: what is said by views alone has no loops that
//! could be taken apart. Absent: what is done with these loops; results of more dimensions, whose loops may stand in a better order as
//! they are.

use super::skeleton::computes;
use super::{guide, Schedule};
use crate::term::{Kind, Sort, Term};

const RULES: &str = "use rules/layout.rules (introduce-map-identity)\n";

/// What is done so.
const WORDS: &str = "elements copied by loops";

/// The step, where nothing is computed and no loop over elements is written.
pub fn written(term: &Term) -> Option<Schedule> {
    if let Kind::Lam(_, body) = term.kind() {
        return written(body);
    }
    let (p, _) = term.as_prim_app()?;
    if !matches!(p.op().sort(), Sort::View(_)) || computes(term) {
        return None;
    }
    let (_, row) = term.ty().as_array()?;
    let (_, elem) = row.as_array()?;
    if elem.as_array().is_some() {
        return None;
    }
    let loops = "(app map (\\ (app map ? ?)) ?)".to_string();
    let step = guide("written", RULES, &[loops]);
    Some(Schedule::preparation(WORDS, vec![step]).by_itself())
}
