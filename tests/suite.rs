//! The suite of the front end: files whose folder says what is expected of them.
//!
//! `tests/suite/TOPIC/pass/*` elaborate without a word and are in the layout of `fmt`;
//! `tests/suite/TOPIC/fail/*` give exactly the diagnostics in the `.err` file beside them;
//! `tests/suite/TOPIC/fmt/*` become the `.fmt` file beside them. `BLESS=1` writes what is found.
//! A comment `-- sizes: m n k` gives a sketch the sizes of a program, `-- set: tile=16` its
//! parameters, `-- entry: f` names the definition to compile.

use rise_opt::diag::{code, exit_code, render, Diagnostic, Format};
use rise_opt::elab;
use rise_opt::intern::Symbol;
use rise_opt::source::{FileId, LoadError, SourceMap};
use rise_opt::syntax::{parse, print, Dialect};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const COSTS: [&str; 3] = ["size", "views", "loops"];

/// Every file of a kind of folder, sorted, as a path relative to the crate.
fn files(kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    for topic in folder(Path::new("tests/suite")) {
        for file in folder(&topic.join(kind)) {
            let path = file.to_string_lossy().into_owned();
            if Dialect::of_path(&path).is_some() {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "no files in {kind} folders");
    found
}

fn folder(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    found.sort();
    found
}

/// The value of a `-- name: value` comment.
fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let lines = text.lines().filter_map(|l| l.strip_prefix("-- "));
    let mut values = lines.filter_map(|l| l.strip_prefix(name)?.strip_prefix(':'));
    values.next().map(str::trim)
}

fn check(sources: &mut SourceMap, path: &str) -> Vec<Diagnostic> {
    let file = match sources.load(path) {
        Ok(file) => file,
        Err(e) => return vec![e.into()],
    };
    let text = sources.file(file).text.to_string();
    match Dialect::of_path(path).expect("a known kind") {
        Dialect::Program => match header(&text, "entry") {
            None => elab::check_program(sources, file),
            Some("") => elab::program(sources, file, None).err().unwrap_or_default(),
            entry => elab::program(sources, file, entry)
                .err()
                .unwrap_or_default(),
        },
        Dialect::Rules => elab::check_rules(sources, file),
        Dialect::Sketch => check_sketch(sources, file, &text),
    }
}

fn check_sketch(sources: &mut SourceMap, file: FileId, text: &str) -> Vec<Diagnostic> {
    let Some(sizes) = header(text, "sizes") else {
        return elab::check_sketch(sources, file, &COSTS);
    };
    let sizes: Vec<Symbol> = sizes.split_whitespace().map(Symbol::new).collect();
    let settings = header(text, "set").unwrap_or("").split_whitespace();
    let settings: BTreeMap<String, i64> = settings
        .filter_map(|s| s.split_once('='))
        .map(|(name, value)| (name.to_string(), value.parse().expect("a number")))
        .collect();
    let around = elab::Surroundings {
        sizes: Some(&sizes),
        settings,
        costs: &COSTS,
        ..Default::default()
    };
    elab::steps(sources, file, &around)
        .err()
        .unwrap_or_default()
}

fn shown(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let texts = diagnostics
        .iter()
        .map(|d| render(d, sources, Format::Human));
    texts.collect::<Vec<_>>().join("\n")
}

/// Compares with the golden file, or writes it.
fn golden(path: &str, found: &str, wrong: &mut Vec<String>) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, found).expect("the suite can be written");
        return;
    }
    let wanted = fs::read_to_string(path).unwrap_or_default();
    if wanted != found {
        wrong.push(format!("{path}\n--- wanted\n{wanted}--- found\n{found}"));
    }
}

