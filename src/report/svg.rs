//! What all pictures need.
//!
//! In: coordinates, numbers and texts. Out: how they stand in SVG. Absent: shapes.

use super::number::digits;
use std::fmt::Write as _;

/// The beginning of a picture that needs nothing else: its size, title and style, and what lies behind all. What is drawn
/// and `</svg>` follow.
pub fn open(width: f64, height: f64, title: &str, style: &str) -> String {
    let (w, h) = (short(width), short(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">\n\
         <title>{}</title>\n<style>{style}</style>\n\
         <rect class=\"back\" width=\"100%\" height=\"100%\"/>\n",
        escape(title)
    )
}

/// A text at its base line.
pub fn text(out: &mut String, class: &str, x: f64, y: f64, text: &str) {
    let (x, y, text) = (short(x), short(y), escape(text));
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
    );
}

/// A text of no more than so many characters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    let kept = text.chars().take(most.saturating_sub(1));
    kept.chain(['…']).collect()
}

/// A coordinate, to a tenth; what is no number has no place, and stands at 0.
pub fn short(x: f64) -> String {
    let x = if x.is_finite() { x } else { 0.0 };
    let text = format!("{x:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_string(),
        Some(whole) => whole.to_string(),
        None => text,
    }
}

/// XML has signs of its own, and no control characters.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// `1234567` as `1.23M`.
pub fn few(n: u64) -> String {
    let (value, unit) = match n {
        0..=9_999 if n < 1000 || !n.is_multiple_of(1000) => return n.to_string(),
        0..=999_499 => (n as f64 / 1e3, "k"),
        999_500..=999_499_999 => (n as f64 / 1e6, "M"),
        _ => (n as f64 / 1e9, "G"),
    };
    if value.fract() == 0.0 {
        format!("{value}{unit}")
    } else {
        format!("{}{unit}", digits(value))
    }
}
