//! `rise-opt check-proof PROOF [PROGRAM]`: a proof is replayed by the checker.
//!
//! In: a proof; with a program, only if it is of that one. Out: what holds and under which rules, or the first step
//! that does not. Absent: the checker (`proof`).

use super::input::no_program;
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::elab;
use crate::obligation::Assumption;
use crate::proof::{check, Holds, Proof, Refusal};
use crate::report::ProofFile;
use crate::term::Program;
use std::collections::BTreeSet;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The proof, which `--emit proof` wrote
    #[arg(value_name = "PROOF")]
    proof: String,
    /// A program (.rise): refuses the proof unless it is of exactly this one
    #[arg(value_name = "PROGRAM")]
    program: Option<String>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    match job(args, context) {
        Ok(()) => 0,
        Err(diagnostics) => context.report(diagnostics),
    }
}

fn job(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let name = &args.proof;
    let file = sources.load(name).map_err(|e| vec![e.into()])?;
    let saved = ProofFile::read(sources, file).map_err(|d| vec![d])?;
    let program = saved.program(name, sources).map_err(|d| vec![d])?;
    if let Some(path) = &args.program {
        let file = sources.load(path).map_err(|e| vec![no_program(path, e)])?;
        let given = elab::program(sources, file, Some(&saved.entry))?;
        same(name, &program, &given).map_err(|d| vec![d])?;
    }
    let proof = (saved.proof(name, &program, sources)).map_err(|d| vec![d])?;
    let holds = check(&proof).map_err(|r| vec![refused(name, &proof, &r)])?;
    context.print(&told(name, &saved, &proof, &program, &holds));
    Ok(())
}

fn same(name: &str, a: &Program, b: &Program) -> Result<(), Diagnostic> {
    let equal = (a.sizes == b.sizes, a.params == b.params, a.term == b.term);
    let what = match equal {
        (true, true, true) => return Ok(()),
        (false, ..) => "the sizes",
        (_, false, _) => "the parameters",
        _ => "the body",
    };
    let text = format!(
        "`{name}` is of another program: {what} of `{}` differ",
        a.name
    );
    Err(Diagnostic::new(code::PROOF_PROGRAM, text)
        .note(format!("the proof is of\n{}", elab::program_text(a)))
        .help("search again, with `--emit proof`"))
}

/// What the checker says, in terms of the file.
pub fn refused(name: &str, proof: &Proof, r: &Refusal) -> Diagnostic {
    let leg = proof.legs.get(r.leg);
    let leg_name = leg.map_or("", |l| &*l.name);
    let place = match r.step {
        Some(i) => format!("step {} of `{leg_name}`", i + 1),
        None => format!("the end of `{leg_name}`"),
    };
    let mut d = Diagnostic::new(
        code::PROOF_STEP,
        format!("`{name}` is refused at {place}: {}", r.why),
    );
    if let Some(step) = leg.zip(r.step).and_then(|(l, i)| l.steps.get(i)) {
        d = d.note(format!(
            "the step leads from\n{}\nto\n{}",
            step.from, step.to
        ));
    }
    d.help("search again, with `--emit proof`; who changed the proof?")
}

fn told(name: &str, saved: &ProofFile, proof: &Proof, program: &Program, holds: &Holds) -> String {
    let steps: usize = proof.legs.iter().map(|l| l.steps.len()).sum();
    let mut text = format!(
        "{name}: {steps} steps checked; `{}` equals{}\n\n{}\n",
        program.name,
        wherever(&holds.wherever),
        elab::program_text(&Program {
            term: proof.end().clone(),
            ..program.clone()
        })
    );
    let permitted: BTreeSet<&str> = (proof.legs.iter())
        .filter(|l| l.reassociate)
        .map(|l| &*l.name)
        .collect();
    if !permitted.is_empty() {
        let names: Vec<&str> = permitted.into_iter().collect();
        text += &format!("\nfloats may be regrouped in: {}\n", names.join(", "));
    }
    text += "\nassumes these rules:\n";
    for rule in &saved.rules {
        match rule.is_shipped() {
            true => text += &format!("  {} (shipped, {})\n", rule.name, rule.file),
            false => text += &format!("  {} (not shipped)\n{}\n", rule.name, rule.text),
        }
    }
    text
}

/// ` wherever 4 divides n, n >= 1`
pub fn wherever(all: &[Assumption]) -> String {
    let all: Vec<String> = all.iter().map(|a| a.to_string()).collect();
    match all.is_empty() {
        true => String::new(),
        false => format!(" wherever {}", all.join(", ")),
    }
}
