//! Expressions at points: whether two differ somewhere.
//!
//! In: pairs of expressions that are said to be equal. Out: a point at which a pair differs, as simple as it could be made.
//! Corners come first: zeros, ones, the ends of the types, what is not a number, the constants of the expressions and what
//! lies beside them; then random points. Invariant: what is found differs: to the bit on the machine, exactly over integers
//! without bounds, by more than all rounding over reals. Absent: proofs.

use super::dag::{number, Dag, Id, Leaf, What};
use super::Meaning;
use crate::interp::random::Rng;
use crate::interp::{self, scalar, Elem, Num};
use crate::term::Op;
use crate::ty::Scalar;

/// A number of a point: of a machine type, or an integer without bounds.
#[derive(Copy, Clone, Debug)]
pub enum Number {
    /// As the interpreter has it.
    Machine(Num),
    /// Any integer.
    Integer(i128),
}

/// What is searched.
#[derive(Copy, Clone)]
pub(super) struct Effort {
    /// Random points.
    pub points: u32,
    /// Corners.
    pub corners: usize,
}

impl Effort {
    /// A few points, at which most of what is wrong is wrong: before a proof is tried.
    pub fn few(points: u32) -> Effort {
        Effort {
            points,
            corners: FEW_CORNERS,
        }
    }

    /// All corners.
    pub fn many(points: u32) -> Effort {
        Effort {
            points,
            corners: usize::MAX,
        }
    }
}

/// Corners that are looked at before a proof is tried.
const FEW_CORNERS: usize = 400;

/// A point at which one of the pairs differs.
pub(super) fn difference(
    dag: &Dag,
    meaning: Meaning,
    pairs: &[(Id, Id)],
    effort: Effort,
) -> Option<Vec<Number>> {
    let differs = Differs::new(dag, meaning, pairs);
    let used = differs.leaves();
    let pools: Vec<Vec<Number>> = differs.pools();
    let mut point: Vec<Number> = pools.iter().map(|p| p[0]).collect();
    let found = corners(&differs, &used, &pools, &mut point, effort)
        || random(&differs, &used, &pools, &mut point, effort);
    if !found {
        return None;
    }
    // Simpler numbers where they do as well.
    for &leaf in &used {
        let before = point[leaf];
        let simpler = pools[leaf].iter().find(|n| {
            point[leaf] = **n;
            differs.at(&point)
        });
        point[leaf] = simpler.copied().unwrap_or(before);
    }
    Some(point)
}

/// Whether a point was found at which all pairs agree; not looked for among floats that are real numbers, which are rounded here.
pub(super) fn agree(dag: &Dag, meaning: Meaning, pairs: &[(Id, Id)], points: u32) -> bool {
    let differs = Differs::new(dag, meaning, pairs);
    let rounded = |id: &Id| dag.node(*id).ty.is_float() && !meaning.strict_floats();
    if differs.cone.iter().any(rounded) {
        return false;
    }
    let (used, pools) = (differs.leaves(), differs.pools());
    let mut point: Vec<Number> = pools.iter().map(|p| p[0]).collect();
    let mut rng = Rng::new(3);
    (0..points).any(|i| {
        for leaf in &used {
            point[*leaf] = match i % 4 {
                3 => differs.draw(&mut rng, dag.leaves[*leaf]),
                _ => *rng.pick(&pools[*leaf]),
            };
        }
        differs.judged(&point) == Some(false)
    })
}

/// The value of one leaf of 8 bits at which a pair agrees for all values of another one, or that there is none; nothing where the pair
/// is computed of something else, too, or of floats.
pub(super) fn one_for_all(
    dag: &Dag,
    meaning: Meaning,
    pair: (Id, Id),
    one: usize,
    all: usize,
) -> Option<Option<i128>> {
    let pairs = [pair];
    let differs = Differs::new(dag, meaning, &pairs);
    let floats = |id: &Id| dag.node(*id).ty.is_float();
    let known = differs.leaves().iter().all(|l| [one, all].contains(l));
    let s = dag.leaves[one].ty;
    let small = meaning.wraps() && s.is_int() && s.bytes() == 1 && dag.leaves[all].ty == s;
    if !known || !small || differs.cone.iter().any(floats) {
        return None;
    }
    let (least, most) = s.bounds();
    let mut point = vec![given(meaning, 0, s); dag.leaves.len()];
    for e in least..=most {
        point[one] = given(meaning, e, s);
        let mut fits = true;
        for x in least..=most {
            point[all] = given(meaning, x, s);
            match differs.judged(&point) {
                Some(differ) => fits = !differ,
                None => return None,
            }
            if !fits {
                break;
            }
        }
        if fits {
            return Some(Some(e));
        }
    }
    Some(None)
}

