//! Types and helpers that a kernel's text needs, and only those.

pub(super) use super::lane_helpers::int_of;
use super::{functions, lane_helpers, widening, Contract};
use crate::nest::passes::TIMES;
use crate::nest::{Shape, THREADS_FROM};
use crate::term::{Function, Op};
use crate::ty::Scalar;
use std::collections::BTreeSet;

/// What the body used.
#[derive(Default)]
pub(super) struct Used {
    /// Vector types: element, lanes.
    pub vectors: BTreeSet<(Scalar, u32)>,
    /// Vector minimum and maximum: name, element, lanes.
    pub min_max: BTreeSet<(bool, Scalar, u32)>,
    /// Vector types that only registers have.
    pub types: BTreeSet<(Scalar, u32)>,
    /// Operations on vectors that C has no operator for.
    pub lane_ops: BTreeSet<(Op, Scalar, u32)>,
    /// Approximated functions; a function stands before those that call it.
    pub functions: BTreeSet<(Function, Scalar, u32)>,
    /// Saturating casts of vectors of floats: from, to, lanes.
    pub vector_casts: BTreeSet<(Scalar, Scalar, u32)>,
    /// Casts to wider elements that machines have instructions for: from, to, lanes.
    pub widened: BTreeSet<(Scalar, Scalar, u32)>,
    /// Selection by mask.
    pub masks: BTreeSet<(Scalar, u32)>,
    /// Whether any lane of a mask holds: element, lanes.
    pub any: BTreeSet<(Scalar, u32)>,
    /// Integer helpers: operation, element.
    pub ints: BTreeSet<(&'static str, Scalar)>,
    /// Shifts of vectors: whether to the left, element, lanes.
    pub shifts: BTreeSet<(bool, Scalar, u32)>,
    /// Bits of one type as another.
    pub bits: BTreeSet<(Scalar, Scalar)>,
    /// Floats whose sign bit is turned.
    pub signs: BTreeSet<Scalar>,
    /// Conversions between f32 and floats of 16 bits: whether from f32, the other type, lanes.
    pub halves: BTreeSet<(bool, Scalar, u32)>,
    /// Saturating casts from floats: from, to.
    pub casts: BTreeSet<(Scalar, Scalar)>,
    /// Truth values that are as often one as the other.
    pub either: bool,
    /// Which of `ANY` and `ALL` put many comparisons together.
    pub looked_up: BTreeSet<&'static str>,
    /// Truth values that are read.
    pub truth: bool,
    /// Whether there are short functions of threads.
    pub expanded: bool,
    /// Casts from floats that fit: from, to.
    pub fitting: BTreeSet<(Scalar, Scalar)>,
    /// Helpers on indices.
    pub index: BTreeSet<&'static str>,
    /// Whether arrays of indices are checked.
    pub outside: bool,
    /// Whether `math.h` is needed.
    pub math: bool,
    /// Of what the library takes roots.
    pub roots: BTreeSet<&'static str>,
    /// Whether memory is allocated.
    pub heap: bool,
    /// Whether there are loops.
    pub loops: bool,
    /// Whether loops are parallel and dynamic.
    pub par: bool,
    /// Of these, those whose body is no function.
    pub par_if: bool,
    /// Whether loops are parallel and static.
    pub par_static: bool,
    /// Of these, those whose body is no function.
    pub par_static_if: bool,
    /// Of these, those whose iterations compilers may put in lanes.
    pub par_simd: bool,
    /// Whether lines are fetched ahead.
    pub fetch: bool,
    /// Whether loops are to stay loops.
    pub rolled: bool,
    /// Whether compilers are told that iterations of a loop do not depend on each other.
    pub independent: bool,
    /// Whether several iterations are to be done at once.
    pub repeated: bool,
    /// Whether threads are counted.
    pub threads: bool,
    /// Whether integers are compared of which their types may say enough.
    pub compared: bool,
}

/// The C type of an element.
pub fn c_type(s: Scalar) -> &'static str {
    use Scalar::*;
    match s {
        Bool => "bool",
        I8 => "int8_t",
        I16 => "int16_t",
        I32 => "int32_t",
        I64 => "int64_t",
        U8 => "uint8_t",
        U16 => "uint16_t",
        U32 => "uint32_t",
        U64 => "uint64_t",
        F16 | Bf16 => "uint16_t",
        F32 => "float",
        F64 => "double",
    }
}

