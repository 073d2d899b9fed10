//! The command line: one file per subcommand, and `optimize` for the main job.
//!
//! In: arguments. Out: files, a summary on standard output, diagnostics on standard error, an exit
//! code (0 done, 1 your input, 2 usage, 3 goal not reached, 4 a check failed, 101 our bug).
//! Invariants: nothing is written before everything that can fail has succeeded, but for what tells of
//! a search that did not reach its goal; a closed pipe ends
//! the output, not with an error. Absent: every decision about programs; what to say about a result
//! (`report`).

pub mod artefacts;
mod assoc;
mod automatic;
mod bench;
mod certify;
mod check;
mod check_certificate;
mod check_proof;
pub mod compare;
mod context;
mod doctor;
mod egraph;
mod explain;
mod fmt;
mod machine;
pub mod optimize;
mod order;
pub mod output;
pub mod progress;
mod record;
mod report;
mod simplify;
mod solve;
mod synth;
mod validate;
pub mod values;
mod verify;

pub use context::Context;

use self::values::set_twice;
use crate::diag;
use crate::interrupt;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use std::io::Write;
use std::process::ExitCode;

/// Deep terms are walked by recursion; ids of types and sizes belong to one thread. So all work is
/// done in one thread with a stack that no input within the parser's depth limit fills.
const STACK_BYTES: usize = 1 << 28;

/// Optimises a functional array program, guided by sketches, and writes a C kernel.
#[derive(Parser, Debug)]
#[command(
    name = "rise-opt",
    version,
    subcommand_negates_reqs = true,
    override_usage = "rise-opt PROGRAM [--sketch FILE]... [OPTIONS]\n       rise-opt --replay PLAN [PROGRAM] [OPTIONS]\n       rise-opt COMMAND",
    arg_required_else_help = true,
    after_help = "Exit codes: 0 done, 1 the input has to change, 2 the command line has to change,\n\
                  3 a goal was not reached within the limits, 4 a check failed, 101 a bug of rise-opt."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    optimize: Option<optimize::Args>,
    /// How errors are printed: `human` for people, `short` for editors that jump to file:line:column,
    /// `json` for programs (one object per line on standard error)
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    message_format: MessageFormat,
}

