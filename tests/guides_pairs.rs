//! Guides found for programs and goals that nobody wrote guides for, in one common set of rules: loops in every order, tiles in
//! two, three and four dimensions, products in every order of their loops, blocked and vectorised.
//!
//! `cargo test --release --test searches guides_pairs:: -- --ignored --nocapture` prints the table of docs/automatic.md.

use crate::common::{chain_text, program_text};
use rise_opt::alloc;
use rise_opt::search::guides::{guides, Guides};
use rise_opt::search::Options;
use std::time::Instant;

const COMMON: &str = "
import \"sketches/prelude.sk\"
use rules/algorithmic.rules (map-fission, reduce-seq, eliminate-map-identity, reduce-seq-map-fusion,
  reduce-seq-map-fission, split-join[4], blocked-reduce-seq[4], split-before-map[4], lift-reduce-seq-general,
  lift-reduce-seq, map-fst-zip, map-snd-zip)
use rules/layout.rules (transpose-around-map-map, map-interchange)
use rules/vector.rules (vectorize-after[4], vectorize-map[4], vectorize-zip[4])
use rules/parallel.rules
";

/// The exchange of the two outermost loops, which no shipped rule makes for arrays of arrays.
const EXCHANGE: &str = "
-- for i: for j: f x[i][j]   ⇒   for j: for i: f x[i][j], put back in place
rule transpose-around-map
  map (map f) xs  =>  transpose (map (map f) (transpose xs))
";

