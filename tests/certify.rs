//! Certificates of kernels: what is shown can be shown again, and whatever part is changed is refused.

use rise_opt::driver::certificate::check;
use rise_opt::report::kernel_certificate::KernelCertificate;
use rise_opt::source::SourceMap;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn rise_opt(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1");
    command.output().unwrap()
}

fn said(o: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&o.stdout),
        String::from_utf8_lossy(&o.stderr)
    )
}

/// A program that no file of ours is, through a step that regroups nothing.
const PROGRAM: &str = "def scaled [n : nat] (a : n.f32) (b : n.f32) : n.f32 =
  zip a b |> map (\\p -> fst p * 2.0 - snd p) |> map (\\x -> x * x)\n";
const SKETCH: &str =
    "use rules/algorithmic.rules (map-fusion)\nsketch none (app map ? (app map ? ?))\n";

/// What nobody has shown: that one of two numbers beside each other is even.
const OPEN: &str =
    "rule open  map (\\x -> (x * (x + 1)) % 2) (xs : n.i32)  =>  map (\\x -> 0) xs\n";
const OF_OPEN: &str =
    "def zeros [n : nat] (xs : n.i32) : n.i32 = map (\\x -> (x * (x + 1)) % 2) xs\n";
const BY_OPEN: &str = "use own.rules (open)\nsketch contains (app map (\\ 0) ?)\n";

/// A folder with a plan of the program, and its certificate.
fn certified() -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    fs::write(dir.join("scaled.rise"), PROGRAM).unwrap();
    fs::write(dir.join("scaled.sk"), SKETCH).unwrap();
    let searched = rise_opt(
        dir,
        &[
            "scaled.rise",
            "--sketch",
            "scaled.sk",
            "--emit",
            "plan,c,header",
        ],
    );
    assert!(searched.status.success(), "{}", said(&searched));
    let made = rise_opt(
        dir,
        &[
            "certify",
            "scaled.rise",
            "--plan",
            "scaled.plan.json",
            "-o",
            "cert.json",
        ],
    );
    assert!(made.status.success(), "{}", said(&made));
    let text = fs::read_to_string(dir.join("cert.json")).unwrap();
    (folder, serde_json::from_str(&text).unwrap())
}

#[test]
fn certificates_are_checked_alone_and_beside_what_they_are_of() {
    let (folder, _) = certified();
    let dir = folder.path();
    let checked =
        |args: &[&str]| rise_opt(dir, &[&["check-certificate", "cert.json"], args].concat());
    for args in [
        &[][..],
        &["scaled.rise", "--c", "scaled.c", "--header", "scaled.h"],
    ] {
        let o = checked(args);
        assert_eq!(o.status.code(), Some(0), "{}", said(&o));
        assert!(said(&o).contains("validated"), "{}", said(&o));
    }
    fs::write(dir.join("other.rise"), PROGRAM.replace("2.0", "3.0")).unwrap();
    let c = fs::read_to_string(dir.join("scaled.c")).unwrap();
    fs::write(dir.join("other.c"), c.replace("< n", "<= n")).unwrap();
    for args in [&["other.rise"][..], &["scaled.rise", "--c", "other.c"]] {
        let o = checked(args);
        assert_eq!(o.status.code(), Some(4), "{}", said(&o));
        assert!(said(&o).contains("E0629"), "{}", said(&o));
    }
}

/// A rule of which nothing is known is no reason for a certificate.
#[test]
fn what_rests_on_a_rule_without_a_verdict_is_not_certified() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    fs::write(dir.join("zeros.rise"), OF_OPEN).unwrap();
    fs::write(dir.join("own.rules"), OPEN).unwrap();
    fs::write(dir.join("p.sk"), BY_OPEN).unwrap();
    let searched = rise_opt(
        dir,
        &[
            "zeros.rise",
            "--sketch",
            "p.sk",
            "--emit",
            "plan",
            "--allow-unverified",
        ],
    );
    assert!(searched.status.success(), "{}", said(&searched));
    let made = rise_opt(
        dir,
        &[
            "certify",
            "zeros.rise",
            "--plan",
            "zeros.plan.json",
            "-o",
            "cert.json",
        ],
    );
    assert_eq!(made.status.code(), Some(4), "{}", said(&made));
    assert!(
        said(&made).contains("neither proved nor refuted"),
        "{}",
        said(&made)
    );
    assert!(!dir.join("cert.json").exists());
}

fn refused(changed: &Value) -> Option<String> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("cert.json", &changed.to_string());
    match KernelCertificate::read(&sources, file) {
        Err(d) => Some(d.message),
        Ok(read) => check(&read, "cert.json", &mut sources).err(),
    }
}

