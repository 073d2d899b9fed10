//! Doing on terms what an application did on classes.
//!
//! Comes in: a term and the log of an application; goes out: the term in the form
//! that was matched (`fit`), then the term that was made of it (`fire`), with all
//! steps. A pattern variable stands for whatever the term has there; only where
//! substitution followed nodes does that part of the term have to be those nodes.

use super::event::{Application, Applied, Built, Event, Lanes, Out};
use super::known::{Place, PlaceKind};
use super::spelled::Spelled;
use super::walk::Walker;
use super::witness_term::{bound, Walked};
use crate::egraph::{Id, LitId, Node, Renaming, Shape};
use crate::proof::{binders, instance, put, By, Step};
use crate::term::{Kind, Lit, Term};
use crate::ty::{Ty, TySubst};
use std::rc::Rc;

/// A term in the form that an application needs.
pub struct Fit {
    pub left: Spelled,
    /// For a rule of a file, what its pattern variables stand for.
    holes: Vec<Option<Spelled>>,
    types: TySubst,
}

/// A substitution.
enum Change<'a> {
    Rename(&'a Renaming),
    Value(&'a Spelled),
}

fn id(i: u32) -> Id {
    Id::from(i as usize)
}

fn raw(i: Id) -> u32 {
    usize::from(i) as u32
}

/// Which class stands at each place of a pattern variable.
struct Holes<'a> {
    places: &'a [Place],
    applied: &'a Applied,
    next: usize,
}

impl Holes<'_> {
    fn next(&mut self) -> Option<u32> {
        let place = self.places.get(self.next)?;
        self.next += 1;
        match place.kind {
            PlaceKind::Again(k) => self.applied.again.get(k).copied(),
            _ => self.applied.holes.get(place.hole).copied(),
        }
    }
}

/// A left side with the e-node of each of its nodes.
enum Located {
    Hole(u32),
    Node(u32, Vec<Located>),
}

impl Located {
    fn id(&self) -> u32 {
        match self {
            Located::Hole(id) | Located::Node(id, _) => *id,
        }
    }
}

