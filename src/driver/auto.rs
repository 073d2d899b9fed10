//! A program without a sketch: which schedule is best, found by trying.
//!
//! In: the input, what the user permits. Out: every schedule that was tried, how it ended, and which one to take. A schedule is
//! searched for as a user's sketches are, within bounds in counts; what is found is lowered and estimated at sizes that
//! stand for all, unless they are fixed. The same input gives the same answer, unless a limit in seconds ends the searches. Absent: files.

use super::candidates::{alone, best, cost, is_worth_trying, rank, Cycles, Ended, Tried};
use super::input::Input;
use super::sizes::supposed;
use super::trust::Trust;
use crate::cost::Cost;
use crate::diag::Diagnostic;
use crate::elab::{self, Step};
use crate::estimate::{cycles, limit, Limit, Machine, Sizes};
use crate::exec::sizes::Effort;
use crate::lower::{self, lower};
use crate::nest::{abi, Nest};
use crate::obligation::{Assumption, Known};
use crate::report::candidates::{Candidate, Candidates, Roofline, SizeClass};
use crate::report::in_order;
use crate::report::tuning::TuningRecord;
use crate::schedule::{
    self, first, preparations, schedules, Kept, Permits, Schedule, Space, Sums, Variants,
};
use crate::search;
use crate::source::{FileId, SourceMap};
use crate::syntax::{parse, print, Dialect};
use crate::term::{Program, Term};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

/// E-nodes of all searches together, where nothing is measured: about a second; where something is; and of one step.
const WORK: u64 = 130_000;
const WORK_MEASURED: u64 = 400_000;
const EACH: u64 = 25_000;
/// Which part of all may be spent on what programs are prepared to, before any kernel is looked for.
const PREPARING: (u64, u64) = (3, 5);
/// And before tiles are no longer looked for, which take most: the rest is for what does without.
const TILING: (u64, u64) = (3, 4);
/// Reductions that are taken apart, one after the other.
const ROUNDS: usize = 6;
/// Loops over columns that become loops over rows.
const COLUMNS: usize = 3;
/// Loops in each other that leave out what they do not read.
const UNREAD: usize = 3;
/// Iterations of a step.
const ITERATIONS: u64 = 16;

/// What is written where nothing is taken: a file whose sketch the program satisfies.
const NONE: &str = "-- No schedule that was tried is estimated to be faster than the program as it stands.\nsketch ?\n";

/// What came of all of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Auto {
    /// Cycles of the program as it stands, by the estimate; none where it is no kernel.
    pub plain: Option<f64>,
    /// The same with one thread, where it may be taken.
    pub plain_alone: Option<f64>,
    /// The sizes that were estimated at.
    pub sizes: Sizes,
    pub tried: Vec<Tried>,
    /// The one to take; none where the program as it stands is as good.
    pub best: Option<usize>,
    /// E-nodes of all searches.
    pub nodes: u64,
    /// The least cycles on this machine, where operations are counted.
    pub limit: Option<Limit>,
    /// Where classes of sizes were asked for: what they came to.
    pub by_size: Option<BySize>,
    /// Whether the program as it stands is not what was asked for: its sums shall be exact.
    pub demanded: bool,
}

/// What classes of sizes came to.
#[derive(Clone, PartialEq, Debug)]
pub struct BySize {
    pub variants: Variants,
    /// The sketch file of a kernel that chooses; none where it does not.
    pub text: Option<String>,
    /// Why it does not, although classes have different schedules.
    pub lost: Option<String>,
    pub(super) classes: Vec<Class>,
}

/// A class, with what it takes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Class {
    pub(super) what: String,
    pub(super) sizes: Vec<(String, i64)>,
    pub(super) plain: f64,
    /// Of what it takes.
    pub(super) cycles: Option<f64>,
    pub(super) takes: Option<usize>,
}

