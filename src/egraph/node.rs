//! E-nodes: one constructor of a term over classes, with its type.
//!
//! 16 bytes: the type is an id, primitives and literals are ids, and one binary
//! application stands for all of them. Absent: facts about classes.

use crate::intern::{NotSend, Table};
use crate::term::{Lit, Prim};
use crate::ty::Ty;
use egg::{Id, Language};
use std::cell::RefCell;
use std::marker::PhantomData;

/// An interned literal.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LitId(u32, NotSend);

thread_local! {
    static LITS: RefCell<Table<Lit>> = RefCell::default();
}

impl LitId {
    /// The id of a literal.
    pub fn new(lit: Lit) -> LitId {
        LITS.with_borrow_mut(|t| LitId(t.intern(lit).0, PhantomData))
    }

    /// A dense id, unique in this thread; for tables only.
    pub fn id(self) -> u32 {
        self.0
    }

    /// The literal of a dense id that [`LitId::id`] gave on this thread.
    pub fn from_id(id: u32) -> LitId {
        LitId(id, PhantomData)
    }

    /// The literal.
    pub fn get(self) -> Lit {
        LITS.with_borrow(|t| *t.get(self.0))
    }
}

/// What an e-node is. Variables come first: in a class they are the first node.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Shape {
    /// A bound variable.
    Var(u32),
    /// A lambda over its body.
    Lam([Id; 1]),
    /// Function and argument.
    App([Id; 2]),
    /// A primitive.
    Prim(Prim),
    /// A literal.
    Lit(LitId),
}

/// An e-node.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Node {
    /// What it is.
    pub shape: Shape,
    /// Its type.
    pub ty: Ty,
}

impl Node {
    /// A node of a type.
    pub fn new(shape: Shape, ty: Ty) -> Node {
        Node { shape, ty }
    }

    /// Its children.
    pub fn operands(&self) -> &[Id] {
        self.children()
    }

    /// The same over other children.
    pub fn over(mut self, f: impl FnMut(Id) -> Id) -> Node {
        self.update_children(f);
        self
    }
}

impl Language for Node {
    // Classes are searched by an own matcher, so the engine's index by operator
    // is kept as small as it can be.
    type Discriminant = ();

    fn discriminant(&self) {}

    fn matches(&self, other: &Node) -> bool {
        let same = match (&self.shape, &other.shape) {
            (Shape::Lam(_), Shape::Lam(_)) | (Shape::App(_), Shape::App(_)) => true,
            (a, b) => a == b,
        };
        same && self.ty == other.ty
    }

    fn children(&self) -> &[Id] {
        match &self.shape {
            Shape::Lam(c) => c,
            Shape::App(c) => c,
            Shape::Var(_) | Shape::Prim(_) | Shape::Lit(_) => &[],
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match &mut self.shape {
            Shape::Lam(c) => c,
            Shape::App(c) => c,
            Shape::Var(_) | Shape::Prim(_) | Shape::Lit(_) => &mut [],
        }
    }
}
