//! Which files the main job writes, and where.
//!
//! In: `--emit`, `-o`, the name of the kernel. Out: paths, in the order in which they are asked for,
//! each known to be writable and none of them an input. `-o` names the first file; the others stand
//! beside it under the same stem. `-o -` prints everything on standard output. Absent: the texts.

use super::output::{write_all, write_each, Target};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::nest::passes::{Pass, PASSES};
use crate::report::{html, Record};
use crate::source::{Origin, SourceMap};
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error, ValueEnum};
use std::ffi::OsStr;
use std::io::{self, Write};
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
    /// The loop program between the term and C; `nest-before=PASS` and `nest-after=PASS` write it as one of the passes
    /// finds and leaves it, see `--passes`
    Nest,
    /// Before a pass, by name.
    #[value(skip)]
    NestBefore(&'static str),
    /// After a pass, by name.
    #[value(skip)]
    NestAfter(&'static str),
    /// The loop program as JSON, with what every store computes, for `rise-opt validate`
    Loops,
    /// What the search did, iteration by iteration and rule by rule, as JSON
    Trace,
    /// The terms that were found, as JSON, from which `--replay` makes the same kernel
    Plan,
    /// The sketches that `--auto` found, as a file for `--sketch`
    Sketch,
    /// Index arithmetic that is left in the kernel, with what is known of its variables: comparisons, extents, quotients,
    /// a line each, which `rise-opt simplify --file` and `rise-opt prove --file` read
    Queries,
    /// Why what was found equals the program, step by step, as JSON for `rise-opt check-proof`
    Proof,
    /// All that is known of the run, as JSON, from which `rise-opt report` makes a page; also when a goal is not
    /// reached
    Record,
    /// Classes of the e-graph around the program, in the JSON format of egraph-serialize; also when a
    /// goal is not reached, as `dot` and `trace` are
    Egraph,
    /// The same for Graphviz
    Dot,
}

impl Artefact {
    /// What is added to the stem. The term's own ending keeps it apart from the program.
    pub fn extension(self) -> &'static str {
        let own = |text: String| Symbol::new(&text).as_str();
        match self {
            Artefact::NestBefore(pass) => own(format!("before-{pass}.nest")),
            Artefact::NestAfter(pass) => own(format!("after-{pass}.nest")),
            Artefact::C => "c",
            Artefact::Header => "h",
            Artefact::Term => "found.rise",
            Artefact::Nest => "nest",
            Artefact::Loops => "loops",
            Artefact::Sketch => "sk",
            Artefact::Queries => "queries",
            Artefact::Trace => "trace.json",
            Artefact::Plan => "plan.json",
            Artefact::Proof => "proof.json",
            Artefact::Record => "record.json",
            Artefact::Egraph => "egraph.json",
            Artefact::Dot => "dot",
        }
    }
}

/// Reads an [`Artefact`].
#[derive(Clone)]
pub struct ArtefactParser;

impl TypedValueParser for ArtefactParser {
    type Value = Artefact;

