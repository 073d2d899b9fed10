//! Of `report::html::diff`.

use rise_opt::report::html::diff::*;
use rise_opt::report::html::highlight::Language;

fn fresh(old: &str, new: &str) -> Vec<String> {
    let all = changes(old, new, Language::Rise).unwrap();
    let new = all.into_iter().filter(|p| p.2);
    new.map(|p| p.1.to_string()).collect()
}

#[test]
fn only_what_is_new_is_marked() {
    assert_eq!(fresh("a b c", "a x b\n c"), ["x"]);
    assert_eq!(fresh("a b c", "a b c"), [""; 0]);
    assert_eq!(fresh("", "a b"), ["a", "b"]);
    assert_eq!(fresh("a b", ""), [""; 0]);
    assert_eq!(
        fresh("map f (map g xs)", "map f (map g (h xs))"),
        ["(", "h", ")"]
    );
}

#[test]
fn what_is_too_long_is_not_compared() {
    let long = |word: &str| format!("{word} ").repeat(MOST + 1);
    assert!(changes(&long("a"), &long("b"), Language::Rise).is_none());
    assert!(changes(&long("a"), &long("a"), Language::Rise).is_some());
}
