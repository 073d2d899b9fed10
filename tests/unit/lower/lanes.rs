use rise_opt::elab;
use rise_opt::lower::{lower, Options};
use rise_opt::nest::{walk, LoopKind, Nest, Stmt};
use rise_opt::source::SourceMap;

fn nest(text: &str) -> Nest {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.rise", text);
    let program = elab::program(&mut sources, file, None).unwrap_or_else(|e| panic!("{e:?}"));
    lower(&program, &Options::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

fn count(nest: &Nest, what: impl Fn(&Stmt) -> bool) -> usize {
    let mut n = 0;
    walk::each_stmt(&nest.body, &mut |s| n += usize::from(what(s)));
    n
}

fn buffers(nest: &Nest) -> usize {
    count(nest, |s| matches!(s, Stmt::Alloc(_)))
}

fn loops_over_lanes(nest: &Nest) -> usize {
    let lanes = |s: &Stmt| {
        matches!(
            s,
            Stmt::For {
                kind: LoopKind::Lanes,
                ..
            }
        )
    };
    count(nest, lanes)
}

#[test]
fn a_copy_that_stands_out_is_stored_lane_by_lane_where_it_belongs() {
    let found = nest(
        "def f [n : nat] (a : n.f32) : (8*ceil(n, 8)).f32 =
           a |> padClamp[0, 8*ceil(n, 8)-n] |> asVector[8] |> mapSeq (\\x -> x) |> asScalar",
    );
    assert_eq!(buffers(&found), 0, "{found}");
    assert_eq!(loops_over_lanes(&found), 1, "{found}");
    // The end of the array is read once for all lanes beyond it.
    let text = found.to_string();
    assert!(text.contains(" = a[n - 1]"), "{text}");
    assert!(!text.contains("min("), "{text}");
}

#[test]
fn what_is_computed_goes_by_way_of_memory_once_each_way() {
    let found = nest(
        "def f [n : nat] (a : n.f32) : n.f32 =
           a |> padCst[0, 8*ceil(n, 8)-n] 0.0 |> asVector[8] |> mapSeq (\\x -> x * x) |> asScalar |> take[n]",
    );
    assert_eq!(buffers(&found), 2, "{found}");
    assert_eq!(loops_over_lanes(&found), 2, "{found}");
}

#[test]
fn a_vector_across_rows_is_stored_element_by_element() {
    let found = nest(
        "def f [n : nat] (a : n.4.f32) : 4.n.f32 =
           transpose (a |> mapSeq (\\r -> asScalar (asVector[4] r |> mapSeq (\\x -> x * x))))",
    );
    assert_eq!(loops_over_lanes(&found), 0, "{found}");
    let stores = count(&found, |s| matches!(s, Stmt::Store { .. }));
    assert_eq!(stores, 4, "{found}");
}
