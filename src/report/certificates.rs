//! Certificates of rules as a file.
//!
//! In: what was proved; or a file. Out: JSON; certificates. A file that is not there holds none. Absent: what a
//! certificate is worth (`verify`).

use super::saved::{self, CERTIFICATES};
use crate::diag::Diagnostic;
use crate::source::{LoadError, SourceMap};
use crate::verify::{Certificates, ENCODER};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateFile {
    /// Version of the program that made it.
    pub rise_opt: String,
    pub command: String,
    /// Version of the encoder, which is part of all keys.
    pub encoder: u32,
    /// Keys of statements, and what proved them.
    pub proved: BTreeMap<String, String>,
}

impl CertificateFile {
    pub fn new(certificates: &Certificates, command: String) -> CertificateFile {
        CertificateFile {
            rise_opt: env!("CARGO_PKG_VERSION").to_string(),
            command,
            encoder: ENCODER,
            proved: certificates.0.clone(),
        }
    }

    pub fn to_json(&self) -> String {
        saved::write(&CERTIFICATES, self)
    }

    /// What the file of this name holds; nothing if there is none.
    pub fn beside(path: &str, sources: &mut SourceMap) -> Result<Certificates, Diagnostic> {
        let file = match sources.load(path) {
            Ok(file) => file,
            Err(LoadError::Missing { .. }) => return Ok(Certificates::default()),
            Err(e) => return Err(e.into()),
        };
        let found: CertificateFile = saved::read(&CERTIFICATES, sources, file)?;
        Ok(Certificates(found.proved))
    }
}