/// Whether a point was found at which everything that these are computed of is a number, and no infinity.
pub(super) fn exist(dag: &Dag, meaning: Meaning, pairs: &[(Id, Id)], points: u32) -> bool {
    let differs = Differs::new(dag, meaning, pairs);
    let (used, pools) = (differs.leaves(), differs.pools());
    let mut point: Vec<Number> = pools.iter().map(|p| p[0]).collect();
    let mut rng = Rng::new(5);
    let finite = |n: &Option<Number>| match n {
        Some(Number::Machine(n)) => n.as_f64().is_finite(),
        other => other.is_some(),
    };
    (0..points).any(|_| {
        for leaf in &used {
            point[*leaf] = *rng.pick(&pools[*leaf]);
        }
        interp::with_bounds(|| differs.values(&point).iter().all(finite)).0
    })
}

/// All points of corners, if they are few.
fn corners(
    differs: &Differs,
    used: &[usize],
    pools: &[Vec<Number>],
    point: &mut [Number],
    effort: Effort,
) -> bool {
    // As many of each pool as a few thousand points allow.
    let each = match used.len() {
        0..=2 => 40,
        3 => 14,
        4 => 7,
        5 => 5,
        6 => 4,
        7 => 3,
        _ => 0,
    };
    let count: Vec<usize> = used.iter().map(|l| pools[*l].len().min(each)).collect();
    let all: usize = count.iter().product();
    for mut i in 0..all.min(effort.corners) {
        for (leaf, n) in used.iter().zip(&count) {
            point[*leaf] = pools[*leaf][i % n];
            i /= n;
        }
        if differs.at(point) {
            return true;
        }
    }
    false
}

fn random(
    differs: &Differs,
    used: &[usize],
    pools: &[Vec<Number>],
    point: &mut [Number],
    effort: Effort,
) -> bool {
    let mut rng = Rng::new(1);
    for _ in 0..effort.points {
        let wild = rng.below(4);
        for leaf in used {
            let pool = &pools[*leaf];
            point[*leaf] = match rng.below(4) < wild {
                true => differs.draw(&mut rng, differs.dag.leaves[*leaf]),
                false => *rng.pick(pool),
            };
        }
        if differs.at(point) {
            return true;
        }
    }
    false
}

struct Differs<'a> {
    dag: &'a Dag,
    meaning: Meaning,
    pairs: &'a [(Id, Id)],
    cone: Vec<Id>,
    /// How each expression of the cone is computed, of what stands before it.
    steps: Vec<Step>,
    /// Where in the cone the sides of the pairs stand.
    sides: Vec<(usize, usize)>,
}

/// How a value is made; operands are told by their places in the cone.
#[derive(Copy, Clone)]
enum Step {
    Leaf(usize),
    Given(Number),
    Chosen([usize; 3]),
    Applied {
        op: Op,
        ty: Scalar,
        /// The type of the first operand.
        from: Scalar,
        count: usize,
        args: [usize; 3],
    },
}

