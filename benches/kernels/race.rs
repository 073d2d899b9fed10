//! One race: kernels of goals for one program against whatever else computes it.

use crate::common::{chain_for, machine, program, Flags};
use rise_opt::diag::Diagnostic;
use rise_opt::emit::{self, emit};
use rise_opt::exec::bench::{bench, Entry, Kind, Measurement, Method, Options};
use rise_opt::exec::{measure, run::HEADER, sizes::Sizes, Toolchain};
use rise_opt::intern::Symbol;
use rise_opt::lower::{self, lower};
use rise_opt::search;
use rise_opt::term::Program;

/// A goal and its parameters, as in `mr=8,nr=32`.
#[derive(Clone, Copy)]
pub struct Goal<'a> {
    pub sketch: &'a str,
    pub set: &'a str,
}

#[derive(Clone)]
pub struct Race<'a> {
    pub program: &'a str,
    pub goals: Vec<Goal<'a>>,
    /// Sizes that the kernels are made for.
    pub fixed: &'a str,
    /// All the others.
    pub sizes: &'a [&'a str],
    pub threads: usize,
    /// Whether the program as it stands is measured.
    pub unoptimised: bool,
}

/// `m=8,n=32`
pub fn settings(text: &str) -> Vec<(&str, i64)> {
    let parts = text.split(',').filter(|p| !p.is_empty());
    let one = |p: &'_ str| {
        let (_, value) = p.split_once('=').expect("name=number");
        value.parse().expect("a number")
    };
    parts
        .map(|p| (p.split('=').next().unwrap_or(p), one(p)))
        .collect()
}

fn sizes(text: &str) -> Sizes {
    let all = settings(text).into_iter();
    all.map(|(name, n)| (Symbol::new(name), n)).collect()
}

impl Race<'_> {
    /// A kernel for the machine at hand; its name is that of the sketch.
    pub fn entry(&self, program: &Program, goal: &Goal, tool: &Toolchain) -> Result<Entry, String> {
        let steps = chain_for(tool.target, goal.sketch, program, &settings(goal.set));
        let outcome = search::optimize(program, &steps, &search::Options::default());
        let name = goal.sketch.rsplit('/').next().unwrap_or(goal.sketch);
        let name = name.trim_end_matches(".sk");
        let found = match (outcome.failure, outcome.terms.last()) {
            (None, Some(term)) => Program {
                term: term.clone(),
                ..program.clone()
            },
            _ => return Err(format!("{name}: not found")),
        };
        self.kernel(name, Kind::Sketch, &found, tool)
    }

    fn kernel(
        &self,
        name: &str,
        kind: Kind,
        program: &Program,
        tool: &Toolchain,
    ) -> Result<Entry, String> {
        let fixed = match kind {
            // Its result is the reference at all sizes.
            Kind::Unoptimised => Sizes::new(),
            _ => sizes(self.fixed),
        };
        let options = lower::Options {
            fixed: fixed.clone(),
            target: tool.target,
            ..lower::Options::default()
        };
        let nest = lower(program, &options).map_err(|d| said(name, &d))?;
        let unit = emit(
            &nest,
            &emit::Options {
                origin: None,
                target: Some(tool.target),
                header_name: Some(HEADER.to_string()),
                ..emit::Options::default()
            },
        );
        Ok(Entry {
            name: name.to_string(),
            kind,
            file: None,
            target: tool.target,
            fixed,
            unit,
            folder: None,
        })
    }
}

fn said(name: &str, d: &Diagnostic) -> String {
    let notes: Vec<String> = d.notes.iter().map(|n| format!("; {n}")).collect();
    format!("{name}: {}{}", d.message, notes.concat())
}

/// Searches, compiles, compares, measures; what went wrong otherwise.
pub fn race(asked: &Race, flags: &Flags, tool: &Toolchain) -> Result<Measurement, String> {
    let program = program(asked.program);
    let unoptimised = asked.kernel("unoptimised", Kind::Unoptimised, &program, tool)?;
    let mut entries = Vec::new();
    for goal in &asked.goals {
        match asked.entry(&program, goal, tool) {
            Ok(entry) => entries.push(entry),
            Err(why) => println!("{why}"),
        }
    }
    let samples = flags.number("--samples", 15).max(1) as usize;
    let measuring = measure::Options {
        samples,
        most: 4 * samples,
        ..measure::Options::default()
    };
    let at = |text: &&str| {
        let mut all = sizes(asked.fixed);
        all.extend(sizes(text));
        all
    };
    let method = Method::of(&measuring);
    let options = Options {
        seed: 0,
        sizes: asked.sizes.iter().map(at).collect(),
        threads: vec![asked.threads],
        measuring,
        peers: true,
        unoptimised: asked.unoptimised,
        progress: &|_| (),
    };
    let tools = [(tool.target, tool.clone())].into();
    let found = bench(&program, &unoptimised, &entries, &tools, &options)
        .map_err(|d| said(asked.program, &d))?;
    Ok(Measurement {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
        program: program.name.to_string(),
        machine: machine(),
        compiler: tool.version.clone(),
        flags: tool.flags.iter().map(|f| f.to_string()).collect(),
        seed: 0,
        method,
        contestants: found.contestants,
        peers: found.peers,
        rounds: found.rounds,
    })
}
