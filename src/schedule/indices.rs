//! Loops over indices that read elements.
//!
//! In: a term. Out: the steps that make of each loop whose index names elements, and nothing else, a loop over these elements:
//! `generate (\i -> f (idx i x) (idx i y))` maps over both arrays, and what is read in another order is a view of them, as columns are,
//! where an index stands in a loop over rows. What is said with indices has the same loops then as what is said with `map`. Loops of
//! each depth have steps of their own, the outer ones first; what they read of rows that loops inside of them go over is a column before.
//! Absent: loops over indices that are numbers, too, beside which all are left as they are.

use super::print::size;
use super::skeleton::argument;
use super::{guide, numbered, Schedule};
use crate::term::{Kind, Op, Sort, Term};
use std::collections::BTreeSet;

/// What moves names of elements out of what they stand in.
const OUT: &str = "use rules/sharing.rules (let-out-of-argument, let-out-of-function, let-out-of-first, let-float-map,
  let-float-argument)
use rules/fusion.rules (let-inline)\n";

/// What makes columns of what is read in a loop over rows, in a loop of numbers and in one around others.
const COLUMNS: &str = "use rules/sharing.rules (column-of-rows, column-of-values)
use rules/algorithmic.rules (map-fst-zip, map-snd-zip, eliminate-map-identity)\n";
const OF_NUMBERS: &str = "use rules/algorithmic.rules (map-binary-fission)\n";
const OF_LOOPS: &str = "use rules/sharing.rules (let-fission)\n";

/// What makes loops over elements.
const ELEMENTS: &str =
    "use rules/sharing.rules (elements-zipped, let-float-generate, generate-elements, generate-array)\n";

/// What is done so.
const WORDS: &str = "elements instead of indices";

/// Loops over indices that stand in as many others.
#[derive(Default)]
struct Level {
    /// How many elements they have.
    sizes: BTreeSet<String>,
    /// In how many loops inside of one of them stands what it reads, at most, if that is of what they go over.
    columns: u32,
}

/// The steps, where all loops over indices read elements alone.
pub fn as_elements(term: &Term) -> Option<Schedule> {
    let mut levels = Vec::new();
    find(term, 0, &mut levels);
    if levels.is_empty() || !name_elements(term) {
        return None;
    }
    let mut steps = Vec::new();
    let mut of_parts = false;
    term.visit(&mut |t, _| of_parts |= is_of_parts(t));
    for (outside, level) in levels.iter().enumerate() {
        level.steps(outside, (&levels[outside + 1..], of_parts), &mut steps);
    }
    Some(Schedule::preparation(WORDS, steps).by_itself())
}

impl Level {
    /// What becomes of its loops, which stand in so many others, before the ones in them; whether the program has arrays of parts of
    /// pairs itself.
    fn steps(&self, outside: usize, (inner, of_parts): (&[Level], bool), steps: &mut Vec<String>) {
        let rules = self.sizes.iter().flat_map(|n| {
            let named = [
                "named",
                "named-left",
                "named-first",
                "named-in-map",
                "of-column",
            ];
            named.map(|rule| format!("element-{rule}[{n}]"))
        });
        let rules: Vec<String> = rules.collect();
        let names = format!("use rules/sharing.rules ({})\n", rules.join(", ")) + OUT;
        let name = |of: &str| numbered(of, outside);
        let of = |n: &str| format!("(generate : ? -> {n}.?)");
        let read = |function: &dyn Fn(&str) -> String| -> Vec<String> {
            let none = |n: &String| {
                let element = format!("(contains (idx : ? -> {n}.? -> ?))");
                let map = format!("(contains (app map {} ?))", function(&element));
                format!("(none (app {} {map}))", of(n))
            };
            let parts = ["fst", "snd"].map(|part| format!("(none (app map {part} ?))"));
            let parts = parts.into_iter().filter(|_| !of_parts);
            self.sizes.iter().map(none).chain(parts).collect()
        };
        if self.columns > 0 {
            let rules = names.clone() + COLUMNS + OF_NUMBERS;
            let looks = read(&|element| format!("({element} and (none (map or generate)))"));
            steps.push(guide(&name("of-numbers"), &rules, &looks));
        }
        if self.columns > 1 {
            let rules = names.clone() + COLUMNS + OF_LOOPS;
            steps.push(guide(&name("of-loops"), &rules, &read(&|e| e.to_string())));
        }
        // Loops in each other, the outermost first: of those that are left there are fewer.
        let nested = (0..inner.len()).fold("generate".to_string(), |inner, _| {
            format!("(app generate (contains {inner}))")
        });
        let again = |n: &&String| inner.iter().any(|level| level.sizes.contains(*n));
        let others = self.sizes.iter().filter(|n| !again(n));
        let none: Vec<String> = (others.map(|n| of(n)).chain([nested]))
            .map(|looks| format!("(none {looks})"))
            .collect();
        steps.push(guide(&name("elements"), &(names + ELEMENTS), &none));
    }
}

