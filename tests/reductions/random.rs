//! Random operators, and what is said of their laws, beside arithmetic that stands here: what is proved holds at all values of
//! eight bits, or at many points; what is refuted differs where it is said to.

use super::columns::{self, Column};
use super::operators::Number::{self, Float, Whole};
use super::operators::{ratio, Domain, Expr, NUMBERS};
use crate::common::definition_text;
use rise_opt::interp::random::Rng;
use rise_opt::interp::{self, Num, Sizes};
use rise_opt::operator::{self, Counterexample, Effort, Identity, Law, Meaning, Named, Verdict};
use rise_opt::term::{Kind, Op};
use rise_opt::ty::Scalar;
use std::collections::BTreeMap;

/// An operator of a reading, and a number for `k`.
struct Subject<'a> {
    d: Domain,
    parts: &'a [Expr],
}

/// As many numbers as an operator combines; the others are zero.
type Tuple = [Number; 3];

impl Subject<'_> {
    fn call(&self, x: &[Number], y: &[Number], k: Number) -> Option<Tuple> {
        let mut made = [Whole(0); 3];
        for (m, p) in made.iter_mut().zip(self.parts) {
            *m = p.value(self.d, [x, y], k)?;
        }
        Some(made)
    }

    fn sides(&self, law: Law, [x, y, z]: [&[Number]; 3], k: Number) -> Option<(Tuple, Tuple)> {
        let op = |a: &[Number], b: &[Number]| self.call(a, b, k);
        let xy = op(x, y)?;
        Some(match law {
            Law::Associative => (op(&xy, z)?, op(x, &op(y, z)?)?),
            Law::Commutative => (xy, op(y, x)?),
            Law::Idempotent => (op(&xy, y)?, xy),
        })
    }

    /// A point at which a law fails.
    fn fails(&self, law: Law, points: u64, rng: &mut Rng) -> Option<String> {
        let d = self.d;
        if d.range().1 - d.range().0 < 256 && d.wraps() && d.components == 1 {
            return self.fails_somewhere(law, rng);
        }
        let fails_at = |x: Tuple, y: Tuple, z: Tuple, k: Number| {
            let (left, right) = self.sides(law, [&x, &y, &z], k)?;
            let fails = !d.same(&left, &right);
            fails.then(|| format!("{x:?} {y:?} {z:?} {k:?}: {left:?} {right:?}"))
        };
        let (single, rows) = self.shared(points, columns::hold(d, self.parts));
        for _ in 0..single {
            let [x, y, z] = [0; 3].map(|_| [0; 3].map(|_| d.draw(rng)));
            if let Some(at) = fails_at(x, y, z, d.draw(rng)) {
                return Some(at);
            }
        }
        for _ in 0..rows {
            let mut tuple =
                || -> Vec<Column> { (0..d.components).map(|_| columns::draw(d, rng)).collect() };
            let (x, y, z) = (tuple(), tuple(), tuple());
            let k = columns::draw(d, rng);
            if let Some(i) = columns::difference(d, self.parts, law, [&x, &y, &z], &k) {
                let one = |t: &[Column]| {
                    let mut found = [Whole(0); 3];
                    found.iter_mut().zip(t).for_each(|(f, c)| *f = c.at(d, i));
                    found
                };
                let at = fails_at(one(&x), one(&y), one(&z), k.at(d, i));
                return Some(at.unwrap_or_else(|| "columns say otherwise".to_string()));
            }
        }
        None
    }

    /// The same, at all operands, by a table, for a few `k`.
    fn fails_somewhere(&self, law: Law, rng: &mut Rng) -> Option<String> {
        let (least, most) = self.d.range();
        let count = (most - least + 1) as usize;
        for _ in 0..3 {
            let k = self.d.draw(rng);
            let mut table = vec![0u8; count * count];
            for (i, entry) in table.iter_mut().enumerate() {
                let at = |i: usize| [Whole(i as i128 + least)];
                let found = self.call(&at(i / count), &at(i % count), k)?;
                let Whole(n) = found[0] else { return None };
                *entry = (n - least) as u8;
            }
            let op = |x: usize, y: usize| usize::from(table[x * count + y]);
            for x in 0..count {
                for y in 0..count {
                    let xy = op(x, y);
                    let fails = match law {
                        Law::Associative => (0..count).any(|z| op(xy, z) != op(x, op(y, z))),
                        Law::Commutative => xy != op(y, x),
                        Law::Idempotent => op(xy, y) != xy,
                    };
                    if fails {
                        return Some(format!("{x} {y} above {least}, k = {k:?}"));
                    }
                }
            }
        }
        None
    }

    /// What the interpreter says; of numbers that can be written.
    fn interpreted(&self, x: &[Number], y: &[Number], k: Number) -> Option<Vec<Number>> {
        let d = self.d;
        let written = |n: &Number| match n {
            Whole(n) if d.scalar == Scalar::Bool => Some((*n != 0).to_string()),
            Whole(n) if *n < 0 => Some(format!("(0 - {})", -n)).filter(|_| *n > d.range().0),
            Whole(n) => Some(n.to_string()),
            Float(x) if x.is_finite() && x.is_sign_positive() => Some(format!("{x:?}")),
            _ => None,
        };
        let tuple = |t: &[Number]| -> Option<String> {
            let all: Option<Vec<String>> = t.iter().map(written).collect();
            Some(tuple_text(&all?))
        };
        let bodies: Vec<String> = self.parts.iter().map(|p| p.text(d)).collect();
        let (ty, scalar) = (d.tuple_type(), d.scalar.name());
        let whole = format!(
            "def op (k : {scalar}) (x y : {ty}) : {ty} =\n  {}\ndef value : {ty} =\n  op ({} : {scalar}) ({} : {ty}) ({} : {ty})\n",
            tuple_text(&bodies),
            written(&k)?,
            tuple(x)?,
            tuple(y)?,
        );
        let term = definition_text(&whole).term;
        let value = interp::eval(&term, &Sizes::new(), &[]).expect("a value");
        let number = |n: &Num| match n {
            Num::F32(x) => Float(*x),
            n => Whole(n.int().into()),
        };
        Some(value.leaves().concat().iter().map(number).collect())
    }

    /// Whether a law fails at the point that is told; nothing where that cannot be computed here.
    fn fails_at(&self, law: Law, at: &Counterexample) -> Option<bool> {
        let find = |name: &str| {
            let text = &at.point.iter().find(|p| p.0 == name)?.1;
            let words = text
                .split(|c: char| "(), ".contains(c))
                .filter(|w| !w.is_empty());
            words
                .map(|w| self.d.read(w))
                .collect::<Option<Vec<Number>>>()
        };
        let (x, y) = (find("x")?, find("y")?);
        let z = find("z").unwrap_or_else(|| x.clone());
        let k = find("k").map_or(self.d.number(0), |k| k[0]);
        let (left, right) = self.sides(law, [&x, &y, &z], k)?;
        Some(!self.d.same(&left, &right))
    }

    /// Whether an identity that is told is none.
    fn moves(&self, e: &str, left: bool, points: u64, rng: &mut Rng) -> Option<String> {
        let d = self.d;
        let words = e.split(|c: char| "(), ".contains(c));
        let e: Vec<Option<Number>> = (words.filter(|w| !w.is_empty()))
            .map(|w| match w {
                "k" => Some(None),
                w => d.read(w).map(Some),
            })
            .collect::<Option<_>>()?;
        let told = &e;
        let constants: Option<Vec<Option<Column>>> = (told.iter())
            .map(|e| e.map_or(Some(None), |e| columns::constant(d, e).map(Some)))
            .collect();
        let columns = constants.filter(|_| columns::hold(d, self.parts));
        let (single, rows) = self.shared(points, columns.is_some());
        for _ in 0..single {
            let k = d.draw(rng);
            let mut tuple = [k; 3];
            for (t, e) in tuple.iter_mut().zip(told) {
                *t = e.unwrap_or(k);
            }
            let (e, x) = (tuple, [0; 3].map(|_| d.draw(rng)));
            let found = match left {
                true => self.call(&e, &x, k),
                false => self.call(&x, &e, k),
            };
            if found.is_some_and(|f| !d.same(&f[..d.components], &x[..d.components])) {
                return Some(format!("{e:?} with {x:?}, {k:?}"));
            }
        }
        for _ in 0..rows {
            let k = columns::draw(d, rng);
            let e: Vec<Column> = (columns.iter().flatten())
                .map(|e| e.clone().unwrap_or_else(|| k.clone()))
                .collect();
            let x: Vec<Column> = (0..d.components).map(|_| columns::draw(d, rng)).collect();
            let operands: [&[Column]; 2] = if left { [&e, &x] } else { [&x, &e] };
            let (found, lost) = columns::call(d, self.parts, operands, &k);
            if let Some(i) = columns::apart(&found, &x, &lost) {
                let x: Vec<Number> = x.iter().map(|c| c.at(d, i)).collect();
                return Some(format!("{told:?} with {x:?}, {:?}", k.at(d, i)));
            }
        }
        None
    }

    /// How many points are looked at one by one, and how many columns are: what columns cannot hold is computed at fewer points.
    fn shared(&self, points: u64, columns: bool) -> (u64, u64) {
        match columns {
            true => (points.min(FEW), points.div_ceil(columns::ROWS as u64)),
            false => (points.min(FEW * 20), 0),
        }
    }

    /// Identities for some `k`, one for each, if there are.
    fn identities(&self, left: bool, rng: &mut Rng) -> Option<Vec<Number>> {
        let d = self.d;
        let simple = [0, 1, if d.has_signs() { -2 } else { 2 }].map(|n| d.number(n));
        let some = [d.draw(rng), d.draw(rng)].into_iter().chain(simple);
        some.map(|k| self.identity(left, k, rng)).collect()
    }

    /// An identity for this `k`: of eight bits any, of others a number that nothing which is drawn speaks against.
    fn identity(&self, left: bool, k: Number, rng: &mut Rng) -> Option<Number> {
        let d = self.d;
        let (least, most) = d.range();
        let (candidates, tried): (Vec<Number>, Vec<Number>) = match d.wraps() && most - least < 256
        {
            true if !d.scalar.is_float() => {
                let all: Vec<Number> = (least..=most).map(Whole).collect();
                (all.clone(), all)
            }
            _ => {
                let mut some: Vec<Number> = [0, 1, 2, 3, 7, 100].map(|n| d.number(n)).to_vec();
                if d.has_signs() {
                    some.extend([-1, -2, -100].map(|n| d.number(n)));
                }
                if !d.scalar.is_float() && d.wraps() {
                    some.extend([Whole(least), Whole(most)]);
                }
                let drawn: Vec<Number> = (0..1_000).map(|_| d.draw(rng)).collect();
                // What is drawn of real numbers is small.
                let far = [1_000, 1_000_000].into_iter().flat_map(|n| [n, -n]);
                let far =
                    far.filter(|n| !d.wraps() && (*n > 0 || d.has_signs()) || d.scalar.is_float());
                let far = far.map(|n| d.number(n));
                // Beside `k`, which may be larger than all of them.
                let beside = [1, -1].map(|n| d.apply(Op::Add, k, d.number(n)));
                let operand = |n: &Number| !matches!(n, Whole(i) if *i < 0 && !d.has_signs());
                let beside = beside.into_iter().flatten().filter(operand);
                let tried = far.chain(beside).chain(drawn);
                (some.clone(), some.into_iter().chain(tried).collect())
            }
        };
        let serves = |e: &Number, x: &Number| {
            let found = match left {
                true => self.call(&[*e], &[*x], k),
                false => self.call(&[*x], &[*e], k),
            };
            found.is_some_and(|f| d.same(&f[..1], &[*x]))
        };
        let mut candidates = candidates.into_iter();
        candidates.find(|e| tried.iter().all(|x| serves(e, x)))
    }
}

