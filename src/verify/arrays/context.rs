//! What is known while two values are compared, and how cases are split.
//!
//! In: a rule. Out: its unknown sizes as variables, facts about them and about indices, answers to questions. A question
//! that the facts do not decide ends evaluation with [`Stuck::Split`]; whoever compares asks again in both cases.
//! Invariant: facts hold wherever the left side of the rule has a value and its conditions hold. Every run ends: work is
//! counted. Absent: values.

use super::facts::Facts;
use super::gap::Gap;
use super::memo::{Memo, State};
use super::value::{Head, Neutral, Val};
use super::{equal, scalars};
use crate::arith::{AtomKind, Mono, Nat, Rat, Signs};
use crate::elab::{Cond, Obligation, Rel, RuleDecl};
use crate::intern::Symbol;
use crate::rule::instance::{usable, Binder};
use crate::term::Lit;
use crate::ty::{Ty, TySubst};
use std::cell::Cell;
use std::rc::Rc;

/// Why evaluation does not go on.
pub enum Stuck {
    /// It depends on this.
    Split(Question),
    Unknown(String),
}

pub type Res<T> = Result<T, Stuck>;

/// What decides between two cases.
#[derive(Clone)]
pub enum Question {
    NotNegative(Nat),
    Holds(Neutral),
    /// No cases: a variable whose values are as many as a multiple of a size is a quotient and a rest.
    Divide(Symbol, Nat),
}

/// Steps of evaluation and comparison for one rule.
pub const WORK: u32 = 50_000;
/// Cases within cases, comparisons within comparisons.
const MAX_SPLITS: u32 = 12;
const MAX_DEPTH: u32 = 60;
/// Variables and operations in an index.
const MAX_ATOMS: u32 = 16;

pub struct Context {
    pub rule: Rc<RuleDecl>,
    /// Variables for unknown sizes.
    sizes: TySubst,
    facts: Facts,
    /// Of the facts, of what is not negative beyond them, and of what is defined: each change of these is told.
    memo: Memo,
    /// Not negative, beyond the facts.
    more: Vec<Nat>,
    truths: Vec<(Neutral, bool)>,
    /// Variables that are expressions of later ones.
    defined: Vec<(Symbol, Nat)>,
    /// Variables for indices that are values.
    named: Vec<(Neutral, Nat)>,
    /// For each pattern variable what it may mention.
    pub scopes: Vec<Vec<(Binder, bool)>>,
    fresh: u32,
    work: Cell<u32>,
    splits: u32,
    pub depth: u32,
    /// Comparisons of parts around the present one.
    inside: u32,
    /// Numbers are being put in order: what their parts are compared for asks for no order itself.
    pub ordering: bool,
    /// How much of `more` holds in every case.
    assumed: usize,
    /// The first thing that could not be shown.
    pub why: Option<Gap>,
    /// The first limit that was met.
    pub limit: Option<Gap>,
}

/// See [`Context::known`].
pub struct Known {
    facts: Facts,
    state: State,
    more: usize,
    truths: usize,
    defined: usize,
    named: usize,
}

impl Context {
    pub fn new(rule: &Rc<RuleDecl>, work: u32) -> Context {
        let mut sizes = TySubst::default();
        for (i, name) in rule.size_names().into_iter().enumerate() {
            sizes.nats.insert(i as u32, Nat::var(name));
        }
        let mut cx = Context {
            rule: rule.clone(),
            sizes,
            facts: Facts::new(),
            memo: Memo::new(),
            more: Vec::new(),
            truths: Vec::new(),
            defined: Vec::new(),
            named: Vec::new(),
            scopes: usable(rule),
            fresh: 0,
            work: Cell::new(work),
            splits: 0,
            depth: 0,
            inside: 0,
            ordering: false,
            assumed: 0,
            why: None,
            limit: None,
        };
        cx.assume();
        cx
    }

    pub fn ty(&self, t: Ty) -> Ty {
        self.sizes.ty(t)
    }

    pub fn nat(&self, n: Nat) -> Nat {
        self.sizes.nat(n)
    }

