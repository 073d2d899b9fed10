//! In which loops a value differs from iteration to iteration.
//!
//! In: terms under loops. Out: [`Varies`], the loops that a value depends on, for each part of a pair by itself, as what is zipped
//! with something else depends on that no more than before. Loops have numbers, outermost first. What is not known depends on all
//! that its variables do.

use crate::term::{Kind, Op, Sort, Term};

/// A set of loops.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Set(u64);

impl Set {
    pub fn has(self, i: usize) -> bool {
        self.0 >> i.min(63) & 1 == 1
    }
}

/// What a value depends on: an array as its elements do.
#[derive(Clone, PartialEq, Debug)]
pub enum Varies {
    With(Set),
    Pair(Box<Varies>, Box<Varies>),
}

impl Default for Varies {
    fn default() -> Varies {
        Varies::With(Set::default())
    }
}

impl Varies {
    /// All loops together.
    pub fn flat(&self) -> Set {
        match self {
            Varies::With(set) => *set,
            Varies::Pair(a, b) => Set(a.flat().0 | b.flat().0),
        }
    }

    /// The elements of an array in the loop over it.
    pub fn by(&self, i: usize) -> Varies {
        match self {
            Varies::With(set) => Varies::With(Set(set.0 | 1 << i.min(63))),
            Varies::Pair(a, b) => Varies::Pair(a.by(i).into(), b.by(i).into()),
        }
    }

    /// What depends on both, part by part.
    fn or(self, other: Varies) -> Varies {
        match (self, other) {
            (Varies::Pair(a, b), Varies::Pair(c, d)) => {
                Varies::Pair(a.or(*c).into(), b.or(*d).into())
            }
            (Varies::Pair(a, b), with) | (with, Varies::Pair(a, b)) => {
                Varies::Pair(a.or(with.clone()).into(), b.or(with).into())
            }
            (Varies::With(a), Varies::With(b)) => Varies::With(Set(a.0 | b.0)),
        }
    }
}

/// What variables depend on, innermost last.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scope(Vec<Varies>);

impl Scope {
    /// So many variables that no loop changes.
    pub fn of(n: u32) -> Scope {
        Scope(vec![Varies::default(); n as usize])
    }

    pub fn with(&self, variable: Varies) -> Scope {
        let mut all = self.0.clone();
        all.push(variable);
        Scope(all)
    }

    /// The same variables where no loop is around.
    pub fn fixed(&self) -> Scope {
        Scope::of(self.0.len() as u32)
    }

    pub fn varies(&self, t: &Term) -> Varies {
        if let Kind::Var(i) = t.kind() {
            return self.variable(*i);
        }
        match t.as_prim_app() {
            Some((p, args)) => match (p.op(), &args[..]) {
                (Op::Zip | Op::Pair, [a, b]) => {
                    Varies::Pair(self.varies(a).into(), self.varies(b).into())
                }
                (Op::Fst, [p]) => match self.varies(p) {
                    Varies::Pair(a, _) => *a,
                    other => other,
                },
                (Op::Snd, [p]) => match self.varies(p) {
                    Varies::Pair(_, b) => *b,
                    other => other,
                },
                _ => {
                    let each = args.iter().map(|a| self.varies(a));
                    let all = each.fold(Varies::default(), Varies::or);
                    match p.op().sort() {
                        // A view of pairs is one of pairs.
                        Sort::View(_) => all,
                        _ => Varies::With(all.flat()),
                    }
                }
            },
            None => match t.kind() {
                Kind::Lam(_, body) => self.with(Varies::default()).varies(body),
                Kind::App(f, x) => Varies::With(self.varies(f).or(self.varies(x)).flat()),
                _ => Varies::default(),
            },
        }
    }

    fn variable(&self, i: u32) -> Varies {
        let at = self.0.len().checked_sub(1 + i as usize);
        at.map_or(Varies::With(Set(u64::MAX)), |at| self.0[at].clone())
    }
}
