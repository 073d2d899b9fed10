//! The meaning of a loop program on data.
//!
//! Comes in: a [`Nest`], a value for each of its sizes, the elements of each input; goes out: the elements of each
//! output, as numbers of `interp`. Invariants: total, and stricter than any machine that runs the program: an element
//! that is read before it is written, an index out of bounds, a variable or a buffer outside of its block, and two
//! iterations of a parallel loop one of which writes what the other touches are errors, whatever would come of them.
//! So a pass is right if what it makes of a program has the same value, and no error. Absent: time, memory of machines.
//!
//! Iterations of parallel loops run in order. That they might run in any other order with the same effect is what the
//! absence of races says: no element is written in one iteration and touched in another.

use super::abi::LARGEST;
use super::{
    walk, Assumption, Block, BufId, Expr, ExprKind, Guard, LoopKind, Nest, Shape, Slot, Stmt,
    StorageClass,
};
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::interp::{scalar, Elem, Num, Sizes};
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};
use std::fmt;

/// Statements that are run, and elements that are allocated, at most.
const LIMIT: u64 = 50_000_000;

/// Why a loop program has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// The program refuses these sizes, or an index among the inputs: it says so itself.
    Refused(String),
    /// The inputs are not of the interface.
    Argument(String),
    /// The program is wrong.
    Fault(Fault, String),
    /// More than 50 million statements or elements.
    TooLong,
}

/// What is wrong with a program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An element beyond the end of its buffer, or before its beginning.
    OutOfBounds,
    /// An element, a variable or a result that nothing was stored in.
    NeverWritten,
    /// Two iterations of a parallel loop touch one element or variable, and one of them writes it.
    Race,
    /// A variable or a buffer is used outside of its block.
    OutOfScope,
    /// An expression has no value, or a form that no statement may have.
    Meaningless,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            EvalError::Refused(what) => write!(f, "the program refuses this: {what}"),
            EvalError::Argument(what) | EvalError::Fault(_, what) => f.write_str(what),
            EvalError::TooLong => f.write_str("evaluation takes too long"),
        }
    }
}

impl std::error::Error for EvalError {}

type Res<T> = Result<T, EvalError>;
/// The lanes of a value.
type Lanes = SmallVec<[Num; 4]>;

/// The elements of each output of a program, row-major, on those of each input.
pub fn eval(nest: &Nest, sizes: &Sizes, inputs: &[Vec<Num>]) -> Res<Vec<Vec<Num>>> {
    let mut machine = Machine::new(nest, sizes);
    if let Some(missed) = machine.guarded() {
        return Err(EvalError::Refused(missed));
    }
    if let Some(missed) = machine.unmet(&nest.abi.assumptions)? {
        return Err(EvalError::Refused(missed));
    }
    if let Some(missed) = machine.unmet(&nest.abi.preferred)? {
        return match &nest.fallback {
            Some(other) => eval(other, sizes, inputs),
            None => Err(EvalError::Refused(missed)),
        };
    }
    machine.bind_interface(inputs)?;
    let outputs = machine.outputs();
    let counts = nest.entry.results.iter().map(|n| machine.nat(*n));
    let counts: Vec<i64> = counts.collect::<Res<_>>()?;
    if !counts.is_empty() && counts.iter().all(|n| *n == 0) {
        return Ok(vec![Vec::new(); outputs.len()]);
    }
    machine.block(&nest.body)?;
    outputs.into_iter().map(|b| machine.result(b)).collect()
}

/// A buffer.
#[derive(Default)]
struct Memory {
    cells: Vec<Option<Num>>,
    /// How many parallel loops were around where it was allocated: whatever these share.
    shared_below: usize,
    live: bool,
}

/// A variable.
struct Var {
    value: Option<Lanes>,
    /// As for memory.
    shared_below: usize,
}

/// A parallel loop that is being run.
struct Parallel {
    var: Symbol,
    iteration: i64,
    touched: FxHashMap<(usize, i64), Touched>,
}

