//! `rise-opt check-certificate CERT [PROGRAM]`: everything that a certificate says is found out again.
//!
//! In: a certificate; with a program or a C file, only if it is of these. Out: what holds, or why it does not. Absent: the
//! check (`driver`).

use super::values::Given;
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::driver::certificate::{self, Shown};
use crate::report::answers::KernelCheck;
use crate::report::kernel_certificate::KernelCertificate;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The certificate, which `rise-opt certify` wrote
    #[arg(value_name = "CERT")]
    certificate: String,
    #[command(flatten)]
    given: Given,
    /// A C file: refuses the certificate unless it is of exactly this text
    #[arg(long, value_name = "FILE")]
    c: Option<String>,
    /// A header: refuses the certificate unless it is of exactly this text
    #[arg(long, value_name = "FILE")]
    header: Option<String>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let done = job(args, context);
    context.ended(done)
}

fn job(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let name = &args.certificate;
    let file = sources.load(name).map_err(|e| vec![e.into()])?;
    let read = KernelCertificate::read(sources, file).map_err(|d| vec![d])?;
    let wrong = |why: String| {
        let d = Diagnostic::new(
            code::CERTIFICATE_WRONG,
            format!("`{name}` certifies nothing: {why}"),
        );
        vec![d.help("make it again: `rise-opt certify PROGRAM --plan PLAN`; who changed it?")]
    };
    for (path, own) in [(&args.c, &read.c), (&args.header, &read.header)] {
        let Some(path) = path else { continue };
        let file = sources.load(path).map_err(|e| vec![e.into()])?;
        if *sources.file(file).text != **own {
            return Err(wrong(format!("it is of another text than `{path}`")));
        }
    }
    let given = args.given.load(sources)?;
    let shown = certificate::check(&read, name, sources).map_err(wrong)?;
    if let Some((path, given)) = given {
        if shown.program.differs(&given).is_some() {
            return Err(wrong(format!("it is of another program than `{path}`")));
        }
    }
    let told = told(name, shown);
    let text = if context.json() {
        told.json_line()
    } else {
        told.page()
    };
    context.print(&text);
    Ok(())
}

/// What is said of a certificate that holds.
pub fn told(name: &str, shown: Shown) -> KernelCheck {
    KernelCheck {
        certificate: name.to_string(),
        definition: shown.program.name.to_string(),
        steps: shown.steps,
        rules: shown.rules,
        obligations: shown.obligations,
        reordered: shown.reordered,
        claims: shown.claims,
    }
}
