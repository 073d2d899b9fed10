//! The tree of all three file kinds. Terms, types and sizes are ONE kind of expression: `m.k.f32`, `s -> t`
//! and `n/32` are read by the same rules as `f x`, and `elab` asks for what the place needs. So a
//! sketch can take a size or a type as an argument, and a mistake of sort is one clear error.
//!
//! The tree keeps what was written, parentheses and number texts included: printing a parsed tree
//! gives the same tokens in the same order, which is what lets `fmt` put every comment back.

use crate::source::Span;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    pub items: Vec<Item>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    pub span: Span,
    pub kind: ItemKind,
    /// Whether all of it could be read; otherwise only its name is worth anything.
    pub whole: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A file path, with its quotation marks if it was written with them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilePath {
    pub text: String,
    pub quoted: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItemKind {
    /// `import "lib.rise"`
    Import(FilePath),
    /// `include FILE`
    Include(FilePath),
    Def(Def),
    Rule(Box<Rule>),
    RuleSet(RuleSet),
    /// `use FILE (item, item[32])`; without a list, every rule of the file.
    Use {
        file: FilePath,
        list: Option<Vec<RuleRef>>,
    },
    /// `limits iterations 60, nodes 50_000_000`
    Limits(Vec<(Name, Number)>),
    /// `param tile = 32`
    Param {
        name: Name,
        value: Expr,
    },
    Sketch(Expr),
    /// `step NAME` or `step NAME include FILE`
    Step {
        name: Name,
        include: Option<FilePath>,
    },
    /// `cost size`, `normalize off`, `scheduler backoff`, `permit reassociate`, `focus choice`, `domain scalar`
    Switch {
        keyword: Name,
        value: Name,
    },
    /// Something that could not be read; reported.
    Error,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Def {
    pub name: Name,
    pub binders: Vec<Binder>,
    pub result: Option<Expr>,
    pub body: Expr,
}

/// One group of binders of a definition, rule or rule set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Binder {
    /// `[m n : nat]` or `[m, n : nat]`
    Sizes(Sizes),
    /// `(a : m.f32)`
    Typed { names: Vec<Name>, ty: Expr },
    /// `f`: only in the definitions of sketches.
    Bare(Name),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Each with whether a comma follows.
    pub names: Vec<(Name, bool)>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    pub name: Name,
    pub sizes: Option<Sizes>,
    pub left: Expr,
    pub right: Expr,
    pub conditions: Vec<Condition>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    pub kind: ConditionKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConditionKind {
    /// `x not in e`
    NotIn(Name, Expr),
    /// `k divides n`
    Divides(Expr, Expr),
    /// `n != k`
    Compare(BinOp, Expr, Expr),
    /// `assume n <= k`
    Assume(BinOp, Expr, Expr),
    /// `associative op`, `identity e op`: a word and what it says something about.
    Property(Name, Vec<Expr>),
    /// `vectorizable f as fv [k]`
    Vectorizable {
        keyword: Name,
        function: Expr,
        result: Name,
        lanes: Expr,
    },
    /// `identity op as e`: an operator, and the name of what it determines.
    Determined {
        keyword: Name,
        operator: Expr,
        result: Name,
    },
    /// `c0 > 0 && prove(0 <= x)`: anything else that is true or false; in rules over scalars.
    Holds(Expr),
    Error,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSet {
    pub name: Name,
    pub sizes: Option<Sizes>,
    pub members: Vec<RuleRef>,
}

/// `split-join[32]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleRef {
    pub name: Name,
    pub sizes: Option<Vec<Expr>>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    pub span: Span,
    pub kind: ExprKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// Could not be read; reported.
    Error,
    /// A variable, primitive, definition, scalar type, size or type variable.
    Name(String),
    /// As written: `32`, `0.5f64`, `50_000_000`.
    Number(String),
    /// `_`
    Hole,
    /// `?`
    Any,
    /// `(e)`
    Paren(Box<Expr>),
    /// `(a, b)`: at least two.
    Tuple(Vec<Expr>),
    /// `(+)`
    Section(BinOp),
    /// `f x y`: at least one argument.
    App(Box<Expr>, Vec<Expr>),
    /// `split[32]`, `idx[n]`
    Sizes(Box<Expr>, Vec<Expr>),
    /// `\x (y, z) -> e`
    Lam(Vec<Pat>, Box<Expr>),
    /// `\ s`: a function without a name for its variable; in sketches.
    Under(Box<Expr>),
    /// `let x = a in b`
    Let(Pat, Box<Expr>, Box<Expr>),
    /// `if c then a else b`: the three in their order.
    If(Box<[Expr; 3]>),
    /// `a + b`, `a |> b`, `s -> t`, `s or t`
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `-a`
    Neg(Box<Expr>),
    /// `!a`
    Not(Box<Expr>),
    /// `n.t`
    Array(Box<Expr>, Box<Expr>),
    /// `<n>t`
    Vector(Box<Expr>, Box<Expr>),
    /// `e : t`
    Annot(Box<Expr>, Box<Expr>),
    /// `[n : nat] -> t`
    SizeFun(Sizes, Box<Expr>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pat {
    pub span: Span,
    pub kind: PatKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatKind {
    Error,
    Name(String),
    /// `_`
    Ignore,
    /// `(p, q)`: at least two.
    Tuple(Vec<Pat>),
    /// `(p)`
    Paren(Box<Pat>),
    /// `(p : t)`
    Annot(Box<Pat>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinOp {
    Arrow,
    Or,
    And,
    Pipe,
    Compose,
    OrElse,
    AndAlso,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assoc {
    Left,
    Right,
    None,
}

impl BinOp {
    pub const ALL: [BinOp; 18] = [
        BinOp::Arrow,
        BinOp::Or,
        BinOp::And,
        BinOp::Pipe,
        BinOp::Compose,
        BinOp::OrElse,
        BinOp::AndAlso,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Gt,
        BinOp::Ge,
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Mod,
    ];

    pub fn text(self) -> &'static str {
        match self {
            BinOp::Arrow => "->",
            BinOp::Or => "or",
            BinOp::And => "and",
            BinOp::Pipe => "|>",
            BinOp::Compose => ">>",
            BinOp::OrElse => "||",
            BinOp::AndAlso => "&&",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Mod => "%",
        }
    }

    /// How tightly it binds; `Prec` names the levels between which it stands.
    pub fn level(self) -> u8 {
        match self {
            BinOp::Arrow => prec::ARROW,
            BinOp::Or => prec::OR,
            BinOp::And => prec::AND,
            BinOp::Pipe => prec::PIPE,
            BinOp::Compose => prec::COMPOSE,
            BinOp::OrElse => prec::OR_ELSE,
            BinOp::AndAlso => prec::AND_ALSO,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => prec::COMPARE,
            BinOp::Add | BinOp::Sub => prec::ADD,
            BinOp::Mul | BinOp::Div | BinOp::Mod => prec::MUL,
        }
    }

    pub fn assoc(self) -> Assoc {
        match self {
            BinOp::Arrow => Assoc::Right,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Assoc::None,
            _ => Assoc::Left,
        }
    }

    pub fn is_comparison(self) -> bool {
        self.level() == prec::COMPARE
    }

    /// Operators that are functions of two numbers.
    pub fn is_function(self) -> bool {
        self.level() >= prec::COMPARE
    }

    /// Operators that are functions of two values: `(+)`, `(&&)`.
    pub fn has_section(self) -> bool {
        self.level() >= prec::OR_ELSE
    }
}

/// Levels of binding, loosest first: `fmt` and the parser read the same table.
pub mod prec {
    /// `e : t`, functions, `let`, `if`
    pub const LOWEST: u8 = 0;
    pub const ARROW: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const PIPE: u8 = 4;
    pub const COMPOSE: u8 = 5;
    pub const OR_ELSE: u8 = 6;
    pub const AND_ALSO: u8 = 7;
    pub const COMPARE: u8 = 8;
    pub const ADD: u8 = 9;
    pub const MUL: u8 = 10;
    pub const NEG: u8 = 11;
    pub const APP: u8 = 12;
    /// Arguments: `n.t`, `<n>t`
    pub const DOT: u8 = 13;
    /// `f[n]`, names, numbers, brackets
    pub const ATOM: u8 = 14;
}

impl Expr {
    pub fn new(span: Span, kind: ExprKind) -> Expr {
        Expr { span, kind }
    }

    /// Without enclosing parentheses.
    pub fn bare(&self) -> &Expr {
        let mut e = self;
        while let ExprKind::Paren(inner) = &e.kind {
            e = inner;
        }
        e
    }
}
