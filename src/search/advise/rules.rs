//! Rules that a step does not have.
//!
//! A primitive that a sketch asks for, that the graph does not have and that no rule of the step makes, can
//! only come from another rule: its producers are known by their right sides. Often they need company (a
//! rule that makes vectors is of no use without those that move them), so the rules of a producer's file are
//! tried together and then dropped one by one while the goal is still reached. Where nothing is missing by
//! name (a rule that exchanges loops makes nothing new), each rule is tried by itself.

use super::sizes::constants;
use super::{Advisor, Found, Reached, Remedy};
use crate::arith::Nat;
use crate::elab::{KnownRule, RuleDecl, RuleUse, SketchKind, TyPattern};
use crate::search::edit::{change, Atom};
use crate::term::{Kind, Op, Term};
use std::cmp::Reverse;
use std::collections::BTreeSet;

type Candidate = (String, RuleUse);

/// Rules that are given a size and tried by themselves.
const SINGLES: usize = 10;
/// Sizes that a rule is tried with.
const MOST_SIZES: usize = 3;

/// Whether a rule makes a primitive out of something else.
pub(super) fn makes(rule: &RuleDecl, op: Op) -> bool {
    has(&rule.rhs, op) && !has(&rule.lhs, op)
}

fn has(t: &Term, op: Op) -> bool {
    let mut found = false;
    t.visit(&mut |t, _| found |= matches!(t.kind(), Kind::Prim(p) if p.op() == op));
    found
}

/// Rules for what nothing in the step makes.
pub(super) fn missing(a: &mut Advisor) -> Found {
    if let Some(found) = of_size(a) {
        return Some(found);
    }
    for (_, candidates) in wanted(a) {
        let files: Vec<String> = in_order(a, candidates.iter().map(|k| &k.file));
        for file in files {
            let of_file = |k: &&KnownRule| k.file == file;
            let makers: Vec<Candidate> = candidates
                .iter()
                .filter(of_file)
                .flat_map(|k| uses(a, k))
                .collect();
            let all: Vec<Candidate> = (a.known.rules.iter())
                .filter(of_file)
                .flat_map(|k| uses(a, k))
                .collect();
            for rules in [makers, all] {
                if let Some((rules, reached)) = tried(a, rules) {
                    return Some((remedy(a, rules), reached));
                }
            }
        }
    }
    None
}

/// One rule that is given a size of which nothing in the graph is, though another rule of the step is given it.
fn of_size(a: &mut Advisor) -> Found {
    let has = &a.d.instead.as_ref()?.has.sizes;
    let lacking = sizes(a).into_iter().filter(|n| !has.contains(n));
    let parts: Vec<Nat> = lacking.flat_map(constants).map(Nat::int).collect();
    if parts.is_empty() {
        return None;
    }
    let rules: Vec<KnownRule> = (a.known.rules.iter())
        .filter(|k| !k.rule.size_params.is_empty())
        .cloned()
        .collect();
    let files = in_order(a, rules.iter().map(|k| &k.file));
    let mut tried = 0;
    for file in &files {
        for known in rules.iter().filter(|k| k.file == *file) {
            let fits = |c: &Candidate| c.1.args.iter().all(|n| parts.contains(n));
            for candidate in uses(a, known).into_iter().filter(fits) {
                if tried == SINGLES {
                    return None;
                }
                tried += 1;
                if let Some(found) = alone(a, candidate, super::SOON / 2) {
                    return Some(found);
                }
            }
        }
    }
    None
}

/// Whether the goal is reached soon with one rule more.
fn alone(a: &mut Advisor, rule: Candidate, most: u64) -> Found {
    let mut step = a.step.clone();
    step.rules.push(rule.1.clone());
    let mut limits = a.limits();
    limits.nodes = limits.nodes.map(|n| n.min(most));
    let term = a.term.clone();
    let trying = in_words(std::slice::from_ref(&rule));
    let reached = a.search(&trying, &step, &term, &limits)?;
    Some((remedy(a, vec![rule]), reached))
}

/// The rules, with what only they make.
fn remedy(a: &Advisor, rules: Vec<Candidate>) -> Remedy {
    let ops = wanted(a).into_iter().filter_map(|w| w.0);
    let makes = ops.filter(|op| rules.iter().any(|r| makes(&r.1.rule, *op)));
    Remedy::Rules {
        makes: makes.collect(),
        rules,
    }
}

