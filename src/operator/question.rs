//! An operator as it is asked about.
//!
//! In: a term. Out: verdicts on laws of two sides, each scalar of which is compared by itself. Absent: identities (`identity`).

use super::dag::{Dag, Id};
use super::points::{self, Number};
use super::read::{Reader, Tree};
use super::{bits, cases::Prover, Effort, Law, Meaning, Method, Verdict, UNDECIDED, UNREADABLE};
use crate::arith::AtomKind;
use crate::interp::{self, Num, Sizes};
use crate::term::{call, call_as, normalize, Lit, Op, Term};
use crate::ty::{Ty, TyKind};

/// What a variable of an operator is called.
pub type Named = String;

/// Where the sides of a law differ.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The names of the operands, and of what the operator mentions, with their values.
    pub point: Vec<(String, String)>,
    /// What the left side is there.
    pub left: String,
    /// What the right side is.
    pub right: String,
    /// Whether the interpreter, which knows nothing of this, finds the sides different, too.
    pub confirmed: bool,
}

pub(super) struct Question {
    pub op: Term,
    pub ty: Ty,
    pub reader: Reader,
    pub function: Tree,
    /// The operator's variables: name, type and, by number, their leaves.
    pub free: Vec<Free>,
}

/// What stands on both sides: the trees, and the operands by name.
struct Equation {
    left: Tree,
    right: Tree,
    operands: Vec<(&'static str, Tree)>,
}

impl Question {
    /// `None` for what is no operator, or cannot be looked into.
    pub fn new(op: &Term, names: &[String]) -> Option<Question> {
        let op = normalize(op);
        let (ty, rest) = op.ty().as_fun()?;
        if rest != Ty::fun(ty, ty) || ty.has_meta() {
            return None;
        }
        let mut reader = Reader::new();
        let (env, free) = variables(&mut reader, &op, names)?;
        let function = reader.eval(&op, &env)?;
        Some(Question {
            op,
            ty,
            reader,
            function,
            free,
        })
    }

    pub fn call(&mut self, a: &Tree, b: &Tree) -> Option<Tree> {
        let f = self.function.clone();
        self.reader.call(&f, &[a.clone(), b.clone()])
    }

    fn equation(&mut self, law: Law) -> Option<Equation> {
        let ty = self.ty;
        let [x, y] = [self.reader.fresh(ty)?, self.reader.fresh(ty)?];
        let xy = self.call(&x, &y)?;
        let mut operands = vec![("x", x.clone()), ("y", y.clone())];
        let (left, right) = match law {
            Law::Associative => {
                let z = self.reader.fresh(ty)?;
                operands.push(("z", z.clone()));
                let yz = self.call(&y, &z)?;
                (self.call(&xy, &z)?, self.call(&x, &yz)?)
            }
            Law::Commutative => (xy, self.call(&y, &x)?),
            Law::Idempotent => (self.call(&xy, &y)?, xy),
        };
        Some(Equation {
            left,
            right,
            operands,
        })
    }

    pub fn judge(&mut self, law: Law, meaning: Meaning, effort: Effort) -> Verdict {
        let Some(e) = self.equation(law) else {
            return Verdict::Unknown(UNREADABLE);
        };
        let (Some(left), Some(right)) = (e.left.leaves(), e.right.leaves()) else {
            return Verdict::Unknown(UNREADABLE);
        };
        if left.len() != right.len() {
            return Verdict::Unknown(UNREADABLE);
        }
        let pairs: Vec<(Id, Id)> = left.into_iter().zip(right).filter(|p| p.0 != p.1).collect();
        // A few points first, as most of what is wrong is wrong there; many only of what could not be proved.
        let few = points::Effort::few(effort.points / 10);
        if let Some(found) = points::difference(&self.reader.dag, meaning, &pairs, few) {
            return self.refuted(law, meaning, &e, &found);
        }
        if let Some(method) = self.proved(&pairs, meaning, effort) {
            return Verdict::Proved(method);
        }
        let many = points::Effort::many(effort.points);
        match points::difference(&self.reader.dag, meaning, &pairs, many) {
            Some(found) => self.refuted(law, meaning, &e, &found),
            None => Verdict::Unknown(UNDECIDED),
        }
    }

    /// How all pairs are proved to be equal.
    pub fn proved(&self, pairs: &[(Id, Id)], meaning: Meaning, effort: Effort) -> Option<Method> {
        proved(&self.reader.dag, pairs, meaning, effort)
    }

    fn refuted(&self, law: Law, meaning: Meaning, e: &Equation, point: &[Number]) -> Verdict {
        let shown = |ty: Ty, ids: &[Id]| {
            let values = points::values(&self.reader.dag, meaning, ids, point);
            show(ty, &mut values.into_iter())
        };
        let mut named = Vec::new();
        for (name, tree) in &e.operands {
            named.push((
                name.to_string(),
                shown(self.ty, &tree.leaves().unwrap_or_default()),
            ));
        }
        for (name, ty, ids) in &self.free {
            named.push((name.clone(), shown(*ty, ids)));
        }
        let confirmed = self.confirmed(law, e, point, meaning) == Some(true);
        // On the machine nothing but the interpreter says what an operator means.
        if meaning == Meaning::Machine && !confirmed {
            return Verdict::Unknown(UNDECIDED);
        }
        Verdict::Refuted(Counterexample {
            point: named,
            left: shown(self.ty, &e.left.leaves().unwrap_or_default()),
            right: shown(self.ty, &e.right.leaves().unwrap_or_default()),
            confirmed,
        })
    }

