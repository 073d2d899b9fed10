use rise_opt::elab;
use rise_opt::operator::*;
use rise_opt::source::SourceMap;
use rise_opt::term::{Op, Term};
use rise_opt::ty::Scalar;

/// An operator of a type; `with` are its variables, as parameters.
fn operator(text: &str, ty: &str, with: &str) -> Term {
    let mut sources = SourceMap::new();
    let whole = format!("def op {with} : ({ty}) -> ({ty}) -> ({ty}) =\n  {text}\n");
    let file = sources.add_text("op", &whole);
    let program =
        elab::definition(&mut sources, file, None).unwrap_or_else(|d| panic!("{text}: {d:?}"));
    let mut term = program.term;
    for _ in 0..with.matches(':').count() - with.matches(": nat").count() {
        let rise_opt::term::Kind::Lam(_, body) = term.kind() else {
            break;
        };
        let body = body.clone();
        term = body;
    }
    term
}

/// A letter for each law and side of identity: large where it is proved, small where it is refuted.
fn verdicts(op: &Term, meaning: Meaning) -> String {
    let letter = |word: &str, c: char| match word {
        "proved" => c.to_ascii_uppercase(),
        "refuted" => c,
        _ => '?',
    };
    let laws = Law::ALL.map(|l| {
        letter(
            judge(op, &[], meaning, l, Effort::SEARCH).word(),
            l.name().chars().next().unwrap(),
        )
    });
    let sides = [true, false].map(|left| {
        let found = identity(op, &[], meaning, left, Effort::SEARCH);
        letter(found.word(), if left { 'l' } else { 'r' })
    });
    laws.iter().chain(&sides).collect()
}

#[track_caller]
fn check(text: &str, ty: &str, with: &str, expected: [(Meaning, &str); 2]) {
    let op = operator(text, ty, with);
    for (meaning, letters) in expected {
        assert_eq!(
            verdicts(&op, meaning),
            letters,
            "{text} : {ty}, {meaning:?}"
        );
    }
}

fn ints(text: &str, ty: &str, unbounded: &str, machine: &str) {
    let expected = [(Meaning::Unbounded, unbounded), (Meaning::Machine, machine)];
    check(text, ty, &format!("(k : {ty})"), expected);
}

fn floats(text: &str, ty: &str, machine: &str, reals: &str) {
    let expected = [(Meaning::Machine, machine), (Meaning::Reals, reals)];
    check(text, ty, "(k : f32)", expected);
}

/// The ten smallest of a published list: all of them associate over the integers, the last two not where they wrap.
#[test]
fn the_smallest_operators_have_the_verdicts_that_are_known_of_them() {
    ints(r"\x y -> x + y", "i32", "ACiLR", "ACiLR");
    ints(r"\x y -> x * y", "i32", "ACiLR", "ACiLR");
    ints(r"\x y -> min x y", "i32", "ACIlr", "ACILR");
    ints(r"\x y -> max x y", "i32", "ACIlr", "ACILR");
    for (text, sides) in [
        (r"\x y -> max (min x k) y", "Lr"),
        (r"\x y -> min (max x k) y", "Lr"),
        (r"\x y -> max (min y k) x", "lR"),
        (r"\x y -> min (max y k) x", "lR"),
    ] {
        ints(text, "i32", "AcIlr", &format!("AcI{sides}"));
    }
    ints(r"\x y -> max (min (k - x) y) x", "i32", "AcIlr", "acIlR");
    ints(r"\x y -> min (max (k - x) y) x", "i32", "AcIlr", "acIlR");
}

#[test]
fn what_does_not_associate_is_refuted() {
    ints(r"\x y -> x - y", "i32", "acilR", "acilR");
    ints(r"\x y -> (x + y) / 2", "i32", "aCilr", "aCilr");
    ints(r"\x y -> max (x + y) y", "i32", "aciLr", "aciLr");
    ints(r"\x y -> x", "i32", "AcIlR", "AcIlR");
    floats(r"\x y -> x + y", "f32", "aCiLR", "ACiLR");
    floats(r"\x y -> max x y", "f32", "acILr", "ACILR");
    floats(
        r"\x y -> pair ((fst x + fst y) * 0.5) (snd x + snd y)",
        "(f32, f32)",
        "aCi??",
        "aCilr",
    );
}

