//! Matching of patterns against classes: shape only.
//!
//! Comes in: a pattern (a term with holes), compiled once; goes out: for every
//! match the classes of the registers. Types and sizes are not looked at here:
//! the caller reads them off the registers named in [`Pattern::evidence`],
//! which determine every unknown of the pattern. Heads (see [`super::Heads`])
//! stop most classes before their nodes are read.

use super::facts::Heads;
use super::node::{LitId, Node, Shape};
use super::view::{Class, View};
use crate::intern::Symbol;
use crate::term::{Kind, Op, Prim, Term};
use crate::ty::{Ty, TyKind};
use smallvec::{smallvec, SmallVec};
use std::collections::BTreeSet;

/// How many places are looked at between two questions whether to go on.
pub const ASK_EVERY: u32 = 1 << 14;

/// Whoever looks at many places asks now and then whether to go on, whatever is found there.
pub struct Patience<'a> {
    looked: u32,
    may_continue: &'a dyn Fn() -> bool,
}

impl<'a> Patience<'a> {
    /// Asks this.
    pub fn new(may_continue: &'a dyn Fn() -> bool) -> Patience<'a> {
        Patience {
            looked: 0,
            may_continue,
        }
    }

    /// One more place is looked at: whether to go on.
    #[inline]
    pub fn lasts(&mut self) -> bool {
        self.looked = self.looked.wrapping_add(1);
        !self.looked.is_multiple_of(ASK_EVERY) || (self.may_continue)()
    }
}

/// Is told of the registers and primitives of a match; says whether to go on.
type Found<'a> = dyn FnMut(&[Class], &[Prim]) -> bool + 'a;

/// A register: the class matched at some place of the pattern.
pub type Reg = usize;

/// From where unknowns of a pattern are read.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The type of a register's class, against a type with unknowns.
    Type(Reg, Ty),
    /// The primitive found in a slot, against one whose sizes have unknowns.
    Prim(usize, Prim),
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    code: Vec<Instr>,
    /// How many registers a match has; register 0 is the root.
    pub regs: usize,
    /// How many primitives with sizes a match names.
    pub prims: usize,
    /// For every hole its occurrences.
    pub holes: Vec<Vec<Occurrence>>,
    /// What determines the unknowns.
    pub evidence: Vec<Evidence>,
}

/// One occurrence of a hole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The class there.
    pub reg: Reg,
    /// Names of the binders above it, outermost first.
    pub scope: Vec<Option<Symbol>>,
}

#[derive(Clone, Debug)]
enum Instr {
    App {
        reg: Reg,
        fun: Reg,
        arg: Reg,
        heads: u64,
    },
    Lam {
        reg: Reg,
        body: Reg,
    },
    Var {
        reg: Reg,
        index: u32,
    },
    Lit {
        reg: Reg,
        lit: LitId,
    },
    Prim {
        reg: Reg,
        op: Op,
        slot: usize,
    },
    Same {
        a: Reg,
        b: Reg,
    },
    /// None of these variables occurs in the class.
    NotFree {
        reg: Reg,
        mask: u64,
    },
}

impl Pattern {
    /// Compiles a pattern with `holes` holes. `forbidden(hole, occurrence)` is
    /// the set of variables, as bits, that must not occur in what a hole
    /// matches.
    pub fn new(
        term: &Term,
        holes: usize,
        heads: &Heads,
        forbidden: &dyn Fn(usize, &Occurrence) -> u64,
    ) -> Pattern {
        let mut compiler = Compiler {
            pattern: Pattern {
                code: Vec::new(),
                regs: 1,
                prims: 0,
                holes: vec![Vec::new(); holes],
                evidence: Vec::new(),
            },
            heads,
            forbidden,
            scope: Vec::new(),
            types: vec![(0, term.ty())],
            prim_types: Vec::new(),
        };
        compiler.compile(term, 0);
        let Compiler {
            mut pattern,
            types,
            prim_types,
            ..
        } = compiler;
        pattern.choose_evidence(types, prim_types);
        pattern
    }

    /// Types of the root, of holes and of variables have to fit; primitives are asked only
    /// for unknowns that are still open then.
    fn choose_evidence(&mut self, types: Vec<(Reg, Ty)>, prim_types: Vec<(Reg, Ty)>) {
        let mut seen = BTreeSet::new();
        let mut known = BTreeSet::new();
        let mut chosen = Vec::new();
        for (reg, ty) in types {
            // A closed type is checked as well: it may be all that refuses.
            if seen.insert((reg, ty.id())) {
                unknowns(ty, &mut known);
                chosen.push(Evidence::Type(reg, ty));
            }
        }
        for (reg, ty) in prim_types {
            let mut here = BTreeSet::new();
            unknowns(ty, &mut here);
            if !here.is_subset(&known) {
                known.extend(here);
                chosen.push(Evidence::Type(reg, ty));
            }
        }
        chosen.append(&mut self.evidence);
        self.evidence = chosen;
    }

    /// Calls `found` with every match at `root`; whether to go on.
    pub fn matches(
        &self,
        view: &View,
        root: Class,
        patience: &mut Patience,
        found: &mut Found,
    ) -> bool {
        let mut regs: SmallVec<[Class; 64]> = smallvec![0; self.regs];
        let mut prims: SmallVec<[Prim; 16]> = smallvec![Prim::from(Op::Map); self.prims];
        regs[0] = root;
        self.run(view, 0, &mut regs, &mut prims, &mut (patience, found))
    }

