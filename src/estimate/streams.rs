//! What reading at many places side by side takes.
//!
//! In: the body of a loop. Out: how many runs of memory its iterations go along, each a step further than the one before.
//! Absent: what a load takes by itself.

use super::sizes::{is_unrolled, value, Env};
use super::LINE;
use crate::intern::Symbol;
use crate::nest::{walk, BufId, ExprKind, Nest, Stmt, StorageClass};

/// Runs of memory that a processor reads ahead of at once.
const AHEAD: usize = 32;
/// Cycles in which a run waits that is not read ahead.
const WAITS: f64 = 1.0;

/// Cycles in which an iteration waits as its runs of memory are more than are read ahead.
pub fn waiting(nest: &Nest, var: Symbol, body: &[Stmt], env: &Env) -> f64 {
    WAITS * streams(nest, var, body, env).saturating_sub(AHEAD) as f64
}

/// How many runs of memory an iteration reads from.
fn streams(nest: &Nest, var: Symbol, body: &[Stmt], env: &Env) -> usize {
    let at = |by: i64| {
        let mut env = env.clone();
        *env.entry(var).or_insert(0) += by;
        let mut all = Vec::new();
        addresses(nest, body, &mut env, &mut all);
        all
    };
    let (now, next) = (at(0), at(1));
    let line = LINE as i64;
    let pairs = now.into_iter().zip(next);
    let goes_along = |(here, there): &((BufId, i64), (BufId, i64))| {
        let by = there.1 - here.1;
        by > 0 && by <= line
    };
    let mut runs: Vec<_> = pairs.filter(goes_along).map(|(here, _)| here).collect();
    runs.sort_unstable();
    runs.dedup_by(|b, a| a.0 == b.0 && b.1 - a.1 < line);
    runs.len()
}

/// The bytes at which arrays of a program are read, in the order of the statements.
fn addresses(nest: &Nest, body: &[Stmt], env: &mut Env, all: &mut Vec<(BufId, i64)>) {
    for s in body {
        match s {
            Stmt::For {
                var, extent, body, ..
            } if is_unrolled(*extent) => {
                for i in 0..value(*extent, env) {
                    env.insert(*var, i);
                    addresses(nest, body, env, all);
                }
            }
            Stmt::If { then, els, .. } => {
                addresses(nest, then, env, all);
                addresses(nest, els, env, all);
            }
            Stmt::Index { var, value: n } => {
                let known = value(*n, env);
                env.insert(*var, known);
            }
            _ => {
                if let Some(e) = walk::exprs(s) {
                    e.visit(&mut |e| {
                        let ExprKind::Load(b, index) = e.kind() else {
                            return;
                        };
                        let b = nest.root(*b);
                        if nest.buffers[b.0 as usize].storage != StorageClass::Stack {
                            let bytes = e.shape().elem.bytes() as i64;
                            all.push((b, value(*index, env).saturating_mul(bytes)));
                        }
                    });
                }
            }
        }
    }
}
