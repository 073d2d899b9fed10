//! Index set splitting: the border of an array has loops of its own.
//!
//! Comes in: a nest; goes out: one in which a loop some of whose first or last iterations bound an index or choose a value, as
//! those do that read a padded array, is three: the first iterations, those inside, for which all of that is decided, and
//! the last. Only what compilers cannot look through is reason enough: a bound in an innermost loop, loops over windows
//! aside, and a choice anywhere. Where the variable stands in a quotient or a minimum, as in images that are made larger, the question is
//! solved for it (`solve`). Invariant: the same iterations, in the same order where the loop is in order. Absent: loops
//! in which memory is asked for, which would exist three times; conditions on data.

use super::decided::{compared, decided};
use super::fresh::Names;
use super::masks::Values;
use super::strip_mining::substituted;
use crate::arith::{AtomKind, Nat};
use crate::index::{to_expr, to_nat, Facts};
use crate::intern::Symbol;
use crate::nest::{walk, Block, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use crate::scalar;
use crate::solve::{Interval, Side};
use crate::term::Op;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The most iterations of a border.
const BORDER: i64 = 32;
/// A loop of so many iterations is one over a window.
const SHORT: i64 = 16;
/// The most iterations of a strip.
const STRIP: i64 = 256;
/// The most statements that are written three times.
const STATEMENTS: usize = 150;
/// So many questions that differ in constants alone are no reason for a border: others like them are not asked.
const ALIKE: u32 = 4;
/// The most values of windows' variables for which a question is solved.
const WINDOWS: usize = 64;

/// Splits loops.
pub(super) fn split(nest: &mut Nest, facts: &mut Facts) {
    let names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let mut all = Splitting {
        nest,
        names,
        facts,
        values: Values::of(&nest.abi),
    };
    all.block(&mut body);
    nest.body = body;
}

struct Splitting<'a> {
    nest: &'a Nest,
    names: Names,
    facts: &'a mut Facts,
    values: Values,
}

/// Two numbers, one of which is not negative: which of them, that is asked in a body.
type Question = [Nat; 2];

