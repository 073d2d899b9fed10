//! A loop program from its form in a file.
//!
//! In: the form. Out: the loop program, or the first thing in it that is none. Invariants: every buffer, value, block and
//! annotation that is named is there, and a table's entry names earlier ones only, so that all of it is finite; a value
//! has as many operands as its operation takes, and lanes that fit. Absent: whether it means anything (`nest::eval`).

use super::index::parse;
use super::{
    Assumption, Buffer, Function, Guard, Is, Order, Part, Role, Slot, Stmt, Storage, Value,
};
use crate::intern::Symbol;
use crate::nest::{
    self, Abi, Block, BufId, Computed, Entry, ErrorCode, Expr, ExprKind, LoopKind, Nest, Shape,
    StorageClass, WhatId,
};
use crate::term::{Lit, Op, Sort};
use crate::ty::Scalar;
use std::collections::BTreeMap;

type Res<T> = Result<T, String>;

/// Lanes of a vector, at most.
const MAX_LANES: u32 = 1 << 10;
/// Nodes of a value as a tree, at most.
const MAX_SIZE: u32 = 1 << 24;
/// Operations, or blocks, in each other, at most.
const DEEPEST: usize = 2000;

/// The function of a form.
pub fn nest(f: &Function) -> Res<Nest> {
    let mut reader = Reader {
        form: f,
        values: Vec::new(),
        blocks: Vec::new(),
        declared: declared(f)?,
        deepest: 0,
    };
    for v in &f.values {
        reader.deepest = 0;
        let e = reader.value(v)?;
        reader.values.push((e, reader.deeper()?));
    }
    for b in &f.blocks {
        reader.deepest = 0;
        let block = b.iter().map(|s| reader.stmt(s)).collect::<Res<Block>>()?;
        let depth = reader.deeper()?;
        reader.blocks.push(Some((block, depth)));
    }
    let body = reader.block(f.body)?;
    let slots = |all: &[Slot]| all.iter().map(slot).collect::<Res<Vec<_>>>();
    let arena = f.arena.as_ref().map(|parts| {
        let parts = parts.iter().map(|p| reader.part(p));
        parts.collect::<Res<Vec<_>>>()
    });
    let fallback = f.fallback.as_ref().map(|f| nest(f)).transpose()?;
    Ok(Nest {
        abi: Abi {
            name: f.name.clone(),
            outputs: slots(&f.outputs)?,
            sizes: f.sizes.iter().map(|s| Symbol::new(s)).collect(),
            inputs: slots(&f.inputs)?,
            assumptions: all(&f.assumptions, assumption)?,
            preferred: all(&f.preferred, assumption)?,
            errors: (f.errors.iter())
                .map(|e| ErrorCode {
                    name: e.name.clone(),
                    code: e.code,
                    meaning: Symbol::new(&e.meaning).as_str(),
                })
                .collect(),
        },
        entry: Entry {
            guards: all(&f.guards, guard)?,
            results: all(&f.results, |n| parse(n))?,
            arena: arena.transpose()?,
            shares: (f.shares.iter())
                .map(|(v, n)| Ok((Symbol::new(v), parse(n)?)))
                .collect::<Res<_>>()?,
            statics: f.statics.iter().map(|v| Symbol::new(v)).collect(),
        },
        buffers: buffers(f)?,
        computed: (f.computed.iter())
            .map(|c| Computed {
                role: role(c.role),
                term: None,
            })
            .collect(),
        body,
        lanes_of_iterations: Vec::new(),
        shared_by_iterations: Default::default(),
        fallback: fallback.map(Box::new),
    })
}

fn all<A, B>(of: &[A], read: impl Fn(&A) -> Res<B>) -> Res<Vec<B>> {
    of.iter().map(read).collect()
}

fn scalar(name: &str) -> Res<Scalar> {
    Scalar::from_name(name).ok_or_else(|| format!("`{name}` is no type of elements"))
}

fn shape(elem: &str, lanes: u32) -> Res<Shape> {
    let elem = scalar(elem)?;
    if lanes == 0 || lanes > MAX_LANES || !lanes.is_power_of_two() {
        return Err(format!("no vector has {lanes} lanes"));
    }
    Ok(Shape { elem, lanes })
}

