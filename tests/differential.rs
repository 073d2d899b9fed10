//! Random programs, kernels against the interpreter: at sizes at which a program has a meaning every bit of every target,
//! level, compiler and optimisation is the interpreter's, at all others the kernel refuses.
//!
//! `SEEDS=first,count cargo test --test all differential:: -- --ignored --nocapture` looks at more, and tells all that it
//! finds by kind. A seed gives the same programs, sizes, data and flags on every machine. `WAY='gcc avx512 off -O3 -mavx512f'`
//! makes them all in one way: compiler, target, level, flags.

use crate::common::cases::{count, FLAGS};
use crate::common::flow::Programs;
use crate::common::share;
use rise_opt::emit::{self, c_type};
use rise_opt::index::Level;
use rise_opt::intern::Symbol;
use rise_opt::interp::generate::{self, Generator};
use rise_opt::interp::random::{self, Numbers, Rng};
use rise_opt::interp::{buffers, compare, eval_program, InterpError, Shape, Sizes, Value};
use rise_opt::lower;
use rise_opt::nest::{Nest, Slot};
use rise_opt::target::Target;
use rise_opt::term::{normalize, Program};
use rise_opt::ty::Scalar;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::process::Command;

/// A program and its kernel.
struct Sample {
    seed: u64,
    program: Program,
    nest: Nest,
    runs: Vec<Run>,
}

struct Run {
    sizes: Sizes,
    inputs: Vec<Vec<u8>>,
    /// Why there is none, where the program has no meaning.
    expected: Result<Value, String>,
}

/// How a batch is made.
struct Way {
    target: Target,
    level: Level,
    compiler: &'static str,
    flags: Vec<&'static str>,
}

/// What is wrong, by kind.
type Findings = BTreeMap<&'static str, Vec<String>>;

#[derive(Default)]
struct Counts {
    programs: usize,
    not_lowered: usize,
    agreed: usize,
    refused: usize,
}

fn way(rng: &mut Rng, clang: bool) -> Way {
    let target = *rng.pick(&Target::ALL);
    let level = *rng.pick(&[Level::Full, Level::Full, Level::Fold, Level::Off]);
    // Sanitizers of clang are a package of their own.
    let sanitized = rng.one_in(6);
    let compiler = match clang && !sanitized && rng.one_in(3) {
        true => "clang",
        false => "gcc",
    };
    let mut flags = vec![
        "-fopenmp",
        *rng.pick(&["-O0", "-O1", "-O1", "-O2", "-O3", "-Os"]),
    ];
    if flags[1] == "-O3" && compiler == "gcc" && rng.one_in(2) {
        flags.push("-funroll-loops");
    }
    if sanitized {
        flags = vec![
            "-O1",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
            // What is read before it is written is no accidental zero.
            "-ftrivial-auto-var-init=pattern",
        ];
    }
    if compiler == "clang" {
        // What kernels say about that ends with them; here they are written into `main`.
        flags.push("-Wno-pass-failed");
    }
    match target.runs_here() {
        true => flags.extend(target.flags()),
        false => flags.extend(["-march=native", "-Wno-psabi"]),
    }
    Way {
        target,
        level,
        compiler,
        flags,
    }
}

/// The way that is asked for.
fn asked_way() -> Option<Way> {
    let text: &'static str = std::env::var("WAY").ok()?.leak();
    let mut words = text.split_whitespace();
    let compiler = words.next()?;
    let target = words.next()?;
    let level = words.next()?;
    Some(Way {
        target: Target::ALL.into_iter().find(|t| t.name() == target)?,
        level: [Level::Off, Level::Fold, Level::Full]
            .into_iter()
            .find(|l| format!("{l:?}").to_lowercase() == level)?,
        compiler,
        flags: words.collect(),
    })
}

