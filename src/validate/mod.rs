//! Whether a loop program computes its term.
//!
//! In: a loop program, read from a file, and the program that it was made of. Out: a verdict. *Validated*: wherever the
//! function accepts its sizes, every element of every result is stored, and is what the term says, to the bit; no access
//! leaves its buffer, nothing is read before it is written, and iterations that run in any order touch nothing of each
//! other. *Refuted*: sizes and inputs at which the loop program, evaluated, does something else. *Unknown*: the
//! obligations that stayed open.
//!
//! Invariants: whatever a file says, an obligation is met only if it was shown; annotations are not believed, and not
//! needed. Nothing here knows how loop programs are made: it takes nothing from lowering, its passes or the printer.
//! Absent: whether the term is equal to another one (`proof`), what is printed, numbers beyond 64 bits.
//!
//! The loop program is run on values that are not known (`run`, `exprs`, `loops`): what lies in a buffer is the list of its stores with the
//! loops around them (`memory`), and what a loop makes of its state is a reduction (`value`). The term is asked for the
//! same elements (`source`), and both are compared (`same`, `goal`).

mod closed_form;
mod decide;
mod disjoint;
mod ends;
mod exprs;
mod fold;
mod follow;
mod goal;
mod idle;
mod inside;
mod items;
pub mod known;
mod lanes;
mod loops;
mod machine;
mod memory;
mod node;
mod numbers;
mod only;
mod operands;
mod parts;
mod place;
mod points;
mod questions;
mod refute;
mod regroup;
mod rewrite;
mod room;
mod rows;
mod run;
mod same;
mod scatter;
mod shapes;
pub mod show;
mod signs;
mod source;
mod stages;
mod strides;
pub mod system;
mod tensor;
mod tiles;
mod value;
mod written;

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::interp::Sizes as Data;
use crate::nest::abi::leaves;
use crate::nest::{ErrorCode, Nest, Slot};
use crate::scalar::Expr;
use crate::term::Program;
use crate::ty::Ty;
use machine::Machine;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use value::Values;

pub use refute::Difference;

/// Why something was not shown, as a clause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck(pub String);

impl Stuck {
    fn new(why: impl Into<String>) -> Stuck {
        Stuck(show::plain(&why.into()))
    }
}

/// What has to be shown.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Obligation {
    /// The function has the parameters of the program.
    Interface,
    /// It refuses sizes at which the term has no meaning.
    Sizes,
    /// All of it is understood.
    Understood,
    /// An access stays inside of its buffer.
    Bounds,
    /// What is read was written.
    Written,
    /// A buffer has memory of its own where it is used.
    Memory,
    /// Iterations that run in any order store different elements, and read none of each other.
    Disjoint,
    /// What is stored is the element of the term.
    Value,
    /// Each element is stored.
    Covered,
}

impl Obligation {
    /// All, in the order in which they are told.
    pub const ALL: [Obligation; 9] = [
        Obligation::Interface,
        Obligation::Sizes,
        Obligation::Understood,
        Obligation::Bounds,
        Obligation::Written,
        Obligation::Memory,
        Obligation::Disjoint,
        Obligation::Value,
        Obligation::Covered,
    ];

    /// Its name in texts and files.
    pub fn name(self) -> &'static str {
        match self {
            Obligation::Interface => "interface",
            Obligation::Sizes => "sizes",
            Obligation::Understood => "understood",
            Obligation::Bounds => "bounds",
            Obligation::Written => "written",
            Obligation::Memory => "memory",
            Obligation::Disjoint => "disjoint",
            Obligation::Value => "value",
            Obligation::Covered => "covered",
        }
    }
}

impl fmt::Display for Obligation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A statement, by its place in the order of `walk::each_stmt`; none for what is owed of the whole function.
pub type Place = Option<u32>;

