//! What is wrong is refuted: with sizes, and the element that differs there.

use super::changes::{each_site, CHANGES};
use super::{lowered, PROGRAMS};
use crate::common;
use rise_opt::lower::Options;
use rise_opt::nest::{walk, Stmt};
use rise_opt::validate::{validate, Verdict};
use std::collections::BTreeMap;

/// What is not validated is refuted where it differs at small sizes, with the sizes and the element.
#[test]
fn what_differs_at_small_sizes_is_refuted() {
    let program = common::program_text(PROGRAMS[2]);
    let nest = lowered(&program, &Options::default());
    assert!(matches!(
        validate(&nest, &program, &BTreeMap::new()).verdict,
        Verdict::Validated
    ));
    let mut seen = 0;
    for (kind, change) in CHANGES.iter().filter(|c| c.0.starts_with("read")) {
        for changed in each_site(&nest, 9, change) {
            match validate(&changed, &program, &BTreeMap::new()).verdict {
                Verdict::Refuted(d) => {
                    assert!(
                        d.sizes.contains("m = ") && d.sizes.contains("n = "),
                        "{d:?}"
                    );
                    seen += 1;
                }
                verdict => panic!("{kind}: {verdict:?}\n{changed}"),
            }
        }
    }
    assert!(seen >= 8, "{seen}");
}

/// The side of a choice that is for large sizes is looked at, too.
#[test]
fn what_differs_at_large_sizes_alone_is_refuted() {
    let program = common::program_text(
        "def f [m n : nat] (x : m.n.f32) : m.n.f32 =
           select (size[m] <= size[63]) (x |> mapSeq (mapSeq (\\v -> v + 1.0))) (x |> mapSeq (mapSeq (\\v -> 2.0 * v)))",
    );
    let nest = lowered(&program, &Options::default());
    let mut changed = nest.clone();
    let mut sides = 0;
    walk::replace(&mut changed.body, &mut |s| match s {
        Stmt::If { cond, then, els } if !els.is_empty() => {
            sides += 1;
            let (cond, then, els) = (cond.clone(), then.clone(), Vec::new());
            Some(vec![Stmt::If { cond, then, els }])
        }
        _ => None,
    });
    assert_eq!(sides, 1, "{nest}");
    match validate(&changed, &program, &BTreeMap::new()).verdict {
        Verdict::Refuted(d) => assert!(d.sizes.contains("m = 64"), "{d:?}"),
        verdict => panic!("{verdict:?}\n{changed}"),
    }
}
