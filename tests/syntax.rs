//! Properties of the front end: printing and parsing are inverse on random trees, and nothing that
//! a file may hold makes it panic, hang or overflow the stack.

use proptest::prelude::*;
use proptest::strategy::BoxedStrategy;
use rise_opt::diag::{render, Diagnostic, Format};
use rise_opt::elab;
use rise_opt::interp::random::Rng;
use rise_opt::source::{FileId, SourceMap, Span};
use rise_opt::syntax::tree::*;
use rise_opt::syntax::{at_level, parenthesize, parse, print, print_item, Dialect};

fn expr(kind: ExprKind) -> Expr {
    Expr::new(Span::default(), kind)
}

fn boxed(e: Expr) -> Box<Expr> {
    Box::new(e)
}

fn name() -> impl Strategy<Value = Name> {
    let names = [
        "a",
        "xs",
        "map",
        "f32",
        "n",
        "reduceSeq",
        "x'",
        "_y",
        "let",
        "by",
        "fst",
        "or1",
    ];
    prop::sample::select(names.to_vec()).prop_map(|text| Name {
        text: text.to_string(),
        span: Span::default(),
    })
}

fn number() -> impl Strategy<Value = ExprKind> {
    let numbers = [
        "0", "32", "50_000", "0.5", "1e-3", "2.0f64", "7u8", "1.5e10",
    ];
    prop::sample::select(numbers.to_vec()).prop_map(|n| ExprKind::Number(n.to_string()))
}

fn sizes() -> impl Strategy<Value = Sizes> {
    prop::collection::vec((name(), any::<bool>()), 1..3).prop_map(|names| Sizes {
        names,
        span: Span::default(),
    })
}

fn a_type() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        name().prop_map(|n| expr(ExprKind::Name(n.text))),
        Just(expr(ExprKind::Any)),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        let two = (inner.clone(), inner);
        prop_oneof![
            two.clone()
                .prop_map(|(s, t)| expr(ExprKind::Binary(BinOp::Arrow, boxed(s), boxed(t)))),
            two.clone()
                .prop_map(|(n, t)| expr(ExprKind::Array(boxed(n), boxed(t)))),
            two.prop_map(|(s, t)| expr(ExprKind::Tuple(vec![s, t]))),
        ]
    })
    .boxed()
}

fn pattern() -> BoxedStrategy<Pat> {
    let pat = |kind| Pat {
        span: Span::default(),
        kind,
    };
    let leaf = prop_oneof![
        4 => name().prop_map(move |n| pat(PatKind::Name(n.text))),
        1 => Just(pat(PatKind::Ignore)),
    ];
    leaf.prop_recursive(3, 8, 3, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(move |v| pat(PatKind::Tuple(v))),
            inner
                .clone()
                .prop_map(move |p| pat(PatKind::Paren(Box::new(p)))),
            (inner, a_type()).prop_map(move |(p, t)| {
                let t = at_level(t, prec::ARROW);
                pat(PatKind::Annot(Box::new(p), Box::new(t)))
            }),
        ]
    })
    .boxed()
}

