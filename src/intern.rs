//! Per-thread tables that turn values into small ids.
//!
//! Comes in: a value; goes out: a `u32` such that equal values have equal ids.
//! Invariant: ids are given in order of first use, so one thread that does the
//! same work twice gives the same ids; nothing printed may depend on them all
//! the same. Ids of one thread mean nothing in another, therefore every id type
//! carries [`NotSend`] and the compiler keeps it where it belongs.
//! Absent: removal; tables live as long as their thread.

use hashconsing::{HConsed, HConsign, HashConsign};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

/// Zero-sized marker that keeps an id on its thread.
pub type NotSend = PhantomData<*const ()>;

/// A value of a table, held by whoever has it.
pub type Shared<T> = HConsed<T>;

/// A hash-consing table: `id ⇔ value`.
pub struct Table<T: Hash + Eq + Clone> {
    consign: HConsign<T, FxBuildHasher>,
    items: Vec<HConsed<T>>,
}

impl<T: Hash + Eq + Clone> Default for Table<T> {
    fn default() -> Self {
        Table {
            consign: HConsign::with_hasher(FxBuildHasher),
            items: Vec::new(),
        }
    }
}

impl<T: Hash + Eq + Clone> Table<T> {
    /// The id of `value`, and whether it is new.
    pub fn intern(&mut self, value: T) -> (u32, bool) {
        let consed = (&mut self.consign).mk(value);
        let id = consed.uid() as usize;
        let new = id == self.items.len();
        if new {
            self.items.push(consed);
        }
        (id as u32, new)
    }

    /// The value of `id`.
    pub fn get(&self, id: u32) -> &T {
        &self.items[id as usize]
    }

    /// The same, to be kept while the table is written to.
    pub fn share(&self, id: u32) -> Shared<T> {
        self.items[id as usize].clone()
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether no value was interned yet.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[derive(Default)]
struct Symbols {
    ids: FxHashMap<&'static str, u32>,
    names: Vec<&'static str>,
}

thread_local! {
    static SYMBOLS: RefCell<Symbols> = RefCell::default();
}

/// An interned name. Ordered by its text, so that it may stand in ordered maps.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Symbol(u32, NotSend);

impl Symbol {
    /// The symbol of `name`.
    pub fn new(name: &str) -> Symbol {
        SYMBOLS.with_borrow_mut(|t| {
            if let Some(&id) = t.ids.get(name) {
                return Symbol(id, PhantomData);
            }
            let id = t.names.len() as u32;
            // Names are few and live as long as the process.
            let text: &'static str = Box::leak(name.into());
            t.names.push(text);
            t.ids.insert(text, id);
            Symbol(id, PhantomData)
        })
    }

    /// A dense id, unique in this thread; for tables only.
    pub fn id(self) -> u32 {
        self.0
    }

    /// Its text.
    pub fn as_str(self) -> &'static str {
        SYMBOLS.with_borrow(|t| t.names[self.0 as usize])
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Symbol {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&str> for Symbol {
    fn from(name: &str) -> Symbol {
        Symbol::new(name)
    }
}
