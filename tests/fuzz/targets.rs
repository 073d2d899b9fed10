//! What is fuzzed: for each language where inputs come from, how they are mutated, and what has to hold.

use super::seeds::Seeds;
use super::{child, common, json, mutate};
use rise_opt::cost::Cost;
use rise_opt::ctext::{self, Texts, Verdict};
use rise_opt::diag::{render, Diagnostic, Format};
use rise_opt::driver::certificate;
use rise_opt::elab::{self, Limits, RuleUse, Surroundings};
use rise_opt::index::Level;
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{self, Sizes};
use rise_opt::nest::Nest;
use rise_opt::proof;
use rise_opt::report::kernel_certificate::KernelCertificate;
use rise_opt::report::loops::LoopsFile;
use rise_opt::report::saved::{self, Kind};
use rise_opt::report::{
    comparison, html, measurement, CertificateFile, Comparison, Plan, ProofFile, Record, TraceFile,
    Verification,
};
use rise_opt::scalar::{self, Expr, Node};
use rise_opt::simplify::{Book, Simplifier};
use rise_opt::source::SourceMap;
use rise_opt::syntax::{parse, print, Dialect};
use rise_opt::target::Target as Machine;
use rise_opt::term::Program;
use rise_opt::{emit, lower, search, term, termination, verify};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::sync::Mutex;

/// Names the folder with a file of each kind, for children.
pub const FOLDER: &str = "RISE_OPT_FUZZ_FOLDER";

pub struct Target {
    pub name: &'static str,
    pub what: &'static str,
    pub seeds: fn(&Seeds) -> Vec<String>,
    pub mutate: fn(&[String], &Seeds, &mut Rng) -> String,
    /// What kind of answer there is; panics if something does not hold.
    check: fn(&str) -> String,
}

pub static TARGETS: [Target; 8] = [
    Target {
        name: "program",
        what: "programs: checked, printed, evaluated, lowered, emitted",
        seeds: |s| s.programs.clone(),
        mutate: by_tokens,
        check: program,
    },
    Target {
        name: "rules",
        what: "rules over arrays: checked, printed, judged, applied",
        seeds: |s| s.rules.clone(),
        mutate: by_tokens,
        check: rules,
    },
    Target {
        name: "sketch",
        what: "sketches: checked, printed, searched for",
        seeds: |s| s.sketches.clone(),
        mutate: by_tokens,
        check: sketch,
    },
    Target {
        name: "index",
        what: "rules over scalars: checked, printed, ordered, tried, applied",
        seeds: |s| s.index.clone(),
        mutate: by_tokens,
        check: index,
    },
    Target {
        name: "expression",
        what: "scalar expressions: simplified and decided",
        seeds: |s| s.expressions.clone(),
        mutate: by_tokens,
        check: expression,
    },
    Target {
        name: "c",
        what: "C texts: compared with a loop program",
        seeds: |_| {
            C_PROGRAMS
                .map(|p| emit::emit(&loop_program(p), &Default::default()).c)
                .to_vec()
        },
        mutate: by_tokens,
        check: c_text,
    },
    Target {
        name: "json",
        what: "saved files of every kind: read and used",
        seeds: |s| s.json.clone(),
        mutate: |pool, _, rng| json::text(&rng.pick(pool).clone(), pool, rng),
        check: saved_file,
    },
    Target {
        name: "commands",
        what:
            "command lines, one argument on each line, over a folder of files, some of them mutated",
        seeds: |s| s.commands.clone(),
        mutate: command_line,
        check: command,
    },
];

fn by_tokens(pool: &[String], _: &Seeds, rng: &mut Rng) -> String {
    mutate::text(&rng.pick(pool).clone(), pool, rng)
}

/// Answers inputs from standard input, each behind its length, until there is none.
pub fn serve(name: &str) {
    let target = TARGETS.iter().find(|t| t.name == name).expect("a target");
    static SAID: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map_or(String::new(), |l| format!("{}:{}", l.file(), l.line()));
        let what = info.payload();
        let what = what
            .downcast_ref::<String>()
            .map(|s| &**s)
            .or(what.downcast_ref::<&str>().copied());
        *SAID.lock().expect("no panic here") = format!("{place}: {}", what.unwrap_or_default());
    }));
    let mut input = std::io::stdin().lock();
    let mut length = [0; 4];
    while input.read_exact(&mut length).is_ok() {
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        if input.read_exact(&mut bytes).is_err() {
            return;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // The stack that the tool has.
        let thread = std::thread::Builder::new().stack_size(1 << 28);
        let check = target.check;
        let answer = thread.spawn(move || check(&text)).expect("a thread").join();
        let (sign, said) = match answer {
            Ok(said) => ('+', said),
            Err(_) => ('-', SAID.lock().expect("no panic here").clone()),
        };
        let said = serde_json::to_string(&said).expect("text");
        let mut out = std::io::stdout().lock();
        let sent = writeln!(out, "{sign}{said}").and_then(|()| out.flush());
        if sent.is_err() {
            return;
        }
    }
}

