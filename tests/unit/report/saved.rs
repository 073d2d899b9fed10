//! Of `report::saved`.

use rise_opt::diag::Diagnostic;
use rise_opt::report::saved::*;
use rise_opt::source::SourceMap;
use serde::Deserialize;
use serde::Serialize;

#[derive(Serialize, Deserialize, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
struct Value {
    entry: String,
    numbers: Vec<f64>,
}

fn value() -> Value {
    let entry = "mm".to_string();
    Value {
        entry,
        numbers: vec![0.1, 2.0],
    }
}

fn back(text: &str) -> Result<Value, Diagnostic> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("a.json", text);
    read(&PLAN, &sources, file)
}

/// What is said, and where.
fn refused(text: &str) -> (&'static str, String, usize, usize) {
    let d = back(text).expect_err(text);
    assert!(d.help.as_ref().is_some_and(|h| h.contains(PLAN.command)));
    let mut sources = SourceMap::new();
    let file = sources.add_text("a.json", text);
    let lo = d.primary.map(|l| l.span.lo).expect("a place");
    let (line, column) = sources.position(file, lo);
    (d.code.id, d.message, line, column)
}

#[test]
fn what_is_written_reads_back_and_begins_with_its_kind() {
    let text = write(&PLAN, &value());
    assert!(text.starts_with("{\n  \"kind\": \"plan\",\n  \"version\": 2,\n  \"entry\""));
    assert_eq!(back(&text), Ok(value()));
    assert_eq!(back(&line(&PLAN, &value())), Ok(value()));
    let mut bytes = Vec::new();
    stream(&PLAN, &value(), &mut bytes).unwrap();
    assert_eq!(back(std::str::from_utf8(&bytes).unwrap()), Ok(value()));
    // The order of fields is free.
    let other = r#"{"numbers": [], "version": 2, "entry": "", "kind": "plan"}"#;
    assert!(back(other).is_ok());
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let text = write(&PLAN, &value());
    let of = |text: &str| {
        let (code, message, line, column) = refused(text);
        format!("{code} {line}:{column} {message}")
    };
    assert_eq!(
        of("[1, 2]"),
        "E0602 1:1 `a.json` is not a plan: invalid type: sequence, expected an object"
    );
    assert_eq!(
        of("{]"),
        "E0602 1:2 `a.json` is not JSON: key must be a string"
    );
    assert_eq!(
        of(&format!("{text}x")),
        "E0602 10:1 `a.json` is not JSON: trailing characters"
    );
    assert_eq!(
        of("{}"),
        "E0606 1:1 `a.json` is not a plan: it has no `kind`"
    );
    assert_eq!(
        of(&text.replace("plan", "trace")),
        "E0606 2:3 `a.json` is a trace, not a plan"
    );
    assert_eq!(
        of(&text.replace("plan", "poem")),
        "E0606 2:3 `a.json` is of the kind `poem`, not a plan"
    );
    assert_eq!(
        of(&text.replace("2,\n", "3,\n")),
        "E0603 3:3 `a.json` is a plan of version 3"
    );
    assert_eq!(
        of(&text.replace("\"version\": 2,", "")),
        "E0603 1:1 `a.json` is a plan of no version"
    );
    assert_eq!(
        of(&text.replace("\"entry\"", "\"enter\"")),
        "E0602 4:9 `a.json` is not a plan: unknown field `enter`, expected `entry` or `numbers`"
    );
    assert_eq!(
        of(&text.replace("\"mm\"", "7")),
        "E0602 4:12 `a.json` is not a plan: invalid type: integer `7`, expected a string"
    );
    assert_eq!(
        of(&text.replace("\"entry\": \"mm\",", "")),
        "E0602 9:1 `a.json` is not a plan: missing field `entry`"
    );
    assert_eq!(
        of(&text.replace("\"entry\"", "\"kind\": \"plan\", \"entry\"")),
        "E0602 4:8 `a.json` is not a plan: duplicate field `kind`"
    );
}

#[test]
fn a_file_that_is_cut_off_is_said_to_be() {
    let text = write(&PLAN, &value());
    for end in 1..text.trim_end().len() {
        let (code, message, ..) = refused(&text[..end]);
        assert_eq!(code, "E0602");
        assert_eq!(message, "`a.json` ends early: it is cut off", "{end}");
    }
}

#[test]
fn numbers_that_nobody_counts_to_are_refused() {
    let text = write(&TRACE, &value());
    let read_back = |text: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add_text("a.json", text);
        read::<serde_json::Value>(&TRACE, &sources, file).map_err(|d| d.message)
    };
    for (number, fine) in [
        ("70368744177664", true),
        ("70368744177665", false),
        ("-70368744177665", false),
        ("18446744073709551615", false),
        ("1e300", true),
    ] {
        let found = read_back(&text.replace("0.1", number));
        assert_eq!(found.is_ok(), fine, "{number}: {found:?}");
        let seed = text.replace("\"entry\": \"mm\"", &format!("\"seed\": {number}"));
        assert!(read_back(&seed).is_ok(), "{number}");
    }
    let said = read_back(&text.replace("0.1", "70368744177665")).unwrap_err();
    assert!(
        said.contains("is larger than any that is written"),
        "{said}"
    );
}

#[test]
fn deep_nesting_is_no_overflow() {
    let text = format!("{{\"kind\": {}", "[".repeat(100_000));
    assert_eq!(refused(&text).0, "E0602");
    let text = format!(
        "{{\"kind\":\"plan\",\"version\":1,\"entry\":{}",
        "[".repeat(100_000)
    );
    assert_eq!(refused(&text).0, "E0602");
}
