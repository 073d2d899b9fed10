//! A schedule as the text of a sketch file.
//!
//! In: loops, what is done with them. Out: the steps. One function goes down the loops for each [`Stage`] and says how they
//! look after it; what a stage does not change looks as after the one before. A step is written only where its stage changes
//! something, and has the rules of that change alone.

use super::pieces::Pieces;
use super::skeleton::{leaf, same_leaves, Loops, Map, Reduce, Regroup, SHORT, SMALL};
use super::stage::{Shown, Stage, STAGES};
use super::{head, numbered, Choice, Permits, Schedule, PERMIT, UPDATES};
use crate::arith::Nat;
use crate::target::Target;
use crate::term::Program;
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// What is said of arrays that are kept.
const NAMED: &str = "named arrays kept";
const STAGES_KEPT: &str = "stages kept";

/// Vectors that go through steps side by side.
const ABREAST: u32 = 4;
/// Reductions up to this length are unrolled.
const UNROLLED: i64 = 64;
/// Reductions of so many are in several vectors at once; shorter ones in one.
const LONG: i64 = 256;

/// Prints one schedule.
pub struct Printer<'a> {
    pub choice: Choice,
    pub stage: Stage,
    /// Whether functions may be approximated, so that vectors have them.
    pub approximate: bool,
    pub target: Target,
    program: &'a Program,
    /// Rules that the stage needs, by file.
    rules: BTreeMap<&'static str, BTreeSet<String>>,
    /// Parameters of the file, each after those that it is made of.
    params: Vec<(String, String)>,
    /// Whether the stage has a change.
    changed: bool,
    pub regroups: bool,
    /// Whether it is inside of a name, whose sketch says where it stands.
    inside: bool,
    /// Whether it is inside of steps, one after the other, each of which would have to wait for the threads of a reduction.
    in_steps: bool,
    /// What is done, in a few words.
    words: Vec<String>,
    /// How many tiles there are before what is printed,
    pub tiles: usize,
    /// and how many of the first ones read packed panels while that is done.
    pub packed: usize,
}

/// The schedule of a choice; none where it changes nothing.
pub fn schedule(
    loops: &Loops,
    choice: Choice,
    permits: Permits,
    (program, target): (&Program, Target),
) -> Option<Schedule> {
    let mut p = Printer {
        choice,
        stage: Stage::Keep,
        approximate: permits.approximate,
        target,
        program,
        rules: BTreeMap::new(),
        params: Vec::new(),
        changed: false,
        regroups: false,
        inside: false,
        in_steps: false,
        words: Vec::new(),
        tiles: 0,
        packed: 0,
    };
    let mut steps = Vec::new();
    for stage in STAGES {
        p.stage = stage;
        // Panels of two tiles at once are more than a search finds.
        let times = if stage == Stage::Pack { p.tiles } else { 1 };
        for packed in 1..=times {
            p.packed = packed;
            p.changed = false;
            p.rules.clear();
            p.tiles = 0;
            let sketch = p.loops(loops, true);
            if p.changed {
                steps.push(p.step(&sketch));
            }
        }
    }
    if steps.is_empty() {
        // Loops that stay as they are have vectors of functions that may be approximated.
        if !super::approximates(program, permits) {
            return None;
        }
        p.stage = Stage::Lower;
        p.says("functions in vectors");
        steps.push(p.step("?"));
    }
    let mut head = head();
    for (name, value) in &p.params {
        head += &format!("param {name} = {value}\n");
    }
    if p.regroups && permits.reassociate {
        head += PERMIT;
    }
    if permits.approximate {
        head += "permit approximate\n";
    }
    Some(Schedule {
        what: p.words.join(", "),
        head,
        steps,
        changes: p.changes(),
        choice,
        family: 0,
        names: false,
    })
}

/// Whether a loop is long enough to be taken apart into so many.
fn long(n: Nat, least: i64) -> bool {
    n.as_int().is_none_or(|n| n >= least)
}

/// What is done with an array that is kept.
pub fn kept(array: &str, of: &str) -> String {
    format!("(contains (app let (app toMem {array}) {of}))")
}

/// Whether there are loops in what is reduced, and all of them are short.
fn is_short_inside(r: &Reduce) -> bool {
    let is_long = |l: &Loops| match l {
        Loops::Map(m) => m.n != r.n && long(m.n, SMALL + 1),
        Loops::Reduce(r) => long(r.n, SMALL + 1),
        Loops::Let { array, .. } => *array,
        _ => false,
    };
    !r.inner.is_nothing() && !r.inner.any(&is_long)
}

