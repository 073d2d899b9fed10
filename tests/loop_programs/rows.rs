//! Loops over the same rows that become one.

use super::*;
use rise_opt::arith::AtomKind;
use rise_opt::nest::walk::each_index;
use rise_opt::validate::{validate, Verdict};

/// How many loops go over m rows after all passes.
fn over_rows(body: &str) -> usize {
    let nest = printed(&format!(
        "def f [m n : nat] (x : m.n.f32) : (n.f32, n.f32) =
           let sums = \\g -> x |> reduceSeq (\\acc row -> zip acc row |> mapSeq (\\p -> fst p + g (snd p))) (fill[n] 0.0) in
           {body}"
    ));
    let rows = Nat::var(Symbol::new("m"));
    let mut found = 0;
    each_stmt(&nest.body, &mut |s| {
        found += usize::from(matches!(s, Stmt::For { extent, .. } if *extent == rows));
    });
    found
}

/// What is summed of columns in two ways goes over the rows once, if neither needs the other.
#[test]
fn sums_of_the_same_rows_are_one_loop() {
    assert_eq!(over_rows("pair (sums (\\v -> v)) (sums (\\v -> v * v))"), 1);
    // Loops over elements stay two where one of them calls a function.
    assert_eq!(over_rows("pair (sums (\\v -> v)) (sums (\\v -> exp v))"), 1);
    let needed = "let first = toMem (sums (\\v -> v)) in
        pair first (x |> reduceSeq (\\acc row -> zip acc (zip row first) |> mapSeq (\\p -> fst p + fst (snd p) * snd (snd p))) (fill[n] 0.0))";
    assert_eq!(over_rows(needed), 2);
}

/// Sums of windows that are stages of their own stand side by side once the stages are one loop, and are one then; the third shares
/// elements with what the first two became.
#[test]
fn sums_of_stages_are_one_loop() {
    let text = "def window [n : nat] (rows : 3.(n+2).f32) : n.3.3.f32 = rows |> map (slide[3, 1]) |> transpose
def f [m n : nat] (x : m.3.(n+2).f32) (y : m.3.(n+2).f32) : m.n.f32 =
           zip x y |> mapSeq (\\(p, q) ->
             let sum = \\u w -> zip (join u) (join w) |> map (\\e -> fst e * snd e) |> reduceSeq (\\s e -> s + e) 0.0 in
             let a = toMem (window p |> mapSeq (\\u -> sum u u)) in
             let b = toMem (window q |> mapSeq (\\w -> sum w w)) in
             let c = toMem (zip (window p) (window q) |> mapSeq (\\(u, w) -> sum u w)) in
             zip a (zip b c) |> mapSeq (\\(s, (t, both)) -> s * t - both * both))";
    assert_eq!(loops_around("loop_fusion-2", text, |_, _| {}), (8, 4));
}

/// How many loops a program has after all passes.
fn loops(text: &str) -> usize {
    let mut found = 0;
    each_stmt(&printed(text).body, &mut |s| {
        found += usize::from(matches!(s, Stmt::For { .. }));
    });
    found
}

/// Two results of the same elements, and two parts of one result that do not overlap, are made by one loop; not if they read elements of
/// different iterations, or if one of them calls a function, as compilers would make no vectors of the other one then.
#[test]
fn what_is_made_of_the_same_elements_is_made_by_one_loop() {
    let two = |second: &str| {
        loops(&format!(
            "def f [n : nat] (x : n.f32) : (n.f32, n.f32) = (x |> map (\\v -> v + 1.0), {second})"
        ))
    };
    assert_eq!(two("x |> map (\\v -> v * v)"), 1);
    assert_eq!(two("x |> reverse |> map (\\v -> v * v)"), 2);
    assert_eq!(two("x |> map (\\v -> exp v)"), 2);
    let neighbours = "def f [n : nat] (x : (2*n).f32) : (2*n).f32 =
        let pairs = split[2] x in
        concat (pairs |> map (\\p -> at[0] p + at[1] p)) (pairs |> map (\\p -> at[0] p - at[1] p))";
    assert_eq!(loops(neighbours), 1);
}

