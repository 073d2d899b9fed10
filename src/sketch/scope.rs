//! The variables in scope where a class stands.
//!
//! Comes in: binders on the way down from the root; goes out: ids of scopes. A scope has the types of those variables
//! that may occur in the class that stands in it, and of no others: so a class stands in as few scopes as its terms can
//! tell apart. Absent: what is asked of the class.

use crate::egraph::{Class, Node, Shape, View};
use crate::intern::Table;
use crate::ty::Ty;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// A scope.
pub type ScopeId = u32;

/// The scope without variables.
pub const OUTSIDE: ScopeId = 0;

/// Types of variables, the innermost first; `None` for one that does not occur.
type Types = Vec<Option<Ty>>;

/// The scopes that were met.
pub struct Scopes<'a> {
    view: &'a View,
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    all: Table<Types>,
    /// By scope, binder and variables that may occur.
    inside: FxHashMap<(ScopeId, Option<Ty>, u64), ScopeId>,
}

impl<'a> Scopes<'a> {
    /// Only [`OUTSIDE`].
    pub fn new(view: &'a View) -> Scopes<'a> {
        let mut known = Known::default();
        known.all.intern(Types::new());
        Scopes {
            view,
            known: RefCell::new(known),
        }
    }

    /// The scope of a child of a node that stands in a scope.
    pub fn inside(&self, scope: ScopeId, node: &Node, child: Class) -> ScopeId {
        let bound = match node.shape {
            Shape::Lam(_) => node.ty.as_fun().map(|(arg, _)| arg),
            _ => None,
        };
        let free = self.view.free(child);
        let known = &mut *self.known.borrow_mut();
        *(known.inside.entry((scope, bound, free.0))).or_insert_with(|| {
            let outer = known.all.get(scope).iter().copied();
            let types = bound.map(Some).into_iter().chain(outer);
            let occurs = |(i, ty): (u32, Option<Ty>)| ty.filter(|_| free.has(i));
            let mut types: Types = (0..).zip(types).map(occurs).collect();
            let last = types.iter().rposition(Option::is_some);
            types.truncate(last.map_or(0, |last| last + 1));
            known.all.intern(types).0
        })
    }

    /// Whether a leaf is none of the variables that are not in a scope.
    pub fn has(&self, scope: ScopeId, leaf: &Node) -> bool {
        let Shape::Var(i) = leaf.shape else {
            return true;
        };
        let known = self.known.borrow();
        known.all.get(scope).get(i as usize) == Some(&Some(leaf.ty))
    }
}
