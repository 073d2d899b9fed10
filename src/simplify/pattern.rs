//! Rules, compiled: left sides as flat patterns, found by root and by the heads of the operands.
//!
//! A pattern with commutative operators is compiled once for each order of their operands that an ordered term can
//! have, so matching itself neither searches nor goes back.

use super::build::{build, in_lanes, is_constant, is_stuck, literal};
use super::facts::Facts;
use crate::intern::Symbol;
use crate::scalar::{eval, is_open, Expr, Kind, Lanes, Node, Op, Rule, Value, VarClass, MAX_VARS};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::Cell;

/// What pattern variables stand for.
pub(super) type Bindings = [Option<Expr>; MAX_VARS];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    Literal(Expr),
    Constant(u8),
    Term(u8, Kind),
    /// A term that is no constant.
    Open(u8, Kind),
    /// A number of lanes that is this product.
    Count(Expr),
    /// Its operands follow.
    Apply(Op),
}

/// Products that numbers of lanes have to be.
type Counts = SmallVec<[(Lanes, i64); 2]>;

pub(super) struct Pattern {
    /// The rule of the book.
    pub(super) rule: usize,
    parts: Vec<Part>,
    /// Which heads each operand of the root may have.
    heads: [u32; 3],
    slots: Vec<Symbol>,
    /// How many lanes the terms have that the variables stand for; nothing of a constant.
    lanes: Vec<Option<Lanes>>,
    /// About vectors itself; otherwise it applies lane by lane.
    vectors: bool,
    /// Of a rule about vectors, whether it holds where all have more lanes, as many times as many.
    lifted: bool,
}

/// Rules in order of priority, ready to be applied.
pub struct Book {
    pub(super) rules: Vec<Rule>,
    patterns: Vec<Pattern>,
    by_root: FxHashMap<Op, Root>,
}

/// The patterns with one root, in order of priority.
#[derive(Default)]
struct Root {
    all: usize,
    /// By the head of the first operand.
    by_first: [Vec<u32>; HEADS],
}

/// Operators and, behind them, what is none.
const INT: usize = Op::ALL.len();
const BOOL: usize = INT + 1;
const VAR: usize = INT + 2;
const HEADS: usize = INT + 3;

/// The head of an expression, a number below [`HEADS`].
fn head(e: Expr) -> usize {
    match e.node() {
        Node::Apply(op, _) => op as usize,
        Node::Int(_) => INT,
        Node::Bool(_) => BOOL,
        Node::Var(..) => VAR,
    }
}

/// Literals, alone or in lanes.
const CONSTANTS: u32 = 1 << INT | 1 << BOOL | 1 << Op::Broadcast as u32;

impl Book {
    pub fn new(rules: Vec<Rule>) -> Book {
        let mut book = Book {
            rules: Vec::new(),
            patterns: Vec::new(),
            by_root: FxHashMap::default(),
        };
        for rule in rules {
            if matches!(rule.lhs.node(), Node::Apply(..)) {
                rule.readings().for_each(|reading| book.compile(&reading));
                book.rules.push(rule);
            }
        }
        book
    }

    /// Adds the patterns of the rule that comes next.
    fn compile(&mut self, rule: &Rule) {
        let vars = rule.lhs.vars();
        let Node::Apply(root, _) = rule.lhs.node() else {
            return;
        };
        assert!(
            vars.len() <= MAX_VARS,
            "`{}` was not read from a file",
            rule.name
        );
        let slots: Vec<Symbol> = vars.iter().map(|v| v.0).collect();
        let term = |v: Symbol| VarClass::of(v) == VarClass::Term;
        let lanes = vars.iter().map(|(v, s)| term(*v).then_some(s.lanes));
        let lanes: Vec<Option<Lanes>> = lanes.collect();
        let vectors = rule.has_vectors();
        let lifted = vectors && rule.lifted().is_some();
        let mut seen = FxHashSet::default();
        let all = orders(rule.lhs);
        let several = all.len() > 1;
        for lhs in all {
            let mut parts = Vec::new();
            flatten(lhs, &slots, &mut parts);
            let counts = parts.iter().any(|p| matches!(p, Part::Count(_)));
            if several && !counts {
                // The same up to names, with the same outcome.
                let renamed = renumbered(rule, parts.clone(), &slots);
                if !seen.insert(renamed) {
                    continue;
                }
            }
            let mut heads = [u32::MAX; 3];
            for (h, a) in heads.iter_mut().zip(lhs.args()) {
                *h = match lhs.counted() == Some(a) {
                    true => u32::MAX,
                    false => heads_of(a),
                };
            }
            let of_root = self.by_root.entry(root).or_default();
            of_root.all += 1;
            for (first, found) in of_root.by_first.iter_mut().enumerate() {
                if heads[0] & 1 << first != 0 {
                    found.push(self.patterns.len() as u32);
                }
            }
            self.patterns.push(Pattern {
                rule: self.rules.len(),
                parts,
                heads,
                slots: slots.clone(),
                lanes: lanes.clone(),
                vectors,
                lifted,
            });
        }
    }

