//! Steps of a reduction that change nothing.
//!
//! In: two reductions, one with more steps. Out: the longer one without its last steps, or without its first ones, if these leave every part of the state
//! as it is. Invariant: the same value, to the bit: `acc + 0.0` is acc only where acc is never -0.0, which is shown by induction.
//! Absent: operators other than a sum.

use super::value::{Fold, Node, Res, Values, V};
use crate::arith::Nat;
use crate::term::{Lit, Op};

/// The longer one with as many steps as the other.
pub fn shortened(cx: &mut Values, long: &Fold, short: &Fold) -> Res<Option<V>> {
    let zero = Nat::int(0);
    let rest = cx.simplify(long.n - short.n);
    if !cx.known.at_least(short.n, zero) || !cx.known.at_least(rest, zero) {
        return Ok(None);
    }
    for (idle, first) in [((short.n, rest), zero), ((zero, rest), rest)] {
        if are_idle(cx, long, idle)? {
            let starts = long.starts.clone();
            let steps = cx.steps_of(long, starts, (first, short.n), long.which);
            return steps.map(Some);
        }
    }
    Ok(None)
}

/// Whether so many steps from one on change nothing.
fn are_idle(cx: &mut Values, f: &Fold, (from, count): (Nat, Nat)) -> Res<bool> {
    let k = cx.symbol("idle");
    cx.known.range(k, from, from + count - Nat::int(1));
    let cells = cx.state(f);
    let mark = cx.known.mark();
    cx.known.positive(count);
    let done = (|| {
        let steps = cx.stepped(f, &cells, Nat::var(k))?;
        for (j, step) in steps.iter().enumerate() {
            let step = cx.refresh(*step)?;
            if !is_idle(cx, step, cells[j], (f, j)) {
                return Ok(false);
            }
        }
        Ok(true)
    })();
    cx.known.restore(mark);
    done
}

/// Whether a step of a part of the state is that part.
fn is_idle(cx: &Values, step: V, cell: V, (f, j): (&Fold, usize)) -> bool {
    if step == cell {
        return true;
    }
    let Node::Op(Op::Add, of, args) = cx.node(step) else {
        return false;
    };
    let [a, b] = args[..] else { return false };
    let other = match (a == cell, b == cell) {
        (true, _) => b,
        (_, true) => a,
        _ => return false,
    };
    let Node::Lit(zero, _) = cx.node(other) else {
        return false;
    };
    match *zero {
        Lit::Int(n) => n == 0 && of.is_int(),
        Lit::F32(0) | Lit::F64(0) => {
            is_not_minus_zero(cx, f.starts[j], (f, j)) && is_not_minus_zero(cx, f.steps[j], (f, j))
        }
        _ => false,
    }
}

/// Whether a value is no -0.0 if this part of the state was none: a sum is one only of two of them.
fn is_not_minus_zero(cx: &Values, v: V, (f, j): (&Fold, usize)) -> bool {
    let is = |v: &V| is_not_minus_zero(cx, *v, (f, j));
    match cx.node(v) {
        Node::Acc(depth, i) => (*depth, *i as usize) == (f.depth, j),
        Node::Lit(Lit::F32(bits), _) => *bits != (-0.0f32).to_bits(),
        Node::Lit(Lit::F64(bits), _) => *bits != (-0.0f64).to_bits(),
        Node::Op(Op::Add, _, args) => args.iter().any(is),
        Node::Op(Op::Select, _, args) => args[1..].iter().all(is),
        _ => false,
    }
}
