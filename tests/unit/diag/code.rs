//! Of `diag::code`.

use rise_opt::diag::code::*;

#[test]
fn codes_are_unique_and_ascending() {
    for w in ALL.windows(2) {
        assert!(w[0].id[1..] < w[1].id[1..], "{} {}", w[0].id, w[1].id);
    }
}
