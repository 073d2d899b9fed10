//! Bodies of parallel loops as functions of their own.
//!
//! In: the body of a parallel loop. Out: a function above the kernel, and its call. What threads run is a function to compilers,
//! which is given pointers as members of a structure, so they forget that buffers are apart, and compare
//! addresses or read again what they hold. The parameters of a function with `restrict` say it anew, also where it is expanded
//! in its callers: the loop with threads, and the one without, where threads would take longer to start. Sizes are not negative, which the kernel has checked and the function is told, as loops that may not run once are made
//! vectors of more seldom. Invariant: a parameter is what it is called outside, so the body is printed as it would be there.

use super::body::Printer;
use super::index;
use super::prelude::c_type;
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, ExprKind, Guard, Nest, Shape, Stmt, StorageClass};
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// Statements of a function that compilers always expand: they do so by themselves where it is called once.
const SHORT: usize = 100;

/// Whether a body is so short that a call takes part of its time.
fn is_short(body: &Block) -> bool {
    let mut count = 0;
    walk::each_stmt(body, &mut |_| count += 1);
    count <= SHORT
}

/// What a block takes from outside.
#[derive(Default)]
struct Captured {
    buffers: BTreeSet<BufId>,
    /// Buffers of threads, each of which has a part.
    threads: BTreeSet<BufId>,
    variables: BTreeMap<Symbol, Shape>,
    declared: BTreeSet<Symbol>,
    /// Buffers of the block itself.
    own: BTreeSet<BufId>,
    /// Whether it gives a variable from outside another value.
    assigns: bool,
}

impl Captured {
    fn of(block: &Block, nest: &Nest) -> Captured {
        let mut all = Captured::default();
        walk::each_stmt(block, &mut |s| {
            all.declared.extend(walk::declared(s));
            match s {
                Stmt::Alloc(b)
                    if nest.buffers[b.0 as usize].storage == StorageClass::ThreadHeap =>
                {
                    all.threads.insert(*b);
                    all.own.insert(*b);
                    all.index(nest.buffers[b.0 as usize].len);
                }
                Stmt::Alloc(b) if nest.buffers[b.0 as usize].storage == StorageClass::Stack => {
                    all.own.insert(*b);
                }
                Stmt::Store { buf, .. } | Stmt::Prefetch { buf, .. } => {
                    all.buffers.insert(nest.root(*buf));
                }
                Stmt::Assign { var, .. } => all.assigns |= !all.declared.contains(var),
                _ => {}
            }
            walk::each_index(s, &mut |n| all.index(n));
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| match e.kind() {
                    ExprKind::Var(v) => {
                        all.variables.insert(*v, e.shape());
                    }
                    ExprKind::Load(b, _) => {
                        all.buffers.insert(nest.root(*b));
                    }
                    _ => {}
                });
            }
        });
        let declared = std::mem::take(&mut all.declared);
        all.variables.retain(|v, _| !declared.contains(v));
        let own = std::mem::take(&mut all.own);
        all.buffers.retain(|b| !own.contains(b));
        all
    }

    fn index(&mut self, n: Nat) {
        n.each_atom(&mut |a| {
            if let AtomKind::Var(v) = a.kind() {
                self.variables.insert(v, Shape::scalar(Scalar::I64));
            }
        });
    }
}

impl Printer<'_> {
    /// Prints the body above the function; the call of it. None where it takes what no parameter is.
    pub(super) fn part(&mut self, body: &Block) -> Option<String> {
        let captured = Captured::of(body, self.nest);
        let vectors = captured.variables.values().any(|s| s.lanes > 1);
        if vectors || captured.assigns {
            return None;
        }
        let (params, args) = self.parameters(&captured);
        let name = format!("{}_part{}", self.nest.abi.name, self.parts_begun);
        self.parts_begun += 1;
        let sizes = self.checked(&captured);
        let kind = match is_short(body) {
            true => {
                self.used.expanded = true;
                "EXPANDED"
            }
            false => "static inline",
        };
        let signature = format!("{kind} void {name}({})", params.join(", "));
        self.above(&signature, &sizes, body);
        Some(format!("{name}({});", args.join(", ")))
    }

    /// The sizes among the parameters, which are not negative.
    fn checked(&mut self, captured: &Captured) -> Vec<String> {
        let guards = &self.nest.entry.guards;
        let sizes = captured.variables.keys();
        let sizes = sizes.filter(|v| guards.contains(&Guard::Size(**v)));
        let names = sizes.map(|v| index::nat(Nat::var(*v), &mut self.used));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Of each parameter what it is declared as, and its name.
    fn parameters(&mut self, captured: &Captured) -> (Vec<String>, Vec<String>) {
        let mut all = Vec::new();
        let pointer = |ty: &str, name: &str| (format!("{ty} *restrict {name}"), name.to_string());
        for b in &captured.buffers {
            let buf = &self.nest.buffers[b.0 as usize];
            let (ty, name) = (c_type(buf.elem), buf.name.as_str());
            all.push(match buf.storage {
                StorageClass::Input(i) if self.nest.abi.inputs[i].by_value => {
                    (format!("{ty} {name}"), name.to_string())
                }
                StorageClass::Input(_) => pointer(&format!("const {ty}"), name),
                _ => pointer(ty, name),
            });
        }
        for b in &captured.threads {
            let buf = &self.nest.buffers[b.0 as usize];
            all.push(pointer(c_type(buf.elem), &format!("{}_all", buf.name)));
        }
        let mut variables: Vec<(String, String)> = (captured.variables.iter())
            .map(|(v, shape)| {
                let name = match shape.elem {
                    Scalar::I64 => index::nat(Nat::var(*v), &mut self.used),
                    _ => v.to_string(),
                };
                (format!("{} {name}", c_type(shape.elem)), name)
            })
            .collect();
        variables.sort_by(|a, b| a.1.cmp(&b.1));
        all.extend(variables);
        all.into_iter().unzip()
    }
}
