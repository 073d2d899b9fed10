//! Loops of two steps, between two buffers and back, and one more step where the number of steps is odd.

use super::kept::changes_that_differ;
use super::{differs, expected_of, lowered, open, told_apart};
use crate::common;
use rise_opt::arith::Nat;
use rise_opt::intern::Symbol;
use rise_opt::interp::Sizes;
use rise_opt::lower::Options;
use rise_opt::nest::{walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Stmt};
use rise_opt::term::Op;
use rise_opt::validate::obligations;

/// A reduction to an array, each element of which is made of two others; what is to be unrolled, and is not, copies each step.
const SUMS: &str = "def f [t n : nat] (b : t.f32) (a : (n + 1).f32) : (n + 1).f32 =
  b |> reduceSeqUnroll
    (\\u x -> u |> padClamp[1, 1] |> slide[3, 1] |> map (\\w -> at[0] w + x * at[2] w)) a";

/// The loop over its steps, each of which computes another buffer and copies it.
fn steps(nest: &Nest) -> (usize, Symbol, Block) {
    let is = |s: &Stmt| matches!(s, Stmt::For { extent, .. } if *extent == size("t"));
    let place = nest.body.iter().position(is).expect("a loop");
    match &nest.body[place] {
        Stmt::For { var, body, .. } => (place, *var, body.clone()),
        _ => panic!("{nest}"),
    }
}

fn size(name: &str) -> Nat {
    Nat::var(Symbol::new(name))
}

/// The same stores and loads of two buffers, one for the other.
fn exchanged(nest: &Nest, block: &Block, (a, b): (BufId, BufId)) -> Block {
    let other = |c: BufId| match nest.root(c) {
        root if root == a => b,
        root if root == b => a,
        _ => c,
    };
    let mut block = block.clone();
    let load = &mut |e: &Expr| match e.kind() {
        ExprKind::Load(c, n) => Some(Expr::new(ExprKind::Load(other(*c), *n), e.shape())),
        _ => None,
    };
    walk::map_block(&mut block, &mut |e| e.rewrite(load), &mut |n| n);
    fn stores(block: &mut Block, other: &dyn Fn(BufId) -> BufId) {
        for s in block {
            match s {
                Stmt::Store { buf, .. } => *buf = other(*buf),
                Stmt::For { body, .. } => stores(body, other),
                _ => {}
            }
        }
    }
    stores(&mut block, &other);
    block
}

/// Steps in twos, the last of which is a step of its own and has a copy, if `last` says so; which element that one reads.
fn in_twos(nest: &Nest, last: &Expr, read: Nat) -> Nest {
    let (place, var, mut step) = steps(nest);
    let copy = step.pop().expect("a copy");
    let (mut from, mut to) = (None, None);
    walk::each_stmt(std::slice::from_ref(&copy), &mut |s| {
        if let Stmt::Store { buf, value, .. } = s {
            from = Some(nest.root(*buf));
            value.visit(&mut |e| {
                if let ExprKind::Load(b, _) = e.kind() {
                    to = Some(nest.root(*b));
                }
            });
        }
    });
    let both = from.zip(to).expect("two buffers");
    let mut nest = nest.clone();
    let two = Nat::int(2);
    let pairs = Symbol::new("pairs");
    let at = |value: Nat, step: Block| {
        let first = [Stmt::Index { var, value }];
        first.into_iter().chain(step).collect::<Block>()
    };
    let first = two * Nat::var(pairs);
    let forth = at(first, step.clone());
    let back = at(first + Nat::int(1), exchanged(&nest, &step, both));
    nest.body[place] = Stmt::For {
        var: pairs,
        extent: size("t").floor_div(two),
        kind: LoopKind::Seq,
        body: forth.into_iter().chain(back).collect(),
        note: None,
    };
    let odd = at(read, step).into_iter().chain([copy]).collect();
    let odd = Stmt::If {
        cond: last.clone(),
        then: odd,
        els: Vec::new(),
    };
    nest.body.insert(place + 1, odd);
    nest
}

/// Where the number of steps is odd, there is one: the last step reads an element.
#[test]
fn a_last_step_of_an_odd_number_is_validated() {
    let program = common::program_text(SUMS);
    let nest = lowered(&program, &Options::default());
    let odd = |by: i64| {
        let rest = size("t").rem(Nat::int(by));
        Expr::compare(Op::Ne, rest, Nat::int(0))
    };
    let last = size("t") - Nat::int(1);
    let right = in_twos(&nest, &odd(2), last);
    let at = |t: i64| Sizes::from_iter([(Symbol::new("t"), t), (Symbol::new("n"), 4)]);
    let expected = expected_of(&program, &right, (0..7).map(at).collect());
    assert_eq!((differs(&right, &expected), expected.len()), (None, 7));
    let found = obligations(&right, &program);
    assert!(found.open.is_empty(), "{right}{}", open(&found));
    for wrong in [
        in_twos(&nest, &odd(3), last),
        in_twos(&nest, &odd(2), size("t")),
        in_twos(&nest, &odd(2), last - Nat::int(1)),
        in_twos(&nest, &Expr::bool(true), last),
    ] {
        assert!(differs(&wrong, &expected).is_some(), "{wrong}");
        let found = obligations(&wrong, &program);
        assert!(!found.open.is_empty(), "{wrong}");
    }
}

/// A state whose elements move in every step, and are where they were after two of them.
fn moved(steps: &str, by: &str) -> String {
    format!("def f [n k : nat] (a : (2*n).f32) : (2*n).f32 = a |> iterate[{steps}] (\\xs -> {by} |> mapSeq (\\x -> x * 0.5 + 1.0))")
}

/// A reduction each step of which takes another element of its state, and data.
fn moved_by_data(row: &str) -> String {
    format!(
        "def f [n k : nat] (b : k.n.f32) (a : n.f32) : n.f32 =
           b |> reduceSeq (\\xs y -> zip ({row}) y |> mapSeq (\\p -> fst p - snd p)) a"
    )
}

#[test]
fn elements_that_come_back_after_two_steps_are_told_apart() {
    let by = [
        "xs |> reverse",
        "concat (drop[n] xs) (take[n] xs)",
        "xs |> split[2] |> map reverse |> join",
        "xs",
    ];
    let all = by.map(|by| moved("k", by));
    told_apart(&all.each_ref().map(String::as_str), 4);
    let all = ["k", "2*k", "2*k + 1", "300", "301"].map(|steps| moved(steps, by[0]));
    told_apart(&all.each_ref().map(String::as_str), 5);
    let rows = [
        "reverse xs",
        "xs",
        "concat (drop[n - 1] xs) (take[n - 1] xs)",
    ];
    told_apart(&rows.map(moved_by_data).each_ref().map(String::as_str), 2);
    let both = |first: &str| {
        format!(
            "def f [n k : nat] (a : n.n.f32) (c : k.f32) : n.n.f32 = c |> reduceSeq (\\xs y -> xs |> {first} |> mapSeq (mapSeq (\\x -> x * y))) a"
        )
    };
    let all = ["transpose", "reverse", "map reverse"].map(both);
    told_apart(&all.each_ref().map(String::as_str), 3);
}

#[test]
fn changed_moves_of_elements_are_rejected() {
    let mut differ = 0;
    for text in [
        moved("k", "xs |> reverse"),
        moved("2*k + 1", "concat (drop[n] xs) (take[n] xs)"),
        moved_by_data("reverse xs"),
    ] {
        let program = common::program_text(&text);
        let nest = lowered(&program, &Options::default());
        differ += changes_that_differ(&program, &nest);
    }
    assert!(differ >= 60, "{differ}");
}
