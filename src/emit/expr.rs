//! Values as C.

use super::body::Printer;
use super::index;
use super::prelude::{c_type, int_of, shape_type, unsigned};
use crate::arith::AtomKind;
use crate::nest::{Expr, ExprKind, Shape, StorageClass};
use crate::term::{Lit, Op, Sort};
use crate::ty::Scalar;

impl Printer<'_> {
    /// An operand: in parentheses unless it is an atom.
    pub fn operand(&mut self, e: &Expr) -> String {
        let text = self.expr(e);
        match is_primary(&text) {
            true => text,
            false => format!("({text})"),
        }
    }

    pub fn shape(&mut self, s: Shape) -> String {
        if s.lanes > 1 {
            self.used.vectors.insert((s.elem, s.lanes));
        }
        shape_type(s)
    }

    pub fn expr(&mut self, e: &Expr) -> String {
        let shape = e.shape();
        if shape.is_mask() {
            let bytes = self.mask_bytes(e).unwrap_or(1);
            return self.mask(e, bytes);
        }
        match e.kind() {
            ExprKind::Lit(l) => self.literal(*l, shape.elem),
            ExprKind::Var(v) if self.without_sign.contains(v) => format!("(int32_t){v}"),
            ExprKind::Var(v) => v.to_string(),
            ExprKind::Index(n) => index::nat(*n, &mut self.used),
            ExprKind::Load(b, n) => self.load(*b, *n, shape),
            ExprKind::Op(op, args) => self.op(*op, args, shape),
            ExprKind::Cast(a) if shape.lanes > 1 && !is_half(a.shape(), shape) => {
                self.cast_lanes(a, shape.elem)
            }
            ExprKind::Cast(a) => self.cast(a, shape),
            ExprKind::Clamp(a, n) => {
                let to = Scalar::I64;
                let from = a.shape().elem;
                let function = match is_natural(a) {
                    true => "bound_index",
                    false => "clamp_index",
                };
                self.used.index.insert(function);
                let value = match from {
                    // Beyond the signed range is beyond every bound.
                    Scalar::U64 => {
                        let x = self.operand(a);
                        format!("(int64_t)({x} > INT64_MAX ? (uint64_t)INT64_MAX : {x})")
                    }
                    _ => self.cast(a, Shape::scalar(to)),
                };
                let n = index::nat(*n, &mut self.used);
                format!("{function}({value}, {n})")
            }
            ExprKind::Splat(a) => {
                let ty = self.shape(shape);
                let x = self.operand(a);
                match a.kind() {
                    ExprKind::Lit(l) if is_zero(*l) => format!("({ty}){{0}}"),
                    // A choice between short integers is an `int`, which is no lane of theirs.
                    ExprKind::Op(..) if shape.elem.is_int() && shape.elem.bytes() < 4 => {
                        format!("({}){x} - ({ty}){{0}}", c_type(shape.elem))
                    }
                    _ => format!("{x} - ({ty}){{0}}"),
                }
            }
            // A truth value is not 0, whatever else it is.
            ExprKind::Lane(a, i) if a.shape().is_mask() => format!("{}[{i}] != 0", self.operand(a)),
            ExprKind::Lane(a, i) => format!("{}[{i}]", self.operand(a)),
            ExprKind::Build(es) => {
                let ty = self.shape(shape);
                let lanes: Vec<_> = es.iter().map(|e| self.expr(e)).collect();
                format!("({ty}){{{}}}", lanes.join(", "))
            }
            ExprKind::Pick(es, _) => {
                debug_assert!(false, "lowering leaves no lane that is picked by an index");
                match es.first() {
                    Some(e) => format!("{}[0]", self.operand(e)),
                    None => "0".into(),
                }
            }
        }
    }

    /// The text of an element of a buffer.
    pub fn place(&mut self, b: crate::nest::BufId, n: crate::arith::Nat, shape: Shape) -> String {
        let buf = self.root(b);
        let name = buf.name;
        if let StorageClass::Input(i) = buf.storage {
            if self.nest.abi.inputs[i].by_value {
                return name.to_string();
            }
        }
        if shape.lanes == 1 {
            return format!("{name}[{}]", index::nat(n, &mut self.used));
        }
        let input = matches!(buf.storage, StorageClass::Input(_));
        let ty = self.shape(shape);
        let at = index::nat(n, &mut self.used);
        let word = if input { "const " } else { "" };
        format!("*({word}{ty}_mem *)&{name}[{at}]")
    }

    fn load(&mut self, b: crate::nest::BufId, n: crate::arith::Nat, shape: Shape) -> String {
        let text = self.place(b, n, shape);
        match shape.lanes {
            // What is not kept in registers: of bytes, compilers make vectors.
            1 if shape.elem == Scalar::Bool && (self.is_in_memory(b) || n.as_int().is_none()) => {
                self.used.truth = true;
                format!("TRUTH({text})")
            }
            1 => text,
            // The type for values, not for memory.
            _ => format!("({})({text})", shape_type(shape)),
        }
    }

    /// Whether elements of a buffer have addresses: those of small arrays become variables.
    fn is_in_memory(&self, b: crate::nest::BufId) -> bool {
        match self.root(b).storage {
            StorageClass::Input(i) => !self.nest.abi.inputs[i].by_value,
            storage => storage != StorageClass::Stack,
        }
    }

    fn literal(&mut self, l: Lit, s: Scalar) -> String {
        match (l, s) {
            (Lit::Bool(b), _) => b.to_string(),
            (Lit::F32(b), s) if s.is_half() => format!("0x{:04x}", s.half_bits(f32::from_bits(b))),
            (Lit::Int(i), s) if s.is_half() => format!("0x{:04x}", s.half_bits(i as f32)),
            (Lit::F32(b), _) => self.float(
                f64::from(f32::from_bits(b)),
                f32::from_bits(b).to_string(),
                true,
            ),
            (Lit::F64(b), _) => self.float(f64::from_bits(b), f64::from_bits(b).to_string(), false),
            (Lit::Size(n), _) => index::nat(n, &mut self.used),
            (Lit::Int(i), Scalar::F32) => format!("{i}.0f"),
            (Lit::Int(i), Scalar::F64) => format!("{i}.0"),
            (Lit::Int(i), Scalar::I64) if i == i128::from(i64::MIN) => "INT64_MIN".into(),
            (Lit::Int(i), Scalar::I64) if i32::try_from(i).is_err() => format!("INT64_C({i})"),
            (Lit::Int(i), Scalar::U64) => format!("UINT64_C({i})"),
            (Lit::Int(i), Scalar::U32) => format!("{i}u"),
            (Lit::Int(i), Scalar::I32) if i == i128::from(i32::MIN) => "INT32_MIN".into(),
            (Lit::Int(i), _) => i.to_string(),
        }
    }

    fn float(&mut self, x: f64, plain: String, single: bool) -> String {
        if x.is_nan() || x.is_infinite() {
            self.used.math = true;
            let text = if x.is_nan() { "NAN" } else { "INFINITY" };
            let sign = if x < 0.0 { "-" } else { "" };
            return format!("{sign}{text}");
        }
        let point = plain.contains(['.', 'e']);
        let text = match point {
            true => plain,
            false => format!("{plain}.0"),
        };
        match single {
            true => format!("{text}f"),
            false => text,
        }
    }

    fn op(&mut self, op: Op, args: &[Expr], shape: Shape) -> String {
        use Op::*;
        let elem = shape.elem;
        let vector = shape.lanes > 1;
        if let Some(text) = vector.then(|| self.lanes_op(op, args, shape)).flatten() {
            return text;
        }
        let a: Vec<String> = args.iter().map(|e| self.operand(e)).collect();
        let of = args.last().map_or(elem, |e| e.shape().elem);
        let compares = matches!(op, Lt | Le | Gt | Ge | Eq | Ne | Min | Max);
        let of_data = args.iter().any(|e| !matches!(e.kind(), ExprKind::Index(_)));
        self.used.compared |= compares && of_data && !of.is_float();
        match (op, &a[..]) {
            (Add | Sub | Mul, [x, y]) => {
                let sign = match op {
                    Add => "+",
                    Sub => "-",
                    _ => "*",
                };
                match elem.is_float() {
                    true => format!("{x} {sign} {y}"),
                    // Compilers know sums of products and of differences that are widened by their plain form.
                    false
                        if stays_inside(op, args, shape)
                            || shape == Shape::scalar(Scalar::I32)
                                && self.values.stays_inside(op, args, elem) =>
                    {
                        format!("{x} {sign} {y}")
                    }
                    false => self.wrapping(x, sign, y, shape),
                }
            }
            (Neg, [x]) => match elem.is_float() {
                true if self.may_be_fused(&args[0]) => self.opposite(x, shape),
                true => format!("-{x}"),
                false if vector => {
                    let ty = self.shape(shape);
                    self.wrapping(&format!("({ty}){{0}}"), "-", x, shape)
                }
                false => self.wrapping("0", "-", x, shape),
            },
            (Div, [x, y]) if elem.is_float() => format!("{x} / {y}"),
            (Mod, [x, y]) if elem.is_float() => self.math("fmod", elem, &[x, y]),
            (Div | Mod, [x, y]) => {
                let name = if op == Div { "div" } else { "mod" };
                self.used.ints.insert((name, elem));
                format!("{name}_{}({x}, {y})", elem.name())
            }
            (Min | Max, [x, y]) if vector => {
                self.shape(shape);
                self.used.min_max.insert((op == Max, elem, shape.lanes));
                let name = if op == Max { "MAX" } else { "MIN" };
                format!("{name}_{}({x}, {y})", shape_type(shape))
            }
            // Compilers take choices between choices apart before they see what these are.
            (Min | Max, [x, y])
                if elem.is_int()
                    && elem.bytes() <= 4
                    && args.iter().any(|e| self.is_computed(e)) =>
            {
                self.used.ints.insert((op.name(), elem));
                format!("{}_{}({x}, {y})", op.name(), elem.name())
            }
            (Min, [x, y]) => format!("{x} < {y} ? {x} : {y}"),
            (Max, [x, y]) => format!("{x} > {y} ? {x} : {y}"),
            (Fma, [x, y, z]) if elem.is_float() => self.math("fma", elem, &[x, y, z]),
            (Fma, [x, y, z]) => {
                let product = self.wrapping(x, "*", y, shape);
                self.wrapping(&format!("({product})"), "+", z, shape)
            }
            (Abs, [x]) if elem.is_float() => self.math("fabs", elem, &[x]),
            (Abs, [x]) if !elem.is_signed() => x.clone(),
            (Abs, [x]) => {
                self.used.ints.insert(("abs", elem));
                format!("abs_{}({x})", elem.name())
            }
            (BitAnd | BitOr | BitXor, [x, y]) => {
                let sign = match op {
                    BitAnd => "&",
                    BitOr => "|",
                    _ => "^",
                };
                let known = |e: &Expr| matches!(e.kind(), ExprKind::Lit(_));
                // Clang takes `2 ^ 3` for an attempt at a power.
                let x = match op == BitXor && args.iter().all(known) {
                    true => format!("({}){x}", c_type(elem)),
                    false => x.clone(),
                };
                match elem.bytes() < 4 && !vector {
                    true => format!("({})({x} {sign} {y})", c_type(elem)),
                    false => format!("{x} {sign} {y}"),
                }
            }
            (BitNot, [x]) if vector => format!("~{x}"),
            (BitNot, [x]) => format!("({})~{x}", c_type(elem)),
            (Shl | Shr, [x, y]) if vector => {
                self.shape(shape);
                self.used.shifts.insert((op == Shl, elem, shape.lanes));
                let name = if op == Shl { "SHL" } else { "SHR" };
                format!("{name}_{}({x}, {y})", shape_type(shape))
            }
            (Shl | Shr, [x, y]) => {
                let t = c_type(elem);
                // Compilers narrow what they see is narrow before they look into functions.
                match (shifted_by(args), op, elem.bytes() < 4) {
                    (Some(by), Shr, true) => format!("({t})({x} >> {by})"),
                    (Some(by), Shr, false) => format!("{x} >> {by}"),
                    (Some(by), _, true) => format!("({t})((uint32_t){x} << {by})"),
                    (Some(by), ..) if !elem.is_signed() => format!("{x} << {by}"),
                    (Some(by), ..) => {
                        format!("({t})(({}){x} << {by})", c_type(int_of(elem, false)))
                    }
                    (None, ..) => {
                        self.used.ints.insert((op.name(), elem));
                        format!("{}_{}({x}, {y})", op.name(), elem.name())
                    }
                }
            }
            (Bitcast, [x]) if vector => {
                let ty = self.shape(shape);
                format!("({ty}){x}")
            }
            (Bitcast, [x]) if c_type(of) == c_type(elem) => x.clone(),
            (Bitcast, [x]) if is_number(of) == is_number(elem) => {
                format!("({}){x}", c_type(elem))
            }
            (Bitcast, [x]) => {
                self.used.bits.insert((of, elem));
                format!("{}_as_{}({x})", of.name(), elem.name())
            }
            (Lt | Le | Gt | Ge | Eq | Ne, [x, y]) => {
                let sign = match op {
                    Lt => "<",
                    Le => "<=",
                    Gt => ">",
                    Ge => ">=",
                    Eq => "==",
                    _ => "!=",
                };
                format!("{x} {sign} {y}")
            }
            (And | Or, [x, y]) if is_cheap(args) && !calls(y) => match (op, looked_up(op, args)) {
                (_, LOOKED_UP..) => {
                    let name = if op == Or { "ANY" } else { "ALL" };
                    self.used.looked_up.insert(name);
                    format!("{name}({x}, {y})")
                }
                (And, _) => format!("{x} & {y}"),
                _ => format!("{x} | {y}"),
            },
            (And, [x, y]) => format!("{x} && {y}"),
            (Or, [x, y]) => format!("{x} || {y}"),
            (Not, [x]) => format!("!{x}"),
            (Select, [c, x, y]) => format!("{c} ? {x} : {y}"),
            (_, [x]) if op.function().is_some() => self.math(op.name(), elem, &[x]),
            _ => format!("{}({})", op.name(), a.join(", ")),
        }
    }

    /// Whether it is more than a constant or an element, or stands for that.
    fn is_computed(&self, e: &Expr) -> bool {
        match e.kind() {
            ExprKind::Var(v) => (self.values.known.get(v)).is_some_and(|e| self.is_computed(e)),
            kind => matches!(kind, ExprKind::Op(..)),
        }
    }

    /// Whether a float may be what `fma` gives: gcc takes `-fma(a, b, c)` for `fma(-a, b, -c)`, which is another zero, and
    /// looks through variables and memory.
    fn may_be_fused(&self, e: &Expr) -> bool {
        use Op::*;
        if !self.fused || !e.shape().elem.is_float() {
            return false;
        }
        match e.kind() {
            ExprKind::Var(_) => true,
            ExprKind::Load(b, _) => !matches!(self.root(*b).storage, StorageClass::Input(_)),
            ExprKind::Op(Fma, _) => true,
            ExprKind::Op(Neg | Select | Min | Max, args) | ExprKind::Build(args) => {
                args.iter().any(|e| self.may_be_fused(e))
            }
            ExprKind::Cast(x) | ExprKind::Splat(x) | ExprKind::Lane(x, _) => self.may_be_fused(x),
            _ => false,
        }
    }

    /// The negative of a float, by its sign bit.
    fn opposite(&mut self, x: &str, shape: Shape) -> String {
        if shape.lanes > 1 {
            self.shape(shape);
            self.used
                .lane_ops
                .insert((Op::Neg, shape.elem, shape.lanes));
            return format!("NEG_{}({x})", shape_type(shape));
        }
        self.used.signs.insert(shape.elem);
        format!("neg_{}({x})", shape.elem.name())
    }

    /// What a variable without a sign is given next.
    pub fn grown(&mut self, value: &Expr) -> String {
        match value.kind() {
            ExprKind::Op(Op::Add, args) => {
                let all: Vec<String> = args.iter().map(|e| self.unsigned(e)).collect();
                all.join(" + ")
            }
            ExprKind::Op(Op::Fma, args) if args.len() == 3 => {
                let product = match stays_inside(Op::Mul, &args[..2], value.shape()) {
                    true => {
                        let (x, y) = (self.operand(&args[0]), self.operand(&args[1]));
                        format!("(uint32_t)({x} * {y})")
                    }
                    false => format!("{} * {}", self.unsigned(&args[0]), self.unsigned(&args[1])),
                };
                format!("{product} + {}", self.unsigned(&args[2]))
            }
            _ => self.expr(value),
        }
    }

    fn unsigned(&mut self, e: &Expr) -> String {
        match e.kind() {
            ExprKind::Var(v) if self.without_sign.contains(v) => v.to_string(),
            _ => format!("(uint32_t){}", self.operand(e)),
        }
    }

    /// Integer arithmetic modulo the width.
    fn wrapping(&mut self, x: &str, sign: &str, y: &str, shape: Shape) -> String {
        if shape.lanes > 1 {
            let ty = self.shape(shape);
            let u = format!("{}x{}", int_of(shape.elem, false).name(), shape.lanes);
            return format!("({ty})(({u}){x} {sign} ({u}){y})");
        }
        let (t, u) = (c_type(shape.elem), unsigned(shape.elem));
        format!("({t})(({u}){x} {sign} ({u}){y})")
    }

    fn math(&mut self, name: &str, elem: Scalar, args: &[&String]) -> String {
        self.used.math = true;
        let single = elem == Scalar::F32;
        if name == "sqrt" {
            (self.used.roots).insert(if single { "sqrtf" } else { "sqrt" });
        }
        let suffix = if single { "f" } else { "" };
        let args: Vec<_> = args.iter().map(|a| a.as_str()).collect();
        format!("{name}{suffix}({})", args.join(", "))
    }

    pub fn cast(&mut self, a: &Expr, to: Shape) -> String {
        let x = self.operand(a);
        match (a.shape().elem, to.elem) {
            (f @ (Scalar::F32 | Scalar::F64), t) if to.lanes == 1 && self.values.fits(a, t) => {
                self.used.fitting.insert((f, t));
                format!("{}_in_{}({x})", f.name(), t.name())
            }
            _ => self.convert(x, a.shape(), to),
        }
    }

    /// What has 16 bits is converted by way of f32.
    fn convert(&mut self, x: String, from: Shape, to: Shape) -> String {
        let single = |s: Shape| Shape {
            elem: Scalar::F32,
            ..s
        };
        match (from.elem, to.elem) {
            (f, t) if f == t => x,
            (f, t) if f.is_half() || t.is_half() => {
                let narrow = t.is_half();
                if f.is_half() && t != Scalar::F32 {
                    let wide = self.convert(x, from, single(from));
                    return self.convert(wide, single(from), to);
                }
                let x = match f == Scalar::F32 || f.is_half() {
                    true => x,
                    false => self.convert(x, from, single(from)),
                };
                let half = if narrow { t } else { f };
                self.shape(to);
                self.shape(from);
                self.used.halves.insert((narrow, half, to.lanes));
                format!("{}({x})", super::half::name(narrow, half, to.lanes))
            }
            (_, Scalar::Bool) => format!("{x} != 0"),
            (f, t) if f.is_float() && t.is_int() => {
                self.used.casts.insert((f, t));
                format!("{}_to_{}({x})", f.name(), t.name())
            }
            (_, t) => format!("({}){x}", c_type(t)),
        }
    }
}

