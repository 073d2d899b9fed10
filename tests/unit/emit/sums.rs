//! Sums of whole numbers are kept without a sign, other accumulators are not.

use rise_opt::emit::{self, emit};
use rise_opt::lower::{self, lower};
use rise_opt::source::SourceMap;
use rise_opt::{ctext, elab};

fn text(program: &str) -> String {
    changed(program, |c| c).0
}

/// The C of a program after a change, and whether it still says what the loop program does.
fn changed(program: &str, change: impl Fn(String) -> String) -> (String, bool) {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.rise", program);
    let program = elab::program(&mut sources, file, None).unwrap();
    let nest = lower(&program, &lower::Options::default()).unwrap();
    let options = emit::Options {
        header_name: Some("k.h".to_string()),
        ..emit::Options::default()
    };
    let unit = emit(&nest, &options);
    let says = |c: &str| {
        let header = Some(("k.h", unit.header.as_str()));
        ctext::compare(ctext::Texts { c, header }, &nest) == ctext::Verdict::Same
    };
    assert!(says(&unit.c), "{}", unit.c);
    let c = change(unit.c.clone());
    let same = says(&c);
    (c, same)
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

/// Sums that cannot leave their type are plain ones, however much was added before, also of amounts, quotients and rests; and what is
/// bounded is a call, as compilers see its comparison apart from what it was computed from.
#[test]
fn what_stays_inside_is_added_with_its_sign() {
    let of = |elem: &str, body: &str| {
        let c = text(&format!(
            "def k [n : nat] (x : n.6.{elem}) : n.u8 = x |> map (\\w ->
               {body})\n"
        ));
        let c = c[c.find("\nint k(").expect("a function")..].to_string();
        (c.contains("(uint32_t)"), c.contains("min_i32(x"), c)
    };
    let sum = "(cast (at[0] w) : i32) + 2 * (cast (at[1] w) : i32) + (cast (at[2] w) : i32) - (cast (at[3] w) : i32) - 2 * (cast (at[4] w) : i32) - (cast (at[5] w) : i32)";
    let amounts = format!("let a = abs ({sum}) in let m = (a + a % 7 + bitand a 15 + shr a 2) / 4 in (cast (min m 255) : u8)");
    let (wraps, bounded, c) = of("u8", &amounts);
    assert!(!wraps && bounded, "{c}");
    let (wraps, _, c) = of("i32", &amounts);
    assert!(wraps, "{c}");
}

/// What loops of known lengths count has its sign: no step takes it out of the type. What others count has none, and a text in which it
/// had would be another one.
#[test]
fn what_short_loops_count_has_its_sign() {
    let of = |n: &str, each: &str| {
        format!(
            "def k [n : nat] (x : n.{n}.i32) : n.i32 =
               x |> map (\\w -> w |> map (\\v -> {each}) |> reduceSeq (+) 3)\n"
        )
    };
    let count = "select (v == 7) 1 (-1)";
    let c = text(&of("8", count));
    assert!(
        c.contains("int32_t acc0 = 3;") && !c.contains("(uint32_t)"),
        "{c}"
    );
    let with_sign = |c: String| {
        c.replace("uint32_t acc0", "int32_t acc0")
            .replace("acc0 + (uint32_t)", "acc0 + ")
            .replace("(int32_t)acc0", "acc0")
    };
    for (n, each) in [
        ("n", count),
        ("3", "v"),
        ("8", "v / 2"),
        ("2147483647", count),
    ] {
        let (c, same) = changed(&of(n, each), with_sign);
        assert!(c.contains("    int32_t acc0 = 3;"), "{c}");
        assert!(!same, "{c}");
    }
}

/// What is shifted by a number of bits that it has is written so: compilers narrow it, and its text is read.
#[test]
fn shifts_by_numbers_are_no_calls() {
    let program = "def k [n : nat] (b : n.u8) (c : n.i16) (d : n.i32) : (n.u8, (n.i16, n.i32)) =\n  (b |> map (\\v -> shr (shl v 3) 2), (c |> map (\\v -> shr (shl v 3) 2), d |> map (\\v -> shr (shl v 31) 30)))\n";
    for (from, to) in [("<< 3", "<< 4"), (">> 2", ">> 3"), (">> 30", ">> 29")] {
        let (c, same) = changed(program, |c| c.replacen(from, to, 1));
        assert!(!c.contains("shl_") && !c.contains("shr_"), "{c}");
        assert!(c.contains(to) && !same, "{from}: {c}");
    }
    let beyond = program.replace("31", "32").replace("30", "40");
    let (c, _) = changed(&beyond, |c| c.to_string());
    assert!(c.contains("shl_i32(") && c.contains("shr_i32("), "{c}");
}

/// Truth values of arrays are read as bytes, of which compilers make vectors; nothing else is read so.
#[test]
fn truth_values_are_bytes() {
    let program = "def k [n : nat] (b : n.bool) (t : bool) : i32 = b |> map (\\v -> if v && t then (1 : i32) else 0) |> reduceSeq (+) 0\n";
    let (c, same) = changed(program, |c| c.replacen("TRUTH(b[", "!TRUTH(b[", 1));
    assert!(c.contains("TRUTH(b["), "{c}");
    assert!(!c.contains("TRUTH(t"), "{c}");
    assert!(!same, "{c}");
}
