//! What steps make without their state.
//!
//! In: a term. Out: the step, with a rule of its own for each reduction in order, that makes apart what its step makes of elements and of
//! names from outside: `\a i -> a + idx i x * idx i y` over indices is `(+)` over products. Then the step needs nothing from outside,
//! so that it may be an operator (`lifted`), and what indices read is read in a loop over them (`indices`). Whoever uses the rule proves
//! it. Invariant: reductions that a choice guards stay behind it. Absent: states that are arrays.

use super::lifted::{is_of, LONG_ROW};
use super::print::size;
use super::skeleton::{argument, has_reduction};
use super::{guide, Schedule};
use crate::elab::term_text;
use crate::term::{call, normalize, Kind, Op, Term};
use crate::ty::{Ty, TyKind};
use std::collections::BTreeSet;

/// So many values are made of an element, at most.
const MOST: usize = 4;

/// What is done so.
const WORDS: &str = "work of steps apart";

/// The step, where there are such reductions.
pub fn apart(term: &Term) -> Option<Schedule> {
    let (mut rules, mut looks) = (String::new(), BTreeSet::new());
    let mut done: Vec<Term> = Vec::new();
    term.visit(&mut |t, _| {
        let [Some(step), Some(xs)] = [0, 2].map(|i| argument(t, Op::ReduceSeq, i)) else {
            return;
        };
        let indices = is_indices(xs);
        let long = indices || is_of(t, LONG_ROW);
        if !long || !t.ty().is_flat() || done.contains(step) {
            return;
        }
        let split = Split::of(step).filter(|_| indices || step.open() > 0);
        if let Some(split) = split {
            done.push(step.clone());
            rules += &split.rule(t.ty(), xs, done.len());
            looks.extend(split.looks(step, xs));
        }
    });
    if looks.is_empty() {
        return None;
    }
    let looks: Vec<String> = looks.into_iter().collect();
    Some(Schedule {
        changes: 0,
        ..Schedule::preparation(WORDS, vec![guide("apart", &rules, &looks)]).by_itself()
    })
}

/// Whether it is an array of all indices.
fn is_indices(xs: &Term) -> bool {
    let f = argument(xs, Op::Generate, 0);
    f.is_some_and(|f| matches!(f.kind(), Kind::Lam(_, b) if matches!(b.kind(), Kind::Var(0))))
}

/// What stands for a variable of a step.
#[derive(Clone, PartialEq)]
enum Bound {
    /// The state, or what is made of it.
    State(String),
    /// The element, or what is made of that.
    Element,
}

/// A value that needs no state.
struct Made {
    /// How many variables of the step are in scope, and what it is there.
    scope: usize,
    value: Term,
    /// The name that it is given in the step, where that is all it is for.
    name: Option<String>,
    /// The names in scope that are made of the state.
    states: Vec<String>,
}

/// What a step makes without its state.
#[derive(Default)]
struct Work {
    made: Vec<Made>,
    /// What an element is then, once that is known.
    element: Option<Ty>,
}

/// A step that is taken apart: also its body as a pattern, and the step that is left.
struct Split {
    work: Work,
    pattern: String,
    left: Term,
}

impl Split {
    /// Of a step that makes something without its state.
    fn of(step: &Term) -> Option<Split> {
        let Kind::Lam(hint, inner) = step.kind() else {
            return None;
        };
        let Kind::Lam(_, body) = inner.kind() else {
            return None;
        };
        let mut work = Work::default();
        let variables = || vec![Bound::State("a".to_string()), Bound::Element];
        work.both(body, &mut variables(), false)?;
        let makes = |m: &Made| !is_variable(&m.value) || m.value.open() as usize > m.scope;
        let parts: Vec<Ty> = work.parts().map(|m| m.value.ty()).collect();
        let any = work.parts().any(makes);
        let element = (parts.iter().copied().rev()).reduce(|rest, t| Ty::pair(t, rest));
        let element = element.filter(|_| any && parts.len() <= MOST)?;
        // Now that all values are known, so is what stands for each.
        work.element = Some(element);
        let (pattern, body) = work.both(body, &mut variables(), false)?;
        let state = step.ty().as_fun()?.0;
        let left = normalize(&Term::lam(*hint, state, Term::lam(None, element, body)));
        Some(Split {
            work,
            pattern,
            left,
        })
    }

