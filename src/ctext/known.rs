//! Pieces of text whose meaning is known because they are these, token by token.
//!
//! In: a piece of a C file. Out: what it declares, if it stands in the table (`known.txt`); what it is for and needs. A text
//! that differs in one token is not known. The table is trusted as it stands: tests run what it says.

use super::lex::{plain, tokens, Unread};
use super::pieces::{pieces, Piece};
use super::types::{c_name, signed, unsigned};
use crate::ty::Scalar;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const TEXT: &str = include_str!("known.txt");

/// It is read once. A table that cannot be read knows nothing, so that no text is the same.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read().unwrap_or_default());

/// A piece of the table.
struct Entry {
    names: Vec<&'static str>,
    /// Of which elements and lanes a pattern is.
    classes: Vec<&'static str>,
    needs: Vec<&'static str>,
    text: &'static str,
}

#[derive(Default)]
pub struct Table {
    /// Those that are no pattern, by their tokens.
    exact: BTreeMap<String, usize>,
    all: Vec<Entry>,
}

/// What a piece is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    pub names: Vec<String>,
    pub needs: Vec<String>,
}

/// What a pattern stands for.
#[derive(Clone, Copy, Default)]
struct Bound {
    a: Option<Scalar>,
    b: Option<Scalar>,
    lanes: Option<u32>,
}

impl Table {
    fn read() -> Result<Table, Unread> {
        let mut table = Table {
            exact: BTreeMap::new(),
            all: Vec::new(),
        };
        for section in TEXT.split("\n@ ").skip(1) {
            let (head, text) = section.split_once('\n').unwrap_or((section, ""));
            let (head, needs) = head.split_once(" : ").unwrap_or((head, ""));
            let mut words = head.split(' ');
            let names: Vec<&str> = words.next().unwrap_or("").split(',').collect();
            let pattern = names.iter().any(|n| n.contains('$'));
            if !pattern {
                table.exact.insert(plain(&tokens(text)?), table.all.len());
            }
            let needs = needs.split(' ').filter(|n| !n.is_empty()).collect();
            table.all.push(Entry {
                names,
                classes: words.collect(),
                needs,
                text,
            });
        }
        Ok(table)
    }

    /// What a piece is, if it is known.
    pub fn find(&self, piece: &Piece) -> Option<Known> {
        let text = plain(piece.tokens());
        if let Some(i) = self.exact.get(&text) {
            let entry = &self.all[*i];
            let own = |all: &[&str]| all.iter().map(|n| n.to_string()).collect();
            return Some(Known {
                names: own(&entry.names),
                needs: own(&entry.needs),
            });
        }
        let name = name(piece)?;
        self.all.iter().find_map(|entry| {
            let pattern = entry.names.first().filter(|n| n.contains('$'))?;
            let bound =
                bind(pattern, name).filter(|b| entry.classes.iter().all(|c| belongs(*b, c)))?;
            let expanded = expand(entry.text, bound);
            let known = pieces(&tokens(&expanded).ok()?)
                .ok()?
                .first()
                .map(|p| plain(p.tokens()));
            let needs = entry.needs.iter().map(|n| expand(n, bound)).collect();
            (known.as_deref() == Some(&*text)).then(|| Known {
                names: vec![name.to_string()],
                needs,
            })
        })
    }
}

/// What a piece defines first.
fn name<'a>(piece: &Piece<'a, '_>) -> Option<&'a str> {
    let t = piece.tokens();
    if let Piece::Function(_) = piece {
        let at = t.iter().position(|t| t.text == "(")?;
        return t.get(at.checked_sub(1)?).map(|t| t.text);
    }
    let at = t.iter().position(|t| t.text == "define")?;
    t.get(at + 1).map(|t| t.text)
}

/// Reads a name by a pattern.
fn bind(pattern: &str, name: &str) -> Option<Bound> {
    let mut bound = Bound::default();
    let mut rest = name;
    let mut letters = pattern.chars();
    while let Some(c) = letters.next() {
        if c != '$' {
            rest = rest.strip_prefix(c)?;
            continue;
        }
        let mut scalar = || {
            let of = Scalar::ALL
                .into_iter()
                .filter(|s| rest.starts_with(s.name()));
            let longest = of.max_by_key(|s| s.name().len())?;
            rest = &rest[longest.name().len()..];
            Some(longest)
        };
        match letters.next()? {
            'k' => bound.lanes = Some(lanes(&mut rest)?),
            'b' => bound.b = Some(scalar()?),
            'V' => {
                bound.a = Some(scalar()?);
                rest = rest.strip_prefix('x')?;
                bound.lanes = Some(lanes(&mut rest)?);
            }
            _ => bound.a = Some(scalar()?),
        }
    }
    rest.is_empty().then_some(bound)
}

fn lanes(rest: &mut &str) -> Option<u32> {
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, behind) = rest.split_at(end);
    *rest = behind;
    digits.parse().ok().filter(|k| (2..=1024).contains(k))
}