/// The codes, in order; every diagnostic can be shown and has a next step.
fn codes(found: &[Diagnostic], sources: &SourceMap) -> String {
    let mut codes = BTreeSet::new();
    for d in found {
        for format in [Format::Human, Format::Short, Format::Json] {
            render(d, sources, format);
        }
        assert!(
            d.help.is_some(),
            "{} has no next step: {}",
            d.code.id,
            d.message
        );
        codes.insert(d.code.id);
    }
    codes.into_iter().collect::<Vec<_>>().join(" ")
}

/// A text that can be read is printed as one that is read as the same tree, with its comments, and prints alike.
fn layout(text: &str, dialect: Dialect) {
    let mut sources = SourceMap::new();
    let file = sources.add_text("fuzz", text);
    let parsed = parse(file, text, dialect);
    if !parsed.diagnostics.is_empty() {
        return;
    }
    let once = print(&parsed, text);
    let again = parse(file, &once, dialect);
    assert!(
        again.diagnostics.is_empty(),
        "what is printed cannot be read: {once}"
    );
    assert!(
        meaning(&parsed.file) == meaning(&again.file),
        "printing changes what is read: {once}"
    );
    let comments = |p: &rise_opt::syntax::Parsed| -> Vec<String> {
        (p.comments.iter())
            .map(|c| c.text.replace('\r', ""))
            .collect()
    };
    assert!(
        comments(&parsed) == comments(&again),
        "comments change: {once}"
    );
    assert!(
        once == print(&again, &once),
        "printing twice differs: {once}"
    );
}

/// A tree without its places.
fn meaning(x: &impl std::fmt::Debug) -> String {
    let text = format!("{x:?}");
    let mut out = String::new();
    let mut rest = &*text;
    while let Some(i) = rest.find("Span { file: FileId(") {
        out.push_str(&rest[..i]);
        rest = &rest[i..];
        rest = &rest[rest.find(" }").expect("closed") + 2..];
    }
    out + rest
}

fn program(text: &str) -> String {
    layout(text, Dialect::Program);
    let mut sources = SourceMap::new();
    let file = sources.add_text("fuzz.rise", text);
    let found = elab::check_program(&mut sources, file);
    let said = codes(&found, &sources);
    match elab::program(&mut sources, file, None) {
        Err(found) => said + " / " + &codes(&found, &sources),
        Ok(program) => said + &accepted(&program, &mut sources),
    }
}

/// A program that is accepted goes through every later stage.
fn accepted(program: &Program, sources: &mut SourceMap) -> String {
    let text = elab::program_text(program);
    let file = sources.add_text("printed.rise", &text);
    let again = match elab::program(sources, file, None) {
        Ok(again) => again,
        Err(e) => panic!(
            "what is printed of a program is refused: {} {text}",
            e[0].message
        ),
    };
    assert!(
        again.term == program.term,
        "a program printed and read differs: {text}"
    );
    let mut said = String::new();
    for (target, simplify) in [(Machine::Avx512, Level::Full), (Machine::Neon, Level::Off)] {
        let options = lower::Options {
            target,
            simplify,
            statements: 3_000,
            ..Default::default()
        };
        match lower::lower(program, &options) {
            Ok(nest) => {
                let unit = emit::emit(&nest, &emit::Options::default());
                assert!(unit.c.len() > 100, "nothing is emitted");
                said += " emitted";
            }
            Err(d) => said = said + " " + &codes(&[d], sources),
        }
    }
    said + &evaluated(program)
}

