//! Names of a program as names of C.
//!
//! Comes in: a name that a program may give; goes out: an identifier that C, the kernel's own text and the libraries it
//! is linked with leave free. Invariant: different names have different identifiers. Absent: names that lowering gives.
//!
//! Note [Names]
//! A name stays as it is where it can. One that is taken gets `v_` in front, and so does one that begins with `v_` or
//! `q_`. One with other characters than C has, such as `x'`, gets `q_` in front, `__` for each `_`, and `_27_`, the
//! number of the character, for `'`. So each identifier can be read back.

use crate::term::Op;
use crate::ty::Scalar;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Keywords of C and C++, for the header is included by both, and lower-case macros.
const KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept \
    const const_cast consteval constexpr constinit continue co_await co_return co_yield decltype default delete do double \
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new \
    noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict \
    return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try \
    typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq \
    unix linux i386 complex imaginary noreturn";

/// What kernels define or call beside the function.
const OWN: &str = "main out room bytes whole_line memory parts heap little total thread_count thread_index floor_div ceil_div floor_mod min_index \
    max_index clamp_index bound_index any_outside share threads status free malloc aligned_alloc memcpy memset abs labs llabs fma fmaf fmod fmodf fabs fabsf errno isnan";

/// Both of these.
static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lists = [KEYWORDS, OWN].into_iter();
    lists.flat_map(str::split_whitespace).collect()
});

/// Functions of C, POSIX, their usual extensions, and those that compilers know with a type of their own.
static LINKED: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("linked.txt").split_whitespace().collect());

/// Beginnings of names that belong to the C library or to OpenMP.
const LINKED_PREFIXES: [&str; 12] = [
    "str", "mem", "wcs", "atomic_", "pthread_", "omp_", "acc_", "kmp_", "xdr", "svc", "clnt",
    "stdc_",
];

/// A C identifier for a parameter or a size.
pub fn identifier(name: &str) -> String {
    escaped(name, is_taken(name))
}

/// A C identifier for a function: as for a parameter, but it shall not stand for one of a library either.
pub fn function_name(name: &str) -> String {
    let linked = LINKED.contains(name) || LINKED_PREFIXES.iter().any(|p| name.starts_with(p));
    escaped(name, linked || is_taken(name))
}

/// See Note [Names].
fn escaped(name: &str, taken: bool) -> String {
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        let text = name.chars().map(|c| match c {
            '_' => "__".to_string(),
            c if c.is_ascii_alphanumeric() => c.to_string(),
            c => format!("_{:x}_", u32::from(c)),
        });
        return format!("q_{}", text.collect::<String>());
    }
    match taken || name.starts_with("v_") || name.starts_with("q_") {
        true => format!("v_{name}"),
        false => name.to_string(),
    }
}

fn is_taken(name: &str) -> bool {
    WORDS.contains(name)
        || is_macro(name)
        || !name.starts_with(|c: char| c.is_ascii_alphabetic())
        || name.ends_with("_t")
        || name.ends_with("_all")
        || is_part(name)
        || name.starts_with("omp_")
        || is_typed_helper(name)
        || Op::functions().any(|op| name.strip_suffix('f').unwrap_or(name) == op.name())
}

/// `mm_part0`: a function beside the kernel.
fn is_part(name: &str) -> bool {
    let number = name.rsplit_once("_part").map_or("", |(_, n)| n);
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// `INT8_MAX`, `FETCH`, `MM_ERR_SIZE`: what has no small letter may be a macro somewhere; single letters are used as sizes.
fn is_macro(name: &str) -> bool {
    name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase())
        || name.contains("_ERR_")
        || name == "I"
}

/// `f32x16`, `f32_to_i8`, `div_i32`, `exp_f32x16` and their like.
fn is_typed_helper(text: &str) -> bool {
    let last = text.rsplit('_').next().unwrap_or(text);
    Scalar::ALL.iter().any(|s| {
        let lanes = last
            .strip_prefix(s.name())
            .and_then(|r| r.strip_prefix('x'));
        if lanes.is_some_and(|r| !r.is_empty() && r.bytes().all(|b| b.is_ascii_digit())) {
            return true;
        }
        let after = text.strip_prefix(s.name());
        after.is_some_and(|r| r.starts_with('x') || r.starts_with("_to_") || r.starts_with("_as_"))
            || text
                .strip_suffix(s.name())
                .is_some_and(|r| r.ends_with('_'))
    })
}