/// Whether more than indices and constants is computed with.
/// By how many bits a number that is not known is shifted, if that is known, and fewer than it has.
fn shifted_by(args: &[Expr]) -> Option<i128> {
    let [x, by] = args else { return None };
    match (x.kind(), by.kind()) {
        (ExprKind::Lit(_), _) => None,
        (_, ExprKind::Lit(Lit::Int(n))) => {
            let bits = 8 * i128::from(x.shape().elem.bytes());
            Some(*n).filter(|n| (0..bits).contains(n))
        }
        _ => None,
    }
}

fn is_of_data(e: &Expr) -> bool {
    match e.kind() {
        ExprKind::Index(_) | ExprKind::Lit(_) => false,
        ExprKind::Op(_, args) => args.iter().any(is_of_data),
        _ => true,
    }
}

/// Whether a text calls a function: of two calls clang takes `&` for a slip of the pen.
fn calls(text: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let text = text.replace("ANY(", "(").replace("ALL(", "(");
    text.as_bytes()
        .windows(2)
        .any(|w| word(w[0]) && w[1] == b'(')
}

/// Whether it is no loss to compute the second of two truth values where nobody asks for it. Elements are read only where
/// they are asked for: there may be none otherwise. Compilers make no vectors of `&&`, which jumps; of sizes they make none.
fn is_cheap(args: &[Expr]) -> bool {
    let cheap = |k: &ExprKind| match k {
        ExprKind::Load(..) | ExprKind::Clamp(..) | ExprKind::Pick(..) => false,
        ExprKind::Index(n) | ExprKind::Lit(Lit::Size(n)) => match n.as_atom() {
            Some(a) => matches!(a.kind(), AtomKind::Var(_)),
            None => n.as_int().is_some(),
        },
        ExprKind::Cast(a) => !a.shape().elem.is_float(),
        ExprKind::Op(op, args) => match op.sort() {
            Sort::Function(_) => false,
            _ => !matches!(op, Op::Div | Op::Mod) && !args.iter().any(|a| a.shape().elem.is_half()),
        },
        _ => true,
    };
    args.iter().any(is_of_data) && !args[1].holds(|k| !cheap(k))
}

