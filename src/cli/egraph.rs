//! `--emit egraph,dot`: which part of which graph is written.
//!
//! In: flags, the steps of the sketches. Out: what the search cuts out. Absent: the cutting (`search`), the formats
//! (`report`).

use super::artefacts::Artefact;
use crate::diag::{code, Diagnostic};
use crate::elab::Step;
use crate::search::Cut;

/// Classes that are shown where nothing else is asked for.
const CLASSES: usize = 200;

/// What the flags ask for.
pub struct Asked<'a> {
    pub emit: &'a [Artefact],
    pub classes: Option<usize>,
    pub step: Option<&'a str>,
}

/// The artefacts that show an e-graph.
pub const SHOW: [Artefact; 2] = [Artefact::Egraph, Artefact::Dot];

impl Asked<'_> {
    fn shows(&self) -> bool {
        self.emit.iter().any(|a| SHOW.contains(a))
    }

    /// Whether something is asked of an e-graph that is not written.
    pub fn in_vain(&self) -> bool {
        (self.classes.is_some() || self.step.is_some()) && !self.shows()
    }

    /// What to cut out, if anything is to be written.
    pub fn cut(&self, steps: &[Step]) -> Result<Option<Cut>, Diagnostic> {
        if !self.shows() {
            return Ok(None);
        }
        if steps.is_empty() {
            let what = "there is no e-graph to emit: without a sketch nothing is searched";
            return Err(Diagnostic::new(code::NO_STEP, what).help(
                "name a sketch with `--sketch`, or leave `egraph` and `dot` out of `--emit`",
            ));
        }
        if let Some(name) = self.step {
            let names: Vec<&str> = steps.iter().map(|s| &*s.name).collect();
            if !names.contains(&name) {
                let all: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
                let what = format!("there is no step `{name}`");
                let all = format!("the steps are {}", all.join(", "));
                return Err(Diagnostic::new(code::NO_STEP, what).help_near(name, names, all));
            }
        }
        Ok(Some(Cut {
            classes: self.classes.unwrap_or(CLASSES),
            step: self.step.map(str::to_string),
        }))
    }
}
