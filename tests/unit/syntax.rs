mod lexer;
mod number;

use rise_opt::syntax::tree::*;
use rise_opt::syntax::*;

use rise_opt::source::FileId;

fn ok(text: &str, dialect: Dialect) -> Parsed {
    let p = parse(FileId(0), text, dialect);
    assert!(p.diagnostics.is_empty(), "{text}\n{:#?}", p.diagnostics);
    p
}

/// Spans away: what is left is what was meant.
fn shape(f: &File) -> String {
    let text = format!("{f:?}");
    let mut out = String::new();
    let mut rest = &*text;
    while let Some(i) = rest.find("Span {") {
        out.push_str(&rest[..i]);
        rest = &rest[i..];
        rest = &rest[rest.find("hi: ").unwrap()..];
        rest = &rest[rest.find('}').unwrap() + 1..];
    }
    out + rest
}

fn round_trip(text: &str, dialect: Dialect) -> String {
    let first = ok(text, dialect);
    let printed = print(&first, text);
    let second = ok(&printed, dialect);
    assert_eq!(shape(&first.file), shape(&second.file), "{text}\n{printed}");
    let comments =
        |p: &Parsed| -> Vec<String> { p.comments.iter().map(|c| c.text.clone()).collect() };
    assert_eq!(comments(&first), comments(&second), "{text}\n{printed}");
    assert_eq!(printed, print(&second, &printed), "not idempotent:\n{text}");
    printed
}

