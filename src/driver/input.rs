//! What a search starts from: a program, and the steps of sketch files.
//!
//! In: the paths and settings of the user. Out: the program and its steps, or everything that is
//! wrong with the files. Invariant: every setting is of a size of the program or of a parameter of a
//! sketch, unless the caller looks after that. Absent: searching, limits.

use super::trust::Trust;
use crate::arith::Nat;
use crate::cost::Cost;
use crate::diag::{code, Diagnostic};
use crate::elab::{self, RuleDecl, Step};
use crate::exec::sizes::Sizes;
use crate::intern::Symbol;
use crate::proof::Proof;
use crate::report::{Basis, Plan};
use crate::search;
use crate::source::SourceMap;
use crate::target::Target;
use crate::term::{Program, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What the files say.
pub struct Input {
    pub program: Program,
    pub steps: Vec<Step>,
    /// The parameters of the sketches, with their values.
    pub params: BTreeMap<String, Nat>,
    /// Sizes of the program that `--set` fixes.
    pub fixed: Sizes,
    /// What the kernel is made for.
    pub target: Target,
    /// Rules of the steps that are not proved and are used all the same.
    pub unverified: Vec<Rc<RuleDecl>>,
    /// When it comes from a plan: that, and what it holds.
    pub plan: Option<Planned>,
}

impl Input {
    /// Whether the kernel may approximate functions of floats.
    pub fn approximate(&self) -> bool {
        match &self.plan {
            Some(planned) => planned.plan.approximate,
            None => self.steps.iter().any(|s| s.approximate),
        }
    }

    /// With the rules of all steps at once, for the last sketch.
    pub fn unguided(mut self) -> Input {
        self.steps = search::unguided(&self.steps).into_iter().collect();
        self
    }
}

/// A plan that was read.
pub struct Planned {
    pub plan: Plan,
    /// What its proof rests on.
    pub basis: Basis,
    /// The term after each step.
    pub terms: Vec<Term>,
    /// Sizes that the way to the last of them speaks of, beyond its own.
    pub obliged: Vec<Nat>,
    /// Why they are equal; it was checked.
    pub proof: Proof,
}

/// `m=1024`: a size parameter of the program or a parameter of a sketch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    pub name: String,
    /// At least 1.
    pub value: i64,
}

/// The files, as the user names them.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    pub program: &'a str,
    /// The definition, when it is not the last.
    pub entry: Option<&'a str>,
    /// One after the other.
    pub sketches: &'a [String],
    pub set: &'a [Setting],
    /// What sketches may ask for.
    pub target: Target,
    /// Which of their rules may be used.
    pub trust: Trust,
}

pub fn load(files: &Files, sources: &mut SourceMap) -> Result<Input, Vec<Diagnostic>> {
    let (input, params) = load_any(files, sources)?;
    let unknown = |s: &&Setting| {
        !input.fixed.contains_key(&Symbol::new(&s.name)) && !params.contains(&s.name)
    };
    let unknown = files.set.iter().filter(unknown);
    let wrong: Vec<Diagnostic> = unknown
        .map(|s| unknown_setting(&s.name, &input.program, &params))
        .collect();
    if wrong.is_empty() {
        Ok(input)
    } else {
        Err(wrong)
    }
}

/// With the parameters that can be set; settings of others are for somebody else.
pub fn load_any(
    files: &Files,
    sources: &mut SourceMap,
) -> Result<(Input, BTreeSet<String>), Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let set = files.set.iter().map(|s| (s.name.clone(), s.value));
    let set = set.collect();
    let program = match sources.load(files.program) {
        Ok(file) => elab::program_at(sources, file, files.entry, &set)
            .map_err(|d| diagnostics.extend(d))
            .ok(),
        Err(e) => {
            diagnostics.push(e.into());
            None
        }
    };
    let costs = Cost::ALL.map(|(name, _)| name);
    let sizes = program.as_ref().map(|p| p.sizes.clone());
    let is_size = |s: &Setting| {
        let sizes = sizes.iter().flatten();
        sizes.copied().any(|n| n.as_str() == s.name)
    };
    let settings = files.set.iter().filter(|s| !is_size(s));
    let around = elab::Surroundings {
        sizes: sizes.as_deref(),
        settings: settings.map(|s| (s.name.clone(), s.value)).collect(),
        costs: &costs,
        target: files.target,
    };
    let mut steps = Vec::new();
    let mut params = BTreeMap::new();
    for path in files.sketches {
        let guide = match sources.load(path) {
            Ok(file) => elab::steps(sources, file, &around),
            Err(e) => Err(vec![e.into()]),
        };
        match guide {
            Ok(guide) => {
                steps.extend(guide.steps);
                params.extend(guide.params);
            }
            Err(d) => diagnostics.extend(d),
        }
    }
    let unverified = files.trust.check(&steps).unwrap_or_else(|wrong| {
        diagnostics.extend(wrong);
        Vec::new()
    });
    let Some(program) = program.filter(|_| diagnostics.is_empty()) else {
        return Err(diagnostics);
    };
    let fixed = files.set.iter().filter(|s| is_size(s));
    let names = params.keys().cloned().collect();
    let input = Input {
        fixed: fixed.map(|s| (Symbol::new(&s.name), s.value)).collect(),
        program,
        steps,
        params,
        target: files.target,
        unverified,
        plan: None,
    };
    Ok((input, names))
}

pub fn unknown_setting(name: &str, program: &Program, params: &BTreeSet<String>) -> Diagnostic {
    let sizes = program.sizes.iter().map(|s| s.as_str());
    let known: Vec<&str> = sizes.chain(params.iter().map(String::as_str)).collect();
    let what = format!("`{name}` is neither a size of the program nor a parameter of a sketch");
    let all = if known.is_empty() {
        "there is nothing to set".to_string()
    } else {
        format!("these can be set: {}", known.join(", "))
    };
    Diagnostic::new(code::SET_UNKNOWN, what).help_near(name, known.iter().copied(), all)
}
