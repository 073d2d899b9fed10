//! Weaker sketches of a goal: some of its layers left out.
//!
//! In: a goal, the layers that are kept, the term from which the search starts. Out: the sketch that asks for those layers alone.
//! Parallel and unrolled loops become loops, vectors become numbers (a loop over n vectors of k is one over n·k numbers), what is
//! kept in memory is anything, loops go back into the order of the program, loops that were taken apart are not asked for.
//! Absent: whether anything satisfies it.

use super::layers::{Layer, Layers};
use super::loops::{self, any, Node, Stage};
use crate::arith::Nat;
use crate::elab::{Sketch, SketchKind, TyPattern};
use crate::source::{FileId, Span};
use crate::term::{Kind, Op, Term};
use std::collections::BTreeSet;

/// What is known of the term from which a search starts.
pub(super) struct Start {
    ops: BTreeSet<Op>,
    loops: Vec<Node>,
}

impl Start {
    pub(super) fn new(term: &Term) -> Start {
        let mut ops = BTreeSet::new();
        term.visit(&mut |t, _| {
            if let Kind::Prim(p) = t.kind() {
                ops.insert(p.op());
            }
        });
        Start {
            ops,
            loops: loops::of_term(term),
        }
    }
}

/// The goal with some of its layers alone.
pub(super) fn erase(goal: &Sketch, kept: Layers, start: &Start) -> Sketch {
    // Loops that are not in their order yet say nothing of where arrays and vectors are.
    let ordered = kept.has(Layer::Order);
    let mut s = goal.clone();
    if let SketchKind::Cheapest(b) = &s.kind {
        s = (**b).clone();
    }
    if !(ordered && kept.has(Layer::Form)) {
        s = lanes_of_kept(&form(&s, start));
    }
    if !(ordered && kept.has(Layer::Kept)) {
        s = without_memory(&s, start);
    }
    if !(ordered && kept.has(Layer::Vectors)) {
        s = scalars(&s).0;
    }
    if !ordered {
        let stage = kept.has(Layer::Tiles).then_some(Stage::Placed(0));
        s = in_order(&s, start, stage);
    }
    if !kept.has(Layer::Choice) {
        s = without_choice(&s, start);
    }
    placed(&simple(&s))
}

/// Sketches on the way to that of a layer of loops, each further than the one before.
pub(super) fn stages(goal: &Sketch, layer: Layer, start: &Start) -> Vec<Sketch> {
    let numbers = scalars(&without_memory(&lanes_of_kept(&form(goal, start)), start)).0;
    let at = |stage: Stage| placed(&simple(&in_order(&numbers, start, Some(stage))));
    let stage = |n: usize| match layer {
        Layer::Tiles => at(Stage::Apart(n)),
        _ => at(Stage::Placed(n)),
    };
    let mut out = Vec::new();
    let mut n = 1;
    while out.len() < STAGES {
        let sketch = stage(n);
        if is_any(&sketch) {
            break;
        }
        out.push(sketch);
        n += 1;
    }
    out
}

/// Stages of one layer.
const STAGES: usize = 12;

fn is_any(s: &Sketch) -> bool {
    matches!(s.kind, SketchKind::Any)
}

/// The plain form of a loop.
fn plain(op: Op) -> Option<Op> {
    match op {
        Op::MapSeq | Op::MapPar | Op::MapSeqUnroll => Some(Op::Map),
        Op::ReduceSeqUnroll => Some(Op::ReduceSeq),
        _ => None,
    }
}

/// The forms of loops that the program does not have become plain ones.
fn form(s: &Sketch, start: &Start) -> Sketch {
    let erased = |op: Op| plain(op).filter(|_| !start.ops.contains(&op));
    match &s.kind {
        SketchKind::Prim(op, sizes) => match erased(*op) {
            Some(op) => s.with(SketchKind::Prim(op, sizes.clone())),
            None => s.clone(),
        },
        // What they say of every loop holds only when all have their form.
        SketchKind::None(_) | SketchKind::Every(..) | SketchKind::OnlyContains(_)
            if mentions(s, &|op| erased(op).is_some()) =>
        {
            any(s)
        }
        kind => s.with(kind.map(&mut |c| form(c, start))),
    }
}

