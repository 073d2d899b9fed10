//! Which loops read the same columns again.
//!
//! In: the function of a loop. Out: whether what a reduction below it reads along the innermost loop stays the same in all
//! iterations of this one, so that what is loaded for one of them serves several. Absent: sizes, what is done with it.

use super::depends::{Scope, Set, Varies};
use crate::term::{Data, Kind, Loop, Op, Sort, Term};

/// The loop that is asked about; those in it follow.
const THIS: usize = 0;

/// Whether the columns that a reduction reads inside of a loop with this function are the same in all its iterations.
pub fn reused(f: &Term) -> bool {
    let Kind::Lam(_, body) = f.kind() else {
        return false;
    };
    let around = Scope::of(f.open());
    nest(body, &around.with(Varies::default().by(THIS)), THIS)
}

/// The same of what stands in so many loops more.
fn nest(t: &Term, scope: &Scope, inner: usize) -> bool {
    let Some((p, args)) = t.as_prim_app() else {
        return false;
    };
    let (bound, f, inner) = match (p.op().sort(), &args[..]) {
        (Sort::Loop(Loop::Map | Loop::MapSeq | Loop::MapPar), [f, xs]) => {
            (scope.varies(xs).by(inner + 1), f, inner + 1)
        }
        (Sort::Data(Data::Let), [value, f]) => (scope.varies(value), f, inner),
        (Sort::Loop(Loop::Reduce | Loop::ReduceSeq), [_, _, xs]) => {
            let mut columns = Vec::new();
            operands(xs, scope, &mut columns);
            columns.retain(|all| inner > THIS && all.has(inner));
            return !columns.is_empty() && columns.iter().all(|all| !all.has(THIS));
        }
        _ => return false,
    };
    let Kind::Lam(_, body) = f.kind() else {
        return false;
    };
    nest(body, &scope.with(bound), inner)
}

/// What each array depends on that is read side by side with others.
fn operands(xs: &Term, scope: &Scope, all: &mut Vec<Set>) {
    match xs.as_prim_app() {
        Some((p, args)) if p.op() == Op::Zip => {
            args.into_iter().for_each(|a| operands(a, scope, all));
        }
        Some((p, args)) if p.op() == Op::Map && args.len() == 2 => {
            operands(args[1], scope, all);
            all.push(scope.varies(args[0]).flat());
        }
        _ => all.push(scope.varies(xs).flat()),
    }
}
