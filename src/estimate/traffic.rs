//! What a statement moves between the caches, in cycles.
//!
//! In: a statement with the sizes around it. Out: cycles of one thread. An access is known by its array, the loops around it
//! and its stride in each. What the inner loops touch together, if it fits a cache, comes into it once for each iteration
//! of the loops around them.

use super::compute::written_out;
use super::sizes::{stride, truth, value, Env};
use super::{both, Context, LINE};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, BufId, ExprKind, Stmt, StorageClass};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a page, pages whose places a processor has at hand, and cycles to go to another one: what comes next is not foreseen across
/// pages, and lines at such distances share few places in a cache.
const PAGE: u64 = 4096;
const PAGES: i64 = 64;
const JUMP: f64 = 48.0;
/// Lines of a column that are read again share few places in a cache where rows are a multiple of so many bytes apart; how long each
/// then takes, and how likely that is of a size that may be any.
const ALIKE: u64 = 2048;
const AGAIN: f64 = 10.0;
const LIKELY: f64 = 0.25;
/// Places of one array that are told apart.
const PLACES: usize = 256;

/// What is one to caches: accesses to an array that have the same strides.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Strides {
    buf: BufId,
    /// The loops around it, outermost first, how often each runs and the stride in it.
    loops: Vec<(Symbol, i64, i64)>,
}

/// All of them together.
struct Access {
    of: Strides,
    bytes: u64,
    /// In so many places that lie apart.
    places: usize,
    /// Whether a stride is made of sizes that may be any.
    open: bool,
    /// Where it begins in the array, in bytes.
    begin: i64,
    /// Bytes of lines that it touches in its loops from the one at each depth on.
    touched: Vec<f64>,
}

/// What the accesses of a statement are.
fn accesses(cx: &Context, s: &Stmt) -> Vec<Access> {
    let mut found = Found {
        cx,
        env: cx.env.clone(),
        loops: Vec::new(),
        names: BTreeMap::new(),
        all: BTreeMap::new(),
    };
    found.stmt(s);
    let all = found.all.into_iter();
    let elem = |a: &Strides| cx.nest.buffers[a.buf.0 as usize].elem.bytes() as i64;
    let all = all.map(|a| joined(elem(&a.0), a));
    let with_lines = |a: Access| Access {
        touched: (0..=a.of.loops.len())
            .map(|depth| touched(cx, &a, depth))
            .collect(),
        ..a
    };
    all.map(with_lines).collect()
}

impl Access {
    /// Bytes of lines that it touches in its loops from the one at a depth on.
    fn touched(&self, depth: usize) -> f64 {
        let all = &self.touched;
        all.get(depth).or(all.last()).copied().unwrap_or(0.0)
    }
}

/// Cycles to bring all that a statement touches from memory once.
pub fn once(cx: &Context, s: &Stmt) -> f64 {
    let each = cx.machine.caches.last().map_or(0.0, |c| c.1);
    let all = accesses(cx, s);
    each * all.iter().map(|a| a.touched(0)).sum::<f64>()
}

pub fn cycles(cx: &Context, s: &Stmt) -> f64 {
    let all = accesses(cx, s);
    let mut longest = 0.0;
    let whole: f64 = all.iter().map(|a| a.touched(0)).sum();
    for (bytes, each) in cx.machine.caches {
        if cx.again && whole <= bytes {
            break;
        }
        let through: f64 = all.iter().map(|a| each * moved(&all, a, bytes)).sum();
        longest = both(longest, through);
    }
    longest
        + all
            .iter()
            .map(|a| JUMP * jumps(cx, a) + conflicts(cx, a))
            .sum::<f64>()
}