fn mentions(s: &Sketch, f: &dyn Fn(Op) -> bool) -> bool {
    match &s.kind {
        SketchKind::Prim(op, _) => f(*op),
        kind => kind.children().into_iter().any(|c| mentions(c, f)),
    }
}

/// What is kept, if a sketch is of something that is: `toMem x` with a type or without.
fn kept(s: &Sketch) -> Option<&Sketch> {
    let (head, args) = s.spine();
    let head = match &head.kind {
        SketchKind::Typed(b, _) => b,
        _ => head,
    };
    match (&head.kind, &args[..]) {
        (SketchKind::Prim(Op::ToMem, _), [made]) => Some(made),
        _ => None,
    }
}

/// `let (toMem x) body`: what is kept, and the body if it is given.
fn let_kept(s: &Sketch) -> Option<(&Sketch, Option<&Sketch>)> {
    let (head, args) = s.spine();
    if !matches!(head.kind, SketchKind::Prim(Op::Let, _)) {
        return None;
    }
    let made = kept(args.first()?)?;
    Some((made, args.get(1).copied()))
}

/// What is kept is copied number by number, unless it is a reduction.
fn lanes_of_kept(s: &Sketch) -> Sketch {
    let reduces = |op| matches!(op, Op::Reduce | Op::ReduceSeq | Op::ReduceSeqUnroll);
    match kept(s).filter(|made| !mentions(made, &reduces)) {
        Some(_) => scalars(s).0,
        None => s.with(s.kind.map(&mut lanes_of_kept)),
    }
}

fn without_memory(s: &Sketch, start: &Start) -> Sketch {
    match let_kept(s) {
        // A name of the program stays one.
        Some((made, body)) if start.ops.contains(&Op::Let) => {
            let name = any(s).with(SketchKind::Prim(Op::Let, None));
            let made = without_memory(made, start);
            let half = any(s).with(SketchKind::App(Box::new(name), Box::new(made)));
            match body {
                Some(body) => {
                    let body = without_memory(body, start);
                    any(s).with(SketchKind::App(Box::new(half), Box::new(body)))
                }
                None => half,
            }
        }
        Some((_, Some(body))) => match &body.kind {
            SketchKind::Lam(b) => without_memory(b, start),
            _ => any(s),
        },
        Some((_, None)) => any(s),
        None => s.with(s.kind.map(&mut |c| without_memory(c, start))),
    }
}

/// The element of a vector.
fn lane(t: &TyPattern) -> TyPattern {
    match t {
        TyPattern::Any => TyPattern::AnyScalar,
        t => t.clone(),
    }
}

/// A type of vectors as one of numbers, with the lanes if they are not those of an array.
fn unvectored(t: &TyPattern) -> (TyPattern, Option<Option<Nat>>) {
    match t {
        TyPattern::Vec(k, t) => (lane(t), Some(*k)),
        TyPattern::Array(n, t) => {
            let (t, lanes) = unvectored(t);
            let n = match lanes {
                Some(k) => n.zip(k).map(|(n, k)| n * k),
                None => *n,
            };
            (TyPattern::Array(n, Box::new(t)), None)
        }
        TyPattern::Pair(a, b) => {
            let ((a, k), (b, l)) = (unvectored(a), unvectored(b));
            (TyPattern::Pair(Box::new(a), Box::new(b)), k.or(l))
        }
        TyPattern::Fun(a, b) => {
            let ((a, k), (b, l)) = (unvectored(a), unvectored(b));
            let open = |t: &TyPattern| matches!(t, TyPattern::Any | TyPattern::AnyScalar);
            let t = match k.or(l).is_some() && open(&a) && open(&b) {
                true => TyPattern::Any,
                false => TyPattern::Fun(Box::new(a), Box::new(b)),
            };
            (t, k.or(l))
        }
        t => (t.clone(), None),
    }
}

