//! Of `exec::sizes`.

use rise_opt::arith::Nat;
use rise_opt::exec::sizes::*;
use rise_opt::intern::Symbol;
use rise_opt::nest::Assumption;
use rise_opt::term::{Program, Term};
use rise_opt::ty::{Scalar, Ty};

const BOUND: Bound = Bound {
    work: 1e9,
    elements: 1e6,
    bytes: 1e9,
};

/// A program that returns its argument, an m.n.f32.
fn program() -> Program {
    let (m, n) = (Symbol::new("m"), Symbol::new("n"));
    let ty = Ty::array(Nat::var(m), Ty::array(Nat::var(n), Scalar::F32.into()));
    Program {
        name: Symbol::new("id"),
        sizes: vec![m, n],
        params: vec![(Symbol::new("a"), ty)],
        result: ty,
        term: Term::lam(None, ty, Term::var(0, ty)),
    }
}

fn divides(k: i64, name: &str) -> Assumption {
    Assumption::Divides(Nat::int(k), Nat::var(Symbol::new(name)))
}

fn pairs(s: &Sizes) -> Vec<i64> {
    s.values().copied().collect()
}

#[test]
fn small_sizes_satisfy_the_assumptions_and_differ() {
    let program = program();
    let fixed = Sizes::new();
    let mut q = Question {
        program: &program,
        assumptions: vec![divides(32, "m"), divides(4, "n")],
        fixed: &fixed,
    };
    let found: Vec<_> = q.small(&BOUND).iter().map(pairs).collect();
    assert_eq!(found, [[32, 4], [64, 68], [64, 8]]);
    q.assumptions.clear();
    let found: Vec<_> = q.small(&BOUND).iter().map(pairs).collect();
    assert_eq!(found, [[1, 1], [2, 3], [3, 2], [37, 38]]);
    let edges: Vec<_> = q.edges(&q.all(5)).iter().map(pairs).collect();
    assert_eq!(edges, [[0, 5], [5, 0], [0, 0], [1, 5], [5, 1], [1, 1]]);
    q.assumptions = vec![
        divides(32, "m"),
        Assumption::NotNegative(Nat::var(Symbol::new("n")) - Nat::int(1)),
    ];
    let edges: Vec<_> = q.edges(&q.all(32)).iter().map(pairs).collect();
    assert_eq!(edges, [[0, 32], [32, 1]]);
    q.assumptions = vec![divides(32, "m"), divides(4, "n")];
    let large = q.large(&BOUND).unwrap();
    assert_eq!(pairs(&large), [512, 512]);
}

#[test]
fn fixed_sizes_stay_and_impossible_ones_are_told() {
    let program = program();
    let fixed = Sizes::from([(Symbol::new("n"), 6)]);
    let mut q = Question {
        program: &program,
        assumptions: vec![divides(5, "m")],
        fixed: &fixed,
    };
    assert!(q.small(&BOUND).iter().all(|s| s[&Symbol::new("n")] == 6));
    q.assumptions.push(divides(4, "n"));
    assert!(q.small(&BOUND).is_empty());
    assert_eq!(q.large(&BOUND), None);
    assert_eq!(q.objection(&q.all(5)).unwrap(), "4 divides n");
}

/// Where there is no index, there is no argument that holds some.
#[test]
fn indices_have_sizes_at_which_there_are_some() {
    let (m, n) = (Symbol::new("m"), Symbol::new("n"));
    let ty = Ty::array(Nat::var(n), Ty::idx(Nat::var(m)));
    let program = Program {
        params: vec![(Symbol::new("a"), ty)],
        result: ty,
        term: Term::lam(None, ty, Term::var(0, ty)),
        ..program()
    };
    let q = Question {
        program: &program,
        assumptions: Vec::new(),
        fixed: &Sizes::new(),
    };
    let edges: Vec<_> = q.edges(&q.all(5)).iter().map(pairs).collect();
    assert_eq!(edges, [[5, 0], [0, 0], [1, 5], [5, 1], [1, 1]]);
}
