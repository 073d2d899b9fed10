//! What is measured of an expression, from the weightiest to the least.
//!
//! Each measure is a natural number, found bottom-up by polynomials that grow strictly with each operand, so that
//! a sub-expression made smaller makes the whole smaller, and one left equal leaves it equal. Three also read what earlier ones
//! count in operands, which is equal wherever they are looked at. A constant is a leaf, in
//! lanes too. Operators that commute have symmetric polynomials, so the order of their operands does not matter.

use super::poly::{self, Compared};
use crate::intern::Symbol;
use crate::scalar::{Expr, Lanes, Node, Op, VarClass};
use crate::simplify::{is_constant, is_stuck};

/// In what variables measure.
type Poly = poly::Poly<(Symbol, Measure)>;

/// One measure. Those that count among vectors come before those that count the same everywhere: a rule about single
/// values that is applied to vectors has all of it among vectors, so it decreases there if it does everywhere.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Measure {
    /// Variables and ramps: what is no constant has one at least.
    Unknowns,
    LaneProducts,
    /// Quotients, remainders, products.
    Products,
    LaneLeaves,
    Leaves,
    LaneOperations,
    Operations,
    /// How often one of the [`RAMP`] stands there.
    Operator(usize),
    /// Products of two terms.
    TermProducts,
    /// Products with a constant: all others. Where products and those of terms are as many, so are these.
    Scalings,
    /// Minima and maxima, one of whose operands is a constant: a *bound*.
    Bounds,
    /// Pairs of a bound and an unknown that stand beside each other: `min(min(x, c), y)` has more than `min(min(x, y), c)`.
    BoundsWithin,
    /// Pairs of a quotient, a remainder or a product of terms and a selection in it: `select(b, 0, x) % y` has more than
    /// `select(b, 0, x % y)`.
    SelectionsWithin,
    /// Pairs of a choice and a scaling in it: `min(x*c, y*c)` has more than `min(x, y)*c`.
    FactorsWithin,
    /// Grows when factors stand outside of sums, and constants left of `<`: `(x + c)*d` is more than `x*d + c*d`.
    Spread,
    /// Grows when constants stand inside: `x + c + y` is more than `x + y + c`.
    Inward,
    /// Pairs of an operation and a `broadcast` or a `ramp` in it: `broadcast(x, l) + broadcast(y, l * l0)` has more than
    /// `broadcast(x + broadcast(y, l0), l)`.
    VectorsWithin,
}

/// Operators from the dearest, those of one row alike.
const RAMP: [&[Op]; 19] = [
    &[Op::Ramp],
    &[Op::Broadcast],
    &[Op::Select],
    &[Op::Div],
    &[Op::Mul],
    &[Op::Mod],
    &[Op::Sub],
    &[Op::Add],
    &[Op::Min, Op::Max],
    &[Op::Or],
    &[Op::And],
    &[Op::Ge],
    &[Op::Gt],
    &[Op::Le],
    &[Op::Lt],
    &[Op::Ne],
    &[Op::Eq],
    &[Op::Not],
    &[Op::Prove],
];

/// The rows of `ramp` and `broadcast` come before that of `select`.
const VECTORS: usize = 2;
const SELECTIONS: usize = 2;

/// All of them, the weightiest first.
pub fn measures() -> impl Iterator<Item = Measure> {
    use Measure::*;
    let counts = [
        Unknowns,
        LaneProducts,
        Products,
        LaneLeaves,
        Leaves,
        LaneOperations,
        Operations,
    ];
    let rest = [
        TermProducts,
        Bounds,
        BoundsWithin,
        SelectionsWithin,
        FactorsWithin,
        Spread,
        Inward,
        VectorsWithin,
    ];
    (counts.into_iter())
        .chain((0..RAMP.len()).map(Operator))
        .chain(rest)
}

/// What the variables of two expressions stand for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Variables {
    /// Any expression that is no constant; by their names, constants and numbers of lanes.
    Pattern,
    /// Themselves.
    Leaves,
}

