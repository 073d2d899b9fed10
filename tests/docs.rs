//! The documentation names everything that there is, and nothing that there is not.

use rise_opt::algebra::LAWS;
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
        + &help(&["order"]);
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
        "--lib",
        "--test",
        "--published",
        "--full",
        "--ends",
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
