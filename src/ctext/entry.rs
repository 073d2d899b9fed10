//! What a function does before its statements: checks with their error codes, and the memory that it asks for.

use super::lex::{tokens, Unread};
use super::meaning::{self, by_value, index, Res};
use super::parse::{Declared, Expr, Is, Parser, Stmt as C};
use super::real::{real, Real};
use super::scope::{Entity, ANY_OUTSIDE};
use super::stop::Stop;
use super::sum::Sum;
use super::tree::{By, Tree};
use super::walk::{is_pointer, is_type, Walk};
use crate::arith::Nat;
use crate::nest::{Assumption, BufId, Buffer, Guard, Part, Shape};
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::BTreeSet;

/// The statements that are left.
struct Left<'c> {
    all: &'c [C],
}

impl<'c> Left<'c> {
    fn line(&self) -> u32 {
        self.all.first().map_or(0, |s| s.line)
    }

    /// The next one, if it is `if (cond) return answer;`
    fn check(&self) -> Option<(&'c Expr, &'c Expr)> {
        match &self.all.first()?.is {
            Is::If(cond, then, els) if els.is_empty() => match &then[..] {
                [C {
                    is: Is::Return(answer),
                    ..
                }] => Some((cond, answer)),
                _ => None,
            },
            _ => None,
        }
    }

    fn next(&mut self) -> Option<&'c C> {
        let (first, rest) = self.all.split_first()?;
        self.all = rest;
        Some(first)
    }
}

/// Compares it, and gives the statements behind it.
pub fn entry<'c>(walk: &mut Walk, all: &'c [C]) -> Result<&'c [C], Stop> {
    let mut left = Left { all };
    guards(walk, &mut left)?;
    assumptions(walk, &mut left)?;
    indices(walk, &mut left)?;
    nothing(walk, &mut left)?;
    arena(walk, &mut left)?;
    while let Some(Is::Do(Expr::Cast(ty, e))) = left.all.first().map(|s| &s.is) {
        let parameter = matches!(&**e, Expr::Name(n) if walk.scope.find(n).is_some());
        if ty.name != "void" || ty.pointer.is_some() || !parameter {
            break;
        }
        left.next();
    }
    Ok(left.all)
}

/// The code that a kernel gives for a reason.
fn code(walk: &Walk, reason: &str) -> i32 {
    let tail = format!("_ERR_{reason}");
    let of = walk
        .nest
        .abi
        .errors
        .iter()
        .find(|e| e.name.ends_with(&tail));
    of.map_or(1, |e| e.code)
}

fn answers(walk: &Walk, line: u32, answer: &Expr, reason: &str) -> Result<(), Stop> {
    let found = match answer {
        Expr::Name(name) => walk.codes.get(name).copied(),
        Expr::Number(n) => n.parse().ok(),
        _ => None,
    };
    walk.require(
        found == Some(code(walk, reason)),
        line,
        "another error code is returned",
    )
}

/// What is asked of sizes by floats, in the order in which one needs the other.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Product(usize, Real),
    Bytes(Real, u32),
}

impl Asked {
    fn of(&self) -> &Real {
        match self {
            Asked::Product(_, of) | Asked::Bytes(of, _) => of,
        }
    }
}

fn guards(walk: &mut Walk, left: &mut Left) -> Result<(), Stop> {
    let expected = size_guards(walk, left)?;
    large_guards(walk, left, expected)
}

/// Checks that what is given are sizes; out comes what else is to be asked of them.
fn size_guards(walk: &mut Walk, left: &mut Left) -> Result<BTreeSet<Asked>, Stop> {
    let line = left.line();
    let mut expected = BTreeSet::new();
    for guard in &walk.nest.entry.guards {
        match guard {
            Guard::Size(s) => {
                let line = left.line();
                let Some((cond, answer)) = left.check() else {
                    return walk.differs(line, format!("it is not checked that {s} is a size"));
                };
                let found = size(cond).and_then(|n| walk.scope.find(n));
                let holds = found == Some(&Entity::Index(*s));
                walk.require(
                    holds,
                    line,
                    &format!("it is not checked that {s} is a size"),
                )?;
                answers(walk, line, answer, "SIZE")?;
                left.next();
            }
            Guard::Product { value, operations } => {
                let of = walk.read(line, Real::of(*value, 1, false))?;
                expected.insert(Asked::Product(*operations, of));
            }
            Guard::Bytes {
                len,
                elem_bytes,
                each_thread,
                limit,
            } => {
                let of = walk.read(line, Real::of(*len, *elem_bytes, *each_thread))?;
                expected.insert(Asked::Bytes(of, *limit));
            }
        }
    }
    Ok(expected)
}

