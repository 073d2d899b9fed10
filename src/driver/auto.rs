//! A program without a sketch: which schedule is best, found by trying.
//!
//! In: the input, what the user permits. Out: every schedule that was tried, how it ended, and which one to take. A schedule is
//! searched for as a user's sketches are, within bounds in counts; what is found is lowered and estimated at sizes that
//! stand for all, unless they are fixed. The same input gives the same answer. Absent: clocks, files.

use super::input::Input;
use super::trust::Trust;
use crate::cost::Cost;
use crate::diag::Diagnostic;
use crate::elab::{self, Step};
use crate::estimate::{cycles, Machine, Sizes};
use crate::exec::sizes::Effort;
use crate::intern::Symbol;
use crate::lower::{self, lower};
use crate::nest::Nest;
use crate::obligation::Assumption;
use crate::report::candidates::{Candidate, Candidates};
use crate::report::tuning::TuningRecord;
use crate::schedule::{preparations, schedules, Choice, Permits, Schedule, Space};
use crate::search;
use crate::source::{FileId, SourceMap};
use crate::syntax::{parse, print, Dialect};
use crate::term::{Program, Term};
use std::collections::BTreeMap;
use std::rc::Rc;

/// E-nodes of all searches together, where nothing is measured: about a second; where something is; and of one step.
const WORK: u64 = 130_000;
const WORK_MEASURED: u64 = 400_000;
const EACH: u64 = 25_000;
/// Reductions that are taken apart, one after the other.
const ROUNDS: usize = 4;
/// How many times as fast as loops that are merely parallel the same loops may be in vectors and tiles.
const GAIN: f64 = 64.0;
/// How many times as fast tiles have to be as loops that are merely parallel, for other ways to be left out.
const TILES: f64 = 4.0;
/// Iterations of a step.
const ITERATIONS: u64 = 8;
/// How much longer each kind of change is supposed to take than the estimate says, which does not see everything: what is simpler and
/// nearly as fast is taken, and the program as it stands is simplest.
const DOUBT: f64 = 1.12;
/// What counts as the same time.
const SAME: f64 = 1.03;

/// What is written where nothing is taken: a file whose sketch the program satisfies.
const NONE: &str = "-- No schedule that was tried is estimated to be faster than the program as it stands.\nsketch ?\n";

/// What a call may take for which schedules are compared, and sizes that are tried for it.
const ELEMENTS: f64 = 4e6;
const FLOPS: f64 = 3e8;
const LARGEST: i64 = 1 << 20;
const SMALLEST: i64 = 32;
const TIMES: i64 = 16;

/// How the trial of a schedule ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ended {
    /// Cycles, by the estimate; and of one thread.
    Estimated(f64, f64),
    /// The search did not reach this step.
    Unreached(String),
    /// What was found is no kernel.
    NoKernel(String),
    /// The bounds were reached before.
    Untried,
}

/// A schedule that was considered.
#[derive(Clone, PartialEq, Debug)]
pub struct Tried {
    pub schedule: Schedule,
    pub ended: Ended,
    /// What was found, if the search came so far.
    pub term: Option<Term>,
    /// What a measurement showed, if there is one.
    pub measured: Option<TuningRecord>,
}

/// What came of all of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Auto {
    /// Cycles of the program as it stands, by the estimate; none where it is no kernel.
    pub plain: Option<f64>,
    /// The sizes that were estimated at.
    pub sizes: Sizes,
    pub tried: Vec<Tried>,
    /// The one to take; none where the program as it stands is as good.
    pub best: Option<usize>,
    /// E-nodes of all searches.
    pub nodes: u64,
}

impl Auto {
    /// What to take.
    pub fn best(&self) -> Option<&Schedule> {
        Some(&self.tried.get(self.best?)?.schedule)
    }

    /// The sketch file of what is taken.
    pub fn text(&self) -> String {
        let of = |s: &Schedule| format!("-- Found by `--auto`: {}.\n{}", s.what, s.text());
        let text = self.best().map_or(NONE.to_string(), of);
        let parsed = parse(FileId::default(), &text, Dialect::Sketch);
        match parsed.diagnostics.is_empty() {
            true => print(&parsed, &text),
            false => text,
        }
    }

