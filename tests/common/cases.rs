//! Programs with inputs, and what the interpreter says of them; their kernels in one C program.
//!
//! Compiled without contraction of `a*b + c`, so that every bit has to be the interpreter's.

#![allow(dead_code)]

pub use super::goals::{Goal, GOALS};

use super::reference::Stored;
use super::share;
use rise_opt::elab;
use rise_opt::emit::{self, c_type};
use rise_opt::hash::fnv128;
use rise_opt::index::Level;
use rise_opt::intern::Symbol;
use rise_opt::interp::random::{self, Numbers, Rng};
use rise_opt::interp::{buffers, compare, eval_program, Shape, Sizes, Value};
use rise_opt::lower;
use rise_opt::nest::{Nest, Slot};
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use rise_opt::term::{normalize, Program};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::ScopedJoinHandle;
use tempfile::TempDir;

/// A program with its nest and one run.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub program: Program,
    pub nest: Nest,
    pub sizes: Sizes,
    pub inputs: Vec<Vec<u8>>,
    pub expected: Value,
}

/// A run of a program on these bytes.
pub fn case_of(text: &str, n: i64, inputs: Vec<Vec<u8>>, target: Target, name: &str) -> Case {
    let program = super::program_text(text);
    let sizes = sizes(&format!("n={n}"));
    let mut rng = Rng::new(1);
    let mut case =
        case_for(target, name.into(), program, sizes.clone(), &mut rng).expect("a value");
    let args: Vec<Value> = (case.program.params.iter().zip(&inputs))
        .map(|((_, ty), bytes)| {
            let shape = Shape::of(*ty, &sizes).expect("a shape");
            buffers::from_buffers(&shape, &[bytes]).expect("a value")
        })
        .collect();
    case.expected = eval_program(&case.program, &sizes, &args).expect("a value");
    case.inputs = inputs;
    case
}

/// The elements of an array at these sizes.
pub fn count(slot: &Slot, sizes: &Sizes) -> i64 {
    slot.count()
        .eval(&mut |s| sizes.get(&s).copied())
        .expect("sizes are known")
}

/// What a program is called with.
fn arguments(program: &Program, sizes: &Sizes, rng: &mut Rng) -> Vec<Value> {
    let params = program.params.iter();
    params
        .map(|(_, ty)| random::value_of(rng, *ty, sizes, Numbers::Unit).expect("a type"))
        .collect()
}

/// A program's own term at these sizes on random data; none where it has no value.
pub fn case_for(
    target: Target,
    name: String,
    program: Program,
    sizes: Sizes,
    rng: &mut Rng,
) -> Option<Case> {
    let args = arguments(&program, &sizes, rng);
    case_with(target, name, program, sizes, &args)
}

/// The same on data that is given.
pub fn case_with(
    target: Target,
    name: String,
    program: Program,
    sizes: Sizes,
    args: &[Value],
) -> Option<Case> {
    let program = named(&name, program);
    let expected = eval_program(&program, &sizes, args).ok()?;
    Some(Case {
        nest: lowered(target, &program),
        inputs: inputs(&program, &sizes, args),
        name,
        program,
        sizes,
        expected,
    })
}

/// A program in its normal form, under a name.
fn named(name: &str, program: Program) -> Program {
    Program {
        name: Symbol::new(name),
        term: normalize(&program.term),
        ..program
    }
}

fn lowered(target: Target, program: &Program) -> Nest {
    let options = lower::Options {
        target,
        ..Default::default()
    };
    lower::lower(program, &options).unwrap_or_else(|d| panic!("{program}\n{d:?}"))
}

/// Arguments as a kernel reads them.
fn inputs(program: &Program, sizes: &Sizes, args: &[Value]) -> Vec<Vec<u8>> {
    let params = args.iter().zip(&program.params);
    let parts = params.flat_map(|(value, (_, ty))| {
        let shape = Shape::of(*ty, sizes).expect("shape");
        buffers::to_buffers(value, &shape).expect("buffers")
    });
    parts.map(|b| b.bytes).collect()
}

