//! The source map: which texts exist, what a span is, and where files are found.
//!
//! In: paths that a user or a file names. Out: a `FileId` with its text, or a `LoadError`.
//! Every span points into exactly one text of the map; texts never change and are never dropped,
//! so a span stays meaningful until the last diagnostic is printed.
//!
//! A path inside a file is looked up beside that file, then relative to the working directory, then
//! among the shipped files, which are part of the binary. So an installed `rise-opt` works anywhere.
//!
//! Absent: diagnostics (`diag` turns a `LoadError` into one), syntax.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// (path inside the repository, contents), sorted by path.
static SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// Larger files are refused: spans are 32 bits wide, and no program is this long.
const MAX_BYTES: u64 = 16 << 20;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileId(pub u32);

/// A half-open range of bytes `lo..hi` of one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    pub file: FileId,
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    pub fn new(file: FileId, lo: usize, hi: usize) -> Span {
        Span {
            file,
            lo: lo as u32,
            hi: hi as u32,
        }
    }

    /// The smallest span that covers both; `other` of another file is ignored.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span {
            file: self.file,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// The empty span just after this one.
    pub fn end(self) -> Span {
        Span {
            lo: self.hi,
            ..self
        }
    }
}

/// Where a text came from; two loads of the same origin give the same `FileId`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// A file on disk, by its canonical path.
    Disk(PathBuf),
    /// A shipped file, by its path in the table.
    Shipped(String),
    /// A text made inside the process (tests, printed terms).
    Memory(String),
    /// A text that stands in a saved file: somebody else's word, which takes in shipped files only.
    Saved(String),
}

#[derive(Debug)]
pub struct SourceFile {
    /// The name as the user would write it; shown in diagnostics.
    pub name: String,
    pub origin: Origin,
    pub text: Arc<str>,
    /// Byte offset of the start of each line.
    lines: Vec<u32>,
}

/// Why a file could not be loaded. The path is the one that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadError {
    Missing {
        path: String,
        near: Vec<String>,
    },
    Directory {
        path: String,
    },
    Empty {
        path: String,
    },
    Binary {
        path: String,
        offset: usize,
    },
    NotUtf8 {
        path: String,
        offset: usize,
    },
    TooLong {
        path: String,
        bytes: u64,
    },
    /// A saved file asks for one that is not shipped.
    Outside {
        path: String,
    },
    Unreadable {
        path: String,
        reason: String,
    },
}

#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    by_origin: BTreeMap<Origin, FileId>,
}

impl SourceMap {
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    pub fn text(&self, span: Span) -> &str {
        let text = &self.file(span.file).text;
        text.get(span.lo as usize..span.hi as usize).unwrap_or("")
    }

    /// Line and column, both from 1; columns count characters.
    pub fn position(&self, file: FileId, offset: u32) -> (usize, usize) {
        let f = self.file(file);
        let offset = (offset as usize).min(f.text.len());
        let line = f.lines.partition_point(|&start| start as usize <= offset) - 1;
        let start = f.lines[line] as usize;
        let column = f.text[start..].char_indices();
        let column = column.take_while(|(i, _)| start + i < offset).count();
        (line + 1, column + 1)
    }

    /// Adds a text that no file holds.
    pub fn add_text(&mut self, name: &str, text: &str) -> FileId {
        self.insert(
            name.to_string(),
            Origin::Memory(name.to_string()),
            text.to_string(),
        )
    }

    /// Adds a text that a saved file holds. Whatever it takes in, no file of the disk is looked at.
    pub fn add_saved(&mut self, name: &str, text: &str) -> FileId {
        let origin = Origin::Saved(name.to_string());
        self.insert(name.to_string(), origin, text.to_string())
    }

    /// Whether the text stands in a saved file.
    pub fn is_saved(&self, id: FileId) -> bool {
        matches!(self.file(id).origin, Origin::Saved(_))
    }

