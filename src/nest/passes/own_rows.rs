//! What each iteration of a loop has for itself of the arrays that all of them store to.
//!
//! Comes in: the places to which an iteration stores; goes out: whether no other one stores between them, and whether what it reads is its own.
//! Absent: what is stored.

use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::BufId;

/// The places in a buffer to which one iteration stores.
pub(super) struct Place {
    pub buf: BufId,
    /// How far the next iteration's are.
    pub stride: Nat,
    /// The first of the first iteration.
    pub first: Nat,
    /// How far behind that the last one is.
    pub last: Nat,
}

/// What each iteration has for itself of the buffers that all of them store to.
pub(super) struct Rows<'a>(Vec<Row<'a>>);

struct Row<'a> {
    of: &'a Place,
    /// From where to where that goes, beside its first place.
    from: i64,
    to: Nat,
}

impl Rows<'_> {
    /// If no iteration stores between places of another one.
    pub(super) fn of<'a>(places: &'a [Place], facts: &Facts) -> Option<Rows<'a>> {
        let mut rows: Vec<Row<'a>> = Vec::new();
        for of in places {
            let mut row = Row {
                of,
                from: 0,
                to: of.last,
            };
            for b in places.iter().filter(|b| b.buf == of.buf) {
                let by = (b.first - of.first).as_int();
                let by = by.filter(|_| b.stride == of.stride)?;
                row.from = row.from.min(by);
                let to = b.last + by.into();
                let (lower, higher) = (facts.at_least(row.to, to), facts.at_least(to, row.to));
                row.to = if lower { row.to } else { to };
                (lower || higher).then_some(())?;
            }
            let length = row.to - row.from.into() + 1.into();
            facts.at_least(of.stride, length).then_some(())?;
            rows.push(row);
        }
        Some(Rows(rows))
    }

    /// Whether what an iteration reads there, so far from the next one's, is its own, or nobody stores to the buffer.
    pub(super) fn is_own(
        &self,
        buf: BufId,
        (n, var, stride): (Nat, Symbol, Option<Nat>),
        facts: &Facts,
    ) -> bool {
        let Some(row) = self.0.iter().find(|row| row.of.buf == buf) else {
            return true;
        };
        if stride != Some(row.of.stride) {
            return false;
        }
        let at = n - Nat::var(var) * row.of.stride - row.of.first;
        facts.at_least(at, row.from.into()) && facts.at_least(row.to, at)
    }
}
