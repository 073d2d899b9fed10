//! Points at which all holds that is known: what is negative at one of them is not shown by anything.
//!
//! In: facts and ranges of variables. Out: whether a number is negative, or not 0, at a point. Most questions have no for an answer, and
//! most of these are answered so, without a search. Invariant: at each point of a state hold all facts of it and the ranges of all
//! variables that have a value there. Which points there are changes no answer but from unknown to unknown, only how fast it is found.
//! Absent: what is shown (`known`).

use crate::arith::{Atom, AtomKind, Nat};
use crate::hash::fnv64_from;
use crate::index::{Facts, View};
use crate::intern::Symbol;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// How large sizes are at the points that there are before anything is known, about.
const SIZES: [i64; 9] = [90, 3, 20, 1, 300, 7, 40, 130, 1200];
/// Points at which all variables are at one end of their ranges.
const AT_ENDS: u64 = 4;
/// Where fewer are left, others are looked for.
const ENOUGH: usize = 3;
/// Variables that are changed for one fact, one at a time.
const MOVES: usize = 6;

/// Values of a variable that are tried one by one, at most.
const ROUND: i64 = 32;

/// Values of variables: those that were asked for.
struct Point {
    seed: u64,
    vars: IndexMap<Symbol, Option<i64>, FxBuildHasher>,
    atoms: FxHashMap<Atom, Option<i64>>,
}

/// The points of each state of the facts.
#[derive(Default)]
pub struct Points {
    states: FxHashMap<u32, Rc<Vec<Shared>>>,
    /// Those of a state at which ranges have values, too, by how far the ends of these lie apart.
    ranged: FxHashMap<(u32, Vec<Nat>), Rc<Ranged>>,
}

/// Points at which ranges have values, and what holds at them.
struct Ranged {
    points: Rc<Vec<Shared>>,
    known: Held,
}

/// What holds at a point, and the variables that it speaks of, and the sizes that have to be whole.
struct Held {
    facts: Vec<Nat>,
    vars: FxHashSet<Symbol>,
}

impl Held {
    fn new(known: &[Nat], facts: &Facts) -> Held {
        Held {
            facts: known.to_vec(),
            vars: bound_in(known.iter().chain(facts.whole_sizes()), facts),
        }
    }
}

type Shared = Rc<RefCell<Point>>;

impl Points {
    /// A variable has another range, or a size is whole.
    pub fn forget(&mut self) {
        self.states.clear();
        self.ranged.clear();
    }

    /// Whether a number is negative at a point at which all holds that is known of its variables.
    pub fn negative(&mut self, n: Nat, facts: &Facts, view: &View) -> bool {
        self.any(n, facts, (view.states(), view.facts()), |v| v < 0)
    }

    /// The same at a point near those that there are: one variable is moved until the number is negative.
    pub fn negative_nearby(&mut self, n: Nat, facts: &Facts, view: &View) -> bool {
        let mut spans = Vec::new();
        spans_of(n, facts, &mut spans);
        let state = view.states().last().copied().unwrap_or(0);
        let ranged = match self.ranged.get(&(state, spans.clone())) {
            Some(ranged) => Rc::clone(ranged),
            None => {
                let mut points = self.of((view.states(), view.facts()), facts);
                let mut known = view.facts().to_vec();
                for span in &spans {
                    known.push(*span);
                    points = Rc::new(with(&points, &known, facts));
                }
                let ranged = Rc::new(Ranged {
                    points,
                    known: Held::new(&known, facts),
                });
                self.ranged.insert((state, spans), Rc::clone(&ranged));
                ranged
            }
        };
        let less = Nat::int(-1) - n;
        let moves = |p: &Shared| p.borrow_mut().moved(less, &ranged.known, facts).is_some();
        ranged.points.iter().any(moves)
    }

    /// Whether a number is not 0 at such a point.
    pub fn not_zero(&mut self, n: Nat, facts: &Facts, view: &View) -> bool {
        self.any(n, facts, (view.states(), view.facts()), |v| v != 0)
    }

    /// The same at a point at which all holds that is known.
    pub fn not_zero_by_all(&mut self, n: Nat, facts: &Facts) -> bool {
        self.any(n, facts, (facts.states(), facts.added()), |v| v != 0)
    }