/// What the interpreter says of a program on these arguments. Tests that ask for the same share it, as no target changes what a
/// program means: values belong to their thread, so their bytes are kept.
fn evaluated(program: &Program, sizes: &Sizes, args: &[Value], inputs: &[Vec<u8>]) -> Value {
    type Parts = Vec<Vec<u8>>;
    static KNOWN: Mutex<BTreeMap<u128, Arc<OnceLock<Parts>>>> = Mutex::new(BTreeMap::new());
    let mut asked = format!("{}{sizes:?}", elab::program_text(program)).into_bytes();
    for part in inputs {
        asked.extend(part.len().to_le_bytes());
        asked.extend(part);
    }
    let known = (KNOWN.lock().expect("a table"))
        .entry(fnv128(&asked))
        .or_default()
        .clone();
    let shape = Shape::of(program.result, sizes).expect("shape");
    let parts = known.get_or_init(|| {
        let value = eval_program(program, sizes, args);
        let value = value.unwrap_or_else(|e| panic!("{program} at {sizes:?}: no value: {e:?}"));
        let parts = buffers::to_buffers(&value, &shape).expect("buffers");
        parts.into_iter().map(|b| b.bytes).collect()
    });
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    buffers::from_buffers(&shape, &parts).expect("a value")
}

/// The programs of `tests/kernels`, at the sizes of their `-- run` lines, and the
/// shipped ones, at those of their references; others at a few. All cases of a program are of one kernel.
pub fn written(target: Target) -> Vec<Case> {
    written_of(target, |_| true)
}

/// One of so many of these programs, as [`share::takes`] says.
pub fn one_written(target: Target, first: usize, of: usize) -> Vec<Case> {
    written_of(target, |number| share::takes(number, first, of))
}

fn written_of(target: Target, takes: impl Fn(usize) -> bool) -> Vec<Case> {
    let own = fs::read_dir("tests/kernels").expect("a folder");
    let mut files: Vec<_> = own.map(|f| f.expect("a file").path()).collect();
    let shipped = SourceMap::shipped().filter(|f| f.starts_with("programs/"));
    files.extend(shipped.map(PathBuf::from));
    files.sort();
    let mut rng = Rng::new(5);
    let mut cases = Vec::new();
    for (number, file) in files.into_iter().enumerate().filter(|(n, _)| takes(*n)) {
        let path = file.to_string_lossy().into_owned();
        let mut sources = SourceMap::new();
        let id = sources.load(&path).expect("a file");
        let program = match elab::program(&mut sources, id, None) {
            Ok(p) => p,
            Err(d) => panic!("{path}: {d:?}"),
        };
        let text = fs::read_to_string(&file).expect("text");
        let mut runs: Vec<Sizes> = Vec::new();
        for line in text.lines().filter_map(|l| l.strip_prefix("-- run ")) {
            runs.push(sizes(line));
        }
        if runs.is_empty() && path.starts_with("programs/") {
            let cases = Stored::of(&path).cases.into_iter();
            runs.extend(cases.map(|c| c.sizes()));
        } else if runs.is_empty() {
            for n in [1, 2, 5, 17] {
                let each = program.sizes.iter().enumerate();
                runs.push(each.map(|(i, s)| (*s, n + i as i64)).collect());
            }
        }
        let name = format!("w{number}");
        let program = named(&name, program);
        let nest = lowered(target, &program);
        for sizes in runs {
            let args = arguments(&program, &sizes, &mut rng);
            let inputs = inputs(&program, &sizes, &args);
            cases.push(Case {
                expected: evaluated(&program, &sizes, &args, &inputs),
                inputs,
                name: name.clone(),
                program: program.clone(),
                nest: nest.clone(),
                sizes,
            });
        }
    }
    cases
}

