//! Identities of operators: found, proved, or proved not to be there.
//!
//! In: an operator. Out: an element `e` with `op e x = x`, or `op x e = x`, for all x. Candidates are zeros, ones, the ends of
//! types, infinities, the constants and variables of the operator, and tuples of them; points take most of them away, and a
//! proof is asked for of what is left. That there is none is proved by a few x which no `e` serves.

use super::cases::Prover;
use super::dag::{Dag, Id, Leaf, What};
use super::points::{self, Number};
use super::question::{numbers_of_variables, show, Question};
use super::read::Tree;
use super::{Effort, Meaning, Method, UNDECIDED, UNREADABLE};
use crate::term::{Op, Term};
use crate::ty::Scalar;

/// What is known of an identity on one side.
#[derive(Clone, Debug)]
pub enum Identity {
    /// There is this one.
    Proved(String, Method),
    /// There is none.
    Refuted,
    /// Neither is known.
    Unknown(&'static str),
}

impl Identity {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Identity::Proved(..) => "proved",
            Identity::Refuted => "refuted",
            Identity::Unknown(_) => "unknown",
        }
    }
}

/// Tuples of candidates that are tried at points, and those of which a proof is tried.
const MOST_TUPLES: usize = 4_000;
const MOST_PROOFS: usize = 4;
/// Points at which equations are tried before it is to be proved that nothing satisfies them.
const TRIED: u32 = 80;

impl Question {
    pub fn identity(&mut self, left: bool, meaning: Meaning, effort: Effort) -> Identity {
        let found = self.search_identity(left, meaning, effort);
        found.unwrap_or(Identity::Unknown(UNREADABLE))
    }

    fn search_identity(
        &mut self,
        left: bool,
        meaning: Meaning,
        effort: Effort,
    ) -> Option<Identity> {
        let ty = self.ty;
        let (e, x) = (self.reader.fresh(ty)?, self.reader.fresh(ty)?);
        let result = if left {
            self.call(&e, &x)?
        } else {
            self.call(&x, &e)?
        };
        let pairs: Vec<(Id, Id)> = result.leaves()?.into_iter().zip(x.leaves()?).collect();
        let leaves = e.leaves()?;
        let mut choices = Vec::new();
        for id in &leaves {
            choices.push(self.candidates(*id, &result.leaves()?, meaning, leaves.len())?);
        }
        let count = choices
            .iter()
            .try_fold(1usize, |n, c| n.checked_mul(c.len()));
        let count = count.unwrap_or(usize::MAX).min(MOST_TUPLES);
        let square = self.of_a_diagonal(&leaves, meaning)?;
        let mut proofs = 0;
        let tester = points::Tester::new(&self.reader.dag, meaning, &pairs);
        let mut fitting: Vec<Vec<Id>> = Vec::new();
        let many = square.len();
        for mut i in 0..count + many {
            let mut tuple = Vec::new();
            match i.checked_sub(many) {
                None => tuple.clone_from(&square[i]),
                Some(rest) => {
                    i = rest;
                    for c in &choices {
                        tuple.push(c[i % c.len()]);
                        i /= c.len();
                    }
                }
            }
            if tester.agrees(&leaves, &tuple) {
                fitting.push(tuple);
            }
            if fitting.len() >= MOST_PROOFS {
                break;
            }
        }
        let infinite = |id: &Id| {
            let node = self.reader.dag.node(*id);
            matches!(node.what, What::Const(c) if node.ty.is_float() && f64::from_bits(c as u64).is_infinite())
        };
        let may_be_infinite = fitting.iter().flatten().any(infinite);
        for tuple in fitting {
            proofs += 1;
            if proofs > MOST_PROOFS {
                break;
            }
            let ids = tuple.clone();
            let mut next = ids.iter();
            let given = self.reader.build(ty, &mut |_, _| next.next().copied())?;
            if let Some(method) = self.prove_identity(&given, left, meaning, effort) {
                let values = points::values(&self.reader.dag, meaning, &tuple, &[]);
                let names = tuple.iter().map(|id| self.free_name(*id));
                return Some(Identity::Proved(
                    self.shown(values, names.collect()),
                    method,
                ));
            }
        }
        let place = |id: Id| match self.reader.dag.node(id).what {
            What::Leaf(i) => Some(i as usize),
            _ => None,
        };
        if let ([pair], [e], [x]) = (&pairs[..], &leaves[..], &x.leaves()?[..]) {
            let (e, x) = (place(*e)?, place(*x)?);
            match points::one_for_all(&self.reader.dag, meaning, *pair, e, x) {
                Some(Some(n)) => return Some(Identity::Proved(n.to_string(), Method::Values)),
                Some(None) => return Some(Identity::Refuted),
                None => {}
            }
        }
        match self.has_none(left, meaning, effort) {
            Some(true) if !may_be_infinite => Some(Identity::Refuted),
            _ => Some(Identity::Unknown(UNDECIDED)),
        }
    }

