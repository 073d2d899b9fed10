//! One step: saturate until the sketch is satisfied, then extract.
//!
//! The sketch is asked before the first iteration and after each. All rules
//! search the same snapshot of the graph, then all matches are applied. Limits
//! are looked at inside of both loops: one iteration can be the difference
//! between a tenth of the memory and all of it.

mod limits;
mod watch;

use super::diagnose::{counts, diagnose, Diagnosis, PartCount, Patience, Refused};
use super::excerpt::{cut, Excerpt};
use super::focus::focus;
use super::progress::Phase;
use super::trace::{Iteration, RuleTrace, Size, StepTrace, Stop};
use super::{after, Options};
use crate::alloc;
use crate::arith::Nat;
use crate::cost::Cost;
use crate::egraph::{Graph, Id, View, ASK_EVERY};
use crate::elab::{RuleUse, Scheduler, SketchKind, Step};
use crate::obligation::{self, Assumption, Sizes};
use crate::proof::{self, Proof, Segment};
use crate::rule::{self, Applied, MatchContext, Matches, Rewrite};
use crate::sketch::{Goal, Reached};
use crate::term::{normalize_program, Term};
use crate::trail;
use limits::{Ahead, Limits};
use std::cell::Cell;
use std::time::{Duration, Instant};
use watch::Watch;

/// Array nesting where a step sets no limit: this, or for deep arrays as many
/// dimensions more than the term has.
const NESTING: u32 = 6;
const MORE_NESTING: u32 = 4;
/// Term size where a step sets no limit: this, or for a large term a multiple
/// of its own.
const SIZE: u32 = 300;
const TIMES_SIZE: u32 = 2;
/// How many applications go by between two looks at the limits, and at that in seconds.
const LOOK_EVERY: u64 = 1024;
const LOOK_AT_CLOCK_EVERY: u64 = 16;
/// How many e-nodes are added between two looks at memory, however few applications that takes.
const LOOK_AT_MEMORY_EVERY: usize = 8192;

/// What a step came to.
pub(super) struct Run {
    pub trace: StepTrace,
    pub parts: Vec<PartCount>,
    pub result: Result<Term, Diagnosis>,
    pub graph: Graph,
    pub root: Id,
    pub excerpt: Option<Excerpt>,
    /// If it was asked for: why what was found equals the term.
    pub segment: Option<Result<Segment, String>>,
    /// Of what was found: sizes that must be whole and not negative for it to equal the term, and that neither has.
    pub obliged: Vec<Nat>,
    rewrites: Vec<Rewrite>,
    rules: Vec<RuleUse>,
}

impl Run {
    /// Why terms of the root's class, of which nothing is explained yet, equal the
    /// term from which the step began.
    pub fn explain(
        &mut self,
        step: &Step,
        term: &Term,
        ends: &[Term],
    ) -> Vec<Result<Segment, String>> {
        let mut segments = segments(
            step,
            &mut self.graph,
            &self.rewrites,
            &self.rules,
            term,
            ends,
        );
        for segment in segments.iter_mut().flatten() {
            proof::shorten(segment, &normalize_program(term));
        }
        segments
    }
}

/// Why the normal forms of `ends` equal `term`.
fn segments(
    step: &Step,
    graph: &mut Graph,
    rewrites: &[Rewrite],
    rules: &[RuleUse],
    term: &Term,
    ends: &[Term],
) -> Vec<Result<Segment, String>> {
    let normal = normalize_program(term);
    let chains = match trail::explain(graph, rewrites, rules, step.reassociate, term, ends) {
        Ok(chains) => chains,
        Err(why) => return vec![Err(why); ends.len()],
    };
    let segment = |(steps, found): (Result<Vec<proof::Step>, String>, &Term)| {
        let end = normalize_program(found);
        let mut segment = Segment {
            name: step.name.clone(),
            rules: rules.to_vec(),
            reassociate: step.reassociate,
            steps: steps?,
            end: end.clone(),
        };
        if end != *found {
            segment.steps.push(proof::Step::normal(found, &end));
        }
        if normal != *term {
            segment.steps.insert(0, proof::Step::normal(&normal, term));
        }
        Ok(segment)
    };
    chains.into_iter().zip(ends).map(segment).collect()
}

