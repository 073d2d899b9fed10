//! rise-opt: from a functional array program, through sketches, to a C kernel.

pub mod diag;
pub mod source;
