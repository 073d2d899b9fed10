//! What was checked, what is trusted, and what nobody looked at.
//!
//! In: a record. Out: HTML. Invariant: what the record does not say was checked is listed as not checked. Absent:
//! judgement of times.

use super::text::{code, count, esc, prose, Page};
use crate::emit::Contract;
use crate::exec::compare::not_compared;
use crate::exec::measure::Timing;
use crate::exec::run::{Check, Report, Subject};
use crate::report::record::{Kernel, Record};
use crate::report::validation::Kind;
use crate::report::{digits, seconds};

const ROWS: usize = 40;

/// An entry of the list: how it stands, in a sentence of HTML, with more.
enum Entry {
    Checked(String, String),
    Trusted(String, String),
    Missing(String, String),
}
use Entry::{Checked, Missing, Trusted};

pub fn write(r: &Record, p: &mut Page) {
    let mut all = Vec::new();
    search(r, &mut all);
    sums(r, &mut all);
    kernel(r, &mut all);
    for (title, class, mark, want) in [
        ("Checked", "good", "✓", 0),
        ("Trusted", "fair", "△", 1),
        ("Not checked", "none", "○", 2),
    ] {
        let of = all.iter().filter_map(|e| match (e, want) {
            (Checked(a, b), 0) | (Trusted(a, b), 1) | (Missing(a, b), 2) => Some((a, b)),
            _ => None,
        });
        let of: Vec<_> = of.collect();
        if of.is_empty() {
            continue;
        }
        p.add(&format!("<h3>{title}</h3>\n<ul class=\"checks\">\n"));
        for (what, more) in of {
            p.add(&format!(
                "<li class=\"{class}\"><span aria-hidden=\"true\">{mark}</span> <div>{what} <small>{more}</small></div></li>\n"
            ));
        }
        p.add("</ul>\n");
    }
    if let Some(run) = &r.run {
        comparisons(run, p);
        times(run, &r.program.name, p);
        if !run.remarks.trim().is_empty() {
            p.add("<h3>The C compiler remarked</h3>\n");
            p.add(&format!(
                "<pre class=\"box\" tabindex=\"0\">{}</pre>\n",
                esc(run.remarks.trim())
            ));
        }
    }
}

fn search(r: &Record, all: &mut Vec<Entry>) {
    let reached = r
        .steps
        .iter()
        .filter(|s| s.search.is_some() && s.found.is_some());
    let n = reached.count();
    if n > 0 {
        all.push(Checked(
            format!(
                "The term after each of {n} step{} satisfies its sketch.",
                if n == 1 { "" } else { "s" }
            ),
            "Satisfying and extracting are one recursion.".into(),
        ));
    }
    if let Some(s) = r.unreached() {
        let name = esc(&s.name);
        all.push(Missing(
            format!("Nothing after step {name}: its sketch was not reached."),
            String::new(),
        ));
    }
    let searches = || r.steps.iter().filter_map(|s| s.search.as_ref());
    if let Some(s) = searches().find(|s| !s.trace.reproducible) {
        all.push(Missing(
            format!(
                "Another run may end elsewhere: a limit of time or memory ended step {}.",
                esc(&s.trace.name)
            ),
            "Limits in iterations and e-nodes are reproducible.".into(),
        ));
    }
    let mut used: Vec<&str> = searches()
        .flat_map(|s| &s.trace.iterations)
        .flat_map(|i| &i.rules)
        .filter(|rule| rule.applied > 0)
        .map(|rule| rule.name.as_str())
        .collect();
    used.sort_unstable();
    used.dedup();
    let known = |rule: &&str| {
        let declared = r.rules.all.iter().find(|d| d.name == **rule);
        declared.is_some_and(|d| d.proved)
    };
    let (proved, open): (Vec<&str>, Vec<&str>) = used.into_iter().partition(known);
    if !proved.is_empty() {
        all.push(Checked(
            format!("{} rules that were applied are proved.", count(proved.len() as u64)),
            "Wherever a rule's conditions hold, elements of both sides are equal, for all sizes, functions and data.".into(),
        ));
    }
    // β, η and their like are no rules of a file.
    let written = |rule: &&str| r.rules.all.iter().any(|d| d.name == **rule);
    let open: Vec<String> = open.into_iter().filter(written).map(code).collect();
    if !open.is_empty() {
        all.push(Trusted(
            format!("Rules without a verdict were applied: {}.", open.join(", ")),
            format!(
                "They are typed and agree on random instances; {} allowed them.",
                code("--allow-unverified")
            ),
        ));
    }
    match (&r.why, r.steps.iter().any(|s| s.search.is_none())) {
        (Some(_), _) => all.push(Checked(
            "A chain of rules leads from the program to the result.".into(),
            "It was replayed without the e-graph; see “Why equal”.".into(),
        )),
        (None, true) => all.push(Trusted(
            "The terms come from a plan.".into(),
            "Each has the program's type; that it equals the program is not shown.".into(),
        )),
        (None, false) if n > 0 => all.push(Missing(
            "No proof that the result equals the program was made.".into(),
            format!("{} makes one.", code("--emit proof")),
        )),
        (None, false) => {}
    }
}

