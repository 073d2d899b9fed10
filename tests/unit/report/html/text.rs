//! Of `report::html::text`.

use rise_opt::report::html::text::*;

#[test]
fn nothing_gets_out_of_a_text() {
    assert_eq!(
        esc("</script><b a='\"'>&"),
        "&lt;/script&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;"
    );
    assert_eq!(
        esc("a\u{202e}b\0"),
        "a\u{ab}U+202E\u{bb}b\u{ab}U+0000\u{bb}"
    );
    assert_eq!(esc("a\r\n\tb é"), "a\n\tb é");
}

#[test]
fn sentences_have_code_and_whole_numbers() {
    assert_eq!(prose("`a<b` of 1 234"), "<code>a&lt;b</code> of 1\u{a0}234");
    assert_eq!(prose("a ` b"), "a ` b");
    assert_eq!(prose("8 of 868"), "8 of 868");
}

#[test]
fn lines_are_cut_at_their_ends() {
    assert_eq!(first_lines("a\nb\nc\n", 2), ("a\nb", 3));
    assert_eq!(first_lines("a\nb", 2), ("a\nb", 2));
    assert_eq!(first_lines("", 2), ("", 0));
}
