//! Integers of the machine as bits, each a decision diagram.
//!
//! In: operations on integers, of which some may have any value. Out: their results, bit by bit. Two results are equal for all values if
//! and only if their bits are the same diagrams, as these are canonical. Invariant: every operation is the one of the
//! interpreter (Note [Total arithmetic] there); `None` where diagrams would be larger than the limit, as those of
//! products of two unknowns are.
//!
//! Note [Order of bits]: the lowest bits of all unknowns come first, side by side. So sums, differences, comparisons,
//! products with a small constant and quotients by one have diagrams that grow with the width and the constant.

use crate::term::Op;
use crate::ty::Scalar;

/// A truth value that depends on bits of unknowns: the number of its node, and below it whether it is the opposite of that. 0 is
/// false, 1 is true.
pub type Bit = u32;

const FALSE: Bit = 0;
const TRUE: Bit = 1;

/// An integer or a truth value, lowest bit first.
pub type Word = Vec<Bit>;

/// Unknowns whose bits stand side by side.
const MOST_UNKNOWNS: u32 = 64;
/// What stands below all variables.
const NO_VARIABLE: u32 = u32::MAX;

/// The diagrams.
pub struct Words {
    /// Variable, and what follows where it is false and true. Of a truth value and its opposite one is a node, the one that is no
    /// opposite where the variable is false.
    nodes: Vec<Node>,
    /// Nodes at the place of their hash or behind it, 0 where there is none.
    places: Vec<u32>,
    /// What was computed, each at the place of its hash: of two that share one the earlier is computed again.
    computed: Vec<(Asked, Bit)>,
    unknowns: u32,
    limit: usize,
}

type Node = (u32, Bit, Bit);

/// An operation on diagrams: `Choice(c, a, b)` as three numbers, of which others than the first two say which one it is.
type Asked = (Bit, Bit, Bit);

/// In place of the third of what is asked: both of two, either of two.
const BOTH: Bit = FALSE;
const EITHER: Bit = Bit::MAX;

/// Where something is looked for first in a table of a power of two.
fn place((a, b, c): (u32, u32, u32), size: usize) -> usize {
    let mix =
        |h: u64, x: u32| (h.rotate_left(5) ^ u64::from(x)).wrapping_mul(0x517c_c1b7_2722_0a95);
    (mix(mix(mix(0, a), b), c) >> 32) as usize & (size - 1)
}

/// Bits of a type of integers or of truth values; floats have none.
pub fn width(s: Scalar) -> Option<usize> {
    match s {
        Scalar::Bool => Some(1),
        s if s.is_int() => Some(8 * s.bytes() as usize),
        _ => None,
    }
}

/// Integers of so many bits, and below 0 as many, are numbers of a type of floats.
fn exact_bits(s: Scalar) -> usize {
    match s {
        Scalar::Bf16 => 8,
        Scalar::F16 => 11,
        Scalar::F32 => 24,
        _ => 53,
    }
}

/// Whether every integer of a type is a number of a type of floats.
pub fn is_exact(from: Scalar, float: Scalar) -> bool {
    let sign = usize::from(from.is_signed());
    width(from).is_some_and(|w| w - sign <= exact_bits(float))
}

/// Whether so many integers or truth values make another one by an operation that is looked into.
pub fn knows(op: Op, operands: usize) -> bool {
    use Op::*;
    let takes = match op {
        Neg | Abs | BitNot | Not => 1,
        Add | Sub | Mul | Div | Mod | Min | Max => 2,
        BitAnd | BitOr | BitXor | Shl | Shr | And | Or => 2,
        Lt | Le | Gt | Ge | Eq | Ne => 2,
        Fma | Select => 3,
        _ => 0,
    };
    takes == operands && takes > 0
}

