//! The oldest Rust that is said to do builds everything that is locked: what each package says of itself.

use serde_json::Value;
use std::process::Command;

fn version(text: &str) -> Vec<u32> {
    let parts = text.split('.').map(|n| n.parse().expect("a version"));
    let mut parts: Vec<u32> = parts.collect();
    parts.resize(3, 0);
    parts
}

#[test]
fn no_locked_package_wants_a_newer_rust_than_is_said_to_do() {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["metadata", "--locked", "--format-version", "1"]);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    let said = cargo.output().expect("cargo");
    assert!(
        said.status.success(),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    let all: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let claimed = env!("CARGO_PKG_RUST_VERSION");
    let mut seen = 0;
    for package in all["packages"].as_array().expect("packages") {
        if let Some(wanted) = package["rust_version"].as_str() {
            seen += 1;
            assert!(
                version(wanted) <= version(claimed),
                "{} {} wants Rust {wanted}, and {claimed} is said to do",
                package["name"],
                package["version"]
            );
        }
    }
    assert!(seen > 20, "only {seen} packages say what they want");
    let readme = include_str!("../README.md");
    assert!(readme.contains(&format!("Rust {claimed},")));
}
