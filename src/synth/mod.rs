//! Rules found where rewriting is stuck.
//!
//! In: expressions that the present rules leave, with what is assumed of them. Out: rules that rewrite them, each proved by the
//! verdicts of `verify`, ordered by `termination`, and of use to an expression it was found for. A left side is a part of an
//! expression with variables for its parts ([`left`]); a right side is what the present rules make of another form of it, or the
//! least term with the same values at many points ([`right`]); numbers become constants ([`general`]), and what they must satisfy
//! is the weakest of fixed forms ([`condition`]). Points only suggest: nothing is given that is not proved.
//! Invariant: the same expressions, rules and limits give the same rules; limits are counts. Absent: files, printing.

mod again;
mod assist;
mod condition;
mod forms;
mod general;
mod generalise;
mod harvest;
mod isolated;
mod join;
mod left;
mod minimise;
mod points;
mod problems;
mod records;
mod right;
mod solving;
mod statement;

pub use again::{again, Again};
pub use assist::{complete, is_whole, weakest, Given, Helped};
pub use generalise::generalise;
pub use harvest::{corpus, LeftOut};
pub use join::{join, Joined};
pub use left::{canonical, left_sides, Left, MOST_LEAVES};
pub use minimise::{minimise, Benefit, Minimised};
pub use problems::problems;
pub use records::{Attempt, Hear, Records};
pub use solving::{synthesise_solver, Aim};
pub use statement::{of as rule_text, text};

use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Node, Op, Rule, Sort, Value, VarClass};
use crate::simplify::{build, Book, Facts, Simplifier};
use crate::solve::{decreases, Order};
use crate::termination::{self, greater};
use crate::verify::{self, Certificates, Point, Tools};
use condition::Lattice;
use general::{general, General, Mode};
use points::Points;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An expression that is to become simpler, what is assumed of it, and where it stands.
#[derive(Clone, Debug)]
pub struct Question {
    pub e: Expr,
    pub facts: Vec<Expr>,
    pub place: String,
}

/// Limits in counts, and what is known of earlier runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Left sides that are looked at, in all rounds together.
    pub budget: usize,
    /// Rounds: rules of one are used on the expressions of the next.
    pub rounds: usize,
    pub records: Records,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            budget: 400,
            rounds: 3,
            records: Records::default(),
        }
    }
}

/// A rule that was found.
#[derive(Clone, Debug)]
pub struct Found {
    pub rule: Rule,
    /// The expression that it was found for, as the rules before left it, and where that stands.
    pub from: Expr,
    pub place: String,
    /// What proved it.
    pub by: String,
    /// How the right side was found.
    pub how: How,
    /// To how many expressions it is applied in the end.
    pub fires: usize,
}

/// How a right side was found.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// The present rules make it of another form of the left side.
    Forms,
    /// Terms were tried, from small to large.
    Trying,
    /// It is the other result of a critical pair.
    Pair,
}

/// What was tried, and why it came to nothing.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Left sides that were looked at.
    pub left_sides: usize,
    /// Of these, for which no right side was found.
    pub without_right_side: usize,
    /// Statements that were refuted, that stayed unknown, that are not ordered.
    pub refuted: usize,
    pub unknown: usize,
    pub unordered: usize,
    /// Rules that others made superfluous afterwards.
    pub superfluous: usize,
    /// Left sides that the budget did not allow.
    pub left: usize,
}

impl Counts {
    fn each(&mut self, other: &Counts, change: impl Fn(usize, usize) -> usize) {
        let own = [
            (&mut self.left_sides, other.left_sides),
            (&mut self.without_right_side, other.without_right_side),
            (&mut self.refuted, other.refuted),
            (&mut self.unknown, other.unknown),
            (&mut self.unordered, other.unordered),
            (&mut self.superfluous, other.superfluous),
            (&mut self.left, other.left),
        ];
        for (own, other) in own {
            *own = change(*own, other);
        }
    }

    fn add(&mut self, other: &Counts) {
        self.each(other, usize::saturating_add);
    }