/// Checks that what is computed of sizes is not too large.
fn large_guards(
    walk: &mut Walk,
    left: &mut Left,
    mut expected: BTreeSet<Asked>,
) -> Result<(), Stop> {
    // Of one kind they may stand in any order, but what the next one computes is asked about before. One may stand there
    // twice.
    let mut met: BTreeSet<Real> = BTreeSet::new();
    while let Some(first) = expected.first() {
        let line = left.line();
        let kind = |a: &Asked| match a {
            Asked::Product(n, _) => *n,
            Asked::Bytes(..) => usize::MAX,
        };
        let Some((cond, answer)) = left.check() else {
            return walk.differs(line, "a check of what is computed of sizes is missing");
        };
        let found = large(walk, cond);
        let Some((of, limit)) = walk.read(line, found)? else {
            return walk.differs(line, "a check of what is computed of sizes is missing");
        };
        let now = kind(first);
        let found = match now {
            usize::MAX => Asked::Bytes(of, limit),
            _ if limit == 60 => Asked::Product(now, of),
            _ => {
                return walk.differs(
                    line,
                    "what is computed of sizes is compared with another number",
                )
            }
        };
        let of = found.of().clone();
        let again = met.contains(&of);
        walk.require(
            expected.remove(&found) || again,
            line,
            "the check is of something else than the loop program's",
        )?;
        met.insert(of);
        answers(walk, line, answer, "SIZE")?;
        left.next();
    }
    while let Some((cond, answer)) = left.check() {
        let found = large(walk, cond).ok().flatten();
        if !found.is_some_and(|(of, limit)| limit == 60 && met.contains(&of)) {
            break;
        }
        answers(walk, left.line(), answer, "SIZE")?;
        left.next();
    }
    Ok(())
}