/// Adding bytes and staying at 255: associative however it is spelled; of bytes with a sign it is not.
#[test]
fn saturation_is_found_in_every_spelling() {
    for text in [
        r"\x y -> x + min y (255 - x)",
        r"\x y -> select (x + y < x) 255 (x + y)",
        r"\x y -> select (x + y >= y) (x + y) 255",
        r"\x y -> cast (min 255 ((cast x : i32) + (cast y : i32))) : u8",
        r"\x y -> select ((cast x : u16) + (cast y : u16) > 255) 255 (x + y)",
        r"\x y -> 255 - ((255 - x) - min y (255 - x))",
        r"\x y -> max x (select (255 - x < y) 255 (x + y))",
        r"\x y -> bitnot (bitnot x - min y (bitnot x))",
    ] {
        let op = operator(text, "u8", "");
        assert_eq!(verdicts(&op, Meaning::Machine), "ACiLR", "{text}");
    }
    let signed = r"\x y -> cast (min 127 (max (0 - 128) ((cast x : i32) + (cast y : i32)))) : i8";
    let op = operator(signed, "i8", "");
    assert_eq!(verdicts(&op, Meaning::Machine), "aCiLR");
}

#[test]
fn tuples_are_decided_component_by_component_and_together() {
    let complex = r"\x y -> pair (fst x * fst y - snd x * snd y) (fst x * snd y + snd x * fst y)";
    floats(complex, "(f32, f32)", "aCi??", "ACiLR");
    let affine = r"\x y -> pair (fst x * fst y) (snd x * fst y + snd y)";
    ints(affine, "(i32, i32)", "AciLR", "AciLR");
    let argmin = r"\x y -> select (fst y < fst x) y x";
    floats(argmin, "(f32, i32)", "acIlR", "AcILR");
    let second =
        r"\x y -> pair (max (fst x) (fst y)) (max (min (fst x) (fst y)) (max (snd x) (snd y)))";
    floats(second, "(f32, f32)", "aciLr", "ACiLR");
    let prefix = r"\x y -> pair (fst x + fst y) (max (snd x) (fst x + snd y))";
    floats(prefix, "(f32, f32)", "aciL?", "AciLR");
}

/// Names are kept from overflowing in either order: where both are equal, powers below the larger one are the same.
#[test]
fn the_larger_of_equal_numbers_is_either() {
    floats(
        r"\x y -> let (max (fst x) (fst y)) (\m -> pair m (snd x * exp (fst x - m) + snd y * exp (fst y - m)))",
        "(f32, f32)",
        "aci?r",
        "ACi??",
    );
}

/// A number that chooses an element of an array is taken between its ends.
#[test]
fn elements_that_are_chosen_by_numbers_are_looked_into() {
    ints(
        r"\x y -> idx (cast (x * y) : idx[2]) (makeArray[2] 0 1)",
        "i32",
        "aCilr",
        "aCilr",
    );
    ints(
        r"\x y -> idx (cast (select (x < y) 0 (0 - 5)) : idx[2]) (makeArray[2] (min x y) 7)",
        "i32",
        "ACIlr",
        "ACILR",
    );
}

#[test]
fn exponentials_and_quotients_are_decided_over_reals() {
    for (text, ty) in [
        (r"\x y -> log (exp x + exp y)", "f32"),
        (
            r"\x y -> max x y + log (exp (x - max x y) + exp (y - max x y))",
            "f32",
        ),
        (r"\x y -> sqrt (x * x + y * y)", "f32"),
        (r"\x y -> (x + y) / (1.0 + x * y)", "f32"),
        (
            r"\x y -> pair (fst x + fst y) ((fst x * snd x + fst y * snd y) / (fst x + fst y))",
            "(f32, f32)",
        ),
        (
            r"\x y -> let (max (fst x) (fst y)) (\m -> pair m (snd x * exp (fst x - m) + snd y * exp (fst y - m)))",
            "(f32, f32)",
        ),
    ] {
        let op = operator(text, ty, "");
        let found = judge(&op, &[], Meaning::Reals, Law::Associative, Effort::SEARCH);
        assert!(found.is_proved(), "{text}: {found:?}");
        let strict = judge(&op, &[], Meaning::Machine, Law::Associative, Effort::SEARCH);
        assert_eq!(strict.word(), "refuted", "{text}");
    }
}