fn options(rng: &mut Rng) -> generate::Options {
    let plain = generate::Options::default();
    let scalars = match rng.below(3) {
        0 => plain.scalars.clone(),
        1 => vec![*rng.pick(&Scalar::ALL), Scalar::F32],
        _ => Scalar::ALL.to_vec(),
    };
    generate::Options {
        scalars,
        fuel: rng.between(2, 7) as u32,
        symbolic: !rng.one_in(5),
        wide: true,
        ..plain
    }
}

fn sample(seed: u64, way: &Way, found: &mut Findings, counts: &mut Counts) -> Option<Sample> {
    let mut rng = Rng::new(seed);
    let kinds = options(&mut rng);
    let mut generator = Generator::new(&mut rng, kinds);
    let mut program = generator.program();
    let own = generator.sizes.clone();
    program.name = Symbol::new(&format!("p{seed}"));
    let tell = |found: &mut Findings, kind, what: String| {
        let text = format!("seed {seed}: {what}\n{program}");
        found.entry(kind).or_default().push(text);
    };
    counts.programs += 1;
    let mut reduced = program.clone();
    reduced.term = normalize(&program.term);
    let lowering = lower::Options {
        target: way.target,
        simplify: way.level,
        ..Default::default()
    };
    let nest = match catch_unwind(AssertUnwindSafe(|| lower::lower(&reduced, &lowering))) {
        Ok(Ok(nest)) => nest,
        Ok(Err(d)) if d.code.id == "E0702" => return None,
        Ok(Err(_)) => {
            counts.not_lowered += 1;
            return None;
        }
        Err(_) => {
            tell(found, "panic in lowering", String::new());
            return None;
        }
    };
    let mut tried = vec![own.clone()];
    if !own.is_empty() {
        let any = |rng: &mut Rng| rng.between(0, 6);
        tried.push(own.keys().map(|s| (*s, 0)).collect());
        tried.push(own.keys().map(|s| (*s, any(&mut rng))).collect());
        tried.push(own.keys().map(|s| (*s, any(&mut rng))).collect());
    }
    let mut runs = Vec::new();
    for sizes in tried {
        let numbers = *rng.pick(&[Numbers::Unit, Numbers::Whole, Numbers::Any]);
        let made = catch_unwind(AssertUnwindSafe(|| {
            run(&reduced, sizes.clone(), numbers, &mut rng)
        }));
        match made {
            Ok(Some(run)) => runs.push(run),
            Ok(None) => {}
            Err(_) => tell(found, "panic in the interpreter", format!("{sizes:?}")),
        }
    }
    Some(Sample {
        seed,
        program: reduced,
        nest,
        runs,
    })
}

/// None where nothing can be said.
fn run(program: &Program, sizes: Sizes, numbers: Numbers, rng: &mut Rng) -> Option<Run> {
    let args: Result<Vec<Value>, InterpError> = (program.params.iter())
        .map(|(_, ty)| random::value_of(rng, *ty, &sizes, numbers))
        .collect();
    let refused = |sizes, why: InterpError| {
        Some(Run {
            sizes,
            inputs: Vec::new(),
            expected: Err(why.to_string()),
        })
    };
    let args = match args {
        Ok(args) => args,
        Err(why) => return refused(sizes, why),
    };
    match eval_program(program, &sizes, &args) {
        Ok(value) => {
            let each = args
                .iter()
                .zip(&program.params)
                .flat_map(|(value, (_, ty))| {
                    let shape = Shape::of(*ty, &sizes).expect("shape");
                    buffers::to_buffers(value, &shape).expect("buffers")
                });
            Some(Run {
                inputs: each.map(|b| b.bytes).collect(),
                expected: Ok(value),
                sizes,
            })
        }
        Err(InterpError::Steps | InterpError::Memory | InterpError::Depth) => None,
        // An index of an input, of which there is none.
        Err(InterpError::Argument(_)) => None,
        Err(why) => refused(sizes, why),
    }
}

/// What a refused call may look at, in bytes.
const SPARE: i64 = 1 << 14;

