//! Certificates of kernels: all that is needed to find out again that a C text computes a program.
//!
//! In: a proof, a loop program, texts, and what is claimed of them. Out: JSON, and from it the same. Invariant: nothing in
//! it has to be searched for or lowered to be checked. Absent: the check (`driver`).

use super::loops::LoopsFile;
use super::saved::{self, KERNEL_CERTIFICATE};
use super::ProofFile;
use crate::diag::Diagnostic;
use crate::hash::fnv64;
use crate::source::{FileId, SourceMap};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `rise-opt certify` writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelCertificate {
    /// Version of the program that made it.
    pub rise_opt: String,
    /// The command that searched.
    pub command: String,
    /// That the program equals what was found, with the rules that this rests on.
    pub proof: ProofFile,
    /// The loop program of what was found.
    pub loops: LoopsFile,
    /// The C text.
    pub c: String,
    /// What the header is called that it includes.
    pub header_name: String,
    pub header: String,
    pub claims: Claims,
    /// Of each part, so that a file that was damaged is found out. Who changes a part on purpose is found out by the check.
    pub hashes: BTreeMap<String, String>,
}

/// What is claimed beside that the results are those of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// What sizes have to satisfy; the kernel refuses others.
    pub wherever: Vec<String>,
    /// Rules that regrouped sums of floats: where there are some, results are those of another order.
    pub regrouped: Vec<String>,
    /// Functions of floats that are approximated.
    pub approximated: Option<String>,
    /// Whether a compiler may round `a*b + c` once.
    pub contraction: bool,
}

impl KernelCertificate {
    pub fn read(sources: &SourceMap, file: FileId) -> Result<KernelCertificate, Diagnostic> {
        saved::read(&KERNEL_CERTIFICATE, sources, file)
    }

    pub fn to_json(&self) -> String {
        saved::write(&KERNEL_CERTIFICATE, self)
    }

    /// The hashes of the parts as they are.
    pub fn hashed(&self) -> BTreeMap<String, String> {
        fn text<T: Serialize>(part: &T) -> String {
            serde_json::to_string(part).unwrap_or_default()
        }
        let parts = [
            ("version", text(&self.rise_opt)),
            ("command", text(&self.command)),
            ("proof", text(&self.proof)),
            ("loops", text(&self.loops)),
            ("c", self.c.clone()),
            ("header_name", text(&self.header_name)),
            ("header", self.header.clone()),
            ("claims", text(&self.claims)),
        ];
        let hash = |(name, text): (&str, String)| {
            (name.to_string(), format!("{:016x}", fnv64(text.as_bytes())))
        };
        parts.into_iter().map(hash).collect()
    }
}
