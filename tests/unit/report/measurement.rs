use rise_opt::exec::bench::{Contestant, Kind, Measurement, Method, Outcome, Place, Round};
use rise_opt::exec::compare::Difference;
use rise_opt::exec::measure::{Options, Timing};
use rise_opt::exec::peer::Presence;
use rise_opt::report::measurement::*;
use rise_opt::source::SourceMap;

fn contestant(name: &str, kind: Kind) -> Contestant {
    Contestant {
        name: name.into(),
        kind,
        file: None,
        target: None,
        compile_seconds: None,
        remarks: String::new(),
    }
}

fn measured(name: &str, best: f64, disturbed: bool) -> Place {
    Place {
        contestant: name.into(),
        outcome: Outcome::Measured {
            timing: Timing {
                seconds: vec![best, best * 1.25, best * 1.5],
                calls: 2,
                dropped: 1,
                preempted: 2,
                disturbed,
                threads: 1.0,
            },
            difference: Difference::default(),
        },
    }
}

fn example() -> Measurement {
    let presence = |library: &str, file: Option<&str>| Presence {
        library: library.into(),
        file: file.map(str::to_string),
        version: "1.0".into(),
        package: "lib<1>".into(),
    };
    Measurement {
        rise_opt: "0".into(),
        command: "rise-opt bench".into(),
        program: "mm".into(),
        machine: "2 cores".into(),
        compiler: "cc".into(),
        flags: vec![],
        seed: 0,
        method: Method::of(&Options::default()),
        contestants: vec![
            contestant("tiled & packed", Kind::Plan),
            contestant("unoptimised", Kind::Unoptimised),
            contestant("OpenBLAS", Kind::Peer),
        ],
        peers: vec![
            presence("OpenBLAS", Some("libopenblas.so.0")),
            presence("MKL", None),
        ],
        rounds: vec![Round {
            sizes: vec![("m".into(), 64), ("n".into(), 32)],
            threads: 2,
            flops: 1e9,
            bytes: 1.0,
            places: vec![
                measured("tiled & packed", 0.01, false),
                measured("unoptimised", 1.0, true),
                measured("OpenBLAS", 0.02, false),
                Place {
                    contestant: "odd".into(),
                    outcome: Outcome::NotApplicable {
                        why: "needs 32 divides m".into(),
                    },
                },
            ],
        }],
    }
}

#[test]
fn the_table_names_everybody() {
    let text = human(&example());
    let golden = "\
mm on 2 cores
cc
OpenBLAS: 1.0

m=64 n=32, 2 threads
kernel           median  within     best  GFLOP/s  best  × OpenBLAS  best  samples  dropped  error
tiled & packed  12.5 ms  20.0 %  10.0 ms     80.0   100        2.00  2.00        3        3      0
unoptimised      1.25 s  20.0 %   1.00 s     0.80  1.00        0.02  0.02        3       3*      0
OpenBLAS        25.0 ms  20.0 %  20.0 ms     40.0  50.0        1.00  1.00        3        3      0
* the machine was busy: samples with preemption had to count
odd: not applicable, needs 32 divides m

MKL: this machine has none; Debian and Ubuntu: package lib<1>
";
    assert_eq!(text, golden, "{text}");
}

#[test]
fn it_is_saved_and_drawn() {
    let m = example();
    let mut sources = SourceMap::new();
    let file = sources.add_text("m.json", &json(&m));
    assert_eq!(read(&sources, file).unwrap(), m);
    let picture = svg(&m);
    assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
    for part in [
        "tiled &amp; packed",
        "class=\"peer\"",
        "needs 32 divides m",
        "×2.00",
    ] {
        assert!(picture.contains(part), "{part}\n{picture}");
    }
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
}