    /// Of what may be a matrix of more numbers than all tuples are tried of: one number on the diagonal, one elsewhere.
    fn of_a_diagonal(&mut self, leaves: &[Id], meaning: Meaning) -> Option<Vec<Vec<Id>>> {
        let n = (3..=4).find(|n| n * n == leaves.len());
        let ty = self.reader.dag.node(leaves[0]).ty;
        let alike = leaves.iter().all(|id| self.reader.dag.node(*id).ty == ty);
        let Some(n) = n.filter(|_| alike) else {
            return Some(Vec::new());
        };
        let leaf = Leaf { ty, index: false };
        let all = simple(&mut self.reader.dag, leaf, meaning, false)?;
        let at = |i: usize, on: Id, off: Id| if i % n == i / n { on } else { off };
        let matrix = |on: Id, off: Id| (0..n * n).map(|i| at(i, on, off)).collect();
        let pairs = all.iter().flat_map(|on| all.iter().map(|off| (*on, *off)));
        Some(pairs.map(|(on, off)| matrix(on, off)).collect())
    }

    /// The values of an identity, or the names of the variables that stand there.
    fn shown(&self, values: Vec<Option<Number>>, names: Vec<Option<String>>) -> String {
        if let ([Some(name)], 1) = (&names[..], values.len()) {
            return name.clone();
        }
        show(self.ty, &mut values.into_iter())
    }

    fn free_name(&self, id: Id) -> Option<String> {
        let of = self.free.iter().find(|f| f.2 == [id]);
        of.map(|f| f.0.clone())
    }

    /// Whether a term is proved to be an identity on both sides.
    pub fn has_identity(&mut self, e: &Term, meaning: Meaning, effort: Effort) -> bool {
        if e.open() > 0 || e.ty() != self.ty {
            return false;
        }
        let Some(e) = self.reader.eval(e, &[]) else {
            return false;
        };
        let mut side = |left| self.prove_identity(&e, left, meaning, effort).is_some();
        side(true) && side(false)
    }

    fn prove_identity(
        &mut self,
        e: &Tree,
        left: bool,
        meaning: Meaning,
        effort: Effort,
    ) -> Option<Method> {
        let x = self.reader.fresh(self.ty)?;
        let result = if left {
            self.call(e, &x)?
        } else {
            self.call(&x, e)?
        };
        let pairs: Vec<(Id, Id)> = result.leaves()?.into_iter().zip(x.leaves()?).collect();
        if pairs.len() != x.leaves()?.len() || !self.finite_at_points(&pairs, e, &x, meaning)? {
            return None;
        }
        self.proved(&pairs, meaning, effort)
    }

    /// Over reals an identity may be infinite; then the machine has to compute numbers with it, too. And what begins with an
    /// identity may meet another one, of which nothing but itself may come: not `0/0`.
    fn finite_at_points(
        &self,
        pairs: &[(Id, Id)],
        e: &Tree,
        x: &Tree,
        meaning: Meaning,
    ) -> Option<bool> {
        if meaning.strict_floats() {
            return Some(true);
        }
        let tester = points::Tester::new(&self.reader.dag, Meaning::Machine, pairs);
        let (e, x) = (e.leaves()?, x.leaves()?);
        if !tester.keeps(&x, &e) {
            return Some(false);
        }
        let infinite = |id: &Id| self.reader.dag.is_infinite(*id);
        Some(!e.iter().any(infinite) || tester.close(&x))
    }