impl<'a> Differs<'a> {
    fn new(dag: &'a Dag, meaning: Meaning, pairs: &'a [(Id, Id)]) -> Differs<'a> {
        let roots: Vec<Id> = pairs.iter().flat_map(|p| [p.0, p.1]).collect();
        let cone = dag.cone(&roots);
        let most = cone.iter().map(|id| id.0 as usize + 1).max().unwrap_or(0);
        let mut places = vec![0; most];
        for (at, id) in cone.iter().enumerate() {
            places[id.0 as usize] = at;
        }
        let place = |id: Id| places[id.0 as usize];
        let step = |id: &Id| {
            let node = dag.node(*id);
            match node.what {
                What::Leaf(i) => Step::Leaf(i as usize),
                What::Const(c) => Step::Given(given(meaning, c, node.ty)),
                What::Apply(Op::Select, _, args) => Step::Chosen(args.map(place)),
                What::Apply(op, n, args) => Step::Applied {
                    op,
                    ty: node.ty,
                    from: dag.node(args[0]).ty,
                    count: n.into(),
                    args: args.map(place),
                },
            }
        };
        Differs {
            dag,
            meaning,
            pairs,
            steps: cone.iter().map(step).collect(),
            sides: pairs.iter().map(|p| (place(p.0), place(p.1))).collect(),
            cone,
        }
    }

    fn leaves(&self) -> Vec<usize> {
        let nodes = self.cone.iter().map(|id| self.dag.node(*id).what);
        nodes
            .filter_map(|n| match n {
                What::Leaf(i) => Some(i as usize),
                _ => None,
            })
            .collect()
    }

    fn at(&self, point: &[Number]) -> bool {
        self.judged(point) == Some(true)
    }

    /// Whether a pair differs at a point; `None` where that depends on rounding, or something has no value.
    fn judged(&self, point: &[Number]) -> Option<bool> {
        if self.meaning.strict_floats() {
            return self.compare(point);
        }
        let (differs, doubt) = interp::with_bounds(|| self.compare(point));
        differs.filter(|_| !doubt)
    }

    fn compare(&self, point: &[Number]) -> Option<bool> {
        let values = self.values(point);
        let (mut differ, mut known) = (false, true);
        for (a, b) in &self.sides {
            let (Some(a), Some(b)) = (values[*a], values[*b]) else {
                known = false;
                continue;
            };
            differ |= match (a, b) {
                (Number::Integer(a), Number::Integer(b)) => a != b,
                (Number::Machine(a), Number::Machine(b)) => match (a, b) {
                    (Num::Bounded(x), Num::Bounded(y)) if !(x.value - y.value).is_finite() => {
                        known = false;
                        false
                    }
                    (Num::Bounded(x), Num::Bounded(y)) => {
                        let off = (x.value - y.value).abs();
                        // Beyond all rounding, and not by a hair.
                        off.is_finite()
                            && off
                                > 4.0 * (x.bound() + y.bound())
                                    + 1e-9 * (x.value.abs() + y.value.abs())
                    }
                    _ => !a.same(b),
                },
                _ => false,
            };
        }
        // Of what has no value nothing is known.
        (differ || known).then_some(differ)
    }

    /// The values of the cone at a point; of leaves that it does not have, none.
    fn values(&self, point: &[Number]) -> Vec<Option<Number>> {
        let mut values: Vec<Option<Number>> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let value = self.value(step, point, &values);
            values.push(value);
        }
        values
    }

    fn value(&self, step: &Step, point: &[Number], values: &[Option<Number>]) -> Option<Number> {
        match step {
            Step::Leaf(i) => point.get(*i).copied(),
            Step::Given(n) => Some(*n),
            // Of a choice only what is chosen has to have a value.
            Step::Chosen([c, a, b]) => values[if truth(values[*c]?) { *a } else { *b }],
            Step::Applied {
                op,
                ty,
                from,
                count,
                args,
            } => {
                let mut parts = [Number::Integer(0); 3];
                for (p, a) in parts.iter_mut().zip(&args[..*count]) {
                    *p = values[*a]?;
                }
                self.apply(*op, *ty, *from, &parts[..*count])
            }
        }
    }

    /// Whether integers have no bounds here.
    fn unbounded(&self, ty: Scalar) -> bool {
        !self.meaning.wraps() && ty.is_int()
    }

    fn given(&self, c: i128, ty: Scalar) -> Number {
        given(self.meaning, c, ty)
    }

    fn apply(&self, op: Op, ty: Scalar, from: Scalar, args: &[Number]) -> Option<Number> {
        let reals = !self.meaning.strict_floats();
        // Real numbers are computed in f64.
        let wide = |s: Scalar| {
            if s.is_float() && reals {
                Scalar::F64
            } else {
                s
            }
        };
        if args.iter().any(|a| matches!(a, Number::Integer(_))) || self.unbounded(ty) {
            return unbounded(op, ty, from, args);
        }
        let mut all = [Num::Int(0); 3];
        for (n, a) in all.iter_mut().zip(args) {
            match a {
                Number::Machine(m) => *n = *m,
                Number::Integer(_) => return None,
            }
        }
        let nums = &all[..args.len()];
        let elem = |s: Scalar| Elem::Scalar(wide(s));
        let result = match op {
            Op::Cast => scalar::cast(elem(from), elem(ty), nums[0]),
            Op::Bitcast if reals && (from.is_float() || ty.is_float()) => return None,
            Op::Bitcast => scalar::bitcast(from, ty, nums[0]),
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => {
                scalar::apply(op, wide(from), nums)?
            }
            _ => scalar::apply(op, wide(ty), nums)?,
        };
        let result = match result {
            Num::F64(x) if reals => interp::bounded_number(x),
            r => r,
        };
        // Over reals nothing is infinite that was not given so, and nothing is no number.
        let infinite = |n: &Num| matches!(n, Num::Bounded(b) if !b.value.is_finite());
        let nan = matches!(result, Num::Bounded(b) if b.value.is_nan());
        let left_out = nan || infinite(&result) && !nums.iter().any(infinite);
        (!left_out).then_some(Number::Machine(result))
    }

    fn pools(&self) -> Vec<Vec<Number>> {
        let roots: Vec<Id> = self.pairs.iter().flat_map(|p| [p.0, p.1]).collect();
        let constants = self.dag.constants(&roots);
        let mut pools: Vec<Vec<Number>> = (self.dag.leaves.iter())
            .map(|l| vec![self.given(0, l.ty)])
            .collect();
        // What the pairs do not mention may be anything.
        for leaf in self.leaves() {
            pools[leaf] = self.pool(self.dag.leaves[leaf], &constants);
        }
        pools
    }

    /// Numbers to try first, simple ones before others.
    fn pool(&self, leaf: Leaf, constants: &[(Scalar, Num)]) -> Vec<Number> {
        let s = leaf.ty;
        if s == Scalar::Bool {
            return [0, 1].map(|b| Number::Machine(Num::Int(b))).to_vec();
        }
        if leaf.index {
            return (0..7).map(|i| self.given(i, s)).collect();
        }
        if s.is_float() {
            let mut all = vec![
                1.0, 0.0, 2.0, -1.0, 3.0, 0.5, -2.0, 7.0, -0.25, 100.0, -30.0,
            ];
            for (t, c) in constants
                .iter()
                .filter(|c| c.0.is_float() && c.1.as_f64().is_finite())
            {
                let c = if *t == s { c.as_f64() } else { continue };
                all.extend([c, c + 1.0, c - 1.0]);
            }
            if self.meaning.strict_floats() {
                let corners = [
                    f64::NAN,
                    f64::INFINITY,
                    f64::NEG_INFINITY,
                    -0.0,
                    0.1,
                    1e30,
                    -1e30,
                    1e-30,
                    16_777_216.0,
                ];
                for (i, c) in corners.into_iter().enumerate() {
                    all.insert(2 * i + 2, c);
                }
            }
            return all.into_iter().map(|x| self.float(x, s)).collect();
        }
        let (least, most) = s.bounds();
        let mut all: Vec<i128> = vec![0, 1, 2, -1, 3, 5, -2, 7, -7, 100];
        let ints = constants.iter().filter(|c| c.0.is_int());
        let around: Vec<i128> = ints
            .flat_map(|c| [0, 1, -1].map(|d| i128::from(c.1.int()) + d))
            .collect();
        if self.meaning.wraps() {
            let ends = [most, least, most - 1, least + 1, most / 2 + 1, most / 2];
            all.splice(3..3, ends);
        } else {
            all.extend([1000, -1000, 1 << 40]);
        }
        all.splice(4..4, around);
        let inside = |n: &i128| match self.meaning.wraps() {
            true => (least..=most).contains(n),
            false => s.is_signed() || *n >= 0,
        };
        all.retain(inside);
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|n| seen.insert(*n));
        all.into_iter().map(|n| self.given(n, s)).collect()
    }

    fn float(&self, x: f64, s: Scalar) -> Number {
        match self.meaning.strict_floats() {
            true => Number::Machine(scalar::float(x, s)),
            // What the type can hold, so that the interpreter can be asked, too.
            false => Number::Machine(interp::bounded_number(scalar::float(x, s).as_f64())),
        }
    }

    fn draw(&self, rng: &mut Rng, leaf: Leaf) -> Number {
        let s = leaf.ty;
        if s == Scalar::Bool {
            return Number::Machine(Num::Int(rng.below(2) as i64));
        }
        if leaf.index {
            return self.given(rng.below(7).into(), s);
        }
        if s.is_float() {
            let x = match rng.below(3) {
                0 => rng.between(-40, 40) as f64,
                1 => rng.between(-4000, 4000) as f64 / 64.0,
                _ if self.meaning.strict_floats() => f32::from_bits(rng.bits() as u32).into(),
                _ => 8.0 * rng.unit() - 4.0,
            };
            return self.float(x, s);
        }
        if !self.meaning.wraps() {
            let least = if s.is_signed() { -60 } else { 0 };
            return Number::Integer(rng.between(least, 60).into());
        }
        let (least, most) = s.bounds();
        let bits = (rng.bits() >> rng.below(8 * s.bytes())) as i128;
        let n = if rng.one_in(2) { least + bits } else { bits };
        Number::Machine(scalar::integer(n.clamp(least, most), s))
    }
}

