//! Diagnostics as text: for people, for editors, for programs.
//!
//! The JSON form is stable: one object per line with `code`, `severity`, `message`, `exit`, `spans`
//! (the primary first), `notes`, `help`, and for some codes `data`. Byte offsets count from 0, lines and columns from 1.

use super::{visible, Diagnostic, Label, Severity};
use crate::source::{SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    #[default]
    Human,
    /// Human, with terminal colours.
    Colour,
    /// `file:line:column: error[E0102]: message`, one line each.
    Short,
    /// One JSON object per line.
    Json,
}

/// The text of one diagnostic, ending in a newline.
pub fn render(d: &Diagnostic, sources: &SourceMap, format: Format) -> String {
    let mut text = match format {
        Format::Human => human(&shown(d), sources, &Renderer::plain()),
        Format::Colour => human(&shown(d), sources, &Renderer::styled()),
        Format::Short => visible(&short(&shown(d), sources)).replace('\n', " "),
        Format::Json => json(d, sources),
    };
    text.push('\n');
    text
}

/// With every text safe to show: names in it may be of a file of others.
fn shown(d: &Diagnostic) -> Diagnostic {
    let text = |t: &String| visible(t).into_owned();
    let label = |l: &Label| Label {
        span: l.span,
        text: text(&l.text),
    };
    Diagnostic {
        message: text(&d.message),
        primary: d.primary.as_ref().map(label),
        secondary: d.secondary.iter().map(label).collect(),
        notes: d.notes.iter().map(text).collect(),
        help: d.help.as_ref().map(text),
        ..d.clone()
    }
}

fn human(d: &Diagnostic, sources: &SourceMap, renderer: &Renderer) -> String {
    let level = match d.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&*d.message).id(d.code.id);
    let mut group = Group::with_title(title);
    // One snippet per file, the primary's first.
    let mut files = Vec::new();
    let labels = d.primary.iter().chain(&d.secondary);
    for label in labels.clone() {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    for file in files {
        let source = sources.file(file);
        // The text is shown by its lines, in which the printer replaces what would not be seen.
        let mut snippet = Snippet::source(&*source.text).path(visible(&source.name));
        for (i, label) in labels.clone().enumerate() {
            if label.span.file != file {
                continue;
            }
            let kind = match i {
                0 if d.primary.is_some() => AnnotationKind::Primary,
                _ => AnnotationKind::Context,
            };
            let mut a = kind.span(range(&source.text, label.span));
            if !label.text.is_empty() {
                a = a.label(&*label.text);
            }
            snippet = snippet.annotation(a);
        }
        group = group.element(snippet);
    }
    for note in &d.notes {
        group = group.element(Level::NOTE.message(&**note));
    }
    if let Some(help) = &d.help {
        group = group.element(Level::HELP.message(&**help));
    }
    renderer.render(&[group])
}

/// The bytes of the span, moved outwards to whole characters and inwards to the text.
fn range(text: &str, span: Span) -> std::ops::Range<usize> {
    let mut lo = (span.lo as usize).min(text.len());
    let mut hi = (span.hi as usize).clamp(lo, text.len());
    while !text.is_char_boundary(lo) {
        lo -= 1;
    }
    while !text.is_char_boundary(hi) {
        hi += 1;
    }
    lo..hi
}

fn short(d: &Diagnostic, sources: &SourceMap) -> String {
    let severity = match d.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let place = match &d.primary {
        Some(Label { span, .. }) => {
            let (line, column) = sources.position(span.file, span.lo);
            format!("{}:{line}:{column}: ", sources.file(span.file).name)
        }
        None => String::new(),
    };
    format!("{place}{severity}[{}]: {}", d.code.id, d.message)
}

#[derive(Serialize)]
struct JsonSpan<'a> {
    file: &'a str,
    lo: u32,
    hi: u32,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    primary: bool,
    label: &'a str,
}

/// What the JSON form begins with, as all JSON of the program does.
pub const JSON_KIND: &str = "diagnostic";
pub const JSON_VERSION: u32 = 1;

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    kind: &'a str,
    version: u32,
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    exit: i32,
    spans: Vec<JsonSpan<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a serde_json::Value>,
}

fn json(d: &Diagnostic, sources: &SourceMap) -> String {
    let span = |label: &'_ Label, primary: bool| -> JsonSpan<'_> {
        let Span { file, lo, hi } = label.span;
        let (line, column) = sources.position(file, lo);
        let (end_line, end_column) = sources.position(file, hi);
        JsonSpan {
            file: &sources.file(file).name,
            lo,
            hi,
            line,
            column,
            end_line,
            end_column,
            primary,
            label: "",
        }
    };
    let mut spans = Vec::new();
    for (label, primary) in d
        .primary
        .iter()
        .map(|l| (l, true))
        .chain(d.secondary.iter().map(|l| (l, false)))
    {
        spans.push(JsonSpan {
            label: &label.text,
            ..span(label, primary)
        });
    }
    let object = JsonDiagnostic {
        kind: JSON_KIND,
        version: JSON_VERSION,
        code: d.code.id,
        severity: match d.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &d.message,
        exit: d.code.exit as i32,
        spans,
        notes: &d.notes,
        help: d.help.as_deref(),
        data: d.data.as_ref(),
    };
    serde_json::to_string(&object).unwrap_or_default()
}