const PRODUCT: &str = "
def p [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
  a |> map (\\row -> transpose b |> map (\\col -> zip row col |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))";

struct Pair {
    kind: &'static str,
    name: String,
    program: String,
    goal: String,
}

/// A function of each element of an array of so many dimensions.
fn elementwise(dimensions: &[&str]) -> String {
    let ty = format!("{}.f32", dimensions.join("."));
    let f = (0..dimensions.len()).fold("\\x -> x * x + 1.0".to_string(), |f, _| {
        format!("map ({f})")
    });
    format!(
        "def p [{} : nat] (xs : {ty}) : {ty} = {f} xs",
        dimensions.join(" ")
    )
}

/// Loops one in the other.
fn nest(loops: &[(&str, String)], body: &str) -> String {
    let open = |all: String, (head, n): &(&str, String)| format!("{head} ({n}) ({all})");
    loops.iter().rev().fold(body.to_string(), open)
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for shorter in permutations(n - 1) {
        for at in 0..n {
            let mut longer = shorter.clone();
            longer.insert(at, n - 1);
            out.push(longer);
        }
    }
    out.sort();
    out
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn orders() -> Vec<Pair> {
    let mut out = Vec::new();
    for n in 2..=4 {
        for order in permutations(n).into_iter().skip(1) {
            let loops = order.iter().map(|i| ("containsMap", NAMES[*i].to_string()));
            let loops: Vec<_> = loops.collect();
            let names: Vec<&str> = order.iter().map(|i| NAMES[*i]).collect();
            out.push(Pair {
                kind: "order of loops",
                name: names.join(" "),
                program: elementwise(&NAMES[..n]),
                goal: nest(&loops, "?"),
            });
        }
    }
    out
}

/// Some loops are taken apart; the tiles are innermost.
fn tiles() -> Vec<Pair> {
    let mut out = Vec::new();
    for n in 2..=4_usize {
        for apart in 1..1_u32 << n {
            let is_apart = |i: &usize| apart & 1 << *i != 0;
            let mut loops = Vec::new();
            for (i, name) in NAMES.iter().enumerate().take(n) {
                let size = match is_apart(&i) {
                    true => format!("{name}/4"),
                    false => name.to_string(),
                };
                loops.push(("containsMap", size));
            }
            let inner = (0..n)
                .filter(is_apart)
                .map(|_| ("containsMap", "4".to_string()));
            loops.extend(inner);
            let names: Vec<&str> = loops.iter().map(|l| l.1.as_str()).collect();
            out.push(Pair {
                kind: "tiles",
                name: names.join(" "),
                program: elementwise(&NAMES[..n]),
                goal: nest(&loops, "?"),
            });
        }
    }
    out
}

fn products() -> Vec<Pair> {
    let of = |i: usize| match i {
        2 => ("containsReduceSeq", "k".to_string()),
        i => ("containsMap", ["m", "n"][i].to_string()),
    };
    let mut out = Vec::new();
    for order in permutations(3).into_iter().skip(1) {
        let loops: Vec<_> = order.iter().map(|i| of(*i)).collect();
        let names: Vec<&str> = loops.iter().map(|l| l.1.as_str()).collect();
        out.push(Pair {
            kind: "product, order of loops",
            name: names.join(" "),
            program: PRODUCT.to_string(),
            goal: nest(&loops, "containsAddMul"),
        });
    }
    let outer = "containsMap (m/4) (containsMap (n/4) (containsReduceSeq (k/4)";
    for (name, inner) in [
        (
            "m/4 n/4 k/4 4 4 4",
            "(containsReduceSeq 4 (containsMap 4 (containsMap 4 containsAddMul)))))",
        ),
        (
            "m/4 n/4 k/4 row",
            "(containsMap 4 (containsReduceSeq 4 (containsMap 4 containsAddMul)))))",
        ),
        (
            "m/4 n/4 k/4 4 4 <4>",
            "(containsReduceSeq 4 (containsMap 4 (containsMap 1 (containsAddMulVec 4))))))",
        ),
        (
            "m/4 n/4 k/4 row <4>",
            "(containsMap 4 (containsReduceSeq 4 (containsMap 1 (containsAddMulVec 4))))))",
        ),
    ] {
        out.push(Pair {
            kind: "product, tiles and vectors",
            name: name.to_string(),
            program: PRODUCT.to_string(),
            goal: format!("{outer} {inner}"),
        });
    }
    out
}

fn all() -> Vec<Pair> {
    let mut all = orders();
    all.extend(tiles());
    all.extend(products());
    all
}

fn find(pair: &Pair) -> Guides {
    let program = program_text(&pair.program);
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("exchange.rules");
    std::fs::write(&rules, EXCHANGE).unwrap();
    let own = format!("use \"{}\"\n", rules.display());
    let text = format!("{COMMON}{own}sketch {}\n", pair.goal);
    let steps = chain_text(&text, &program);
    guides(&program, &steps[0], &Options::default())
}

/// Those with few loops, so that they take a second; all of them in the test below.
#[test]
fn small_pairs_are_reached() {
    let small = |p: &&Pair| p.name.split(' ').count() <= 3;
    for pair in all().iter().filter(small) {
        let found = find(pair);
        assert!(
            found.chain.is_some(),
            "{} {}: {:#?}",
            pair.kind,
            pair.name,
            found.tries
        );
    }
}

#[test]
#[ignore = "takes minutes: prints the table of docs/automatic.md"]
fn table() {
    let pairs = all();
    assert!(pairs.len() >= 50);
    let (mut reached, mut kind) = (0, "");
    println!("| | goal | reached | guides | searches | e-nodes | largest graph | seconds |");
    println!("|---|---|---|---|---|---|---|---|");
    for pair in &pairs {
        let begun = Instant::now();
        let found = find(pair);
        let seconds = begun.elapsed().as_secs_f64();
        let largest = found.tries.iter().map(|t| t.nodes).max().unwrap_or(0);
        let guides = found.chain.as_ref().map(|c| c.len() - 1);
        reached += usize::from(guides.is_some());
        let first = if pair.kind == kind { "" } else { pair.kind };
        kind = pair.kind;
        println!(
            "| {first} | {} | {} | {} | {} | {} | {largest} | {seconds:.2} |",
            pair.name,
            if guides.is_some() { "yes" } else { "no" },
            guides.map_or("-".to_string(), |g| g.to_string()),
            found.tries.len(),
            found.nodes,
        );
        if std::env::var("TRIES").is_ok_and(|t| t == "all" || guides.is_none()) {
            for t in &found.tries {
                println!(
                    "    {} {} rules {} it {} nodes  {}",
                    t.reached, t.rules, t.iterations, t.nodes, t.what
                );
            }
        }
    }
    println!(
        "{reached} of {} are reached; at most {} MB",
        pairs.len(),
        alloc::peak() >> 20
    );
    assert!(10 * reached >= 9 * pairs.len());
}
