//! Functions that stand on the command line.
//!
//! In: a text, its type, the names that it may use. Out: the function as a term. Absent: what is asked of it.

use crate::cli::context::Context;
use crate::diag::{code, Diagnostic};
use crate::elab;
use crate::term::{Kind, Term};

/// A function that is asked about.
pub(super) struct Asked {
    pub text: String,
    pub term: Term,
    /// The names of its variables, innermost first.
    pub names: Vec<String>,
}

/// A function of a type; `with` are its variables, `k : i32`, and sizes, `n : nat`.
pub(super) fn define(
    text: &str,
    ty: &str,
    with: &[String],
    context: &mut Context,
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
    let file = context.sources.add_text("OPERATOR", &whole);
    let program = elab::definition(&mut context.sources, file, None)?;
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
