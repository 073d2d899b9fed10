//! One language for all four encodings, and what is known of each class.
//!
//! Terms have no types. A variable is a De Bruijn index `%0` under `lam`, or a
//! name `$7` that `fun` binds. The nodes of explicit substitutions (`sub` and
//! `shift` over indices, `let` over names) occur in the graph only where the
//! encoding is explicit. Facts of a class: free variables as a union over its
//! nodes, and the node of its smallest term. Absent: rules.

use egg::{define_language, Analysis, DidMerge, EGraph, Id, Language, Symbol};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A De Bruijn index, written `%0`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Index(pub u32);

/// A name, written `$0`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(pub u32);

/// What does not start with the sign of a variable.
#[derive(Debug)]
pub struct NotThis;

fn number(text: &str, sign: char) -> Result<u32, NotThis> {
    let digits = text.strip_prefix(sign).ok_or(NotThis)?;
    digits.parse().map_err(|_| NotThis)
}

impl FromStr for Index {
    type Err = NotThis;
    fn from_str(text: &str) -> Result<Index, NotThis> {
        number(text, '%').map(Index)
    }
}

impl FromStr for Name {
    type Err = NotThis;
    fn from_str(text: &str) -> Result<Name, NotThis> {
        number(text, '$').map(Name)
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

define_language! {
    /// The nodes.
    pub enum Lambda {
        Number(i32),
        Index(Index),
        Name(Name),
        // \ body, over indices
        "lam" = Lam([Id; 1]),
        // \ name body
        "fun" = Fun([Id; 2]),
        "app" = App([Id; 2]),
        // (sub i e b): b with e, shifted by i, for variable i; those above go down by one
        "sub" = Sub([Id; 3]),
        // (shift k c b): b with k added to all variables from c on
        "shift" = Shift([Id; 3]),
        // (let name e b): b with e for the name
        "let" = Let([Id; 3]),
        Constant(Symbol),
    }
}

/// A graph of an encoding.
pub type Graph = EGraph<Lambda, Facts>;

/// The analysis.
#[derive(Clone, Default, Debug)]
pub struct Facts;

/// Facts of one class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Data {
    /// Indices or names that may occur free.
    pub free: BTreeSet<u32>,
    /// The number that it is, for depths and shifts.
    pub number: Option<i32>,
    /// The name that it is.
    pub name: Option<u32>,
    /// Nodes of its smallest term.
    pub size: u32,
    /// The first node of that term; its children are smaller.
    pub best: Lambda,
}

impl Analysis<Lambda> for Facts {
    type Data = Data;

    fn make(g: &mut Graph, node: &Lambda, _: Id) -> Data {
        let of = |id: &Id| &g[*id].data;
        let number = |id: &Id| of(id).number.expect("depths are numbers");
        let mut free = BTreeSet::new();
        let mut name = None;
        match node {
            Lambda::Index(i) => {
                free.insert(i.0);
            }
            Lambda::Name(n) => {
                free.insert(n.0);
                name = Some(n.0);
            }
            Lambda::Lam([b]) => free.extend(of(b).free.iter().filter_map(|i| i.checked_sub(1))),
            Lambda::Fun([x, b]) => {
                free.extend(of(b).free.iter().filter(|n| Some(**n) != of(x).name));
            }
            Lambda::App(children) => {
                free.extend(children.iter().flat_map(|c| of(c).free.iter()));
            }
            Lambda::Sub([i, e, b]) => {
                let i = number(i) as u32;
                let of_body = of(b).free.iter().filter(|n| **n != i);
                free.extend(of_body.map(|n| if *n > i { n - 1 } else { *n }));
                if of(b).free.contains(&i) {
                    free.extend(of(e).free.iter().map(|n| n + i));
                }
            }
            Lambda::Shift([k, c, b]) => {
                let (k, c) = (number(k), number(c) as u32);
                let moved = |n: &u32| match *n >= c {
                    true => n.checked_add_signed(k),
                    false => Some(*n),
                };
                free.extend(of(b).free.iter().filter_map(moved));
            }
            Lambda::Let([x, e, b]) => {
                let x = of(x).name;
                free.extend(of(b).free.iter().filter(|n| Some(**n) != x));
                if x.is_some_and(|x| of(b).free.contains(&x)) {
                    free.extend(&of(e).free);
                }
            }
            Lambda::Number(_) | Lambda::Constant(_) => {}
        }
        let number = match node {
            Lambda::Number(n) => Some(*n),
            _ => None,
        };
        let size = node.fold(1u32, |size, c| size.saturating_add(of(&c).size));
        Data {
            free,
            number,
            name,
            size,
            best: node.clone(),
        }
    }

    fn merge(&mut self, a: &mut Data, b: Data) -> DidMerge {
        let old = a.clone();
        a.free.extend(&b.free);
        a.number = a.number.or(b.number);
        a.name = a.name.or(b.name);
        if b.size < a.size {
            (a.size, a.best) = (b.size, b.best.clone());
        }
        let differs =
            |d: &Data| (&d.free, d.number, d.name, d.size) != (&a.free, a.number, a.name, a.size);
        DidMerge(differs(&old), differs(&b))
    }
}
