//! The documentation names everything that there is, and nothing that there is not.

use rise_opt::algebra::LAWS;
use rise_opt::cost::Cost;
use rise_opt::elab;
use rise_opt::source::SourceMap;
use rise_opt::term::Op;
use std::fs;
use std::path::Path;

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The words in backquotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_string)
        .collect()
}

#[test]
fn every_primitive_is_documented() {
    let words = quoted(&page("docs/language.md"));
    let documented = |op: &Op| {
        let with_sizes = format!("{}[", op.name());
        (words.iter()).any(|w| w == op.name() || w.starts_with(&with_sizes))
    };
    let missing: Vec<_> = Op::ALL.iter().filter(|op| !documented(op)).collect();
    assert!(missing.is_empty(), "docs/language.md lacks {missing:?}");
}

#[test]
fn every_law_is_documented() {
    let words = quoted(&page("docs/rules.md"));
    for law in &LAWS {
        let beginning = format!("{} ", law.name);
        let documented = words.iter().any(|w| w.starts_with(&beginning));
        assert!(documented, "docs/rules.md lacks `{}`", law.name);
    }
}

/// Flags that the documentation names exist, and every flag of the main job is named.
#[test]
fn flags_are_those_of_the_help() {
    let help = |command: &[&str]| {
        let mut rise_opt = std::process::Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        let output = rise_opt.args(command).arg("--help").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let help = help(&[])
        + &help(&["compare"])
        + &help(&["explain"])
        + &help(&["bench"])
        + &help(&["simplify"])
        + &help(&["verify"])
        + &help(&["order"])
        + &help(&["synth"])
        + &help(&["solve"])
        + &help(&["validate"])
        + &help(&["certify"])
        + &help(&["check-certificate"])
        + &help(&["assoc", "check"])
        + &help(&["assoc", "table"])
        + &help(&["assoc", "lift"])
        + &help(&["assoc", "gen"]);
    let flags = |text: &str| {
        let mut found: Vec<String> = Vec::new();
        for (at, _) in text.match_indices("--") {
            let name: String = text[at + 2..]
                .chars()
                .take_while(|c| c.is_ascii_lowercase() || *c == '-')
                .collect();
            let starts = !text[..at].ends_with(|c: char| c == '-' || c.is_alphanumeric());
            if starts && name.starts_with(|c: char| c.is_ascii_lowercase()) {
                found.push(format!("--{}", name.trim_end_matches('-')));
            }
        }
        found
    };
    let known = flags(&help);
    assert!(known.len() > 10);
    // Of cargo, and of the benchmarks.
    let others = [
        "--release",
        "--bench",
        "--all-targets",
        "--check",
        "--test",
        "--published",
        "--full",
        "--ends",
        "--cases",
        "--proofs",
        "--all",
        "--kernels",
        "--values",
        "--ignored",
        "--nocapture",
    ];
    for name in [
        "README.md",
        "docs/commands.md",
        "docs/kernels.md",
        "docs/tutorial.md",
        "docs/language.md",
        "docs/sketches.md",
        "docs/rules.md",
        "docs/simplify.md",
        "docs/verify.md",
        "docs/order.md",
        "docs/synthesis.md",
        "docs/reductions.md",
    ] {
        for flag in flags(&page(name)) {
            let ok = known.contains(&flag) || others.contains(&&*flag);
            assert!(ok, "{name} names {flag}, which does not exist");
        }
    }
}

#[test]
fn files_that_the_documentation_links_exist() {
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "docs/commands.md",
        "docs/glossary.md",
        "docs/kernels.md",
        "docs/kernels-log.md",
        "docs/results.md",
        "docs/tutorial.md",
        "docs/language.md",
        "docs/sketches.md",
        "docs/rules.md",
        "docs/simplify.md",
        "docs/synthesis.md",
    ] {
        let text = page(name);
        let folder = Path::new(name).parent().unwrap();
        for link in text.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(folder)
                .join(target);
            assert!(target.is_empty() || path.exists(), "{name} links {target}");
        }
    }
}

/// The files of the tutorial, each after `into `NAME`:`.
fn files_of_the_tutorial() -> Vec<(String, String)> {
    let text = page("docs/tutorial.md");
    let pieces = text.split("into `").skip(1);
    let file = |piece: &str| {
        let (name, rest) = piece.split_once("`:\n\n```\n")?;
        let (body, _) = rest.split_once("```")?;
        Some((name.to_string(), body.to_string()))
    };
    pieces.filter_map(file).collect()
}

/// What the tutorial tells its reader to do works.
#[test]
fn the_programs_of_the_tutorial_are_optimised() {
    let dir = tempfile::tempdir().unwrap();
    let files = files_of_the_tutorial();
    let names: Vec<&str> = files.iter().map(|f| &*f.0).collect();
    assert_eq!(names, ["axpy.rise", "blur.rise", "blur.sk"]);
    for (name, text) in &files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    for args in [&["axpy.rise"][..], &["blur.rise", "--sketch", "blur.sk"]] {
        let mut rise_opt = std::process::Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        let output = (rise_opt.args(args).args(["--emit", "c,nest"]))
            .current_dir(dir.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {said}");
    }
    let nest = fs::read_to_string(dir.path().join("blur.nest")).unwrap();
    assert!(nest.contains("par") && !nest.contains("reduce :"), "{nest}");
}

/// Everything wrong with a sketch file.
fn wrong_in_sketch(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("page.sk", text);
    let costs = Cost::ALL.map(|(name, _)| name);
    let wrong = elab::check_sketch(&mut sources, file, &costs);
    wrong.into_iter().map(|d| d.message).collect()
}

/// The forms of the table and the examples of the page are read.
#[test]
fn forms_of_sketches_are_read_as_the_page_writes_them() {
    let text = page("docs/sketches.md");
    let (_, table) = text.split_once("| sketch | satisfied by |").unwrap();
    let rows = table.lines().skip(2).take_while(|l| l.starts_with('|'));
    let mut forms = 0;
    for row in rows {
        let cell = row.split('|').nth(1).unwrap();
        for form in quoted(cell) {
            let form = form.replace(" …", "").replace(": T", ": ? -> ?");
            let text = format!("def s = ?\ndef t = ?\ndef f = ?\ndef x = ?\nsketch {form}\n");
            assert_eq!(wrong_in_sketch(&text), [""; 0], "{form}");
            forms += 1;
        }
    }
    assert!(forms >= 14, "{forms}");
    let blocks: Vec<&str> = text.split("```\n").skip(1).step_by(2).collect();
    assert!(blocks.len() >= 2, "{blocks:?}");
    for block in blocks {
        assert_eq!(wrong_in_sketch(block), [""; 0], "{block}");
    }
}
