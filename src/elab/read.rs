//! Types and sizes alone, as saved files have them.
//!
//! In: texts, the names of the sizes that they may use. Out: types and sizes; or which text is none. They are
//! read as the parameters of a definition, so there is no second parser.

use super::infer::{Infer, Names};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::source::FileId;
use crate::syntax::tree::{Binder, Expr, ExprKind, ItemKind};
use crate::syntax::{parse, Dialect};
use crate::ty::Ty;

/// The types of these texts.
pub fn read_types(sizes: &[Symbol], texts: &[String]) -> Result<Vec<Ty>, String> {
    texts
        .iter()
        .map(|text| {
            read(sizes, text, text, |infer, e| {
                Some(infer.ty(e)).filter(|t| !t.has_meta())
            })
        })
        .collect()
}

/// The sizes of these texts.
pub fn read_sizes(sizes: &[Symbol], texts: &[String]) -> Result<Vec<Nat>, String> {
    let one = |text: &String| {
        let ty = format!("({text}).f32");
        read(sizes, text, &ty, |infer, e| match &e.kind {
            ExprKind::Array(n, _) => Some(infer.size(n)).filter(|n| !n.has_meta()),
            _ => None,
        })
    };
    texts.iter().map(one).collect()
}

fn read<T>(
    sizes: &[Symbol],
    shown: &str,
    ty: &str,
    get: impl FnOnce(&mut Infer, &Expr) -> Option<T>,
) -> Result<T, String> {
    let wrong = || format!("`{shown}` is neither a type nor a size here");
    let text = format!("def t (x : {ty}) : f32 = 0.0");
    let parsed = parse(FileId(0), &text, Dialect::Program);
    let [item] = &parsed.file.items[..] else {
        return Err(wrong());
    };
    let ItemKind::Def(def) = &item.kind else {
        return Err(wrong());
    };
    let [Binder::Typed { ty, .. }] = &def.binders[..] else {
        return Err(wrong());
    };
    let mut infer = Infer::new(Names {
        sizes: (sizes.iter())
            .map(|s| (s.to_string(), Nat::var(*s)))
            .collect(),
        ..Names::default()
    });
    let value = get(&mut infer, ty.bare());
    let fine = parsed.diagnostics.is_empty() && infer.diagnostics.is_empty();
    value.filter(|_| fine).ok_or_else(wrong)
}
