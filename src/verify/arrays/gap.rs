//! What a proof lacks, for those who write rules.
//!
//! In: two unknowns that were not shown to be equal, or a rule whose proof was not found. Out: one sentence that says which
//! parts differ, which indices or lengths, or which law would do; and one next step. A law is named only if the rule is
//! proved with it. Absent: diagnostics (`objection`).

use super::context::Context;
use super::value::{Head, Neutral, Step, Val};
use crate::algebra::{Claim, Form, Property};
use crate::arith::Nat;
use crate::elab::{term_text, Cond, RuleDecl};
use crate::term::{Kind, Op, Term};
use crate::ty::{Scalar, Ty};
use std::fmt;
use std::rc::Rc;

/// What could not be shown, and what may be done about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// One sentence, without a full stop.
    pub what: String,
    /// One next step.
    pub next: String,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.what)
    }
}

const SMALLER: &str = "write it in smaller steps, or ask for more with `where`";

const INDICES: &str =
    "compare the two indices at small sizes, or say with `where` how the sizes are related";

impl Gap {
    /// A sentence with the advice for everything.
    pub fn new(what: impl Into<String>) -> Gap {
        Gap {
            what: what.into(),
            next: SMALLER.to_string(),
        }
    }

    fn with(what: String, next: &str) -> Gap {
        Gap {
            what,
            next: next.to_string(),
        }
    }
}

/// Why two indices were not shown to be the same.
pub fn indices(cx: &mut Context, i: Nat, j: Nat) -> Gap {
    let what = format!("the index is `{i}` on the left and `{j}` on the right");
    in_case(cx, Gap::with(what, INDICES))
}

/// Why two unknowns were not shown to be equal.
pub fn between(cx: &mut Context, a: &Neutral, b: &Neutral) -> Gap {
    let gap = if let (Head::Fold(f), Head::Fold(g)) = (&a.head, &b.head) {
        match cx.same_nat(f.n, g.n) {
            false => Gap::with(
                format!(
                    "a reduction of `{}` steps stands on the left, one of `{}` on the right",
                    f.n, g.n
                ),
                "write lengths that are parts or multiples of each other, such as `(m*k)` and `m`",
            ),
            true => Gap::with(
                format!(
                    "two reductions of `{}` steps were not shown to do the same in each step, for any accumulator, or to \
                     combine the same values in another order",
                    f.n
                ),
                "ask for a law of the operator with `where`, or make the steps alike",
            ),
        }
    } else {
        apart(cx, a, b)
    };
    in_case(cx, gap)
}

fn in_case(cx: &mut Context, mut gap: Gap) -> Gap {
    let cases = cases(cx);
    if !cases.is_empty() {
        gap.what += &format!(", where {}", cases.join(" and "));
    }
    gap.what = renamed(&cx.rule, &gap.what);
    gap
}

fn apart(cx: &mut Context, a: &Neutral, b: &Neutral) -> Gap {
    for (k, (x, y)) in a.spine.iter().zip(&b.spine).enumerate() {
        let array = [a, b].map(|n| text(cx, &n.before(n.spine.len() - k), DEEP));
        if array[0] != array[1] {
            break;
        }
        let (Step::At(i), Step::At(j)) = (&x.0, &y.0) else {
            if let (Step::Apply(Val::Neutral(x), _), Step::Apply(Val::Neutral(y), _)) = (&x.0, &y.0)
            {
                if text(cx, x, DEEP) != text(cx, y, DEEP) && is_unknown(a) {
                    return apart(cx, x, y);
                }
            }
            continue;
        };
        if !cx.same_nat(*i, *j) {
            let (i, j) = (cx.simplify(*i), cx.simplify(*j));
            return Gap::with(
                format!(
                    "the left side has element `{i}` of `{}`, the right side element `{j}`",
                    array[0]
                ),
                INDICES,
            );
        }
    }
    let [x, y] = [a, b].map(|n| text(cx, n, DEEP));
    Gap::new(match x == y {
        true => format!("two values that read `{x}` come from different places"),
        false => format!("`{x}` on the left and `{y}` on the right were not shown to be equal"),
    })
}

