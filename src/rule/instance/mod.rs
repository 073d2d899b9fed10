//! Random instances of rules, and whether both sides mean the same.
//!
//! Comes in: a declared rule and a seed; goes out: how many random typed
//! instances agreed, or the first that did not. An instance gives every unknown
//! type and size a value that the side conditions allow, and every hole a random
//! term that mentions only the binders it may (`Note [Scopes]` in `compile`); both
//! sides are then evaluated on random data, functions on random arguments, and
//! compared to the bit. Invariant: independent of the e-graph, so that it tests
//! what a rule says and not how it is applied. Absent: proofs; agreement on
//! samples is evidence, disagreement is a refutation.
//!
//! Note [Exact numbers]
//! Rules without laws (`associative op` and its like) do the same arithmetic on
//! both sides, so any numbers do. With laws, operators come from the table of
//! `algebra`, elements are integers where the rule leaves the type open, and
//! floats hold small whole numbers, on which sums are exact in any order. Where such a rule computes functions
//! of floats, which round, or products, which grow, numbers that are nearly equal are the same.

mod draw;
mod holes;
pub mod lawful;
mod scope;
mod telling;

pub use scope::{usable, Binder};

use crate::elab::{Cond, RuleDecl};
use crate::interp::compare::compare;
use crate::interp::generate::{Generator, Options};
use crate::interp::random::{self, Numbers, Rng};
use crate::interp::{eval_with, InterpError, Limits, Sizes, Value};
use crate::term::{Kind, Lit, Op, Term};
use crate::ty::{Scalar, Ty, TySubst};
use holes::Style;

/// A rule at concrete types, sizes and holes.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Types and sizes of the unknowns.
    pub types: TySubst,
    /// What each hole stands for, under the binders of its first occurrence.
    pub holes: Vec<Term>,
    /// Types of the free variables of both sides, outermost first.
    pub params: Vec<Ty>,
    /// Left side; its free variables are the parameters.
    pub lhs: Term,
    /// Right side.
    pub rhs: Term,
}

/// A condition of a rule, to be violated alone.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The condition of that number, as written.
    Condition(usize),
    /// A hole mentions a binder that it must not: the one at that place among
    /// the binders of its first occurrence, outermost first.
    Captured {
        /// The hole.
        hole: usize,
        /// The binder.
        binder: usize,
    },
    /// The permission to reassociate floats: all conditions hold with it, and the
    /// operators work on floats.
    Permission,
}

/// A negative twin: a term of the form of the left side to which the rule must
/// not apply.
#[derive(Clone, Debug)]
pub struct Twin {
    /// Types and sizes of the unknowns.
    pub types: TySubst,
    /// The term, open in its parameters.
    pub lhs: Term,
}

/// Both sides on data on which they differ.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The instance.
    pub instance: Instance,
    /// Values of its parameters, outermost first.
    pub params: Vec<Value>,
    /// Arguments to which both sides were applied.
    pub args: Vec<Value>,
    /// What the left side gives.
    pub left: Value,
    /// What the right side gives, or why it gives nothing.
    pub right: Result<Value, InterpError>,
}

/// The outcome of a test.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Instances on which both sides agree.
    pub agreed: u32,
    /// Draws that gave no instance: no types, sizes or holes that the conditions allow.
    pub missed: u32,
    /// The first instance on which the sides differ; testing stopped there.
    pub refuted: Option<Box<Counterexample>>,
}

/// How many draws may miss for each that is wanted.
const PATIENCE: u32 = 50;

/// Tests a rule on `instances` random instances.
pub fn test_rule(rule: &RuleDecl, instances: u32, seed: u64) -> Outcome {
    let mut rng = Rng::new(seed);
    let mut out = Outcome::default();
    while out.agreed < instances && out.missed < PATIENCE.saturating_mul(instances) {
        // Every other instance is one that tells much; those first, as they are small.
        let drawn = match (out.agreed + out.missed) % 4 {
            0 => draw_telling(rule, false, &mut rng),
            2 => draw_telling(rule, true, &mut rng),
            i => draw_random(rule, i == 3, &mut rng),
        };
        let Some(instance) = drawn else {
            out.missed += 1;
            continue;
        };
        match check(rule, instance, &mut rng) {
            None => out.missed += 1,
            Some(Ok(())) => out.agreed += 1,
            Some(Err(counterexample)) => {
                out.refuted = Some(counterexample);
                break;
            }
        }
    }
    out
}

