//! Iterations that become lanes: of which loops they do, and what a loop keeps by itself.

use super::*;
use rise_opt::validate::{validate, Verdict};

/// The lanes of what is stored to results by loops around others, the most first.
fn lanes(body: &str) -> Vec<u32> {
    let nest = printed(&format!(
        "def there [n k : nat] (i : idx[n]) (j : idx[k]) : idx[n + k] = (cast ((cast i : i64) + (cast j : i64)) : idx[n + k])
def f [n k : nat] (w : k.f32) (x : (n + k).f32) (rows : n.k.f32) : n.f32 =
           generate[n] (\\i -> {body})"
    ));
    let mut found = Vec::new();
    each_stmt(&nest.body, &mut |s| {
        if let Stmt::Store { value, .. } = s {
            found.push(value.shape().lanes);
        }
    });
    found
}

/// Where iterations read and store side by side, they are lanes: of some vectors, of one, and the rest.
#[test]
fn iterations_around_reductions_are_lanes() {
    let all = Options::default().target.lanes(Scalar::F32);
    let sum = "generate[k] (\\j -> idx j w * idx (there i j) x) |> reduceSeq (\\a v -> a + v) 0.0";
    assert_eq!(lanes(sum), [all, all, all, all, all, 1]);
    // Two accumulators, one in the other.
    let nested = "generate[k] (\\j -> generate[k] (\\t -> idx (there i t) x) |> reduceSeq (\\a v -> a * v) 1.0) |> reduceSeq (\\a v -> a + v) 0.0";
    assert!(lanes(nested).len() > 2, "{:?}", lanes(nested));
    for alone in [
        // Rows are read along themselves,
        "idx i rows |> reduceSeq (\\a v -> a + v) 0.0",
        // functions have no exact vectors,
        "generate[k] (\\j -> exp (idx (there i j) x)) |> reduceSeq (\\a v -> a + v) 0.0",
        // compilers write out short loops,
        "generate[3] (\\j -> idx (cast ((cast i : i64) + (cast j : i64)) : idx[n + k]) x) |> reduceSeq (\\a v -> a + v) 0.0",
        // what is read depends on what was read.
        "generate[k] (\\j -> idx (cast (idx (there i j) x) : idx[n + k]) x) |> reduceSeq (\\a v -> a + v) 0.0",
    ] {
        assert_eq!(lanes(alone).into_iter().max(), Some(1), "{alone}");
    }
}

/// What no inner loop changes may be read, or counted, lane by lane; a short loop of many operations is none that compilers write out.
#[test]
fn lanes_that_inner_loops_keep_are_put_together() {
    let all = Options::default().target.lanes(Scalar::F32);
    let widest = |body: &str| lanes(body).into_iter().max();
    let counted = "generate[k] (\\j -> (cast (cast i : i64) : f32) * idx j w) |> reduceSeq (\\a v -> a + v) 0.0";
    assert_eq!(widest(counted), Some(all), "{counted}");
    let rays = |result: &str, steps: usize, step: &str| {
        let nest = printed(&format!(
            "def f [n k : nat] (x : n.3.f32) (y : n.{result}.f32) : n.f32 = zip x y |> map (\\(a, b) -> iterate[{steps}] (\\t -> {step}) 0.0)"
        ));
        let mut built = 0;
        each_stmt(&nest.body, &mut |s| {
            if let Some(e) = exprs(s) {
                e.visit(&mut |e| built += usize::from(matches!(e.kind(), ExprKind::Build(_))));
            }
        });
        built
    };
    let [once, twice] = [
        "t * at[0] a + at[1] a",
        "(t * at[0] a + at[1] a) * (t * at[0] a + at[1] a)",
    ];
    // Two in each of four vectors at once, and in one.
    assert_eq!(rays("2", 30, once), 10);
    // Compilers write ten steps of two operations out, but not of many.
    assert_eq!(rays("2", 10, once), 0);
    let many = format!("{} + t", [twice; 5].join(" + "));
    assert!(rays("2", 10, &many) > 0);
    // From another cache line each lane is read by itself, whatever is done with it.
    assert_eq!(rays("16", 30, "t + at[1] b"), 5);
    assert_eq!(rays("17", 30, "t + at[1] b"), 0);
}

