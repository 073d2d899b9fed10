//! The one thing to try next when a sketch was not reached.
//!
//! In: the step, the term it started from, its diagnosis, the rules that are known. Out: one remedy, and how
//! a search with it went. Remedies are looked for in the order of how sure they are: what the graph itself
//! shows (a slip in the sketch), a size that does not divide, a missing permission, a missing rule, a limit,
//! a step in between, any other rule. Each is tried in a small search before it is given; only if none reaches the goal is one
//! given untried, and says so. Invariants: bounded by [`WORK`] e-nodes in all, whatever the limits of the
//! search were; limits in counts only, so the same input gives the same advice. Absent: printing.

mod between;
mod rules;
pub mod sizes;

pub use between::Chain;

use super::diagnose::{Diagnosis, Near};
use super::edit::{Atom, Edit};
use super::{saturate, Options, Stop};
use crate::arith::Nat;
use crate::elab::{KnownRule, RuleUse, Step};
use crate::term::{Op, Term};
use std::ops::RangeInclusive;
use std::time::Instant;

/// E-nodes of all tries together, and of one of them.
pub const WORK: u64 = 320_000;
const MOST_WORK: u64 = 500_000;
const EACH: u64 = 40_000;
/// Seconds that are said to be worth a trial where such a limit ended a search.
const LONG: u64 = 600;
/// E-nodes of a try that leads on soon if at all.
const SOON: u64 = 16_000;
/// Searches that are tried, and iterations of one of them.
const SEARCHES: u64 = 60;
const ITERATIONS: u64 = 60;

/// What the advice may draw on.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Rules that a step could use.
    pub rules: Vec<KnownRule>,
    /// The parameters of the sketches, with their values.
    pub params: Vec<(String, Nat)>,
}

/// What to try next.
#[derive(Clone, Debug)]
pub struct Advice {
    /// It.
    pub remedy: Remedy,
    /// How a search with it reached the sketch; `None` if it was not tried, or did not within the bounds.
    pub reached: Option<Reached>,
    /// If it did not: how many parts of the sketch one term satisfies with it.
    pub nearer: Option<usize>,
    /// Searches that were tried to find it.
    pub searches: u64,
    /// Their e-nodes.
    pub nodes: u64,
}

/// A search that reached the sketch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Its iterations.
    pub iterations: u64,
    /// Its e-nodes at the end.
    pub nodes: u64,
}

/// What can be done.
#[derive(Clone, Debug)]
pub enum Remedy {
    /// The sketch asks for something that the program has otherwise.
    Edit(Edit),
    /// A rule is refused because `k` does not divide `n`; `with` does.
    Divide {
        /// The rule.
        rule: String,
        /// What does not divide.
        k: i64,
        /// What it does not divide.
        n: i64,
        /// A near size that does.
        with: i64,
        /// The parameter that has the value `k`.
        param: Option<String>,
    },
    /// Rules that are missing, with their files.
    Rules {
        /// The rules.
        rules: Vec<(String, RuleUse)>,
        /// What the sketch asks for and only they make.
        makes: Vec<Op>,
    },
    /// The permission to regroup floats, without which rules of the step were refused.
    Permit,
    /// A higher limit.
    Limit(Limit, u64),
    /// A step in between, with the same rules.
    Guide(Near),
    /// Several, or one with rules of its own.
    Guides(Chain),
    /// Nothing that is known helps.
    Nothing,
}

/// A limit of a search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Limit {
    Iterations,
    Nodes,
    Seconds,
    Bytes,
    Nesting,
    Size,
}

impl Limit {
    /// Its name in `limits`.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Iterations => "iterations",
            Limit::Nodes => "nodes",
            Limit::Seconds => "seconds",
            Limit::Bytes => "bytes",
            Limit::Nesting => "nesting",
            Limit::Size => "size",
        }
    }
}

