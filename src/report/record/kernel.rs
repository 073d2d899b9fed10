//! A kernel as data: its interface, both texts, and what links their lines.
//!
//! In: the term that was lowered, its loop program, its C. Out: a [`Kernel`]. Invariant: every number in a mark is
//! that of a statement, every index of a statement that of a computed sub-term. Absent: how it is shown.

use super::{Argument, Buffer, Computed, ErrorCode, Kernel, Listing, Statement};
use crate::elab;
use crate::emit::CUnit;
use crate::nest::abi::Slot;
use crate::nest::{Block, Nest, Role, Stmt, StorageClass};
use crate::term::{Program, Term};

pub fn kernel(
    program: &Program,
    nest: &Nest,
    unit: &CUnit,
    declaration: String,
    target: String,
) -> Kernel {
    let abi = &unit.abi;
    let argument = |result: bool| {
        move |s: &Slot| Argument {
            name: s.name.clone(),
            result,
            element: s.elem.name().to_string(),
            dimensions: s.dims.iter().map(|d| d.to_string()).collect(),
        }
    };
    let results = abi.outputs.iter().map(argument(true));
    let terms: Vec<Term> = (nest.computed.iter())
        .filter_map(|c| c.term.clone())
        .collect();
    let (term, places) = elab::located_text(program, &terms);
    let mut places = places.into_iter();
    let computed = nest.computed.iter().map(|c| Computed {
        role: role(c.role).to_string(),
        at: match c.term {
            Some(_) => places.next().unwrap_or_default(),
            None => Vec::new(),
        },
    });
    let listing = nest.listing();
    let mut statements = Vec::new();
    number(&nest.body, &mut statements);
    Kernel {
        name: abi.name.clone(),
        declaration,
        arguments: results
            .chain(abi.inputs.iter().map(argument(false)))
            .collect(),
        sizes: abi.sizes.iter().map(|s| s.to_string()).collect(),
        assumptions: abi.assumptions.iter().map(|a| a.to_string()).collect(),
        falls_back_unless: abi.preferred.iter().map(|a| a.to_string()).collect(),
        target,
        errors: (abi.errors.iter())
            .map(|e| ErrorCode {
                name: e.name.clone(),
                code: e.code,
                meaning: e.meaning.to_string(),
            })
            .collect(),
        buffers: buffers(nest),
        computed: computed.collect(),
        term,
        nest: Listing {
            text: listing.text,
            marks: listing.marks,
        },
        c: Listing {
            text: unit.c.clone(),
            marks: unit.marks.clone(),
        },
        header: unit.header.clone(),
        statements,
    }
}

fn role(r: Role) -> &'static str {
    match r {
        Role::Result => "result",
        Role::Kept => "kept",
        Role::Start => "start",
        Role::Step => "step",
        Role::Copy => "copy",
    }
}

fn buffers(nest: &Nest) -> Vec<Buffer> {
    let mut out = Vec::new();
    crate::nest::walk::each_stmt(&nest.body, &mut |s| {
        let Stmt::Alloc(b) = s else { return };
        let b = &nest.buffers[b.0 as usize];
        let home = match b.storage {
            StorageClass::Stack => "stack",
            StorageClass::Heap => "heap",
            StorageClass::ThreadHeap => "heap of the thread",
            StorageClass::Input(_) | StorageClass::Output(_) | StorageClass::Gone => return,
        };
        out.push(Buffer {
            name: b.name.to_string(),
            element: b.elem.name().to_string(),
            length: b.len.to_string(),
            home: home.to_string(),
        });
    });
    out
}

/// In the order of `walk::each_stmt`, which the marks have.
fn number(block: &Block, out: &mut Vec<Statement>) {
    for s in block {
        let at = out.len();
        out.push(Statement {
            last: 0,
            computes: None,
            element: None,
        });
        match s {
            Stmt::For { body, .. } => number(body, out),
            Stmt::If { then, els, .. } => {
                number(then, out);
                number(els, out);
            }
            Stmt::Store { what, element, .. } => {
                out[at].computes = Some(what.0);
                out[at].element = Some(element.to_string());
            }
            _ => {}
        }
        out[at].last = out.len() as u32 - 1;
    }
}
