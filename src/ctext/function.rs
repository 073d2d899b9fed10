//! The statements of a function beside those of its loop program.
//!
//! Both are walked together; each statement of the loop program is one of the text, or none where it only names memory.

use super::ahead::Ahead;
use super::entry;
use super::meaning::{self, index};
use super::parse::{Declared, Expr, Is, Loop, Stmt as C};
use super::real::Real;
use super::scope::{Entity, Held};
use super::sum::Sum;
use super::tree::Tree;
use super::types::{shape, signed, stored, unsigned};
use super::value::{as_mask, assigned, truth};
use super::walk::{is_pointer, is_type, Walk, Walked};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{seldom, settled, BufId, LoopKind, Seldom, Shape, Stmt, StorageClass, ENOUGH};
use crate::ty::Scalar;

/// What stands before loops that have threads, once it was asked whether they are worth it.
const THREADS: [&str; 3] = ["PARALLEL_FOR", "PARALLEL_STATIC", "PARALLEL_SIMD"];

impl Walk<'_> {
    /// The body of the function.
    pub fn body(&mut self, all: &[C], end: u32) -> Walked {
        let rest = entry::entry(self, all)?;
        let frees = self
            .nest
            .entry
            .arena
            .as_ref()
            .is_some_and(|a| !a.is_empty());
        let count = 1 + usize::from(frees);
        if rest.len() < count {
            return self.differs(end, "the function does not end as it should");
        }
        let (body, last) = rest.split_at(rest.len() - count);
        self.block(&self.nest.body, body, end)?;
        self.number = 0;
        if frees {
            let free = Expr::Call("free".into(), vec![Expr::Name("memory".into())]);
            self.require(
                last[0].is == Is::Do(free),
                last[0].line,
                "the memory is not given back",
            )?;
        }
        let done = &last[count - 1];
        self.require(
            done.is == Is::Return(Expr::Number("0".into())),
            done.line,
            "0 is not returned at the end",
        )
    }

    pub fn block(&mut self, block: &[Stmt], c: &[C], end: u32) -> Walked {
        let mark = self.scope.mark();
        self.open_block(block, c, end)?;
        self.scope.leave(mark);
        Ok(())
    }

    /// Statements whose names others behind them know.
    fn open_block(&mut self, block: &[Stmt], c: &[C], end: u32) -> Walked {
        let mut c = c.iter();
        for s in block {
            self.number += 1;
            if self.is_silent(s) {
                continue;
            }
            let Some(found) = c.next() else {
                return self.differs(end, "it is missing in C");
            };
            self.stmt(s, found)?;
        }
        if let Some(more) = c.next() {
            return self.differs(more.line, "a statement of C stands in no loop program");
        }
        Ok(())
    }

    /// Whether a statement only names memory.
    fn is_silent(&self, s: &Stmt) -> bool {
        let Stmt::Alloc(b) = s else { return false };
        let storage = self.nest.buffers[b.0 as usize].storage;
        !matches!(storage, StorageClass::Stack | StorageClass::ThreadHeap)
    }

    fn stmt(&mut self, s: &Stmt, c: &C) -> Walked {
        let line = c.line;
        match (s, &c.is) {
            (Stmt::For { extent, .. }, Is::For(l)) => {
                let threads = (l.pragma.as_ref()).is_some_and(|p| THREADS.contains(&p.0.as_str()));
                let what = "it is not asked whether threads are worth it";
                self.require(!threads, line, what)?;
                let what = "it is not asked whether the loop is long enough to look ahead";
                let found = seldom(s);
                let known = extent.as_int().is_some();
                self.require(known || found.is_none(), line, what)?;
                self.whole_loop(s, l, line, found.as_ref())
            }
            (Stmt::For { kind, .. }, Is::If(worth, some, one)) if kind.is_par() => {
                self.threads(s, (worth, some, one), line)
            }
            (Stmt::For { extent, .. }, Is::If(long, some, few)) => {
                self.long_or_short((s, *extent), (long, some, few), line)
            }
            (Stmt::If { cond, then, els }, Is::If(found, yes, no)) => {
                let found = self.reader().truth(found);
                let found = self.read(line, found)?;
                let mut expected = self.read(line, meaning::value(self.nest, cond))?;
                let (first, second) = match then.is_empty() {
                    true => (els, then),
                    false => (then, els),
                };
                if then.is_empty() {
                    expected = super::tree::not(expected);
                }
                self.require(found == expected, line, "the condition is another one")?;
                self.block(first, yes, line)?;
                self.block(second, no, line)
            }
            (Stmt::Let { .. } | Stmt::Index { .. }, Is::Declare(d)) => self.variable(s, d, line),
            (Stmt::Alloc(b), Is::Declare(d)) => self.buffer(*b, d, line),
            (Stmt::Assign { var, value }, Is::Assign(to, v)) => {
                let Expr::Name(name) = to else {
                    return self.differs(line, "it is given to no variable");
                };
                let (shape, held) = match self.scope.find(name) {
                    Some(Entity::Let(v, shape, held)) if v == var => (*shape, *held),
                    _ => return self.differs(line, "it is given to another variable"),
                };
                self.same_value(line, v, value, shape, held).map(|_| ())
            }
            (Stmt::Prefetch { buf, index }, Is::Do(Expr::Call(f, args)))
                if f == "FETCH" && args.len() == 2 =>
            {
                self.scope.needs("FETCH");
                let b = self.reader().array(&args[0]);
                let b = self.read(line, b)?;
                self.require(b == self.nest.root(*buf), line, "another array is fetched")?;
                self.same_sum(line, &args[1], *index, "another element is fetched")
            }
            (
                Stmt::Store {
                    buf, index, value, ..
                },
                Is::Assign(to, v),
            ) => self.store(line, (*buf, *index, value), to, v),
            _ => self.differs(line, "it is another statement"),
        }
    }

    /// A loop that leaves out iterations where it is long, beside the same one that does not.
    fn long_or_short(
        &mut self,
        (s, extent): (&Stmt, Nat),
        (long, some, few): (&Expr, &[C], &[C]),
        line: u32,
    ) -> Walked {
        let (Expr::Binary(">=", n, least), [some], [few]) = (long, some, few) else {
            return self.differs(line, "it is no long loop beside a short one");
        };
        let what = "another number of iterations is taken for many";
        self.same_sum(line, n, extent, what)?;
        let found = seldom(s);
        let enough = **least == Expr::Number(ENOUGH.to_string()) && found.is_some();
        self.require(enough, line, what)?;
        let number = self.number;
        for (c, ahead) in [(some, found.as_ref()), (few, None)] {
            let Is::For(l) = &c.is else {
                return self.differs(c.line, "it is no loop");
            };
            self.number = number;
            self.whole_loop(s, l, c.line, ahead)?;
        }
        Ok(())
    }

    /// `ahead`: which iterations it leaves out, if it does.
    fn whole_loop(&mut self, s: &Stmt, l: &Loop, line: u32, ahead: Option<&Seldom>) -> Walked {
        let Stmt::For {
            var,
            extent,
            kind,
            body,
            ..
        } = s
        else {
            return self.differs(line, "it is another statement");
        };
        self.for_loop(line, (*var, *extent, *kind), l)?;
        let mark = self.scope.mark();
        let declared = self.scope.declare(&l.var, Entity::Index(*var));
        self.read(line, declared)?;
        let bounded = match &l.cond {
            Expr::Binary("<", v, n) if **v == Expr::Name(l.var.clone()) => n,
            _ => {
                return self.differs(
                    line,
                    "the loop does not run while its variable is below a bound",
                )
            }
        };
        self.same_sum(
            line,
            bounded,
            *extent,
            "the bound of the loop is another one",
        )?;
        match kind {
            LoopKind::Par => self.parallel(body, &l.body, line)?,
            _ => self.iterations((s, ahead), body, l, line)?,
        }
        self.scope.leave(mark);
        Ok(())
    }

    /// The body of a loop, which is left where it changes nothing any more.
    fn iterations(
        &mut self,
        (s, ahead): (&Stmt, Option<&Seldom>),
        body: &[Stmt],
        l: &Loop,
        end: u32,
    ) -> Walked {
        let all = match ahead {
            Some(found) => self.looking_ahead(&found.changes, l, end)?,
            None => &l.body[..],
        };
        let Some(found) = settled(s) else {
            return self.block(body, all, end);
        };
        let what = "the loop is not left where it changes nothing any more";
        let (before, behind) = all.split_at(found.at.min(all.len()));
        let Some((leaves, behind)) = behind.split_first() else {
            return self.differs(end, what);
        };
        let mark = self.scope.mark();
        self.open_block(&body[..found.at], before, end)?;
        let line = leaves.line;
        let cond = match &leaves.is {
            Is::If(cond, then, els) if els.is_empty() => {
                matches!(then[..], [C { is: Is::Leave, .. }]).then_some(cond)
            }
            _ => None,
        };
        match (found.once(), cond) {
            (Some(once), Some(cond)) => {
                let cond = self.reader().truth(cond);
                let cond = self.read(line, cond)?;
                let once = self.read(line, meaning::value(self.nest, once))?;
                self.require(cond == once, line, "the loop is left on another condition")?;
            }
            (None, Some(Expr::Unary("!", holds))) => {
                self.left_unless(&found.unless, holds, line)?
            }
            _ => return self.differs(line, what),
        }
        self.open_block(&body[found.at..], behind, end)?;
        self.scope.leave(mark);
        Ok(())
    }

    /// What stands in a loop behind iterations that change nothing being left out.
    fn looking_ahead<'c>(
        &mut self,
        changes: &crate::nest::Expr,
        l: &'c Loop,
        end: u32,
    ) -> Walked<&'c [C]> {
        let what = "iterations that change nothing are not left out as they may be";
        let Some((looks, rest)) = l.body.split_first() else {
            return self.differs(end, what);
        };
        let line = looks.line;
        let Some(Ahead { any, at, holds }) = Ahead::of(&looks.is, l) else {
            return self.differs(line, what);
        };
        let Some(Entity::Index(index)) = self.scope.find(&l.var).cloned() else {
            return self.differs(line, what);
        };
        let mark = self.scope.mark();
        let ahead = Symbol::new(at);
        for (name, entity) in [(any, Entity::Own), (at, Entity::Index(ahead))] {
            let declared = self.scope.declare(name, entity);
            self.read(line, declared)?;
        }
        let changes = changes.map_indices(&mut |n| n.subst_var(index, Nat::var(ahead)));
        let expected = self.read(line, meaning::value(self.nest, &changes))?;
        let holds = self.reader().truth(holds);
        let holds = self.read(line, holds)?;
        self.require(holds == expected, line, what)?;
        self.scope.leave(mark);
        Ok(rest)
    }

    /// The conditions in one of which a loop goes on, of vectors in one lane.
    fn left_unless(&mut self, unless: &[crate::nest::Expr], holds: &Expr, line: u32) -> Walked {
        let what = "the loop is left on another condition";
        let (one, holds) = match (unless, holds) {
            ([more @ .., last], Expr::Binary("||", a, b)) if !more.is_empty() => {
                self.left_unless(more, a, line)?;
                (last, &**b)
            }
            ([one], _) => (one, holds),
            _ => return self.differs(line, what),
        };
        let expected = self.read(line, meaning::value(self.nest, one))?;
        let found = match (one.shape().is_mask(), holds) {
            (false, _) => self.reader().truth(holds),
            (true, Expr::Call(f, args)) if args.len() == 1 => {
                let lanes = one.shape().lanes;
                let mask = f.strip_prefix("ANY_").and_then(shape);
                let Some(mask) = mask.filter(|m| m.lanes == lanes) else {
                    return self.differs(line, what);
                };
                self.scope.needs(f);
                let v = self.reader().value(&args[0]);
                v.and_then(|v| as_mask(&v, mask.elem)).map(|v| v.tree)
            }
            _ => return self.differs(line, what),
        };
        let found = self.read(line, found)?;
        self.require(found == expected, line, what)
    }

    /// A parallel loop, with threads if they are worth it: the same twice, each time the same call.
    fn threads(&mut self, s: &Stmt, (worth, some, one): (&Expr, &[C], &[C]), line: u32) -> Walked {
        let (
            [C {
                is: Is::For(l),
                line: at,
            }],
            [C {
                is: Is::For(other), ..
            }],
        ) = (some, one)
        else {
            return self.differs(line, "it is no loop with threads beside one without");
        };
        let hint = l.pragma.as_ref().map_or("", |p| p.0.as_str());
        self.require(
            THREADS.contains(&hint),
            line,
            "the first loop has no threads",
        )?;
        match (worth, s) {
            (Expr::Call(f, args), Stmt::For { var, extent, .. }) if f == "WORTH_THREADS" => {
                self.scope.needs("WORTH_THREADS");
                self.worth(line, args, (*var, *extent))?;
            }
            _ => return self.differs(line, "it is not asked whether threads are worth it"),
        }
        self.whole_loop(s, l, *at, None)?;
        let alike = match (&l.body[..], &other.body[..]) {
            ([C { is: a, .. }], [C { is: b, .. }]) => a == b && matches!(a, Is::Do(_)),
            _ => false,
        };
        let header = |l: &Loop| {
            (
                l.ty.clone(),
                l.var.clone(),
                l.start.clone(),
                l.cond.clone(),
                l.step.clone(),
            )
        };
        // No iteration of a loop for threads touches what another one stores.
        let hint = other.pragma.as_ref().map(|p| (p.0.as_str(), p.1.len()));
        let fits = matches!(hint, None | Some(("INDEPENDENT", 0)));
        hint.into_iter()
            .for_each(|(name, _)| self.scope.needs(name));
        let same = alike && fits && header(l) == header(other);
        self.require(same, line, "without threads the loop is another one")
    }

    /// Of a parallel loop its iterations, and how long they take.
    fn worth(&mut self, line: u32, args: &[Expr], (var, extent): (Symbol, Nat)) -> Walked {
        let [n, cycles] = args else {
            return self.differs(line, "threads are told something else");
        };
        let what = "threads are told another number of iterations";
        self.same_sum(line, n, extent, what)?;
        let found = entry::in_floats(self, cycles);
        let found = self.read(line, found)?;
        let expected = Real::of(self.nest.entry.share(var), 1, false);
        let expected = self.read(line, expected)?;
        let what = "threads are told another number of cycles";
        self.require(found == expected, line, what)
    }

    fn for_loop(
        &mut self,
        line: u32,
        (var, extent, kind): (Symbol, Nat, LoopKind),
        l: &Loop,
    ) -> Walked {
        self.loops = true;
        let found = l.pragma.as_ref().map(|p| p.0.as_str());
        let hint = match kind {
            LoopKind::Seq => None,
            LoopKind::Par => {
                let all = match self.nest.entry.statics.contains(&var) {
                    true => &["PARALLEL_STATIC", "PARALLEL_SIMD", "PARALLEL_STATIC_IF"][..],
                    false => &["PARALLEL_FOR", "PARALLEL_IF"],
                };
                found.filter(|f| all.contains(f))
            }
            LoopKind::Lanes => Some("ROLLED"),
            LoopKind::PartialUnroll => Some("REPEATED"),
            LoopKind::Independent => found.filter(|f| ["INDEPENDENT", "ROLLED"].contains(f)),
        };
        let asked = matches!(kind, LoopKind::Par | LoopKind::Independent);
        let fits = found == hint && (!asked || hint.is_some());
        let what = "what stands before the loop is another hint";
        self.require(fits, line, what)?;
        hint.into_iter().for_each(|name| self.scope.needs(name));
        let args = l.pragma.as_ref().map_or(&[][..], |p| &p.1);
        match (hint, args) {
            (Some("PARALLEL_FOR"), [n]) => {
                let what = "threads are told another number of iterations";
                self.same_sum(line, n, extent, what)?;
            }
            (Some("PARALLEL_IF" | "PARALLEL_STATIC_IF"), args) => {
                self.worth(line, args, (var, extent))?
            }
            (Some("PARALLEL_STATIC" | "PARALLEL_SIMD"), []) => {}
            (_, []) if kind != LoopKind::Par => {}
            _ => return self.differs(line, "the hint before the loop has other arguments"),
        }
        self.require(
            is_type(&l.ty, Scalar::I64, false),
            line,
            "the variable of the loop is no `int64_t`",
        )?;
        self.require(
            l.start == Expr::Number("0".into()),
            line,
            "the loop does not start at 0",
        )?;
        let step = Expr::Unary("++", Box::new(Expr::Name(l.var.clone())));
        self.require(l.step == step, line, "the loop does not go on by 1")
    }

    fn variable(&mut self, s: &Stmt, d: &Declared, line: u32) -> Walked {
        let alone =
            d.len.is_none() && d.aligned.is_none() && d.list.is_none() && d.ty.pointer.is_none();
        self.require(alone, line, "it is no variable in C")?;
        let entity = match s {
            Stmt::Index { var, value } => {
                let Some(found) = d
                    .value
                    .as_ref()
                    .filter(|_| is_type(&d.ty, Scalar::I64, true))
                else {
                    return self.differs(line, "it is no `const int64_t` with a value");
                };
                self.same_sum(line, found, *value, "the index is another one")?;
                Entity::Index(*var)
            }
            Stmt::Let {
                var,
                value,
                shape: expected,
                mutable,
            } => {
                self.require(
                    d.ty.is_const != *mutable,
                    line,
                    "it is `const` in one of both only",
                )?;
                let Some(found) = shape(&d.ty.name) else {
                    return self.differs(line, "it has another type");
                };
                if found.lanes > 1 {
                    self.scope.needs(&d.ty.name);
                }
                let held = held(*expected, found, *mutable);
                let elem = match held {
                    Held::Itself => stored(expected.elem),
                    Held::Mask(elem) => elem,
                    Held::Unsigned => unsigned(expected.elem),
                    Held::Truth => Scalar::U8,
                    Held::Short => Scalar::I32,
                };
                let fits = found.lanes == expected.lanes && stored(found.elem) == elem;
                self.require(fits, line, "it has another type")?;
                match (value, &d.value) {
                    (Some(value), Some(found)) => {
                        let value = self.same_value(line, found, value, *expected, held)?;
                        if !mutable && expected.lanes == 1 {
                            self.scope.stays(*var, value);
                        }
                    }
                    (None, None) => {}
                    _ => return self.differs(line, "it has a value in one of both only"),
                }
                Entity::Let(*var, *expected, held)
            }
            _ => return self.differs(line, "it is another statement"),
        };
        let declared = self.scope.declare(&d.name, entity);
        self.read(line, declared)
    }

    /// The value that both have.
    fn same_value(
        &mut self,
        line: u32,
        found: &Expr,
        expected: &crate::nest::Expr,
        shape: Shape,
        held: Held,
    ) -> Walked<Tree> {
        let below = self.read(line, self.scope.below(self.nest, expected))?;
        let expected = self.read(line, meaning::value(self.nest, expected))?;
        let found = self.reader().value(found);
        let found = found.and_then(|v| match held {
            Held::Itself => assigned(v, shape),
            Held::Short => assigned(v, Shape::scalar(Scalar::I32)),
            Held::Truth => truth(v),
            Held::Mask(elem) => as_mask(&v, elem).map(|v| v.tree),
            Held::Unsigned => {
                let elem = unsigned(shape.elem);
                assigned(v, Shape { elem, ..shape }).map(|t| t.convert(shape.elem))
            }
        });
        let found = self.read(line, found)?;
        let same = match (below, held) {
            (Some(x), Held::Short) => found == x.convert(Scalar::I32),
            (None, Held::Short) => false,
            (Some(x), _) => found == expected || found == x.convert(shape.elem),
            (None, _) => found == expected,
        };
        self.require(same, line, "the value is another one")?;
        Ok(expected)
    }

    fn store(
        &mut self,
        line: u32,
        (buf, at, value): (BufId, Nat, &crate::nest::Expr),
        to: &Expr,
        found: &Expr,
    ) -> Walked {
        let root = self.nest.root(buf);
        let elem = self.nest.buffers[root.0 as usize].elem;
        let place = match to {
            Expr::Element(of, index) => {
                let mut reader = self.reader();
                reader
                    .array(of)
                    .and_then(|b| Ok((b, reader.sum(index)?, Shape::scalar(elem), false)))
            }
            Expr::Unary("*", inner) => self.reader().vector_place(inner),
            _ => return self.differs(line, "it is stored to no element"),
        };
        let (b, index_found, shape, is_const) = self.read(line, place)?;
        self.require(
            b == root && !is_const,
            line,
            "it is stored to another array",
        )?;
        let expected = self.read(line, index(at))?;
        self.require(
            index_found == expected,
            line,
            "it is stored to another element",
        )?;
        let own = meaning::in_memory(value.shape());
        let fits = own.lanes == shape.lanes && stored(own.elem) == stored(shape.elem);
        self.require(fits, line, "it is stored as another type")?;
        let expected = self.read(line, meaning::value(self.nest, value))?;
        let found = self.reader().value(found).and_then(|v| assigned(v, shape));
        let found = self.read(line, found)?;
        self.require(
            found == meaning::stored_value(expected),
            line,
            "the value is another one",
        )
    }

    /// A buffer on the stack, or the one of this thread.
    fn buffer(&mut self, b: BufId, d: &Declared, line: u32) -> Walked {
        let buf = &self.nest.buffers[b.0 as usize];
        if buf.storage == StorageClass::ThreadHeap {
            return self.of_thread(b, d, line);
        }
        let plain = d.value.is_none() && d.list.is_none() && is_type(&d.ty, buf.elem, false);
        self.require(plain, line, "the array has another type, or a value")?;
        let Some(len) = &d.len else {
            return self.differs(line, "it is no array");
        };
        let found = self.reader().sum(len);
        let found = self.read(line, found)?;
        let expected = buf.len.as_int().map(|n| Sum::int(n.max(1).into()));
        self.require(
            Some(&found) == expected.as_ref(),
            line,
            "the array has another length",
        )?;
        // Vectors that a register takes lie on lines; what is no larger than two words does not matter.
        let bytes = found
            .as_int()
            .unwrap_or(0)
            .saturating_mul(buf.elem.bytes().into());
        let aligned = d.aligned.as_deref() == Some("64");
        let fits = aligned || d.aligned.is_none() && bytes <= 16;
        self.require(fits, line, "the array is aligned otherwise")?;
        let declared = self.scope.declare(&d.name, Entity::Array(b));
        self.read(line, declared)
    }

    fn of_thread(&mut self, b: BufId, d: &Declared, line: u32) -> Walked {
        let buf = &self.nest.buffers[b.0 as usize];
        self.require(
            is_pointer(&d.ty, buf.elem, false),
            line,
            "it is no `restrict` pointer to its elements",
        )?;
        let (of, offset) = match &d.value {
            Some(Expr::Binary("+", of, offset)) => (of, offset),
            _ => return self.differs(line, "it is no part of the buffers of all threads"),
        };
        let own = match &**of {
            Expr::Name(name) => self.scope.find(name) == Some(&Entity::EachThread(b)),
            _ => false,
        };
        self.require(own, line, "it is a part of other buffers")?;
        let found = self.reader().sum(offset);
        let found = self.read(line, found)?;
        let each = self.read(line, entry::stride(buf))?;
        let expected = each.mul(&Sum::call("thread_index", vec![]));
        self.require(
            Some(&found) == expected.as_ref(),
            line,
            "threads have other parts",
        )?;
        let declared = self.scope.declare(&d.name, Entity::Array(b));
        self.read(line, declared)
    }
}

/// What a variable of the text has for one of the loop program, by its type. A sum may be kept without its sign.
fn held(expected: Shape, found: Shape, mutable: bool) -> Held {
    let sum = expected.lanes == 1 && expected.elem == Scalar::I32 && mutable;
    let truth = expected == Shape::scalar(Scalar::Bool);
    match expected.is_mask() {
        true => Held::Mask(signed(found.elem)),
        false if sum && found.elem == Scalar::U32 => Held::Unsigned,
        false if mutable && truth && found == Shape::scalar(Scalar::U8) => Held::Truth,
        false if !mutable && expected == Shape::index() && found.elem == Scalar::I32 => Held::Short,
        false => Held::Itself,
    }
}
