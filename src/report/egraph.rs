//! The part of an e-graph that was cut out, for other tools: JSON and DOT.
//!
//! In: the excerpt, and what made it. Out: the format of the crate egraph-serialize, with `kind` and `version` in front
//! and what is shown beside the nodes, which its readers pass over; or a graph for Graphviz, a box for each class,
//! where the extracted term is thick and what is not shown is said. Nothing is held as text: both are written as they
//! are made, so that a graph of a million e-nodes takes no more memory than its excerpt. Absent: which part is shown.

use super::number::count;
use super::saved::{self, EGRAPH};
use crate::search::trace::Size;
use crate::search::{Excerpt, ExcerptClass, ExcerptNode};
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io::{self, Write};

/// Characters of a type or of words of a sketch in a box.
const LABEL: usize = 60;

/// How much of which graph is shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExcerptExtent {
    pub step: String,
    pub shown: Size,
    pub whole: Size,
}

impl ExcerptExtent {
    pub fn of(c: &Excerpt) -> ExcerptExtent {
        ExcerptExtent {
            step: c.step.clone(),
            shown: c.shown(),
            whole: c.whole,
        }
    }

    /// `showing 200 of 41 032 classes, 612 of 121 000 e-nodes`
    pub fn showing(&self) -> String {
        let of = |a, b, what: &str| {
            if a == b {
                format!("all {} {what}", count(b))
            } else {
                format!("{} of {} {what}", count(a), count(b))
            }
        };
        let (shown, whole) = (self.shown, self.whole);
        format!(
            "showing {}, {}",
            of(shown.classes, whole.classes, "classes"),
            of(shown.nodes, whole.nodes, "e-nodes")
        )
    }
}

/// Writes `--emit egraph`.
pub fn egraph_json(
    c: &Excerpt,
    program: &str,
    command: &str,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let excerpt = ExcerptExtent::of(c);
    let file = EgraphFile {
        rise_opt: env!("CARGO_PKG_VERSION"),
        command,
        program,
        showing: excerpt.showing(),
        excerpt,
        sketch: &c.parts,
        nodes: Nodes(c),
        root_eclasses: [c.root.to_string()],
        class_data: Classes(c),
    };
    saved::stream(&EGRAPH, &file, &mut out)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct EgraphFile<'a> {
    rise_opt: &'a str,
    command: &'a str,
    program: &'a str,
    showing: String,
    #[serde(flatten)]
    excerpt: ExcerptExtent,
    /// The parts of the sketch; classes name those that they satisfy by number.
    sketch: &'a [String],
    nodes: Nodes<'a>,
    root_eclasses: [String; 1],
    class_data: Classes<'a>,
}

/// Text that is made when it is written.
struct Shown<T>(T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(&self.0)
    }
}

/// A child is named by a node of its class, which is its first one.
struct Child(u32);

impl Serialize for Child {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(&format_args!("{}.0", self.0))
    }
}

struct Children<'a>(&'a [u32]);

impl Serialize for Children<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut seq = s.serialize_seq(Some(self.0.len()))?;
        for c in self.0 {
            seq.serialize_element(&Child(*c))?;
        }
        seq.end()
    }
}

#[derive(Serialize)]
#[serde(bound = "T: Display")]
struct NodeOut<'a, T: Display> {
    op: Shown<T>,
    children: Children<'a>,
    eclass: Shown<u32>,
    cost: f64,
    subsumed: bool,
}

struct Nodes<'a>(&'a Excerpt);

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        for class in &self.0.classes {
            let eclass = || Shown(class.id);
            for (i, node) in class.nodes.iter().enumerate() {
                let out = NodeOut {
                    op: Shown(node.op),
                    children: Children(&node.children),
                    eclass: eclass(),
                    cost: f64::from(node.op.size()),
                    subsumed: false,
                };
                map.serialize_entry(&Shown(format_args!("{}.{i}", class.id)), &out)?;
            }
            // Every class has a node, so that every child is there.
            if class.omitted > 0 {
                let out = NodeOut {
                    op: Shown(more(class)),
                    children: Children(&[]),
                    eclass: eclass(),
                    cost: f64::from(class.size),
                    subsumed: false,
                };
                let i = class.nodes.len();
                map.serialize_entry(&Shown(format_args!("{}.{i}", class.id)), &out)?;
            }
        }
        map.end()
    }
}

