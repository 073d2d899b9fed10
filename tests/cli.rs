//! The command line on bad input: each case ends with its exit code, says what is wrong, leaves the folder as it was.

mod told;

use rise_opt::target::Target;
use std::path::Path;
use std::process::{Command, Output};

/// A folder with files, and runs of the binary in it.
struct Place(tempfile::TempDir);

/// A run that ended.
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new(files: &[(&str, &[u8])]) -> Place {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        Place(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Names and contents, sorted.
    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let mut found: Vec<_> = std::fs::read_dir(self.path())
            .unwrap()
            .map(|e| e.unwrap().path())
            .map(|p| {
                let name = p.file_name().unwrap().to_string_lossy().into_owned();
                (name, std::fs::read(&p).unwrap_or_default())
            })
            .collect();
        found.sort();
        found
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut c = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        c.args(args)
            .current_dir(self.path())
            .env_remove("CC")
            .env("NO_COLOR", "1");
        c
    }

    fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    /// A run that must fail: its exit code, what its messages must say, nothing written.
    fn fails(&self, args: &[&str], code: i32, says: &[&str]) -> Ran {
        let before = self.contents();
        let ran = self.run(args);
        assert_eq!(ran.code, code, "{args:?}: {}{}", ran.stdout, ran.stderr);
        for text in says {
            assert!(
                ran.stderr.contains(text),
                "{args:?} does not say {text:?}: {}",
                ran.stderr
            );
        }
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("this is a bug"), "{}", ran.stderr);
        assert_eq!(self.contents(), before, "{args:?} left something behind");
        ran
    }
}

fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

const PROGRAM: &str = "def twice [n : nat] (xs : n.f32) : n.f32 =\n  xs |> map (\\x -> x + x)\n";

#[test]
fn files_that_are_no_programs() {
    let place = Place::new(&[
        ("empty.rise", b""),
        ("blank.rise", b" \n\n"),
        ("binary.rise", b"\x7fELF\0\0\x01"),
        ("latin.rise", b"-- caf\xe9\ndef f = 1"),
    ]);
    place.fails(&["missing.rise"], 1, &["E0001", "`missing.rise`"]);
    place.fails(&["programs/mmm.rise"], 1, &["E0001"]);
    place.fails(&["."], 1, &["E0002", "`.`"]);
    place.fails(&["empty.rise"], 1, &["E0003", "`empty.rise`"]);
    place.fails(&["blank.rise"], 1, &["E0003"]);
    place.fails(&["binary.rise"], 1, &["E0004", "byte 4"]);
    place.fails(&["latin.rise"], 1, &["E0005", "byte 6"]);
}

#[test]
fn several_errors_of_one_file_are_reported_together() {
    let text = "def f [n : nat] (xs : n.f32) : n.f32 = mpa (\\x -> x) xs\n\
                def g (x : f32) : f32 = ) x\n\
                def h (x : f32) : i32 = x\n";
    let place = Place::new(&[("bad.rise", text.as_bytes())]);
    place.fails(
        &["bad.rise"],
        1,
        &[
            "`mpa`",
            "did you mean `map`",
            "bad.rise:1:",
            "bad.rise:2:",
            "bad.rise:3:",
        ],
    );
    let short = place.fails(
        &["bad.rise", "--message-format", "short"],
        1,
        &["bad.rise:1:40: error["],
    );
    assert!(
        short.stderr.lines().all(|l| l.contains("bad.rise:")),
        "{}",
        short.stderr
    );
    let json = place.fails(&["bad.rise", "--message-format", "json"], 1, &[]);
    for line in json.stderr.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["exit"], 1);
        assert!(!value["spans"].as_array().unwrap().is_empty());
    }
}