    /// The rules, in order of priority.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// How many patterns have the root of `e`.
    pub(super) fn of_root(&self, e: Expr) -> usize {
        match e.node() {
            Node::Apply(op, _) => self.by_root.get(&op).map_or(0, |r| r.all),
            _ => 0,
        }
    }

    /// The patterns that `e` may match by its root and the heads of its operands, in order of priority.
    pub(super) fn candidates(&self, e: Expr) -> impl Iterator<Item = &Pattern> {
        let mut found = [1 << HEADS; 3];
        for (h, a) in found.iter_mut().zip(e.args()) {
            *h = 1 << head(a);
        }
        let root = match e.node() {
            Node::Apply(op, args) => self.by_root.get(&op).map(|r| &r.by_first[head(args[0])]),
            _ => None,
        };
        let all = root
            .into_iter()
            .flatten()
            .map(|i| &self.patterns[*i as usize]);
        all.filter(move |p| p.heads[1] & found[1] != 0 && p.heads[2] & found[2] != 0)
    }
}

fn heads_of(pattern: Expr) -> u32 {
    match pattern.node() {
        Node::Apply(op, _) => 1 << op as u32,
        Node::Int(_) | Node::Bool(_) => CONSTANTS,
        Node::Var(v, _) if VarClass::of(v) != VarClass::Term => CONSTANTS,
        Node::Var(..) => u32::MAX,
    }
}

fn flatten(e: Expr, slots: &[Symbol], parts: &mut Vec<Part>) {
    match e.node() {
        Node::Int(_) | Node::Bool(_) => parts.push(Part::Literal(e)),
        Node::Var(v, sort) => {
            let slot = slots.iter().position(|s| *s == v).unwrap_or(0) as u8;
            parts.push(match VarClass::of(v) {
                VarClass::Term if is_open(v) => Part::Open(slot, sort.kind),
                VarClass::Term => Part::Term(slot, sort.kind),
                _ => Part::Constant(slot),
            });
        }
        Node::Apply(op, args) => {
            parts.push(Part::Apply(op));
            let count = e.counted().filter(|c| matches!(c.node(), Node::Apply(..)));
            let operands = args.len() - usize::from(count.is_some());
            args[..operands]
                .iter()
                .for_each(|a| flatten(*a, slots, parts));
            parts.extend(count.map(Part::Count));
        }
    }
}

/// The parts of a left side, with those of the right side and the condition, and variables numbered by first occurrence.
fn renumbered(rule: &Rule, mut parts: Vec<Part>, slots: &[Symbol]) -> Vec<Part> {
    flatten(rule.rhs, slots, &mut parts);
    flatten(rule.condition, slots, &mut parts);
    let mut seen: Vec<u8> = Vec::new();
    for p in &mut parts {
        let (Part::Constant(slot) | Part::Term(slot, _) | Part::Open(slot, _)) = p else {
            continue;
        };
        let known = seen.iter().position(|s| s == slot);
        *slot = known.unwrap_or_else(|| {
            seen.push(*slot);
            seen.len() - 1
        }) as u8;
    }
    parts
}

