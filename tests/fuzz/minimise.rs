//! A smaller input of the same class: parts are left out as long as what is left still does it.

use super::mutate::tokens;
use std::time::{Duration, Instant};

/// Nobody waits longer for one finding.
const TIME: Duration = Duration::from_secs(90);

pub fn minimise(input: &str, same: &mut dyn FnMut(&str) -> bool) -> String {
    let end = Instant::now() + TIME;
    let mut best = input.to_string();
    for split in [lines, pieces] {
        best = shrink(split(&best), end, same);
    }
    best
}

fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_string).collect()
}

fn pieces(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(str::to_string).collect()
}

/// Leaves out halves, quarters, and so on to single parts.
fn shrink(mut parts: Vec<String>, end: Instant, same: &mut dyn FnMut(&str) -> bool) -> String {
    let mut size = parts.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        let mut changed = false;
        while at < parts.len() {
            if Instant::now() > end {
                return parts.concat();
            }
            let upper = (at + size).min(parts.len());
            let rest: Vec<String> = [&parts[..at], &parts[upper..]].concat();
            if same(&rest.concat()) {
                parts = rest;
                changed = true;
            } else {
                at += size;
            }
        }
        if size == 1 && !changed {
            return parts.concat();
        }
        if !changed || size > parts.len() {
            size = (size / 2).max(1);
        }
    }
}
