//! Programs whose loop programs are changed.

/// Loops, vectors with tails, tiles, kept arrays, accumulators in memory and in variables, choices, threads; tiles of which
/// a part is stored, rows that are used again, packed arrays.
pub const PROGRAMS: &[&str] = &[
    "def f [n : nat] (a : n.f32) (b : n.f32) : n.f32 =
      zip a b |> mapSeq (\\p -> fst p * 2.0 - snd p)",
    "def f [m n : nat] (a : m.n.f32) : n.m.f32 = transpose a |> mapPar (mapSeq (\\x -> x + 1.0))",
    "def f [m n : nat] (a : m.n.f32) (b : n.f32) : m.f32 =
      a |> mapSeq (\\row -> zip row b |> reduceSeq (\\acc p -> acc + fst p * snd p) 0.5)",
    "def f [n m : nat] (a : n.m.f32) : m.f32 =
      a |> reduceSeq (\\acc row -> zip acc row |> mapSeq (\\p -> fst p + snd p)) (generate (\\_ -> 0.0))",
    "def f [n : nat] (a : (8*n).f32) : (8*n).f32 =
      a |> asVector[4] |> mapSeq (\\v -> v * v + vectorFromScalar[4] 1.0) |> asScalar",
    "def f [n m : nat] (a : n.m.f32) : n.m.f32 =
      a |> mapPar (\\row -> let r = toMem (row |> mapSeq (\\x -> x * x)) in reverse r |> mapSeq (\\x -> x + 1.0))",
    "def f [n : nat] (a : (n + 2).f32) : n.f32 =
      a |> slide[3, 1] |> mapSeq (\\w -> at[0] w - at[1] w * at[2] w)",
    "def f [n : nat] (a : n.f32) : n.f32 = a |> scanSeq (\\x acc -> acc + x) 0.0",
    "def f [m n : nat] (a : m.n.i32) : m.n.i32 = a |> mapSeq (scanSeq max (-7))",
    "def f [n : nat] (a : n.n.f32) (x : n.f32) : n.f32 =
      let places = generate[n] (\\i -> (cast i : i32)) in
      zip places a |> mapSeq (\\row -> zip places (zip (snd row) x)
        |> map (\\p -> select (fst p <= fst row) (fst (snd p) * snd (snd p)) 0.0) |> reduceSeq (+) 0.0)",
    "def f [n : nat] (a : n.n.i32) : n.i32 =
      let places = generate[n] (\\i -> i) in
      zip places a |> mapSeq (\\row -> zip places (snd row)
        |> map (\\p -> select (fst row < fst p) (snd p) 0) |> reduceSeq (+) 0)",
    "def f [n : nat] (a : n.n.f32) (b : n.f32) : n.f32 =
      let places = generate[n] (\\i -> i) in
      zip places (zip a b) |> reduceSeq
        (\\x row ->
          let known = zip (fst (snd row)) x |> map (\\p -> fst p * snd p) |> reduce (+) 0.0 in
          zip places x |> map (\\p -> select (fst p == fst row) (snd (snd row) - known) (snd p)))
        (fill[n] 0.0)",
    "def f [n : nat] (a : n.f32) : n.f32 =
      take[n] (join (split[4] (padClamp[0, 4*ceil(n, 4) - n] a) |> mapSeq (mapSeqUnroll (\\x -> x * 3.0))))",
    "def f [n m : nat] (a : n.f32) (b : m.f32) : n.m.f32 =
      a |> mapSeq (\\x -> b |> mapSeq (\\y -> select (n <= size[3]) (x + y) (x - y)))",
    "def f [n : nat] (a : n.f32) (b : n.f32) : n.(f32, f32) =
      zip a b |> mapSeq (\\p -> pair (snd p) (fst p / snd p))",
    "def f [n : nat] (a : n.f32) : (n + n).f32 =
      concat (a |> mapSeq (\\x -> x + 1.0)) (a |> mapSeq (\\x -> x - 1.0))",
    "def f [n k : nat] (a : k.n.f32) : n.f32 =
      take[n] (join (split[4] (padClamp[0, 4*ceil(n, 4) - n] (transpose a)) |> mapSeq (\\t ->
        transpose t |> reduceSeq (\\s r -> zip s r |> mapSeqUnroll (\\p -> fst p + snd p)) (generate[4] (\\_ -> 0.5)))))",
    "def f [h w : nat] (a : (h + 2).w.f32) : h.w.f32 =
      let xs = toMem (a |> mapSeq (mapSeq (\\x -> x * x))) in
      slide[3, 1] xs |> mapSeq (\\r -> transpose r |> mapSeq (\\c -> at[0] c - at[1] c * at[2] c))",
    "def f [h w : nat] (a : (h + 2).w.f32) : h.w.f32 =
      let xs = toMem (a |> mapPar (mapSeq (\\x -> x + 1.0))) in
      slide[3, 1] xs |> mapPar (\\r -> transpose r |> mapSeq (\\c -> reduceSeq (\\s x -> x - s) 0.0 c))",
    "def f [n k : nat] (a : k.n.f32) : n.k.f32 =
      let p = toMem (transpose (a |> mapPar (\\r ->
        asScalar (asVector[4] (padClamp[0, 4*ceil(n, 4) - n] r) |> mapSeq (\\v -> v)) |> split[4]))) in
      take[n] (join (p |> map transpose)) |> mapSeq (mapSeq (\\x -> x + 1.0))",
    "def f [n m : nat] (is : n.idx[m]) (a : n.f32) : m.f32 =
      zip is a |> scatterReduce (\\s x -> s * 0.5 + x) (fill[m] 1.0)",
    "def f [n : nat] (a : n.f32) : 5.(f32, i32) =
      a |> mapSeq (\\x -> ((cast (x * 7.0 - 1.0) : idx[5]), x))
        |> scatterReduce (\\s x -> (max (fst s) x, snd s + 1)) (fill[5] (-2.0, 3))",
    // Of several at one place the last one stays; rows that are made of themselves; segments of any length.
    "def f [n m : nat] (is : n.idx[m]) (a : n.f32) : m.f32 = scatter is a",
    "def f [n m d : nat] (is : n.idx[m]) (a : n.d.f32) : m.d.f32 =
      zip is a |> scatterReduce (\\s x -> zip s x |> map (\\p -> fst p * 0.5 - snd p)) (fill[m] (fill[d] 1.0))",
    "def f [n m k : nat] (offsets : (n + 1).idx[m + 1]) (is : m.idx[k]) (a : m.f32) (x : k.f32) : n.f32 =
      reduceSegments (\\s p -> s * 0.5 + fst p * snd p) 1.0 offsets (zip a (gather is x))",
    // Rows of counts, and counts of blocks that are added up: each iteration updates its own.
    "def f [r n m : nat] (is : r.n.idx[m]) : r.m.i32 =
      is |> mapSeq (\\row -> row |> map (\\i -> (i, 1)) |> scatterReduce (\\c x -> c + x) (fill[m] 0))",
    "def f [n : nat] (is : (4*n).u8) : 5.i32 =
      split[4] is |> mapPar (\\block -> block |> map (\\x -> ((cast x : idx[5]), 1))
          |> scatterReduce (\\c x -> c + x) (fill[5] 0))
        |> toMem |> transpose |> mapSeq (reduceSeq (+) 0)",
    // Tables of strips, whose updates run side by side.
    "def f [n : nat] (is : (4*n).u8) : 5.i32 =
      split[n] is |> mapSeq (\\strip -> strip |> map (\\x -> ((cast x : idx[5]), 1))
          |> scatterReduce (\\c x -> c + x) (fill[5] 0))
        |> toMem |> transpose |> mapSeq (reduceSeq (+) 0)",
    "def f [n m : nat] (is : 3.n.idx[m]) (a : 3.n.f32) : 3.m.f32 =
      zip is a |> mapSeq (\\row -> zip (fst row) (snd row) |> scatterReduce (\\s x -> s * 0.5 + x) (fill[m] 1.0))",
    // There are elements, or nothing to count: a loop says which.
    "def f [n b : nat] (xs : n.f32) : b.i32 =
      xs |> map (\\x -> ((cast (x * 4.0) : idx[b]), 1)) |> scatterReduce (\\c x -> c + x) (fill[b] 0)",
    // Of pairs: data name one place of two dimensions.
    "def f [n m k : nat] (is : n.idx[m]) (js : n.idx[k]) : m.k.i32 =
      split[k] (zip is js
      |> map (\\p -> (cast ((cast (fst p) : i64) * (k : i64) + (cast (snd p) : i64)) : idx[m*k], 1))
      |> scatterReduce (\\c x -> c + x) (fill[m*k] 0))",
    // Steps that choose by what they read, at and beside a border.
    "def f [n : nat] (a : (n + 1).i32) : (n + 1).i32 =
      a |> iterate[3] (\\xs -> xs |> padClamp[1, 1] |> slide[3, 1] |> mapSeq (\\w ->
        select (at[0] w + at[2] w == 2) 1 (select (at[0] w == 1) (at[1] w) 0)))",
    // The border stays as it is in all steps.
    "def f [t n : nat] (a : (n + 2).f32) : (n + 2).f32 =
      a |> iterate[t] (\\xs -> concat (take[1] xs)
        (concat (xs |> slide[3, 1] |> mapSeq (\\w -> at[0] w - at[2] w)) (drop[n + 1] xs)))",
    "def f [t h w : nat] (a : (h + 2).(w + 2).f32) : (h + 2).(w + 2).f32 =
      a |> iterate[t] (\\xs ->
        let inner = xs |> map (slide[3, 1]) |> slide[3, 1] |> map transpose
          |> map (map (\\p -> at[1] (at[0] p) + at[0] (at[1] p) + at[2] (at[1] p) - at[1] (at[2] p))) in
        concat (take[1] xs) (concat
          (zip inner (take[h] (drop[1] xs)) |> map (\\r -> concat (take[1] (snd r)) (concat (fst r) (drop[w + 1] (snd r)))))
          (drop[h + 1] xs)))",
    // Lanes that are elements of rows, and lanes of which an index says what they are.
    "def f [n k : nat] (a : (4*n).k.f32) : (4*n).f32 =
      join (split[4] a |> mapSeq (\\rows -> asScalar (transpose rows |> reduceSeq
        (\\s r -> zip s (asVector[4] r) |> mapSeqUnroll (\\p -> fst p * snd p)) (asVector[4] (generate[4] (\\_ -> 0.5))))))",
    "def f [n : nat] (a : (4*n).n.f32) : (4*n).f32 =
      join (split[4] (zip (generate[4*n] (\\i -> (cast i : i32))) a) |> mapSeq (\\rows ->
        asScalar (transpose (rows |> map (\\p -> snd p |> map (\\x -> select (fst p < 5) x 2.0))) |> reduceSeq
          (\\s r -> zip s (asVector[4] r) |> mapSeqUnroll (\\p -> fst p - snd p)) (asVector[4] (generate[4] (\\_ -> 0.5))))))",
    "def f [n : nat] (a : n.u8) (b : n.u8) : n.u8 = zip a b |> mapSeq (\\p -> abs (fst p - snd p))",
    // A scan whose first step has a loop of its own, backwards, two at once, in rows of two.
    "def f [n : nat] (a : n.f32) : n.f32 =
      zip a (concat (fill[1] 0.5) a |> take[n]) |> scanSeq (\\p s -> max (fst p) (s + snd p)) 0.0",
    "def f [n : nat] (a : n.f32) : n.f32 = a |> scanSeq (\\x s -> s + x) 0.0 |> reverse",
    "def f [n : nat] (a : n.f32) : (2*n).f32 =
      a |> scanSeq (\\x s -> s + vectorFromScalar x) (vectorFromScalar[2] 0.0) |> asScalar",
    "def f [n : nat] (a : (2*n).f32) : n.2.f32 = a |> scanSeq (\\x s -> s + x) 0.5 |> toMem |> split[2]",
    // Steps in place, one after the other in the text; steps of which the last one alone counts.
    "def f [n : nat] (a : 3.n.f32) (b : n.f32) : n.f32 =
      a |> reduceSeqUnroll (\\acc x -> zip acc x |> mapSeq (\\p -> fst p + snd p)) b |> mapSeq (\\x -> neg x)",
    "def f [n m : nat] (a : n.m.f32) (b : m.f32) : m.f32 =
      a |> reduceSeq (\\_ row -> row |> mapSeq (\\x -> x + 1.0)) b |> mapSeq (\\x -> x * 2.0)",
    "def f [m n : nat] (a : m.n.f32) : m.f32 = a |> mapSeq (reduceSeq (\\_ _ -> 1.0) 2.0)",
    // Indices that are constants in memory.
    "def f [m : nat] (a : (m + 3).f32) : 3.f32 = a |> gather (makeArray[3] 0 2 1) |> mapSeq (\\x -> x + 1.0)",
    // Lanes of whole blocks, and the rest, each of which is read one by one.
    "def f [n d : nat] (x : (n + 1).d.f32) : d.(n + 1).f32 =
      transpose x |> mapSeq (\\xs ->
        let m = at[0] xs in
        let ys = concat
          (asScalar (asVector[4] (take[4*floor(n + 1, 4)] xs) |> map (\\v -> v - vectorFromScalar[4] m)))
          (drop[4*floor(n + 1, 4)] xs |> map (\\x -> x - m)) in
        let s = reduceSeq (+) 0.0 ys in ys |> mapSeq (\\y -> y / s))",
    // Channels, which stand between images and their rows.
    "def f [b c h w : nat] (x : b.c.(h + 1).(w + 1).f32) : c.f32 =
      transpose x |> mapSeq (\\p -> reduceSeq (+) 0.0 (join (join p)))",
    // Rows each of which is made of itself.
    "def f [n m : nat] (a : n.n.f32) (b : m.n.f32) : m.n.f32 =
      let places = generate[n] (\\i -> i) in
      b |> mapPar (\\rhs -> zip places (zip a rhs) |> reduceSeq (\\x row ->
          let known = zip (fst (snd row)) x |> map (\\p -> fst p * snd p) |> reduceSeq (+) 0.0 in
          zip places x |> map (\\p -> select (fst p == fst row) (snd (snd row) - known) (snd p)))
        (fill[n] 0.0))",
    // Several rows at once, each of which is made of itself, pass by pass; in lanes, too.
    "def f [k m n : nat] (a : k.f32) (x : m.n.f32) : m.n.f32 =
      x |> map (\\row -> a |> reduceSeq (\\all c -> all |> scanSeq (\\v s -> c * v + s) 0.0) row)",
    "def f [k m n : nat] (a : k.f32) (x : m.n.f32) : m.n.f32 =
      x |> map (\\row -> a |> reduceSeq (\\all c -> all |> scanSeq (\\v s ->
        (0.5 * s + v) * (0.25 * s - c) + (0.125 * s * s + v * v) * (s - 0.5)) 0.0) row)",
    // Three stages, two of which are kept row by row, filled by loops of their own before the first row.
    "def f [h w : nat] (u : (h + 6).w.f32) : h.w.f32 =
      let a = toMem (slide[3, 1] u |> mapSeq (\\r -> transpose r |> mapSeq (\\c -> reduceSeq (+) 0.0 c))) in
      let b = toMem (slide[3, 1] (a : (h + 4).w.f32) |> mapSeq (\\r -> transpose r |> mapSeq (\\c -> reduceSeq max 0.0 c))) in
      slide[3, 1] (b : (h + 2).w.f32) |> mapSeq (\\r -> transpose r |> mapSeq (\\c -> at[0] c - at[1] c * at[2] c))",
];