/// `m=3,n=4`
pub fn sizes(text: &str) -> Sizes {
    settings(text)
        .into_iter()
        .map(|(name, value)| (Symbol::new(name), value))
        .collect()
}

/// `mr=3,nr=8`
pub fn settings(text: &str) -> Vec<(&str, i64)> {
    let parts = text.split(',').filter(|p| !p.trim().is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=').expect("name=value");
            (name.trim(), value.trim().parse().expect("a number"))
        })
        .collect()
}

impl Goal {
    /// Its kernel under a name, for a target.
    pub fn found(&self, name: &str, target: Target) -> Program {
        Program {
            name: Symbol::new(name),
            ..self.reached(target)
        }
    }

    /// Its kernel, called as the program is.
    pub fn reached(&self, target: Target) -> Program {
        let program = super::program(self.program);
        let set = settings(self.set);
        let steps = super::chain_for(target, self.sketch, &program, &set);
        super::reached(&program, &steps)
    }

    /// How it is lowered, with so much done to indices.
    pub fn lowering(&self, target: Target, simplify: Level) -> lower::Options {
        lower::Options {
            simplify,
            target,
            fixed: sizes(self.fixed),
            ..Default::default()
        }
    }

    pub fn nest(&self, found: &Program, target: Target) -> Nest {
        self.nest_at(found, target, Level::default())
    }

    /// With so much done to indices.
    pub fn nest_at(&self, found: &Program, target: Target, simplify: Level) -> Nest {
        let nest = lower::lower(found, &self.lowering(target, simplify));
        nest.unwrap_or_else(|d| panic!("{}: {d:?}", self.sketch))
    }

    /// One case for each of its sizes; what is expected is what the program means, or, of a kernel that regroups, what the
    /// term means that was found, which is close to that.
    pub fn cases(&self, name: &str, target: Target) -> Vec<Case> {
        let found = self.found(name, target);
        let nest = self.nest(&found, target);
        self.cases_of(&found, &nest, name)
    }

    /// The same, of a kernel that was made already.
    pub fn cases_of(&self, found: &Program, nest: &Nest, name: &str) -> Vec<Case> {
        let program = named(name, super::program(self.program));
        let mut rng = Rng::new(7);
        let case = |at: &&str| {
            let mut all = sizes(at);
            all.extend(sizes(self.fixed));
            let args = arguments(&program, &all, &mut rng);
            let inputs = inputs(&program, &all, &args);
            let own = evaluated(found, &all, &args, &inputs);
            let plain = evaluated(&program, &all, &args, &inputs);
            let d = compare::compare(&own, &plain).expect("same shape");
            let what = (self.sketch, at, &d);
            match self.regroups {
                true => assert!(d.relative_to_largest < 1e-4, "{what:?}"),
                false => assert!(d.same, "{what:?}"),
            }
            Case {
                name: name.to_string(),
                nest: nest.clone(),
                program: found.clone(),
                inputs,
                sizes: all,
                expected: own,
            }
        };
        self.at.iter().map(case).collect()
    }
}

/// The kernels of all goals, or of those that are asked for.
pub fn goals(target: Target, which: impl Fn(&Goal) -> bool) -> Vec<Case> {
    one_of_goals(target, which, 0, 1)
}

/// One of so many of these goals, as [`share::takes`] says.
pub fn one_of_goals(
    target: Target,
    which: impl Fn(&Goal) -> bool,
    first: usize,
    of: usize,
) -> Vec<Case> {
    let chosen = GOALS.iter().enumerate().filter(|(_, g)| which(g));
    share::one(chosen, first, of)
        .into_iter()
        .flat_map(|(i, g)| g.cases(&format!("g{i}"), target))
        .collect()
}

/// A C program that reads the inputs of case `argv[1]` and prints its outputs.
pub fn text(cases: &[Case]) -> String {
    emit::emit_all(&kernels(cases), &emit::Options::default()) + &driver(cases)
}