/// Whether nothing is known of its head, so that its arguments have to be equal.
fn is_unknown(n: &Neutral) -> bool {
    matches!(n.head, Head::Fresh(_) | Head::Hole(..))
}

/// What holds in the present case.
fn cases(cx: &mut Context) -> Vec<String> {
    let mut all: Vec<String> = cx.cases().iter().map(|n| format!("`{n} >= 0`")).collect();
    for (c, yes) in cx.truths_known() {
        let c = text(cx, &c, DEEP);
        all.push(match yes {
            true => format!("`{c}`"),
            false => format!("not `{c}`"),
        });
    }
    all
}

/// Levels of a value that are written out.
const DEEP: u32 = 5;

fn text(cx: &Context, n: &Neutral, deep: u32) -> String {
    if deep == 0 {
        return "…".to_string();
    }
    let mut all = match &n.head {
        Head::Fresh(k) => format!("v.{k}"),
        Head::Hole(h, _) => match cx.rule.holes.get(*h as usize) {
            Some(hole) => hole.name.to_string(),
            None => "what is added".to_string(),
        },
        Head::Lit(l) => term_text(&Term::lit(*l, n.head_ty), &[]),
        Head::Zero => "0".to_string(),
        Head::Prim(p) => p.to_string(),
        Head::Fold(f) => format!("(a reduction of {} steps)", f.n),
    };
    for (step, _) in &n.spine {
        all = match step {
            Step::Apply(x, _) => format!("{all} {}", of_value(cx, x, deep - 1)),
            Step::At(i) => format!("{}[{}]", closed(all), cx.simplify(*i)),
            Step::Fst => format!("fst {}", closed(all)),
            Step::Snd => format!("snd {}", closed(all)),
        };
    }
    all
}

fn closed(text: String) -> String {
    match text.contains(' ') && !text.starts_with('(') {
        true => format!("({text})"),
        false => text,
    }
}

fn of_value(cx: &Context, v: &Val, deep: u32) -> String {
    match v {
        Val::Neutral(n) => closed(text(cx, n, deep)),
        Val::Index(n) => closed(cx.simplify(*n).to_string()),
        Val::Pair(p) => format!(
            "({}, {})",
            of_value(cx, &p.0, deep),
            of_value(cx, &p.1, deep)
        ),
        Val::Arr(_) | Val::Fun(_) => "…".to_string(),
    }
}

/// Variables of the proof, `i.7` and `v.3`, with names that a reader expects and the rule does not have.
fn renamed(rule: &RuleDecl, text: &str) -> String {
    let taken: Vec<String> = (rule.size_names().iter())
        .chain(rule.holes.iter().map(|h| &h.name))
        .map(|n| n.to_string())
        .collect();
    let free = |names: &'static str| {
        let taken = taken.clone();
        let letters = names.chars().map(String::from);
        let numbered = (1..).map(move |k| format!("{}{k}", &names[..1]));
        letters.chain(numbered).filter(move |n| !taken.contains(n))
    };
    let (mut indices, mut values) = (free("ijhpq"), free("xyzuv"));
    let mut known: Vec<(String, String)> = Vec::new();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['i', 'v']) {
        let after = &rest[at + 1..];
        let digits = after
            .strip_prefix('.')
            .map_or(0, |d| d.chars().take_while(char::is_ascii_digit).count());
        let inside = rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if digits == 0 || inside {
            out += &rest[..=at];
            rest = after;
            continue;
        }
        let name = &rest[at..at + 2 + digits];
        let place = known.iter().position(|k| k.0 == name).unwrap_or_else(|| {
            let new = match name.starts_with('i') {
                true => indices.next(),
                false => values.next(),
            };
            known.push((name.to_string(), new.unwrap_or_default()));
            known.len() - 1
        });
        out += &rest[..at];
        out += &known[place].1;
        rest = &rest[at + 2 + digits..];
    }
    out + rest
}