/// As [`test_rule`]; of the instances on which the sides differ, a small one.
pub fn smallest(rule: &RuleDecl, instances: u32, seed: u64) -> Outcome {
    let mut out = test_rule(rule, instances, seed);
    for seed in seed + 1..seed + 1 + SMALLER {
        let Some(known) = &out.refuted else { break };
        let other = test_rule(rule, instances, seed).refuted;
        if let Some(other) = other.filter(|o| o.size() < known.size()) {
            out.refuted = Some(other);
        }
    }
    out
}

/// Counterexamples among which a small one is looked for.
const SMALLER: u64 = 12;

impl Counterexample {
    /// How much there is to read.
    fn size(&self) -> usize {
        let data = self.params.iter().chain(&self.args);
        let data: usize = data.map(|v| format!("{v:?}").len()).sum();
        let holes: u32 = self.instance.holes.iter().map(Term::size).sum();
        data + format!("{:?}", self.left).len() + 4 * holes as usize
    }
}

/// A random instance to which the rule applies in a search, too: its operators are known. `None` when the draw led
/// nowhere.
pub fn draw(rule: &RuleDecl, rng: &mut Rng) -> Option<Instance> {
    draw_random(rule, false, rng)
}

fn draw_random(rule: &RuleDecl, lawful: bool, rng: &mut Rng) -> Option<Instance> {
    let options = options(rule, rng);
    let mut generator = Generator::new(rng, options);
    let types = draw::types(rule, None, &mut generator)?;
    let telling = false;
    holes::fill(rule, types, Style { telling, lawful }, &mut generator)
}

/// An instance over plain numbers, whose functions tell their arguments apart.
fn draw_telling(rule: &RuleDecl, lawful: bool, rng: &mut Rng) -> Option<Instance> {
    let options = Options {
        scalars: vec![Scalar::I32],
        ..options(rule, rng)
    };
    let mut generator = Generator::new(rng, options);
    let types = draw::plain(rule, &mut generator)?;
    let telling = true;
    holes::fill(rule, types, Style { telling, lawful }, &mut generator)
}

/// Every condition of a rule, written or derived, that can be violated alone.
/// What `vectorizable` computes is not among them, as it is defined for any function, nor what a law determines.
pub fn violations(rule: &RuleDecl) -> Vec<Violation> {
    let mut out = Vec::new();
    for (i, cond) in rule.conds.iter().enumerate() {
        // The derived conditions contain those of this kind.
        if !matches!(
            cond,
            Cond::NotFree { .. } | Cond::Vectorizable { .. } | Cond::Determined { .. }
        ) {
            out.push(Violation::Condition(i));
        }
    }
    for (hole, binders) in scope::usable(rule).into_iter().enumerate() {
        for (binder, (_, may)) in binders.into_iter().enumerate() {
            if !may {
                out.push(Violation::Captured { hole, binder });
            }
        }
    }
    if rule.regroups() {
        out.push(Violation::Permission);
    }
    out
}

/// A random term on which everything of the left side holds but one condition.
pub fn draw_twin(rule: &RuleDecl, violated: Violation, rng: &mut Rng) -> Option<Twin> {
    let mut options = options(rule, rng);
    if violated == Violation::Permission {
        options.scalars = vec![*rng.pick(&[Scalar::F32, Scalar::F64])];
    }
    let mut generator = Generator::new(rng, options);
    let types = draw::types(rule, Some(violated), &mut generator)?;
    holes::fill_left(rule, types, violated, &mut generator)
}

/// See Note [Exact numbers].
fn options(rule: &RuleDecl, rng: &mut Rng) -> Options {
    let laws = rule.claims().next().is_some();
    let all = [
        Scalar::F32,
        Scalar::I32,
        Scalar::F64,
        Scalar::U8,
        Scalar::I64,
    ];
    let integers = [Scalar::I32, Scalar::U8, Scalar::I64];
    let from: &[Scalar] = if laws { &integers } else { &all };
    let mut exclude = Options::default().exclude;
    if laws {
        exclude.extend([Op::Div, Op::Mod, Op::Sqrt, Op::Cast, Op::Fma]);
    }
    Options {
        scalars: vec![*rng.pick(from), *rng.pick(from)],
        exclude,
        lanes: vec![2, 4],
        symbolic: false,
        fuel: 3,
        elements: 150,
        ..Options::default()
    }
}

/// How far apart numbers that rounding explains may be, as a part of the largest.
const ROUNDED: f64 = 1e-4;

