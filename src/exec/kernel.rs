//! A compiled kernel, and calls of it in a child process.
//!
//! In: C text with its signature, sizes, arrays. Out: arrays, times, or a diagnostic that says how
//! the kernel failed. The C text is linked to a small driver (`driver.c`) that knows nothing of the
//! kernel, and to how it is called (`call.c`). Invariants: whatever the kernel does, only the child suffers; a result
//! is never read before the kernel returned 0. Absent: what the right result is (`check`), how
//! often to call (`measure`).

use super::array::Array;
use super::process::{Broken, Dialog, End};
use super::toolchain::{temp_dir, TempFolder, Toolchain};
use crate::diag::{code, Diagnostic};
use crate::emit::c_type;
use crate::nest::{Abi, Slot};
use crate::ty::Scalar;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

const DRIVER: &str = include_str!("driver.c");

/// How long one answer of a driver may take, unless the caller knows better.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Variables by which OpenMP and peers learn how many threads to use.
const THREADS: [&str; 4] = [
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
];

/// A peer library must choose its code by the machine, not by what stands in the environment.
pub const OVERRIDES: [&str; 8] = [
    "OPENBLAS_CORETYPE",
    "OPENBLAS_MAIN_FREE",
    "MKL_ENABLE_INSTRUCTIONS",
    "MKL_DEBUG_CPU_TYPE",
    "MKL_CBWR",
    "MKL_DYNAMIC",
    "LIBXSMM_TARGET",
    "LIBXSMM_GEMM",
];

/// How a kernel is called: results, sizes, inputs, in this order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub name: String,
    /// How many sizes it takes; fixed ones are not among them.
    pub sizes: usize,
    pub outputs: Vec<Scalar>,
    pub inputs: Vec<Input>,
}

impl Signature {
    /// How an emitted function is called.
    pub fn of(abi: &Abi) -> Signature {
        let input = |s: &Slot| {
            if s.by_value {
                Input::Value(s.elem)
            } else {
                Input::Array(s.elem)
            }
        };
        Signature {
            name: abi.name.clone(),
            sizes: abi.sizes.len(),
            outputs: abi.outputs.iter().map(|s| s.elem).collect(),
            inputs: abi.inputs.iter().map(input).collect(),
        }
    }
}

/// An argument that carries data.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A pointer to the first element.
    Array(Scalar),
    /// The number itself.
    Value(Scalar),
}

/// The C text of a kernel.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    pub signature: &'a Signature,
    pub c: &'a str,
    /// Declares the function; the C text includes it by this name.
    pub header: &'a str,
    pub header_name: &'a str,
    /// Further flags of the compiler: where a text of the user's finds its headers.
    pub flags: &'a [String],
    /// Libraries to link, as flags. What has some is a peer: a library's threads do the work.
    pub libraries: &'a [&'a str],
}

/// A program that calls one kernel.
pub struct Kernel {
    dir: TempFolder,
    exe: PathBuf,
    signature: Signature,
    /// What the compiler remarked; a kernel should give it no reason.
    pub remarks: String,
    /// How long the compiler took.
    pub compile_time: Duration,
    /// Whether a library's threads do the work, not OpenMP's.
    peer: bool,
    runs: std::cell::Cell<u32>,
}

/// What a child process is started with.
#[derive(Copy, Clone, Debug)]
pub struct Setting<'a> {
    pub sizes: &'a [i64],
    pub inputs: &'a [Array],
    /// Elements of each result.
    pub out_lens: &'a [usize],
    pub threads: usize,
    /// Arrays end at forbidden memory, so that reading past them crashes; else they are aligned,
    /// as is right for measuring.
    pub guard: bool,
}

/// Calls and their time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// What the kernel returned.
    pub status: i32,
    pub wall: Duration,
    /// Processor time of all threads.
    pub cpu: Duration,
    /// How often the system took a processor from a thread that could have gone on.
    pub preempted: u64,
}

/// A kernel that waits in its process to be called.
pub struct Session {
    name: String,
    dialog: Dialog,
    output: PathBuf,
    /// Type and bytes of each result.
    results: Vec<(Scalar, usize)>,
}

impl Kernel {
    pub fn build(tool: &Toolchain, source: &Source) -> Result<Kernel, Diagnostic> {
        let dir = temp_dir()?;
        let put = |name: &str, text: &str| -> Result<PathBuf, Diagnostic> {
            let path = dir.path().join(name);
            std::fs::write(&path, text).map_err(no_room)?;
            Ok(path)
        };
        put(source.header_name, source.header)?;
        put(
            "kernel.h",
            &format!("#include \"{}\"\n", source.header_name),
        )?;
        let kernel = put("kernel.c", source.c)?;
        let call = put("call.c", &call_text(source.signature))?;
        let exe = dir.path().join("driver");
        let start = std::time::Instant::now();
        let flags: Vec<&str> = source.flags.iter().map(String::as_str).collect();
        let sources = [kernel, call, driver(tool, dir.path())?];
        let remarks = tool.build(&sources, &exe, &flags, source.libraries)?;
        Ok(Kernel {
            exe,
            signature: source.signature.clone(),
            remarks,
            compile_time: start.elapsed(),
            peer: !source.libraries.is_empty(),
            runs: Default::default(),
            dir,
        })
    }