/// Cycles for the lines of columns that are read again, of which a cache may keep few.
fn conflicts(cx: &Context, a: &Access) -> f64 {
    let elem = cx.nest.buffers[a.of.buf.0 as usize].elem.bytes();
    let step = |l: &(Symbol, i64, i64)| l.2.unsigned_abs().saturating_mul(elem);
    let Some(column) = a.of.loops.iter().rposition(|l| step(l) > LINE as u64) else {
        return 0.0;
    };
    // What goes along a row reads lines whose places differ.
    if a.of.loops[column + 1..].iter().any(|l| l.2 != 0) {
        return 0.0;
    }
    let again = a.of.loops[..column].iter().any(|l| l.2 == 0 && l.1 > 1);
    let lines = a.of.loops[column].1.saturating_mul(a.places as i64);
    let likely = match a.open {
        true => LIKELY,
        false => f64::from(step(&a.of.loops[column]) % ALIKE == 0),
    };
    match again && lines > PAGES {
        true => {
            let times = a.of.loops[..=column].iter().map(|l| l.1 as f64);
            likely * AGAIN * a.places as f64 * times.product::<f64>()
        }
        false => 0.0,
    }
}

/// How often an access goes to another page, of more than are at hand, in an array that no near cache holds.
fn jumps(cx: &Context, a: &Access) -> f64 {
    let buffer = &cx.nest.buffers[a.of.buf.0 as usize];
    let elem = buffer.elem.bytes();
    let near = cx.machine.caches.get(1).map_or(0.0, |c| c.0);
    let far = |l: &(Symbol, i64, i64)| l.2.unsigned_abs().saturating_mul(elem) >= PAGE;
    let Some(last) = a.of.loops.iter().rposition(far) else {
        return 0.0;
    };
    let large = value(buffer.len, &cx.env) as f64 * elem as f64 > near;
    let pages = a.of.loops[last].1.saturating_mul(a.places as i64);
    if !large || pages <= PAGES {
        return 0.0;
    }
    // The more there are, the fewer of them are at hand.
    let missing = 1.0 - PAGES as f64 / pages as f64;
    missing
        * a.places as f64
        * a.of.loops[..=last]
            .iter()
            .map(|l| l.1 as f64)
            .product::<f64>()
}

struct Found<'a> {
    cx: &'a Context<'a>,
    env: Env,
    loops: Vec<(Symbol, i64)>,
    /// What names of indices stand for, in terms of loops.
    names: BTreeMap<Symbol, Nat>,
    /// What accesses with the same strides have apart.
    all: BTreeMap<Strides, Places>,
}

/// Where accesses with the same strides begin, and their bytes; whether a stride is made of sizes that may be any.
#[derive(Default)]
struct Places {
    begin: BTreeSet<(i64, u64)>,
    open: bool,
}

impl Found<'_> {
    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::For {
                var, extent, body, ..
            } => {
                let n = value(*extent, &self.env).max(0);
                self.env.insert(*var, n / 2);
                self.loops.push((*var, n));
                body.iter().for_each(|s| self.stmt(s));
                self.loops.pop();
            }
            Stmt::If { cond, then, els } => {
                let known = truth(cond, &self.env);
                let sides = [(then, Some(false)), (els, Some(true))];
                let runs = sides
                    .iter()
                    .filter(|(_, not)| known.is_none() || known != *not);
                runs.flat_map(|(side, _)| *side).for_each(|s| self.stmt(s));
            }
            Stmt::Index { var, value: n } => {
                let known = value(*n, &self.env);
                self.env.insert(*var, known);
                self.names.insert(*var, written_out(*n, &self.names));
            }
            _ => {}
        }
        if let Stmt::Store {
            buf, index, value, ..
        } = s
        {
            self.access(*buf, *index, u64::from(value.shape().lanes));
        }
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let ExprKind::Load(buf, index) = e.kind() {
                    self.access(*buf, *index, u64::from(e.shape().lanes));
                }
            });
        }
    }

    fn access(&mut self, buf: BufId, index: Nat, lanes: u64) {
        let b = &self.cx.nest.buffers[buf.0 as usize];
        if matches!(b.storage, StorageClass::Stack | StorageClass::Gone) {
            return;
        }
        let index = written_out(index, &self.names);
        let all = self.loops.iter();
        let loops = all.map(|&(var, n)| (var, n, stride(index, var, &self.env)));
        let access = Strides {
            buf: self.cx.nest.root(buf),
            loops: loops.collect(),
        };
        let begin = value(index, &self.env).saturating_mul(b.elem.bytes() as i64);
        let all = self.all.entry(access).or_default();
        all.begin.insert((begin, b.elem.bytes() * lanes));
        all.open = all.open || self.loops.iter().any(|(var, _)| is_open(index, *var));
    }
}

