//! Integer expressions: sizes and indices are one language.
//!
//! Comes in: constants, named variables and operations on them; goes out: a
//! [`Nat`], the id of a normal form, so that equality is equality of ids.
//! Normal form: a polynomial with rational coefficients and integer exponents
//! over atoms; an atom is a variable or an operation that does not distribute
//! (floor, ceiling, remainder, minimum, maximum, exact quotient by a sum).
//! `a / b` is exact division: that it leaves no rest is an assumption which
//! whoever writes it has to see to. `floor`, `ceil` and `rem` are Euclidean.
//! Overflow of a coefficient gives [`Nat::overflow`], which absorbs everything
//! and which `elab` refuses; so does what unfolds to more parts than anybody
//! writes, so that walking an expression always ends. Absent: spans, facts about variables.

mod fraction;
mod inequalities;
mod poly;
mod rat;
mod show;
mod signs;

pub use fraction::lcm;
pub use inequalities::{Inequalities, Sum};
pub use poly::{Atom, AtomKind, Mono};
pub use rat::{gcd, Rat};
pub use signs::{is_whole, is_whole_term, rejoin, rests, Signs};

use crate::intern::{NotSend, Shared, Symbol, Table};
use poly::Poly;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Deref;
use std::rc::Rc;

/// An integer expression in normal form: a size or an index.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nat(u32, NotSend);

#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
}

#[derive(Default)]
struct Arith {
    polys: Table<Poly>,
    has_meta: Vec<bool>,
    /// How many parts each has as a tree.
    parts: Vec<u64>,
    atoms: Table<AtomKind>,
    /// Whether there is more in each than sums and products.
    operations: Vec<bool>,
    memo: FxHashMap<(Op, u32, u32), u32>,
    ints: FxHashMap<i64, u32>,
    /// What is just a variable or just an atom.
    names: FxHashMap<Symbol, u32>,
    alone: FxHashMap<Atom, u32>,
    /// The variables of those that were asked for.
    vars: FxHashMap<u32, Rc<[Symbol]>>,
}

thread_local! {
    static ARITH: RefCell<Arith> = RefCell::default();
}

/// Expressions of more parts, or products with more terms before they are added, are overflows.
const MAX_PARTS: u64 = 20_000;

fn intern(poly: Poly) -> Nat {
    // Most are there already, and how many parts they have, too.
    let (id, new) = ARITH.with_borrow_mut(|t| t.polys.intern(poly));
    let nat = Nat(id, PhantomData);
    if new {
        let poly = nat.poly();
        let parts = parts_of(&poly);
        let any = |of: &dyn Fn(Atom) -> bool| poly.terms().iter().any(|(m, _)| m.atoms().any(of));
        let meta = any(&Atom::has_meta);
        let operations = any(&|a| !matches!(a.kind(), AtomKind::Var(_)));
        ARITH.with_borrow_mut(|t| {
            t.has_meta.push(meta);
            t.operations.push(operations);
            t.parts.push(parts);
        });
    }
    match ARITH.with_borrow(|t| t.parts[id as usize] > MAX_PARTS) {
        true => Nat::overflow(),
        false => nat,
    }
}

/// How many parts it has as a tree; as many as none may have, if an overflow stands in it.
fn parts_of(poly: &Poly) -> u64 {
    let factors = |m: &Mono| -> u64 {
        let each = (m.factors()).map(|(a, e)| a.parts().saturating_mul(e.unsigned_abs().into()));
        each.fold(1, u64::saturating_add)
    };
    let is_lost = |a: Atom| match a.kind() {
        AtomKind::Overflow => true,
        kind => kind.parts().into_iter().any(Nat::is_overflow),
    };
    let atoms = || poly.terms().iter().flat_map(|(m, _)| m.atoms());
    let is_overflow = matches!(poly.as_atom().map(|a| a.kind()), Some(AtomKind::Overflow));
    if !is_overflow && atoms().any(is_lost) {
        return u64::MAX;
    }
    let each = poly.terms().iter().map(|(m, _)| factors(m));
    each.fold(0, u64::saturating_add)
}

/// The terms of a polynomial, shared with the table.
pub struct Terms(Shared<Poly>);

