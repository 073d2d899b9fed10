//! Walking through the forest with a term in hand.
//!
//! Comes in: a term at one e-node, another e-node of the class; goes out: a term
//! at that e-node and the steps that lead there. Congruent e-nodes fit the same
//! term; at an application, forwards the term is brought into the form that was
//! matched, backwards into the form that was made. Invariant: the steps noted so
//! far lead from the term in which the walk began to the one that it is in now.

use super::event::read;
use super::forest::{Forest, Hop};
use super::known::Known;
use super::spelled::Spelled;
use super::witness_term::{bound, put_under, Walked};
use crate::egraph::{Edge, Id, LitId, Node, Shape};
use crate::proof::{By, Step};
use crate::term::{Kind, Term};
use crate::ty::Ty;
use rustc_hash::FxHashMap;

/// Edges that may be walked in all, and how deep one walk may need another.
const EDGES: usize = 200_000;
const DEEPEST: usize = 2_000;

pub struct Walker<'a> {
    pub forest: &'a Forest<'a>,
    pub log: &'a [u32],
    pub known: &'a Known<'a>,
    pub steps: Vec<Step>,
    /// The place of what is walked now.
    pub place: Vec<u8>,
    /// The types of the variables in scope there, the innermost last.
    pub scope: Vec<Ty>,
    /// The terms that e-nodes were made as.
    spelled: FxHashMap<u32, Spelled>,
    edges: usize,
    depth: usize,
}

impl<'a> Walker<'a> {
    pub fn new(forest: &'a Forest<'a>, log: &'a [u32], known: &'a Known<'a>) -> Walker<'a> {
        Walker {
            forest,
            log,
            known,
            steps: Vec::new(),
            place: Vec::new(),
            scope: Vec::new(),
            spelled: FxHashMap::default(),
            edges: EDGES,
            depth: 0,
        }
    }

    /// Becomes exactly the term `goal`.
    pub fn reach(&mut self, from: Spelled, goal: &Spelled) -> Walked {
        if from.term() == goal.term() {
            return Ok(goal.clone());
        }
        let mut now = self.walk(from, goal.anchor())?;
        if now.kids() != goal.kids() {
            return Err("an e-node of another shape".to_string());
        }
        for i in 0..goal.kids() {
            now = self.inside(now, i, |w, kid| w.reach(kid, goal.kid(i)))?;
        }
        if now.term() == goal.term() {
            Ok(goal.clone())
        } else {
            Err(format!("`{}` is not `{}`", now.term(), goal.term()))
        }
    }

    /// Does something to a child.
    pub fn inside(
        &mut self,
        t: Spelled,
        i: usize,
        f: impl FnOnce(&mut Self, Spelled) -> Walked,
    ) -> Walked {
        let kid = t.kid(i).clone();
        let kid = self.at(i as u8, bound(t.term()), |w| f(w, kid))?;
        Ok(t.with_kid(i, kid))
    }

    /// Does something one step further down, under a variable if one is bound there.
    pub fn at<T>(
        &mut self,
        i: u8,
        bound: Option<Ty>,
        f: impl FnOnce(&mut Self) -> Walked<T>,
    ) -> Walked<T> {
        let depth = self.scope.len();
        self.place.push(i);
        self.scope.extend(bound);
        let done = f(self);
        self.scope.truncate(depth);
        self.place.pop();
        done
    }

    /// Does something to a sub-term.
    pub fn below(
        &mut self,
        t: Spelled,
        at: &[u8],
        f: &mut dyn FnMut(&mut Self, Spelled) -> Walked,
    ) -> Walked {
        match at.split_first() {
            None => f(self, t),
            Some((i, rest)) => self.inside(t, usize::from(*i), |w, kid| w.below(kid, rest, f)),
        }
    }

    /// Becomes a term at the e-node `goal`.
    pub fn walk(&mut self, from: Spelled, goal: u32) -> Walked {
        if from.anchor() == goal {
            return Ok(from);
        }
        let way = self.forest.way(from.anchor(), goal);
        let way = way.ok_or("two e-nodes that should be equal are not")?;
        let mut now = from;
        for hop in way {
            self.edges = self.edges.checked_sub(1).ok_or("the way is too long")?;
            let Edge { from, to, why } = self.forest.edge(hop.edge);
            let (ahead, expected) = if hop.forward { (from, to) } else { (to, from) };
            debug_assert_eq!(now.anchor(), ahead);
            if why == Edge::CONGRUENT {
                now = now.anchored(expected);
                continue;
            }
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err("the way leads in a cycle".to_string());
            }
            now = self.application(now, hop, why)?;
            // A part that was kept may stand elsewhere in its class.
            now = self.walk(now, expected)?;
            self.depth -= 1;
        }
        Ok(now)
    }