impl Walker<'_> {
    /// The form that was matched, with terms as they were made, wherever that was.
    pub fn left(&mut self, a: &Application, _root: u32, time: u32) -> Walked {
        match a {
            Application::Rule(a) => {
                let (located, _) = self.locate_rule(a, time)?;
                let (_, used, _) = self.known.rule(a.number).ok_or("no such rule")?;
                let lhs = used.rule.lhs.clone();
                self.spell_left(&lhs, &located)
            }
            Application::Beta { body, x, .. } => {
                let [f, app] = self.locate_beta(*body, *x, time)?;
                let body = self.as_made(*body)?;
                let x = self.as_made(*x)?;
                let f = Spelled::lam(None, x.ty(), body, f);
                Ok(Spelled::app(f, x, app))
            }
            Application::Eta { f, .. } => {
                let [app, lam] = self.locate_eta(*f, time)?;
                let f = self.as_made(*f)?;
                let (arg, _) = f.ty().as_fun().ok_or("no function")?;
                let x = self.leaf(Term::var(0, arg))?;
                Ok(Spelled::lam(None, arg, Spelled::app(f, x, app), lam))
            }
        }
    }

    fn spell_left(&mut self, pattern: &Term, located: &Located) -> Walked {
        let Located::Node(anchor, kids) = located else {
            return self.as_made(located.id());
        };
        let node = self.forest.node(*anchor);
        match pattern.kind() {
            Kind::App(f, x) => {
                let f = self.spell_left(f, &kids[0])?;
                let x = self.spell_left(x, &kids[1])?;
                Ok(Spelled::app(f, x, *anchor))
            }
            Kind::Lam(hint, b) => {
                let (arg, _) = node.ty.as_fun().ok_or("no function")?;
                let b = self.spell_left(b, &kids[0])?;
                Ok(Spelled::lam(*hint, arg, b, *anchor))
            }
            _ => self.as_made(*anchor),
        }
    }

    fn locate_rule(&self, a: &Applied, time: u32) -> Walked<(Located, TySubst)> {
        let (rule, used, places) = self.known.rule(a.number).ok_or("no such rule")?;
        let types = rule.types(a.instance).ok_or("no such instance")?;
        let mut holes = Holes {
            places,
            applied: a,
            next: 0,
        };
        let located = self.locate(&used.rule.lhs, &types, &mut holes, time)?;
        Ok((located, types))
    }

    fn locate(
        &self,
        pattern: &Term,
        types: &TySubst,
        holes: &mut Holes,
        time: u32,
    ) -> Walked<Located> {
        let ty = types.ty(pattern.ty());
        let (shape, kids) = match pattern.kind() {
            Kind::Hole(_) => {
                let hole = holes.next().ok_or("a pattern variable without a class")?;
                return Ok(Located::Hole(hole));
            }
            Kind::Var(i) => (Shape::Var(*i), vec![]),
            Kind::Prim(p) => (Shape::Prim(p.map_nats(&mut |n| types.nat(n))), vec![]),
            Kind::Lit(Lit::Size(n)) => (Shape::Lit(LitId::new(Lit::Size(types.nat(*n)))), vec![]),
            Kind::Lit(l) => (Shape::Lit(LitId::new(*l)), vec![]),
            Kind::Lam(_, b) => {
                let b = self.locate(b, types, holes, time)?;
                (Shape::Lam([id(b.id())]), vec![b])
            }
            Kind::App(f, x) => {
                let f = self.locate(f, types, holes, time)?;
                let x = self.locate(x, types, holes, time)?;
                (Shape::App([id(f.id()), id(x.id())]), vec![f, x])
            }
        };
        let found = self.forest.find(Node::new(shape, ty), time);
        let found = found.ok_or_else(|| format!("what `{pattern}` matched is not there"))?;
        Ok(Located::Node(found, kids))
    }

    /// `\ body` and `(\ body) x`
    fn locate_beta(&self, body: u32, x: u32, time: u32) -> Walked<[u32; 2]> {
        let [b, a] = [body, x].map(|i| self.forest.node(i).ty);
        let lam = Node::new(Shape::Lam([id(body)]), Ty::fun(a, b));
        let lam = self.forest.find(lam, time).ok_or("a lambda is not there")?;
        let app = Node::new(Shape::App([id(lam), id(x)]), b);
        let app = self.forest.find(app, time).ok_or("a redex is not there")?;
        Ok([lam, app])
    }

    /// `f %0` and `\ f %0`
    fn locate_eta(&self, f: u32, time: u32) -> Walked<[u32; 2]> {
        let ty = self.forest.node(f).ty;
        let (a, b) = ty.as_fun().ok_or("no function")?;
        let var = self.exact(Node::new(Shape::Var(0), a))?;
        let app = Node::new(Shape::App([id(f), id(var)]), b);
        let app = self.forest.find(app, time).ok_or("a redex is not there")?;
        let lam = Node::new(Shape::Lam([id(app)]), ty);
        let lam = self.forest.find(lam, time).ok_or("a lambda is not there")?;
        Ok([app, lam])
    }

    /// Brings a term into the form that was matched at the edge `time`.
    pub fn fit(&mut self, t: Spelled, a: &Application, time: u32) -> Walked<Fit> {
        let plain = |left| Fit {
            left,
            holes: Vec::new(),
            types: TySubst::default(),
        };
        match a {
            Application::Rule(a) => self.fit_rule(t, a, time),
            Application::Beta { body, x, inner } => {
                let [lam, app] = self.locate_beta(*body, *x, time)?;
                let t = self.walk(t, app)?;
                let t = self.inside(t, 0, |w, f| w.walk(f, lam))?;
                self.ready_for_beta(t, *body, *x, inner).map(plain)
            }
            Application::Eta { f, inner } => {
                let [app, lam] = self.locate_eta(*f, time)?;
                let t = self.walk(t, lam)?;
                let t = self.inside(t, 0, |w, b| w.walk(b, app))?;
                let (arg, _) = t.ty().as_fun().ok_or("no function")?;
                let var = self.exact(Node::new(Shape::Var(0), arg))?;
                self.ready_for_eta(t, *f, var, inner).map(plain)
            }
        }
    }

    fn fit_rule(&mut self, t: Spelled, a: &Applied, time: u32) -> Walked<Fit> {
        let (located, types) = self.locate_rule(a, time)?;
        let (rule, _, places) = self.known.rule(a.number).ok_or("no such rule")?;
        let mut t = self.shape(t, &located)?;
        let mut holes = vec![None; a.holes.len()];
        let repeated: Vec<Renaming> = rule.repeated().map(|r| r.1.clone()).collect();
        for pass in 0..3 {
            for place in places {
                let hole = place.hole;
                let mut bound = None;
                match (pass, place.kind) {
                    (0, PlaceKind::First) => {
                        t = self.below(t, &place.at, &mut |w, h| {
                            let h = w.force(h, hole, a)?;
                            bound = Some(h.clone());
                            Ok(h)
                        })?;
                    }
                    (1, PlaceKind::Again(k)) => {
                        // What stands here decides what stands at the first place.
                        let renaming = &repeated[k];
                        let mut moved = None;
                        t = self.below(t, &place.at, &mut |w, h| {
                            let Some(event) = &a.moved[k] else {
                                moved = Some(h.clone());
                                return Ok(h);
                            };
                            let h = w.follow(h, a.again[k], event, 0)?;
                            let outside = std::mem::take(&mut w.steps);
                            let m = w.change(&h, event, &Change::Rename(renaming), 0);
                            w.steps = outside;
                            moved = Some(m?);
                            Ok(h)
                        })?;
                        let goal = moved.ok_or("a place is not there")?;
                        let first = places
                            .iter()
                            .find(|p| p.hole == hole && p.kind == PlaceKind::First);
                        let first = first.ok_or("a place is not there")?.at.clone();
                        t = self.below(t, &first, &mut |w, h| {
                            let h = w.reach(h, &goal)?;
                            bound = Some(h.clone());
                            Ok(h)
                        })?;
                    }
                    (2, PlaceKind::Same) => {
                        let goal: Spelled = holes[hole].clone().ok_or("a place is not there")?;
                        t = self.below(t, &place.at, &mut |w, h| w.reach(h, &goal))?;
                    }
                    _ => {}
                }
                if bound.is_some() {
                    holes[hole] = bound;
                }
            }
        }
        Ok(Fit {
            left: t,
            holes,
            types,
        })
    }

    /// Gives a term the nodes of a left side.
    fn shape(&mut self, t: Spelled, located: &Located) -> Walked {
        let Located::Node(anchor, kids) = located else {
            return Ok(t);
        };
        let mut t = self.walk(t, *anchor)?;
        for (i, kid) in kids.iter().enumerate() {
            t = self.inside(t, i, |w, k| w.shape(k, kid))?;
        }
        Ok(t)
    }

    /// Gives what a pattern variable stands for the nodes that were followed.
    fn force(&mut self, t: Spelled, hole: usize, a: &Applied) -> Walked {
        let (_, used, _) = self.known.rule(a.number).ok_or("no such rule")?;
        let class = a.holes[hole];
        let mut t = t;
        for (h, event) in &a.looked_at {
            if *h == hole {
                t = self.follow(t, class, event, 0)?;
            }
        }
        for (f, _, lanes) in &a.lanes {
            if *f == hole {
                t = self.follow_lanes(t, class, lanes, 0)?;
            }
        }
        let mut order = Vec::new();
        holes_of(&used.rule.rhs, &mut order);
        let moved = a.built.iter().filter_map(|b| match b {
            Built::Hole(_, event) => Some(event),
            _ => None,
        });
        for (h, event) in order.into_iter().zip(moved) {
            if let (true, Some(event)) = (h == hole, event) {
                t = self.follow(t, class, event, 0)?;
            }
        }
        Ok(t)
    }

    /// Gives a term the nodes that a substitution followed; what it kept must not
    /// mention a variable that it changes.
    fn follow(&mut self, t: Spelled, class: u32, event: &Event, depth: u32) -> Walked {
        match event {
            Event::Keep if t.term().open() > depth => {
                let made = self.spell(class)?;
                self.reach(t, &made)
            }
            Event::Keep => Ok(t),
            Event::Leaf(shape) => {
                let goal = self.exact(Node::new(*shape, t.ty()))?;
                self.walk(t, goal)
            }
            Event::Var(i, _) => {
                let goal = self.exact(Node::new(Shape::Var(*i), t.ty()))?;
                self.walk(t, goal)
            }
            Event::Node(shape, kids, _) => {
                let node = Node::new(*shape, t.ty());
                let goal = self.exact(node)?;
                let mut t = self.walk(t, goal)?;
                let below = depth + u32::from(kids.len() == 1);
                for (i, kid) in kids.iter().enumerate() {
                    let class = raw(node.operands()[i]);
                    t = self.inside(t, i, |w, k| w.follow(k, class, kid, below))?;
                }
                Ok(t)
            }
        }
    }

    fn follow_lanes(&mut self, t: Spelled, class: u32, lanes: &Lanes, own: u32) -> Walked {
        match lanes {
            Lanes::Splat(_) if (0..own).any(|i| t.term().mentions(i)) => {
                let made = self.spell(class)?;
                self.reach(t, &made)
            }
            Lanes::Splat(_) => Ok(t),
            Lanes::Node(shape, kids, _) => {
                let node = Node::new(*shape, t.ty());
                let goal = self.exact(node)?;
                let mut t = self.walk(t, goal)?;
                let below = own + u32::from(kids.len() == 1);
                for (i, kid) in kids.iter().enumerate() {
                    let class = raw(node.operands()[i]);
                    t = self.inside(t, i, |w, k| w.follow_lanes(k, class, kid, below))?;
                }
                Ok(t)
            }
        }
    }

    /// `t` is `(\ b) v`.
    fn ready_for_beta(&mut self, t: Spelled, body: u32, x: u32, inner: &Event) -> Walked {
        let t = self.below(t, &[0, 0], &mut |w, b| w.follow(b, body, inner, 0))?;
        match value_event(inner) {
            Some(event) => self.inside(t, 1, |w, v| w.follow(v, x, &event, 0)),
            None => Ok(t),
        }
    }

    /// `t` is `\ f v`.
    fn ready_for_eta(&mut self, t: Spelled, f: u32, var: u32, inner: &Event) -> Walked {
        let t = self.below(t, &[0, 1], &mut |w, x| w.walk(x, var))?;
        self.below(t, &[0, 0], &mut |w, k| {
            let k = if k.term().mentions(0) {
                let made = w.spell(f)?;
                w.reach(k, &made)?
            } else {
                k
            };
            w.follow(k, f, inner, 0)
        })
    }

    /// Does the application: the term to which it was done, and the result, which
    /// stands where the record says.
    pub fn fire(&mut self, fit: Fit, a: &Application) -> Walked<(Spelled, Spelled)> {
        let left = fit.left.clone();
        Ok(match a {
            Application::Rule(a) => return self.fire_rule(fit, a),
            Application::Beta { inner, .. } => (left, self.beta(fit.left, inner)?),
            Application::Eta { inner, .. } => (left, self.eta(fit.left, inner)?),
        })
    }

    fn beta(&mut self, redex: Spelled, inner: &Event) -> Walked {
        let (body, x) = (redex.kid(0).kid(0).clone(), redex.kid(1).clone());
        let to = body.term().instantiate(x.term());
        self.step(By::Beta, redex.term(), &to);
        self.change(&body, inner, &Change::Value(&x), 0)
    }

    fn eta(&mut self, redex: Spelled, inner: &Event) -> Walked {
        let f = redex.kid(0).kid(0).clone();
        let to = f.term().shift(-1);
        self.step(By::Eta, redex.term(), &to);
        self.change(&f, inner, &Change::Rename(&Renaming::shift(-1)), 0)
    }

    fn fire_rule(&mut self, fit: Fit, a: &Applied) -> Walked<(Spelled, Spelled)> {
        let (_, used, places) = self.known.rule(a.number).ok_or("no such rule")?;
        let mut fit = fit;
        let mut tried = false;
        let (to, computed) = loop {
            let mut computed = Vec::new();
            for (f, fv, lanes) in &a.lanes {
                let scalar = fit.holes[*f].clone().ok_or("nothing to vectorise")?;
                let vector = self.widened(&scalar, lanes)?;
                computed.push((*fv as u32, vector.term().clone()));
                fit.holes[*fv] = Some(vector);
            }
            for (e, made) in &a.determined {
                let value = self.spell(*made)?;
                computed.push((*e as u32, value.term().clone()));
                fit.holes[*e] = Some(value);
            }
            let made = instance(
                &used.rule,
                &used.args,
                fit.left.term(),
                &computed,
                self.known.reassociate,
            );
            match made {
                Ok(made) => break (made.to, computed),
                Err(why) if tried => return Err(format!("{}: {why}", used.rule.name)),
                Err(_) => {
                    // With the terms that the classes were made as, it did apply.
                    tried = true;
                    let mut t = fit.left;
                    for place in places.iter().filter(|p| p.kind == PlaceKind::First) {
                        let (hole, mut bound) = (place.hole, None);
                        t = self.below(t, &place.at, &mut |w, h| {
                            let made = w.spell(a.holes[hole])?;
                            let h = w.reach(h, &made)?;
                            let h = w.force(h, hole, a)?;
                            bound = Some(h.clone());
                            Ok(h)
                        })?;
                        fit.holes[hole] = bound;
                    }
                    fit.left = t;
                }
            }
        };
        self.fired(a.number, computed, fit.left.term(), &to)?;
        let mut built = a.built.iter();
        let made = self.settle(&used.rule.rhs, &fit, a, &mut built)?;
        Ok((fit.left, made))
    }

    /// Notes that a rule was applied. An applied form is noted as the rule that is declared, at the
    /// function, and β for each argument: a proof knows no other rules.
    fn fired(
        &mut self,
        number: usize,
        computed: Vec<(u32, Term)>,
        from: &Term,
        to: &Term,
    ) -> Walked<()> {
        let (declared, depth) = self.known.declared(number);
        if depth == 0 {
            self.step(By::Rule(number, computed), from, to);
            return Ok(());
        }
        let (_, used, _) = self.known.rule(declared).ok_or("no such rule")?;
        let (mut function, mut args) = (from, Vec::new());
        for _ in 0..depth {
            let Kind::App(f, x) = function.kind() else {
                return Err("the form of a rule is not applied".to_string());
            };
            args.push(x);
            function = f;
        }
        let permitted = self.known.reassociate;
        let made = instance(&used.rule, &used.args, function, &computed, permitted)?;
        let (here, mut now) = (self.place.len(), made.to);
        self.place.resize(here + depth, 0);
        self.step(By::Rule(declared, computed), function, &now);
        while let Some(x) = args.pop() {
            self.place.truncate(here + args.len());
            let Kind::Lam(_, body) = now.kind() else {
                return Err("the rule between functions makes none".to_string());
            };
            let reduced = body.instantiate(x);
            self.step(By::Beta, &Term::app(now.clone(), x.clone()), &reduced);
            now = reduced;
        }
        if now == *to {
            Ok(())
        } else {
            Err("the form of a rule says something else".to_string())
        }
    }

    /// The right side stands at the place; brings it to what was made of it.
    fn settle(
        &mut self,
        t: &Term,
        fit: &Fit,
        a: &Applied,
        built: &mut std::slice::Iter<Built>,
    ) -> Walked {
        let unreadable = "the log is not readable";
        let ty = fit.types.ty(t.ty());
        match t.kind() {
            Kind::Hole(h) => {
                let Some(Built::Hole(renaming, event)) = built.next() else {
                    return Err(unreadable.to_string());
                };
                let h = *h as usize;
                let source = fit.holes[h].clone().ok_or("nothing to put")?;
                let Some(event) = event else {
                    return Ok(source);
                };
                let computed = a.lanes.iter().any(|l| l.1 == h);
                let source = if computed {
                    self.follow_moved(source, a.holes[h], event, renaming)?
                } else {
                    source
                };
                self.change(&source, event, &Change::Rename(renaming), 0)
            }
            Kind::App(f, x) => {
                let f = self.at(0, None, |w| w.settle(f, fit, a, built))?;
                let x = self.at(1, None, |w| w.settle(x, fit, a, built))?;
                let Some(Built::Node(out)) = built.next() else {
                    return Err(unreadable.to_string());
                };
                self.app(f, x, out)
            }
            Kind::Lam(hint, b) => {
                let (arg, _) = ty.as_fun().ok_or("no function")?;
                let b = self.at(0, Some(arg), |w| w.settle(b, fit, a, built))?;
                let Some(Built::Node(out)) = built.next() else {
                    return Err(unreadable.to_string());
                };
                let lam = Spelled::lam(*hint, arg, b, 0);
                self.lam(lam, out)
            }
            kind => {
                built.next();
                self.leaf(match kind {
                    Kind::Prim(p) => Term::prim(p.map_nats(&mut |n| fit.types.nat(n)), ty),
                    Kind::Lit(Lit::Size(n)) => Term::lit(Lit::Size(fit.types.nat(*n)), ty),
                    Kind::Lit(l) => Term::lit(*l, ty),
                    Kind::Var(i) => Term::var(*i, ty),
                    _ => return Err(unreadable.to_string()),
                })
            }
        }
    }

    /// `f x` stands at the place.
    fn app(&mut self, f: Spelled, x: Spelled, out: &Out) -> Walked {
        match out {
            Out::Plain(id) => Ok(Spelled::app(f, x, *id)),
            Out::Beta { body, x: v, inner } => {
                let lam = self.exact(Node::new(Shape::Lam([id(*body)]), f.ty()))?;
                // Its anchor does not matter: it is no node of the graph.
                let t = Spelled::app(f, x, 0);
                let t = self.inside(t, 0, |w, f| w.walk(f, lam))?;
                let t = self.ready_for_beta(t, *body, *v, inner)?;
                self.beta(t, inner)
            }
            Out::Eta { .. } | Out::Nothing => Err("the log is not readable".to_string()),
        }
    }

    /// A lambda stands at the place.
    fn lam(&mut self, t: Spelled, out: &Out) -> Walked {
        match out {
            Out::Plain(id) => Ok(t.anchored(*id)),
            Out::Eta { f, x, inner } => {
                let node = Node::new(Shape::App([id(*f), id(*x)]), t.kid(0).ty());
                let app = self.exact(node)?;
                let t = self.inside(t, 0, |w, b| w.walk(b, app))?;
                let (arg, _) = t.ty().as_fun().ok_or("no function")?;
                let var = self.exact(Node::new(Shape::Var(0), arg))?;
                let t = self.ready_for_eta(t, *f, var, inner)?;
                self.eta(t, inner)
            }
            Out::Beta { .. } | Out::Nothing => Err("the log is not readable".to_string()),
        }
    }

    /// The substituted term stands at the place; brings it to what was made of it.
    fn change(&mut self, t: &Spelled, event: &Event, change: &Change, depth: u32) -> Walked {
        match event {
            Event::Keep | Event::Leaf(_) => Ok(t.clone()),
            Event::Var(i, _) if *i < depth => Ok(t.clone()),
            Event::Var(i, _) if !matches!(t.term().kind(), Kind::Var(_)) => {
                // See Note [Variables of elsewhere].
                let new = match change {
                    Change::Rename(r) => r.apply(i - depth).map(|new| new + depth),
                    Change::Value(_) => i.checked_sub(1).filter(|_| *i != depth),
                };
                let new = new.ok_or("a variable is lost")?;
                let anchor = self.exact(Node::new(Shape::Var(new), t.ty()))?;
                Ok(t.anchored(anchor))
            }
            Event::Var(i, moved) => match change {
                Change::Rename(r) => {
                    let new = r.apply(i - depth).ok_or("a variable is lost")?;
                    self.leaf(Term::var(new + depth, t.ty()))
                }
                Change::Value(v) if *i == depth => match moved {
                    None => Ok((*v).clone()),
                    Some(event) => {
                        let shift = Renaming::shift(depth as i32);
                        self.change(v, event, &Change::Rename(&shift), 0)
                    }
                },
                Change::Value(_) => self.leaf(Term::var(i - 1, t.ty())),
            },
            Event::Node(_, kids, out) => {
                let below = depth + u32::from(kids.len() == 1);
                let mut new = Vec::new();
                for (i, kid) in kids.iter().enumerate() {
                    let bound = bound(t.term());
                    let k = self.at(i as u8, bound, |w| w.change(t.kid(i), kid, change, below));
                    new.push(k?);
                }
                let mut new = new.into_iter();
                match (t.term().kind(), new.next(), new.next()) {
                    (Kind::Lam(hint, _), Some(b), None) => {
                        let (arg, _) = t.ty().as_fun().ok_or("no function")?;
                        self.lam(Spelled::lam(*hint, arg, b, 0), out)
                    }
                    (_, Some(f), Some(x)) => self.app(f, x, out),
                    _ => Err("the log is not readable".to_string()),
                }
            }
        }
    }

    /// A function on lanes.
    fn widened(&mut self, t: &Spelled, lanes: &Lanes) -> Walked {
        match lanes {
            Lanes::Splat(made) => {
                let splat = self.forest.node(*made).operands()[0];
                let splat = self.spell(raw(splat))?;
                let app = Term::app(splat.term().clone(), t.term().clone());
                Ok(Spelled::new(app, *made, [splat, t.clone()]))
            }
            Lanes::Node(_, kids, made) => {
                let ty = self.forest.node(*made).ty;
                let mut new = Vec::new();
                for (i, kid) in kids.iter().enumerate() {
                    new.push(self.widened(t.kid(i), kid)?);
                }
                Ok(match (t.term().kind(), &new[..]) {
                    (Kind::Lam(hint, _), [b]) => {
                        let (arg, _) = ty.as_fun().ok_or("no function")?;
                        Spelled::lam(*hint, arg, b.clone(), *made)
                    }
                    (Kind::App(..), [f, x]) => Spelled::app(f.clone(), x.clone(), *made),
                    (Kind::Var(i), []) => Spelled::leaf(Term::var(*i, ty), *made),
                    (Kind::Prim(p), []) => Spelled::leaf(Term::prim(*p, ty), *made),
                    _ => return Err("the log is not readable".to_string()),
                })
            }
        }
    }

    /// The variables in scope for a term that stands here in renamed form.
    fn scope_before(&self, renaming: &Renaming) -> Vec<Ty> {
        let here = self.scope.len();
        let most = here + renaming.names.len() + renaming.delta.unsigned_abs() as usize;
        let ty = |i: usize| {
            let j = renaming.apply(i as u32)? as usize;
            here.checked_sub(1 + j).map(|at| self.scope[at])
        };
        // No variable has an unknown type.
        let none = Ty::meta(0);
        (0..most).rev().map(|i| ty(i).unwrap_or(none)).collect()
    }

    /// `follow` for a term that stands at the place in renamed form: the steps are
    /// those of the term, renamed.
    fn follow_moved(
        &mut self,
        t: Spelled,
        class: u32,
        event: &Event,
        renaming: &Renaming,
    ) -> Walked {
        let place = self.place.len();
        let outside = std::mem::take(&mut self.steps);
        let scope = self.scope_before(renaming);
        let scope = std::mem::replace(&mut self.scope, scope);
        let mut whole = t.term().clone();
        let class = if class == u32::MAX { t.anchor() } else { class };
        let followed = self.follow(t, class, event, 0);
        self.scope = scope;
        let inside = std::mem::replace(&mut self.steps, outside);
        for step in inside {
            let at = &step.at[place..];
            let depth = binders(&whole, at);
            let after = put(&whole, at, &step.to);
            let renamed = |t: &Term| {
                t.map_free(&mut |i, ty| match i.checked_sub(depth) {
                    Some(j) => Term::var(renaming.apply(j).map_or(i, |j| j + depth), ty),
                    None => Term::var(i, ty),
                })
            };
            self.steps.push(Step {
                from: renamed(&step.from),
                to: renamed(&step.to),
                ..step
            });
            whole = after.ok_or("a place is not there")?;
        }
        followed
    }
}

/// How a value was moved to its places, if it was.
fn value_event(event: &Event) -> Option<Rc<Event>> {
    match event {
        Event::Keep | Event::Leaf(_) => None,
        Event::Var(_, moved) => moved.clone(),
        Event::Node(_, kids, _) => kids.iter().find_map(|k| value_event(k)),
    }
}

/// The pattern variables of a right side in the order of building.
fn holes_of(t: &Term, out: &mut Vec<usize>) {
    match t.kind() {
        Kind::Hole(h) => out.push(*h as usize),
        Kind::App(f, x) => {
            holes_of(f, out);
            holes_of(x, out);
        }
        Kind::Lam(_, b) => holes_of(b, out),
        _ => {}
    }
}