impl Words {
    /// No more than so many nodes.
    pub fn new(limit: usize) -> Words {
        Words {
            nodes: vec![(NO_VARIABLE, FALSE, FALSE)],
            places: vec![0; 64],
            computed: vec![((FALSE, FALSE, FALSE), FALSE); 64],
            unknowns: 0,
            limit,
        }
    }

    /// How many nodes there are.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// An integer of any value.
    pub fn unknown(&mut self, width: usize) -> Option<Word> {
        let own = self.unknowns;
        if own >= MOST_UNKNOWNS {
            return None;
        }
        self.unknowns += 1;
        let bits = 0..width as u32;
        bits.map(|i| self.node(i * MOST_UNKNOWNS + own, FALSE, TRUE))
            .collect()
    }

    /// A number modulo 2 to the width.
    pub fn constant(&self, value: i128, width: usize) -> Word {
        (0..width).map(|i| (value >> i & 1) as Bit).collect()
    }

    fn node(&mut self, var: u32, no: Bit, yes: Bit) -> Option<Bit> {
        if no == yes {
            return Some(no);
        }
        let opposite = no & 1;
        let node = (var, no ^ opposite, yes ^ opposite);
        let mut at = place(node, self.places.len());
        loop {
            match self.places[at] {
                0 => break,
                id if self.nodes[id as usize] == node => return Some(id << 1 | opposite),
                _ => at = (at + 1) & (self.places.len() - 1),
            }
        }
        let id = self.nodes.len();
        if id >= self.limit {
            return None;
        }
        self.nodes.push(node);
        self.places[at] = id as u32;
        if 2 * id >= self.places.len() {
            self.grow();
        }
        Some((id as Bit) << 1 | opposite)
    }

    /// Makes both tables larger: the first is at most half full, and the second has room for as many as there are nodes.
    fn grow(&mut self) {
        let size = 2 * self.places.len();
        self.places = vec![0; size];
        for (id, node) in self.nodes.iter().enumerate().skip(1) {
            let mut at = place(*node, size);
            while self.places[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.places[at] = id as u32;
        }
        let empty = ((FALSE, FALSE, FALSE), FALSE);
        let before = std::mem::replace(&mut self.computed, vec![empty; size]);
        for known in before {
            self.computed[place(known.0, size)] = known;
        }
    }

    /// What is asked of some diagrams, by what it is where their first variable is false and true.
    fn by_parts<const N: usize>(
        &mut self,
        asked: Asked,
        of: [Bit; N],
        ask: impl Fn(&mut Words, [Bit; N]) -> Option<Bit>,
    ) -> Option<Bit> {
        let known = self.computed[place(asked, self.computed.len())];
        if known.0 == asked {
            return Some(known.1);
        }
        let nodes = of.map(|n| self.nodes[(n >> 1) as usize]);
        let first = nodes.iter().map(|n| n.0).fold(NO_VARIABLE, u32::min);
        let (mut off, mut on) = (of, of);
        for (i, (var, no, yes)) in nodes.into_iter().enumerate() {
            if var == first {
                let opposite = of[i] & 1;
                (off[i], on[i]) = (no ^ opposite, yes ^ opposite);
            }
        }
        let yes = ask(self, on)?;
        let no = ask(self, off)?;
        let made = self.node(first, no, yes)?;
        let at = place(asked, self.computed.len());
        self.computed[at] = (asked, made);
        Some(made)
    }

    /// `if c then a else b`
    fn choose(&mut self, c: Bit, a: Bit, b: Bit) -> Option<Bit> {
        let (c, a, b) = match c & 1 {
            0 => (c, a, b),
            _ => (c ^ 1, b, a),
        };
        // Where the condition is known, so are what is the same and its opposite.
        let known = |x: Bit, holds: Bit| if x >> 1 == c >> 1 { x & 1 ^ holds } else { x };
        let (a, b) = (known(a, TRUE), known(b, FALSE));
        match (c, a, b) {
            (FALSE, ..) => return Some(b),
            _ if a == b => return Some(a),
            (_, _, FALSE) => return self.and(c, a),
            (_, FALSE, _) => return self.and(c ^ 1, b),
            (_, TRUE, _) => return Some(self.and(c ^ 1, b ^ 1)? ^ 1),
            (_, _, TRUE) => return Some(self.and(c, a ^ 1)? ^ 1),
            _ if a == b ^ 1 => return self.xor(c, b),
            _ => {}
        }
        let opposite = b & 1;
        let of = [c, a ^ opposite, b ^ opposite];
        let made = self.by_parts(of.into(), of, |w, [c, a, b]| w.choose(c, a, b))?;
        Some(made ^ opposite)
    }

    /// Both.
    pub fn and(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (FALSE, _) => Some(FALSE),
            (TRUE, _) => Some(b),
            _ if a == b => Some(a),
            _ if a == b ^ 1 => Some(FALSE),
            _ => self.by_parts((a, b, BOTH), [a, b], |w, [a, b]| w.and(a, b)),
        }
    }