    /// For the summary.
    pub fn report(&self) -> Candidates {
        let all = self.tried.iter().map(|t| Candidate {
            what: t.schedule.what.clone(),
            cycles: match t.ended {
                Ended::Estimated(c, _) => Some(c),
                _ => None,
            },
            faster: t.measured.as_ref().and_then(TuningRecord::faster),
            lost: match &t.ended {
                Ended::Estimated(..) => t.measured.as_ref().and_then(|m| m.lost.clone()),
                Ended::Unreached(step) => Some(format!("step `{step}` is not reached")),
                Ended::NoKernel(why) => Some(format!("is no kernel: {why}")),
                Ended::Untried => Some("not tried: the bound on searches is used up".to_string()),
            },
        });
        Candidates {
            sizes: (self.sizes.iter().map(|(s, n)| (s.to_string(), *n))).collect(),
            plain: self.plain,
            all: all.collect(),
            taken: self.best,
            nodes: self.nodes,
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
    let mut trial = Trial {
        input,
        permits,
        options,
        sources,
        sizes: &sizes,
        assumed: Vec::new(),
        known: BTreeMap::new(),
        steps: BTreeMap::new(),
        nodes: 0,
        work: match space {
            Space::Small => WORK,
            Space::Large => WORK_MEASURED,
        },
    };
    let plain = trial.lowered(&input.program.term);
    trial.assumed = (plain.iter().flat_map(|n| n.abi.assumptions.clone())).collect();
    let plain = plain.ok().map(|n| trial.cycles(&n));
    let mut tried = Vec::new();
    let mut all = trial.schedules(space);
    all.sort_by_key(|s| rank(&s.choice));
    for schedule in all {
        if !is_worth_trying(&schedule, &tried) {
            continue;
        }
        let (ended, term) = match trial.run(&schedule) {
            Ok(((all, one), term)) => (Ended::Estimated(all, one), Some(term)),
            Err(ended) => (ended, None),
        };
        tried.push(Tried {
            schedule,
            ended,
            term,
            measured: None,
        });
    }
    let nodes = trial.nodes;
    let (all, one) = plain.unwrap_or((f64::INFINITY, f64::INFINITY));
    let best = (0..tried.len())
        .filter(|&i| cost(&tried[i]) < all && alone(&tried[i]) <= one)
        .min_by(|&a, &b| cost(&tried[a]).total_cmp(&cost(&tried[b])));
    Auto {
        best,
        plain: plain.map(|p| p.0),
        sizes,
        tried,
        nodes,
    }
}

/// The estimate, with doubts.
fn cost(t: &Tried) -> f64 {
    match t.ended {
        Ended::Estimated(c, _) => c * DOUBT.powi(t.schedule.changes as i32),
        _ => f64::INFINITY,
    }
}

/// The estimate of one thread, which must not be above that of the program as it stands: who has no other thread, or whose other
/// threads are busy, shall not wait longer. What an estimate does not see, of parallel loops that are otherwise the same, is left out.
fn alone(t: &Tried) -> f64 {
    match t.ended {
        Ended::Estimated(_, one) => one / SAME,
        _ => f64::INFINITY,
    }
}

/// In which order schedules are tried, so that the bound on searches cuts off the least promising ones: parallel loops alone, tiles, other
/// ways to take loops apart, long sums beside tiles, vectors beside anything.
fn rank(choice: &Choice) -> u32 {
    match (choice.vectors, choice.tile > 0, choice.lanes > 0) {
        _ if is_plain(choice) => 0,
        (true, ..) => 4,
        (_, true, false) => 1,
        (_, false, _) => 2,
        (_, true, true) => 3,
    }
}

/// Parallel loops and nothing else.
fn is_plain(choice: &Choice) -> bool {
    let plain = Choice {
        keep: choice.keep,
        parallel: choice.parallel,
        ..Choice::default()
    };
    *choice == plain
}

/// Loops that are parallel alone so slowly that no vectors make up for it are left alone, as where a stage is computed anew for each
/// reader. Vectors are added to what is best without them, and long sums beside tiles are regrouped for the best kind of tile: the searches
/// are as many as take a second.
fn is_worth_trying(schedule: &Schedule, tried: &[Tried]) -> bool {
    let choice = schedule.choice;
    let family = |t: &&Tried| {
        let of = &t.schedule;
        of.family == schedule.family && of.choice.keep == choice.keep
    };
    let fastest = tried.iter().map(cost).fold(f64::INFINITY, f64::min);
    let alone = tried
        .iter()
        .filter(family)
        .find(|t| is_plain(&t.schedule.choice));
    if alone.is_some_and(|t| cost(t).is_finite() && cost(t) > GAIN * fastest) {
        return false;
    }
    // Register tiles are elements in lanes that use more registers: what they gain is not gained again without them.
    let tiles = tried.iter().filter(|t| t.schedule.has_tiles());
    let tiled = tiles.map(cost).fold(f64::INFINITY, f64::min);
    let loops = tried.iter().filter(|t| is_plain(&t.schedule.choice));
    let untiled = loops.map(cost).fold(f64::INFINITY, f64::min);
    if rank(&choice) == 2 && tiled * TILES < untiled {
        return false;
    }
    let base = match (choice.vectors, choice.lanes > 0 && choice.tile > 0) {
        (true, _) => Choice {
            vectors: false,
            ..choice
        },
        (false, true) => Choice { lanes: 0, ..choice },
        (false, false) => return true,
    };
    let rivals = tried.iter().filter(family).filter(|t| {
        let of = t.schedule.choice;
        let alike = choice.vectors || of.lanes == 0 && of.tile > 0;
        !of.vectors && alike
    });
    let best = rivals.min_by(|a, b| cost(a).total_cmp(&cost(b)));
    best.is_none_or(|b| b.schedule.choice == base)
}

/// The input with the steps of the schedule to take, if there is one, of the few that nothing is measured for.
pub fn find(
    input: &mut Input,
    permits: Permits,
    trust: Trust,
    options: &search::Options,
    sources: &mut SourceMap,
) -> Result<Auto, Vec<Diagnostic>> {
    let found = auto(input, permits, Space::Small, options, sources);
    if let Some(best) = found.best() {
        adopt(input, &best.text(), trust, sources)?;
    }
    Ok(found)
}

/// The input with the steps of a text, as if a file had held it.
pub fn adopt(
    input: &mut Input,
    text: &str,
    trust: Trust,
    sources: &mut SourceMap,
) -> Result<(), Vec<Diagnostic>> {
    let guide = read(input, text, sources)?;
    input.unverified = trust.check(&guide.steps)?;
    input.steps = guide.steps;
    input.params = guide.params;
    Ok(())
}

fn read(
    input: &Input,
    text: &str,
    sources: &mut SourceMap,
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
    elab::steps(sources, file, &around)
}

/// Sizes that stand for those that nobody knows: as large as what a call may take, those of arrays all the same.
fn supposed(program: &Program, fixed: &Sizes) -> Sizes {
    let arrays = program.params.iter().map(|p| p.1).chain([program.result]);
    let mut extents = Vec::new();
    arrays.for_each(|ty| ty.each_nat(&mut |n| extents.push(n)));
    let all = |each: i64| -> Sizes {
        let of = |s: Symbol| match extents.iter().any(|n| n.mentions(s)) {
            true => each,
            // It says how often something is done.
            false => each.min(TIMES),
        };
        let sizes = program.sizes.iter();
        sizes
            .map(|s| (*s, fixed.get(s).copied().unwrap_or_else(|| of(*s))))
            .collect()
    };
    let fits = |sizes: &Sizes| {
        Effort::of(program, sizes).is_none_or(|e| e.elements <= ELEMENTS && e.work <= FLOPS)
    };
    let mut each = LARGEST;
    while each > SMALLEST && !fits(&all(each)) {
        each /= 2;
    }
    // Rows of a power of two and a little more, as `n + 1`, would go through few sets of a cache.
    all(each + each / 8)
}

struct Trial<'a> {
    input: &'a Input,
    permits: Permits,
    options: &'a search::Options,
    sources: &'a mut SourceMap,
    sizes: &'a Sizes,
    work: u64,
    /// What the program as it stands asks of sizes.
    assumed: Vec<Assumption>,
    /// What the first steps of a file lead to; where they are not reached, which one is not.
    known: BTreeMap<String, Result<Term, String>>,
    /// Steps that were read.
    steps: BTreeMap<String, Result<Rc<Step>, String>>,
    nodes: u64,
}

impl Trial<'_> {
    /// Those of the program, then those of what it can be prepared to.
    fn schedules(&mut self, space: Space) -> Vec<Schedule> {
        let (target, permits) = (self.input.target, self.permits);
        let of = |program: &Program| schedules(program, target, permits, space);
        let mut all = of(&self.input.program);
        for (family, (first, prepared)) in (1..).zip(self.prepared()) {
            let next = of(&prepared).into_iter().filter(|s| s.choice.keep);
            all.extend(next.map(|s| Schedule {
                family,
                ..first.then(&s)
            }));
        }
        all
    }

