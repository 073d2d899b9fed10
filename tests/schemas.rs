//! Every kind of JSON that the program writes: its files conform to docs/schemas, and whatever is wrong with one is
//! said clearly.

use crate::common;
use crate::common::schema::{conforms, folder, schema};
use rise_opt::diag::{code, Diagnostic};
use rise_opt::report::kernel_certificate::KernelCertificate;
use rise_opt::report::liftings::LiftFile;
use rise_opt::report::loops::LoopsFile;
use rise_opt::report::operators::OperatorFile;
use rise_opt::report::order::OrderFile;
use rise_opt::report::saved::{self, Kind};
use rise_opt::report::tuning::TuningRecord;
use rise_opt::report::{
    measurement, CertificateFile, Comparison, Plan, ProofFile, Record, Summary, TraceFile,
    Verification,
};
use rise_opt::source::SourceMap;
use rise_opt::synth::Attempt;
use rise_opt::target::Target;
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

fn rise_opt(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1");
    command.output().unwrap()
}

fn lines(bytes: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8(bytes).unwrap();
    text.lines().map(|l| format!("{l}\n")).collect()
}

/// Kinds of which nothing is made without a solver.
const NEED_SOLVERS: [Kind; 2] = [saved::VERIFICATION, saved::CERTIFICATES];

