//! Advice on sketches that are not reached because something was taken away: guides, a rule, iterations.
//!
//! A case is a shipped program, its sketches, and what is taken away: the guides between two steps, of which one step with the
//! rules of both is made; a rule; an iteration. It counts as right if the advice, pasted as it is printed, reaches the sketch at
//! once. `cargo test --release --test searches guides_taken:: -- --ignored --nocapture` looks for all cases, writes those that are
//! not reached to `tests/guides_taken.txt` with `BLESS=1`, and prints the table of docs/automatic.md; with `LISTED=1` only at those of
//! the list, with `QUICK=1` at none that has all e-nodes, with `ONLY=…` at some programs or sketches; `TEXT=1` shows the advice that is wrong.

use crate::common::goals::GOALS;
use crate::common::program;
use rise_opt::cost::Cost;
use rise_opt::driver::auto::auto;
use rise_opt::driver::Input;
use rise_opt::elab::{self, Focus, Limits, Step, Surroundings};
use rise_opt::report;
use rise_opt::schedule::{Permits, Space};
use rise_opt::search::{advise, optimize, saturate, start, unguided, Known, Options};
use rise_opt::source::{FileId, SourceMap};
use rise_opt::target::Target;
use rise_opt::term::{Program, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Instant;

const LIST: &str = "tests/guides_taken.txt";

/// What is taken away.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Taken {
    /// The sketches from one step on up to another one, whose own stays.
    Guides(usize, usize),
    /// The same, and most of the e-nodes that a step may have.
    Nodes(usize, usize),
    /// A rule of a step.
    Rule(usize, String),
    /// An iteration of those that a step needs.
    Iteration(usize),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Case {
    program: String,
    sketch: String,
    set: String,
    taken: Taken,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.program, self.sketch)?;
        if !self.set.is_empty() {
            write!(f, " {}", self.set)?;
        }
        match &self.taken {
            Taken::Guides(a, b) => write!(f, " guides {a}..{b}"),
            Taken::Nodes(a, b) => write!(f, " nodes {a}..{b}"),
            Taken::Rule(a, rule) => write!(f, " rule {a} {rule}"),
            Taken::Iteration(a) => write!(f, " iteration {a}"),
        }
    }
}

/// Limits of a user who sets none.
fn limits(of: &Limits) -> Limits {
    Limits {
        iterations: of.iterations.filter(|n| *n < u64::MAX),
        nodes: of.nodes.filter(|n| *n < u64::MAX),
        ..of.clone()
    }
}

/// Where a case begins, and the step that is not reached from there, as text.
struct Unreached {
    program: Program,
    term: Term,
    text: String,
}

/// A program with its steps, searched for once.
struct Chain {
    program: Program,
    sources: SourceMap,
    steps: Vec<Step>,
    /// The program, then what each step found, and in how many iterations.
    terms: Vec<Term>,
    iterations: Vec<u64>,
}

impl Chain {
    fn new(path: &str, sketch: &str, set: &str) -> Chain {
        let program = program(path);
        let mut sources = SourceMap::new();
        let steps = steps(&mut sources, &program, sketch, set);
        let outcome = optimize(&program, &steps, &Options::default());
        let failure = outcome.failure.map(|d| d.step);
        assert!(failure.is_none(), "{path} {sketch}: {failure:?}");
        let mut terms = vec![start(&program)];
        terms.extend(outcome.terms);
        let iterations = outcome.trace.steps.iter();
        Chain {
            program,
            sources,
            steps,
            terms,
            iterations: iterations.map(|s| s.iterations.len() as u64).collect(),
        }
    }

    /// What is left; none if a step is about a side of the term alone.
    fn without(&self, taken: &Taken) -> Option<Unreached> {
        let (from, mut step) = match taken {
            Taken::Guides(from, to) | Taken::Nodes(from, to) => {
                let all = &self.steps[from - 1..*to];
                let step = unguided(all)?;
                let mut limits = limits(&step.limits);
                if let Taken::Nodes(..) = taken {
                    limits.nodes = Some(NODES);
                }
                (*from, Step { limits, ..step })
            }
            Taken::Rule(at, rule) => {
                let mut step = self.steps[at - 1].clone();
                step.rules.retain(|u| u.rule.name.as_str() != rule);
                step.limits.nodes = Some(NODES);
                (*at, step)
            }
            Taken::Iteration(at) => {
                let mut step = self.steps[at - 1].clone();
                step.limits.iterations = Some(self.iterations[at - 1] - 1);
                (*at, step)
            }
        };
        step.name = "goal".to_string();
        let to = match taken {
            Taken::Guides(_, to) | Taken::Nodes(_, to) => *to,
            _ => from,
        };
        let whole = self.steps[from - 1..to]
            .iter()
            .all(|s| s.focus == Focus::Whole);
        let text = report::step_text(&step, &self.sources);
        let (head, sketch) = text.rsplit_once("\nsketch ").expect("it has one");
        let text = format!("{PRELUDE}{head}\n{}sketch {sketch}", ends(&step.limits));
        whole.then(|| Unreached {
            program: self.program.clone(),
            term: self.terms[from - 1].clone(),
            text,
        })
    }

