//! Term → Nest.

use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::nest::Nest;
use crate::term::Program;
use std::collections::BTreeMap;

/// What lowering may decide by.
#[derive(Clone, Debug)]
pub struct Options {
    /// Sizes that are fixed; they leave the signature.
    pub fixed: BTreeMap<Symbol, i64>,
    /// Bytes of a vector register: a power of two, 16 to 64.
    pub register_bytes: u32,
    /// Local buffers up to this size live on the stack.
    pub stack_bytes: u64,
    /// Whether `mapPar` becomes a parallel loop.
    pub parallel: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            fixed: BTreeMap::new(),
            register_bytes: 64,
            stack_bytes: 64 << 10,
            parallel: true,
        }
    }
}

/// Lowers a program.
pub fn lower(program: &Program, options: &Options) -> Result<Nest, Diagnostic> {
    let _ = options;
    Err(Diagnostic::new(
        code::NOT_LOWERABLE,
        format!("`{}` cannot be lowered", program.name),
    ))
}
