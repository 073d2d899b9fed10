//! A function of the emitted subset of C → a tree.
//!
//! Invariant: expressions are trees by the precedence of C, whatever parentheses stand in them; nesting is bounded. What is
//! not in the subset is said with its line. Absent: types, names, what anything means.

use super::lex::{Token, Unread};

/// A type as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub is_const: bool,
    /// `float`, `f32x8`
    pub name: String,
    /// Of a pointer, whether it is `const` and `restrict` itself.
    pub pointer: Option<(bool, bool)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    Number(String),
    Name(String),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Written, Box<Expr>),
    /// A name, as in all calls of the subset, and arguments.
    Call(String, Vec<Expr>),
    Element(Box<Expr>, Box<Expr>),
    /// `(f32x8){a, b}`
    Braces(Written, Vec<Expr>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    pub ty: Written,
    pub name: String,
    /// Of an array.
    pub len: Option<Expr>,
    /// `__attribute__((aligned(n)))`
    pub aligned: Option<String>,
    pub value: Option<Expr>,
    /// `= {…}`
    pub list: Option<Vec<Expr>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    pub ty: Written,
    pub var: String,
    pub start: Expr,
    pub cond: Expr,
    pub step: Expr,
    pub body: Vec<Stmt>,
    /// What stands before it: a macro, with what is in its parentheses.
    pub pragma: Option<(String, Vec<Expr>)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Is {
    For(Loop),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    Declare(Declared),
    Assign(Expr, Expr),
    /// A call, or `(void)x`.
    Do(Expr),
    Return(Expr),
    /// `break`
    Leave,
    /// `continue`
    Next,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    pub line: u32,
    pub is: Is,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub is_static: bool,
    /// Whether a macro says how it is declared.
    pub is_expanded: bool,
    pub result: Written,
    pub name: String,
    pub params: Vec<(Written, String)>,
}

/// A function that others call.
pub struct Part {
    pub signature: Signature,
    pub body: Vec<Stmt>,
    /// Its last line.
    pub end: u32,
}

/// How deep expressions and blocks may be.
const DEPTH: u32 = 1000;

/// How many operands of operators of one strength may stand in a row.
const LONGEST: usize = 10_000;

/// Macros that stand before loops.
const BEFORE_LOOPS: [&str; 8] = [
    "PARALLEL_FOR",
    "PARALLEL_IF",
    "PARALLEL_STATIC",
    "PARALLEL_STATIC_IF",
    "PARALLEL_SIMD",
    "ROLLED",
    "REPEATED",
    "INDEPENDENT",
];

/// Whether a name is one of a type; those of vectors are declared in the file.
pub type IsType<'a> = &'a dyn Fn(&str) -> bool;

pub struct Parser<'a, 't> {
    tokens: &'t [Token<'a>],
    at: usize,
    depth: u32,
    is_type: IsType<'t>,
}

/// What binds stronger has the larger number.
fn precedence(sign: &str) -> Option<(&'static str, u8)> {
    const ALL: [(&str, u8); 18] = [
        ("||", 1),
        ("&&", 2),
        ("|", 3),
        ("^", 4),
        ("&", 5),
        ("==", 6),
        ("!=", 6),
        ("<", 7),
        ("<=", 7),
        (">", 7),
        (">=", 7),
        ("<<", 8),
        (">>", 8),
        ("+", 9),
        ("-", 9),
        ("*", 10),
        ("/", 10),
        ("%", 10),
    ];
    ALL.into_iter().find(|(s, _)| *s == sign)
}

