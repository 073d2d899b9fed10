//! The values of the target between which a condition holds, or outside of which it does not.
//!
//! In: a solver, a condition. Out: bounds without the target, and when they count: of the inner side, the condition holds for
//! every value between them; of the outer one, for no value outside of them. Invariant: that. What is not solved bounds nothing:
//! no value is inside and every value may be. Absent: the largest inner interval where a condition leaves several.

use super::{Form, Solver};
use crate::scalar::{Expr, Node, Op};
use crate::simplify::build;
use serde::Serialize;

/// Which side of a condition an interval is on.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The condition holds for all values between the bounds.
    Inner,
    /// The condition holds for no value outside of the bounds.
    Outer,
}

/// The integers from `lower` to `upper`, without one of them all to that side; none unless `when` holds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Interval {
    pub lower: Option<Expr>,
    pub upper: Option<Expr>,
    pub when: Expr,
}

impl Interval {
    fn all(when: Expr) -> Interval {
        Interval {
            lower: None,
            upper: None,
            when,
        }
    }

    fn is_nothing(&self) -> bool {
        self.when.as_bool() == Some(false)
    }

    fn is_certain(&self) -> bool {
        self.when.as_bool() == Some(true)
    }
}

/// Conditions and comparisons that are looked at: a comparison may be solved to what it was a part of.
const MOST: u32 = 400;

/// The interval of a condition for the target of the solver.
pub fn interval(solver: &mut Solver, condition: Expr, side: Side) -> Interval {
    let solved = solver.solve(condition);
    let mut bounds = Bounds {
        solver,
        side,
        left: MOST,
    };
    let found = bounds.of(solved, false);
    let mut simple = |e: Expr| solver.simplifier().simplify(e);
    Interval {
        lower: found.lower.map(&mut simple),
        upper: found.upper.map(&mut simple),
        when: simple(found.when),
    }
}

struct Bounds<'a> {
    solver: &'a mut Solver,
    side: Side,
    /// How many more are looked at.
    left: u32,
}