/// What the sketch asks for and nothing in the step makes, with the rules that do.
fn wanted(a: &Advisor) -> Vec<(Option<Op>, Vec<KnownRule>)> {
    let Some(instead) = &a.d.instead else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let made = |op: Op| a.step.rules.iter().any(|u| makes(&u.rule, op));
    let producers = |f: &dyn Fn(&RuleDecl) -> bool| {
        let rules = a.known.rules.iter().filter(|k| f(&k.rule) && !used(a, k));
        rules.cloned().collect::<Vec<_>>()
    };
    let mut ops = asked(a);
    if asks_for_vectors(&a.step.sketch) && !instead.has.vectors {
        ops.push(Op::AsVector);
    }
    for op in ops {
        if !instead.has.ops.contains(&op) && !made(op) {
            let rules = producers(&|r| makes(r, op));
            if !rules.is_empty() {
                out.push((Some(op), rules));
            }
        }
    }
    // A size that no rule of the step is given.
    let given: Vec<i64> = (a.step.rules.iter())
        .flat_map(|u| u.args.iter().flat_map(|n| constants(*n)))
        .collect();
    let strange = |n: &Nat| {
        let parts = constants(*n);
        !instead.has.sizes.contains(n) && !parts.is_empty() && !given.contains(&parts[0])
    };
    if sizes(a).iter().any(strange) {
        let rules: Vec<KnownRule> = (a.known.rules.iter())
            .filter(|k| !k.rule.size_params.is_empty())
            .cloned()
            .collect();
        out.push((None, rules));
    }
    out
}

/// The primitives of the sketch.
fn asked(a: &Advisor) -> Vec<Op> {
    let mut ops = Vec::new();
    change(&a.step.sketch, &mut |atom| {
        if let Atom::Op(op) = atom {
            if !ops.contains(&op) {
                ops.push(op);
            }
        }
        Some(atom)
    });
    ops
}

/// The sizes of the sketch.
fn sizes(a: &Advisor) -> Vec<Nat> {
    let mut sizes = Vec::new();
    change(&a.step.sketch, &mut |atom| {
        if let Atom::Size(n) = atom {
            sizes.push(n);
        }
        Some(atom)
    });
    sizes
}

fn asks_for_vectors(s: &crate::elab::Sketch) -> bool {
    fn in_type(p: &TyPattern) -> bool {
        match p {
            TyPattern::Vec(..) => true,
            TyPattern::Pair(a, b) | TyPattern::Fun(a, b) => in_type(a) || in_type(b),
            TyPattern::Array(_, t) => in_type(t),
            _ => false,
        }
    }
    let here = matches!(&s.kind, SketchKind::Typed(_, t) if in_type(t));
    here || s.kind.asked_for().into_iter().any(asks_for_vectors)
}

/// A rule with the sizes that the step and its sketch have.
fn uses(a: &Advisor, known: &KnownRule) -> Vec<Candidate> {
    let params = known.rule.size_params.len();
    let with = |args: Vec<Nat>| {
        let rule = known.rule.clone();
        let span = rule.span;
        (known.file.clone(), RuleUse { rule, args, span })
    };
    let mut values: Vec<Nat> = Vec::new();
    if params > 0 {
        let given = a.step.rules.iter().flat_map(|u| u.args.clone());
        let own = sizes(a);
        for n in own.into_iter().chain(given) {
            let all = constants(n).into_iter().map(Nat::int);
            values.extend(all);
        }
        let mut seen = Vec::new();
        values.retain(|n| {
            let new = !seen.contains(n);
            seen.push(*n);
            new
        });
        values.truncate(MOST_SIZES);
    }
    let all = match params {
        0 => vec![with(Vec::new())],
        _ => values.into_iter().map(|n| with(vec![n; params])).collect(),
    };
    let new = |c: &Candidate| !a.step.rules.iter().any(|u| same(u, &c.1));
    all.into_iter().filter(new).collect()
}

fn same(a: &RuleUse, b: &RuleUse) -> bool {
    same_rule(&a.rule, &b.rule) && a.args == b.args
}

/// A rule may come from a copy of its file.
fn same_rule(a: &RuleDecl, b: &RuleDecl) -> bool {
    a.name == b.name && a.lhs == b.lhs && a.rhs == b.rhs
}

fn used(a: &Advisor, known: &KnownRule) -> bool {
    let fixed = known.rule.size_params.is_empty();
    fixed && (a.step.rules.iter()).any(|u| same_rule(&u.rule, &known.rule))
}

