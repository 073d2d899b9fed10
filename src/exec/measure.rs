//! Measuring kernels against each other.
//!
//! In: sessions that have their inputs. Out: a [`Timing`] for each, of samples taken in the same
//! minutes. All of these gave false numbers once, and are seen to here: a cold first call (each is
//! warmed up); one contestant always after another whose threads still spin (the order is shuffled
//! in every round, with pauses); calls too short for the clock (a sample is as many calls as take
//! two milliseconds); two threads on one core (a sample whose processor time per wall time is far
//! below the contestant's best does not count).
//!
//! Absent: whether results are right (`compare`); what the times mean.

use super::kernel::{Sample, Session};
use crate::diag::Diagnostic;
use crate::interp::random::Rng;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Options {
    /// Samples that count, of each contestant.
    pub samples: usize,
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
}

struct Raw {
    wall: f64,
    cpu: f64,
}

impl Raw {
    fn of(sample: &Sample) -> Raw {
        Raw {
            wall: sample.wall.as_secs_f64(),
            cpu: sample.cpu.as_secs_f64(),
        }
    }
}

/// Below this part of the best processor time per wall time, threads shared a core.
const SHARED: f64 = 0.75;

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
        let warm = session.call(1, options.limit)?;
        let time = warm.wall.max(Duration::from_nanos(1));
        let needed = options.sample_time.as_nanos().div_ceil(time.as_nanos());
        calls.push((needed as u64).clamp(1, 1_000_000));
        wanted.push(options.samples);
        raw.push(Vec::new());
    }
    // Samples that do not count are repeated, up to three times as many in all.
    for _ in 0..3 * options.samples {
        let mut open: Vec<usize> = (0..sessions.len())
            .filter(|&i| counting(&raw[i]).count() < wanted[i])
            .collect();
        if open.is_empty() {
            break;
        }
        shuffle(&mut open, &mut random);
        for i in open {
            std::thread::sleep(options.pause);
            let sample = sessions[i].call(calls[i], options.limit)?;
            raw[i].push(Raw::of(&sample));
        }
    }
    let timings = raw.iter().zip(&calls);
    Ok(timings.map(|(r, &calls)| timing(r, calls)).collect())
}

fn shuffle<T>(items: &mut [T], random: &mut Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, random.below(i as u64 + 1) as usize);
    }
}

fn counting(raw: &[Raw]) -> impl Iterator<Item = &Raw> {
    let ratio = |r: &Raw| r.cpu / r.wall.max(1e-12);
    let best = raw.iter().map(ratio).fold(0.0, f64::max);
    raw.iter().filter(move |r| ratio(r) >= SHARED * best)
}

fn timing(raw: &[Raw], calls: u64) -> Timing {
    let mut kept: Vec<&Raw> = counting(raw).collect();
    kept.sort_by(|a, b| a.wall.total_cmp(&b.wall));
    Timing {
        seconds: kept.iter().map(|r| r.wall / calls as f64).collect(),
        calls,
        dropped: raw.len() - kept.len(),
        threads: kept.first().map_or(0.0, |r| r.cpu / r.wall.max(1e-12)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(samples: &[(f64, f64)]) -> Timing {
        let raw: Vec<Raw> = samples
            .iter()
            .map(|&(wall, cpu)| Raw { wall, cpu })
            .collect();
        timing(&raw, 2)
    }

    #[test]
    fn samples_whose_threads_shared_a_core_do_not_count() {
        let t = raw(&[(1.0, 2.0), (0.8, 0.8), (1.2, 2.3), (1.1, 2.2)]);
        assert_eq!(t.dropped, 1);
        assert_eq!(t.best(), 0.5);
        assert_eq!(t.median(), 0.55);
    }

    #[test]
    fn shuffling_keeps_all_items() {
        let mut items: Vec<_> = (0..20).collect();
        shuffle(&mut items, &mut Rng::new(3));
        assert_ne!(items, (0..20).collect::<Vec<_>>());
        items.sort();
        assert_eq!(items, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn one_thread_drops_nothing() {
        let t = raw(&[(1.0, 1.0), (3.0, 2.9)]);
        assert_eq!((t.dropped, t.best(), t.median()), (0, 0.5, 1.0));
    }
}
