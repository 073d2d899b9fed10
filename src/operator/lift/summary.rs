//! Steps as tables of linear maps.
//!
//! In: a step on the numbers of a state. Out: parameters of the function that it is for an element, and their composition. A
//! few numbers of the state have few values each (truth values, counters modulo k): for each choice of them there is a row,
//! with what comes after it and with a linear map over a semiring for the others. Maps are composed by the product of
//! matrices, rows by looking up. Numbers that the last element alone decides may be read in any way: the first element of a
//! block is kept then, and the map of the rest. Absent: that it is right (`claims`).

use super::bound::Bound;
use super::candidate::Candidate;
use super::semiring::{Entry, Semiring};
use super::simple::Builder;
use crate::operator::dag::Id;
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// A step on numbers.
#[derive(Clone)]
pub(super) struct Step {
    /// The numbers of the state, which are leaves.
    pub state: Vec<Id>,
    /// What becomes of them.
    pub next: Vec<Id>,
    /// The numbers of an element.
    pub inputs: Vec<Id>,
    /// What the state is at first.
    pub start: Vec<Option<Id>>,
    /// Numbers at the end of the state that stand for comparisons, and that are not there at first.
    pub bounds: Vec<Bound>,
}

/// A choice of the numbers of few values.
#[derive(Clone)]
struct Row {
    /// What they are next.
    next: Vec<Id>,
    /// A matrix for each block, with a last column for what is added.
    maps: Vec<Vec<Vec<Entry>>>,
}

struct Block {
    ring: Semiring,
    members: Vec<usize>,
}

struct Shape {
    /// Numbers of few values: which, and the values.
    controls: Vec<(usize, Vec<Id>)>,
    blocks: Vec<Block>,
    /// What the last element decides, and others read.
    memory: Vec<usize>,
}

/// Rows of a table.
const MOST_ROWS: usize = 9;
/// Values of a number that is none of truth.
const MOST_VALUES: usize = 8;
/// Numbers of a block.
const MOST_MEMBERS: usize = 5;

/// What a step is as a table of linear maps.
pub(super) fn find(b: &mut Builder, step: &Step) -> Option<Candidate> {
    let both = vec![b.truth(false)?, b.truth(true)?];
    let truths: Vec<(usize, Vec<Id>)> = (0..step.state.len())
        .filter(|j| b.ty(step.state[*j]) == Scalar::Bool)
        .map(|j| (j, both.clone()))
        .collect();
    let counters = counters(b, step);
    let resets = resets(b, step);
    let mut tried = Vec::new();
    for controls in [
        truths.clone(),
        [truths.clone(), counters].concat(),
        Vec::new(),
    ] {
        for memory in [Vec::new(), resets.clone()] {
            let rows: usize = controls.iter().map(|c| c.1.len()).product();
            let key = (controls.clone(), memory.clone());
            if rows > MOST_ROWS || tried.contains(&key) {
                continue;
            }
            tried.push(key);
            if let Some(found) = with_shape(b, step, controls.clone(), memory) {
                return found.shrunk(b);
            }
        }
    }
    None
}

/// The same with numbers of the state told by their opposites.
pub(super) fn find_turned(b: &mut Builder, step: &Step) -> Option<Candidate> {
    let turns = |b: &Builder, j: &usize| {
        let ty = b.ty(step.state[*j]);
        ty.is_float() || ty.is_signed() && !b.meaning.wraps()
    };
    let numbers: Vec<usize> = (0..step.state.len()).filter(|j| turns(b, j)).collect();
    if numbers.len() < 2 || numbers.len() > MOST_MEMBERS {
        return None;
    }
    // All but the first: turned all together they are as before, but for least and largest.
    for choice in 1usize..1 << (numbers.len() - 1) {
        let turned = |at: &usize| choice >> at & 1 == 1;
        let chosen = numbers.iter().enumerate().filter(|(at, _)| turned(at));
        let chosen: Vec<usize> = chosen.map(|(_, j)| *j).collect();
        let mut other = step.clone();
        let mut put = BTreeMap::new();
        for &j in &chosen {
            let opposite = b.apply(Op::Neg, &[step.state[j]])?;
            put.insert(step.state[j], opposite);
            other.start[j] = None;
        }
        other.next = b.substitute(&step.next, &put)?;
        for &j in &chosen {
            other.next[j] = b.apply(Op::Neg, &[other.next[j]])?;
        }
        if let Some(mut found) = find(b, &other) {
            found.finish = b.substitute(&found.finish, &put)?;
            for &j in &chosen {
                found.finish[j] = b.apply(Op::Neg, &[found.finish[j]])?;
            }
            return Some(found);
        }
    }
    None
}