    fn parse_ref(
        &self,
        cmd: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Artefact, Error> {
        let around = value.to_str().and_then(|text| text.split_once('='));
        let kind: fn(&'static str) -> Artefact = match around {
            Some(("nest-before", _)) => Artefact::NestBefore,
            Some(("nest-after", _)) => Artefact::NestAfter,
            _ => return EnumValueParser::<Artefact>::new().parse_ref(cmd, arg, value),
        };
        let name = around.map_or("", |(_, name)| name);
        let named = |p: &&Pass| p.name == name;
        PASSES
            .iter()
            .find(named)
            .map(|p| kind(p.name))
            .ok_or_else(|| {
                let what = format!("there is no pass `{name}`: `rise-opt --passes` lists them\n");
                Error::raw(ErrorKind::InvalidValue, what).with_cmd(cmd)
            })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let plain = Artefact::value_variants().iter();
        Some(Box::new(plain.filter_map(Artefact::to_possible_value)))
    }
}

/// Where the artefacts go.
pub struct Outputs {
    /// Sorted, each once.
    wanted: Vec<Artefact>,
    targets: Vec<Target>,
    /// Takes them all, one after the other, in place of the targets: `-o -`.
    stream: Option<Target>,
    header_name: Option<String>,
    /// Of `--report`; prepared like the others.
    page: Option<Target>,
}

impl Outputs {
    pub fn prepare(
        emit: &[Artefact],
        output: Option<&str>,
        page: Option<&str>,
        kernel: &str,
        sources: &SourceMap,
    ) -> Result<Outputs, Diagnostic> {
        let mut wanted = emit.to_vec();
        wanted.sort();
        wanted.dedup();
        if let Some(path) = output {
            refuse_inputs(Path::new(path), sources)?;
        }
        let stream = stream(output)?;
        let extensions: Vec<&str> = wanted.iter().map(|a| a.extension()).collect();
        let paths = match &stream {
            Some(_) => Vec::new(),
            None => paths(&extensions, output.map(Path::new), kernel)?,
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
        let page = match page.map(Path::new) {
            Some(path) => Some(page_target(path, &paths, sources)?),
            None => None,
        };
        Ok(Outputs {
            wanted,
            targets,
            stream,
            header_name,
            page,
        })
    }

    /// Whether the steps have to be proved.
    pub fn wants_proof(&self) -> bool {
        self.wants(Artefact::Proof) || self.wants(Artefact::Plan)
    }

    /// Whether something shows the whole run.
    pub fn wants_record(&self) -> bool {
        self.page.is_some() || self.wants(Artefact::Record)
    }

    /// Whether something needs a kernel to be made.
    pub fn wants_kernel(&self) -> bool {
        let made = [
            Artefact::C,
            Artefact::Header,
            Artefact::Nest,
            Artefact::Loops,
            Artefact::Queries,
            Artefact::Plan,
        ];
        let around = |a: &Artefact| matches!(a, Artefact::NestBefore(_) | Artefact::NestAfter(_));
        made.iter().any(|a| self.wants(*a)) || self.wanted.iter().any(around)
    }

    pub fn wants(&self, artefact: Artefact) -> bool {
        self.wanted.contains(&artefact)
    }

    /// What the C text includes; without a header file it declares everything itself.
    pub fn header_name(&self) -> Option<String> {
        self.header_name.clone().filter(|_| self.wants(Artefact::C))
    }

    pub fn to_stdout(&self) -> bool {
        self.stream.as_ref().is_some_and(Target::is_stdout)
    }

    /// Those that tell of a job that failed.
    pub fn witnesses(self) -> Outputs {
        let tells = |a: &Artefact| {
            use Artefact::{Dot, Egraph, Record, Trace};
            matches!(a, Trace | Record | Egraph | Dot)
        };
        // There are none when all is printed.
        let mut targets = self.targets.into_iter();
        let mut kept = Outputs {
            wanted: Vec::new(),
            targets: Vec::new(),
            ..self
        };
        for a in self.wanted {
            let target = targets.next();
            if tells(&a) {
                kept.wanted.push(a);
                kept.targets.extend(target);
            }
        }
        kept
    }

    /// Writes them all, or prints them, with the page of the record; gives the paths.
    pub fn write(
        self,
        mut write: impl FnMut(Artefact, &mut dyn Write) -> io::Result<()>,
        record: Option<&Record>,
    ) -> Result<Vec<String>, Diagnostic> {
        let mut streamed = Vec::new();
        if let Some(stream) = self.stream {
            let silent = stream.is_stdout();
            let wanted = &self.wanted;
            let written = write_each(vec![stream], |_, out| {
                wanted.iter().try_for_each(|a| write(*a, out))
            })?;
            streamed.extend(written.into_iter().filter(|_| !silent));
        }
        let wanted = &self.wanted;
        let page = record.filter(|_| self.page.is_some()).map(html::page);
        let page = page.unwrap_or_default();
        let targets = self.targets.into_iter().zip(wanted.iter().map(Some));
        let targets = targets.chain(self.page.map(|t| (t, None)));
        let (targets, what): (Vec<_>, Vec<_>) = targets.unzip();
        let written = write_each(targets, |i, out| match what[i] {
            Some(a) => write(*a, out),
            None => out.write_all(page.as_bytes()),
        })?;
        let written = streamed.iter().chain(&written);
        Ok(written.map(|p| p.display().to_string()).collect())
    }
}

/// What takes all files as they come, if that is what is named.
fn stream(output: Option<&str>) -> Result<Option<Target>, Diagnostic> {
    let special = |path: &str| path == "-" || Path::new(path).exists() && !Path::new(path).is_dir();
    match output.filter(|o| special(o)) {
        Some(path) => Ok(Some(Target::prepare(Path::new(path))?).filter(Target::is_stream)),
        None => Ok(None),
    }
}

/// The page is no input, and none of the other outputs.
fn page_target(path: &Path, others: &[PathBuf], sources: &SourceMap) -> Result<Target, Diagnostic> {
    refuse_inputs(path, sources)?;
    if path == Path::new("-") {
        let what = "a report is not printed beside the summary of its run";
        let d = Diagnostic::new(code::OUTPUT_UNWRITABLE, what);
        return Err(d.help(
            "name a file, or print it later: `--emit record`, then `rise-opt report RECORD -o -`",
        ));
    }
    if others.iter().any(|p| place(p) == place(path)) {
        let what = format!("`{}` would be written twice", path.display());
        let d = Diagnostic::new(code::OUTPUT_UNWRITABLE, what);
        return Err(d.help("name another file with `--report`"));
    }
    Target::prepare(path)
}

/// A path that is the same for the same file, whether there is one yet or not.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

/// A form in which a witness is written.
pub trait Form: Copy + Ord {
    fn extension(self) -> &'static str;
}

/// The forms of one witness that somebody asked for, each once and in their order, and where they go.
pub struct Forms<F> {
    wanted: Vec<F>,
    /// None for standard output.
    targets: Option<Vec<Target>>,
}

impl<F: Form> Forms<F> {
    /// A file for each form, called `NAME.KIND.EXTENSION` where no name is given.
    pub fn prepare(
        emit: &[F],
        output: Option<&str>,
        kind: &str,
        name: &str,
        sources: &SourceMap,
    ) -> Result<Forms<F>, Diagnostic> {
        let mut wanted = emit.to_vec();
        wanted.sort();
        wanted.dedup();
        let targets = match stream(output)? {
            Some(s) if s.is_stdout() => None,
            Some(s) => Some(vec![s]),
            None => {
                let full = |f: &F| match output {
                    None => format!("{kind}.{}", f.extension()),
                    Some(_) => f.extension().to_string(),
                };
                let full: Vec<String> = wanted.iter().map(full).collect();
                let full: Vec<&str> = full.iter().map(String::as_str).collect();
                let target = |path: &PathBuf| {
                    refuse_inputs(path, sources)?;
                    Target::prepare(path)
                };
                let paths = paths(&full, output.map(Path::new), name)?;
                Some(paths.iter().map(target).collect::<Result<_, _>>()?)
            }
        };
        Ok(Forms { wanted, targets })
    }

