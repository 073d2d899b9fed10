//! Measurements of schedules, one line of JSON each, so that none is made twice.
//!
//! In: what was measured. Out: a line; or the measurements of a file by their keys. Absent: measuring, files.

use super::saved::{self, TUNING};
use crate::diag::Diagnostic;
use crate::source::{FileId, SourceMap};
use crate::target::Target;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One schedule beside the program as it stands.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningRecord {
    /// Version of the program that measured.
    pub rise_opt: String,
    /// A hash of all that the measurement depends on.
    pub key: String,
    pub program: String,
    /// The schedule in a few words.
    pub what: String,
    pub target: Target,
    pub compiler: String,
    /// Sizes of the measured call.
    pub sizes: Vec<(String, i64)>,
    /// Medians; none where nothing was measured.
    pub kernel_seconds: Option<f64>,
    pub plain_seconds: Option<f64>,
    /// Why the kernel lost without a measurement.
    pub lost: Option<String>,
}

impl TuningRecord {
    /// How much faster than the program as it stands.
    pub fn faster(&self) -> Option<f64> {
        Some(self.plain_seconds? / self.kernel_seconds?)
    }

    /// One line of JSON.
    pub fn to_json(&self) -> String {
        saved::line(&TUNING, self)
    }
}

/// The measurements of a file; of two with one key the last.
pub fn read(
    sources: &mut SourceMap,
    file: FileId,
) -> Result<BTreeMap<String, TuningRecord>, Diagnostic> {
    let all = saved::lines::<TuningRecord>(&TUNING, sources, file)?;
    Ok(all.into_iter().map(|r| (r.key.clone(), r)).collect())
}
