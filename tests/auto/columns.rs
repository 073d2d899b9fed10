//! What is done with the columns of a matrix.

use super::*;

/// What is done with columns, whose sums are apart, is done row by row, of the result and of what has a name.
#[test]
fn columns_are_changed_row_by_row() {
    let scaled = "transpose x |> map (\\c ->
         let mean = reduce (+) 0.0 c / size[m+1] in
         let s = sqrt (c |> map (\\v -> (v - mean) * (v - mean)) |> reduce (+) 0.0) in
         c |> map (\\v -> (v - mean) / (s + 1.0))) |> transpose";
    let weights = "transpose x |> map (\\c ->
         let t = reduce max (at[0] c) c in
         let e = c |> map (\\v -> exp (v - t)) in
         let s = reduce (+) 0.0 e in
         e |> map (\\v -> v / s)) |> transpose";
    let one =
        |body: &str| format!("def main [m n : nat] (x : (m+1).n.f32) : (m+1).n.f32 =\n  {body}");
    let several = |body: &str| {
        format!("def main [m n b : nat] (x : b.(m+1).n.f32) : b.(m+1).n.f32 =\n  x |> map (\\x -> {body})")
    };
    for text in [one(scaled), several(scaled), one(weights)] {
        let program = program_text(&text);
        let auto = found(&program, REGROUPED);
        let best = auto.best().expect("a schedule");
        assert!(best.what.contains("columns row by row"), "{}", best.what);
        let kernel = replayed(&program, &auto);
        // Elements are written to the result side by side.
        let nest: Nest = lower(&kernel, &Lowering::default()).unwrap();
        let mut inner = None;
        each_stmt(&nest.body, &mut |s| match s {
            Stmt::For { var, .. } => inner = Some(*var),
            Stmt::Store { buf, index, .. }
                if nest.buffers[buf.0 as usize].name.as_str() == "out" =>
            {
                let step = index.coefficient(inner.expect("a loop"));
                assert_eq!(step.and_then(|n| n.as_int()), Some(1), "{nest}");
            }
            _ => {}
        });
        for size in [5, 17] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{text} at {size}");
        }
    }
}

/// The same where columns have no sums, with what there is one of for each.
#[test]
fn columns_without_sums_are_changed_row_by_row() {
    for columns in [
        "zip (transpose x) g |> map (\\(c, s) -> c |> map (\\v -> v * s + 1.0)) |> transpose",
        "transpose (zip (transpose x) (zip g g) |> map (\\(c, (s, t)) -> c |> map (\\v -> max (v * s) t)))",
    ] {
        let text = format!("def f [m n : nat] (g : n.f32) (x : m.n.f32) : m.n.f32 = {columns}");
        let program = program_text(&text);
        let auto = found(&program, EXACT);
        let words = &auto.best().expect("a schedule").what;
        assert!(words.starts_with("columns row by row"), "{text}: {words}");
        let kernel = replayed(&program, &auto);
        for size in [0, 5, 17] {
            assert!(same(&evaluated(&kernel, size), &evaluated(&program, size)));
        }
    }
}

/// Sums of columns read rows in one piece: whole strips of them, what is left of vectors, and the last elements.
#[test]
fn columns_are_summed_along_rows() {
    let text =
        "def columns [m n : nat] (x : m.n.f32) : n.f32 = transpose x |> map (reduce (+) 0.0)";
    let auto = found(&program_text(text), REGROUPED);
    let best = auto.best().expect("a schedule");
    assert_eq!(best.what, "whole rows into 64 vectors, parallel");
    let kernel = replayed(&program_text(text), &auto);
    let nest = lower(&kernel, &Lowering::default()).unwrap();
    let (mut inner, mut read) = (None, 0);
    each_stmt(&nest.body, &mut |s| {
        if let Stmt::For { var, .. } = s {
            inner = Some(*var);
        }
        if let Some(e) = exprs(s) {
            e.visit(&mut |e| {
                let index = match e.kind() {
                    ExprKind::Load(b, n) if nest.buffers[b.0 as usize].name.as_str() == "x" => n,
                    _ => return,
                };
                let step = index.coefficient(inner.expect("a loop"));
                assert!(step.is_some_and(|n| n.as_int().is_some()), "{nest}");
                read += 1;
            });
        }
    });
    assert!(read > 3, "{nest}");
    // Rows in whole groups leave none, and nothing is done with those.
    let fixed = Lowering {
        fixed: [("m".into(), 1024), ("n".into(), 1024)].into(),
        ..Lowering::default()
    };
    let nest = lower(&kernel, &fixed).unwrap();
    let mut lines = 0;
    each_stmt(&nest.body, &mut |_| lines += 1);
    assert!(lines < 40, "{nest}");
}