impl BySize {
    /// For the summary.
    fn report(&self) -> Vec<SizeClass> {
        let class = |class: &Class| SizeClass {
            what: class.what.clone(),
            sizes: class.sizes.clone(),
            plain: Some(class.plain),
            cycles: class.cycles,
            taken: class.takes,
            lost: self.lost.clone(),
        };
        self.classes.iter().map(class).collect()
    }
}

impl Auto {
    /// What to take, for all sizes.
    pub fn best(&self) -> Option<&Schedule> {
        Some(&self.tried.get(self.best?)?.schedule)
    }

    /// The sketches of what is taken; none where that is the program as it stands.
    pub fn steps(&self) -> Option<String> {
        let chosen = self.by_size.as_ref().and_then(|b| b.text.clone());
        chosen.or_else(|| self.best().map(Schedule::text))
    }

    /// The sketches of what sizes choose between.
    pub(super) fn text_of(&self, variants: &Variants) -> String {
        let schedules: Vec<_> = self.tried.iter().map(|t| &t.schedule).collect();
        variants.text(&schedules)
    }

    /// What is taken, in words.
    fn what(&self) -> Vec<String> {
        let says = |i: Option<usize>| match i.and_then(|i| self.tried.get(i)) {
            Some(t) => t.schedule.what.clone(),
            None => "as it stands".to_string(),
        };
        match self.by_size.as_ref().filter(|b| b.text.is_some()) {
            Some(by) => {
                let sides = by.variants.sides().into_iter();
                sides
                    .map(|(when, i)| format!("{when}: {}", says(i)))
                    .collect()
            }
            None => vec![says(self.best)],
        }
    }

    /// The sketch file of what is taken.
    pub fn text(&self) -> String {
        let what: String = (self.what().iter())
            .map(|w| format!("-- Found by `--auto`: {w}.\n"))
            .collect();
        let text = (self.steps()).map_or(NONE.to_string(), |steps| what + &steps);
        let parsed = parse(FileId::default(), &text, Dialect::Sketch);
        match parsed.diagnostics.is_empty() {
            true => print(&parsed, &text),
            false => text,
        }
    }

    /// How near what is taken comes to the machine's limit, at the usual sizes.
    fn roofline(&self) -> Option<Roofline> {
        let limit = self.limit?;
        let taken = self.best.and_then(|i| match self.tried[i].ended {
            Ended::Estimated(cycles, _) => Some(cycles),
            _ => None,
        });
        Some(Roofline {
            bound: limit.bound,
            rate: limit.rate,
            share: limit.cycles / taken.or(self.plain)?,
        })
    }

    /// Whether the estimate says that who has one thread waits longer than for the program as it stands.
    fn is_slower_alone(&self, t: &Tried) -> bool {
        let all = self.plain_alone.unwrap_or(f64::INFINITY);
        matches!(t.ended, Ended::Estimated(..)) && alone(t) > all
    }

    /// For the summary of a program.
    pub fn report(&self, program: &Program) -> Candidates {
        let all = self.tried.iter().map(|t| Candidate {
            what: t.schedule.what.clone(),
            cycles: match t.ended {
                Ended::Estimated(c, _) => Some(c),
                _ => None,
            },
            changes: t.schedule.changes,
            slower_alone: self.is_slower_alone(t),
            faster: t.measured.as_ref().and_then(TuningRecord::faster),
            lost: (t.ended.why()).or_else(|| t.measured.as_ref().and_then(|m| m.lost.clone())),
        });
        Candidates {
            sizes: (self.sizes.iter().map(|(s, n)| (s.to_string(), *n))).collect(),
            plain: self.plain,
            all: all.collect(),
            taken: self.best,
            nodes: self.nodes,
            classes: (self.by_size.as_ref()).map_or(Vec::new(), BySize::report),
            limit: self.roofline(),
            in_order: in_order::sentences(program),
        }
    }
}