    fn or(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        Some(self.and(a ^ 1, b ^ 1)? ^ 1)
    }

    /// Either, but not both.
    fn xor(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        let opposite = (a ^ b) & 1;
        let (a, b) = (a & !1, b & !1);
        let (a, b) = (a.min(b), a.max(b));
        let made = match (a, b) {
            (FALSE, _) => b,
            _ if a == b => FALSE,
            _ => self.by_parts((a, b, EITHER), [a, b], |w, [a, b]| w.xor(a, b))?,
        };
        Some(made ^ opposite)
    }

    /// Whether two words are equal wherever a condition holds.
    pub fn equal_where(&mut self, c: Bit, a: &[Bit], b: &[Bit]) -> Option<bool> {
        for (x, y) in a.iter().zip(b) {
            // Nothing is computed of what is the same or, as diagrams are canonical, differs somewhere in any case.
            if x == y {
                continue;
            }
            if c == TRUE || self.and(c, *x)? != self.and(c, *y)? {
                return Some(false);
            }
        }
        Some(a.len() == b.len())
    }

    fn each(
        &mut self,
        a: &[Bit],
        b: &[Bit],
        f: impl Fn(&mut Words, Bit, Bit) -> Option<Bit>,
    ) -> Option<Word> {
        a.iter().zip(b).map(|(x, y)| f(self, *x, *y)).collect()
    }

    fn not_all(a: &[Bit]) -> Word {
        a.iter().map(|x| x ^ 1).collect()
    }

    fn select(&mut self, c: Bit, a: &[Bit], b: &[Bit]) -> Option<Word> {
        self.each(a, b, |w, x, y| w.choose(c, x, y))
    }

    fn sum(&mut self, a: &[Bit], b: &[Bit], mut carry: Bit) -> Option<Word> {
        let mut out = Word::new();
        for (x, y) in a.iter().zip(b) {
            let odd = self.xor(*x, *y)?;
            out.push(self.xor(odd, carry)?);
            carry = self.choose(odd, carry, *x)?;
        }
        Some(out)
    }

    fn difference(&mut self, a: &[Bit], b: &[Bit]) -> Option<Word> {
        let b = Words::not_all(b);
        self.sum(a, &b, TRUE)
    }

    fn negative(&mut self, a: &[Bit]) -> Option<Word> {
        let zero = self.constant(0, a.len());
        self.difference(&zero, a)
    }

    fn product(&mut self, a: &[Bit], b: &[Bit]) -> Option<Word> {
        let zero = self.constant(0, a.len());
        let mut out = zero.clone();
        // A known factor is a sum of few, or a difference of two such.
        let (a, b) = match a.iter().all(|x| *x <= TRUE) {
            true => (b, a),
            false => (a, b),
        };
        for (i, y) in b.iter().enumerate().filter(|(_, y)| **y != FALSE) {
            let mut shifted = vec![FALSE; i];
            shifted.extend(&a[..a.len() - i]);
            let part = self.select(*y, &shifted, &zero)?;
            out = self.sum(&out, &part, FALSE)?;
        }
        Some(out)
    }

