//! Every kind of near miss, as it is said.

use rise_opt::arith::Nat;
use rise_opt::elab;
use rise_opt::elab::RuleUse;
use rise_opt::report::near::*;
use rise_opt::rule::near::{attempts, Limits};
use rise_opt::source::SourceMap;

const LIMITS: Limits = Limits {
    nesting: 6,
    size: 300,
    reassociate: false,
};

/// What comes of the one rule of a text, its sizes being `args`, on the one definition of another.
fn page(rule: &str, args: &[i64], program: &str, limits: Limits) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.rules", &format!("rule r {rule}\n"));
    let decl = elab::rule_decls(&mut sources, file).expect(rule).remove(0);
    let used = RuleUse {
        span: decl.span,
        rule: decl,
        args: args.iter().map(|n| Nat::int(*n)).collect(),
    };
    let file = sources.add_text("test.rise", program);
    let program = elab::program(&mut sources, file, None).expect(program);
    tried(&used, "it", &attempts(&used, &program.term, limits), 9)
}

/// The first near miss: its sub-term, then the reasons.
fn miss(rule: &str, args: &[i64], program: &str, limits: Limits) -> Vec<String> {
    let page = page(rule, args, program, limits);
    let at = page.find("  near miss").unwrap_or_else(|| panic!("{page}"));
    let lines = page[at..].lines().take_while(|l| !l.is_empty());
    lines.map(|l| l.trim().to_string()).collect()
}

fn reason_of(rule: &str, args: &[i64], program: &str) -> String {
    miss(rule, args, program, LIMITS)[1..].join("; ")
}

const FUSION: &str = "map f (map g xs) => map (\\x -> f (g x)) xs";
const SPLIT: &str =
    "[k : nat] map f (xs : n.s) => join (map (map f) (split[k] xs)) where k divides n, n != k";

#[test]
fn a_match_shows_what_it_binds_makes_and_assumes() {
    let program = "def p [n : nat] (a : n.f32) : n.f32 = map (\\x -> x + x) a";
    let want = "
on it, as it is written in β/η-normal form: applies once, no near miss

  applies at `a |> map (\\x -> x + x)`
    f = \\x -> x + x
    xs = a
    becomes join (map (map (\\x -> x + x)) (split[4] a))
    the kernel will assume that 4 divides n
";
    assert_eq!(page(SPLIT, &[4], program, LIMITS), want);
}

#[test]
fn another_form() {
    let row = "def p [m n : nat] (a : m.n.f32) : m.n.f32 = map (\\row -> map neg row) a";
    assert_eq!(
        miss(FUSION, &[], row, LIMITS),
        [
            "near miss, 1 of 2 nodes fit: `a |> map (\\row -> map neg row)`",
            "- the rule has `map g xs` where `a` stands, which is no `map`",
        ]
    );
    let program = "def p [m n : nat] (a : m.n.f32) : n.m.f32 = map (map neg) (transpose a)";
    assert_eq!(
        reason_of(FUSION, &[], program),
        "- the rule has `map g xs` where `transpose a` stands, a `transpose` and no `map`"
    );
}

#[test]
fn a_function_that_lacks_its_argument() {
    let program = "def p [m n : nat] (a : m.n.f32) : m.n.f32 = map (map neg) a";
    assert_eq!(
        reason_of(SPLIT, &[4], program),
        "- the rule has `map f xs` where `map neg` stands, with 1 argument instead of 2: in η-normal form \
         `\\x -> f x` is `f`"
    );
}

#[test]
fn another_number_and_another_variable() {
    let rule = "reduce (+) 0.0 xs => reduceSeq (+) 0.0 xs";
    let program = "def p [n : nat] (a : n.f32) : f32 = reduce (+) 1.0 a";
    assert_eq!(
        reason_of(rule, &[], program),
        "- the rule has the number `0.0` where `1.0` stands"
    );
    let rule = "map (\\x -> f x x) xs => map (\\x -> f x x) xs";
    let program = "def p [n : nat] (a : n.f32) (b : f32) : n.f32 = map (\\x -> x + b) a";
    assert_eq!(
        reason_of(rule, &[], program),
        "- the rule has the variable `x` where `b` stands"
    );
}

#[test]
fn a_function_that_is_not_written_out() {
    let rule = "map (\\x -> f (g x)) xs => map f (map g xs)";
    let program = "def p [n : nat] (a : n.f32) : n.f32 = map neg a";
    assert_eq!(
        reason_of(rule, &[], program),
        "- the rule has a function that is written out, `\\x -> f (g x)`; `neg` is not: in η-normal form \
         `\\x -> f x` is `f`"
    );
}

#[test]
fn a_variable_that_must_not_occur() {
    let rule = "map (\\x -> f (gx : data)) => \\xs -> map f (map (\\x -> gx) xs) where x not in f";
    let program = "def p [n : nat] (a : n.f32) : n.f32 = map (\\v -> v + sqrt v) a";
    assert_eq!(
        reason_of(rule, &[], program),
        "- `v` (the rule's `x`) must not occur in `f`, which leaves its scope: it occurs, in `add v`"
    );
}

