//! Changes of loop programs, of many kinds.

use rise_opt::arith::{Atom, AtomKind, Nat};
use rise_opt::intern::Symbol;
use rise_opt::nest::{Block, BufId, Expr, ExprKind, Guard, LoopKind, Nest, Stmt, StorageClass};
use rise_opt::term::{Lit, Op};

/// Changes the statements at which `f` says that it did something, one after the other: a loop program for each.
pub fn each_site(nest: &Nest, most: usize, f: &dyn Fn(&mut Nest, &mut usize)) -> Vec<Nest> {
    let mut all = Vec::new();
    for site in 0..most {
        let mut changed = nest.clone();
        let mut left = site + 1;
        f(&mut changed, &mut left);
        if left > 0 {
            break;
        }
        all.push(changed);
    }
    all
}

/// Whether this is the site that is meant.
fn hit(left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    *left == 0
}

fn stmts(block: &mut Block, f: &mut dyn FnMut(&mut Stmt)) {
    for s in block {
        f(s);
        match s {
            Stmt::For { body, .. } => stmts(body, f),
            Stmt::If { then, els, .. } => {
                stmts(then, f);
                stmts(els, f);
            }
            _ => {}
        }
    }
}

fn blocks(block: &mut Block, f: &mut dyn FnMut(&mut Block)) {
    f(block);
    for s in block {
        match s {
            Stmt::For { body, .. } => blocks(body, f),
            Stmt::If { then, els, .. } => {
                blocks(then, f);
                blocks(els, f);
            }
            _ => {}
        }
    }
}

/// Every part of every value.
fn parts(nest: &mut Nest, f: &mut dyn FnMut(&Expr) -> Option<Expr>) {
    stmts(&mut nest.body, &mut |s| {
        let of = match s {
            Stmt::If { cond, .. } => cond,
            Stmt::Let { value: Some(v), .. } => v,
            Stmt::Assign { value, .. } | Stmt::Store { value, .. } => value,
            _ => return,
        };
        *of = of.rewrite(&mut |e| f(e));
    });
}

fn stores(nest: &mut Nest, left: &mut usize, f: &dyn Fn(Nat) -> Nat) {
    stmts(&mut nest.body, &mut |s| {
        if let Stmt::Store { index, .. } = s {
            if f(*index) != *index && hit(left) {
                *index = f(*index);
            }
        }
    });
}

fn loads(nest: &mut Nest, left: &mut usize, f: &dyn Fn(Nat) -> Nat) {
    parts(nest, &mut |e| match e.kind() {
        ExprKind::Load(b, n) if f(*n) != *n && hit(left) => {
            Some(Expr::new(ExprKind::Load(*b, f(*n)), e.shape()))
        }
        _ => None,
    });
}

fn extents(nest: &mut Nest, left: &mut usize, by: i64) {
    stmts(&mut nest.body, &mut |s| {
        if let Stmt::For { extent, .. } = s {
            if hit(left) {
                *extent = *extent + Nat::int(by);
            }
        }
    });
}

fn kinds(nest: &mut Nest, left: &mut usize, kind: LoopKind) {
    stmts(&mut nest.body, &mut |s| {
        if let Stmt::For { kind: old, .. } = s {
            if *old != kind && hit(left) {
                *old = kind;
            }
        }
    });
}

fn operators(nest: &mut Nest, left: &mut usize, from: Op, to: Op) {
    parts(nest, &mut |e| match e.kind() {
        ExprKind::Op(op, args) if *op == from && hit(left) => {
            Some(Expr::new(ExprKind::Op(to, args.clone()), e.shape()))
        }
        _ => None,
    });
}

fn operands(nest: &mut Nest, left: &mut usize, at: (usize, usize)) {
    parts(nest, &mut |e| match e.kind() {
        ExprKind::Op(op, args) if args.len() > at.1 && !matches!(op, Op::Add | Op::Mul) => {
            if !args[at.0].same(&args[at.1])
                && args[at.0].shape() == args[at.1].shape()
                && hit(left)
            {
                let mut args = args.clone();
                args.swap(at.0, at.1);
                return Some(Expr::new(ExprKind::Op(*op, args), e.shape()));
            }
            None
        }
        _ => None,
    });
}

