//! E-graphs that are written: the JSON is what other tools read, the DOT is well formed, what is left out is said.

use egraph_serialize::{ClassId, EGraph, NodeId};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn rise_opt(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1");
    command.output().unwrap()
}

const BLOCKING: [&str; 3] = ["programs/mm.rise", "--sketch", "sketches/mm/blocking.sk"];

struct Shown {
    _dir: TempDir,
    /// What was said: the summary, or why the goal was not reached.
    said: String,
    code: Option<i32>,
    json: String,
    dot: String,
}

impl Shown {
    fn new(flags: &[&str]) -> Shown {
        let dir = tempfile::tempdir().unwrap();
        let args = [&BLOCKING[..], &["--emit", "egraph,dot"], flags].concat();
        let output = rise_opt(dir.path(), &args);
        let text = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
        Shown {
            said: out + &err,
            code: output.status.code(),
            json: text("mm.egraph.json"),
            dot: text("mm.dot"),
            _dir: dir,
        }
    }

    /// The graph as the format's own library reads it.
    fn graph(&self) -> EGraph {
        serde_json::from_str(&self.json).unwrap()
    }

    fn field(&self, name: &str) -> serde_json::Value {
        let whole: serde_json::Value = serde_json::from_str(&self.json).unwrap();
        whole[name].clone()
    }
}

/// Children are there, classes have data, everything hangs on the root.
fn well_formed(g: &EGraph) {
    let mut reached: BTreeSet<&ClassId> = g.root_eclasses.iter().collect();
    let mut next: Vec<&ClassId> = g.root_eclasses.iter().collect();
    while let Some(class) = next.pop() {
        for node in &g[class].nodes {
            for child in &g[node].children {
                assert!(g.nodes.contains_key(child), "{child:?}");
                let below = g.nid_to_cid(child);
                if reached.insert(below) {
                    next.push(below);
                }
            }
        }
    }
    // What rules made on their way is in no term of the program's.
    let all = reached.len() == g.classes().len();
    assert!(all || g.class_data.values().all(|d| d.extra["omitted"] == "0"));
    for (id, _) in g.classes() {
        let data = &g.class_data[id];
        assert!(data.typ.as_ref().is_some_and(|t| !t.is_empty()));
        assert!(data.extra["smallest"].parse::<u32>().unwrap() >= 1);
    }
    for node in g.nodes.values() {
        let children = match &*node.op {
            "app" => 2,
            "lam" => 1,
            _ => 0,
        };
        assert_eq!(node.children.len(), children, "{node:?}");
    }
}

/// Every statement is one of those that are written, and arrows lead from nodes to nodes.
fn well_formed_dot(dot: &str) {
    let mut nodes = BTreeSet::new();
    let mut arrows = Vec::new();
    let lines: Vec<&str> = dot.lines().collect();
    assert_eq!(
        (lines[0], lines[lines.len() - 1]),
        ("digraph egraph {", "}")
    );
    for line in &lines[1..lines.len() - 1] {
        assert!(!line.contains("[,") && !line.contains(", ]"), "{line}");
        let quotes = line
            .replace("\\\\", "")
            .replace("\\\"", "")
            .matches('"')
            .count();
        assert!(quotes % 2 == 0, "{line}");
        if line.trim().starts_with("subgraph") {
            for part in line.split("; n").skip(1) {
                nodes.insert(format!("n{}", part.split(' ').next().unwrap()));
            }
            assert!(line.ends_with("; }"), "{line}");
        } else if let Some((from, to)) = line.split_once(" -> ") {
            let to = to.split(' ').next().unwrap();
            arrows.extend([from.trim().to_string(), to.to_string()]);
        } else {
            assert!(line.ends_with(';'), "{line}");
        }
    }
    for name in arrows {
        assert!(nodes.contains(&name), "{name}");
    }
}

#[test]
fn a_part_of_the_graph_is_cut_out_and_says_so() {
    let shown = Shown::new(&["--egraph-classes", "60"]);
    assert_eq!(shown.code, Some(0), "{}", shown.said);
    let g = shown.graph();
    well_formed(&g);
    well_formed_dot(&shown.dot);
    assert_eq!(g.classes().len(), 60);
    assert_eq!(shown.field("shown")["classes"], 60);
    let whole = shown.field("whole");
    let all = whole["classes"].as_u64().unwrap();
    assert!(all > 1000);
    let says = shown.field("showing");
    let says = says.as_str().unwrap();
    assert!(says.starts_with("showing 60 of 2 "), "{says}");
    assert!(shown.dot.lines().nth(1).unwrap().contains(says));
    assert!(shown.said.contains(says), "{}", shown.said);
    // The op of a placeholder says how many nodes are missing.
    let omitted: u64 = (g.class_data.values())
        .map(|d| d.extra["omitted"].parse::<u64>().unwrap())
        .sum();
    assert!(omitted > 0);
    let placeholders = g.nodes.values().filter(|n| n.op.starts_with('…'));
    let told: u64 = placeholders
        .map(|n| {
            let digits: String = n.op.chars().filter(char::is_ascii_digit).collect();
            digits.parse::<u64>().unwrap()
        })
        .sum();
    assert_eq!(told, omitted);
}