/// Of so many comparisons with constants gcc makes one test of a bit.
const LOOKED_UP: usize = 4;

/// How many comparisons with constants a number is found by, whichever of them it is, or none.
fn looked_up(op: Op, args: &[Expr]) -> usize {
    let compared = if op == Op::Or { Op::Eq } else { Op::Ne };
    let constant = |e: &Expr| matches!(e.kind(), ExprKind::Lit(_));
    let each = args.iter().map(|e| match e.kind() {
        ExprKind::Op(of, args) if *of == op => looked_up(op, args),
        ExprKind::Op(of, args) if *of == compared => usize::from(args.iter().any(constant)),
        _ => 0,
    });
    each.sum()
}

/// Whether C has a type of floats for it.
fn is_number(s: Scalar) -> bool {
    s.is_float() && !s.is_half()
}

/// Whether floats of 16 bits are converted, for which there are functions.
fn is_half(from: Shape, to: Shape) -> bool {
    from.elem.is_half() || to.elem.is_half()
}

fn is_zero(l: Lit) -> bool {
    match l {
        Lit::Bool(b) => !b,
        Lit::Int(i) => i == 0,
        Lit::F32(b) => b == 0,
        Lit::F64(b) => b == 0,
        Lit::Size(n) => n.as_int() == Some(0),
    }
}

