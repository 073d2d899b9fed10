//! What operations make of values in a case.
//!
//! In: an expression, a case. Out: its value there; or how the case has to be split first. See `cases`.

use super::atoms::{Limits, Tag};
use super::cases::{known, Case, Fact, Outcome, Prover, Relation, Stop, Val};
use super::dag::{Id, What};
use super::frac::Frac;
use super::poly::Poly;
use crate::term::{Arithmetic, Bits, Comparison, Data, Logic, Op, Sort};
use crate::ty::Scalar;

impl Prover<'_> {
    pub fn value(&mut self, case: &mut Case, id: Id) -> Outcome<Val> {
        if let Some(done) = case.values.get(&id) {
            return Ok(done.clone());
        }
        let node = self.dag.node(id);
        let value = match node.what {
            What::Leaf(i) => self.leaf(case, i)?,
            What::Const(c) => self.constant(c, node.ty)?,
            What::Apply(op, n, args) => self.apply(case, op, node.ty, &args[..n.into()])?,
        };
        case.values.insert(id, value.clone());
        Ok(value)
    }

    fn leaf(&mut self, case: &Case, i: u32) -> Outcome<Val> {
        let leaf = self.dag.leaves[i as usize];
        if leaf.ty == Scalar::Bool {
            return match case.bools.get(&i) {
                Some(b) => Ok(Val::Bool(*b)),
                None => Err(Stop::Split(vec![
                    vec![Fact::Bool(i, true)],
                    vec![Fact::Bool(i, false)],
                ])),
            };
        }
        let limits = match (leaf.ty.is_float(), leaf.index) {
            (true, _) => Limits::REAL,
            (_, true) => Limits {
                integer: true,
                least: Some(0),
                most: Some(u32::MAX.into()),
            },
            _ if self.meaning.wraps() => Limits::of(leaf.ty),
            _ => Limits {
                integer: true,
                least: (!leaf.ty.is_signed()).then_some(0),
                most: None,
            },
        };
        Ok(exact(Poly::atom(self.atoms.atom(
            Tag::Leaf(i),
            Vec::new(),
            limits,
        ))))
    }

    fn constant(&mut self, c: i128, ty: Scalar) -> Outcome<Val> {
        if ty == Scalar::Bool {
            return Ok(Val::Bool(c != 0));
        }
        if !ty.is_float() {
            return Ok(exact(Poly::int(c)));
        }
        let x = f64::from_bits(c as u64);
        if self.meaning.strict_floats() {
            let tag = Tag::Const(c as u64);
            return Ok(exact(Poly::atom(self.atoms.atom(
                tag,
                Vec::new(),
                Limits::REAL,
            ))));
        }
        if x.is_infinite() {
            let sign = if x < 0.0 { -1 } else { 1 };
            let infinity = Poly::atom(self.atoms.infinity());
            return Ok(exact(known(infinity.scale(Frac::int(sign)))?));
        }
        Ok(exact(Poly::constant(known(Frac::of_float(x))?)))
    }

    fn truth(&mut self, case: &mut Case, id: Id) -> Outcome<bool> {
        match self.value(case, id)? {
            Val::Bool(b) => Ok(b),
            Val::Num { .. } => Err(Stop::Unknown),
        }
    }

    /// The number that an expression is, not only modulo the width of its type.
    fn number(&mut self, case: &mut Case, id: Id) -> Outcome<Poly> {
        let value = self.value(case, id)?;
        let ty = self.dag.node(id).ty;
        self.exact(case, &value, ty)
    }

    /// A polynomial that the value equals, maybe modulo the width of its type.
    fn poly(&mut self, case: &mut Case, id: Id) -> Outcome<(Poly, bool)> {
        match self.value(case, id)? {
            Val::Num { poly, exact } => Ok((poly, exact)),
            Val::Bool(_) => Err(Stop::Unknown),
        }
    }

    fn apply(&mut self, case: &mut Case, op: Op, ty: Scalar, args: &[Id]) -> Outcome<Val> {
        let from = self.dag.node(args[0]).ty;
        match (op.sort(), args) {
            (Sort::Logic(op), _) => self.logic(case, op, args).map(Val::Bool),
            (Sort::Comparison(op), [a, b]) => self.compare(case, op, *a, *b).map(Val::Bool),
            (Sort::Data(Data::Select), [c, a, b]) => {
                let chosen = if self.truth(case, *c)? { *a } else { *b };
                self.value(case, chosen)
            }
            (Sort::Data(Data::Cast), [a]) => self.cast(case, *a, from, ty),
            _ if ty.is_float() && self.meaning.strict_floats() => {
                self.strict_float(case, op, ty, args)
            }
            (Sort::Arithmetic(op), _) => self.arithmetic(case, op, ty, args),
            (Sort::Bits(op), _) if !ty.is_float() && !from.is_float() => {
                self.bits(case, op, ty, args)
            }
            (Sort::Function(_), [a]) if !self.meaning.strict_floats() => {
                let (p, _) = self.poly(case, *a)?;
                let p = known(self.reduced(case, &p))?;
                known(self.atoms.call(op, &p)).map(exact)
            }
            _ => Err(Stop::Unknown),
        }
    }

    fn logic(&mut self, case: &mut Case, op: Logic, args: &[Id]) -> Outcome<bool> {
        match (op, args) {
            (Logic::Not, [a]) => self.truth(case, *a).map(|b| !b),
            (Logic::And, [a, b]) => Ok(self.truth(case, *a)? && self.truth(case, *b)?),
            (Logic::Or, [a, b]) => Ok(self.truth(case, *a)? || self.truth(case, *b)?),
            _ => Err(Stop::Unknown),
        }
    }

    fn compare(&mut self, case: &mut Case, op: Comparison, a: Id, b: Id) -> Outcome<bool> {
        let ty = self.dag.node(a).ty;
        if ty == Scalar::Bool {
            let (a, b) = (self.truth(case, a)?, self.truth(case, b)?);
            return Ok(match op {
                Comparison::Lt => !a & b,
                Comparison::Le => a <= b,
                Comparison::Gt => a & !b,
                Comparison::Ge => a >= b,
                Comparison::Eq => a == b,
                Comparison::Ne => a != b,
            });
        }
        let (p, q) = (self.number(case, a)?, self.number(case, b)?);
        if ty.is_float()
            && self.meaning.strict_floats()
            && (self.is_nan(case, &p)? || self.is_nan(case, &q)?)
        {
            return Ok(op == Comparison::Ne);
        }
        self.ordered(case, op, &p, &q)
    }

    fn ordered(&mut self, case: &Case, op: Comparison, p: &Poly, q: &Poly) -> Outcome<bool> {
        let (d, back) = (known(p.sub(q))?, known(q.sub(p))?);
        match op {
            Comparison::Lt => self.decide(case, &back, Relation::Above),
            Comparison::Le => self.decide(case, &back, Relation::NotBelow),
            Comparison::Gt => self.decide(case, &d, Relation::Above),
            Comparison::Ge => self.decide(case, &d, Relation::NotBelow),
            Comparison::Eq => self.is_zero(case, &d),
            Comparison::Ne => self.is_zero(case, &d).map(|zero| !zero),
        }
    }

    /// A float to the bit that is computed: known by what it is computed of.
    fn strict_float(&mut self, case: &mut Case, op: Op, ty: Scalar, args: &[Id]) -> Outcome<Val> {
        let mut parts = Vec::new();
        for a in args {
            parts.push(self.number(case, *a)?);
        }
        let bits = |p: &Prover, q: &Poly| match p.atoms.get(q.as_atom()?).tag {
            Tag::Const(bits) => Some(f64::from_bits(bits)),
            _ => None,
        };
        if let (Op::Min | Op::Max, [a, b]) = (op, &parts[..]) {
            if a == b {
                return Ok(exact(a.clone()));
            }
            let less = if op == Op::Min {
                Comparison::Lt
            } else {
                Comparison::Gt
            };
            let nan = self.is_nan(case, a)? || self.is_nan(case, b)?;
            let first = !nan && self.ordered(case, less, a, b)?;
            return Ok(exact(if first { a.clone() } else { b.clone() }));
        }
        if let [a, b] = &parts[..] {
            let (x, y) = (bits(self, a), bits(self, b));
            let is = |x: Option<f64>, y: f64| x.is_some_and(|x| x.to_bits() == y.to_bits());
            // The constants that are identities to the bit.
            let kept = match op {
                Op::Add if is(y, -0.0) => Some(a),
                Op::Add if is(x, -0.0) => Some(b),
                Op::Sub if is(y, 0.0) => Some(a),
                Op::Mul | Op::Div if is(y, 1.0) => Some(a),
                Op::Mul if is(x, 1.0) => Some(b),
                _ => None,
            };
            if let Some(kept) = kept {
                return Ok(exact(kept.clone()));
            }
        }
        if matches!(op, Op::Add | Op::Mul) {
            parts.sort();
        }
        // Which bits an integer has depends on its type, too.
        if op == Op::Bitcast {
            return Err(Stop::Unknown);
        }
        let a = self.atoms.atom(Tag::Apply(op, ty), parts, Limits::REAL);
        Ok(exact(Poly::atom(a)))
    }

    fn arithmetic(
        &mut self,
        case: &mut Case,
        op: Arithmetic,
        ty: Scalar,
        args: &[Id],
    ) -> Outcome<Val> {
        match (op, args) {
            (Arithmetic::Neg, [a]) => {
                let (p, _) = self.poly(case, *a)?;
                let minus = known(p.scale(Frac::int(-1)))?;
                Ok(self.ring(minus, ty))
            }
            (Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul, [a, b]) => {
                let ((p, _), (q, _)) = (self.poly(case, *a)?, self.poly(case, *b)?);
                let result = match op {
                    Arithmetic::Add => self.sum(&p, &q),
                    Arithmetic::Sub => q.scale(Frac::int(-1)).and_then(|q| self.sum(&p, &q)),
                    _ => self.product(&p, &q),
                };
                // A value of which only the rest is known stays one.
                Ok(self.ring(known(result)?, ty))
            }
            (Arithmetic::Fma, [a, b, c]) => {
                let ((p, _), (q, _)) = (self.poly(case, *a)?, self.poly(case, *b)?);
                let product = known(self.product(&p, &q))?;
                let (r, _) = self.poly(case, *c)?;
                let sum = known(self.sum(&product, &r))?;
                Ok(self.ring(sum, ty))
            }
            (Arithmetic::Min | Arithmetic::Max, [a, b]) => {
                let (x, y) = (self.value(case, *a)?, self.value(case, *b)?);
                let (p, q) = (self.exact(case, &x, ty)?, self.exact(case, &y, ty)?);
                if p == q {
                    return Ok(exact(p));
                }
                let less = if op == Arithmetic::Min {
                    Comparison::Le
                } else {
                    Comparison::Ge
                };
                let first = self.ordered(case, less, &p, &q)?;
                Ok(exact(if first { p } else { q }))
            }
            (Arithmetic::Abs, [a]) => {
                let p = self.number(case, *a)?;
                match self.is_negative(case, &p)? {
                    false => Ok(exact(p)),
                    true => Ok(self.ring(known(p.scale(Frac::int(-1)))?, ty)),
                }
            }
            (Arithmetic::Div | Arithmetic::Mod, [a, b]) => self.divide(case, op, ty, *a, *b),
            _ => Err(Stop::Unknown),
        }
    }

    /// Whether a number is below 0, for taking it absolutely: of a product, whether an odd number of factors is; where one of
    /// them is 0, both answers are right.
    fn is_negative(&mut self, case: &Case, p: &Poly) -> Outcome<bool> {
        let single = p.terms().next().filter(|_| p.len() == 1);
        let Some((factors, by)) = single else {
            return Ok(!self.decide(case, p, Relation::NotBelow)?);
        };
        let mut negative = by.sign() < 0;
        for atom in p.atoms().filter(|a| factors.power(*a) % 2 == 1) {
            negative ^= !self.decide(case, &Poly::atom(atom), Relation::NotBelow)?;
        }
        Ok(negative)
    }

    /// A polynomial of values of a type as a value of it.
    fn ring(&self, p: Poly, ty: Scalar) -> Val {
        if ty.is_float() || !self.meaning.wraps() {
            return exact(p);
        }
        let rest = p.modulo(1 << (8 * ty.bytes())).unwrap_or(p);
        Val::Num {
            poly: rest,
            exact: false,
        }
    }

    /// Infinities may stand in one of the two only.
    fn sum(&mut self, p: &Poly, q: &Poly) -> Option<Poly> {
        let infinite = |s: &Prover, p: &Poly| Some(!s.atoms.infinite(p)?.0.is_zero());
        if infinite(self, p)? && infinite(self, q)? {
            return None;
        }
        p.add(q)
    }

    fn product(&mut self, p: &Poly, q: &Poly) -> Option<Poly> {
        let infinite = |s: &Prover, p: &Poly| Some(!s.atoms.infinite(p)?.0.is_zero());
        if infinite(self, p)? || infinite(self, q)? {
            return None;
        }
        let product = self.atoms.mul(p, q)?;
        self.keep_product(p, q, &product);
        Some(product)
    }

    fn divide(
        &mut self,
        case: &mut Case,
        op: Arithmetic,
        ty: Scalar,
        a: Id,
        b: Id,
    ) -> Outcome<Val> {
        let (p, q) = (self.number(case, a)?, self.number(case, b)?);
        if ty.is_float() {
            if op == Arithmetic::Mod {
                return Err(Stop::Unknown);
            }
            let inverse = known(self.atoms.inverse(&q))?;
            return known(self.product(&p, &inverse)).map(exact);
        }
        let Some(by) = q.as_constant().and_then(Frac::as_int) else {
            let limits = self.limits(ty);
            let a = self
                .atoms
                .atom(Tag::Apply(op.into(), ty), vec![p, q], limits);
            return Ok(exact(Poly::atom(a)));
        };
        if by == 0 {
            return Ok(exact(Poly::default()));
        }
        // Toward zero: of a negative number the quotient of its opposite, turned round.
        let positive = self.decide(case, &p, Relation::NotBelow)?;
        let sign = Frac::int(if positive { 1 } else { -1 });
        let size = known(p.scale(sign))?;
        let quotient = known(self.atoms.quotient(&size, known(by.checked_abs())?))?;
        if op == Arithmetic::Div {
            let turned = known(quotient.scale(known(sign.mul(Frac::int(by.signum())))?))?;
            return Ok(self.ring(turned, ty));
        }
        let whole = known(quotient.scale(Frac::int(by.abs())))?;
        let rest = known(size.sub(&whole).and_then(|r| r.scale(sign)))?;
        Ok(exact(rest))
    }

    fn limits(&self, ty: Scalar) -> Limits {
        match self.meaning.wraps() {
            true => Limits::of(ty),
            false => Limits {
                integer: true,
                ..Limits::REAL
            },
        }
    }

    fn bits(&mut self, case: &mut Case, op: Bits, ty: Scalar, args: &[Id]) -> Outcome<Val> {
        let width = i128::from(8 * ty.bytes());
        let mut parts = Vec::new();
        for a in args {
            parts.push(self.number(case, *a)?);
        }
        let count = parts
            .get(1)
            .and_then(Poly::as_constant)
            .and_then(Frac::as_int);
        match (op, &parts[..], count) {
            (Bits::BitNot, [p], _) => {
                let minus = known(p.scale(Frac::int(-1)).and_then(|p| p.sub(&Poly::int(1))))?;
                return Ok(self.ring(minus, ty));
            }
            (Bits::Shl, [p, _], Some(k)) if self.meaning.wraps() || (0..64).contains(&k) => {
                return match (0..width).contains(&k) || !self.meaning.wraps() {
                    true => known(p.scale(Frac::int(1 << k))).map(|p| self.ring(p, ty)),
                    false => Ok(exact(Poly::default())),
                }
            }
            (Bits::Shr, [p, _], Some(k)) if (0..width.min(64)).contains(&k) => {
                return known(self.atoms.quotient(p, 1 << k)).map(exact)
            }
            (Bits::Bitcast, [p], _) => {
                let from = self.dag.node(args[0]).ty;
                if from.bytes() != ty.bytes() || !self.meaning.wraps() {
                    return Err(Stop::Unknown);
                }
                return Ok(self.ring(p.clone(), ty));
            }
            (Bits::BitAnd | Bits::BitOr, [p, q], _) if p == q => return Ok(exact(p.clone())),
            _ => {}
        }
        if matches!(op, Bits::BitAnd | Bits::BitOr | Bits::BitXor) {
            parts.sort();
        }
        let limits = self.limits(ty);
        let a = self.atoms.atom(Tag::Apply(op.into(), ty), parts, limits);
        Ok(exact(Poly::atom(a)))
    }

    fn cast(&mut self, case: &mut Case, a: Id, from: Scalar, to: Scalar) -> Outcome<Val> {
        if from == Scalar::Bool {
            let one = i128::from(self.truth(case, a)?);
            return match to.is_float() {
                true => self.constant(i128::from((one as f64).to_bits()), to),
                false => self.constant(one, to),
            };
        }
        let strict = self.meaning.strict_floats();
        if to == Scalar::Bool {
            let p = self.number(case, a)?;
            if from.is_float() && strict {
                return Err(Stop::Unknown);
            }
            return self.is_zero(case, &p).map(|zero| Val::Bool(!zero));
        }
        let p = self.number(case, a)?;
        match (from.is_float(), to.is_float()) {
            (false, false) => {
                let (least, most) = to.bounds();
                let inside = match self.atoms.range(&p) {
                    (Some(l), Some(m)) => {
                        let below =
                            |x: Frac, y: i128| Frac::int(y).sub(x).is_some_and(|d| d.sign() >= 0);
                        below(m, most) && l.sub(Frac::int(least)).is_some_and(|d| d.sign() >= 0)
                    }
                    _ => false,
                };
                let (least_from, most_from) = from.bounds();
                match inside || !self.meaning.wraps() || least <= least_from && most_from <= most {
                    true => Ok(exact(p)),
                    false => Ok(self.ring(p, to)),
                }
            }
            // Real numbers are what they are in every type.
            (_, true) if !strict => Ok(exact(p)),
            (_, true) => {
                let a = self
                    .atoms
                    .atom(Tag::Apply(Op::Cast, to), vec![p], Limits::REAL);
                Ok(exact(Poly::atom(a)))
            }
            (true, false) => {
                let limits = self.limits(to);
                let a = self.atoms.atom(Tag::Apply(Op::Cast, to), vec![p], limits);
                Ok(exact(Poly::atom(a)))
            }
        }
    }
}

fn exact(poly: Poly) -> Val {
    Val::Num { poly, exact: true }
}
