//! Values of elements, shared: what a loop program stores, and what a term is at an index, in one language.
//!
//! In: operations on values. Out: ids such that the same value has the same id. Invariants: what is equal by form is
//! equal; a reduction names its accumulators and its index by how deep it is, so that names say nothing. Absent: what is
//! known of sizes (`known`), when two values are equal that are not the same (`same`).
//!
//! Note [Cells]
//! While a loop, or a reduction of a term, is looked at, what its state was when an iteration began is a *cell*: of that
//! loop, a part of the state, and the place in it. What the loop leaves behind is a [`Fold`]: as many steps as the loop has
//! iterations, over the parts that the steps need, in the order in which they ask for them. Both sides are closed by the
//! same function (`fold`), so that equal loops are the same value.

use super::known::{Known, Mark};
use super::node::{nats, values, Seen};
use super::parts::tightened;
use super::Stuck;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::interp::{scalar, Num};
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

pub use super::node::{Fold, Inside, Node, Portion, Relation, Shape, Tensor, V};

pub type Res<T> = Result<T, Stuck>;

pub struct Values {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, V>,
    depths: Vec<u32>,
    undefined: Vec<bool>,
    /// The depths of the reductions whose state stands in each, as bits; all from the last one on have one.
    pub(super) states: Vec<u64>,
    /// Bits of the variables and of the loops of cells that stand in each; several have one.
    pub(super) marks: Vec<u128>,
    /// Indices that are values.
    names: FxHashMap<V, Symbol>,
    pub(super) named: FxHashMap<Symbol, V>,
    fresh: u32,
    /// Reductions that are looked at, in each other; what the names are there, by how many are around and how many steps there are;
    /// and steps that were looked at.
    pub open: usize,
    pub open_names: FxHashMap<(usize, Nat), (u32, Symbol)>,
    pub steps: FxHashMap<StepOf, Rc<[V]>>,
    pub known: Known,
    /// Bounds of the elements of inputs that are indices, and the types of elements.
    pub bounds: Vec<Option<Nat>>,
    pub types: Vec<Scalar>,
    /// Sizes, and how many elements arrays have: the function checks that they fit into 64 bits.
    pub sizes: Vec<Nat>,
    /// Those that were made, by loop, part, steps and what was known.
    pub tensors: FxHashMap<(u32, u32, Nat, u64), Rc<Tensor>>,
    /// Whether every step leaves an element of a state as it is.
    pub kept: FxHashMap<Stepped, bool>,
    /// The same as reductions, where they are made of few others.
    pub lonely: FxHashMap<Stepped, Option<V>>,
    /// States, and arrays of them, whose elements are made of too many others.
    pub spread: FxHashSet<(u32, u32)>,
    /// Values that were shown to be equal, and what was known; where states are compared, of which parts that holds.
    pub equal: FxHashMap<(V, V, u64), Option<Relation>>,
    /// States that were compared, by an element of each at any place, and what was known: whether they are the same. And where what was
    /// known begins for that: it is not asked again in each case.
    pub states_alike: FxHashMap<(V, V, u64), bool>,
    pub begins: Vec<Mark>,
    /// Where what is assumed of all elements of a result ends, and begins what is of one store.
    pub base: Option<Mark>,
    /// Where all is assumed that the function checks, and nothing else.
    pub told: Option<Mark>,
    /// Names of states that are compared, by how deep they are inside of others; and of their indices, by their numbers and bounds, too.
    pub compared: Vec<(u32, u32)>,
    pub compared_indices: FxHashMap<(usize, u32, Nat), Symbol>,
    /// States in steps of several.
    pub in_steps: FxHashMap<InSteps, Rc<Tensor>>,
    /// The values that were seen where one was looked through.
    pub(super) seen: RefCell<Seen>,
    /// The cells of loops in values.
    pub(super) cells_in: RefCell<CellsIn>,
    /// The variables in values.
    pub(super) variables: RefCell<FxHashMap<V, Rc<[Symbol]>>>,
    /// What stands in them.
    pub parts_of: FxHashMap<V, Rc<Inside>>,
    /// Dimensions of buffers that have several.
    pub dims: FxHashMap<u32, Vec<Nat>>,
    /// Indices of elements, by what was known.
    pub places: FxHashMap<(Nat, Vec<Nat>, u64), Option<Vec<Nat>>>,
    /// Contents of buffers, each with a number; of how many rows the tiles are that they were stored by; what these are.
    pub contents: FxHashMap<Vec<u64>, u32>,
    pub rows: FxHashMap<(u32, usize), Option<i64>>,
    pub tiles: FxHashMap<TileOf, Option<Tile>>,
    /// What values are by what was known, and whether they were written anew by it.
    pub refreshed: FxHashMap<(V, u64, bool), V>,
    /// Numbers with others in place of variables.
    pub(super) substitutions: FxHashMap<Substituted, Nat>,
    /// Comparisons that were asked for, and what was known.
    pub decided: FxHashMap<(V, u64), Option<bool>>,
    /// Whether what is known was seen to contradict itself, where there is no point.
    pub never: FxHashMap<u64, bool>,
    /// Whether values are written anew where something is assumed, and not only looked at.
    pub anew: bool,
    /// Whether values of an index are looked at one by one.
    pub by_values: bool,
    /// Choices around what is compared.
    pub choices: u32,
    /// Those that are being compared.
    pub relations: Vec<Relation>,
    pub work: u64,
    /// Something is an index of which nothing is known.
    pub wild: bool,
    /// How many questions about indices may be asked, and whether more would have been.
    pub questions: u64,
    pub ended: bool,
}

