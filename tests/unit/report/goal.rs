//! Of `report::goal`.

use rise_opt::report::goal::*;
use rise_opt::search::{trace::Size, Diagnosis, PartCount, Refused, Stop};
use rise_opt::source::SourceMap;

#[test]
fn says_what_is_missing_and_what_to_try() {
    let part = |label: &str, depth, classes| PartCount {
        label: label.to_string(),
        outline: label.to_string(),
        depth,
        classes,
        alone: classes + 1,
    };
    let d = not_reached(
        &Diagnosis {
            step: "split".into(),
            span: Default::default(),
            stop: Stop::Saturated,
            iterations: 7,
            size: Size {
                nodes: 9477,
                classes: 7056,
            },
            parts: vec![part("containsMap 3 …", 0, 0), part("containsAddMul", 1, 12)],
            growth: vec![("split-join".into(), 5000), ("map-fusion".into(), 0)],
            refused: Refused::default(),
            instead: None,
        },
        None,
        &[],
        &SourceMap::new(),
    );
    assert_eq!(d.code.exit as i32, 3);
    let notes = d.notes.join("\n");
    for text in [
        "9 477 e-nodes",
        "✗  0   1  containsMap",
        "✓ 12  13    containsAddMul",
        "split-join 5 000",
    ] {
        assert!(notes.contains(text), "{notes}");
    }
    assert!(d.help.unwrap().contains("containsMap 3"));
}
