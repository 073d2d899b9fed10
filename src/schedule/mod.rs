//! Schedules of a program, as sketches.
//!
//! In: a program, the machine, what may be regrouped. Out: [`Schedule`]s, each the text of a sketch file in the words of
//! `sketches/prelude.sk`, one step for each kind of change. A schedule says which loops are parallel, which are in vectors,
//! how reductions are taken apart, which arrays are kept; it comes from the loops of the program alone, whatever that
//! is called. Nothing here is trusted: a search has to reach the sketches by rules that are proved. The same program gives
//! the same schedules in the same order. Absent: searching, which schedule is good.

mod borders;
mod columns;
mod depends;
mod elements;
mod exact;
mod exchanged;
mod indices;
mod joined;
mod lanes;
mod lifted;
mod linear;
mod named_views;
mod nested;
mod partial;
mod pieces;
mod print;
mod recurrences;
mod results;
mod reuse;
mod rows;
mod scanned;
mod scans;
mod segments;
mod skeleton;
mod stage;
mod starts;
mod steps;
mod strips;
mod sums;
mod tile;
mod together;
mod unread;
mod updates;
mod variants;
mod views;
mod weights;
mod windows;

pub use skeleton::{leaf, Loops, Map, Reader, Reduce, Regroup};
pub use sums::Place;
pub use unread::Kept;
pub use variants::Variants;

use crate::algebra::Floats;
use crate::search;
use crate::target::Target;
use crate::term::{Program, Term};

/// What the user permits beyond what is exact.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Permits {
    pub reassociate: bool,
    pub approximate: bool,
    /// If sums may be regrouped.
    pub sums: Sums,
}

impl Permits {
    /// What a step says that regroups, of floats or of whole numbers; none where it may not.
    fn to_regroup(self, floats: bool) -> Option<&'static str> {
        match floats {
            true => self.reassociate.then_some(PERMIT),
            false => Some(""),
        }
    }
}

/// How sums of floats are regrouped.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Sums {
    /// As is fastest on the machine.
    #[default]
    Fast,
    /// In the same way for all machines.
    Tree,
    /// As is fastest, and with what they are rounded by.
    Exact,
}

/// The machine for which schedules of sums are made that shall be the same for all.
pub const EVERY: Target = Target::Avx2;

/// What is done with the loops.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// Arrays that are named are kept in memory.
    pub keep: bool,
    /// The outermost loops are parallel.
    pub parallel: bool,
    /// Loops over single numbers are in vectors.
    pub vectors: bool,
    /// Long reductions are in so many vectors at once; 0 leaves them.
    pub lanes: u32,
    /// Loops over reductions have their elements in lanes, so many vectors at once; 0 leaves them.
    pub columns: u32,
    /// Two loops around a reduction have register tiles: 1, or 2 if they read packed panels, or 3 if they are of one vector of columns and
    /// many rows; 0 leaves them.
    pub tile: u32,
    /// Reductions of few elements are unrolled.
    pub unroll: bool,
    /// Transposed arrays are written in strips of rows.
    pub strips: bool,
    /// Threads have blocks of a loop over reductions, of which compilers make vectors.
    pub blocks: bool,
    /// What elements are counted for is updated at the place that each names.
    pub updates: bool,
    /// Weights below the largest number are added up in a pass behind the one that finds it.
    pub passes: bool,
    /// Where elements are in lanes, several rows are added to them at once; 0 leaves that.
    pub rows: u32,
}

/// How many combinations there are.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Space {
    /// Few, of which an estimate takes one.
    #[default]
    Small,
    /// More numbers of vectors, to be measured.
    Large,
}

/// A way to run the program's loops, as a sketch file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// In a few words.
    pub what: String,
    /// What stands above the first step.
    pub head: String,
    /// The steps, each with what it says.
    pub steps: Vec<String>,
    /// How many kinds of changes it makes: each is a chance for the estimate to be wrong.
    pub changes: u32,
    /// What is done with the loops.
    pub choice: Choice,
    /// Which of the ways to prepare the program it follows; 0 for none.
    pub family: u32,
    /// Whether what it does pays only where arrays that it names are kept.
    pub names: bool,
}

