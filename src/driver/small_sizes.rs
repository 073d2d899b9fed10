//! Small sizes, which take something else than the best for all.
//!
//! In: all that was tried, with its kernels. Out: the sketch file of a kernel that chooses by one size parameter, or all of them, where the estimate says
//! that up to a small size something else is so much faster that it is worth a second kernel beside the first; of those sizes, where
//! another parameter is small, too, it may choose once more. Nothing where that is not so, or
//! where the kernel that chooses is not as fast as each by itself. All other sizes are as large as calls usually have them: the rows of
//! a matrix are short, say, and there are many. Absent: classes that the user asks for (`by_size`).

use super::auto::{Auto, BySize, Class, Trial};
use super::candidates::{are_tiles_far_better, is_of_sums, is_plain, Ended, DOUBT, SAME};
use super::sizes::{open, supposed, Classes};
use crate::arith::Nat;
use crate::exec::sizes::Sizes;
use crate::intern::Symbol;
use crate::nest::{abi, Nest};
use crate::schedule::Variants;
use crate::ty::Ty;
use std::collections::BTreeMap;

/// Where small sizes end that are looked at, and which part of that stands for those below it; how many of them are, where several
/// parameters are small, and where two end if all of those are too much for them; of so many size parameters. Rows of a result are as
/// many as are made at once, but for fewer than these, where others are at most so many times as long as usual.
const ENDS: [i64; 4] = [8, 16, 32, 64];
const PART: (i64, i64) = (3, 4);
const FEW_ROWS: [i64; 1] = [4];
const FEWEST: [i64; 1] = [4];
const PAIR: usize = 2;
const LONGER: i64 = 4;
const TOGETHER: usize = 2;
const PARAMETERS: usize = 4;
/// How many times as fast something else has to be at one of them: plain loops, of which an estimate knows most, and those instead of sums
/// in vectors, which take longer to begin and to end than it seems; others; and what is faster for the very smallest sizes alone, where
/// nothing else begins and ends vectors.
const GAIN: f64 = 1.4;
const GAIN_WITHOUT: f64 = 1.2;
const GAIN_OTHERS: f64 = 1.6;
const GAIN_FEW: f64 = 2.0;
/// Up to which ends sums in vectors take so much longer than it seems: how often they begin and end is most of what they do, and what is
/// left of vectors is added one by one. The last of these counts for plain loops alone: other kernels with all their tiles are not worth it.
const SHORT_SUMS: [(i64, f64); 3] = [(8, 2.0), (16, 1.5), (32, 1.35)];
const SHORT_BUT_FOR_PLAIN: i64 = 16;
/// Pieces of rows in more vectors than these are no way to go through short ones.
const WIDE: u32 = 8;
/// Where a whole call takes fewer cycles, nothing is gained, and of sizes that are small already, unless these take plain loops,
/// which lose nothing.
const CALL: f64 = 1e5;
const CALL_WITHIN: f64 = 2e4;

/// What sizes below an end take; nothing for the program as it stands.
struct Small {
    /// A parameter, or several that are all below the end.
    sizes: Vec<Symbol>,
    /// All ends below which it is so, the last one last.
    ends: Vec<i64>,
    takes: Option<usize>,
    /// The logarithm of what is gained, for all ends together.
    gain: f64,
}

impl Small {
    fn end(&self) -> i64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether it takes the same for all sizes of another one, of which more parameters have to be small.
    fn covers(&self, other: &Small) -> bool {
        self.takes == other.takes
            && self.end() >= other.end()
            && self.sizes.iter().all(|s| other.sizes.contains(s))
    }
}

/// Whether a parameter is below an end.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Below(i64),
    NotSmall,
}

/// With threads where they are worth it, and with one; nothing without a kernel.
type Cycles = Option<(f64, f64)>;

/// What small parameters are.
type Place = Vec<(Symbol, End)>;

/// A place where these parameters are so, too.
fn beside(place: &[(Symbol, End)], sizes: &[Symbol], end: End) -> Place {
    let more = sizes.iter().map(|s| (*s, end));
    place.iter().copied().chain(more).collect()
}

