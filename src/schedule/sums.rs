//! Reductions with which something is done before it is stored, in loops of their own.
//!
//! In: the loops. Out: the step that makes of `for i: f (Σ …)` the loops `for i: s(i) = Σ …;  for i: f s(i)`, so that the first
//! one is the loop over reductions that a register tile, or lanes, need. Either only the innermost loop is taken apart, so that one row of
//! sums is kept at a time, or all loops around it. Absent: whether that pays, what becomes of the two loops.

use super::print::size;
use super::skeleton::{Loops, Map};
use super::Schedule;

/// Reductions known to be shorter are not worth a loop of their own.
const SHORT: i64 = 16;

const RULES: &str = "use rules/sharing.rules (let-fission, reduction-apart, reduction-apart-left,
  reduction-apart-in-left, reduction-apart-in-right, reduction-apart-left-in-left, reduction-apart-left-in-right)\n";
/// Where names stand between the loop and the reduction.
const INLINE: &str = "use rules/fusion.rules (let-inline)\n";

/// The ways to do it, where there is such a reduction.
pub fn apart(loops: &Loops) -> Vec<Schedule> {
    let mut all = Vec::new();
    for whole in [false, true] {
        let mut names = false;
        let Some(sketch) = written(loops, whole, &mut names) else {
            continue;
        };
        let inline = if names { INLINE } else { "" };
        let inner = sketch.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
        let sketch = inner.unwrap_or(&sketch);
        let schedule = Schedule {
            what: "sums apart".to_string(),
            head: "import \"sketches/prelude.sk\"\n".to_string(),
            steps: vec![format!("step sums\n{inline}{RULES}sketch\n  {sketch}\n")],
            changes: 1,
            sums: false,
        };
        if all.iter().all(|o: &Schedule| o.steps != schedule.steps) {
            all.push(schedule);
        }
    }
    all
}

/// What stands behind names of what has no loop of its own.
fn unnamed(loops: &Loops) -> &Loops {
    match loops {
        Loops::Let { value, body, .. }
            if !value.any(&|l| !matches!(l, Loops::Map(_) | Loops::Nothing)) =>
        {
            unnamed(body)
        }
        _ => loops,
    }
}

/// How the first such reduction looks then.
fn written(loops: &Loops, whole: bool, names: &mut bool) -> Option<String> {
    match loops {
        Loops::Nothing | Loops::Reduce(_) => None,
        Loops::Map(m) => match (nest(m), &*m.body) {
            (Some((sums, named)), body) if whole || !matches!(unnamed(body), Loops::Map(_)) => {
                *names |= named;
                Some(format!("(contains (app let {sums} ?))"))
            }
            (_, body) => {
                let body = written(body, whole, names)?;
                Some(format!("(containsMap {} {body})", size(m.n)))
            }
        },
        Loops::Let { value, body, .. } => {
            written(value, whole, names).or_else(|| written(body, whole, names))
        }
        Loops::Parts(all) => all.iter().find_map(|l| written(l, whole, names)),
    }
}

/// Loops that stand directly in each other, the innermost of which does something with a reduction; whether names stand in between.
fn nest(m: &Map) -> Option<(String, bool)> {
    let inside = unnamed(&m.body);
    let (body, named) = match inside {
        Loops::Map(inner) => nest(inner)?,
        Loops::Reduce(r) => {
            let long = r.n.as_int().is_none_or(|n| n >= SHORT);
            let apart = !m.reduces && m.elem.as_scalar().is_some();
            (long && apart).then(|| ("(\\ (app reduce ? ? ?))".to_string(), false))?
        }
        _ => return None,
    };
    let named = named || !std::ptr::eq(inside, &*m.body);
    (!m.generates).then(|| (format!("(containsMap {} {body})", size(m.n)), named))
}
