//! Of `diag::render`.

use rise_opt::diag::render::*;
use rise_opt::diag::{code, Diagnostic};
use rise_opt::source::{SourceMap, Span};

#[test]
fn one_diagnostic_in_three_forms() {
    let mut sources = SourceMap::new();
    let f = sources.add_text("a.rise", "def f =\n  mpa g\n");
    let d = Diagnostic::new(code::EXPECTED, "there is no `mpa`")
        .label(Span::new(f, 10, 13), "not known")
        .also(Span::new(f, 4, 5), "in this definition")
        .note("a note")
        .help("did you mean `map`?");
    assert_eq!(
        render(&d, &sources, Format::Short),
        "a.rise:2:3: error[E0106]: there is no `mpa`\n"
    );
    let human = render(&d, &sources, Format::Human);
    for part in [
        "error[E0106]",
        "a.rise:2:3",
        "not known",
        "did you mean `map`?",
    ] {
        assert!(human.contains(part), "{human}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&render(&d, &sources, Format::Json)).unwrap();
    assert_eq!(json["spans"][0]["line"], 2);
    assert_eq!(json["exit"], 1);
}

#[test]
fn spans_beyond_the_text_or_inside_a_character_are_moved() {
    let mut sources = SourceMap::new();
    let f = sources.add_text("a.rise", "é");
    let d = Diagnostic::new(code::EXPECTED, "m").at(Span::new(f, 1, 99));
    render(&d, &sources, Format::Human);
    render(&d, &sources, Format::Json);
}
