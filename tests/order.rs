//! `rise-opt order`: verdicts, cycles, exit codes.

use std::path::Path;
use std::process::Command;

/// Exit code, standard output, standard error.
fn order(dir: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    let out = command
        .arg("order")
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

fn own(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("own.rules"),
        format!("domain scalar\n{text}"),
    )
    .unwrap();
    dir
}

#[test]
fn the_shipped_rules_are_ordered() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, err) = order(dir.path(), &[]);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.contains("sub-add: as sub-add-const applies before"),
        "{out}"
    );
    assert!(out.ends_with(", 0 not ordered\n"), "{out}");
    let (code, out, _) = order(dir.path(), &["--rule", "mul-sum-const"]);
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with(
            "mul-sum-const: by the order alone; what gets less: factors outside of sums\n"
        ),
        "{out}"
    );
}

#[test]
fn circles_are_shown_where_the_rule_stands() {
    let dir = own("rule there  min(x, y) => x + y\nrule back  x + y => min(x, y)\nrule swap  x * y => y * x\n");
    let (code, out, err) = order(dir.path(), &["own.rules"]);
    assert_eq!(code, Some(4));
    assert_eq!(err.matches("E0682").count(), 2, "{err}");
    assert!(
        err.contains("own.rules:2:") && err.contains("own.rules:4:"),
        "{err}"
    );
    for step in [
        "there: min(x, y)  =>  x + y",
        "back: x + y  =>  min(x, y)",
        "swap: x * y  =>  y * x",
        "swap: y * x  =>  x * y",
    ] {
        assert!(err.contains(step), "{step}: {err}");
    }
    assert!(out.ends_with("3 rules: 1 ordered by themselves, 0 as constants are folded before, 0 as other rules apply before, 2 not ordered\n"), "{out}");
    // Of one rule only.
    let (code, out, _) = order(dir.path(), &["own.rules", "--rule", "back"]);
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn what_is_not_ordered_says_why() {
    let dir = own("rule up  x + c0 + y => x + y + c0\n");
    let (code, _, err) = order(dir.path(), &["own.rules"]);
    assert_eq!(code, Some(4));
    assert!(err.contains("where `y` is a constant"), "{err}");
    let dir = own("rule grow  min(x, y) => min(y * 2, x) where prove(x < y)\n");
    let (code, _, err) = order(dir.path(), &["own.rules"]);
    assert_eq!(code, Some(4));
    assert!(
        err.contains("E068") && err.contains("products may increase"),
        "{err}"
    );
}

#[test]
fn mistakes_have_their_codes() {
    let dir = own("rule a  x + 0 => x\nrule b  x - => x\n");
    let (code, out, err) = order(dir.path(), &["own.rules"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(out.starts_with("1 rule: 1 ordered"), "{out}");
    let (_, _, err) = order(dir.path(), &["own.rules", "--rule", "none"]);
    assert!(err.contains("E0674"), "{err}");
    let (code, _, err) = order(dir.path(), &["none.rules"]);
    assert!(code == Some(1) && err.contains("E0001"), "{err}");
}

#[test]
fn critical_pairs_are_joined_or_listed() {
    // The second rewrites what the first does, to something else; the third brings both together.
    let two = "rule self  x - x => 0\nrule odd  x - y => y\n";
    let three = "rule zero  x * 0 => 0\nrule neg  0 - x => x * -1\n";
    let dir = own(two);
    let (code, out, err) = order(
        dir.path(),
        &["own.rules", "--critical", "--progress", "off"],
    );
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("self, odd: x_ - x_  =>  0  |  x_"), "{out}");
    assert!(
        out.ends_with("1 rules are confluent by themselves\n"),
        "{out}"
    );
    let dir = own("rule cancel  x + y - x => y\nrule self  x - x => 0\n");
    let (_, out, _) = order(dir.path(), &["own.rules", "--critical"]);
    assert!(out.contains(", 0 do not; 2 rules are"), "{out}");
    // An overlap inside, with constants that a condition asks for.
    let dir = own(&format!(
        "rule pull  (x * c0 + y) / c1 => y / c1 + x * (c0 / c1) where c0 % c1 == 0 && c1 != 0\n{three}"
    ));
    let (_, out, _) = order(dir.path(), &["own.rules", "--critical", "--rule", "zero"]);
    assert!(out.contains("pull, zero: "), "{out}");
    let (code, _, err) = order(dir.path(), &["own.rules", "--critical", "--rule", "none"]);
    assert!(code == Some(2) && err.contains("E0674"), "{err}");
}
