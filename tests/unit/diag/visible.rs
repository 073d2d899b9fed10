//! Of `diag::visible`.

use rise_opt::diag::visible::*;

#[test]
fn what_is_hidden_is_named() {
    assert_eq!(visible("a\n\tb é"), "a\n\tb é");
    assert_eq!(
        visible("a\u{1b}[2Kb\u{202e}c\r"),
        "a\u{ab}U+001B\u{bb}[2Kb\u{ab}U+202E\u{bb}c\u{ab}U+000D\u{bb}"
    );
}
