//! Proofs as files.
//!
//! In: a proof; or the text of one. Out: JSON in which every term stands once, in a table; or the proof again, with the
//! rules that it uses elaborated from their text, which the file carries. Invariant: whatever a file says, what is
//! read is a proof whose terms can be walked; that it holds, only the checker says. Absent: the checker (`proof`).

use super::saved::{self, PROOF};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::elab::{self, RuleDecl, RuleUse};
use crate::intern::Symbol;
use crate::proof::{self, Bound, By, Proof, Segment, Step};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::tree::ItemKind;
use crate::syntax::{parse, Dialect};
use crate::term::{Kind, Lit, Op, Prim, Program, Term};
use crate::ty::Ty;
use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Terms of more nodes are refused.
const LARGEST: u32 = 200_000;

/// What `--emit proof` writes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofFile {
    /// Version of the program that made it.
    pub rise_opt: String,
    /// The command that searched.
    pub command: String,
    /// The definition.
    pub entry: String,
    /// It, as a program that needs no other file.
    pub program: String,
    /// The rules that the steps use, each as it is declared.
    pub rules: Vec<RuleText>,
    /// Types that terms have.
    pub types: Vec<String>,
    /// Terms; a term stands behind its parts.
    pub terms: Vec<NodeText>,
    /// One for each step of the guide.
    pub steps: Vec<SegmentText>,
}

/// A rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleText {
    pub name: String,
    /// The file that declares it.
    pub file: String,
    pub text: String,
}

/// A node of a term. Numbers are places in the tables.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NodeText {
    /// Index and type.
    Var(u32, usize),
    /// Hint for the name, type of the variable, body.
    Lam(Option<String>, usize, usize),
    /// Function, argument.
    App(usize, usize),
    /// Name, explicit sizes, type.
    Prim(String, Vec<String>, usize),
    Bool(bool, usize),
    /// In digits.
    Int(String, usize),
    /// The bits.
    F32(u32, usize),
    /// The bits.
    F64(u64, usize),
    Size(String, usize),
}

/// What one step of the guide did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentText {
    pub name: String,
    /// Whether floats may be regrouped.
    pub reassociate: bool,
    pub chain: Vec<StepText>,
    /// The term after it.
    pub end: usize,
}

/// One step of the chain.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepText {
    /// 0 is the function of an application or the body of a lambda, 1 the argument.
    pub at: Vec<u8>,
    pub by: ByText,
    /// Whether the rule leads from `to` to `from`.
    pub back: bool,
    pub from: usize,
    pub to: usize,
}

/// Why.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ByText {
    Rule(Use),
    Beta,
    Eta,
    Normal,
}

/// An instance of a rule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// Which rule.
    pub rule: usize,
    /// Its explicit sizes.
    pub args: Vec<String>,
    /// What its pattern variables stand for, by name.
    pub holes: BTreeMap<String, usize>,
    /// What its unknown sizes stand for, in the order of their first places.
    pub sizes: Vec<String>,
    /// What its unknown types stand for.
    pub types: Vec<usize>,
}

impl ProofFile {
    /// A proof of a program as a file; `sources` has the rules.
    pub fn new(
        proof: &Proof,
        program: &Program,
        command: String,
        sources: &SourceMap,
    ) -> ProofFile {
        let mut tables = Tables::default();
        let steps = proof
            .segments
            .iter()
            .map(|l| tables.segment(l, sources))
            .collect();
        ProofFile {
            rise_opt: env!("CARGO_PKG_VERSION").to_string(),
            command,
            entry: program.name.to_string(),
            program: elab::program_text(program),
            rules: tables.rules.into_values().collect(),
            types: tables.types.into_iter().collect(),
            terms: tables.terms.into_iter().collect(),
            steps,
        }
    }

    pub fn to_json(&self) -> String {
        saved::write(&PROOF, self)
    }

    /// The rules that its steps use, each once, as the file has them and as they were read.
    pub fn used(&self, proof: &Proof) -> Vec<(&RuleText, Rc<RuleDecl>)> {
        let mut used = BTreeMap::new();
        for (text, segment) in self.steps.iter().zip(&proof.segments) {
            let numbers = text.chain.iter().filter_map(|s| match &s.by {
                ByText::Rule(u) => Some(u.rule),
                _ => None,
            });
            used.extend(numbers.zip(segment.rules.iter().map(|u| u.rule.clone())));
        }
        let texts = used.into_iter();
        let texts = texts.filter_map(|(i, decl)| Some((self.rules.get(i)?, decl)));
        texts.collect()
    }

