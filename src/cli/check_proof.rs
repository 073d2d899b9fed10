//! `rise-opt check-proof PROOF [PROGRAM]`: a proof is replayed by the checker.
//!
//! In: a proof; with a program, only if it is of that one. Out: what holds and under which rules, or the first step
//! that does not, or a rule that is wrong. Absent: the checker (`proof`), how rules are proved (`verify`).

use super::values::Given;
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::driver::refused;
use crate::elab;
use crate::obligation::Assumption;
use crate::proof::{check, Holds, Proof};
use crate::report::answers::{ProofCheck, UsedRule};
use crate::report::{regrouping, term_hash, term_hash_of, Basis, ProofFile, RuleText};
use crate::term::Program;
use crate::verify::arrays::{objection, verify_rule, Verdict, INSTANCES};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The proof, which `--emit proof` wrote
    #[arg(value_name = "PROOF")]
    proof: String,
    #[command(flatten)]
    given: Given,
    /// A C file or a header that rise-opt wrote: refuses the proof unless that is of the term to which it leads
    #[arg(long, value_name = "FILE")]
    c: Option<String>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let done = job(args, context);
    context.ended(done)
}

fn job(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let name = &args.proof;
    let file = sources.load(name).map_err(|e| vec![e.into()])?;
    let saved = ProofFile::read(sources, file).map_err(|d| vec![d])?;
    let program = saved.program(name, sources).map_err(|d| vec![d])?;
    let given = args.given.load(sources)?;
    if let Some((_, given)) = &given {
        same(name, &program, given).map_err(|d| vec![d])?;
    }
    let proof = (saved.proof(name, &program, sources)).map_err(|d| vec![d])?;
    let holds = check(&proof).map_err(|r| vec![refused(name, &proof, &r)])?;
    if let Some(path) = &args.c {
        let file = sources.load(path).map_err(|e| vec![e.into()])?;
        let text = &sources.file(file).text;
        belongs((name, path), text, &term_hash(&program, proof.end())).map_err(|d| vec![d])?;
    }
    let rules = judged(&saved, &proof)?;
    let whose = given.map_or("the program in the proof", |(path, _)| path);
    let page = if context.json() {
        answer(name, &rules, &proof, &program, &holds).json_line()
    } else {
        told((name, whose), &rules, &proof, &program, &holds)
    };
    context.print(&page);
    Ok(())
}

/// Whether a C text is of a term.
fn belongs((name, path): (&str, &str), text: &str, own: &str) -> Result<(), Diagnostic> {
    let why = match term_hash_of(text) {
        Some(found) if found == own => return Ok(()),
        Some(found) => format!("that is made of the term {found}, the proof leads to {own}"),
        None => "that does not say of which term it is".to_string(),
    };
    let text = format!("`{name}` is no proof of `{path}`: {why}");
    Err(Diagnostic::new(code::PROOF_KERNEL, text)
        .help("make both by one command, with `--emit c,header,proof`"))
}

/// A rule of the proof, and what is known of it.
struct Judged<'a> {
    text: &'a RuleText,
    verdict: Verdict,
}

/// The rules that steps use. A wrong one is no reason for anything.
fn judged<'a>(saved: &'a ProofFile, proof: &Proof) -> Result<Vec<Judged<'a>>, Vec<Diagnostic>> {
    let (mut judged, mut wrong) = (Vec::new(), Vec::new());
    for (text, rule) in saved.used(proof) {
        let verdict = verify_rule(&rule, INSTANCES);
        match &verdict {
            Verdict::Refuted(_) => wrong.extend(
                objection(&rule, &verdict).map(|d| d.note("steps of the proof rest on this rule")),
            ),
            _ => judged.push(Judged { text, verdict }),
        }
    }
    if wrong.is_empty() {
        Ok(judged)
    } else {
        Err(wrong)
    }
}

fn same(name: &str, a: &Program, b: &Program) -> Result<(), Diagnostic> {
    if a.name != b.name {
        let text = format!(
            "`{name}` is of the definition `{}`, not of `{}`",
            a.name, b.name
        );
        return Err(Diagnostic::new(code::PROOF_PROGRAM, text)
            .note(format!("the proof is of\n{}", elab::program_text(a)))
            .help(format!(
                "if that is the one you mean, say `--entry {}`",
                a.name
            )));
    }
    let Some(what) = a.differs(b) else {
        return Ok(());
    };
    let text = format!(
        "`{name}` is of another program: {what} of `{}` differ",
        a.name
    );
    Err(Diagnostic::new(code::PROOF_PROGRAM, text)
        .note(format!("the proof is of\n{}", elab::program_text(a)))
        .help("search again, with `--emit proof`"))
}

fn told(
    (name, whose): (&str, &str),
    rules: &[Judged],
    proof: &Proof,
    program: &Program,
    holds: &Holds,
) -> String {
    let steps: usize = proof.segments.iter().map(|l| l.steps.len()).sum();
    let mut text = format!(
        "{name}: {steps} steps checked; `{}` of {whose} equals{}\n\n{}\n",
        program.name,
        wherever(&holds.wherever),
        elab::program_text(&Program {
            term: proof.end().clone(),
            ..program.clone()
        })
    );
    let basis = Basis::of(proof, holds, |_| false);
    if !basis.reassociation.is_empty() {
        text += &format!("\nsums of floats {}\n", regrouping(&basis.reassociation));
    }
    let proved = |j: &&Judged| matches!(j.verdict, Verdict::Proved { .. });
    let (proved, open): (Vec<&Judged>, Vec<&Judged>) = rules.iter().partition(proved);
    text += "\nby these rules:\n";
    for rule in proved {
        text += &line(rule.text, "proved");
    }
    if !open.is_empty() {
        text += "\nonly if these rules hold, which are neither proved nor refuted:\n";
        for rule in open {
            text += &line(rule.text, "unverified");
        }
    }
    text
}

/// The same for programs.
fn answer(
    name: &str,
    rules: &[Judged],
    proof: &Proof,
    program: &Program,
    holds: &Holds,
) -> ProofCheck {
    let regrouped: std::collections::BTreeSet<String> = (proof.segments.iter())
        .filter(|l| l.reassociate)
        .map(|l| l.name.clone())
        .collect();
    let used = |j: &Judged| UsedRule {
        name: j.text.name.clone(),
        shipped: j.text.is_shipped(),
        proved: matches!(j.verdict, Verdict::Proved { .. }),
        text: j.text.text.clone(),
    };
    ProofCheck {
        proof: name.to_string(),
        definition: program.name.to_string(),
        steps: proof.segments.iter().map(|l| l.steps.len()).sum(),
        equals: elab::program_text(&Program {
            term: proof.end().clone(),
            ..program.clone()
        }),
        wherever: holds.wherever.iter().map(|a| a.to_string()).collect(),
        regrouped: regrouped.into_iter().collect(),
        rules: rules.iter().map(used).collect(),
    }
}

/// ` wherever 4 divides n, n >= 1`
pub fn wherever(all: &[Assumption]) -> String {
    let all: Vec<String> = all.iter().map(|a| a.to_string()).collect();
    if all.is_empty() {
        String::new()
    } else {
        format!(" wherever {}", all.join(", "))
    }
}

/// Where a rule comes from; in full, if it is not shipped.
fn line(rule: &RuleText, verdict: &str) -> String {
    if rule.is_shipped() {
        format!("  {} (shipped, {verdict}, {})\n", rule.name, rule.file)
    } else {
        format!("  {} (not shipped, {verdict})\n{}\n", rule.name, rule.text)
    }
}
