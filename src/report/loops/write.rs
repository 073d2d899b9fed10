//! The form of a loop program in a file.
//!
//! In: a loop program. Out: its form, values and blocks in tables. Absent: JSON.

use super::{
    Assumption, Buffer, Computed, Condition, Error, Function, Guard, Is, Order, Part, Role, Slot,
    Stmt, Storage, Value,
};
use crate::arith::Nat;
use crate::nest::{self, Block, Expr, ExprKind, LoopKind, Nest, StorageClass};
use crate::term::Lit;
use indexmap::IndexMap;

/// The form of a function.
pub fn function(nest: &Nest) -> Function {
    let mut tables = Tables::default();
    let body = tables.block(&nest.body);
    let arena = nest.entry.arena.as_ref();
    let arena = arena.map(|parts| parts.iter().map(|p| tables.part(p)).collect());
    let Tables { values, blocks } = tables;
    let abi = &nest.abi;
    Function {
        name: abi.name.clone(),
        sizes: abi.sizes.iter().map(|s| s.to_string()).collect(),
        outputs: abi.outputs.iter().map(slot).collect(),
        inputs: abi.inputs.iter().map(slot).collect(),
        assumptions: abi.assumptions.iter().map(assumption).collect(),
        preferred: abi.preferred.iter().map(assumption).collect(),
        errors: abi.errors.iter().map(error).collect(),
        guards: nest.entry.guards.iter().map(guard).collect(),
        results: nest.entry.results.iter().map(text).collect(),
        arena,
        shares: (nest.entry.shares.iter())
            .map(|(v, n)| (v.to_string(), text(n)))
            .collect(),
        statics: (nest.entry.statics.iter()).map(|v| v.to_string()).collect(),
        buffers: nest.buffers.iter().map(buffer).collect(),
        computed: nest.computed.iter().map(computed).collect(),
        values: values.into_keys().map(|Key(v, _)| v).collect(),
        blocks,
        body,
        fallback: nest.fallback.as_ref().map(|f| Box::new(function(f))),
    }
}

fn text(n: &Nat) -> String {
    n.to_string()
}

fn slot(s: &nest::Slot) -> Slot {
    Slot {
        name: s.name.clone(),
        param: s.param,
        elem: s.elem.name().to_string(),
        bound: s.bound.as_ref().map(text),
        dims: s.dims.iter().map(text).collect(),
        by_value: s.by_value,
    }
}

fn assumption(a: &nest::Assumption) -> Assumption {
    match a {
        nest::Assumption::Divides(d, n) => Assumption::Divides {
            divisor: text(d),
            size: text(n),
        },
        nest::Assumption::NotNegative(n) => Assumption::NotNegative(text(n)),
    }
}

fn error(e: &nest::ErrorCode) -> Error {
    Error {
        name: e.name.clone(),
        code: e.code,
        meaning: e.meaning.to_string(),
    }
}

fn guard(g: &nest::Guard) -> Guard {
    match g {
        nest::Guard::Size(s) => Guard::Size(s.to_string()),
        nest::Guard::Product { value, operations } => Guard::Product {
            value: text(value),
            operations: *operations,
        },
        nest::Guard::Bytes {
            len,
            elem_bytes,
            each_thread,
            limit,
        } => Guard::Bytes {
            len: text(len),
            elem_bytes: *elem_bytes,
            each_thread: *each_thread,
            limit: *limit,
        },
    }
}

fn buffer(b: &nest::Buffer) -> Buffer {
    Buffer {
        name: b.name.to_string(),
        elem: b.elem.name().to_string(),
        len: text(&b.len),
        storage: match b.storage {
            StorageClass::Input(i) => Storage::Input(i),
            StorageClass::Output(i) => Storage::Output(i),
            StorageClass::Stack => Storage::Stack,
            StorageClass::Heap => Storage::Heap,
            StorageClass::ThreadHeap => Storage::ThreadHeap,
            StorageClass::Gone => Storage::Gone,
        },
        alias: b.alias.map(|b| b.0 as usize),
    }
}

fn computed(c: &nest::Computed) -> Computed {
    Computed {
        role: match c.role {
            nest::Role::Result => Role::Result,
            nest::Role::Kept => Role::Kept,
            nest::Role::Start => Role::Start,
            nest::Role::Step => Role::Step,
            nest::Role::Copy => Role::Copy,
        },
        term: c.term.as_ref().map(|t| t.to_string()),
    }
}

/// A value, by its text: a form has no order and no hash.
struct Key(Value, String);

