//! Local value numbering: of two names of one value, the first remains.
//!
//! What a function uses twice, and what several results need, is written by lowering where each of them is computed. Compilers see that it is
//! one value; an estimate, validation and whoever reads the kernel should, too.

use super::effects::Touched;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Stmt};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Names every value once.
pub(super) fn number(nest: &mut Nest) {
    let mut body = std::mem::take(&mut nest.body);
    let mut search = Search {
        nest,
        written: FxHashMap::default(),
        known: FxHashMap::default(),
        added: Vec::new(),
        names: FxHashMap::default(),
        renamed: Vec::new(),
    };
    search.block(&mut body);
    nest.body = body;
}

/// What changes while a block runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Buffer(BufId),
    Variable(Symbol),
}

/// A value that has a name.
struct Known {
    name: Symbol,
    value: Expr,
    /// What it was computed from, and how often that had been written before.
    from: Vec<(Place, u32)>,
}

struct Search<'a> {
    nest: &'a Nest,
    /// How often each place was written so far.
    written: FxHashMap<Place, u32>,
    /// By what their values look like.
    known: FxHashMap<u64, Vec<Known>>,
    /// Where those of the open blocks are, in order.
    added: Vec<u64>,
    /// Names of the open blocks that go, and what is used instead.
    names: FxHashMap<Symbol, Symbol>,
    /// These, in order.
    renamed: Vec<Symbol>,
}

impl Search<'_> {
    fn block(&mut self, block: &mut Block) {
        let (outside, before) = (self.added.len(), self.renamed.len());
        block.retain_mut(|s| self.remains(s));
        // What is named in the block ends with it: another one may have the same names for something else.
        for key in self.added.drain(outside..).rev() {
            self.known.get_mut(&key).and_then(Vec::pop);
        }
        let own = self.renamed.drain(before..);
        let own = own.filter_map(|v| Some((v, self.names.remove(&v)?)));
        walk::rename(block, &own.collect());
    }

    /// Looks at a statement, after those before it; whether it is needed.
    fn remains(&mut self, s: &mut Stmt) -> bool {
        self.call_less(s);
        match s {
            Stmt::Let {
                var,
                value: Some(value),
                mutable: false,
                ..
            } => {
                if !self.names.is_empty() {
                    *value = walk::renamed(value, &self.names);
                }
                return self.is_new(*var, value);
            }
            Stmt::If { then, els, .. } => {
                self.block(then);
                self.block(els);
                return true;
            }
            // An iteration reads what the one before it wrote.
            _ => self.writes(s),
        }
        if let Stmt::For { body, kind, .. } = s {
            // Threads compute what they need themselves.
            let before = (*kind == LoopKind::Par).then(|| {
                (
                    std::mem::take(&mut self.known),
                    std::mem::take(&mut self.added),
                )
            });
            self.block(body);
            if let Some((known, added)) = before {
                (self.known, self.added) = (known, added);
            }
        }
        true
    }

    /// Uses the names of values for which the C library would be called once more: compilers do not see that it says the same again.
    fn call_less(&mut self, s: &mut Stmt) {
        let (Stmt::Let {
            value: Some(value), ..
        }
        | Stmt::Assign { value, .. }
        | Stmt::Store { value, .. }) = s
        else {
            return;
        };
        if !value.calls() {
            return;
        }
        let renamed = walk::renamed(value, &self.names);
        // A name for the same goes.
        let named = |e: &Expr| self.known_as(e, key(e), &self.places(e));
        if named(&renamed).is_some() {
            return;
        }
        *value = renamed.rewrite(&mut |e| {
            let known = e.is_call().then(|| named(e))??;
            Some(Expr::var(known, e.shape()))
        });
    }

    /// The name of a value that has one.
    fn known_as(&self, value: &Expr, key: u64, from: &[(Place, u32)]) -> Option<Symbol> {
        let all = self.known.get(&key)?;
        let known = all.iter().find(|k| k.from == from && k.value.same(value))?;
        Some(known.name)
    }

    fn writes(&mut self, s: &Stmt) {
        let changes = Touched::written(self.nest, s);
        let buffers = changes.buffers.iter().map(|b| Place::Buffer(*b));
        let variables = changes.vars.iter().map(|v| Place::Variable(*v));
        for place in buffers.chain(variables) {
            *self.written.entry(place).or_default() += 1;
        }
    }

    /// Whether no name has this value; remembers it then.
    fn is_new(&mut self, name: Symbol, value: &Expr) -> bool {
        let (from, key) = (self.places(value), key(value));
        if let Some(known) = self.known_as(value, key, &from) {
            self.names.insert(name, known);
            self.renamed.push(name);
            return false;
        }
        self.known.entry(key).or_default().push(Known {
            name,
            value: value.clone(),
            from,
        });
        self.added.push(key);
        true
    }

    fn places(&self, value: &Expr) -> Vec<(Place, u32)> {
        let mut all = Vec::new();
        value.visit(&mut |e| {
            let place = match e.kind() {
                ExprKind::Var(v) => Place::Variable(*v),
                ExprKind::Load(b, _) => Place::Buffer(self.nest.root(*b)),
                _ => return,
            };
            all.push((place, self.written.get(&place).copied().unwrap_or(0)));
        });
        all
    }
}

/// The same for equal values.
fn key(value: &Expr) -> u64 {
    let mut hasher = FxHasher::default();
    value.visit(&mut |e| {
        let shape = e.shape();
        (std::mem::discriminant(e.kind()), shape.elem, shape.lanes).hash(&mut hasher);
        e.own_index().hash(&mut hasher);
        match e.kind() {
            ExprKind::Var(v) => v.hash(&mut hasher),
            ExprKind::Load(b, _) => b.hash(&mut hasher),
            ExprKind::Op(op, _) => op.hash(&mut hasher),
            _ => {}
        }
    });
    hasher.finish()
}
