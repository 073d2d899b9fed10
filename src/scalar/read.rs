//! Trees to expressions: names of functions, sorts of everything.

use super::expr::{Expr, Kind, Op};
use super::lanes::{Lanes, MAX_LANES};
use super::pattern_var::VarClass;
use super::show::binary;
use super::sorts::{Open, Sorts};
use crate::diag::{code, did_you_mean, Diagnostic};
use crate::intern::Symbol;
use crate::source::{FileId, Span};
use crate::syntax::number::{self, Value};
use crate::syntax::parse_expression;
use crate::syntax::tree::{self, ExprKind};

/// The expression that a text is, of whatever sort.
pub fn parse_expr(file: FileId, text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let found = parse_question(&[], Some((file, text)))?;
    Ok(found.1.expect("what was asked"))
}

/// The truth that a text says: a boolean.
pub fn parse_truth(file: FileId, text: &str) -> Result<Expr, Vec<Diagnostic>> {
    parse_question(&[(file, text)], None).map(|q| q.0[0])
}

/// What texts say that are assumed, booleans, and the expression that is asked about. A name has one sort in all of them.
pub fn parse_question(
    assumed: &[(FileId, &str)],
    asked: Option<(FileId, &str)>,
) -> Result<(Vec<Expr>, Option<Expr>), Vec<Diagnostic>> {
    read_question(assumed, asked, false)
}

/// The same of a statement, which is true or false.
pub fn parse_statement(
    assumed: &[(FileId, &str)],
    statement: (FileId, &str),
) -> Result<(Vec<Expr>, Option<Expr>), Vec<Diagnostic>> {
    read_question(assumed, Some(statement), true)
}

fn read_question(
    assumed: &[(FileId, &str)],
    asked: Option<(FileId, &str)>,
    statement: bool,
) -> Result<(Vec<Expr>, Option<Expr>), Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut tree = |(file, text)| {
        let (tree, found) = parse_expression(file, text);
        diagnostics.extend(found);
        tree
    };
    let truths: Vec<tree::Expr> = assumed.iter().copied().map(&mut tree).collect();
    let asked = asked.map(&mut tree);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let mut reader = Reader::new(false);
    let mut drafts = Vec::new();
    for tree in &truths {
        let draft = reader.expr(tree);
        let want = reader.sorts.truth();
        reader.want(&draft, want, "an assumption or a condition");
        drafts.push(draft);
    }
    if let Some(tree) = &asked {
        let draft = reader.expr(tree);
        if statement {
            let want = reader.sorts.truth();
            reader.want(&draft, want, "what is to be proved");
        }
        drafts.push(draft);
    }
    let mut all = reader.finish(&drafts)?;
    let asked = all.split_off(truths.len()).pop();
    Ok((all, asked))
}

/// An expression whose sorts are not all known yet.
#[derive(Clone)]
pub(super) struct Draft {
    kind: DraftKind,
    pub(super) sort: Open,
    pub(super) span: Span,
}

#[derive(Clone)]
enum DraftKind {
    Int(i64),
    Bool(bool),
    Var(Symbol),
    Apply(Op, Vec<Draft>),
    /// Reported.
    Error,
}

/// Reads expressions that share their variables.
pub(super) struct Reader {
    pub(super) sorts: Sorts,
    pub(super) diagnostics: Vec<Diagnostic>,
    vars: Vec<(Symbol, Open, Span)>,
    in_rule: bool,
    /// `prove` may stand here.
    pub(super) in_condition: bool,
}

impl Reader {
    pub(super) fn new(in_rule: bool) -> Reader {
        Reader {
            sorts: Sorts::new(),
            diagnostics: Vec::new(),
            vars: Vec::new(),
            in_rule,
            in_condition: false,
        }
    }