/// Of all operations on two bits, and those with a third, the verdict is what trying all values says.
#[test]
fn operators_on_truth_values_are_what_trying_all_of_them_says() {
    for table in 0..16u32 {
        let leaf = |i: u32| if table >> i & 1 == 1 { "true" } else { "false" };
        let text = format!(
            r"\x y -> select x (select y {} {}) (select y {} {})",
            leaf(3),
            leaf(2),
            leaf(1),
            leaf(0)
        );
        let f = |x: bool, y: bool| table >> (2 * u32::from(x) + u32::from(y)) & 1 == 1;
        let all = [false, true];
        let each = |law: &dyn Fn(bool, bool, bool) -> bool| {
            all.iter()
                .all(|x| all.iter().all(|y| all.iter().all(|z| law(*x, *y, *z))))
        };
        let side = |left: bool| {
            all.iter().any(|e| {
                all.iter().all(|x| {
                    if left {
                        f(*e, *x) == *x
                    } else {
                        f(*x, *e) == *x
                    }
                })
            })
        };
        let letter = |b: bool, c: char| if b { c.to_ascii_uppercase() } else { c };
        let expected: String = [
            letter(each(&|x, y, z| f(f(x, y), z) == f(x, f(y, z))), 'a'),
            letter(each(&|x, y, _| f(x, y) == f(y, x)), 'c'),
            letter(each(&|x, y, _| f(f(x, y), y) == f(x, y)), 'i'),
            letter(side(true), 'l'),
            letter(side(false), 'r'),
        ]
        .iter()
        .collect();
        let op = operator(&text, "bool", "");
        assert_eq!(verdicts(&op, Meaning::Machine), expected, "{text}");
    }
}