/// Numbers of the state that the element alone decides, and which are read.
fn resets(b: &Builder, step: &Step) -> Vec<usize> {
    let state: BTreeSet<Id> = step.state.iter().copied().collect();
    let decided = |j: &usize| !b.mentions(step.next[*j], &state);
    let read = |j: &usize| {
        let leaf = BTreeSet::from([step.state[*j]]);
        step.next.iter().any(|e| b.mentions(*e, &leaf))
    };
    (0..step.state.len())
        .filter(|j| decided(j) && read(j))
        .collect()
}

/// Numbers that have few values, as the start is known.
pub(super) fn counters(b: &mut Builder, step: &Step) -> Vec<(usize, Vec<Id>)> {
    let whole = |j: &usize| b.ty(step.state[*j]).is_int() && step.start[*j].is_some();
    let mut among: Vec<usize> = (0..step.state.len()).filter(whole).collect();
    loop {
        match values_of(b, step, &among) {
            Ok(found) => return found,
            Err(none) => among.retain(|j| *j != none),
        }
    }
}

/// All values that these numbers have; or one of them that has many.
fn values_of(
    b: &mut Builder,
    step: &Step,
    among: &[usize],
) -> Result<Vec<(usize, Vec<Id>)>, usize> {
    let first = |j: &usize| step.start[*j].into_iter().collect::<BTreeSet<Id>>();
    let mut values: Vec<BTreeSet<Id>> = among.iter().map(first).collect();
    loop {
        let lists: Vec<Vec<Id>> = values.iter().map(|v| v.iter().copied().collect()).collect();
        let mut grown = values.clone();
        for choice in choices(&lists) {
            let put = among
                .iter()
                .zip(&choice)
                .map(|(j, c)| (step.state[*j], *c))
                .collect();
            for (at, j) in among.iter().enumerate() {
                let next = b.substitute(&[step.next[*j]], &put).ok_or(*j)?;
                if !b.choices(next[0], &mut grown[at]) || grown[at].len() > MOST_VALUES {
                    return Err(*j);
                }
            }
        }
        if grown == values {
            return Ok(among.iter().copied().zip(lists).collect());
        }
        let rows: usize = grown.iter().map(BTreeSet::len).product();
        if rows > 4 * MOST_ROWS {
            return Err(among[0]);
        }
        values = grown;
    }
}

/// One of each list, in all ways; the last changes first.
fn choices(lists: &[Vec<Id>]) -> Vec<Vec<Id>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        let with = |before: &Vec<Id>| {
            let more = |id: &Id| [&before[..], &[*id]].concat();
            list.iter().map(more).collect::<Vec<_>>()
        };
        all.iter().flat_map(with).collect()
    })
}

fn with_shape(
    b: &mut Builder,
    step: &Step,
    controls: Vec<(usize, Vec<Id>)>,
    memory: Vec<usize>,
) -> Option<Candidate> {
    let lists: Vec<Vec<Id>> = controls.iter().map(|c| c.1.clone()).collect();
    let mut rows = Vec::new();
    for choice in choices(&lists) {
        let put = controls
            .iter()
            .zip(choice)
            .map(|(c, v)| (step.state[c.0], v))
            .collect();
        rows.push(b.substitute(&step.next, &put)?);
    }
    let data: Vec<usize> = (0..step.state.len())
        .filter(|j| !memory.contains(j) && controls.iter().all(|c| c.0 != *j))
        .collect();
    let leaves: BTreeSet<Id> = data.iter().map(|j| step.state[*j]).collect();
    for row in &rows {
        if controls.iter().any(|c| b.mentions(row[c.0], &leaves)) {
            return None;
        }
    }
    let mut blocks = Vec::new();
    for members in connected(b, step, &data, &rows) {
        blocks.push(block(b, step, members, &rows)?);
    }
    let shape = Shape {
        controls,
        blocks,
        memory,
    };
    let table = shape.table(b, step, &rows)?;
    shape.candidate(b, step, table)
}