/// The unsigned type in which integers of a type are added and multiplied:
/// no narrower than `int`, so that nothing overflows.
pub(super) fn unsigned(s: Scalar) -> &'static str {
    match s.bytes() {
        8 => "uint64_t",
        _ => "uint32_t",
    }
}

/// The name of the type of a shape.
pub(super) fn shape_type(s: Shape) -> String {
    match s.lanes {
        1 => c_type(s.elem).to_string(),
        k => format!("{}x{k}", s.elem.name()),
    }
}

/// The text below the functions.
pub(super) fn end(used: &Used, contract: Contract) -> String {
    let mut out = String::new();
    if used.compared || used.heap {
        out += "\n#ifdef __GNUC__\n#pragma GCC diagnostic pop\n#endif\n";
    }
    if !gcc_options(used, contract).is_empty() {
        out += &format!("\n{GCC}#pragma GCC pop_options\n#endif\n");
    }
    out
}

/// Only gcc knows these pragmas, and clang calls itself gcc.
const GCC: &str = "#if defined(__GNUC__) && !defined(__clang__)\n";

/// What gcc is asked for in the text: whatever flags it is given, the kernel is compiled so.
fn gcc_options(used: &Used, contract: Contract) -> Vec<&'static str> {
    let mut all = Vec::new();
    if used.loops {
        all.push("\"align-loops=64\"");
        all.push("\"no-trapping-math\"");
        all.push("\"no-loop-unroll-and-jam\"");
    }
    if contract == Contract::Off {
        all.push("\"fp-contract=off\"");
    }
    all
}

/// The pragmas above the functions that hold up to [`end`].
fn options(used: &Used, contract: Contract) -> String {
    let mut out = String::new();
    let gcc = gcc_options(used, contract);
    if used.loops {
        out += "/* Code is read by cache lines: a short loop is to begin with one, or it lies in one more (clang: -falign-loops=64). */\n";
        out += "/* No one looks at the flags of exceptions: both sides of a choice may be computed, so that it is made in vectors. */\n";
        out += "/* Iterations of outer loops that gcc puts together read rows at places that data says number by number. */\n";
    }
    if contract == Contract::Off {
        out += "/* Every operation is rounded for itself: no a*b + c is contracted. */\n";
    }
    if !gcc.is_empty() {
        out += GCC;
        out += "#pragma GCC push_options\n";
        out += &format!("#pragma GCC optimize({})\n", gcc.join(", "));
        if contract == Contract::Off {
            out += "#else\n#pragma STDC FP_CONTRACT OFF\n";
        }
        out += "#endif\n";
    }
    if contract == Contract::Off {
        out += "#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)\n\
                #error \"float and double are computed in wider types: compile with -msse2 -mfpmath=sse\"\n#endif\n";
    }
    if !out.is_empty() {
        out += "\n";
    }
    out
}

/// Switches off, up to [`end`], what compilers say of programs and not of kernels.
fn unwanted_warnings(used: &Used) -> String {
    let mut out = String::new();
    let (mut clang, mut gcc) = (Vec::new(), Vec::new());
    if used.compared {
        out += "/* A program may compare what its types decide. */\n";
        clang.push("-Wtautological-compare");
        gcc.extend(["-Wtype-limits", "-Wbool-compare", "-Wsign-compare"]);
    }
    if used.heap {
        out +=
            "/* Loops write buffers before others read them, which gcc does not always see. */\n";
        gcc.push("-Wmaybe-uninitialized");
    }
    if out.is_empty() {
        return out;
    }
    let ignored = |all: &[&str]| -> String {
        let each = all
            .iter()
            .map(|w| format!("#pragma GCC diagnostic ignored \"{w}\"\n"));
        each.collect()
    };
    let (clang, gcc) = (ignored(&clang), ignored(&gcc));
    let push = "#pragma GCC diagnostic push\n";
    out + &format!(
        "#if defined(__clang__)\n{push}{clang}#elif defined(__GNUC__)\n{push}{gcc}#endif\n\n"
    )
}

