//! Reductions whose steps are written out.
//!
//! In: a reduction of few steps, a value in which there are such. Out: what the last step makes; the value in which those over the state of
//! a loop are written out. Absent: whether two reductions are the same then (`regroup`, `same`).

use super::rewrite::Rewrite;
use super::value::{Fold, Node, Res, Values, V};
use crate::arith::Nat;

/// Reductions of so many steps are written out.
pub const WRITTEN_OUT: i64 = 256;
/// So many steps are as many places of a state.
const SHORT: i64 = 16;

/// Whether all steps may be written out.
pub fn few(f: &Fold) -> bool {
    f.n.as_int().is_some_and(|n| (0..=WRITTEN_OUT).contains(&n))
}

/// A reduction of few steps as what its last one makes; with those that its steps are made of, if the inner ones are asked for, too.
/// What a step makes is written by all that is known, if what it begins with is.
pub fn written(cx: &mut Values, f: &Fold, inner: bool) -> Res<Vec<V>> {
    let mut state = cx.rewrite_all(&mut Rewrite::default(), &f.starts)?;
    for i in 0..f.n.as_int().unwrap_or(0) {
        state = cx.stepped(f, &state, Nat::int(i))?.to_vec();
        for v in state.iter_mut().filter(|_| inner) {
            if let Node::Fold(of) = cx.node(*v).clone() {
                if few(&of) {
                    *v = written(cx, &of, true)?[of.which as usize];
                }
            }
        }
    }
    Ok(state)
}

/// A value in which short reductions over cells of a loop are written out, so that each cell says its place: those that stand in no other
/// reduction, and then those in these.
pub fn places_said(cx: &mut Values, v: V, of: u32) -> Res<V> {
    let mut v = v;
    loop {
        let mut r = Rewrite::opening();
        for (whole, f) in cx.outer_folds(v) {
            if f.n.as_int().is_some_and(|n| (1..=SHORT).contains(&n))
                && cx.reads_at_bound(whole, of)
            {
                let all = written(cx, &f, false)?;
                r.put(cx, whole, all[f.which as usize]);
            }
        }
        if r.exact.is_empty() {
            return Ok(v);
        }
        v = cx.rewrite(&mut r, v)?;
    }
}
