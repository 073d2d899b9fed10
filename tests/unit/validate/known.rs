use rise_opt::arith::Nat;
use rise_opt::intern::Symbol;
use rise_opt::validate::known::*;

fn var(name: &str) -> Nat {
    Nat::var(Symbol::new(name))
}

/// What was shown by an assumption about a variable that the number itself does not name is not known without it.
#[test]
fn answers_are_forgotten_with_what_they_rest_on() {
    let (a, b, c, d, w) = (var("a"), var("b"), var("c"), var("d"), var("w"));
    let mut known = Known::default();
    let n = a * b - c * d;
    let mark = known.mark();
    known.not_negative(n - w);
    known.at_least(n, 0.into());
    known.restore(mark);
    assert!(!known.at_least(n, 0.into()));
}

/// A product that takes a smaller one from itself, and something beside.
#[test]
fn products_of_sizes_are_taken_apart() {
    let (h, w, i) = (var("h"), var("w"), var("i"));
    let mut known = Known::default();
    known.not_negative(h - 2.into());
    known.range(Symbol::new("i"), 0.into(), w - 1.into());
    assert!(known.at_least(i + h * w - w + 1.into(), 0.into()));
    assert!(!known.at_least(i + h * w - w * 3.into() + 1.into(), 0.into()));
}

/// Below the last whole block a block ends before the end.
#[test]
fn blocks_before_the_last_end_inside() {
    let (n, i) = (var("n"), var("i"));
    let mut known = Known::default();
    known.range(Symbol::new("i"), 0.into(), n);
    let whole = (n + 1.into()).floor_div(8.into()) * 8.into();
    let first = i.floor_div(8.into()) * 8.into();
    assert!(!known.at_least(n, first + 7.into()));
    known.not_negative(whole - 1.into() - i);
    assert!(known.at_least(n, first + 7.into()));
    assert!(!known.at_least(n, first + 8.into()));
}

/// What is not so at a point near those that there are is not searched for: where a quotient is large enough, and where one variable is
/// elsewhere in its range.
#[test]
fn points_are_looked_for_nearby() {
    let (a, b) = (var("a"), var("b"));
    let (one, block) = (1.into(), 16384.into());
    let mut known = Known::default();
    let blocks = (a + one).floor_div(block);
    known.not_negative(blocks - one);
    known.not_negative(b - 16.into());
    known.range(Symbol::new("d"), 0.into(), (a + one) * (b + one) - one);
    known.range(Symbol::new("i"), 0.into(), blocks - one);
    known.range(Symbol::new("k"), 0.into(), b.floor_div(64.into()) - one);
    let place = var("i") * block * (b + one) + var("k") * 64.into() + 31.into();
    known.keep();
    assert!(!known.at_least(var("d"), place));
    assert!(!known.at_least(place, var("d")));
    assert!(known.at_least(place, 0.into()));
    let answers: Vec<String> = { known.questions().iter() }
        .filter(|q| q.least.mentions(Symbol::new("d")))
        .map(|q| format!("{:?}", q.answer))
        .collect();
    assert!(answers.len() > 1, "{answers:?}");
    assert!(!answers.contains(&"Open".to_string()), "{answers:?}");
}

/// Remainders of what is at most as far from each other as what divides.
#[test]
fn remainders_are_those_of_what_is_near() {
    let (i, k) = (var("i"), var("k"));
    let mut known = Known::default();
    known.range(Symbol::new("i"), 0.into(), 2.into());
    let of = |n: Nat| n.rem(3.into());
    let (a, b) = known.without_remainders(of(i + k + 2.into()), of(k + 1.into()));
    assert_eq!(a - b, i - 2.into());
    // Either is the same.
    let (a, b) = (of(i + i + k), of(k));
    assert_eq!(known.without_remainders(a, b), (a, b));
}
