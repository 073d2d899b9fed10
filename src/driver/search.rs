//! A search, with what is to be said of it where it failed.
//!
//! In: the input, limits. Out: the outcome; the diagnosis of a step that was not reached, with advice; the proof, once the
//! checker has taken it. Invariant: of a plan nothing is searched.

use super::input::Input;
use crate::diag::{code, Diagnostic};
use crate::elab;
use crate::interrupt;
use crate::proof::{check, Holds, Proof, Refusal};
use crate::report;
use crate::search::{self, Outcome};
use crate::source::SourceMap;
use std::time::Instant;

/// What a search came to.
pub struct Searched {
    pub outcome: Outcome,
    /// Why its goal was not reached, if it was not.
    pub failure: Option<Diagnostic>,
}

/// Searches step by step, or takes what a plan says was found. An error if the user gave up when all was found.
pub fn search(
    input: &Input,
    options: &search::Options,
    sources: &mut SourceMap,
) -> Result<Searched, Diagnostic> {
    let gentle = interrupt::gentle();
    let outcome = match &input.plan {
        Some(plan) => Outcome {
            terms: plan.terms.clone(),
            obliged: plan.obliged.clone(),
            proof: Some(Ok(plan.proof.clone())),
            ..Outcome::unsearched(&input.program)
        },
        None => search::optimize(&input.program, &input.steps, options),
    };
    let failure = (outcome.failure.as_ref())
        .map(|diagnosis| not_reached(input, &outcome, diagnosis, options, sources));
    drop(gentle);
    if interrupt::asked() && failure.is_none() {
        Err(found_too_late())
    } else {
        Ok(Searched { outcome, failure })
    }
}

/// Why a step was not reached, with advice that is looked for only now.
fn not_reached(
    input: &Input,
    outcome: &Outcome,
    diagnosis: &search::Diagnosis,
    options: &search::Options,
    sources: &mut SourceMap,
) -> Diagnostic {
    // The diagnosis had as much.
    let part = (options.seconds).map(|s| Instant::now() + search::after(s, 1, 20));
    let options = search::Options {
        until: part.into_iter().chain(options.until).min(),
        ..options.clone()
    };
    let known = search::Known {
        rules: elab::shipped_rules(sources),
        params: input.params.clone().into_iter().collect(),
    };
    let start = search::start(&input.program);
    let term = outcome.terms.last().unwrap_or(&start);
    let step = input.steps.get(outcome.terms.len());
    let step = step.filter(|_| !interrupt::asked());
    let advice = step.map(|s| search::advise(s, term, diagnosis, &known, &options));
    let names: Vec<_> = input.program.params.iter().map(|p| p.0).collect();
    let mut d = report::not_reached(diagnosis, advice.as_ref(), &names, sources);
    if interrupt::asked() {
        // Perhaps only the search for advice was.
        d.code = code::INTERRUPTED;
    }
    d
}

/// A search that found everything just when somebody gave up on it.
fn found_too_late() -> Diagnostic {
    let what = "interrupted when the search had ended";
    Diagnostic::new(code::INTERRUPTED, what).help("run it again: nothing was written")
}

/// What is said where somebody gave up on work of several parts, if some are missing.
pub fn stopped(done: usize, of: usize, what: &str) -> Option<Diagnostic> {
    let text = format!("interrupted: {done} of {of} {what}");
    let d = Diagnostic::new(code::INTERRUPTED, text);
    (done < of).then(|| match done {
        0 => d.help("run it again: nothing was written"),
        _ => d.help("what is shown holds; run it again for the others alone"),
    })
}

/// The proof of a search that was asked for one, once it is checked.
pub fn proved(outcome: &Outcome) -> Result<Option<(&Proof, Holds)>, Diagnostic> {
    match (&outcome.proof, &outcome.failure) {
        (None, _) | (_, Some(_)) => Ok(None),
        (Some(Err(why)), _) => {
            let text = format!("what was found is equal, but there is no proof of it: {why}");
            Err(Diagnostic::new(code::NO_PROOF, text).help("this is worth a report"))
        }
        (Some(Ok(proof)), _) => match check(proof) {
            Ok(holds) => Ok(Some((proof, holds))),
            Err(r) => {
                let d = refused("the proof", proof, &r);
                let text = format!("a proof was made that does not hold: {}", d.message);
                Err(Diagnostic::new(code::NO_PROOF, text).help("this is worth a report"))
            }
        },
    }
}

/// What the checker says, in terms of the file.
pub fn refused(name: &str, proof: &Proof, r: &Refusal) -> Diagnostic {
    let segment = proof.segments.get(r.segment);
    let segment_name = segment.map_or("", |l| &*l.name);
    let place = match r.step {
        Some(i) => format!("step {} of `{segment_name}`", i + 1),
        None => format!("the end of `{segment_name}`"),
    };
    let mut d = Diagnostic::new(
        code::PROOF_STEP,
        format!("`{name}` is refused at {place}: {}", r.why),
    );
    if let Some(step) = segment.zip(r.step).and_then(|(l, i)| l.steps.get(i)) {
        d = d.note(format!(
            "the step leads from\n{}\nto\n{}",
            step.from, step.to
        ));
    }
    d.help("search again, with `--emit proof`; who changed the proof?")
}
