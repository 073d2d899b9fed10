//! What the names of a function of C stand for, in words of the loop program.
//!
//! Invariant: no name hides another one, and no variable of the loop program has two names at once; so each name is one
//! variable, whatever it is called. Beside that: what the function needs of the text above it.

use super::helper;
use super::parse::Expr;
use super::steps;
use super::sum::{Atom, Sum, FUNCTIONS};
use super::tree::Tree;
use super::types::is_type;
use crate::intern::Symbol;
use crate::nest::{BufId, Nest, Shape};
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a variable of the text has for one of the loop program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Held {
    Itself,
    /// The integers that a vector of truth values consists of.
    Mask(Scalar),
    /// The same bits without a sign.
    Unsigned,
    /// A truth value as a byte, 0 or 1.
    Truth,
    /// An index in 32 bits, which is no part of a sum.
    Short,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Entity {
    /// A size, the variable of a loop, an index.
    Index(Symbol),
    Let(Symbol, Shape, Held),
    /// A parameter that is passed by value.
    Value(BufId, Scalar),
    Array(BufId),
    /// The buffers of all threads.
    EachThread(BufId),
    /// A variable of the text alone.
    Own,
}

impl Entity {
    fn symbol(&self) -> Option<Symbol> {
        match self {
            Entity::Index(v) | Entity::Let(v, ..) => Some(*v),
            _ => None,
        }
    }
}

#[derive(Default)]
pub struct Scope {
    names: BTreeMap<String, Entity>,
    symbols: BTreeSet<Symbol>,
    /// Of variables that are given none later.
    values: BTreeMap<Symbol, Tree>,
    /// Between which numbers sums lie.
    sums: Rc<BTreeMap<Symbol, (i128, i128)>>,
    /// In the order of their declarations.
    order: Vec<String>,
    needed: BTreeSet<String>,
}

impl Scope {
    /// Before the first declaration.
    pub fn of(nest: &Nest) -> Scope {
        Scope {
            sums: Rc::new(steps::bounds(nest)),
            ..Scope::default()
        }
    }

    /// Between which numbers a sum lies.
    pub fn sum(&self, variable: Symbol) -> Option<(i128, i128)> {
        self.sums.get(&variable).copied()
    }

    pub fn find(&self, name: &str) -> Option<&Entity> {
        self.names.get(name)
    }

    pub fn declare(&mut self, name: &str, e: Entity) -> Result<(), String> {
        if is_taken(name) {
            return Err(format!("`{name}` is declared, which is something else"));
        }
        if self.names.contains_key(name) {
            return Err(format!("`{name}` is declared where it hides another one"));
        }
        if e.symbol().is_some_and(|s| !self.symbols.insert(s)) {
            return Err(format!(
                "the variable that `{name}` stands for is declared twice"
            ));
        }
        self.order.push(name.to_string());
        self.names.insert(name.to_string(), e);
        Ok(())
    }

    /// Where a block begins.
    pub fn mark(&self) -> usize {
        self.order.len()
    }

    /// What was declared behind a mark is gone.
    pub fn leave(&mut self, mark: usize) {
        for name in self.order.split_off(mark) {
            if let Some(symbol) = self.names.remove(&name).and_then(|e| e.symbol()) {
                self.symbols.remove(&symbol);
                self.values.remove(&symbol);
            }
        }
    }

    /// A short index by itself.
    pub fn short(&self, e: &Expr) -> Option<Sum> {
        let Expr::Name(name) = e else { return None };
        match self.find(name) {
            Some(Entity::Let(v, _, Held::Short)) => Some(Sum::atom(Atom::Var(*v))),
            _ => None,
        }
    }

    /// What a variable is as long as it is declared.
    pub fn stays(&mut self, variable: Symbol, value: Tree) {
        self.values.insert(variable, value);
    }

    pub fn value(&self, variable: Symbol) -> Option<&Tree> {
        self.values.get(&variable)
    }

    /// Where another function begins: no name is known there. Gives those of this one.
    pub fn begin(&mut self) -> Scope {
        let needed = std::mem::take(&mut self.needed);
        let inside = Scope {
            needed,
            sums: self.sums.clone(),
            ..Scope::default()
        };
        std::mem::replace(self, inside)
    }

    /// Where it ends.
    pub fn end(&mut self, outside: Scope) {
        let needed = std::mem::take(&mut self.needed);
        *self = Scope { needed, ..outside };
    }

    /// Something that has to stand above the function.
    pub fn needs(&mut self, what: &str) {
        self.needed.insert(what.to_string());
    }

    pub fn needed(&self) -> &BTreeSet<String> {
        &self.needed
    }
}

/// The function that says whether an index of an array is out of bounds.
pub const ANY_OUTSIDE: &str = "any_outside";

/// What a text may call, or have for a macro or a type.
pub fn is_taken(name: &str) -> bool {
    const MACROS: [&str; 24] = [
        "ANY",
        "ALL",
        "EITHER",
        "TRUTH",
        "EXPANDED",
        "PARALLEL_FOR",
        "PARALLEL_IF",
        "PARALLEL_STATIC",
        "PARALLEL_STATIC_IF",
        "PARALLEL_SIMD",
        "WORTH_THREADS",
        "THREADS_FROM",
        "ROLLED",
        "REPEATED",
        "INDEPENDENT",
        "FETCH",
        "GAP",
        "LITTLE",
        "NAN",
        "INFINITY",
        "true",
        "false",
        "free",
        ANY_OUTSIDE,
    ];
    let function = FUNCTIONS.iter().any(|f| f.0 == name);
    MACROS.contains(&name) || function || helper::named(name).is_some() || is_type(name)
}