impl Deref for Terms {
    type Target = [(Mono, Rat)];
    fn deref(&self) -> &[(Mono, Rat)] {
        self.0.terms()
    }
}

impl IntoIterator for Terms {
    type Item = (Mono, Rat);
    type IntoIter = std::vec::IntoIter<(Mono, Rat)>;
    fn into_iter(self) -> Self::IntoIter {
        let terms: Vec<_> = self.iter().cloned().collect();
        terms.into_iter()
    }
}

impl From<i64> for Nat {
    fn from(n: i64) -> Nat {
        Nat::int(n)
    }
}

impl Nat {
    /// The constant `n`.
    pub fn int(n: i64) -> Nat {
        if let Some(id) = ARITH.with_borrow(|t| t.ints.get(&n).copied()) {
            return Nat(id, PhantomData);
        }
        let nat = intern(Poly::constant(Rat::int(n)));
        ARITH.with_borrow_mut(|t| t.ints.insert(n, nat.0));
        nat
    }

    /// The constant `r`.
    pub fn rat(r: Rat) -> Nat {
        match r.as_int() {
            Some(n) => Nat::int(n),
            None => intern(Poly::constant(r)),
        }
    }

    /// A named variable: a size parameter or a loop index.
    pub fn var(name: Symbol) -> Nat {
        if let Some(id) = ARITH.with_borrow(|t| t.names.get(&name).copied()) {
            return Nat(id, PhantomData);
        }
        let nat = Nat::atom(Atom::new(AtomKind::Var(name)));
        ARITH.with_borrow_mut(|t| t.names.insert(name, nat.0));
        nat
    }

    /// An unknown of unification or of a pattern.
    pub fn meta(n: u32) -> Nat {
        Nat::atom(Atom::new(AtomKind::Meta(n)))
    }

    /// What an operation becomes that left 64 bits.
    pub fn overflow() -> Nat {
        Nat::atom(Atom::new(AtomKind::Overflow))
    }

    /// The expression that is just `atom`.
    pub fn atom(atom: Atom) -> Nat {
        if let Some(id) = ARITH.with_borrow(|t| t.alone.get(&atom).copied()) {
            return Nat(id, PhantomData);
        }
        let nat = intern(Poly::atom(atom));
        ARITH.with_borrow_mut(|t| t.alone.insert(atom, nat.0));
        nat
    }

    fn poly(self) -> Shared<Poly> {
        ARITH.with_borrow(|t| t.polys.share(self.0))
    }

    /// The terms of the polynomial: monomial and coefficient, in no meaningful order.
    pub fn terms(self) -> Terms {
        Terms(self.poly())
    }

    /// The variables in it, those inside of atoms included, each once.
    pub fn vars(self) -> Rc<[Symbol]> {
        if let Some(known) = ARITH.with_borrow(|t| t.vars.get(&self.0).cloned()) {
            return known;
        }
        let mut found = Vec::new();
        for (mono, _) in self.terms().iter() {
            for a in mono.atoms() {
                let inner = a.kind().parts();
                let own = match a.kind() {
                    AtomKind::Var(v) => Some(v),
                    _ => None,
                };
                let all = inner.iter().flat_map(|n| n.vars().to_vec()).chain(own);
                for v in all {
                    if !found.contains(&v) {
                        found.push(v);
                    }
                }
            }
        }
        let found: Rc<[Symbol]> = found.into();
        ARITH.with_borrow_mut(|t| t.vars.insert(self.0, found.clone()));
        found
    }

    /// Rebuilds an expression from terms.
    pub fn from_terms(terms: impl IntoIterator<Item = (Mono, Rat)>) -> Nat {
        match Poly::from_terms(terms) {
            Some(p) => intern(p),
            None => Nat::overflow(),
        }
    }

    /// A dense id, unique in this thread; for tables only.
    pub fn id(self) -> u32 {
        self.0
    }

    /// The rational it is, if it is constant.
    pub fn as_rat(self) -> Option<Rat> {
        ARITH.with_borrow(|t| t.polys.get(self.0).as_constant())
    }

    /// The integer it is, if it is a constant integer.
    pub fn as_int(self) -> Option<i64> {
        self.as_rat().and_then(Rat::as_int)
    }