impl Default for Values {
    fn default() -> Values {
        Values {
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            depths: Vec::new(),
            undefined: Vec::new(),
            states: Vec::new(),
            marks: Vec::new(),
            names: FxHashMap::default(),
            seen: RefCell::default(),
            cells_in: RefCell::default(),
            variables: RefCell::default(),
            named: FxHashMap::default(),
            fresh: 0,
            open: 0,
            open_names: FxHashMap::default(),
            steps: FxHashMap::default(),
            known: Known::default(),
            bounds: Vec::new(),
            types: Vec::new(),
            sizes: Vec::new(),
            tensors: FxHashMap::default(),
            kept: FxHashMap::default(),
            lonely: FxHashMap::default(),
            spread: FxHashSet::default(),
            equal: FxHashMap::default(),
            states_alike: FxHashMap::default(),
            begins: Vec::new(),
            base: None,
            told: None,
            compared: Vec::new(),
            compared_indices: FxHashMap::default(),
            in_steps: FxHashMap::default(),
            parts_of: FxHashMap::default(),
            dims: FxHashMap::default(),
            places: FxHashMap::default(),
            contents: FxHashMap::default(),
            rows: FxHashMap::default(),
            tiles: FxHashMap::default(),
            refreshed: FxHashMap::default(),
            substitutions: FxHashMap::default(),
            decided: FxHashMap::default(),
            never: FxHashMap::default(),
            anew: false,
            by_values: false,
            choices: 0,
            relations: Vec::new(),
            work: 0,
            wild: false,
            questions: QUESTIONS,
            ended: false,
        }
    }
}

/// The steps of a reduction with its depth and number of steps, the state before a step, the number of that, and what was known.
pub type StepOf = (Vec<V>, (u32, Nat), Vec<V>, Nat, (u64, bool));

/// The loop of a state, its steps, a part with a place, and what was known.
type Stepped = (u32, Nat, Part, u64);

/// A number, and what stands in place of its variables.
type Substituted = (Nat, SmallVec<[(Symbol, Nat); 4]>);

/// A state with how many steps are before the first of several, how many of these there are, of how many steps each, and what was known.
type InSteps = (Rc<Tensor>, (Nat, Nat), i64, u64);

/// The number of a tile, that of a row in it, and the value of an element of that.
pub type Tile = (Symbol, Symbol, V);

