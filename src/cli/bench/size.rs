//! `--size`: sizes of a program, all alike, in order, or by name.

use super::bad_size;
use crate::cli::values::setting;
use crate::diag::Diagnostic;
use crate::driver::Setting;
use crate::exec::run::LARGE;
use crate::exec::sizes::{Question, Sizes};
use crate::term::Program;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SizeArg {
    Alike(i64),
    Ordered(Vec<i64>),
    Named(Vec<Setting>),
}

impl std::str::FromStr for SizeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<SizeArg, String> {
        if text.contains('=') {
            let parts = text.split(',').map(setting);
            return Ok(SizeArg::Named(parts.collect::<Result<_, _>>()?));
        }
        if text.contains(',') {
            let each = text.replace(',', " --size ");
            return Err(format!(
                "several sizes are given one after the other: `--size {each}`"
            ));
        }
        let number = |word: &str| match word.trim().replace('_', "").parse::<i64>() {
            Ok(n) if n >= 1 => Ok(n),
            Ok(_) => Err("a size must be at least 1".to_string()),
            Err(_) => Err(format!("`{word}` is no whole number below 2^63")),
        };
        let numbers: Vec<i64> = text.split('x').map(number).collect::<Result<_, _>>()?;
        Ok(match numbers[..] {
            [n] => SizeArg::Alike(n),
            _ => SizeArg::Ordered(numbers),
        })
    }
}

/// The sizes of every round; fixed ones stay as they are.
pub fn all(args: &[SizeArg], program: &Program, fixed: &Sizes) -> Result<Vec<Sizes>, Diagnostic> {
    if args.is_empty() {
        let question = Question {
            program,
            assumptions: Vec::new(),
            fixed,
        };
        let found = question.large(&LARGE);
        let none = || {
            bad_size(format!(
                "no size was found to measure `{}` at",
                program.name
            ))
        };
        return found.map(|s| vec![s]).ok_or_else(none);
    }
    args.iter().map(|a| one(a, program, fixed)).collect()
}

fn one(arg: &SizeArg, program: &Program, fixed: &Sizes) -> Result<Sizes, Diagnostic> {
    let mut sizes = fixed.clone();
    let is_free = |n: &&crate::intern::Symbol| !fixed.contains_key(n);
    let free: Vec<_> = program.sizes.iter().filter(is_free).copied().collect();
    let names: Vec<&str> = free.iter().map(|n| n.as_str()).collect();
    match arg {
        SizeArg::Alike(n) => sizes.extend(free.iter().map(|name| (*name, *n))),
        SizeArg::Ordered(list) if list.len() == free.len() => {
            sizes.extend(free.iter().copied().zip(list.iter().copied()));
        }
        SizeArg::Ordered(list) => {
            let what = format!(
                "{} sizes are given, `{}` has {}: {}",
                list.len(),
                program.name,
                free.len(),
                names.join(", ")
            );
            return Err(bad_size(what));
        }
        SizeArg::Named(settings) => {
            for s in settings {
                let Some(name) = free.iter().find(|n| n.as_str() == s.name) else {
                    let what = format!("`{}` has no free size `{}`", program.name, s.name);
                    return Err(bad_size(what).note(format!("it has {}", names.join(", "))));
                };
                sizes.insert(*name, s.value);
            }
            if let Some(missing) = free.iter().find(|n| !sizes.contains_key(n)) {
                let what = format!("`--size` leaves out `{missing}`");
                return Err(bad_size(what).note("each `--size` has all sizes, separated by commas"));
            }
        }
    }
    Ok(sizes)
}