    /// Loads a path given by the user: relative to the working directory, else a shipped file; `-` is standard input.
    pub fn load(&mut self, path: &str) -> Result<FileId, LoadError> {
        if path == "-" {
            return self.standard_input();
        }
        self.find(&[PathBuf::from(path)], path, path)
    }

    /// Loads a path that stands in the file `from`, which the text of a saved file may have taken in.
    pub fn load_shipped_from(&mut self, from: FileId, path: &str) -> Result<FileId, LoadError> {
        let beside = match &self.file(from).origin {
            Origin::Shipped(name) => sibling(name, path),
            _ => sibling("", path),
        };
        let places = [beside, sibling("", path)];
        match places.iter().find(|p| shipped_text(p).is_some()) {
            Some(shipped) if !Path::new(path).is_absolute() => self.load_shipped(shipped),
            _ => Err(LoadError::Outside {
                path: path.to_string(),
            }),
        }
    }

    /// Loads a path that stands in the file `from`.
    pub fn load_from(&mut self, from: FileId, path: &str) -> Result<FileId, LoadError> {
        match &self.file(from).origin {
            Origin::Saved(_) => self.load_shipped_from(from, path),
            Origin::Shipped(name) => {
                let beside = sibling(name, path);
                if shipped_text(&beside).is_some() {
                    return self.load_shipped(&beside);
                }
                self.find(&[PathBuf::from(path)], path, path)
            }
            Origin::Disk(_) | Origin::Memory(_) => {
                // The name, not the canonical path: diagnostics keep showing what the user wrote.
                let beside = match Path::new(&self.file(from).name).parent() {
                    Some(dir) => dir.join(path),
                    None => PathBuf::from(path),
                };
                self.find(&[beside, PathBuf::from(path)], path, path)
            }
        }
    }

    /// The paths of all shipped files, sorted.
    pub fn shipped() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// Loads a shipped file by its path in the table, whatever stands in the working directory.
    pub fn load_shipped(&mut self, name: &str) -> Result<FileId, LoadError> {
        let Some(text) = shipped_text(name) else {
            return Err(missing(name));
        };
        let origin = Origin::Shipped(name.to_string());
        if text.trim().is_empty() {
            return Err(LoadError::Empty {
                path: name.to_string(),
            });
        }
        Ok(self.insert(name.to_string(), origin, text.to_string()))
    }

    fn find(
        &mut self,
        places: &[PathBuf],
        shipped: &str,
        asked: &str,
    ) -> Result<FileId, LoadError> {
        for place in places {
            if std::fs::symlink_metadata(place).is_ok() {
                return self.read(place);
            }
        }
        let shipped = sibling("", shipped);
        if shipped_text(&shipped).is_some() {
            return self.load_shipped(&shipped);
        }
        Err(missing(asked))
    }

    fn read(&mut self, path: &Path) -> Result<FileId, LoadError> {
        let name = path.to_string_lossy().into_owned();
        let unreadable = |e: std::io::Error| LoadError::Unreadable {
            path: name.clone(),
            reason: e.kind().to_string(),
        };
        let meta = std::fs::metadata(path).map_err(unreadable)?;
        if meta.is_dir() {
            return Err(LoadError::Directory { path: name });
        }
        // A pipe has a path that leads nowhere else, and can be read once.
        let canonical = if meta.is_file() {
            path.canonicalize().map_err(unreadable)?
        } else {
            path.to_path_buf()
        };
        if let Some(&id) = self.by_origin.get(&Origin::Disk(canonical.clone())) {
            return Ok(id);
        }
        // A pipe or device has no length: read one byte more than allowed and look.
        let file = std::fs::File::open(path).map_err(unreadable)?;
        self.read_from(file, name, Origin::Disk(canonical), meta.len())
    }

    fn standard_input(&mut self) -> Result<FileId, LoadError> {
        let origin = Origin::Disk(PathBuf::from("-"));
        match self.by_origin.get(&origin) {
            Some(&id) => Ok(id),
            None => {
                let name = "standard input".to_string();
                self.read_from(std::io::stdin().lock(), name, origin, 0)
            }
        }
    }

