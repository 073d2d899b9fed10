//! What is known of terms: ranges, alignment, and what follows from linear inequalities.
//!
//! Comes in: assumptions, taken apart at `&&`. Goes out: for every expression a range of its values and a modulus
//! that its values agree on, found bottom-up and kept; and answers to whether a comparison holds. An answer is certain
//! or there is none. What is assumed is not checked: under contradictory assumptions anything may follow.
//! Division is that of [`crate::scalar::eval`], so a quotient by an unknown divisor may be 0.

use super::linear::{Linear, Mono};
use super::range::{bound, Alignment, Range};
use super::witness::{self, Bounds, Witnesses};
use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Node, Op, Sort, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Of the opposite comparison.
fn opposite((hold, fail): (bool, bool)) -> (bool, bool) {
    (fail, hold)
}

/// How many differences are looked at for one question.
const BUDGET: u32 = 16;
/// How many inequalities are put together.
const DEPTH: u32 = 3;
/// How many variables are put at the end of their range.
const ROUNDS: u32 = 32;

/// What is assumed, and what was found from it.
#[derive(Default)]
pub struct Facts {
    bounds: FxHashMap<Expr, Range>,
    aligned: FxHashMap<Expr, Alignment>,
    /// Each is at least 0.
    linear: Vec<Linear>,
    /// Assumed as they stand.
    truths: Vec<Expr>,
    ranges: RefCell<FxHashMap<Expr, Range>>,
    alignments: RefCell<FxHashMap<Expr, Alignment>>,
    answers: RefCell<FxHashMap<Expr, Option<bool>>>,
    witnesses: RefCell<Option<Witnesses>>,
    /// Whatever is assumed.
    sums: RefCell<FxHashMap<Expr, Rc<Linear>>>,
    /// What holds of an atom because of what it is.
    implied: RefCell<FxHashMap<Expr, Rc<[Linear]>>>,
    /// Of sums, and how many inequalities were put together, that nothing was found for: how many differences were looked at.
    vain: RefCell<FxHashMap<(Linear, u32), u32>>,
    budget: Cell<u32>,
}

impl Facts {
    pub fn new() -> Facts {
        Facts::default()
    }

    /// Takes a boolean as true.
    pub fn assume(&mut self, e: Expr) {
        self.assume_all(&[e]);
    }

    /// Takes booleans as true; those later in the list may be about ranges that earlier ones bound.
    pub fn assume_all(&mut self, all: &[Expr]) {
        all.iter().for_each(|e| self.take(*e));
        for _ in 0..2 {
            self.forget();
            self.tighten();
        }
        self.forget();
    }

    /// What was assumed, as it stands.
    pub(super) fn truths(&self) -> &[Expr] {
        &self.truths
    }

    /// A value of a variable that its own bounds allow.
    pub(super) fn drawn(&self, var: Expr, seed: u64) -> Option<Value> {
        let bounds = Bounds {
            ranges: &self.bounds,
            aligned: &self.aligned,
            small: FxHashSet::default(),
        };
        witness::near(var, seed, &bounds)
    }

    /// Drops what was found under fewer assumptions.
    fn forget(&mut self) {
        self.ranges.borrow_mut().clear();
        self.alignments.borrow_mut().clear();
        self.answers.borrow_mut().clear();
        self.implied.borrow_mut().clear();
        self.vain.borrow_mut().clear();
        *self.witnesses.borrow_mut() = None;
    }

    /// Bounds of each atom of an inequality from the bounds of the others: `j < n` and `0 <= j` give `1 <= n`.
    fn tighten(&mut self) {
        let mut found = Vec::new();
        for l in &self.linear {
            for (mono, k) in l.terms() {
                let Some(atom) = mono.single() else { continue };
                let own = Linear::atom(atom).times(*k);
                let Some(rest) = own.and_then(|own| l.add(&own, -1)) else {
                    continue;
                };
                if let Some(most) = self.linear_range(&rest).hi {
                    found.push((atom, bound(*k, most)));
                }
            }
        }
        for (atom, range) in found {
            self.bounded(atom, range);
        }
    }

    fn bounded(&mut self, atom: Expr, range: Range) {
        let old = self.bounds.get(&atom).copied().unwrap_or(Range::ALL);
        self.bounds.insert(atom, old.meet(range));
    }

