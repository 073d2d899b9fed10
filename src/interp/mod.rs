//! The meaning of a term on concrete data: the oracle of every test.
//!
//! Comes in: a well-typed [`Term`], a value for each size parameter, arguments;
//! goes out: a [`Value`]. Invariant: total. A closed well-typed term has one
//! value whenever its sizes are whole numbers that are not negative; what is
//! refused is named by [`InterpError`], and nothing panics or overflows the
//! stack. Evaluation is strict, lambdas are closures, arrays are strided views
//! of flat buffers, arrays of pairs are pairs of arrays.
//! What a primitive means where others leave it open stands in
//! Note [Total arithmetic] (`scalar`) and Note [Array corner cases] (`array`).
//! Absent: cost, strategy (`mapPar` means `map`), lowering.

mod array;
pub mod bounds;
pub mod buffers;
mod build;
mod code;
pub mod compare;
mod error;
pub mod generate;
pub mod random;
mod run;
pub mod scalar;
mod shape;
pub mod value;

pub use bounds::{Bounded, FUNCTION_ULPS};
pub use error::InterpError;
pub use scalar::Num;
pub use shape::{Elem, Shape};
pub use value::{Fun, Value};

use crate::intern::Symbol;
use crate::term::{Program, Term};
use crate::ty::Ty;
use std::collections::BTreeMap;

/// Sizes by name.
pub type Sizes = BTreeMap<Symbol, i64>;

/// What one evaluation may use up.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Evaluated nodes plus elements written.
    pub steps: u64,
    /// Bytes of array data alive at a time.
    pub bytes: u64,
    /// Nested evaluations; bounds the stack.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 50_000_000_000,
            bytes: 4 << 30,
            depth: 400,
        }
    }
}

/// The value of a closed term applied to `args`.
pub fn eval(term: &Term, sizes: &Sizes, args: &[Value]) -> Result<Value, InterpError> {
    eval_with(term, sizes, &[], args, Limits::default())
}

/// The value of a program on `args`, one for each of its parameters.
pub fn eval_program(p: &Program, sizes: &Sizes, args: &[Value]) -> Result<Value, InterpError> {
    eval(&p.term, sizes, args)
}

/// The value of a program on the arguments in buffers, every float with a bound on what an evaluation in another order may
/// make of it; `None` where a number that is no float, or which of two floats, may depend on the order.
pub fn eval_bounded<B: AsRef<[u8]>>(
    p: &Program,
    sizes: &Sizes,
    args: &[Vec<B>],
) -> Result<Option<Value>, InterpError> {
    let eval = || {
        let mut values = Vec::new();
        for ((_, ty), leaves) in p.params.iter().zip(args) {
            let shape = Shape::of(*ty, sizes)?;
            values.push(buffers::from_buffers(&shape, leaves)?);
        }
        eval_program(p, sizes, &values)
    };
    let (value, in_doubt) = bounds::bounded(eval);
    Ok(Some(value?).filter(|_| !in_doubt))
}

/// Evaluates with bounds on rounding; and whether something depends on it.
pub fn with_bounds<T>(f: impl FnOnce() -> T) -> (T, bool) {
    bounds::bounded(f)
}

/// An f64 that is exact, as an evaluation with bounds has it.
pub fn bounded_number(x: f64) -> Num {
    Num::Bounded(Bounded::exact(x, crate::ty::Scalar::F64))
}

/// The value of a term that may be open: `env[i]` is the value of variable `i`.
/// Then applied to `args`.
pub fn eval_with(
    term: &Term,
    sizes: &Sizes,
    env: &[Value],
    args: &[Value],
    limits: Limits,
) -> Result<Value, InterpError> {
    let code = code::compile(term, sizes, limits.depth.saturating_mul(2))?;
    let mut ty = term.ty();
    for arg in args {
        let Some((want, result)) = ty.as_fun() else {
            return Err(InterpError::Argument(format!(
                "nothing of type {ty} takes arguments"
            )));
        };
        check_argument(arg, want, sizes)?;
        ty = result;
    }
    run::Machine::new(limits).run(&code, env, args)
}

/// Applies a function that an evaluation gave.
pub fn apply(f: &Value, args: &[Value], limits: Limits) -> Result<Value, InterpError> {
    run::Machine::new(limits).apply_all(f.clone(), args)
}

fn check_argument(arg: &Value, want: Ty, sizes: &Sizes) -> Result<(), InterpError> {
    if want.is_fun() {
        return match arg {
            Value::Fun(_) => Ok(()),
            _ => Err(InterpError::Argument(format!(
                "data where {want} is asked for"
            ))),
        };
    }
    let shape = Shape::of(want, sizes)?;
    if arg.fits(&shape) {
        Ok(())
    } else {
        Err(InterpError::Argument(format!(
            "a value that is no {want} of these sizes"
        )))
    }
}
