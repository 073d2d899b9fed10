//! Programs: files of definitions to one closed term.
//!
//! In: a file, with what it imports, and the name of the entry. Out: a `Program`, or everything that is wrong
//! with any definition. Every definition is inferred once, uses before users; a use puts its term in.
//! The entry is the last definition of the file that was asked for. Absent: optimisation.

use super::files;
use super::infer::{Infer, Names};
use super::pre::{Extent, Number, Pre};
use super::reason::Reason;
use super::scheme::{contents, nat_unknowns, unknowns, Scheme};
use super::show::show;
use super::uses::uses;
use crate::arith::Nat;
use crate::diag::{self, code, Diagnostic};
use crate::intern::Symbol;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::tree::{Binder, Def, File, ItemKind, Name};
use crate::syntax::Dialect;
use crate::term::{normalize_within, shared, Op, Program};
use crate::ty::{Scalar, Ty, TyKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Deeper terms are refused: everything that walks a term may recurse.
const MAX_DEPTH: usize = 1000;

/// Larger kernels are refused: nobody writes them, and definitions that double their argument make
/// them by accident.
const MAX_NORMAL: u32 = 20_000;

/// The program of a file: its last definition, or the one called `entry`.
pub fn program(
    sources: &mut SourceMap,
    file: FileId,
    entry: Option<&str>,
) -> Result<Program, Vec<Diagnostic>> {
    program_at(sources, file, entry, &Fixed::new())
}

/// The same, of which some sizes are fixed: constant indices are inside at them, too.
pub fn program_at(
    sources: &mut SourceMap,
    file: FileId,
    entry: Option<&str>,
    fixed: &Fixed,
) -> Result<Program, Vec<Diagnostic>> {
    let mut program = whole(sources, file, entry, Some(fixed))?;
    if let Some(term) = shared(&program.term) {
        program.term = term;
    }
    Ok(program)
}

/// A program that was printed: its term as it is, whatever is read again in it.
pub fn saved_program(
    sources: &mut SourceMap,
    file: FileId,
    entry: Option<&str>,
) -> Result<Program, Vec<Diagnostic>> {
    whole(sources, file, entry, Some(&Fixed::new()))
}

/// Sizes that are fixed, by name; names of anything else mean nothing.
pub type Fixed = BTreeMap<String, i64>;

/// A definition of a file whose parameters and result may be functions: it can be searched and
/// evaluated, but it is no kernel.
pub fn definition(
    sources: &mut SourceMap,
    file: FileId,
    entry: Option<&str>,
) -> Result<Program, Vec<Diagnostic>> {
    whole(sources, file, entry, None)
}

fn whole(
    sources: &mut SourceMap,
    file: FileId,
    entry: Option<&str>,
    kernel_at: Option<&Fixed>,
) -> Result<Program, Vec<Diagnostic>> {
    let mut module = Module::load(sources, file);
    module.infer_all();
    let program = module.entry(file, entry, kernel_at);
    let mut diagnostics = module.diagnostics;
    diag::sort(&mut diagnostics);
    match program {
        Some(p) if diagnostics.is_empty() => Ok(p),
        _ => Err(diagnostics),
    }
}

/// Everything wrong with a file of definitions, whichever of them is compiled.
pub fn check_program(sources: &mut SourceMap, file: FileId) -> Vec<Diagnostic> {
    let mut module = Module::load(sources, file);
    module.infer_all();
    let mut diagnostics = module.diagnostics;
    diag::sort(&mut diagnostics);
    diagnostics
}

struct Module {
    defs: Vec<Def>,
    by_name: BTreeMap<String, usize>,
    schemes: BTreeMap<String, Option<Rc<Scheme>>>,
    diagnostics: Vec<Diagnostic>,
}

impl Module {
    fn load(sources: &mut SourceMap, file: FileId) -> Module {
        let mut diagnostics = Vec::new();
        let mut files: Vec<File> = Vec::new();
        files::load_all(
            sources,
            file,
            Dialect::Program,
            &mut files,
            &mut diagnostics,
        );
        let mut module = Module {
            defs: Vec::new(),
            by_name: BTreeMap::new(),
            schemes: BTreeMap::new(),
            diagnostics,
        };
        for item in files.into_iter().flat_map(|f| f.items) {
            if let ItemKind::Def(def) = item.kind {
                module.add(def, item.whole);
            }
        }
        module
    }

    /// A definition that could not be read keeps its name, so that its users report nothing.
    fn add(&mut self, def: Def, whole: bool) {
        let name = def.name.text.clone();
        if name.is_empty() {
            return;
        }
        let taken = Op::from_name(&name).is_some() || Scalar::from_name(&name).is_some();
        if taken || ["true", "false", "_"].contains(&&*name) {
            self.diagnostics.push(
                Diagnostic::new(
                    code::DUPLICATE,
                    format!("`{name}` has a meaning of its own already"),
                )
                .at(def.name.span)
                .help("give the definition another name"),
            );
            self.schemes.insert(name, None);
            return;
        }
        if let Some(&first) = self.by_name.get(&name) {
            self.diagnostics.push(
                Diagnostic::new(code::DUPLICATE, format!("`{name}` is defined twice"))
                    .at(def.name.span)
                    .also(self.defs[first].name.span, "first defined here")
                    .help("rename one of them"),
            );
            return;
        }
        if !whole {
            self.schemes.insert(name.clone(), None);
        }
        self.by_name.insert(name, self.defs.len());
        self.defs.push(def);
    }

    /// Uses before users.
    fn infer_all(&mut self) {
        let needs: Vec<Vec<(usize, Span)>> = self
            .defs
            .iter()
            .map(|d| {
                let named = uses(d).into_iter();
                let known = named.filter_map(|(n, span)| Some((*self.by_name.get(&n)?, span)));
                known.collect()
            })
            .collect();
        // 0: not seen, 1: being visited, 2: done.
        let mut state = vec![0u8; self.defs.len()];
        let mut order = Vec::new();
        for start in 0..self.defs.len() {
            let mut stack = vec![(start, 0)];
            while let Some((d, i)) = stack.pop() {
                if i == 0 {
                    if state[d] != 0 {
                        continue;
                    }
                    state[d] = 1;
                }
                match needs[d].get(i) {
                    None => {
                        state[d] = 2;
                        order.push(d);
                    }
                    Some(&(next, span)) => {
                        stack.push((d, i + 1));
                        match state[next] {
                            0 => stack.push((next, 0)),
                            1 => self.recursion(d, next, span),
                            _ => {}
                        }
                    }
                }
            }
        }
        for d in order {
            let name = self.defs[d].name.text.clone();
            if self.schemes.contains_key(&name) {
                continue;
            }
            let scheme = infer_def(&self.defs[d], &self.schemes, &mut self.diagnostics);
            self.schemes.insert(name, scheme.map(Rc::new));
        }
    }

    fn recursion(&mut self, user: usize, used: usize, span: Span) {
        let name = &self.defs[used].name;
        let text = match user == used {
            true => format!("`{}` uses itself", name.text),
            false => format!(
                "`{}` and `{}` use each other",
                name.text, self.defs[user].name.text
            ),
        };
        self.diagnostics.push(
            Diagnostic::new(code::RECURSION, text)
                .label(span, "used here")
                .also(name.span, "defined here")
                .help("repeat with `map`, `reduce`, `iterate`; programs have no recursion"),
        );
        self.schemes.insert(name.text.clone(), None);
    }

    /// Where it is no kernel its parameters and its result may be functions.
    fn entry(
        &mut self,
        file: FileId,
        entry: Option<&str>,
        kernel_at: Option<&Fixed>,
    ) -> Option<Program> {
        let def = match entry {
            Some(name) => self.by_name.get(name).map(|&i| &self.defs[i]),
            None => self.defs.iter().rev().find(|d| d.name.span.file == file),
        };
        let Some(def) = def else {
            if self.diagnostics.is_empty() {
                let names = self.by_name.keys().map(|s| &**s);
                let d = match entry {
                    Some(name) => Diagnostic::new(
                        code::NO_ENTRY,
                        format!("there is no definition `{name}` to compile"),
                    )
                    .help_near(
                        name,
                        names.clone(),
                        format!("definitions: {}", names.collect::<Vec<_>>().join(", ")),
                    ),
                    None => Diagnostic::new(code::NO_ENTRY, "the file defines nothing")
                        .at(Span::new(file, 0, 0))
                        .help("write a definition: `def f [n : nat] (xs : n.f32) : n.f32 = xs`"),
                };
                self.diagnostics.push(d);
            }
            return None;
        };
        let scheme = self.schemes.get(&def.name.text)?.clone()?;
        finish(def, &scheme, kernel_at, &mut self.diagnostics)
    }
}

fn infer_def(
    def: &Def,
    schemes: &BTreeMap<String, Option<Rc<Scheme>>>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Scheme> {
    let mut infer = Infer::new(Names {
        defs: Some(schemes),
        ..Names::default()
    });
    let (sizes, params) = binders(&mut infer, def);
    let result = match &def.result {
        Some(t) => infer.ty(t),
        None => infer.unknown_type(def.name.span),
    };
    for (name, t) in &params {
        infer.enter_param(&name.text, *t);
    }
    let reason = match &def.result {
        Some(t) => Reason::at(t.span, format!("the result of `{}`", def.name.text)),
        None => Reason::new("nothing"),
    };
    let body = infer.check(&def.body, result, &reason);
    let mut pre = body;
    for (name, t) in params.iter().rev() {
        pre = Pre::Lam(Some(Symbol::new(&name.text)), *t, Rc::new(pre));
    }
    let fine = infer.conclude();
    diagnostics.append(&mut infer.diagnostics);
    if !fine {
        return None;
    }
    let ty = infer.u.ty(Ty::funs(params.iter().map(|p| p.1), result));
    let pre = pre.map(&|t| infer.u.ty(t), &|n| infer.u.nat(n));
    let extent = pre.extent();
    if extent.depth > MAX_DEPTH {
        diagnostics.push(
            Diagnostic::new(
                code::TOO_LARGE,
                format!(
                    "`{}` is a term of more than {MAX_DEPTH} levels",
                    def.name.text
                ),
            )
            .at(def.name.span)
            .help("compose fewer definitions"),
        );
        return None;
    }
    let mut wrong = Vec::new();
    pre.wrong_numbers(&mut wrong);
    if !wrong.is_empty() {
        diagnostics.append(&mut wrong);
        return None;
    }
    Some(scheme(&infer, sizes, ty, pre, extent, def.name.span))
}

/// The declared sizes, and the declared parameters with their types.
fn binders<'d>(infer: &mut Infer, def: &'d Def) -> (Vec<Symbol>, Vec<(&'d Name, Ty)>) {
    let mut sizes = Vec::new();
    for b in &def.binders {
        let Binder::Sizes(group) = b else { continue };
        for (name, _) in &group.names {
            let symbol = Symbol::new(&name.text);
            let n = Nat::var(symbol);
            if infer.names.sizes.insert(name.text.clone(), n).is_some() {
                infer.report(declared_twice(&name.text, name.span));
            }
            sizes.push(symbol);
        }
    }
    let mut params: Vec<(&Name, Ty)> = Vec::new();
    for b in &def.binders {
        let Binder::Typed { names, ty } = b else {
            continue;
        };
        let t = infer.ty(ty);
        for name in names {
            if params.iter().any(|(n, _)| n.text == name.text)
                || infer.names.sizes.contains_key(&name.text)
            {
                infer.report(declared_twice(&name.text, name.span));
            }
            params.push((name, t));
        }
    }
    (sizes, params)
}

/// The definition with everything that nothing determined.
fn scheme(
    infer: &Infer,
    sizes: Vec<Symbol>,
    ty: Ty,
    pre: Pre,
    extent: Extent,
    span: Span,
) -> Scheme {
    let (mut types, mut nats) = (vec![ty], Vec::new());
    contents(&pre, &mut types, &mut nats);
    let (tys, mut free) = unknowns(types);
    for n in nats {
        nat_unknowns(n, &mut free);
    }
    free.sort_unstable();
    free.dedup();
    let requirements = infer.requirements.iter();
    let requirements = requirements.map(|r| (infer.u.ty(r.ty), r.class));
    let requirements = requirements.filter(|(t, _)| t.has_meta()).collect();
    Scheme {
        sizes,
        tys,
        nats: free,
        ty,
        pre,
        extent,
        requirements,
        span,
    }
}

fn declared_twice(name: &str, span: Span) -> Diagnostic {
    Diagnostic::new(code::DUPLICATE, format!("`{name}` is declared twice"))
        .at(span)
        .help("rename one of them")
}

/// The entry as a program: everything known; parameters and result data, unless `functions` may be.
fn finish(
    def: &Def,
    scheme: &Scheme,
    kernel_at: Option<&Fixed>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let before = diagnostics.len();
    let functions = kernel_at.is_none();
    if !scheme.tys.is_empty() || !scheme.nats.is_empty() {
        diagnostics.push(ambiguous(def, scheme));
        return None;
    }
    let mut params = Vec::new();
    let mut rest = scheme.ty;
    for b in &def.binders {
        let Binder::Typed { names, ty } = b else {
            continue;
        };
        for name in names {
            let (t, result) = rest.as_fun()?;
            if has_fun(t) && !functions {
                diagnostics.push(
                    Diagnostic::new(
                        code::NOT_DATA,
                        format!("the parameter `{}` of a kernel is a function", name.text),
                    )
                    .label(ty.span, format!("of type `{}`", show(t)))
                    .help("compile a definition that gives the function: `--entry NAME`"),
                );
            }
            params.push((Symbol::new(&name.text), t));
            rest = result;
        }
    }
    if has_fun(rest) && !functions {
        diagnostics.push(
            Diagnostic::new(
                code::NOT_DATA,
                format!("the result of the kernel `{}` is a function", def.name.text),
            )
            .label(
                def.name.span,
                format!("the result is of type `{}`", show(rest)),
            )
            .help("name its arguments: `def f (x : t) : r = …`"),
        );
    }
    let term = scheme
        .pre
        .finish(&super::unify::Unifier::default(), diagnostics)?;
    check_sizes(&scheme.pre, kernel_at.unwrap_or(&Fixed::new()), diagnostics);
    if normalize_within(&term, MAX_NORMAL).is_none() {
        diagnostics.push(
            Diagnostic::new(
                code::TOO_LARGE,
                format!(
                    "`{}` has more than {MAX_NORMAL} nodes once its definitions are put in",
                    def.name.text
                ),
            )
            .at(def.name.span)
            .help("bind what is used several times with `let`"),
        );
    }
    if diagnostics.len() > before {
        return None;
    }
    Some(Program {
        name: Symbol::new(&def.name.text),
        sizes: scheme.sizes.clone(),
        params,
        result: rest,
        term,
    })
}

fn ambiguous(def: &Def, scheme: &Scheme) -> Diagnostic {
    // The first primitive whose type is not known says best what to write.
    fn find(p: &Pre) -> Option<(Op, Ty, Span)> {
        match p {
            Pre::Prim(op, _, ty, span) if ty.has_meta() => Some((*op, *ty, *span)),
            Pre::Lam(_, _, b) => find(b),
            Pre::App(f, x) | Pre::Let(f, _, _, x, _) => find(f).or_else(|| find(x)),
            _ => None,
        }
    }
    let what = match scheme.tys.is_empty() {
        true => "a size",
        false => "a type",
    };
    let d = Diagnostic::new(
        code::AMBIGUOUS,
        format!("{what} in `{}` cannot be inferred", def.name.text),
    );
    match find(&scheme.pre) {
        Some((op, ty, span)) => d
            .label(span, format!("`{}` is used at `{}`", op.name(), show(ty)))
            .help("annotate a value with `(e : t)`, or give the sizes in brackets"),
        None => d
            .label(def.name.span, format!("of type `{}`", show(scheme.ty)))
            .help("declare the types of the parameters and of the result"),
    }
}

fn has_fun(t: Ty) -> bool {
    match t.kind() {
        TyKind::Fun(..) => true,
        TyKind::Pair(a, b) => has_fun(a) || has_fun(b),
        TyKind::Array(_, t) | TyKind::Vec(_, t) => has_fun(t),
        TyKind::Scalar(_) | TyKind::Idx(_) | TyKind::Meta(_) => false,
    }
}

/// No value has a type with an impossible size, and constant indices are inside, also where sizes are fixed.
fn check_sizes(pre: &Pre, fixed: &Fixed, diagnostics: &mut Vec<Diagnostic>) {
    let known = |n: Nat| {
        n.subst_vars(&mut |name| fixed.get(name.as_str()).map(|k| Nat::int(*k)))
            .as_int()
    };
    let beyond = |n: Nat, at: Span, what: String| match n.as_int() {
        Some(_) => Diagnostic::new(code::INDEX_OUT_OF_BOUNDS, what)
            .at(at)
            .help("indices count from 0"),
        None => {
            let set = fixed.iter().map(|(s, k)| format!("{s}={k}"));
            let set = set.collect::<Vec<_>>().join(",");
            Diagnostic::new(code::SIZES_EXCLUDED, what)
                .at(at)
                .help(format!("choose others than {set}"))
        }
    };
    let d = match pre {
        Pre::Prim(op, sizes, ty, span) => {
            let array = ty.as_fun().and_then(|(a, _)| a.as_array());
            let index = sizes.first().and_then(|n| known(*n));
            match (array.and_then(|(n, _)| Some((n, known(n)?))), index) {
                (Some((size, n)), Some(i)) if *op == Op::At && i >= n => beyond(
                    size,
                    *span,
                    format!("`at[{i}]` is applied to an array of {n}"),
                ),
                _ if ty.is_never() => Diagnostic::new(
                    code::IMPOSSIBLE_SIZE,
                    format!("`{}` is used at a type that no value has", op.name()),
                )
                .label(*span, format!("used at `{ty}`"))
                .help("sizes are whole numbers that are at least 1"),
                _ => return,
            }
        }
        Pre::Lit(Number::Int(i), ty, span) => match ty.kind() {
            TyKind::Idx(size) => match known(size) {
                Some(n) if *i >= n.into() => {
                    beyond(size, *span, format!("the index {i} is not below {n}"))
                }
                _ => return,
            },
            _ => return,
        },
        Pre::Lam(_, _, b) => return check_sizes(b, fixed, diagnostics),
        Pre::App(f, x) | Pre::Let(f, _, _, x, _) => {
            check_sizes(f, fixed, diagnostics);
            return check_sizes(x, fixed, diagnostics);
        }
        _ => return,
    };
    // What a definition gets wrong is wrong once, however often it is put in.
    if !diagnostics.contains(&d) {
        diagnostics.push(d);
    }
}