    /// What holds where the left side has a type and the conditions hold: comparisons, and what the rule obliges those
    /// to who use it. Of sizes nothing else is assumed.
    fn assume(&mut self) {
        let rule = self.rule.clone();
        for cond in &rule.conds {
            if let Cond::Compare(a, rel, b) = cond {
                let by = self.nat(*b) - self.nat(*a);
                let one = Nat::int(1);
                match rel {
                    Rel::Lt => self.more.push(by - one),
                    Rel::Le => self.more.push(by),
                    Rel::Gt => self.more.push(Nat::int(0) - by - one),
                    Rel::Ge => self.more.push(Nat::int(0) - by),
                    Rel::Eq => self.more.extend([by, Nat::int(0) - by]),
                    Rel::Ne => {}
                }
            }
        }
        for obligation in rule.obligations_of_match() {
            match obligation {
                Obligation::Positive(k) => {
                    let k = self.nat(k);
                    self.facts.positive(k);
                }
                Obligation::Size(n) => {
                    let n = self.nat(n);
                    self.size(n);
                }
            }
        }
    }

    /// A size: whole and not negative.
    pub fn size(&mut self, n: Nat) {
        self.memo.changed();
        self.facts.whole(n);
        if !self.facts.is_not_negative(n) {
            self.more.push(n);
        }
    }

    /// Whether a size of the right side is one wherever the left side has a value.
    pub fn is_size(&self, n: Nat) -> bool {
        self.is_whole(n) && self.is_not_negative(n)
    }

    pub fn is_whole(&self, n: Nat) -> bool {
        let n = self.seen(n);
        self.facts.floor(n, Nat::int(1)) == n
    }

    /// The expression without variables that are expressions of others.
    fn seen(&self, n: Nat) -> Nat {
        self.defined.iter().fold(n, |n, (v, e)| n.subst_var(*v, *e))
    }

    /// A variable is an expression of others from now on.
    pub fn define(&mut self, var: Symbol, value: Nat) {
        let value = self.seen(value);
        self.memo.changed();
        self.facts.define(var, value);
        self.defined.push((var, value));
    }

    pub fn is_not_negative(&self, n: Nat) -> bool {
        let n = self.seen(n);
        if !self.spend(1 + self.more.len() as u32) || !manageable(n) {
            return false;
        }
        self.memo.sign(n, || self.follows(n))
    }

    /// Whether what is known says that an expression without defined variables is not negative.
    fn follows(&self, n: Nat) -> bool {
        let more: Vec<Nat> = self.more.iter().map(|p| self.seen(*p)).collect();
        self.is_known(n)
            || more.iter().enumerate().any(|(i, p)| {
                let rest = n - *p;
                self.is_known(rest) || more[..i].iter().any(|q| self.is_known(rest - *q))
            })
            || self.by_products(n, &more)
    }

    fn is_known(&self, n: Nat) -> bool {
        self.facts.is_not_negative(n) || {
            let least = self.relaxed(self.simplest(n));
            least != n && self.facts.is_not_negative(least)
        }
    }

    /// Whether what is known, times a size, leaves nothing negative; or the contrary, times a size, contradicts it.
    fn by_products(&self, n: Nat, more: &[Nat]) -> bool {
        let contrary = Nat::int(-1) - n;
        let leaves = |whole: Nat, part: Nat| {
            let mut tried = Vec::new();
            whole.terms().iter().any(|(m, _)| {
                part.terms().iter().any(|(d, _)| {
                    let by = m.div(d);
                    if by.is_one() || !by.is_integral() || tried.contains(&by) {
                        return false;
                    }
                    tried.push(by.clone());
                    let by = Nat::from_terms([(by, Rat::ONE)]);
                    self.facts.is_not_negative(by) && self.is_known(whole - by * part)
                })
            })
        };
        // The contrary of `n >= 0` is `-1 - n >= 0` of whole numbers only.
        let whole = self.is_whole(n);
        (more.iter()).any(|p| leaves(n, *p) || whole && leaves(Nat::int(-1) - *p, contrary))
    }

