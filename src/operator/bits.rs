//! Equality of expressions by their bits.
//!
//! In: two expressions over integers. Out: whether they are equal. Of those made of `bitand`, `bitor`, `bitxor` and `bitnot` a bit of
//! the result depends on the same bit of the leaves alone, so all values of one bit are tried, beside each bit of the constants; on
//! the machine others are computed bit by bit (`words`). Of what consists of the least and the largest of numbers, truth values
//! stand for whether they are above a threshold.

use super::dag::{Dag, Id, What};
use super::words::{self, width, Word, Words};
use crate::term::Op;
use crate::ty::Scalar;

/// Leaves of which all values are tried.
const MOST_LEAVES: usize = 12;
/// The same of what is made of the least and the largest of numbers: of products of matrices there are more.
const MOST_ORDERED: usize = 15;

/// `None` for what does not consist of bits.
pub(super) fn equal(dag: &Dag, a: Id, b: Id) -> Option<bool> {
    let bitwise = |op| matches!(op, Op::BitAnd | Op::BitOr | Op::BitXor | Op::BitNot);
    let ty = dag.node(a).ty;
    let cone = Cone::of(dag, [a, b], MOST_LEAVES, &bitwise).filter(|_| ty.is_int())?;
    // Constants have at most 64 bits, and the others are all like the last.
    Some((0..=64).all(|position| cone.agree(&|c| c >> position & 1 == 1)))
}

/// Whether what consists of the least and the largest of numbers that are in order is equal for all numbers; `None` for what does not.
///
/// Note [Thresholds]: whether such an expression is at least t tells, for each leaf and constant, whether that is: `min` is `and`, `max` is
/// `or`. So two are equal for all numbers if they agree for all truth values of the leaves, beside those that a threshold gives the
/// constants; no leaf lies beyond the ends of its type, nor beyond what is infinite.
pub(super) fn equal_in_order(dag: &Dag, a: Id, b: Id, wraps: bool) -> Option<bool> {
    let ordered = |op| matches!(op, Op::Min | Op::Max);
    let cone = Cone::of(dag, [a, b], MOST_ORDERED, &ordered)?;
    let ty = dag.node(a).ty;
    let float = ty.is_float();
    let is_number = |c: i128| !float || !f64::from_bits(c as u64).is_nan();
    if ty == Scalar::Bool || !cone.constants.iter().all(|c| is_number(*c)) {
        return None;
    }
    let below = |x: i128, y: i128| match float {
        true => f64::from_bits(x as u64) < f64::from_bits(y as u64),
        false => x < y,
    };
    let least = |c: i128| match float {
        true => f64::from_bits(c as u64) == f64::NEG_INFINITY,
        false => wraps && c == ty.bounds().0,
    };
    let most = |c: i128| match float {
        true => f64::from_bits(c as u64) == f64::INFINITY,
        false => wraps && c == ty.bounds().1,
    };
    // At each constant, and above all of them.
    let at = |t: i128| least(t) || cone.agree(&|c| !below(c, t));
    let above = cone.constants.iter().any(|c| most(*c)) || cone.agree(&|_| false);
    Some(above && cone.constants.iter().all(|t| at(*t)))
}

/// Two expressions that consist of some operations on one type.
struct Cone<'a> {
    dag: &'a Dag,
    ids: Vec<Id>,
    sides: [Id; 2],
    leaves: Vec<Id>,
    constants: Vec<i128>,
}

impl Cone<'_> {
    fn of<'a>(
        dag: &'a Dag,
        sides: [Id; 2],
        most: usize,
        knows: &dyn Fn(Op) -> bool,
    ) -> Option<Cone<'a>> {
        let ids = dag.cone(&sides);
        let ty = dag.node(sides[0]).ty;
        let (mut leaves, mut constants) = (Vec::new(), Vec::new());
        for id in &ids {
            let node = dag.node(*id);
            match node.what {
                _ if node.ty != ty => return None,
                What::Leaf(_) => leaves.push(*id),
                What::Const(c) => constants.push(c),
                What::Apply(op, ..) if knows(op) => {}
                What::Apply(..) => return None,
            }
        }
        (leaves.len() <= most).then_some(Cone {
            dag,
            ids,
            sides,
            leaves,
            constants,
        })
    }

    /// Whether both are the same for all truth values of the leaves, and these of the constants.
    fn agree(&self, given: &dyn Fn(i128) -> bool) -> bool {
        let rows = 1usize << self.leaves.len();
        let mut values: Vec<Vec<bool>> = Vec::with_capacity(self.ids.len());
        let place = |id: Id| (self.ids.binary_search(&id)).expect("operands belong to the cone");
        for id in &self.ids {
            let value = match self.dag.node(*id).what {
                What::Leaf(_) => {
                    let i = self.leaves.iter().position(|l| l == id).unwrap_or(0);
                    (0..rows).map(|row| row >> i & 1 == 1).collect()
                }
                What::Const(c) => vec![given(c); rows],
                What::Apply(op, _, [x, y, _]) => {
                    let (x, y) = (&values[place(x)], &values[place(y)]);
                    let each = x.iter().zip(y);
                    each.map(|(x, y)| match op {
                        Op::BitAnd | Op::Min => *x && *y,
                        Op::BitOr | Op::Max => *x || *y,
                        Op::BitXor => x != y,
                        _ => !x,
                    })
                    .collect()
                }
            };
            values.push(value);
        }
        let [a, b] = self.sides;
        values[place(a)] == values[place(b)]
    }
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
