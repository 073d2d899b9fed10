//! Equality of expressions by their bits.
//!
//! In: two expressions over integers. Out: whether they are equal. Of those made of `bitand`, `bitor`, `bitxor` and `bitnot` a bit of
//! the result depends on the same bit of the leaves alone, so all values of one bit are tried, beside each bit of the constants; on
//! the machine others are computed bit by bit (`words`).

use super::dag::{Dag, Id, What};
use super::words::{self, width, Word, Words};
use crate::term::Op;
use crate::ty::Scalar;

/// Leaves of which all values are tried.
const MOST_LEAVES: usize = 12;

/// `None` for what does not consist of bits.
pub(super) fn equal(dag: &Dag, a: Id, b: Id) -> Option<bool> {
    let cone = dag.cone(&[a, b]);
    let ty = dag.node(a).ty;
    let mut leaves = Vec::new();
    for id in &cone {
        let node = dag.node(*id);
        let fits = node.ty == ty && ty.is_int();
        match node.what {
            What::Leaf(_) if fits => leaves.push(*id),
            What::Const(_) if fits => {}
            What::Apply(Op::BitAnd | Op::BitOr | Op::BitXor | Op::BitNot, ..) if fits => {}
            _ => return None,
        }
    }
    if leaves.len() > MOST_LEAVES {
        return None;
    }
    let rows = 1usize << leaves.len();
    let at = |position: u32| {
        let mut values: Vec<Vec<bool>> = Vec::with_capacity(cone.len());
        let place = |id: Id| {
            cone.binary_search(&id)
                .expect("operands belong to the cone")
        };
        for id in &cone {
            let value = match dag.node(*id).what {
                What::Leaf(_) => {
                    let i = leaves.iter().position(|l| l == id).unwrap_or(0);
                    (0..rows).map(|row| row >> i & 1 == 1).collect()
                }
                What::Const(c) => vec![c >> position & 1 == 1; rows],
                What::Apply(op, _, [x, y, _]) => {
                    let (x, y) = (&values[place(x)], &values[place(y)]);
                    let each = x.iter().zip(y);
                    each.map(|(x, y)| match op {
                        Op::BitAnd => *x && *y,
                        Op::BitOr => *x || *y,
                        Op::BitXor => x != y,
                        _ => !x,
                    })
                    .collect()
                }
            };
            values.push(value);
        }
        values[place(a)] == values[place(b)]
    };
    // Constants have at most 64 bits, and the others are all like the last.
    Some((0..=64).all(at))
}

/// Whether integers of the machine are equal for all values of their leaves; `false` where that is not found within a limit on
/// the size of diagrams.
pub(super) fn equal_words(dag: &Dag, a: Id, b: Id, limit: usize) -> bool {
    let mut words = Words::new(limit);
    let mut known: Vec<(Id, Word)> = Vec::new();
    let mut read = || {
        for id in dag.cone(&[a, b]) {
            let node = dag.node(id);
            // Of floats no bits are known, but what is said of them is true or false.
            let Some(bits) = width(node.ty) else {
                continue;
            };
            let of = |id: &Id| {
                let found = known.iter().find(|k| k.0 == *id);
                found.map(|k| (k.1.clone(), dag.node(*id).ty))
            };
            let word = match node.what {
                What::Const(c) => words.constant(c, bits),
                What::Leaf(_) => words.unknown(bits)?,
                What::Apply(op, n, args) => {
                    let operands: Option<Vec<(Word, Scalar)>> =
                        args[..n.into()].iter().map(of).collect();
                    match operands {
                        Some(all) if op == Op::Cast => {
                            let (word, from) = all.first()?;
                            words.cast(word, *from, node.ty)?
                        }
                        Some(all) if words::knows(op, all.len()) => {
                            let parts: Vec<&[u32]> = all.iter().map(|w| &w.0[..]).collect();
                            words.apply(op, all.last()?.1, &parts)?
                        }
                        _ => words.unknown(bits)?,
                    }
                }
            };
            known.push((id, word));
        }
        let of = |id: Id| known.iter().find(|k| k.0 == id).map(|k| k.1.clone());
        let (x, y, always) = (of(a)?, of(b)?, words.constant(1, 1)[0]);
        words.equal_where(always, &x, &y)
    };
    read() == Some(true)
}
