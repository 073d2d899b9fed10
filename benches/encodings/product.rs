//! The goals as files of the product: programs, rules, sketches.
//!
//! Goes out: texts. Functions are parameters of the programs, so that a sketch
//! cannot name them: it says how many of them each loop applies, and what was
//! found is compared with the goal. Absent: running them.

use std::ops::RangeInclusive;

/// A goal of the product.
pub struct Task {
    /// Its name.
    pub name: String,
    /// Where to start: a `.rise` file.
    pub program: String,
    /// Where to go: another one.
    pub goal: String,
    /// The rules that are not shipped.
    pub rules: Option<&'static str>,
    /// The step: a `.sk` file without its rules.
    pub sketch: String,
}

/// The three of the paper.
pub fn paper() -> Vec<Task> {
    vec![reduction(), fission(), binomial()]
}

/// Definitions are put in and normalised before any search.
fn reduction() -> Task {
    let chain = (1..7).fold("add1".to_string(), |rest, _| {
        format!("(compose add1 {rest})")
    });
    let sum = (0..7).fold("x".to_string(), |x, _| format!("({x} + 1.0)"));
    Task {
        name: "reduction".into(),
        program: format!(
            "def compose (f : f32 -> f32) (g : f32 -> f32) : f32 -> f32 = \\x -> f (g x)\n\
             def add1 (y : f32) : f32 = y + 1.0\n\
             def reduction : f32 -> f32 = {chain}\n"
        ),
        goal: format!("def reduction : f32 -> f32 = \\x -> {sum}\n"),
        rules: None,
        sketch: "sketch app (+) ? 1\n".into(),
    }
}

/// Five functions in one loop become three after two.
fn fission() -> Task {
    chain(1, 2, 3, 0, false)
}

const BINOMIAL: &str = "\
rule transpose-twice
  transpose (transpose x)  =>  x

rule slide-before-map [s, p : nat]
  slide[s, p] (map f x)  =>  map (map f) (slide[s, p] x)

rule map-before-slide [s, p : nat]
  map (map f) (slide[s, p] x)  =>  slide[s, p] (map f x)

rule slide-before-transpose [s, p : nat]
  transpose (map (slide[s, p]) x)  =>  map transpose (slide[s, p] (transpose x))

-- the sum of v[i] * h[j] * w[i][j] over i and j   =>   v[i] times the sum of h[j] * w[i][j]
rule separate-rows-columns
  reduceSeq (\\acc p -> plus acc (fst p * snd p)) 0.0
    (zip (join (map (\\a -> map (mul a) (h : n.f32)) (v : m.f32))) (join (w : m.n.f32)))
    =>
  reduceSeq (\\acc p -> acc + fst p * snd p) 0.0
    (zip v (map (\\r -> reduceSeq (\\acc p -> acc + fst p * snd p) 0.0 (zip h r)) w))
  where associative plus, identity 0.0 plus, accumulates plus (+)

rule separate-columns-rows
  reduceSeq (\\acc p -> acc + fst p * snd p) 0.0
    (zip (join (map (\\a -> map (mul a) (h : n.f32)) (v : m.f32))) (join (w : m.n.f32)))
    =>
  reduceSeq (\\acc p -> acc + fst p * snd p) 0.0
    (zip h (map (\\r -> reduceSeq (\\acc p -> acc + fst p * snd p) 0.0 (zip v r)) (transpose w)))
  where associative ((+) : f32 -> f32 -> f32)
";