/// Tries the schedules of a program.
pub fn auto(
    input: &Input,
    permits: Permits,
    space: Space,
    options: &search::Options,
    sources: &mut SourceMap,
) -> Auto {
    let sizes = supposed(&input.program, &input.fixed);
    Trial::new(input, (permits, space), (&sizes, &[]), options, sources)
        .auto(space)
        .0
}

/// What no kernel of a program is faster than.
fn limit_of(input: &Input, sizes: &Sizes) -> Option<Limit> {
    let effort = Effort::of(&input.program, sizes)?;
    let types = input.program.params.iter().map(|p| p.1);
    let leaves = types.chain([input.program.result]).map(abi::leaves);
    let leaves: Vec<_> = leaves.collect::<Option<Vec<_>>>()?.concat();
    // Of several types, that whose vectors are longest: more is not possible.
    let lanes = leaves.iter().map(|l| input.target.lanes(l.0)).max()?;
    let machine = Machine::of(input.target);
    Some(limit(effort.work, lanes, effort.bytes, &machine))
}

/// The input with the steps of a text, as if a file had held it.
pub fn adopt(
    input: &mut Input,
    text: &str,
    trust: Trust,
    sources: &mut SourceMap,
) -> Result<(), Vec<Diagnostic>> {
    let guide = read(input, text, sources, &mut elab::Books::default())?;
    input.unverified = trust.check(&guide.steps)?;
    input.steps = guide.steps;
    input.params = guide.params;
    Ok(())
}

pub(super) fn read(
    input: &Input,
    text: &str,
    sources: &mut SourceMap,
    books: &mut elab::Books,
) -> Result<elab::Guide, Vec<Diagnostic>> {
    let costs = Cost::ALL.map(|(name, _)| name);
    let around = elab::Surroundings {
        sizes: Some(&input.program.sizes),
        costs: &costs,
        target: input.target,
        ..Default::default()
    };
    let name = format!("{}.sk", input.program.name);
    let file = sources.add_text(&name, text);
    elab::steps_with(sources, file, &around, books)
}

pub(super) struct Trial<'a> {
    pub(super) input: &'a Input,
    permits: Permits,
    options: &'a search::Options,
    pub(super) sources: &'a mut SourceMap,
    /// The books that these have.
    pub(super) books: elab::Books,
    sizes: &'a Sizes,
    /// Sizes that stand for each class.
    pub(super) points: &'a [[Sizes; 2]],
    work: u64,
    /// What the program as it stands asks of sizes.
    assumed: Vec<Assumption>,
    /// What the first steps of a file lead to; where they are not reached, which one is not.
    known: BTreeMap<String, Result<Term, String>>,
    /// Steps that were read.
    steps: BTreeMap<String, Result<Rc<Step>, String>>,
    /// What has to be done before anything else, and what it leads to.
    begun: Option<(Schedule, Program)>,
    pub(super) nodes: u64,
    /// The kernel of the program as it stands, and of all that was tried, where nobody asked for classes of sizes.
    pub(super) standing: Option<Nest>,
    pub(super) kernels: Vec<Option<Nest>>,
    /// Whether they are kept.
    keeps: bool,
}

