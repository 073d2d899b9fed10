//! Everything that is saved as JSON, written and read in one place.
//!
//! In: a value, and what kind of file it is; or a text that is said to be of a kind. Out: the text, an object whose
//! first fields are `"kind"` and `"version"`; or the value. Invariants: what is written reads back; whatever text is
//! read, the answer is a value or a diagnostic that says what is wrong, where, and which command writes such a file.
//! A value knows neither its kind nor its version. The forms stand in docs/schemas, one file for each kind. Absent:
//! what the values mean, files.

mod body;
mod range;

use crate::diag::{self, code, Diagnostic};
use crate::source::{FileId, SourceMap, Span};
use body::{Body, HEAD};
use range::Within;
use serde::de::DeserializeOwned;
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::io;

/// One form of JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// `"kind"`, and the name of the schema.
    pub name: &'static str,
    /// `"version"`; it changes with the form.
    pub version: u32,
    /// The command that writes it.
    pub command: &'static str,
    /// The largest whole number in it that is read, and without its sign the least.
    pub most: u64,
}

/// What is counted or measured. Whoever adds such numbers up needs no check: those of one name are fields of objects that take
/// more than 128 bytes each, and a file has no more than 2^24.
const COUNTS: u64 = 1 << 46;
/// What is computed with only as sizes and literals are, which see to it themselves.
const ANY: u64 = u64::MAX;

/// `--emit plan`
pub const PLAN: Kind = Kind {
    name: "plan",
    version: 2,
    command: "rise-opt PROGRAM --sketch FILE --emit plan",
    most: ANY,
};

/// `--emit trace`
pub const TRACE: Kind = Kind {
    name: "trace",
    version: 1,
    command: "rise-opt PROGRAM --sketch FILE --emit trace",
    most: COUNTS,
};

/// What the main job prints for programs.
pub const SUMMARY: Kind = Kind {
    name: "summary",
    version: 1,
    command: "rise-opt PROGRAM --message-format json",
    most: COUNTS,
};

/// `rise-opt compare`
pub const COMPARISON: Kind = Kind {
    name: "comparison",
    version: 1,
    command: "rise-opt compare PROGRAM --goal FILE",
    most: COUNTS,
};

/// `rise-opt bench`
pub const MEASUREMENT: Kind = Kind {
    name: "measurement",
    version: 1,
    command: "rise-opt bench PROGRAM FILE",
    most: COUNTS,
};

/// A diagnostic for programs, one on a line.
pub const DIAGNOSTIC: Kind = Kind {
    name: diag::JSON_KIND,
    version: diag::JSON_VERSION,
    command: "rise-opt COMMAND --message-format json",
    most: COUNTS,
};

/// `--emit record`
pub const RECORD: Kind = Kind {
    name: "record",
    version: 1,
    command: "rise-opt PROGRAM --sketch FILE --emit record",
    most: COUNTS,
};

/// `--emit egraph`
pub const EGRAPH: Kind = Kind {
    name: "egraph",
    version: 1,
    command: "rise-opt PROGRAM --sketch FILE --emit egraph",
    most: COUNTS,
};

/// `--emit proof`
pub const PROOF: Kind = Kind {
    name: "proof",
    version: 1,
    command: "rise-opt PROGRAM --sketch FILE --emit proof",
    most: ANY,
};

/// `rise-opt verify`
pub const VERIFICATION: Kind = Kind {
    name: "verification",
    version: 1,
    command: "rise-opt verify FILE --message-format json",
    most: COUNTS,
};

/// `--records`
pub const TUNING: Kind = Kind {
    name: "tuning",
    version: 1,
    command: "rise-opt PROGRAM --auto=tune --records FILE",
    most: ANY,
};

/// `--records` of `rise-opt synth`
pub const LEFT_SIDE: Kind = Kind {
    name: "left-side",
    version: 1,
    command: "rise-opt synth --from FILE --records FILE",
    most: ANY,
};

/// `rise-opt order`
pub const ORDER: Kind = Kind {
    name: "order",
    version: 1,
    command: "rise-opt order FILE --message-format json",
    most: COUNTS,
};

/// `rise-opt assoc check`
pub const OPERATORS: Kind = Kind {
    name: "operators",
    version: 1,
    command: "rise-opt assoc check OPERATOR --type TYPE --message-format json",
    most: COUNTS,
};

/// `rise-opt assoc lift`
pub const LIFTINGS: Kind = Kind {
    name: "liftings",
    version: 1,
    command: "rise-opt assoc lift STEP --type TYPE --message-format json",
    most: COUNTS,
};

