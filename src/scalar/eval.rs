//! The meaning of expressions.

use super::expr::{Expr, Node, Op};
use super::lanes::MAX_LANES;
use crate::intern::Symbol;

/// A value. Vectors have at least two lanes ([`Value::of_lanes`]), and none of them is a vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Int(i128),
    Bool(bool),
    Vector(Vec<Value>),
}

impl Value {
    /// The value of these lanes; of one, itself.
    pub fn of_lanes(mut lanes: Vec<Value>) -> Value {
        match lanes.len() {
            1 => lanes.remove(0),
            _ => Value::Vector(lanes),
        }
    }

    fn into_lanes(self) -> Vec<Value> {
        match self {
            Value::Vector(lanes) => lanes,
            one => vec![one],
        }
    }
}

/// Why there is no value: none of these can be meant by a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// A variable has no value, or one of another sort.
    Variable(Symbol),
    /// A number left 128 bits.
    Overflow,
    /// A number of lanes is not in `1..=MAX_LANES`.
    Lanes,
}

/// The value of `e` where the variables have these values.
pub fn eval(e: Expr, at: &dyn Fn(Symbol) -> Option<Value>) -> Result<Value, EvalError> {
    let (op, args) = match e.node() {
        Node::Int(n) => return Ok(Value::Int(n.into())),
        Node::Bool(b) => return Ok(Value::Bool(b)),
        Node::Var(name, _) => return at(name).ok_or(EvalError::Variable(name)),
        Node::Apply(op, args) => (op, args),
    };
    let values = args.iter().map(|a| eval(*a, at));
    let values = values.collect::<Result<Vec<Value>, _>>()?;
    let sorts = || args.iter().flat_map(|a| a.vars()).map(|v| v.0);
    let wrong = || EvalError::Variable(sorts().next().unwrap_or_else(|| Symbol::new("?")));
    match (op, &values[..]) {
        (Op::Broadcast, [x, Value::Int(n)]) => {
            let x = x.clone().into_lanes();
            let all = x.len() * lanes(*n, x.len())?;
            Ok(Value::of_lanes(x.into_iter().cycle().take(all).collect()))
        }
        (Op::Ramp, [x, s, Value::Int(n)]) => {
            let (x, s) = (x.clone().into_lanes(), s.clone().into_lanes());
            ramp(&x, &s, lanes(*n, x.len())?).unwrap_or_else(|| Err(wrong()))
        }
        _ => match values.iter().find_map(|v| match v {
            Value::Vector(v) => Some(v.len()),
            _ => None,
        }) {
            None => of_values(op, &values).unwrap_or_else(|| Err(wrong())),
            Some(n) => {
                let lane = |i: usize| {
                    let at = values.iter().map(|v| match v {
                        Value::Vector(v) => v.get(i).cloned(),
                        _ => None,
                    });
                    let at: Option<Vec<Value>> = at.collect();
                    at.and_then(|v| of_values(op, &v))
                        .unwrap_or_else(|| Err(wrong()))
                };
                (0..n)
                    .map(lane)
                    .collect::<Result<_, _>>()
                    .map(Value::Vector)
            }
        },
    }
}

/// How often so many lanes are to be there.
fn lanes(n: i128, each: usize) -> Result<usize, EvalError> {
    match n {
        1.. if n <= MAX_LANES.into() && n * each as i128 <= MAX_LANES.into() => Ok(n as usize),
        _ => Err(EvalError::Lanes),
    }
}

/// `None` if these are no integers of as many lanes.
fn ramp(x: &[Value], s: &[Value], n: usize) -> Option<Result<Value, EvalError>> {
    if x.len() != s.len() {
        return None;
    }
    let mut all = Vec::with_capacity(n * x.len());
    for i in 0..n as i128 {
        for pair in x.iter().zip(s) {
            let (Value::Int(x), Value::Int(s)) = pair else {
                return None;
            };
            match s.checked_mul(i).and_then(|step| x.checked_add(step)) {
                Some(lane) => all.push(Value::Int(lane)),
                None => return Some(Err(EvalError::Overflow)),
            }
        }
    }
    Some(Ok(Value::of_lanes(all)))
}

/// One lane; `None` if the values are not of the operator's sorts.
pub(crate) fn of_values(op: Op, values: &[Value]) -> Option<Result<Value, EvalError>> {
    use Value::{Bool, Int};
    Some(match (op, values) {
        (Op::Not, [Bool(a)]) => Ok(Bool(!a)),
        (Op::Prove, [Bool(a)]) => Ok(Bool(*a)),
        (Op::And, [Bool(a), Bool(b)]) => Ok(Bool(*a && *b)),
        (Op::Or, [Bool(a), Bool(b)]) => Ok(Bool(*a || *b)),
        (Op::Select, [Bool(c), a, b]) => Ok(if *c { a.clone() } else { b.clone() }),
        (_, [Int(a), Int(b)]) => match comparison(op, *a, *b) {
            Some(truth) => Ok(Bool(truth)),
            None => arithmetic(op, *a, *b)?.map(Int).ok_or(EvalError::Overflow),
        },
        _ => return None,
    })
}

/// `None` for what is no comparison.
pub(crate) fn comparison(op: Op, a: i128, b: i128) -> Option<bool> {
    Some(match op {
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        Op::Ge => a >= b,
        _ => return None,
    })
}

/// `None` for what is no arithmetic; `Some(None)` for what leaves 128 bits.
pub(crate) fn arithmetic(op: Op, a: i128, b: i128) -> Option<Option<i128>> {
    Some(match op {
        Op::Add => a.checked_add(b),
        Op::Sub => a.checked_sub(b),
        Op::Mul => a.checked_mul(b),
        Op::Div | Op::Mod if b == 0 => Some(0),
        Op::Div => a.checked_div_euclid(b),
        // Of the least number by -1, the quotient leaves 128 bits, and the rest is 0.
        Op::Mod => Some(a.checked_rem_euclid(b).unwrap_or(0)),
        Op::Min => Some(a.min(b)),
        Op::Max => Some(a.max(b)),
        _ => return None,
    })
}
