//! Guides for a goal, as a sketch file.
//!
//! In: the input, whose last sketch is the goal and whose rules are all that may be used. Out: the chain that a search for guides
//! found as the text of a sketch file, with the reason for each step; what was tried. The file is read again as if a user had
//! written it, so that what replays is what the kernel is made of. Absent: the search for guides, files.

use super::auto::adopt;
use super::input::Input;
use super::trust::Trust;
use crate::diag::{code, Diagnostic};
use crate::elab::Step;
use crate::report::guides::{GuideTry, GuidesTried};
use crate::report::step_text;
use crate::search::{self, guides};
use crate::source::{FileId, SourceMap};
use crate::syntax::{parse, print, Dialect};
use std::fmt::Write as _;
use std::time::Instant;

/// A chain that leads to the goal.
#[derive(Clone, Debug)]
pub struct FoundGuides {
    /// As a sketch file.
    pub text: String,
    /// For the summary.
    pub tried: GuidesTried,
}

/// Finds guides, and gives the input their steps.
pub fn find(
    input: &mut Input,
    options: &search::Options,
    trust: Trust,
    sources: &mut SourceMap,
) -> Result<FoundGuides, Vec<Diagnostic>> {
    let Some(goal) = search::unguided(&input.steps) else {
        let what = "there is no goal to find guides for";
        let d = Diagnostic::new(code::NO_SKETCH, what);
        return Err(vec![d.help("name a sketch file with `--sketch`")]);
    };
    let found = guides::guides(&input.program, &goal, options);
    let tried = tried(&found);
    let Some(chain) = found.chain else {
        return Err(vec![not_found(&goal, &tried, options)]);
    };
    let text = text(&chain, &tried, sources);
    adopt(input, &text, trust, sources)?;
    Ok(FoundGuides { text, tried })
}

fn tried(found: &guides::Guides) -> GuidesTried {
    let each = |t: &guides::Try| GuideTry {
        what: t.what.clone(),
        rules: t.rules,
        iterations: t.iterations,
        nodes: t.nodes,
        reached: t.reached,
    };
    GuidesTried {
        tries: found.tries.iter().map(each).collect(),
        nodes: found.nodes,
    }
}

fn not_found(goal: &Step, tried: &GuidesTried, options: &search::Options) -> Diagnostic {
    let text = format!(
        "no guides to the sketch of `{}` were found in {} searches, {} e-nodes",
        goal.name,
        tried.tries.len(),
        tried.nodes
    );
    let mut d = Diagnostic::new(code::GOAL_NOT_REACHED, text).at(goal.sketch.span);
    let late = options.until.is_some_and(|u| Instant::now() >= u);
    if !tried.tries.is_empty() {
        d = d.note(tried.human().trim_end().to_string());
    }
    match options.seconds.filter(|_| late) {
        Some(n) => d
            .note(format!("the limit of {n} s ended them"))
            .help("allow more: `--time-limit`"),
        None => d.help("put a sketch in between that says less, or more rules; without `--guides auto` the diagnosis says how far one step comes"),
    }
}

/// The chain as a sketch file.
fn text(chain: &[guides::Link], tried: &GuidesTried, sources: &SourceMap) -> String {
    let mut text = format!(
        "-- Guides found by `--guides auto`, in {} searches, {} e-nodes.\nimport \"sketches/prelude.sk\"\n",
        tried.tries.len(),
        tried.nodes
    );
    for (i, link) in chain.iter().enumerate() {
        let last = i + 1 == chain.len();
        let name = match last {
            true => "goal".to_string(),
            false => format!("guide-{}", i + 1),
        };
        let step = Step {
            name,
            ..link.step.clone()
        };
        let _ = write!(
            text,
            "\n-- Adds {}.\n{}",
            link.why,
            step_text(&step, sources)
        );
    }
    let parsed = parse(FileId::default(), &text, Dialect::Sketch);
    match parsed.diagnostics.is_empty() {
        true => print(&parsed, &text),
        false => text,
    }
}
