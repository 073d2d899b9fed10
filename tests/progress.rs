//! What a search tells while it runs, as events and on standard error.

use crate::common;
use crate::common::{chain, mm};
use rise_opt::search::progress::{Observer, Phase};
use rise_opt::search::{advise, optimize, trace, unguided, Known, Options};
use rise_opt::sketch::Reached;
use std::cell::RefCell;
use std::process::{Command, Output};
use std::rc::Rc;

/// An event that is kept.
struct Seen {
    step: String,
    place: (usize, usize),
    trying: Option<String>,
    phase: Phase,
    iteration: u64,
    nodes: u64,
    added: u64,
    bytes: u64,
    sketch: Reached,
}

fn watching(options: Options) -> (Options, Rc<RefCell<Vec<Seen>>>) {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let keep = Rc::clone(&seen);
    let observer = Observer::new(move |e| {
        keep.borrow_mut().push(Seen {
            step: e.step.to_string(),
            place: (e.number, e.steps),
            trying: e.trying.map(str::to_string),
            phase: e.phase,
            iteration: e.iteration,
            nodes: e.nodes,
            added: e.added,
            bytes: e.bytes,
            sketch: e.sketch.clone(),
        });
    });
    (
        Options {
            observer,
            ..options
        },
        seen,
    )
}

#[test]
fn events_agree_with_the_trace_and_change_nothing() {
    let program = mm();
    let steps = chain("sketches/mm/blocking.sk", &program, &[]);
    let (options, seen) = watching(Options::default());
    let outcome = optimize(&program, &steps, &options);
    let alone = optimize(&program, &steps, &Options::default());
    assert_eq!(outcome.terms, alone.terms);

    let seen = seen.borrow();
    let mut done = seen.iter().filter(|e| e.phase == Phase::Done);
    for (i, (step, other)) in (outcome.trace.steps.iter())
        .zip(&alone.trace.steps)
        .enumerate()
    {
        assert_eq!(step.iterations.len(), other.iterations.len());
        for (n, (iteration, other)) in step.iterations.iter().zip(&other.iterations).enumerate() {
            assert_eq!(iteration.size, other.size);
            let e = done.next().expect("an event for each iteration");
            assert_eq!(e.step, step.name);
            assert_eq!(e.place, (i + 1, steps.len()));
            assert_eq!(e.iteration, n as u64 + 1);
            assert_eq!(e.nodes, iteration.size.nodes);
            assert!(e.bytes > 0);
        }
        // Each step was reached: all of its sketch is satisfied when its term is taken out.
        let mut last = seen
            .iter()
            .filter(|e| e.place.0 == i + 1 && e.phase == Phase::Extract);
        let sketch = &last.next().expect("one extraction").sketch;
        assert!(sketch.parts > 0);
        assert_eq!(sketch.satisfied, sketch.parts);
        assert!(last.next().is_none());
    }
    assert!(done.next().is_none());
}

#[test]
fn a_long_iteration_is_seen_from_inside() {
    let program = mm();
    let step = unguided(&chain("sketches/mm/blocking.sk", &program, &[])).unwrap();
    let (options, seen) = watching(Options {
        nodes: Some(20_000),
        parts: true,
        ..Options::default()
    });
    let outcome = optimize(&program, &[step], &options);
    let failure = outcome.failure.expect("the limit is too low");
    let seen = seen.borrow();
    let iterations = outcome.trace.steps[0].iterations.len();
    let count = |phase| seen.iter().filter(|e| e.phase == phase).count();
    assert_eq!(count(Phase::Done), iterations);
    assert!(count(Phase::Apply) > iterations);
    assert_eq!(count(Phase::Extract), 0);

    // The last event tells what the diagnosis counts.
    let sketch = &seen.last().unwrap().sketch;
    let satisfied: Vec<_> = failure.parts.iter().filter(|p| p.classes > 0).collect();
    assert_eq!(sketch.parts, failure.parts.len());
    assert_eq!(sketch.satisfied, satisfied.len());
    assert!(sketch.satisfied < sketch.parts, "{failure:?}");
    let largest = sketch.largest.as_deref().expect("some part is satisfied");
    // Sketches of loops are chains: the outermost satisfied part holds most.
    assert_eq!(largest, satisfied[0].label);
}

