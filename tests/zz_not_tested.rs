//! The last of all tests, by its name: lists what the others left out in this run of `cargo test`.

#[path = "common/lacking.rs"]
mod lacking;

use std::collections::BTreeSet;

fn main() {
    let text = std::fs::read_to_string(lacking::file()).unwrap_or_default();
    let _ = std::fs::remove_file(lacking::file());
    let own = lacking::run().to_string();
    let lines = text.lines().filter_map(|l| l.split_once(' '));
    let missing: BTreeSet<&str> = lines.filter(|(r, _)| *r == own).map(|(_, w)| w).collect();
    if missing.is_empty() {
        println!("\nNothing that ran was left out for want of a tool.");
        return;
    }
    println!("\nNOT TESTED in this run:");
    for what in missing {
        println!("  {what}");
    }
}