fn conditions(nest: &mut Nest, left: &mut usize, f: &dyn Fn(&Expr) -> Option<Expr>) {
    stmts(&mut nest.body, &mut |s| {
        if let Stmt::If { cond, .. } = s {
            if let Some(c) = f(cond) {
                if hit(left) {
                    *cond = c;
                }
            }
        }
    });
}

/// The names of loops that stand in an index.
fn loop_vars(nest: &Nest) -> Vec<Symbol> {
    let mut all = Vec::new();
    let mut nest = nest.clone();
    stmts(&mut nest.body, &mut |s| {
        if let Stmt::For { var, .. } = s {
            all.push(*var);
        }
    });
    all
}

fn swapped(vars: &[Symbol], n: Nat) -> Nat {
    let of: Vec<Symbol> = vars.iter().copied().filter(|v| n.mentions(*v)).collect();
    let [a, b, ..] = of[..] else { return n };
    n.subst_vars(&mut |v| match () {
        _ if v == a => Some(Nat::var(b)),
        _ if v == b => Some(Nat::var(a)),
        _ => None,
    })
}

fn strided(vars: &[Symbol], n: Nat) -> Nat {
    match vars.iter().find(|v| n.mentions(**v)) {
        Some(v) => n.subst_var(*v, Nat::int(2) * Nat::var(*v)),
        None => n,
    }
}

fn fixed_var(vars: &[Symbol], n: Nat) -> Nat {
    match vars.iter().rev().find(|v| n.mentions(**v)) {
        Some(v) => n.subst_var(*v, Nat::int(0)),
        None => n,
    }
}

fn remainders(nest: &mut Nest, left: &mut usize, f: &dyn Fn(Nat, Nat) -> Nat) {
    stmts(&mut nest.body, &mut |s| {
        if let Stmt::Index { value, .. } = s {
            if let Some(AtomKind::Mod(x, d)) = value.as_atom().map(Atom::kind) {
                if hit(left) {
                    *value = f(x, d);
                }
            }
        }
    });
}