/// Which iterations touched an element.
#[derive(Default)]
struct Touched {
    written: Option<i64>,
    /// The first two that read it.
    read: [Option<i64>; 2],
}

struct Machine<'a> {
    nest: &'a Nest,
    sizes: &'a Sizes,
    vars: FxHashMap<Symbol, Var>,
    /// By buffer; of those that share memory, the first has it.
    memory: Vec<Memory>,
    parallel: Vec<Parallel>,
    /// All loops around, with their iterations, for messages.
    around: Vec<(Symbol, i64)>,
    used: u64,
}

impl<'a> Machine<'a> {
    fn new(nest: &'a Nest, sizes: &'a Sizes) -> Machine<'a> {
        Machine {
            nest,
            sizes,
            vars: FxHashMap::default(),
            memory: nest.buffers.iter().map(|_| Memory::default()).collect(),
            parallel: Vec::new(),
            around: Vec::new(),
            used: 0,
        }
    }

    // ---- the interface

    /// The first guard that these sizes do not pass, beside that none is negative. There is one thread.
    fn guarded(&self) -> Option<String> {
        let value = |n: Nat| self.nat(n).ok();
        let sizes = self.nest.abi.sizes.iter().map(|s| Guard::Size(*s));
        let failed = |g: &Guard| match *g {
            Guard::Size(s) => !self
                .sizes
                .get(&s)
                .is_some_and(|n| (0..=LARGEST).contains(n)),
            // What has no value is used nowhere, as of rows of no element.
            Guard::Product { value: n, .. } => match self.defined(n) {
                Ok(n) => n.is_some_and(|n| n > LARGEST),
                Err(_) => true,
            },
            Guard::Bytes {
                len,
                elem_bytes,
                limit,
                ..
            } => value(len).is_none_or(|n| i128::from(n) * i128::from(elem_bytes) > 1 << limit),
        };
        let mut all = sizes.chain(self.nest.entry.guards.iter().cloned());
        all.find(failed).map(|g| match g {
            Guard::Size(s) => format!("{s} is no size"),
            Guard::Product { value, .. } => format!("{value} is too large"),
            Guard::Bytes { len, .. } => format!("{len} elements are too many"),
        })
    }

    /// The first assumption that these sizes do not meet.
    fn unmet(&self, all: &[Assumption]) -> Res<Option<String>> {
        for a in all {
            let met = match a {
                Assumption::Divides(d, n) => {
                    let (d, n) = (self.nat(*d)?, self.nat(*n)?);
                    d != 0 && n % d == 0
                }
                Assumption::NotNegative(n) => self.nat(*n)? >= 0,
            };
            if !met {
                return Ok(Some(a.to_string()));
            }
        }
        Ok(None)
    }

    fn bind_interface(&mut self, inputs: &[Vec<Num>]) -> Res<()> {
        let abi = &self.nest.abi;
        if inputs.len() != abi.inputs.len() {
            let what = format!("{} inputs for {}", inputs.len(), abi.inputs.len());
            return Err(EvalError::Argument(what));
        }
        for (i, b) in self
            .nest
            .buffers
            .iter()
            .enumerate()
            .filter(|b| b.1.alias.is_none())
        {
            let cells = match b.storage {
                StorageClass::Input(k) => self.input(&abi.inputs[k], &inputs[k])?,
                StorageClass::Output(k) => {
                    let len = self.nat(abi.outputs[k].count())?;
                    vec![None; self.len(len)?]
                }
                _ => continue,
            };
            self.memory[i] = Memory {
                cells,
                shared_below: 0,
                live: true,
            };
        }
        Ok(())
    }

    fn input(&self, slot: &Slot, given: &[Num]) -> Res<Vec<Option<Num>>> {
        if self.nat(slot.count())? != given.len() as i64 {
            let what = format!("{} elements for `{}`", given.len(), slot.name);
            return Err(EvalError::Argument(what));
        }
        if let Some(bound) = slot.bound {
            let bound = self.nat(bound)?;
            if let Some(x) = given.iter().find(|x| !(0..bound).contains(&x.int())) {
                let what = format!("{x:?} in `{}` is no index below {bound}", slot.name);
                return Err(EvalError::Refused(what));
            }
        }
        Ok(given.iter().copied().map(Some).collect())
    }

    /// Buffers of the outputs, in their order.
    fn outputs(&self) -> Vec<usize> {
        let buffers = self.nest.buffers.iter().enumerate();
        let own = buffers.filter(|(_, b)| b.alias.is_none());
        let mut all: Vec<(usize, usize)> = own
            .filter_map(|(i, b)| match b.storage {
                StorageClass::Output(k) => Some((k, i)),
                _ => None,
            })
            .collect();
        all.sort();
        all.into_iter().map(|(_, i)| i).collect()
    }

    fn result(&self, b: usize) -> Res<Vec<Num>> {
        let cells = self.memory[b].cells.iter().enumerate();
        let filled = cells.map(|(i, c)| {
            c.ok_or_else(|| {
                let what = format!("nothing is stored in `{}[{i}]`", self.nest.buffers[b].name);
                self.fault(Fault::NeverWritten, what)
            })
        });
        filled.collect()
    }

    // ---- errors

    fn fault(&self, kind: Fault, what: String) -> EvalError {
        let around: Vec<String> = (self.around.iter())
            .map(|(v, i)| format!("{v} = {i}"))
            .collect();
        let place = match around.is_empty() {
            true => String::new(),
            false => format!(", at {}", around.join(", ")),
        };
        EvalError::Fault(kind, format!("{what}{place}"))
    }

    fn spend(&mut self, n: u64) -> Res<()> {
        self.used = self.used.saturating_add(n);
        match self.used > LIMIT {
            true => Err(EvalError::TooLong),
            false => Ok(()),
        }
    }

    fn len(&mut self, len: i64) -> Res<usize> {
        let Ok(n) = u64::try_from(len) else {
            return Err(self.fault(Fault::Meaningless, format!("a buffer of {len} elements")));
        };
        self.spend(n)?;
        Ok(n as usize)
    }

    // ---- statements

    fn block(&mut self, block: &Block) -> Res<()> {
        for s in block {
            self.spend(1)?;
            self.stmt(s)?;
        }
        for s in block {
            match s {
                Stmt::Alloc(b) => self.memory[b.0 as usize].live = false,
                s => {
                    if let Some(v) = walk::declared(s) {
                        self.vars.remove(&v);
                    }
                }
            }
        }
        Ok(())
    }

    fn stmt(&mut self, s: &Stmt) -> Res<()> {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                ..
            } => self.run_loop(*var, self.nat(*extent)?, *kind, body)?,
            Stmt::If { cond, then, els } => match self.truth(cond)? {
                true => self.block(then)?,
                false => self.block(els)?,
            },
            Stmt::Let { var, value, .. } => {
                let value = value.as_ref().map(|e| self.expr(e)).transpose()?;
                self.declare(*var, value);
            }
            Stmt::Assign { var, value } => {
                let value = self.expr(value)?;
                self.assign(*var, value)?;
            }
            Stmt::Index { var, value } => {
                // It may stand before the choice that guards it: it has to have a value where it is used.
                let value = self.defined(*value)?;
                self.declare(*var, value.map(|n| smallvec![Num::Int(n)]));
            }
            Stmt::Alloc(b) => self.allocate(*b)?,
            // A hint may name what is not there.
            Stmt::Prefetch { .. } => {}
            Stmt::Store {
                buf, index, value, ..
            } => {
                let (value, at) = (self.expr(value)?, self.nat(*index)?);
                for (i, x) in value.into_iter().enumerate() {
                    self.store(*buf, at + i as i64, x)?;
                }
            }
        }
        Ok(())
    }

    fn run_loop(&mut self, var: Symbol, n: i64, kind: LoopKind, body: &Block) -> Res<()> {
        // Lanes and marked loops promise compilers the same as threads.
        use LoopKind::{Independent, Lanes, Par};
        let parallel = matches!(kind, Par | Lanes | Independent);
        if parallel {
            self.parallel.push(Parallel {
                var,
                iteration: 0,
                touched: FxHashMap::default(),
            });
        }
        for i in 0..n {
            if let Some(p) = self.parallel.last_mut().filter(|_| parallel) {
                p.iteration = i;
            }
            self.around.push((var, i));
            self.declare(var, Some(smallvec![Num::Int(i)]));
            self.block(body)?;
            self.around.pop();
        }
        self.vars.remove(&var);
        if parallel {
            self.parallel.pop();
        }
        Ok(())
    }

    fn declare(&mut self, var: Symbol, value: Option<Lanes>) {
        let shared_below = self.parallel.len();
        self.vars.insert(
            var,
            Var {
                value,
                shared_below,
            },
        );
    }

    fn assign(&mut self, var: Symbol, value: Lanes) -> Res<()> {
        let depth = self.parallel.len();
        let Some(v) = self.vars.get_mut(&var) else {
            return Err(self.fault(Fault::OutOfScope, format!("`{var}` is assigned here")));
        };
        if v.shared_below < depth {
            let by = self.parallel[v.shared_below].var;
            let what = format!("`{var}` is assigned by iterations of the parallel loop `{by}`");
            return Err(self.fault(Fault::Race, what));
        }
        v.value = Some(value);
        Ok(())
    }

    // ---- memory

    fn allocate(&mut self, b: BufId) -> Res<()> {
        self.has_memory(b)?;
        let buf = &self.nest.buffers[b.0 as usize];
        let len = self.nat(buf.len)?;
        self.memory[b.0 as usize] = Memory {
            cells: vec![None; self.len(len)?],
            // There is one piece of the heap, whoever uses it.
            shared_below: match buf.storage {
                StorageClass::Heap => 0,
                _ => self.parallel.len(),
            },
            live: true,
        };
        Ok(())
    }

    /// Fails where a buffer on the heap is used at sizes at which the arena has none for it.
    fn has_memory(&mut self, b: BufId) -> Res<()> {
        let nest = self.nest;
        let buf = &nest.buffers[b.0 as usize];
        let heap = matches!(buf.storage, StorageClass::Heap | StorageClass::ThreadHeap);
        let Some(parts) = nest.entry.arena.as_ref().filter(|_| heap) else {
            return Ok(());
        };
        let part = parts.iter().find(|p| p.buf == b);
        let mut has = part.is_some();
        for (cond, holds) in part.into_iter().flat_map(|p| &p.when) {
            has &= self.truth(cond)? == *holds;
        }
        match has {
            true => Ok(()),
            false => {
                let what = format!("there is no memory for `{}` at these sizes", buf.name);
                Err(self.fault(Fault::OutOfBounds, what))
            }
        }
    }

    /// The memory of a buffer, in which there has to be an element.
    fn place(&self, b: BufId, i: i64) -> Res<usize> {
        let root = self.nest.root(b).0 as usize;
        let (name, memory) = (self.nest.buffers[b.0 as usize].name, &self.memory[root]);
        if !memory.live {
            let what = format!("`{name}` is used outside of its block");
            return Err(self.fault(Fault::OutOfScope, what));
        }
        if i < 0 || i >= memory.cells.len() as i64 {
            let len = memory.cells.len();
            let what = format!("`{name}[{i}]` is not one of {len} elements");
            return Err(self.fault(Fault::OutOfBounds, what));
        }
        Ok(root)
    }

    fn load(&mut self, b: BufId, i: i64) -> Res<Num> {
        let root = self.place(b, i)?;
        if !matches!(self.nest.buffers[root].storage, StorageClass::Input(_)) {
            self.touch(root, i, false)?;
        }
        self.memory[root].cells[i as usize].ok_or_else(|| {
            let name = self.nest.buffers[b.0 as usize].name;
            self.fault(
                Fault::NeverWritten,
                format!("`{name}[{i}]` is read before it is written"),
            )
        })
    }

    fn store(&mut self, b: BufId, i: i64, x: Num) -> Res<()> {
        let root = self.place(b, i)?;
        if let StorageClass::Input(_) = self.nest.buffers[root].storage {
            let name = self.nest.buffers[root].name;
            return Err(self.fault(Fault::Meaningless, format!("the input `{name}` is written")));
        }
        self.touch(root, i, true)?;
        self.memory[root].cells[i as usize] = Some(x);
        Ok(())
    }

    fn touch(&mut self, root: usize, i: i64, write: bool) -> Res<()> {
        let mut race = None;
        for p in &mut self.parallel[self.memory[root].shared_below..] {
            let (own, seen) = (p.iteration, p.touched.entry((root, i)).or_default());
            let other = |by: &Option<i64>| by.filter(|j| *j != own);
            let reader = seen.read.iter().find_map(other).filter(|_| write);
            if let Some(j) = other(&seen.written).or(reader) {
                race = race.or(Some((p.var, own, j)));
            }
            match (write, seen.read) {
                (true, _) => seen.written = Some(own),
                (false, [None, _]) => seen.read[0] = Some(own),
                (false, [Some(j), None]) if j != own => seen.read[1] = Some(own),
                _ => {}
            }
        }
        let Some((var, a, b)) = race else {
            return Ok(());
        };
        let name = self.nest.buffers[root].name;
        let what =
            format!("iterations {b} and {a} of the parallel loop `{var}` share `{name}[{i}]`");
        Err(self.fault(Fault::Race, what))
    }

    // ---- expressions

    fn nat(&self, n: Nat) -> Res<i64> {
        self.defined(n)?
            .ok_or_else(|| self.fault(Fault::Meaningless, format!("`{n}` has no value")))
    }

    /// None where something is divided by 0, or made of what has no value.
    fn defined(&self, n: Nat) -> Res<Option<i64>> {
        let mut unknown = None;
        let mut found = |v: Symbol| {
            let value = match self.vars.get(&v) {
                Some(var) => var.value.as_ref().map(|x| x[0].int()),
                None => self.sizes.get(&v).copied(),
            };
            unknown = unknown.or(value.is_none().then_some(v));
            value
        };
        if let Some(value) = n.eval(&mut found) {
            return Ok(Some(value));
        }
        let mut by_nothing = false;
        n.each_atom(&mut |a| {
            use AtomKind::{Ceil, Floor, Mod, Quot};
            if let Floor(_, d) | Ceil(_, d) | Mod(_, d) | Quot(_, d) = a.kind() {
                by_nothing |= d.eval(&mut found) == Some(0);
            }
        });
        match unknown.filter(|v| !self.vars.contains_key(v)) {
            Some(v) => Err(self.fault(Fault::OutOfScope, format!("`{v}` has no value in `{n}`"))),
            None if by_nothing || unknown.is_some() => Ok(None),
            None => Err(self.fault(Fault::Meaningless, format!("`{n}` has no value"))),
        }
    }

    fn truth(&mut self, e: &Expr) -> Res<bool> {
        Ok(self.expr(e)?[0].truth())
    }

    fn expr(&mut self, e: &Expr) -> Res<Lanes> {
        let shape = e.shape();
        Ok(match e.kind() {
            ExprKind::Lit(l) => smallvec![self.literal(*l, shape.elem)?],
            ExprKind::Index(n) => smallvec![Num::Int(self.nat(*n)?)],
            ExprKind::Var(v) => self.variable(*v)?,
            ExprKind::Load(b, n) => {
                let at = self.nat(*n)?;
                let lanes = (0..i64::from(shape.lanes)).map(|l| self.load(*b, at + l));
                lanes.collect::<Res<_>>()?
            }
            ExprKind::Op(op, args) => self.op(*op, args, shape)?,
            ExprKind::Cast(a) => self.cast(a, Elem::Scalar(shape.elem))?,
            ExprKind::Clamp(a, n) => {
                let bound = self.nat(*n)?.clamp(0, u32::MAX.into()) as u32;
                self.cast(a, Elem::Idx(bound))?
            }
            ExprKind::Splat(a) => {
                let x = self.expr(a)?[0];
                smallvec![x; shape.lanes as usize]
            }
            ExprKind::Lane(a, i) => smallvec![self.expr(a)?[*i as usize]],
            ExprKind::Build(es) => {
                let lanes = es.iter().map(|e| Ok(self.expr(e)?[0]));
                lanes.collect::<Res<_>>()?
            }
            ExprKind::Pick(..) => {
                let what = "a lane is picked by an index".to_string();
                return Err(self.fault(Fault::Meaningless, what));
            }
        })
    }

    fn variable(&self, v: Symbol) -> Res<Lanes> {
        match self.vars.get(&v) {
            Some(Var { value: Some(x), .. }) => Ok(x.clone()),
            Some(_) => {
                let what = format!("`{v}` is read before it is assigned");
                Err(self.fault(Fault::NeverWritten, what))
            }
            None => Err(self.fault(Fault::OutOfScope, format!("`{v}` is read here"))),
        }
    }

    fn literal(&self, l: Lit, s: Scalar) -> Res<Num> {
        let whole = |x: i128| scalar::integer(x, s);
        Ok(match l {
            Lit::Bool(b) => Num::Int(i64::from(b)),
            Lit::F32(bits) => Num::F32(f32::from_bits(bits)),
            Lit::F64(bits) => Num::F64(f64::from_bits(bits)),
            Lit::Int(x) => whole(x),
            Lit::Size(n) => whole(self.nat(n)?.into()),
        })
    }

    fn cast(&mut self, a: &Expr, to: Elem) -> Res<Lanes> {
        let from = Elem::Scalar(a.shape().elem);
        let lanes = self.expr(a)?.into_iter();
        Ok(lanes.map(|x| scalar::cast(from, to, x)).collect())
    }

    fn op(&mut self, op: Op, args: &[Expr], shape: Shape) -> Res<Lanes> {
        // What is not asked for is not computed: there may be no such element.
        match (op, args) {
            (Op::And, [a, b]) if shape.lanes == 1 => {
                let both = self.truth(a)? && self.truth(b)?;
                return Ok(smallvec![Num::Int(both.into())]);
            }
            (Op::Or, [a, b]) if shape.lanes == 1 => {
                let any = self.truth(a)? || self.truth(b)?;
                return Ok(smallvec![Num::Int(any.into())]);
            }
            (Op::Select, [c, a, b]) if c.shape().lanes == 1 => {
                return match self.truth(c)? {
                    true => self.expr(a),
                    false => self.expr(b),
                };
            }
            _ => {}
        }
        let of = args.last().map_or(shape.elem, |e| e.shape().elem);
        let args: Vec<Lanes> = args.iter().map(|e| self.expr(e)).collect::<Res<_>>()?;
        if let (Op::Bitcast, [x]) = (op, &args[..]) {
            let to = shape.elem;
            return Ok(x.iter().map(|x| scalar::bitcast(of, to, *x)).collect());
        }
        let lane = |l: usize| {
            let args: SmallVec<[Num; 3]> = args.iter().map(|a| a[l]).collect();
            scalar::apply(op, of, &args)
        };
        let lanes: Option<Lanes> = (0..shape.lanes as usize).map(lane).collect();
        lanes.ok_or_else(|| {
            let what = format!("`{}` of {} operands", op.name(), args.len());
            self.fault(Fault::Meaningless, what)
        })
    }
}