    /// `len`: how many bytes there are said to be.
    fn read_from(
        &mut self,
        from: impl Read,
        name: String,
        origin: Origin,
        len: u64,
    ) -> Result<FileId, LoadError> {
        let mut bytes = Vec::new();
        let read = from.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        if let Err(e) = read {
            return Err(LoadError::Unreadable {
                path: name,
                reason: e.kind().to_string(),
            });
        }
        if bytes.len() as u64 > MAX_BYTES {
            return Err(LoadError::TooLong {
                path: name,
                bytes: len.max(bytes.len() as u64),
            });
        }
        if let Some(offset) = bytes.iter().position(|&b| b == 0) {
            return Err(LoadError::Binary { path: name, offset });
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => {
                let offset = e.utf8_error().valid_up_to();
                return Err(LoadError::NotUtf8 { path: name, offset });
            }
        };
        if text.trim().is_empty() {
            return Err(LoadError::Empty { path: name });
        }
        Ok(self.insert(name, origin, text))
    }

    fn insert(&mut self, name: String, origin: Origin, text: String) -> FileId {
        if !matches!(origin, Origin::Memory(_) | Origin::Saved(_)) {
            if let Some(&id) = self.by_origin.get(&origin) {
                return id;
            }
        }
        let id = FileId(self.files.len() as u32);
        let newlines = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let lines = std::iter::once(0).chain(newlines.map(|(i, _)| i as u32 + 1));
        self.by_origin.insert(origin.clone(), id);
        self.files.push(SourceFile {
            name,
            origin,
            lines: lines.collect(),
            text: text.into(),
        });
        id
    }
}

/// Folders within folders, at most.
const DEPTH: usize = 12;

/// The files below a folder whose paths end so, in order; links are not followed, and what cannot be read inside is left out.
pub fn files_below(dir: &Path, end: &str) -> std::io::Result<Vec<String>> {
    fn walk(dir: &Path, end: &str, depth: usize, found: &mut Vec<String>) -> std::io::Result<()> {
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() && depth > 0 {
                let _ = walk(&path, end, depth - 1, found);
            } else if kind.is_file() {
                found.extend(path.to_str().filter(|p| p.ends_with(end)).map(String::from));
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    walk(dir, end, DEPTH, &mut found)?;
    found.sort();
    Ok(found)
}

/// The shipped file of an ending that defines a name; of several the one that most files import is the shortest path.
pub fn shipped_definition(name: &str, ending: &str) -> Option<&'static str> {
    let defines = |text: &str| {
        let mut heads = text.lines().filter_map(|l| l.strip_prefix("def "));
        heads.any(|head| head.split_whitespace().next() == Some(name))
    };
    let of_kind = |path: &str| path.rsplit_once('.').is_some_and(|p| p.1 == ending);
    let all = SHIPPED
        .iter()
        .filter(|(path, text)| of_kind(path) && defines(text));
    all.map(|(path, _)| *path).min_by_key(|path| path.len())
}

fn shipped_text(name: &str) -> Option<&'static str> {
    let i = SHIPPED.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
    Some(SHIPPED[i].1)
}

/// `path` seen from beside the shipped file `name`, with `.` and `..` removed.
pub fn sibling(name: &str, path: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let joined = Path::new(name).parent().unwrap_or(Path::new("")).join(path);
    for part in joined.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(p) => parts.push(p.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    parts.join("/")
}

/// Near matches are shipped files of the same last component, or one that starts alike.
fn missing(path: &str) -> LoadError {
    let last = path.rsplit('/').next().unwrap_or(path);
    let near = SourceMap::shipped()
        .filter(|s| s.rsplit('/').next() == Some(last))
        .take(3);
    LoadError::Missing {
        path: path.to_string(),
        near: near.map(str::to_string).collect(),
    }
}
