//! What is done to a loop program between lowering and printing: a list of passes.
//!
//! Comes in: a nest as lowering writes it; goes out: the nest that is printed. Invariant of every pass: the program
//! has the same value on the same inputs, and no error that it did not have ([`eval`](super::eval::eval) says what
//! both mean). What a pass needs and keeps besides stands beside it in [`PASSES`]. Absent: passes that fail.

mod apart;
mod arena;
mod choices;
mod copy_coalescing;
mod cse;
mod dce;
mod decided;
mod effects;
mod fresh;
mod full_unroll;
mod independence;
mod index_set_splitting;
mod invariant_motion;
mod licm;
mod line_buffers;
mod live_ranges;
mod loop_distribution;
mod loop_fusion;
mod loop_interchange;
mod loop_interleaving;
mod loop_unswitching;
mod masks;
mod outer_vectorization;
mod own_rows;
mod partial_unroll;
mod prefetch;
mod rematerialization;
mod row_fusion;
mod scalar_replacement;
mod size_guards;
mod speculation;
mod stage_fusion;
mod stage_hoisting;
mod step;
mod store_sinking;
mod strip_mining;
mod tabulation;
mod trim_no_ops;
mod unroll_and_jam;
mod value_numbering;
mod variable_borders;

pub use partial_unroll::TIMES;

use super::Nest;
use crate::index::Facts;
use crate::target::Target;

/// What passes may decide by, beside the nest.
pub struct Context<'a> {
    /// What is known of sizes, and of variables of loops.
    pub facts: &'a mut Facts,
    /// The machine.
    pub target: Target,
    /// Whether functions of floats may be approximated on vectors.
    pub approximate: bool,
}

/// One step from nest to nest.
pub struct Pass {
    /// Its name on the command line. What is run again has a number.
    pub name: &'static str,
    /// What it does.
    pub does: &'static str,
    /// What it relies on, beside what every nest is.
    pub needs: &'static str,
    /// What later passes and the printer may rely on.
    pub keeps: &'static str,
    /// Why it stands where it does.
    pub place: &'static str,
    /// Runs it.
    pub run: fn(&mut Nest, &mut Context),
}