/// Every order of the operands of commutative operators that an ordered term can have.
fn orders(e: Expr) -> Vec<Expr> {
    let Node::Apply(op, args) = e.node() else {
        return vec![e];
    };
    let mut all: Vec<Vec<Expr>> = vec![Vec::new()];
    for a in args.iter() {
        let variants = match e.counted() == Some(*a) {
            true => vec![*a],
            false => orders(*a),
        };
        all = all
            .iter()
            .flat_map(|done| {
                variants.iter().map(move |v| {
                    let mut next = done.clone();
                    next.push(*v);
                    next
                })
            })
            .collect();
    }
    let mut out = Vec::new();
    for args in all {
        if op.commutes() {
            for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                if may_precede(a, b) {
                    out.push(Expr::of(op, &[a, b]));
                }
            }
            out.dedup();
        } else {
            out.push(Expr::of(op, &args));
        }
    }
    out
}

/// Whether an instance of `a` can stand before one of `b` in an ordered term.
fn may_precede(a: Expr, b: Expr) -> bool {
    let rank = |e: Expr| match e.node() {
        Node::Int(_) | Node::Bool(_) => Some((2, 0)),
        Node::Var(v, _) if VarClass::of(v) != VarClass::Term => Some((2, 0)),
        Node::Var(..) => None,
        // Lanes of a constant count as one.
        Node::Apply(Op::Broadcast, _) => None,
        Node::Apply(op, _) => Some((0, op as u32)),
    };
    match (rank(a), rank(b)) {
        (Some(a), Some(b)) => a <= b,
        // Only a constant can stand behind one.
        (Some((2, _)), None) => false,
        _ => true,
    }
}

impl Pattern {
    /// What the variables stand for if `e` is an instance of the left side.
    pub(super) fn matches(&self, e: Expr) -> Option<Bindings> {
        let mut bindings = [None; MAX_VARS];
        let mut at = 0;
        let lanes = !self.vectors && e.sort().lanes != Lanes::One;
        let mut counts = Counts::new();
        let found = self.part(&mut at, e, lanes, &mut bindings, &mut counts)
            && (!self.vectors || self.count(&mut bindings, counts) && self.fits(&bindings));
        found.then_some(bindings)
    }

    /// Whether numbers of lanes are the products that they should be; the only unknown factor of one becomes known.
    fn count(&self, bindings: &mut Bindings, mut counts: Counts) -> bool {
        while !counts.is_empty() {
            let before = counts.len();
            let mut fit = true;
            counts.retain(|(lanes, n)| {
                let unknown = Cell::new(None);
                let value = lanes.value(&|v| {
                    let slot = self.slots.iter().position(|s| *s == v)?;
                    let known = bindings[slot].and_then(Expr::as_int);
                    if known.is_none() && unknown.replace(Some(slot)).is_none() {
                        return Some(1);
                    }
                    known.map(i128::from)
                });
                let Some(value) = value.map(|v| v as i64) else {
                    return true;
                };
                match unknown.get() {
                    None => fit &= value == *n,
                    Some(slot) => {
                        fit &= *n % value == 0;
                        bindings[slot] = Some(Expr::int(*n / value));
                    }
                }
                false
            });
            if !fit || counts.len() == before {
                return false;
            }
        }
        true
    }

    /// Whether what the variables of a rule about vectors stand for has as many lanes as there, or all as many times as many, if the
    /// rule is lifted. As operators ask for as many lanes, that follows but where the right side says it.
    fn fits(&self, bindings: &Bindings) -> bool {
        let mut times = None;
        for (slot, says) in self.lanes.iter().enumerate() {
            let (Some(says), Some(e)) = (says, bindings[slot]) else {
                continue;
            };
            let value = |v: Symbol| {
                let slot = self.slots.iter().position(|s| *s == v)?;
                bindings[slot]?.as_int().map(i128::from)
            };
            let (Some(says), Some(has)) = (says.value(&value), e.sort().lanes.value(&|_| None))
            else {
                return false;
            };
            let fits = has % says == 0 && *times.get_or_insert(has / says) == has / says;
            if !fits {
                return false;
            }
        }
        times.is_none_or(|t| t == 1 || self.lifted)
    }