fn evaluated(program: &Program) -> String {
    let mut said = BTreeSet::new();
    for seed in 0..4 {
        let rng = &mut Rng::new(seed);
        let sizes: Sizes = program
            .sizes
            .iter()
            .map(|n| (*n, rng.between(1, 5) + (seed as i64 % 2) * 3))
            .collect();
        let small = |t: &rise_opt::ty::Ty| {
            let mut count = 1u64;
            t.each_nat(&mut |n| {
                let n = n.eval(&mut |s| sizes.get(&s).copied()).unwrap_or(1);
                count = count.saturating_mul(n.max(1) as u64);
            });
            count < 20_000
        };
        if !program.params.iter().all(|p| small(&p.1)) {
            continue;
        }
        let args: Result<Vec<_>, _> = (program.params.iter())
            .map(|p| value_of(rng, p.1, &sizes, Numbers::Any))
            .collect();
        let Ok(args) = args else { continue };
        let limits = interp::Limits {
            steps: 200_000,
            bytes: 64 << 20,
            ..Default::default()
        };
        let result = interp::eval_with(&program.term, &sizes, &[], &args, limits);
        said.insert(match result {
            Ok(_) => "value".to_string(),
            Err(e) => format!("{e:?}")
                .chars()
                .take_while(|c| c.is_alphabetic())
                .collect(),
        });
    }
    format!(" {said:?}")
}

fn rules(text: &str) -> String {
    layout(text, Dialect::Rules);
    let mut sources = SourceMap::new();
    let file = sources.add_text("fuzz.rules", text);
    let mut said = codes(&elab::check_rules(&mut sources, file), &sources);
    if let Ok(decls) = elab::rule_decls(&mut sources, file) {
        for rule in decls.iter().take(6) {
            let verdict = verify::arrays::verify_rule(rule, 10);
            said += &format!(" {verdict:?}").chars().take(5).collect::<String>();
        }
        let used = decls.into_iter().take(12).map(|rule| RuleUse {
            args: vec![2.into(); rule.size_params.len()],
            span: rule.span,
            rule,
        });
        let limits = Limits {
            iterations: Some(2),
            nodes: Some(500),
            nesting: Some(7),
            size: Some(200),
            ..Limits::default()
        };
        let mut step = common::aimless_step(used.collect(), limits, false);
        for text in [MM, PAIRS] {
            let outcome = search::optimize(
                &known(text),
                std::slice::from_ref(&step),
                &Default::default(),
            );
            said += &format!(" {:?}", outcome.trace.steps[0].stop);
            step.reassociate = true;
        }
    }
    said
}

const MM: &str = "def mm [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
  a |> map (\\row -> transpose b |> map (\\col ->
    zip row col |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))\n";
const PAIRS: &str = "def f [n : nat] (xs : (4*n).i32) (c : i32) : (4*n).i32 =
  xs |> map (\\x -> x * 2 + c) |> split[4] |> map (\\ys -> ys |> map (\\y -> y + 1)) |> join\n";

fn known(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("known.rise", text);
    elab::program(&mut sources, file, None).expect("known")
}

fn sketch(text: &str) -> String {
    layout(text, Dialect::Sketch);
    let costs = Cost::ALL.map(|(name, _)| name);
    let mut sources = SourceMap::new();
    let file = sources.add_text("fuzz.sk", text);
    let mut said = codes(&elab::check_sketch(&mut sources, file, &costs), &sources);
    let program = known(MM);
    let around = Surroundings {
        sizes: Some(&program.sizes),
        costs: &costs,
        ..Surroundings::default()
    };
    match elab::steps(&mut sources, file, &around) {
        Err(found) => said += &codes(&found, &sources),
        Ok(guide) => {
            let options = search::Options {
                iterations: Some(2),
                nodes: Some(400),
                ..Default::default()
            };
            let steps = &guide.steps[..guide.steps.len().min(3)];
            let outcome = search::optimize(&program, steps, &options);
            let stops = outcome.trace.steps.iter().map(|s| format!(" {:?}", s.stop));
            said += &stops.collect::<String>();
        }
    }
    said
}

fn index(text: &str) -> String {
    layout(text, Dialect::Rules);
    let mut sources = SourceMap::new();
    let file = sources.add_text("fuzz.rules", text);
    let mut said = codes(&elab::check_rules(&mut sources, file), &sources);
    match scalar::load_rules(&sources, file) {
        Err(found) => said += &codes(&found, &sources),
        Ok(mut rules) => {
            rules.truncate(12);
            for (rule, verdict) in rules.iter().zip(termination::order(&rules)) {
                let tried = verify::try_points(rule, 20);
                said += &format!(" {:.5}{}", format!("{verdict:?}"), tried.differs.is_some());
            }
            let mut simplifier = Simplifier::new(Rc::new(Book::new(rules)));
            simplifier.limit(2_000);
            for text in [
                "(4*i + 3)/4 + i*0",
                "min(i, n) % 8 < 8",
                "select(i < n, i + i, n - i)",
            ] {
                let file = sources.add_text("known", text);
                let e = scalar::parse_expr(file, text).expect("known");
                simplifier.simplify(e);
            }
            said += &format!(" {}", simplifier.exhausted());
        }
    }
    said
}

