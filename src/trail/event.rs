//! The log of an application, read back.
//!
//! Comes in: words; goes out: the tree of what substitution did: which nodes it
//! followed, what came out. The reader mirrors, call by call, what `egraph` and
//! `rule` note.

use super::known::{self, Known};
use crate::egraph::record::word;
use crate::egraph::{Graph, Id, Renaming, Shape};
use crate::elab::Cond;
use crate::term::{Kind, Term};
use std::rc::Rc;

/// What became of one class under a substitution.
#[derive(Debug)]
pub enum Event {
    /// It stayed what it was.
    Keep,
    /// It was this primitive or literal.
    Leaf(Shape),
    /// It was this variable; if the value went in there and had to be moved, how.
    Var(u32, Option<Rc<Event>>),
    /// It was this node, over these, and this came out.
    Node(Shape, Vec<Rc<Event>>, Out),
}

/// What came out of a node.
#[derive(Clone, Debug)]
pub enum Out {
    /// The node.
    Plain(u32),
    /// It was `(\ body) x`, and this is what became of `body`.
    Beta { body: u32, x: u32, inner: Rc<Event> },
    /// It was `\ f x` with variable 0 for `x`, and this is what became of `f`.
    Eta { f: u32, x: u32, inner: Rc<Event> },
    /// Nothing was made.
    Nothing,
}

/// What became of a class when it was vectorised.
#[derive(Debug)]
pub enum Lanes {
    /// The same in all lanes.
    Splat(u32),
    /// This node, over these, and this came out.
    Node(Shape, Vec<Lanes>, u32),
}

/// The application of a rule of a file.
pub struct Applied {
    pub number: usize,
    pub instance: u32,
    /// The classes of the pattern variables, and of those that stand again.
    pub holes: Vec<u32>,
    pub again: Vec<u32>,
    /// How those were moved.
    pub moved: Vec<Option<Rc<Event>>>,
    /// Whole terms that side conditions looked at.
    pub looked_at: Vec<(usize, Rc<Event>)>,
    /// Pattern variables that were vectorised: from, to, how.
    pub lanes: Vec<(usize, usize, Lanes)>,
    /// Pattern variables that a law determined, and the node that came of it.
    pub determined: Vec<(usize, u32)>,
    /// What came of each node of the right side, in the order of building.
    pub built: Vec<Built>,
}

/// What came of a node of the right side.
#[derive(Clone, Debug)]
pub enum Built {
    /// A pattern variable, moved if need be.
    Hole(Renaming, Option<Rc<Event>>),
    /// An application or lambda.
    Node(Out),
    /// A leaf.
    Leaf,
}

/// The application that stands at a place of the log.
pub enum Application {
    Rule(Box<Applied>),
    /// `(\ body) x`
    Beta {
        body: u32,
        x: u32,
        inner: Rc<Event>,
    },
    /// `\ f %0`
    Eta {
        f: u32,
        inner: Rc<Event>,
    },
}

/// Reads an application.
pub fn read(log: &[u32], at: u32, known: &Known) -> Option<Application> {
    let mut r = Reader {
        words: log.get(at as usize..)?.iter(),
    };
    let number = r.word()? as usize;
    let n = known.rewrites.len();
    Some(match number {
        // β and η come last, in this order.
        _ if number + 1 == n => {
            let (body, x) = (r.word()?, r.word()?);
            let inner = r.change(true, 0, &mut Vec::new())?;
            Application::Beta { body, x, inner }
        }
        _ if number + 2 == n => {
            let f = r.word()?;
            let inner = r.change(false, 0, &mut Vec::new())?;
            Application::Eta { f, inner }
        }
        _ => Application::Rule(Box::new(r.rule(number, known)?)),
    })
}

struct Reader<'a> {
    words: std::slice::Iter<'a, u32>,
}