/// A constant as a number.
fn given(meaning: Meaning, c: i128, ty: Scalar) -> Number {
    if !meaning.wraps() && ty.is_int() {
        return Number::Integer(c);
    }
    match number(c, ty) {
        n if ty.is_float() && !meaning.strict_floats() => {
            Number::Machine(interp::bounded_number(n.as_f64()))
        }
        n => Number::Machine(n),
    }
}

fn truth(n: Number) -> bool {
    match n {
        Number::Machine(n) => n.truth(),
        Number::Integer(i) => i != 0,
    }
}

/// Of integers without bounds; `None` for what leaves 128 bits or has no meaning there.
fn unbounded(op: Op, ty: Scalar, from: Scalar, args: &[Number]) -> Option<Number> {
    let bool_ = |b: bool| Some(Number::Machine(Num::Int(b.into())));
    let int = |n: Option<i128>| {
        n.filter(|n| n.unsigned_abs() < 1 << 120)
            .map(Number::Integer)
    };
    if op == Op::Cast {
        return match (args[0], ty) {
            (Number::Integer(n), Scalar::Bool) => bool_(n != 0),
            (Number::Integer(n), s) if s.is_float() => (n.unsigned_abs() < 1 << 50)
                .then(|| Number::Machine(interp::bounded_number(n as f64))),
            (n @ Number::Integer(_), _) => Some(n),
            (Number::Machine(b), _) if from == Scalar::Bool => int(Some(b.int().into())),
            (Number::Machine(Num::Bounded(x)), _) => (x.bound() == 0.0 && x.value.abs() < 1e15)
                .then_some(Number::Integer(x.value as i128)),
            _ => None,
        };
    }
    let mut all = [0; 3];
    for (n, a) in all.iter_mut().zip(args) {
        match a {
            Number::Integer(m) => *n = *m,
            Number::Machine(_) => return None,
        }
    }
    match (op, &all[..args.len()]) {
        (Op::Neg, [a]) => int(a.checked_neg()),
        (Op::Abs, [a]) => int(a.checked_abs()),
        (Op::BitNot, [a]) => int(Some(!a)),
        (Op::Add, [a, b]) => int(a.checked_add(*b)),
        (Op::Sub, [a, b]) => int(a.checked_sub(*b)),
        (Op::Mul, [a, b]) => int(a.checked_mul(*b)),
        (Op::Div, [a, b]) => int(Some(a.checked_div(*b).unwrap_or(0))),
        (Op::Mod, [a, b]) => int(Some(a.checked_rem(*b).unwrap_or(0))),
        (Op::Min, [a, b]) => int(Some(*a.min(b))),
        (Op::Max, [a, b]) => int(Some(*a.max(b))),
        (Op::BitAnd, [a, b]) => int(Some(a & b)),
        (Op::BitOr, [a, b]) => int(Some(a | b)),
        (Op::BitXor, [a, b]) => int(Some(a ^ b)),
        (Op::Shl, [a, b]) if (0..64).contains(b) => int(a.checked_mul(1 << b)),
        (Op::Shr, [a, b]) if (0..120).contains(b) => int(Some(a >> b)),
        (Op::Lt, [a, b]) => bool_(a < b),
        (Op::Le, [a, b]) => bool_(a <= b),
        (Op::Gt, [a, b]) => bool_(a > b),
        (Op::Ge, [a, b]) => bool_(a >= b),
        (Op::Eq, [a, b]) => bool_(a == b),
        (Op::Ne, [a, b]) => bool_(a != b),
        _ => None,
    }
}

