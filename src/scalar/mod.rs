//! Scalar expressions and the rules that rewrite them: index arithmetic as text, data and meaning.
//!
//! Comes in: text, through the one parser. Goes out: an [`Expr`], interned, so that equality is equality of
//! ids; its sort (integers or booleans, one or a constant number of lanes); its value at a point; its text; and
//! from a file that says `domain scalar`, [`Rule`]s in the order of the file, which is their priority.
//! The meaning is that of [`eval`]: unbounded integers, Euclidean division, `x / 0 = x % 0 = 0`.
//! Constants are 64-bit (without the least, whose negation would not fit) and values 128-bit; what leaves them is an
//! answer of its own, and nothing wraps.
//! In rules `c`, `c0`, `c1` … stand for constants, `l`, `l0`, `l1` … for numbers of lanes, `t`, `t0`, `t1` …
//! for terms that are no constants, every other name for any term. Variables are integers unless something around them needs a boolean;
//! a rule in which that is left open holds of both.
//! Absent: how rules are applied, whether they are true.

mod compiled;
mod counts;
mod eval;
mod expr;
mod lanes;
mod pattern_var;
pub mod random;
mod read;
mod rule;
mod show;
mod sorts;

pub use compiled::Compiled;
pub(crate) use eval::{arithmetic, comparison, of_values};
pub use eval::{eval, EvalError, Value};
pub use expr::{Args, Expr, Kind, Node, Op, Sort, MAX_COMMUTING, MAX_INT, MAX_VARS};
pub use lanes::{Count, Lanes, MAX_LANES};
pub use pattern_var::{is_open, VarClass};
pub use read::{parse_expr, parse_question, parse_statement, parse_truth};
pub use rule::{has_domain, is_scalar, load_rules, other_domain, rules_of, Rule};