    /// The atom it is, if it is nothing but one.
    pub fn as_atom(self) -> Option<Atom> {
        ARITH.with_borrow(|t| t.polys.get(self.0).as_atom())
    }

    /// The unknown it is, if it is nothing but one.
    pub fn as_meta(self) -> Option<u32> {
        match self.as_atom()?.kind() {
            AtomKind::Meta(n) => Some(n),
            _ => None,
        }
    }

    /// Whether an unknown stands in it.
    pub fn has_meta(self) -> bool {
        ARITH.with_borrow(|t| t.has_meta[self.0 as usize])
    }

    /// Whether there is more in it than sums and products of variables.
    pub fn has_operations(self) -> bool {
        ARITH.with_borrow(|t| t.operations[self.0 as usize])
    }

    /// Whether an operation left 64 bits.
    pub fn is_overflow(self) -> bool {
        matches!(self.as_atom().map(|a| a.kind()), Some(AtomKind::Overflow))
    }

    /// Whether no array can have this size whatever the variables are: a
    /// constant that is no integer or less than 1.
    pub fn never_a_size(self) -> bool {
        match self.as_rat() {
            Some(r) => r.as_int().is_none_or(|n| n < 1),
            None => self.is_overflow(),
        }
    }

    /// Calls `f` on every atom, those inside of atoms included.
    pub fn each_atom(self, f: &mut impl FnMut(Atom)) {
        for (mono, _) in self.poly().terms() {
            for a in mono.atoms() {
                f(a);
                for part in a.kind().parts() {
                    part.each_atom(f);
                }
            }
        }
    }

    fn memo(op: Op, a: Nat, b: Nat, f: impl FnOnce(&Poly, &Poly) -> Option<Nat>) -> Nat {
        let key = (op, a.0, b.0);
        if let Some(&id) = ARITH.with_borrow(|t| t.memo.get(&key).copied()).as_ref() {
            return Nat(id, PhantomData);
        }
        let result = f(&a.poly(), &b.poly()).unwrap_or_else(Nat::overflow);
        ARITH.with_borrow_mut(|t| t.memo.insert(key, result.0));
        result
    }

    /// `self / d`, exact.
    pub fn exact_div(self, d: Nat) -> Nat {
        Nat::memo(Op::Div, self, d, |a, b| {
            if let Some(q) = self.over_one_of_both(d) {
                return Some(q);
            }
            if let Some(q) = a.div_exact(b)? {
                return Some(intern(q));
            }
            Some(Nat::atom(Atom::new(AtomKind::Quot(self, d))))
        })
    }

    /// ⌊self / d⌋.
    pub fn floor_div(self, d: Nat) -> Nat {
        if let (Some(a), Some(b)) = (self.as_rat(), d.as_rat()) {
            return match a.div(b) {
                Some(q) => Nat::int(q.floor()),
                None => Nat::overflow(),
            };
        }
        let (whole, rest) = self.split_multiple(d);
        let atom = match rest.as_rat() {
            Some(r) if r.is_zero() => return whole,
            Some(_) if d.as_rat().is_some() => rest.floor_div(d),
            _ => match rest.whole_parts(d) {
                Some(one) => one,
                None => Nat::atom(Atom::new(AtomKind::Floor(rest, d))),
            },
        };
        whole + atom
    }

    /// Of c·max(1, w), where w is how often a number has the whole number c: once, if at all.
    fn whole_parts(self, d: Nat) -> Option<Nat> {
        let terms = d.terms();
        let [(atoms, c)] = &terms[..] else {
            return None;
        };
        let c = c.as_int().filter(|c| *c > 0)?;
        let mut factors = atoms.factors();
        let (Some((atom, 1)), None) = (factors.next(), factors.next()) else {
            return None;
        };
        let AtomKind::Max(x, y) = atom.kind() else {
            return None;
        };
        let one = Nat::int(1);
        let many = [(x, y), (y, x)].into_iter().find(|(x, _)| *x == one)?.1;
        (self.floor_div(Nat::int(c)) == many).then(|| many.min(one))
    }

