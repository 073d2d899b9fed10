//! Vectors of which each element becomes a wider one.
//!
//! Compilers convert by way of halves of vectors what machines convert by one instruction, so the text names the instruction
//! where a machine has it. Invariant: each lane is what a cast of a single number gives, to the bit.

use super::lane_helpers::{int, or_instruction};
use crate::ty::Scalar;

/// What the machine defines that has an instruction, and the call.
fn instruction(from: Scalar, to: Scalar, k: u32) -> Option<(&'static str, String)> {
    let bytes = |s: Scalar| s.bytes() * u64::from(k);
    let (prefix, has) = match (bytes(to), to.bytes()) {
        (64, 2) => ("_mm512", "__AVX512BW__"),
        (64, _) => ("_mm512", "__AVX512F__"),
        (32, _) if from.is_int() && to.is_int() => ("_mm256", "__AVX2__"),
        (32, _) => ("_mm256", "__AVX__"),
        (16, _) if from.is_int() && to.is_int() => ("_mm", "__SSE4_1__"),
        _ => return None,
    };
    let whole = match bytes(from) {
        32 => "(__m256i)(a)",
        16 => "(__m128i)(a)",
        // Half a register.
        8 => "(__m128i){(long long)(a), 0}",
        _ => return None,
    };
    let call = match (from, to) {
        (Scalar::F32, Scalar::F64) => {
            let narrow = if bytes(from) == 32 {
                "__m256"
            } else {
                "__m128"
            };
            (bytes(from) > 8).then(|| format!("{prefix}_cvtps_pd(({narrow})(a))"))?
        }
        (Scalar::I32, Scalar::F64) => {
            (bytes(from) > 8).then(|| format!("{prefix}_cvtepi32_pd({whole})"))?
        }
        _ if from.is_int() && to.is_int() => {
            format!(
                "{prefix}_cvtep{}_epi{}({whole})",
                from.name(),
                8 * to.bytes()
            )
        }
        _ => return None,
    };
    Some((has, call))
}

/// Whether it has an instruction somewhere.
pub(super) fn has_instruction(from: Scalar, to: Scalar, k: u32) -> bool {
    from.bytes() < to.bytes() && instruction(from, to, k).is_some()
}

/// The types on the way from one to the other, which is the last of them.
pub(super) fn steps(from: Scalar, to: Scalar, k: u32) -> Vec<Scalar> {
    use Scalar::{I16, I32};
    // Integers become floats of their own width or twice as wide.
    if to.is_float() && from.is_int() && from.bytes() < 4 {
        let mut all = steps(from, I32, k);
        all.push(to);
        return all;
    }
    if has_instruction(from, to, k) {
        return vec![to];
    }
    let mut all = match (from.bytes(), to.bytes()) {
        (4, 1) if from.is_int() => vec![I16],
        (8, 1) if from.is_int() => vec![I32, I16],
        (8, 2) if from.is_int() => vec![I32],
        _ => halves(from, to),
    };
    all.push(to);
    all
}

/// Integers twice as wide, one after the other, up to those that are half as wide as the last.
pub(super) fn halves(from: Scalar, to: Scalar) -> Vec<Scalar> {
    let between = [2, 4].into_iter();
    let between = between.filter(|b| from.is_int() && from.bytes() < *b && *b < to.bytes());
    between.map(|b| int(b, from.is_signed())).collect()
}

/// The name of the macro.
pub(super) fn name(from: Scalar, to: Scalar, k: u32) -> String {
    format!("{}x{k}_to_{}", from.name(), to.name())
}

/// The macro, of a conversion that has an instruction.
pub(super) fn text(from: Scalar, to: Scalar, k: u32) -> String {
    let head = format!("{}(a)", name(from, to, k));
    let all = halves(from, to).into_iter().chain([to]);
    let any = all.fold("(a)".to_string(), |x, s| {
        format!("__builtin_convertvector({x}, {}x{k})", s.name())
    });
    let result = format!("{}x{k}", to.name());
    or_instruction(
        instruction(from, to, k),
        &head,
        &result,
        &format!("#define {head} {any}\n"),
    )
}
