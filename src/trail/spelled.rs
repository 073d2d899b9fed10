//! Concrete terms that know where they stand in the graph.

use crate::intern::Symbol;
use crate::term::Term;
use crate::ty::Ty;
use smallvec::SmallVec;
use std::rc::Rc;

/// A term; each of its nodes is congruent to an e-node, its anchor: same shape,
/// children of the same classes. A stand-in for a variable of elsewhere is a leaf, whose
/// anchor is that variable.
#[derive(Clone)]
pub struct Spelled(Rc<Inner>);

struct Inner {
    term: Term,
    anchor: u32,
    kids: SmallVec<[Spelled; 2]>,
}

impl Spelled {
    pub fn new(term: Term, anchor: u32, kids: impl IntoIterator<Item = Spelled>) -> Spelled {
        Spelled(Rc::new(Inner {
            term,
            anchor,
            kids: kids.into_iter().collect(),
        }))
    }

    pub fn leaf(term: Term, anchor: u32) -> Spelled {
        Spelled::new(term, anchor, [])
    }

    pub fn app(f: Spelled, x: Spelled, anchor: u32) -> Spelled {
        let term = Term::app(f.term().clone(), x.term().clone());
        Spelled::new(term, anchor, [f, x])
    }

    pub fn lam(hint: Option<Symbol>, arg: Ty, body: Spelled, anchor: u32) -> Spelled {
        let term = Term::lam(hint, arg, body.term().clone());
        Spelled::new(term, anchor, [body])
    }

    pub fn term(&self) -> &Term {
        &self.0.term
    }

    pub fn ty(&self) -> Ty {
        self.0.term.ty()
    }

    pub fn anchor(&self) -> u32 {
        self.0.anchor
    }

    pub fn kid(&self, i: usize) -> &Spelled {
        &self.0.kids[i]
    }

    pub fn kids(&self) -> usize {
        self.0.kids.len()
    }

    /// The same term, standing at a congruent e-node.
    pub fn anchored(&self, anchor: u32) -> Spelled {
        Spelled::new(self.term().clone(), anchor, self.0.kids.iter().cloned())
    }

    /// With another child.
    pub fn with_kid(&self, i: usize, kid: Spelled) -> Spelled {
        use crate::term::Kind;
        let mut kids = self.0.kids.clone();
        kids[i] = kid;
        let of = |i: usize| kids[i].term().clone();
        let term = match self.term().kind() {
            Kind::Lam(hint, _) => match self.ty().as_fun() {
                Some((arg, _)) => Term::lam(*hint, arg, of(0)),
                None => self.term().clone(),
            },
            Kind::App(..) => Term::app(of(0), of(1)),
            _ => self.term().clone(),
        };
        Spelled::new(term, self.anchor(), kids)
    }
}
