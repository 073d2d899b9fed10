//! Asking a sketch, and extracting the cheapest term that satisfies it, on real graphs.

mod common;

use common::{chain, machine, median, mm, row, table, Flags};
use rise_opt::cost::Cost;
use rise_opt::egraph::View;
use rise_opt::report::{count, seconds};
use rise_opt::search::{self, Options};
use rise_opt::sketch::Goal;
use std::time::Instant;

const USAGE: &str = "\
cargo bench --bench extraction -- [FLAGS]: each goal in the graph of its unguided search
  --goals A,B  only these [baseline, blocking, vectorization, loop-perm]
  --samples N  median of so many [7]";

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    let samples = flags.number("--samples", 7).max(1);
    let goals = flags.goals(&common::GOALS[..4]);
    println!("{}\nunguided search, median of {samples}\n", machine());
    let mut rows = vec![row([
        "goal",
        "e-nodes",
        "picture",
        "satisfied?",
        "extracted",
        "term",
    ])];
    for goal in goals {
        rows.push(measure(goal, samples));
    }
    table(&rows);
}

fn measure(goal: &str, samples: u64) -> Vec<String> {
    let program = mm();
    let steps = chain(&format!("sketches/mm/{goal}.sk"), &program, &[]);
    let step = search::unguided(&steps).expect("a step");
    let (_, _, graph, root) = search::saturate(&step, &program.term, &Options::default());
    let sketch = Goal::new(&step.sketch, program.term.lambdas());
    let cost = Cost::from_name(step.cost.as_str()).unwrap_or_default();
    let (mut views, mut asked, mut extracted) = (Vec::new(), Vec::new(), Vec::new());
    let (mut satisfied, mut term) = (false, None);
    for _ in 0..samples {
        let begun = Instant::now();
        let view = View::new(&graph);
        views.push(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        satisfied = sketch.satisfied(&view, view.class(root));
        asked.push(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        term = sketch.extract(&view, view.class(root), cost);
        extracted.push(begun.elapsed().as_secs_f64());
    }
    vec![
        goal.to_string(),
        count(graph.nodes() as u64),
        seconds(median(views)),
        format!(
            "{} {}",
            if satisfied { "yes" } else { "no" },
            seconds(median(asked))
        ),
        seconds(median(extracted)),
        term.map_or("none".to_string(), |t| format!("{} nodes", t.size())),
    ]
}
