//! The text above a kernel of operations on vectors that C has no operator for.
//!
//! Each is a macro, as vectors that a machine has no registers for cannot be passed to functions without a warning.
//! Invariant: each lane is what the operation on a single number gives, to the bit.

use crate::term::Op;
use crate::ty::Scalar;

/// The integer with sign (or without) that is as wide as `s`.
pub(super) fn int_of(s: Scalar, signed: bool) -> Scalar {
    int(s.bytes(), signed)
}

/// The integer of so many bytes.
pub(super) fn int(bytes: u64, signed: bool) -> Scalar {
    match (bytes, signed) {
        (1, true) => Scalar::I8,
        (2, true) => Scalar::I16,
        (4, true) => Scalar::I32,
        (_, true) => Scalar::I64,
        (1, false) => Scalar::U8,
        (2, false) => Scalar::U16,
        (4, false) => Scalar::U32,
        (_, false) => Scalar::U64,
    }
}

/// Instructions for vectors of so many bytes: what the machine defines that has it, and the call.
fn instructions(op: Op, s: Scalar, bytes: u64) -> Vec<(&'static str, String)> {
    let (single, d) = match s {
        Scalar::F32 => ("ps", ""),
        _ => ("pd", "d"),
    };
    let sqrt = op == Op::Sqrt;
    let x86 = match (bytes, sqrt) {
        (64, _) => ("__AVX512F__", "_mm512", "__m512"),
        (32, true) => ("__AVX__", "_mm256", "__m256"),
        (32, false) => ("__FMA__", "_mm256", "__m256"),
        (16, true) => ("__SSE2__", "_mm", "__m128"),
        (16, false) => ("__FMA__", "_mm", "__m128"),
        _ => return Vec::new(),
    };
    let (has, prefix, ty) = x86;
    let call = match sqrt {
        true => format!("{prefix}_sqrt_{single}(({ty}{d})(a))"),
        false => format!("{prefix}_fmadd_{single}(({ty}{d})(a), ({ty}{d})(b), ({ty}{d})(c))"),
    };
    let mut all = vec![(has, call)];
    if bytes == 16 {
        let (n, t) = match s {
            Scalar::F32 => ("f32", "float32x4_t"),
            _ => ("f64", "float64x2_t"),
        };
        let call = match sqrt {
            true => format!("vsqrtq_{n}(({t})(a))"),
            false => format!("vfmaq_{n}(({t})(c), ({t})(a), ({t})(b))"),
        };
        all.push(("__aarch64__", call));
    }
    all
}

/// An instruction for vectors of integers: what the machine defines that has it, and the call.
fn int_instruction(word: &str, args: &[&str], s: Scalar, k: u32) -> Option<(&'static str, String)> {
    let (has, prefix, ty) = match (s.bytes() * u64::from(k), s.bytes()) {
        (64, 1 | 2) => ("__AVX512BW__", "_mm512", "__m512i"),
        (64, _) => ("__AVX512F__", "_mm512", "__m512i"),
        (32, 1 | 2 | 4) => ("__AVX2__", "_mm256", "__m256i"),
        (16, 1 | 2 | 4) => ("__SSE4_1__", "_mm", "__m128i"),
        _ => return None,
    };
    let list: Vec<String> = args.iter().map(|a| format!("({ty})({a})")).collect();
    Some((
        has,
        format!("{prefix}_{word}_ep{}({})", s.name(), list.join(", ")),
    ))
}

/// Whether an operation has an instruction somewhere.
pub(super) fn has_instruction(op: Op, s: Scalar, k: u32) -> bool {
    match (op, s.is_float()) {
        (Op::Abs, false) => s.is_signed() && int_instruction("abs", &["a"], s, k).is_some(),
        (_, float) => float && !matches!(op, Op::Abs | Op::Neg),
    }
}

/// The least or the largest, as machines have it that give the second number where one is none or both are zeros: what the
/// machine defines, and the instruction.
fn min_max_instruction(max: bool, s: Scalar, k: u32) -> Option<(&'static str, String)> {
    let word = if max { "max" } else { "min" };
    let (single, d) = match s {
        Scalar::F32 => ("ps", ""),
        Scalar::F64 => ("pd", "d"),
        _ => return int_instruction(word, &["a", "b"], s, k),
    };
    let (has, prefix, ty) = match s.bytes() * u64::from(k) {
        64 => ("__AVX512F__", "_mm512", "__m512"),
        32 => ("__AVX__", "_mm256", "__m256"),
        16 => ("__SSE2__", "_mm", "__m128"),
        _ => return None,
    };
    Some((
        has,
        format!("{prefix}_{word}_{single}(({ty}{d})(a), ({ty}{d})(b))"),
    ))
}

