//! Of `exec::measure`.

use rise_opt::exec::measure::*;
use rise_opt::interp::random::Rng;

fn raw(samples: &[(f64, f64, u64)]) -> Timing {
    let raw: Vec<Raw> = samples
        .iter()
        .map(|&(wall, cpu, preempted)| Raw {
            wall,
            cpu,
            preempted,
        })
        .collect();
    timing(&raw, 2, FEWEST)
}

#[test]
fn samples_whose_threads_shared_a_core_do_not_count() {
    let t = raw(&[(1.0, 2.0, 0), (0.8, 0.8, 0), (1.2, 2.3, 0), (1.1, 2.2, 0)]);
    assert_eq!(t.dropped, 1);
    assert_eq!(t.best(), 0.5);
    assert_eq!(t.median(), 0.55);
}

#[test]
fn samples_with_preemption_do_not_count_unless_all_have_it() {
    let quiet = (0.2, 0.2, 0);
    let t = raw(&[quiet, (0.1, 0.1, 1), quiet, quiet]);
    assert_eq!((t.preempted, t.disturbed, t.best()), (1, false, 0.1));
    let t = raw(&[quiet, (0.1, 0.1, 1), (0.4, 0.4, 2)]);
    assert_eq!((t.preempted, t.disturbed, t.best()), (0, true, 0.05));
    // One switch in five seconds is nothing.
    let t = raw(&[(5.0, 5.0, 3)]);
    assert_eq!((t.preempted, t.disturbed), (0, false));
}

#[test]
fn the_interval_of_the_median_is_that_of_the_binomial_distribution() {
    let ranks = |n: usize| {
        let xs: Vec<f64> = (1..=n).map(|i| i as f64).collect();
        interval(&xs)
    };
    // Ranks of the tables, for 95 %.
    assert_eq!(ranks(15), Some((4.0, 12.0)));
    assert_eq!(ranks(30), Some((10.0, 21.0)));
    assert_eq!(ranks(3), Some((1.0, 3.0)));
    assert_eq!(ranks(1), Some((1.0, 1.0)));
    assert_eq!(ranks(0), None);
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
    let t = raw(&[(1.0, 1.0, 0), (3.0, 2.9, 0), (1.0, 1.0, 0)]);
    assert_eq!((t.dropped, t.best(), t.median()), (0, 0.5, 0.5));
}
