//! Runs a goal of the product through its front end and search.

use super::product::{Task, CHAIN_RULES};
use rise_opt::elab::{self, Step, Surroundings};
use rise_opt::search::{optimize, Options, Outcome};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;

/// The program of a text; its parameters may be functions.
pub fn definition(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("goal.rise", text);
    elab::definition(&mut sources, file, None).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The step of a task. Rules that are not shipped stand in a file of a folder that is gone at the end.
fn steps(task: &Task, program: &Program) -> Vec<Step> {
    let mut sources = SourceMap::new();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("goal.rules"), task.rules.unwrap_or("")).expect("a file");
    let text = format!("{CHAIN_RULES}{}", task.sketch);
    std::fs::write(path("goal.sk"), &text).expect("a file");
    let file = sources
        .load(&path("goal.sk"))
        .unwrap_or_else(|_| panic!("goal.sk is there"));
    let around = Surroundings {
        sizes: Some(&program.sizes),
        costs: &["size"],
        ..Surroundings::default()
    };
    let plan = elab::steps(&mut sources, file, &around);
    plan.unwrap_or_else(|e| panic!("{text}: {e:?}")).steps
}

/// Searches for a task's goal.
pub fn run(task: &Task, options: &Options) -> (Program, Outcome) {
    let program = definition(&task.program);
    let steps = steps(task, &program);
    let outcome = optimize(&program, &steps, options);
    (program, outcome)
}
