//! Between which numbers an index is that a choice says, wherever that stands.
//!
//! In: a choice between indices, by indices. Out: numbers. Invariant: nothing is used but what the function checks, and the condition of
//! the choice, as the index has a name that stands anywhere. Absent: constants (`value`).

use super::value::{Node, Values, V};
use crate::term::Op;

/// Numbers up to which ends are looked for.
const MOST: i64 = 256;

impl Values {
    /// Between which small numbers a choice is that are not negative.
    pub fn ends_of_choice(&mut self, v: V) -> Option<(i64, i64)> {
        let Node::Op(Op::Select, _, args) = self.node(v) else {
            return None;
        };
        let [c, a, b] = args[..] else { return None };
        let told = self.told.filter(|_| self.is_of_indices(c))?;
        self.at_mark(told, |cx| {
            let mut largest = 0;
            for (i, way) in cx.ways(c).iter().enumerate() {
                let side = cx.as_index(if i == 0 { a } else { b })?;
                let mark = cx.known.mark();
                way.iter().for_each(|(c, holds)| cx.assume(*c, *holds));
                let most = cx.known.most(side, MOST);
                cx.known.restore(mark);
                largest = most?.max(largest);
            }
            Some((0, largest))
        })
    }
}
