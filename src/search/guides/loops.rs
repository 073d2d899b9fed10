//! The loops of a program and those that a goal makes of them.
//!
//! In: a term, a sketch. Out: the loops of the term as a tree; the sketch of the term's own nest with each loop taken apart as the
//! goal has it, in the order of the program: what is reached by taking loops apart alone. Absent: rules, searching.

use crate::arith::Nat;
use crate::elab::{Sketch, SketchKind, TyPattern};
use crate::term::{Kind, Op, Term};

/// In the place of a sketch: whatever there is.
pub(super) fn any(s: &Sketch) -> Sketch {
    s.with(SketchKind::Any)
}

/// A sketch somewhere below its place.
pub(super) fn contains(s: Sketch) -> Sketch {
    match s.kind {
        SketchKind::Any | SketchKind::Contains(_) => s,
        _ => s.with(SketchKind::Contains(Box::new(s.clone()))),
    }
}

/// A loop of a term, and those in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    reduces: bool,
    n: Nat,
    inside: Vec<Node>,
}

fn reduces(op: Op) -> Option<bool> {
    match op {
        Op::Map | Op::MapSeq | Op::MapPar | Op::MapSeqUnroll => Some(false),
        Op::Reduce | Op::ReduceSeq | Op::ReduceSeqUnroll => Some(true),
        _ => None,
    }
}

/// The loops of a term, outermost first.
pub(super) fn of_term(t: &Term) -> Vec<Node> {
    let (head, args) = t.spine();
    let op = match head.kind() {
        Kind::Prim(p) => reduces(p.op()),
        _ => None,
    };
    let length = op.and_then(|reduces| {
        let (inputs, _) = head.ty().uncurried();
        Some((reduces, inputs.last()?.as_array()?.0))
    });
    let mut out = Vec::new();
    let mut rest = &args[..];
    if let (Some((reduces, n)), [f, more @ ..]) = (length, &args[..]) {
        out.push(Node {
            reduces,
            n,
            inside: of_term(f),
        });
        rest = more;
    }
    match t.kind() {
        Kind::Lam(_, b) => out.extend(of_term(b)),
        _ if args.is_empty() => {}
        _ => {
            if length.is_none() {
                out.extend(of_term(head));
            }
            out.extend(rest.iter().flat_map(|t| of_term(t)));
        }
    }
    out
}

/// A loop that a sketch asks for: what it does, over how many elements, with what inside, over what.
pub(super) struct Asked<'a> {
    op: Op,
    n: Nat,
    body: &'a Sketch,
    others: Vec<&'a Sketch>,
}

/// The loop that a sketch is of, if it is of one.
pub(super) fn asked(s: &Sketch) -> Option<Asked<'_>> {
    let mut inner = s;
    while let SketchKind::Contains(b) | SketchKind::Written(b) = &inner.kind {
        inner = b;
    }
    let (head, args) = inner.spine();
    let SketchKind::Typed(op, t) = &head.kind else {
        return None;
    };
    let SketchKind::Prim(op, _) = op.kind else {
        return None;
    };
    let skipped = if reduces(op)? { 2 } else { 1 };
    let mut t = t;
    for _ in 0..skipped {
        let TyPattern::Fun(_, rest) = t else {
            return None;
        };
        t = rest;
    }
    let TyPattern::Fun(input, _) = t else {
        return None;
    };
    let TyPattern::Array(Some(n), _) = **input else {
        return None;
    };
    let (body, others) = args.split_first()?;
    Some(Asked {
        op,
        n,
        body,
        others: others.to_vec(),
    })
}

/// How many loops of a kind lie one in the other.
#[derive(Clone)]
struct Count {
    op: Op,
    n: Nat,
    count: usize,
}

/// In the order in which a goal has them, so that nothing depends on numbers of sizes.
#[derive(Clone, Default)]
struct Counts(Vec<Count>);

impl Counts {
    fn of(&mut self, op: Op, n: Nat) -> &mut usize {
        let same = |c: &Count| reduces(c.op) == reduces(op) && c.n == n;
        let at = match self.0.iter().position(same) {
            Some(at) => at,
            None => {
                self.0.push(Count { op, n, count: 0 });
                self.0.len() - 1
            }
        };
        &mut self.0[at].count
    }