/// An obligation that was not shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    pub obligation: Obligation,
    pub statement: Place,
    /// The store, the loop or the buffer.
    pub place: String,
    pub why: String,
}

/// How many obligations were met, and which are open.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    pub met: BTreeMap<(Place, Obligation), usize>,
    pub open: Vec<Open>,
    /// The statement of which obligations are told.
    pub at: Place,
    /// Questions about indices that were asked, steps that were taken, and whether more would have been.
    pub questions: u64,
    pub steps: u64,
    pub ended: bool,
}

impl Tally {
    fn met(&mut self, o: Obligation) {
        *self.met.entry((self.at, o)).or_default() += 1;
    }

    fn open(&mut self, obligation: Obligation, place: &str, why: Stuck) {
        let open = Open {
            obligation,
            statement: self.at,
            place: place.to_string(),
            why: why.0,
        };
        if !self.open.contains(&open) {
            self.open.push(open);
        }
    }

    fn owe(&mut self, o: Obligation, place: &str, met: Result<(), Stuck>) {
        match met {
            Ok(()) => self.met(o),
            Err(why) => self.open(o, place, why),
        }
    }

    /// The function that is called for some sizes. Its statements are no ones of this one.
    fn other(&mut self, place: &str, of: Tally) {
        if let Some(open) = of.open.first() {
            let why = format!(
                "it calls another function for some sizes, of which is open: {}",
                open.why
            );
            return self.open(Obligation::Understood, place, Stuck::new(why));
        }
        for ((_, obligation), count) in of.met {
            *self.met.entry((None, obligation)).or_default() += count;
        }
    }

    /// How many obligations were met.
    pub fn count(&self) -> usize {
        self.met.values().sum()
    }

    /// How many of a kind were met.
    pub fn of(&self, o: Obligation) -> usize {
        let of = self.met.iter().filter(|m| m.0 .1 == o);
        of.map(|m| m.1).sum()
    }
}

/// What is known of a loop program.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It computes its term.
    Validated,
    /// It does something else.
    Refuted(Difference),
    /// Neither was shown.
    Unknown,
}

/// A verdict, and what it rests on.
#[derive(Clone, Debug)]
pub struct Validation {
    pub verdict: Verdict,
    pub tally: Tally,
}

/// Judges a loop program by the program that it was made of, with some sizes fixed.
pub fn validate(nest: &Nest, program: &Program, fixed: &BTreeMap<Symbol, i64>) -> Validation {
    validate_within(nest, program, fixed, value::QUESTIONS)
}

/// As [`validate`], with so many questions about indices.
pub fn validate_within(
    nest: &Nest,
    program: &Program,
    fixed: &BTreeMap<Symbol, i64>,
    questions: u64,
) -> Validation {
    let program = with_sizes(program, fixed);
    let tally = obligations_within(nest, &program, questions);
    let verdict = match tally.open.is_empty() {
        true => Verdict::Validated,
        false => match refute::difference(nest, &program) {
            Some(difference) => Verdict::Refuted(difference),
            None => Verdict::Unknown,
        },
    };
    Validation { verdict, tally }
}

/// The obligations of a loop program, met or open. What is validated has no open one.
pub fn obligations(nest: &Nest, program: &Program) -> Tally {
    obligations_within(nest, program, value::QUESTIONS)
}

/// As [`obligations`], with so many questions about indices; what would take more is open.
pub fn obligations_within(nest: &Nest, program: &Program, questions: u64) -> Tally {
    judged(nest, program, &mut Values::within(questions))
}

/// The questions about indices that [`validate`] asks, in SMT-LIB.
pub fn questions(nest: &Nest, program: &Program, fixed: &BTreeMap<Symbol, i64>) -> String {
    questions::smt(&asked(nest, program, fixed))
}

/// Those that it asks and that stay open, though nothing is known to speak against them: what is assumed, and a comparison.
pub fn open_questions(
    nest: &Nest,
    program: &Program,
    fixed: &BTreeMap<Symbol, i64>,
) -> Vec<(Vec<Expr>, Expr)> {
    questions::open(&asked(nest, program, fixed))
}