    /// Writes the forms into what was prepared and shows the page of the witness; without files, the forms
    /// themselves are what is asked for, and the page goes beside them.
    pub fn write(
        self,
        page: &str,
        text: impl FnMut(F) -> String,
        context: &mut Context,
    ) -> Result<(), Diagnostic> {
        let forms: Vec<String> = self.wanted.into_iter().map(text).collect();
        let Some(targets) = self.targets else {
            forms.iter().for_each(|form| context.print(form));
            context.error_line(page.trim_end());
            return Ok(());
        };
        // A stream takes them all.
        let forms = match targets[..] {
            [_] => vec![forms.concat()],
            _ => forms,
        };
        let written = write_all(targets.into_iter().zip(forms).collect())?;
        context.print(page);
        if !context.json() {
            let written: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
            context.print(&format!("\nwritten {}\n", written.join(" ")));
        }
        Ok(())
    }
}

/// Endings that say what a file holds, besides those of the artefacts.
const ENDINGS: [&str; 7] = ["json", "rise", "rules", "sk", "html", "csv", "svg"];

/// A path for each extension. One may be given, the first or the one whose ending it has; the others stand beside it.
pub fn paths(
    extensions: &[&str],
    output: Option<&Path>,
    stem: &str,
) -> Result<Vec<PathBuf>, Diagnostic> {
    let beside = |path: &Path, stem: &str| -> Vec<PathBuf> {
        let file = |e: &&str| path.with_file_name(format!("{stem}.{e}"));
        extensions.iter().map(file).collect()
    };
    let Some(path) = output else {
        return Ok(beside(Path::new(""), stem));
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ends =
        |e: &&&str| (name.strip_suffix(**e)).is_some_and(|n| n.len() > 1 && n.ends_with('.'));
    // `a.trace.json` is a trace, and `a.json` whatever is JSON.
    let own = Artefact::value_variants().iter().map(|a| a.extension());
    let known: Vec<&str> = own
        .chain(extensions.iter().copied())
        .chain(ENDINGS)
        .collect();
    let ending = known.iter().filter(ends).max_by_key(|e| e.len());
    let of = |e: &&str| ending.is_none_or(|s| e == s || e.ends_with(&format!(".{s}")));
    let Some(at) = extensions.iter().position(of) else {
        return Err(contradicts(
            path,
            extensions[0],
            &name[..name.len() - ending.map_or(0, |e| e.len())],
        ));
    };
    let stem = match ending {
        Some(ending) => &name[..name.len() - ending.len() - 1],
        // `a.trace.json` and `a.c` have one stem.
        None => Path::new(&*name)
            .file_stem()
            .and_then(|s| s.to_str())
            .unwrap_or(&name),
    };
    let mut paths = beside(path, stem);
    paths[at] = path.to_path_buf();
    Ok(paths)
}

/// `x.c` for a proof.
fn contradicts(path: &Path, extension: &str, stem: &str) -> Diagnostic {
    let what = format!(
        "`{}` does not end as what is written there: .{extension}",
        path.display()
    );
    let named = path.with_file_name(format!("{stem}{extension}"));
    Diagnostic::new(code::OUTPUT_UNWRITABLE, what).help(format!("write `-o {}`", named.display()))
}

fn refuse_inputs(path: &Path, sources: &SourceMap) -> Result<(), Diagnostic> {
    let Ok(canonical) = path.canonicalize() else {
        return Ok(());
    };
    let is_input = |o: &Origin| matches!(o, Origin::Disk(p) if *p == canonical);
    if sources.files().any(|f| is_input(&f.origin)) {
        let what = format!("`{}` is an input and would be overwritten", path.display());
        Err(Diagnostic::new(code::OUTPUT_UNWRITABLE, what).help("name another file with `-o`"))
    } else {
        Ok(())
    }
}