/// Whether it has an instruction somewhere.
pub(super) fn has_min_max(s: Scalar, k: u32) -> bool {
    min_max_instruction(false, s, k).is_some()
}

/// `a < b ? a : b` or `a > b ? a : b` of each lane.
pub(super) fn min_max(max: bool, s: Scalar, k: u32) -> String {
    let (ty, mask) = (format!("{}x{k}", s.name()), int_of(s, true).name());
    let (word, less) = if max { ("MAX", ">") } else { ("MIN", "<") };
    let any = format!(
        "#define {word}_{ty}(a, b) \\\n    ({{ {ty} a_ = (a), b_ = (b); {mask}x{k} m_ = a_ {less} b_; \\\n       \
         ({ty})((({mask}x{k})a_ & m_) | (({mask}x{k})b_ & ~m_)); }})\n"
    );
    let head = format!("{word}_{ty}(a, b)");
    or_instruction(min_max_instruction(max, s, k), &head, &ty, &any)
}

/// Whether one of so many bytes is not 0: what the machine defines that has instructions for it, and the call.
fn any_instruction(bytes: u64) -> Option<(&'static str, &'static str)> {
    match bytes {
        64 => Some((
            "__AVX512F__",
            "_mm512_test_epi32_mask((__m512i)(m), (__m512i)(m)) != 0",
        )),
        32 => Some(("__AVX__", "!_mm256_testz_si256((__m256i)(m), (__m256i)(m))")),
        16 => Some(("__SSE2__", "_mm_movemask_epi8((__m128i)(m)) != 0")),
        _ => None,
    }
}

/// Whether it has an instruction somewhere.
pub(super) fn has_any(s: Scalar, k: u32) -> bool {
    any_instruction(s.bytes() * u64::from(k)).is_some()
}

/// Whether any lane of a mask holds.
pub(super) fn any(s: Scalar, k: u32) -> String {
    let ty = format!("{}x{k}", s.name());
    let lanes: Vec<String> = (0..k).map(|i| format!("any_ |= m_[{i}]")).collect();
    let lanes = lanes.join(", ");
    let each = format!(
        "#define ANY_{ty}(m) \\\n    ({{ {ty} m_ = (m); int64_t any_ = 0; {lanes}; any_ != 0; }})\n"
    );
    let own = any_instruction(s.bytes() * u64::from(k)).map(|(has, call)| (has, call.to_string()));
    or_else(own, &format!("ANY_{ty}(m)"), &each)
}

/// A macro that is an instruction for vectors where a machine has it, and `any` elsewhere.
pub(super) fn or_instruction(
    instruction: Option<(&str, String)>,
    head: &str,
    ty: &str,
    any: &str,
) -> String {
    or_else(
        instruction.map(|(has, call)| (has, format!("({ty}){call}"))),
        head,
        any,
    )
}

/// A macro that is a call where a machine has it, and `any` elsewhere.
fn or_else(own: Option<(&str, String)>, head: &str, any: &str) -> String {
    match own {
        Some((has, call)) => {
            format!("#if defined({has})\n#define {head} ({call})\n#else\n{any}#endif\n\n")
        }
        None => format!("{any}\n"),
    }
}

/// An operation on vectors of floats.
pub(super) fn of_floats(op: Op, s: Scalar, k: u32) -> String {
    let ty = format!("{}x{k}", s.name());
    let name = format!("{}_{ty}", op.name().to_uppercase());
    let (int, width) = match s {
        Scalar::F32 => ("i32", 32),
        _ => ("i64", 64),
    };
    if op == Op::Neg {
        return format!("#define {name}(a) (({ty})(({int}x{k})(a) ^ INT{width}_MIN))\n\n");
    }
    if op == Op::Abs {
        return format!("#define {name}(a) (({ty})(({int}x{k})(a) & INT{width}_MAX))\n\n");
    }
    let params: &[&str] = if op == Op::Fma {
        &["a", "b", "c"]
    } else {
        &["a"]
    };
    let f = format!("{}{}", op.name(), if s == Scalar::F32 { "f" } else { "" });
    let lane = |i: u32| {
        let args: Vec<String> = params.iter().map(|p| format!("{p}_[{i}]")).collect();
        format!("{f}({})", args.join(", "))
    };
    let lanes: Vec<String> = (0..k).map(lane).collect();
    let named: Vec<String> = params.iter().map(|p| format!("{p}_ = ({p})")).collect();
    let list = params.join(", ");
    let mut out = String::new();
    for (i, (has, call)) in instructions(op, s, s.bytes() * u64::from(k))
        .iter()
        .enumerate()
    {
        let word = if i == 0 { "#if" } else { "#elif" };
        out += &format!("{word} defined({has})\n#define {name}({list}) (({ty}){call})\n");
    }
    let slow = format!(
        "#define {name}({list}) \\\n    ({{ {ty} {}; ({ty}){{{}}}; }})\n",
        named.join(", "),
        lanes.join(", ")
    );
    match out.is_empty() {
        true => slow + "\n",
        false => out + "#else\n" + &slow + "#endif\n\n",
    }
}

