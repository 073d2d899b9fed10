//! Operators with the laws that conditions ask for, and no more.
//!
//! Comes in: a type and the laws that an operator has to satisfy; goes out: an operator, with its identity where one is
//! asked for. Invariant: the laws hold to the bit for all values that instances hold. Operators that satisfy more than
//! is asked would never refute a rule that forgets a condition: so besides those of the table there are some that
//! associate and do not commute (`\x y -> x`, composition of affine maps, the last that is not the identity),
//! that commute and do not associate, that have an identity and no other law. Absent: holes.

use crate::algebra::{self, Floats, Properties, Property};
use crate::interp::generate::Generator;
use crate::term::{call, call_as, Lit, Op, Term};
use crate::ty::{Scalar, Ty, TyKind};

/// Laws that an operator has to satisfy.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub properties: Properties,
    pub identity: Identity,
}

/// What is asked of its identity.
#[derive(Clone, Debug, Default)]
pub enum Identity {
    #[default]
    None,
    /// There is one on both sides.
    Any,
    /// This one is.
    Is(Lit),
}

const PROJECTION: Properties = Properties::of(&[Property::Associative, Property::Idempotent]);

impl Asked {
    fn allows(&self, laws: Properties) -> bool {
        laws.contain(self.properties)
    }

    fn no_identity(&self) -> bool {
        matches!(self.identity, Identity::None)
    }
}

/// An operator on a type, and its identity where one is asked for.
pub fn operator(t: Ty, asked: &Asked, g: &mut Generator) -> Option<(Term, Option<Term>)> {
    // Projections work on every type.
    if asked.no_identity() && asked.allows(PROJECTION) && g.rng.one_in(4) {
        let first = g.rng.below(2) as u32;
        return Some((both(t, Term::var(first, t)), None));
    }
    match t.kind() {
        TyKind::Scalar(s) => scalar(s, None, asked, g),
        TyKind::Vec(_, e) => scalar(e.as_scalar()?, Some(t), asked, g),
        TyKind::Pair(a, b) => {
            if let Some(affine) = affine(t, a, b, asked).filter(|_| g.rng.one_in(2)) {
                return Some(affine);
            }
            let (x, y) = (Term::var(1, t), Term::var(0, t));
            let part = |op: Op, f: Term| {
                let of = |v: &Term| call(op, [], [v.clone()]);
                Some(Term::apps(f, [of(&x)?, of(&y)?]))
            };
            let ((f, d), (h, e)) = (operator(a, asked, g)?, operator(b, asked, g)?);
            let body = call(Op::Pair, [], [part(Op::Fst, f)?, part(Op::Snd, h)?])?;
            let identity = d.zip(e).and_then(|(d, e)| call(Op::Pair, [], [d, e]));
            Some((both(t, body), identity))
        }
        TyKind::Array(n, e) => {
            let (f, identity) = operator(e, asked, g)?;
            let z = Term::var(0, Ty::pair(e, e));
            let parts = [
                call(Op::Fst, [], [z.clone()])?,
                call(Op::Snd, [], [z.clone()])?,
            ];
            let each = Term::lam(None, z.ty(), Term::apps(f, parts));
            let zipped = call(Op::Zip, [], [Term::var(1, t), Term::var(0, t)])?;
            let identity = identity.and_then(|e| call(Op::Fill, [n], [e]));
            Some((both(t, call(Op::Map, [], [each, zipped])?), identity))
        }
        TyKind::Idx(_) | TyKind::Fun(..) | TyKind::Meta(_) => None,
    }
}

fn both(t: Ty, body: Term) -> Term {
    Term::lam(None, t, Term::lam(None, t, body))
}

/// On a scalar, or lane by lane on a vector type of it.
fn scalar(
    s: Scalar,
    wide: Option<Ty>,
    asked: &Asked,
    g: &mut Generator,
) -> Option<(Term, Option<Term>)> {
    let t = wide.unwrap_or(s.into());
    let literal = |l: Lit| {
        let one = Term::lit(l, s.into());
        match wide {
            None => Some(one),
            Some(t) => call_as(Op::VectorFromScalar, [], [one], t),
        }
    };
    let own = own(s, t, asked, &literal, g);
    let table: Vec<(Term, Option<Term>)> = algebra::operators(s, Floats::Reassociate)
        .into_iter()
        .filter(|(_, f)| asked.allows(f.properties))
        .filter_map(|(op, f)| {
            let both = f.left.iter().find(|e| f.right.contains(e));
            let identity = match &asked.identity {
                Identity::None => None,
                Identity::Any => Some(literal(*both?)?),
                Identity::Is(e) => {
                    (f.left.contains(e) && f.right.contains(e)).then_some(())?;
                    Some(literal(*e)?)
                }
            };
            let (p, _) = op.as_prim_app()?;
            Some((call_as(p.op(), [], [], Ty::funs([t, t], t))?, identity))
        })
        .collect();
    let from = match (own.is_empty(), table.is_empty()) {
        (true, true) => return None,
        (true, false) => table,
        (false, true) => own,
        (false, false) if g.rng.one_in(2) => own,
        (false, false) => table,
    };
    Some(g.rng.pick(&from).clone())
}

