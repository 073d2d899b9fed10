//! Values as text, for messages.
//!
//! In: a value. Out: its form, cut where it is long. Absent: what it means.

use super::value::{Node, Values, V};

/// Characters of a value in a message.
const SHOWN: usize = 240;

/// A message without the marks of variables that no program has: `%64:i24` reads `i24`, another one of that name `i24'`.
pub fn plain(text: &str) -> String {
    let mut known: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, marked) = rest.split_at(at);
        out.push_str(before);
        let body = &marked[1..];
        let end = body.find(|c: char| !c.is_alphanumeric() && !"_':".contains(c));
        let (whole, after) = body.split_at(end.unwrap_or(body.len()));
        // A remainder has a space behind its sign.
        if whole.is_empty() {
            out.push('%');
            rest = body;
            continue;
        }
        let (mark, name) = whole.split_once(':').unwrap_or(("", whole));
        let i = known.iter().position(|k| k.0 == name).unwrap_or_else(|| {
            known.push((name, Vec::new()));
            known.len() - 1
        });
        let marks = &mut known[i].1;
        let primes = marks.iter().position(|m| *m == mark).unwrap_or_else(|| {
            marks.push(mark);
            marks.len() - 1
        });
        out.push_str(name);
        out.push_str(&"'".repeat(primes));
        rest = after;
    }
    out + rest
}

impl Values {
    /// For messages: its form, as far as it is short.
    pub fn show(&self, v: V) -> String {
        let mut text = String::new();
        self.show_in(v, &mut text);
        if text.len() > SHOWN {
            text = text.chars().take(SHOWN).collect();
            text += " …";
        }
        text
    }

    fn show_in(&self, v: V, out: &mut String) {
        use std::fmt::Write;
        if out.len() > SHOWN {
            return;
        }
        let list = |name: &str, all: &[V], out: &mut String| {
            out.push_str(name);
            for (i, v) in all.iter().enumerate() {
                out.push_str(if i == 0 { "(" } else { ", " });
                self.show_in(*v, out);
            }
            out.push(')');
        };
        let _ = match self.node(v) {
            Node::Lit(l, _) => write!(out, "{l}"),
            Node::Idx(n) => write!(out, "{n}"),
            Node::In(s, n) => write!(out, "input{s}[{n}]"),
            Node::Op(op, _, args) => {
                list(op.name(), args, out);
                Ok(())
            }
            Node::Cast(a, _, to) | Node::Bits(a, _, to) => {
                list(to.name(), &[*a], out);
                Ok(())
            }
            Node::Clamp(a, n) => {
                list("clamp", &[*a], out);
                write!(out, " below {n}")
            }
            Node::Acc(d, j) => write!(out, "acc{d}_{j}"),
            Node::Cell(of, part, at) => write!(out, "state{of}_{part}{at:?}"),
            Node::Fold(f) => {
                let _ = write!(out, "fold over {} of ", f.n);
                list("step", &f.steps, out);
                list(" from", &f.starts, out);
                Ok(())
            }
            Node::Table(n, all) => {
                list("one", all, out);
                write!(out, " by {n}")
            }
            Node::Tensor(t, leaf, at) => {
                let _ = write!(out, "element {at:?} of part {leaf} after {} steps of ", t.n);
                let steps: Vec<V> = t.parts.iter().map(|p| p.step).collect();
                let starts: Vec<V> = t.parts.iter().map(|p| p.start).collect();
                list("step", &steps, out);
                list(" from", &starts, out);
                Ok(())
            }
            Node::Undef => write!(out, "nothing"),
        };
    }
}