    /// ⌈self / d⌉.
    pub fn ceil_div(self, d: Nat) -> Nat {
        if let (Some(a), Some(b)) = (self.as_rat(), d.as_rat()) {
            return match a.neg().and_then(|a| a.div(b)) {
                Some(q) => q.floor().checked_neg().map_or_else(Nat::overflow, Nat::int),
                None => Nat::overflow(),
            };
        }
        let (whole, rest) = self.split_multiple(d);
        let atom = match rest.as_rat() {
            Some(r) if r.is_zero() => return whole,
            Some(_) if d.as_rat().is_some() => rest.ceil_div(d),
            _ => Nat::atom(Atom::new(AtomKind::Ceil(rest, d))),
        };
        whole + atom
    }

    /// self mod d, in [0, |d|).
    #[allow(clippy::should_implement_trait)] // Euclidean, not the `%` of Rust
    pub fn rem(self, d: Nat) -> Nat {
        if let (Some(a), Some(b)) = (self.as_int(), d.as_int()) {
            return match a.checked_rem_euclid(b) {
                Some(r) => Nat::int(r),
                None => Nat::overflow(),
            };
        }
        let (_, rest) = self.split_multiple(d);
        match rest.as_int() {
            Some(0) => rest,
            Some(_) if d.as_int().is_some() => rest.rem(d),
            _ => Nat::atom(Atom::new(AtomKind::Mod(rest, d))),
        }
    }

    /// `self = q·d + r`, taking into `q` the terms whose quotient is certainly
    /// an integer whatever the variables are.
    fn split_multiple(self, d: Nat) -> (Nat, Nat) {
        let divisor = d.poly();
        let [(dm, dc)] = divisor.terms() else {
            return self.split_multiple_of_sum(d);
        };
        let (mut q, mut r) = (Vec::new(), Vec::new());
        for (m, c) in self.terms().iter() {
            match (m.div(dm), c.div(*dc)) {
                (qm, Some(qc)) if qc.as_int().is_some() && qm.is_integral() => q.push((qm, qc)),
                _ => r.push((m.clone(), *c)),
            }
        }
        (Nat::from_terms(q), Nat::from_terms(r))
    }

    /// The same for a sum: of each multiple in `q` all terms stand in `self`.
    fn split_multiple_of_sum(self, d: Nat) -> (Nat, Nat) {
        let (all, terms) = (self.terms(), d.terms());
        // The term with the most factors says what the others are multiplied by.
        let Some((dm, dc)) = terms.iter().max_by_key(|(m, _)| m.factors().count()) else {
            return (Nat::int(0), self);
        };
        let (mut q, mut r) = (Nat::int(0), self);
        for (m, c) in all.iter().filter(|_| all.len() >= terms.len()) {
            let (qm, Some(qc)) = (m.div(dm), c.div(*dc)) else {
                continue;
            };
            if qc.as_int().is_none() || !qm.is_integral() {
                continue;
            }
            let part = Nat::from_terms([(qm, qc)]);
            let less = r - part * d;
            if less.terms().len() + terms.len() == r.terms().len() {
                (q, r) = (q + part, less);
            }
        }
        (q, r)
    }

    /// The smaller.
    pub fn min(self, o: Nat) -> Nat {
        match (self - o).as_rat() {
            Some(d) if d <= Rat::ZERO => self,
            Some(_) => o,
            None => Nat::atom(Atom::new(AtomKind::min(self, o))),
        }
    }

    /// The larger.
    pub fn max(self, o: Nat) -> Nat {
        match (self - o).as_rat() {
            Some(d) if d >= Rat::ZERO => self,
            Some(_) => o,
            None => Nat::atom(Atom::new(AtomKind::max(self, o))),
        }
    }

    /// q·min(a, b) for (q·a·b) / max(a, b), and the other way round.
    fn over_one_of_both(self, d: Nat) -> Option<Nat> {
        let terms = d.terms();
        let [(mono, c)] = &terms[..] else {
            return None;
        };
        for (atom, _) in mono.factors().filter(|f| f.1 == 1) {
            let (a, b, other) = match atom.kind() {
                AtomKind::Max(a, b) => (a, b, AtomKind::Min(a, b)),
                AtomKind::Min(a, b) => (a, b, AtomKind::Max(a, b)),
                _ => continue,
            };
            let rest = Nat::from_terms([(mono.div(&Mono::atom(atom)), *c)]);
            let q = self.exact_div(rest).exact_div(a * b);
            if is_whole(q) {
                return Some(q * Nat::atom(Atom::new(other)));
            }
        }
        None
    }