impl Splitting<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Block::new();
        for mut s in std::mem::take(block) {
            self.values.declare(&s);
            let at = out.len();
            match self.three(&s) {
                Some((parts, inside)) => {
                    out.extend(parts);
                    // A border is seldom, unless it is that of a strip.
                    let borders = matches!(&s, Stmt::For { extent, .. } if self.is_strip(*extent));
                    for (i, part) in out[at..].iter_mut().enumerate() {
                        if i == inside || borders {
                            self.inside(part);
                        }
                    }
                }
                None => {
                    self.inside(&mut s);
                    out.push(s);
                }
            }
        }
        *block = out;
    }

    fn inside(&mut self, s: &mut Stmt) {
        match s {
            Stmt::For {
                var, extent, body, ..
            } => {
                (self.facts).range(*var, 0.into(), *extent - 1.into());
                self.block(body);
            }
            Stmt::If { then, els, .. } => {
                self.block(then);
                self.block(els);
            }
            _ => {}
        }
    }

    /// Whether a loop has few iterations, whatever sizes are.
    fn is_strip(&self, extent: Nat) -> bool {
        self.facts.at_least(STRIP.into(), extent)
    }

    /// The parts of a loop, and which of them is the one inside.
    fn three(&mut self, s: &Stmt) -> Option<(Vec<Stmt>, usize)> {
        let Stmt::For {
            var,
            extent,
            kind,
            body,
            note,
        } = s
        else {
            return None;
        };
        if is_brief(*extent, self.facts) || *kind == LoopKind::Lanes || !self.may_be_copied(body) {
            return None;
        }
        (self.facts).range(*var, 0.into(), *extent - 1.into());
        let body = &self.values.comparing_indices(body.clone(), self.facts);
        let (first, last, inner, inside) = self.interior(*var, *extent, body)?;
        let after = self.facts.max(first.into(), *extent - last.into());
        let main = Stmt::For {
            var: inner,
            extent: self.facts.max(0.into(), *extent - (first + last).into()),
            kind: *kind,
            body: inside,
            note: note.clone(),
        };
        // What few iterations are done is done by one thread.
        let kind = match kind {
            LoopKind::Par => LoopKind::Seq,
            kind => *kind,
        };
        let border = |var, extent, body| Stmt::For {
            var,
            extent,
            kind,
            body,
            note: note.clone(),
        };
        let mut parts = Vec::new();
        if first > 0 {
            let extent = self.facts.min(first.into(), *extent);
            let (own, body) = self.few(body, *var, first, 0.into());
            let made = border(own, extent, body);
            parts.push(self.names.renew(made, self.facts));
        }
        let place = parts.len();
        parts.push(main);
        if last > 0 {
            let rest = self.facts.max(0.into(), *extent - after);
            let (own, body) = self.few(body, *var, last, after);
            let made = border(own, rest, body);
            parts.push(self.names.renew(made, self.facts));
        }
        Some((parts, place))
    }

    /// The body of no more than `count` iterations, from one on, without what all of them answer alike; and their variable.
    fn few(&mut self, body: &Block, var: Symbol, count: i64, from: Nat) -> (Symbol, Block) {
        let own = self.names.like(var);
        (self.facts).range(own, 0.into(), Nat::int(count - 1));
        (own, self.known(body, var, Nat::var(own) + from))
    }

    /// Memory stays where it is, and what is large stays once.
    fn may_be_copied(&self, body: &Block) -> bool {
        let (mut count, mut fine) = (0, true);
        walk::each_stmt(body, &mut |s| {
            count += 1;
            if let Stmt::Alloc(b) = s {
                fine &= self.nest.buffers[b.0 as usize].storage == StorageClass::Stack;
            }
        });
        fine && count <= STATEMENTS
    }

    /// How many iterations are at the beginning and at the end of what is inside, the variable of the loop over that, and its
    /// body.
    fn interior(
        &mut self,
        var: Symbol,
        extent: Nat,
        body: &Block,
    ) -> Option<(i64, i64, Symbol, Block)> {
        let open = |body: &Block, var| questions(body, var).len();
        let before = open(body, var);
        if before == 0 {
            return None;
        }
        let inner = self.names.like(var);
        let (mut first, mut last) = (0, 0);
        let mut inside = body.clone();
        let mut at = var;
        // A bound of a bound can be decided when the inner one is.
        for _ in 0..4 {
            let length = extent - (first + last).into();
            let (mut low, mut high) = (0, 0);
            let mut failed: FxHashMap<Nat, u32> = FxHashMap::default();
            for q in questions(&inside, at) {
                let like = failed.entry(but_for_constants(q[0])).or_default();
                if *like == ALIKE {
                    continue;
                }
                match self.border(&inside, at, length, q) {
                    Some(Border::First(n)) => low = n.max(low),
                    Some(Border::Last(n)) => high = n.max(high),
                    None => *like += 1,
                }
            }
            if low == 0 && high == 0 {
                break;
            }
            (first, last) = (first + low, last + high);
            let most = extent - (first + last).into() - 1.into();
            if first + last > BORDER || most.as_int().is_some_and(|n| n < 0) {
                return None;
            }
            self.facts.range(inner, 0.into(), most);
            inside = self.known(body, var, Nat::var(inner) + first.into());
            at = inner;
        }
        (open(&inside, at) < before && at == inner).then_some((first, last, inner, inside))
    }

    /// Where the answer to a question changes, if that is near one end of a loop of some length.
    fn border(&self, body: &Block, var: Symbol, length: Nat, q: Question) -> Option<Border> {
        let sides = q.map(|n| match n.coefficient(var) {
            Some(_) => side(body, var, length, n),
            None => self.solved(body, var, length, n),
        });
        let count = |b: &Border| match b {
            Border::First(n) | Border::Last(n) => *n,
        };
        let near = sides.into_iter().flatten();
        near.filter(|b| count(b) <= BORDER).min_by_key(count)
    }

    /// As [`side`], of a number in which the variable stands inside of an operation: solved for it, for each value of the windows'
    /// variables.
    fn solved(&self, body: &Block, var: Symbol, length: Nat, n: Nat) -> Option<Border> {
        let (mut first, mut last) = (0, 0);
        for n in for_windows(body, n)? {
            let holds = scalar::Expr::of(scalar::Op::Le, &[scalar::Expr::int(0), to_expr(n)?]);
            let asked = (holds, Side::Inner);
            let Interval { lower, upper, when } =
                (self.values).interval(self.facts, var, asked, &[n, length]);
            (when.as_bool() == Some(true)).then_some(())?;
            if let Some(lower) = lower {
                first = to_nat(lower)?.as_int()?.max(first);
            }
            if let Some(upper) = upper {
                let rest = length - 1.into() - to_nat(upper)?;
                last = self.facts.simplify(rest).as_int()?.max(last);
            }
        }
        match (first, last) {
            (_, 0) => Some(Border::First(first)),
            (0, _) => Some(Border::Last(last)),
            _ => None,
        }
    }

    /// The body for a variable that is inside: what is decided there is not asked.
    fn known(&self, body: &Block, var: Symbol, value: Nat) -> Block {
        decided(substituted(body, var, value, self.facts), self.facts)
    }
}

pub(super) fn is_short(extent: Nat) -> bool {
    extent.as_int().is_some_and(|n| n <= SHORT)
}

/// Whether a loop has few iterations whatever sizes are: one over a window, or what is left of one over vectors.
pub(super) fn is_brief(extent: Nat, facts: &Facts) -> bool {
    facts.at_least(SHORT.into(), extent)
}

