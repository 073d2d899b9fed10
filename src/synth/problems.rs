//! Expressions with one variable that is to be isolated: a corpus for a solver.
//!
//! In: what lowering asked and left open. Out: each of these once for each of its variables, which is called as the target then,
//! and as many more like them: indices put into other indices as tiles, windows and borders do, compared, bounded and joined.
//! Invariant: the same questions and number give the same corpus. Absent: whether they can be solved.

use super::left::rebuilt;
use super::Question;
use crate::intern::Symbol;
use crate::interp::random::Rng;
use crate::scalar::{Expr, Kind, Lanes, Node, Op, Sort};
use crate::simplify::build;
use std::collections::{BTreeMap, BTreeSet};

/// Names of what is not the target.
const NAMES: [&str; 12] = ["a", "b", "d", "e", "f", "g", "h", "i", "j", "k", "m", "n"];
/// Numbers of tiles, windows and borders.
const NUMBERS: [i64; 10] = [1, 2, 3, 4, 5, 7, 8, 16, 32, 64];
/// Draws for each expression that is made.
const DRAWS: usize = 40;
/// Expressions that grow larger are not made.
const LARGEST: u32 = 28;

/// At most as many expressions; those that were asked come first.
pub fn problems(asked: &[Question], target: Symbol, most: usize) -> Vec<Question> {
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |q: Question, all: &mut Vec<Question>| {
        let facts = format!("{:?}", q.facts);
        let fits = q.e.vars().iter().any(|v| v.0 == target) && q.e.size() <= LARGEST;
        if fits && q.e.args().next().is_some() && seen.insert((q.e.to_string(), facts)) {
            all.push(q);
        }
    };
    for q in asked.iter().filter(|q| is_single(q)) {
        let ints = q.e.vars().into_iter().filter(|v| v.1 == Sort::INT);
        for (v, _) in ints {
            add(renamed(q, v, target), &mut all);
        }
    }
    let given = all.len();
    let mut rng = Rng::new(22);
    for _ in 0..most * DRAWS {
        if all.len() >= most || given == 0 {
            break;
        }
        let (first, second) = (
            rng.pick(&all[..given]).clone(),
            rng.pick(&all[..given]).clone(),
        );
        let mut made = first;
        for _ in 0..=rng.below(2) {
            made = varied(&made, &second, target, &mut rng);
        }
        add(made, &mut all);
    }
    all.truncate(most);
    all
}

fn is_single(q: &Question) -> bool {
    let mut single = true;
    for e in q.facts.iter().chain([&q.e]) {
        e.visit(&mut |part| single &= part.sort().lanes == Lanes::One);
    }
    single
}

/// The question with one variable called as the target, and the others by short names in order.
fn renamed(q: &Question, v: Symbol, target: Symbol) -> Question {
    let mut names: BTreeMap<Symbol, Expr> = BTreeMap::new();
    let mut free = NAMES.iter().filter(|n| Symbol::new(n) != target);
    for e in std::iter::once(&q.e).chain(&q.facts) {
        for (name, sort) in e.vars() {
            if names.contains_key(&name) {
                continue;
            }
            let new = match name == v {
                true => target,
                false => match free.next() {
                    Some(n) => Symbol::new(n),
                    None => Symbol::new(&format!("v{}", names.len())),
                },
            };
            names.insert(name, Expr::var(new, sort));
        }
    }
    with(q, &|name| names.get(&name).copied())
}

fn with(q: &Question, by: &dyn Fn(Symbol) -> Option<Expr>) -> Question {
    Question {
        e: rebuilt(q.e.replace(by)),
        facts: q.facts.iter().map(|f| rebuilt(f.replace(by))).collect(),
        place: q.place.clone(),
    }
}

/// One change.
fn varied(q: &Question, other: &Question, target: Symbol, rng: &mut Rng) -> Question {
    let x = Expr::var(target, Sort::INT);
    let number = Expr::int(*rng.pick(&NUMBERS));
    let name = Expr::var(Symbol::new(NAMES[rng.below(12) as usize]), Sort::INT);
    let any = if rng.one_in(2) { number } else { name };
    let of = |op: Op, a: Expr, b: Expr| build(op, &[a, b]);
    let compares = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq];
    match (rng.below(8), q.e.sort().kind) {
        // An index of a tile, of a window, of a block, of one that is bounded.
        (0, _) => with(q, &|v| {
            (v == target).then(|| of(Op::Add, of(Op::Mul, x, number), name))
        }),
        (1, _) => with(q, &|v| (v == target).then(|| of(Op::Sub, x, any))),
        (2, _) => with(q, &|v| (v == target).then(|| of(Op::Div, x, number))),
        (3, _) => {
            let op = *rng.pick(&[Op::Min, Op::Max]);
            with(q, &|v| (v == target).then(|| of(op, x, any)))
        }
        (4, Kind::Int) => changed(q, of(*rng.pick(&compares), q.e, any)),
        (5, Kind::Int) if other.e.sort() == Sort::INT => {
            let op = *rng.pick(&[Op::Add, Op::Sub, Op::Lt, Op::Le, Op::Min]);
            changed(q, of(op, q.e, other.e))
        }
        (5, Kind::Bool) if other.e.sort() == Sort::BOOL => {
            changed(q, of(*rng.pick(&[Op::And, Op::Or]), q.e, other.e))
        }
        (6, Kind::Bool) => changed(q, build(Op::Not, &[q.e])),
        _ => changed(q, renumbered(q.e, rng)),
    }
}

fn changed(q: &Question, e: Expr) -> Question {
    Question {
        e: rebuilt(e),
        ..q.clone()
    }
}

/// With other numbers, some of them names.
fn renumbered(e: Expr, rng: &mut Rng) -> Expr {
    match e.node() {
        Node::Int(n) if n > 1 && rng.one_in(2) => Expr::int(*rng.pick(&NUMBERS)),
        Node::Int(n) if n > 1 && rng.one_in(4) => {
            Expr::var(Symbol::new(NAMES[rng.below(12) as usize]), Sort::INT)
        }
        Node::Apply(op, args) => {
            let parts: Vec<Expr> = args.iter().map(|a| renumbered(*a, rng)).collect();
            build(op, &parts)
        }
        _ => e,
    }
}
