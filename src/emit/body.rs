//! The function: checks, buffers, statements.

use super::index;
use super::interval::Values;
use super::prelude::{c_type, Used};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::lines::{Lines, Mark};
use crate::nest::names::identifier;
use crate::nest::{
    seldom, settled, walk, Assumption, Block, BufId, Buffer, Expr, ExprKind, Guard, LoopKind, Nest,
    Part, Seldom, Settled, Shape, Stmt, StorageClass, AHEAD, ENOUGH,
};
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Printer<'a> {
    pub nest: &'a Nest,
    pub used: Used,
    /// Variables for vectors of truth values: the bytes of the integers that they are.
    pub masks: BTreeMap<Symbol, u64>,
    /// Variables that are kept without a sign.
    pub without_sign: BTreeSet<Symbol>,
    /// Truth values that are bytes.
    pub bytes_of_truth: BTreeSet<Symbol>,
    /// Truth values that are as often one as the other.
    pub either: BTreeSet<Symbol>,
    /// Indices that are nowhere part of a sum.
    pub alone: BTreeSet<Symbol>,
    /// What variables are that are given no value later.
    pub values: Values,
    /// Whether a float is rounded once after a product and a sum.
    pub fused: bool,
    out: Lines,
    indent: usize,
    /// Functions that stand above this one, and how many were begun.
    parts: Lines,
    pub parts_begun: u32,
}

