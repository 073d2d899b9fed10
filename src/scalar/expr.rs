//! Expressions, their operators and sorts.

use super::lanes::Lanes;
use crate::intern::{NotSend, Symbol};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::marker::PhantomData;

/// Constants are in `-MAX_INT..=MAX_INT`.
pub const MAX_INT: i64 = i64::MAX;

/// The most variables that a rule may have.
pub const MAX_VARS: usize = 16;

/// The most operators that commute in the left side of a rule: it is matched in every order of their operands.
pub const MAX_COMMUTING: usize = 12;

/// A well-sorted expression; equal ids ⇔ equal expressions. Ids are of their thread.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(u32, NotSend);

/// What an [`Expr`] is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Int(i64),
    Bool(bool),
    /// A variable; in a rule, a pattern variable.
    Var(Symbol, Sort),
    Apply(Op, Args),
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    Int,
    Bool,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sort {
    pub kind: Kind,
    pub lanes: Lanes,
}

impl Sort {
    pub const INT: Sort = Sort::one(Kind::Int);
    pub const BOOL: Sort = Sort::one(Kind::Bool);

    pub const fn one(kind: Kind) -> Sort {
        Sort {
            kind,
            lanes: Lanes::One,
        }
    }
}

impl Lanes {
    /// What an operand says: a number, a name, a product of such.
    pub fn of(e: Expr) -> Option<Lanes> {
        match e.node() {
            Node::Int(n) => Lanes::fixed(n),
            Node::Var(name, Sort::INT) => Some(Lanes::named(name)),
            Node::Apply(Op::Mul, args) => Lanes::of(args[0])?.times(Lanes::of(args[1])?),
            _ => None,
        }
    }

    /// The operand that says so.
    pub fn expr(self) -> Expr {
        let names = self.names().into_iter().map(|n| Expr::var(n, Sort::INT));
        let number = (self.factor() > 1).then(|| Expr::int(self.factor().into()));
        let product = names
            .chain(number)
            .reduce(|a, b| Expr::of(Op::Mul, &[a, b]));
        product.unwrap_or_else(|| Expr::int(1))
    }
}

/// Operators and functions. All but `Broadcast` and `Ramp` work lane by lane on operands of as many lanes; those two make more lanes, also of
/// vectors.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    /// Euclidean: `x = y*(x/y) + x%y`, `0 <= x%y < |y|`; `x/0 = 0`.
    Div,
    /// Euclidean; `x%0 = 0`.
    Mod,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Not,
    /// `select(b, x, y)`: x where b holds, else y.
    Select,
    /// `broadcast(x, l)`: l times the lanes of x, one after the other.
    Broadcast,
    /// `ramp(x, s, l)`: the lanes of x, of x + s, … of x + (l-1)*s, one after the other.
    Ramp,
    /// `prove(p)`: p, known for certain; only in the conditions of rules.
    Prove,
}

