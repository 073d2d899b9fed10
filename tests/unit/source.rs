//! Of `source`.

use rise_opt::source::*;

use std::fs;

#[test]
fn every_kind_of_bad_file_has_its_own_error() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let p = dir.path().join(name);
        fs::write(&p, bytes).unwrap();
        p.to_string_lossy().into_owned()
    };
    let mut map = SourceMap::new();
    let empty = put("empty.rise", b" \n\t\n");
    let binary = put("binary.rise", b"def\0");
    let latin = put("latin.rise", b"def \xe9");
    assert!(matches!(map.load(&empty), Err(LoadError::Empty { .. })));
    assert!(matches!(
        map.load(&binary),
        Err(LoadError::Binary { offset: 3, .. })
    ));
    assert!(matches!(
        map.load(&latin),
        Err(LoadError::NotUtf8 { offset: 4, .. })
    ));
    let folder = dir.path().to_string_lossy().into_owned();
    assert!(matches!(
        map.load(&folder),
        Err(LoadError::Directory { .. })
    ));
    assert!(matches!(
        map.load("no/such/file.rise"),
        Err(LoadError::Missing { .. })
    ));
}

#[test]
fn beside_the_including_file_comes_first() {
    let dir = tempfile::tempdir().unwrap();
    let a = dir.path().join("a.sk");
    fs::write(&a, "include b.sk").unwrap();
    fs::write(dir.path().join("b.sk"), "-- b").unwrap();
    let mut map = SourceMap::new();
    let a = map.load(&a.to_string_lossy()).unwrap();
    let b = map.load_from(a, "b.sk").unwrap();
    assert_eq!(&*map.file(b).text, "-- b");
    assert_eq!(map.load_from(a, "./b.sk").unwrap(), b);
}

#[test]
fn positions_count_characters_from_one() {
    let mut map = SourceMap::new();
    let f = map.add_text("t", "aé\nb");
    assert_eq!(map.position(f, 0), (1, 1));
    assert_eq!(map.position(f, 3), (1, 3));
    assert_eq!(map.position(f, 4), (2, 1));
    assert_eq!(map.position(f, 999), (2, 2));
}

#[test]
fn shipped_names_are_relative_and_sorted() {
    let names: Vec<_> = SourceMap::shipped().collect();
    assert!(names.windows(2).all(|w| w[0] < w[1]));
    assert!(names.iter().all(|n| !n.starts_with('/')));
    assert_eq!(
        sibling("sketches/mm/a.sk", "../prelude.sk"),
        "sketches/prelude.sk"
    );
}
