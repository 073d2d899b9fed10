//! Arrays with a border, or of computed elements, of which windows are taken.
//!
//! In: a term. Out: the steps that name such arrays and keep them: else what reads a window asks of each element whether it is one of the
//! border, and a vector of them is loaded at once only behind a test; and each window computes all of its elements. Absent: whether that
//! pays; what is made anew in each iteration, which has buffers of its own.

use super::skeleton::{argument, has, has_reduction};
use super::{guide, Schedule};
use crate::term::{Kind, Op, Sort, Term};
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

/// What is done with computed ones, which any schedule may keep that keeps what is named.
const STAGES: &str = "windows of named arrays";

/// The steps, where windows are taken of arrays with a border: first for names before everything else, then for each name where it may stand.
pub fn kept(term: &Term) -> Vec<Schedule> {
    let mut found = Found::default();
    found.term(term);
    let Found { sources, named, .. } = found;
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
    let windows = no_windows_of(BORDERED);
    let outside = (sources.iter()).fold("?".to_string(), |body, _| {
        format!("(app let ({BORDERED} and (none slide)) (\\ {body}))")
    });
    let first = [outside].into_iter().chain(windows.clone()).collect();
    vec![way(Some(first)), way(Some(windows.to_vec()))]
}

/// The step that names computed elements, where windows are taken of some that take longer to compute than to read: first for names before
/// everything else, then for those in a loop.
pub fn named(term: &Term) -> Vec<Schedule> {
    let mut found = Found::default();
    found.term(term);
    if found.costly.is_empty() {
        return Vec::new();
    }
    let of = |op: &&str| no_windows_of(&format!("(contains {op})"));
    let windows: Vec<String> = found.costly.iter().flat_map(of).collect();
    let named = |body: String, op: &&str| format!("(app let (contains {op}) (\\ {body}))");
    let outside = found.costly.iter().fold("?".to_string(), named);
    let inside = format!("(contains (\\ {outside}))");
    let way = |names: String| {
        let looks: Vec<String> = [names].into_iter().chain(windows.clone()).collect();
        Schedule::preparation(STAGES, vec![guide("windows", NAMES, &looks)])
    };
    vec![way(outside), way(inside)]
}

/// That no windows are taken of such an array.
fn no_windows_of(array: &str) -> [String; 3] {
    let taken = |of: &str| format!("(none (app {of} {array}))");
    ["slide", "map slide", "map (\\ (app slide ?))"].map(taken)
}

#[derive(Default)]
struct Found {
    /// Arrays with a border that windows are taken of.
    sources: BTreeSet<String>,
    /// Whether there are such with a name.
    named: bool,
    /// By which operation each takes long that windows are taken of.
    costly: BTreeSet<&'static str>,
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
        self.costly.extend(taken.and_then(|xs| costly(xs)));
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

/// By which operation the elements of an array take long, if no windows are taken before it and nothing of it is kept already.
fn costly(xs: &Term) -> Option<&'static str> {
    if has(xs, &[Op::ToMem, Op::Iterate]) {
        return None;
    }
    let mut found = None;
    xs.visit(&mut |t, _| {
        let f = argument(t, Op::Map, 0).or_else(|| argument(t, Op::Generate, 0));
        found = found.or_else(|| f.and_then(long));
    });
    found
}

/// The first operation that takes long.
fn long(f: &Term) -> Option<&'static str> {
    let is = |op: &Op| {
        matches!(op.sort(), Sort::Function(_))
            || matches!(op, Op::Div | Op::Mod | Op::Reduce | Op::ReduceSeq)
    };
    let mut found = None;
    f.visit(&mut |t, _| {
        if let Kind::Prim(p) = t.kind() {
            found = found.or_else(|| Some(p.op()).filter(is));
        }
    });
    found.map(Op::name)
}