    fn take(&mut self, e: Expr) {
        let Node::Apply(op, args) = e.node() else {
            self.truths.push(e);
            return;
        };
        match op {
            Op::And => args.iter().for_each(|a| self.take(*a)),
            Op::Lt => self.at_least(args[0], args[1], 1),
            Op::Gt => self.at_least(args[1], args[0], 1),
            Op::Le => self.at_least(args[0], args[1], 0),
            Op::Ge => self.at_least(args[1], args[0], 0),
            Op::Eq => {
                self.at_least(args[0], args[1], 0);
                self.at_least(args[1], args[0], 0);
                for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                    self.remainder(a, b);
                }
            }
            _ => {}
        }
        self.truths.push(e);
    }

    /// `x % m == r`
    fn remainder(&mut self, a: Expr, b: Expr) {
        let (Node::Apply(Op::Mod, parts), Some(r)) = (a.node(), b.as_int()) else {
            return;
        };
        match parts[1].as_int() {
            Some(m) if m != 0 => {
                let new = Alignment::new(m.into(), r.into());
                let old = self.aligned.get(&parts[0]).copied();
                // The finer one; both together are rarely asked for.
                let best = old.filter(|o| o.modulus >= new.modulus).unwrap_or(new);
                self.aligned.insert(parts[0], best);
            }
            _ => {}
        }
    }

    /// `b - a >= by`
    fn at_least(&mut self, a: Expr, b: Expr, by: i128) {
        let difference = Linear::of(b).add(&Linear::of(a), -1);
        let Some(l) = difference.and_then(|d| d.plus(-by)) else {
            return;
        };
        if let [(mono, k)] = l.terms() {
            if let Some(atom) = mono.single() {
                let range = bound(*k, l.constant());
                self.bounded(atom, range);
                return;
            }
        }
        if !l.terms().is_empty() {
            self.linear.push(l);
        }
    }

    /// Where the values of an integer expression lie; of all lanes together.
    pub fn range(&self, e: Expr) -> Range {
        if let Some(r) = self.ranges.borrow().get(&e) {
            return *r;
        }
        let found = self.find_range(e);
        let assumed = self.bounds.get(&e).copied().unwrap_or(Range::ALL);
        let r = found.meet(assumed);
        self.ranges.borrow_mut().insert(e, r);
        r
    }

    fn find_range(&self, e: Expr) -> Range {
        let (op, args) = match e.node() {
            Node::Int(n) => return Range::of(n.into(), n.into()),
            Node::Apply(op, args) => (op, args),
            _ => return Range::ALL,
        };
        let of = |i: usize| self.range(args[i]);
        match op {
            Op::Add | Op::Sub => self.linear_range(&self.sum(e)),
            Op::Mul => of(0).mul(of(1)),
            Op::Div => {
                let r = of(0).div(of(1));
                match self.not_less_than_positive(args[0], args[1]) {
                    true => r.meet(Range {
                        lo: Some(1),
                        hi: None,
                    }),
                    false => r,
                }
            }
            Op::Mod => {
                let r = of(0).rem(of(1));
                let a = self.alignment(args[0]);
                match args[1].as_int() {
                    Some(m) if m != 0 && a.modulus % i128::from(m) == 0 => {
                        let rest = a.rest.rem_euclid(m.into());
                        Range::of(rest, rest)
                    }
                    _ => r,
                }
            }
            Op::Min => {
                let (a, b) = (of(0), of(1));
                Range {
                    hi: a.meet(b).hi,
                    ..a.join(b)
                }
            }
            Op::Max => {
                let (a, b) = (of(0), of(1));
                Range {
                    lo: a.meet(b).lo,
                    ..a.join(b)
                }
            }
            Op::Select if e.sort().kind == Kind::Int => of(1).join(of(2)),
            Op::Broadcast if e.sort().kind == Kind::Int => of(0),
            Op::Ramp => match args[2].as_int() {
                Some(l) => {
                    let last = of(1).times(i128::from(l) - 1);
                    of(0).add(last.join(Range::of(0, 0)))
                }
                None => Range::ALL,
            },
            _ => Range::ALL,
        }
    }

    /// Whether `b` is positive and `a` at least as large, as far as ranges tell: then `b` is in `a` at least once.
    fn not_less_than_positive(&self, a: Expr, b: Expr) -> bool {
        let at_least = |r: Range, n: i128| r.lo.is_some_and(|lo| lo >= n);
        at_least(self.range(b), 1)
            && (self.sum(a).add(&self.sum(b), -1))
                .is_some_and(|d| at_least(self.linear_range(&d), 0))
    }

    pub(super) fn mono_range(&self, m: &Mono) -> Range {
        let atoms = m.atoms().iter().map(|a| self.range(*a));
        atoms.fold(Range::of(1, 1), Range::mul)
    }

    fn linear_range(&self, l: &Linear) -> Range {
        let terms = l.terms().iter();
        terms.fold(Range::of(l.constant(), l.constant()), |r, (m, k)| {
            r.add(self.mono_range(m).times(*k))
        })
    }

    /// What the values of an integer expression have in common.
    pub fn alignment(&self, e: Expr) -> Alignment {
        if let Some(a) = self.alignments.borrow().get(&e) {
            return *a;
        }
        let found = self.find_alignment(e);
        let a = match self.aligned.get(&e) {
            Some(assumed) if found.modulus != 0 && assumed.modulus > found.modulus => *assumed,
            _ => found,
        };
        self.alignments.borrow_mut().insert(e, a);
        a
    }

    fn find_alignment(&self, e: Expr) -> Alignment {
        let (op, args) = match e.node() {
            Node::Int(n) => return Alignment::new(0, n.into()),
            Node::Apply(op, args) => (op, args),
            _ => return Alignment::ANY,
        };
        let of = |i: usize| self.alignment(args[i]);
        let constant = |i: usize| args[i].as_int().map(i128::from).filter(|k| *k != 0);
        match op {
            Op::Add => of(0).add(of(1)),
            Op::Sub => of(0).add(of(1).mul(Alignment::new(0, -1))),
            Op::Mul => of(0).mul(of(1)),
            Op::Div => match (of(0), constant(1)) {
                // (m·a + r)/k = (m/k)·a + r/k where k divides m.
                (a, Some(k)) if a.modulus % k == 0 => {
                    Alignment::new(a.modulus / k, a.rest.div_euclid(k))
                }
                _ => Alignment::ANY,
            },
            Op::Mod => match constant(1) {
                Some(k) => of(0).join(Alignment::new(k, of(0).rest)),
                None => Alignment::ANY,
            },
            Op::Min | Op::Max => of(0).join(of(1)),
            Op::Select if e.sort().kind == Kind::Int => of(1).join(of(2)),
            Op::Broadcast if e.sort().kind == Kind::Int => of(0),
            Op::Ramp => of(0).add(of(1).mul(Alignment::ANY)),
            _ => Alignment::ANY,
        }
    }

    /// Whether a boolean is true in all lanes, or false in all; `None` if neither is known.
    pub fn decide(&self, e: Expr) -> Option<bool> {
        if let Some(known) = self.answers.borrow().get(&e) {
            return *known;
        }
        let answer = self.find_answer(e);
        self.answers.borrow_mut().insert(e, answer);
        answer
    }

    fn find_answer(&self, e: Expr) -> Option<bool> {
        if self.truths.contains(&e) {
            return Some(true);
        }
        let (op, args) = match e.node() {
            Node::Bool(b) => return Some(b),
            Node::Apply(op, args) => (op, args),
            Node::Var(_, Sort::BOOL) => {
                let opposite = Expr::of(Op::Not, &[e]);
                return self.truths.contains(&opposite).then_some(false);
            }
            _ => return None,
        };
        match op {
            Op::And => match (self.decide(args[0]), self.decide(args[1])) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Op::Or => match (self.decide(args[0]), self.decide(args[1])) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Op::Not => self.decide(args[0]).map(|b| !b),
            Op::Broadcast => self.decide(args[0]),
            Op::Lt => self.less(args[0], args[1], self.may(e)?),
            Op::Gt => self.less(args[1], args[0], self.may(e)?),
            Op::Le => self
                .less(args[1], args[0], opposite(self.may(e)?))
                .map(|b| !b),
            Op::Ge => self
                .less(args[0], args[1], opposite(self.may(e)?))
                .map(|b| !b),
            Op::Eq => self.equal(args[0], args[1], self.may(e)?),
            Op::Ne => self
                .equal(args[0], args[1], opposite(self.may(e)?))
                .map(|b| !b),
            _ => None,
        }
    }

    /// Whether a comparison may be true, and whether it may be false; `None` if both, so that nothing is known.
    fn may(&self, e: Expr) -> Option<(bool, bool)> {
        match self.with_witnesses(|all, bounds| all.may(e, bounds)) {
            (false, false) => None,
            may => Some(may),
        }
    }

    /// Whether a boolean is true where the assumptions hold, and false elsewhere where they do.
    pub(super) fn is_open(&self, e: Expr) -> bool {
        self.may(e).is_none()
    }

    /// Whether an instance of a pattern may be true; `of` says what its variables stand for. If not, it need not be built
    /// to be asked for.
    pub(super) fn may_hold(&self, pattern: Expr, of: &dyn Fn(Symbol) -> Option<Expr>) -> bool {
        self.with_witnesses(|all, bounds| all.may_hold(pattern, of, bounds))
    }

    fn with_witnesses<T>(&self, ask: impl FnOnce(&mut Witnesses, &Bounds) -> T) -> T {
        let mut small = FxHashSet::default();
        let mut witnesses = self.witnesses.borrow_mut();
        if witnesses.is_none() {
            let terms = self.linear.iter().flat_map(|l| l.terms());
            let falling = terms
                .filter(|(_, k)| *k < 0)
                .filter_map(|(m, _)| m.single());
            small.extend(falling);
        }
        let bounds = Bounds {
            ranges: &self.bounds,
            aligned: &self.aligned,
            small,
        };
        let all = witnesses.get_or_insert_with(|| Witnesses::of(&self.truths, &bounds));
        ask(all, &bounds)
    }

    /// The sum that an integer expression is.
    fn sum(&self, e: Expr) -> Rc<Linear> {
        if let Some(known) = self.sums.borrow().get(&e) {
            return known.clone();
        }
        let sum = Rc::new(Linear::of(e));
        self.sums.borrow_mut().insert(e, sum.clone());
        sum
    }

    fn less(&self, a: Expr, b: Expr, (hold, fail): (bool, bool)) -> Option<bool> {
        let difference = self.sum(b).add(&self.sum(a), -1)?;
        if hold && self.not_negative(&difference.plus(-1)?) {
            return Some(true);
        }
        (fail && self.not_negative(&difference.times(-1)?)).then_some(false)
    }

    fn equal(&self, a: Expr, b: Expr, (hold, fail): (bool, bool)) -> Option<bool> {
        let difference = self.sum(b).add(&self.sum(a), -1)?;
        let opposite = difference.times(-1)?;
        if difference.terms().is_empty() {
            return Some(difference.constant() == 0);
        }
        let parts = difference.terms().iter().map(|(m, k)| {
            let atoms = m.atoms().iter().map(|a| self.alignment(*a));
            atoms.fold(Alignment::new(0, *k), Alignment::mul)
        });
        let aligned = parts.fold(Alignment::new(0, difference.constant()), Alignment::add);
        if aligned.modulus > 1 && aligned.rest != 0 {
            return Some(false);
        }
        let apart = || {
            Some(self.not_negative(&difference.plus(-1)?) || self.not_negative(&opposite.plus(-1)?))
        };
        if fail && apart()? {
            return Some(false);
        }
        let both = hold && self.not_negative(&difference) && self.not_negative(&opposite);
        both.then_some(true)
    }

    /// Whether `l >= 0` follows: from its least value as far as upper bounds of variables say it, or from `l` itself.
    fn not_negative(&self, l: &Linear) -> bool {
        let least = self.least(l);
        let mut forms = least.into_iter().chain([l.clone()]);
        forms.any(|l| {
            self.budget.set(BUDGET);
            self.follows(&l.without_content(), DEPTH)
        })
    }

    /// `l` with each variable on which it falls at the upper bound that other variables give it; `None` if there is no
    /// such variable. What was assumed last comes first: its bounds may hold what was assumed before.
    fn least(&self, l: &Linear) -> Option<Linear> {
        let mut now: Option<Linear> = None;
        for _ in 0..ROUNDS {
            let l = now.as_ref().unwrap_or(l);
            let mut bounds = self.linear.iter().rev();
            let Some(next) = bounds.find_map(|bound| self.at_end(l, bound)) else {
                break;
            };
            now = Some(next);
        }
        now
    }

    /// `l` where a variable v has its largest value by `rest - v >= 0`, if `l` falls on it: `f*v + r >= f*rest + r`
    /// for f that is not positive.
    fn at_end(&self, l: &Linear, bound: &Linear) -> Option<Linear> {
        bound.terms().iter().find_map(|(m, k)| {
            let v = m.single().filter(|_| *k == -1)?;
            let times = bound.terms().iter().filter(|t| t.0.has(v)).count();
            if times > 1 || !matches!(v.node(), Node::Var(..)) {
                return None;
            }
            let f = l.factor(v)?;
            let falls = self.linear_range(&f).hi.is_some_and(|hi| hi <= 0);
            falls.then(|| l.add(&f.mul(bound)?, 1)).flatten()
        })
    }

    /// The least value as far as ranges tell it.
    fn least_value(&self, l: &Linear) -> Option<i128> {
        let mut least = l.constant();
        for (m, k) in l.terms() {
            let range = match m.single() {
                Some(atom) => self.range(atom),
                None => self.mono_range(m),
            };
            let end = if *k > 0 { range.lo } else { range.hi };
            least = least.checked_add(end?.checked_mul(*k)?)?;
        }
        Some(least)
    }

    /// From ranges alone, or with multiples of what is known to be not negative taken off: each takes a term away
    /// that keeps the ranges from deciding.
    fn follows(&self, l: &Linear, depth: u32) -> bool {
        if self.least_value(l).is_some_and(|least| least >= 0) {
            return true;
        }
        let before = self.budget.get();
        if depth == 0 || before == 0 {
            return false;
        }
        let key = (l.clone(), depth);
        if let Some(looked_at) = self.vain.borrow().get(&key) {
            self.budget.set(before.saturating_sub(*looked_at));
            return false;
        }
        self.budget.set(before - 1);
        if self.follows_with_another(l, depth) {
            return true;
        }
        // Nothing was left out only if there is something left.
        if self.budget.get() > 0 {
            let looked_at = before - self.budget.get();
            self.vain.borrow_mut().insert(key, looked_at);
        }
        false
    }

    fn follows_with_another(&self, l: &Linear, depth: u32) -> bool {
        let open = |(m, k): &&(Mono, i128)| {
            let least = self.mono_range(m).times(*k).lo;
            least.is_none_or(|lo| lo < 0)
        };
        let atoms = l.terms().iter().flat_map(|(m, _)| m.atoms());
        let implied: Vec<Rc<[Linear]>> = atoms.map(|a| self.implied(*a)).collect();
        for (mono, k) in l.terms().iter().filter(open) {
            let implied = implied.iter().flat_map(|all| all.iter());
            for fact in self.linear.iter().chain(implied) {
                for (m, c) in fact.terms() {
                    if c.signum() != k.signum() {
                        continue;
                    }
                    let Some(factor) = mono.without(m) else {
                        continue;
                    };
                    if self.mono_range(&factor).lo.is_none_or(|lo| lo < 0) {
                        continue;
                    }
                    if let Some(next) = taken_off(l, (fact, &factor), (*k, *c)) {
                        if self.follows(&next, depth - 1) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// What holds of an atom itself: `x%y < y`, `min(x, y) <= x`, `y*(x/y) <= x`.
    fn implied(&self, atom: Expr) -> Rc<[Linear]> {
        if let Some(known) = self.implied.borrow().get(&atom) {
            return known.clone();
        }
        let found: Rc<[Linear]> = self.find_implied(atom).into();
        self.implied.borrow_mut().insert(atom, found.clone());
        found
    }

    fn find_implied(&self, atom: Expr) -> Vec<Linear> {
        let mut out = Vec::new();
        let Node::Apply(op, args) = atom.node() else {
            return out;
        };
        let mut below = |a: &Linear, b: &Linear, by: i128| {
            out.extend(b.add(a, -1).and_then(|d| d.plus(-by)));
        };
        let this = Linear::atom(atom);
        let of = |i: usize| self.sum(args[i]);
        let positive = |i: usize| self.range(args[i]).lo.is_some_and(|lo| lo > 0);
        match op {
            Op::Mod if positive(1) => {
                below(&this, &of(1), 1);
                if self.range(args[0]).lo.is_some_and(|lo| lo >= 0) {
                    below(&this, &of(0), 0);
                }
            }
            Op::Min => {
                below(&this, &of(0), 0);
                below(&this, &of(1), 0);
            }
            Op::Max => {
                below(&of(0), &this, 0);
                below(&of(1), &this, 0);
            }
            Op::Div if positive(1) => {
                if let Some(multiple) = this.mul(&of(1)) {
                    below(&multiple, &of(0), 0);
                    if let Some(end) = multiple.add(&of(1), 1) {
                        below(&of(0), &end, 1);
                    }
                }
            }
            _ => {}
        }
        out
    }
}

/// `|c|·l - |k|·factor·fact`, not much longer than l: as l is whole, it is not negative if this is more than `-|c|`.
fn taken_off(l: &Linear, (fact, factor): (&Linear, &Mono), (k, c): (i128, i128)) -> Option<Linear> {
    let most = l.terms().len() + 1;
    let next = match factor.atoms() {
        [] => l.combined(c.abs(), fact, -k.abs(), most),
        _ => l.combined(c.abs(), &fact.times_mono(factor)?, -k.abs(), most),
    };
    Some(next?.more(c.abs() - 1)?.without_content())
}