fn expression(text: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add_text("EXPR", text);
    let (e, truth) = match text.split_once(" where ") {
        Some((e, truth)) => (e, Some(truth)),
        None => (text, None),
    };
    let mut simplifier = Simplifier::shipped();
    if let Some(truth) = truth {
        match scalar::parse_truth(file, truth) {
            Ok(truth) => simplifier.assume(truth),
            Err(found) => return codes(&found, &sources),
        }
    }
    match scalar::parse_expr(file, e) {
        Err(found) => codes(&found, &sources),
        Ok(e) => {
            let simple = simplifier.simplify(e);
            let decided = simplifier.prove(e);
            let printed = simple.to_string();
            let file = sources.add_text("printed", &printed);
            let again = scalar::parse_expr(file, &printed);
            assert!(
                again.is_ok_and(|again| same(again, simple)),
                "an expression printed and read differs: {printed}"
            );
            format!("{decided:?} {}", simplifier.exhausted())
        }
    }
}

/// Whether two expressions are equal but for the sorts of variables, which what is left of an expression may not tell:
/// of `b && i < n` that is the truth b.
fn same(a: Expr, b: Expr) -> bool {
    match (a.node(), b.node()) {
        (Node::Var(v, _), Node::Var(w, _)) => v == w,
        (Node::Apply(f, a), Node::Apply(g, b)) => {
            f == g && a.iter().zip(b.iter()).all(|(a, b)| same(*a, *b))
        }
        (a, b) => a == b,
    }
}

/// With vectors and their rests, threads and memory.
const C_PROGRAMS: [&str; 2] = ["lanes-choices", "private-buffers"];

fn loop_program(name: &str) -> Nest {
    let path = format!("{}/tests/kernels/{name}.rise", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a program");
    let mut program = common::program_text(&text);
    program.term = term::normalize(&program.term);
    lower::lower(&program, &Default::default()).expect("a loop program")
}

fn c_text(text: &str) -> String {
    let said = C_PROGRAMS.map(|p| {
        let texts = Texts {
            c: text,
            header: None,
        };
        match ctext::compare(texts, &loop_program(p)) {
            Verdict::Same => "same".to_string(),
            Verdict::Differs(d) => format!("differs: {}", d.what),
            Verdict::Unread(u) => u
                .what
                .chars()
                .filter(|c| !c.is_ascii_digit())
                .take(20)
                .collect(),
        }
    });
    said.join(", ")
}

fn saved_file(text: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add_text("a.json", text);
    let kind: Option<&Kind> = saved::ALL.iter().find(|k| {
        text.contains(&format!("\"kind\":\"{}\"", k.name))
            || text.contains(&format!("\"kind\": \"{}\"", k.name))
    });
    let name = kind.map_or("plan", |k| k.name);
    let read = |sources: &mut SourceMap| -> Result<String, Diagnostic> {
        let mut said = String::new();
        match name {
            "plan" => {
                let plan = Plan::read(sources, file)?;
                let replay = plan.replay("a.json", None, sources)?;
                if let Some(term) = replay.terms.last() {
                    let program = Program {
                        term: term.clone(),
                        ..replay.program
                    };
                    said += &accepted(&program, sources);
                }
            }
            "proof" => {
                let saved = ProofFile::read(sources, file)?;
                let program = saved.program("a.json", sources)?;
                let read = saved.proof("a.json", &program, sources)?;
                said += &format!("{}", proof::check(&read).is_ok());
            }
            "record" => said += &html::page(&Record::read(sources, file)?).len().to_string()[..1],
            "kernel-certificate" => {
                let read = KernelCertificate::read(sources, file)?;
                said += &format!("{}", certificate::check(&read, "a.json", sources).is_ok());
            }
            "loops" => {
                let nest = LoopsFile::read(sources, file)?.nest("a.json")?;
                let texts = Texts {
                    c: "int mm(void);",
                    header: None,
                };
                said += &format!("{}", ctext::compare(texts, &nest) == Verdict::Same);
            }
            "measurement" => {
                let m = measurement::read(sources, file)?;
                measurement::svg(&m);
            }
            "comparison" => {
                let c: Comparison = saved::read(&saved::COMPARISON, sources, file)?;
                comparison::csv(&c);
                comparison::svg(&c);
                c.to_json();
            }
            "trace" => drop(saved::read::<TraceFile>(&saved::TRACE, sources, file)?),
            "certificates" => drop(saved::read::<CertificateFile>(
                &saved::CERTIFICATES,
                sources,
                file,
            )?),
            _ => drop(saved::read::<Verification>(
                &saved::VERIFICATION,
                sources,
                file,
            )?),
        }
        Ok(said)
    };
    match read(&mut sources) {
        Ok(said) => format!("{name} {said}"),
        Err(d) => format!("{name} {}", codes(&[d], &sources)),
    }
}

/// Arguments, one on each line; lines that begin with `@` put a file before: its name, a space, its text as JSON.
fn command_line(pool: &[String], seeds: &Seeds, rng: &mut Rng) -> String {
    let base = rng.pick(pool).clone();
    let mut lines: Vec<String> = base.lines().map(str::to_string).collect();
    for _ in 0..rng.below(4) {
        let other = rng.pick(pool).clone();
        let other: Vec<&str> = other.lines().filter(|l| !l.starts_with('@')).collect();
        let at = rng.below(lines.len() as u64 + 1) as usize;
        match rng.below(6) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 | 2 if !other.is_empty() => lines.insert(at, rng.pick(&other).to_string()),
            3 if at < lines.len() && !lines[at].starts_with('@') => {
                lines[at] =
                    mutate::text(&lines[at], &seeds.expressions, rng).replace(['\n', '\0'], " ");
            }
            4 => lines.insert(
                at,
                rng.pick(&[
                    "--seed",
                    "-1",
                    "",
                    "-",
                    "--set",
                    "n=0",
                    "n=-1",
                    "m=9223372036854775807",
                    "--help",
                    "out.c",
                    ".",
                    "nothing.json",
                    "own.rise",
                    "mm.proof.json",
                    "mm.plan.json",
                    "mm.record.json",
                ])
                .to_string(),
            ),
            _ => {
                let names = [
                    "mm.proof.json",
                    "mm.plan.json",
                    "mm.record.json",
                    "own.rise",
                    "own.rules",
                    "own.sk",
                    "own.certificates",
                ];
                let name = rng.pick(&names);
                let pool = match name.rsplit('.').next() {
                    Some("json" | "certificates") => &seeds.json,
                    Some("rise") => &seeds.programs,
                    Some("rules") => &seeds.index,
                    _ => &seeds.sketches,
                };
                let kind = name.split('.').nth(1).unwrap_or("");
                let like: Vec<String> = pool
                    .iter()
                    .filter(|t| {
                        !name.ends_with("json") || t.contains(&format!("\"kind\": \"{kind}\""))
                    })
                    .cloned()
                    .collect();
                let like = if like.is_empty() { pool.clone() } else { like };
                let text = match name.ends_with("json") || name.ends_with("certificates") {
                    true => json::text(&rng.pick(&like).clone(), pool, rng),
                    false => mutate::text(&rng.pick(&like).clone(), pool, rng),
                };
                lines.insert(
                    0,
                    format!("@{name} {}", serde_json::to_string(&text).expect("text")),
                );
            }
        }
    }
    // A mutated line may not ask for what measures this machine.
    lines.retain(|l| !["--run", "bench", "compare", "--weaken", "--unguided"].contains(&&**l));
    lines.join("\n")
}

