//! What rounding explains of a result, at sizes of any kind.
//!
//! In: a program, inputs, what a kernel made of them. Out: whether every number of it is within the bound that the program with
//! bounds ([`crate::rounding`]) computes of the same inputs, compiled at the first time that somebody asks. That bound is for
//! roundings that all go one way, which of a million is far from what random numbers do. So a kernel is allowed what it would
//! be by chance, or as often that as 4 times what the reference itself needs, which is much where sums come to a stop or all
//! that is added is the same. Where rounding may make anything of most numbers, it explains nothing, and that is said.
//! Absent: programs that have no bounds.

use super::arguments::{arguments, out_lens};
use super::array::Array;
use super::compare::{Difference, Worst};
use super::compiled::{Texts, HEADER};
use super::kernel::{Kernel, Setting};
use super::sizes::Sizes;
use super::toolchain::Toolchain;
use crate::emit::{self, emit, CUnit};
use crate::lower::{self, lower};
use crate::rounding::{self, Roundings};
use crate::term::Program;
use std::cell::OnceCell;

/// A program with bounds, once it was compiled.
pub(super) struct Bounds<'a> {
    program: &'a Program,
    tool: &'a Toolchain,
    alike: OnceCell<Option<(CUnit, Kernel)>>,
    by_chance: OnceCell<Option<(CUnit, Kernel)>>,
}

/// What to compare.
pub(super) struct Results<'r> {
    pub sizes: &'r Sizes,
    pub inputs: &'r [Array],
    pub got: &'r [Array],
    /// What the program makes of the inputs as it stands.
    pub reference: &'r [Array],
}

/// So many numbers tell whether most are in doubt.
const FEW: u64 = 8;

/// What is known of a result.
pub(super) enum Verdict {
    /// Every number is as near as rounding explains; or the one that is not, farthest.
    Compared(Difference),
    /// Rounding may make anything of more than half of the numbers of a result; so many.
    Anything(u64),
    /// No bounds can be computed.
    Unknown,
}

impl<'a> Bounds<'a> {
    pub fn new(program: &'a Program, tool: &'a Toolchain) -> Bounds<'a> {
        Bounds {
            program,
            tool,
            alike: OnceCell::new(),
            by_chance: OnceCell::new(),
        }
    }

    fn kernel(&self, roundings: Roundings) -> Option<&(CUnit, Kernel)> {
        let build = || {
            let program = rounding::with_bounds(self.program, roundings)?;
            let options = lower::Options {
                target: self.tool.target,
                ..lower::Options::default()
            };
            let nest = lower(&program, &options).ok()?;
            let options = emit::Options {
                header_name: Some(HEADER.to_string()),
                ..emit::Options::default()
            };
            let unit = emit(&nest, &options);
            // Zeros of both signs, infinities and NaN are told apart, and nothing is contracted.
            let flags = [super::compiled::UNCONTRACTED.to_string()];
            let kernel = Texts::of(&unit).build(self.tool, &flags).ok()?;
            Some((unit, kernel))
        };
        let built = match roundings {
            Roundings::Alike => &self.alike,
            Roundings::ByChance => &self.by_chance,
        };
        built.get_or_init(build).as_ref()
    }

    /// Two arrays for each result: values with how far from them it may be, or from where to where.
    fn of(&self, roundings: Roundings, results: &Results) -> Option<Vec<Array>> {
        let (unit, kernel) = self.kernel(roundings)?;
        let setting = Setting {
            sizes: &arguments(unit, results.sizes).ok()?,
            inputs: results.inputs,
            out_lens: &out_lens(unit, results.sizes).ok()?,
            threads: 1,
            guard: false,
        };
        kernel.results(&setting).ok()
    }

    /// What it explains of results.
    pub fn verdict(&self, results: &Results) -> Verdict {
        let all = |roundings| {
            let of = self.of(roundings, results)?;
            let fits = |b: &[Array], g: &Array| b.iter().all(|b| b.len() == g.len());
            let same = of.len() == 2 * results.got.len();
            let mut pairs = of.chunks(2).zip(results.got.iter().zip(results.reference));
            let fit = same && pairs.all(|(b, (g, r))| fits(b, g) && g.len() == r.len());
            fit.then_some(of)
        };
        match (all(Roundings::Alike), all(Roundings::ByChance)) {
            (Some(alike), Some(by_chance)) => judged(results, &alike, &by_chance),
            _ => Verdict::Unknown,
        }
    }
}

