//! Hashes that are the same on every machine, for ever: for what is saved and compared later.
//!
//! FNV-1a (Fowler, Noll, Vo). Absent: hashes of tables, which need no such promise.

/// 64 bits.
pub fn fnv64(bytes: &[u8]) -> u64 {
    fnv64_from(0, bytes)
}

/// 64 bits, another function for each seed.
pub fn fnv64_from(seed: u64, bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed;
    bytes.iter().fold(start, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// 128 bits.
pub fn fnv128(bytes: &[u8]) -> u128 {
    let start = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    let prime = (1 << 88) + 0x13b;
    bytes
        .iter()
        .fold(start, |h, b| (h ^ u128::from(*b)).wrapping_mul(prime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_the_published_ones() {
        assert_eq!(fnv64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv64(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv64(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(fnv128(b""), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(fnv128(b"a"), 0xd228cb696f1a8caf78912b704e4a8964);
        assert_eq!(fnv128(b"foobar"), 0x343e1662793c64bf6f0d3597ba446f18);
    }
}
