//! Numbers of a rule made constants that it holds of.
//!
//! In: two sides whose constants are numbers. Out: the sides with names `c0`, `c1` … for numbers of the left side, and with
//! what is computed from them for those of the right side, the most general first. Absent: under which condition they are equal.

use super::left::rebuilt;
use crate::intern::Symbol;
use crate::scalar::{Expr, Node, Op, Sort};
use std::collections::{BTreeMap, BTreeSet};

/// Two sides with constants, and the numbers that these were.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct General {
    pub(super) left: Expr,
    pub(super) right: Expr,
    /// What may be asked of the variables.
    pub(super) facts: Vec<Expr>,
    pub(super) at: BTreeMap<Symbol, i64>,
}

/// Choices for the numbers of a right side, all together.
const MOST: usize = 96;

/// Which numbers of a left side become constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mode {
    /// Each by itself, though it be equal to another.
    apart: bool,
    /// 0, 1 and -1, too.
    units: bool,
}

impl Mode {
    /// The most general first.
    pub(super) const ALL: [Mode; 4] = [
        Mode {
            apart: true,
            units: true,
        },
        Mode {
            apart: false,
            units: true,
        },
        Mode {
            apart: true,
            units: false,
        },
        Mode {
            apart: false,
            units: false,
        },
    ];
}

/// The ways to write both sides with constants, those with little to compute first.
pub(super) fn general(left: Expr, right: Expr, facts: &[Expr], mode: Mode) -> Vec<General> {
    let mut named = Named::new(mode);
    named.taken = left.vars().into_iter().map(|v| v.0).collect();
    let left = named.left(left);
    let choices = named.right(right);
    let facts: Vec<Expr> = facts.iter().filter_map(|f| named.fact(*f)).collect();
    let mut all: Vec<General> = Vec::new();
    for right in choices {
        all.push(General {
            left,
            right,
            facts: facts.clone(),
            at: named.at.clone(),
        });
    }
    all
}

/// The ways to write a right side with constants that have names already.
pub(super) fn written(at: &BTreeMap<Symbol, i64>, right: Expr) -> Vec<Expr> {
    let mut named = Named::new(Mode::ALL[0]);
    named.at = at.clone();
    named.right(right)
}

struct Named {
    mode: Mode,
    /// Names that the left side has already.
    taken: BTreeSet<Symbol>,
    at: BTreeMap<Symbol, i64>,
    computed: BTreeMap<i64, Vec<Expr>>,
}

impl Named {
    fn new(mode: Mode) -> Named {
        Named {
            mode,
            taken: BTreeSet::new(),
            at: BTreeMap::new(),
            computed: BTreeMap::new(),
        }
    }

    fn left(&mut self, e: Expr) -> Expr {
        match e.node() {
            Node::Int(n) if self.mode.units || n.unsigned_abs() > 1 => {
                let known = self.at.iter().find(|(_, m)| **m == n).map(|k| *k.0);
                let name = known.filter(|_| !self.mode.apart).unwrap_or_else(|| {
                    let mut names = (0..).map(|i| Symbol::new(&format!("c{i}")));
                    let free = |c: &Symbol| !self.at.contains_key(c) && !self.taken.contains(c);
                    let name = names.find(free).unwrap_or(Symbol::new("c"));
                    self.at.insert(name, n);
                    name
                });
                Expr::var(name, Sort::INT)
            }
            Node::Apply(op, args) => {
                let parts: Vec<Expr> = args.iter().map(|a| self.left(*a)).collect();
                Expr::of(op, &parts)
            }
            _ => e,
        }
    }

    /// A fact, about the first constant that is the number in it.
    fn fact(&self, e: Expr) -> Option<Expr> {
        match e.node() {
            Node::Int(n) => {
                let known = self.at.iter().find(|(_, m)| **m == n);
                let unit = n.unsigned_abs() <= 1;
                match known {
                    Some((name, _)) if !unit => Some(Expr::var(*name, Sort::INT)),
                    _ => Some(e),
                }
            }
            Node::Apply(op, args) => {
                let parts: Option<Vec<Expr>> = args.iter().map(|a| self.fact(*a)).collect();
                Expr::apply(op, &parts?)
            }
            _ => Some(e),
        }
    }

    /// All choices for the numbers of a right side.
    fn right(&mut self, e: Expr) -> Vec<Expr> {
        match e.node() {
            Node::Int(n) => self.computing(n),
            Node::Apply(op, args) => {
                let mut all: Vec<Vec<Expr>> = vec![Vec::new()];
                for a in args.iter() {
                    let choices = self.right(*a);
                    let mut next = Vec::new();
                    for done in &all {
                        for c in &choices {
                            let mut parts = done.clone();
                            parts.push(*c);
                            next.push(parts);
                        }
                    }
                    next.truncate(MOST);
                    all = next;
                }
                all.iter().map(|parts| Expr::of(op, parts)).collect()
            }
            _ => vec![e],
        }
    }

    /// What is computed from the constants and is a number there, the simplest first.
    fn computing(&mut self, n: i64) -> Vec<Expr> {
        if let Some(known) = self.computed.get(&n) {
            return known.clone();
        }
        let names: Vec<Expr> = self.at.keys().map(|c| Expr::var(*c, Sort::INT)).collect();
        let (zero, one) = (Expr::int(0), Expr::int(1));
        let of = |op: Op, a: Expr, b: Expr| Expr::of(op, &[a, b]);
        let mut all = Vec::new();
        let literal = Expr::checked_int(n.into());
        if n.unsigned_abs() <= 1 {
            all.extend(literal);
        }
        all.extend(&names);
        let ops = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Div,
            Op::Mod,
            Op::Min,
            Op::Max,
        ];
        for op in ops {
            for (i, a) in names.iter().enumerate() {
                for (j, b) in names.iter().enumerate() {
                    if i != j && (!op.commutes() || i < j) {
                        all.push(of(op, *a, *b));
                    }
                }
            }
        }
        for c in &names {
            all.push(of(Op::Sub, zero, *c));
            all.push(of(Op::Add, *c, one));
            all.push(of(Op::Sub, *c, one));
            all.push(of(Op::Min, *c, zero));
            all.push(of(Op::Max, *c, zero));
        }
        for (i, a) in names.iter().enumerate() {
            for (j, b) in names.iter().enumerate().filter(|(j, _)| i != *j) {
                all.push(of(Op::Div, of(Op::Sub, of(Op::Add, *a, *b), one), *b));
                for (k, d) in names.iter().enumerate() {
                    if k != i && k != j {
                        all.push(of(Op::Sub, of(Op::Add, *a, *b), *d));
                        all.push(of(Op::Add, of(Op::Mul, *a, *b), *d));
                    }
                }
            }
        }
        if n.unsigned_abs() > 1 {
            all.extend(literal);
        }
        let number = |v: Symbol| self.at.get(&v).and_then(|n| Expr::checked_int((*n).into()));
        all.retain(|e| rebuilt(e.replace(&number)).as_int() == Some(n));
        all.dedup();
        all.truncate(12);
        self.computed.insert(n, all.clone());
        all
    }
}
