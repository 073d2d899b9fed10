//! Windows in registers: what `rotateValues` means where a loop takes one window after the other.
//!
//! Comes in: an array whose elements a loop reads in their order; goes out: a buffer of one window for each `rotateValues` in it, filled but for the
//! newest value before the loop, which computes that one and moves the others on. Passes make variables of the buffer
//! where all of its indices are constant. Invariant: the window of an iteration has the values that reading it would compute.
//! Absent: parallel loops and lanes of vectors, whose iterations have no order: there windows are computed where they are read.

use super::eval::ty_has_array;
use super::state::{Lower, Res};
use super::value::{Dest, Mem, Node, Turned, Val};
use crate::arith::Nat;
use crate::nest::{LoopKind, Role};
use crate::term::Op;
use crate::ty::Ty;
use std::rc::Rc;

/// The most values of a window.
const VALUES: i64 = 64;

/// A `rotateValues` and the window that is kept of it.
pub(super) struct Turning {
    node: Rc<Node>,
    kept: Mem,
    values: i64,
}

impl Lower {
    /// The windows that a loop over `xs` keeps, each filled but for its newest value.
    pub fn turning(&mut self, xs: &Val, kind: LoopKind) -> Res<Vec<Turning>> {
        let mut nodes = Vec::new();
        if kind == LoopKind::Seq && self.in_lanes == 0 && !self.probing {
            rotated(xs, &mut nodes);
        }
        let mut all = Vec::new();
        for node in nodes {
            let values = node.prim.sizes().first().and_then(|n| n.as_int());
            let elem = (node.ty.as_array())
                .and_then(|(_, window)| window.as_array())
                .map(|window| window.1);
            let (Some(values), Some(elem)) = (values, elem) else {
                continue;
            };
            if !(2..=VALUES).contains(&values) || ty_has_array(elem) {
                continue;
            }
            let kept = self.allocate(Ty::array(values.into(), elem), "window")?;
            let what = self.computing(Role::Start, node.term.clone());
            for j in 0..values - 1 {
                self.turn(&node, j.into(), &kept, j)?;
            }
            self.what = what;
            all.push(Turning { node, kept, values });
        }
        Ok(all)
    }

    /// Computes the newest values of iteration `i`, whose windows are then known; says how many were known before.
    pub fn turn_in(&mut self, all: &[Turning], i: Nat) -> Res<usize> {
        let known = self.turned.len();
        for t in all {
            let what = self.computing(Role::Step, t.node.term.clone());
            let newest = t.values - 1;
            self.turn(&t.node, i + newest.into(), &t.kept, newest)?;
            self.what = what;
            let window = Val::Mem(self.alias(&t.kept));
            self.turned.push(Turned {
                node: t.node.clone(),
                at: i,
                window,
            });
        }
        Ok(known)
    }

    /// Moves the values of windows on.
    pub fn turn_on(&mut self, all: &[Turning], known: usize) -> Res<()> {
        self.turned.truncate(known);
        for t in all {
            let what = self.computing(Role::Step, t.node.term.clone());
            for j in 1..t.values {
                let next = self.load(&t.kept.element(j.into()))?;
                self.write(&next, &Dest::Mem(t.kept.element((j - 1).into())))?;
            }
            self.what = what;
        }
        Ok(())
    }

    /// The window of a `rotateValues` that a loop keeps.
    pub fn turned(&self, n: &Rc<Node>, i: Nat) -> Option<Val> {
        let found = (self.turned.iter().rev()).find(|t| Rc::ptr_eq(&t.node, n) && t.at == i)?;
        Some(found.window.clone())
    }

    /// Computes a value of the mapped input into a place of a window.
    fn turn(&mut self, n: &Node, from: Nat, kept: &Mem, place: i64) -> Res<()> {
        let [f, xs] = &n.args[..] else {
            return Err(self.refuse("`rotateValues` without an input".into()));
        };
        let x = self.at(xs, from)?;
        let y = self.apply(f, x)?;
        self.write(&y, &Dest::Mem(kept.element(place.into())))
    }
}

/// The `rotateValues` of which element `i` of an array reads window `i`.
fn rotated(xs: &Val, out: &mut Vec<Rc<Node>>) {
    let Val::Node(n) = xs else { return };
    if n.cache.borrow().is_some() {
        return;
    }
    match (n.prim.op(), &n.args[..]) {
        (Op::RotateValues, [_, _]) if !out.iter().any(|o| Rc::ptr_eq(o, n)) => out.push(n.clone()),
        (Op::Zip, [a, b]) => {
            rotated(a, out);
            rotated(b, out);
        }
        (Op::Map | Op::MapSeq | Op::MapSeqUnroll, [_, xs]) | (Op::Take, [xs]) => rotated(xs, out),
        _ => {}
    }
}
