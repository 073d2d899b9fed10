//! Types and sizes of a match: from evidence to instances, cached.
//!
//! Whether a rule fires, as far as types and sizes decide it, and the types of
//! everything on its right side depend only on the types that were matched.
//! They are computed once for each combination and then looked up. Unknowns
//! that stand in sums or products are solved after all others are known.

use super::condition::{class_holds, SizeCondition};
use crate::arith::Nat;
use crate::egraph::Evidence;
use crate::term::{Class, Lit, Prim};
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
}

/// The right side's needs at one combination of types.
pub type Instance = Wanted;

/// Number of an [`Instance`].
pub type InstanceId = u32;

const REFUSED: InstanceId = InstanceId::MAX;

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
        }
    }

    /// What is looked at, in the order of the key.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// An instance.
    pub fn get(&self, id: InstanceId) -> &Instance {
        &self.instances[id as usize]
    }

    /// The instance for a key; `None` if types, sizes or side conditions on
    /// them refuse.
    pub fn instance(&mut self, key: &Key) -> Option<InstanceId> {
        if let Some(&id) = self.known.get(key) {
            return (id != REFUSED).then_some(id);
        }
        let id = match self.instantiate(key) {
            Some(instance) => {
                self.instances.push(instance);
                self.instances.len() as InstanceId - 1
            }
            None => REFUSED,
        };
        self.known.insert(key.clone(), id);
        (id != REFUSED).then_some(id)
    }

    fn instantiate(&self, key: &Key) -> Option<Instance> {
        let mut unifier = Unifier::default();
        for (i, n) in self.given.iter().enumerate() {
            unifier.subst.nats.insert(i as u32, *n);
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
        let subst = unifier.finish()?;
        for (i, class) in self.classes.iter().enumerate() {
            if let (Some(class), Some(ty)) = (class, subst.tys.get(&(i as u32))) {
                if !class_holds(*class, *ty) {
                    return None;
                }
            }
        }
        if !self.conditions.iter().all(|c| c.holds(&subst)) {
            return None;
        }
        let tys: Vec<Ty> = self.wanted.tys.iter().map(|t| subst.ty(*t)).collect();
        let bad = |t: &Ty| t.has_meta() || t.is_never() || t.nesting() > self.nesting;
        if tys.iter().any(bad) {
            return None;
        }
        let lit = |l: &Lit| match l {
            Lit::Size(n) => Lit::Size(subst.nat(*n)),
            l => *l,
        };
        Some(Instance {
            tys,
            prims: (self.wanted.prims.iter())
                .map(|p| p.map_nats(&mut |n| subst.nat(n)))
                .collect(),
            lits: self.wanted.lits.iter().map(lit).collect(),
            nats: self.wanted.nats.iter().map(|n| subst.nat(*n)).collect(),
        })
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

    /// Solves what was deferred.
    pub fn finish(mut self) -> Option<TySubst> {
        while !self.deferred.is_empty() {
            let before = self.deferred.len();
            let mut rest = Vec::new();
            for (pattern, n) in std::mem::take(&mut self.deferred) {
                let pattern = self.subst.nat(pattern);
                if !pattern.has_meta() {
                    if pattern != n {
                        return None;
                    }
                } else if let Some((i, value)) = pattern.solve(n) {
                    self.subst.nats.insert(i, value);
                } else {
                    rest.push((pattern, n));
                }
            }
            if rest.len() == before {
                return None;
            }
            self.deferred = rest;
        }
        Some(self.subst)
    }
}
