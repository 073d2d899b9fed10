mod bounds;

use rise_opt::arith::Nat;
use rise_opt::intern::Symbol;
use rise_opt::interp::random::{self, Numbers, Rng};
use rise_opt::interp::value;
use rise_opt::interp::*;
use rise_opt::term::{call, call_as, Lit, Op, Term};
use rise_opt::ty::{Scalar, Ty};

fn ty(s: Scalar) -> Ty {
    s.into()
}

fn f32s(n: impl Into<Nat>) -> Ty {
    Ty::array(n.into(), ty(Scalar::F32))
}

fn var(i: u32, t: Ty) -> Term {
    Term::var(i, t)
}

fn lam(t: Ty, body: Term) -> Term {
    Term::lam(None, t, body)
}

fn op(o: Op, sizes: &[i64], args: impl AsRef<[Term]>) -> Term {
    let sizes: Vec<Nat> = sizes.iter().map(|&n| n.into()).collect();
    let args = args.as_ref();
    call(o, &sizes, args).unwrap_or_else(|| panic!("{} does not fit {args:?}", o.name()))
}

fn fun(o: Op, t: Ty) -> Term {
    call_as(o, [], &[], t).expect("an operator")
}

fn zero() -> Term {
    Term::lit(Lit::f32(0.0), ty(Scalar::F32))
}

fn ints(xs: impl IntoIterator<Item = i64>) -> Value {
    let xs: Vec<i64> = xs.into_iter().collect();
    let shape = Shape::Leaf(Elem::Scalar(Scalar::I64), vec![xs.len() as u32]);
    let bytes: Vec<u8> = xs.iter().flat_map(|x| x.to_ne_bytes()).collect();
    buffers::from_buffers(&shape, &[bytes]).expect("integers")
}

fn floats(xs: &[f32]) -> Value {
    let shape = Shape::Leaf(Elem::Scalar(Scalar::F32), vec![xs.len() as u32]);
    let bytes: Vec<u8> = xs.iter().flat_map(|x| x.to_ne_bytes()).collect();
    buffers::from_buffers(&shape, &[bytes]).expect("floats")
}

/// `0 … n-1` of i64.
fn count(n: i64) -> Value {
    ints(0..n)
}

/// What `f` makes of an array of i64 of size `n`.
fn of_count(n: i64, f: impl FnOnce(Term) -> Term) -> String {
    let t = Ty::array(n.into(), ty(Scalar::I64));
    let term = lam(t, f(var(0, t)));
    match eval(&term, &Sizes::new(), &[count(n)]) {
        Ok(v) => format!("{v:?}"),
        Err(e) => format!("error: {e}"),
    }
}

fn mm(m: Nat, n: Nat, k: Nat) -> Term {
    let f = ty(Scalar::F32);
    let (row, matrix_a, matrix_b) = (f32s(k), Ty::array(m, f32s(k)), Ty::array(k, f32s(n)));
    let p = Ty::pair(f, f);
    let product = lam(
        p,
        op(
            Op::Mul,
            &[],
            &[
                op(Op::Fst, &[], &[var(0, p)]),
                op(Op::Snd, &[], &[var(0, p)]),
            ],
        ),
    );
    let dot = op(
        Op::Reduce,
        &[],
        &[
            fun(Op::Add, Ty::funs([f, f], f)),
            zero(),
            op(
                Op::Map,
                &[],
                &[product, op(Op::Zip, &[], &[var(1, row), var(0, row)])],
            ),
        ],
    );
    let columns = op(Op::Transpose, &[], &[var(1, matrix_b)]);
    let body = lam(row, op(Op::Map, &[], &[lam(row, dot), columns]));
    lam(
        matrix_a,
        lam(matrix_b, op(Op::Map, &[], &[body, var(1, matrix_a)])),
    )
}

