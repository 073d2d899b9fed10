//! What an implementation with numpy (tests/reference/programs.py) says of the shipped programs, as it is stored.
//!
//! Inputs are not stored: number i of leaf l is drawn from a hash of both, by the same formula as in that script.

use rise_opt::intern::Symbol;
use rise_opt::interp::{buffers, Elem, Num, Shape, Sizes, Value};
use rise_opt::term::Program;
use rise_opt::ty::Scalar;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;

#[derive(Serialize, Deserialize, PartialEq, Debug)]
pub struct Stored {
    /// Of each leaf of the parameters: between which numbers its elements are drawn.
    pub ranges: Vec<(f64, f64)>,
    /// How far a float may be off, as a part of the largest one, or of 1.
    pub tolerance: f64,
    pub cases: Vec<Expected>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
pub struct Expected {
    pub sizes: BTreeMap<String, i64>,
    /// The leaves of the result.
    pub expected: Vec<Vec<f64>>,
}

impl Expected {
    pub fn sizes(&self) -> Sizes {
        let all = self.sizes.iter();
        all.map(|(name, n)| (Symbol::new(name), *n)).collect()
    }
}

/// `image/harris` of `programs/image/harris.rise`.
pub fn name(path: &str) -> &str {
    let name = path.strip_prefix("programs/").unwrap_or(path);
    name.strip_suffix(".rise").unwrap_or(name)
}

impl Stored {
    /// Of a shipped program.
    pub fn of(path: &str) -> Stored {
        let file = format!("tests/reference/{}.json", name(path));
        let text = fs::read_to_string(&file).unwrap_or_else(|e| {
            panic!("{path} has no reference {file} ({e}): write one in tests/reference/programs.py")
        });
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"))
    }

    /// The arguments of a program at these sizes.
    pub fn arguments(&self, program: &Program, sizes: &Sizes) -> Vec<Value> {
        let mut number = 0;
        let mut arguments = Vec::new();
        for (_, ty) in &program.params {
            let shape = Shape::of(*ty, sizes).expect("sizes");
            let mut parts = Vec::new();
            for (elem, dims) in shape.leaves() {
                let count = dims.iter().map(|&d| u64::from(d)).product();
                let range = self.ranges.get(number).copied().unwrap_or((0.0, 0.0));
                parts.push(draw(number as u64, elem, count, range));
                number += 1;
            }
            arguments.push(buffers::from_buffers(&shape, &parts).expect("buffers"));
        }
        assert_eq!(number, self.ranges.len(), "{}: leaves", program.name);
        arguments
    }

    /// Where and how a value differs from what is stored.
    pub fn objection(&self, value: &Value, program: &Program, case: &Expected) -> Option<String> {
        let shape = Shape::of(program.result, &case.sizes()).expect("sizes");
        let mut all = Vec::new();
        let mut floats = Vec::new();
        value.each_num(&mut |n| {
            floats.push(!matches!(n, Num::Int(_)));
            all.push(n.as_f64());
        });
        let counts: Vec<usize> = (shape.leaves().iter())
            .map(|(_, dims)| dims.iter().map(|&d| d as usize).product())
            .collect();
        let stored: Vec<usize> = case.expected.iter().map(Vec::len).collect();
        if counts != stored {
            return Some(format!("{counts:?} numbers instead of {stored:?}"));
        }
        let mut at = 0;
        for (leaf, wanted) in case.expected.iter().enumerate() {
            let largest = wanted.iter().fold(1.0f64, |a, x| a.max(x.abs()));
            for (i, want) in wanted.iter().enumerate() {
                let may = if floats[at] {
                    self.tolerance * largest
                } else {
                    0.0
                };
                let off = (all[at] - want).abs();
                if off.is_nan() || off > may {
                    let got = all[at];
                    return Some(format!("number {i} of result {leaf} is {got}, not {want}"));
                }
                at += 1;
            }
        }
        None
    }
}

/// The elements of a leaf as bytes.
fn draw(leaf: u64, elem: Elem, count: u64, (low, high): (f64, f64)) -> Vec<u8> {
    let mut bytes = Vec::new();
    for i in 0..count {
        let bits = mix(leaf, i);
        let x = low + (high - low) * ((bits >> 40) as f64 / (1u64 << 24) as f64);
        let whole = |low: i64, high: i64| low + ((bits >> 11) % (high - low + 1) as u64) as i64;
        let integer = whole(low as i64, high as i64);
        match elem {
            Elem::Scalar(Scalar::F32) => bytes.extend((x as f32).to_ne_bytes()),
            Elem::Scalar(Scalar::F64) => bytes.extend(x.to_ne_bytes()),
            Elem::Idx(n) => bytes.extend(whole(0, i64::from(n.max(1)) - 1).to_ne_bytes()),
            Elem::Scalar(s) => match s.bytes() {
                1 => bytes.extend((integer as i8).to_ne_bytes()),
                2 => bytes.extend((integer as i16).to_ne_bytes()),
                4 => bytes.extend((integer as i32).to_ne_bytes()),
                _ => bytes.extend(integer.to_ne_bytes()),
            },
        }
    }
    bytes
}

/// The finalizer of splitmix64.
fn mix(leaf: u64, i: u64) -> u64 {
    let mut z = (leaf + 1).wrapping_mul(0xD134_2543_DE82_EF95);
    z = z.wrapping_add((i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
