//! The e-graph: adding terms, substitution and shifting by extraction.
//!
//! Substituting in a class means: follow the best nodes of the class and its
//! children as long as they mention the variable, and add the result. No term
//! is stored anywhere. Invariant: everything that is added has the type of what
//! it stands for. See `Note [Stale facts]`.
//!
//! Note [Stale facts]: between a union and the next rebuild the facts of
//! parents may be older than those of their children. That is sound: a class
//! that once held a term without variable `i` means something that does not
//! depend on `i`, so returning it unchanged is right; and where a best node
//! leads to a variable that has no new name, the operation answers `None` and
//! the rule is not applied.

//!
//! Note [Variables of other binders]: a class may hold a term with a variable of another type than that of the binder
//! around it: `fst (c, %0)` is `c`, whatever `%0` is, and `c` stands under many binders. So what looks like a redex is one
//! only if its types say so: `\ f %0` is f if it has f's type, and a value is put in place of `%0` only if it has its
//! type. Otherwise nothing is reduced, or the operation answers `None`. A term that leaves the graph is looked at first:
//! `sketch` extracts none with such a variable.

use super::facts::{Facts, FactsOf, Heads};
use super::node::{LitId, Node, Shape};
use super::record::{raw, word};
use crate::term::{Kind, Term};
use crate::ty::Ty;
use egg::{EClass, EGraph, Id};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An e-graph of typed terms.
pub struct Graph {
    pub(super) egg: EGraph<Node, FactsOf>,
    /// Whether what is added is kept β/η-normal where best nodes show a redex.
    pub normalize: bool,
    scratch: Memo,
    /// Substitutions that run, one inside of the other.
    nested: u32,
    /// Redexes that may still be reduced within the outermost of them.
    fuel: u32,
    /// Nodes that substitutions have looked at.
    pub built: u64,
}

/// How many redexes one substitution may reduce on its way. Typed terms have
/// normal forms, but a class stands for many terms: following best nodes from
/// class to class can come round again and would never end.
const FUEL: u32 = 64;

thread_local! {
    static STILL: quanta::Clock = quanta::Clock::mock().0;
}

/// Bytes of the table that takes the place of one with so many entries, if so many more do not fit.
fn doubled<T>(entries: usize, more: usize) -> usize {
    // Of eight slots one is always empty, and there is a byte more for each.
    let slots = (entries * 8).div_ceil(7).next_power_of_two();
    if entries + more > slots / 8 * 7 {
        2 * slots * (std::mem::size_of::<T>() + 1)
    } else {
        0
    }
}

/// Results of visits, with their numbers.
type Memo = FxHashMap<(Id, u32), (Id, u32)>;

/// How free variables of a class are renamed: those below the number of
/// `names` one by one (`None`: it may not occur), the others by `delta`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Renaming {
    /// New index of each of the first variables.
    pub names: Vec<Option<u32>>,
    /// What is added to all others.
    pub delta: i32,
}

impl Renaming {
    /// Adds `delta` to every index.
    pub fn shift(delta: i32) -> Renaming {
        Renaming {
            names: Vec::new(),
            delta,
        }
    }

    /// Whether nothing changes.
    pub fn is_identity(&self) -> bool {
        self.delta == 0
            && (self.names.iter().enumerate()).all(|(i, n)| n.is_none_or(|n| n == i as u32))
    }

    /// The new index of variable `i`.
    pub fn apply(&self, i: u32) -> Option<u32> {
        match self.names.get(i as usize) {
            Some(name) => *name,
            None => i.checked_add_signed(self.delta),
        }
    }
}

/// What happens to free variables.
enum Change<'a> {
    Rename(&'a Renaming),
    /// Variable 0 becomes the class, the others go down by one.
    Instantiate(Id),
}

impl Graph {
    /// An empty e-graph; `heads` are the operations that rules look for.
    pub fn new(heads: Heads, normalize: bool) -> Graph {
        Graph {
            egg: EGraph::new(FactsOf {
                heads,
                record: None,
            }),
            normalize,
            scratch: Memo::default(),
            nested: 0,
            fuel: FUEL,
            built: 0,
        }
    }

    /// The operations with bits of their own.
    pub fn heads(&self) -> &Heads {
        &self.egg.analysis.heads
    }

    /// E-nodes held.
    pub fn nodes(&self) -> usize {
        self.egg.total_size()
    }

    /// Classes held.
    pub fn classes(&self) -> usize {
        self.egg.number_of_classes()
    }

    /// Bytes that tables and lists take anew when so many more e-nodes are added: they double when they are full, and hold
    /// what they held meanwhile.
    pub fn growth(&self, more: usize) -> u64 {
        let nodes = doubled::<(Node, Id)>(self.nodes(), more);
        let classes = doubled::<(Id, EClass<Node, Facts>)>(self.classes(), more);
        let ids = self.egg.nodes().len();
        let room = ids.next_power_of_two();
        let lists = match ids + more > room {
            true => 2 * room * std::mem::size_of::<(Node, Id)>(),
            false => 0,
        };
        (nodes + classes + lists) as u64
    }