    /// A lower bound without roundings: `⌈x/d⌉ >= x/d`, `⌊x/d⌋ <= x/d`.
    fn relaxed(&self, n: Nat) -> Nat {
        let mut least = n;
        for (mono, c) in n.terms() {
            for (atom, e) in mono.factors() {
                let exact = match atom.kind() {
                    AtomKind::Ceil(x, d) if c > Rat::ZERO => (x, d),
                    AtomKind::Floor(x, d) if c < Rat::ZERO => (x, d),
                    _ => continue,
                };
                let (x, d) = exact;
                let others = Nat::from_terms([(mono.div(&Mono::atom(atom)), Rat::ONE)]);
                let positive = self.facts.is_not_negative(d - Nat::int(1));
                if e == 1 && positive && self.facts.is_not_negative(others) {
                    let term = Nat::rat(c) * others;
                    least = least - term * Nat::atom(atom) + term * x.exact_div(d);
                    break;
                }
            }
        }
        least
    }

    /// As the facts make it.
    fn simplest(&self, n: Nat) -> Nat {
        self.memo.simplest(n, || self.facts.simplify(n))
    }

    pub fn simplify(&self, n: Nat) -> Nat {
        let n = self.seen(n);
        if !manageable(n) || n.as_rat().is_some() {
            return n;
        }
        let n = self.simplest(n);
        if self.more.is_empty() {
            return n;
        }
        // The facts know nothing of what holds in a case.
        let decided = self.decided(n);
        match decided == n {
            true => n,
            false => self.simplify(decided),
        }
    }

    /// Without the minima and maxima that are decided.
    fn decided(&self, n: Nat) -> Nat {
        n.map_atoms(&mut |a| {
            Some(match a.kind().map(&mut |part| self.decided(part)) {
                AtomKind::Min(x, y) => self.min(x, y),
                AtomKind::Max(x, y) => self.max(x, y),
                other => other.value(),
            })
        })
    }

    pub fn min(&self, a: Nat, b: Nat) -> Nat {
        match () {
            _ if self.is_not_negative(b - a) => a,
            _ if self.is_not_negative(a - b) => b,
            _ => a.min(b),
        }
    }

    pub fn max(&self, a: Nat, b: Nat) -> Nat {
        match () {
            _ if self.is_not_negative(b - a) => b,
            _ if self.is_not_negative(a - b) => a,
            _ => a.max(b),
        }
    }

    /// Quotient and rest of an index; asks for those of a variable in it, where it has them.
    pub fn divided(&self, n: Nat, d: Nat) -> Res<(Nat, Nat)> {
        let (n, d) = (self.simplify(n), self.simplify(d));
        if !manageable(n) {
            return Ok((n.floor_div(d), n.rem(d)));
        }
        let both = (self.facts.floor(n, d), self.facts.rem(n, d));
        let rounded = |n: Nat| {
            let mut found = false;
            n.each_atom(&mut |a| {
                found |= matches!(a.kind(), AtomKind::Floor(..) | AtomKind::Mod(..));
            });
            found
        };
        if !rounded(both.0) && !rounded(both.1) {
            return Ok(both);
        }
        for (mono, _) in n.terms() {
            for atom in mono.atoms() {
                if let AtomKind::Var(v) = atom.kind() {
                    if self.parts(v, d).is_some() {
                        return Err(Stuck::Split(Question::Divide(v, d)));
                    }
                }
            }
        }
        Ok(both)
    }

    /// How many values the quotient of a variable has, whose values are as many as a multiple of the divisor.
    fn parts(&self, v: Symbol, d: Nat) -> Option<Nat> {
        let (lo, hi) = self.facts.range_of(v)?;
        let all = hi + Nat::int(1);
        let parts = all.exact_div(d);
        let fits = lo == Nat::int(0) && !parts.is_overflow() && parts * d == all;
        (fits && parts.as_int() != Some(1) && self.is_size(parts) && self.is_size(d))
            .then_some(parts)
    }

    pub fn same_nat(&self, a: Nat, b: Nat) -> bool {
        a == b || {
            let by = self.simplify(self.simplify(a) - self.simplify(b));
            by.as_int() == Some(0)
                || self.is_not_negative(by) && self.is_not_negative(Nat::int(0) - by)
        }
    }