    /// What the program can be prepared to: each way for what is taken apart first, and the end of what follows the last one.
    fn prepared(&mut self) -> Vec<(Schedule, Program)> {
        let (input, mut all) = (self.input, Vec::<(Schedule, Program)>::new());
        let mut done = Vec::new();
        while done.len() < ROUNDS {
            let before = all.last().filter(|_| !done.is_empty());
            let program = before.map_or(&input.program, |b| &b.1);
            let Some((ways, place)) = preparations(program, &done) else {
                break;
            };
            let mut next = Vec::new();
            for way in ways {
                let schedule = before.map_or(way.clone(), |b| b.0.followed(&way));
                if let Ok(term) = self.reach(&schedule) {
                    let program = Program {
                        term,
                        ..input.program.clone()
                    };
                    next.push((schedule, program));
                }
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
        all
    }

    fn run(&mut self, schedule: &Schedule) -> Result<((f64, f64), Term), Ended> {
        let term = self.reach(schedule)?;
        let nest = (self.lowered(&term)).map_err(|d| Ended::NoKernel(d.message))?;
        // Where nobody asked for a schedule, nobody expects that it takes fewer sizes.
        let more = (nest.abi.assumptions.iter()).find(|a| !self.assumed.contains(a));
        match more {
            Some(more) => Err(Ended::NoKernel(format!("it would assume {more}"))),
            None => Ok((self.cycles(&nest), term)),
        }
    }

    /// What the steps of a schedule lead to.
    fn reach(&mut self, schedule: &Schedule) -> Result<Term, Ended> {
        if self.nodes >= self.work {
            return Err(Ended::Untried);
        }
        let mut steps = String::new();
        let mut term = search::start(&self.input.program);
        for text in &schedule.steps {
            steps += text;
            let so_far = schedule.needed(&steps);
            let found = match self.known.get(&so_far) {
                Some(found) => found.clone(),
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

    /// The step of a text with what it needs of the head, read once; or why it is none.
    fn read_step(&mut self, text: String) -> Result<Rc<Step>, String> {
        if let Some(known) = self.steps.get(&text) {
            return known.clone();
        }
        let step = match read(self.input, &text, self.sources) {
            Ok(guide) => guide
                .steps
                .into_iter()
                .next()
                .map(Rc::new)
                .ok_or(String::new()),
            Err(d) => Err(d.first().map_or(String::new(), |d| d.message.clone())),
        };
        self.steps.insert(text, step.clone());
        step
    }

    fn step(&mut self, step: &Step, term: &Term) -> Option<Term> {
        let options = search::Options {
            nodes: Some(self.options.nodes.map_or(EACH, |n| n.min(EACH))),
            iterations: Some(
                self.options
                    .iterations
                    .map_or(ITERATIONS, |n| n.min(ITERATIONS)),
            ),
            diagnose: false,
            prove: false,
            no_kernel: true,
            ..self.options.clone()
        };
        let (trace, found, ..) = search::saturate(step, term, &options);
        self.nodes += trace.iterations.last().map_or(0, |i| i.size.nodes);
        found.ok()
    }

    fn lowered(&self, term: &Term) -> Result<Nest, Diagnostic> {
        let found = Program {
            term: term.clone(),
            ..self.input.program.clone()
        };
        let lowering = lower::Options {
            fixed: self.input.fixed.clone(),
            target: self.input.target,
            approximate: self.permits.approximate,
            ..lower::Options::default()
        };
        lower(&found, &lowering)
    }

    /// With all threads, and with one.
    fn cycles(&self, nest: &Nest) -> (f64, f64) {
        let machine = Machine::of(self.input.target);
        let all = cycles(nest, self.sizes, &machine);
        (all, cycles(nest, self.sizes, &machine.with_one_thread()))
    }
}
