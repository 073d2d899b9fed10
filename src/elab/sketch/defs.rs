//! The definitions of sketches, by name.

use super::super::book::Sizes;
use super::super::uses::uses;
use super::{Argument, Env, Reader, FORMS};
use crate::diag::{code, Diagnostic};
use crate::syntax::tree::{Binder, Def, ExprKind};
use crate::term::Op;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The definitions of sketches, by name.
#[derive(Clone, Default)]
pub struct Defs(pub(super) BTreeMap<String, Rc<Def>>);

impl Defs {
    /// Adds a definition unless its name is taken.
    pub fn add(&mut self, mut def: Def, whole: bool, diagnostics: &mut Vec<Diagnostic>) {
        if !whole {
            def.body.kind = ExprKind::Any;
        }
        self.add_shared(Rc::new(def), diagnostics);
    }

    fn add_shared(&mut self, def: Rc<Def>, diagnostics: &mut Vec<Diagnostic>) {
        let name = def.name.text.clone();
        if let Some(b) = def.binders.iter().find(|b| !matches!(b, Binder::Bare(_))) {
            let span = match b {
                Binder::Sizes(s) => s.span,
                Binder::Typed { ty, .. } => ty.span,
                Binder::Bare(n) => n.span,
            };
            diagnostics.push(
                Diagnostic::new(
                    code::NOT_A_SKETCH,
                    "the parameters of a sketch definition are bare names",
                )
                .at(span)
                .help(
                    "write `def f n s = …`: a parameter is a size, a type or a sketch by its place",
                ),
            );
            return;
        }
        let taken = FORMS.contains(&&*name) || Op::from_name(&name).is_some();
        if taken {
            diagnostics.push(
                Diagnostic::new(
                    code::DUPLICATE,
                    format!("`{name}` has a meaning of its own already"),
                )
                .at(def.name.span)
                .help("give the definition another name"),
            );
        } else if let Some(first) = self.0.get(&name) {
            if first.name.span != def.name.span {
                diagnostics.push(
                    Diagnostic::new(code::DUPLICATE, format!("`{name}` is defined twice"))
                        .at(def.name.span)
                        .also(first.name.span, "first defined here")
                        .help("rename one of them"),
                );
            }
        } else if !name.is_empty() {
            self.0.insert(name, def);
        }
    }

    /// Adds what another file defines.
    pub fn extend(&mut self, other: &Defs, diagnostics: &mut Vec<Diagnostic>) {
        for def in other.0.values() {
            let same = self.0.get(&def.name.text);
            if same.is_none_or(|known| known.name.span != def.name.span) {
                self.add_shared(def.clone(), diagnostics);
            }
        }
    }

    /// Reports definitions that use themselves, and removes them.
    pub fn refuse_recursion(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let needs = |d: &Def| -> Vec<String> { uses(d).into_iter().map(|u| u.0).collect() };
        let mut circular = Vec::new();
        for (name, def) in &self.0 {
            let (mut seen, mut work) = (Vec::new(), needs(def));
            while let Some(next) = work.pop() {
                if seen.contains(&next) {
                    continue;
                }
                if let Some(d) = self.0.get(&next) {
                    work.extend(needs(d));
                }
                seen.push(next);
            }
            if seen.contains(name) {
                circular.push(name.clone());
                diagnostics.push(
                    Diagnostic::new(code::RECURSION, format!("`{name}` uses itself"))
                        .at(def.name.span)
                        .help("definitions of sketches have no recursion; `contains` searches at any depth"),
                );
            }
        }
        // They stand for anything from now on, so that nothing else is reported.
        for name in circular {
            if let Some(def) = self.0.get_mut(&name) {
                Rc::make_mut(def).body.kind = ExprKind::Any;
            }
        }
    }

    /// Reads every definition with sketches for parameters, to find mistakes in those that nothing uses.
    pub fn check(&self, sizes: &Sizes, open: bool, diagnostics: &mut Vec<Diagnostic>) {
        for def in self.0.values() {
            let mut reader = Reader {
                defs: self,
                sizes,
                open,
                spoken: false,
                diagnostics,
                parts: 0,
                depth: 0,
            };
            let params = params(def).map(|p| (p.to_string(), Argument::Unknown));
            let env = Rc::new(Env {
                params: params.collect(),
                origin: None,
            });
            reader.sketch(&def.body, &env);
        }
    }
}

/// The names of the parameters of a definition.
pub(super) fn params(def: &Def) -> impl Iterator<Item = &str> {
    def.binders.iter().filter_map(|b| match b {
        Binder::Bare(n) => Some(&*n.text),
        _ => None,
    })
}
