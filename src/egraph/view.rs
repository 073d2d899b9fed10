//! A read-only snapshot of a rebuilt e-graph with dense class numbers.
//!
//! Searching, checking sketches and extracting read the graph many times
//! between two rebuilds; they do it on flat arrays. Invariant: classes are
//! numbered by ascending canonical id, nodes of a class stand together and in
//! order, so that every pass over a view is deterministic. Absent: changes.

use super::facts::{Facts, Free};
use super::graph::Graph;
use super::node::{LitId, Node, Shape};
use crate::term::{Kind, Term};
use crate::ty::Ty;
use egg::{Id, Language};
use rustc_hash::{FxHashMap, FxHashSet};

/// A class of a [`View`].
pub type Class = u32;

/// The snapshot.
pub struct View {
    ids: Vec<Id>,
    dense: Vec<Class>,
    start: Vec<u32>,
    nodes: Vec<Node>,
    owner: Vec<Class>,
    tys: Vec<Ty>,
    sizes: Vec<u32>,
    free: Vec<Free>,
    heads: Vec<u64>,
    parent_start: Vec<u32>,
    parents: Vec<u32>,
}

impl View {
    /// Takes one of a graph that is rebuilt.
    pub fn new(graph: &Graph) -> View {
        let egg = &graph.egg;
        let mut classes: Vec<_> = egg.classes().collect();
        classes.sort_unstable_by_key(|c| c.id);
        let mut dense = vec![Class::MAX; egg.nodes().len()];
        for (i, c) in classes.iter().enumerate() {
            dense[usize::from(c.id)] = i as Class;
        }
        for id in 0..dense.len() {
            if dense[id] == Class::MAX {
                dense[id] = dense[usize::from(egg.find(Id::from(id)))];
            }
        }
        let total = graph.nodes();
        let mut view = View {
            ids: Vec::with_capacity(classes.len()),
            start: Vec::with_capacity(classes.len() + 1),
            nodes: Vec::with_capacity(total),
            owner: Vec::with_capacity(total),
            tys: Vec::with_capacity(classes.len()),
            sizes: Vec::with_capacity(classes.len()),
            free: Vec::with_capacity(classes.len()),
            heads: Vec::with_capacity(classes.len()),
            parent_start: Vec::new(),
            parents: Vec::new(),
            dense,
        };
        for (i, c) in classes.iter().enumerate() {
            let Facts {
                ty,
                size,
                free,
                heads,
                ..
            } = c.data;
            view.ids.push(c.id);
            view.start.push(view.nodes.len() as u32);
            view.tys.push(ty);
            view.sizes.push(size);
            view.free.push(free);
            view.heads.push(heads);
            for node in &c.nodes {
                let mut node = *node;
                node.update_children(|id| Id::from(view.dense[usize::from(id)] as usize));
                view.nodes.push(node);
                view.owner.push(i as Class);
            }
        }
        view.start.push(view.nodes.len() as u32);
        view.index_parents();
        view
    }

    /// Bytes that the snapshot of a graph takes while it is made, at most.
    pub fn bytes(graph: &Graph) -> u64 {
        use std::mem::size_of;
        let node = size_of::<Node>() + size_of::<Class>() + 2 * size_of::<u32>();
        // Its fields, the list of all classes, and the parents counted twice.
        let class = size_of::<Id>() + size_of::<Ty>() + size_of::<Free>() + 8 + 8 + 5 * 4;
        let ids = graph.egg.nodes().len() * size_of::<Class>();
        (graph.nodes() * node + graph.classes() * class + ids) as u64
    }

    fn index_parents(&mut self) {
        let mut count = vec![0u32; self.ids.len() + 1];
        for n in &self.nodes {
            n.for_each(|c| count[usize::from(c) + 1] += 1);
        }
        for i in 1..count.len() {
            count[i] += count[i - 1];
        }
        self.parent_start = count.clone();
        self.parents = vec![0; *count.last().unwrap_or(&0) as usize];
        for (i, n) in self.nodes.iter().enumerate() {
            n.for_each(|c| {
                let at = &mut count[usize::from(c)];
                self.parents[*at as usize] = i as u32;
                *at += 1;
            });
        }
    }

    /// Number of classes; they are `0..len`.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The class of an id of the graph.
    pub fn class(&self, id: Id) -> Class {
        self.dense[usize::from(id)]
    }

    /// The canonical id of a class.
    pub fn id(&self, c: Class) -> Id {
        self.ids[c as usize]
    }

    /// The nodes of a class; their children are classes, see [`View::children`].
    pub fn nodes(&self, c: Class) -> &[Node] {
        let c = c as usize;
        &self.nodes[self.start[c] as usize..self.start[c + 1] as usize]
    }

    /// Number of the first node of a class among all nodes.
    pub fn first_node(&self, c: Class) -> u32 {
        self.start[c as usize]
    }

