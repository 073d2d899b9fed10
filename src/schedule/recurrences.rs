//! Recurrences whose factor is the same in each step, `a ↦ f·a + g x`: filters, Horner's rule.
//!
//! In: a term. Out: the steps that take a long one apart: what each block comes to from 0, then where each starts, by a power of the factor,
//! then, of a scan, the blocks from there. Some blocks are side by side, as steps of one wait for each other, and groups of them are
//! parallel. No products of many factors are made but that power: they would soon be too small for a number, where processors are slow. Absent:
//! factors that elements tell (`linear`), recurrences of several numbers.

use super::scanned::Scans;
use super::skeleton::{argument, outside_of_loops};
use super::{guide, Permits, Schedule};
use crate::arith::Nat;
use crate::term::{Kind, Op, Term};
use crate::ty::Scalar;
use std::collections::BTreeSet;

/// Elements of a block: no power of two, so that caches hold lines of all blocks of a group.
const BLOCK: i64 = 8208;
/// A power of that many is one of this many, of which it is a power.
const POWER: i64 = 108;
/// Blocks of a group.
const ABREAST: i64 = 8;

/// What is done so.
const WORDS: &str = "recurrences in parallel blocks";

/// Blocks that are scanned.
const BLOCKS: &str = "(app join (app map (contains scanSeq) ?))";

/// A kind of loop with a recurrence.
struct Kept {
    op: Op,
    /// The rule that makes blocks, and the one that computes what they come to before where they start.
    blocks: &'static str,
    apart: &'static str,
}

const SCAN: Kept = Kept {
    op: Op::ScanSeq,
    blocks: "scan-groups-rest-exact",
    apart: "scan-linear-apart",
};
const REDUCTION: Kept = Kept {
    op: Op::ReduceSeq,
    blocks: "reduce-groups-rest-exact",
    apart: "reduce-linear-apart",
};

/// The steps, where there are long scans of this kind outside of all loops.
pub fn scanned(term: &Term, permits: Permits) -> Option<Schedule> {
    SCAN.schedule(term, permits)
}

/// The steps, where there are long reductions of this kind outside of all loops.
pub fn reduced(term: &Term, permits: Permits) -> Option<Schedule> {
    REDUCTION.schedule(term, permits)
}

impl Kept {
    fn schedule(&self, term: &Term, permits: Permits) -> Option<Schedule> {
        let all = Scans::of(term, &|t| Some(self.recurrence(t)?.0));
        let mut kinds = BTreeSet::new();
        outside_of_loops(term, &mut |t| kinds.extend(self.recurrence(t).map(|r| r.1)));
        let floats = kinds.iter().any(|s| s.is_float());
        let permit = permits.to_regroup(floats).filter(|_| !all.is_empty())?;
        let of_kinds = |names: &[&str], of: &str| {
            let rules = kinds.iter().flat_map(|s| {
                let end = if s.is_float() { "" } else { "-u32" };
                names.iter().map(move |name| format!("{name}{end}{of}"))
            });
            rules.collect::<Vec<_>>().join(", ")
        };
        let regrouping = |rules: &str| format!("use rules/regrouping.rules ({rules})\n");
        let blocks = regrouping(&format!("{}[{BLOCK}, {ABREAST}]", self.blocks));
        let starts = of_kinds(&["linear-start", "linear-start-last"], "");
        let turned = of_kinds(&["sum-turned", "product-turned"], "");
        let turned = format!("use rules/reduction.rules ({turned})\n");
        let starts = regrouping(&format!("{starts}, reduce-unread")) + &turned + permit;
        let apart = regrouping(self.apart) + &turned;
        let powers =
            regrouping(&of_kinds(&["power-parts"], &format!("[{POWER}]"))) + &turned + permit;
        let abreast =
            format!("use rules/algorithmic.rules (split-join[{ABREAST}], lift-reduce-seq)\n")
                + &regrouping("scans-abreast");
        let lower = "use rules/lowering.rules (map-unroll)\nuse rules/parallel.rules (map-par)\nuse rules/layout.rules (store-to-mem, let-store)\n";
        let powered = "(app let (contains generate) (contains generate))";
        let begun = |step| all.look(&|_| self.from(step));
        let summed = |power| all.look(&|_| self.summed(power));
        let parallel = |n: &str| all.stored(self.parallel(n));
        let steps = [
            guide("blocks", &blocks, &begun("(contains reduceSeq)")),
            guide("starts", &starts, &begun("(contains generate)")),
            guide("apart", &apart, &summed("(contains generate)")),
            guide("power", &powers, &summed(powered)),
            guide("abreast", &abreast, &all.look(&|n| self.side_by_side(n))),
            guide("threads", lower, &all.look(&parallel)),
        ];
        let steps = all.named().into_iter().chain(steps).collect();
        Some(Schedule::preparation(WORDS, steps).by_itself())
    }