/// `… 12 more`
fn more(class: &ExcerptClass) -> String {
    match class.nodes.len() {
        0 => format!("… {}", count(u64::from(class.omitted))),
        _ => format!("… {} more", count(u64::from(class.omitted))),
    }
}

#[derive(Serialize)]
struct ClassOut {
    #[serde(rename = "type")]
    ty: String,
    /// Readers of the format take text only.
    smallest: Shown<u32>,
    omitted: Shown<u32>,
    satisfies: String,
    in_term: &'static str,
}

struct Classes<'a>(&'a Excerpt);

impl Serialize for Classes<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(Some(self.0.classes.len()))?;
        for class in &self.0.classes {
            let parts: Vec<_> = class.parts.iter().map(|p| p.to_string()).collect();
            let out = ClassOut {
                ty: class.ty.to_string(),
                smallest: Shown(class.size),
                omitted: Shown(class.omitted),
                satisfies: parts.join(" "),
                in_term: if in_term(class) { "yes" } else { "no" },
            };
            map.serialize_entry(&Shown(class.id), &out)?;
        }
        map.end()
    }
}

fn in_term(class: &ExcerptClass) -> bool {
    class.nodes.iter().any(|n| n.in_term)
}

/// Writes `--emit dot`.
pub fn egraph_dot(c: &Excerpt, program: &str, out: &mut dyn Write) -> io::Result<()> {
    let title = format!(
        "{program}, step {}: {}",
        c.step,
        ExcerptExtent::of(c).showing()
    );
    writeln!(out, "digraph egraph {{")?;
    writeln!(
        out,
        "  label={}; labelloc=t; fontname=sans;",
        quoted(&title)
    )?;
    writeln!(out, "  compound=true; ranksep=0.6; nodesep=0.1;")?;
    writeln!(
        out,
        "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=sans, height=0.3, margin=\"0.08,0.03\"];"
    )?;
    writeln!(out, "  edge [arrowsize=0.5];")?;
    for class in &c.classes {
        dot_class(c, class, out)?;
    }
    for class in &c.classes {
        for (i, node) in class.nodes.iter().enumerate() {
            dot_edges(class, i, node, out)?;
        }
    }
    writeln!(out, "}}")
}

fn dot_class(c: &Excerpt, class: &ExcerptClass, out: &mut dyn Write) -> io::Result<()> {
    let id = class.id;
    let mut label = format!("{id} : {}", short(&class.ty.to_string()));
    // The words of the largest part say most; parts stand before what they hold.
    if let Some(part) = class
        .parts
        .first()
        .and_then(|p| c.parts.get(usize::from(*p)))
    {
        label += &format!("\n{}", short(part));
    }
    let fill = if class.parts.is_empty() {
        "gray95"
    } else {
        "lightyellow"
    };
    let width = if id == c.root { 3 } else { 1 };
    write!(
        out,
        "  subgraph cluster_{id} {{ label={}; style=filled; fillcolor={fill}; penwidth={width};",
        quoted(&label)
    )?;
    for (i, node) in class.nodes.iter().enumerate() {
        let width = if node.in_term { ", penwidth=2.5" } else { "" };
        let op = quoted(&short(&node.op.to_string()));
        write!(out, " n{id}_{i} [label={op}{width}];")?;
    }
    if class.omitted > 0 {
        let i = class.nodes.len();
        let op = quoted(&more(class));
        write!(out, " n{id}_{i} [label={op}, style=dashed];")?;
    }
    writeln!(out, " }}")
}

fn dot_edges(
    class: &ExcerptClass,
    i: usize,
    node: &ExcerptNode,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (at, child) in node.children.iter().enumerate() {
        let mut marks = Vec::new();
        // An arrow inside of a box cannot end at its border.
        if *child != class.id {
            marks.push(format!("lhead=cluster_{child}"));
        }
        // The argument of an application; the function has no mark.
        if at == 1 {
            marks.push("arrowhead=empty".to_string());
        }
        if node.in_term {
            marks.push("penwidth=2".to_string());
        }
        let (from, marks) = (class.id, marks.join(", "));
        writeln!(out, "  n{from}_{i} -> n{child}_0 [{marks}];")?;
    }
    Ok(())
}

fn short(text: &str) -> String {
    if text.chars().count() > LABEL {
        text.chars().take(LABEL - 1).chain(['…']).collect()
    } else {
        text.to_string()
    }
}

/// A string of DOT.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}
