//! Long scans, whose results a loop may read.
//!
//! In: a term. Out: of how many elements the long scans outside of all loops are; the step that gives names to results that a loop reads,
//! so that they are computed once, in blocks, before it; what such scans look like. Absent: what is done with them.

use super::guide;
use super::print::size;
use super::skeleton::{argument, outside_of_loops};
use crate::arith::Nat;
use crate::term::{Kind, Op, Term};
use std::collections::BTreeMap;

const NAMES: &str = "use rules/sharing.rules (scan-named, scan-named-left, let-out-of-argument, let-out-of-function,
  let-out-of-first)\n";

/// Scans of a kind, or other loops that are taken apart like them.
pub struct Scans {
    /// How many there are of each length.
    lengths: BTreeMap<String, usize>,
    /// Whether a loop reads what they make, or a name does.
    read: bool,
}

impl Scans {
    /// Those of which this says how many elements they have.
    pub fn of(term: &Term, elements: &dyn Fn(&Term) -> Option<Nat>) -> Scans {
        let mut lengths = BTreeMap::new();
        outside_of_loops(term, &mut |t| {
            if let Some(n) = elements(t) {
                *lengths.entry(size(n)).or_insert(0) += 1;
            }
        });
        let read = is_read(term, elements);
        Scans { lengths, read }
    }

    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// What each is to look like. Of several names one stands behind the other.
    pub fn look(&self, each: &dyn Fn(&str) -> String) -> Vec<String> {
        let names = |n: &str, count: usize| {
            let inner = "(contains map)".to_string();
            let named = |rest, _| format!("(contains (app let {} {rest}))", each(n));
            (0..count).fold(inner, named)
        };
        let mut all: Vec<String> = Vec::new();
        for (n, count) in &self.lengths {
            let looks = match self.read {
                true => names(n, *count),
                false => each(n),
            };
            if !all.contains(&looks) {
                all.push(looks);
            }
        }
        all
    }

    /// The step that names them, where a loop reads what they make.
    pub fn named(&self) -> Option<String> {
        let scan = |n: &str| format!("(contains (scanSeq : ? -> ? -> {n}.? -> ?))");
        self.read.then(|| guide("named", NAMES, &self.look(&scan)))
    }

    /// What looks so, stored where it has a name.
    pub fn stored(&self, scan: String) -> String {
        match self.read {
            true => format!("(app toMem {scan})"),
            false => scan,
        }
    }
}

/// Whether a loop or a name has such a scan for its array; what loops reduce to one value has no array.
fn is_read(t: &Term, elements: &dyn Fn(&Term) -> Option<Nat>) -> bool {
    if let Kind::Lam(_, body) = t.kind() {
        return is_read(body, elements);
    }
    let Some((p, args)) = t.as_prim_app() else {
        return false;
    };
    let is_scan = |t: &Term| argument(t, Op::ScanSeq, 0).is_some() && elements(t).is_some();
    match p.op() {
        Op::Map => (args.iter().skip(1)).any(|a| {
            let mut found = false;
            a.visit(&mut |t, _| found |= is_scan(t));
            found
        }),
        Op::Let if argument(t, Op::Let, 0).is_some_and(is_scan) => true,
        _ => args.iter().any(|a| is_read(a, elements)),
    }
}
