//! Of `exec::flops`.

use rise_opt::arith::Nat;
use rise_opt::exec::flops::*;
use rise_opt::intern::Symbol;
use rise_opt::term::{Op, Program, Term};
use rise_opt::ty::{Scalar, Ty};
use std::collections::BTreeMap;

fn f32() -> Ty {
    Scalar::F32.into()
}

fn op(o: Op, args: &[Ty], result: Ty) -> Term {
    Term::prim(o.into(), Ty::funs(args.iter().copied(), result))
}

/// dot = \a -> \b -> reduce add 0 (map (\p -> mul (fst p) (snd p)) (zip a b))
fn dot() -> Program {
    let n = Nat::var(Symbol::new("n"));
    let (xs, pair) = (Ty::array(n, f32()), Ty::pair(f32(), f32()));
    let add = op(Op::Add, &[f32(), f32()], f32());
    let mul = op(Op::Mul, &[f32(), f32()], f32());
    let p = Term::var(0, pair);
    let fst = Term::app(op(Op::Fst, &[pair], f32()), p.clone());
    let snd = Term::app(op(Op::Snd, &[pair], f32()), p);
    let product = Term::lam(None, pair, Term::apps(mul, [fst, snd]));
    let pairs = Ty::array(n, pair);
    let zip = op(Op::Zip, &[xs, xs], pairs);
    let zipped = Term::apps(zip, [Term::var(1, xs), Term::var(0, xs)]);
    let map = op(Op::Map, &[Ty::fun(pair, f32()), pairs], xs);
    let mapped = Term::apps(map, [product, zipped]);
    let reduce = op(Op::Reduce, &[add.ty(), f32(), xs], f32());
    let zero = Term::lit(rise_opt::term::Lit::f32(0.0), f32());
    let body = Term::apps(reduce, [add, zero, mapped]);
    Program {
        name: Symbol::new("dot"),
        sizes: vec![Symbol::new("n")],
        params: vec![(Symbol::new("a"), xs), (Symbol::new("b"), xs)],
        result: f32(),
        term: Term::lam(None, xs, Term::lam(None, xs, body)),
    }
}

#[test]
fn a_dot_product_does_two_operations_for_each_element() {
    let sizes = BTreeMap::from([(Symbol::new("n"), 100)]);
    assert_eq!(flops(&dot(), &sizes), Some(200.0));
    assert_eq!(flops(&dot(), &BTreeMap::new()), None);
}

/// The operations of `source`, each value computed once and as it stands, at n = 10.
fn counts(source: &str) -> (f64, f64) {
    let mut sources = rise_opt::source::SourceMap::new();
    let file = sources.add_text("count.rise", source);
    let program = rise_opt::elab::program(&mut sources, file, None).expect("a program");
    let sizes = BTreeMap::from([(Symbol::new("n"), 10)]);
    let both = (flops(&program, &sizes), work(&in_place(&program), &sizes));
    (both.0.expect("sizes"), both.1.expect("sizes"))
}

#[test]
fn what_does_not_depend_on_a_loop_counts_once() {
    let source = "def f [n : nat] (xs : n.f32) : n.f32 =
        (\\m -> xs |> map (\\x -> x - m)) (xs |> reduce (+) 0.0)";
    assert_eq!(counts(source), (20.0, 110.0));
}

#[test]
fn what_is_used_twice_counts_once() {
    let source = "def f [n : nat] (xs : n.f32) : n.f32 = xs |> map (\\x -> sqrt x * sqrt x)";
    assert_eq!(counts(source), (20.0, 30.0));
}

/// Comparisons and truth values are no arithmetic; a loop over them takes time.
#[test]
fn iterations_without_arithmetic_take_time() {
    let all =
        "def f [n : nat] (x : n.bool) (w : 10.bool) : n.bool = x |> map (\\s -> reduce and s w)";
    assert_eq!(counts(all), (0.0, 100.0));
    let one = "def f [n : nat] (x : n.f32) : n.f32 = x |> map (\\v -> v + 1.0)";
    assert_eq!(counts(one), (10.0, 10.0));
}

#[test]
fn equal_texts_in_different_loops_count_for_each() {
    let source = "def f [n : nat] (xs : n.f32) : n.n.f32 =
        xs |> map (\\x -> xs |> map (\\y -> x * y + y * y))";
    // x * y and the sum for each of both, y * y for each y of each x: no loop is taken out of the other.
    assert_eq!(counts(source), (300.0, 300.0));
}

/// The mean is a number, computed once; the squares are an array: 10 for the largest and 100 for those that are beside each.
#[test]
fn named_arrays_count_where_they_are_read() {
    let named = |stored: &str| {
        format!(
            "def f [n : nat] (xs : n.f32) : n.f32 =
               let mean = reduce (+) 0.0 xs in
               let squares = {stored} (map (\\x -> x * mean) xs) in
               map (\\x -> reduceSeq (\\a y -> select (y < x) a y) 0.0 squares) xs"
        )
    };
    assert_eq!(counts(&named("")), (20.0, 210.0));
    assert_eq!(counts(&named("toMem")), (20.0, 120.0));
}

#[test]
fn behind_the_last_number_of_a_scan_stand_all_before_it() {
    let longest = |source: &str| {
        let mut sources = rise_opt::source::SourceMap::new();
        let file = sources.add_text("scan.rise", source);
        let program = rise_opt::elab::program(&mut sources, file, None).expect("a program");
        scanned(&program, &BTreeMap::from([(Symbol::new("n"), 1000)]))
    };
    let list = "def f [n : nat] (xs : n.f32) : n.f32 =\n  xs |> scanSeq (\\x sum -> sum + x) 0.0\n";
    let rows = "def f [n : nat] (xs : 3.n.f32) : 3.n.f32 =\n  xs |> map (scanSeq (\\x sum -> sum + x) 0.0)\n";
    let none = "def f [n : nat] (xs : n.f32) : n.f32 =\n  xs |> map (\\x -> x + 1.0)\n";
    assert_eq!([list, rows, none].map(longest), [1000.0, 1000.0, 1.0]);
}
