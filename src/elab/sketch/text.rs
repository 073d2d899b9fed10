//! A sketch as text that is read as the same sketch.
//!
//! In: a sketch, perhaps made by a program, of which no file has words. Out: text in the language of sketches; what the shipped
//! prelude has a name for is written by that name. Absent: line breaks, which the printer of files makes.

use super::super::output::{Sketch, SketchKind, TyPattern};
use super::super::print::infix;
use crate::arith::Nat;
use crate::term::Op;

/// As a whole sketch, in the words of the prelude.
pub fn sketch_text(s: &Sketch) -> String {
    Printer { prelude: true }.sketch(s)
}

/// The same for a file that does not import the prelude.
pub fn plain_sketch_text(s: &Sketch) -> String {
    Printer { prelude: false }.sketch(s)
}

struct Printer {
    prelude: bool,
}

impl Printer {
    fn sketch(&self, s: &Sketch) -> String {
        if let Some(text) = self.named(s).filter(|_| self.prelude) {
            return text;
        }
        match &s.kind {
            SketchKind::Any => "?".to_string(),
            SketchKind::Lam(b) => format!("\\ {}", self.argument(b)),
            SketchKind::App(..) => {
                let (head, args) = s.spine();
                std::iter::once(head)
                    .chain(args)
                    .fold("app".to_string(), |text, s| text + " " + &self.argument(s))
            }
            SketchKind::Prim(op, sizes) => primitive(*op, sizes.as_deref()),
            SketchKind::Number(x) => number(*x),
            SketchKind::Size(n) => format!("size[{n}]"),
            SketchKind::Bool(b) => b.to_string(),
            SketchKind::Contains(b) => format!("contains {}", self.argument(b)),
            SketchKind::OnlyContains(b) => format!("onlyContains {}", self.argument(b)),
            SketchKind::None(b) => format!("none {}", self.argument(b)),
            SketchKind::Written(b) => format!("written {}", self.argument(b)),
            SketchKind::Cheapest(b) => format!("cheapest {}", self.argument(b)),
            SketchKind::Every(s, t) => format!("every {} {}", self.argument(s), self.argument(t)),
            SketchKind::Or(all) => self.joined(all, " or "),
            SketchKind::And(all) => self.joined(all, " and "),
            SketchKind::Typed(b, t) => format!("{} : {}", self.argument(b), ty(t)),
        }
    }

    fn joined(&self, all: &[Sketch], word: &str) -> String {
        let all: Vec<String> = all.iter().map(|s| self.argument(s)).collect();
        all.join(word)
    }

    fn argument(&self, s: &Sketch) -> String {
        let text = self.sketch(s);
        let is_atom = matches!(s.kind, SketchKind::Prim(..) | SketchKind::Size(_));
        match text.contains(' ') && !is_atom || text.starts_with('-') {
            true => format!("({text})"),
            false => text,
        }
    }

    fn named(&self, s: &Sketch) -> Option<String> {
        let SketchKind::Contains(inner) = &s.kind else {
            return None;
        };
        let (head, args) = inner.spine();
        match (&head.kind, &args[..]) {
            (SketchKind::Typed(op, t), args) => {
                let SketchKind::Prim(op, None) = op.kind else {
                    return None;
                };
                self.stored_or_loop(op, t, args)
            }
            (SketchKind::Prim(Op::Let, None), [value]) => {
                let (head, made) = value.spine();
                let (SketchKind::Typed(op, t), [made]) = (&head.kind, &made[..]) else {
                    return None;
                };
                let kept = matches!(op.kind, SketchKind::Prim(Op::ToMem, None));
                match t {
                    TyPattern::Fun(from, t) if kept && **from == TyPattern::Any => Some(format!(
                        "containsStored {} {}",
                        type_argument(t),
                        self.argument(made)
                    )),
                    _ => None,
                }
            }
            (SketchKind::Prim(Op::Add, None), [acc, product]) => {
                let is_product = |s: &Sketch| matches!(s.kind, SketchKind::Prim(Op::Mul, None));
                let contains = matches!(&product.kind, SketchKind::Contains(s) if is_product(s));
                let any = matches!(acc.kind, SketchKind::Any);
                (any && contains).then(|| "containsAddMul".to_string())
            }
            _ => None,
        }
    }

