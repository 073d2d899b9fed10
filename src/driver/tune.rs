//! Schedules measured against the program as it stands.
//!
//! In: schedules that were reached, in any order; how long it may take. Out: for each how much faster it is, measured beside
//! the program's own kernel and checked as `--run` checks; the fastest. The best by the estimate come first. A kernel that
//! does not compile, is wrong, crashes or hangs loses and is recorded; only its process suffers. Whoever gives up on it has the best so far.
//! What was measured before, of the same program, schedule, machine and compiler, is not measured again. Absent: files.

use super::auto::Auto;
use super::candidates::Ended;
use super::input::Input;
use super::kernel::{measure, Running};
use crate::diag::Diagnostic;
use crate::emit::Contract;
use crate::exec::Toolchain;
use crate::hash::fnv64;
use crate::interrupt;
use crate::lower::{self, lower};
use crate::report::tuning::TuningRecord;
use crate::schedule::Permits;
use crate::term::Program;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What is measured so much faster than the program as it stands is worth its sketch.
const WORTH: f64 = 1.03;

/// How it is measured.
pub struct Tuning<'a> {
    /// No measurement begins after it.
    pub budget: Duration,
    pub running: Running,
    pub contract: Contract,
    pub tool: &'a Toolchain,
    pub permits: Permits,
    /// What was measured before, by its key.
    pub known: BTreeMap<String, TuningRecord>,
    /// Is told of every measurement as soon as it is done.
    pub note: &'a mut dyn FnMut(&TuningRecord) -> Result<(), Diagnostic>,
}

/// Measures the schedules that were reached, and takes the fastest.
pub fn tune(input: &Input, auto: &mut Auto, tuning: &mut Tuning) -> Result<(), Diagnostic> {
    let begun = Instant::now();
    let gentle = interrupt::gentle();
    let estimate = |i: &usize| match auto.tried[*i].ended {
        Ended::Estimated(cycles, _) => Some(cycles),
        _ => None,
    };
    let reached = (0..auto.tried.len()).filter_map(|i| Some((estimate(&i)?, i)));
    let mut order: Vec<(f64, usize)> = reached.collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, i) in order {
        let key = key(input, auto, i, tuning);
        let record = match tuning.known.get(&key) {
            Some(known) => known.clone(),
            None if interrupt::asked() || begun.elapsed() >= tuning.budget => continue,
            None => {
                let record = one(input, auto, i, tuning, key);
                // What was cut short is no measurement.
                if interrupt::asked() {
                    continue;
                }
                (tuning.note)(&record)?;
                record
            }
        };
        auto.tried[i].measured = Some(record);
    }
    drop(gentle);
    interrupt::obeyed();
    let faster = |i: usize| auto.tried[i].measured.as_ref()?.faster();
    let measured = (0..auto.tried.len()).filter_map(|i| Some((faster(i)?, i)));
    let best = measured.max_by(|a, b| a.0.total_cmp(&b.0));
    auto.best = match best {
        Some((faster, i)) => Some(i).filter(|_| faster >= WORTH || auto.demanded),
        // Nothing was measured: what the estimate says is all that is known.
        None if auto.tried.iter().all(|t| t.measured.is_none()) => auto.best,
        None => None,
    };
    Ok(())
}

/// All that a measurement depends on.
fn key(input: &Input, auto: &Auto, i: usize, tuning: &Tuning) -> String {
    let tool = tuning.tool.recommended();
    let text = format!(
        "{}\n{}\n{}\n{}\n{} {}\n{:?} {:?} {:?} {:?}",
        env!("CARGO_PKG_VERSION"),
        crate::elab::program_text(&input.program),
        auto.tried[i].schedule.text(),
        input.target,
        tool.version,
        tool.flags.join(" "),
        input.fixed,
        tuning.running.seed,
        tuning.running.threads,
        tuning.contract,
    );
    format!("{:016x}", fnv64(text.as_bytes()))
}

fn one(input: &Input, auto: &Auto, i: usize, tuning: &Tuning, key: String) -> TuningRecord {
    let tried = &auto.tried[i];
    let mut record = TuningRecord {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        key,
        program: input.program.name.to_string(),
        what: tried.schedule.what.clone(),
        target: input.target,
        compiler: tuning.tool.version.clone(),
        sizes: Vec::new(),
        kernel_seconds: None,
        plain_seconds: None,
        lost: None,
    };
    let run = || {
        let term = tried.term.clone().unwrap_or(input.program.term.clone());
        let found = Program {
            term,
            ..input.program.clone()
        };
        let lowering = lower::Options {
            fixed: input.fixed.clone(),
            target: input.target,
            approximate: tuning.permits.approximate,
            ..lower::Options::default()
        };
        let nest = lower(&found, &lowering).map_err(|d| vec![d])?;
        // Whether sums were regrouped is not asked here: what rounding explains is right enough to be measured.
        measure(
            &tuning.running,
            input,
            &nest,
            (tuning.contract, false),
            tuning.tool,
        )
    };
    match run() {
        Ok(report) => {
            let seconds = |t: f64| Some(t).filter(|t| t.is_finite() && *t > 0.0);
            record.sizes = report.sizes.clone();
            record.kernel_seconds = seconds(report.kernel.median());
            record.plain_seconds = seconds(report.unoptimised.median());
        }
        Err(d) => record.lost = Some(d.first().map_or(String::new(), |d| d.message.clone())),
    }
    record
}