/// Whether it is an array of one part of each pair.
fn is_of_parts(t: &Term) -> bool {
    let part = argument(t, Op::Map, 0).map(Term::kind);
    matches!(part, Some(Kind::Prim(p)) if matches!(p.op(), Op::Fst | Op::Snd))
}

/// The function of a loop over indices.
fn loop_over_indices(t: &Term) -> Option<&Term> {
    let (p, args) = t.as_prim_app()?;
    args.first().copied().filter(|_| p.op() == Op::Generate)
}

/// Loops over indices in so many others, by how many they stand in.
fn find(t: &Term, around: usize, levels: &mut Vec<Level>) {
    let mut around = around;
    if let (Some(f), Some((n, _))) = (loop_over_indices(t), t.ty().as_array()) {
        if levels.len() == around {
            levels.push(Level::default());
        }
        levels[around].sizes.insert(size(n));
        if let Kind::Lam(_, body) = f.kind() {
            let columns = &mut levels[around].columns;
            *columns = (*columns).max(loops_between(body, 0, &mut Vec::new()));
        }
        around += 1;
    }
    match t.kind() {
        Kind::Lam(_, body) => find(body, around, levels),
        Kind::App(f, x) => {
            find(f, around, levels);
            find(x, around, levels);
        }
        _ => {}
    }
}

/// In how many loops, at most, a variable names elements of what these go over; `inside`: of which variables inside of it are elements.
fn loops_between(t: &Term, variable: u32, inside: &mut Vec<bool>) -> u32 {
    let under = |body: &Term, is_element: bool, inside: &mut Vec<bool>| {
        inside.push(is_element);
        let found = loops_between(body, variable + 1, inside);
        inside.pop();
        found
    };
    match t.kind() {
        Kind::Lam(_, body) => under(body, false, inside),
        Kind::App(f, x) => {
            let own = t.as_prim_app();
            let array = own
                .as_ref()
                .and_then(|(p, args)| match (p.op(), &args[..]) {
                    (Op::Idx, [i, xs]) => {
                        let named = matches!(i.kind(), Kind::Var(v) if *v == variable);
                        named.then_some(*xs)
                    }
                    _ => None,
                });
            let of = |xs: &Term| {
                let elements = (0..).zip(inside.iter().rev());
                elements.filter(|(v, is)| **is && xs.mentions(*v)).count() as u32
            };
            let here = array.map_or(0, of);
            let element = own.is_some_and(|(p, _)| {
                matches!(p.op().sort(), Sort::Loop(_)) && p.op() != Op::Generate
            });
            let function = match x.kind() {
                Kind::Lam(_, body) if element => under(body, true, inside),
                _ => loops_between(x, variable, inside),
            };
            here.max(function).max(loops_between(f, variable, inside))
        }
        _ => 0,
    }
}

/// Whether the index of every loop over indices names elements, and nothing else.
fn name_elements(t: &Term) -> bool {
    let own = match loop_over_indices(t).map(Term::kind) {
        Some(Kind::Lam(_, body)) => names(body, 0),
        Some(_) => false,
        None => true,
    };
    own && match t.kind() {
        Kind::Lam(_, body) => name_elements(body),
        Kind::App(f, x) => name_elements(f) && name_elements(x),
        _ => true,
    }
}

/// Whether a variable stands nowhere but where an element is named.
fn names(t: &Term, variable: u32) -> bool {
    match t.kind() {
        Kind::Var(i) => *i != variable,
        Kind::Lam(_, body) => names(body, variable + 1),
        Kind::App(f, x) => {
            let index = matches!(x.kind(), Kind::Var(i) if *i == variable)
                && matches!(f.kind(), Kind::Prim(p) if p.op() == Op::Idx);
            index || names(f, variable) && names(x, variable)
        }
        _ => true,
    }
}