    /// The names met so far, with where they stand first.
    pub(super) fn names(&self) -> impl Iterator<Item = (Symbol, Span)> + '_ {
        self.vars.iter().map(|v| (v.0, v.2))
    }

    /// The expressions, or everything that is wrong with them. Kinds that are left open are integers.
    pub(super) fn finish(&mut self, drafts: &[Draft]) -> Result<Vec<Expr>, Vec<Diagnostic>> {
        self.finish_with(drafts, Kind::Int)
    }

    /// As [`Reader::finish`], with what is left open of this kind.
    pub(super) fn finish_with(
        &mut self,
        drafts: &[Draft],
        open: Kind,
    ) -> Result<Vec<Expr>, Vec<Diagnostic>> {
        let all: Option<Vec<Expr>> = drafts.iter().map(|d| self.build(d, open)).collect();
        match all {
            Some(all) if self.diagnostics.is_empty() => Ok(all),
            _ => {
                let mut found = std::mem::take(&mut self.diagnostics);
                crate::diag::sort(&mut found);
                Err(found)
            }
        }
    }

    fn build(&mut self, d: &Draft, open: Kind) -> Option<Expr> {
        let (op, parts) = match &d.kind {
            DraftKind::Int(n) => return Some(Expr::int(*n)),
            DraftKind::Bool(b) => return Some(Expr::bool(*b)),
            DraftKind::Var(v) => return Some(Expr::var(*v, self.sorts.close(d.sort, open))),
            DraftKind::Error => return None,
            DraftKind::Apply(op, parts) => (*op, parts),
        };
        let args: Option<Vec<Expr>> = parts.iter().map(|p| self.build(p, open)).collect();
        let built = Expr::apply(op, &args?);
        if built.is_some() || !self.diagnostics.is_empty() {
            return built;
        }
        if let Op::Broadcast | Op::Ramp = op {
            let what = format!("a vector has at most {MAX_LANES} lanes");
            let found = Diagnostic::new(code::SCALAR_LANES, what).at(d.span);
            self.diagnostics
                .push(found.help("write a smaller number of lanes"));
        } else {
            let sorts: Vec<String> = parts.iter().map(|p| self.sorts.show(p.sort)).collect();
            self.wrong_sort(
                op.text(),
                &sorts.join(" and "),
                "operands of one sort",
                d.span,
            );
        }
        built
    }

    pub(super) fn expr(&mut self, e: &tree::Expr) -> Draft {
        match &e.kind {
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Number(text) => self.number(text, false, e.span),
            ExprKind::Name(name) => self.name(name, e.span),
            ExprKind::Neg(inner) => match &inner.kind {
                ExprKind::Number(text) => self.number(text, true, e.span),
                _ => {
                    let x = self.expr(inner);
                    let zero = self.int(0, e.span);
                    self.apply(Op::Sub, vec![zero, x], e.span)
                }
            },
            ExprKind::Not(inner) => {
                let x = self.expr(inner);
                self.apply(Op::Not, vec![x], e.span)
            }
            ExprKind::Binary(op, l, r) => {
                match Op::ALL.into_iter().find(|o| binary(*o) == Some(*op)) {
                    Some(found) => {
                        let left = self.expr(l);
                        if matches!(found, Op::And | Op::Or) {
                            // The right side may compare it; if it is none, that is reported below.
                            let truth = self.sorts.open(Some(Kind::Bool), None);
                            self.sorts.same_kind(left.sort, truth);
                        }
                        let parts = [left, self.expr(r)];
                        let truths = parts.iter().any(|p| self.sorts.is_truth(p.sort));
                        match found {
                            Op::Eq | Op::Ne if truths => self.same_truth(found, parts, e.span),
                            _ => self.apply(found, parts.into(), e.span),
                        }
                    }
                    None => self.no_scalar(e.span),
                }
            }
            ExprKind::App(f, args) => self.call(f, args, e.span),
            ExprKind::Error => self.draft(DraftKind::Error, None, None, e.span),
            _ => self.no_scalar(e.span),
        }
    }

    fn draft(
        &mut self,
        kind: DraftKind,
        sort: Option<Kind>,
        lanes: Option<Lanes>,
        span: Span,
    ) -> Draft {
        let sort = self.sorts.open(sort, lanes);
        Draft { kind, sort, span }
    }

    fn int(&mut self, n: i64, span: Span) -> Draft {
        self.draft(DraftKind::Int(n), Some(Kind::Int), Some(Lanes::One), span)
    }

    fn error(&mut self, d: Diagnostic, span: Span) -> Draft {
        self.diagnostics.push(d);
        self.draft(DraftKind::Error, None, None, span)
    }

    fn no_scalar(&mut self, span: Span) -> Draft {
        let d = Diagnostic::new(code::SCALAR_FORM, "a scalar expression is needed here")
            .label(span, "not one")
            .help(
                "scalar expressions are made of numbers, names, `+ - * / %`, comparisons, `&& || !`, \
                 `min(x, y)`, `max(x, y)`, `select(b, x, y)`, `broadcast(x, l)`, `ramp(x, s, l)`",
            );
        self.error(d, span)
    }

    fn number(&mut self, text: &str, negative: bool, span: Span) -> Draft {
        match number::parse(text).map(|l| (l.value, l.suffix)) {
            Ok((Value::Int(n), None)) => {
                let n = n as i64;
                self.int(if negative { -n } else { n }, span)
            }
            Ok(_) => {
                let d = Diagnostic::new(code::SCALAR_FORM, "a whole number is needed here")
                    .at(span)
                    .help("write it without a fraction and without a type behind it");
                self.error(d, span)
            }
            // The parser has reported it.
            Err(_) => self.draft(DraftKind::Error, None, None, span),
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Draft {
        if let Some(b) = ["false", "true"].iter().position(|b| *b == name) {
            let kind = DraftKind::Bool(b == 1);
            return self.draft(kind, Some(Kind::Bool), Some(Lanes::One), span);
        }
        if name.is_empty() {
            return self.draft(DraftKind::Error, None, None, span);
        }
        let symbol = Symbol::new(name);
        let known = self.vars.iter().find(|v| v.0 == symbol).map(|v| v.1);
        let sort = known.unwrap_or_else(|| {
            let whole = self.in_rule && VarClass::of(symbol) != VarClass::Term;
            let sort = if whole {
                self.sorts.open(Some(Kind::Int), Some(Lanes::One))
            } else {
                self.sorts.open(None, None)
            };
            self.vars.push((symbol, sort, span));
            sort
        });
        let kind = DraftKind::Var(symbol);
        Draft { kind, sort, span }
    }

    fn call(&mut self, f: &tree::Expr, args: &[tree::Expr], span: Span) -> Draft {
        let parts: Vec<&tree::Expr> = match args {
            [tree::Expr {
                kind: ExprKind::Tuple(parts),
                ..
            }] => parts.iter().collect(),
            _ => args.iter().collect(),
        };
        let ExprKind::Name(name) = &f.kind else {
            return self.no_scalar(span);
        };
        let functions = Op::ALL.iter().copied();
        let functions: Vec<Op> = functions
            .filter(|o| binary(*o).is_none() && *o != Op::Not)
            .filter(|o| *o != Op::Prove || self.in_condition)
            .collect();
        let Some(op) = functions.iter().copied().find(|o| o.text() == name) else {
            let known = functions.iter().map(|o| o.text());
            let all: Vec<String> = known.clone().map(|n| format!("`{n}`")).collect();
            let d = Diagnostic::new(
                code::SCALAR_FUNCTION,
                format!("scalars have no function `{name}`"),
            )
            .label(f.span, "not known here")
            .help(match (name.as_str(), did_you_mean(name, known)) {
                ("prove", _) => "`prove` stands in the condition of a rule".to_string(),
                (_, Some(near)) => near,
                (_, None) => format!("functions: {}", all.join(", ")),
            });
            return self.error(d, span);
        };
        if parts.len() != op.arity() {
            let d = Diagnostic::new(
                code::SCALAR_FUNCTION,
                format!(
                    "`{name}` takes {} operands, {} are given",
                    op.arity(),
                    parts.len()
                ),
            )
            .at(span)
            .help("write them in brackets, separated by commas: `min(x, y)`, `ramp(x, s, 8)`");
            return self.error(d, span);
        }
        let parts = parts.into_iter().map(|p| self.expr(p)).collect();
        self.apply(op, parts, span)
    }

    fn apply(&mut self, op: Op, mut parts: Vec<Draft>, span: Span) -> Draft {
        // How many lanes there are may be computed.
        if let (Op::Broadcast | Op::Ramp, Some(lanes)) = (op, parts.last_mut()) {
            folded(lanes);
        }
        let sort = self.result(op, &parts);
        let kind = DraftKind::Apply(op, parts);
        Draft { kind, sort, span }
    }

    /// Booleans are compared by a choice: `a == b` is `select(a, b, !b)`.
    fn same_truth(&mut self, op: Op, [a, b]: [Draft; 2], span: Span) -> Draft {
        let not = self.apply(Op::Not, vec![b.clone()], span);
        let sides = if op == Op::Eq { [b, not] } else { [not, b] };
        self.apply(Op::Select, [a].into_iter().chain(sides).collect(), span)
    }

    /// Makes the operands fit the operator, and gives the sort of what comes out.
    fn result(&mut self, op: Op, parts: &[Draft]) -> Open {
        use Op::*;
        let text = op.text();
        match op {
            Add | Sub | Mul | Div | Mod | Min | Max | Eq | Ne | Lt | Le | Gt | Ge => {
                let want = self.sorts.open(Some(Kind::Int), None);
                parts.iter().for_each(|p| self.want(p, want, text));
                match op {
                    Eq | Ne | Lt | Le | Gt | Ge => self.sorts.truth_of(want),
                    _ => want,
                }
            }
            And | Or | Not => {
                let want = self.sorts.open(Some(Kind::Bool), None);
                parts.iter().for_each(|p| self.want(p, want, text));
                want
            }
            Prove => {
                let want = self.sorts.open(Some(Kind::Bool), Some(Lanes::One));
                self.want(&parts[0], want, text);
                want
            }
            Select => {
                let truth = self.sorts.truth_of(parts[1].sort);
                self.want(&parts[0], truth, text);
                self.want(&parts[2], parts[1].sort, text);
                parts[1].sort
            }
            Broadcast | Ramp => {
                let (lanes, parts) = parts.split_last().expect("operands");
                let kind = (op == Ramp).then_some(Kind::Int);
                let want = self.sorts.open(kind, None);
                parts.iter().for_each(|p| self.want(p, want, text));
                match self.lanes(lanes) {
                    Some(lanes) => self.sorts.times(want, lanes),
                    // It is reported.
                    None => self.sorts.open(kind, None),
                }
            }
        }
    }

    /// The lanes that an operand says; whatever is wrong is reported.
    fn lanes(&mut self, d: &Draft) -> Option<Lanes> {
        let found = self.count(d);
        if found.is_some() || matches!(d.kind, DraftKind::Error) {
            return found;
        }
        let help = if self.in_rule {
            "write a number, or `l`, `l0`, `l1` … for any, or a product of these: `l * l0`"
        } else {
            "write a number"
        };
        self.diagnostics.push(
            Diagnostic::new(
                code::SCALAR_LANES,
                format!("the number of lanes has to be constant, from 1 to {MAX_LANES}"),
            )
            .at(d.span)
            .help(help),
        );
        None
    }

    fn count(&self, d: &Draft) -> Option<Lanes> {
        match &d.kind {
            DraftKind::Int(n) => Lanes::fixed(*n),
            DraftKind::Var(v) if self.in_rule && VarClass::of(*v) != VarClass::Term => {
                Some(Lanes::named(*v))
            }
            DraftKind::Apply(Op::Mul, parts) => {
                self.count(&parts[0])?.times(self.count(&parts[1])?)
            }
            _ => None,
        }
    }

    /// Makes `d` of that sort, or reports that it is none; `of` says who asks.
    pub(super) fn want(&mut self, d: &Draft, want: Open, of: &str) {
        if matches!(d.kind, DraftKind::Error) {
            return;
        }
        let (found, wanted) = (self.sorts.show(d.sort), self.sorts.show(want));
        if !self.sorts.join(d.sort, want) {
            self.wrong_sort(of, &found, &wanted, d.span);
        }
    }

    fn wrong_sort(&mut self, of: &str, found: &str, wanted: &str, span: Span) {
        let of = if of.contains(' ') {
            of.to_string()
        } else {
            format!("`{of}`")
        };
        let help = match [found, wanted].map(|sort| sort.contains("vector")) {
            [true, true] => "operands need as many lanes: compare the numbers of lanes around them",
            [false, false] => {
                "compare integers to get a boolean, `select(b, 1, 0)` makes an integer of one"
            }
            _ => "write `broadcast(x, l)` for l lanes of x",
        };
        self.diagnostics.push(
            Diagnostic::new(
                code::SCALAR_SORT,
                format!("{of} needs {wanted}, and this is {found}"),
            )
            .label(span, found)
            .help(help),
        );
    }
}

/// Makes numbers of what is computed from numbers alone, in products, too.
fn folded(d: &mut Draft) {
    match (constant(d), &mut d.kind) {
        (Some(n), kind) => *kind = DraftKind::Int(n),
        (None, DraftKind::Apply(Op::Mul, parts)) => parts.iter_mut().for_each(folded),
        _ => {}
    }
}

/// The number that is computed from numbers alone.
fn constant(d: &Draft) -> Option<i64> {
    match &d.kind {
        DraftKind::Int(n) => Some(*n),
        DraftKind::Apply(op, parts) => {
            let [a, b] = &parts[..] else { return None };
            let (a, b) = (constant(a)?, constant(b)?);
            match op {
                Op::Add => a.checked_add(b),
                Op::Sub => a.checked_sub(b),
                Op::Mul => a.checked_mul(b),
                Op::Div => a.checked_div_euclid(b),
                Op::Mod => a.checked_rem_euclid(b),
                _ => None,
            }
        }
        _ => None,
    }
}