    /// Facts of a class.
    pub fn facts(&self, id: Id) -> &Facts {
        &self.egg[id].data
    }

    /// The nodes of a class.
    pub fn class_nodes(&self, id: Id) -> &[Node] {
        &self.egg[id].nodes
    }

    /// The canonical id of a class.
    pub fn find(&self, id: Id) -> Id {
        self.egg.find(id)
    }

    /// Adds a node; gives the id of exactly this node, which may not be the
    /// canonical one of its class.
    pub fn add(&mut self, node: Node) -> Id {
        self.egg.add_uncanonical(node)
    }

    /// Merges two classes; whether they were different.
    pub fn union(&mut self, a: Id, b: Id) -> bool {
        self.egg.union(a, b)
    }

    /// Restores the invariants after unions.
    pub fn rebuild(&mut self) {
        // The engine takes the time for its log. The first look at its clock would calibrate it, which takes longer
        // than many searches do: it gets one that stands still.
        STILL.with(|clock| quanta::with_clock(clock, || self.egg.rebuild()));
        self.note_rebuilt();
    }

    /// Adds a term as it is.
    pub fn add_term(&mut self, t: &Term) -> Id {
        let shape = match t.kind() {
            Kind::Var(i) => Shape::Var(*i),
            Kind::Lam(_, b) => Shape::Lam([self.add_term(b)]),
            Kind::App(f, x) => Shape::App([self.add_term(f), self.add_term(x)]),
            Kind::Prim(p) => Shape::Prim(*p),
            Kind::Lit(l) => Shape::Lit(LitId::new(*l)),
            Kind::Hole(_) => panic!("a pattern is no term"),
        };
        self.add(Node::new(shape, t.ty()))
    }

    /// The term that best nodes lead to.
    pub fn best_term(&self, id: Id) -> Term {
        self.node_term(&self.facts(id).best)
    }

    /// The same, if it can stand anywhere: what best nodes lead to may have a variable of another binder, see Note
    /// [Variables of other binders].
    pub fn best_well_scoped(&self, id: Id) -> Option<Term> {
        let term = self.best_term(id);
        let mut free = BTreeMap::new();
        let mut agrees = |i, ty| *free.entry(i).or_insert(ty) == ty;
        term.is_well_scoped(&mut agrees).then_some(term)
    }

    /// The term of a node over best terms.
    pub fn node_term(&self, node: &Node) -> Term {
        match node.shape {
            Shape::Var(i) => Term::var(i, node.ty),
            Shape::Lam([b]) => {
                let (arg, _) = node.ty.as_fun().expect("a lambda is a function");
                Term::lam(None, arg, self.best_term(b))
            }
            Shape::App([f, x]) => Term::app(self.best_term(f), self.best_term(x)),
            Shape::Prim(p) => Term::prim(p, node.ty),
            Shape::Lit(l) => Term::lit(l.get(), node.ty),
        }
    }

    /// `f x` of type `ty`; with `normalize` a β-redex that best nodes show is
    /// reduced instead of added.
    pub fn app(&mut self, f: Id, x: Id, ty: Ty) -> Option<Id> {
        if self.normalize {
            if let Shape::Lam([body]) = self.facts(f).best.shape {
                if self.may_reduce() {
                    self.note_all(&[word::BETA, raw(body), raw(x)]);
                    return self.instantiate(body, x);
                }
            }
        }
        let made = self.add(Node::new(Shape::App([f, x]), ty));
        self.note_made(made);
        Some(made)
    }

    /// `\ body` of type `ty`; with `normalize` an η-redex that best nodes show
    /// is reduced instead of added.
    pub fn lam(&mut self, body: Id, ty: Ty) -> Option<Id> {
        if self.normalize {
            if let Some([f, x]) = self.eta(body, ty) {
                if self.may_reduce() {
                    self.note_all(&[word::ETA, raw(f), raw(x)]);
                    return self.rename(f, &Renaming::shift(-1));
                }
            }
        }
        Some(self.lam_as_it_is(body, ty))
    }

    /// `\ body` of type `ty`, even if it is an η-redex.
    pub fn lam_as_it_is(&mut self, body: Id, ty: Ty) -> Id {
        let made = self.add(Node::new(Shape::Lam([body]), ty));
        self.note_made(made);
        made
    }