impl Op {
    pub const ALL: [Op; 20] = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::Mod,
        Op::Min,
        Op::Max,
        Op::Eq,
        Op::Ne,
        Op::Lt,
        Op::Le,
        Op::Gt,
        Op::Ge,
        Op::And,
        Op::Or,
        Op::Not,
        Op::Select,
        Op::Broadcast,
        Op::Ramp,
        Op::Prove,
    ];

    /// Whether the order of its operands means nothing.
    pub fn commutes(self) -> bool {
        use Op::*;
        matches!(self, Add | Mul | Min | Max | Eq | Ne | And | Or)
    }

    /// The operator or the name of the function.
    pub fn text(self) -> &'static str {
        match self {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Mod => "%",
            Op::Min => "min",
            Op::Max => "max",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::And => "&&",
            Op::Or => "||",
            Op::Not => "!",
            Op::Select => "select",
            Op::Broadcast => "broadcast",
            Op::Ramp => "ramp",
            Op::Prove => "prove",
        }
    }

    /// The number of operands, the number of lanes of a vector included.
    pub fn arity(self) -> usize {
        match self {
            Op::Not | Op::Prove => 1,
            Op::Select | Op::Ramp => 3,
            _ => 2,
        }
    }

    /// The sort of the result for operands of these; `None` if they do not fit.
    fn sort(self, args: &[Expr]) -> Option<Sort> {
        use Op::*;
        if args.len() != self.arity() {
            return None;
        }
        let first = args[0].sort();
        let alike = |n: usize| args[..n].iter().all(|a| a.sort() == first);
        match self {
            Add | Sub | Mul | Div | Mod | Min | Max => {
                (alike(2) && first.kind == Kind::Int).then_some(first)
            }
            Eq | Ne | Lt | Le | Gt | Ge => (alike(2) && first.kind == Kind::Int).then_some(Sort {
                kind: Kind::Bool,
                ..first
            }),
            And | Or => (alike(2) && first.kind == Kind::Bool).then_some(first),
            Not => (first.kind == Kind::Bool).then_some(first),
            Prove => (first == Sort::BOOL).then_some(first),
            Select => {
                let (a, b) = (args[1].sort(), args[2].sort());
                (first.kind == Kind::Bool && a == b && a.lanes == first.lanes).then_some(a)
            }
            Broadcast => {
                let lanes = first.lanes.times(Lanes::of(args[1])?)?;
                Some(Sort { lanes, ..first })
            }
            Ramp => {
                let lanes = first.lanes.times(Lanes::of(args[2])?)?;
                (alike(2) && first.kind == Kind::Int).then_some(Sort { lanes, ..first })
            }
        }
    }
}

/// One to three operands.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Args {
    len: u8,
    /// Those beyond the length repeat the first.
    items: [Expr; 3],
}

impl std::ops::Deref for Args {
    type Target = [Expr];
    fn deref(&self) -> &[Expr] {
        &self.items[..self.len as usize]
    }
}

impl std::fmt::Debug for Args {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Nodes are small, and made and read more often than anything else here: a map and a list serve best.
#[derive(Default)]
struct Exprs {
    ids: FxHashMap<Node, u32>,
    nodes: Vec<(Node, Sort, u32)>,
}

thread_local! {
    static EXPRS: RefCell<Exprs> = RefCell::default();
}

impl Expr {
    fn intern(node: Node, sort: Sort) -> Expr {
        EXPRS.with_borrow_mut(|t| {
            let size = match node {
                Node::Apply(_, args) => {
                    let parts = args.iter().map(|a| t.nodes[a.0 as usize].2);
                    parts.fold(1, u32::saturating_add)
                }
                _ => 1,
            };
            let next = t.nodes.len() as u32;
            let id = *t.ids.entry(node).or_insert(next);
            if id == next {
                t.nodes.push((node, sort, size));
            }
            Expr(id, PhantomData)
        })
    }

    /// The constant `n`; `None` for the least number of 64 bits, which is none.
    pub fn checked_int(n: i128) -> Option<Expr> {
        (n.unsigned_abs() <= MAX_INT as u128).then(|| Expr::intern(Node::Int(n as i64), Sort::INT))
    }

    /// The constant `n`, which is not `i64::MIN`.
    pub fn int(n: i64) -> Expr {
        Expr::checked_int(n.into()).expect("a constant of the symmetric range")
    }

    pub fn bool(b: bool) -> Expr {
        Expr::intern(Node::Bool(b), Sort::BOOL)
    }

    pub fn var(name: Symbol, sort: Sort) -> Expr {
        Expr::intern(Node::Var(name, sort), sort)
    }

    /// The expression as it stands, nothing folded; `None` if the sorts of the operands do not fit.
    pub fn apply(op: Op, args: &[Expr]) -> Option<Expr> {
        let sort = op.sort(args)?;
        let mut items = [args[0]; 3];
        items[..args.len()].copy_from_slice(args);
        let len = args.len() as u8;
        let args = Args { len, items };
        Some(Expr::intern(Node::Apply(op, args), sort))
    }

