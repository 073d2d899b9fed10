//! Arrays beside others that a loop does not read.
//!
//! In: a term. Out: the step that makes of a loop over two arrays, of which it reads one, a loop over that one. Where sums are taken apart
//! from what is done with them, the loops of the sums go over what that needs, too, and what a tile packs would be packed anew for each
//! row of it. Absent: loops without reductions, for which nothing is packed.

use super::print::size;
use super::skeleton::has;
use super::{guide, numbered, Schedule};
use crate::arith::Nat;
use crate::term::{Kind, Op, Sort, Term};
use std::collections::BTreeSet;

const RULES: &str = "use rules/algorithmic.rules (map-fission, map-fusion, map-fst-zip, map-snd-zip, eliminate-map-identity)\n";

/// Of which arrays others are left out that stand beside them.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Kept {
    /// Of views: of these packing makes much.
    Views,
    /// Of any: a tile wants loops over what it reads alone; other steps find what they look for in both forms.
    Any,
}

/// What is read of two in loops inside gets a name, which stands outside of them then.
const NAMED: &str = "use rules/sharing.rules (first-named-left, second-named-left, zip-first-read, zip-second-read, let-out-of-argument,
  let-out-of-function, let-out-of-first, let-float-map)\n";

/// The step, where there are such loops: of all of them, or of one, where not all are reached; behind so many of its kind.
pub fn left_out(term: &Term, before: usize, kept: Kept) -> Vec<Schedule> {
    let (mut all, mut whole) = (BTreeSet::new(), BTreeSet::new());
    term.visit(&mut |t, _| match half_read(t, kept) {
        Some(look) => {
            all.insert(look);
        }
        None => whole.extend(look(t)),
    });
    // What is looked for must not be there already.
    all.retain(|look| !whole.contains(look));
    let looks: Vec<String> = all.into_iter().collect();
    let step = |looks: &[String], rules: &str| {
        let step = guide(&numbered("unread", before), rules, looks);
        Schedule::preparation("", vec![step])
    };
    let mut ways = Vec::new();
    if looks.len() > 1 {
        ways.push(step(&looks, RULES));
    }
    for look in looks.chunks(1) {
        ways.push(step(look, RULES));
        ways.push(step(look, &format!("{RULES}{NAMED}")));
    }
    ways
}

/// How a loop looks afterwards of which one of two arrays is read.
fn half_read(t: &Term, of: Kept) -> Option<String> {
    let (map, args) = t.as_prim_app().filter(|(p, _)| p.op() == Op::Map)?;
    let [f, xs] = args[..] else { return None };
    let (zip, both) = xs.as_prim_app()?;
    let (Kind::Lam(_, body), Op::Zip, [left, right]) = (f.kind(), zip.op(), &both[..]) else {
        return None;
    };
    if !has(body, &[Op::Reduce]) {
        return None;
    }
    let mut reads = [0; 3];
    read(body, 0, &mut reads);
    let kept = match reads {
        [1..=u32::MAX, 0, 0] => left,
        [0, 1..=u32::MAX, 0] => right,
        _ => return None,
    };
    // What is read more than once keeps its places: no rule takes it out of them.
    let once = of == Kept::Any && reads.iter().sum::<u32>() == 1;
    over(map.op(), t.ty().as_array()?.0, kept).filter(|_| once || is_view(kept))
}

fn is_view(t: &Term) -> bool {
    (t.as_prim_app())
        .is_some_and(|(p, _)| p.op() != Op::Zip && matches!(p.op().sort(), Sort::View(_)))
}

/// A loop that reduces, by what it goes over.
fn look(t: &Term) -> Option<String> {
    let (map, args) = t.as_prim_app().filter(|(p, _)| p.op() == Op::Map)?;
    let [f, xs] = args[..] else { return None };
    let reduces = matches!(f.kind(), Kind::Lam(_, body) if has(body, &[Op::Reduce]));
    let (n, _) = t.ty().as_array().filter(|_| reduces)?;
    over(map.op(), n, xs)
}

/// How a loop looks that reduces and goes over an array: a view, or anything else but pairs, which a sketch tells from others by its type.
fn over(map: Op, n: Nat, array: &Term) -> Option<String> {
    let (map, n) = (map.name(), size(n));
    let view = array
        .as_prim_app()
        .map(|(view, viewed)| (view.op(), viewed.len()));
    Some(match view {
        Some((Op::Zip, _)) => return None,
        Some((view, viewed)) if matches!(view.sort(), Sort::View(_)) => {
            let (view, any) = (view.name(), " ?".repeat(viewed));
            format!("(contains (app ({map} : ? -> {n}.? -> ?) (\\ (contains reduce)) (app {view}{any})))")
        }
        _ if array
            .ty()
            .as_array()
            .is_some_and(|(_, e)| e.as_pair().is_some()) =>
        {
            return None
        }
        // On the way there loops are two, and what is read is still beside the other.
        _ => format!(
            "(contains (app ({map} : ? -> {} -> ?) (\\ ((contains reduce) and (none (app map ? (app map ? ?))))) (none zip)))",
            array.ty()
        ),
    })
}

/// How often is read of a variable, of pairs, the first of it, the second, and all of it.
fn read(t: &Term, variable: u32, of: &mut [u32; 3]) {
    match t.kind() {
        Kind::Lam(_, body) => read(body, variable + 1, of),
        Kind::App(f, x) => {
            let is_it = matches!(x.kind(), Kind::Var(v) if *v == variable);
            match f.kind() {
                Kind::Prim(p) if is_it && p.op() == Op::Fst => of[0] += 1,
                Kind::Prim(p) if is_it && p.op() == Op::Snd => of[1] += 1,
                _ => {
                    read(f, variable, of);
                    read(x, variable, of);
                }
            }
        }
        Kind::Var(v) => of[2] += u32::from(*v == variable),
        _ => {}
    }
}