fn sums(r: &Record, all: &mut Vec<Entry>) {
    if r.steps.is_empty() || r.exact && r.reassociation.is_empty() {
        return;
    }
    if r.reassociation.is_empty() {
        all.push(Checked(
            "Sums of floating-point numbers are not regrouped.".into(),
            "No step was permitted to.".into(),
        ));
    }
    if r.kernel.is_some() {
        let how = format!("Rounding: {}.", r.contract.sentence());
        all.push(match r.contract {
            Contract::On => Trusted(
                how,
                "Kernels of two compilers may differ in rounding, and where numbers overflow or cancel in more than that; --contract off forbids it.".into(),
            ),
            Contract::Off => Checked(how, "The C text tells gcc and clang so.".into()),
        });
    }
    if let Some(functions) = &r.approximations {
        all.push(Trusted(
            format!("Functions of floats are approximated: {functions}."),
            "A step permitted it; the bound was measured.".into(),
        ));
    }
    for a in &r.reassociation {
        let step = esc(&a.step);
        if a.rules.is_empty() {
            all.push(Checked(
                format!("Step {step} was permitted to regroup sums; no rule did."),
                String::new(),
            ))
        } else {
            let rules: Vec<String> = a.rules.iter().map(|n| code(n)).collect();
            all.push(Trusted(
                format!(
                    "Step {step} regrouped sums of floating-point numbers, by {}.",
                    rules.join(", ")
                ),
                "Results may differ by rounding.".into(),
            ));
        }
    }
}

fn kernel(r: &Record, all: &mut Vec<Entry>) {
    for m in &r.failure {
        if r.unreached().is_none() {
            all.push(Missing(
                format!("{} {}", code(&m.code), prose(&m.message)),
                String::new(),
            ));
        }
    }
    let Some(k) = &r.kernel else { return };
    if !k.assumptions.is_empty() {
        all.push(Checked(
            "The kernel checks its assumptions on every call, before it writes.".into(),
            esc(&k.assumptions.join(", ")),
        ));
    }
    all.push(validation(r));
    let Some(run) = &r.run else {
        all.push(Missing(
            if r.run_wanted {
                "The run of the kernel did not end well.".into()
            } else {
                "The kernel was not compiled, run or measured.".into()
            },
            if r.run_wanted {
                String::new()
            } else {
                format!("{} does that.", code("--run"))
            },
        ));
        return;
    };
    agreement(run, all);
    refusals(k, run, all);
    all.push(Checked(
        "It touched nothing outside of its arrays in those calls.".into(),
        "Each array ended at a page that may not be touched.".into(),
    ));
    all.push(Missing(
        "Sizes and inputs other than those below.".into(),
        format!("Inputs are random, of seed {}.", run.seed),
    ));
}

/// What is known of the loop program.
fn validation(r: &Record) -> Entry {
    let Some(found) = &r.validation else {
        return Missing(
            "The loop program was not validated.".into(),
            format!("{} does that.", code("--validate on")),
        );
    };
    let met = found.shown();
    let more = "See “Obligations”.".to_string();
    match found.verdict {
        Kind::Validated => Checked(
            format!(
                "The loop program computes its term at all sizes that it accepts: {} obligations.",
                count(met as u64)
            ),
            more,
        ),
        Kind::Unknown => Missing(
            format!(
                "{} of {} obligations of the loop program were not shown.",
                count(found.open.len() as u64),
                count((met + found.open.len()) as u64)
            ),
            more,
        ),
        Kind::Refuted => Missing("The loop program is wrong.".into(), more),
    }
}