/// What a body asks of a variable: which of two indices is the larger one, and whether a remainder is less than what it is of, if that is worth a loop. Each question once: solving one
/// takes long, and in a loop that is unrolled many statements ask the same.
fn questions(body: &Block, var: Symbol) -> IndexSet<Question, FxBuildHasher> {
    let mut innermost = true;
    walk::each_stmt(body, &mut |s| {
        innermost &= !matches!(s, Stmt::For { extent, .. } if !is_short(*extent));
    });
    let mut found = IndexSet::default();
    walk::each_stmt(body, &mut |s| {
        if innermost {
            walk::each_index(s, &mut |n| {
                n.each_atom(&mut |a| {
                    match a.kind() {
                        AtomKind::Min(x, y) | AtomKind::Max(x, y) => {
                            found.insert([x - y, y - x]);
                        }
                        // Between both ends of what is left a remainder is the number.
                        AtomKind::Mod(x, y) if y.as_int().is_none() && !y.mentions(var) => {
                            found.insert([x, Nat::int(-1) - x]);
                            found.insert([y - x - 1.into(), x - y]);
                        }
                        _ => {}
                    }
                })
            });
        }
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let Some([a, b]) = compared(e) {
                    let less = |a: Nat, b: Nat| [b - a - 1.into(), a - b];
                    match e.kind() {
                        ExprKind::Op(Op::Lt, _) => found.extend([less(a, b)]),
                        ExprKind::Op(Op::Le, _) => found.extend([less(b, a)]),
                        _ => found.extend([less(a, b), less(b, a)]),
                    }
                }
            });
        }
    });
    found.retain(|q| q[0].mentions(var));
    found
}

/// A number without the constants that are added to it, and to what is in its operations.
fn but_for_constants(n: Nat) -> Nat {
    use AtomKind::{Ceil, Floor, Max, Min, Mod};
    let n = n.map_atoms(&mut |a| {
        let (Floor(x, y) | Ceil(x, y) | Mod(x, y) | Min(x, y) | Max(x, y)) = a.kind() else {
            return None;
        };
        // Only what it is like counts: a sum says that.
        Some(but_for_constants(x) + Nat::int(3) * but_for_constants(y))
    });
    let terms = n.terms();
    Nat::from_terms(
        terms
            .iter()
            .filter(|t| t.0.factors().next().is_some())
            .cloned(),
    )
}

/// For all but how many iterations the answer is known.
enum Border {
    First(i64),
    Last(i64),
}

/// What a number is for all values of the windows' variables; `None` if they are many, or it speaks of others of the body.
fn for_windows(body: &Block, n: Nat) -> Option<Vec<Nat>> {
    let mut all = vec![n];
    let mut fine = true;
    walk::each_stmt(body, &mut |s| match s {
        Stmt::For { var, extent, .. } if n.mentions(*var) => {
            let extent = extent.as_int().filter(|_| is_short(*extent)).unwrap_or(0);
            let each = (0..extent).flat_map(|k| {
                let at = |n: &Nat| n.subst_vars(&mut |v| (v == *var).then(|| Nat::int(k)));
                all.iter().map(at).collect::<Vec<Nat>>()
            });
            let each: Vec<Nat> = each.take(WINDOWS + 1).collect();
            fine &= (1..=WINDOWS).contains(&each.len());
            all = each;
        }
        Stmt::Let { var, .. } | Stmt::Index { var, .. } => fine &= !n.mentions(*var),
        _ => {}
    });
    fine.then_some(all)
}

/// For all but which iterations a number is not negative, whatever the windows' variables are.
fn side(body: &Block, var: Symbol, length: Nat, n: Nat) -> Option<Border> {
    let factor = n.coefficient(var)?.as_int().filter(|c| *c != 0)?;
    let mut least = n - Nat::int(factor) * Nat::var(var);
    let mut fine = true;
    walk::each_stmt(body, &mut |s| match s {
        Stmt::For { var, extent, .. } if least.mentions(*var) => {
            let known = (least.coefficient(*var)).and_then(|c| c.as_int());
            match (known, extent.as_int().filter(|_| is_short(*extent))) {
                (Some(c), Some(k)) => {
                    let most_negative = Nat::int(c.saturating_mul(k - 1).min(0));
                    least = least - Nat::int(c) * Nat::var(*var) + most_negative;
                }
                _ => fine = false,
            }
        }
        Stmt::Let { var, .. } | Stmt::Index { var, .. } => fine &= !least.mentions(*var),
        _ => {}
    });
    if !fine {
        return None;
    }
    let up = |n: i64, d: i64| n.div_euclid(d) + i64::from(n.rem_euclid(d) != 0);
    if factor > 0 {
        let missing = (Nat::int(0) - least).as_int()?;
        return Some(Border::First(up(missing, factor).max(0)));
    }
    let steps = factor.checked_neg()?;
    let missing = (Nat::int(steps) * (length - 1.into()) - least).as_int()?;
    Some(Border::Last(up(missing, steps).max(0)))
}
