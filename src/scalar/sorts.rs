//! Sorts that are not known yet: cells that become equal, or turn out to differ.

use super::expr::{Kind, Sort};
use super::lanes::Lanes;

/// What may be unknown in a sort.
#[derive(Copy, Clone, Debug)]
pub(super) struct Open {
    kind: usize,
    lanes: usize,
}

#[derive(Copy, Clone)]
enum Cell<T> {
    Free,
    Same(usize),
    Is(T),
}

/// Cells with the number of those that are the same; the smaller lot follows the larger, so chains are short.
struct Cells<T>(Vec<(Cell<T>, u32)>);

impl<T: Copy + PartialEq> Cells<T> {
    fn add(&mut self, value: Option<T>) -> usize {
        self.0.push((value.map_or(Cell::Free, Cell::Is), 1));
        self.0.len() - 1
    }

    fn root(&self, mut i: usize) -> usize {
        while let (Cell::Same(j), _) = self.0[i] {
            i = j;
        }
        i
    }

    fn value(&self, i: usize) -> Option<T> {
        match self.0[self.root(i)].0 {
            Cell::Is(v) => Some(v),
            _ => None,
        }
    }

    /// Whether both can be the same; then they are.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return true;
        }
        let ((left, n), (right, m)) = (self.0[a], self.0[b]);
        let both = match (left, right) {
            (Cell::Is(x), Cell::Is(y)) if x != y => return false,
            (Cell::Is(_), _) => left,
            _ => right,
        };
        let (top, below) = if n < m { (b, a) } else { (a, b) };
        self.0[top] = (both, n.saturating_add(m));
        self.0[below] = (Cell::Same(top), 0);
        true
    }
}

/// How many lanes there are, as far as it is known, with the number of cells that came to be as many.
#[derive(Copy, Clone)]
enum LaneCell {
    Free(u32),
    /// So many for each of another cell.
    Times(usize, Lanes),
    Is(Lanes),
}

/// Numbers of lanes: each is known, or a multiple of one that is free.
struct LaneCells(Vec<LaneCell>);

impl LaneCells {
    fn add(&mut self, cell: LaneCell) -> usize {
        self.0.push(cell);
        self.0.len() - 1
    }

    /// What is free of a number, and what that is multiplied by; `None` if it is too large.
    fn value(&self, mut i: usize) -> Option<(Option<usize>, Lanes)> {
        let mut by = Lanes::One;
        loop {
            match self.0[i] {
                LaneCell::Free(_) => return Some((Some(i), by)),
                LaneCell::Is(lanes) => return Some((None, lanes.times(by)?)),
                LaneCell::Times(other, lanes) => {
                    by = by.times(lanes)?;
                    i = other;
                }
            }
        }
    }

    /// Whether both can be the same; then they are. Of two multiples of what is free, one has to be a multiple of the other.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (Some((a, by_a)), Some((b, by_b))) = (self.value(a), self.value(b)) else {
            return false;
        };
        let of_free = |free: usize, by: Lanes, lanes: Lanes| Some((free, lanes.without(by)?));
        let found = match (a, b) {
            (None, None) => return by_a == by_b,
            (Some(a), Some(b)) if a == b => return by_a == by_b,
            (Some(a), None) => of_free(a, by_a, by_b).map(|(a, l)| (a, LaneCell::Is(l))),
            (None, Some(b)) => of_free(b, by_b, by_a).map(|(b, l)| (b, LaneCell::Is(l))),
            (Some(a), Some(b)) => {
                let size = |i: usize| match self.0[i] {
                    LaneCell::Free(n) => n,
                    _ => 0,
                };
                // The smaller lot follows the larger one, so chains are short.
                let (a, by_a, b, by_b) = match by_a == by_b && size(a) > size(b) {
                    true => (b, by_b, a, by_a),
                    false => (a, by_a, b, by_b),
                };
                let all = size(a).saturating_add(size(b));
                let follow = |(free, l), other: usize| (free, LaneCell::Times(other, l));
                let found = of_free(a, by_a, by_b).map(|f| (follow(f, b), b));
                let found = found.or_else(|| Some((follow(of_free(b, by_b, by_a)?, a), a)));
                found.map(|(found, top)| {
                    self.0[top] = LaneCell::Free(all);
                    found
                })
            }
        };
        match found {
            Some((free, cell)) => {
                self.0[free] = cell;
                true
            }
            None => false,
        }
    }
}

pub(super) struct Sorts {
    kinds: Cells<Kind>,
    lanes: LaneCells,
}

impl Sorts {
    pub(super) fn new() -> Sorts {
        Sorts {
            kinds: Cells(Vec::new()),
            lanes: LaneCells(Vec::new()),
        }
    }

    /// A sort of which as much is known as is given.
    pub(super) fn open(&mut self, kind: Option<Kind>, lanes: Option<Lanes>) -> Open {
        Open {
            kind: self.kinds.add(kind),
            lanes: self
                .lanes
                .add(lanes.map_or(LaneCell::Free(1), LaneCell::Is)),
        }
    }

    /// As many for each lane.
    pub(super) fn times(&mut self, o: Open, lanes: Lanes) -> Open {
        Open {
            lanes: self.lanes.add(LaneCell::Times(o.lanes, lanes)),
            ..o
        }
    }

    /// One boolean.
    pub(super) fn truth(&mut self) -> Open {
        self.open(Some(Kind::Bool), Some(Lanes::One))
    }

    /// Booleans of as many lanes.
    pub(super) fn truth_of(&mut self, o: Open) -> Open {
        Open {
            kind: self.kinds.add(Some(Kind::Bool)),
            lanes: o.lanes,
        }
    }

    /// Whether it is known to be of booleans.
    pub(super) fn is_truth(&self, o: Open) -> bool {
        self.kinds.value(o.kind) == Some(Kind::Bool)
    }

    pub(super) fn join(&mut self, a: Open, b: Open) -> bool {
        self.kinds.join(a.kind, b.kind) && self.lanes.join(a.lanes, b.lanes)
    }

    /// Makes the kinds equal, and leaves the lanes.
    pub(super) fn same_kind(&mut self, a: Open, b: Open) -> bool {
        self.kinds.join(a.kind, b.kind)
    }

    /// What is left open is of this kind, and no vector.
    pub(super) fn close(&self, o: Open, open: Kind) -> Sort {
        Sort {
            kind: self.kinds.value(o.kind).unwrap_or(open),
            lanes: self.lanes.value(o.lanes).map_or(Lanes::One, |l| l.1),
        }
    }

    /// `an integer`, `8 booleans`.
    pub(super) fn show(&self, o: Open) -> String {
        let kind = self.kinds.value(o.kind);
        let (one, many) = match kind {
            Some(Kind::Int) => ("an integer", "integers"),
            Some(Kind::Bool) => ("a boolean", "booleans"),
            None => ("one value", "values"),
        };
        match self.lanes.value(o.lanes) {
            Some((_, Lanes::Fixed(n))) => format!("a vector of {n} {many}"),
            Some((_, Lanes::Named(l))) => format!("a vector of `{l}` {many}"),
            Some((_, Lanes::One)) => one.to_string(),
            None => format!("a vector of too many {many}"),
        }
    }
}