/// Whether a text is a name, a number, a call or a subscript of a name.
fn is_primary(text: &str) -> bool {
    let mut depth = 0i32;
    let mut chars = text.chars().peekable();
    if !chars
        .peek()
        .is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_')
    {
        return false;
    }
    for c in chars {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            c if depth > 0 => {
                let _ = c;
            }
            c if c.is_ascii_alphanumeric() || c == '_' || c == '.' => {}
            _ => return false,
        }
    }
    true
}

/// Whether an operation on signed numbers cannot leave their type, as both come from types of at most half its width.
fn stays_inside(op: Op, args: &[Expr], shape: Shape) -> bool {
    let narrow = |e: &Expr| match e.kind() {
        ExprKind::Cast(x) => {
            let from = x.shape().elem;
            (from.is_int() && 2 * from.bytes() <= shape.elem.bytes()).then_some(from)
        }
        _ => None,
    };
    let all: Option<Vec<Scalar>> = args.iter().map(narrow).collect();
    // What is narrower than an `int` is computed as one, and what becomes of it then has to be said.
    let whole = shape.lanes == 1 && shape.elem.is_signed() && shape.elem.bytes() >= 4;
    let Some(all) = all.filter(|_| whole) else {
        return false;
    };
    // The largest product of two numbers without a sign is larger than what a sign leaves room for.
    let half = |s: &Scalar| !s.is_signed() && 2 * s.bytes() == shape.elem.bytes();
    op != Op::Mul || !all.iter().all(half)
}

/// Whether a number is not below 0 by its type, or by that of what it is made of.
fn is_natural(e: &Expr) -> bool {
    let elem = e.shape().elem;
    match e.kind() {
        ExprKind::Cast(x) if x.shape().elem.bytes() < elem.bytes() => is_natural(x),
        _ => elem.is_int() && !elem.is_signed() && elem.bytes() < 8,
    }
}