#[test]
fn matrix_multiplication_with_named_sizes() {
    let size = |s: &str| Nat::var(s.into());
    let term = mm(size("m"), size("n"), size("k"));
    let (m, n, k) = (5usize, 4usize, 7usize);
    let sizes: Sizes = [("m", 5), ("n", 4), ("k", 7)]
        .map(|(s, n)| (Symbol::new(s), n))
        .into();
    let (ta, rest) = term.ty().as_fun().expect("two arguments");
    let (tb, result) = rest.as_fun().expect("two arguments");
    let mut rng = Rng::new(1);
    let a = random::value_of(&mut rng, ta, &sizes, Numbers::Unit).unwrap();
    let b = random::value_of(&mut rng, tb, &sizes, Numbers::Unit).unwrap();
    let c = eval(&term, &sizes, &[a.clone(), b.clone()]).unwrap();
    assert!(c.fits(&Shape::of(result, &sizes).unwrap()));
    let flat = |v: &Value| {
        let mut out = Vec::new();
        v.each_num(&mut |n| match n {
            Num::F32(x) => out.push(x),
            _ => panic!("f32 throughout"),
        });
        out
    };
    let (a, b, c) = (flat(&a), flat(&b), flat(&c));
    for i in 0..m {
        for j in 0..n {
            let mut sum = 0.0f32;
            for l in 0..k {
                sum += a[i * k + l] * b[l * n + j];
            }
            assert_eq!(sum.to_bits(), c[i * n + j].to_bits());
        }
    }
}

#[test]
fn a_matrix_product_of_64_is_quick_enough_to_be_used_in_tests() {
    let term = mm(64.into(), 64.into(), 64.into());
    let sizes = Sizes::new();
    let square = Ty::array(64.into(), f32s(64));
    let mut rng = Rng::new(2);
    let args: Vec<Value> = (0..2)
        .map(|_| random::value_of(&mut rng, square, &sizes, Numbers::Whole).unwrap())
        .collect();
    let limits = Limits {
        steps: 4_000_000,
        ..Limits::default()
    };
    assert!(eval_with(&term, &sizes, &[], &args, limits).is_ok());
    let limits = Limits {
        steps: 100_000,
        ..limits
    };
    let refused = eval_with(&term, &sizes, &[], &args, limits);
    assert_eq!(refused.err(), Some(InterpError::Steps));
}

#[test]
fn rearrangements() {
    let split2 = |x| op(Op::Split, &[2], &[x]);
    assert_eq!(of_count(6, split2), "[[0, 1], [2, 3], [4, 5]]");
    let t = |x| op(Op::Transpose, &[], &[split2(x)]);
    assert_eq!(of_count(6, t), "[[0, 2, 4], [1, 3, 5]]");
    assert_eq!(
        of_count(6, |x| op(Op::Join, &[], &[t(x)])),
        "[0, 2, 4, 1, 3, 5]"
    );
    assert_eq!(
        of_count(6, |x| op(Op::Join, &[], &[split2(x)])),
        "[0, 1, 2, 3, 4, 5]"
    );
    let slide = |x| op(Op::Slide, &[3, 2], &[x]);
    assert_eq!(of_count(7, slide), "[[0, 1, 2], [2, 3, 4], [4, 5, 6]]");
    assert_eq!(of_count(5, |x| op(Op::Take, &[2], &[x])), "[0, 1]");
    assert_eq!(of_count(5, |x| op(Op::Drop, &[2], &[x])), "[2, 3, 4]");
    assert_eq!(of_count(3, |x| op(Op::Reverse, &[], &[x])), "[2, 1, 0]");
    let drop_reversed = |x| op(Op::Drop, &[1], &[op(Op::Reverse, &[], &[x])]);
    assert_eq!(of_count(3, drop_reversed), "[1, 0]");
    assert_eq!(
        of_count(3, |x| op(Op::PadClamp, &[2, 1], &[x])),
        "[0, 0, 0, 1, 2, 2]"
    );
    let nine = Term::lit(Lit::Int(9), ty(Scalar::I64));
    assert_eq!(
        of_count(2, |x| op(Op::PadCst, &[1, 2], &[nine.clone(), x])),
        "[9, 0, 1, 9, 9]"
    );
    assert_eq!(
        of_count(2, |x| op(Op::Concat, &[], &[x.clone(), x])),
        "[0, 1, 0, 1]"
    );
    assert_eq!(
        of_count(2, |x| op(Op::Zip, &[], &[x.clone(), x])),
        "([0, 1], [0, 1])"
    );
    let unzip = |x: Term| op(Op::Unzip, &[], &[op(Op::Zip, &[], &[x.clone(), x])]);
    assert_eq!(of_count(2, unzip), "([0, 1], [0, 1])");
    assert_eq!(
        of_count(4, |x| op(Op::AsVector, &[2], &[x])),
        "[[0, 1], [2, 3]]"
    );
    let back = |x| op(Op::AsScalar, &[], &[op(Op::AsVector, &[2], &[x])]);
    assert_eq!(of_count(4, back), "[0, 1, 2, 3]");
    assert_eq!(of_count(4, |x| op(Op::At, &[3], &[x])), "3");
    let out = |x| op(Op::At, &[4], &[x]);
    assert_eq!(
        of_count(4, out),
        "error: there is no element 4 in an array of 4"
    );
    assert_eq!(
        of_count(2, |x| op(Op::Fill, &[2], &[x])),
        "[[0, 1], [0, 1]]"
    );
    let joined_fill = |x| op(Op::Join, &[], &[op(Op::Fill, &[2], &[x])]);
    assert_eq!(of_count(2, joined_fill), "[0, 1, 0, 1]");
    let made = |x: Term| {
        op(
            Op::MakeArray,
            &[2],
            &[x.clone(), op(Op::Reverse, &[], &[x])],
        )
    };
    assert_eq!(of_count(2, made), "[[0, 1], [1, 0]]");
}

