//! `--auto`: the flags, and the steps that are found for a program.
//!
//! In: flags, the input. Out: the input with the steps of a schedule, and what was tried. Absent: every decision about schedules.

use super::output::{append, has_text};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::driver::auto::{self, Auto};
use crate::driver::by_size;
use crate::driver::guides::{self, FoundGuides};
use crate::driver::sizes::Classes;
use crate::driver::tune::{tune, Tuning};
use crate::driver::{Input, Running, Trust};
use crate::emit::Contract;
use crate::exec::Toolchain;
use crate::report::candidates::Candidates;
use crate::report::tuning::{self, TuningRecord};
use crate::schedule::{self, Permits, Space, Sums};
use crate::search;
use crate::term::Program;
use std::time::Duration;

/// How sketches are found.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Automatic {
    /// by an estimate, without measuring
    Model,
    /// by measuring what the estimate says is best, on this machine
    Tune,
}

/// How guides are found.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Guides {
    /// from the last sketch and the rules of all steps, without those in between
    Auto,
}

/// Steps that were found.
pub enum Found {
    Schedule(Auto),
    Guides(FoundGuides),
}

impl Found {
    /// As a sketch file.
    pub fn text(&self) -> String {
        match self {
            Found::Schedule(auto) => auto.text(),
            Found::Guides(guides) => guides.text.clone(),
        }
    }

    /// The schedules that were tried for a program.
    pub fn candidates(&self, program: &Program) -> Option<Candidates> {
        match self {
            Found::Schedule(auto) => Some(auto.report(program)),
            Found::Guides(_) => None,
        }
    }
}

/// What is not exact.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Permission {
    /// sums of floating-point numbers are regrouped
    Reassociate,
    /// functions of vectors are within 2 units of the last place
    Approximate,
}

/// How sums of floats are added up.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sum {
    /// each keeps what it was rounded by, and adds that at the end: nearly the number closest to the exact sum
    Exact,
    /// in parts that the text of the kernel says: the same bits with any number of threads, on any machine
    Tree,
    /// in parts as they suit the machine: the same bits with any number of threads
    Fast,
}

/// How long `tune` measures where nothing else is said.
pub const BUDGET: Duration = Duration::from_secs(60);

/// What the flags say.
pub struct Asked<'a> {
    pub auto: Option<Automatic>,
    pub guides: Option<Guides>,
    pub permit: &'a [Permission],
    pub sum: Option<Sum>,
    /// How long is measured.
    pub budget: Duration,
    /// A file of measurements.
    pub records: Option<&'a str>,
    /// Classes of sizes.
    pub sizes: Option<&'a str>,
}

/// What the rest of the command line says of the kernel.
pub struct Job<'a> {
    pub trust: Trust,
    pub contract: Contract,
    pub running: Running,
    pub options: &'a search::Options,
}

impl Asked<'_> {
    fn permits(&self) -> Permits {
        Permits {
            reassociate: self.permit.contains(&Permission::Reassociate) || self.sum.is_some(),
            approximate: self.permit.contains(&Permission::Approximate),
            sums: match self.sum {
                Some(Sum::Exact) => Sums::Exact,
                Some(Sum::Tree) => Sums::Tree,
                Some(Sum::Fast) | None => Sums::Fast,
            },
        }
    }

    /// The input with the steps that were found for it, if that is asked for.
    pub fn find(
        &self,
        input: &mut Input,
        job: &Job,
        context: &mut Context,
    ) -> Result<Option<Found>, Vec<Diagnostic>> {
        if let Some(Guides::Auto) = self.guides {
            let sources = &mut context.sources;
            let found = guides::find(input, job.options, job.trust, sources)?;
            return Ok(Some(Found::Guides(found)));
        }
        let Some(how) = self.auto else {
            return Ok(None);
        };
        let space = match how {
            Automatic::Model => Space::Small,
            Automatic::Tune => Space::Large,
        };
        let sources = &mut context.sources;
        let classes = match self.sizes {
            Some(text) => {
                let classes = Classes::read(text, &input.program, &input.fixed, sources);
                Some(classes.map_err(|d| vec![d])?)
            }
            // What is measured is measured at the sizes of one call.
            None if how == Automatic::Tune => Some(Classes::default()),
            None => None,
        };
        let permits = self.permits();
        // What is the same for all machines is made for one of them.
        let own = input.target;
        if permits.sums == Sums::Tree {
            input.target = schedule::EVERY;
        }
        let mut found = by_size::auto_for(
            input,
            permits,
            space,
            classes.as_ref(),
            job.options,
            sources,
        );
        input.target = own;
        if how == Automatic::Tune {
            self.measured(input, &mut found, job, context)
                .map_err(|d| vec![d])?;
        }
        if found.demanded && found.best.is_none() {
            let what = format!("the sums of `{}` do not become exact", input.program.name);
            let help = "leave `--sum exact` out, or write a sketch as `sketches/reduction/compensated.sk` is";
            return Err(vec![
                Diagnostic::new(code::GOAL_NOT_REACHED, what).help(help)
            ]);
        }
        if let Some(steps) = found.steps() {
            auto::adopt(input, &steps, job.trust, &mut context.sources)?;
        }
        Ok(Some(Found::Schedule(found)))
    }

    fn measured(
        &self,
        input: &Input,
        found: &mut Auto,
        job: &Job,
        context: &mut Context,
    ) -> Result<(), Diagnostic> {
        let tool = Toolchain::find_for(input.target)?;
        let mut known = Default::default();
        if let Some(path) = self.records.filter(|p| has_text(p)) {
            let file = context.sources.load(path).map_err(Diagnostic::from)?;
            known = tuning::read(&mut context.sources, file)?;
        }
        let json = context.json();
        let mut note = |record: &TuningRecord| {
            if !json {
                context.error_line(&said(record));
            }
            match self.records {
                Some(path) => append(path, &record.to_json()),
                None => Ok(()),
            }
        };
        let mut tuning = Tuning {
            budget: self.budget,
            running: job.running,
            contract: job.contract,
            tool: &tool,
            permits: self.permits(),
            known,
            note: &mut note,
        };
        tune(input, found, &mut tuning)
    }
}

/// A measurement, for who waits.
fn said(record: &TuningRecord) -> String {
    let what = match (record.faster(), &record.lost) {
        (Some(faster), _) => format!("×{faster:.2}"),
        (None, Some(why)) => format!("lost: {why}"),
        (None, None) => "was not measured".to_string(),
    };
    format!("{}: {what}", record.what)
}