/// Numbers that read each other, together.
fn connected(b: &Builder, step: &Step, data: &[usize], rows: &[Vec<Id>]) -> Vec<Vec<usize>> {
    let reads = |i: usize, j: usize| {
        let leaf = BTreeSet::from([step.state[j]]);
        rows.iter().any(|row| b.mentions(row[i], &leaf))
    };
    together(data, reads)
}

/// Classes of what is related, in order.
pub(super) fn together(all: &[usize], related: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for &i in all {
        let near = |c: &Vec<usize>| c.iter().any(|j| related(i, *j) || related(*j, i));
        let (mut inside, rest): (Vec<_>, Vec<_>) = classes.into_iter().partition(near);
        let mut class = inside.concat();
        class.push(i);
        class.sort_unstable();
        inside = rest;
        inside.push(class);
        classes = inside;
    }
    classes.sort();
    classes
}

/// A semiring over which the numbers are linear in every row.
fn block(b: &mut Builder, step: &Step, members: Vec<usize>, rows: &[Vec<Id>]) -> Option<Block> {
    let ty = b.ty(step.state[*members.first()?]);
    let one_type = members.iter().all(|j| b.ty(step.state[*j]) == ty);
    if !one_type || members.len() > MOST_MEMBERS {
        return None;
    }
    let state: Vec<Id> = members.iter().map(|j| step.state[*j]).collect();
    let fits = |b: &mut Builder, ring: &Semiring| {
        let mut all = rows.iter().flat_map(|row| members.iter().map(|j| row[*j]));
        all.all(|e| ring.linear(b, e, &state).is_some())
    };
    let rings = Semiring::all(b, ty);
    let ring = rings.into_iter().find(|ring| fits(b, ring))?;
    Some(Block { ring, members })
}

impl Shape {
    /// The rows of a step.
    fn table(&self, b: &mut Builder, step: &Step, rows: &[Vec<Id>]) -> Option<Vec<Row>> {
        let mut table = Vec::new();
        for row in rows {
            let mut maps = Vec::new();
            for block in &self.blocks {
                let state: Vec<Id> = block.members.iter().map(|j| step.state[*j]).collect();
                let lines = block
                    .members
                    .iter()
                    .map(|j| block.ring.linear(b, row[*j], &state));
                maps.push(lines.collect::<Option<_>>()?);
            }
            let next = self.controls.iter().map(|c| row[c.0]).collect();
            table.push(Row { next, maps });
        }
        Some(table)
    }

    /// The table that changes nothing.
    fn identity(&self, b: &mut Builder) -> Option<Vec<Row>> {
        let lists: Vec<Vec<Id>> = self.controls.iter().map(|c| c.1.clone()).collect();
        let mut maps = Vec::new();
        for block in &self.blocks {
            let (n, ring) = (block.members.len(), &block.ring);
            let absent = ring.absent(b)?;
            let mut map = vec![vec![absent; n + 1]; n];
            for (i, line) in map.iter_mut().enumerate() {
                line[i] = ring.given(b, ring.one)?;
            }
            maps.push(map);
        }
        let row = |next| Row {
            next,
            maps: maps.clone(),
        };
        Some(choices(&lists).into_iter().map(row).collect())
    }

    /// First one table, then another.
    fn compose(&self, b: &mut Builder, first: &[Row], then: &[Row]) -> Option<Vec<Row>> {
        let mut table = Vec::new();
        for row in first {
            let after = self.look_up(b, then, &row.next, 0)?;
            let mut maps = Vec::new();
            for (at, block) in self.blocks.iter().enumerate() {
                maps.push(product(b, &block.ring, &after.maps[at], &row.maps[at])?);
            }
            table.push(Row {
                next: after.next,
                maps,
            });
        }
        Some(table)
    }

    /// The row that these numbers, the `depth`-th of which comes next, choose: the last, where they are none of the values.
    fn look_up(&self, b: &mut Builder, rows: &[Row], by: &[Id], depth: usize) -> Option<Row> {
        let Some((_, values)) = self.controls.get(depth) else {
            return rows.first().cloned();
        };
        let each = rows.len() / values.len();
        let mut found: Option<Row> = None;
        for (value, part) in values.iter().zip(rows.chunks(each)).rev() {
            let row = self.look_up(b, part, by, depth + 1)?;
            found = Some(match found {
                None => row,
                Some(rest) => {
                    let c = b.apply(Op::Eq, &[by[depth], *value])?;
                    self.choose(b, c, row, rest)?
                }
            });
        }
        found
    }

