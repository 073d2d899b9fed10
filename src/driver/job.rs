//! From what was found to a kernel that was run, as far as that is asked for.
//!
//! In: the input, the outcome of its search, a request. Out: everything that came of it, as far as it came: the term, what it
//! rests on, plan, kernel, what a run of it showed. Absent: searching, writing.

use super::input::{Input, Planned, Setting};
use super::kernel::{measure, Kernel, Running};
use super::{plan, proved};
use crate::alloc;
use crate::arith::Nat;
use crate::ctext;
use crate::diag::Diagnostic;
use crate::elab::RuleDecl;
use crate::emit::Contract;
use crate::exec::{self, Toolchain};
use crate::index::Level;
use crate::lower;
use crate::report::loops::LoopsFile;
use crate::report::{Basis, ProofFile, Reassociation};
use crate::search::{self, Outcome};
use crate::source::SourceMap;
use crate::term::Program;
use crate::validate::{validate_within, Validation};

/// Questions about indices that the main job asks to judge its loop program: as many for each e-node as take about as long as
/// the search took for it, within these ends. What a plan makes was searched for before.
const FOR_EACH_NODE: u64 = 7;
const QUESTIONS: (u64, u64) = (40_000, 130_000);

/// What is asked for.
pub struct Request<'a> {
    /// How one would ask for it again.
    pub command: String,
    pub set: &'a [Setting],
    pub simplify: Level,
    pub contract: Contract,
    /// What the function is called, if not as the program.
    pub name: Option<&'a str>,
    /// What the C text includes; without a header it declares everything itself.
    pub header: Option<String>,
    /// Whether the kernel calls the program as it stands where it would refuse sizes.
    pub fallback: bool,
    pub kernel: Wanted,
    /// Whether it is an error if there is no proof.
    pub proof: bool,
    pub plan: bool,
    pub running: Running,
    /// With what the kernel is compiled, if it is to be run.
    pub tool: Option<&'a Toolchain>,
}

/// Whether a kernel is made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    No,
    /// If what was found is one already.
    IfAny,
    /// It is an error if what was found is none.
    Needed,
}

/// What a request came to, as far as it came.
pub struct Done {
    /// The program with the last term.
    pub found: Program,
    /// The command that searched.
    pub command: String,
    /// What the way to it rests on.
    pub basis: Basis,
    /// Sizes that the way to the last term speaks of, beyond its own.
    pub obliged: Vec<Nat>,
    pub kernel: Option<Kernel>,
    /// The text of the plan, if it was asked for.
    pub plan: String,
    pub proof: Option<ProofFile>,
    pub run: Option<exec::run::Report>,
    /// Of the search and the lowering, and of the validation where nothing is run; the arrays of a run are the user's choice.
    pub peak_bytes: u64,
}

impl Done {
    /// What is known once something was found: what it rests on is read off its proof, where there is one.
    pub fn new(
        request: &Request,
        input: &Input,
        outcome: &Outcome,
        sources: &SourceMap,
    ) -> Result<Done, Diagnostic> {
        let (command, basis) = match &input.plan {
            Some(Planned { plan, basis, .. }) => (plan.command.clone(), basis.clone()),
            None => (request.command.clone(), permitted(input, outcome)),
        };
        let mut done = Done {
            found: Program {
                term: outcome.terms.last().unwrap_or(&input.program.term).clone(),
                ..input.program.clone()
            },
            command,
            basis,
            obliged: outcome.obliged.clone(),
            kernel: None,
            plan: String::new(),
            proof: input.plan.as_ref().and_then(|p| p.plan.proof.clone()),
            run: None,
            peak_bytes: alloc::peak(),
        };
        if input.plan.is_some() {
            return Ok(done);
        }
        match proved(outcome) {
            Ok(Some((proof, holds))) => {
                let unverified = |r: &RuleDecl| input.unverified.iter().any(|u| u.span == r.span);
                done.basis = Basis::of(proof, &holds, unverified);
                let command = done.command.clone();
                done.proof = Some(ProofFile::new(proof, &input.program, command, sources));
                Ok(done)
            }
            Err(d) if request.proof => Err(d),
            // The kernel is right all the same; what its texts say is what the search permits.
            _ => Ok(done),
        }
    }

    /// What a plan makes, with the header of this name.
    pub fn planned(
        input: &Input,
        header: Option<String>,
        sources: &mut SourceMap,
    ) -> Result<Done, Vec<Diagnostic>> {
        let planned = input.plan.as_ref().map(|p| &p.plan);
        let request = Request {
            command: String::new(),
            set: &[],
            simplify: planned.map_or(Level::default(), |p| p.simplify),
            contract: planned.map_or(Contract::On, |p| p.contract),
            name: planned.and_then(|p| p.name.as_deref()),
            header,
            fallback: false,
            kernel: Wanted::Needed,
            proof: true,
            plan: false,
            running: Running {
                seed: 0,
                threads: None,
            },
            tool: None,
        };
        let searched =
            super::search(input, &search::Options::default(), sources).map_err(|d| vec![d])?;
        let mut done =
            Done::new(&request, input, &searched.outcome, sources).map_err(|d| vec![d])?;
        done.make(&request, input, &searched.outcome)?;
        Ok(done)
    }

