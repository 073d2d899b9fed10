//! Where what a term computes is written.
//!
//! In: a form. Out: the form of terms that hold it at a place that is written: the result, what is kept in memory, the
//! bodies of loops at such places, and what is behind views there, since lowering turns a view of what is written
//! into a place to write. A `map` there is a loop of the kernel; elsewhere it is a view, whose elements are computed
//! where they are read. It is what `lower::write` does, told of terms instead of values (tests compare the two). Where lowering
//! decides by more than the term, the place does not count. Absent: everything else that a sketch means.

use super::forms::{Form, FormId, Forms};
use crate::term::Op;

const MAPS: [Op; 4] = [Op::Map, Op::MapSeq, Op::MapPar, Op::MapSeqUnroll];
const REDUCTIONS: [Op; 4] = [Op::Reduce, Op::ReduceSeq, Op::ReduceSeqUnroll, Op::ScanSeq];
/// Whose argument is written through the index map of the view.
const VIEWS: [Op; 8] = [
    Op::Join,
    Op::Split,
    Op::Transpose,
    Op::AsScalar,
    Op::AsVector,
    Op::Take,
    Op::Drop,
    Op::Reverse,
];
/// Of one argument, which is computed with them.
const OF_ONE: [Op; 6] = [Op::ToMem, Op::Fst, Op::Snd, Op::Unzip, Op::Neg, Op::Sqrt];
/// Of two arguments, which are computed with them.
const OF_TWO: [Op; 9] = [
    Op::Zip,
    Op::Concat,
    Op::Pair,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Div,
    Op::Min,
    Op::Max,
];

struct Maker<'a> {
    a: &'a mut Forms,
    any: FormId,
}

impl Maker<'_> {
    fn one_of(&mut self, ops: &[Op]) -> FormId {
        self.a.enter(Form::OneOf(ops.to_vec()))
    }

    /// An application to some arguments.
    fn app(&mut self, f: FormId, args: &[FormId]) -> FormId {
        args.iter().fold(f, |f, x| self.a.enter(Form::App(f, *x)))
    }

    fn lam(&mut self, body: FormId) -> FormId {
        self.a.enter(Form::Lam(body))
    }

    /// Functions that only rearrange what they are given.
    fn rearranging(&mut self, maps: FormId, views: FormId) -> FormId {
        let (function, body) = (self.a.reserve(), self.a.reserve());
        let inside = vec![
            self.a.enter(Form::Var),
            self.app(views, &[body]),
            self.app(maps, &[function, body]),
        ];
        self.a.define(body, inside);
        let functions = vec![views, self.app(maps, &[function]), self.lam(body)];
        self.a.define(function, functions);
        function
    }

    /// The form itself, or what applies it: `app map f` in `map f xs`.
    fn here(&mut self, form: FormId) -> FormId {
        let here = self.a.reserve();
        let applied = self.app(here, &[self.any]);
        self.a.define(here, vec![form, applied]);
        here
    }

    /// An array of given elements one of which is a `place`.
    fn made_of(&mut self, place: FormId) -> FormId {
        let head = self.one_of(&[Op::MakeArray]);
        let before = self.here(head);
        let ends = self.app(before, &[place]);
        self.here(ends)
    }
}

/// Terms in which the form stands where something is written.
pub(super) fn written(a: &mut Forms, form: FormId) -> FormId {
    let any = a.enter(Form::Any);
    let mut f = Maker { a, any };
    let here = f.here(form);
    let (place, function) = (f.a.reserve(), f.a.reserve());
    let [maps, reductions, views] = [&MAPS[..], &REDUCTIONS, &VIEWS].map(|ops| f.one_of(ops));
    let rearranging = f.rearranging(maps, views);
    let [of_one, of_two] = [&OF_ONE[..], &OF_TWO].map(|ops| f.one_of(ops));
    let [generate, iterate, pad, select, bind, keep] = [
        Op::Generate,
        Op::Iterate,
        Op::PadCst,
        Op::Select,
        Op::Let,
        Op::ToMem,
    ]
    .map(|op| f.one_of(&[op]));
    let operator = f.lam(function);
    let kept = f.app(keep, &[place]);
    let places = vec![
        here,
        f.app(maps, &[function, any]),
        f.app(maps, &[rearranging, place]),
        f.app(reductions, &[operator, any, any]),
        f.app(reductions, &[any, place, any]),
        f.app(views, &[place]),
        f.app(of_one, &[place]),
        f.app(of_two, &[place, any]),
        f.app(of_two, &[any, place]),
        f.app(generate, &[function]),
        f.app(iterate, &[function, any]),
        f.app(iterate, &[any, place]),
        f.app(pad, &[any, place]),
        f.app(select, &[any, place, any]),
        f.app(select, &[any, any, place]),
        f.app(bind, &[any, function]),
        // What is kept is computed wherever it is used.
        f.a.enter(Form::Contains(kept)),
        f.made_of(place),
    ];
    f.a.define(place, places);
    let functions = vec![
        here,
        f.lam(place),
        f.app(maps, &[function]),
        f.app(reductions, &[operator, any]),
    ];
    f.a.define(function, functions);
    place
}
