//! Tests of searches and of single modules, with the allocator of the command, which counts what a search holds.

#[global_allocator]
static ALLOCATOR: rise_opt::alloc::Jemalloc = rise_opt::alloc::Jemalloc;

mod common;

mod auto;
mod encodings;
mod guides;
mod guides_found;
mod guides_pairs;
mod guides_taken;
mod progress;
mod reductions;
mod search;
mod unit;
mod unreached;