/// What is written column by column is written row by row, by threads, too.
#[test]
fn threads_have_rows_where_a_program_has_columns() {
    let text = "def columns [h w : nat] (x : h.w.f32) : h.w.f32 =
                  transpose x |> map (\\c -> c |> map (\\v -> v * v)) |> transpose";
    let auto = found(&program_text(text), EXACT);
    let kernel = replayed(&program_text(text), &auto);
    let nest: Nest = lower(&kernel, &Lowering::default()).unwrap();
    let mut extents = Vec::new();
    each_stmt(&nest.body, &mut |s| {
        if let Stmt::For {
            kind: LoopKind::Par,
            extent,
            ..
        } = s
        {
            extents.push(extent.to_string());
        }
    });
    assert_eq!(extents, ["h"]);
}

/// What an index names in loops of two depths moves out of both, and out of loops over rows.
#[test]
fn indices_of_loops_around_loops_become_elements() {
    let contracted = "def contracted [i j k r : nat] (x : i.j.k.f32) (b : j.r.f32) (c : k.r.f32) : i.r.f32 =
           generate[i] (\\p -> generate[r] (\\q -> generate[j] (\\s -> generate[k] (\\t ->
             idx t (idx s (idx p x)) * idx q (idx s b) * idx q (idx t c)) |> reduce (+) 0.0) |> reduce (+) 0.0))";
    let strided =
        "def strided [c h w k : nat] (weights : c.k.2.2.f32) (x : c.h.w.f32) : k.(2*h).(2*w).f32 =
           transpose weights |> map (\\of -> generate[h] (\\i -> generate[2] (\\a ->
             join (generate[w] (\\j -> generate[2] (\\b -> zip x of |> map (\\p ->
               idx j (idx i (fst p)) * idx b (idx a (snd p))) |> reduce (+) 0.0))))) |> join)";
    for (text, permits) in [(contracted, EXACT), (strided, REGROUPED)] {
        let program = program_text(text);
        let auto = found(&program, permits);
        let best = auto.best().expect("a schedule");
        assert!(
            best.what.starts_with("elements instead of indices"),
            "{}",
            best.what
        );
        let kernel = replayed(&program, &auto);
        for size in [0, 3, 8] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{text} at {size}");
        }
    }
}

/// A transposed array is written in runs that lie in one piece, whatever strips leave.
#[test]
fn transposed_arrays_are_written_in_runs() {
    let text = "def turned [m n : nat] (x : m.n.f32) : n.m.f32 = transpose x |> map (map (\\v -> v + 1.0))";
    let program = program_text(text);
    let auto = found(&program, EXACT);
    assert_eq!(
        auto.best().expect("a schedule").what,
        "strips of rows, parallel"
    );
    let kernel = replayed(&program, &auto);
    let nest = lower(&kernel, &Lowering::default()).unwrap();
    let mut loops = Vec::new();
    each_stmt(&nest.body, &mut |s| match s {
        Stmt::For { var, extent, .. } => loops.push((*var, *extent)),
        Stmt::Store { index, .. } => {
            let (inner, extent) = loops.last().expect("a loop");
            if extent.as_int() == Some(16) {
                let step = index.coefficient(*inner);
                assert_eq!(step.and_then(|n| n.as_int()), Some(1), "{nest}");
            }
        }
        _ => {}
    });
    assert!(loops.iter().any(|l| l.1.as_int() == Some(16)), "{nest}");
    for size in [0, 7, 70] {
        let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
        assert!(same(&a, &b), "at {size}");
    }
}