/// Those that the step uses most come first; a file that repeats the rules of several others is another book, and comes
/// first for a step that uses it, else last.
fn in_order<'k>(a: &Advisor, files: impl Iterator<Item = &'k String>) -> Vec<String> {
    let all = &a.known.rules;
    let repeats = |file: &String| {
        let (mut own, mut repeated, mut others) = (0, 0, BTreeSet::new());
        for k in all.iter().filter(|k| k.file == *file) {
            let twins = (all.iter()).filter(|o| o.file != *file && o.rule.name == k.rule.name);
            let twins: Vec<&String> = twins.map(|o| &o.file).collect();
            own += 1;
            repeated += usize::from(!twins.is_empty());
            others.extend(twins);
        }
        2 * repeated > own && others.len() > 1
    };
    let files: BTreeSet<&String> = files.collect();
    let other_book: BTreeSet<&String> = files.iter().copied().filter(|f| repeats(f)).collect();
    let in_book = |u: &RuleUse| {
        let mut same = all.iter().filter(|k| same_rule(&u.rule, &k.rule));
        same.any(|k| !repeats(&k.file))
    };
    let general = a.step.rules.iter().all(in_book);
    let mut files: Vec<&String> = files.into_iter().collect();
    let uses = |f: &&String| {
        let own = all.iter().filter(|k| k.file == **f);
        let used = own.filter(|k| a.step.rules.iter().any(|u| same_rule(&u.rule, &k.rule)));
        Reverse(used.count())
    };
    files.sort_by_cached_key(|f| (other_book.contains(f) == general, uses(f)));
    files.into_iter().cloned().collect()
}

/// Whether the goal is reached with more rules, and which of them it needs.
fn tried(a: &mut Advisor, mut rules: Vec<Candidate>) -> Option<(Vec<Candidate>, Reached)> {
    if rules.is_empty() {
        return None;
    }
    let mut reached = with(a, &rules)?;
    for i in (0..rules.len()).rev() {
        if rules.len() == 1 {
            break;
        }
        let mut fewer = rules.clone();
        fewer.remove(i);
        if let Some(r) = with(a, &fewer) {
            (rules, reached) = (fewer, r);
        }
    }
    Some((rules, reached))
}

fn with(a: &mut Advisor, rules: &[Candidate]) -> Option<Reached> {
    let mut step = a.step.clone();
    step.rules.extend(rules.iter().map(|r| r.1.clone()));
    let (term, limits) = (a.term.clone(), a.limits());
    a.search(&in_words(rules), &step, &term, &limits)
}

/// Some rules, as one line names them.
fn in_words(rules: &[Candidate]) -> String {
    let name = |c: &Candidate| c.1.rule.name.to_string();
    match rules {
        [one] => format!("rule `{}`", name(one)),
        [a, b] => format!("rules `{}` and `{}`", name(a), name(b)),
        [first, rest @ ..] => format!("rule `{}` and {} more", name(first), rest.len()),
        [] => "no more rules".to_string(),
    }
}

/// Any rule that is known, by itself and then, after small searches, by files.
pub(super) fn any(a: &mut Advisor) -> Found {
    let small = a.d.size.nodes.saturating_mul(4) + 2_000;
    let is_small = small <= super::EACH;
    let most = if is_small { small } else { super::SOON / 4 };
    let all: Vec<KnownRule> = a.known.rules.clone();
    let files = in_order(a, all.iter().map(|k| &k.file));
    let of = |file: &String| -> Vec<KnownRule> {
        let own = all.iter().filter(|k| k.file == *file);
        own.cloned().collect()
    };
    for file in &files {
        for known in of(file) {
            if a.spent() {
                return None;
            }
            for candidate in uses(a, &known) {
                if let Some(found) = alone(a, candidate, most) {
                    return Some(found);
                }
            }
        }
    }
    for file in files.iter().filter(|_| is_small) {
        if a.spent() {
            return None;
        }
        let rules: Vec<Candidate> = of(file).iter().flat_map(|k| uses(a, k)).collect();
        if let Some((rules, reached)) = tried(a, rules) {
            return Some((remedy(a, rules), reached));
        }
    }
    None
}

/// What the sketch asks for and nothing makes, where no try reached the goal: the producers, or all rules
/// of their file, whichever brings more parts; and how many.
pub(super) fn nearer(a: &mut Advisor) -> Option<(Remedy, usize)> {
    let now = a.d.instead.as_ref()?.closest.as_ref()?.parts.len();
    let (_, producers) = wanted(a).into_iter().find(|w| w.0.is_some())?;
    let file = in_order(a, producers.iter().map(|k| &k.file)).swap_remove(0);
    let known: Vec<KnownRule> = a.known.rules.clone();
    let of = |rules: &[KnownRule], a: &Advisor| -> Vec<Candidate> {
        let own = rules.iter().filter(|k| k.file == file);
        own.flat_map(|k| uses(a, k)).collect()
    };
    let mut best: Option<(Vec<Candidate>, usize)> = None;
    for rules in [of(&producers, a), of(&known, a)] {
        let mut step = a.step.clone();
        step.rules.extend(rules.iter().map(|r| r.1.clone()));
        let parts = a.parts_reached(&in_words(&rules), &step);
        if best.as_ref().is_none_or(|b| parts > b.1) {
            best = Some((rules, parts));
        }
    }
    let (rules, parts) = best.filter(|b| !b.0.is_empty())?;
    Some((remedy(a, rules), parts.max(now)))
}
