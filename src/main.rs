#[global_allocator]
static ALLOCATOR: rise_opt::alloc::Jemalloc = rise_opt::alloc::Jemalloc;

fn main() {}
