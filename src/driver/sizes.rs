//! Classes of sizes, each with a schedule of its own.
//!
//! In: what the user says, as `1..64,64..512,512..` of all size parameters together (the largest of them counts), or
//! `n=1..64,64..,m=1..8,8..` of some. Out: the classes, sizes that stand for each of them, which choices of sizes lead to which
//! class. Invariant: every size is in one class. Absent: schedules, what is good for a class.

use crate::arith::{Nat, Rat};
use crate::diag::{code, Diagnostic};
use crate::exec::offsets;
use crate::exec::sizes::{Effort, Sizes};
use crate::intern::Symbol;
use crate::schedule::Variants;
use crate::source::{FileId, SourceMap, Span};
use crate::term::Program;

/// What a call may take for which schedules are compared, and sizes that are tried for it.
const ELEMENTS: f64 = 4e6;
const FLOPS: f64 = 5e8;
const LARGEST: i64 = 1 << 20;
const SMALLEST: i64 = 32;
const TIMES: i64 = 16;
/// So many values are in a segment: in a row of a sparse matrix, say.
const IN_SEGMENT: i64 = 16;
/// So many elements has what another array has fewer results by: the taps of a filter, say.
const TAKEN: i64 = 32;

/// Kernels in one: each is searched for, and stands in the text.
const MOST: usize = 64;

/// Sizes from one on, and below another one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Range {
    least: i64,
    end: Option<i64>,
}

/// What classes are told apart by.
#[derive(Clone, PartialEq, Eq, Debug)]
struct By {
    /// Of several, the largest.
    sizes: Vec<Symbol>,
    /// Each begins where the one before ends; the last one has no end.
    ranges: Vec<Range>,
}

/// Every combination of ranges is a class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Classes {
    by: Vec<By>,
}

impl Classes {
    /// Reads what the user says of the sizes of a program, of which some are fixed.
    pub fn read(
        text: &str,
        program: &Program,
        fixed: &Sizes,
        sources: &mut SourceMap,
    ) -> Result<Classes, Diagnostic> {
        let mut reader = Reader {
            file: sources.add_text("--sizes", text),
            program,
            fixed,
            classes: Classes::default(),
            together: false,
            last: Span::default(),
        };
        let mut at = 0;
        for piece in text.split(',') {
            reader.piece(piece, at)?;
            at += piece.len() + 1;
        }
        reader.ended()?;
        let count = reader.classes.by.iter().map(|b| b.ranges.len());
        let count = count.fold(1, usize::saturating_mul);
        match count > MOST {
            true => Err(wrong(
                format!("{count} classes are more than {MOST}"),
                reader.last,
                "leave some borders out",
            )),
            false => Ok(reader.classes),
        }
    }

    /// Sizes of a parameter, or of several together, below an end, and from there on.
    pub(super) fn below(sizes: &[Symbol], end: i64) -> Classes {
        let ends = [(0, Some(end)), (end, None)];
        let ranges = ends.map(|(least, end)| Range { least, end }).to_vec();
        let sizes = sizes.to_vec();
        Classes {
            by: vec![By { sizes, ranges }],
        }
    }

    /// The ranges of each class; the last of what classes are told apart by changes first.
    fn all(&self) -> Vec<Vec<Range>> {
        let with = |all: Vec<Vec<Range>>, by: &By| {
            let next = |class: Vec<Range>| {
                let of = move |r: &Range| [&class[..], &[*r]].concat();
                by.ranges.iter().map(of).collect::<Vec<_>>()
            };
            all.into_iter().flat_map(next).collect()
        };
        match self.by.is_empty() {
            true => Vec::new(),
            false => self.by.iter().fold(vec![Vec::new()], with),
        }
    }