/// The cases of some kernels, which have numbers.
pub fn of_kernels(cases: &[Case], takes: impl Fn(usize) -> bool) -> Vec<Case> {
    let kernels = cases.chunk_by(|a, b| a.name == b.name).enumerate();
    let taken = kernels.filter(|(number, _)| takes(*number));
    taken.flat_map(|(_, cases)| cases.to_vec()).collect()
}

/// Cases that follow one another may be of one kernel.
pub fn kernels(cases: &[Case]) -> Vec<&Nest> {
    let mut nests: Vec<&Nest> = cases.iter().map(|c| &c.nest).collect();
    nests.dedup_by(|a, b| a.abi.name == b.abi.name);
    nests
}

/// Not optimised: compilers would spend more time on it than on the kernels.
fn driver(cases: &[Case]) -> String {
    let mut c = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n\
         static void *get(FILE *f, size_t bytes)\n{\n    \
         char *p = malloc(bytes + 1);\n    \
         if (!p || fread(p, 1, bytes, f) != bytes) exit(90);\n    return p;\n}\n\n\
         #ifdef __clang__\n__attribute__((optnone, noinline))\n#else\n__attribute__((optimize(0)))\n#endif\n\
         int main(int argc, char **argv)\n{\n    if (argc < 3) return 91;\n    \
         FILE *f = fopen(argv[2], \"rb\");\n    if (!f) return 92;\n    \
         switch (atoi(argv[1])) {\n",
    );
    for (i, case) in cases.iter().enumerate() {
        let abi = &case.nest.abi;
        let mut call = Vec::new();
        let _ = writeln!(c, "    case {i}: {{");
        for (j, slot) in abi.outputs.iter().enumerate() {
            let n = count(slot, &case.sizes);
            let ty = c_type(slot.elem);
            let _ = writeln!(
                c,
                "        {ty} *o{j} = malloc({n} * sizeof({ty}) + 64); memset(o{j}, 0x5a, {n} * sizeof({ty}) + 64);"
            );
            call.push(format!("o{j}"));
        }
        for s in &abi.sizes {
            call.push(case.sizes[s].to_string());
        }
        for (j, slot) in abi.inputs.iter().enumerate() {
            let n = count(slot, &case.sizes);
            let ty = c_type(slot.elem);
            let _ = writeln!(c, "        {ty} *i{j} = get(f, {n} * sizeof({ty}));");
            call.push(match slot.by_value {
                true => format!("*i{j}"),
                false => format!("i{j}"),
            });
        }
        // By a pointer that may change: compilers would write each kernel anew for the sizes of each call.
        let _ = writeln!(
            c,
            "        __typeof__(&{0}) volatile kernel = {0};\n        int status = kernel({1});",
            abi.name,
            call.join(", ")
        );
        let _ = writeln!(c, "        if (status) return status;");
        for (j, slot) in abi.outputs.iter().enumerate() {
            let n = count(slot, &case.sizes);
            let ty = c_type(slot.elem);
            let _ = writeln!(
                c,
                "        for (int g = 0; g < 64; g++) if (((char *)(o{j} + {n}))[g] != 0x5a) return 93;\n        \
                 fwrite(o{j}, sizeof({ty}), {n}, stdout);"
            );
        }
        for j in 0..abi.outputs.len() {
            let _ = writeln!(c, "        free(o{j});");
        }
        for j in 0..abi.inputs.len() {
            let _ = writeln!(c, "        free(i{j});");
        }
        let _ = writeln!(c, "        fclose(f);\n        return 0;\n    }}");
    }
    c += "    }\n    return 94;\n}\n";
    c
}

/// The flags that a kernel compiles with, without a warning, and without contraction; short loops have threads, too.
pub const FLAGS: [&str; 6] = [
    "-std=gnu11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffp-contract=off",
    "-DTHREADS_FROM=0",
];

/// What is undefined, or beyond an array, ends the program. By a trap: calls that tell what it was take a third of the time of
/// compiling. Who wants to be told leaves the last flag out.
pub const SANITIZED: [&str; 3] = [
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover",
    "-fsanitize-undefined-trap-on-error",
];

/// Compiles a C text; the flags say for which machine.
pub fn compile(compiler: &str, dir: &Path, text: &str, flags: &[&str]) -> PathBuf {
    let (source, exe) = (dir.join("cases.c"), dir.join("cases"));
    fs::write(&source, text).expect("write");
    let compiled = Command::new(compiler)
        .args(FLAGS)
        .args(flags)
        .args([&source, Path::new("-o"), &exe, Path::new("-lm")])
        .output()
        .expect(compiler);
    assert!(
        compiled.status.success(),
        "{compiler} {flags:?} {}\n{}",
        source.display(),
        String::from_utf8_lossy(&compiled.stderr)
    );
    exe
}

/// Runs the program of these cases: what went wrong with each one that did.
pub fn wrong(start: &dyn Fn() -> Command, dir: &Path, cases: &[Case]) -> Vec<(usize, String)> {
    let mut wrong = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let input = dir.join("input");
        fs::write(&input, case.inputs.concat()).expect("write");
        let run = start()
            .args([i.to_string().as_ref(), input.as_os_str()])
            .output()
            .expect("run");
        if !run.status.success() {
            let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
            wrong.push((i, format!("ends with {}\n{stderr}", run.status)));
            continue;
        }
        let shape = Shape::of(case.program.result, &case.sizes).expect("shape");
        let mut parts: Vec<&[u8]> = Vec::new();
        let mut rest = &run.stdout[..];
        for slot in &case.nest.abi.outputs {
            let bytes = count(slot, &case.sizes) as usize * slot.elem.bytes() as usize;
            let (part, more) = rest.split_at(bytes.min(rest.len()));
            parts.push(part);
            rest = more;
        }
        let got = buffers::from_buffers(&shape, &parts).expect("a value");
        let d = compare::compare(&got, &case.expected).expect("same shape");
        if !d.same {
            wrong.push((i, format!("{d:?}")));
        }
    }
    wrong
}