/// What is made of every second element and of those between is made by one loop; halves of rows lie in other lines.
#[test]
fn interleaved_elements_are_read_by_one_loop() {
    let of = |second: &str, then: &str| {
        let nest = printed(&format!(
            "def f [h w : nat] (x : h.(2*w).f32) : 2.h.w.f32 = makeArray[2]
               (x |> mapPar (\\row -> split[2] row |> mapSeq (\\p -> 2.0 * at[0] p)))
               (x |> mapPar (\\row -> {second} |> mapSeq (\\v -> {then})))"
        ));
        let mut loops = 0;
        each_stmt(&nest.body, &mut |s| {
            loops += usize::from(matches!(s, Stmt::For { .. }))
        });
        loops
    };
    let odd = "split[2] row |> map (at[1])";
    assert_eq!(of(odd, "3.0 * v"), 2);
    assert_eq!(of(odd, "exp v"), 4);
    assert_eq!(of("drop[w] row", "3.0 * v"), 4);
}

/// What is done with rows once something of each is known is done with each row at once; rows that are not one's own, and short ones, are
/// gone through anew.
#[test]
fn rows_are_gone_through_once() {
    let of = |second: &str| {
        let nest = printed(&format!(
            "def f [n d : nat] (x : n.d.f32) : n.d.f32 =
               let tops = toMem (x |> mapPar (\\row -> row |> reduceSeq (\\a v -> max a v) 0.0)) in {second}"
        ));
        nest.body
            .iter()
            .filter(|s| matches!(s, Stmt::For { .. }))
            .count()
    };
    // The first loop takes some rows at once, and leaves the rest to another one.
    let scaled = "mapPar (\\p -> fst p |> mapSeq (\\v -> v / snd p))";
    assert_eq!(of(&format!("zip x tops |> {scaled}")), 2);
    assert_eq!(of(&format!("zip x (reverse tops) |> {scaled}")), 3);
    assert_eq!(of(&format!("zip (reverse x) tops |> {scaled}")), 3);
    let in_order = scaled.replace("mapPar", "mapSeq");
    assert_eq!(of(&format!("zip x tops |> {in_order}")), 3);
}

/// Of rows that only one loop needs, each in its own iteration, one is kept, of each thread; of what another loop reads all are.
#[test]
fn one_row_is_kept_of_those_that_are_gone_through_once() {
    let of = |map: &str, rest: &str| {
        let nest = printed(&format!(
            "def f [n d : nat] (x : n.d.f32) : n.d.f32 =
               let t = toMem (x |> {map} (mapSeq (\\v -> exp v))) in
               t |> {map} (\\row -> let sum = reduceSeq (\\a v -> a + v) 0.0 row in row |> mapSeq (\\v -> v / sum)) {rest}"
        ));
        // Each of the rows at once has one.
        let mut all = buffers(&nest);
        all.dedup();
        all
    };
    let [n, d] = ["n", "d"].map(|name| Nat::var(Symbol::new(name)));
    assert_eq!(of("mapPar", ""), vec![(d, StorageClass::ThreadHeap)]);
    assert_eq!(of("mapSeq", ""), vec![(d, StorageClass::Heap)]);
    let read_again =
        "|> zip t |> mapSeq (\\(u, v) -> zip u (reverse v) |> mapSeq (\\(p, q) -> p * q))";
    assert!(of("mapPar", read_again).contains(&(n * d, StorageClass::Heap)));
}

/// A stage that stores a few numbers in each iteration hands over those that are read, of its own iteration alone.
#[test]
fn stages_hand_over_a_few_numbers() {
    let of = |read: &str| {
        let text = format!(
            "def f [m n : nat] (x : m.n.f32) : m.n.f32 = x |> mapPar (\\row ->
               let states = toMem (row |> scanSeq (\\v s -> makeArray[2] (v + at[0] s) (at[1] s * v)) (fill[2] 1.0)) in
               {read})"
        );
        super::loops_around("stage_fusion", &text, |_, _| {})
    };
    assert_eq!(of("states |> mapSeq (\\s -> at[0] s)"), (3, 2));
    assert_eq!(of("states |> mapSeq (\\s -> at[0] s + at[1] s)"), (3, 2));
    assert_eq!(of("reverse states |> mapSeq (\\s -> at[0] s)"), (3, 3));
    assert_eq!(
        of("zip states (reverse states) |> mapSeq (\\(s, t) -> at[0] s + at[1] t)"),
        (3, 3)
    );
}

