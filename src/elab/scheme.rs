//! What a definition is to those who use it: a term and a type, general in sizes and types.

use super::infer::{Infer, MAX_NODES};
use super::pre::{Extent, Pre};
use crate::arith::{AtomKind, Nat};
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::tree::Expr;
use crate::term::Class;
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Unknowns in it are numbered as they were when it was inferred; a use replaces all of them.
pub struct Scheme {
    /// The declared size parameters: variables of these names.
    pub sizes: Vec<Symbol>,
    /// Unknown types and sizes that nothing determined.
    pub tys: Vec<u32>,
    pub nats: Vec<u32>,
    pub ty: Ty,
    pub pre: Pre,
    pub extent: Extent,
    /// What is asked of unknown types.
    pub requirements: Vec<(Ty, Class)>,
    pub span: Span,
}

/// The unknown types and sizes in a type, ascending.
pub fn unknowns(types: impl IntoIterator<Item = Ty>) -> (Vec<u32>, Vec<u32>) {
    let (mut tys, mut nats) = (Vec::new(), Vec::new());
    for t in types {
        collect(t, &mut tys, &mut nats);
    }
    for v in [&mut tys, &mut nats] {
        v.sort_unstable();
        v.dedup();
    }
    (tys, nats)
}

fn collect(t: Ty, tys: &mut Vec<u32>, nats: &mut Vec<u32>) {
    if !t.has_meta() {
        return;
    }
    match t.kind() {
        TyKind::Scalar(_) => {}
        TyKind::Meta(n) => tys.push(n),
        TyKind::Idx(n) => nat_unknowns(n, nats),
        TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
            collect(a, tys, nats);
            collect(b, tys, nats);
        }
        TyKind::Vec(n, t) | TyKind::Array(n, t) => {
            nat_unknowns(n, nats);
            collect(t, tys, nats);
        }
    }
}

pub fn nat_unknowns(n: Nat, out: &mut Vec<u32>) {
    n.each_atom(&mut |a| {
        if let AtomKind::Meta(m) = a.kind() {
            out.push(m);
        }
    });
}

/// Every type and size that stands in a term.
pub fn contents(p: &Pre, tys: &mut Vec<Ty>, nats: &mut Vec<Nat>) {
    let (t, n) = (std::cell::RefCell::new(tys), std::cell::RefCell::new(nats));
    p.map(
        &|ty| {
            t.borrow_mut().push(ty);
            ty
        },
        &|nat| {
            n.borrow_mut().push(nat);
            nat
        },
    );
}

impl Infer<'_> {
    /// One use of a definition.
    pub fn instantiate(
        &mut self,
        name: &str,
        scheme: &Scheme,
        sizes: Option<&[Expr]>,
        span: Span,
    ) -> (Pre, Ty) {
        self.nodes = self.nodes.saturating_add(scheme.extent.nodes);
        if self.nodes > MAX_NODES {
            self.report(
                Diagnostic::new(
                    code::TOO_LARGE,
                    format!("with `{name}` put in, the term has more than {MAX_NODES} nodes"),
                )
                .at(span)
                .help("bind what is used several times with `let`"),
            );
            return (Pre::Error, self.unknown_type(span));
        }
        if let Some(given) = sizes.filter(|s| s.len() != scheme.sizes.len()) {
            let names: Vec<&str> = scheme.sizes.iter().map(|s| s.as_str()).collect();
            self.report(
                Diagnostic::new(
                    code::SIZE_ARGUMENTS,
                    format!(
                        "`{name}` takes {} sizes, {} are given",
                        scheme.sizes.len(),
                        given.len()
                    ),
                )
                .at(span)
                .also(scheme.span, "defined here")
                .help(match names.is_empty() {
                    true => "remove the brackets".to_string(),
                    false => format!("give [{}], or none of them", names.join(", ")),
                }),
            );
            return (Pre::Error, self.unknown_type(span));
        }
        let mut vars: FxHashMap<Symbol, Nat> = FxHashMap::default();
        for (i, s) in scheme.sizes.iter().enumerate() {
            let n = match sizes {
                Some(given) => self.size(&given[i]),
                None => {
                    let site = self.origin(span, format!("the size `{s}` of `{name}`"));
                    self.u.fresh_nat(site)
                }
            };
            vars.insert(*s, n);
        }
        let site = self.origin(span, format!("the type at which `{name}` is used"));
        let (tys, nats) = self.u.refresh(&scheme.tys, &scheme.nats, site);
        // Both kinds of names at once: what is put in may have unknowns of the same numbers.
        let nat = |n: Nat| {
            n.map_atoms(&mut |a| match a.kind() {
                AtomKind::Var(s) => vars.get(&s).copied(),
                AtomKind::Meta(m) => nats.get(&m).copied(),
                _ => None,
            })
        };
        let known = RefCell::new(FxHashMap::default());
        let ty = |t: Ty| {
            if let Some(done) = known.borrow().get(&t) {
                return *done;
            }
            let sized = t.map_nats(&mut |n| nat(n));
            let done = sized.subst(&mut |m| tys.get(&m).copied(), &mut |_| None);
            known.borrow_mut().insert(t, done);
            done
        };
        for (t, class) in &scheme.requirements {
            self.require(ty(*t), *class, span, format!("`{name}`"));
        }
        (scheme.pre.map(&ty, &nat), ty(scheme.ty))
    }
}