/// Files and lines of every kind, as commands make them.
fn produced() -> &'static [(Kind, Vec<String>)] {
    static ALL: OnceLock<Vec<(Kind, Vec<String>)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let json = ["--message-format", "json"];
        let sketch = ["programs/mm.rise", "--sketch", "sketches/mm/blocking.sk"];
        let run = |args: &[&str]| rise_opt(dir, &[args, &json].concat());
        let file = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
        let searched = run(&[
            &sketch[..],
            &[
                "--emit",
                "c,term,loops,trace,plan,proof,record",
                "--set",
                "tile=16",
            ],
        ]
        .concat());
        let limited = ["--node-limit", "2000", "--emit", "json"];
        rise_opt(dir, &[&["compare"], &sketch[..], &limited].concat());
        let comparison = vec![file("mm.comparison.json")];
        rise_opt(
            dir,
            &[
                "bench",
                "programs/mm.rise",
                "sketches/mm/blocking.sk",
                "--size",
                "32",
                "--size",
                "33",
                "--samples",
                "1",
                "--pause",
                "0",
            ],
        );
        let measurement = vec![file("mm.measurement.json")];
        let shown = run(&[&sketch[..], &["--emit", "egraph", "--egraph-classes", "20"]].concat());
        let files =
            ["plan", "proof", "trace", "egraph"].map(|kind| file(&format!("mm.{kind}.json")));
        let loops = vec![file("mm.loops")];
        rise_opt(
            dir,
            &["certify", "programs/mm.rise", "--plan", "mm.plan.json"],
        );
        let certificate = vec![file("mm.certificate.json")];
        let mut records = vec![file("mm.record.json")];
        let measured = run(&[
            "programs/vector_add.rise",
            "--run",
            "--set",
            "n=1000",
            "--emit",
            "record",
        ]);
        records.push(file("vector_add.record.json"));
        let tune = [
            "programs/vector_add.rise",
            "--auto=tune",
            "--records",
            "own.jsonl",
        ];
        let found = run(&[&tune[..], &["--set", "n=4096", "--budget", "1s"]].concat());
        let tuned = lines(fs::read(dir.join("own.jsonl")).unwrap());
        let summaries = [searched, measured, shown, found]
            .map(|o| lines(o.stdout))
            .concat();
        fs::write(
            dir.join("bad.rise"),
            "def f (x : f32) : i32 = y\ndef g = ) h\n",
        )
        .unwrap();
        let unreached = run(&[&sketch[..], &["--iter-limit", "1", "--emit", "record"]].concat());
        records.push(file("mm.record.json"));
        let failures = [run(&["bad.rise"]), run(&["none.rise"]), unreached];
        let rules = "domain scalar\nrule a  x + 0 => x\nrule b  x - y => y - x\n\
                     rule c  x * c0 => c0 * x where c0 > 0\n";
        fs::write(dir.join("own.rules"), rules).unwrap();
        let pairs = "domain scalar\nrule a  x + y - x => y\nrule b  x - y * 2 => x + y * -2\n";
        fs::write(dir.join("pairs.rules"), pairs).unwrap();
        fs::write(dir.join("stuck.txt"), "(z + 2) + min(x, y - z)\n").unwrap();
        let verified = run(&["verify", "own.rules", "--weaken", "--write-certificates"]);
        // Without a solver neither of these is made.
        let solved = !rise_opt::exec::solver::find().is_empty();
        let certificates = match solved {
            true => vec![file("own.certificates")],
            false => Vec::new(),
        };
        let ordered = run(&["order", "own.rules"]);
        let synth = ["synth", "--from", "stuck.txt", "--records", "tried.jsonl"];
        run(&[&synth[..], &["--budget", "9"]].concat());
        let tried = lines(fs::read(dir.join("tried.jsonl")).unwrap());
        let [plan, proof, trace, egraph] = files.map(|f| vec![f]);
        let answered = |kind, args: &[&str]| (kind, lines(run(args).stdout));
        let all = vec![
            (saved::PLAN, plan),
            (saved::PROOF, proof),
            (saved::TRACE, trace),
            (saved::TUNING, tuned),
            (saved::LEFT_SIDE, tried),
            (saved::LOOPS, loops),
            (saved::RECORD, records),
            (saved::EGRAPH, egraph),
            (saved::SUMMARY, summaries),
            (saved::COMPARISON, comparison),
            (saved::MEASUREMENT, measurement),
            (saved::VERIFICATION, lines(verified.stdout)),
            (saved::ORDER, lines(ordered.stdout)),
            answered(
                saved::OPERATORS,
                &[
                    "assoc",
                    "check",
                    "\\x y -> max (min x 5) y",
                    "\\x y -> x % y",
                    "--type",
                    "i32",
                ],
            ),
            answered(
                saved::LIFTINGS,
                &[
                    "assoc",
                    "lift",
                    "\\a x -> 10 * a + x",
                    "\\a x -> a * a + x",
                    "--type",
                    "i32",
                    "--start",
                    "0",
                ],
            ),
            (saved::CERTIFICATES, certificates),
            answered(saved::DOCTOR, &["doctor"]),
            answered(
                saved::SIMPLIFICATION,
                &["simplify", "(4*i + 3)/4", "--trace"],
            ),
            answered(saved::CRITICAL, &["order", "pairs.rules", "--critical"]),
            answered(
                saved::SOLUTION,
                &[
                    "solve",
                    "(x + a)*2 < b",
                    "--for",
                    "x",
                    "--trace",
                    "--interval",
                    "inner",
                ],
            ),
            answered(saved::SYNTHESIS, &["synth", "--from", "stuck.txt"]),
            answered(
                saved::VALIDATION,
                &[
                    "validate",
                    "programs/mm.rise",
                    "mm.loops",
                    "--plan",
                    "mm.plan.json",
                    "--c",
                    "mm.c",
                ],
            ),
            (saved::KERNEL_CERTIFICATE, certificate),
            answered(
                saved::KERNEL_CHECK,
                &[
                    "check-certificate",
                    "mm.certificate.json",
                    "programs/mm.rise",
                ],
            ),
            answered(saved::PROOF_CHECK, &["check-proof", "mm.proof.json"]),
            answered(saved::WRITTEN, &["report", "mm.record.json"]),
            answered(
                saved::ATTEMPT,
                &["explain", sketch[0], "--try", "map-fusion"],
            ),
            answered(
                saved::EXPLANATION,
                &["explain", sketch[0], sketch[1], sketch[2]],
            ),
            (
                saved::DIAGNOSTIC,
                failures.map(|o| lines(o.stderr)).concat(),
            ),
        ];
        let unsolved = |k: &Kind| !solved && NEED_SOLVERS.contains(k);
        all.into_iter().filter(|(k, _)| !unsolved(k)).collect()
    })
}

