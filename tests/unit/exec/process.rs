//! Of `exec::process`.

use rise_opt::exec::process::*;
use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

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

/// Compilers are scripts, and scripts leave things running.
#[test]
fn a_grandchild_that_holds_the_pipe_is_not_waited_for() {
    let begun = Instant::now();
    let r = run(&mut shell("echo out; sleep 60 &"), LIMIT).unwrap();
    assert_eq!((r.end, &*r.stdout), (End::Code(0), "out\n"));
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
}

#[test]
fn what_a_child_started_dies_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!(
        "cd {}; (sleep 1; echo late > late) & sleep 60",
        dir.path().display()
    );
    let r = run(&mut shell(&script), Duration::from_millis(200)).unwrap();
    assert!(matches!(r.end, End::TimeOut(_)));
    std::thread::sleep(Duration::from_millis(1300));
    assert!(!dir.path().join("late").exists());
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
