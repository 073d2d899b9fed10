//! Updates at places that data say.

use super::*;

/// Counts of few places are made in parallel, each thread its own.
#[test]
fn updates_at_few_places_are_parallel() {
    let text = "def counts [n : nat] (x : n.u8) : 256.i32 =
           let ones = x |> map (\\v -> ((cast v : idx[256]), (1 : i32))) in
           scatterReduce (\\c d -> c + d) (fill[256] 0) ones";
    let program = program_text(text);
    let auto = found(&program, EXACT);
    assert_eq!(
        auto.best().expect("a schedule").what,
        "parallel updates at places"
    );
    let kernel = replayed(&program, &auto);
    assert_eq!(loops(&kernel, |k| k == LoopKind::Par), 1);
    // Each block has four tables of 256 places, so that equal bytes do not wait for each other.
    let nest: Nest = lower(&kernel, &Lowering::default()).unwrap();
    let tables = nest.buffers.iter().any(|b| b.len.as_int() == Some(1024));
    assert!(tables, "{kernel}");
    for size in [0, 5, 140_000] {
        assert!(same(&evaluated(&kernel, size), &evaluated(&program, size)));
    }
    // They take elements in turn, which lie side by side, unless these may not change places.
    let composed = "def composed [n : nat] (x : n.u8) : 256.(i32, i32) =
           let maps = x |> map (\\v -> ((cast v : idx[256]), ((3 : i32), (cast v : i32)))) in
           scatterReduce (\\p q -> (fst p * fst q, snd p * fst q + snd q)) (fill[256] (1, 0)) maps";
    for (text, apart) in [(text, 1), (composed, 16384)] {
        let program = program_text(text);
        let auto = found(&program, EXACT);
        assert_eq!(
            auto.best().expect("a schedule").what,
            "parallel updates at places"
        );
        let nest: Nest = lower(&replayed(&program, &auto), &Lowering::default()).unwrap();
        let (mut tables, mut by) = (None, None);
        each_stmt(&nest.body, &mut |s| {
            match s {
                Stmt::For { var, extent, .. } if extent.as_int() == Some(4) => tables = Some(*var),
                _ => {}
            }
            let Some(e) = exprs(s) else { return };
            e.visit(&mut |e| {
                let of = e
                    .own_index()
                    .zip(tables)
                    .and_then(|(n, t)| n.coefficient(t));
                if let (None, Some(step)) = (by, of.and_then(|n| n.as_int()).filter(|n| *n > 0)) {
                    by = Some(step);
                }
            });
        });
        assert_eq!(by, Some(apart), "{nest}");
    }
    // Of floats only where they may be regrouped; of any number of places each block would have too many.
    let floats = text
        .replace("i32", "f32")
        .replace("(1 :", "(1.5 :")
        .replace("[256] 0", "[256] 0.0");
    let what = |text: &str, permits| {
        found(&program_text(text), permits)
            .best()
            .map(|s| s.what.clone())
    };
    assert_eq!(what(&floats, EXACT), None);
    assert_eq!(
        what(&floats, REGROUPED).as_deref(),
        Some("parallel updates at places")
    );
}

/// Counts of what has each of some values are updates, whose blocks are parallel; where a size says how many values there are, of few.
#[test]
fn counts_of_few_values_are_parallel() {
    let of = |sizes: &str, values: &str| {
        program_text(&format!(
            "def counts [{sizes} : nat] (x : n.u8) : {values}.i32 =
               generate[{values}] (\\v ->
                 x |> map (\\e -> select ((cast e : i32) == (cast v : i32)) 1 0) |> reduce (+) 0)"
        ))
    };
    for (sizes, values) in [("n", "256"), ("n b", "b")] {
        let program = of(sizes, values);
        let auto = found(&program, EXACT);
        assert_eq!(
            auto.best().expect("a schedule").what,
            "updates at places, parallel updates at places"
        );
        let kernel = replayed(&program, &auto);
        assert_eq!(loops(&kernel, |k| k == LoopKind::Par), 1);
        let long = if values == "256" { 70_000 } else { 40 };
        for size in [0, 5, long] {
            assert!(same(&evaluated(&kernel, size), &evaluated(&program, size)));
        }
    }
}

/// The same where bytes are compared, where places are numbers before, and where steps count.
#[test]
fn counts_are_updates_however_they_are_spelled() {
    for counts in [
        "generate[256] (\\b -> x |> map (\\v -> select (v == (cast b : u8)) (1 : i32) 0) |> reduce (+) 0)",
        "generate[256] (\\b -> (cast b : u8)) |> map (\\b -> x |> map (\\v -> if b == v then (1 : i32) else 0) |> reduce (+) 0)",
        "generate[256] (\\b -> reduceSeq (\\c v -> if (cast v : i32) == (cast b : i32) then c + 1 else c) 0 x)",
        "generate[256] (\\b -> x |> reduceSeq (\\c v -> c + (if v == (cast b : u8) then 1 else 0)) 0)",
    ] {
        let text = format!("def f [n : nat] (x : n.u8) : 256.i32 = {counts}");
        let program = program_text(&text);
        let auto = found(&program, EXACT);
        let words = &auto.best().expect("a schedule").what;
        assert!(words.ends_with("updates at places, parallel updates at places"), "{text}: {words}");
        let kernel = replayed(&program, &auto);
        for size in [0, 5, 300] {
            assert!(same(&evaluated(&kernel, size), &evaluated(&program, size)));
        }
    }
    // Of more places than a byte has numbers some are counted twice.
    let more = "def f [n : nat] (x : n.u8) : 300.i32 =
      generate[300] (\\b -> x |> map (\\v -> select (v == (cast b : u8)) (1 : i32) 0) |> reduce (+) 0)";
    let auto = found(&program_text(more), EXACT);
    assert!(auto.best().is_none_or(|s| !s.what.contains("updates")));
}
