//! What scalars are in a program with bounds: definitions, written as programs are.
//!
//! Comes in: the name of a definition and the type that it is of; goes out: a closed function. Invariant: each of its
//! arguments is computed once, whatever it is given. Absent: arrays, functions.

use crate::elab;
use crate::source::SourceMap;
use crate::term::{call, call_as, Lit, Op, Prim, Term};
use crate::ty::{Scalar, Ty, TyKind};
use std::collections::HashMap;

const NUMBERS: &str = include_str!("numbers.rise");
const RANGES: &str = include_str!("ranges.rise");
const LOGIC: &str = include_str!("logic.rise");
const INTEGERS: &str = include_str!("integers.rise");

/// The size of definitions over indices.
pub const SIZE: &str = "n";

const BOUNDED: &str = "(f64, (f64, (f64, (f64, (f64, f64)))))";

/// The type of a float with its bound.
pub fn bounded() -> Ty {
    let f64 = Ty::from(Scalar::F64);
    (0..5).fold(f64, |rest, _| Ty::pair(f64, rest))
}

/// The definition of an operation.
pub fn name_of(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Neg => "negative",
        Op::Add => "plus",
        Op::Sub => "minus",
        Op::Mul => "times",
        Op::Div => "over",
        Op::Mod => "rest",
        Op::Min => "smaller",
        Op::Max => "larger",
        Op::Fma => "times_plus",
        Op::Abs => "absolute",
        Op::Sqrt => "sqrt_of",
        Op::Exp => "exp_of",
        Op::Exp2 => "exp2_of",
        Op::Log => "log_of",
        Op::Sin => "sin_of",
        Op::Cos => "cos_of",
        Op::Tanh => "tanh_of",
        Op::Lt => "lt_of",
        Op::Le => "le_of",
        Op::Gt => "gt_of",
        Op::Ge => "ge_of",
        Op::Eq => "eq_of",
        Op::Ne => "ne_of",
        Op::And => "and_of",
        Op::Or => "or_of",
        Op::Not => "not_of",
        _ => return None,
    })
}

/// Whether there is a definition of it over ranges of integers.
pub fn of_ranges(op: Op) -> bool {
    matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Min | Op::Max)
}

/// What was read.
pub struct Definitions {
    /// Whether roundings go either way by chance.
    by_chance: bool,
    known: HashMap<(String, &'static str), Term>,
}

impl Definitions {
    pub fn new(by_chance: bool) -> Definitions {
        Definitions {
            by_chance,
            known: HashMap::new(),
        }
    }

    /// Over floats of a type.
    pub fn float(&mut self, s: Scalar, name: &'static str) -> Option<Term> {
        let [unit, least, most, digits] = crate::interp::bounds::constants(s);
        let text = NUMBERS
            .replace("BOUNDED", BOUNDED)
            .replace("LIKELY", if self.by_chance { "true" } else { "false" })
            .replace("UNIT", &format!("{unit:?}f64"))
            .replace("LEAST", &format!("{least:?}f64"))
            .replace("MOST", &format!("{most:?}f64"))
            .replace("DIGITS", &format!("{digits:?}f64"));
        self.read(text, name)
    }

    /// Over ranges of a type that is none of floats.
    pub fn whole(&mut self, ty: Ty, name: &'static str) -> Option<Term> {
        self.of_type(ty, RANGES.to_string(), name)
    }

    /// Over ranges of integers.
    pub fn integer(&mut self, ty: Ty, name: &'static str) -> Option<Term> {
        let (first, last) = ty.as_scalar()?.bounds();
        // The largest ones of 64 bits are none of the floats.
        let edge = |x: i128| match ty.as_scalar().is_some_and(|s| s.bytes() == 8) {
            true => x as f64 * 0.999,
            false => x as f64,
        };
        let text = INTEGERS
            .replace("FIRST", &format!("({:?}f64)", edge(first)))
            .replace("LAST", &format!("{:?}f64", edge(last)));
        let name = match name {
            "plus" => "add_of",
            "minus" => "sub_of",
            "times" => "mul_of",
            "smaller" => "min_of",
            _ => "max_of",
        };
        self.of_type(ty, text, name)
    }

