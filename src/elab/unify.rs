//! Unification of types, with sizes modulo arithmetic.
//!
//! In: pairs of types that must agree, each with the site that asks for it. Out: a substitution, and the first
//! irreconcilable pair of every site that cannot be satisfied. An equation between sizes is solved when it
//! has one unknown (`q·k = p ⇒ q = p/k`) or an unknown stands alone on a side; otherwise it waits, and is
//! tried again when something has been bound. Unknowns can be made rigid: then nothing binds them.
//!
//!
//! Every call ends, and soon: no type contains itself, not even by way of vectors that distribute over pairs, and what
//! unfolds to more parts than anybody writes is refused. Absent: terms, names, the texts of messages.

use crate::arith::{Atom, AtomKind, Mono, Nat};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Who asks for an equation; an index into the caller's table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SiteId(pub u32);

/// Types of larger trees are refused.
const MAX_TYPE: u64 = 4000;

/// Pairs of parts that are compared for one equation; types that share parts have far more than they have nodes.
const MAX_PAIRS: u64 = 4 * MAX_TYPE;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pair {
    Sizes(Nat, Nat),
    Types(Ty, Ty),
    /// The type contains itself.
    Infinite(Ty, Ty),
    /// The type has more parts than anybody writes: every use doubles it.
    Huge,
}

#[derive(Clone, Copy, Debug)]
pub struct Mismatch {
    pub site: SiteId,
    pub pair: Pair,
}

#[derive(Clone, Copy, Debug)]
struct Equation {
    want: Nat,
    found: Nat,
    site: SiteId,
}

#[derive(Default)]
pub struct Unifier {
    tys: Vec<Unknown<Ty>>,
    nats: Vec<Unknown<Nat>>,
    /// What unknown sizes are with everything known put in, since one was bound last.
    resolved: RefCell<FxHashMap<u32, Nat>>,
    waiting: Vec<Equation>,
    tree_sizes: FxHashMap<Ty, u64>,
    /// Pairs that may still be compared for the equation at hand.
    pairs_left: u64,
    pub mismatches: Vec<Mismatch>,
}

#[derive(Clone, Copy)]
struct Unknown<T> {
    value: Option<T>,
    rigid: bool,
    site: SiteId,
}

impl Unifier {
    pub fn fresh_ty(&mut self, site: SiteId) -> Ty {
        self.tys.push(Unknown {
            value: None,
            rigid: false,
            site,
        });
        Ty::meta(self.tys.len() as u32 - 1)
    }

    pub fn fresh_nat(&mut self, site: SiteId) -> Nat {
        self.nats.push(Unknown {
            value: None,
            rigid: false,
            site,
        });
        Nat::meta(self.nats.len() as u32 - 1)
    }

    /// From now on nothing binds the unknowns that exist and are not bound.
    pub fn make_rigid(&mut self) {
        for u in &mut self.tys {
            u.rigid = true;
        }
        for u in &mut self.nats {
            u.rigid = true;
        }
    }

    /// Who made the unknown.
    pub fn ty_site(&self, n: u32) -> SiteId {
        self.tys[n as usize].site
    }

    pub fn nat_site(&self, n: u32) -> SiteId {
        self.nats[n as usize].site
    }

    pub fn ty_is_rigid(&self, n: u32) -> bool {
        self.tys[n as usize].rigid
    }

    /// With everything known put in.
    pub fn ty(&self, t: Ty) -> Ty {
        if !t.has_meta() {
            return t;
        }
        self.ty_memo(t, &mut FxHashMap::default())
    }

    /// Types share parts; without the table a type that doubles at every step takes as many steps
    /// as its tree has nodes.
    fn ty_memo(&self, t: Ty, memo: &mut FxHashMap<Ty, Ty>) -> Ty {
        if !t.has_meta() {
            return t;
        }
        if let Some(known) = memo.get(&t) {
            return *known;
        }
        let result = match t.kind() {
            TyKind::Scalar(_) => t,
            TyKind::Idx(n) => Ty::idx(self.nat(n)),
            TyKind::Pair(a, b) => Ty::pair(self.ty_memo(a, memo), self.ty_memo(b, memo)),
            TyKind::Fun(a, b) => Ty::fun(self.ty_memo(a, memo), self.ty_memo(b, memo)),
            TyKind::Vec(n, e) => Ty::vec(self.nat(n), self.ty_memo(e, memo)),
            TyKind::Array(n, e) => Ty::array(self.nat(n), self.ty_memo(e, memo)),
            TyKind::Meta(n) => match self.tys[n as usize].value {
                Some(v) => self.ty_memo(v, memo),
                None => t,
            },
        };
        memo.insert(t, result);
        result
    }