/// The name in `n < 0 || n > 0x1p60`.
fn size(cond: &Expr) -> Option<&str> {
    let Expr::Binary("||", below, above) = cond else {
        return None;
    };
    match (&**below, &**above) {
        (Expr::Binary("<", a, zero), Expr::Binary(">", b, most))
            if **zero == Expr::Number("0".into())
                && **most == Expr::Number("0x1p60".into())
                && a == b =>
        {
            match &**a {
                Expr::Name(name) => Some(name),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The two sides of `x > 0x1p60`.
fn large(walk: &mut Walk, cond: &Expr) -> Res<Option<(Real, u32)>> {
    let Expr::Binary(">", of, limit) = cond else {
        return Ok(None);
    };
    let Expr::Number(limit) = &**limit else {
        return Ok(None);
    };
    let Some(limit) = limit.strip_prefix("0x1p").and_then(|n| n.parse().ok()) else {
        return Ok(None);
    };
    Ok(Some((in_floats(walk, of)?, limit)))
}

pub fn in_floats(walk: &mut Walk, e: &Expr) -> Res<Real> {
    let mut reader = walk.reader();
    real(e, &mut |e| reader.sum(e))
}

fn assumptions(walk: &mut Walk, left: &mut Left) -> Result<(), Stop> {
    let abi = &walk.nest.abi;
    let hard = abi.assumptions.iter().map(|a| (a, false));
    for (a, soft) in hard.chain(abi.preferred.iter().map(|a| (a, true))) {
        let line = left.line();
        let missing = format!("it is not checked that {a}");
        let Some((cond, answer)) = left.check() else {
            return walk.differs(line, missing);
        };
        let found = walk.reader().truth(cond);
        let found = walk.read(line, found)?;
        let expected = violated(a);
        let expected = walk.read(line, expected)?;
        walk.require(found == expected, line, &missing)?;
        match (soft, walk.nest.fallback.is_some()) {
            (true, true) => instead(walk, line, answer)?,
            _ => answers(walk, line, answer, "SIZE")?,
        }
        left.next();
    }
    Ok(())
}

fn compare(op: Op, a: Sum, b: Sum) -> Tree {
    let args = vec![Tree::index(a), Tree::index(b)];
    Tree::of(By::Op(op), args, Shape::scalar(Scalar::Bool))
}

fn both(op: Op, a: Tree, b: Tree) -> Tree {
    Tree::of(By::Op(op), vec![a, b], Shape::scalar(Scalar::Bool))
}

/// That an assumption does not hold.
fn violated(a: &Assumption) -> Res<Tree> {
    Ok(match a {
        Assumption::Divides(d, n) => {
            let rest = Sum::call("%", vec![index(*n)?, index(*d)?]);
            let rest = compare(Op::Ne, rest, Sum::int(0));
            match d.as_int() {
                Some(_) => rest,
                None => both(Op::Or, compare(Op::Eq, index(*d)?, Sum::int(0)), rest),
            }
        }
        Assumption::NotNegative(n) => compare(Op::Lt, index(*n)?, Sum::int(0)),
    })
}

/// The other function is called with all parameters.
fn instead(walk: &Walk, line: u32, answer: &Expr) -> Result<(), Stop> {
    let nest = walk.nest;
    let Expr::Call(name, args) = answer else {
        return walk.differs(line, "the other function is not called");
    };
    let own = nest.fallback.as_ref().is_some_and(|f| f.abi.name == *name);
    walk.require(own, line, "another function is called")?;
    let entity = |e: &Expr| match e {
        Expr::Name(n) => walk.scope.find(n).cloned(),
        _ => None,
    };
    let found: Vec<_> = args.iter().map(entity).collect();
    let expected: Vec<_> = walk.parameters().map(Some).collect();
    walk.require(
        found == expected,
        line,
        "the other function gets other arguments",
    )
}

/// Indices among the inputs are checked before anything is computed.
fn indices(walk: &mut Walk, left: &mut Left) -> Result<(), Stop> {
    for (i, slot) in walk.nest.abi.inputs.iter().enumerate() {
        let Some(bound) = slot.bound else { continue };
        let line = left.line();
        let missing = format!("the indices in `{}` are not checked", slot.name);
        let Some(b) = walk.input(i) else {
            return walk.differs(line, missing);
        };
        let Some((cond, answer)) = left.check() else {
            return walk.differs(line, missing);
        };
        if by_value(walk.nest, b) {
            outside(walk, line, cond, meaning::parameter(b, slot.elem), bound)?;
        } else {
            any_outside(walk, line, cond, (b, slot.count(), bound))?;
        }
        answers(walk, line, answer, "INDEX")?;
        left.next();
    }
    Ok(())
}

/// The function is called that looks at all of them.
fn any_outside(
    walk: &mut Walk,
    line: u32,
    cond: &Expr,
    (b, count, bound): (BufId, Nat, Nat),
) -> Result<(), Stop> {
    let called = match cond {
        Expr::Call(name, args) if name == ANY_OUTSIDE => &args[..],
        _ => &[],
    };
    let [Expr::Name(array), all, below] = called else {
        return walk.differs(line, "indices are checked otherwise");
    };
    let own = walk.scope.find(array) == Some(&Entity::Array(b));
    walk.require(own, line, "other indices are checked")?;
    walk.scope.needs(ANY_OUTSIDE);
    walk.same_sum(line, all, count, "not all of the indices are checked")?;
    walk.same_sum(line, below, bound, "indices are checked otherwise")
}

/// `x < 0 || x >= bound`
fn outside(walk: &mut Walk, line: u32, cond: &Expr, x: Tree, bound: Nat) -> Result<(), Stop> {
    let found = walk.reader().truth(cond);
    let found = walk.read(line, found)?;
    let bound = walk.read(line, index(bound))?;
    let compared = |op: Op, n: Sum| both(op, x.clone(), Tree::index(n));
    let expected = both(
        Op::Or,
        compared(Op::Lt, Sum::int(0)),
        compared(Op::Ge, bound),
    );
    walk.require(found == expected, line, "indices are checked otherwise")
}

/// Where all results are empty, nothing is done.
fn nothing(walk: &mut Walk, left: &mut Left) -> Result<(), Stop> {
    let line = left.line();
    let counts: Res<BTreeSet<Sum>> = walk.nest.entry.results.iter().map(|n| index(*n)).collect();
    let counts = walk.read(line, counts)?;
    if counts.is_empty() {
        return Ok(());
    }
    let missing = "it is not asked whether there is anything to do";
    let Some((cond, answer)) = left.check() else {
        return walk.differs(line, missing);
    };
    walk.require(*answer == Expr::Number("0".into()), line, missing)?;
    let mut found = BTreeSet::new();
    let mut open = vec![cond];
    while let Some(e) = open.pop() {
        match e {
            Expr::Binary("&&", a, b) => open.extend([&**a, &**b]),
            e => {
                let Some(product) = product(walk, line, e)? else {
                    return walk.differs(line, missing);
                };
                found.insert(product);
            }
        }
    }
    walk.require(
        found == counts,
        line,
        "what is asked to be empty is something else",
    )?;
    left.next();
    Ok(())
}

/// What is 0 where `n == 0`, or where `m == 0 || n == 0`.
fn product(walk: &mut Walk, line: u32, e: &Expr) -> Result<Option<Sum>, Stop> {
    match e {
        Expr::Binary("||", a, b) => {
            let (a, b) = (product(walk, line, a)?, product(walk, line, b)?);
            Ok(a.zip(b).and_then(|(a, b)| a.mul(&b)))
        }
        Expr::Binary("==", n, zero) if **zero == Expr::Number("0".into()) => {
            let n = walk.reader().sum(n);
            walk.read(line, n).map(Some)
        }
        _ => Ok(None),
    }
}

/// Elements from one thread's buffer to the next one's: whole cache lines.
pub fn stride(buf: &Buffer) -> Res<Sum> {
    let line = i128::from(64 / buf.elem.bytes());
    let up = index(buf.len)?.add(&Sum::int(line - 1), 1);
    let lines = up.map(|up| match up.as_int() {
        Some(n) if n >= 0 => Sum::int(n / line),
        _ => Sum::call("/", vec![up, Sum::int(line)]),
    });
    let stride = lines.and_then(|n| n.mul(&Sum::int(line)));
    stride.ok_or_else(|| "a buffer is too large to be read".to_string())
}

fn name(text: &str) -> Expr {
    Expr::Name(text.to_string())
}

fn number(n: usize) -> Expr {
    Expr::Number(n.to_string())
}

/// `parts[0] + parts[1]`, as many.
fn before(first: Option<Expr>, count: usize) -> Option<Expr> {
    let each = (0..count).map(|i| Expr::Element(Box::new(name("parts")), Box::new(number(i))));
    let mut all = first.into_iter().chain(each);
    let start = all.next()?;
    Some(all.fold(start, |sum, e| {
        Expr::Binary("+", Box::new(sum), Box::new(e))
    }))
}

/// The memory, all at once, and the part of each buffer.
fn arena(walk: &mut Walk, left: &mut Left) -> Result<(), Stop> {
    let all = walk.nest.entry.arena.as_deref().unwrap_or_default();
    if all.is_empty() {
        return Ok(());
    }
    for helper in ["room", "bytes", "whole_line", "LITTLE"] {
        walk.scope.needs(helper);
    }
    let line = left.line();
    let Some(d) = declared(left).filter(|d| d.name == "parts" && is_type(&d.ty, Scalar::I64, true))
    else {
        return walk.differs(line, "the sizes of the buffers are not computed");
    };
    walk.require(
        d.len == Some(number(all.len())),
        line,
        "there are more or fewer buffers",
    )?;
    let sizes = d.list.as_deref().unwrap_or_default();
    walk.require(
        sizes.len() == all.len(),
        line,
        "there are more or fewer buffers",
    )?;
    for (found, part) in sizes.iter().zip(all) {
        room(walk, line, found, part)?;
    }
    for own in ["parts", "little", "total", "memory", "heap"] {
        let fresh = walk.scope.declare(own, Entity::Own);
        walk.read(line, fresh)?;
    }
    asked_for(walk, left, all.len())?;
    for (i, part) in all.iter().enumerate() {
        let line = left.line();
        let buf = &walk.nest.buffers[part.buf.0 as usize];
        let Some(d) = declared(left) else {
            return walk.differs(line, "a buffer has no part of the memory");
        };
        let at = before(Some(name("heap")), i);
        let placed = match &d.value {
            Some(Expr::Cast(ty, e)) => {
                let pointer =
                    ty.pointer == Some((false, false)) && !ty.is_const && ty.name == d.ty.name;
                pointer && Some(&**e) == at.as_ref()
            }
            _ => false,
        };
        let typed = is_pointer(&d.ty, buf.elem, false) && d.len.is_none() && d.list.is_none();
        walk.require(
            typed,
            line,
            "a buffer is no `restrict` pointer to its elements",
        )?;
        walk.require(placed, line, "a buffer begins at another place")?;
        let entity = match part.each_thread {
            false => Entity::Array(part.buf),
            true => Entity::EachThread(part.buf),
        };
        let fresh = walk.scope.declare(&d.name, entity);
        walk.read(line, fresh)?;
        if i > 0 {
            gap(walk, left, &d.name)?;
        }
    }
    Ok(())
}

fn declared<'c>(left: &mut Left<'c>) -> Option<&'c Declared> {
    match &left.next()?.is {
        Is::Declare(d) => Some(d),
        _ => None,
    }
}

/// `room(n, bytes)`, where it may depend on sizes whether the buffer is used.
fn room(walk: &mut Walk, line: u32, found: &Expr, part: &Part) -> Result<(), Stop> {
    let buf = &walk.nest.buffers[part.buf.0 as usize];
    let what = "a buffer gets another amount of memory";
    let (len, bytes) = match found {
        Expr::Call(f, args) if f == "room" && args.len() == 2 => (&args[0], &args[1]),
        _ => return walk.differs(line, what),
    };
    walk.require(*bytes == number(buf.elem.bytes() as usize), line, what)?;
    let len = match (part.when.is_empty(), len) {
        (true, _) => len,
        (false, Expr::Choice(cond, len, none)) => {
            walk.require(**none == number(0), line, what)?;
            let found = walk.reader().truth(cond);
            let found = walk.read(line, found)?;
            let each = part.when.iter().map(|(c, holds)| {
                let c = meaning::value(walk.nest, c)?;
                Ok(if *holds { c } else { super::tree::not(c) })
            });
            let each = walk.read(line, each.collect::<Res<Vec<Tree>>>())?;
            let expected = each.into_iter().reduce(|a, b| both(Op::And, a, b));
            walk.require(
                Some(found) == expected,
                line,
                "a buffer gets memory in other cases",
            )?;
            len
        }
        _ => return walk.differs(line, what),
    };
    let found = walk.reader().sum(len);
    let found = walk.read(line, found)?;
    let expected = match part.each_thread {
        false => index(buf.len),
        true => stride(buf).and_then(|each| {
            let all = each.mul(&Sum::call("thread_count", vec![]));
            all.ok_or_else(|| "a buffer is too large to be read".to_string())
        }),
    };
    let expected = walk.read(line, expected)?;
    walk.require(found == expected, line, what)
}

/// All parts together are asked for once; where there is no memory, the code says so.
fn asked_for(walk: &mut Walk, left: &mut Left, count: usize) -> Result<(), Stop> {
    let line = left.line();
    let what = "the memory is asked for otherwise";
    let unread = |e: Unread| Stop::Unread(Unread::new(line, e.what));
    let total = before(None, count);
    let is_char = |d: &Declared, pointer: Option<(bool, bool)>| {
        d.ty.name == "char" && d.ty.pointer == pointer
    };
    let little = declared(left).is_some_and(|d| {
        let aligned = d.aligned.as_deref() == Some("64") && d.len == Some(name("LITTLE"));
        d.name == "little" && is_char(d, None) && aligned && d.value.is_none()
    });
    walk.require(
        little,
        line,
        "the memory on the stack is another one, or aligned otherwise",
    )?;
    let sum = declared(left).is_some_and(|d| {
        d.name == "total" && is_type(&d.ty, Scalar::I64, true) && d.value == total
    });
    walk.require(sum, line, "the total of the memory is another one")?;
    let asked = text_expr("total <= LITTLE ? 0 : bytes(total + 64)").map_err(unread)?;
    let memory = declared(left).is_some_and(|d| {
        d.name == "memory"
            && d.ty.name == "void"
            && d.ty.pointer == Some((true, false))
            && d.value == Some(asked)
    });
    walk.require(memory, line, what)?;
    let refused = text_expr("!memory && total > LITTLE").map_err(unread)?;
    let Some((cond, answer)) = left.check() else {
        return walk.differs(line, "it is not asked whether there is memory");
    };
    walk.require(
        *cond == refused,
        line,
        "it is not asked whether there is memory",
    )?;
    answers(walk, left.line(), answer, "MEMORY")?;
    left.next();
    let start = text_expr("memory ? whole_line(memory) : little").map_err(unread)?;
    let heap = declared(left).is_some_and(|d| {
        d.name == "heap" && is_char(d, Some((true, false))) && d.value == Some(start)
    });
    walk.require(heap, line, "the first buffer is aligned otherwise")
}

/// Nobody touches what lies between two buffers.
fn gap(walk: &mut Walk, left: &mut Left, buffer: &str) -> Result<(), Stop> {
    let line = left.line();
    walk.scope.needs("GAP");
    let expected = text_expr(&format!("GAP((char *){buffer} - 64)"));
    let expected = expected.map_err(Stop::Unread)?;
    let found = left.next().map(|s| &s.is);
    walk.require(
        found == Some(&Is::Do(expected)),
        line,
        "the gap before a buffer is another one",
    )
}

/// A text of our own as an expression.
fn text_expr(text: &str) -> Result<Expr, Unread> {
    Parser::new(&tokens(text)?, &super::types::is_type).whole()
}
