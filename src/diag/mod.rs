//! Diagnostics: what is wrong, where, and what to do next.
//!
//! In: code, sentence, spans. Out (by `render`): text for people, one line for editors, or JSON.
//! A diagnostic holds spans; the source text joins when it is printed. Each has one sentence, at most
//! one primary span, secondary labels, notes, and one concrete next step. A code decides what the
//! process exits with. Every module reports what is wrong with the input this way, and never panics
//! for it; "a rule did not apply" or "goal not reached" are data first and get here only at the end.
//!
//! Absent: printing to a terminal (`cli` does), knowledge of any language.

pub mod code;
pub mod near;
pub mod render;
pub mod visible;

pub use code::{Code, Exit};
pub use near::{did_you_mean, near};
pub use render::{render, Format, JSON_KIND, JSON_VERSION};
pub use visible::{is_hidden, visible};

use crate::source::{FileId, LoadError, SourceMap, Span};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    Error,
    Warning,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub span: Span,
    /// May be empty: the place alone says enough.
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub code: &'static Code,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Nothing for what has no place in a file: a missing file, a compiler that is not there.
    pub primary: Option<Label>,
    pub secondary: Vec<Label>,
    pub notes: Vec<String>,
    /// One concrete next step.
    pub help: Option<String>,
    /// What only the JSON form says: the same as the notes, for programs.
    pub data: Option<serde_json::Value>,
}

impl Diagnostic {
    pub fn new(code: &'static Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
            data: None,
        }
    }

    /// For a text that was read by itself and stands further down in its file: its places there.
    pub fn shifted(mut self, file: FileId, by: usize) -> Diagnostic {
        let labels = self.primary.iter_mut().chain(&mut self.secondary);
        for label in labels.filter(|l| l.span.file == file) {
            let span = label.span;
            label.span = Span::new(file, span.lo as usize + by, span.hi as usize + by);
        }
        self
    }

    pub fn at(self, span: Span) -> Diagnostic {
        self.label(span, "")
    }

    /// The primary place, with a few words of what is there.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        let text = text.into();
        self.primary = Some(Label { span, text });
        self
    }

    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        let text = text.into();
        self.secondary.push(Label { span, text });
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    pub fn data(mut self, data: serde_json::Value) -> Diagnostic {
        self.data = Some(data);
        self
    }

    /// "did you mean …" when something is near, else `otherwise`.
    pub fn help_near<'a>(
        self,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
        otherwise: impl Into<String>,
    ) -> Diagnostic {
        let help = did_you_mean(name, known).unwrap_or_else(|| otherwise.into());
        self.help(help)
    }

    pub fn severity(&self) -> Severity {
        if self.code.id.starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        }
    }

    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }
}

/// What the process exits with after these: 0 without errors, else the gravest class.
pub fn exit_code(diagnostics: &[Diagnostic]) -> i32 {
    let errors = diagnostics.iter().filter(|d| d.is_error());
    errors.map(|d| d.code.exit as i32).max().unwrap_or(0)
}

/// File by file, place by place; those of one place keep their order. Duplicates go.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|d| d.primary.as_ref().map(|l| (l.span.file, l.span.lo)));
    diagnostics.dedup();
}

impl From<LoadError> for Diagnostic {
    fn from(error: LoadError) -> Diagnostic {
        match error {
            LoadError::Missing { path, near } => {
                let d = Diagnostic::new(
                    code::FILE_MISSING,
                    format!("there is no file `{path}`"),
                )
                .note("looked beside the including file, in the working directory, and among the shipped files");
                // Either the folder is wrong and the name is right, or there is a slip in the path.
                let quoted: Vec<String> = near.iter().map(|n| format!("`{n}`")).collect();
                if quoted.is_empty() {
                    d.help_near(
                        &path,
                        SourceMap::shipped(),
                        "check the path, and that the file is readable",
                    )
                } else {
                    d.help(format!("did you mean {}?", quoted.join(" or ")))
                }
            }
            LoadError::Directory { path } => {
                Diagnostic::new(code::FILE_DIRECTORY, format!("`{path}` is a directory"))
                    .help("name a file in it")
            }
            LoadError::Empty { path } => {
                let is_source = [".rise", ".rules", ".sk"].iter().any(|e| path.ends_with(e));
                let help = match is_source {
                    true => "docs/tutorial.md starts with a program of four lines",
                    false => "name a file that has been written to its end, or write it again",
                };
                Diagnostic::new(code::FILE_EMPTY, format!("`{path}` is empty")).help(help)
            }
            LoadError::Binary { path, offset } => Diagnostic::new(
                code::FILE_BINARY,
                format!("`{path}` is not text: byte {offset} is zero"),
            )
            .help("name a source file: .rise, .rules or .sk"),
            LoadError::NotUtf8 { path, offset } => Diagnostic::new(
                code::FILE_NOT_UTF8,
                format!("`{path}` is not UTF-8 from byte {offset} on"),
            )
            .help("save the file as UTF-8"),
            LoadError::TooLong { path, bytes } => Diagnostic::new(
                code::FILE_TOO_LONG,
                format!("`{path}` has {bytes} bytes, more than 16 MiB"),
            )
            .help("split the file, or check that it is the right one"),
            LoadError::Outside { path } => Diagnostic::new(
                code::SAVED_OUTSIDE,
                format!("a saved file asks for `{path}`, which is not shipped"),
            )
            .note(
                "plans and proofs hold all that they need; no other file of yours is read for them",
            )
            .help("make it again with `--emit`; who changed it?"),
            LoadError::Unreadable { path, reason } => Diagnostic::new(
                code::FILE_UNREADABLE,
                format!("`{path}` cannot be read: {reason}"),
            )
            .help("check the permissions of the file and of its folder"),
        }
    }
}