    /// With a·b in place of min(a, b)·max(a, b).
    fn without_both(self) -> Nat {
        let both = |mono: &Mono| {
            let mut smaller = mono
                .atoms()
                .filter(|a| matches!(a.kind(), AtomKind::Min(..)));
            smaller.find_map(|min| {
                let AtomKind::Min(a, b) = min.kind() else {
                    return None;
                };
                let max = AtomKind::Max(a, b);
                let max = mono
                    .factors()
                    .find(|(other, e)| *e > 0 && other.kind() == max)?
                    .0;
                let positive = mono.factors().any(|(atom, e)| atom == min && e > 0);
                positive.then_some((min, max, a * b))
            })
        };
        let terms = self.terms();
        let many =
            |(mono, _): &(Mono, Rat)| mono.factors().nth(1).is_some() && both(mono).is_some();
        if !terms.iter().any(many) {
            return self;
        }
        let mut sum = Nat::int(0);
        for (mono, c) in terms.iter() {
            let single = |m: &Mono| Nat::from_terms([(m.clone(), *c)]);
            sum = sum
                + match both(mono) {
                    Some((min, max, product)) => {
                        single(&mono.div(&Mono::atom(min)).div(&Mono::atom(max))) * product
                    }
                    None => single(mono),
                };
        }
        sum
    }

    /// Replaces atoms: where `f` answers, its answer stands; operations are
    /// rebuilt, and so normalised again.
    pub fn map_atoms(self, f: &mut impl FnMut(Atom) -> Option<Nat>) -> Nat {
        let (terms, mut same, mut sum) = (self.terms(), Vec::new(), None);
        for (mono, c) in terms.iter() {
            let value = |(atom, exp): (Atom, i32)| (f(atom).unwrap_or_else(|| atom.mapped(f)), exp);
            let values: SmallVec<[(Nat, i32); 2]> = mono.factors().map(value).collect();
            if mono.atoms().zip(&values).all(|(a, v)| Nat::atom(a) == v.0) {
                same.push((mono.clone(), *c));
                continue;
            }
            let mut product = Nat::rat(*c);
            // What is divided is known first.
            for (value, exp) in values.iter().filter(|v| v.1 > 0) {
                for _ in 0..*exp {
                    product = product * *value;
                }
            }
            for (value, exp) in values.iter().filter(|v| v.1 < 0) {
                for _ in 0..exp.unsigned_abs() {
                    product = product.exact_div(*value);
                }
            }
            sum = Some(sum.map_or(product, |sum| sum + product));
        }
        // Terms that stay are no sum again.
        match sum {
            None => self,
            Some(sum) if same.is_empty() => sum,
            Some(sum) => Nat::from_terms(same) + sum,
        }
    }

    /// With a variable replaced.
    pub fn subst_var(self, var: Symbol, value: Nat) -> Nat {
        if self.mentions(var) {
            self.subst_vars(&mut |s| (s == var).then_some(value))
        } else {
            self
        }
    }

    /// Whether a variable stands in it.
    pub fn mentions(self, var: Symbol) -> bool {
        self.mentions_any(|v| *v == var)
    }

    /// Whether a variable stands in it that is one of these. To ask a set is quicker than to ask for each of its variables.
    pub fn mentions_any(self, is: impl Fn(&Symbol) -> bool) -> bool {
        let known = ARITH.with_borrow(|t| Some(t.vars.get(&self.0)?.iter().any(&is)));
        known.unwrap_or_else(|| self.vars().iter().any(is))
    }

    /// The factor of a variable that stands in it linearly and not in an operation.
    pub fn coefficient(self, var: Symbol) -> Option<Nat> {
        if !self.mentions(var) {
            return Some(Nat::int(0));
        }
        let mut factor = Vec::new();
        for (m, c) in self.terms().iter() {
            let mut rest = Mono::one();
            let mut found = false;
            for (a, e) in m.factors() {
                if a.kind() == AtomKind::Var(var) {
                    if e != 1 {
                        return None;
                    }
                    found = true;
                    continue;
                }
                if a.kind().parts().iter().any(|n| n.mentions(var)) {
                    return None;
                }
                let atom = Mono::atom(a);
                for _ in 0..e.unsigned_abs() {
                    rest = if e > 0 {
                        rest.mul(&atom)
                    } else {
                        rest.div(&atom)
                    };
                }
            }
            if found {
                factor.push((rest, *c));
            }
        }
        Some(Nat::from_terms(factor))
    }

