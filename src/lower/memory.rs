//! Places in memory: components, elements, allocation, values kept.

use super::state::{Lower, Res};
use super::value::{Dest, Leaf, Mem, Val};
use crate::arith::Nat;
use crate::nest::abi::{leaf_sizes, leaves};
use crate::nest::{BufId, Buffer, Role, Stmt, StorageClass};
use crate::ty::{Scalar, Ty, TyKind};

impl Mem {
    /// The components of a pair in memory.
    pub fn components(&self) -> (Mem, Mem) {
        let (a, b) = match self.ty.as_pair() {
            Some(p) => p,
            None => (self.ty, self.ty),
        };
        let split = leaves(a).map_or(0, |l| l.len()).min(self.leaves.len());
        let part = |ty, leaves: &[Leaf]| Mem {
            ty,
            leaves: leaves.into(),
        };
        (
            part(a, &self.leaves[..split]),
            part(b, &self.leaves[split..]),
        )
    }

    /// Element `i` of an array in memory.
    pub fn element(&self, i: Nat) -> Mem {
        let elem = match self.ty.as_array() {
            Some((_, t)) => t,
            None => self.ty,
        };
        let sizes = leaf_sizes(elem);
        let at = |(l, n): (&Leaf, Nat)| Leaf {
            buf: l.buf,
            at: l.at + i * n,
        };
        Mem {
            ty: elem,
            leaves: self.leaves.iter().zip(sizes).map(at).collect(),
        }
    }

    /// The same memory as of another type with the same leaves.
    pub fn retype(&self, ty: Ty) -> Mem {
        Mem {
            ty,
            leaves: self.leaves.clone(),
        }
    }
}

/// Stack space of one function, in bytes; what is beyond goes to the heap.
const STACK: i64 = 512 << 10;

impl Lower {
    /// Room for a value of a type, declared in the current block.
    pub fn allocate(&mut self, ty: Ty, base: &'static str) -> Res<Mem> {
        let Some(all) = leaves(ty) else {
            return Err(self.refuse(format!("a value of type `{ty}` cannot be kept in memory")));
        };
        let mut places = Vec::new();
        for (elem, _, dims) in all {
            let len = dims.into_iter().fold(Nat::int(1), |a, b| a * b);
            let (buf, alloc) = self.allocate_leaf(elem, len, base);
            self.push(alloc);
            places.push(Leaf { buf, at: 0.into() });
        }
        Ok(Mem {
            ty,
            leaves: places.into(),
        })
    }

    /// Room for so many scalars, and the statement that declares it.
    pub fn allocate_leaf(&mut self, elem: Scalar, len: Nat, base: &'static str) -> (BufId, Stmt) {
        let bytes = len
            .as_int()
            .map(|n| n.saturating_mul(elem.bytes() as i64).max(1));
        let small = bytes
            .is_some_and(|b| b as u64 <= self.options.stack_bytes && self.stack_used + b <= STACK);
        let storage = match (small, self.in_par()) {
            (true, _) => StorageClass::Stack,
            (false, true) => StorageClass::ThreadHeap,
            (false, false) => StorageClass::Heap,
        };
        if let (StorageClass::Stack, Some(b)) = (storage, bytes) {
            self.stack_used += b;
        }
        let name = self.fresh(base);
        let buf = self.add_buffer(Buffer {
            name,
            elem,
            len,
            storage,
            alias: None,
        });
        self.buffer_levels[buf.0 as usize] = self.level();
        (buf, Stmt::Alloc(buf))
    }

    /// A second name for places: an accumulator as an iteration finds it, bound
    /// in the current block.
    pub fn alias(&mut self, m: &Mem) -> Mem {
        let level = self.level();
        let mut places = Vec::new();
        for l in m.leaves.iter() {
            let of = self.buffers[l.buf.0 as usize].clone();
            let buf = self.add_buffer(Buffer {
                alias: Some(l.buf),
                ..of
            });
            self.buffer_levels[buf.0 as usize] = level;
            let root = self.root_of(l.buf);
            self.newest.insert(root, buf);
            places.push(Leaf { buf, at: l.at });
        }
        Mem {
            ty: m.ty,
            leaves: places.into(),
        }
    }

    /// The elements of a primitive application, computed to memory in the
    /// outermost block that allows it, once.
    pub fn materialise(&mut self, v: &Val) -> Res<Mem> {
        self.no_probe()?;
        let Val::Node(node) = v else {
            return Err(self.not_a("an application", v));
        };
        if let Some(m) = node.cache.borrow().as_ref() {
            return Ok(m.clone());
        }
        let level = node.level.min(self.level());
        let lanes = std::mem::take(&mut self.in_lanes);
        let m = self.at_level(level, |cx| {
            let m = cx.allocate(node.ty, "t")?;
            cx.kept.extend(m.leaves.iter().map(|l| l.buf));
            let what = cx.computing(Role::Kept, node.term.clone());
            let term = std::mem::replace(&mut cx.term, node.term.clone());
            cx.write(v, &Dest::Mem(m.clone()))?;
            cx.term = term;
            cx.what = what;
            Ok(m)
        })?;
        self.in_lanes = lanes;
        *node.cache.borrow_mut() = Some(m.clone());
        // Inside of a choice it serves that choice only.
        let at = self.outermost(level);
        if at != level {
            if let Some(frame) = self.stack.get_mut(at) {
                frame.kept.push(node.clone());
            }
        }
        Ok(m)
    }

    /// Whether a type is one of the machine's.
    pub fn elem_of(&self, ty: Ty) -> Option<crate::ty::Scalar> {
        match ty.kind() {
            TyKind::Scalar(s) => Some(s),
            TyKind::Idx(_) => Some(crate::ty::Scalar::I64),
            _ => None,
        }
    }
}
