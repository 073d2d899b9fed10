//! Conditions: what is known of them, and what follows where they are assumed.
//!
//! In: conditions as values. Out: answers. Invariant: as of `known`. Absent: indices, which `known` compares.

use super::value::{Node, Rewrite, Values, V};
use crate::term::{Lit, Op};

/// How often what follows from conditions is asked for again.
const ROUNDS: u32 = 6;

impl Values {
    /// Whether a condition holds, as far as that is known.
    pub fn decide(&mut self, c: V) -> Option<bool> {
        if let Some(b) = self.known.truth(c.0) {
            return Some(b);
        }
        match self.node(c).clone() {
            Node::Lit(Lit::Bool(b), _) => Some(b),
            Node::Op(op, _, args) => match (op, &args[..]) {
                (Op::Not, [a]) => self.decide(*a).map(|b| !b),
                (Op::And, [a, b]) => match (self.decide(*a), self.decide(*b)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
                (Op::Or, [a, b]) => match (self.decide(*a), self.decide(*b)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                },
                (_, [a, b]) => {
                    let (a, b) = (self.as_index(*a)?, self.as_index(*b)?);
                    self.known.compare(op, a, b)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// From here on the condition holds, or does not.
    pub fn assume(&mut self, c: V, holds: bool) {
        self.known.assume_truth(c.0, holds);
        let Node::Op(op, _, args) = self.node(c).clone() else {
            return;
        };
        match (op, &args[..], holds) {
            (Op::Not, [a], _) => self.assume(*a, !holds),
            (Op::And, [a, b], true) | (Op::Or, [a, b], false) => {
                self.assume(*a, holds);
                self.assume(*b, holds);
            }
            (_, [a, b], _) => {
                if let (Some(a), Some(b)) = (self.as_index(*a), self.as_index(*b)) {
                    self.known.assume_compare(op, a, b, holds);
                }
            }
            _ => {}
        }
    }

    /// As [`Values::assume`]; with what an equation says of a variable, for values that are looked at there.
    pub fn assumed(&mut self, c: V, holds: bool) -> Rewrite {
        self.assume(c, holds);
        let mut r = Rewrite::default();
        let Node::Op(Op::Eq, _, args) = self.node(c) else {
            return r;
        };
        if let (true, Some(a), Some(b)) = (holds, self.as_index(args[0]), self.as_index(args[1])) {
            if let Some((v, n)) = self.known.solved(a, b) {
                r.vars.insert(v, n);
            }
        }
        r
    }

    /// Whether what is assumed is seen to contradict itself. What follows from it is assumed, too, until it is forgotten.
    pub fn absurd(&mut self) -> bool {
        for _ in 0..ROUNDS {
            let mut progress = false;
            for (c, holds) in self.known.truths() {
                let Node::Op(op, _, args) = self.node(V(c)).clone() else {
                    continue;
                };
                // A conjunction that does not hold, or a disjunction that does: all but one are known to be no reason.
                let (Op::And | Op::Or, false) = (op, holds == (op == Op::And)) else {
                    continue;
                };
                let of: Vec<Option<bool>> = args.iter().map(|a| self.decide(*a)).collect();
                match of[..] {
                    [Some(a), Some(b)] if a != holds && b != holds => return true,
                    [Some(a), None] if a != holds => self.assume(args[1], holds),
                    [None, Some(b)] if b != holds => self.assume(args[0], holds),
                    _ => continue,
                }
                progress = true;
            }
            if !progress {
                break;
            }
        }
        // A comparison that is assumed, and decided the other way by what is known of its sides.
        let decided = self.known.truths().into_iter().any(|(c, holds)| {
            let Node::Op(op, _, args) = self.node(V(c)) else {
                return false;
            };
            let sides = match args[..] {
                [a, b] => self.as_index(a).zip(self.as_index(b)),
                _ => None,
            };
            sides.and_then(|(a, b)| self.known.compare(*op, a, b)) == Some(!holds)
        });
        decided || self.known.contradicts()
    }
}