impl<'a> Trial<'a> {
    pub(super) fn new(
        input: &'a Input,
        (permits, space): (Permits, Space),
        (sizes, points): (&'a Sizes, &'a [[Sizes; 2]]),
        options: &'a search::Options,
        sources: &'a mut SourceMap,
    ) -> Trial<'a> {
        Trial {
            input,
            permits,
            options,
            sources,
            books: elab::Books::default(),
            sizes,
            points,
            assumed: Vec::new(),
            known: BTreeMap::new(),
            steps: BTreeMap::new(),
            begun: None,
            nodes: 0,
            standing: None,
            kernels: Vec::new(),
            keeps: space == Space::Small && points.is_empty(),
            work: match space {
                Space::Small if points.is_empty() => WORK,
                // What is good for one class is not for another one.
                _ => WORK_MEASURED,
            },
        }
    }

    /// All schedules, the best for all sizes, and the estimates of the program as it stands for each class.
    pub(super) fn auto(&mut self, space: Space) -> (Auto, Option<Vec<Cycles>>) {
        // Nobody approximates functions where nothing is scheduled.
        let plain = self.lowered(&self.input.program.term, false);
        self.assumed = (plain.iter().flat_map(|n| n.abi.assumptions.clone())).collect();
        self.standing = plain.ok();
        let plain = self.standing.as_ref().map(|n| self.estimates(n));
        for way in [schedule::of_steps, schedule::of_elements] {
            let way = way(&self.program());
            if let Some((way, program)) = way.and_then(|way| self.prepared_by(way)) {
                self.begun = Some((self.whole(way), program));
            }
        }
        if self.begun.is_none() {
            self.begun = self.without_names();
        }
        let exact = self.demanded();
        let demanded = exact.is_some();
        if let Some(way) = exact {
            let begun = self.prepared_by(way);
            let begun = begun.filter(|(_, program)| schedule::exact(program).is_none());
            self.begun = begun.map(|(way, program)| (self.whole(way), program));
        }
        let tried = match demanded && self.begun.is_none() {
            true => Vec::new(),
            false => self.tried(space),
        };
        let standing = plain.as_ref().filter(|_| !demanded);
        let (all, one) = standing.map_or((f64::INFINITY, f64::INFINITY), |p| p.0);
        let best = best(&tried, |t| cost(t, 0) < all && alone(t) <= one);
        let auto = Auto {
            best,
            plain: plain.as_ref().map(|p| p.0 .0),
            plain_alone: standing.map(|p| p.0 .1),
            sizes: self.sizes.clone(),
            tried,
            nodes: self.nodes,
            limit: limit_of(self.input, self.sizes),
            by_size: None,
            demanded,
        };
        (auto, plain.map(|p| p.1))
    }

    /// Without names of views, where that is all that changes.
    fn without_names(&mut self) -> Option<(Schedule, Program)> {
        let (way, wanted) = schedule::of_views(&self.input.program)?;
        let found = self.prepared_by(way);
        found.filter(|(_, program)| {
            let wanted = Program {
                term: wanted,
                ..program.clone()
            };
            search::start(program) == search::start(&wanted)
        })
    }

    /// What makes sums exact, where they shall be.
    fn demanded(&self) -> Option<Schedule> {
        match self.permits.sums {
            Sums::Exact => schedule::exact(&self.program()),
            _ => None,
        }
    }

    /// What schedules are of.
    fn program(&self) -> Program {
        match &self.begun {
            Some((_, program)) => program.clone(),
            None => self.input.program.clone(),
        }
    }

    /// A schedule of that, as one of the program.
    fn whole(&self, schedule: Schedule) -> Schedule {
        match &self.begun {
            Some((begun, _)) => Schedule {
                family: schedule.family,
                names: schedule.names,
                ..begun.then(&schedule)
            },
            None => schedule,
        }
    }

    /// All that is worth a trial, and what became of it.
    fn tried(&mut self, space: Space) -> Vec<Tried> {
        let mut tried = Vec::new();
        let work = self.work;
        self.work = work * PREPARING.0 / PREPARING.1;
        let mut all = self.schedules(space);
        let functions = schedule::approximates(&self.program(), self.permits);
        all.sort_by_key(|s| rank(s, functions));
        for schedule in all {
            if !(0..=self.points.len()).any(|at| is_worth_trying(&schedule, &tried, at)) {
                continue;
            }
            self.work = match schedule.has_tiles() {
                true => work * TILING.0 / TILING.1,
                false => work,
            };
            let (ended, kernel, term, by_class) = match self.run(&schedule) {
                Ok((((all, one), classes), term, kernel)) => {
                    let kernel = Some(kernel).filter(|_| self.keeps);
                    (Ended::Estimated(all, one), kernel, Some(term), classes)
                }
                Err(ended) => (ended, None, None, Vec::new()),
            };
            self.kernels.push(kernel);
            tried.push(Tried {
                schedule,
                ended,
                by_class,
                term,
                measured: None,
            });
        }
        self.work = work;
        tried
    }

    /// Those of the program, then those of what it can be prepared to.
    fn schedules(&mut self, space: Space) -> Vec<Schedule> {
        let (target, permits) = (self.input.target, self.permits);
        let of = |program: &Program| schedules(program, target, permits, space);
        let mut all = of(&self.program());
        let beginnings = [schedule::borders, schedule::stages].map(|ways| {
            let mut ways = ways(&self.program()).into_iter();
            ways.find_map(|way| self.prepared_by(way))
        });
        let mut prepared = self.prepared(None);
        for begun in beginnings.into_iter().flatten() {
            let next = self.prepared(Some(&begun));
            prepared.extend([begun].into_iter().chain(next));
        }
        for (family, (first, prepared)) in (1..).zip(prepared) {
            let next = of(&prepared).into_iter();
            let next = next.filter(|s| s.choice.keep || !first.names);
            let alone = (!first.names).then(|| first.clone());
            let all_of = alone.into_iter().chain(next.map(|s| first.then(&s)));
            all.extend(all_of.map(|s| Schedule { family, ..s }));
        }
        let all = all.into_iter().map(|s| self.whole(s));
        let alone = self.begun.iter().map(|(begun, _)| begun.clone());
        all.chain(alone).collect()
    }

    /// What the program can be prepared to, or what was done already leads to: each way for what is taken apart first, and the end of what
    /// follows the last one.
    fn prepared(&mut self, begun: Option<&(Schedule, Program)>) -> Vec<(Schedule, Program)> {
        let own = self.program();
        let start = begun.map_or(&own, |b| &b.1);
        let mut all = Vec::<(Schedule, Program)>::new();
        let mut done = Vec::new();
        let ways = first(start, self.input.target, self.permits).into_iter();
        let mut ways = ways.map(|way| match begun {
            Some(b) => b.0.then(&way),
            None => way,
        });
        all.extend(ways.find_map(|way| self.prepared_by(way)));
        // Steps that are operators may be reductions that something else is done with.
        if let Some((lifted, program)) = all.first().filter(|f| f.0.lifts()).cloned() {
            let next = first(&program, self.input.target, self.permits);
            let next = next
                .iter()
                .filter(|way| !way.lifts())
                .map(|way| lifted.then(way));
            let next: Vec<Schedule> = next.collect();
            all.extend(next.into_iter().find_map(|way| self.prepared_by(way)));
        }
        while done.len() < ROUNDS {
            let before = all.last();
            let program = before.map_or(start, |b| &b.1);
            let Some((ways, place)) = preparations(program, &done) else {
                break;
            };
            let before = before.or(begun).map(|b| b.0.clone());
            let mut next = Vec::new();
            for way in ways {
                let way = match &before {
                    None => way,
                    Some(b) if done.is_empty() => b.then(&way),
                    Some(b) => b.followed(&way),
                };
                next.extend(self.prepared_by(way));
            }
            if next.is_empty() {
                break;
            }
            if !done.is_empty() {
                all.pop();
            }
            all.extend(next);
            done.push(place);
        }
        // Once for all that was taken apart: searches for what cannot be left out take long.
        let mut ends = Vec::new();
        for found in all {
            if done.is_empty() {
                ends.push(found);
                continue;
            }
            let found = self.without_unread(found, Kept::Views);
            let more = self.without_unread(found.clone(), Kept::Any);
            let other = more.1.term != found.1.term;
            ends.push(found);
            ends.extend(other.then_some(more));
        }
        let last = ends.pop();
        let by_rows = self.row_by_row(last.as_ref().or(begun));
        ends.extend(by_rows.or(last));
        ends
    }

    /// What that leads to, or the program, where what is done with columns is done row by row; nothing where there are none.
    fn row_by_row(&mut self, begun: Option<&(Schedule, Program)>) -> Option<(Schedule, Program)> {
        let own = self.program();
        let mut found: Option<(Schedule, Program)> = None;
        for before in 0..COLUMNS {
            let start = found.as_ref().or(begun);
            let ways = schedule::columns(start.map_or(&own, |s| &s.1), before);
            let ways = ways.into_iter();
            let way = |way: Schedule| match (start, before) {
                (None, _) => way,
                (Some(s), 0) => s.0.then(&way),
                (Some(s), _) => s.0.followed(&way),
            };
            let ways: Vec<Schedule> = ways.map(way).collect();
            match ways.into_iter().find_map(|way| self.prepared_by(way)) {
                Some(next) => found = Some(next),
                None => break,
            }
        }
        found
    }

    /// The same, where loops go over no array beside another one that they do not read: inner loops first, then those around them.
    fn without_unread(&mut self, found: (Schedule, Program), kept: Kept) -> (Schedule, Program) {
        let mut found = found;
        for _ in 0..UNREAD {
            let ways = schedule::unread(&found.1, found.0.steps_of("unread"), kept).into_iter();
            let mut next = ways.filter_map(|way| self.prepared_by(found.0.followed(&way)));
            match next.find(|(_, p)| p.term != found.1.term) {
                Some(next) => found = next,
                None => break,
            }
        }
        found
    }

    /// The program that a schedule leads to, if it is reached.
    fn prepared_by(&mut self, way: Schedule) -> Option<(Schedule, Program)> {
        let term = self.reach(&self.whole(way.clone())).ok()?;
        let program = Program {
            term,
            ..self.input.program.clone()
        };
        Some((way, program))
    }

    /// What it leads to, with estimates of that.
    fn run(&mut self, schedule: &Schedule) -> Result<(Estimates, Term, Nest), Ended> {
        let term = self.reach(schedule)?;
        let kernel = self.kernel(&term)?;
        Ok((self.estimates(&kernel), term, kernel))
    }

    /// A kernel that takes all sizes which the program takes.
    pub(super) fn kernel(&self, term: &Term) -> Result<Nest, Ended> {
        let nest = self
            .lowered(term, self.permits.approximate)
            .map_err(|d| Ended::NoKernel(d.message))?;
        // Where nobody asked for a schedule, nobody expects that it takes fewer sizes.
        let assumed = Known::new(&self.assumed);
        let more = (nest.abi.assumptions.iter()).find(|a| !assumed.implies(**a));
        match more {
            Some(more) => Err(Ended::NoKernel(format!("it would assume {more}"))),
            None => Ok(nest),
        }
    }

    /// What the steps of a schedule lead to.
    fn reach(&mut self, schedule: &Schedule) -> Result<Term, Ended> {
        let mut steps = String::new();
        let mut term = search::start(&self.input.program);
        for text in &schedule.steps {
            steps += text;
            let so_far = schedule.needed(&steps);
            // What was reached without permissions for all steps is reached with them.
            let (head, own) = so_far.split_at(so_far.find("step ").unwrap_or(0));
            let head = head.split_inclusive('\n');
            let head: String = head.filter(|line| !line.starts_with("permit ")).collect();
            let reached = self.known.get(&(head + own)).filter(|found| found.is_ok());
            let found = match self.known.get(&so_far).or(reached) {
                Some(found) => found.clone(),
                None if self.is_used_up() => return Err(Ended::Untried),
                None => {
                    let step = self.read_step(schedule.needed(text));
                    let found = step.and_then(|s| self.step(&s, &term).ok_or(s.name.clone()));
                    self.known.insert(so_far, found.clone());
                    found
                }
            };
            term = found.map_err(Ended::Unreached)?;
        }
        Ok(term)
    }

    /// Whether no search may begin any more.
    fn is_used_up(&self) -> bool {
        self.nodes >= self.work || self.options.until.is_some_and(|u| Instant::now() >= u)
    }

    /// The step of a text with what it needs of the head, read once; or why it is none.
    fn read_step(&mut self, text: String) -> Result<Rc<Step>, String> {
        if let Some(known) = self.steps.get(&text) {
            return known.clone();
        }
        let message = |d: Vec<Diagnostic>| d.first().map_or(String::new(), |d| d.message.clone());
        let guide = read(self.input, &text, self.sources, &mut self.books).map_err(message);
        // Whoever takes the schedule proves the rules that stand in it: what is not proved is no schedule.
        let proved = guide.and_then(|guide| match text.contains("\nrule ") {
            true => (Trust::default().check(&guide.steps).map_err(message)).map(|_| guide),
            false => Ok(guide),
        });
        let step = proved.and_then(|guide| {
            let first = guide.steps.into_iter().next();
            first.map(Rc::new).ok_or(String::new())
        });
        self.steps.insert(text, step.clone());
        step
    }

    pub(super) fn step(&mut self, step: &Step, term: &Term) -> Option<Term> {
        let options = search::Options {
            nodes: Some(self.options.nodes.map_or(EACH, |n| n.min(EACH))),
            iterations: Some(
                self.options
                    .iterations
                    .map_or(ITERATIONS, |n| n.min(ITERATIONS)),
            ),
            work: Some(search::WORK_OF_ONE),
            diagnose: false,
            prove: false,
            no_kernel: true,
            ..self.options.clone()
        };
        let (trace, found, ..) = search::saturate(step, term, &options);
        self.nodes += trace.iterations.last().map_or(0, |i| i.size.nodes);
        found.ok()
    }

    /// The kernel that the steps of a file lead to.
    pub(super) fn reaches(&mut self, text: &str) -> Result<Nest, String> {
        let message = |d: Vec<Diagnostic>| d.first().map_or(String::new(), |d| d.message.clone());
        let guide = read(self.input, text, self.sources, &mut self.books).map_err(message)?;
        let mut term = search::start(&self.input.program);
        for step in &guide.steps {
            let lost = || format!("step `{}` is not reached", step.name);
            term = self.step(step, &term).ok_or_else(lost)?;
        }
        self.kernel(&term)
            .map_err(|ended| ended.why().unwrap_or_default())
    }

    fn lowered(&self, term: &Term, approximate: bool) -> Result<Nest, Diagnostic> {
        let found = Program {
            term: term.clone(),
            ..self.input.program.clone()
        };
        let lowering = lower::Options {
            fixed: self.input.fixed.clone(),
            target: self.input.target,
            approximate,
            ..lower::Options::default()
        };
        lower(&found, &lowering)
    }

    /// Of a kernel.
    pub(super) fn estimates(&self, nest: &Nest) -> Estimates {
        let point = |sizes: &Sizes| self.at(nest, sizes);
        let class = |points: &[Sizes; 2]| points.iter().map(point).collect();
        let usual = self.with_threads(nest, self.sizes);
        (usual, self.points.iter().map(class).collect())
    }

    /// With all threads and with one.
    fn with_threads(&self, nest: &Nest, sizes: &Sizes) -> (f64, f64) {
        let machine = Machine::of(self.input.target);
        let alone = machine.clone().with_one_thread();
        (cycles(nest, sizes, &machine), cycles(nest, sizes, &alone))
    }

    /// With threads where they are worth it, and with one.
    pub(super) fn at(&self, nest: &Nest, sizes: &Sizes) -> (f64, f64) {
        let (all, one) = self.with_threads(nest, sizes);
        (all.min(one), one)
    }
}

/// With all threads and with one at the usual sizes; for each class at its sizes.
type Estimates = ((f64, f64), Vec<Cycles>);