    fn any(
        &mut self,
        n: Nat,
        facts: &Facts,
        known: (&[u32], &[Nat]),
        is: impl Fn(i64) -> bool,
    ) -> bool {
        let all = self.of(known, facts);
        let value = |p: &Shared| p.borrow_mut().value(n, facts);
        all.iter().any(|p| value(p).is_some_and(&is))
    }

    /// Whether there is a point at which all holds.
    pub fn exist(&mut self, facts: &Facts) -> bool {
        !self.of((facts.states(), facts.added()), facts).is_empty()
    }

    /// Those at which all of these facts hold.
    fn of(&mut self, (states, known): (&[u32], &[Nat]), facts: &Facts) -> Rc<Vec<Shared>> {
        let mut from = states.len();
        while from > 0 && !self.states.contains_key(&states[from - 1]) {
            from -= 1;
        }
        let first = match from {
            0 => 0,
            _ => states[from - 1],
        };
        let begin = || Rc::new(at_first(facts));
        let mut now = self.states.entry(first).or_insert_with(begin).clone();
        for i in from..states.len() {
            now = Rc::new(with(&now, &known[..=i], facts));
            self.states.insert(states[i], now.clone());
        }
        now
    }
}

/// Those at which sizes are whole where they have to be.
fn at_first(facts: &Facts) -> Vec<Shared> {
    let all = (0..SIZES.len() as u64 + AT_ENDS).map(Point::new);
    let fit = all.filter_map(|mut p| p.is_whole(facts).then_some(p));
    fit.map(|p| Rc::new(RefCell::new(p))).collect()
}

/// Those at which the last fact holds, too; if they are few, others near those at which it does not.
fn with(before: &[Shared], known: &[Nat], facts: &Facts) -> Vec<Shared> {
    let Some(last) = known.last() else {
        return before.to_vec();
    };
    let holds = |p: &&Shared| p.borrow_mut().holds(*last, facts);
    let mut left: Vec<Shared> = before.iter().filter(holds).cloned().collect();
    if left.len() >= ENOUGH {
        return left;
    }
    let held = Held::new(known, facts);
    for p in before {
        if left.len() >= ENOUGH {
            break;
        }
        if !holds(&p) {
            let moved = p.borrow_mut().moved(*last, &held, facts);
            left.extend(moved.map(|p| Rc::new(RefCell::new(p))));
        }
    }
    left
}

impl Point {
    fn new(seed: u64) -> Point {
        Point {
            seed,
            vars: IndexMap::default(),
            atoms: FxHashMap::default(),
        }
    }

    /// A number, if it is a whole one of 64 bits.
    fn value(&mut self, n: Nat, facts: &Facts) -> Option<i64> {
        if let Some(k) = n.as_int() {
            return Some(k);
        }
        let (mut over, mut under) = (0i64, 1i64);
        for (m, c) in n.terms().iter() {
            let (mut a, mut b) = (c.num(), c.den());
            for (atom, e) in m.factors() {
                let v = self.atom(atom, facts)?;
                let to = if e > 0 { &mut a } else { &mut b };
                for _ in 0..e.unsigned_abs() {
                    *to = to.checked_mul(v)?;
                }
            }
            if b == under {
                over = over.checked_add(a)?;
            } else {
                over = over.checked_mul(b)?.checked_add(a.checked_mul(under)?)?;
                under = under.checked_mul(b)?;
            }
        }
        (over.checked_rem(under)? == 0).then(|| over / under)
    }

    fn atom(&mut self, a: Atom, facts: &Facts) -> Option<i64> {
        if let Some(known) = self.atoms.get(&a) {
            return *known;
        }
        let found = self.atom_anew(a, facts);
        self.atoms.insert(a, found);
        found
    }

