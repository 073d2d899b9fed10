//! Rules for a solver, from an order alone.
//!
//! In: expressions with one variable that is to be isolated, an order ([`Order`]). Out: rules whose right sides are nearer to a
//! solution, proved. A left side is a part that has the target, with `t0`, `t1` … for parts with it and `n0`, `n1` … for parts
//! without; right sides are those of [`isolated`]. Absent: what simplifies.

use super::isolated::rights;
use super::left::marked_left_sides;
use super::points::Points;
use super::{abstracted, facts_of, left, spoken};
use super::{
    How, Options, Outcome, Question, Task, Tell, Work, FEWEST_POINTS, MORE_POINTS, POINTS,
};
use crate::intern::Symbol;
use crate::scalar::{is_open, Expr, Kind, Rule};
use crate::solve::{decreases, form, Form, Order, Rules, Solver};
use crate::verify::Tools;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What rules are found for.
#[derive(Copy, Clone, Debug)]
pub struct Aim {
    pub target: Symbol,
    pub order: Order,
}

/// Rules that isolate the target of these expressions, behind the present ones.
pub fn synthesise_solver(
    questions: &[Question],
    aim: Aim,
    rules: &[Rule],
    tools: &Tools,
    options: &Options,
    tell: Tell,
) -> Outcome {
    let mut work = Work::new(rules, tools);
    work.aim = Some(aim.order);
    work.rounds(
        options,
        tell,
        |work, seen| work.marked(questions, aim.target, seen),
        |work, task| work.isolate(task, aim.order),
    );
    work.without_idle(|work| work.isolates(questions, aim.target));
    work.outcome
}

impl Work<'_> {
    fn solver(&self) -> Rc<Rules> {
        Rc::new(Rules::new(&self.rules))
    }

    /// New left sides of what the rules leave of the expressions, those of most expressions first.
    fn marked(
        &self,
        questions: &[Question],
        target: Symbol,
        seen: &mut BTreeSet<(String, String)>,
    ) -> Vec<Task> {
        let rules = self.solver();
        let has_target = |e: Expr| e.vars().iter().any(|v| v.0 == target);
        let mut tasks: BTreeMap<(String, String), (usize, Task)> = BTreeMap::new();
        for q in questions.iter().filter(|q| has_target(q.e)) {
            let mut solver = Solver::new(rules.clone(), target);
            q.facts.iter().for_each(|f| solver.assume(*f));
            let stuck = solver.solve(q.e);
            if solver.form(stuck) != Form::Open {
                continue;
            }
            for left in marked_left_sides(stuck, &has_target) {
                let pattern = left.pattern;
                for facts in [Vec::new(), facts_of(&left, solver.simplifier().facts())] {
                    let key = (abstracted(pattern), format!("{facts:?}"));
                    let task = || Task {
                        left: pattern,
                        right: None,
                        facts: facts.clone(),
                        from: stuck,
                        place: q.place.clone(),
                    };
                    tasks.entry(key).or_insert_with(|| (0, task())).0 += 1;
                }
            }
        }
        let mut tasks: Vec<(usize, Task)> = (tasks.into_iter())
            .filter(|(key, _)| seen.insert(key.clone()))
            .map(|(_, task)| task)
            .collect();
        let some = |t: &Task| !t.facts.is_empty();
        tasks.sort_by_cached_key(|(count, t)| {
            let often = std::cmp::Reverse(*count);
            let leaves = left::leaves(t.left);
            (
                some(t),
                leaves > SMALL,
                often,
                left::rank(t.left),
                format!("{:?}", t.facts),
            )
        });
        tasks.into_iter().map(|t| t.1).collect()
    }

    /// A rule for a left side, if one is found.
    fn isolate(&mut self, task: &Task, order: Order) {
        let mut solver = Solver::of_patterns(self.solver());
        task.facts.iter().for_each(|f| solver.assume(*f));
        let left = task.left;
        let now = solver.solve(left);
        if solver.form(left) != Form::Open || solver.measure(now) < solver.measure(left) {
            return;
        }
        self.outcome.counts.left_sides += 1;
        let found = self.isolating(left, &task.facts, order);
        self.outcome.counts.without_right_side += usize::from(found.is_empty());
        for right in found {
            if self.accept(left, right, &task.facts, How::Trying, task) {
                return;
            }
        }
    }

    /// Right sides that agree with the left one at all points and are nearer.
    fn isolating(&self, left: Expr, facts: &[Expr], order: Order) -> Vec<Expr> {
        let vars: Vec<(Symbol, Kind)> = left.vars().into_iter().map(|v| (v.0, v.1.kind)).collect();
        let spoken = spoken(left);
        let points = Points::new(&vars, &spoken, facts, POINTS, 1);
        if points.len() < FEWEST_POINTS {
            return Vec::new();
        }
        let more = Points::new(&vars, &spoken, facts, MORE_POINTS, 2);
        let equal = |e: &Expr| more.values(*e) == more.values(left);
        let mut found = rights(left, &spoken, &points);
        found.retain(|e| decreases(order, left, *e) && equal(e));
        found.sort_by_key(|e| form(*e, &is_open));
        found.truncate(MOST_RIGHTS);
        found
    }

    /// The rules that are applied to each expression.
    fn isolates(&self, questions: &[Question], target: Symbol) -> Vec<BTreeSet<Symbol>> {
        let rules = self.solver();
        let of = |q: &Question| {
            let mut solver = Solver::new(rules.clone(), target);
            q.facts.iter().for_each(|f| solver.assume(*f));
            solver.record();
            solver.solve(q.e);
            solver.steps().iter().filter_map(|s| s.rule).collect()
        };
        questions.iter().map(of).collect()
    }
}

/// Left sides of more leaves come later.
const SMALL: usize = 4;
/// Right sides that are proved, at most.
const MOST_RIGHTS: usize = 6;