/// The innermost loop goes along the rows that are stored, however many loops stand in each other.
#[test]
fn rows_are_stored_in_their_order() {
    let steps = |extents: &str, of: &str, result: &str| {
        let nest = printed(&format!(
            "def f [n c h w : nat] (x : {extents}.f32) : {result}.f32 = {of}"
        ));
        let mut steps = Vec::new();
        each_stmt(&nest.body, &mut |s| {
            let Stmt::For { var, body, .. } = s else {
                return;
            };
            if let [Stmt::Store { index, .. }] = &body[..] {
                steps.push(index.coefficient(*var));
            }
        });
        steps
    };
    let one = [Some(Nat::int(1))];
    assert_eq!(steps("h.w", "transpose x", "w.h"), one);
    let channels = "transpose x |> map transpose";
    assert_eq!(steps("c.h.w", channels, "h.w.c"), one);
    let images = "x |> map (\\i -> transpose i |> map transpose)";
    assert_eq!(steps("n.c.h.w", images, "n.h.w.c"), one);
}

/// A loop does not go before the variable that it assigns, which begins with what an earlier loop stores.
#[test]
fn loops_stay_behind_the_variables_that_they_assign() {
    let text = "def last [m n : nat] (x : m.(n+1).f32) : m.f32 = x |> map (\\row ->
        let s = toMem (scanSeq (\\v a -> a + v) 0.0 row) in reduceSeq (\\p v -> v) (at[0] s) s)";
    check_at(text, &[("n", 4)], "m", 0..6);
}

/// Names of loops that are gone may be used again: nothing is known of these loops any more.
#[test]
fn windows_at_a_border_end_where_the_array_does() {
    let text = "def f [n : nat] (a : n.2.1.f32) : 3.2.1.f32 =
        slide[3, 2] (padClamp[0, 1] (drop[2] (take[n - 2] (zip a a)))) |> reduceSeq (\\acc w ->
          zip acc w |> map (\\q -> (snd (snd q), fst (fst q)))) (fill[3] (fill[2] (fill[1] 0.0), fill[2] (fill[1] 0.0))) |> map fst";
    for n in [6, 8, 12] {
        check_at(text, &[], "n", n..n + 1);
    }
}

/// The first rows of a strip, of which no result is made yet, have borders of their own, too.
#[test]
fn rows_before_a_strip_have_borders() {
    let nest = printed(
        "def f [m n : nat] (x : (m+3).(n+1).f32) : m.(n+1).f32 =
           let first = toMem (x |> mapPar (\\r -> slide[5, 1] (padClamp[2, 2] r) |> mapSeq (\\w -> reduceSeq max 0.0 w))) in
           slide[4, 1] first |> mapPar (\\w -> transpose w |> mapSeq (\\c -> reduceSeq max 0.0 c))",
    );
    let (mut strips, mut bounded) = (0, 0);
    each_stmt(&nest.body, &mut |s| match s {
        Stmt::For { body, extent, .. } if extent.as_int().is_none() => {
            let inner =
                |s: &Stmt| matches!(s, Stmt::For { extent, .. } if extent.as_int().is_none());
            let whole = extent.to_string() == "n + 1";
            bounded += usize::from(whole && !body.iter().any(inner) && bounds(body));
        }
        Stmt::Index { value, .. } => strips += usize::from(value.to_string().contains(", m - ")),
        _ => {}
    });
    assert!(strips > 0, "{nest}");
    assert_eq!(bounded, 0, "{nest}");
}

/// Whether an index is bounded in a body.
fn bounds(body: &[Stmt]) -> bool {
    let mut found = false;
    each_stmt(body, &mut |s| {
        each_index(s, &mut |n| {
            n.each_atom(&mut |a| {
                found |= matches!(a.kind(), AtomKind::Min(..) | AtomKind::Max(..))
            });
        });
    });
    found
}