/// Whether values of both sides of a rule are the same, see Note [Exact numbers].
pub fn agree(rule: &RuleDecl, left: &Value, right: &Value) -> bool {
    let close = |far: f64| rounds(rule) && far < ROUNDED;
    compare(left, right).is_some_and(|d| d.same || close(d.relative_to_largest))
}

/// Whether it regroups what functions of floats give, or products of floats, see Note [Exact numbers].
fn rounds(rule: &RuleDecl) -> bool {
    let mut found = false;
    for side in [&rule.lhs, &rule.rhs] {
        side.visit(&mut |t, _| {
            if let Kind::Prim(p) = t.kind() {
                let result = t.ty().uncurried().1;
                let floats = result.as_scalar().is_some_and(Scalar::is_float);
                found |= p.op().function().is_some() || p.op() == Op::Mul && floats;
            }
        });
    }
    found && rule.regroups()
}

/// The numbers that a rule names, but small ones, which are drawn in any case; none where floats have to be small, see Note [Exact numbers].
fn named(rule: &RuleDecl) -> Vec<Lit> {
    let mut found = Vec::new();
    if rule.claims().next().is_some() {
        return found;
    }
    for side in [&rule.lhs, &rule.rhs] {
        side.visit(&mut |t, _| {
            if let Kind::Lit(lit) = t.kind() {
                let small = match lit {
                    Lit::Int(n) => (-2..=2).contains(n),
                    Lit::F32(bits) => f32::from_bits(*bits).abs() <= 1.0,
                    Lit::F64(bits) => f64::from_bits(*bits).abs() <= 1.0,
                    Lit::Bool(_) | Lit::Size(_) => true,
                };
                if !small && !found.contains(lit) {
                    found.push(*lit);
                }
            }
        });
    }
    found
}

/// `None` when the left side has no value within the limits.
fn check(
    rule: &RuleDecl,
    instance: Instance,
    rng: &mut Rng,
) -> Option<Result<(), Box<Counterexample>>> {
    let sizes = Sizes::new();
    let numbers = if rule.claims().next().is_some() || rng.one_in(2) {
        Numbers::Whole
    } else {
        Numbers::Any
    };
    let limits = Limits {
        steps: 2_000_000,
        bytes: 64 << 20,
        ..Limits::default()
    };
    let mut params = Vec::new();
    let named = named(rule);
    for ty in &instance.params {
        params.push(random::value_near(rng, *ty, (&sizes, numbers), &named).ok()?);
    }
    let mut args = Vec::new();
    let mut rest = instance.lhs.ty();
    while let Some((arg, result)) = rest.as_fun() {
        args.push(argument(arg, rule, numbers, rng)?);
        rest = result;
    }
    let env: Vec<Value> = params.iter().rev().cloned().collect();
    let left = eval_with(&instance.lhs, &sizes, &env, &args, limits).ok()?;
    let right = eval_with(&instance.rhs, &sizes, &env, &args, limits);
    if right.as_ref().is_ok_and(|v| agree(rule, &left, v)) {
        return Some(Ok(()));
    }
    if matches!(right, Err(InterpError::Steps | InterpError::Memory)) {
        return None;
    }
    Some(Err(Box::new(Counterexample {
        instance,
        params,
        args,
        left,
        right,
    })))
}

/// A value of any type; functions are random closed terms.
fn argument(ty: Ty, rule: &RuleDecl, numbers: Numbers, rng: &mut Rng) -> Option<Value> {
    if !ty.is_fun() {
        return random::value_of(rng, ty, &Sizes::new(), numbers).ok();
    }
    let options = options(rule, rng);
    let f = Generator::new(rng, options).term(ty, &mut Vec::new(), 2);
    eval_with(&f, &Sizes::new(), &[], &[], Limits::default()).ok()
}

impl std::fmt::Display for Counterexample {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        writeln!(
            f,
            "{} has type {}",
            self.instance.lhs,
            self.instance.lhs.ty()
        )?;
        writeln!(f, "{} is the right side", self.instance.rhs)?;
        for (i, (v, ty)) in self.params.iter().zip(&self.instance.params).enumerate() {
            let index = self.params.len() - 1 - i;
            writeln!(f, "%{index} : {ty} is {v:?}")?;
        }
        for v in &self.args {
            writeln!(f, "applied to {v:?}")?;
        }
        writeln!(f, "left:  {:?}", self.left)?;
        match &self.right {
            Ok(v) => write!(f, "right: {v:?}"),
            Err(e) => write!(f, "right: {e}"),
        }
    }
}
