//! What `rise-opt explain` is asked.

use crate::cli::progress::Mode;
use crate::cli::values::{setting, Bytes, Trusting};
use crate::driver::Setting;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program (.rise)
    #[arg(value_name = "PROGRAM")]
    pub program: String,
    /// Says where a rule applies, and for near misses which sub-term, type or side condition refused: when a rule does
    /// not do what you expect. With its sizes, as in `split-join[32]`, unless a sketch names them
    #[arg(long = "try", value_name = "RULE")]
    pub try_rule: Option<String>,
    /// The file that declares the rule, when it is neither in a sketch nor shipped
    #[arg(long, value_name = "FILE", requires = "try_rule")]
    pub rules: Option<String>,
    /// Sketch files (.sk): what the search finds for them is explained; without any, what is found without a sketch. With
    /// `--try`, the rule is tried on the term that their last step starts from, and in that step's e-graph
    #[arg(long, value_name = "FILE")]
    pub sketch: Vec<String>,
    /// The step to try the rule in, instead of the last one
    #[arg(long, value_name = "STEP", requires_all = ["sketch", "try_rule"])]
    pub at: Option<String>,
    /// How many near misses are shown
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub near: usize,
    /// Changes a parameter of a sketch: `--set tile=16`
    #[arg(long, value_delimiter = ',', value_name = "NAME=NUMBER", value_parser = setting)]
    pub set: Vec<Setting>,
    #[command(flatten)]
    pub trust: Trusting,
    /// The definition to look at, when it is not the last of the file
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Shows every step, β and η too, and long terms whole
    #[arg(long, conflicts_with = "try_rule")]
    pub full: bool,
    /// Searches for the last sketch with the rules of all steps at once
    #[arg(long, conflicts_with = "try_rule")]
    pub unguided: bool,
    /// Ends a step at so many e-nodes
    #[arg(long, value_name = "N", conflicts_with = "try_rule")]
    pub node_limit: Option<u64>,
    /// Ends a step after so many iterations
    #[arg(long, value_name = "N", conflicts_with = "try_rule")]
    pub iter_limit: Option<u64>,
    /// Ends a step after so many seconds; without a sketch also all trials together
    #[arg(long, value_name = "SECONDS", conflicts_with = "try_rule")]
    pub time_limit: Option<u64>,
    /// Ends a step when the process holds so many bytes, as in 2G
    #[arg(long, value_name = "BYTES", conflicts_with = "try_rule")]
    pub memory_limit: Option<Bytes>,
    /// How a search shows on standard error what it is doing
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub progress: Mode,
}
