//! Measuring kernels against each other.
//!
//! In: sessions that have their inputs. Out: a [`Timing`] for each, of samples taken in the same
//! minutes. All of these gave false numbers once, and are seen to here: a cold first call (each is
//! warmed up); one contestant always after another whose threads still spin (the order is shuffled
//! in every round, with pauses); calls too short for the clock (a sample is as many calls as take
//! two milliseconds); two threads on one core (a sample whose processor time per wall time is far
//! below the contestant's best does not count); a processor that the system gave to somebody else
//! (a sample with involuntary context switches does not count); too few samples (more are taken
//! until the interval of the median is narrow); threads that slept during the pause (a call that is not
//! timed wakes them).
//!
//! Absent: whether results are right (`compare`); what the times mean.

use super::kernel::{Sample, Session};
use crate::diag::Diagnostic;
use crate::interp::random::Rng;
use crate::interrupt;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Options {
    /// Samples that count, of each contestant, at least.
    pub samples: usize,
    /// And at most: where the interval stays wide.
    pub most: usize,
    /// Half the width of the median's interval, as a part of the median, that is narrow enough.
    pub precision: f64,
    /// Calls are repeated until a sample takes this long.
    pub sample_time: Duration,
    /// Rest before each sample.
    pub pause: Duration,
    /// A contestant whose call takes longer than this is not called again.
    pub slow: Duration,
    /// How long one sample may take before it is a hang.
    pub limit: Duration,
    /// Seed of the order.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            samples: 7,
            most: 7,
            precision: 0.02,
            sample_time: Duration::from_millis(2),
            pause: Duration::from_millis(40),
            slow: Duration::from_secs(1),
            limit: Duration::from_secs(600),
            seed: 0,
        }
    }
}

/// The samples of one contestant, in seconds per call.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Timing {
    /// Sorted.
    pub seconds: Vec<f64>,
    /// Calls per sample.
    pub calls: u64,
    /// Samples that did not count, because threads shared a core.
    pub dropped: usize,
    /// Samples that did not count, because the system gave a processor to somebody else.
    pub preempted: usize,
    /// Whether the machine was so busy that preempted samples had to count, too.
    pub disturbed: bool,
    /// Processor time per wall time, of the best sample.
    pub threads: f64,
}

impl Timing {
    pub fn best(&self) -> f64 {
        self.seconds.first().copied().unwrap_or(f64::NAN)
    }

    pub fn median(&self) -> f64 {
        let n = self.seconds.len();
        match n {
            0 => f64::NAN,
            _ if n % 2 == 1 => self.seconds[n / 2],
            _ => (self.seconds[n / 2 - 1] + self.seconds[n / 2]) / 2.0,
        }
    }

    /// Where the median of all possible samples is with a probability of 95 %.
    pub fn interval(&self) -> (f64, f64) {
        interval(&self.seconds).unwrap_or((f64::NAN, f64::NAN))
    }

    /// Half the interval's width, as a part of the median.
    pub fn spread(&self) -> f64 {
        let (low, high) = self.interval();
        (high - low) / 2.0 / self.median()
    }

    /// A call that is not repeated.
    pub fn once(sample: &Sample) -> Timing {
        timing(&[Raw::of(sample)], 1, 1)
    }
}

/// Between which order statistics the median lies: the number of samples below it is binomial
/// (Conover, Practical Nonparametric Statistics, section 3.2). Too few samples: all of them.
pub fn interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let n = sorted.len();
    // P(at most k of n below the median), up to 2.5 %.
    let mut term = 0.5f64.powi(n.min(1000) as i32);
    let (mut below, mut rank) = (0.0, 0);
    while below + term <= 0.025 && rank < n / 2 {
        below += term;
        term *= (n - rank) as f64 / (rank + 1) as f64;
        rank += 1;
    }
    let at = rank.saturating_sub(1);
    Some((*sorted.get(at)?, *sorted.get(n.checked_sub(1 + at)?)?))
}

pub struct Raw {
    pub wall: f64,
    pub cpu: f64,
    pub preempted: u64,
}

impl Raw {
    fn of(sample: &Sample) -> Raw {
        Raw {
            wall: sample.wall.as_secs_f64(),
            cpu: sample.cpu.as_secs_f64(),
            preempted: sample.preempted,
        }
    }

    /// A switch costs some milliseconds, which a long sample does not show.
    fn disturbed(&self) -> bool {
        self.preempted > (self.wall / 0.5) as u64
    }
}

