//! Term → Nest.
//!
//! Comes in: a program in β/η-normal form, with some sizes fixed; goes out: the
//! [`Nest`] of one function. Works by evaluating the term with symbolic values:
//! what is read stays an index computation (`read`), what is written becomes
//! loops (`write`), reductions get accumulators (`reduce`), a view change on the
//! written side turns into its dual (`write`, `dual`). Invariant: a value is
//! computed in the outermost block in which its variables are known, if it is
//! kept in memory or is a reduction; so what is invariant leaves its loops.
//! Absent: C syntax; names of sources.
//!
//! Note [Who makes loops]
//! `mapSeq`, `mapPar`, `mapSeqUnroll` and plain `map` make a loop where they are
//! written, and nothing where they are read: there their function is applied to
//! the element asked for. Reductions and scans make loops wherever they stand.
//! Buffers come from reductions of arrays, scans, `toMem`, `iterate`,
//! `scatter`, `circularBuffer` and arrays of arrays built element by element.

mod accum;
mod assume;
mod casts;
mod dual;
mod eval;
pub mod float;
pub mod index_map;
mod inplace;
mod lane_blocks;
mod lanes;
mod memory;
mod multi_versioning;
mod numbers;
mod ops;
mod read;
mod reduce;
mod rotate;
mod state;
mod value;
mod vector;
mod write;

use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::estimate;
use crate::index::{Facts, Level, Queries};
use crate::intern::Symbol;
use crate::nest::passes::{self, Context};
use crate::nest::{Abi, Assumption, Buffer, Entry, Nest, Slot, StorageClass};
use crate::target::Target;
use crate::term::{Program, Term};
use crate::ty::Ty;
use state::{Lower, Res, Stop};
use std::collections::BTreeMap;
use value::{Env, Leaf, Mem, Val};

/// What lowering may decide by.
#[derive(Clone, Debug)]
pub struct Options {
    /// Sizes that are fixed; they leave the signature.
    pub fixed: BTreeMap<Symbol, i64>,
    /// Sizes that the way to the program's term speaks of, beyond those of the term: only where they are whole and not
    /// negative does the term equal what it was made of.
    pub obliged: Vec<Nat>,
    /// The machine whose vector registers are used.
    pub target: Target,
    /// Local buffers up to this size live on the stack.
    pub stack_bytes: u64,
    /// Whether `mapPar` becomes a parallel loop.
    pub parallel: bool,
    /// How many statements a nest may have.
    pub statements: usize,
    /// How much is done to indices.
    pub simplify: Level,
    /// Whether functions of floats are approximated on vectors: within what
    /// [`FUNCTION_ULPS`](crate::interp::FUNCTION_ULPS) says, else lane by lane by the C library.
    pub approximate: bool,
    /// What the function is called, where that is not the program's name.
    pub name: Option<String>,
    /// Whether numbers of 32 bits that are computed of indices are taken for indices, which is right at sizes that are not too large; at
    /// others the function calls one that is lowered without.
    pub narrow: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            fixed: BTreeMap::new(),
            obliged: Vec::new(),
            target: Target::default(),
            stack_bytes: 64 << 10,
            parallel: true,
            statements: 100_000,
            simplify: Level::default(),
            approximate: false,
            name: None,
            narrow: true,
        }
    }
}

impl Options {
    /// What passes decide by.
    pub fn context<'a>(&self, facts: &'a mut Facts) -> Context<'a> {
        Context {
            facts,
            target: self.target,
            approximate: self.approximate,
        }
    }
}

/// The program as it is walked: with some of its sizes fixed, and kept values out of functions.
pub fn prepared(program: &Program, sizes: &BTreeMap<Symbol, i64>) -> Program {
    let fix = |n: Nat| n.subst_vars(&mut |s| sizes.get(&s).map(|&k| Nat::int(k)));
    let fix_ty = |t: Ty| t.map_nats(&mut |n| fix(n));
    let params = program.params.iter();
    Program {
        name: program.name,
        sizes: (program.sizes.iter().copied())
            .filter(|s| !sizes.contains_key(s))
            .collect(),
        params: params.map(|(name, ty)| (*name, fix_ty(*ty))).collect(),
        result: fix_ty(program.result),
        term: float::float(&match sizes.is_empty() {
            true => program.term.clone(),
            false => {
                (program.term).map_types(&mut |t| t.map_nats(&mut |n| fix(n)), &mut |n| fix(n))
            }
        }),
    }
}

/// Lowers a program. Fails with a diagnostic that names the term for which
/// there is no loop program.
pub fn lower(program: &Program, options: &Options) -> Result<Nest, Diagnostic> {
    lower_asking(program, options).map(|(nest, _)| nest)
}

/// As [`lower`], with what was asked about indices on the way.
pub fn lower_asking(program: &Program, options: &Options) -> Result<(Nest, Queries), Diagnostic> {
    let (mut nest, mut facts) = before_passes(program, options)?;
    passes::run(&mut nest, &mut options.context(&mut facts));
    let parallel = estimate::parallel(&nest, options.target);
    nest.entry.shares = parallel.shares;
    nest.entry.statics = parallel.statics;
    if !nest.abi.preferred.is_empty() {
        let options = Options {
            narrow: false,
            ..options.clone()
        };
        nest = nest.with_fallback(lower(program, &options)?);
    }
    Ok((nest, facts.queries()))
}