/// A macro that stands before a loop: pragmas of clang and of gcc, nothing for others. They are hints, and clang warns of each that it
/// does not follow unless it is told so.
fn before_loops(name: &str, clang: &str, gcc: &[&str]) -> String {
    let gcc: Vec<String> = gcc.iter().map(|p| format!("_Pragma(\"{p}\")")).collect();
    let gcc = gcc.join(" ");
    format!(
        "#if defined(__clang__)\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n#define {name} _Pragma(\"{clang}\")\n\
         #elif defined(__GNUC__)\n#define {name} {gcc}\n#else\n#define {name}\n#endif\n\n"
    )
}

/// The text above the functions.
pub(super) fn prelude(used: &Used, contract: Contract) -> String {
    let mut out = String::new();
    if used.math {
        out += "#include <math.h>\n";
    }
    out += headers(used);
    let takes_abs = |(op, s): &(&str, Scalar)| *op == "abs" && s.bytes() <= 4;
    if used.heap || used.ints.iter().any(takes_abs) {
        out += "#include <stdlib.h>\n";
    }
    if used.threads || used.has_threads() {
        out += "#ifdef _OPENMP\n#include <omp.h>\n#endif\n";
    }
    if !out.is_empty() {
        out += "\n";
    }
    if !used.roots.is_empty() {
        out += "/* Nobody reads errno after a root, so roots of several numbers may be taken at once. */\n#ifdef __GNUC__\n";
        for (root, ty) in [("sqrtf", "float"), ("sqrt", "double")] {
            if used.roots.contains(root) {
                out += &format!("{ty} {root}({ty}) __attribute__((const));\n");
            }
        }
        out += "#endif\n\n";
    }
    out += &options(used, contract);
    out += &unwanted_warnings(used);
    loops(used, &mut out);
    memory(used, &mut out);
    vectors(used, &mut out);
    out += &super::half::helpers(&used.halves);
    for name in &used.index {
        out += index_helper(name);
    }
    if used.outside {
        out += &outside(used.has_threads());
    }
    for (op, s) in &used.ints {
        out += &int_helper(op, *s);
    }
    for (from, to) in &used.bits {
        out += &format!(
            "static inline {t} {}_as_{}({f} a)\n{{\n    union {{ {f} from; {t} to; }} bits = {{a}};\n    return bits.to;\n}}\n\n",
            from.name(),
            to.name(),
            f = c_type(*from),
            t = c_type(*to),
        );
    }
    for s in &used.signs {
        out += &negative(*s);
    }
    for (from, to) in &used.fitting {
        let (f, t) = (c_type(*from), c_type(*to));
        let by = match to {
            Scalar::I32 => String::new(),
            _ => format!("({t})"),
        };
        out += &format!(
            "static inline {t} {}_in_{}({f} a)\n{{\n    return {by}(int32_t)(a == a ? a : 0);\n}}\n\n",
            from.name(),
            to.name()
        );
    }
    for (from, to) in &used.casts {
        out += &cast_helper(*from, *to);
    }
    out
}

impl Used {
    fn has_threads(&self) -> bool {
        self.par || self.par_static || self.par_simd
    }
}

