//! Items in variables of their own.
//!
//! In: an item that shares variables with another one, as parts of one loop do, in each of which a variable is something else.
//! Out: the same item in new variables, to be compared with the other. Invariant: it stands for the same values. Absent:
//! values with functions and reductions in them, whose variables nobody sees.

use super::super::context::Context;
use super::super::value::{Head, Neutral, Step, Val};
use super::Item;
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;

/// The item in new variables, where all of its variables are seen.
pub fn apart(cx: &mut Context, item: &Item) -> Option<Item> {
    let named = item.named.iter().filter_map(|(_, name)| variable(*name));
    let own: Vec<Symbol> = item.variables().chain(named).collect();
    let new = Names(own.into_iter().map(|v| (v, cx.symbol())).collect());
    let mut named = Vec::new();
    for (index, name) in &item.named {
        named.push((new.neutral(index)?, new.nat(*name)));
    }
    let pairs = |all: &[(Symbol, Nat)]| -> Vec<(Symbol, Nat)> {
        all.iter().map(|(v, n)| (new.of(*v), new.nat(*n))).collect()
    };
    Some(Item {
        loops: pairs(&item.loops),
        defined: pairs(&item.defined),
        named,
        guards: item.guards.iter().map(|g| new.nat(*g)).collect(),
        count: item.count,
        factors: item
            .factors
            .iter()
            .map(|f| new.value(f))
            .collect::<Option<_>>()?,
    })
}

/// The variable that a name is.
pub fn variable(name: Nat) -> Option<Symbol> {
    match name.as_atom()?.kind() {
        AtomKind::Var(v) => Some(v),
        _ => None,
    }
}

/// New variables for old ones.
struct Names(Vec<(Symbol, Symbol)>);

impl Names {
    fn of(&self, v: Symbol) -> Symbol {
        let mut all = self.0.iter();
        all.find(|(old, _)| *old == v).map_or(v, |(_, new)| *new)
    }

    fn nat(&self, n: Nat) -> Nat {
        let all = self.0.iter();
        all.fold(n, |n, (old, new)| n.subst_var(*old, Nat::var(*new)))
    }

    fn value(&self, v: &Val) -> Option<Val> {
        match v {
            Val::Index(n) => Some(Val::Index(self.nat(*n))),
            Val::Neutral(n) => self.neutral(n).map(Val::Neutral),
            Val::Pair(p) => Some(Val::pair(self.value(&p.0)?, self.value(&p.1)?)),
            Val::Fun(_) | Val::Arr(_) => None,
        }
    }

    fn neutral(&self, n: &Neutral) -> Option<Neutral> {
        let mut out = n.clone();
        match &n.head {
            Head::Lit(_) | Head::Zero | Head::Prim(_) | Head::Fresh(_) => {}
            Head::Hole(_, captured) if captured.is_empty() => {}
            Head::Hole(..) | Head::Fold(_) => return None,
        }
        for (step, _) in &mut out.spine {
            match step {
                Step::At(i) => *i = self.nat(*i),
                Step::Apply(x, _) => *x = self.value(x)?,
                Step::Fst | Step::Snd => {}
            }
        }
        Some(out)
    }
}
