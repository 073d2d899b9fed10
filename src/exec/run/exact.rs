//! Kernels compared to the bit.
//!
//! In: a kernel that regroups nothing. Out: the checks, or the first element of which a bit differs. The kernel is compiled
//! with the flags that its header recommends and without contraction: then every operation rounds as the interpreter's
//! does, and nothing is left for rounding to explain, whatever the numbers are. Three kinds of them are drawn in turn, and
//! parameters that are one number are each special one.
//! Absent: kernels that regroup sums, and contraction, whose results are compared within what rounding explains.

use super::job::Job;
use super::{turns, Check, Options, Subject, Subjects};
use crate::diag::Diagnostic;
use crate::exec::array::Numbers;
use crate::exec::compare::identical;
use crate::exec::compiled::Compiled;
use crate::exec::sizes::{Bound, Question, Sizes};

/// With the interpreter at small sizes, and with the unoptimised kernel at a larger one.
pub(super) fn check(
    job: &Job,
    subjects: &Subjects,
    sized: &Question,
    small: &[Sizes],
    options: &Options,
) -> Result<Vec<Check>, Diagnostic> {
    let what = Subject::Uncontracted;
    let [kernel, unoptimised] = subjects.map(|(_, unit, kernel)| (unit, kernel));
    let mut checks = Vec::new();
    for sizes in small {
        for numbers in Numbers::ALL {
            let threads = options.threads;
            checks.extend(job.against_interpreter(what, kernel, sizes, numbers, threads)?);
        }
    }
    for (sizes, numbers) in turns(kernel.0, sized, small) {
        checks.extend(job.against_interpreter(what, kernel, sizes, numbers, 1)?);
    }
    let less = Bound {
        work: options.large.work / 8.0,
        ..options.large
    };
    let Some(sizes) = sized.large(&less) else {
        return Ok(checks);
    };
    for numbers in [Numbers::Unit, Numbers::Special] {
        let inputs = job.inputs_in_order(unoptimised.0, &sizes, numbers)?;
        let results = |(unit, kernel): (_, &Compiled)| {
            let of = (unit, kernel.uncontracted()?);
            job.results(of, &sizes, &inputs, options.threads)
        };
        let difference = identical(&results(kernel)?, &results(unoptimised)?);
        let pair = (what, Subject::Unoptimised);
        checks.push(job.judged(pair, &sizes, options.threads, difference)?);
    }
    Ok(checks)
}
