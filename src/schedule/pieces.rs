//! What a loop or a reduction is taken apart into whose elements go into lanes: whole chunks of several vectors, whole vectors, and what
//! is left.
//!
//! In: how many elements there are, of a chunk and of a vector. Out: which pieces there are, and for loops the rules that make them. Of a
//! number that nobody knows there are all, some of which may be empty; of one that is known no rule makes an empty piece. Absent: how
//! each looks.

use crate::arith::Nat;

/// Which pieces there are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Pieces {
    pub chunks: bool,
    pub vectors: bool,
    pub rest: bool,
}

impl Pieces {
    pub fn of(n: Nat, chunk: i64, lanes: i64) -> Pieces {
        let Some(n) = n.as_int() else {
            return Pieces::ALL;
        };
        // One chunk is its own partial results, and one vector, too.
        let chunks = n / chunk >= 2;
        let left = if chunks { n % chunk } else { n };
        let vectors = left / lanes >= 2;
        let rest = if vectors { left % lanes } else { left };
        Pieces {
            chunks,
            vectors,
            rest: rest > 0,
        }
    }

    /// Blocks of one length, and what is left.
    pub fn of_blocks(n: Nat, block: i64) -> Pieces {
        Pieces {
            vectors: false,
            ..Pieces::of(n, block, block)
        }
    }

    pub const ALL: Pieces = Pieces {
        chunks: true,
        vectors: true,
        rest: true,
    };

    /// What is put together by a word of sketches of pieces that look so.
    pub fn look(self, by: &str, each: [&str; 3]) -> String {
        let there = [self.chunks, self.vectors, self.rest];
        let some: Vec<&str> = { each.iter().zip(there) }
            .filter_map(|(piece, is)| is.then_some(*piece))
            .collect();
        let (last, first) = some.split_last().unwrap_or((&"?", &[]));
        (first.iter().rev()).fold(last.to_string(), |rest, one| format!("({by} {one} {rest})"))
    }

    /// Whether there is something behind the chunks, and behind the vectors.
    pub fn behind(self) -> [bool; 2] {
        [
            self.chunks && (self.vectors || self.rest),
            self.vectors && self.rest,
        ]
    }

    /// How many chunks a loop has, and then how many vectors; what makes blocks of both, of a loop over n elements and no other.
    pub fn of_loop(self, n: Nat, lengths: [&str; 2]) -> ([String; 2], Vec<String>) {
        let mut left = n.to_string();
        let (mut counts, mut rules) = (Vec::new(), Vec::new());
        let there = [self.chunks, self.vectors].into_iter().zip(self.behind());
        for (block, (is, behind)) in lengths.into_iter().zip(there) {
            let many = format!("floor({left}, {block})");
            let whole = format!("{block} * {many}");
            counts.push(format!("({many})"));
            if is && behind {
                rules.push(format!("map-rest-of[{left} + 1, {block}]"));
            }
            if is {
                rules.push(format!("split-join-of[{whole} + 1, {block}]"));
                left = format!("{left} - {whole}");
            }
        }
        let [chunks, vectors] = [0, 1].map(|i| counts[i].clone());
        ([chunks, vectors], rules)
    }
}