/// Loops over the windows of windows are short each, but not together.
#[test]
fn short_loops_in_short_loops_are_long() {
    let all = Options::default().target.lanes(Scalar::F32);
    let windows = |size: usize| {
        let window =
            "zip b a |> map (\\(v, w) -> (v - w) * (v - w)) |> reduceSeq (\\s v -> s + v) 0.0";
        let nest = printed(&format!(
            "def f [n : nat] (x : (n + {size}).f32) (y : {size}.{size}.f32) : (n + 1).f32 = slide[{size}, 1] x |> map (\\a ->
               y |> map (\\b -> {window}) |> reduceSeq (\\s v -> s + 1.0 / (1.0 + v)) 0.0)"
        ));
        let mut widest = 0;
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::Store { value, .. } = s {
                widest = value.shape().lanes.max(widest);
            }
        });
        widest
    };
    assert_eq!(windows(3), 1);
    assert_eq!(windows(9), all);
}

/// Where the steps of long iterations wait for each other, some vectors take turns; where they have enough to do, one has registers for itself.
#[test]
fn vectors_of_long_iterations_take_turns_where_they_wait() {
    let vectors = |step: &str| {
        let steps = (0..17).fold("t".to_string(), |t, _| step.replace('t', &t));
        let body =
            format!("w |> reduceSeq (\\t v -> {steps}) (idx (there i (cast 0i64 : idx[k])) x)");
        let all = lanes(&body);
        all.into_iter().filter(|n| *n > 1).count()
    };
    // A chain of operations: four at once, then one.
    assert_eq!(vectors("(t * v + v)"), 5);
}

/// Elements between those of the next iteration are read by statements of their own, each once.
#[test]
fn interleaved_elements_are_read_once_each() {
    let blocks = |size: usize| {
        let nest = printed(&format!(
            "def f [n : nat] (x : (n*{size}).f32) : n.f32 = x |> split[{size}] |> map (\\b -> reduceSeq (\\s v -> max s v) (at[0] b) b)"
        ));
        let (mut loads, mut stored) = (Vec::new(), 0);
        each_stmt(&nest.body, &mut |s| {
            stored += usize::from(matches!(s, Stmt::Store { .. }));
            if let Some(e) = exprs(s) {
                e.visit(&mut |e| {
                    if let ExprKind::Load(_, n) = e.kind() {
                        loads.push(*n);
                    }
                });
            }
        });
        assert_eq!(stored, 1);
        loads.len()
    };
    // The first one is where the largest begins, too.
    assert_eq!(blocks(2), 3);
    assert_eq!(blocks(4), 5);
    // Longer loops stay.
    assert_eq!(blocks(5), 2);
}

/// Functions that may be approximated have vectors, so that lanes are made of loops that only call them; others have none.
#[test]
fn functions_that_may_be_approximated_are_in_lanes() {
    let widest = |approximate: bool, of: &str| {
        let text = format!(
            "def f [n : nat] (g : n.4.n.f32) (c : n.n.f32) : (n.n.f32, n.n.f32) = unzip (zip g c |> map (\\p ->
               unzip (zip (transpose (fst p)) (snd p) |> map (\\q -> let v = snd q * at[1] (fst q) in (v, {of})))))"
        );
        let options = Options {
            approximate,
            ..Options::default()
        };
        let nest = lower::lower(&program(&text), &options).expect("a nest");
        let mut widest = 0;
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::Store { value, .. } = s {
                widest = value.shape().lanes.max(widest);
            }
        });
        widest
    };
    let all = Options::default().target.lanes(Scalar::F32);
    let tanh = "tanh v / (1.0 + exp (-(at[3] (fst q))))";
    assert_eq!(widest(true, tanh), all);
    assert_eq!(widest(false, tanh), 1);
    // Compilers make vectors of everything else.
    assert_eq!(widest(true, "sqrt v"), 1);
    // What is read where something holds may not be there otherwise.
    assert_eq!(widest(true, "select (v < 0.0) v (exp (at[3] (fst q)))"), 1);
    assert_eq!(widest(true, "select (v < 0.0) v (exp (v * 0.5))"), all);
}