/// A sketch of vectors as one of numbers, and the lanes of what no loop inside of it runs over.
fn scalars(s: &Sketch) -> (Sketch, Option<Nat>) {
    let (head, args) = s.spine();
    if let SketchKind::Prim(Op::AsVector | Op::AsScalar | Op::VectorFromScalar, _) = head.kind {
        return match &args[..] {
            [x] => scalars(x),
            _ => (any(s), None),
        };
    }
    if let (SketchKind::Typed(op, t), [f, rest @ ..]) = (&head.kind, &args[..]) {
        if is_map(op) {
            let (f, lanes) = scalars(f);
            let own = unvectored(t).0;
            let t = match lanes {
                Some(k) if own == *t => longer(t, k),
                _ => own,
            };
            let head = head.with(SketchKind::Typed(op.clone(), t));
            let apply = |f: Sketch, x: Sketch| s.with(SketchKind::App(Box::new(f), Box::new(x)));
            let whole = rest
                .iter()
                .fold(apply(head, f), |f, x| apply(f, scalars(x).0));
            return (whole, None);
        }
    }
    if let (SketchKind::Typed(op, t), [f, rest @ ..]) = (&head.kind, &args[..]) {
        if let Some((n, k)) = accumulated(op, t).filter(|_| !has_vectors(f)) {
            let apply = |f: Sketch, x: Sketch| s.with(SketchKind::App(Box::new(f), Box::new(x)));
            let whole = apply((*head).clone(), lengthened(f, n, k));
            let whole = rest.iter().fold(whole, |f, x| apply(f, (*x).clone()));
            return scalars_inside(&whole);
        }
    }
    scalars_inside(s)
}

/// The vectors that a reduction accumulates, and their lanes.
fn accumulated(op: &Sketch, t: &TyPattern) -> Option<(Nat, Nat)> {
    let SketchKind::Prim(Op::ReduceSeq | Op::ReduceSeqUnroll, _) = op.kind else {
        return None;
    };
    let TyPattern::Fun(_, rest) = t else {
        return None;
    };
    let TyPattern::Fun(accumulator, _) = &**rest else {
        return None;
    };
    let mut t = &**accumulator;
    while let TyPattern::Array(n, e) = t {
        if let TyPattern::Vec(k, _) = **e {
            return n.zip(k);
        }
        t = e;
    }
    None
}

/// Whether a sketch speaks of vectors.
fn has_vectors(s: &Sketch) -> bool {
    let here = matches!(&s.kind, SketchKind::Typed(_, t) if unvectored(t).0 != *t);
    here || s.kind.children().into_iter().any(has_vectors)
}

/// The innermost loops over so many elements run over k times as many.
fn lengthened(s: &Sketch, n: Nat, k: Nat) -> Sketch {
    match &s.kind {
        SketchKind::App(f, x) if runs_over(x, n) => {
            s.with(SketchKind::App(f.clone(), Box::new(lengthened(x, n, k))))
        }
        SketchKind::Typed(op, t) if is_map(op) && length(t) == Some(n) => {
            s.with(SketchKind::Typed(op.clone(), longer(t, k)))
        }
        kind => s.with(kind.map(&mut |c| lengthened(c, n, k))),
    }
}

fn runs_over(s: &Sketch, n: Nat) -> bool {
    let here = matches!(&s.kind, SketchKind::Typed(op, t) if is_map(op) && length(t) == Some(n));
    here || s.kind.children().into_iter().any(|c| runs_over(c, n))
}

fn is_map(s: &Sketch) -> bool {
    matches!(s.kind, SketchKind::Prim(op, _) if op == Op::Map || plain(op) == Some(Op::Map))
}

/// Elements of a loop of a type.
fn length(t: &TyPattern) -> Option<Nat> {
    let TyPattern::Fun(_, rest) = t else {
        return None;
    };
    match &**rest {
        TyPattern::Fun(xs, _) => match **xs {
            TyPattern::Array(n, _) => n,
            _ => None,
        },
        _ => None,
    }
}

