//! Reductions with which something is done, in loops of their own.
//!
//! In: a term. Out: the step that makes of `for i: for j: f (Σ …)` the loops `for i: for j: s(i, j) = Σ …;  for i: for j: f s(i, j)`,
//! so that the first ones are loops around a reduction and nothing else, which a register tile, or lanes, need. What is
//! done with a sum may be anything: it is stored, named, reduced again. Either only the innermost loop is taken apart, so
//! that one row of sums is kept at a time, or all loops around it. One step takes one reduction; where there are more, the
//! next one is found in what the first one led to. Absent: whether that pays, what becomes of the loops.

use super::depends::{Scope, Varies};
use super::print::size;
use super::skeleton::{are_windows, has_reduction, is_across, Loops, SHALLOW};
use super::{guide, numbered, Schedule};
use crate::arith::Nat;
use crate::term::{Data, Kind, Loop, Op, Sort, Term};
use crate::ty::Ty;

const RULES: &str = "use rules/sharing.rules (let-fission, let-let, let-nest, reduction-named,
  reduction-named-left, reduction-named-first, reductions-named, reductions-named-left, let-out-of-argument,
  let-out-of-function, let-out-of-first)
use rules/algorithmic.rules (map-fst-zip, map-snd-zip, eliminate-map-identity)
use rules/lowering.rules (map-eta-abstraction)\n";

/// What gives names to loops of sums that another loop reads as they are.
const READ: &str = "use rules/sharing.rules (array-named, array-named-left)\n";

/// What moves names out of loops.
const OUT: &str = "use rules/sharing.rules (let-float-map)\n";

/// What is done so.
const WORDS: &str = "sums apart";

/// A reduction and the loops around it.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The lengths of the loops, outermost first.
    loops: Vec<Nat>,
    /// The length of the reduction.
    n: Nat,
    /// Whether the loops stand directly in each other,
    tight: bool,
    /// the first one where something is written.
    direct: bool,
    /// Whether names of views stand between them.
    views: bool,
    /// Whether names of other reductions do.
    names: bool,
    /// Whether the innermost loop goes over columns, which are read again row by row, or over windows of numbers that lie side by side,
    across: bool,
    /// whether another loop reads what they write, as where a function of each number follows,
    read: bool,
    /// in what way a name for it stands there.
    named: Named,
    /// The lengths of loops around it in all iterations of which it is the same: they are not among `loops`.
    same: Vec<Nat>,
    /// What the variables around it depend on.
    scope: Scope,
}

/// What of the names at the top of a program a place stands in.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Named {
    /// There are none.
    No,
    /// In the value of one.
    Value,
    /// In what has them.
    Body,
}

impl Place {
    /// Where a program, or a step of it, writes its result.
    fn top() -> Place {
        Place {
            loops: Vec::new(),
            n: Nat::int(1),
            tight: true,
            direct: true,
            views: false,
            names: false,
            across: false,
            read: false,
            named: Named::No,
            same: Vec::new(),
            scope: Scope::default(),
        }
    }

    /// What is under a variable that varies so.
    fn under(&self, variable: Varies) -> Place {
        Place {
            scope: self.scope.with(variable),
            ..self.clone()
        }
    }

    /// Whether rows of sums are read with which nothing is done where they are computed.
    fn is_read_as_it_is(&self) -> bool {
        self.read && self.tight && self.loops.len() > 1
    }

    /// The place of a reduction of so many, outside of the loops in all iterations of which it is the same.
    fn of(&self, reduction: &Term, n: Nat) -> Place {
        let varies = self.scope.varies(reduction).flat();
        let (mut loops, mut same) = (Vec::new(), Vec::new());
        for (i, n) in self.loops.iter().enumerate() {
            let kept = if varies.has(i) { &mut loops } else { &mut same };
            kept.push(*n);
        }
        if loops.is_empty() {
            // The same for all elements: compilers compute it once.
            (loops, same) = (self.loops.clone(), Vec::new());
        }
        Place {
            loops,
            n,
            same,
            ..self.clone()
        }
    }
}