    /// As [`Self::same_nat`]; asks which of two is the smaller where the difference depends on that.
    pub fn same_place(&self, a: Nat, b: Nat) -> Res<bool> {
        if self.same_nat(a, b) {
            return Ok(true);
        }
        match open_choice(self.simplify(a) - self.simplify(b)) {
            Some(n) => Err(Stuck::Split(Question::NotNegative(n))),
            None => Ok(false),
        }
    }

    /// Whether `a < b`; asks where the facts do not say, which of two is the smaller before what depends on that.
    pub fn less(&self, a: Nat, b: Nat) -> Res<bool> {
        let by = self.simplify(b) - self.simplify(a) - Nat::int(1);
        match () {
            _ if self.is_not_negative(by) => Ok(true),
            _ if self.is_not_negative(Nat::int(-1) - by) => Ok(false),
            _ => {
                let question = open_choice(by).unwrap_or(by);
                Err(Stuck::Split(Question::NotNegative(question)))
            }
        }
    }

    /// Whether two indices are the same; asks where the facts do not say.
    pub fn same_index(&self, a: Nat, b: Nat) -> Res<bool> {
        Ok(self.same_nat(a, b) || !self.less(a, b)? && !self.less(b, a)?)
    }

    /// Whether a condition holds; asks where the facts do not say.
    pub fn holds(&mut self, c: &Val) -> Res<bool> {
        let Val::Neutral(c) = c else {
            return self.stuck("a condition that is no truth value");
        };
        if let (Head::Lit(Lit::Bool(b)), []) = (&c.head, &c.spine[..]) {
            return Ok(*b);
        }
        if let Some(truth) = scalars::truth(self, c)? {
            return Ok(truth);
        }
        match self.known_truth(c)? {
            Some(truth) => Ok(truth),
            None => Err(Stuck::Split(Question::Holds(c.clone()))),
        }
    }

    /// Whether a condition is known to hold, or not to, in this case.
    pub fn known_truth(&mut self, c: &Neutral) -> Res<Option<bool>> {
        let turned = scalars::turned(c);
        for (known, truth) in self.truths_known() {
            self.work()?;
            let turned = turned.as_ref();
            let same = equal::same_form(self, &known, c);
            if same || turned.is_some_and(|c| equal::same_form(self, &known, c)) {
                return Ok(Some(truth));
            }
        }
        Ok(None)
    }

    pub fn truths_known(&self) -> Vec<(Neutral, bool)> {
        self.truths.clone()
    }

    pub fn has_truths(&self) -> bool {
        !self.truths.is_empty()
    }

    /// Whether `shown` says yes in both cases.
    pub fn split(&mut self, q: &Question, shown: &mut dyn FnMut(&mut Context) -> bool) -> bool {
        if let Question::Divide(v, d) = q {
            let before = self.known();
            if let Some(parts) = self.parts(*v, *d) {
                let (quotient, rest) = (self.fresh_index(parts), self.fresh_index(*d));
                self.define(*v, *d * quotient + rest);
            }
            let shown = shown(self);
            self.restore(before);
            return shown;
        }
        if self.splits >= MAX_SPLITS {
            let about = match q {
                Question::NotNegative(n) => format!(", the last by whether `{n} >= 0`"),
                _ => String::new(),
            };
            return self.limited(|| {
                format!("the proof needs more than {MAX_SPLITS} cases in each other{about}")
            });
        }
        self.splits += 1;
        let both = [true, false].into_iter().all(|yes| {
            let before = self.known();
            match q {
                Question::NotNegative(n) => {
                    self.suppose(if yes { *n } else { Nat::int(-1) - *n });
                }
                Question::Holds(c) => self.truths.push((c.clone(), yes)),
                Question::Divide(..) => {}
            }
            let shown = shown(self);
            self.restore(before);
            shown
        });
        self.splits -= 1;
        both
    }

