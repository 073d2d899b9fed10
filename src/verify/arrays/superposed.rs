//! Rules that make one reduction of several, each from a start of its own.
//!
//! In: a rule `reduceSeq step e xs => h (reduceSeq step₁ e₁ xs) …`, of any expression h over reductions of the same list. Out: whether it holds
//! for lists of every length. Functions of the element that are unknown in a step are the same number in all steps of one element. Absent:
//! other rules.
//!
//! Note [Superposition]: two claims are proved, for all values. At the start: `h e₁ … = e`. A step: `h (step₁ a₁ x) … = step (h a₁ …) x`.
//! So both sides are equal for every list, by induction on its length.

use super::lifted::{holes, is_closed, parts};
use crate::elab::{Cond, RuleDecl};
use crate::intern::Symbol;
use crate::operator::{self, Meaning};
use crate::term::{normalize, Kind, Op, Term};
use crate::ty::Ty;

/// Whether the rule is one of these, and holds wherever its conditions do.
pub(super) fn holds(rule: &RuleDecl) -> bool {
    let (left, right) = applied(rule);
    let Some([start, step]) = Superposed::of(rule, &left, &right).and_then(|s| s.claims()) else {
        return false;
    };
    let proved = |meaning| {
        let equal = |(left, right): &(Term, Term)| operator::proves_equal(left, right, meaning);
        equal(&start) && equal(&step)
    };
    // What holds over reals is used only where a condition asks for the permission that this takes.
    let mut asked = rule.claims();
    let permitted = asked.any(|c| c.operands.iter().all(is_closed) && c.needs_permission());
    proved(Meaning::Machine) || permitted && proved(Meaning::Reals)
}

/// The sides of a rule between functions, of any arguments.
fn applied(rule: &RuleDecl) -> (Term, Term) {
    let (mut left, mut right) = (rule.lhs.clone(), rule.rhs.clone());
    let mut next = rule.holes.len() as u32;
    while let (Some((given, _)), Kind::Lam(..)) = (left.ty().as_fun(), right.kind()) {
        let any = Term::hole(next, given);
        left = Term::app(left, any.clone());
        right = normalize(&Term::app(right, any));
        next += 1;
    }
    (left, right)
}

struct Superposed<'a> {
    step: &'a Term,
    start: &'a Term,
    element: Ty,
    /// The right side.
    whole: &'a Term,
    /// Its reductions on the right side, each once: step and start.
    folds: Vec<(Term, [Term; 2])>,
    /// Pattern variables of the steps, and the others; the list stands in reductions only.
    of_steps: Vec<(u32, Ty)>,
    others: Vec<(u32, Ty)>,
}

