//! What changed between two texts, word by word.
//!
//! In: the pieces of two texts. Out: for each piece of the second whether it has none to match in the first. By the
//! longest common sequence of words; blanks do not count, so that a line broken elsewhere is no change. Texts too
//! long for that are not compared. Absent: layout.

use super::highlight;
use super::highlight::{Class, Language};

/// Words beyond this, after what both begin and end with, are not compared.
pub const MOST: usize = 4000;

/// The pieces of `new`, each with whether it is new; `None` if the texts are too long.
pub fn changes<'a>(
    old: &str,
    new: &'a str,
    language: Language,
) -> Option<Vec<(Class, &'a str, bool)>> {
    let words = |text| -> Vec<&str> {
        let all = highlight::pieces(text, language).into_iter();
        all.filter(|p| p.0 != Class::Blank).map(|p| p.1).collect()
    };
    let (a, b) = (words(old), words(new));
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[same..], &b[same..]);
    let ends = rest_a.iter().rev().zip(rest_b.iter().rev());
    let tail = ends.take_while(|(x, y)| x == y).count();
    let (mid_a, mid_b) = (
        &rest_a[..rest_a.len() - tail],
        &rest_b[..rest_b.len() - tail],
    );
    if mid_a.len() > MOST || mid_b.len() > MOST {
        return None;
    }
    let mut fresh = vec![false; same];
    fresh.extend(unmatched(mid_a, mid_b));
    fresh.resize(b.len(), false);
    let mut fresh = fresh.into_iter();
    let pieces = highlight::pieces(new, language).into_iter();
    let marked = pieces.map(|(class, text)| match class {
        Class::Blank => (class, text, false),
        _ => (class, text, fresh.next().unwrap_or(false)),
    });
    Some(marked.collect())
}

/// For each word of `b` whether it is outside of a longest common sequence.
fn unmatched(a: &[&str], b: &[&str]) -> Vec<bool> {
    let width = b.len() + 1;
    // Lengths of the longest sequences of what remains from each place on.
    let mut longest = vec![0_u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = if a[i] == b[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let mut out = vec![true; b.len()];
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            out[j] = false;
            i += 1;
            j += 1;
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}
