//! The kernels of the seven goals, the unoptimised kernel, and OpenBLAS where the machine has it, on
//! the same inputs in one race.

mod common;

use common::{chain, machine, mm, row, table, Flags};
use rise_opt::emit::{self, emit};
use rise_opt::exec::{compare::compare, flops::flops, measure, sizes::Sizes};
use rise_opt::exec::{Array, Kernel, Setting, Signature, Source, Toolchain};
use rise_opt::intern::Symbol;
use rise_opt::interp::random::Rng;
use rise_opt::lower::{self, lower};
use rise_opt::report::{digits, seconds};
use rise_opt::search::{self, Options};
use rise_opt::term::Program;
use rise_opt::ty::Scalar;
use std::time::Duration;

const USAGE: &str = "\
cargo bench --bench kernels -- [FLAGS]: matrix multiplication of f32, best and median
  --size N       m = n = k [1024]
  --threads N    of all kernels and of OpenBLAS [1]
  --goals A,B    only these
  --samples N    of each kernel [11]
  --unoptimised  also the program as it stands, which takes seconds at 1024";

fn main() {
    common::main(USAGE, run);
}

struct Contestant {
    name: String,
    kernel: Kernel,
}

fn run(flags: &Flags) {
    let n = flags.number("--size", 1024) as i64;
    let threads = flags.number("--threads", 1) as usize;
    let tool = Toolchain::find().unwrap_or_else(|d| panic!("{}", d.message));
    println!("{}", machine());
    println!(
        "{}\nm = n = k = {n}, f32, {threads} threads\n",
        tool.version
    );

    let program = mm();
    let mut contestants: Vec<Contestant> = Vec::new();
    if flags.has("--unoptimised") {
        contestants.extend(contestant("unoptimised", &program, &tool));
    }
    for goal in flags.goals() {
        let steps = chain(&format!("sketches/mm/{goal}.sk"), &program, &[]);
        let outcome = search::optimize(&program, &steps, &Options::default());
        let found = match (outcome.failure, outcome.terms.last()) {
            (None, Some(term)) => Program {
                term: term.clone(),
                ..program.clone()
            },
            _ => {
                println!("{goal}: not found");
                continue;
            }
        };
        contestants.extend(contestant(goal, &found, &tool));
    }
    contestants.extend(open_blas(&tool));
    race(&program, &contestants, n, threads, flags);
}

fn contestant(name: &str, program: &Program, tool: &Toolchain) -> Option<Contestant> {
    let nest = match lower(program, &lower::Options::default()) {
        Ok(nest) => nest,
        Err(d) => {
            println!("{name}: {}", d.message);
            return None;
        }
    };
    let unit = emit(
        &nest,
        &emit::Options {
            command: None,
            target: None,
            header_name: Some("unit.h".to_string()),
        },
    );
    let source = Source {
        signature: &Signature::of(&unit.abi),
        c: &unit.c,
        header: &unit.header,
        header_name: "unit.h",
        flags: &[],
        libraries: &[],
    };
    match Kernel::build(tool, &source) {
        Ok(kernel) => Some(Contestant {
            name: name.to_string(),
            kernel,
        }),
        Err(d) => {
            println!("{name}: {}", d.message);
            None
        }
    }
}

/// `sgemm` of the library that the machine has, called as a kernel. It is opened when it is called,
/// so nothing has to be installed to build this.
fn open_blas(tool: &Toolchain) -> Option<Contestant> {
    let declaration = "int mm(float *restrict out, int64_t m, int64_t n, int64_t k, \
                       const float *restrict a, const float *restrict b)";
    let c = format!(
        r#"#include "unit.h"
#include <dlfcn.h>
typedef void gemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
{declaration} {{
  static gemm *sgemm;
  if (!sgemm) {{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!library) return 3;
    sgemm = (gemm *)dlsym(library, "cblas_sgemm");
    if (!sgemm) return 3;
  }}
  sgemm(101, 111, 111, (int)m, (int)n, (int)k, 1.0f, a, (int)k, b, (int)n, 0.0f, out, (int)n);
  return 0;
}}
"#
    );
    let program = mm();
    let nest = lower(&program, &lower::Options::default()).ok()?;
    let source = Source {
        signature: &Signature::of(&nest.abi),
        c: &c,
        header: &format!("#include <stdint.h>\n{declaration};\n"),
        header_name: "unit.h",
        flags: &[],
        libraries: &["-ldl"],
    };
    Some(Contestant {
        name: "OpenBLAS".to_string(),
        kernel: Kernel::build(tool, &source).ok()?,
    })
}

fn race(program: &Program, contestants: &[Contestant], n: i64, threads: usize, flags: &Flags) {
    let mut rng = Rng::new(0);
    let len = (n * n) as usize;
    let inputs = [(); 2].map(|()| Array::random(Scalar::F32, len, &mut rng));
    let setting = Setting {
        sizes: &[n, n, n],
        inputs: &inputs,
        out_lens: &[len],
        threads,
        guard: false,
    };
    let (mut names, mut sessions, mut first) = (Vec::new(), Vec::new(), Vec::new());
    let mut reference = None;
    for c in contestants {
        let mut session = match c.kernel.start(&setting) {
            Ok(session) => session,
            Err(d) => {
                println!("{}: {}", c.name, d.message);
                continue;
            }
        };
        let sample = match session.call(1, Duration::from_secs(600)) {
            Ok(sample) if sample.status == 0 => sample,
            Ok(_) if c.name == "OpenBLAS" => {
                println!("OpenBLAS: the machine has none");
                continue;
            }
            Ok(sample) => {
                println!("{}: returned {}", c.name, sample.status);
                continue;
            }
            Err(d) => {
                println!("{}: {}", c.name, d.message);
                continue;
            }
        };
        // All results are those of the first.
        let result = session
            .outputs()
            .unwrap_or_else(|d| panic!("{}", d.message));
        let wanted = reference.get_or_insert_with(|| result.clone());
        let difference = compare(&result, wanted, 2.0 * n as f64);
        assert!(difference.agrees(), "{} computes something else", c.name);
        names.push((c.name.clone(), c.kernel.compile_time.as_secs_f64()));
        sessions.push(session);
        first.push(sample);
    }
    let options = measure::Options {
        samples: flags.number("--samples", 11) as usize,
        pause: Duration::from_millis(100),
        ..measure::Options::default()
    };
    let timings =
        measure::race(&mut sessions, &first, &options).unwrap_or_else(|d| panic!("{}", d.message));
    let sizes: Sizes = ["m", "n", "k"].map(|s| (Symbol::new(s), n)).into();
    let work = flops(program, &sizes).unwrap_or(f64::NAN);
    let blas = names.iter().position(|(name, _)| name == "OpenBLAS");
    let mut rows = vec![row([
        "kernel",
        "best",
        "median",
        "GFLOP/s best",
        "median",
        "time / OpenBLAS",
        "samples",
        "dropped",
        "compiled in",
    ])];
    for ((name, compile), t) in names.iter().zip(&timings) {
        rows.push(vec![
            name.clone(),
            seconds(t.best()),
            seconds(t.median()),
            digits(work / t.best() / 1e9),
            digits(work / t.median() / 1e9),
            blas.map_or("-".to_string(), |b| digits(t.best() / timings[b].best())),
            t.seconds.len().to_string(),
            t.dropped.to_string(),
            seconds(*compile),
        ]);
    }
    table(&rows);
}