/// Functions of what steps read that may be approximated are computed in strips before them, and a program means the same as before,
/// whatever is left of a strip and of a vector. What a step is handed, and what a choice guards, stays in it.
#[test]
fn functions_of_what_steps_read_are_computed_before_them() {
    let all = i64::from(Options::default().target.lanes(Scalar::F32));
    let options = Options {
        approximate: true,
        ..Options::default()
    };
    for (body, strips) in [
        ("reduceSeq (\\a v -> a * 0.5 + tanh v) 0.0 x", true),
        (
            "let s = reduceSeq (\\s v -> let w = 0.5 * v in let a = fst s * exp (w + 0.1) in (a, snd s + a)) (1.0, 0.0) x in snd s",
            true,
        ),
        ("let r = scanSeq (\\v a -> max (exp v * idx i y) a * 0.5) 0.0 x in at[0] r", true),
        ("reduceSeq (\\a v -> exp (a * 0.5) + v) 0.0 x", false),
        ("reduceSeq (\\a v -> if a > v then exp v else a) 0.0 x", false),
    ] {
        let text = format!(
            "def f [m n : nat] (xs : m.(n+1).f32) (y : m.f32) : m.f32 = zip (generate[m] (\\i -> i)) xs |> map (\\(i, x) -> {body})"
        );
        let mut program = program(&text);
        program.term = normalize(&program.term);
        let nest = lower::lower(&program, &options).expect("a nest");
        let (mut widest, mut kept) = (1, 0);
        each_stmt(&nest.body, &mut |s| match s {
            Stmt::Store { value, .. } => widest = value.shape().lanes.max(widest),
            Stmt::Alloc(b) => kept += u32::from(nest.buffers[b.0 as usize].name.as_str().starts_with("strip")),
            _ => {}
        });
        assert_eq!(kept == 2, strips, "{body}: {nest}");
        assert!(!strips || i64::from(widest) == all, "{body}: {nest}");
        let verdict = validate(&nest, &program, &BTreeMap::new()).verdict;
        assert!(matches!(verdict, Verdict::Validated), "{body}: {nest}");
        let mut rng = Rng::new(3);
        let sizes = [1, all - 1, all, 63, 64, 70, 64 + all + 1, 200];
        let expected = sizes.map(|n| {
            let sizes = [(Symbol::new("m"), 2), (Symbol::new("n"), n - 1)];
            let sizes = sizes.into_iter().collect();
            Expected::of(&program, &sizes, &mut rng).expect("a meaning")
        });
        let mut counts = Counts::default();
        check(body, &program, &options, &expected, &mut counts);
        assert_eq!(counts.changed.contains_key("loop_distribution"), strips, "{body}");
    }
}

/// Functions of few numbers are one vector, or two of which the second one begins before the first one ends.
#[test]
fn functions_of_few_numbers_are_in_a_vector() {
    let target = Options::default().target;
    let all = target.lanes(Scalar::F32);
    let options = Options {
        approximate: true,
        ..Options::default()
    };
    for n in [all, all + 2, 2 * all - 1, 2 * all] {
        let text = format!(
            "def f [m : nat] (x : m.{n}.f32) : m.{n}.f32 = x |> map (\\r -> let e = toMem (r |> map exp) in
               let s = reduceSeq (\\a v -> a + v) 0.0 e in e |> map (\\v -> v / s))"
        );
        let program = program(&text);
        let nest = lower::lower(&program, &options).expect("a nest");
        let mut calls = Vec::new();
        each_stmt(&nest.body, &mut |s| {
            if let Some(e) = exprs(s).filter(|e| e.calls()) {
                calls.push(e.shape().lanes);
            }
        });
        let expected: &[u32] = match n {
            n if n % all == 0 => &[all],
            _ => &[all, all],
        };
        calls.retain(|lanes| *lanes > 1);
        assert_eq!(calls, expected, "{n}: {nest}");
        let verdict = validate(&nest, &program, &BTreeMap::new()).verdict;
        assert!(matches!(verdict, Verdict::Validated), "{n}: {nest}");
    }
}

