//! A loop program as text, for `--emit nest` and tests.

use super::{Block, BufId, Expr, ExprKind, Home, LoopKind, Nest, Shape, Stmt};
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

    fn block(&self, block: &Block, indent: usize, f: &mut fmt::Formatter) -> fmt::Result {
        let pad = "  ".repeat(indent);
        for s in block {
            match s {
                Stmt::For {
                    var,
                    extent,
                    kind,
                    body,
                    note,
                } => {
                    let par = match kind {
                        LoopKind::Seq => "for",
                        LoopKind::Par => "par",
                    };
                    write!(f, "{pad}{par} {var} < {extent}")?;
                    match note {
                        Some(note) => writeln!(f, "  -- {note}")?,
                        None => writeln!(f)?,
                    }
                    self.block(body, indent + 1, f)?;
                }
                Stmt::If { cond, then, els } => {
                    writeln!(f, "{pad}if {}", self.expr(cond))?;
                    self.block(then, indent + 1, f)?;
                    if !els.is_empty() {
                        writeln!(f, "{pad}else")?;
                        self.block(els, indent + 1, f)?;
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
                        Some(v) => writeln!(f, "{pad}{word} {var} : {shape} = {}", self.expr(v))?,
                        None => writeln!(f, "{pad}{word} {var} : {shape}")?,
                    }
                }
                Stmt::Assign { var, value } => writeln!(f, "{pad}{var} := {}", self.expr(value))?,
                Stmt::Index { var, value } => writeln!(f, "{pad}index {var} = {value}")?,
                Stmt::Alloc(b) => {
                    let buf = &self.buffers[b.0 as usize];
                    let home = match buf.home {
                        Home::Stack => "stack",
                        Home::Heap => "heap",
                        Home::ThreadHeap => "heap of the thread",
                        _ => "elsewhere",
                    };
                    let elem = buf.elem.name();
                    writeln!(f, "{pad}{home} {} : {} {elem}", buf.name, buf.len)?;
                }
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
                    writeln!(
                        f,
                        "{pad}{to}[{index}] = {value}  -- {role:?} {} at {element}",
                        what.0
                    )?;
                }
            }
        }
        Ok(())
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
        self.block(&self.body, 1, f)
    }
}