#[test]
fn folds_and_windows() {
    let i = ty(Scalar::I64);
    let ii = Ty::funs([i, i], i);
    let one = Term::lit(Lit::Int(100), i);
    let sub = fun(Op::Sub, ii);
    let reduce = |x| op(Op::Reduce, &[], &[sub.clone(), one.clone(), x]);
    assert_eq!(of_count(4, reduce), "94");
    // The element comes first: r(i) = x(i) - r(i-1).
    let scan = |x| op(Op::ScanSeq, &[], &[sub.clone(), one.clone(), x]);
    assert_eq!(of_count(4, scan), "[-100, 101, -99, 102]");
    let neg = fun(Op::Neg, Ty::fun(i, i));
    let rotate = |x| op(Op::RotateValues, &[2], &[neg.clone(), x]);
    assert_eq!(of_count(4, rotate), "[[0, -1], [-1, -2], [-2, -3]]");
    let circular = |x| op(Op::CircularBuffer, &[4, 3], &[neg.clone(), x]);
    assert_eq!(of_count(4, circular), "[[0, -1, -2], [-1, -2, -3]]");
    let twice = |x| {
        op(
            Op::Iterate,
            &[3],
            &[
                lam(i, op(Op::Add, &[], &[var(0, i), var(0, i)])),
                op(Op::At, &[1], &[x]),
            ],
        )
    };
    assert_eq!(of_count(2, twice), "8");
    let plus = |x: Term| {
        let bound = op(
            Op::Let,
            &[],
            &[
                x,
                lam(
                    Ty::array(2.into(), i),
                    op(Op::At, &[1], &[var(0, Ty::array(2.into(), i))]),
                ),
            ],
        );
        op(Op::ToMem, &[], &[bound])
    };
    assert_eq!(of_count(2, plus), "1");
}

#[test]
fn indices() {
    let i = Ty::idx(4.into());
    let id = lam(i, var(0, i));
    let xs4 = |x: Term| {
        let is = op(Op::Generate, &[], [id.clone()]);
        op(Op::Gather, &[], &[op(Op::Reverse, &[], &[is]), x])
    };
    assert_eq!(of_count(4, xs4), "[3, 2, 1, 0]");
    let scatter = |x: Term| {
        let two = Term::lit(Lit::Int(2), i);
        let is = call_as(Op::Fill, [4.into()], &[two], Ty::array(4.into(), i)).unwrap();
        op(Op::Scatter, &[], &[is, x])
    };
    assert_eq!(of_count(4, scatter), "[0, 0, 3, 0]");
    let reorder = |x: Term| {
        let last = Term::lit(Lit::Int(3), i);
        let f = lam(i, last);
        op(Op::Reorder, &[], &[f, id.clone(), x])
    };
    assert_eq!(of_count(4, reorder), "[3, 3, 3, 3]");
    let idx = |x: Term| op(Op::Idx, &[], &[Term::lit(Lit::Int(1), i), x]);
    assert_eq!(of_count(4, idx), "1");
}

