//! Files that appear whole or not at all.
//!
//! In: paths, before the work; texts, after it. Out: files. [`Target::prepare`] finds out whether a
//! path can be written before any work is lost: it opens a file without a name in its folder, which is
//! filled later. Only when all are full, each gets a copy beside its place that takes the name in one
//! step: whatever ends the process before that leaves nothing. A file that is replaced keeps its mode and its owner.
//! Devices, pipes and files that are open already (`/dev/stdout`) cannot be replaced: they are written to. Absent: what the
//! texts are.

use crate::diag::{code, Diagnostic};
use crate::interrupt::{self, Leftover, Noted};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// A place that can be written.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A file without a name, in the folder of the file that is to be.
    Beside {
        full: File,
        real: PathBuf,
    },
    Stream(Stream),
}

/// What is written as it is made.
#[derive(Debug)]
enum Stream {
    Stdout,
    Stderr,
    /// A device, a pipe, or a file that somebody has open.
    Open(File),
}

impl Target {
    /// `-` is standard output.
    pub fn prepare(path: &Path) -> Result<Target, Diagnostic> {
        let place = if path == Path::new("-") {
            Ok(Place::Stream(Stream::Stdout))
        } else {
            Target::open(path)
        };
        Ok(Target {
            path: path.to_path_buf(),
            place: place.map_err(|e| cannot(path, &e))?,
        })
    }

    fn open(path: &Path) -> io::Result<Place> {
        let real = followed(path);
        if let Some(number) = open_by_number(&real) {
            return Ok(Place::Stream(match number {
                1 => Stream::Stdout,
                2 => Stream::Stderr,
                // At the end: who opened it may have written already.
                _ => Stream::Open(OpenOptions::new().append(true).open(real)?),
            }));
        }
        match std::fs::metadata(&real) {
            Ok(m) if m.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(m) if !m.is_file() => {
                let file = OpenOptions::new().write(true).open(real)?;
                return Ok(Place::Stream(Stream::Open(file)));
            }
            // Opening finds out whether the file may be changed; it is left as it is.
            Ok(_) => drop(OpenOptions::new().append(true).open(&real)?),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        let full = tempfile::tempfile_in(folder(&real))?;
        Ok(Place::Beside { full, real })
    }

    /// Whether one text can follow another there.
    pub fn is_stream(&self) -> bool {
        matches!(self.place, Place::Stream(_))
    }

    pub fn is_stdout(&self) -> bool {
        matches!(self.place, Place::Stream(Stream::Stdout))
    }
}

/// Where links lead: what they name is replaced, they stay. A file that is open already is not looked through.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    // The system follows no more, either.
    for _ in 0..40 {
        if open_by_number(&path).is_some() {
            break;
        }
        let Ok(to) = std::fs::read_link(&path) else {
            break;
        };
        path = folder(&path).join(to);
    }
    path
}

/// The number of `/proc/self/fd/1`, by whatever name its folder is known.
fn open_by_number(path: &Path) -> Option<u32> {
    let folder = folder(path).canonicalize().ok()?;
    let own = folder.starts_with("/proc") || folder.starts_with("/dev");
    let number = path.file_name()?.to_str()?.parse().ok()?;
    (own && folder.ends_with("fd")).then_some(number)
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// What is in a file, in one with a name beside a place.
fn named(mut full: File, real: &Path) -> io::Result<(TempPath, Noted)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rise-opt-");
    let before = std::fs::metadata(real).ok();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What a plain file would get; the system takes off what the user's mask forbids.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let make = || builder.tempfile_in(folder(real));
    let (mut file, noted) = interrupt::noted(make, |f| Leftover::File(f.path().to_path_buf()))?;
    if let Some(before) = before {
        like(file.as_file(), &before)?;
    }
    full.rewind()?;
    io::copy(&mut full, file.as_file_mut())?;
    file.as_file().sync_all()?;
    Ok((file.into_temp_path(), noted))
}

