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
use rustc_hash::FxHashMap;

/// A truth value that depends on bits of unknowns: 0 is false, 1 is true.
pub type Bit = u32;

const FALSE: Bit = 0;
const TRUE: Bit = 1;

/// An integer or a truth value, lowest bit first.
pub type Word = Vec<Bit>;

/// Unknowns whose bits stand side by side.
const MOST_UNKNOWNS: u32 = 64;

/// The diagrams.
pub struct Words {
    /// Variable, and what follows where it is false and true.
    nodes: Vec<(u32, Bit, Bit)>,
    ids: FxHashMap<(u32, Bit, Bit), Bit>,
    chosen: FxHashMap<(Bit, Bit, Bit), Bit>,
    unknowns: u32,
    limit: usize,
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
            nodes: vec![(u32::MAX, FALSE, FALSE), (u32::MAX, TRUE, TRUE)],
            ids: FxHashMap::default(),
            chosen: FxHashMap::default(),
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
        if let Some(id) = self.ids.get(&(var, no, yes)) {
            return Some(*id);
        }
        let id = self.nodes.len();
        if id >= self.limit {
            return None;
        }
        self.nodes.push((var, no, yes));
        self.ids.insert((var, no, yes), id as Bit);
        Some(id as Bit)
    }

    /// `if c then a else b`
    fn choose(&mut self, c: Bit, a: Bit, b: Bit) -> Option<Bit> {
        match (c, a, b) {
            (TRUE, ..) => return Some(a),
            (FALSE, ..) => return Some(b),
            (_, TRUE, FALSE) => return Some(c),
            _ if a == b => return Some(a),
            _ => {}
        }
        if let Some(known) = self.chosen.get(&(c, a, b)) {
            return Some(*known);
        }
        let var = [c, a, b].map(|n| self.nodes[n as usize].0);
        let first = var[0].min(var[1]).min(var[2]);
        let part = |n: Bit, yes: bool| {
            let (var, no, is) = self.nodes[n as usize];
            match (var == first, yes) {
                (false, _) => n,
                (true, true) => is,
                (true, false) => no,
            }
        };
        let (on, off) = (
            [c, a, b].map(|n| part(n, true)),
            [c, a, b].map(|n| part(n, false)),
        );
        let yes = self.choose(on[0], on[1], on[2])?;
        let no = self.choose(off[0], off[1], off[2])?;
        let made = self.node(first, no, yes)?;
        self.chosen.insert((c, a, b), made);
        Some(made)
    }

    fn not(&mut self, a: Bit) -> Option<Bit> {
        self.choose(a, FALSE, TRUE)
    }

    /// Both.
    pub fn and(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        self.choose(a, b, FALSE)
    }

    fn or(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        self.choose(a, TRUE, b)
    }

    /// Either, but not both.
    fn xor(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        let not = self.not(b)?;
        self.choose(a, not, b)
    }

    /// Whether two words are equal wherever a condition holds.
    pub fn equal_where(&mut self, c: Bit, a: &[Bit], b: &[Bit]) -> Option<bool> {
        for (x, y) in a.iter().zip(b) {
            let differs = self.xor(*x, *y)?;
            if self.and(c, differs)? != FALSE {
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

    fn not_all(&mut self, a: &[Bit]) -> Option<Word> {
        a.iter().map(|x| self.not(*x)).collect()
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
        let b = self.not_all(b)?;
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
                    *sign = self.not(*sign)?;
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
        self.not(any)
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
            out[i] = self.not(below)?;
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
                Some(vec![self.not(zero)?])
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
            (BitNot | Not, [a]) => self.not_all(a),
            (Shl, [a, b]) => self.moved(a, b, true, FALSE),
            (Shr, [a, b]) => {
                let fill = if signed { *a.last()? } else { FALSE };
                self.moved(a, b, false, fill)
            }
            (Lt, [a, b]) => one(self.less(a, b, signed)),
            (Gt, [a, b]) => one(self.less(b, a, signed)),
            (Le, [a, b]) => {
                let less = self.less(b, a, signed)?;
                one(self.not(less))
            }
            (Ge, [a, b]) => {
                let less = self.less(a, b, signed)?;
                one(self.not(less))
            }
            (Eq | Ne, [a, b]) => {
                let differing = self.each(a, b, Words::xor)?;
                let equal = self.is_zero(&differing)?;
                one(if op == Eq {
                    Some(equal)
                } else {
                    self.not(equal)
                })
            }
            (Select, [c, a, b]) => self.select(*c.first()?, a, b),
            _ => None,
        }
    }
}