#[test]
fn arrays_of_pairs_and_vectors_of_pairs() {
    let f = |x: Term| {
        let swapped = op(Op::Zip, &[], &[op(Op::Reverse, &[], [x.clone()]), x]);
        op(Op::AsVector, &[2], &[swapped])
    };
    assert_eq!(of_count(4, f), "([[3, 2], [1, 0]], [[0, 1], [2, 3]])");
    let sum = |x: Term| {
        let v = f(x);
        let (_, t) = v.ty().as_array().expect("an array");
        let body = op(
            Op::Add,
            &[],
            &[
                op(Op::Fst, &[], &[var(0, t)]),
                op(Op::Snd, &[], &[var(0, t)]),
            ],
        );
        op(Op::AsScalar, &[], &[op(Op::Map, &[], &[lam(t, body), v])])
    };
    assert_eq!(of_count(4, sum), "[3, 3, 3, 3]");
    let wide = |x: Term| {
        let t = Ty::vec(3.into(), ty(Scalar::I64));
        call_as(Op::VectorFromScalar, [], &[op(Op::At, &[1], &[x])], t).unwrap()
    };
    assert_eq!(of_count(2, wide), "[1, 1, 1]");
    let map_fst = |x: Term| {
        let i = ty(Scalar::I64);
        let p = op(Op::Pair, &[], &[op(Op::At, &[1], [x.clone()]), x]);
        op(Op::MapFst, &[], &[fun(Op::Neg, Ty::fun(i, i)), p])
    };
    assert_eq!(of_count(2, map_fst), "(-1, [0, 1])");
}

#[test]
fn arithmetic_is_total() {
    let at = |o: Op, s: Scalar, a: i128, b: i128| {
        let lit = |x| Term::lit(Lit::Int(x), ty(s));
        format!(
            "{:?}",
            eval(&op(o, &[], &[lit(a), lit(b)]), &Sizes::new(), &[]).unwrap()
        )
    };
    use Scalar::*;
    assert_eq!(at(Op::Add, I32, i32::MAX.into(), 1), i32::MIN.to_string());
    assert_eq!(at(Op::Sub, U8, 1, 2), "255");
    assert_eq!(at(Op::Mul, U64, u64::MAX.into(), 2), "-2");
    assert_eq!(at(Op::Mul, I16, 300, 300), "24464");
    assert_eq!(at(Op::Div, I32, -7, 2), "-3");
    assert_eq!(at(Op::Mod, I32, -7, 2), "-1");
    assert_eq!(at(Op::Div, I32, 7, 0), "0");
    assert_eq!(at(Op::Mod, U64, 7, 0), "0");
    assert_eq!(at(Op::Div, I64, i64::MIN.into(), -1), i64::MIN.to_string());
    assert_eq!(at(Op::Mod, I8, -128, -1), "0");
    assert_eq!(at(Op::Max, U64, u64::MAX.into(), 1), "-1");
    assert_eq!(at(Op::Lt, U64, u64::MAX.into(), 1), "0");
    let float = |o: Op, a: f32, b: f32| {
        let lit = |x| Term::lit(Lit::f32(x), ty(F32));
        eval(&op(o, &[], &[lit(a), lit(b)]), &Sizes::new(), &[]).unwrap()
    };
    let same = |v: Value, x: f32| v.as_num().unwrap().same(Num::F32(x));
    assert!(same(float(Op::Min, f32::NAN, 1.0), 1.0));
    assert!(same(float(Op::Min, 1.0, f32::NAN), f32::NAN));
    assert!(same(float(Op::Max, 0.0, -0.0), -0.0));
    assert!(same(float(Op::Add, 16_777_216.0, 1.0), 16_777_216.0));
    assert!(same(float(Op::Div, 1.0, 0.0), f32::INFINITY));
    assert!(same(float(Op::Mod, -7.5, 2.0), -1.5));
}

#[test]
fn casts_saturate_and_wrap() {
    use rise_opt::interp::scalar::cast;
    use Scalar::*;
    let c = |a: Num, from: Scalar, to: Scalar| cast(Elem::Scalar(from), Elem::Scalar(to), a);
    assert!(c(Num::F32(300.7), F32, U8).same(Num::Int(255)));
    assert!(c(Num::F32(-1.5), F32, I8).same(Num::Int(-1)));
    assert!(c(Num::F32(f32::NAN), F32, I32).same(Num::Int(0)));
    assert!(c(Num::F64(1e300), F64, U64).same(Num::Int(-1)));
    assert!(c(Num::Int(-1), U64, F64).same(Num::F64(18446744073709551615.0)));
    assert!(c(Num::Int(-1), I64, U16).same(Num::Int(65535)));
    assert!(c(Num::Int(200), U8, I8).same(Num::Int(-56)));
    assert!(c(Num::F32(0.5), F32, Bool).same(Num::Int(1)));
    let idx = cast(Elem::Scalar(I32), Elem::Idx(4), Num::Int(-3));
    assert!(idx.same(Num::Int(0)));
}

