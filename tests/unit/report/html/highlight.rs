//! Of `report::html::highlight`.

use rise_opt::report::html::highlight::*;

#[test]
fn the_pieces_are_the_text() {
    let texts = [
        "int a = 3; /* b\nc */ // d\n#define X \"a\\\"b\n",
        "def f (x : 32.f32) = x -- end\n {- open",
        "\"never ends\n/* nor this",
        "é 0x1p60 1.5f … \\x -> x",
        "",
    ];
    for text in texts {
        for language in [Language::C, Language::Rise] {
            let all: String = pieces(text, language).into_iter().map(|p| p.1).collect();
            assert_eq!(all, text);
        }
    }
}

#[test]
fn words_are_known() {
    let classes: Vec<_> = pieces("map 32.f32 --x", Language::Rise);
    assert_eq!(classes[0], (Class::Keyword, "map"));
    assert_eq!(classes[2], (Class::Number, "32"));
    assert_eq!(classes[6], (Class::Comment, "--x"));
    let c = lines("a /* b\nc */\n", Language::C);
    assert_eq!(
        c,
        ["a <i class=\"co\">/* b</i>", "<i class=\"co\">c */</i>"]
    );
}