/// Looks for what to do about a step that started from `term`, the program's [`super::start`] or a normal form, and was not
/// reached.
pub fn advise(
    step: &Step,
    term: &Term,
    diagnosis: &Diagnosis,
    known: &Known,
    options: &Options,
) -> Advice {
    // Of a side alone, the diagnosis is that of the side.
    let side = super::focus::focus(step, term);
    let (step, term) = match &side {
        Some(side) => (&side.step, &side.term),
        None => (step, term),
    };
    let mut a = Advisor {
        is_side: side.is_some(),
        step,
        term: super::in_form(term),
        d: diagnosis,
        known,
        options,
        searches: 0,
        nodes: 0,
    };
    let mut found = a.slip(true);
    for way in WAYS {
        // Preparing a search takes time, too.
        if found.is_none() && !a.late() {
            found = way(&mut a);
        }
    }
    let found = found.or_else(|| a.slip(false));
    let (remedy, reached, nearer) = match found {
        Some((remedy, reached)) => (remedy, Some(reached), None),
        None => match a.nearer() {
            Some((remedy, parts)) => (remedy, None, Some(parts)),
            None => (a.last_resort(), None, None),
        },
    };
    Advice {
        remedy,
        reached,
        nearer,
        searches: a.searches,
        nodes: a.nodes,
    }
}

type Found = Option<(Remedy, Reached)>;

/// What is tried, the likeliest first.
const WAYS: [fn(&mut Advisor) -> Found; 7] = [
    sizes::divide,
    |a: &mut Advisor| a.permit(),
    rules::missing,
    |a: &mut Advisor| a.limit(0..=EACH),
    between::between,
    |a: &mut Advisor| a.limit(EACH + 1..=2 * EACH),
    rules::any,
];

struct Advisor<'a> {
    /// Whether the step is about one side of a choice: a sketch of that alone is none of a step.
    is_side: bool,
    step: &'a Step,
    term: Term,
    d: &'a Diagnosis,
    known: &'a Known,
    options: &'a Options,
    searches: u64,
    nodes: u64,
}

/// As the line of progress names it.
const PERMIT: &str = "permit reassociate";

/// As the line of progress names it.
fn limit_in_words(limit: Limit, to: u64) -> String {
    format!("limit {} {to}", limit.name())
}

