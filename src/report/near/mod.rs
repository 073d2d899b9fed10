//! A rule tried on a term, as text.
//!
//! In: what was tried, and what came of it at every sub-term. Out: where the rule applies, with what its variables
//! stand for and what it makes; then near misses, those first of which most of the left side is there, each with
//! every reason against it. Absent: trying.

use super::number::count;
use super::operators::objection;
use crate::arith::Nat;
use crate::elab::{term_text, Rel, RuleDecl, RuleUse};
use crate::intern::Symbol;
use crate::operator::Law;
use crate::rule::near::{Attempt, Found, InGraph, Refusal, Typed};
use crate::term::{Class, Kind, Term};
use crate::ty::Ty;
use std::fmt::Write as _;

/// Characters of a term in a line.
const WIDTH: usize = 160;

/// The rule itself; `place` is where it is declared.
pub fn rule(used: &RuleUse, place: &str) -> String {
    let decl = &*used.rule;
    let mut text = format!("rule {} ({place})\n", rule_name(used));
    let given = |i: u32| used.args.get(i as usize).copied();
    let side = |t: &Term| {
        let t = t.map_types(
            &mut |t| t.subst(&mut |_| None, &mut |i| given(i)),
            &mut |n| n.subst_metas(&mut |i| given(i)),
        );
        short(&unknown(&pattern(decl, &t, &[])))
    };
    let _ = writeln!(text, "  {}  =>  {}", side(&decl.lhs), side(&decl.rhs));
    text
}

fn rule_name(used: &RuleUse) -> String {
    let args: Vec<String> = used.args.iter().map(|n| n.to_string()).collect();
    if args.is_empty() {
        used.rule.name.to_string()
    } else {
        format!("{}[{}]", used.rule.name, args.join(", "))
    }
}

/// What came of it on a term; at most `near` near misses.
pub fn tried(used: &RuleUse, on: &str, attempts: &[Attempt], near: usize) -> String {
    let (applies, mut misses): (Vec<_>, Vec<_>) = attempts.iter().partition(|a| a.outcome.is_ok());
    let refusals = |a: &Attempt| a.outcome.as_ref().err().map_or(0, Vec::len);
    // Those with fewer reasons first among equals; else outer ones first.
    misses.sort_by_key(|a| (std::cmp::Reverse(a.fits), refusals(a)));
    let mut text = format!(
        "\non {on}, as it is written in β/η-normal form: applies {}, {}\n",
        times(applies.len()),
        plural(misses.len(), "near miss", "near misses")
    );
    for (a, same) in grouped(applies) {
        let _ = writeln!(text, "\n  applies{} at `{}`", also(same), found(&a.at));
        let Ok(made) = &a.outcome else { continue };
        for (name, f) in &made.holes {
            let _ = writeln!(text, "    {name} = {}", found(f));
        }
        let _ = writeln!(text, "    becomes {}", found(&made.result));
        for a in &made.assumes {
            let _ = writeln!(text, "    the kernel will assume that {a}");
        }
    }
    let groups = grouped(misses);
    let rest = groups.len().saturating_sub(near);
    for (a, same) in groups.into_iter().take(near) {
        let fits = match a.of {
            0 => String::new(),
            of => format!(", {} of {of} nodes fit", a.fits),
        };
        let at = found(&a.at);
        let _ = writeln!(text, "\n  near miss{}{fits}: `{at}`", also(same));
        for refusal in a.outcome.as_ref().err().into_iter().flatten() {
            let _ = writeln!(text, "    - {}", reason(&used.rule, refusal));
        }
    }
    if rest > 0 {
        let _ = writeln!(text, "\n  … {rest} more (`--near N` shows more)");
    }
    text
}

/// What came of it in the graph of a step.
pub fn tried_in_graph(step: &str, nodes: u64, found: &InGraph) -> String {
    let applies = found.matches - found.refused;
    let mut text = format!(
        "\nin the e-graph when step `{step}` ended, {} e-nodes: applies {}; side conditions refuse {}, types, \
         sizes or limits {}\n",
        count(nodes),
        times(usize::try_from(applies).unwrap_or(usize::MAX)),
        count(found.refused),
        count(found.untyped)
    );
    for (at, holes) in &found.examples {
        let _ = writeln!(text, "  `{}`", short(&open(at)));
        for (name, term) in holes {
            let _ = writeln!(text, "    {name} = {}", short(&open(term)));
        }
    }
    text
}

fn times(n: usize) -> String {
    match n {
        0 => "nowhere".to_string(),
        1 => "once".to_string(),
        n => format!("{} times", count(n as u64)),
    }
}