    /// As [`Expr::apply`], where the sorts are known to fit.
    pub fn of(op: Op, args: &[Expr]) -> Expr {
        Expr::apply(op, args).unwrap_or_else(|| panic!("`{}` does not take {args:?}", op.text()))
    }

    pub fn node(self) -> Node {
        EXPRS.with_borrow(|t| t.nodes[self.0 as usize].0)
    }

    pub fn sort(self) -> Sort {
        EXPRS.with_borrow(|t| t.nodes[self.0 as usize].1)
    }

    /// The number of operations and leaves, each as often as it stands there; what is larger than 32 bits counts as that.
    pub fn size(self) -> u32 {
        EXPRS.with_borrow(|t| t.nodes[self.0 as usize].2)
    }

    /// A dense id, unique in this thread; for tables only.
    pub fn id(self) -> u32 {
        self.0
    }

    /// The operands; none of a leaf.
    pub fn args(self) -> impl Iterator<Item = Expr> {
        let args = match self.node() {
            Node::Apply(_, args) => Some(args),
            _ => None,
        };
        (0..args.map_or(0, |a| a.len())).map(move |i| args.expect("as many as counted")[i])
    }

    pub fn as_int(self) -> Option<i64> {
        match self.node() {
            Node::Int(n) => Some(n),
            _ => None,
        }
    }

    pub fn as_bool(self) -> Option<bool> {
        match self.node() {
            Node::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The operand that says how many lanes there are; only of `broadcast` and `ramp`.
    pub fn counted(self) -> Option<Expr> {
        match self.node() {
            Node::Apply(Op::Broadcast | Op::Ramp, args) => args.last().copied(),
            _ => None,
        }
    }

    /// Calls `f` on every sub-expression, operands first, each as often as it stands there.
    pub fn visit(self, f: &mut impl FnMut(Expr)) {
        for a in self.args() {
            a.visit(f);
        }
        f(self);
    }

    /// The same without numbers of lanes, which have no value of their own.
    pub fn visit_values(self, f: &mut impl FnMut(Expr)) {
        let values = self.args().count() - usize::from(self.counted().is_some());
        for a in self.args().take(values) {
            a.visit_values(f);
        }
        f(self);
    }

    /// The expression with others of the same sorts in place of variables.
    pub fn replace(self, by: &dyn Fn(Symbol) -> Option<Expr>) -> Expr {
        self.try_replace(by).expect("what is replaced has its sort")
    }

    /// The expression with others in place of variables; `None` if their sorts do not fit.
    pub fn try_replace(self, by: &dyn Fn(Symbol) -> Option<Expr>) -> Option<Expr> {
        match self.node() {
            Node::Var(v, _) => Some(by(v).unwrap_or(self)),
            Node::Apply(op, args) => {
                let mut parts = [self; 3];
                for (p, a) in parts.iter_mut().zip(args.iter()) {
                    *p = a.try_replace(by)?;
                }
                Expr::apply(op, &parts[..args.len()])
            }
            _ => Some(self),
        }
    }

    /// What all has to hold for it to hold, `&&` taken apart.
    pub fn conjuncts(self) -> Vec<Expr> {
        match self.node() {
            Node::Apply(Op::And, args) => args.iter().flat_map(|a| a.conjuncts()).collect(),
            _ => vec![self],
        }
    }

    /// The variables, each once, in order of first occurrence.
    pub fn vars(self) -> Vec<(Symbol, Sort)> {
        let mut found = Vec::new();
        self.visit(&mut |e| {
            if let Node::Var(name, sort) = e.node() {
                if !found.contains(&(name, sort)) {
                    found.push((name, sort));
                }
            }
        });
        found
    }
}
