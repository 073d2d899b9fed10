//! Proofs on the command line: written, explained, replayed, refused.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Exit code, standard output, standard error.
pub fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1");
    let ran = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        ran.status.code().unwrap(),
        text(ran.stdout),
        text(ran.stderr),
    )
}

const BLOCKING: [&str; 3] = ["programs/mm.rise", "--sketch", "sketches/mm/blocking.sk"];

/// A folder with the proof of a goal.
pub fn proved() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let args = [&BLOCKING[..], &["--emit", "proof", "--progress", "off"]].concat();
    let (code, _, said) = run(folder.path(), &args);
    assert_eq!(code, 0, "{said}");
    folder
}

#[test]
fn what_emit_proof_writes_is_taken() {
    let folder = proved();
    let (code, told, said) = run(folder.path(), &["check-proof", "mm.proof.json"]);
    assert_eq!((code, &*said), (0, ""));
    let of = " steps checked; `mm` of the program in the proof equals";
    assert!(told.contains(of), "{told}");
    assert!(
        told.contains("\n  split-join (shipped, proved, rules/algorithmic.rules)\n"),
        "{told}"
    );
    assert!(!told.contains("not shipped"), "{told}");
    let both = ["check-proof", "mm.proof.json", "programs/mm.rise"];
    let told = told.replace("the program in the proof", "programs/mm.rise");
    assert_eq!(run(folder.path(), &both), (code, told, said));
}

/// Names of bound variables and layout are no difference; anything else is.
#[test]
fn a_proof_of_another_program_is_refused() {
    let folder = proved();
    let path = folder.path().join("other.rise");
    let check = |text: &str| {
        std::fs::write(&path, text).unwrap();
        run(
            folder.path(),
            &["check-proof", "mm.proof.json", "other.rise"],
        )
    };
    let same = "-- another layout\ndef mm [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
  map (\\r -> map (\\c -> reduce (+) 0.0 (map (\\q -> fst q * snd q) (zip r c))) (transpose b)) a\n";
    let (code, _, said) = check(same);
    assert_eq!((code, &*said), (0, ""));
    for (from, to, what) in [
        ("fst q * snd q", "fst q + snd q", "the body"),
        ("(b : k.n.f32)", "(c : k.n.f32)", "the parameters"),
        ("[m n k : nat]", "[m k n : nat]", "the sizes"),
    ] {
        let text = match what {
            "the parameters" => same.replace("transpose b", "transpose c"),
            _ => same.to_string(),
        };
        let (code, told, said) = check(&text.replace(from, to));
        assert_eq!((code, &*told), (4, ""), "{said}");
        let first =
            format!("error[E0622]: `mm.proof.json` is of another program: {what} of `mm` differ\n");
        assert!(said.starts_with(&first), "{said}");
        assert!(said.contains("= help: search again"), "{said}");
    }
}