    pub fn read(sources: &SourceMap, file: FileId) -> Result<ProofFile, Diagnostic> {
        saved::read(&PROOF, sources, file)
    }

    /// The program that it is of.
    pub fn program(&self, name: &str, sources: &mut SourceMap) -> Result<Program, Diagnostic> {
        let file = sources.add_saved(&format!("{name}: program"), &self.program);
        elab::saved_program(sources, file, Some(&self.entry)).map_err(|found| {
            let first = found.into_iter().next();
            let why = first.map_or(String::new(), |d| d.message);
            malformed(name, &format!("its program is none: {why}"))
        })
    }

    /// The proof, for the program that it is of.
    pub fn proof(
        &self,
        name: &str,
        program: &Program,
        sources: &mut SourceMap,
    ) -> Result<Proof, Diagnostic> {
        let wrong = |what: String| malformed(name, &what);
        let mut rules = Vec::new();
        for rule in &self.rules {
            rules.push(declared(rule, name, sources).map_err(wrong)?);
        }
        let reading = Reading::new(self, program, rules).map_err(wrong)?;
        let mut proof = Proof::new(&program.term);
        for segment in &self.steps {
            proof
                .segments
                .push(reading.segment(segment).map_err(wrong)?);
        }
        Ok(proof)
    }
}

impl RuleText {
    /// Whether the shipped file that it names declares it, in the same words and over arrays: rules of another domain
    /// are about other values, whatever they read like.
    pub fn is_shipped(&self) -> bool {
        let mut sources = SourceMap::new();
        let Ok(id) = sources.load_shipped(&self.file) else {
            return false;
        };
        let all: Vec<&str> = declarations(&sources.file(id).text).collect();
        !all.iter().any(|d| d.starts_with("domain ")) && all.contains(&&*self.text)
    }
}

fn malformed(name: &str, what: &str) -> Diagnostic {
    Diagnostic::new(
        code::PROOF_MALFORMED,
        format!("`{name}` is no proof: {what}"),
    )
    .help(format!("`{}` writes one", PROOF.command))
}

/// The one rule that a text declares.
fn declared(rule: &RuleText, name: &str, sources: &mut SourceMap) -> Result<Rc<RuleDecl>, String> {
    let what = format!("the rule `{}`", rule.name);
    let file = sources.add_saved(&format!("{name}: {}", rule.name), &rule.text);
    let items = parse(file, &rule.text, Dialect::Rules).file.items;
    if !matches!(&items[..], [one] if matches!(one.kind, ItemKind::Rule(_))) {
        return Err(format!("{what} is not one declaration"));
    }
    let mut decls = elab::rule_decls(sources, file).map_err(|found| {
        let why = found.first().map_or(String::new(), |d| d.message.clone());
        format!("{what} is none: {why}")
    })?;
    match (decls.pop(), decls.is_empty()) {
        (Some(decl), true) if decl.name.as_str() == rule.name => Ok(decl),
        _ => Err(format!("{what} has another name")),
    }
}

/// The items of a file, comments above them left out.
fn declarations(text: &str) -> impl Iterator<Item = &str> {
    let begins = |at: usize| text[at..].starts_with(|c: char| c.is_ascii_alphabetic());
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1));
    // What else stands in the first column ends an item, too.
    let edges: Vec<usize> = lines
        .filter(|at| text[*at..].starts_with(|c: char| !c.is_whitespace()))
        .chain([text.len()])
        .collect();
    let items: Vec<&str> = edges
        .windows(2)
        .filter(|w| begins(w[0]))
        .map(|w| text[w[0]..w[1]].trim_end())
        .collect();
    items.into_iter()
}

#[derive(Default)]
struct Tables {
    rules: IndexMap<Span, RuleText>,
    types: IndexSet<String>,
    terms: IndexSet<NodeText>,
    seen: rustc_hash::FxHashMap<Term, usize>,
}

impl Tables {
    fn segment(&mut self, segment: &Segment, sources: &SourceMap) -> SegmentText {
        SegmentText {
            name: segment.name.clone(),
            reassociate: segment.reassociate,
            chain: segment
                .steps
                .iter()
                .map(|s| self.step(segment, s, sources))
                .collect(),
            end: self.term(&segment.end),
        }
    }

