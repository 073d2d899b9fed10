mod accumulate;

use rise_opt::algebra::*;

use rise_opt::interp::random::{self, Numbers, Rng};
use rise_opt::interp::{apply, compare, eval, Limits, Sizes, Value};
use rise_opt::term::{call, Lit, Op, Term};
use rise_opt::ty::{Scalar, Ty};

const SAMPLES: usize = 400;

fn value(t: &Term) -> Value {
    eval(t, &Sizes::new(), &[]).expect("closed")
}

fn app(op: &Value, x: &Value, y: &Value) -> Value {
    apply(op, &[x.clone(), y.clone()], Limits::default()).expect("total")
}

/// Whether the law holds for all random values of the type.
fn holds(s: Scalar, numbers: Numbers, law: impl Fn(&[Value; 3]) -> bool) -> bool {
    let mut rng = Rng::new(0xa16);
    let mut draw = || random::value_of(&mut rng, s.into(), &Sizes::new(), numbers).expect("data");
    (0..SAMPLES).all(|_| law(&[draw(), draw(), draw()]))
}

/// Every line of the table, both ways: what it claims holds for all samples, and
/// what it does not claim of the same operations is refuted by one.
#[test]
fn the_table_says_what_random_values_say() {
    let mut claims = 0;
    for s in Scalar::ALL {
        for floats in [Floats::Strict, Floats::Reassociate] {
            let numbers = match floats {
                Floats::Reassociate if s.is_float() => Numbers::Whole,
                _ => Numbers::Any,
            };
            for (term, facts) in operators(s, floats) {
                let op = value(&term);
                for law in &LAWS {
                    let Form::Property(p) = law.form else {
                        continue;
                    };
                    let says = facts.properties.has(p);
                    let found = holds(s, numbers, |[x, y, z]| {
                        let [a, b] = p.sides(|x, y| app(&op, x, y), [x, y, z]);
                        compare::same(&a, &b)
                    });
                    assert_eq!(found, says, "{term} {s:?} {floats:?} is {}", law.name);
                    claims += usize::from(says);
                }
                for (e, left) in facts
                    .left
                    .iter()
                    .map(|e| (e, true))
                    .chain(facts.right.iter().map(|e| (e, false)))
                {
                    let e = value(&Term::lit(*e, s.into()));
                    let neutral = holds(s, numbers, |[x, _, _]| {
                        let r = if left {
                            app(&op, &e, x)
                        } else {
                            app(&op, x, &e)
                        };
                        // The permission to reassociate ignores the sign of zero.
                        compare::compare(&r, x).is_some_and(|d| {
                            d.same || floats == Floats::Reassociate && d.relative == 0.0
                        })
                    });
                    assert!(neutral, "{term} {s:?} {floats:?} identity, left: {left}");
                    claims += 1;
                }
            }
        }
    }
    assert!(claims > 150, "{claims}");
}

fn claim(law: &str, operands: &[&Term]) -> Claim<Term> {
    Claim {
        law: Law::named(law).expect("a law"),
        operands: operands.iter().map(|t| (*t).clone()).collect(),
    }
}

/// A law regroups if no operator on floats obeys it to the bit, and some does by the permission.
#[test]
fn what_regroups_is_what_floats_never_obey_to_the_bit() {
    for law in &LAWS {
        let mut strict = 0;
        let mut permitted = 0;
        for s in [Scalar::F32, Scalar::F64] {
            for (op, facts) in operators(s, Floats::Reassociate) {
                let elements = facts.left.iter().map(|e| Term::lit(*e, s.into()));
                for e in elements.chain([op.clone()]) {
                    let operands: &[&Term] = match law.form {
                        Form::Property(_) => &[&op],
                        Form::Identity => &[&e, &op],
                        Form::Accumulates | Form::Equal => &[&op, &op],
                    };
                    strict += usize::from(claim(law.name, operands).holds(false));
                    permitted += usize::from(claim(law.name, operands).holds(true));
                }
            }
        }
        assert!(permitted > 0, "{}", law.name);
        assert_eq!(law.regroups, strict == 0, "{}", law.name);
    }
}

fn var(i: u32, t: Ty) -> Term {
    Term::var(i, t)
}

fn lam2(t: Ty, body: Term) -> Term {
    Term::lam(None, t, Term::lam(None, t, body))
}

fn op(o: Op, args: impl AsRef<[Term]>) -> Term {
    call(o, [], args).expect("typed")
}