fn plural(n: usize, one: &str, many: &str) -> String {
    match n {
        0 => format!("no {one}"),
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}

fn also(same: usize) -> String {
    match same {
        1 => String::new(),
        n => format!(" ({n} times)"),
    }
}

/// Sub-terms that read the same count once.
fn grouped(attempts: Vec<&Attempt>) -> Vec<(&Attempt, usize)> {
    let mut out: Vec<(&Attempt, usize)> = Vec::new();
    for a in attempts {
        let same =
            |(b, _): &&mut (&Attempt, usize)| a.at.term == b.at.term && a.at.scope == b.at.scope;
        match out.iter_mut().find(same) {
            Some((_, n)) => *n += 1,
            None => out.push((a, 1)),
        }
    }
    out
}

fn reason(decl: &RuleDecl, r: &Refusal) -> String {
    match r {
        Refusal::Shape {
            wanted,
            binders,
            found: f,
        } => shape(decl, wanted, binders, f),
        Refusal::Differs { hole, first, then } => format!(
            "`{hole}` stands for `{}` at first, then for `{}`",
            found(first),
            found(then)
        ),
        Refusal::Captured {
            hole,
            binder,
            variable,
            where_,
        } => captured(*hole, *binder, *variable, where_),
        Refusal::Type {
            of,
            wanted,
            found: ty,
        } => ill_typed(of, *wanted, *ty),
        Refusal::SizeEquation(wanted, n) => format!(
            "the size `{n}` should be `{}`, and no sizes make them equal",
            unknown(&wanted.to_string())
        ),
        Refusal::PrimSize(op, wanted, n) => {
            let (name, wanted) = (op.name(), unknown(&wanted.to_string()));
            format!("the rule has `{name}` at the size `{wanted}`, the term at `{n}`")
        }
        Refusal::NotOfClass(ty, class) => format!("`{ty}` is {}", not_of(*class)),
        Refusal::Divides(k, n) => format!("`{k} divides {n}` does not hold"),
        Refusal::Never(never) => format!("its sizes are none: {never}"),
        Refusal::NoValue(ty) => {
            format!("a part of what it makes would be a `{ty}`, and no search makes such arrays")
        }
        Refusal::Compare(a, rel, b, open) => compare(*a, *rel, *b, *open),
        Refusal::Law(law, operands, with) => missing_law(law, operands, *with),
        Refusal::Vectorizable(name, f) => format!(
            "`{name}` has no form on vectors because of `{}` of type `{}`",
            found(f),
            f.term.ty()
        ),
        Refusal::Nesting(depth, limit) => format!(
            "the result nests arrays {depth} deep, and the limit is {limit} (`limits nesting`)"
        ),
        Refusal::Size(limit) => {
            format!("the term would grow beyond the limit of {limit} nodes (`limits size`)")
        }
        Refusal::Search => "the search refuses it".to_string(),
    }
}

/// A law that is not known, and where it fails; `with`: the permission to reassociate would do.
pub fn missing_law(law: &str, operands: &[Found], with: bool) -> String {
    let first = operands.first();
    let asked = Law::ALL.into_iter().find(|l| l.name() == law);
    let objection = first.and_then(|f| Some(objection(&f.term, &f.scope, asked?)?.text));
    let holds = if objection.is_some() && !with {
        "does not hold"
    } else {
        "is not known"
    };
    let objection = objection.map_or(String::new(), |o| format!(": {o}"));
    let operands: Vec<String> = operands.iter().map(operand).collect();
    let permission = if with {
        ", but would be with `permit reassociate` in the step: floats are not, to the bit"
    } else {
        ""
    };
    let claim = operands.join(" ");
    format!("`{law} {claim}` {holds}{permission}{objection}")
}

/// A variable that would leave its scope.
fn captured(hole: Symbol, binder: Option<Symbol>, variable: Symbol, occurs: &Found) -> String {
    let rule = match binder {
        Some(b) if b != variable => format!(" (the rule's `{b}`)"),
        _ => String::new(),
    };
    let at = found(occurs);
    let place = if at == variable.as_str() {
        String::new()
    } else {
        format!(", in `{at}`")
    };
    format!(
        "`{variable}`{rule} must not occur in `{hole}`, which leaves its scope: it occurs{place}"
    )
}

fn ill_typed(of: &Typed, wanted: Ty, ty: Ty) -> String {
    let what = match of {
        Typed::Whole => "the sub-term".to_string(),
        Typed::Hole(name, f) => format!("`{name}`, here `{}`,", found(f)),
        Typed::Prim(op) => format!("`{}`", op.name()),
    };
    format!(
        "{what} should have the type `{}`, and has `{ty}`",
        unknown(&wanted.to_string())
    )
}

fn shape(decl: &RuleDecl, wanted: &Term, binders: &[Option<Symbol>], f: &Found) -> String {
    let text = short(&pattern(decl, wanted, binders));
    let here = found(f);
    let what = match wanted.kind() {
        Kind::Lam(..) => {
            return format!(
                "the rule has a function that is written out, `{text}`; `{here}` is not: \
                 in η-normal form `\\x -> f x` is `f`"
            );
        }
        Kind::Var(_) => format!("the variable `{text}`"),
        Kind::Lit(_) => format!("the number `{text}`"),
        _ => format!("`{text}`"),
    };
    let heads = (wanted.as_prim_app(), f.term.as_prim_app());
    let why = match heads {
        (Some((p, args)), Some((q, given))) if p.op() == q.op() => format!(
            ", with {} instead of {}: in η-normal form `\\x -> f x` is `f`",
            plural(given.len(), "argument", "arguments"),
            args.len()
        ),
        (Some((p, _)), Some((q, _))) => {
            format!(", a `{}` and no `{}`", q.op().name(), p.op().name())
        }
        (Some((p, _)), None) => format!(", which is no `{}`", p.op().name()),
        _ => String::new(),
    };
    format!("the rule has {what} where `{here}` stands{why}")
}

fn not_of(class: Class) -> &'static str {
    match class {
        Class::Data => "a function, and the rule asks for data",
        Class::Number => "no number and no vector of numbers",
        Class::Int => "no integer and no vector of integers",
        Class::Float => "no float and no vector of floats",
        Class::Element => "no scalar",
        Class::Convertible => "no scalar and no vector of numbers",
        Class::Flat => "neither a scalar nor a pair of scalars",
    }
}