    /// The rule, for reductions to this type of such an array.
    fn rule(&self, state: Ty, xs: &Term, number: usize) -> String {
        let numbered = || self.work.made.iter().enumerate();
        let parts = numbered().filter(|(_, m)| m.name.is_none());
        let parts = parts.map(|(i, _)| format!("f{i}")).rev();
        let made = parts.reduce(|rest, f| format!("pair {f} ({rest})"));
        let named = numbered()
            .rev()
            .filter_map(|(i, m)| Some((i, m.name.as_ref()?)));
        let made = named.fold(made.unwrap_or_default(), |body, (i, name)| {
            format!("let f{i} (\\{name} -> {body})")
        });
        let conditions = numbered().flat_map(|(i, m)| m.states.iter().map(move |s| (i, s)));
        let conditions: Vec<String> = conditions
            .map(|(i, s)| format!("{s} not in f{i}"))
            .collect();
        let (pattern, conditions) = (&self.pattern, conditions.join(", "));
        let left = term_text(&self.left, &[]);
        let (n, element) = xs.ty().as_array().expect("it is an array");
        let from = format!("reduceSeq (\\a x -> {pattern}) e");
        let to = format!("reduceSeq ({left}) e");
        let (from, to) = match is_indices(xs) {
            true => {
                let of = |f: &str| format!("(generate[{n}] (\\x -> {f}))");
                let from = format!("({from} {} : {state})", of("x"));
                (from, format!("{to} {}", of(&made)))
            }
            false => {
                let from = format!("({from} : n.{element} -> {state})");
                (from, format!("\\xs -> {to} (map (\\x -> {made}) xs)"))
            }
        };
        format!("rule apart-{number}\n  {from}\n    =>\n  {to}\n  where {conditions}\n\n")
    }

    /// Such a reduction is there, in whose step nothing is left of what is made apart, and none is as this one was.
    fn looks(&self, step: &Term, xs: &Term) -> [String; 2] {
        let mut apart = BTreeSet::new();
        for m in &self.work.made {
            m.value.visit(&mut |t, _| {
                if let Kind::Prim(p) = t.kind() {
                    apart.insert(p.op().name());
                }
            });
        }
        let apart: Vec<&str> = apart.into_iter().collect();
        let variable = match apart.is_empty() {
            true => "?".to_string(),
            false => format!("(none ({}))", apart.join(" or ")),
        };
        let (n, of) = xs.ty().as_array().expect("it is an array");
        let n = size(n);
        let reduction = |element: Option<Ty>, step: String| match element.filter(|e| e.is_flat()) {
            Some(element) => format!("(app (reduceSeq : ? -> ? -> {n}.{element} -> ?) {step} ? ?)"),
            None => format!("(app (reduceSeq : ? -> ? -> {n}.? -> ?) {step} ? ?)"),
        };
        let now = reduction(self.work.element, sketch(&self.left, &variable));
        let before = reduction(Some(of), sketch(step, "?"));
        [format!("(contains {now})"), format!("(none {before})")]
    }
}

impl Work {
    /// What an element consists of.
    fn parts(&self) -> impl DoubleEndedIterator<Item = &Made> + Clone {
        self.made.iter().filter(|m| m.name.is_none())
    }

    /// A term of the step as a pattern, and what is left of it.
    fn both(&mut self, t: &Term, scope: &mut Vec<Bound>, guarded: bool) -> Option<(String, Term)> {
        if t.open() == 0 {
            return Some((format!("({})", term_text(t, &[])), t.clone()));
        }
        if !needs_state(t, scope) {
            let fits = is_value(t.ty()) && !(guarded && has_reduction(t));
            return fits.then(|| self.made(t, scope, None));
        }
        if let Kind::Var(i) = t.kind() {
            let at = scope.len() - 1 - *i as usize;
            let Bound::State(name) = &scope[at] else {
                return None;
            };
            // The element stands between the state and what is made of it.
            let between = u32::from(at == 0);
            let left = Term::var(kept(&scope[at + 1..]) + between, t.ty());
            return Some((name.clone(), left));
        }
        let (p, args) = t.as_prim_app()?;
        match (p.op(), &args[..]) {
            (Op::Let, &[value, f]) => self.named(value, f, scope, guarded),
            (op, _) => {
                let head = t.spine().0;
                let mut text = format!("({}", term_text(head, &[]));
                let mut left = head.clone();
                for (i, a) in args.iter().enumerate() {
                    let (of, a) = self.both(a, scope, guarded || op == Op::Select && i > 0)?;
                    text += &format!(" {of}");
                    left = Term::app(left, a);
                }
                Some((text + ")", left))
            }
        }
    }

