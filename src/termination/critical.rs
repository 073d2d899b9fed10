//! Critical pairs: where two rules rewrite one expression in two ways, whether both come to the same in the end.
//!
//! In: rules. Out: every overlap of a left side with another one, or with a part of it that is no variable; for constants that satisfy
//! both conditions the expression, and what simplification by the rules makes of both its results. Where all pairs of rules that end
//! come to the same, the rules are confluent (Newman). Constants are a few numbers of all that there may be: that a pair comes
//! apart is a fact, that it does not was seen at these numbers. Rules about vectors are left out. Absent: new rules.

use crate::intern::Symbol;
use crate::scalar::random::Dice;
use crate::scalar::{eval, is_open, Expr, Node, Op, Rule, Sort, Value, VarClass};
use crate::simplify::{build, is_constant, Book, Simplifier};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Choices of constants for one overlap, and draws for them.
const CHOICES: usize = 2;
const DRAWS: usize = 60;
const NUMBERS: [i64; 11] = [2, 4, 3, 8, 1, 0, -1, 6, -2, 12, 32];
/// Ways in which a pattern overlaps with another one.
const MOST_WAYS: usize = 4;

/// An expression that two rules rewrite in two ways.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The rule of the whole, and that of a part.
    pub outer: Symbol,
    pub inner: Symbol,
    pub peak: Expr,
    /// What is assumed of terms there.
    pub facts: Vec<Expr>,
    /// What becomes of it by way of the first rule, and of the second.
    pub results: [Expr; 2],
}

/// What was found of the rules of one file.
#[derive(Clone, Debug, Default)]
pub struct Confluence {
    /// Rules that were looked at.
    pub rules: usize,
    /// Overlaps with constants in them.
    pub pairs: usize,
    /// Those that do not come to the same.
    pub open: Vec<Pair>,
    /// Rules of which, by themselves, all pairs come to the same.
    pub confluent: Vec<Symbol>,
}

/// Rules of single values.
fn plain(rules: &[Rule]) -> Vec<Rule> {
    let single = rules.iter().filter(|r| !r.has_vectors());
    single.flat_map(|r| r.readings().take(1)).collect()
}

/// How many critical pairs the rules have, and those that come apart.
pub fn critical_pairs(rules: &[Rule], tell: &mut dyn FnMut(&str)) -> (usize, Vec<Pair>) {
    let plain = plain(rules);
    let peaks = peaks(&plain, tell);
    (peaks.len(), apart(&peaks, &plain))
}

/// All critical pairs of the rules, and the rules that are confluent by themselves.
pub fn confluence(rules: &[Rule], tell: &mut dyn FnMut(&str)) -> Confluence {
    let plain = plain(rules);
    let peaks = peaks(&plain, tell);
    tell(&format!("{} overlaps", peaks.len()));
    let open = apart(&peaks, &plain);
    let mut left = plain.clone();
    let mut now = open.clone();
    // Fewer rules join less, so what is left is looked at again.
    while !now.is_empty() {
        left = without_worst(left, &now);
        tell(&format!("{} rules are left", left.len()));
        let names: BTreeSet<Symbol> = left.iter().map(|r| r.name).collect();
        let of_left = |p: &&Peak| names.contains(&p.outer) && names.contains(&p.inner);
        let peaks: Vec<Peak> = peaks.iter().filter(of_left).cloned().collect();
        now = apart(&peaks, &left);
    }
    Confluence {
        rules: plain.len(),
        pairs: peaks.len(),
        open,
        confluent: left.iter().map(|r| r.name).collect(),
    }
}

/// Without rules, those of most open pairs first, until of no pair both are there.
fn without_worst(mut rules: Vec<Rule>, open: &[Pair]) -> Vec<Rule> {
    let mut open: Vec<(Symbol, Symbol)> = open.iter().map(|p| (p.outer, p.inner)).collect();
    open.sort();
    open.dedup();
    while !open.is_empty() {
        let mut of: BTreeMap<Symbol, usize> = BTreeMap::new();
        for (a, b) in &open {
            *of.entry(*a).or_default() += 1;
            *of.entry(*b).or_default() += usize::from(a != b);
        }
        let most = of.values().copied().max().unwrap_or(0);
        // Of as many, the one that comes last.
        let worst = rules.iter().rposition(|r| of.get(&r.name) == Some(&most));
        let Some(worst) = worst.map(|at| rules.remove(at).name) else {
            break;
        };
        open.retain(|(a, b)| *a != worst && *b != worst);
    }
    rules
}

