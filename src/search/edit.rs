//! Which small change of a sketch would make it satisfied.
//!
//! In: a sketch that a graph does not satisfy, what occurs in the graph. Out: changes of one size, operator
//! or element type (everywhere it stands, or in one place), of the number or the order of the arguments of a primitive, by
//! which the program satisfies it. A place is
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
    /// So many arguments of a primitive.
    Arguments(Op, usize),
    /// The operands of a primitive, in this order or the other.
    Operands(Op),
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
    out.extend(of_arguments(sketch, parts, asker));
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
    // Each is a copy of the sketch.
    let in_time = |_: &&(Atom, Option<usize>)| !asker.late();
    let open: Vec<Sketch> = (sites.iter().take_while(in_time))
        .map(|s| put(s, None))
        .collect();
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

/// How many arguments a primitive takes.
pub fn arity(op: Op) -> usize {
    op.scheme(&[]).map_or(0, |s| s.ty.uncurried().0.len())
}

/// Whether one primitive may have been written for the other.
fn is_kin(a: Op, b: Op) -> bool {
    std::mem::discriminant(&a.sort()) == std::mem::discriminant(&b.sort()) && arity(a) == arity(b)
}

/// The primitive that a sketch applies, and to how many arguments.
fn applied(s: &Sketch) -> Option<(Op, usize)> {
    match &s.kind {
        SketchKind::Prim(op, _) => Some((*op, 0)),
        SketchKind::Typed(inner, _) => applied(inner).filter(|a| a.1 == 0),
        SketchKind::App(f, _) => applied(f).map(|(op, n)| (op, n + 1)),
        _ => None,
    }
}

/// Changes of how many arguments a primitive is given and of their order.
fn of_arguments(sketch: &Sketch, parts: &Parts, asker: &mut Asker) -> Vec<Edit> {
    let mut count = 0;
    applications(sketch, &mut |_| {
        count += 1;
        None
    });
    let mut tried: Vec<(Edit, Sketch)> = Vec::new();
    for at in 0..count.min(ATOMS) {
        if asker.late() {
            break;
        }
        let mut i = 0;
        let mut edit = None;
        let changed = applications(sketch, &mut |s| {
            i += 1;
            if i != at + 1 {
                return None;
            }
            let (from, to, made) = rearranged(s)?;
            let part = parts.list.iter().position(|p| p.sketch.span == s.span);
            edit = Some(Edit {
                from,
                to,
                part: part.unwrap_or(0),
                once: false,
            });
            Some(made)
        });
        tried.extend(edit.map(|e| (e, changed)));
    }
    let fits = asker.ask(tried.iter().map(|t| &t.1)).unwrap_or_default();
    let helps = tried.into_iter().zip(fits).filter(|(_, fits)| *fits);
    helps.map(|((edit, _), _)| edit).collect()
}

/// An application with the arguments that are missing, or with its two operands exchanged.
fn rearranged(s: &Sketch) -> Option<(Atom, Atom, Sketch)> {
    let (op, n) = applied(s)?;
    match arity(op) {
        all if n < all => {
            let more = filled(s, all - n);
            Some((Atom::Arguments(op, n), Atom::Arguments(op, all), more))
        }
        2 => Some((Atom::Operands(op), Atom::Operands(op), exchanged(s)?)),
        _ => None,
    }
}

/// An application to so many more arguments, whatever they are.
fn filled(s: &Sketch, more: usize) -> Sketch {
    (0..more).fold(s.clone(), |f, _| {
        let any = f.with(SketchKind::Any);
        f.with(SketchKind::App(Box::new(f.clone()), Box::new(any)))
    })
}

/// `app op b a` for `app op a b`.
fn exchanged(s: &Sketch) -> Option<Sketch> {
    let SketchKind::App(half, b) = &s.kind else {
        return None;
    };
    let SketchKind::App(op, a) = &half.kind else {
        return None;
    };
    let half = half.with(SketchKind::App(op.clone(), b.clone()));
    Some(s.with(SketchKind::App(Box::new(half), a.clone())))
}

/// What becomes of an application; `None` leaves it as it is.
type Rewritten<'a> = &'a mut dyn FnMut(&Sketch) -> Option<Sketch>;

/// A sketch with other applications of primitives, which are visited whole, with all of their arguments, in one order.
fn applications(s: &Sketch, f: Rewritten) -> Sketch {
    if applied(s).is_some_and(|a| a.1 > 0) {
        return f(s).unwrap_or_else(|| arguments(s, f));
    }
    inside(s, &mut |child| applications(child, f))
}

/// The same in the arguments of an application.
fn arguments(s: &Sketch, f: Rewritten) -> Sketch {
    match &s.kind {
        SketchKind::App(head, x) => {
            let head = arguments(head, f);
            let x = applications(x, f);
            s.with(SketchKind::App(Box::new(head), Box::new(x)))
        }
        _ => s.clone(),
    }
}

/// What could stand instead, most alike first.
fn alike(atom: Atom, has: &Occurs) -> Vec<Atom> {
    let mut values: Vec<Atom> = match atom {
        Atom::Size(_) => has.sizes.iter().map(|n| Atom::Size(*n)).collect(),
        // Who writes `sqrt` does not mean `pair`.
        Atom::Op(op) => {
            let kin = has.ops.iter().filter(|o| is_kin(op, **o));
            kin.map(|o| Atom::Op(*o)).collect()
        }
        Atom::Scalar(_) => has.scalars.iter().map(|s| Atom::Scalar(*s)).collect(),
        Atom::Arguments(..) | Atom::Operands(_) => Vec::new(),
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
            Atom::Op(op) | Atom::Operands(op) => f.write_str(op.name()),
            Atom::Arguments(op, n) => write!(f, "{} {n}", op.name()),
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
    for child in s.kind.asked_for() {
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
    let own = s.with(own_atoms(&s.kind, f));
    inside(&own, &mut |child| change(child, f))
}

/// A sketch with other sketches inside of it; what `none` and `every` ask of no part stays as it is.
fn inside(s: &Sketch, f: &mut dyn FnMut(&Sketch) -> Sketch) -> Sketch {
    let mut is_first = true;
    let kind = s.kind.map(&mut |child| {
        let stays = match &s.kind {
            SketchKind::None(_) => true,
            SketchKind::Every(..) => std::mem::take(&mut is_first),
            _ => false,
        };
        match stays {
            true => child.clone(),
            false => f(child),
        }
    });
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
