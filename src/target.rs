//! The machines that a kernel may be written for.
//!
//! In: a name, or the machine at hand. Out: a [`Target`]: how wide its vector registers are, how many there are, which
//! flags make a compiler use them, what sketches may call them. All of it stands in one table, and whatever lists targets
//! asks it. Invariant: a target is a fixed description, so the
//! same target gives the same kernel wherever it is made; only [`Target::native`] looks at the machine. A kernel
//! for a wider target is C that every machine compiles, but that a narrower one cannot run when it is compiled as its
//! header says. Absent: caches, cores, which tile sizes are good.

use crate::ty::Scalar;
use serde::{Deserialize, Serialize};

/// What a target is.
struct Machine {
    /// As flags and files have it.
    name: &'static str,
    /// For whom it is, in the help of `--target`.
    what: &'static str,
    /// Of the processor, as Rust names it; none where any will do.
    architecture: Option<&'static str>,
    /// Vector registers, and the bytes of each.
    registers: u32,
    register_bytes: u32,
    /// What makes gcc and clang use the registers.
    flags: &'static [&'static str],
    /// What is to stand beside `-march=native`.
    beside_native: &'static [&'static str],
    /// What a compiler with these flags defines.
    macros: &'static [&'static str],
    /// Whether the present machine has what the flags promise; the system's consent is part of it.
    is_here: fn() -> bool,
}

/// Each target is one entry: its name in Rust, and what it is.
macro_rules! targets {
    ($($(#[$attribute:meta])* $target:ident => $machine:expr,)*) => {
        /// In the order of width: a machine that has one has those after it, if it has the same kind of processor.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Target {
            $($(#[$attribute])* $target,)*
        }

        impl Target {
            pub const ALL: [Target; [$(stringify!($target)),*].len()] = [$(Target::$target),*];
        }

        static MACHINES: [Machine; Target::ALL.len()] = [$($machine),*];
    };
}

/// Whether the present machine is an x86-64 with all of these.
macro_rules! x86_64 {
    ($($feature:tt)*) => {{
        #[cfg(target_arch = "x86_64")]
        let all = true $(&& is_x86_feature_detected!($feature))*;
        #[cfg(not(target_arch = "x86_64"))]
        let all = false;
        all
    }};
}

targets! {
    /// x86-64 with AVX-512 F, DQ, BW and VL.
    #[default]
    Avx512 => Machine {
        name: "avx512",
        what: "32 registers of 64 bytes",
        architecture: Some("x86_64"),
        registers: 32,
        register_bytes: 64,
        flags: &["-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mfma", WHOLE_REGISTERS],
        beside_native: &[WHOLE_REGISTERS],
        macros: &["__AVX512F__", "__AVX512DQ__", "__AVX512BW__", "__AVX512VL__", "__FMA__"],
        is_here: || x86_64!("avx512f" "avx512dq" "avx512bw" "avx512vl" "fma"),
    },
    /// x86-64 with AVX2 and FMA.
    Avx2 => Machine {
        name: "avx2",
        what: "16 registers of 32 bytes, and fused multiply-add",
        architecture: Some("x86_64"),
        registers: 16,
        register_bytes: 32,
        flags: &["-mavx2", "-mfma"],
        beside_native: &[],
        macros: &["__AVX2__", "__FMA__"],
        is_here: || x86_64!("avx2" "fma"),
    },
    /// Any x86-64.
    Sse2 => Machine {
        name: "sse2",
        what: "16 registers of 16 bytes: any x86-64",
        architecture: Some("x86_64"),
        registers: 16,
        register_bytes: 16,
        flags: &["-msse2"],
        beside_native: &[],
        macros: &["__SSE2__"],
        is_here: || x86_64!(),
    },
    /// Any AArch64.
    Neon => Machine {
        name: "neon",
        what: "32 registers of 16 bytes: any AArch64",
        architecture: Some("aarch64"),
        registers: 32,
        register_bytes: 16,
        flags: &["-march=armv8-a"],
        beside_native: &[],
        macros: &["__aarch64__", "__ARM_NEON"],
        is_here: || cfg!(target_arch = "aarch64"),
    },
    /// No flag: any machine whose compiler knows GNU C.
    Portable => Machine {
        name: "portable",
        what: "16 registers of 16 bytes, on any machine with gcc or clang",
        architecture: None,
        registers: 16,
        register_bytes: 16,
        flags: &[],
        beside_native: &[],
        macros: &[],
        is_here: || true,
    },
}

/// What a sketch writes in front of the name of a constant.
pub const PREFIX: &str = "target.";
const REGISTERS: &str = "registers";
const REGISTER_BYTES: &str = "bytes";
const LANES: &str = "lanes";

impl Target {
    fn machine(self) -> &'static Machine {
        &MACHINES[self as usize]
    }

    /// As flags and files have it.
    pub fn name(self) -> &'static str {
        self.machine().name
    }

    /// How many registers of how many bytes, and which machines have them.
    pub fn what(self) -> &'static str {
        self.machine().what
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
        (self.machine().is_here)()
    }

    /// Whether a machine of which this is the widest target runs kernels of another.
    pub fn runs(self, other: Target) -> bool {
        let kind = other.machine().architecture;
        other >= self && (kind.is_none() || kind == self.machine().architecture)
    }

    /// What makes gcc and clang use the registers.
    pub fn flags(self) -> &'static [&'static str] {
        self.machine().flags
    }

    /// What uses everything of the present machine; for a kernel of its own target only.
    pub fn native_flags(self) -> impl Iterator<Item = &'static str> {
        let beside = self.beside_native().iter();
        ["-march=native"].into_iter().chain(beside.copied())
    }

    /// What kernels of the machine's own target get that does not follow from the machine.
    pub fn beside_native(self) -> &'static [&'static str] {
        self.machine().beside_native
    }

    /// What compilers define where [`Target::flags`] are given.
    pub fn macros(self) -> &'static [&'static str] {
        self.machine().macros
    }

    /// Bytes of a vector register.
    pub fn register_bytes(self) -> u32 {
        self.machine().register_bytes
    }

    /// How many vector registers there are.
    pub fn registers(self) -> u32 {
        self.machine().registers
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
