//! Of `elab::locate`.

use rise_opt::elab::locate::*;

use rise_opt::elab::{program, program_text};
use rise_opt::source::SourceMap;
use rise_opt::term::normalize;

#[test]
fn every_sub_term_of_shipped_programs_is_found_where_it_reads_so() {
    let mut located = 0;
    for name in ["mm", "gemv", "binomial", "dot", "stencil"] {
        let mut sources = SourceMap::new();
        let file = sources.load(&format!("programs/{name}.rise")).unwrap();
        let mut p = program(&mut sources, file, None).unwrap();
        p.term = normalize(&p.term);
        let mut all = Vec::new();
        p.term.visit(&mut |t, _| all.push(t.clone()));
        let (text, ranges) = located_text(&p, &all);
        assert_eq!(text, program_text(&p), "{name}");
        for (t, ranges) in all.iter().zip(&ranges) {
            for (lo, hi) in ranges {
                let part = &text[*lo as usize..*hi as usize];
                assert!(!part.trim().is_empty());
                // A reduction reads as one, and so on.
                if let rise_opt::term::Kind::Prim(op) = t.spine().0.kind() {
                    let word = op.op().name();
                    let infix = part.contains(['+', '*', '-', '/']);
                    assert!(part.contains(word) || infix, "{word}: {part}");
                }
                located += 1;
            }
        }
    }
    assert!(located > 60, "{located}");
}

#[test]
fn what_does_not_stand_there_is_not_found() {
    let mut sources = SourceMap::new();
    let files = ["mm", "dot"].map(|n| sources.load(&format!("programs/{n}.rise")).unwrap());
    let [mm, dot] = files.map(|f| program(&mut sources, f, None).unwrap());
    let (_, ranges) = located_text(&mm, &[dot.term]);
    assert!(ranges[0].is_empty());
}
