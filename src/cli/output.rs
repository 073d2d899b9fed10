//! Files that appear whole or not at all.
//!
//! In: paths, before the work; texts, after it. Out: files. [`Target::prepare`] finds out whether a
//! path can be written before any work is lost: it opens a file without a name in its folder, which is
//! filled later. Only when all are full, each gets a copy beside its place that takes the name in one
//! step: whatever ends the process before that leaves nothing. Devices and pipes cannot be replaced:
//! they are opened and written to. Absent: what the texts are.

use crate::diag::{code, Diagnostic};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A place that can be written.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// Without a name.
    Beside(File),
    Device(File),
}

impl Target {
    pub fn prepare(path: &Path) -> Result<Target, Diagnostic> {
        let place = Target::open(path).map_err(|e| cannot(path, &e))?;
        Ok(Target {
            path: path.to_path_buf(),
            place,
        })
    }

    fn open(path: &Path) -> io::Result<Place> {
        match std::fs::metadata(path) {
            Ok(m) if m.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(m) if !m.is_file() => {
                return OpenOptions::new().write(true).open(path).map(Place::Device);
            }
            // Opening finds out whether the file may be changed; it is left as it is.
            Ok(_) => drop(OpenOptions::new().append(true).open(path)?),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        tempfile::tempfile_in(folder(path)).map(Place::Beside)
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// What is in a file, in one with a name beside a place.
fn named(mut full: File, path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rise-opt-");
    // What a plain file would get; the system takes off what the user's mask forbids.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder(path))?;
    full.rewind()?;
    io::copy(&mut full, file.as_file_mut())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Writes all texts, then gives all files their names.
pub fn write_all(files: Vec<(Target, String)>) -> Result<Vec<PathBuf>, Diagnostic> {
    let (targets, texts): (Vec<_>, Vec<_>) = files.into_iter().unzip();
    write_each(targets, |i, out| out.write_all(texts[i].as_bytes()))
}

/// Writes what `write` writes for each, then gives all files their names.
pub fn write_each(
    targets: Vec<Target>,
    mut write: impl FnMut(usize, &mut dyn Write) -> io::Result<()>,
) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut full = Vec::new();
    for (i, mut target) in targets.into_iter().enumerate() {
        let (Place::Beside(file) | Place::Device(file)) = &mut target.place;
        let mut out = BufWriter::new(file);
        let written = write(i, &mut out).and_then(|()| out.flush());
        drop(out);
        written.map_err(|e| cannot(&target.path, &e))?;
        full.push(target);
    }
    let mut copies = Vec::new();
    for Target { path, place } in full {
        let copy = match place {
            Place::Beside(file) => Some(named(file, &path).map_err(|e| cannot(&path, &e))?),
            Place::Device(_) => None,
        };
        copies.push((path, copy));
    }
    let mut paths = Vec::new();
    for (path, copy) in copies {
        if let Some(copy) = copy {
            copy.persist(&path).map_err(|e| cannot(&path, &e.error))?;
        }
        paths.push(path);
    }
    Ok(paths)
}

fn cannot(path: &Path, e: &io::Error) -> Diagnostic {
    let what = format!("`{}` cannot be written: {}", path.display(), e.kind());
    let help = match e.kind() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_appear_whole_and_nothing_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.c");
        std::fs::write(&path, "old").unwrap();
        let target = Target::prepare(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        write_all(vec![(target, "new".into())]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        drop(Target::prepare(&dir.path().join("b.c")).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_said_before_the_work() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("no/such/a.c");
        for path in [dir.path(), &missing, Path::new("/dev/null/a.c")] {
            let e = Target::prepare(path).unwrap_err();
            assert_eq!(e.code, code::OUTPUT_UNWRITABLE);
            assert!(e.message.contains(&*path.to_string_lossy()), "{e:?}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let a = dir.path().join("a.c");
        let files =
            [&*a, Path::new("/dev/full")].map(|p| (Target::prepare(p).unwrap(), "x".into()));
        let e = write_all(files.into()).unwrap_err();
        assert!(e.message.contains("/dev/full"), "{e:?}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