    /// Blocks start by a step that looks so.
    fn from(&self, step: &str) -> String {
        let starts = format!("(app {} {step} ? ?)", self.op.name());
        self.whole(&starts, BLOCKS, ["", ""])
    }

    /// What blocks come to is in a loop of its own, the power before it.
    fn summed(&self, power: &str) -> String {
        let sums = "(app map (contains reduceSeq) (contains split))";
        let starts = format!(
            "(app let {power} (contains (app {} ? ? {sums})))",
            self.op.name()
        );
        self.whole(&starts, BLOCKS, ["", ""])
    }

    fn side_by_side(&self, n: &str) -> String {
        let groups = self.groups(n, "map");
        let sums = format!("(contains ({groups} (contains (app reduceSeq (contains map)))))");
        let starts = format!("(app let ? (contains (app {} ? ? {sums})))", self.op.name());
        let scans =
            format!("(app join (app join ({groups} (contains (app scanSeq (contains map))) ?)))");
        self.whole(&starts, &scans, ["", ""])
    }

    fn parallel(&self, n: &str) -> String {
        let groups = self.groups(n, "mapPar");
        let sums = format!("(containsStored ? (contains ({groups} (contains (app reduceSeq (contains mapSeqUnroll))))))");
        let starts = format!("(app let ? (contains (app {} ? ? {sums})))", self.op.name());
        let scans = format!(
            "(app join (app join ({groups} (contains (app scanSeq (contains mapSeqUnroll))) ?)))"
        );
        self.whole(&starts, &scans, ["(app toMem ", ")"])
    }

    /// A loop over groups of blocks.
    fn groups(&self, n: &str, map: &str) -> String {
        let many = BLOCK * ABREAST;
        format!("app ({map} : ? -> (floor({n}, {many})).? -> ?)")
    }

    /// All of it: where blocks start, or end, is computed so; scans from there look so; starts of scans may be kept.
    fn whole(&self, starts: &str, scans: &str, [begin, end]: [&str; 2]) -> String {
        match self.op {
            Op::ScanSeq => format!(
                "(contains (app let {begin}(contains {starts}){end} (contains (app concat {scans} (contains scanSeq)))))"
            ),
            _ => format!("(contains (app reduceSeq ? {starts} ?))"),
        }
    }

    /// How many elements, and numbers of which type, if this is a long recurrence.
    fn recurrence(&self, t: &Term) -> Option<(Nat, Scalar)> {
        let [step, start, xs] = [0, 1, 2].map(|i| argument(t, self.op, i));
        let s = start?.ty().as_scalar();
        let s = s.filter(|s| matches!(s, Scalar::F32 | Scalar::U32))?;
        let n: Nat = xs?.ty().as_array()?.0;
        let long = n.as_int().is_none_or(|n| n >= 2 * BLOCK * ABREAST);
        (long && self.is_linear(step?)).then_some((n, s))
    }

    /// Whether a step multiplies what it accumulates by the same factor for all elements, and adds to that.
    fn is_linear(&self, step: &Term) -> bool {
        let Kind::Lam(_, inner) = step.kind() else {
            return false;
        };
        let of = |t: &Term, op| Some([argument(t, op, 0)?.clone(), argument(t, op, 1)?.clone()]);
        let (state, binders, product) = match inner.kind() {
            Kind::Lam(_, sum) => {
                let state = u32::from(self.op == Op::ReduceSeq);
                let Some([a, b]) = of(sum, Op::Add) else {
                    return false;
                };
                match (a.mentions(state), b.mentions(state)) {
                    (true, false) => (state, 2, a),
                    (false, true) => (state, 2, b),
                    _ => return false,
                }
            }
            // What is added last is left out where it is the element.
            _ => match argument(inner, Op::Add, 0) {
                Some(product) if self.op == Op::ReduceSeq => (0, 1, product.clone()),
                _ => return false,
            },
        };
        let own = |t: &Term| matches!(t.kind(), Kind::Var(v) if *v == state);
        let fixed = |t: &Term| (0..binders).all(|v| !t.mentions(v));
        of(&product, Op::Mul).is_some_and(|[a, b]| own(&a) && fixed(&b) || own(&b) && fixed(&a))
    }
}
