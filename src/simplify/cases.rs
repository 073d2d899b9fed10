//! Whether booleans contradict each other: distinctions of cases, and linear arithmetic in each.
//!
//! In: booleans that are said to be true. Out: whether no values of the variables make them so. A minimum is one of its
//! operands, a `select` one of two, a disjunction holds by one of its parts: each is a case. A quotient lies between two
//! multiples of its divisor. What is left are sums of products that are not negative, and what follows for these (`products`). Invariant: a contradiction is certain; what takes too long, or is a
//! vector, is none. Absent: rules, what is assumed.

use super::linear::{Linear, Mono};
use super::products;
use crate::arith::{Inequalities, Sum};
use crate::scalar::{Expr, Kind, Node, Op, Sort};
use rustc_hash::{FxHashMap, FxHashSet};

/// Questions whether inequalities contradict each other.
const QUESTIONS: u32 = 300;
/// Inequalities of a case, without products.
const ROWS: usize = 120;

/// Whether two expressions of one sort are the same wherever all of these are true; `false` if that is not known.
pub fn equal(a: Expr, b: Expr, truths: &[Expr]) -> bool {
    let never = |parts: &[Expr]| contradict(truths.iter().chain(parts).copied());
    let not = |e: Expr| Expr::of(Op::Not, &[e]);
    match a.sort() {
        Sort::INT => never(&[Expr::of(Op::Ne, &[a, b])]),
        Sort::BOOL => never(&[a, not(b)]) && never(&[not(a), b]),
        _ => false,
    }
}

/// Whether no values make all of these true.
pub(super) fn contradict(truths: impl IntoIterator<Item = Expr>) -> bool {
    let mut case = Case::default();
    let mut left = QUESTIONS;
    truths.into_iter().for_each(|e| case.open.push(e));
    case.open.iter().all(|e| is_scalar(*e)) && case.contradicted(&mut left)
}

/// Whether there are no vectors in it.
pub(super) fn is_scalar(e: Expr) -> bool {
    let mut scalar = true;
    e.visit(&mut |part| {
        scalar &= matches!(part.sort(), Sort::INT | Sort::BOOL)
            && !matches!(part.node(), Node::Apply(Op::Broadcast | Op::Ramp, _));
    });
    scalar
}

/// What is true in one case.
#[derive(Clone, Default)]
struct Case {
    /// Not looked at yet.
    open: Vec<Expr>,
    /// Not negative.
    rows: Vec<Linear>,
    /// Variables.
    known: FxHashMap<Expr, bool>,
    /// Terms, of which is said what they are.
    defined: FxHashSet<Expr>,
    /// Of each, all of one part hold.
    choices: Vec<Vec<Vec<Expr>>>,
    never: bool,
}

impl Case {
    /// Whether no values are as the case says; its cases are asked one by one.
    fn contradicted(mut self, left: &mut u32) -> bool {
        loop {
            self.look();
            if self.never || self.contradicts(left) {
                return true;
            }
            if *left == 0 {
                return false;
            }
            // What only one part of is left is no choice; of the others that with the fewest parts is distinguished.
            let mut fewest: Option<(usize, Vec<Case>)> = None;
            for (i, choice) in self.choices.iter().enumerate() {
                let parts = choice.iter().map(|part| self.with(i, part));
                let alive: Vec<Case> = parts.filter_map(|c| c.alive(left)).collect();
                let less = fewest.as_ref().is_none_or(|f| alive.len() < f.1.len());
                if less {
                    fewest = Some((i, alive));
                }
                if fewest.as_ref().is_some_and(|f| f.1.len() < 2) {
                    break;
                }
            }
            match fewest.map(|f| f.1) {
                None => match self.deepened().contradicts(left) {
                    true => return true,
                    false if !self.choose_sign() => return false,
                    false => {}
                },
                Some(mut alive) if alive.len() < 2 => match alive.pop() {
                    None => return true,
                    Some(only) => self = only,
                },
                Some(alive) => return alive.into_iter().all(|c| c.contradicted(left)),
            }
        }
    }

    /// The case with one part of a choice.
    fn with(&self, choice: usize, part: &[Expr]) -> Case {
        let mut new = self.clone();
        new.choices.remove(choice);
        new.open.extend_from_slice(part);
        new
    }

    /// The case, if it does not contradict itself at once.
    fn alive(mut self, left: &mut u32) -> Option<Case> {
        self.look();
        (!self.never && !self.contradicts(left)).then_some(self)
    }

    fn look(&mut self) {
        while let Some(e) = self.open.pop() {
            self.truth(e, true);
        }
    }

