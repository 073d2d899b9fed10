//! Values of flags: sizes by name, numbers of bytes, machines.
//!
//! In: the text after a flag. Out: the value, or a sentence that the command line's error shows.

use crate::alloc;
use crate::diag::Diagnostic;
use crate::driver::{Setting, Trust};
use crate::elab;
use crate::nest::names;
use crate::source::SourceMap;
use crate::target::Target;
use crate::term::Program;
use clap::builder::PossibleValue;
use clap::ValueEnum;
use std::sync::OnceLock;
use std::time::Duration;

/// `--set m=1024`
pub fn setting(text: &str) -> Result<Setting, String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write NAME=NUMBER, as in m=1024")?;
    let name = name.trim();
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    if !starts || !chars.all(|c| c.is_alphanumeric() || "_'-".contains(c)) {
        return Err(format!(
            "`{name}` is no name; write NAME=NUMBER, as in m=1024"
        ));
    }
    let digits = value.trim().replace('_', "");
    match digits.parse::<i64>() {
        Ok(value) if value >= 1 => Ok(Setting {
            name: name.to_string(),
            value,
        }),
        Ok(_) => Err(format!("{name} must be at least 1")),
        Err(_) => Err(format!("`{value}` is no whole number below 2^63")),
    }
}

/// That a name has two values, if one has.
pub fn set_twice(all: &[Setting]) -> Option<String> {
    let mut seen: Vec<&str> = Vec::new();
    for s in all {
        if seen.contains(&s.name.as_str()) {
            return Some(format!("`--set` gives `{}` a value twice", s.name));
        }
        seen.push(&s.name);
    }
    None
}

/// `60s`, `5m`, or seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        unit => return Err(format!("`{unit}` is no unit; write s, m or h")),
    };
    let seconds = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit));
    match seconds {
        Some(n) if n > 0 => Ok(Duration::from_secs(n)),
        _ => Err("write a time, as in 60s or 5m".to_string()),
    }
}

/// `--target`: a machine by its name, or the widest that this one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Machine(Option<Target>);

impl Machine {
    pub fn target(self) -> Target {
        self.0.unwrap_or_else(Target::native)
    }

    /// `native|avx512|…`
    pub fn names() -> &'static str {
        static NAMES: OnceLock<String> = OnceLock::new();
        let all = || Machine::value_variants().iter().map(|m| m.name());
        NAMES.get_or_init(|| all().collect::<Vec<_>>().join("|"))
    }

    fn name(self) -> &'static str {
        self.0.map_or("native", Target::name)
    }
}

impl ValueEnum for Machine {
    fn value_variants<'a>() -> &'a [Machine] {
        const ALL: [Machine; Target::ALL.len() + 1] = {
            let mut all = [Machine(None); Target::ALL.len() + 1];
            let mut i = 0;
            while i < Target::ALL.len() {
                all[i + 1] = Machine(Some(Target::ALL[i]));
                i += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let what = self.0.map_or("What this machine has", Target::what);
        Some(PossibleValue::new(self.name()).help(what))
    }
}

/// Which rules a search may use.
#[derive(clap::Args, Copy, Clone, Debug, Default)]
pub struct Trusting {
    /// Uses rules that could be neither proved nor refuted, too: when you have checked yours by hand. The report names
    /// them
    #[arg(long)]
    allow_unverified: bool,
}

impl Trusting {
    pub fn trust(self) -> Trust {
        Trust {
            allow_unverified: self.allow_unverified,
        }
    }
}

/// Of which program a proof or a certificate has to be. Which definition is meant is not for these to say.
#[derive(clap::Args, Debug)]
pub struct Given {
    /// A program (.rise): refuses what is not of exactly this one
    #[arg(value_name = "PROGRAM")]
    program: Option<String>,
    /// The definition of PROGRAM that is meant, when it is not the last of the file
    #[arg(long, value_name = "NAME", requires = "program")]
    entry: Option<String>,
}

impl Given {
    /// The program and its path.
    pub fn load(
        &self,
        sources: &mut SourceMap,
    ) -> Result<Option<(&str, Program)>, Vec<Diagnostic>> {
        let Some(path) = &self.program else {
            return Ok(None);
        };
        let file = sources.load(path).map_err(|e| vec![e.into()])?;
        let program = elab::program(sources, file, self.entry.as_deref())?;
        Ok(Some((path, program)))
    }
}

/// What a C function may be called.
pub fn function_name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) || !text.chars().all(plain) {
        return Err("write letters, digits and `_`, a letter first, as in mm_avx2".to_string());
    }
    if names::function_name(text) == text {
        Ok(text.to_string())
    } else {
        Err(format!("C knows something else as `{text}`"))
    }
}

/// A number of bytes, with `K`, `M` or `G` for powers of 1024.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes(pub u64);

/// The limit on memory: the user's, or four fifths of what the machine or its control group allows,
/// because the system kills what takes all of it.
pub fn memory_limit(wanted: Option<Bytes>) -> Option<u64> {
    let machine = || alloc::available().map(|b| b / 5 * 4);
    wanted.map(|b| b.0).or_else(machine)
}

impl std::str::FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Bytes, String> {
        let text = text.trim();
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let shift = match &*text[digits.len()..].to_ascii_uppercase() {
            "" | "B" => 0,
            "K" | "KB" | "KIB" => 10,
            "M" | "MB" | "MIB" => 20,
            "G" | "GB" | "GIB" => 30,
            unit => return Err(format!("`{unit}` is no unit; write K, M or G")),
        };
        let number = digits.replace('_', "").parse::<u64>();
        let bytes = number.ok().and_then(|n| n.checked_mul(1 << shift));
        match bytes {
            Some(n) if n > 0 => Ok(Bytes(n)),
            _ => Err("write a number of bytes, as in 2G or 500M".to_string()),
        }
    }
}
