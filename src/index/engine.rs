//! Questions about indices, asked of the simplifier.
//!
//! Comes in: an operation or a number, and what lowering knows; goes out: what rules and facts make of it. A question is
//! asked under the assumptions about its own variables and about those in their ranges, and about no others: so few
//! simplifiers serve a whole program, and what is logged can be read. What was asked once is remembered as long as the
//! assumptions stay.
//!
//! Note [Units]
//! Where 32 divides n, n is written as `32*(n/32)`, and `(n/32)` is a variable: then quotients by 32 are sums and
//! products like all others. Its name is the text that it stands for, so that it can be read again.

use super::convert::{to_expr, to_nat};
use super::queries::{Queries, Query};
use super::{divisions, Facts};
use crate::arith::{lcm, Atom, AtomKind, Mono, Nat, Rat};
use crate::intern::Symbol;
use crate::scalar::{Expr, Op};
use crate::simplify::{build, Simplifier};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::rc::Rc;

/// The number of what is assumed, among [`Engine::contexts`].
type Context = usize;
/// The number of some variables, among [`Engine::groups`].
type Group = usize;

/// What is known of the variables of a number, and of those in their ranges: the facts about no others, in their order.
#[derive(Default, Debug)]
pub struct View {
    facts: Vec<Nat>,
    /// The numbers of these facts up to each of them, as if there were no others.
    states: Vec<u32>,
}

impl View {
    /// Each is not negative.
    pub fn facts(&self) -> &[Nat] {
        &self.facts
    }

    /// The numbers of the facts up to each of them.
    pub fn states(&self) -> &[u32] {
        &self.states
    }

    /// The number of all of them: the same has the same number, as that of `Facts::state`.
    pub fn state(&self) -> u32 {
        self.states.last().copied().unwrap_or(0)
    }
}

#[derive(Default)]
pub(super) struct Engine {
    contexts: IndexMap<Rc<[Expr]>, Simplifier, FxBuildHasher>,
    /// What held and what was added, numbered from 1: nothing has the number 0.
    states: FxHashMap<(u32, Nat), u32>,
    pub(super) ages: u64,
    /// As long as ranges stay.
    values: FxHashMap<(u32, AtomKind), Nat>,
    signs: FxHashMap<(u32, Nat), bool>,
    /// By contexts: these say all that an answer rests on. Elsewhere in a program much of it holds again.
    values_in: FxHashMap<(Context, AtomKind), Nat>,
    signs_in: FxHashMap<(Context, Nat), bool>,
    /// Variables with those in their ranges, ordered by their ids.
    groups: IndexSet<Rc<[Symbol]>, FxBuildHasher>,
    /// Those of numbers, as long as ranges stay.
    grouped: FxHashMap<Nat, Group>,
    /// The number of what of the facts is about them, and what is assumed there.
    about: FxHashMap<(u32, Group), u32>,
    chains: FxHashMap<Group, Chain>,
    is_about: FxHashMap<(Nat, Group), bool>,
    assumptions: FxHashMap<(u32, Group), Context>,
    /// By their numbers.
    views: FxHashMap<u32, Rc<View>>,
    /// As expressions, whatever holds.
    comparisons: FxHashMap<Nat, Option<Expr>>,
    /// Sizes as multiples, see Note [Units]; of so many whole sizes.
    units: Vec<Unit>,
    wholes: usize,
    /// Variables about which something was asked.
    seen: FxHashSet<Symbol>,
    pub(super) queries: Queries,
}

/// The facts among which those about some variables were looked for last: their numbers, and those of the ones found up to each.
#[derive(Default)]
struct Chain {
    all: Vec<u32>,
    own: Vec<u32>,
}

struct Unit {
    size: Symbol,
    divisor: Nat,
    name: Symbol,
}

