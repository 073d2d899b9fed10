//! Which files the main job writes, and where.
//!
//! In: `--emit`, `-o`, the name of the kernel. Out: paths, in the order in which they are asked for,
//! each known to be writable and none of them an input. `-o` names the first file; the others stand
//! beside it under the same stem. `-o -` prints everything on standard output. Absent: the texts.

use super::output::{write_all, Target};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::source::{Origin, SourceMap};
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// In the order in which they are written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Artefact {
    /// The kernel
    C,
    /// Its declaration, error codes and what the sizes must satisfy
    Header,
    /// The term that was found, as a program
    Term,
    /// The loop program between the term and C
    Nest,
    /// What the search did, iteration by iteration and rule by rule, as JSON
    Trace,
    /// The terms that were found, as JSON, from which `--replay` makes the same kernel
    Plan,
}

impl Artefact {
    /// What is added to the stem. The term's own ending keeps it apart from the program.
    fn extension(self) -> &'static str {
        match self {
            Artefact::C => "c",
            Artefact::Header => "h",
            Artefact::Term => "found.rise",
            Artefact::Nest => "nest",
            Artefact::Trace => "trace.json",
            Artefact::Plan => "plan.json",
        }
    }
}

/// Where the artefacts go.
pub struct Outputs {
    /// Sorted, each once.
    wanted: Vec<Artefact>,
    targets: Vec<Target>,
    /// `-o -`
    to_stdout: bool,
    header_name: Option<String>,
}

impl Outputs {
    pub fn prepare(
        emit: &[Artefact],
        output: Option<&str>,
        kernel: &str,
        sources: &SourceMap,
    ) -> Result<Outputs, Diagnostic> {
        let mut wanted = emit.to_vec();
        wanted.sort();
        wanted.dedup();
        let to_stdout = output == Some("-");
        let paths = match to_stdout {
            true => Vec::new(),
            false => paths(&wanted, output.map(Path::new), kernel),
        };
        let mut targets = Vec::new();
        let mut header_name = None;
        for (path, artefact) in paths.iter().zip(&wanted) {
            refuse_inputs(path, sources)?;
            targets.push(Target::prepare(path)?);
            if *artefact == Artefact::Header {
                header_name = path.file_name().map(|n| n.to_string_lossy().into_owned());
            }
        }
        Ok(Outputs {
            wanted,
            targets,
            to_stdout,
            header_name,
        })
    }

    pub fn wants(&self, artefact: Artefact) -> bool {
        self.wanted.contains(&artefact)
    }

    /// What the C text includes; without a header file it declares everything itself.
    pub fn header_name(&self) -> Option<String> {
        self.header_name.clone().filter(|_| self.wants(Artefact::C))
    }

    pub fn to_stdout(&self) -> bool {
        self.to_stdout
    }

    /// Writes them all, or prints them; gives the paths.
    pub fn write(
        self,
        mut text: impl FnMut(Artefact) -> String,
        context: &mut Context,
    ) -> Result<Vec<String>, Diagnostic> {
        if self.to_stdout {
            for a in &self.wanted {
                context.print(&text(*a));
            }
            return Ok(Vec::new());
        }
        let texts = self.wanted.iter().map(|a| text(*a));
        let written = write_all(self.targets.into_iter().zip(texts).collect())?;
        Ok(written.iter().map(|p| p.display().to_string()).collect())
    }
}

fn paths(wanted: &[Artefact], output: Option<&Path>, kernel: &str) -> Vec<PathBuf> {
    let first = match output {
        Some(path) => path.to_path_buf(),
        None => PathBuf::from(format!("{kernel}.{}", wanted[0].extension())),
    };
    let mut paths = vec![first.clone()];
    for a in &wanted[1..] {
        // `a.trace.json` and `a.c` have one stem.
        let own = format!(".{}", wanted[0].extension());
        let name = first.file_name().map(|n| n.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let stem = match name.strip_suffix(&own) {
            Some(stem) => stem.to_string(),
            None => Path::new(&name)
                .file_stem()
                .map_or(String::new(), |s| s.to_string_lossy().into_owned()),
        };
        paths.push(first.with_file_name(format!("{stem}.{}", a.extension())));
    }
    paths
}

fn refuse_inputs(path: &Path, sources: &SourceMap) -> Result<(), Diagnostic> {
    let Ok(canonical) = path.canonicalize() else {
        return Ok(());
    };
    let is_input = |o: &Origin| matches!(o, Origin::Disk(p) if *p == canonical);
    match sources.files().any(|f| is_input(&f.origin)) {
        true => {
            let what = format!("`{}` is an input and would be overwritten", path.display());
            Err(Diagnostic::new(code::OUTPUT_UNWRITABLE, what).help("name another file with `-o`"))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Artefact::*;

    fn names(wanted: &[Artefact], output: Option<&str>) -> Vec<String> {
        let found = paths(wanted, output.map(Path::new), "mm");
        found.iter().map(|p| p.display().to_string()).collect()
    }

    #[test]
    fn the_first_file_is_named_and_the_others_stand_beside_it() {
        assert_eq!(names(&[C, Header], None), ["mm.c", "mm.h"]);
        assert_eq!(
            names(&[C, Header, Trace], Some("out/k.c")),
            ["out/k.c", "out/k.h", "out/k.trace.json"]
        );
        assert_eq!(names(&[Trace], Some("t.json")), ["t.json"]);
        assert_eq!(
            names(&[Term, Nest], Some("a.b.found.rise")),
            ["a.b.found.rise", "a.b.nest"]
        );
        assert_eq!(names(&[Term], None), ["mm.found.rise"]);
    }
}