    /// `f` and `%0`, if the best node of `body` is `f %0` and `f`, which does not mention `%0`, has the type `ty` of the
    /// lambda. See Note [Variables of other binders].
    fn eta(&self, body: Id, ty: Ty) -> Option<[Id; 2]> {
        let Shape::App([f, x]) = self.facts(body).best.shape else {
            return None;
        };
        let var = matches!(self.facts(x).best.shape, Shape::Var(0));
        (var && !self.facts(f).free.has(0) && self.facts(f).ty == ty).then_some([f, x])
    }

    fn may_reduce(&mut self) -> bool {
        // Outside of a substitution one begins with fuel of its own, see `change`.
        let may = self.nested == 0 || self.fuel > 0;
        self.fuel = self.fuel.saturating_sub(1);
        may
    }

    /// The class with its free variables renamed.
    pub fn rename(&mut self, id: Id, renaming: &Renaming) -> Option<Id> {
        if renaming.is_identity() {
            return Some(id);
        }
        self.change(id, &Change::Rename(renaming))
    }

    /// `body` with `value` for variable 0, the other variables one less.
    pub fn instantiate(&mut self, body: Id, value: Id) -> Option<Id> {
        self.change(body, &Change::Instantiate(value))
    }

    fn change(&mut self, id: Id, change: &Change) -> Option<Id> {
        let mut memo = std::mem::take(&mut self.scratch);
        memo.clear();
        if self.nested == 0 {
            self.fuel = FUEL;
        }
        self.nested += 1;
        let result = self.change_at(id, 0, change, &mut memo);
        self.nested -= 1;
        self.scratch = memo;
        result
    }

    fn change_at(&mut self, id: Id, depth: u32, change: &Change, memo: &mut Memo) -> Option<Id> {
        self.built += 1;
        let facts = self.facts(id);
        if !facts.free.any_from(depth) {
            self.note(word::KEEP);
            return Some(id);
        }
        let node = facts.best;
        if let Shape::Var(i) = node.shape {
            self.note_node(&node);
            return self.change_var(i, depth, node.ty, change);
        }
        let id = self.find(id);
        if let Some(&(done, number)) = memo.get(&(id, depth)) {
            self.note(word::MEMO | number << 3);
            return Some(done);
        }
        self.note_node(&node);
        let result = match node.shape {
            Shape::Lam([b]) => {
                let body = self.change_at(b, depth + 1, change, memo)?;
                self.lam(body, node.ty)?
            }
            Shape::App([f, x]) => {
                let f = self.change_at(f, depth, change, memo)?;
                let x = self.change_at(x, depth, change, memo)?;
                self.app(f, x, node.ty)?
            }
            Shape::Var(_) | Shape::Prim(_) | Shape::Lit(_) => id,
        };
        let number = memo.len() as u32;
        memo.insert((id, depth), (result, number));
        Some(result)
    }

    fn change_var(&mut self, i: u32, depth: u32, ty: Ty, change: &Change) -> Option<Id> {
        // The union of free variables may name more than the best term has.
        if i < depth {
            return Some(self.add(Node::new(Shape::Var(i), ty)));
        }
        let index = match change {
            Change::Rename(r) => r.apply(i - depth)? + depth,
            Change::Instantiate(value) if i == depth => {
                // Note [Variables of other binders]
                if self.facts(*value).ty != ty {
                    return None;
                }
                return self.rename(*value, &Renaming::shift(depth as i32));
            }
            Change::Instantiate(_) => i - 1,
        };
        Some(self.add(Node::new(Shape::Var(index), ty)))
    }

    /// The size of `instantiate(body, value)` without adding anything. Where a
    /// bound is within `room` already, the bound.
    pub fn instantiated_size(&self, body: Id, value: Id, room: u32) -> u32 {
        let (b, v) = (self.facts(body), self.facts(value));
        if u64::from(b.best_size) * u64::from(v.best_size) <= u64::from(room) {
            return b.best_size.saturating_mul(v.best_size);
        }
        let uses = self.count_uses(body, 0, &mut FxHashMap::default());
        let grown = u64::from(b.best_size) + u64::from(uses) * u64::from(v.best_size - 1);
        grown.min(u64::from(u32::MAX)) as u32
    }

    fn count_uses(&self, id: Id, var: u32, memo: &mut FxHashMap<(Id, u32), u32>) -> u32 {
        let facts = self.facts(id);
        if !facts.free.has(var) {
            return 0;
        }
        let key = (self.find(id), var);
        if let Some(&n) = memo.get(&key) {
            return n;
        }
        let n = match facts.best.shape {
            Shape::Var(i) => u32::from(i == var),
            Shape::Lam([b]) => self.count_uses(b, var + 1, memo),
            Shape::App([f, x]) => self
                .count_uses(f, var, memo)
                .saturating_add(self.count_uses(x, var, memo)),
            Shape::Prim(_) | Shape::Lit(_) => 0,
        };
        memo.insert(key, n);
        n
    }
}
