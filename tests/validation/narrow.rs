//! Indices that are computed in 32 bits, and the function that is called where sizes are too large for that.

use super::*;

/// Written in numbers of each type: stencils with borders, neighbours around the end, places in rows, partly wider.
const INDEXED: &[&str] = &[
    "def f [n : nat] (xs : n.f32) : n.f32 = generate[n] (\\i -> let k = (cast i : T) in \
     idx (cast (k + 1) : idx[n + 2]) (padClamp[1, 1] xs) - idx (cast (k + 2) : idx[n + 2]) (padClamp[1, 1] xs))",
    "def f [h w : nat] (xs : h.w.u8) : h.w.u8 = generate[h] (\\i -> generate[w] (\\j -> \
     let a = (cast i : T) in let b = (cast j : T) in let hh = (cast h : T) in \
     idx (cast ((b + (cast 1i64 : T)) % (cast w : T)) : idx[w]) (idx (cast ((a + hh - (cast 1i64 : T)) % hh) : idx[h]) xs)))",
    "def f [n : nat] (xs : n.u8) : n.u8 = generate[n] (\\i -> let nn = (cast n : T) in \
     idx (cast (((cast i : T) + nn - (cast 1i64 : T)) % nn) : idx[n]) xs + idx (cast (cast i : T) : idx[n]) xs)",
    "def f [h w : nat] (xs : (h * w).f32) : h.w.f32 = generate[h] (\\i -> generate[w] (\\j -> \
     idx (cast ((cast i : T) * (cast w : T) + (cast j : T)) : idx[h * w]) xs))",
    "def f [n : nat] (xs : (n + 8).f32) : n.f32 = generate[n] (\\i -> reduceSeq (\\a x -> a + x) 0.0 (generate[9] (\\j -> \
     let k = (cast ((cast i : T) + (cast j : T)) : i64) in idx (cast k : idx[n + 8]) xs)))",
    // No more than an array has elements, since another extent of it is not 0.
    "def f [h w : nat] (xs : h.(8*w + 16).u8) : h.w.16.u8 = xs |> map (\\r -> generate[w] (\\b -> generate[16] (\\d -> \
     idx (cast ((cast b : T) * (cast 8i64 : T) + (cast d : T)) : idx[8*w + 16]) r)))",
];

fn in_type(text: &str, ty: &str) -> (Program, Nest) {
    let program = common::program_text(&text.replace(": T)", &format!(": {ty})")));
    let nest = lowered(&program, &Options::default());
    (program, nest)
}

fn statements(nest: &Nest) -> String {
    format!("{:#?}", nest.body)
}

#[test]
fn narrow_indices_are_those_of_64_bits() {
    for text in INDEXED {
        let (_, wide) = in_type(text, "i64");
        assert!(wide.fallback.is_none() && wide.abi.preferred.is_empty());
        for ty in ["i32", "u32"] {
            let (program, nest) = in_type(text, ty);
            assert_eq!(statements(&nest), statements(&wide), "{program}");
            let other = nest.fallback.as_ref().expect("another function");
            assert_ne!(statements(other), statements(&nest), "{program}");
            let told = validate(&nest, &program, &BTreeMap::new());
            assert!(
                matches!(told.verdict, Verdict::Validated),
                "{program}: {:?}",
                told.tally.open
            );
        }
    }
}

/// Beyond what is asked, it is another number.
#[test]
fn what_is_narrow_is_asked_of_sizes() {
    for text in INDEXED {
        for ty in ["i32", "u32"] {
            let (program, nest) = in_type(text, ty);
            for i in 0..nest.abi.preferred.len() {
                let mut less = nest.clone();
                less.abi.preferred.remove(i);
                let told = validate(&less, &program, &BTreeMap::new());
                assert!(
                    !matches!(told.verdict, Verdict::Validated),
                    "{program}: without {i}"
                );
            }
        }
    }
}

/// It is judged as well, and computes the same.
#[test]
fn the_other_function_is_judged() {
    for text in INDEXED {
        let (program, nest) = in_type(text, "i32");
        let other = nest.fallback.as_ref().expect("another function");
        let sizes: Sizes = program.sizes.iter().map(|s| (*s, 5)).collect();
        let mut rng = Rng::new(7);
        let args: Vec<Value> = (program.params.iter())
            .map(|p| random::value_of(&mut rng, p.1, &sizes, Numbers::Unit).expect("data"))
            .collect();
        let inputs: Vec<Vec<Num>> = args.iter().flat_map(|v| v.leaves()).collect();
        let found = eval(other, &sizes, &inputs).expect("results");
        let expected = eval_program(&program, &sizes, &args)
            .expect("a value")
            .leaves();
        assert!(
            found[0].iter().zip(&expected[0]).all(|(a, b)| a.same(*b)),
            "{program}"
        );
        let mut wrong = nest.clone();
        let body = &mut wrong.fallback.as_mut().expect("another function").body;
        body.pop();
        let told = validate(&wrong, &program, &BTreeMap::new());
        assert!(!matches!(told.verdict, Verdict::Validated), "{program}");
    }
}

/// What is asked of sizes fits into 64 bits wherever it is asked: at 2^60, too.
#[test]
fn what_is_asked_of_sizes_does_not_wrap() {
    let text = "def f [n : nat] (xs : n.u8) : n.u8 = generate[n] (\\i -> idx (cast (900 * (cast i : i32)) : idx[n]) xs)";
    let (_, nest) = in_type(text, "i32");
    let asked: Vec<String> = nest.abi.preferred.iter().map(|a| a.to_string()).collect();
    // 900 (n - 1) <= 2^31 - 1
    assert_eq!(asked, ["n <= 2386093"]);
    // A product of sizes that no array has.
    let text = "def f [h w : nat] (xs : h.f32) (ys : w.f32) : h.w.w.f32 = generate[h] (\\i -> generate[w] (\\j -> generate[w] (\\k -> \
        idx (cast ((cast i : i32) * (cast h : i32) + (cast j : i32)) : idx[h]) xs)))";
    let (_, nest) = in_type(text, "i32");
    assert!(nest.abi.preferred.is_empty() && nest.fallback.is_none());
}