    /// What may stand at a leaf of an identity.
    fn candidates(
        &mut self,
        leaf: Id,
        of: &[Id],
        meaning: Meaning,
        leaves: usize,
    ) -> Option<Vec<Id>> {
        let s = self.reader.dag.node(leaf).ty;
        let What::Leaf(number) = self.reader.dag.node(leaf).what else {
            return None;
        };
        let index = self.reader.dag.leaves[number as usize].index;
        let free: Vec<Id> = (self.free.iter().flat_map(|f| f.2.clone()))
            .filter(|id| self.reader.dag.node(*id).ty == s)
            .collect();
        let constants: Vec<Id> = (self.reader.dag.cone(of).into_iter())
            .filter(|id| {
                let n = self.reader.dag.node(*id);
                n.ty == s && matches!(n.what, What::Const(_))
            })
            .collect();
        let dag = &mut self.reader.dag;
        let mut all = simple(dag, Leaf { ty: s, index }, meaning, leaves > 6)?;
        if leaves <= 6 {
            if meaning.wraps() && s.is_int() && leaves <= 2 {
                let ends = |dag: &mut Dag, c: i128| {
                    let (least, most) = s.bounds();
                    let wrapped = |n: i128| (n - least).rem_euclid(most - least + 1) + least;
                    [c + least, c - least, c + most, c - most].map(|n| dag.int(wrapped(n), s))
                };
                for c in &constants {
                    if let What::Const(c) = dag.node(*c).what {
                        all.extend(ends(dag, c).into_iter().flatten());
                    }
                }
            }
            for c in &constants {
                all.extend(inverses(dag, *c, meaning));
            }
            all.extend(constants.into_iter().chain(free));
        }
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|id| seen.insert(*id));
        Some(all)
    }

    /// Whether there is none: whatever its variables are, or where they are some numbers.
    fn has_none(&mut self, left: bool, meaning: Meaning, effort: Effort) -> Option<bool> {
        if self.serves_none(left, meaning, effort)? {
            return Some(true);
        }
        if self.free.is_empty() {
            return Some(false);
        }
        for n in [0, 1, -2] {
            let Some(function) = self.where_variables_are(n) else {
                continue;
            };
            let any = std::mem::replace(&mut self.function, function);
            let none = self.serves_none(left, meaning, effort);
            self.function = any;
            if none == Some(true) {
                return none;
            }
        }
        Some(false)
    }

    /// The operator where each number of its variables is this one; unsigned ones what it is without its sign.
    fn where_variables_are(&mut self, n: i128) -> Option<Tree> {
        let numbers = numbers_of_variables(&self.op);
        let mut env = vec![Tree::Array(std::rc::Rc::new(Vec::new())); self.op.open() as usize];
        for (number, (_, ty, _)) in numbers.into_iter().zip(self.free.clone()) {
            env[number as usize] = self.reader.build(ty, &mut |dag, leaf| match leaf.ty {
                _ if leaf.index => dag.int(0, leaf.ty),
                Scalar::Bool => dag.int(n & 1, leaf.ty),
                s if s.is_float() => dag.float(n as f64, s),
                s if s.is_signed() => dag.int(n, s),
                s => dag.int(n.abs(), s),
            })?;
        }
        env.reverse();
        let op = self.op.clone();
        self.reader.eval(&op, &env)
    }

    /// Whether a few elements have no identity in common: constants, what lies beside the operator's own, and, as `e` may
    /// lie beyond all of them, what is computed of `e`.
    fn serves_none(&mut self, left: bool, meaning: Meaning, effort: Effort) -> Option<bool> {
        let ty = self.ty;
        let e = self.reader.fresh(ty)?;
        let ids = e.leaves()?;
        let mut tries = self.constant_elements(&ids, meaning)?;
        if let Some(more) = self.computed_elements(&e, &ids, left, meaning) {
            tries.extend(more);
        }
        let (mut groups, mut equations) = (Vec::new(), Vec::new());
        for ids in tries {
            let mut next = ids.iter();
            let x = self.reader.build(ty, &mut |_, _| next.next().copied())?;
            let result = if left {
                self.call(&e, &x)?
            } else {
                self.call(&x, &e)?
            };
            let these = result.leaves()?.into_iter().zip(x.leaves()?);
            let these: Vec<(Id, Id)> = these.filter(|p| p.0 != p.1).collect();
            // Over reals what has no value is left out, whatever `e` is.
            let reals = !meaning.strict_floats();
            if reals && !points::exist(&self.reader.dag, meaning, &these, TRIED) {
                continue;
            }
            groups.push(these.clone());
            equations.extend(these);
        }
        let few = effort.cases.min(1_000);
        // What some values satisfy takes most of the cases, and is no proof.
        let never = |equations: &[(Id, Id)]| {
            let dag = &self.reader.dag;
            !equations.is_empty()
                && !points::agree(dag, meaning, equations, TRIED)
                && Prover::new(dag, meaning, few).never(equations)
        };
        Some(groups.iter().any(|g| never(g)) || never(&equations))
    }

    fn constant_elements(&mut self, ids: &[Id], meaning: Meaning) -> Option<Vec<Vec<Id>>> {
        const ROWS: [[i128; 4]; 6] = [
            [0, 0, 0, 0],
            [1, 0, 2, 0],
            [0, 1, 0, 3],
            [5, -3, 2, 7],
            [1, 1, 1, 1],
            [100, -100, 0, 50],
        ];
        let dag = &mut self.reader.dag;
        let mut tries = Vec::new();
        for row in ROWS {
            let mut one = |(i, id): (usize, &Id)| {
                let s = dag.node(*id).ty;
                match (s, row[i % 4]) {
                    (Scalar::Bool, n) => dag.int(n & 1, s),
                    (s, n) if s.is_float() => dag.float(n as f64, s),
                    (s, n) if s.is_signed() => dag.int(n, s),
                    (s, n) => dag.int(n.abs(), s),
                }
            };
            tries.push(
                ids.iter()
                    .enumerate()
                    .map(&mut one)
                    .collect::<Option<_>>()?,
            );
        }
        let ends: &[fn(Scalar) -> i128] = &[|s| s.bounds().0, |s| s.bounds().1];
        let floats = [f64::NAN, f64::NEG_INFINITY];
        if meaning.wraps() {
            for (end, float) in ends.iter().zip(floats) {
                let mut one = |id: &Id| match dag.node(*id).ty {
                    s if s.is_float() && meaning.strict_floats() => dag.float(float, s),
                    s if s.is_float() => dag.float(1.0, s),
                    s => dag.int(end(s), s),
                };
                tries.push(ids.iter().map(&mut one).collect::<Option<_>>()?);
            }
        }
        Some(tries)
    }

    fn computed_elements(
        &mut self,
        e: &Tree,
        ids: &[Id],
        left: bool,
        meaning: Meaning,
    ) -> Option<Vec<Vec<Id>>> {
        let index = |r: &super::read::Reader, id: &Id| match r.dag.node(*id).what {
            What::Leaf(n) => r.dag.leaves[n as usize].index,
            _ => false,
        };
        // What lies beside an index may be none.
        if ids.iter().any(|id| index(&self.reader, id)) {
            return None;
        }
        let mut bases = vec![ids.to_vec()];
        // Without bounds, what is subtracted from a number that is not negative may be: no operand of an unsigned type.
        let natural = ids.iter().any(|id| {
            let s = self.reader.dag.node(*id).ty;
            s.is_int() && !s.is_signed() && !meaning.wraps()
        });
        let zeros: Vec<Id> = ids
            .iter()
            .map(|id| self.same_kind(*id, 0))
            .collect::<Option<_>>()?;
        let twice: Vec<Id> = ids
            .iter()
            .map(|id| self.minus_twice(*id))
            .collect::<Option<_>>()?;
        let mut read = ids.to_vec();
        for start in [zeros, ids.to_vec(), twice] {
            let mut next = start.iter();
            let y = self
                .reader
                .build(self.ty, &mut |_, _| next.next().copied())?;
            let result = if left {
                self.call(e, &y)?
            } else {
                self.call(&y, e)?
            };
            let result = result.leaves()?;
            read.extend(&result);
            if !natural {
                bases.push(result);
            }
        }
        let constants: Vec<Id> = (self.reader.dag.cone(&read).into_iter())
            .filter(|id| matches!(self.reader.dag.node(*id).what, What::Const(_)))
            .collect();
        let own: Vec<Id> = self.free.iter().flat_map(|f| f.2.clone()).collect();
        for c in own.into_iter().chain(constants).take(6) {
            let ty = self.reader.dag.node(c).ty;
            let fits = |id: &Id| match self.reader.dag.node(*id).ty == ty {
                true => c,
                false => *id,
            };
            bases.push(ids.iter().map(fits).collect());
        }
        let mut tries = Vec::new();
        for base in bases {
            let beside: &[Op] = match natural {
                true => &[Op::Add],
                false => &[Op::Add, Op::Sub],
            };
            for op in beside {
                tries.push(
                    base.iter()
                        .map(|id| self.beside(*id, *op))
                        .collect::<Option<_>>()?,
                );
            }
        }
        Some(tries)
    }

    fn same_kind(&mut self, id: Id, n: i128) -> Option<Id> {
        let s = self.reader.dag.node(id).ty;
        match s.is_float() {
            true => self.reader.dag.float(n as f64, s),
            false => self.reader.dag.int(n, s),
        }
    }

    fn beside(&mut self, id: Id, op: Op) -> Option<Id> {
        let s = self.reader.dag.node(id).ty;
        if s == Scalar::Bool {
            return self.reader.dag.apply(Op::Not, &[id], s);
        }
        let one = self.same_kind(id, 1)?;
        self.reader.dag.apply(op, &[id, one], s)
    }

    fn minus_twice(&mut self, id: Id) -> Option<Id> {
        let s = self.reader.dag.node(id).ty;
        if s == Scalar::Bool {
            return self.reader.dag.apply(Op::Not, &[id], s);
        }
        let two = self.same_kind(id, 2)?;
        let twice = self.reader.dag.apply(Op::Mul, &[id, two], s)?;
        self.reader.dag.apply(Op::Neg, &[twice], s)
    }
}

