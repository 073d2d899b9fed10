//! Evaluates code.
//!
//! Comes in: code and an environment; goes out: a value. A [`Machine`] counts
//! steps and nesting down and stops with an error when one is used up.
//! Invariant: the stack grows with the nesting count only. Absent: what array
//! primitives mean (`array`), arithmetic (`scalar`).

use super::build::{weight, Builder};
use super::code::{Code, PrimCode};
use super::value::{live_bytes, Delayed, Env, FunKind};
use super::{array, Fun, InterpError, Limits, Shape, Value};
use crate::term::Op;
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::rc::Rc;

pub(super) type Args = SmallVec<[Value; 3]>;

/// One evaluation with what it may still use up.
pub(super) struct Machine {
    steps: u64,
    bytes: u64,
    depth: u32,
}

impl Machine {
    pub fn new(limits: Limits) -> Machine {
        Machine {
            steps: limits.steps,
            bytes: live_bytes().saturating_add(limits.bytes),
            depth: limits.depth,
        }
    }

    /// Evaluates code under `env` (`env[0]` is variable 0) and applies it.
    pub fn run(mut self, code: &Code, env: &[Value], args: &[Value]) -> Result<Value, InterpError> {
        let env = env
            .iter()
            .rev()
            .fold(Env::default(), |e, v| e.push(v.clone()));
        let f = self.eval(code, &env)?;
        self.apply_all(f, args)
    }

    /// Applies a value to arguments, none of which is fine, too.
    pub fn apply_all(mut self, f: Value, args: &[Value]) -> Result<Value, InterpError> {
        self.call(&f, args)
    }

    fn spend(&mut self, steps: u64) -> Result<(), InterpError> {
        self.steps = self.steps.checked_sub(steps).ok_or(InterpError::Steps)?;
        Ok(())
    }

    /// Asks for room for `n` values of that shape.
    pub fn reserve(&mut self, shape: &Shape, n: u64) -> Result<(), InterpError> {
        let (count, bytes) = weight(shape, n);
        self.reserve_raw(count, bytes)
    }

    pub fn reserve_raw(&mut self, count: u64, bytes: u64) -> Result<(), InterpError> {
        if count >= 1 << 31 || live_bytes().saturating_add(bytes) > self.bytes {
            return Err(InterpError::Memory);
        }
        self.spend(count)
    }

    fn eval(&mut self, code: &Code, env: &Env) -> Result<Value, InterpError> {
        match code {
            Code::Var(i) => env.get(*i).cloned().ok_or(InterpError::OpenTerm(*i)),
            Code::Const(v) => Ok(v.clone()),
            Code::Lam(body) => Ok(closure(body.clone(), env.clone())),
            _ => {
                self.spend(1)?;
                self.depth = self.depth.checked_sub(1).ok_or(InterpError::Depth)?;
                let result = self.eval_application(code, env);
                self.depth += 1;
                result
            }
        }
    }

    fn eval_application(&mut self, code: &Code, env: &Env) -> Result<Value, InterpError> {
        match code {
            // Lists of arguments are moved often, arrays are not.
            Code::Prim(p, args) if args.len() == p.arity => match &args[..] {
                [a] => {
                    let a = self.eval(a, env)?;
                    match (&a, p.op) {
                        (Value::Pair(both), Op::Fst) => Ok(both.0.clone()),
                        (Value::Pair(both), Op::Snd) => Ok(both.1.clone()),
                        _ => array::exec(self, p, std::slice::from_ref(&a)),
                    }
                }
                [a, b] => {
                    let args = [self.eval(a, env)?, self.eval(b, env)?];
                    if array::is_binary(p.op) {
                        return array::binary(p, &args[0], &args[1]);
                    }
                    array::exec(self, p, &args)
                }
                [a, b, c] => {
                    let args = [self.eval(a, env)?, self.eval(b, env)?, self.eval(c, env)?];
                    array::exec(self, p, &args)
                }
                _ => {
                    let args = self.eval_all(args, env)?;
                    array::exec(self, p, &args)
                }
            },
            Code::Prim(p, _) => Ok(partial(p.clone(), Rc::default())),
            Code::Partial(p, args) => Ok(delayed(p, args, env)),
            Code::Apply(f, args) => {
                let f = self.eval(f, env)?;
                let args = self.eval_all(args, env)?;
                self.call(&f, &args)
            }
            _ => self.eval(code, env),
        }
    }

