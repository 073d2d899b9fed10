//! Functions of floats on vectors: their text above a kernel that may approximate them.
//!
//! An exponential is 2ⁿ times a polynomial on |r| ≤ ln 2 / 2; a logarithm is that of 2ⁿ plus a polynomial between √½ and
//! √2; a sine or cosine is a polynomial on |r| ≤ π/4, for which π/2 is taken away in parts whose products are exact
//! (Cody and Waite, Software Manual for the Elementary Functions, 1980). Coefficients are Chebyshev fits of what is left
//! after the first terms, in 60 digits. Invariants: whatever a lane holds, denormal numbers, infinities and NaN among
//! them, it gets a result within [`FUNCTION_ULPS`](crate::interp::FUNCTION_ULPS) units of the last place, with
//! contraction or without; zeros keep their signs. Measured: every thousandth number of 32 bits, and hundreds of thousands
//! of 64 bits (`tests/functions.rs`, which looks at all of 32 bits if asked to). Absent: rounding modes, exceptions, `errno`.

use crate::term::{Function, Op};
use crate::ty::Scalar;

/// What is different for floats of 32 and of 64 bits.
struct Floats {
    /// Behind a constant, and behind a function of the C library.
    suffix: &'static str,
    /// Added and taken away again it rounds to a whole number; that is left in the lowest bits meanwhile.
    round: &'static str,
    round_bits: &'static str,
    /// Of the exponent: what is added to it, and where it stands.
    bias: &'static str,
    at: &'static str,
    /// Where `exp` and `exp2` have underflowed and overflowed.
    exp: [&'static str; 2],
    exp2: [&'static str; 2],
    log2e: &'static str,
    /// ln 2 in two parts, the first of which is short.
    ln2: [&'static str; 2],
    /// The least normal number, what makes denormal ones normal, by how many powers of 2.
    least: &'static str,
    up: &'static str,
    by: &'static str,
    /// The bits of √½, and those of a fraction.
    half: &'static str,
    fraction: &'static str,
    infinity: &'static str,
    nan: &'static str,
    /// Without the sign.
    amount: &'static str,
    /// Where `tanh` is 1.
    one: &'static str,
    exp_terms: &'static [&'static str],
    exp2_terms: &'static [&'static str],
    log_terms: &'static [&'static str],
    tanh_terms: &'static [&'static str],
    sin_terms: &'static [&'static str],
    cos_terms: &'static [&'static str],
}

const SINGLE: Floats = Floats {
    suffix: "f",
    round: "0x1.8p23f",
    round_bits: "0x4b400000",
    bias: "127",
    at: "23",
    exp: ["-104.0f", "89.0f"],
    exp2: ["-151.0f", "129.0f"],
    log2e: "0x1.715476p+0f",
    ln2: ["0x1.62e4p-1f", "0x1.7f7d1cp-20f"],
    least: "0x1p-126f",
    up: "0x1p23f",
    by: "23",
    half: "0x3f3504f3",
    fraction: "0x7fffff",
    infinity: "__builtin_inff()",
    nan: "__builtin_nanf(\"\")",
    amount: "INT32_MAX",
    one: "10.0f",
    exp_terms: &[
        "0x1p-1f",
        "0x1.5554d8p-3f",
        "0x1.555516p-5f",
        "0x1.12106cp-7f",
        "0x1.6d1606p-10f",
    ],
    exp2_terms: &[
        "0x1.62e43p-1f",
        "0x1.ebfbep-3f",
        "0x1.c6b08ep-5f",
        "0x1.3b2a16p-7f",
        "0x1.5d879ap-10f",
        "0x1.444642p-13f",
        "0x1.00a95cp-16f",
    ],
    log_terms: &[
        "0x1.555554p-2f",
        "-0x1.fffffcp-3f",
        "0x1.999d5ap-3f",
        "-0x1.555b4ap-3f",
        "0x1.23d21ap-3f",
        "-0x1.fcf4c6p-4f",
        "0x1.dea282p-4f",
        "-0x1.d635bcp-4f",
        "0x1.1d8ea6p-4f",
    ],
    tanh_terms: &[
        "-0x1.555556p-2f",
        "0x1.1110eap-3f",
        "-0x1.ba08c4p-5f",
        "0x1.64a976p-6f",
        "-0x1.116a16p-7f",
        "0x1.2c83cp-9f",
    ],
    // Sines and cosines are computed in 64 bits.
    sin_terms: &[
        "-0x1.5555555555103p-3",
        "0x1.1111110fb9980p-7",
        "-0x1.a019fd5c10f60p-13",
        "0x1.71d97aaa9764ep-19",
        "-0x1.aa12a8d88773bp-26",
    ],
    cos_terms: &[
        "0x1.5555555555419p-5",
        "-0x1.6c16c16b524d9p-10",
        "0x1.a019ff2f86a48p-16",
        "-0x1.27e2443e025dep-22",
        "0x1.1c755bacadd8cp-29",
    ],
};