    /// `e`, or its opposite, is true.
    fn truth(&mut self, e: Expr, holds: bool) {
        let (op, args) = match e.node() {
            Node::Bool(b) => {
                self.never |= b != holds;
                return;
            }
            Node::Apply(op, args) => (op, args),
            _ => {
                self.never |= *self.known.entry(e).or_insert(holds) != holds;
                return;
            }
        };
        let not = |e: Expr| Expr::of(Op::Not, &[e]);
        let is = |e: Expr| if holds { e } else { not(e) };
        match (op, holds) {
            (Op::Not, _) => self.truth(args[0], !holds),
            (Op::Prove, _) => self.truth(args[0], holds),
            (Op::And, true) | (Op::Or, false) => args.iter().for_each(|a| self.truth(*a, holds)),
            (Op::And, false) | (Op::Or, true) => {
                let parts = args.iter().map(|a| vec![is(*a)]);
                self.choices.push(parts.collect());
            }
            (Op::Select, _) => self.choices.push(vec![
                vec![args[0], is(args[1])],
                vec![not(args[0]), is(args[2])],
            ]),
            (Op::Lt, true) | (Op::Ge, false) => self.less(args[0], args[1], 1),
            (Op::Gt, true) | (Op::Le, false) => self.less(args[1], args[0], 1),
            (Op::Le, true) | (Op::Gt, false) => self.less(args[0], args[1], 0),
            (Op::Ge, true) | (Op::Lt, false) => self.less(args[1], args[0], 0),
            (Op::Eq, true) | (Op::Ne, false) => {
                self.less(args[0], args[1], 0);
                self.less(args[1], args[0], 0);
            }
            (Op::Eq, false) | (Op::Ne, true) => {
                let parts = [Op::Lt, Op::Gt].map(|op| vec![Expr::of(op, &args)]);
                self.choices.push(parts.into());
            }
            _ => {}
        }
    }

    /// `a + by <= b`
    fn less(&mut self, a: Expr, b: Expr, by: i128) {
        let difference = Linear::of(b).add(&Linear::of(a), -1);
        if let Some(row) = difference.and_then(|d| d.plus(-by)) {
            self.row(row);
        }
    }

    fn row(&mut self, row: Linear) {
        if row.terms().is_empty() {
            self.never |= row.constant() < 0;
            return;
        }
        let row = row.without_content();
        if self.rows.len() >= ROWS || self.rows.contains(&row) {
            return;
        }
        let monos: Vec<Mono> = row.terms().iter().map(|t| t.0.clone()).collect();
        self.rows.push(row);
        for m in monos {
            if let [a, b] = m.atoms() {
                if a == b {
                    self.square(&m, *a);
                }
            }
            m.atoms().iter().for_each(|a| self.define(*a));
        }
    }

    /// A whole number is at most its square, and so is its opposite.
    fn square(&mut self, m: &Mono, a: Expr) {
        if self.defined.insert(Expr::of(Op::Mul, &[a, a])) {
            let square = Linear::mono(m);
            for sign in [1, -1] {
                if let Some(row) = square.add(&Linear::atom(a), sign) {
                    self.row(row);
                }
            }
        }
    }

    /// What holds of a term because of what it is.
    fn define(&mut self, t: Expr) {
        let Node::Apply(op, args) = t.node() else {
            return;
        };
        if !self.defined.insert(t) {
            return;
        }
        let of = |op: Op, a: Expr, b: Expr| Expr::of(op, &[a, b]);
        match op {
            Op::Min | Op::Max => {
                let (a, b) = (args[0], args[1]);
                let (op, strict) = match op {
                    Op::Min => (Op::Le, Op::Lt),
                    _ => (Op::Ge, Op::Gt),
                };
                self.truth(of(op, t, a), true);
                self.truth(of(op, t, b), true);
                self.choices.push(vec![
                    vec![of(op, a, b), of(Op::Eq, t, a)],
                    vec![of(strict, b, a), of(Op::Eq, t, b)],
                ]);
            }
            Op::Select if t.sort().kind == Kind::Int => {
                let not = Expr::of(Op::Not, &[args[0]]);
                self.choices.push(vec![
                    vec![args[0], of(Op::Eq, t, args[1])],
                    vec![not, of(Op::Eq, t, args[2])],
                ]);
            }
            Op::Div => self.divided(args[0], args[1], |q, _| of(Op::Eq, t, q)),
            Op::Mod => self.divided(args[0], args[1], |_, r| of(Op::Eq, t, r)),
            _ => {}
        }
    }