impl<'a> Printer<'a> {
    pub fn new(nest: &'a Nest, used: Used) -> Printer<'a> {
        let mut fused = false;
        walk::each_stmt(&nest.body, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| {
                    let is_fma = matches!(e.kind(), ExprKind::Op(Op::Fma, _));
                    fused |= is_fma && e.shape().elem.is_float();
                });
            }
        });
        let bounded = super::sums::bounded(&nest.body);
        let mut without_sign = super::sums::without_sign(&nest.body);
        without_sign.retain(|v| !bounded.contains_key(v));
        Printer {
            fused,
            nest,
            used,
            masks: BTreeMap::new(),
            without_sign,
            bytes_of_truth: super::sums::bytes_of_truth(&nest.body),
            values: Values {
                bounded,
                ..Values::default()
            },
            either: BTreeSet::new(),
            alone: super::sums::alone(&nest.body),
            out: Lines::default(),
            indent: 0,
            parts: Lines::default(),
            parts_begun: 0,
        }
    }

    /// The buffer that a name stands for.
    pub fn root(&self, b: BufId) -> &'a Buffer {
        let root = self.nest.root(b);
        &self.nest.buffers[root.0 as usize]
    }

    pub fn line(&mut self, text: &str) {
        self.out
            .line(&format!("{}{text}", "    ".repeat(self.indent)));
    }

    fn error(&self, suffix: &str) -> String {
        let tail = format!("_ERR_{suffix}");
        let mut errors = self.nest.abi.errors.iter();
        match errors.find(|e| e.name.ends_with(&tail)) {
            Some(e) => e.name.clone(),
            None => "1".into(),
        }
    }

    /// The definition of the function and of those that it calls, with the lines of each statement.
    pub fn function(&mut self, is_static: bool) -> (String, Vec<Mark>) {
        let signature = super::header::signature(self.nest);
        let word = if is_static { "static " } else { "" };
        self.line(&format!("{word}{signature}"));
        self.line("{");
        self.indent += 1;
        self.check_sizes();
        self.check_indices();
        self.nothing_to_do();
        let statements = self.allocations();
        self.allocate(&statements);
        self.unused();
        let nest = self.nest;
        self.block(&nest.body);
        let arena = self.arena();
        if !arena.is_empty() {
            for part in arena {
                self.out.also(statements[&part.buf]);
            }
            self.line("free(memory);");
        }
        self.line("return 0;");
        self.indent -= 1;
        self.line("}");
        let mut all = std::mem::take(&mut self.parts);
        all.append(std::mem::take(&mut self.out));
        (all.text, all.marks)
    }

    /// A function above this one, of the body of the statement that began last; these sizes are not negative.
    pub fn above(&mut self, signature: &str, sizes: &[String], body: &Block) {
        let apart = self.out.apart();
        let around = std::mem::replace(&mut self.out, apart);
        let indent = std::mem::replace(&mut self.indent, 0);
        self.line(signature);
        self.line("{");
        for size in sizes {
            self.line(&format!("    if ({size} < 0) __builtin_unreachable();"));
        }
        self.indented(body);
        self.line("}");
        self.indent = indent;
        let mut apart = std::mem::replace(&mut self.out, around);
        self.out.resume(&mut apart);
        apart.line("");
        self.parts.append(apart);
    }

    fn indented(&mut self, body: &Block) {
        self.indent += 1;
        self.block(body);
        self.indent -= 1;
    }

    /// The guards as conditions that must not hold. Those of one kind stand in the order of their texts, each once, but
    /// those inside of others, which are computed for the next question, first.
    fn too_large(&mut self) -> Vec<String> {
        let nest = self.nest;
        let mut conditions = Vec::new();
        let (mut products, mut bytes) = (BTreeSet::new(), BTreeSet::new());
        for guard in &nest.entry.guards {
            match guard {
                Guard::Size(s) => {
                    let s = identifier(s.as_str());
                    conditions.push(format!("{s} < 0 || {s} > 0x1p60"));
                }
                Guard::Product { value, operations } => {
                    products.insert((*operations, index::as_double(*value, &mut self.used)));
                }
                Guard::Bytes {
                    len,
                    elem_bytes,
                    each_thread,
                    limit,
                } => {
                    let len = index::as_double(*len, &mut self.used);
                    let times = match each_thread {
                        true => " * (double)thread_count()",
                        false => "",
                    };
                    bytes.insert(format!("{elem_bytes}.0{times} * ({len}) > 0x1p{limit}"));
                }
            }
        }
        conditions.extend(products.into_iter().map(|(_, n)| format!("{n} > 0x1p60")));
        conditions.extend(bytes);
        conditions
    }

    fn check_sizes(&mut self) {
        let nest = self.nest;
        let abi = &nest.abi;
        let size_error = self.error("SIZE");
        for c in self.too_large() {
            self.line(&format!("if ({c}) return {size_error};"));
        }
        let instead = nest.fallback.as_ref().map(|other| {
            let mut args: Vec<&str> = abi.outputs.iter().map(|s| &*s.name).collect();
            let sizes: Vec<String> = abi.sizes.iter().map(|s| identifier(s.as_str())).collect();
            args.extend(sizes.iter().map(|s| &**s));
            args.extend(abi.inputs.iter().map(|s| &*s.name));
            format!("{}({})", other.abi.name, args.join(", "))
        });
        let instead = instead.unwrap_or_else(|| size_error.clone());
        let hard = abi.assumptions.iter().map(|a| (a, &size_error));
        let soft = abi.preferred.iter().map(|a| (a, &instead));
        for (a, answer) in hard.chain(soft) {
            let text = match a {
                Assumption::Divides(d, n) => {
                    let n = index::factor(*n, &mut self.used);
                    match d.as_int() {
                        Some(k) => format!("{n} % {k} != 0"),
                        None => {
                            let d = index::factor(*d, &mut self.used);
                            let d = if d.contains(' ') && !d.starts_with('(') {
                                format!("({d})")
                            } else {
                                d
                            };
                            format!("{d} == 0 || {n} % {d} != 0")
                        }
                    }
                }
                Assumption::NotNegative(n) => {
                    format!("{} < 0", index::nat(*n, &mut self.used))
                }
            };
            self.line(&format!("if ({text}) return {answer}; /* {a} */"));
        }
    }

    /// Indices in the input must be in bounds before anything is computed.
    fn check_indices(&mut self) {
        let nest = self.nest;
        let error = self.error("INDEX");
        for slot in &nest.abi.inputs {
            let Some(bound) = slot.bound else { continue };
            let bound = index::nat(bound, &mut self.used);
            let name = &slot.name;
            if slot.by_value {
                self.line(&format!(
                    "if ({name} < 0 || {name} >= {bound}) return {error};"
                ));
                continue;
            }
            let count = index::nat(slot.count(), &mut self.used);
            self.used.outside = true;
            self.line(&format!(
                "if (any_outside({name}, {count}, {bound})) return {error};"
            ));
        }
    }

    /// Where all results are empty, loops over other sizes would run for nothing.
    fn nothing_to_do(&mut self) {
        let counts = self.nest.entry.results.iter();
        let counts: BTreeSet<Vec<String>> =
            counts.map(|n| index::zeros(*n, &mut self.used)).collect();
        if counts.is_empty() {
            return;
        }
        let each = |n: &Vec<String>| {
            let any: Vec<String> = n.iter().map(|n| format!("{n} == 0")).collect();
            match any.len() > 1 && counts.len() > 1 {
                true => format!("({})", any.join(" || ")),
                false => any.join(" || "),
            }
        };
        let all: Vec<String> = counts.iter().map(each).collect();
        self.line(&format!("if ({}) return 0;", all.join(" && ")));
    }

    /// The statements that ask for buffers.
    fn allocations(&self) -> BTreeMap<BufId, u32> {
        let mut out = BTreeMap::new();
        let mut number = 0;
        walk::each_stmt(&self.nest.body, &mut |s| {
            if let Stmt::Alloc(b) = s {
                out.insert(*b, number);
            }
            number += 1;
        });
        out
    }

    fn arena(&self) -> &'a [Part] {
        self.nest.entry.arena.as_deref().unwrap_or_default()
    }

    /// All of the heap, before anything is written: one piece, of which each buffer has a part.
    fn allocate(&mut self, statements: &BTreeMap<BufId, u32>) {
        let all = self.arena();
        if all.is_empty() {
            return;
        }
        self.used.heap = true;
        let mut parts = Vec::new();
        for part in all {
            let buf = &self.nest.buffers[part.buf.0 as usize];
            let len = match part.each_thread {
                false => index::nat(buf.len, &mut self.used),
                true => {
                    self.used.threads = true;
                    let each = self.stride(buf);
                    format!("thread_count() * {each}")
                }
            };
            let len = match self.only_if(part) {
                Some(c) => format!("{c} ? {len} : 0"),
                None => len,
            };
            parts.push(format!("room({len}, {})", buf.elem.bytes()));
        }
        let count = parts.len();
        self.line(&format!("const int64_t parts[{count}] = {{"));
        self.indent += 1;
        for (text, part) in parts.iter().zip(all) {
            self.out.also(statements[&part.buf]);
            self.line(&format!("{text},"));
        }
        self.indent -= 1;
        self.line("};");
        let before = |i: usize| (0..i).map(|j| format!("parts[{j}]")).collect::<Vec<_>>();
        let total = before(count).join(" + ");
        let error = self.error("MEMORY");
        self.line("char little[LITTLE] __attribute__((aligned(64)));");
        self.line(&format!("const int64_t total = {total};"));
        self.line("void *const memory = total <= LITTLE ? 0 : bytes(total + 64);");
        self.line(&format!("if (!memory && total > LITTLE) return {error};"));
        self.line("char *const heap = memory ? whole_line(memory) : little;");
        for (i, part) in all.iter().enumerate() {
            let buf = &self.nest.buffers[part.buf.0 as usize];
            let (ty, name) = (c_type(buf.elem), &buf.name);
            let each = match part.each_thread {
                false => "",
                true => "_all",
            };
            let at = match i {
                0 => "heap".to_string(),
                _ => format!("(heap + {})", before(i).join(" + ")),
            };
            self.out.also(statements[&part.buf]);
            self.line(&format!("{ty} *restrict {name}{each} = ({ty} *){at};"));
            if i > 0 {
                self.line(&format!("GAP((char *){name}{each} - 64);"));
            }
        }
    }

    /// What must hold of the sizes for a buffer to be used, if anything.
    fn only_if(&mut self, part: &Part) -> Option<String> {
        let all = part.when.iter().map(|(c, holds)| {
            let text = self.expr(c);
            match holds {
                true => format!("({text})"),
                false => format!("!({text})"),
            }
        });
        let all: Vec<String> = all.collect();
        (!all.is_empty()).then(|| all.join(" && "))
    }

    /// Elements from one thread's buffer to the next one's: whole cache lines.
    fn stride(&mut self, buf: &Buffer) -> String {
        let line = 64 / buf.elem.bytes();
        if let Some(len) = buf.len.as_int().and_then(|n| u64::try_from(n).ok()) {
            return (len.div_ceil(line) * line).to_string();
        }
        let len = index::factor(buf.len, &mut self.used);
        format!("(({len} + {}) / {line} * {line})", line - 1)
    }

    /// Parameters that nothing reads.
    fn unused(&mut self) {
        let mut read = BTreeSet::new();
        let nest = self.nest;
        walk::each_stmt(&nest.body, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e: &Expr| {
                    if let ExprKind::Load(b, _) = e.kind() {
                        read.insert(nest.root(*b));
                    }
                });
            }
            if let Stmt::Store { buf, .. } = s {
                read.insert(nest.root(*buf));
            }
        });
        for (i, b) in nest.buffers.iter().enumerate() {
            let param = matches!(b.storage, StorageClass::Input(_) | StorageClass::Output(_));
            if param && b.alias.is_none() && !read.contains(&BufId(i as u32)) {
                self.line(&format!("(void){};", b.name));
            }
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        for s in block {
            let start = self.out.begin();
            self.stmt(s);
            self.out.end(start);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                note,
            } => {
                self.note(note.as_deref());
                self.for_loop(s, (*var, *extent, *kind), body);
            }
            Stmt::If { cond, then, els } => self.branch(cond, then, els),
            Stmt::Let {
                var,
                value,
                shape,
                mutable,
            } => {
                let ty = match shape.is_mask() {
                    true => {
                        let bytes = self.declare_mask(*var, value.as_ref());
                        self.mask_type(bytes, shape.lanes)
                    }
                    false if self.without_sign.contains(var) => "uint32_t".to_string(),
                    false if self.bytes_of_truth.contains(var) => "uint8_t".to_string(),
                    false => self.shape(*shape),
                };
                if let Some(v) = value.as_ref().and_then(|v| self.values.below(v)) {
                    return self.index_below(*var, &v.clone());
                }
                if let (Some(v), false, 1) = (value, *mutable, shape.lanes) {
                    self.values.known.insert(*var, v.clone());
                }
                let word = if *mutable { "" } else { "const " };
                match value {
                    Some(v) => {
                        let mut v = self.expr(v);
                        if self.either.contains(var) {
                            self.used.either = true;
                            v = format!("EITHER({v})");
                        }
                        self.line(&format!("{word}{ty} {var} = {v};"));
                    }
                    None => self.line(&format!("{ty} {var};")),
                }
            }
            Stmt::Assign { var, value } => {
                let v = match self.masks.get(var) {
                    Some(bytes) => self.mask(value, *bytes),
                    None if self.without_sign.contains(var) => self.grown(value),
                    None => self.expr(value),
                };
                self.line(&format!("{var} = {v};"));
            }
            Stmt::Index { var, value } => {
                let n = index::nat(*value, &mut self.used);
                self.line(&format!("const int64_t {var} = {n};"));
            }
            Stmt::Alloc(b) => self.alloc(*b),
            Stmt::Prefetch { buf, index } => {
                self.used.fetch = true;
                let name = self.nest.buffers[buf.0 as usize].name;
                let n = index::nat(*index, &mut self.used);
                self.line(&format!("FETCH({name}, {n});"));
            }
            Stmt::Store {
                buf, index, value, ..
            } => {
                let (place, v) = match value.shape().is_mask() {
                    true => {
                        let (elem, lanes) = (Scalar::U8, value.shape().lanes);
                        let place = self.place(*buf, *index, Shape { elem, lanes });
                        (place, self.cast_lanes(value, elem))
                    }
                    false => (self.place(*buf, *index, value.shape()), self.expr(value)),
                };
                self.line(&format!("{place} = {v};"));
            }
        }
    }

    /// An index that lies below its bound as it is. A short one is what compilers gather by, and what tells them that a table of bytes
    /// is read number by number.
    fn index_below(&mut self, var: Symbol, value: &Expr) {
        let (ty, to) = match self.alone.contains(&var) {
            true => ("int32_t", Scalar::I32),
            false => ("int64_t", Scalar::I64),
        };
        let v = self.cast(value, Shape::scalar(to));
        self.line(&format!("const {ty} {var} = {v};"));
    }

    fn branch(&mut self, cond: &Expr, then: &Block, els: &Block) {
        let c = self.expr(cond);
        match then.is_empty() {
            true => self.line(&format!("if (!({c})) {{")),
            false => self.line(&format!("if ({c}) {{")),
        }
        self.indented(if then.is_empty() { els } else { then });
        if !els.is_empty() && !then.is_empty() {
            self.line("} else {");
            self.indented(els);
        }
        self.line("}");
    }

    fn note(&mut self, note: Option<&str>) {
        if let Some(note) = note {
            let note = note.replace("*/", "* /");
            self.line(&format!("/* {note} */"));
        }
    }

    fn for_loop(&mut self, s: &Stmt, (var, extent, kind): (Symbol, Nat, LoopKind), body: &Block) {
        self.used.loops = true;
        let n = index::nat(extent, &mut self.used);
        let head = format!("for (int64_t {var} = 0; {var} < {n}; {var}++) {{");
        let kind = match kind {
            // A loop of one or two vectors compilers would write out before they make vectors.
            LoopKind::Independent if is_of_vectors(extent, body) => LoopKind::Lanes,
            other => other,
        };
        match kind {
            LoopKind::Par => return self.parallel(var, &n, &head, body),
            LoopKind::Lanes => {
                self.used.rolled = true;
                self.line("ROLLED");
            }
            LoopKind::PartialUnroll => {
                self.used.repeated = true;
                self.line("REPEATED");
            }
            LoopKind::Independent => {
                self.used.independent = true;
                self.line("INDEPENDENT");
            }
            LoopKind::Seq => {}
        }
        if let Some(found) = seldom(s) {
            return self.looking_ahead((var, extent), &head, &found, body);
        }
        self.line(&head);
        match settled(s) {
            Some(found) => self.settling(body, &found),
            None => self.indented(body),
        }
        self.line("}");
    }

    /// A loop that leaves out iterations that change nothing, if it is long: else asking for them takes longer than they do.
    fn looking_ahead(
        &mut self,
        (var, extent): (Symbol, Nat),
        head: &str,
        found: &Seldom,
        body: &Block,
    ) {
        let n = index::nat(extent, &mut self.used);
        let chooses = extent.as_int().is_none();
        let first = self.out.next();
        if chooses {
            self.line(&format!("if ({n} >= {ENOUGH}) {{"));
            self.indent += 1;
        }
        self.line(head);
        self.ahead(var, &n, &found.changes);
        self.indented(body);
        self.line("}");
        if chooses {
            self.indent -= 1;
            self.line("} else {");
            self.indent += 1;
            self.out.again(first);
            self.line(head);
            self.either.extend(&found.by);
            self.indented(body);
            self.either.clear();
            self.line("}");
            self.indent -= 1;
            self.line("}");
        }
    }

    /// Leaves out iterations that change nothing, a number of them at a time: compilers make vectors of looking for one that does.
    fn ahead(&mut self, var: Symbol, n: &str, changes: &Expr) {
        let (any, ahead) = (self.free("changes"), self.free("ahead"));
        let at = Nat::var(Symbol::new(&ahead));
        let changes = changes.map_indices(&mut |n| n.subst_var(var, at));
        let changes = self.expr(&changes);
        self.indent += 1;
        for line in [
            format!("if ({var} % {AHEAD} == 0 && {var} + {AHEAD} <= {n}) {{"),
            format!("    int32_t {any} = 0;"),
            format!("    for (int64_t {ahead} = {var}; {ahead} < {var} + {AHEAD}; {ahead}++) {{"),
            format!("        {any} = {any} | ({changes});"),
            "    }".to_string(),
            format!("    if (!{any}) {{"),
            format!("        {var} = {var} + {};", AHEAD - 1),
            "        continue;".to_string(),
            "    }".to_string(),
            "}".to_string(),
        ] {
            self.line(&line);
        }
        self.indent -= 1;
    }

    /// A name that no parameter has, nor anything that lowering names, which ends in a number.
    fn free(&self, name: &str) -> String {
        let sizes = self.nest.abi.sizes.iter().map(|s| identifier(s.as_str()));
        let buffers = self.nest.buffers.iter().map(|b| b.name.to_string());
        let taken: BTreeSet<String> = sizes.chain(buffers).collect();
        let mut name = name.to_string();
        while taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// What is done in a loop that is left once nothing changes any more.
    fn settling(&mut self, body: &Block, found: &Settled) {
        self.indent += 1;
        let (before, behind) = body.split_at(found.at);
        self.block(before);
        let all: Vec<String> = found.unless.iter().map(|c| self.in_some_lane(c)).collect();
        let leaves = match (found.once(), &all[..]) {
            (Some(c), _) => self.expr(c),
            (None, [one]) => format!("!{one}"),
            (None, _) => format!("!({})", all.join(" || ")),
        };
        self.line(&format!("if ({leaves}) break;"));
        self.block(behind);
        self.indent -= 1;
    }

    /// Without threads the loop is not even shown to OpenMP, which takes longer to begin than a short loop does.
    fn parallel(&mut self, var: Symbol, n: &str, head: &str, body: &Block) {
        let is_static = self.nest.entry.statics.contains(&var);
        let cycles = index::as_double(self.nest.entry.share(var), &mut self.used);
        let Some(call) = self.part(body) else {
            self.used.par |= !is_static;
            self.used.par_static |= is_static;
            self.used.par_if |= !is_static;
            self.used.par_static_if |= is_static;
            let name = if is_static {
                "PARALLEL_STATIC_IF"
            } else {
                "PARALLEL_IF"
            };
            self.line(&format!("{name}({n}, {cycles})"));
            self.line(head);
            self.indented(body);
            return self.line("}");
        };
        self.line(&format!("if (WORTH_THREADS({n}, {cycles})) {{"));
        let planes = walk::are_planes(body);
        match (is_static, planes || walk::are_elements(body)) {
            (true, true) => {
                self.used.par_simd = true;
                self.line("    PARALLEL_SIMD");
            }
            (true, false) => {
                self.used.par_static = true;
                self.line("    PARALLEL_STATIC");
            }
            (false, _) => {
                self.used.par = true;
                self.line(&format!("    PARALLEL_FOR({n})"));
            }
        }
        let each = |to: &mut Printer| {
            to.line(&format!("    {head}"));
            to.line(&format!("        {call}"));
            to.line("    }");
        };
        each(self);
        self.line("} else {");
        if planes {
            self.used.independent = true;
            self.line("    INDEPENDENT");
        }
        each(self);
        self.line("}");
    }

    fn alloc(&mut self, b: BufId) {
        let buf = &self.nest.buffers[b.0 as usize];
        let (ty, name) = (c_type(buf.elem), buf.name);
        match buf.storage {
            StorageClass::Stack => {
                let n = buf.len.as_int().unwrap_or(1).max(1);
                let small = n * buf.elem.bytes() as i64 <= 16;
                match small {
                    true => self.line(&format!("{ty} {name}[{n}];")),
                    false => self.line(&format!("{ty} {name}[{n}] __attribute__((aligned(64)));")),
                }
            }
            StorageClass::ThreadHeap => {
                self.used.threads = true;
                let each = self.stride(buf);
                self.line(&format!(
                    "{ty} *restrict {name} = {name}_all + thread_index() * {each};"
                ));
            }
            _ => {}
        }
    }
}

/// Whether as many single elements are stored as one or two vectors have. What is computed in far wider numbers is in many of them.
fn is_of_vectors(extent: Nat, body: &[Stmt]) -> bool {
    let few = extent.as_int().is_some_and(|n| matches!(n, 8 | 12 | 16));
    if !few || walk::has_loops(body) {
        return false;
    }
    let (mut stored, mut widest) = (u64::MAX, 0);
    walk::each_stmt(body, &mut |s| {
        if let Stmt::Store { value, .. } = s {
            stored = stored.min(value.shape().elem.bytes());
        }
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                let computes = matches!(e.kind(), ExprKind::Op(..));
                widest = widest.max(if computes { e.shape().elem.bytes() } else { 0 });
            });
        }
    });
    widest <= stored.saturating_mul(NARROWED)
}

/// How many times as wide as what is stored numbers may be for compilers to make vectors of a short loop.
const NARROWED: u64 = 4;