/// So much more than the reference a kernel may be off.
const MORE: f64 = 4.0;

/// Results beside their bounds.
fn judged(results: &Results, alike: &[Array], by_chance: &[Array]) -> Verdict {
    let (mut all, mut anything) = (Difference::default(), false);
    let bounds = alike.chunks(2).zip(by_chance.chunks(2));
    let both = results.got.iter().zip(results.reference);
    for (result, ((got, reference), (alike, by_chance))) in both.zip(bounds).enumerate() {
        let scale = scale(&alike[0]);
        let times = (MORE * needed(reference, by_chance)).max(1.0);
        let mut open = 0;
        for index in 0..got.len() {
            let near = match got.scalar.is_float() {
                true => float(got, [alike, by_chance], index, times, scale),
                false => whole(got, alike, index),
            };
            open += u64::from(near.open);
            if near.off == f64::INFINITY {
                continue;
            }
            let want = near.want;
            let by = match want == 0.0 || !want.is_finite() {
                true => 1.0,
                false => want.abs(),
            };
            all = all.or(Difference {
                error: near.apart / by,
                tolerance: near.off / by,
                worst: Some(Worst {
                    result,
                    index,
                    got: got.number(index),
                    want,
                }),
                unbounded: 0,
            });
        }
        // Of a few numbers chance alone may put more than half in doubt.
        anything |= open >= FEW && 2 * open > got.len() as u64;
        all.unbounded += open;
    }
    match anything && all.agrees() {
        true => Verdict::Anything(all.unbounded),
        false => Verdict::Compared(all),
    }
}

/// How often what chance explains a number of the reference is off, at most.
fn needed(reference: &Array, by_chance: &[Array]) -> f64 {
    if !reference.scalar.is_float() {
        return 0.0;
    }
    let times = |i: usize| {
        let want = by_chance[0].number(i);
        let times = (reference.number(i) - want).abs() / by_chance[1].number(i);
        if times.is_finite() {
            times
        } else {
            0.0
        }
    };
    (0..reference.len()).map(times).fold(0.0, f64::max)
}

/// The mean of what is finite.
fn scale(values: &Array) -> f64 {
    if !values.scalar.is_float() {
        return 0.0;
    }
    let finite = (0..values.len()).map(|i| values.number(i).abs());
    let (sum, count) = finite
        .filter(|x| x.is_finite())
        .fold((0.0, 0.0), |(s, n), x| (s + x, n + 1.0));
    if count > 0.0 {
        sum / count
    } else {
        0.0
    }
}

/// A number beside what it has to be.
struct Near {
    apart: f64,
    off: f64,
    want: f64,
    /// Whether it may be anything of its size.
    open: bool,
}

fn float(got: &Array, [alike, by_chance]: [&[Array]; 2], i: usize, times: f64, scale: f64) -> Near {
    let (got, want, most) = (got.number(i), alike[0].number(i), alike[1].number(i));
    // What has no bound by chance is not compared; nothing is allowed beyond the bound.
    let chance = by_chance[1].number(i);
    let off = match chance.is_finite() {
        true => most.min(chance * times),
        false => f64::INFINITY,
    };
    let same = got == want || got.is_nan() && want.is_nan();
    let apart = if same { 0.0 } else { (got - want).abs() };
    Near {
        apart: if apart.is_nan() { f64::INFINITY } else { apart },
        off,
        want,
        open: off > want.abs().max(scale),
    }
}

/// It is between two numbers, one of which is far from the other only if it may be anything.
fn whole(got: &Array, bounds: &[Array], i: usize) -> Near {
    let (got, low, high) = (got.int(i), bounds[0].int(i), bounds[1].int(i));
    let outside = (low - got).max(got - high).max(0);
    Near {
        apart: if outside > 0 { f64::INFINITY } else { 0.0 },
        off: 0.0,
        want: (if got > high { high } else { low }) as f64,
        open: 4 * (high - low) > low.abs().max(high.abs()),
    }
}
