//! Functions that are the bodies of parallel loops.
//!
//! A call stands for the body of its loop: each parameter is what its argument is, and pointers are apart in the function
//! as they are outside, so no two of them are one array.

use super::parse::{Expr, Is, Part, Stmt as C, Written};
use super::scope::{Entity, Held};
use super::types::stored;
use super::walk::{is_pointer, is_type, Walk, Walked};
use crate::nest::{BufId, Guard, Stmt, StorageClass};
use crate::ty::Scalar;

impl<'a> Walk<'a> {
    /// The function that a body calls and does nothing else, with the arguments.
    fn call_of<'c>(&self, body: &'c [C]) -> Option<(&'a Part, &'c [Expr])> {
        let [C {
            is: Is::Do(Expr::Call(name, args)),
            ..
        }] = body
        else {
            return None;
        };
        Some((self.parts.get(name)?, args))
    }

    /// The body of a parallel loop.
    pub fn parallel(&mut self, block: &[Stmt], body: &[C], line: u32) -> Walked {
        let Some((part, args)) = self.call_of(body) else {
            return self.block(block, body, line);
        };
        self.called.insert(part.signature.name.clone());
        let params = &part.signature.params;
        self.require(
            params.len() == args.len(),
            line,
            "the function is called with more or fewer arguments",
        )?;
        let mut inside = Vec::new();
        for ((ty, name), arg) in params.iter().zip(args) {
            let entity = match arg {
                Expr::Name(n) => self.scope.find(n).cloned(),
                _ => None,
            };
            let Some(entity) = entity else {
                return self.differs(line, format!("what `{name}` is given is no variable"));
            };
            self.require(
                self.is_of(ty, &entity),
                line,
                &format!("the parameter `{name}` has another type than what it is given"),
            )?;
            let twice = inside.iter().any(|(_, e)| *e == entity);
            self.require(!twice, line, "two parameters are the same")?;
            inside.push((name, entity));
        }
        let outside = self.scope.begin();
        for (name, entity) in inside {
            let declared = self.scope.declare(name, entity);
            self.read(line, declared)?;
        }
        let body = self.sizes(part)?;
        self.block(block, body, part.end)?;
        self.scope.end(outside);
        Ok(())
    }

    /// That sizes are not negative is said of those among the parameters that the kernel checks; gives what stands behind that.
    fn sizes(&mut self, part: &'a Part) -> Walked<&'a [C]> {
        let mut body = &part.body[..];
        for (_, name) in &part.signature.params {
            match self.scope.find(name) {
                Some(Entity::Index(v)) if self.nest.entry.guards.contains(&Guard::Size(*v)) => {}
                _ => continue,
            }
            let line = body.first().map_or(part.end, |c| c.line);
            body = match body.split_first() {
                Some((first, rest)) if says_not_negative(&first.is, name) => rest,
                _ => {
                    return self.differs(
                        line,
                        format!("it is not said that `{name}` is not negative"),
                    )
                }
            };
        }
        Ok(body)
    }

    /// Whether a parameter of a type is what a name stands for.
    fn is_of(&self, ty: &Written, entity: &Entity) -> bool {
        let pointer = |b: BufId| {
            let buf = &self.nest.buffers[self.nest.root(b).0 as usize];
            let input = matches!(buf.storage, StorageClass::Input(_));
            is_pointer(ty, buf.elem, input)
        };
        match entity {
            Entity::Index(_) => is_type(ty, Scalar::I64, false),
            Entity::Let(_, shape, Held::Itself | Held::Truth) => {
                shape.lanes == 1 && is_type(ty, stored(shape.elem), false)
            }
            Entity::Value(_, elem) => is_type(ty, *elem, false),
            Entity::Array(b) | Entity::EachThread(b) => pointer(*b),
            Entity::Let(..) | Entity::Own => false,
        }
    }
}

/// `if (n < 0) __builtin_unreachable();`
fn says_not_negative(is: &Is, name: &str) -> bool {
    let Is::If(cond, then, els) = is else {
        return false;
    };
    let zero = Box::new(Expr::Number("0".into()));
    let negative = Expr::Binary("<", Box::new(Expr::Name(name.into())), zero);
    let never = Is::Do(Expr::Call("__builtin_unreachable".into(), Vec::new()));
    *cond == negative && els.is_empty() && matches!(&then[..], [C { is, .. }] if *is == never)
}
