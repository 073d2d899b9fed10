//! Children that run inputs, with limits.
//!
//! A child answers many inputs, one after the other; one that crashes, hangs or takes too much memory is replaced, and
//! the input that it had is what did it.

use super::targets::Target;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child as Process, ChildStdin, Command, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// KiB that a child may map: far more than what any input of a few KB needs.
const MEMORY: u32 = 6 << 20;

/// Inputs after which a child is replaced: names that were interned stay.
const INPUTS: u32 = 2_000;

/// Seconds of processor time for each KB of input, and the least. The tests are built with little optimisation, which
/// is some five times slower than the tool: this is the promise of a second for each KB.
const SECONDS_PER_KB: f64 = 6.0;
const SECONDS: f64 = 12.0;

/// Nothing is waited for longer, however busy the machine is.
const CLOCK: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub enum Answer {
    /// What was answered, as a word: inputs with the same word are of the same kind.
    Fine(String),
    /// A panic, or what does not hold.
    Wrong(String),
    /// The process ended: a stack overflow, or no memory.
    Dead(String),
    Slow,
}

impl Answer {
    /// Findings of one class have one cause, most likely.
    pub fn class(&self) -> String {
        match self {
            Answer::Fine(_) => "fine".to_string(),
            // The place, and the start of what is said, without numbers.
            Answer::Wrong(what) => {
                let line = what.lines().next().unwrap_or_default();
                let short: String = line
                    .chars()
                    .filter(|c| !c.is_ascii_digit())
                    .take(90)
                    .collect();
                let place = line.split_once(": ").map_or("", |p| p.0);
                match place.contains(".rs:") {
                    true => place.to_string(),
                    false => short,
                }
            }
            Answer::Dead(how) => format!("dead {how}"),
            Answer::Slow => "slow".to_string(),
        }
    }
}

pub struct Child {
    process: Process,
    input: ChildStdin,
    lines: Receiver<String>,
    left: u32,
}

impl Child {
    fn start(target: &Target) -> Child {
        let exe = std::env::current_exe().expect("this program");
        let mut process = limited(&exe)
            .args(["--worker", target.name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a child");
        let input = process.stdin.take().expect("piped");
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Child {
            process,
            input,
            lines,
            left: INPUTS,
        }
    }

    fn end(mut self) -> String {
        let _ = self.process.kill();
        match self.process.wait() {
            Ok(status) => status.to_string(),
            Err(e) => e.to_string(),
        }
    }
}

/// A command under the limit on memory.
pub fn limited(exe: &Path) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {MEMORY}; ulimit -c 0; exec \"$@\"");
    command.arg("-c").arg(script).arg("sh").arg(exe);
    command
}

/// The seconds that an input has.
pub fn allowed(input: &str) -> f64 {
    SECONDS.max(SECONDS_PER_KB * input.len() as f64 / 1024.0)
}

/// What a target says of an input.
pub fn ask(child: &mut Option<Child>, target: &Target, input: &str) -> Answer {
    if child.as_ref().is_some_and(|c| c.left == 0) {
        child.take().expect("just seen").end();
    }
    let c = child.get_or_insert_with(|| Child::start(target));
    c.left -= 1;
    let before = processor_time(c.process.id());
    let length = (input.len() as u32).to_le_bytes();
    let sent = (c.input.write_all(&length))
        .and_then(|()| c.input.write_all(input.as_bytes()))
        .and_then(|()| c.input.flush());
    let start = Instant::now();
    let limit = allowed(input);
    loop {
        let wait = match sent {
            Ok(()) => Duration::from_millis(500),
            Err(_) => Duration::from_secs(5),
        };
        match c.lines.recv_timeout(wait) {
            Ok(line) => {
                let text: String = serde_json::from_str(&line[1..]).unwrap_or_default();
                return match &line[..1] {
                    "+" => Answer::Fine(text),
                    _ => Answer::Wrong(text),
                };
            }
            Err(RecvTimeoutError::Timeout) => {
                let spent = processor_time(c.process.id()) - before;
                if spent > limit || start.elapsed() > CLOCK {
                    child.take().expect("there is one").end();
                    return Answer::Slow;
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let _ = c.process.wait();
                return Answer::Dead(child.take().expect("there is one").end());
            }
        }
    }
}

/// Seconds that a process and its threads have computed so far.
fn processor_time(id: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything.
    let behind = stat.rsplit_once(") ").map_or("", |s| s.1);
    let ticks = behind.split(' ').skip(11).take(2);
    let ticks: f64 = ticks.filter_map(|t| t.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// A command to its end: its exit code, and what it says of itself; `None` if it takes too long.
pub fn finish(mut command: Command, limit: f64) -> Option<(Option<i32>, String)> {
    let mut process = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child");
    let mut errors = process.stderr.take().expect("piped");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = (&mut errors).take(1 << 20).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let start = Instant::now();
    let mut wait = 2;
    loop {
        if let Ok(Some(status)) = process.try_wait() {
            return Some((status.code(), reader.join().unwrap_or_default()));
        }
        if processor_time(process.id()) > limit || start.elapsed() > CLOCK {
            let _ = process.kill();
            let _ = process.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(wait));
        wait = (wait * 2).min(200);
    }
}
