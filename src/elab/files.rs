//! Files and what they import or include, each once; files of another kind than is asked for are told by one error.

use crate::diag::{code, Diagnostic};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::tree::{File, ItemKind};
use crate::syntax::{parse, Dialect, Parsed};

/// A file where one of a kind is needed; of another kind it is read as an empty one, with one error.
pub fn read(sources: &SourceMap, id: FileId, wanted: Dialect) -> Parsed {
    let file = sources.file(id);
    let parsed = parse(id, &file.text, wanted);
    let Some(kind) = other_kind(&file.name, &file.text, id, &parsed, wanted) else {
        return parsed;
    };
    let describe = |kind: Dialect| match kind {
        Dialect::Program => "a program (.rise)",
        Dialect::Rules => "a file of rules (.rules)",
        Dialect::Sketch => "a sketch (.sk)",
    };
    let help = match wanted {
        Dialect::Program => "give a file of definitions: `def f [n : nat] (xs : n.f32) : … = …`",
        Dialect::Rules => "give a file of rules: `rule NAME left => right`",
        Dialect::Sketch => "give a file of steps, which says what rules to use and what to find: `use FILE`, `sketch …`",
    };
    let first = parsed.file.items.first().map(|item| {
        let line = sources.text(item.span).lines().next().unwrap_or("");
        Span {
            hi: item.span.lo + line.len() as u32,
            ..item.span
        }
    });
    let (is, needs) = (describe(kind), describe(wanted));
    let mut d = Diagnostic::new(
        code::WRONG_FILE,
        format!("this is {is}, and {needs} is needed"),
    )
    .help(help);
    if let Some(span) = first {
        d = d.label(span, "its first item");
    }
    Parsed {
        file: File { items: Vec::new() },
        diagnostics: vec![d],
        comments: Vec::new(),
        extents: Vec::new(),
    }
}

/// The kind of a file, where it is another one than is wanted: items stand in it that only the other kind has, or its name
/// says so and it can be read as that.
fn other_kind(
    name: &str,
    text: &str,
    id: FileId,
    parsed: &Parsed,
    wanted: Dialect,
) -> Option<Dialect> {
    let strange = |p: &Parsed| {
        let all = p.diagnostics.iter();
        all.filter(|d| d.code == code::WRONG_FILE).count()
    };
    let items = parsed.file.items.len();
    let here = strange(parsed);
    if let Some(named) = Dialect::of_path(name).filter(|named| *named != wanted && items > 0) {
        let as_named = parse(id, text, named);
        if as_named.diagnostics.is_empty() || strange(&as_named) < here {
            return Some(named);
        }
    }
    let others = Dialect::ALL.into_iter().filter(|d| *d != wanted);
    // One item that strayed does not make another kind of a file.
    let mut likely = others.filter(|d| 2 * here > items && strange(&parse(id, text, *d)) == 0);
    likely.next()
}

/// The file and everything it imports, what is imported first. A cycle is harmless: every file is
/// read once, and definitions are found whatever their order.
pub fn load_all(
    sources: &mut SourceMap,
    id: FileId,
    dialect: Dialect,
    files: &mut Vec<File>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut seen = Vec::new();
    let saved = sources.is_saved(id);
    visit(sources, id, (dialect, saved), &mut seen, files, diagnostics);
}

fn visit(
    sources: &mut SourceMap,
    id: FileId,
    // What a saved text takes in is shipped, and so is what that takes in.
    (dialect, saved): (Dialect, bool),
    seen: &mut Vec<FileId>,
    files: &mut Vec<File>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if seen.contains(&id) {
        return;
    }
    seen.push(id);
    let parsed = read(sources, id, dialect);
    diagnostics.extend(parsed.diagnostics);
    for item in &parsed.file.items {
        let (ItemKind::Import(path) | ItemKind::Include(path)) = &item.kind else {
            continue;
        };
        if path.text.is_empty() {
            continue;
        }
        let next = match saved {
            true => sources.load_shipped_from(id, &path.text),
            false => sources.load_from(id, &path.text),
        };
        match next {
            Ok(next) => visit(sources, next, (dialect, saved), seen, files, diagnostics),
            Err(e) => diagnostics.push(Diagnostic::from(e).at(path.span)),
        }
    }
    files.push(parsed.file);
}