/// Who may do what with a file stays so when it is replaced, and whose it is, where the system lets us.
fn like(file: &File, before: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{fchown, MetadataExt};
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (before.uid(), before.gid()) {
            let _ = fchown(file, Some(before.uid()), Some(before.gid()));
        }
    }
    file.set_permissions(before.permissions())
}

/// Writes all texts, then gives all files their names.
pub fn write_all(files: Vec<(Target, String)>) -> Result<Vec<PathBuf>, Diagnostic> {
    let (targets, texts): (Vec<_>, Vec<_>) = files.into_iter().unzip();
    write_each(targets, |i, out| out.write_all(texts[i].as_bytes()))
}

/// Writes what `write` writes for each, then gives all files their names. A reader of standard output that went away is no
/// error.
pub fn write_each(
    targets: Vec<Target>,
    mut write: impl FnMut(usize, &mut dyn Write) -> io::Result<()>,
) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut full = Vec::new();
    for (i, mut target) in targets.into_iter().enumerate() {
        let out: Box<dyn Write> = match &mut target.place {
            Place::Beside { full: file, .. } | Place::Stream(Stream::Open(file)) => Box::new(file),
            Place::Stream(Stream::Stdout) => Box::new(io::stdout().lock()),
            Place::Stream(Stream::Stderr) => Box::new(io::stderr().lock()),
        };
        let mut out = BufWriter::new(out);
        let written = write(i, &mut out).and_then(|()| out.flush());
        drop(out);
        match written {
            Err(e) if target.is_stdout() && e.kind() == io::ErrorKind::BrokenPipe => {}
            written => written.map_err(|e| cannot(&target.path, &e))?,
        }
        full.push(target);
    }
    let mut copies = Vec::new();
    for Target { path, place } in full {
        let copy = match place {
            Place::Beside { full, real } => {
                let copy = named(full, &real).map_err(|e| cannot(&path, &e))?;
                Some((copy, real))
            }
            Place::Stream(_) => None,
        };
        copies.push((path, copy));
    }
    let mut paths = Vec::new();
    for (path, copy) in copies {
        if let Some(((copy, _noted), real)) = copy {
            copy.persist(&real).map_err(|e| cannot(&path, &e.error))?;
        }
        paths.push(path);
    }
    Ok(paths)
}

/// What is asked for on standard output and did not get there.
pub fn unwritten(e: &io::Error) -> Diagnostic {
    cannot(Path::new("-"), e)
}

fn cannot(path: &Path, e: &io::Error) -> Diagnostic {
    let place = if path == Path::new("-") {
        "standard output".to_string()
    } else {
        format!("`{}`", path.display())
    };
    let what = format!("{place} cannot be written: {}", e.kind());
    let help = match e.kind() {
        _ if path == Path::new("-") => "look where it leads: a file on a full disk, perhaps",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room on that disk, or name a file elsewhere with `-o`"
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            "make the folder first, or name another with `-o`"
        }
        _ => "name a file in a folder that you may write to with `-o`",
    };
    Diagnostic::new(code::OUTPUT_UNWRITABLE, what).help(help)
}

/// Whether there is anything to read from: a new file of records is none yet, an empty one neither.
pub fn has_text(path: &str) -> bool {
    std::fs::metadata(path).map_or(Path::new(path).exists(), |m| m.len() > 0)
}

/// Adds a line to a file of `--records` at once, so that whatever ends the process loses none.
pub fn append(path: &str, line: &str) -> Result<(), Diagnostic> {
    let mut file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.as_mut().map_err(|e| e.kind());
    let written = written.and_then(|f| f.write_all(line.as_bytes()).map_err(|e| e.kind()));
    written.map_err(|kind| {
        let what = format!("`{path}` cannot be written: {kind}");
        Diagnostic::new(code::OUTPUT_UNWRITABLE, what)
            .help("name a file in a folder that you may write to with `--records`")
    })
}