impl Printer<'_> {
    /// A step with the rules that were asked for.
    fn step(&self, sketch: &str) -> String {
        let name = numbered(self.stage.name(), self.packed.saturating_sub(1));
        let mut text = format!("step {name}\n");
        for (file, rules) in &self.rules {
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            text += &format!("use rules/{file}.rules ({})\n", rules.join(", "));
        }
        let inner = sketch.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
        text + &format!("sketch\n  {}\n", inner.unwrap_or(sketch))
    }

    /// Notes what is done.
    pub fn says(&mut self, what: impl ToString) {
        let what = what.to_string();
        if !self.words.contains(&what) {
            self.words.push(what);
        }
    }

    /// How many kinds of changes there are: parallel loops are one, whatever they go over.
    fn changes(&self) -> u32 {
        let parallel = |w: &&String| w.starts_with("parallel");
        let others = self.words.iter().filter(|w| !parallel(w)).count();
        (others + usize::from(self.words.iter().any(|w| parallel(&w)))) as u32
    }

    /// The stage for loops that are no tile: those that only tiles have change nothing. Beside a tile they are taken apart when that is
    /// done: both in one step are more than a search finds.
    pub fn shown(&self) -> Shown {
        let tiled = self.choice.tile > 0;
        match self.stage {
            Stage::Loops => Shown::Loops,
            Stage::Keep => Shown::Keep,
            Stage::Start => Shown::Start,
            Stage::Blocks => Shown::Blocks,
            Stage::Rest => Shown::Rest,
            Stage::Peel => Shown::Peel,
            Stage::PeelLanes | Stage::Order => Shown::PeelLanes,
            Stage::Parts | Stage::Exchange | Stage::Reorder if tiled => Shown::PeelLanes,
            Stage::Parts | Stage::Exchange | Stage::Reorder => Shown::Parts,
            Stage::Beside | Stage::Pack => Shown::Parts,
            Stage::Vectors => Shown::Vectors,
            Stage::Lower => Shown::Lower,
        }
    }

    /// What loops that are no tile need for the stage, if it is the first that shows them so.
    pub fn uses(&mut self, file: &'static str, rules: &[impl ToString]) {
        let tiled = self.choice.tile > 0;
        let first = match self.stage {
            Stage::Order | Stage::Exchange | Stage::Reorder | Stage::Pack => false,
            Stage::Parts => !tiled,
            Stage::Beside => tiled,
            _ => true,
        };
        if first {
            self.needs(file, rules);
        }
    }

    pub fn needs(&mut self, file: &'static str, rules: &[impl ToString]) {
        self.changed = true;
        let all = self.rules.entry(file).or_default();
        all.extend(rules.iter().map(|r| r.to_string()));
    }

    /// The name of a parameter, which is no size of the program.
    pub fn param(&mut self, name: &str, value: String) -> String {
        let sizes = &self.program.sizes;
        let mut name = name.to_string();
        let other = |p: &(String, String), name: &str| p.0 == name && p.1 != value;
        while sizes.iter().any(|s| s.as_str() == name)
            || self.params.iter().any(|p| other(p, &name))
        {
            name.push('_');
        }
        if self.params.iter().all(|p| p.0 != name) {
            self.params.push((name.clone(), value));
        }
        name
    }

    pub fn lanes(&mut self, s: Scalar) -> String {
        let name = format!("{}lanes", s.name());
        self.param(&name, format!("target.{name}"))
    }

    /// How loops look after the stage; `free`: whether no loop around them is parallel.
    fn loops(&mut self, loops: &Loops, free: bool) -> String {
        match loops.long() {
            Loops::Nothing => "?".to_string(),
            Loops::Elements(n, op) => format!("((contains {}) : {}.?)", op.name(), size(*n)),
            Loops::Map(m) => self.map(m, free),
            Loops::Reduce(r) => self.reduce(r, free),
            // Its loops are none of the places where the kernel writes.
            Loops::Step(step) => {
                let before = (self.inside, self.in_steps);
                (self.inside, self.in_steps) = (true, true);
                let step = self.loops(step, free);
                (self.inside, self.in_steps) = before;
                step
            }
            Loops::Let {
                value,
                array,
                named,
                body,
            } => self.named(value, (*array, *named), body, free),
            Loops::Parts(all) => {
                let all: Vec<String> = all.iter().map(|l| self.loops(l, free)).collect();
                applied("?", &all)
            }
        }
    }

    fn named(
        &mut self,
        value: &Loops,
        (array, named): (bool, bool),
        body: &Loops,
        free: bool,
    ) -> String {
        let kept = self.choice.keep && (named || has_map(value));
        let value = match (array, kept) {
            (true, false) if named => self.read(value),
            (true, false) => "?".to_string(),
            (true, true) => {
                self.says(match named {
                    true => NAMED,
                    false => STAGES_KEPT,
                });
                match (self.stage, named) {
                    // As yet it has no name.
                    (Stage::Loops, false) => return self.loops(body, free),
                    (Stage::Keep, true) => self.uses("layout", &["let-store"]),
                    (Stage::Keep, false) => self.uses("stencil", &["stage-tile"]),
                    _ => {}
                }
                let before = std::mem::replace(&mut self.inside, true);
                let value = self.loops(value, free);
                self.inside = before;
                match self.stage {
                    Stage::Loops => value,
                    _ => format!("(app toMem {value})"),
                }
            }
            (false, _) => self.loops(value, free),
        };
        let before = self.inside;
        self.inside |= value != "?";
        let body = self.loops(body, free);
        self.inside = before;
        match value == "?" {
            true => body,
            false => applied("let", &[value, body]),
        }
    }

    /// Of an array that is computed where it is read: only its short reductions change.
    fn read(&mut self, loops: &Loops) -> String {
        match loops.long() {
            Loops::Nothing | Loops::Elements(..) => "?".to_string(),
            Loops::Map(m) => {
                let (from, body) = (self.read(&m.from), self.read(&m.body));
                applied("?", &[body, from])
            }
            Loops::Reduce(r) => self.reduce(r, false),
            Loops::Step(step) => self.read(step),
            Loops::Let {
                named: false, body, ..
            } => self.read(body),
            Loops::Let { value, body, .. } => {
                let (value, body) = (self.read(value), self.read(body));
                applied("let", &[value, body])
            }
            Loops::Parts(all) => {
                let all: Vec<String> = all.iter().map(|l| self.read(l)).collect();
                applied("?", &all)
            }
        }
    }

    fn map(&mut self, m: &Map, free: bool) -> String {
        let parallel = free && self.choice.parallel;
        if self.choice.updates && m.counts {
            return self.updates();
        }
        if self.choice.tile > 0 {
            if let Some(tile) = self.tile(m, parallel) {
                return tile;
            }
        }
        if self.choice.strips {
            if let Some(strips) = self.strips(m, parallel) {
                return strips;
            }
        }
        if let Loops::Reduce(r) = m.body.long() {
            // Beside tiles, or long sums in lanes, elements are where those would read across rows, or have no lanes.
            let apart = match self.choice.tile {
                0 => self.choice.lanes == 0,
                _ => r.law == Regroup::No,
            };
            let apart = apart || m.across;
            if self.choice.columns > 0 && m.reduces && !m.generates && apart {
                match leaf(m.elem).filter(|_| m.waits && m.own_operator) {
                    Some(s) => return self.abreast(m, s, parallel),
                    None => {
                        if let Some(s) = self.columns(m, r, parallel) {
                            return s;
                        }
                    }
                }
            }
        }
        if self.choice.blocks && parallel {
            if let Some(blocks) = self.blocks(m) {
                return blocks;
            }
        }
        let lanes = leaf(m.elem).filter(|_| self.choice.vectors);
        match lanes {
            Some(s) if m.waits => return self.abreast(m, s, parallel),
            Some(s) if m.lane_wise => return self.strip(m, s, parallel),
            _ => {}
        }
        let body = self.loops(&m.body, free && !parallel);
        let n = size(m.n);
        if m.generates && !parallel {
            return body;
        }
        if m.generates && self.stage == Stage::Loops {
            self.uses("algorithmic", &["generate-map"]);
        }
        let lower = parallel && self.stage == Stage::Lower;
        if lower {
            self.says("parallel");
            self.uses("parallel", &["map-par"]);
        }
        let over = self.read(&m.from);
        let kind = if lower { "MapPar" } else { "Map" };
        // A map that is only read makes no loop for threads.
        let place = match parallel && !self.inside {
            true => "written",
            false => "contains",
        };
        match over == "?" {
            true => format!("({place}{kind} {n} {body})"),
            false => format!("({place}{kind}Over {n} {body} {over})"),
        }
    }

    /// A loop over places, for each of which elements are looked for: instead each element is looked at once.
    fn updates(&mut self) -> String {
        self.says("updates at places");
        if self.stage == Stage::Loops {
            self.uses("fusion", &["let-inline"]);
            self.uses("algorithmic", &["generate-map"]);
            self.uses("irregular", &UPDATES);
        }
        "(contains (app scatterReduce ? ? ?))".to_string()
    }

    /// A loop over single numbers: whole vectors, then the rest.
    fn strip(&mut self, m: &Map, s: Scalar, parallel: bool) -> String {
        let lanes = self.lanes(s);
        self.says("vectors");
        if parallel {
            self.says("parallel");
        }
        if self.shown() < Shown::Parts {
            return format!("(containsMap {} ?)", size(m.n));
        }
        let map = match parallel && self.shown() == Shown::Lower {
            true => "mapPar",
            false => "map",
        };
        let vectors =
            |n: String| format!("(contains (app ({map} : ? -> ({n}).<{lanes}>? -> ?) ?))");
        let vector = i64::from(self.target.lanes(s));
        let whole = m.n.as_int().is_some_and(|n| n % vector == 0);
        match self.shown() {
            Shown::Parts if whole => return format!("(containsMap {} ?)", size(m.n)),
            Shown::Parts => {
                let rest = format!("map-rest-of[{} + 1, {lanes}]", m.n);
                self.uses("algorithmic", &[&rest]);
                let whole = format!("({lanes} * floor({}, {lanes}))", m.n);
                return format!("(parts (containsMap {whole} ?) (contains map))");
            }
            Shown::Vectors => {
                self.uses("lowering", &["map-eta-abstraction"]);
                let rules = ["vectorize-after", "vectorize-map", "vectorize-zip"];
                let rules = rules.map(|r| format!("{r}[{lanes}]"));
                self.uses("vector", &rules.each_ref().map(String::as_str));
            }
            _ if parallel => self.uses("parallel", &["map-par"]),
            _ => {}
        }
        let vectors = vectors(format!("floor({}, {lanes})", m.n));
        match whole {
            true => vectors,
            false => format!("(parts {vectors} (contains map))"),
        }
    }

    /// A loop over numbers each of which has steps that wait for each other: several vectors of them go through the steps side by side,
    /// then vectors, then the rest.
    fn abreast(&mut self, m: &Map, s: Scalar, parallel: bool) -> String {
        let lanes = self.lanes(s);
        let wide = format!("{ABREAST} * {lanes}");
        let wide = self.param(&format!("{}wide", s.name()), wide);
        self.says(format!("{ABREAST} vectors side by side"));
        if parallel {
            self.says("parallel");
        }
        if m.generates && self.stage == Stage::Loops {
            self.uses("algorithmic", &["generate-map"]);
        }
        if self.shown() < Shown::Parts {
            return format!("(containsMap {} ?)", size(m.n));
        }
        let vector = i64::from(self.target.lanes(s));
        let pieces = Pieces::of(m.n, i64::from(ABREAST) * vector, vector);
        let ([whole, between], rules) = pieces.of_loop(m.n, [&wide, &lanes]);
        let vectors = match self.shown() {
            Shown::Parts => {
                self.uses("algorithmic", &rules);
                false
            }
            Shown::Vectors => {
                let rules = [&wide, &lanes].map(|w| format!("vectorize-after[{w}]"));
                self.uses("lowering", &["map-eta-abstraction"]);
                self.uses("vector", &rules);
                true
            }
            _ => {
                if parallel {
                    self.uses("parallel", &["map-par"]);
                }
                true
            }
        };
        let threads = parallel && self.shown() == Shown::Lower;
        let blocks = |map: &str, times: String, width: &str| {
            let block = match vectors {
                true => format!("(contains (app asVector (containsMap {width} ?)))"),
                false => format!("(containsMap {width} ?)"),
            };
            format!("({map} {times} {block})")
        };
        let map = |threads| {
            if threads {
                "containsMapPar"
            } else {
                "containsMap"
            }
        };
        let whole = blocks(map(threads), whole, &wide);
        let between = blocks(map(threads && !pieces.chunks), between, &lanes);
        pieces.look("parts", [&whole, &between, "(contains map)"])
    }

    /// A loop over reductions, whose elements are in lanes: none is regrouped.
    fn columns(&mut self, m: &Map, r: &Reduce, parallel: bool) -> Option<String> {
        let s = leaf(m.elem).filter(|s| same_leaves(m.elem, *s))?;
        // Each part of a pair has its own.
        let wide = match m.elem.as_scalar() {
            Some(_) => self.choice.columns,
            None => (self.choice.columns / 4).max(1),
        };
        let maps = r.inner.any(&|l| matches!(l, Loops::Map(m) if !m.few));
        if !r.lane_wise || maps || !long(m.n, 64) {
            return None;
        }
        // Vectors have as many lanes as registers have of the widest number that is computed for them.
        let s = r.wider.unwrap_or(s);
        let vector = i64::from(self.target.lanes(s));
        let pieces = match wide {
            1 => Pieces::of_blocks(m.n, vector),
            _ => Pieces::of(m.n, i64::from(wide) * vector, vector),
        };
        if !pieces.chunks && !pieces.vectors {
            return None;
        }
        // What is left of whole rows is one more piece of them.
        if self.choice.rows > 0 && m.n.as_int().is_some() {
            return None;
        }
        self.says(match self.choice.rows {
            0 => format!("elements in {wide} vectors"),
            _ => format!("whole rows into {wide} vectors"),
        });
        if parallel {
            self.says("parallel");
        }
        let lanes = self.lanes(s);
        let wide = self.param("wide", wide.to_string());
        let block = self.param("columns", format!("{wide} * {lanes}"));
        let (n, k, rows) = (m.n, size(r.n), self.choice.rows > 0);
        let ([whole, between], mut rules) = pieces.of_loop(n, [&block, &lanes]);
        if self.shown() < Shown::Parts {
            return Some(format!("(containsMap {} ?)", size(n)));
        }
        if self.shown() == Shown::Parts {
            self.uses("algorithmic", &["reduce-seq"]);
            let of = |n: &str, b: &str| {
                format!("(containsMap {n} (containsMap {b} (containsReduceSeq {k} ?)))")
            };
            let last = format!("(contains (app map (containsReduceSeq {k} ?)))");
            let between = match rows {
                true => {
                    rules.pop();
                    let length = format!("({lanes} * {between})");
                    format!(
                        "(contains (app (map : ? -> {length}.? -> ?) (containsReduceSeq {k} ?)))"
                    )
                }
                false => of(&between, &lanes),
            };
            self.uses("algorithmic", &rules);
            return Some(pieces.look("parts", [&of(&whole, &block), &between, &last]));
        }
        let mut parallel_map = "containsMap";
        let tile = |c: &str, unroll: bool| match unroll {
            true => {
                format!("(containsReduceSeqInto {k} ({c}.<{lanes}>?) (containsMapUnroll {c} ?))")
            }
            false => format!("(containsReduceSeqInto {k} ({c}.<{lanes}>?) ?)"),
        };
        let lower = self.shown() == Shown::Lower;
        let mut strip = |width: &str, unroll| {
            let summed = (lower.then(|| self.summed_columns(r, width, &lanes))).flatten();
            summed.unwrap_or_else(|| tile(width, unroll && !rows))
        };
        let first = strip(&wide, lower);
        // What is left of rows is one more piece of them, of as many vectors as there are, and then of the last elements.
        let rest = match rows {
            true => strip(&between, false),
            false => {
                let map = if pieces.chunks || !lower || !parallel {
                    "containsMap"
                } else {
                    "containsMapPar"
                };
                format!("({map} ? {})", tile("1", lower))
            }
        };
        // Those that lie side by side, as of windows, are added up one element after the other.
        let last = match rows || m.across {
            true => self.last_columns(n, &lanes, &k),
            false => "(contains map)".to_string(),
        };
        if lower {
            self.uses("lowering", &["map-unroll"]);
            if parallel {
                self.uses("parallel", &["map-par"]);
                parallel_map = "containsMapPar";
            }
        } else {
            let rules = ["lift-reduce-seq-vectors", "lift-reduce-seq-vectors-general"];
            let rules = rules.map(|r| format!("{r}[{lanes}]"));
            self.uses("vector", &rules.each_ref().map(String::as_str));
        }
        let first = format!("({parallel_map} {whole} {first})");
        Some(pieces.look("parts", [&first, &rest, &last]))
    }

    fn reduce(&mut self, r: &Reduce, free: bool) -> String {
        let free = free && !self.in_steps;
        let s = r.elem.as_scalar();
        let lanes = s.filter(|_| self.choice.lanes > 0 && r.inner.is_nothing());
        let blocks = free && self.choice.parallel && long(r.n, 2048);
        // What stays in order has strips, which are long.
        let least = if r.law == Regroup::InOrder {
            2048
        } else {
            LONG
        };
        match (lanes, r.law) {
            // Compilers make vectors of whole numbers as good as ours, and of truth values there are none.
            (Some(s), Regroup::Identity | Regroup::Peeled) if s == Scalar::Bool && !blocks => {
                self.sequential(r)
            }
            (Some(s), Regroup::Identity) if (s.is_int() || s == Scalar::Bool) && blocks => {
                self.blocks_alone(r)
            }
            (Some(s), Regroup::Identity) if long(r.n, LONG) => self.in_lanes(r, s, free),
            // Of one vector alone there would be nothing to add up.
            (Some(s), Regroup::Identity)
                if r.lane_wise && long(r.n, SHORT.max(2 * i64::from(self.target.lanes(s)))) =>
            {
                self.in_one(r, s)
            }
            (Some(s), Regroup::Peeled) if long(r.n, LONG) => {
                let parts = match blocks {
                    true => self.partial(r, true, true),
                    false => None,
                };
                parts.unwrap_or_else(|| self.peeled(s))
            }
            // Threads have blocks of it, and compilers the short loops of an element.
            (_, Regroup::Identity) if s.is_some() && blocks && is_short_inside(r) => {
                self.blocks_alone(r)
            }
            (_, Regroup::Blocks | Regroup::InOrder)
                if self.choice.lanes > 0 && long(r.n, least) =>
            {
                let commutes = r.law == Regroup::Blocks;
                let parts = match r.inner.is_nothing() {
                    true if self.choice.passes && commutes && r.weighs => self.passes(r, blocks),
                    true => self.partial(r, commutes, blocks),
                    false => None,
                };
                parts.unwrap_or_else(|| self.sequential(r))
            }
            _ => self.sequential(r),
        }
    }

    /// A reduction from left to right, unrolled where it is short.
    fn sequential(&mut self, r: &Reduce) -> String {
        let inner = self.read(&r.inner);
        let short = r.n.as_int().is_some_and(|n| n <= UNROLLED);
        if !short || !self.choice.unroll {
            return inner;
        }
        if self.stage != Stage::Lower {
            return inner;
        }
        self.says("short sums unrolled");
        self.uses("algorithmic", &["reduce-seq"]);
        self.uses("lowering", &["reduce-seq-unroll"]);
        match inner == "?" {
            true => "(contains reduceSeqUnroll)".to_string(),
            false => format!("(contains (app reduceSeqUnroll ? ? {inner}))"),
        }
    }
}