/// The table of subcommands: its name, and the function that does it with the `Args` beside it.
macro_rules! commands {
    ($($(#[$help:meta])* $name:ident = $module:ident::$run:ident;)*) => {
        #[derive(Subcommand, Debug)]
        enum Command {
            $($(#[$help])* $name($module::Args),)*
        }

        impl Command {
            fn run(&self, context: &mut Context) -> u8 {
                match self {
                    $(Command::$name(args) => $module::$run(args, context),)*
                }
            }
        }
    };
}

commands! {
    /// Reads programs, rules and sketches and reports every error in them, without searching
    Check = check::run;
    /// Searches with the guides and without them, under the same limits, and shows both side by side:
    /// whether the guides of a sketch are worth having
    Compare = compare::run;
    /// Shows why what a search finds equals the program, rule by rule; or, with `--try`, where a rule applies and
    /// what refused it where it nearly does
    Explain = explain::run;
    /// Measures kernels of one program against each other and against libraries, at several sizes and
    /// numbers of threads
    Bench = bench::run;
    /// Replays a proof (`--emit proof`) with a checker that shares nothing with the search
    CheckProof = check_proof::run;
    /// Shows that a loop program (`--emit loops`) computes what its program says, or sizes at which it does not
    Validate = validate::run;
    /// Certifies that the kernel of a plan computes its program: the proof, the loop program, the C text
    Certify = certify::run;
    /// Checks a certificate again, without searching or lowering
    CheckCertificate = check_certificate::run;
    /// Proves rules, those over scalars with a solver, or refutes them with a counterexample
    Verify = verify::run;
    /// Says of operators of reductions which laws they obey, as the machine's numbers, integers without bounds, or reals
    Assoc = assoc::run;
    /// Says of each rule over scalars whether it makes whatever it is applied to smaller, so that rewriting is sure to end
    Order = order::run;
    /// Brings files into the one layout, in place, and prints what `-` or a pipe holds in it; comments are kept
    Fmt = fmt::run;
    /// Makes the page of a run again from its record: what `--report` shows, later or elsewhere
    Report = report::run;
    /// Simplifies expressions of index arithmetic by rules and by what is assumed, one result on each line: to see
    /// what an index becomes
    Simplify = simplify::simplify;
    /// Says of each comparison whether it holds wherever the assumptions do: `true`, `false` or `unknown`
    Prove = simplify::prove;
    /// Isolates a variable: `x < t`, `x + t`, with no `x` in `t`; or says between which of its values a condition holds
    Solve = solve::run;
    /// Finds rules for expressions that the present rules leave, proved and ordered; or the right side or the condition of one rule
    Synth = synth::run;
    /// Says what this machine lacks to compile, run and measure kernels
    Doctor = doctor::run;
}

impl Command {
    /// What no single argument shows to be wrong.
    fn misuse(&self) -> Option<String> {
        match self {
            Command::Bench(args) => set_twice(&args.set),
            Command::Compare(args) => set_twice(&args.set),
            Command::Explain(args) => set_twice(&args.set),
            _ => None,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
enum MessageFormat {
    #[default]
    Human,
    Short,
    Json,
}

/// The whole process: what `main` calls.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse().and_then(one_job) {
        Ok(cli) => cli,
        Err(e) => {
            let printed = e.print().and_then(|()| std::io::stdout().flush());
            // A word before others that is no command was taken for a program.
            let word = std::env::args().nth(1);
            let wrong = [ErrorKind::UnknownArgument, ErrorKind::InvalidSubcommand];
            let meant = word.filter(|_| wrong.contains(&e.kind()));
            if let Some(help) = meant.and_then(|word| near_command(&word)) {
                let _ = writeln!(std::io::stderr(), "\n{help}");
            }
            let lost = printed.is_err_and(|e| e.kind() != std::io::ErrorKind::BrokenPipe);
            return ExitCode::from((e.exit_code() as u8).max(u8::from(lost)));
        }
    };
    std::panic::set_hook(Box::new(|info| {
        let mut context = Context::new(MessageFormat::Human);
        context.error_line(&format!(
            "this is a bug in rise-opt: {info}\n\
             please report it, with the command line and the files that it names"
        ));
    }));
    interrupt::listen(progress::interrupted);
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    let code = match worker.spawn(move || dispatch(cli)) {
        Ok(handle) => handle.join().unwrap_or(101),
        Err(_) => {
            Context::new(MessageFormat::Human)
                .error_line("there is no memory for a stack of 256 MB");
            1
        }
    };
    ExitCode::from(code)
}

/// A command that may have been meant, as a question.
fn near_command(word: &str) -> Option<String> {
    let command = Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    diag::did_you_mean(word, names)
}

/// The main job has no word of its own, so that a word may follow its arguments by mistake.
fn one_job(cli: Cli) -> Result<Cli, clap::Error> {
    match (&cli.command, &cli.optimize) {
        (Some(_), Some(_)) => Err(Cli::command().error(
            ErrorKind::ArgumentConflict,
            "a program to optimise and its flags cannot stand before a command",
        )),
        (command, args) => {
            let args = args.as_ref().and_then(optimize::Args::misuse);
            match args.or_else(|| command.as_ref().and_then(Command::misuse)) {
                Some(what) => Err(Cli::command().error(ErrorKind::ArgumentConflict, what)),
                None => Ok(cli),
            }
        }
    }
}

fn dispatch(cli: Cli) -> u8 {
    let mut context = Context::new(cli.message_format);
    let code = match (cli.command, cli.optimize) {
        (Some(command), _) => command.run(&mut context),
        (None, Some(args)) => optimize::run(&args, &mut context),
        (None, None) => 2,
    };
    context.finish(code)
}

/// The command as one would type it again.
fn command_line() -> String {
    let mut words = vec!["rise-opt".to_string()];
    words.extend(std::env::args().skip(1).map(|word| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    }));
    words.join(" ")
}
