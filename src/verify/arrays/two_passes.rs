//! Rules that reduce pairs in two passes.
//!
//! In: a rule `reduce op e xs => let (reduce first a ys) (\m -> pair m (reduce then b zs))`, where ys and zs are lists of `project x` and
//! of `weigh m x`. Out: a rule that is left to prove: that this is `project`, then `weigh`, of e and of all of xs. Absent: other rules.
//!
//! Note [Two passes]: three claims are proved, for all values. `project (op x y) = first (project x) (project y)`, and for every m
//! `weigh m (op x y) = then (weigh m x) (weigh m y)`: so by induction on the list the reductions by `first` and `then` are
//! what `project` and `weigh m` make of the reduction by `op`. And `pair (project x) (weigh (project x) x) = x`: so that is what they are for
//! the m that the first pass gives.

use super::lifted::{is_closed, parts};
use crate::elab::RuleDecl;
use crate::operator::{self, Meaning};
use crate::term::{call, Kind, Op, Term};
use std::rc::Rc;

/// The rule whose left side is what the left side of this one is in two passes, where the claims hold.
pub(super) fn regrouped(rule: &RuleDecl) -> Option<Rc<RuleDecl>> {
    let [op, start, list] = reduction(&rule.lhs)?;
    let op = rule.written(op);
    let passes = Passes::of(&rule.rhs)?;
    // What holds over reals only is used only where a condition asks for the permission.
    let meaning = Meaning::permitted(rule.regroups());
    let claims = passes.claims(op)?;
    let holds = |(left, right): &(Term, Term)| operator::proves_equal(left, right, meaning);
    let lhs = passes.reduction(start, list)?;
    claims.iter().all(holds).then(|| {
        Rc::new(RuleDecl {
            lhs,
            ..rule.clone()
        })
    })
}

/// Operator, start and list, of a reduction in either order.
fn reduction(t: &Term) -> Option<[&Term; 3]> {
    let (p, args) = t.as_prim_app()?;
    let reduces = matches!(p.op(), Op::Reduce | Op::ReduceSeq);
    reduces.then_some(())?;
    args.try_into().ok()
}

struct Passes {
    first: Term,
    project: Term,
    then: Term,
    /// A function of m.
    weigh: Term,
}

impl Passes {
    fn of(right: &Term) -> Option<Passes> {
        let [pass, next] = parts(right, Op::Let)?;
        let [first, _, projected] = reduction(pass)?;
        let [project, _] = parts(projected, Op::Map)?;
        let Kind::Lam(hint, body) = next.kind() else {
            return None;
        };
        let [m, pass] = parts(body, Op::Pair)?;
        let [then, _, weighed] = reduction(pass)?;
        let [weigh, _] = parts(weighed, Op::Map)?;
        let known = matches!(m.kind(), Kind::Var(0)) && !then.mentions(0);
        known.then(|| Passes {
            first: first.clone(),
            project: project.clone(),
            then: then.shift(-1),
            weigh: Term::lam(*hint, m.ty(), weigh.clone()),
        })
    }

    /// The sides of what has to hold for all arguments, see Note [Two passes].
    fn claims(&self, op: &Term) -> Option<[(Term, Term); 3]> {
        let all = [op, &self.first, &self.project, &self.then, &self.weigh];
        if !all.into_iter().all(is_closed) {
            return None;
        }
        let (t, _) = op.ty().as_fun()?;
        let (m, _) = self.weigh.ty().as_fun()?;
        let [mx, x, y] = [Term::var(2, m), Term::var(1, t), Term::var(0, t)];
        let binary = |f: &Term, a: &Term, b: &Term| Term::apps(f.clone(), [a.clone(), b.clone()]);
        let project = |x: &Term| Term::app(self.project.clone(), x.clone());
        let both = binary(op, &x, &y);
        let two = |body: Term| Term::lam(None, t, Term::lam(None, t, body));
        let three = |body: Term| Term::lam(None, m, two(body));
        let weigh = |x: &Term| binary(&self.weigh, &mx, x);
        let itself = call(
            Op::Pair,
            [],
            [project(&y), binary(&self.weigh, &project(&y), &y)],
        )?;
        Some([
            (
                two(project(&both)),
                two(binary(&self.first, &project(&x), &project(&y))),
            ),
            (
                three(weigh(&both)),
                three(binary(&self.then, &weigh(&x), &weigh(&y))),
            ),
            (Term::lam(None, t, itself), Term::lam(None, t, y)),
        ])
    }

    /// What the passes make of a start and a list.
    fn reduction(&self, start: &Term, list: &Term) -> Option<Term> {
        let pass = |f: &Term, of: Term, start: &Term, list: &Term| {
            let all = call(Op::Map, [], [of.clone(), list.clone()])?;
            call(
                Op::Reduce,
                [],
                [f.clone(), Term::app(of, start.clone()), all],
            )
        };
        let first = pass(&self.first, self.project.clone(), start, list)?;
        let m = Term::var(0, first.ty());
        let weigh = Term::app(self.weigh.clone(), m.clone());
        let then = pass(&self.then, weigh, &start.shift(1), &list.shift(1))?;
        let body = Term::lam(None, first.ty(), call(Op::Pair, [], [m, then])?);
        call(Op::Let, [], [first, body])
    }
}
