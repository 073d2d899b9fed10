//! Encodings of the lambda calculus: the table of the paper, and the family N.M.O.
//!
//! Every cell runs in a process of its own, so that none finds memory that another
//! left behind, and one that dies takes no other with it.

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code)]
mod product;
mod task;
#[allow(dead_code)]
mod untyped;

use common::{machine, row, table, Flags};
use rise_opt::alloc;
use rise_opt::report::{bytes, count, seconds};
use rise_opt::search::{Options, Stop};
use std::process::Command;
use std::time::Duration;
use untyped::goals::Goal;
use untyped::rules::Encoding;
use untyped::{End, Limits};

const USAGE: &str = "\
cargo bench --bench encodings -- [FLAGS]: goals of the paper and the family N.M.O, by encoding
  --markdown        tables for docs/encodings.md
  --seconds N       time limit of each cell [60]
  --memory B        bytes that each cell may hold [2000000000]";

/// The members of the family.
const FAMILY: [(usize, usize, usize); 5] = [(1, 3, 2), (1, 4, 2), (2, 4, 2), (2, 5, 2), (2, 6, 2)];

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    let limits = Limits {
        time: Duration::from_secs(flags.number("--seconds", 60)),
        bytes: flags.number("--memory", 2_000_000_000),
        nodes: usize::MAX,
        held: alloc::allocated,
    };
    if let Some(cell) = flags.value("--cell") {
        println!("{}", measure(cell, &limits).join("\t"));
        return;
    }
    let own = |cell: &str| child(cell, &limits);
    println!("{}\n", machine());
    let mut rows = vec![head("goal")];
    for (g, goal) in Goal::paper().iter().enumerate() {
        for (e, encoding) in Encoding::ALL.iter().enumerate() {
            let mut cells = vec![goal.name.clone(), encoding.show().to_string()];
            cells.extend(own(&format!("paper {g} {e}")));
            cells.push(PAPER[g][e].to_string());
            rows.push(cells);
        }
        let mut cells = vec![goal.name.clone(), "this program".to_string()];
        cells.extend(own(&format!("product {g}")));
        rows.push(cells);
    }
    show(flags, &rows);
    println!();
    let mut rows = vec![head("family")];
    for (i, (n, m, o)) in FAMILY.into_iter().enumerate() {
        for (kind, what) in KINDS {
            let mut cells = vec![format!("{n}.{m}.{o}"), what.to_string()];
            cells.extend(own(&format!("{kind} {i}")));
            if kind == "bound" {
                cells.push(EXTRACTION[i].to_string());
            }
            rows.push(cells);
        }
        rows.push(vec![
            format!("{n}.{m}.{o}"),
            "slotted e-graph".into(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            SLOTTED[i].into(),
        ]);
    }
    show(flags, &rows);
}

/// What the paper says, and for what it found by extraction over indices the figures of a prototype.
const PAPER: [[&str; 4]; 3] = [
    [
        "found",
        "found; 89 ms, 52 984",
        "found",
        "found; 1.0 ms, 174",
    ],
    [
        "not found",
        "found; 232 ms, 24 561",
        "found",
        "found; 4.8 ms, 656",
    ],
    ["not found", "not found", "not found", "found; 72 ms, 3 972"],
];
const EXTRACTION: [&str; 5] = [
    "",
    "dies at 4 GB",
    "0.39 s, 23 466",
    "7.9 s, 396 566",
    "dies at 4 GB",
];
const SLOTTED: [&str; 5] = ["", "", "0.15 s, 521", "0.27 s, 844", "0.86 s, 1 413"];
const KINDS: [(&str, &str); 4] = [
    ("bound", "extraction, De Bruijn"),
    ("constants", "the same, functions constant"),
    ("part", "this program, as a part"),
    ("whole", "this program, as a whole"),
];

fn head(what: &str) -> Vec<String> {
    row([
        what,
        "encoding",
        "",
        "time",
        "applied",
        "e-nodes",
        "memory",
        "published",
    ])
}

fn child(cell: &str, limits: &Limits) -> Vec<String> {
    let exe = std::env::current_exe().expect("this program");
    let output = Command::new(exe)
        .args(["--bench", "--cell", cell])
        .args(["--seconds", &limits.time.as_secs().to_string()])
        .args(["--memory", &limits.bytes.to_string()])
        .output();
    let Ok(output) = output else {
        return vec!["did not start".into()];
    };
    match output.status.success() {
        true => {
            let text = String::from_utf8_lossy(&output.stdout);
            text.trim_end().split('\t').map(str::to_string).collect()
        }
        false => vec!["died".into()],
    }
}

fn measure(cell: &str, limits: &Limits) -> Vec<String> {
    let words: Vec<&str> = cell.split(' ').collect();
    let number = |i: usize| {
        words
            .get(i)
            .and_then(|w| w.parse::<usize>().ok())
            .unwrap_or(0)
    };
    let member = |constants| {
        let (n, m, o) = FAMILY[number(1)];
        untyped::goals::family(n, m, o, constants)
    };
    let exact = |exact| {
        let (n, m, o) = FAMILY[number(1)];
        product::family(n, m, o, exact)
    };
    let last = Encoding::ALL[3];
    match words[0] {
        "paper" => by_hand(&Goal::paper()[number(1)], Encoding::ALL[number(2)], limits),
        "product" => by_product(&product::paper()[number(1)], limits),
        "bound" => by_hand(&member(false), last, limits),
        "constants" => by_hand(&member(true), last, limits),
        "part" => by_product(&exact(false), limits),
        _ => by_product(&exact(true), limits),
    }
}

fn by_hand(goal: &Goal, encoding: Encoding, limits: &Limits) -> Vec<String> {
    let out = untyped::run(goal, encoding, limits);
    let end = match out.end {
        End::Found => "found",
        End::Saturated => "saturated",
        End::Time => "time limit",
        End::Memory => "memory limit",
        End::Nodes => "node limit",
    };
    vec![
        end.to_string(),
        seconds(out.time.as_secs_f64()),
        count(out.applied),
        count(out.nodes as u64),
        bytes(out.bytes),
    ]
}

fn by_product(task: &product::Task, limits: &Limits) -> Vec<String> {
    let options = Options {
        iterations: Some(u64::MAX),
        nodes: Some(u64::MAX),
        seconds: Some(limits.time.as_secs()),
        bytes: Some(limits.bytes),
        ..Options::default()
    };
    let (_, outcome) = task::run(task, &options);
    let step = &outcome.trace.steps[0];
    let end = match step.stop {
        Stop::Found => "found".to_string(),
        Stop::Seconds(_) => "time limit".to_string(),
        Stop::Bytes(_) => "memory limit".to_string(),
        other => format!("{other:?}"),
    };
    vec![
        end,
        seconds(step.seconds),
        count(step.applied()),
        count(step.size().nodes),
        bytes(step.bytes),
    ]
}

fn show(flags: &Flags, rows: &[Vec<String>]) {
    if !flags.has("--markdown") {
        return table(rows);
    }
    let width = rows[0].len();
    for (i, row) in rows.iter().enumerate() {
        let mut cells = row.clone();
        cells.resize(width, String::new());
        println!("| {} |", cells.join(" | "));
        if i == 0 {
            println!("|{}", "---|".repeat(width));
        }
    }
}
