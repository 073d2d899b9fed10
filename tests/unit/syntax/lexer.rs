//! Of `syntax::lexer`.

use rise_opt::source::FileId;
use rise_opt::syntax::lexer::*;

fn texts(text: &str) -> Vec<&str> {
    let lexed = lex(FileId(0), text);
    let spans = lexed.tokens.iter().map(|t| t.span);
    spans.map(|s| &text[s.lo as usize..s.hi as usize]).collect()
}

#[test]
fn dots_of_types_and_fractions() {
    assert_eq!(texts("32.32.f32"), ["32", ".", "32", ".", "f32", ""]);
    assert_eq!(texts("6.f32"), ["6", ".", "f32", ""]);
    assert_eq!(
        texts("n.32.8.f32"),
        ["n", ".", "32", ".", "8", ".", "f32", ""]
    );
    assert_eq!(texts("0.5f64 0.0 1e-3"), ["0.5f64", "0.0", "1e-3", ""]);
    assert_eq!(
        texts("32.1.<32>f32"),
        ["32", ".", "1", ".", "<", "32", ">", "f32", ""]
    );
    assert_eq!(texts("50_000_000"), ["50_000_000", ""]);
    assert_eq!(texts("32.32.32.f32")[0], "32");
    assert_eq!(
        texts("target.f32lanes.target.f32"),
        ["target.f32lanes", ".", "target", ".", "f32", ""]
    );
}

#[test]
fn comments_nest_and_know_their_place() {
    let lexed = lex(FileId(0), "a -- x\n\n{- b {- c -} -} d");
    assert_eq!(lexed.tokens.len(), 3);
    assert_eq!(lexed.comments[0].text, "-- x");
    assert!(lexed.comments[0].trailing);
    assert!(!lexed.comments[1].trailing && lexed.comments[1].blank_above);
    assert!(lexed.diagnostics.is_empty());
    assert_eq!(lex(FileId(0), "{- {- -}").diagnostics.len(), 1);
}

#[test]
fn nothing_is_out_of_bounds() {
    for t in [
        "\"",
        "{-",
        "é",
        "λ",
        "1.",
        "1e",
        "1e+",
        "0x",
        "\u{feff}a",
        "a\u{0}",
        "≤",
    ] {
        lex(FileId(0), t);
    }
}
