//! Arrays with a border, of which windows are taken.
//!
//! In: a term. Out: the steps that name such arrays and keep them: else what reads a window asks of each element whether it is one of the
//! border, and a vector of them is loaded at once only behind a test. Absent: whether that pays; what is made anew in each iteration, which
//! has buffers of its own.

use super::skeleton::{has, has_reduction};
use super::{guide, Schedule};
use crate::term::{Kind, Op, Term};
use std::collections::BTreeSet;

const NAMES: &str = "use rules/stencil.rules (windows-of-named, windows-in-named)
use rules/sharing.rules (let-fission-first, let-float-argument, let-float-map, let-out-of-argument, let-out-of-function,
  let-out-of-first, let-let)
use rules/algorithmic.rules (map-fission)\n";

const STORES: &str = "use rules/layout.rules (let-store, let-store-elements)\n";

/// What is done so.
const WORDS: &str = "borders kept";

const BORDERS: [Op; 2] = [Op::PadCst, Op::PadClamp];
/// An array with a border, in a sketch.
const BORDERED: &str = "(contains (padCst or padClamp))";
/// One that no loop makes.
const BARE: &str = "((app padCst ? ?) or (app padClamp ?))";

/// The steps, where windows are taken of such arrays: first for names before everything else, then for each name where it may stand.
pub fn kept(term: &Term) -> Vec<Schedule> {
    let mut found = Found::default();
    found.term(term);
    let Found { sources, named } = found;
    if sources.is_empty() && !named {
        return Vec::new();
    }
    let stored = [
        format!("(none (app let ({BORDERED} and (none toMem)) ?))"),
        format!("(none (app toMem {BARE}))"),
    ];
    let store = guide("borders", STORES, &stored);
    let way = |named: Option<Vec<String>>| {
        let names = named.map(|looks| guide("windows", NAMES, &looks));
        let steps = names.into_iter().chain([store.clone()]).collect();
        Schedule::preparation(WORDS, steps).by_itself()
    };
    if sources.is_empty() {
        return vec![way(None)];
    }
    let taken = |of: &str| format!("(none (app {of} {BORDERED}))");
    let windows = ["slide", "map slide", "map (\\ (app slide ?))"].map(taken);
    let outside = (sources.iter()).fold("?".to_string(), |body, _| {
        format!("(app let ({BORDERED} and (none slide)) (\\ {body}))")
    });
    let first = [outside].into_iter().chain(windows.clone()).collect();
    vec![way(Some(first)), way(Some(windows.to_vec()))]
}

#[derive(Default)]
struct Found {
    /// Arrays with a border that windows are taken of.
    sources: BTreeSet<String>,
    /// Whether there are such with a name.
    named: bool,
}

impl Found {
    fn term(&mut self, t: &Term) {
        let Some((p, args)) = t.as_prim_app() else {
            return match t.kind() {
                Kind::Lam(_, body) => self.term(body),
                Kind::App(f, x) => {
                    self.term(f);
                    self.term(x);
                }
                _ => {}
            };
        };
        let taken = match (p.op(), &args[..]) {
            (Op::Slide, [xs]) => Some(xs),
            (Op::Map, [f, xs]) if has(f, &[Op::Slide]) => Some(xs),
            (Op::Let, [xs, f]) => {
                self.named |= is_bordered(xs) && has(f, &[Op::Slide]);
                None
            }
            (Op::Iterate, _) => return,
            _ => None,
        };
        self.sources
            .extend(taken.filter(|xs| is_bordered(xs)).map(|xs| xs.to_string()));
        args.into_iter().for_each(|a| self.term(a));
    }
}

/// Whether it is an array with a border, and no window of one; what is kept has its border already.
fn is_bordered(xs: &Term) -> bool {
    let other = has(xs, &[Op::Slide, Op::ToMem, Op::Iterate]) || has_reduction(xs);
    xs.ty().as_array().is_some() && has(xs, &BORDERS) && !other
}