/// Where integers that are indices say what is a border, however that is written, no element inside is chosen.
#[test]
fn borders_that_integers_say_have_loops_of_their_own() {
    let inside = "0.25 * (at (i-1) j + at (i+1) j + at i (j-1) + at i (j+1))";
    let choices = [
        format!("if i > 0 && i < size[h+1] && j > 0 && size[w] >= j then {inside} else at i j"),
        format!("if i == 0 || i == size[h+1] || j < 1 || j >= size[w+1] then at i j else {inside}"),
        format!("if i != 0 && i != size[h+1] && not (j == 0 || j == size[w+1]) then {inside} else at i j"),
        format!("let low = i > 0 && j > 0 in if low && i <= size[h] && j <= size[w] then {inside} else at i j"),
    ];
    for choice in choices {
        let text = format!(
            "def f [h w : nat] (u : (h+2).(w+2).f32) : (h+2).(w+2).f32 =
               generate[h+2] (\\y -> generate[w+2] (\\x ->
                 let i = (cast y : i64) in
                 let j = (cast x : i64) in
                 let at = \\a b -> u |> idx (cast a : idx[h+2]) |> idx (cast b : idx[w+2]) in
                 {choice}))"
        );
        let nest = printed(&text);
        each_stmt(&nest.body, &mut |s| {
            if let Some(e) = exprs(s) {
                assert!(
                    !e.holds(|k| matches!(k, ExprKind::Op(Op::Select, _))),
                    "{nest}"
                );
            }
        });
        assert!(!bounds(&nest.body), "{nest}");
        for w in 0..4 {
            check_at(&text, &[("w", w)], "h", 0..4);
        }
    }
}

/// What several rows are made of is computed once for them, unless one of them is another one.
#[test]
fn what_rows_are_made_of_alike_is_computed_once() {
    let computed = |row: &str| {
        let text = format!(
            "def f [h w : nat] (c : h.w.f32) (u : (h*3).w.f32) : (h*3).w.f32 =
               zip (split[3] u) c |> mapSeq (\\(rows, r) -> rows |> mapSeq (\\u ->
                 let t = toMem (zip r {row} |> mapSeq (\\(a, b) -> a * b)) in
                 zip (reverse t) u |> mapSeq (\\(a, b) -> a + b))) |> join"
        );
        for w in 0..3 {
            check_at(&text, &[("w", w)], "h", 0..3);
        }
        let nest = printed(&text);
        let mut inside = 0;
        each_stmt(&nest.body, &mut |s| match s {
            Stmt::For { body, extent, .. } if extent.as_int() == Some(3) => inside = body.len(),
            _ => {}
        });
        inside
    };
    assert_eq!(computed("r"), 1);
    assert!(computed("u") > 1);
}

/// Where an outer loop says how many indices are bounded, those have loops of their own: most are not bounded, and all are what they were.
#[test]
fn borders_that_outer_loops_say_have_loops_of_their_own() {
    for at in [
        "i + t",
        "i - t",
        "t - i",
        "i + t - 2",
        "2 * i - t",
        "size[n] - i + t",
    ] {
        let text = format!(
            "def f [m n : nat] (x : (n+1).f32) : m.(n+1).f32 =
               let at = \\i -> idx (cast i : idx[n+1]) x in
               generate[m] (\\t -> generate[n+1] (\\i -> (\\t i -> at i * at ({at})) (cast t : i64) (cast i : i64)))"
        );
        let nest = printed(&text);
        let (mut free, mut all) = (0, 0);
        each_stmt(&nest.body, &mut |s| match s {
            Stmt::For { body, .. } if body.iter().any(|s| matches!(s, Stmt::Store { .. })) => {
                all += 1;
                free += usize::from(!body.iter().any(|s| matches!(s, Stmt::Index { .. })));
            }
            _ => {}
        });
        assert!(all >= 2 && free >= 1, "{at}: {nest}");
        for m in 0..7 {
            check_at(&text, &[("m", m)], "n", 0..4);
        }
        check_at(&text, &[("m", 40)], "n", 30..34);
    }
}