/// What stands before loops, and hints inside of them.
fn loops(used: &Used, out: &mut String) {
    if used.par {
        *out += "#ifdef _OPENMP\n\
                /* Threads take so many of n iterations at once that taking them costs little, and none waits long. */\n\
                static inline int64_t share(int64_t n)\n{\n    return n / 64 / omp_get_max_threads() + 1;\n}\n\n\
                #define PRAGMA(text) _Pragma(#text)\n\
                #define PARALLEL_FOR(n) PRAGMA(omp parallel for schedule(dynamic, share(n)))\n\
                #else\n#define PARALLEL_FOR(n)\n#endif\n\n";
    }
    if used.par_static {
        *out += "/* Each thread takes one run of iterations, which all take as long: in the next call its caches hold the same part. */\n\
                #ifdef _OPENMP\n\
                #define PARALLEL_STATIC _Pragma(\"omp parallel for schedule(static)\")\n\
                #else\n#define PARALLEL_STATIC\n#endif\n\n";
    }
    if used.par_simd {
        *out += "/* Each thread takes one run of single elements. In the functions that threads run, gcc forgets `restrict`, and makes vectors if it is told that it may. */\n\
                #if defined(_OPENMP) && defined(__GNUC__) && !defined(__clang__)\n\
                #define PARALLEL_SIMD _Pragma(\"omp parallel for simd schedule(static)\")\n\
                #elif defined(_OPENMP)\n\
                #define PARALLEL_SIMD _Pragma(\"omp parallel for schedule(static)\")\n\
                #else\n#define PARALLEL_SIMD\n#endif\n\n";
    }
    if used.has_threads() {
        *out += &format!("/* From so many cycles on a loop has threads, as they take some to start. */\n\
                #ifndef THREADS_FROM\n#define THREADS_FROM {THREADS_FROM}\n#endif\n\
                #ifdef _OPENMP\n\
                #define WORTH_THREADS(n, cycles) ((n) > 1 && (cycles) >= THREADS_FROM && omp_get_max_threads() > 1)\n\
                #else\n#define WORTH_THREADS(n, cycles) 0\n#endif\n\n");
    }
    if used.par_if {
        *out += "#ifdef _OPENMP\n\
                #define PARALLEL_IF(n, cycles) PRAGMA(omp parallel for schedule(dynamic, share(n)) if (WORTH_THREADS(n, cycles)))\n\
                #else\n#define PARALLEL_IF(n, cycles)\n#endif\n\n";
    }
    if used.par_static_if {
        let pragma = match used.par {
            true => "",
            false => "#define PRAGMA(text) _Pragma(#text)\n",
        };
        *out += &format!("#ifdef _OPENMP\n{pragma}\
                #define PARALLEL_STATIC_IF(n, cycles) PRAGMA(omp parallel for schedule(static) if (WORTH_THREADS(n, cycles)))\n\
                #else\n#define PARALLEL_STATIC_IF(n, cycles)\n#endif\n\n");
    }
    if used.fetch {
        *out += "/* A hint to the processor: there need not be such an element. */\n\
                #ifdef __GNUC__\n\
                #define FETCH(array, i) __builtin_prefetch((const void *)((uintptr_t)(array) + (uintptr_t)(i) * sizeof *(array)))\n\
                #else\n#define FETCH(array, i) ((void)0)\n#endif\n\n";
    }
    if used.rolled {
        let clang = "clang loop unroll(disable) vectorize(assume_safety)";
        *out += &before_loops("ROLLED", clang, &["GCC ivdep", "GCC unroll 1"]);
    }
    if used.independent {
        // clang warns of each loop that it does not make vectors of, wherever that is asked for inside of threads.
        *out += "/* No iteration reads or writes what another one writes: in the functions that threads run, gcc forgets `restrict`. */\n";
        *out += &format!("{GCC}#define INDEPENDENT _Pragma(\"GCC ivdep\")\n#else\n#define INDEPENDENT\n#endif\n\n");
    }
    if used.expanded {
        *out += "/* Short functions are expanded where they are called: the call would take part of their time. */\n\
                #ifdef __GNUC__\n#define EXPANDED static inline __attribute__((always_inline))\n\
                #else\n#define EXPANDED static inline\n#endif\n\n";
    }
    if used.truth {
        *out += "/* A truth value is a byte: of bytes compilers make vectors. */\n\
                #define TRUTH(element) (sizeof(bool) == 1 ? *(const uint8_t *)&(element) != 0 : (element))\n\n";
    }
    for name in &used.looked_up {
        *out += "/* Of many comparisons with constants gcc makes a test of a bit, of which it makes no vectors. */\n";
        let of = if *name == "ANY" { "!= 0" } else { "== 2" };
        *out += &format!("#define {name}(a, b) ((a) + (b) {of})\n\n");
    }
    if used.either {
        *out += "/* As often true as not: gcc moves what one side of a choice reads behind a branch, unless it takes that side to be usual. */\n\
                #if defined(__clang__)\n#define EITHER(c) __builtin_unpredictable(c)\n\
                #elif defined(__GNUC__)\n#define EITHER(c) __builtin_expect((c), 1)\n\
                #else\n#define EITHER(c) (c)\n#endif\n\n";
    }
    if used.repeated {
        let clang = format!("clang loop unroll_count({TIMES})");
        *out += "/* Several iterations at once. */\n";
        *out += &before_loops("REPEATED", &clang, &[&format!("GCC unroll {TIMES}")]);
    }
}

