//! Child processes that may fail, hang or die, and never take us along.
//!
//! In: a command and a time limit. Out: what it printed and how it ended, or a conversation with it
//! by lines. Invariant: a child that is no longer wanted is killed and reaped, with whatever it started, also when a
//! value is dropped half-way or a signal ends the process; no call here waits longer than its limit and a breath.
//!
//! Absent: which commands are run, and what their ends mean (`toolchain`, `kernel`).

use crate::interrupt::{self, Leftover, Noted};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Text that a child may print before the rest is thrown away.
const MAX_TEXT: usize = 1 << 20;

/// What a pipe is waited for that outlives its child.
const BREATH: Duration = Duration::from_millis(500);

/// How a child ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// It returned this code.
    Code(i32),
    /// The system stopped it by this signal.
    Signal(i32),
    /// It did not end within the limit, and was killed.
    TimeOut(Duration),
}

impl End {
    fn of(status: ExitStatus) -> End {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return End::Signal(signal);
        }
        End::Code(status.code().unwrap_or(-1))
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            End::Code(c) => write!(f, "it returned {c}"),
            End::Signal(s) => match signal_name(*s) {
                Some(name) => write!(f, "it was stopped by signal {s} ({name})"),
                None => write!(f, "it was stopped by signal {s}"),
            },
            End::TimeOut(limit) => write!(f, "it did not end within {} s", limit.as_secs()),
        }
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        4 => "illegal instruction",
        6 => "abort",
        7 => "bus error",
        8 => "arithmetic error",
        9 => "killed, perhaps for its memory",
        11 => "segmentation fault",
        24 => "processor time used up",
        _ => return None,
    })
}

/// A finished child.
#[derive(Clone, Debug)]
pub struct Finished {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end, without input.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Finished> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Guard::start(command)?;
    let stdout = child.0.stdout.take().map(collect);
    let stderr = child.0.stderr.take().map(collect);
    let end = child.wait(limit)?;
    let text = |said: Option<Said>| said.map_or(String::new(), |s| s.text(&child));
    let (stdout, stderr) = match end {
        End::TimeOut(_) => (String::new(), String::new()),
        _ => (text(stdout), text(stderr)),
    };
    Ok(Finished {
        end,
        stdout,
        stderr,
    })
}

/// What a child prints, as it comes.
struct Said {
    text: Arc<Mutex<Vec<u8>>>,
    /// Is closed when the pipe is.
    closed: Receiver<()>,
}

fn collect(mut stream: impl Read + Send + 'static) -> Said {
    let text = Arc::new(Mutex::new(Vec::new()));
    let (close, closed) = mpsc::channel();
    let into = Arc::clone(&text);
    std::thread::spawn(move || {
        let _close: mpsc::Sender<()> = close;
        let mut piece = [0; 1 << 13];
        while let Ok(n @ 1..) = stream.read(&mut piece) {
            let mut text = into.lock().unwrap_or_else(PoisonError::into_inner);
            let room = MAX_TEXT.saturating_sub(text.len());
            text.extend_from_slice(&piece[..n.min(room)]);
        }
    });
    Said { text, closed }
}

impl Said {
    /// All that an ended child said. A grandchild may hold the pipe: it gets a breath, then is killed, and one that cannot
    /// be is not waited for.
    fn text(&self, child: &Guard) -> String {
        if let Err(RecvTimeoutError::Timeout) = self.closed.recv_timeout(BREATH) {
            interrupt::kill_group(child.0.id());
            let _ = self.closed.recv_timeout(BREATH);
        }
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Kills and reaps its child, and what that started, when dropped.
struct Guard(Child, #[allow(dead_code)] Noted);

impl Guard {
    fn start(command: &mut Command) -> io::Result<Guard> {
        // A group of its own, so that it can be killed with whatever it starts.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let (child, noted) = interrupt::noted(|| command.spawn(), |c| Leftover::Group(c.id()))?;
        Ok(Guard(child, noted))
    }

    fn wait(&mut self, limit: Duration) -> io::Result<End> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(End::of(status));
            }
            if start.elapsed() >= limit {
                return Ok(End::TimeOut(limit));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Who was waited for is gone, and its number may be somebody else's.
        if let Ok(None) = self.0.try_wait() {
            interrupt::kill_group(self.0.id());
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

/// A child that is spoken to by lines.
pub struct Dialog {
    child: Guard,
    to: Option<ChildStdin>,
    from: Receiver<String>,
    stderr: Option<Said>,
}

/// What came instead of an answer.
#[derive(Clone, Debug)]
pub struct Broken {
    pub end: End,
    pub stderr: String,
}

impl Dialog {
    pub fn start(command: &mut Command) -> io::Result<Dialog> {
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Guard::start(command)?;
        let to = child.0.stdin.take();
        let stderr = child.0.stderr.take().map(collect);
        let (send, from) = mpsc::channel();
        if let Some(stdout) = child.0.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines() {
                    let Ok(line) = line else { break };
                    if send.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Dialog {
            child,
            to,
            from,
            stderr,
        })
    }

    /// Says a line and waits for the one that answers it.
    pub fn ask(&mut self, line: &str, limit: Duration) -> Result<String, Broken> {
        if let Some(to) = &mut self.to {
            // A child that died closes its end; how it died is found out below.
            let _ = writeln!(to, "{line}").and_then(|()| to.flush());
        }
        match self.from.recv_timeout(limit) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => Err(Broken {
                end: End::TimeOut(limit),
                stderr: String::new(),
            }),
            Err(RecvTimeoutError::Disconnected) => {
                let grace = Duration::from_secs(5);
                let end = self.child.wait(grace).unwrap_or(End::Code(-1));
                let stderr = match (&end, self.stderr.take()) {
                    (End::TimeOut(_), _) | (_, None) => String::new(),
                    (_, Some(said)) => said.text(&self.child),
                };
                Err(Broken { end, stderr })
            }
        }
    }
}