/// An expression over x, y and a constant, in the language and as what it computes.
#[derive(Clone)]
enum Random {
    X,
    Y,
    K(i64),
    Two(&'static str, Box<Random>, Box<Random>),
    Choice(&'static str, Box<[Random; 4]>),
}

impl Random {
    fn draw(rng: &mut rise_opt::interp::random::Rng, leaves: u64) -> Random {
        if leaves <= 1 {
            return match rng.below(5) {
                0 | 1 => Random::X,
                2 | 3 => Random::Y,
                _ => Random::K(*rng.pick(&[0, 1, 2, 3, 7, 100, 127])),
            };
        }
        if leaves >= 4 && rng.one_in(3) {
            let op = *rng.pick(&["<", "<=", "==", ">"]);
            let parts = [1, 1, 1, leaves - 3].map(|n| Random::draw(rng, n));
            return Random::Choice(op, Box::new(parts));
        }
        let left = 1 + rng.below(leaves - 1);
        let op = *rng.pick(&[
            "+", "-", "*", "min", "max", "bitand", "bitor", "bitxor", "/", "%", "shr",
        ]);
        let (a, b) = (Random::draw(rng, left), Random::draw(rng, leaves - left));
        Random::Two(op, Box::new(a), Box::new(b))
    }

    fn text(&self) -> String {
        match self {
            Random::X => "x".into(),
            Random::Y => "y".into(),
            Random::K(k) => k.to_string(),
            Random::Two(op, a, b) if op.len() == 1 => format!("({} {op} {})", a.text(), b.text()),
            Random::Two(op, a, b) => format!("({op} {} {})", a.text(), b.text()),
            Random::Choice(op, parts) => {
                let [a, b, c, d] = &**parts;
                let (a, b, c, d) = (a.text(), b.text(), c.text(), d.text());
                format!("(select ({a} {op} {b}) {c} {d})")
            }
        }
    }

    /// What it is, with a byte in 16 bits; `wrap` brings what leaves the type back.
    fn value(&self, x: i16, y: i16, wrap: fn(i16) -> i16) -> i16 {
        match self {
            Random::X => x,
            Random::Y => y,
            Random::K(k) => *k as i16,
            Random::Choice(op, parts) => {
                let [a, b, c, d] = &**parts;
                let (l, r) = (a.value(x, y, wrap), b.value(x, y, wrap));
                let chosen = match *op {
                    "<" => l < r,
                    "<=" => l <= r,
                    "==" => l == r,
                    _ => l > r,
                };
                if chosen { c } else { d }.value(x, y, wrap)
            }
            Random::Two(op, a, b) => {
                let (l, r) = (a.value(x, y, wrap), b.value(x, y, wrap));
                wrap(match *op {
                    "+" => l + r,
                    "-" => l - r,
                    "*" => l.wrapping_mul(r),
                    "min" => l.min(r),
                    "max" => l.max(r),
                    "bitand" => l & r,
                    "bitor" => l | r,
                    "bitxor" => l ^ r,
                    "/" => l.checked_div(r).unwrap_or(0),
                    "%" => l.checked_rem(r).unwrap_or(0),
                    _ if (0..8).contains(&r) => l >> r,
                    _ => -i16::from(l < 0),
                })
            }
        }
    }
}

/// What is proved of random operators on bytes holds for all bytes x and y, and for every nineteenth z; of each proof the
/// values are tried by an evaluator of its own.
fn proved_of_random_operators(seed: u64, count: usize) -> [usize; 3] {
    let mut rng = rise_opt::interp::random::Rng::new(seed);
    let mut found = [0; 3];
    for i in 0..count {
        let leaves = 2 + rng.below(5);
        let random = Random::draw(&mut rng, leaves);
        let (ty, wrap): (_, fn(i16) -> i16) = match i % 2 {
            0 => ("u8", |n| i16::from(n as u8)),
            _ => ("i8", |n| i16::from(n as i8)),
        };
        let text = format!(r"\x y -> {}", random.text());
        let op = operator(&text, ty, "");
        let f = |x, y| random.value(x, y, wrap);
        let (low, high) = if ty == "u8" { (0, 255) } else { (-128, 127) };
        for (law, n) in Law::ALL.into_iter().zip(0..) {
            if !judge(&op, &[], Meaning::Machine, law, Effort::SEARCH).is_proved() {
                continue;
            }
            found[n] += 1;
            for (x, y) in (low..=high).flat_map(|x| (low..=high).map(move |y| (x, y))) {
                let zs = (low..=high).step_by(if law == Law::Associative { 19 } else { 256 });
                for z in zs {
                    let same = match law {
                        Law::Associative => f(f(x, y), z) == f(x, f(y, z)),
                        Law::Commutative => f(x, y) == f(y, x),
                        Law::Idempotent => f(f(x, y), y) == f(x, y),
                    };
                    assert!(same, "{text} : {ty} is not {law:?} at {x}, {y}, {z}");
                }
            }
        }
    }
    found
}

#[test]
fn what_is_proved_of_random_operators_holds_for_all_bytes() {
    let found = proved_of_random_operators(1, 80);
    assert!(found.iter().all(|n| *n > 3), "{found:?}");
}

/// The same of many: `cargo test --test searches many_random_operators -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn what_is_proved_of_many_random_operators_holds_for_all_bytes() {
    for seed in 2..42 {
        println!("{seed}: {:?}", proved_of_random_operators(seed, 250));
    }
}

/// What diagrams of bits say is what the interpreter says, at every kind of operand of a byte.
#[test]
fn words_are_the_integers_of_the_machine() {
    use rise_opt::interp::scalar::{apply, cast};
    use rise_opt::interp::{Elem, Num};
    use rise_opt::operator::words::{knows, Words};
    let value = |word: &[u32], s: Scalar| {
        let bits = word.iter().enumerate().map(|(i, b)| i128::from(*b) << i);
        let all: i128 = bits.sum();
        match s.is_signed() && word.last() == Some(&1) {
            true => (all - (1 << word.len())) as i64,
            false => all as i64,
        }
    };
    let mut compared = 0;
    for s in [Scalar::I8, Scalar::U8] {
        let all: Vec<i64> = match s {
            Scalar::I8 => (-128..128).collect(),
            _ => (0..256).collect(),
        };
        for x in all.iter().copied().filter(|x| x % 5 == 0 || x.abs() > 126) {
            for y in all.iter().copied().filter(|y| y % 3 == 0 || y.abs() < 10) {
                let mut words = Words::new(1000);
                let [a, b] = [x, y].map(|n| words.constant(n.into(), 8));
                for op in Op::ALL.iter().copied() {
                    for operands in [&[&a[..]][..], &[&a, &b], &[&a, &b, &a]] {
                        let logical = matches!(op, Op::And | Op::Or | Op::Not | Op::Select);
                        if logical || !knows(op, operands.len()) {
                            continue;
                        }
                        let numbers = [x, y, x].map(Num::Int);
                        let wanted = apply(op, s, &numbers[..operands.len()]).unwrap();
                        let found = words.apply(op, s, operands).unwrap();
                        let ty = if found.len() == 1 { Scalar::Bool } else { s };
                        let found = Num::Int(value(&found, ty));
                        assert!(wanted.same(found), "{op:?} {s:?} {x} {y}: {found:?}");
                        compared += 1;
                    }
                }
            }
            let mut words = Words::new(1000);
            let a = words.constant(x.into(), 8);
            for to in Scalar::ALL.into_iter().filter(|t| !t.is_float()) {
                let found = words.cast(&a, s, to).unwrap();
                let wanted = cast(Elem::Scalar(s), Elem::Scalar(to), Num::Int(x));
                assert!(wanted.same(Num::Int(value(&found, to))), "{s:?} {to:?} {x}");
                if to == Scalar::Bool {
                    continue;
                }
                let float = cast(Elem::Scalar(s), Elem::Scalar(Scalar::F32), Num::Int(x));
                let wanted = cast(Elem::Scalar(Scalar::F32), Elem::Scalar(to), float);
                let found = words.saturated(&a, s, to).unwrap();
                assert!(wanted.same(Num::Int(value(&found, to))), "{s:?} {to:?} {x}");
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

/// Diagrams of unknowns are equal if and only if what they stand for is, for all values, or for those of a case: expressions of few
/// bits are computed for each of them, as numbers.
#[test]
fn words_are_equal_where_all_values_are() {
    use rise_opt::interp::random::Rng;
    use rise_opt::operator::words::{Word, Words};
    const WIDTH: usize = 2;
    const OPS: [Op; 16] = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::Mod,
        Op::Min,
        Op::Max,
        Op::BitAnd,
        Op::BitOr,
        Op::BitXor,
        Op::Shl,
        Op::Shr,
        Op::Neg,
        Op::Abs,
        Op::BitNot,
        Op::Select,
    ];
    // Numbers up to 2 are unknowns, then come some constants; the others are operations on what stands before.
    type Step = (Op, [usize; 3]);
    let run = |words: &mut Words, s: Scalar, leaves: &[Word], steps: &[Step]| {
        let mut all = leaves.to_vec();
        for (op, [x, y, z]) in steps {
            let [x, y, z] = [*x, *y, *z].map(|i| &all[i][..]);
            let made = match op {
                Op::Neg | Op::Abs | Op::BitNot => words.apply(*op, s, &[x]),
                Op::Select => {
                    let below = words.apply(Op::Lt, s, &[x, y]).unwrap();
                    words.apply(*op, s, &[&below, y, z])
                }
                _ => words.apply(*op, s, &[x, y]),
            };
            all.push(made.unwrap());
        }
        all
    };
    let (mut rng, mut alike, mut in_case) = (Rng::new(1), 0, 0);
    for round in 0..400 {
        let s = [Scalar::I8, Scalar::U8][round % 2];
        let mut steps: Vec<Step> = Vec::new();
        for i in 0..24 {
            let mut operand = || rng.below(5 + i) as usize;
            let operands = [operand(), operand(), operand()];
            steps.push((*rng.pick(&OPS), operands));
        }
        let mut words = Words::new(10_000);
        let constants = [1, 3].map(|c| words.constant(c, WIDTH));
        let unknowns = [0; 3].map(|_| words.unknown(WIDTH).unwrap());
        let leaves = [&unknowns[..], &constants[..]].concat();
        let found = run(&mut words, s, &leaves, &steps);
        let values: Vec<Vec<Word>> = (0..1 << (3 * WIDTH))
            .map(|v| {
                let known = [0, 1, 2].map(|i| words.constant(v >> (i * WIDTH), WIDTH));
                let leaves = [&known[..], &constants[..]].concat();
                run(&mut words, s, &leaves, &steps)
            })
            .collect();
        let case = found.len() - 1;
        for (i, x) in found.iter().enumerate() {
            for (j, y) in found.iter().enumerate().take(i) {
                let always = values.iter().all(|v| v[i] == v[j]);
                assert_eq!(
                    words.equal_where(1, x, y),
                    Some(always),
                    "{steps:?} {i} {j}"
                );
                let bit = found[case][0];
                let there = values.iter().all(|v| v[case][0] == 0 || v[i] == v[j]);
                assert_eq!(
                    words.equal_where(bit, x, y),
                    Some(there),
                    "{steps:?} {i} {j}"
                );
                alike += usize::from(always);
                in_case += usize::from(there && !always);
            }
        }
    }
    assert!(alike > 1000 && in_case > 1000, "{alike}, {in_case}");
}