    /// `x = y*q + r` with `0 <= r < |y|`; `said` of both is true. Where y is 0, both are.
    fn divided(&mut self, x: Expr, y: Expr, said: impl Fn(Expr, Expr) -> Expr) {
        let of = |op: Op, a: Expr, b: Expr| Expr::of(op, &[a, b]);
        let (zero, one) = (Expr::int(0), Expr::int(1));
        let q = of(Op::Div, x, y);
        self.defined.insert(q);
        let r = of(Op::Sub, x, of(Op::Mul, y, q));
        let opposite = |e: Expr| of(Op::Sub, zero, e);
        let parts = |size: Expr| [of(Op::Ge, r, zero), of(Op::Lt, r, size), said(q, r)];
        let by_zero = [of(Op::Eq, q, zero), said(zero, zero)];
        match y.as_int() {
            Some(0) => self.open.extend(by_zero),
            Some(1..) => self.open.extend(parts(y)),
            Some(_) => self.open.extend(parts(opposite(y))),
            None => {
                // The quotient by what is positive has the sign of x, and is no farther from 0.
                let sign = |q: Expr| {
                    let above = [of(Op::Ge, x, zero), of(Op::Ge, q, zero), of(Op::Le, q, x)];
                    let below = [of(Op::Lt, x, zero), of(Op::Lt, q, zero), of(Op::Ge, q, x)];
                    let all = |p: [Expr; 3]| p.into_iter().reduce(|a, b| of(Op::And, a, b));
                    all(above).zip(all(below)).map(|(a, b)| of(Op::Or, a, b))
                };
                let choose = |known: Expr, rest: &[Expr], sign: Option<Expr>| {
                    [&[known], rest].concat().into_iter().chain(sign).collect()
                };
                self.choices.push(vec![
                    choose(of(Op::Ge, y, one), &parts(y), sign(q)),
                    choose(of(Op::Eq, y, zero), &by_zero, None),
                    choose(of(Op::Lt, y, zero), &parts(opposite(y)), sign(opposite(q))),
                ]);
            }
        }
    }

    /// Distinguishes the signs of a factor of a product of which that is not known; whether there is one.
    fn choose_sign(&mut self) -> bool {
        let products = self
            .rows
            .iter()
            .flat_map(|r| r.terms().iter().map(|t| &t.0));
        let products: Vec<&Mono> = products.filter(|m| m.atoms().len() > 1).collect();
        let single = |r: &&Linear| r.terms().len() == 1;
        let is_known = |a: Expr| {
            let mut own =
                (self.rows.iter().filter(single)).filter(|r| r.terms()[0].0.single() == Some(a));
            // Not 0, or 0.
            own.any(|r| r.constant() < 0 || r.times(-1).is_some_and(|o| self.rows.contains(&o)))
        };
        let mut factors = products.iter().flat_map(|m| m.atoms().iter().copied());
        let Some(factor) = factors.find(|a| !is_known(*a)) else {
            return false;
        };
        let zero = Expr::int(0);
        let of = |op: Op, a: Expr, b: Expr| Expr::of(op, &[a, b]);
        let with = products.iter().filter(|m| m.has(factor));
        let product = |m: &&&Mono| m.atoms().iter().copied().reduce(|a, b| of(Op::Mul, a, b));
        let vanish = with
            .filter_map(|m| product(&m))
            .map(|p| of(Op::Eq, p, zero));
        let none = std::iter::once(of(Op::Eq, factor, zero)).chain(vanish);
        self.choices.push(vec![
            vec![of(Op::Gt, factor, zero)],
            vec![of(Op::Lt, factor, zero)],
            none.collect(),
        ]);
        true
    }

    fn contradicts(&self, left: &mut u32) -> bool {
        *left = left.saturating_sub(1);
        let mut columns: FxHashMap<&Mono, usize> = FxHashMap::default();
        let mut all = Inequalities::default();
        for row in &self.rows {
            let mut sum = Sum::new();
            for (m, k) in row.terms() {
                let next = columns.len();
                sum.push((*columns.entry(m).or_insert(next), *k));
            }
            sum.sort_unstable();
            all.add(sum, row.constant());
        }
        all.contradict()
    }

    /// With what follows for products.
    fn deepened(&self) -> Case {
        let quotients = self.defined.iter().filter_map(|t| match t.node() {
            Node::Apply(Op::Div, args) => Some((*t, args[0], args[1])),
            _ => None,
        });
        let mut quotients: Vec<_> = quotients.collect();
        quotients.sort_by_key(|q| q.0);
        Case {
            rows: products::consequences(&self.rows, &quotients),
            ..Case::default()
        }
    }
}