/// The cells of a loop in a value, in the order in which they stand in it.
type CellsIn = FxHashMap<(V, u32), Rc<[V]>>;

/// A content, how many rows a tile has, how many there are, how long one is, the other indices, and what was known.
type TileOf = (u32, (i64, Nat, Nat), Nat, u64);

/// Questions about indices for one program, at most.
pub const QUESTIONS: u64 = 150_000;
/// Steps for each question that may be asked, at most: as few questions may take many, where values are long. Of the programs that are
/// shipped none takes as many for each that it asks.
const STEPS: u64 = 100;
/// Choices in each other in which constants are looked for.
const CHOICES: u32 = 6;
/// How names of the indices of reductions begin; no other name does.
pub const BOUND: &str = "%fold";
/// Integers that each type of floats has, but for the small ones.
const EXACT: u128 = SMALL as u128;
const SMALL: i64 = 100;

/// The value of an integer of a type.
fn constant(n: Num, of: Scalar) -> i128 {
    match of {
        Scalar::U64 => i128::from(n.int() as u64),
        _ => i128::from(n.int()),
    }
}

pub(super) fn state_bit(depth: u32) -> u64 {
    1 << depth.min(63)
}

/// Of the bits of a value, those of variables are the first.
const VARS: u32 = 96;

/// Those of all loops of cells.
pub(super) const CELLS: u128 = u128::MAX << VARS;

pub(super) fn var_bit(v: Symbol) -> u128 {
    1 << (v.id() % VARS)
}

pub(super) fn cell_bit(of: u32) -> u128 {
    1 << (VARS + of % (u128::BITS - VARS))
}

/// A part of the state of a loop.
pub type Part = (u32, SmallVec<[Nat; 2]>);

impl Values {
    /// With so many questions about indices.
    pub fn within(questions: u64) -> Values {
        Values {
            questions,
            ..Values::default()
        }
    }

    pub fn node(&self, v: V) -> &Node {
        &self.nodes[v.0 as usize]
    }

    pub fn depth(&self, v: V) -> u32 {
        self.depths[v.0 as usize]
    }

    /// How many values there are.
    pub(super) fn many(&self) -> usize {
        self.nodes.len()
    }

    /// Whether one of some bits may stand in it, see `marks`; all bits are those of any value.
    pub(super) fn is_marked(&self, v: V, bits: u128) -> bool {
        bits == u128::MAX || self.marks[v.0 as usize] & bits != 0
    }

    /// Whether the state of a reduction that is so deep may stand in it.
    pub fn has_state(&self, v: V, depth: u32) -> bool {
        self.states[v.0 as usize] & state_bit(depth) != 0
    }

    /// Whether something that was not written stands in it.
    pub fn has_undefined(&self, v: V) -> bool {
        self.undefined[v.0 as usize]
    }

    pub fn spend(&mut self, n: u64) -> Res<()> {
        self.work += n;
        self.ended |=
            self.work > self.questions.saturating_mul(STEPS) || self.known.asked() > self.questions;
        match self.ended {
            true => Err(Stuck::new("it takes too long to decide")),
            false => Ok(()),
        }
    }

