//! rise-opt: from a functional array program, through sketches, to a C kernel.

pub mod algebra;
pub mod alloc;
pub mod arith;
pub mod cli;
pub mod cost;
pub mod diag;
pub mod egraph;
pub mod elab;
pub mod emit;
pub mod exec;
pub mod index;
pub mod intern;
pub mod interp;
pub mod lower;
pub mod nest;
pub mod report;
pub mod rule;
pub mod search;
pub mod sketch;
pub mod source;
pub mod syntax;
pub mod term;
pub mod ty;
