//! What a proof cannot make `check-proof` believe: rules of another domain or of no file, wrong rules, other files,
//! another definition, names that hide what is said.

use super::commands::{proved, run};
use crate::common::share;
use rise_opt::elab::{self, RuleUse};
use rise_opt::proof::{at, By};
use rise_opt::proof::{check, instance, Proof, Segment, Step};
use rise_opt::report::{ProofFile, RuleText};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;
use serde_json::{json, Value};
use std::fs;
use std::path::Path;

/// The proof that the body of a program equals what one rule makes of it, if that is a step.
fn by_one_rule(file: &str, rule: &str, program: &str) -> Option<ProofFile> {
    let mut sources = SourceMap::new();
    let id = sources.add_text("p.rise", program);
    let program: Program = elab::program(&mut sources, id, None).ok()?;
    let id = sources.add_text(file, rule);
    let decl = elab::rule_decls(&mut sources, id).ok()?.pop()?;
    // The parameters are lambdas around the body.
    let place = vec![0; program.params.len()];
    let from = at(&program.term, &place)?.clone();
    let made = instance(&decl, &[], &from, &[], true).ok()?;
    let end = rise_opt::proof::put(&program.term, &place, &made.to)?;
    let mut proof = Proof::new(&program.term);
    proof.segments.push(Segment {
        name: "goal".to_string(),
        rules: vec![RuleUse {
            span: decl.span,
            rule: decl,
            args: Vec::new(),
        }],
        reassociate: true,
        steps: vec![Step {
            at: place,
            by: By::Rule(0, Vec::new()),
            back: false,
            from,
            to: made.to,
            bound: None,
        }],
        end,
    });
    check(&proof).ok()?;
    let command = "rise-opt".to_string();
    Some(ProofFile::new(&proof, &program, command, &sources))
}

fn checked(folder: &Path, text: &str) -> (i32, String, String) {
    fs::write(folder.join("p.json"), text).unwrap();
    run(folder, &["check-proof", "p.json"])
}

/// Rules of index arithmetic are about unbounded integers. Read as rules over arrays most are wrong, and none is
/// shipped: not one makes a step that is taken without its own verdict.
#[test]
fn no_rule_over_scalars_is_a_step_in_a_proof_of_a_term() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string("rules/index.rules").unwrap();
    let mut rules: Vec<String> = Vec::new();
    for line in text.lines() {
        match line.starts_with("rule ") {
            true => rules.push(line.to_string()),
            false if line.starts_with(' ') && !rules.is_empty() => {
                let last = rules.last_mut().unwrap();
                last.push('\n');
                last.push_str(line);
            }
            false => {}
        }
    }
    assert!(rules.len() > 500, "{}", rules.len());
    let (mut steps, mut refuted) = (0, 0);
    // Each takes a while to be refused.
    for rule in share::one(&rules, 0, 3) {
        let name = rule.split_whitespace().nth(1).unwrap();
        let as_shipped = RuleText {
            name: name.to_string(),
            file: "rules/index.rules".to_string(),
            text: rule.clone(),
        };
        assert!(!as_shipped.is_shipped(), "{name}");
        let left = rule.split("=>").next().unwrap();
        let left = left["rule ".len()..].trim_start()[name.len()..].trim();
        for ty in ["i32", "f32"] {
            let mut names: Vec<&str> = left
                .split(|c: char| !c.is_ascii_alphanumeric())
                .filter(|w| w.len() <= 2 && w.starts_with(|c: char| c.is_ascii_lowercase()))
                .collect();
            names.sort_unstable();
            names.dedup();
            let params: Vec<String> = names.iter().map(|n| format!("({n} : {ty})")).collect();
            let program = format!("def f {} : {ty} = {left}\n", params.join(" "));
            let Some(file) = by_one_rule("rules/index.rules", rule, &program) else {
                continue;
            };
            assert_eq!(file.rules, std::slice::from_ref(&as_shipped));
            let (code, told, said) = checked(folder.path(), &file.to_json());
            steps += 1;
            if code == 4 {
                refuted += 1;
                assert!(said.starts_with("error[E0671]: "), "{name}: {said}");
                assert_eq!(told, "");
                continue;
            }
            assert_eq!((code, &*said), (0, ""), "{name}");
            let line = |how: &str| told.contains(&format!("\n  {name} (not shipped, {how})\n"));
            assert!(line("proved") || line("unverified"), "{told}");
        }
    }
    let least = if share::all() { (60, 40) } else { (20, 13) };
    assert!(steps > least.0 && refuted > least.1, "{refuted} of {steps}");
}