/// Reads a text as the program does; where it has no reader of its own, as an object.
fn read(kind: &Kind, text: &str) -> Result<(), Diagnostic> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("a.json", text);
    match kind.name {
        "plan" => Plan::read(&sources, file).map(drop),
        "trace" => saved::read::<TraceFile>(kind, &sources, file).map(drop),
        "proof" => ProofFile::read(&sources, file).map(drop),
        "record" => Record::read(&sources, file).map(drop),
        "summary" => saved::read::<Summary>(kind, &sources, file).map(drop),
        "measurement" => measurement::read(&sources, file).map(drop),
        "verification" => saved::read::<Verification>(kind, &sources, file).map(drop),
        "loops" => LoopsFile::read(&sources, file)
            .and_then(|l| l.nest("a.json"))
            .map(drop),
        "kernel-certificate" => KernelCertificate::read(&sources, file).map(drop),
        "tuning" => saved::read::<TuningRecord>(kind, &sources, file).map(drop),
        "left-side" => saved::read::<Attempt>(kind, &sources, file).map(drop),
        "order" => saved::read::<OrderFile>(kind, &sources, file).map(drop),
        "operators" => saved::read::<OperatorFile>(kind, &sources, file).map(drop),
        "liftings" => saved::read::<LiftFile>(kind, &sources, file).map(drop),
        "certificates" => saved::read::<CertificateFile>(kind, &sources, file).map(drop),
        "comparison" => saved::read::<Comparison>(kind, &sources, file).map(drop),
        _ => saved::read::<Map<String, Value>>(kind, &sources, file).map(drop),
    }
}