/// With what the kernel was compared.
fn agreement(run: &Report, all: &mut Vec<Entry>) {
    let compared = |against: Subject| {
        let of = run.checks.iter();
        let of: Vec<&Check> = of
            .filter(|c| c.what == Subject::Kernel && c.against == against)
            .collect();
        let error = of.iter().map(|c| c.difference.error).fold(0.0, f64::max);
        let open = of.iter().map(|c| c.difference.unbounded);
        let open = not_compared(open.fold(0, u64::saturating_add));
        let said = if error > 0.0 {
            format!("relative error {error:.1e}, which rounding explains{open}")
        } else {
            format!("equal to the bit{open}")
        };
        (of.len(), said)
    };
    for (against, what) in [
        (Subject::Interpreter, "the interpreter"),
        (Subject::Unoptimised, "the unoptimised kernel"),
    ] {
        match compared(against) {
            (0, _) => all.push(Missing(
                format!("The kernel was not compared with {what}."),
                String::new(),
            )),
            (n, said) => all.push(Checked(
                format!(
                    "The kernel agrees with {what} in {n} comparison{}.",
                    if n == 1 { "" } else { "s" }
                ),
                esc(&said),
            )),
        }
    }
}

/// Which of the sizes that are excluded were tried.
fn refusals(k: &Kernel, run: &Report, all: &mut Vec<Entry>) {
    match (run.refused.len(), k.assumptions.is_empty()) {
        (0, true) => {}
        (0, false) => all.push(Missing(
            "No excluded sizes were tried.".into(),
            String::new(),
        )),
        (n, _) => all.push(Checked(
            format!("The kernel refused the {n} excluded sizes that were tried."),
            esc(&run
                .refused
                .iter()
                .map(|s| sizes(s))
                .collect::<Vec<_>>()
                .join("; ")),
        )),
    }
}

fn sizes(sizes: &[(String, i64)]) -> String {
    let all: Vec<_> = sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    all.join(" ")
}

fn name(s: Subject) -> &'static str {
    match s {
        Subject::Kernel => "kernel",
        Subject::Uncontracted => "kernel without contraction",
        Subject::Unoptimised => "unoptimised",
        Subject::Interpreter => "interpreter",
    }
}

fn comparisons(run: &Report, p: &mut Page) {
    p.add("<h3>Comparisons</h3>\n");
    let rows: Vec<Vec<String>> = (run.checks.iter().take(ROWS))
        .map(|c| {
            vec![
                format!("{} = {}", name(c.what), name(c.against)),
                code(&sizes(&c.sizes)),
                c.threads.to_string(),
                if c.difference.error > 0.0 {
                    format!("{:.1e}", c.difference.error)
                } else {
                    "equal".to_string()
                },
                format!("{:.1e}", c.difference.tolerance),
            ]
        })
        .collect();
    let heads = [
        ("compared", ""),
        ("sizes", ""),
        ("threads", "n"),
        ("relative error", "n"),
        ("tolerance", "n"),
    ];
    p.table("Comparisons", &heads, &rows);
    p.cut(ROWS.min(run.checks.len()), run.checks.len(), "comparisons");
}

fn times(run: &Report, program: &str, p: &mut Page) {
    p.add(&format!(
        "<h3>Times <small>{}, {} thread{}</small></h3>\n",
        code(&sizes(&run.sizes)),
        run.threads,
        if run.threads == 1 { "" } else { "s" }
    ));
    let slowest = f64::max(run.kernel.best(), run.unoptimised.best());
    let rows = [(program, &run.kernel), ("unoptimised", &run.unoptimised)].map(
        |(name, t): (&str, &Timing)| {
            let share = (100.0 * t.best() / slowest).clamp(0.0, 100.0);
            let samples = t.seconds.len() + t.dropped;
            vec![
                code(name),
                format!("<span class=\"bar\" style=\"--share:{share:.1}%\"></span>"),
                esc(&seconds(t.best())),
                esc(&seconds(t.median())),
                esc(&digits(run.gflops(t))),
                format!("{} of {samples}", t.seconds.len()),
            ]
        },
    );
    let heads = [
        ("kernel", ""),
        ("best time", "share"),
        ("best", "n"),
        ("median", "n"),
        ("GFLOP/s", "n"),
        ("samples that count", "n"),
    ];
    p.table("Times", &heads, &rows);
    if run.kernel.dropped + run.unoptimised.dropped > 0 {
        p.note("Samples in which the threads shared a core do not count.");
    }
    p.note(&format!("{}; {}", run.compiler, run.flags.join(" ")));
}
