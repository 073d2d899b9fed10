//! Goals that are not reached: what is shown, and whether the advice is right.
//!
//! Each `tests/suite/unreached/*.sk` is a step that fails in its own way; the `.err` file beside it is what the user
//! sees. `BLESS=1` writes what is found. Comments set the scene: `-- program: FILE` (else matrix multiplication),
//! `-- after: FILES`, the steps before. Then the test does what the advice says: it adds the rules, raises the limit,
//! puts the guide in between, sets the parameter, or makes the change that `-- change: A => B` spells out in the words of the file.
//! The goal must be reached then.

use crate::common::{chain, program};
use rise_opt::cost::Cost;
use rise_opt::diag::{render, Format};
use rise_opt::elab::{self, Guide, Step, Surroundings};
use rise_opt::report;
use rise_opt::search::{advise, optimize, start, Advice, Known, Options, Remedy, Stop};
use rise_opt::sketch::{Goal, Parts};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir("tests/suite/unreached").unwrap();
    let mut all: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == "sk"));
    all.sort();
    all
}

fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let lines = text.lines().filter_map(|l| l.strip_prefix("-- "));
    let mut values = lines.filter_map(|l| l.strip_prefix(name)?.strip_prefix(':'));
    values.next().map(str::trim)
}

struct Case {
    name: String,
    text: String,
    program: Program,
    before: Vec<Step>,
}

impl Case {
    fn load(path: &Path) -> Case {
        let text = fs::read_to_string(path).unwrap();
        let program = program(header(&text, "program").unwrap_or("programs/mm.rise"));
        let after = header(&text, "after").unwrap_or("");
        let after = after.split_whitespace();
        Case {
            name: path.to_string_lossy().into_owned(),
            before: after.flat_map(|f| chain(f, &program, &[])).collect(),
            text,
            program,
        }
    }

    fn guide(&self, sources: &mut SourceMap, text: &str, settings: BTreeMap<String, i64>) -> Guide {
        let file = sources.add_text(&self.name, text);
        let costs: Vec<&str> = Cost::ALL.iter().map(|c| c.0).collect();
        let around = Surroundings {
            sizes: Some(&self.program.sizes),
            settings,
            costs: &costs,
            ..Surroundings::default()
        };
        elab::steps(sources, file, &around)
            .unwrap_or_else(|e| panic!("{}: {e:?}\n{text}", self.name))
    }

    /// Whether the steps of these texts, one after the other, reach the last.
    fn reached(&self, texts: &[&str], settings: BTreeMap<String, i64>, options: &Options) -> bool {
        let mut steps = self.before.clone();
        for text in texts {
            let guide = self.guide(&mut SourceMap::new(), text, settings.clone());
            steps.extend(guide.steps);
        }
        optimize(&self.program, &steps, options).failure.is_none()
    }

    /// Does what the advice says; false if it says nothing that can be done.
    fn applied(&self, advice: &Advice, data: &serde_json::Value) -> Option<bool> {
        let none = BTreeMap::new();
        let options = Options::default();
        // What the user would paste, as the diagnostic gives it.
        let paste = data["advice"]["paste"].as_str();
        let (head, sketch) = self.text.split_once("\nsketch").unwrap();
        Some(match &advice.remedy {
            Remedy::Rules { .. } | Remedy::Permit => {
                let text = format!("{head}\n{}\nsketch{sketch}", paste.unwrap());
                self.reached(&[&text], none, &options)
            }
            Remedy::Limit(limit, n) => {
                let lines = head.lines().map(|l| match l.starts_with("limits ") {
                    true => format!("limits {} {n}", limit.name()),
                    false => l.to_string(),
                });
                let head = lines.collect::<Vec<_>>().join("\n");
                // How much memory is enough is not for the advice to say.
                let head = match limit.name() {
                    "bytes" => head.replace(&n.to_string(), "4_000_000_000"),
                    _ => head,
                };
                self.reached(&[&format!("{head}\nsketch{sketch}")], none, &options)
            }
            Remedy::Guide(_) => {
                let guide = format!("{head}\n{}\n", paste.unwrap());
                self.reached(&[&guide, &self.text], none, &options)
            }
            Remedy::Guides(chain) => {
                let guides = paste.unwrap();
                match chain.whole {
                    true => self.reached(&[guides], none, &options),
                    false => self.reached(&[guides, &self.text], none, &options),
                }
            }
            Remedy::Edit(_) => {
                let Some(change) = header(&self.text, "change") else {
                    return Some(false);
                };
                let (from, to) = change.split_once(" => ").unwrap();
                let body = self.text.replacen(&format!("-- change: {change}\n"), "", 1);
                assert!(body.contains(from), "{}", self.name);
                self.reached(&[&body.replacen(from, to, 1)], none, &options)
            }
            Remedy::Divide { with, param, .. } => {
                let param = param.clone().expect("the file has a parameter");
                self.reached(&[&self.text], BTreeMap::from([(param, *with)]), &options)
            }
            Remedy::Nothing => return None,
        })
    }
}

