//! Sorts that are not known yet: cells that become equal, or turn out to differ.

use super::expr::{Kind, Lanes, Sort};

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

pub(super) struct Sorts {
    kinds: Cells<Kind>,
    lanes: Cells<Lanes>,
}

impl Sorts {
    pub(super) fn new() -> Sorts {
        Sorts {
            kinds: Cells(Vec::new()),
            lanes: Cells(Vec::new()),
        }
    }

    /// A sort of which as much is known as is given.
    pub(super) fn open(&mut self, kind: Option<Kind>, lanes: Option<Lanes>) -> Open {
        Open {
            kind: self.kinds.add(kind),
            lanes: self.lanes.add(lanes),
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
            lanes: self.lanes.value(o.lanes).unwrap_or(Lanes::One),
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
            Some(Lanes::Fixed(n)) => format!("a vector of {n} {many}"),
            Some(Lanes::Named(l)) => format!("a vector of `{l}` {many}"),
            _ => one.to_string(),
        }
    }
}