/// `rise-opt verify --write-certificates`
pub const CERTIFICATES: Kind = Kind {
    name: "certificates",
    version: 1,
    command: "rise-opt verify FILE --write-certificates",
    most: COUNTS,
};

/// `rise-opt doctor`
pub const DOCTOR: Kind = Kind {
    name: "doctor",
    version: 1,
    command: "rise-opt doctor --message-format json",
    most: COUNTS,
};

/// `rise-opt simplify`, `rise-opt prove`
pub const SIMPLIFICATION: Kind = Kind {
    name: "simplification",
    version: 1,
    command: "rise-opt simplify EXPR --message-format json",
    most: COUNTS,
};

/// `rise-opt order --critical`
pub const CRITICAL: Kind = Kind {
    name: "critical",
    version: 1,
    command: "rise-opt order --critical --message-format json",
    most: COUNTS,
};

/// `rise-opt solve`
pub const SOLUTION: Kind = Kind {
    name: "solution",
    version: 1,
    command: "rise-opt solve EXPR --for x --message-format json",
    most: COUNTS,
};

/// `rise-opt synth`
pub const SYNTHESIS: Kind = Kind {
    name: "synthesis",
    version: 1,
    command: "rise-opt synth --from CORPUS --message-format json",
    most: COUNTS,
};

/// `rise-opt check-proof`
pub const PROOF_CHECK: Kind = Kind {
    name: "proof-check",
    version: 1,
    command: "rise-opt check-proof PROOF --message-format json",
    most: COUNTS,
};

/// Of commands that only write files
pub const WRITTEN: Kind = Kind {
    name: "written",
    version: 1,
    command: "rise-opt report RECORD --message-format json",
    most: COUNTS,
};

/// `rise-opt explain --try`
pub const ATTEMPT: Kind = Kind {
    name: "attempt",
    version: 1,
    command: "rise-opt explain PROGRAM --try RULE --message-format json",
    most: COUNTS,
};

/// `rise-opt explain`
pub const EXPLANATION: Kind = Kind {
    name: "explanation",
    version: 1,
    command: "rise-opt explain PROGRAM --sketch FILE --message-format json",
    most: COUNTS,
};

/// `--emit loops`
pub const LOOPS: Kind = Kind {
    name: "loops",
    version: 1,
    command: "rise-opt PROGRAM --sketch FILE --emit loops",
    most: ANY,
};

/// `rise-opt validate`
pub const VALIDATION: Kind = Kind {
    name: "validation",
    version: 3,
    command: "rise-opt validate PROGRAM LOOPS --message-format json",
    most: COUNTS,
};

/// `rise-opt certify`
pub const KERNEL_CERTIFICATE: Kind = Kind {
    name: "kernel-certificate",
    version: 1,
    command: "rise-opt certify PROGRAM --plan PLAN",
    most: ANY,
};

/// `rise-opt certify`, `rise-opt check-certificate`
pub const KERNEL_CHECK: Kind = Kind {
    name: "kernel-check",
    version: 2,
    command: "rise-opt check-certificate CERT --message-format json",
    most: COUNTS,
};

/// Every kind there is.
pub const ALL: &[Kind] = &[
    PLAN,
    PROOF,
    TRACE,
    RECORD,
    SUMMARY,
    COMPARISON,
    MEASUREMENT,
    DIAGNOSTIC,
    EGRAPH,
    VERIFICATION,
    TUNING,
    LEFT_SIDE,
    ORDER,
    CRITICAL,
    OPERATORS,
    LIFTINGS,
    CERTIFICATES,
    DOCTOR,
    SIMPLIFICATION,
    SOLUTION,
    SYNTHESIS,
    PROOF_CHECK,
    WRITTEN,
    ATTEMPT,
    EXPLANATION,
    LOOPS,
    VALIDATION,
    KERNEL_CERTIFICATE,
    KERNEL_CHECK,
];

#[derive(Serialize)]
struct Tagged<'a, T> {
    kind: &'a str,
    version: u32,
    #[serde(flatten)]
    body: &'a T,
}

impl Kind {
    fn tag<'a, T>(&'a self, body: &'a T) -> Tagged<'a, T> {
        let (kind, version) = (self.name, self.version);
        Tagged {
            kind,
            version,
            body,
        }
    }

    /// `a plan`
    fn one(&self) -> String {
        let vowel = self.name.starts_with(['a', 'e', 'i', 'o', 'u']);
        format!("{} {}", if vowel { "an" } else { "a" }, self.name)
    }

    fn again(&self) -> String {
        format!("`{}` writes one", self.command)
    }
}

/// A file: many lines, for people too. The value is a structure, with names for keys.
pub fn write<T: Serialize>(kind: &Kind, value: &T) -> String {
    serde_json::to_string_pretty(&kind.tag(value)).unwrap_or_default() + "\n"
}

