//! Which small change of a sketch would make it satisfied.
//!
//! In: a sketch that a graph does not satisfy, what occurs in the graph. Out: changes of one size, operator
//! or element type (everywhere it stands, or in one place) by which the program satisfies it. A place is
//! first left open; only where that helps the values that occur are tried. Invariant: with the change the
//! root satisfies the sketch. Absent: whether the change is meant, which `advise` weighs.

use super::closest::Asker;
use super::occurs::Occurs;
use crate::arith::Nat;
use crate::elab::{Sketch, SketchKind, Step, TyPattern};
use crate::sketch::Parts;
use crate::term::Op;
use crate::ty::Scalar;

/// Something in a sketch that may be a slip.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A size in a type, or of a primitive.
    Size(Nat),
    /// A primitive.
    Op(Op),
    /// An element type.
    Scalar(Scalar),
}

/// A change of one atom of a sketch.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is asked for.
    pub from: Atom,
    /// What would be satisfied.
    pub to: Atom,
    /// The part in which it stands first, by its number.
    pub part: usize,
    /// Whether it is meant in that place only, or wherever it stands.
    pub once: bool,
}

/// Values that are tried in one place.
const VALUES: usize = 24;

/// In a longer sketch slips are not looked for: it would be copied once for each place.
const ATOMS: usize = 200;

/// The changes that help, most alike first.
pub(super) fn edits(step: &Step, parts: &Parts, has: &Occurs, asker: &mut Asker) -> Vec<Edit> {
    let sketch = &step.sketch;
    let mut atoms: Vec<Atom> = Vec::new();
    change(sketch, &mut |a| {
        atoms.push(a);
        Some(a)
    });
    let mut out = Vec::new();
    if atoms.len() > ATOMS {
        return out;
    }
    // In one place, and everywhere where there are several.
    let mut sites: Vec<(Atom, Option<usize>)> = Vec::new();
    for (i, a) in atoms.iter().enumerate() {
        sites.push((*a, Some(i)));
    }
    for (i, a) in atoms.iter().enumerate() {
        let again = atoms[..i].contains(a);
        if !again && atoms[i + 1..].contains(a) {
            sites.push((*a, None));
        }
    }
    let put = |site: &(Atom, Option<usize>), to: Option<Atom>| {
        let mut i = 0;
        change(sketch, &mut |a| {
            let here = match site.1 {
                Some(at) => i == at,
                None => a == site.0,
            };
            i += 1;
            if here {
                to
            } else {
                Some(a)
            }
        })
    };
    let open: Vec<Sketch> = sites.iter().map(|s| put(s, None)).collect();
    let Some(helps) = asker.ask(&open) else {
        return out;
    };
    for (site, _) in sites.iter().zip(helps).filter(|(_, h)| *h) {
        let values = alike(site.0, has);
        let tried: Vec<Sketch> = values.iter().map(|v| put(site, Some(*v))).collect();
        let Some(fits) = asker.ask(&tried) else {
            break;
        };
        let first = match site.1 {
            Some(at) => at,
            None => atoms.iter().position(|a| *a == site.0).unwrap_or(0),
        };
        if let Some(at) = fits.iter().position(|f| *f) {
            out.push(Edit {
                from: site.0,
                to: values[at],
                part: part_of(parts, first),
                once: site.1.is_some() && atoms.iter().filter(|a| **a == site.0).count() > 1,
            });
        }
    }
    out
}

/// What could stand instead, most alike first.
fn alike(atom: Atom, has: &Occurs) -> Vec<Atom> {
    let mut values: Vec<Atom> = match atom {
        Atom::Size(_) => has.sizes.iter().map(|n| Atom::Size(*n)).collect(),
        Atom::Op(_) => has.ops.iter().map(|o| Atom::Op(*o)).collect(),
        Atom::Scalar(_) => has.scalars.iter().map(|s| Atom::Scalar(*s)).collect(),
    };
    values.retain(|v| *v != atom);
    let text = atom.to_string();
    values.sort_by_cached_key(|v| {
        let other = v.to_string();
        let same = text
            .chars()
            .rev()
            .zip(other.chars().rev())
            .take_while(|(a, b)| a == b);
        (
            text.len().abs_diff(other.len()),
            std::cmp::Reverse(same.count()),
            other.len(),
            other,
        )
    });
    values.truncate(VALUES);
    values
}