/// What stands above the steps of every schedule: loops that are taken apart are written several times.
fn head() -> String {
    [IMPORT, SIZE].concat()
}

const IMPORT: &str = "import \"sketches/prelude.sk\"\n";
const SIZE: &str = "limits size 5000\n";

/// What makes updates of a loop over places that elements are compared with.
const UPDATES: [&str; 6] = [
    "updates-at-indices",
    "updates-at-i32-or-loops",
    "eq-turned",
    "eq-index-u8",
    "eq-index-u16",
    "eq-index-i16",
];

/// What a step needs to combine floats in another order.
const PERMIT: &str = "permit reassociate\n";

/// A step that leads to a term that looks so, in every one of these ways.
fn guide(name: &str, rules: &str, looks: &[String]) -> String {
    format!("step {name}\n{rules}sketch\n  {}\n", looks.join(" and "))
}

/// The name of a step, before which there are so many of its kind.
fn numbered(name: &str, before: usize) -> String {
    match before {
        0 => name.to_string(),
        n => format!("{name}-{}", n + 1),
    }
}

impl Schedule {
    /// What is done before loops are scheduled: one change, which chooses nothing of what is done with them.
    fn preparation(what: &str, steps: Vec<String>) -> Schedule {
        Schedule {
            what: what.to_string(),
            head: head(),
            steps,
            changes: 1,
            choice: Choice::default(),
            family: 0,
            names: true,
        }
    }

    /// Whether it makes register tiles: a choice of them makes none where no loops fit.
    pub fn has_tiles(&self) -> bool {
        self.what.contains(tile::TILES)
    }

    /// Who has tiles has other loops already, and what a reduction waits for in each step is what an estimate sees best: reductions in
    /// lanes beside tiles are no chance for it to be wrong.
    fn without_what_is_seen(mut self) -> Schedule {
        let waits = |w: &&str| w.starts_with("reductions in");
        if self.has_tiles() {
            self.changes -= self.what.split(", ").filter(waits).count() as u32;
        }
        self
    }

    /// Whether the last of its preparations makes operators of steps.
    pub fn lifts(&self) -> bool {
        self.what.ends_with(lifted::WORDS)
    }

    /// How many steps have this name, or one with a number behind it.
    pub fn steps_of(&self, name: &str) -> usize {
        let head = format!("step {name}");
        self.steps.iter().filter(|s| s.starts_with(&head)).count()
    }

    /// The whole file.
    pub fn text(&self) -> String {
        let mut text = self.head.clone();
        for step in &self.steps {
            text.push('\n');
            text.push_str(step);
        }
        text
    }

    /// A preparation that pays where no array that it names is kept, too.
    fn by_itself(self) -> Schedule {
        Schedule {
            names: false,
            ..self
        }
    }

    /// With the numbers of a machine instead of their names, so that it is the same for all.
    fn of_numbers(mut self, target: Target) -> Schedule {
        for (name, n) in target.constants() {
            self.head = self.head.replace(&name, &n.to_string());
        }
        self
    }

    /// The first steps with what of the head they need: the same for schedules that go on in different ways.
    pub fn needed(&self, steps: &str) -> String {
        let mut needed = steps.to_string();
        for line in self.head.lines().rev() {
            let param = line
                .strip_prefix("param ")
                .and_then(|l| l.split(' ').next());
            let word = |c: char| !c.is_alphanumeric() && c != '_';
            if param.is_none_or(|name| needed.split(word).any(|w| w == name)) {
                needed = format!("{line}\n{needed}");
            }
        }
        needed
    }

    /// This one, and the same done once more.
    pub fn followed(&self, next: &Schedule) -> Schedule {
        Schedule {
            what: self.what.clone(),
            changes: self.changes,
            ..self.then(next)
        }
    }

