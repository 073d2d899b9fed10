//! Conversions between f32 and floats of 16 bits, in C without a type for these.
//!
//! Comes in: which are used; goes out: functions for single numbers, macros for vectors: what a function would pass in
//! registers depends on flags. Invariant: to nearest, ties to even; the same numbers as those of `ty`.

use crate::ty::Scalar;
use std::collections::BTreeSet;

/// Whether from f32, the other type, lanes.
pub(super) fn helpers(used: &BTreeSet<(bool, Scalar, u32)>) -> String {
    used.iter()
        .map(|(narrow, s, k)| helper(*narrow, *s, *k))
        .collect()
}

/// The name of a conversion, which is called.
pub(super) fn name(narrow: bool, s: Scalar, lanes: u32) -> String {
    let (from, to) = match narrow {
        true => ("f32", s.name()),
        false => (s.name(), "f32"),
    };
    match lanes {
        1 => format!("{from}_to_{to}"),
        k => format!("{from}_TO_{to}_X{k}").to_uppercase(),
    }
}

fn helper(narrow: bool, s: Scalar, k: u32) -> String {
    let name = name(narrow, s, k);
    let body = match (narrow, s, k) {
        (false, Scalar::F16, 1) => F16_TO_F32,
        (false, _, 1) => BF16_TO_F32,
        (true, Scalar::F16, 1) => F32_TO_F16,
        (true, _, 1) => F32_TO_BF16,
        (false, Scalar::F16, _) => VECTOR_F16_TO_F32,
        (false, ..) => VECTOR_BF16_TO_F32,
        (true, Scalar::F16, _) => VECTOR_F32_TO_F16,
        (true, ..) => VECTOR_F32_TO_BF16,
    };
    let signature = match (narrow, k) {
        (false, 1) => format!("static inline float {name}(uint16_t a)\n"),
        (true, 1) => format!("static inline uint16_t {name}(float a)\n"),
        _ => format!("#define {name}(a) \\\n"),
    };
    let plain = signature.clone() + &body.replace("@", &k.to_string()).replace("half", s.name());
    match by_instruction(narrow, s, k) {
        Some((has, instruction)) => {
            format!("#ifdef {has}\n{signature}{instruction}#else\n{plain}#endif\n\n")
        }
        None => plain + "\n",
    }
}

/// What processors convert at once: the macro of compilers that says so, and the body.
fn by_instruction(narrow: bool, s: Scalar, k: u32) -> Option<(&'static str, &'static str)> {
    Some(match (narrow, s, k) {
        (false, Scalar::F16, 1) => ("__F16C__", "{\n    return _cvtsh_ss(a);\n}\n"),
        (true, Scalar::F16, 1) => ("__F16C__", "{\n    return _cvtss_sh(a, 0);\n}\n"),
        (false, Scalar::F16, 8) => ("__F16C__", "    ((f32x8)_mm256_cvtph_ps((__m128i)(a)))\n"),
        (true, Scalar::F16, 8) => ("__F16C__", "    ((f16x8)_mm256_cvtps_ph((__m256)(a), 0))\n"),
        (false, Scalar::F16, 16) => (
            "__AVX512F__",
            "    ((f32x16)_mm512_cvtph_ps((__m256i)(a)))\n",
        ),
        (true, Scalar::F16, 16) => (
            "__AVX512F__",
            "    ((f16x16)_mm512_cvtps_ph((__m512)(a), 0))\n",
        ),
        _ => return None,
    })
}

/// Whether a conversion asks for the header of a processor's vectors.
pub(super) fn has_instruction((narrow, s, k): &(bool, Scalar, u32)) -> bool {
    by_instruction(*narrow, *s, *k).is_some()
}

const F16_TO_F32: &str = "{
    uint32_t m = a & 0x7fffu;
    union { uint32_t bits; float number; } x;
    if (m < 0x400u) x.number = (float)m * 0x1p-24f;
    else x.bits = (m << 13) + (m < 0x7c00u ? 0x38000000u : 0x70000000u);
    x.bits |= (uint32_t)(a & 0x8000u) << 16;
    return x.number;
}
";

const BF16_TO_F32: &str = "{
    union { uint32_t bits; float number; } x = {(uint32_t)a << 16};
    return x.number;
}
";

const F32_TO_F16: &str = "{
    union { float number; uint32_t bits; } x = {a};
    uint32_t sign = (x.bits >> 16) & 0x8000u, m = x.bits & 0x7fffffffu;
    if (m > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
    if (m >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
    if (m >= 0x38800000u) return (uint16_t)(sign | (m - 0x38000000u + 0xfffu + ((m >> 13) & 1)) >> 13);
    x.bits = m;
    x.number += 0.5f;
    return (uint16_t)(sign | (x.bits - 0x3f000000u));
}
";

const F32_TO_BF16: &str = "{
    union { float number; uint32_t bits; } x = {a};
    if (a != a) return (uint16_t)(x.bits >> 16 | 0x40u);
    return (uint16_t)((x.bits + 0x7fffu + ((x.bits >> 16) & 1)) >> 16);
}
";

const VECTOR_F16_TO_F32: &str = "    ({ u32x@ h_ = __builtin_convertvector((u16x@)(a), u32x@), m_ = h_ & 0x7fffu; \\
       u32x@ tiny_ = (u32x@)(__builtin_convertvector((i32x@)m_, f32x@) * 0x1p-24f), t_ = (u32x@)(m_ < 0x400u); \\
       u32x@ x_ = (m_ << 13) + 0x38000000u + ((u32x@)(m_ >= 0x7c00u) & 0x38000000u); \\
       (f32x@)((tiny_ & t_) | (x_ & ~t_) | ((h_ & 0x8000u) << 16)); })
";

const VECTOR_BF16_TO_F32: &str = "    ((f32x@)(__builtin_convertvector((u16x@)(a), u32x@) << 16))
";

const VECTOR_F32_TO_F16: &str = "    ({ u32x@ u_ = (u32x@)(a), m_ = u_ & 0x7fffffffu; \\
       u32x@ tiny_ = (u32x@)((f32x@)m_ + 0.5f) - 0x3f000000u, t_ = (u32x@)(m_ < 0x38800000u); \\
       u32x@ x_ = (m_ - 0x38000000u + 0xfffu + ((m_ >> 13) & 1u)) >> 13, b_ = (u32x@)(m_ >= 0x477ff000u); \\
       x_ = (tiny_ & t_) | (x_ & ~t_ & ~b_) | (b_ & 0x7c00u) | ((u32x@)(m_ > 0x7f800000u) & 0x200u); \\
       (halfx@)__builtin_convertvector(x_ | ((u_ >> 16) & 0x8000u), u16x@); })
";

const VECTOR_F32_TO_BF16: &str =
    "    ({ u32x@ u_ = (u32x@)(a), n_ = (u32x@)((u_ & 0x7fffffffu) > 0x7f800000u); \\
       u32x@ x_ = (u_ + 0x7fffu + ((u_ >> 16) & 1u)) >> 16; \\
       (halfx@)__builtin_convertvector((x_ & ~n_) | ((u_ >> 16 | 0x40u) & n_), u16x@); })
";
