//! The kernels of goals, the unoptimised kernel, and the libraries that the machine has, in races: of
//! one goal after the other at one size, or all figures of docs/kernels-log.md at once.

mod common;
#[path = "kernels/figures.rs"]
mod figures;
#[path = "kernels/race.rs"]
mod race;

use common::{all_goals, machine, Flags};
use figures::figures;
use race::{race, Goal, Race};
use rise_opt::exec::Toolchain;
use rise_opt::report::measurement;

const USAGE: &str = "\
cargo bench --bench kernels -- [FLAGS]: matrix multiplication of f32, best and median
  --size N       m = n = k [1024]
  --threads N    of all kernels and of libraries [1]
  --goals A,B    only these
  --samples N    of each kernel, at least [15]
  --unoptimised  also the program as it stands, which takes seconds at 1024
  --figures      all figures of docs/kernels-log.md: sizes, threads, batches, an epilogue, doubles, the search,
                 what is on the stack, compiling; takes a quarter of an hour, wants a machine of its own
  --only A,B     only figures whose title has one of these words in it";

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    let tool = Toolchain::find().unwrap_or_else(|d| panic!("{}", d.message));
    println!("{}\n{}\n", machine(), tool.version);
    if flags.has("--figures") {
        return figures(flags, &tool);
    }
    let n = flags.number("--size", 1024) as i64;
    let files: Vec<String> = (flags.goals(&all_goals()).iter())
        .map(|goal| format!("sketches/mm/{goal}.sk"))
        .collect();
    let goals = files.iter().map(|sketch| Goal { sketch, set: "" });
    let asked = Race {
        program: "programs/mm.rise",
        goals: goals.collect(),
        fixed: "",
        sizes: &[&format!("m={n},n={n},k={n}")],
        threads: flags.number("--threads", 1) as usize,
        unoptimised: flags.has("--unoptimised"),
    };
    match race(&asked, flags, &tool) {
        Ok(measured) => print!("{}", measurement::human(&measured)),
        Err(why) => println!("{why}"),
    }
}