    /// What came since then.
    fn since(mut self, before: &Counts) -> Counts {
        self.each(before, usize::saturating_sub);
        self
    }
}

/// All that was found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub found: Vec<Found>,
    pub counts: Counts,
    /// Of what solvers proved.
    pub certificates: Certificates,
}

/// Hears what is under way.
pub type Tell<'a> = &'a mut dyn FnMut(&str);

/// Rules for these expressions, which come behind the present ones.
pub fn synthesise(
    questions: &[Question],
    rules: &[Rule],
    tools: &Tools,
    options: &Options,
    tell: Tell,
) -> Outcome {
    let mut work = Work::new(rules, tools);
    work.rounds(
        options,
        tell,
        |work, seen| work.left_sides(questions, seen),
        Work::attempt,
    );
    work.without_superfluous();
    work.without_idle(|work| work.applied(questions));
    work.outcome
}

/// A left side that is looked at.
struct Task {
    left: Expr,
    /// What it is equal to, if that is known.
    right: Option<Expr>,
    /// Facts of its variables that hold in the expression.
    facts: Vec<Expr>,
    from: Expr,
    place: String,
}

struct Work<'a> {
    tools: &'a Tools,
    /// The present rules and those that were found.
    rules: Vec<Rule>,
    given: usize,
    book: Rc<Book>,
    outcome: Outcome,
    /// Whether statements count that are not ordered.
    unordered_too: bool,
    /// The order of a solver, if rules are for one.
    aim: Option<Order>,
}

/// Points for a right side, and more of them for one that was found.
const POINTS: usize = 64;
const MORE_POINTS: usize = 400;
/// With fewer points at which all facts hold, nothing is tried.
const FEWEST_POINTS: usize = 16;
/// Statements that are tried for one choice of constants, and choices for one right side.
const STATEMENTS: usize = 9;
const CHOICES: usize = 3;