/// What stays unless something else is faster, at these places together.
#[derive(Copy, Clone)]
struct Base<'a> {
    stays: Option<usize>,
    around: &'a [Place],
    /// Where small sizes end, if not where they do otherwise.
    ends: Option<&'a [i64]>,
}

/// Estimates at small sizes, each made once.
struct Probes<'a, 't> {
    trial: &'a Trial<'t>,
    auto: &'a Auto,
    known: BTreeMap<(Option<usize>, Place), Cycles>,
    /// The numbers of rows of results that have several dimensions, and those of what stands in a row.
    rows: Vec<Nat>,
    columns: Vec<Nat>,
    /// How many elements results have, or rows.
    outer: Vec<Nat>,
}

impl Probes<'_, '_> {
    /// Where small sizes of parameters end.
    fn ends(&self, sizes: &[Symbol]) -> &'static [i64] {
        if self.count_rows(sizes) {
            return &FEW_ROWS;
        }
        let usual = |s: &Symbol| self.auto.sizes.get(s).copied().unwrap_or(0);
        let usual = sizes.iter().map(usual).min().unwrap_or(0);
        let below = ENDS.iter().take_while(|end| 2 * **end <= usual);
        // Of several that are small there is little, unless they are very small.
        let most = if sizes.len() > 1 {
            TOGETHER
        } else {
            ENDS.len()
        };
        &ENDS[..below.count().min(most)]
    }

    /// Whether a parameter says how many rows there are.
    fn counts_rows(&self, size: Symbol) -> bool {
        self.rows.iter().any(|n| n.mentions(size))
    }

    fn count_rows(&self, sizes: &[Symbol]) -> bool {
        sizes.iter().any(|s| self.counts_rows(*s))
    }

    /// Sizes that stand for those of parameters below their ends. Where one is not small, all others are what they are beside
    /// small ones, but that there are fewer rows, so that as much is in caches.
    fn sizes(&self, place: &[(Symbol, End)]) -> Sizes {
        let input = self.trial.input;
        let small = |(size, end): &(Symbol, End)| match end {
            End::Below(_) => (*size, *end),
            End::NotSmall => (*size, End::Below(ENDS[0])),
        };
        let mut sizes = match place.iter().any(|p| p.1 == End::NotSmall) {
            true => self.sizes(&place.iter().map(small).collect::<Place>()),
            false => input.fixed.clone(),
        };
        sizes.retain(|s, _| input.fixed.contains_key(s) || !self.counts_rows(*s));
        sizes.extend(place.iter().map(|(size, end)| match end {
            End::Below(end) if self.counts_rows(*size) => (*size, end / 2),
            End::Below(end) => (*size, end * PART.0 / PART.1),
            End::NotSmall => (*size, 2 * ENDS[ENDS.len() - 1]),
        }));
        supposed(&input.program, &sizes)
    }

    /// Whether something is shorter than a tile is wide, so that each tile is but a part of one.
    fn is_narrow(&self, place: &[(Symbol, End)]) -> bool {
        let input = self.trial.input;
        let leaves = abi::leaves(input.program.result).unwrap_or_default();
        let lanes = leaves.iter().map(|l| input.target.lanes(l.0)).max();
        let width = 2 * i64::from(lanes.unwrap_or(0));
        let is_short = |(_, end): &(Symbol, End)| matches!(end, End::Below(end) if *end <= width);
        place.iter().any(is_short)
    }

    /// Whether calls with few rows are such as there are: others need not be far longer than usual for something to be done.
    fn is_usual(&self, rows: Symbol) -> bool {
        let sizes = self.sizes(&[(rows, End::Below(FEW_ROWS[0]))]);
        let usual = |(s, n): (&Symbol, &i64)| {
            self.auto
                .sizes
                .get(s)
                .is_some_and(|usual| *n <= usual.saturating_mul(LONGER))
        };
        sizes.iter().all(usual)
    }

    fn kernel(&self, takes: Option<usize>) -> Option<&Nest> {
        let trial = self.trial;
        takes.map_or(trial.standing.as_ref(), |t| trial.kernels.get(t)?.as_ref())
    }

    fn at(&mut self, takes: Option<usize>, place: &[(Symbol, End)]) -> Option<(f64, f64)> {
        let probe = (takes, place.to_vec());
        if let Some(known) = self.known.get(&probe) {
            return *known;
        }
        let kernel = self.kernel(takes);
        let found = kernel.map(|k| self.trial.at(k, &self.sizes(place)));
        self.known.insert(probe, found);
        found
    }

    /// Up to which end something is faster than what stays otherwise: the best for all sizes, or what small sizes of another parameter
    /// take, each of them. Of the smallest sizes little is left to gain: there it is enough that nothing is lost.
    fn small(&mut self, sizes: &[Symbol], takes: Option<usize>, base: Base) -> Option<Small> {
        let Base { stays, around, .. } = base;
        let changes = |t: Option<usize>| t.map_or(0, |t| self.auto.tried[t].schedule.changes);
        let lanes = |t: Option<usize>| t.map_or(0, |t| self.auto.tried[t].schedule.choice.lanes);
        let doubt = DOUBT.powi(changes(takes) as i32 - changes(stays) as i32);
        let choice = takes.map(|t| self.auto.tried[t].schedule.choice);
        let plain = choice.is_none_or(|c| is_plain(&c));
        let sums = { SHORT_SUMS.iter() }.filter(|u| plain || u.0 <= SHORT_BUT_FOR_PLAIN);
        let (lanes, instead) = (lanes(takes), lanes(stays));
        let (mut sum, mut most, mut ends) = (0.0, 0.0, Vec::new());
        for end in base.ends.unwrap_or_else(|| self.ends(sizes)) {
            let (mut gain, mut is_faster) = (0.0, true);
            for place in around {
                let least = match place.is_empty() {
                    true => CALL,
                    false if plain => 0.0,
                    false => CALL_WITHIN,
                };
                let place = beside(place, sizes, End::Below(*end));
                let (new, mut old) = (self.at(takes, &place)?, self.at(stays, &place)?);
                if lanes == 0 && instead > 0 {
                    let longer = sums.clone().find(|u| end <= &u.0).map_or(1.0, |u| u.1);
                    old = (old.0 * longer, old.1 * longer);
                }
                let here = (old.0 / (new.0 * doubt)).ln();
                gain += here / around.len() as f64;
                is_faster &= here >= DOUBT.ln() || ends.is_empty() && here >= 0.0;
                is_faster &= new.1 <= old.1 * SAME && old.0 >= least;
            }
            if !is_faster {
                break;
            }
            sum += gain;
            most = gain.max(most);
            ends.push(*end);
        }
        let enough = match choice {
            _ if ends.len() == 1 && instead == 0 && !self.count_rows(sizes) => GAIN_FEW,
            _ if !plain => GAIN_OTHERS,
            _ if lanes == 0 && instead > 0 => GAIN_WITHOUT,
            _ => GAIN,
        };
        (most >= enough.ln()).then_some(())?;
        // Plain loops lose nothing where others are why.
        let by_others = match plain {
            true => 0.0,
            false => self.by_others(sizes, takes, base)?.max(0.0),
        };
        let end = *ends.last()?;
        let place = beside(around.last()?, sizes, End::Below(end));
        let has_tiles = takes.is_some_and(|t| self.auto.tried[t].schedule.has_tiles());
        if has_tiles && self.is_narrow(&place) {
            return None;
        }
        (most >= enough.ln() + by_others).then_some(Small {
            sizes: sizes.to_vec(),
            ends,
            takes,
            gain: sum,
        })
    }

    /// What something gains where a parameter is not small: then others are why.
    fn by_others(&mut self, sizes: &[Symbol], takes: Option<usize>, base: Base) -> Option<f64> {
        let mut gain = 0.0;
        for place in base.around {
            let place = beside(place, sizes, End::NotSmall);
            let (new, old) = (self.at(takes, &place)?, self.at(base.stays, &place)?);
            gain += (old.0 / new.0).ln() / base.around.len() as f64;
        }
        Some(gain)
    }

    /// What gains most where one of these parameters is small.
    fn best(&mut self, all_sizes: &[Vec<Symbol>], base: Base) -> Option<Small> {
        let tried = &self.auto.tried;
        let estimated = |i: &usize| matches!(tried[*i].ended, Ended::Estimated(..));
        // What takes the same to the last digit is the same kernel, reached by fewer changes or by more.
        let first = |i: &usize| {
            let by = |i: usize| (tried[i].schedule.changes, i);
            let same = |j: &usize| tried[*j].ended == tried[*i].ended;
            !(0..tried.len()).filter(same).any(|j| by(j) < by(*i))
        };
        let tried = { 0..tried.len() }
            .filter(|i| estimated(i) && first(i))
            .map(Some);
        let standing = (!self.auto.demanded).then_some(None);
        let all: Vec<Option<usize>> = tried.chain(standing).collect();
        let mut found: Option<Small> = None;
        // So are sums alone beside tiles that are far better: they are there for few rows.
        let beside = are_tiles_far_better(&self.auto.tried);
        let is_wide = |takes: &Option<usize>| {
            let choice = takes.map(|t| self.auto.tried[t].schedule.choice);
            choice.is_some_and(|c| c.columns > WIDE || beside && is_of_sums(&c))
        };
        let (wide, narrow): (Vec<_>, Vec<_>) = all.into_iter().partition(is_wide);
        for sizes in all_sizes {
            let wide = wide.iter().filter(|_| self.count_rows(sizes));
            let all: Vec<_> = narrow.iter().chain(wide).copied().collect();
            for takes in all.iter().filter(|t| **t != base.stays) {
                let small = self.small(sizes, *takes, base);
                let more = |s: &Small| {
                    let found = found.as_ref();
                    found.is_none_or(|f| s.gain > f.gain && !f.covers(s))
                };
                if let Some(small) = small.filter(more) {
                    found = Some(small);
                }
            }
        }
        found
    }

    /// What classes of sizes take: where one is small, and of that where another one is small, too; before it, where there are few rows.
    fn chosen(&mut self) -> Option<Chosen> {
        let input = self.trial.input;
        let all = open(&input.program, &input.fixed, 2 * ENDS[0]);
        let (rows, mut sizes): (Vec<_>, Vec<_>) =
            { all.into_iter() }.partition(|s| self.counts_rows(*s));
        sizes.truncate(PARAMETERS);
        let best = self.auto.best;
        let everywhere = Base {
            stays: best,
            around: &[Vec::new()],
            ends: None,
        };
        let mut chosen = Chosen::one(None, best);
        // Each by itself, and together all that do not say how many results there are.
        let mut small: Vec<Vec<Symbol>> = sizes.iter().map(|s| vec![*s]).collect();
        let inside: Vec<Symbol> = { sizes.iter().copied() }
            .filter(|s| !self.outer.iter().any(|n| n.mentions(*s)))
            .collect();
        let together = (inside.len() > 1).then_some(inside);
        small.extend(together.clone());
        let mut found = self.best(&small, everywhere);
        if let (None, Some(together)) = (&found, together.filter(|all| all.len() == PAIR)) {
            let very_small = Base {
                ends: Some(&FEWEST),
                ..everywhere
            };
            found = self.best(&[together], very_small);
        }
        if let Some(small) = found {
            let at = |end: &i64| beside(&[], &small.sizes, End::Below(*end));
            let around: Vec<Place> = small.ends.iter().map(at).collect();
            sizes.retain(|s| !small.sizes.contains(s));
            let place = at(&small.end());
            let others: Vec<Vec<Symbol>> = sizes.iter().map(|s| vec![*s]).collect();
            let base = Base {
                stays: small.takes,
                around: &around,
                ends: None,
            };
            let within = match self.best(&others, base) {
                Some(inner) => {
                    let at = |end| beside(&place, &inner.sizes, end);
                    let below = Chosen::one(Some(at(End::Below(inner.end()))), inner.takes);
                    let above = Chosen::one(Some(at(End::NotSmall)), small.takes);
                    Chosen::at(&inner, below, above)
                }
                None => Chosen::one(Some(place), small.takes),
            };
            chosen = Chosen::at(&small, within, chosen);
        }
        // Only tiles make more rows than there are, and only of rows there are few: columns stay as many.
        let has_tiles = best.is_some_and(|t| self.auto.tried[t].schedule.has_tiles());
        let rows: Vec<Vec<Symbol>> = { rows.into_iter() }
            .filter(|s| has_tiles && !self.columns.iter().any(|n| n.mentions(*s)))
            .filter(|s| self.is_usual(*s))
            .map(|s| vec![s])
            .collect();
        if let Some(few) = self.best(&rows, everywhere) {
            let place = beside(&[], &few.sizes, End::Below(few.end()));
            chosen = Chosen::at(&few, Chosen::one(Some(place), few.takes), chosen);
        }
        (chosen.classes.len() > 1).then_some(chosen)
    }
}