/// Which thread this is, and where memory comes from.
fn memory(used: &Used, out: &mut String) {
    if used.threads {
        *out += "static inline int64_t thread_count(void)\n{\n#ifdef _OPENMP\n    \
                return omp_get_max_threads();\n#else\n    return 1;\n#endif\n}\n\n\
                static inline int64_t thread_index(void)\n{\n#ifdef _OPENMP\n    \
                return omp_get_thread_num();\n#else\n    return 0;\n#endif\n}\n\n";
    }
    if used.heap {
        *out +=
            "/* Bytes for count elements: whole cache lines, the last of which nothing uses. */\n\
                static inline int64_t room(int64_t count, int64_t size)\n{\n    \
                return (count * size + 127) / 64 * 64;\n}\n\n";
        *out += "/* None where this machine has no addresses for so many. */\n\
                static inline void *bytes(int64_t count)\n{\n    \
                return (uint64_t)count > SIZE_MAX / 2 ? 0 : malloc((size_t)count);\n}\n\n\
                /* The first whole cache line. */\n\
                static inline char *whole_line(char *memory)\n{\n    \
                return memory + (64 - (uintptr_t)memory % 64) % 64;\n}\n\n";
        *out += "/* Up to so many bytes lie on the stack. Sanitizers report whoever touches what lies between two buffers. */\n\
                #ifdef __SANITIZE_ADDRESS__\n\
                #include <sanitizer/asan_interface.h>\n\
                #define GAP(p) ASAN_POISON_MEMORY_REGION(p, 64)\n\
                #define LITTLE 64\n\
                #else\n#define GAP(p) ((void)0)\n#define LITTLE 16384\n#endif\n\n";
    }
}

fn vectors(used: &Used, out: &mut String) {
    let mut types = used.vectors.clone();
    types.extend(&used.types);
    types.extend(helper_types(used));
    for (s, k) in &used.vectors {
        if s.is_int() {
            types.insert((int_of(*s, false), *k));
        }
    }
    for (_, _, k) in used.halves.iter().filter(|h| h.2 > 1) {
        types.extend([Scalar::U16, Scalar::I32, Scalar::U32, Scalar::F32].map(|s| (s, *k)));
    }
    for (_, s, k) in &used.shifts {
        types.insert((int_of(*s, true), *k));
        types.insert((int_of(*s, false), *k));
    }
    for (_, s, k) in &used.min_max {
        types.insert((int_of(*s, true), *k));
    }
    for (s, k) in &used.masks {
        types.insert((int_of(*s, true), *k));
    }
    for (s, k) in &types {
        let (c, bytes) = (c_type(*s), s.bytes());
        let name = format!("{}x{k}", s.name());
        let size = bytes * u64::from(*k);
        *out += &format!("typedef {c} {name} __attribute__((vector_size({size})));\n");
        if used.vectors.contains(&(*s, *k)) {
            *out += &format!(
                "typedef {c} {name}_mem __attribute__((vector_size({size}), aligned({bytes}), may_alias));\n"
            );
        }
    }
    // Compilers that do not know an attribute may ignore it, and these types would be single elements.
    for (s, k) in &types {
        let size = s.bytes() * u64::from(*k);
        let name = format!("{}x{k}", s.name());
        *out +=
            &format!("_Static_assert(sizeof({name}) == {size}, \"vectors of this compiler\");\n");
    }
    if !types.is_empty() {
        *out += "\n";
    }
    for (s, k) in &used.masks {
        let (name, mask) = (format!("{}x{k}", s.name()), int_of(*s, true).name());
        *out += &format!(
            "#define SELECT_{name}(m, a, b) \\\n    ({{ {mask}x{k} m_ = (m); {name} a_ = (a), b_ = (b); \\\n       \
             ({name})((({mask}x{k})a_ & m_) | (({mask}x{k})b_ & ~m_)); }})\n\n"
        );
    }
    for (left, s, k) in &used.shifts {
        *out += &shift_macro(*left, *s, *k);
    }
    *out += &vector_helpers(used);
    for (max, s, k) in &used.min_max {
        *out += &lane_helpers::min_max(*max, *s, *k);
    }
    for (s, k) in &used.any {
        *out += &lane_helpers::any(*s, *k);
    }
}