/// The ways to take the next such reduction apart, the one that keeps all sums last, and which one it is; `done`: those
/// that are apart.
pub fn apart(term: &Term, done: &[Place]) -> Option<(Vec<Schedule>, Place)> {
    let mut found = Vec::new();
    written(term, &Place::top(), &mut found);
    // First what is done again and again, then what has the most loops.
    let rank = |p: &Place| (p.same.len(), p.loops.len());
    let most = found.iter().map(rank).max()?;
    let place = found.into_iter().find(|p| rank(p) == most)?;
    let schedule = |sketch: &str| {
        let mut steps = Vec::new();
        if place.views {
            let body = "(none (app let (none (reduce or reduceSeq)) ?))".to_string();
            let loops = place.loops.iter().rev();
            let loops = loops.fold(body, |s, n| format!("(containsMap {} {s})", size(*n)));
            let rules = "use rules/fusion.rules (let-inline)\n";
            let loops = bare(&loops).to_string();
            steps.push(guide(&numbered("names", done.len()), rules, &[loops]));
        }
        let read = if place.is_read_as_it_is() { READ } else { "" };
        let out = if place.same.is_empty() { "" } else { OUT };
        let rules = format!("{RULES}{read}{out}");
        steps.push(guide(
            &numbered("sums", done.len()),
            &rules,
            &[sketch.to_string()],
        ));
        Schedule::preparation(WORDS, steps)
    };
    let mut all = vec![schedule(&whole(&place, done))];
    if let Some((last, around)) = place.loops.split_last().filter(|l| !l.1.is_empty()) {
        let row = format!("(contains (app let {} ?))", nest(&[*last], place.n));
        let loops = around.iter().rev();
        let row = loops.fold(row, |s, n| format!("(containsMap {} {s})", size(*n)));
        if done.is_empty() && place.same.is_empty() {
            all.insert(0, schedule(bare(&row)));
        }
    }
    Some((all, place))
}

/// All loops around a reduction are those of its sums, and so they are of those that are apart.
fn whole(place: &Place, done: &[Place]) -> String {
    let same = |p: &&Place| (&p.loops, p.n) == (&place.loops, place.n);
    let of = |p: &Place| nest(&p.loops, p.n);
    let mut sketch = match (place.read, place.named) {
        // The name stands outside of the loops in which it is the same.
        _ if !place.same.is_empty() => {
            let loops = place.same.iter();
            let inside = loops.map(|n| format!("(containsMap {} ?)", size(*n)));
            let inside: Vec<String> = inside.collect();
            format!(
                "contains (app let {} ({}))",
                of(place),
                inside.join(" and ")
            )
        }
        // A name in what another loop reads would hide the loops of the sums: it stands before that loop.
        (true, Named::No) => format!("app let {} ?", of(place)),
        (true, Named::Value) => format!("contains (app let {} (\\ (app let ? ?)))", of(place)),
        (true, Named::Body) => format!("contains (app let ? (\\ (app let {} ?)))", of(place)),
        (false, _) if place.tight => format!("contains (app let {} ?)", of(place)),
        (false, _) => format!("contains {}", of(place)),
    };
    // A name behind another one that is the same says that there are two.
    let behind = place.same.is_empty() && place.read && place.named == Named::Body;
    for p in done.iter().filter(|p| !behind && same(p)) {
        sketch = format!("contains (app let {} ({sketch}))", of(p));
    }
    for p in done.iter().filter(|p| !same(p)) {
        sketch = format!("({sketch}) and (contains {})", of(p));
    }
    sketch
}

/// Loops directly in each other, the last of which reduces so many; a function that only reduces what it is given may be written
/// without that.
fn nest(loops: &[Nat], n: Nat) -> String {
    let reduce = format!("(reduce : ? -> ? -> {}.? -> ?)", size(n));
    let innermost = format!("((\\ (app {reduce} ? ? ?)) or (app {reduce} ? ?))");
    let around = |f: &str, n: &Nat| format!("(app (map : ? -> {}.? -> ?) {f} ?)", size(*n));
    let mut loops = loops.iter().rev();
    let first = loops.next().map(|n| around(&innermost, n));
    loops.fold(first.unwrap_or_default(), |s, n| {
        around(&format!("(\\ {s})"), n)
    })
}