/// Any expression; `sketch` adds the forms that only sketches have.
fn expression(sketch: bool) -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        5 => name().prop_map(|n| expr(ExprKind::Name(n.text))),
        2 => number().prop_map(expr),
        1 => Just(expr(ExprKind::Hole)),
        1 => Just(expr(ExprKind::Any)),
        1 => prop::sample::select(BinOp::ALL.to_vec())
            .prop_filter("a function", |op| op.is_function())
            .prop_map(|op| expr(ExprKind::Section(op))),
    ];
    leaf.prop_recursive(6, 60, 4, move |inner| {
        let many = |range| prop::collection::vec(inner.clone(), range);
        let two = (inner.clone(), inner.clone());
        let op = prop::sample::select(BinOp::ALL.to_vec())
            .prop_filter("only in sketches", move |op| {
                sketch || !matches!(op, BinOp::Or | BinOp::And)
            });
        let pat = pattern();
        let forms = prop_oneof![
            (inner.clone(), many(1..4)).prop_map(|(f, a)| ExprKind::App(boxed(f), a)),
            (op, two.clone()).prop_map(|(op, (l, r))| ExprKind::Binary(op, boxed(l), boxed(r))),
            many(2..4).prop_map(ExprKind::Tuple),
            (name(), many(1..3))
                .prop_map(|(n, s)| { ExprKind::Sizes(boxed(expr(ExprKind::Name(n.text))), s) }),
            (prop::collection::vec(pat.clone(), 1..3), inner.clone())
                .prop_map(|(p, b)| ExprKind::Lam(p, boxed(b))),
            (pat, two.clone()).prop_map(|(p, (a, b))| ExprKind::Let(p, boxed(a), boxed(b))),
            inner.clone().prop_map(|e| ExprKind::Neg(boxed(e))),
            inner.clone().prop_map(|e| ExprKind::Paren(boxed(e))),
            two.clone()
                .prop_filter("sizes are whole, and types end in no number", |(n, t)| {
                    let whole = |n: &str| n.chars().all(|c| c.is_ascii_digit() || c == '_');
                    let size = !matches!(&n.kind, ExprKind::Number(n) if !whole(n));
                    size && !matches!(t.kind, ExprKind::Number(_))
                })
                .prop_map(|(n, t)| ExprKind::Array(boxed(n), boxed(t))),
            two.clone()
                .prop_map(|(n, t)| ExprKind::Vector(boxed(n), boxed(t))),
            two.clone()
                .prop_map(|(e, t)| ExprKind::Annot(boxed(e), boxed(t))),
            (sizes(), inner.clone()).prop_map(|(s, t)| ExprKind::SizeFun(s, boxed(t))),
            inner.clone().prop_map(move |e| match sketch {
                true => ExprKind::Under(boxed(e)),
                false => ExprKind::Paren(boxed(e)),
            }),
        ];
        forms.prop_map(expr)
    })
    .boxed()
}

/// What a tree means: without spans, and without parentheses.
fn meaning(x: &impl std::fmt::Debug) -> String {
    let text = format!("{x:?}");
    let mut out = String::new();
    let mut rest = &*text;
    while let Some(i) = rest.find("Span {") {
        out.push_str(&rest[..i]);
        rest = &rest[i..];
        let hi = rest.find("hi: ").expect("the last field");
        rest = &rest[hi..];
        rest = &rest[rest.find('}').expect("closed") + 1..];
    }
    out + rest
}

fn bare(mut e: Expr) -> Expr {
    while let ExprKind::Paren(inner) = e.kind {
        e = *inner;
    }
    let sub = |b: &mut Box<Expr>| {
        let taken = std::mem::replace(&mut **b, expr(ExprKind::Error));
        **b = bare(taken);
    };
    let each = |v: &mut Vec<Expr>| *v = v.drain(..).map(bare).collect();
    match &mut e.kind {
        ExprKind::Tuple(v) => each(v),
        ExprKind::App(f, v) | ExprKind::Sizes(f, v) => {
            sub(f);
            each(v);
        }
        ExprKind::Lam(p, b) => {
            p.iter_mut().for_each(bare_pattern);
            sub(b);
        }
        ExprKind::Let(p, a, b) => {
            bare_pattern(p);
            sub(a);
            sub(b);
        }
        ExprKind::Under(b) | ExprKind::Neg(b) | ExprKind::SizeFun(_, b) => sub(b),
        ExprKind::Binary(_, l, r)
        | ExprKind::Array(l, r)
        | ExprKind::Vector(l, r)
        | ExprKind::Annot(l, r) => {
            sub(l);
            sub(r);
        }
        _ => {}
    }
    // `(f x) y` is `f x y`.
    if let ExprKind::App(f, args) = &mut e.kind {
        if let ExprKind::App(g, first) = &mut f.kind {
            first.append(args);
            let first = std::mem::take(first);
            let g = std::mem::replace(&mut **g, expr(ExprKind::Error));
            e.kind = ExprKind::App(boxed(g), first);
        }
    }
    e
}

fn bare_pattern(p: &mut Pat) {
    match &mut p.kind {
        PatKind::Tuple(v) => v.iter_mut().for_each(bare_pattern),
        PatKind::Annot(p, t) => {
            bare_pattern(p);
            let taken = std::mem::replace(&mut **t, expr(ExprKind::Error));
            **t = bare(taken);
        }
        PatKind::Paren(_) => {
            let PatKind::Paren(inner) = std::mem::replace(&mut p.kind, PatKind::Ignore) else {
                unreachable!("just matched");
            };
            p.kind = inner.kind;
            bare_pattern(p);
        }
        _ => {}
    }
}