/// Operators that no table has.
fn own(
    s: Scalar,
    t: Ty,
    asked: &Asked,
    literal: &dyn Fn(Lit) -> Option<Term>,
    g: &mut Generator,
) -> Vec<(Term, Option<Term>)> {
    let (x, y) = (|| Term::var(1, t), || Term::var(0, t));
    let number = |n: i64| literal(Lit::number(n as f64, s));
    let op = |op: Op, a: Option<Term>, b: Option<Term>| call(op, [], [a?, b?]);
    let mut out = Vec::new();
    let mut add = |laws: Properties, body: Option<Term>, identity: Option<Term>| {
        let wanted = asked.no_identity() || identity.is_some();
        if let (true, true, Some(body)) = (asked.allows(laws), wanted, body) {
            let identity = identity.filter(|_| !asked.no_identity());
            out.push((both(t, body), identity));
        }
    };
    // The last of those that are no identity. Zeros of two signs are equal, and no number that is drawn is 1.5.
    let last = match &asked.identity {
        Identity::Is(e) => Some(*e).filter(|_| s.is_int()),
        _ if s.is_int() => Some(Lit::number(g.rng.between(0, 3) as f64, s)),
        _ if s.is_float() => Some(Lit::number(1.5, s)),
        _ => None,
    };
    if let (Some(e), true) = (last, t == Ty::from(s)) {
        let is = op(Op::Eq, Some(y()), literal(e));
        let body = is.and_then(|is| call(Op::Select, [], [is, x(), y()]));
        add(PROJECTION, body, literal(e));
    }
    if !s.is_int() {
        return out;
    }
    let product = || op(Op::Mul, Some(x()), Some(y()));
    let zero = match &asked.identity {
        Identity::Is(e) if *e != Lit::Int(0) => None,
        _ => number(0),
    };
    // x + y + x*y*x
    let mixed = op(Op::Mul, product(), Some(x()));
    let sum = op(Op::Add, Some(x()), Some(y()));
    add(
        Properties::default(),
        op(Op::Add, sum.clone(), mixed),
        zero.clone(),
    );
    // x*y + 1, and x + y + x*x*y*y
    let commutes = Properties::of(&[Property::Commutative]);
    add(commutes, op(Op::Add, product(), number(1)), None);
    let squares = op(Op::Mul, product(), product());
    add(commutes, op(Op::Add, sum.clone(), squares), zero);
    // x + y + 2
    let shifted = commutes.and(Property::Associative);
    add(shifted, op(Op::Add, sum, number(2)), None);
    // max (max x y) 0, which repeats what is combined, but not `op x x = x`
    let all = shifted.and(Property::Idempotent);
    let larger = op(Op::Max, Some(x()), Some(y()));
    let cut = op(Op::Max, larger, number(0));
    add(all, cut.filter(|_| s.is_signed()), None);
    // 2*y + 1
    let repeats = Properties::of(&[Property::Idempotent]);
    let twice = op(Op::Mul, number(2), Some(y()));
    add(repeats, op(Op::Add, twice, number(1)), None);
    out
}

/// `x ↦ a*x + b` composed: `(a, b)` with `(c, d)` is `(a*c, b*c + d)`.
fn affine(t: Ty, a: Ty, b: Ty, asked: &Asked) -> Option<(Term, Option<Term>)> {
    let s = a.as_scalar().filter(|s| a == b && s.is_int())?;
    let laws = Properties::of(&[Property::Associative]);
    let fits = asked.allows(laws) && !matches!(asked.identity, Identity::Is(_));
    fits.then_some(())?;
    let part = |op: Op, i: u32| call(op, [], [Term::var(i, t)]);
    let product = |x: Option<Term>, y: Option<Term>| call(Op::Mul, [], [x?, y?]);
    let factor = product(part(Op::Fst, 1), part(Op::Fst, 0))?;
    let moved = product(part(Op::Snd, 1), part(Op::Fst, 0))?;
    let rest = call(Op::Add, [], [moved, part(Op::Snd, 0)?])?;
    let number = |n: f64| Term::lit(Lit::number(n, s), a);
    let identity = call(Op::Pair, [], [number(1.0), number(0.0)]);
    let body = call(Op::Pair, [], [factor, rest])?;
    Some((both(t, body), identity.filter(|_| !asked.no_identity())))
}