    /// `n >= 0` as a bound of an index, where it is one.
    fn narrow(&mut self, n: Nat) {
        for (mono, c) in n.terms() {
            let (Some(c), [(atom, 1)]) = (c.as_int(), &mono.factors().collect::<Vec<_>>()[..])
            else {
                continue;
            };
            let AtomKind::Var(v) = atom.kind() else {
                continue;
            };
            let Some((lo, hi)) = self.facts.range_of(v) else {
                continue;
            };
            let rest = n - Nat::atom(*atom) * Nat::int(c);
            let mut others = false;
            rest.each_atom(&mut |a| {
                others |= matches!(a.kind(), AtomKind::Var(v) if self.facts.range_of(v).is_some());
            });
            match c {
                _ if others => {}
                // Bounds that are minima of minima would cost more than they are worth.
                1 if self.is_not_negative(Nat::int(0) - rest - lo) => {
                    self.memo.changed();
                    self.facts.range(v, Nat::int(0) - rest, hi);
                }
                -1 if self.is_not_negative(hi - rest) => {
                    self.memo.changed();
                    self.facts.range(v, lo, rest);
                }
                _ => {}
            }
            if let Some((only, _)) = self.facts.range_of(v).filter(|r| r.0 == r.1) {
                self.define(v, only);
                return;
            }
        }
    }

    /// `n >= 0` until what is known is restored.
    pub fn suppose(&mut self, n: Nat) {
        self.narrow(n);
        self.memo.changed();
        self.more.push(n);
    }

    /// Runs what may take no more than some steps; what would take more is not shown.
    pub fn sparing(
        &mut self,
        steps: u32,
        run: impl FnOnce(&mut Context) -> Res<bool>,
    ) -> Res<bool> {
        let before = self.work.get();
        let part = before.min(steps);
        self.work.set(part);
        let result = run(self);
        let exhausted = self.work.get() == 0;
        self.work.set(before - part + self.work.get());
        match result {
            Err(Stuck::Unknown(_)) if exhausted => Ok(false),
            other => other,
        }
    }

    /// What is known, to go back to it.
    pub fn known(&self) -> Known {
        Known {
            facts: self.facts.clone(),
            state: self.memo.state(),
            more: self.more.len(),
            truths: self.truths.len(),
            defined: self.defined.len(),
            named: self.named.len(),
        }
    }

    pub fn restore(&mut self, known: Known) {
        self.facts = known.facts;
        self.memo.back_to(known.state);
        self.more.truncate(known.more);
        self.truths.truncate(known.truths);
        self.defined.truncate(known.defined);
        self.named.truncate(known.named);
    }

    /// Any value of a type.
    pub fn fresh(&mut self, ty: Ty) -> Val {
        self.fresh += 1;
        Val::neutral(Head::Fresh(self.fresh), ty)
    }

    /// Any index below `n`, which is positive then.
    pub fn fresh_index(&mut self, n: Nat) -> Nat {
        if n.as_int() == Some(1) {
            return Nat::int(0);
        }
        let name = self.symbol();
        self.declare(name, n);
        Nat::var(name)
    }

    /// A new variable.
    pub fn symbol(&mut self) -> Symbol {
        self.fresh += 1;
        // No size has a name like this.
        Symbol::new(&format!("i.{}", self.fresh))
    }

    /// Whether a variable that is newer than this one stands in an expression.
    pub fn mentions_later(&self, n: Nat, var: Symbol) -> bool {
        let age = |v: Symbol| v.as_str().strip_prefix("i.")?.parse::<u32>().ok();
        let mut later = false;
        self.seen(n).each_atom(&mut |a| {
            if let AtomKind::Var(v) = a.kind() {
                later |= age(v) > age(var);
            }
        });
        later
    }

    /// A variable is an index below `n`, which is positive then.
    pub fn declare(&mut self, name: Symbol, n: Nat) {
        let n = self.seen(n);
        self.memo.changed();
        self.facts.range(name, Nat::int(0), n - Nat::int(1));
        if !self.facts.is_not_negative(n - Nat::int(1)) {
            self.memo.changed();
            self.facts.positive(n);
        }
    }

    /// What is found out of variables meanwhile is forgotten.
    pub fn apart<T>(&mut self, run: impl FnOnce(&mut Context) -> T) -> T {
        let known = self.known();
        let result = run(self);
        self.restore(known);
        result
    }

