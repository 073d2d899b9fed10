//! Rules between functions, also as rules about what these functions are applied to.
//!
//! Comes in: rules; goes out: for each `f => \x -> b` a second one, `f e => b[e/x]`.
//! Where the left side stands applied, the second says at once what the first and
//! β say together, and it says more: see `Note [Applied forms]`. Absent: whether a
//! step wants them.
//!
//! Note [Applied forms]: β by extraction carries the smallest term of the body to
//! the argument. As soon as the body is known to equal a smaller term, say the
//! unsplit loop, that is what β carries, and what the rule found is lost for this
//! argument. Which comes first is a matter of luck. The applied form needs no β:
//! the argument is put in while the right side is built.
//!
//! The function itself is added all the same. Each such function is one more binder,
//! below which the rule finds the shifted copy of its own result again; leaving it
//! out where a class stands nowhere but applied gives graphs of half the size. But
//! then what looks for functions sees it one iteration later, when it stands as an
//! argument, and an iteration is worth more than a factor of two.

use crate::elab::{HoleDecl, RuleDecl, RuleUse};
use crate::intern::Symbol;
use crate::term::{Kind, Term};
use std::rc::Rc;

/// The rules, each followed by its applied form if it has one, and that by its own.
pub fn with_applied(rules: Vec<RuleUse>) -> Vec<RuleUse> {
    let mut out = Vec::with_capacity(rules.len());
    for used in rules {
        let (args, span) = (used.args.clone(), used.span);
        let mut next = applied(&used.rule);
        out.push(used);
        while let Some(rule) = next {
            next = applied(&rule);
            out.push(RuleUse {
                rule: Rc::new(rule),
                args: args.clone(),
                span,
            });
        }
    }
    out
}

/// The applied form of a rule; `None` if it has none.
pub fn applied(rule: &RuleDecl) -> Option<RuleDecl> {
    let Kind::Lam(name, body) = rule.rhs.kind() else {
        return None;
    };
    // `f => \x -> f x` says nothing about `f e`.
    if body.is_eta_body() {
        return None;
    }
    // A binder of the left side that lives on as `x` would have to become `e`.
    if name.is_some_and(|name| binds(&rule.lhs, name)) {
        return None;
    }
    let (ty, _) = rule.rhs.ty().as_fun()?;
    let hole = Term::hole(rule.holes.len() as u32, ty);
    let mut holes = rule.holes.clone();
    holes.push(HoleDecl {
        name: name.unwrap_or(rule.name),
        ty,
        span: rule.span,
        computed: false,
    });
    Some(RuleDecl {
        holes,
        lhs: Term::app(rule.lhs.clone(), hole.clone()),
        rhs: body.instantiate(&hole),
        ..rule.clone()
    })
}

fn binds(t: &Term, name: Symbol) -> bool {
    let mut found = false;
    t.visit(&mut |t, _| found |= matches!(t.kind(), Kind::Lam(Some(n), _) if *n == name));
    found
}
