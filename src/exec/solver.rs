//! Solvers of satisfiability as child processes.
//!
//! In: a query in SMT-LIB, how much work it may take. Out: what the solver answers. Work is what solvers count themselves, so
//! the same query has the same answer however busy the machine is. Invariant: a solver that hangs is killed, one
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
    /// `z3` or `cvc5`, as its package is called.
    pub name: &'static str,
    /// What is started: the same name, looked up in `PATH`, or a file.
    pub program: PathBuf,
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

/// How much a solver may do for a query. One unit takes about a second of a core; solvers count, no clock does.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Work(pub u32);

impl Work {
    pub const NONE: Work = Work(0);

    /// After this a solver has stopped counting, or the machine has stopped working.
    pub fn patience(self) -> Duration {
        Duration::from_secs(60) + self.0 * Duration::from_secs(10)
    }
}

/// In the order in which they are asked.
pub const SOLVERS: [&str; 2] = ["z3", "cvc5"];

/// The solvers that are there.
pub fn find() -> Vec<Solver> {
    let version = |name: &'static str| {
        let run = process::run(Command::new(name).arg("--version"), Duration::from_secs(10));
        let run = run.ok().filter(|r| r.end == End::Code(0))?;
        let version = run.stdout.lines().next().unwrap_or(name).trim().to_string();
        Some(Solver {
            name,
            program: name.into(),
            version,
        })
    };
    SOLVERS.into_iter().filter_map(version).collect()
}

impl Solver {
    /// Asks whether a query, which ends with `(check-sat)` and asks for values, can be satisfied.
    /// One that has said nothing when patience ends is killed.
    pub fn ask(&self, query: &str, work: Work, patience: Duration) -> Answer {
        let dir = match temp_dir() {
            Ok(dir) => dir,
            Err(d) => return Answer::Unknown(d.message),
        };
        let file = dir.path().join("query.smt2");
        match std::fs::write(&file, query) {
            Ok(()) => self.read(self.command(file, work), patience),
            Err(e) => Answer::Unknown(format!("the query cannot be written: {e}")),
        }
    }

    fn command(&self, file: PathBuf, work: Work) -> Command {
        let mut command = Command::new(&self.program);
        // What each counts in a second.
        match self.name {
            "z3" => {
                let steps = u64::from(work.0) * 1_400_000;
                command.arg("-smt2").arg(format!("rlimit={steps}"))
            }
            _ => {
                let steps = u64::from(work.0) * 400_000;
                command
                    .args(["--produce-models", "--nl-ext-tplanes"])
                    .arg(format!("--rlimit={steps}"))
            }
        };
        command.arg(file);
        command
    }

    fn read(&self, mut command: Command, patience: Duration) -> Answer {
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
                End::TimeOut(_) => format!("{} gave no answer within {patience:?}", self.name),
                End::Code(0) => format!("{} printed something else", self.name),
                end => format!("{}: {end}", self.name),
            }),
        }
    }
}
