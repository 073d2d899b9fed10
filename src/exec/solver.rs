//! Solvers of satisfiability as child processes.
//!
//! In: a query in SMT-LIB, a time limit. Out: what the solver answers. Invariant: a solver that hangs is killed, one
//! that dies or prints something else has said nothing ([`Answer::Unknown`]); a model is what the solver claims, and
//! believed by nobody unchecked. Absent: what queries mean.

use super::process::{self, End};
use super::toolchain::temp_dir;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// A solver that this machine has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solver {
    /// `z3` or `cvc5`, as it is called and as its package is.
    pub name: &'static str,
    /// As it says of itself.
    pub version: String,
}

/// What a solver says of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Unsatisfiable,
    /// With the text of the model.
    Satisfiable(String),
    /// Why there is no answer.
    Unknown(String),
}

/// In the order in which they are asked.
pub const SOLVERS: [&str; 2] = ["z3", "cvc5"];

/// The solvers that are there.
pub fn find() -> Vec<Solver> {
    let version = |name: &'static str| {
        let run = process::run(Command::new(name).arg("--version"), Duration::from_secs(10));
        let run = run.ok().filter(|r| r.end == End::Code(0))?;
        let version = run.stdout.lines().next().unwrap_or(name).trim().to_string();
        Some(Solver { name, version })
    };
    SOLVERS.into_iter().filter_map(version).collect()
}

impl Solver {
    /// Asks whether a query, which ends with `(check-sat)` and asks for values, can be satisfied.
    pub fn ask(&self, query: &str, limit: Duration) -> Answer {
        let dir = match temp_dir() {
            Ok(dir) => dir,
            Err(d) => return Answer::Unknown(d.message),
        };
        let file = dir.path().join("query.smt2");
        match std::fs::write(&file, query) {
            Ok(()) => self.read(self.command(file, limit), limit),
            Err(e) => Answer::Unknown(format!("the query cannot be written: {e}")),
        }
    }

    fn command(&self, file: PathBuf, limit: Duration) -> Command {
        let mut command = Command::new(self.name);
        match self.name {
            "z3" => command
                .arg("-smt2")
                .arg(format!("-t:{}", limit.as_millis())),
            _ => command.args(["--produce-models", "--nl-ext-tplanes"]),
        };
        command.arg(file);
        command
    }

    fn read(&self, mut command: Command, limit: Duration) -> Answer {
        // A solver that keeps its own limit ends by itself a little later.
        let patience = limit + Duration::from_millis(500);
        let run = match process::run(&mut command, patience) {
            Ok(run) => run,
            Err(e) => return Answer::Unknown(format!("{} does not start: {e}", self.name)),
        };
        if let End::Signal(_) = run.end {
            // What it said before may be cut off.
            return Answer::Unknown(format!("{}: {}", self.name, run.end));
        }
        let (first, rest) = run.stdout.split_once('\n').unwrap_or((&run.stdout, ""));
        match first.trim() {
            "unsat" => Answer::Unsatisfiable,
            "sat" => Answer::Satisfiable(rest.to_string()),
            "unknown" => Answer::Unknown(format!("{} does not know", self.name)),
            _ => Answer::Unknown(match run.end {
                End::TimeOut(_) => format!("{} needs more than {limit:?}", self.name),
                End::Code(0) => format!("{} printed something else", self.name),
                end => format!("{}: {end}", self.name),
            }),
        }
    }
}
