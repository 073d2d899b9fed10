//! `rise-opt synth --harvest DIR`: what lowering and validation left open, as a corpus.
//!
//! In: a folder with programs, sketches and what `--emit queries` wrote. Out: a corpus: each expression once, below the file that it
//! comes from. A program that does not lower, or a goal that is not reached soon, is counted and left out.

use super::super::simplify::{questions, Wanted};
use super::super::{command_line, Context};
use crate::diag::{code, Diagnostic};
use crate::driver::{stuck, Files, Trust};
use crate::intern::Symbol;
use crate::source::files_below;
use crate::synth::{corpus, problems, LeftOut, Question};
use crate::target::Target;
use std::path::Path;

/// A corpus, and whatever cannot be read.
pub(super) fn harvest(
    dir: &str,
    to_solve: Option<(Symbol, usize)>,
    context: &mut Context,
    tell: &mut dyn FnMut(&str),
) -> Result<String, Vec<Diagnostic>> {
    let files = files_below(Path::new(dir), "").map_err(|e| {
        let said = format!("the folder `{dir}` cannot be read: {}", e.kind());
        vec![Diagnostic::new(code::FILE_UNREADABLE, said)
            .help("name a folder with programs, which end in .rise")]
    })?;
    let with = |end: &str| -> Vec<&String> { files.iter().filter(|f| f.ends_with(end)).collect() };
    let (programs, sketches, written) = (with(".rise"), with(".sk"), with(".queries"));
    let mut all = Vec::new();
    let (mut read, mut failed) = (0, 0);
    let mut wrong = Vec::new();
    for program in &programs {
        let mut goals: Vec<Vec<String>> = vec![Vec::new()];
        let own = sketches.iter().filter(|s| folder(s) == stem(program));
        goals.extend(own.map(|s| vec![s.to_string()]));
        for goal in goals {
            let place = goal.first().unwrap_or(program).to_string();
            tell(&format!("{place}: {} expressions so far", all.len()));
            // What is to be solved are conditions of loops.
            match of_goal(program, &goal, to_solve.is_none(), context) {
                Ok(text) => {
                    read += 1;
                    take(&place, &text, context, &mut wrong, &mut all);
                }
                Err(_) => failed += 1,
            }
        }
    }
    for path in written {
        let file = context.sources.load(path).map_err(|e| vec![e.into()])?;
        let text = context.sources.file(file).text.to_string();
        take(path, &text, context, &mut wrong, &mut all);
        read += 1;
    }
    if read == 0 {
        let d = Diagnostic::new(code::EXPECTED, format!("`{dir}` holds nothing that lowers"));
        return Err(vec![d.help(
            "name a folder with programs (.rise), with sketches in folders of their names, or with files of `--emit queries`",
        )]);
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    if let Some((target, count)) = to_solve {
        return Ok(problem_page(&problems(&all, target, count), target));
    }
    let (kept, left_out) = corpus(all);
    Ok(page(&kept, left_out, read, failed))
}

fn of_goal(
    program: &str,
    goal: &[String],
    validated: bool,
    context: &mut Context,
) -> Result<String, Vec<Diagnostic>> {
    let files = Files {
        program,
        entry: None,
        sketches: goal,
        set: &[],
        target: Target::default(),
        trust: Trust::default(),
    };
    stuck(&files, validated, &mut context.sources)
}

/// Adds the expressions of a text.
fn take(
    place: &str,
    text: &str,
    context: &mut Context,
    wrong: &mut Vec<Diagnostic>,
    all: &mut Vec<Question>,
) {
    let file = context.sources.add_text(place, text);
    for (_, read) in questions(file, text, &[], Wanted::Value, wrong) {
        all.extend(read.map(|(e, facts)| Question {
            e,
            facts,
            place: place.to_string(),
        }));
    }
}

fn page(kept: &[Question], left_out: LeftOut, read: usize, failed: usize) -> String {
    let LeftOut {
        again,
        open,
        nowhere,
        leaves,
        vectors,
    } = left_out;
    let page = format!(
        "-- What lowering and validation left open, by `{}`.\n\
         -- {} expressions of {read} kernels ({failed} were not made); left out: {again} seen before but for names and numbers, \
         {open} true here and false there, {nowhere} of cases that do not occur, {leaves} variables, {vectors} about vectors\n",
        command_line(),
        kept.len(),
    );
    page + &lines(kept)
}

fn problem_page(all: &[Question], target: Symbol) -> String {
    let head = format!(
        "-- Expressions in which {target} is to be isolated, by `{}`: what lowering asked, and more like it.\n",
        command_line()
    );
    head + &lines(all)
}

/// One line for each, below the file that it comes from.
fn lines(all: &[Question]) -> String {
    let mut page = String::new();
    let mut last = "";
    for q in all {
        if q.place != last {
            page += &format!("-- {}\n", q.place);
            last = &q.place;
        }
        let facts: Vec<String> = q.facts.iter().map(|f| format!("({f})")).collect();
        page += &match facts.is_empty() {
            true => format!("{}\n", q.e),
            false => format!("{}  where {}\n", q.e, facts.join(" && ")),
        };
    }
    page
}

fn stem(path: &str) -> Option<&str> {
    Path::new(path).file_stem()?.to_str()
}

/// The name of the folder that a file stands in.
fn folder(path: &str) -> Option<&str> {
    Path::new(path).parent()?.file_name()?.to_str()
}