/// What classes of sizes take, each with its name, and where it is looked at: nowhere else than where all sizes are usual.
struct Chosen {
    variants: Variants,
    classes: Vec<(String, Option<Place>, Option<usize>)>,
}

impl Chosen {
    fn one(place: Option<Place>, takes: Option<usize>) -> Chosen {
        Chosen {
            variants: Variants::One(takes),
            classes: vec![(String::new(), place, takes)],
        }
    }

    /// What is below where small sizes end, and what is above.
    fn at(small: &Small, below: Chosen, above: Chosen) -> Chosen {
        let classes = Classes::below(&small.sizes, small.end());
        let mut all = Vec::new();
        for (name, of) in classes.names().iter().zip([below.classes, above.classes]) {
            for (inner, place, takes) in of {
                let name = match inner.is_empty() {
                    true => name.clone(),
                    false => format!("{name}, {inner}"),
                };
                all.push((name, place, takes));
            }
        }
        Chosen {
            variants: classes.choice(below.variants, above.variants),
            classes: all,
        }
    }
}

/// The numbers of rows of results that have several dimensions, those of what stands in a row, and how many elements or rows there are.
fn dimensions(result: Ty) -> (Vec<Nat>, Vec<Nat>, Vec<Nat>) {
    let leaves = abi::leaves(result).unwrap_or_default();
    let (mut rows, mut columns, mut outer) = (Vec::new(), Vec::new(), Vec::new());
    for (.., dims) in leaves {
        if let [first, rest @ ..] = &dims[..] {
            rows.extend((!rest.is_empty()).then_some(*first));
            columns.extend(rest);
            outer.push(*first);
        }
    }
    (rows, columns, outer)
}

