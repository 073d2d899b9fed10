//! The boundaries of ARCHITECTURE.md, read off the source text.
//!
//! A module may name only modules of its own layer or of the layers above it in the list, and no two
//! modules of one layer may need each other. Unit tests stand in `tests/unit` and may use everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first. `lib.rs` and `main.rs` stand above all of them.
const LAYERS: &[&[&str]] = &[
    &["hash", "intern", "alloc", "interrupt", "source", "diag"],
    &["arith", "ty", "target"],
    &["syntax"],
    &["scalar", "simplify", "solve", "termination", "index"],
    &[
        "term",
        "operator",
        "algebra",
        "obligation",
        "elab",
        "interp",
        "rounding",
    ],
    &["egraph", "rule", "cost", "sketch", "proof", "trail"],
    &["search"],
    &["nest", "lower", "emit", "estimate", "schedule"],
    &["exec"],
    &["verify", "validate", "ctext"],
    &["synth"],
    &["report"],
    &["driver"],
    &["cli"],
];

/// Above this a file holds more than one concept.
const MAX_LINES: usize = 800;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files under a folder, sorted.
fn files(dir: &Path, skip: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if skip.contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, skip));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A source file of the library.
struct Source {
    /// `exec/kernel.rs`
    name: String,
    /// `exec`
    module: String,
    /// Without comments.
    code: String,
}

fn sources() -> Vec<Source> {
    let src = root().join("src");
    let rust = files(&src, &[])
        .into_iter()
        .filter(|p| p.extension().is_some_and(|e| e == "rs"));
    rust.map(|path| {
        let inner = path.strip_prefix(&src).unwrap();
        let first = inner.iter().next().unwrap().to_string_lossy().into_owned();
        let name = inner.to_string_lossy().into_owned();
        let code = without_comments(&fs::read_to_string(&path).unwrap());
        Source {
            name,
            module: first.trim_end_matches(".rs").to_string(),
            code,
        }
    })
    .collect()
}

/// The code without line comments. Tests are other files: what declares them names no module of the library.
fn without_comments(text: &str) -> String {
    let code = text.lines().map(|line| match line.find("//") {
        Some(at) if !line[..at].contains('"') => &line[..at],
        _ => line,
    });
    code.collect::<Vec<_>>().join("\n")
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The modules named after `crate::`: one, or those of a braced list.
fn crate_names(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, prefix) in code.match_indices("crate::") {
        if code[..at].ends_with(is_word) {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        if !rest.starts_with('{') {
            names.insert(first_word(rest));
            continue;
        }
        let mut depth = 0;
        for (i, c) in rest.char_indices() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if depth == 0 {
                break;
            }
            if depth == 1 && (c == '{' || c == ',') {
                names.insert(first_word(&rest[i + 1..]));
            }
        }
    }
    names
}

fn first_word(text: &str) -> String {
    let text = text.trim_start();
    text.chars().take_while(|c| is_word(*c)).collect()
}

#[test]
fn braced_lists_are_read() {
    let names = crate_names("use crate::{a::{b, c}, d};\nfn f(x: crate::e::F) {} mycrate::g");
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["a", "d", "e"]);
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|l| l.contains(&module))
}

#[test]
fn every_module_has_a_layer() {
    for s in sources() {
        let known = layer(&s.module).is_some() || s.module == "lib" || s.module == "main";
        assert!(known, "src/{} belongs to no layer of this test", s.name);
    }
}