/// A small array is variables if loops over it are: those are written out, and nothing is asked that a number answers.
#[test]
fn loops_over_small_arrays_are_written_out() {
    let of = |text: &str| {
        let nest = printed(text);
        let stack = |b: &BufId| nest.buffers[b.0 as usize].storage == StorageClass::Stack;
        let (mut accesses, mut questions) = (0, 0);
        each_stmt(&nest.body, &mut |s| {
            accesses += usize::from(matches!(s, Stmt::Store { buf, .. } if stack(buf)));
            if let Some(e) = exprs(s) {
                e.visit(&mut |e| match e.kind() {
                    ExprKind::Load(b, _) => accesses += usize::from(stack(b)),
                    ExprKind::Op(Op::Lt | Op::Le, _) => questions += 1,
                    _ => {}
                });
            }
        });
        (accesses > 0, questions)
    };
    let sums = |d: usize, step: &str| {
        format!(
            "def f [m n : nat] (x : m.n.{d}.f32) : m.{d}.f32 = x |> map (\\row -> row |> reduceSeq (\\u v -> {step}) (fill[{d}] 0.0))"
        )
    };
    let add = "zip u v |> map (\\(a, b) -> a + b)";
    assert_eq!(of(&sums(3, add)), (false, 0));
    // Too long for registers,
    assert_eq!(of(&sums(17, add)), (true, 0));
    // a place that data says.
    let placed = "generate[3] (\\i -> idx i u + idx (cast (at[0] v) : idx[3]) u)";
    assert!(of(&sums(3, placed)).0);
    // Short loops beside are written out, too, and lanes are made of what is around them all.
    let powers = "def f [n : nat] (m : n.3.3.f32) : n.3.f32 = m |> map (\\a -> iterate[20] (\\v ->
         a |> map (\\row -> zip row v |> map (\\(x, y) -> x * y) |> reduceSeq (\\s e -> s + e) 0.0)) (fill[3] 1.0))";
    assert_eq!(of(powers), (false, 0));
    let mut widest = 0;
    each_stmt(&printed(powers).body, &mut |s| {
        if let Stmt::Assign { value, .. } = s {
            widest = value.shape().lanes.max(widest);
        }
    });
    assert_eq!(widest, Options::default().target.lanes(Scalar::F32));
    let turned = "zip (concat (drop[1] u) (take[1] u)) v |> map (\\(a, b) -> a + b)";
    assert_eq!(of(&sums(3, turned)), (false, 0));
}

/// What an iteration computes of a small state has names of its own; what it hands on has not.
#[test]
fn values_of_one_iteration_are_constants() {
    // Constants, variables that are declared, and those that are declared without a value.
    let of = |step: &str| {
        let nest = printed(&format!(
            "def f [n : nat] (w : 30.f32) (x : n.2.f32) : n.2.f32 = x |> map (\\s -> w |> reduceSeq (\\p v -> {step}) s)"
        ));
        let mut found = [0; 3];
        each_stmt(&nest.body, &mut |s| match s {
            Stmt::Let { mutable: false, .. } => found[0] += 1,
            Stmt::Let { value, .. } => {
                found[1] += 1;
                found[2] += usize::from(value.is_none());
            }
            _ => {}
        });
        found
    };
    let [constants, variables, bare] = of("makeArray[2] (at[1] p * v) (at[0] p + v)");
    assert!(
        constants >= 2 && variables >= 2 && bare == 0,
        "{constants} {variables} {bare}"
    );
}

