//! The shipped rules: all of them, or those for one operator, which are read when it is first met.
//!
//! A compiled program asks about few operators, and reading rules takes longer than applying them. A rule
//! is tried only where its root stands, so those of one root, in their order, are all that is needed there. Which root a
//! rule has shows before it is read: the operator of its left side that binds least ([`root`]).

use super::Book;
use crate::scalar::{load_rules, Op};
use crate::source::SourceMap;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// The file of the shipped rules.
pub const RULES: &str = "rules/index.rules";

thread_local! {
    static ALL: Rc<Book> = Rc::new(read(|_| true));
    static BY_ROOT: RefCell<FxHashMap<Op, Rc<Book>>> = RefCell::default();
    /// The root and the text of each.
    static TEXTS: Vec<(Option<Op>, String)> = texts();
}

/// All of them, read once in a thread.
pub fn shipped() -> Rc<Book> {
    ALL.with(Rc::clone)
}

/// Those with an operator at the root, read once in a thread.
pub fn with_root(op: Op) -> Rc<Book> {
    let known = BY_ROOT.with_borrow(|all| all.get(&op).cloned());
    known.unwrap_or_else(|| {
        let book = Rc::new(read(|root| root == Some(op)));
        BY_ROOT.with_borrow_mut(|all| all.insert(op, book.clone()));
        book
    })
}

fn texts() -> Vec<(Option<Op>, String)> {
    let mut sources = SourceMap::new();
    let file = sources.load_shipped(RULES).expect("a shipped file");
    let text = &sources.file(file).text;
    let each = places(text).into_iter().map(|place| {
        let rule = &text[place];
        (root(rule), rule.to_string())
    });
    each.collect()
}

/// They load, or a test fails.
fn read(wanted: impl Fn(Option<Op>) -> bool) -> Book {
    let mut left = String::from("domain scalar\n");
    TEXTS.with(|all| {
        let rules = all.iter().filter(|(root, _)| wanted(*root));
        left.extend(rules.map(|(_, text)| text.as_str()));
    });
    let mut sources = SourceMap::new();
    let file = sources.add_text(RULES, &left);
    Book::new(load_rules(&sources, file).expect("the shipped rules are read without errors"))
}

/// Where rules stand: from `rule` to the next line that is not indented.
pub fn places(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut at, mut inside) = (0, false);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if line.starts_with("rule ") {
            found.push(at..end);
            inside = true;
        } else if inside && line.starts_with(' ') {
            if let Some(last) = found.last_mut() {
                last.end = end;
            }
        } else {
            inside = false;
        }
        at = end;
    }
    found
}

/// The operator at the root of the left side of a rule, as text: the last of those that bind least, outside of
/// parentheses; without one, the function.
pub fn root(rule: &str) -> Option<Op> {
    let left = rule.split("=>").next()?.trim_start();
    let left = left.split_once(char::is_whitespace)?.1.trim_start();
    let left = left.split_once(char::is_whitespace)?.1.trim();
    let mut found: Option<(u32, Op)> = None;
    let (mut depth, mut after_operand) = (0, false);
    let mut rest = left;
    while let Some(c) = rest.chars().next() {
        let operator = (depth == 0 && after_operand)
            .then(|| binary(rest))
            .flatten();
        let length = match operator {
            Some((_, op)) => op.text().len(),
            None => c.len_utf8(),
        };
        if let Some((binds, op)) = operator {
            if found.is_none_or(|f| binds <= f.0) {
                found = Some((binds, op));
            }
        }
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        after_operand = match c {
            _ if c.is_whitespace() => after_operand,
            ')' => true,
            _ => c.is_alphanumeric() || c == '_',
        };
        rest = &rest[length..];
    }
    let function = || {
        let name = left.split('(').next()?.trim();
        Op::ALL.into_iter().find(|op| op.text() == name)
    };
    match found {
        Some((_, op)) => Some(op),
        None if left.starts_with('!') => Some(Op::Not),
        None => function(),
    }
}

/// The operator that a text begins with, and how tightly it binds.
fn binary(text: &str) -> Option<(u32, Op)> {
    use Op::*;
    // What is a part of another comes behind it.
    let all = [
        (0, Or),
        (1, And),
        (2, Le),
        (2, Ge),
        (2, Eq),
        (2, Ne),
        (2, Lt),
        (2, Gt),
        (3, Add),
        (3, Sub),
        (4, Mul),
        (4, Div),
        (4, Mod),
    ];
    all.into_iter().find(|(_, op)| text.starts_with(op.text()))
}
