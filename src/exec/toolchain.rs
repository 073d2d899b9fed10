//! The C compiler of the machine: which one, what it is able to do, one compilation.
//!
//! In: the environment. Out: a [`Toolchain`], or a diagnostic that names the package to install.
//! `$CC` decides if it is set; else `cc`, `gcc`, `clang` in this order. Flags that the compiler does
//! not know are left out after a trial, and the caller is told: a kernel without `-fopenmp` is right
//! but runs in one thread. Absent: what is compiled.

use super::process::{self, End, Finished};
use crate::diag::{code, Diagnostic};
use crate::interrupt::{self, Leftover, Noted};
use crate::target::Target;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The flags that a kernel promises to compile with, without a warning; those of its target follow.
pub const FLAGS: [&str; 4] = ["-std=gnu11", "-Wall", "-Wextra", "-O3"];
/// The flag that makes `mapPar` parallel.
pub const OPENMP: &str = "-fopenmp";

/// A kernel takes a second or two to compile; this much means that something hangs.
const LIMIT: Duration = Duration::from_secs(300);
/// What it says of itself, and a program of one line.
const ASKED: Duration = Duration::from_secs(20);

/// A compiler that was found and asked.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The command and its leading arguments: `$CC` may hold `ccache gcc`.
    command: Vec<String>,
    /// The first line of its `--version`.
    pub version: String,
    /// What kernels are compiled for.
    pub target: Target,
    /// The flags of [`FLAGS`], of the target and [`OPENMP`] that it takes.
    pub flags: Vec<&'static str>,
}

impl Toolchain {
    /// The same compiler with the flags that headers of its target recommend, not those for the machine at hand.
    pub fn recommended(&self) -> Toolchain {
        let native: Vec<&str> = self.target.native_flags().collect();
        let flags = self
            .flags
            .iter()
            .copied()
            .filter(|f| !native.contains(f) && !self.target.flags().contains(f));
        Toolchain {
            flags: flags.chain(self.target.flags().iter().copied()).collect(),
            ..self.clone()
        }
    }

    /// The same compiler with what is usual on the machine at hand: without what kernels get besides, whose vectors are as wide as registers.
    pub fn usual(&self) -> Toolchain {
        let flags = self.flags.iter().copied();
        let beside = |f: &&str| self.target.beside_native().contains(f);
        Toolchain {
            flags: flags.filter(|f| !beside(f)).collect(),
            ..self.clone()
        }
    }

    /// Looks for a compiler and tries it, for all that this machine is able to do.
    pub fn find() -> Result<Toolchain, Diagnostic> {
        Toolchain::find_for(Target::native())
    }

    /// Refuses targets whose kernels this machine cannot run.
    pub fn find_for(target: Target) -> Result<Toolchain, Diagnostic> {
        may_run(target, Target::native())?;
        Toolchain::find_with(std::env::var("CC").ok().as_deref(), target)
    }

    pub fn find_with(cc: Option<&str>, target: Target) -> Result<Toolchain, Diagnostic> {
        let tool = Toolchain::find_in(cc, target)?;
        let missing = |f: &&str| !tool.flags.contains(f);
        // For the machine at hand a compiler may fall back to what it knows.
        match target.flags().iter().find(|f| missing(f)) {
            Some(flag) if target != Target::native() => {
                let what = format!("`{}` does not know {target}", tool.name());
                Err(Diagnostic::new(code::TARGET_FLAGS, what)
                    .help(format!("set CC to a compiler that takes {flag}")))
            }
            _ => Ok(tool),
        }
    }