/// Says which case is wrong first, with everything that is known of it.
pub fn expect_none(wrong: &[(usize, String)], cases: &[Case], how: &str) {
    let Some((i, what)) = wrong.first() else {
        return;
    };
    let c = &cases[*i];
    let names: Vec<_> = wrong.iter().map(|w| &cases[w.0].name).collect();
    panic!(
        "{how}: {} wrong of {}: {names:?}\n{}: {what}\n{}\nat {:?}\n{}",
        wrong.len(),
        cases.len(),
        c.name,
        c.program,
        c.sizes,
        c.nest
    );
}

/// Compiles with OpenMP, runs, compares: as many parts at once as there are cores.
pub fn all_right(compiler: &str, cases: &[Case], flags: &[&str]) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<&[Case]> = cases.chunks(cases.len().div_ceil(cores).max(1)).collect();
    let texts: Vec<(String, TempDir)> = (parts.iter())
        .map(|part| (text(part), tempfile::tempdir().expect("a folder")))
        .collect();
    let programs: Vec<PathBuf> = std::thread::scope(|scope| {
        let all: Vec<_> = (texts.iter())
            .map(|(text, dir)| scope.spawn(|| compile(compiler, dir.path(), text, flags)))
            .collect();
        let end = |t: ScopedJoinHandle<PathBuf>| t.join().unwrap_or_else(|e| resume_unwind(e));
        all.into_iter().map(end).collect()
    });
    for ((part, (_, dir)), program) in parts.iter().zip(&texts).zip(&programs) {
        let wrong = wrong(&|| Command::new(program), dir.path(), part);
        expect_none(&wrong, part, &format!("{compiler} {flags:?}"));
    }
}