impl<'a, 't> Parser<'a, 't> {
    pub fn new(tokens: &'t [Token<'a>], is_type: IsType<'t>) -> Parser<'a, 't> {
        Parser {
            tokens,
            at: 0,
            depth: 0,
            is_type,
        }
    }

    fn peek(&self) -> &'a str {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> &'a str {
        self.tokens.get(self.at + n).map_or("", |t| t.text)
    }

    pub fn line(&self) -> u32 {
        let last = self.tokens.last();
        self.tokens.get(self.at).or(last).map_or(1, |t| t.line)
    }

    fn wrong<T>(&self, expected: &str) -> Result<T, Unread> {
        let found = match self.peek() {
            "" => "its end".to_string(),
            t => format!("`{t}`"),
        };
        Err(Unread::new(
            self.line(),
            format!("{expected} is expected, not {found}"),
        ))
    }

    fn is(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Unread> {
        match self.is(text) {
            true => Ok(()),
            false => self.wrong(&format!("`{text}`")),
        }
    }

    fn word(&mut self) -> Result<String, Unread> {
        match self.tokens.get(self.at).filter(|t| t.is_word()) {
            Some(t) => {
                self.at += 1;
                Ok(t.text.to_string())
            }
            None => self.wrong("a name"),
        }
    }

    fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, Unread>) -> Result<T, Unread> {
        if self.depth >= DEPTH {
            return Err(Unread::new(self.line(), "it is nested too deeply"));
        }
        self.depth += 1;
        let out = f(self);
        self.depth -= 1;
        out
    }

    pub fn end(&self) -> Result<(), Unread> {
        match self.at == self.tokens.len() {
            true => Ok(()),
            false => self.wrong("the end"),
        }
    }

    /// An expression and nothing else.
    pub fn whole(&mut self) -> Result<Expr, Unread> {
        let e = self.expr()?;
        self.end()?;
        Ok(e)
    }

    /// `static int f(…)`, `static inline void f(…)`, `EXPANDED void f(…)`
    pub fn signature(&mut self) -> Result<Signature, Unread> {
        let is_expanded = self.is("EXPANDED");
        let is_static = is_expanded || self.is("static");
        // What compilers do with it is the same.
        if is_static && !is_expanded {
            self.is("inline");
        }
        let result = self.ty()?;
        let name = self.word()?;
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.is(")") {
            if !params.is_empty() {
                self.expect(",")?;
            }
            let ty = self.ty()?;
            params.push((ty, self.word()?));
        }
        Ok(Signature {
            is_static,
            is_expanded,
            result,
            name,
            params,
        })
    }

    pub fn semicolon(&mut self) -> Result<(), Unread> {
        self.expect(";")
    }

    fn starts_type(&self) -> bool {
        self.peek() == "const" || (self.is_type)(self.peek())
    }

    fn ty(&mut self) -> Result<Written, Unread> {
        let is_const = self.is("const");
        if !(self.is_type)(self.peek()) {
            return self.wrong("a type");
        }
        let name = self.word()?;
        let pointer = match self.is("*") {
            true => {
                let constant = self.is("const");
                Some((constant, self.is("restrict")))
            }
            false => None,
        };
        Ok(Written {
            is_const,
            name,
            pointer,
        })
    }

    /// `{ … }`
    pub fn block(&mut self) -> Result<Vec<Stmt>, Unread> {
        self.expect("{")?;
        let mut all = Vec::new();
        while !self.is("}") {
            all.push(self.deeper(Self::stmt)?);
        }
        Ok(all)
    }

    fn stmt(&mut self) -> Result<Stmt, Unread> {
        let line = self.line();
        let is = match self.peek() {
            "for" => self.for_loop(None)?,
            "if" => self.choice()?,
            "return" => {
                self.at += 1;
                let value = self.expr()?;
                self.semicolon()?;
                Is::Return(value)
            }
            "break" => {
                self.at += 1;
                self.semicolon()?;
                Is::Leave
            }
            "continue" => {
                self.at += 1;
                self.semicolon()?;
                Is::Next
            }
            m if BEFORE_LOOPS.contains(&m) => {
                let name = self.word()?;
                let mut arguments = Vec::new();
                if self.is("(") {
                    arguments.push(self.expr()?);
                    while self.is(",") {
                        arguments.push(self.expr()?);
                    }
                    self.expect(")")?;
                }
                if self.peek() != "for" {
                    return self.wrong("a loop");
                }
                self.for_loop(Some((name, arguments)))?
            }
            _ if self.starts_type() => self.declaration()?,
            _ => {
                let e = self.expr()?;
                let is = match self.is("=") {
                    true => Is::Assign(e, self.expr()?),
                    false => Is::Do(e),
                };
                self.semicolon()?;
                is
            }
        };
        Ok(Stmt { line, is })
    }

    /// Of a loop or a choice: one statement is a block, too.
    fn body(&mut self) -> Result<Vec<Stmt>, Unread> {
        match self.peek() {
            "{" => self.block(),
            _ => Ok(vec![self.deeper(Self::stmt)?]),
        }
    }

    fn for_loop(&mut self, pragma: Option<(String, Vec<Expr>)>) -> Result<Is, Unread> {
        self.expect("for")?;
        self.expect("(")?;
        let ty = self.ty()?;
        let var = self.word()?;
        self.expect("=")?;
        let start = self.expr()?;
        self.semicolon()?;
        let cond = self.expr()?;
        self.semicolon()?;
        let step = self.expr()?;
        self.expect(")")?;
        let body = self.body()?;
        Ok(Is::For(Loop {
            ty,
            var,
            start,
            cond,
            step,
            body,
            pragma,
        }))
    }

    fn choice(&mut self) -> Result<Is, Unread> {
        self.expect("if")?;
        self.expect("(")?;
        let cond = self.expr()?;
        self.expect(")")?;
        let then = self.body()?;
        let els = match self.is("else") {
            true => self.body()?,
            false => Vec::new(),
        };
        Ok(Is::If(cond, then, els))
    }

    fn declaration(&mut self) -> Result<Is, Unread> {
        let ty = self.ty()?;
        let name = self.word()?;
        let mut declared = Declared {
            ty,
            name,
            len: None,
            aligned: None,
            value: None,
            list: None,
        };
        if self.is("[") {
            declared.len = Some(self.expr()?);
            self.expect("]")?;
        }
        if self.is("__attribute__") {
            for t in ["(", "(", "aligned", "("] {
                self.expect(t)?;
            }
            declared.aligned = Some(self.peek().to_string());
            self.at += 1;
            for t in [")", ")", ")"] {
                self.expect(t)?;
            }
        }
        if self.is("=") {
            match self.peek() {
                "{" => declared.list = Some(self.braces()?),
                _ => declared.value = Some(self.expr()?),
            }
        }
        self.semicolon()?;
        Ok(Is::Declare(declared))
    }

    /// `{a, b, }`
    fn braces(&mut self) -> Result<Vec<Expr>, Unread> {
        self.expect("{")?;
        let mut all = Vec::new();
        while !self.is("}") {
            if !all.is_empty() {
                self.expect(",")?;
                if self.is("}") {
                    break;
                }
            }
            all.push(self.expr()?);
        }
        Ok(all)
    }

    fn expr(&mut self) -> Result<Expr, Unread> {
        self.deeper(|p| {
            let cond = p.binary(0)?;
            if !p.is("?") {
                return Ok(cond);
            }
            let then = p.expr()?;
            p.expect(":")?;
            let els = p.expr()?;
            Ok(Expr::Choice(Box::new(cond), Box::new(then), Box::new(els)))
        })
    }

    /// Operators that bind stronger than `least`; those of one strength from left to right.
    fn binary(&mut self, least: u8) -> Result<Expr, Unread> {
        let mut left = self.unary()?;
        let start = self.at;
        while let Some((sign, strength)) = precedence(self.peek()).filter(|p| p.1 > least) {
            if self.at - start > LONGEST {
                return Err(Unread::new(self.line(), "an expression is too long"));
            }
            self.at += 1;
            let right = self.deeper(|p| p.binary(strength))?;
            left = Expr::Binary(sign, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Unread> {
        const SIGNS: [&str; 5] = ["-", "~", "!", "*", "&"];
        if let Some(sign) = SIGNS.into_iter().find(|s| *s == self.peek()) {
            self.at += 1;
            let inner = self.deeper(Self::unary)?;
            return Ok(Expr::Unary(sign, Box::new(inner)));
        }
        let next = self.ahead(1);
        if self.peek() == "(" && (next == "const" || (self.is_type)(next)) {
            self.at += 1;
            let ty = self.ty()?;
            self.expect(")")?;
            if self.peek() == "{" {
                let all = self.braces()?;
                return self.postfix(Expr::Braces(ty, all));
            }
            let inner = self.deeper(Self::unary)?;
            return Ok(Expr::Cast(ty, Box::new(inner)));
        }
        let first = self.primary()?;
        self.postfix(first)
    }

    fn postfix(&mut self, mut e: Expr) -> Result<Expr, Unread> {
        loop {
            if self.is("[") {
                let index = self.expr()?;
                self.expect("]")?;
                e = Expr::Element(Box::new(e), Box::new(index));
            } else if self.is("++") {
                e = Expr::Unary("++", Box::new(e));
            } else {
                return Ok(e);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, Unread> {
        if self.is("(") {
            let e = self.expr()?;
            self.expect(")")?;
            return Ok(e);
        }
        if self.peek().starts_with(|c: char| c.is_ascii_digit()) {
            let text = self.peek().to_string();
            self.at += 1;
            return Ok(Expr::Number(text));
        }
        if (self.is_type)(self.peek()) {
            return self.wrong("a value");
        }
        let name = self.word()?;
        if !self.is("(") {
            return Ok(Expr::Name(name));
        }
        // What a conversion is made to is a type.
        let mut args = Vec::new();
        while !self.is(")") {
            if !args.is_empty() {
                self.expect(",")?;
            }
            match (self.is_type)(self.peek()) {
                true => args.push(Expr::Name(self.word()?)),
                false => args.push(self.expr()?),
            }
        }
        Ok(Expr::Call(name, args))
    }
}