    /// See Note [Time]: parts that equal what they stand for only since `time` or
    /// later become what they stand for.
    fn as_of(&mut self, t: Spelled, time: u32) -> Walked {
        let node = self.forest.node(t.anchor());
        let mut t = t;
        for i in 0..t.kids() {
            let class = usize::from(node.operands()[i]) as u32;
            t = if self.forest.equal_before(t.kid(i).anchor(), class, time) {
                self.inside(t, i, |w, kid| w.as_of(kid, time))?
            } else {
                self.inside(t, i, |w, kid| {
                    let made = w.spell(class)?;
                    w.reach(kid, &made)
                })?
            };
        }
        Ok(t)
    }

    fn application(&mut self, now: Spelled, hop: Hop, why: u32) -> Walked {
        let application = read(self.log, why, self.known).ok_or("the log is not readable")?;
        let Edge { from, .. } = self.forest.edge(hop.edge);
        if hop.forward {
            let now = self.as_of(now, hop.edge)?;
            let fit = self.fit(now, &application, hop.edge)?;
            return Ok(self.fire(fit, &application)?.1);
        }
        // The same, done with terms as they were made; then the steps backwards.
        let canonical = self.left(&application, from, hop.edge)?;
        let canonical = self.here(&canonical)?;
        let outside = std::mem::take(&mut self.steps);
        let fit = self.fit(canonical, &application, hop.edge);
        self.steps.clear();
        let fired = fit.and_then(|fit| self.fire(fit, &application));
        let inside = std::mem::replace(&mut self.steps, outside);
        let (left, made) = fired?;
        self.reach(now, &made)?;
        self.steps.extend(inside.into_iter().rev().map(|s| Step {
            from: s.to,
            to: s.from,
            back: !s.back,
            ..s
        }));
        Ok(left)
    }

    /// A term of e-nodes as it can stand here; see Note [Variables of elsewhere].
    fn here(&mut self, t: &Spelled) -> Walked {
        let mut scope = std::mem::take(&mut self.scope);
        let put = put_under(t, &mut scope);
        self.scope = scope;
        put
    }

    /// Notes a step at the place where the walk is.
    pub fn step(&mut self, by: By, from: &Term, to: &Term) {
        self.steps.push(Step {
            at: self.place.clone(),
            by,
            back: false,
            from: from.clone(),
            to: to.clone(),
            bound: None,
        });
    }

    /// The e-node of exactly this content.
    pub fn exact(&self, node: Node) -> Walked<u32> {
        let found = self.forest.exact(node);
        found.ok_or_else(|| "an e-node of the log is not there".to_string())
    }

    /// A leaf.
    pub fn leaf(&self, term: Term) -> Walked {
        let shape = match term.kind() {
            Kind::Var(i) => Shape::Var(*i),
            Kind::Prim(p) => Shape::Prim(*p),
            Kind::Lit(l) => Shape::Lit(LitId::new(*l)),
            _ => return Err("no leaf".to_string()),
        };
        let anchor = self.exact(Node::new(shape, term.ty()))?;
        Ok(Spelled::leaf(term, anchor))
    }

    /// The term that an e-node was made as, as it can stand here.
    pub fn spell(&mut self, id: u32) -> Walked {
        let made = self.as_made(id)?;
        self.here(&made)
    }

    /// The term that an e-node was made as, wherever that was.
    pub fn as_made(&mut self, id: u32) -> Walked {
        if let Some(done) = self.spelled.get(&id) {
            return Ok(done.clone());
        }
        let node = self.forest.node(id);
        let at = |id: Id| usize::from(id) as u32;
        let spelled = match node.shape {
            Shape::Var(i) => Spelled::leaf(Term::var(i, node.ty), id),
            Shape::Prim(p) => Spelled::leaf(Term::prim(p, node.ty), id),
            Shape::Lit(l) => Spelled::leaf(Term::lit(l.get(), node.ty), id),
            Shape::Lam([b]) => {
                let (arg, _) = node.ty.as_fun().ok_or("a lambda that is no function")?;
                let b = self.as_made(at(b))?;
                Spelled::lam(None, arg, b, id)
            }
            Shape::App([f, x]) => {
                let (f, x) = (self.as_made(at(f))?, self.as_made(at(x))?);
                Spelled::app(f, x, id)
            }
        };
        self.spelled.insert(id, spelled.clone());
        Ok(spelled)
    }
}
