//! Arrays beside others that a loop does not read.
//!
//! In: a term. Out: the step that makes of a loop over two arrays, of which it reads one, a loop over that one. Where sums are taken apart
//! from what is done with them, the loops of the sums go over what that needs, too, and what a tile packs would be packed anew for each
//! row of it. Absent: loops without reductions, for which nothing is packed.

use super::print::size;
use super::skeleton::has;
use super::{guide, numbered, Schedule};
use crate::term::{Kind, Op, Sort, Term};
use std::collections::BTreeSet;

const RULES: &str = "use rules/algorithmic.rules (map-fission, map-fusion, map-fst-zip, map-snd-zip, eliminate-map-identity)\n";

/// The step, where there are such loops; behind so many of its kind.
pub fn left_out(term: &Term, before: usize) -> Option<Schedule> {
    let mut all = BTreeSet::new();
    term.visit(&mut |t, _| all.extend(half_read(t)));
    if all.is_empty() {
        return None;
    }
    let looks: Vec<String> = all.into_iter().collect();
    let step = guide(&numbered("unread", before), RULES, &looks);
    Some(Schedule::preparation("", vec![step]))
}

/// How a loop looks afterwards of which one of two arrays is read.
fn half_read(t: &Term) -> Option<String> {
    let (map, args) = t.as_prim_app().filter(|(p, _)| p.op() == Op::Map)?;
    let [f, xs] = args[..] else { return None };
    let (zip, both) = xs.as_prim_app()?;
    let (Kind::Lam(_, body), Op::Zip, [left, right]) = (f.kind(), zip.op(), &both[..]) else {
        return None;
    };
    if !has(body, &[Op::Reduce]) {
        return None;
    }
    let mut of = [false; 3];
    read(body, 0, &mut of);
    let kept = match of {
        [true, false, false] => left,
        [false, true, false] => right,
        _ => return None,
    };
    // A sketch does not tell a variable from another term, so that what is kept has to be a view.
    let (view, viewed) = kept.as_prim_app()?;
    let is_view = view.op() != Op::Zip && matches!(view.op().sort(), Sort::View(_));
    let (n, _) = t.ty().as_array().filter(|_| is_view)?;
    let (map, view, n) = (map.op().name(), view.op().name(), size(n));
    let any = " ?".repeat(viewed.len());
    Some(format!(
        "(contains (app ({map} : ? -> {n}.? -> ?) (\\ (contains reduce)) (app {view}{any})))"
    ))
}

/// What of a variable, of pairs, is read: the first of it, the second, and whether it stands as a whole.
fn read(t: &Term, variable: u32, of: &mut [bool; 3]) {
    match t.kind() {
        Kind::Lam(_, body) => read(body, variable + 1, of),
        Kind::App(f, x) => {
            let is_it = matches!(x.kind(), Kind::Var(v) if *v == variable);
            match f.kind() {
                Kind::Prim(p) if is_it && p.op() == Op::Fst => of[0] = true,
                Kind::Prim(p) if is_it && p.op() == Op::Snd => of[1] = true,
                _ => {
                    read(f, variable, of);
                    read(x, variable, of);
                }
            }
        }
        Kind::Var(v) => of[2] |= *v == variable,
        _ => {}
    }
}