    /// All that may be taken away; of each step one rule that is not taken from an earlier one.
    fn cases(&self, (path, sketch, set): (&str, &str, &str)) -> Vec<Case> {
        let mut rules = BTreeSet::new();
        let mut taken = Vec::new();
        for to in 2..=self.steps.len() {
            for from in (1..to).rev() {
                taken.extend([Taken::Nodes(from, to), Taken::Guides(from, to)]);
            }
        }
        for (i, step) in self.steps.iter().enumerate() {
            let mut names = step.rules.iter().map(|u| u.rule.name.to_string());
            if let Some(rule) = names.find(|name| !rules.contains(name)) {
                rules.insert(rule.clone());
                taken.push(Taken::Rule(i + 1, rule));
            }
        }
        let longest = (0..self.steps.len()).max_by_key(|i| self.iterations[*i]);
        taken
            .extend((longest.filter(|i| self.iterations[*i] > 1)).map(|i| Taken::Iteration(i + 1)));
        let case = |taken| Case {
            program: path.to_string(),
            sketch: sketch.to_string(),
            set: set.to_string(),
            taken,
        };
        taken.into_iter().map(case).collect()
    }
}

/// E-nodes where they are few.
const NODES: u64 = 20_000;
const PRELUDE: &str = "import \"sketches/prelude.sk\"\n";

/// The limits that end a step, as items.
fn ends(limits: &Limits) -> String {
    let all = [("iterations", limits.iterations), ("nodes", limits.nodes)];
    let all = all.iter().filter_map(|(name, n)| n.map(|n| (name, n)));
    all.map(|(name, n)| format!("limits {name} {n}\n"))
        .collect()
}

/// In the place of a sketch: what is found without one.
const AUTO: &str = "--auto";

fn auto_text(program: &Program) -> String {
    let input = Input {
        program: program.clone(),
        steps: Vec::new(),
        params: BTreeMap::new(),
        fixed: BTreeMap::new(),
        target: Target::Avx2,
        unverified: Vec::new(),
        plan: None,
    };
    let permits = Permits {
        reassociate: true,
        ..Permits::default()
    };
    let (options, sources) = (Options::default(), &mut SourceMap::new());
    auto(&input, permits, Space::Small, &options, sources).text()
}

fn steps(sources: &mut SourceMap, program: &Program, sketch: &str, set: &str) -> Vec<Step> {
    let file = match sketch {
        AUTO => sources.add_text("auto.sk", &auto_text(program)),
        _ => sources
            .load(sketch)
            .unwrap_or_else(|_| panic!("{sketch} is missing")),
    };
    let set = set.split(',').filter_map(|s| s.split_once('='));
    let settings = set
        .map(|(name, n)| (name.to_string(), n.parse().unwrap()))
        .collect();
    read(sources, file, program, settings)
}

fn read(
    sources: &mut SourceMap,
    file: FileId,
    program: &Program,
    settings: BTreeMap<String, i64>,
) -> Vec<Step> {
    let costs: Vec<&str> = Cost::ALL.iter().map(|c| c.0).collect();
    let around = Surroundings {
        sizes: Some(&program.sizes),
        settings,
        costs: &costs,
        target: Target::Avx2,
    };
    elab::steps(sources, file, &around)
        .unwrap_or_else(|e| panic!("{e:?}"))
        .steps
}

/// What came of a case.
struct Result {
    /// E-nodes of the search that failed, and how it and the advice did.
    nodes: u64,
    kind: String,
    right: bool,
    searches: u64,
    spent: u64,
    text: String,
}

impl Unreached {
    fn read(&self, sources: &mut SourceMap, text: &str) -> Vec<Step> {
        let file = sources.add_text("goal.sk", text);
        read(sources, file, &self.program, BTreeMap::new())
    }

