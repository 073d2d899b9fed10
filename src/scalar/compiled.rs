//! Expressions of single values as lists of operations, for many points.
//!
//! In: an expression, which place of a point each variable has. Out: its value at points, that of [`super::eval`], booleans as 0 and 1.
//! Absent: vectors.

use super::eval::{arithmetic, comparison};
use super::expr::{Expr, Node, Op, Sort};
use crate::intern::Symbol;

/// An expression; operands stand before their operation.
#[derive(Clone, Debug)]
pub struct Compiled(Vec<Step>);

#[derive(Copy, Clone, Debug)]
enum Step {
    Number(i128),
    /// What stands at this place of the point.
    Load(usize),
    Apply(Op),
}

impl Compiled {
    /// `None` for what has vectors in it or other variables.
    pub fn new(e: Expr, vars: &[Symbol]) -> Option<Compiled> {
        let mut steps = Vec::new();
        compile(e, vars, &mut steps)?;
        Some(Compiled(steps))
    }

    /// The value at a point; `None` where a number leaves 128 bits. The stack is for use again.
    pub fn value(&self, point: &[i128], stack: &mut Vec<i128>) -> Option<i128> {
        stack.clear();
        for step in &self.0 {
            let value = match step {
                Step::Number(n) => *n,
                Step::Load(place) => point[*place],
                Step::Apply(op) => applied(*op, operands(stack, op.arity()))?,
            };
            stack.push(value);
        }
        stack.pop()
    }
}

fn compile(e: Expr, vars: &[Symbol], steps: &mut Vec<Step>) -> Option<()> {
    if !matches!(e.sort(), Sort::INT | Sort::BOOL) || e.counted().is_some() {
        return None;
    }
    let step = match e.node() {
        Node::Int(n) => Step::Number(n.into()),
        Node::Bool(b) => Step::Number(b.into()),
        Node::Var(v, _) => Step::Load(vars.iter().position(|w| *w == v)?),
        Node::Apply(op, args) => {
            for a in args.iter() {
                compile(*a, vars, steps)?;
            }
            Step::Apply(op)
        }
    };
    steps.push(step);
    Some(())
}

/// Takes as many from a stack; others are 0.
fn operands(stack: &mut Vec<i128>, count: usize) -> [i128; 3] {
    let mut operands = [0; 3];
    for place in operands[..count].iter_mut().rev() {
        *place = stack.pop().unwrap_or(0);
    }
    operands
}

fn applied(op: Op, [a, b, c]: [i128; 3]) -> Option<i128> {
    Some(match op {
        Op::Not => i128::from(a == 0),
        Op::Prove => a,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Select => [c, b][usize::from(a != 0)],
        _ => match comparison(op, a, b) {
            Some(truth) => truth.into(),
            None => arithmetic(op, a, b)??,
        },
    })
}
