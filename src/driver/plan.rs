//! Plans: the main job, saved and made again without a search.
//!
//! In: what was searched and found; or the path of a plan. Out: the plan's text; or the input of the main job with
//! the terms that a search would find. Absent: what a plan holds and when it fits (`report`).

use super::input::{Input, Planned, Setting};
use super::trust::Trust;
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::elab::{self, RuleDecl};
use crate::emit::Contract;
use crate::index::Level;
use crate::intern::Symbol;
use crate::report::{used_rules, Basis, Plan, PlanStep, ProofFile};
use crate::source::SourceMap;
use crate::term::Term;

/// What the user says that the kernel depends on.
pub struct Asked<'a> {
    pub set: &'a [Setting],
    pub simplify: Level,
    pub contract: Contract,
    pub name: Option<&'a str>,
    pub command: String,
    /// Why the terms are equal, where that is known.
    pub proof: Option<ProofFile>,
}

/// The plan of what was found. One that was replayed stays as it is.
pub fn plan(
    input: &Input,
    asked: Asked,
    (terms, obliged): (&[Term], &[Nat]),
    basis: &Basis,
) -> Plan {
    if let Some(planned) = &input.plan {
        return planned.plan.clone();
    }
    let is_size = |s: &&Setting| input.fixed.contains_key(&Symbol::new(&s.name));
    let (sizes, params): (Vec<_>, Vec<_>) = asked.set.iter().partition(is_size);
    let [sizes, params] =
        [sizes, params].map(|all| all.iter().map(|s| (s.name.clone(), s.value)).collect());
    let steps = input.steps.iter().zip(terms);
    Plan {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        command: asked.command,
        name: asked.name.map(str::to_string),
        entry: input.program.name.to_string(),
        program: elab::program_text(&input.program),
        sizes,
        params,
        target: input.target,
        simplify: asked.simplify,
        contract: asked.contract,
        approximate: input.approximate(),
        reassociation: basis.reassociation.clone(),
        unverified: basis.unverified.clone(),
        steps: steps
            .map(|(step, term)| PlanStep::new(&step.name, &input.program, term))
            .collect(),
        obliged: obliged.iter().map(|n| n.to_string()).collect(),
        proof: asked.proof,
    }
}

/// The input that a plan stands for; with a program, only if that is the plan's.
pub fn load(
    path: &str,
    program: Option<&str>,
    entry: Option<&str>,
    trust: Trust,
    sources: &mut SourceMap,
) -> Result<Input, Vec<Diagnostic>> {
    let file = sources.load(path).map_err(|e| vec![e.into()])?;
    let plan = Plan::read(sources, file).map_err(|d| vec![d])?;
    let given = match program {
        Some(path) => {
            let file = sources.load(path).map_err(|e| vec![e.into()])?;
            Some(elab::program(sources, file, entry)?)
        }
        None => None,
    };
    let replay = (plan.replay(path, given.as_ref(), sources)).map_err(|d| vec![d])?;
    let unverified = trust.judge(used_rules(&replay.proof))?;
    let is_open = |r: &RuleDecl| unverified.iter().any(|u| u.span == r.span);
    let basis = Basis::of(&replay.proof, &replay.holds, is_open);
    if basis.unverified != plan.unverified {
        let says = if plan.unverified.is_empty() {
            "all".to_string()
        } else {
            format!("all but {}", plan.unverified.join(", "))
        };
        let text = format!("`{path}` says that of the rules of its proof {says} are proved");
        let d = Diagnostic::new(code::PLAN_STEP, text);
        let open = basis.unverified.join(", ");
        return Err(vec![d
            .note(format!("neither proved nor refuted are: {open}"))
            .help("search again, with `--sketch` and `--emit plan`")]);
    }
    let fixed = plan.sizes.iter();
    Ok(Input {
        fixed: fixed.map(|(name, n)| (Symbol::new(name), *n)).collect(),
        program: replay.program,
        steps: Vec::new(),
        target: plan.target,
        params: Default::default(),
        unverified,
        plan: Some(Planned {
            plan,
            basis,
            terms: replay.terms,
            obliged: replay.obliged,
            proof: replay.proof,
        }),
    })
}
