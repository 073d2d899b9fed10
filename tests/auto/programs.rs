//! Programs that have no sketch, each with what is done with it.

/// Programs that are not shipped, and a word of the schedule that is taken where sums may be regrouped.
pub const PROGRAMS: [(&str, &str); 107] = [
    // Lengths that are known, of which nothing is left over, or less than a vector.
    (
        "def fixed [m : nat] (x : m.256.f32) : m.f32 = x |> map (\\row -> row |> map (\\v -> v * v) |> reduce (+) 0.0)",
        "reductions in 4 vectors, parallel",
    ),
    (
        "def nearly_fixed [m : nat] (x : m.260.f32) : m.f32 = x |> map (\\row -> row |> map (\\v -> v * v) |> reduce (+) 0.0)",
        "reductions in 4 vectors, parallel",
    ),
    (
        "def fixed_sum (x : 65536.f32) : f32 = x |> map (\\v -> v * v) |> reduce (+) 0.0",
        "reductions in 4 vectors, parallel blocks",
    ),
    (
        "def sums_of_columns [m : nat] (a : m.256.f32) : 256.f32 = transpose a |> map (\\c -> reduce (+) 0.0 c)",
        "elements in 4 vectors, parallel",
    ),
    (
        "def filters [h w : nat] (weights : 32.16.3.3.f32) (image : 16.(h+2).(w+2).f32) : 32.h.w.f32 =
           weights |> map (\\filter ->
             (image |> map (\\plane -> plane |> map (slide[3, 1]) |> slide[3, 1] |> map transpose)) |> transpose |> map transpose
             |> map (map (\\window ->
               zip (join (join window)) (join (join filter)) |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)))",
        "register tiles",
    ),
    // Views have names between loops.
    (
        "def named [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
           a |> map (\\row ->
             let columns = transpose b in
             columns |> map (\\column ->
               let pairs = zip row column in
               pairs |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))",
        "names of views put in, register tiles of packed panels, parallel",
    ),
    // What is computed keeps its name beside them.
    (
        "def named_too [m n : nat] (x : m.n.f32) : m.n.f32 =
           x |> map (\\row ->
             let pairs = zip row row in
             let total = pairs |> map (\\p -> fst p * snd p) |> reduce (+) 0.0 in
             pairs |> map (\\p -> fst p / total))",
        "reductions in 4 vectors",
    ),
    // There are as many results as a difference says.
    (
        "def valid [k n : nat] (w : k.f32) (x : n.f32) : (n-k+1).f32 =
           slide[k, 1] x |> map (\\v -> zip v w |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)",
        "parallel",
    ),
    // Elements that indices choose are results, alone and in pairs.
    (
        "def chosen [n k : nat] (is : n.idx[k]) (x : k.f32) (keys : k.i32) (y : n.f32) : n.((f32, i32), f32) =
           zip (gather is (zip x keys)) y",
        "elements copied by loops, parallel",
    ),
    (
        "def both_chosen [n k : nat] (is : n.idx[k]) (js : n.idx[k]) (x : k.f32) (keys : k.i32) : (n.f32, n.i32) =
           (gather is (x |> map (\\v -> v * 2.0)), gather js keys)",
        "elements copied by loops, parallel",
    ),
    // Rows of a sparse matrix are segments, of numbers or of rows.
    (
        "def sparse [n m k : nat] (offsets : (n+1).idx[m+1]) (columns : m.idx[k]) (values : m.f32) (x : k.f32) : n.f32 =
           zip values (gather columns x) |> map (\\p -> fst p * snd p) |> reduceSegments (\\a v -> a + v) 0.0 offsets",
        "segments apart, parallel",
    ),
    (
        "def sparse_rows [n m k l : nat] (offsets : (n+1).idx[m+1]) (columns : m.idx[k]) (values : m.f32) (x : k.l.f32) : n.l.f32 =
           zip values (gather columns x) |> map (\\p -> snd p |> map (\\v -> fst p * v))
           |> reduceSegments (\\a r -> zip a r |> map (\\q -> fst q + snd q)) (fill[l] 0.0) offsets",
        "segments apart, parallel",
    ),
    // What is computed for each pixel looks at all elements of an array that knows nothing of pixels: pixels are in lanes.
    (
        "def nearest_depth [h w t : nat] (discs : t.4.f32) : h.w.f32 =
           generate (\\y -> generate (\\x ->
             let px = (cast x : f32) + 0.5 in
             let py = (cast y : f32) + 0.5 in
             discs |> map (\\d ->
               let dx = px - at[0] d in
               let dy = py - at[1] d in
               select (dx * dx + dy * dy <= at[2] d) (at[3] d) 1.0e9) |> reduce min 1.0e9))",
        "4 vectors side by side",
    ),
    (
        "def nearest_disc [h w t : nat] (discs : t.4.f32) : h.w.(f32, i32) =
           generate (\\y -> generate (\\x ->
             zip discs (generate (\\i -> (cast i : i32)) : t.i32) |> map (\\(d, i) ->
               let dx = (cast x : f32) - at[0] d in
               let dy = (cast y : f32) - at[1] d in
               (select (dx * dx + dy * dy <= at[2] d) (at[3] d) 1.0e9, i))
             |> reduce (\\a b -> if fst b < fst a then b else a) (1.0e9, -1)))",
        "4 vectors side by side",
    ),
    (
        "def clamped [n : nat] (a : f32) (x : n.f32) (y : n.f32) : n.f32 =
           zip x y |> map (\\p -> min (max (a * fst p + snd p) (-1.0)) 1.0)",
        "parallel",
    ),
    // Loops over the sums of a product leave out what is only added to them.
    (
        "def added [m n k : nat] (a : m.k.f32) (b : k.n.f32) (c : m.n.f32) : m.n.f32 =
           zip a c |> map (\\r -> zip (transpose b) (snd r) |> map (\\p ->
             snd p + (zip (fst r) (fst p) |> map (\\q -> fst q * snd q) |> reduce (+) 0.0)))",
        "register tiles of packed panels",
    ),
    // Windows whose joined rows have a name; such of which compilers write out no loops, as there are too many instructions in them.
    (
        "def deviation [h w : nat] (x : (h+6).(w+6).f32) : h.w.f32 =
           x |> map (slide[7, 1]) |> slide[7, 1] |> map transpose |> map (map (\\q ->
             let p = join q in
             let mean = (p |> reduce (+) 0.0) / 49.0 in
             let variance = (p |> map (\\v -> v * v) |> reduce (+) 0.0) / 49.0 - mean * mean in
             sqrt variance))",
        "rows of windows apart",
    ),
    (
        "def alike [h w : nat] (x : (h+6).(w+6).f32) (y : (h+6).(w+6).f32) : h.w.f32 =
           let wx = x |> map (slide[7, 1]) |> slide[7, 1] |> map transpose |> map (map join) in
           let wy = y |> map (slide[7, 1]) |> slide[7, 1] |> map transpose |> map (map join) in
           zip wx wy |> map (\\(rx, ry) -> zip rx ry |> map (\\(p, q) ->
             let mx = (p |> reduce (+) 0.0) / 49.0 in
             let my = (q |> reduce (+) 0.0) / 49.0 in
             let vx = (p |> map (\\v -> v * v) |> reduce (+) 0.0) / 49.0 - mx * mx in
             let vy = (q |> map (\\v -> v * v) |> reduce (+) 0.0) / 49.0 - my * my in
             let cv = (zip p q |> map (\\(u, v) -> u * v) |> reduce (+) 0.0) / 49.0 - mx * my in
             (2.0 * mx * my + 0.0001) * (2.0 * cv + 0.0009) / ((mx * mx + my * my + 0.0001) * (vx + vy + 0.0009))))",
        "elements in 4 vectors",
    ),
    // Reductions start from any number, and are shorter than blocks.
    (
        "def likeliest [t s : nat] (a : s.s.f32) (e : t.s.f32) (p : s.f32) : s.f32 =
           e |> reduceSeq (\\p e -> zip a e |> map (\\r -> snd r + (zip (fst r) p |> map (\\q -> fst q + snd q) |> reduce max (-1e6)))) p",
        "reductions in 4 vectors",
    ),
    (
        "def affine [m n : nat] (a : m.n.f64) (b : m.f64) (x : n.f64) : m.f64 =
           zip a b |> map (\\r -> zip (fst r) x |> map (\\p -> fst p * snd p) |> reduce (+) (snd r))",
        "reductions in 4 vectors",
    ),
    (
        "def squares [n : nat] (x : n.f32) (y : n.f32) : f32 =
           zip x y |> map (\\p -> (fst p - snd p) * (fst p - snd p)) |> reduce (+) 0.0",
        "reductions in 4 vectors",
    ),
    (
        "def peaks [m n : nat] (x : m.(n+1).f32) : m.(n+1).f32 =
           x |> map (\\row -> let most = reduce max (at[0] row) row in row |> map (\\v -> v / most))",
        "parallel",
    ),
    (
        "def dense [m n : nat] (a : m.n.f32) (x : n.f32) (b : m.f32) : m.f32 =
           zip a b |> map (\\r -> (zip (fst r) x |> map (\\p -> fst p * snd p) |> reduce (+) 0.0) + snd r)",
        "reductions in 4 vectors",
    ),
    (
        "def differences [m n : nat] (x : m.f32) (y : n.f32) : m.n.f32 =
           x |> map (\\u -> y |> map (\\v -> u - v))",
        "parallel",
    ),
    (
        "def smooth [n : nat] (x : (n+4).f32) : n.f32 =
           slide[5, 1] x |> map (\\w -> reduce (+) 0.0 w * 0.2)",
        "parallel",
    ),
    (
        "def turned [m n : nat] (x : m.n.f32) : n.m.f32 = transpose x |> map (map (\\v -> v * 2.0))",
        "strips of rows",
    ),
    (
        "def dots [b n : nat] (x : b.n.f32) (y : b.n.f32) : b.f32 =
           zip x y |> map (\\r -> zip (fst r) (snd r) |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)",
        "reductions in 4 vectors",
    ),
    (
        "def product [rows cols inner : nat] (a : rows.inner.f64) (b : inner.cols.f64) : rows.cols.f64 =
           a |> map (\\row -> transpose b |> map (\\col ->
             zip row col |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))",
        "register tiles",
    ),
    (
        "def two_stages [h w : nat] (x : (h+2).w.f32) : h.w.f32 =
           let roots = x |> map (map (\\v -> exp (sqrt v))) in
           slide[3, 1] roots |> map (\\rows -> transpose rows |> map (\\c -> reduce (+) 0.0 c))",
        "named arrays kept",
    ),
    (
        "def doubled [n : nat] (x : n.f32) : n.f32 = x |> map (\\v -> v * 2.0) |> reverse",
        "parallel",
    ),
    (
        "def total [n : nat] (x : n.i32) : i32 = reduce (+) 0 x",
        "parallel blocks",
    ),
    // Something is done with each sum before it is stored.
    (
        "def layer [m n k : nat] (x : m.k.f32) (w : k.n.f32) (b : n.f32) : m.n.f32 =
           x |> map (\\row -> zip (transpose w) b |> map (\\c ->
             max (reduce (+) 0.0 (zip row (fst c) |> map (\\p -> fst p * snd p)) + snd c) 0.0))",
        "sums apart, named arrays kept, register tiles",
    ),
    // Rows and columns that are zipped with something.
    (
        "def scaled [m n k : nat] (s : m.f32) (x : m.k.f32) (w : k.n.f32) (c : m.n.f32) : m.n.f32 =
           zip x (zip s c) |> map (\\r -> zip (transpose w) (snd (snd r)) |> map (\\c ->
             fst (snd r) * (reduce (+) 0.0 (zip (fst r) (fst c) |> map (\\p -> fst p * snd p)) - snd c)))",
        "sums apart, named arrays kept, register tiles",
    ),
    // Two sums for each number, which have names.
    (
        "def ratios [m n k : nat] (x : m.k.f32) (w : k.n.f32) (v : k.n.f32) : m.n.f32 =
           x |> map (\\row -> zip (transpose w) (transpose v) |> map (\\c ->
             let a = reduce (+) 0.0 (zip row (fst c) |> map (\\p -> fst p * snd p)) in
             let b = reduce (+) 0.0 (zip row (snd c) |> map (\\p -> fst p * snd p)) in
             a / (1.0 + b * b)))",
        "sums apart, named arrays kept, register tiles",
    ),
    // Sums that are reduced again, with their places.
    (
        "def farthest [m n d : nat] (x : m.d.f32) (y : n.d.f32) : m.f32 =
           x |> map (\\u -> y |> map (\\v ->
             reduce (+) 0.0 (zip u v |> map (\\p -> (fst p - snd p) * (fst p - snd p))))
           |> reduce max 0.0)",
        "sums apart, named arrays kept, register tiles",
    ),
    // Pairs of sums.
    (
        "def rotated [m n k : nat] (a : m.k.(f32, f32)) (b : k.n.(f32, f32)) : m.n.(f32, f32) =
           a |> map (\\row -> transpose b |> map (\\col -> zip row col
             |> map (\\p -> (fst (fst p) * fst (snd p), snd (fst p) * fst (snd p)))
             |> reduce (\\x y -> (fst x + fst y, snd x + snd y)) (0.0, 0.0)))",
        "register tiles, parallel",
    ),
    // Rows of a tile are not the loop around its columns.
    (
        "def filters [f h w k : nat] (weights : f.k.f32) (image : h.(w+k).f32) : f.h.(w+1).f32 =
           weights |> map (\\filter -> image |> map (\\line -> slide[k, 1] line |> map (\\window ->
             reduce (+) 0.0 (zip filter window |> map (\\p -> fst p * snd p)))))",
        "register tiles",
    ),
    // What a function is given is computed once, though it reads it for each column.
    (
        "def step [m n : nat] (x : m.n.f32) (y : m.f32) (w : n.f32) : n.f32 =
           x |> map (\\row -> exp (reduce (+) 0.0 (zip row w |> map (\\p -> fst p * snd p))))
           |> (\\e -> transpose x |> map (\\col ->
                reduce (+) 0.0 (zip col e |> map (\\p -> fst p * snd p))))",
        "named arrays kept",
    ),
    // Windows of what other windows were reduced to, which has no name.
    (
        "def twice [n : nat] (x : (n+48).f32) : n.f32 =
           (slide[25, 1] x |> map (\\w -> reduce (+) 0.0 w) : (n+24).f32)
           |> slide[25, 1] |> map (\\w -> reduce (+) 0.0 w)",
        "stages kept",
    ),
    (
        "def powers [n t : nat] (x : n.f32) : n.f32 =
           fst ((x, 1.5f32) |> iterate[t] (\\s ->
             (generate[n] (\\i -> idx i (fst s) + snd s), 0.5 * snd s)))",
        "parallel",
    ),
    // Loops of the same length, of which the first one is only read.
    (
        "def read_once [h w : nat] (x : h.w.f32) : h.w.f32 =
           let halves = x |> map (\\row -> row |> map (\\v -> v * 0.5)) in
           zip halves x |> map (\\rows ->
             zip (fst rows) (snd rows) |> map (\\p -> fst p + snd p * snd p))",
        "parallel",
    ),
    (
        "def pairs [m n : nat] (x : m.n.(f32, f32)) : n.(f32, f32) =
           transpose x |> map (\\c ->
             reduce (\\a b -> (fst a + fst b, snd a + snd b)) (0.0, 0.0) c)",
        "whole rows into 16 vectors",
    ),
    (
        "def column_sums [m n : nat] (x : m.n.f32) : n.f32 =
           transpose x |> map (\\c -> reduce (+) 0.0 (c |> map (\\v -> v * v)))",
        "whole rows into 64 vectors",
    ),
    // By operators without an identity, to tuples, in order; where vectors have no such operation, compilers make them.
    (
        "def largest [n : nat] (x : n.f32) : f32 = reduce max 0.0 (x |> map abs)",
        "reductions in 4 vectors, parallel blocks",
    ),
    (
        "def both [n : nat] (x : n.f32) : (f32, f32) =
           x |> map (\\v -> (v, v * v)) |> reduce (\\a b -> (fst a + fst b, snd a + snd b)) (0.0, 0.0)",
        "parallel blocks, reductions in 4 vectors",
    ),
    (
        "def nearest [n : nat] (x : n.(f32, i32)) : (f32, i32) =
           x |> reduce (\\a b ->
             let least = or (fst a < fst b) (and (fst a == fst b) (snd a <= snd b)) in
             (select least (fst a) (fst b), select least (snd a) (snd b))) (1000000.0, 0)",
        "parallel blocks, reductions in rows",
    ),
    (
        "def steps [n : nat] (x : n.(i32, i32)) : (i32, i32) =
           x |> reduce (\\a b -> (fst a * fst b, snd a * fst b + snd b)) (1, 0)",
        "parallel blocks",
    ),
    // From the first element on: blocks begin where the array does.
    (
        "def ends [n : nat] (x : (n+1).i32) : (i32, i32) =
           let both = x |> map (\\v -> (v, v)) in
           reduce (\\a b -> (max (fst a) (fst b), min (snd a) (snd b))) (at[0] both) (drop[1] both)",
        "parallel blocks, reductions in 4 vectors",
    ),
    // Each element counts for one place, which it names.
    (
        "def tally [n k : nat] (keys : n.(i32, i32)) : k.i32 =
           generate[k] (\\j -> keys |> map (\\p -> select ((cast j : i32) == fst p) (snd p) 0) |> reduce (+) 0)",
        "updates at places",
    ),
    (
        "def marks [n k : nat] (keys : n.idx[k]) : k.i32 =
           generate[k] (\\j -> let place = j in keys |> map (\\p -> select (p == place) 3 0) |> reduce (+) 0)",
        "updates at places",
    ),
    // The function of a name is a loop of loops, whose variable nobody wrote.
    (
        "def layer [m h n k : nat] (b : n.f32) (w : k.n.f32) (x : m.(h + 1).k.f32) : m.h.n.f32 =
           x |> map (\\image ->
             let rows = drop[1] image in
             rows |> map (\\row -> zip (transpose w) b |> map (\\p ->
               max (reduce (+) 0.0 (zip (fst p) row |> map (\\q -> fst q * snd q)) + snd p) 0.0)))",
        "sums apart",
    ),
    // A function of each sum follows, and a second layer.
    (
        "def dense [m n k : nat] (x : m.k.f32) (w : k.n.f32) (b : n.f32) : m.n.f32 =
           x |> map (\\row -> zip (transpose w) b |> map (\\c ->
             reduce (+) 0.0 (zip row (fst c) |> map (\\p -> fst p * snd p)) + snd c))\ndef layers [m k l n : nat] (v : k.l.f32) (a : l.f32) (w : l.n.f32) (b : n.f32) (x : m.k.f32) : m.n.f32 =
           let hidden = dense x v a |> map (map (\\v -> max v 0.0)) in dense hidden w b",
        "sums apart, named arrays kept, register tiles",
    ),
    // Sums of columns with which something is done.
    (
        "def means [m n : nat] (x : m.n.f32) : n.f32 =
           transpose x |> map (\\c -> reduce (+) 0.0 c / size[m])",
        "sums apart, named arrays kept, whole rows",
    ),
    // Some sums along rows, some across.
    (
        "def rest [m n : nat] (q : m.n.f32) (v : n.f32) : n.f32 =
           let c = q |> map (\\r -> reduce (+) 0.0 (zip r v |> map (\\p -> fst p * snd p))) in
           zip v (transpose q) |> map (\\p -> fst p - reduce (+) 0.0 (zip c (snd p) |> map (\\r -> fst r * snd r)))",
        "sums apart, named arrays kept, reductions in 4 vectors, elements in 4 vectors",
    ),
    // What a row of a window is reduced to is the same for all windows that have it.
    (
        "def box [h w : nat] (image : (h+4).(w+4).f32) : h.w.f32 =
           image |> map (slide[5, 1]) |> slide[5, 1] |> map transpose
           |> map (map (\\window -> reduce (+) 0.0 (join window) * 0.04))",
        "rows of windows apart",
    ),
    (
        "def eroded [h w : nat] (image : (h+6).(w+6).u8) : h.w.u8 =
           slide[7, 1] image |> map (\\rows -> transpose (map (slide[7, 1]) rows)
           |> map (\\window -> reduce min 255u8 (join window)))",
        "rows of windows apart",
    ),
    (
        "def opened [h w : nat] (image : (h+1).(w+1).f32) : (h+1).(w+1).f32 =
           image |> padClamp[3, 3] |> map (padClamp[3, 3]) |> map (slide[7, 1]) |> slide[7, 1] |> map transpose
           |> map (map (\\window -> reduce max (at[0] (at[0] window)) (join window)))",
        "rows of windows apart",
    ),
    (
        "def energies [h w : nat] (image : (h+8).(w+8).f32) : h.w.f32 =
           image |> map (slide[9, 1]) |> slide[9, 1] |> map transpose |> map (map (\\window ->
             let mean = reduce (+) 0.0 (join window) / 81.0 in
             reduce (+) 0.0 (join window |> map (\\p -> p * p)) / 81.0 - mean * mean))",
        "rows of windows apart",
    ),
    // Elements that are reductions have a loop of their own.
    (
        "def residual [m n : nat] (a : m.n.f32) (x : n.f32) (b : m.f32) : f32 =
           zip a b |> map (\\r ->
             let e = snd r - reduce (+) 0.0 (zip (fst r) x |> map (\\p -> fst p * snd p)) in e * e)
           |> reduce (+) 0.0",
        "elements apart, named arrays kept, reductions in 4 vectors, parallel",
    ),
    (
        "def inside [m n : nat] (r : f32) : i32 =
           generate[m] (\\i -> generate[n] (\\j ->
             let x = (cast i : f32) * 0.01 in
             let y = (cast j : f32) * 0.01 in
             select (x * x + y * y <= r * r) 1 0) |> reduce (+) 0) |> reduce (+) 0",
        "elements apart, named arrays kept, parallel",
    ),
    // Several sums of each column.
    (
        "def spread [m n : nat] (x : (m+1).n.f32) : n.f32 =
           transpose x |> map (\\column ->
             let mean = reduce (+) 0.0 column / size[m+1] in
             let square = reduce (+) 0.0 (column |> map (\\v -> v * v)) / size[m+1] in
             square - mean * mean)",
        "parallel",
    ),
    // Several sums of each window, one of which needs the other.
    (
        "def bands [n : nat] (x : (n+20).f32) : (1+n).(f32, f32) =
           slide[20, 1] x |> map (\\w ->
             let mean = reduce (+) 0.0 w / 20.0 in
             let d = sqrt (reduce (+) 0.0 (w |> map (\\v -> (v - mean) * (v - mean))) / 20.0) in
             (mean - d, mean + d))",
        "parallel",
    ),
    // No array says how much there is to do.
    (
        "def integral [n : nat] (a b : f32) : f32 =
           let h = (b - a) / (cast (n : i64) : f32) in
           generate[n] (\\i -> let x = a + h * (cast i : f32) in 4.0 / (1.0 + x * x)) |> reduce (+) 0.0",
        "reductions in 4 vectors, parallel blocks",
    ),
    // Indices of columns, in loops over rows; and in loops around loops.
    (
        "def product [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
           a |> map (\\row -> generate[n] (\\j ->
             zip row b |> map (\\p -> fst p * idx j (snd p)) |> reduce (+) 0.0))",
        "elements instead of indices, register tiles of packed panels, parallel",
    ),
    (
        "def columns [m n : nat] (a : m.n.f32) : n.f32 =
           generate[n] (\\j -> a |> map (\\row -> idx j row) |> reduce (+) 0.0)",
        "elements instead of indices, whole rows into 64 vectors, parallel",
    ),
    // What a scan makes, a loop reads: it has a name, and so have several.
    (
        "def below [n : nat] (x : n.f32) : n.f32 =
           zip x (scanSeq (\\v s -> max s v) 0.0 x) |> map (\\p -> (snd p - fst p) / (snd p + 1.0))",
        "scans in parallel blocks",
    ),
    (
        "def ratios [n : nat] (x : n.f32) (y : n.f32) : n.f32 =
           zip (scanSeq (\\v s -> s + v) 1.0 x) (scanSeq (\\v s -> max s v) 1.0 y) |> map (\\p -> fst p / snd p)",
        "scans in parallel blocks",
    ),
    (
        "def crossing [n : nat] (x : n.f32) : n.f32 =
           let smooth = scanSeq (\\v s -> 0.9 * s + 0.1 * v) 0.0 x in zip x smooth |> map (\\p -> fst p / (abs (snd p) + 1.0))",
        "recurrences in parallel blocks",
    ),
    // What a recurrence comes to has a name itself.
    (
        "def above [n : nat] (x : n.f32) : n.f32 =
           let last = reduceSeq (\\s v -> 0.9 * s + v) 0.0 x in x |> map (\\v -> v - last)",
        "recurrences in parallel blocks, parallel",
    ),
    // Columns are scanned a row at a time.
    (
        "def running [m n : nat] (x : m.n.f32) : m.n.f32 =
           transpose x |> map (\\column -> column |> map (\\v -> v * 2.0) |> scanSeq (\\v s -> max v s) (-9.0))
           |> transpose",
        "scans of rows in vectors, parallel",
    ),
    // Rows that share work are computed once, though columns of them are read.
    (
        "def shares [m n : nat] (x : m.n.f32) : n.f32 =
           x |> map (\\row ->
             let all = reduce (+) 1.0 (row |> map (\\v -> abs v)) in row |> map (\\v -> v / all))
           |> transpose |> map (reduce (+) 0.0)",
        "rows apart, named arrays kept",
    ),
    // So are rows of sums of which windows of columns are read.
    (
        "def row [n : nat] (k : 7.f32) (r : (n+6).f32) : n.f32 =
           r |> slide[7, 1] |> map (\\w -> zip k w |> map (\\(a, b) -> a * b) |> reduce (+) 0.0)
def smoothed [h w : nat] (k : 7.f32) (x : (h+6).(w+6).f32) : h.w.f32 =
           x |> map (row k) |> transpose |> map (row k) |> transpose",
        "rows apart, named arrays kept, parallel",
    ),
    // So are small arrays that have a name.
    (
        "def turned [n : nat] (c : 8.8.f32) (x : n.8.8.f32) : n.8.8.f32 =
           x |> map (\\block ->
             let half = c |> map (\\r -> transpose block |> map (\\k ->
               zip r k |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)) in
             half |> map (\\r -> c |> map (\\k ->
               zip r k |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)))",
        "named arrays kept",
    ),
    // Numbers of a channel in all images of a batch lie in one piece for each image.
    (
        "def spreads [b c h w : nat] (x : b.c.h.w.f32) : c.f32 =
           transpose x |> map (\\channel ->
             let all = join (join channel) in
             let sum = reduce (+) 0.0 all in
             reduce (+) 0.0 (all |> map (\\v -> v * v)) - sum * sum)",
        "joined rows apart, named arrays kept, reductions in 4 vectors",
    ),
    // A scalar has a name beside that of a sum.
    (
        "def deviations [m n : nat] (x : (m+1).n.f32) : n.f32 =
           transpose x |> map (\\column ->
             let count = (cast (m+1) : f32) in
             let mean = reduce (+) 0.0 column / count in
             reduce (+) 0.0 (column |> map (\\v -> (v - mean) * (v - mean))) / count)",
        "sums apart, named arrays kept, whole rows into 64 vectors",
    ),
    // Sums that are the same for all rows, or in all columns, are made once.
    (
        "def angles [m n d : nat] (x : m.d.f32) (y : n.d.f32) : m.n.f32 =
           x |> map (\\a -> y |> map (\\b ->
             let length = \\(v : d.f32) -> sqrt (reduce (+) 0.25 (v |> map (\\e -> e * e))) in
             reduce (+) 0.0 (zip a b |> map (\\p -> fst p * snd p)) / (length a * length b)))",
        "sums apart, named arrays kept, reductions in 4 vectors, register tiles of packed panels",
    ),
    // Short sums of windows are kept, and the long sum of those is in blocks: a named array that is only reduced.
    (
        "def total [n : nat] (x : (n+8).f32) : f32 =
           slide[8, 1] x |> map (\\w -> abs (reduce (+) 0.0 w)) |> reduce (+) 0.0",
        "elements apart, named arrays kept, reductions in 4 vectors, parallel blocks, parallel",
    ),
    // Elements of rows of elements.
    (
        "def blocks [h w : nat] (x : (8*h).(8*w).f32) : f32 =
           split[8] x |> map (\\r -> transpose (r |> map (split[8])) |> map (\\b ->
             sqrt (join b |> map (\\v -> v * v) |> reduce (+) 0.0))) |> join |> reduce (+) 0.0",
        "elements apart, named arrays kept, parallel",
    ),
    // Two results of one loop, which `unzip` takes apart.
    (
        "def two [h w : nat] (x : h.w.(f32, f32)) : (h.w.f32, h.w.f32) =
           unzip (x |> map (\\r -> unzip (r |> map (\\p -> (fst p + snd p, fst p * snd p)))))",
        "parallel",
    ),
    // Steps of a number are steps of a vector, by a pass: vectors of a schedule take as long.
    (
        "def roots [n : nat] (x : n.f32) : n.f32 =
           x |> map (\\a -> iterate[20] (\\y -> (2.0 * y + a / (y * y)) / 3.0) (a / 3.0 + 0.5))",
        "parallel",
    ),
    // A panel of what the columns have, whichever operand it is of.
    (
        "def linear [b i o : nat] (x : b.i.f32) (weights : o.i.f32) (bias : o.f32) : b.o.f32 =
           x |> map (\\row -> zip weights bias |> map (\\p ->
             (zip (fst p) row |> map (\\q -> fst q * snd q) |> reduce (+) 0.0) + snd p))",
        "sums apart, named arrays kept, register tiles of packed panels",
    ),
    // Two products whose rows are zipped: each has a name, and panels.
    (
        "def gated [b i o : nat] (v : i.o.f32) (w : i.o.f32) (x : b.i.f32) : b.o.f32 =
           let product = \\(w : i.o.f32) -> x |> map (\\row -> transpose w |> map (\\c ->
             zip row c |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)) in
           zip (product v) (product w) |> map (\\(r, s) ->
             zip r s |> map (\\(p, q) -> q * max p 0.0))",
        "sums apart, named arrays kept, register tiles of packed panels",
    ),
    // Two layers, each with panels of its own.
    (
        "def layers [b i h o : nat] (x : b.i.f32) (v : h.i.f32) (w : o.h.f32) : b.o.f32 =
           x |> map (\\row ->
             let hidden = v |> map (\\r -> max 0.0 (zip r row |> map (\\q -> fst q * snd q) |> reduce (+) 0.0)) in
             w |> map (\\r -> zip r hidden |> map (\\q -> fst q * snd q) |> reduce (+) 0.0))",
        "register tiles of packed panels",
    ),
    // Sums of sums are one.
    (
        "def layer [o c n : nat] (x : c.(n+4).f32) (weights : o.c.5.f32) : o.n.f32 =
           weights |> map (\\w ->
             x |> map (slide[5, 1]) |> transpose |> map (\\windows ->
               zip windows w |> map (\\p -> zip (fst p) (snd p) |> map (\\q -> fst q * snd q) |> reduce (+) 0.0)
               |> reduce (+) 0.0))",
        "sums of sums joined, register tiles",
    ),
    // The extremes of an image, from its first element on.
    (
        "def stretched [h w : nat] (image : (h+1).(w+1).f32) : (h+1).(w+1).f32 =
           let least = reduce min (at[0] (at[0] image)) (join image) in
           image |> map (map (\\v -> v - least))",
        "reductions in 4 vectors, parallel blocks",
    ),
    // Rows of a table are read whole.
    (
        "def bags [b l v d : nat] (places : b.l.idx[v]) (table : v.d.f32) : b.d.f32 =
           places |> map (\\bag -> gather bag table |> transpose |> map (reduce (+) 0.0))",
        "elements in 4 vectors",
    ),
    // Sizes that are named as parameters of sketches would be.
    (
        "def named [f32lanes block : nat] (x : f32lanes.block.f32) : f32lanes.f32 =
           x |> map (\\row -> reduce (+) 0.0 row)",
        "reductions in 4 vectors",
    ),
    (
        "def goertzel [m n : nat] (coefs : m.f32) (x : n.f32) : m.f32 =
           coefs |> map (\\c ->
             let s = x |> reduceSeq (\\s v -> (v + c * fst s - snd s, fst s)) (0.0, 0.0) in
             fst s * fst s + snd s * snd s - c * fst s * snd s)",
        "parallel",
    ),
    // What windows read several times is loaded once: named or not, that takes as long.
    (
        "def low (a : f32) (b : f32) (c : f32) : f32 = min a (min b c)
def middle (a : f32) (b : f32) (c : f32) : f32 = max (min a b) (min (max a b) c)
def medians [h w : nat] (x : (h+2).(w+2).f32) : h.w.f32 =
           slide[3, 1] x |> map (\\rows -> transpose rows |> slide[3, 1] |> map (\\win ->
             let a = at[0] win in let b = at[1] win in let c = at[2] win in
             let m = middle (middle (at[0] a) (at[1] a) (at[2] a)) (middle (at[0] b) (at[1] b) (at[2] b)) (middle (at[0] c) (at[1] c) (at[2] c)) in
             max m (low (at[1] a) (at[1] b) (at[1] c))))",
        "parallel",
    ),
    // Results that others are made of are written by loops of their own, which are one again.
    (
        "def adam [n : nat] (w : n.f32) (g : n.f32) (m : n.f32) (v : n.f32) (lr : f32) : (n.f32, (n.f32, n.f32)) =
           let m2 = zip m g |> map (\\p -> 0.9 * fst p + 0.1 * snd p) in
           let v2 = zip v g |> map (\\p -> 0.999 * fst p + 0.001 * snd p * snd p) in
           (zip w (zip m2 v2) |> map (\\p -> fst p - lr * fst (snd p) / (sqrt (snd (snd p)) + 0.00000001)), (m2, v2))",
        "named results put in, parallel",
    ),
    // Parts of an array are written side by side.
    (
        "def bayer [h w : nat] (raw : (2*h).(2*w).u16) : 3.h.w.f32 =
           let quads = split[2] raw |> map (\\rows -> transpose rows |> split[2] |> map transpose) in
           let px = quads |> map (\\r -> r |> map (\\q ->
             ((cast (at[0] (at[0] q)) : f32), ((cast (at[1] (at[0] q)) : f32) + (cast (at[0] (at[1] q)) : f32), (cast (at[1] (at[1] q)) : f32))))) in
           makeArray[3] (px |> map (\\r -> r |> map (\\p -> 1.9 * fst p)))
             (px |> map (\\r -> r |> map (\\p -> 0.5 * fst (snd p)))) (px |> map (\\r -> r |> map (\\p -> 1.6 * snd (snd p))))",
        "parallel",
    ),
    (
        "def cube_roots [n : nat] (x : n.f32) : n.f32 =
           x |> map (\\v -> fst (iterate[40] (\\s ->
             let middle = 0.5 * (fst s + snd s) in
             select (middle * middle * middle < v) (middle, snd s) (fst s, middle)) (0.0, max v 1.0)))",
        "parallel",
    ),
    (
        "def shortest [n : nat] (d : n.n.f32) : n.n.f32 =
           generate[n] (\\k -> k) |> reduceSeq (\\d k ->
             let through = idx k d in
             d |> map (\\row -> let first = idx k row in zip row through |> map (\\p -> min (fst p) (first + snd p)))) d",
        "parallel",
    ),
    (
        "def states [t k : nat] (moves : (k+1).(k+1).f32) (seen : t.(k+1).f32) (first : (k+1).f32) : (k+1).f32 =
           seen |> reduceSeq (\\s e ->
             zip moves e |> map (\\p ->
               let scores = zip (fst p) s |> map (\\q -> fst q + snd q) in
               snd p + reduce max (at[0] scores) scores)) first",
        "reductions in 4 vectors, parallel",
    ),
    (
        "def polynomial [n k : nat] (c : (k+1).f32) (x : n.f32) : n.f32 =
           x |> map (\\v -> c |> reduceSeq (\\s a -> s * v + a) 0.0)",
        "parallel",
    ),
    (
        "def by_index [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
           generate[m] (\\i -> generate[n] (\\j -> generate[k] (\\p -> idx p (idx i a) * idx j (idx p b)) |> reduce (+) 0.0))",
        "register tiles",
    ),
    (
        "def scaled_blocks [m k : nat] (w : m.(32*k).i8) (s : m.k.f32) (x : (32*k).f32) : m.f32 =
           zip w s |> map (\\p -> zip (split[32] (fst p)) (zip (snd p) (split[32] x)) |> map (\\b ->
             (zip (fst b) (snd (snd b)) |> map (\\t -> (cast (fst t) : f32) * snd t) |> reduce (+) 0.0) * fst (snd b))
             |> reduce (+) 0.0)",
        "short reductions in a vector",
    ),
    (
        "def gates [m n : nat] (w : m.n.f32) (u : m.m.f32) (x : n.f32) (h : m.f32) : m.f32 =
           zip (w |> map (\\r -> zip r x |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))
               (u |> map (\\r -> zip r h |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))
             |> map (\\p -> max 0.0 (fst p + snd p))",
        "reductions in 4 vectors, parallel",
    ),
    (
        "def convolved [n k : nat] (x : (n+k).f32) (w : (k+1).f32) : n.f32 =
           generate[n] (\\i -> generate[k+1] (\\j ->
             idx (cast ((cast i : i64) + (cast j : i64)) : idx[n+k]) x * idx j w) |> reduce (+) 0.0)",
        "parallel",
    ),
    (
        "def halves [m n k : nat] (a : m.k.f16) (b : k.n.f16) : m.n.f32 =
           a |> map (\\row -> transpose b |> map (\\col ->
             zip row col |> map (\\p -> (cast (fst p) : f32) * (cast (snd p) : f32)) |> reduce (+) 0.0))",
        "register tiles",
    ),
    (
        "def weights [m n k : nat] (w : m.k.i8) (s : m.f32) (x : k.n.f32) : m.n.f32 =
           zip w s |> map (\\r -> transpose x |> map (\\col ->
             (zip (fst r) col |> map (\\p -> (cast (fst p) : f32) * snd p) |> reduce (+) 0.0) * snd r))",
        "register tiles",
    ),
    // What is said by views alone is copied by loops, and along rows on both sides.
    (
        "def turned [h w : nat] (x : h.w.f32) : w.h.f32 = transpose (reverse x)",
        "elements copied by loops, strips of rows",
    ),
    // No vector compares and chooses: blocks of columns are reduced row by row, of which compilers make vectors.
    (
        "def tallest [m n : nat] (x : (m+1).n.f32) : n.i32 =
           transpose x |> map (\\col ->
             let places = zip col (generate[m+1] (\\i -> (cast i : i32))) in
             snd (reduce (\\best p -> select (fst p > fst best) p best) (at[0] places) places))",
        "blocks of columns",
    ),
    (
        "def leaders [m n : nat] (x : (m+1).n.(f32, f32)) : n.(f32, f32) =
           transpose x |> map (\\col -> reduceSeq (\\a b -> select (fst b > fst a) b a) (at[0] col) (drop[1] col))",
        "blocks of columns",
    ),
    // What has a border is kept with it: before all channels where a window is of several, else in a loop over them.
    (
        "def convolution [b c n k : nat] (weights : k.c.3.f32) (x : b.c.n.f32) : b.k.n.f32 =
           x |> map (\\signal ->
             let windows = signal |> map (padCst[1, 1] 0.0) |> map (slide[3, 1]) |> transpose in
             weights |> map (\\kernel -> windows |> map (\\window ->
               zip (join kernel) (join window) |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)))",
        "borders kept, register tiles",
    ),
    (
        "def depthwise [c h w : nat] (weights : c.3.3.f32) (x : c.h.w.f32) : c.h.w.f32 =
           zip weights x |> map (\\(kernel, plane) ->
             plane |> map (padCst[1, 1] 0.0) |> padCst[1, 1] (fill[w+2] 0.0) |> map (slide[3, 1]) |> slide[3, 1] |> map transpose
             |> map (map (\\window -> zip (join kernel) (join window) |> map (\\(a, b) -> a * b) |> reduce (+) 0.0)))",
        "borders kept",
    ),
    (
        "def filtered [n k : nat] (weights : (2*k+1).f32) (x : n.f32) : n.f32 =
           x |> padClamp[k, k] |> slide[2*k+1, 1] |> map (\\w -> zip weights w |> map (\\(a, b) -> a * b) |> reduce (+) 0.0)",
        "borders kept, parallel",
    ),
];