/// The nest as lowering writes it, and what passes may know of its sizes.
pub fn before_passes(program: &Program, options: &Options) -> Result<(Nest, Facts), Diagnostic> {
    let Program {
        term,
        result,
        params,
        sizes,
        ..
    } = prepared(program, &options.fixed);
    let (assumptions, casts) = assume::collect(program, &term, &params, result, options)?;
    let mut cx = Lower::new(options, &sizes);
    assume::tell(&assumptions, &mut cx.facts);
    cx.casts = casts;
    match run(&mut cx, &term, &params, result) {
        Ok(()) => {}
        Err(Stop::Diag(d)) => return Err(*d),
        Err(Stop::NotAView) => {
            return Err(Diagnostic::new(
                code::NOT_LOWERABLE,
                format!("`{}` cannot be lowered", program.name),
            ))
        }
    }
    let asks = std::mem::take(&mut cx.asks);
    let mut nest = Nest {
        abi: Abi {
            name: crate::nest::names::function_name(
                options.name.as_deref().unwrap_or(program.name.as_str()),
            ),
            outputs: std::mem::take(&mut cx.outputs),
            sizes,
            inputs: std::mem::take(&mut cx.inputs),
            assumptions,
            preferred: asks.into_iter().map(Assumption::NotNegative).collect(),
            errors: Vec::new(),
        },
        entry: Entry::default(),
        buffers: std::mem::take(&mut cx.buffers),
        computed: std::mem::take(&mut cx.computed),
        body: cx.finish_body(),
        lanes_of_iterations: Vec::new(),
        shared_by_iterations: Default::default(),
        fallback: None,
    };
    nest.abi.errors = assume::errors(&nest);
    Ok((nest, cx.facts))
}

fn run(cx: &mut Lower, term: &Term, params: &[(Symbol, Ty)], result: Ty) -> Res<()> {
    if term.size() > cx.options.statements as u32 {
        return Err(cx.too_long());
    }
    let out = outputs(cx, result)?;
    let mut value = cx.eval(term, &Env::default())?;
    for (i, (name, ty)) in params.iter().enumerate() {
        let arg = input(cx, i, *name, *ty)?;
        if let (Val::Closure(c), true) = (&value, i + 1 == params.len()) {
            let (body, env) = cx.entered(c, arg)?;
            return cx.write_result(body, &env, &out, term);
        }
        value = cx.apply(&value, arg)?;
    }
    cx.write_whole(&value, &out, term)
}

fn refuse_leaf(cx: &Lower, ty: Ty) -> Stop {
    cx.refuse(format!("a value of type `{ty}` cannot be passed to C"))
}

fn outputs(cx: &mut Lower, result: Ty) -> Res<Mem> {
    let Some(leaves) = crate::nest::abi::leaves(result) else {
        return Err(refuse_leaf(cx, result));
    };
    let many = leaves.len() > 1;
    let mut places = Vec::new();
    for (i, (elem, bound, dims)) in leaves.into_iter().enumerate() {
        let name = match many {
            true => format!("out{i}"),
            false => "out".to_string(),
        };
        let slot = Slot {
            name: cx.fresh_c(&name),
            param: None,
            elem,
            bound,
            dims,
            by_value: false,
        };
        let buf = cx.add_buffer(Buffer {
            name: Symbol::new(&slot.name),
            elem,
            len: slot.count(),
            storage: StorageClass::Output(i),
            alias: None,
        });
        cx.outputs.push(slot);
        places.push(Leaf { buf, at: 0.into() });
    }
    Ok(Mem {
        ty: result,
        leaves: places.into(),
    })
}

fn input(cx: &mut Lower, param: usize, name: Symbol, ty: Ty) -> Res<Val> {
    let Some(leaves) = crate::nest::abi::leaves(ty) else {
        return Err(refuse_leaf(cx, ty));
    };
    let many = leaves.len() > 1;
    let mut places = Vec::new();
    for (i, (elem, bound, dims)) in leaves.into_iter().enumerate() {
        let name = match many {
            true => format!("{name}_{i}"),
            false => name.to_string(),
        };
        let by_value = dims.is_empty();
        let slot = Slot {
            name: cx.fresh_c(&crate::nest::names::identifier(&name)),
            param: Some(param),
            elem,
            bound,
            dims,
            by_value,
        };
        let buf = cx.add_buffer(Buffer {
            name: Symbol::new(&slot.name),
            elem,
            len: slot.count(),
            storage: StorageClass::Input(cx.inputs.len()),
            alias: None,
        });
        cx.inputs.push(slot);
        places.push(Leaf { buf, at: 0.into() });
    }
    let mem = Mem {
        ty,
        leaves: places.into(),
    };
    cx.load(&mem)
}