fn asked(
    nest: &Nest,
    program: &Program,
    fixed: &BTreeMap<Symbol, i64>,
) -> Vec<questions::Question> {
    let mut values = Values::within(value::QUESTIONS);
    values.known.keep();
    judged(nest, &with_sizes(program, fixed), &mut values);
    values.known.questions()
}

fn judged(nest: &Nest, program: &Program, values: &mut Values) -> Tally {
    let mut tally = Tally::default();
    tally.owe(
        Obligation::Interface,
        &nest.abi.name,
        interface(nest, program),
    );
    if !tally.open.is_empty() {
        return tally;
    }
    tally.owe(
        Obligation::Sizes,
        &nest.abi.name,
        room::sizes(nest, program),
    );
    tally.owe(Obligation::Covered, "where nothing is done", nothing(nest));
    if let Some(other) = &nest.fallback {
        tally.other(
            &nest.abi.name,
            judged(other, program, &mut Values::within(values.questions)),
        );
    }
    values.bounds = nest.abi.inputs.iter().map(|s| s.bound).collect();
    values.types = nest.abi.inputs.iter().map(|s| s.elem).collect();
    values.sizes = nest.abi.sizes.iter().map(|s| Nat::var(*s)).collect();
    let slots = nest.abi.outputs.iter().chain(&nest.abi.inputs);
    values.sizes.extend(slots.map(|s| s.count()));
    for a in nest.abi.assumptions.iter().chain(&nest.abi.preferred) {
        values.known.tell(*a);
    }
    values.told = Some(values.known.mark());
    let mut machine = Machine::new(nest, std::mem::take(values));
    machine.tally = tally;
    let ran = machine.block(&nest.body);
    machine.tally.at = None;
    for read in std::mem::take(&mut machine.reads) {
        let why = Stuck::new("it may be read before it is written");
        machine.tally.at = read.statement;
        machine.tally.open(Obligation::Written, &read.place, why);
    }
    let ran = ran.and_then(|()| compare(&mut machine, program));
    let ran = ran.and_then(|()| match machine.cx.wild {
        true => Err(Stuck::new("an index is read from data that nothing bounds")),
        false => Ok(()),
    });
    machine
        .tally
        .owe(Obligation::Understood, &nest.abi.name, ran);
    machine.tally.questions = machine.cx.known.asked();
    machine.tally.steps = machine.cx.work;
    machine.tally.ended = machine.cx.ended;
    *values = machine.cx;
    machine.tally
}

fn compare(machine: &mut Machine, program: &Program) -> Result<(), Stuck> {
    let mut term = source::eval(&mut machine.cx, &program.term, &Default::default())?;
    let mut first = 0;
    for (_, ty) in &program.params {
        let Some(parts) = leaves(*ty) else {
            return Err(Stuck::new("a parameter is no data"));
        };
        let at = Rc::new(vec![Nat::int(0); parts.len()]);
        let value = source::argument(&mut machine.cx, *ty, first, at);
        first += parts.len() as u32;
        term = term.apply(&mut machine.cx, value)?;
    }
    for out in 0..machine.nest.abi.outputs.len() {
        goal::result(machine, out, &term, program.result);
    }
    Ok(())
}

/// The program with some of its sizes fixed.
fn with_sizes(program: &Program, fixed: &BTreeMap<Symbol, i64>) -> Program {
    let fix = |n: Nat| n.subst_vars(&mut |s| fixed.get(&s).map(|k| Nat::int(*k)));
    let ty = |t: Ty| t.map_nats(&mut |n| fix(n));
    Program {
        name: program.name,
        sizes: (program.sizes.iter().copied())
            .filter(|s| !fixed.contains_key(s))
            .collect(),
        params: program.params.iter().map(|(s, t)| (*s, ty(*t))).collect(),
        result: ty(program.result),
        term: (program.term).map_types(&mut |t| t.map_nats(&mut |n| fix(n)), &mut |n| fix(n)),
    }
}