    fn of_type(&mut self, ty: Ty, text: String, name: &'static str) -> Option<Term> {
        let (low, high) = match ty.kind() {
            TyKind::Scalar(Scalar::Bool) => ("false".to_string(), "true".to_string()),
            TyKind::Scalar(s) => {
                // A cast saturates.
                let end = |x: &str| format!("(cast ({x}1e30f64) : {})", s.name());
                (end("-"), end(""))
            }
            _ => {
                let end = |x: &str| format!("(cast ({x} : i64) : idx[{SIZE}])");
                (end("0"), end(SIZE))
            }
        };
        let text = text.replace("LOWEST", &low).replace("HIGHEST", &high);
        match ty.kind() {
            TyKind::Idx(n) => {
                let text = text
                    .replace("WHOLE", &format!("idx[{SIZE}]"))
                    .lines()
                    .map(with_size)
                    .collect::<Vec<_>>()
                    .join("\n");
                Some(super::sized(&self.read(text, name)?, n))
            }
            TyKind::Scalar(s) => self.read(text.replace("WHOLE", s.name()), name),
            _ => None,
        }
    }

    /// Over truth values.
    pub fn logic(&mut self, name: &'static str) -> Option<Term> {
        self.read(LOGIC.to_string(), name)
    }

    fn read(&mut self, text: String, name: &'static str) -> Option<Term> {
        let key = (text, name);
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        let mut sources = SourceMap::new();
        let file = sources.add_text("rounding.rise", &key.0);
        let read = elab::definition(&mut sources, file, Some(name));
        debug_assert!(read.is_ok(), "{name}: {read:?}");
        let term = once(&read.ok()?.term)?;
        self.known.insert(key, term.clone());
        Some(term)
    }

    /// A float as one of another type.
    pub fn between(&mut self, from: Scalar, to: Scalar) -> Option<Term> {
        let wider = crate::interp::bounds::has_all_of(to, from);
        let name = if wider { "widened" } else { "narrowed" };
        let measured = Term::app(self.float(from, "measured")?, Term::var(0, bounded()));
        let body = Term::app(self.float(to, name)?, measured);
        Some(Term::lam(None, bounded(), body))
    }

    /// From where to where a float is as something else.
    pub fn as_whole(&mut self, from: Scalar, to: Ty) -> Option<Term> {
        let pair = Ty::pair(Scalar::F64.into(), Scalar::F64.into());
        let [x, off] = super::parts(&Term::var(0, pair))?;
        let zero = Term::lit(Lit::f64(0.0), Scalar::F64.into());
        let limit = Term::lit(Lit::f64(f64::INFINITY), Scalar::F64.into());
        let range = match to.as_scalar() {
            // Whether it is another number than 0.
            Some(Scalar::Bool) => {
                let size = call(Op::Abs, [], [x.clone()])?;
                let surely = call(Op::Gt, [], [size, off.clone()])?;
                let exact = call(Op::Eq, [], [off.clone(), zero.clone()])?;
                let holds = call(Op::Ne, [], [x.clone(), zero])?;
                let sure = call(Op::Or, [], [surely.clone(), exact.clone()])?;
                let low = call(Op::And, [], [holds.clone(), sure.clone()])?;
                let unsure = call(Op::Not, [], [sure])?;
                call(Op::Pair, [], [low, call(Op::Or, [], [holds, unsure])?])?
            }
            _ => {
                let low = call(Op::Sub, [], [x.clone(), off.clone()])?;
                let high = call(Op::Add, [], [x.clone(), off.clone()])?;
                let cast = |x: Term| call_as(Op::Cast, [], [x], to);
                call(Op::Pair, [], [cast(low)?, cast(high)?])?
            }
        };
        let known = call(Op::Lt, [], [off, limit])?;
        let body = Term::apps(self.whole(to, "unknown")?, [known, range]);
        let once = bind(
            Term::app(self.float(from, "measured")?, Term::var(0, bounded())),
            body,
        )?;
        Some(Term::lam(None, bounded(), once))
    }

