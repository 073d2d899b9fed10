//! The forest of unions: ways between e-nodes, and e-nodes by their content.
//!
//! Comes in: the e-nodes as they were made and the edges in order of time; goes
//! out: the way between two nodes of a class, and a node that equals another in
//! the graph, then or now. Each union joined two classes, so the edges of a class
//! form a tree, and the way between two nodes that were equal at some time
//! consists of edges from before that time.

use crate::egraph::{Edge, Id, Node};
use rustc_hash::FxHashMap;

/// No node.
const NONE: u32 = u32::MAX;

pub struct Forest<'a> {
    nodes: &'a [Node],
    edges: Vec<Edge>,
    /// How many edges there were whenever the graph was rebuilt.
    rebuilt: Vec<u32>,
    /// By node the edge towards the root of its tree, and how far that is.
    up: Vec<u32>,
    depth: Vec<u32>,
    /// Union-find without shortcuts: parent, and at which edge it became that.
    joined: Vec<u32>,
    when: Vec<u32>,
    /// By node the class at the end.
    class: Vec<u32>,
    /// By content over classes the first node; and the next for each.
    first: FxHashMap<Node, u32>,
    next: Vec<u32>,
}

/// One edge of a way.
#[derive(Copy, Clone, Debug)]
pub struct Hop {
    /// Which edge.
    pub edge: u32,
    /// Whether from its `from` to its `to`.
    pub forward: bool,
}

impl<'a> Forest<'a> {
    pub fn new(nodes: &'a [Node], edges: Vec<Edge>, rebuilt: Vec<u32>) -> Forest<'a> {
        let n = nodes.len();
        let mut f = Forest {
            nodes,
            edges,
            rebuilt,
            up: vec![NONE; n],
            depth: vec![0; n],
            joined: (0..n as u32).collect(),
            when: vec![NONE; n],
            class: Vec::new(),
            first: FxHashMap::default(),
            next: vec![NONE; n],
        };
        f.join();
        f.class = (0..n as u32).map(|i| f.root_at(i, NONE)).collect();
        f.grow();
        for i in (0..n as u32).rev() {
            let key = f.over_classes(nodes[i as usize]);
            if let Some(old) = f.first.insert(key, i) {
                f.next[i as usize] = old;
            }
        }
        f
    }

    fn join(&mut self) {
        let mut size = vec![1u32; self.nodes.len()];
        for t in 0..self.edges.len() {
            let Edge { from, to, .. } = self.edges[t];
            let (mut a, mut b) = (self.root_at(from, NONE), self.root_at(to, NONE));
            if size[a as usize] < size[b as usize] {
                std::mem::swap(&mut a, &mut b);
            }
            self.joined[b as usize] = a;
            self.when[b as usize] = t as u32;
            size[a as usize] += size[b as usize];
        }
    }

    /// The class of a node as of the edges before `time`.
    fn root_at(&self, mut i: u32, time: u32) -> u32 {
        while self.joined[i as usize] != i && self.when[i as usize] < time {
            i = self.joined[i as usize];
        }
        i
    }

    /// Gives every tree a root.
    fn grow(&mut self) {
        let n = self.nodes.len();
        let mut start = vec![0u32; n + 1];
        for e in &self.edges {
            start[e.from as usize + 1] += 1;
            start[e.to as usize + 1] += 1;
        }
        for i in 1..=n {
            start[i] += start[i - 1];
        }
        let mut at = start.clone();
        let mut around = vec![0u32; 2 * self.edges.len()];
        for (t, e) in self.edges.iter().enumerate() {
            for end in [e.from, e.to] {
                around[at[end as usize] as usize] = t as u32;
                at[end as usize] += 1;
            }
        }
        let mut seen = vec![false; n];
        let mut queue = Vec::new();
        for root in 0..n as u32 {
            if seen[root as usize] {
                continue;
            }
            seen[root as usize] = true;
            queue.push(root);
            while let Some(i) = queue.pop() {
                for t in &around[start[i as usize] as usize..start[i as usize + 1] as usize] {
                    let e = self.edges[*t as usize];
                    let other = if e.from == i { e.to } else { e.from };
                    if !seen[other as usize] {
                        seen[other as usize] = true;
                        self.up[other as usize] = *t;
                        self.depth[other as usize] = self.depth[i as usize] + 1;
                        queue.push(other);
                    }
                }
            }
        }
    }

    /// Whether two nodes were equal before an edge.
    pub fn equal_before(&self, a: u32, b: u32, time: u32) -> bool {
        a == b || self.root_at(a, time) == self.root_at(b, time)
    }

    fn over_classes(&self, node: Node) -> Node {
        node.over(|id| Id::from(self.class[usize::from(id)] as usize))
    }

    pub fn edge(&self, i: u32) -> Edge {
        self.edges[i as usize]
    }

    pub fn node(&self, i: u32) -> Node {
        self.nodes[i as usize]
    }

    /// The way between two nodes; `None` if they are of different classes.
    pub fn way(&self, a: u32, b: u32) -> Option<Vec<Hop>> {
        if self.class[a as usize] != self.class[b as usize] {
            return None;
        }
        let (mut ahead, mut back) = (Vec::new(), Vec::new());
        let (mut x, mut y) = (a, b);
        while x != y {
            if self.depth[x as usize] >= self.depth[y as usize] {
                let edge = self.up[x as usize];
                let e = self.edge(edge);
                let forward = e.from == x;
                ahead.push(Hop { edge, forward });
                x = if forward { e.to } else { e.from };
            } else {
                let edge = self.up[y as usize];
                let e = self.edge(edge);
                let forward = e.to == y;
                back.push(Hop { edge, forward });
                y = if forward { e.from } else { e.to };
            }
        }
        ahead.extend(back.into_iter().rev());
        Some(ahead)
    }

    /// A node of this content, as rules saw the graph that were applied at an edge.
    pub fn find(&self, node: Node, edge: u32) -> Option<u32> {
        let seen = self.rebuilt.partition_point(|t| *t <= edge);
        let time = self.rebuilt[seen.checked_sub(1)?];
        let mut at = *self.first.get(&self.over_classes(node))?;
        while at != NONE {
            let there = self.nodes[at as usize];
            let same = |a: &Id, b: &Id| {
                let [a, b] = [a, b].map(|i| usize::from(*i) as u32);
                self.equal_before(a, b, time)
            };
            if (there.operands().iter().zip(node.operands())).all(|(a, b)| same(a, b)) {
                return Some(at);
            }
            at = self.next[at as usize];
        }
        None
    }

    /// The node of exactly this content.
    pub fn exact(&self, node: Node) -> Option<u32> {
        let mut at = *self.first.get(&self.over_classes(node))?;
        while at != NONE {
            if self.nodes[at as usize] == node {
                return Some(at);
            }
            at = self.next[at as usize];
        }
        None
    }
}
