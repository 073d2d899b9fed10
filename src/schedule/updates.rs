//! Arrays of reductions, each of which takes the elements that a comparison with its place picks.
//!
//! In: the loops. Out: the step that goes over the elements once and updates the result at the place that each of them names,
//! instead of looking at all elements for each result. Absent: whether the comparison is one of places, which the rules ask.

use super::skeleton::{Loops, Map};
use super::{Choice, Permits, Schedule};
use crate::term::Op;

const STEP: &str = "step updates
use rules/fusion.rules (let-inline)
use rules/algorithmic.rules (generate-map)
use rules/irregular.rules (updates)
sketch
  contains scatterReduce
";

/// The step, where there is such an array.
pub fn at_places(loops: &Loops, permits: Permits) -> Option<Schedule> {
    let found = loops.any(&|l| matches!(l, Loops::Map(m) if picks(m)));
    let permit = match permits.reassociate {
        true => "permit reassociate\n",
        false => "",
    };
    found.then(|| Schedule {
        what: "updates at places".to_string(),
        head: format!("import \"sketches/prelude.sk\"\nlimits size 5000\n{permit}"),
        steps: vec![STEP.to_string()],
        changes: 1,
        choice: Choice::default(),
        family: 0,
    })
}

/// Whether each iteration reduces what a choice makes.
fn picks(m: &Map) -> bool {
    match &*m.body {
        Loops::Reduce(r) => r.ops[1] == Some(Op::Select),
        _ => false,
    }
}