#[test]
fn one_variable_for_two_terms() {
    let rule = "zip xs xs => map (\\x -> pair x x) xs";
    let program = "def p [n : nat] (a b : n.f32) : n.(f32, f32) = zip a b";
    assert_eq!(
        reason_of(rule, &[], program),
        "- `xs` stands for `a` at first, then for `b`"
    );
}

#[test]
fn types_and_sizes() {
    let rule = "map f (xs : n.f64) => map f xs";
    let program = "def p [n : nat] (a : n.f32) : n.f32 = map neg a";
    assert_eq!(
        reason_of(rule, &[], program),
        "- `f`, here `neg`, should have the type `f64 -> f32`, and has `f32 -> f32`"
    );
    let rule = "[k : nat] split[k] xs => split[k] xs";
    let program = "def p [n : nat] (a : (n*8).f32) : n.8.f32 = split[8] a";
    let said = reason_of(rule, &[4], program);
    assert!(said.contains('4') && said.contains('8'), "{said}");
}

#[test]
fn conditions_on_sizes() {
    let program = "def p (a : 30.f32) : 30.f32 = map neg a";
    assert_eq!(
        reason_of(SPLIT, &[4], program),
        "- `4 divides 30` does not hold"
    );
    assert_eq!(
        reason_of(SPLIT, &[30], program),
        "- `30 != 30` does not hold"
    );
    let rule = "[k : nat] map f (xs : n.s) => map f xs where k < n";
    let program = "def p [n : nat] (a : n.f32) : n.f32 = map neg a";
    assert_eq!(
        reason_of(rule, &[4], program),
        "- `4 < n` is not known for all sizes"
    );
}

#[test]
fn laws() {
    let rule = "reduce op e xs => reduceSeq op e xs where associative op";
    let program = "def p [n : nat] (a : n.f32) : f32 = reduce (+) 0.0 a";
    let said = reason_of(rule, &[], program);
    let permitted = "- `associative (+)` is not known, but would be with `permit reassociate` in the step: floats are not, to the bit: x = ";
    assert!(said.starts_with(permitted), "{said}");
    assert!(said.ends_with("; over reals it holds"), "{said}");
    let program = "def p [n : nat] (a : n.f32) : f32 = reduce (-) 0.0 a";
    let said = reason_of(rule, &[], program);
    assert!(
        said.starts_with("- `associative (-)` does not hold: x = "),
        "{said}"
    );
    assert!(!said.contains("it holds"), "{said}");
    let rule = "reduce op e xs => reduceSeq op e xs where identity e op";
    let program = "def p [n : nat] (a : n.i32) : i32 = reduce (+) 1 a";
    assert_eq!(
        reason_of(rule, &[], program),
        "- `identity 1 (+)` is not known"
    );
}

#[test]
fn functions_that_have_no_form_on_vectors() {
    let rule = "[k : nat] map f (xs : n.s) => asScalar (map fv (asVector[k] xs)) where vectorizable f as fv [k], k divides n";
    let program = "def p [n : nat] (a : n.f32) : n.f32 = map (\\x -> select (x < 0.0) (neg x) x) a";
    let said = miss(rule, &[8], program, LIMITS)[1..].join("; ");
    assert!(
        said.starts_with("- `f` has no form on vectors because of `"),
        "{said}"
    );
    assert!(said.contains("bool"), "{said}");
}

#[test]
fn limits() {
    let program = "def p [n : nat] (a : n.f32) : n.f32 = map neg a";
    let said = |limits| miss(SPLIT, &[4], program, limits)[1..].join("; ");
    assert_eq!(
        said(Limits {
            nesting: 1,
            ..LIMITS
        }),
        "- the result nests arrays 2 deep, and the limit is 1 (`limits nesting`)"
    );
    assert_eq!(
        said(Limits { size: 6, ..LIMITS }),
        "- the term would grow beyond the limit of 6 nodes (`limits size`)"
    );
}

#[test]
fn what_fits_most_comes_first_and_the_rest_is_counted() {
    let program =
        "def p [m n : nat] (a : m.n.f32) : m.n.f32 = map (\\r -> map neg (map sqrt (map neg r))) a";
    let text = page(FUSION, &[], program, LIMITS);
    assert!(text.contains("applies 2 times, 2 near misses"), "{text}");
    let mut sources = SourceMap::new();
    let file = sources.add_text("test.rules", &format!("rule r {FUSION}\n"));
    let decl = elab::rule_decls(&mut sources, file).unwrap().remove(0);
    let used = RuleUse {
        span: decl.span,
        rule: decl,
        args: Vec::new(),
    };
    let file = sources.add_text("test.rise", program);
    let term = elab::program(&mut sources, file, None).unwrap().term;
    let few = tried(&used, "it", &attempts(&used, &term, LIMITS), 1);
    assert!(few.contains("… 1 more (`--near N` shows more)"), "{few}");
}
