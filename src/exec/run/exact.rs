//! Kernels compared to the bit.
//!
//! In: a kernel that regroups nothing. Out: the checks, or the first element of which a bit differs. The kernel is compiled
//! with the flags that its header recommends and without contraction: then every operation rounds as the interpreter's
//! does, and nothing is left for rounding to explain, whatever the numbers are. Three kinds of them are drawn in turn.
//! Absent: kernels that regroup sums, and contraction, whose results are compared within what rounding explains.

use super::job::Job;
use super::{are_one, Check, Options, Subject, HEADER};
use crate::diag::Diagnostic;
use crate::emit::CUnit;
use crate::exec::array::Numbers;
use crate::exec::compare::identical;
use crate::exec::kernel::{Kernel, Signature, Source};
use crate::exec::sizes::{Bound, Question, Sizes};
use crate::exec::toolchain::Toolchain;

/// Compiled so that nothing is contracted.
fn build(tool: &Toolchain, unit: &CUnit) -> Result<Kernel, Diagnostic> {
    let flags = ["-ffp-contract=off".to_string()];
    Kernel::build(
        tool,
        &Source {
            signature: &Signature::of(&unit.abi),
            c: &unit.c,
            header: &unit.header,
            header_name: HEADER,
            flags: &flags,
            libraries: &[],
        },
    )
}

/// With the interpreter at small sizes, and with the unoptimised kernel at a larger one.
pub(super) fn check(
    job: &Job,
    [kernel, unoptimised]: [&CUnit; 2],
    tool: &Toolchain,
    sized: &Question,
    small: &[Sizes],
    options: &Options,
) -> Result<Vec<Check>, Diagnostic> {
    let exe = build(tool, kernel)?;
    let what = Subject::Uncontracted;
    let mut checks = Vec::new();
    for sizes in small {
        for numbers in Numbers::ALL {
            let kernel = (kernel, &exe);
            checks.extend(job.against_interpreter(
                what,
                kernel,
                sizes,
                numbers,
                options.threads,
            )?);
        }
    }
    let less = Bound {
        work: options.large.work / 8.0,
        ..options.large
    };
    let Some(sizes) = sized.large(&less) else {
        return Ok(checks);
    };
    let other = match are_one([kernel, unoptimised]) {
        true => None,
        false => Some(build(tool, unoptimised)?),
    };
    let reference = other.as_ref().unwrap_or(&exe);
    for numbers in [Numbers::Unit, Numbers::Special] {
        let inputs = job.inputs_of(unoptimised, &sizes, numbers)?;
        let results = |of| job.results(of, &sizes, &inputs, options.threads);
        let want = results((unoptimised, reference))?;
        let difference = identical(&results((kernel, &exe))?, &want);
        let pair = (what, Subject::Unoptimised);
        checks.push(job.judged(pair, &sizes, options.threads, difference)?);
    }
    Ok(checks)
}
