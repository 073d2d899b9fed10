//! Files and what they import or include, each once.

use crate::diag::Diagnostic;
use crate::source::{FileId, SourceMap};
use crate::syntax::tree::{File, ItemKind};
use crate::syntax::{parse, Dialect};

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
    let text = sources.file(id).text.clone();
    let parsed = parse(id, &text, dialect);
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