    /// What a primitive has of its arguments; see Note [Partial applications].
    #[inline(never)]
    fn arguments(&mut self, d: &Delayed) -> Result<Rc<[Value]>, InterpError> {
        if let Some(known) = d.known.get() {
            return Ok(known.clone());
        }
        let args = self.eval_all(&d.args, &d.env)?;
        let args: Rc<[Value]> = args.into_iter().collect();
        Ok(d.known.get_or_init(|| args).clone())
    }

    fn eval_all(&mut self, args: &[Code], env: &Env) -> Result<Args, InterpError> {
        args.iter().map(|a| self.eval(a, env)).collect()
    }

    /// Applies `f` to one argument.
    pub fn call1(&mut self, f: &Value, x: Value) -> Result<Value, InterpError> {
        self.call(f, std::slice::from_ref(&x))
    }

    /// Applies `f` to two arguments.
    pub fn call2(&mut self, f: &Value, x: Value, y: Value) -> Result<Value, InterpError> {
        self.call(f, &[x, y])
    }

    /// Applies `f` to arguments, as many as it takes or fewer or more.
    pub fn call(&mut self, f: &Value, args: &[Value]) -> Result<Value, InterpError> {
        let Some((first, mut rest)) = args.split_first() else {
            return Ok(f.clone());
        };
        self.spend(1)?;
        let Value::Fun(Fun(kind)) = f else {
            return Err(InterpError::Argument("applied what is no function".into()));
        };
        match kind {
            FunKind::Closure(body, env) => {
                let mut env = env.push(first.clone());
                let mut body: &Code = body;
                while let (Code::Lam(inner), Some((next, more))) = (body, rest.split_first()) {
                    env = env.push(next.clone());
                    body = inner;
                    rest = more;
                }
                let result = self.eval(body, &env)?;
                if rest.is_empty() {
                    Ok(result)
                } else {
                    self.call(&result, rest)
                }
            }
            FunKind::Partial(p, have) => self.complete(p, have, args),
            FunKind::Delayed(d) => {
                let have = self.arguments(d)?;
                self.complete(&d.prim, &have, args)
            }
        }
    }

    /// A primitive with more arguments than it had.
    #[inline(never)]
    fn complete(
        &mut self,
        p: &Rc<PrimCode>,
        have: &[Value],
        args: &[Value],
    ) -> Result<Value, InterpError> {
        if have.is_empty() && args.len() == 2 && array::is_binary(p.op) {
            return array::binary(p, &args[0], &args[1]);
        }
        let mut all: Args = have.iter().cloned().collect();
        all.extend(args.iter().cloned());
        match all.len().cmp(&p.arity) {
            std::cmp::Ordering::Less => Ok(partial(p.clone(), all.into_iter().collect())),
            std::cmp::Ordering::Equal => {
                self.depth = self.depth.checked_sub(1).ok_or(InterpError::Depth)?;
                let result = array::exec(self, p, &all);
                self.depth += 1;
                result
            }
            std::cmp::Ordering::Greater => Err(InterpError::Argument("too many arguments".into())),
        }
    }

    /// The array of `f(0) … f(n-1)`, each of shape `p.item`.
    pub fn collect(
        &mut self,
        p: &PrimCode,
        n: u32,
        f: &mut dyn FnMut(&mut Machine, u32) -> Result<Value, InterpError>,
    ) -> Result<Value, InterpError> {
        let item = p.item.as_ref().ok_or_else(|| no_item(p.op))?;
        self.reserve(item, n.into())?;
        let mut out = Builder::new(item, n);
        for i in 0..n {
            let v = f(self, i)?;
            out.push(&v)?;
        }
        Ok(out.finish(n))
    }
}

pub(super) fn no_item(op: Op) -> InterpError {
    InterpError::Type(format!("of the result of {}", op.name()))
}

fn closure(body: Rc<Code>, env: Env) -> Value {
    Value::Fun(Fun(FunKind::Closure(body, env)))
}

#[inline(never)]
fn delayed(prim: &Rc<PrimCode>, args: &Rc<[Code]>, env: &Env) -> Value {
    Value::Fun(Fun(FunKind::Delayed(Rc::new(Delayed {
        prim: prim.clone(),
        args: args.clone(),
        env: env.clone(),
        known: OnceCell::new(),
    }))))
}

fn partial(p: Rc<PrimCode>, args: Rc<[Value]>) -> Value {
    Value::Fun(Fun(FunKind::Partial(p, args)))
}