/// An expression to which two rules apply, and what each makes of it.
#[derive(Clone)]
struct Peak {
    outer: Symbol,
    inner: Symbol,
    peak: Expr,
    facts: Vec<Expr>,
    results: [Expr; 2],
}

fn apart(peaks: &[Peak], rules: &[Rule]) -> Vec<Pair> {
    let book = Rc::new(Book::new(rules.to_vec()));
    let mut plain = Simplifier::new(book.clone());
    let mut open = Vec::new();
    for p in peaks {
        let results = if p.facts.is_empty() {
            p.results.map(|e| plain.simplify(e))
        } else {
            let mut simplifier = Simplifier::new(book.clone());
            p.facts.iter().for_each(|f| simplifier.assume(*f));
            p.results.map(|e| simplifier.simplify(e))
        };
        if results[0] != results[1] {
            open.push(Pair {
                outer: p.outer,
                inner: p.inner,
                peak: p.peak,
                facts: p.facts.clone(),
                results,
            });
        }
    }
    open
}

fn peaks(rules: &[Rule], tell: &mut dyn FnMut(&str)) -> Vec<Peak> {
    let apart: Vec<Rule> = rules.iter().map(renamed).collect();
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (i, outer) in rules.iter().enumerate() {
        tell(&format!(
            "{} of {} rules: {} overlaps",
            i + 1,
            rules.len(),
            found.len()
        ));
        let mut places = Vec::new();
        places_of(outer.lhs, &mut Vec::new(), &mut places);
        for (place, part) in &places {
            for (j, inner) in apart.iter().enumerate() {
                let same_root = root(*part) == root(inner.lhs) && part.sort() == inner.lhs.sort();
                // Two whole left sides overlap once, and one not with itself.
                if !same_root || place.is_empty() && j <= i {
                    continue;
                }
                for by in unified(*part, inner.lhs) {
                    let replaced = put(outer.lhs, place, inner.rhs);
                    instances(outer, inner, replaced, &by, &mut seen, &mut found);
                }
            }
        }
    }
    found
}

/// Adds peaks with a few constants that satisfy both conditions.
fn instances(
    outer: &Rule,
    inner: &Rule,
    replaced: Expr,
    by: &Substitution,
    seen: &mut BTreeSet<(Expr, Symbol, Symbol)>,
    found: &mut Vec<Peak>,
) {
    let to = |e: Expr| applied(e, by);
    let (peak, first, second) = (to(outer.lhs), to(outer.rhs), to(replaced));
    let conditions = [to(outer.condition), to(inner.condition)];
    let (facts, asked): (Vec<Expr>, Vec<Expr>) = (conditions.iter())
        .flat_map(|c| c.conjuncts())
        .filter(|c| c.as_bool() != Some(true))
        .partition(|c| matches!(c.node(), Node::Apply(Op::Prove, _)));
    let constants: BTreeSet<Symbol> = (peak.vars().into_iter())
        .filter(|v| VarClass::of(v.0) == VarClass::Constant)
        .map(|v| v.0)
        .collect();
    let mut dice = Dice(7);
    let mut given = 0;
    for draw in 0..DRAWS {
        let last = constants.is_empty() && draw > 0;
        if given == CHOICES || last {
            return;
        }
        let numbers: BTreeMap<Symbol, i64> = (constants.iter())
            .map(|c| (*c, NUMBERS[dice.below(NUMBERS.len() as u64) as usize]))
            .collect();
        let value = |v: Symbol| numbers.get(&v).map(|n| Value::Int((*n).into()));
        let holds = |c: &Expr| eval(*c, &value) == Ok(Value::Bool(true));
        if !asked.iter().all(holds) {
            continue;
        }
        let here = |e: Expr| rebuilt(e.replace(&|v| numbers.get(&v).map(|n| Expr::int(*n))));
        let peak = here(peak);
        given += 1;
        if seen.insert((peak, outer.name, inner.name)) {
            found.push(Peak {
                outer: outer.name,
                inner: inner.name,
                peak,
                facts: facts.iter().flat_map(|f| f.args()).map(here).collect(),
                results: [here(first), here(second)],
            });
        }
    }
}

fn rebuilt(e: Expr) -> Expr {
    match e.node() {
        Node::Apply(op, args) => {
            let parts: Vec<Expr> = args.iter().map(|a| rebuilt(*a)).collect();
            build(op, &parts)
        }
        _ => e,
    }
}