    fn join(&mut self, more: Counts) {
        for c in more.0 {
            let known = self.of(c.op, c.n);
            *known = c.count.max(*known);
        }
    }
}

/// The most loops of each kind that lie one in the other anywhere.
fn counts(s: &Sketch) -> Counts {
    let mut out = Counts::default();
    match asked(s) {
        Some(l) => {
            let inside = counts(l.body);
            let more = inside
                .0
                .iter()
                .find(|c| reduces(c.op) == reduces(l.op) && c.n == l.n);
            *out.of(l.op, l.n) = 1 + more.map_or(0, |c| c.count);
            out.join(inside);
            l.others.iter().for_each(|o| out.join(counts(o)));
        }
        None => {
            let all = s.kind.asked_for();
            all.into_iter().for_each(|c| out.join(counts(c)));
        }
    }
    out
}

/// What the innermost of the most loops does.
fn innermost(s: &Sketch) -> (usize, Sketch) {
    let deeper = |all: Vec<&Sketch>| {
        let mut best: Option<(usize, Sketch)> = None;
        for one in all {
            let found = innermost(one);
            if found.0 > best.as_ref().map_or(0, |b| b.0) {
                best = Some(found);
            }
        }
        best
    };
    match asked(s) {
        Some(l) => {
            let inside = innermost(l.body);
            let beside = deeper(l.others).filter(|b| b.0 > inside.0 + 1);
            beside.unwrap_or((inside.0 + 1, inside.1))
        }
        None => deeper(s.kind.asked_for()).unwrap_or((0, s.clone())),
    }
}

/// The sizes in the types of a sketch.
fn sizes(s: &Sketch, out: &mut Vec<Nat>) {
    fn of(t: &TyPattern, out: &mut Vec<Nat>) {
        match t {
            TyPattern::Array(n, t) | TyPattern::Vec(n, t) => {
                out.extend(*n);
                of(t, out);
            }
            TyPattern::Pair(a, b) | TyPattern::Fun(a, b) => {
                of(a, out);
                of(b, out);
            }
            _ => {}
        }
    }
    if let SketchKind::Typed(_, t) = &s.kind {
        of(t, out);
    }
    s.kind.children().into_iter().for_each(|c| sizes(c, out));
}

/// Loops one in the other, and nests in the innermost.
struct Nest {
    loops: Vec<(Op, Nat)>,
    inside: Vec<Nest>,
}

impl Nest {
    fn depth(&self) -> usize {
        self.loops.len() + self.inside.iter().map(Nest::depth).max().unwrap_or(0)
    }

    fn sketch(&self, like: &Sketch, leaf: &Sketch) -> Sketch {
        let mut body = all(&self.inside, like, leaf);
        for (op, n) in self.loops.iter().rev() {
            body = loop_over(like, *op, *n, body);
        }
        body
    }
}

/// Each of some nests; what the innermost loop does stands in the deepest.
fn all(nests: &[Nest], like: &Sketch, leaf: &Sketch) -> Sketch {
    let nothing = any(like);
    let deepest = (0..nests.len()).max_by_key(|i| (nests[*i].depth(), usize::MAX - i));
    let each = |(i, nest): (usize, &Nest)| {
        nest.sketch(like, if Some(i) == deepest { leaf } else { &nothing })
    };
    let mut made: Vec<Sketch> = nests.iter().enumerate().map(each).collect();
    match made.len() {
        0 => leaf.clone(),
        1 => made.remove(0),
        _ => like.with(SketchKind::And(made)),
    }
}

/// Somewhere a loop.
fn loop_over(like: &Sketch, op: Op, n: Nat, body: Sketch) -> Sketch {
    let open = || Box::new(TyPattern::Any);
    let xs = Box::new(TyPattern::Array(Some(n), open()));
    let mut t = TyPattern::Fun(xs, open());
    let functions = if reduces(op) == Some(true) { 2 } else { 1 };
    for _ in 0..functions {
        t = TyPattern::Fun(open(), Box::new(t));
    }
    let op = like.with(SketchKind::Prim(op, None));
    let head = like.with(SketchKind::Typed(Box::new(op), t));
    contains(like.with(SketchKind::App(Box::new(head), Box::new(body))))
}

/// Parts of loops that are taken apart at most.
const PARTS: usize = 6;