    /// Whether the tree of a type has so many nodes that walking it would not end, or a size that is an overflow.
    pub fn is_huge(&mut self, t: Ty) -> bool {
        self.is_huge_with(t, &mut FxHashMap::default())
    }

    /// The same for many types, of which nothing is bound between: what is known of the first helps with the others.
    pub fn is_huge_with(&mut self, t: Ty, known: &mut FxHashMap<Ty, Ty>) -> bool {
        let t = self.ty_memo(t, known);
        self.tree_size(t) > MAX_TYPE
    }

    fn tree_size(&mut self, t: Ty) -> u64 {
        if let Some(n) = self.tree_sizes.get(&t) {
            return *n;
        }
        let n = match t.kind() {
            TyKind::Idx(n) | TyKind::Vec(n, _) | TyKind::Array(n, _) if n.is_overflow() => u64::MAX,
            TyKind::Scalar(_) | TyKind::Idx(_) | TyKind::Meta(_) => 1,
            TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
                self.tree_size(a).saturating_add(self.tree_size(b))
            }
            TyKind::Vec(_, e) | TyKind::Array(_, e) => self.tree_size(e).saturating_add(1),
        };
        self.tree_sizes.insert(t, n);
        n
    }

    /// With everything known put in. Sizes share parts as types do, so each unknown is looked at once.
    pub fn nat(&self, n: Nat) -> Nat {
        n.subst_metas(&mut |meta| {
            if let Some(known) = self.resolved.borrow().get(&meta) {
                return Some(*known);
            }
            let value = self.nat(self.nats[meta as usize].value?);
            self.resolved.borrow_mut().insert(meta, value);
            Some(value)
        })
    }

    fn bind_nat(&mut self, meta: u32, value: Nat) {
        self.nats[meta as usize].value = Some(value);
        self.resolved.get_mut().clear();
    }

    /// The outermost constructor of a type, as far as it is known.
    pub fn head(&self, mut t: Ty) -> Ty {
        loop {
            match t.kind() {
                TyKind::Meta(n) => match self.tys[n as usize].value {
                    Some(v) => t = v,
                    None => return t,
                },
                // Vectors distribute over pairs, once it is known that it is a pair.
                TyKind::Vec(k, e) => {
                    let inner = self.head(e);
                    let again = Ty::vec(k, inner);
                    match again.kind() {
                        TyKind::Pair(..) => t = again,
                        _ => return again,
                    }
                }
                _ => return t,
            }
        }
    }

    /// Requires that both are the same type.
    pub fn unify(&mut self, want: Ty, found: Ty, site: SiteId) {
        self.pairs_left = MAX_PAIRS;
        self.types(want, found, site);
        self.retry();
    }

    fn types(&mut self, want: Ty, found: Ty, site: SiteId) {
        let (a, b) = (self.head(want), self.head(found));
        if a == b {
            return;
        }
        if self.pairs_left == 0 {
            return self.mismatch(site, Pair::Huge);
        }
        self.pairs_left -= 1;
        match (a.kind(), b.kind()) {
            (TyKind::Meta(n), _) if !self.tys[n as usize].rigid => self.bind(n, b, a, b, site),
            (_, TyKind::Meta(n)) if !self.tys[n as usize].rigid => self.bind(n, a, a, b, site),
            (TyKind::Pair(a1, a2), TyKind::Pair(b1, b2))
            | (TyKind::Fun(a1, a2), TyKind::Fun(b1, b2)) => {
                self.types(a1, b1, site);
                self.types(a2, b2, site);
            }
            (TyKind::Array(n, s), TyKind::Array(m, t)) | (TyKind::Vec(n, s), TyKind::Vec(m, t)) => {
                self.sizes(n, m, site);
                self.types(s, t, site);
            }
            (TyKind::Idx(n), TyKind::Idx(m)) => self.sizes(n, m, site),
            // A pair of vectors is a vector of pairs.
            (TyKind::Vec(_, e), TyKind::Pair(..)) if self.flexible(e) => {
                if self.split_vector(e, b, (a, b), site) {
                    self.types(a, b, site);
                }
            }
            (TyKind::Pair(..), TyKind::Vec(_, e)) if self.flexible(e) => {
                if self.split_vector(e, a, (a, b), site) {
                    self.types(a, b, site);
                }
            }
            _ => self.mismatch(site, Pair::Types(a, b)),
        }
    }

    fn flexible(&self, t: Ty) -> bool {
        matches!(self.head(t).kind(), TyKind::Meta(n) if !self.tys[n as usize].rigid)
    }

    /// Makes the element of a vector a pair, so that it can be the pair given; whether it can. The element inside of that
    /// pair would have to be a pair that contains itself: vectors do not count, since they distribute.
    fn split_vector(&mut self, element: Ty, pair: Ty, all: (Ty, Ty), site: SiteId) -> bool {
        let TyKind::Meta(n) = self.head(element).kind() else {
            return true;
        };
        let whole = self.ty(pair);
        if self.tree_size(whole) > MAX_TYPE {
            self.mismatch(site, Pair::Huge);
            return false;
        }
        if contains(whole, n) {
            self.mismatch(site, Pair::Infinite(all.0, all.1));
            return false;
        }
        let halves = Ty::pair(self.fresh_ty(site), self.fresh_ty(site));
        self.types(element, halves, site);
        true
    }

    fn bind(&mut self, n: u32, value: Ty, want: Ty, found: Ty, site: SiteId) {
        let whole = self.ty(value);
        if self.tree_size(whole) > MAX_TYPE {
            return self.mismatch(site, Pair::Huge);
        }
        if contains(whole, n) {
            return self.mismatch(site, Pair::Infinite(want, found));
        }
        self.tys[n as usize].value = Some(value);
    }

    fn sizes(&mut self, want: Nat, found: Nat, site: SiteId) {
        let equation = Equation { want, found, site };
        if !self.solve(equation, false) {
            self.waiting.push(equation);
        }
    }

    /// Whether the equation is dealt with. With `force`, also if other unknowns stay in the solution.
    fn solve(&mut self, e: Equation, force: bool) -> bool {
        let (a, b) = (self.nat(e.want), self.nat(e.found));
        if a == b {
            return true;
        }
        let unknowns = self.unknowns(a - b);
        if unknowns.is_empty() {
            self.mismatch(e.site, Pair::Sizes(a, b));
            return true;
        }
        // Alone on a side.
        for (lone, other) in [(a, b), (b, a)] {
            if let Some(n) = lone.as_meta() {
                if unknowns.contains(&n) && !mentions(other, n) {
                    self.bind_nat(n, other);
                    return true;
                }
            }
        }
        if unknowns.len() > 1 && !force {
            return false;
        }
        let several = unknowns.len() > 1;
        let difference = if several {
            without_common(a - b)
        } else {
            a - b
        };
        let of = |n: &u32| Some((*n, solve_for(difference, *n)?));
        // Rows that nobody named do not make a size that somebody did 0, or less.
        let is_size = |value: &Nat| !several || value.as_int().is_none_or(|n| n > 0);
        let all = unknowns.iter().filter_map(of).filter(|s| is_size(&s.1));
        let all: Vec<(u32, Nat)> = all.collect();
        // Either one or the other may be what is meant.
        let constants = all.iter().filter(|s| s.1.as_int().is_some());
        let open = several && constants.count() > 1;
        match all.first().filter(|_| !open) {
            Some((n, value)) => {
                self.bind_nat(*n, *value);
                true
            }
            None => false,
        }
    }

    /// The unknowns in a size that may be bound, in ascending order.
    fn unknowns(&self, n: Nat) -> Vec<u32> {
        let mut found = Vec::new();
        n.each_atom(&mut |a| {
            if let AtomKind::Meta(n) = a.kind() {
                if !self.nats[n as usize].rigid {
                    found.push(n);
                }
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    fn retry(&mut self) {
        loop {
            let before = self.waiting.len();
            let waiting = std::mem::take(&mut self.waiting);
            for e in waiting {
                if !self.solve(e, false) {
                    self.waiting.push(e);
                }
            }
            if self.waiting.len() == before {
                return;
            }
        }
    }

    /// Solves what is left for any of its unknowns; what cannot be solved is irreconcilable.
    pub fn finish(&mut self) {
        while let Some(i) = (0..self.waiting.len()).find(|&i| self.solve(self.waiting[i], true)) {
            self.waiting.remove(i);
            self.retry();
        }
        for e in std::mem::take(&mut self.waiting) {
            let pair = Pair::Sizes(self.nat(e.want), self.nat(e.found));
            self.mismatch(e.site, pair);
        }
    }

    /// Only the first of each site says something new.
    fn mismatch(&mut self, site: SiteId, pair: Pair) {
        if !self.mismatches.iter().any(|m| m.site == site) {
            self.mismatches.push(Mismatch { site, pair });
        }
    }

    /// Fresh unknowns for those given.
    pub fn refresh(
        &mut self,
        tys: &[u32],
        nats: &[u32],
        site: SiteId,
    ) -> (FxHashMap<u32, Ty>, FxHashMap<u32, Nat>) {
        (
            tys.iter().map(|&n| (n, self.fresh_ty(site))).collect(),
            nats.iter().map(|&n| (n, self.fresh_nat(site))).collect(),
        )
    }
}

/// Whether an unknown stands in a type that is not huge.
fn contains(t: Ty, meta: u32) -> bool {
    if !t.has_meta() {
        return false;
    }
    match t.kind() {
        TyKind::Scalar(_) | TyKind::Idx(_) => false,
        TyKind::Meta(n) => n == meta,
        TyKind::Pair(a, b) | TyKind::Fun(a, b) => contains(a, meta) || contains(b, meta),
        TyKind::Vec(_, t) | TyKind::Array(_, t) => contains(t, meta),
    }
}

/// Whether an unknown stands in a size.
pub(super) fn mentions(n: Nat, meta: u32) -> bool {
    let mut found = false;
    n.each_atom(&mut |a| found |= matches!(a.kind(), AtomKind::Meta(m) if m == meta));
    found
}

/// A difference without what all of its terms are multiplied by.
fn without_common(difference: Nat) -> Nat {
    let terms = difference.terms();
    let Some(((first, _), _)) = terms.split_first().filter(|(_, others)| !others.is_empty()) else {
        return difference;
    };
    let mut common = Nat::int(1);
    for (atom, e) in first.factors() {
        let of = |m: &Mono| m.factors().find(|(a, _)| *a == atom).map_or(0, |f| f.1);
        let least = terms.iter().map(|(m, _)| of(m)).min().unwrap_or(0).min(e);
        for _ in 0..least.max(0) {
            common = common * Nat::atom(atom);
        }
    }
    difference.exact_div(common)
}

/// Solves `difference = 0` for the unknown, if it stands in it only as a factor.
fn solve_for(difference: Nat, meta: u32) -> Option<Nat> {
    let atom = Atom::new(AtomKind::Meta(meta));
    let (mut factor, mut rest) = (Vec::new(), Vec::new());
    for (mono, c) in difference.terms() {
        let exponent = mono.factors().find(|(a, _)| *a == atom).map(|(_, e)| e);
        match exponent {
            None => rest.push((mono, c)),
            Some(1) => factor.push((mono.div(&Mono::atom(atom)), c)),
            Some(_) => return None,
        }
    }
    let (factor, rest) = (Nat::from_terms(factor), Nat::from_terms(rest));
    if mentions(factor, meta) || mentions(rest, meta) || factor == Nat::int(0) {
        return None;
    }
    Some((Nat::int(0) - rest).exact_div(factor))
}