fn driver(samples: &[Sample]) -> String {
    let mut c = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n\
         static void *get(FILE *f, size_t bytes)\n{\n    char *p = calloc(bytes + 1, 1);\n    \
         if (!p || (f && fread(p, 1, bytes, f) != bytes)) exit(90);\n    return p;\n}\n\n\
         static void put(int run, int status)\n{\n    int two[2] = {run, status};\n    fwrite(two, 4, 2, stdout);\n}\n\n",
    );
    let mut calls = String::new();
    let (mut number, mut offset) = (0, 0);
    for s in samples {
        for r in &s.runs {
            one_run(&mut c, number, s, r);
            let _ = writeln!(
                calls,
                "    if (first <= {number}) {{ fseek(f, {offset}, SEEK_SET); run{number}(f); fflush(stdout); }}"
            );
            number += 1;
            offset += r.inputs.iter().map(|b| b.len()).sum::<usize>();
        }
    }
    c + "int main(int argc, char **argv)\n{\n    if (argc < 3) return 91;\n    int first = atoi(argv[1]);\n    \
         FILE *f = fopen(argv[2], \"rb\");\n    if (!f) return 92;\n"
        + &calls
        + "    return 0;\n}\n"
}

fn one_run(c: &mut String, number: usize, s: &Sample, r: &Run) {
    let abi = &s.nest.abi;
    let file = if r.expected.is_ok() { "f" } else { "0" };
    let elements = |slot: &Slot| match r.expected {
        Ok(_) => count(slot, &r.sizes),
        Err(_) => SPARE / slot.elem.bytes() as i64,
    };
    let _ = writeln!(c, "static void run{number}(FILE *f)\n{{\n    (void)f;");
    let mut call = Vec::new();
    for (j, slot) in abi.outputs.iter().enumerate() {
        let (n, ty) = (elements(slot), c_type(slot.elem));
        let _ = writeln!(
            c,
            "    {ty} *o{j} = malloc({n} * sizeof({ty}) + 64); memset(o{j}, 0x5a, {n} * sizeof({ty}) + 64);"
        );
        call.push(format!("o{j}"));
    }
    call.extend(abi.sizes.iter().map(|s| r.sizes[s].to_string()));
    for (j, slot) in abi.inputs.iter().enumerate() {
        let (n, ty) = (elements(slot), c_type(slot.elem));
        let _ = writeln!(c, "    {ty} *i{j} = get({file}, {n} * sizeof({ty}));");
        let star = if slot.by_value { "*" } else { "" };
        call.push(format!("{star}i{j}"));
    }
    let _ = writeln!(
        c,
        "    int status = {}({});\n    put({number}, status);",
        abi.name,
        call.join(", ")
    );
    if r.expected.is_ok() {
        for (j, slot) in abi.outputs.iter().enumerate() {
            let (n, ty) = (elements(slot), c_type(slot.elem));
            let _ = writeln!(
                c,
                "    if (status == 0) {{\n        for (int g = 0; g < 64; g++) if (((char *)(o{j} + {n}))[g] != 0x5a) exit(93);\n        \
                 fwrite(o{j}, sizeof({ty}), {n}, stdout);\n    }}"
            );
        }
    }
    for j in 0..abi.outputs.len() {
        let _ = writeln!(c, "    free(o{j});");
    }
    for j in 0..abi.inputs.len() {
        let _ = writeln!(c, "    free(i{j});");
    }
    let _ = writeln!(c, "}}\n");
}

