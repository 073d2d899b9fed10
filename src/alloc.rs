//! How much memory the process holds, in bytes.
//!
//! Comes in: nothing; goes out: what the allocator has handed out and not got back, the largest
//! resident set so far, and how much the machine lets us have. The memory limit of the search is
//! compared with [`allocated`], which is exact and does not depend on the system; [`peak`] is what a
//! user sees in `top`. A program that wants the count declares [`Jemalloc`] as its global allocator,
//! as the `rise-opt` binary does; under any other allocator the count is 0, and nothing is limited.
//!
//! Absent: limits and what happens when one is reached (`search`).

use std::sync::OnceLock;
use tikv_jemalloc_ctl::{epoch, epoch_mib, stats, thread};
pub use tikv_jemallocator::Jemalloc;

#[cfg(test)]
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

struct Counter {
    epoch: epoch_mib,
    allocated: stats::allocated_mib,
}

/// Bytes that live allocations hold; 0 when jemalloc is not the allocator. Takes some microseconds.
pub fn allocated() -> u64 {
    static COUNTER: OnceLock<Option<Counter>> = OnceLock::new();
    let counter = COUNTER.get_or_init(|| {
        if !in_use() {
            return None;
        }
        Some(Counter {
            epoch: epoch::mib().ok()?,
            allocated: stats::allocated::mib().ok()?,
        })
    });
    let Some(counter) = counter else {
        return 0;
    };
    // The statistics are a snapshot that only a new epoch refreshes.
    let _ = counter.epoch.advance();
    counter.allocated.read().unwrap_or(0) as u64
}

/// Whether an allocation moves jemalloc's counter: it is linked in any case.
fn in_use() -> bool {
    // Read through the library both times: the compiler takes for granted that an allocation
    // changes no memory it can see, and would reuse the first value.
    let count = || thread::allocatedp::read().map(|n| n.get()).unwrap_or(0);
    let before = count();
    drop(std::hint::black_box(vec![1u8; 1 << 16]));
    count() != before
}

/// The largest resident set of this process so far; 0 where the system does not tell.
pub fn peak() -> u64 {
    // Not getrusage: its maximum is inherited from the process that started this one.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(kib).unwrap_or(0)
}

/// Bytes of memory this process may use: the machine's, or less if its control group says so.
pub fn available() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let physical = meminfo.lines().find_map(|l| l.strip_prefix("MemTotal:"));
    let group = ["memory.max", "memory/memory.limit_in_bytes"]
        .iter()
        .filter_map(|f| std::fs::read_to_string(format!("/sys/fs/cgroup/{f}")).ok())
        // Without a limit the file says "max", or a number close to 2^63.
        .filter_map(|text| text.trim().parse::<u64>().ok());
    physical.and_then(kib).into_iter().chain(group).min()
}

/// The bytes of `  123 kB`.
fn kib(text: &str) -> Option<u64> {
    let number = text.split_whitespace().next()?;
    number.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Other tests allocate at the same time: only lower bounds hold.
    #[test]
    fn the_count_and_the_peak_see_a_large_block() {
        let block = std::hint::black_box(vec![1u8; 64 << 20]);
        assert!(allocated() >= 64 << 20);
        drop(block);
        if cfg!(target_os = "linux") {
            assert!(peak() >= 64 << 20);
            assert!(available().unwrap() > 64 << 20);
        }
    }
}