#[test]
fn every_way_to_fail_is_told_apart_and_the_advice_works() {
    let mut wrong = Vec::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let all = cases();
    assert!(all.len() >= 10, "{}", all.len());
    for path in all {
        let case = Case::load(&path);
        let mut sources = SourceMap::new();
        let guide = case.guide(&mut sources, &case.text, BTreeMap::new());
        let mut steps = case.before.clone();
        steps.extend(guide.steps);
        let options = Options {
            diagnose: true,
            ..Options::default()
        };
        let outcome = optimize(&case.program, &steps, &options);
        let diagnosis = outcome
            .failure
            .unwrap_or_else(|| panic!("{}: reached", case.name));
        let known = Known {
            rules: elab::shipped_rules(&mut sources),
            params: guide.params.into_iter().collect(),
        };
        let start = start(&case.program);
        let term = outcome.terms.last().unwrap_or(&start);
        let step = &steps[outcome.terms.len()];
        let advice = advise(step, term, &diagnosis, &known, &options);
        let late = Options {
            until: Some(Instant::now()),
            ..options.clone()
        };
        assert_eq!(advise(step, term, &diagnosis, &known, &late).searches, 0);
        let names: Vec<_> = case.program.params.iter().map(|p| p.0).collect();
        let shown = report::not_reached(&diagnosis, Some(&advice), &names, &sources);
        let data = shown.data.clone().expect("the same for programs");
        *kinds
            .entry(data["advice"]["kind"].as_str().unwrap().to_string())
            .or_default() += 1;
        let text = render(&shown, &sources, Format::Human);
        let golden = path.with_extension("err");
        match std::env::var_os("BLESS").is_some() {
            true => fs::write(&golden, &text).unwrap(),
            false => {
                let wanted = fs::read_to_string(&golden).unwrap_or_default();
                if wanted != text {
                    wrong.push(format!(
                        "{}\n--- wanted\n{wanted}--- found\n{text}",
                        golden.display()
                    ));
                }
            }
        }
        match case.applied(&advice, &data) {
            Some(true) => {}
            None if case.name.contains("impossible") => {}
            _ => wrong.push(format!("{}: the advice does not help\n{text}", case.name)),
        }
        // A sketch that is proposed is one that the project reads, and says what it is.
        if let Some(near) = diagnosis.instead.iter().flat_map(|i| &i.guides).next() {
            let (head, _) = case.text.split_once("\nsketch").unwrap();
            let text = format!("{head}\nsketch {}\n", near.sketch);
            let mut step = case
                .guide(&mut SourceMap::new(), &text, BTreeMap::new())
                .steps
                .remove(0);
            step.rules.clear();
            let goal = Goal::new(&step.sketch, near.term.lambdas());
            assert!(goal.accepts(&near.term), "{}: {}", case.name, near.sketch);
        }
    }
    assert!(
        wrong.is_empty(),
        "BLESS=1 accepts what is found\n\n{}",
        wrong.join("\n")
    );
    for kind in [
        "edit", "divide", "rules", "limit", "guide", "permit", "nothing",
    ] {
        assert!(kinds.contains_key(kind), "no case for `{kind}`: {kinds:?}");
    }
}

/// What a weaker sketch says as text is what it asks, and leaving parts out never asks for more.
#[test]
fn weaker_sketches_can_be_read_and_are_weaker() {
    let program = program("programs/mm.rise");
    let steps = chain("sketches/mm/parallel.sk", &program, &[]);
    let outcome = optimize(&program, &steps, &Options::default());
    let mut accepted = [0, 0];
    for step in &steps {
        let parts = Parts::new(&step.sketch);
        let n = parts.list.len();
        for mask in (0..1u32 << n).step_by(((1 << n) / 24).max(1)) {
            let kept = (0..n).filter(|i| mask >> i & 1 == 1).collect();
            let weaker = parts.weaker(&kept);
            let case = Case {
                name: step.name.clone(),
                text: String::new(),
                program: program.clone(),
                before: Vec::new(),
            };
            let head = "import \"sketches/prelude.sk\"\nparam tile = 32\nparam block = 4\n";
            let text = format!("{head}sketch {}\n", weaker.text);
            let read = case
                .guide(&mut SourceMap::new(), &text, BTreeMap::new())
                .steps
                .remove(0);
            let params = program.term.lambdas();
            let [read, goal, whole] =
                [&read.sketch, &weaker.sketch, &step.sketch].map(|s| Goal::new(s, params));
            for term in &outcome.terms {
                let accepts = goal.accepts(term);
                assert_eq!(accepts, read.accepts(term), "{}", weaker.text);
                assert!(accepts || !whole.accepts(term), "{}", weaker.text);
                accepted[usize::from(accepts)] += 1;
            }
        }
    }
    assert!(accepted[0] > 20 && accepted[1] > 20, "{accepted:?}");
}

/// Nobody waits for the diagnosis either.
#[test]
fn what_nobody_waits_for_any_more_is_not_looked_for() {
    let program = program("programs/mm.rise");
    let steps = chain("sketches/mm/blocking.sk", &program, &[]);
    let options = Options {
        diagnose: true,
        until: Some(Instant::now()),
        ..Options::default()
    };
    let failure = optimize(&program, &steps, &options).failure.unwrap();
    assert!(matches!(failure.stop, Stop::Seconds(_)), "{failure:?}");
    let instead = failure.instead.unwrap();
    assert!(instead.closest.is_none() && instead.guides.is_empty());
}