    /// `let value f`: a name of what needs no state is a name of that of which elements are made.
    fn named(
        &mut self,
        value: &Term,
        f: &Term,
        scope: &mut Vec<Bound>,
        guarded: bool,
    ) -> Option<(String, Term)> {
        let Kind::Lam(hint, body) = f.kind() else {
            return None;
        };
        let names = self.made.iter().filter(|m| m.name.is_some()).count();
        let states = kept(scope);
        if needs_state(value, scope) {
            let name = format!("s{states}");
            let (text, left) = self.both(value, scope, guarded)?;
            scope.push(Bound::State(name.clone()));
            let body = self.both(body, scope, guarded);
            scope.pop();
            let (inner, of) = body?;
            let left = call(Op::Let, [], [left, Term::lam(*hint, value.ty(), of)])?;
            return Some((format!("(let {text} (\\{name} -> {inner}))"), left));
        }
        if !is_value(value.ty()) || guarded && has_reduction(value) {
            return None;
        }
        let known = |m: &&Made| m.scope == scope.len() && m.value == *value;
        let known = self.made.iter().find(known).and_then(|m| m.name.clone());
        let name = known.unwrap_or_else(|| format!("t{names}"));
        let (text, _) = self.made(value, scope, Some(name.clone()));
        scope.push(Bound::Element);
        let body = self.both(body, scope, guarded);
        scope.pop();
        let (inner, left) = body?;
        Some((format!("(let {text} (\\{name} -> {inner}))"), left))
    }

    /// The pattern of a value, and the part of an element that stands for it.
    fn made(&mut self, value: &Term, scope: &[Bound], name: Option<String>) -> (String, Term) {
        let known = |m: &Made| (m.scope, &m.value, &m.name) == (scope.len(), value, &name);
        let at = self.made.iter().position(known).unwrap_or_else(|| {
            let states = scope.iter().filter_map(|b| match b {
                Bound::State(name) => Some(name.clone()),
                Bound::Element => None,
            });
            self.made.push(Made {
                scope: scope.len(),
                value: value.clone(),
                name,
                states: states.collect(),
            });
            self.made.len() - 1
        });
        let part = self.part(at, scope).unwrap_or_else(|| value.clone());
        (format!("(f{at} : {})", value.ty()), part)
    }

    /// The part of an element that a value is, once the parts are known.
    fn part(&self, at: usize, scope: &[Bound]) -> Option<Term> {
        // The element stands where it did: the innermost of the outer two.
        let mut of = Term::var(kept(&scope[2..]), self.element?);
        let before = self.made[..at].iter().filter(|m| m.name.is_none()).count();
        for _ in 0..before {
            of = call(Op::Snd, [], [of])?;
        }
        match before + 1 == self.parts().count() {
            true => Some(of),
            false => call(Op::Fst, [], [of]),
        }
    }
}

/// How many variables of a step are kept: those that are made of the state.
fn kept(scope: &[Bound]) -> u32 {
    let states = scope.iter().filter(|b| **b != Bound::Element);
    states.count() as u32
}

/// Whether a value of the state, or what is made of it, stands in it.
fn needs_state(t: &Term, scope: &[Bound]) -> bool {
    let mut variables = (0..).zip(scope.iter().rev());
    variables.any(|(i, b)| *b != Bound::Element && t.mentions(i))
}

fn is_variable(t: &Term) -> bool {
    matches!(t.kind(), Kind::Var(_))
}

/// Whether an element may be one.
fn is_value(ty: Ty) -> bool {
    match ty.kind() {
        TyKind::Scalar(_) | TyKind::Idx(_) => true,
        TyKind::Pair(a, b) => is_value(a) && is_value(b),
        _ => false,
    }
}

/// A term as a sketch, in which all variables are one.
fn sketch(t: &Term, variable: &str) -> String {
    match t.kind() {
        Kind::Lam(_, body) => format!("(\\ {})", sketch(body, variable)),
        Kind::Var(_) => variable.to_string(),
        Kind::Prim(p) => p.op().name().to_string(),
        Kind::App(..) => {
            let (head, args) = t.spine();
            let all = std::iter::once(head).chain(args);
            let all: Vec<String> = all.map(|t| sketch(t, variable)).collect();
            format!("(app {})", all.join(" "))
        }
        Kind::Lit(_) | Kind::Hole(_) => "?".to_string(),
    }
}