    /// A number that was not given before.
    pub fn number(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    /// The number of a content.
    pub fn content(&mut self, said: Vec<u64>) -> u32 {
        let next = self.contents.len() as u32;
        *self.contents.entry(said).or_insert(next)
    }

    /// A variable that stands nowhere.
    pub fn symbol(&mut self, base: &str) -> Symbol {
        let n = self.number();
        Symbol::new(&format!("%{n}:{base}"))
    }

    pub fn make(&mut self, node: Node) -> V {
        if let Some(v) = self.ids.get(&node) {
            return *v;
        }
        let (mut depth, mut undefined) = match &node {
            Node::Fold(f) => (f.depth, false),
            node => (0, matches!(node, Node::Undef)),
        };
        let mut states = match &node {
            Node::Acc(depth, _) => state_bit(*depth),
            _ => 0,
        };
        let mut marks = match &node {
            Node::Cell(of, ..) => cell_bit(*of),
            _ => 0,
        };
        nats(&node).for_each(|n| marks = n.vars().iter().fold(marks, |m, v| m | var_bit(*v)));
        let mut part = |v: V| {
            states |= self.states[v.0 as usize];
            marks |= self.marks[v.0 as usize];
            depth = depth.max(self.depth(v));
            undefined |= self.has_undefined(v);
        };
        values(&node).into_iter().for_each(&mut part);
        if !self.named.is_empty() {
            nats(&node).for_each(|n| self.names_in(n).into_iter().for_each(|(_, v)| part(v)));
        }
        if let Node::Fold(f) = &node {
            states &= !state_bit(f.depth) | state_bit(u32::MAX);
        }
        let v = V(self.nodes.len() as u32);
        self.states.push(states);
        self.marks.push(marks);
        self.nodes.push(node.clone());
        self.depths.push(depth);
        self.undefined.push(undefined);
        self.ids.insert(node, v);
        v
    }

    pub fn index(&mut self, n: Nat) -> V {
        self.make(Node::Idx(n))
    }

    pub fn bool(&mut self, b: bool) -> V {
        self.make(Node::Lit(Lit::Bool(b), Scalar::Bool))
    }

    pub fn lit(&mut self, l: Lit, s: Scalar) -> V {
        match (l, s) {
            (Lit::Size(n), _) => {
                let n = self.known.simplify(n);
                let n = self.index(n);
                self.cast(n, Scalar::I64, s)
            }
            (Lit::Int(i), Scalar::I64) if i64::try_from(i).is_ok() => {
                self.index(Nat::int(i as i64))
            }
            (Lit::Int(i), _) if s.is_float() && i.unsigned_abs() <= EXACT => {
                self.make(Node::Lit(Lit::number(i as f64, s), s))
            }
            _ => self.make(Node::Lit(l, s)),
        }
    }

    pub fn as_index(&self, v: V) -> Option<Nat> {
        match self.node(v) {
            Node::Idx(n) => Some(*n),
            _ => None,
        }
    }

    /// The values that stand in an index by a name.
    pub fn names_in(&self, n: Nat) -> Vec<(Symbol, V)> {
        let vars = n.vars();
        let named = |s: &Symbol| Some((*s, *self.named.get(s)?));
        vars.iter().filter_map(named).collect()
    }

    pub fn input(&mut self, slot: u32, at: Nat) -> V {
        self.make(Node::In(slot, at))
    }

    /// The value as an index; one that is not known by its form has a name.
    pub fn nat(&mut self, v: V) -> Nat {
        if let Node::Idx(n) = self.node(v) {
            return *n;
        }
        let range = self.bounded(v, CHOICES);
        if let Some(s) = self.names.get(&v) {
            return Nat::var(*s);
        }
        let range = match range {
            Some(n) => Some((Nat::int(0), n - Nat::int(1))),
            None => (self.constants(v, CHOICES))
                .or_else(|| self.ends_of_choice(v))
                .filter(|ends| ends.0 >= 0)
                .map(|(lo, hi)| (Nat::int(lo), Nat::int(hi))),
        };
        let s = self.symbol("d");
        self.names.insert(v, s);
        self.named.insert(s, v);
        match range {
            Some((lo, hi)) => self.known.range(s, lo, hi),
            // It may be negative, which a variable without a range is not.
            None => self.wild = true,
        }
        Nat::var(s)
    }

    /// What an index is below, whichever of some it is.
    fn bounded(&self, v: V, choices: u32) -> Option<Nat> {
        let choices = choices.checked_sub(1)?;
        match self.node(v) {
            Node::Clamp(_, n) if self.known.at_least(*n, Nat::int(1)) => Some(*n),
            // Of no elements there is none to ask for.
            Node::Clamp(_, n) => Some((*n).max(Nat::int(1))),
            Node::In(slot, _) => self.bounds.get(*slot as usize).copied().flatten(),
            Node::Table(_, all) => self.all_bounded(all, choices),
            Node::Op(Op::Select, _, args) => self.all_bounded(&args[1..], choices),
            _ => None,
        }
    }

    fn all_bounded(&self, all: &[V], choices: u32) -> Option<Nat> {
        let (first, others) = all.split_first()?;
        let n = self.bounded(*first, choices)?;
        let alike = |v: &V| self.bounded(*v, choices) == Some(n);
        others.iter().all(alike).then_some(n)
    }

    /// The least and the largest of constants, if a value is one of some by a few choices and reductions in each other.
    fn constants(&self, v: V, choices: u32) -> Option<(i64, i64)> {
        let mut ends = None;
        let only = self.are_constants(&[v], choices, &mut Vec::new(), &mut ends);
        ends.filter(|_| only)
    }

    /// Whether values are made of choices between constants, of which the ends are noted. The state of a reduction that is around is one of
    /// those that are noted for that.
    fn are_constants(
        &self,
        all: &[V],
        choices: u32,
        around: &mut Vec<u32>,
        ends: &mut Option<(i64, i64)>,
    ) -> bool {
        let mut is = |v: &V| {
            let (inside, reduction): (Vec<V>, _) = match self.node(*v) {
                Node::Idx(n) => {
                    let Some(n) = n.as_int() else { return false };
                    let (lo, hi) = ends.unwrap_or((n, n));
                    *ends = Some((lo.min(n), hi.max(n)));
                    return true;
                }
                Node::Acc(depth, _) => return around.contains(depth),
                Node::Op(Op::Select, _, args) => (args[1..].to_vec(), None),
                Node::Table(_, all) => (all.to_vec(), None),
                Node::Fold(f) => {
                    let parts = f.starts.iter().chain(&f.steps).copied();
                    (parts.collect(), Some(f.depth))
                }
                _ => return false,
            };
            let Some(fewer) = choices.checked_sub(1) else {
                return false;
            };
            let many = around.len();
            around.extend(reduction);
            let are = self.are_constants(&inside, fewer, around, ends);
            around.truncate(many);
            are
        };
        all.iter().all(&mut is)
    }

    pub fn cast(&mut self, v: V, from: Scalar, to: Scalar) -> V {
        if from == to {
            return v;
        }
        if let (Scalar::I64, Some(n)) = (to, self.widened(v)) {
            return self.index(n);
        }
        // Bits that are taken apart before numbers without a sign are widened are those that are taken apart behind.
        if from.is_int() && to.is_int() && !from.is_signed() && to.bytes() > from.bytes() {
            if let Node::Op(op @ (Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shr), _, args) =
                self.node(v).clone()
            {
                let wide: Vec<V> = args.iter().map(|a| self.cast(*a, from, to)).collect();
                return self.op(op, to, &wide);
            }
        }
        // What is computed when it is compiled is a constant there.
        let known = match self.node(v) {
            Node::Lit(Lit::Int(i), of) if of.is_int() => Some(*i),
            // Numbers of f16 and bf16 are numbers of f32.
            Node::Lit(l @ Lit::F32(bits), of) if of.is_half() && to == Scalar::F32 => {
                let x = f32::from_bits(*bits);
                let lit = Node::Lit(*l, to);
                return match of.rounded(x).to_bits() == *bits {
                    true => self.make(lit),
                    false => self.make(Node::Cast(v, from, to)),
                };
            }
            Node::Idx(n) if from == Scalar::I64 => n.as_int().map(i128::from),
            _ => None,
        };
        match known {
            Some(i) if to.is_int() => {
                let wrapped = constant(scalar::integer(i, to), to);
                self.lit(Lit::Int(wrapped), to)
            }
            Some(i) if to != Scalar::Bool && (0..=SMALL.into()).contains(&i) => {
                self.lit(Lit::Int(i), to)
            }
            _ => self.make(Node::Cast(v, from, to)),
        }
    }

    /// An operation on scalars, where what is known decides choices and comparisons.
    pub fn op(&mut self, op: Op, of: Scalar, args: &[V]) -> V {
        match (op, args) {
            (Op::Select, [c, a, b]) => {
                return match self.decide(*c) {
                    Some(true) => *a,
                    Some(false) => *b,
                    None if a == b => *a,
                    None if a == c => self.op(Op::Or, of, &[*c, *b]),
                    None if b == c => self.op(Op::And, of, &[*c, *a]),
                    None if self.is_truth(*a, true) => self.op(Op::Or, of, &[*c, *b]),
                    None if self.is_truth(*b, false) => self.op(Op::And, of, &[*c, *a]),
                    None if self.is_truth(*a, false) => {
                        let not = self.not(*c);
                        self.op(Op::And, of, &[not, *b])
                    }
                    None if self.is_truth(*b, true) => {
                        let not = self.not(*c);
                        self.op(Op::Or, of, &[not, *a])
                    }
                    None => match self.of_order(of, *c, (*a, *b)) {
                        Some(v) => v,
                        None => self.make(Node::Op(op, of, args.into())),
                    },
                }
            }
            // What is known of one side leaves the other.
            (Op::And | Op::Or, [a, b]) => {
                for (one, other) in [(*a, *b), (*b, *a)] {
                    match self.decide(one) {
                        Some(holds) if holds == (op == Op::And) => return other,
                        Some(holds) => return self.bool(holds),
                        None => {}
                    }
                }
            }
            // What has no sign has no other amount.
            (Op::Abs, [a]) if of.is_int() && !of.is_signed() => return *a,
            (Op::Gt, [a, b]) => return self.op(Op::Lt, of, &[*b, *a]),
            (Op::Ge, [a, b]) => return self.op(Op::Le, of, &[*b, *a]),
            // As of what is no number.
            (Op::Lt, [a, b]) if a == b => return self.bool(false),
            (Op::Le, [a, b]) if a == b && !self.indices(args) => return self.op(Op::Eq, of, args),
            (Op::Lt | Op::Le, [a, b]) => {
                if let (Some(a), Some(b)) = (self.as_index(*a), self.as_index(*b)) {
                    return self.not_negative(b - a - Nat::int(i64::from(op == Op::Lt)));
                }
            }
            _ => {}
        }
        if let (Scalar::I64, [a, b], true) = (of, args, self.indices(args)) {
            let (a, b) = (self.nat(*a), self.nat(*b));
            if let Some(n) = self.of_numbers(op, a, b) {
                return self.index(n);
            }
        }
        if let Some(known) = self.of_constants(op, of, args) {
            return self.lit(Lit::Int(known), of);
        }
        if let Some(v) = self.of_operands(op, of, args) {
            return v;
        }
        let v = self.make(Node::Op(op, of, args.into()));
        match of == Scalar::Bool && !matches!(op, Op::Select) {
            true => match self.decide(v) {
                Some(b) => self.bool(b),
                None => v,
            },
            false => v,
        }
    }

    /// A choice of one of two integers by which is smaller, each as it is compared or converted, as what it is.
    fn of_order(&mut self, of: Scalar, c: V, (a, b): (V, V)) -> Option<V> {
        let Node::Op(Op::Lt | Op::Le, _, args) = self.node(c) else {
            return None;
        };
        let (x, y) = (*args.first()?, *args.get(1)?);
        let converted = |v: V| match self.node(v) {
            Node::Cast(v, from, to) => (*to == of && (*v == x || *v == y)).then_some(*from),
            _ => None,
        };
        let from = converted(a).or(converted(b)).unwrap_or(of);
        if !from.is_int() || !of.is_int() {
            return None;
        }
        let (small, large) = (self.cast(x, from, of), self.cast(y, from, of));
        let op = match (a == small && b == large, a == large && b == small) {
            (true, _) => Op::Min,
            (_, true) => Op::Max,
            _ => return None,
        };
        let (x, y) = match self.node(x) {
            Node::Lit(..) => (y, x),
            _ => (x, y),
        };
        let which = self.op(op, from, &[x, y]);
        Some(self.cast(which, from, of))
    }

    fn is_truth(&self, v: V, truth: bool) -> bool {
        matches!(self.node(v), Node::Lit(Lit::Bool(b), _) if *b == truth)
    }

    /// What an operation on constant integers is.
    fn of_constants(&self, op: Op, of: Scalar, args: &[V]) -> Option<i128> {
        let simple = matches!(
            op,
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Min | Op::Max | Op::Neg | Op::Abs
        );
        if !simple || !of.is_int() {
            return None;
        }
        let number = |v: &V| match self.node(*v) {
            Node::Lit(Lit::Int(i), _) => Some(scalar::integer(*i, of)),
            Node::Idx(n) => n.as_int().map(Num::Int),
            _ => None,
        };
        let args: SmallVec<[Num; 2]> = args.iter().map(number).collect::<Option<_>>()?;
        Some(constant(scalar::apply(op, of, &args)?, of))
    }

    fn indices(&self, args: &[V]) -> bool {
        args.iter().all(|a| self.as_index(*a).is_some())
    }

    /// Comparisons of indices have one form: a number is at least 0.
    fn not_negative(&mut self, n: Nat) -> V {
        if let Some(n) = n.as_int() {
            return self.bool(n >= 0);
        }
        let sides = [Nat::int(0), tightened(n)].map(|n| self.index(n));
        let v = self.make(Node::Op(Op::Le, Scalar::Bool, sides.into_iter().collect()));
        match self.decide(v) {
            Some(b) => self.bool(b),
            None => v,
        }
    }

    pub fn not(&mut self, c: V) -> V {
        self.op(Op::Not, Scalar::Bool, &[c])
    }

    /// `a < b`, `a <= b` or `a == b` of indices.
    pub fn compare(&mut self, op: Op, a: Nat, b: Nat) -> V {
        let (a, b) = match op {
            Op::Eq => self.known.without_remainders(a, b),
            _ => (a, b),
        };
        let (a, b) = (self.index(a), self.index(b));
        self.op(op, Scalar::Bool, &[a, b])
    }

    /// Whether two places are one.
    pub fn is_at(&mut self, a: Nat, b: Nat) -> V {
        let between = self.simplify(b - a);
        self.compare(Op::Eq, between, Nat::int(0))
    }

    pub fn simplify(&mut self, n: Nat) -> Nat {
        self.known.simplify(n)
    }

    /// At least 0, and at most the number before one.
    pub fn clamp(&mut self, a: V, n: Nat) -> V {
        match self.as_index(a).or_else(|| self.widened(a)) {
            _ if n == Nat::int(1) => self.index(Nat::int(0)),
            Some(i) => {
                let i = i.min(n - Nat::int(1)).max(Nat::int(0));
                let i = self.simplify(i);
                self.index(i)
            }
            None => self.make(Node::Clamp(a, n)),
        }
    }

    /// The value of which the index is.
    pub fn table(&mut self, n: Nat, all: &[V]) -> V {
        match all.split_first() {
            Some((first, rest)) if rest.iter().all(|v| v == first) => *first,
            _ => match self.evenly(n, all) {
                Some(index) => self.index(index),
                None => self.make(Node::Table(n, all.into())),
            },
        }
    }

    /// The index at a place of indices each of which is as far from the one before as all are.
    fn evenly(&mut self, n: Nat, all: &[V]) -> Option<Nat> {
        let all: Vec<Nat> = all
            .iter()
            .map(|v| self.as_index(*v))
            .collect::<Option<_>>()?;
        let (first, by) = (*all.first()?, *all.get(1)? - *all.first()?);
        let even = all.windows(2).all(|two| two[1] - two[0] == by);
        even.then(|| self.simplify(first + by * n))
    }
}
