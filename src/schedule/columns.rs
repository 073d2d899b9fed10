//! Columns of a matrix that something is done with, row by row.
//!
//! In: a term. Out: the steps that make of `for j: for i: f x(i, j) s(j)` the loops `for i: for j: f x(i, j) s(j)`, where that is the result,
//! column by column, or a named array of columns, which is an array of rows from there on: rows lie in one piece, and compilers make
//! vectors of what is done with them. What is the same for a column gets a name before. Absent: reductions of columns, which have loops of
//! their own; whether that pays.

use super::print::size;
use super::skeleton::{computes, has, has_reduction, is_across, SHORT};
use super::{guide, numbered, Schedule};
use crate::arith::Nat;
use crate::term::{Data, Kind, Op, Sort, Term};

const VALUES: &str = "use rules/sharing.rules (let-fission)\n";
const EXCHANGE: &str = "use rules/layout.rules (map-interchange-general, transpose-back)
use rules/sharing.rules (let-out-of-argument, let-of-columns, let-let)
use rules/algorithmic.rules (map-fst-zip, map-snd-zip, map-fission)\n";
const TIDY: &str =
    "use rules/algorithmic.rules (map-fst-zip, map-snd-zip, map-fission, map-binary-fission, map-fusion)\n";

/// What is done so.
const WORDS: &str = "columns row by row";

/// The steps for the first such columns, behind so many of their kind: with loops over what they read alone, or over more.
pub fn exchanged(term: &Term, before: usize) -> Vec<Schedule> {
    let Some(columns) = written(term, &Place::result()) else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    if columns.names {
        let n = size(columns.n);
        let looks = format!("(none (containsMap {n} (contains (app let ? ?))))");
        steps.push(guide(&numbered("values", before), VALUES, &[looks]));
    }
    let exchange = columns.rows("(contains map)");
    steps.push(guide(&numbered("by-rows", before), EXCHANGE, &[exchange]));
    // Where nothing gets a name, nothing is kept that was not.
    let way = |steps| match Schedule::preparation(WORDS, steps) {
        way if columns.names => way,
        way => way.by_itself(),
    };
    let more = way(steps.clone());
    let tidy = columns.rows("((contains map) and (none transpose))");
    steps.push(guide(&numbered("tidy", before), TIDY, &[tidy]));
    vec![way(steps), more]
}

/// Where a term stands.
#[derive(Clone)]
struct Place {
    /// Whether it has a name; else it is the result of the program.
    named: bool,
    /// Whether it is transposed before that.
    turned: bool,
    /// Whether something has a name around it.
    below: bool,
    /// What is around a part of the result, outermost first, as sketches with `@` for the part.
    around: Vec<String>,
}

impl Place {
    fn result() -> Place {
        Place {
            named: false,
            turned: false,
            below: false,
            around: Vec::new(),
        }
    }

    fn named() -> Place {
        Place {
            named: true,
            ..Place::result()
        }
    }

    fn turned(&self) -> Place {
        Place {
            turned: true,
            ..self.clone()
        }
    }

    fn below(&self) -> Place {
        Place {
            below: true,
            ..self.clone()
        }
    }

    fn within(&self, sketch: &str) -> Place {
        let mut place = self.clone();
        place.around.push(sketch.to_string());
        place
    }
}

/// A loop over columns, with another one over rows in it.
struct Columns {
    n: Nat,
    rows: Nat,
    /// Whether something is named in an iteration.
    names: bool,
    place: Place,
}

impl Columns {
    /// How it looks row by row, with a function that looks so.
    fn rows(&self, function: &str) -> String {
        let rows = size(self.rows);
        let rows = format!("(app (map : ? -> {rows}.? -> ?) {function} (none transpose))");
        if self.place.named {
            return format!("(contains (app let {rows} ?))");
        }
        // What is the same for a column is named inside of the loops around it.
        let rows = match self.names && !self.place.around.is_empty() {
            true => format!("(contains {rows})"),
            false => rows,
        };
        let around = self.place.around.iter().rev();
        let result = around.fold(rows, |s, around| around.replace('@', &s));
        match self.names || self.place.below {
            true => format!("(contains (app let ? (\\ {result})))"),
            false => format!("(contains {result})"),
        }
    }
}

/// The first such loop, of names before the rest.
fn written(t: &Term, place: &Place) -> Option<Columns> {
    if let Kind::Lam(_, body) = t.kind() {
        return written(body, place);
    }
    let (p, args) = t.as_prim_app()?;
    match (p.op().sort(), &args[..]) {
        (Sort::Data(Data::Let), [value, f]) => {
            written(value, &Place::named()).or_else(|| written(f, &place.below()))
        }
        (Sort::Loop(_), [f, xs]) if p.op() == Op::Map => match is_across(xs) {
            true if place.named || place.turned => columns(t, f, place),
            false if place.named || place.turned => None,
            // Rows that are read in another way.
            _ if !computes(f) && !has(f, &[Op::Map]) => written(xs, &place.within("(app map ? @)")),
            _ => written(f, &place.within("(app map (\\ @) ?)")),
        },
        (Sort::View(_), [xs]) if p.op() == Op::Transpose && !place.turned => {
            written(xs, &place.turned())
        }
        _ if place.named || place.turned => None,
        (Sort::View(_), [xs]) => written(xs, &place.within(&format!("(app {} @)", p.op().name()))),
        _ => None,
    }
}

/// The loop, if its elements are what a loop makes of numbers alone.
fn columns(t: &Term, f: &Term, place: &Place) -> Option<Columns> {
    let (n, column) = t.ty().as_array()?;
    let (rows, elem) = column.as_array()?;
    let names = matches!(f.kind(), Kind::Lam(_, body) if is_named(body));
    let long = n.as_int().is_none_or(|n| n >= SHORT);
    let fits = long && elem.is_flat() && is_loop(f) && !has_reduction(f);
    fits.then_some(Columns {
        n,
        rows,
        names,
        place: place.clone(),
    })
}

fn is_named(t: &Term) -> bool {
    matches!(t.as_prim_app(), Some((p, _)) if p.op() == Op::Let)
}

/// Whether a function ends with a loop over elements.
fn is_loop(t: &Term) -> bool {
    if let Kind::Lam(_, body) = t.kind() {
        return is_loop(body);
    }
    match t.as_prim_app() {
        Some((p, args)) if p.op() == Op::Let => args.last().is_some_and(|f| is_loop(f)),
        Some((p, _)) => p.op() == Op::Map,
        None => false,
    }
}