/// The fewest laws of operators with which the rule is proved, if it is.
pub fn law(rule: &RuleDecl, proves: impl Fn(&Rc<RuleDecl>) -> bool) -> Option<Gap> {
    let with = |laws: &[Claim<Term>]| {
        let mut rule = rule.clone();
        rule.conds.extend(laws.iter().cloned().map(Cond::Law));
        proves(&Rc::new(rule))
    };
    for (name, laws) in operators(rule) {
        for some in fewest_first(&laws) {
            if with(&some) {
                let all: Vec<String> = some.iter().map(|c| meant(c, &name)).collect();
                let says: Vec<String> = some.iter().map(|c| said(rule, c)).collect();
                return Some(Gap {
                    what: format!("the proof needs that {}", all.join(" and ")),
                    next: format!("add `where {}`", says.join(", ")),
                });
            }
        }
    }
    let regrouped = |op: &Term| {
        let claim = Claim::named("associative", vec![op.clone()]);
        claim.is_some_and(|c| with(&[c]))
    };
    let floats = float_operator(rule).filter(regrouped)?;
    Some(Gap {
        what: format!("the proof regroups `{floats}` of floats, which rounds in another way"),
        next: "match the operator as `op` with `where associative op`, which holds in steps with `permit reassociate`"
            .to_string(),
    })
}

/// Pattern variables that combine two values of a type, and what may be asked of them.
fn operators(rule: &RuleDecl) -> Vec<(String, Vec<Claim<Term>>)> {
    let mut all = Vec::new();
    for (h, hole) in rule.holes.iter().enumerate() {
        let Some((t, _)) = hole.ty.as_fun() else {
            continue;
        };
        if hole.ty != Ty::funs([t, t], t) {
            continue;
        }
        let op = Term::hole(h as u32, hole.ty);
        let mut laws: Vec<_> = ["associative", "commutative"]
            .into_iter()
            .filter_map(|name| Claim::named(name, vec![op.clone()]))
            .collect();
        if let Some(e) = rule.holes.iter().position(|start| start.ty == t) {
            laws.extend(Claim::named("identity", vec![Term::hole(e as u32, t), op]));
        }
        let asked = |l: &Claim<Term>| {
            let mut claims = rule.claims();
            claims.any(|c| c.law.form == l.law.form && c.operands == l.operands)
        };
        laws.retain(|l| !asked(l));
        all.push((hole.name.to_string(), laws));
    }
    all
}

fn fewest_first<T: Clone>(laws: &[T]) -> Vec<Vec<T>> {
    let mut all: Vec<Vec<T>> = (1..1usize << laws.len())
        .map(|set| {
            let chosen = laws.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            chosen.map(|(_, l)| l.clone()).collect()
        })
        .collect();
    all.sort_by_key(|s| s.len());
    all
}

/// A law as a condition.
fn said(rule: &RuleDecl, c: &Claim<Term>) -> String {
    let operands = c.operands.iter().map(|t| match t.kind() {
        Kind::Hole(h) => format!(" {}", rule.holes[*h as usize].name),
        _ => String::new(),
    });
    format!("{}{}", c.law.name, operands.collect::<String>())
}

/// A law in a sentence.
fn meant(c: &Claim<Term>, op: &str) -> String {
    match c.law.form {
        Form::Property(Property::Associative) => format!("`{op}` is associative"),
        Form::Property(Property::Commutative) => format!("`{op}` is commutative"),
        _ => format!("the start is an identity of `{op}`"),
    }
}

/// An operation on floats that only rounding keeps from being associative.
fn float_operator(rule: &RuleDecl) -> Option<Term> {
    let mut found = None;
    for side in [&rule.lhs, &rule.rhs] {
        side.visit(&mut |t, _| {
            if let Kind::Prim(p) = t.kind() {
                let float = t.ty().as_fun().and_then(|f| f.0.as_scalar());
                let sums = matches!(p.op(), Op::Add | Op::Mul | Op::Min | Op::Max);
                if sums && float.is_some_and(Scalar::is_float) {
                    found = Some(t.clone());
                }
            }
        });
    }
    found
}
