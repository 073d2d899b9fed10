//! The texts of numbers: `32`, `50_000_000`, `0xff`, `0b1010`, `0.5f64`, `3i64`, `1e-3`, `infinity`.

use crate::diag::{code, Diagnostic};
use crate::ty::INFINITY;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Literal {
    pub value: Value,
    /// The scalar type that was written behind the digits.
    pub suffix: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    Int(u64),
    Float(f64),
}

/// `bf16` ends in another one.
pub const SUFFIXES: [&str; 12] = [
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bf16", "f16", "f32", "f64",
];

/// Whether a word is a number, and no name: what is larger than all others, with a type behind it or without.
pub fn is_word(text: &str) -> bool {
    let behind = text.strip_prefix(INFINITY);
    behind.is_some_and(|s| s.is_empty() || (s.contains('f') && SUFFIXES.contains(&s)))
}

/// What the digits of a number are multiplied with.
fn radix(text: &str) -> u32 {
    match text.get(..2) {
        Some("0x") => 16,
        Some("0b") => 2,
        _ => 10,
    }
}

/// The diagnostic has no place yet.
pub fn parse(text: &str) -> Result<Literal, Diagnostic> {
    let radix = radix(text);
    // The last letters of a number to the base 16 may be digits.
    let suffix = |s: &&str| text.ends_with(s) && (radix == 10 || !s.contains('f'));
    let found = SUFFIXES.into_iter().find(suffix);
    let digits = &text[..text.len() - found.map_or(0, str::len)];
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    if is_word(text) {
        return Ok(Literal {
            value: Value::Float(f64::INFINITY),
            suffix: found,
        });
    }
    let malformed = || {
        Diagnostic::new(
            code::BAD_NUMBER,
            format!("`{}` is not a number", shorten(text)),
        )
        .help("numbers are written `32`, `50_000_000`, `0xff`, `0b101`, `0.5`, `1e-3`, `0.5f64`, `3i64`")
    };
    let range = |what: &str| {
        Diagnostic::new(
            code::NUMBER_RANGE,
            format!("`{}` does not fit {what}", shorten(text)),
        )
    };
    let digits = match radix {
        10 => &*digits,
        _ => &digits[2..],
    };
    let plain = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let float = found.is_some_and(|s| s.contains('f'));
    if plain && !float {
        let bits = found.unwrap_or("i64");
        let limit = match bits {
            "i8" => i8::MAX as u64,
            "i16" => i16::MAX as u64,
            "i32" => i32::MAX as u64,
            "u8" => u8::MAX as u64,
            "u16" => u16::MAX as u64,
            "u32" => u32::MAX as u64,
            "u64" => u64::MAX,
            _ => i64::MAX as u64,
        };
        let whole = u64::from_str_radix(digits, radix).ok();
        // With a sign it is the least of its type; without one, its type refuses it.
        let signed = found.is_some_and(|s| s.starts_with('i'));
        let value = whole.filter(|v| *v <= limit || signed && *v == limit + 1);
        let value = value.ok_or_else(|| {
            range(match found {
                Some(s) => s,
                None => "63 bits",
            })
            .help(match found {
                Some(s) => format!("values of {s} stop at {limit}"),
                None if whole.is_some() => {
                    let text = shorten(text);
                    format!("write `{text}u64`, which is of type `u64`; others stop at {limit}")
                }
                None => format!("sizes and integers stop at {limit}"),
            })
        })?;
        return Ok(Literal {
            value: Value::Int(value),
            suffix: found,
        });
    }
    if (found.is_some() && !float) || radix != 10 {
        return Err(malformed());
    }
    let numeric = digits
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    let value = digits.parse::<f64>().ok().filter(|_| numeric);
    let value = value.ok_or_else(malformed)?;
    let most = match found {
        // What is nearer to the next power of two is infinite.
        Some("f16") => 65520.0,
        Some("bf16") => 255.5 * 2f64.powi(120),
        Some("f32") if !(value as f32).is_finite() => 0.0,
        _ => f64::INFINITY,
    };
    if value.abs() >= most {
        return Err(range(found.unwrap_or("f64")).help("write a smaller number"));
    }
    Ok(Literal {
        value: Value::Float(value),
        suffix: found,
    })
}

fn shorten(text: &str) -> String {
    if text.chars().count() > 40 {
        format!("{}…", text.chars().take(40).collect::<String>())
    } else {
        text.to_string()
    }
}