/// A rule that floods the graph waits; each time longer, and for more matches.
#[derive(Clone, Default)]
struct Backoff {
    until: u64,
    times: u32,
}

impl Backoff {
    const MATCHES: usize = 1000;
    const LENGTH: u64 = 5;

    fn bans(&mut self, iteration: u64, matches: usize) -> bool {
        if matches <= Self::MATCHES << self.times.min(20) {
            return false;
        }
        self.until = iteration + (Self::LENGTH << self.times.min(20));
        self.times += 1;
        true
    }
}

/// A limit as the search counts it.
fn small(limit: u64) -> u32 {
    limit.min(u64::from(u32::MAX - 1)) as u32
}

fn size_of(view: &View) -> Size {
    Size {
        nodes: view.node_count() as u64,
        classes: view.len() as u64,
    }
}

/// A step under way.
struct Saturation<'a> {
    step: &'a Step,
    /// Its rules, each once.
    rules: Vec<RuleUse>,
    limits: Limits,
    /// Limit on the size of terms.
    size: u32,
    rewrites: Vec<Rewrite>,
    backoff: Vec<Backoff>,
    graph: Graph,
    root: Id,
    /// E-nodes that the graph held when the iteration began to apply rules; copies that rebuilding leaves
    /// behind count, too.
    held: usize,
    /// Seconds for each e-node that looking at the graph took last.
    pace: f64,
    /// The limit that was reached inside of an iteration.
    interrupted: Option<Stop>,
    /// Whether the sketch is satisfied, at which not every search ends.
    reached: bool,
    /// If it was taken out, what was found; nothing where there was no time left.
    extracted: Option<Option<Term>>,
    extract_seconds: f64,
    refused: Refused,
    watch: Watch<'a>,
}

/// Matches of one rule in one iteration.
struct Found {
    matches: Matches,
    banned: bool,
    seconds: f64,
}

/// How deep arrays may nest and how large a term may be.
pub(super) fn bounds(own: &crate::elab::Limits, term: &Term) -> (u32, u32) {
    let mut deepest = 0;
    term.visit(&mut |t, _| deepest = deepest.max(t.ty().nesting()));
    let nesting = own
        .nesting
        .map_or(NESTING.max(deepest + MORE_NESTING), small);
    let size = own
        .size
        .map_or(SIZE.max(term.size().saturating_mul(TIMES_SIZE)), small);
    (nesting, size)
}

/// Runs a step, which has a place among all, on a term in normal form, of which functions may be written out.
pub(super) fn run(step: &Step, term: &Term, options: &Options, place: (usize, usize)) -> Run {
    let Some(side) = focus(step, term) else {
        return run_whole(step, term, options, place);
    };
    let run = run_whole(&side.step, &side.term, options, place);
    Run {
        result: (run.result).map(|found| side.with(&found).unwrap_or_else(|| term.clone())),
        segment: run.segment.map(|s| s.and_then(|s| side.segment(s))),
        ..run
    }
}