/// A part of a state that is computed element by element is written over itself; one that is made of neighbours, or read again as it was,
/// is copied.
#[test]
fn parts_of_states_are_written_over_themselves() {
    let copies = |next: &str, other: &str| {
        let nest = printed(&format!(
            "def f [t n : nat] (p : n.f32) (v : (n+2).f32) : (n.f32, (n+2).f32) =
               (p, v) |> iterate[t] (\\s ->
                 let (p, v) = s in
                 let next = toMem ({next} |> mapPar (\\v -> 0.5 * v)) in
                 (zip p ({other}) |> mapPar (\\(p, w) -> p + at[0] w * at[2] w), next))"
        ));
        let mut found = 0;
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::For { body, extent, .. } = s {
                let is_copy = |s: &Stmt| matches!(s, Stmt::Store { value, .. } if matches!(value.kind(), ExprKind::Load(..)));
                found += usize::from(extent.to_string() == "n + 2" && body.iter().any(is_copy));
            }
        });
        found
    };
    let windows = "slide[3, 1] next";
    // Of the start and of the result there are copies.
    assert_eq!(copies("v", windows), 2);
    assert_eq!(copies("reverse v", windows), 3);
    let both = "slide[3, 1] (zip next v |> map (\\(a, b) -> a + b))";
    assert_eq!(copies("v", both), 3);
}

/// A state that each step updates at a few places stays where it is, if all that is put there is computed before; a state that is read
/// behind that is copied.
#[test]
fn updated_states_are_not_copied() {
    let loops = |step: &str| {
        let nest = printed(&format!(
            "def f [n k : nat] (start : n.i32) (a : k.idx[n]) (b : k.idx[n]) : n.i32 =
               zip a b |> reduceSeq (\\p s -> let (i, j) = s in {step}) start"
        ));
        let mut found = 0;
        each_stmt(&nest.body, &mut |s| {
            found += usize::from(matches!(s, Stmt::For { .. }))
        });
        found
    };
    // The start is copied, then there are steps.
    let swapped = "scatterReduce (\\old x -> x) p (makeArray[2] (i, idx j p) (j, idx i p))";
    assert_eq!(loops(swapped), 2);
    let added = "scatterReduce (\\old x -> old + x) p (fill[1] (i, idx j p))";
    assert_eq!(loops(added), 2);
    let reversed = "scatterReduce (\\old x -> old + x) (reverse p) (fill[1] (i, idx j p))";
    assert!(loops(reversed) > 2);
}

/// Rows of a few columns are read once: all columns share one loop over rows, with threads where it has some.
#[test]
fn rows_of_few_columns_are_read_once() {
    // Extents of loops, and how many results are stored in each.
    let loops = |body: &str, result: &str| {
        let nest = printed(&format!(
            "def f [n : nat] (x : n.3.f32) (y : n.f32) : {result} = {body}"
        ));
        let mut found = Vec::new();
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::For { extent, body, .. } = s {
                let mut stores = 0;
                each_stmt(body, &mut |s| {
                    stores += usize::from(matches!(s, Stmt::Store { .. }))
                });
                found.push((extent.as_int(), stores));
            }
        });
        found
    };
    let sums = "transpose x |> map (\\c -> zip c y |> map (\\(p, q) -> p * q) |> reduceSeq (\\a v -> a + v) 0.0)";
    assert_eq!(loops(sums, "3.f32"), [(None, 0)]);
    let planes = "transpose x |> map (\\c -> c |> map (\\v -> v * 2.0))";
    assert_eq!(loops(planes, "3.n.f32"), [(None, 3)]);
    let threads = "transpose x |> map (\\c -> c |> mapPar (\\v -> v * 2.0))";
    assert_eq!(loops(threads, "3.n.f32"), [(None, 3)]);
    // Threads that have columns keep them.
    let columns = "transpose x |> mapPar (\\c -> c |> reduceSeq (\\a v -> a + v) 0.0)";
    assert_eq!(loops(columns, "3.f32"), [(Some(3), 1), (None, 0)]);
    // What reads one number of each row alike reads nothing side by side.
    let alike = "generate[3] (\\i -> y |> map (\\v -> v * real i))";
    let real = "let real = \\i -> (cast (cast i : i32) : f32) in ";
    assert_eq!(loops(&format!("{real}{alike}"), "3.n.f32").len(), 2);
}