impl PartialEq for Key {
    fn eq(&self, o: &Key) -> bool {
        self.1 == o.1
    }
}
impl Eq for Key {}
impl std::hash::Hash for Key {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        self.1.hash(h);
    }
}

#[derive(Default)]
struct Tables {
    values: IndexMap<Key, (), rustc_hash::FxBuildHasher>,
    blocks: Vec<Vec<Stmt>>,
}

impl Tables {
    fn part(&mut self, p: &nest::Part) -> Part {
        let when = p.when.iter().map(|(e, holds)| Condition {
            value: self.value(e),
            holds: *holds,
        });
        Part {
            buffer: p.buf.0 as usize,
            each_thread: p.each_thread,
            when: when.collect(),
        }
    }

    fn all(&mut self, es: &[Expr]) -> Vec<usize> {
        es.iter().map(|e| self.value(e)).collect()
    }

    fn value(&mut self, e: &Expr) -> usize {
        let is = match e.kind() {
            ExprKind::Lit(Lit::Bool(b)) => Is::Bool(*b),
            ExprKind::Lit(Lit::Int(i)) => Is::Int(i.to_string()),
            ExprKind::Lit(Lit::F32(bits)) => Is::F32(*bits),
            ExprKind::Lit(Lit::F64(bits)) => Is::F64(*bits),
            ExprKind::Lit(Lit::Size(n)) => Is::Size(text(n)),
            ExprKind::Var(v) => Is::Var(v.to_string()),
            ExprKind::Index(n) => Is::Index(text(n)),
            ExprKind::Load(b, n) => Is::Load {
                buffer: b.0 as usize,
                index: text(n),
            },
            ExprKind::Op(op, args) => Is::Op {
                op: op.name().to_string(),
                of: self.all(args),
            },
            ExprKind::Cast(a) => Is::Cast(self.value(a)),
            ExprKind::Clamp(a, n) => Is::Clamp {
                value: self.value(a),
                bound: text(n),
            },
            ExprKind::Splat(a) => Is::Splat(self.value(a)),
            ExprKind::Lane(a, lane) => Is::Lane {
                value: self.value(a),
                lane: *lane,
            },
            ExprKind::Build(parts) => Is::Build(self.all(parts)),
            ExprKind::Pick(parts, n) => Is::Pick {
                of: self.all(parts),
                index: text(n),
            },
        };
        let value = Value {
            elem: e.shape().elem.name().to_string(),
            lanes: e.shape().lanes,
            is,
        };
        let key = format!("{value:?}");
        self.values.insert_full(Key(value, key), ()).0
    }

    fn block(&mut self, block: &Block) -> usize {
        let stmts = block.iter().map(|s| self.stmt(s)).collect();
        self.blocks.push(stmts);
        self.blocks.len() - 1
    }

    fn stmt(&mut self, s: &nest::Stmt) -> Stmt {
        match s {
            nest::Stmt::For {
                var,
                extent,
                kind,
                body,
                note,
            } => Stmt::For {
                var: var.to_string(),
                extent: text(extent),
                order: match kind {
                    LoopKind::Seq => Order::Seq,
                    LoopKind::Par => Order::Par,
                    LoopKind::Lanes => Order::Lanes,
                    LoopKind::PartialUnroll => Order::PartialUnroll,
                    LoopKind::Independent => Order::Independent,
                },
                body: self.block(body),
                note: note.clone(),
            },
            nest::Stmt::If { cond, then, els } => Stmt::If {
                cond: self.value(cond),
                then: self.block(then),
                els: self.block(els),
            },
            nest::Stmt::Let {
                var,
                value,
                shape,
                mutable,
            } => Stmt::Let {
                var: var.to_string(),
                value: value.as_ref().map(|e| self.value(e)),
                elem: shape.elem.name().to_string(),
                lanes: shape.lanes,
                mutable: *mutable,
            },
            nest::Stmt::Assign { var, value } => Stmt::Assign {
                var: var.to_string(),
                value: self.value(value),
            },
            nest::Stmt::Index { var, value } => Stmt::Index {
                var: var.to_string(),
                value: text(value),
            },
            nest::Stmt::Alloc(b) => Stmt::Alloc(b.0 as usize),
            nest::Stmt::Prefetch { buf, index } => Stmt::Prefetch {
                buffer: buf.0 as usize,
                index: text(index),
            },
            nest::Stmt::Store {
                buf,
                index,
                value,
                what,
                element,
            } => Stmt::Store {
                buffer: buf.0 as usize,
                index: text(index),
                value: self.value(value),
                what: what.0 as usize,
                element: text(element),
            },
        }
    }
}
