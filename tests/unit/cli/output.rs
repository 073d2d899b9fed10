//! Of `cli::output`.

use rise_opt::cli::output::*;
use rise_opt::diag::code;
use std::path::Path;

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
#[cfg(unix)]
fn a_file_keeps_its_mode_and_a_link_what_it_names() {
    use std::os::unix::fs::{symlink, PermissionsExt};
    let dir = tempfile::tempdir().unwrap();
    let [a, link] = ["a.c", "link.c"].map(|name| dir.path().join(name));
    std::fs::write(&a, "old").unwrap();
    std::fs::set_permissions(&a, std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink("a.c", &link).unwrap();
    let target = Target::prepare(&link).unwrap();
    write_all(vec![(target, "new".into())]).unwrap();
    assert_eq!(std::fs::read_to_string(&a).unwrap(), "new");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    let mode = std::fs::metadata(&a).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
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
    let files = [&*a, Path::new("/dev/full")].map(|p| (Target::prepare(p).unwrap(), "x".into()));
    let e = write_all(files.into()).unwrap_err();
    assert!(e.message.contains("/dev/full"), "{e:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
