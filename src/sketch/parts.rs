//! The parts of a sketch, as its author wrote them, and weaker sketches made of some of them.
//!
//! In: a sketch. Out: the tree of its parts, each in the user's words; for a set of parts the sketch
//! that asks for no others, as a sketch and as text that elaborates to it. A part that is left out is
//! stepped over: what stands inside of it is asked for at any depth. Invariant: asking for more parts
//! is never easier. Absent: graphs.

use crate::elab::{Sketch, SketchKind};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a sketch: everything but `?` and primitives; what a definition stands for is one part.
#[derive(Clone, Debug)]
pub struct Part {
    /// The user's words, shortened.
    pub label: String,
    /// The user's words, `…` for the parts inside.
    pub outline: String,
    /// How deep it stands in the sketch.
    pub depth: usize,
    /// The parts directly inside that can be asked for without it.
    pub inside: Vec<usize>,
    /// What it is, with everything inside.
    pub sketch: Sketch,
    /// Whether it stands below `or` or `onlyContains`, so that it is asked for with those or not at all.
    fixed: bool,
}

/// The parts of a sketch, each before those inside of it.
#[derive(Clone, Debug)]
pub struct Parts {
    /// In the order of the sketch.
    pub list: Vec<Part>,
    whole: Sketch,
    by_span: BTreeMap<Span, usize>,
}

/// A sketch that asks for some parts of another.
#[derive(Clone, Debug)]
pub struct Weaker {
    /// It.
    pub sketch: Sketch,
    /// It, in the language of sketches and the words of the other.
    pub text: String,
    /// The parts that it asks for.
    pub kept: BTreeSet<usize>,
}

impl Parts {
    /// The parts of a sketch.
    pub fn new(sketch: &Sketch) -> Parts {
        let mut parts = Parts {
            list: Vec::new(),
            whole: sketch.clone(),
            by_span: BTreeMap::new(),
        };
        parts.add(sketch, 0, None, false);
        parts
    }

    fn add(&mut self, s: &Sketch, depth: usize, parent: Option<usize>, fixed: bool) {
        // A definition may use its parameter twice.
        if !s.is_part() || self.by_span.contains_key(&s.span) {
            return;
        }
        let here = self.list.len();
        self.by_span.insert(s.span, here);
        self.list.push(Part {
            label: s.label.clone(),
            outline: s.words.pieces.join("…"),
            depth,
            inside: Vec::new(),
            sketch: s.clone(),
            fixed,
        });
        if let Some(parent) = parent.filter(|_| !fixed) {
            self.list[parent].inside.push(here);
        }
        self.add_inside(s, s.span, here, fixed);
    }

    /// Nodes of the same span are the same part.
    fn add_inside(&mut self, s: &Sketch, span: Span, part: usize, fixed: bool) {
        let fixed = fixed || s.kind.binds_its_parts();
        for child in s.kind.children() {
            match child.span == span {
                true => self.add_inside(child, span, part, fixed),
                false => self.add(child, self.list[part].depth + 1, Some(part), fixed),
            }
        }
    }

    /// The parts that can be asked for one by one.
    pub fn free(&self) -> BTreeSet<usize> {
        (0..self.list.len())
            .filter(|i| !self.list[*i].fixed)
            .collect()
    }

    /// The sketch that asks for these parts. Of several parts inside of one that is left out, only
    /// that with the most can be asked for.
    pub fn weaker(&self, kept: &BTreeSet<usize>) -> Weaker {
        let mut used = BTreeSet::new();
        let (sketch, text) = self.weaken(&self.whole, kept, &mut used);
        Weaker {
            sketch,
            text,
            kept: used,
        }
    }

