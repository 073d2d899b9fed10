mod locate;

use rise_opt::elab::*;

use rise_opt::diag::{render, Diagnostic, Format};
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use rise_opt::term::Program;
use std::rc::Rc;

fn elab(text: &str) -> Result<Program, (SourceMap, Vec<Diagnostic>)> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("a.rise", text);
    program(&mut sources, file, None).map_err(|d| (sources, d))
}

fn ok(text: &str) -> Program {
    elab(text).unwrap_or_else(|(sources, d)| {
        let shown: Vec<String> = d
            .iter()
            .map(|d| render(d, &sources, Format::Human))
            .collect();
        panic!("{text}\n{}", shown.join("\n"))
    })
}

fn errors(text: &str) -> Vec<String> {
    match elab(text) {
        Ok(p) => panic!("no error: {p}"),
        Err((_, d)) => d
            .iter()
            .map(|d| format!("{} {} | {}", d.code.id, d.message, d.notes.join(" | ")))
            .collect(),
    }
}

const MM: &str = "def mm [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
  a |> map (\\row ->
    transpose b |> map (\\col ->
      zip row col |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))
";

#[test]
fn the_shipped_programs_elaborate() {
    let mut n = 0;
    for name in SourceMap::shipped().filter(|n| n.ends_with(".rise")) {
        let mut sources = SourceMap::new();
        let file = sources.load_shipped(name).unwrap();
        let p = program(&mut sources, file, None);
        let p = p.unwrap_or_else(|d| {
            let shown: Vec<String> = d
                .iter()
                .map(|d| render(d, &sources, Format::Human))
                .collect();
            panic!("{name}\n{}", shown.join("\n"))
        });
        assert_eq!(p.term.open(), 0, "{name}");
        assert!(!p.term.ty().has_meta(), "{name}");
        n += 1;
    }
    assert!(n > 0);
}

#[test]
fn what_has_a_name_gets_no_other() {
    let product = |body: &str| {
        let text =
            format!("def f [n : nat] (xs : n.(f32, (f32, f32))) = xs |> map (\\p -> {body})");
        rise_opt::term::normalize(&ok(&text).term)
    };
    let parts = product("fst p * fst (snd p) + snd (snd p)");
    assert_eq!(product("let (x, (y, z)) = p in x * y + z"), parts);
    assert_eq!(
        product("let (x, q) = p in let (y, z) = q in x * y + z"),
        parts
    );
    assert_eq!(product("let q = snd p in fst p * fst q + snd q"), parts);
    // What is computed has a name only there.
    let computed = product("let (x, y) = pair (fst p + 1.0) (fst (snd p)) in x * x + y * x");
    assert!(computed.to_string().contains("let"), "{computed}");
}

#[test]
fn mm_with_other_elements() {
    for t in ["f64", "i32", "u8"] {
        let p = ok(&MM.replace("f32", t));
        assert_eq!(p.result.to_string(), format!("m.n.{t}"));
    }
    let p = ok(MM);
    assert_eq!(
        p.term.to_string(),
        "\\\\map (\\map (\\reduce add 0.0 (map (\\mul (fst %0) (snd %0)) (zip %1 %0))) (transpose %1)) %1"
    );
}

