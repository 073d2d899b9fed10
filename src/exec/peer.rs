//! Libraries that kernels are measured against, if the machine has them.
//!
//! In: the table of libraries, the interface of a program. Out: which libraries were found, with the
//! version that they name, and those that were not, with the package that brings them; for a
//! program, the calls of a library that may be it, as kernels. Nothing has to be installed to
//! build this: a library is opened by the child process that calls it. Invariant: whether a call
//! computes what the program computes is never assumed: who measures compares results. Absent: that.

pub mod form;

pub use form::{forms, Form};

use super::kernel::{Kernel, Signature, Source};
use super::process::{self, End};
use super::toolchain::{temp_dir, Toolchain};
use crate::diag::Diagnostic;
use crate::nest::Abi;
use serde::{Deserialize, Serialize};
use std::process::Command;
use std::time::Duration;

/// How a library is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interface {
    /// `cblas_sgemm` and its like.
    Cblas,
    /// `libxsmm_sgemm`: without transposed operands, for small sizes.
    Xsmm,
}

#[derive(Debug)]
pub struct Library {
    pub name: &'static str,
    /// As the dynamic linker knows it, the most specific name first.
    files: &'static [&'static str],
    /// Flags that link it where there is no shared library.
    linked: &'static [&'static str],
    /// A function without arguments that returns the version as a text, or one that writes it.
    version: &'static str,
    pub interface: Interface,
    /// How to get it.
    pub package: &'static str,
    /// It is made for products of up to so many multiplications.
    pub most: f64,
}

pub const LIBRARIES: &[Library] = &[
    Library {
        name: "OpenBLAS",
        files: &["libopenblas.so.0", "libopenblas.so"],
        linked: &[],
        version: "openblas_get_config",
        interface: Interface::Cblas,
        package: "libopenblas0-pthread",
        most: f64::INFINITY,
    },
    Library {
        name: "MKL",
        files: &[
            "libmkl_rt.so",
            "libmkl_rt.so.3",
            "libmkl_rt.so.2",
            "libmkl_rt.so.1",
        ],
        linked: &[],
        version: "MKL_Get_Version_String",
        interface: Interface::Cblas,
        package: "libmkl-rt (section non-free)",
        most: f64::INFINITY,
    },
    Library {
        name: "LIBXSMM",
        files: &["libxsmm.so", "libxsmm.so.1"],
        linked: &["-l:libxsmm.a", "-l:libxsmmnoblas.a", "-lpthread", "-ldl"],
        version: "libxsmm_get_target_arch",
        interface: Interface::Xsmm,
        package: "libxsmm-dev",
        most: 64.0 * 64.0 * 64.0,
    },
];

/// What is known of a library of the table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Presence {
    pub library: String,
    /// What was opened or linked; none if the machine does not have it.
    pub file: Option<String>,
    /// What it says of itself, with the machine that it found.
    pub version: String,
    /// The Debian package that brings it.
    pub package: String,
}

/// A library that is there.
#[derive(Clone, Debug)]
pub struct Peer {
    pub library: &'static Library,
    /// What to open; what is linked needs no opening.
    file: Option<String>,
}

const PROBE: &str = r#"#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++) {
    void *library = dlopen(argv[i], RTLD_NOW);
    if (!library) continue;
    char text[256] = "";
    void *version = dlsym(library, argv[1]);
    if (version && strncmp(argv[1], "MKL", 3) == 0) {
      ((void (*)(char *, int))version)(text, (int)sizeof text - 1);
    } else if (version) {
      const char *(*get)(void) = (const char *(*)(void))version;
      snprintf(text, sizeof text, "%s", get());
    }
    printf("%s\n%s\n", argv[i], text);
    return 0;
  }
  return 1;
}
"#;

/// Looks for every library. One that crashes while it is opened is not there.
pub fn find(tool: &Toolchain) -> Result<(Vec<Peer>, Vec<Presence>), Diagnostic> {
    let dir = temp_dir()?;
    let (c, exe) = (dir.path().join("probe.c"), dir.path().join("probe"));
    let written = std::fs::write(&c, PROBE).is_ok();
    if written {
        tool.build(&[c], &exe, &[], &["-ldl"])?;
    }
    let (mut peers, mut presences) = (Vec::new(), Vec::new());
    for library in LIBRARIES {
        let mut command = Command::new(&exe);
        command.arg(library.version).args(library.files);
        for variable in super::kernel::OVERRIDES {
            command.env_remove(variable);
        }
        let asked = process::run(&mut command, Duration::from_secs(30));
        let said = match asked {
            Ok(f) if f.end == End::Code(0) => f.stdout,
            _ => String::new(),
        };
        let mut lines = said.lines().map(str::trim);
        let opened = lines.next().filter(|l| !l.is_empty()).map(str::to_string);
        let version = lines.next().unwrap_or("").to_string();
        let linked = || {
            let c = dir.path().join("linked.c");
            let text = "int main(void) { return 0; }\n";
            let built = !library.linked.is_empty()
                && std::fs::write(&c, text).is_ok()
                && tool
                    .build(&[c], &exe.with_extension("linked"), &[], library.linked)
                    .is_ok();
            built.then(|| library.linked[0].trim_start_matches("-l:").to_string())
        };
        let file = opened.clone().or_else(linked);
        if file.is_some() {
            let file = opened;
            peers.push(Peer { library, file });
        }
        presences.push(Presence {
            library: library.name.to_string(),
            file,
            version,
            package: library.package.to_string(),
        });
    }
    Ok((peers, presences))
}

impl Peer {
    /// A call of the library as a kernel, whose sizes are those of [`Form::sizes`].
    pub fn kernel(&self, tool: &Toolchain, abi: &Abi, form: &Form) -> Result<Kernel, Diagnostic> {
        let open = self.file.as_deref();
        let (c, declaration) = form.c(abi, self.library.interface, open);
        let emitted = Signature::of(abi);
        let signature = Signature {
            name: "peer_call".to_string(),
            sizes: Form::SIZES,
            ..emitted
        };
        let libraries = match self.file {
            Some(_) => &["-ldl"][..],
            None => self.library.linked,
        };
        let source = Source {
            signature: &signature,
            c: &c,
            header: &format!("#include <stdint.h>\n{declaration};\n"),
            header_name: "unit.h",
            flags: &[],
            libraries,
        };
        Kernel::build(tool, &source)
    }
}
