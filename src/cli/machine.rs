//! What this machine is, as far as it says so.
//!
//! In: the system. Out: names and numbers for records; empty or 0 where the system is silent. Absent: whether that
//! suffices (`doctor`).

use crate::alloc;
use crate::report::record::Machine;

pub fn here() -> Machine {
    Machine {
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        processor: processor().unwrap_or_default(),
        cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
        memory: alloc::available().unwrap_or(0),
    }
}

/// As Linux names it.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}