/// The shape of each variable, which is the same wherever one of that name is declared.
fn declared(f: &Function) -> Res<BTreeMap<Symbol, Shape>> {
    let mut all = BTreeMap::new();
    for s in f.blocks.iter().flatten() {
        let Stmt::Let {
            var, elem, lanes, ..
        } = s
        else {
            continue;
        };
        let own = shape(elem, *lanes)?;
        if *all.entry(Symbol::new(var)).or_insert(own) != own {
            return Err(format!("the variable `{var}` is declared with two types"));
        }
    }
    Ok(all)
}

fn slot(s: &Slot) -> Res<nest::Slot> {
    Ok(nest::Slot {
        name: s.name.clone(),
        param: s.param,
        elem: scalar(&s.elem)?,
        bound: s.bound.as_deref().map(parse).transpose()?,
        dims: all(&s.dims, |n| parse(n))?,
        by_value: s.by_value,
    })
}

fn assumption(a: &Assumption) -> Res<nest::Assumption> {
    Ok(match a {
        Assumption::Divides { divisor, size } => {
            nest::Assumption::Divides(parse(divisor)?, parse(size)?)
        }
        Assumption::NotNegative(n) => nest::Assumption::NotNegative(parse(n)?),
    })
}

fn guard(g: &Guard) -> Res<nest::Guard> {
    Ok(match g {
        Guard::Size(s) => nest::Guard::Size(Symbol::new(s)),
        Guard::Product { value, operations } => nest::Guard::Product {
            value: parse(value)?,
            operations: *operations,
        },
        Guard::Bytes {
            len,
            elem_bytes,
            each_thread,
            limit,
        } => nest::Guard::Bytes {
            len: parse(len)?,
            elem_bytes: *elem_bytes,
            each_thread: *each_thread,
            limit: *limit,
        },
    })
}

fn role(r: Role) -> nest::Role {
    match r {
        Role::Result => nest::Role::Result,
        Role::Kept => nest::Role::Kept,
        Role::Start => nest::Role::Start,
        Role::Step => nest::Role::Step,
        Role::Copy => nest::Role::Copy,
    }
}

fn buffers(f: &Function) -> Res<Vec<nest::Buffer>> {
    let one = |(i, b): (usize, &Buffer)| {
        let storage = match b.storage {
            Storage::Input(k) if k < f.inputs.len() => StorageClass::Input(k),
            Storage::Output(k) if k < f.outputs.len() => StorageClass::Output(k),
            Storage::Input(_) | Storage::Output(_) => {
                return Err(format!("`{}` is no part of the interface", b.name))
            }
            Storage::Stack => StorageClass::Stack,
            Storage::Heap => StorageClass::Heap,
            Storage::ThreadHeap => StorageClass::ThreadHeap,
            Storage::Gone => StorageClass::Gone,
        };
        // A second name stands after the first, so that there is a first.
        if b.alias.is_some_and(|a| a >= i) {
            return Err(format!(
                "`{}` is a second name of no earlier buffer",
                b.name
            ));
        }
        Ok(nest::Buffer {
            name: Symbol::new(&b.name),
            elem: scalar(&b.elem)?,
            len: parse(&b.len)?,
            storage,
            alias: b.alias.map(|a| BufId(a as u32)),
        })
    };
    f.buffers.iter().enumerate().map(one).collect()
}

/// Whether an operation is one of scalars, with so many operands.
fn is_scalar_operation(op: Op, operands: usize) -> bool {
    use Sort::{Arithmetic, Bits, Comparison, Function, Logic};
    let of_scalars = matches!(
        op.sort(),
        Arithmetic(_) | Bits(_) | Comparison(_) | Function(_) | Logic(_)
    );
    (op == Op::Select || of_scalars) && op.arity(&[]) == operands
}

struct Reader<'a> {
    form: &'a Function,
    /// With their depths.
    values: Vec<(Expr, usize)>,
    /// Each is taken once; with their depths.
    blocks: Vec<Option<(Block, usize)>>,
    /// The shapes of variables.
    declared: BTreeMap<Symbol, Shape>,
    /// Of what the present entry names.
    deepest: usize,
}

