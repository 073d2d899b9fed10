//! The single comparisons of a run.
//!
//! In: a kernel that was built, sizes. Out: a [`Check`] of which both sides agree, or the diagnostic
//! that names the element, the sizes and the seed. Inputs depend on the seed and the sizes only, so
//! that every kernel of a program gets the same. Absent: which sizes, which kernels.

use super::{Check, Subject};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::emit::CUnit;
use crate::exec::arguments::{arguments, evaluate, no_value, out_lens};
use crate::exec::array::{Array, Numbers};
use crate::exec::compare::{compare, identical, within, Difference};
use crate::exec::compiled::{self, Compiled};
use crate::exec::explained::{Bounds, Results, Verdict};
use crate::exec::flops::scanned;
use crate::exec::kernel::{Kernel, Setting, PATIENCE};
use crate::exec::offsets;
use crate::exec::sizes::{Effort, Sizes};
use crate::exec::toolchain::Toolchain;
use crate::interp::random::Rng;
use crate::interp::{self, buffers, Num, Shape};
use crate::obligation::Assumption;
use crate::term::Program;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

pub(in crate::exec) struct Job<'a> {
    pub program: &'a Program,
    pub seed: u64,
    /// What the interpreter said: all kernels of a program are asked for the same.
    known: RefCell<Vec<Known>>,
    bounds: Bounds<'a>,
}

struct Known {
    sizes: Sizes,
    inputs: Vec<Array>,
    want: Rc<Want>,
}

/// So far apart are the turns of two parameters.
const STRIDE: usize = 5;

/// Numbers that are kept until somebody asks again.
const KEPT: usize = 1 << 21;

/// What a kernel has to compute.
enum Want {
    /// To the bit.
    Same(Vec<Array>),
    /// Each number within its own bound.
    Within(Vec<Vec<Num>>),
    /// So many operations stand behind a number.
    Near(Vec<Array>, f64),
}

