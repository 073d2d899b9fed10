//! One kernel for classes of sizes, each with its schedule.
//!
//! In: classes, all that was tried, with estimates for each class. Out: which class takes what, and the sketch file of the kernel
//! that chooses, if one schedule is not as good for all of them. What all sizes would take stays, unless something else is estimated to be
//! faster at all sizes that stand for a class, by as much as a kind of change is doubted. The file was searched for, and its kernel takes all
//! sizes that the program takes and is estimated to be as fast in every class as what was chosen for it; otherwise the best
//! kernel for all sizes stays. Absent: what classes are.

use super::auto::{adopt, Auto, BySize, Class, Trial};
use super::candidates::{mean, Cycles, Ended, DOUBT, SAME};
use super::input::Input;
use super::sizes::{supposed, Classes};
use super::trust::Trust;
use crate::diag::Diagnostic;
use crate::nest::Nest;
use crate::schedule::{Permits, Space};
use crate::search;
use crate::source::SourceMap;

/// Tries the schedules of a program for classes of sizes, each of which may take another one; where nobody says which, small sizes are
/// looked at.
pub fn auto_for(
    input: &Input,
    permits: Permits,
    space: Space,
    classes: Option<&Classes>,
    options: &search::Options,
    sources: &mut SourceMap,
) -> Auto {
    let sizes = supposed(&input.program, &input.fixed);
    let points = classes.map(|c| c.points(&input.program, &input.fixed));
    let points = points.unwrap_or_default();
    let at = (&sizes, &points[..]);
    let mut trial = Trial::new(input, (permits, space), at, options, sources);
    let (mut auto, plain) = trial.auto(space);
    let Some(classes) = classes else {
        auto.by_size = trial.by_small_sizes(&auto);
        auto.nodes = trial.nodes;
        return auto;
    };
    if let (Some(plain), false) = (plain, points.is_empty()) {
        let by = trial.by_size(classes, &auto, plain);
        auto.best = by.variants.single().unwrap_or(auto.best);
        auto.by_size = Some(by);
        auto.nodes = trial.nodes;
    }
    auto
}

/// The input with the steps of what is taken, if there are any, of the few schedules that nothing is measured for.
pub fn find(
    input: &mut Input,
    permits: Permits,
    trust: Trust,
    options: &search::Options,
    sources: &mut SourceMap,
) -> Result<Auto, Vec<Diagnostic>> {
    let found = auto_for(input, permits, Space::Small, None, options, sources);
    if let Some(steps) = found.steps() {
        adopt(input, &steps, trust, sources)?;
    }
    Ok(found)
}

impl Trial<'_> {
    /// What is best for each class, with the estimates of the program as it stands, and the file that chooses.
    fn by_size(&mut self, classes: &Classes, auto: &Auto, plain: Vec<Cycles>) -> BySize {
        let takes = takes(auto, &plain);
        let variants = classes.variants(&takes);
        let mut by = BySize {
            variants,
            text: None,
            lost: None,
            classes: Vec::new(),
        };
        for (i, what) in classes.names().into_iter().enumerate() {
            let [_, sizes] = &self.points[i];
            by.classes.push(Class {
                what,
                sizes: sizes.iter().map(|(s, n)| (s.to_string(), *n)).collect(),
                plain: mean(&plain[i]),
                cycles: takes[i].map(|t| mean(&auto.tried[t].by_class[i])),
                takes: takes[i],
            });
        }
        if by.variants.single().is_some() {
            return by;
        }
        let text = auto.text_of(&by.variants);
        match self
            .reaches(&text)
            .and_then(|kernel| self.keeps(&kernel, auto, &takes))
        {
            Ok(()) => by.text = Some(text),
            Err(why) => by.lost = Some(why),
        }
        by
    }

    /// Whether a kernel is as fast in every class as what was chosen for it.
    fn keeps(&self, kernel: &Nest, auto: &Auto, takes: &[Option<usize>]) -> Result<(), String> {
        let found = self.estimates(kernel);
        for ((i, takes), found) in takes.iter().enumerate().zip(&found.1) {
            let Some(t) = takes else { continue };
            if mean(found) > mean(&auto.tried[*t].by_class[i]) * SAME * SAME {
                let why = "one kernel of all is estimated to be slower than each by itself";
                return Err(why.to_string());
            }
        }
        Ok(())
    }
}

/// What each class takes: its best, or what the next one takes, where that is nearly as good.
fn takes(auto: &Auto, plain: &[Cycles]) -> Vec<Option<usize>> {
    let estimated = |i: &usize| matches!(auto.tried[*i].ended, Ended::Estimated(..));
    let all: Vec<Option<usize>> = (0..auto.tried.len())
        .filter(estimated)
        .map(Some)
        .chain((!auto.demanded).then_some(None))
        .collect();
    let mut takes: Vec<Option<usize>> = Vec::new();
    for (i, plain) in plain.iter().enumerate().rev() {
        let of = |takes: Option<usize>| takes.map_or(plain, |t| &auto.tried[t].by_class[i]);
        let stays = auto.best;
        let is_faster = |takes: &Option<usize>| {
            let mut both = of(*takes).iter().zip(of(stays));
            both.all(|(new, old)| new.0 * DOUBT < old.0 && new.1 <= old.1 * SAME)
        };
        let faster = all.iter().copied().filter(is_faster);
        let best = faster.min_by(|a, b| mean(of(*a)).total_cmp(&mean(of(*b))));
        let best = best.unwrap_or(stays);
        let next = takes.last().copied();
        let as_good = |next: &Option<usize>| {
            (*next == stays || is_faster(next)) && mean(of(*next)) <= mean(of(best)) * DOUBT
        };
        takes.push(next.filter(as_good).unwrap_or(best));
    }
    takes.reverse();
    takes
}
