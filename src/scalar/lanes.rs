//! How many lanes there are: numbers, and products of numbers and of names of a rule.
//!
//! Invariant: products are in normal form, so counts that are equal whatever names stand for are equal. Counts are at least 1, and one
//! lane is no vector. Absent: sums and quotients of counts, which no operator makes.

use crate::intern::{NotSend, Symbol};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

/// The most lanes that a vector may have.
pub const MAX_LANES: i64 = 1 << 16;

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Lanes {
    /// No vector.
    One,
    Fixed(u32),
    /// As many as names of a rule stand for.
    Named(Count),
}

/// A product of a number and at least one name; equal ids ⇔ equal products. Ids are of their thread.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Count(u32, NotSend);

/// Names are sorted, and stand as often as they are a factor.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Product {
    factor: u32,
    names: Vec<Symbol>,
}

#[derive(Default)]
struct Products {
    ids: FxHashMap<Product, u32>,
    all: Vec<Product>,
}

thread_local! {
    static PRODUCTS: RefCell<Products> = RefCell::default();
}

impl Lanes {
    /// So many; `None` outside of `1..=MAX_LANES`.
    pub fn fixed(n: i64) -> Option<Lanes> {
        match n {
            1 => Some(Lanes::One),
            2..=MAX_LANES => Some(Lanes::Fixed(n as u32)),
            _ => None,
        }
    }

    pub fn named(name: Symbol) -> Lanes {
        Lanes::intern(Product {
            factor: 1,
            names: vec![name],
        })
    }

    /// So many of each of these; `None` where a number is too large.
    pub fn times(self, other: Lanes) -> Option<Lanes> {
        if self == Lanes::One || other == Lanes::One {
            return Some(if self == Lanes::One { other } else { self });
        }
        let (mut a, b) = (self.product(), other.product());
        a.factor = a.factor.checked_mul(b.factor)?;
        a.names.extend(b.names);
        a.names.sort();
        (i64::from(a.factor) <= MAX_LANES).then(|| Lanes::intern(a))
    }

    /// What `part` has to be multiplied by, if it is a factor whatever names stand for.
    pub fn without(self, part: Lanes) -> Option<Lanes> {
        let (mut a, b) = (self.product(), part.product());
        if a.factor % b.factor != 0 {
            return None;
        }
        a.factor /= b.factor;
        for name in b.names {
            let at = a.names.iter().position(|n| *n == name)?;
            a.names.remove(at);
        }
        Some(Lanes::intern(a))
    }

    /// The names, each as often as it is a factor.
    pub fn names(self) -> Vec<Symbol> {
        self.product().names
    }

    /// The number that the names are multiplied by.
    pub fn factor(self) -> u32 {
        self.product().factor
    }

    /// The number, where names stand for these; `None` if one is unknown, or it is no number of lanes.
    pub fn value(self, of: &dyn Fn(Symbol) -> Option<i128>) -> Option<usize> {
        let Product { factor, names } = self.product();
        let within = |n: &i128| (1..=i128::from(MAX_LANES)).contains(n);
        let mut names = names.into_iter();
        let product = names.try_fold(i128::from(factor), |all, name| {
            of(name).filter(within).map(|n| all * n).filter(within)
        });
        product.map(|n| n as usize)
    }

    fn product(self) -> Product {
        let number = |factor: u32| Product {
            factor,
            names: Vec::new(),
        };
        match self {
            Lanes::One => number(1),
            Lanes::Fixed(n) => number(n),
            Lanes::Named(Count(id, _)) => PRODUCTS.with_borrow(|t| t.all[id as usize].clone()),
        }
    }

    fn intern(product: Product) -> Lanes {
        match (product.factor, product.names.is_empty()) {
            (1, true) => return Lanes::One,
            (n, true) => return Lanes::Fixed(n),
            _ => {}
        }
        PRODUCTS.with_borrow_mut(|t| {
            let next = t.all.len() as u32;
            let id = *t.ids.entry(product.clone()).or_insert(next);
            if id == next {
                t.all.push(product);
            }
            Lanes::Named(Count(id, PhantomData))
        })
    }
}

/// `l`, `l * l0`, `l * 4`
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Product { factor, names } = Lanes::Named(*self).product();
        let names = names.iter().map(|n| n.to_string());
        let number = (factor > 1).then(|| factor.to_string());
        f.write_str(&names.chain(number).collect::<Vec<String>>().join(" * "))
    }
}

impl fmt::Debug for Count {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
