//! Every shipped rule means the same on both sides.
//!
//! Each rule of each file in `rules/` is tested on random typed instances by the
//! interpreter: types, sizes, holes and data are random, results compared to the
//! bit. A rule for which too few instances can be drawn fails, too: it would
//! otherwise pass unseen. Then each rule is applied by the e-graph: it must fire on
//! random instances of its left side, what it makes must mean the same, and it
//! must not fire on negative twins, which violate one condition each.

use crate::common::share;
use rise_opt::arith::Nat;
use rise_opt::egraph::{Graph, Id, Node, Shape, View};
use rise_opt::elab::{self, Cond, RuleDecl, RuleUse};
use rise_opt::interp::generate::{Generator, Options};
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{eval_with, Limits, Sizes, Value};
use rise_opt::rule::instance::{
    agree, draw, draw_twin, test_rule, violations, Instance, Violation,
};
use rise_opt::rule::{self, MatchContext, Rewrite};
use rise_opt::source::SourceMap;
use rise_opt::term::{Kind, Term};
use rise_opt::ty::{Ty, TyKind, TySubst};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// For each rule.
fn instances() -> u32 {
    share::half(200) as u32
}

/// For each rule, in the e-graph.
fn applications() -> u32 {
    share::half(40) as u32
}

fn shipped() -> Vec<(String, Rc<RuleDecl>)> {
    let mut out = Vec::new();
    for name in SourceMap::shipped() {
        if name.starts_with("rules/") && name.ends_with(".rules") {
            let mut sources = SourceMap::new();
            let file = sources.load_shipped(name).expect("shipped");
            let decls = elab::rule_decls(&mut sources, file);
            let decls = decls.unwrap_or_else(|e| panic!("{name}: {e:#?}"));
            for rule in decls {
                let applied = rule::applied(&rule).map(Rc::new);
                out.push((format!("{} of {name}", rule.name), rule));
                out.extend(applied.map(|a| (format!("{} of {name}, applied", a.name), a)));
            }
        }
    }
    assert!(out.len() >= 40, "only {} rules", out.len());
    out
}

