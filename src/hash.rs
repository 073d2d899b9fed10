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
