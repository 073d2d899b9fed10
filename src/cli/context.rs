//! What every subcommand shares: the texts that were read, and where to print.
//!
//! In: diagnostics, lines. Out: standard error and standard output. Invariant: a reader that went
//! away (`| head`) ends the output silently. Absent: what is printed.

use super::output::unwritten;
use super::MessageFormat;
use crate::diag::{self, Diagnostic, Format};
use crate::source::SourceMap;
use std::io::{self, IsTerminal, Write};

pub struct Context {
    pub sources: SourceMap,
    format: Format,
    /// What kept standard output from being written.
    unwritten: Option<io::Error>,
}

impl Context {
    pub(super) fn new(format: MessageFormat) -> Context {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Context {
            sources: SourceMap::new(),
            unwritten: None,
            format: match format {
                MessageFormat::Human if colour => Format::Colour,
                MessageFormat::Human => Format::Human,
                MessageFormat::Short => Format::Short,
                MessageFormat::Json => Format::Json,
            },
        }
    }

    /// Whether standard output is for programs, too.
    pub fn json(&self) -> bool {
        self.format == Format::Json
    }

    /// Prints diagnostics, file by file, and gives the exit code that they mean.
    pub fn report(&mut self, diagnostics: impl Into<Vec<Diagnostic>>) -> u8 {
        let mut diagnostics = diagnostics.into();
        diag::sort(&mut diagnostics);
        for d in &diagnostics {
            let text = diag::render(d, &self.sources, self.format);
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
        u8::try_from(diag::exit_code(&diagnostics)).unwrap_or(101)
    }

    /// The exit code of a command; reports why it came to nothing.
    pub fn ended(&mut self, done: Result<(), impl Into<Vec<Diagnostic>>>) -> u8 {
        match done {
            Ok(()) => 0,
            Err(diagnostics) => self.report(diagnostics),
        }
    }

    /// A line for people on standard error.
    pub fn error_line(&mut self, text: &str) {
        let text = diag::visible(text);
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }

    /// Text for people or programs on standard output: what would not be seen is named. JSON has no such characters.
    pub fn print(&mut self, text: &str) {
        let text = diag::visible(text);
        let mut out = std::io::stdout().lock();
        if let Err(e) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            self.unwritten.get_or_insert(e);
        }
    }

    /// The exit code at the very end: what was asked for and could not be printed is an error, unless nobody wants it any
    /// more.
    pub(super) fn finish(&mut self, code: u8) -> u8 {
        match self.unwritten.take() {
            Some(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                code.max(self.report([unwritten(&e)]))
            }
            _ => code,
        }
    }
}
