//! The `rise-opt` binary; everything is in the library.

#[global_allocator]
static ALLOCATOR: rise_opt::alloc::Jemalloc = rise_opt::alloc::Jemalloc;

fn main() -> std::process::ExitCode {
    rise_opt::cli::main()
}