    pub fn name(&self) -> &str {
        &self.signature.name
    }

    /// Starts the process and gives it its inputs.
    pub fn start(&self, setting: &Setting) -> Result<Session, Diagnostic> {
        let run = self.runs.get();
        self.runs.set(run + 1);
        let input = self.dir.path().join(format!("in{run}"));
        let output = self.dir.path().join(format!("out{run}"));
        let mut file = std::io::BufWriter::new(std::fs::File::create(&input).map_err(no_room)?);
        for a in setting.inputs {
            file.write_all(&(a.bytes.len() as u64).to_ne_bytes())
                .and_then(|()| file.write_all(&a.bytes))
                .map_err(no_room)?;
        }
        file.flush().map_err(no_room)?;
        drop(file);
        let lens = self.signature.outputs.iter().zip(setting.out_lens);
        let results: Vec<_> = lens.map(|(s, n)| (*s, n * s.bytes() as usize)).collect();
        let mut command = Command::new(&self.exe);
        command.arg(&input).arg(&output);
        command.arg(if setting.guard { "1" } else { "0" });
        command.args(results.iter().map(|(_, bytes)| bytes.to_string()));
        command.args(setting.sizes.iter().map(i64::to_string));
        for variable in THREADS {
            command.env(variable, setting.threads.max(1).to_string());
        }
        // Left alone, the system may keep both threads of a short kernel on one core for all
        // samples. A peer's threads would all inherit the place of the first, so it stays free.
        let told = std::env::var_os("OMP_PROC_BIND").is_some();
        if setting.threads > 1 && !self.peer && !told {
            command.env("OMP_PROC_BIND", "true");
        }
        for variable in OVERRIDES {
            command.env_remove(variable);
        }
        let dialog = Dialog::start(&mut command).map_err(|e| {
            Diagnostic::new(
                code::KERNEL_DIED,
                format!("`{}` cannot be started: {}", self.name(), e.kind()),
            )
            .help("check that programs may be run from the temporary folder, or set TMPDIR")
        })?;
        let mut session = Session {
            name: self.signature.name.clone(),
            dialog,
            output,
            results,
        };
        // The answer shows that the inputs were read, after which their file is not needed.
        session.ask("clear", PATIENCE)?;
        let _ = std::fs::remove_file(input);
        Ok(session)
    }

    /// One call; the results.
    pub fn results(&self, setting: &Setting) -> Result<Vec<Array>, Diagnostic> {
        let mut session = self.start(setting)?;
        let sample = session.call(1, PATIENCE)?;
        if sample.status != 0 {
            return Err(refusal(self.name(), sample.status, setting.sizes));
        }
        session.outputs()
    }
}

impl Session {
    /// Calls the kernel `times` times, or until it returns something else than 0.
    pub fn call(&mut self, times: u64, limit: Duration) -> Result<Sample, Diagnostic> {
        self.timed(times, 0, limit)
    }

    /// The same after `warm` calls that are not timed: threads that slept wake up in them, which takes milliseconds on
    /// some machines, and caches fill.
    pub fn timed(&mut self, times: u64, warm: u64, limit: Duration) -> Result<Sample, Diagnostic> {
        let answer = self.ask(&format!("call {times} {warm}"), limit)?;
        let mut words = answer.split_whitespace().skip(1);
        let mut number = || words.next().and_then(|w| w.parse::<i64>().ok());
        match (number(), number(), number(), number()) {
            (Some(status), Some(wall), Some(cpu), Some(preempted)) => Ok(Sample {
                status: status as i32,
                wall: Duration::from_nanos(wall.max(0) as u64),
                cpu: Duration::from_nanos(cpu.max(0) as u64),
                preempted: preempted.max(0) as u64,
            }),
            _ => Err(self.garbled(&answer)),
        }
    }

    /// Fills the result with a pattern, so that what a call does not write can be seen.
    pub fn clear(&mut self) -> Result<(), Diagnostic> {
        self.ask("clear", PATIENCE).map(|_| ())
    }

    /// The results as they stand.
    pub fn outputs(&mut self) -> Result<Vec<Array>, Diagnostic> {
        let answer = self.ask("save", PATIENCE)?;
        match answer.strip_prefix("saved ") {
            Some("0") => {}
            Some(bytes) => {
                let what = format!("`{}` wrote {bytes} bytes in front of its result", self.name);
                return Err(Diagnostic::new(code::OUT_OF_BOUNDS, what).help(REPORT));
            }
            None => return Err(self.garbled(&answer)),
        }
        let bytes = std::fs::read(&self.output).map_err(no_room)?;
        let _ = std::fs::remove_file(&self.output);
        let mut rest = bytes.as_slice();
        let mut arrays = Vec::new();
        for &(scalar, len) in &self.results {
            let Some((bytes, more)) = rest.split_at_checked(len) else {
                return Err(self.garbled("too short a file"));
            };
            let bytes = bytes.to_vec();
            arrays.push(Array { scalar, bytes });
            rest = more;
        }
        Ok(arrays)
    }

