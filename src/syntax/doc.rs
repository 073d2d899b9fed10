//! Documents and their layout, after Wadler, "A prettier printer".
//!
//! Own, because `fmt` has to put comments back: a comment to the end of the line forces a line break behind
//! it wherever it stands, counts nothing towards the width, and never leaves an empty line or a
//! space at the end of one. So a line break here is a *fresh line*: nothing if the line is empty.

/// A document.
#[derive(Clone, Debug)]
pub enum Doc {
    Nil,
    Text(String),
    /// A comment; `trailing` if it stays on the line of what stands before it.
    Comment {
        text: String,
        trailing: bool,
        block: bool,
    },
    /// A line break, or this text when its group is flat.
    Line(&'static str),
    /// A line break; its group cannot be flat.
    Hard,
    Concat(Vec<Doc>),
    Nest(usize, Box<Doc>),
    /// Flat if it fits, else all its own line breaks break.
    Group(Box<Doc>),
}

impl Doc {
    pub fn text(s: impl Into<String>) -> Doc {
        Doc::Text(s.into())
    }

    pub fn nest(self, by: usize) -> Doc {
        Doc::Nest(by, Box::new(self))
    }

    pub fn group(self) -> Doc {
        Doc::Group(Box::new(self))
    }
}

/// A space, or a line break.
pub const LINE: Doc = Doc::Line(" ");

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Flat,
    Break,
}

/// The text, without a newline at its end.
pub fn layout(doc: &Doc, width: usize) -> String {
    let mut out = Out {
        text: String::new(),
        column: 0,
        fresh: true,
        pushed: false,
    };
    let mut work = vec![(0, Mode::Break, doc)];
    while let Some((indent, mode, doc)) = work.pop() {
        match doc {
            Doc::Nil => {}
            Doc::Text(s) => out.put(s, indent),
            Doc::Comment {
                text,
                trailing,
                block,
            } => {
                if !trailing {
                    out.push_down();
                } else if !out.fresh && !out.text.ends_with([' ', '(', '[']) {
                    out.put(" ", indent);
                }
                out.put(text, indent);
                if !*block || !*trailing || text.contains('\n') {
                    out.push_down();
                } else {
                    out.put(" ", indent);
                }
            }
            Doc::Line(flat) => match mode {
                Mode::Flat => out.put(flat, indent),
                Mode::Break => out.newline(),
            },
            Doc::Hard => out.newline(),
            Doc::Concat(parts) => work.extend(parts.iter().rev().map(|d| (indent, mode, d))),
            Doc::Nest(by, d) => work.push((indent + by, mode, d)),
            Doc::Group(d) => {
                let mode = match mode {
                    Mode::Flat => Mode::Flat,
                    Mode::Break if fits(width, &out, indent, d, &work) => Mode::Flat,
                    Mode::Break => Mode::Break,
                };
                work.push((indent, mode, d));
            }
        }
    }
    out.trim();
    out.text
}

struct Out {
    text: String,
    column: usize,
    /// Nothing stands on the current line yet.
    fresh: bool,
    /// A comment ended the line above, where no line of the layout ends.
    pushed: bool,
}

/// What is behind a comment is no new item: it does not stand at column one.
const CONTINUED: usize = 2;

impl Out {
    fn put(&mut self, s: &str, indent: usize) {
        // A space between two tokens that a comment already made.
        let s = if self.fresh || self.text.ends_with(' ') {
            s.trim_start_matches(' ')
        } else {
            s
        };
        if s.is_empty() {
            return;
        }
        if self.fresh {
            let indent = if std::mem::take(&mut self.pushed) {
                indent.max(CONTINUED)
            } else {
                indent
            };
            self.text.extend(std::iter::repeat_n(' ', indent));
            self.column = indent;
            self.fresh = false;
        }
        self.text.push_str(s);
        self.column += s.chars().count();
    }

    fn newline(&mut self) {
        if !self.fresh {
            self.trim();
            self.text.push('\n');
            self.fresh = true;
            self.column = 0;
        }
    }

    /// The line break that a comment asks for.
    fn push_down(&mut self) {
        self.newline();
        self.pushed = !self.text.is_empty();
    }

    fn trim(&mut self) {
        self.text.truncate(self.text.trim_end().len());
    }
}

/// Whether `doc`, flat, and what follows up to the next possible line break fit on the line.
fn fits(width: usize, out: &Out, indent: usize, doc: &Doc, rest: &[(usize, Mode, &Doc)]) -> bool {
    let start = if out.fresh { indent } else { out.column };
    let Some(mut room) = width.checked_sub(start) else {
        return false;
    };
    let mut rest = rest.iter().rev();
    let mut work = vec![(Mode::Flat, doc)];
    let mut inside = true;
    loop {
        let (mode, doc) = match work.pop() {
            Some(next) => next,
            None => match rest.next() {
                Some((_, mode, doc)) => {
                    inside = false;
                    (*mode, *doc)
                }
                None => return true,
            },
        };
        let used = match doc {
            Doc::Nil => 0,
            Doc::Text(s) => s.chars().count(),
            // Inside it breaks the group; behind it the line ends without it.
            Doc::Comment { .. } | Doc::Hard => return !inside,
            Doc::Line(flat) => match mode {
                Mode::Flat => flat.len(),
                Mode::Break => return true,
            },
            Doc::Concat(parts) => {
                work.extend(parts.iter().rev().map(|d| (mode, d)));
                0
            }
            Doc::Nest(_, d) | Doc::Group(d) => {
                work.push((mode, d));
                0
            }
        };
        match room.checked_sub(used) {
            Some(left) => room = left,
            None => return false,
        }
    }
}