/// The tool itself, in a folder of its own: it ends with one of its exit codes, and finds no bug in itself.
fn command(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let made = std::env::var_os(FOLDER).expect("given by the parent");
    copy(Path::new(&made), folder.path());
    let mut args = Vec::new();
    for line in text.lines() {
        match line.strip_prefix('@').and_then(|l| l.split_once(' ')) {
            Some((name, text)) => {
                let text: String = serde_json::from_str(text).unwrap_or_default();
                let name = Path::new(name).file_name().unwrap_or_default();
                let _ = std::fs::write(folder.path().join(name), text);
            }
            None => args.push(line.replace('\0', "")),
        }
    }
    let mut command: Command = child::limited(Path::new(env!("CARGO_BIN_EXE_rise-opt")));
    command.args(&args).current_dir(folder.path());
    let Some((code, said)) = child::finish(command, child::allowed(text)) else {
        panic!("slow: {}", args.first().map_or("", |a| a));
    };
    assert!(
        !said.contains("this is a bug"),
        "{}",
        said.lines().find(|l| l.contains("bug")).unwrap_or_default()
    );
    assert!(
        code.is_some_and(|c| [0, 1, 2, 3, 4].contains(&c)),
        "exit code {code:?}: {}",
        said.chars().take(300).collect::<String>()
    );
    let codes: BTreeSet<&str> = said
        .match_indices("error[")
        .filter_map(|(i, _)| said.get(i + 6..i + 11))
        .collect();
    format!("{} {code:?} {codes:?}", args.first().map_or("", |a| a))
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_file() {
            let _ = std::fs::copy(&path, to.join(path.file_name().expect("a name")));
        }
    }
}