    /// For each class sizes that stand for it: in the middle, and at the upper end, or what a call may take, if that is less.
    pub fn points(&self, program: &Program, fixed: &Sizes) -> Vec<[Sizes; 2]> {
        let usual = supposed(program, fixed);
        let point = |class: &[Range], is_middle: bool| {
            let mut sizes = fixed.clone();
            for (by, range) in self.by.iter().zip(class) {
                let least = range.least.max(1);
                for s in &by.sizes {
                    let most = range.end.map_or(i64::MAX, |end| end - 1).max(least);
                    let top = usual.get(s).map_or(least, |n| *n).clamp(least, most);
                    let middle = ((least as f64) * (top as f64)).sqrt() as i64;
                    sizes.insert(*s, if is_middle { middle } else { top });
                }
            }
            supposed(program, &sizes)
        };
        let of = |class: Vec<Range>| [point(&class, true), point(&class, false)];
        self.all().into_iter().map(of).collect()
    }

    /// The choices that lead each class to its schedule; neighbours with the same one are one.
    pub fn variants(&self, takes: &[Option<usize>]) -> Variants {
        self.chosen(0, &mut takes.iter().copied())
    }

    /// The choice between two, which are told apart by one border.
    pub(super) fn choice(&self, first: Variants, rest: Variants) -> Variants {
        match self.by.first().map(|by| (by, &by.ranges[..])) {
            Some((by, [range, _])) => by.choice(*range, first, rest),
            _ => rest,
        }
    }

    fn chosen(&self, depth: usize, takes: &mut dyn Iterator<Item = Option<usize>>) -> Variants {
        let Some(by) = self.by.get(depth) else {
            return Variants::One(takes.next().flatten());
        };
        let mut all: Vec<(Range, Variants)> = Vec::new();
        for range in &by.ranges {
            let variants = self.chosen(depth + 1, takes);
            match all.last_mut().filter(|(_, v)| *v == variants) {
                Some((last, _)) => last.end = range.end,
                None => all.push((*range, variants)),
            }
        }
        let mut rest = None;
        for (range, first) in all.into_iter().rev() {
            rest = Some(match rest {
                None => first,
                Some(rest) => by.choice(range, first, rest),
            });
        }
        rest.unwrap_or(Variants::One(None))
    }

    /// Each class in words.
    pub fn names(&self) -> Vec<String> {
        let name = |class: Vec<Range>| {
            let parts = self.by.iter().zip(&class).map(|(by, r)| by.says(*r));
            parts.collect::<Vec<_>>().join(", ")
        };
        self.all().into_iter().map(name).collect()
    }
}

impl By {
    /// The choice between what is in a range, the first one, and what is behind it.
    fn choice(&self, range: Range, first: Variants, rest: Variants) -> Variants {
        Variants::Choice {
            size: self.text(),
            most: range.end.map_or(i64::MAX, |end| end - 1),
            first: Box::new(first),
            rest: Box::new(rest),
        }
    }

    /// As a size of a sketch file.
    fn text(&self) -> String {
        let mut sizes = self.sizes.iter().rev();
        let last = sizes.next().map_or(String::new(), |s| s.to_string());
        sizes.fold(last, |rest, s| format!("max({s}, {rest})"))
    }

    fn says(&self, range: Range) -> String {
        let (size, least) = (self.text(), range.least);
        match range.end {
            Some(end) if least <= 1 => format!("{size} < {end}"),
            Some(end) => format!("{least} ≤ {size} < {end}"),
            None if least <= 1 => format!("any {size}"),
            None => format!("{size} ≥ {least}"),
        }
    }
}

/// The extents of arguments and results.
fn extents(program: &Program) -> Vec<Nat> {
    let arrays = program.params.iter().map(|p| p.1).chain([program.result]);
    let mut extents = Vec::new();
    arrays.for_each(|ty| ty.each_nat(&mut |n| extents.push(n)));
    extents
}