#[test]
fn operators_are_equal_however_they_are_spelled() {
    let i: Ty = Scalar::I32.into();
    let (x, y) = (var(1, i), var(0, i));
    let less = op(Op::Lt, &[x.clone(), y.clone()]);
    let chosen = lam2(i, op(Op::Select, &[less, y.clone(), x.clone()]));
    let largest = lam2(i, op(Op::Max, &[x.clone(), y.clone()]));
    let least = lam2(i, op(Op::Min, &[x, y]));
    assert!(claim("equal", &[&chosen, &largest]).holds(false));
    assert!(!claim("equal", &[&chosen, &least]).holds(true));
    let f: Ty = Scalar::F32.into();
    let (x, y) = (var(1, f), var(0, f));
    let sum = op(Op::Add, &[x.clone(), y.clone()]);
    let regrouped = lam2(f, op(Op::Sub, &[op(Op::Add, &[sum.clone(), x.clone()]), x]));
    let sum = lam2(f, sum);
    assert!(!claim("equal", &[&regrouped, &sum]).holds(false));
    assert!(claim("equal", &[&regrouped, &sum]).needs_permission());
}

#[test]
fn lambdas_are_seen_through() {
    let i: Ty = Scalar::I32.into();
    let (x, y) = (var(1, i), var(0, i));
    let plus = lam2(i, op(Op::Add, &[x.clone(), y.clone()]));
    let swapped = lam2(i, op(Op::Sub, &[y.clone(), x.clone()]));
    let zero = Term::lit(Lit::Int(0), i);
    assert!(
        claim("associative", &[&plus]).holds(false) && claim("commutative", &[&plus]).holds(false)
    );
    assert!(claim("identity", &[&zero, &plus]).holds(false));
    let swapped = recognise(&swapped).expect("known");
    assert!(swapped.has_left_identity(&zero, Floats::Strict));
    assert!(!swapped.has_right_identity(&zero, Floats::Strict));
    assert!(!swapped.has(Property::Associative, Floats::Strict));
    // x + (x + y) is no operation of the table.
    let more = lam2(i, op(Op::Add, &[x.clone(), op(Op::Add, &[x, y])]));
    assert!(recognise(&more).is_none());
}

#[test]
fn pairs_and_arrays_are_combined_by_part() {
    let f: Ty = Scalar::F32.into();
    let p = Ty::pair(f, f);
    let (x, y) = (var(1, p), var(0, p));
    let both = lam2(
        p,
        op(
            Op::Pair,
            &[
                op(
                    Op::Add,
                    &[op(Op::Fst, [x.clone()]), op(Op::Fst, [y.clone()])],
                ),
                op(
                    Op::Max,
                    &[op(Op::Snd, [y.clone()]), op(Op::Snd, [x.clone()])],
                ),
            ],
        ),
    );
    let o = recognise(&both).expect("known");
    assert!(
        o.has(Property::Associative, Floats::Reassociate)
            && !o.has(Property::Associative, Floats::Strict)
    );
    let e = o.identity(Floats::Reassociate).expect("one");
    assert_eq!(e.to_string(), "pair 0.0 -infinity");
    assert!(o.has_identity(&e, Floats::Reassociate));
    assert!(!o.has_identity(&e, Floats::Strict));
    // The components must not be exchanged.
    let mixed = lam2(
        p,
        op(
            Op::Pair,
            &[
                op(
                    Op::Add,
                    &[op(Op::Fst, [x.clone()]), op(Op::Snd, [y.clone()])],
                ),
                op(Op::Add, &[op(Op::Snd, &[x]), op(Op::Snd, &[y])]),
            ],
        ),
    );
    assert!(recognise(&mixed).is_none());

    let v = Ty::array(4.into(), Ty::vec(8.into(), f));
    let z = var(0, Ty::pair(Ty::vec(8.into(), f), Ty::vec(8.into(), f)));
    let add = op(
        Op::Add,
        &[op(Op::Snd, [z.clone()]), op(Op::Fst, [z.clone()])],
    );
    let each = Term::lam(None, z.ty(), add);
    let whole = lam2(
        v,
        op(Op::Map, &[each, op(Op::Zip, &[var(1, v), var(0, v)])]),
    );
    let o = recognise(&whole).expect("known");
    assert!(
        o.has(Property::Associative, Floats::Reassociate)
            && o.has(Property::Commutative, Floats::Strict)
    );
    let e = o.identity(Floats::Reassociate).expect("one");
    assert_eq!(e.to_string(), "fill[4] (vectorFromScalar 0.0)");
    assert_eq!(e.ty(), v);
    assert!(claim("identity", &[&e, &whole]).holds(true));
}
