//! Of `diag::near`.

use rise_opt::diag::near::*;

#[test]
fn slips_are_near_and_strangers_are_not() {
    let known = ["map", "mapSeq", "reduce", "reduceSeq", "transpose", "split"];
    assert_eq!(near("mpa", known), ["map"]);
    assert_eq!(near("reduceseq", known), ["reduceSeq"]);
    assert_eq!(near("tranpsoe", known), ["transpose"]);
    assert!(near("zip", known).is_empty());
    assert_eq!(
        did_you_mean("redce", known).unwrap(),
        "did you mean `reduce`?"
    );
    assert_eq!(near("map_seq", known), ["mapSeq"]);
}