/// What iterations store some elements apart is stored lane by lane, as long as no other iteration stores between the places of one.
#[test]
fn lanes_are_stored_apart() {
    let of = |body: &str, result: &str| {
        let nest = printed(&format!(
            "def f [n k : nat] (w : k.2.f32) (x : k.n.f32) : {result} = {body}"
        ));
        let (mut lanes, mut stores) = (Vec::new(), 0);
        each_stmt(&nest.body, &mut |s| match s {
            Stmt::Store { .. } => stores += 1,
            Stmt::Assign { value, .. } => lanes.push(value.shape().lanes),
            _ => {}
        });
        (lanes.into_iter().max(), stores)
    };
    let all = Options::default().target.lanes(Scalar::F32);
    let sum = |q: &str| {
        format!("(zip x w |> map (\\p -> idx i (fst p) * {q} (snd p)) |> reduceSeq (\\a v -> a + v) 0.0)")
    };
    let apart = format!(
        "generate[n] (\\i -> generate[2] (\\q -> {})) |> join",
        sum("idx q")
    );
    // Four vectors at once, one, and numbers, two of a row at once.
    assert_eq!(
        of(&apart, "(n*2).f32"),
        (Some(all), 5 * all as usize + 2),
        "{apart}"
    );
    let both = format!(
        "generate[n] (\\i -> makeArray[2] {} {})",
        sum("at[0]"),
        sum("at[1]")
    );
    let (widest, stores) = of(&both, "n.2.f32");
    assert_eq!(widest, Some(all), "{both}");
    assert!(stores > 2 * all as usize, "{stores}");
    // How far two places of an iteration lie apart is another question for each size.
    let rows = format!("{both} |> transpose");
    assert_eq!(of(&rows, "2.n.f32"), (Some(1), 2), "{rows}");
}

/// Sums of as many short numbers as a vector has stay loops, in which compilers find their instructions.
#[test]
fn sums_of_few_short_numbers_stay_loops() {
    let of = |count: u32, elem: &str, ty: &str| {
        let nest = printed(&format!(
            "def f [n : nat] (x y : n.{count}.{elem}) : n.{ty} = zip x y |> map (\\(a, b) ->
               zip a b |> map (\\(p, q) -> abs ((cast p : {ty}) - (cast q : {ty}))) |> reduceSeq (\\a v -> a + v) (cast 0i32 : {ty}))"
        ));
        let mut found = 0;
        each_stmt(&nest.body, &mut |s| {
            let repeated = matches!(s, Stmt::For { kind, .. } if *kind == LoopKind::PartialUnroll);
            found += usize::from(repeated);
        });
        found
    };
    assert_eq!(of(8, "u8", "i32"), 1);
    assert_eq!(of(16, "i16", "i32"), 1);
    assert_eq!(of(12, "u8", "i32"), 0);
    assert_eq!(of(16, "i32", "i32"), 0);
    assert_eq!(of(16, "u8", "f32"), 0);
}

/// A part of a pair that a step hands down as the other one is copied nowhere, if what takes its place may be written over what goes.
#[test]
fn parts_that_are_handed_down_change_places() {
    let of = |step: &str| {
        let text = format!(
            "def f [k n : nat] (a : n.f32) (b : n.f32) : (n.f32, n.f32) = iterate[k] (\\s -> {step}) (a, b)"
        );
        let nest = printed(&text);
        let own = |b: &&Buffer| b.alias.is_none() && b.storage == StorageClass::Heap;
        nest.buffers.iter().filter(own).count()
    };
    let new = |old: &str, kept: &str| {
        format!("(zip ({old}) (reverse ({kept})) |> map (\\p -> snd p - fst p))")
    };
    let [first, second] = ["fst s", "snd s"];
    assert_eq!(of(&format!("(snd s, {})", new(first, second))), 2);
    assert_eq!(of(&format!("({}, fst s)", new(second, first))), 2);
    // What goes is read elsewhere,
    let reversed = "reverse (fst s)";
    assert_eq!(of(&format!("(snd s, {})", new(reversed, second))), 4);
    // both parts are new.
    let both = format!("({}, {})", new(second, first), new(first, second));
    assert_eq!(of(&both), 4);
}