/// Sizes that stand for those that nobody knows: as large as what a call may take, those of arrays all the same.
pub(super) fn supposed(program: &Program, fixed: &Sizes) -> Sizes {
    let extents = extents(program);
    let is_extent = |s: Symbol| extents.iter().any(|n| n.mentions(s));
    // Of numbers alone, how often something is done is how much there is to do.
    let alone = !program.sizes.iter().any(|s| is_extent(*s));
    let values = offsets::values(program);
    let is_taken = |s: Symbol| {
        let falls = |n: &Nat| {
            n.coefficient(s)
                .and_then(Nat::as_rat)
                .is_some_and(|c| c < Rat::ZERO)
        };
        extents.iter().any(falls)
    };
    let all = |each: i64| -> Sizes {
        let of = |s: Symbol| match alone || is_extent(s) {
            true if values.contains(&s) => each * IN_SEGMENT,
            // Of a length that is taken from another there is less.
            true if is_taken(s) => each.min(TAKEN),
            true => each,
            // It says how often something is done.
            false => each.min(TIMES),
        };
        let sizes = program.sizes.iter();
        sizes
            .map(|s| (*s, fixed.get(s).copied().unwrap_or_else(|| of(*s))))
            .collect()
    };
    let fits = |sizes: &Sizes| {
        Effort::of(program, sizes).is_none_or(|e| e.elements <= ELEMENTS && e.work <= FLOPS)
    };
    let mut each = LARGEST;
    while each > SMALLEST && !fits(&all(each)) {
        each /= 2;
    }
    // Rows of a power of two and a little more, as `n + 1`, would go through few sets of a cache.
    all(each + each / 8)
}

/// Size parameters that are extents of arrays, where they may be at least so large.
pub(super) fn open(program: &Program, fixed: &Sizes, least: i64) -> Vec<Symbol> {
    let (extents, usual) = (extents(program), supposed(program, fixed));
    let is_open = |s: &Symbol| {
        let is_extent = extents.iter().any(|n| n.mentions(*s));
        is_extent && !fixed.contains_key(s) && usual.get(s).is_some_and(|n| *n >= least)
    };
    program.sizes.iter().copied().filter(is_open).collect()
}

fn wrong(what: impl Into<String>, span: Span, help: impl Into<String>) -> Diagnostic {
    (Diagnostic::new(code::SIZE_CLASSES, what).at(span)).help(help)
}

struct Reader<'a> {
    file: FileId,
    program: &'a Program,
    fixed: &'a Sizes,
    classes: Classes,
    /// Whether the ranges are of all sizes together.
    together: bool,
    /// The last range.
    last: Span,
}

