//! Rules over scalars, as a file has them.
//!
//! Comes in: the tree of a file that says `domain scalar`. Goes out: its rules in their order, or all that is wrong
//! with them. A rule without `broadcast` and `ramp` is about single values; as every operator works lane by lane, it
//! holds of vectors as well, its constants then standing for vectors of equal lanes.

use super::counts::{counted_by, undetermined};
use super::expr::{Expr, Kind, Node, Op, Sort, MAX_COMMUTING, MAX_VARS};
use super::lanes::Lanes;
use super::pattern_var::VarClass;
use super::read::{Draft, Reader};
use crate::diag::{self, code, Diagnostic};
use crate::intern::Symbol;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::tree::{self, BinOp, ConditionKind, ExprKind, File, ItemKind};
use crate::syntax::{parse, Dialect};
use std::collections::BTreeMap;

/// `rule name lhs => rhs where condition`
#[derive(Clone, Debug)]
pub struct Rule {
    pub name: Symbol,
    pub lhs: Expr,
    pub rhs: Expr,
    /// A boolean that reads constants, and terms within `prove`; `true` if nothing is asked.
    pub condition: Expr,
    /// Both sides with booleans in place of variables whose kind nothing says, as in `select(b, x, x) => x`; nothing if there
    /// are none. What is of such a kind is a variable or chosen among some, by what does not depend on them; so the rule is
    /// true of booleans if it is of integers.
    pub booleans: Option<(Expr, Expr)>,
    /// Of the name.
    pub span: Span,
    pub lhs_span: Span,
    pub rhs_span: Span,
    /// Of all conditions; empty, behind the right side, if there are none.
    pub condition_span: Span,
}

impl Rule {
    /// The rule as it is read, of integers, and of booleans.
    pub fn readings(&self) -> impl Iterator<Item = Rule> {
        let of_booleans = self.booleans.map(|(lhs, rhs)| Rule {
            lhs,
            rhs,
            booleans: None,
            ..self.clone()
        });
        let of_integers = Rule {
            booleans: None,
            ..self.clone()
        };
        [of_integers].into_iter().chain(of_booleans)
    }

    /// The pattern variables of the left side, in order of first occurrence.
    pub fn vars(&self) -> Vec<(Symbol, Sort, VarClass)> {
        let vars = self.lhs.vars().into_iter();
        vars.map(|(v, s)| (v, s, VarClass::of(v))).collect()
    }

    /// The names that count lanes, each once; wherever the rule is applied they stand for at least 1.
    pub fn counts(&self) -> Vec<Symbol> {
        let mut names = Vec::new();
        for side in [self.lhs, self.rhs] {
            counted_by(side, &mut names);
        }
        for name in self.lhs.vars().iter().flat_map(|v| v.1.lanes.names()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// A rule about vectors that also holds of vectors of vectors: the same with vectors of as many lanes in place of single
    /// values. Lane `i*m + j` of both sides speaks of the lanes j of what is of m lanes, and so on, so it says what the rule says of lane i.
    /// `None` if a constant, or what is asked for, is a single value for good.
    pub fn lifted(&self) -> Option<Rule> {
        let of = Lanes::named(Symbol::new(LIFTED));
        let lifted = |v: Symbol, sort: Sort| {
            let lanes = of.times(sort.lanes)?;
            (VarClass::of(v) == VarClass::Term).then(|| Expr::var(v, Sort { lanes, ..sort }))
        };
        let vars = self.lhs.vars();
        let by = |v: Symbol| {
            vars.iter()
                .find(|w| w.0 == v)
                .and_then(|w| lifted(w.0, w.1))
        };
        let [lhs, rhs, condition] =
            [self.lhs, self.rhs, self.condition].map(|e| e.try_replace(&by));
        let (lhs, rhs) = (lhs?, rhs?);
        let fits = self.has_vectors() && lhs.sort() == rhs.sort() && lhs != self.lhs;
        fits.then_some(Rule {
            lhs,
            rhs,
            condition: condition?,
            booleans: None,
            ..self.clone()
        })
    }

    /// Whether the rule is about vectors itself, and not about single values.
    pub fn has_vectors(&self) -> bool {
        let mut found = false;
        for side in [self.lhs, self.rhs] {
            side.visit(&mut |e| {
                found |= matches!(e.node(), Node::Apply(Op::Broadcast | Op::Ramp, _))
            });
        }
        found
    }
}

/// How many lanes what stands for single values of a rule about vectors has; no name of a file is like it.
const LIFTED: &str = "l.m";

/// Whether a file of rules is about scalars.
pub fn is_scalar(file: &File) -> bool {
    domains(file).any(|(word, _)| word == "scalar")
}

/// Whether a file of rules says what it is about: rules over arrays need not.
pub fn has_domain(file: &File) -> bool {
    domains(file).next().is_some()
}

fn domains(file: &File) -> impl Iterator<Item = (&str, Span)> {
    file.items.iter().filter_map(|i| match &i.kind {
        ItemKind::Switch { keyword, value } if keyword.text == "domain" => {
            Some((&*value.text, value.span))
        }
        _ => None,
    })
}

/// The rules of a file, in order.
pub fn load_rules(sources: &SourceMap, file: FileId) -> Result<Vec<Rule>, Vec<Diagnostic>> {
    let text = sources.file(file).text.clone();
    let parsed = parse(file, &text, Dialect::Rules);
    let mut diagnostics = parsed.diagnostics;
    if !is_scalar(&parsed.file) {
        diagnostics.push(other_domain(sources, file));
    }
    let rules = rules_of(&parsed.file, &mut diagnostics);
    diag::sort(&mut diagnostics);
    if diagnostics.is_empty() {
        Ok(rules)
    } else {
        Err(diagnostics)
    }
}

/// The report of a file that is not about scalars.
pub fn other_domain(sources: &SourceMap, file: FileId) -> Diagnostic {
    Diagnostic::new(
        code::RULE_DOMAIN,
        format!("`{}` holds no rules over scalars", sources.file(file).name),
    )
    .at(Span::new(file, 0, 0))
    .help("such a file says `domain scalar` at its top")
}

/// The rules of a file that is about scalars; those with errors are left out, and reported.
pub fn rules_of(file: &File, diagnostics: &mut Vec<Diagnostic>) -> Vec<Rule> {
    for (word, span) in domains(file).filter(|d| !d.0.is_empty() && d.0 != "scalar") {
        diagnostics.push(unknown_domain(word, span));
    }
    let mut rules = Vec::new();
    let mut places: BTreeMap<&str, Span> = BTreeMap::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Rule(tree) => {
                let name = &tree.name;
                if let Some(first) = places.get(&*name.text) {
                    diagnostics.push(
                        Diagnostic::new(
                            code::DUPLICATE,
                            format!("`{}` is declared twice", name.text),
                        )
                        .at(name.span)
                        .also(*first, "first declared here")
                        .help("rename one of them"),
                    );
                    continue;
                }
                places.insert(&name.text, name.span);
                if item.whole {
                    match rule(tree) {
                        Ok(rule) => rules.push(rule),
                        Err(found) => {
                            let found = found.into_iter();
                            diagnostics.extend(found.map(|d| d.also(name.span, "in this rule")));
                        }
                    }
                }
            }
            ItemKind::Switch { .. } | ItemKind::Error => {}
            _ => diagnostics.push(
                Diagnostic::new(
                    code::UNSUPPORTED,
                    "a file of rules over scalars holds rules only",
                )
                .at(item.span)
                .help("move this to another file; the order of the rules is their priority"),
            ),
        }
    }
    rules
}