/// A state that steps read elsewhere goes from one buffer to another and back: nothing is copied but the start.
#[test]
fn steps_copy_no_state() {
    let nest = printed(
        "def f [n k : nat] (a : n.f32) (ws : k.f32) : n.f32 =
           ws |> reduceSeq (\\xs w -> reverse xs |> mapSeq (\\x -> x * w)) a",
    );
    let mut copies = 0;
    each_stmt(&nest.body, &mut |s| {
        if let Stmt::Store { value, .. } = s {
            let own =
                |b: &BufId| !matches!(nest.buffers[b.0 as usize].storage, StorageClass::Input(_));
            copies += usize::from(matches!(value.kind(), ExprKind::Load(b, _) if own(b)));
        }
    });
    assert_eq!(copies, 0, "{nest}");
}

/// A vector that is stored and then copied is stored twice by one loop; loops of vectors that do more stay as they are.
#[test]
fn copies_of_vectors_are_made_where_these_are_stored() {
    let of = |after: &str| {
        let text = format!(
            "def f [m n : nat] (x : m.(n*8).f32) : m.(n*8).f32 = x |> mapPar (\\row ->
               let doubled = toMem (asVector[8] row |> mapSeq (\\v -> v + v)) in
               {after})"
        );
        super::loops_around("stage_fusion", &text, |_, _| {})
    };
    assert_eq!(of("asScalar (doubled |> mapSeq (\\v -> v))"), (3, 2));
    assert_eq!(of("asScalar (doubled |> mapSeq (\\v -> v * v))"), (3, 3));
}

/// What an iteration reads of a buffer that it stores to is its own element: compilers are told so, outside of threads, too.
#[test]
fn updates_of_own_elements_are_independent() {
    let of = |step: &str| {
        let nest = printed(&format!(
            "def f [m n : nat] (x : m.n.f32) : m.n.f32 =
               x |> scanSeq (\\row state -> {step}) (fill[n] 0.0)"
        ));
        let mut kinds = Vec::new();
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::For { kind, .. } = s {
                kinds.push(*kind == LoopKind::Independent);
            }
        });
        kinds
    };
    let own = of("zip row state |> mapSeq (\\p -> fst p + 0.5 * snd p)");
    assert_eq!(own.last(), Some(&true), "{own:?}");
    let others = of("zip row (reverse state) |> mapSeq (\\p -> fst p + 0.5 * snd p)");
    assert!(!others.contains(&true), "{others:?}");
}