/// An operation on vectors of integers: total, as those of single ones.
pub(super) fn of_integers(op: Op, s: Scalar, k: u32) -> String {
    let ty = format!("{}x{k}", s.name());
    let mask = format!("{}x{k}", int_of(s, true).name());
    let name = format!("{}_{ty}", op.name().to_uppercase());
    let u = format!("{}x{k}", int_of(s, false).name());
    if op == Op::Abs {
        let any = format!(
            "#define {name}(a) \\\n    ({{ {ty} a_ = (a); {mask} m_ = a_ < 0; ({ty})(({u})(a_ ^ m_) - ({u})m_); }})\n"
        );
        let own = int_instruction("abs", &["a"], s, k).filter(|_| s.is_signed());
        return or_instruction(own, &format!("{name}(a)"), &ty, &any);
    }
    let sign = if op == Op::Div { "/" } else { "%" };
    // By 1 instead of 0 or -1, which machines do not divide by.
    let (minus, odd) = match s.is_signed() {
        true => (", n_ = b_ == -1", "(z_ | n_)"),
        false => ("", "z_"),
    };
    let result = match (op, s.is_signed()) {
        (Op::Div, true) => {
            format!("(q_ & ~({ty})z_ & ~({ty})n_) | (({ty})(({u}){{0}} - ({u})a_) & n_)")
        }
        _ => format!("q_ & ~({ty}){odd}"),
    };
    format!(
        "#define {name}(a, b) \\\n    ({{ {ty} a_ = (a), b_ = (b); {mask} z_ = b_ == 0{minus}; \\\n       \
         {ty} q_ = a_ {sign} ((b_ & ~({ty}){odd}) | (({ty}){odd} & 1)); {result}; }})\n\n"
    )
}

/// Floats to integers: toward zero, saturating, NaN to 0.
pub(super) fn cast(from: Scalar, to: Scalar, k: u32) -> String {
    let (f, t) = (format!("{}x{k}", from.name()), format!("{}x{k}", to.name()));
    let wide = format!("{}x{k}", int_of(from, true).name());
    let mask = format!("{}x{k}", int_of(to, true).name());
    let bits = 8 * to.bytes();
    let suffix = if from == Scalar::F32 { "f" } else { "" };
    let upper = match to.is_signed() {
        true => format!("INT{bits}"),
        false => format!("UINT{bits}"),
    };
    let most = match to.is_signed() {
        true => format!("0x1p{}{suffix}", bits - 1),
        false => format!("0x1p{bits}{suffix}"),
    };
    let least = match to.is_signed() {
        true => format!("-0x1p{}{suffix}", bits - 1),
        false => format!("0x0p0{suffix}"),
    };
    let head = format!(
        "#define {f}_to_{}(a) \\\n    ({{ {f} a_ = (a); {wide} h_ = a_ >= {most}, l_ = a_ <= {least}, o_ = (a_ == a_) & ~(h_ | l_); \\\n       ",
        to.name()
    );
    if to.bytes() < from.bytes() {
        // Floats have all ends of narrower integers, so that the choice is one of floats.
        let c = if from == Scalar::F32 {
            "float"
        } else {
            "double"
        };
        let end = |which: &str, mask: &str| {
            format!(" | (({wide})(({f}){{0}} + ({c}){upper}_{which}) & {mask})")
        };
        let low = if to.is_signed() {
            end("MIN", "l_")
        } else {
            String::new()
        };
        let by_way = match to.bytes() {
            1 => vec![Scalar::I32, Scalar::I16, to],
            2 => vec![Scalar::I32, to],
            _ => vec![to],
        };
        let result = by_way.iter().fold("s_".to_string(), |x, s| {
            format!("__builtin_convertvector({x}, {}x{k})", s.name())
        });
        return format!(
            "{head}{f} s_ = ({f})((({wide})a_ & o_){}{low}); {result}; }})\n\n",
            end("MAX", "h_")
        );
    }
    // Of the same width nothing is to be converted.
    let narrow = |m: &str| match from.bytes() == to.bytes() {
        true => format!("({mask}){m}"),
        false => format!("__builtin_convertvector({m}, {mask})"),
    };
    let low = match to.is_signed() {
        true => format!(" | (({t}){} & {upper}_MIN)", narrow("l_")),
        false => String::new(),
    };
    format!(
        "{head}{f} s_ = ({f})(({wide})a_ & o_); \\\n       \
         __builtin_convertvector(s_, {t}) | (({t}){} & {upper}_MAX){low}; }})\n\n",
        narrow("h_"),
    )
}