    fn weaken(
        &self,
        s: &Sketch,
        kept: &BTreeSet<usize>,
        used: &mut BTreeSet<usize>,
    ) -> (Sketch, String) {
        let Some(&part) = self.by_span.get(&s.span).filter(|_| s.is_part()) else {
            return (s.clone(), s.words.pieces.concat());
        };
        if self.list[part].fixed || kept.contains(&part) {
            used.insert(part);
            let mut places = BTreeMap::new();
            let sketch = self.around(s, s.span, &mut |child| {
                let (sketch, text) = self.weaken(child, kept, used);
                places.insert(child.span, text);
                sketch
            });
            return (sketch, fill(s, &places));
        }
        let most = |i: &&usize| (self.count(**i, kept), usize::MAX - **i);
        let next = self.list[part].inside.iter().max_by_key(most);
        let Some(next) = next.filter(|i| self.count(**i, kept) > 0) else {
            return (anything(s), "?".to_string());
        };
        let (inner, text) = self.weaken(&self.list[*next].sketch, kept, used);
        within(inner, text)
    }

    /// A part that leaves open what stands in its places.
    pub fn alone(&self, part: usize) -> Sketch {
        let s = &self.list[part].sketch;
        match s.kind {
            // With `?` inside they ask for what nothing or everything satisfies.
            SketchKind::None(_) | SketchKind::Every(..) => s.clone(),
            _ => self.around(s, s.span, &mut anything),
        }
    }

    /// How many parts from this one inwards are asked for.
    fn count(&self, part: usize, kept: &BTreeSet<usize>) -> usize {
        let below = self.list[part].inside.iter();
        usize::from(kept.contains(&part)) + below.map(|i| self.count(*i, kept)).sum::<usize>()
    }

    /// A part with other sketches in its places.
    fn around(&self, s: &Sketch, span: Span, f: &mut impl FnMut(&Sketch) -> Sketch) -> Sketch {
        let kind = s.kind.map(&mut |child| match child.span == span {
            true => self.around(child, span, f),
            false => match child.is_part() {
                true => f(child),
                false => child.clone(),
            },
        });
        s.with(kind)
    }

    /// The outermost parts that lie one in the other, from outside in: the first inside of each.
    pub fn chain(&self) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut next = (!self.list.is_empty()).then_some(0);
        while let Some(part) = next {
            chain.push(part);
            next = self.list[part].inside.first().copied();
        }
        chain
    }

    /// Parts of the chain one in the other in any order, what else they ask for left out.
    pub fn nested(&self, order: &[usize]) -> Weaker {
        let (mut inner, mut text) = (anything(&self.whole), "?".to_string());
        for &part in order.iter().rev() {
            let s = &self.list[part].sketch;
            let mut places = BTreeMap::new();
            let first = self.list[part].inside.first();
            let place = first.map(|i| self.list[*i].sketch.span);
            let sketch = self.around(s, s.span, &mut |child| {
                let here = Some(child.span) == place;
                let text = if here { text.clone() } else { "?".to_string() };
                places.insert(child.span, text);
                if here {
                    inner.clone()
                } else {
                    anything(child)
                }
            });
            (inner, text) = within(sketch, fill(s, &places));
        }
        Weaker {
            sketch: inner,
            text,
            kept: order.iter().copied().collect(),
        }
    }
}

fn anything(s: &Sketch) -> Sketch {
    s.with(SketchKind::Any)
}

/// Somewhere inside.
fn within(s: Sketch, text: String) -> (Sketch, String) {
    if matches!(s.kind, SketchKind::Contains(_) | SketchKind::Any) {
        return (s, text);
    }
    let text = format!("contains {}", argument(&text));
    let around = Sketch {
        kind: SketchKind::Contains(Box::new(s.clone())),
        ..s
    };
    (around, text)
}

/// The words of a part with texts in its places.
fn fill(s: &Sketch, texts: &BTreeMap<Span, String>) -> String {
    let mut out = String::new();
    for (i, piece) in s.words.pieces.iter().enumerate() {
        out += piece;
        if let Some(place) = s.words.places.get(i) {
            out += &argument(texts.get(place).map_or("?", |t| t));
        }
    }
    out
}

fn argument(text: &str) -> String {
    match text.contains(' ') {
        true => format!("({text})"),
        false => text.to_string(),
    }
}
