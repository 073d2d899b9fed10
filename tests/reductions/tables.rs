//! Tables of operators: the same however often they were interrupted, and true.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn gen(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command
        .args([&["assoc", "gen"], args].concat())
        .current_dir(dir);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn made(dir: &Path, args: &[&str]) -> String {
    let output = gen(dir, args).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8(output.stdout).expect("text")
}

/// A run that is killed when a part of its table is there, and goes on, leaves the table of one that was not.
#[test]
fn a_table_that_was_interrupted_goes_on_to_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let args = ["--type", "bool", "--leaves", "5", "-o"];
    made(dir, &[&args[..], &["whole"]].concat());
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
    let mut run = gen(dir, &[&args[..], &["part"]].concat())
        .spawn()
        .expect("it runs");
    let begun = Instant::now();
    while read("part").is_empty() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    run.kill().expect("it is killed");
    run.wait().expect("it ends");
    let (part, whole) = (read("part"), read("whole"));
    assert!(!part.is_empty() && part.len() < whole.len(), "{part}");
    made(dir, &[&args[..], &["part", "--resume"]].concat());
    assert_eq!(read("part"), whole);
}

/// The smallest operators of the published list, in its order.
#[test]
fn the_smallest_operators_are_found_in_their_order() {
    let table = made(
        Path::new("."),
        &["--type", "i32", "--leaves", "3", "--scalars"],
    );
    let mut rest = &table[..];
    for (operator, letters) in [
        ("x + y", "ACiLR | ACiLR"),
        ("x * y", "ACiLR | ACiLR"),
        ("min x y", "ACIlr | ACILR"),
        ("max x y", "ACIlr | ACILR"),
        ("max (min x k) y", "AcIlr | AcILr"),
        ("min (max x k) y", "AcIlr | AcILr"),
        ("max (min y k) x", "AcIlr | AcIlR"),
        ("min (max y k) x", "AcIlr | AcIlR"),
    ] {
        let row = format!("| i32 | \\x y -> {operator} | {letters} | ");
        let at = rest.find(&row).unwrap_or_else(|| panic!("{row} in {rest}"));
        rest = &rest[at..];
    }
}

/// Some rows of each table that is shipped are judged again; `rise-opt assoc gen --type T --verify TABLE` judges all.
#[test]
fn tables_that_are_shipped_say_what_is_found_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut tables = 0;
    for entry in std::fs::read_dir("tests/operators/tables").expect("tables") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|n| n.to_str()).expect("a name");
        let ty = name.split('-').next().expect("a type");
        let text = std::fs::read_to_string(&path).expect("a table");
        let rows: Vec<&str> = text.lines().filter(|l| !l.starts_with("--")).collect();
        assert!(rows.len() > 10, "{}", path.display());
        let few: Vec<&str> = rows.iter().step_by(rows.len() / 10).copied().collect();
        std::fs::write(dir.path().join("few"), few.join("\n")).expect("a file");
        let verify = ["--type", ty, "--verify", "few"];
        let said = made(dir.path(), &verify);
        let all = few.len();
        assert!(
            said.contains(&format!("{all} of {all} operators have the verdicts")),
            "{said}"
        );
        // A table that says something else is refused.
        let other: Vec<String> = few.iter().map(|r| swapped(r)).collect();
        std::fs::write(dir.path().join("few"), other.join("\n")).expect("a file");
        let output = gen(dir.path(), &verify).output().expect("it runs");
        assert_eq!(
            output.status.code(),
            Some(4),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        tables += 1;
    }
    assert!(tables >= 6, "{tables}");
}

/// A row in which the verdict on associativity, in the first reading, is the other one; or what it rests on is.
fn swapped(row: &str) -> String {
    let columns: Vec<&str> = row.split(" | ").collect();
    let (letters, reason) = (columns[3], *columns.last().expect("a column"));
    let other = match letters.strip_prefix('A') {
        Some(rest) => row.replacen(letters, &format!("a{rest}"), 1),
        None => row.replacen(reason, "1000000", 1),
    };
    assert_ne!(other, row);
    other
}
