//! Sketch files: steps with rules, settings and goals.
//!
//! In: a file, the sizes of the program, the values of `--set`. Out: the steps in order. A file is one step, named
//! after it, or several: `step NAME` starts one, and what stands before the first holds for all of them.
//! `include FILE` puts the steps of another file here, `import FILE` only its definitions. A parameter
//! takes the value of the outermost file that declares it, and `--set` wins over all.
//!
//! Absent: searching; what a cost means.

use super::book::{Book, Books, Sizes};
use super::files::read;
use super::infer::{Infer, Names};
use super::output::{Focus, Limits, RuleUse, Scheduler, Sketch, Step};
use super::rules;
use super::sketch::{names_in, sketch, Defs};
use crate::arith::Nat;
use crate::diag::{self, code, Code, Diagnostic};
use crate::intern::Symbol;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::number::{self, Value};
use crate::syntax::tree::{Expr, FilePath, Item, ItemKind, Name, Number, Rule};
use crate::syntax::Dialect;
use crate::target::Target;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What sketches may name, and how their parameters are set.
#[derive(Clone, Debug, Default)]
pub struct Surroundings<'a> {
    /// The size parameters of the program; without a program any name may be one.
    pub sizes: Option<&'a [Symbol]>,
    /// Values that win over those in the files.
    pub settings: BTreeMap<String, i64>,
    /// The known costs.
    pub costs: &'a [&'a str],
    /// What `target.f32lanes` and the like are.
    pub target: Target,
}

/// The steps of a file, and the parameters that can be set.
#[derive(Clone, Debug)]
pub struct Guide {
    pub steps: Vec<Step>,
    /// Every parameter of the file and of what it includes, with its value.
    pub params: BTreeMap<String, Nat>,
}

/// The steps of a sketch file.
pub fn steps(
    sources: &mut SourceMap,
    file: FileId,
    around: &Surroundings,
) -> Result<Guide, Vec<Diagnostic>> {
    steps_with(sources, file, around, &mut Books::default())
}

/// The same, with books that were read from these sources before.
pub fn steps_with(
    sources: &mut SourceMap,
    file: FileId,
    around: &Surroundings,
    books: &mut Books,
) -> Result<Guide, Vec<Diagnostic>> {
    let mut loader = Loader {
        sources,
        around,
        books,
        units: BTreeMap::new(),
        read: 0,
        open: Vec::new(),
        params: BTreeMap::new(),
        diagnostics: Vec::new(),
    };
    let settings = around.settings.iter();
    let outer = settings.map(|(n, v)| (n.clone(), Nat::int(*v))).collect();
    let unit = loader.unit(file, &outer);
    if unit.steps.is_empty() && loader.diagnostics.is_empty() {
        loader.diagnostics.push(
            Diagnostic::new(code::NO_SKETCH, "the file holds no sketch")
                .at(Span::new(file, 0, 0))
                .help("write the goal of the step: `sketch contains …`"),
        );
    }
    loader.refuse_twins(&unit.steps);
    let Loader {
        params,
        mut diagnostics,
        ..
    } = loader;
    diag::sort(&mut diagnostics);
    match diagnostics.is_empty() {
        true => Ok(Guide {
            steps: in_order(unit.steps),
            params,
        }),
        false => {
            books.forget();
            Err(diagnostics)
        }
    }
}

/// Steps that know whether they are the first ones about a side.
fn in_order(mut steps: Vec<Step>) -> Vec<Step> {
    let mut ways: Vec<Vec<bool>> = Vec::new();
    for step in &mut steps {
        let Focus::Side { first } = &mut step.focus else {
            continue;
        };
        let way = step.sketch.way();
        *first = !(ways.iter()).any(|w| w.starts_with(&way) || way.starts_with(w));
        ways.push(way);
    }
    steps
}

/// Everything wrong with a sketch file, whatever program it is for. A file of definitions is fine.
pub fn check_sketch(sources: &mut SourceMap, file: FileId, costs: &[&str]) -> Vec<Diagnostic> {
    let around = Surroundings {
        costs,
        ..Surroundings::default()
    };
    match steps(sources, file, &around) {
        Ok(_) => Vec::new(),
        Err(d) => d
            .into_iter()
            .filter(|d| {
                !(d.code == code::NO_SKETCH
                    && d.primary
                        .as_ref()
                        .is_some_and(|l| l.span == Span::new(file, 0, 0)))
            })
            .collect(),
    }
}

