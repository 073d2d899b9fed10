//! What a signal that ends the process still has to do.
//!
//! In: whatever outlives a process that just ends: files under a passing name, temporary folders, children. Out: none of
//! them is left, and an exit code that names the signal. [`listen`] starts the thread that waits for SIGINT, SIGTERM and
//! SIGHUP. It cleans up and exits at once, but for a first SIGINT during [`gentle`] work, which sees [`asked`] and ends by
//! itself, with what it has. Invariants: what is noted is noted in the same breath as it is made, so that no signal comes
//! in between; without [`listen`] nothing is ever asked. Absent: what gentle work says when it ends.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is left when a process just ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Leftover {
    File(PathBuf),
    Folder(PathBuf),
    /// A child that leads a process group of its own.
    Group(u32),
}

static LEFT: Mutex<Vec<Leftover>> = Mutex::new(Vec::new());
static GENTLE: AtomicU32 = AtomicU32::new(0);
static ASKED: AtomicBool = AtomicBool::new(false);

fn left() -> MutexGuard<'static, Vec<Leftover>> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that a signal removes; when dropped, the owner has.
#[derive(Debug)]
pub struct Noted(Leftover);

impl Drop for Noted {
    fn drop(&mut self) {
        left().retain(|l| *l != self.0);
    }
}

/// Makes something and notes what would be left of it.
///
/// # Errors
/// Those of making it.
pub fn noted<T>(
    make: impl FnOnce() -> io::Result<T>,
    leaves: impl FnOnce(&T) -> Leftover,
) -> io::Result<(T, Noted)> {
    // A signal waits for this lock, and never gives it back.
    let mut left = left();
    let made = make()?;
    let leftover = leaves(&made);
    left.push(leftover.clone());
    Ok((made, Noted(leftover)))
}

/// Work that ends by itself soon after it is [`asked`] to.
#[derive(Debug)]
pub struct Gentle(());

pub fn gentle() -> Gentle {
    GENTLE.fetch_add(1, Ordering::SeqCst);
    Gentle(())
}

impl Drop for Gentle {
    fn drop(&mut self) {
        GENTLE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether gentle work is to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Gentle work has ended as it was asked to; what comes after it may go on.
pub fn obeyed() {
    ASKED.store(false, Ordering::SeqCst);
}

/// Kills a child's process group; what is gone already is no error.
pub fn kill_group(leader: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{kill_process_group, Pid, Signal};
        if let Some(pid) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// Ends the process as a signal does that nobody handles, but leaves nothing.
pub fn end(signal: i32) -> ! {
    let left = left();
    // Children first: they may still write into folders.
    let groups = left.iter().filter_map(|l| match l {
        Leftover::Group(leader) => Some(*leader),
        _ => None,
    });
    groups.for_each(kill_group);
    for leftover in left.iter() {
        let _ = match leftover {
            Leftover::File(path) => std::fs::remove_file(path),
            Leftover::Folder(path) => std::fs::remove_dir_all(path),
            Leftover::Group(_) => Ok(()),
        };
    }
    std::process::exit(128 + signal);
}

/// Begins to handle signals; `told` says on standard error that work was ended half-way.
pub fn listen(told: impl Fn() + Send + 'static) {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        // Who starts it with a signal ignored, as `nohup` does, wants it ignored.
        let ignored = ignored();
        let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter();
        let wanted = wanted.filter(|s| ignored & (1 << (s - 1)) == 0);
        let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else {
            return;
        };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let gentle = GENTLE.load(Ordering::SeqCst) > 0;
                if signal == SIGINT && gentle && !ASKED.swap(true, Ordering::SeqCst) {
                    continue;
                }
                told();
                end(signal);
            }
        });
    }
}

/// A bit for each signal that is ignored, as far as the system says so.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok())
        .unwrap_or(0)
}