    /// This one, then another one of what it leads to.
    pub fn then(&self, next: &Schedule) -> Schedule {
        Schedule {
            what: format!("{}, {}", self.what, next.what),
            head: next.head.clone(),
            steps: self.steps.iter().chain(&next.steps).cloned().collect(),
            changes: self.changes + next.changes,
            choice: next.choice,
            family: self.family,
            names: self.names,
        }
    }
}

/// What may be done before anything else, the first that is reached: operands of operators are exchanged; rows of windows are reduced by themselves, and rows that lie apart;
/// elements that are reductions get a loop; what a reduction goes on from is combined behind; columns are scanned all at once, a long
/// array in blocks; rows that columns are read of are computed once; segments get a loop; updates at places are done in parallel blocks; reductions of the
/// same arrays are one; named results are put in.
pub fn first(program: &Program, target: Target, permits: Permits) -> Vec<Schedule> {
    let term = &search::start(program);
    let before = [
        exchanged::back(term, permits),
        views::written(term),
        windows::apart(term, permits),
        elements::apart(term),
        joined::apart(term, permits),
        nested::joined(term, permits),
        starts::behind(term, permits),
    ];
    let behind = [
        scans::in_blocks(term, permits),
        recurrences::scanned(term, permits),
        rows::apart(term),
        segments::apart(term),
        updates::in_blocks(term, permits),
        updates::of_counts(term, permits),
        recurrences::reduced(term, permits),
        linear::composed(term, permits),
        lifted::into_operators(term, permits),
        together::in_one_pass(term),
        results::put_in(term),
    ];
    let before = before.into_iter().flatten();
    let rows = before.chain(scans::of_rows(term, target));
    rows.chain(behind.into_iter().flatten()).collect()
}

/// Whether functions have vectors that they do not have otherwise: those of a program may be approximated.
pub fn approximates(program: &Program, permits: Permits) -> bool {
    permits.approximate && skeleton::any(&program.term, |op| op.called().is_some())
}

/// Ways to keep what has a border before that, of which the first that is reached is one more to begin with.
pub fn borders(program: &Program) -> Vec<Schedule> {
    borders::kept(&search::start(program))
}

/// Ways to name what windows are taken of, where that takes long to compute, of which the first that is reached is one more to begin with.
pub fn stages(program: &Program) -> Vec<Schedule> {
    borders::named(&search::start(program))
}

/// What is done before all that, where sums shall be exact and there are some.
pub fn exact(program: &Program) -> Option<Schedule> {
    exact::compensated(&search::start(program))
}

/// What is done before that, where steps of reductions make something without their state.
pub fn of_steps(program: &Program) -> Option<Schedule> {
    steps::apart(&search::start(program))
}

/// What is done before anything else, where loops go over indices.
pub fn of_elements(program: &Program) -> Option<Schedule> {
    indices::as_elements(&search::start(program))
}

/// What puts names of views in, where loops have some, and the term that it has to lead to.
pub fn of_views(program: &Program) -> Option<(Schedule, Term)> {
    named_views::put_in(&search::start(program))
}

/// What leaves out arrays that loops do not read, which may be there since sums were taken apart; behind so many of its kind.
pub fn unread(program: &Program, before: usize, kept: Kept) -> Vec<Schedule> {
    unread::left_out(&search::start(program), before, kept)
}

/// What does row by row what is done with columns, once their sums are apart; behind so many of its kind.
pub fn columns(program: &Program, before: usize) -> Vec<Schedule> {
    columns::exchanged(&search::start(program), before)
}

/// What may be done with a program before its loops are scheduled, and which reduction that takes apart; what leads on is last.
pub fn preparations(program: &Program, done: &[Place]) -> Option<(Vec<Schedule>, Place)> {
    sums::apart(&search::start(program), done)
}

