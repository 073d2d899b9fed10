//! Of `rule::instance::lawful`.

use rise_opt::algebra::Property;
use rise_opt::interp::generate::{Generator, Options};
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{apply, compare, eval, Limits, Sizes, Value};
use rise_opt::rule::instance::lawful::*;
use rise_opt::term::Term;
use rise_opt::ty::{Scalar, Ty};

const ALL: [Property; 3] = [
    Property::Associative,
    Property::Commutative,
    Property::Idempotent,
];

fn value(t: &Term) -> Value {
    eval(t, &Sizes::new(), &[]).expect("closed")
}

/// What is asked for holds for values that instances hold, and what is not asked for is violated by some operator.
#[test]
fn operators_satisfy_what_is_asked_and_no_more() {
    let mut rng = Rng::new(7);
    let int: Ty = Scalar::I32.into();
    let types = [
        int,
        Scalar::F32.into(),
        Scalar::U8.into(),
        Scalar::Bool.into(),
        Ty::pair(int, int),
        Ty::array(2.into(), int),
        Ty::vec(2.into(), int),
    ];
    for bits in 0..16u32 {
        let asked = Asked {
            properties: (0..3)
                .filter(|i| bits & (1 << i) != 0)
                .map(|i| ALL[i])
                .collect(),
            identity: match bits & 8 {
                0 => Identity::None,
                _ => Identity::Any,
            },
        };
        let mut violated = [false; 3];
        for (i, t) in types.iter().cycle().take(700).enumerate() {
            let mut g = Generator::new(&mut rng, Options::default());
            let Some((op, e)) = operator(*t, &asked, &mut g) else {
                continue;
            };
            assert_eq!(e.is_some(), bits & 8 != 0, "{op} of {t}");
            let f = value(&op);
            let op2 = |x: &Value, y: &Value| {
                apply(&f, &[x.clone(), y.clone()], Limits::default()).expect("total")
            };
            for _ in 0..6 {
                let mut draw =
                    || value_of(&mut rng, *t, &Sizes::new(), Numbers::Whole).expect("data");
                let (x, y, z) = (draw(), draw(), draw());
                let laws = ALL.map(|p| {
                    let [a, b] = p.sides(op2, [&x, &y, &z]);
                    compare::same(&a, &b)
                });
                for (law, holds) in laws.into_iter().enumerate() {
                    assert!(holds || bits & (1 << law) == 0, "{i}: law {law} of {op}");
                    violated[law] |= !holds;
                }
                if let Some(e) = &e {
                    let e = value(e);
                    assert!(compare::same(&op2(&e, &x), &x), "{op}");
                    assert!(compare::same(&op2(&x, &e), &x), "{op}");
                }
            }
        }
        for (law, violated) in violated.into_iter().enumerate() {
            // All that are known of these associate.
            if law == 0 && (bits & 6 == 6 || bits & 12 == 12) {
                continue;
            }
            assert!(violated != (bits & (1 << law) != 0), "{bits}: law {law}");
        }
    }
}