#[test]
fn no_module_names_a_higher_layer() {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for s in sources() {
        let Some(own) = layer(&s.module) else {
            continue;
        };
        for name in crate_names(&s.code) {
            let Some(other) = layer(&name).filter(|_| name != s.module) else {
                continue;
            };
            seen += 1;
            if other > own {
                wrong.push(format!("src/{} names {name}, which stands higher", s.name));
            }
            if other == own {
                edges.entry(s.module.clone()).or_default().insert(name);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 50, "only {seen} uses found: the test reads nothing");
    for start in edges.keys() {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&String> = edges[start].iter().collect();
        while let Some(m) = open.pop() {
            assert_ne!(m, start, "{start} needs itself, by way of its own layer");
            if reached.insert(m) {
                open.extend(edges.get(m).into_iter().flatten());
            }
        }
    }
}

/// Groups of files of one module that need each other in a cycle, with the reason why they may.
const CYCLES: &[&[&str]] = &[
    // Evaluation calls primitives, and these call the functions that they are given.
    &["interp::array", "interp::run"],
    // Values are functions, folds are values, and equality of both is asked while they are evaluated.
    &[
        "verify::arrays::bits",
        "verify::arrays::context",
        "verify::arrays::equal",
        "verify::arrays::eval",
        "verify::arrays::fold",
        "verify::arrays::gap",
        "verify::arrays::scalars",
        "verify::arrays::sums",
        "verify::arrays::value",
    ],
];

/// `exec/kernel.rs` is `exec::kernel`, `exec/mod.rs` is `exec`.
fn module_path(name: &str) -> String {
    let path = name.trim_end_matches(".rs").trim_end_matches("/mod");
    path.replace('/', "::")
}

/// What stands behind `crate::`, `self::` and `super::`, in full: `a::b::c` for each name of a braced list.
fn full_paths(code: &str, own: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, separator) in code.match_indices("::") {
        let start = code[..at].rfind(|c| !is_word(c)).map_or(0, |i| i + 1);
        let mut rest = &code[at + separator.len()..];
        let base = match &code[start..at] {
            "crate" => String::new(),
            "self" => own.to_string(),
            "super" if !code[..start].ends_with("super::") => {
                let mut parts: Vec<&str> = own.split("::").collect();
                parts.pop();
                while let Some(further) = rest.strip_prefix("super::") {
                    (_, rest) = (parts.pop(), further);
                }
                parts.join("::")
            }
            _ => continue,
        };
        names_below(&base, rest, &mut found);
    }
    found
}

/// The paths that a use or an expression spells from `base` on.
fn names_below(base: &str, rest: &str, found: &mut Vec<String>) {
    let rest = rest.trim_start();
    let Some(list) = rest.strip_prefix('{') else {
        let word = first_word(rest);
        let path = format!("{base}::{word}");
        let path = path.trim_start_matches("::");
        match rest[word.len()..].strip_prefix("::") {
            Some(more) => names_below(path, more, found),
            None => found.push(path.to_string()),
        }
        return;
    };
    let (mut depth, mut from) = (1, 0);
    for (i, c) in list.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 || depth == 1 && c == ',' {
            names_below(base, &list[from..i], found);
            from = i + 1;
        }
        if depth == 0 {
            break;
        }
    }
}

/// Which files of one module name which others.
fn needed() -> BTreeMap<String, BTreeSet<String>> {
    let all = sources();
    let names: BTreeSet<String> = all.iter().map(|s| module_path(&s.name)).collect();
    let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for s in &all {
        let own = module_path(&s.name);
        for path in full_paths(&s.code, &own) {
            // The longest beginning that is a file: the rest names something in it.
            let ends = path.match_indices("::").map(|(i, _)| &path[..i]);
            let Some(file) = ends.chain([&*path]).filter(|p| names.contains(*p)).last() else {
                continue;
            };
            let same_module = file.split("::").next() == own.split("::").next();
            if same_module && file != own && file.contains("::") {
                needs
                    .entry(own.clone())
                    .or_default()
                    .insert(file.to_string());
            }
        }
    }
    needs
}