impl<'a> Job<'a> {
    pub fn new(program: &'a Program, seed: u64, tool: &'a Toolchain) -> Job<'a> {
        Job {
            program,
            seed,
            known: RefCell::default(),
            bounds: Bounds::new(program, tool),
        }
    }

    /// The same for the same seed and sizes, whichever kernel asks.
    pub fn inputs(&self, unit: &CUnit, sizes: &Sizes) -> Result<Vec<Array>, Diagnostic> {
        self.inputs_of(unit, sizes, Numbers::Unit)
    }

    /// The same of a kind of numbers. Of the usual kind offsets are those of a matrix: each value is in one segment.
    fn inputs_of(
        &self,
        unit: &CUnit,
        sizes: &Sizes,
        numbers: Numbers,
    ) -> Result<Vec<Array>, Diagnostic> {
        match numbers {
            Numbers::Unit => self.inputs_in_order(unit, sizes, numbers),
            _ => self.drawn(unit, sizes, numbers, &BTreeSet::new()),
        }
    }

    /// The same with the offsets of a matrix, whatever the numbers are: segments that overlap are as many values as there are segments
    /// times values, which is too much at large sizes.
    pub fn inputs_in_order(
        &self,
        unit: &CUnit,
        sizes: &Sizes,
        numbers: Numbers,
    ) -> Result<Vec<Array>, Diagnostic> {
        self.drawn(unit, sizes, numbers, &offsets::parameters(self.program))
    }

    fn drawn(
        &self,
        unit: &CUnit,
        sizes: &Sizes,
        numbers: Numbers,
        offsets: &BTreeSet<usize>,
    ) -> Result<Vec<Array>, Diagnostic> {
        let mut random = Rng::new(self.seed);
        let mut arrays = Vec::new();
        for slot in &unit.abi.inputs {
            let len = evaluate(slot.count(), sizes)? as usize;
            let ascend = slot.param.is_some_and(|p| offsets.contains(&p));
            arrays.push(match slot.bound {
                Some(bound) => {
                    let bound = evaluate(bound, sizes)? as u64;
                    match ascend {
                        true => Array::random_offsets(slot.elem, len, bound, &mut random),
                        false => Array::random_indices(slot.elem, len, bound, &mut random),
                    }
                }
                None => match numbers {
                    // Two parameters have other ones, so that it is not only all alike that is looked at.
                    Numbers::Turn(turn) if slot.dims.is_empty() => {
                        Array::special(slot.elem, turn + arrays.len() * STRIDE)
                    }
                    _ => Array::drawn(slot.elem, len, numbers, &mut random),
                },
            });
        }
        Ok(arrays)
    }

    /// A kernel, on numbers of a kind, with one thread and with several, beside the interpreter: to the bit, or each element
    /// within its own bound, as kernels that regroup or contract have to be.
    pub fn against_interpreter(
        &self,
        what: Subject,
        (unit, kernel): (&CUnit, &Compiled),
        sizes: &Sizes,
        numbers: Numbers,
        most_threads: usize,
    ) -> Result<Vec<Check>, Diagnostic> {
        let inputs = self.inputs_of(unit, sizes, numbers)?;
        let want = match what {
            Subject::Uncontracted => Rc::new(Want::Same(self.interpret(unit, &inputs, sizes)?)),
            _ => self.bounded_once(unit, &inputs, sizes)?,
        };
        let mut threads = vec![1, most_threads];
        threads.dedup();
        let apart = |exe, threads| {
            let got = self.results((unit, exe), sizes, &inputs, threads)?;
            let difference = match &*want {
                Want::Same(want) => identical(&got, want),
                Want::Within(want) => within(&got, want),
                Want::Near(want, operations) => compare(&got, want, *operations),
            };
            Ok::<_, Diagnostic>((got, difference))
        };
        // The mean of an array tells nothing of what is near where magnitudes differ.
        if matches!(*want, Want::Near(..)) && !matches!(numbers, Numbers::Unit | Numbers::Whole) {
            return Ok(Vec::new());
        }
        let check = |threads| {
            let exe = match what {
                Subject::Uncontracted => kernel.uncontracted()?,
                _ => &kernel.exe,
            };
            let (mut what, (_, mut difference)) = (what, apart(exe, threads)?);
            // Only such values are near that what is no float depends on floats.
            if matches!(*want, Want::Near(..)) && compiled::may_decide(self.program, &difference) {
                let (got, uncontracted) = apart(kernel.uncontracted()?, threads)?;
                (what, difference) = (Subject::Uncontracted, uncontracted);
                if !difference.agrees() {
                    let reference = match &*want {
                        Want::Near(want, _) => want,
                        _ => &got,
                    };
                    let results = Results {
                        sizes,
                        inputs: &inputs,
                        got: &got,
                        reference,
                    };
                    difference = match self.bounds.verdict(&results) {
                        Verdict::Compared(difference) => difference,
                        Verdict::Unknown => difference,
                        // Other sizes may tell more.
                        Verdict::Anything(unbounded) => Difference {
                            unbounded,
                            ..Difference::default()
                        },
                    };
                }
            }
            self.judged((what, Subject::Interpreter), sizes, threads, difference)
        };
        threads.into_iter().map(check).collect()
    }

    /// What a kernel makes of inputs.
    pub fn results(
        &self,
        (unit, exe): (&CUnit, &Kernel),
        sizes: &Sizes,
        inputs: &[Array],
        threads: usize,
    ) -> Result<Vec<Array>, Diagnostic> {
        exe.results(&Setting {
            sizes: &arguments(unit, sizes)?,
            inputs,
            out_lens: &out_lens(unit, sizes)?,
            threads,
            guard: true,
        })
    }

    /// How far results are from what they have to be, where the mean of the whole array did not explain a difference: each
    /// element within a bound of its own.
    pub fn explained(
        &self,
        difference: Difference,
        results: &Results,
    ) -> Result<Difference, Diagnostic> {
        match self.bounds.verdict(results) {
            Verdict::Compared(difference) => Ok(difference),
            Verdict::Unknown => Ok(difference),
            Verdict::Anything(_) => {
                let what = format!(
                    "`{}` cannot be compared: rounding may make anything of its results",
                    self.program.name
                );
                let at = named(self.program, results.sizes).into_iter();
                let at: Vec<_> = at.map(|(n, v)| format!("{n}={v}")).collect();
                let mut d = Diagnostic::new(code::NOT_COMPARABLE, what);
                if let Some(w) = difference.worst {
                    d = d.note(format!(
                        "element {} of result {} is {:e} and {:e}, and may be either",
                        w.index, w.result, w.got, w.want
                    ));
                }
                Err(d
                    .note(format!("sizes {}, seed {}", at.join(" "), self.seed))
                    .help("a kernel that regroups nothing (`permit` without `reassociate`) is compared to the bit"))
            }
        }
    }

    /// A comparison of which both sides agree.
    pub fn judged(
        &self,
        (what, against): (Subject, Subject),
        sizes: &Sizes,
        threads: usize,
        difference: Difference,
    ) -> Result<Check, Diagnostic> {
        let check = Check {
            what,
            against,
            sizes: named(self.program, sizes),
            threads,
            difference,
        };
        self.agree(&check)?;
        Ok(check)
    }

    /// Calls the kernel with sizes that its assumptions exclude, one assumption after the other, and with a negative one in place of each
    /// size: it must return an error code, and nothing may have been written.
    pub fn refusals(
        &self,
        unit: &CUnit,
        exe: &Kernel,
        valid: &Sizes,
        fixed: &Sizes,
    ) -> Result<Vec<Vec<(String, i64)>>, Diagnostic> {
        // Memory is as for the valid sizes: it must not be looked at.
        let inputs = self.inputs(unit, valid)?;
        let out_lens = out_lens(unit, valid)?;
        let mut refused: Vec<Vec<(String, i64)>> = Vec::new();
        let own = unit.abi.sizes.iter().filter(|n| !fixed.contains_key(n));
        let negative = own.map(|n| Assumption::NotNegative(Nat::var(*n)));
        for a in { unit.abi.assumptions.iter().copied() }.chain(negative) {
            let excluded = |s: &Sizes| a.holds(&mut |n| s.get(&n).copied()) == Some(false);
            let free = self.program.sizes.iter().filter(|n| !fixed.contains_key(n));
            let mut tried = free.flat_map(|name| {
                [valid[name] + 1, -1].map(|n| {
                    let mut sizes = valid.clone();
                    sizes.insert(*name, n);
                    sizes
                })
            });
            let Some(sizes) = tried.find(excluded) else {
                continue;
            };
            if refused.contains(&named(self.program, &sizes)) {
                continue;
            }
            let arguments = arguments_any(unit, &sizes);
            let mut session = exe.start(&Setting {
                sizes: &arguments,
                inputs: &inputs,
                out_lens: &out_lens,
                threads: 1,
                guard: true,
            })?;
            let before = session.outputs()?;
            // A crash shows that it went on.
            let status = session.call(1, PATIENCE).map_or(0, |s| s.status);
            let clean = status == 0 || session.outputs()? == before;
            if status == 0 || !clean {
                let did = if status == 0 {
                    "takes"
                } else {
                    "refuses, but writes for,"
                };
                let what = format!(
                    "the kernel `{}` {did} sizes that it excludes",
                    self.program.name
                );
                return Err(Diagnostic::new(code::NOT_REFUSED, what)
                    .note(format!("it assumes {a}; the sizes were {arguments:?}"))
                    .help("report this as a bug of rise-opt, with the program, the sketches and the command line"));
            }
            refused.push(named(self.program, &sizes));
        }
        Ok(refused)
    }

    fn fail(&self, e: interp::InterpError) -> Diagnostic {
        let what = format!("`{}` cannot be interpreted: {e}", self.program.name);
        Diagnostic::new(code::RUN_SIZES, what).help("choose other sizes with `--set`")
    }

    /// The buffers of each parameter.
    fn leaves<'b>(&self, unit: &CUnit, inputs: &'b [Array]) -> Vec<Vec<&'b [u8]>> {
        let of = |i: usize| {
            let slots = unit.abi.inputs.iter().zip(inputs);
            let own = slots.filter(move |(s, _)| s.param == Some(i));
            own.map(|(_, a)| a.bytes.as_slice()).collect()
        };
        (0..self.program.params.len()).map(of).collect()
    }

    /// The same results for whoever asks with the same inputs, as long as they are not too many to be kept.
    fn bounded_once(
        &self,
        unit: &CUnit,
        inputs: &[Array],
        sizes: &Sizes,
    ) -> Result<Rc<Want>, Diagnostic> {
        let same = |k: &&Known| k.sizes == *sizes && k.inputs == inputs;
        if let Some(known) = self.known.borrow().iter().find(same) {
            return Ok(known.want.clone());
        }
        let want = Rc::new(self.bounded(unit, inputs, sizes)?);
        let mut known = self.known.borrow_mut();
        let kept: usize = known.iter().map(Known::numbers).sum();
        let new = Known {
            sizes: sizes.clone(),
            inputs: inputs.to_vec(),
            want: want.clone(),
        };
        if kept + new.numbers() <= KEPT {
            known.push(new);
        }
        Ok(want)
    }

    /// The results with bounds. Where what is no float depends on the order in which floats are added there are none; then
    /// the whole array says what is near.
    fn bounded(&self, unit: &CUnit, inputs: &[Array], sizes: &Sizes) -> Result<Want, Diagnostic> {
        let leaves = self.leaves(unit, inputs);
        let value = interp::eval_bounded(self.program, sizes, &leaves);
        let Some(value) = value.map_err(|e| self.fail(e))? else {
            let effort = Effort::of(self.program, sizes).ok_or_else(|| no_value("the program"))?;
            let want = self.interpret(unit, inputs, sizes)?;
            let operations = per_number(self.program, sizes, &effort, &want);
            return Ok(Want::Near(want, operations));
        };
        Ok(Want::Within(value.leaves()))
    }

    pub fn interpret(
        &self,
        unit: &CUnit,
        inputs: &[Array],
        sizes: &Sizes,
    ) -> Result<Vec<Array>, Diagnostic> {
        let fail = |e| self.fail(e);
        let mut args = Vec::new();
        let leaves = self.leaves(unit, inputs);
        for ((_, ty), leaves) in self.program.params.iter().zip(leaves) {
            let shape = Shape::of(*ty, sizes).map_err(fail)?;
            args.push(buffers::from_buffers(&shape, &leaves).map_err(fail)?);
        }
        let value = interp::eval_program(self.program, sizes, &args).map_err(fail)?;
        let shape = Shape::of(self.program.result, sizes).map_err(fail)?;
        let leaves = buffers::to_buffers(&value, &shape).map_err(fail)?;
        let typed = leaves.into_iter().zip(&unit.abi.outputs);
        Ok(typed
            .map(|(b, slot)| Array {
                scalar: slot.elem,
                bytes: b.bytes,
            })
            .collect())
    }

    pub fn agree(&self, check: &Check) -> Result<(), Diagnostic> {
        if check.difference.agrees() {
            return Ok(());
        }
        let name = match check.what {
            Subject::Kernel => format!("the kernel `{}`", self.program.name),
            Subject::Uncontracted => {
                format!(
                    "the kernel `{}`, compiled without contraction,",
                    self.program.name
                )
            }
            _ => format!("the unoptimised kernel of `{}`", self.program.name),
        };
        let reference = match check.against {
            Subject::Interpreter => "the interpreter",
            _ => "the unoptimised kernel",
        };
        let what = format!("{name} computes something else than {reference}");
        let sizes: Vec<_> = check
            .sizes
            .iter()
            .map(|(n, v)| format!("{n}={v}"))
            .collect();
        let mut d = Diagnostic::new(code::MISMATCH, what);
        if let Some(w) = check.difference.worst {
            d = d.note(format!(
                "element {} of result {} is {:e}, not {:e}",
                w.index, w.result, w.got, w.want
            ));
        }
        let d = d.note(if check.difference.tolerance > 0.0 {
            format!(
                "relative error {:.2e}, rounding explains {:.2e}",
                check.difference.error, check.difference.tolerance
            )
        } else {
            "rounding explains nothing here: what is computed has to be the same to the bit"
                .to_string()
        });
        Err(d
            .note(format!(
                "sizes {}, seed {}, threads {}",
                sizes.join(" "),
                self.seed,
                check.threads
            ))
            .help("report this as a bug of rise-opt, with the program, the sketches and the command line"))
    }
}

impl Known {
    fn numbers(&self) -> usize {
        let lens = |arrays: &[Array]| -> usize { arrays.iter().map(Array::len).sum() };
        let results = match &*self.want {
            Want::Same(arrays) | Want::Near(arrays, _) => lens(arrays),
            Want::Within(all) => all.iter().map(Vec::len).sum(),
        };
        lens(&self.inputs) + results
    }
}

/// As they are, negative ones too.
fn arguments_any(unit: &CUnit, sizes: &Sizes) -> Vec<i64> {
    let names = unit.abi.sizes.iter();
    names.map(|s| sizes.get(s).copied().unwrap_or(0)).collect()
}

pub(in crate::exec) fn named(program: &Program, sizes: &Sizes) -> Vec<(String, i64)> {
    let names = program.sizes.iter();
    names
        .filter_map(|n| Some((n.to_string(), *sizes.get(n)?)))
        .collect()
}

/// Operations behind one number of the result.
pub(in crate::exec) fn per_number(
    program: &Program,
    sizes: &Sizes,
    effort: &Effort,
    results: &[Array],
) -> f64 {
    let numbers: usize = results.iter().map(Array::len).sum();
    effort.work / numbers.max(1) as f64 * scanned(program, sizes)
}
