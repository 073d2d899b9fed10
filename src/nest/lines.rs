//! Which lines of a text say which statement.
//!
//! In: a text as it is printed, statement by statement. Out: [`Mark`]s. Statements are numbered as
//! [`walk::each_stmt`](super::walk::each_stmt) meets them, so two texts of one nest share their numbers, and
//! what stands inside of a statement has the numbers that follow its own. A statement may have several marks
//! (a buffer is allocated and freed far apart) or none. Absent: what is printed.

use serde::{Deserialize, Serialize};

/// Lines of a text, counted from 0, that say a statement with all that stands inside.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The statement.
    pub statement: u32,
    /// Its first line.
    pub first: u32,
    /// Its last line.
    pub last: u32,
}

impl Mark {
    /// The same in a text with so many lines above.
    pub fn below(self, lines: u32) -> Mark {
        Mark {
            first: self.first + lines,
            last: self.last + lines,
            ..self
        }
    }
}

/// A text that grows by lines, and the marks of its statements.
#[derive(Default)]
pub struct Lines {
    /// What was printed.
    pub text: String,
    /// In the order in which statements ended.
    pub marks: Vec<Mark>,
    count: u32,
    next: u32,
}

impl Lines {
    /// For what stands inside of the statement that began last, and is printed apart.
    pub fn apart(&self) -> Lines {
        Lines {
            next: self.next,
            ..Lines::default()
        }
    }

    /// Goes on behind what was printed apart, which is that statement, too.
    pub fn resume(&mut self, apart: &mut Lines) {
        apart.marks.push(Mark {
            statement: self.next.saturating_sub(1),
            first: 0,
            last: apart.count.saturating_sub(1),
        });
        self.next = apart.next;
    }

    /// These lines, then others.
    pub fn append(&mut self, other: Lines) {
        let above = self.count;
        self.text.push_str(&other.text);
        self.marks
            .extend(other.marks.into_iter().map(|m| m.below(above)));
        self.count += other.count;
    }

    /// One more line, or several.
    pub fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
        self.count += 1 + text.matches('\n').count() as u32;
    }

    /// A statement begins here: its number, and the line.
    pub fn begin(&mut self) -> (u32, u32) {
        self.next += 1;
        (self.next - 1, self.count)
    }

    /// The number of the next statement.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Statements from that number on are printed once more.
    pub fn again(&mut self, first: u32) {
        self.next = first;
    }

    /// The next line belongs to a statement that stands elsewhere.
    pub fn also(&mut self, statement: u32) {
        self.marks.push(Mark {
            statement,
            first: self.count,
            last: self.count,
        });
    }

    /// The statement that began there ends; what printed no line has no mark.
    pub fn end(&mut self, (statement, first): (u32, u32)) {
        if self.count > first {
            self.marks.push(Mark {
                statement,
                first,
                last: self.count - 1,
            });
        }
    }
}