/// The report of a file that is about something unknown.
fn unknown_domain(word: &str, span: Span) -> Diagnostic {
    Diagnostic::new(code::RULE_DOMAIN, format!("there is no domain `{word}`"))
        .at(span)
        .help("write `domain scalar` for rules over scalars; rules over arrays need no such line")
}

fn rule(tree: &tree::Rule) -> Result<Rule, Vec<Diagnostic>> {
    let mut reader = Reader::new(true);
    if let Some(sizes) = &tree.sizes {
        reader.diagnostics.push(
            Diagnostic::new(code::UNSUPPORTED, "rules over scalars take no sizes")
                .at(sizes.span)
                .help("constants are named `c`, `c0`, `c1` …"),
        );
    }
    let left = reader.expr(&tree.left);
    matches_something(&mut reader, &tree.left);
    let bound: Vec<Symbol> = reader.names().map(|n| n.0).collect();
    if bound.len() > MAX_VARS {
        reader.diagnostics.push(
            Diagnostic::new(
                code::SCALAR_VARIABLES,
                format!(
                    "a rule has at most {MAX_VARS} variables, this one {}",
                    bound.len()
                ),
            )
            .at(tree.left.span)
            .help("match a smaller part: operands are simplified before what they stand in"),
        );
    }
    let right = reader.expr(&tree.right);
    let sort = left.sort;
    reader.want(&right, sort, "the right side");
    let condition = conditions(&mut reader, tree);
    let free: Vec<(Symbol, Span)> = (reader.names()).filter(|n| !bound.contains(&n.0)).collect();
    for (name, span) in free {
        let known = bound.iter().map(|b| b.as_str());
        reader.diagnostics.push(
            Diagnostic::new(
                code::RULE_UNBOUND,
                format!("the left side does not bind `{name}`"),
            )
            .label(span, "needed here")
            .help_near(
                name.as_str(),
                known,
                "use a variable of the left side, or put this one there",
            ),
        );
    }
    let drafts = [left, right, condition];
    let built = reader.finish(&drafts)?;
    let [lhs, rhs, condition] = built[..] else {
        unreachable!("three were given");
    };
    if let Some(name) = undetermined(lhs) {
        let what = format!("the left side does not determine the number of lanes `{name}`");
        let d = Diagnostic::new(code::SCALAR_LANES, what).at(tree.left.span);
        return Err(vec![d.help(
            "let it stand by itself in `broadcast(x, l)` or `ramp(x, s, l)`, or be the only unknown factor of a product",
        )]);
    }
    let mut commuting = 0;
    lhs.visit_values(&mut |e| {
        commuting += usize::from(matches!(e.node(), Node::Apply(op, _) if op.commutes()))
    });
    if commuting > MAX_COMMUTING {
        let what = format!(
            "a left side has at most {MAX_COMMUTING} operators that commute, this one {commuting}"
        );
        let d = Diagnostic::new(code::SCALAR_VARIABLES, what).at(tree.left.span);
        return Err(vec![d.help(
            "match a smaller part: operands are simplified before what they stand in",
        )]);
    }
    let booleans = reader.finish_with(&drafts, Kind::Bool)?;
    let booleans = Some((booleans[0], booleans[1])).filter(|sides| *sides != (lhs, rhs));
    let ends = |all: &[tree::Condition]| Some(all.first()?.span.to(all.last()?.span));
    Ok(Rule {
        name: Symbol::new(&tree.name.text),
        lhs,
        rhs,
        condition,
        booleans,
        span: tree.name.span,
        lhs_span: tree.left.span,
        rhs_span: tree.right.span,
        condition_span: ends(&tree.conditions).unwrap_or(tree.right.span.end()),
    })
}