    fn atom_anew(&mut self, a: Atom, facts: &Facts) -> Option<i64> {
        use AtomKind::{Ceil, Floor, Max, Meta, Min, Mod, Overflow, Quot, Var};
        let (x, y) = match a.kind() {
            Var(v) => return self.var(v, facts),
            Meta(_) | Overflow => return None,
            Floor(x, y) | Ceil(x, y) | Mod(x, y) | Min(x, y) | Max(x, y) | Quot(x, y) => (x, y),
        };
        let (x, y) = (self.value(x, facts)?, self.value(y, facts)?);
        match a.kind() {
            Min(..) => Some(x.min(y)),
            Max(..) => Some(x.max(y)),
            // Divisors are positive wherever anything is known of quotients.
            _ if y <= 0 => None,
            Floor(..) => Some(x.div_euclid(y)),
            Ceil(..) => x.checked_neg()?.div_euclid(y).checked_neg(),
            Mod(..) => Some(x.rem_euclid(y)),
            _ => (x % y == 0).then(|| x / y),
        }
    }

    fn var(&mut self, v: Symbol, facts: &Facts) -> Option<i64> {
        if let Some(known) = self.vars.get(&v) {
            return *known;
        }
        let hash = fnv64_from(self.seed, v.as_str().as_bytes());
        let hash = ((hash ^ (hash >> 29)) & 0xf_ffff) as i64;
        let found = match facts.range_of(v) {
            Some((lo, hi)) => self
                .ends(lo, hi, facts)
                .map(|(lo, hi)| match self.way(hash) {
                    0 => lo,
                    1 => hi,
                    _ => lo + (hash / 4) % (hi - lo).saturating_add(1),
                }),
            None => {
                let about = SIZES[self.seed as usize % SIZES.len()];
                let by = unit(v, facts);
                (about + hash % (about / 2 + 2)).checked_mul(by)
            }
        };
        self.vars.insert(v, found);
        found
    }

    /// Where in its range a variable is: at its least value, at its largest, elsewhere.
    fn way(&self, hash: i64) -> i64 {
        match self.seed.checked_sub(SIZES.len() as u64) {
            Some(at_end) => (at_end % 2) as i64,
            None => hash % 4,
        }
    }

    /// The ends of a range in which something is.
    fn ends(&mut self, lo: Nat, hi: Nat, facts: &Facts) -> Option<(i64, i64)> {
        let (lo, hi) = (self.value(lo, facts)?, self.value(hi, facts)?);
        (lo <= hi && hi.checked_sub(lo).is_some()).then_some((lo, hi))
    }

    fn holds(&mut self, n: Nat, facts: &Facts) -> bool {
        self.value(n, facts).is_some_and(|v| v >= 0)
    }

    fn is_whole(&mut self, facts: &Facts) -> bool {
        let all = facts.whole_sizes();
        all.iter().all(|n| self.value(*n, facts).is_some())
    }

    /// A point at which a fact holds, with all others, and one variable has another value.
    fn moved(&mut self, n: Nat, known: &Held, facts: &Facts) -> Option<Point> {
        let now = self.value(n, facts)?;
        let own = bound_in([n].iter(), facts);
        let mut vars = n.vars().to_vec();
        // What others bound stays as it is, if it can.
        vars.sort_by_key(|v| facts.range_of(*v).is_none());
        vars.truncate(MOVES);
        let fits = |new: &mut Point, v: Symbol| {
            let value = new.var(v, facts);
            let inside = value.is_some_and(|k| match facts.range_of(v) {
                Some((lo, hi)) => {
                    let ends = new.ends(lo, hi, facts);
                    ends.is_some_and(|(lo, hi)| (lo..=hi).contains(&k))
                }
                None => k >= 0,
            });
            let fits = inside && new.holds(n, facts) && new.is_whole(facts);
            fits && known.facts.iter().all(|n| new.holds(*n, facts))
        };
        // What constants divide is as steep, taken over so many values, as what is not divided.
        let period = period(n);
        let paces: &[i64] = if period == 1 { &[1] } else { &[1, period] };
        let mut paced = { paces.iter() }.flat_map(|p| vars.iter().map(move |v| (*p, *v)));
        let straight = paced.find_map(|(pace, v)| {
            let old = self.var(v, facts)?;
            let step = unit(v, facts).checked_mul(pace)?;
            let mut near = self.put(v, old.checked_add(step)?, &own, facts);
            let there = near.value(n, facts)?;
            let slope = there.checked_sub(now)?;
            let needed = now.checked_neg()?;
            let steps = match slope {
                0 => return None,
                s if s > 0 => needed.checked_add(s - 1)? / s,
                s => -(needed.checked_add(s.checked_neg()? - 1)? / s.checked_neg()?),
            };
            let by = steps.checked_mul(step)?;
            let mut new = self.put(v, old.checked_add(by)?, &known.vars, facts);
            fits(&mut new, v).then_some(new)
        });
        // What is divided comes round again: one of the next values may do.
        straight.or_else(|| {
            vars.iter().find_map(|v| {
                let (old, step) = (self.var(*v, facts)?, unit(*v, facts));
                (1..period.min(ROUND)).find_map(|i| {
                    let by = step.checked_mul(if i % 2 == 0 { i / 2 } else { -(i + 1) / 2 })?;
                    let mut new = self.put(*v, old.checked_add(by)?, &known.vars, facts);
                    fits(&mut new, *v).then_some(new)
                })
            })
        })
    }

