//! `rise-opt explain`: why.
//!
//! In: a program and what to explain. Out: text on standard output. Absent: the explanations (`why`, `try_rule`).

mod args;
mod try_rule;
mod why;

use super::Context;
pub use args::Args;

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let done = match &args.try_rule {
        Some(rule) => try_rule::run(args, rule, context),
        None => why::run(args, context),
    };
    context.ended(done)
}