#[test]
fn empty_arrays_keep_their_shape() {
    let n = Nat::var("n".into());
    let i = ty(Scalar::I64);
    let t = Ty::array(n, i);
    let to_float = call_as(Op::Cast, [], &[var(0, i)], ty(Scalar::F32)).unwrap();
    let pairs = lam(i, op(Op::Pair, &[], &[var(0, i), to_float]));
    let term = lam(t, op(Op::Map, &[], &[pairs, var(0, t)]));
    let sizes: Sizes = [(Symbol::new("n"), 0)].into();
    let v = eval(&term, &sizes, &[count(0)]).unwrap();
    let (_, result) = term.ty().as_fun().unwrap();
    assert!(v.fits(&Shape::of(result, &sizes).unwrap()));
    assert!(v.is_empty());
    let padded = lam(t, op(Op::PadClamp, &[1, 1], &[var(0, t)]));
    assert_eq!(
        format!("{:?}", eval(&padded, &sizes, &[count(0)]).unwrap()),
        "[0, 0]"
    );
}

#[test]
fn what_has_no_value_is_refused() {
    let sizes = Sizes::new();
    let i = ty(Scalar::I64);
    let fails = |t: &Term| eval(t, &sizes, &[]).expect_err("no value");
    assert_eq!(fails(&var(3, i)), InterpError::OpenTerm(3));
    assert_eq!(fails(&Term::hole(1, i)), InterpError::Hole(1));
    let n = Nat::var("n".into());
    let t = Term::lit(Lit::Size(n), i);
    assert_eq!(fails(&t), InterpError::Size("n".into()));
    // 7 is no multiple of 2.
    let xs = Ty::array(n, i);
    let split = lam(xs, call(Op::Split, [2.into()], &[var(0, xs)]).unwrap());
    let seven: Sizes = [(Symbol::new("n"), 7)].into();
    let e = eval(&split, &seven, &[count(7)]).expect_err("not whole");
    assert!(matches!(e, InterpError::Size(_)), "{e}");
    let same = lam(xs, var(0, xs));
    assert!(matches!(
        eval(&same, &seven, &[count(6)]),
        Err(InterpError::Argument(_))
    ));
    let huge = call(
        Op::Fill,
        [(1i64 << 30).into()],
        &[Term::lit(Lit::Int(1), i)],
    )
    .unwrap();
    let copied = op(Op::Map, &[], &[lam(i, var(0, i)), huge]);
    assert_eq!(fails(&copied), InterpError::Memory);
    let deep = (0..5000).fold(Term::lit(Lit::Int(1), i), |t, _| op(Op::Neg, &[], &[t]));
    assert_eq!(fails(&deep), InterpError::Depth);
}

#[test]
fn open_terms_and_functions_as_values() {
    let i = ty(Scalar::I64);
    let sizes = Sizes::new();
    // %0 applied to %1
    let ii = Ty::fun(i, i);
    let t = Term::app(var(0, ii), var(1, i));
    let neg = eval(&fun(Op::Neg, ii), &sizes, &[]).unwrap();
    let v = eval_with(&t, &sizes, &[neg, Value::int(5)], &[], Limits::default()).unwrap();
    assert_eq!(format!("{v:?}"), "-5");
    let sub = eval(&fun(Op::Sub, Ty::funs([i, i], i)), &sizes, &[Value::int(7)]).unwrap();
    let v = apply(&sub, &[Value::int(2)], Limits::default()).unwrap();
    assert_eq!(format!("{v:?}"), "5");
}

