//! One side of a choice as a program of its own.
//!
//! In: a step with `focus choice`, the term before it. Out: the step and the term of the side that its sketch asks for, and how what
//! was found for that side, and the proof of it, become what was found for the whole term. The sketch names the side:
//! `app select C S ?` is the first one, `app select C ? T` the other, and so on inside of it. What is not asked for stays as it is, so its
//! rules cost nothing and its form is not lost. Where the term is no such choice, there is nothing to focus on, and the diagnosis
//! says what the whole term lacks. Absent: searching.

use crate::elab::{self, Step};
use crate::proof::{self, put, By, Segment};
use crate::sketch::Goal;
use crate::term::{written_out, Kind, Op, Term};

/// A side, and where it stands.
pub(super) struct Focus {
    pub step: Step,
    /// The program with the side as its body.
    pub term: Term,
    whole: Term,
    /// How many parameters both have.
    params: usize,
    /// The place of the side in the whole term.
    place: Vec<u8>,
}

/// What a step is about, if it is one side alone.
pub(super) fn focus(step: &Step, term: &Term) -> Option<Focus> {
    let elab::Focus::Side { first } = step.focus else {
        return None;
    };
    let params = term.lambdas();
    let mut place = vec![0; params as usize];
    let mut sketch = &step.sketch;
    let mut side = proof::at(term, &place)?;
    while let Some((cond, chosen, second)) = sketch.chosen() {
        let Some((prim, args)) = side.as_prim_app() else {
            break;
        };
        let ([c, a, b], Op::Select) = (&args[..], prim.op()) else {
            break;
        };
        let c = under(term, params, c);
        if !Goal::new(cond, params).accepts(&c) {
            break;
        }
        let (next, way): (&Term, &[u8]) = match second {
            true => (b, &[1]),
            false => (a, &[0, 1]),
        };
        place.extend(way);
        (sketch, side) = (chosen, next);
    }
    let alone = under(term, params, side);
    (place.len() > params as usize).then(|| Focus {
        step: Step {
            sketch: sketch.clone(),
            focus: elab::Focus::Whole,
            ..step.clone()
        },
        // As the program itself when its first step begins: what was found for it alone is found here.
        term: match first {
            true => written_out(&alone),
            false => alone,
        },
        whole: term.clone(),
        params: params as usize,
        place: place.clone(),
    })
}

/// A term below the parameters of a program.
fn under(program: &Term, params: u32, body: &Term) -> Term {
    match (program.kind(), program.ty().as_fun()) {
        (Kind::Lam(hint, inner), Some((arg, _))) if params > 0 => {
            Term::lam(*hint, arg, under(inner, params - 1, body))
        }
        _ => body.clone(),
    }
}

impl Focus {
    /// The whole term with another side.
    pub fn with(&self, side: &Term) -> Option<Term> {
        put(
            &self.whole,
            &self.place,
            proof::at(side, &self.place[..self.params])?,
        )
    }

    /// The same of what is left of both when so many parameters are taken away.
    fn below(&self, taken: usize, side: &Term) -> Option<Term> {
        let whole = proof::at(&self.whole, &self.place[..taken])?;
        let body = proof::at(side, &self.place[taken..self.params])?;
        put(whole, &self.place[taken..], body)
    }

    /// Why the whole terms are equal, where the sides are.
    pub fn segment(&self, segment: Segment) -> Result<Segment, String> {
        let lost = || "a step of one side is none of the whole term".to_string();
        let step = |mut step: proof::Step| {
            let inside = step.at.len() >= self.params;
            if inside {
                step.at.splice(..self.params, self.place.iter().copied());
                return Ok(step);
            }
            // A rule between functions of the parameters says nothing of what is chosen.
            if !matches!(step.by, By::Normal) {
                return Err(lost());
            }
            let taken = step.at.len();
            step.from = self.below(taken, &step.from).ok_or_else(lost)?;
            step.to = self.below(taken, &step.to).ok_or_else(lost)?;
            Ok(step)
        };
        let steps: Result<Vec<_>, String> = segment.steps.into_iter().map(step).collect();
        Ok(Segment {
            steps: steps?,
            end: self.with(&segment.end).ok_or_else(lost)?,
            ..segment
        })
    }
}
