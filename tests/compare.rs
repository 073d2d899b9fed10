//! `rise-opt compare`: what it writes agrees with itself, is drawn in full, and appears whole or not at all.

use crate::common;
use rise_opt::report::comparison::{self, Comparison, Goal, Limits, Point, Rule, Run, Step};
use rise_opt::report::saved;
use rise_opt::search::trace::Size;
use rise_opt::search::Stop;
use rise_opt::source::SourceMap;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const MM: &str = "programs/mm.rise";
const BASELINE: &str = "sketches/mm/baseline.sk";
const BLOCKING: &str = "sketches/mm/blocking.sk";

fn compare(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    let command = command.arg("compare").args(args).current_dir(dir);
    command.env("NO_COLOR", "1").output().unwrap()
}

/// Runs where it has to succeed; gives standard output.
fn succeeds(dir: &Path, args: &[&str]) -> String {
    let output = compare(dir, args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

fn read(text: &str) -> Comparison {
    let mut sources = SourceMap::new();
    let file = sources.add_text("c.json", text);
    saved::read(&saved::COMPARISON, &sources, file).unwrap_or_else(|d| panic!("{d:?}"))
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Lines of CSV by their columns; no name of a shipped file needs quotes.
fn rows(csv: &str) -> Vec<BTreeMap<&str, &str>> {
    let mut lines = csv.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|l| columns.iter().copied().zip(l.split(',')).collect())
        .collect()
}

#[test]
fn json_csv_table_and_plot_agree() {
    let dir = tempfile::tempdir().unwrap();
    let both = [
        "--goal",
        BASELINE,
        "--goal",
        "tiled=sketches/mm/blocking.sk",
    ];
    let limit = ["--node-limit", "3000", "--set", "tile=16"];
    let page = succeeds(dir.path(), &[&[MM][..], &both, &limit].concat());
    let files = [
        "mm.comparison.csv",
        "mm.comparison.json",
        "mm.comparison.svg",
    ];
    assert_eq!(names(dir.path()), files);
    let [csv, json, svg] = files.map(|f| fs::read_to_string(dir.path().join(f)).unwrap());
    let c = read(&json);
    assert_eq!(c.to_json(), json);
    assert_eq!(comparison::svg(&c), svg);
    assert!(page.starts_with(&comparison::human(&c)));

    // What a goal came to.
    let titles: Vec<String> = c.goals.iter().map(Goal::title).collect();
    assert_eq!(titles, ["mm/baseline", "tiled"]);
    let [baseline, tiled] = &*c.goals else {
        panic!()
    };
    assert!(baseline.guided.found() && baseline.unguided.found() && tiled.guided.found());
    assert_eq!(tiled.unguided.stop, Stop::Nodes(3000));
    assert!(tiled.unguided.reproducible && tiled.unguided.largest.nodes >= 3000);
    assert_eq!(tiled.guided.steps.len(), 2);
    assert_eq!(tiled.unguided.steps.len(), 1);
    assert!(tiled.guided.bytes > 0 && tiled.unguided.bytes > 0);
    for (_, run) in c.goals.iter().flat_map(Goal::runs) {
        let points = || run.steps.iter().flat_map(|s| &s.points);
        assert_eq!(run.applied, points().map(|p| p.applied).sum::<u64>());
        assert_eq!(
            run.applied,
            run.rules.iter().map(|r| r.applied).sum::<u64>()
        );
        assert_eq!(Some(run.largest.nodes), points().map(|p| p.nodes).max());
        assert!(points().all(|p| p.bytes <= run.bytes));
        let steps: f64 = run.steps.iter().map(|s| s.seconds).sum();
        assert!((steps - run.seconds).abs() < 1e-9);
    }

    // Every row of the CSV is a point of the JSON, and the other way round.
    let mut rows = rows(&csv).into_iter();
    for goal in &c.goals {
        for (mode, run) in goal.runs() {
            for (s, step) in run.steps.iter().enumerate() {
                for (i, p) in step.points.iter().enumerate() {
                    let row = rows.next().expect("a row");
                    let number = |column: &str| row[column].parse::<u64>().unwrap();
                    let want = (&*goal.book, &*goal.name, mode, &*step.name);
                    let found = (row["book"], row["goal"], row["mode"], row["step_name"]);
                    assert_eq!(found, want);
                    assert_eq!(
                        (number("step"), number("iteration")),
                        (s as u64 + 1, i as u64)
                    );
                    assert_eq!(
                        (number("e_nodes"), number("e_classes")),
                        (p.nodes, p.classes)
                    );
                    assert_eq!((number("applied"), number("bytes")), (p.applied, p.bytes));
                    let seconds: f64 = row["seconds"].parse().unwrap();
                    assert!((seconds - p.seconds).abs() < 1e-6);
                    let stop = match i + 1 == step.points.len() {
                        true => comparison::stop_word(step.stop),
                        false => "",
                    };
                    assert_eq!(row["stop"], stop);
                }
            }
        }
    }
    assert!(rows.next().is_none());
}

#[test]
fn both_searches_do_what_the_main_job_does() {
    let dir = tempfile::tempdir().unwrap();
    let json = ["--message-format", "json"];
    let sketch = [MM, "--sketch", BLOCKING, "--iter-limit", "6"];
    let emit = ["-o", "x.csv", "--emit", "csv"];
    let page = succeeds(dir.path(), &[&sketch[..], &emit, &json].concat());
    let c = read(&page);
    assert_eq!(page.lines().count(), 1);
    assert_eq!(names(dir.path()), ["x.csv"]);
    assert_eq!(c.limits.iterations, Some(6));
    let goal = &c.goals[0];
    assert_eq!(goal.guided.stop, Stop::Iterations(6));
    assert_eq!(goal.unguided.stop, Stop::Iterations(6));
    for (unguided, run) in [(false, &goal.guided), (true, &goal.unguided)] {
        let program = common::mm();
        let mut steps = common::chain(BLOCKING, &program, &[]);
        if unguided {
            steps = rise_opt::search::unguided(&steps).into_iter().collect();
        }
        let options = rise_opt::search::Options {
            iterations: Some(6),
            ..Default::default()
        };
        let trace = rise_opt::search::optimize(&program, &steps, &options).trace;
        let want: Vec<Vec<u64>> = (trace.steps.iter())
            .map(|s| {
                [s.start]
                    .into_iter()
                    .chain(s.iterations.iter().map(|i| i.size))
            })
            .map(|sizes| sizes.map(|s| s.nodes).collect())
            .collect();
        let found: Vec<Vec<u64>> = (run.steps.iter())
            .map(|s| s.points.iter().map(|p| p.nodes).collect())
            .collect();
        assert_eq!(found, want);
    }
}

#[test]
fn limits_in_seconds_and_bytes_are_marked() {
    let dir = tempfile::tempdir().unwrap();
    let parallel = [
        MM,
        "--sketch",
        "sketches/risegg/parallel.sk",
        "-o",
        "-",
        "--emit",
        "json",
    ];
    let run = |limit: &[&str]| read(&succeeds(dir.path(), &[&parallel[..], limit].concat()));
    let c = run(&["--time-limit", "1"]);
    let unguided = &c.goals[0].unguided;
    assert_eq!(
        (unguided.stop, unguided.reproducible),
        (Stop::Seconds(1), false)
    );
    let c = run(&["--memory-limit", "60M"]);
    let unguided = &c.goals[0].unguided;
    assert_eq!(
        (unguided.stop, unguided.reproducible),
        (Stop::Bytes(60 << 20), false)
    );
    // What the program itself takes is within the limit, too.
    assert!(unguided.bytes > 20 << 20 && c.goals[0].guided.found());
    assert!(!c.goals[0].guided.past_limit && c.goals[0].guided.reproducible);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn bad_input_is_said_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let refused = |args: &[&str], code: i32, says: &[&str]| {
        let before = names(dir);
        let output = compare(dir, args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        for words in says {
            assert!(stderr.contains(words), "{args:?}: no {words:?} in {stderr}");
        }
        assert!(output.stdout.is_empty());
        assert_eq!(names(dir), before, "{args:?}");
    };
    refused(&[MM], 2, &["--sketch"]);
    refused(
        &["none.rise", "--sketch", BASELINE],
        1,
        &["E0001", "none.rise"],
    );
    refused(
        &[MM, "--sketch", "sketches/mm/blokcing.sk"],
        1,
        &["E0001", "sketches/mm/blocking.sk"],
    );
    refused(
        &[MM, "--goal", BASELINE, "--goal", "parallell"],
        1,
        &["E0001", "`parallell`"],
    );
    refused(
        &[MM, "--goal", BASELINE, "--sketch", BASELINE],
        2,
        &["--goal"],
    );
    refused(&[MM, "--goal", "a="], 2, &["NAME=FILE"]);
    let twice = [
        MM,
        "--goal",
        "a=sketches/mm/baseline.sk",
        "--goal",
        "a=sketches/mm/blocking.sk",
    ];
    refused(&twice, 2, &["E0611", "`a`", "--goal NAME=FILE"]);
    refused(
        &[MM, "--sketch", BLOCKING, "--set", "tiel=16"],
        2,
        &["`tiel` is no parameter", "`tile`"],
    );
    refused(
        &[MM, "--sketch", BLOCKING, "--set", "m=16"],
        2,
        &["`m`", "block, tile"],
    );
    refused(
        &[MM, "--sketch", BASELINE, "-o", "no/such/c.json"],
        1,
        &["no/such/c.json"],
    );
    refused(
        &[MM, "--sketch", BASELINE, "-o", "/dev/null/c.json"],
        1,
        &["cannot be written"],
    );
    fs::write(
        dir.join("mine.sk"),
        fs::read_to_string(root(BASELINE)).unwrap(),
    )
    .unwrap();
    fs::create_dir(dir.join("mine.csv")).unwrap();
    let text = fs::read_to_string(dir.join("mine.sk")).unwrap();
    fs::write(
        dir.join("mine.sk"),
        text.replace("\"../prelude.sk\"", "\"sketches/prelude.sk\""),
    )
    .unwrap();
    refused(
        &[MM, "--sketch", "mine.sk", "-o", "mine.sk"],
        1,
        &["does not end as what is written there"],
    );
    // The last of three places is a folder: none of the three files is there.
    refused(
        &[MM, "--sketch", "mine.sk", "-o", "mine.json"],
        1,
        &["`mine.csv`"],
    );
    // A disk that is full when the texts are written.
    if cfg!(target_os = "linux") {
        refused(
            &[
                MM,
                "--sketch",
                "mine.sk",
                "-o",
                "/dev/full",
                "--emit",
                "json",
            ],
            1,
            &["/dev/full"],
        );
    }
}

fn root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A comparison with every way to end, and names that XML and CSV have to quote.
fn fixed() -> Comparison {
    let point = |i: u32| Point {
        nodes: 40 * 3u64.pow(i),
        classes: 30 * 3u64.pow(i),
        applied: u64::from(i),
        seconds: 0.25,
        bytes: u64::from(i) << 20,
    };
    let step = |name: &str, stop, n: u32| Step {
        name: name.to_string(),
        stop,
        seconds: 0.25 * f64::from(n),
        points: (0..=n).map(point).collect(),
    };
    let run = |stop, steps: Vec<Step>| Run {
        stop,
        past_limit: false,
        reproducible: true,
        seconds: steps.iter().map(|s| s.seconds).sum(),
        bytes: 9 << 20,
        applied: 45,
        largest: Size {
            nodes: 2_361_960,
            classes: 1_771_470,
        },
        steps_planned: steps.len() as u64,
        steps,
        rules: vec![Rule {
            name: "map-fission".into(),
            applied: 45,
            nodes_added: 2_000_000,
            seconds: 1.5,
        }],
    };
    let stops = [
        Stop::Found,
        Stop::Saturated,
        Stop::Iterations(10),
        Stop::Nodes(1_000_000),
        Stop::Seconds(120),
        Stop::Bytes(4 << 30),
        Stop::Size(300),
    ];
    let goals = stops.iter().enumerate().map(|(i, stop)| Goal {
        book: if i < 4 {
            "general"
        } else {
            "the \"other\", <old> book"
        }
        .to_string(),
        name: format!("goal {i} & more of a name than there is room for in any panel"),
        sketches: vec!["a.sk".into()],
        guided: run(
            Stop::Found,
            vec![
                step("split", Stop::Found, 3),
                step("a very long name of a step", Stop::Found, 2),
                step("at once", Stop::Found, 0),
                step("lower-5", Stop::Found, 4),
            ],
        ),
        unguided: run(*stop, vec![step("lower-5 (unguided)", *stop, 10)]),
    });
    Comparison {
        rise_opt: "0.1.0".into(),
        command: "rise-opt compare …".into(),
        program: "mm".into(),
        limits: Limits {
            iterations: Some(10),
            nodes: Some(1_000_000),
            seconds: Some(120),
            bytes: Some(4 << 30),
        },
        goals: goals.collect(),
    }
}

/// Elements as (name, attributes), in order; fails where the text is no well-formed XML of the kind that
/// we write: elements, attributes in double quotes, the five named entities.
fn elements(xml: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut open: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        text(&rest[..at]);
        assert!(!open.is_empty() || rest[..at].trim().is_empty() || found.is_empty());
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let (tag, closed) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut all = BTreeMap::new();
        while !attributes.is_empty() {
            let (key, value) = attributes.split_once("=\"").expect("an attribute");
            let (value, more) = value.split_once('"').expect("a quoted value");
            text(value);
            assert!(all.insert(key.to_string(), value.to_string()).is_none());
            attributes = more.trim_start();
        }
        found.push((name.to_string(), all));
        if !closed {
            open.push(name.to_string());
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    found
}

fn text(text: &str) {
    for (at, _) in text.match_indices('&') {
        let entity = text[at + 1..].split(';').next().unwrap();
        assert!(
            ["amp", "lt", "gt", "quot", "apos"].contains(&entity),
            "{text}"
        );
    }
    assert!(!text.contains('>'), "{text}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
}

#[test]
fn the_plot_is_xml_with_every_series_and_mark() {
    let c = fixed();
    let svg = comparison::svg(&c);
    let elements = elements(&svg);
    let class = |name: &str| {
        let of = |e: &&(String, BTreeMap<String, String>)| {
            e.1.get("class")
                .is_some_and(|c| c.split(' ').any(|c| c == name))
        };
        elements.iter().filter(of).collect::<Vec<_>>()
    };
    let runs = || c.goals.iter().flat_map(Goal::runs).map(|(_, run)| run);
    let steps: usize = runs().map(|r| r.steps.len()).sum();
    // Two lines, two dots, a ring and a cross explain the signs.
    let lines = class("line");
    assert_eq!(lines.len(), steps + 2);
    let points: usize = runs().flat_map(|r| &r.steps).map(|s| s.points.len()).sum();
    assert_eq!(class("dot").len(), points - steps + 2);
    let ended = runs().filter(|r| !r.found()).count();
    assert_eq!(class("cross").len(), ended + 1);
    assert_eq!(class("ring").len(), steps - ended + 1);
    assert_eq!(class("limit").len(), c.goals.len());
    // A line has a place for each of its points.
    let drawn: usize = (lines.iter())
        .map(|l| l.1["d"].split(['M', 'L']).count() - 1)
        .sum();
    assert_eq!(drawn, points + 2);
    for (goal, name) in [(0, "goal 0 &amp; more"), (6, "goal 6 &amp; more")] {
        assert!(svg.contains(name), "{goal}");
    }
    for words in [
        "general</text>",
        "the &quot;other&quot;, &lt;old&gt; book</text>",
        "saturated · ",
        "limit of 10 iterations",
        "limit of 1 000 000 e-nodes",
        "limit of 120 s",
        "limit of 4.00 GB",
        "limit of 300 nodes for a term",
        "2.36M e-nodes",
        "prefers-color-scheme:dark",
        ">split</text>",
    ] {
        assert!(svg.contains(words), "no {words:?}");
    }
    inside(&elements);
    assert_eq!(comparison::svg(&fixed()), svg);
    assert_eq!(comparison::csv(&fixed()), comparison::csv(&c));
}

/// Nothing is drawn outside of the picture.
fn inside(elements: &[(String, BTreeMap<String, String>)]) {
    let size = |name: &str| elements[0].1[name].parse::<f64>().unwrap();
    let (width, height) = (size("width"), size("height"));
    for (name, attributes) in elements {
        for (key, limit) in [("x", width), ("cx", width), ("y", height), ("cy", height)] {
            if let Some(value) = attributes.get(key) {
                let value: f64 = value.parse().unwrap();
                assert!((0.0..=limit).contains(&value), "{name}: {key}={value}");
            }
        }
        let path = attributes.get("d").map_or("", String::as_str);
        for place in path.split(['M', 'L']).skip(1) {
            let mut numbers = place.split([' ', 'h', 'v', 'l', 'V']);
            let mut next = || numbers.next().unwrap().parse::<f64>().unwrap();
            let (x, y) = (next(), next());
            assert!(
                (0.0..=width).contains(&x) && (0.0..=height).contains(&y),
                "{path}"
            );
        }
    }
}

#[test]
fn a_comparison_of_nothing_or_of_one_point_can_be_shown() {
    let mut c = fixed();
    c.goals.truncate(1);
    let goal = &mut c.goals[0];
    for run in [&mut goal.guided, &mut goal.unguided] {
        run.steps.truncate(1);
        run.steps[0].points.truncate(1);
        run.steps[0].points[0].nodes = 0;
    }
    elements(&comparison::svg(&c));
    assert!(comparison::human(&c).contains("split"));
    c.goals.clear();
    elements(&comparison::svg(&c));
    comparison::human(&c);
    assert_eq!(comparison::csv(&c).lines().count(), 1);
}

#[test]
fn what_is_found_past_a_limit_says_so() {
    let program = common::mm();
    let steps = common::chain(BLOCKING, &program, &[]);
    let trace = rise_opt::search::optimize(&program, &steps, &Default::default()).trace;
    let run = |limits: &Limits| Run::new(&trace, 2, limits);
    let free = run(&Limits::default());
    assert_eq!(
        (free.past_limit, free.reproducible, &*free.result()),
        (false, true, "found")
    );
    let limits = [
        Limits {
            nodes: Some(100),
            ..Limits::default()
        },
        Limits {
            seconds: Some(0),
            ..Limits::default()
        },
        Limits {
            bytes: Some(0),
            ..Limits::default()
        },
    ];
    for (limits, reproducible) in limits.iter().zip([true, false, false]) {
        let past = run(limits);
        assert!(past.found() && past.past_limit);
        assert_eq!(past.reproducible, reproducible);
        assert_eq!(past.result(), "found past a limit");
    }
}

#[test]
fn names_are_quoted_in_csv() {
    let csv = comparison::csv(&fixed());
    assert!(csv.contains("\"the \"\"other\"\", <old> book\",goal 4"));
    assert_eq!(csv.lines().count(), 1 + 7 * (4 + 3 + 1 + 5 + 11));
}

#[test]
fn the_table_for_people() {
    let mut c = fixed();
    c.goals.truncate(2);
    for goal in &mut c.goals {
        goal.name = goal.name[..6].to_string();
        goal.guided.largest.nodes = 3240;
    }
    let want = "\
limits of both searches: 10 iterations a step, 1 000 000 e-nodes a step, 120 s, 4.00 GB

general
";
    let text = comparison::human(&c);
    assert!(text.starts_with(want), "{text}");
    for line in [
        "goal    search    result       time   memory  iterations    e-nodes  e-classes  applied",
        "goal 1  guided    found      2.25 s  9.00 MB           9      3 240  1 771 470       45",
        "        unguided  saturated  2.50 s  9.00 MB          10  2 361 960  1 771 470       45  \
         >1.11× time, >729× e-nodes",
        "general/goal 1  map-fission 2 000 000 (100%)",
        "general/goal 1  guided    40 120 360 1080 | 40 120 360 | 40 | 40 120 360 1080 3240",
    ] {
        assert!(text.contains(line), "no\n{line}\nin\n{text}");
    }
    c.goals.truncate(1);
    let text = comparison::human(&c);
    for line in ["guided", "  unguided", "lower-5", "2 361 960"] {
        assert!(text.contains(line), "{text}");
    }
}