#[test]
fn files_of_a_module_need_each_other_in_no_other_cycle() {
    let needs = needed();
    assert!(needs.len() > 100, "the test reads nothing");
    let reached = |start: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(m) = open.pop() {
            for next in needs.get(m).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<String>> = needs.keys().map(|m| (m, reached(m))).collect();
    let cycles: BTreeSet<Vec<String>> = (all.iter())
        .filter(|(m, seen)| seen.contains(**m))
        .map(|(m, seen)| {
            let back = |n: &&String| all.get(n).is_some_and(|s| s.contains(*m));
            seen.iter().filter(back).cloned().collect()
        })
        .collect();
    let allowed: BTreeSet<Vec<String>> = (CYCLES.iter())
        .map(|c| c.iter().map(|m| m.to_string()).collect())
        .collect();
    assert_eq!(
        cycles, allowed,
        "cycles that are there, and those that may be"
    );
}

/// Every source file of another module than `allowed` is free of `word`.
fn only(allowed: &[&str], words: &[&str]) {
    let mut found = 0;
    for s in sources() {
        for word in words {
            let mut rest = &*s.code;
            while let Some(at) = rest.find(word) {
                let whole = !rest[..at].ends_with(is_word);
                rest = &rest[at + word.len()..];
                if whole {
                    found += 1;
                    let ok = allowed.contains(&&*s.module);
                    assert!(ok, "src/{} names {word}; only {allowed:?} may", s.name);
                }
            }
        }
    }
    assert!(
        found > 0,
        "{words:?} stands nowhere: the test reads nothing"
    );
}

#[test]
fn only_egraph_names_the_engine() {
    only(&["egraph"], &["egg::"]);
}

#[test]
fn only_exec_starts_processes() {
    only(&["exec"], &["process::Command", "Command::new"]);
}

/// Whoever checks a proof shares nothing with whoever searched for it.
#[test]
fn the_checker_knows_nothing_of_the_search() {
    let mut seen = 0;
    for s in sources().iter().filter(|s| s.module == "proof") {
        let names = crate_names(&s.code);
        for other in ["egraph", "rule", "sketch", "cost", "trail", "search"] {
            assert!(!names.contains(other), "src/{} names {other}", s.name);
        }
        seen += names.len();
    }
    assert!(seen > 5, "only {seen} uses found: the test reads nothing");
}

/// Whoever judges a loop program knows nothing of how it was made, or of how it is printed.
#[test]
fn the_validator_knows_nothing_of_lowering() {
    let mut seen = 0;
    for s in sources() {
        let judges = s.module == "validate" || s.name.starts_with("report/loops/");
        if !judges {
            continue;
        }
        let names = crate_names(&s.code);
        for other in ["lower", "emit", "egraph", "rule", "search", "verify"] {
            assert!(!names.contains(other), "src/{} names {other}", s.name);
        }
        assert!(
            !s.code.contains("passes"),
            "src/{} names the passes",
            s.name
        );
        seen += names.len();
    }
    assert!(seen > 20, "only {seen} uses found: the test reads nothing");
}

/// Of the validator: what only saves questions, tells, or looks for a difference. Nothing that is validated rests on it.
const BESIDE: [&str; 4] = ["points", "questions", "refute", "show"];

/// The lines that have to be right for a verdict to be, and where the others come in.
#[test]
fn what_is_trusted_to_validate_is_told() {
    let may_name = [
        ("known", "points"),
        ("known", "questions"),
        ("mod", "questions"),
        ("mod", "refute"),
        ("mod", "show"),
    ];
    let lines = |name: &str| {
        let text = fs::read_to_string(root().join("src").join(name));
        text.expect("a file of src").lines().count()
    };
    // Where loops are left the reader asks, too.
    let mut trusted = lines("ctext/known.txt") + lines("nest/settled.rs");
    for s in &sources() {
        let stem = s.name.rsplit('/').next().unwrap_or("");
        let stem = stem.trim_end_matches(".rs");
        match &*s.module {
            "ctext" => trusted += lines(&s.name),
            "validate" if !BESIDE.contains(&stem) => {
                trusted += lines(&s.name);
                for other in BESIDE {
                    let names = s.code.contains(&format!("{other}::"));
                    let ok = !names || may_name.contains(&(stem, other));
                    assert!(ok, "src/{} names {other}", s.name);
                }
            }
            _ => {}
        }
    }
    let docs = fs::read_to_string(root().join("docs/validation.md")).expect("a page");
    let (before, _) = docs.split_once(" lines of validator").expect("a number");
    let number = before.rsplit(": ").next().unwrap_or("").replace(' ', "");
    let said: usize = number.parse().expect("a number");
    assert!(
        trusted.abs_diff(said) < 500,
        "{trusted} lines are trusted, not {said}"
    );
}

/// Whoever reads a C text knows nothing of how it is printed.
#[test]
fn the_reader_of_c_knows_nothing_of_the_printer() {
    let mut seen = BTreeSet::new();
    for s in sources().iter().filter(|s| s.module == "ctext") {
        seen.extend(crate_names(&s.code));
        assert!(
            !s.code.contains("passes"),
            "src/{} names the passes",
            s.name
        );
    }
    let allowed = ["arith", "intern", "nest", "term", "ty"];
    assert_eq!(seen.iter().collect::<Vec<_>>(), allowed);
}

/// Whoever prints a loop program knows nothing of how to decide about sizes, or of how it came about.
#[test]
fn printers_decide_nothing() {
    let mut seen = 0;
    for s in sources().iter().filter(|s| s.module == "emit") {
        let names = crate_names(&s.code);
        for other in ["simplify", "index", "lower", "obligation"] {
            assert!(!names.contains(other), "src/{} names {other}", s.name);
        }
        seen += names.len();
    }
    assert!(seen > 5, "only {seen} uses found: the test reads nothing");
}

/// `source` reads what the user names, `cli` writes it. `exec` has temporary folders of its own;
/// `alloc` asks the system, which answers in files; `interrupt` removes what is noted.
#[test]
fn only_source_and_cli_touch_the_files_of_the_user() {
    let allowed = ["source", "cli", "exec", "alloc", "interrupt"];
    only(
        &allowed,
        &[
            "std::fs",
            "fs::read",
            "fs::write",
            "File::open",
            "File::create",
        ],
    );
    for s in sources().iter().filter(|s| s.module == "alloc") {
        for call in s
            .code
            .match_indices("fs::read_to_string(")
            .map(|(i, m)| &s.code[i + m.len()..])
        {
            let argument: String = call.chars().take_while(|c| *c != ')').collect();
            let system = argument.contains("\"/proc/") || argument.contains("\"/sys/");
            assert!(system, "src/alloc.rs reads {argument}");
        }
    }
}

#[test]
fn files_hold_one_concept() {
    for dir in ["src", "tests", "benches"] {
        let dir = root().join(dir);
        let all = if dir.exists() {
            files(&dir, &[])
        } else {
            Vec::new()
        };
        for path in all
            .iter()
            .filter(|p| p.extension().is_some_and(|e| e == "rs"))
        {
            let lines = fs::read_to_string(path).unwrap().lines().count();
            assert!(lines <= MAX_LINES, "{} has {lines} lines", path.display());
        }
    }
}

/// A file of modules and what it declares: a file of its own each, or those in a folder.
fn declared(file: &Path, folder: &Path, found: &mut BTreeSet<PathBuf>) {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    found.insert(file.to_path_buf());
    let mut inside = vec![folder.to_path_buf()];
    for line in text.lines().map(str::trim) {
        let around = inside.last().expect("a folder");
        let name = line.strip_prefix("mod ");
        if let Some(module) = name.and_then(|n| n.strip_suffix(';')) {
            let module = around.join(module);
            declared(&module.with_extension("rs"), &module, found);
        } else if let Some(folder) = name.and_then(|n| n.strip_suffix(" {")) {
            inside.push(around.join(folder));
        } else if line == "}" && inside.len() > 1 {
            inside.pop();
        }
    }
}

/// `src` holds the product: nothing there is compiled for tests only, so the library is compiled once. Each file of
/// `tests/unit` is declared, so that none is forgotten.
#[test]
fn tests_stand_outside_of_the_product() {
    for path in files(&root().join("src"), &[]) {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for attribute in ["cfg(test", "cfg_attr(test", "#[test]"] {
            let path = path.display();
            assert!(!text.contains(attribute), "{path} holds code for tests");
        }
    }
    let unit = root().join("tests/unit");
    let mut found = BTreeSet::new();
    declared(&unit.join("mod.rs"), &unit, &mut found);
    let all: BTreeSet<PathBuf> = files(&unit, &[]).into_iter().collect();
    assert!(all.len() > 40, "the test reads nothing");
    assert_eq!(found, all, "files that are declared, and those there are");
}

/// Nothing in the repository depends on one machine: no folders of a user, no hosts.
#[test]
fn the_repository_names_no_machine() {
    // Put together here, so that this file does not find itself.
    let folders = ["home", "root", "work", "Users"].map(|f| format!("/{f}/"));
    let hosts = [
        "www.apache.org/licenses/",
        "www.w3.org/2000/svg",
        "json-schema.org/draft/2020-12/schema",
    ];
    let scheme = format!(":{}", "//");
    for path in files(root(), &["target", ".git", "Cargo.lock"]) {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for (i, line) in text.lines().enumerate() {
            let place = format!("{}:{}", path.strip_prefix(root()).unwrap().display(), i + 1);
            for folder in &folders {
                let absolute = line.match_indices(folder).any(|(at, _)| {
                    !line[..at].ends_with(|c: char| is_word(c) || "./-)".contains(c))
                });
                assert!(!absolute, "{place} names a folder of one machine: {line}");
            }
            for (at, _) in line.match_indices(&scheme) {
                let host = &line[at + scheme.len()..];
                let known = hosts.iter().any(|h| host.starts_with(h));
                assert!(known, "{place} names a host: {line}");
            }
        }
    }
}
