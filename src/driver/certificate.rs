//! Whether a kernel is certified: program = found term, found term = loop program, loop program = C text.
//!
//! In: a certificate. Out: what was shown, or the first link that is not. Nothing is searched for, lowered or printed: the
//! proof is replayed, its rules are proved, the loop program is validated, the C text is read. Absent: files.

use crate::arith::Nat;
use crate::ctext::{self, Texts};
use crate::elab;
use crate::intern::Symbol;
use crate::nest::Nest;
use crate::obligation;
use crate::proof::{self, Holds, Proof};
use crate::report::answers::UsedRule;
use crate::report::kernel_certificate::{Claims, KernelCertificate};
use crate::report::reordered::{self, Reordered};
use crate::report::validation::{sentence, TextFile};
use crate::report::Basis;
use crate::source::SourceMap;
use crate::term::{normalize_program, Program};
use crate::validate::{validate, Verdict};
use crate::verify::arrays::{verify_rule, Verdict as OfRule, INSTANCES};
use std::collections::BTreeMap;

/// What a certificate shows.
pub struct Shown {
    pub program: Program,
    pub claims: Claims,
    /// The rules of the proof, all of which are proved.
    pub rules: Vec<UsedRule>,
    /// Of the proof.
    pub steps: usize,
    /// Of the loop program.
    pub obligations: usize,
    /// Reductions that the proof combines in another order.
    pub reordered: Vec<Reordered>,
}

/// Why it shows nothing.
type Res<T> = Result<T, String>;

/// Checks a certificate, of this name, but for its hashes and its claims, which are made.
pub fn show(file: &KernelCertificate, name: &str, sources: &mut SourceMap) -> Res<Shown> {
    let program = file.proof.program(name, sources).map_err(|d| d.message)?;
    let proof = file
        .proof
        .proof(name, &program, sources)
        .map_err(|d| d.message)?;
    let holds =
        proof::check(&proof).map_err(|r| super::refused("the proof", &proof, &r).message)?;
    let rules = rules(file, &proof)?;
    let found = found(file, name, &program, &proof, sources)?;
    let fixed = fixed(file, &program)?;
    let nest = file.loops.nest("the loop program").map_err(|d| d.message)?;
    refuses(&nest, &holds.sizes, &fixed)?;
    let validation = validate(&nest, &found, &fixed);
    match &validation.verdict {
        Verdict::Validated => {}
        Verdict::Refuted(d) => {
            return Err(format!(
                "the loop program is wrong: where {}, {}",
                d.sizes, d.what
            ))
        }
        Verdict::Unknown => {
            return Err(format!(
                "the loop program is not validated: {}",
                sentence(&validation)
            ))
        }
    }
    let texts = Texts {
        c: &file.c,
        header: Some((&file.header_name, &file.header)),
    };
    if let Some(what) = TextFile::new("the C text", &ctext::compare(texts, &nest)).sentence() {
        return Err(what);
    }
    Ok(Shown {
        claims: claims(file, &proof, &holds, &nest),
        steps: proof.segments.iter().map(|l| l.steps.len()).sum(),
        obligations: validation.tally.count(),
        reordered: reordered::of(&proof, &holds),
        program,
        rules,
    })
}

/// Each rule of the proof is proved anew.
fn rules(file: &KernelCertificate, proof: &Proof) -> Res<Vec<UsedRule>> {
    let mut all = Vec::new();
    for (text, rule) in file.proof.used(proof) {
        match verify_rule(&rule, INSTANCES) {
            OfRule::Proved { .. } => all.push(UsedRule {
                name: text.name.clone(),
                shipped: text.is_shipped(),
                proved: true,
                text: text.text.clone(),
            }),
            OfRule::Refuted(_) => {
                return Err(format!(
                    "the rule `{}`, on which the proof rests, is wrong",
                    text.name
                ))
            }
            OfRule::Unknown { .. } => {
                let what = "on which the proof rests, is neither proved nor refuted";
                return Err(format!("the rule `{}`, {what}", text.name));
            }
        }
    }
    Ok(all)
}

/// The program that the loop program says it is of, if that is where the proof leads.
fn found(
    file: &KernelCertificate,
    name: &str,
    program: &Program,
    proof: &Proof,
    sources: &mut SourceMap,
) -> Res<Program> {
    let text = sources.add_saved(&format!("{name}: what was found"), &file.loops.program);
    let found = elab::saved_program(sources, text, Some(&file.proof.entry)).map_err(|all| {
        let first = all.into_iter().next();
        let why = first.map_or(String::new(), |d| d.message);
        format!("the program of the loop program is none: {why}")
    })?;
    let same = [
        found.sizes == program.sizes,
        found.params == program.params,
        found.result == program.result,
        normalize_program(&found.term) == normalize_program(proof.end()),
    ];
    match same.contains(&false) {
        false => Ok(found),
        true => Err("the loop program is of another program than the proof leads to".to_string()),
    }
}

fn fixed(file: &KernelCertificate, program: &Program) -> Res<BTreeMap<Symbol, i64>> {
    let mut all = BTreeMap::new();
    for (name, n) in &file.loops.fixed {
        let size = program.sizes.iter().find(|s| s.as_str() == name);
        match size.filter(|_| *n >= 1) {
            Some(s) => all.insert(*s, *n),
            None => return Err(format!("the size `{name}` cannot be fixed to {n}")),
        };
    }
    Ok(all)
}

/// The kernel refuses sizes of which the proof, which speaks of these, does not speak.
pub fn refuses(nest: &Nest, sizes: &[Nat], fixed: &BTreeMap<Symbol, i64>) -> Res<()> {
    let fix = |n: &Nat| n.subst_vars(&mut |s| fixed.get(&s).map(|k| Nat::int(*k)));
    let sizes: Vec<_> = sizes.iter().map(fix).collect();
    match obligation::missing(&nest.abi.assumptions, &sizes).first() {
        None => Ok(()),
        Some(a) => Err(format!(
            "the proof holds only where {a}, which the kernel does not check"
        )),
    }
}

fn claims(file: &KernelCertificate, proof: &Proof, holds: &Holds, nest: &Nest) -> Claims {
    let basis = Basis::of(proof, holds, |_| false);
    let regrouped = basis
        .reassociation
        .iter()
        .flat_map(|r| r.rules.iter().cloned());
    Claims {
        wherever: nest.abi.assumptions.iter().map(|a| a.to_string()).collect(),
        regrouped: regrouped.collect(),
        approximated: nest.approximations(),
        contraction: !ctext::forbids_contraction(&file.c),
    }
}

/// Checks all of a certificate that was read.
pub fn check(file: &KernelCertificate, name: &str, sources: &mut SourceMap) -> Res<Shown> {
    let hashed = file.hashed();
    if let Some((part, _)) = hashed.iter().find(|(k, v)| file.hashes.get(*k) != Some(*v)) {
        return Err(format!(
            "its part `{part}` was changed: its hash is another one"
        ));
    }
    if hashed.len() != file.hashes.len() {
        return Err("it has hashes of parts that it does not have".to_string());
    }
    let shown = show(file, name, sources)?;
    match shown.claims == file.claims {
        true => Ok(shown),
        false => Err("it claims something else than what it shows".to_string()),
    }
}