/// The e-nodes that are shown are those of the trace: while an iteration is under way those of the one
/// before, to which rules add; when it is done its own.
#[test]
fn the_count_of_e_nodes_goes_back_only_when_an_iteration_is_done() {
    let program = mm();
    let step = unguided(&chain("sketches/mm/blocking.sk", &program, &[])).unwrap();
    let (options, seen) = watching(Options {
        nodes: Some(60_000),
        ..Options::default()
    });
    let outcome = optimize(&program, &[step], &options);
    let trace = &outcome.trace.steps[0];
    let counts = trace.iterations.iter().map(|i| i.size.nodes);
    let counts: Vec<u64> = [trace.start.nodes].into_iter().chain(counts).collect();
    let seen = seen.borrow();
    let mut most = 0;
    let mut now = (0, 0);
    for e in seen.iter() {
        let n = e.iteration as usize;
        assert!(e.trying.is_none());
        match e.phase {
            Phase::Done | Phase::Extract => assert_eq!((e.nodes, e.added), (counts[n], 0)),
            phase => {
                assert_eq!(e.nodes, counts[n - 1], "{phase:?} of {n}");
                if phase == Phase::Search {
                    assert_eq!(e.added, 0);
                }
                assert!((e.iteration, e.added) >= now, "{phase:?} of {n}");
            }
        }
        now = (
            e.iteration,
            if e.phase == Phase::Done { 0 } else { e.added },
        );
        most = most.max(e.added);
    }
    // What rules add includes what turns out to be equal.
    let added = |i: &trace::Iteration| i.rules.iter().map(|r| r.nodes_added).sum::<u64>();
    assert_eq!(Some(most), trace.iterations.iter().map(added).max());
    assert!(most >= counts[counts.len() - 1] - counts[counts.len() - 2]);
}

/// The search for advice is told in the same way, with what is tried.
#[test]
fn advice_is_seen_while_it_is_looked_for() {
    let program = mm();
    let steps = chain("sketches/mm/blocking.sk", &program, &[]);
    let (options, seen) = watching(Options {
        iterations: Some(1),
        diagnose: true,
        ..Options::default()
    });
    let outcome = optimize(&program, &steps, &options);
    let failure = outcome.failure.expect("one iteration is too few");
    assert!(seen.borrow().iter().all(|e| e.trying.is_none()));
    // That it looks for what is closest is told once, at the end.
    let count = |all: &[Seen]| all.iter().filter(|e| e.phase == Phase::Diagnose).count();
    assert_eq!(count(&seen.borrow()), 1);
    assert_eq!(seen.borrow().last().unwrap().phase, Phase::Diagnose);
    seen.borrow_mut().clear();
    let known = Known::default();
    let step = &steps[outcome.terms.len()];
    let advice = advise(step, &program.term, &failure, &known, &options);
    assert!(advice.searches > 0);
    let seen = seen.borrow();
    assert!(seen.iter().all(|e| e.trying.is_some()));
    let tries: Vec<_> = seen.iter().filter(|e| e.phase == Phase::Try).collect();
    assert_eq!(tries.len() as u64, advice.searches);
    assert!(
        (tries.iter()).any(|e| e.trying.as_deref() == Some("limit iterations 240")),
        "{:?}",
        tries.iter().map(|e| &e.trying).collect::<Vec<_>>()
    );
}