#[test]
fn kernel_terms() {
    let head = "def mm [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =\n";
    for body in [
        "  a |> mapSeq (\\row -> transpose b |> mapSeq (\\col ->
      zip row col |> reduceSeq (\\s (x, y) -> s + x * y) 0.0))",
        "  split[32] a |> mapSeq (\\ra -> split[32] (transpose b) |> map transpose |> mapSeq (\\panel ->
      zip (split[4] (transpose ra)) (split[4] panel)
      |> reduceSeq (\\c0 (a4, b4) ->
         zip a4 b4 |> reduceSeq (\\c1 (av, bv) ->
           zip c1 av |> mapSeq (\\(cr, ai) -> asScalar (zip (asVector[32] cr) (asVector[32] bv) |> mapSeq (\\(c, bj) -> c + vectorFromScalar[32] ai * bj)))) c0) (fill[32] (fill[32] 0.0)))
    |> transpose |> map join) |> join",
        "  let bp = toMem (split[32] (transpose b) |> mapPar (\\p -> transpose p |> mapSeq (\\r -> asScalar (mapSeq (\\x -> x) (asVector[32] r))))) in
  split[32] a |> mapPar (\\ra -> bp |> mapSeq (\\panel ->
      zip (split[4] (transpose ra)) (split[4] panel)
      |> reduceSeq (\\c0 (a4, b4) ->
         zip c0 (transpose a4) |> mapSeq (\\(cr, ar) ->
           zip ar b4 |> reduceSeqUnroll (\\cr (ai, bv) -> asScalar (zip (asVector[32] cr) (asVector[32] bv) |> mapSeq (\\(c, bj) -> c + vectorFromScalar[32] ai * bj))) cr)) (fill[32] (fill[32] 0.0)))
    |> transpose |> map join) |> join",
        "  let bp = toMem (b |> map (padCst[0, 32*ceil(n,32) - n] 0.0) |> transpose |> split[32]
                  |> mapPar (\\p -> transpose p |> mapSeq (\\r -> asVector[16] r |> mapSeqUnroll (\\v -> v)))) in
  a |> padClamp[0, 8*ceil(m,8) - m] |> split[8] |> padClamp[0, 16*ceil(ceil(m,8),16) - ceil(m,8)] |> split[16]
    |> mapPar (\\tiles -> bp |> mapSeq (\\panel ->
           tiles |> mapSeq (\\t -> zip (transpose t) panel |> reduceSeq (\\c (x, y) -> zip c x |> mapSeqUnroll (\\(ci, xi) -> zip ci y |> mapSeqUnroll (\\(v, w) -> v + vectorFromScalar[16] xi * w))) (fill[8] (fill[(32/16)] (vectorFromScalar[16] 0.0))) |> map asScalar))
         |> transpose |> map transpose |> map (map join) |> map (map (take[n])))
    |> join |> take[ceil(m,8)] |> join |> take[m]",
        "  let f = \\c (ak, bk) -> (let bp = toMem (bk |> map (padCst[0, 32*ceil(n,32) - n] 0.0) |> transpose |> split[32]
                     |> mapPar (\\p -> transpose p |> mapSeq (\\r -> asVector[16] r |> mapSeqUnroll (\\v -> v)))) in
      zip (c |> map (padCst[0, 32*ceil(n,32) - n] 0.0) |> padClamp[0, 14*ceil(m,14) - m] |> split[14] |> padClamp[0, 8*ceil(ceil(m,14),8) - ceil(m,14)] |> split[8])
          (transpose ak |> padClamp[0, 14*ceil(m,14) - m] |> split[14] |> padClamp[0, 8*ceil(ceil(m,14),8) - ceil(m,14)] |> split[8])
      |> mapPar (\\(cg, tiles) ->
           let ap = toMem (tiles |> mapSeq (\\t -> transpose t |> mapSeq (\\x -> x |> mapSeqUnroll (\\v -> v)))) in
           zip (cg |> map (map (split[32])) |> map transpose |> transpose) bp |> mapSeq (\\(cp, panel) ->
             zip cp ap |> mapSeq (\\(ct, t) -> zip t panel |> reduceSeq (\\c (x, y) -> zip c x |> mapSeqUnroll (\\(ci, xi) -> zip ci y |> mapSeqUnroll (\\(v, w) -> v + vectorFromScalar[16] xi * w))) (map (asVector[16]) ct) |> map asScalar))
           |> transpose |> map transpose |> map (map join) |> map (map (take[n])))
      |> join |> take[ceil(m,14)] |> join |> take[m]) in
  let xs = zip (a |> map (padCst[0, ceil(k,1024)*ceil(k,ceil(k,1024)) - k] 0.0) |> transpose |> split[ceil(k,ceil(k,1024))])
      (b |> padCst[0, ceil(k,1024)*ceil(k,ceil(k,1024)) - k] (fill[n] 0.0) |> split[ceil(k,ceil(k,1024))]) in
  reduceSeq f (f (fill[m] (fill[n] 0.0)) (at[0] xs)) (drop[1] xs)",
        "  let bp = toMem (b |> map (padCst[0, 32*ceil(n,32) - n] 0.0) |> transpose |> split[32]
                  |> mapPar (\\p -> transpose p |> mapSeq (\\r -> asVector[16] r |> mapSeqUnroll (\\v -> v)))) in
  concat (take[8*floor(m,8)] a |> split[8] |> padClamp[0, 16*ceil(floor(m,8),16) - floor(m,8)] |> split[16]
    |> mapPar (\\tiles -> bp |> mapSeq (\\panel ->
           tiles |> mapSeq (\\t -> zip (transpose t) panel |> reduceSeq (\\c (x, y) -> zip c x |> mapSeqUnroll (\\(ci, xi) -> zip ci y |> mapSeqUnroll (\\(v, w) -> v + vectorFromScalar[16] xi * w))) (fill[8] (fill[(32/16)] (vectorFromScalar[16] 0.0))) |> map asScalar))
         |> transpose |> map transpose |> map (map join) |> map (map (take[n])))
    |> join |> take[floor(m,8)] |> join)
    (drop[8*floor(m,8)] a |> mapSeq (\\row -> bp |> mapSeq (\\panel -> zip row panel |> reduceSeq (\\ci (xi, y) -> zip ci y |> mapSeqUnroll (\\(v, w) -> v + vectorFromScalar[16] xi * w))
          (fill[(32/16)] (vectorFromScalar[16] 0.0)) |> asScalar) |> join |> take[n]))",
    ] {
        ok(&format!("{head}{body}\n"));
    }
    ok("def mm [t : nat] (a : t.8.8.f32) (b : t.8.8.f32) : t.8.8.f32 =
  zip a b |> mapSeq (\\(x, y) -> split[4] x |> mapSeq (\\r ->
     zip (transpose r) (map (asVector[8]) y) |> reduceSeq (\\c (p, q) -> zip c p |> mapSeqUnroll (\\(ci, xi) -> zip ci q |> mapSeqUnroll (\\(v, w) -> v + vectorFromScalar[8] xi * w)))
        (fill[4] (fill[(8/8)] (vectorFromScalar[8] 0.0))) |> map asScalar) |> join)
");
    ok("def mm [m n : nat] (a : (m+2).(n+2).f32) : m.n.f32 =
  slide[3, 1] a |> mapSeq (\\rows -> transpose rows |> map (\\w -> at[0] w + 2.0 * at[1] w + at[2] w) |> slide[3, 1] |> mapSeq (\\w -> 0.0625 * (\\w -> at[0] w + 2.0 * at[1] w + at[2] w) w))
");
    ok("def mm [m n : nat] (a : (m+4).(n+4).f32) : m.n.f32 =
slide[16+4, 16] a |> mapSeq (\\strip ->
   let gx = toMem (strip |> map (\\r -> slide[3, 1] r |> map (\\w -> at[2] w - at[0] w) |> padCst[0, 16*ceil(n+2,16) - n - 2] 0.0 |> asVector[16]) |> transpose |> mapSeq (\\c -> rotateValues[3] (\\v -> v) c |> mapSeq (\\w -> at[0] w + vectorFromScalar[16] 2.0 * at[1] w + at[2] w)) |> transpose |> map asScalar) in
   let gy = toMem (strip |> map (\\r -> slide[3, 1] r |> map (\\w -> at[0] w + 2.0 * at[1] w + at[2] w) |> padCst[0, 16*ceil(n+2,16) - n - 2] 0.0 |> asVector[16]) |> transpose |> mapSeq (\\c -> rotateValues[3] (\\v -> v) c |> mapSeq (\\w -> at[2] w - at[0] w)) |> transpose |> map asScalar) in
   zip gx gy |> map (\\(rx, ry) ->
        zip (slide[3, 1] (take[n+2] rx) |> map (map (\\v -> v * v) >> (\\w -> at[0] w + at[1] w + at[2] w)) |> asVector[16])
        (zip (slide[3, 1] (take[n+2] (zip rx ry |> map (\\p -> fst p * snd p))) |> map (\\w -> at[0] w + at[1] w + at[2] w) |> asVector[16])
             (slide[3, 1] (take[n+2] ry) |> map (map (\\v -> v * v) >> (\\w -> at[0] w + at[1] w + at[2] w)) |> asVector[16])))
   |> transpose |> mapSeq (\\c -> rotateValues[3] (\\v -> v) c |> mapSeq (\\w ->
        (\\s -> fst s * snd (snd s) - fst (snd s) * fst (snd s) - vectorFromScalar[16] 0.04 * (fst s + snd (snd s)) * (fst s + snd (snd s))) (pair (map fst w |> (\\w -> at[0] w + at[1] w + at[2] w)) (pair (map snd w |> map fst |> (\\w -> at[0] w + at[1] w + at[2] w)) (map snd w |> map snd |> (\\w -> at[0] w + at[1] w + at[2] w))))))
   |> transpose |> map asScalar) |> join
");
}

#[test]
fn size_mismatches_show_the_first_pair_in_normal_form() {
    let e = errors(
        "def f [t k : nat] (a : (4+t).f32) (b : (2*k*2).f32) : (4+t).f32 =\n  zip a b |> map fst\n",
    );
    assert_eq!(e.len(), 1, "{e:?}");
    assert!(e[0].contains("`t + 4` against `4*k`"), "{e:?}");
}

#[test]
fn every_definition_reports() {
    let e = errors("def f (x : f32) : i32 = x\ndef g (x : f32) : f32 = y\ndef h : f32 = mapp\n");
    assert_eq!(e.len(), 3, "{e:?}");
    let e = errors("def f (x : f32) : f32 = f x\n");
    assert!(e[0].starts_with("E0205"), "{e:?}");
    for (text, code) in [
        ("def f (x : f32) : f32 = x x\n", "E0308"),
        ("def f [n : nat] (x : n.f32) : f32 = x + x\n", "E0301"),
        ("def f (x : 10.f32) : _ = split[3] x\n", "E0307"),
        ("def f (x : 3.f32) : f32 = at[3] x\n", "E0314"),
        ("def f [n : nat] (x : n.f32) : _ = split x\n", "E0306"),
        ("def f (x : m.f32) : f32 = at[0] x\n", "E0202"),
        ("def f (g : f32 -> f32) : f32 = g 1.0\n", "E0312"),
        ("def f : f32 = _\n", "E0309"),
        ("def f : i8 = 300\n", "E0310"),
        ("def f (x : f32) : f32 = (\\y -> y y) x\n", "E0303"),
        (
            "def f (x : 2.<4>f32) : 2.<4>f32 = map (\\v -> v * 2.0) x\n",
            "E0304",
        ),
        ("def f (x : f32) (x : f32) : f32 = x\n", "E0204"),
        ("def f (x : f33) : f32 = 1.0\n", "E0203"),
        ("def f (x : 0.f32) : f32 = 1.0\n", "E0307"),
    ] {
        let e = errors(text);
        assert!(e[0].starts_with(code), "{text} {e:?}");
    }
}

#[test]
fn definitions_are_general_in_sizes_and_types() {
    let p = ok("def sum [n : nat] (xs : n.f32) : f32 = reduce (+) 0.0 xs
def twice = \\f -> f >> f
def main [m n : nat] (x : m.n.f32) : f32 = sum (map sum x) + sum[n] (at[0] x) + twice (\\v -> v * 2.0) 1.0
");
    assert_eq!(p.sizes.len(), 2);
    let p = ok("def f (p : (f32, (i32, bool))) : (bool, i32) = (\\(a, (b, c)) -> (c, b)) p\n");
    assert_eq!(
        p.term.to_string(),
        "\\(\\pair (snd (snd %0)) (fst (snd %0))) %0"
    );
}

fn rules(text: &str) -> Result<Vec<std::rc::Rc<RuleDecl>>, Vec<String>> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("a.rules", text);
    rule_decls(&mut sources, file).map_err(|d| {
        d.iter()
            .map(|d| format!("{}\n{}", d.code.id, render(d, &sources, Format::Human)))
            .collect()
    })
}

#[test]
fn the_shipped_rules_elaborate() {
    for name in SourceMap::shipped().filter(|n| n.ends_with(".rules")) {
        let mut sources = SourceMap::new();
        let file = sources.load_shipped(name).unwrap();
        let found = rule_decls(&mut sources, file);
        let found = found.unwrap_or_else(|d| {
            let shown: Vec<String> = d
                .iter()
                .map(|d| render(d, &sources, Format::Human))
                .collect();
            panic!("{name}\n{}", shown.join("\n"))
        });
        // Rules over scalars are no rules of terms.
        let scalar = rise_opt::scalar::load_rules(&sources, file).is_ok_and(|r| !r.is_empty());
        assert!(found.is_empty() == scalar, "{name}");
    }
}

#[test]
fn rules_are_numbered_from_zero() {
    let r = rules("rule split-join [k : nat]\n  map f (xs : n.s) => join (map (map f) (split[k] xs))\n  where k divides n, n != k\n").unwrap();
    let r = &r[0];
    assert_eq!((r.size_params.len(), r.nats, r.tys.len()), (1, 2, 2));
    assert_eq!(r.lhs.to_string(), "map ?0 ?1");
    assert_eq!(r.rhs.to_string(), "join (map (map ?0) (split[?0] ?1))");
    assert_eq!(r.lhs.ty().to_string(), "?1.?t0");
    assert_eq!(r.lhs.ty(), r.rhs.ty());
    assert!(matches!(
        r.conds[..],
        [Cond::Divides(..), Cond::Compare(_, Rel::Ne, _)]
    ));
    assert_eq!(r.tys, [None, None]);
    // What the right side asks beyond the left is tested when the rule is applied.
    let r = rules("rule store (e : t) => let (toMem e) (\\x -> x)\n").unwrap();
    assert_eq!(r[0].tys, [Some(rise_opt::term::Class::Data)]);
    let r = rules("rule v [k : nat] (e : n.s) => asScalar (asVector[k] e)\n").unwrap();
    assert_eq!(r[0].tys, [Some(rise_opt::term::Class::Flat)]);
    // What is compared is no vector, what is added up may be: both together ask for a scalar.
    let r = rules("rule least (x : t) => select (lt x x) x (min x x)\n").unwrap();
    assert_eq!(r[0].tys, [Some(rise_opt::term::Class::Number)]);
    assert!(matches!(r[0].conds[..], [Cond::Flat(_)]));
}

#[test]
fn bad_rules_are_refused() {
    for (text, code) in [
        // misspelt primitive
        ("rule a mapp f xs => xs", "E0201"),
        ("rule a map f (trnspose x) => map f x", "E0201"),
        // right side unbound
        ("rule a map f xs => map g xs", "E0402"),
        // out of scope
        ("rule a map (\\x -> f x) xs => f x", "E0401"),
        // does not type
        ("rule a map f xs => join xs", "E0301"),
        ("rule a (e : n.s) => e e", "E0308"),
        // rigid
        (
            "rule a (e : n.s) => map (\\x -> x + x) (e : n.f32)",
            "E0301",
        ),
        // needs a size that the left does not bind
        ("rule a (e : n.s) => join (split[k] e)", "E0402"),
        ("rule a (e : n.s) => e where k divides n", "E0402"),
        ("rule a (e : n.s) => take[3] e", "E0302"),
        ("rule a map f x => map f x where assoziative f", "E0403"),
        ("rule a map f x => map f x where y not in f", "E0403"),
        (
            "rule a map (\\y -> f y) x => map f x where y not in q",
            "E0403",
        ),
        ("rule a map f x => map f x where associative f", "E0301"),
        (
            "rule a map f x => map f x\nrule a map f x => map f x",
            "E0204",
        ),
        ("ruleset s = b", "E0404"),
        ("ruleset s = s", "E0205"),
        (
            "rule a [k : nat] split[k] x => split[k] x\nruleset s = a",
            "E0306",
        ),
    ] {
        let e = match rules(text) {
            Ok(r) => panic!("{text}: {r:?}"),
            Err(e) => e,
        };
        assert!(
            e.iter().any(|e| e.starts_with(code)),
            "{text}\n{}",
            e.join("\n")
        );
    }
}

fn guide(name: &str) -> Result<Guide, String> {
    let mut sources = SourceMap::new();
    let file = sources.load_shipped(name).unwrap();
    // A sketch may speak of the sizes of any program.
    let mut sizes = std::collections::BTreeSet::new();
    for path in SourceMap::shipped().filter(|p| p.ends_with(".rise")) {
        let file = sources.load_shipped(path).unwrap();
        let program = rise_opt::elab::program(&mut sources, file, None);
        sizes.extend(program.unwrap().sizes.iter().map(|n| n.as_str()));
    }
    let sizes: Vec<_> = sizes
        .into_iter()
        .map(rise_opt::intern::Symbol::new)
        .collect();
    let around = Surroundings {
        sizes: Some(&sizes),
        costs: &["size", "views", "loops"],
        ..Surroundings::default()
    };
    steps(&mut sources, file, &around).map_err(|d| {
        let shown: Vec<String> = d
            .iter()
            .map(|d| render(d, &sources, Format::Human))
            .collect();
        shown.join("\n")
    })
}

#[test]
fn the_shipped_sketches_elaborate() {
    for name in SourceMap::shipped().filter(|n| n.ends_with(".sk")) {
        if name.ends_with("prelude.sk") {
            continue;
        }
        let g = guide(name).unwrap_or_else(|e| panic!("{name}\n{e}"));
        assert!(!g.steps.is_empty(), "{name}");
    }
    let g = guide("sketches/mm/parallel.sk").unwrap();
    let names: Vec<&str> = g.steps.iter().map(|s| &*s.name).collect();
    assert_eq!(names, ["split", "reorder-2", "store", "lower-5"]);
    assert_eq!(g.params["tile"].as_int(), Some(32));
}

fn sketch_errors(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("a.sk", text);
    let sizes = ["m", "n", "k"].map(rise_opt::intern::Symbol::new);
    let around = Surroundings {
        sizes: Some(&sizes),
        costs: &["size"],
        settings: [("tile".to_string(), 16)].into_iter().collect(),
        ..Surroundings::default()
    };
    match steps(&mut sources, file, &around) {
        Ok(g) => panic!("{text}: {:?}", g.steps),
        Err(d) => d
            .iter()
            .map(|d| format!("{}\n{}", d.code.id, render(d, &sources, Format::Human)))
            .collect(),
    }
}

#[test]
fn bad_sketches_are_refused() {
    for (text, code) in [
        ("sketch contans ?", "E0501"),
        ("sketch contains (app mapp ?)", "E0501"),
        ("sketch contains (app (map : ? -> q.? -> ?) ?)", "E0202"),
        (
            "sketch contains (app (map : ? -> (33/32).? -> ?) ?)",
            "E0307",
        ),
        ("sketch contains (app (map : ? -> 0.? -> ?) ?)", "E0307"),
        ("sketch contains (map : f32)", "E0504"),
        ("sketch app (map : ? -> m.? -> ?) ? (? : n.f32)", "E0504"),
        ("sketch contains ? ?", "E0503"),
        ("def f n s = app s n\nsketch f 3", "E0503"),
        ("def f = g\ndef g = f\nsketch ?", "E0205"),
        ("sketch map ?", "E0502"),
        ("sketch m", "E0502"),
        ("sketch split[1, 2]", "E0306"),
        ("cost sise\nsketch ?", "E0506"),
        ("limits iteration 3\nsketch ?", "E0506"),
        ("cost size", "E0505"),
        ("step a\nstep b\nsketch ?", "E0505"),
        ("sketch ?\nsketch ?", "E0204"),
        ("use rules/algorithmic.rules (map-fusio)\nsketch ?", "E0404"),
        (
            "use rules/algorithmic.rules (split-join)\nsketch ?",
            "E0306",
        ),
        ("use rules/algorithmic.rules\nsketch ?", "E0306"),
        ("use rules/algorithmc.rules\nsketch ?", "E0001"),
        ("param tile = 0\nsketch ?", "E0307"),
        ("def containsMap [n : nat] = ?\nsketch ?", "E0502"),
        ("sketch ? : q.f32", "E0202"),
        ("sketch ? : m", "E0209"),
    ] {
        let e = sketch_errors(text);
        assert!(
            e.iter().all(|e| e.starts_with(code)),
            "{text}\n{}",
            e.join("\n")
        );
    }
}

#[test]
fn parameters_are_set_from_outside() {
    let mut sources = SourceMap::new();
    let text = "param tile = 32\nparam half = tile/2\nsketch ? : half.tile.f32 -> ?";
    let file = sources.add_text("a.sk", text);
    let around = Surroundings {
        settings: [("tile".to_string(), 16)].into_iter().collect(),
        ..Surroundings::default()
    };
    let g = steps(&mut sources, file, &around).unwrap();
    assert_eq!(g.params["half"].as_int(), Some(8));
    let SketchKind::Typed(_, TyPattern::Fun(s, _)) = &g.steps[0].sketch.kind else {
        panic!("{:?}", g.steps[0].sketch);
    };
    assert!(matches!(&**s, TyPattern::Array(Some(n), _) if n.as_int() == Some(8)));
}

#[test]
fn constants_of_the_target_are_sizes_of_sketches() {
    let text = "param tile = 2*target.f32lanes\nsketch ? : tile.target.registers.<target.f64lanes>f64 -> ?";
    let dims = |target: Target| {
        let mut sources = SourceMap::new();
        let file = sources.add_text("a.sk", text);
        let around = Surroundings {
            target,
            ..Surroundings::default()
        };
        let g = steps(&mut sources, file, &around).unwrap();
        let SketchKind::Typed(_, TyPattern::Fun(s, _)) = &g.steps[0].sketch.kind else {
            panic!("{:?}", g.steps[0].sketch);
        };
        format!("{s:?}")
    };
    assert_ne!(dims(Target::Avx512), dims(Target::Avx2));
    assert_eq!(dims(Target::Sse2), dims(Target::Portable));
    let mut sources = SourceMap::new();
    let rule = "rule r\n  split[target.f32lanes]  =>  split[target.f32lanes]";
    let file = sources.add_text("a.rules", rule);
    let e = rule_decls(&mut sources, file).unwrap_err();
    assert!(
        e.iter()
            .any(|d| d.message.contains("known in sketches only")),
        "{e:?}"
    );
}

/// A constant index says where it stands, also where only sizes that are fixed leave it outside.
#[test]
fn constant_indices_are_inside_at_fixed_sizes() {
    let text = "def f [n : nat] (a : n.f32) : f32 = idx (5 : idx[n]) a + at[7] a\n";
    let at = |n: i64| {
        let mut sources = SourceMap::new();
        let file = sources.add_text("t.rise", text);
        let set = [("n".to_string(), n)].into();
        let found = program_at(&mut sources, file, None, &set).err();
        let places = |d: &Diagnostic| {
            let span = d.primary.as_ref().expect("a place").span;
            (d.code.id, &text[span.lo as usize..span.hi as usize])
        };
        found.iter().flatten().map(places).collect::<Vec<_>>()
    };
    assert_eq!(at(2), [("E0702", "5"), ("E0702", "at[7]")]);
    assert_eq!(at(6), [("E0702", "at[7]")]);
    assert!(at(8).is_empty());
}

/// One who reads many guides reads a book once, and is told again what is wrong with it.
#[test]
fn books_that_are_read_again_are_the_same() {
    let mut sources = SourceMap::new();
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let (good, bad) = (file("good.rules"), file("bad.rules"));
    for (path, right) in [(&good, "xs"), (&bad, "ys")] {
        let rule = format!("rule a  reverse (reverse (xs : n.f32))  =>  {right}");
        std::fs::write(path, rule).unwrap();
    }
    let mut books = Books::default();
    let mut read = |book: &str, name: &str| {
        let text = format!("use \"{book}\"\nsketch contains reduce");
        let file = sources.add_text(name, &text);
        let around = Surroundings::default();
        let found = steps_with(&mut sources, file, &around, &mut books);
        found.map(|guide| guide.steps[0].rules[0].rule.clone())
    };
    let [first, second] = ["a.sk", "b.sk"].map(|name| read(&good, name).unwrap());
    assert!(Rc::ptr_eq(&first, &second));
    let [first, second] = ["c.sk", "d.sk"].map(|name| read(&bad, name).unwrap_err());
    assert!(!first.is_empty());
    let said =
        |all: &[Diagnostic]| -> Vec<String> { all.iter().map(|d| d.message.clone()).collect() };
    assert_eq!(said(&first), said(&second));
    // Nor does what was wrong with one change what is known of another.
    assert!(read(&good, "e.sk").is_ok());
}
