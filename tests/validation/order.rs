//! A verdict says which reductions are combined in another order than the program has, and which laws that rests on.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn rise_opt(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1");
    command.output().expect("rise-opt")
}

fn said(o: &Output) -> String {
    let [out, err] = [&o.stdout, &o.stderr].map(|b| String::from_utf8_lossy(b).into_owned());
    out + &err
}

/// A folder with a sum in blocks, its plan, its loops, and those of the program as it stands.
fn sum_of(ty: &str, zero: &str, permit: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    let program = format!("def total [n : nat] (a : (16*n).{ty}) : {ty} = reduce (+) {zero} a\n");
    fs::write(dir.join("total.rise"), program).expect("a file");
    let sketch = format!(
        "{permit}use rules/reduction.rules (reduce-blocks[16])\nsketch contains (app map (app reduce ? ?) ?)\n"
    );
    fs::write(dir.join("total.sk"), sketch).expect("a file");
    let plain = [
        "total.rise",
        "--plain",
        "--emit",
        "loops",
        "-o",
        "plain.loops",
    ];
    let emitted = "plan,loops,term,record";
    for args in [
        &plain[..],
        &["total.rise", "--sketch", "total.sk", "--emit", emitted],
    ] {
        let o = rise_opt(dir, args);
        assert!(o.status.success(), "{}", said(&o));
    }
    folder
}

fn reordered(dir: &Path, args: &[&str]) -> Value {
    let json = ["--message-format", "json"];
    let o = rise_opt(dir, &[&["validate"], args, &json].concat());
    assert_eq!(o.status.code(), Some(0), "{}", said(&o));
    let told: Value = serde_json::from_slice(&o.stdout).expect("JSON");
    assert_eq!(told["verdict"], "validated");
    told["reordered"].clone()
}

#[test]
fn sums_in_another_order_are_named_with_their_laws() {
    for (ty, zero, permit, numbers) in [
        ("f32", "0.0", "permit reassociate\n", "reals"),
        ("i32", "0", "", "machine"),
    ] {
        let folder = sum_of(ty, zero, permit);
        let dir = folder.path();
        let by_plan = reordered(dir, &["total.rise", "--plan", "total.plan.json"]);
        let of_loops = ["total.rise", "total.loops", "--plan", "total.plan.json"];
        assert_eq!(by_plan, reordered(dir, &of_loops));
        let record = fs::read_to_string(dir.join("total.record.json")).expect("a record");
        let record: Value = serde_json::from_str(&record).expect("JSON");
        assert_eq!(record["validation"]["reordered"], by_plan);
        let [one] = &by_plan.as_array().expect("a list")[..] else {
            panic!("{by_plan}")
        };
        let reduction = format!("reduce of 16*n elements of {ty}");
        assert_eq!(one["reduction"].as_str(), Some(&*reduction));
        assert_eq!(one["rules"], serde_json::json!(["reduce-blocks"]));
        let laws = one["laws"].as_array().expect("a list");
        let of = |law: &str| {
            let mut all = laws.iter();
            let found = all.find(|l| l["law"].as_str().is_some_and(|l| l.starts_with(law)));
            found.unwrap_or_else(|| panic!("{law}: {one}"))
        };
        for law in ["associative", "identity"] {
            let l = of(law);
            assert_eq!(
                (l["numbers"].as_str(), l["type"].as_str()),
                (Some(numbers), Some(ty))
            );
        }
        let why = of("associative")["certificate"].as_str();
        assert_eq!(why, Some("the sides are one polynomial"));
        // What was found is computed in its own order.
        let found = reordered(dir, &["total.found.rise", "total.loops"]);
        assert_eq!(found, serde_json::json!([]));
    }
}

/// Other loops, which add up in the order of the program, are not those of a plan that leads to another order.
#[test]
fn loops_are_judged_by_what_a_plan_leads_to() {
    let folder = sum_of("f32", "0.0", "permit reassociate\n");
    let dir = folder.path();
    let judged = |loops: &str| {
        let args = ["validate", "total.rise", loops, "--plan", "total.plan.json"];
        rise_opt(dir, &args)
    };
    let o = judged("plain.loops");
    assert_eq!(o.status.code(), Some(4), "{}", said(&o));
    let o = judged("total.loops");
    assert_eq!(o.status.code(), Some(0), "{}", said(&o));
    let told = said(&o);
    assert!(
        told.contains("in another order: reduce of 16*n elements of f32"),
        "{told}"
    );
    assert!(
        told.contains("real numbers, by `permit reassociate`"),
        "{told}"
    );
    let o = rise_opt(dir, &["validate", "total.rise"]);
    assert_eq!(o.status.code(), Some(2), "{}", said(&o));
    // Without the plan nobody knows that the order was permitted: that is no defect.
    let o = rise_opt(dir, &["validate", "total.rise", "total.loops"]);
    assert_eq!(o.status.code(), Some(4), "{}", said(&o));
    let told = said(&o);
    assert!(told.contains("differ by rounding"), "{told}");
    assert!(told.contains("`--plan FILE`"), "{told}");
    assert!(!told.contains("report it"), "{told}");
}