/// Whether what an index grows by with a variable is no number.
fn is_open(index: Nat, var: Symbol) -> bool {
    let step = index.coefficient(var);
    step.is_some_and(|step| step.as_int().is_none())
}

/// Accesses that lie together as one; those that another iteration makes anyway are left out.
fn joined(elem: i64, (access, places): (Strides, Places)) -> Access {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for (begin, length) in places.begin {
        let end = begin.saturating_add(length as i64);
        match runs.last_mut() {
            Some(last) if begin.saturating_sub(last.1) < LINE as i64 => last.1 = last.1.max(end),
            _ => runs.push((begin, end)),
        }
    }
    let again = |by: i64| {
        let mut loops = access.loops.iter().filter(|l| l.2 != 0);
        loops.any(|l| by % (l.2 * elem) == 0 && (by / (l.2 * elem)).abs() < l.1)
    };
    let mut kept: Vec<i64> = Vec::new();
    for (begin, _) in &runs {
        if kept.len() < PLACES && !kept.iter().any(|k| again(begin - k)) {
            kept.push(*begin);
        }
    }
    let bytes = runs.iter().map(|r| r.1 - r.0).max().unwrap_or(0);
    Access {
        of: access,
        bytes: bytes.unsigned_abs(),
        places: kept.len(),
        open: places.open,
        begin: kept.first().copied().unwrap_or(0),
        touched: Vec::new(),
    }
}

/// Bytes of lines that an access touches in its loops from the one at a depth on.
fn touched(cx: &Context, a: &Access, depth: usize) -> f64 {
    let buffer = &cx.nest.buffers[a.of.buf.0 as usize];
    let elem = buffer.elem.bytes() as f64;
    let loops = a.of.loops.get(depth..).unwrap_or_default();
    let mut steps: Vec<(f64, f64)> = loops
        .iter()
        .filter(|l| l.2 != 0)
        .map(|l| (l.2.unsigned_abs() as f64 * elem, l.1 as f64))
        .collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    // How far what is contiguous reaches, and how often it is found.
    let (mut run, mut times) = (a.bytes as f64, 1.0);
    for (step, n) in steps {
        if step <= run.max(LINE) && times == 1.0 {
            run += step * (n - 1.0).max(0.0);
        } else {
            times *= n;
        }
    }
    let whole = value(buffer.len, &cx.env) as f64 * elem;
    (times * a.places as f64 * run.max(LINE)).min(whole.max(LINE))
}

/// Which part of what an access touches another one touches, too, in each iteration of loops around both that are so many.
fn covered(a: &Access, o: &Access, depth: usize) -> f64 {
    let (of, by) = (a.touched(depth), o.touched(depth));
    let apart = o.begin.abs_diff(a.begin) as f64;
    match depth > 0 && o.of.buf == a.of.buf && o.of.loops.get(..depth) == a.of.loops.get(..depth) {
        true => ((by - apart) / of).clamp(0.0, 1.0),
        false => 0.0,
    }
}

/// Bytes that an access brings into a cache.
fn moved(all: &[Access], a: &Access, cache: f64) -> f64 {
    let beside = |depth: usize| {
        let same = |o: &&Access| {
            let same = o.of.loops.iter().zip(&a.of.loops).take(depth);
            o.of.loops.len() >= depth && same.filter(|(x, y)| x.0 == y.0).count() == depth
        };
        all.iter()
            .filter(same)
            .map(|o| o.touched(depth))
            .sum::<f64>()
    };
    let depth = (0..=a.of.loops.len()).find(|&d| beside(d) <= cache);
    // What a loop beside it brought in before is there.
    let others = all.iter().take_while(|o| !std::ptr::eq(*o, a));
    let there = |d: usize| others.map(|o| covered(a, o, d)).fold(0.0, f64::max);
    let missing = 1.0 - depth.map_or(0.0, there);
    // What one iteration touches stays for the next one, so the whole loop around it brings each line once.
    let depth = depth.unwrap_or(a.of.loops.len()).saturating_sub(1);
    let around = a.of.loops[..depth].iter().map(|l| l.1 as f64);
    missing * a.touched(depth) * around.product::<f64>()
}