    /// Whether the steps of these texts, one after the other, reach the last.
    fn reached(&self, texts: &[String]) -> bool {
        let mut term = self.term.clone();
        for text in texts {
            for step in self.read(&mut SourceMap::new(), text) {
                match saturate(&step, &term, &Options::default()).1 {
                    Ok(found) => term = found,
                    Err(_) => return false,
                }
            }
        }
        true
    }

    /// None if the sketch is reached all the same.
    fn result(&self) -> Option<Result> {
        let mut sources = SourceMap::new();
        let steps = self.read(&mut sources, &self.text);
        let options = Options {
            diagnose: true,
            ..Options::default()
        };
        let failed = saturate(&steps[0], &self.term, &options).1.err()?;
        let known = Known {
            rules: elab::shipped_rules(&mut sources),
            params: Vec::new(),
        };
        let advice = advise(&steps[0], &self.term, &failed, &known, &options);
        let names: Vec<_> = self.program.params.iter().map(|p| p.0).collect();
        let shown = report::not_reached(&failed, Some(&advice), &names, &sources);
        let data = shown.data.expect("the same for programs");
        let advice = &data["advice"];
        let kind = advice["kind"].as_str().expect("a kind").to_string();
        Some(Result {
            nodes: failed.size.nodes,
            // What was not seen to work is no answer.
            right: !advice["reached"].is_null()
                && self.applied(&kind, advice["paste"].as_str().unwrap_or("")),
            searches: advice["searches"].as_u64().unwrap(),
            spent: advice["nodes"].as_u64().unwrap(),
            text: advice["text"].as_str().unwrap().to_string(),
            kind,
        })
    }

    /// Whether the advice, written where it says, reaches the sketch. A change of the sketch does not: it was right.
    fn applied(&self, kind: &str, paste: &str) -> bool {
        let (head, sketch) = self.text.rsplit_once("\nsketch ").expect("it has one");
        match kind {
            "rules" | "permit" | "limit" => {
                self.reached(&[format!("{head}\n{paste}\nsketch {sketch}")])
            }
            "steps" => self.reached(&[paste.to_string()]),
            "guides" => self.reached(&[paste.to_string(), self.text.clone()]),
            "guide" => self.reached(&[format!("{head}\n{paste}\n"), self.text.clone()]),
            _ => false,
        }
    }
}

/// Those of shipped goals, then those that are found without a sketch.
fn chains() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut seen = BTreeSet::new();
    let goals = GOALS.iter().map(|g| (g.program, g.sketch, g.set));
    // Other parameters have the same guides.
    let goals = goals.filter(|g| seen.insert((g.0, g.1)));
    let programs = SourceMap::shipped().filter(|p| p.starts_with("programs/"));
    goals.chain(programs.map(|p| (p, AUTO, ""))).collect()
}

/// A case with what came of it, as it stands in the list.
fn line(case: &Case, result: &Result) -> String {
    let right = if result.right { "right" } else { "wrong" };
    format!("{right}\t{}\t{}\t{case}\n", result.kind, result.nodes)
}

/// Those of some cases of a chain that are not reached, with what came of them.
fn unreached(chain: &Chain, cases: &[Case], mut each: impl FnMut(&Case, &Unreached, Result, f64)) {
    let mut easy = BTreeSet::new();
    for case in cases {
        // What is reached with few e-nodes is with more.
        if matches!(case.taken, Taken::Guides(from, to) if easy.contains(&(from, to))) {
            continue;
        }
        let begun = Instant::now();
        let Some(left) = chain.without(&case.taken) else {
            continue;
        };
        match (left.result(), &case.taken) {
            (Some(result), _) => each(case, &left, result, begun.elapsed().as_secs_f64()),
            (None, Taken::Nodes(from, to)) => drop(easy.insert((*from, *to))),
            (None, _) => {}
        }
    }
}

impl Case {
    /// As the list has it.
    fn parse(text: &str) -> Option<Case> {
        let mut words = text.split(' ');
        let (program, sketch) = (words.next()?, words.next()?);
        let rest: Vec<&str> = words.collect();
        let kinds = ["guides", "nodes", "rule", "iteration"];
        let at = rest.iter().position(|w| kinds.contains(w))?;
        let range = |text: &str| {
            let (from, to) = text.split_once("..")?;
            Some((from.parse().ok()?, to.parse().ok()?))
        };
        let taken = match &rest[at..] {
            ["guides", all] => range(all).map(|(a, b)| Taken::Guides(a, b))?,
            ["nodes", all] => range(all).map(|(a, b)| Taken::Nodes(a, b))?,
            ["rule", step, rule] => Taken::Rule(step.parse().ok()?, rule.to_string()),
            ["iteration", step] => Taken::Iteration(step.parse().ok()?),
            _ => return None,
        };
        Some(Case {
            program: program.to_string(),
            sketch: sketch.to_string(),
            set: rest[..at].concat(),
            taken,
        })
    }
}