/// An application somewhere whose arguments look so; what looks like anything is left out where that says the same.
fn applied(head: &str, args: &[String]) -> String {
    let mut some = args.iter().filter(|a| *a != "?");
    match (some.next(), some.next()) {
        (None, _) => "?".to_string(),
        (Some(one), None) if one.starts_with("(contains") || one.starts_with("(parts") => {
            one.clone()
        }
        _ => format!("(contains (app {head} {}))", args.join(" ")),
    }
}

/// Whether keeping it in memory saves anything.
fn has_map(loops: &Loops) -> bool {
    loops.any(&|l| matches!(l, Loops::Map(m) if !m.few))
}

/// A size as an operand.
pub fn size(n: Nat) -> String {
    let text = n.to_string();
    match text
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '\'')
    {
        true => text,
        false => format!("({text})"),
    }
}

impl Loops {
    pub fn is_nothing(&self) -> bool {
        *self == Loops::Nothing
    }

    /// Whether one of them, at any depth, is such.
    pub fn any(&self, is: &dyn Fn(&Loops) -> bool) -> bool {
        is(self)
            || match self {
                Loops::Nothing | Loops::Elements(..) => false,
                Loops::Map(m) => m.body.any(is) || m.from.any(is),
                Loops::Reduce(r) => r.inner.any(is),
                Loops::Step(step) => step.any(is),
                Loops::Let { value, body, .. } => value.any(is) || body.any(is),
                Loops::Parts(all) => all.iter().any(|l| l.any(is)),
            }
    }
}
