//! Guides: sketches between a program and a goal that one step does not reach.
//!
//! In: a program, a step with all rules that may be used and the goal. Out: a chain of steps that leads to the goal, with the
//! reason for each, and every search that was tried. A goal says several things at once, its [`Layer`]s; left out one by one they
//! give weaker sketches, and the rules of a layer, which are known by what they introduce, lead from one to the next. The order in
//! which layers are added is found by trying: the likely orders first, with few e-nodes; what is not reached is tried with more
//! rules, then by the parts of its sketch, then with more e-nodes. Invariants: bounded by [`WORK`] e-nodes; limits in counts, so
//! that the same input gives the same chain; each step of the chain was run as it is returned. Absent: files, names of rules and
//! programs.

mod erase;
mod layers;
mod loops;

pub use layers::{of_rule, Layer, Layers};

use super::{saturate, Diagnosis, Near, Options, Stop};
use crate::elab::{sketch_text, Limits, RuleDecl, RuleUse, Sketch, SketchKind, Step};
use crate::rule;
use crate::sketch::Goal;
use crate::term::{normalize, Program, Term};
use erase::{erase, stages, Start};
use std::collections::BTreeSet;
use std::time::Instant;

/// E-nodes of all searches together.
pub const WORK: u64 = 3_000_000;
/// E-nodes of a search, round by round.
const ROUNDS: [u64; 4] = [16_000, 50_000, 150_000, 500_000];
/// Iterations of a search.
const ITERATIONS: u64 = 14;
/// Sketches of parts that are tried where a link is not reached, and how often one after the other.
const PARTS: usize = 2;
const DEPTH: usize = 3;

/// A step of a chain.
#[derive(Clone, Debug)]
pub struct Link {
    /// It, with its rules and its sketch.
    pub step: Step,
    /// Why it is there.
    pub why: String,
    /// What it finds.
    pub found: Term,
}

/// A search that was tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Try {
    /// What was there already, and what was to be added.
    pub what: String,
    /// How many rules it had.
    pub rules: usize,
    /// How far it went.
    pub iterations: u64,
    /// E-nodes at its end.
    pub nodes: u64,
    /// Whether it reached its sketch.
    pub reached: bool,
}

/// What came of all searches.
#[derive(Clone, Debug)]
pub struct Guides {
    /// The chain, if the goal was reached.
    pub chain: Option<Vec<Link>>,
    /// Every search, in order.
    pub tries: Vec<Try>,
    /// E-nodes of all of them.
    pub nodes: u64,
}

/// Looks for guides from a program to the sketch of a step.
pub fn guides(program: &Program, goal: &Step, options: &Options) -> Guides {
    let term = super::start(program);
    find(&term, goal, options, WORK)
}

/// The same from a term, with other bounds.
pub(super) fn find(term: &Term, goal: &Step, options: &Options, work: u64) -> Guides {
    let start = Start::new(term);
    let mut s = Search {
        layers: present(goal, &start),
        start,
        goal,
        options,
        work,
        round: 0,
        failed: BTreeSet::new(),
        ended: Vec::new(),
        chain: Vec::new(),
        tries: Vec::new(),
        nodes: 0,
    };
    let mut reached = false;
    while !reached && s.round < ROUNDS.len() && !s.spent() {
        s.failed.clear();
        reached = s.from(Layers::default(), term);
        s.round += 1;
    }
    Guides {
        chain: reached.then_some(s.chain),
        tries: s.tries,
        nodes: s.nodes,
    }
}

/// Sketches that are weaker than a goal and that a term does not satisfy yet, those with fewer layers first.
pub(super) fn weaker(goal: &Sketch, term: &Term) -> Vec<Sketch> {
    use Layer::*;
    let start = Start::new(term);
    let sets: [&[Layer]; 7] = [
        &[Choice],
        &[Choice, Tiles],
        &[Choice, Tiles, Order],
        &[Choice, Tiles, Order, Kept],
        &[Choice, Tiles, Order, Vectors],
        &[Choice, Tiles, Order, Kept, Vectors],
        &[Choice, Tiles, Order, Vectors, Form],
    ];
    let layered = sets.map(|set| erase(goal, Layers::of(set.iter().copied()), &start));
    let stages = [Tiles, Order].map(|l| stages(goal, l, &start));
    let mut seen = vec![sketch_text(goal)];
    let mut all: Vec<Sketch> = layered
        .into_iter()
        .chain(stages.into_iter().flatten())
        .collect();
    all.retain(|s| {
        let text = sketch_text(s);
        let new = !seen.contains(&text) && !Goal::new(s, term.lambdas()).accepts(term);
        seen.push(text);
        new
    });
    all
}

