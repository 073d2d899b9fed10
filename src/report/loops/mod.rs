//! Loop programs as files: `--emit loops`.
//!
//! In: a loop program, with the program that it was made of. Out: JSON that says all of it, and the loop program again.
//! Invariant: what is written reads back as the same loop program, but for the terms of its annotations, which are texts;
//! the reader takes nothing from lowering, its passes or the printer, so that whoever judges a kernel by its file depends
//! on the file alone. Absent: whether the loop program is right (`validate`).
//!
//! Blocks and values are tables, in which a later entry names earlier ones: so files are as deep as the widest entry,
//! whatever is nested in what. Sizes and indices are texts, which [`index::parse`] reads.

pub mod index;
mod read;
mod write;

use super::saved::{self, LOOPS};
use crate::diag::Diagnostic;
use crate::nest::Nest;
use crate::source::{FileId, SourceMap};
use crate::term::Program;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A loop program, and what it was made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopsFile {
    /// Version of the program that made it.
    pub rise_opt: String,
    /// The command line.
    pub command: String,
    /// The program whose loops these are: the term that was found.
    pub program: String,
    /// Sizes of it that are fixed.
    pub fixed: BTreeMap<String, i64>,
    /// The loops.
    pub function: Function,
}

/// One function.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    pub name: String,
    pub sizes: Vec<String>,
    pub outputs: Vec<Slot>,
    pub inputs: Vec<Slot>,
    pub assumptions: Vec<Assumption>,
    pub preferred: Vec<Assumption>,
    pub errors: Vec<Error>,
    pub guards: Vec<Guard>,
    pub results: Vec<String>,
    pub arena: Option<Vec<Part>>,
    pub shares: BTreeMap<String, String>,
    /// Files that were written before there were such loops have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statics: Vec<String>,
    pub buffers: Vec<Buffer>,
    pub computed: Vec<Computed>,
    pub values: Vec<Value>,
    pub blocks: Vec<Vec<Stmt>>,
    /// The block of the whole function.
    pub body: usize,
    pub fallback: Option<Box<Function>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    pub name: String,
    pub param: Option<usize>,
    pub elem: String,
    pub bound: Option<String>,
    pub dims: Vec<String>,
    pub by_value: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Assumption {
    Divides { divisor: String, size: String },
    NotNegative(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Error {
    pub name: String,
    pub code: i32,
    pub meaning: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Guard {
    Size(String),
    Product {
        value: String,
        operations: usize,
    },
    Bytes {
        len: String,
        elem_bytes: u64,
        each_thread: bool,
        limit: u32,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub buffer: usize,
    pub each_thread: bool,
    pub when: Vec<Condition>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    pub value: usize,
    pub holds: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    pub name: String,
    pub elem: String,
    pub len: String,
    pub storage: Storage,
    pub alias: Option<usize>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Storage {
    Input(usize),
    Output(usize),
    Stack,
    Heap,
    ThreadHeap,
    Gone,
}

/// A prophecy: of which sub-term a store computes an element, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Computed {
    pub role: Role,
    /// Open in the variables around it, for the reader.
    pub term: Option<String>,
}

#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Result,
    Kept,
    Start,
    Step,
    Copy,
}

/// A scalar or a vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    pub elem: String,
    pub lanes: u32,
    pub is: Is,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Is {
    Bool(bool),
    /// Decimal, as it may have more than 64 bits.
    Int(String),
    /// Bits.
    F32(u32),
    /// Bits.
    F64(u64),
    Size(String),
    Var(String),
    Index(String),
    Load {
        buffer: usize,
        index: String,
    },
    Op {
        op: String,
        of: Vec<usize>,
    },
    Cast(usize),
    Clamp {
        value: usize,
        bound: String,
    },
    Splat(usize),
    Lane {
        value: usize,
        lane: u32,
    },
    Build(Vec<usize>),
    Pick {
        of: Vec<usize>,
        index: String,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Stmt {
    For {
        var: String,
        extent: String,
        order: Order,
        body: usize,
        note: Option<String>,
    },
    If {
        cond: usize,
        then: usize,
        els: usize,
    },
    Let {
        var: String,
        value: Option<usize>,
        elem: String,
        lanes: u32,
        mutable: bool,
    },
    Assign {
        var: String,
        value: usize,
    },
    Index {
        var: String,
        value: String,
    },
    Alloc(usize),
    Prefetch {
        buffer: usize,
        index: String,
    },
    Store {
        buffer: usize,
        index: String,
        value: usize,
        what: usize,
        element: String,
    },
}

#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Seq,
    Par,
    Lanes,
    PartialUnroll,
    Independent,
}

impl LoopsFile {
    /// Of a loop program that was made of a program, with some of its sizes fixed.
    pub fn new(
        nest: &Nest,
        program: &Program,
        fixed: &BTreeMap<crate::intern::Symbol, i64>,
        command: String,
    ) -> LoopsFile {
        LoopsFile {
            rise_opt: env!("CARGO_PKG_VERSION").to_string(),
            command,
            program: crate::elab::program_text(program),
            fixed: fixed.iter().map(|(s, n)| (s.to_string(), *n)).collect(),
            function: write::function(nest),
        }
    }

    pub fn to_json(&self) -> String {
        saved::line(&LOOPS, self)
    }

    /// A file that `--emit loops` wrote.
    pub fn read(sources: &SourceMap, file: FileId) -> Result<LoopsFile, Diagnostic> {
        saved::read(&LOOPS, sources, file)
    }

    /// The loop program. What is wrong with it is said of the file of that name.
    pub fn nest(&self, name: &str) -> Result<Nest, Diagnostic> {
        read::nest(&self.function).map_err(|why| {
            Diagnostic::new(
                crate::diag::code::SAVED_MALFORMED,
                format!("`{name}` is no loop program: {why}"),
            )
            .help(format!("make it again: `{}` writes one", LOOPS.command))
        })
    }
}