/// The same of each part.
fn scalars_inside(s: &Sketch) -> (Sketch, Option<Nat>) {
    let mut lanes = None;
    let kind = match &s.kind {
        SketchKind::Typed(b, t) => {
            let (t, k) = unvectored(t);
            let (b, own) = scalars(b);
            lanes = k.flatten().or(own);
            match t {
                TyPattern::Any => b.kind,
                t => SketchKind::Typed(Box::new(b), t),
            }
        }
        kind => kind.map(&mut |c| {
            let (c, k) = scalars(c);
            lanes = lanes.or(k);
            c
        }),
    };
    (s.with(kind), lanes)
}

/// The type of a loop over k times as many elements.
fn longer(t: &TyPattern, k: Nat) -> TyPattern {
    if let TyPattern::Fun(f, rest) = t {
        if let TyPattern::Fun(xs, ys) = &**rest {
            if let TyPattern::Array(Some(n), e) = &**xs {
                let xs = TyPattern::Array(Some(*n * k), e.clone());
                let rest = TyPattern::Fun(Box::new(xs), ys.clone());
                return TyPattern::Fun(f.clone(), Box::new(rest));
            }
        }
    }
    t.clone()
}

/// Nests of loops in the order of the program, if they are asked for.
fn in_order(s: &Sketch, start: &Start, stage: Option<Stage>) -> Sketch {
    if loops::asked(s).is_none() {
        return s.with(s.kind.map(&mut |c| in_order(c, start, stage)));
    }
    let nest = stage.and_then(|stage| loops::nest(s, &start.loops, stage));
    nest.unwrap_or_else(|| any(s))
}

/// Choices that the program does not have become their last kernel, which is for all that is left.
fn without_choice(s: &Sketch, start: &Start) -> Sketch {
    let (head, args) = s.spine();
    if matches!(head.kind, SketchKind::Prim(Op::Select, _)) && !start.ops.contains(&Op::Select) {
        if let [_, _, other] = &args[..] {
            return without_choice(other, start);
        }
    }
    s.with(s.kind.map(&mut |c| without_choice(c, start)))
}

/// Without what asks for nothing.
fn simple(s: &Sketch) -> Sketch {
    let s = s.with(s.kind.map(&mut simple));
    match &s.kind {
        SketchKind::Contains(b) => match &b.kind {
            SketchKind::Any | SketchKind::Contains(_) => (**b).clone(),
            // What a function without its argument contains, the application does.
            SketchKind::App(f, x) if is_any(x) && matches!(f.kind, SketchKind::Contains(_)) => {
                (**f).clone()
            }
            _ => s,
        },
        SketchKind::And(all) => {
            let mut rest: Vec<Sketch> = all.iter().filter(|s| !is_any(s)).cloned().collect();
            match rest.len() {
                0 => any(&s),
                1 => rest.remove(0),
                _ => s.with(SketchKind::And(rest)),
            }
        }
        SketchKind::Or(all) if all.iter().any(is_any) => any(&s),
        _ => s,
    }
}

/// With a place of its own for each part, by which parts are known.
fn placed(s: &Sketch) -> Sketch {
    fn place(s: &Sketch, own: u32, next: &mut u32) -> Sketch {
        let span = Span::new(FileId::default(), own as usize, own as usize + 1);
        let kind = s.kind.map(&mut |c| {
            // A loop with what it applies is one part.
            let with = match (&s.kind, &c.kind) {
                (SketchKind::Contains(_) | SketchKind::Typed(..) | SketchKind::Written(_), _) => {
                    true
                }
                (SketchKind::App(f, _), _) => std::ptr::eq(&**f, c),
                _ => false,
            };
            match with {
                true => place(c, own, next),
                false => {
                    *next += 1;
                    let here = *next;
                    place(c, here, next)
                }
            }
        });
        Sketch {
            kind,
            span,
            label: String::new(),
            words: Default::default(),
        }
    }
    place(s, 0, &mut 0)
}
