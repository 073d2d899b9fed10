//! Which loops read the same columns again.
//!
//! In: the function of a loop. Out: whether what a reduction below it reads along the innermost loop stays the same in all
//! iterations of this one, so that what is loaded for one of them serves several. Which array a variable is an element of is
//! followed through pairs and names. Absent: sizes, what is done with it.

use crate::term::{Data, Kind, Loop, Op, Sort, Term};

/// Steps after which everything is taken to depend on everything.
const STEPS: u32 = 10_000;

/// What a variable stands for.
#[derive(Copy, Clone)]
enum Bound<'t> {
    /// The loop that is asked about.
    This,
    /// An element of an array.
    Element(&'t Term),
    Named(&'t Term),
    Other,
}

/// What is read depends on: the loop that is asked about, the innermost one.
#[derive(Copy, Clone, Default)]
struct Needs {
    this: bool,
    innermost: bool,
}

impl Needs {
    fn or(self, other: Needs) -> Needs {
        Needs {
            this: self.this || other.this,
            innermost: self.innermost || other.innermost,
        }
    }
}

/// Whether the columns that a reduction reads inside of a loop with this function are the same in all its iterations.
pub fn reused(f: &Term) -> bool {
    let Kind::Lam(_, body) = f.kind() else {
        return false;
    };
    let mut scope = Scope {
        bound: vec![Bound::This],
        innermost: None,
        steps: 0,
    };
    scope.nest(body)
}

struct Scope<'t> {
    /// Outermost first.
    bound: Vec<Bound<'t>>,
    /// The place of the innermost loop.
    innermost: Option<usize>,
    steps: u32,
}

impl<'t> Scope<'t> {
    fn nest(&mut self, t: &'t Term) -> bool {
        let Some((p, args)) = t.as_prim_app() else {
            return false;
        };
        let (bound, f) = match (p.op().sort(), &args[..]) {
            (Sort::Loop(Loop::Map | Loop::MapSeq | Loop::MapPar), &[f, xs]) => {
                self.innermost = Some(self.bound.len());
                (Bound::Element(xs), f)
            }
            (Sort::Data(Data::Let), &[value, f]) => (Bound::Named(value), f),
            (Sort::Loop(Loop::Reduce | Loop::ReduceSeq), [_, _, xs]) => {
                let mut columns = Vec::new();
                self.operands(xs, &mut columns);
                columns.retain(|n| n.innermost);
                return !columns.is_empty() && columns.iter().all(|n| !n.this);
            }
            _ => return false,
        };
        let Kind::Lam(_, body) = f.kind() else {
            return false;
        };
        self.bound.push(bound);
        self.nest(body)
    }

    /// What each array needs that is read side by side with others.
    fn operands(&mut self, xs: &'t Term, all: &mut Vec<Needs>) {
        let depth = self.bound.len();
        match xs.as_prim_app() {
            Some((p, args)) if p.op() == Op::Zip => {
                args.into_iter().for_each(|a| self.operands(a, all));
            }
            Some((p, args)) if p.op() == Op::Map && args.len() == 2 => {
                self.operands(args[1], all);
                all.push(self.needs(args[0], &[], depth));
            }
            _ => all.push(self.needs(xs, &[], depth)),
        }
    }

    /// Of a term below so many binders, or of a part of it: which side of pairs, the outermost pair last.
    fn needs(&mut self, t: &'t Term, part: &[bool], depth: usize) -> Needs {
        self.steps += 1;
        if self.steps > STEPS {
            return Needs {
                this: true,
                innermost: true,
            };
        }
        match t.kind() {
            Kind::Var(i) => self.variable(*i, part, depth),
            Kind::Lam(_, body) => {
                let outer = self.bound.split_off(depth);
                self.bound.push(Bound::Other);
                let needs = self.needs(body, &[], depth + 1);
                self.bound.truncate(depth);
                self.bound.extend(outer);
                needs
            }
            Kind::App(f, x) => match t.as_prim_app() {
                Some((p, args)) => self.application(p.op(), &args, part, depth),
                None => {
                    let f = self.needs(f, &[], depth);
                    f.or(self.needs(x, &[], depth))
                }
            },
            Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => Needs::default(),
        }
    }

    fn variable(&mut self, i: u32, part: &[bool], depth: usize) -> Needs {
        let Some(place) = depth.checked_sub(1 + i as usize) else {
            return Needs::default();
        };
        match self.bound.get(place).copied() {
            Some(Bound::This) => Needs {
                this: true,
                innermost: false,
            },
            Some(Bound::Element(of)) => {
                let own = Needs {
                    this: false,
                    innermost: self.innermost == Some(place),
                };
                own.or(self.needs(of, part, place))
            }
            Some(Bound::Named(of)) => self.needs(of, part, place),
            Some(Bound::Other) | None => Needs::default(),
        }
    }

    fn application(&mut self, op: Op, args: &[&'t Term], part: &[bool], depth: usize) -> Needs {
        let side = part.split_last();
        match (op, args, side) {
            (Op::Fst | Op::Snd, [of], _) => {
                let mut part = part.to_vec();
                part.push(op == Op::Snd);
                self.needs(of, &part, depth)
            }
            (Op::Zip | Op::Pair, [a, b], Some((second, rest))) => {
                self.needs(if *second { b } else { a }, rest, depth)
            }
            _ => {
                let part = match op.sort() {
                    Sort::View(_) => part,
                    _ => &[],
                };
                let each = args.iter().map(|a| self.needs(a, part, depth));
                each.fold(Needs::default(), Needs::or)
            }
        }
    }
}