/// What decides.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Whatever the variables stand for, this decreases, and nothing before it increases.
    Decreases(Measure),
    /// Nothing changes, or nothing that the measures see.
    Equal,
    /// This may increase, and nothing before it is sure to decrease.
    Fails(Measure),
}

/// Compares by all measures in turn. In patterns, what the right side computes from constants is one; the left side is
/// taken as it stands.
pub fn compare(left: Expr, right: Expr, variables: Variables) -> Found {
    let of = |folded| Seen { variables, folded };
    for measure in measures() {
        let left = measure.value(left, of(false));
        let compared = match (left, measure.value(right, of(true))) {
            (Some(l), Some(r)) => l.compare(&r),
            _ => Compared::Open,
        };
        match compared {
            Compared::Greater => return Found::Decreases(measure),
            Compared::Equal | Compared::NotLess => {}
            Compared::Open => return Found::Fails(measure),
        }
    }
    Found::Equal
}

/// How an expression is looked at: what its variables are, and whether what is computed from constants is one already.
#[derive(Copy, Clone)]
struct Seen {
    variables: Variables,
    folded: bool,
}

impl Seen {
    fn constant(self, e: Expr) -> bool {
        match self.variables {
            Variables::Pattern => is_folded(e) && (self.folded || is_value(e)),
            Variables::Leaves => is_constant(e),
        }
    }
}

/// Whether a pattern is folded to a constant wherever it is instantiated.
pub fn is_folded(pattern: Expr) -> bool {
    match pattern.node() {
        Node::Int(_) | Node::Bool(_) => true,
        Node::Var(v, _) => VarClass::of(v) != VarClass::Term,
        Node::Apply(Op::Ramp, _) => false,
        Node::Apply(op, _) => operands(op, pattern).all(is_folded),
    }
}

/// Whether it is a leaf, or lanes of one.
fn is_value(pattern: Expr) -> bool {
    match pattern.node() {
        Node::Apply(op @ Op::Broadcast, _) => operands(op, pattern).all(is_value),
        Node::Apply(..) => false,
        _ => true,
    }
}

/// The operands, without the number of lanes.
pub fn operands(op: Op, e: Expr) -> impl Iterator<Item = Expr> {
    let lanes = matches!(op, Op::Broadcast | Op::Ramp);
    e.args().take(op.arity() - lanes as usize)
}

impl Measure {
    /// `variables`, `leaves`, `operator select` …
    pub fn name(self) -> String {
        use Measure::*;
        match self {
            Unknowns => "variables and ramps".into(),
            LaneProducts => "quotients, remainders and products of vectors".into(),
            Products => "quotients, remainders and products".into(),
            LaneLeaves => "leaves that are vectors".into(),
            Leaves => "leaves".into(),
            LaneOperations => "operations on vectors".into(),
            Operations => "operations".into(),
            Operator(row) => {
                let all: Vec<String> = (RAMP[row].iter())
                    .map(|op| format!("`{}`", op.text()))
                    .collect();
                all.join(" and ")
            }
            TermProducts => "products of terms".into(),
            Scalings => "products with constants".into(),
            Bounds => "minima and maxima with constants".into(),
            BoundsWithin => "constants inside of minima and maxima".into(),
            SelectionsWithin => "selections inside of quotients, remainders and products".into(),
            FactorsWithin => "factors inside of `min`, `max` and `select`".into(),
            Spread => "factors outside of sums".into(),
            Inward => "constants inside".into(),
            VectorsWithin => "`broadcast` and `ramp` inside of other operations".into(),
        }
    }

    /// Of an expression; none where numbers grow too large.
    fn value(self, e: Expr, seen: Seen) -> Option<Poly> {
        let in_lanes = e.sort().lanes != Lanes::One;
        if seen.constant(e) {
            return Some(Poly::constant(self.of_constant(in_lanes)));
        }
        match e.node() {
            Node::Var(v, _) if seen.variables == Variables::Pattern => {
                Poly::unknown((v, self)).plus(self.least(in_lanes))
            }
            Node::Apply(op, _) if seen.variables == Variables::Pattern || !is_stuck(e) => {
                let parts: Vec<Expr> = operands(op, e).collect();
                self.of_operation(op, &parts, seen)
            }
            _ => Some(Poly::constant(self.least(in_lanes))),
        }
    }