#[test]
fn nesting_and_numbers_beyond_all_bounds() {
    let deep = format!(
        "def f (x : f32) : f32 = {}x{}\n",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let lambdas = format!("def f (x : f32) : f32 = {} x\n", "\\y ->".repeat(100_000));
    let size = "def f (xs : 99999999999999999999.f32) : f32 = 0.0\n";
    let product = format!(
        "def f (xs : ({}).f32) : f32 = 0.0\n",
        ["9000000000"; 5].join("*")
    );
    let place = Place::new(&[
        ("deep.rise", deep.as_bytes()),
        ("lambdas.rise", lambdas.as_bytes()),
        ("size.rise", size.as_bytes()),
        ("product.rise", product.as_bytes()),
    ]);
    place.fails(&["deep.rise"], 1, &["E0108", "deep.rise:1:"]);
    place.fails(&["lambdas.rise"], 1, &["lambdas.rise:1:"]);
    place.fails(&["size.rise"], 1, &["E0105", "size.rise:1:13"]);
    place.fails(&["product.rise"], 1, &["product.rise:1:"]);
}

#[test]
fn the_command_line_itself() {
    let place = Place::new(&[("p.rise", PROGRAM.as_bytes())]);
    place.fails(&[], 2, &["Usage"]);
    place.fails(&["p.rise", "--no-such-flag"], 2, &["--no-such-flag"]);
    place.fails(&["p.rise", "--set", "n=0"], 2, &["n must be at least 1"]);
    place.fails(
        &["p.rise", "--set", "n=99999999999999999999"],
        2,
        &["below 2^63"],
    );
    place.fails(&["p.rise", "--emit", "asm"], 2, &["asm"]);
    place.fails(&["p.rise", "--memory-limit", "many"], 2, &["is no unit"]);
    place.fails(&["p.rise", "check", "p.rise"], 2, &["before a command"]);
    place.fails(&["chekc"], 1, &["did you mean `check`?"]);
    place.fails(
        &["p.rise", "--entry", "twise"],
        1,
        &["`twise`", "did you mean `twice`"],
    );
}

#[test]
fn outputs_that_cannot_be_written() {
    let place = Place::new(&[("p.rise", PROGRAM.as_bytes())]);
    std::fs::create_dir(place.path().join("folder")).unwrap();
    place.fails(&["p.rise", "-o", "folder"], 1, &["E0901", "`folder`"]);
    place.fails(
        &["p.rise", "-o", "no/such/k.c"],
        1,
        &["E0901", "no/such/k.c"],
    );
    place.fails(&["p.rise", "-o", "p.rise"], 1, &["E0901", "is an input"]);
    place.fails(
        &["p.rise", "--emit", "header,term", "-o", "p.rise"],
        1,
        &["is an input"],
    );
}

#[test]
fn without_a_compiler_nothing_is_begun() {
    let place = Place::new(&[("p.rise", PROGRAM.as_bytes())]);
    for args in [&["p.rise", "--run"][..], &["doctor"]] {
        let output = place.command(args).env("PATH", "").output().unwrap();
        let ran = ran(output);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("E0801") && ran.stderr.contains("package `gcc`"),
            "{}",
            ran.stderr
        );
        assert_eq!(place.contents().len(), 1);
    }
    let output = place
        .command(&["doctor"])
        .env("CC", "no-such-compiler")
        .output()
        .unwrap();
    assert!(ran(output).stderr.contains("`no-such-compiler`"));
}