impl Trial<'_> {
    /// What is faster than the best for all sizes up to a small one, and the file that chooses.
    pub(super) fn by_small_sizes(&mut self, auto: &Auto) -> Option<BySize> {
        let (rows, columns, outer) = dimensions(self.input.program.result);
        let mut probes = Probes {
            trial: self,
            auto,
            known: BTreeMap::new(),
            rows,
            columns,
            outer,
        };
        let chosen = probes.chosen()?;
        let usual = match auto.best {
            Some(t) => match auto.tried[t].ended {
                Ended::Estimated(all, _) => all,
                _ => return None,
            },
            None => auto.plain?,
        };
        let (mut classes, mut expected) = (Vec::new(), Vec::new());
        for (what, place, takes) in chosen.classes {
            let (sizes, plain, found) = match &place {
                Some(place) => {
                    let plain = probes.at(None, place)?.0;
                    (probes.sizes(place), plain, probes.at(takes, place)?.0)
                }
                None => (auto.sizes.clone(), auto.plain?, usual),
            };
            classes.push(Class {
                what,
                sizes: sizes.iter().map(|(s, n)| (s.to_string(), *n)).collect(),
                plain,
                cycles: takes.map(|_| found),
                takes,
            });
            expected.push((sizes, found));
        }
        let variants = chosen.variants;
        let text = auto.text_of(&variants);
        let kernel = self.reaches(&text).ok()?;
        // Nobody asked for it: what does not choose well is not mentioned.
        let is_as_fast = |new: f64, old: f64| new <= old * SAME * SAME;
        let keeps = { expected.iter() }.all(|(at, old)| is_as_fast(self.at(&kernel, at).0, *old));
        keeps.then_some(BySize {
            variants,
            text: Some(text),
            lost: None,
            classes,
        })
    }
}
