//! A term that was found, as a kernel: lowered, printed, run.
//!
//! In: programs and fixed sizes. Out: the loop program with its C, or what a run of it showed. Absent: which term,
//! what is written.

use super::input::Input;
use crate::diag::{code, Diagnostic};
use crate::emit::{self, emit, CUnit, Contract};
use crate::exec::{run, Toolchain};
use crate::index::Queries;
use crate::intern::Symbol;
use crate::lower::{self, lower, lower_asking};
use crate::nest::passes::PASSES;
use crate::nest::{Nest, Stmt};
use crate::target::Target;
use crate::term::{Kind, Op, Program, Term};
use std::collections::BTreeMap;

/// How a kernel is run.
#[derive(Copy, Clone)]
pub struct Running {
    /// Of the random inputs.
    pub seed: u64,
    /// None takes one for each core.
    pub threads: Option<u16>,
}

/// A kernel in its two last forms.
pub struct Kernel {
    pub nest: Nest,
    pub unit: CUnit,
    /// What lowering asked about indices.
    pub queries: Queries,
    lowering: lower::Options,
}

impl Kernel {
    /// With `plain`, the kernel calls that program as it stands where it would refuse sizes.
    pub fn new(
        found: &Program,
        plain: Option<&Program>,
        lowering: &lower::Options,
        target: Target,
        contract: Contract,
        origin: emit::Origin,
        header_name: Option<String>,
    ) -> Result<Kernel, Vec<Diagnostic>> {
        let (mut nest, queries) = lower_asking(found, lowering).map_err(|d| vec![d])?;
        if let Some(plain) = plain {
            // What the way to the found term assumes is nothing to the program itself.
            let lowering = lower::Options {
                obliged: Vec::new(),
                narrow: false,
                ..lowering.clone()
            };
            nest = nest.with_fallback(lower(plain, &lowering).map_err(|d| vec![d])?);
        }
        let options = emit::Options {
            origin: Some(origin),
            header_name,
            target: Some(target),
            contract,
        };
        let unit = emit(&nest, &options);
        Ok(Kernel {
            nest,
            unit,
            queries,
            lowering: lowering.clone(),
        })
    }

    /// Sizes that are fixed.
    pub fn fixed(&self) -> &BTreeMap<Symbol, i64> {
        &self.lowering.fixed
    }

    /// What to warn of: parallel maps of the term that make no loop.
    pub fn warnings(&self, found: &Program) -> Vec<Diagnostic> {
        let mut views = Vec::new();
        lower::prepared(found, &self.lowering.fixed)
            .term
            .visit(&mut |t, _| views.extend(parallel_map(t)));
        let mut without = |nest: &Nest| {
            for_each_note(&nest.body, &mut |note| views.retain(|v| v != note));
            views.is_empty()
        };
        // Passes may have changed a loop that lowering wrote.
        if without(&self.nest) || (self.after_passes(found, 0)).is_ok_and(|n| without(&n)) {
            return Vec::new();
        }
        views.dedup();
        let warning = |view: &String| {
            let text =
                format!("`{view}` makes no loop: its elements are computed where they are read");
            Diagnostic::new(code::PARALLEL_VIEW, text)
                .help("ask for a loop of the kernel: `written (app mapPar …)`, or keep its result with `toMem`")
        };
        views.iter().map(warning).collect()
    }

    /// The loop program of the term that the kernel was made of, after the first passes, so many.
    pub fn after_passes(&self, found: &Program, count: usize) -> Result<Nest, Diagnostic> {
        let (mut nest, mut facts) = lower::before_passes(found, &self.lowering)?;
        for pass in PASSES.iter().take(count) {
            (pass.run)(&mut nest, &mut self.lowering.context(&mut facts));
        }
        Ok(nest)
    }
}

/// A `mapPar` over more than one element, as the loop that it makes is noted.
fn parallel_map(t: &Term) -> Option<String> {
    let Kind::Prim(p) = t.kind() else {
        return None;
    };
    let (_, result) = t.ty().uncurried();
    let (n, _) = result.as_array().filter(|_| p.op() == Op::MapPar)?;
    let several = n.as_int().is_none_or(|n| n > 1);
    several.then(|| format!("{p} : {result}"))
}

fn for_each_note(block: &[Stmt], f: &mut impl FnMut(&str)) {
    for s in block {
        match s {
            Stmt::For { note, body, .. } => {
                if let Some(note) = note {
                    f(note);
                }
                for_each_note(body, f);
            }
            Stmt::If { then, els, .. } => {
                for_each_note(then, f);
                for_each_note(els, f);
            }
            _ => {}
        }
    }
}

/// Compiles, checks and measures a kernel beside the program's own; whether it is `exact`: regroups and approximates nothing.
pub fn measure(
    args: &Running,
    input: &Input,
    kernel: &Nest,
    (contract, exact): (Contract, bool),
    tool: &Toolchain,
) -> Result<run::Report, Vec<Diagnostic>> {
    let lowering = lower::Options {
        target: input.target,
        ..lower::Options::default()
    };
    let unoptimised = lower(&input.program, &lowering).map_err(|d| vec![d])?;
    let [kernel, unoptimised] = [kernel, &unoptimised].map(|nest| {
        emit(
            nest,
            &emit::Options {
                origin: None,
                target: None,
                header_name: Some(run::HEADER.to_string()),
                contract,
            },
        )
    });
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    let options = run::Options {
        seed: args.seed,
        threads: args.threads.map_or_else(cores, usize::from),
        fixed: input.fixed.clone(),
        exact,
        ..run::Options::default()
    };
    run::run(&input.program, &kernel, &unoptimised, tool, &options).map_err(|d| vec![d])
}

/// `int mm(…)`, as the header has it.
pub fn declaration(unit: &CUnit) -> String {
    let start = format!("int {}(", unit.abi.name);
    let Some(at) = unit.header.find(&start) else {
        return unit.abi.name.clone();
    };
    let rest = &unit.header[at..];
    let end = rest.find(';').unwrap_or(rest.len());
    rest[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}