struct Cover {
    left: Counts,
    /// Sizes that loops may have of which the goal only speaks.
    spoken: Vec<Nat>,
    /// Loops of the program that may still be taken apart.
    apart: usize,
}

impl Cover {
    /// The loops of the goal that together run over so many elements, outermost first.
    fn cover(&mut self, reduces: bool, n: Nat, most: usize) -> Option<Vec<(Op, Nat)>> {
        let fits = |c: &&mut Count| self::reduces(c.op) == Some(reduces) && c.count > 0;
        let mut known = self.left.0.iter_mut().filter(fits);
        if let Some(whole) = known.find(|c| c.n == n) {
            whole.count -= 1;
            return Some(vec![(whole.op, n)]);
        }
        if most == 0 {
            return None;
        }
        let before = self.left.clone();
        // A goal names tiles inside of what runs over them, so that inner loops are parts of outer ones.
        for (i, part) in before.0.iter().enumerate().rev() {
            if self::reduces(part.op) != Some(reduces) || part.count == 0 {
                continue;
            }
            for rest in [n.exact_div(part.n), n.ceil_div(part.n)] {
                self.left.0[i].count -= 1;
                let outer = (self.cover(reduces, rest, most - 1))
                    .or_else(|| self.spoken.contains(&rest).then(|| vec![(part.op, rest)]));
                if let Some(mut loops) = outer {
                    loops.push((part.op, part.n));
                    return Some(loops);
                }
                self.left = before.clone();
            }
        }
        None
    }

    fn nests(&mut self, nodes: &[Node]) -> Vec<Nest> {
        let mut out = Vec::new();
        for node in nodes {
            let mut loops = self.cover(node.reduces, node.n, PARTS);
            if let Some(parts) = loops.as_mut().filter(|l| l.len() > 1) {
                match self.apart.checked_sub(1) {
                    Some(left) => self.apart = left,
                    None => *parts = vec![(whole(node.reduces), node.n)],
                }
            }
            let inside = self.nests(&node.inside);
            match loops {
                Some(loops) => out.push(Nest { loops, inside }),
                None => out.extend(inside),
            }
        }
        out
    }
}

fn whole(reduces: bool) -> Op {
    match reduces {
        true => Op::ReduceSeq,
        false => Op::Map,
    }
}

/// How far the nest of the program has come on its way to that of a goal.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// So many of its loops are taken apart.
    Apart(usize),
    /// All that are to be; so many loops of the goal have their place, outermost first.
    Placed(usize),
}

/// The nest of the program with the loops of a goal, of which `goal` is one. None if no loop of the program has any, or if there is
/// no such stage.
pub(super) fn nest(goal: &Sketch, program: &[Node], stage: Stage) -> Option<Sketch> {
    let mut spoken = Vec::new();
    sizes(goal, &mut spoken);
    let mut cover = Cover {
        left: counts(goal),
        spoken,
        apart: match stage {
            Stage::Apart(n) => n,
            Stage::Placed(_) => usize::MAX,
        },
    };
    let mut nests = cover.nests(program);
    if nests.is_empty() || matches!(stage, Stage::Apart(1..)) && cover.apart > 0 {
        return None;
    }
    let leaf = innermost(goal).1;
    if let Stage::Placed(n @ 1..) = stage {
        nests = vec![Nest {
            loops: placed(goal, &nests, n)?,
            inside: Vec::new(),
        }];
    }
    Some(all(&nests, goal, &leaf))
}

/// One nest with its outermost loops as the goal has them, the others in the order of the program.
fn placed(goal: &Sketch, nests: &[Nest], n: usize) -> Option<Vec<(Op, Nat)>> {
    let mut rest = Vec::new();
    let mut level = nests;
    while let [one] = level {
        rest.extend(&one.loops);
        level = &one.inside;
    }
    let mut order = Vec::new();
    let mut next = Some(goal);
    while let Some(l) = next.and_then(asked) {
        order.push((l.op, l.n));
        next = Some(l.body);
    }
    if !level.is_empty() || n + 1 >= order.len() {
        return None;
    }
    order.truncate(n);
    for l in &order {
        let same = |r: &(Op, Nat)| reduces(r.0) == reduces(l.0) && r.1 == l.1;
        rest.remove(rest.iter().position(same)?);
    }
    order.extend(rest);
    Some(order)
}
