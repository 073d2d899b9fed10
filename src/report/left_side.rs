//! What came of left sides, one line of JSON each, so that a search for rules goes on where it was interrupted.
//!
//! In: what came of a left side. Out: a line; or what a file of them holds. Absent: searching, files.

use super::saved::{self, LEFT_SIDE};
use crate::diag::Diagnostic;
use crate::source::{FileId, SourceMap};
use crate::synth::Attempt;

/// One line of JSON.
pub fn line(attempt: &Attempt) -> String {
    saved::line(&LEFT_SIDE, attempt)
}

/// What a file holds.
pub fn read(sources: &mut SourceMap, file: FileId) -> Result<Vec<Attempt>, Diagnostic> {
    saved::lines(&LEFT_SIDE, sources, file)
}
