//! What a rule obliges those to who use it.
//!
//! In: a declared rule. Out: its proof obligations on sizes, in terms of its unknown sizes: where all of them hold, both
//! sides are equal, if the rule is proved. The list is one for all: `verify` assumes it and nothing else of sizes, a
//! search keeps what of it is open, `proof` asks for it anew. Absent: what becomes of an obligation (`obligation`).

use super::output::{Cond, RuleDecl};
use super::unify::mentions;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::obligation::{Known, Sizes};
use crate::term::Kind;
use crate::ty::TySubst;

/// One obligation on sizes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Obligation {
    /// It is whole and not negative.
    Size(Nat),
    /// It is whole and at least 1.
    Positive(Nat),
}

impl Obligation {
    /// What has to be whole and not negative for it.
    pub fn size(self) -> Nat {
        match self {
            Obligation::Size(n) => n,
            Obligation::Positive(n) => n - Nat::int(1),
        }
    }
}

impl RuleDecl {
    /// Obligations of a match: explicit sizes of which something is made are positive, those that are but numbers, or lengths of arrays
    /// that are there already, may be 0;
    /// what divides a size is positive, and the quotient is whole; what is assumed; what
    /// the unknown sizes stand for and all sizes of the left side are sizes.
    pub fn obligations_of_match(&self) -> Vec<Obligation> {
        let unknowns = |n: usize| (0..n as u32).map(Nat::meta);
        let explicit =
            unknowns(self.size_params.len()).filter(|k| self.is_made_of(*k) && !self.is_length(*k));
        let mut all: Vec<Obligation> = explicit.map(Obligation::Positive).collect();
        for cond in &self.conds {
            match cond {
                Cond::Divides(k, n) => {
                    all.push(Obligation::Positive(*k));
                    all.push(Obligation::Size(n.exact_div(*k)));
                }
                Cond::Assume(n) => all.push(Obligation::Size(*n)),
                _ => {}
            }
        }
        all.extend(unknowns(self.nats as usize).map(Obligation::Size));
        all.extend(Sizes::of(&self.lhs).into_iter().map(Obligation::Size));
        all
    }

    /// Whether an unknown is the length of what the left side matches, and nothing is made of it: it stands in types alone.
    fn is_length(&self, unknown: Nat) -> bool {
        let mut given = self.sizes_of_conds();
        for side in [&self.lhs, &self.rhs] {
            side.visit(&mut |t, _| {
                if let Kind::Prim(p) = t.kind() {
                    given.extend(p.sizes());
                }
            });
        }
        Sizes::of(&self.lhs).contains(&unknown) && !holds(&given, unknown)
    }

    /// Whether an unknown stands in a size of a side, or in a condition.
    fn is_made_of(&self, unknown: Nat) -> bool {
        let mut sizes = self.sizes_of_conds();
        sizes.extend(Sizes::of(&self.lhs));
        sizes.extend(Sizes::of(&self.rhs));
        holds(&sizes, unknown)
    }

    fn sizes_of_conds(&self) -> Vec<Nat> {
        let mut sizes = Vec::new();
        for cond in &self.conds {
            match cond {
                Cond::Divides(a, b) | Cond::Compare(a, _, b) => sizes.extend([*a, *b]),
                Cond::Assume(n) | Cond::Vectorizable { lanes: n, .. } => sizes.push(*n),
                _ => {}
            }
        }
        sizes
    }

    /// All obligations: those of a match, and that the sizes of the right side are some.
    pub fn obligations(&self) -> Vec<Obligation> {
        let mut all = self.obligations_of_match();
        all.extend(Sizes::of(&self.rhs).into_iter().map(Obligation::Size));
        all
    }

    /// Of the obligations at given explicit sizes, those that do not follow where all sizes of what the left side matches are
    /// sizes: what must be whole and not negative besides.
    pub fn open_obligations(&self, given: &[Nat]) -> Vec<Nat> {
        // No size of a program has a name like this.
        let own = |i: u32| Symbol::new(&format!("?{i}"));
        let mut named = TySubst::default();
        for i in 0..self.nats {
            let given = given.get(i as usize).copied();
            named.nats.insert(i, given.unwrap_or(Nat::var(own(i))));
        }
        let unnamed =
            |n: Nat| n.subst_vars(&mut |s| (0..self.nats).find(|i| own(*i) == s).map(Nat::meta));
        let matched: Vec<Nat> = Sizes::of(&self.lhs)
            .into_iter()
            .map(|n| named.nat(n))
            .collect();
        let mut known = Known::default();
        matched.iter().for_each(|n| known.assume_size(*n));
        let mut open = Vec::new();
        for o in self.obligations() {
            let n = named.nat(o.size());
            // Variables count as sizes. An unknown that is no size of the left side, but a part of some, need not be one.
            let implicit = self.size_params.len() as u32..self.nats;
            let is_hidden = !matched.contains(&n) && implicit.map(own).any(|s| n == Nat::var(s));
            if is_hidden || !known.is_size(n) {
                known.assume_size(n);
                let n = unnamed(n);
                if !open.contains(&n) {
                    open.push(n);
                }
            }
        }
        open
    }

    /// Names for the unknown sizes; those that have none in the declaration get one that none has.
    pub fn size_names(&self) -> Vec<Symbol> {
        let mut names = self.size_params.clone();
        let letters = ["n", "m", "p", "q"].map(str::to_string).into_iter();
        let mut unused = letters
            .chain((1..).map(|i| format!("n{i}")))
            .map(|n| Symbol::new(&n));
        while names.len() < self.nats as usize {
            let Some(name) = unused.find(|n| !names.contains(n)) else {
                break;
            };
            names.push(name);
        }
        names
    }
}

/// Whether an unknown stands in some of these sizes.
fn holds(sizes: &[Nat], unknown: Nat) -> bool {
    let stands = |i: u32| sizes.iter().any(|n| mentions(*n, i));
    unknown.as_meta().is_some_and(stands)
}
