//! Sizes and indices from their texts.
//!
//! In: what `Display` of a [`Nat`] writes: sums of products of numbers, names, roundings, remainders, minima, maxima and
//! exact quotients. Out: the same expression, in normal form. Invariant: every text ends in an expression or in a
//! sentence, however deep it is. Absent: what names mean.

use crate::arith::Nat;
use crate::intern::Symbol;

/// Parentheses and operations in each other, at most.
const DEEPEST: usize = 200;

/// The expression that a text is.
pub fn parse(text: &str) -> Result<Nat, String> {
    let mut p = Parser {
        rest: text,
        depth: 0,
    };
    let n = p.sum();
    match n {
        Some(n) if p.rest.trim().is_empty() && !n.is_overflow() => Ok(n),
        _ => Err(format!("`{text}` is no size or index")),
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let trimmed = self.rest.trim_start();
        match trimmed.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<Nat> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let negative = self.takes("-");
        let first = self.product()?;
        let mut sum = if negative { Nat::int(0) - first } else { first };
        loop {
            if self.takes("+") {
                sum = sum + self.product()?;
            } else if self.takes("-") {
                sum = sum - self.product()?;
            } else {
                self.depth -= 1;
                return Some(sum);
            }
        }
    }

    fn product(&mut self) -> Option<Nat> {
        let mut product = self.factor()?;
        loop {
            if self.takes("*") {
                product = product * self.factor()?;
            } else if self.takes("/") {
                let divisor = self.factor()?;
                if divisor == Nat::int(0) {
                    return None;
                }
                product = product.exact_div(divisor);
            } else {
                return Some(product);
            }
        }
    }

    fn factor(&mut self) -> Option<Nat> {
        if self.takes("(") {
            return self.in_parentheses();
        }
        self.rest = self.rest.trim_start();
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let end = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return name.parse().ok().map(Nat::int);
        }
        if name.is_empty() {
            return None;
        }
        if !self.takes("(") {
            return Some(Nat::var(Symbol::new(name)));
        }
        let a = self.sum()?;
        let b = self.takes(",").then(|| self.sum())??;
        if !self.takes(")") {
            return None;
        }
        match name {
            "floor" | "ceil" if b == Nat::int(0) => None,
            "floor" => Some(a.floor_div(b)),
            "ceil" => Some(a.ceil_div(b)),
            "min" => Some(a.min(b)),
            "max" => Some(a.max(b)),
            _ => None,
        }
    }

    /// `(a) % (b))`, `(a)/(b))` or `a)`, after the first parenthesis.
    fn in_parentheses(&mut self) -> Option<Nat> {
        let a = self.sum()?;
        let value = if self.takes("%") {
            let b = self.sum()?;
            if b == Nat::int(0) {
                return None;
            }
            a.rem(b)
        } else {
            a
        };
        self.takes(")").then_some(value)
    }
}
