//! Laws that rules ask of operators, and claims of them.
//!
//! Comes in: a law of the table and its operands; goes out: whether it holds. Invariant: whoever types, matches, checks,
//! proves or refutes a rule reads of its laws here what it needs, so that a law is one line of the table. Absent: what
//! operations satisfy (`table`), what a prover makes of a [`Form`].

use super::{accumulates, recognise, table::LAWS, Floats, Properties, Property};
use crate::operator::{self, Effort, Meaning};
use crate::term::Term;
use crate::ty::Ty;
use std::fmt;

/// What a rule may ask for by name.
#[derive(PartialEq, Debug)]
pub struct Law {
    /// The word in rules.
    pub name: &'static str,
    /// What it says.
    pub form: Form,
    /// Whether no operation of the table on floats obeys it without the permission to reassociate: whoever asks for it regroups.
    pub regroups: bool,
}

/// What a law says of its operands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// An operator has a property.
    Property(Property),
    /// `op e x = x = op x e`
    Identity,
    /// `op a y = by a (g y)` for some g, and `by` associates.
    Accumulates,
    /// `op x y = by x y`, however they are spelled.
    Equal,
}

/// What an operand of a law is; `t` and `s` are the same types for all operands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// `t`
    Element,
    /// `t -> t -> t`
    Operator,
    /// `t -> s -> t`
    Step,
}

impl Form {
    /// The operands: how the documentation calls them, and what they are.
    pub fn operands(self) -> &'static [(&'static str, Operand)] {
        match self {
            Form::Property(_) => &[("op", Operand::Operator)],
            Form::Identity => &[("e", Operand::Element), ("op", Operand::Operator)],
            Form::Accumulates => &[("op", Operand::Step), ("by", Operand::Operator)],
            Form::Equal => &[("op", Operand::Operator), ("by", Operand::Operator)],
        }
    }
}

impl Law {
    /// The law that a word names.
    pub fn named(name: &str) -> Option<&'static Law> {
        LAWS.iter().find(|l| l.name == name)
    }

    /// All, as a rule has them: `identity e op`.
    pub fn usage() -> impl Iterator<Item = String> {
        LAWS.iter().map(|l| {
            let operands = l.form.operands().iter();
            operands.fold(l.name.to_string(), |text, o| text + " " + o.0)
        })
    }
}

/// A law of operands: terms, patterns, or where they stand.
#[derive(Clone, Debug)]
pub struct Claim<T> {
    /// Which.
    pub law: &'static Law,
    /// As many as its form has.
    pub operands: Vec<T>,
}

impl<T> Claim<T> {
    /// The law that a word names, of these.
    pub fn named(law: &str, operands: Vec<T>) -> Option<Claim<T>> {
        Law::named(law).map(|law| Claim { law, operands })
    }

    /// The claim of other operands; `None` where there are not all of them.
    pub fn try_map<U>(&self, f: impl FnMut(&T) -> Option<U>) -> Option<Claim<U>> {
        Some(Claim {
            law: self.law,
            operands: self.operands.iter().map(f).collect::<Option<_>>()?,
        })
    }

    /// The operands that a law speaks of as closed terms: all but steps.
    pub fn closed(&self) -> impl Iterator<Item = &T> {
        let all = self.operands.iter().zip(self.law.form.operands());
        all.filter(|(_, (_, is))| *is != Operand::Step)
            .map(|(t, _)| t)
    }

    /// What it says of an operand alone.
    pub fn property_of(&self, is: impl Fn(&T) -> bool) -> Option<Property> {
        match (self.law.form, &self.operands[..]) {
            (Form::Property(p), [op]) if is(op) => Some(p),
            _ => None,
        }
    }
}

/// What claims say of an operand alone.
pub fn properties_of<'a, T: 'a>(
    claims: impl Iterator<Item = &'a Claim<T>>,
    is: impl Fn(&T) -> bool,
) -> Properties {
    claims.filter_map(|c| c.property_of(&is)).collect()
}

impl Claim<Term> {
    /// Whether it is known to hold; `reassociate` is the permission of Note [Strict floats].
    pub fn holds(&self, reassociate: bool) -> bool {
        let floats = Floats::reassociated(reassociate);
        let has = |op: &Term, p: Property| {
            recognise(op).is_some_and(|o| o.has(p, floats)) || proved(op, p.law(), reassociate)
        };
        match (self.law.form, &self.operands[..]) {
            (Form::Property(p), [op]) => has(op, p),
            (Form::Identity, [e, op]) => {
                recognise(op).is_some_and(|o| o.has_identity(e, floats))
                    || meanings(reassociate).any(|m| operator::proves_identity(op, e, m))
            }
            (Form::Accumulates, [op, by]) => {
                accumulates(op, by).is_some_and(|sum| has(&sum, Property::Associative))
            }
            (Form::Equal, [op, by]) => {
                op == by || meanings(reassociate).any(|m| operator::proves_equal(op, by, m))
            }
            _ => false,
        }
    }

    /// Why it holds: how it was proved, or that the table has it; `None` where it is not known.
    pub fn certificate(&self, reassociate: bool) -> Option<String> {
        let proved = meanings(reassociate).find_map(|m| self.proof(m));
        let table = || "the table of operations has it".to_string();
        (proved.is_some() || self.holds(reassociate)).then(|| proved.unwrap_or_else(table))
    }

    fn proof(&self, meaning: Meaning) -> Option<String> {
        let all = || "it is proved for all values".to_string();
        let judged = |op: &Term, p: Property| {
            let found = operator::judge(op, &[], meaning, p.law(), Effort::SEARCH);
            found.method().map(|m| m.to_string())
        };
        match (self.law.form, &self.operands[..]) {
            (Form::Property(p), [op]) => judged(op, p),
            (Form::Identity, [e, op]) => operator::proves_identity(op, e, meaning).then(all),
            (Form::Accumulates, [op, by]) => judged(&accumulates(op, by)?, Property::Associative),
            (Form::Equal, [op, by]) if op == by => Some("they are the same".to_string()),
            (Form::Equal, [op, by]) => operator::proves_equal(op, by, meaning).then(all),
            _ => None,
        }
    }

    /// The type of what it speaks of.
    pub fn of(&self) -> Option<Ty> {
        let kinds = self.operands.iter().zip(self.law.form.operands());
        let mut types = kinds.map(|(t, (_, is))| match is {
            Operand::Element => Some(t.ty()),
            Operand::Operator | Operand::Step => t.ty().as_fun().map(|f| f.0),
        });
        types.next().flatten()
    }

    /// Whether it holds by the permission alone.
    pub fn needs_permission(&self) -> bool {
        !self.holds(false) && self.holds(true)
    }
}

/// Whether a law is proved of an operator that the table does not have.
fn proved(op: &Term, law: operator::Law, reassociate: bool) -> bool {
    meanings(reassociate).any(|m| operator::proves(op, m, law))
}

/// What holds to the bit holds with the permission, too.
fn meanings(reassociate: bool) -> impl Iterator<Item = Meaning> {
    let strict = std::iter::once(Meaning::permitted(false));
    strict.chain(reassociate.then(|| Meaning::permitted(true)))
}

impl fmt::Display for Claim<Term> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.law.name)?;
        self.operands.iter().try_for_each(|t| match t.size() {
            1 => write!(f, " {t}"),
            _ => write!(f, " ({t})"),
        })
    }
}