    fn stored_or_loop(&self, op: Op, t: &TyPattern, args: &[&Sketch]) -> Option<String> {
        let any = |t: &TyPattern| *t == TyPattern::Any;
        let TyPattern::Fun(f, rest) = t else {
            return None;
        };
        let TyPattern::Fun(first, second) = &**rest else {
            return None;
        };
        if !any(f) {
            return None;
        }
        let of = |name: &str, n: Nat, args: &[&Sketch]| {
            let start = format!("{name} {}", size_text(n));
            args.iter()
                .fold(start, |text, s| text + " " + &self.argument(s))
        };
        match (op, &**first, &**second, args) {
            (Op::Map | Op::MapPar | Op::MapSeqUnroll, TyPattern::Array(Some(n), e), r, args)
                if any(e) && any(r) =>
            {
                let name = match (op, args.len()) {
                    (Op::Map, 1) => "containsMap",
                    (Op::MapPar, 1) => "containsMapPar",
                    (Op::MapSeqUnroll, 1) => "containsMapUnroll",
                    (Op::Map, 2) => "containsMapOver",
                    (Op::MapPar, 2) => "containsMapParOver",
                    _ => return None,
                };
                Some(of(name, *n, args))
            }
            (Op::ReduceSeq | Op::ReduceSeqUnroll, acc, TyPattern::Fun(xs, r), [f]) if any(r) => {
                let TyPattern::Array(Some(n), e) = &**xs else {
                    return None;
                };
                match (op, any(e), any(acc)) {
                    (Op::ReduceSeq, true, true) => Some(of("containsReduceSeq", *n, &[f])),
                    (Op::ReduceSeqUnroll, true, true) => {
                        Some(of("containsReduceSeqUnroll", *n, &[f]))
                    }
                    (Op::ReduceSeq, true, false) => Some(format!(
                        "containsReduceSeqInto {} {} {}",
                        size_text(*n),
                        type_argument(acc),
                        self.argument(f)
                    )),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn primitive(op: Op, sizes: Option<&[Nat]>) -> String {
    let name = match infix(op) {
        Some(op) => format!("({})", op.text()),
        None => op.name().to_string(),
    };
    match sizes {
        Some(sizes) if !sizes.is_empty() => {
            let sizes: Vec<String> = sizes.iter().map(Nat::to_string).collect();
            format!("{name}[{}]", sizes.join(", "))
        }
        _ => name,
    }
}

fn number(x: f64) -> String {
    match x.fract() == 0.0 && x.abs() < 1e15 {
        true => format!("{x:.1}"),
        false => x.to_string(),
    }
}

/// A size as an operand.
pub fn size_text(n: Nat) -> String {
    let text = n.to_string();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    match text.chars().all(is_word) {
        true => text,
        false => format!("({text})"),
    }
}

fn length(n: Option<Nat>) -> String {
    n.map_or("?".to_string(), size_text)
}

fn ty(t: &TyPattern) -> String {
    match t {
        TyPattern::Any => "?".to_string(),
        TyPattern::AnyScalar => "scalar".to_string(),
        TyPattern::Scalar(s) => s.name().to_string(),
        TyPattern::Idx(n) => format!("idx[{}]", n.map_or("?".to_string(), |n| n.to_string())),
        TyPattern::Pair(a, b) => format!("({}, {})", ty(a), ty(b)),
        TyPattern::Vec(n, t) => {
            let n = n.map_or("?".to_string(), |n| n.to_string());
            format!("<{n}>{}", element(t))
        }
        TyPattern::Array(n, t) => format!("{}.{}", length(*n), element(t)),
        TyPattern::Fun(a, b) => format!("{} -> {}", element(a), ty(b)),
    }
}

fn element(t: &TyPattern) -> String {
    match t {
        TyPattern::Fun(..) => format!("({})", ty(t)),
        _ => ty(t),
    }
}

fn type_argument(t: &TyPattern) -> String {
    match t {
        TyPattern::Any | TyPattern::AnyScalar | TyPattern::Scalar(_) => ty(t),
        _ => format!("({})", ty(t)),
    }
}