/// The verdict is of the rule that is used, whatever file it is said to be of.
#[test]
fn a_wrong_rule_is_refused_and_an_open_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let program = "def f [n : nat] (xs : n.f32) : n.f32 = map (\\x -> x + 1.0) xs\n";
    let mine = |rule: &str| by_one_rule("mine.rules", rule, program).unwrap();
    let wrong = mine("rule twice\n  map f (xs : n.f32) => map (\\x -> f (x + x)) xs");
    for file in ["mine.rules", "rules/algorithmic.rules", "rules/index.rules"] {
        let mut wrong = wrong.clone();
        wrong.rules[0].file = file.to_string();
        let (code, told, said) = checked(folder.path(), &wrong.to_json());
        assert_eq!((code, &*told), (4, ""), "{said}");
        assert!(
            said.starts_with("error[E0671]: the rule `twice` is wrong"),
            "{said}"
        );
        assert!(
            said.contains("steps of the proof rest on this rule"),
            "{said}"
        );
    }
    let right = mine("rule both\n  map f xs => map (\\x -> f x) xs");
    let (code, told, said) = checked(folder.path(), &right.to_json());
    assert_eq!((code, &*said), (0, ""));
    assert!(
        told.contains("\n  both (not shipped, proved)\nrule both\n"),
        "{told}"
    );
    // Rules that no step uses are no part of the proof.
    let mut more = right.clone();
    more.rules.push(wrong.rules[0].clone());
    let (code, more, _) = checked(folder.path(), &more.to_json());
    assert_eq!((code, more), (0, told));
    // The words of a shipped rule in a file that does not have it.
    let shipped = RuleText {
        name: "join-split".to_string(),
        file: "rules/vector.rules".to_string(),
        text: right.rules[0].text.clone(),
    };
    assert!(!shipped.is_shipped());
}

#[test]
fn plans_and_proofs_take_in_no_file_of_the_disk() {
    let folder = proved();
    let path = folder.path().join("secret.rise");
    fs::write(&path, "def secret = \"hunter2\"\n").unwrap();
    fs::write(
        folder.path().join("secret.rules"),
        "rule q\n  map f xs => map f xs\n",
    )
    .unwrap();
    let text = fs::read_to_string(folder.path().join("mm.proof.json")).unwrap();
    let proof: Value = serde_json::from_str(&text).unwrap();
    let args = ["programs/mm.rise", "--emit", "plan"];
    assert_eq!(run(folder.path(), &args).0, 0);
    let text = fs::read_to_string(folder.path().join("mm.plan.json")).unwrap();
    let plan: Value = serde_json::from_str(&text).unwrap();
    for asked in [
        "secret.rise",
        "./secret.rise",
        path.to_str().unwrap(),
        "/etc/passwd",
        "none.rise",
    ] {
        let with = |v: &Value| json!(format!("import \"{asked}\"\n{}", v.as_str().unwrap()));
        let refused = |name: &str, args: &[&str], changed: Value| {
            fs::write(folder.path().join(name), changed.to_string()).unwrap();
            let (code, told, said) = run(folder.path(), args);
            assert_eq!((code, &*told), (1, ""), "{said}");
            assert!(
                !said.contains("hunter2") && !said.contains("root:"),
                "{said}"
            );
            let asks = format!("a saved file asks for `{asked}`, which is not shipped");
            assert!(said.contains(&asks), "{said}");
        };
        let mut changed = proof.clone();
        changed["program"] = with(&changed["program"]);
        refused("p.json", &["check-proof", "p.json"], changed);
        let mut changed = plan.clone();
        changed["program"] = with(&changed["program"]);
        refused("q.json", &["--replay", "q.json"], changed);
    }
    // A rule is a declaration and no list of files.
    for item in ["include secret.rules", "include rules/algorithmic.rules"] {
        let mut changed = proof.clone();
        changed["rules"][0]["text"] = item.into();
        let (code, _, said) = checked(folder.path(), &changed.to_string());
        assert_eq!(code, 1);
        assert!(said.contains("is not one declaration"), "{said}");
    }
    // What is shipped may be taken in.
    let mut changed = proof.clone();
    let text = format!(
        "import \"programs/dot.rise\"\n{}",
        proof["program"].as_str().unwrap()
    );
    changed["program"] = text.into();
    assert_eq!(checked(folder.path(), &changed.to_string()).0, 0);
}