fn belongs(bound: Bound, class: &str) -> bool {
    let (a, b) = (bound.a, bound.b);
    let lanes = u64::from(bound.lanes.unwrap_or(1));
    let [bytes, result] = [a, b].map(|s| s.map_or(0, Scalar::bytes) * lanes);
    let exact = |from: Scalar, to: Scalar| to.bytes().is_multiple_of(from.bytes());
    let wider = a
        .zip(b)
        .filter(|(a, b)| exact(*a, *b))
        .map(|(a, b)| b.bytes() / a.bytes());
    match class {
        "signed" => a.is_some_and(Scalar::is_signed),
        "unsigned" => a.is_some_and(|s| s.is_int() && !s.is_signed()),
        "to-signed" => b.is_some_and(Scalar::is_signed),
        "to-unsigned" => b.is_some_and(|s| s.is_int() && !s.is_signed()),
        "integer" => a.is_some_and(Scalar::is_int),
        "integers" => a.is_some_and(Scalar::is_int) && b.is_some_and(Scalar::is_int),
        "upto4" => a.is_some_and(|s| s.bytes() <= 4),
        "to-short" => b.is_some_and(|s| s.bytes() < 4),
        "to-long" => b.is_some_and(|s| s.bytes() >= 4),
        "twice" => wider == Some(2),
        "four-times" => wider == Some(4),
        "eight-times" => wider == Some(8),
        "to-bytes16" => result == 16,
        "to-bytes32" => result == 32,
        "to-bytes64" => result == 64,
        "to-all-but-i32" => b.is_some_and(|s| s != Scalar::I32),
        "to-i32" => b == Some(Scalar::I32),
        "to-f64" => b == Some(Scalar::F64),
        "short" => a.is_some_and(|s| s.bytes() < 4),
        "long" => a.is_some_and(|s| s.bytes() >= 4),
        "same" => a.map(Scalar::bytes) == b.map(Scalar::bytes),
        "wider" => a.map(Scalar::bytes) < b.map(Scalar::bytes),
        "narrower" => a.map(Scalar::bytes) > b.map(Scalar::bytes),
        "to-8-bits" => b.map(Scalar::bytes) == Some(1),
        "to-16-bits" => b.map(Scalar::bytes) == Some(2),
        "to-32-bits" => b.map(Scalar::bytes) == Some(4),
        "bytes16" => bytes == 16,
        "bytes32" => bytes == 32,
        "bytes64" => bytes == 64,
        "other-bytes" => ![16, 32, 64].contains(&bytes),
        name => a.is_some_and(|s| s.name() == name),
    }
}

/// The integer of so many bytes with the sign of another.
fn wide(s: Scalar, bytes: u64) -> Scalar {
    let same = |t: &Scalar| t.is_int() && t.is_signed() == s.is_signed() && t.bytes() == bytes;
    Scalar::ALL.into_iter().find(same).unwrap_or(s)
}

/// A text with what its letters stand for.
fn expand(text: &str, bound: Bound) -> String {
    let a = bound.a.unwrap_or(Scalar::F32);
    let b = bound.b.unwrap_or(a);
    let k = bound.lanes.unwrap_or(1);
    let vector = |s: Scalar| format!("{}x{k}", s.name());
    let bits = 8 * b.bytes();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out += &rest[..at];
        let letter = rest[at + 1..].chars().next().unwrap_or(' ');
        rest = rest.get(at + 2..).unwrap_or("");
        out += &match letter {
            'V' => vector(a),
            'I' => vector(signed(a)),
            'U' => vector(unsigned(a)),
            'T' => vector(b),
            'N' => vector(signed(b)),
            // Twice and four times as wide, of the same sign.
            'G' => vector(wide(a, 2 * a.bytes())),
            'P' => vector(wide(a, 4 * a.bytes())),
            'k' => k.to_string(),
            's' | 'a' => a.name().to_string(),
            'b' => b.name().to_string(),
            'C' => c_name(a).to_string(),
            'E' => c_name(b).to_string(),
            'O' => c_name(unsigned(a)).to_string(),
            // The type in which numbers are added: no narrower than `int`.
            'W' => c_name(if a.bytes() == 8 {
                Scalar::U64
            } else {
                Scalar::U32
            })
            .to_string(),
            'B' => bits.to_string(),
            'M' => (bits - 1).to_string(),
            'f' => (if a == Scalar::F32 { "f" } else { "" }).to_string(),
            // `$[…]`: once for each lane.
            '[' => {
                let (mut depth, mut end) = (1, 0);
                for (i, c) in rest.char_indices() {
                    depth += i32::from(c == '[') - i32::from(c == ']');
                    if depth == 0 {
                        end = i;
                        break;
                    }
                }
                let each: Vec<String> = (0..k)
                    .map(|i| rest[..end].replace('%', &i.to_string()))
                    .collect();
                rest = rest.get(end + 1..).unwrap_or("");
                each.join(", ")
            }
            _ => String::new(),
        };
    }
    out + rest
}