    pub fn find_in(cc: Option<&str>, target: Target) -> Result<Toolchain, Diagnostic> {
        let chosen: Vec<String> = match cc {
            Some(cc) if !cc.trim().is_empty() => vec![cc.trim().to_string()],
            _ => ["cc", "gcc", "clang"].map(str::to_string).into(),
        };
        let dir = temp_dir()?;
        let mut why = Vec::new();
        for candidate in &chosen {
            let command: Vec<String> = candidate.split_whitespace().map(str::to_string).collect();
            match Toolchain::ask(command, target, dir.path()) {
                Ok(found) => return Ok(found),
                Err(reason) => why.push(format!("`{candidate}`: {reason}")),
            }
        }
        let mut d = Diagnostic::new(code::NO_COMPILER, "no C compiler works on this machine");
        d.notes = why;
        Err(d.help("install gcc (Debian and Ubuntu: package `gcc` and `libc6-dev`; Fedora: `gcc`; macOS: `xcode-select --install`), or set CC to a compiler"))
    }

    /// The reason, when the command is no C compiler.
    fn ask(command: Vec<String>, target: Target, dir: &Path) -> Result<Toolchain, String> {
        let mut tool = Toolchain {
            command,
            target,
            version: String::new(),
            flags: Vec::new(),
        };
        let asked = process::run(tool.command().arg("--version"), ASKED);
        let version = match asked {
            Ok(f) if f.end == End::Code(0) => f.stdout,
            Ok(f) => return Err(f.end.to_string()),
            Err(e) => return Err(e.kind().to_string()),
        };
        tool.version = version.lines().next().unwrap_or("").trim().to_string();
        let parallel = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n";
        // Most compilers take everything: then one trial is enough.
        tool.flags = tool.wanted().into_iter().chain([OPENMP]).collect();
        if tool.trial(dir, parallel).is_ok() {
            return Ok(tool);
        }
        tool.flags.clear();
        let trial = "int main(void) { return 0; }\n";
        tool.trial(dir, trial)?;
        for flag in tool.wanted() {
            tool.try_flag(dir, trial, flag);
        }
        tool.try_flag(dir, parallel, OPENMP);
        Ok(tool)
    }

    fn try_flag(&mut self, dir: &Path, source: &str, flag: &'static str) {
        self.flags.push(flag);
        if self.trial(dir, source).is_err() {
            self.flags.pop();
        }
    }

    fn trial(&self, dir: &Path, source: &str) -> Result<(), String> {
        let (c, exe) = (dir.join("trial.c"), dir.join("trial"));
        std::fs::write(&c, source).map_err(|e| e.kind().to_string())?;
        let _ = std::fs::remove_file(&exe);
        match self.run(&[c], &exe, (&[], &[]), ASKED) {
            Ok(f) if f.end == End::Code(0) && exe.exists() => Ok(()),
            Ok(f) if f.end == End::Code(0) => Err("it makes no program".to_string()),
            Ok(f) => {
                let said = f.stderr.lines().next().unwrap_or("").trim().to_string();
                Err(if said.is_empty() {
                    f.end.to_string()
                } else {
                    said
                })
            }
            Err(e) => Err(e.kind().to_string()),
        }
    }

    fn command(&self) -> Command {
        let mut c = Command::new(&self.command[0]);
        c.args(&self.command[1..]).env("LC_ALL", "C");
        c
    }

    /// The command that writes a file: what a compiler that is killed leaves goes with the folder of that.
    fn writing(&self, file: &Path) -> Command {
        let mut c = self.command();
        if let Some(folder) = file.parent() {
            c.env("TMPDIR", folder);
        }
        c
    }

    fn run(
        &self,
        sources: &[PathBuf],
        exe: &Path,
        (flags, libraries): (&[&str], &[&str]),
        limit: Duration,
    ) -> std::io::Result<Finished> {
        let mut c = self.writing(exe);
        c.args(&self.flags).args(flags).args(sources);
        // Behind what needs them, or a linker leaves them out.
        c.args([OsStr::new("-o"), exe.as_os_str()]);
        c.args(libraries).arg("-lm");
        process::run(&mut c, limit)
    }

    /// The command as one would type it.
    pub fn name(&self) -> String {
        self.command.join(" ")
    }

    /// Whether `mapPar` runs in several threads.
    pub fn openmp(&self) -> bool {
        self.flags.contains(&OPENMP)
    }

