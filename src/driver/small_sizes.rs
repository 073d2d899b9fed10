//! Small sizes, which take something else than the best for all.
//!
//! In: all that was tried, with its kernels. Out: the sketch file of a kernel that chooses by one size parameter, where the estimate says
//! that up to a small size something else is so much faster that it is worth a second kernel beside the first; nothing where it is not, or
//! where the kernel that chooses is not as fast as each by itself. All other sizes are as large as calls usually have them: the rows of
//! a matrix are short, say, and there are many. Absent: classes that the user asks for (`by_size`).

use super::auto::{Auto, BySize, Class, Trial};
use super::candidates::{is_plain, Ended, DOUBT, SAME};
use super::sizes::{open, supposed, Classes};
use crate::arith::Nat;
use crate::exec::sizes::Sizes;
use crate::intern::Symbol;
use crate::nest::{abi, Nest};
use crate::ty::Ty;
use std::collections::BTreeMap;

/// Where small sizes end that are looked at, and which part of that stands for those below it; of so many size parameters.
const ENDS: [i64; 4] = [8, 16, 32, 64];
const PART: (i64, i64) = (3, 4);
const PARAMETERS: usize = 4;
/// How many times as fast something else has to be at one of them: plain loops, of which an estimate knows most, and those instead of sums
/// in vectors, which take longer to begin and to end than it seems; others; and what is faster for the very smallest sizes alone, where
/// nothing else begins and ends vectors.
const GAIN: f64 = 1.4;
const GAIN_WITHOUT: f64 = 1.2;
const GAIN_OTHERS: f64 = 1.6;
const GAIN_FEW: f64 = 2.0;
/// Pieces of rows in more vectors than these are no way to go through short ones.
const WIDE: u32 = 8;
/// Where a whole call takes fewer cycles, nothing is gained.
const CALL: f64 = 1e5;

/// What sizes below an end take; nothing for the program as it stands.
struct Small {
    size: Symbol,
    ends: usize,
    takes: Option<usize>,
    /// The logarithm of what is gained, for all ends together.
    gain: f64,
}

/// What is taken, a size parameter, and which end it is below, or that it is not small.
type Probe = (Option<usize>, Symbol, usize);

/// Estimates at small sizes, each made once.
struct Probes<'a, 't> {
    trial: &'a Trial<'t>,
    auto: &'a Auto,
    known: BTreeMap<Probe, Option<(f64, f64)>>,
    /// The numbers of rows of results that have several dimensions.
    rows: Vec<Nat>,
}

impl Probes<'_, '_> {
    /// How many ends there are below what a parameter usually is.
    fn ends(&self, size: Symbol) -> usize {
        let usual = self.auto.sizes.get(&size).copied().unwrap_or(0);
        ENDS.iter().take_while(|end| 2 * **end <= usual).count()
    }

    /// Whether a parameter says how many rows there are.
    fn counts_rows(&self, size: Symbol) -> bool {
        self.rows.iter().any(|n| n.mentions(size))
    }

    /// Sizes that stand for those of a parameter below an end. Behind the last one it is not small, and all others are what they are beside
    /// small ones, but that there are fewer rows, so that as much is in caches.
    fn sizes(&self, size: Symbol, end: usize) -> Sizes {
        let input = self.trial.input;
        let (mut sizes, own) = match ENDS.get(end) {
            Some(end) => (input.fixed.clone(), end * PART.0 / PART.1),
            None => (self.sizes(size, 0), 2 * ENDS[ENDS.len() - 1]),
        };
        sizes.retain(|s, _| input.fixed.contains_key(s) || !self.counts_rows(*s));
        sizes.insert(size, own);
        supposed(&input.program, &sizes)
    }

    /// What something gains where a parameter is not small: then others are why.
    fn by_others(&mut self, size: Symbol, takes: Option<usize>) -> Option<f64> {
        let new = self.at(takes, size, ENDS.len())?;
        let old = self.at(self.auto.best, size, ENDS.len())?;
        Some((old.0 / new.0).ln())
    }

    fn kernel(&self, takes: Option<usize>) -> Option<&Nest> {
        let trial = self.trial;
        takes.map_or(trial.standing.as_ref(), |t| trial.kernels.get(t)?.as_ref())
    }

    fn at(&mut self, takes: Option<usize>, size: Symbol, end: usize) -> Option<(f64, f64)> {
        if let Some(known) = self.known.get(&(takes, size, end)) {
            return *known;
        }
        let kernel = self.kernel(takes);
        let found = kernel.map(|k| self.trial.at(k, &self.sizes(size, end)));
        self.known.insert((takes, size, end), found);
        found
    }

