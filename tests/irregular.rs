//! Updates at indices and segments between offsets: what rules make of them is found, proved and right.

use crate::common;
use crate::common::cases::{all_right, case_for, sizes, Case};
use rise_opt::intern::Symbol;
use rise_opt::interp::random::Rng;
use rise_opt::lower;
use rise_opt::nest::{walk, Nest, Stmt};
use rise_opt::search::{optimize, Options};
use rise_opt::target::Target;
use rise_opt::term::{normalize, Program};

/// The term that a sketch finds, and its loops.
fn reached(program: &Program, sketch: &str) -> (Program, Nest) {
    let steps = common::chain_text(sketch, program);
    let outcome = optimize(program, &steps, &Options::default());
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let term = normalize(outcome.terms.last().expect("a term"));
    let found = Program {
        term,
        name: Symbol::new("found"),
        ..program.clone()
    };
    let nest = lower::lower(&found, &lower::Options::default());
    let nest = nest.unwrap_or_else(|d| panic!("{found}: {d:?}"));
    (found, nest)
}

/// The kernel of what was found gives what the program means.
fn right(program: &Program, found: &Program, nest: &Nest, at: &[&str]) {
    let mut rng = Rng::new(3);
    let mut case = |at: &&str| {
        let plain = case_for(
            Target::default(),
            "found".into(),
            program.clone(),
            sizes(at),
            &mut rng,
        );
        Case {
            nest: nest.clone(),
            program: found.clone(),
            ..plain.expect("a value")
        }
    };
    let cases: Vec<Case> = at.iter().map(&mut case).collect();
    all_right("cc", &cases, &["-O2", "-fopenmp"]);
}

#[test]
fn blocks_of_a_histogram_have_private_copies() {
    let program = common::program_text(
        "def h [n m : nat] (is : n.idx[m]) : m.i32 =\n  \
         is |> map (\\i -> (i, 1)) |> scatterReduce (\\c x -> c + x) (fill[m] 0)\n",
    );
    let (found, nest) = reached(
        &program,
        "use rules/irregular.rules (scatter-reduce-blocks[4])\n\
         use rules/parallel.rules\n\
         sketch contains (app toMem (app (mapPar : ? -> (n/4).? -> ?) (contains scatterReduce) ?))\n",
    );
    let loops = nest.to_string();
    assert!(loops.contains("par"), "{loops}");
    right(
        &program,
        &found,
        &nest,
        &["n=16,m=5", "n=4,m=1", "n=0,m=3", "n=0,m=0"],
    );
}

/// Of a few tables that are updated at places which data say each has an update in turn; many are updated one after the other.
#[test]
fn updates_of_a_few_tables_run_side_by_side() {
    let of = |rows: &str| {
        common::program_text(&format!(
            "def h [n m : nat] (is : {rows}.n.idx[m]) (xs : {rows}.n.f32) : {rows}.m.f32 =
               zip is xs |> map (\\row -> zip (fst row) (snd row)
                 |> scatterReduce (\\s x -> s * 0.5 + x) (fill[m] 1.0))"
        ))
    };
    let lowered = |p: &Program| lower::lower(p, &lower::Options::default()).expect("a kernel");
    // How many iterations the loop directly around an update has.
    let around = |nest: &Nest| {
        let mut found = Vec::new();
        walk::each_stmt(&nest.body, &mut |s| {
            if let Stmt::For { extent, body, .. } = s {
                let loads = |s: &Stmt| matches!(walk::exprs(s), Some(e) if format!("{e:?}").contains("Load"));
                let updates = body.iter().any(|s| matches!(s, Stmt::Store { .. }));
                if updates && body.iter().any(loads) {
                    found.push(extent.to_string());
                }
            }
        });
        found
    };
    let program = of("4");
    let nest = lowered(&program);
    assert_eq!(around(&nest), ["4"], "{nest}");
    right(
        &program,
        &program,
        &nest,
        &["n=9,m=5", "n=1,m=1", "n=0,m=3"],
    );
    assert_eq!(around(&lowered(&of("9"))), ["n"]);
}

#[test]
fn rows_of_a_sparse_matrix_are_shared_among_threads() {
    let program = common::program_text(
        "def spmv [n m k : nat] (offsets : (n+1).idx[m+1]) (columns : m.idx[k]) (values : m.f32) (x : k.f32) : n.f32 =\n  \
         zip values (gather columns x) |> map (\\p -> fst p * snd p) |> reduceSegments (\\a v -> a + v) 0.0 offsets\n",
    );
    let (found, nest) = reached(
        &program,
        "use rules/irregular.rules (segments-blocks[2])\n\
         use rules/parallel.rules\n\
         sketch contains (app join (app (mapPar : ? -> (n/2).? -> ?) (contains reduceSegments) ?))\n",
    );
    let loops = nest.to_string();
    assert!(loops.contains("par"), "{loops}");
    right(
        &program,
        &found,
        &nest,
        &["n=8,m=9,k=4", "n=4,m=0,k=1", "n=2,m=3,k=2"],
    );
}

/// Without a sketch, too, also where segments are of rows. Their lengths are as usual, all values over the number of segments, and
/// differ.
#[test]
fn segments_get_threads() {
    let product = "zip values (gather columns x) |> map (\\p -> fst p * snd p) |> reduceSegments (\\a v -> a + v) 0.0 offsets";
    let program = common::program_text(&format!(
        "def spmv [n m k : nat] (offsets : (n+1).idx[m+1]) (columns : m.idx[k]) (values : m.f32) (x : k.f32) : n.f32 =
           {product}"
    ));
    let (found, nest) = reached(
        &program,
        "use rules/irregular.rules (segments-apart)\n\
         use rules/parallel.rules\n\
         sketch contains (app join (app (mapPar : ? -> n.? -> ?) (contains reduceSegments) ?))\n",
    );
    let c = rise_opt::emit::emit(&nest, &rise_opt::emit::Options::default()).c;
    assert!(c.contains("* (double)m"), "{c}");
    assert!(c.contains("    PARALLEL_FOR(n)"), "{c}");
    right(
        &program,
        &found,
        &nest,
        &["n=8,m=9,k=4", "n=1,m=3,k=1", "n=0,m=3,k=2", "n=0,m=0,k=0"],
    );
}

/// What every rule of the file is proved by holds without solvers.
#[test]
fn the_rules_are_proved() {
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_rise-opt"))
        .args(["verify", "rules/irregular.rules"])
        .output()
        .expect("rise-opt runs");
    let out = String::from_utf8_lossy(&run.stdout);
    assert!(out.contains(" 0 refuted, 0 unknown"), "{out}");
}
