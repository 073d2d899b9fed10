//! Numbers as people read them.

/// `0.00123` s as `1.23 ms`: three digits that count.
pub fn seconds(s: f64) -> String {
    let (value, unit) = match s {
        s if !s.is_finite() => return "-".to_string(),
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "µs"),
        s => (s * 1e9, "ns"),
    };
    format!("{} {unit}", digits(value))
}

/// `18_874_368` bytes as `18.0 MB`, in powers of 1024.
pub fn bytes(n: u64) -> String {
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    for unit in ["KB", "MB"] {
        if value < 1024.0 {
            return format!("{} {unit}", digits(value));
        }
        value /= 1024.0;
    }
    format!("{} GB", digits(value))
}

/// `1234567` as `1 234 567`.
pub fn count(n: u64) -> String {
    let text = n.to_string();
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i > 0 && (text.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// Three digits that count, without an exponent.
pub fn digits(x: f64) -> String {
    match x.abs() {
        a if a >= 99.95 => format!("{x:.0}"),
        a if a >= 9.995 => format!("{x:.1}"),
        _ => format!("{x:.2}"),
    }
}