impl Reader<'_> {
    fn word(&mut self) -> Option<u32> {
        self.words.next().copied()
    }

    fn rule(&mut self, number: usize, known: &Known) -> Option<Applied> {
        let (rule, used, _) = known.rule(number)?;
        let decl = &*used.rule;
        let instance = self.word()?;
        let mut several = |n: usize| (0..n).map(|_| self.word()).collect::<Option<Vec<u32>>>();
        let holes = several(decl.holes.len())?;
        let repeated: Vec<Renaming> = rule.repeated().map(|r| r.1.clone()).collect();
        let again = several(repeated.len())?;
        let mut moved = Vec::new();
        for renaming in &repeated {
            moved.push(self.rename(renaming)?);
        }
        let (mut looked_at, mut lanes, mut determined) = (Vec::new(), Vec::new(), Vec::new());
        for cond in &decl.conds {
            match cond {
                Cond::Law(claim) => {
                    for operand in &claim.operands {
                        self.look(operand, &mut looked_at)?;
                    }
                }
                Cond::Determined { claim, e } => {
                    self.look(&claim.operands[1], &mut looked_at)?;
                    determined.push((*e as usize, self.made()?));
                }
                Cond::Vectorizable { f, fv, .. } => {
                    lanes.push((*f as usize, *fv as usize, self.lanes()?));
                }
                _ => {}
            }
        }
        let mut renamings = known::renamings(rule).into_iter();
        let mut built = Vec::new();
        self.build(&decl.rhs, &mut renamings, &mut built)?;
        Some(Applied {
            number,
            instance,
            holes,
            again,
            moved,
            looked_at,
            lanes,
            determined,
            built,
        })
    }

    fn build(
        &mut self,
        t: &Term,
        renamings: &mut impl Iterator<Item = Renaming>,
        out: &mut Vec<Built>,
    ) -> Option<()> {
        let built = match t.kind() {
            Kind::Hole(_) => {
                let renaming = renamings.next()?;
                let event = self.rename(&renaming)?;
                Built::Hole(renaming, event)
            }
            Kind::App(f, x) => {
                self.build(f, renamings, out)?;
                self.build(x, renamings, out)?;
                Built::Node(self.out()?)
            }
            Kind::Lam(_, b) => {
                self.build(b, renamings, out)?;
                Built::Node(self.out()?)
            }
            _ => Built::Leaf,
        };
        out.push(built);
        Some(())
    }

    fn rename(&mut self, renaming: &Renaming) -> Option<Option<Rc<Event>>> {
        Some(if renaming.is_identity() {
            None
        } else {
            Some(self.change(false, 0, &mut Vec::new())?)
        })
    }

    /// `value`: whether a value goes in for a variable, or variables get other names.
    fn change(&mut self, value: bool, depth: u32, done: &mut Vec<Rc<Event>>) -> Option<Rc<Event>> {
        let w = self.word()?;
        let event = match w & word::TAG {
            word::KEEP if w == word::KEEP => return Some(Rc::new(Event::Keep)),
            word::KEEP => Event::Leaf(Graph::leaf(w, self.word()?)),
            word::VAR => {
                let i = w >> 3;
                let moves = value && i == depth && depth > 0;
                let inner = if moves {
                    Some(self.change(false, 0, &mut Vec::new())?)
                } else {
                    None
                };
                return Some(Rc::new(Event::Var(i, inner)));
            }
            word::MEMO => return done.get((w >> 3) as usize).cloned(),
            word::LAM => {
                let shape = Shape::Lam([self.id()?]);
                let body = self.change(value, depth + 1, done)?;
                Event::Node(shape, vec![body], self.out()?)
            }
            word::APP => {
                let shape = Shape::App([self.id()?, self.id()?]);
                let f = self.change(value, depth, done)?;
                let x = self.change(value, depth, done)?;
                Event::Node(shape, vec![f, x], self.out()?)
            }
            _ => return None,
        };
        let event = Rc::new(event);
        done.push(event.clone());
        Some(event)
    }

    fn id(&mut self) -> Option<Id> {
        Some(Id::from(self.word()? as usize))
    }

    fn out(&mut self) -> Option<Out> {
        let w = self.word()?;
        Some(match w & word::TAG {
            word::PLAIN => Out::Plain(w >> 3),
            word::BETA => {
                let (body, x) = (self.word()?, self.word()?);
                let inner = self.change(true, 0, &mut Vec::new())?;
                Out::Beta { body, x, inner }
            }
            word::ETA => {
                let (f, x) = (self.word()?, self.word()?);
                let inner = self.change(false, 0, &mut Vec::new())?;
                Out::Eta { f, x, inner }
            }
            _ => return None,
        })
    }

    /// What a side condition looked at for its operand.
    fn look(&mut self, operand: &Term, out: &mut Vec<(usize, Rc<Event>)>) -> Option<()> {
        match operand.kind() {
            Kind::Hole(h) => out.push((*h as usize, self.whole()?)),
            Kind::App(f, x) => {
                self.look(f, out)?;
                self.look(x, out)?;
            }
            _ => {}
        }
        Some(())
    }

    fn whole(&mut self) -> Option<Rc<Event>> {
        let w = self.word()?;
        Some(Rc::new(match w & word::TAG {
            word::KEEP => Event::Leaf(Graph::leaf(w, self.word()?)),
            word::VAR => Event::Var(w >> 3, None),
            word::LAM => {
                let shape = Shape::Lam([self.id()?]);
                Event::Node(shape, vec![self.whole()?], Out::Nothing)
            }
            word::APP => {
                let shape = Shape::App([self.id()?, self.id()?]);
                let kids = vec![self.whole()?, self.whole()?];
                Event::Node(shape, kids, Out::Nothing)
            }
            _ => return None,
        }))
    }

    fn lanes(&mut self) -> Option<Lanes> {
        let w = self.word()?;
        if w == word::KEEP {
            return Some(Lanes::Splat(self.made()?));
        }
        let (shape, kids) = match w & word::TAG {
            word::KEEP => (Graph::leaf(w, self.word()?), vec![]),
            word::VAR => (Shape::Var(w >> 3), vec![]),
            word::LAM => (Shape::Lam([self.id()?]), vec![self.lanes()?]),
            word::APP => {
                let shape = Shape::App([self.id()?, self.id()?]);
                (shape, vec![self.lanes()?, self.lanes()?])
            }
            _ => return None,
        };
        Some(Lanes::Node(shape, kids, self.made()?))
    }

    fn made(&mut self) -> Option<u32> {
        let w = self.word()?;
        (w & word::TAG == word::PLAIN).then_some(w >> 3)
    }
}