/// More steps, or more files read with other parameters, are refused: includes can double them at every level.
const MAX_STEPS: usize = 1_000;

/// What a file gives to the one that names it.
#[derive(Default)]
struct Unit {
    defs: Defs,
    steps: Vec<Step>,
}

struct Loader<'a> {
    sources: &'a mut SourceMap,
    around: &'a Surroundings<'a>,
    books: &'a mut Books,
    /// What each file gave, under the parameters that were set around it.
    units: BTreeMap<FileId, Vec<(Sizes, Rc<Unit>)>>,
    /// How many of these there are.
    read: usize,
    /// The files that are being read.
    open: Vec<FileId>,
    params: BTreeMap<String, Nat>,
    diagnostics: Vec<Diagnostic>,
}

/// A step that is being put together.
#[derive(Clone, Default)]
struct Draft {
    name: Option<Name>,
    span: Span,
    rules: Vec<RuleUse>,
    cost: Option<Symbol>,
    limits: Limits,
    normalize: Option<bool>,
    scheduler: Option<Scheduler>,
    reassociate: Option<bool>,
    approximate: Option<bool>,
    focus: Option<bool>,
    sketch: Option<Sketch>,
    /// The goal was there, but has errors.
    failed: bool,
    /// Steps of the file that `step NAME include FILE` names.
    included: Vec<Step>,
}