fn loops(program: &Program, target: Target, permits: Permits) -> Loops {
    let reader = Reader {
        target,
        floats: Floats::reassociated(permits.reassociate),
    };
    reader.program(&search::start(program))
}

/// The schedules of a program, simple ones first, each once.
pub fn schedules(
    program: &Program,
    target: Target,
    permits: Permits,
    space: Space,
) -> Vec<Schedule> {
    let loops = loops(program, target, permits);
    let spread = tile::reads_spread(&program.term);
    let mut all: Vec<Schedule> = Vec::new();
    // Where loops stay as they are, functions may have vectors.
    let as_it_stands = approximates(program, permits).then(Choice::default);
    for choice in { as_it_stands.into_iter() }.chain(choices(space, spread, target)) {
        let printed = print::schedule(&loops, choice, permits, (program, target));
        let printed = printed.map(Schedule::without_what_is_seen);
        let printed = printed.map(|s| match permits.sums {
            Sums::Tree => s.of_numbers(target),
            _ => s,
        });
        if let Some(s) = printed {
            if all.iter().all(|o| o.text() != s.text()) {
                all.push(s);
            }
        }
    }
    all
}

/// How many vectors a long reduction has side by side: they hide the latency of additions, and rows that are shorter than all of them are
/// reduced number by number, so that wide registers have fewer.
fn side_by_side(target: Target) -> u32 {
    match target.register_bytes() {
        64.. => 4,
        _ => 8,
    }
}

/// Every combination, simple ones first; `spread`: whether elements that are read side by side lie apart.
fn choices(space: Space, spread: bool, target: Target) -> Vec<Choice> {
    let lanes = side_by_side(target);
    let tall: &[(u32, u32, u32, bool)] = match spread {
        true => &[(0, 4, tile::TALL, false)],
        false => &[],
    };
    let few: &[(u32, u32, u32, bool)] = &[
        (0, 0, 0, false),
        (lanes, 0, 0, false),
        (0, 4, 0, false),
        (lanes, 4, 0, false),
        (0, 4, 1, false),
        (0, 4, 2, false),
        (lanes, 4, 1, false),
        (lanes, 4, 2, false),
    ];
    let more: &[(u32, u32, u32, bool)] = match space {
        Space::Small => &[],
        Space::Large => &[
            (0, 0, 0, true),
            (lanes / 2, 0, 0, false),
            (lanes * 2, 0, 0, false),
            (0, 1, 0, false),
            (0, 2, 0, false),
            (0, 8, 0, false),
            (0, 16, 0, false),
        ],
    };
    let mut all = Vec::new();
    for keep in [false, true] {
        for vectors in [false, true] {
            for &(lanes, columns, tile, unroll) in few.iter().chain(tall).chain(more) {
                all.push(Choice {
                    keep,
                    parallel: true,
                    vectors,
                    lanes,
                    columns,
                    tile,
                    unroll,
                    ..Choice::default()
                });
            }
        }
    }
    all.extend(
        [false, true]
            .into_iter()
            .flat_map(|keep| across(keep, lanes, target)),
    );
    all
}

/// Bytes of a row of what is read across its rows that are read at once: what they are added to lies in the nearest cache, and of a row so
/// much is read in one piece that few pages are open at a time.
const STRIP: u32 = 4096;

/// What is done with arrays that are read across their rows, with reductions that have no vectors, and with those that are others if
/// elements are looked at once, or twice.
fn across(keep: bool, lanes: u32, target: Target) -> [Choice; 5] {
    let plain = Choice {
        keep,
        parallel: true,
        ..Choice::default()
    };
    let strips = Choice {
        strips: true,
        ..plain
    };
    let rows = Choice {
        columns: STRIP / target.register_bytes(),
        rows: 4,
        ..plain
    };
    let blocks = Choice {
        blocks: true,
        ..plain
    };
    let updates = Choice {
        updates: true,
        ..plain
    };
    let passes = Choice {
        passes: true,
        lanes,
        ..plain
    };
    [strips, rows, blocks, updates, passes]
}
