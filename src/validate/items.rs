//! What happened to a buffer: stores with the loops and choices around them.
//!
//! In: stores, in the order in which they happen. Out: each with all that is around it. Absent: what an element is (`memory`), which
//! iteration stored it (`strides`).

use super::value::{Values, V};
use super::Place;
use crate::arith::Nat;
use crate::intern::Symbol;
use std::rc::Rc;

/// What happened to a buffer, the last at the end.
#[derive(Clone)]
pub enum Item {
    Store(Store),
    Loop(Symbol, Nat, Rc<Vec<Item>>),
    Cond(V, Rc<Vec<Item>>, Rc<Vec<Item>>),
    /// The content when the iteration of a loop began.
    Start(u32),
    /// From here on the buffer is another one.
    Undef,
    /// What cannot be said of it.
    Bad(String),
}

/// One element.
#[derive(Clone)]
pub struct Store {
    pub at: Nat,
    pub value: V,
    pub statement: Place,
    /// Where it stands, for messages.
    pub place: Rc<str>,
}

/// What stands around a store.
#[derive(Clone)]
pub enum Around {
    Loop(Symbol, Nat),
    Cond(V, bool),
}

/// A store, or what else happened, with all that is around it.
#[derive(Clone)]
pub struct Leaf {
    pub path: Vec<Around>,
    pub is: Item,
}

impl Leaf {
    pub fn loops(&self) -> impl DoubleEndedIterator<Item = (Symbol, Nat)> + '_ {
        self.path.iter().filter_map(|a| match a {
            Around::Loop(v, n) => Some((*v, *n)),
            Around::Cond(..) => None,
        })
    }
}

/// All stores of a list, in order.
pub fn leaves(items: &[Item]) -> Vec<Leaf> {
    let mut out = Vec::new();
    collect(items, &mut Vec::new(), &mut out);
    out
}

/// Calls `f` on all that is stored, and on what chooses whether it is.
pub fn each_value(items: &[Item], f: &mut impl FnMut(V)) {
    for leaf in leaves(items) {
        if let Item::Store(s) = &leaf.is {
            f(s.value);
        }
        for a in &leaf.path {
            if let Around::Cond(c, _) = a {
                f(*c);
            }
        }
    }
}

fn collect(items: &[Item], path: &mut Vec<Around>, out: &mut Vec<Leaf>) {
    for item in items {
        match item {
            Item::Loop(v, n, inner) => {
                path.push(Around::Loop(*v, *n));
                collect(inner, path, out);
                path.pop();
            }
            Item::Cond(c, then, els) => {
                for (side, holds) in [(then, true), (els, false)] {
                    path.push(Around::Cond(*c, holds));
                    collect(side, path, out);
                    path.pop();
                }
            }
            _ => out.push(Leaf {
                path: path.clone(),
                is: item.clone(),
            }),
        }
    }
}

/// Makes known what holds where a store happens.
pub fn assume_path(cx: &mut Values, path: &[Around]) {
    for a in path {
        match a {
            Around::Loop(_, n) => cx.known.positive(*n),
            Around::Cond(c, holds) => cx.assume(*c, *holds),
        }
    }
}