/// The same, whatever the step is about.
fn run_whole(step: &Step, term: &Term, options: &Options, place: (usize, usize)) -> Run {
    // Where right sides stay as they are, so does the term.
    let plain = (!step.normalize).then(|| normalize_program(term));
    let term = plain.as_ref().unwrap_or(term);
    let mut s = Saturation::new(step, term, options, place, alloc::allocated());
    let goal = Goal::new(&step.sketch, term.lambdas());
    let view = View::new(&s.graph);
    let start = size_of(&view);
    let (view, iterations, ended) = s.saturate(&goal, view, term);
    let is_found = s.reached && ended != Stop::Interrupted;
    let stop = if is_found { Stop::Found } else { ended };
    if is_found && s.extracted.is_none() {
        s.extract(&goal, &view);
    }
    let extracted = s.extracted.take().flatten();
    let stop = match is_found && extracted.is_none() {
        true => s.limits.reached_at_last().unwrap_or(ended),
        false => stop,
    };
    s.limits.reached(0, Ahead::default());
    let trace = StepTrace {
        name: step.name.clone(),
        stop,
        start,
        iterations,
        seconds: s.limits.begun.elapsed().as_secs_f64(),
        extract_seconds: s.extract_seconds,
        bytes: s.limits.peak(),
        reproducible: ![Some(stop), Some(ended), s.interrupted]
            .into_iter()
            .flatten()
            .any(Stop::is_measured),
    };
    let wanted = options.cut.as_ref().filter(|cut| match &cut.step {
        Some(name) => *name == step.name,
        None => extracted.is_none() || place.0 == place.1,
    });
    let excerpt = wanted.map(|wanted| {
        let here = (&view, view.class(s.root));
        cut(&step.name, here, &goal, extracted.as_ref(), wanted.classes)
    });
    let (obliged, segment) = match &extracted {
        Some(found) => s.justify((term, found), options, place),
        None => (Vec::new(), None),
    };
    let result = match extracted {
        Some(term) => Ok(normalize_program(&term)),
        None => Err(s.diagnosis(&goal, &view, &trace, options)),
    };
    let parts = match &result {
        Err(diagnosis) => diagnosis.parts.clone(),
        Ok(_) if options.parts => counts(&goal, &view, None),
        Ok(_) => Vec::new(),
    };
    Run {
        trace,
        parts,
        result,
        graph: s.graph,
        root: s.root,
        excerpt,
        segment,
        obliged,
        rewrites: s.rewrites,
        rules: s.rules,
    }
}

/// What a way to what was found asks of sizes beyond what both terms ask for (`held`): where there is a proof that holds,
/// what that asks; else whatever any match did.
fn obliged(
    term: &Term,
    segment: Option<&Result<Segment, String>>,
    open: Vec<Nat>,
    held: &[Assumption],
) -> Vec<Nat> {
    match segment {
        Some(Ok(segment)) if !open.is_empty() => beyond(term, segment, held).unwrap_or(open),
        _ => open,
    }
}

/// The sizes that a segment speaks of and that are not sure to be some where others are; none if it does not hold.
fn beyond(term: &Term, segment: &Segment, held: &[Assumption]) -> Option<Vec<Nat>> {
    let mut proof = Proof::new(term);
    proof.segments.push(segment.clone());
    let mut sizes = proof::check(&proof).ok()?.sizes;
    sizes.retain(|n| !obligation::missing(held, &[*n]).is_empty());
    Some(sizes)
}

/// Shortens a segment, unless the shorter one obliges to more.
fn shorten(segment: &mut Segment, term: &Term, held: &[Assumption]) {
    let long = segment.clone();
    proof::shorten(segment, term);
    let obliges =
        |segment: &Segment| beyond(term, segment, held).is_none_or(|sizes| !sizes.is_empty());
    if obliges(segment) && !obliges(&long) {
        *segment = long;
    }
}

/// Sizes that must be whole and not negative for a term, and one that was found for it, to have a meaning.
fn asked(term: &Term, found: &Term) -> Vec<Assumption> {
    let mut sizes = Sizes::default();
    sizes.term(term);
    sizes.term(&normalize_program(found));
    obligation::missing(&[], sizes.all())
}

/// Whether what was found is found, too, by matches that oblige to no more than both terms ask for anyway; with the
/// proof of that, if one is wanted.
///
/// Note [Ways without obligations]: the record knows one way between two terms, by the unions that came first, and that
/// may make a detour by a rule that obliges to something. So where the way leaves an obligation, the step is run once more
/// without such matches.
fn without(
    step: &Step,
    (term, found): (&Term, &Term),
    options: &Options,
    place: (usize, usize),
) -> Option<Option<Result<Segment, String>>> {
    let options = Options {
        permitted: Some(asked(term, found)),
        observer: super::Observer::default(),
        diagnose: false,
        parts: false,
        cut: None,
        ..options.clone()
    };
    let again = run(step, term, &options, place);
    let same = again.result.is_ok_and(|t| t == normalize_program(found));
    same.then_some(again.segment)
}

fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let value = f();
    (value, begun.elapsed().as_secs_f64())
}

impl<'a> Saturation<'a> {
    fn new(
        step: &'a Step,
        term: &Term,
        options: &'a Options,
        place: (usize, usize),
        held: u64,
    ) -> Saturation<'a> {
        let own = &step.limits;
        let is_limited =
            options.nodes.or(own.nodes).is_some() || options.seconds.or(own.seconds).is_some();
        let limits = Limits {
            iterations: options
                .iterations
                .or(own.iterations)
                .unwrap_or(super::ITERATIONS),
            nodes: options.nodes.or(own.nodes).unwrap_or(super::NODES),
            work: options.work.unwrap_or(match is_limited {
                true => u64::MAX,
                false => super::WORK,
            }),
            worked: Cell::default(),
            seconds: options.seconds.or(own.seconds),
            bytes: options.bytes.into_iter().chain(own.bytes).min(),
            begun: Instant::now(),
            until: options.until,
            bytes_now: Cell::new(held),
            most_bytes: Cell::new(held),
            before: held,
        };
        let (nesting, size) = bounds(own, term);
        let mut rules = rule::distinct(&step.rules);
        let heads = rule::heads(&rules);
        if step.normalize {
            rules = rule::with_applied(rules);
        }
        let mut rewrites = rule::compile_all(&rules, &heads, nesting, step.normalize);
        rewrites.extend([Rewrite::Eta, Rewrite::Beta]);
        let mut graph = Graph::new(heads, step.normalize);
        if let Some(all) = &options.permitted {
            rewrites.iter_mut().for_each(|r| r.permit(all));
        }
        let asks = !options.no_kernel && options.trying.is_none() && options.permitted.is_none();
        let may_oblige = asks && rewrites.iter().any(Rewrite::may_oblige);
        if options.prove || may_oblige {
            graph.record();
        }
        let root = graph.add_term(term);
        graph.rebuild();
        let mut s = Saturation {
            step,
            rules,
            limits,
            size,
            backoff: vec![Backoff::default(); rewrites.len()],
            rewrites,
            graph,
            root,
            held: 0,
            pace: 0.0,
            interrupted: None,
            reached: false,
            extracted: None,
            extract_seconds: 0.0,
            refused: Refused {
                nesting: u64::from(nesting),
                size: u64::from(size),
                ..Refused::default()
            },
            watch: Watch {
                observer: &options.observer,
                step: &step.name,
                place,
                trying: options.trying.as_deref(),
                iteration: 0,
                nodes: 0,
                sketch: Reached::default(),
            },
        };
        if *term != normalize_program(term) {
            s.contract();
        }
        s
    }

    /// Functions that are written out become equal to what they are by η: so rules and sketches find both forms, before
    /// the first iteration already.
    fn contract(&mut self) {
        let view = View::new(&self.graph);
        let contexts = view.contexts(view.class(self.root), u32::MAX);
        let scene = MatchContext {
            view: &view,
            contexts: &contexts,
            size: u32::MAX,
            may_continue: &|| true,
        };
        for (number, rewrite) in self.rewrites.iter_mut().enumerate() {
            if !matches!(rewrite, Rewrite::Eta) {
                continue;
            }
            let matches = rewrite.search(&scene, &self.graph);
            for i in 0..matches.len() {
                rewrite.apply(&mut self.graph, &matches, i, false, number as u32);
            }
        }
        self.graph.rebuild();
    }

    /// Who wants the cheapest term wants the largest graph.
    fn goes_on(&self) -> bool {
        matches!(self.step.sketch.kind, SketchKind::Cheapest(_))
    }

    /// Iterations until there is a reason to stop.
    fn saturate(
        &mut self,
        goal: &Goal,
        mut view: View,
        term: &Term,
    ) -> (View, Vec<Iteration>, Stop) {
        let mut iterations = Vec::new();
        self.reached = self.watch.ask(goal, &view, self.root);
        let found = self.reached && !self.goes_on() && self.extract(goal, &view);
        let mut stop = found.then_some(Stop::Found);
        if stop.is_none() && term.size() > self.size {
            stop = Some(Stop::Size(u64::from(self.size)));
        }
        if self.watch.trying.is_some() {
            self.watch.tell(Phase::Try, 0, &self.limits);
        }
        loop {
            let done = iterations.len() as u64;
            if done >= self.limits.iterations {
                stop = stop.or(Some(Stop::Iterations(self.limits.iterations)));
            }
            if let Some(stop) = stop {
                return (view, iterations, stop);
            }
            let iteration;
            (view, iteration, stop) = self.iterate(goal, view, done);
            iterations.push(iteration);
        }
    }

    /// All rules search one snapshot of the graph and are applied; what comes of it, and why to stop then.
    fn iterate(&mut self, goal: &Goal, view: View, done: u64) -> (View, Iteration, Option<Stop>) {
        self.watch.iteration = done + 1;
        self.watch.tell(Phase::Search, 0, &self.limits);
        let (found, search_seconds) = timed(|| self.search(&view, done));
        // What is not changed needs no other snapshot; else the next is taken when this one is gone.
        let same = self.interrupted.is_some().then_some(view);
        self.held = self.graph.nodes();
        self.tell(Phase::Apply);
        let (rules, apply_seconds) = timed(|| self.apply(&found, goal));
        drop(found);
        self.tell(Phase::Rebuild);
        let added = self.added();
        let mut rebuild_seconds = 0.0;
        if same.is_none() {
            ((), rebuild_seconds) = timed(|| self.graph.rebuild());
        }
        self.watch.tell(Phase::Ask, added, &self.limits);
        let ((view, satisfied), goal_seconds) = timed(|| match same {
            Some(view) => (view, false),
            None => {
                let view = View::new(&self.graph);
                let satisfied = self.watch.ask(goal, &view, self.root);
                (view, satisfied)
            }
        });
        self.pace = (rebuild_seconds + goal_seconds) / self.graph.nodes().max(1) as f64;
        self.reached |= satisfied;
        let mut stop = self.stop(satisfied && !self.goes_on(), &rules, &view);
        self.watch.tell(Phase::Done, 0, &self.limits);
        if stop == Some(Stop::Found) && !self.extract(goal, &view) {
            stop = self.stop(false, &rules, &view);
        }
        self.limits.reached(0, Ahead::default());
        let iteration = Iteration {
            size: size_of(&view),
            bytes: self.limits.peak(),
            search_seconds,
            apply_seconds,
            rebuild_seconds,
            goal_seconds,
            rules,
        };
        (view, iteration, stop)
    }

    /// Takes out the best term that satisfies the sketch. Whether there is no more to do: there is, if time is left and
    /// only terms with variables of elsewhere satisfy it.
    fn extract(&mut self, goal: &Goal, view: &View) -> bool {
        self.watch.tell(Phase::Extract, 0, &self.limits);
        let cost = Cost::from_name(self.step.cost.as_str()).unwrap_or_default();
        let may_continue = || self.limits.reached_at_last().is_none();
        let root = view.class(self.root);
        let (found, seconds) = timed(|| goal.extract_while(view, root, cost, &may_continue));
        self.extract_seconds += seconds;
        let done = found.is_some() || !may_continue();
        self.reached = done;
        self.extracted = done.then_some(found);
        done
    }

    /// What that a term equals what was found obliges to, and why it does, if that is asked for.
    fn justify(
        &mut self,
        (term, found): (&Term, &Term),
        options: &Options,
        place: (usize, usize),
    ) -> (Vec<Nat>, Option<Result<Segment, String>>) {
        let mut open = Vec::new();
        if self.graph.records() && options.permitted.is_none() {
            open = self.open(term, found);
        }
        let mut segment = None;
        if options.prove || !open.is_empty() {
            segment = self.segment(term, found);
        }
        let held = asked(term, found);
        // A chain begins at the normal form.
        let origin = &normalize_program(term);
        let mut obliged = obliged(origin, segment.as_ref(), open, &held);
        if let (Some(Ok(segment)), false) = (&mut segment, obliged.is_empty()) {
            // A detour may be all that obliges to something.
            shorten(segment, origin, &held);
            obliged = beyond(origin, segment, &held).unwrap_or(obliged);
        }
        if !obliged.is_empty() {
            let begun = self.limits.begun;
            let until = self.limits.seconds.map(|n| begun + after(n, 1, 1));
            let options = &Options {
                until: until.into_iter().chain(options.until).min(),
                ..options.clone()
            };
            if let Some(better) = without(self.step, (term, found), options, place) {
                (obliged, segment) = (Vec::new(), better);
            }
        }
        segment = segment.filter(|_| options.prove);
        if let Some(Ok(segment)) = &mut segment {
            shorten(segment, origin, &held);
        }
        (obliged, segment)
    }

    /// Why the sketch was not reached.
    fn diagnosis(
        &mut self,
        goal: &Goal,
        view: &View,
        trace: &StepTrace,
        options: &Options,
    ) -> Diagnosis {
        self.note_refusals();
        let (refused, root) = (std::mem::take(&mut self.refused), view.class(self.root));
        let patience = Patience::new(options, trace.stop);
        if patience.is_some_and(|p| p.instead) {
            self.watch.tell(Phase::Diagnose, 0, &self.limits);
        }
        diagnose(self.step, goal, view, root, trace, refused, patience)
    }

    /// Why what was found equals the term.
    fn segment(&mut self, term: &Term, found: &Term) -> Option<Result<Segment, String>> {
        let ends = std::slice::from_ref(found);
        let segments = segments(
            self.step,
            &mut self.graph,
            &self.rewrites,
            &self.rules,
            term,
            ends,
        );
        segments.into_iter().next()
    }

    /// What any match so far obliges to and does not follow where the sizes of both terms are some.
    ///
    /// Note [Sizes of a graph]: every size in the graph is one of the term from which the step began, or one of an
    /// instance of a right side, whose sizes are sizes where those that were matched are and the instance's obligations
    /// hold. So if these follow from the two terms, nothing is left to ask, whatever the way.
    fn open(&self, term: &Term, found: &Term) -> Vec<Nat> {
        let held = asked(term, found);
        let mut all = Sizes::default();
        let rewrites = self.rewrites.iter();
        rewrites.flat_map(|r| r.obliged()).for_each(|n| all.size(n));
        let is_open = |n: &Nat| !obligation::missing(&held, &[*n]).is_empty();
        all.all().iter().copied().filter(is_open).collect()
    }

    /// Completes what was refused with the sizes that did not divide, and with the rules that a permission would have let.
    fn note_refusals(&mut self) {
        for rewrite in &self.rewrites {
            let name = rewrite.name().to_string();
            if rewrite.unpermitted() && !self.refused.unpermitted.contains(&name) {
                self.refused.unpermitted.push(name);
            }
            let pairs = rewrite.indivisible().iter();
            let named = pairs.map(|(k, n)| (rewrite.name().to_string(), *k, *n));
            self.refused.indivisible.extend(named);
        }
    }

    fn tell(&self, phase: Phase) {
        self.watch.tell(phase, self.added(), &self.limits);
    }

    /// E-nodes that rules added in this iteration; rebuilding makes more copies, and removes them.
    fn added(&self) -> usize {
        self.graph.nodes().saturating_sub(self.held)
    }

    /// Why to stop after an iteration, if at all.
    fn stop(&self, satisfied: bool, rules: &[RuleTrace], view: &View) -> Option<Stop> {
        if satisfied {
            return Some(Stop::Found);
        }
        if self.interrupted.is_some() {
            return self.interrupted;
        }
        if rules.iter().all(|r| r.applied == 0 && !r.banned) {
            return Some(Stop::Saturated);
        }
        (self.limits).reached(view.node_count() as u64, Ahead::default())
    }

    fn search(&mut self, view: &View, iteration: u64) -> Vec<Found> {
        let contexts = view.contexts(view.class(self.root), self.size);
        let reached = Cell::new(None);
        let (limits, watch) = (&self.limits, &self.watch);
        let scene = MatchContext {
            view,
            contexts: &contexts,
            size: self.size,
            may_continue: &|| {
                limits.work_on(ASK_EVERY.into());
                reached.set(limits.reached(0, Ahead::default()));
                watch.tell(Phase::Search, 0, limits);
                reached.get().is_none()
            },
        };
        let mut out = Vec::new();
        for (rewrite, backoff) in self.rewrites.iter_mut().zip(&mut self.backoff) {
            let begun = Instant::now();
            let mut matches = Matches::default();
            let mut banned = iteration < backoff.until;
            if !banned && reached.get().is_none() {
                matches = rewrite.search(&scene, &self.graph);
                self.refused.too_nested += matches.too_nested;
                self.refused.too_large += matches.too_large;
                let careful = self.step.scheduler == Scheduler::Backoff;
                if careful && backoff.bans(iteration, matches.len()) {
                    matches = Matches::default();
                    banned = true;
                }
            }
            out.push(Found {
                matches,
                banned,
                seconds: begun.elapsed().as_secs_f64(),
            });
        }
        self.interrupted = reached.get();
        out
    }

    fn apply(&mut self, found: &[Found], goal: &Goal) -> Vec<RuleTrace> {
        let (mut count, mut looked) = (0, self.graph.nodes());
        let mut rules: Vec<RuleTrace> = Vec::new();
        // Forms of one rule are one rule to the user.
        let mut is_applied = false;
        for (number, (rewrite, found)) in self.rewrites.iter().zip(found).enumerate() {
            let begun = Instant::now();
            let before = self.graph.nodes();
            let mut rule = RuleTrace {
                name: rewrite.name().to_string(),
                matches: found.matches.len() as u64,
                applied: 0,
                known: 0,
                refused: found.matches.refused,
                nodes_added: 0,
                seconds: 0.0,
                banned: found.banned,
            };
            for i in 0..found.matches.len() {
                if self.interrupted.is_some() {
                    break;
                }
                match rewrite.apply(
                    &mut self.graph,
                    &found.matches,
                    i,
                    self.step.reassociate,
                    number as u32,
                ) {
                    Applied::Changed => rule.applied += 1,
                    Applied::Known => rule.known += 1,
                    Applied::Refused => rule.refused += 1,
                }
                count += 1;
                let built = std::mem::take(&mut self.graph.built);
                let worked = self.limits.work_on(built);
                let nodes = self.graph.nodes();
                let time = Duration::from_secs_f64(self.pace * nodes as f64);
                // Whether an operator obeys a law may take long to decide.
                let late = || count % LOOK_AT_CLOCK_EVERY == 0 && self.limits.late(time).is_some();
                let due = count % LOOK_EVERY == 0 || worked >= self.limits.work || late();
                let more = nodes.saturating_sub(looked);
                if due || more >= LOOK_AT_MEMORY_EVERY {
                    looked = nodes;
                    let snapshot = View::bytes(&self.graph) + goal.bytes(self.graph.classes());
                    let ahead = Ahead {
                        bytes: snapshot + self.graph.growth(2 * more),
                        time,
                    };
                    // E-nodes are limited at places that do not depend on how many one application adds.
                    let counted = if due { nodes as u64 } else { 0 };
                    self.interrupted = self.limits.reached(counted, ahead);
                    self.tell(Phase::Apply);
                }
            }
            rule.nodes_added = (self.graph.nodes() - before) as u64;
            rule.seconds = found.seconds + begun.elapsed().as_secs_f64();
            match rules.last_mut().filter(|_| is_applied) {
                Some(form) => form.add(&rule),
                None => rules.push(rule),
            }
            is_applied = rewrite.has_applied();
        }
        rules
    }
}