    fn choose(&self, b: &mut Builder, c: Id, x: Row, y: Row) -> Option<Row> {
        let select = Op::Select;
        let next = x
            .next
            .iter()
            .zip(&y.next)
            .map(|(x, y)| b.apply(select, &[c, *x, *y]));
        let next = next.collect::<Option<_>>()?;
        let mut maps = Vec::new();
        for ((block, p), q) in self.blocks.iter().zip(x.maps).zip(y.maps) {
            let mut map = Vec::new();
            for (p, q) in p.into_iter().zip(q) {
                let line = p
                    .into_iter()
                    .zip(q)
                    .map(|(p, q)| block.ring.choose(b, c, p, q));
                map.push(line.collect::<Option<Vec<Entry>>>()?);
            }
            maps.push(map);
        }
        Some(Row { next, maps })
    }

    /// What a table makes of a state, number by number.
    fn applied(&self, b: &mut Builder, table: &[Row], step: &Step) -> Option<Vec<Id>> {
        let state = &step.state;
        let mut present = vec![b.truth(true)?; state.len()];
        let by: Vec<Id> = self.controls.iter().map(|c| state[c.0]).collect();
        let row = self.look_up(b, table, &by, 0)?;
        let mut result = state.clone();
        for (control, next) in self.controls.iter().zip(&row.next) {
            result[control.0] = *next;
        }
        for (block, map) in self.blocks.iter().zip(&row.maps) {
            for (line, j) in map.iter().zip(&block.members) {
                let mut sum = line[block.members.len()];
                for (e, k) in line.iter().zip(&block.members) {
                    if step.bounds.iter().any(|bound| bound.number == *k) {
                        continue;
                    }
                    let number = block.ring.given(b, state[*k])?;
                    let product = block.ring.mul(b, *e, number)?;
                    sum = block.ring.add(b, sum, product)?;
                }
                result[*j] = match (b.is_truth(sum.present, false), block.ring.zero) {
                    (true, Some(zero)) => zero,
                    _ => sum.value,
                };
                present[*j] = sum.present;
            }
        }
        for bound in &step.bounds {
            let (there, value) = (present[bound.number], result[bound.number]);
            let truth = result[bound.truth];
            result[bound.truth] = bound.applied(b, truth, there, value)?;
        }
        result.truncate(state.len() - step.bounds.len());
        Some(result)
    }

    /// The numbers of a table; what is absent is a number where there is one for that.
    fn flat(&self, b: &mut Builder, table: &[Row]) -> Option<Vec<Id>> {
        let mut all = Vec::new();
        for row in table {
            all.extend(&row.next);
            for (block, map) in self.blocks.iter().zip(&row.maps) {
                for e in map.iter().flatten() {
                    match (block.ring.zero, b.is_truth(e.present, false)) {
                        (Some(zero), true) => all.extend([b.truth(true)?, zero]),
                        // What is absent is the same number always, so that composing associates.
                        _ => {
                            let choice = [e.present, e.value, block.ring.one];
                            all.extend([e.present, b.apply(Op::Select, &choice)?]);
                        }
                    }
                }
            }
        }
        Some(all)
    }

    /// The table whose numbers are these.
    fn rebuilt(&self, b: &mut Builder, like: &[Row], ids: &[Id]) -> Option<Vec<Row>> {
        let mut next = ids.iter().copied();
        let mut table = like.to_vec();
        for row in &mut table {
            for id in &mut row.next {
                *id = next.next()?;
            }
            for (map, block) in row.maps.iter_mut().zip(&self.blocks) {
                for e in map.iter_mut().flatten() {
                    *e = Entry {
                        present: next.next()?,
                        value: next.next()?,
                    };
                    // What has a number for nothing is always there.
                    if block.ring.zero.is_some() {
                        *e = block.ring.given(b, e.value)?;
                    }
                }
            }
        }
        Some(table)
    }

