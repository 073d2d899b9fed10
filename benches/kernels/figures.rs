//! All figures of docs/kernels-log.md in one run: one row for each size, with the time of each library divided
//! by ours.

use crate::common::{median, program, row, table, Flags};
#[path = "../../tests/micro/disassembly.rs"]
mod disassembly;

use crate::race::{race, Goal, Race};
use rise_opt::exec::bench::{Kind, Measurement};
use rise_opt::exec::peer::LIBRARIES;
use rise_opt::exec::Toolchain;
use rise_opt::report::{bytes, digits, seconds};
use rise_opt::target::Target;
use std::process::Command;
use std::time::Instant;

const MM: &str = "programs/mm.rise";
const BATCH: &str = "programs/batched_mm.rise";
const FUSED: &str = "programs/mm_bias_relu.rise";
const DOUBLES: &str = "programs/f64/mm.rise";

const TILE: Goal = Goal {
    sketch: "sketches/mm/micro-parallel.sk",
    set: "",
};
const TILE_OF_DOUBLES: Goal = Goal {
    sketch: "sketches/mm/micro-parallel-f64.sk",
    set: "",
};
const FUSED_TILE: Goal = Goal {
    sketch: "sketches/mm_bias_relu/fused-parallel.sk",
    set: "",
};

/// Size of the matrices, goal, its parameters where there are 32 registers of 64 bytes, as measured, and
/// for any others, as they have room.
const BATCHES: &[(u32, &str, [&str; 2])] = &[
    (4, "small", ["mr=4,nr=4,lanes=4", "mr=4,nr=4,lanes=4"]),
    (8, "small", ["mr=8,nr=8,lanes=8", "mr=8,nr=8,lanes=8"]),
    (16, "small", ["mr=16,nr=16,lanes=16", "mr=4,nr=16,lanes=8"]),
    (24, "small", ["mr=6,nr=24,lanes=8", "mr=4,nr=24,lanes=8"]),
    (32, "small", ["mr=4,nr=32,lanes=16", "mr=2,nr=32,lanes=8"]),
    (48, "small", ["mr=6,nr=48,lanes=16", "mr=4,nr=24,lanes=8"]),
    (64, "small", ["mr=4,nr=64,lanes=16", "mr=4,nr=16,lanes=8"]),
    (5, "padded", ["mr=5,nr=8,lanes=8", "mr=5,nr=8,lanes=8"]),
    (7, "padded", ["mr=7,nr=8,lanes=8", "mr=7,nr=8,lanes=8"]),
    (13, "padded", ["mr=13,nr=16,lanes=16", "mr=4,nr=16,lanes=8"]),
    (31, "padded", ["mr=4,nr=32,lanes=16", "mr=2,nr=32,lanes=8"]),
    (37, "padded", ["mr=8,nr=48,lanes=16", "mr=2,nr=40,lanes=8"]),
];

pub fn figures(flags: &Flags, tool: &Toolchain) {
    let mut rows = vec![head()];
    let mut compiled = Vec::new();
    let mut absent = Vec::new();
    let mut add = |title: &str, asked: Race| {
        let wanted = flags.value("--only");
        if wanted.is_some_and(|w| !w.split(',').any(|w| title.contains(w))) {
            return;
        }
        match race(&asked, flags, tool) {
            Ok(m) => {
                rows.extend(
                    m.rounds
                        .iter()
                        .enumerate()
                        .map(|(i, _)| cells(title, &m, i)),
                );
                compiled.extend(m.contestants.iter().filter_map(|c| c.compile_seconds));
                let none = m.peers.iter().filter(|p| p.file.is_none());
                absent = none
                    .map(|p| {
                        format!(
                            "{}: this machine has none (package {})",
                            p.library, p.package
                        )
                    })
                    .collect();
            }
            Err(why) => rows.push(vec![title.to_string(), why]),
        }
    };
    type List = &'static [&'static str];
    let product = |sizes: List, threads: usize| Race {
        program: MM,
        goals: vec![TILE],
        fixed: "",
        sizes,
        threads,
        unoptimised: false,
    };
    let squares: List = &[
        "m=512,n=512,k=512",
        "m=1024,n=1024,k=1024",
        "m=2048,n=2048,k=2048",
        "m=1000,n=1003,k=997",
    ];
    add("f32", product(squares, 1));
    add("f32", product(&["m=4096,n=256,k=4096"], 1));
    add("f32", product(squares, 2));
    let thin: List = &[
        "m=37,n=41,k=43",
        "m=1,n=1024,k=1024",
        "m=1024,n=1,k=1024",
        "m=13,n=1000,k=500",
    ];
    add("f32", product(thin, 1));
    add(
        "f64",
        Race {
            program: DOUBLES,
            goals: vec![TILE_OF_DOUBLES],
            ..product(&["m=1024,n=1024,k=1024"], 1)
        },
    );
    let narrow = usize::from(tool.target != Target::Avx512);
    for (n, goal, sets) in BATCHES {
        let set = sets[narrow];
        let sketch = format!("sketches/batched_mm/{goal}.sk");
        let fixed = format!("m={n},n={n},k={n}");
        add(
            "batch",
            Race {
                program: BATCH,
                goals: vec![Goal {
                    sketch: &sketch,
                    set,
                }],
                fixed: &fixed,
                sizes: &["t=1000"],
                threads: 1,
                unoptimised: false,
            },
        );
    }
    add(
        "bias, relu",
        Race {
            program: FUSED,
            goals: vec![FUSED_TILE],
            ..product(&["m=1024,n=1024,k=1024", "m=1024,n=1024,k=64"], 1)
        },
    );
    table(&rows);
    for line in absent {
        println!("{line}");
    }
    println!("\n× is the time of a library divided by ours, medians, then best samples");
    println!("\ncompiling a kernel: {}", range(&compiled));
    search(flags);
    println!("{}", on_the_stack(tool, &product(&[], 1)));
}