/// The program of these samples, without those that do not compile.
fn compiled(samples: &mut Vec<Sample>, way: &Way, dir: &Path, found: &mut Findings) -> bool {
    for _ in 0..20 {
        let nests: Vec<&Nest> = samples.iter().map(|s| &s.nest).collect();
        let text = emit::emit_all(&nests, &emit::Options::default()) + &driver(samples);
        let (source, exe) = (dir.join("kernels.c"), dir.join("kernels"));
        std::fs::write(&source, text).expect("write");
        let made = Command::new(way.compiler)
            .args(FLAGS)
            .args(&way.flags)
            .args([&source, Path::new("-o"), &exe, Path::new("-lm")])
            .output()
            .expect(way.compiler);
        if made.status.success() {
            return true;
        }
        let said = String::from_utf8_lossy(&made.stderr);
        let is = |s: &Sample| {
            let name = format!("p{}", s.seed);
            let named = |l: &str| {
                let quoted = ["‘", "'"]
                    .iter()
                    .any(|q| l.contains(&format!("function {q}{name}")));
                quoted || l.contains(&format!("int {name}("))
            };
            said.lines().any(named) || is_at_error(&said, &source, &name)
        };
        let bad: Vec<bool> = samples.iter().map(is).collect();
        let errors: Vec<&str> = said
            .lines()
            .filter(|l| l.contains("error"))
            .take(3)
            .collect();
        let mut kept = Vec::new();
        for (s, bad) in std::mem::take(samples).into_iter().zip(&bad) {
            match bad {
                true => {
                    let what = format!(
                        "seed {} {} {:?}: {}\n{}",
                        s.seed,
                        way.compiler,
                        way.flags,
                        errors.join("\n"),
                        s.program
                    );
                    found
                        .entry("C that does not compile")
                        .or_default()
                        .push(what);
                }
                false => kept.push(s),
            }
        }
        *samples = kept;
        if !bad.contains(&true) {
            found
                .entry("C that does not compile")
                .or_default()
                .push(said.into_owned());
            return false;
        }
    }
    false
}

/// Whether an error stands in the lines of a function: clang does not name it.
fn is_at_error(said: &str, source: &Path, name: &str) -> bool {
    let text = std::fs::read_to_string(source).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let path = source.display().to_string();
    said.lines().filter(|l| l.contains("error:")).any(|l| {
        let at = l
            .strip_prefix(&*path)
            .and_then(|r| r.split(':').nth(1)?.parse::<usize>().ok());
        let above = at.and_then(|at| {
            lines[..at.min(lines.len())]
                .iter()
                .rev()
                .find(|l| l.starts_with("int "))
        });
        above.is_some_and(|l| l.starts_with(&format!("int {name}(")))
    })
}

/// What is wrong with a run, with all that is needed to see it again.
fn finding((sample, run): (&Sample, &Run), way: &Way, what: &str) -> String {
    format!(
        "seed {} at {:?}, {} {:?} {:?} {:?}: {what}\n{}",
        sample.seed, run.sizes, way.compiler, way.target, way.level, way.flags, sample.program
    )
}

fn check(samples: &[Sample], way: &Way, dir: &Path, found: &mut Findings, counts: &mut Counts) {
    let runs: Vec<(&Sample, &Run)> = (samples.iter())
        .flat_map(|s| s.runs.iter().map(move |r| (s, r)))
        .collect();
    let input = dir.join("input");
    let bytes: Vec<u8> = runs.iter().flat_map(|r| r.1.inputs.concat()).collect();
    std::fs::write(&input, bytes).expect("write");
    let mut first = 0;
    while first < runs.len() {
        let done = Command::new(dir.join("kernels"))
            .args([first.to_string().as_ref(), input.as_os_str()])
            .env("OMP_NUM_THREADS", "2")
            .env("ASAN_OPTIONS", "detect_leaks=1")
            .output()
            .expect("run");
        let mut rest = &done.stdout[..];
        let mut next = first;
        while let Some((head, tail)) = rest.split_at_checked(8) {
            let number = |at: usize| i32::from_le_bytes(head[at..at + 4].try_into().expect("four"));
            let (sample, run) = runs[number(0) as usize];
            let status = number(4);
            rest = tail;
            next = number(0) as usize + 1;
            let mut tell = |kind, what: String| {
                let text = finding((sample, run), way, &what);
                found.entry(kind).or_default().push(text);
            };
            match (&run.expected, status) {
                (Err(why), 0) => tell("accepted without a meaning", why.clone()),
                (Err(_), _) => counts.refused += 1,
                (Ok(_), 0) => {}
                (Ok(_), _) => tell(
                    "refused with a meaning",
                    format!("returns {status}: {:?}", sample.nest.abi.assumptions),
                ),
            }
            let (Ok(expected), 0) = (&run.expected, status) else {
                continue;
            };
            let shape = Shape::of(sample.program.result, &run.sizes).expect("shape");
            let mut parts: Vec<&[u8]> = Vec::new();
            for slot in &sample.nest.abi.outputs {
                let bytes = count(slot, &run.sizes) as usize * slot.elem.bytes() as usize;
                let (part, more) = rest.split_at(bytes.min(rest.len()));
                parts.push(part);
                rest = more;
            }
            match buffers::from_buffers(&shape, &parts) {
                Ok(got) if compare::same(&got, expected) => counts.agreed += 1,
                Ok(got) => tell("another result", format!("{got:?} for {expected:?}")),
                Err(_) => break,
            }
        }
        if done.status.success() {
            break;
        }
        let next = next.min(runs.len() - 1);
        let (sample, run) = runs[next];
        let said = String::from_utf8_lossy(&done.stderr);
        let said: Vec<&str> = said
            .lines()
            .filter(|l| l.contains("rror"))
            .take(3)
            .collect();
        let what = format!("{} {}", done.status, said.join("\n"));
        let text = finding((sample, run), way, &what);
        found.entry("crash").or_default().push(text);
        first = next + 1;
    }
}

