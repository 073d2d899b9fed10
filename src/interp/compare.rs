//! How far two values are apart.
//!
//! Comes in: two values of one type; goes out: whether they are the same to the
//! bit, and otherwise the largest errors and where they are. Invariant: NaN
//! against NaN is no difference, NaN against a number is an infinite one.
//! Absent: what is tolerable; the caller knows what was reassociated.

use super::{Num, Value};

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// No bit differs (NaN counts as one value).
    pub same: bool,
    /// Largest `|a - b| / max(|a|, |b|)` of any pair of numbers.
    pub relative: f64,
    /// Largest `|a - b|` over the largest finite `|b|` of all: the measure for sums
    /// in which large terms cancel.
    pub relative_to_largest: f64,
    /// Where the relative error is largest: leaf and position in it.
    pub at: Option<(usize, usize)>,
}

/// Compares `a` with the reference `b`; `None` when they are not of one shape or
/// hold functions.
pub fn compare(a: &Value, b: &Value) -> Option<Difference> {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    collect(a, &mut xs)?;
    collect(b, &mut ys)?;
    if xs.len() != ys.len() {
        return None;
    }
    let mut d = Difference {
        same: true,
        relative: 0.0,
        relative_to_largest: 0.0,
        at: None,
    };
    let largest = ys
        .iter()
        .flatten()
        .map(|n| n.as_f64().abs())
        .filter(|x| x.is_finite())
        .fold(0.0, f64::max);
    for (leaf, (xs, ys)) in xs.iter().zip(&ys).enumerate() {
        if xs.len() != ys.len() {
            return None;
        }
        for (i, (&x, &y)) in xs.iter().zip(ys).enumerate() {
            if x.same(y) {
                continue;
            }
            d.same = false;
            let (relative, absolute) = distance(x, y);
            if d.at.is_none() || relative > d.relative {
                d.relative = relative;
                d.at = Some((leaf, i));
            }
            if absolute > 0.0 {
                let r = if largest > 0.0 {
                    absolute / largest
                } else {
                    f64::INFINITY
                };
                d.relative_to_largest = d.relative_to_largest.max(r);
            }
        }
    }
    Some(d)
}

/// Whether both are the same to the bit; false for functions.
pub fn same(a: &Value, b: &Value) -> bool {
    compare(a, b).is_some_and(|d| d.same)
}

fn distance(x: Num, y: Num) -> (f64, f64) {
    if let (Num::Int(x), Num::Int(y)) = (x, y) {
        let (x, y) = (i128::from(x), i128::from(y));
        let scale = x.abs().max(y.abs()).max(1);
        return ((x - y).abs() as f64 / scale as f64, (x - y).abs() as f64);
    }
    let (x, y) = (x.as_f64(), y.as_f64());
    if x == y {
        return (0.0, 0.0);
    }
    if !x.is_finite() || !y.is_finite() {
        return (f64::INFINITY, f64::INFINITY);
    }
    let d = (x - y).abs();
    (d / x.abs().max(y.abs()), d)
}

/// The numbers of each leaf.
fn collect(v: &Value, out: &mut Vec<Vec<Num>>) -> Option<()> {
    match v {
        Value::Fun(_) => None,
        Value::Pair(p) => {
            collect(&p.0, out)?;
            collect(&p.1, out)
        }
        _ => {
            let mut leaf = Vec::new();
            v.each_num(&mut |n| leaf.push(n));
            out.push(leaf);
            Some(())
        }
    }
}