impl<'a> Work<'a> {
    fn new(rules: &[Rule], tools: &'a Tools) -> Work<'a> {
        Work {
            tools,
            rules: rules.to_vec(),
            given: rules.len(),
            book: Rc::new(Book::new(rules.to_vec())),
            outcome: Outcome::default(),
            unordered_too: false,
            aim: None,
        }
    }

    /// Tries what left sides there are, until a round finds no rule or the budget is spent.
    fn rounds(
        &mut self,
        options: &Options,
        tell: Tell,
        left_sides: impl Fn(&mut Self, &mut BTreeSet<(String, String)>) -> Vec<Task>,
        attempt: impl Fn(&mut Self, &Task),
    ) {
        let mut seen = BTreeSet::new();
        for round in 1..=options.rounds {
            let before = self.outcome.found.len();
            let lefts = left_sides(self, &mut seen);
            for (i, task) in lefts.iter().enumerate() {
                if self.outcome.counts.left_sides == options.budget {
                    self.outcome.counts.left += lefts.len() - i;
                    break;
                }
                tell(&format!(
                    "round {round}: {} of {} left sides, {} rules",
                    i + 1,
                    lefts.len(),
                    self.outcome.found.len()
                ));
                self.remembering(task, &options.records, &attempt);
            }
            if self.outcome.found.len() == before || self.outcome.counts.left > 0 {
                break;
            }
        }
    }

    /// New left sides of what the rules leave of the expressions, small ones first.
    fn left_sides(
        &self,
        questions: &[Question],
        seen: &mut BTreeSet<(String, String)>,
    ) -> Vec<Task> {
        let mut tasks = Vec::new();
        for q in questions {
            let mut simplifier = Simplifier::new(self.book.clone());
            q.facts.iter().for_each(|f| simplifier.assume(*f));
            let stuck = simplifier.simplify(q.e);
            for left in left_sides(stuck) {
                let pattern = left.pattern;
                for facts in [Vec::new(), facts_of(&left, simplifier.facts())] {
                    let key = (abstracted(pattern), format!("{facts:?}"));
                    if seen.insert(key) {
                        tasks.push(Task {
                            left: pattern,
                            right: None,
                            facts,
                            from: stuck,
                            place: q.place.clone(),
                        });
                    }
                }
            }
        }
        // What holds everywhere comes before what holds where facts say so.
        let some = |t: &Task| !t.facts.is_empty();
        tasks.sort_by_cached_key(|t| (some(t), left::rank(t.left), format!("{:?}", t.facts)));
        tasks
    }

    fn attempt(&mut self, task: &Task) {
        let mut simplifier = Simplifier::new(self.book.clone());
        let left = left::rebuilt(task.left);
        if !matches!(left.node(), Node::Apply(..)) || simplifier.simplify(left) != left {
            return;
        }
        self.outcome.counts.left_sides += 1;
        let mut tried = BTreeSet::new();
        for (right, how) in self.right_sides(left, &task.facts) {
            if tried.insert(right) && self.accept(left, right, &task.facts, how, task) {
                return;
            }
        }
        self.outcome.counts.without_right_side += usize::from(tried.is_empty());
    }

    /// What a left side may become under what is assumed.
    fn right_sides(&self, left: Expr, assumed: &[Expr]) -> Vec<(Expr, How)> {
        let mut simplifier = Simplifier::new(self.book.clone());
        assumed.iter().for_each(|f| simplifier.assume(*f));
        let mut found: Vec<(Expr, How)> = (right::by_forms(left, &mut simplifier).into_iter())
            .map(|e| (e, How::Forms))
            .collect();
        let vars: Vec<(Symbol, Kind)> = left.vars().into_iter().map(|v| (v.0, v.1.kind)).collect();
        let spoken = spoken(left);
        let points = Points::new(&vars, &spoken, assumed, POINTS, 1);
        if points.len() < FEWEST_POINTS {
            return found;
        }
        let more = Points::new(&vars, &spoken, assumed, MORE_POINTS, 2);
        let equal = |e: &Expr| more.values(*e) == more.values(left);
        let tried = right::by_trying(left, &numbers(&spoken), &points);
        let tried = tried.into_iter().filter(equal).map(|e| (e, How::Trying));
        match found.first().copied() {
            // Without rules for units, another form may keep some.
            Some((form, _)) => {
                let (smaller, rest): (Vec<_>, Vec<_>) = tried.partition(|t| greater(form, t.0));
                found.splice(0..0, smaller);
                found.extend(rest);
            }
            None => found.extend(tried),
        }
        found
    }

    /// Makes a rule of two sides, as general as is proved.
    fn accept(&mut self, left: Expr, right: Expr, facts: &[Expr], how: How, task: &Task) -> bool {
        let mut seen = BTreeSet::new();
        for mode in Mode::ALL {
            let all = general(left, right, facts, mode);
            let Some(first) = all.first() else { continue };
            if !seen.insert(first.left) {
                continue;
            }
            let lattice = Lattice::new(first.left, Some(&first.at), &first.facts, &spoken(left));
            let mut scored: Vec<(usize, &General)> =
                all.iter().map(|g| (lattice.score(g.right), g)).collect();
            scored.sort_by_key(|s| std::cmp::Reverse(s.0));
            let mut lattice = lattice;
            for (_, g) in scored.into_iter().take(CHOICES) {
                let name = self.name(g.left);
                let Some((rule, by)) = self.prove(&name, g.left, g.right, &mut lattice) else {
                    continue;
                };
                if self.pays(&rule, task) {
                    self.take(rule, by, how, task);
                    return true;
                }
            }
        }
        false
    }

    /// The rule under the weakest condition that is found, if it is proved and ordered.
    fn prove(
        &mut self,
        name: &str,
        left: Expr,
        right: Expr,
        lattice: &mut Lattice,
    ) -> Option<(Rule, String)> {
        let mut rejected = BTreeSet::new();
        for _ in 0..STATEMENTS {
            let all = lattice.conjunctions(right);
            let conjunction = all.into_iter().find(|c| !rejected.contains(&c.parts))?;
            let asked = conjunction.parts;
            rejected.insert(asked.clone());
            let rule = statement::rule(name, left, right, &asked)?;
            let rule = match self.ordered(rule.clone()) {
                Some(rule) => rule,
                None if self.unordered_too => rule,
                None => {
                    self.outcome.counts.unordered += 1;
                    continue;
                }
            };
            let verdict = verify::alone(&rule, self.tools);
            match verdict {
                verify::Verdict::Proved(proved) if proved.needs.is_empty() => {
                    return Some((rule, proved.by));
                }
                verify::Verdict::Refuted(point) => {
                    self.outcome.counts.refuted += 1;
                    if let Some(point) = numbers_of(&point, &rule, left) {
                        rejected.remove(&asked);
                        lattice.learn(&point);
                        // Where no point tells them apart, it is left alone.
                        if lattice.conjunctions(right).iter().any(|c| c.parts == asked) {
                            rejected.insert(asked);
                        }
                    }
                }
                _ => self.outcome.counts.unknown += 1,
            }
        }
        None
    }

    /// The rule, behind all others, if it is ordered; perhaps with variables that stand for no constants.
    fn ordered(&self, rule: Rule) -> Option<Rule> {
        if let Some(order) = self.aim {
            return decreases(order, rule.lhs, rule.rhs).then_some(rule);
        }
        let verdict = |rule: &Rule| {
            let mut all = self.rules.clone();
            all.push(rule.clone());
            termination::order_of(&all, all.len() - 1)
        };
        let mut rule = rule;
        for _ in 0..3 {
            match verdict(&rule) {
                Ok(_) => return Some(rule),
                Err(termination::Why::Grows(case, _)) if !case.constants.is_empty() => {
                    let open: Vec<Symbol> = (rule.lhs.vars().into_iter())
                        .map(|v| v.0)
                        .filter(|v| {
                            let grows = case.constants.iter().any(|c| c.0 == *v);
                            grows || crate::scalar::is_open(*v)
                        })
                        .collect();
                    rule = statement::without_constants(&rule, &open)?;
                }
                Err(_) => return None,
            }
        }
        None
    }

    /// Whether the expression it was found for gets smaller by it.
    fn pays(&self, rule: &Rule, task: &Task) -> bool {
        if self.aim.is_some() {
            // Whatever it is applied to is nearer.
            return true;
        }
        let alone = Rc::new(Book::new(vec![rule.clone()]));
        let mut simplifier = Simplifier::new(alone);
        task.facts.iter().for_each(|f| simplifier.assume(*f));
        let left = left::rebuilt(task.left);
        let after = simplifier.simplify(left);
        after != left && greater(left, after)
    }

    fn take(&mut self, rule: Rule, by: String, how: How, task: &Task) {
        let verdict = verify::Verdict::Proved(verify::Proved {
            by: by.clone(),
            ..verify::Proved::default()
        });
        self.outcome.certificates.add(&rule, &verdict);
        self.rules.push(rule.clone());
        self.book = Rc::new(Book::new(self.rules.clone()));
        self.outcome.found.push(Found {
            rule,
            from: task.from,
            place: task.place.clone(),
            by,
            how,
            fires: 0,
        });
    }

    /// `found-min-2`: by the operator and a number.
    fn name(&self, left: Expr) -> String {
        let word = match left.node() {
            Node::Apply(op, _) => word(op),
            _ => "term",
        };
        let taken: BTreeSet<&str> = self.rules.iter().map(|r| r.name.as_str()).collect();
        let names = (1..).map(|n| format!("found-{word}-{n}"));
        let mut free = names.filter(|n| !taken.contains(&**n));
        free.next().unwrap_or_else(|| "found".to_string())
    }

    /// Drops rules whose left sides all the others rewrite to something as small.
    fn without_superfluous(&mut self) {
        let mut i = 0;
        while i < self.outcome.found.len() {
            let mut others = self.rules.clone();
            let rule = others.remove(self.given + i);
            if instances(&rule).is_some_and(|all| {
                let book = Rc::new(Book::new(others.clone()));
                all.iter().all(|(left, right, facts)| {
                    let mut simplifier = Simplifier::new(book.clone());
                    facts.iter().for_each(|f| simplifier.assume(*f));
                    let after = simplifier.simplify(*left);
                    after == *right
                        || greater(*right, after)
                        || after == simplifier.simplify(*right)
                })
            }) {
                self.rules = others;
                self.outcome.found.remove(i);
                self.outcome.counts.superfluous += 1;
            } else {
                i += 1;
            }
        }
        self.book = Rc::new(Book::new(self.rules.clone()));
    }

    /// Drops rules that are applied to no expression, until all are to some; `applied` says which are to each.
    fn without_idle(&mut self, applied: impl Fn(&Self) -> Vec<BTreeSet<Symbol>>) {
        loop {
            let mut fires: BTreeMap<Symbol, usize> = BTreeMap::new();
            for name in applied(self).into_iter().flatten() {
                *fires.entry(name).or_default() += 1;
            }
            let mut idle = BTreeSet::new();
            for found in &mut self.outcome.found {
                found.fires = fires.get(&found.rule.name).copied().unwrap_or(0);
                if found.fires == 0 {
                    idle.insert(found.rule.name);
                }
            }
            if idle.is_empty() {
                return;
            }
            self.outcome.found.retain(|f| !idle.contains(&f.rule.name));
            self.rules.retain(|r| !idle.contains(&r.name));
            self.outcome.counts.superfluous += idle.len();
            self.book = Rc::new(Book::new(self.rules.clone()));
        }
    }

    /// The rules that are applied to each expression.
    fn applied(&self, questions: &[Question]) -> Vec<BTreeSet<Symbol>> {
        let of = |q: &Question| {
            let mut simplifier = Simplifier::new(self.book.clone());
            q.facts.iter().for_each(|f| simplifier.assume(*f));
            simplifier.record();
            simplifier.simplify(q.e);
            simplifier.steps().iter().filter_map(|s| s.rule).collect()
        };
        questions.iter().map(of).collect()
    }
}

/// Constants that satisfy the condition, in a few ways: both sides there, and what is assumed of terms.
fn instances(rule: &Rule) -> Option<Vec<(Expr, Expr, Vec<Expr>)>> {
    let vars = rule.lhs.vars();
    let constants: Vec<(Symbol, Kind)> = (vars.iter())
        .filter(|v| VarClass::of(v.0) == VarClass::Constant)
        .map(|v| (v.0, v.1.kind))
        .collect();
    let (facts, asked): (Vec<Expr>, Vec<Expr>) = (rule.condition.conjuncts().into_iter())
        .filter(|e| e.as_bool() != Some(true))
        .partition(|e| matches!(e.node(), Node::Apply(Op::Prove, _)));
    let points = Points::new(&constants, &[2, 4, 8], &asked, 12, 3);
    let mut found = Vec::new();
    for at in 0..points.len() {
        let row = points.row(at);
        let number = |v: Symbol| row.get(&v).and_then(|n| Expr::checked_int((*n).into()));
        let here = |e: Expr| left::rebuilt(e.replace(&number));
        let assumed = facts.iter().flat_map(|f| f.args()).map(here).collect();
        found.push((here(rule.lhs), here(rule.rhs), assumed));
    }
    (!found.is_empty()).then_some(found)
}

/// A counterexample as numbers, under the names that the left side has.
fn numbers_of(point: &Point, rule: &Rule, left: Expr) -> Option<BTreeMap<Symbol, i64>> {
    let names = rule.lhs.vars().into_iter().map(|v| v.0);
    let own = left.vars().into_iter().map(|v| v.0);
    let mut found = BTreeMap::new();
    for (name, own) in names.zip(own) {
        let n = match point.get(&name)? {
            Value::Int(n) => i64::try_from(*n).ok()?,
            Value::Bool(b) => (*b).into(),
            Value::Vector(_) => return None,
        };
        found.insert(own, n);
    }
    Some(found)
}

/// The numbers of an expression.
fn spoken(e: Expr) -> Vec<i64> {
    let mut found = BTreeSet::new();
    e.visit(&mut |part| found.extend(part.as_int()));
    found.into_iter().collect()
}

/// Numbers that a right side may have: units, those of the left side, and what two of them make.
fn numbers(spoken: &[i64]) -> Vec<i64> {
    let mut found = vec![0, 1, -1];
    found.extend(spoken);
    for (i, a) in spoken.iter().enumerate() {
        found.extend(a.checked_neg());
        for (j, b) in spoken.iter().enumerate() {
            if i != j {
                let both = [
                    a.checked_add(*b),
                    a.checked_sub(*b),
                    a.checked_mul(*b),
                    a.checked_div_euclid(*b),
                ];
                found.extend(both.into_iter().flatten());
            }
        }
    }
    found.push(2);
    let mut seen = BTreeSet::new();
    found.retain(|n| seen.insert(*n) && *n != i64::MIN);
    found.truncate(14);
    found
}

/// A pattern as text in which numbers other than units do not show.
fn abstracted(e: Expr) -> String {
    fn hide(e: Expr) -> Expr {
        match e.node() {
            Node::Int(n) if n.unsigned_abs() > 1 => {
                let sign = if n < 0 { "-k" } else { "k" };
                Expr::var(Symbol::new(sign), Sort::INT)
            }
            Node::Apply(op, args) => {
                let parts: Vec<Expr> = args.iter().map(|a| hide(*a)).collect();
                Expr::of(op, &parts)
            }
            _ => e,
        }
    }
    hide(left::rebuilt(e)).to_string()
}

/// What is assumed of the parts that the variables of a left side stand for; what holds of them anyway is for rules without facts.
fn facts_of(left: &Left, facts: &Facts) -> Vec<Expr> {
    let parts: BTreeSet<Expr> = left.stands.values().copied().collect();
    if parts.len() < left.stands.len() {
        return Vec::new();
    }
    let nothing = Facts::new();
    let ints: Vec<(Expr, Expr)> = (left.stands.iter())
        .filter(|(_, e)| e.sort() == Sort::INT)
        .map(|(name, e)| (Expr::var(*name, Sort::INT), *e))
        .collect();
    let numbers: Vec<i64> = spoken(left.pattern)
        .into_iter()
        .filter(|n| *n > 1)
        .collect();
    let zero = Expr::int(0);
    let mut found = Vec::new();
    let mut note = |op: Op, (a, a_stands): (Expr, Expr), (b, b_stands): (Expr, Expr)| {
        let goal = build(op, &[a_stands, b_stands]);
        let known = facts.decide(goal) == Some(true) && nothing.decide(goal).is_none();
        if known {
            found.push(Expr::of(op, &[a, b]));
        }
        known
    };
    for x in &ints {
        let _ = note(Op::Lt, (zero, zero), *x) || note(Op::Le, (zero, zero), *x);
        for n in &numbers {
            let n = Expr::int(*n);
            let rest = |e: Expr| build(Op::Mod, &[e, n]);
            note(Op::Lt, *x, (n, n));
            note(Op::Eq, (rest(x.0), rest(x.1)), (zero, zero));
        }
        for y in ints.iter().filter(|y| y.0 != x.0) {
            let _ = note(Op::Lt, *x, *y) || note(Op::Le, *x, *y);
        }
    }
    found
}

fn word(op: Op) -> &'static str {
    use Op::*;
    match op {
        Add => "add",
        Sub => "sub",
        Mul => "mul",
        Div => "div",
        Mod => "mod",
        Min => "min",
        Max => "max",
        Eq => "eq",
        Ne => "ne",
        Lt => "lt",
        Le => "le",
        Gt => "gt",
        Ge => "ge",
        And => "and",
        Or => "or",
        Not => "not",
        Select => "select",
        Broadcast => "broadcast",
        Ramp => "ramp",
        Prove => "prove",
    }
}