/// Each value in it, as a way to it.
fn leaves(v: &Value, at: &mut Vec<String>, out: &mut Vec<String>) {
    match v {
        Value::Object(all) => all.iter().for_each(|(k, v)| {
            at.push(k.replace('~', "~0").replace('/', "~1"));
            leaves(v, at, out);
            at.pop();
        }),
        Value::Array(all) => all.iter().enumerate().for_each(|(i, v)| {
            at.push(i.to_string());
            leaves(v, at, out);
            at.pop();
        }),
        _ => out.push(format!("/{}", at.join("/"))),
    }
}

fn changed(v: &Value) -> Value {
    match v {
        Value::Null => Value::from(1),
        Value::Bool(b) => Value::from(!b),
        Value::Number(n) => Value::from(n.as_i64().unwrap_or(0) + 1),
        Value::String(s) => Value::from(format!("{s} ")),
        other => other.clone(),
    }
}

#[test]
fn every_part_counts() {
    let (_folder, certificate) = certified();
    assert_eq!(refused(&certificate), None);
    let mut all = Vec::new();
    leaves(&certificate, &mut Vec::new(), &mut all);
    assert!(all.len() > 250, "{}", all.len());
    for at in all.iter().filter(|at| !at.starts_with("/version")) {
        let mut other = certificate.clone();
        let place = other.pointer_mut(at).unwrap();
        *place = changed(place);
        assert!(refused(&other).is_some(), "{at}");
    }
}

/// Who changes the hashes, too, is found out by what they are of.
#[test]
fn parts_that_were_changed_on_purpose_are_found_out() {
    let (_folder, certificate) = certified();
    let text = |at: &str| {
        certificate
            .pointer(at)
            .unwrap()
            .as_str()
            .unwrap()
            .to_string()
    };
    let c = text("/c");
    let with = |at: &str, new: Value| {
        let mut other = certificate.clone();
        *other.pointer_mut(at).unwrap() = new;
        other
    };
    let steps = certificate
        .pointer("/proof/steps/0/chain")
        .unwrap()
        .as_array()
        .unwrap();
    let swapped = |from: &str, to: &str| {
        assert!(c.contains(from), "{from}: {c}");
        with("/c", Value::from(c.replacen(from, to, 1)))
    };
    let renamed = |value: &Value, from: &str, to: &str| -> Value {
        serde_json::from_str(&value.to_string().replacen(from, to, 1)).unwrap()
    };
    let loops = certificate.pointer("/loops").unwrap();
    // All parts agree on another code for sizes that are refused.
    let answering = |code: i32| {
        let header = text("/header").replace("_ERR_SIZE = 1,", &format!("_ERR_SIZE = {code},"));
        let mut other = with("/header", Value::from(header));
        *other.pointer_mut("/loops/function/errors/0/code").unwrap() = Value::from(code);
        other
    };
    let others = [
        swapped("< n; ", "<= n; "),
        swapped("*restrict ", "*"),
        swapped("2.0f", "3.0f"),
        swapped("_ERR_SIZE", "_ERR_NONE"),
        with(
            "/header",
            Value::from(text("/header").replace("= 1,", "= 2,")),
        ),
        with("/header_name", Value::from("other.h")),
        with(
            "/proof/program",
            Value::from(text("/proof/program").replace("2.0", "3.0")),
        ),
        with("/proof/steps/0/chain", Value::from(&steps[1..])),
        with("/proof/steps", Value::Array(Vec::new())),
        with(
            "/loops/program",
            Value::from(text("/loops/program").replace("2.0", "3.0")),
        ),
        with("/loops", renamed(loops, "\"op\":\"mul\"", "\"op\":\"add\"")),
        with(
            "/loops",
            renamed(loops, "\"order\":\"seq\"", "\"order\":\"par\""),
        ),
        with("/loops", renamed(loops, "{\"size\":\"n\"},", "")),
        // Refused sizes would pass for a result, or for a lack of memory.
        answering(0),
        answering(2),
        with("/claims/regrouped", Value::from(vec!["reduce-blocks"])),
        with("/claims/contraction", Value::from(false)),
        with("/claims/wherever", Value::from(vec!["4 divides n"])),
    ];
    for (i, other) in others.into_iter().enumerate() {
        assert_ne!(other, certificate, "{i}");
        let mut sources = SourceMap::new();
        let file = sources.add_text("cert.json", &other.to_string());
        let mut read =
            KernelCertificate::read(&sources, file).unwrap_or_else(|d| panic!("{i}: {d:?}"));
        read.hashes = read.hashed();
        assert!(check(&read, "cert.json", &mut sources).is_err(), "{i}");
    }
}