/// Each change is refused at the step that is changed, or that no longer fits because of it.
#[test]
fn a_tampered_file_is_refused_with_its_step() {
    let folder = proved();
    let text = std::fs::read_to_string(folder.path().join("mm.proof.json")).unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    let chain = |segment: usize| whole["steps"][segment]["chain"].as_array().unwrap().clone();
    // The second step works inside of what the first made, and the third inside of the second.
    let places: Vec<_> = chain(0).iter().map(|s| s["at"].to_string()).collect();
    let inside = |a: &str, b: &str| b.starts_with(a.trim_end_matches(']')) && a != b;
    assert!(
        inside(&places[0], &places[1]) && inside(&places[1], &places[2]),
        "{places:?}"
    );
    let refused = |what: &str, step: &str, change: &dyn Fn(&mut Value)| {
        let mut changed = whole.clone();
        change(&mut changed);
        assert_ne!(changed, whole, "{what}");
        std::fs::write(folder.path().join("changed.json"), changed.to_string()).unwrap();
        let (code, told, said) = run(folder.path(), &["check-proof", "changed.json"]);
        assert_eq!(told, "", "{what}");
        // What stands there does not hold, or (another number of sizes, say) is no step at all.
        let held = format!("error[E0621]: `changed.json` is refused at {step}: ");
        let (number, segment) = step.split_once(" of ").unwrap();
        let segment = segment.trim_matches('`');
        let read = format!("error[E0623]: `changed.json` is no proof: {segment} {number}: ");
        match code {
            4 => assert!(said.starts_with(&held), "{what}: {said}"),
            _ => assert!(code == 1 && said.starts_with(&read), "{what}: {said}"),
        }
    };
    let next = |v: &mut Value| *v = (v.as_u64().unwrap() + 1).into();
    let second = |v: &'_ mut Value, change: &dyn Fn(&mut Value)| {
        change(&mut v["steps"][0]["chain"][1]);
    };
    let here = "step 2 of `split`";
    refused("rule", here, &|v| {
        second(v, &|s| next(&mut s["by"]["rule"]["rule"]))
    });
    refused("place", here, &|v| {
        second(v, &|s| drop(s["at"].as_array_mut().unwrap().pop()))
    });
    refused("term before", here, &|v| {
        second(v, &|s| next(&mut s["from"]))
    });
    refused("term after", here, &|v| second(v, &|s| next(&mut s["to"])));
    refused("type", here, &|v| {
        second(v, &|s| next(&mut s["by"]["rule"]["types"][0]))
    });
    refused("size argument", here, &|v| {
        second(v, &|s| s["by"]["rule"]["args"][0] = "16".into())
    });
    refused("size", here, &|v| {
        second(v, &|s| s["by"]["rule"]["sizes"][1] = "m".into())
    });
    refused("pattern variable", here, &|v| {
        second(v, &|s| next(&mut s["by"]["rule"]["holes"]["xs"]))
    });
    refused("direction", here, &|v| {
        second(v, &|s| s["back"] = true.into())
    });
    refused("dropped", here, &|v| {
        drop(v["steps"][0]["chain"].as_array_mut().unwrap().remove(1))
    });
    refused("swapped", here, &|v| {
        v["steps"][0]["chain"].as_array_mut().unwrap().swap(1, 2)
    });
    refused("end", "the end of `split`", &|v| {
        next(&mut v["steps"][0]["end"])
    });
    refused("other part", "step 1 of `reorder`", &|v| {
        next(&mut v["steps"][1]["chain"][0]["to"])
    });

    // A rule of another name or with another text is none of the steps.
    for (key, to) in [
        ("name", "other"),
        ("text", "rule split-join\n  map f x => map f x\n"),
    ] {
        let mut changed = whole.clone();
        changed["rules"][0][key] = to.into();
        std::fs::write(folder.path().join("changed.json"), changed.to_string()).unwrap();
        let (code, told, said) = run(folder.path(), &["check-proof", "changed.json"]);
        match key {
            "name" => {
                assert_eq!((code, &*told), (1, ""), "{said}");
                assert!(said.starts_with("error[E0623]: "), "{said}");
                assert!(said.contains("the rule `other`"), "{said}");
            }
            _ => {
                assert!(code == 4 || code == 1, "{said}");
                assert_eq!(told, "");
            }
        }
    }
}

#[test]
fn explain_folds_and_full_unfolds() {
    let folder = tempfile::tempdir().unwrap();
    let explain = |flags: &[&str]| {
        let args = [&["explain"], &BLOCKING[..], &["--progress", "off"], flags].concat();
        let (code, told, said) = run(folder.path(), &args);
        assert_eq!((code, &*said), (0, ""));
        told
    };
    let (short, full) = (explain(&[]), explain(&["--full"]));
    assert!(short.contains("step split: 5 rule steps"), "{short}");
    assert!(short.contains("\n  1  split-join[32] × 2\n"), "{short}");
    assert!(full.contains("step split: 6 steps"), "{full}");
    assert!(full.contains("\n  1  split-join[32]\n"), "{full}");
    assert!(full.contains("\n  2  split-join[32]   in "), "{full}");
    for plumbing in ["  β   in ", "  η   in ", "  normal form\n"] {
        assert!(!short.contains(plumbing), "{short}");
        assert!(full.contains(plumbing), "{full}");
    }
    assert!(!full.contains(" × "), "{full}");

    let json = explain(&["--message-format", "json"]);
    let answer: Value = serde_json::from_str(&json).unwrap();
    let names: Vec<_> = (answer["steps"].as_array().unwrap().iter())
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["split", "reorder"]);
    // Nothing is written.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
