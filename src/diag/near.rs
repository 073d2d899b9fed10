//! Near matches: which of the known names was probably meant.
//!
//! The distance is the optimal string alignment distance (insert, delete, replace, swap neighbours),
//! ignoring case and `-`/`_`, because those are the slips that people make.

/// At most three of `known`, nearest first, ties in the order given.
pub fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = fold(name);
    let limit = match wanted.len() {
        0..=1 => 0,
        2..=4 => 1,
        5..=11 => 2,
        _ => 3,
    };
    let mut found: Vec<(usize, &str)> = Vec::new();
    for k in known {
        if k == name || found.iter().any(|(_, f)| *f == k) {
            continue;
        }
        let folded = fold(k);
        if folded.len().abs_diff(wanted.len()) > limit.max(3) {
            continue;
        }
        let d = distance(&wanted, &folded);
        // A prefix such as `reduce` for `reduceSeq` is near as well, but less so than a slip.
        let prefix =
            wanted.len() >= 4 && (folded.starts_with(&wanted) || wanted.starts_with(&folded));
        if d <= limit {
            found.push((d, k));
        } else if prefix && folded.len() >= 3 {
            found.push((limit + 2, k));
        }
    }
    found.sort_by_key(|(d, _)| *d);
    let best = found.first().map_or(0, |(d, _)| *d);
    found.retain(|(d, _)| *d <= best + 1);
    found.into_iter().take(3).map(|(_, k)| k).collect()
}

/// "did you mean `a`, `b` or `c`?", or nothing when nothing is near.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let quoted: Vec<String> = near(name, known).iter().map(|k| format!("`{k}`")).collect();
    let (last, init) = quoted.split_last()?;
    Some(if init.is_empty() {
        format!("did you mean {last}?")
    } else {
        format!("did you mean {} or {last}?", init.join(", "))
    })
}

fn fold(s: &str) -> Vec<char> {
    let kept = s.chars().filter(|c| *c != '-' && *c != '_').take(64);
    kept.flat_map(char::to_lowercase).collect()
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut d = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(before[j - 2] + 1);
            }
            row.push(d);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
