//! How much an ordinary run looks at, where many cases are alike and each takes long, as compilers do: of so many cases each
//! n-th. `RISE_OPT_TESTS=all cargo test` looks at all of them.
#![allow(dead_code)]

/// Whether everything is looked at.
pub fn all() -> bool {
    std::env::var_os("RISE_OPT_TESTS").is_some_and(|v| v == "all")
}

/// Whether the case of a number is one of those that are looked at, where these are one of so many. Tests that take other
/// ones of the same cases have other numbers `first`.
pub fn takes(number: usize, first: usize, of: usize) -> bool {
    all() || number % of == first % of
}

/// Half of so many, where not everything is looked at.
pub fn half(many: u64) -> u64 {
    if all() {
        many
    } else {
        many / 2
    }
}

/// One of so many cases.
pub fn one<T>(cases: impl IntoIterator<Item = T>, first: usize, of: usize) -> Vec<T> {
    let cases = cases.into_iter().enumerate();
    let taken = cases.filter(|(number, _)| takes(*number, first, of));
    taken.map(|(_, case)| case).collect()
}