/// Shifts of vectors, in which counts beyond the width move all bits out.
fn shift_macro(left: bool, s: Scalar, k: u32) -> String {
    let name = format!("{}x{k}", s.name());
    let (u, m) = (int_of(s, false), int_of(s, true));
    let (unsigned, mask) = (format!("{}x{k}", u.name()), format!("{}x{k}", m.name()));
    let bits = 8 * s.bytes();
    let number = |n: u64| format!("(({}){n} - ({unsigned}){{0}})", c_type(u));
    let inside = format!(
        "{unsigned} b_ = ({unsigned})(b), m_ = ({unsigned})(b_ < {})",
        number(bits)
    );
    let (word, value) = match (left, s.is_signed()) {
        (true, _) => ("SHL", format!("(({unsigned})a_ << (b_ & m_)) & m_")),
        (false, false) => ("SHR", "(a_ >> (b_ & m_)) & m_".to_string()),
        (false, true) => {
            let count = format!("(b_ & m_) | ({} & ~m_)", number(bits - 1));
            ("SHR", format!("a_ >> ({mask})({count})"))
        }
    };
    format!(
        "#define {word}_{name}(a, b) \\\n    ({{ {name} a_ = (a); {inside}; \\\n       ({name})({value}); }})\n\n"
    )
}

/// What looks at all indices of an array, in threads where a kernel has some and they are worth it: who only asks OpenMP
/// whether they are waits longer than a few indices take.
fn outside(threads: bool) -> String {
    let each = "for (int64_t at = 0; at < count; at++)\n";
    let looks = "signs |= (uint64_t)indices[at] | ((uint64_t)bound - 1 - (uint64_t)indices[at]);\n";
    let shared = match threads {
        true => format!(
            "#ifdef _OPENMP\n    \
             if (WORTH_THREADS(count, count / 2)) {{\n\
             #pragma omp parallel for schedule(static) reduction(| : signs)\n        \
             {each}            {looks}        \
             return signs >> 63 != 0;\n    }}\n\
             #endif\n"
        ),
        false => String::new(),
    };
    format!(
        "/* Whether an index is negative or not below the bound: then it, or what is left up to the bound, has the sign bit. */\n\
         static inline bool any_outside(const int64_t *indices, int64_t count, int64_t bound)\n{{\n    \
         uint64_t signs = 0;\n\
         {shared}    {each}        {looks}    \
         return signs >> 63 != 0;\n}}\n\n"
    )
}

