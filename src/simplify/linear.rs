//! Sums of products of terms that are not taken apart further, with constant factors.

use crate::arith::gcd;
use crate::scalar::{Expr, Kind, Node, Op};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// A product of atoms, in their order; of none, 1.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Mono(SmallVec<[Expr; 2]>);

impl Clone for Mono {
    fn clone(&self) -> Mono {
        Mono(SmallVec::from_slice(&self.0))
    }
}

impl Mono {
    pub(super) fn atoms(&self) -> &[Expr] {
        &self.0
    }

    /// The atom it is, if it is only one.
    pub(super) fn single(&self) -> Option<Expr> {
        match self.0[..] {
            [a] => Some(a),
            _ => None,
        }
    }

    pub(super) fn has(&self, atom: Expr) -> bool {
        self.0.contains(&atom)
    }

    fn mul(&self, o: &Mono) -> Mono {
        let mut all = self.0.clone();
        all.extend(o.0.iter().copied());
        all.sort();
        Mono(all)
    }

    /// What is left when all of `o` is taken out.
    pub(super) fn without(&self, o: &Mono) -> Option<Mono> {
        let mut taken = o.0.iter().peekable();
        let left = self.0.iter().copied();
        let left = left.filter(|a| taken.next_if(|b| *b == a).is_none());
        let left: SmallVec<[Expr; 2]> = left.collect();
        taken.peek().is_none().then_some(Mono(left))
    }
}

/// `Σ k·m + c`; no factor is 0, no product stands there twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Linear {
    terms: Vec<(Mono, i128)>,
    constant: i128,
}

/// Products of sums of more terms stay as they are.
const MAX_TERMS: usize = 16;

impl Linear {
    pub(super) fn terms(&self) -> &[(Mono, i128)] {
        &self.terms
    }

    pub(super) fn constant(&self) -> i128 {
        self.constant
    }

    pub(super) fn atom(e: Expr) -> Linear {
        Linear {
            terms: vec![(Mono(SmallVec::from_slice(&[e])), 1)],
            constant: 0,
        }
    }

    pub(super) fn mono(m: &Mono) -> Linear {
        Linear {
            terms: vec![(m.clone(), 1)],
            constant: 0,
        }
    }

    /// The sum that an integer expression is; of lanes of one value, that of the value.
    pub(super) fn of(e: Expr) -> Linear {
        Linear::find(e).unwrap_or_else(|| Linear::atom(e))
    }

    fn find(e: Expr) -> Option<Linear> {
        let (op, args) = match e.node() {
            Node::Int(n) => {
                return Some(Linear {
                    terms: Vec::new(),
                    constant: n.into(),
                })
            }
            Node::Apply(op, args) => (op, args),
            _ => return None,
        };
        let of = |i: usize| Linear::of(args[i]);
        match op {
            Op::Add => of(0).add(&of(1), 1),
            Op::Sub => of(0).add(&of(1), -1),
            Op::Mul => of(0).mul(&of(1)),
            Op::Broadcast if e.sort().kind == Kind::Int => Some(of(0)),
            _ => None,
        }
    }

    /// `self + k·o`
    pub(super) fn add(&self, o: &Linear, k: i128) -> Option<Linear> {
        self.combined(1, o, k, usize::MAX)
    }