impl std::fmt::Display for Atom {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Atom::Size(n) => write!(f, "{n}"),
            Atom::Op(op) => f.write_str(op.name()),
            Atom::Scalar(s) => f.write_str(s.name()),
        }
    }
}

/// The part in which an atom stands.
fn part_of(parts: &Parts, atom: usize) -> usize {
    let Some(whole) = parts.list.first() else {
        return 0;
    };
    let mut spans = Vec::new();
    atom_spans(&whole.sketch, &mut spans);
    let span = spans.get(atom);
    let at = parts.list.iter().position(|p| Some(&p.sketch.span) == span);
    at.unwrap_or(0)
}

fn atom_spans(s: &Sketch, out: &mut Vec<crate::source::Span>) {
    let mut count = 0;
    own_atoms(&s.kind, &mut |a| {
        count += 1;
        Some(a)
    });
    out.extend(std::iter::repeat_n(s.span, count));
    for child in s.kind.children() {
        let start = out.len();
        atom_spans(child, out);
        // Primitives are no parts: what they stand in is one.
        if !child.is_part() {
            out[start..].fill(s.span);
        }
    }
}

/// A sketch with other atoms, which are visited in one order; `None` leaves the place open.
pub(super) fn change(s: &Sketch, f: Change) -> Sketch {
    let own = own_atoms(&s.kind, f);
    let kind = own.map(&mut |child| change(child, f));
    s.with(kind)
}

type Change<'a> = &'a mut dyn FnMut(Atom) -> Option<Atom>;

fn own_atoms(kind: &SketchKind, f: Change) -> SketchKind {
    match kind {
        SketchKind::Prim(op, sizes) => {
            let Some(Atom::Op(new)) = f(Atom::Op(*op)) else {
                return SketchKind::Any;
            };
            let sizes = sizes.as_ref().filter(|_| new == *op);
            let sizes = sizes.and_then(|s| s.iter().map(|n| size(*n, f)).collect());
            SketchKind::Prim(new, sizes)
        }
        SketchKind::Typed(b, t) => SketchKind::Typed(b.clone(), pattern(t, f)),
        other => other.clone(),
    }
}

fn size(n: Nat, f: Change) -> Option<Nat> {
    match f(Atom::Size(n)) {
        Some(Atom::Size(n)) => Some(n),
        _ => None,
    }
}

fn pattern(p: &TyPattern, f: Change) -> TyPattern {
    let length = |n: &Option<Nat>, f: Change| n.and_then(|n| size(n, f));
    match p {
        TyPattern::Any | TyPattern::AnyScalar => p.clone(),
        TyPattern::Scalar(s) => match f(Atom::Scalar(*s)) {
            Some(Atom::Scalar(s)) => TyPattern::Scalar(s),
            _ => TyPattern::Any,
        },
        TyPattern::Idx(n) => TyPattern::Idx(length(n, f)),
        TyPattern::Pair(a, b) => {
            let a = Box::new(pattern(a, f));
            TyPattern::Pair(a, Box::new(pattern(b, f)))
        }
        TyPattern::Fun(a, b) => {
            let a = Box::new(pattern(a, f));
            TyPattern::Fun(a, Box::new(pattern(b, f)))
        }
        TyPattern::Vec(n, t) => {
            let n = length(n, f);
            TyPattern::Vec(n, Box::new(pattern(t, f)))
        }
        TyPattern::Array(n, t) => {
            let n = length(n, f);
            TyPattern::Array(n, Box::new(pattern(t, f)))
        }
    }
}
