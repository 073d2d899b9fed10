//! Reductions of an array whose elements are reductions by the same operator.
//!
//! In: a term. Out: the step that makes one reduction of both (over channels, and over the window of each), which lanes and register
//! tiles need. Absent: laws of operators, which the rules ask; whether that pays.

use super::print::size;
use super::skeleton::argument;
use super::{guide, Permits, Schedule};
use crate::term::{Kind, Op, Term};
use std::collections::BTreeSet;

const RULES: &str = "use rules/regrouping.rules (reduce-reductions-joined)
use rules/algorithmic.rules (map-fusion)\n";

/// What moves the functions of elements, and pairs of them, out of what is joined.
const ELEMENTS: &str =
    "use rules/algorithmic.rules (map-fusion, map-fission, map-fst-zip, map-snd-zip)
use rules/sharing.rules (map-join-back-general, zip-join-back)
use rules/lowering.rules (map-eta-abstraction)\n";

/// What is done so.
const WORDS: &str = "sums of sums joined";

/// The steps, where a reduction stands in the elements of another one.
pub fn joined(term: &Term, permits: Permits) -> Option<Schedule> {
    let mut found = BTreeSet::new();
    let mut floats = false;
    term.visit(&mut |t, _| {
        if let Some(nested) = nested(t) {
            floats |= t.has_floats();
            found.insert(nested);
        }
    });
    if found.is_empty() {
        return None;
    }
    let permit = permits.to_regroup(floats)?;
    let one = |n: &Nested| {
        format!(
            "(none (app (reduce : ? -> ? -> {}.? -> ?) ? ? (app map (contains reduce) ?)))",
            n.outer
        )
    };
    let one: Vec<String> = found.iter().map(one).collect();
    let mut steps = vec![guide("joined", &format!("{RULES}{permit}"), &one)];
    let outside = |n: &Nested| {
        let of = match n.zipped {
            true => "(app zip (none zip) (none zip))",
            false => "?",
        };
        format!(
            "(contains (app (reduce : ? -> ? -> {}.? -> ?) ? ? (app map ? {of})))",
            n.all
        )
    };
    let computed = found.iter().filter(|n| n.computed);
    let outside: Vec<String> = computed.map(outside).collect();
    if !outside.is_empty() {
        steps.push(guide("elements-nested", ELEMENTS, &outside));
    }
    Some(Schedule::preparation(WORDS, steps).by_itself())
}

/// Reductions, each an element of another one by the same operator from the same start.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Nested {
    /// How many elements the outer one has,
    outer: String,
    /// and both together.
    all: String,
    /// Whether the inner ones are of what a function makes,
    computed: bool,
    /// of pairs.
    zipped: bool,
}

fn nested(t: &Term) -> Option<Nested> {
    let (p, args) = t.as_prim_app()?;
    let [op, e, xs] = args[..] else { return None };
    let element = argument(xs, Op::Map, 0).filter(|_| p.op() == Op::Reduce)?;
    let Kind::Lam(_, body) = element.kind() else {
        return None;
    };
    let (inner, args) = body.as_prim_app()?;
    let [own, start, of] = args[..] else {
        return None;
    };
    let same = inner.op() == Op::Reduce && (own, start) == (op, e) && op.open() == 0;
    let length = |t: &Term| t.ty().as_array().map(|(n, _)| n);
    let (outer, each) = (length(xs).filter(|_| same)?, length(of)?);
    let pairs = argument(of, Op::Map, 1);
    Some(Nested {
        outer: size(outer),
        all: size(outer * each),
        computed: pairs.is_some(),
        zipped: pairs.is_some_and(|p| argument(p, Op::Zip, 0).is_some()),
    })
}
