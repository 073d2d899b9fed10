//! New names for what a pass declares.
//!
//! Comes in: a nest; goes out: names that nothing in it has. Invariant: the same nest gives the same names.

use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, Nest, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names of variables and buffers.
pub(super) struct Names {
    taken: FxHashSet<Symbol>,
    next: FxHashMap<String, usize>,
}

impl Names {
    /// Those of a nest.
    pub(super) fn of(nest: &Nest) -> Names {
        let mut taken: FxHashSet<Symbol> = nest.abi.sizes.iter().copied().collect();
        taken.extend(nest.buffers.iter().map(|b| b.name));
        walk::each_stmt(&nest.body, &mut |s| taken.extend(walk::declared(s)));
        Names {
            taken,
            next: FxHashMap::default(),
        }
    }

    /// Gives everything that a statement declares another name.
    pub(super) fn renew(&mut self, s: Stmt, facts: &mut Facts) -> Stmt {
        self.renew_all(vec![s], facts).remove(0)
    }

    /// Gives everything that statements declare another name. A loop that is gone may have had the name of one that is renamed: what was
    /// known of it holds no more.
    pub(super) fn renew_all(&mut self, mut block: Block, facts: &mut Facts) -> Block {
        let mut declared = Vec::new();
        walk::each_stmt(&block, &mut |s| declared.extend(walk::declared(s)));
        let names = (declared.into_iter()).map(|v| (v, self.like(v))).collect();
        walk::rename(&mut block, &names);
        walk::each_stmt(&block, &mut |s| {
            if let Stmt::For { var, extent, .. } = s {
                facts.range(*var, 0.into(), *extent - 1.into());
            }
        });
        block
    }

    /// A new name with another number: `x7` for `x0`.
    pub(super) fn like(&mut self, old: Symbol) -> Symbol {
        let base = old.as_str().trim_end_matches(|c: char| c.is_ascii_digit());
        let n = self.next.entry(base.to_string()).or_default();
        loop {
            let name = Symbol::new(&format!("{base}{n}"));
            *n += 1;
            if self.taken.insert(name) {
                return name;
            }
        }
    }
}
