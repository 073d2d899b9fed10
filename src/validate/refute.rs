//! Sizes and inputs at which a loop program does something else than its term.
//!
//! In: both. Out: the first difference that is found: an element, or what no program may do. Invariant: what is told was
//! seen, by evaluating the loop program and interpreting the term on the same data. Absent: proofs.

use super::at;
use crate::arith::{AtomKind, Nat};
use crate::exec::sizes::Effort;
use crate::intern::Symbol;
use crate::interp::random::{self, Numbers, Rng};
use crate::interp::{eval_program, Num, Sizes, Value};
use crate::nest::eval::{eval, EvalError};
use crate::nest::{walk, ExprKind, Nest};
use crate::obligation::Assumption;
use crate::term::{Op, Program};
use std::collections::BTreeMap;

/// What was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// `m = 3, n = 4`
    pub sizes: String,
    /// As a sentence without its end.
    pub what: String,
    /// Whether it is so small that sums in another order may make it.
    pub is_rounding: bool,
}

/// What sums of a few numbers in another order differ by, at most, beside the numbers themselves.
const ROUNDING: f64 = 1e-4;

/// Choices of sizes that are tried.
const TRIED: u64 = 16;
/// The same for each size that choices take for large, and of how many.
const LARGE: u64 = 2;
const MOST_LARGE: usize = 4;
/// Elements of one argument or result, at most.
const ELEMENTS: i64 = 4000;
/// Operations of one trial, and of all together: loops over many sizes have far more than elements, and an evaluator takes a
/// fraction of a microsecond for each.
const WORK: f64 = 100e3;
const ALL_WORK: f64 = 500e3;
/// What one size is, before what has to divide it is taken into account.
const SMALL: [i64; 12] = [1, 2, 3, 4, 5, 7, 8, 9, 13, 17, 33, 50];

/// The first difference at some small sizes, and at small ones of those that choices take for large.
pub fn difference(nest: &Nest, program: &Program) -> Option<Difference> {
    let mut rng = Rng::new(0x0a11);
    let divisors = divisors(nest);
    let large = large(nest, program);
    let mut left = ALL_WORK;
    (0..TRIED + LARGE * large.len() as u64).find_map(|round| {
        let mut sizes = Sizes::new();
        let beyond = round
            .checked_sub(TRIED)
            .map(|r| large[(r / LARGE) as usize]);
        for s in &program.sizes {
            let upto = (2 + round).min(SMALL.len() as u64);
            let n = match (beyond, round % 8) {
                (Some((of, n)), _) if of == *s => n,
                (Some(_), _) => *rng.pick(&SMALL[..4]),
                (None, 7) if rng.one_in(3) => 0,
                (None, _) => *rng.pick(&SMALL[..upto as usize]),
            };
            sizes.insert(*s, n * divisors.get(s.as_str()).copied().unwrap_or(1));
        }
        let types = program.params.iter().map(|p| p.1).chain([program.result]);
        let few = types.clone().all(|t| {
            crate::nest::abi::leaf_sizes(t).iter().all(|n| {
                let n = n.eval(&mut |s| sizes.get(&s).copied());
                n.is_some_and(|n| (0..=ELEMENTS).contains(&n))
            })
        });
        // What nobody can count is tried.
        let work = Effort::of(program, &sizes).map_or(0.0, |e| e.work);
        if !few || work > WORK.min(left) {
            return None;
        }
        left -= work;
        differs(nest, program, &sizes, &mut rng)
    })
}

/// The sizes that choices compare with a number, each with the next one past it; of a few choices.
fn large(nest: &Nest, program: &Program) -> Vec<(Symbol, i64)> {
    let mut found = Vec::new();
    walk::each_stmt(&nest.body, &mut |s| {
        let Some(ExprKind::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge, args)) =
            walk::exprs(s).map(|e| e.kind())
        else {
            return;
        };
        let [Some(a), Some(b)] = [0, 1].map(|i| args.get(i).and_then(|e| e.as_index())) else {
            return;
        };
        for (s, n) in [(a, b), (b, a)] {
            let size = program.sizes.iter().find(|v| s == Nat::var(**v));
            let next = n
                .as_int()
                .map(|n| n + 1)
                .filter(|n| (2..ELEMENTS).contains(n));
            found.extend(size.copied().zip(next));
        }
    });
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST_LARGE);
    found
}

/// By what constant each size has to be divisible.
fn divisors(nest: &Nest) -> BTreeMap<&'static str, i64> {
    let mut all: BTreeMap<&'static str, i64> = BTreeMap::new();
    for a in nest.abi.assumptions.iter().chain(&nest.abi.preferred) {
        let Assumption::Divides(d, n) = a else {
            continue;
        };
        let var = n.as_atom().and_then(|a| match a.kind() {
            AtomKind::Var(s) => Some(s.as_str()),
            _ => None,
        });
        if let (Some(d), Some(var)) = (d.as_int().filter(|d| (1..=64).contains(d)), var) {
            let old = all.entry(var).or_insert(1);
            *old = crate::arith::lcm(*old, d);
        }
    }
    all
}

fn differs(nest: &Nest, program: &Program, sizes: &Sizes, rng: &mut Rng) -> Option<Difference> {
    // Elsewhere it calls another function.
    let mut size = |s| sizes.get(&s).copied();
    let meant = |a: &Assumption| a.holds(&mut size) == Some(true);
    if !nest.abi.preferred.iter().all(meant) {
        return None;
    }
    let args: Vec<Value> = (program.params.iter())
        .map(|p| random::value_of(rng, p.1, sizes, Numbers::Unit).ok())
        .collect::<Option<_>>()?;
    let inputs: Vec<Vec<Num>> = args.iter().flat_map(|v| v.leaves()).collect();
    let expected = eval_program(program, sizes, &args).ok()?.leaves();
    let (what, is_rounding) = match eval(nest, sizes, &inputs) {
        Ok(found) => element(nest, &found, &expected)?,
        Err(EvalError::Fault(_, what)) => (what, false),
        Err(_) => return None,
    };
    Some(Difference {
        sizes: at(sizes),
        what,
        is_rounding,
    })
}

/// The first element that differs, and whether it is nearly the same float.
fn element(nest: &Nest, found: &[Vec<Num>], expected: &[Vec<Num>]) -> Option<(String, bool)> {
    for (k, slot) in nest.abi.outputs.iter().enumerate() {
        let (a, b) = (found.get(k)?, expected.get(k)?);
        if a.len() != b.len() {
            let (found, expected) = (a.len(), b.len());
            let text = format!("`{}` has {found} elements, not {expected}", slot.name);
            return Some((text, false));
        }
        let differs = |(x, y): (&Num, &Num)| !x.same(*y);
        if let Some(i) = a.iter().zip(b).position(differs) {
            let text = format!(
                "`{}[{i}]` is {}, not {}",
                slot.name,
                shown(a[i]),
                shown(b[i])
            );
            return Some((text, is_near(a[i], b[i])));
        }
    }
    None
}

fn is_near(a: Num, b: Num) -> bool {
    let float = |n: Num| matches!(n, Num::F32(_) | Num::F64(_));
    let (x, y) = (a.as_f64(), b.as_f64());
    float(a) && float(b) && (x - y).abs() <= ROUNDING * x.abs().max(y.abs())
}

fn shown(n: Num) -> String {
    match n {
        Num::Int(i) => i.to_string(),
        Num::F32(x) => x.to_string(),
        Num::F64(x) => x.to_string(),
        other => format!("{other:?}"),
    }
}
