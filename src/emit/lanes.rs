//! Vectors as C, where C has no operator for them.
//!
//! A vector of truth values is one of signed integers, -1 for true; they are as wide as what was compared, and are
//! converted where another width is asked for. Invariant: each lane is what the scalar text computes, to the bit.

use super::body::Printer;
use super::functions;
use super::lane_helpers::int;
use super::prelude::{c_type, shape_type};
use super::widening;
use crate::nest::{Expr, ExprKind, Shape};
use crate::term::{Function, Op};
use crate::ty::Scalar;

impl Printer<'_> {
    /// The type of vectors that only lie in registers.
    fn register(&mut self, elem: Scalar, lanes: u32) -> String {
        self.used.types.insert((elem, lanes));
        shape_type(Shape { elem, lanes })
    }

    /// Whether a truth value holds, of vectors that of any lane.
    pub fn in_some_lane(&mut self, e: &Expr) -> String {
        if !e.shape().is_mask() {
            return self.operand(e);
        }
        let bytes = self.mask_bytes(e).unwrap_or(1);
        let (ty, mask) = (self.mask_type(bytes, e.shape().lanes), self.mask(e, bytes));
        self.used.any.insert((int(bytes, true), e.shape().lanes));
        format!("ANY_{ty}(({mask}))")
    }

    pub fn mask_type(&mut self, bytes: u64, lanes: u32) -> String {
        let elem = int(bytes, true);
        self.register(elem, lanes)
    }

    /// The bytes of the integers that a vector of truth values consists of; none where any will do.
    pub fn mask_bytes(&self, e: &Expr) -> Option<u64> {
        let wide = |x: &Expr| match x.shape().elem {
            Scalar::Bool => self.mask_bytes(x),
            elem => Some(elem.bytes()),
        };
        match e.kind() {
            ExprKind::Var(v) => self.masks.get(v).copied(),
            ExprKind::Load(..) => Some(1),
            ExprKind::Cast(x) => wide(x),
            ExprKind::Op(Op::Select, args) => args[1..].iter().find_map(wide),
            ExprKind::Op(_, args) => args.iter().find_map(wide),
            _ => None,
        }
    }

    /// A vector of truth values as integers of so many bytes.
    pub fn mask(&mut self, e: &Expr, bytes: u64) -> String {
        let own = self.mask_bytes(e).unwrap_or(bytes);
        let lanes = e.shape().lanes;
        let text = self.mask_text(e, own);
        match own == bytes {
            true => text,
            false => self.converted(format!("({text})"), int(own, true), int(bytes, true), lanes),
        }
    }

    /// A vector as one of numbers that all of one width or of another type of floats become.
    fn converted(&mut self, x: String, from: Scalar, to: Scalar, lanes: u32) -> String {
        let steps = widening::steps(from, to, lanes);
        let each = steps.into_iter().fold((x, from), |(x, last), next| {
            let ty = self.register(next, lanes);
            let text = match widening::has_instruction(last, next, lanes) {
                true => {
                    self.register(last, lanes);
                    self.used.widened.insert((last, next, lanes));
                    format!("{}({x})", widening::name(last, next, lanes))
                }
                false => format!("__builtin_convertvector({x}, {ty})"),
            };
            (text, next)
        });
        each.0
    }

    /// How many bytes the integers of a variable for truth values have, from now on.
    pub fn declare_mask(&mut self, var: crate::intern::Symbol, value: Option<&Expr>) -> u64 {
        let bytes = value.and_then(|v| self.mask_bytes(v)).unwrap_or(1);
        self.masks.insert(var, bytes);
        bytes
    }

    fn mask_text(&mut self, e: &Expr, bytes: u64) -> String {
        let lanes = e.shape().lanes;
        let ty = self.mask_type(bytes, lanes);
        match e.kind() {
            ExprKind::Var(v) => v.to_string(),
            ExprKind::Load(b, n) => {
                let elem = Scalar::U8;
                let place = self.place(*b, *n, Shape { elem, lanes });
                format!("({ty})(({place}) != 0)")
            }
            ExprKind::Splat(a) => match a.as_bool() {
                Some(true) => format!("~({ty}){{0}}"),
                Some(false) => format!("({ty}){{0}}"),
                None => {
                    let x = self.operand(a);
                    format!("({})-({x}) - ({ty}){{0}}", c_type(int(bytes, true)))
                }
            },
            ExprKind::Build(es) => {
                let each: Vec<String> =
                    es.iter().map(|e| format!("-{}", self.operand(e))).collect();
                format!("({ty}){{{}}}", each.join(", "))
            }
            ExprKind::Cast(a) if a.shape().elem == Scalar::Bool => self.mask(a, bytes),
            ExprKind::Cast(a) => {
                let x = self.operand(a);
                format!("({ty})({x} != 0)")
            }
            ExprKind::Op(op, args) => self.mask_op(*op, args, bytes, &ty),
            _ => {
                debug_assert!(false, "no vector of truth values is made so");
                format!("({ty}){{0}}")
            }
        }
    }

    fn mask_op(&mut self, op: Op, args: &[Expr], bytes: u64, ty: &str) -> String {
        use Op::*;
        let of_masks = args.iter().all(|a| a.shape().elem == Scalar::Bool);
        if !of_masks && op != Select {
            let a: Vec<String> = args.iter().map(|e| self.operand(e)).collect();
            return format!("({ty})({} {} {})", a[0], comparison(op), a[1]);
        }
        let choice = op == Select && !args[0].shape().is_mask();
        let mut a: Vec<String> = Vec::new();
        for (i, e) in args.iter().enumerate() {
            a.push(match choice && i == 0 {
                true => self.operand(e),
                false => format!("({})", self.mask(e, bytes)),
            });
        }
        match (op, &a[..]) {
            (And, [x, y]) => format!("{x} & {y}"),
            (Or, [x, y]) => format!("{x} | {y}"),
            (Not, [x]) => format!("~{x}"),
            (Ne, [x, y]) => format!("{x} ^ {y}"),
            (Eq, [x, y]) => format!("~({x} ^ {y})"),
            (Lt, [x, y]) => format!("~{x} & {y}"),
            (Le, [x, y]) => format!("~{x} | {y}"),
            (Gt, [x, y]) => format!("{x} & ~{y}"),
            (Ge, [x, y]) => format!("{x} | ~{y}"),
            (Select, [c, x, y]) if choice => format!("{c} ? {x} : {y}"),
            (Select, [c, x, y]) => {
                let lanes = args[0].shape().lanes;
                self.used.masks.insert((int(bytes, true), lanes));
                format!("SELECT_{ty}({c}, {x}, {y})")
            }
            _ => format!("{}({})", op.name(), a.join(", ")),
        }
    }

    /// An operation on vectors that are no truth values, if there is no operator for it.
    pub fn lanes_op(&mut self, op: Op, args: &[Expr], shape: Shape) -> Option<String> {
        let Shape { elem, lanes } = shape;
        if op == Op::Select && args[0].shape().is_mask() {
            let ty = self.shape(shape);
            // Macros take what stands between the braces of a vector for several arguments.
            let c = format!("({})", self.mask(&args[0], elem.bytes()));
            let [x, y] = [&args[1], &args[2]].map(|e| self.operand(e));
            self.used.masks.insert((elem, lanes));
            return Some(format!("SELECT_{ty}({c}, {x}, {y})"));
        }
        if let Some(f) = op.called() {
            return Some(self.approximated(f, &args[0], shape));
        }
        let whole = elem.is_int() && matches!(op, Op::Div | Op::Mod | Op::Abs);
        let float = elem.is_float() && matches!(op, Op::Sqrt | Op::Fma | Op::Abs);
        if !whole && !float {
            return None;
        }
        let ty = self.register(elem, lanes);
        let a: Vec<String> = args.iter().map(|e| self.operand(e)).collect();
        self.used.lane_ops.insert((op, elem, lanes));
        // Where a machine lacks the instruction, the C library does it.
        self.used.math |= float && op != Op::Abs;
        Some(format!(
            "{}_{ty}({})",
            op.name().to_uppercase(),
            a.join(", ")
        ))
    }

    fn approximated(&mut self, f: Function, x: &Expr, shape: Shape) -> String {
        let Shape { elem, lanes } = shape;
        let ty = self.register(elem, lanes);
        for f in [Some(f), functions::needs(f)].into_iter().flatten() {
            self.used.functions.insert((f, elem, lanes));
        }
        self.used.math = true;
        self.used.masks.insert((elem, lanes));
        if elem == Scalar::F32 && matches!(f, Function::Sin | Function::Cos) {
            self.register(Scalar::F64, lanes);
        }
        let x = self.operand(x);
        format!("{}_{ty}({x})", Op::from(f).name().to_uppercase())
    }

    /// A vector as one of another type of elements.
    pub fn cast_lanes(&mut self, a: &Expr, to: Scalar) -> String {
        let Shape { elem: from, lanes } = a.shape();
        if from == to {
            return self.operand(a);
        }
        if let (Scalar::Bool, ExprKind::Splat(one)) = (from, a.kind()) {
            return self.operand(&splat_number(one, to, lanes));
        }
        let ty = self.register(to, lanes);
        if from == Scalar::Bool {
            let m = self.mask(a, to.bytes());
            return match to.is_float() {
                true => format!("__builtin_convertvector(({m}) & 1, {ty})"),
                false => format!("({ty})(({m}) & 1)"),
            };
        }
        let x = self.operand(a);
        self.register(from, lanes);
        match (from.is_float(), to.is_float()) {
            (true, false) => {
                self.used.vector_casts.insert((from, to, lanes));
                format!("{}x{lanes}_to_{}({x})", from.name(), to.name())
            }
            (false, false) if from.bytes() == to.bytes() => format!("({ty}){x}"),
            _ => self.converted(x, from, to, lanes),
        }
    }
}

/// A truth value as the same number in all lanes.
fn splat_number(truth: &Expr, to: Scalar, lanes: u32) -> Expr {
    let number = Expr::new(ExprKind::Cast(truth.clone()), Shape::scalar(to));
    Expr::new(ExprKind::Splat(number), Shape { elem: to, lanes })
}

fn comparison(op: Op) -> &'static str {
    match op {
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::Eq => "==",
        _ => "!=",
    }
}