    /// `a < b` of numbers that are not negative.
    fn below(&mut self, a: &[Bit], b: &[Bit]) -> Option<Bit> {
        let mut less = FALSE;
        for (x, y) in a.iter().zip(b) {
            let differ = self.xor(*x, *y)?;
            less = self.choose(differ, *y, less)?;
        }
        Some(less)
    }

    fn less(&mut self, a: &[Bit], b: &[Bit], signed: bool) -> Option<Bit> {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if signed {
            for word in [&mut a, &mut b] {
                if let Some(sign) = word.last_mut() {
                    *sign ^= 1;
                }
            }
        }
        self.below(&a, &b)
    }

    fn is_zero(&mut self, a: &[Bit]) -> Option<Bit> {
        let mut any = FALSE;
        for x in a {
            any = self.or(any, *x)?;
        }
        Some(any ^ 1)
    }

    /// Quotient and remainder of numbers that are not negative; both 0 where the divisor is.
    fn quotient(&mut self, a: &[Bit], b: &[Bit]) -> Option<(Word, Word)> {
        let width = a.len();
        let mut divisor = b.to_vec();
        divisor.push(FALSE);
        let mut rest = vec![FALSE; width + 1];
        let mut out = vec![FALSE; width];
        for i in (0..width).rev() {
            rest.insert(0, a[i]);
            rest.truncate(width + 1);
            let below = self.below(&rest, &divisor)?;
            out[i] = below ^ 1;
            let less = self.difference(&rest, &divisor)?;
            rest = self.select(below, &rest, &less)?;
        }
        rest.truncate(width);
        let (by_zero, zero) = (self.is_zero(b)?, vec![FALSE; width]);
        Some((
            self.select(by_zero, &zero, &out)?,
            self.select(by_zero, &zero, &rest)?,
        ))
    }

    fn absolute(&mut self, a: &[Bit]) -> Option<Word> {
        let (sign, turned) = (*a.last()?, self.negative(a)?);
        self.select(sign, &turned, a)
    }

    /// Truncated quotient and remainder.
    fn divided(&mut self, a: &[Bit], b: &[Bit], signed: bool) -> Option<(Word, Word)> {
        if !signed {
            return self.quotient(a, b);
        }
        let (x, y) = (self.absolute(a)?, self.absolute(b)?);
        let (quotient, rest) = self.quotient(&x, &y)?;
        let (s, t) = (*a.last()?, *b.last()?);
        let turned = self.xor(s, t)?;
        let (minus_q, minus_r) = (self.negative(&quotient)?, self.negative(&rest)?);
        Some((
            self.select(turned, &minus_q, &quotient)?,
            self.select(s, &minus_r, &rest)?,
        ))
    }

    /// Bits moved up or down by a count; where that is beyond the width, `fill` is all that is left.
    fn moved(&mut self, a: &[Bit], count: &[Bit], up: bool, fill: Bit) -> Option<Word> {
        let width = a.len();
        let mut out = a.to_vec();
        let mut beyond = FALSE;
        for (k, bit) in count.iter().enumerate() {
            let by = 1usize.checked_shl(k as u32).unwrap_or(width);
            if k >= usize::BITS as usize || by >= width {
                beyond = self.or(beyond, *bit)?;
                continue;
            }
            let shifted: Word = match up {
                true => vec![FALSE; by]
                    .into_iter()
                    .chain(out[..width - by].iter().copied())
                    .collect(),
                false => out[by..].iter().copied().chain(vec![fill; by]).collect(),
            };
            out = self.select(*bit, &shifted, &out)?;
        }
        let gone = vec![fill; width];
        self.select(beyond, &gone, &out)
    }

