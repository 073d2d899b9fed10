//! `rise-opt doctor`: what this machine lacks.
//!
//! In: the machine. Out: one line for each thing that a kernel needs to be compiled, run and
//! measured, and for each solver that rules are proved by; exit code 1 when something is missing without
//! which nothing runs. It compiles and runs a small kernel in two threads, because a compiler that is
//! there is not yet one that works.

use super::Context;
use crate::exec::{solver, Array, Input, Kernel, Setting, Signature, Source, Toolchain};
use crate::report::answers::{Doctor, Found};
use crate::ty::Scalar;
use crate::{alloc, diag::Diagnostic};

#[derive(clap::Args, Debug)]
pub struct Args {}

pub fn run(_: &Args, context: &mut Context) -> u8 {
    let mut found = Vec::new();
    let mut wrong = Vec::new();
    let tool = match Toolchain::find() {
        Ok(tool) => {
            found.push(("compiler", format!("`{}`: {}", tool.name(), tool.version)));
            found.push(("target", tool.target.to_string()));
            found.push(("flags", tool.flags.join(" ")));
            let missing = tool.missing_flags();
            if !missing.is_empty() {
                found.push(("not taken", missing.join(" ")));
            }
            wrong.extend(tool.warning());
            Some(tool)
        }
        Err(d) => {
            wrong.push(d);
            None
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    found.push(("cores", cores.to_string()));
    if let Some(bytes) = alloc::available() {
        found.push((
            "memory",
            format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64),
        ));
    }
    if let Some(tool) = tool {
        match try_kernel(&tool, cores.min(2)) {
            Ok(threads) => found.push(("a kernel", format!("compiles and runs, {threads}"))),
            Err(d) => wrong.push(d),
        }
    }
    let solvers = solver::find();
    for name in solver::SOLVERS {
        let version = solvers.iter().find(|s| s.name == name).map(|s| &s.version);
        found.push((
            "a solver",
            match version {
                Some(version) => format!("`{name}`: {version}"),
                None => {
                    format!("`{name}` is not there; `rise-opt verify` asks it, nothing else does")
                }
            },
        ));
    }
    let found = found.into_iter().map(|(what, how)| Found { what, how });
    let found: Vec<Found> = found.collect();
    let page = if context.json() {
        Doctor { found }.json_line()
    } else {
        (found.iter())
            .map(|f| format!("{:>10}  {}\n", f.what, f.how))
            .collect()
    };
    context.print(&page);
    context.report(wrong)
}

/// Compiles and runs a kernel that asks how many threads it has.
fn try_kernel(tool: &Toolchain, threads: usize) -> Result<String, Diagnostic> {
    let signature = Signature {
        name: "trial".into(),
        sizes: 1,
        outputs: vec![Scalar::F32],
        inputs: vec![Input::Array(Scalar::F32)],
    };
    let declaration = "int trial(float *restrict out, int64_t n, const float *restrict a)";
    let c = format!(
        "#include \"trial.h\"\n{declaration} {{\n  float threads = 0;\n\
         #pragma omp parallel reduction(+ : threads)\n  threads += 1;\n\
         for (int64_t i = 0; i < n; i++) out[i] = a[i] * threads;\n  return 0;\n}}\n"
    );
    let source = Source {
        signature: &signature,
        c: &c,
        header: &format!("#include <stdint.h>\n{declaration};\n"),
        header_name: "trial.h",
        flags: &[],
        libraries: &[],
    };
    let kernel = Kernel::build(tool, &source)?;
    let results = kernel.results(&Setting {
        sizes: &[1],
        inputs: &[Array::of(Scalar::F32, [1.0])],
        out_lens: &[1],
        threads,
        guard: true,
    })?;
    Ok(match results[0].number(0) {
        1.0 => "in one thread".to_string(),
        n => format!("in {n} threads"),
    })
}