/// One line, for streams of them.
pub fn line<T: Serialize>(kind: &Kind, value: &T) -> String {
    serde_json::to_string(&kind.tag(value)).unwrap_or_default() + "\n"
}

/// A large file, without its text in memory.
pub fn stream<T: Serialize>(kind: &Kind, value: &T, out: impl io::Write) -> io::Result<()> {
    serde_json::to_writer(out, &kind.tag(value)).map_err(io::Error::from)
}

/// What every saved file begins with.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Head {
    kind: Option<String>,
    version: Option<u64>,
}

/// The values of a file that holds one on each line.
pub fn lines<T: DeserializeOwned>(
    kind: &Kind,
    sources: &mut SourceMap,
    file: FileId,
) -> Result<Vec<T>, Diagnostic> {
    let text = sources.file(file).text.to_string();
    let name = sources.file(file).name.clone();
    let written = text.lines().enumerate().filter(|l| !l.1.trim().is_empty());
    written
        .map(|(i, line)| {
            let line = sources.add_text(&format!("{name}, line {}", i + 1), line);
            read(kind, sources, line)
        })
        .collect()
}

/// The value that a file of this kind holds.
pub fn read<T: DeserializeOwned>(
    kind: &Kind,
    sources: &SourceMap,
    file: FileId,
) -> Result<T, Diagnostic> {
    let name = &sources.file(file).name;
    let text = &*sources.file(file).text;
    let wrong = |e: serde_json::Error| malformed(kind, sources, file, &e);
    let mut json = serde_json::Deserializer::from_str(text);
    let head = Head::deserialize(Body(&mut json, &[])).map_err(wrong)?;
    json.end().map_err(wrong)?;
    let at = |key: &str| head_span(file, text, key);
    let Some(found) = head.kind else {
        let what = format!("`{name}` is not {}: it has no `kind`", kind.one());
        let d = Diagnostic::new(code::SAVED_KIND, what).at(at("kind"));
        return Err(d.help(kind.again()));
    };
    if found != kind.name {
        let known = ALL.iter().find(|k| k.name == found);
        let is = known.map_or(format!("of the kind `{found}`"), Kind::one);
        let what = format!("`{name}` is {is}, not {}", kind.one());
        let d = Diagnostic::new(code::SAVED_KIND, what).at(at("kind"));
        return Err(d.help(kind.again()));
    }
    if head.version != Some(u64::from(kind.version)) {
        let is = head
            .version
            .map_or("no version".to_string(), |v| format!("version {v}"));
        let what = format!("`{name}` is {} of {is}", kind.one());
        return Err(Diagnostic::new(code::SAVED_VERSION, what)
            .at(at("version"))
            .note(format!("this rise-opt reads version {}", kind.version))
            .help(format!("make it again with this one: {}", kind.again())));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    Within(kind.most).deserialize(&mut json).map_err(wrong)?;
    let mut json = serde_json::Deserializer::from_str(text);
    T::deserialize(Body(&mut json, HEAD)).map_err(wrong)
}

fn malformed(kind: &Kind, sources: &SourceMap, file: FileId, e: &serde_json::Error) -> Diagnostic {
    let source = sources.file(file);
    let (name, text) = (&source.name, &*source.text);
    let why = e.to_string();
    let place = format!(" at line {} column {}", e.line(), e.column());
    let why = why.strip_suffix(&place).unwrap_or(&why);
    let lines = text.split_inclusive('\n').take(e.line().saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    let at = (start + e.column().saturating_sub(1)).min(text.len());
    // `0.` lacks its end, too.
    let half_number = why == "invalid number" && at + 1 >= text.len();
    let what = match e.classify() {
        Category::Eof => format!("`{name}` ends early: it is cut off"),
        _ if half_number => format!("`{name}` ends early: it is cut off"),
        Category::Data => format!("`{name}` is not {}: {why}", kind.one()),
        _ => format!("`{name}` is not JSON: {why}"),
    };
    Diagnostic::new(code::SAVED_MALFORMED, what)
        .at(Span::new(file, at, (at + 1).min(text.len())))
        .help(kind.again())
}

/// The key where it is written first, before any nested value; else the beginning.
fn head_span(file: FileId, text: &str, key: &str) -> Span {
    let start = text.find('{').map_or(0, |i| i + 1);
    let end = text[start..]
        .find(['{', '['])
        .map_or(text.len(), |i| start + i);
    let quoted = format!("\"{key}\"");
    match text[start..end].find(&quoted) {
        Some(i) => Span::new(file, start + i, start + i + quoted.len()),
        None => Span::new(file, 0, text.len().min(1)),
    }
}
