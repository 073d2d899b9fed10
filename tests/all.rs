//! All tests of what the library and the command do, as one program: they are built once, and run side by side.

// That of the command: it takes less time than the system's.
#[global_allocator]
static ALLOCATOR: rise_opt::alloc::Jemalloc = rise_opt::alloc::Jemalloc;

mod common;

mod architecture;
mod array_rules;
mod audit_random;
mod certify;
mod cli;
mod compare;
mod ctext;
mod differential;
mod docs;
mod egraph;
mod files;
mod functions;
mod halves;
mod irregular;
mod kernel_compilers;
mod kernel_names;
mod kernel_refusals;
mod kernel_threads;
mod kernels;
mod lane_instructions;
mod limits;
mod loop_programs;
mod micro;
mod mutants;
mod obligations;
mod oldest_rust;
mod oracle;
mod order;
mod plan;
mod print;
mod programs;
mod proof;
mod references;
mod report;
mod rounding;
mod rules;
mod runs;
mod scalar_rules;
mod schemas;
mod simplify;
mod suite;
mod syntax;
mod validation;
mod verify;
mod wrong_rules;