    /// The flags that a kernel is written for and this compiler does not take.
    pub fn missing_flags(&self) -> Vec<&'static str> {
        let all = self.wanted().into_iter().chain([OPENMP]);
        all.filter(|f| !self.flags.contains(f)).collect()
    }

    /// All flags but [`OPENMP`].
    fn wanted(&self) -> Vec<&'static str> {
        let own: Vec<&str> = if self.target == Target::native() {
            self.target.native_flags().collect()
        } else {
            self.target.flags().to_vec()
        };
        FLAGS.into_iter().chain(own).collect()
    }

    /// A warning when OpenMP is missing.
    pub fn warning(&self) -> Option<Diagnostic> {
        if self.openmp() {
            return None;
        }
        let what = format!(
            "`{}` does not compile with {OPENMP}: the kernel runs in one thread",
            self.name()
        );
        Some(Diagnostic::new(code::NO_OPENMP, what).help(
            "install OpenMP for it (gcc brings it; Debian and Ubuntu for clang: package `libomp-dev`)",
        ))
    }

    /// Compiles and links; gives what the compiler remarked. An error if it refuses.
    pub fn build(
        &self,
        sources: &[PathBuf],
        exe: &Path,
        flags: &[&str],
        libraries: &[&str],
    ) -> Result<String, Diagnostic> {
        self.said(self.run(sources, exe, (flags, libraries), LIMIT))
    }

    /// Compiles one file that is linked to kernels.
    pub(super) fn compile(&self, source: &Path, object: &Path) -> Result<String, Diagnostic> {
        let mut c = self.writing(object);
        c.args(&self.flags).arg("-c").arg(source);
        self.said(process::run(c.arg("-o").arg(object), LIMIT))
    }

    /// The command and its flags.
    pub(super) fn line(&self) -> Vec<String> {
        let flags = self.flags.iter().map(|f| f.to_string());
        self.command.iter().cloned().chain(flags).collect()
    }

    /// What the compiler remarked, or why it refuses.
    fn said(&self, compiled: std::io::Result<Finished>) -> Result<String, Diagnostic> {
        let refused = |why: String, said: &str| {
            let d = Diagnostic::new(
                code::COMPILER_REFUSES,
                format!("`{}` does not compile the kernel: {why}", self.name()),
            );
            said.lines()
                .filter(|line| line.contains("error") || line.contains("undefined reference"))
                .take(6)
                .fold(d, |d, line| d.note(line.to_string()))
                .help("look at the emitted C with `--emit c`; if the compiler is a recent gcc or clang, report this as a bug of rise-opt")
        };
        match compiled {
            Ok(f) if f.end == End::Code(0) => Ok(f.stderr),
            Ok(f) => Err(refused(f.end.to_string(), &f.stderr)),
            Err(e) => Err(refused(e.kind().to_string(), "")),
        }
    }
}

/// Whether a machine of one target runs kernels of another.
pub fn may_run(target: Target, native: Target) -> Result<(), Diagnostic> {
    if native.runs(target) {
        return Ok(());
    }
    let what = format!("a kernel for {target} cannot be run on this machine");
    Err(Diagnostic::new(code::TARGET_TOO_WIDE, what)
        .note(format!("the machine has {native}"))
        .help(format!(
            "run it with `--target native` or `--target {native}`, or leave `--run` out to write it only"
        )))
}

/// A folder for what is compiled; it goes when the value is dropped, or a signal ends the process.
#[derive(Debug)]
pub struct TempFolder {
    dir: tempfile::TempDir,
    _noted: Noted,
}

impl TempFolder {
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

pub fn temp_dir() -> Result<TempFolder, Diagnostic> {
    let make = || tempfile::Builder::new().prefix("rise-opt-").tempdir();
    let made = interrupt::noted(make, |dir| Leftover::Folder(dir.path().to_path_buf()));
    let folder = made.map(|(dir, _noted)| TempFolder { dir, _noted });
    folder.map_err(|e| {
        let what = format!("no temporary folder can be made: {}", e.kind());
        Diagnostic::new(code::NO_TEMP, what)
            .help("make room in the folder for temporary files, or set TMPDIR to another one")
    })
}
