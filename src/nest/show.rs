//! A loop program as text, for `--emit nest` and tests.

use super::lines::Lines;
use super::{Block, BufId, Expr, ExprKind, LoopKind, Nest, Shape, Stmt, StorageClass};
use std::fmt;

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.lanes {
            1 => f.write_str(self.elem.name()),
            k => write!(f, "<{k}>{}", self.elem.name()),
        }
    }
}

impl Nest {
    fn expr(&self, e: &Expr) -> String {
        let all = |es: &[Expr]| {
            let texts: Vec<_> = es.iter().map(|e| self.expr(e)).collect();
            texts.join(", ")
        };
        match e.kind() {
            ExprKind::Lit(l) => l.to_string(),
            ExprKind::Var(v) => v.to_string(),
            ExprKind::Index(n) => n.to_string(),
            ExprKind::Load(b, i) => match e.shape().lanes {
                1 => format!("{}[{i}]", self.name(*b)),
                k => format!("{}[{i}; {k}]", self.name(*b)),
            },
            ExprKind::Op(op, es) => format!("{}({})", op.name(), all(es)),
            ExprKind::Cast(a) => format!("cast<{}>({})", e.shape(), self.expr(a)),
            ExprKind::Clamp(a, n) => format!("clamp({}, {n})", self.expr(a)),
            ExprKind::Splat(a) => format!("splat<{}>({})", e.shape().lanes, self.expr(a)),
            ExprKind::Lane(a, i) => format!("{}.{i}", self.expr(a)),
            ExprKind::Pick(es, i) => format!("<{}>.({i})", all(es)),
            ExprKind::Build(es) => format!("<{}>", all(es)),
        }
    }

    fn name(&self, b: BufId) -> &'static str {
        self.buffers[b.0 as usize].name.as_str()
    }

    fn block(&self, block: &Block, indent: usize, out: &mut Lines) {
        for s in block {
            let start = out.begin();
            self.stmt(s, indent, out);
            out.end(start);
        }
    }

    fn stmt(&self, s: &Stmt, indent: usize, out: &mut Lines) {
        let mut line = |text: String| out.line(&format!("{}{text}", "  ".repeat(indent)));
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                note,
            } => {
                let par = match kind {
                    LoopKind::Seq
                    | LoopKind::Lanes
                    | LoopKind::PartialUnroll
                    | LoopKind::Independent => "for",
                    LoopKind::Par => "par",
                };
                match note {
                    Some(note) => line(format!("{par} {var} < {extent}  -- {note}")),
                    None => line(format!("{par} {var} < {extent}")),
                }
                self.block(body, indent + 1, out);
            }
            Stmt::If { cond, then, els } => {
                line(format!("if {}", self.expr(cond)));
                self.block(then, indent + 1, out);
                if !els.is_empty() {
                    out.line(&format!("{}else", "  ".repeat(indent)));
                    self.block(els, indent + 1, out);
                }
            }
            Stmt::Let {
                var,
                value,
                shape,
                mutable,
            } => {
                let word = if *mutable { "var" } else { "let" };
                match value {
                    Some(v) => line(format!("{word} {var} : {shape} = {}", self.expr(v))),
                    None => line(format!("{word} {var} : {shape}")),
                }
            }
            Stmt::Assign { var, value } => line(format!("{var} := {}", self.expr(value))),
            Stmt::Index { var, value } => line(format!("index {var} = {value}")),
            Stmt::Alloc(b) => {
                let buf = &self.buffers[b.0 as usize];
                let storage = match buf.storage {
                    StorageClass::Stack => "stack",
                    StorageClass::Heap => "heap",
                    StorageClass::ThreadHeap => "heap of the thread",
                    _ => "elsewhere",
                };
                let elem = buf.elem.name();
                line(format!("{storage} {} : {} {elem}", buf.name, buf.len));
            }
            Stmt::Prefetch { buf, index } => line(format!("fetch {}[{index}]", self.name(*buf))),
            Stmt::Store {
                buf,
                index,
                value,
                what,
                element,
            } => {
                let role = self.computed[what.0 as usize].role;
                let to = self.name(*buf);
                let value = self.expr(value);
                line(format!(
                    "{to}[{index}] = {value}  -- {role:?} {} at {element}",
                    what.0
                ));
            }
        }
    }

    /// The statements as text, with the lines of each.
    pub fn listing(&self) -> Lines {
        let mut out = Lines::default();
        self.block(&self.body, 0, &mut out);
        out
    }
}

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "nest {}", self.abi.name)?;
        for slot in self.abi.outputs.iter().chain(&self.abi.inputs) {
            write!(f, " {}:", slot.name)?;
            for d in &slot.dims {
                write!(f, "{d}.")?;
            }
            write!(f, "{}", slot.elem.name())?;
        }
        writeln!(f)?;
        for (i, c) in self.computed.iter().enumerate() {
            match &c.term {
                Some(t) => writeln!(f, "  {i}: {:?} of {t}", c.role)?,
                None => writeln!(f, "  {i}: {:?}", c.role)?,
            }
        }
        for a in &self.abi.assumptions {
            writeln!(f, "  assume {a}")?;
        }
        for a in &self.abi.preferred {
            writeln!(f, "  fall back unless {a}")?;
        }
        let mut body = Lines::default();
        self.block(&self.body, 1, &mut body);
        f.write_str(&body.text)
    }
}
