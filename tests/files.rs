//! What is written where, and what stays when a run is ended: streams, devices, pipes, endings, signals.
#![cfg(unix)]

use rustix::process::{kill_process, Pid, Signal};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = "def twice [n : nat] (xs : n.f32) : n.f32 =\n  xs |> map (\\x -> x + x)\n";
const RULES: &str = "rule fuse  map f (map g xs)  =>  map (\\x -> f (g x)) xs\n";
const SCALAR: &str = "domain scalar\n\nrule same x + 0 => x\n";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        place.put("p.rise", PROGRAM);
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut c = heeding_signals();
        c.args(args).current_dir(self.path()).env_remove("CC");
        c.env("NO_COLOR", "1").env("TMPDIR", self.path());
        c
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }
}

/// Whoever runs the tests may ignore signals, as a shell does for what it runs in the background, and children inherit
/// that: the program is started with all signals as they are by default, where `env` can do that.
fn heeding_signals() -> Command {
    let program = env!("CARGO_BIN_EXE_rise-opt");
    let defaults = "--default-signal=INT,TERM,HUP";
    let tried = Command::new("env")
        .args([defaults, "true"])
        .stderr(Stdio::null())
        .status();
    match tried.is_ok_and(|s| s.success()) {
        true => {
            let mut c = Command::new("env");
            c.args([defaults, program]);
            c
        }
        false => Command::new(program),
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// `/dev/stdout` is such a link; this one may be replaced without harm when the test fails.
#[test]
fn a_stream_of_the_process_is_written_and_not_replaced() {
    let place = Place::new();
    let link = place.path().join("link.c");
    symlink("/proc/self/fd/1", &link).unwrap();
    let mut out = File::create(place.path().join("out")).unwrap();
    out.write_all(b"// before\n").unwrap();
    let mut command = place.command(&["p.rise", "-o", "link.c", "--emit", "c,header"]);
    let ran = command.stdout(out).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", stderr(&ran));
    let text = place.read("out");
    assert!(text.starts_with("// before\n"), "{text}");
    assert!(text.contains("int twice("), "{text}");
    // The summary stands elsewhere.
    assert!(
        text.ends_with("#endif\n\n") || text.ends_with("#endif\n"),
        "{text}"
    );
    assert!(stderr(&ran).contains("kernel"), "{}", stderr(&ran));
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(place.names(), ["link.c", "out", "p.rise"]);
}

#[test]
fn a_pipe_with_a_name_takes_all_files() {
    let place = Place::new();
    let made = Command::new("mkfifo")
        .arg(place.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    let pipe = place.path().join("pipe");
    let reader = std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap());
    let ran = place.run(&["p.rise", "-o", "pipe", "--emit", "c,term"]);
    assert_eq!(ran.status.code(), Some(0), "{}", stderr(&ran));
    let text = reader.join().unwrap();
    assert!(
        text.contains("int twice(") && text.contains("def twice"),
        "{text}"
    );
    assert_eq!(place.names(), ["p.rise", "pipe"]);
}

/// Every subcommand that says something on standard output.
#[test]
fn what_could_not_be_printed_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let place = Place::new();
    place.put("r.rules", RULES);
    place.put("s.rules", SCALAR);
    let goal = ["programs/mm.rise", "--sketch", "sketches/mm/baseline.sk"];
    let emit = ["--emit", "record,proof", "-o", "mm.record.json"];
    let made = place.run(&[&goal[..], &emit[..]].concat());
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let compare = [
        "compare",
        "programs/mm.rise",
        "--goal",
        "sketches/mm/baseline.sk",
    ];
    for args in [
        &["p.rise", "-o", "-"][..],
        &["p.rise"],
        &["--help"],
        &["--version"],
        &["doctor"],
        &["simplify", "1+1"],
        &["prove", "1 == 1"],
        &["verify", "r.rules"],
        &["order", "s.rules"],
        &["check-proof", "mm.proof.json"],
        &["report", "mm.record.json", "-o", "-"],
        &["report", "mm.record.json"],
        &["explain", goal[0], goal[1], goal[2]],
        &["explain", goal[0], "--try", "map-fusion"],
        &[&compare[..], &["-o", "-"]].concat(),
    ] {
        let full = File::create("/dev/full").unwrap();
        let ran = place.command(args).stdout(full).output().unwrap();
        assert_eq!(ran.status.code(), Some(1), "{args:?}: {}", stderr(&ran));
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_output_quietly() {
    let place = Place::new();
    for args in [&["p.rise", "-o", "-"][..], &["doctor"], &["--help"]] {
        let mut command = place.command(args);
        let streams = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        drop(child.stdout.take());
        let ran = child.wait_with_output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{args:?}: {}", stderr(&ran));
        assert!(!stderr(&ran).contains("error"), "{}", stderr(&ran));
    }
}

#[test]
fn endings_say_what_is_written() {
    let place = Place::new();
    let both = place.run(&["p.rise", "-o", "k.h"]);
    assert_eq!(both.status.code(), Some(0), "{}", stderr(&both));
    assert_eq!(place.names(), ["k.c", "k.h", "p.rise"]);
    assert!(place.read("k.c").contains("#include \"k.h\""));
    assert!(!place.read("k.h").contains("#include \"k.h\""));
    let wrong = place.run(&["p.rise", "-o", "x.c", "--emit", "proof"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        stderr(&wrong).contains("-o x.proof.json"),
        "{}",
        stderr(&wrong)
    );
    assert_eq!(place.names().len(), 3);
}

#[test]
fn formatting_keeps_the_mode() {
    let place = Place::new();
    place.put("u.rise", "def f (x:f32):f32=x\n");
    let path = place.path().join("u.rise");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(place.run(&["fmt", "u.rise"]).status.code(), Some(0));
    assert_eq!(place.read("u.rise"), "def f (x : f32) : f32 = x\n");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits for the end; what standard error said meanwhile.
fn ended(mut child: Child, within: Duration) -> (Option<i32>, String) {
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > within {
            child.kill().unwrap();
            panic!("still there after {within:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let mut said = String::new();
    if let Some(mut pipe) = child.stderr.take() {
        pipe.read_to_string(&mut said).unwrap();
    }
    (status.code(), said)
}

/// A search that takes minutes, once it has begun.
fn searching(place: &Place) -> Child {
    let goal = ["programs/mm.rise", "--sketch", "sketches/mm/parallel.sk"];
    let more = [
        "--unguided",
        "--emit",
        "c,header,trace",
        "--progress",
        "plain",
    ];
    let mut command = place.command(&[&goal[..], &more].concat());
    let streams = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = streams.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.starts_with("step "), "{line}");
    child.stderr = Some(said.into_inner());
    child
}

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn an_interrupted_search_says_where_it_was() {
    let place = Place::new();
    let child = searching(&place);
    send(&child, Signal::INT);
    let (code, said) = ended(child, PATIENCE);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("error[E0613]"), "{said}");
    assert!(said.contains("e-nodes in"), "{said}");
    assert!(
        said.contains("its parts; how many classes satisfy each"),
        "{said}"
    );
    // What tells of a search that failed is there, and nothing else.
    assert_eq!(place.names(), ["mm.trace.json", "p.rise"]);
    assert!(place.read("mm.trace.json").contains("\"interrupted\""));
}

/// What was compared until somebody gave up is written; a goal whose search was ended half-way is not part of it.
#[test]
fn an_interrupted_comparison_keeps_the_goals_that_are_done() {
    let place = Place::new();
    let goals = [
        "done=sketches/mm/baseline.sk",
        "left=sketches/mm/parallel.sk",
    ];
    for done in [1, 0] {
        let mut args = vec!["compare", "programs/mm.rise", "--progress", "plain"];
        for goal in &goals[1 - done..] {
            args.extend(["--goal", goal]);
        }
        let mut command = place.command(&[&args[..], &["--time-limit", "600"]].concat());
        let streams = command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("step lower-5 (unguided), iteration 3") {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "it ended");
        }
        child.stderr = Some(said.into_inner());
        send(&child, Signal::INT);
        let (code, said) = ended(child, PATIENCE);
        assert_eq!(code, Some(130), "{said}");
        assert!(said.contains("error[E0613]"), "{said}");
        let goals = 1 + done;
        let how_far = format!("interrupted: {done} of {goals} goals are compared");
        assert!(said.contains(&how_far), "{said}");
        let csv = place.path().join("mm.comparison.csv");
        assert_eq!(csv.exists(), done > 0);
        if done > 0 {
            let text = std::fs::read_to_string(&csv).unwrap();
            assert!(text.contains("done") && !text.contains("left"), "{text}");
            std::fs::remove_file(csv).unwrap();
        }
    }
}

#[test]
fn a_search_that_is_terminated_or_interrupted_twice_ends_at_once() {
    let place = Place::new();
    let child = searching(&place);
    send(&child, Signal::TERM);
    let (code, said) = ended(child, PATIENCE);
    assert_eq!(code, Some(143), "{said}");
    assert!(said.contains("interrupted: step "), "{said}");
    let child = searching(&place);
    send(&child, Signal::INT);
    std::thread::sleep(Duration::from_millis(5));
    send(&child, Signal::INT);
    assert_eq!(ended(child, PATIENCE).0, Some(130));
}

/// Neither the folders that compilers work in, nor what compilers start, nor what they keep for a while.
#[test]
fn signals_leave_no_folder_and_no_child() {
    let place = Place::new();
    place.put(
        "cc",
        "#!/bin/sh\ncase $1 in --version) echo cc; exit;; esac\necho > $TMPDIR/kept\nsleep 1000 &\necho $! > child\nwait\n",
    );
    let cc = place.path().join("cc");
    std::fs::set_permissions(&cc, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let mut command = place.command(&["p.rise", "--run"]);
        let child = command
            .env("CC", &cc)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let pid = loop {
            let text = std::fs::read_to_string(place.path().join("child")).unwrap_or_default();
            if let Ok(pid) = text.trim().parse::<u32>() {
                break pid;
            }
            assert!(begun.elapsed() < PATIENCE, "the compiler was not started");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(place.names().len(), 4, "a folder to compile in");
        send(&child, signal);
        assert_eq!(ended(child, PATIENCE).0, Some(code));
        std::fs::remove_file(place.path().join("child")).unwrap();
        assert_eq!(place.names(), ["cc", "p.rise"]);
        // It may wait for somebody to reap it.
        let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let gone = || state().is_empty() || state().contains(") Z ");
        while !gone() {
            assert!(
                begun.elapsed() < PATIENCE,
                "the compiler's child lives: {}",
                state()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn programs_come_from_standard_input_and_pipes() {
    let place = Place::new();
    let fed = |args: &[&str], text: &str| {
        let mut command = place.command(args);
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = streams.stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        drop(stdin);
        child.wait_with_output().unwrap()
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ran = fed(&["-", "-o", "-"], PROGRAM);
    assert_eq!(ran.status.code(), Some(0), "{}", stderr(&ran));
    assert!(text(&ran.stdout).contains("int twice("));
    assert_eq!(fed(&["check", "-"], PROGRAM).status.code(), Some(0));
    let wrong = fed(
        &["check", "-", "--message-format", "short"],
        "def f (x : f32) : i32 = x\n",
    );
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        stderr(&wrong).starts_with("standard input:1:"),
        "{}",
        stderr(&wrong)
    );
    let laid = fed(&["fmt", "-"], "def f (x:f32):f32=x\n");
    assert_eq!(text(&laid.stdout), "def f (x : f32) : f32 = x\n");
    // What a shell makes of `<(…)`: the path of a pipe.
    let ran = fed(&["/dev/stdin", "-o", "-"], PROGRAM);
    assert_eq!(ran.status.code(), Some(0), "{}", stderr(&ran));
    let ran = fed(
        &["programs/mm.rise", "--sketch", "/dev/stdin", "-o", "-"],
        "step s\n  sketch ?\n",
    );
    assert!(!stderr(&ran).contains("E0007"), "{}", stderr(&ran));
    assert_eq!(place.names(), ["p.rise"]);
}

#[test]
fn a_command_with_a_slip_in_it_is_recognised() {
    let place = Place::new();
    for args in [
        &["verfy", "r.rules"][..],
        &["verfy"],
        &["ordr", "x"],
        &["chek-proof"],
    ] {
        let ran = place.run(args);
        assert!(matches!(ran.status.code(), Some(1 | 2)), "{args:?}");
        assert!(
            stderr(&ran).contains("did you mean `"),
            "{args:?}: {}",
            stderr(&ran)
        );
    }
}

/// What a search holds stays close to its limit, the pictures of its graph and the search for advice included.
#[test]
#[cfg(target_os = "linux")]
fn the_limit_on_memory_is_kept() {
    let place = Place::new();
    let goal = [
        "programs/mm.rise",
        "--sketch",
        "sketches/mm/parallel.sk",
        "--unguided",
    ];
    let limit = ["--memory-limit", "150M", "--emit", "trace"];
    let mut command = place.command(&[&goal[..], &limit].concat());
    let streams = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = streams.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let peak = std::thread::spawn(move || {
        let mut peak = 0;
        while let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
            let Some(line) = line else { break };
            peak = line.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
        peak
    });
    let (code, said) = ended(child, 10 * PATIENCE);
    assert_eq!(code, Some(3), "{said}");
    let peak = peak.join().unwrap() >> 10;
    assert!((100..=152).contains(&peak), "{peak} MiB of 150");
}

/// A search that nobody waits for ends at once, tells how far it came, and has its code.
#[test]
fn a_limit_of_no_time_ends_the_search() {
    let place = Place::new();
    let goal = ["programs/mm.rise", "--sketch", "sketches/mm/split.sk"];
    let mut command = place.command(&[&goal[..], &["--time-limit", "0"]].concat());
    let streams = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let (code, said) = ended(streams.spawn().unwrap(), PATIENCE);
    assert_eq!(code, Some(3), "{said}");
    for part in [
        "E0601",
        "the limit of 0 s ended the search",
        "how many classes satisfy each",
        "`--time-limit",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