fn index_helper(name: &str) -> &'static str {
    match name {
        "floor_div" => {
            "static inline int64_t floor_div(int64_t a, int64_t b)\n{\n    \
             if (b == 0) return 0;\n    \
             return a / b - (a % b != 0 && (a % b < 0) != (b < 0));\n}\n\n"
        }
        "ceil_div" => {
            "static inline int64_t ceil_div(int64_t a, int64_t b)\n{\n    \
             if (b == 0) return 0;\n    \
             return a / b + (a % b != 0 && (a % b < 0) == (b < 0));\n}\n\n"
        }
        "floor_mod" => {
            "static inline int64_t floor_mod(int64_t a, int64_t b)\n{\n    \
             if (b == 0) return 0;\n    int64_t r = a % b;\n    \
             return r < 0 ? (b < 0 ? r - b : r + b) : r;\n}\n\n"
        }
        "min_index" => {
            "static inline int64_t min_index(int64_t a, int64_t b)\n{\n    return a < b ? a : b;\n}\n\n"
        }
        "max_index" => {
            "static inline int64_t max_index(int64_t a, int64_t b)\n{\n    return a > b ? a : b;\n}\n\n"
        }
        "clamp_index" => {
            "/* To an index below n, without branches, which compilers make no vectors of. */\n\
             static inline int64_t clamp_index(int64_t a, int64_t n)\n{\n    \
             const int64_t last = n < 1 ? 0 : n - 1;\n    \
             const int64_t below = a < last ? a : last;\n    \
             return below < 0 ? 0 : below;\n}\n\n"
        }
        "bound_index" => {
            "/* To an index below n, of what is not below 0. */\n\
             static inline int64_t bound_index(int64_t a, int64_t n)\n{\n    \
             return a < n ? a : n < 1 ? 0 : n - 1;\n}\n\n"
        }
        _ => "",
    }
}

/// The negative of a float, in which gcc does not see one.
fn negative(s: Scalar) -> String {
    let (t, name, bits) = (c_type(s), s.name(), c_type(int_of(s, false)));
    let sign = match s {
        Scalar::F64 => "0x8000000000000000u",
        _ => "0x80000000u",
    };
    format!(
        "/* By its bits: gcc takes -fma(a, b, c) for fma(-a, b, -c), which is another zero. */\n\
         static inline {t} neg_{name}({t} a)\n{{\n    union {{ {t} number; {bits} bits; }} x = {{a}};\n    \
         x.bits ^= {sign};\n    return x.number;\n}}\n\n"
    )
}

/// Integer division and remainder are total: by zero gives zero; and so are shifts: what is beyond the width moves all
/// bits out.
fn int_helper(op: &str, s: Scalar) -> String {
    let (t, name) = (c_type(s), s.name());
    let u = unsigned(s);
    let signed = s.is_signed();
    let (own, bits) = (c_type(int_of(s, false)), 8 * s.bytes());
    let body = match (op, signed) {
        ("div", true) => {
            format!("return b == 0 ? 0 : b == -1 ? ({t})(0 - ({u})a) : ({t})(a / b);")
        }
        ("div", false) => format!("return b == 0 ? 0 : ({t})(a / b);"),
        ("mod", true) => format!("return b == 0 || b == -1 ? 0 : ({t})(a % b);"),
        ("shl", _) => format!("return ({own})b < {bits} ? ({t})(({u})a << b) : 0;"),
        ("shr", true) => format!("return a >> (({own})b < {bits} ? b : {});", bits - 1),
        ("shr", false) => format!("return b < {bits} ? a >> b : 0;"),
        ("mod", false) => format!("return b == 0 ? 0 : ({t})(a % b);"),
        ("min", _) => "return a < b ? a : b;".to_string(),
        ("max", _) => "return a > b ? a : b;".to_string(),
        // As an `int` it has an absolute value, in which compilers see the instruction.
        _ if s.bytes() < 4 => format!("return ({t})abs(a);"),
        // Where the least one cannot be, that is what is left.
        _ if s.bytes() == 4 => "return a == INT32_MIN ? a : abs(a);".to_string(),
        _ => format!("return a < 0 ? ({t})(0 - ({u})a) : a;"),
    };
    match op {
        "abs" => format!("static inline {t} abs_{name}({t} a)\n{{\n    {body}\n}}\n\n"),
        _ => format!("static inline {t} {op}_{name}({t} a, {t} b)\n{{\n    {body}\n}}\n\n"),
    }
}