#[test]
fn the_extracted_term_and_the_sketch_are_shown_first() {
    let g = Shown::new(&[]).graph();
    assert_eq!(g.classes().len(), 200);
    let ops: BTreeSet<&str> = g.nodes.values().map(|n| &*n.op).collect();
    for op in [
        "%0",
        "app",
        "lam",
        "split[32]",
        "split[4]",
        "reduceSeq",
        "0.0",
    ] {
        assert!(ops.contains(op), "{op} of {ops:?}");
    }
    // The root satisfies the whole sketch, and the term goes from it down to its leaves.
    let root = &g.class_data[&g.root_eclasses[0]];
    assert!(root.extra["satisfies"].starts_with("0 "), "{root:?}");
    let of_term = |id: &ClassId| g.class_data[id].extra["in_term"] == "yes";
    assert!(of_term(&g.root_eclasses[0]));
    let leaf = |id: &NodeId| g[id].is_leaf() && !g[id].op.starts_with('…');
    let mut leaves = g.classes().iter().filter(|(id, _)| of_term(id));
    assert!(leaves.any(|(_, c)| c.nodes.iter().any(leaf)));
}

#[test]
fn small_graphs_are_shown_whole_and_every_run_shows_the_same() {
    let flags = ["--egraph-step", "split", "--egraph-classes", "100000"];
    let [a, b] = [0, 1].map(|_| Shown::new(&flags));
    assert_eq!((&a.json, &a.dot), (&b.json, &b.dot));
    let g = a.graph();
    well_formed(&g);
    well_formed_dot(&a.dot);
    assert_eq!(a.field("step"), "split");
    assert!(g.class_data.values().all(|d| d.extra["omitted"] == "0"));
    let says = a.field("showing");
    let nodes = a.field("whole")["nodes"].as_u64().unwrap();
    assert_eq!(g.nodes.len() as u64, nodes);
    assert!(says.as_str().unwrap().starts_with("showing all "), "{says}");
    // One class is the least that can be shown.
    let least = Shown::new(&["--egraph-classes", "0"]).graph();
    assert_eq!(least.classes().len(), 1);
}

#[test]
fn a_goal_that_is_not_reached_leaves_its_graph() {
    let shown = Shown::new(&["--iter-limit", "2"]);
    assert_eq!(shown.code, Some(3), "{}", shown.said);
    assert!(
        shown.said.contains("written: mm.egraph.json mm.dot"),
        "{}",
        shown.said
    );
    assert!(shown.field("whole")["nodes"].as_u64().unwrap() > 50);
    well_formed(&shown.graph());
    well_formed_dot(&shown.dot);
    assert!(shown
        .graph()
        .class_data
        .values()
        .all(|d| d.extra["in_term"] == "no"));
    // Nothing of what there is not.
    let dir = tempfile::tempdir().unwrap();
    let args = [&BLOCKING[..], &["--emit", "c,trace", "--iter-limit", "2"]].concat();
    rise_opt(dir.path(), &args);
    let names = fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["mm.trace.json"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |args: &[&str], says: &[&str]| {
        let output = rise_opt(dir.path(), args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        for words in says {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    };
    let with = |flags: &[&'static str]| [&BLOCKING[..], flags].concat();
    refused(
        &with(&["--emit", "dot", "--egraph-step", "splt"]),
        &["E0607", "`splt`", "did you mean `split`"],
    );
    refused(
        &with(&["--emit", "dot", "--egraph-step", "lower"]),
        &["E0607", "the steps are `split`, `reorder`"],
    );
    refused(
        &["programs/mm.rise", "--plain", "--emit", "egraph"],
        &["E0607", "--sketch"],
    );
    refused(&with(&["--egraph-classes", "9"]), &["--emit"]);
    refused(&["--replay", "p.json", "--emit", "dot"], &["--replay"]);
}
