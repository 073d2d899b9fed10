use rise_opt::egraph::*;

use rise_opt::term::{Op, Term};
use rise_opt::ty::{Scalar, Ty};

fn f32() -> Ty {
    Scalar::F32.into()
}

fn graph(normalize: bool) -> Graph {
    Graph::new(Heads::new([Op::Add, Op::Neg]), normalize)
}

fn neg(x: Term) -> Term {
    Term::app(Term::prim(Op::Neg.into(), Ty::fun(f32(), f32())), x)
}

fn add(x: Term, y: Term) -> Term {
    let add = Term::prim(Op::Add.into(), Ty::funs([f32(), f32()], f32()));
    Term::apps(add, [x, y])
}

fn var(i: u32) -> Term {
    Term::var(i, f32())
}

fn lam(b: Term) -> Term {
    Term::lam(None, f32(), b)
}

#[test]
fn instantiation_agrees_with_terms() {
    // Under a binder, with the variable twice, beside other variables.
    let bodies = [
        add(var(0), var(3)),
        add(neg(var(0)), var(0)),
        Term::app(lam(add(var(0), var(1))), var(2)),
        Term::app(lam(add(add(var(0), var(2)), var(1))), neg(var(0))),
    ];
    for body in bodies {
        for value in [var(0), var(2), neg(var(1))] {
            let mut g = graph(false);
            let (b, v) = (g.add_term(&body), g.add_term(&value));
            let got = g.instantiate(b, v).unwrap();
            assert_eq!(g.best_term(got), body.instantiate(&value));
            let bound = g.instantiated_size(b, v, 0);
            assert!(bound >= body.instantiate(&value).size());
        }
    }
}

#[test]
fn renaming_a_variable_that_has_no_new_name_is_refused() {
    let mut g = graph(false);
    let both = g.add_term(&add(var(0), var(1)));
    let swap = Renaming {
        names: vec![Some(1), Some(0)],
        delta: 0,
    };
    let swapped = g.rename(both, &swap).unwrap();
    assert_eq!(g.best_term(swapped), add(var(1), var(0)));
    assert_eq!(g.rename(both, &Renaming::shift(-1)), None);
    let drop_inner = Renaming {
        names: vec![None],
        delta: -1,
    };
    assert_eq!(g.rename(both, &drop_inner), None);
    let outer = g.add_term(&neg(var(1)));
    let got = g.rename(outer, &drop_inner).unwrap();
    assert_eq!(g.best_term(got), neg(var(0)));
}

#[test]
fn free_variables_are_a_union() {
    // neg %1 = %0 makes both variables possible though the best term is %0:
    // below a binder it is bound, and renaming must leave it alone.
    let mut g = graph(false);
    let (a, b) = (g.add_term(&neg(var(1))), g.add_term(&var(0)));
    g.union(a, b);
    let under = g.add_term(&lam(var(0)));
    g.rebuild();
    assert!(g.facts(a).free.has(0) && g.facts(a).free.has(1));
    let renamed = g.rename(under, &Renaming::shift(2)).unwrap();
    assert_eq!(g.best_term(renamed), lam(var(0)));
    let lower = g.rename(under, &Renaming::shift(-1)).unwrap();
    assert_eq!(g.best_term(lower), lam(var(0)));
}

#[test]
fn far_variables_stay_possible() {
    let far = Free::var(70);
    assert!(far.has(63) && far.has(100) && far.any_from(5));
    assert!(far.under_binder().has(62) && far.under_binder().has(80));
    assert!(!Free::var(3).has(4));
}

#[test]
fn normalising_reduces_what_is_added() {
    let mut g = graph(true);
    let f = g.add_term(&lam(neg(var(0))));
    let x = g.add_term(&var(4));
    let id = g.app(f, x, f32()).unwrap();
    assert_eq!(g.best_term(id), neg(var(4)));
    let body = g.add_term(&neg(var(0)));
    let id = g.lam(body, Ty::fun(f32(), f32())).unwrap();
    assert_eq!(g.best_term(id).to_string(), "neg");
}

#[test]
#[should_panic(expected = "merged two types")]
fn merging_two_types_is_a_bug() {
    let mut g = graph(false);
    let (a, b) = (g.add_term(&neg(var(0))), g.add_term(&lam(var(0))));
    g.union(a, b);
}

#[test]
fn patterns_match_through_every_node_of_a_class() {
    let mut g = graph(false);
    let x = g.add_term(&neg(neg(var(0))));
    let y = g.add_term(&add(var(0), var(1)));
    g.union(x, y);
    let root = g.add_term(&neg(add(var(0), var(1))));
    g.rebuild();
    let view = View::new(&g);
    let p = |t: Term, holes| Pattern::new(&t, holes, g.heads(), &|_, _| 0);
    let count = |p: &Pattern, at: Id| {
        let mut n = 0;
        let mut patience = Patience::new(&|| true);
        p.matches(&view, view.class(at), &mut patience, &mut |_, _| {
            n += 1;
            true
        });
        n
    };
    let hole = |i| Term::hole(i, f32());
    assert_eq!(count(&p(neg(neg(hole(0))), 1), root), 1);
    assert_eq!(count(&p(neg(add(hole(0), hole(1))), 2), root), 1);
    assert_eq!(count(&p(neg(add(hole(0), hole(0))), 1), root), 0);
    assert_eq!(count(&p(hole(0), 1), root), 1);
    assert_eq!(count(&p(add(hole(0), hole(1)), 2), root), 0);
}

#[test]
fn contexts_measure_the_smallest_term_through_a_class() {
    let mut g = graph(false);
    let root = g.add_term(&add(neg(var(0)), neg(neg(var(1)))));
    g.rebuild();
    let view = View::new(&g);
    let r = view.class(root);
    let all = view.contexts(r, 100);
    let total = view.size(r);
    assert!((0..view.len() as Class).all(|c| all[c as usize] + view.size(c) >= total));
    let inner = g.add_term(&neg(var(1)));
    assert_eq!(
        all[view.class(inner) as usize] + view.size(view.class(inner)),
        total
    );
    assert!(view.contexts(r, total - 1).iter().all(|c| *c == u32::MAX));
}

/// A class may hold a variable of the same index and of another binder, of another type.
#[test]
fn variables_of_a_pattern_have_their_types() {
    let g = graph(false);
    let pattern = Pattern::new(&lam(neg(var(0))), 0, g.heads(), &|_, _| 0);
    let of_variable =
        |e: &Evidence| matches!(e, Evidence::Type(reg, ty) if *reg != 0 && *ty == f32());
    assert!(
        pattern.evidence.iter().any(of_variable),
        "{:?}",
        pattern.evidence
    );
}

/// What is allocated at once, beside the small things of each node, was announced; and all that was announced came.
#[test]
fn tables_that_double_are_announced() {
    let allocated = tikv_jemalloc_ctl::thread::allocatedp::read().expect("jemalloc");
    let mut graph = graph(false);
    let (mut announced, mut taken) = (0, 0);
    for i in 0..100_000 {
        let before = allocated.get();
        let more = graph.growth(1);
        graph.add(Node::new(Shape::Var(i), f32()));
        let now = allocated.get() - before;
        assert!(now < 1 << 16 || now <= 2 * more, "{i}: {now}, not {more}");
        announced += more;
        taken += now;
    }
    assert!(announced > 1 << 24, "{announced}");
    assert!(announced < 2 * taken, "{announced} are not {taken}");
}