/// The values of expressions at a point.
pub(super) fn values(
    dag: &Dag,
    meaning: Meaning,
    of: &[Id],
    point: &[Number],
) -> Vec<Option<Number>> {
    let pairs: Vec<(Id, Id)> = of.iter().map(|id| (*id, *id)).collect();
    let differs = Differs::new(dag, meaning, &pairs);
    let values = differs.values(point);
    differs.sides.iter().map(|s| values[s.0]).collect()
}

/// Pairs of expressions at a few points that are drawn once.
pub(super) struct Tester<'a> {
    differs: Differs<'a>,
    points: Vec<Vec<Number>>,
}

impl<'a> Tester<'a> {
    pub fn new(dag: &'a Dag, meaning: Meaning, pairs: &'a [(Id, Id)]) -> Tester<'a> {
        let differs = Differs::new(dag, meaning, pairs);
        let pools = differs.pools();
        let mut rng = Rng::new(2);
        let points = (0..24).map(|i| {
            let leaves = dag.leaves.iter().zip(&pools);
            let one = leaves.map(|(l, pool)| match i {
                0..=3 => pool[i % pool.len()],
                _ if rng.one_in(2) => differs.draw(&mut rng, *l),
                _ => *rng.pick(pool),
            });
            one.collect()
        });
        Tester {
            points: points.collect(),
            differs,
        }
    }

    /// Whether no point tells the pairs apart, and one finds them equal, where these leaves are what those expressions are, which are leaves or constants.
    pub fn agrees(&self, leaves: &[Id], are: &[Id]) -> bool {
        let dag = self.differs.dag;
        let mut seen = false;
        let agree = self.points.iter().all(|p| {
            let mut point = p.clone();
            for (leaf, is) in leaves.iter().zip(are) {
                let What::Leaf(at) = dag.node(*leaf).what else {
                    continue;
                };
                let node = dag.node(*is);
                point[at as usize] = match node.what {
                    What::Const(c) => self.differs.given(c, node.ty),
                    What::Leaf(i) => point[i as usize],
                    What::Apply(..) => continue,
                };
            }
            let differs = self.differs.judged(&point);
            seen |= differs == Some(false);
            differs != Some(true)
        });
        agree && seen
    }

    /// Whether the first of each pair is what these expressions are where the leaves are them, too.
    pub fn keeps(&self, leaves: &[Id], are: &[Id]) -> bool {
        let dag = self.differs.dag;
        let of: Vec<Id> = self.differs.pairs.iter().map(|p| p.0).collect();
        // What the operator's variables are is real, and far from where sums of them have no value.
        let others = |point: &[Number]| {
            let inner = |id: &Id| matches!(dag.node(*id).what, What::Leaf(_)).then_some(*id);
            let mut of = self.differs.cone.iter().filter_map(inner);
            of.all(|id| match (leaves.contains(&id), dag.node(id).what) {
                (false, What::Leaf(i)) => match point.get(i as usize) {
                    Some(Number::Machine(n)) => n.as_f64().abs() < 1e30,
                    _ => true,
                },
                _ => true,
            })
        };
        let points = self.points.iter().filter(|p| others(p));
        points.into_iter().all(|point| {
            let mut point = point.clone();
            let wanted = values(dag, Meaning::Machine, are, &point);
            for (leaf, is) in leaves.iter().zip(&wanted) {
                if let (What::Leaf(at), Some(is)) = (dag.node(*leaf).what, is) {
                    point[at as usize] = *is;
                }
            }
            let found = values(dag, Meaning::Machine, &of, &point);
            found.iter().zip(&wanted).all(|(a, b)| match (a, b) {
                (Some(Number::Machine(a)), Some(Number::Machine(b))) => {
                    a.same(*b) || a.as_f64() == b.as_f64()
                }
                _ => false,
            })
        })
    }

    /// Whether the first of each pair is close to the second wherever that is a modest number.
    pub fn close(&self, second: &[Id]) -> bool {
        let of: Vec<Id> = self.differs.pairs.iter().map(|p| p.0).collect();
        self.points.iter().all(|point| {
            let first = values(self.differs.dag, Meaning::Machine, &of, point);
            let second = values(self.differs.dag, Meaning::Machine, second, point);
            let modest = |n: &Option<Number>| match n {
                Some(Number::Machine(n)) => n.as_f64().abs() < 1e4,
                _ => false,
            };
            if !second.iter().all(modest) {
                return true;
            }
            first.iter().zip(&second).all(|(a, b)| match (a, b) {
                (Some(Number::Machine(a)), Some(Number::Machine(b))) => {
                    let (a, b) = (a.as_f64(), b.as_f64());
                    (a - b).abs() <= 1e-3 * (1.0 + b.abs())
                }
                _ => false,
            })
        })
    }
}
