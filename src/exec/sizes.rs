//! Sizes to run a program with.
//!
//! In: a program, what its kernels assume of the sizes, sizes that are fixed. Out: small sizes, at
//! which the interpreter is quick, and large ones, at which a kernel shows its speed. Invariant:
//! sizes that come out satisfy all assumptions and, but for those at the edge, give every array at least one element. Absent:
//! proofs that none exist: what is not found by trying must be given by the user.

use super::flops::{in_place, work};
use crate::intern::Symbol;
use crate::nest::{abi, Assumption};
use crate::term::Program;
use std::collections::BTreeMap;

pub type Sizes = BTreeMap<Symbol, i64>;

/// Sizes that are tried for one parameter.
const TRIED: i64 = 8192;

/// More than the lanes of a vector.
const SEVERAL: i64 = 36;

/// What sizes must satisfy.
pub struct Question<'a> {
    pub program: &'a Program,
    pub assumptions: Vec<Assumption>,
    /// Parameters that have their size already.
    pub fixed: &'a Sizes,
}

/// What a run at given sizes takes.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Effort {
    /// Operations of the program as it stands.
    pub work: f64,
    /// Elements of all arguments and results.
    pub elements: f64,
    /// Bytes of all arguments and results.
    pub bytes: f64,
}

impl Effort {
    /// `None` where a size has no value.
    pub fn of(program: &Program, sizes: &Sizes) -> Option<Effort> {
        let lookup = &mut |s: Symbol| sizes.get(&s).copied();
        let (mut elements, mut bytes) = (0.0, 0.0);
        let params = program.params.iter().map(|(_, ty)| *ty);
        for ty in params.chain([program.result]) {
            for (scalar, _, dims) in abi::leaves(ty)? {
                let mut count = 1.0;
                for n in dims {
                    count *= n.eval(lookup)? as f64;
                }
                elements += count;
                bytes += count * scalar.bytes() as f64;
            }
        }
        Some(Effort {
            work: work(program, sizes)?,
            elements,
            bytes,
        })
    }
}

/// An upper bound.
pub type Bound = Effort;

impl Question<'_> {
    /// The first assumption that does not hold, as a sentence.
    pub fn objection(&self, sizes: &Sizes) -> Option<String> {
        self.objection_to(sizes, 1)
    }

    /// Every array having at least so many elements along each of its extents.
    fn objection_to(&self, sizes: &Sizes, least: i64) -> Option<String> {
        let lookup = &mut |s: Symbol| sizes.get(&s).copied();
        for a in &self.assumptions {
            if a.holds(lookup) != Some(true) {
                return Some(a.to_string());
            }
        }
        let params = self.program.params.iter().map(|(_, ty)| *ty);
        for ty in params.chain([self.program.result]) {
            for (_, bound, dims) in abi::leaves(ty).unwrap_or_default() {
                let mut elements = 1;
                for n in dims {
                    let Some(size) = n.eval(lookup).filter(|n| *n >= least) else {
                        return Some(format!("{n} >= {least}"));
                    };
                    elements = size.min(elements);
                }
                // There is no index below 0 that an argument could hold.
                if let Some(b) = bound.filter(|_| elements > 0) {
                    if b.eval(lookup).is_none_or(|b| b < 1) {
                        return Some(format!("{b} >= 1"));
                    }
                }
            }
        }
        None
    }

    pub fn effort(&self, sizes: &Sizes) -> Option<Effort> {
        Effort::of(self.program, sizes)
    }

    /// Whether they are allowed, and what they take is within a bound.
    pub fn allowed(&self, sizes: &Sizes, bound: &Bound) -> bool {
        self.objection(sizes).is_none()
            && self.effort(sizes).is_some_and(|e| {
                e.work <= bound.work && e.elements <= bound.elements && e.bytes <= bound.bytes
            })
    }

    /// All free parameters of one size.
    pub fn all(&self, n: i64) -> Sizes {
        let mut sizes = self.fixed.clone();
        for &name in &self.program.sizes {
            sizes.entry(name).or_insert(n);
        }
        sizes
    }

    fn free(&self) -> Vec<Symbol> {
        let names = self.program.sizes.iter().copied();
        names.filter(|n| !self.fixed.contains_key(n)).collect()
    }

    /// The smallest size that all free parameters may have, then each made as small as can be.
    fn smallest(&self, bound: &Bound) -> Option<Sizes> {
        let mut sizes = (1..=TRIED)
            .map(|n| self.all(n))
            .find(|s| self.allowed(s, bound))?;
        for name in self.free() {
            let most = sizes[&name];
            for n in 1..most {
                let mut smaller = sizes.clone();
                smaller.insert(name, n);
                if self.allowed(&smaller, bound) {
                    sizes = smaller;
                    break;
                }
            }
        }
        Some(sizes)
    }

    /// Up to four different choices: the smallest, and three in which no two parameters are equal,
    /// so that a kernel that takes one for the other is found out; in the last every parameter is
    /// large enough to fill some vectors and leave a rest.
    pub fn small(&self, bound: &Bound) -> Vec<Sizes> {
        let Some(smallest) = self.smallest(bound) else {
            return Vec::new();
        };
        let mut found = vec![smallest.clone()];
        let mut names = self.free();
        for least in [0, 0, SEVERAL] {
            let mut sizes = smallest.clone();
            let mut floor = least;
            for name in &names {
                let from = floor.max(smallest[name]) + 1;
                for n in from..from + TRIED {
                    let mut larger = sizes.clone();
                    larger.insert(*name, n);
                    if self.allowed(&larger, bound) {
                        sizes = larger;
                        floor = n;
                        break;
                    }
                }
            }
            if !found.contains(&sizes) {
                found.push(sizes);
            }
            names.reverse();
        }
        found
    }

    /// Each free parameter 0, and 1, one after the other, where the assumptions allow that: beside these sizes, or all of
    /// them that size.
    pub fn edges(&self, beside: &Sizes) -> Vec<Sizes> {
        let one = |n: i64| {
            let each = self.free().into_iter().map(move |name| {
                let mut sizes = beside.clone();
                sizes.insert(name, n);
                sizes
            });
            each.chain([self.all(n)])
        };
        let mut found: Vec<Sizes> = Vec::new();
        for sizes in one(0).chain(one(1)) {
            if self.objection_to(&sizes, 0).is_none() && !found.contains(&sizes) {
                found.push(sizes);
            }
        }
        found
    }

    /// All free parameters equal, at a power of two or the next size that is allowed, as large as
    /// the bound permits.
    pub fn large(&self, bound: &Bound) -> Option<Sizes> {
        let kernel = in_place(self.program);
        let quick = |sizes: &Sizes| work(&kernel, sizes).is_some_and(|w| w <= bound.work);
        (0..40).rev().find_map(|e| {
            // Where the power itself is far too large, nothing near it fits.
            let power = self.all(1 << e);
            let effort = self.effort(&power)?;
            if !quick(&power) || effort.bytes > bound.bytes {
                return None;
            }
            (0..TRIED.min((1 << e) / 2 + 1))
                .map(|d| self.all((1 << e) + d))
                .find(|s| self.allowed(s, bound) && quick(s))
        })
    }
}
