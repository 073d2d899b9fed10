//! One size: the reference, then each number of threads: start, compare, race.

use super::{Bench, Built, Candidate, Kind, Outcome, Place, Round};
use crate::diag::{code, Diagnostic};
use crate::exec::arguments::{arguments, out_lens};
use crate::exec::array::Array;
use crate::exec::compare::{compare, Difference};
use crate::exec::compiled::may_decide;
use crate::exec::explained::Results;
use crate::exec::flops::flops;
use crate::exec::kernel::{refusal, Kernel, Sample, Session, Setting};
use crate::exec::measure::{race, Timing};
use crate::exec::run::job::{named, per_number};
use crate::exec::sizes::{Effort, Sizes};
use crate::interrupt;

/// What all contestants of a size share.
struct Same<'a> {
    sizes: &'a Sizes,
    inputs: &'a [Array],
    out_lens: &'a [usize],
    reference: &'a [Array],
    /// Operations behind one number.
    operations: f64,
}

/// A contestant that computed the right result and waits to be measured.
struct Ready {
    name: String,
    session: Session,
    first: Sample,
    difference: Difference,
}

/// It takes part in this round, or not.
enum Entered {
    Ready(Box<Ready>),
    Out(Place),
}

fn out(name: &str, why: String) -> Entered {
    Entered::Out(Place {
        contestant: name.to_string(),
        outcome: Outcome::NotApplicable { why },
    })
}

impl Bench<'_> {
    pub fn rounds(&mut self, sizes: &Sizes) -> Result<Vec<Round>, Diagnostic> {
        let unit = &self.unoptimised.unit;
        let limit = self.options.measuring.limit;
        let at = named(self.job.program, sizes);
        let shown: Vec<String> = at.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let shown = shown.join(" ");
        (self.options.progress)(&format!("{shown}: the reference"));
        let effort = Effort::of(self.job.program, sizes)
            .ok_or_else(|| super::excluded(self.job.program, sizes, "it has a size"))?;
        let inputs = self.job.inputs(unit, sizes)?;
        let lens = out_lens(unit, sizes)?;
        let size_arguments = arguments(unit, sizes)?;
        let (first, reference) = {
            let mut session = self.reference.exe.start(&Setting {
                sizes: &size_arguments,
                inputs: &inputs,
                out_lens: &lens,
                threads: self.options.threads[0],
                guard: false,
            })?;
            let first = session.call(1, limit)?;
            if first.status != 0 {
                return Err(refusal(
                    self.reference.exe.name(),
                    first.status,
                    &size_arguments,
                ));
            }
            (first, session.outputs()?)
        };
        let same = Same {
            sizes,
            inputs: &inputs,
            out_lens: &lens,
            reference: &reference,
            operations: per_number(self.job.program, sizes, &effort, &reference),
        };
        let mut rounds = Vec::new();
        for &threads in &self.options.threads {
            (self.options.progress)(&format!("{shown}, {threads} threads"));
            let places = self.round(&same, threads, &first)?;
            if interrupt::asked() {
                break;
            }
            rounds.push(Round {
                sizes: at.clone(),
                threads,
                flops: flops(self.job.program, sizes).unwrap_or_default(),
                bytes: effort.bytes,
                places,
            });
        }
        Ok(rounds)
    }

    fn round(
        &mut self,
        same: &Same,
        threads: usize,
        first: &Sample,
    ) -> Result<Vec<Place>, Diagnostic> {
        let limit = self.options.measuring.limit;
        let mut entered = Vec::new();
        for b in &self.built {
            entered.push(b.enter(same, threads, self)?);
        }
        let slow = first.wall > self.options.measuring.slow;
        if self.options.unoptimised && slow {
            // Its only call was that for the reference.
            entered.push(Entered::Out(Place {
                contestant: self.unoptimised.name.clone(),
                outcome: Outcome::Measured {
                    timing: Timing::once(first),
                    difference: compare(same.reference, same.reference, same.operations),
                },
            }));
        } else if self.options.unoptimised {
            let sizes = arguments(&self.unoptimised.unit, same.sizes)?;
            let setting = same.setting(&sizes, threads);
            let ready = same.ready(&self.unoptimised.name, &self.reference.exe, &setting, limit)?;
            entered.push(Entered::Ready(Box::new(ready)));
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        for c in &mut candidates {
            entered.push(c.enter(same, threads, self)?);
        }
        self.candidates = candidates;

        let (mut sessions, mut firsts, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for e in entered {
            match e {
                Entered::Out(place) => rest.push(Ok(place)),
                Entered::Ready(r) => {
                    sessions.push(r.session);
                    firsts.push(r.first);
                    rest.push(Err((r.name, r.difference)));
                }
            }
        }
        let timings = race(&mut sessions, &firsts, &self.options.measuring)?;
        let mut timings = timings.into_iter();
        Ok(rest
            .into_iter()
            .map(|place| {
                place.unwrap_or_else(|(contestant, difference)| Place {
                    contestant,
                    outcome: Outcome::Measured {
                        timing: timings.next().unwrap_or_default(),
                        difference,
                    },
                })
            })
            .collect())
    }
}

impl Same<'_> {
    fn setting<'s>(&'s self, sizes: &'s [i64], threads: usize) -> Setting<'s> {
        Setting {
            sizes,
            inputs: self.inputs,
            out_lens: self.out_lens,
            threads,
            guard: false,
        }
    }

    /// Starts a kernel and compares its result.
    fn ready(
        &self,
        name: &str,
        kernel: &Kernel,
        setting: &Setting,
        limit: std::time::Duration,
    ) -> Result<Ready, Diagnostic> {
        let mut session = kernel.start(setting)?;
        let first = session.call(1, limit)?;
        if first.status != 0 {
            return Err(refusal(name, first.status, setting.sizes));
        }
        let difference = compare(&session.outputs()?, self.reference, self.operations);
        Ok(Ready {
            name: name.to_string(),
            session,
            first,
            difference,
        })
    }
}