impl Advisor<'_> {
    /// The limits of the search that failed, within the bounds of a try.
    fn limits(&self) -> Options {
        let own = &self.step.limits;
        let iterations = self.options.iterations.or(own.iterations);
        let nodes = self.options.nodes.or(own.nodes);
        Options {
            iterations: Some(iterations.unwrap_or(u64::MAX).min(ITERATIONS)),
            nodes: Some(nodes.unwrap_or(u64::MAX).min(EACH)),
            work: Some(super::WORK_OF_ONE),
            seconds: self.options.seconds,
            until: self.options.until,
            // The step's own limit is lifted where it ended the search, see `run`; the user's is the user's.
            bytes: self.options.bytes,
            observer: self.options.observer.clone(),
            ..Options::default()
        }
    }

    /// Whether nobody waits any more.
    fn late(&self) -> bool {
        self.options.until.is_some_and(|u| Instant::now() >= u)
    }

    fn spent(&self) -> bool {
        self.late() || self.left() == 0 || self.searches >= SEARCHES
    }

    /// E-nodes that may still be looked at: in all as many as the search that failed had, if that is more than [`WORK`].
    fn left(&self) -> u64 {
        WORK.max(self.d.size.nodes.min(MOST_WORK))
            .saturating_sub(self.nodes)
    }

    /// Whether a step reaches its sketch from a term; `trying` says in words what is tried.
    fn search(
        &mut self,
        trying: &str,
        step: &Step,
        term: &Term,
        limits: &Options,
    ) -> Option<Reached> {
        if self.spent() {
            return None;
        }
        let run = self.run(trying, step, term, limits);
        run.result.ok()?;
        Some(Reached {
            iterations: run.trace.iterations.len() as u64,
            nodes: run.trace.size().nodes,
        })
    }

    fn run(&mut self, trying: &str, step: &Step, term: &Term, limits: &Options) -> saturate::Run {
        let limits = Options {
            nodes: Some(limits.nodes.unwrap_or(u64::MAX).min(self.left())),
            trying: Some(trying.to_string()),
            ..limits.clone()
        };
        let mut step = step.clone();
        if let Stop::Bytes(_) = self.d.stop {
            step.limits.bytes = None;
        }
        let run = saturate::run(&step, term, &limits, (1, 1));
        self.searches += 1;
        self.nodes += run.trace.size().nodes;
        run
    }

    /// How many parts of the sketch one term satisfies in the graph of another step; all that was to be
    /// spent may be.
    fn parts_reached(&mut self, trying: &str, step: &Step) -> usize {
        if self.late() {
            return 0;
        }
        let limits = self.limits();
        let limits = Options {
            nodes: limits.nodes.map(|n| n.min(EACH / 4)),
            diagnose: true,
            ..limits
        };
        let term = self.term.clone();
        match self.run(trying, step, &term, &limits).result {
            Ok(_) => self.d.parts.len(),
            Err(d) => d
                .instead
                .and_then(|i| i.closest)
                .map_or(0, |near| near.parts.len()),
        }
    }

    /// A slip in the sketch. It is `sure` when a size only has another variable, or when nothing that is known
    /// makes what is asked for; else a rule may be missing instead.
    fn slip(&self, sure: bool) -> Found {
        let instead = self.d.instead.as_ref()?;
        if !sure && self.d.stop != Stop::Saturated {
            return None;
        }
        let edit = instead.edits.iter().find(|e| {
            !sure
                || match (e.from, e.to) {
                    (Atom::Size(a), Atom::Size(b)) => sizes::same_form(a, b),
                    (Atom::Op(op), _) => {
                        !instead.has.ops.contains(&op) && !self.rules().any(|r| rules::makes(r, op))
                    }
                    _ => true,
                }
        })?;
        // The graph of the search that failed satisfies the sketch with it.
        let reached = Reached {
            iterations: self.d.iterations,
            nodes: self.d.size.nodes,
        };
        Some((Remedy::Edit(*edit), reached))
    }

    /// The rules of the step and those that are known.
    fn rules(&self) -> impl Iterator<Item = &crate::elab::RuleDecl> {
        let own = self.step.rules.iter().map(|u| &*u.rule);
        own.chain(self.known.rules.iter().map(|k| &*k.rule))
    }

    /// The step with the permission to regroup floats, if rules were refused for want of it.
    fn permitted(&self) -> Option<Step> {
        (!self.d.refused.unpermitted.is_empty()).then(|| Step {
            reassociate: true,
            ..self.step.clone()
        })
    }

    fn permit(&mut self) -> Found {
        let (step, term, limits) = (self.permitted()?, self.term.clone(), self.limits());
        let reached = self.search(PERMIT, &step, &term, &limits)?;
        Some((Remedy::Permit, reached))
    }

    /// What brings more parts of the sketch where nothing reaches it.
    fn nearer(&mut self) -> Option<(Remedy, usize)> {
        if self.late() {
            return None;
        }
        let found = self.nearer_by_permit();
        found.or_else(|| rules::nearer(self))
    }

    /// The permission where it does not suffice, but one term satisfies more parts with it.
    fn nearer_by_permit(&mut self) -> Option<(Remedy, usize)> {
        let step = self.permitted()?;
        let now = self.d.instead.as_ref()?.closest.as_ref()?.parts.len();
        let parts = self.parts_reached(PERMIT, &step);
        (parts > now).then_some((Remedy::Permit, parts))
    }

    /// A limit that ended the search, or that kept terms out; one on e-nodes within a range: large graphs are tried last.
    fn limit(&mut self, range: RangeInclusive<u64>) -> Found {
        if !range.contains(&0) && !matches!(self.d.stop, Stop::Nodes(_)) {
            return None;
        }
        let (step, term) = (self.step, self.term.clone());
        let mut limits = self.limits();
        let (limit, to) = match self.d.stop {
            Stop::Iterations(_) => {
                limits.iterations = Some(4 * ITERATIONS);
                let trying = limit_in_words(Limit::Iterations, 4 * ITERATIONS);
                let reached = self.search(&trying, step, &term, &limits)?;
                return Some((
                    Remedy::Limit(Limit::Iterations, reached.iterations),
                    reached,
                ));
            }
            Stop::Nodes(n) => {
                for times in [4, 16, 64] {
                    let more = n.saturating_mul(times);
                    limits.nodes = Some(more);
                    if !range.contains(&more) {
                        continue;
                    }
                    let trying = limit_in_words(Limit::Nodes, more);
                    if let Some(reached) = self.search(&trying, step, &term, &limits) {
                        return Some((Remedy::Limit(Limit::Nodes, more), reached));
                    }
                }
                return None;
            }
            Stop::Seconds(n) => {
                let more = n.saturating_mul(4).max(4);
                limits.seconds = Some(more);
                (Limit::Seconds, more)
            }
            Stop::Bytes(n) => (Limit::Bytes, n),
            Stop::Saturated | Stop::Size(_) => return self.limit_on_terms(&limits),
            Stop::Found | Stop::Interrupted | Stop::Work(_) => return None,
        };
        let reached = self.search(&limit_in_words(limit, to), step, &term, &limits)?;
        Some((Remedy::Limit(limit, to), reached))
    }

    fn limit_on_terms(&mut self, limits: &Options) -> Found {
        let (term, refused) = (self.term.clone(), &self.d.refused);
        let mut step = self.step.clone();
        if refused.too_nested > 0 {
            for more in 1..=3 {
                let nesting = refused.nesting + more;
                step.limits.nesting = Some(nesting);
                let trying = limit_in_words(Limit::Nesting, nesting);
                if let Some(reached) = self.search(&trying, &step, &term, limits) {
                    return Some((Remedy::Limit(Limit::Nesting, nesting), reached));
                }
            }
            step.limits.nesting = self.step.limits.nesting;
        }
        let least = match self.d.stop {
            Stop::Size(_) => u64::from(term.size()),
            _ if refused.too_large > 0 => refused.size,
            _ => return None,
        };
        for times in [2, 4] {
            let size = least.saturating_mul(times);
            step.limits.size = Some(size);
            let trying = limit_in_words(Limit::Size, size);
            if let Some(reached) = self.search(&trying, &step, &term, limits) {
                return Some((Remedy::Limit(Limit::Size, size), reached));
            }
        }
        None
    }

    /// What is left when no try reached the goal.
    fn last_resort(&self) -> Remedy {
        let guide = between::near(self).into_iter().next().map(Remedy::Guide);
        let more = |limit, n: u64| Remedy::Limit(limit, n.saturating_mul(4));
        match self.d.stop {
            Stop::Saturated | Stop::Found | Stop::Interrupted => Remedy::Nothing,
            Stop::Iterations(n) => guide.unwrap_or(more(Limit::Iterations, n)),
            Stop::Nodes(n) => guide.unwrap_or(more(Limit::Nodes, n)),
            Stop::Work(_) => guide.unwrap_or(Remedy::Limit(Limit::Seconds, LONG)),
            Stop::Seconds(n) => guide.unwrap_or(more(Limit::Seconds, n.max(1))),
            Stop::Bytes(n) => guide.unwrap_or(more(Limit::Bytes, n)),
            Stop::Size(_) => Remedy::Limit(Limit::Size, 2 * u64::from(self.term.size())),
        }
    }
}