fn compare(a: Nat, rel: Rel, b: Nat, open: bool) -> String {
    let sign = match rel {
        Rel::Eq => "==",
        Rel::Ne => "!=",
        Rel::Lt => "<",
        Rel::Le => "<=",
        Rel::Gt => ">",
        Rel::Ge => ">=",
    };
    if open {
        format!("`{a} {sign} {b}` is not known for all sizes")
    } else {
        format!("`{a} {sign} {b}` does not hold")
    }
}

fn found(f: &Found) -> String {
    short(&term_text(&f.term, &f.scope))
}

/// An operand that stands beside others.
fn operand(f: &Found) -> String {
    let text = found(f);
    let bare = |c: char| c.is_alphanumeric() || "_.'".contains(c);
    if text.chars().all(bare) || text.starts_with('(') {
        text
    } else {
        format!("({text})")
    }
}

/// A term whose surroundings are not known.
fn open(t: &Term) -> String {
    let names: Vec<Symbol> = (0..t.open())
        .rev()
        .map(|i| Symbol::new(&format!("v{i}")))
        .collect();
    term_text(t, &names)
}

/// A part of a rule: pattern variables by their names.
fn pattern(decl: &RuleDecl, t: &Term, binders: &[Option<Symbol>]) -> String {
    let holes = decl.holes.len() as u32;
    let mut names: Vec<Symbol> = decl.holes.iter().map(|h| h.name).collect();
    names.extend(binders.iter().map(|b| b.unwrap_or(Symbol::new("_"))));
    term_text(&named(t, 0, binders.len() as u32, holes), &names)
}

/// Pattern variables as the outermost variables.
fn named(t: &Term, depth: u32, binders: u32, holes: u32) -> Term {
    match t.kind() {
        Kind::Hole(h) => Term::var(depth + binders + holes - 1 - h, t.ty()),
        Kind::Lam(name, b) => {
            let arg = t.ty().as_fun().map_or(t.ty(), |f: (Ty, Ty)| f.0);
            Term::lam(*name, arg, named(b, depth + 1, binders, holes))
        }
        Kind::App(f, x) => Term::app(
            named(f, depth, binders, holes),
            named(x, depth, binders, holes),
        ),
        _ => t.clone(),
    }
}

/// What is not known is `_`.
fn unknown(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '?' {
            out.push(c);
            continue;
        }
        out.push('_');
        rest.next_if_eq(&'t');
        while rest.next_if(char::is_ascii_digit).is_some() {}
    }
    out
}

/// One line, cut where it is too long.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > WIDTH {
        line.chars().take(WIDTH - 1).chain(['…']).collect()
    } else {
        line
    }
}