    /// A node by its number among all nodes.
    pub fn node(&self, n: u32) -> &Node {
        &self.nodes[n as usize]
    }

    /// The class in which a node stands.
    pub fn owner(&self, n: u32) -> Class {
        self.owner[n as usize]
    }

    /// The nodes that have the class as a child, once for each time they do.
    pub fn parents(&self, c: Class) -> &[u32] {
        let c = c as usize;
        &self.parents[self.parent_start[c] as usize..self.parent_start[c + 1] as usize]
    }

    /// The children of a node of this view.
    pub fn children(node: &Node) -> impl Iterator<Item = Class> + '_ {
        node.children().iter().map(|c| usize::from(*c) as Class)
    }

    /// The type of a class.
    pub fn ty(&self, c: Class) -> Ty {
        self.tys[c as usize]
    }

    /// Size of its smallest term.
    pub fn size(&self, c: Class) -> u32 {
        self.sizes[c as usize]
    }

    /// Variables that may occur free.
    pub fn free(&self, c: Class) -> Free {
        self.free[c as usize]
    }

    /// Heads, see [`super::Heads`].
    pub fn heads(&self, c: Class) -> u64 {
        self.heads[c as usize]
    }

    /// For every class the size of the smallest term of `root` that passes
    /// through it, less the size of the class itself; `u32::MAX` for a class
    /// that none of at most `limit` nodes passes through.
    pub fn contexts(&self, root: Class, limit: u32) -> Vec<u32> {
        let mut context = vec![u32::MAX; self.len()];
        if self.size(root) > limit {
            return context;
        }
        // Costs are small integers: a queue of buckets instead of a heap.
        let mut buckets: Vec<Vec<Class>> = vec![vec![root]];
        context[root as usize] = 0;
        let mut cost = 0;
        while cost < buckets.len() {
            for c in std::mem::take(&mut buckets[cost]) {
                if context[c as usize] != cost as u32 {
                    continue;
                }
                for node in self.nodes(c) {
                    let below =
                        View::children(node).fold(1u32, |s, k| s.saturating_add(self.size(k)));
                    for k in View::children(node) {
                        let up = (cost as u32).saturating_add(below - self.size(k));
                        let through = up.saturating_add(self.size(k));
                        if through <= limit && up < context[k as usize] {
                            context[k as usize] = up;
                            if buckets.len() <= up as usize {
                                buckets.resize_with(up as usize + 1, Vec::new);
                            }
                            buckets[up as usize].push(k);
                        }
                    }
                }
            }
            cost += 1;
        }
        context
    }

    /// The nodes, by their numbers, that stand for the sub-terms of a term; those that
    /// are not there are left out.
    pub fn locate(&self, term: &Term) -> FxHashSet<u32> {
        let mut leaves = FxHashMap::default();
        for (n, node) in (0..).zip(&self.nodes) {
            if node.children().is_empty() {
                leaves.insert(*node, n);
            }
        }
        let mut found = FxHashMap::default();
        self.locate_in(term, &leaves, &mut found);
        found.into_values().flatten().collect()
    }

    fn locate_in(
        &self,
        term: &Term,
        leaves: &FxHashMap<Node, u32>,
        found: &mut FxHashMap<usize, Option<u32>>,
    ) -> Option<u32> {
        if let Some(known) = found.get(&term.address()) {
            return *known;
        }
        let leaf = |shape| leaves.get(&Node::new(shape, term.ty())).copied();
        let mut class = |t: &Term| {
            let n = self.locate_in(t, leaves, found)?;
            Some(self.owner(n))
        };
        let id = |c: Class| Id::from(c as usize);
        let over = |child: Class, shape: Shape| {
            let sought = Node::new(shape, term.ty());
            let mut parents = self.parents(child).iter();
            parents.find(|n| *self.node(**n) == sought).copied()
        };
        let here = match term.kind() {
            Kind::Var(i) => leaf(Shape::Var(*i)),
            Kind::Prim(p) => leaf(Shape::Prim(*p)),
            Kind::Lit(l) => leaf(Shape::Lit(LitId::new(*l))),
            Kind::Lam(_, b) => class(b).and_then(|b| over(b, Shape::Lam([id(b)]))),
            Kind::App(f, x) => match (class(f), class(x)) {
                (Some(f), Some(x)) => {
                    let fewer = if self.parents(f).len() < self.parents(x).len() {
                        f
                    } else {
                        x
                    };
                    over(fewer, Shape::App([id(f), id(x)]))
                }
                _ => None,
            },
            Kind::Hole(_) => None,
        };
        found.insert(term.address(), here);
        here
    }

    /// Whether a class holds exactly the variable `i` among other nodes.
    pub fn is_var(&self, c: Class, i: u32) -> bool {
        // Variables come first in a class.
        self.nodes(c)
            .iter()
            .take_while(|n| matches!(n.shape, Shape::Var(_)))
            .any(|n| n.shape == Shape::Var(i))
    }
}
