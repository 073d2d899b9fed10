//! Embeds the shipped rules with their certificates, sketches and programs into the binary: writes a sorted table of
//! (path inside the repository, contents) that `source` includes. No path of the build machine
//! reaches the binary: `include_str!` needs one while compiling, the table keeps only relative names.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const FOLDERS: [&str; 3] = ["programs", "rules", "sketches"];
const EXTENSIONS: [&str; 4] = ["certificates", "rise", "rules", "sk"];

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let mut names = Vec::new();
    for folder in FOLDERS {
        println!("cargo:rerun-if-changed={folder}");
        walk(&Path::new(&root).join(folder), folder, &mut names);
    }
    names.sort();
    let mut table = String::from("&[\n");
    for name in &names {
        let _ = writeln!(
            table,
            "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?}))),",
            format!("/{name}")
        );
    }
    table.push_str("]\n");
    fs::write(Path::new(&out).join("shipped.rs"), table).expect("OUT_DIR is writable");
}

fn walk(dir: &Path, name: &str, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(file) = entry.file_name().into_string() else {
            continue;
        };
        let (path, name) = (entry.path(), format!("{name}/{file}"));
        if path.is_dir() {
            walk(&path, &name, names);
        } else if path
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| EXTENSIONS.contains(&e))
        {
            names.push(name);
        }
    }
}
