//! The machines that a kernel may be written for.
//!
//! In: a name, or the machine at hand. Out: a [`Target`]: how wide its vector registers are, how many there are, which
//! flags make a compiler use them, what sketches may call them. Invariant: a target is a fixed description, so the
//! same target gives the same kernel wherever it is made; only [`Target::native`] looks at the machine. A kernel
//! for a wider target is C that every machine compiles, but that a narrower one cannot run when it is compiled as its
//! header says. Absent: caches, cores, which tile sizes are good.

use crate::ty::Scalar;
use serde::{Deserialize, Serialize};

/// In the order of width: a machine that has one has those after it, if it has the same kind of processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// 32 registers of 64 bytes: x86-64 with AVX-512 F, DQ, BW and VL.
    #[default]
    Avx512,
    /// 16 registers of 32 bytes: x86-64 with AVX2 and FMA.
    Avx2,
    /// 16 registers of 16 bytes: any x86-64.
    Sse2,
    /// 16 registers of 16 bytes and no flag: any machine whose compiler knows GNU C.
    Portable,
}

/// What a sketch writes in front of the name of a constant.
const PREFIX: &str = "target.";
const REGISTERS: &str = "registers";
const REGISTER_BYTES: &str = "bytes";
const LANES: &str = "lanes";

impl Target {
    pub const ALL: [Target; 4] = [Target::Avx512, Target::Avx2, Target::Sse2, Target::Portable];

    /// As flags and files have it.
    pub fn name(self) -> &'static str {
        match self {
            Target::Avx512 => "avx512",
            Target::Avx2 => "avx2",
            Target::Sse2 => "sse2",
            Target::Portable => "portable",
        }
    }

    /// The widest one that the present machine runs.
    pub fn native() -> Target {
        let runs = |t: &Target| t.runs_here();
        Target::ALL
            .into_iter()
            .find(runs)
            .unwrap_or(Target::Portable)
    }

    /// Whether the present machine has what the flags promise; the system's consent is part of it.
    pub fn runs_here(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Target::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("fma")
            }
            #[cfg(target_arch = "x86_64")]
            Target::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(not(target_arch = "x86_64"))]
            Target::Avx512 | Target::Avx2 => false,
            Target::Sse2 => cfg!(target_arch = "x86_64"),
            Target::Portable => true,
        }
    }

    /// What makes gcc and clang use the registers.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Target::Avx512 => &[
                "-mavx512f",
                "-mavx512dq",
                "-mavx512bw",
                "-mavx512vl",
                "-mfma",
                WHOLE_REGISTERS,
            ],
            Target::Avx2 => &["-mavx2", "-mfma"],
            Target::Sse2 => &["-msse2"],
            Target::Portable => &[],
        }
    }

    /// What uses everything of the present machine; for a kernel of its own target only.
    pub fn native_flags(self) -> &'static [&'static str] {
        match self {
            Target::Avx512 => &["-march=native", WHOLE_REGISTERS],
            _ => &["-march=native"],
        }
    }

    /// Bytes of a vector register.
    pub fn register_bytes(self) -> u32 {
        match self {
            Target::Avx512 => 64,
            Target::Avx2 => 32,
            Target::Sse2 | Target::Portable => 16,
        }
    }

    /// How many vector registers there are.
    pub fn registers(self) -> u32 {
        registers(self.register_bytes())
    }

    /// Numbers of this type that a vector register holds.
    pub fn lanes(self, elem: Scalar) -> u32 {
        self.register_bytes() / elem.bytes() as u32
    }

    /// What sketches may refer to, by its whole name: `target.f32lanes`, `target.registers`.
    pub fn constants(self) -> Vec<(String, i64)> {
        let lanes = vector_elements().map(|s| (format!("{}{LANES}", s.name()), self.lanes(s)));
        let others = [
            (REGISTERS.to_string(), self.registers()),
            (REGISTER_BYTES.to_string(), self.register_bytes()),
        ];
        let all = others.into_iter().chain(lanes);
        all.map(|(name, n)| (format!("{PREFIX}{name}"), i64::from(n)))
            .collect()
    }
}

/// How many vector registers a machine has whose registers are so wide.
pub fn registers(bytes: u32) -> u32 {
    match bytes {
        64 => 32,
        _ => 16,
    }
}

/// Without it compilers split vectors of 64 bytes on machines whose clock they would slow.
const WHOLE_REGISTERS: &str = "-mprefer-vector-width=512";

/// Types of which there are vectors.
fn vector_elements() -> impl Iterator<Item = Scalar> {
    Scalar::ALL.iter().copied().filter(|s| *s != Scalar::Bool)
}

/// The length of the constant's name that a text starts with. Only these are one word: the dot of any other
/// `target.n` is that of an array type.
pub fn constant_at(text: &str) -> Option<usize> {
    let name = text.strip_prefix(PREFIX)?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
    let name = &name[..end.unwrap_or(name.len())];
    let lanes = name.strip_suffix(LANES);
    let known = [REGISTERS, REGISTER_BYTES].contains(&name)
        || lanes.is_some_and(|s| vector_elements().any(|e| e.name() == s));
    known.then_some(PREFIX.len() + name.len())
}

/// Whether a name is that of a constant, known or not.
pub fn is_constant(name: &str) -> bool {
    name.starts_with(PREFIX)
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_described() {
        assert_eq!(Target::Avx512.lanes(Scalar::F32), 16);
        assert_eq!(Target::Avx2.lanes(Scalar::F64), 4);
        let constants = Target::Sse2.constants();
        for (name, n) in [
            ("target.registers", 16),
            ("target.bytes", 16),
            ("target.f32lanes", 4),
            ("target.i8lanes", 16),
        ] {
            assert!(constants.contains(&(name.to_string(), n)), "{name}");
        }
        for (name, _) in constants {
            assert_eq!(constant_at(&name), Some(name.len()));
            assert_eq!(constant_at(&format!("{name}.f32")), Some(name.len()));
        }
        for other in ["target", "target.n", "target.f32", "target.f32lanes2"] {
            assert_eq!(constant_at(other), None, "{other}");
        }
    }

    #[test]
    fn the_present_machine_runs_its_own_target_and_narrower_ones() {
        let native = Target::native();
        for t in Target::ALL.into_iter().filter(|t| *t >= native) {
            assert!(t.runs_here(), "{t}");
        }
        assert!(Target::Portable.runs_here());
    }
}