/// Those of the list that take little time, with one for which several steps are found: the advice is what it was, and right.
#[test]
fn advice_on_what_is_taken_away_is_right_at_once() {
    let list = std::fs::read_to_string(LIST).unwrap();
    let mut of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut checked = 0;
    for line in list.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [right, kind, nodes, text] = fields[..] else {
            panic!("{line}");
        };
        let case = Case::parse(text).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(case.to_string(), text);
        let count = of.entry(kind).or_default();
        let few = nodes.parse::<u64>().unwrap() < SMALL && *count < SAMPLE;
        let first = *count == 0 && kind.starts_with("guide");
        let shipped = right == "right" && case.sketch != AUTO && (few || first);
        if !shipped && text != FOUND {
            continue;
        }
        *count += 1;
        let chain = Chain::new(&case.program, &case.sketch, &case.set);
        let left = chain.without(&case.taken).expect(text);
        let result = left.result().unwrap_or_else(|| panic!("{text}: reached"));
        assert_eq!(
            (&*result.kind, result.right),
            (kind, true),
            "{text}\n{}",
            result.text
        );
        checked += 1;
    }
    assert!(checked >= 12, "{checked}: {of:?}");
}

/// Where vectors stand in accumulators alone, and what is kept is a reduction.
const FOUND: &str = "programs/gemm.rise --auto nodes 4..6";
/// Cases of each kind of advice that are checked always, and e-nodes of the searches that fail in them.
const SAMPLE: usize = 6;
const SMALL: u64 = 700;

/// What is taken away, for the table.
fn kind(taken: &Taken) -> &'static str {
    match taken {
        Taken::Guides(from, to) if from + 1 == *to => "a guide",
        Taken::Guides(..) => "several guides",
        Taken::Nodes(from, to) if from + 1 == *to => "a guide, and all but 20 000 e-nodes",
        Taken::Nodes(..) => "several guides, and all but 20 000 e-nodes",
        Taken::Rule(..) => "a rule",
        Taken::Iteration(_) => "an iteration",
    }
}

#[test]
#[ignore = "takes an hour: looks for cases, and prints the table of docs/automatic.md"]
fn all_that_is_taken_away() {
    let env = |name: &str| std::env::var(name).unwrap_or_default();
    let (only, listed, tell, quick) = (env("ONLY"), env("LISTED"), env("TEXT"), env("QUICK"));
    let old = std::fs::read_to_string(LIST).unwrap_or_default();
    let old = old.lines().filter_map(|l| l.rsplit('\t').next());
    let known: Vec<Case> = old.filter_map(Case::parse).collect();
    let mut lines = String::new();
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (path, sketch, set) in chains() {
        let same = |c: &Case| (&*c.program, &*c.sketch, &*c.set) == (path, sketch, set);
        let mut cases: Vec<Case> = known.iter().filter(|c| same(c)).cloned().collect();
        let is_meant = format!("{path} {sketch}").contains(&only);
        if !is_meant || !listed.is_empty() && cases.is_empty() {
            continue;
        }
        let chain = Chain::new(path, sketch, set);
        if listed.is_empty() {
            let all = chain.cases((path, sketch, set)).into_iter();
            let more: Vec<Case> = all.filter(|c| !cases.contains(c)).collect();
            cases.extend(more);
        }
        // Searches with all e-nodes that a step has take most of the time.
        cases.retain(|c| quick.is_empty() || !matches!(c.taken, Taken::Guides(..)));
        unreached(&chain, &cases, |case, left, result, seconds| {
            let count = counts.entry(kind(&case.taken)).or_default();
            count[0] += 1;
            count[1] += usize::from(result.right);
            lines += &line(case, &result);
            let (searches, spent) = (result.searches, result.spent);
            print!(
                "{seconds:.1} s, {searches} searches, {spent} e-nodes: {}",
                line(case, &result)
            );
            if tell == "all" || !tell.is_empty() && !result.right {
                println!("{}\n{}\n", left.text, result.text);
            }
        });
    }
    println!("| taken away | cases | right at once |\n|---|---|---|");
    let mut all = [0, 0];
    for (what, count) in counts {
        println!("| {what} | {} | {} |", count[0], count[1]);
        all = [all[0] + count[0], all[1] + count[1]];
    }
    println!("| all | {} | {} |", all[0], all[1]);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(LIST, lines).unwrap();
    }
}