/// While some rows are read side by side, the next ones are asked for: of known lengths, of some lines, if all of them stay in a cache.
#[test]
fn next_rows_are_asked_for() {
    let asked = |length: usize| {
        let nest = printed(&format!(
            "def f [n : nat] (x : n.{length}.f32) : n.f32 = x |> map (\\r -> r |> reduceSeq (\\a v -> a * v + 1.0) 1.0)"
        ));
        let (mut rows, mut found) = (None, Vec::new());
        each_stmt(&nest.body, &mut |s| match s {
            Stmt::For { var, .. } => rows = Some(*var),
            Stmt::Prefetch { index, .. } => {
                let step = rows.and_then(|v| index.coefficient(v));
                found.push(step.and_then(|n| n.as_int()));
            }
            _ => {}
        });
        found
    };
    // As many elements further in each iteration as there are rows, so that all are asked for when these are read.
    let steps = asked(128);
    assert!(matches!(steps[..], [Some(rows)] if rows >= 4), "{steps:?}");
    assert_eq!(asked(16), []);
    assert_eq!(asked(4096), []);
}

/// What is a result is not computed once more for what is made of it: it is read there.
#[test]
fn what_is_a_result_is_read_there() {
    let text = "def f [n k : nat] (x : n.k.f32) : (n.f32, (n.bool, n.k.f32)) =
        let s = toMem (x |> map (reduce (+) 0.0)) in
        (s, (s |> map (\\v -> v > 1.0), zip s x |> map (\\p -> snd p |> map (\\v -> v / fst p))))";
    let nest = printed(text);
    assert_eq!(buffers(&nest), [], "{nest}");
    let sums = |nest: &Nest| {
        let mut count = 0;
        each_stmt(&nest.body, &mut |s| {
            count += usize::from(matches!(s, Stmt::Let { mutable: true, .. }));
        });
        count
    };
    let once = printed("def f [n k : nat] (x : n.k.f32) : n.f32 = x |> map (reduce (+) 0.0)");
    assert_eq!(sums(&nest), sums(&once), "{nest}");
    let program = common::program_text(text);
    let verdict = validate(&nest, &program, &BTreeMap::new()).verdict;
    assert!(matches!(verdict, Verdict::Validated), "{nest}");
    let sizes = [("n", 5), ("k", 3)].map(|(s, n)| (Symbol::new(s), n));
    let sizes = sizes.into_iter().collect();
    let expected = Expected::of(&program, &sizes, &mut Rng::new(3)).expect("a value");
    expected.check(&nest, text);
}

/// Nor is a state that runs through a loop kept beside the result that it is.
#[test]
fn what_is_read_behind_its_copy_is_read_there() {
    let text = "def f [n : nat] (x : (8*n).i32) : ((8*n).i32, n.i32) =
        let d = toMem (x |> scanSeq (\\v s -> v + s) 0) in
        (d, split[8] d |> mapPar (reduceSeq max 0))";
    let nest = printed(text);
    assert_eq!(buffers(&nest), [], "{nest}");
    let program = common::program_text(text);
    let verdict = validate(&nest, &program, &BTreeMap::new()).verdict;
    assert!(matches!(verdict, Verdict::Validated), "{nest}");
    let sizes = [(Symbol::new("n"), 3)].into_iter().collect();
    let expected = Expected::of(&program, &sizes, &mut Rng::new(3)).expect("a value");
    expected.check(&nest, text);
}

/// Elements that a loop before has written are read before choices, as those of inputs are: compilers then make vectors.
#[test]
fn what_was_written_is_read_before_choices() {
    let nest = printed(
        "def f [l n : nat] (text : l.(n+1).u8) : (l.(n+1).u8, l.n.bool) =
           let c = toMem (text |> map (map (\\b -> shr b 4))) in
           (c, c |> map (\\r -> (slide[2, 1] r : n.2.u8) |> map (\\w -> at[1] w != 0 && at[0] w != at[1] w)))",
    );
    let mut choices = 0;
    each_stmt(&nest.body, &mut |s| {
        let Some(e) = exprs(s) else { return };
        e.visit(&mut |e| {
            if let ExprKind::Op(Op::And, args) = e.kind() {
                choices += 1;
                let loads = |e: &Expr| e.holds(|k| matches!(k, ExprKind::Load(..)));
                assert!(!args.iter().any(loads), "{nest}");
            }
        });
    });
    assert!(choices > 0, "{nest}");
}