const MM: &str = "-- C = A·B
def mm [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
  a |> map (\\row ->
    transpose b |> map (\\col ->
      zip row col |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))
";

#[test]
fn programs_round_trip() {
    let printed = round_trip(MM, Dialect::Program);
    assert!(
        printed.starts_with("-- C = A·B\ndef mm [m n k : nat]"),
        "{printed}"
    );
    for text in [
        "import \"lib.rise\"\n\ndef f (x : f32) : f32 = -x + 1.0 -- one\n",
        "def f = \\s (x, y) -> let (a, b) = s in (a : f32) >> b\n",
        "def f =\n  -- first\n  a -- trail\n   |> g {- in -} 3\n   -- before\n   |> (h -- x\n )\n",
        "def f (x : n.<4>f32) : (n/32).32.f32 = padCst[0, nr*ceil(n,nr) - n] 0.0 x\n",
        "def f = let (toMem e) (\\x -> x)\ndef g = - - x\n",
        "def f = slide[3, 1] a |> mapSeq (\\rows -> transpose rows |> map (\\w -> at[0] w + 2.0 * at[1] w + at[2] w) |> slide[3, 1] |> asVector[16])\n",
        "def f (g : [n : nat] -> n.f32 -> f32) (t : (f32, (i32, bool))) = (==) a b == (c < d)\n",
        "{- a\n   b -}\ndef f = x\n\n\n-- end\n",
        "def f =\nlet bp = toMem a in\nsplit[3] a\n|> g\n",
    ] {
        round_trip(text, Dialect::Program);
    }
}

#[test]
fn rules_and_sketches_round_trip() {
    let rules = "-- two traversals become one
rule map-fusion
  map f (map g xs)  =>  map (\\x -> f (g x)) xs

rule map-fission
  map (\\x -> f (gx : data))  =>  \\xs -> map f (map (\\x -> gx) xs)
  where x not in f

rule split-join [k : nat]
  map f (xs : n.s)  =>  join (map (map f) (split[k] xs))
  where k divides n, n != k                          -- becomes an assumption

rule blocked-reduce [k : nat]
  reduce op e (xs : n.t)  =>  reduceSeq (\\acc -> \\ys -> op acc (reduce op e ys)) e (split[k] xs)
  where associative op, identity e op, (2*k) divides n, ceil(n, k) <= 3, flat e

rule vec-map [k : nat]
  asVector[k] (map (f : s -> t) xs) => map (fv : <k>s -> <k>t) (asVector[k] xs)
  where vectorizable f as fv [k], commutative (+)

ruleset split [tile, block : nat] = map-fission, reduce-seq, split-join[tile], blocked-reduce[block]
";
    let printed = round_trip(rules, Dialect::Rules);
    assert!(printed.contains("map f (map g xs)  =>  map"), "{printed}");
    let sketches = "-- the three loops are split
use rules/algorithmic.rules (map-fission, reduce-seq, split-join[32], blocked-reduce[4])
use ../x-y.rules
cost size
limits iterations 60, nodes 50_000_000, nesting 6, size 300
param tile = 32 -- `--set tile=64` changes it
normalize off
scheduler backoff
permit reassociate
def containsMap n f = contains (app (map : ? -> n.? -> ?) f)
include \"prelude.sk\"
step split include split.sk
step reorder-2
sketch
  containsMap (m/tile)
   (containsMap tile
    (containsMap (n/tile)
     (containsMap tile
      (containsReduceSeq (k/4)
       (containsReduceSeq 4 containsAddMul)))))
sketch \\ containsMap 3 ? or \\x -> app x (? : 32.1.<32>f32 -> ?) or f 32.32.f32 (1.<32>f32)
";
    let printed = round_trip(sketches, Dialect::Sketch);
    let tail = "\nsketch
  containsMap (m/tile)
    (containsMap tile
      (containsMap (n/tile)
        (containsMap tile
          (containsReduceSeq (k/4)
            (containsReduceSeq 4 containsAddMul)))))
";
    assert!(printed.contains(tail), "{printed}");
}

#[test]
fn one_error_per_item_and_the_next_item_is_read() {
    let text = "def f = map (\\x -> \ndef g = 1 +\nrul h\ndef ok = x\ndef i = )\n";
    let p = parse(FileId(0), text, Dialect::Program);
    let codes: Vec<&str> = p.diagnostics.iter().map(|d| d.code.id).collect();
    assert_eq!(
        codes,
        ["E0106", "E0106", "E0109", "E0106"],
        "{:#?}",
        p.diagnostics
    );
    let p = parse(FileId(0), "rul a\n  b => c\n", Dialect::Rules);
    let help = p.diagnostics[0].help.clone().unwrap();
    assert_eq!(help, "did you mean `rule`?");
}

#[test]
fn deep_nesting_is_a_diagnostic() {
    let n = 100_000;
    for (open, close) in [
        ("(", ")"),
        ("(x, ", ")"),
        ("\\x -> ", ""),
        ("let x = ", ""),
        ("let x = y in ", ""),
        ("x + ", ""),
        ("x |> ", ""),
        ("x . ", ""),
        ("<4>", ""),
        ("f[", "]"),
        ("- ", ""),
        ("[n : nat] -> ", ""),
        ("x -> ", ""),
        ("\\(", ")"),
        ("\\((((", ""),
        ("f (", ")"),
        ("1 == ", ""),
        ("x : ", ""),
    ] {
        for dialect in Dialect::ALL {
            let start = match dialect {
                Dialect::Program => "def f = ",
                Dialect::Rules => "rule r ",
                Dialect::Sketch => "sketch ",
            };
            let text = format!("{start}{}x{}", open.repeat(n), close.repeat(n));
            let p = parse(FileId(0), &text, dialect);
            assert_eq!(p.diagnostics.len(), 1, "{open}");
        }
    }
    // What is wide becomes deep.
    for (start, part, end) in [
        ("def f = g ", "x ", ""),
        ("def f = (x", ", x", ")"),
        ("def f = \\x", " x", " -> x"),
        ("def f = \\(x", ", x", ") -> x"),
        ("def f", " (x : f32)", " = x"),
        ("def f (x", " x", " : f32) = x"),
        ("def f [n", " n", " : nat] = x"),
    ] {
        let wide = format!("{start}{}{end}\n", part.repeat(n));
        let p = parse(FileId(0), &wide, Dialect::Program);
        assert_eq!(p.diagnostics.len(), 1, "{start}{part}");
    }
}

#[test]
fn a_size_past_64_bits_is_a_diagnostic() {
    let p = parse(
        FileId(0),
        "def f = split[99999999999999999999] a\n",
        Dialect::Program,
    );
    assert_eq!(p.diagnostics[0].code.id, "E0105");
}

#[test]
fn added_parentheses_are_read_back() {
    let span = rise_opt::source::Span::default();
    let name = |s: &str| Box::new(Expr::new(span, ExprKind::Name(s.into())));
    let bin = |op, l, r| Box::new(Expr::new(span, ExprKind::Binary(op, l, r)));
    let e = bin(
        BinOp::Mul,
        bin(BinOp::Add, name("a"), name("b")),
        bin(BinOp::Mul, name("c"), name("d")),
    );
    assert_eq!(print_expr(&parenthesize(*e)), "(a + b) * (c * d)");
}

#[test]
fn a_result_type_does_not_begin_a_let() {
    let span = rise_opt::source::Span::default();
    let name = |s: &str| Expr::new(span, ExprKind::Name(s.into()));
    let e = Expr::new(span, ExprKind::App(Box::new(name("let")), vec![name("x")]));
    let text = format!("def f : {} = x\n", print_expr(&at_level(e, prec::ARROW)));
    assert_eq!(text, "def f : (let x) = x\n");
    assert!(parse(FileId(0), &text, Dialect::Program)
        .diagnostics
        .is_empty());
    assert!(!parse(FileId(0), "def f : let x = x\n", Dialect::Program)
        .diagnostics
        .is_empty());
}