#[test]
fn doctor_tells_what_it_found() {
    let ran = Place::new(&[]).run(&["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for text in ["compiler", "-O3", "cores", "compiles and runs"] {
        assert!(ran.stdout.contains(text), "{}", ran.stdout);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::io::Read;
    use std::process::Stdio;
    let place = Place::new(&[]);
    let mut child = place
        .command(&["--help"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    child.wait().unwrap();
    assert!(!said.contains("bug"), "{said}");
}

/// What a sketch file needs to be read.
const SKETCH: &str =
    "import \"sketches/prelude.sk\"\nuse rules/algorithmic.rules (map-fusion, split-join[32])\n";

fn sketches(files: &[(&str, &str)]) -> Place {
    let mut all: Vec<(&str, Vec<u8>)> = vec![("p.rise", PROGRAM.into())];
    all.extend(
        files
            .iter()
            .map(|(n, t)| (*n, format!("{SKETCH}{t}\n").into_bytes())),
    );
    let all: Vec<(&str, &[u8])> = all.iter().map(|(n, t)| (*n, t.as_slice())).collect();
    Place::new(&all)
}

#[test]
fn names_in_sketches_that_are_not_known() {
    let place = sketches(&[
        ("primitive.sk", "sketch contains (app mapSeqq ?)"),
        ("definition.sk", "sketch containsMapp n ?"),
        ("size.sk", "sketch containsMap (nn/32) ?"),
        (
            "ruleset.sk",
            "use rules/algorithmic.rules (splitt[32, 4])\nsketch containsMap n ?",
        ),
        (
            "rule.sk",
            "use rules/algorithmic.rules (map-fushion)\nsketch containsMap n ?",
        ),
        (
            "file.sk",
            "use rules/algorithmik.rules\nsketch containsMap n ?",
        ),
        ("arguments.sk", "sketch containsMap n"),
        ("cost.sk", "cost siez\nsketch containsMap n ?"),
        ("none.sk", "-- no goal"),
    ]);
    let fails = |file: &str, says: &[&str]| {
        place.fails(&["p.rise", "--sketch", file], 1, says);
    };
    fails(
        "primitive.sk",
        &["primitive.sk:3:", "`mapSeqq`", "did you mean `mapSeq`"],
    );
    fails(
        "definition.sk",
        &["`containsMapp`", "did you mean `containsMap`"],
    );
    fails("size.sk", &["`nn`", "did you mean `n`"]);
    fails("ruleset.sk", &["`splitt`", "did you mean `split"]);
    fails("rule.sk", &["`map-fushion`", "did you mean `map-fusion`"]);
    fails("file.sk", &["E0001", "`rules/algorithmik.rules`"]);
    fails("arguments.sk", &["E0503", "containsMap"]);
    fails("cost.sk", &["`siez`", "did you mean `size`"]);
    fails("none.sk", &["E0505"]);
    place.fails(
        &["p.rise", "--sketch", "gone.sk"],
        1,
        &["E0001", "`gone.sk`"],
    );
    let set = [
        "p.rise",
        "--sketch",
        "sketches/mm/split.sk",
        "--set",
        "tle=16",
    ];
    place.fails(&set, 1, &["`m`"]);
    place.fails(
        &["p.rise", "--set", "m=16"],
        2,
        &["E0902", "`m`", "can be set: n"],
    );
}

#[test]
fn rules_that_are_refused() {
    let rules = [
        (
            "capture",
            "rule r\n  map (\\x -> f (g x)) xs => map f (map (\\y -> g x) xs)",
            "x",
        ),
        ("type", "rule r\n  map f xs => f xs", ""),
        ("unbound", "rule r\n  map f xs => map g xs", "`g`"),
        (
            "special",
            "rule r\n  map f xs => map (\\x -> f x + 1.0f32) xs",
            "",
        ),
    ];
    for (name, rule, says) in rules {
        let place = Place::new(&[
            ("p.rise", PROGRAM.as_bytes()),
            ("r.rules", rule.as_bytes()),
            ("s.sk", b"use r.rules\nsketch ?\n"),
        ]);
        let ran = place.fails(&["p.rise", "--sketch", "s.sk"], 1, &["r.rules:", says]);
        assert!(ran.stderr.contains("error["), "{name}: {}", ran.stderr);
        place.fails(&["check", "r.rules"], 1, &["r.rules:"]);
    }
}

#[test]
fn sketches_that_no_program_satisfies() {
    let place = sketches(&[
        ("type.sk", "sketch contains (app map ? ? : f32)"),
        ("size.sk", "sketch containsMap (n/0) ?"),
        ("fraction.sk", "sketch containsMap (1/2) ?"),
    ]);
    place.fails(
        &["p.rise", "--sketch", "type.sk"],
        1,
        &["E0504", "type.sk:3:"],
    );
    place.fails(&["p.rise", "--sketch", "size.sk"], 1, &["size.sk:3:"]);
    place.fails(
        &["p.rise", "--sketch", "fraction.sk"],
        1,
        &["fraction.sk:3:"],
    );
}

#[test]
fn goals_that_are_not_reached() {
    let place = sketches(&[("s.sk", "sketch containsMap (n/7) (containsMap 7 ?)")]);
    let mm = ["programs/mm.rise", "--sketch", "sketches/mm/split.sk"];
    let says = [
        "E0601",
        "limit of 1 iterations",
        "how many classes satisfy each",
        "e-nodes added by rules",
    ];
    place.fails(&[&mm[..], &["--iter-limit", "1"]].concat(), 3, &says);
    place.fails(
        &[&mm[..], &["--node-limit", "60"]].concat(),
        3,
        &["limit of 60 e-nodes"],
    );
    // Less than the process holds at its start: the search ends at once, and is not killed.
    let says = ["limit of 1.00 KB", "split.sk:"];
    place.fails(&[&mm[..], &["--memory-limit", "1K"]].concat(), 3, &says);
    // A search that would take gigabytes.
    let all = [
        "programs/mm.rise",
        "--sketch",
        "sketches/mm/parallel.sk",
        "--unguided",
    ];
    place.fails(
        &[&all[..], &["--memory-limit", "40M"]].concat(),
        3,
        &["limit of 40.0 MB"],
    );
    // Nothing splits by 7.
    let args = ["p.rise", "--sketch", "s.sk", "--iter-limit", "3"];
    place.fails(&args, 3, &["containsMap (n/7)", "✗ 0  "]);
}

#[test]
fn what_is_written_is_whole_and_says_who_made_it() {
    let place = Place::new(&[]);
    let args = [
        "programs/mm.rise",
        "--sketch",
        "sketches/mm/split.sk",
        "--emit",
        "c,header,term,nest,trace",
    ];
    let ran = place.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let names: Vec<String> = place.contents().into_iter().map(|(n, _)| n).collect();
    assert_eq!(
        names,
        ["mm.c", "mm.found.rise", "mm.h", "mm.nest", "mm.trace.json"]
    );
    for name in &names {
        assert!(ran.stdout.contains(name.as_str()), "{}", ran.stdout);
    }
    let text = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    assert!(text("mm.h").contains("rise-opt programs/mm.rise --sketch sketches/mm/split.sk"));
    assert!(text("mm.c").contains("#include \"mm.h\""));
    let trace: serde_json::Value = serde_json::from_str(&text("mm.trace.json")).unwrap();
    assert_eq!(trace["version"], 1);
    assert_eq!(trace["steps"][0]["stop"], "found");
    // The term is a program again, with the same meaning and so the same kernel.
    let again = place.run(&["mm.found.rise", "-o", "again.c"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    // Same input, same bytes.
    let first = place.contents();
    place.run(&args);
    let second = place.contents();
    for ((name, a), (_, b)) in first
        .iter()
        .zip(&second)
        .filter(|((n, _), _)| !n.ends_with(".json"))
    {
        assert_eq!(a, b, "{name} differs between two runs");
    }
}

#[test]
fn standard_output_takes_the_place_of_files() {
    let place = Place::new(&[("p.rise", PROGRAM.as_bytes())]);
    let ran = place.run(&["p.rise", "-o", "-", "--emit", "c"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("int twice("), "{}", ran.stdout);
    assert!(
        !ran.stdout.contains("#include \"twice.h\""),
        "it has to stand alone"
    );
    assert!(ran.stderr.contains("kernel"), "{}", ran.stderr);
    assert_eq!(place.contents().len(), 1);
}

#[test]
fn passes_are_listed_and_shown() {
    let place = Place::new(&[]);
    let listed = place.run(&["--passes"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    let names: Vec<&str> = (listed.stdout.lines())
        .filter(|l| !l.is_empty() && !l.starts_with(' '))
        .collect();
    assert_eq!((names[0], names.last()), ("dce", Some(&"size_guards")));
    let program = "programs/binomial.rise";
    let shown = |what: String| {
        let ran = place.run(&[program, "--plain", "--emit", &what, "-o", "-"]);
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
        ran.stdout
    };
    // What one pass leaves the next one finds; what the last leaves is what is printed.
    for pair in names.windows(2) {
        let after = shown(format!("nest-after={}", pair[0]));
        assert_eq!(after, shown(format!("nest-before={}", pair[1])));
        assert!(after.starts_with("nest binomial"), "{after}");
    }
    assert_eq!(shown("nest-after=size_guards".into()), shown("nest".into()));
    assert!(shown("nest-before=dce".into()) != shown("nest".into()));
    let unknown = [program, "--emit", "nest-after=nothing"];
    place.fails(&unknown, 2, &["there is no pass `nothing`", "--passes"]);
}

#[test]
fn a_full_disk_leaves_nothing_behind() {
    let place = Place::new(&[("p.rise", PROGRAM.as_bytes())]);
    if Path::new("/dev/full").exists() {
        place.fails(
            &["p.rise", "--emit", "c", "-o", "/dev/full"],
            1,
            &["E0901", "`/dev/full`"],
        );
    }
    // A file system of two pages, where the system lets us have one.
    std::fs::create_dir(place.path().join("disk")).unwrap();
    let script = "mount -t tmpfs -o size=8k none disk || exit 77; \
                  head -c 4096 /dev/zero > disk/other; \"$0\" p.rise -o disk/k.c; code=$?; ls -A disk; exit $code";
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_rise-opt")])
        .current_dir(place.path())
        .output();
    match output.map(ran) {
        Ok(ran) if ran.stderr.contains("E0901") || ran.code == 0 => {
            assert_eq!(ran.code, 1, "{}", ran.stderr);
            assert_eq!(ran.stdout, "other\n", "{}", ran.stderr);
        }
        _ => eprintln!("no file system can be mounted here; only /dev/full was tried"),
    }
}

/// What ends it cannot be caught; nothing lies beside the outputs, neither before nor after.
#[test]
fn a_run_that_is_killed_leaves_nothing() {
    use std::io::{BufRead, BufReader};
    let place = Place::new(&[]);
    let goal = ["programs/mm.rise", "--sketch", "sketches/mm/parallel.sk"];
    let long = [
        "--unguided",
        "--emit",
        "c,header,trace",
        "--report",
        "page.html",
    ];
    let args = [&goal[..], &long, &["--progress", "plain"]].concat();
    let mut command = place.command(&args);
    let streams = command
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped());
    let mut child = streams.spawn().unwrap();
    // The search has begun, so every output is known to be writable.
    let mut line = String::new();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    said.read_line(&mut line).unwrap();
    assert!(line.starts_with("step "), "{line}");
    assert!(child.try_wait().unwrap().is_none());
    assert_eq!(place.contents(), []);
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert_eq!(place.contents(), []);
}

/// No run has so long a record.
#[test]
fn a_record_that_is_too_long_is_said_to_be() {
    let place = Place::new(&[]);
    let long = std::fs::File::create(place.path().join("mm.record.json")).unwrap();
    long.set_len((16 << 20) + 1).unwrap();
    let ran = place.run(&["report", "mm.record.json"]);
    let says = "error[E0006]: `mm.record.json` has 16777217 bytes, more than 16 MiB";
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with(says), "{}", ran.stderr);
    assert!(!place.path().join("mm.html").exists());
}

#[test]
fn a_run_checks_and_measures() {
    let place = Place::new(&[("p.rise", PROGRAM.as_bytes())]);
    let ran = place.run(&["p.rise", "--run", "--seed", "5", "--set", "n=1000"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for text in [
        "kernel = interpreter at n=1000",
        "seed 5",
        "GFLOP/s",
        "unoptimised",
    ] {
        assert!(ran.stdout.contains(text), "no {text}: {}", ran.stdout);
    }
    let json = place.run(&[
        "p.rise",
        "--run",
        "--set",
        "n=1000",
        "--message-format",
        "json",
    ]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(value["run"]["flops"], 1000.0);
    assert_eq!(value["program"], "twice");
}

#[test]
#[cfg(unix)]
fn a_compiler_without_openmp_is_good_enough() {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\nfor a; do case $a in -fopenmp) echo 'no OpenMP' >&2; exit 1;; esac; done\nexec cc \"$@\"\n";
    let place = Place::new(&[
        ("p.rise", PROGRAM.as_bytes()),
        ("plain-cc", script.as_bytes()),
    ]);
    let compiler = place.path().join("plain-cc");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    for args in [&["doctor"][..], &["p.rise", "--run", "--set", "n=100"]] {
        let ran = ran(place.command(args).env("CC", &compiler).output().unwrap());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let says = ["W0811", "-fopenmp", "one thread"];
        assert!(
            says.iter().all(|s| ran.stderr.contains(s)),
            "{}",
            ran.stderr
        );
    }
}

/// A kernel says what it is for, and a plan keeps it. What is narrower than the machine runs.
#[test]
fn kernels_have_a_target() {
    let place = Place::new(&[]);
    let program = "programs/vector_add.rise";
    let narrow = ["--target", "portable", "--emit", "c,header,plan", "--run"];
    let ran = place.run(&[&[program, "--set", "n=1000"], &narrow[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    let header = read("vector_add.h");
    assert!(header.contains("target: portable"), "{header}");
    let again = ["--replay", "vector_add.plan.json", "-o", "again.c"];
    assert_eq!(place.run(&again).code, 0);
    assert_eq!(
        read("again.h").replace("again", ""),
        header.replace("vector_add.h", ".h")
    );
    // The plan says which one.
    place.fails(
        &[&again[..], &["--target", "avx2"]].concat(),
        2,
        &["--target"],
    );
    place.fails(
        &[program, "--target", "avx1024"],
        2,
        &["avx1024", "portable"],
    );
    // A wider one can be written, and only it can say whether it runs here.
    let wide = [program, "--target", "avx512", "-o", "wide.c"];
    assert_eq!(place.run(&wide).code, 0);
    assert!(read("wide.h").contains("-mavx512f"));
}

#[test]
fn a_rule_can_be_tried() {
    let rules = "rule twice\n  map f (map f xs)  =>  map (\\x -> f (f x)) xs\n";
    let place = Place::new(&[
        ("own.rules", rules.as_bytes()),
        ("twice.rise", PROGRAM.as_bytes()),
    ]);
    let tries = |args: &[&str], says: &[&str]| {
        let ran = place.run(&[&["explain", "--try"], args].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        for text in says {
            assert!(ran.stdout.contains(text), "no {text:?} in {}", ran.stdout);
        }
    };
    let mm = "programs/mm.rise";
    tries(
        &["split-join[32]", mm],
        &[
            "rule split-join[32] (rules/algorithmic.rules:",
            "map f xs  =>  join (map (map f) (split[32] xs))",
            "on the program mm, ",
            "applies at `a |> map",
            "the kernel will assume that 32 divides m",
        ],
    );
    // Sizes by name; the rules of a file of one's own.
    tries(&["split-join[k]", mm], &["assume that k divides n"]);
    tries(
        &["twice", "twice.rise", "--rules", "own.rules"],
        &["(own.rules:1)", "applies nowhere, 1 near miss"],
    );
    // On the term before a step, and in its graph; the sketch gives the sizes.
    let blocking = [mm, "--sketch", "sketches/mm/blocking.sk"];
    tries(
        &[&["split-join"], &blocking[..], &["--at", "split"]].concat(),
        &[
            "split-join[32]",
            "the term that step `split` starts from",
            "e-graph when step `split` ended",
        ],
    );
    tries(
        &[&["map-fission"], &blocking[..], &["--near", "1"]].concat(),
        &["step `reorder` starts from"],
    );
    let fails = |args: &[&str], code, says: &[&str]| {
        place.fails(&[&["explain", "--try"], args].concat(), code, says);
    };
    fails(
        &["split-jon", mm],
        1,
        &["E0404", "did you mean `split-join`"],
    );
    fails(&["split-join", mm], 1, &["E0306", "split-join[k]"]);
    fails(&["split-join[", mm], 1, &["error["]);
    fails(&["split-join[q]", mm], 1, &["`q`"]);
    fails(&["map-fusion", mm, "--at", "split"], 2, &["--sketch"]);
    fails(
        &[&["map-fusion"], &blocking[..], &["--at", "splt"]].concat(),
        2,
        &["E0607", "did you mean `split`"],
    );
    fails(&["map-fusion", "none.rise"], 1, &["E0001"]);
}

/// A kernel for a machine with wider registers is written here, but not run, however it is asked for.
#[test]
fn kernels_for_wider_machines_are_not_run() {
    // Which target is too wide for which machine, a test beside `Toolchain` asks for machines that this one is not.
    let Some(wide) = Target::ALL.into_iter().find(|t| !t.runs_here()) else {
        return;
    };
    let place = Place::new(&[]);
    let program = "programs/vector_add.rise";
    let for_it = [program, "--target", wide.name()];
    let says = [
        "E0651",
        "cannot be run on this machine",
        Target::native().name(),
    ];
    place.fails(&[&for_it[..], &["--run"]].concat(), 2, &says);
    place.fails(&[&["bench"], &for_it[..]].concat(), 2, &says);
    for (form, file) in [("c", "wide.c"), ("plan", "wide.plan.json")] {
        let written = place.run(&[&for_it[..], &["--emit", form, "-o", file]].concat());
        assert_eq!(written.code, 0, "{}", written.stderr);
    }
    place.fails(&["--replay", "wide.plan.json", "--run"], 2, &says);
    place.fails(&["bench", program, "wide.plan.json"], 2, &says);
}

/// `bench` compares before it times, and what is wrong ends it with nothing written.
#[test]
fn benches_that_fail_leave_nothing() {
    let c = |body: &str| {
        format!("#include <stdint.h>\nint vector_add(float *restrict out, int64_t n, const float *restrict a, const float *restrict b) {{ {body} return 0; }}\n")
    };
    let right = c("for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];");
    let wrong = c("for (int64_t i = 0; i < n; i++) out[i] = a[i] - b[i];");
    let crash = c("(void)a, (void)b, (void)n; *(volatile char *)0 = 1; out[0] = 1;");
    let other = "int vector_add(double *x) { return x == 0; }\n";
    let far = b"import \"sketches/prelude.sk\"\n\nsketch containsMapPar n ?\n";
    let place = Place::new(&[
        ("right.c", right.as_bytes()),
        ("wrong.c", wrong.as_bytes()),
        ("crash.c", crash.as_bytes()),
        ("other.c", other.as_bytes()),
        ("bad.json", b"{"),
        ("far.sk", far),
    ]);
    let bench = |more: &[&'static str]| {
        let all = ["bench", "programs/vector_add.rise"];
        let quick = ["--no-peers", "--samples", "1", "--pause", "0"];
        [&all[..], more, &quick].concat()
    };
    for (args, code, says) in [
        (&["wrong.c", "--size", "100"][..], 4, "E0807"),
        (&["crash.c", "--size", "100"], 4, "E0803"),
        (&["other.c", "--size", "100"], 1, "E0653"),
        (&["bad.json"], 1, "E0602"),
        (&["none.json"], 1, "E0001"),
        (&["picture.png"], 1, "E0008"),
        (&["right.c", "--size", "m=3"], 2, "E0654"),
        (&["right.c", "--size", "3x4"], 2, "E0654"),
        (&["right.c", "--size", "0"], 2, "at least 1"),
        (&["right.c", "--size", "9000000000000000000"], 2, "E0654"),
        (&["right.c", "right.c"], 2, "E0655"),
        (&["right.c", "--set", "tile=4"], 2, "E0902"),
        (&["right.c", "-o", "no/such/a.json"], 1, "E0901"),
        (&["right.c", "--threads", "0"], 2, "--threads"),
        // With the advice of the main job.
        (&["far.sk"], 3, "add to the step: `use rules/parallel.rules"),
    ] {
        place.fails(&bench(args), code, &[says]);
    }
    let ran = place.run(&bench(&["right.c", "--size", "100", "--size", "7"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("right") && ran.stdout.contains("n=7, 1 thread"),
        "{}",
        ran.stdout
    );
    for name in ["vector_add.measurement.json", "vector_add.measurement.svg"] {
        assert!(place.path().join(name).exists(), "{name}");
    }
}
