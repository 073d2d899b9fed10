//! Results that are other data in another order, or elements that indices choose.
//!
//! In: a term. Out: the step that writes such a result by loops that copy its elements: what is said by views alone has no loops that
//! could be taken apart, or that threads share. Absent: what is done with these loops; results of more than two dimensions, whose loops may
//! stand in a better order as they are; arrays that are only cut or put together.

use super::skeleton::{computes, has_reduction};
use super::{guide, Schedule};
use crate::term::{Data, Kind, Op, Sort, Term, View};

const RULES: &str = "use rules/layout.rules (introduce-map-identity)\n";

/// What is done so.
const WORDS: &str = "elements copied by loops";

/// The step, where no loop over elements is written.
pub fn written(term: &Term) -> Option<Schedule> {
    if let Kind::Lam(_, body) = term.kind() {
        return written(body);
    }
    let step = guide("written", RULES, &[copied(term)?]);
    Some(Schedule::preparation(WORDS, vec![step]).by_itself())
}

/// How loops that copy a result look, if some of it has none.
fn copied(t: &Term) -> Option<String> {
    let (p, args) = t.as_prim_app()?;
    if let (Op::Pair, [a, b]) = (p.op(), &args[..]) {
        let parts = [copied(a), copied(b)];
        let some = parts.iter().any(Option::is_some);
        let [a, b] = parts.map(|p| p.unwrap_or("?".to_string()));
        return some.then(|| format!("(app pair {a} {b})"));
    }
    if !matches!(p.op().sort(), Sort::View(_)) {
        return None;
    }
    let (_, row) = t.ty().as_array()?;
    match row.as_array() {
        Some((_, elem)) if elem.as_array().is_none() => {
            (!computes(t)).then(|| "(app map (\\ (app map ? ?)) ?)".to_string())
        }
        Some(_) => None,
        None => (is_chosen(t) && !has_reduction(t)).then(|| "(app map ? ?)".to_string()),
    }
}

/// Whether indices choose some of the elements, and no loop makes any where they are written.
fn is_chosen(t: &Term) -> bool {
    let mut chosen = false;
    no_loops(t, &mut chosen) && chosen
}

fn no_loops(t: &Term, chosen: &mut bool) -> bool {
    let Some((p, args)) = t.as_prim_app() else {
        return matches!(t.kind(), Kind::Var(_));
    };
    match p.op().sort() {
        Sort::View(View::Gather | View::Reorder | View::Reverse) => {
            *chosen = true;
            true
        }
        Sort::View(_) | Sort::Data(Data::Fst | Data::Snd) => {
            args.iter().all(|a| a.ty().is_flat() || no_loops(a, chosen))
        }
        _ => false,
    }
}