/// What takes a constant away that is added, and one that is a factor.
fn inverses(dag: &mut Dag, id: Id, meaning: Meaning) -> Vec<Id> {
    let node = dag.node(id);
    let (What::Const(c), s) = (node.what, node.ty) else {
        return Vec::new();
    };
    if s.is_float() {
        let x = f64::from_bits(c as u64);
        let all = [-x, 1.0 / x].into_iter().filter(|x| x.is_finite());
        return all.filter_map(|x| dag.float(x, s)).collect();
    }
    let (least, most) = s.bounds();
    let negative = match meaning.wraps() {
        true => (-c - least).rem_euclid(most - least + 1) + least,
        false => -c,
    };
    let fits = (least..=most).contains(&negative);
    Vec::from_iter(fits.then(|| dag.int(negative, s)).flatten())
}

/// The candidates that every operator has.
fn simple(dag: &mut Dag, leaf: Leaf, meaning: Meaning, few: bool) -> Option<Vec<Id>> {
    let s = leaf.ty;
    if leaf.index {
        return Some(vec![dag.int(0, s)?]);
    }
    if s == Scalar::Bool {
        return Some(vec![dag.int(0, s)?, dag.int(1, s)?]);
    }
    if s.is_float() {
        let mut all = vec![0.0, 1.0];
        if !few {
            all.extend([f64::INFINITY, f64::NEG_INFINITY, -1.0]);
            if meaning.strict_floats() {
                all.push(-0.0);
            }
        }
        return all.into_iter().map(|x| dag.float(x, s)).collect();
    }
    let (least, most) = s.bounds();
    let mut all = vec![0, 1];
    if !few {
        if meaning.wraps() {
            all.extend([most, least]);
        }
        all.push(-1);
    }
    all.retain(|n| (least..=most).contains(n));
    all.into_iter().map(|n| dag.int(n, s)).collect()
}