    fn part(
        &self,
        at: &mut usize,
        e: Expr,
        lanes: bool,
        bindings: &mut Bindings,
        counts: &mut Counts,
    ) -> bool {
        let part = self.parts[*at];
        *at += 1;
        match part {
            Part::Literal(l) => constant(e, lanes) == Some(l),
            Part::Constant(slot) => match constant(e, lanes) {
                Some(c) if c.as_int().is_some() => bind(bindings, slot, c),
                _ => false,
            },
            Part::Term(slot, kind) => e.sort().kind == kind && bind(bindings, slot, e),
            Part::Open(slot, kind) => {
                e.sort().kind == kind && !is_constant(e) && bind(bindings, slot, e)
            }
            Part::Count(product) => match (Lanes::of(product), e.as_int()) {
                (Some(product), Some(n)) => {
                    counts.push((product, n));
                    true
                }
                _ => false,
            },
            Part::Apply(op) => match e.node() {
                Node::Apply(found, args) if found == op && !is_stuck(e) => {
                    let mut operands = args.iter();
                    operands.all(|a| self.part(at, *a, lanes, bindings, counts))
                }
                _ => false,
            },
        }
    }

    /// Whether the condition holds; the facts answer what is asked of terms.
    pub(super) fn holds(
        &self,
        condition: Expr,
        bindings: &Bindings,
        lanes: Lanes,
        facts: &Facts,
    ) -> bool {
        let bound = |v: Symbol| bindings[self.slots.iter().position(|s| *s == v)?];
        match condition.node() {
            Node::Bool(b) => b,
            Node::Apply(Op::Prove, args) => {
                facts.may_hold(args[0], &bound) && {
                    let goal = self.build(args[0], bindings, lanes);
                    goal.is_some_and(|goal| facts.decide(goal) == Some(true))
                }
            }
            Node::Apply(op @ (Op::And | Op::Or), args) => {
                let first = self.holds(args[0], bindings, lanes, facts);
                match op {
                    Op::And if !first => false,
                    Op::Or if first => true,
                    _ => self.holds(args[1], bindings, lanes, facts),
                }
            }
            _ => {
                let value = |v: Symbol| bound(v)?.as_int().map(|n| Value::Int(n.into()));
                eval(condition, &value) == Ok(Value::Bool(true))
            }
        }
    }

    /// An instance of a side or of a goal; `None` if arithmetic on its constants leaves them.
    pub(super) fn build(&self, e: Expr, bindings: &Bindings, lanes: Lanes) -> Option<Expr> {
        let spread = !self.vectors && lanes != Lanes::One;
        let built = self.instance(e, bindings, spread.then_some(lanes))?;
        Some(match (spread, is_scalar(built)) {
            (true, true) => in_lanes(built, lanes),
            _ => built,
        })
    }

    /// Constants are single values until an operator takes them together with lanes.
    fn instance(&self, e: Expr, bindings: &Bindings, spread: Option<Lanes>) -> Option<Expr> {
        match e.node() {
            Node::Int(_) | Node::Bool(_) => Some(e),
            Node::Var(v, _) => bindings[self.slots.iter().position(|s| *s == v)?],
            Node::Apply(op, args) => {
                let mut parts = [e; 3];
                for (p, a) in parts.iter_mut().zip(args.iter()) {
                    *p = self.instance(*a, bindings, spread)?;
                }
                let parts = &mut parts[..args.len()];
                let constants = parts.iter().all(|p| is_constant(*p));
                let single = parts.iter().all(|p| is_scalar(*p));
                if let (Some(lanes), false) = (spread, constants && single) {
                    for p in parts.iter_mut().filter(|p| is_scalar(**p)) {
                        *p = in_lanes(*p, lanes);
                    }
                }
                let vector = matches!(op, Op::Broadcast | Op::Ramp);
                if vector {
                    Expr::apply(op, parts)?;
                }
                let built = build(op, parts);
                // Arithmetic on constants that could not be folded left the constants.
                (vector || !constants || is_constant(built)).then_some(built)
            }
        }
    }
}

fn is_scalar(e: Expr) -> bool {
    e.sort().lanes == Lanes::One
}

/// The literal that `e` is; with `lanes`, that it is in each lane.
fn constant(e: Expr, lanes: bool) -> Option<Expr> {
    literal(e).filter(|l| lanes != (*l == e))
}

fn bind(bindings: &mut Bindings, slot: u8, e: Expr) -> bool {
    match &mut bindings[slot as usize] {
        Some(found) => *found == e,
        free => {
            *free = Some(e);
            true
        }
    }
}