/// The layers that a goal has.
fn present(goal: &Step, start: &Start) -> Layers {
    let all = Layers::of(Layer::ALL);
    let text = |kept: Layers| sketch_text(&erase(&goal.sketch, kept, start));
    let whole = text(all);
    let differs = |l: &Layer| {
        let without = Layers::of([*l]);
        let (with, rest) = match l {
            // Without an order there is nothing else.
            Layer::Tiles | Layer::Order => {
                let below = Layers::of(Layer::ALL.into_iter().take_while(|o| o < l));
                (text(below.and(without)), text(below))
            }
            _ => (whole.clone(), text(all.without(without))),
        };
        with != rest
    };
    Layers::of(Layer::ALL.into_iter().filter(differs))
}

struct Search<'a> {
    goal: &'a Step,
    start: Start,
    options: &'a Options,
    layers: Layers,
    work: u64,
    round: usize,
    /// What led nowhere in this round.
    failed: BTreeSet<Layers>,
    /// Searches that more e-nodes do not help: nothing changed any more, or there were no more iterations.
    ended: Vec<(Term, String, usize)>,
    chain: Vec<Link>,
    tries: Vec<Try>,
    nodes: u64,
}

impl Search<'_> {
    fn spent(&self) -> bool {
        let late = self.options.until.is_some_and(|u| Instant::now() >= u);
        late || self.nodes >= self.work || crate::interrupt::asked()
    }

    /// Whether the goal is reached from a term that has some layers.
    fn from(&mut self, kept: Layers, term: &Term) -> bool {
        if kept == self.layers && !self.chain.is_empty() {
            return true;
        }
        for next in self.nexts(kept) {
            if self.failed.contains(&next) || self.spent() {
                continue;
            }
            let whole = next == self.layers;
            let sketch = match whole {
                true => self.goal.sketch.clone(),
                false => erase(&self.goal.sketch, next, &self.start),
            };
            let mark = self.chain.len();
            let found = match !whole && Goal::new(&sketch, term.lambdas()).accepts(term) {
                true => Some(term.clone()),
                false => self.link(kept, next, &sketch, term),
            };
            if let Some(found) = found {
                if self.from(next, &found) {
                    return true;
                }
            }
            self.chain.truncate(mark);
        }
        self.failed.insert(kept);
        false
    }

    /// What to add next, the likeliest first.
    fn nexts(&self, kept: Layers) -> Vec<Layers> {
        let rest = self.layers.without(kept);
        if self.layers.is_empty() {
            return vec![kept];
        }
        let mut out: Vec<Layers> = Vec::new();
        let mut add = |more: Layers| {
            let next = kept.and(more);
            if !more.is_empty() && more.within(rest) && !out.contains(&next) {
                out.push(next);
            }
        };
        let first = [Layer::Choice, Layer::Tiles];
        if let Some(l) = first.into_iter().find(|l| rest.has(*l)) {
            add(Layers::of([l]));
            add(rest);
            return out;
        }
        if rest.within(Layers::of([Layer::Vectors, Layer::Form])) {
            add(rest);
        }
        let ordered = |more: Layers| !rest.has(Layer::Order) || more.has(Layer::Order);
        // A rule that does two things at once says that they are done together.
        for used in &self.goal.rules {
            let both = self.layers_of(&used.rule);
            if both.len() > 1 && ordered(both) {
                add(both);
            }
        }
        for l in rest.iter() {
            if ordered(Layers::of([l])) {
                add(Layers::of([l]));
            }
        }
        add(rest);
        for a in rest.iter() {
            for b in rest.iter().filter(|b| *b > a) {
                if ordered(Layers::of([a, b])) {
                    add(Layers::of([a, b]));
                }
            }
        }
        out
    }

    /// The layers of a rule. Where nothing is to be kept, places where data lies serve the order of loops.
    fn layers_of(&self, rule: &RuleDecl) -> Layers {
        let layers = of_rule(rule);
        let places = layers == Layers::of([Layer::Kept]) && !layers::keeps(rule);
        match places && !self.layers.has(Layer::Kept) {
            true => Layers::of([Layer::Order]),
            false => layers,
        }
    }

    /// Sets of rules for what is added, each larger than the one before: those that make it, with those that help, in later
    /// rounds with those for what is there already, then with all.
    fn rules(&self, kept: Layers, next: Layers) -> Vec<Vec<RuleUse>> {
        let with_lanes = |layers: Layers| match layers.has(Layer::Form) {
            true => layers.and(Layers::of([Layer::Vectors])),
            false => layers,
        };
        let (adds, all) = (with_lanes(next.without(kept)), with_lanes(next));
        let known = rule::distinct(&self.goal.rules);
        let at_once =
            |u: &RuleUse| self.layers_of(&u.rule).len() > 1 && self.layers_of(&u.rule) == adds;
        let joint = known.iter().any(at_once);
        let fits = |u: &RuleUse| {
            let layers = self.layers_of(&u.rule);
            // Where one rule makes vectors and more, none has to make them alone.
            layers.within(adds) && !(joint && layers == Layers::of([Layer::Vectors]))
        };
        let makes =
            |u: &RuleUse| fits(u) && (!self.layers_of(&u.rule).is_empty() || is_eta(&u.rule));
        let helps = |u: &RuleUse| fits(u);
        let wide = |u: &RuleUse| self.round > 0 && self.layers_of(&u.rule).within(all);
        let mut out: Vec<Vec<RuleUse>> = Vec::new();
        // What is taken apart or changes places has to be brought into a form first.
        let moves = adds.has(Layer::Tiles) || adds.has(Layer::Order);
        let alone = |u: &RuleUse| !moves && makes(u);
        let every = |_: &RuleUse| self.round > 1 || self.layers.is_empty();
        for fits in [&alone as &dyn Fn(&RuleUse) -> bool, &helps, &wide, &every] {
            let rules: Vec<RuleUse> = known.iter().filter(|u| fits(u)).cloned().collect();
            if out.last().map_or(0, Vec::len) < rules.len() {
                out.push(by_file(rules));
            }
        }
        out
    }

    /// Searches for a sketch; what is found, and the steps to it in the chain.
    fn link(&mut self, kept: Layers, next: Layers, sketch: &Sketch, term: &Term) -> Option<Term> {
        let adds = next.without(kept);
        let what = match kept.is_empty() {
            true => adds.to_string(),
            false => format!("{adds}, after {kept}"),
        };
        let what = match adds.is_empty() {
            true => "the goal".to_string(),
            false => what,
        };
        let why = match next == self.layers {
            true => format!("the goal: {adds}"),
            false => adds.to_string(),
        };
        let sets = self.rules(kept, next);
        for rules in &sets {
            let step = self.step(sketch.clone(), rules.clone());
            let found = self.split(&what, &why, step, term, 0);
            if found.is_some() {
                return found;
            }
        }
        let step = self.step(sketch.clone(), sets.last()?.clone());
        self.staged(&what, &why, &step, adds, term)
    }

    /// Loop by loop, where loops are taken apart or change places.
    fn staged(
        &mut self,
        what: &str,
        why: &str,
        step: &Step,
        adds: Layers,
        term: &Term,
    ) -> Option<Term> {
        let layer = [Layer::Tiles, Layer::Order]
            .into_iter()
            .find(|l| adds.has(*l))?;
        let stages = stages(&self.goal.sketch, layer, &self.start);
        if stages.is_empty() {
            return None;
        }
        let mark = self.chain.len();
        let (part, reason) = (
            format!("a part of {what}"),
            format!("a part of what follows ({why})"),
        );
        let mut term = term.clone();
        for sketch in stages {
            if Goal::new(&sketch, term.lambdas()).accepts(&term) {
                continue;
            }
            let between = Step {
                sketch,
                ..step.clone()
            };
            let found = match self.run(&part, &between, &term, false) {
                Some(Ok(found)) => found,
                _ => {
                    self.chain.truncate(mark);
                    return None;
                }
            };
            self.chain.push(Link {
                step: between,
                why: reason.clone(),
                found: found.clone(),
            });
            term = found;
        }
        // Without a stage it is the search that was made already.
        if self.chain.len() == mark {
            return None;
        }
        let found = self.split(what, why, step.clone(), &term, 0);
        if found.is_none() {
            self.chain.truncate(mark);
        }
        found
    }

    fn step(&self, sketch: Sketch, rules: Vec<RuleUse>) -> Step {
        Step {
            rules,
            limits: Limits {
                iterations: None,
                nodes: None,
                ..self.goal.limits.clone()
            },
            sketch,
            ..self.goal.clone()
        }
    }

    /// Searches for the sketch of a step, in later rounds also by way of its parts.
    fn split(
        &mut self,
        what: &str,
        why: &str,
        step: Step,
        term: &Term,
        depth: usize,
    ) -> Option<Term> {
        let apart = self.round > 0 && depth < DEPTH;
        let diagnosis = match self.run(what, &step, term, apart)? {
            Ok(found) => {
                self.chain.push(Link {
                    step,
                    why: why.to_string(),
                    found: found.clone(),
                });
                return Some(found);
            }
            Err(diagnosis) => diagnosis,
        };
        let guides = diagnosis.instead.map_or(Vec::new(), |i| i.guides);
        let moved = |g: &Near| !Goal::new(&g.goal, term.lambdas()).accepts(term);
        let new = guides.into_iter().filter(moved);
        for guide in new.take(PARTS) {
            let mark = self.chain.len();
            let part = format!("parts of {what}");
            let between = Step {
                sketch: guide.goal,
                ..step.clone()
            };
            let Some(Ok(found)) = self.run(&part, &between, term, false) else {
                continue;
            };
            if found == *term {
                continue;
            }
            self.chain.push(Link {
                step: between,
                why: format!("parts of the next sketch, as far as one step comes ({why})"),
                found: found.clone(),
            });
            if let Some(found) = self.split(what, why, step.clone(), &found, depth + 1) {
                return Some(found);
            }
            self.chain.truncate(mark);
        }
        None
    }

    /// One search; none if the bounds are reached.
    fn run(
        &mut self,
        what: &str,
        step: &Step,
        term: &Term,
        diagnose: bool,
    ) -> Option<Result<Term, Diagnosis>> {
        if self.spent() || step.rules.is_empty() {
            return None;
        }
        let key = (term.clone(), sketch_text(&step.sketch), step.rules.len());
        if self.ended.contains(&key) {
            return None;
        }
        let least = |a: u64, b: Option<u64>| b.map_or(a, |b| a.min(b));
        let left = self.work.saturating_sub(self.nodes);
        let options = Options {
            nodes: Some(least(ROUNDS[self.round].min(left), self.options.nodes)),
            iterations: Some(least(ITERATIONS, self.options.iterations)),
            seconds: self.options.seconds,
            until: self.options.until,
            bytes: self.options.bytes,
            observer: self.options.observer.clone(),
            trying: Some(what.to_string()),
            diagnose,
            ..Options::default()
        };
        let run = saturate::run(step, term, &options, (1, 1));
        let size = run.trace.size();
        self.nodes += size.nodes;
        self.tries.push(Try {
            what: what.to_string(),
            rules: step.rules.len(),
            iterations: run.trace.iterations.len() as u64,
            nodes: size.nodes,
            reached: run.result.is_ok(),
        });
        match run.trace.stop {
            Stop::Interrupted => return None,
            Stop::Saturated | Stop::Iterations(_) => self.ended.push(key),
            _ => {}
        }
        Some(run.result)
    }
}

/// Whether a rule only gives a function its argument.
fn is_eta(rule: &RuleDecl) -> bool {
    normalize(&rule.lhs) == normalize(&rule.rhs)
}

/// Rules in the order in which a file names them: file by file.
fn by_file(rules: Vec<RuleUse>) -> Vec<RuleUse> {
    let mut files = Vec::new();
    for used in &rules {
        if !files.contains(&used.rule.span.file) {
            files.push(used.rule.span.file);
        }
    }
    let mut out = Vec::with_capacity(rules.len());
    for file in files {
        out.extend(rules.iter().filter(|u| u.rule.span.file == file).cloned());
    }
    out
}

/// Whether a sketch asks for the cheapest term.
pub fn is_endless(s: &Sketch) -> bool {
    matches!(s.kind, SketchKind::Cheapest(_))
}