fn range(all: &[f64]) -> String {
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = all.iter().copied().fold(0.0, f64::max);
    match all.is_empty() {
        true => "none was compiled".to_string(),
        false => format!("{} to {}", seconds(least), seconds(most)),
    }
}

fn head() -> Vec<String> {
    let mut cells = row(["", "size", "threads", "median", "best", "GFLOP/s", "best"]);
    for l in LIBRARIES {
        cells.push(format!("× {}", l.name));
        cells.push("best".to_string());
    }
    cells
}

/// One size: the fastest of our kernels, and all libraries.
fn cells(title: &str, m: &Measurement, round: usize) -> Vec<String> {
    let round = &m.rounds[round];
    let sizes: Vec<String> = round.sizes.iter().map(|s| s.1.to_string()).collect();
    let mut cells = row([title, &sizes.join("×"), &round.threads.to_string()]);
    let ours = |name: &str| {
        let mut all = m.contestants.iter();
        all.any(|c| c.name == name && c.kind != Kind::Peer)
    };
    let timed = round.places.iter().filter(|p| ours(&p.contestant));
    let best = (timed.filter_map(|p| p.timing())).min_by(|a, b| a.median().total_cmp(&b.median()));
    let Some(best) = best else {
        cells.push("no kernel".to_string());
        return cells;
    };
    let rate = |s: f64| digits(round.flops / s / 1e9);
    cells.extend([seconds(best.median()), seconds(best.best())]);
    cells.extend([rate(best.median()), rate(best.best())]);
    for l in LIBRARIES {
        let other = round.timing(l.name);
        let ratio = |f: fn(&rise_opt::exec::measure::Timing) -> f64| {
            other.map_or("-".to_string(), |t| digits(f(t) / f(best)))
        };
        cells.push(ratio(|t| t.median()));
        cells.push(ratio(|t| t.best()));
    }
    cells
}

/// The guided search, whole processes.
fn search(flags: &Flags) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut times = Vec::new();
    let mut last = serde_json::Value::Null;
    for _ in 0..flags.number("--samples", 15).max(1) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        command.args([MM, "--sketch", TILE.sketch, "--message-format", "json"]);
        command.args(["--validate", "off"]);
        let start = Instant::now();
        let output = command.current_dir(dir.path()).output();
        let output = output.expect("rise-opt runs");
        times.push(start.elapsed().as_secs_f64());
        let first = output.stdout.split(|b| *b == b'\n').next();
        last = serde_json::from_slice(first.unwrap_or_default()).unwrap_or_default();
    }
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    let guides = last["trace"]["steps"].as_array().map_or(0, Vec::len);
    println!(
        "guided search for micro-parallel, whole process: {guides} guides, {} median, {} best, {}",
        seconds(median(times)),
        seconds(best),
        bytes(last["peak_bytes"].as_u64().unwrap_or(0))
    );
}

/// Accumulators that the loop over k keeps in memory.
fn on_the_stack(tool: &Toolchain, asked: &Race) -> String {
    let program = program(asked.program);
    let entry = match asked.entry(&program, &asked.goals[0], tool) {
        Ok(entry) => entry,
        Err(why) => return why,
    };
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (source, object) = (dir.path().join("one.c"), dir.path().join("one.o"));
    let written = std::fs::write(&source, &entry.unit.c)
        .and_then(|()| std::fs::write(dir.path().join("unit.h"), &entry.unit.header));
    written.expect("room in the temporary folder");
    if let Err(d) = tool.build(&[source], &object, &["-c"], &[]) {
        return d.message;
    }
    let loops = match disassembly::loops(&object) {
        Ok(loops) => loops,
        Err(why) => return why,
    };
    let whole = loops.iter().filter(|l| !l.masked);
    let hot = whole.max_by_key(|l| l.products);
    hot.map_or("no loop was found".to_string(), |l| {
        format!(
            "loop over k: {} products of registers, {} accesses of the stack, {} bytes in {} cache lines",
            l.products,
            l.spills.len(),
            l.bytes,
            l.lines
        )
    })
}