impl Domain {
    fn tuple_type(self) -> String {
        tuple_text(&vec![self.scalar.name().to_string(); self.components])
    }

    fn read(self, word: &str) -> Option<Number> {
        match (self.scalar, self.meaning) {
            (Scalar::Bool, _) => word.parse::<bool>().ok().map(|b| Whole(b.into())),
            (Scalar::F32, Meaning::Machine) => word.parse().ok().map(Float),
            (Scalar::F32, _) => {
                let x: f64 = word.parse().ok()?;
                let scaled = x * 1024.0 * 1024.0;
                let exact = scaled.fract() == 0.0 && scaled.abs() < 1e15;
                ratio(exact.then_some(scaled as i128)?, 1 << 20)
            }
            _ => word.parse().ok().map(Whole),
        }
    }
}

/// `a`, `(a, b)`, `(a, (b, c))`.
fn tuple_text(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        [first, rest @ ..] => format!("({first}, {})", tuple_text(rest)),
        [] => String::new(),
    }
}

/// Points that are looked at one by one.
const FEW: u64 = 2_000;

/// What a verdict may cost.
const EFFORT: Effort = Effort {
    points: 400,
    cases: 300,
};

/// What was found.
#[derive(Default)]
struct Found {
    operators: u64,
    /// By law and word.
    counts: BTreeMap<(String, &'static str), u64>,
    /// Counterexamples that are told and were computed again.
    again: u64,
    wrong: Vec<String>,
}

fn judged(d: Domain, parts: &[Expr], points: u64, rng: &mut Rng, found: &mut Found) {
    let scalar = d.scalar.name();
    let ty = d.tuple_type();
    let bodies: Vec<String> = parts.iter().map(|p| p.text(d)).collect();
    let text = format!("\\x y -> {}", tuple_text(&bodies));
    let whole = format!("def op (k : {scalar}) : ({ty}) -> ({ty}) -> ({ty}) =\n  {text}\n");
    let term = definition_text(&whole).term;
    let Kind::Lam(_, op) = term.kind() else {
        panic!("{whole}");
    };
    let names: Vec<Named> = vec!["k".to_string()];
    let subject = Subject { d, parts };
    let mut wrong = |law: &str, why: String| {
        let meaning = d.meaning;
        found
            .wrong
            .push(format!("{law} {ty} {meaning:?}: {text}: {why}"));
    };
    for law in Law::ALL {
        let verdict = operator::judge(op, &names, d.meaning, law, EFFORT);
        *found
            .counts
            .entry((law.name().to_string(), verdict.word()))
            .or_default() += 1;
        match &verdict {
            Verdict::Proved(_) => {
                if let Some(at) = subject.fails(law, points, rng) {
                    wrong(law.name(), format!("proved, but {at}"));
                }
            }
            Verdict::Refuted(at) => match subject.fails_at(law, at) {
                Some(true) => found.again += 1,
                Some(false) => wrong(law.name(), format!("refuted at {at:?}")),
                None => {}
            },
            Verdict::Unknown(_) => {}
        }
    }
    for left in [true, false] {
        let identity = operator::identity(op, &names, d.meaning, left, EFFORT);
        let side = format!("identity, {}", if left { "left" } else { "right" });
        *found
            .counts
            .entry((side.clone(), identity.word()))
            .or_default() += 1;
        match identity {
            Identity::Proved(e, _) => {
                if let Some(at) = subject.moves(&e, left, points, rng) {
                    wrong(&side, format!("{e} is proved, but {at}"));
                }
            }
            Identity::Refuted if d.components == 1 => {
                if let Some(e) = subject.identities(left, rng) {
                    wrong(&side, format!("refuted, but there is {e:?}"));
                }
            }
            _ => {}
        }
    }
}

/// What a seed asks about: an operator, and numbers for it.
fn drawn(seed: u64) -> (Domain, Vec<Expr>, Rng) {
    let mut rng = Rng::new(seed);
    // Half of them of eight bits, which are looked at exhaustively.
    let (scalar, meaning) = match rng.one_in(2) {
        true => NUMBERS[rng.below(2) as usize],
        false => *rng.pick(&NUMBERS),
    };
    let components = match rng.below(9) {
        0..=1 if scalar.bytes() > 1 => 2,
        2 if scalar.bytes() > 1 => 3,
        _ => 1,
    };
    let d = Domain {
        scalar,
        meaning,
        components,
    };
    let parts = d.operator(&mut rng);
    (d, parts, rng)
}

fn check(seeds: std::ops::Range<u64>, points: u64) -> Found {
    let mut found = Found::default();
    for seed in seeds {
        let (d, parts, mut rng) = drawn(seed);
        judged(d, &parts, points, &mut rng, &mut found);
        found.operators += 1;
        if found.operators.is_multiple_of(500) {
            eprintln!("{} operators, {} wrong", found.operators, found.wrong.len());
        }
    }
    found
}

/// Columns compute what is computed one by one; and that is what the interpreter computes.
#[test]
fn the_arithmetic_of_random_operators_is_that_of_the_interpreter() {
    let (mut alike, mut interpreted) = (0, 0);
    for seed in 0..300 {
        let (d, parts, mut rng) = drawn(seed);
        let subject = Subject { d, parts: &parts };
        if columns::hold(d, &parts) {
            let mut tuple = || -> Vec<Column> {
                (0..d.components)
                    .map(|_| columns::draw(d, &mut rng))
                    .collect()
            };
            let (x, y, z) = (tuple(), tuple(), tuple());
            let k = columns::draw(d, &mut rng);
            for law in Law::ALL {
                let (left, right, lost) = columns::sides(d, &parts, law, [&x, &y, &z], &k);
                for i in (0..columns::ROWS).step_by(17).filter(|i| !lost[*i]) {
                    let one =
                        |t: &[Column]| -> Vec<Number> { t.iter().map(|c| c.at(d, i)).collect() };
                    let (x, y, z) = (one(&x), one(&y), one(&z));
                    let (l, r) = subject
                        .sides(law, [&x, &y, &z], k.at(d, i))
                        .expect("what columns hold has a value");
                    assert!(
                        d.same(&one(&left), &l) && d.same(&one(&right), &r),
                        "{seed}: {x:?} {y:?} {z:?} {l:?} {r:?}"
                    );
                    alike += 1;
                }
            }
        }
        if d.meaning == Meaning::Machine {
            let mut tuple =
                || -> Vec<Number> { (0..d.components).map(|_| d.draw(&mut rng)).collect() };
            let (x, y) = (tuple(), tuple());
            let k = d.draw(&mut rng);
            let (Some(own), Some(told)) = (subject.call(&x, &y, k), subject.interpreted(&x, &y, k))
            else {
                continue;
            };
            assert!(
                d.same(&told, &own),
                "{seed}: {x:?} {y:?} {k:?}: {own:?}, {told:?}"
            );
            interpreted += 1;
        }
    }
    assert!(alike > 5_000 && interpreted > 100, "{alike} {interpreted}");
}

fn summary(found: &[Found]) -> String {
    let mut counts: BTreeMap<&(String, &str), u64> = BTreeMap::new();
    for (what, n) in found.iter().flat_map(|f| &f.counts) {
        *counts.entry(what).or_default() += n;
    }
    let lines: Vec<String> = counts
        .iter()
        .map(|((law, word), n)| format!("{law}: {n} {word}"))
        .collect();
    let again: u64 = found.iter().map(|f| f.again).sum();
    format!(
        "{}\n{again} counterexamples computed again",
        lines.join("\n")
    )
}

#[test]
fn verdicts_on_random_operators_hold() {
    let found = check(0..40, 5_000);
    assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n"));
    let proved = found.counts.get(&("associative".to_string(), "proved"));
    assert!(
        proved.is_some_and(|n| *n > 10) && found.again > 30,
        "{}",
        summary(&[found])
    );
}

/// Minutes: `cargo test --release --test searches ten_thousand -- --ignored --nocapture`; `OPERATORS` and `POINTS` say
/// how many others, `SEED` from which on.
#[test]
#[ignore = "it takes minutes"]
fn verdicts_on_ten_thousand_random_operators_hold() {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let many = |name: &str, otherwise: u64| {
        let given = std::env::var(name).ok();
        given.map_or(otherwise, |n| n.parse().expect("a number"))
    };
    let (all, points) = (many("OPERATORS", 10_000), many("POINTS", 1_000_000));
    let first = many("SEED", 0);
    let found: Vec<Found> = std::thread::scope(|scope| {
        let part = |i: u64| first + all * i / cores..first + all * (i + 1) / cores;
        let parts: Vec<_> = (0..cores)
            .map(|i| scope.spawn(move || check(part(i), points)))
            .collect();
        parts
            .into_iter()
            .map(|p| p.join().expect("it ends"))
            .collect()
    });
    eprintln!("{}", summary(&found));
    let wrong: Vec<String> = found.into_iter().flat_map(|f| f.wrong).collect();
    assert!(
        wrong.is_empty(),
        "{} of {all} operators:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