/// Programs of `per_batch` consecutive seeds share a C file.
fn differ(first: u64, count: u64, per_batch: u64) -> (Findings, Counts) {
    let clang = Command::new("clang").arg("--version").output().is_ok();
    let (mut found, mut counts) = (Findings::new(), Counts::default());
    let mut at = first;
    while at < first + count {
        let batch = per_batch.min(first + count - at);
        let way = asked_way().unwrap_or_else(|| way(&mut Rng::new(at ^ 0x5eed), clang));
        let all = (at..at + batch).filter_map(|seed| sample(seed, &way, &mut found, &mut counts));
        let mut samples: Vec<Sample> = all.collect();
        let dir = tempfile::tempdir().expect("a folder");
        if compiled(&mut samples, &way, dir.path(), &mut found) {
            check(&samples, &way, dir.path(), &mut found, &mut counts);
        }
        at += batch;
    }
    (found, counts)
}

fn report(found: &Findings, counts: &Counts) -> String {
    let mut text = format!(
        "{} programs, {} have no kernel; {} runs agree, {} are refused rightly\n",
        counts.programs, counts.not_lowered, counts.agreed, counts.refused
    );
    for (kind, all) in found {
        let _ = writeln!(text, "== {kind}: {}", all.len());
        for one in all.iter().take(12) {
            let _ = writeln!(text, "-- {one}");
        }
    }
    text
}

#[test]
fn kernels_agree_with_the_interpreter() {
    let (found, counts) = differ(1, share::half(250), 50);
    assert!(found.is_empty(), "{}", report(&found, &counts));
    let above = |n: usize, least: u64| n as u64 > share::half(least);
    let enough = above(counts.agreed, 300) && above(counts.refused, 20) && counts.not_lowered < 50;
    assert!(enough, "{}", report(&found, &counts));
}

/// Tells what it finds after each thousand.
#[test]
#[ignore]
fn more_kernels_agree_with_the_interpreter() {
    let text = std::env::var("SEEDS").unwrap_or_else(|_| "1000,1000".into());
    let numbers: Vec<u64> = text
        .split(',')
        .filter_map(|t| t.trim().parse().ok())
        .collect();
    let (first, count) = (numbers[0], numbers[1]);
    let mut wrong = 0;
    for at in (first..first + count).step_by(1000) {
        let (found, counts) = differ(at, 1000.min(first + count - at), 50);
        wrong += found.values().map(Vec::len).sum::<usize>();
        println!("from {at}: {}", report(&found, &counts));
    }
    assert_eq!(wrong, 0);
}
