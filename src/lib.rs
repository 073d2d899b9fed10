//! rise-opt: from a functional array program, through sketches, to a C kernel.
//!
//! Data moves one way; every arrow is one function.
//!
//! ```text
//! text ─syntax→ tree ─elab→ Term ─search→ Term ─lower→ Nest ─emit→ C ─exec→ numbers
//! ```
//!
//! The tour, in that order, on the shipped matrix multiplication:
//!
//! ```
//! use rise_opt::{cost::Cost, elab, emit, interp, lower, search, source, term};
//!
//! // Texts. A shipped file is found in any folder; every span points into this map.
//! let mut sources = source::SourceMap::new();
//! let file = sources.load("programs/mm.rise").unwrap();
//!
//! // A typed term without names: C = A·B as map, map, reduce.
//! let program = elab::program(&mut sources, file, None).unwrap();
//! assert_eq!(program.name.as_str(), "mm");
//!
//! // What it means: the interpreter is the oracle of every test.
//! let sizes = program.sizes.iter().map(|n| (*n, 1)).collect();
//! let one = interp::random::value_of(
//!     &mut interp::random::Rng::new(0),
//!     program.params[0].1,
//!     &sizes,
//!     interp::random::Numbers::Whole,
//! )
//! .unwrap();
//! interp::eval_program(&program, &sizes, &[one.clone(), one]).unwrap();
//!
//! // Steps: each with rules and a sketch of what the program shall look like after it.
//! let guide = sources.load("sketches/mm/blocking.sk").unwrap();
//! let costs = Cost::ALL.map(|(name, _)| name);
//! let around = elab::Surroundings {
//!     sizes: Some(&program.sizes),
//!     costs: &costs,
//!     ..Default::default()
//! };
//! let steps = elab::steps(&mut sources, guide, &around).unwrap().steps;
//! assert_eq!(steps.len(), 2);
//!
//! // Equality saturation, step by step, until each sketch is satisfied.
//! let outcome = search::optimize(&program, &steps, &search::Options::default());
//! assert!(outcome.failure.is_none());
//! let found = term::Program {
//!     term: outcome.terms.last().unwrap().clone(),
//!     ..program
//! };
//!
//! // Loops and buffers, then C. What the sizes must satisfy is checked by the kernel on entry.
//! let nest = lower::lower(&found, &lower::Options::default()).unwrap();
//! let unit = emit::emit(&nest, &emit::Options::default());
//! assert!(unit.c.contains("int mm("));
//! let assumptions: Vec<_> = unit.abi.assumptions.iter().map(|a| a.to_string()).collect();
//! assert!(assumptions.contains(&"32 divides m".to_string()));
//! ```
//!
//! [`exec`] compiles the kernel, compares it with the interpreter, and measures it; [`report`] says
//! what all this came to; [`driver`] is all of it as functions, [`cli`] the command line. ARCHITECTURE.md gives the order of the layers
//! and what each module promises.

pub mod algebra;
pub mod alloc;
pub mod arith;
pub mod cli;
pub mod cost;
pub mod ctext;
pub mod diag;
pub mod driver;
pub mod egraph;
pub mod elab;
pub mod emit;
pub mod estimate;
pub mod exec;
pub mod hash;
pub mod index;
pub mod intern;
pub mod interp;
pub mod interrupt;
pub mod lower;
pub mod nest;
pub mod obligation;
pub mod operator;
pub mod proof;
pub mod report;
pub mod rounding;
pub mod rule;
pub mod scalar;
pub mod schedule;
pub mod search;
pub mod simplify;
pub mod sketch;
pub mod solve;
pub mod source;
pub mod syntax;
pub mod synth;
pub mod target;
pub mod term;
pub mod termination;
pub mod trail;
pub mod ty;
pub mod validate;
pub mod verify;