/// Without parentheses around all of it.
fn bare(sketch: &str) -> &str {
    let inner = sketch.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
    inner.unwrap_or(sketch)
}

/// What stands behind names of what has no loop of its own.
pub fn unnamed(loops: &Loops) -> &Loops {
    match loops {
        Loops::Let { value, body, .. }
            if !value
                .any(&|l| !matches!(l, Loops::Map(_) | Loops::Elements(..) | Loops::Nothing)) =>
        {
            unnamed(body)
        }
        _ => loops,
    }
}

/// What a function makes whose result is written.
fn called(f: &Term, argument: Varies, place: &Place, found: &mut Vec<Place>) {
    match (f.kind(), f.as_prim_app()) {
        (Kind::Lam(_, body), _) => written(body, &place.under(argument), found),
        // `map g`, whose argument is not written out.
        (_, Some((p, args))) if p.op() == Op::Map => {
            if let [g] = args[..] {
                iterations(g, f.ty().uncurried().1, argument, place, found);
            }
        }
        _ => {}
    }
}

/// What the iterations of a loop over elements that vary so write, which makes an array.
fn iterations(f: &Term, made: Ty, elements: Varies, place: &Place, found: &mut Vec<Place>) {
    if let Some((n, _)) = made.as_array() {
        let mut below = place.clone();
        below.loops.push(n);
        called(f, elements.by(place.loops.len()), &below, found);
    }
}

/// Finds reductions that stand in loops with something around them.
fn written(t: &Term, place: &Place, found: &mut Vec<Place>) {
    let Some((p, args)) = t.as_prim_app() else {
        if let Kind::Lam(_, body) = t.kind() {
            // The parameters of the program.
            written(body, &place.under(Varies::default()), found);
        }
        return;
    };
    let inside = Place {
        direct: place.direct && place.loops.is_empty(),
        tight: place.loops.is_empty(),
        ..place.clone()
    };
    let read = Place {
        direct: false,
        ..inside.clone()
    };
    match (p.op().sort(), &args[..]) {
        (Sort::Loop(Loop::Map), [f, xs]) => {
            let over = Place {
                across: is_across(xs) || are_windows(xs),
                ..place.clone()
            };
            iterations(f, t.ty(), place.scope.varies(xs), &over, found);
            let loops = xs.ty().as_array().is_some_and(|(_, row)| !row.is_flat());
            let read = Place {
                read: read.read || loops,
                ..read
            };
            written(xs, &read, found);
        }
        (Sort::Data(Data::Let), [value, f]) => {
            let mut inside = inside;
            if !place.loops.is_empty() {
                inside.names |= has_reduction(value);
                inside.views |= !has_reduction(value);
            }
            let named = |named| match place.loops.is_empty() {
                true => Place {
                    named,
                    ..inside.clone()
                },
                false => inside.clone(),
            };
            written(value, &named(Named::Value), found);
            let varies = place.scope.varies(value);
            called(f, varies, &named(Named::Body), found);
        }
        (Sort::Loop(Loop::Iterate), [f, x]) => {
            // No loop around it is one of a step.
            let step = Place {
                scope: place.scope.fixed(),
                ..Place::top()
            };
            called(f, Varies::default(), &step, found);
            written(x, &read, found);
        }
        (Sort::Loop(Loop::Reduce), [_, _, xs]) => {
            written(xs, &read, found);
            let Some((n, _)) = xs.ty().as_array() else {
                return;
            };
            let long = n.as_int().is_none_or(|n| n >= SHALLOW);
            let own = place.of(t, n);
            let again = !own.same.is_empty();
            // Reductions along a row have it in a cache, one after the other.
            let worth = place.loops.len() > 1 || !place.names || place.across;
            let apart = place.direct || place.loops.is_empty();
            if long && (again || worth && !apart) && !has_reduction(xs) && t.ty().is_flat() {
                found.push(own);
            }
        }
        (Sort::Loop(_), _) => {}
        (Sort::View(_) | Sort::Data(_), _) => {
            args.iter().for_each(|a| written(a, &inside, found));
        }
        _ => args.iter().for_each(|a| written(a, &read, found)),
    }
}