/// Sums of less than a vector have register tiles as longer ones do; of few numbers compilers write them out.
#[test]
fn short_sums_are_tiles() {
    let layer = |inputs: usize| {
        format!(
            "def layer [n : nat] (w : 32.{inputs}.f32) (b : 32.f32) (x : n.{inputs}.f32) : n.32.f32 =
               x |> map (\\v -> zip w b |> map (\\(r, c) -> max 0.0 ((zip r v |> map (\\(p, q) -> p * q) |> reduce (+) 0.0) + c)))"
        )
    };
    for (inputs, tiles) in [(13, true), (9, true), (5, false)] {
        let program = program_text(&layer(inputs));
        let auto = found(&program, REGROUPED);
        let what = auto.best().map_or("", |b| &b.what);
        assert_eq!(what.contains("register tiles"), tiles, "{inputs}: {what}");
        let kernel = replayed(&program, &auto);
        for size in [1, 7, 20] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{inputs} at {size}");
        }
    }
}

/// Elements that are made behind a name have tiles of packed panels as others have.
#[test]
fn squares_of_named_differences_are_tiles() {
    for square in [
        "(let d = fst e - snd e in d * d)",
        "((fst e - snd e) * (fst e - snd e))",
    ] {
        let text = format!(
            "def distances [m k d : nat] (x : m.d.f32) (c : k.d.f32) : m.k.f32 =
               x |> map (\\p -> c |> map (\\q -> zip p q |> map (\\e -> {square}) |> reduce (+) 0.0))"
        );
        let program = program_text(&text);
        let auto = found(&program, EXACT);
        let what = auto.best().map_or("", |b| &b.what);
        assert_eq!(what, "register tiles of packed panels, parallel", "{text}");
        let kernel = replayed(&program, &auto);
        for size in [1, 7, 20] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{text} at {size}");
        }
    }
}

/// A few columns are those of a tile, unless compilers write all of it out.
#[test]
fn few_columns_are_tiles() {
    let rows = |inputs: usize, outputs: usize| {
        format!(
            "def layer [n : nat] (w : {outputs}.{inputs}.f32) (x : n.{inputs}.f32) : n.{outputs}.f32 =
               x |> map (\\v -> w |> map (\\r -> zip r v |> map (\\(p, q) -> p * q) |> reduce (+) 0.0))"
        )
    };
    for (inputs, outputs, tiles) in [(16, 8, true), (13, 12, true), (8, 8, false), (16, 5, false)] {
        let program = program_text(&rows(inputs, outputs));
        let auto = found(&program, REGROUPED);
        let reached = |t: &&Tried| t.schedule.has_tiles() && t.term.is_some();
        let tried = auto.tried.iter().find(reached);
        assert_eq!(tried.is_some(), tiles, "{inputs} to {outputs}");
        let Some(term) = tried.and_then(|t| t.term.clone()) else {
            continue;
        };
        let kernel = Program {
            term,
            ..program.clone()
        };
        for size in [1, 7, 20] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{inputs} to {outputs} at {size}");
        }
    }
}

/// Elements that are reduced in lanes have as many as the widest number that is computed for them.
#[test]
fn lanes_are_those_of_the_widest() {
    let text = "def votes [n : nat] (t : 70.f32) (xs : n.f32) : n.u8 =
      xs |> map (\\x -> t |> map (\\a -> select (x < a) 1u8 0) |> reduce bitor 0)";
    let auto = found(&program_text(text), REGROUPED);
    let mut all = auto.tried.iter().map(|t| &t.schedule);
    let of_columns = all.find(|s| s.what.starts_with("elements in 4"));
    let text = of_columns.expect("elements in lanes").text();
    assert!(text.contains("target.f32lanes"), "{text}");
    assert!(!text.contains("target.u8lanes"), "{text}");
}
