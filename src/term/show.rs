//! Terms as compact text with De Bruijn indices, for debugging and traces of
//! the search; `elab` owns the printer that gives names back.

use super::{Kind, Program, Term};
use std::fmt;

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.kind() {
            Kind::Var(i) => write!(f, "%{i}"),
            Kind::Lam(_, b) => write!(f, "\\{b}"),
            Kind::App(..) => {
                let (head, args) = self.spine();
                let part = |t: &Term, f: &mut fmt::Formatter| match t.kind() {
                    Kind::App(..) | Kind::Lam(..) => write!(f, "({t})"),
                    _ => write!(f, "{t}"),
                };
                part(head, f)?;
                for a in args {
                    f.write_str(" ")?;
                    part(a, f)?;
                }
                Ok(())
            }
            Kind::Prim(p) => write!(f, "{p}"),
            Kind::Lit(l) => write!(f, "{l}"),
            Kind::Hole(i) => write!(f, "?{i}"),
        }
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "def {}", self.name)?;
        if !self.sizes.is_empty() {
            let sizes: Vec<_> = self.sizes.iter().map(|s| s.as_str()).collect();
            write!(f, " [{} : nat]", sizes.join(" "))?;
        }
        for (name, ty) in &self.params {
            write!(f, " ({name} : {ty})")?;
        }
        write!(f, " : {} = {}", self.result, self.term)
    }
}