#[test]
fn both_sides_of_every_shipped_rule_agree() {
    let mut wrong = Vec::new();
    for (at, rule) in shipped() {
        let outcome = test_rule(&rule, instances(), 0x0715);
        if let Some(c) = outcome.refuted {
            wrong.push(format!("{at} is wrong:\n{c}\n"));
        } else if outcome.agreed < instances() {
            let (few, missed) = (outcome.agreed, outcome.missed);
            wrong.push(format!("{at}: only {few} instances, {missed} draws missed"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A graph of one term to which a rule was applied once, everywhere.
struct Trial {
    graph: Graph,
    view: View,
    root: Id,
}

impl Trial {
    fn new(rule: &Rc<RuleDecl>, types: &TySubst, term: &Term, reassociate: bool) -> Trial {
        let args: Vec<Nat> = (0..rule.size_params.len())
            .map(|i| types.nats[&(i as u32)])
            .collect();
        let used = [RuleUse {
            rule: rule.clone(),
            args,
            span: rule.span,
        }];
        let heads = rule::heads(&used);
        let compiled = rule::compile(&used[0], &heads, 12);
        let mut graph = Graph::new(heads, true);
        let root = graph.add_term(term);
        graph.rebuild();
        let view = View::new(&graph);
        let contexts = view.contexts(view.class(graph.find(root)), 10_000);
        let scene = MatchContext {
            view: &view,
            contexts: &contexts,
            size: 10_000,
            may_continue: &|| true,
        };
        let mut rewrite = Rewrite::Rule(Box::new(compiled));
        let matches = rewrite.search(&scene, &graph);
        for i in 0..matches.len() {
            rewrite.apply(&mut graph, &matches, i, reassociate, 0);
        }
        graph.rebuild();
        let view = View::new(&graph);
        Trial { graph, view, root }
    }

    /// What is known to equal the term, the term itself among them.
    fn equals(&self) -> Vec<Term> {
        let root = self.view.class(self.graph.find(self.root));
        let id = |c: &Id| self.view.id(usize::from(*c) as u32);
        let mut terms = Vec::new();
        for n in self.view.nodes(root) {
            // Children of a view's nodes are classes of the view.
            let shape = match &n.shape {
                Shape::Lam([b]) => Shape::Lam([id(b)]),
                Shape::App([f, x]) => Shape::App([id(f), id(x)]),
                leaf => *leaf,
            };
            terms.push(self.graph.node_term(&Node::new(shape, n.ty)));
        }
        terms
    }
}

/// Values on which to evaluate an instance: of its parameters and of its arguments.
fn data(instance: &Instance, rng: &mut Rng) -> Option<(Vec<Value>, Vec<Value>)> {
    let sizes = Sizes::new();
    let data = |t, rng: &mut Rng| value_of(rng, t, &sizes, Numbers::Whole).ok();
    let mut env = Vec::new();
    for t in instance.params.iter().rev() {
        env.push(data(*t, rng)?);
    }
    let mut args = Vec::new();
    let mut rest = instance.lhs.ty();
    while let Some((arg, result)) = rest.as_fun() {
        if arg.is_fun() {
            let options = Options {
                symbolic: false,
                ..Options::default()
            };
            let f = Generator::new(rng, options).term(arg, &mut Vec::new(), 2);
            args.push(eval_with(&f, &sizes, &[], &[], Limits::default()).ok()?);
        } else {
            args.push(data(arg, rng)?);
        }
        rest = result;
    }
    Some((env, args))
}

/// Whether an array that is known to have no elements stands in a term: the search makes none.
fn has_empty(term: &Term) -> bool {
    fn stands_in(t: Ty) -> bool {
        match t.kind() {
            TyKind::Array(n, t) => n.as_int() == Some(0) || stands_in(t),
            TyKind::Pair(a, b) | TyKind::Fun(a, b) => stands_in(a) || stands_in(b),
            _ => false,
        }
    }
    let mut found = false;
    term.visit(&mut |t, _| found |= stands_in(t.ty()));
    found
}

#[test]
fn every_shipped_rule_fires_and_what_it_makes_means_the_same() {
    let mut wrong = Vec::new();
    for (at, rule) in shipped() {
        let mut rng = Rng::new(0xf12e);
        let (mut tried, mut fired, mut silent) = (0, 0, None);
        for _ in 0..50 * applications() {
            if tried == applications() {
                break;
            }
            let Some(instance) = draw(&rule, &mut rng) else {
                continue;
            };
            if has_empty(&instance.rhs) {
                continue;
            }
            tried += 1;
            let trial = Trial::new(&rule, &instance.types, &instance.lhs, true);
            let terms = trial.equals();
            if terms.len() > 1 {
                fired += 1;
            } else {
                silent = Some(instance.clone());
            }
            let Some((env, args)) = data(&instance, &mut rng) else {
                continue;
            };
            let value = |t: &Term| eval_with(t, &Sizes::new(), &env, &args, Limits::default());
            let Ok(left) = value(&instance.lhs) else {
                continue;
            };
            for t in terms {
                match value(&t) {
                    Ok(v) if agree(&rule, &left, &v) => {}
                    other => wrong.push(format!(
                        "{at}: {} was made\n {t}\n {left:?} became {other:?}",
                        instance.lhs
                    )),
                }
            }
        }
        let computes = |c: &Cond| matches!(c, Cond::Vectorizable { .. });
        let may_refuse = rule.conds.iter().any(computes);
        // An instance whose sides are one term cannot show that the rule fired.
        let enough = if may_refuse { tried / 4 } else { tried * 3 / 4 };
        if fired < enough || tried < applications() {
            let silent = silent.map(|i| i.lhs.to_string());
            wrong.push(format!(
                "{at}: fired {fired} of {tried} times, not on {silent:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How many twins of shipped rules were tried, one rule after the other from a common list, and on which a rule fired.
fn twins_of_shipped(next: &AtomicUsize) -> (u32, Vec<String>) {
    let mut wrong = Vec::new();
    let mut twins = 0;
    let all = shipped();
    while let Some((at, rule)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
        for violation in violations(rule) {
            let mut rng = Rng::new(0x2815);
            let mut tried = 0;
            let permitted = violation != Violation::Permission;
            // Whether a random operator obeys a law takes up to a second to decide.
            let law = |c: &Cond| matches!(c, Cond::Law(_));
            let most = match violation {
                Violation::Condition(i) if law(&rule.conds[i]) => applications() / 20,
                _ => applications(),
            };
            for _ in 0..100 * applications() {
                if tried == most {
                    break;
                }
                let Some(twin) = draw_twin(rule, violation, &mut rng) else {
                    continue;
                };
                tried += 1;
                let trial = Trial::new(rule, &twin.types, &twin.lhs, permitted);
                if trial.equals().len() > 1 {
                    wrong.push(format!("{at} fires on {}, {violation:?}", twin.lhs));
                    break;
                }
            }
            let named = match violation {
                Violation::Condition(i) => format!("{:?}", rule.conds[i]),
                Violation::Permission => "the permission to reassociate".into(),
                Violation::Captured { hole, .. } => {
                    format!("captured in {}", rule.holes[hole].name)
                }
            };
            // The types of primitives exclude functions where data has to be; a law of an operator in which nothing is open
            // holds or not, whatever the rule is used on.
            let closed = |t: &Term| {
                let mut open = false;
                t.visit(&mut |t, _| open |= matches!(t.kind(), Kind::Hole(_)));
                !open
            };
            let vacuous = match violation {
                Violation::Condition(i) => match &rule.conds[i] {
                    Cond::Data(_) => true,
                    Cond::Law(claim) => claim.operands.iter().all(closed),
                    _ => false,
                },
                _ => false,
            };
            if tried == 0 && !vacuous {
                wrong.push(format!("{at}: no twin that violates {named}"));
            }
            twins += tried;
        }
    }
    (twins, wrong)
}

#[test]
fn no_shipped_rule_fires_where_a_condition_is_violated() {
    // Rules belong to a thread, and one takes longer than the others: each takes the next one.
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let (twins, mut wrong) = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| twins_of_shipped(&next)))
            .collect();
        all.into_iter().fold((0, Vec::new()), |mut sum, one| {
            let (twins, wrong) = one.join().expect("a thread that asserts nothing");
            sum.0 += twins;
            sum.1.extend(wrong);
            sum
        })
    });
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(u64::from(twins) > share::half(1000), "only {twins} twins");
}