    /// The index that a value is.
    pub fn index(&mut self, v: &Val) -> Res<Nat> {
        let n = match v {
            Val::Index(i) => return Ok(self.simplify(*i)),
            Val::Neutral(n) => n,
            _ => return self.stuck("an index that is none"),
        };
        let crate::ty::TyKind::Idx(size) = n.ty().kind() else {
            return self.stuck("an index that is none");
        };
        if let Some(i) = scalars::converted(self, n, size)? {
            return Ok(i);
        }
        for i in 0..self.named.len() {
            let (known, name) = self.named[i].clone();
            if equal::same(self, &known, n) {
                return Ok(name);
            }
        }
        let name = self.fresh_index(size);
        self.named.push((n.clone(), name));
        Ok(name)
    }

    /// Indices in an expression that have a name since then.
    pub fn named_in(&self, n: Nat, since: &Known) -> Vec<(Neutral, Nat)> {
        let new = self.named[since.named..].iter();
        let stands = |name: &Nat| match name.as_atom().map(|a| a.kind()) {
            Some(AtomKind::Var(v)) => n.mentions(v),
            _ => false,
        };
        new.filter(|(_, name)| stands(name)).cloned().collect()
    }

    /// How many indices have a name.
    pub fn names(&self) -> usize {
        self.named.len()
    }

    /// The names of indices since there were so many.
    pub fn names_from(&self, count: usize) -> Vec<(Neutral, Nat)> {
        self.named.get(count..).unwrap_or_default().to_vec()
    }

    /// Names for indices.
    pub fn name(&mut self, indices: Vec<(Neutral, Nat)>) {
        for (index, name) in indices {
            if let (Some(AtomKind::Var(v)), crate::ty::TyKind::Idx(n)) =
                (name.as_atom().map(|a| a.kind()), index.ty().kind())
            {
                self.declare(v, n);
            }
            self.named.push((index, name));
        }
    }

    /// Counts a step of work.
    pub fn work(&self) -> Res<()> {
        match self.spend(1) {
            true => Ok(()),
            false => self.stuck("the proof takes too many steps"),
        }
    }

    fn spend(&self, steps: u32) -> bool {
        let rest = self.work.get().checked_sub(steps);
        self.work.set(rest.unwrap_or(0));
        rest.is_some()
    }

    pub fn stuck<T>(&self, why: &str) -> Res<T> {
        Err(Stuck::Unknown(why.to_string()))
    }

    pub fn too_deep(&self) -> bool {
        self.depth >= MAX_DEPTH || self.work.get() == 0
    }

    /// Notes what could not be shown of the sides themselves: the first is what a reader looks for, what is tried on the way
    /// to it says little.
    pub fn not_shown(&mut self, gap: impl FnOnce(&mut Context) -> Gap) -> bool {
        if self.inside == 0 && self.why.is_none() {
            self.why = Some(gap(self));
        }
        false
    }

    /// Notes a limit that was met, in case that nothing else is known.
    pub fn limited(&mut self, what: impl FnOnce() -> String) -> bool {
        if self.limit.is_none() {
            self.limit = Some(Gap::new(what()));
        }
        false
    }

    /// Runs what compares parts of unknowns.
    pub fn within<T>(&mut self, run: impl FnOnce(&mut Context) -> T) -> T {
        self.inside += 1;
        let result = run(self);
        self.inside -= 1;
        result
    }

    /// What holds now holds in every case.
    pub fn begin(&mut self) {
        self.assumed = self.more.len();
    }

    /// What is not negative in the present case.
    pub fn cases(&self) -> Vec<Nat> {
        let own = self.more.get(self.assumed..).unwrap_or_default();
        own.iter().map(|n| self.simplify(*n)).collect()
    }
}

/// The difference of the operands of an innermost minimum or maximum.
fn open_choice(n: Nat) -> Option<Nat> {
    let mut open = None;
    n.each_atom(&mut |a| {
        if let AtomKind::Min(x, y) | AtomKind::Max(x, y) = a.kind() {
            if open.is_none() {
                open = Some(open_choice(x).or_else(|| open_choice(y)).unwrap_or(y - x));
            }
        }
    });
    open
}

/// Whether questions about an expression are cheap: their cost grows fast with roundings in roundings.
fn manageable(n: Nat) -> bool {
    let mut atoms = 0;
    n.each_atom(&mut |_| atoms += 1);
    atoms <= MAX_ATOMS
}
