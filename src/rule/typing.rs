//! Types and sizes of a match: from evidence to instances, cached.
//!
//! Whether a rule fires, as far as types and sizes decide it, and the types of
//! everything on its right side depend only on the types that were matched.
//! They are computed once for each combination and then looked up. Unknowns
//! that stand in sums or products are solved after all others are known.

use super::condition::SizeCondition;
use crate::arith::Nat;
use crate::egraph::Evidence;
use crate::obligation::{self, Assumption};
use crate::term::{Class, Lit, Prim, Term};
use crate::ty::{Ty, TyKind, TySubst};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a rule's right side needs of types: one entry for each node it makes.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Types of the nodes of the right side.
    pub tys: Vec<Ty>,
    /// Primitives of the right side.
    pub prims: Vec<Prim>,
    /// Literals of the right side.
    pub lits: Vec<Lit>,
    /// Sizes that side conditions need.
    pub nats: Vec<Nat>,
    /// Operands of side conditions, holes among their leaves.
    pub operands: Vec<Term>,
    /// What must be whole and not negative, beyond the sizes of what is matched; of an instance, what of this is
    /// not decided.
    pub obliged: Vec<Nat>,
}

/// The right side's needs at one combination of types.
pub type Instance = Wanted;

/// Number of an [`Instance`].
pub type InstanceId = u32;

/// Why types and sizes refuse a match.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// They do not fit, or a side condition on them does not hold.
    Unfit,
    /// The right side would be nested more deeply than allowed.
    Nesting,
}

const UNFIT: InstanceId = InstanceId::MAX;
const NESTED: InstanceId = InstanceId::MAX - 1;
/// Sizes that are remembered because they do not divide.
const MOST_INDIVISIBLE: usize = 16;

/// The key: ids of the evidence.
pub type Key = SmallVec<[u32; 8]>;

/// The instances of one rule.
#[derive(Clone, Debug)]
pub struct Typing {
    evidence: Vec<Evidence>,
    given: Vec<Nat>,
    classes: Vec<Option<Class>>,
    conditions: Vec<SizeCondition>,
    wanted: Wanted,
    nesting: u32,
    known: FxHashMap<Key, InstanceId>,
    instances: Vec<Instance>,
    /// If set, all that a match may oblige to.
    permitted: Option<Vec<Assumption>>,
    /// `(k, n)` for matches that were refused because k does not divide n, each once.
    indivisible: Vec<(Nat, Nat)>,
}

impl Typing {
    /// `given` are the explicit sizes: unknown sizes 0, 1, ….
    pub fn new(
        evidence: Vec<Evidence>,
        given: Vec<Nat>,
        classes: Vec<Option<Class>>,
        conditions: Vec<SizeCondition>,
        wanted: Wanted,
        nesting: u32,
    ) -> Typing {
        Typing {
            evidence,
            given,
            classes,
            conditions,
            wanted,
            nesting,
            known: FxHashMap::default(),
            instances: Vec::new(),
            permitted: None,
            indivisible: Vec::new(),
        }
    }

    /// Sizes `(k, n)` where a match was refused because k does not divide n.
    pub fn indivisible(&self) -> &[(Nat, Nat)] {
        &self.indivisible
    }

    /// Whether a match may oblige to something of sizes that the sizes of what it matches do not.
    pub fn may_oblige(&self) -> bool {
        !self.wanted.obliged.is_empty()
    }

    /// From now on matches that oblige to more than what follows from these are refused.
    pub fn permit(&mut self, all: &[Assumption]) {
        self.permitted = Some(all.to_vec());
    }

