//! One use of a definition: its unknowns are new ones.

use super::super::pre::Pre;
use super::super::scheme::Scheme;
use super::{Infer, MAX_NODES};
use crate::arith::{AtomKind, Nat};
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::tree::Expr;
use crate::ty::Ty;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

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