impl Loader<'_> {
    fn report(&mut self, code: &'static Code, text: impl Into<String>, span: Span, help: &str) {
        self.diagnostics
            .push(Diagnostic::new(code, text).at(span).help(help));
    }

    /// Steps are named in plans, reports and on the command line, so each needs a name of its own. A file that is included
    /// twice has its steps twice.
    fn refuse_twins(&mut self, steps: &[Step]) {
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        for step in steps {
            let first = *seen.entry(&step.name).or_insert(step.span);
            if first != step.span {
                let text = format!("there are two steps `{}`", step.name);
                self.diagnostics.push(
                    Diagnostic::new(code::DUPLICATE, text)
                        .label(step.span, "the second")
                        .also(first, "the first")
                        .help("give one of them another name"),
                );
            }
        }
    }

    /// A file; `outer` holds the parameters that are set from outside.
    fn unit(&mut self, file: FileId, outer: &Sizes) -> Unit {
        self.open.push(file);
        let parsed = read(self.sources, file, Dialect::Sketch);
        self.diagnostics.extend(parsed.diagnostics);
        let mut unit = Unit::default();
        let constants = self.around.target.constants().into_iter();
        let mut sizes: Sizes = constants.map(|(n, k)| (n, Nat::int(k))).collect();
        for s in self.around.sizes.into_iter().flatten() {
            sizes.insert(s.to_string(), Nat::var(*s));
        }
        // Definitions and parameters hold in the whole file.
        let mut own = outer.clone();
        for item in &parsed.file.items {
            match &item.kind {
                ItemKind::Def(def) => {
                    unit.defs
                        .add(def.clone(), item.whole, &mut self.diagnostics);
                }
                ItemKind::Param { name, value } => {
                    self.param(name, value, &mut sizes, &mut own);
                }
                _ => {}
            }
        }
        let mut included = BTreeMap::new();
        for item in &parsed.file.items {
            let (path, only_defs) = match &item.kind {
                ItemKind::Import(path) => (path, true),
                ItemKind::Include(path)
                | ItemKind::Step {
                    include: Some(path),
                    ..
                } => (path, false),
                _ => continue,
            };
            let Some(other) = self.other(file, path, &own) else {
                continue;
            };
            if !matches!(item.kind, ItemKind::Step { .. }) {
                unit.defs.extend(&other.defs, &mut self.diagnostics);
            }
            if !only_defs {
                included.insert(path.span, other.steps.clone());
            }
        }
        unit.defs.refuse_recursion(&mut self.diagnostics);
        let open = self.around.sizes.is_none();
        unit.defs.check(&sizes, open, &mut self.diagnostics);
        let steps = self.file_steps(file, &parsed.file.items, &unit.defs, &sizes, included);
        unit.steps = steps;
        self.open.pop();
        unit
    }

    fn param(&mut self, name: &Name, value: &Expr, sizes: &mut Sizes, own: &mut Sizes) {
        if name.text.is_empty() {
            return;
        }
        if sizes.contains_key(&name.text) {
            let text = format!("`{}` is a size already", name.text);
            return self.report(code::DUPLICATE, text, name.span, "rename the parameter");
        }
        let n = self.size(value, sizes);
        let n = *own.entry(name.text.clone()).or_insert(n);
        sizes.insert(name.text.clone(), n);
        self.params.entry(name.text.clone()).or_insert(n);
    }

    fn size(&mut self, e: &Expr, sizes: &Sizes) -> Nat {
        let mut infer = Infer::new(Names {
            sizes: sizes.clone(),
            ..Names::default()
        });
        let n = infer.known_size(e, 1);
        self.diagnostics.append(&mut infer.diagnostics);
        n
    }

    fn other(&mut self, from: FileId, path: &FilePath, outer: &Sizes) -> Option<Rc<Unit>> {
        let id = self.file(from, path)?;
        if self.open.contains(&id) {
            self.report(
                code::FILE_CYCLE,
                format!("`{}` includes itself", path.text),
                path.span,
                "remove one of the includes that form the cycle",
            );
            return None;
        }
        let known = self.units.get(&id).into_iter().flatten();
        if let Some((_, unit)) = known.clone().find(|(sizes, _)| sizes == outer) {
            return Some(unit.clone());
        }
        if self.read == MAX_STEPS {
            self.too_many("this includes more files", path.span);
            return None;
        }
        self.read += 1;
        let unit = Rc::new(self.unit(id, outer));
        let all = self.units.entry(id).or_default();
        all.push((outer.clone(), unit.clone()));
        Some(unit)
    }

    fn too_many(&mut self, what: &str, span: Span) {
        if !self.diagnostics.iter().any(|d| d.code == code::TOO_LARGE) {
            let text = format!("{what} than anybody follows: {MAX_STEPS}");
            self.report(code::TOO_LARGE, text, span, "include each file once");
        }
    }

    fn file(&mut self, from: FileId, path: &FilePath) -> Option<FileId> {
        if path.text.is_empty() {
            return None;
        }
        match self.sources.load_from(from, &path.text) {
            Ok(id) => Some(id),
            Err(e) => {
                self.diagnostics.push(Diagnostic::from(e).at(path.span));
                None
            }
        }
    }

    fn file_steps(
        &mut self,
        file: FileId,
        items: &[Item],
        defs: &Defs,
        sizes: &Sizes,
        mut included: BTreeMap<Span, Vec<Step>>,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        let named = items
            .iter()
            .any(|i| matches!(i.kind, ItemKind::Step { .. }));
        let start = items.first().map_or(Span::new(file, 0, 0), |i| i.span);
        let mut common = Draft {
            span: start,
            ..Draft::default()
        };
        let mut draft: Option<Draft> = None;
        for item in items {
            if let ItemKind::Step { name, include } = &item.kind {
                if let Some(done) = draft.take() {
                    self.conclude(done, file, &mut steps);
                }
                let steps = include.as_ref().map(|p| included.remove(&p.span));
                let mut next = common.clone();
                next.name = Some(name.clone());
                next.span = item.span;
                // A file that could not be read has been reported.
                next.failed = matches!(steps, Some(None));
                next.included = steps.flatten().unwrap_or_default();
                draft = Some(next);
                continue;
            }
            if let ItemKind::Include(path) = &item.kind {
                if let Some(done) = draft.take() {
                    self.conclude(done, file, &mut steps);
                }
                let more = included.remove(&path.span).unwrap_or_default();
                match steps.len() + more.len() <= MAX_STEPS {
                    true => steps.extend(more),
                    false => self.too_many("this has more steps", path.span),
                }
                continue;
            }
            let target = draft.as_mut().unwrap_or(&mut common);
            self.clause(item, target, defs, sizes, file);
        }
        match draft {
            Some(done) => self.conclude(done, file, &mut steps),
            None if !named && common.touched() => self.conclude(common, file, &mut steps),
            None => {}
        }
        steps
    }

    fn clause(&mut self, item: &Item, draft: &mut Draft, defs: &Defs, sizes: &Sizes, file: FileId) {
        if !item.whole {
            draft.failed = true;
            return;
        }
        match &item.kind {
            ItemKind::Use { file: path, list } => {
                let Some(id) = self.file(file, path) else {
                    draft.failed = true;
                    return;
                };
                let book = self.book(id);
                let uses = match list {
                    Some(refs) if self.around.sizes.is_none() => {
                        // Without a program any name may be one of its sizes.
                        let mut sizes = sizes.clone();
                        for name in refs
                            .iter()
                            .flat_map(|r| r.sizes.iter().flatten())
                            .flat_map(names_in)
                        {
                            let own = Nat::var(Symbol::new(&name));
                            sizes.entry(name).or_insert(own);
                        }
                        book.unfold(refs, &sizes, &mut self.diagnostics)
                    }
                    Some(refs) => book.unfold(refs, sizes, &mut self.diagnostics),
                    None => book.all(item.span, &mut self.diagnostics),
                };
                for u in uses {
                    let same = |v: &RuleUse| Rc::ptr_eq(&u.rule, &v.rule) && u.args == v.args;
                    if !draft.rules.iter().any(same) {
                        draft.rules.push(u);
                    }
                }
            }
            ItemKind::Sketch(e) => {
                if draft.sketch.is_some() {
                    self.report(
                        code::DUPLICATE,
                        "this step has a sketch already",
                        item.span,
                        "start another step above it: `step NAME`",
                    );
                    return;
                }
                let open = self.around.sizes.is_none();
                draft.sketch = sketch(e, defs, sizes, open, &mut self.diagnostics);
                draft.failed |= draft.sketch.is_none();
            }
            ItemKind::Limits(limits) => {
                for (name, value) in limits {
                    self.limit(name, value, &mut draft.limits);
                }
            }
            ItemKind::Rule(tree) => self.own_rule(tree, item.span, draft),
            ItemKind::Switch { keyword, value } => self.switch(keyword, value, draft),
            _ => {}
        }
    }

    /// A rule that stands in a step is one of its rules.
    fn own_rule(&mut self, tree: &Rule, span: Span, draft: &mut Draft) {
        let Some(rule) = rules::rule(tree, &mut self.diagnostics) else {
            draft.failed = true;
            return;
        };
        if !rule.size_params.is_empty() {
            let what = format!(
                "the rule `{}` needs sizes, which a step does not give it",
                rule.name
            );
            let help = "write it in a file of rules, and list it: `use FILE (NAME[32])`";
            return self.report(code::SIZE_ARGUMENTS, &what, span, help);
        }
        if draft
            .rules
            .iter()
            .any(|u| u.rule.name == rule.name && u.rule.span != rule.span)
        {
            let what = format!("this step has a rule `{}` already", rule.name);
            return self.report(code::DUPLICATE, &what, span, "rename one of them");
        }
        draft.rules.push(RuleUse {
            rule: Rc::new(rule),
            args: Vec::new(),
            span,
        });
    }

    fn book(&mut self, id: FileId) -> Rc<Book> {
        self.books.of(self.sources, id, &mut self.diagnostics)
    }

    fn limit(&mut self, name: &Name, value: &Number, limits: &mut Limits) {
        let n = match number::parse(&value.text).map(|l| l.value) {
            Ok(Value::Int(n)) => n,
            Ok(Value::Float(_)) => {
                return self.report(
                    code::BAD_SETTING,
                    "a limit is a whole number",
                    value.span,
                    "write `seconds 10`, `bytes 2_000_000_000`",
                )
            }
            // Reported by the parser.
            Err(_) => return,
        };
        let slot = match &*name.text {
            "iterations" => &mut limits.iterations,
            "nodes" => &mut limits.nodes,
            "seconds" => &mut limits.seconds,
            "bytes" => &mut limits.bytes,
            "nesting" => &mut limits.nesting,
            "size" => &mut limits.size,
            _ => {
                let known = ["iterations", "nodes", "seconds", "bytes", "nesting", "size"];
                return self.unknown("limit", name, &known);
            }
        };
        *slot = Some(n);
    }

    fn switch(&mut self, keyword: &Name, value: &Name, draft: &mut Draft) {
        let known: &[&str] = match &*keyword.text {
            "cost" => self.around.costs,
            "normalize" => &["on", "off"],
            "scheduler" => &["none", "backoff"],
            "focus" => &["choice", "whole"],
            _ => &["reassociate", "approximate"],
        };
        if value.text.is_empty() {
            return;
        }
        if !known.contains(&&*value.text) {
            return self.unknown(&format!("value of `{}`", keyword.text), value, known);
        }
        match &*keyword.text {
            "cost" => draft.cost = Some(Symbol::new(&value.text)),
            "normalize" => draft.normalize = Some(value.text == "on"),
            "focus" => draft.focus = Some(value.text == "choice"),
            "scheduler" => {
                draft.scheduler = Some(match &*value.text {
                    "backoff" => Scheduler::Backoff,
                    _ => Scheduler::None,
                });
            }
            _ => match &*value.text {
                "approximate" => draft.approximate = Some(true),
                _ => draft.reassociate = Some(true),
            },
        }
    }

    fn unknown(&mut self, what: &str, name: &Name, known: &[&str]) {
        self.diagnostics.push(
            Diagnostic::new(code::BAD_SETTING, format!("`{}` is no {what}", name.text))
                .label(name.span, "not known")
                .help_near(
                    &name.text,
                    known.iter().copied(),
                    format!("known: {}", known.join(", ")),
                ),
        );
    }

    fn conclude(&mut self, draft: Draft, file: FileId, steps: &mut Vec<Step>) {
        let name = match &draft.name {
            Some(name) => name.text.clone(),
            None => stem(&self.sources.file(file).name),
        };
        if steps.len() + draft.included.len() > MAX_STEPS {
            return self.too_many("this has more steps", draft.span);
        }
        if !draft.included.is_empty() {
            let several = draft.included.len() > 1;
            for step in &draft.included {
                let mut step = step.clone();
                step.name = match several {
                    true => format!("{name}.{}", step.name),
                    false => name.clone(),
                };
                draft.over(&mut step);
                steps.push(step);
            }
            return;
        }
        if draft.failed {
            return;
        }
        let Some(goal) = draft.sketch.clone() else {
            return self.report(
                code::NO_SKETCH,
                format!("the step `{name}` has no sketch"),
                draft.span,
                "write the goal of the step: `sketch contains …`",
            );
        };
        let mut step = Step {
            name,
            span: draft.span,
            rules: Vec::new(),
            cost: Symbol::new("size"),
            limits: Limits::default(),
            normalize: true,
            scheduler: Scheduler::None,
            reassociate: false,
            approximate: false,
            focus: Focus::Whole,
            sketch: goal,
        };
        draft.over(&mut step);
        steps.push(step);
    }
}