    fn run(
        &self,
        view: &View,
        pc: usize,
        regs: &mut [Class],
        prims: &mut [Prim],
        found: &mut (&mut Patience, &mut Found),
    ) -> bool {
        let Some(instr) = self.code.get(pc) else {
            return found.1(regs, prims);
        };
        if !found.0.lasts() {
            return false;
        }
        match *instr {
            Instr::App {
                reg,
                fun,
                arg,
                heads,
            } => {
                let c = regs[reg];
                let every = |n: &Node| match n.shape {
                    Shape::App([f, x]) => {
                        regs[fun] = usize::from(f) as Class;
                        regs[arg] = usize::from(x) as Class;
                        self.run(view, pc + 1, regs, prims, found)
                    }
                    _ => true,
                };
                view.heads(c) & heads != heads || view.nodes(c).iter().all(every)
            }
            Instr::Lam { reg, body } => {
                let c = regs[reg];
                let every = |n: &Node| match n.shape {
                    Shape::Lam([b]) => {
                        regs[body] = usize::from(b) as Class;
                        self.run(view, pc + 1, regs, prims, found)
                    }
                    _ => true,
                };
                view.heads(c) & Heads::lambda(0) == 0 || view.nodes(c).iter().all(every)
            }
            Instr::Prim { reg, op, slot } => view.nodes(regs[reg]).iter().all(|n| match n.shape {
                Shape::Prim(p) if p.op() == op => {
                    prims[slot] = p;
                    self.run(view, pc + 1, regs, prims, found)
                }
                _ => true,
            }),
            Instr::Var { reg, index } => {
                !view.is_var(regs[reg], index) || self.run(view, pc + 1, regs, prims, found)
            }
            Instr::Lit { reg, lit } => {
                let here = view
                    .nodes(regs[reg])
                    .iter()
                    .any(|n| n.shape == Shape::Lit(lit));
                !here || self.run(view, pc + 1, regs, prims, found)
            }
            Instr::Same { a, b } => {
                regs[a] != regs[b] || self.run(view, pc + 1, regs, prims, found)
            }
            Instr::NotFree { reg, mask } => {
                view.free(regs[reg]).0 & mask != 0 || self.run(view, pc + 1, regs, prims, found)
            }
        }
    }
}

struct Compiler<'a> {
    pattern: Pattern,
    heads: &'a Heads,
    forbidden: &'a dyn Fn(usize, &Occurrence) -> u64,
    scope: Vec<Option<Symbol>>,
    types: Vec<(Reg, Ty)>,
    prim_types: Vec<(Reg, Ty)>,
}

impl Compiler<'_> {
    fn compile(&mut self, term: &Term, reg: Reg) {
        let p = &mut self.pattern;
        match term.kind() {
            Kind::Hole(h) => {
                self.types.push((reg, term.ty()));
                let here = Occurrence {
                    reg,
                    scope: self.scope.clone(),
                };
                let mask = (self.forbidden)(*h as usize, &here);
                if mask != 0 {
                    p.code.push(Instr::NotFree { reg, mask });
                }
                if let Some(first) = p.holes[*h as usize].first() {
                    if first.scope == here.scope {
                        p.code.push(Instr::Same {
                            a: first.reg,
                            b: reg,
                        });
                    }
                }
                p.holes[*h as usize].push(here);
            }
            Kind::App(f, x) => {
                let (fun, arg) = (p.regs, p.regs + 1);
                p.regs += 2;
                let heads = match term.as_prim_app() {
                    Some((op, args)) => self.heads.bit(op.op(), args.len() as u32),
                    None => 0,
                };
                p.code.push(Instr::App {
                    reg,
                    fun,
                    arg,
                    heads,
                });
                self.compile(f, fun);
                self.compile(x, arg);
            }
            Kind::Lam(name, b) => {
                let body = p.regs;
                p.regs += 1;
                p.code.push(Instr::Lam { reg, body });
                self.scope.push(*name);
                self.compile(b, body);
                self.scope.pop();
            }
            Kind::Var(index) => {
                // A class may hold a variable of the same index and of another binder.
                self.types.push((reg, term.ty()));
                p.code.push(Instr::Var { reg, index: *index });
            }
            Kind::Lit(l) => p.code.push(Instr::Lit {
                reg,
                lit: LitId::new(*l),
            }),
            Kind::Prim(found) => {
                self.prim_types.push((reg, term.ty()));
                let slot = p.prims;
                p.prims += 1;
                p.code.push(Instr::Prim {
                    reg,
                    op: found.op(),
                    slot,
                });
                if found.op().size_args() > 0 {
                    p.evidence.push(Evidence::Prim(slot, *found));
                }
            }
        }
    }
}

/// The unknowns of a type: (0, type) and (1, size).
fn unknowns(ty: Ty, out: &mut BTreeSet<(u8, u32)>) {
    match ty.kind() {
        TyKind::Meta(i) => {
            out.insert((0, i));
        }
        TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
            unknowns(a, out);
            unknowns(b, out);
        }
        TyKind::Vec(_, t) | TyKind::Array(_, t) => unknowns(t, out),
        TyKind::Scalar(_) | TyKind::Idx(_) => {}
    }
    if !matches!(ty.kind(), TyKind::Fun(..) | TyKind::Pair(..)) {
        ty.each_nat(&mut |n| {
            n.each_atom(&mut |a| {
                if let crate::arith::AtomKind::Meta(i) = a.kind() {
                    out.insert((1, i));
                }
            });
        });
    }
}

/// Every operation that the left sides of rules look for.
pub fn sought_ops<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Vec<Op> {
    let mut ops = BTreeSet::new();
    for t in terms {
        t.visit(&mut |t, _| {
            if let Kind::Prim(p) = t.kind() {
                ops.insert(p.op());
            }
        });
    }
    ops.into_iter().collect()
}