    /// Whether the interpreter finds the sides of a law different.
    fn confirmed(
        &self,
        law: Law,
        e: &Equation,
        point: &[Number],
        meaning: Meaning,
    ) -> Option<bool> {
        let at = |ty: Ty, ids: &[Id]| {
            let values = points::values(&self.reader.dag, meaning, ids, point);
            data(ty, &mut values.into_iter())
        };
        let operand = |i: usize| at(self.ty, &e.operands.get(i)?.1.leaves()?);
        let free: Vec<Option<Term>> = (self.free.iter()).map(|f| at(f.1, &f.2)).collect();
        let types: Vec<Ty> = self.free.iter().map(|f| f.1).collect();
        let numbers = numbers_of_variables(&self.op);
        let op = self.op.map_free(&mut |i, ty| {
            let at = numbers.iter().position(|n| *n == i);
            let given = at.and_then(|at| free.get(at)?.clone());
            given
                .filter(|_| at.is_some_and(|at| types[at] == ty))
                .unwrap_or_else(|| Term::var(i, ty))
        });
        if op.open() > 0 {
            return None;
        }
        let call = |a: &Term, b: &Term| Term::apps(op.clone(), [a.clone(), b.clone()]);
        let (x, y) = (operand(0)?, operand(1)?);
        let (left, right) = match law {
            Law::Associative => {
                let z = operand(2)?;
                (call(&call(&x, &y), &z), call(&x, &call(&y, &z)))
            }
            Law::Commutative => (call(&x, &y), call(&y, &x)),
            Law::Idempotent => (call(&call(&x, &y), &y), call(&x, &y)),
        };
        let sizes = sizes(&op);
        let value = |t: &Term| interp::eval(t, &sizes, &[]).ok();
        let (left, right) = (
            value(&left)?.leaves().concat(),
            value(&right)?.leaves().concat(),
        );
        Some(left.iter().zip(&right).any(|(a, b)| !a.same(*b)))
    }
}

/// Nodes of a diagram of bits that may be made for each case that a proof may have.
const NODES_FOR_A_CASE: usize = 5;

/// How all pairs are proved to be equal.
pub(super) fn proved(
    dag: &Dag,
    pairs: &[(Id, Id)],
    meaning: Meaning,
    effort: Effort,
) -> Option<Method> {
    let mut method = Method::Cases(1);
    for (a, b) in pairs.iter().filter(|p| p.0 != p.1) {
        let in_order = !dag.node(*a).ty.is_float() || !meaning.strict_floats();
        let simple = match bits::equal(dag, *a, *b) {
            Some(true) => Some(Method::Bits),
            _ if in_order && bits::equal_in_order(dag, *a, *b, meaning.wraps()) == Some(true) => {
                Some(Method::Thresholds)
            }
            _ => None,
        };
        if let Some(found) = simple {
            method = match method {
                Method::Cases(1) => found,
                m => m,
            };
            continue;
        }
        let mut prover = Prover::new(dag, meaning, effort.cases);
        let Some(cases) = prover.equal(*a, *b) else {
            let limit = effort.cases as usize * NODES_FOR_A_CASE;
            let found = meaning.is_of_machine() && bits::equal_words(dag, *a, *b, limit);
            found.then_some(())?;
            method = Method::Words;
            continue;
        };
        if method == Method::Words {
            continue;
        }
        let before = match method {
            Method::Cases(n) => n,
            Method::Bits | Method::Thresholds | Method::Words | Method::Values => 1,
        };
        method = Method::Cases(before.max(cases));
    }
    Some(method)
}

/// Whether two closed functions of data are proved to be equal; `None` for what cannot be looked into.
pub(super) fn equal(f: &Term, g: &Term, meaning: Meaning, effort: Effort) -> Option<bool> {
    let comparable = f.ty() == g.ty() && !f.ty().has_meta() && f.open() + g.open() == 0;
    comparable.then_some(())?;
    let mut reader = Reader::new();
    let fresh = |t: Ty| reader.fresh(t);
    let args: Vec<Tree> = (f.ty().uncurried().0.into_iter())
        .map(fresh)
        .collect::<Option<_>>()?;
    let mut leaves = |t: &Term| {
        let t = reader.eval(&normalize(t), &[])?;
        reader.call(&t, &args)?.leaves()
    };
    let pairs: Vec<(Id, Id)> = leaves(f)?.into_iter().zip(leaves(g)?).collect();
    let few = points::Effort::few(effort.points / 10);
    let differs = points::difference(&reader.dag, meaning, &pairs, few).is_some();
    Some(!differs && proved(&reader.dag, &pairs, meaning, effort).is_some())
}

/// A variable of an operator: its name, its type and its leaves.
pub(super) type Free = (String, Ty, Vec<Id>);

/// The variables of a term, outermost first, as trees; and those that it mentions, innermost first.
pub(super) fn variables(
    reader: &mut Reader,
    t: &Term,
    names: &[String],
) -> Option<(Vec<Tree>, Vec<Free>)> {
    let mut types: Vec<Option<Ty>> = vec![None; t.open() as usize];
    t.visit(&mut |t, depth| {
        if let crate::term::Kind::Var(i) = t.kind() {
            if let Some(at) = i.checked_sub(depth) {
                types[at as usize] = Some(t.ty());
            }
        }
    });
    let (mut env, mut free) = (Vec::new(), Vec::new());
    for (i, ty) in types.into_iter().enumerate() {
        let Some(ty) = ty else {
            env.push(Tree::Array(std::rc::Rc::new(Vec::new())));
            continue;
        };
        let tree = reader.fresh(ty)?;
        let name = names.get(i).cloned().unwrap_or_else(|| format!("v{i}"));
        free.push((name, ty, tree.leaves()?));
        env.push(tree);
    }
    env.reverse();
    Some((env, free))
}

/// The variables that a term mentions, in order.
pub(super) fn numbers_of_variables(t: &Term) -> Vec<u32> {
    (0..t.open()).filter(|i| t.mentions(*i)).collect()
}

/// A number for each size that stands in a term.
fn sizes(t: &Term) -> Sizes {
    let mut sizes = Sizes::new();
    t.visit(&mut |t, _| {
        t.ty().each_nat(&mut |n| {
            n.each_atom(&mut |a| {
                if let AtomKind::Var(name) = a.kind() {
                    sizes.insert(name, 8);
                }
            })
        })
    });
    sizes
}

/// Data of a type as a term.
pub(super) fn data(ty: Ty, next: &mut impl Iterator<Item = Option<Number>>) -> Option<Term> {
    match ty.kind() {
        TyKind::Pair(a, b) => {
            let a = data(a, next)?;
            call(Op::Pair, [], [a, data(b, next)?])
        }
        TyKind::Array(n, t) => match n.as_int() {
            Some(k) if (1..=16).contains(&k) => {
                let all: Option<Vec<Term>> = (0..k).map(|_| data(t, next)).collect();
                call(Op::MakeArray, [n], all?)
            }
            _ => call(Op::Fill, [n], [data(t, next)?]),
        },
        TyKind::Vec(_, t) => {
            let one = data(t, next)?;
            call_as(Op::VectorFromScalar, [], [one], ty)
        }
        TyKind::Scalar(s) => {
            let lit = match next.next()?? {
                Number::Integer(n) => {
                    let (least, most) = s.bounds();
                    Lit::Int(Some(n).filter(|n| (least..=most).contains(n))?)
                }
                Number::Machine(Num::Int(n)) if s == crate::ty::Scalar::Bool => Lit::Bool(n != 0),
                Number::Machine(Num::Int(n)) if s == crate::ty::Scalar::U64 => {
                    Lit::Int((n as u64).into())
                }
                Number::Machine(Num::Int(n)) => Lit::Int(n.into()),
                Number::Machine(n) => Lit::number(n.as_f64(), s),
            };
            Some(Term::lit(lit, ty))
        }
        TyKind::Idx(_) => match next.next()?? {
            Number::Machine(Num::Int(n)) => Some(Term::lit(Lit::Int(n.into()), ty)),
            Number::Integer(n) => Some(Term::lit(Lit::Int(n), ty)),
            Number::Machine(_) => None,
        },
        TyKind::Fun(..) | TyKind::Meta(_) => None,
    }
}

/// Data of a type for people.
pub(super) fn show(ty: Ty, next: &mut impl Iterator<Item = Option<Number>>) -> String {
    match ty.kind() {
        TyKind::Pair(a, b) => {
            let a = show(a, next);
            format!("({a}, {})", show(b, next))
        }
        TyKind::Array(n, t) => match n.as_int() {
            Some(k) if (0..=16).contains(&k) => {
                let all: Vec<String> = (0..k).map(|_| show(t, next)).collect();
                format!("[{}]", all.join(", "))
            }
            _ => format!("[{}, …]", show(t, next)),
        },
        TyKind::Scalar(crate::ty::Scalar::Bool) => match next.next().flatten() {
            Some(Number::Machine(n)) => n.truth().to_string(),
            _ => "?".to_string(),
        },
        TyKind::Scalar(crate::ty::Scalar::U64) => match next.next().flatten() {
            Some(Number::Machine(n)) => (n.int() as u64).to_string(),
            Some(Number::Integer(n)) => n.to_string(),
            None => "?".to_string(),
        },
        _ => match next.next().flatten() {
            Some(Number::Integer(n)) => n.to_string(),
            Some(Number::Machine(Num::Int(n))) => n.to_string(),
            Some(Number::Machine(Num::F32(x))) => format!("{x:?}"),
            Some(Number::Machine(n)) => format!("{:?}", n.as_f64()),
            None => "?".to_string(),
        },
    }
}
