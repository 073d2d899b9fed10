//! Schedules that are considered, and which of them are worth a search.
//!
//! In: what was tried before. Out: the order in which schedules are tried, whether one more may be faster, what each is supposed to
//! take. Absent: the searches (`auto`).

use crate::report::tuning::TuningRecord;
use crate::schedule::{Choice, Schedule};
use crate::term::Term;

/// How many times as fast as loops that are merely parallel the same loops may be in vectors and tiles, as long as nothing shows
/// that they are faster.
const GAIN: f64 = 64.0;
/// How many times as fast tiles have to be as loops that are merely parallel, for other ways to be left out.
const TILES: f64 = 4.0;
/// How much longer each kind of change is supposed to take than the estimate says, which does not see everything: what is simpler and
/// nearly as fast is taken, and the program as it stands is simplest.
pub(super) const DOUBT: f64 = 1.12;
/// What counts as the same time; and of the same loops, parallel or not.
pub(super) const SAME: f64 = 1.03;
const SAME_LOOPS: f64 = 1.1;

/// How much longer vectors around a reduction may seem to take than lanes of it.
const NEAR: f64 = 1.25;

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

impl Ended {
    /// Why there is no estimate.
    pub fn why(&self) -> Option<String> {
        Some(match self {
            Ended::Estimated(..) => return None,
            Ended::Unreached(step) => format!("step `{step}` is not reached"),
            Ended::NoKernel(why) => format!("is no kernel: {why}"),
            Ended::Untried => "not tried: the bound on searches is used up".to_string(),
        })
    }
}

/// Cycles at some sizes, with all threads where they are worth it, and with one.
pub type Cycles = Vec<(f64, f64)>;

/// A schedule that was considered.
#[derive(Clone, PartialEq, Debug)]
pub struct Tried {
    pub schedule: Schedule,
    pub ended: Ended,
    /// If it was estimated: for each class of sizes the cycles at the sizes that stand for it.
    pub by_class: Vec<Cycles>,
    /// What was found, if the search came so far.
    pub term: Option<Term>,
    /// What a measurement showed, if there is one.
    pub measured: Option<TuningRecord>,
}

/// The estimate at the usual sizes, 0, or for a class, from 1 on.
fn estimate(t: &Tried, at: usize) -> f64 {
    match (&t.ended, at) {
        (Ended::Estimated(all, _), 0) => *all,
        (Ended::Estimated(..), _) => mean(&t.by_class[at - 1]),
        _ => f64::INFINITY,
    }
}

/// The one to take of those that may be. Of a short reduction in lanes more is left than the sizes that are supposed show, which divide:
/// vectors of the loop around it that take about as long are better.
pub(super) fn best(tried: &[Tried], may_be: impl Fn(&Tried) -> bool) -> Option<usize> {
    let usual = |i: usize| cost(&tried[i], 0);
    // Beside tiles that gain so much, these were tried for few rows.
    let beside = are_tiles_far_better(tried);
    let for_few = |t: &Tried| is_along_rows(&t.schedule) && beside;
    let may_be = |t: &Tried| may_be(t) && !for_few(t);
    let least = |is: &dyn Fn(&Schedule) -> bool| {
        let all = (0..tried.len()).filter(|&i| may_be(&tried[i]) && is(&tried[i].schedule));
        all.min_by(|&a, &b| usual(a).total_cmp(&usual(b)))
    };
    let first = least(&|_| true)?;
    let of = &tried[first].schedule;
    if of.choice.lanes == 0 || of.has_tiles() {
        return Some(first);
    }
    let around = least(&|s| s.choice.vectors && s.choice.lanes == 0 && !s.has_tiles());
    let near = |i: &usize| usual(*i) <= NEAR * usual(first);
    Some(around.filter(near).unwrap_or(first))
}

/// With doubts.
pub(super) fn cost(t: &Tried, at: usize) -> f64 {
    estimate(t, at) * DOUBT.powi(t.schedule.changes as i32)
}

/// What stands for several sizes: each counts as much as the others, however long it takes.
pub(super) fn mean(cycles: &Cycles) -> f64 {
    let product: f64 = cycles.iter().map(|c| c.0).product();
    product.powf(1.0 / cycles.len() as f64)
}

/// The estimate of one thread, which must not be above that of the program as it stands: who has no other thread, or whose other
/// threads are busy, shall not wait longer. What an estimate does not see, of parallel loops that are otherwise the same, is left out.
pub(super) fn alone(t: &Tried) -> f64 {
    match t.ended {
        Ended::Estimated(_, one) if is_plain(&t.schedule.choice) => one / SAME_LOOPS,
        Ended::Estimated(_, one) => one / SAME,
        _ => f64::INFINITY,
    }
}