fn conclude(wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{} files differ; BLESS=1 accepts what is found\n\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_passes() {
    let mut wrong = Vec::new();
    for path in files("pass") {
        let mut sources = SourceMap::new();
        let found = check(&mut sources, &path);
        if !found.is_empty() {
            wrong.push(format!("{path}\n{}", shown(&found, &sources)));
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable");
        let formatted = format_text(&path, &text).expect("no syntax error");
        golden(&path, &formatted, &mut wrong);
    }
    conclude(&wrong);
}

#[test]
fn what_fails() {
    let mut wrong = Vec::new();
    for path in files("fail") {
        let mut sources = SourceMap::new();
        let found = check(&mut sources, &path);
        if found.is_empty() || exit_code(&found) != 1 {
            wrong.push(format!("{path} gives no error of exit code 1"));
            continue;
        }
        for d in &found {
            assert!(d.help.is_some(), "{path}: {} has no next step", d.code.id);
            assert!(!d.message.ends_with('.'), "{path}: {}", d.message);
        }
        golden(&format!("{path}.err"), &shown(&found, &sources), &mut wrong);
    }
    conclude(&wrong);
}

#[test]
fn what_is_formatted() {
    let mut wrong = Vec::new();
    for path in files("fmt") {
        let text = fs::read_to_string(&path).expect("readable");
        let once = format_text(&path, &text).expect("no syntax error");
        let twice = format_text(&path, &once).expect("printed text is read back");
        assert_eq!(once, twice, "{path} is not stable");
        golden(&format!("{path}.fmt"), &once, &mut wrong);
    }
    conclude(&wrong);
}

fn format_text(path: &str, text: &str) -> Result<String, Vec<Diagnostic>> {
    let dialect = Dialect::of_path(path).expect("a known kind");
    let parsed = parse(FileId(0), text, dialect);
    match parsed.diagnostics.is_empty() {
        true => Ok(print(&parsed, text)),
        false => Err(parsed.diagnostics),
    }
}

/// The files that are shipped keep to the layout and have no error.
#[test]
fn what_is_shipped() {
    let mut wrong = Vec::new();
    for path in SourceMap::shipped().filter(|p| Dialect::of_path(p).is_some()) {
        let mut sources = SourceMap::new();
        let found = check(&mut sources, path);
        assert!(found.is_empty(), "{path}\n{}", shown(&found, &sources));
        let text = fs::read_to_string(path).expect("readable");
        golden(
            path,
            &format_text(path, &text).expect("no error"),
            &mut wrong,
        );
    }
    conclude(&wrong);
}

/// Files that a repository cannot hold.
#[test]
fn files_that_cannot_be_read() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut wrong = Vec::new();
    let mut test = |name: &str, path: &Path| {
        let error = SourceMap::new().load(&path.to_string_lossy()).unwrap_err();
        let text = shown(&[error.into()], &SourceMap::new());
        let text = text.replace(&*dir.path().to_string_lossy(), "DIR");
        golden(&format!("tests/suite/files/{name}.err"), &text, &mut wrong);
    };
    let long = dir.path().join("long.rise");
    fs::write(&long, vec![b' '; (16 << 20) + 1]).expect("room");
    test("too-long", &long);
    #[cfg(unix)]
    {
        let circle = dir.path().join("circle.rise");
        std::os::unix::fs::symlink("circle.rise", &circle).expect("a link");
        test("unreadable", &circle);
    }
    let binary = env!("CARGO_BIN_EXE_rise-opt");
    let output = std::process::Command::new(binary)
        .args(["check", "Cargo.toml"])
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    golden("tests/suite/files/extension.err", &text, &mut wrong);
    conclude(&wrong);
    let none: LoadError = SourceMap::new().load("no/such.rise").unwrap_err();
    assert!(matches!(none, LoadError::Missing { .. }));
}

/// Every code has a page, and the front end's have a golden message.
#[test]
fn every_code_is_documented_and_shown() {
    let pages = fs::read_to_string("docs/errors.md").expect("docs/errors.md");
    let mut messages = String::new();
    let mut work = folder(Path::new("tests/suite"));
    while let Some(path) = work.pop() {
        match path.is_dir() {
            true => work.extend(folder(&path)),
            false if path.extension().is_some_and(|e| e == "err") => {
                messages += &fs::read_to_string(&path).expect("readable");
            }
            false => {}
        }
    }
    let ids = code::ALL.iter().map(|c| c.id);
    let no_page: Vec<&str> = ids
        .clone()
        .filter(|id| !pages.contains(&format!("\n## {id}: ")))
        .collect();
    assert!(no_page.is_empty(), "no page in docs/errors.md: {no_page:?}");
    // Later layers show theirs in tests that run the command.
    let front = ids.filter(|id| &id[1..3] < "06");
    let silent: Vec<&str> = front
        .filter(|id| !messages.contains(&format!("[{id}]")))
        .collect();
    assert!(silent.is_empty(), "no golden message: {silent:?}");
}