const DOUBLE: Floats = Floats {
    suffix: "",
    round: "0x1.8p52",
    round_bits: "0x4338000000000000",
    bias: "1023",
    at: "52",
    exp: ["-746.0", "710.0"],
    exp2: ["-1076.0", "1025.0"],
    log2e: "0x1.71547652b82fep+0",
    ln2: ["0x1.62e42fee00000p-1", "0x1.a39ef35793c76p-33"],
    least: "0x1p-1022",
    up: "0x1p52",
    by: "52",
    half: "0x3fe6a09e667f3bcd",
    fraction: "0xfffffffffffff",
    infinity: "__builtin_inf()",
    nan: "__builtin_nan(\"\")",
    amount: "INT64_MAX",
    one: "20.0",
    exp_terms: &[
        "0x1p-1",
        "0x1.5555555555557p-3",
        "0x1.5555555555556p-5",
        "0x1.111111110ff87p-7",
        "0x1.6c16c16c16212p-10",
        "0x1.a01a01aca0134p-13",
        "0x1.a01a01a741b3cp-16",
        "0x1.71ddffef9e7b1p-19",
        "0x1.27e4da1a3bf04p-22",
        "0x1.af52906239de4p-26",
        "0x1.1f75aba0b1e2ep-29",
    ],
    exp2_terms: &[
        "0x1.62e42fefa39efp-1",
        "0x1.ebfbdff82c58fp-3",
        "0x1.c6b08d704a0c7p-5",
        "0x1.3b2ab6fba4e79p-7",
        "0x1.5d87fe78a3c54p-10",
        "0x1.430912f86b68ep-13",
        "0x1.ffcbfc6ef38e4p-17",
        "0x1.62c022433c30ap-20",
        "0x1.b524e8826a748p-24",
        "0x1.e4cf0e401dce7p-28",
        "0x1.e9f1f24867f81p-32",
        "0x1.c4a72f8a76148p-36",
    ],
    log_terms: &[
        "0x1.5555555555555p-1",
        "0x1.9999999999a43p-2",
        "0x1.249249247513dp-2",
        "0x1.c71c7204621fep-3",
        "0x1.745cf7c1d5dafp-3",
        "0x1.3b1c79943fca2p-3",
        "0x1.0fb77bcdefa76p-3",
        "0x1.0c4d8297b1431p-3",
    ],
    tanh_terms: &[
        "-0x1.5555555555555p-2",
        "0x1.111111111110dp-3",
        "-0x1.ba1ba1ba1aff0p-5",
        "0x1.664f488279254p-6",
        "-0x1.226e354ddfe9ap-7",
        "0x1.d6d3cc561e69ap-9",
        "-0x1.7da2fd76a3cf1p-10",
        "0x1.355204d5878bep-11",
        "-0x1.f4fccb8116f0ap-13",
        "0x1.92d3563b405ccp-14",
        "-0x1.370efd62e9535p-15",
        "0x1.99b26df70cccdp-17",
        "-0x1.47559de55bc91p-19",
    ],
    sin_terms: &[
        "-0x1.5555555555555p-3",
        "0x1.1111111110b23p-7",
        "-0x1.a01a019e620eep-13",
        "0x1.71de376b644ccp-19",
        "-0x1.ae5fde7f12068p-26",
        "0x1.5dfb39c3139b6p-33",
    ],
    cos_terms: &[
        "0x1.5555555555555p-5",
        "-0x1.6c16c16c1691fp-10",
        "0x1.a01a019f3dde1p-16",
        "-0x1.27e4fa0241f7cp-22",
        "0x1.1eeb52a201da3p-29",
        "-0x1.906dbf4fda044p-37",
    ],
};

