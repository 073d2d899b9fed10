//! What follows from the form of a size: of its parts where it is positive, whether a term is whole, sums that join.
//!
//! Absent: facts; who has some says of himself that he knows signs.

use super::{Atom, AtomKind, Mono, Nat, Rat};

/// Knows that some numbers are not negative.
pub trait Signs {
    /// Whether `n >= 0` is known.
    fn is_not_negative(&self, n: Nat) -> bool;

    /// `n` is not negative.
    fn not_negative(&mut self, n: Nat);

    /// `n` is at least 1, and what follows for its parts.
    fn positive(&mut self, n: Nat) {
        self.not_negative(n - 1.into());
        let [(m, c)] = &n.terms()[..] else { return };
        if *c <= Rat::ZERO || m.is_one() || !m.is_integral() {
            return;
        }
        for (a, _) in m.factors() {
            let size = Nat::atom(a);
            if size == n {
                if let AtomKind::Ceil(x, d) = a.kind() {
                    if self.is_not_negative(d) {
                        self.positive(x);
                    }
                }
                continue;
            }
            // Of factors that are whole and not negative, each is at least 1; one
            // alone is at least what its coefficient leaves.
            if self.is_not_negative(size) {
                let least = match (m.factors().count(), Rat::ONE.div(*c)) {
                    (1, Some(q)) if q >= Rat::ONE => Nat::rat(q),
                    _ => 1.into(),
                };
                self.not_negative(size - least);
                if let AtomKind::Ceil(..) = a.kind() {
                    self.positive(size);
                }
            }
        }
    }
}

/// What divisions in a number leave: of `x` and `floor(x, d)`, and of what more or less of it leaves.
pub fn rests(n: Nat) -> Vec<Nat> {
    let mut all: Vec<(Nat, i64, Nat)> = Vec::new();
    n.each_atom(&mut |a| {
        let AtomKind::Floor(x, d) = a.kind() else {
            return;
        };
        let part = d.as_int().filter(|d| *d > 0).map(|d| (x, d, Nat::atom(a)));
        all.extend(part.filter(|p| !all.contains(p)));
    });
    let mut rests: Vec<Nat> = (all.iter())
        .map(|(x, d, whole)| *x - Nat::int(*d) * *whole)
        .collect();
    for (x, many, more) in &all {
        for (y, few, less) in &all {
            if x == y && many > few && many % few == 0 {
                rests.push(*less - Nat::int(many / few) * *more);
            }
        }
    }
    rests
}

/// Whether a term is whole by its form: a quotient need not be, nor what is chosen among such.
pub fn is_whole_term(m: &Mono, c: Rat) -> bool {
    c.as_int().is_some() && m.factors().all(|(a, e)| e > 0 && is_whole_atom(a))
}

/// The same of a sum.
pub fn is_whole(n: Nat) -> bool {
    n.terms().iter().all(|(m, c)| is_whole_term(m, *c))
}

fn is_whole_atom(a: Atom) -> bool {
    match a.kind() {
        AtomKind::Var(_) | AtomKind::Meta(_) | AtomKind::Floor(..) | AtomKind::Ceil(..) => true,
        AtomKind::Mod(a, b) | AtomKind::Min(a, b) | AtomKind::Max(a, b) => {
            is_whole(a) && is_whole(b)
        }
        AtomKind::Quot(..) | AtomKind::Overflow => false,
    }
}

/// `c·d·⌊a/d⌋ + c·(a mod d) = c·a`
pub fn rejoin(n: Nat) -> Nat {
    let mut n = n;
    for (m, c) in n.terms().iter() {
        for (atom, e) in m.factors() {
            let AtomKind::Mod(a, d) = atom.kind() else {
                continue;
            };
            if e != 1 {
                continue;
            }
            let others = Nat::from_terms([(m.div(&Mono::atom(atom)), *c)]);
            let floor = Nat::atom(Atom::new(AtomKind::Floor(a, d)));
            // Both stand there if all their terms cancel.
            let without = n - others * Nat::atom(atom) - others * d * floor;
            let parts = 1 + d.terms().len();
            if without.terms().len() + parts == n.terms().len() {
                n = without + others * a;
            }
        }
    }
    n
}