/// An iteration stores an element of each of several planes, which are further apart than a row is long.
#[test]
fn elements_of_planes_are_independent() {
    let of = |text: &str| {
        let nest = printed(text);
        let mut kinds = Vec::new();
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::For { kind, .. } = s {
                kinds.push(*kind == LoopKind::Independent);
            }
        });
        kinds
    };
    let planes = of("def f [m n : nat] (x : m.n.f32) : 3.m.n.f32 =
           x |> mapPar (\\row -> row |> mapSeq (\\v -> makeArray[3] v (v + v) (v * v)) |> transpose) |> transpose");
    assert_eq!(planes.last(), Some(&true), "{planes:?}");
    let rows = of("def f [k m n : nat] (x : m.n.f32) : m.(2*k).n.f32 =
           x |> mapPar (\\row -> row |> mapSeq (\\v -> generate[2*k] (\\i -> v)) |> transpose)");
    assert!(!rows.contains(&true), "{rows:?}");
}

/// Of as many elements as one or two vectors have gcc makes vectors, and writes nothing out before.
#[test]
fn loops_of_vectors_are_not_written_out_first() {
    let hint = |n: u32| {
        let nest = printed(&format!(
            "def f [m : nat] (x : m.{n}.f32) (y : m.{n}.f32) : m.{n}.f32 =
               zip x y |> mapPar (\\r -> zip (fst r) (snd r) |> mapSeq (\\p -> fst p / snd p))"
        ));
        let c = rise_opt::emit::emit(&nest, &rise_opt::emit::Options::default()).c;
        ["    ROLLED\n", "    INDEPENDENT\n"].map(|hint| c.contains(hint))
    };
    for n in [8, 12, 16] {
        assert_eq!(hint(n), [true, false], "{n}");
    }
    for n in [7, 24] {
        assert_eq!(hint(n), [false, true], "{n}");
    }
}

/// Threads' own loops store elements of several planes, too: compilers are told that these are apart, with and without threads.
#[test]
fn planes_of_outermost_loops_are_apart() {
    let hints = |parts: &str, stored: &str| {
        let nest = printed(&format!(
            "def f [n : nat] (x : 3.n.f32) : {parts}.f32 = transpose x |> mapPar (\\c ->
               let s = reduceSeq (+) 0.0 c in makeArray[3] s (s * s) (s + 1.0)) {stored}"
        ));
        let c = rise_opt::emit::emit(&nest, &rise_opt::emit::Options::default()).c;
        ["    PARALLEL_SIMD\n", "    INDEPENDENT\n"].map(|hint| c.contains(hint))
    };
    assert_eq!(hints("3.n", "|> transpose"), [true, true]);
    assert_eq!(hints("n.3", ""), [false, false]);
}

/// Rows are read in lanes where a step chooses by what the one before it made: of those compilers make no vectors.
#[test]
fn rows_whose_steps_choose_are_lanes() {
    let all = Options::default().target.lanes(Scalar::F32);
    let widest = |step: &str, from: &str| {
        let body = format!("idx i rows |> reduceSeq (\\c b -> {step}) {from}");
        lanes(&body).into_iter().max()
    };
    let chooses = "select (b > c) (0.5 * c + 0.5 * b) (0.25 * c + b)";
    assert_eq!(widest(chooses, "0.0"), Some(all));
    for alone in [
        // A sum waits for itself alone,
        "c + select (b > 0.5) b 0.25",
        // and little is done with much that is read.
        "c + min b 0.5",
    ] {
        assert_eq!(widest(alone, "0.0"), Some(1), "{alone}");
    }
    // Whole numbers are counted under masks.
    let counted = |step: &str| {
        let nest = printed(&format!(
            "def f [n k : nat] (rows : n.k.i32) : n.i32 = rows |> map (\\r -> r |> reduceSeq (\\c b -> {step}) 0)"
        ));
        let mut widest = 1;
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::Store { value, .. } = s {
                widest = widest.max(value.shape().lanes);
            }
        });
        widest
    };
    assert_eq!(counted("select (b > 0) (c + 1) c"), 1);
    assert_eq!(counted("select (b > c) b (c - 1)"), all);
}

