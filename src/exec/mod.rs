//! Compiling, running, checking and measuring kernels: the only module that starts a compiler or a
//! kernel.
//!
//! In: C text with its signature, arrays, queries for solvers. Out: arrays, times, verdicts, or diagnostics. Invariant:
//! whatever a compiler or a kernel does (crash, hang, write where it must not), only a child process
//! suffers, and a diagnostic says what happened. Files are made in temporary folders only.
//!
//! Absent: which term a kernel comes from, and printing.

mod arguments;
pub mod array;
pub mod bench;
pub mod compare;
mod compiled;
mod explained;
pub mod flops;
pub mod kernel;
pub mod measure;
pub mod offsets;
pub mod peer;
pub mod process;
pub mod run;
pub mod sizes;
pub mod solver;
pub mod toolchain;

pub use array::Array;
pub use kernel::{Input, Kernel, Sample, Session, Setting, Signature, Source};
pub use toolchain::Toolchain;