impl Bounds<'_> {
    /// Of a condition, or of its opposite.
    fn of(&mut self, e: Expr, opposite: bool) -> Interval {
        if self.is_enough() {
            return self.unknown();
        }
        if self.solver.form(e) == Form::Free {
            return Interval::all(if opposite { not(e) } else { e });
        }
        let Node::Apply(op, args) = e.node() else {
            return self.unknown();
        };
        match (op, &args[..]) {
            (Op::Not, [a]) => self.of(*a, !opposite),
            (Op::And | Op::Or, [a, b]) => {
                let (a, b) = (self.of(*a, opposite), self.of(*b, opposite));
                match (op == Op::And) != opposite {
                    true => both(&a, &b),
                    false => self.either(&a, &b),
                }
            }
            (Op::Select, [c, a, b]) => {
                let first = build(Op::And, &[*c, *a]);
                let second = build(Op::And, &[not(*c), *b]);
                let (first, second) = match opposite {
                    false => (first, second),
                    true => (
                        build(Op::And, &[*c, not(*a)]),
                        build(Op::And, &[not(*c), not(*b)]),
                    ),
                };
                let (a, b) = (self.of(first, false), self.of(second, false));
                self.either(&a, &b)
            }
            (_, [a, b]) => match compared(op, opposite) {
                Some(op) => self.comparison(op, *a, *b),
                None => self.unknown(),
            },
            _ => self.unknown(),
        }
    }

    fn is_enough(&mut self) -> bool {
        let enough = self.left == 0;
        self.left = self.left.saturating_sub(1);
        enough
    }

    fn comparison(&mut self, op: Op, a: Expr, b: Expr) -> Interval {
        if self.is_enough() {
            return self.unknown();
        }
        let asked = build(op, &[a, b]);
        let e = self.solver.solve(asked);
        let one = Expr::int(1);
        let found = |lower, upper| Interval {
            lower,
            upper,
            when: Expr::bool(true),
        };
        match (self.solver.form(e), e.node()) {
            (Form::Applied, Node::Apply(op, args)) => {
                let n = args[1];
                let (below, above) = (build(Op::Sub, &[n, one]), build(Op::Add, &[n, one]));
                match (op, self.side) {
                    (Op::Lt, _) => found(None, Some(below)),
                    (Op::Le, _) => found(None, Some(n)),
                    (Op::Gt, _) => found(Some(above), None),
                    (Op::Ge, _) => found(Some(n), None),
                    (Op::Eq, _) => found(Some(n), Some(n)),
                    (Op::Ne, Side::Inner) => found(Some(above), None),
                    _ => self.unknown(),
                }
            }
            (Form::Open, Node::Apply(op @ (Op::Eq | Op::Ne), args)) => {
                let [a, b] = args[..] else {
                    return self.unknown();
                };
                let ops = if op == Op::Eq {
                    [Op::Le, Op::Ge]
                } else {
                    [Op::Lt, Op::Gt]
                };
                let [low, high] = ops.map(|op| self.comparison(op, a, b));
                match op {
                    Op::Eq => both(&low, &high),
                    _ => self.either(&low, &high),
                }
            }
            (_, Node::Apply(op, _)) if compared(op, false).is_some() => self.unknown(),
            _ => self.of(e, false),
        }
    }

    fn unknown(&self) -> Interval {
        Interval::all(Expr::bool(self.side == Side::Outer))
    }

    /// Where one of two conditions holds.
    fn either(&mut self, a: &Interval, b: &Interval) -> Interval {
        match (a.is_nothing(), b.is_nothing(), self.side) {
            (true, _, _) => *b,
            (_, true, _) => *a,
            (_, _, Side::Outer) => Interval {
                lower: of_both(Op::Min, a.lower, b.lower),
                upper: of_both(Op::Max, a.upper, b.upper),
                when: build(Op::Or, &[a.when, b.when]),
            },
            (_, _, Side::Inner) if a.is_certain() && b.is_certain() => self.larger(a, b),
            (_, _, Side::Inner) => chosen(a, b),
        }
    }

    /// Values that are between the bounds of one of them: all of both if these are known to touch.
    fn larger(&mut self, a: &Interval, b: &Interval) -> Interval {
        let up = |i: &Interval| i.upper.is_none();
        let down = |i: &Interval| i.lower.is_none();
        if up(a) && up(b) || down(a) && down(b) {
            return Interval {
                lower: of_both(Op::Min, a.lower, b.lower),
                upper: of_both(Op::Max, a.upper, b.upper),
                ..*a
            };
        }
        let (low, high) = if down(a) && up(b) { (a, b) } else { (b, a) };
        if let (true, true, Some(to), Some(from)) = (down(low), up(high), low.upper, high.lower) {
            let touch = build(Op::Le, &[from, build(Op::Add, &[to, Expr::int(1)])]);
            if self.solver.simplifier().prove(touch) == Some(true) {
                return Interval::all(Expr::bool(true));
            }
        }
        let bounds = |i: &Interval| i.lower.iter().chain(&i.upper).count();
        if bounds(b) < bounds(a) {
            *b
        } else {
            *a
        }
    }
}

/// Where both conditions hold.
fn both(a: &Interval, b: &Interval) -> Interval {
    let of = |op: Op, a: Option<Expr>, b: Option<Expr>| match (a, b) {
        (Some(a), Some(b)) => Some(build(op, &[a, b])),
        (a, b) => a.or(b),
    };
    Interval {
        lower: of(Op::Max, a.lower, b.lower),
        upper: of(Op::Min, a.upper, b.upper),
        when: build(Op::And, &[a.when, b.when]),
    }
}

/// The first where it counts, else the second, if they have bounds on the same sides.
fn chosen(a: &Interval, b: &Interval) -> Interval {
    let alike = a.lower.is_some() == b.lower.is_some() && a.upper.is_some() == b.upper.is_some();
    let of = |x: Option<Expr>, y: Option<Expr>| Some(build(Op::Select, &[a.when, x?, y?]));
    match (alike, a.is_certain(), b.is_certain()) {
        (_, true, _) => *a,
        (_, _, true) => *b,
        (true, ..) => Interval {
            lower: of(a.lower, b.lower),
            upper: of(a.upper, b.upper),
            when: build(Op::Or, &[a.when, b.when]),
        },
        _ => *a,
    }
}

fn of_both(op: Op, a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    Some(build(op, &[a?, b?]))
}

fn not(e: Expr) -> Expr {
    build(Op::Not, &[e])
}

/// The comparison, or that which says its opposite.
fn compared(op: Op, opposite: bool) -> Option<Op> {
    let other = match op {
        Op::Lt => Op::Ge,
        Op::Ge => Op::Lt,
        Op::Le => Op::Gt,
        Op::Gt => Op::Le,
        Op::Eq => Op::Ne,
        Op::Ne => Op::Eq,
        _ => return None,
    };
    Some(if opposite { other } else { op })
}
