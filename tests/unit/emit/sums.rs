//! Sums of whole numbers are kept without a sign, other accumulators are not.

use rise_opt::emit::{self, emit};
use rise_opt::lower::{self, lower};
use rise_opt::source::SourceMap;
use rise_opt::{ctext, elab};

fn text(program: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.rise", program);
    let program = elab::program(&mut sources, file, None).unwrap();
    let nest = lower(&program, &lower::Options::default()).unwrap();
    let options = emit::Options {
        header_name: Some("k.h".to_string()),
        ..emit::Options::default()
    };
    let unit = emit(&nest, &options);
    let texts = ctext::Texts {
        c: &unit.c,
        header: Some(("k.h", &unit.header)),
    };
    assert_eq!(
        ctext::compare(texts, &nest),
        ctext::Verdict::Same,
        "{}",
        unit.c
    );
    unit.c
}

#[test]
fn sums_wrap_without_a_sign() {
    let c = text("def k [n : nat] (a : n.i16) (b : n.i16) : i32 =\n  zip a b |> map (\\p -> (cast (fst p) : i32) * (cast (snd p) : i32)) |> reduceSeq (+) 5\n");
    assert!(c.contains("uint32_t acc0 = 5;"), "{c}");
    assert!(
        c.contains("acc0 = acc0 + (uint32_t)(((int32_t)x0) * ((int32_t)x1));"),
        "{c}"
    );
    assert!(c.contains("= (int32_t)acc0;"), "{c}");
}

#[test]
fn amounts_are_known_as_such() {
    let c = text("def k [n : nat] (a : n.i32) : n.i32 = a |> map abs\n");
    assert!(
        c.contains("return a == INT32_MIN ? a : abs(a);") && c.contains("#include <stdlib.h>"),
        "{c}"
    );
}

#[test]
fn what_is_compared_shared_or_wide_keeps_its_sign() {
    for program in [
        "def k [n : nat] (e : n.i32) : i32 = e |> reduceSeq (\\acc -> \\x -> max acc x) 0\n",
        "def k [n : nat] (e : n.i64) : i64 = e |> reduceSeq (+) 0\n",
        "def k [n : nat] (e : n.i32) : i32 = e |> reduceSeq (\\acc -> \\x -> select (x < 0) 0 (acc + x)) 0\n",
        "def k [n : nat] (e : n.i32) : n.i32 =\n  let total = e |> reduceSeq (+) 0 in e |> mapPar (\\x -> x + total)\n",
    ] {
        let c = text(program);
        assert!(!c.contains("uint32_t acc0"), "{c}");
    }
}