impl Engine {
    /// A variable has another range now.
    pub(super) fn forget_answers_about(&mut self, var: Symbol) {
        if self.seen.contains(&var) {
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.ages += 1;
        self.values.clear();
        self.signs.clear();
        self.grouped.clear();
        self.about.clear();
        self.chains.clear();
        self.is_about.clear();
        self.assumptions.clear();
    }

    /// A number for the facts that hold now.
    fn state(&mut self, facts: &Facts) -> u32 {
        if self.wholes != facts.whole.len() {
            self.wholes = facts.whole.len();
            self.units = units(facts);
            self.forget();
            self.values_in.clear();
            self.signs_in.clear();
        }
        facts.state()
    }

    /// A number for the facts of another one with one more.
    pub(super) fn after(&mut self, state: u32, n: Nat) -> u32 {
        let next = self.states.len() as u32 + 1;
        *self.states.entry((state, n)).or_insert(next)
    }

    fn enter(&self, n: Nat) -> Nat {
        if self.units.is_empty() {
            n
        } else {
            n.subst_vars(&mut |v| {
                let unit = self.units.iter().find(|u| u.size == v)?;
                Some(unit.divisor * Nat::var(unit.name))
            })
        }
    }

    fn leave(&self, n: Nat) -> Nat {
        if self.units.is_empty() {
            n
        } else {
            n.subst_vars(&mut |v| {
                let unit = self.units.iter().find(|u| u.name == v)?;
                Some(Nat::var(unit.size).exact_div(unit.divisor))
            })
        }
    }

    /// What an operation is.
    pub(super) fn operation(&mut self, facts: &Facts, kind: AtomKind) -> Nat {
        let key = (self.state(facts), kind);
        if let Some(known) = self.values.get(&key) {
            return *known;
        }
        let value = kind.map(&mut |n| self.enter(n)).value();
        let value = value.map_atoms(&mut |a| match a.kind() {
            AtomKind::Var(_) => None,
            _ => Some(self.atom(facts, a)),
        });
        let value = self.leave(value);
        self.values.insert(key, value);
        value
    }

    /// What an operation is that the normal form of `arith` keeps.
    fn atom(&mut self, facts: &Facts, a: Atom) -> Nat {
        let key = (self.context(facts, Nat::atom(a)), a.kind());
        if let Some(known) = self.values_in.get(&key) {
            return *known;
        }
        let value = self.find(facts, a);
        self.values_in.insert(key, value);
        value
    }

    fn find(&mut self, facts: &Facts, a: Atom) -> Nat {
        use AtomKind::*;
        match a.kind() {
            // What the quotient leaves, where that is simple.
            Mod(x, d) => {
                let quotient = x.floor_div(d).map_atoms(&mut |a| match a.kind() {
                    Floor(..) => Some(self.by_rules(facts, a)),
                    _ => None,
                });
                if !quotient.has_operations() {
                    return x - d * quotient;
                }
            }
            Min(x, y) | Max(x, y) => {
                let least = matches!(a.kind(), Min(..));
                if self.sign(facts, y - x) {
                    return if least { x } else { y };
                }
                if self.sign(facts, x - y) {
                    return if least { y } else { x };
                }
            }
            _ => {}
        }
        let value = self.by_rules(facts, a);
        if divisions(value) > 0 {
            let (context, e) = (self.context(facts, value), to_expr(value));
            self.log(context, e, Query::Division);
        }
        value
    }

    fn by_rules(&mut self, facts: &Facts, a: Atom) -> Nat {
        let plain = Nat::atom(a);
        let Some(e) = to_expr(plain) else {
            return plain;
        };
        let context = self.context(facts, plain);
        let simple = self.contexts[context].simplify(e);
        if simple == e {
            plain
        } else {
            to_nat(simple).unwrap_or(plain)
        }
    }

    /// Whether `n >= 0` is known.
    pub(super) fn is_not_negative(&mut self, facts: &Facts, n: Nat) -> bool {
        let key = (self.state(facts), n);
        if let Some(known) = self.signs.get(&key) {
            return *known;
        }
        let inside = self.enter(n);
        let known = self.sign(facts, inside);
        self.signs.insert(key, known);
        known
    }

    fn sign(&mut self, facts: &Facts, n: Nat) -> bool {
        if let Some(r) = n.as_rat() {
            return r >= Rat::ZERO;
        }
        let Some(goal) = self.not_negative(n) else {
            return false;
        };
        let context = self.context(facts, n);
        let key = (context, n);
        if let Some(known) = self.signs_in.get(&key) {
            return *known;
        }
        let simplifier = &mut self.contexts[context];
        let answer = match n.has_operations() {
            true => simplifier.prove(goal),
            // Rules are about operations: sums and products are up to the facts.
            false => simplifier.facts().decide(goal),
        };
        self.queries
            .asked(self.assumptions_of(context), goal, answer);
        self.signs_in.insert(key, answer == Some(true));
        answer == Some(true)
    }

    /// Notes a comparison that the program has to make.
    pub(super) fn undecided(&mut self, facts: &Facts, a: Nat, b: Nat) {
        self.state(facts);
        let n = self.enter(b - a - 1.into());
        let (context, goal) = (self.context(facts, n), self.not_negative(n));
        self.log(context, goal, Query::Bound);
    }

    /// Notes the extent of a loop.
    pub(super) fn extent(&mut self, facts: &Facts, n: Nat) {
        self.state(facts);
        let n = self.enter(n);
        let context = self.context(facts, n);
        self.log(context, to_expr(n), Query::Extent);
    }

    fn log(&mut self, context: Context, e: Option<Expr>, query: Query) {
        if let Some(e) = e.filter(|e| e.as_bool().is_none()) {
            self.queries.stuck(query, self.assumptions_of(context), e);
        }
    }

    fn assumptions_of(&self, context: Context) -> Rc<[Expr]> {
        self.contexts.keys()[context].clone()
    }

    /// What is assumed of the variables of numbers, and of those that this brings.
    fn context(&mut self, facts: &Facts, about: Nat) -> Context {
        self.state(facts);
        let group = self.group(facts, about);
        let key = (self.about(facts, group), group);
        if let Some(known) = self.assumptions.get(&key) {
            return *known;
        }
        let view = self.view(facts, group);
        let assumptions = self.assumed_of(facts, group, &view);
        let entry = self.contexts.entry(assumptions.clone());
        let context = entry.index();
        entry.or_insert_with(|| {
            let mut s = Simplifier::shipped();
            s.assume_all(&assumptions);
            s
        });
        self.assumptions.insert(key, context);
        context
    }

    /// The number of what of the facts answers to questions about a number rest on.
    pub(super) fn state_about(&mut self, facts: &Facts, n: Nat) -> u32 {
        let group = self.group_of(facts, n);
        self.about(facts, group)
    }

    /// That itself.
    pub(super) fn view_about(&mut self, facts: &Facts, n: Nat) -> Rc<View> {
        let group = self.group_of(facts, n);
        self.view(facts, group)
    }

    fn group_of(&mut self, facts: &Facts, n: Nat) -> Group {
        self.state(facts);
        let n = self.enter(n);
        self.group(facts, n)
    }

    /// The variables of a number, and those in their ranges.
    fn group(&mut self, facts: &Facts, about: Nat) -> Group {
        if let Some(known) = self.grouped.get(&about) {
            return *known;
        }
        let mut open = about.vars().to_vec();
        let mut found: Vec<Symbol> = Vec::new();
        while let Some(v) = open.pop() {
            if found.contains(&v) {
                continue;
            }
            found.push(v);
            let range = facts.ranges.get(&v);
            for bound in range.iter().flat_map(|r| [r.0, r.1]) {
                open.extend(self.enter(bound).vars().iter());
            }
        }
        self.seen.extend(&found);
        found.sort_unstable_by_key(|v| v.id());
        let group = self.groups.insert_full(found.into()).0;
        self.grouped.insert(about, group);
        group
    }

    /// The number of the facts about some variables. From the last facts on that they were looked for among, those that follow
    /// are looked at.
    fn about(&mut self, facts: &Facts, group: Group) -> u32 {
        let Some(last) = facts.states.last() else {
            return 0;
        };
        let key = (*last, group);
        if let Some(known) = self.about.get(&key) {
            return *known;
        }
        let mut chain = self.chains.remove(&group).unwrap_or_default();
        // A number says all facts before it, too.
        let (mut same, mut end) = (0, chain.all.len().min(facts.states.len()));
        while same < end {
            let middle = (same + end) / 2;
            match chain.all[middle] == facts.states[middle] {
                true => same = middle + 1,
                false => end = middle,
            }
        }
        chain.all.truncate(same);
        chain.own.truncate(same);
        let mut now = chain.own.last().copied().unwrap_or(0);
        for i in same..facts.states.len() {
            let n = facts.at_least_zero[i];
            if self.is_about(n, group) {
                now = self.after(now, n);
            }
            chain.all.push(facts.states[i]);
            chain.own.push(now);
        }
        self.chains.insert(group, chain);
        self.about.insert(key, now);
        now
    }

    /// Whether a fact is about these variables and no others.
    fn is_about(&mut self, n: Nat, group: Group) -> bool {
        if let Some(known) = self.is_about.get(&(n, group)) {
            return *known;
        }
        let inside = self.enter(n).vars();
        let own = &self.groups[group];
        let is_own = |v: &Symbol| own.binary_search_by_key(&v.id(), |w| w.id()).is_ok();
        let is = inside.iter().all(is_own);
        self.is_about.insert((n, group), is);
        is
    }

    /// What of the facts is about some variables.
    fn view(&mut self, facts: &Facts, group: Group) -> Rc<View> {
        let state = self.about(facts, group);
        if let Some(known) = self.views.get(&state) {
            return known.clone();
        }
        let mut view = View::default();
        for n in &facts.at_least_zero {
            if self.is_about(*n, group) {
                let next = self.after(view.state(), *n);
                view.facts.push(*n);
                view.states.push(next);
            }
        }
        let view = Rc::new(view);
        self.views.insert(state, view.clone());
        view
    }

    /// Sizes first, then variables in the order of their loops.
    fn assumed_of(&mut self, facts: &Facts, group: Group, view: &View) -> Rc<[Expr]> {
        let place = |v: &Symbol| (facts.ranges.get(v).map(|r| r.2), *v);
        let mut vars: Vec<_> = self.groups[group].iter().map(place).collect();
        vars.sort_unstable();
        let mut all = Vec::new();
        for (_, v) in &vars {
            let var = Nat::var(*v);
            let bounds = match facts.ranges.get(v) {
                None => vec![var],
                Some((lo, hi, _)) => vec![var - self.enter(*lo), self.enter(*hi) - var],
            };
            all.extend(bounds.into_iter().filter_map(|n| self.not_negative(n)));
        }
        for n in view.facts() {
            let n = self.enter(*n);
            let known = self.not_negative(n).filter(|e| !all.contains(e));
            all.extend(known);
        }
        all.retain(|e| e.as_bool().is_none());
        all.into()
    }

    /// `n >= 0`, made once.
    fn not_negative(&mut self, n: Nat) -> Option<Expr> {
        let known = self.comparisons.entry(n);
        *known.or_insert_with(|| not_negative(n))
    }
}

/// `n >= 0`, with sums on both sides that nothing is taken from; `None` for what has no expression.
pub fn not_negative(n: Nat) -> Option<Expr> {
    let (n, _) = n.fraction();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut constant = 0;
    for (m, c) in n.terms() {
        match m.is_one() {
            true => constant = c.as_int()?,
            false if c < Rat::ZERO => left.push((m, c.neg()?)),
            false => right.push((m, c)),
        }
    }
    let side =
        |terms: Vec<(Mono, Rat)>, more: i64| to_expr(Nat::from_terms(terms) + Nat::int(more));
    match constant {
        0.. if right.is_empty() => {
            let more = constant.checked_add(1)?;
            Some(build(Op::Lt, &[side(left, 0)?, side(right, more)?]))
        }
        0.. => Some(build(Op::Le, &[side(left, 0)?, side(right, constant)?])),
        _ => Some(build(
            Op::Lt,
            &[side(left, -(constant + 1))?, side(right, 0)?],
        )),
    }
}

/// Sizes that are multiples of others, see Note [Units].
fn units(facts: &Facts) -> Vec<Unit> {
    let mut found: Vec<(Symbol, i64, Mono)> = Vec::new();
    for whole in &facts.whole {
        let [(m, c)] = &whole.terms()[..] else {
            continue;
        };
        let over: Vec<_> = m.factors().filter(|f| f.1 > 0).collect();
        let [(a, 1)] = over[..] else { continue };
        let AtomKind::Var(size) = a.kind() else {
            continue;
        };
        let under = Mono::atom(a).div(m);
        // Nothing is 1/32 of a size that is 2/3 of another; such wholes stay as they are.
        if c.num() != 1 || facts.ranges.contains_key(&size) {
            continue;
        }
        match found.iter_mut().find(|f| f.0 == size) {
            Some((_, k, same)) if *same == under => *k = lcm(*k, c.den()),
            Some(_) => {}
            None => found.push((size, c.den(), under)),
        }
    }
    // A size that stands in the divisor of another is no multiple itself.
    let divides = |s: Symbol, all: &[(Symbol, i64, Mono)]| {
        let mut parts = all.iter().flat_map(|f| f.2.atoms());
        parts.any(|a| a.kind() == AtomKind::Var(s))
    };
    let all = found.clone();
    found.retain(|f| !divides(f.0, &all));
    let unit = |(size, k, under): (Symbol, i64, Mono)| {
        let divisor = Nat::from_terms([(under, Rat::int(k))]);
        let name = Symbol::new(&format!("({size}/{})", in_parentheses(divisor)));
        Unit {
            size,
            divisor,
            name,
        }
    };
    found.into_iter().map(unit).collect()
}

fn in_parentheses(n: Nat) -> String {
    if n.as_int().is_some() || n.as_atom().is_some() {
        n.to_string()
    } else {
        format!("({n})")
    }
}
