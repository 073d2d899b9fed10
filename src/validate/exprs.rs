//! Scalars and vectors of a loop program, on values that are not known.
//!
//! In: expressions. Out: their lanes; what is read from buffers, with the obligation that it is there and was written.
//! Absent: statements.

use super::machine::{lane, Lanes, Machine, Read, Var};
use super::place::coordinates;
use super::tiles::read;
use super::value::{Node, Res, Values, V};
use super::{Obligation, Stuck};
use crate::arith::{Atom, AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{BufId, Expr, ExprKind, StorageClass};
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use smallvec::SmallVec;
use std::rc::Rc;

impl Machine<'_> {
    /// An index in the names of the validator.
    pub fn nat(&mut self, n: Nat) -> Res<Nat> {
        let mut missing = None;
        let mut vars: SmallVec<[(Symbol, Nat); 8]> = SmallVec::new();
        let mut names: SmallVec<[Symbol; 8]> = SmallVec::new();
        n.each_atom(&mut |a| {
            if let AtomKind::Var(s) = a.kind() {
                names.push(s);
            }
        });
        for s in names {
            let to = if let Some(n) = self.names.get(&s) {
                *n
            } else if let Some(v) = self.vars.get(&s) {
                match v.value.clone() {
                    Some(Lanes::Each(v)) => self.cx.nat(v),
                    Some(Lanes::Bad(why)) => return Err(why),
                    _ => {
                        missing = Some(s);
                        continue;
                    }
                }
            } else if self.nest.abi.sizes.contains(&s) {
                continue;
            } else {
                missing = Some(s);
                continue;
            };
            vars.push((s, to));
        }
        if let Some(s) = missing {
            return Err(Stuck::new(format!("`{s}` has no value here")));
        }
        let find = |s: Symbol| vars.iter().find(|v| v.0 == s).map(|v| v.1);
        let n = match vars.is_empty() {
            true => n,
            false => n.subst_vars(&mut { find }),
        };
        match n.is_overflow() {
            true => Err(Stuck::new("an index is too large to reason about")),
            false => Ok(self.cx.simplify(n)),
        }
    }

    pub fn scalar(&mut self, e: &Expr) -> Res<V> {
        match self.lanes(e)? {
            Lanes::Each(v) => Ok(v),
            Lanes::All(vs) if vs.len() == 1 => Ok(vs[0]),
            Lanes::All(_) => Err(Stuck::new("a vector where a scalar should stand")),
            Lanes::Bad(why) => Err(why),
        }
    }

    pub fn lanes(&mut self, e: &Expr) -> Res<Lanes> {
        self.cx.spend(1)?;
        let shape = e.shape();
        Ok(match e.kind() {
            ExprKind::Lit(l) => {
                let l = match l {
                    Lit::Size(n) => Lit::Size(self.nat(*n)?),
                    l => *l,
                };
                Lanes::Each(self.cx.lit(l, shape.elem))
            }
            ExprKind::Index(n) => {
                let n = self.nat(*n)?;
                Lanes::Each(self.cx.index(n))
            }
            ExprKind::Var(v) => match self.vars.get(v) {
                Some(Var {
                    value: Some(x),
                    lanes,
                    ..
                }) if *lanes == shape.lanes => {
                    let x = x.clone();
                    self.assigned_before(*v, &x);
                    x
                }
                Some(_) => return Err(Stuck::new(format!("`{v}` is read before it is assigned"))),
                // An index may be read as a value.
                None => match self.names.get(v) {
                    Some(n) if shape.lanes == 1 => Lanes::Each(self.cx.index(*n)),
                    _ => return Err(Stuck::new(format!("`{v}` is read outside of its block"))),
                },
            },
            ExprKind::Load(b, n) => {
                let e = self.nat(*n)?;
                self.load(*b, e, shape.lanes)?
            }
            ExprKind::Op(op, args) => self.op(*op, args, e)?,
            ExprKind::Cast(a) => {
                let (from, to) = (a.shape().elem, shape.elem);
                let a = self.lanes(a)?;
                self.lanewise(shape.lanes, &[a], &mut |cx, v| Ok(cx.cast(v[0], from, to)))?
            }
            ExprKind::Clamp(a, n) => {
                let n = self.nat(*n)?;
                let a = self.lanes(a)?;
                self.lanewise(shape.lanes, &[a], &mut |cx, v| Ok(cx.clamp(v[0], n)))?
            }
            ExprKind::Splat(a) => Lanes::Each(self.scalar(a)?),
            ExprKind::Lane(a, i) => {
                let n = a.shape().lanes;
                match self.lanes(a)? {
                    Lanes::Bad(why) => Lanes::Bad(why),
                    Lanes::All(vs) => Lanes::Each(vs[*i as usize]),
                    Lanes::Each(v) => Lanes::Each(self.lane_of(v, n, *i)?),
                }
            }
            ExprKind::Build(parts) => {
                let mut all = Vec::new();
                for p in parts {
                    all.push(self.scalar(p)?);
                }
                self.of_lanes(all)?
            }
            ExprKind::Pick(..) => return Err(Stuck::new("a lane is picked by an index")),
        })
    }

    pub fn lane_of(&mut self, v: V, lanes: u32, i: u32) -> Res<V> {
        match lane(&mut self.cx, lanes).as_atom().map(Atom::kind) {
            Some(AtomKind::Var(own)) if lanes > 1 => self.cx.with(v, own, Nat::int(i.into())),
            _ => Ok(v),
        }
    }

    /// Lanes that are one expression of the lane, as it is guessed from two of them; or each as it is.
    fn of_lanes(&mut self, all: Vec<V>) -> Res<Lanes> {
        let l = lane(&mut self.cx, all.len() as u32);
        let Some(AtomKind::Var(own)) = l.as_atom().map(Atom::kind) else {
            return Ok(Lanes::All(Rc::new(all)));
        };
        Ok(match self.cx.one_of_all(&all, own)? {
            Some(each) => Lanes::Each(each),
            None => Lanes::All(Rc::new(all)),
        })
    }

    fn op(&mut self, op: Op, args: &[Expr], e: &Expr) -> Res<Lanes> {
        let shape = e.shape();
        // What is not asked for is not computed: there may be no such element.
        let first_is_scalar = args.first().is_some_and(|c| c.shape().lanes == 1);
        let lazy = match op {
            Op::And | Op::Or => shape.lanes == 1,
            Op::Select => first_is_scalar,
            _ => false,
        };
        if lazy {
            return self.lazily(op, args, shape.lanes, shape.elem);
        }
        let mut values = Vec::new();
        for a in args {
            values.push(self.lanes(a)?);
        }
        let of = args.last().map_or(shape.elem, |a| a.shape().elem);
        self.lanewise(shape.lanes, &values, &mut |cx, v| {
            Ok(match op {
                Op::Bitcast => cx.make(Node::Bits(v[0], of, shape.elem)),
                _ => cx.op(op, shape.elem, v),
            })
        })
    }

    fn lazily(&mut self, op: Op, args: &[Expr], lanes: u32, elem: Scalar) -> Res<Lanes> {
        let c = self.scalar(&args[0])?;
        let mark = self.cx.known.mark();
        let mut sides = vec![Lanes::Each(c)];
        for (i, a) in args[1..].iter().enumerate() {
            let holds = match op {
                Op::And => true,
                Op::Or => false,
                _ => i == 0,
            };
            // Where it is known, the other side is not asked for.
            if self.cx.decide(c) == Some(!holds) {
                let none = self.cx.make(Node::Undef);
                sides.push(Lanes::Each(none));
                continue;
            }
            self.cx.assume(c, holds);
            let side = self.lanes(a);
            self.cx.known.restore(mark);
            sides.push(side?);
        }
        match (op, self.cx.decide(c)) {
            (Op::And, Some(false)) | (Op::Or, Some(true)) => return Ok(sides.swap_remove(0)),
            _ => {}
        }
        self.lanewise(lanes, &sides, &mut |cx, v| Ok(cx.op(op, elem, v)))
    }

    /// Lane by lane, or for all lanes at once.
    pub fn lanewise(
        &mut self,
        n: u32,
        of: &[Lanes],
        f: &mut dyn FnMut(&mut Values, &[V]) -> Res<V>,
    ) -> Res<Lanes> {
        let mut each: SmallVec<[V; 3]> = SmallVec::new();
        for x in of {
            match x {
                Lanes::Each(v) => each.push(*v),
                Lanes::Bad(why) => return Err(why.clone()),
                Lanes::All(_) => {}
            }
        }
        if each.len() == of.len() {
            return Ok(Lanes::Each(f(&mut self.cx, &each)?));
        }
        let mut all = Vec::new();
        for i in 0..n {
            let mut at: SmallVec<[V; 3]> = SmallVec::new();
            for x in of {
                at.push(self.one_lane(x, n, i)?);
            }
            all.push(f(&mut self.cx, &at)?);
        }
        Ok(Lanes::All(Rc::new(all)))
    }

    fn one_lane(&mut self, x: &Lanes, n: u32, i: u32) -> Res<V> {
        match x {
            Lanes::Each(v) => self.lane_of(*v, n, i),
            Lanes::All(vs) => {
                let v = vs.get(i as usize).copied();
                v.ok_or_else(|| Stuck::new("a lane that is not there"))
            }
            Lanes::Bad(why) => Err(why.clone()),
        }
    }

    fn load(&mut self, b: BufId, e: Nat, lanes: u32) -> Res<Lanes> {
        self.bounds(b, e, lanes);
        let root = self.nest.root(b).0;
        let at = match lanes {
            1 => e,
            n => {
                let l = lane(&mut self.cx, n);
                self.cx.simplify(e + l)
            }
        };
        let buf = &self.nest.buffers[root as usize];
        if let StorageClass::Input(slot) = buf.storage {
            return Ok(Lanes::Each(self.cx.input(slot as u32, at)));
        }
        if !self.live.contains_key(&root) {
            return Err(Stuck::new(format!(
                "`{}` is read outside of its block",
                buf.name
            )));
        }
        let key = (root, e, lanes, self.cx.known.state());
        if let Some(known) = self.loads.get(&key).cloned() {
            self.tally.met(Obligation::Written);
            return Ok(known);
        }
        let items = std::mem::take(self.memory.entry(root).or_default());
        let one = read(&mut self.cx, root, &items, at);
        // Lanes that several stores wrote are read one by one.
        let found = match one {
            Ok(v) if lanes == 1 || !self.is_choice(v, lanes) => Ok(Lanes::Each(v)),
            one if lanes > 1 => {
                let all: Res<Vec<V>> = (0..i64::from(lanes))
                    .map(|i| read(&mut self.cx, root, &items, e + Nat::int(i)))
                    .collect();
                match (all, one) {
                    (Ok(all), _) => self.of_lanes(all),
                    (Err(_), Ok(v)) => Ok(Lanes::Each(v)),
                    (Err(why), Err(_)) => Err(why),
                }
            }
            Ok(v) => Ok(Lanes::Each(v)),
            Err(why) => Err(why),
        };
        self.memory.insert(root, items);
        let found = found?;
        let name = self.nest.buffers[b.0 as usize].name;
        let place = self.place(&format!("{name}[{e}]"));
        self.written(place, values_of(&found));
        self.loads.insert(key, found.clone());
        Ok(found)
    }

    /// Something has to be written there; of states that are not known yet it is asked later.
    pub fn written(&mut self, place: Rc<str>, values: Vec<V>) {
        if values.iter().any(|v| self.cx.is_open(*v)) {
            let at = self.cx.known.snapshot(self.reads.last().map(|r| &r.at));
            let statement = self.tally.at;
            return self.reads.push(Read {
                statement,
                place,
                values,
                at,
            });
        }
        match values.iter().all(|v| self.cx.is_defined(*v)) {
            true => self.tally.met(Obligation::Written),
            false => {
                let why = Stuck::new("it may be read before it is written");
                self.tally.open(Obligation::Written, &place, why);
            }
        }
    }

    /// The same for a variable that was not assigned before the loop around.
    fn assigned_before(&mut self, name: Symbol, value: &Lanes) {
        let is =
            |n: &Node| matches!(n, Node::Cell(of, leaf, _) if self.unset.contains(&(*of, *leaf)));
        let values = values_of(value);
        if !self.unset.is_empty() && values.iter().any(|v| self.cx.any(*v, is)) {
            let place = self.place(name.as_str());
            self.written(place, values);
        }
    }

    /// Whether lanes are chosen from several values, each by its number: by a condition that the number of a lane decides. One that
    /// sizes decide, too, is as open for one lane as for all.
    fn is_choice(&mut self, v: V, lanes: u32) -> bool {
        let Some(AtomKind::Var(own)) = lane(&mut self.cx, lanes).as_atom().map(Atom::kind) else {
            return true;
        };
        let mut open = vec![v];
        while let Some(v) = open.pop() {
            let by_lane = match self.cx.node(v).clone() {
                Node::Op(Op::Select, _, args) => {
                    open.extend(&args[1..]);
                    self.cx.value_mentions(args[0], own) && self.is_decided(args[0], own, lanes)
                }
                Node::Table(n, all) => {
                    open.extend(all.iter());
                    self.cx.mentions(n, own)
                }
                _ => false,
            };
            if by_lane {
                return true;
            }
        }
        false
    }

    /// Whether a condition is decided in the first and in the last lane, and between them: where a row ends within the lanes it is in
    /// the first two of these alone.
    fn is_decided(&mut self, c: V, own: Symbol, lanes: u32) -> bool {
        let last = i64::from(lanes) - 1;
        [0, last, last / 2].into_iter().all(|l| {
            let c = self.cx.with(c, own, Nat::int(l));
            c.map_or(true, |c| self.cx.decide(c).is_some())
        })
    }

    /// Whether accesses stay inside of a buffer.
    pub fn bounds(&mut self, b: BufId, e: Nat, lanes: u32) {
        let buf = &self.nest.buffers[b.0 as usize];
        let root = &self.nest.buffers[self.nest.root(b).0 as usize];
        let dims = self.dims(self.nest.root(b).0);
        let name = buf.name;
        let met = self.inside(e, lanes, root.len, &dims);
        self.owe(Obligation::Bounds, &format!("{name}[{e}]"), met);
    }

    /// By the places in the dimensions first, of which its element is found as well.
    fn inside(&mut self, e: Nat, lanes: u32, len: Nat, dims: &[Nat]) -> Res<()> {
        let count = dims.iter().fold(Nat::int(1), |a, b| a * *b);
        let l = match lanes {
            1 => Nat::int(0),
            n => lane(&mut self.cx, n),
        };
        if dims.len() > 1 && count == len && coordinates(&mut self.cx, e + l, dims).is_some() {
            return Ok(());
        }
        let len = self.nat(len)?;
        let last = e + Nat::int(i64::from(lanes) - 1);
        let known = &self.cx.known;
        match known.at_least(e, Nat::int(0)) && known.at_least(len - Nat::int(1), last) {
            true => Ok(()),
            false => Err(Stuck::new(format!("{e} is not shown to be below {len}"))),
        }
    }
}

fn values_of(found: &Lanes) -> Vec<V> {
    match found {
        Lanes::Each(v) => vec![*v],
        Lanes::All(vs) => vs.to_vec(),
        Lanes::Bad(_) => Vec::new(),
    }
}