pub type Change = (&'static str, fn(&mut Nest, &mut usize));

/// All kinds of changes.
pub const CHANGES: &[Change] = &[
    ("one iteration more", |n, l| extents(n, l, 1)),
    ("one iteration less", |n, l| extents(n, l, -1)),
    ("stored one further", |n, l| {
        stores(n, l, &|i| i + Nat::int(1))
    }),
    ("stored one before", |n, l| {
        stores(n, l, &|i| i - Nat::int(1))
    }),
    ("read one further", |n, l| loads(n, l, &|i| i + Nat::int(1))),
    ("read one before", |n, l| loads(n, l, &|i| i - Nat::int(1))),
    ("stored with indices swapped", |n, l| {
        let vars = loop_vars(n);
        stores(n, l, &|i| swapped(&vars, i));
    }),
    ("read with indices swapped", |n, l| {
        let vars = loop_vars(n);
        loads(n, l, &|i| swapped(&vars, i));
    }),
    ("stored with another stride", |n, l| {
        let vars = loop_vars(n);
        stores(n, l, &|i| strided(&vars, i));
    }),
    ("read with another stride", |n, l| {
        let vars = loop_vars(n);
        loads(n, l, &|i| strided(&vars, i));
    }),
    ("stored at one place always", |n, l| {
        let vars = loop_vars(n);
        stores(n, l, &|i| fixed_var(&vars, i));
    }),
    ("read at one place always", |n, l| {
        let vars = loop_vars(n);
        loads(n, l, &|i| fixed_var(&vars, i));
    }),
    ("another input read", |n, l| {
        let buffers = n.buffers.clone();
        let is_input = |b: BufId| matches!(buffers[b.0 as usize].storage, StorageClass::Input(_));
        parts(n, &mut |e| match e.kind() {
            ExprKind::Load(b, i) if is_input(*b) => {
                let other = (0..buffers.len() as u32).map(BufId).find(|o| {
                    let same = buffers[o.0 as usize].elem == e.shape().elem;
                    is_input(*o) && o != b && same
                })?;
                hit(l).then(|| Expr::new(ExprKind::Load(other, *i), e.shape()))
            }
            _ => None,
        });
    }),
    ("a loop in parallel", |n, l| kinds(n, l, LoopKind::Par)),
    ("a loop of lanes", |n, l| kinds(n, l, LoopKind::Independent)),
    ("a statement left out", |n, l| {
        blocks(&mut n.body, &mut |b| {
            for i in 0..b.len() {
                if matches!(
                    b[i],
                    Stmt::Store { .. } | Stmt::Assign { .. } | Stmt::For { .. }
                ) && hit(l)
                {
                    b.remove(i);
                    break;
                }
            }
        });
    }),
    ("two statements swapped", |n, l| {
        blocks(&mut n.body, &mut |b| {
            for i in 1..b.len() {
                if hit(l) {
                    b.swap(i - 1, i);
                    break;
                }
            }
        });
    }),
    ("a statement before its loop", |n, l| {
        blocks(&mut n.body, &mut |b| {
            for i in 0..b.len() {
                let Stmt::For { body, .. } = &mut b[i] else {
                    continue;
                };
                let own = matches!(body.first(), Some(Stmt::Store { .. } | Stmt::Let { .. }));
                if own && hit(l) {
                    let first = body.remove(0);
                    b.insert(i, first);
                    break;
                }
            }
        });
    }),
    ("a loop around one statement less", |n, l| {
        blocks(&mut n.body, &mut |b| {
            for i in 0..b.len() {
                let Stmt::For { body, .. } = &mut b[i] else {
                    continue;
                };
                if body.len() > 1 && hit(l) {
                    let last = body.remove(body.len() - 1);
                    b.insert(i + 1, last);
                    break;
                }
            }
        });
    }),
    ("a statement twice", |n, l| {
        blocks(&mut n.body, &mut |b| {
            for i in 0..b.len() {
                if matches!(
                    b[i],
                    Stmt::Store { .. } | Stmt::Assign { .. } | Stmt::For { .. }
                ) && hit(l)
                {
                    let again = b[i].clone();
                    b.insert(i, again);
                    break;
                }
            }
        });
    }),
    ("another constant", |n, l| {
        parts(n, &mut |e| match e.kind() {
            ExprKind::Lit(Lit::F32(_)) if hit(l) => Some(Expr::lit(Lit::f32(7.25), e.shape().elem)),
            _ => None,
        });
    }),
    ("minus for plus", |n, l| operators(n, l, Op::Add, Op::Sub)),
    ("plus for times", |n, l| operators(n, l, Op::Mul, Op::Add)),
    ("times for quotient", |n, l| {
        operators(n, l, Op::Div, Op::Mul)
    }),
    ("at most for less", |n, l| operators(n, l, Op::Lt, Op::Le)),
    ("less for at most", |n, l| operators(n, l, Op::Le, Op::Lt)),
    ("operands swapped", |n, l| operands(n, l, (0, 1))),
    ("sides of a value swapped", |n, l| operands(n, l, (1, 2))),
    ("a guard that always holds", |n, l| {
        conditions(n, l, &|_| Some(Expr::bool(true)))
    }),
    ("a guard that never holds", |n, l| {
        conditions(n, l, &|_| Some(Expr::bool(false)))
    }),
    ("a guard of one element more", |n, l| {
        conditions(n, l, &|c| match c.kind() {
            ExprKind::Op(op @ (Op::Lt | Op::Le), args) => {
                let a = args[0].as_index()? - Nat::int(1);
                Some(Expr::compare(*op, a, args[1].as_index()?))
            }
            _ => None,
        });
    }),
    ("another lane", |n, l| {
        parts(n, &mut |e| match e.kind() {
            ExprKind::Lane(v, i) if hit(l) => {
                let other = (i + 1) % v.shape().lanes;
                Some(Expr::new(ExprKind::Lane(v.clone(), other), e.shape()))
            }
            ExprKind::Build(vs) if !vs[0].same(&vs[1]) && hit(l) => {
                let mut vs = vs.clone();
                vs.swap(0, 1);
                Some(Expr::new(ExprKind::Build(vs), e.shape()))
            }
            _ => None,
        });
    }),
    ("a buffer one element short", |n, l| {
        for b in &mut n.buffers {
            if b.alias.is_none() && hit(l) {
                b.len = b.len - Nat::int(1);
            }
        }
    }),
    ("a buffer for all threads", |n, l| {
        for b in &mut n.buffers {
            if b.storage == StorageClass::ThreadHeap && hit(l) {
                b.storage = StorageClass::Heap;
            }
        }
        for p in n.entry.arena.iter_mut().flatten() {
            p.each_thread &= n.buffers[p.buf.0 as usize].storage == StorageClass::ThreadHeap;
        }
    }),
    ("no memory for a buffer", |n, l| {
        let parts = n.entry.arena.as_mut().unwrap();
        for i in 0..parts.len() {
            if hit(l) {
                parts.remove(i);
                break;
            }
        }
    }),
    ("an index computed otherwise", |n, l| {
        stmts(&mut n.body, &mut |s| {
            if let Stmt::Index { value, .. } = s {
                if hit(l) {
                    *value = *value + Nat::int(1);
                }
            }
        });
    }),
    ("a remainder of one more", |n, l| {
        remainders(n, l, &|x, d| (x + Nat::int(1)).rem(d))
    }),
    ("a remainder by one less", |n, l| {
        remainders(n, l, &|x, d| x.rem(d - Nat::int(1)))
    }),
    ("a remainder left out", |n, l| remainders(n, l, &|x, _| x)),
];

/// Checks that are left out, so that sizes get in at which the term means nothing, or what is computed is too large.
pub const UNCHECKED: &[Change] = &[
    ("an assumption not checked", |n, l| {
        for i in 0..n.abi.assumptions.len() {
            if hit(l) {
                n.abi.assumptions.remove(i);
                break;
            }
        }
    }),
    ("a size not checked", |n, l| {
        for i in 0..n.entry.guards.len() {
            if matches!(n.entry.guards[i], Guard::Size(_)) && hit(l) {
                n.entry.guards.remove(i);
                break;
            }
        }
    }),
    ("bytes not checked", |n, l| {
        if let Some(i) = bytes(n, l) {
            n.entry.guards.remove(i);
        }
    }),
    ("more bytes than a word says", |n, l| {
        if let Some(i) = bytes(n, l) {
            if let Guard::Bytes { limit, .. } = &mut n.entry.guards[i] {
                *limit += 10;
            }
        }
    }),
    ("elements without bytes", |n, l| {
        if let Some(i) = bytes(n, l) {
            if let Guard::Bytes { elem_bytes, .. } = &mut n.entry.guards[i] {
                *elem_bytes = 0;
            }
        }
    }),
    ("an array beyond the stack", |n, l| {
        for b in &mut n.buffers {
            if b.storage == StorageClass::Stack && b.alias.is_none() && hit(l) {
                b.len = Nat::int(1 << 30);
                break;
            }
        }
    }),
];

/// The guard of an array that no other one is for.
fn bytes(n: &Nest, left: &mut usize) -> Option<usize> {
    let of = |g: &Guard| match g {
        Guard::Bytes { len, .. } => Some(*len),
        _ => None,
    };
    let guards = &n.entry.guards;
    let alone = |i: &usize| {
        let own = of(&guards[*i]);
        own.is_some() && guards.iter().filter(|g| of(g) == own).count() == 1
    };
    (0..guards.len()).filter(alone).find(|_| hit(left))
}
