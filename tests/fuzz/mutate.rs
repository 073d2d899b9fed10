//! Mutation of texts, token by token.

use rise_opt::interp::random::Rng;

/// What no file of the repository may hold, but a user may write.
const WORDS: [&str; 66] = [
    "map",
    "reduce",
    "zip",
    "join",
    "split[2]",
    "transpose",
    "fst",
    "snd",
    "concat",
    "iterate[3]",
    "idx",
    "cast",
    "generate",
    "asVector[2]",
    "asScalar",
    "slide[3, 1]",
    "at[0]",
    "take[1]",
    "drop[1]",
    "toMem",
    "mapSeq",
    "reduceSeq",
    "scanSeq",
    "padCst[1, 1]",
    "gather",
    "scatter",
    "unzip",
    "(+)",
    "(*)",
    "(\\x -> x)",
    "(\\(a, b) -> a)",
    "let x = x in",
    "if x < x then x else x",
    "x < x && !(x == x) || x > x",
    "f32",
    "i8",
    "bool",
    "idx[n]",
    "<4>f32",
    "n.f32",
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e300",
    "0f64",
    "9223372036854775807",
    "4294967296",
    "1e-45",
    "n",
    "m",
    "_",
    "?",
    "'",
    "\"a\"",
    "--",
    "{-",
    "-}",
    "|>",
    ">>",
    "->",
    "=>",
    "where",
    "n/2",
    "size[n]",
];

/// Punctuation and spaces.
const BITS: [&str; 34] = [
    "(",
    ")",
    "[",
    "]",
    "\\",
    ".",
    ",",
    ":",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<",
    ">",
    "!",
    "&&",
    "||",
    " ",
    "\n",
    "\n  ",
    "\ndef ",
    "\nrule ",
    "\nsketch ",
    "\nstep s ",
    "\nparam t = ",
    "-- c\n",
    " -- c\n  ",
    "{- c -}",
    " {- c\n d -} ",
    "\t",
    "é",
    "\r\n",
];

/// Names, numbers, spaces; every other character by itself.
pub fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '\'' => 1,
        ' ' | '\t' => 2,
        _ => 0,
    };
    let mut found = Vec::new();
    let mut start = 0;
    let mut last = 0;
    for (i, c) in text.char_indices() {
        let now = kind(c);
        if i > start && (now == 0 || now != last) {
            found.push(&text[start..i]);
            start = i;
        }
        last = now;
    }
    if start < text.len() {
        found.push(&text[start..]);
    }
    found
}

fn below(rng: &mut Rng, n: usize) -> usize {
    rng.below(n.max(1) as u64) as usize
}

/// A few mutations of a text; parts come from the others, too.
pub fn text(text: &str, others: &[String], rng: &mut Rng) -> String {
    let mut parts: Vec<String> = tokens(text).into_iter().map(str::to_string).collect();
    let other = rng.pick(others).clone();
    let other = tokens(&other);
    for _ in 0..1 + rng.below(4) * rng.below(2) {
        one(&mut parts, &other, rng);
    }
    let mut all = parts.concat();
    if rng.one_in(40) {
        all = noise(&all, rng);
    }
    // Longer inputs take longer and find nothing else.
    let mut end = all.len().min(12_000);
    while !all.is_char_boundary(end) {
        end -= 1;
    }
    all.truncate(end);
    all
}

fn one(parts: &mut Vec<String>, other: &[&str], rng: &mut Rng) {
    let at = below(rng, parts.len());
    let some = 1 + below(rng, 8);
    let end = (at + some).min(parts.len());
    match rng.below(13) {
        0 => drop(parts.drain(at..end)),
        1 => {
            let again = parts[at..end].to_vec();
            let to = below(rng, parts.len() + 1);
            parts.splice(to..to, again);
        }
        2 | 3 => {
            let word = rng.pick(&WORDS).to_string();
            parts.splice(at..(at + 1).min(parts.len()), [word]);
        }
        4 => parts.insert(at, rng.pick(&BITS).to_string()),
        // A group for a group.
        5 | 6 => {
            if let (Some(here), Some(there)) = (group(parts, rng), group(other, rng)) {
                let there = other[there].iter().map(|s| s.to_string());
                parts.splice(here, there);
            }
        }
        7 => {
            if let Some(here) = group(parts, rng) {
                let word = rng.pick(&[
                    "join",
                    "fst",
                    "map",
                    "(\\w -> w)",
                    "concat",
                    "transpose",
                    "-",
                    "\\w -> ",
                ]);
                parts.insert(here.end, ")".to_string());
                parts.insert(here.start, format!("({word} "));
            }
        }
        8 => {
            let from = below(rng, other.len());
            let to = (from + 1 + below(rng, 20)).min(other.len());
            let there: Vec<String> = other[from..to].iter().map(|s| s.to_string()).collect();
            parts.splice(at..at, there);
        }
        // Names for names, numbers for numbers.
        9 => {
            let first = |s: &str| {
                s.chars()
                    .next()
                    .map(|c| (c.is_alphabetic(), c.is_ascii_digit()))
            };
            let like: Vec<&&str> = (other.iter())
                .filter(|o| parts.get(at).is_some_and(|p| first(o) == first(p)))
                .collect();
            if !like.is_empty() {
                parts[at] = rng.pick(&like).to_string();
            }
        }
        10 => {
            let to = below(rng, parts.len());
            if !parts.is_empty() {
                parts.swap(at, to);
            }
        }
        11 => {
            let again = parts[at..end].to_vec();
            for _ in 0..rng.below(60) {
                parts.splice(at..at, again.iter().cloned());
            }
        }
        // A line twice, or not at all.
        _ => {
            let start = parts[..at]
                .iter()
                .rposition(|p| p == "\n")
                .map_or(0, |i| i + 1);
            let behind = parts[at..].iter().position(|p| p == "\n");
            let end = behind.map_or(parts.len(), |i| at + i + 1);
            let line: Vec<String> = parts.drain(start..end).collect();
            if rng.one_in(2) {
                parts.splice(start..start, [line.clone(), line].concat());
            }
        }
    }
}

/// From an opening bracket to the closing one.
fn group<S: AsRef<str>>(parts: &[S], rng: &mut Rng) -> Option<std::ops::Range<usize>> {
    let opening = parts.iter().enumerate().filter(|p| p.1.as_ref() == "(");
    let opening: Vec<usize> = opening.map(|p| p.0).collect();
    let start = *opening.get(below(rng, opening.len()))?;
    let mut depth = 0;
    for (i, part) in parts.iter().enumerate().skip(start) {
        match part.as_ref() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(start..i + 1);
        }
    }
    None
}

fn noise(text: &str, rng: &mut Rng) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + rng.below(6) {
        let at = below(rng, chars.len());
        let new = char::from_u32(rng.below(0x300) as u32).unwrap_or('\u{0}');
        match chars.get_mut(at) {
            Some(c) if rng.one_in(2) => *c = new,
            _ => chars.insert(at, new),
        }
    }
    chars.into_iter().collect()
}
