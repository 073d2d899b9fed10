//! Of `hash`.

use rise_opt::hash::*;

#[test]
fn the_hashes_are_the_published_ones() {
    assert_eq!(fnv64(b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fnv64(b"a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(fnv64(b"foobar"), 0x8594_4171_f739_67e8);
    assert_eq!(fnv128(b""), 0x6c62272e07bb014262b821756295c58d);
    assert_eq!(fnv128(b"a"), 0xd228cb696f1a8caf78912b704e4a8964);
    assert_eq!(fnv128(b"foobar"), 0x343e1662793c64bf6f0d3597ba446f18);
}