    /// `by·self + k·o`, if no more terms than `most` are left; `by` is not 0.
    pub(super) fn combined(&self, by: i128, o: &Linear, k: i128, most: usize) -> Option<Linear> {
        let (left, right) = (&self.terms[..], &o.terms[..]);
        let mut terms = Vec::with_capacity((left.len() + right.len()).min(most));
        let (mut i, mut j) = (0, 0);
        loop {
            let order = match (left.get(i), right.get(j)) {
                (Some(l), Some(r)) => l.0.cmp(&r.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let (mut sum, mut mono) = (0i128, None);
            if order.is_le() {
                let (m, c) = &left[i];
                (sum, mono) = (c.checked_mul(by)?, Some(m));
                i += 1;
            }
            if order.is_ge() {
                let (m, c) = &right[j];
                sum = sum.checked_add(c.checked_mul(k)?)?;
                mono = Some(m);
                j += 1;
            }
            if let (Some(m), true) = (mono, sum != 0) {
                if terms.len() == most {
                    return None;
                }
                terms.push((m.clone(), sum));
            }
        }
        let constant = (self.constant.checked_mul(by)?).checked_add(o.constant.checked_mul(k)?)?;
        Some(Linear { terms, constant })
    }

    /// What an atom is multiplied by; `None` if it does not stand in it, or not linearly.
    pub(super) fn factor(&self, atom: Expr) -> Option<Linear> {
        let mut found = Linear::default();
        let single = Mono(SmallVec::from_slice(&[atom]));
        for (m, c) in self.terms.iter().filter(|t| t.0.has(atom)) {
            let rest = m.without(&single).filter(|rest| !rest.has(atom))?;
            found = if rest.atoms().is_empty() {
                found.plus(*c)?
            } else {
                found.add(
                    &Linear {
                        terms: vec![(rest, *c)],
                        constant: 0,
                    },
                    1,
                )?
            };
        }
        (found != Linear::default()).then_some(found)
    }

    pub(super) fn plus(&self, c: i128) -> Option<Linear> {
        self.clone().more(c)
    }

    pub(super) fn more(mut self, c: i128) -> Option<Linear> {
        self.constant = self.constant.checked_add(c)?;
        Some(self)
    }

    /// A sum that is not negative where this one is, and only there: values are whole, so `6*x - 9*y + 5 >= 0` is
    /// `2*x - 3*y + 1 >= 0`.
    pub(super) fn without_content(mut self) -> Linear {
        let content = (self.terms.iter()).fold(0, |g, (_, k)| gcd(g, *k));
        if content > 1 {
            self.terms.iter_mut().for_each(|(_, k)| *k /= content);
            self.constant = self.constant.div_euclid(content);
        }
        self
    }

    pub(super) fn times(&self, k: i128) -> Option<Linear> {
        Linear::default().add(self, k)
    }

    pub(super) fn times_mono(&self, m: &Mono) -> Option<Linear> {
        if m.atoms().is_empty() {
            return Some(self.clone());
        }
        if (self.terms.len() + 1) * 2 > MAX_TERMS {
            return None;
        }
        let terms = self.terms.iter().map(|(n, k)| (m.mul(n), *k));
        let alone = (self.constant != 0).then(|| (m.clone(), self.constant));
        let mut terms: Vec<_> = terms.chain(alone).collect();
        terms.sort_unstable();
        Some(Linear { terms, constant: 0 })
    }

    pub(super) fn mul(&self, o: &Linear) -> Option<Linear> {
        if (self.terms.len() + 1) * (o.terms.len() + 1) > MAX_TERMS {
            return None;
        }
        let mut sum = self.times(o.constant)?;
        for (m, c) in &o.terms {
            let shifted = self.terms.iter().map(|(n, k)| (m.mul(n), *k)).collect();
            let mut part = Linear {
                terms: shifted,
                constant: 0,
            };
            part.terms.sort();
            let alone = Linear {
                terms: vec![(m.clone(), self.constant)],
                constant: 0,
            };
            sum = sum.add(&part, *c)?.add(&alone, *c)?;
        }
        Some(sum)
    }

    /// With a sum in place of an atom, to which it is equal.
    pub(super) fn with(&self, atom: Expr, value: &Linear) -> Option<Linear> {
        let single = Mono(SmallVec::from_slice(&[atom]));
        let mut sum = Linear::default().plus(self.constant)?;
        for (m, k) in &self.terms {
            let mut part = Linear::default().plus(*k)?;
            let mut left = m.clone();
            while let Some(rest) = left.without(&single) {
                part = part.mul(value)?;
                left = rest;
            }
            sum = sum.add(&part.times_mono(&left)?, 1)?;
        }
        Some(sum)
    }

    /// What it is a multiple of `o` by.
    pub(super) fn multiple_of(&self, o: &Linear) -> Option<Linear> {
        let (mut left, mut found) = (self.clone(), Linear::default());
        let (lead, by) = o.terms.last()?;
        while left != Linear::default() {
            let next = left
                .terms
                .iter()
                .rev()
                .find_map(|(m, k)| Some((m.without(lead)?, *k)))?;
            if next.1 % by != 0 || found.terms.len() > MAX_TERMS {
                return None;
            }
            let step = Linear::default().plus(next.1 / by)?.times_mono(&next.0)?;
            left = left.add(&step.mul(o)?, -1)?;
            found = found.add(&step, 1)?;
        }
        Some(found)
    }

    /// The sum as an expression, what is taken off last; `None` if a factor is no constant.
    pub(super) fn written(&self) -> Option<Expr> {
        let of = |op: Op, a: Expr, b: Expr| Expr::of(op, &[a, b]);
        let term = |(m, k): &(Mono, i128)| {
            let product = m.0.iter().copied().reduce(|a, b| of(Op::Mul, a, b))?;
            let k = Expr::checked_int(k.checked_abs()?)?;
            Some(if k.as_int() == Some(1) {
                product
            } else {
                of(Op::Mul, product, k)
            })
        };
        let with_sign = |sign: i128| self.terms.iter().filter(move |t| t.1.signum() == sign);
        let added: Option<Vec<Expr>> = with_sign(1).map(term).collect();
        let taken: Option<Vec<Expr>> = with_sign(-1).map(term).collect();
        let sum = |all: Vec<Expr>| all.into_iter().reduce(|a, b| of(Op::Add, a, b));
        let constant = Expr::checked_int(self.constant)?;
        let first = match (sum(added?), self.constant) {
            (Some(sum), 0) => sum,
            (Some(sum), _) => of(Op::Add, sum, constant),
            (None, _) => constant,
        };
        Some(match sum(taken?) {
            Some(less) => of(Op::Sub, first, less),
            None => first,
        })
    }
}