fn run(flags: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_rise-opt"))
        .args(["programs/mm.rise", "--sketch", "sketches/mm/blocking.sk"])
        .args(["--emit", "nest"])
        .args(flags)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn plain_lines_go_to_standard_error() {
    let output = run(&["--progress", "plain"]);
    assert!(output.status.success());
    let lines = text(&output.stderr);
    assert!(!lines.contains('\x1b') && !lines.contains('\r'), "{lines}");
    assert!(lines.lines().count() >= 2, "{lines}");
    for line in lines.lines() {
        assert!(line.starts_with("step "), "{line}");
        for part in [" of 2), iteration ", " e-nodes, ", "B; sketch "] {
            assert!(line.contains(part), "{line}");
        }
    }
    let first = lines.lines().next().unwrap();
    assert!(first.contains("(1 of 2), iteration 1: "), "{first}");
    assert!(!text(&output.stdout).contains("iteration 1:"));
}

#[test]
fn advice_has_a_line_for_each_try() {
    let lines = |how: &str| {
        let output = run(&["--iter-limit", "1", "--progress", how]);
        assert_eq!(output.status.code(), Some(3));
        text(&output.stderr)
    };
    let plain = lines("plain");
    let tries = plain.lines().filter(|l| l.starts_with("trying advice: "));
    let tries: Vec<&str> = tries.collect();
    assert!(!tries.is_empty(), "{plain}");
    assert!(tries.iter().all(|l| !l.contains(", iteration ")), "{plain}");
    // They come after the step and before what is said of it.
    let at = |what: &str| plain.find(what).unwrap();
    assert!(at("step ") < at("trying advice: ") && at("trying advice: ") < at("error[E0601]"));
    let off = lines("off");
    assert!(off.starts_with("error[E0601]"), "{off}");
}

#[test]
fn off_prints_nothing_and_output_stays_the_same() {
    let off = run(&["--progress", "off"]);
    assert!(off.status.success());
    assert_eq!(text(&off.stderr), "");
    let nest = |how: &str| {
        let output = run(&["--progress", how, "-o", "-"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let plain = nest("plain");
    assert!(!plain.is_empty());
    assert_eq!(plain, nest("off"));
    assert_eq!(plain, nest("auto"));
}

/// A program that reads JSON finds nothing else, however long the search is.
#[test]
fn json_has_no_lines_between() {
    let flags = ["--unguided", "--node-limit", "60000"];
    let output = run(&[&flags[..], &["--message-format", "json"]].concat());
    assert_eq!(output.status.code(), Some(3));
    for line in text(&output.stderr).lines() {
        serde_json::from_str::<serde_json::Value>(line).expect(line);
    }
}

#[test]
fn an_unknown_way_is_refused() {
    let output = run(&["--progress", "loud"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("auto, plain, off"));
}

/// A search that is ended by a limit: in e-nodes, so that a slow machine sees the same search. There are so many that
/// no machine is done before anything is shown.
#[cfg(unix)]
fn on_a_terminal(columns: u16) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command
        .args(["programs/mm.rise", "--sketch", "sketches/mm/parallel.sk"])
        .args(["--unguided", "--node-limit", "100000", "--emit", "nest"])
        .current_dir(folder.path());
    let (status, written) = common::pty::run(command, columns);
    assert_eq!(status.code(), Some(3), "{written}");
    written
}

/// The live line as it was seen, each state once.
#[cfg(unix)]
fn states(written: &str, columns: usize) -> (Vec<String>, Vec<String>) {
    let mut states: Vec<String> = Vec::new();
    let last = common::pty::Screen::show(written, columns, |screen| {
        let full: Vec<&String> = screen
            .lines
            .iter()
            .filter(|l| !l.trim().is_empty())
            .collect();
        let shown = |l: &&String| l.contains("step ") || l.contains("trying advice: ");
        let live = full.iter().any(shown);
        // One line, however narrow the terminal is.
        assert!(
            !live || full.len() == 1 || screen.lines[0].contains("error"),
            "{full:?}"
        );
        if let Some(line) = full.first().filter(|_| live) {
            if states.last() != Some(*line) {
                states.push(line.to_string());
            }
        }
    });
    states.retain(|l| !l.contains("error"));
    (states, last.lines)
}

#[cfg(unix)]
#[test]
fn on_a_terminal_one_line_is_written_again_and_again_and_goes() {
    let written = on_a_terminal(160);
    let (states, last) = states(&written, 160);
    assert!(states.len() >= 3, "{states:?}");
    for line in &states {
        let first = match line.contains("trying advice: ") {
            true => &["trying advice: "][..],
            false => &["step ", ", iteration "],
        };
        for part in first.iter().chain(&[" e-nodes", "B; sketch "]) {
            assert!(line.contains(part), "no {part:?} in {line}");
        }
        assert!(line.chars().count() <= 160, "{line}");
    }
    // The deepest part of the sketch that is satisfied, in the user's words.
    let part = states.iter().find_map(|l| l.split("up to `").nth(1));
    assert!(
        part.is_some_and(|p| p.starts_with("contains")),
        "{states:?}"
    );
    // It moves, and never back, however fast the machine is: iterations pass, in each of them nodes are added.
    let after = |line: &str, what: &str| {
        let digits = line.split_once(what)?.1;
        let end = digits.find(|c: char| !c.is_ascii_digit() && c != ' ');
        digits[..end?].replace(' ', "").parse::<u64>().ok()
    };
    let steps: Vec<_> = (states.iter())
        .filter(|l| l.contains(", iteration ") && !l.contains("trying advice: "))
        .map(|l| {
            let nodes = after(l, ": ").expect(l);
            (
                after(l, ", iteration ").expect(l),
                nodes,
                after(l, " e-nodes + ").unwrap_or(0),
            )
        })
        .collect();
    for w in steps.windows(2) {
        let [(iteration, nodes, added), (next, more, new)] = [w[0], w[1]];
        assert!(iteration <= next, "{states:?}");
        // An iteration that is done has its own count, and nothing added.
        let goes_on = iteration == next && new > 0;
        assert!(!goes_on || (nodes == more && added <= new), "{states:?}");
    }
    let advice = states.iter().any(|l| l.contains("trying advice: "));
    assert!(steps.first() < steps.last() || advice, "{states:?}");
    // In the end nothing of it is left.
    assert!(last[0].starts_with("error[E0601]"), "{last:?}");
    assert!(!last.iter().any(|l| l.contains(", iteration ")), "{last:?}");
}

#[cfg(unix)]
#[test]
fn on_a_narrow_terminal_the_line_is_cut() {
    let written = on_a_terminal(48);
    let (states, _) = states(&written, 48);
    assert!(!states.is_empty());
    for line in &states {
        assert!(
            ["step ", "trying advice: "]
                .iter()
                .any(|w| line.contains(w))
                && line.chars().count() <= 48,
            "{line}"
        );
    }
}