    fn step(&mut self, segment: &Segment, step: &Step, sources: &SourceMap) -> StepText {
        let by = match &step.by {
            By::Rule(number, _) => {
                let used = &segment.rules[*number];
                let bound = proof::bindings(segment, step);
                ByText::Rule(self.rule(used, bound, sources))
            }
            By::Beta => ByText::Beta,
            By::Eta => ByText::Eta,
            By::Normal => ByText::Normal,
        };
        StepText {
            at: step.at.clone(),
            by,
            back: step.back,
            from: self.term(&step.from),
            to: self.term(&step.to),
        }
    }

    fn rule(&mut self, used: &RuleUse, bound: Option<Bound>, sources: &SourceMap) -> Use {
        let decl = &used.rule;
        let entry = self.rules.entry(decl.span);
        let rule = entry.index();
        entry.or_insert_with(|| {
            let file = sources.file(decl.span.file);
            let at = decl.span.lo as usize;
            let start = |d: &&str| d.as_ptr() as usize - file.text.as_ptr() as usize;
            let text = declarations(&file.text)
                .find(|d| (start(d)..start(d) + d.len()).contains(&at))
                .unwrap_or_default();
            RuleText {
                name: decl.name.to_string(),
                file: file.name.to_string(),
                text: text.to_string(),
            }
        });
        let texts = |sizes: &[Nat]| sizes.iter().map(|n| n.to_string()).collect();
        let bound = bound.unwrap_or(Bound {
            holes: Vec::new(),
            sizes: Vec::new(),
            types: Vec::new(),
        });
        let names = decl.holes.iter().map(|h| h.name.to_string());
        Use {
            rule,
            args: texts(&used.args),
            holes: names
                .zip(&bound.holes)
                .map(|(name, t)| (name, self.term(t)))
                .collect(),
            sizes: texts(&bound.sizes),
            types: bound.types.iter().map(|t| self.ty(*t)).collect(),
        }
    }

    fn ty(&mut self, t: Ty) -> usize {
        self.types.insert_full(t.to_string()).0
    }

    fn term(&mut self, t: &Term) -> usize {
        if let Some(&at) = self.seen.get(t) {
            return at;
        }
        let node = match t.kind() {
            Kind::Var(i) => NodeText::Var(*i, self.ty(t.ty())),
            Kind::Lam(hint, b) => {
                let arg = t.ty().as_fun().map_or(t.ty(), |f| f.0);
                let arg = self.ty(arg);
                NodeText::Lam(hint.map(|h| h.to_string()), arg, self.term(b))
            }
            Kind::App(f, x) => {
                let f = self.term(f);
                NodeText::App(f, self.term(x))
            }
            Kind::Prim(p) => {
                let sizes = p.sizes().iter().map(|n| n.to_string()).collect();
                NodeText::Prim(p.op().name().to_string(), sizes, self.ty(t.ty()))
            }
            Kind::Lit(l) => {
                let ty = self.ty(t.ty());
                match l {
                    Lit::Bool(b) => NodeText::Bool(*b, ty),
                    Lit::Int(i) => NodeText::Int(i.to_string(), ty),
                    Lit::F32(b) => NodeText::F32(*b, ty),
                    Lit::F64(b) => NodeText::F64(*b, ty),
                    Lit::Size(n) => NodeText::Size(n.to_string(), ty),
                }
            }
            // Proofs are about terms without holes.
            Kind::Hole(i) => NodeText::Var(*i, self.ty(t.ty())),
        };
        let at = self.terms.insert_full(node).0;
        self.seen.insert(t.clone(), at);
        at
    }
}

struct Reading {
    rules: Vec<Rc<RuleDecl>>,
    sizes: Vec<Symbol>,
    types: Vec<Ty>,
    terms: Vec<Term>,
}

impl Reading {
    fn new(
        file: &ProofFile,
        program: &Program,
        rules: Vec<Rc<RuleDecl>>,
    ) -> Result<Reading, String> {
        let mut reading = Reading {
            rules,
            sizes: program.sizes.clone(),
            types: elab::read_types(&program.sizes, &file.types)?,
            terms: Vec::new(),
        };
        for (i, node) in file.terms.iter().enumerate() {
            let term = reading.node(node);
            let term = term.map_err(|why| format!("term {i} is none: {why}"))?;
            reading.terms.push(term);
        }
        Ok(reading)
    }

    fn term(&self, i: usize) -> Result<&Term, String> {
        let found = self.terms.get(i);
        found.ok_or_else(|| format!("there is no term {i} at this point"))
    }

    fn ty(&self, i: usize) -> Result<Ty, String> {
        let found = self.types.get(i).copied();
        found.ok_or_else(|| format!("there is no type {i}"))
    }

    fn nats(&self, texts: &[String]) -> Result<Vec<Nat>, String> {
        elab::read_sizes(&self.sizes, texts)
    }