    /// What is no float as one.
    pub fn as_float(&mut self, from: Ty, to: Scalar, range: bool) -> Option<Term> {
        let cast = |x: Term| {
            let nearest = call_as(Op::Cast, [], [x], to.into())?;
            call_as(Op::Cast, [], [nearest], Scalar::F64.into())
        };
        if !range {
            let exact = self.float(to, "exact")?;
            return Some(Term::lam(
                None,
                from,
                Term::app(exact, cast(Term::var(0, from))?),
            ));
        }
        let pair = Ty::pair(from, from);
        let [low, high] = super::parts(&Term::var(0, pair))?;
        let sure = call(Op::Eq, [], [low.clone(), high.clone()])?;
        let of_range = self.float(to, "of_range")?;
        let body = Term::apps(of_range, [sure, cast(low)?, cast(high)?]);
        Some(Term::lam(None, pair, bind(Term::var(0, pair), body)?))
    }

    /// Between types that are none of floats; each with a range, or without.
    pub fn between_wholes(&mut self, from: (Ty, bool), to: (Ty, bool)) -> Option<Term> {
        let ty = Ty::fun(from.0, to.0);
        let cast = |x: Term| call_as(Op::Cast, [], [x], to.0);
        match (from.1, to.1) {
            (false, true) => {
                let x = cast(Term::var(0, from.0))?;
                let both = Term::app(self.whole(to.0, "certain")?, x);
                Some(Term::lam(None, from.0, both))
            }
            (true, true) => {
                let keeps_order = match (from.0.as_scalar(), to.0.as_scalar()) {
                    (None, _) => false,
                    (_, None) => true,
                    (_, Some(Scalar::Bool)) => false,
                    (Some(a), Some(b)) => {
                        let ((l, h), (low, high)) = (a.bounds(), b.bounds());
                        a == Scalar::Bool || low <= l && h <= high
                    }
                };
                if !keeps_order {
                    return self.where_certain(Op::Cast, ty);
                }
                let pair = Ty::pair(from.0, from.0);
                let [low, high] = super::parts(&Term::var(0, pair))?;
                let both = call(Op::Pair, [], [cast(low)?, cast(high)?])?;
                Some(Term::lam(None, pair, bind(Term::var(0, pair), both)?))
            }
            // Ranges do not end.
            (_, false) => None,
        }
    }

    /// An operation on what is no float, of which nothing is known where one of its arguments is in doubt.
    pub fn where_certain(&mut self, op: Op, ty: Ty) -> Option<Term> {
        let (args, result) = ty.uncurried();
        let count = args.len() as u32;
        let plain = Term::prim(Prim::from(op), ty);
        let (mut call_of, mut sure) = (plain, None);
        for (i, arg) in args.iter().enumerate() {
            let x = Term::var(count - 1 - i as u32, Ty::pair(*arg, *arg));
            let [low, high] = super::parts(&x)?;
            let same = call(Op::Eq, [], [low.clone(), high])?;
            sure = Some(match sure {
                None => same,
                Some(before) => call(Op::And, [], [before, same])?,
            });
            call_of = Term::app(call_of, low);
        }
        let value = Term::app(self.whole(result, "certain")?, call_of);
        let body = Term::apps(self.whole(result, "unknown")?, [sure?, value]);
        let args = args.iter().rev();
        Some(args.fold(body, |b, t| Term::lam(None, Ty::pair(*t, *t), b)))
    }
}

/// `def f (…` as a definition with a size.
fn with_size(line: &str) -> String {
    let Some(rest) = line.strip_prefix("def ") else {
        return line.to_string();
    };
    match rest.split_once(' ') {
        Some((name, rest)) => format!("def {name} [{SIZE} : nat] {rest}"),
        None => line.to_string(),
    }
}

/// `let value (\x -> body)`
fn bind(value: Term, body: Term) -> Option<Term> {
    let f = Term::lam(None, value.ty(), body);
    call(Op::Let, [], [value, f])
}

/// A function whose arguments are computed once, however often it uses them.
fn once(f: &Term) -> Option<Term> {
    let (args, _) = f.ty().uncurried();
    let count = args.len() as u32;
    let mut body = f.clone();
    // Below the second binders the arguments are the innermost ones.
    for (i, ty) in args.iter().enumerate() {
        body = Term::app(body, Term::var(count - 1 - i as u32, *ty));
    }
    for ty in args.iter().rev() {
        // Outside of it stand the arguments, and those of them that are bound already.
        let given = Term::var(count - 1, *ty);
        body = bind(given, body)?;
    }
    Some(args.iter().rev().fold(body, |b, t| Term::lam(None, *t, b)))
}