#[test]
fn buffers_round_trip_for_every_type() {
    let sizes = Sizes::new();
    let mut rng = Rng::new(3);
    for s in Scalar::ALL {
        let t = Ty::array(
            3.into(),
            Ty::pair(ty(s), Ty::array(2.into(), Ty::idx(5.into()))),
        );
        let shape = Shape::of(t, &sizes).unwrap();
        let v = random::value(&mut rng, &shape, Numbers::Any);
        assert!(v.fits(&shape), "{s:?}");
        let b = buffers::to_buffers(&v, &shape).unwrap();
        assert_eq!(b.len(), 2);
        assert_eq!(b[0].bytes.len() as u64, 3 * s.bytes());
        let bytes: Vec<_> = b.iter().map(|b| &b.bytes).collect();
        let back = buffers::from_buffers(&shape, &bytes).unwrap();
        assert!(compare::same(&v, &back), "{v:?} {back:?}");
    }
}

#[test]
fn differences_are_measured() {
    let d = |a: &[f32], b: &[f32]| compare::compare(&floats(a), &floats(b)).expect("comparable");
    assert!(d(&[1.0, f32::NAN], &[1.0, f32::NAN]).same);
    let far = d(&[1.0, 2.0], &[1.0, 4.0]);
    assert_eq!((far.same, far.relative, far.at), (false, 0.5, Some((0, 1))));
    assert_eq!(d(&[0.0, 100.0], &[1.0, 100.0]).relative_to_largest, 0.01);
    assert_eq!(d(&[f32::NAN], &[1.0]).relative, f64::INFINITY);
    assert!(!d(&[0.0], &[-0.0]).same);
    assert!(compare::compare(&floats(&[1.0]), &floats(&[1.0, 2.0])).is_none());
}

#[test]
fn memory_is_given_back() {
    let before = value::live_bytes();
    drop(count(1000));
    assert_eq!(value::live_bytes(), before);
}

#[test]
fn the_depth_limit_keeps_the_stack_small() {
    // Half of what a thread gets by default.
    let run = || {
        let i = ty(Scalar::I64);
        let depth = Limits::default().depth as usize;
        // map (\x -> map (\x -> … )) costs most stack for each level.
        let xs = |n: usize| (0..n).fold(i, |t, _| Ty::array(1.into(), t));
        let levels = depth - 10;
        let mut f = fun(Op::Neg, Ty::fun(i, i));
        for n in 0..levels {
            let arg = var(0, Ty::array(1.into(), xs(n)));
            f = lam(
                Ty::array(1.into(), xs(n)),
                op(Op::Map, &[], &[f.shift(1), arg]),
            );
        }
        let x = random::value_of(&mut Rng::new(1), xs(levels), &Sizes::new(), Numbers::Whole);
        eval(&f, &Sizes::new(), &[x.unwrap()]).expect("within the limit");
        let deep = (0..10 * depth).fold(Term::lit(Lit::Int(1), i), |t, _| op(Op::Neg, &[], &[t]));
        let e = eval(&deep, &Sizes::new(), &[]).expect_err("too deep");
        assert_eq!(e, InterpError::Depth);
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    thread.spawn(run).unwrap().join().unwrap();
}

/// What a primitive has of its arguments is not looked at where it is never called.
#[test]
fn nothing_is_computed_of_a_function_that_is_not_called() {
    let mut sources = rise_opt::source::SourceMap::new();
    let text = "def f [m n k : nat] (is : k.i32) (xs : m.k.f32) : m.n.f32 =\n  \
                map (scatter (map (\\i -> cast i : idx[n]) is)) xs\n";
    let file = sources.add_text("f", text);
    let program =
        rise_opt::elab::program(&mut sources, file, None).unwrap_or_else(|d| panic!("{d:?}"));
    let at = |m: u32| {
        let sizes = [("m", m), ("n", 0), ("k", 2)];
        let sizes: Sizes = sizes
            .into_iter()
            .map(|(s, n)| (s.into(), n.into()))
            .collect();
        let shape = |s, n: Vec<u32>| Shape::Leaf(Elem::Scalar(s), n);
        let is = buffers::from_buffers(&shape(Scalar::I32, vec![2]), &[vec![0; 8]]).unwrap();
        let xs = shape(Scalar::F32, vec![m, 2]);
        let xs = buffers::from_buffers(&xs, &[vec![0; 8 * m as usize]]).unwrap();
        eval(&program.term, &sizes, &[is, xs]).is_ok()
    };
    assert!(at(0));
    assert!(!at(1));
}