    /// Up to which end something is faster than the best for all sizes. Of the smallest sizes little is left to gain: there it is enough
    /// that nothing is lost.
    fn small(&mut self, size: Symbol, takes: Option<usize>) -> Option<Small> {
        let best = self.auto.best;
        let changes = |t: Option<usize>| t.map_or(0, |t| self.auto.tried[t].schedule.changes);
        let lanes = |t: Option<usize>| t.map_or(0, |t| self.auto.tried[t].schedule.choice.lanes);
        let doubt = DOUBT.powi(changes(takes) as i32 - changes(best) as i32);
        let (mut sum, mut most, mut ends) = (0.0, 0.0, 0);
        for end in 0..self.ends(size) {
            let (new, old) = (self.at(takes, size, end)?, self.at(best, size, end)?);
            let gain = (old.0 / (new.0 * doubt)).ln();
            let is_faster = gain >= DOUBT.ln() || end == 0 && gain >= 0.0;
            if !is_faster || new.1 > old.1 * SAME || old.0 < CALL {
                break;
            }
            sum += gain;
            most = gain.max(most);
            ends = end + 1;
        }
        let choice = takes.map(|t| self.auto.tried[t].schedule.choice);
        let enough = match choice {
            _ if ends == 1 && lanes(best) == 0 => GAIN_FEW,
            Some(choice) if !is_plain(&choice) => GAIN_OTHERS,
            _ if lanes(takes) == 0 && lanes(best) > 0 => GAIN_WITHOUT,
            _ => GAIN,
        };
        (most >= enough.ln()).then_some(())?;
        // Plain loops lose nothing where others are why.
        let by_others = match choice {
            Some(choice) if !is_plain(&choice) => self.by_others(size, takes)?.max(0.0),
            _ => 0.0,
        };
        (most >= enough.ln() + by_others).then_some(Small {
            size,
            ends,
            takes,
            gain: sum,
        })
    }

    /// What gains most.
    fn best(&mut self) -> Option<Small> {
        let input = self.trial.input;
        let sizes = open(&input.program, &input.fixed, 2 * ENDS[0]);
        // Few rows, each of which is longer than any, are no usual call.
        let rows = |s: &Symbol| self.counts_rows(*s);
        let sizes: Vec<Symbol> = sizes.into_iter().filter(|s| !rows(s)).collect();
        let estimated = |i: &usize| {
            let tried = &self.auto.tried[*i];
            tried.schedule.choice.columns <= WIDE && matches!(tried.ended, Ended::Estimated(..))
        };
        let tried = (0..self.auto.tried.len()).filter(estimated).map(Some);
        let standing = (!self.auto.demanded).then_some(None);
        let all: Vec<Option<usize>> = tried.chain(standing).collect();
        let mut found: Option<Small> = None;
        for size in sizes.into_iter().take(PARAMETERS) {
            for takes in all.iter().filter(|t| **t != self.auto.best) {
                let small = self.small(size, *takes);
                let more = |s: &Small| found.as_ref().is_none_or(|f| s.gain > f.gain);
                if let Some(small) = small.filter(more) {
                    found = Some(small);
                }
            }
        }
        found
    }
}

/// The numbers of rows of results that have several dimensions.
fn rows(result: Ty) -> Vec<Nat> {
    let leaves = abi::leaves(result).unwrap_or_default();
    let rows = leaves.into_iter().filter(|(.., dims)| dims.len() > 1);
    rows.map(|(.., dims)| dims[0]).collect()
}

impl Trial<'_> {
    /// What is faster than the best for all sizes up to a small one, and the file that chooses.
    pub(super) fn by_small_sizes(&mut self, auto: &Auto) -> Option<BySize> {
        let known = BTreeMap::new();
        let mut probes = Probes {
            trial: self,
            auto,
            known,
            rows: rows(self.input.program.result),
        };
        let small = probes.best()?;
        let standing = auto.plain?;
        let (size, last) = (small.size, small.ends - 1);
        let classes = Classes::below(size, ENDS[last]);
        let at_small = probes.sizes(size, last);
        let names = classes.names();
        let of = [
            (small.takes, &at_small, probes.at(None, size, last)?.0),
            (auto.best, &auto.sizes, standing),
        ];
        let expected = probes.at(small.takes, size, last)?;
        let taken = |t: usize| match auto.tried[t].ended {
            Ended::Estimated(all, _) => Some(all),
            _ => None,
        };
        let cycles = [small.takes.map(|_| expected.0), auto.best.and_then(taken)];
        let named = names.into_iter().zip(of).zip(cycles);
        let classes_of = named.map(|((what, (takes, sizes, plain)), cycles)| Class {
            what,
            sizes: sizes.iter().map(|(s, n)| (s.to_string(), *n)).collect(),
            plain,
            cycles,
            takes,
        });
        let classes_of = classes_of.collect();
        let variants = classes.variants(&[small.takes, auto.best]);
        let text = auto.text_of(&variants);
        let kernel = self.reaches(&text).ok()?;
        // Nobody asked for it: what does not choose well is not mentioned.
        let usual = cycles[1].unwrap_or(standing);
        let is_as_fast = |new: f64, old: f64| new <= old * SAME * SAME;
        let keeps = is_as_fast(self.at(&kernel, &at_small).0, expected.0)
            && is_as_fast(self.estimates(&kernel).0 .0, usual);
        keeps.then_some(BySize {
            variants,
            text: Some(text),
            lost: None,
            classes: classes_of,
        })
    }
}
