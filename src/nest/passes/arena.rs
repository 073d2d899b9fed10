//! The arena: buffers on the heap get their place in one piece of memory.
//!
//! Comes in: a nest; goes out: the same with the list of buffers that lie on the heap, and when each is used. A function
//! asks for all of them at once, before it writes anything, so that there is one answer to give when there is no memory;
//! and a piece that is as large in the next call is found again where it was, which several together are not. Invariant:
//! a buffer has memory wherever its block is run. Absent: addresses, which depend on what a machine aligns.

use super::choices::choices;
use crate::nest::{walk, Nest, Part, Stmt, StorageClass};

/// Lists the buffers.
pub(super) fn place(nest: &mut Nest) {
    let choices = choices(nest).buffers;
    let mut parts = Vec::new();
    walk::each_stmt(&nest.body, &mut |s| {
        let Stmt::Alloc(buf) = s else { return };
        let each_thread = match nest.buffers[buf.0 as usize].storage {
            StorageClass::Heap => false,
            StorageClass::ThreadHeap => true,
            _ => return,
        };
        parts.push(Part {
            buf: *buf,
            each_thread,
            when: choices.get(buf).cloned().unwrap_or_default(),
        });
    });
    nest.entry.arena = Some(parts);
}