impl Draft {
    fn touched(&self) -> bool {
        self.sketch.is_some() || self.failed || !self.rules.is_empty()
    }

    /// Puts what was said here over what the step says.
    fn over(&self, step: &mut Step) {
        for u in &self.rules {
            let same = |v: &RuleUse| Rc::ptr_eq(&u.rule, &v.rule) && u.args == v.args;
            if !step.rules.iter().any(same) {
                step.rules.push(u.clone());
            }
        }
        if let Some(goal) = &self.sketch {
            step.sketch = goal.clone();
        }
        step.cost = self.cost.unwrap_or(step.cost);
        step.normalize = self.normalize.unwrap_or(step.normalize);
        step.scheduler = self.scheduler.unwrap_or(step.scheduler);
        step.reassociate = self.reassociate.unwrap_or(step.reassociate);
        step.approximate = self.approximate.unwrap_or(step.approximate);
        step.focus = match self.focus {
            Some(true) => Focus::Side { first: true },
            Some(false) => Focus::Whole,
            None => step.focus,
        };
        let (own, of) = (&self.limits, &mut step.limits);
        for (own, of) in [
            (own.iterations, &mut of.iterations),
            (own.nodes, &mut of.nodes),
            (own.seconds, &mut of.seconds),
            (own.bytes, &mut of.bytes),
            (own.nesting, &mut of.nesting),
            (own.size, &mut of.size),
        ] {
            *of = own.or(*of);
        }
    }
}

fn stem(path: &str) -> String {
    let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
    last.strip_suffix(".sk").unwrap_or(last).to_string()
}