    fn node(&self, node: &NodeText) -> Result<Term, String> {
        let small = |t: &Term| {
            if t.size() < LARGEST {
                Ok(())
            } else {
                Err("it is too large".to_string())
            }
        };
        Ok(match node {
            NodeText::Var(i, ty) if *i < LARGEST => Term::var(*i, self.ty(*ty)?),
            NodeText::Var(..) => return Err("its index is too large".to_string()),
            NodeText::Lam(hint, arg, body) => {
                let body = self.term(*body)?;
                small(body)?;
                let hint = hint.as_deref().map(Symbol::new);
                Term::lam(hint, self.ty(*arg)?, body.clone())
            }
            NodeText::App(f, x) => {
                let (f, x) = (self.term(*f)?, self.term(*x)?);
                small(f)?;
                small(x)?;
                match f.ty().as_fun() {
                    Some((arg, _)) if arg == x.ty() => Term::app(f.clone(), x.clone()),
                    _ => return Err("the argument does not fit".to_string()),
                }
            }
            NodeText::Prim(name, sizes, ty) => {
                let op = Op::from_name(name).ok_or_else(|| format!("no primitive `{name}`"))?;
                let sizes = self.nats(sizes)?;
                if sizes.len() != op.size_args() {
                    return Err(format!("`{name}` takes another number of sizes"));
                }
                Term::prim(Prim::new(op, &sizes), self.ty(*ty)?)
            }
            NodeText::Bool(b, ty) => Term::lit(Lit::Bool(*b), self.ty(*ty)?),
            NodeText::Int(text, ty) => {
                let i = text.parse().map_err(|_| format!("`{text}` is no number"))?;
                Term::lit(Lit::Int(i), self.ty(*ty)?)
            }
            NodeText::F32(bits, ty) => Term::lit(Lit::F32(*bits), self.ty(*ty)?),
            NodeText::F64(bits, ty) => Term::lit(Lit::F64(*bits), self.ty(*ty)?),
            NodeText::Size(text, ty) => {
                let n = self.nats(std::slice::from_ref(text))?;
                Term::lit(Lit::Size(n[0]), self.ty(*ty)?)
            }
        })
    }

    fn segment(&self, segment: &SegmentText) -> Result<Segment, String> {
        let mut rules = Vec::new();
        let mut steps = Vec::new();
        for (i, step) in segment.chain.iter().enumerate() {
            let read = self.step(step, &mut rules);
            steps.push(read.map_err(|why| format!("{} step {}: {why}", segment.name, i + 1))?);
        }
        Ok(Segment {
            name: segment.name.clone(),
            rules,
            reassociate: segment.reassociate,
            steps,
            end: self.term(segment.end)?.clone(),
        })
    }

    fn step(&self, step: &StepText, rules: &mut Vec<RuleUse>) -> Result<Step, String> {
        let mut bound = None;
        let by = match &step.by {
            ByText::Rule(used) => {
                let decl = self.rules.get(used.rule);
                let decl = decl.ok_or_else(|| format!("there is no rule {}", used.rule))?;
                let args = self.nats(&used.args)?;
                if args.len() != decl.size_params.len() {
                    return Err(format!("`{}` takes another number of sizes", decl.name));
                }
                let mut holes = Vec::new();
                let mut computed = Vec::new();
                for (i, hole) in decl.holes.iter().enumerate() {
                    let at = used.holes.get(hole.name.as_str());
                    let at = at.ok_or_else(|| format!("nothing stands for `{}`", hole.name))?;
                    let term = self.term(*at)?.clone();
                    if hole.computed {
                        computed.push((i as u32, term.clone()));
                    }
                    holes.push(term);
                }
                if used.holes.len() != holes.len() {
                    return Err("something stands for no pattern variable".to_string());
                }
                bound = Some(Bound {
                    holes,
                    sizes: self.nats(&used.sizes)?,
                    types: (used.types.iter().map(|t| self.ty(*t))).collect::<Result<_, _>>()?,
                });
                rules.push(RuleUse {
                    rule: decl.clone(),
                    args,
                    span: decl.span,
                });
                By::Rule(rules.len() - 1, computed)
            }
            ByText::Beta => By::Beta,
            ByText::Eta => By::Eta,
            ByText::Normal => By::Normal,
        };
        Ok(Step {
            at: step.at.clone(),
            by,
            back: step.back,
            from: self.term(step.from)?.clone(),
            to: self.term(step.to)?.clone(),
            bound,
        })
    }
}