fn root(e: Expr) -> Option<Op> {
    match e.node() {
        Node::Apply(op, _) => Some(op),
        _ => None,
    }
}

/// The parts that are operations, each with the way to it.
fn places_of(e: Expr, way: &mut Vec<usize>, found: &mut Vec<(Vec<usize>, Expr)>) {
    let Node::Apply(_, args) = e.node() else {
        return;
    };
    found.push((way.clone(), e));
    for (i, a) in args.iter().enumerate() {
        way.push(i);
        places_of(*a, way, found);
        way.pop();
    }
}

fn put(e: Expr, way: &[usize], part: Expr) -> Expr {
    match (e.node(), way) {
        (Node::Apply(op, args), [first, rest @ ..]) => {
            let mut parts = args.to_vec();
            parts[*first] = put(parts[*first], rest, part);
            Expr::of(op, &parts)
        }
        _ => part,
    }
}

/// With other names for all variables.
fn renamed(rule: &Rule) -> Rule {
    let to = |e: Expr| {
        let names: BTreeMap<Symbol, Expr> = (e.vars().into_iter())
            .map(|(v, sort)| (v, Expr::var(other(v), sort)))
            .collect();
        e.replace(&|v| names.get(&v).copied())
    };
    Rule {
        lhs: to(rule.lhs),
        rhs: to(rule.rhs),
        condition: to(rule.condition),
        ..rule.clone()
    }
}

fn other(v: Symbol) -> Symbol {
    let open = is_open(v);
    Symbol::new(&match VarClass::of(v) {
        VarClass::Term if !open => format!("{v}_"),
        _ => format!("{v}00"),
    })
}

type Substitution = BTreeMap<Symbol, Expr>;

/// What makes two patterns the same, operands of operators that commute in either order.
fn unified(a: Expr, b: Expr) -> Vec<Substitution> {
    let mut found = Vec::new();
    unify(vec![(a, b)], &Substitution::new(), &mut found);
    found
}

fn unify(mut pairs: Vec<(Expr, Expr)>, by: &Substitution, found: &mut Vec<Substitution>) {
    if found.len() >= MOST_WAYS {
        return;
    }
    let Some((a, b)) = pairs.pop() else {
        found.push(by.clone());
        return;
    };
    let (a, b) = (applied(a, by), applied(b, by));
    if a == b {
        return unify(pairs, by, found);
    }
    match (a.node(), b.node()) {
        (Node::Var(v, sort), _) if may_be(v, sort, b) => bind(pairs, by, v, b, found),
        (_, Node::Var(v, sort)) if may_be(v, sort, a) => bind(pairs, by, v, a, found),
        (Node::Apply(op, x), Node::Apply(other, y)) if op == other => {
            let orders: &[[usize; 3]] = match op.commutes() {
                true => &[[0, 1, 2], [1, 0, 2]],
                false => &[[0, 1, 2]],
            };
            for order in orders {
                let operands = x.iter().zip(order).map(|(x, i)| (*x, y[*i]));
                let pairs = pairs.iter().copied().chain(operands).collect();
                unify(pairs, by, found);
            }
        }
        _ => {}
    }
}

fn bind(
    pairs: Vec<(Expr, Expr)>,
    by: &Substitution,
    v: Symbol,
    e: Expr,
    found: &mut Vec<Substitution>,
) {
    let mut next: Substitution = (by.iter())
        .map(|(k, old)| (*k, old.replace(&|w| (w == v).then_some(e))))
        .collect();
    next.insert(v, e);
    unify(pairs, &next, found);
}

/// Whether a variable may stand for a pattern, which is not itself.
fn may_be(v: Symbol, sort: Sort, e: Expr) -> bool {
    let occurs = e.vars().iter().any(|w| w.0 == v);
    let constant = |w: Symbol| VarClass::of(w) == VarClass::Constant;
    let is_constant_name = matches!(e.node(), Node::Var(w, _) if constant(w));
    e.sort() == sort
        && !occurs
        && match VarClass::of(v) {
            VarClass::Constant => e.as_int().is_some() || is_constant_name,
            VarClass::Lanes => false,
            // What is no constant: an operation, or another such variable.
            VarClass::Term if is_open(v) => match e.node() {
                Node::Apply(..) => !is_constant(e),
                Node::Var(w, _) => is_open(w),
                _ => false,
            },
            VarClass::Term => true,
        }
}

fn applied(e: Expr, by: &Substitution) -> Expr {
    e.replace(&|v| by.get(&v).copied())
}
