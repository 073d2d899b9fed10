//! Functions that stand on the command line or in a program.
//!
//! In: a text, its type, the names that it may use; or a program. Out: the function as a term. Absent: what is asked of it.

use crate::cli::context::Context;
use crate::diag::{code, Diagnostic};
use crate::elab;
use crate::intern::Symbol;
use crate::source::SourceMap;
use crate::term::{Kind, Term};

/// A function that is asked about.
pub(super) struct Asked {
    pub text: String,
    pub term: Term,
    /// The names of its variables, innermost first.
    pub names: Vec<String>,
}

impl Asked {
    /// A part of a program; `names` are the variables around it, innermost last.
    fn part(t: &Term, names: &[String]) -> Asked {
        let free: Vec<Symbol> = names.iter().map(|n| Symbol::new(n)).collect();
        Asked {
            text: elab::term_text(t, &free),
            term: t.clone(),
            names: names.iter().rev().cloned().collect(),
        }
    }
}

/// Of each part of a term that `choose` takes, inner ones first, the function that is asked about and what belongs to it, once.
pub(super) fn parts<'t, T: PartialEq>(
    t: &'t Term,
    choose: &impl Fn(&'t Term) -> Option<(&'t Term, T)>,
) -> Vec<(Asked, T)> {
    let mut found = Vec::new();
    collect(t, choose, &mut Vec::new(), &mut found);
    found
}

fn collect<'t, T: PartialEq>(
    t: &'t Term,
    choose: &impl Fn(&'t Term) -> Option<(&'t Term, T)>,
    names: &mut Vec<String>,
    found: &mut Vec<(Asked, T)>,
) {
    match t.kind() {
        Kind::Lam(hint, body) => {
            let name = hint.map_or_else(|| format!("v{}", names.len()), |h| h.to_string());
            names.push(name);
            collect(body, choose, names, found);
            names.pop();
        }
        Kind::App(f, x) => {
            collect(f, choose, names, found);
            collect(x, choose, names, found);
        }
        Kind::Prim(_) | Kind::Var(_) | Kind::Lit(_) | Kind::Hole(_) => {}
    }
    let Some((function, with)) = choose(t) else {
        return;
    };
    if !found.iter().any(|(a, w)| a.term == *function && *w == with) {
        found.push((Asked::part(function, names), with));
    }
}

/// A function of a type; `with` are its variables, `k : i32`, and sizes, `n : nat`.
pub(super) fn define(
    text: &str,
    ty: &str,
    with: &[String],
    sources: &mut SourceMap,
) -> Result<Asked, Vec<Diagnostic>> {
    let (mut sizes, mut params, mut count) = (String::new(), String::new(), 0);
    for with in with {
        match with.split_once(':') {
            Some((name, t)) if t.trim() == "nat" => sizes += &format!(" [{} : nat]", name.trim()),
            Some(_) => {
                params += &format!(" ({with})");
                count += 1;
            }
            None => {
                let what = format!("`{with}` is no name with a type");
                let d = Diagnostic::new(code::EXPECTED, what);
                return Err(vec![d.help("write `--with 'k : i32'`")]);
            }
        }
    }
    let whole = format!("def op{sizes}{params} : {ty} =\n  {text}\n");
    let file = sources.add_text("OPERATOR", &whole);
    let program = elab::definition(sources, file, None).map_err(|found| {
        let advise = |d: Diagnostic| given_by_with(d, sources);
        found.into_iter().map(advise).collect::<Vec<_>>()
    })?;
    let first = program.params.iter().take(count);
    let mut names: Vec<String> = first.map(|p| p.0.to_string()).collect();
    let mut term = program.term;
    for _ in &names {
        let Kind::Lam(_, body) = term.kind() else {
            break;
        };
        let body = body.clone();
        term = body;
    }
    names.reverse();
    Ok(Asked {
        text: text.to_string(),
        term,
        names,
    })
}

/// Nothing can be defined above a function of the command line: its names come from `--with`.
fn given_by_with(d: Diagnostic, sources: &SourceMap) -> Diagnostic {
    let place = d.primary.as_ref().map(|l| l.span);
    let name = place.map_or("", |span| sources.text(span));
    match d.code == code::UNKNOWN_NAME && d.help == Some(elab::define_above(name)) {
        true => {
            let help = format!("give it a type: `--with '{name} : i32'`");
            d.help(help)
        }
        false => d,
    }
}

/// The columns of the lines of a file that are not empty and do not begin with `--`.
pub(super) fn lines(path: &str, context: &mut Context) -> Result<Vec<Vec<String>>, Diagnostic> {
    let file = context.sources.load(path)?;
    let text = context.sources.file(file).text.to_string();
    let lines = text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with("--"));
    let columns = lines.map(|l| l.split('|').map(|c| c.trim().to_string()).collect());
    Ok(columns.collect())
}