/// Floats to integers: toward zero, saturating, NaN to 0. Nearly all are in range, which is asked first, and once: where no vectors are
/// made, the rest takes no step then.
fn cast_helper(from: Scalar, to: Scalar) -> String {
    let (f, t) = (c_type(from), c_type(to));
    let bits = 8 * to.bytes();
    let (least, most) = match to.is_signed() {
        true => (format!("INT{bits}_MIN"), format!("INT{bits}_MAX")),
        false => ("0".to_string(), format!("UINT{bits}_MAX")),
    };
    let head = format!(
        "static inline {t} {}_to_{}({f} a)\n{{\n",
        from.name(),
        to.name()
    );
    if to.bytes() < from.bytes() {
        // Floats have both ends of narrower integers. What is chosen last has no bound that gcc could convert beforehand, so that all is
        // chosen among floats, which takes fewer steps than among bytes.
        let number = match to.bytes() < 4 {
            true => {
                format!("    const int32_t n = (int32_t)(a == a ? h : 0);\n    return ({t})n;\n")
            }
            false => format!("    return ({t})(a == a ? h : 0);\n"),
        };
        return format!(
            "{head}    const {f} l = a > {least} ? a : {least};\n    const {f} h = l < {most} ? l : {most};\n{number}}}\n\n"
        );
    }
    // Powers of two are exact in every float type.
    let (low, high) = match to.is_signed() {
        true => (format!("-0x1p{}", bits - 1), format!("0x1p{}", bits - 1)),
        false => ("0x0p0".to_string(), format!("0x1p{bits}")),
    };
    let below = match to.is_signed() {
        true => format!("a <= ({f}){low} ? {least} : "),
        false => String::new(),
    };
    format!(
        "{head}    const int in = (a > ({f}){low}) & (a < ({f}){high});\n    \
         return in ? ({t})a : {below}a >= ({f}){high} ? {most} : 0;\n}}\n\n"
    )
}

/// The macros of operations on vectors.
fn vector_helpers(used: &Used) -> String {
    let mut out = String::new();
    for (op, s, k) in &used.lane_ops {
        out += &match s.is_float() {
            true => lane_helpers::of_floats(*op, *s, *k),
            false => lane_helpers::of_integers(*op, *s, *k),
        };
    }
    for (from, to, k) in &used.vector_casts {
        out += &lane_helpers::cast(*from, *to, *k);
    }
    for (from, to, k) in &used.widened {
        out += &widening::text(*from, *to, *k);
    }
    for (f, s, k) in &used.functions {
        out += &functions::text(*f, *s, *k);
    }
    out
}

/// What instructions of a machine are called by.
fn headers(used: &Used) -> &'static str {
    let single = |(op, s, k): &(Op, Scalar, u32)| lane_helpers::has_instruction(*op, *s, *k);
    let least = |(_, s, k): &(bool, Scalar, u32)| lane_helpers::has_min_max(*s, *k);
    let mask = |(s, k): &(Scalar, u32)| lane_helpers::has_any(*s, *k);
    let any = used.halves.iter().any(super::half::has_instruction)
        || used.any.iter().any(mask)
        || !used.widened.is_empty()
        || used.lane_ops.iter().any(single)
        || used.min_max.iter().any(least);
    match any {
        true => {
            "#if defined(__SSE2__)\n#include <immintrin.h>\n#elif defined(__aarch64__)\n#include <arm_neon.h>\n#endif\n"
        }
        false => "",
    }
}

/// The types that helpers of vectors need beside those of values.
fn helper_types(used: &Used) -> Vec<(Scalar, u32)> {
    let mut all = Vec::new();
    for (_, s, k) in &used.lane_ops {
        all.push((int_of(*s, true), *k));
        if s.is_int() {
            all.push((int_of(*s, false), *k));
        }
    }
    for (_, s, k) in &used.functions {
        let wide = [Scalar::I64, int_of(*s, true), int_of(*s, false)];
        all.extend(wide.map(|s| (s, *k)));
    }
    for (from, to, k) in &used.widened {
        all.extend(widening::halves(*from, *to).into_iter().map(|s| (s, *k)));
    }
    for (from, to, k) in &used.vector_casts {
        all.extend([(int_of(*from, true), *k), (int_of(*to, true), *k)]);
        if to.bytes() < from.bytes() {
            all.extend([(Scalar::I32, *k), (Scalar::I16, *k)]);
        }
    }
    all
}