    fn candidate(&self, b: &mut Builder, step: &Step, table: Vec<Row>) -> Option<Candidate> {
        let identity = self.identity(b)?;
        let memory: Vec<Id> = self.memory.iter().map(|j| step.state[*j]).collect();
        let read: Vec<Id> = match memory.is_empty() {
            true => Vec::new(),
            false => {
                let numbers = self.flat(b, &table)?;
                let cone: BTreeSet<Id> = b.dag.cone(&numbers).into_iter().collect();
                step.inputs
                    .iter()
                    .copied()
                    .filter(|i| cone.contains(i))
                    .collect()
            }
        };
        let inner = if memory.is_empty() { &table } else { &identity };
        let last: Vec<Id> = self.memory.iter().map(|j| step.next[*j]).collect();
        let numbers = self.flat(b, inner)?;
        let size = numbers.len();
        let inject = [numbers, read.clone(), last].concat();
        let [first, second] = Candidate::operands(b, &inject)?;
        let split = |ids: &[Id]| {
            let (inner, rest) = ids.split_at(size);
            let (read, last) = rest.split_at(read.len());
            (inner.to_vec(), read.to_vec(), last.to_vec())
        };
        let (p, p_read, p_last) = split(&first);
        let (q, q_read, q_last) = split(&second);
        let rows_p = self.rebuilt(b, &table, &p)?;
        let rows_q = self.rebuilt(b, &table, &q)?;
        // The step of the first element of a block, which follows these numbers.
        let entered = |b: &mut Builder, shape: &Shape, read_by: &[Id], after: &[Id]| {
            let mut put: BTreeMap<Id, Id> =
                read.iter().copied().zip(read_by.iter().copied()).collect();
            put.extend(memory.iter().copied().zip(after.iter().copied()));
            let numbers = shape.flat(b, &table)?;
            let ids = b.substitute(&numbers, &put)?;
            shape.rebuilt(b, &table, &ids)
        };
        let (mut combine, mut finish);
        if memory.is_empty() {
            combine = self.compose(b, &rows_p, &rows_q)?;
            finish = self.applied(b, &rows_p, step)?;
        } else {
            let between = entered(b, self, &q_read, &p_last)?;
            combine = self.compose(b, &rows_p, &between)?;
            combine = self.compose(b, &combine, &rows_q)?;
            let begin = entered(b, self, &p_read, &memory)?;
            let whole = self.compose(b, &begin, &rows_p)?;
            finish = self.applied(b, &whole, step)?;
            for (j, last) in self.memory.iter().zip(&p_last) {
                finish[*j] = *last;
            }
        }
        let combine = [self.flat(b, &combine)?, p_read, q_last].concat();
        let unit = match memory.is_empty() {
            true => Some(self.flat(b, &identity)?),
            false => None,
        };
        let domains = (self.controls.iter())
            .filter(|c| b.ty(step.state[c.0]) != Scalar::Bool)
            .map(|c| (step.state[c.0], c.1.clone()))
            .collect();
        let family = self.words();
        Some(Candidate {
            inject,
            first,
            second,
            combine,
            finish,
            unit,
            domains,
            family,
        })
    }

    fn words(&self) -> String {
        let mut words = Vec::new();
        let rings: BTreeSet<String> = self.blocks.iter().map(|b| b.ring.name()).collect();
        for ring in rings {
            words.push(format!("linear maps over {ring}"));
        }
        if !self.controls.is_empty() {
            words.push("a table of what follows each value of what has few".to_string());
        }
        if !self.memory.is_empty() {
            words.push("the first and the last element of a block".to_string());
        }
        words.join(", ")
    }
}

/// The product of two matrices with a column for what is added.
fn product(
    b: &mut Builder,
    ring: &Semiring,
    then: &[Vec<Entry>],
    first: &[Vec<Entry>],
) -> Option<Vec<Vec<Entry>>> {
    let n = first.len();
    let entry = |b: &mut Builder, line: &[Entry], j: usize| {
        let start = if j == n { line[n] } else { ring.absent(b)? };
        line.iter().zip(first).try_fold(start, |sum, (e, row)| {
            let part = ring.mul(b, *e, row[j])?;
            ring.add(b, sum, part)
        })
    };
    let mut result = Vec::new();
    for line in then {
        result.push((0..=n).map(|j| entry(b, line, j)).collect::<Option<_>>()?);
    }
    Some(result)
}
