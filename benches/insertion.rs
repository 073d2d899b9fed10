//! How fast the e-graph grows, and what a node costs in memory.
//!
//! A real search is run without guidance up to a number of nodes; what the graph holds then, class
//! facts and indices included, is divided by its nodes.

mod common;

use common::{chain, machine, mm, row, table, Flags};
use rise_opt::alloc::allocated;
use rise_opt::report::{bytes, count, digits, seconds};
use rise_opt::search::{self, Options};

const USAGE: &str = "\
cargo bench --bench insertion -- [FLAGS]: nodes per second, bytes per node held
  --nodes N  stops at so many [1_000_000]";

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    let limit = flags.number("--nodes", 1_000_000);
    println!(
        "{}\nunguided search up to {} e-nodes\n",
        machine(),
        count(limit)
    );
    let mut rows = vec![row([
        "rules",
        "e-nodes",
        "e-classes",
        "searching",
        "applying",
        "rebuilding",
        "e-nodes/s",
        "held",
        "bytes/e-node",
    ])];
    for (name, path) in [
        ("general, parallel", "sketches/mm/parallel.sk"),
        ("published, blocking", "sketches/risegg/blocking.sk"),
    ] {
        rows.push(measure(name, path, limit));
    }
    table(&rows);
}

fn measure(name: &str, path: &str, limit: u64) -> Vec<String> {
    let program = mm();
    let steps = chain(path, &program, &[]);
    let step = search::unguided(&steps).expect("a step");
    let options = Options {
        nodes: Some(limit),
        ..Options::default()
    };
    let before = allocated();
    let (trace, _, graph, _) = search::saturate(&step, &program.term, &options);
    let held = allocated().saturating_sub(before);
    let size = trace.size();
    let sum =
        |get: fn(&search::trace::Iteration) -> f64| trace.iterations.iter().map(get).sum::<f64>();
    let (search, apply, rebuild) = (
        sum(|i| i.search_seconds),
        sum(|i| i.apply_seconds),
        sum(|i| i.rebuild_seconds),
    );
    let nodes = graph.nodes() as f64;
    vec![
        name.to_string(),
        count(size.nodes),
        count(size.classes),
        seconds(search),
        seconds(apply),
        seconds(rebuild),
        count((nodes / (apply + rebuild)) as u64),
        bytes(held),
        digits(held as f64 / nodes),
    ]
}
