//! How much memory the process holds, in bytes.
//!
//! Comes in: nothing; goes out: what the allocator has handed out and not got back, the largest
//! resident set now and so far, and how much the machine lets us have. [`allocated`] is exact and does
//! not depend on the system: what a search is said to take. The memory limit of the search is compared
//! with [`held`], which is what a user sees in `top` and what a control group counts. A program that wants the count declares [`Jemalloc`] as its global allocator,
//! as the `rise-opt` binary does; under any other allocator the count is 0, and nothing is limited.
//!
//! Absent: limits and what happens when one is reached (`search`).

use std::sync::OnceLock;
use tikv_jemalloc_ctl::{epoch, epoch_mib, stats, thread};
pub use tikv_jemallocator::Jemalloc;

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

/// Bytes of memory that the process holds: its resident set, in which there is also what the allocator keeps for the next
/// allocations; what is allocated where the system does not tell.
pub fn held() -> u64 {
    of_this_process("VmRSS:").unwrap_or(0).max(allocated())
}

/// The largest resident set of this process so far; 0 where the system does not tell.
pub fn peak() -> u64 {
    // Not getrusage: its maximum is inherited from the process that started this one.
    of_this_process("VmHWM:").unwrap_or(0)
}

fn of_this_process(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kib(status.lines().find_map(|l| l.strip_prefix(field))?)
}

/// Bytes of memory this process may use: the machine's, or less if a control group says so in which it stands.
pub fn available() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let physical = meminfo.lines().find_map(|l| l.strip_prefix("MemTotal:"));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let file = |path: &str| std::fs::read_to_string(format!("/proc/self/root{path}")).ok();
    let group = group_limit(&groups, &mounts, file);
    physical.and_then(kib).into_iter().chain(group).min()
}

/// The least limit of the control groups around a process, of both versions, from its own to the outermost one in sight.
/// `groups` and `mounts` are `cgroup` and `mountinfo` as the system shows them; `read` reads a file.
pub fn group_limit(
    groups: &str,
    mounts: &str,
    read: impl Fn(&str) -> Option<String>,
) -> Option<u64> {
    let mut least = None;
    for line in groups.lines() {
        // `4:memory:/own`, and `0::/own` in the one hierarchy of version 2.
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(own)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (kind, file) = match controllers {
            "" => ("cgroup2", "memory.max"),
            _ => ("cgroup", "memory.limit_in_bytes"),
        };
        let memory = |list: &str| list.split(',').any(|c| c == "memory");
        if kind == "cgroup" && !memory(controllers) {
            continue;
        }
        for mount in mounts.lines() {
            // `35 31 0:32 ROOT POINT rw - KIND SOURCE OPTIONS`
            let Some((place, system)) = mount.split_once(" - ") else {
                continue;
            };
            let system: Vec<&str> = system.split(' ').collect();
            let place: Vec<&str> = place.split(' ').collect();
            let [_, _, _, root, point, ..] = place[..] else {
                continue;
            };
            let options = system.get(2).copied().unwrap_or("");
            if system[0] != kind || kind == "cgroup" && !memory(options) {
                continue;
            }
            // Of a part of the hierarchy only what is inside can be seen.
            let inside = own.strip_prefix(root.trim_end_matches('/')).unwrap_or("");
            let mut inside = inside.trim_end_matches('/');
            loop {
                // Without a limit the file says "max", or a number close to 2^63.
                let limit = read(&format!("{point}{inside}/{file}"));
                let limit = limit.and_then(|text| text.trim().parse::<u64>().ok());
                least = least.into_iter().chain(limit).min();
                let Some(outer) = inside.rfind('/') else {
                    break;
                };
                inside = &inside[..outer];
            }
        }
    }
    least
}

/// The bytes of `  123 kB`.
fn kib(text: &str) -> Option<u64> {
    let number = text.split_whitespace().next()?;
    number.parse::<u64>().ok()?.checked_mul(1024)
}