    /// As a number of another width.
    fn resized(&self, a: &[Bit], signed: bool, width: usize) -> Word {
        let fill = match signed {
            true => a.last().copied().unwrap_or(FALSE),
            false => FALSE,
        };
        let mut out = a.to_vec();
        out.resize(width, fill);
        out
    }

    /// An integer of one type as one of another.
    pub fn cast(&mut self, a: &[Bit], from: Scalar, to: Scalar) -> Option<Word> {
        match to {
            Scalar::Bool => {
                let zero = self.is_zero(a)?;
                Some(vec![zero ^ 1])
            }
            _ => Some(self.resized(a, from.is_signed(), width(to)?)),
        }
    }

    /// The same by way of floats that hold it exactly: what is too large for the type becomes its nearest value.
    pub fn saturated(&mut self, a: &[Bit], from: Scalar, to: Scalar) -> Option<Word> {
        let (own, other) = (width(from)?, width(to)?);
        let wide = own.max(other) + 2;
        let x = self.resized(a, from.is_signed(), wide);
        let (least, most) = to.bounds();
        let (least, most) = (self.constant(least, wide), self.constant(most, wide));
        let low = self.less(&x, &least, true)?;
        let x = self.select(low, &least, &x)?;
        let high = self.less(&most, &x, true)?;
        let x = self.select(high, &most, &x)?;
        Some(x[..other].to_vec())
    }

    /// An operation on integers of one type, on a truth value and two of them, or on truth values. `None`: it is none
    /// on integers, or beyond the limit.
    pub fn apply(&mut self, op: Op, s: Scalar, args: &[&[Bit]]) -> Option<Word> {
        use Op::*;
        let signed = s.is_signed();
        let one = |bit: Option<Bit>| bit.map(|b| vec![b]);
        match (op, args) {
            (Neg, [a]) => self.negative(a),
            (Abs, [a]) if signed => self.absolute(a),
            (Abs, [a]) => Some(a.to_vec()),
            (Add, [a, b]) => self.sum(a, b, FALSE),
            (Sub, [a, b]) => self.difference(a, b),
            (Mul, [a, b]) => self.product(a, b),
            (Fma, [a, b, c]) => {
                let product = self.product(a, b)?;
                self.sum(&product, c, FALSE)
            }
            (Div, [a, b]) => Some(self.divided(a, b, signed)?.0),
            (Mod, [a, b]) => Some(self.divided(a, b, signed)?.1),
            (Min, [a, b]) => {
                let less = self.less(a, b, signed)?;
                self.select(less, a, b)
            }
            (Max, [a, b]) => {
                let less = self.less(a, b, signed)?;
                self.select(less, b, a)
            }
            (BitAnd | And, [a, b]) => self.each(a, b, Words::and),
            (BitOr | Or, [a, b]) => self.each(a, b, Words::or),
            (BitXor, [a, b]) => self.each(a, b, Words::xor),
            (BitNot | Not, [a]) => Some(Words::not_all(a)),
            (Shl, [a, b]) => self.moved(a, b, true, FALSE),
            (Shr, [a, b]) => {
                let fill = if signed { *a.last()? } else { FALSE };
                self.moved(a, b, false, fill)
            }
            (Lt, [a, b]) => one(self.less(a, b, signed)),
            (Gt, [a, b]) => one(self.less(b, a, signed)),
            (Le, [a, b]) => {
                let less = self.less(b, a, signed)?;
                one(Some(less ^ 1))
            }
            (Ge, [a, b]) => {
                let less = self.less(a, b, signed)?;
                one(Some(less ^ 1))
            }
            (Eq | Ne, [a, b]) => {
                let differing = self.each(a, b, Words::xor)?;
                let equal = self.is_zero(&differing)?;
                one(Some(if op == Eq { equal } else { equal ^ 1 }))
            }
            (Select, [c, a, b]) => self.select(*c.first()?, a, b),
            _ => None,
        }
    }
}