/// Below this part of the best processor time per wall time, threads shared a core.
const SHARED: f64 = 0.75;

/// Fewer samples say nothing: then disturbed ones count, too.
pub const FEWEST: usize = 3;

/// Measures all sessions in turn; `first` is the first call of each, which had success.
pub fn race(
    sessions: &mut [Session],
    first: &[Sample],
    options: &Options,
) -> Result<Vec<Timing>, Diagnostic> {
    let mut random = Rng::new(options.seed);
    let mut calls = Vec::new();
    let mut wanted = Vec::new();
    let mut raw: Vec<Vec<Raw>> = Vec::new();
    for (session, first) in sessions.iter_mut().zip(first) {
        if first.wall > options.slow {
            // What takes seconds does not depend on how warm the caches are.
            calls.push(1);
            wanted.push(1);
            raw.push(vec![Raw::of(first)]);
            continue;
        }
        let warm = session.timed(1, 1, options.limit)?;
        let time = warm.wall.max(Duration::from_nanos(1));
        let needed = options.sample_time.as_nanos().div_ceil(time.as_nanos());
        calls.push((needed as u64).clamp(1, 1_000_000));
        wanted.push(options.samples);
        raw.push(Vec::new());
    }
    let most = options.most.max(options.samples);
    let done = |raw: &[Raw], wanted: usize| {
        if wanted == 1 && !raw.is_empty() {
            return true;
        }
        let kept = sorted(counting(raw).collect(), 1);
        let narrow = || {
            let t = Timing {
                seconds: kept.clone(),
                ..Timing::default()
            };
            t.spread() <= options.precision
        };
        kept.len() >= wanted && (kept.len() >= most || narrow())
    };
    // Samples that do not count are repeated, up to three times as many in all.
    for _ in 0..3 * most {
        let mut open: Vec<usize> = (0..sessions.len())
            .filter(|&i| !done(&raw[i], wanted[i]))
            .filter(|&i| raw[i].len() < 3 * options.samples || !hopeless(&raw[i]))
            .collect();
        if open.is_empty() {
            break;
        }
        shuffle(&mut open, &mut random);
        for i in open {
            if interrupt::asked() {
                break;
            }
            std::thread::sleep(options.pause);
            let sample = sessions[i].timed(calls[i], 1, options.limit)?;
            raw[i].push(Raw::of(&sample));
        }
    }
    let timings = raw.iter().zip(&calls).zip(&wanted);
    Ok(timings
        .map(|((r, &calls), &wanted)| timing(r, calls, wanted.min(FEWEST)))
        .collect())
}

/// Whether hardly any sample counts, so that more of them are no use.
fn hopeless(raw: &[Raw]) -> bool {
    counting(raw).count() < FEWEST
}

pub fn shuffle<T>(items: &mut [T], random: &mut Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, random.below(i as u64 + 1) as usize);
    }
}

/// Samples whose threads had a core each.
fn apart(raw: &[Raw]) -> impl Iterator<Item = &Raw> {
    let ratio = |r: &Raw| r.cpu / r.wall.max(1e-12);
    let best = raw.iter().map(ratio).fold(0.0, f64::max);
    raw.iter().filter(move |r| ratio(r) >= SHARED * best)
}

fn counting(raw: &[Raw]) -> impl Iterator<Item = &Raw> {
    apart(raw).filter(|r| !r.disturbed())
}

fn sorted(mut kept: Vec<&Raw>, calls: u64) -> Vec<f64> {
    kept.sort_by(|a, b| a.wall.total_cmp(&b.wall));
    kept.iter().map(|r| r.wall / calls as f64).collect()
}

/// With fewer samples than these, disturbed ones count.
pub fn timing(raw: &[Raw], calls: u64, fewest: usize) -> Timing {
    let apart: Vec<&Raw> = apart(raw).collect();
    let quiet: Vec<&Raw> = counting(raw).collect();
    let disturbed = quiet.len() < fewest.min(apart.len());
    let kept = if disturbed { &apart } else { &quiet };
    let best = kept.iter().min_by(|a, b| a.wall.total_cmp(&b.wall));
    Timing {
        calls,
        dropped: raw.len() - apart.len(),
        preempted: apart.len() - kept.len(),
        disturbed,
        threads: best.map_or(0.0, |r| r.cpu / r.wall.max(1e-12)),
        seconds: sorted(kept.clone(), calls),
    }
}
