//! Equality of expressions that consist of bits.
//!
//! In: two expressions over integers made of `bitand`, `bitor`, `bitxor` and `bitnot`. Out: whether they are equal. A bit of
//! the result depends on the same bit of the leaves alone, so all values of one bit are tried, beside each bit of the constants.

use super::dag::{Dag, Id, What};
use crate::term::Op;

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