    /// The loop program of the kernel, for who judges it.
    pub fn loops(&self) -> Option<LoopsFile> {
        let kernel = self.kernel.as_ref()?;
        let made = LoopsFile::new(
            &kernel.nest,
            &self.found,
            kernel.fixed(),
            self.command.clone(),
        );
        Some(made)
    }

    /// Whether the loop program, as its file has it, computes what was found, within [`QUESTIONS`].
    pub fn validation(
        &self,
        input: &Input,
        outcome: &Outcome,
    ) -> Result<Option<Validation>, Diagnostic> {
        let (Some(kernel), Some(loops)) = (&self.kernel, self.loops()) else {
            return Ok(None);
        };
        let nest = loops.nest("the loop program")?;
        let fixed = kernel.fixed();
        let steps = outcome.trace.steps.iter();
        let nodes: u64 = steps.map(|s| s.size().nodes).sum();
        let (least, most) = QUESTIONS;
        let questions = match input.plan {
            Some(_) => most,
            None => (FOR_EACH_NODE * nodes).clamp(least, most),
        };
        Ok(Some(validate_within(&nest, &self.found, fixed, questions)))
    }

    /// Whether the C text says what the file of the loop program says.
    pub fn text(&self, request: &Request) -> Result<Option<ctext::Verdict>, Diagnostic> {
        let (Some(kernel), Some(loops)) = (&self.kernel, self.loops()) else {
            return Ok(None);
        };
        let nest = loops.nest("the loop program")?;
        let header = request.header.as_deref();
        let texts = ctext::Texts {
            c: &kernel.unit.c,
            header: header.map(|name| (name, &*kernel.unit.header)),
        };
        Ok(Some(ctext::compare(texts, &nest)))
    }

    /// Makes the plan and the kernel, and runs it.
    pub fn make(
        &mut self,
        request: &Request,
        input: &Input,
        outcome: &Outcome,
    ) -> Result<(), Vec<Diagnostic>> {
        let asked = plan::Asked {
            set: request.set,
            simplify: request.simplify,
            contract: request.contract,
            name: request.name,
            command: self.command.clone(),
            proof: self.proof.clone(),
        };
        let terms = &outcome.terms;
        let plan = plan::plan(input, asked, (terms, &self.obliged), &self.basis);
        if request.kernel != Wanted::No {
            let lowering = lower::Options {
                fixed: input.fixed.clone(),
                obliged: self.obliged.clone(),
                target: input.target,
                simplify: request.simplify,
                approximate: input.approximate(),
                name: request.name.map(str::to_string),
                ..lower::Options::default()
            };
            let origin = (self.basis).origin(
                (&plan.command, &plan.hash()),
                &input.program,
                &self.found.term,
            );
            let made = Kernel::new(
                &self.found,
                request.fallback.then_some(&input.program),
                &lowering,
                input.target,
                request.contract,
                origin,
                request.header.clone(),
            );
            match made {
                Ok(made) => self.kernel = Some(made),
                Err(d) if request.kernel == Wanted::Needed => return Err(d),
                Err(_) => {}
            }
        }
        self.peak_bytes = alloc::peak();
        if request.plan {
            self.plan = plan.to_json(&input.program, terms).map_err(|d| vec![d])?;
        }
        if let (Some(tool), Some(kernel)) = (request.tool, &self.kernel) {
            let exact = self.basis.is_exact() && kernel.nest.approximated().is_empty();
            let contract = (request.contract, exact);
            let report = measure(&request.running, input, &kernel.nest, contract, tool)?;
            self.run = Some(report);
        }
        Ok(())
    }
}

/// What the steps may rest on, where no proof says more: rules that were applied anywhere.
fn permitted(input: &Input, outcome: &Outcome) -> Basis {
    let permitted = input.steps.iter().zip(&outcome.trace.steps);
    let permitted = permitted.filter(|(step, _)| step.reassociate);
    let reassociation = permitted
        .map(|(step, trace)| {
            let rules = step.rules.iter().map(|u| &u.rule);
            let rules = rules.filter(|r| r.regroups());
            let applied = |name: &str| {
                let all = trace.iterations.iter().flat_map(|i| &i.rules);
                all.clone()
                    .any(|r| r.applied > 0 && r.name.split('[').next() == Some(name))
            };
            let mut names: Vec<String> = rules
                .map(|r| r.name.to_string())
                .filter(|n| applied(n))
                .collect();
            names.dedup();
            Reassociation {
                step: step.name.clone(),
                rules: names,
            }
        })
        .collect();
    let unverified = input.unverified.iter();
    Basis {
        reassociation,
        unverified: unverified.map(|r| r.name.to_string()).collect(),
        reordered: input.steps.is_empty().then(Vec::new),
    }
}
