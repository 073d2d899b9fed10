//! Child processes that may fail, hang or die, and never take us along.
//!
//! In: a command and a time limit. Out: what it printed and how it ended, or a conversation with it
//! by lines. Invariant: a child that is no longer wanted is killed and reaped, also when a value is
//! dropped half-way; no call here waits longer than its limit.
//!
//! Absent: which commands are run, and what their ends mean (`toolchain`, `kernel`).

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Text that a child may print before the rest is thrown away.
const MAX_TEXT: u64 = 1 << 20;

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
    let mut child = Guard(command.spawn()?);
    let stdout = child.0.stdout.take().map(collect);
    let stderr = child.0.stderr.take().map(collect);
    let end = child.wait(limit)?;
    // A killed compiler may leave a grandchild that holds the pipes: what it says is not waited for.
    let text = |t: Option<JoinHandle<String>>| match (&end, t) {
        (End::TimeOut(_), _) | (_, None) => String::new(),
        (_, Some(t)) => t.join().unwrap_or_default(),
    };
    let (stdout, stderr) = (text(stdout), text(stderr));
    Ok(Finished {
        end,
        stdout,
        stderr,
    })
}

fn collect(stream: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut stream = stream;
        let _ = stream.by_ref().take(MAX_TEXT).read_to_end(&mut bytes);
        let _ = io::copy(&mut stream, &mut io::sink());
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Kills and reaps its child when dropped.
struct Guard(Child);

impl Guard {
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
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A child that is spoken to by lines.
pub struct Dialog {
    child: Guard,
    to: Option<ChildStdin>,
    from: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
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
        let mut child = Guard(command.spawn()?);
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
                    (_, Some(t)) => t.join().unwrap_or_default(),
                };
                Err(Broken { end, stderr })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> Command {
        let mut c = Command::new("sh");
        c.args(["-c", script]);
        c
    }

    #[test]
    fn every_end_is_told() {
        let r = run(&mut shell("echo out; echo err >&2; exit 3"), LIMIT).unwrap();
        assert_eq!(r.end, End::Code(3));
        assert_eq!((&*r.stdout, &*r.stderr), ("out\n", "err\n"));
        let r = run(&mut shell("kill -11 $$"), LIMIT).unwrap();
        assert_eq!(r.end, End::Signal(11));
        let short = Duration::from_millis(50);
        let r = run(&mut shell("exec sleep 60"), short).unwrap();
        assert_eq!(r.end, End::TimeOut(short));
        let none = run(&mut Command::new("./no-such-program"), LIMIT);
        assert_eq!(none.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_dialog_answers_until_it_breaks() {
        let script =
            "while read x; do case $x in q) exit 5;; h) sleep 60;; *) echo got $x;; esac; done";
        let mut d = Dialog::start(&mut shell(script)).unwrap();
        assert_eq!(d.ask("a", LIMIT).unwrap(), "got a");
        assert_eq!(d.ask("q", LIMIT).unwrap_err().end, End::Code(5));
        let mut d = Dialog::start(&mut shell(script)).unwrap();
        let short = Duration::from_millis(50);
        assert_eq!(d.ask("h", short).unwrap_err().end, End::TimeOut(short));
    }
}
