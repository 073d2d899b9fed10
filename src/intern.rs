//! Per-thread tables that turn values into small ids.
//!
//! Comes in: a value; goes out: a `u32` such that equal values have equal ids.
//! Invariant: ids are given in order of first use, so one thread that does the
//! same work twice gives the same ids; nothing printed may depend on them all
//! the same. Ids of one thread mean nothing in another, therefore every id type
//! carries [`NotSend`] and the compiler keeps it where it belongs.
//! Absent: removal; tables live as long as their thread.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::rc::Rc;

/// Zero-sized marker that keeps an id on its thread.
pub type NotSend = PhantomData<*const ()>;

/// A hash-consing table: `id ⇔ value`. The id is the place in the set.
pub struct Table<T> {
    ids: IndexSet<T, FxBuildHasher>,
    /// The same in the same order: they are read much more often than looked for.
    values: Vec<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table {
            ids: IndexSet::default(),
            values: Vec::new(),
        }
    }
}

impl<T: Hash + Eq + Clone> Table<T> {
    /// The id of `value`, and whether it is new.
    pub fn intern(&mut self, value: T) -> (u32, bool) {
        match self.ids.get_index_of(&value) {
            Some(id) => (id as u32, false),
            None => self.insert(value),
        }
    }

    fn insert(&mut self, value: T) -> (u32, bool) {
        let id = self.values.len() as u32;
        self.values.push(value.clone());
        self.ids.insert(value);
        (id, true)
    }

    /// The value of `id`.
    pub fn get(&self, id: u32) -> &T {
        &self.values[id as usize]
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no value was interned yet.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// Values that are kept by whoever has them while the table is written to.
impl<T: Hash + Eq> Table<Rc<T>> {
    /// The id of `value`, and whether it is new: nothing is allocated for one that is there.
    pub fn intern_shared(&mut self, value: T) -> (u32, bool) {
        match self.ids.get_index_of(&value) {
            Some(id) => (id as u32, false),
            None => self.insert(Rc::new(value)),
        }
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