    /// Replaces variables by name.
    pub fn subst_vars(self, f: &mut impl FnMut(Symbol) -> Option<Nat>) -> Nat {
        self.map_atoms(&mut |a| match a.kind() {
            AtomKind::Var(name) => f(name),
            _ => None,
        })
    }

    /// Replaces unknowns.
    pub fn subst_metas(self, f: &mut impl FnMut(u32) -> Option<Nat>) -> Nat {
        if !self.has_meta() {
            return self;
        }
        if let Some(n) = self.as_meta() {
            return f(n).unwrap_or(self);
        }
        self.map_atoms(&mut |a| match a.kind() {
            AtomKind::Meta(n) => f(n),
            _ => None,
        })
    }

    /// Its value when the variables are known; `None` when one is not, when an
    /// exact division leaves a rest, or when it does not fit.
    pub fn eval(self, env: &mut impl FnMut(Symbol) -> Option<i64>) -> Option<i64> {
        self.eval_rat(env)?.as_int()
    }

    /// As [`Nat::eval`], without interning what stands in between.
    fn eval_rat(self, env: &mut dyn FnMut(Symbol) -> Option<i64>) -> Option<Rat> {
        if let Some(r) = self.as_rat() {
            return Some(r);
        }
        let mut sum = Rat::ZERO;
        for (mono, c) in self.terms().iter() {
            let mut product = *c;
            for (atom, exp) in mono.factors() {
                let value = atom.eval_rat(env)?;
                for _ in 0..exp.unsigned_abs() {
                    product = if exp > 0 {
                        product.mul(value)?
                    } else {
                        product.div(value)?
                    };
                }
            }
            sum = sum.add(product)?;
        }
        Some(sum)
    }

    /// Solves `self = target` for the only unknown of `self`, if it stands in
    /// it linearly or as a factor: `a·x + b = target ⇒ x = (target − b) / a`.
    pub fn solve(self, target: Nat) -> Option<(u32, Nat)> {
        if let Some(n) = self.as_meta() {
            return Some((n, target));
        }
        let mut unknown = None;
        let (mut factor, mut rest) = (Vec::new(), Vec::new());
        for (mono, c) in self.terms() {
            let metas: Vec<_> = mono.factors().filter(|(a, _)| a.has_meta()).collect();
            match metas[..] {
                [] => rest.push((mono, c)),
                [(a, 1)] => {
                    let AtomKind::Meta(n) = a.kind() else {
                        return None;
                    };
                    if unknown.is_some_and(|u| u != n) {
                        return None;
                    }
                    unknown = Some(n);
                    factor.push((mono.div(&Mono::atom(a)), c));
                }
                _ => return None,
            }
        }
        let n = unknown?;
        let value = (target - Nat::from_terms(rest)).exact_div(Nat::from_terms(factor));
        Some((n, value))
    }
}

impl std::ops::Add for Nat {
    type Output = Nat;
    fn add(self, o: Nat) -> Nat {
        Nat::memo(Op::Add, self, o, |a, b| Some(intern(a.add(b, Rat::ONE)?)))
    }
}

impl std::ops::Sub for Nat {
    type Output = Nat;
    fn sub(self, o: Nat) -> Nat {
        Nat::memo(Op::Sub, self, o, |a, b| {
            Some(intern(a.add(b, Rat::int(-1))?))
        })
    }
}

impl std::ops::Mul for Nat {
    type Output = Nat;
    fn mul(self, o: Nat) -> Nat {
        Nat::memo(Op::Mul, self, o, |a, b| {
            let terms = a.terms().len().saturating_mul(b.terms().len());
            (terms as u64 <= MAX_PARTS).then(|| Some(intern(a.mul(b)?).without_both()))?
        })
    }
}
