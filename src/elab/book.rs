//! Books: the rules and rule sets of a file and of what it includes.
//!
//! In: a file. Out: rules by name, sets by name; a reference such as `split[32, 4]` unfolds to rules with
//! sizes. A rule with errors keeps its name, so that its users report nothing.

use super::files;
use super::infer::{Infer, Names};
use super::output::{KnownRule, RuleDecl, RuleUse};
use super::rules;
use crate::arith::Nat;
use crate::diag::{self, code, Diagnostic};
use crate::intern::Symbol;
use crate::scalar;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::tree::{File, ItemKind, RuleRef, RuleSet};
use crate::syntax::Dialect;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Sizes by name.
pub type Sizes = BTreeMap<String, Nat>;

#[derive(Default)]
pub struct Book {
    /// In the order of the files; `None` for a rule with errors.
    rules: Vec<(String, Option<Rc<RuleDecl>>)>,
    sets: Vec<RuleSet>,
    /// Where each name is declared.
    places: BTreeMap<String, Span>,
}

/// Books that were read, by their file: one who reads many guides from the same sources reads each book once.
#[derive(Default)]
pub struct Books(BTreeMap<FileId, Rc<Book>>);

impl Books {
    /// A file's book, with what is wrong with it where it was not read before.
    pub(super) fn of(
        &mut self,
        sources: &mut SourceMap,
        file: FileId,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Rc<Book> {
        let read = || Rc::new(Book::load(sources, file, diagnostics));
        self.0.entry(file).or_insert_with(read).clone()
    }

    /// Whoever asks next is told again what is wrong.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

/// The rules of a file, for those who test rules one by one.
pub fn rule_decls(
    sources: &mut SourceMap,
    file: FileId,
) -> Result<Vec<Rc<RuleDecl>>, Vec<Diagnostic>> {
    match readable_rules(sources, file) {
        (rules, wrong) if wrong.is_empty() => Ok(rules),
        (_, wrong) => Err(wrong),
    }
}

/// The rules of a file that can be read, and what is wrong with the others.
pub fn readable_rules(
    sources: &mut SourceMap,
    file: FileId,
) -> (Vec<Rc<RuleDecl>>, Vec<Diagnostic>) {
    let mut wrong = Vec::new();
    let book = Book::load(sources, file, &mut wrong);
    diag::sort(&mut wrong);
    (book.rules.into_iter().filter_map(|r| r.1).collect(), wrong)
}

/// Rules as others have published them, which the other books say more generally.
const FOR_COMPARISON: &str = "rules/risegg.rules";

/// Every rule that is shipped, file by file: those for comparison last, so that nobody is told of them where another one does.
pub fn shipped_rules(sources: &mut SourceMap) -> Vec<KnownRule> {
    let mut out = Vec::new();
    let mut paths: Vec<&str> = { SourceMap::shipped() }
        .filter(|p| p.ends_with(".rules"))
        .collect();
    paths.sort_by_key(|path| *path == FOR_COMPARISON);
    for path in paths {
        let Ok(file) = sources.load_shipped(path) else {
            continue;
        };
        let book = Book::load(sources, file, &mut Vec::new());
        let rules = book.rules.into_iter().filter_map(|r| r.1);
        // What a file includes is known by its own name.
        let own = rules.filter(|r| r.span.file == file);
        out.extend(own.map(|rule| KnownRule {
            file: path.to_string(),
            rule,
        }));
    }
    out
}

/// Everything wrong with a file of rules.
pub fn check_rules(sources: &mut SourceMap, file: FileId) -> Vec<Diagnostic> {
    readable_rules(sources, file).1
}

impl Book {
    pub fn load(sources: &mut SourceMap, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Book {
        let mut files: Vec<File> = Vec::new();
        files::load_all(sources, file, Dialect::Rules, &mut files, diagnostics);
        let mut book = Book::default();
        for scalar in files.extract_if(.., |f| scalar::has_domain(f)) {
            // Nothing here can use its rules, but what is wrong with them is said.
            scalar::rules_of(&scalar, diagnostics);
        }
        for item in files.into_iter().flat_map(|f| f.items) {
            match item.kind {
                ItemKind::Rule(tree)
                    if book.declare(&tree.name.text, tree.name.span, diagnostics) =>
                {
                    let decl = match item.whole {
                        true => rules::rule(&tree, diagnostics).map(Rc::new),
                        false => None,
                    };
                    book.rules.push((tree.name.text.clone(), decl));
                }
                ItemKind::RuleSet(set)
                    if book.declare(&set.name.text, set.name.span, diagnostics) =>
                {
                    book.sets.push(set);
                }
                _ => {}
            }
        }
        // A set is wrong whether or not somebody uses it.
        for set in &book.sets {
            let names = set.sizes.iter().flat_map(|s| &s.names);
            let sizes = names.map(|(n, _)| (n.text.clone(), Nat::var(Symbol::new(&n.text))));
            let mut unfold = Unfold {
                book: &book,
                out: Vec::new(),
                diagnostics,
                open: vec![set.name.text.clone()],
                followed: 0,
            };
            unfold.members(set, &sizes.collect());
        }
        book
    }

    fn declare(&mut self, name: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) -> bool {
        if name.is_empty() {
            return false;
        }
        if let Some(first) = self.places.insert(name.to_string(), span) {
            diagnostics.push(
                Diagnostic::new(code::DUPLICATE, format!("`{name}` is declared twice"))
                    .at(span)
                    .also(first, "first declared here")
                    .help("rename one of them"),
            );
            self.places.insert(name.to_string(), first);
            return false;
        }
        true
    }

    /// The rules that references name, in order, each once.
    pub fn unfold(
        &self,
        refs: &[RuleRef],
        sizes: &Sizes,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<RuleUse> {
        let mut unfold = Unfold {
            book: self,
            out: Vec::new(),
            diagnostics,
            open: Vec::new(),
            followed: 0,
        };
        for r in refs {
            unfold.reference(r, sizes);
        }
        unfold.out
    }

    /// Every rule, as `use FILE` without a list asks for.
    pub fn all(&self, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Vec<RuleUse> {
        let mut out = Vec::new();
        for (name, decl) in &self.rules {
            let Some(decl) = decl else { continue };
            if !decl.size_params.is_empty() {
                diagnostics.push(
                    Diagnostic::new(
                        code::SIZE_ARGUMENTS,
                        format!("the rule `{name}` needs sizes, so it has to be listed"),
                    )
                    .at(span)
                    .also(decl.span, "declared here")
                    .help(format!(
                        "list the rules: `use FILE ({name}[{}], …)`",
                        vec!["32"; decl.size_params.len()].join(", ")
                    )),
                );
                continue;
            }
            out.push(RuleUse {
                rule: decl.clone(),
                args: Vec::new(),
                span,
            });
        }
        out
    }
}

struct Unfold<'a> {
    book: &'a Book,
    out: Vec<RuleUse>,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// The sets that are being unfolded.
    open: Vec<String>,
    /// References followed so far.
    followed: usize,
}

/// Sets of sets can double at every level.
const MAX_FOLLOWED: usize = 20_000;
const MAX_SETS: usize = 256;

impl Unfold<'_> {
    fn reference(&mut self, r: &RuleRef, sizes: &Sizes) {
        let name = &r.name.text;
        if name.is_empty() {
            return;
        }
        self.followed += 1;
        if self.followed > MAX_FOLLOWED || self.open.len() > MAX_SETS {
            if self.followed < usize::MAX / 2 {
                self.followed = usize::MAX / 2;
                self.diagnostics.push(
                    Diagnostic::new(
                        code::TOO_LARGE,
                        format!("unfolding `{name}` goes through too many rule sets"),
                    )
                    .at(r.span)
                    .help("list the rules themselves"),
                );
            }
            return;
        }
        let args = self.args(r, sizes);
        if let Some((_, decl)) = self.book.rules.iter().find(|(n, _)| n == name) {
            let Some(decl) = decl else { return };
            let names: Vec<&str> = decl.size_params.iter().map(|s| s.as_str()).collect();
            let Some(args) = self.arity(r, args, &names, decl.span) else {
                return;
            };
            let same = |u: &RuleUse| Rc::ptr_eq(&u.rule, decl) && u.args == args;
            if !self.out.iter().any(same) {
                self.out.push(RuleUse {
                    rule: decl.clone(),
                    args,
                    span: r.span,
                });
            }
            return;
        }
        if let Some(set) = self.book.sets.iter().find(|s| s.name.text == *name) {
            let params = set.sizes.iter().flat_map(|s| &s.names);
            let params: Vec<&str> = params.map(|(n, _)| &*n.text).collect();
            let Some(args) = self.arity(r, args, &params, set.name.span) else {
                return;
            };
            if self.open.contains(name) {
                self.diagnostics.push(
                    Diagnostic::new(
                        code::RECURSION,
                        format!("the rule set `{name}` contains itself"),
                    )
                    .label(r.span, "named here")
                    .also(set.name.span, "declared here")
                    .help("remove it from its own members"),
                );
                return;
            }
            self.open.push(name.clone());
            let sizes = params.iter().map(|p| p.to_string()).zip(args).collect();
            self.members(set, &sizes);
            self.open.pop();
            return;
        }
        let known = self.book.places.keys().map(|s| &**s);
        self.diagnostics.push(
            Diagnostic::new(
                code::UNKNOWN_RULE,
                format!("there is no rule or rule set `{name}`"),
            )
            .label(r.name.span, "not known")
            .help_near(
                name,
                known.clone(),
                match self.book.places.is_empty() {
                    true => "the file declares no rules".to_string(),
                    false => format!("known here: {}", known.collect::<Vec<_>>().join(", ")),
                },
            ),
        );
    }

    fn members(&mut self, set: &RuleSet, sizes: &Sizes) {
        for r in &set.members {
            self.reference(r, sizes);
        }
    }

    fn args(&mut self, r: &RuleRef, sizes: &Sizes) -> Vec<Nat> {
        let mut infer = Infer::new(Names {
            sizes: sizes.clone(),
            ..Names::default()
        });
        let given = r.sizes.iter().flatten();
        let args = given.map(|e| infer.known_size(e, 1)).collect();
        self.diagnostics.append(&mut infer.diagnostics);
        args
    }

    fn arity(
        &mut self,
        r: &RuleRef,
        args: Vec<Nat>,
        params: &[&str],
        declared: Span,
    ) -> Option<Vec<Nat>> {
        if args.len() == params.len() {
            return Some(args);
        }
        let name = &r.name.text;
        let plural = if params.len() == 1 { "" } else { "s" };
        self.diagnostics.push(
            Diagnostic::new(
                code::SIZE_ARGUMENTS,
                format!(
                    "`{name}` takes {} size{plural}, {} are given",
                    params.len(),
                    args.len()
                ),
            )
            .at(r.span)
            .also(declared, "declared here")
            .help(match params.is_empty() {
                true => "remove the brackets".to_string(),
                false => format!("write `{name}[{}]`", params.join(", ")),
            }),
        );
        None
    }
}