    fn of_constant(self, in_lanes: bool) -> i128 {
        match self {
            Measure::Leaves => 1,
            Measure::LaneLeaves => in_lanes.into(),
            Measure::Spread => 2,
            _ => 0,
        }
    }

    /// Of a variable, and of an operation that could not be folded; of whatever is no constant, at least.
    fn least(self, in_lanes: bool) -> i128 {
        match self {
            Measure::Unknowns | Measure::Inward => 1,
            _ => self.of_constant(in_lanes),
        }
    }

    fn of_operation(self, op: Op, operands: &[Expr], seen: Seen) -> Option<Poly> {
        use Measure::*;
        let parts = operands.iter().map(|a| self.value(*a, seen));
        let parts = parts.collect::<Option<Vec<_>>>()?;
        let vector = matches!(op, Op::Broadcast | Op::Ramp);
        let product = matches!(op, Op::Mul | Op::Div | Op::Mod);
        let clamp = matches!(op, Op::Min | Op::Max);
        let in_lanes = !vector && operands[0].sort().lanes != Lanes::One;
        let constants = || operands.iter().filter(|a| seen.constant(**a)).count();
        let sum = |weight: bool| {
            let mut all = parts.iter();
            all.try_fold(Poly::constant(weight.into()), |s, p| s.add(p, 1))
        };
        let within = |what: Measure| {
            let mut all = operands.iter().map(|a| what.value(*a, seen));
            all.try_fold(sum(false)?, |all, p| all.add(&p?, 1))
        };
        match self {
            Unknowns => sum(op == Op::Ramp),
            LaneProducts => sum(product && in_lanes),
            Products => sum(product),
            LaneLeaves => sum(vector),
            Leaves => sum(false),
            LaneOperations => sum(in_lanes),
            Operations => sum(true),
            Operator(row) => sum(RAMP[row].contains(&op)),
            TermProducts => sum(op == Op::Mul && constants() == 0),
            Scalings => sum(op == Op::Mul && constants() > 0),
            Bounds => sum(clamp && constants() > 0),
            BoundsWithin if clamp => {
                let beside =
                    |a: Expr, b: Expr| Bounds.value(a, seen)?.mul(&Unknowns.value(b, seen)?);
                let [a, b] = [operands[0], operands[1]];
                sum(false)?.add(&beside(a, b)?, 1)?.add(&beside(b, a)?, 1)
            }
            SelectionsWithin if product && (op != Op::Mul || constants() == 0) => {
                within(Operator(SELECTIONS))
            }
            FactorsWithin if clamp || op == Op::Select => within(Scalings),
            VectorsWithin if !vector => {
                let inside =
                    |row: usize| operands.iter().map(move |a| Operator(row).value(*a, seen));
                let mut all = (0..VECTORS).flat_map(inside);
                all.try_fold(sum(false)?, |all, p| all.add(&p?, 1))
            }
            VectorsWithin => sum(false),
            BoundsWithin | SelectionsWithin | FactorsWithin => sum(false),
            Spread if op == Op::Broadcast => sum(false),
            Spread if product => parts[0].mul(&parts[1]),
            Spread if matches!(op, Op::Lt | Op::Le) => sum(true)?.add(&parts[0], 1),
            Spread => sum(true),
            Inward if op == Op::Broadcast => sum(false),
            Inward => {
                let scale = match op {
                    Op::Mul | Op::Div => 4,
                    Op::Mod => 3,
                    Op::Add | Op::Sub => 2,
                    _ => 1,
                };
                parts.iter().try_fold(Poly::constant(1), |all, p| {
                    all.mul(&p.times(scale)?.plus(1)?)
                })
            }
        }
    }
}