fn round_trip(kind: ItemKind, dialect: Dialect, parts: fn(&ItemKind) -> Vec<&Expr>) {
    let item = Item {
        span: Span::default(),
        kind,
        whole: true,
    };
    let text = print_item(&item) + "\n";
    let parsed = parse(FileId(0), &text, dialect);
    assert!(
        parsed.diagnostics.is_empty(),
        "{text}\n{:#?}",
        parsed.diagnostics
    );
    let again = &parsed.file.items[0];
    for (a, b) in parts(&item.kind).into_iter().zip(parts(&again.kind)) {
        let (a, b) = (bare(a.clone()), bare(b.clone()));
        assert_eq!(meaning(&a), meaning(&b), "{text}");
    }
    let printed = print(&parsed, &text);
    let twice = parse(FileId(0), &printed, dialect);
    assert_eq!(
        meaning(&parsed.file),
        meaning(&twice.file),
        "{text}\n{printed}"
    );
    assert_eq!(printed, print(&twice, &printed), "not stable\n{text}");
}

fn a_name(text: &str) -> Name {
    Name {
        text: text.to_string(),
        span: Span::default(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs(body in expression(false), s in sizes(), ty in expression(false)) {
        let def = Def {
            name: a_name("f"),
            binders: vec![
                Binder::Sizes(s),
                Binder::Typed { names: vec![a_name("p"), a_name("q")], ty: at_level(ty.clone(), prec::ARROW) },
            ],
            result: Some(at_level(ty, prec::ARROW)),
            body: parenthesize(body),
        };
        round_trip(ItemKind::Def(def), Dialect::Program, |k| match k {
            ItemKind::Def(d) => vec![&d.body, d.result.as_ref().expect("written")],
            _ => vec![],
        });
    }

    #[test]
    fn rules(left in expression(false), right in expression(false), size in expression(false)) {
        let size = || at_level(size.clone(), prec::ADD);
        let conditions = vec![
            ConditionKind::NotIn(a_name("x"), expr(ExprKind::Name("e".into()))),
            ConditionKind::Compare(BinOp::Ne, expr(ExprKind::Name("n".into())), size()),
            ConditionKind::Property(a_name("identity"), vec![expr(ExprKind::Paren(boxed(size()))), expr(ExprKind::Section(BinOp::Add))]),
        ];
        let conditions = conditions.into_iter().map(|kind| Condition { kind, span: Span::default() });
        let rule = Rule {
            name: a_name("split-join-2m"),
            sizes: None,
            // A size function at the start would be taken for the parameters of the rule.
            left: at_level(left, prec::OR),
            right: parenthesize(right),
            conditions: conditions.collect(),
        };
        round_trip(ItemKind::Rule(Box::new(rule)), Dialect::Rules, |k| match k {
            ItemKind::Rule(r) => vec![&r.left, &r.right],
            _ => vec![],
        });
    }

    #[test]
    fn sketches(body in expression(true)) {
        round_trip(ItemKind::Sketch(parenthesize(body)), Dialect::Sketch, |k| match k {
            ItemKind::Sketch(e) => vec![e],
            _ => vec![],
        });
    }
}

/// All that may be said about a text, and that it can be said.
fn everything(text: &str, dialect: Dialect) {
    let mut sources = SourceMap::new();
    let file = sources.add_text(&format!("fuzz.{}", dialect.extension()), text);
    let found: Vec<Diagnostic> = match dialect {
        Dialect::Program => elab::program(&mut sources, file, None)
            .err()
            .unwrap_or_default(),
        Dialect::Rules => elab::check_rules(&mut sources, file),
        Dialect::Sketch => elab::check_sketch(&mut sources, file, &["size"]),
    };
    for d in &found {
        for format in [Format::Human, Format::Short, Format::Json] {
            render(d, &sources, format);
        }
        assert!(
            d.help.is_some(),
            "{} has no next step: {}",
            d.code.id,
            d.message
        );
    }
    let parsed = parse(file, text, dialect);
    if parsed.diagnostics.is_empty() {
        let once = print(&parsed, text);
        let again = parse(file, &once, dialect);
        assert!(again.diagnostics.is_empty(), "{text}\n{once}");
        assert_eq!(once, print(&again, &once), "not stable:\n{text}");
        let comments = |p: &rise_opt::syntax::Parsed| {
            p.comments
                .iter()
                .map(|c| c.text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(comments(&parsed), comments(&again), "{text}\n{once}");
    }
}

fn dialect_of(name: &str) -> Dialect {
    Dialect::of_path(name).expect("a shipped file")
}

fn mutate(text: &str, others: &[String], rng: &mut Rng) -> String {
    const BITS: [&str; 30] = [
        "(",
        ")",
        "[",
        "]",
        "\\",
        "->",
        "=>",
        ".",
        ",",
        ":",
        "=",
        "|>",
        "+",
        "-",
        "--",
        "{-",
        "-}",
        "?",
        "_",
        "<",
        ">",
        "\n",
        "\ndef ",
        "\nrule ",
        " where ",
        " in ",
        "0",
        "99999999999999999999",
        "é",
        "\u{0}",
    ];
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(text.len() as u64 + 1) as usize;
        let end = (at + rng.below(12) as usize).min(text.len());
        match rng.below(5) {
            0 => drop(text.drain(at..end)),
            1 => {
                let part: Vec<char> = text[at..end].to_vec();
                let to = rng.below(text.len() as u64 + 1) as usize;
                text.splice(to..to, part);
            }
            2 => {
                let other: Vec<char> = others[rng.below(others.len() as u64) as usize]
                    .chars()
                    .collect();
                let lo = rng.below(other.len() as u64 + 1) as usize;
                let hi = (lo + rng.below(60) as usize).min(other.len());
                text.splice(at..at, other[lo..hi].iter().copied());
            }
            3 => {
                let words = [
                    "map", "n", "0.0", "x", "split[3]", "f32", "reduce", "(+)", "3", "m/0",
                ];
                let word = words[rng.below(words.len() as u64) as usize];
                text.splice(at..end, word.chars());
            }
            _ => {
                let bit = BITS[rng.below(BITS.len() as u64) as usize];
                text.splice(at..at, bit.chars());
            }
        }
    }
    text.into_iter().collect()
}

#[test]
fn mutations_of_shipped_files() {
    let mut rng = Rng::new(7);
    let texts: Vec<(String, Dialect)> = SourceMap::shipped()
        .filter(|name| Dialect::of_path(name).is_some())
        .map(|name| {
            let mut sources = SourceMap::new();
            let file = sources.load_shipped(name).expect("shipped");
            (sources.file(file).text.to_string(), dialect_of(name))
        })
        .collect();
    let others: Vec<String> = texts.iter().map(|t| t.0.clone()).collect();
    for _ in 0..4000 {
        let (text, dialect) = rng.pick(&texts);
        everything(&mutate(text, &others, &mut rng), *dialect);
    }
}

#[test]
fn random_characters() {
    let mut rng = Rng::new(8);
    let pieces = [
        "def ",
        "f",
        " (",
        ")",
        "x",
        " : ",
        "f32",
        " = ",
        "\\",
        " -> ",
        "[",
        "]",
        "n",
        " |> ",
        "\n",
        "rule ",
        " => ",
        "where ",
        "sketch ",
        "?",
        ".",
        "3",
        "<",
        ">",
        "let ",
        " in ",
        "--",
        "{-",
        "-}",
        "\"",
        "é",
        "\r\n",
        "\t",
        "step ",
        "include ",
        "use ",
        "param ",
        "or ",
        "contains ",
        "app ",
    ];
    for _ in 0..3000 {
        let count = rng.below(40);
        let text: String = (0..count)
            .map(|_| pieces[rng.below(pieces.len() as u64) as usize])
            .collect();
        for dialect in Dialect::ALL {
            everything(&text, dialect);
        }
    }
}

/// Each of these takes for ever, or all memory, in an implementation that does not mind them.
#[test]
fn programs_that_explode_are_refused() {
    let lets = |n: usize, step: &str| {
        let steps = (1..n).map(|i| {
            let (new, old) = (format!("y{i}"), format!("y{}", i - 1));
            format!("  let {new} = {} in\n", step.replace("OLD", &old))
        });
        let steps: String = steps.collect();
        format!("def f (x : f32) : f32 =\n  let y0 = x in\n{steps}  x\n")
    };
    let sums = "(a+b+c+d+e+g+h+i)*".repeat(30) + "a";
    let sets = (1..40).map(|i| format!("ruleset s{i} [k : nat] = s{0}[k], s{0}[2*k]\n", i - 1));
    let sets: String = sets.collect();
    let defs: String = (1..200)
        .map(|i| format!("def f{i} = \\x -> f{0} (f{0} x)\n", i - 1))
        .collect();
    // A size that stands twice in the next one.
    let remainders = format!(
        "def g [n : nat] (xs : n.f32) : (n%(n - 1)).f32 = take[n%(n - 1)] xs\ndef f [n : nat] (xs : n.f32) = {}xs{}\n",
        "g (".repeat(60),
        ")".repeat(60)
    );
    // A pair of vectors that is asked to contain itself.
    let vectors = "def f [n : nat] (xs : n.f32) = asVector[2] y |> mapSeq (\\p -> p * snd p)\n";
    for (text, dialect) in [
        (vectors.to_string(), Dialect::Program),
        (remainders, Dialect::Program),
        (lets(60, "(OLD, OLD)"), Dialect::Program),
        (lets(60, "(1, OLD)"), Dialect::Program),
        (lets(60, "zip (fill[3] OLD) (fill[3] OLD)"), Dialect::Program),
        (lets(60, "\\z -> (OLD, OLD)"), Dialect::Program),
        (format!("def f [a b c d e g h i : nat] (x : ({sums}).f32) : f32 = at[0] x\n"), Dialect::Program),
        (format!("def f0 (x : f32) : f32 = x + x\n{defs}"), Dialect::Program),
        (format!("def f0 = \\x -> (x, x)\n{defs}def main (x : f32) : f32 = fst (f9 x)\n"), Dialect::Program),
        (
            format!("rule r [k : nat]\n  map f (xs : n.s) => join (map (map f) (split[k] xs))\n\nruleset s0 [k : nat] = r[k]\n{sets}"),
            Dialect::Rules,
        ),
        (
            (1..60).map(|i| format!("def d{i} s = app (d{0} s) (d{0} s)\n", i - 1)).collect::<String>()
                + "def d0 s = s\nsketch d59 ?\n",
            Dialect::Sketch,
        ),
    ] {
        everything(&text, dialect);
    }
}

/// What is left open where a size is read is nothing that another place could look up.
#[test]
fn sizes_that_are_not_known_stay_where_they_are() {
    for text in [
        "param tile\ndef loop n f=(app(p:?->n.?->?)f)\nsketch loop(tile)?\n",
        "param t\nsketch (? : t.?)\n",
        "param t = _\nsketch (? : t.?)\n",
        "sketch (? : (1 + _).?)\n",
        "use rules/algorithmic.rules (split-join[_])\nsketch contains map\n",
    ] {
        everything(text, Dialect::Sketch);
    }
    assert!(elab::read_types(&[], &["_".to_string()]).is_err());
    assert!(elab::read_sizes(&[], &["1 + _".to_string()]).is_err());
}

/// A comment may push what is behind it to the next line, but not to column one, where items start.
#[test]
fn what_is_behind_a_comment_is_no_new_item() {
    for (text, dialect) in [
        ("def -- c\n f = \\x -> x\n", Dialect::Program),
        ("step s -- c\n include g.sk\nsketch ?\n", Dialect::Sketch),
        ("step s\n -- c\n include g.sk\nsketch ?\n", Dialect::Sketch),
        ("param {- a\n b -} t = 1\nsketch ?\n", Dialect::Sketch),
    ] {
        let parsed = parse(FileId(0), text, dialect);
        assert!(parsed.diagnostics.is_empty(), "{text}");
        let once = print(&parsed, text);
        let again = parse(FileId(0), &once, dialect);
        assert_eq!(meaning(&parsed.file), meaning(&again.file), "{once}");
        assert_eq!(parsed.comments.len(), again.comments.len(), "{once}");
    }
}

/// Twenty levels, each of which names the next one twice.
#[test]
fn a_file_that_is_included_twice_is_read_once() {
    let dir = tempfile::tempdir().unwrap();
    for (keyword, last, refused) in [
        ("import", "def a s = contains s\n", false),
        ("include", "def a s = contains s\n", false),
        ("include", "sketch contains map\n", true),
        ("step a include", "sketch contains map\n", true),
    ] {
        let put =
            |i: u32, text: &str| std::fs::write(dir.path().join(format!("l{i}.sk")), text).unwrap();
        put(0, last);
        for i in 1..=20 {
            put(i, &format!("{keyword} l{}.sk\n", i - 1).repeat(2));
        }
        let mut sources = SourceMap::new();
        let file = sources
            .load(&dir.path().join("l20.sk").to_string_lossy())
            .unwrap();
        let found = elab::check_sketch(&mut sources, file, &["size"]);
        assert_eq!(!found.is_empty(), refused, "{keyword} {found:?}");
    }
}
