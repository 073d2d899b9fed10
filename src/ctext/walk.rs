//! A function beside its loop program: where both are, and what their names stand for.

use super::lex::Unread;
use super::meaning::{index, Res};
use super::parse::{Expr, Part, Signature, Written};
use super::scope::{Entity, Scope};
use super::stop::{Difference, Stop};
use super::types::{scalar, stored};
use super::value::Reader;
use crate::arith::Nat;
use crate::nest::lines::Lines;
use crate::nest::names::identifier;
use crate::nest::{BufId, Buffer, Nest, Slot, StorageClass};
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

pub struct Walk<'a> {
    pub nest: &'a Nest,
    pub scope: Scope,
    /// The constants of the header.
    pub codes: &'a BTreeMap<String, i32>,
    /// Functions above it, and those that were called.
    pub parts: &'a BTreeMap<String, Part>,
    pub called: BTreeSet<String>,
    listing: Lines,
    /// How many statements were met.
    pub number: u32,
    /// Whether there are loops.
    pub loops: bool,
}

pub type Walked<T = ()> = Result<T, Stop>;

impl<'a> Walk<'a> {
    pub fn new(
        nest: &'a Nest,
        codes: &'a BTreeMap<String, i32>,
        parts: &'a BTreeMap<String, Part>,
    ) -> Walk<'a> {
        let listing = nest.listing();
        Walk {
            nest,
            scope: Scope::of(nest),
            codes,
            parts,
            called: BTreeSet::new(),
            listing,
            number: 0,
            loops: false,
        }
    }

    pub fn reader(&mut self) -> Reader<'a, '_> {
        Reader {
            nest: self.nest,
            scope: &mut self.scope,
        }
    }

    /// What the loop program says there.
    fn place(&self, number: Option<u32>) -> String {
        let mark = number.and_then(|n| self.listing.marks.iter().find(|m| m.statement == n));
        let line = mark.and_then(|m| self.listing.text.lines().nth(m.first as usize));
        line.map_or(format!("`{}` on entry", self.nest.abi.name), |l| {
            format!("`{}`", l.trim())
        })
    }

    /// The statement that is being compared.
    fn here(&self) -> Option<u32> {
        self.number.checked_sub(1)
    }

    pub fn differs<T>(&self, line: u32, what: impl Into<String>) -> Walked<T> {
        let (what, loops) = (what.into(), self.place(self.here()));
        Err(Stop::Differs(Difference {
            line,
            in_header: false,
            loops,
            what,
        }))
    }

    pub fn read<T>(&self, line: u32, r: Res<T>) -> Walked<T> {
        r.map_err(|what| Stop::Unread(Unread::new(line, what)))
    }

    pub fn require(&self, holds: bool, line: u32, what: &str) -> Walked {
        match holds {
            true => Ok(()),
            false => self.differs(line, what),
        }
    }

    pub fn same_sum(&mut self, line: u32, e: &Expr, n: Nat, what: &str) -> Walked {
        let found = self.reader().sum(e);
        let found = self.read(line, found)?;
        let expected = self.read(line, index(n))?;
        self.require(found == expected, line, what)
    }

    /// The buffer of a slot.
    fn buffer_of(&self, storage: StorageClass) -> Option<BufId> {
        let own = |b: &Buffer| b.storage == storage && b.alias.is_none();
        self.nest
            .buffers
            .iter()
            .position(own)
            .map(|i| BufId(i as u32))
    }

    pub fn input(&self, i: usize) -> Option<BufId> {
        self.buffer_of(StorageClass::Input(i))
    }

    /// What the parameters stand for, in their order.
    pub fn parameters(&self) -> impl Iterator<Item = Entity> + '_ {
        let abi = &self.nest.abi;
        let array = |b: Option<BufId>| b.map_or(Entity::Own, Entity::Array);
        let outputs =
            (0..abi.outputs.len()).map(move |i| array(self.buffer_of(StorageClass::Output(i))));
        let sizes = abi.sizes.iter().map(|s| Entity::Index(*s));
        let input = move |(i, slot): (usize, &Slot)| match (self.input(i), slot.by_value) {
            (Some(b), true) => Entity::Value(b, slot.elem),
            (b, _) => array(b),
        };
        outputs
            .chain(sizes)
            .chain(abi.inputs.iter().enumerate().map(input))
    }

    /// The parameters in their order, and what they are called.
    pub fn signature(&mut self, s: &Signature, line: u32) -> Walked {
        check_signature(self.nest, s).or_else(|what| self.differs(line, what))?;
        let entities: Vec<Entity> = self.parameters().collect();
        for ((_, name), entity) in s.params.iter().zip(entities) {
            self.require(entity != Entity::Own, line, "a parameter has no buffer")?;
            let declared = self.scope.declare(name, entity);
            self.read(line, declared)?;
        }
        Ok(())
    }
}

/// Whether a type is that of a number.
pub fn is_type(ty: &Written, elem: Scalar, is_const: bool) -> bool {
    ty.pointer.is_none() && ty.is_const == is_const && scalar(&ty.name) == Some(stored(elem))
}

/// Whether a type is a pointer to elements that no other one points to.
pub fn is_pointer(ty: &Written, elem: Scalar, is_const: bool) -> bool {
    ty.pointer == Some((false, true))
        && ty.is_const == is_const
        && scalar(&ty.name) == Some(stored(elem))
}

/// Whether a function is called as the loop program.
pub fn check_signature(nest: &Nest, s: &Signature) -> Result<(), String> {
    let abi = &nest.abi;
    if s.name != abi.name {
        return Err(format!(
            "the function is called `{}`, not `{}`",
            s.name, abi.name
        ));
    }
    if !is_type(&s.result, Scalar::I32, false) || s.result.name != "int" {
        return Err("the function gives no `int`".to_string());
    }
    let count = abi.outputs.len() + abi.sizes.len() + abi.inputs.len();
    if s.params.len() != count {
        return Err(format!(
            "the function has {} parameters, not {count}",
            s.params.len()
        ));
    }
    let sizes = abi.sizes.iter().map(|s| identifier(s.as_str()));
    let names = abi.outputs.iter().map(|s| s.name.clone()).chain(sizes);
    let names = names.chain(abi.inputs.iter().map(|s| s.name.clone()));
    if let Some((_, own)) = s.params.iter().zip(names).find(|(p, own)| p.1 != *own) {
        return Err(format!("a parameter is not called `{own}`"));
    }
    let slot = |s: &Slot, ty: &Written, output: bool| match s.by_value && !output {
        true => is_type(ty, s.elem, false),
        false => is_pointer(ty, s.elem, !output),
    };
    let (outputs, rest) = s.params.split_at(abi.outputs.len());
    let (sizes, inputs) = rest.split_at(abi.sizes.len());
    let results = abi.outputs.iter().map(|s| (s, true)).zip(outputs);
    let arguments = abi.inputs.iter().map(|s| (s, false)).zip(inputs);
    let wrong = results.chain(arguments);
    let wrong = wrong.filter(|((s, output), (ty, _))| !slot(s, ty, *output));
    let no_size = sizes
        .iter()
        .filter(|(ty, _)| !is_type(ty, Scalar::I64, false));
    if let Some((_, name)) = wrong.map(|(_, p)| p).chain(no_size).next() {
        return Err(format!(
            "the parameter `{name}` has another type, or is not `restrict`"
        ));
    }
    Ok(())
}
