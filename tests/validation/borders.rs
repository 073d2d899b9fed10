//! Arrays that are kept with their border, and read in windows.

use super::kept::changes_that_differ;
use super::{by_the_main_job, lowered, open};
use crate::common;
use rise_opt::lower::Options;
use rise_opt::target::Target;
use rise_opt::validate::obligations_within;

/// A convolution over rows of channels, with a border.
fn convolution(border: &str) -> String {
    format!(
        "def f [h w c : nat] (wt : 3.3.c.f32) (x : h.w.c.f32) : h.w.f32 =
           let xs = toMem (x |> map (padCst[1, 1] (fill[c] {border})) |> padCst[1, 1] (fill[w + 2] (fill[c] 0.0))) in
           xs |> map (slide[3, 1]) |> slide[3, 1] |> map transpose |> map (map (\\q ->
             zip (join (join wt)) (join (join q)) |> map (\\(a, b) -> a * b) |> reduceSeq (\\s v -> s + v) 0.0))"
    )
}

/// Columns of a window and channels are counted by one loop: the column is the quotient by how many channels there are, and at most 2.
#[test]
fn windows_whose_columns_and_channels_are_one_loop_are_validated() {
    let program = common::program_text(&convolution("0.0"));
    let nest = lowered(&program, &Options::default());
    let found = obligations_within(&nest, &program, 1_000);
    assert!(found.open.is_empty(), "{nest}{}", open(&found));
    let other = common::program_text(&convolution("1.0"));
    let found = obligations_within(&nest, &other, 1_000);
    assert!(!found.open.is_empty(), "{nest}");
    let differ = changes_that_differ(&program, &nest);
    assert!(differ > 20, "{differ}");
}

/// Two fields of which each step makes both, over rows with borders: what is left of vectors at the end of a row is one loop, and has no
/// border of its own.
#[test]
fn fields_with_borders_are_validated() {
    let (job, out) = by_the_main_job("tests/kernels/reaction-diffusion.rise", Target::Avx2);
    assert!(job.contains("at all sizes"), "{job}\n{out}");
}

/// Register tiles of windows over rows with a border: where a row ends within a vector, its lanes are one value of their number, and so are
/// the rows of a tile, of which the first has no minimum in its index. Lane by lane and row by row it is twice as many questions.
#[test]
fn register_tiles_over_borders_take_few_questions() {
    let text = "def f [c w k : nat] (wt : k.c.3.f32) (x : c.w.f32) : k.w.f32 =
      take[k] (join (map (map take[w]) (map (map join) (map transpose (transpose (
        split[8] (padClamp[0, 8*ceil(w, 8) - w] (transpose (map (slide[3, 1]) (toMem (map (padCst[1, 1] 0.0) x)))))
        |> map (\\cols -> split[3] (padClamp[0, 3*ceil(k, 3) - k] wt) |> map (\\rows ->
          map asScalar (transpose
            (rows |> map (\\row -> transpose (cols |> map (\\col -> zip (join row) (join col)))))
            |> reduceSeq
              (\\acc x -> zip acc x |> mapSeqUnroll (\\p ->
                 zip (fst p) (asVector[4] (snd p)) |> mapSeqUnroll (\\q -> fst q + fst (snd q) * snd (snd q))))
              (rows |> map (\\_ -> asVector[4] (cols |> map (\\_ -> 0.0)))))))))))))";
    let program = common::program_text(text);
    let nest = lowered(&program, &Options::default());
    let found = obligations_within(&nest, &program, 10_000);
    assert!(found.open.is_empty(), "{nest}{}", open(&found));
    assert!(found.questions < 1_000, "{}", found.questions);
}
