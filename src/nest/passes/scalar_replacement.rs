//! Scalar replacement: small local buffers become variables.
//!
//! A stack buffer all of whose accesses have constant indices, in pieces that do
//! not overlap, is replaced by one variable for each piece. Invariant: the same
//! values reach the outputs. Accesses under second names count as its own.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, Nest, Shape, Stmt, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// More pieces than this stay in memory: no machine has as many registers.
const PIECES: usize = 128;

type Pieces = BTreeMap<i64, u32>;

/// Replaces what can be replaced.
pub(super) fn replace(nest: &mut Nest) {
    let mut all: FxHashMap<BufId, Option<Pieces>> = FxHashMap::default();
    let mut allocated = FxHashSet::default();
    walk::each_stmt(&nest.body, &mut |s| {
        if let Stmt::Alloc(b) = s {
            allocated.insert(*b);
        }
    });
    let mut access = |b: BufId, n: Nat, w: u32| {
        let b = nest.root(b);
        if nest.buffers[b.0 as usize].storage != StorageClass::Stack || !allocated.contains(&b) {
            return;
        }
        let entry = all.entry(b).or_insert_with(|| Some(Pieces::new()));
        let Some(pieces) = entry else { return };
        // What no choice leads to may lie outside.
        let len = nest.buffers[b.0 as usize].len.as_int().unwrap_or(0);
        let inside = |i: i64| i >= 0 && i.checked_add(w.into()).is_some_and(|end| end <= len);
        let fits = (n.as_int()).is_some_and(|i| inside(i) && fits(pieces, i, w));
        if !fits || pieces.len() > PIECES {
            *entry = None;
        }
    };
    walk::each_stmt(&nest.body, &mut |s| {
        walk::each_load(s, &mut |b, (n, lanes)| access(b, n, lanes));
        if let Stmt::Store {
            buf, index, value, ..
        } = s
        {
            access(*buf, *index, value.shape().lanes);
        }
    });
    let mut vars: FxHashMap<(BufId, i64), (Symbol, Shape)> = FxHashMap::default();
    let mut chosen: Vec<(BufId, Pieces)> = all
        .into_iter()
        .filter_map(|(b, p)| p.map(|p| (b, p)))
        .collect();
    chosen.sort();
    for (b, pieces) in &chosen {
        let buf = &mut nest.buffers[b.0 as usize];
        buf.storage = StorageClass::Gone;
        for (i, w) in pieces {
            let name = match pieces.len() {
                1 => buf.name,
                _ => Symbol::new(&format!("{}_{i}", buf.name)),
            };
            let shape = Shape {
                elem: buf.elem,
                lanes: *w,
            };
            vars.insert((*b, *i), (name, shape));
        }
    }
    if chosen.is_empty() {
        return;
    }
    let roots: Vec<BufId> = (0..nest.buffers.len())
        .map(|i| nest.root(BufId(i as u32)))
        .collect();
    let mut body = std::mem::take(&mut nest.body);
    rewrite(&mut body, &roots, &vars);
    nest.body = body;
}

/// Adds a piece unless it overlaps another one.
fn fits(pieces: &mut Pieces, i: i64, w: u32) -> bool {
    if let Some(have) = pieces.get(&i) {
        return *have == w;
    }
    let before = pieces.range(..i).next_back();
    if before.is_some_and(|(j, v)| j + i64::from(*v) > i) {
        return false;
    }
    let after = pieces.range(i..).next();
    if after.is_some_and(|(j, _)| i + i64::from(w) > *j) {
        return false;
    }
    pieces.insert(i, w);
    true
}

fn rewrite(block: &mut Block, roots: &[BufId], vars: &FxHashMap<(BufId, i64), (Symbol, Shape)>) {
    let var = |b: BufId, n: Nat| {
        let key = (roots[b.0 as usize], n.as_int()?);
        vars.get(&key).copied()
    };
    let put = |e: &Expr| {
        e.rewrite(&mut |e| match e.kind() {
            ExprKind::Load(b, n) => var(*b, *n).map(|(v, s)| Expr::var(v, s)),
            _ => None,
        })
    };
    let mut out = Block::with_capacity(block.len());
    for mut s in std::mem::take(block) {
        match &mut s {
            Stmt::For { body, .. } => rewrite(body, roots, vars),
            Stmt::If { cond, then, els } => {
                *cond = put(cond);
                rewrite(then, roots, vars);
                rewrite(els, roots, vars);
            }
            Stmt::Let { value, .. } => {
                if let Some(v) = value {
                    *v = put(v);
                }
            }
            Stmt::Assign { value, .. } => *value = put(value),
            Stmt::Index { .. } | Stmt::Prefetch { .. } => {}
            Stmt::Alloc(b) => {
                let mut pieces: Vec<_> = vars.iter().filter(|(k, _)| k.0 == *b).collect();
                pieces.sort_by_key(|(k, _)| k.1);
                if !pieces.is_empty() {
                    out.extend(pieces.into_iter().map(|(_, (v, s))| Stmt::Let {
                        var: *v,
                        value: None,
                        shape: *s,
                        mutable: true,
                    }));
                    continue;
                }
            }
            Stmt::Store {
                buf, index, value, ..
            } => {
                *value = put(value);
                if let Some((v, _)) = var(*buf, *index) {
                    out.push(Stmt::Assign {
                        var: v,
                        value: value.clone(),
                    });
                    continue;
                }
            }
        }
        out.push(s);
    }
    *block = out;
}