    fn ask(&mut self, line: &str, limit: Duration) -> Result<String, Diagnostic> {
        let broken = match self.dialog.ask(line, limit) {
            Ok(answer) => return Ok(answer),
            Err(broken) => broken,
        };
        Err(died(&self.name, &broken))
    }

    fn garbled(&self, answer: &str) -> Diagnostic {
        let what = format!("`{}` printed something of its own: {answer}", self.name);
        Diagnostic::new(code::KERNEL_DIED, what).help(REPORT)
    }
}

const REPORT: &str =
    "report this as a bug of rise-opt, with the program, the sketches and the command line";

fn died(name: &str, broken: &Broken) -> Diagnostic {
    let (code, what) = match &broken.end {
        End::TimeOut(limit) => (
            code::KERNEL_HANGS,
            format!("`{name}` did not return within {} s", limit.as_secs()),
        ),
        // The driver's own codes: memory, and its files.
        End::Code(70) => (
            code::RUN_MEMORY,
            format!("`{name}` cannot be run: there is no memory for its arrays"),
        ),
        End::Code(66 | 74) => (
            code::NO_TEMP,
            format!("`{name}` cannot be run: the temporary folder is full or unreadable"),
        ),
        end => (
            code::KERNEL_DIED,
            format!("`{name}` died while it was called: {end}"),
        ),
    };
    let d = Diagnostic::new(code, what);
    let d = match broken.stderr.trim() {
        "" => d,
        said => d.note(format!("it said: {}", said.lines().next().unwrap_or(""))),
    };
    if code == code::RUN_MEMORY {
        d.help("choose smaller sizes with `--set`")
    } else if code == code::NO_TEMP {
        d.help("make room there, or set TMPDIR to another folder")
    } else if code == code::KERNEL_HANGS {
        d.help("choose smaller sizes with `--set`; if it hangs on small ones, report this as a bug")
    } else {
        d.help(REPORT)
    }
}

pub(super) fn refusal(name: &str, status: i32, sizes: &[i64]) -> Diagnostic {
    let what = format!("`{name}` returned {status} for the sizes {sizes:?}");
    Diagnostic::new(code::KERNEL_REFUSES, what).help(
        "the header lists the codes, and the sizes that the kernel takes; choose with `--set`",
    )
}

fn no_room(e: std::io::Error) -> Diagnostic {
    let what = format!("the temporary folder cannot be used: {}", e.kind());
    Diagnostic::new(code::NO_TEMP, what).help("make room there, or set TMPDIR to another folder")
}

/// Drivers in this process, by the command that compiled them: it takes as long as a small kernel does.
static DRIVERS: Mutex<BTreeMap<Vec<String>, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// The driver as an object file in a folder.
fn driver(tool: &Toolchain, dir: &Path) -> Result<PathBuf, Diagnostic> {
    let object = dir.join("driver.o");
    // Who comes second waits, and need not compile it. Nothing panics between, but for a lack of memory.
    let mut drivers = DRIVERS.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(bytes) = drivers.get(&tool.line()) {
        std::fs::write(&object, bytes).map_err(no_room)?;
    } else {
        let source = dir.join("driver.c");
        std::fs::write(&source, DRIVER).map_err(no_room)?;
        tool.compile(&source, &object)?;
        drivers.insert(tool.line(), std::fs::read(&object).map_err(no_room)?);
    }
    Ok(object)
}

/// What the driver has to know of the kernel.
fn call_text(s: &Signature) -> String {
    let outputs = s.outputs.iter().enumerate();
    let mut args: Vec<_> = outputs
        .map(|(i, t)| format!("({} *)out[{i}]", c_type(*t)))
        .collect();
    args.extend((0..s.sizes).map(|i| format!("sizes[{i}]")));
    for (i, input) in s.inputs.iter().enumerate() {
        args.push(match input {
            Input::Array(t) => format!("(const {} *)in[{i}]", c_type(*t)),
            Input::Value(t) => format!("*(const {} *)in[{i}]", c_type(*t)),
        });
    }
    let mut text =
        String::from("#include <stdbool.h>\n#include <stdint.h>\n\n#include \"kernel.h\"\n\n");
    let (outputs, inputs) = (s.outputs.len(), s.inputs.len());
    let _ = writeln!(
        text,
        "const int rise_opt_outputs = {outputs}, rise_opt_inputs = {inputs};"
    );
    text += "int rise_opt_call(void **out, const int64_t *sizes, void **in);\n";
    text += "int rise_opt_call(void **out, const int64_t *sizes, void **in) {\n";
    text += "  (void)sizes, (void)in;\n";
    let _ = writeln!(text, "  return {}({});\n}}", s.name, args.join(", "));
    text
}
