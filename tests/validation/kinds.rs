//! Programs of kinds that are not shipped, as the main job makes their kernels.

use super::told_by_the_main_job;

/// What it is, how its kernel is made, the program.
const KINDS: &[(&str, &str, &str)] = &[
    (
        "Differences from a mean, a block of which is computed for each of its elements.",
        "--target avx2",
        "def whiten2 [n d : nat] (x : (n+1).d.f32) : (n+1).d.f32 =
          transpose x |> map (\\c ->
            let m = reduce (+) 0.0 c / (cast (n+1) : f32) in
            let z = c |> map (\\a -> a - m) in
            let v = (z |> map (\\a -> a * a) |> reduce (+) 0.0) / (cast (n+1) : f32) in
            let s = sqrt v in
            z |> map (\\a -> a / s)) |> transpose",
    ),
    (
        "Rows that are kept across: as many as two remainders multiplied.",
        "--target avx512 --permit reassociate",
        "def hamming [m n k : nat] (a : m.k.u64) (b : n.k.u64) : m.n.i32 =
          a |> map (\\x -> b |> map (\\y -> zip x y |> map (\\p ->
            let a = bitxor (fst p) (snd p) - bitand (shr (bitxor (fst p) (snd p)) 1) 6148914691236517205 in
            cast (shr (a * 72340172838076673) 56)) |> reduce (+) 0))",
    ),
    (
        "Channels of images, whose rows have one element more than a size.",
        "--target neon",
        "def batchnorm [b c h w : nat] (g : c.f32) (be : c.f32) (x : b.c.(h+1).(w+1).f32) : b.c.(h+1).(w+1).f32 =
          let mean = transpose x |> map (\\p -> reduce (+) 0.0 (join (join p))) in
          x |> map (\\img -> zip (zip img mean) (zip g be) |> map (\\q ->
             let (im, gb) = q in
             let (pl, m) = im in
             pl |> map (map (\\v -> (v - m) * fst gb + snd gb))))",
    ),
    (
        "Four stages, three of which are kept row by row and filled before the first row of a strip.",
        "--target avx2",
        "def blur3 [h w : nat] (u : (h+2).(w+2).f32) : h.w.f32 =
          let rows = u |> map (\\r -> slide[3, 1] r |> map (\\w -> 0.25 * at[0] w + 0.5 * at[1] w + 0.25 * at[2] w)) in
          rows |> slide[3, 1] |> map (\\w -> zip (at[0] w) (zip (at[1] w) (at[2] w)) |> map (\\p -> 0.25 * fst p + 0.5 * fst (snd p) + 0.25 * snd (snd p)))
def grad [h w : nat] (u : (h+2).(w+2).f32) : h.w.f32 =
          u |> map (slide[3, 1]) |> slide[3, 1] |> map transpose |> map (map (\\w ->
            let gx = at[2] (at[0] w) + 2.0 * at[2] (at[1] w) + at[2] (at[2] w) - at[0] (at[0] w) - 2.0 * at[0] (at[1] w) - at[0] (at[2] w) in
            let gy = at[0] (at[2] w) + 2.0 * at[1] (at[2] w) + at[2] (at[2] w) - at[0] (at[0] w) - 2.0 * at[1] (at[0] w) - at[2] (at[0] w) in
            sqrt (gx * gx + gy * gy)))
def edges [h w : nat] (lo : f32) (u : (h+6).(w+6).f32) : h.w.f32 =
          let b = (blur3 u : (h+4).(w+4).f32) in
          let g = (grad b : (h+2).(w+2).f32) in
          g |> map (slide[3, 1]) |> slide[3, 1] |> map transpose |> map (map (\\w ->
            let c = at[1] (at[1] w) in
            select (c > lo) (select (c >= reduce max 0.0 (join w)) c 0.0) 0.0))",
    ),
    (
        "A border in three dimensions, steps in time.",
        "--target avx2",
        "def stencil3d [t d h w : nat] (u : d.h.w.f32) : d.h.w.f32 =
          u |> iterate[t] (\\u ->
            let p = u |> map (map (padCst[1, 1] 0.0)) |> map (padCst[1, 1] (fill[w+2] 0.0)) |> padCst[1, 1] (fill[h+2] (fill[w+2] 0.0)) in
            let cubes = (p |> map (\\plane -> plane |> map (slide[3, 1]) |> slide[3, 1] |> map transpose)
               |> slide[3, 1] |> map (\\planes -> transpose planes |> map transpose) : d.h.w.3.3.3.f32) in
            cubes |> map (map (map (\\c -> 0.5 * at[1] (at[1] (at[1] c)) + 0.0833 * (at[1] (at[1] (at[0] c)) + at[1] (at[1] (at[2] c)) + at[1] (at[0] (at[1] c)) + at[1] (at[2] (at[1] c)) + at[0] (at[1] (at[1] c)) + at[2] (at[1] (at[1] c)))))))",
    ),
    (
        "Rows that are solved one after the other.",
        "--target avx2",
        "def forward_multi [n m : nat] (a : n.n.f32) (b : m.n.f32) : m.n.f32 =
          let places = generate[n] (\\i -> i) in
          b |> map (\\rhs -> zip places (zip a rhs) |> reduceSeq (\\x row ->
              let (i, cr) = row in
              let known = zip (fst cr) x |> map (\\p -> fst p * snd p) |> reduce (+) 0.0 in
              zip places x |> map (\\p -> select (fst p == i) (snd cr - known) (snd p)))
            (fill[n] 0.0))",
    ),
    (
        "Sums over parts of rows in parts, of which some add nothing.",
        "--target avx2 --permit reassociate",
        "def trmv [n : nat] (a : n.n.f32) (x : n.f32) : n.f32 =
  let places = generate[n] (\\i -> (cast i : i32)) in
  zip places a |> map (\\row ->
    zip places (zip (snd row) x) |> map (\\p ->
      select (fst p <= fst row) (fst (snd p) * snd (snd p)) 0.0) |> reduce (+) 0.0)",
    ),
    (
        "Panels of a product that is kept, whose rows have a known length and are not those of a result.",
        "--target avx2 --permit reassociate",
        "def layer [i o : nat] (w : i.o.f32) (b : o.f32) (x : i.f32) : o.f32 =
  zip b (transpose w) |> map (\\p -> fst p + (zip x (snd p) |> map (\\q -> fst q * snd q) |> reduce (+) 0.0))
def layers [n : nat] (x : n.48.f32) (w1 : 48.32.f32) (b1 : 32.f32) (w2 : 32.10.f32) (b2 : 10.f32) : n.10.f32 =
  x |> map (\\r -> layer w2 b2 (map (max 0.0) (layer w1 b1 r)))",
    ),
];

#[test]
fn kernels_of_other_kinds_are_validated() {
    for (what, flags, text) in KINDS {
        let told = told_by_the_main_job(text, flags);
        assert!(told.contains("valid    at all sizes"), "{what}: {told}");
    }
}