impl Built<'_> {
    fn enter(&self, same: &Same, threads: usize, bench: &Bench) -> Result<Entered, Diagnostic> {
        let entry = self.entry;
        for (name, &value) in &entry.fixed {
            if same.sizes.get(name) != Some(&value) {
                return Ok(out(&entry.name, format!("made for {name}={value}")));
            }
        }
        for a in &entry.unit.abi.assumptions {
            if a.holds(&mut |n| same.sizes.get(&n).copied()) != Some(true) {
                return Ok(out(&entry.name, format!("needs {a}")));
            }
        }
        let sizes = arguments(&entry.unit, same.sizes)?;
        let setting = same.setting(&sizes, threads);
        let limit = bench.options.measuring.limit;
        let own = |d: Diagnostic| match entry.kind {
            Kind::C => {
                let mut d = d;
                d.message = format!("{}: {}", entry.name, d.message);
                // Others write such files, too; what they say of themselves is not looked at.
                d.help("compare it with what `--emit c` writes, if it is your own; if it is that, rounding may grow from step to step here, as in an iteration that does not settle: other sizes may tell more")
            }
            _ => d,
        };
        let ready = same.ready(&entry.name, &self.kernel.exe, &setting, limit);
        let mut ready = match ready {
            // Which sizes a file of the user's takes, only it knows.
            Err(d) if entry.kind == Kind::C && d.code == code::KERNEL_REFUSES => {
                return Ok(out(&entry.name, "it returns an error code".to_string()));
            }
            other => other.map_err(own)?,
        };
        if may_decide(bench.job.program, &ready.difference) {
            ready.difference = self.apart(same, &setting, bench).map_err(own)?;
        }
        if !ready.difference.agrees() {
            return Err(own(mismatch(&ready, bench, same, threads)));
        }
        Ok(Entered::Ready(Box::new(ready)))
    }

    /// How far it is from the reference, both without contraction: where a comparison of floats decides what is computed, no
    /// rounding explains that it decides otherwise.
    fn apart(
        &self,
        same: &Same,
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Difference, Diagnostic> {
        let sizes = arguments(&bench.unoptimised.unit, same.sizes)?;
        let one = same.setting(&sizes, bench.options.threads[0]);
        let want = bench.reference.uncontracted()?.results(&one)?;
        let got = self.kernel.uncontracted()?.results(setting)?;
        let difference = compare(&got, &want, same.operations);
        match difference.agrees() {
            true => Ok(difference),
            false => (bench.job).explained(
                difference,
                &Results {
                    sizes: same.sizes,
                    inputs: same.inputs,
                    got: &got,
                    reference: &want,
                },
            ),
        }
    }
}

fn mismatch(ready: &Ready, bench: &Bench, same: &Same, threads: usize) -> Diagnostic {
    let what = format!(
        "`{}` computes something else than the unoptimised kernel",
        ready.name
    );
    let mut d = Diagnostic::new(code::MISMATCH, what);
    if let Some(w) = ready.difference.worst {
        d = d.note(format!(
            "element {} of result {} is {:e}, not {:e}",
            w.index, w.result, w.got, w.want
        ));
    }
    let at = named(bench.job.program, same.sizes);
    let at: Vec<String> = at.iter().map(|(n, v)| format!("{n}={v}")).collect();
    d.note(format!(
        "relative error {:.2e}, rounding explains {:.2e}",
        ready.difference.error, ready.difference.tolerance
    ))
    .note(format!(
        "sizes {}, seed {}, threads {threads}",
        at.join(" "),
        bench.job.seed
    ))
    .help("report this as a bug of rise-opt, with the plan and the command line")
}

impl Candidate {
    /// Tries forms until one computes what the program computes.
    fn enter(&mut self, same: &Same, threads: usize, bench: &Bench) -> Result<Entered, Diagnostic> {
        let library = self.peer.library;
        let limit = bench.options.measuring.limit;
        if self.chosen.is_none() && self.forms.is_empty() {
            let why = "no function of it computes this program";
            return Ok(out(library.name, why.to_string()));
        }
        let mut lookup = |n| same.sizes.get(&n).copied();
        loop {
            let (form, kernel) = match self.chosen.take() {
                Some(chosen) => chosen,
                None => match self.forms.pop() {
                    Some(form) => {
                        let abi = &bench.unoptimised.unit.abi;
                        let kernel = self.peer.kernel(bench.tool, abi, &form)?;
                        (form, kernel)
                    }
                    None => {
                        let why = "computes something else";
                        return Ok(out(library.name, why.to_string()));
                    }
                },
            };
            let Some(sizes) = form.sizes(&mut lookup) else {
                self.chosen = Some((form, kernel));
                return Ok(out(library.name, "its sizes have 32 bits".to_string()));
            };
            let product: f64 = sizes[1..].iter().map(|&n| n as f64).product();
            if product > library.most {
                self.chosen = Some((form, kernel));
                return Ok(out(library.name, "is for small sizes".to_string()));
            }
            let setting = same.setting(&sizes, threads);
            // What dies or refuses is not what was looked for.
            match same.ready(library.name, &kernel, &setting, limit) {
                Ok(ready) if ready.difference.agrees() => {
                    self.chosen = Some((form, kernel));
                    return Ok(Entered::Ready(Box::new(ready)));
                }
                _ => continue,
            }
        }
    }
}