/// All passes, in the order in which they run.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "dce",
        does: "removes variables, buffers, stores and loops that no output depends on",
        needs: "nothing: what is read for nothing may even race with a store",
        keeps: "all stores that an output depends on, in their order",
        place: "lowering declares what it might need: what is not read must not keep a buffer in memory",
        run: |nest, _| dce::eliminate(nest),
    },
    Pass {
        name: "copy_coalescing",
        does: "writes over an array what is copied to it afterwards, where each element is made of that element alone",
        needs: "loops as lowering writes them, over whole arrays",
        keeps: "every element; loops over what is computed",
        place: "before loops are divided, exchanged and put together, as arrays are whole then",
        run: |nest, _| copy_coalescing::coalesce(nest),
    },
    Pass {
        name: "strip_mining",
        does: "makes two loops of one whose index is divided",
        needs: "indices as lowering writes them: licm would hide a quotient behind a name",
        keeps: "the order of iterations and of stores",
        place: "first of those that change loops: the others see loops as they will run",
        run: |nest, cx| strip_mining::split(nest, cx.facts),
    },
    Pass {
        name: "loop_interchange",
        does: "puts loops that store column by column into the order of rows",
        needs: "loops that stand directly in each other: index_set_splitting would put others beside them",
        keeps: "every iteration; the order of stores to one place, which are of one iteration",
        place: "after strip_mining, which makes steps through memory constant",
        run: |nest, cx| loop_interchange::interchange(nest, cx.facts),
    },
    Pass {
        name: "stage_hoisting",
        does: "computes a stage that is the same in each iteration of a loop once before it",
        needs: "loops as they will stand in each other: strip_mining, loop_interchange",
        keeps: "every store that is read, in its order",
        place: "after strip_mining, which puts a loop around rows that are made of the same; before line_buffers, which looks at stages",
        run: |nest, cx| stage_hoisting::hoist(nest, cx.facts),
    },
    Pass {
        name: "loop_interleaving",
        does: "runs updates of a few tables at places that data say side by side, so that they do not wait for each other",
        needs: "tables that are rows of an array: indices as lowering writes them",
        keeps: "the steps of each table and their order",
        place: "after loop_interchange, for which loops stand directly in each other; before all that looks at innermost loops",
        run: |nest, cx| loop_interleaving::interleave(nest, cx.facts),
    },
    Pass {
        name: "line_buffers",
        does: "computes rows of a stage just before windows of them are read, and keeps no more rows than are read",
        needs: "loops over windows with an index for each dimension, over rows outermost: strip_mining, loop_interchange",
        keeps: "what is computed, rows at the edge of a strip of parallel rows twice; the order of stores to what is no stage",
        place: "before index_set_splitting, which would make several loops of a stage",
        run: |nest, cx| line_buffers::keep(nest, cx.facts),
    },
    Pass {
        name: "rematerialization",
        does: "writes tables of constants where threads read them, so that compilers see the constants",
        needs: "tables as lowering fills them: element by element, outside of loops that read them",
        keeps: "every value; the table itself where something else reads it",
        place: "before scalar_replacement, which takes apart what is not read by variable indices",
        run: |nest, _| rematerialization::rematerialize(nest),
    },
    Pass {
        name: "index_set_splitting",
        does: "gives the border of an array loops of its own, so that inside no index is bounded and no value chosen",
        needs: "loops over windows with an index for each dimension: strip_mining",
        keeps: "the order of stores but in parallel loops; names are declared once",
        place: "before loop_unswitching, for which choices are left that a loop does not change",
        run: |nest, cx| index_set_splitting::split(nest, cx.facts),
    },
    Pass {
        name: "scalar_replacement",
        does: "replaces stack buffers, all of whose indices are constant, by variables",
        needs: "accesses that overlap have one width, or the buffer stays",
        keeps: "the order of stores; a buffer without elements has the storage class `Gone`",
        place: "before all that looks for variables: accumulators of unrolled loops are buffers until here",
        run: |nest, _| scalar_replacement::replace(nest),
    },
    Pass {
        name: "dce-2",
        does: "as dce",
        needs: "nothing",
        keeps: "all stores that an output depends on, in their order",
        place: "of the new variables some are never read, and only now seen to be so",
        run: |nest, _| dce::eliminate(nest),
    },
    Pass {
        name: "cse",
        does: "removes loops that compute accumulators which are there already",
        needs: "accumulators that are variables: scalar_replacement",
        keeps: "the order of stores; each accumulator is assigned by the loop that it was assigned by",
        place: "after dce-2, so that nothing stands between whose value nobody reads",
        run: |nest, _| cse::eliminate(nest),
    },
    Pass {
        name: "full_unroll",
        does: "writes loops of a few iterations out, where that makes variables of small buffers, as scalar_replacement does",
        needs: "loops as they will run: index_set_splitting; tables where they are read: rematerialization",
        keeps: "the statements of all iterations, in their order; names are declared once",
        place: "after cse, which sees that loops are equal, but not that statements are; before loop_fusion, for which accumulators are variables",
        run: |nest, cx| full_unroll::unroll(nest, cx),
    },
    Pass {
        name: "loop_fusion",
        does: "makes one loop of two that read the same elements to compute different accumulators",
        needs: "accumulators that are variables: scalar_replacement; no two loops for one value: cse",
        keeps: "the steps of each accumulator and their order; all stores",
        place: "after cse; before licm and partial_unroll, which count what a loop has",
        run: |nest, cx| loop_fusion::fuse(nest, cx.facts, cx.target.registers()),
    },
    Pass {
        name: "stage_fusion",
        does: "makes one loop of two, of which the second reads what the first stores in the same iteration",
        needs: "loops without choices, and as they will run: line_buffers, index_set_splitting; accumulators that are variables: scalar_replacement",
        keeps: "the order of the stores of each loop; rows that something else reads",
        place: "after loop_fusion; before dce-3, which removes rows that are variables now, and before licm",
        run: |nest, _| stage_fusion::fuse(nest),
    },
    Pass {
        name: "loop_fusion-2",
        does: "as loop_fusion",
        needs: "accumulators that are variables: scalar_replacement",
        keeps: "the steps of each accumulator and their order; all stores",
        place: "stage_fusion puts reductions of the same elements side by side, which stood in loops of their own",
        run: |nest, cx| loop_fusion::fuse(nest, cx.facts, cx.target.registers()),
    },
    Pass {
        name: "row_fusion",
        does: "makes one loop of two outer ones that go over the same rows, which are in the caches then",
        needs: "inner loops as they will run: stage_fusion, loop_fusion-2; stages that keep some lines: line_buffers",
        keeps: "the order of the stores of each loop; inner loops",
        place: "after loop_fusion-2, which makes one of inner loops where it can; before licm and arena",
        run: |nest, cx| row_fusion::fuse(nest, cx.facts),
    },
    Pass {
        name: "store_sinking",
        does: "stores vectors and lanes where they are chosen, not by way of a variable or a buffer",
        needs: "variables that are chosen are assigned at the end of each side: scalar_replacement",
        keeps: "which values are stored where; the order of stores but for those to a buffer of lanes",
        place: "before loop_unswitching, for which a choice of stores is none",
        run: |nest, _| store_sinking::sink(nest),
    },
    Pass {
        name: "trim_no_ops",
        does: "leaves out iterations at the ends of a loop that change nothing, as a condition on indices says, solved for its variable",
        needs: "accumulators that are variables: scalar_replacement; indices that are not behind names of licm",
        keeps: "the other iterations and their order; a choice that the new bounds decide is made",
        place: "before loop_unswitching, which leaves the choices that a loop changes",
        run: |nest, cx| trim_no_ops::trim(nest, cx.facts),
    },
    Pass {
        name: "loop_unswitching",
        does: "moves choices that an innermost loop does not change out of it",
        needs: "choices as lowering writes them: a variable, then two sides that assign it",
        keeps: "the order of stores; names are declared once",
        place: "after store_sinking, which leaves the choices that are of values; before what counts registers of loops",
        run: |nest, cx| loop_unswitching::unswitch(nest, cx.facts),
    },
    Pass {
        name: "value_numbering",
        does: "leaves of two names of one value the first",
        needs: "bodies of loops as they will run: loop_unswitching",
        keeps: "the order of stores; what a thread reads is computed by it or read from memory, as before",
        place: "after all that writes a value once more; before tabulation, which makes one table of what has one name, and dce-3, as a loop over that may be empty",
        run: |nest, _| value_numbering::number(nest),
    },
    Pass {
        name: "tabulation",
        does: "computes once, before a loop, what loops in it compute anew in each of its iterations: it is read from a table then",
        needs: "loops as they will run, without choices that a loop does not change: loop_unswitching",
        keeps: "the order of stores; every value; names are declared once",
        place: "before dce-3, which removes what is only in tables now; before outer_vectorization, which makes no lanes of exact functions",
        run: |nest, cx| tabulation::tabulate(nest, cx.facts),
    },
    Pass {
        name: "dce-3",
        does: "as dce",
        needs: "nothing",
        keeps: "all stores that an output depends on, in their order",
        place: "each of two loops uses a part of what was declared for one; later passes make nothing superfluous",
        run: |nest, _| dce::eliminate(nest),
    },
    Pass {
        name: "loop_distribution",
        does: "computes functions that may be approximated, of what a loop in order reads, in strips before its steps",
        needs: "accumulators that are variables: scalar_replacement; indices as sums of products of variables, before licm",
        keeps: "every value; the order of steps and of stores; names are declared once",
        place: "before outer_vectorization, which makes lanes of what is computed in strips",
        run: |nest, cx| loop_distribution::distribute(nest, cx),
    },
    Pass {
        name: "outer_vectorization",
        does: "makes lanes of iterations of a loop around reductions, or of functions that may be approximated, where these store and read numbers that lie side by side",
        needs: "accumulators that are variables: scalar_replacement; indices as sums of products of variables, before licm",
        keeps: "what each iteration computes, in its order; names are declared once",
        place: "after what moves statements into and out of loops, as others take apart loops of numbers only; before prefetch, which looks at innermost loops",
        run: |nest, cx| outer_vectorization::vectorize(nest, cx),
    },
    Pass {
        name: "unroll_and_jam",
        does: "lets some iterations of a loop share an inner one whose steps wait for each other, as those of scans do, and of sums in order",
        needs: "accumulators that are variables: scalar_replacement; indices as sums of products of variables, before licm",
        keeps: "what each iteration computes, in its order; names are declared once",
        place: "after outer_vectorization, which makes lanes of what lies side by side; before prefetch, which looks at innermost loops",
        run: |nest, cx| unroll_and_jam::jam(nest, cx.facts),
    },
    Pass {
        name: "index_set_splitting-2",
        does: "gives iterations of an innermost loop that bound an index loops of their own, wherever they begin and end",
        needs: "loops as they will run: outer_vectorization, unroll_and_jam; indices before licm gives names to parts of them",
        keeps: "every iteration and their order; names are declared once",
        place: "after tabulation and outer_vectorization, for which loops have one length; before independence, which compares indices",
        run: |nest, cx| variable_borders::split(nest, cx.facts),
    },
    Pass {
        name: "speculation",
        does: "reads elements of inputs that lie side by side, or are the same in all iterations, before the choice that reads them on one side only",
        needs: "loops as they will run: index_set_splitting-2, without choices that a loop does not change: loop_unswitching",
        keeps: "the order of stores; every value; names are declared once",
        place: "after what shows that an index needs no bound; before prefetch, which looks at what a loop reads, and licm",
        run: |nest, cx| speculation::speculate(nest, cx.facts),
    },
    Pass {
        name: "prefetch",
        does: "asks for rows of inputs before innermost loops read them",
        needs: "loops as they will run: loop_unswitching",
        keeps: "everything, as a hint reads nothing",
        place: "before licm, so that what its indices need is computed outside of the loop, too",
        run: |nest, _| prefetch::prefetch(nest),
    },
    Pass {
        name: "invariant_motion",
        does: "chooses before an innermost loop what it chooses alike in each iteration, such as conversions that saturate",
        needs: "loops as they will run: outer_vectorization, unroll_and_jam",
        keeps: "every value; what reads memory stays where it is; names are declared once",
        place: "after tabulation, whose tables leave what another loop does not change; before partial_unroll, which counts what a loop has",
        run: |nest, _| invariant_motion::hoist(nest),
    },
    Pass {
        name: "independence",
        does: "marks innermost loops of threads whose iterations store different elements, and read none of them",
        needs: "indices as sums of products of variables, before licm gives names to parts of them",
        keeps: "everything but the kind of loops",
        place: "after what moves statements into and out of loops, and before licm",
        run: |nest, cx| independence::mark(nest, cx.facts),
    },
    Pass {
        name: "licm",
        does: "computes quotients, remainders, minima and maxima of indices, and long sums that say how far iterations lie apart, in the outermost block that has their variables",
        needs: "all indices there will be",
        keeps: "indices are sums of products of variables: no later pass may write another operation",
        place: "after all that compares indices, which it hides behind names",
        run: |nest, cx| licm::hoist(nest, cx.facts),
    },
    Pass {
        name: "partial_unroll",
        does: "marks short loops of sums, of which several iterations are written in a row",
        needs: "bodies as they are printed: how many vectors a loop keeps is counted",
        keeps: "everything but the kind of loops",
        place: "last of those that change loops: every other pass takes a marked loop for one that is in order",
        run: |nest, cx| partial_unroll::mark(nest, cx.target.registers()),
    },
    Pass {
        name: "arena",
        does: "lists the buffers on the heap, with the choices by sizes around each",
        needs: "all buffers there will be, and conditions in terms of sizes or of what licm computes of them",
        keeps: "the statements",
        place: "after whatever removes or doubles buffers",
        run: |nest, _| arena::place(nest),
    },
    Pass {
        name: "size_guards",
        does: "refuses sizes for which what is computed of them, or an array, is too large",
        needs: "the arena; all that is computed outside of loops: licm",
        keeps: "the statements",
        place: "last, as it asks what all others compute",
        run: |nest, _| size_guards::guard(nest),
    },
];

/// Runs all passes.
pub fn run(nest: &mut Nest, cx: &mut Context) {
    PASSES.iter().for_each(|pass| (pass.run)(nest, cx));
}

/// The list for people: what each pass does and why it stands where it does.
pub fn listing() -> String {
    let one = |p: &Pass| {
        format!(
            "{}\n  does   {}\n  needs  {}\n  keeps  {}\n  place  {}\n",
            p.name, p.does, p.needs, p.keeps, p.place
        )
    };
    PASSES.iter().map(one).collect::<Vec<_>>().join("\n")
}
