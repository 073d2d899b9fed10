//! A kernel that was compiled as its header recommends, and without contraction for those who have to know.
//!
//! In: a unit and the kernel that was built of it. Out: the same kernel, compiled so that every operation rounds as the
//! interpreter's does: where comparisons of floats decide what is computed, no rounding explains that a contraction decides
//! otherwise. Absent: comparing.

use super::compare::Difference;
use super::kernel::{Kernel, Signature, Source};
use super::toolchain::Toolchain;
use crate::diag::Diagnostic;
use crate::emit::CUnit;
use crate::term::Program;
use std::cell::OnceCell;

/// Name of the header that units include.
pub const HEADER: &str = "unit.h";

/// What keeps compilers from rounding once where the program rounds twice.
pub(super) const UNCONTRACTED: &str = "-ffp-contract=off";

pub(super) struct Compiled<'a> {
    unit: &'a CUnit,
    pub exe: Kernel,
    tool: &'a Toolchain,
    /// What it is compiled with besides.
    flags: Vec<String>,
    uncontracted: OnceCell<Kernel>,
}

/// What a unit is to a compiler, which other threads may run.
pub(super) struct Texts<'a> {
    signature: Signature,
    c: &'a str,
    header: &'a str,
}

impl Texts<'_> {
    pub fn of(unit: &CUnit) -> Texts<'_> {
        Texts {
            signature: Signature::of(&unit.abi),
            c: &unit.c,
            header: &unit.header,
        }
    }

    /// Compiles it, with some flags besides the recommended ones.
    pub fn build(&self, tool: &Toolchain, flags: &[String]) -> Result<Kernel, Diagnostic> {
        let source = Source {
            signature: &self.signature,
            c: self.c,
            header: self.header,
            header_name: HEADER,
            flags,
            libraries: &[],
        };
        Kernel::build(tool, &source)
    }
}

impl<'a> Compiled<'a> {
    pub fn new(
        tool: &'a Toolchain,
        unit: &'a CUnit,
        exe: Kernel,
        flags: Vec<String>,
    ) -> Compiled<'a> {
        Compiled {
            unit,
            exe,
            tool,
            flags,
            uncontracted: OnceCell::new(),
        }
    }

    /// Compiled so that nothing is contracted, at the first time that somebody asks.
    pub fn uncontracted(&self) -> Result<&Kernel, Diagnostic> {
        if let Some(kernel) = self.uncontracted.get() {
            return Ok(kernel);
        }
        let more = [UNCONTRACTED.to_string()];
        let flags = [&self.flags[..], &more].concat();
        let kernel = Texts::of(self.unit).build(self.tool, &flags)?;
        Ok(self.uncontracted.get_or_init(|| kernel))
    }
}

/// Whether contraction may explain that results differ by more than rounding does.
pub(super) fn may_decide(program: &Program, difference: &Difference) -> bool {
    !difference.agrees() && program.term.has_floats()
}