/// Rows are lanes, too, where enough is done with each element that is read lane by lane, and stored so.
#[test]
fn rows_whose_steps_wait_are_lanes() {
    let all = Options::default().target.lanes(Scalar::F32);
    let made = |step: &str, whole: &str| {
        let text = format!("def f [n k : nat] (rows : n.(1+k).f32) : {whole}");
        let program = common::program_text(&text.replace("STEP", step));
        let nest = lower::lower(&program, &Options::default()).expect("a kernel");
        for n in [0, 1, 15, 16, 17, 40] {
            let sizes = [("n", n), ("k", 9)].map(|(s, n)| (Symbol::new(s), n));
            let sizes = sizes.into_iter().collect();
            let expected = Expected::of(&program, &sizes, &mut Rng::new(3)).expect("a value");
            expected.check(&nest, &text);
        }
        let verdict = validate(&nest, &program, &BTreeMap::new()).verdict;
        assert!(matches!(verdict, Verdict::Validated), "{nest}");
        let mut widest = 1;
        each_stmt(&nest.body, &mut |s| {
            if let Stmt::Let { shape, .. } = s {
                widest = widest.max(shape.lanes);
            }
        });
        widest
    };
    let last = "n.f32 = rows |> map (\\r -> r |> reduceSeq (\\c b -> STEP) 0.0)";
    let every = "n.(1+k).f32 = rows |> map (\\r -> r |> scanSeq (\\b c -> STEP) 0.0)";
    let much = "(0.5 * c + b) * (0.25 * c - b) + (0.125 * c * c + b * b) * (c - 0.5)";
    for whole in [last, every] {
        assert_eq!(made(much, whole), all, "{whole}");
        // Several rows at once do as well.
        assert_eq!(made("0.5 * c + b", whole), 1, "{whole}");
    }
}

/// Rows that are read again, as the states of a cascade of filters, are lanes where that is worth it; what fills them first, too.
#[test]
fn rows_that_are_read_again_are_lanes() {
    let text = "def f [s m n : nat] (co : s.5.f32) (x : m.n.f32) : m.n.f32 =
        x |> map (\\row -> co |> reduceSeq (\\all c -> all |> scanSeq (\\v s ->
          let y = at[0] c * v + fst (snd s) in
           (y, (at[1] c * v - at[3] c * y + snd (snd s), at[2] c * v - at[4] c * y))) (0.0, (0.0, 0.0)) |> map fst) row)";
    let nest = printed(text);
    let mut widest = 1;
    each_stmt(&nest.body, &mut |s| {
        if let Stmt::Let { shape, .. } = s {
            widest = widest.max(shape.lanes);
        }
    });
    assert_eq!(widest, Options::default().target.lanes(Scalar::F32));
    let program = common::program_text(text);
    let verdict = validate(&nest, &program, &BTreeMap::new()).verdict;
    assert!(matches!(verdict, Verdict::Validated), "{nest}");
    for m in [0, 1, 8, 17] {
        let sizes = [("s", 3), ("m", m), ("n", 5)].map(|(s, n)| (Symbol::new(s), n));
        let sizes = sizes.into_iter().collect();
        let expected = Expected::of(&program, &sizes, &mut Rng::new(3)).expect("a value");
        expected.check(&nest, text);
    }
}

/// Of rows in blocks of a known length, those of a block are lanes: they are stored side by side, and none is left.
#[test]
fn blocks_of_rows_are_lanes_inside() {
    let nest = printed(
        "def f [n k : nat] (rows : (n*256).k.f32) : (n*256).f32 =
           join (split[256] rows |> map (map (\\r -> r |> reduceSeq (\\c b -> select (b > c) (0.5 * c + b) (c - b)) 0.0)))",
    );
    let mut scattered = 0;
    each_stmt(&nest.body, &mut |s| {
        if let Stmt::Store { value, .. } = s {
            scattered += usize::from(value.shape().lanes == 1);
        }
    });
    assert_eq!(scattered, 0, "{nest}");
}

/// Of so many iterations as whole vectors have, nothing is left.
#[test]
fn loops_of_no_iteration_are_left_out() {
    let nest = printed(
        "def f [k : nat] (x : k.128.f32) : 128.f32 = transpose x |> map (\\c -> c |> reduceSeq (\\a v -> a * v) 1.0)",
    );
    let mut extents = Vec::new();
    each_stmt(&nest.body, &mut |s| {
        if let Stmt::For { extent, .. } = s {
            extents.push(extent.as_int());
        }
    });
    assert!(!extents.contains(&Some(0)), "{nest}");
    assert!(extents.contains(&None), "{nest}");
}
