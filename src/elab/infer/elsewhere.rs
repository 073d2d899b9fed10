//! What other languages have a name for, and what is written here.
//!
//! In: a name that is not known. Out: how the same is said in this language. Absent: slips of the pen, see `diag::near`.

/// Names without `_` and in small letters, and what is written for them.
const WORDS: [(&[&str], &str); 34] = [
    (&["fold", "foldl", "accumulate", "aggregate"], "`reduceSeq (\\acc x -> …) start xs`; by an operator of one type, `reduce op start xs`"),
    (
        &["scan", "scanl", "scaninclusive", "inclusivescan", "cumsum", "prefixsum"],
        "`scanSeq (+) 0.0 xs`: every result after the start",
    ),
    (
        &["scanexclusive", "exclusivescan", "scanr"],
        "`take[n] (concat (fill[1] e) (scanSeq op e xs))` for `xs : n.t`: every result before an element",
    ),
    (&["zipwith", "map2", "zipmap"], "`zip xs ys |> map (\\(x, y) -> …)`"),
    (&["zip3"], "`zip xs (zip ys zs) |> map (\\(x, (y, z)) -> …)`"),
    (&["sum"], "`reduce (+) 0.0 xs`"),
    (&["product", "prod"], "`reduce (*) 1.0 xs`"),
    (&["maximum", "amax"], "`reduce max (-infinity) xs`"),
    (&["minimum", "amin"], "`reduce min infinity xs`"),
    (&["dot", "inner", "dotproduct"], "`zip xs ys |> map (\\(x, y) -> x * y) |> reduce (+) 0.0`"),
    (&["matmul"], "`map (\\row -> map (\\column -> …) (transpose b)) a`"),
    (&["iota", "range", "arange", "tabulate", "build", "enumerate"], "`generate[n] (\\i -> …)`; `cast i : i32` is the number of an index"),
    (&["replicate", "repeat", "full", "broadcast"], "`fill[n] x`"),
    (&["zeros", "ones"], "`fill[n] 0.0`"),
    (&["flatten", "ravel"], "`join xss`"),
    (&["flatmap", "concatmap"], "`join (map f xs)`"),
    (&["length", "len", "shape"], "the size itself, as in `cast n : f32` for `xs : n.f32`"),
    (&["ifthenelse", "where", "cond", "ite"], "`select condition x y`"),
    (&["window", "windows", "sliding", "unfold"], "`slide[size, step] xs`"),
    (&["chunk", "chunks", "chunked", "reshape"], "`split[k] xs`, and `join` back"),
    (&["pad", "padconstant", "zeropad"], "`padCst[l, r] x xs`, or `padClamp[l, r] xs` for the first and last element again"),
    (&["head", "first"], "`at[0] xs`"),
    (&["get", "nth", "index", "lookup"], "`idx i xs`, or `at[3] xs` where the index is a constant"),
    (&["inf"], "`infinity`"),
    (&["float", "tofloat", "int", "toint", "fromintegral", "convert", "astype"], "`cast x : f32`, or the type that is wanted"),
    (&["pow", "power"], "`exp (y * log x)`, or a product"),
    (&["round", "rint", "nearbyint", "lround"], "`(cast (if x < 0.0 then x - 0.5 else x + 0.5) : i32)`: halves go away from 0"),
    (&["sort", "sorted", "sortby", "qsort", "argsort"], "the exchanges of a network, as `programs/other/bitonic_sort.rise` does"),
    (&["argmax", "argmin", "maxindex", "minindex"], "a reduction of pairs of a value and its index, as `programs/reduction/argmin.rise` does"),
    (&["floor", "ceil", "trunc"], "`(cast (cast x : i64) : f32)`, which rounds towards 0, and add or subtract 1 where that is not what is meant"),
    (&["filter", "partition", "compress"], "`select` in a reduction that counts or adds up what is wanted; results have lengths that no data say, so what is kept goes to places that a scan counts, by `scatter`"),
    (&["clamp", "clip", "saturate"], "`min high (max low x)`"),
    (&["mod", "rem", "remainder"], "`a % b`"),
    (&["xor"], "`bitxor a b`; of truth values `a != b`"),
];

/// How it is said here.
pub fn here(name: &str) -> Option<String> {
    let word: String = name.chars().filter(|c| *c != '_').collect();
    let word = word.to_lowercase();
    let found = WORDS.iter().find(|(names, _)| names.contains(&&*word));
    found.map(|(_, said)| format!("write {said}"))
}
