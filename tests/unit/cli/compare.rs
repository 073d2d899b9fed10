//! Of `cli::compare`.

use rise_opt::cli::compare::*;

#[test]
fn goals_are_named_after_their_files_or_by_the_user() {
    let goal = |text: &str| text.parse::<GoalArg>();
    let named = |text: &str| goal(text).unwrap().title();
    assert_eq!(named("sketches/mm/blocking.sk"), "mm/blocking");
    assert_eq!(named("a/split.sk,b/reorder.sk"), "b/reorder");
    assert_eq!(named("blocking.sk"), "blocking");
    assert_eq!(named("general/tiles=x/y.sk"), "general/tiles");
    assert_eq!(named("tiles=x/y.sk"), "tiles");
    assert_eq!(goal("a=x.sk,y.sk").unwrap().files, ["x.sk", "y.sk"]);
    for bad in ["", "=", "=a.sk", "a=", "a.sk,", "a=,b.sk", "book/=a.sk"] {
        assert!(goal(bad).is_err(), "{bad}");
    }
}
