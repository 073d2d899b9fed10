//! Guided and unguided search over both books of rules: the tables of docs/results.md.
//!
//! Every search is made by `rise-opt compare`, one process for each book.

#[path = "../common/mod.rs"]
mod common;
mod page;
mod paper;

use common::{machine, Flags, GOALS};
use rise_opt::report::comparison::{human, Comparison};
use rise_opt::report::saved;
use rise_opt::source::SourceMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{exit, Command, Stdio};

const USAGE: &str = "\
cargo bench --bench compare -- [FLAGS]: guided and unguided search, both books of rules
  --out DIR         writes DIR/BOOK.json, .csv, .svg and the tables of the page DIR.md,
                    as in --out docs/results
  --book NAME       only this book: general or published
  --goals A,B       only these goals; for looking, not for --out
  --time-limit S    of each search; on a quiet machine memory ends one first [300]
  --memory-limit B  of each search [4G]
  --samples N       of searches below a second the one of median time counts [7]";

/// A book of rules, and where its sketches are.
pub struct Book {
    pub name: &'static str,
    folder: &'static str,
    /// Goals that only this book has: name, sketch files.
    more: &'static [(&'static str, &'static [&'static str])],
}

pub const BOOKS: [Book; 2] = [
    Book {
        name: "general",
        folder: "mm",
        more: &[
            ("register-tile", &["micro-split", "micro-reorder"]),
            (
                "packed-tile",
                &["micro-split", "micro-reorder", "micro-pack"],
            ),
            ("micro", &["micro"]),
            ("micro-parallel", &["micro-parallel"]),
        ],
    },
    Book {
        name: "published",
        folder: "risegg",
        more: &[],
    },
];

impl Book {
    /// Its goals as `rise-opt compare` takes them, with their names.
    fn goals(&self) -> Vec<(String, String)> {
        let one = |name: &str, files: &[&str]| {
            let files: Vec<String> = (files.iter())
                .map(|f| format!("sketches/{}/{f}.sk", self.folder))
                .collect();
            let goal = format!("{}/{name}={}", self.name, files.join(","));
            (name.to_string(), goal)
        };
        let seven = GOALS.iter().map(|g| one(g, &[g]));
        seven
            .chain(self.more.iter().map(|(name, files)| one(name, files)))
            .collect()
    }
}

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    let only = flags.value("--book");
    let books: Vec<&Book> = (BOOKS.iter())
        .filter(|b| only.is_none_or(|o| o == b.name))
        .collect();
    if books.is_empty() {
        fail(&format!(
            "--book needs general or published, not `{}`",
            only.unwrap_or("")
        ));
    }
    let out = flags.value("--out").map(PathBuf::from);
    if out.is_some() && flags.value("--goals").is_some() {
        fail("--goals is for looking: the tables that --out writes are of all goals");
    }
    // Whatever is wrong with the page is said before the work.
    let page = out.as_ref().map(|dir| dir.with_extension("md"));
    if let Some(page) = &page {
        let text = read(page);
        for book in &books {
            page::sections(&text, book.name).unwrap_or_else(|e| fail(&e));
        }
    }
    println!("{}", machine());
    for book in books {
        let dir = tempfile::tempdir().unwrap_or_else(|e| fail(&e.to_string()));
        let place = out.clone().unwrap_or(dir.path().to_path_buf());
        let c = measure(book, &place, flags);
        println!("\n{}", human(&c));
        if let Some(page) = &page {
            let text = page::update(&read(page), &c, book.name, &machine());
            let text = text.unwrap_or_else(|e| fail(&e));
            fs::write(page, text).unwrap_or_else(|e| fail(&format!("{}: {e}", page.display())));
            println!(
                "written: {} and the files in {}",
                page.display(),
                place.display()
            );
        }
    }
}

fn measure(book: &Book, place: &Path, flags: &Flags) -> Comparison {
    fs::create_dir_all(place).unwrap_or_else(|e| fail(&format!("{}: {e}", place.display())));
    let json = place.join(format!("{}.json", book.name));
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.args(["compare", "programs/mm.rise"]);
    let wanted = flags
        .value("--goals")
        .map(|list| list.split(',').collect::<Vec<_>>());
    let goals = book.goals();
    for name in wanted.iter().flatten() {
        if !goals.iter().any(|(n, _)| n == name) {
            let known: Vec<&str> = goals.iter().map(|(n, _)| n.as_str()).collect();
            fail(&format!("`{name}` is none of {}", known.join(", ")));
        }
    }
    for (name, goal) in &goals {
        if wanted.as_ref().is_none_or(|w| w.contains(&name.as_str())) {
            command.args(["--goal", goal]);
        }
    }
    let value = |name: &str, otherwise: &str| flags.value(name).unwrap_or(otherwise).to_string();
    command.args(["--time-limit", &value("--time-limit", "300")]);
    command.args(["--memory-limit", &value("--memory-limit", "4G")]);
    command.args(["--samples", &value("--samples", "7")]);
    command.args(["--progress", "off", "-o"]).arg(&json);
    let status = command.stdout(Stdio::null()).status();
    if !status.is_ok_and(|s| s.success()) {
        fail("rise-opt compare failed");
    }
    let mut sources = SourceMap::new();
    let file = match sources.load(&json.to_string_lossy()) {
        Ok(file) => file,
        Err(e) => fail(&format!("{e:?}")),
    };
    saved::read(&saved::COMPARISON, &sources, file).unwrap_or_else(|d| fail(&d.message))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| fail(&format!("{}: {e}", path.display())))
}

fn fail(text: &str) -> ! {
    eprintln!("{text}");
    exit(1)
}