fn floats(elem: Scalar) -> &'static Floats {
    match elem {
        Scalar::F32 => &SINGLE,
        _ => &DOUBLE,
    }
}

fn name(f: Function) -> &'static str {
    Op::from(f).name()
}

/// What a function calls.
pub(super) fn needs(f: Function) -> Option<Function> {
    (f == Function::Tanh).then_some(Function::Exp)
}

/// The text of a function on vectors of so many lanes, and the macro by which it is called.
pub(super) fn text(f: Function, elem: Scalar, lanes: u32) -> String {
    let of = floats(elem);
    let body = match f {
        Function::Sqrt => return String::new(),
        Function::Exp => exponential(of, of.exp, &exp(of)),
        Function::Exp2 => exponential(of, of.exp2, &exp2(of)),
        Function::Log => log(of, elem),
        Function::Tanh => tanh(of),
        Function::Sin | Function::Cos if elem == Scalar::F32 => wave_single(of, f),
        Function::Sin | Function::Cos => wave_double(of, f),
    };
    let name = name(f);
    let int = if elem == Scalar::F32 { 32 } else { 64 };
    format!(
        "/* Within {} units of the last place. */\n\
         static inline void {name}_$V(const $V *in, $V *result)\n{{\n    const $V x = *in;\n{body}}}\n\n\
         #define {}_$V(a) ({{ $V a_ = (a), r_; {name}_$V(&a_, &r_); r_; }})\n\n",
        crate::interp::FUNCTION_ULPS,
        name.to_uppercase(),
    )
    .replace("$V", &format!("{}x{lanes}", elem.name()))
    .replace("$I", &format!("i{int}x{lanes}"))
    .replace("$U", &format!("u{int}x{lanes}"))
    .replace("$D", &format!("f64x{lanes}"))
    .replace("$J", &format!("i64x{lanes}"))
    .replace("$k", &lanes.to_string())
    .replace("$f", of.suffix)
}

/// A polynomial, the constant term first.
fn polynomial(x: &str, terms: &[&str]) -> String {
    let mut all = terms.iter().rev();
    let last = all.next().map_or(String::new(), |t| t.to_string());
    all.fold(last, |sum, term| format!("({sum}) * {x} + {term}"))
}

fn exp(of: &Floats) -> String {
    let [high, low] = of.ln2;
    let (round, log2e, q) = (of.round, of.log2e, polynomial("r", of.exp_terms));
    format!(
        "    const $V t = c * {log2e} + {round}, n = t - {round};\n    \
         const $V r = (c - n * {high}) - n * {low};\n    \
         const $V q = {q};\n    const $V p = (r * r * q + r) + 1.0$f;\n"
    )
}

fn exp2(of: &Floats) -> String {
    let (round, q) = (of.round, polynomial("r", of.exp2_terms));
    format!(
        "    const $V t = c + {round}, r = c - (t - {round});\n    \
         const $V q = {q};\n    const $V p = r * q + 1.0$f;\n"
    )
}

/// 2ⁿ in two factors, as one of them alone may be no number.
fn exponential(of: &Floats, [least, most]: [&str; 2], power: &str) -> String {
    let (bits, bias, at) = (of.round_bits, of.bias, of.at);
    format!(
        "    const $V below = SELECT_$V(x < {most}, x, ($V){{0}} + {most});\n    \
         const $V c = SELECT_$V(below > {least}, below, ($V){{0}} + {least});\n{power}    \
         const $I i = ($I)t - {bits}, h = i >> 1;\n    \
         const $V y = p * ($V)((h + {bias}) << {at}) * ($V)((i - h + {bias}) << {at});\n    \
         *result = SELECT_$V(x == x, y, x);\n"
    )
}

