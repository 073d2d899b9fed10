//! Of `cli::artefacts`.

use rise_opt::cli::artefacts::*;
use std::path::Path;
use Artefact::*;

fn names(wanted: &[Artefact], output: Option<&str>) -> Vec<String> {
    let extensions: Vec<&str> = wanted.iter().map(|a| a.extension()).collect();
    let found = paths(&extensions, output.map(Path::new), "mm").unwrap();
    found.iter().map(|p| p.display().to_string()).collect()
}

#[test]
fn one_file_is_named_and_the_others_stand_beside_it() {
    assert_eq!(names(&[C, Header], None), ["mm.c", "mm.h"]);
    assert_eq!(
        names(&[C, Header, Trace], Some("out/k.c")),
        ["out/k.c", "out/k.h", "out/k.trace.json"]
    );
    assert_eq!(names(&[Trace], Some("t.json")), ["t.json"]);
    assert_eq!(
        names(&[Term, Nest], Some("a.b.found.rise")),
        ["a.b.found.rise", "a.b.nest"]
    );
    assert_eq!(names(&[Term], None), ["mm.found.rise"]);
    assert_eq!(
        names(&[Nest, NestAfter("licm")], None),
        ["mm.nest", "mm.after-licm.nest"]
    );
    assert_eq!(names(&[C, Header], Some("k")), ["k", "k.h"]);
    assert_eq!(names(&[C, Header], Some("k.cc")), ["k.cc", "k.h"]);
}

#[test]
fn an_ending_says_which_file_is_named() {
    assert_eq!(names(&[C, Header], Some("o/k.h")), ["o/k.c", "o/k.h"]);
    assert_eq!(
        names(&[C, Plan, Trace], Some("t.trace.json"))[2],
        "t.trace.json"
    );
    assert_eq!(names(&[C, Trace], Some("t.json")), ["t.c", "t.json"]);
    for (wanted, name, right) in [
        (&[Proof][..], "x.c", "-o x.proof.json"),
        (&[C, Header], "o/x.html", "-o o/x.c"),
        (&[Plan], "x.trace.json", "-o x.plan.json"),
        (&[Nest, Trace], "x.h", "-o x.nest"),
    ] {
        let extensions: Vec<&str> = wanted.iter().map(|a| a.extension()).collect();
        let e = paths(&extensions, Some(Path::new(name)), "mm").unwrap_err();
        assert!(e.help.unwrap().contains(right), "{name}: {}", e.message);
    }
}