impl Reader<'_> {
    /// A range, perhaps the first one of a size.
    fn piece(&mut self, piece: &str, at: usize) -> Result<(), Diagnostic> {
        let (name, range) = match piece.split_once('=') {
            Some((name, range)) => (Some(name), range),
            None => (None, piece),
        };
        let begin = at + piece.len() - range.len();
        match name {
            Some(name) => {
                self.ended()?;
                let (name, span) = self.trimmed(name, at);
                let sizes = vec![self.named(name, span)?];
                self.begin(sizes);
            }
            None if self.classes.by.is_empty() => {
                let (_, span) = self.trimmed(range, begin);
                let sizes = self.largest(span)?;
                self.together = true;
                self.begin(sizes);
            }
            None => {}
        }
        let (range, span) = self.trimmed(range, begin);
        let range = self.range(range, span)?;
        self.last = span;
        if let Some(by) = self.classes.by.last_mut() {
            by.ranges.push(range);
        }
        Ok(())
    }

    fn begin(&mut self, sizes: Vec<Symbol>) {
        let ranges = Vec::new();
        self.classes.by.push(By { sizes, ranges });
    }

    fn trimmed<'t>(&self, text: &'t str, at: usize) -> (&'t str, Span) {
        let begin = at + text.len() - text.trim_start().len();
        let text = text.trim();
        (text, Span::new(self.file, begin, begin + text.len()))
    }

    fn named(&self, name: &str, span: Span) -> Result<Symbol, Diagnostic> {
        let sizes = &self.program.sizes;
        let known: Vec<&str> = sizes.iter().map(|s| s.as_str()).collect();
        let Some(size) = sizes.iter().copied().find(|s| s.as_str() == name) else {
            let what = format!("`{name}` is no size of `{}`", self.program.name);
            let all = match known.is_empty() {
                true => "it has none: leave `--sizes` out".to_string(),
                false => format!("it has {}", known.join(", ")),
            };
            let d = Diagnostic::new(code::SIZE_CLASSES, what).at(span);
            return Err(d.help_near(name, known.iter().copied(), all));
        };
        if self.fixed.contains_key(&size) {
            let what = format!("`{name}` is fixed by `--set`: it has one size");
            return Err(wrong(what, span, "leave it out in one of the two"));
        }
        let before = |b: &By| b.sizes.contains(&size);
        if self.together || self.classes.by.iter().any(before) {
            let what = match self.together {
                true => "ranges without a name are of all sizes together".to_string(),
                false => format!("`{name}` has ranges twice"),
            };
            return Err(wrong(
                what,
                span,
                "name each size once, as in `n=1..64,64..`",
            ));
        }
        Ok(size)
    }

    /// All that are not fixed, extents if there are any.
    fn largest(&self, span: Span) -> Result<Vec<Symbol>, Diagnostic> {
        let free = |s: &Symbol| !self.fixed.contains_key(s);
        let free: Vec<Symbol> = self.program.sizes.iter().copied().filter(free).collect();
        let extents = extents(self.program);
        let is_extent = |s: &Symbol| extents.iter().any(|n| n.mentions(*s));
        let of: Vec<Symbol> = free.iter().copied().filter(is_extent).collect();
        match (of.is_empty(), free.is_empty()) {
            (false, _) => Ok(of),
            (true, false) => Ok(free),
            (true, true) => {
                let what = format!("`{}` has no size that varies", self.program.name);
                Err(wrong(what, span, "leave `--sizes` out"))
            }
        }
    }

    fn range(&self, text: &str, span: Span) -> Result<Range, Diagnostic> {
        let form = "write a range, as in `64..512`, or `512..` for all from 512 on";
        let malformed = |why: String| wrong(why, span, form);
        let number = |text: &str| -> Result<i64, Diagnostic> {
            (text.trim().parse::<u32>().map(i64::from))
                .map_err(|_| malformed(format!("`{text}` is no size")))
        };
        let Some((least, end)) = text.split_once("..") else {
            return Err(malformed(format!("`{text}` is no range of sizes")));
        };
        let range = Range {
            least: match least.trim() {
                "" => 0,
                least => number(least)?,
            },
            end: match end.trim() {
                "" => None,
                end => Some(number(end)?),
            },
        };
        if range.end.is_some_and(|end| end <= range.least) {
            let what = format!("no size is in `{text}`");
            return Err(wrong(
                what,
                span,
                "a range ends before its second number: make that larger",
            ));
        }
        let before = self.classes.by.last().and_then(|b| b.ranges.last());
        let (from, least) = match before {
            Some(Range { end: Some(end), .. }) => (*end, range.least),
            Some(Range { end: None, .. }) => {
                let what = "nothing is left behind a range without an end";
                return Err(wrong(
                    what,
                    span,
                    "end the one before where this one begins",
                ));
            }
            // A size of 0 is in the first one.
            None => (0, if range.least == 1 { 0 } else { range.least }),
        };
        match least.cmp(&from) {
            std::cmp::Ordering::Equal => Ok(range),
            std::cmp::Ordering::Less => Err(wrong(
                format!("sizes from {least} to {} are in two classes", from - 1),
                span,
                format!("begin with {from}, where the one before ends"),
            )),
            std::cmp::Ordering::Greater => Err(wrong(
                format!(
                    "sizes from {} to {} are in no class",
                    from.max(1),
                    least - 1
                ),
                span,
                format!("begin with {}", from.max(1)),
            )),
        }
    }

    /// The ranges so far are all of a size.
    fn ended(&self) -> Result<(), Diagnostic> {
        let last = self.classes.by.last().and_then(|b| b.ranges.last());
        match last.and_then(|r| r.end) {
            Some(end) => Err(wrong(
                format!("sizes from {end} on are in no class"),
                self.last,
                format!("add `{end}..` behind it"),
            )),
            None => Ok(()),
        }
    }
}
