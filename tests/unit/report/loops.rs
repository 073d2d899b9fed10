//! Of `report::loops`.

use rise_opt::arith::Nat;
use rise_opt::diag::Diagnostic;
use rise_opt::elab;
use rise_opt::intern::Symbol;
use rise_opt::lower::{lower, Options};
use rise_opt::nest::Nest;
use rise_opt::report::loops::index;
use rise_opt::report::loops::*;
use rise_opt::source::SourceMap;

fn file(text: &str) -> (Nest, LoopsFile) {
    let mut sources = SourceMap::new();
    let id = sources.add_text("test.rise", text);
    let program = elab::program(&mut sources, id, None).expect("a program");
    let options = Options {
        fixed: [(Symbol::new("k"), 8)].into(),
        ..Options::default()
    };
    let nest = lower(&program, &options).expect("a nest");
    let file = LoopsFile::new(&nest, &program, &options.fixed, "rise-opt".to_string());
    (nest, file)
}

/// A tile with a tail, an accumulator in memory, a packed array, a choice and threads.
const PROGRAMS: [&str; 3] = [
    "def f [n m k : nat] (a : n.m.f32) (b : k.f32) : n.m.f32 =
      a |> mapPar (mapSeq (\\x -> b |> reduceSeq (\\acc y -> acc + x * y) 0.5))",
    "def f [n k : nat] (a : (4*n).f32) (s : k.i16) : n.4.f32 =
      let p = a |> asVector[4] |> mapSeq (\\v -> v * v) |> asScalar |> toMem in
      p |> split[4] |> mapSeq (\\w -> select (n < 3) (reverse w) w)",
    "def f [n k : nat] (a : n.k.f64) : k.f64 =
      a |> reduceSeq (\\acc row -> zip acc row |> mapSeq (\\p -> fst p + snd p)) (fill[k] 0)",
];

fn back(file: &LoopsFile) -> Result<Nest, Diagnostic> {
    let mut sources = SourceMap::new();
    let id = sources.add_text("f.loops", &file.to_json());
    LoopsFile::read(&sources, id)?.nest("f.loops")
}

#[test]
fn what_is_written_reads_back() {
    for text in PROGRAMS {
        let (nest, file) = file(text);
        let read = back(&file).unwrap_or_else(|d| panic!("{text}: {d:?}"));
        assert_eq!(format!("{:?}", nest.body), format!("{:?}", read.body));
        assert_eq!(format!("{:?}", nest.entry), format!("{:?}", read.entry));
        assert_eq!(format!("{:?}", nest.buffers), format!("{:?}", read.buffers));
        let (a, b) = (format!("{:?}", nest.abi), format!("{:?}", read.abi));
        assert_eq!(a, b);
        // No table has two entries for one value.
        let values = &file.function.values;
        for (i, v) in values.iter().enumerate() {
            assert!(!values[..i].contains(v), "{v:?} stands twice");
        }
    }
}

#[test]
fn indices_read_back() {
    let [n, m, i] = ["n", "m", "i"].map(|v| Nat::var(Symbol::new(v)));
    let two = Nat::int(2);
    let all = [
        Nat::int(0),
        Nat::int(-7),
        n * m - i,
        Nat::int(0) - n * two - i,
        (n + i).floor_div(m),
        (n * Nat::int(3)).ceil_div(Nat::int(4)) * m + i,
        (i - n).rem(Nat::int(6)) * two,
        n.exact_div(Nat::int(32)) * Nat::int(5),
        (n * m).exact_div(two * i),
        n.exact_div(m + i) * i,
        (n + i).min(m.max(i * two)) * n,
    ];
    for n in all {
        assert_eq!(index::parse(&n.to_string()), Ok(n), "{n}");
    }
    let deep = "(".repeat(100_000);
    for wrong in [
        "",
        "n +",
        "n n",
        "floor(n)",
        "n/0",
        "(n) % (0)",
        "sin(n, m)",
        "n)",
        "99999999999999999999",
        &deep,
    ] {
        assert!(index::parse(wrong).is_err(), "{wrong:.20}");
    }
}

/// What names something that is not there, or not yet, is no loop program; neither is what has other operands.
#[test]
fn what_is_no_loop_program_is_refused() {
    type Change = fn(&mut Function);
    // The declarations of the accumulator and of what is read once.
    fn declarations(f: &mut Function) -> impl Iterator<Item = &mut Stmt> {
        let all = f.blocks.iter_mut().flatten();
        all.filter(|s| matches!(s, Stmt::Let { .. }))
    }
    let changes: [(&str, Change); 12] = [
        ("is used before it is there", |f| {
            f.values[0].is = Is::Splat(0);
        }),
        ("there is no buffer 99", |f| {
            f.blocks[0].push(Stmt::Alloc(99));
        }),
        ("is used twice, or before it is there", |f| f.body += 1),
        ("is used twice, or before it is there", |f| {
            let (cond, then, els) = (f.values.len(), 0, 0);
            f.values.push(Value {
                elem: "bool".into(),
                lanes: 1,
                is: Is::Bool(true),
            });
            let body = f.body;
            f.blocks[body].push(Stmt::If { cond, then, els });
        }),
        ("is no part of the interface", |f| {
            f.buffers[0].storage = Storage::Output(7);
        }),
        ("is a second name of no earlier buffer", |f| {
            f.buffers[0].alias = Some(0);
        }),
        ("is no size or index", |f| f.buffers[0].len = "n +".into()),
        ("no vector has 3 lanes", |f| f.values[0].lanes = 3),
        ("is no operation", |f| {
            f.values.push(Value {
                elem: "f32".into(),
                lanes: 1,
                is: Is::Op {
                    op: "map".into(),
                    of: vec![0, 0],
                },
            });
            f.values.last_mut().unwrap().is = Is::Op {
                op: "nothing".into(),
                of: vec![0],
            };
        }),
        ("is declared with another type", |f| {
            for s in declarations(f) {
                if let Stmt::Let { elem, .. } = s {
                    *elem = "i64".into();
                }
            }
        }),
        ("is declared with another type", |f| {
            for s in declarations(f) {
                if let Stmt::Let { lanes, value, .. } = s {
                    (*lanes, *value) = (8, None);
                }
            }
        }),
        ("is declared with two types", |f| {
            let Some(Stmt::Let { var, .. }) = declarations(f).next() else {
                panic!("a variable")
            };
            let (var, value, lanes, mutable) = (var.clone(), None, 2, true);
            let elem = "f32".into();
            f.blocks[0].push(Stmt::Let {
                var,
                value,
                elem,
                lanes,
                mutable,
            });
        }),
    ];
    for (said, change) in changes {
        let (_, mut file) = file(PROGRAMS[0]);
        change(&mut file.function);
        let d = back(&file).expect_err(said);
        assert!(d.message.contains(said), "{said}: {d:?}");
        assert!(d.help.is_some());
    }
    let (_, mut file) = file(PROGRAMS[0]);
    for i in 0..5000 {
        file.function.values.push(Value {
            elem: "i64".into(),
            lanes: 1,
            is: match i {
                0 => Is::Index("n".into()),
                _ => Is::Cast(file.function.values.len() - 1),
            },
        });
    }
    assert!(back(&file)
        .expect_err("deep")
        .message
        .contains("nested too deeply"));
}