/// In which order schedules are tried, so that the bound on searches cuts off the least promising ones: parallel loops alone, tiles, other
/// ways to take loops apart, long sums beside tiles, vectors beside anything. Where vectors have functions that are called number by number
/// otherwise, they stand beside tiles before other ways.
pub(super) fn rank(schedule: &Schedule, functions: bool) -> u32 {
    let choice = &schedule.choice;
    match (choice.vectors, schedule.has_tiles(), choice.lanes > 0) {
        _ if is_plain(choice) => 0,
        (true, true, false) if functions => 2,
        (true, ..) => 5,
        (_, true, false) => 1,
        (_, false, _) => 3,
        (_, true, true) => 4,
    }
}

/// Parallel loops and nothing else.
pub(super) fn is_plain(choice: &Choice) -> bool {
    let plain = Choice {
        keep: choice.keep,
        parallel: choice.parallel,
        ..Choice::default()
    };
    *choice == plain
}

/// What the best tiles take, and the best loops that are parallel alone.
fn tiles(tried: &[Tried], cost: &dyn Fn(&Tried) -> f64) -> (f64, f64) {
    let least = |is: &dyn Fn(&Schedule) -> bool| {
        let all = tried.iter().filter(|t| is(&t.schedule)).map(cost);
        all.fold(f64::INFINITY, f64::min)
    };
    (least(&|s| s.has_tiles()), least(&|s| is_plain(&s.choice)))
}

/// Whether tiles take so much less than loops that are parallel alone that nothing else comes near.
fn is_far_better(tiled: f64, untiled: f64) -> bool {
    tiled * TILES < untiled
}

/// Whether what was tried beside tiles is there for few rows alone.
pub(super) fn are_tiles_far_better(tried: &[Tried]) -> bool {
    let (tiled, untiled) = tiles(tried, &|t| cost(t, 0));
    is_far_better(tiled, untiled)
}

/// Whether whole rows are gone along, several at once.
fn is_along_rows(schedule: &Schedule) -> bool {
    schedule.choice.rows > 0 && !schedule.has_tiles()
}

/// Whether long sums are in vectors, and nothing else is.
pub(super) fn is_of_sums(choice: &Choice) -> bool {
    let alone = Choice {
        lanes: 0,
        ..*choice
    };
    choice.lanes > 0 && is_plain(&alone)
}

/// Loops that are parallel alone so slowly that no vectors make up for it are left alone, as where a stage is computed anew for each
/// reader. Vectors are added to what is best without them, and long sums beside tiles are regrouped for the best kind of tile: the searches
/// are as many as take a second.
pub(super) fn is_worth_trying(schedule: &Schedule, tried: &[Tried], at: usize) -> bool {
    let cost = |t: &Tried| cost(t, at);
    let choice = schedule.choice;
    let family = |t: &&Tried| {
        let of = &t.schedule;
        of.family == schedule.family && of.choice.keep == choice.keep
    };
    let fastest = tried.iter().map(cost).fold(f64::INFINITY, f64::min);
    let own = tried.iter().filter(family);
    let own_fastest = own.clone().map(cost).fold(f64::INFINITY, f64::min);
    let alone = own.clone().find(|t| is_plain(&t.schedule.choice));
    // Register tiles are elements in lanes that use more registers: what they gain is not gained again without them.
    let (tiled, untiled) = tiles(tried, &cost);
    // Tiles of other loops may gain as much as the best ones did.
    let best = if schedule.has_tiles() {
        untiled
    } else {
        fastest
    };
    let is_hopeless = |t: &Tried| cost(t).is_finite() && cost(t) > GAIN * best;
    if own_fastest > fastest && alone.is_some_and(is_hopeless) {
        return false;
    }
    // Of few rows tiles make more than there are: these take what goes along whole rows, or along what is added up, where the best tiles
    // have it.
    let best_tiles = { tried.iter() }
        .filter(|t| t.schedule.has_tiles())
        .min_by(|a, b| cost(a).total_cmp(&cost(b)));
    let beside = best_tiles.is_some_and(|t| family(&t));
    let of_few_rows = is_along_rows(schedule) || beside && is_of_sums(&choice);
    let other = !schedule.has_tiles() && !is_plain(&choice) && !of_few_rows;
    if other && is_far_better(tiled, untiled) {
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
    let rivals = own.filter(|t| {
        let of = t.schedule.choice;
        // Lanes of a reduction take the place of vectors around it.
        let instead = of.lanes > 0 && choice.lanes == 0 && !t.schedule.has_tiles();
        let alike = choice.vectors && !instead || of.lanes == 0 && of.tile > 0;
        !of.vectors && alike
    });
    // What is simpler may be the better base, or what is faster.
    let least = |cost: &dyn Fn(&Tried) -> f64| {
        let best = rivals.clone().map(cost).min_by(f64::total_cmp);
        let own = rivals.clone().find(|t| t.schedule.choice == base).map(cost);
        best.is_none_or(|b| own.is_some_and(|own| own <= SAME * b))
    };
    least(&cost) || choice.vectors && least(&|t| estimate(t, at))
}