/// A filter over 3×3 windows becomes one over columns and one over rows.
fn binomial() -> Task {
    let dot = "def dot [n : nat] (xs : n.f32) (ys : n.f32) : f32 =\n  \
               reduceSeq (\\acc p -> acc + fst p * snd p) 0.0 (zip xs ys)\n";
    let head = "def binomial [h w : nat] (v : 3.f32) (u : 3.f32) (image : (h+2).(w+2).f32) : h.w.f32 =\n  ";
    Task {
        name: "binomial".into(),
        program: format!(
            "{dot}{head}map (map (\\x -> dot (join (map (\\a -> map (\\b -> a * b) u) v)) (join x)))\n    \
             (map transpose (slide[3, 1] (map (slide[3, 1]) image)))\n"
        ),
        goal: format!(
            "{dot}{head}map (\\rows -> map (dot u) (slide[3, 1] (map (dot v) (transpose rows))))\n    \
             (slide[3, 1] image)\n"
        ),
        rules: Some(BINOMIAL),
        sketch: "use goal.rules (transpose-twice, slide-before-map[3, 1], map-before-slide[3, 1],\n  \
                 slide-before-transpose[3, 1], separate-rows-columns, separate-columns-rows)\n\
                 permit reassociate\n\
                 def dot = \\ (app reduceSeq ? ? (app (zip : 3.f32 -> ?) ? ?))\n\
                 sketch contains\n  \
                 (app map (\\ (app map dot (app slide (app map dot (app transpose ?)))))\n    \
                 (app slide ?))\n"
            .into(),
    }
}

/// The family: `n` nested maps over `2 m` chained functions with `o` parameters each beside the
/// element. `exact` asks for the goal as the program's own class, not for a part of it that, once
/// normalised, is the goal.
pub fn family(n: usize, m: usize, o: usize, exact: bool) -> Task {
    chain(n, m, m, o, exact)
}

fn chain(n: usize, before: usize, after: usize, o: usize, exact: bool) -> Task {
    let all = before + after;
    let goal = format!(
        "app {} (app {} ?)",
        nest_sketch(n, after, o),
        nest_sketch(n, before, o)
    );
    let sketch = match exact {
        false => format!("sketch contains ({goal})\n"),
        true => format!("sketch {goal}\n"),
    };
    let nest = |functions| nest(n, functions, o);
    Task {
        name: format!("{n}.{before}.{o}"),
        program: format!("{}{} xs\n", header(n, all, o), nest(1..=all)),
        goal: format!(
            "{}{} ({} xs)\n",
            header(n, all, o),
            nest(before + 1..=all),
            nest(1..=before)
        ),
        rules: None,
        sketch,
    }
}

/// What every step of a chain uses.
pub const CHAIN_RULES: &str = "use rules/algorithmic.rules (map-fission, map-fusion)\n";

fn nest_sketch(n: usize, functions: usize, o: usize) -> String {
    let f = format!("(? : {}f32)", "f32 -> ".repeat(o + 1));
    let head = format!("app {f} {}", "? ".repeat(o));
    let body = (0..functions).fold("?".to_string(), |x, _| format!("({head}{x})"));
    // One function alone is η-short.
    let inner = match (functions, o) {
        (1, 0) => f,
        (1, _) => format!("(app {f} {})", "? ".repeat(o)),
        _ => format!("(\\ {body})"),
    };
    (0..n).fold(inner, |f, _| format!("(app map {f})"))
}

fn header(n: usize, functions: usize, o: usize) -> String {
    let sizes: Vec<String> = (1..=n).map(|i| format!("n{i}")).collect();
    let array = format!("{}.f32", sizes.join("."));
    let f = "f32 -> ".repeat(o + 1) + "f32";
    let params: String = (1..=functions)
        .flat_map(|i| (1..=o).map(move |j| format!(" (p{i}_{j} : f32)")))
        .collect();
    let names: Vec<String> = (1..=functions).map(|i| format!("f{i}")).collect();
    format!(
        "def family [{} : nat] ({} : {f}){params} (xs : {array}) : {array} =\n  ",
        sizes.join(" "),
        names.join(" ")
    )
}

fn nest(n: usize, functions: RangeInclusive<usize>, o: usize) -> String {
    let body = functions.fold("x".to_string(), |x, i| {
        let params: String = (1..=o).map(|j| format!(" p{i}_{j}")).collect();
        format!("(f{i}{params} {x})")
    });
    (0..n).fold(format!("(\\x -> {body})"), |f, _| format!("(map {f})"))
}
