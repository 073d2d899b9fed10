//! The floats of 16 bits: f16, the binary16 of IEEE 754, and bf16, the upper half of an f32.
//!
//! Comes in: f32, or bits; goes out: the nearest number that a type has, ties to even, or its bits. Both are values of f32,
//! as which they are computed with. Absent: arithmetic.

use super::Scalar;

impl Scalar {
    /// Whether it is f16 or bf16.
    pub fn is_half(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16)
    }

    /// The nearest number of a type of floats; f64 has all of f32.
    pub fn rounded(self, x: f32) -> f32 {
        match self.is_half() {
            true => self.of_half_bits(self.half_bits(x)),
            false => x,
        }
    }

    /// The bits of the nearest f16 or bf16.
    pub fn half_bits(self, x: f32) -> u16 {
        let bits = x.to_bits();
        let (sign, amount) = ((bits >> 16) as u16 & 0x8000, bits & 0x7fff_ffff);
        let half_up = |cut: u32| (1 << (cut - 1)) - 1 + ((amount >> cut) & 1);
        let rest = match self {
            Scalar::F16 if amount > 0x7f80_0000 => 0x7e00,
            _ if amount > 0x7f80_0000 => 0x7fc0,
            // From 65520 on, which is as near to 65536.
            Scalar::F16 if amount >= 0x477f_f000 => 0x7c00,
            // Below 2⁻¹⁴ steps are of 2⁻²⁴, as they are in an f32 from 1/2 on.
            Scalar::F16 if amount < 0x3880_0000 => {
                (f32::from_bits(amount) + 0.5).to_bits() - 0.5f32.to_bits()
            }
            Scalar::F16 => (amount - 0x3800_0000 + half_up(13)) >> 13,
            _ => (amount + half_up(16)) >> 16,
        };
        sign | rest as u16
    }

    /// The f16 or bf16 of these bits.
    pub fn of_half_bits(self, bits: u16) -> f32 {
        let (sign, amount) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff));
        let rest = match (self, amount) {
            (Scalar::F16, 0x7c00..) => (amount << 13) + 0x7000_0000,
            (Scalar::F16, 0x400..) => (amount << 13) + 0x3800_0000,
            (Scalar::F16, _) => (amount as f32 / 16_777_216.0).to_bits(),
            _ => amount << 16,
        };
        f32::from_bits(sign | rest)
    }
}