    /// What all instances so far oblige to and is not decided.
    pub fn obliged(&self) -> impl Iterator<Item = Nat> + '_ {
        self.instances
            .iter()
            .flat_map(|i| i.obliged.iter().copied())
    }

    /// What is looked at, in the order of the key.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// An instance.
    pub fn get(&self, id: InstanceId) -> &Instance {
        &self.instances[id as usize]
    }

    /// The instance for a key, unless types, sizes or side conditions on them
    /// refuse.
    pub fn instance(&mut self, key: &Key) -> Result<InstanceId, Refusal> {
        let known = self.known.get(key).copied();
        let id = known.unwrap_or_else(|| {
            let id = match self.instantiate(key) {
                Ok(instance) => {
                    self.instances.push(instance);
                    self.instances.len() as InstanceId - 1
                }
                Err(Refusal::Unfit) => UNFIT,
                Err(Refusal::Nesting) => NESTED,
            };
            self.known.insert(key.clone(), id);
            id
        });
        match id {
            UNFIT => Err(Refusal::Unfit),
            NESTED => Err(Refusal::Nesting),
            id => Ok(id),
        }
    }

    /// What the unknowns stand for in an instance.
    pub fn substitution(&self, id: InstanceId) -> Option<TySubst> {
        let key = self.known.iter().find(|k| *k.1 == id)?.0;
        self.unify(key)
    }

    fn instantiate(&mut self, key: &Key) -> Result<Instance, Refusal> {
        let subst = self.unify(key).ok_or(Refusal::Unfit)?;
        for (i, class) in self.classes.iter().enumerate() {
            if let (Some(class), Some(ty)) = (class, subst.tys.get(&(i as u32))) {
                if !class.admits(*ty) {
                    return Err(Refusal::Unfit);
                }
            }
        }
        for condition in &self.conditions {
            if condition.holds(&subst) {
                continue;
            }
            if let SizeCondition::Divides(k, n) = condition {
                let pair = (subst.nat(*k), subst.nat(*n));
                if !self.indivisible.contains(&pair) && self.indivisible.len() < MOST_INDIVISIBLE {
                    self.indivisible.push(pair);
                }
            }
            return Err(Refusal::Unfit);
        }
        let mut obliged: Vec<Nat> = (self.wanted.obliged.iter())
            .map(|n| subst.nat(*n))
            .collect();
        let open = obligation::missing(&[], &obliged);
        if obligation::contradiction(&open).is_some() {
            return Err(Refusal::Unfit);
        }
        if open.is_empty() {
            obliged.clear();
        }
        let more = |all: &Vec<Assumption>| !obligation::missing(all, &obliged).is_empty();
        if self.permitted.as_ref().is_some_and(more) {
            return Err(Refusal::Unfit);
        }
        // Nodes of one right side share most parts of their types.
        let mut known = FxHashMap::default();
        let tys: Vec<Ty> = (self.wanted.tys.iter())
            .map(|t| subst.ty_known(*t, &mut known))
            .collect();
        if tys.iter().any(|t| t.has_meta() || t.is_never()) {
            return Err(Refusal::Unfit);
        }
        if tys.iter().any(|t| t.nesting() > self.nesting) {
            return Err(Refusal::Nesting);
        }
        let lit = |l: &Lit| match l {
            Lit::Size(n) => Lit::Size(subst.nat(*n)),
            l => *l,
        };
        Ok(Instance {
            tys,
            prims: (self.wanted.prims.iter())
                .map(|p| p.map_nats(&mut |n| subst.nat(n)))
                .collect(),
            lits: self.wanted.lits.iter().map(lit).collect(),
            nats: self.wanted.nats.iter().map(|n| subst.nat(*n)).collect(),
            operands: (self.wanted.operands.iter())
                .map(|t| t.map_types(&mut |t| subst.ty(t), &mut |n| subst.nat(n)))
                .collect(),
            obliged,
        })
    }

    fn unify(&self, key: &Key) -> Option<TySubst> {
        let mut unifier = Unifier::default();
        for (i, n) in self.given.iter().enumerate() {
            unifier.give(i as u32, *n);
        }
        for (evidence, &id) in self.evidence.iter().zip(key) {
            match evidence {
                Evidence::Type(_, pattern) => unifier.ty(*pattern, Ty::from_id(id))?,
                Evidence::Prim(_, pattern) => {
                    let found = Prim::from_id(id);
                    for (p, n) in pattern.sizes().into_iter().zip(found.sizes()) {
                        unifier.nat(p, n)?;
                    }
                }
            }
        }
        unifier.finish()
    }
}

/// One-sided matching: unknowns stand on the left only.
#[derive(Default)]
pub struct Unifier {
    subst: TySubst,
    /// Sums and products with unknowns, for later.
    deferred: Vec<(Nat, Nat)>,
}

impl Unifier {
    /// Matches a type.
    pub fn ty(&mut self, pattern: Ty, ty: Ty) -> Option<()> {
        if !pattern.has_meta() {
            return (pattern == ty).then_some(());
        }
        match (pattern.kind(), ty.kind()) {
            (TyKind::Meta(i), _) => {
                let old = *self.subst.tys.entry(i).or_insert(ty);
                (old == ty).then_some(())
            }
            (TyKind::Idx(p), TyKind::Idx(n)) => self.nat(p, n),
            (TyKind::Pair(p, q), TyKind::Pair(a, b)) | (TyKind::Fun(p, q), TyKind::Fun(a, b)) => {
                self.ty(p, a)?;
                self.ty(q, b)
            }
            (TyKind::Array(p, q), TyKind::Array(n, t)) => {
                self.nat(p, n)?;
                self.ty(q, t)
            }
            (TyKind::Vec(p, q), _) => {
                let (n, t) = ty.as_vec()?;
                self.nat(p, n)?;
                self.ty(q, t)
            }
            _ => None,
        }
    }

    /// Matches a size.
    pub fn nat(&mut self, pattern: Nat, n: Nat) -> Option<()> {
        if !pattern.has_meta() {
            return (pattern == n).then_some(());
        }
        match pattern.as_meta() {
            Some(i) => {
                let old = *self.subst.nats.entry(i).or_insert(n);
                (old == n).then_some(())
            }
            None => {
                self.deferred.push((pattern, n));
                Some(())
            }
        }
    }

    /// Gives an unknown size a value.
    pub fn give(&mut self, unknown: u32, n: Nat) {
        self.subst.nats.insert(unknown, n);
    }

    /// What is known so far.
    pub fn known(&self) -> &TySubst {
        &self.subst
    }

    /// Solves what was deferred.
    pub fn finish(self) -> Option<TySubst> {
        self.solve().ok()
    }

    /// Solves what was deferred, or gives what cannot be made equal.
    pub fn solve(mut self) -> Result<TySubst, (Nat, Nat)> {
        while !self.deferred.is_empty() {
            let before = self.deferred.len();
            let mut rest = Vec::new();
            for (pattern, n) in std::mem::take(&mut self.deferred) {
                let pattern = self.subst.nat(pattern);
                if !pattern.has_meta() {
                    if pattern != n {
                        return Err((pattern, n));
                    }
                } else if let Some((i, value)) = pattern.solve(n) {
                    self.subst.nats.insert(i, value);
                } else {
                    rest.push((pattern, n));
                }
            }
            if rest.len() == before {
                return Err(rest[0]);
            }
            self.deferred = rest;
        }
        Ok(self.subst)
    }
}
