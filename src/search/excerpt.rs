//! The part of a graph around its root, for people and for other tools.
//!
//! Comes in: the snapshot of a graph, its root, what the sketch says of it, the
//! term that was taken out; goes out: classes with their nodes, as plain data.
//! Classes are taken from the root on: those of the extracted term first, then
//! by how near they are, where a node whose children satisfy fewer parts of the
//! sketch than its class counts more. Invariants: the same graph gives
//! the same excerpt; a node is there only if its children are, and each class
//! says how many of its nodes are not. Absent: printing.

use super::trace::Size;
use crate::egraph::{Class, Node, Shape, View};
use crate::sketch::Goal;
use crate::term::{Lit, Prim, Term};
use crate::ty::Ty;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

/// What to cut out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// How many classes at most.
    pub classes: usize,
    /// The graph of the step of this name; without one, that of the step that was
    /// run last.
    pub step: Option<String>,
}

/// What was cut out.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The step's name.
    pub step: String,
    /// The whole graph.
    pub whole: Size,
    /// The class of the program.
    pub root: Class,
    /// The parts of the sketch, in the user's words.
    pub parts: Vec<String>,
    /// The classes, from the root on.
    pub classes: Vec<ExcerptClass>,
}

/// A class.
#[derive(Clone, Debug)]
pub struct ExcerptClass {
    /// Its number in the whole graph.
    pub id: Class,
    /// The type of its terms.
    pub ty: Ty,
    /// Size of its smallest term.
    pub size: u32,
    /// The parts of the sketch that it satisfies, by number.
    pub parts: SmallVec<[u16; 4]>,
    /// Nodes over classes that are there.
    pub nodes: Vec<ExcerptNode>,
    /// Nodes over others.
    pub omitted: u32,
}

/// An e-node.
#[derive(Clone, Debug)]
pub struct ExcerptNode {
    /// What it is.
    pub op: ExcerptOp,
    /// The numbers of its children's classes.
    pub children: SmallVec<[Class; 2]>,
    /// Whether the extracted term goes through it.
    pub in_term: bool,
}

/// What an e-node is, without its children.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ExcerptOp {
    /// A bound variable, by its De Bruijn index.
    Var(u32),
    /// A lambda.
    Lam,
    /// An application.
    App,
    /// A primitive.
    Prim(Prim),
    /// A literal.
    Lit(Lit),
}

impl fmt::Display for ExcerptOp {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ExcerptOp::Var(i) => write!(f, "%{i}"),
            ExcerptOp::Lam => f.write_str("lam"),
            ExcerptOp::App => f.write_str("app"),
            ExcerptOp::Prim(p) => write!(f, "{p}"),
            ExcerptOp::Lit(l) => write!(f, "{l}"),
        }
    }
}

impl ExcerptOp {
    /// Its own size, which a term's size sums up.
    pub fn size(self) -> u32 {
        match self {
            ExcerptOp::Prim(p) => p.size(),
            _ => 1,
        }
    }
}

impl Excerpt {
    /// How much of the graph is there.
    pub fn shown(&self) -> Size {
        Size {
            nodes: self.classes.iter().map(|c| c.nodes.len() as u64).sum(),
            classes: self.classes.len() as u64,
        }
    }
}

/// Cuts out at most `limit` classes, and at least the root.
pub(super) fn cut(
    step: &str,
    (view, root): (&View, Class),
    goal: &Goal,
    found: Option<&Term>,
    limit: usize,
) -> Excerpt {
    let marks = goal.marks(view);
    let term: FxHashSet<u32> = found.map_or_else(FxHashSet::default, |t| view.locate(t));
    let classes = nearest(view, root, limit.max(1), &term, &|c| {
        marks.of(c).count() as u32
    });
    let mut there = vec![false; view.len()];
    classes.iter().for_each(|c| there[*c as usize] = true);
    let class = |&id: &Class| {
        let first = view.first_node(id);
        let mut nodes = Vec::new();
        for (i, node) in view.nodes(id).iter().enumerate() {
            if !View::children(node).all(|c| there[c as usize]) {
                continue;
            }
            nodes.push(ExcerptNode {
                op: match node.shape {
                    Shape::Var(i) => ExcerptOp::Var(i),
                    Shape::Lam(_) => ExcerptOp::Lam,
                    Shape::App(_) => ExcerptOp::App,
                    Shape::Prim(p) => ExcerptOp::Prim(p),
                    Shape::Lit(l) => ExcerptOp::Lit(l.get()),
                },
                children: View::children(node).collect(),
                in_term: term.contains(&(first + i as u32)),
            });
        }
        ExcerptClass {
            id,
            ty: view.ty(id),
            size: view.size(id),
            parts: marks.of(id).map(|p| p as u16).collect(),
            omitted: (view.nodes(id).len() - nodes.len()) as u32,
            nodes,
        }
    };
    Excerpt {
        step: step.to_string(),
        whole: Size {
            nodes: view.node_count() as u64,
            classes: view.len() as u64,
        },
        root,
        parts: goal.labels().map(str::to_string).collect(),
        classes: classes.iter().map(class).collect(),
    }
}

/// The classes that are nearest to the root, in this order. They are taken
/// together with those that stand beside them below a node, so that the node is
/// there.
fn nearest(
    view: &View,
    root: Class,
    limit: usize,
    term: &FxHashSet<u32>,
    parts: &dyn Fn(Class) -> u32,
) -> Vec<Class> {
    /// What a node costs at most that satisfies less than its class.
    const FAR: u32 = 3;
    let mut taken = vec![false; view.len()];
    taken[root as usize] = true;
    let mut out = vec![root];
    let mut queue = BinaryHeap::new();
    // How far a class is, how many nodes are above it, and its nodes.
    let enter = |queue: &mut BinaryHeap<_>, far: u32, depth: u32, class: Class| {
        let of_class = parts(class);
        for (n, node) in (view.first_node(class)..).zip(view.nodes(class)) {
            let most = View::children(node).map(parts).max().unwrap_or(0);
            let step = match term.contains(&n) {
                true => 0,
                false => 1 + of_class.saturating_sub(most).min(FAR),
            };
            if !node_is_leaf(node) {
                queue.push(Reverse((far + step, depth, n)));
            }
        }
    };
    enter(&mut queue, 0, 0, root);
    while let Some(Reverse((far, depth, n))) = queue.pop() {
        if out.len() == limit {
            break;
        }
        let mut new: SmallVec<[Class; 2]> = View::children(view.node(n))
            .filter(|c| !taken[*c as usize])
            .collect();
        new.dedup();
        if out.len() + new.len() > limit {
            continue;
        }
        for c in new {
            taken[c as usize] = true;
            out.push(c);
            enter(&mut queue, far, depth + 1, c);
        }
    }
    // Who wants all wants those, too, that the program does not reach.
    if limit >= view.len() {
        out.extend((0..view.len() as Class).filter(|c| !taken[*c as usize]));
    }
    out
}

fn node_is_leaf(node: &Node) -> bool {
    View::children(node).next().is_none()
}
