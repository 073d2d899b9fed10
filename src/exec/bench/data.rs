//! What a bench showed, as data that is saved.

use super::Entry;
use crate::exec::compare::Difference;
use crate::exec::kernel::Kernel;
use crate::exec::measure::{Options as Measuring, Timing};
use crate::exec::peer::{Peer, Presence};
use crate::target::Target;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    pub rise_opt: String,
    pub command: String,
    pub program: String,
    /// Processor and cores.
    pub machine: String,
    pub compiler: String,
    /// For kernels of the machine's own target.
    pub flags: Vec<String>,
    pub seed: u64,
    pub method: Method,
    pub contestants: Vec<Contestant>,
    /// Libraries that were looked for.
    pub peers: Vec<Presence>,
    /// One for each size and number of threads.
    pub rounds: Vec<Round>,
}

/// The numbers of docs/measuring.md.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    pub samples: usize,
    pub most_samples: usize,
    pub precision: f64,
    pub sample_seconds: f64,
    pub pause_seconds: f64,
    /// Calls that take longer are not repeated.
    pub slow_seconds: f64,
}

impl Method {
    pub fn of(m: &Measuring) -> Method {
        Method {
            samples: m.samples,
            most_samples: m.most,
            precision: m.precision,
            sample_seconds: m.sample_time.as_secs_f64(),
            pause_seconds: m.pause.as_secs_f64(),
            slow_seconds: m.slow.as_secs_f64(),
        }
    }
}

/// Where a contestant comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A plan that was replayed.
    Plan,
    /// A sketch that was searched for.
    Sketch,
    /// A file in C.
    C,
    /// The program as it stands.
    Unoptimised,
    /// A library.
    Peer,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contestant {
    pub name: String,
    pub kind: Kind,
    pub file: Option<String>,
    /// What it was compiled for; a library decides by itself.
    pub target: Option<Target>,
    pub compile_seconds: Option<f64>,
    /// What the compiler remarked.
    pub remarks: String,
}

impl Contestant {
    pub(super) fn of(entry: &Entry, kernel: &Kernel) -> Contestant {
        Contestant {
            name: entry.name.clone(),
            kind: entry.kind,
            file: entry.file.clone(),
            target: Some(entry.target),
            compile_seconds: Some(kernel.compile_time.as_secs_f64()),
            remarks: kernel.remarks.clone(),
        }
    }

    pub(super) fn peer(peer: &Peer) -> Contestant {
        Contestant {
            name: peer.library.name.to_string(),
            kind: Kind::Peer,
            file: None,
            target: None,
            compile_seconds: None,
            remarks: String::new(),
        }
    }
}

/// One size, one number of threads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    pub sizes: Vec<(String, i64)>,
    pub threads: usize,
    /// Operations of the program.
    pub flops: f64,
    /// Bytes of all arguments and results.
    pub bytes: f64,
    /// In the order of the contestants.
    pub places: Vec<Place>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub contestant: String,
    pub outcome: Outcome,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Outcome {
    Measured {
        timing: Timing,
        /// From the reference.
        difference: Difference,
    },
    NotApplicable {
        why: String,
    },
}

impl Round {
    pub fn timing(&self, contestant: &str) -> Option<&Timing> {
        let place = self.places.iter().find(|p| p.contestant == contestant)?;
        place.timing()
    }
}

impl Place {
    pub fn timing(&self) -> Option<&Timing> {
        match &self.outcome {
            Outcome::Measured { timing, .. } => Some(timing),
            Outcome::NotApplicable { .. } => None,
        }
    }
}