fn log(of: &Floats, elem: Scalar) -> String {
    let Floats {
        round,
        round_bits,
        at,
        least,
        up,
        by,
        half,
        fraction,
        infinity,
        nan,
        ..
    } = of;
    let [high, low] = of.ln2;
    let sum = match elem {
        Scalar::F32 => format!(
            "    const $V q = {};\n    \
             const $V r = (f + ((f * z * q + e * {low}) - 0.5f * z)) + e * {high};\n",
            polynomial("f", of.log_terms)
        ),
        _ => format!(
            "    const $V s = f / (f + 2.0), w = s * s, h = 0.5 * z;\n    const $V q = {};\n    \
             const $V r = e * {high} - ((h - (s * (h + w * q) + e * {low})) - f);\n",
            polynomial("w", of.log_terms)
        ),
    };
    format!(
        "    const $I small = ($I)(x < {least});\n    \
         const $I i = ($I)(($U)SELECT_$V(small, x * {up}, x) - {half});\n    \
         const $V e = ($V)(((i >> {at}) - (small & {by})) + {round_bits}) - {round};\n    \
         const $V f = ($V)((i & {fraction}) + {half}) - 1.0$f, z = f * f;\n{sum}    \
         const $V none = SELECT_$V(x == 0.0$f, ($V){{0}} - {infinity}, ($V){{0}} + {nan});\n    \
         const $V some = SELECT_$V(x < {infinity}, r, x);\n    \
         *result = SELECT_$V(x <= 0.0$f, none, some);\n"
    )
}

fn tanh(of: &Floats) -> String {
    let (amount, one, q) = (of.amount, of.one, polynomial("z", of.tanh_terms));
    format!(
        "    const $V a = ($V)(($I)x & {amount}), z = x * x;\n    const $V q = {q};\n    \
         const $V c = SELECT_$V(a < {one}, a, ($V){{0}} + {one}), d = c + c;\n    \
         $V e;\n    exp_$V(&d, &e);\n    \
         const $V far = 1.0$f - 2.0$f / (e + 1.0$f);\n    \
         const $V y = SELECT_$V(a < 0.625$f, x + x * z * q, ($V)(($I)far | (($I)x & ~{amount})));\n    \
         *result = SELECT_$V((x == x) & (x != 0.0$f), y, x);\n"
    )
}

/// Sine or cosine, by whether a quarter of a turn is added.
fn wave(f: Function) -> (&'static str, &'static str) {
    match f {
        Function::Sin => ("", "SELECT_$V(x != 0.0$f, v, x)"),
        _ => (" + 1", "v"),
    }
}

/// Where π/2 cannot be taken away in parts any more, the C library does it.
fn far(f: Function) -> String {
    let name = name(f);
    format!(
        "    for (int l = 0; l < $k; l++)\n        \
         if (!(x[l] < 0x1p20$f && x[l] > -0x1p20$f)) v[l] = {name}$f(x[l]);\n"
    )
}

fn wave_single(of: &Floats, f: Function) -> String {
    let (turn, result) = wave(f);
    let (sin, cos, far) = (
        polynomial("z", of.sin_terms),
        polynomial("z", of.cos_terms),
        far(f),
    );
    format!(
        "    const $D w = __builtin_convertvector(x, $D);\n    \
         const $D t = w * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = t - 0x1.8p52;\n    \
         const $D r = (w - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a626331p-34, z = r * r;\n    \
         const $D s = r + r * z * ({sin});\n    \
         const $D c = (1.0 - 0.5 * z) + z * z * ({cos});\n    \
         const $J i = ($J)t{turn}, odd = -(i & 1);\n    \
         const $D y = ($D)(((($J)c & odd) | (($J)s & ~odd)) ^ ((i & 2) << 62));\n    \
         $V v = __builtin_convertvector(y, $V);\n{far}    *result = {result};\n"
    )
}

fn wave_double(of: &Floats, f: Function) -> String {
    let (turn, result) = wave(f);
    let (sin, cos, far) = (
        polynomial("z", of.sin_terms),
        polynomial("z", of.cos_terms),
        far(f),
    );
    format!(
        "    const $V t = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = t - 0x1.8p52;\n    \
         const $V a = x - n * 0x1.921fb54400000p+0, w = n * 0x1.0b4611a600000p-34;\n    \
         const $V b = a - w, o = (a - b) - w, u = n * 0x1.3198a2e037073p-69;\n    \
         const $V r = b - u, d = ((b - r) - u) + o, z = r * r, h = 0.5 * z, m = 1.0 - h;\n    \
         const $V s = r + (r * z * ({sin}) + d * m);\n    \
         const $V c = m + (((1.0 - m) - h) + (z * z * ({cos}) - r * d));\n    \
         const $I i = ($I)t{turn}, odd = -(i & 1);\n    \
         $V v = ($V)(((($I)c & odd) | (($I)s & ~odd)) ^ ((i & 2) << 62));\n{far}    *result = {result};\n"
    )
}