impl<'a> Superposed<'a> {
    fn of(rule: &RuleDecl, left: &'a Term, right: &'a Term) -> Option<Superposed<'a>> {
        let [step, start, list] = parts(left, Op::ReduceSeq)?;
        let Kind::Hole(hole) = list.kind() else {
            return None;
        };
        let mut folds: Vec<(Term, [Term; 2])> = Vec::new();
        right.visit(&mut |t, _| {
            if let Some([f, e, xs]) = parts(t, Op::ReduceSeq) {
                if xs == list && folds.iter().all(|(known, _)| known != t) {
                    folds.push((t.clone(), [f.clone(), e.clone()]));
                }
            }
        });
        let mut of_steps = holes(step);
        let mut others = holes(start);
        others.retain(|h| h.0 != *hole);
        of_steps.retain(|h| h.0 != *hole);
        let found = Superposed {
            step,
            start,
            element: list.ty().as_array()?.1,
            whole: right,
            folds,
            of_steps,
            others,
        };
        found.is_about_elements(rule).then_some(found)
    }

    /// Whether pattern variables of the steps are numbers that at most the element tells, the same in all of them, and stand in steps only.
    fn is_about_elements(&self, rule: &RuleDecl) -> bool {
        let Kind::Lam(Some(state), _) = self.step.kind() else {
            return false;
        };
        let is_known = |all: &[(u32, Ty)], h: u32| all.iter().any(|k| k.0 == h);
        let stays = |h: u32| {
            let apart =
                |c: &Cond| matches!(c, Cond::NotFree { var, hole } if var == state && *hole == h);
            rule.conds.iter().any(apart) && !rule.holes[h as usize].computed
        };
        let (own, named) = binders(self.step);
        // A name says which variable of a step a pattern variable depends on.
        let alike = |f: &Term| match f.kind() {
            Kind::Lam(state, _) => {
                let (count, element) = binders(f);
                own == 1 || count == 2 && element == named && *state != element
            }
            _ => false,
        };
        let steps = self.folds.iter().all(|(_, [f, e])| {
            let (inside, begun) = (holes(f), holes(e));
            let of_element = inside.iter().all(|h| is_known(&self.of_steps, h.0));
            let known = begun.iter().all(|h| is_known(&self.others, h.0));
            known && of_element && (inside.is_empty() || alike(f))
        });
        let apart = self.others.iter().all(|h| !is_known(&self.of_steps, h.0));
        let named = own == 1 || named.is_some();
        self.of_steps.iter().all(|h| stays(h.0)) && steps && apart && named
    }

    /// The sides of what has to hold for all arguments, see Note [Superposition].
    fn claims(&self) -> Option<[(Term, Term); 2]> {
        let all: Vec<(u32, Ty)> = (self.of_steps.iter().chain(&self.others))
            .copied()
            .collect();
        let many = self.folds.len() as u32;
        // Outermost first: pattern variables, what reductions have come to, the element.
        let mut types: Vec<Ty> = all.iter().map(|h| h.1).collect();
        types.extend(self.folds.iter().map(|(f, _)| f.ty()));
        types.push(self.element);
        let last = types.len() as u32 - 1;
        let variable = |h: u32, under: u32| {
            let at = all.iter().position(|k| k.0 == h)? as u32;
            Some(Term::var(last - at + under, all[at as usize].1))
        };
        let opened = |t: &Term, most: u32| with_holes(t, 0, most, &variable);
        let step = |f: &Term| opened(f, binders(f).0);
        let x = Term::var(0, self.element);
        let (mut before, mut after, mut begun) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (fold, [f, e])) in self.folds.iter().enumerate() {
            let a = Term::var(many - i as u32, fold.ty());
            after.push((fold, Term::apps(step(f)?, [a.clone(), x.clone()])));
            before.push((fold, a));
            begun.push((fold, opened(e, 0)?));
        }
        let whole = |parts: &[(&Term, Term)]| opened(&with_parts(self.whole, 0, parts), 0);
        let stepped = Term::apps(step(self.step)?, [whole(&before)?, x]);
        let claims = [
            (whole(&begun)?, opened(self.start, 0)?),
            (whole(&after)?, stepped),
        ];
        let claims = claims.map(|(left, right)| (normalize(&left), normalize(&right)));
        // An element that no step reads may be of an unknown type.
        let read = claims.iter().any(|(a, b)| a.mentions(0) || b.mentions(0));
        let closed = |t: Term| {
            let (t, types) = match (read, types.split_last()) {
                (false, Some((_, types))) => (t.shift(-1), types),
                _ => (t, &types[..]),
            };
            let all = (types.iter().rev()).fold(t, |t, ty| Term::lam(None, *ty, t));
            is_closed(&all).then_some(all)
        };
        let [start, step] = claims;
        let both = |(left, right)| Some((closed(left)?, closed(right)?));
        Some([both(start)?, both(step)?])
    }
}

/// How many of its two parameters a step names, and the name of the element.
fn binders(step: &Term) -> (u32, Option<Symbol>) {
    match step.kind() {
        Kind::Lam(_, inner) => match inner.kind() {
            Kind::Lam(x, _) => (2, *x),
            _ => (1, None),
        },
        _ => (0, None),
    }
}

/// A term with variables for its pattern variables, which stand under so many binders at most: they may depend on others.
fn with_holes(
    t: &Term,
    under: u32,
    most: u32,
    variable: &dyn Fn(u32, u32) -> Option<Term>,
) -> Option<Term> {
    match t.kind() {
        Kind::Hole(h) => variable(*h, under).filter(|_| under <= most),
        Kind::App(f, x) => Some(Term::app(
            with_holes(f, under, most, variable)?,
            with_holes(x, under, most, variable)?,
        )),
        Kind::Lam(hint, body) => {
            let (given, _) = t.ty().as_fun()?;
            let body = with_holes(body, under + 1, most, variable)?;
            Some(Term::lam(*hint, given, body))
        }
        // What is bound inside is below all that stands for pattern variables.
        _ => Some(t.clone()),
    }
}

/// A term with closed parts replaced.
fn with_parts(t: &Term, under: i32, parts: &[(&Term, Term)]) -> Term {
    if let Some((_, part)) = parts.iter().find(|(known, _)| *known == t) {
        return part.shift(under);
    }
    match t.kind() {
        Kind::App(f, x) => Term::app(with_parts(f, under, parts), with_parts(x, under, parts)),
        Kind::Lam(hint, body) => match t.ty().as_fun() {
            Some((given, _)) => Term::lam(*hint, given, with_parts(body, under + 1, parts)),
            None => t.clone(),
        },
        _ => t.clone(),
    }
}
