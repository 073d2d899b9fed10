use rise_opt::cli::optimize::*;
use rise_opt::ctext;
use rise_opt::diag::code;
use rise_opt::validate::{Difference, Obligation, Open, Tally, Validation, Verdict};

fn found(verdict: Verdict, ended: bool) -> Validation {
    let mut tally = Tally {
        questions: 70,
        ended,
        ..Tally::default()
    };
    tally.met.insert((None, Obligation::Bounds), 5);
    if !matches!(verdict, Verdict::Validated) {
        tally.open.push(Open {
            obligation: Obligation::Value,
            statement: None,
            place: "out[i]".into(),
            why: "1 is not shown to be 2".into(),
        });
    }
    Validation { verdict, tally }
}

fn refuted() -> Verdict {
    Verdict::Refuted(Difference {
        sizes: "n = 3".into(),
        what: "`out[1]` is 1, not 2".into(),
        is_rounding: false,
    })
}

#[test]
fn what_is_refuted_is_an_error_and_what_is_unknown_is_none() {
    let same = ctext::Verdict::Same;
    let e = verdict(&found(refuted(), false), &same).expect_err("refuted");
    assert_eq!(e.code, code::NOT_VALIDATED);
    assert_eq!(rise_opt::diag::exit_code(std::slice::from_ref(&e)), 4);
    assert_eq!(
        e.message,
        "the loop program is wrong: where n = 3, `out[1]` is 1, not 2"
    );
    for (verdict_of, ended, told) in [
        (
            Verdict::Validated,
            false,
            "at all sizes that it accepts, 5 obligations; the C text says the same",
        ),
        (
            Verdict::Unknown,
            false,
            "unknown: 1 of 6 obligations are open, first value of out[i]; the C text says the same",
        ),
        (
            Verdict::Unknown,
            true,
            "unknown: 1 of 6 obligations are open after 70 questions about indices; the C text says the same",
        ),
    ] {
        assert_eq!(verdict(&found(verdict_of, ended), &same).expect("none"), told);
    }
}

#[test]
fn a_text_that_differs_is_an_error_and_one_that_is_not_read_is_none() {
    let validated = found(Verdict::Validated, false);
    let differs = ctext::Verdict::Differs(ctext::Difference {
        line: 7,
        in_header: false,
        what: "it stores 1".into(),
        loops: "2".into(),
    });
    let e = verdict(&validated, &differs).expect_err("another text");
    assert_eq!(e.code, code::TEXT_DIFFERS);
    let unread = ctext::Verdict::Unread(ctext::Unread {
        line: 7,
        in_header: false,
        what: "a `goto`".into(),
    });
    let told = verdict(&validated, &unread).expect("no verdict is no error");
    assert!(
        told.ends_with("`the C text`, line 7, is not read: a `goto`"),
        "{told}"
    );
}
