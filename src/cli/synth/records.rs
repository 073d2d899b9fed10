//! Records of a search for rules: read before it, added to while it runs.

use super::super::output::{append, has_text};
use super::super::Context;
use crate::diag::Diagnostic;
use crate::report::left_side;
use crate::synth::{Attempt, Records};
use std::cell::RefCell;
use std::rc::Rc;

/// What is kept of a run.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) records: Records,
    /// What was wrong when a line was to be written.
    failed: Rc<RefCell<Option<Diagnostic>>>,
}

impl Kept {
    /// What the file holds already; what comes is added to it.
    pub(super) fn new(path: Option<&str>, context: &mut Context) -> Result<Kept, Vec<Diagnostic>> {
        let Some(path) = path else {
            return Ok(Kept::default());
        };
        let mut known = Vec::new();
        if has_text(path) {
            let file = context.sources.load(path).map_err(|e| vec![e.into()])?;
            known = left_side::read(&mut context.sources, file).map_err(|d| vec![d])?;
        }
        // Whether it can be written is found out before any work.
        append(path, "").map_err(|d| vec![d])?;
        let failed = Rc::new(RefCell::new(None));
        let (path, fails) = (path.to_string(), failed.clone());
        let hear = move |attempt: &Attempt| {
            if let Err(d) = append(&path, &left_side::line(attempt)) {
                fails.borrow_mut().get_or_insert(d);
            }
        };
        Ok(Kept {
            records: Records::new(known, Rc::new(hear)),
            failed,
        })
    }

    /// That all lines were written.
    pub(super) fn all(&self) -> Result<(), Vec<Diagnostic>> {
        match self.failed.borrow_mut().take() {
            Some(d) => Err(vec![d]),
            None => Ok(()),
        }
    }
}