    /// The point with another value of a variable; what is then outside of its range is drawn anew, and so are those that nothing is
    /// said of.
    fn put(&self, v: Symbol, value: i64, bound: &FxHashSet<Symbol>, facts: &Facts) -> Point {
        // Most variables that were drawn are bound elsewhere.
        let mut stay: Vec<_> = bound.iter().filter_map(|w| self.vars.get_full(w)).collect();
        stay.sort_unstable_by_key(|(place, ..)| *place);
        let mut new = Point {
            seed: self.seed,
            vars: stay.iter().map(|(_, w, k)| (**w, **k)).collect(),
            atoms: FxHashMap::default(),
        };
        new.vars.insert(v, Some(value));
        // Ranges name variables that were drawn before.
        let mut changed = vec![v];
        for (_, w, old) in stay.into_iter().filter(|(_, w, _)| **w != v) {
            let Some((lo, hi)) = facts.range_of(*w) else {
                continue;
            };
            let moves = |w: &Symbol| changed.contains(w);
            if !(lo.mentions_any(moves) || hi.mentions_any(moves)) {
                continue;
            }
            let ends = new.ends(lo, hi, facts);
            let stays = ends.is_some_and(|(lo, hi)| old.is_some_and(|k| (lo..=hi).contains(&k)));
            if !stays {
                new.vars.shift_remove(w);
                new.atoms.clear();
                changed.push(*w);
            }
        }
        new
    }
}

/// How far the ends of ranges lie apart, of the variables of a number; first of those that others name.
fn spans_of(n: Nat, facts: &Facts, spans: &mut Vec<Nat>) {
    for v in n.vars().iter() {
        let Some((lo, hi)) = facts.range_of(*v) else {
            continue;
        };
        let span = hi - lo;
        if span.as_int().is_none() && !spans.contains(&span) {
            spans_of(span, facts, spans);
            spans.push(span);
        }
    }
}

/// The variables of numbers, and those in their ranges.
fn bound_in<'a>(of: impl Iterator<Item = &'a Nat>, facts: &Facts) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    let mut open: Vec<Symbol> = of.flat_map(|n| n.vars().to_vec()).collect();
    while let Some(v) = open.pop() {
        if found.insert(v) {
            let ends = facts.range_of(v).map(|(lo, hi)| [lo, hi]);
            open.extend(ends.iter().flatten().flat_map(|n| n.vars().to_vec()));
        }
    }
    found
}

/// After how many values of a variable the rests come again of what the largest constant divides; those of others, if they divide it.
fn period(n: Nat) -> i64 {
    let mut most = 1;
    n.each_atom(&mut |a| {
        use AtomKind::{Ceil, Floor, Mod};
        if let Floor(_, by) | Ceil(_, by) | Mod(_, by) = a.kind() {
            most = most.max(by.as_int().unwrap_or(1));
        }
    });
    most
}

/// What a size is a multiple of, as far as one of the whole ones says it.
fn unit(v: Symbol, facts: &Facts) -> i64 {
    let of = |n: &Nat| (Nat::var(v).exact_div(*n)).as_int().filter(|k| *k > 0);
    facts.whole_sizes().iter().find_map(of).unwrap_or(1)
}
