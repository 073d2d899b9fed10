//! What single modules of the library promise, file by file.

mod algebra;
mod alloc;
mod arith;
mod cli {
    mod artefacts;
    mod compare;
    mod optimize;
    mod output;
    mod progress;
    mod values;
}
mod diag {
    mod code;
    mod near;
    mod render;
    mod visible;
}
mod egraph;
mod elab;
mod emit {
    mod sums;
}
mod exec {
    mod array;
    mod compare;
    mod decided;
    mod explained;
    mod flops;
    mod kernel;
    mod measure;
    mod peer {
        mod form;
    }
    mod process;
    mod run;
    mod run_tampered;
    mod sizes;
    mod toolchain;
}
mod hash;
mod index;
mod interp;
mod lower {
    mod float;
    mod index_map;
    mod lanes;
    mod numbers;
}
mod nest {
    mod abi;
    mod names;
}
mod obligation;
mod operator;
mod report {
    mod goal;
    mod html {
        mod diff;
        mod highlight;
        mod text;
    }
    mod loops;
    mod measurement;
    mod near;
    mod number;
    mod progress;
    mod saved;
    mod summary;
}
mod rounding;
mod rule {
    mod condition;
    mod instance;
    mod near;
}
mod scalar;
mod search {
    mod advise {
        mod sizes;
    }
}
mod simplify;
mod source;
mod syntax;
mod target;
mod term;
mod termination;
mod validate {
    mod known;
    mod system;
}
mod verify;
mod witness_term;