/// Of a program with several definitions, which one is meant is said on the command line.
#[test]
fn the_program_says_which_definition_is_proved() {
    let folder = tempfile::tempdir().unwrap();
    let text = "def easy [n : nat] (xs : n.f32) : n.f32 = map (\\x -> x + 1.0) xs\n\n\
                def hard [n : nat] (xs : n.f32) : n.f32 = map (\\x -> x * 2.0) xs\n";
    fs::write(folder.path().join("two.rise"), text).unwrap();
    let emit = ["two.rise", "--entry", "easy", "--emit", "proof,plan"];
    let (code, _, said) = run(folder.path(), &emit);
    assert_eq!(code, 0, "{said}");
    let check = ["check-proof", "easy.proof.json", "two.rise"];
    let (code, told, said) = run(folder.path(), &check);
    assert_eq!((code, &*told), (4, ""), "{said}");
    assert!(
        said.contains("is of the definition `easy`, not of `hard`"),
        "{said}"
    );
    let (code, told, said) = run(folder.path(), &[&check[..], &["--entry", "easy"]].concat());
    assert_eq!((code, &*said), (0, ""));
    assert!(told.contains("`easy` of two.rise equals"), "{told}");
    let replay = ["--replay", "easy.plan.json", "two.rise", "--emit", "c"];
    let (code, _, said) = run(folder.path(), &replay);
    assert_eq!(code, 1);
    assert!(
        said.contains("E0604") && said.contains("its name changed"),
        "{said}"
    );
    let (code, _, said) = run(folder.path(), &[&replay[..], &["--entry", "easy"]].concat());
    assert_eq!((code, &*said), (0, ""));
}

/// Names come out of the file; what they hold is shown and not obeyed.
#[test]
fn names_do_not_hide_what_is_said() {
    let folder = proved();
    let text = fs::read_to_string(folder.path().join("mm.proof.json")).unwrap();
    let proof: Value = serde_json::from_str(&text).unwrap();
    let hidden = "ok\u{1b}[2K\r\u{202e}\u{7}";
    let mut changed = proof.clone();
    changed["steps"][0]["name"] = hidden.into();
    changed["steps"][0]["reassociate"] = true.into();
    let mut broken = changed.clone();
    broken["steps"][0]["end"] = 0.into();
    let mut other = proof.clone();
    other["rules"][0]["name"] = hidden.into();
    let mut file = proof.clone();
    file["rules"][0]["file"] = hidden.into();
    let forms = ["human", "short"];
    for (form, v) in forms
        .iter()
        .flat_map(|f| [&changed, &broken, &other, &file].map(|v| (f, v)))
    {
        fs::write(folder.path().join("p.json"), v.to_string()).unwrap();
        let args = ["check-proof", "p.json", "--message-format", form];
        let (_, told, said) = run(folder.path(), &args);
        let fine = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
        assert!(told.chars().chain(said.chars()).all(fine), "{told}{said}");
    }
    let (_, told, _) = checked(folder.path(), &changed.to_string());
    assert!(
        told.contains("ok«U+001B»[2K«U+000D»«U+202E»«U+0007»"),
        "{told}"
    );
}
