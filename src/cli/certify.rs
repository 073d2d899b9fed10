//! `rise-opt certify PROGRAM --plan PLAN`: a certificate that the kernel of a plan computes its program.
//!
//! In: a program, and a plan of it. Out: a file with all that is needed to check it, once it was checked. Absent: the check
//! (`driver`).

use super::output::{write_all, Target};
use super::{check_certificate, Context};
use crate::diag::{code, Diagnostic};
use crate::driver::{self, certificate, Done, Input, Trust};
use crate::proof::Proof;
use crate::report::kernel_certificate::{Claims, KernelCertificate};
use crate::report::ProofFile;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program (.rise), which has to be that of the plan
    #[arg(value_name = "PROGRAM")]
    program: String,
    /// The plan whose kernel is certified, which `--emit plan` wrote
    #[arg(long, value_name = "PLAN")]
    plan: String,
    /// The definition of PROGRAM that is meant, when it is not the last of the file
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Where to write the certificate [default: named after the kernel, in this folder]
    #[arg(short, long, value_name = "CERT")]
    output: Option<String>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let done = job(args, context);
    context.ended(done)
}

fn job(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    // Which rules have no verdict is for the certificate to say.
    let trust = Trust {
        allow_unverified: true,
    };
    let sources = &mut context.sources;
    let input = driver::plan::load(
        &args.plan,
        Some(&args.program),
        args.entry.as_deref(),
        trust,
        sources,
    )?;
    let name = function_name(&input);
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| format!("{name}.certificate.json"));
    let target = Target::prepare(Path::new(&output)).map_err(one)?;
    let mut made = certificate(&input, &name, context)?;
    let shown = certificate::show(&made, &args.plan, &mut context.sources).map_err(|why| {
        let text = format!("the kernel of `{}` is not certified: {why}", args.plan);
        let d = Diagnostic::new(code::NOT_CERTIFIED, text);
        vec![d.help("docs/validation.md says what is not shown; `--run` compares the kernel with the interpreter")]
    })?;
    made.claims = shown.claims.clone();
    made.hashes = made.hashed();
    let beside = target.is_stdout();
    let written = write_all(vec![(target, made.to_json())]).map_err(one)?;
    let told = check_certificate::told(&output, shown);
    match (context.json(), beside) {
        (_, true) => context.error_line(told.page().trim_end()),
        (true, _) => context.print(&told.json_line()),
        (false, _) => {
            let written: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
            context.print(&format!("{}written  {}\n", told.page(), written.join(" ")));
        }
    }
    Ok(())
}

/// What the function of the plan is called.
fn function_name(input: &Input) -> String {
    let own = input.plan.as_ref().and_then(|p| p.plan.name.clone());
    own.unwrap_or_else(|| input.program.name.to_string())
}

/// The kernel of a plan with what it rests on; nothing is claimed yet.
fn certificate(
    input: &Input,
    name: &str,
    context: &mut Context,
) -> Result<KernelCertificate, Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    let header_name = format!("{name}.h");
    let done = Done::planned(input, Some(header_name.clone()), &mut context.sources)?;
    let command = done.command.clone();
    let (Some(loops), Some(kernel)) = (done.loops(), &done.kernel) else {
        let d = Diagnostic::new(code::NOT_CERTIFIED, "the plan has no kernel");
        return Err(one(d.help("make the plan again, with `--emit plan`")));
    };
    // A program that is compiled as it stands equals itself.
    let itself = || {
        let proof = Proof::new(&input.program.term);
        ProofFile::new(&proof, &input.program, command.clone(), &context.sources)
    };
    Ok(KernelCertificate {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        command: command.clone(),
        proof: done.proof.clone().unwrap_or_else(itself),
        loops,
        c: kernel.unit.c.clone(),
        header_name,
        header: kernel.unit.header.clone(),
        claims: Claims {
            wherever: Vec::new(),
            regrouped: Vec::new(),
            approximated: None,
            contraction: true,
        },
        hashes: BTreeMap::new(),
    })
}
