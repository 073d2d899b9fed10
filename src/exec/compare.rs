//! Whether two results agree.
//!
//! In: arrays of one type and length, and how many operations stand behind each number. Out: the
//! largest relative error and whether it can be rounding. Integers and truth values must be equal.
//! A float may differ from the other by rounding, which grows with the square root of the number of
//! operations (Higham, Accuracy and Stability, section 2.8: the statistical rule of thumb), and with their number where a
//! sum may be so large that it no longer sees what is added ([`explained`]); near 0
//! the error is taken relative to the mean magnitude of the array, because what cancels is not
//! exact in any order; with bounds of its own for each element it is [`within`]. Absent: which of the two is right.

use super::array::Array;
use crate::interp::Num;
use crate::ty::Scalar;
use serde::{Deserialize, Serialize};

/// What comparing gave.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The largest relative error of all elements.
    pub error: f64,
    /// The largest one that rounding explains.
    pub tolerance: f64,
    /// Where it is, if it is not 0.
    pub worst: Option<Worst>,
    /// Elements that were not compared, since rounding may make anything of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unbounded: u64,
}

/// What is said behind a comparison of numbers that were not compared.
pub fn not_compared(n: u64) -> String {
    match n {
        0 => String::new(),
        n => format!("; {n} numbers not compared, of which rounding may make anything"),
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The element that differs most.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worst {
    /// Which result, of a kernel with several.
    pub result: usize,
    pub index: usize,
    pub got: f64,
    pub want: f64,
}

impl Difference {
    pub fn agrees(&self) -> bool {
        self.error <= self.tolerance
    }

    /// The graver of two, the other one of equals; what neither compared was not compared.
    pub fn or(self, other: Difference) -> Difference {
        let unbounded = self.unbounded.saturating_add(other.unbounded);
        let gravity = |d: &Difference| d.error / d.tolerance.max(f64::MIN_POSITIVE);
        let graver = if gravity(&other) >= gravity(&self) {
            other
        } else {
            self
        };
        Difference {
            unbounded,
            ..graver
        }
    }
}

/// Compares all results; `operations` is how many stand behind one number.
pub fn compare(got: &[Array], want: &[Array], operations: f64) -> Difference {
    let mut all = Difference::default();
    if got.len() != want.len() {
        return different(0, 0);
    }
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        all = all.or(compare_one(i, g, w, operations));
    }
    all
}

/// Compares to the bit; NaN counts as one value. Nothing is tolerated.
pub fn identical(got: &[Array], want: &[Array]) -> Difference {
    if got.len() != want.len() {
        return different(0, 0);
    }
    for (result, (g, w)) in got.iter().zip(want).enumerate() {
        if g.scalar != w.scalar || g.bytes.len() != w.bytes.len() {
            return different(result, 0);
        }
        let size = g.scalar.bytes() as usize;
        let pairs = g.bytes.chunks(size).zip(w.bytes.chunks(size));
        let nan = |a: &Array, i| a.scalar.is_float() && a.number(i).is_nan();
        let mut wrong = pairs.enumerate().filter(|(_, (a, b))| a != b);
        if let Some((i, _)) = wrong.find(|(i, _)| !(nan(g, *i) && nan(w, *i))) {
            let (got, want) = (g.number(i), w.number(i));
            let error = ((got - want) / want).abs();
            return Difference {
                error: if error.is_finite() {
                    error.max(f64::MIN_POSITIVE)
                } else {
                    f64::INFINITY
                },
                tolerance: 0.0,
                worst: Some(Worst {
                    result,
                    index: i,
                    got,
                    want,
                }),
                unbounded: 0,
            };
        }
    }
    Difference::default()
}

/// Compares with values that have bounds, each with its own: integers and truth values must be equal, and so must what is
/// infinite or no number and has to be.
pub fn within(got: &[Array], want: &[Vec<Num>]) -> Difference {
    if got.len() != want.len() {
        return different(0, 0);
    }
    let mut all = Difference::default();
    for (result, (g, w)) in got.iter().zip(want).enumerate() {
        if g.len() != w.len() {
            return different(result, 0);
        }
        for (index, want) in w.iter().enumerate() {
            let (got, want, off) = match want {
                Num::Int(i) if g.int(index) == i128::from(*i) => continue,
                // As its type has it.
                Num::Int(i) if g.scalar == Scalar::U64 && g.int(index) == i128::from(*i as u64) => {
                    continue
                }
                Num::Bounded(b) => (g.number(index), b.value, b.bound()),
                n => (g.number(index), n.as_f64(), 0.0),
            };
            let apart = if got == want || got.is_nan() && want.is_nan() {
                0.0
            } else {
                (got - want).abs()
            };
            let apart = if apart.is_nan() { f64::INFINITY } else { apart };
            if off.is_infinite() {
                all.unbounded += 1;
                continue;
            }
            let scale = if want == 0.0 || !want.is_finite() {
                1.0
            } else {
                want.abs()
            };
            all = all.or(Difference {
                error: apart / scale,
                tolerance: off / scale,
                worst: Some(Worst {
                    result,
                    index,
                    got,
                    want,
                }),
                unbounded: 0,
            });
        }
    }
    all
}

fn different(result: usize, index: usize) -> Difference {
    let (got, want) = (f64::NAN, f64::NAN);
    Difference {
        error: f64::INFINITY,
        tolerance: 0.0,
        worst: Some(Worst {
            result,
            index,
            got,
            want,
        }),
        unbounded: 0,
    }
}

/// What rounding may make of a number of so many operations, relative to it.
fn explained(epsilon: f64, operations: f64) -> f64 {
    let random = epsilon * 16.0 * (1.0 + operations.sqrt());
    // From here on the last place of a sum of numbers of one sign is as large as what is added: each rounding may go the
    // same way, by half a place of the sum, which is half of the whole on average.
    let alike = match operations * epsilon > 0.25 {
        true => epsilon * operations / 4.0,
        false => 0.0,
    };
    random + alike
}

fn compare_one(result: usize, got: &Array, want: &Array, operations: f64) -> Difference {
    if got.scalar != want.scalar || got.len() != want.len() {
        return different(result, 0);
    }
    let n = got.len();
    let float = got.scalar.is_float();
    let epsilon = match got.scalar.bytes() {
        _ if !float => 0.0,
        2 if got.scalar == Scalar::F16 => 2f64.powi(-10),
        2 => 2f64.powi(-7),
        4 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    let mut d = Difference {
        error: 0.0,
        tolerance: explained(epsilon, operations.max(0.0)),
        worst: None,
        unbounded: 0,
    };
    let finite = (0..n)
        .map(|i| want.number(i).abs())
        .filter(|x| x.is_finite());
    let mean = if float {
        finite.sum::<f64>() / n.max(1) as f64
    } else {
        0.0
    };
    for i in 0..n {
        let (g, w) = (got.number(i), want.number(i));
        let error = match float {
            false if got.int(i) == want.int(i) => 0.0,
            false => f64::INFINITY,
            true if g == w || (g.is_nan() && w.is_nan()) => 0.0,
            true if g.is_finite() && w.is_finite() => (g - w).abs() / w.abs().max(mean),
            true => f64::INFINITY,
        };
        if error > d.error {
            d.error = error;
            d.worst = Some(Worst {
                result,
                index: i,
                got: g,
                want: w,
            });
        }
    }
    d
}
