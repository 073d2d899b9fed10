//! The main job as functions: what the command line, a test or a program of another language calls.
//!
//! In: paths and settings, or a plan. Out: everything that came of them, as values. It goes [`load`] (or [`plan::load`]),
//! [`search()`], [`Done::new`], [`Done::make`]. Invariants: no file is written, nothing is printed; whatever is wrong is a
//! diagnostic. Absent: flags, files to write, texts for people.

mod accesses;
pub mod auto;
pub mod by_size;
pub mod candidates;
pub mod guides;
mod input;
mod job;
mod kernel;
pub mod plan;
mod search;
pub mod sizes;
mod small_sizes;
mod stuck;
mod trust;
pub mod tune;

pub mod certificate;

pub use input::{load, load_any, unknown_setting, Files, Input, Planned, Setting};
pub use job::{Done, Request, Wanted};
pub use kernel::{declaration, measure, Kernel, Running};
pub use search::{proved, refused, search, stopped, Searched};
pub use stuck::{lowered, stuck, Lowered};
pub use trust::{wrong_rules, Trust};