/// Whether the slots are the leaves of the types, in order.
fn interface(nest: &Nest, program: &Program) -> Result<(), Stuck> {
    let mut expected = Vec::new();
    for (i, (_, ty)) in program.params.iter().enumerate() {
        let leaves = leaves(*ty).ok_or_else(|| Stuck::new("a parameter is no data"))?;
        expected.extend(leaves.into_iter().map(|l| (Some(i), l)));
    }
    let results = leaves(program.result).ok_or_else(|| Stuck::new("the result is no data"))?;
    let fits = |slot: &Slot, (param, leaf): &(Option<usize>, _)| {
        let (elem, bound, dims) = leaf;
        slot.param == *param && slot.elem == *elem && slot.bound == *bound && slot.dims == *dims
    };
    let results: Vec<_> = results.into_iter().map(|l| (None, l)).collect();
    let all = |slots: &[Slot], of: &[_]| {
        slots.len() == of.len() && slots.iter().zip(of).all(|(s, l)| fits(s, l))
    };
    if !all(&nest.abi.inputs, &expected) {
        return Err(Stuck::new("its inputs are not those of the program"));
    }
    if !all(&nest.abi.outputs, &results) {
        return Err(Stuck::new("its results are not those of the program"));
    }
    if nest.abi.sizes != program.sizes {
        return Err(Stuck::new("its sizes are not those of the program"));
    }
    if !tells_errors(&nest.abi.errors) {
        return Err(Stuck::new(
            "its error codes are not told apart from success and from each other",
        ));
    }
    buffers(nest)
}

/// Whether nobody takes sizes that were refused for a result, or one reason for another.
fn tells_errors(errors: &[ErrorCode]) -> bool {
    let distinct = |(i, e): (usize, &ErrorCode)| {
        let before = &errors[..i];
        e.code != 0 && before.iter().all(|b| b.code != e.code && b.name != e.name)
    };
    errors.iter().enumerate().all(distinct)
}

/// Whether each slot has one buffer, as long as it is.
fn buffers(nest: &Nest) -> Result<(), Stuck> {
    use crate::nest::StorageClass::{Input, Output};
    let own = || nest.buffers.iter().filter(|b| b.alias.is_none());
    for (slots, is_input) in [(&nest.abi.inputs, true), (&nest.abi.outputs, false)] {
        for (i, slot) in slots.iter().enumerate() {
            let storage = if is_input { Input(i) } else { Output(i) };
            let mut of = own().filter(|b| b.storage == storage);
            match (of.next(), of.next()) {
                (Some(b), None) if b.len == slot.count() && b.elem == slot.elem => {}
                _ => return Err(Stuck::new(format!("`{}` has not one buffer", slot.name))),
            }
        }
    }
    let fits = nest.buffers.iter().all(|b| {
        let root = b.alias.map(|a| &nest.buffers[nest.root(a).0 as usize]);
        root.is_none_or(|r| r.elem == b.elem)
    });
    match fits {
        true => Ok(()),
        false => Err(Stuck::new("a second name of a buffer has another type")),
    }
}

/// Where the function does nothing, no result may have an element.
fn nothing(nest: &Nest) -> Result<(), Stuck> {
    let counts = &nest.entry.results;
    let all = nest.abi.outputs.iter().all(|s| counts.contains(&s.count()));
    match counts.is_empty() || all {
        true => Ok(()),
        false => Err(Stuck::new("a result may have elements there")),
    }
}

/// Values of sizes, for messages.
fn at(sizes: &Data) -> String {
    let all: Vec<String> = sizes.iter().map(|(s, n)| format!("{s} = {n}")).collect();
    all.join(", ")
}
