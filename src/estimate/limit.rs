//! What a machine allows at most: the roofline of a program.
//!
//! In: operations and bytes of arguments and results of a call, lanes, a machine. Out: the least cycles that any kernel takes, and
//! what it is that takes them. Every element comes once, from the cache that can hold them all or else from memory; in every cycle each thread
//! multiplies and adds two vectors. Invariant: counts alone, as in an estimate, so that both may be compared. Absent: measured rates.

use super::Machine;
use serde::{Deserialize, Serialize};

/// Vector operations in a cycle, each of which may be a multiplication and an addition.
const AT_ONCE: f64 = 4.0;

/// Of what there is not more.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    Compute,
    Memory,
}

/// The lower bound of the cycles of a call.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Limit {
    pub bound: Bound,
    pub cycles: f64,
    /// Operations or bytes in a cycle, of all threads.
    pub rate: f64,
}

/// The limit of a call with so many operations, on numbers of which a vector has so many, and so many bytes.
pub fn limit(operations: f64, lanes: u32, bytes: f64, machine: &Machine) -> Limit {
    let rate = AT_ONCE * f64::from(lanes) * machine.threads;
    let compute = Limit {
        bound: Bound::Compute,
        cycles: operations / rate,
        rate,
    };
    // The last cache that is too small says how fast they come from behind it.
    let small = machine.caches.iter().rev().find(|(size, _)| *size < bytes);
    let Some((size, each)) = small else {
        return compute;
    };
    let is_memory = machine.caches.last().is_some_and(|last| last.0 == *size);
    let together = match is_memory {
        true => machine.shared,
        // Each thread has caches of its own.
        false => machine.threads,
    };
    let rate = together / each;
    let memory = Limit {
        bound: Bound::Memory,
        cycles: bytes / rate,
        rate,
    };
    match memory.cycles > compute.cycles {
        true => memory,
        false => compute,
    }
}
