//! What is said of the schedules that were tried.

use rise_opt::report::candidates::{self, Candidate, Candidates};

/// Each way to lose has words of its own.
#[test]
fn schedules_that_are_not_taken_say_why() {
    let one = |cycles, faster, lost: Option<&str>| Candidate {
        what: String::new(),
        cycles,
        changes: 1,
        slower_alone: false,
        faster,
        lost: lost.map(str::to_string),
    };
    let mut all = Candidates {
        sizes: Vec::new(),
        plain: Some(100.0),
        all: vec![
            one(Some(50.0), None, None),
            one(Some(60.0), None, None),
            one(Some(49.0), None, None),
            one(Some(400.0), None, None),
            one(None, None, Some("step `tile` is not reached")),
        ],
        taken: Some(0),
        nodes: 0,
        classes: Vec::new(),
        limit: None,
        in_order: Vec::new(),
    };
    let verdicts = |c: &Candidates| (0..5).map(|i| c.verdict(i)).collect::<Vec<_>>();
    let said = verdicts(&all);
    assert_eq!(said[0], "taken");
    assert_eq!(said[1], "estimated to take 20 % longer");
    let rows = "not so much faster that what it leaves of rows is worth it";
    assert_eq!(said[2], rows);
    assert_eq!(said[3], "estimated to take 8 times as long");
    assert_eq!(said[4], "step `tile` is not reached");
    all.all[2].changes = 2;
    let why = "not so much faster that one more change is worth it";
    assert_eq!(all.verdict(2), why);
    assert!(candidates::human(&all).contains(why));
    all.all[2].changes = 3;
    let why = "not so much faster that 2 more changes are worth it";
    assert_eq!(all.verdict(2), why);
    all.all[2].slower_alone = true;
    let why = "slower with one thread than the program as it stands";
    assert_eq!(all.verdict(2), why);
    all.all[0].faster = Some(2.0);
    all.all[1].faster = Some(1.6);
    all.all[3].lost = Some("crashed".to_string());
    let said = verdicts(&all);
    assert_eq!(said[1], "measured to take 25 % longer");
    assert_eq!(said[2], "not measured: the budget was used up");
    assert_eq!(said[3], "crashed");
}
