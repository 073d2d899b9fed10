//! Loops over segments, whose ends data says.
//!
//! In: a loop program. Out: the same with the usual length of a segment for the number of its elements, which nobody knows before the
//! call: all values over the number of segments. Absent: segments of other lengths.

use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{Block, BufId, ExprKind, Nest, Stmt, StorageClass};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The program with usual lengths.
pub fn of_usual_length(nest: &Nest) -> Cow<'_, Nest> {
    // Offsets are indices.
    if nest.abi.inputs.iter().all(|slot| slot.bound.is_none()) {
        return Cow::Borrowed(nest);
    }
    let mut body = nest.body.clone();
    let mut usual = Usual {
        nest,
        offsets: BTreeMap::new(),
        changes: false,
    };
    usual.block(&mut body);
    match usual.changes {
        true => Cow::Owned(Nest {
            body,
            ..nest.clone()
        }),
        false => Cow::Borrowed(nest),
    }
}

struct Usual<'a> {
    nest: &'a Nest,
    /// Variables that are read from an array of offsets.
    offsets: BTreeMap<Symbol, BufId>,
    changes: bool,
}

impl Usual<'_> {
    fn block(&mut self, block: &mut Block) {
        for s in block {
            match s {
                Stmt::Let {
                    var,
                    value: Some(value),
                    ..
                } => {
                    let read = match value.kind() {
                        ExprKind::Load(buf, _) => Some(self.nest.root(*buf)),
                        ExprKind::Var(other) => self.offsets.get(other).copied(),
                        _ => None,
                    };
                    self.offsets.extend(read.map(|buf| (*var, buf)));
                }
                Stmt::For { extent, body, .. } => {
                    if let Some(usual) = self.usual(*extent) {
                        *extent = usual;
                        self.changes = true;
                    }
                    self.block(body);
                }
                Stmt::If { then, els, .. } => {
                    self.block(then);
                    self.block(els);
                }
                Stmt::Index { var, value } => {
                    let read = match value.as_atom().map(|a| a.kind()) {
                        Some(AtomKind::Var(v)) => self.offsets.get(&v).copied(),
                        _ => None,
                    };
                    self.offsets.extend(read.map(|buf| (*var, buf)));
                    if let Some(usual) = self.usual(*value) {
                        *value = usual;
                        self.changes = true;
                    }
                }
                _ => {}
            }
        }
    }

    /// Of a difference of two offsets, if it is one that is not negative, the usual one.
    fn usual(&self, extent: Nat) -> Option<Nat> {
        let AtomKind::Max(a, b) = extent.as_atom()?.kind() else {
            return None;
        };
        let length = match (a.as_int(), b.as_int()) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => return None,
        };
        let mut arrays = length
            .vars()
            .iter()
            .map(|v| self.offsets.get(v).copied())
            .collect::<Vec<_>>();
        arrays.dedup();
        let [Some(array)] = arrays[..] else {
            return None;
        };
        let StorageClass::Input(i) = self.nest.buffers[array.0 as usize].storage else {
            return None;
        };
        let slot = self.nest.abi.inputs.get(i)?;
        // There is one offset more than segments, and one more than values.
        let (segments, values) = (slot.count() - Nat::int(1), slot.bound? - Nat::int(1));
        Some(match segments.as_int() {
            Some(0) => values,
            _ => values.exact_div(segments),
        })
    }
}