fn has_reader(kind: &Kind) -> bool {
    ["plan", "trace", "summary"].contains(&kind.name)
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_kind_has_a_schema_and_its_files_conform() {
    for kind in saved::ALL {
        let found = produced().iter().find(|(k, _)| k == kind);
        if found.is_none() && NEED_SOLVERS.contains(kind) {
            common::lacking::not_tested(
                "files of `verify`: there is no solver (Debian: package `z3`)",
            );
            continue;
        }
        let texts = found.map_or(&[][..], |(_, texts)| texts);
        assert!(
            !texts.is_empty(),
            "nothing of the kind {} is made here",
            kind.name
        );
        for text in texts {
            conforms(&value(text), &format!("{}.json", kind.name))
                .unwrap_or_else(|e| panic!("{}: {e}", kind.name));
            let compact: String = text.split_whitespace().collect();
            let head = format!("{{\"kind\":\"{}\",\"version\":{},", kind.name, kind.version);
            assert!(compact.starts_with(&head), "{text}");
            read(kind, text).unwrap_or_else(|d| panic!("{}: {d:?}", kind.name));
        }
    }
    let mut schemas: Vec<_> = (fs::read_dir(folder()).unwrap())
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut kinds: Vec<_> = saved::ALL
        .iter()
        .map(|k| format!("{}.json", k.name))
        .collect();
    schemas.sort();
    kinds.sort();
    assert_eq!(schemas, kinds, "docs/schemas has one file for each kind");
}

/// The schemas are no looser than the files: another field, or one less, anywhere at the top does not conform.
#[test]
fn schemas_refuse_what_is_no_file_of_their_kind() {
    for (kind, texts) in produced() {
        let file = format!("{}.json", kind.name);
        let whole = value(&texts[0]);
        let mut more = whole.clone();
        more["other"] = Value::Null;
        let other_fields = &schema(&file)["additionalProperties"];
        assert_eq!(other_fields, &Value::Bool(false), "{file}");
        assert!(conforms(&more, &file).is_err(), "{file}: other fields");
        for name in whole.as_object().unwrap().keys() {
            let mut less = whole.clone();
            less.as_object_mut().unwrap().remove(name);
            assert!(conforms(&less, &file).is_err(), "{file} without {name}");
            let mut wrong = whole.clone();
            wrong[name] = match &whole[name] {
                Value::Bool(_) => Value::from("true"),
                _ => Value::Bool(true),
            };
            assert!(conforms(&wrong, &file).is_err(), "{file}: wrong {name}");
        }
    }
}

#[test]
fn what_is_cut_off_anywhere_is_said_to_be() {
    for (kind, texts) in produced() {
        let text = texts[0].trim_end();
        for end in (1..text.len())
            .step_by(50)
            .filter(|i| text.is_char_boundary(*i))
        {
            let d = read(kind, &text[..end]).expect_err("a part is no whole");
            assert_eq!(d.code, code::SAVED_MALFORMED, "{d:?}");
            assert!(d.message.contains("ends early"), "{d:?}");
            assert!(d.help.is_some_and(|h| h.contains(kind.command)));
        }
    }
}

#[test]
fn other_kinds_and_versions_are_named() {
    for (kind, texts) in produced() {
        for (other, others) in produced().iter().filter(|(k, _)| k != kind) {
            let d = read(kind, &others[0]).expect_err("of another kind");
            assert_eq!(d.code, code::SAVED_KIND);
            assert!(
                d.message.contains(other.name) && d.message.contains(kind.name),
                "{d:?}"
            );
        }
        let text = texts[0].replacen(&format!("{},", kind.version), "77,", 1);
        let d = read(kind, &text).expect_err("of another version");
        assert_eq!(d.code, code::SAVED_VERSION);
        assert!(d.message.contains("version 77"), "{d:?}");
        assert!(d
            .notes
            .iter()
            .any(|n| n.contains(&format!("version {}", kind.version))));
        let mut untagged = value(&texts[0]);
        untagged.as_object_mut().unwrap().remove("kind");
        let d = read(kind, &untagged.to_string()).expect_err("of no kind");
        assert_eq!(d.code, code::SAVED_KIND);
    }
}

/// What values the program reads have no fields but those of the schema, and all of them.
#[test]
fn missing_and_other_fields_are_named() {
    for (kind, texts) in produced().iter().filter(|(k, _)| has_reader(k)) {
        let whole = value(&texts[0]);
        let mut more = whole.clone();
        more["other"] = Value::Null;
        let d = read(kind, &more.to_string()).expect_err("other fields");
        assert!(d.message.contains("unknown field `other`"), "{d:?}");
        for name in whole.as_object().unwrap().keys() {
            let mut less = whole.clone();
            less.as_object_mut().unwrap().remove(name);
            // What may be null may be missing.
            match read(kind, &less.to_string()) {
                Ok(()) => assert!(
                    ["kernel", "run", "why", "egraph", "proof", "validation"].contains(&&**name),
                    "{name}"
                ),
                Err(d) => assert!(d.message.contains(name.as_str()), "{d:?}"),
            }
        }
    }
}

/// Whatever lists the targets lists those of the table.
#[test]
fn schemas_list_the_targets_that_there_are() {
    let names: Vec<Value> = Target::ALL.iter().map(|t| t.name().into()).collect();
    let plan = &schema("plan.json")["properties"]["target"]["enum"];
    assert_eq!(plan.as_array(), Some(&names));
    let measurement = schema("measurement.json").to_string();
    let listed = Value::from([names, vec![Value::Null]].concat());
    assert!(measurement.contains(&listed.to_string()), "{measurement}");
    let usage = |path: &str| std::fs::read_to_string(path).expect("a file");
    let all: Vec<&str> = Target::ALL.iter().map(|t| t.name()).collect();
    let flag = format!("--target native|{}", all.join("|"));
    for path in ["docs/commands.md", "docs/language.md"] {
        assert!(usage(path).contains(&flag), "{path}: {flag}");
    }
}