/// A left side that is a variable or a constant would apply everywhere, or say nothing.
fn matches_something(reader: &mut Reader, left: &tree::Expr) {
    if matches!(left.bare().kind, ExprKind::Name(_) | ExprKind::Number(_)) {
        reader.diagnostics.push(
            Diagnostic::new(
                code::SCALAR_PATTERN,
                "the left side of a rule needs an operator or a function",
            )
            .at(left.span)
            .help("a rule rewrites an operation: `x + 0 => x`"),
        );
    }
}

/// All conditions of a rule as one.
fn conditions(reader: &mut Reader, tree: &tree::Rule) -> Draft {
    reader.in_condition = true;
    let mut all: Option<tree::Expr> = None;
    for c in &tree.conditions {
        let e = match &c.kind {
            ConditionKind::Holds(e) => e.clone(),
            ConditionKind::Compare(op, a, b) => binary(*op, a, b),
            ConditionKind::Error => tree::Expr::new(c.span, ExprKind::Error),
            _ => {
                reader.diagnostics.push(
                    Diagnostic::new(
                        code::RULE_CONDITION,
                        "rules over scalars have no conditions of this form",
                    )
                    .at(c.span)
                    .help("write a comparison of constants, or `prove(0 <= x)`"),
                );
                continue;
            }
        };
        check_condition(reader, &e, true);
        all = Some(match all {
            Some(before) => binary(BinOp::AndAlso, &before, &e),
            None => e,
        });
    }
    let truth = || ExprKind::Name("true".to_string());
    let all = all.unwrap_or_else(|| tree::Expr::new(tree.right.span.end(), truth()));
    let draft = reader.expr(&all);
    let want = reader.sorts.truth();
    reader.want(&draft, want, "a condition");
    reader.in_condition = false;
    draft
}

fn binary(op: BinOp, a: &tree::Expr, b: &tree::Expr) -> tree::Expr {
    let kind = ExprKind::Binary(op, Box::new(a.clone()), Box::new(b.clone()));
    tree::Expr::new(a.span.to(b.span), kind)
}

/// Terms stand only within `prove`, and `prove` only where its failing makes the condition fail.
fn check_condition(reader: &mut Reader, e: &tree::Expr, positive: bool) {
    match &e.kind {
        ExprKind::App(f, _) if is_prove(f) && positive => {}
        ExprKind::App(f, _) if is_prove(f) => reader.diagnostics.push(
            Diagnostic::new(
                code::RULE_CONDITION,
                "`prove` stands only under `&&` and `||`",
            )
            .at(e.span)
            .help("that something is not proved does not make it false: prove its opposite"),
        ),
        ExprKind::App(_, args) => args.iter().for_each(|a| check_condition(reader, a, false)),
        ExprKind::Tuple(parts) => parts.iter().for_each(|a| check_condition(reader, a, false)),
        ExprKind::Paren(inner) => check_condition(reader, inner, positive),
        ExprKind::Neg(inner) | ExprKind::Not(inner) => check_condition(reader, inner, false),
        ExprKind::Binary(op, l, r) => {
            let logic = matches!(op, BinOp::AndAlso | BinOp::OrElse);
            check_condition(reader, l, positive && logic);
            check_condition(reader, r, positive && logic);
        }
        ExprKind::Name(name) => {
            let constant = VarClass::of(Symbol::new(name)) != VarClass::Term;
            if !constant && !["true", "false"].contains(&&**name) {
                reader.diagnostics.push(
                    Diagnostic::new(
                        code::SCALAR_CONDITION,
                        format!("the condition reads the term `{name}`"),
                    )
                    .label(e.span, "not a constant")
                    .help(format!(
                        "ask for a fact, such as `prove(0 <= {name})`, or match a constant: `c`, `c0`, `c1` …"
                    )),
                );
            }
        }
        _ => {}
    }
}

fn is_prove(f: &tree::Expr) -> bool {
    matches!(&f.kind, ExprKind::Name(n) if n == "prove")
}