impl Reader<'_> {
    fn buffer(&self, b: usize) -> Res<BufId> {
        match b < self.form.buffers.len() {
            true => Ok(BufId(b as u32)),
            false => Err(format!("there is no buffer {b}")),
        }
    }

    fn deeper(&self) -> Res<usize> {
        match self.deepest < DEEPEST {
            true => Ok(self.deepest + 1),
            false => Err("it is nested too deeply".to_string()),
        }
    }

    fn at(&mut self, v: usize) -> Res<Expr> {
        let Some((e, depth)) = self.values.get(v) else {
            return Err(format!("value {v} is used before it is there"));
        };
        self.deepest = self.deepest.max(*depth);
        Ok(e.clone())
    }

    /// A variable that is used, or given a value, of some shape: the one that it was declared with.
    fn variable(&self, name: &str, shape: Shape) -> Res<Symbol> {
        let var = Symbol::new(name);
        match self.declared.get(&var).is_none_or(|own| *own == shape) {
            true => Ok(var),
            false => Err(format!(
                "the variable `{name}` is declared with another type"
            )),
        }
    }

    fn operands(&mut self, of: &[usize]) -> Res<Vec<Expr>> {
        of.iter().map(|v| self.at(*v)).collect()
    }

    fn block(&mut self, b: usize) -> Res<Block> {
        let Some((block, depth)) = self.blocks.get_mut(b).and_then(Option::take) else {
            return Err(format!("block {b} is used twice, or before it is there"));
        };
        self.deepest = self.deepest.max(depth);
        Ok(block)
    }

    fn part(&mut self, p: &Part) -> Res<nest::Part> {
        let when = p.when.iter().map(|c| Ok((self.at(c.value)?, c.holds)));
        let when = when.collect::<Res<_>>()?;
        Ok(nest::Part {
            buf: self.buffer(p.buffer)?,
            each_thread: p.each_thread,
            when,
        })
    }

    /// A scalar condition, or one for each lane.
    fn value(&mut self, v: &Value) -> Res<Expr> {
        let shape = shape(&v.elem, v.lanes)?;
        let kind = self.kind(&v.is, shape)?;
        let e = Expr::new(kind, shape);
        match e.size() > MAX_SIZE {
            true => Err("a value is too large".to_string()),
            false => Ok(e),
        }
    }

    fn kind(&mut self, is: &Is, shape: Shape) -> Res<ExprKind> {
        let fits = |holds: bool, what: &str| match holds {
            true => Ok(()),
            false => Err(format!(
                "{what} does not have the shape that it is said to have"
            )),
        };
        let single = |e: &Expr| e.shape().lanes == 1 && e.shape().elem == shape.elem;
        let plain = shape.lanes == 1;
        Ok(match is {
            Is::Bool(b) => {
                fits(plain, "a constant")?;
                ExprKind::Lit(Lit::Bool(*b))
            }
            Is::Int(text) => {
                fits(plain, "a constant")?;
                let int = text.parse();
                ExprKind::Lit(Lit::Int(
                    int.map_err(|_| format!("`{text}` is no integer"))?,
                ))
            }
            Is::F32(bits) => {
                fits(
                    plain && shape.elem.is_float() && shape.elem != Scalar::F64,
                    "a constant",
                )?;
                ExprKind::Lit(Lit::F32(*bits))
            }
            Is::F64(bits) => {
                fits(plain && shape.elem == Scalar::F64, "a constant")?;
                ExprKind::Lit(Lit::F64(*bits))
            }
            Is::Size(n) => {
                fits(plain, "a constant")?;
                ExprKind::Lit(Lit::Size(parse(n)?))
            }
            Is::Var(v) => ExprKind::Var(self.variable(v, shape)?),
            Is::Index(n) => {
                fits(shape == Shape::index(), "an index")?;
                ExprKind::Index(parse(n)?)
            }
            Is::Load { buffer, index } => {
                let buf = self.buffer(*buffer)?;
                let elem = scalar(&self.form.buffers[*buffer].elem)?;
                fits(elem == shape.elem, "what is loaded")?;
                ExprKind::Load(buf, parse(index)?)
            }
            Is::Op { op, of } => self.op(op, of, shape)?,
            Is::Cast(a) => {
                let a = self.at(*a)?;
                fits(a.shape().lanes == shape.lanes, "a conversion")?;
                ExprKind::Cast(a)
            }
            Is::Clamp { value, bound } => {
                fits(shape == Shape::index(), "an index")?;
                ExprKind::Clamp(self.at(*value)?, parse(bound)?)
            }
            Is::Splat(a) => {
                let a = self.at(*a)?;
                fits(single(&a), "a vector")?;
                ExprKind::Splat(a)
            }
            Is::Lane { value, lane } => {
                let a = self.at(*value)?;
                let is_lane = *lane < a.shape().lanes && a.shape().elem == shape.elem;
                fits(plain && is_lane, "a lane")?;
                ExprKind::Lane(a, *lane)
            }
            Is::Build(parts) => {
                let parts = self.operands(parts)?;
                let whole = parts.len() as u32 == shape.lanes && parts.iter().all(single);
                fits(whole, "a vector")?;
                ExprKind::Build(parts)
            }
            Is::Pick { .. } => {
                return Err("a lane that is picked by an index has no place in a file".into())
            }
        })
    }

    fn op(&mut self, name: &str, of: &[usize], shape: Shape) -> Res<ExprKind> {
        let Some(op) = Op::from_name(name) else {
            return Err(format!("`{name}` is no operation"));
        };
        let of = self.operands(of)?;
        // A condition of a choice may be one for all lanes.
        let lanes = of.iter().enumerate().all(|(i, a)| {
            a.shape().lanes == shape.lanes
                || i == 0 && op == Op::Select && a.shape() == Shape::scalar(Scalar::Bool)
        });
        match lanes && is_scalar_operation(op, of.len()) {
            true => Ok(ExprKind::Op(op, of)),
            false => Err(format!("`{name}` has operands that it does not take")),
        }
    }

    fn what(&self, w: usize) -> Res<WhatId> {
        match w < self.form.computed.len() {
            true => Ok(WhatId(w as u32)),
            false => Err(format!("there is no annotation {w}")),
        }
    }

    fn stmt(&mut self, s: &Stmt) -> Res<nest::Stmt> {
        Ok(match s {
            Stmt::For {
                var,
                extent,
                order,
                body,
                note,
            } => nest::Stmt::For {
                var: Symbol::new(var),
                extent: parse(extent)?,
                kind: match order {
                    Order::Seq => LoopKind::Seq,
                    Order::Par => LoopKind::Par,
                    Order::Lanes => LoopKind::Lanes,
                    Order::PartialUnroll => LoopKind::PartialUnroll,
                    Order::Independent => LoopKind::Independent,
                },
                body: self.block(*body)?,
                note: note.clone(),
            },
            Stmt::If { cond, then, els } => {
                let cond = self.at(*cond)?;
                if cond.shape() != Shape::scalar(Scalar::Bool) {
                    return Err("a condition is no truth value".into());
                }
                nest::Stmt::If {
                    cond,
                    then: self.block(*then)?,
                    els: self.block(*els)?,
                }
            }
            Stmt::Let {
                var,
                value,
                elem,
                lanes,
                mutable,
            } => {
                let value = value.map(|v| self.at(v)).transpose()?;
                let shape = shape(elem, *lanes)?;
                nest::Stmt::Let {
                    var: self.variable(var, value.as_ref().map_or(shape, Expr::shape))?,
                    value,
                    shape,
                    mutable: *mutable,
                }
            }
            Stmt::Assign { var, value } => {
                let value = self.at(*value)?;
                nest::Stmt::Assign {
                    var: self.variable(var, value.shape())?,
                    value,
                }
            }
            Stmt::Index { var, value } => nest::Stmt::Index {
                var: Symbol::new(var),
                value: parse(value)?,
            },
            Stmt::Alloc(b) => nest::Stmt::Alloc(self.buffer(*b)?),
            Stmt::Prefetch { buffer, index } => nest::Stmt::Prefetch {
                buf: self.buffer(*buffer)?,
                index: parse(index)?,
            },
            Stmt::Store {
                buffer,
                index,
                value,
                what,
                element,
            } => {
                let value = self.at(*value)?;
                if value.shape().elem.name()
                    != self.form.buffers[self.buffer(*buffer)?.0 as usize].elem
                {
                    return Err("a value of another type than the buffer's is stored".into());
                }
                nest::Stmt::Store {
                    buf: self.buffer(*buffer)?,
                    index: parse(index)?,
                    value,
                    what: self.what(*what)?,
                    element: parse(element)?,
                }
            }
        })
    }
}
