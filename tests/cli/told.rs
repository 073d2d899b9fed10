//! What a command is given and cannot use: one message that says what was given, what is wanted, and the next step.

use super::{Place, PROGRAM};

const RULES: &str =
    "rule twice-sum\n  map (\\x -> x + x) (xs : n.f32)  =>  map (\\x -> 2.0 * x) xs\n\n\
                     rule same\n  map f (map g xs)  =>  map (\\x -> f (g x)) xs\n";
const SKETCH: &str = "use \"r.rules\" (same)\n\nsketch contains (app map ?)\n";

fn place() -> Place {
    Place::new(&[
        ("p.rise", PROGRAM.as_bytes()),
        ("r.rules", RULES.as_bytes()),
        ("s.sk", SKETCH.as_bytes()),
        (
            "i.rise",
            b"def more [n : nat] (xs : n.i32) : n.i32 = map (\\x -> x * 3 + 1) xs\n",
        ),
    ])
}

#[test]
fn files_of_another_kind_are_told_by_one_error() {
    let place = place();
    let kinds = [
        (
            &["p.rise", "--sketch", "r.rules"][..],
            "a file of rules (.rules)",
            "a sketch (.sk)",
        ),
        (
            &["p.rise", "--sketch", "p.rise"],
            "a program (.rise)",
            "a sketch (.sk)",
        ),
        (
            &["r.rules", "--plain"],
            "a file of rules (.rules)",
            "a program (.rise)",
        ),
        (&["s.sk", "--plain"], "a sketch (.sk)", "a program (.rise)"),
        (
            &["verify", "p.rise"],
            "a program (.rise)",
            "a file of rules (.rules)",
        ),
        (
            &["verify", "s.sk"],
            "a sketch (.sk)",
            "a file of rules (.rules)",
        ),
    ];
    for (args, is, wanted) in kinds {
        let says = format!("error[E0110]: this is {is}, and {wanted} is needed");
        let ran = place.fails(args, 1, &[&says, "= help: "]);
        assert_eq!(ran.stderr.matches("error[").count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn flags_that_are_of_no_use_are_refused() {
    let place = place();
    let plain = ["p.rise", "--plain"];
    let with = |more: &[&'static str]| [&plain[..], more].concat();
    place.fails(
        &with(&["--permit", "reassociate"]),
        2,
        &["'--plain' cannot be used with '--permit <WHAT>'"],
    );
    place.fails(&with(&["--records", "r.json"]), 2, &["`--auto=tune`"]);
    place.fails(
        &with(&["--budget", "5s"]),
        2,
        &["`--budget` is for `--auto=tune`"],
    );
    place.fails(
        &["p.rise", "--auto", "--budget", "5s"],
        2,
        &["`--budget` is for `--auto=tune`"],
    );
    place.fails(
        &with(&["--set", "n=4", "--set", "n=8"]),
        2,
        &["`--set` gives `n` a value twice"],
    );
    place.fails(
        &with(&["--set", "n=4,n=4"]),
        2,
        &["`--set` gives `n` a value twice"],
    );
    for command in ["explain", "bench", "compare"] {
        let sketch: &[&str] = if command == "compare" {
            &["--sketch", "p.sk"]
        } else {
            &[]
        };
        let args = [&[command, "p.rise", "--set", "n=4,n=4"], sketch].concat();
        place.fails(&args, 2, &["`--set` gives `n` a value twice"]);
    }
}

#[test]
fn what_is_no_statement_is_not_proved() {
    let place = place();
    place.fails(
        &["prove", "x + 1"],
        1,
        &[
            "E0412",
            "what is to be proved needs a boolean",
            "= help: compare integers",
        ],
    );
    let ran = place.run(&["prove", "b", "--assume", "b"]);
    assert_eq!((ran.code, &*ran.stdout), (0, "true\n"), "{}", ran.stderr);
}

#[test]
fn names_of_operators_come_from_the_command_line() {
    let place = place();
    let operator = "\\x y -> k * x";
    place.fails(
        &["assoc", "check", operator, "--type", "i32"],
        1,
        &[
            "there is no `k`",
            "= help: give it a type: `--with 'k : i32'`",
        ],
    );
}

#[test]
fn kernels_of_integers_have_nothing_to_round() {
    let place = place();
    let lines = |program: &str| {
        let ran = place.run(&[program, "--plain", "-o", "k.c"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let says = |word: &str| ran.stdout.lines().any(|l| l.starts_with(word));
        [says("sums"), says("rounding"), says("kernel")]
    };
    assert_eq!(lines("p.rise"), [true, true, true]);
    assert_eq!(lines("i.rise"), [false, false, true]);
}

#[test]
fn a_missing_permission_is_advised() {
    let sum = b"def total [n : nat] (xs : (64*n).f32) : f32 = reduce (+) 0.0 xs\n";
    let sketch = b"use rules/reduction.rules (reduce-blocks[8])\nsketch contains (app map (contains reduce))\n";
    let place = Place::new(&[("t.rise", sum), ("t.sk", sketch)]);
    place.fails(
        &["t.rise", "--sketch", "t.sk"],
        3,
        &[
            "refused, as the step has no `permit reassociate`: reduce-blocks",
            "= help: write `permit reassociate` into the step",
            "tried: with it the sketch is reached",
        ],
    );
}

/// Each says what is wrong where it stands, and what to write instead.
#[test]
fn classes_of_sizes_that_are_none() {
    let place = Place::new(&[(
        "p.rise",
        "def scale [m n : nat] (a : f32) (xs : m.n.f32) : m.n.f32 = xs |> map (map (\\x -> a * x))"
            .as_bytes(),
    )]);
    for (classes, says) in [
        (
            "1..64",
            &[
                "--sizes:1:1",
                "sizes from 64 on are in no class",
                "add `64..`",
            ][..],
        ),
        (
            "1..64,60..",
            &[
                "--sizes:1:7",
                "sizes from 60 to 63 are in two classes",
                "begin with 64",
            ],
        ),
        (
            "1..64,65..",
            &["--sizes:1:7", "sizes from 64 to 64 are in no class"],
        ),
        (
            "8..",
            &["sizes from 1 to 7 are in no class", "begin with 1"],
        ),
        ("1..,64..", &["nothing is left", "end the one before"]),
        ("1..64,64..64,64..", &["no size is in `64..64`"]),
        ("1..64,x..", &["`x` is no size", "write a range"]),
        ("64", &["`64` is no range of sizes"]),
        ("", &["`` is no range of sizes"]),
        (
            "1..99999999999,99999999999..",
            &["`99999999999` is no size"],
        ),
        (
            "nn=1..4,4..",
            &[
                "--sizes:1:1",
                "`nn` is no size of `scale`",
                "did you mean `n`",
            ],
        ),
        (
            "n=1..4,4..,n=1..8,8..",
            &["--sizes:1:12", "`n` has ranges twice"],
        ),
        ("n=1..4,m=1..8,8..", &["sizes from 4 on are in no class"]),
        ("1..4,4..,m=1..8,8..", &["of all sizes together"]),
    ] {
        let says = [&["E0904"], says].concat();
        place.fails(&["p.rise", "--sizes", classes], 2, &says);
    }
    let fixed = &["p.rise", "--sizes", "n=1..4,4..", "--set", "n=16"];
    place.fails(fixed, 2, &["`n` is fixed by `--set`"]);
    let none = &["p.rise", "--sizes", "1..4,4..", "--set", "n=16,m=3"];
    place.fails(none, 2, &["`scale` has no size that varies"]);
    let many: Vec<String> = (1..70).map(|n| format!("{n}..{}", n + 1)).collect();
    let many = format!("{},70..", many.join(","));
    place.fails(
        &["p.rise", "--sizes", &many],
        2,
        &["70 classes are more than 64"],
    );
    let tuned = &["p.rise", "--auto=tune", "--sizes", "1..4,4.."];
    place.fails(tuned, 2, &["`--sizes` is for `--auto=model`"]);
    let plain = &["p.rise", "--plain", "--sizes", "1..4,4.."];
    place.fails(plain, 2, &["--plain", "--sizes"]);
}
