//! Which calls of a library a program may be, by the shapes of its arrays.
//!
//! In: the interface of a program. Out: all ways in which its arrays fit a matrix product, alone or
//! with what libraries or a second pass do around it: batches, transposed operands, `alpha` and
//! `beta`, a bias, rectified, the largest of each row, a matrix with a vector. Invariant: arrays are
//! read and written within their shapes; more is not known, for shapes do not say what is computed.
//! Absent: which of them it is: results are compared.

use super::Interface;
use crate::arith::Nat;
use crate::emit::c_type;
use crate::intern::Symbol;
use crate::nest::{Abi, Slot};
use crate::ty::Scalar;
use std::fmt::Write as _;

/// One way in which the arrays fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// How many products, rows, columns, and terms of each sum.
    dims: [Nat; 4],
    /// Which inputs are the operands, and whether they are given transposed.
    pub a: (usize, bool),
    pub b: (usize, bool),
    around: Around,
}

/// What is done with the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Around {
    Nothing,
    /// `alpha·A·B + beta·C`: inputs alpha, beta, C.
    Scaled(usize, usize, usize),
    /// `A·B + C`
    Added(usize),
    /// A number for each column is added; negative sums become 0.
    Bias(usize, bool),
    /// The largest of each row.
    RowMax,
    /// B is a vector.
    Vector,
    /// B is a vector: `alpha·A·x + beta·y`.
    VectorScaled(usize, usize, usize),
}

/// All ways, the most likely first; none if the shapes are not those of a product.
pub fn forms(abi: &Abi) -> Vec<Form> {
    let [out] = &abi.outputs[..] else {
        return Vec::new();
    };
    let fits = |s: &Slot| s.elem == out.elem && s.bound.is_none();
    if !matches!(out.elem, Scalar::F32 | Scalar::F64) || !abi.inputs.iter().all(fits) {
        return Vec::new();
    }
    let arrays: Vec<usize> = indices(abi, false);
    let mut found = Vec::new();
    for &i in &arrays {
        for &j in arrays.iter().filter(|&&j| j != i) {
            for (ta, tb) in [(false, false), (false, true), (true, false), (true, true)] {
                products(abi, out, (i, ta), (j, tb), &mut found);
            }
        }
    }
    found.dedup();
    found
}

/// Inputs that are values, or arrays.
fn indices(abi: &Abi, by_value: bool) -> Vec<usize> {
    let all = abi.inputs.iter().enumerate();
    all.filter(|(_, s)| s.by_value == by_value)
        .map(|(i, _)| i)
        .collect()
}

/// The two last dimensions, as they are used.
fn matrix(dims: &[Nat], transposed: bool) -> Option<(&[Nat], Nat, Nat)> {
    let [batch @ .., r, c] = dims else {
        return None;
    };
    Some(if transposed {
        (batch, *c, *r)
    } else {
        (batch, *r, *c)
    })
}

fn products(abi: &Abi, out: &Slot, a: (usize, bool), b: (usize, bool), found: &mut Vec<Form>) {
    let one = Nat::int(1);
    let dims = |i: usize| &abi.inputs[i].dims[..];
    let values = indices(abi, true);
    let others = indices(abi, false);
    let others: Vec<usize> = others
        .into_iter()
        .filter(|i| ![a.0, b.0].contains(i))
        .collect();
    let Some((batch, x, z)) = matrix(dims(a.0), a.1) else {
        return;
    };
    let mut add = |dims: [Nat; 4], around: Around| {
        found.push(Form { dims, a, b, around });
    };
    // A matrix with a vector.
    if batch.is_empty() && !b.1 && dims(b.0) == [z] && out.dims == [x] {
        let dims_ = [one, x, one, z];
        match (&others[..], &values[..]) {
            ([], []) => add(dims_, Around::Vector),
            ([y], [p, q]) if dims(*y) == out.dims => {
                add(dims_, Around::VectorScaled(*p, *q, *y));
                add(dims_, Around::VectorScaled(*q, *p, *y));
            }
            _ => {}
        }
        return;
    }
    let Some((batch_b, z_b, y)) = matrix(dims(b.0), b.1) else {
        return;
    };
    if batch != batch_b || z != z_b {
        return;
    }
    let count = batch.iter().fold(one, |n, d| n * *d);
    let shape = [count, x, y, z];
    if out.dims == [x] && batch.is_empty() && others.is_empty() && values.is_empty() {
        return add(shape, Around::RowMax);
    }
    let whole: Vec<Nat> = batch.iter().copied().chain([x, y]).collect();
    if out.dims != whole {
        return;
    }
    match (&others[..], &values[..]) {
        ([], []) => add(shape, Around::Nothing),
        ([c], [p, q]) if dims(*c) == whole => {
            add(shape, Around::Scaled(*p, *q, *c));
            add(shape, Around::Scaled(*q, *p, *c));
        }
        ([v], []) => {
            if dims(*v) == whole {
                add(shape, Around::Added(*v));
            }
            if dims(*v) == [y] {
                add(shape, Around::Bias(*v, true));
                add(shape, Around::Bias(*v, false));
            }
        }
        _ => {}
    }
}

impl Form {
    /// How many sizes the kernel of a form takes.
    pub const SIZES: usize = 4;

    /// Batches, rows, columns, terms; none where they do not fit the library's integers.
    pub fn sizes(&self, lookup: &mut impl FnMut(Symbol) -> Option<i64>) -> Option<[i64; 4]> {
        let mut sizes = [0; 4];
        for (n, dim) in sizes.iter_mut().zip(self.dims) {
            *n = dim.eval(lookup)?;
            if !(1..=i64::from(i32::MAX)).contains(n) {
                return None;
            }
        }
        Some(sizes)
    }

    /// The call in words.
    pub fn describe(&self) -> &'static str {
        match self.around {
            Around::Nothing if self.dims[0] == Nat::int(1) => "gemm",
            Around::Nothing => "a loop of gemm",
            Around::Scaled(..) | Around::Added(_) => "gemm",
            Around::Bias(..) | Around::RowMax => "gemm and a second pass",
            Around::Vector | Around::VectorScaled(..) => "gemv",
        }
    }

    /// The C text of the call, and its declaration. `open` is the file to open; none if it is linked.
    pub(super) fn c(
        &self,
        abi: &Abi,
        interface: Interface,
        open: Option<&str>,
    ) -> (String, String) {
        let out = &abi.outputs[0];
        let real = c_type(out.elem);
        let letter = if out.elem == Scalar::F32 { 's' } else { 'd' };
        let mut parameters = vec![
            format!("{real} *restrict out"),
            "int64_t batch, int64_t x, int64_t y, int64_t z".to_string(),
        ];
        for (i, s) in abi.inputs.iter().enumerate() {
            parameters.push(if s.by_value {
                format!("{real} in{i}")
            } else {
                format!("const {real} *restrict in{i}")
            });
        }
        let declaration = format!("int peer_call({})", parameters.join(", "));
        let mut c = format!(
            "#include \"unit.h\"\n#include <dlfcn.h>\n#include <stdlib.h>\n#include <string.h>\n\
             typedef {real} real;\n"
        );
        c += match interface {
            Interface::Cblas => CBLAS,
            Interface::Xsmm => XSMM,
        };
        let names = match interface {
            Interface::Cblas => [format!("cblas_{letter}gemm"), format!("cblas_{letter}gemv")],
            Interface::Xsmm => [format!("libxsmm_{letter}gemm"), String::new()],
        };
        let vector = matches!(self.around, Around::Vector | Around::VectorScaled(..));
        match open {
            Some(file) => {
                let _ = write!(
                    c,
                    "static int open_library(void) {{\n  if (gemm) return 1;\n  \
                     void *library = dlopen(\"{file}\", RTLD_NOW);\n  if (!library) return 0;\n  \
                     gemm = (gemm_t *)dlsym(library, \"{}\");\n",
                    names[0]
                );
                if interface == Interface::Cblas {
                    let _ = writeln!(c, "  gemv = (gemv_t *)dlsym(library, \"{}\");", names[1]);
                }
                c += "  return gemm != 0;\n}\n";
            }
            None => {
                let _ = write!(
                    c,
                    "gemm_t {0};\nstatic int open_library(void) {{\n  gemm = {0};\n  return 1;\n}}\n",
                    names[0]
                );
            }
        }
        if vector && interface == Interface::Xsmm {
            c = c.replace("static int open_library", "static int open_nothing");
            c += "static int open_library(void) { return 0; }\n";
            c += "#define gemv_call(...) ((void)0)\n";
        }
        let _ = write!(
            c,
            "{declaration} {{\n  if (!open_library()) return 3;\n  (void)batch, (void)y;\n{}  return 0;\n}}\n",
            self.body()
        );
        if vector && interface == Interface::Xsmm {
            c = c.replace(
                "static int open_nothing",
                "__attribute__((unused)) static int open_nothing",
            );
        }
        (c, declaration)
    }

    fn body(&self) -> String {
        let (a, b) = (format!("in{}", self.a.0), format!("in{}", self.b.0));
        let (ta, tb) = (i32::from(self.a.1), i32::from(self.b.1));
        let product = |alpha: &str, beta: &str, to: &str| {
            format!(
                "  for (int64_t i = 0; i < batch; i++) {{\n    \
                 product({ta}, {tb}, x, y, z, {alpha}, {a} + i * x * z, {b} + i * z * y, {beta}, {to} + i * x * y);\n  }}\n"
            )
        };
        // The matrix of a product with a vector is x × z as it is used.
        let vector = |alpha: &str, beta: &str| {
            format!("  gemv_call({ta}, x, z, {alpha}, {a}, {b}, {beta}, out);\n")
        };
        let copy =
            |c: usize, n: &str| format!("  memcpy(out, in{c}, (size_t)({n}) * sizeof(real));\n");
        match self.around {
            Around::Nothing => product("1", "0", "out"),
            Around::Scaled(p, q, c) => {
                copy(c, "batch * x * y") + &product(&format!("in{p}"), &format!("in{q}"), "out")
            }
            Around::Added(c) => copy(c, "batch * x * y") + &product("1", "1", "out"),
            Around::Bias(v, relu) => {
                let sum = format!("out[i * y + j] + in{v}[j]");
                let value = if relu {
                    format!("real s = {sum}; out[i * y + j] = s > 0 ? s : 0;")
                } else {
                    format!("out[i * y + j] = {sum};")
                };
                let rows = format!(
                    "  for (int64_t i = 0; i < batch * x; i++) {{\n    \
                     for (int64_t j = 0; j < y; j++) {{ {value} }}\n  }}\n"
                );
                product("1", "0", "out") + PARALLEL + &rows
            }
            Around::RowMax => {
                let rows = "  for (int64_t i = 0; i < x; i++) {\n    real most = all[i * y];\n    \
                            for (int64_t j = 1; j < y; j++) most = all[i * y + j] > most ? all[i * y + j] : most;\n    \
                            out[i] = most;\n  }\n  free(all);\n";
                "  real *all = aligned_alloc(64, ((size_t)(x * y) * sizeof(real) + 63) / 64 * 64);\n  if (!all) return 4;\n"
                    .to_string()
                    + &product("1", "0", "all")
                    + PARALLEL
                    + rows
            }
            Around::Vector => vector("1", "0"),
            Around::VectorScaled(p, q, y) => {
                copy(y, "x") + &vector(&format!("in{p}"), &format!("in{q}"))
            }
        }
    }
}

/// A second pass has the threads that the library has.
const PARALLEL: &str = "#pragma omp parallel for if (threads() > 1)\n";

/// Row-major, as our arrays are.
const CBLAS: &str = "\
#ifdef _OPENMP
#include <omp.h>
__attribute__((unused)) static int threads(void) { return omp_get_max_threads(); }
#endif
typedef void gemm_t(int, int, int, int, int, int, real, const real *, int, const real *, int, real, real *, int);
typedef void gemv_t(int, int, int, int, real, const real *, int, const real *, int, real, real *, int);
static gemm_t *gemm;
static gemv_t *gemv;
__attribute__((unused)) static void product(int ta, int tb, int64_t x, int64_t y, int64_t z, real alpha, const real *a, const real *b, real beta, real *c) {
  gemm(101, ta ? 112 : 111, tb ? 112 : 111, (int)x, (int)y, (int)z, alpha, a, (int)(ta ? x : z), b, (int)(tb ? z : y), beta, c, (int)y);
}
__attribute__((unused)) static void gemv_call(int ta, int64_t x, int64_t z, real alpha, const real *a, const real *v, real beta, real *y) {
  gemv(101, ta ? 112 : 111, (int)(ta ? z : x), (int)(ta ? x : z), alpha, a, (int)(ta ? x : z), v, 1, beta, y, 1);
}
";

/// Column-major: the transposed product of the operands in the other order.
const XSMM: &str = "\
#ifdef _OPENMP
#include <omp.h>
__attribute__((unused)) static int threads(void) { return omp_get_max_threads(); }
#endif
typedef void gemm_t(const char *, const char *, const int *, const int *, const int *, const real *, const real *, const int *, const real *, const int *, const real *, real *, const int *);
static gemm_t *gemm;
__attribute__((unused)) static void product(int ta, int tb, int64_t x, int64_t y, int64_t z, real alpha, const real *a, const real *b, real beta, real *c) {
  int m = (int)y, n = (int)x, k = (int)z, lda = (int)(ta ? x : z), ldb = (int)(tb ? z : y);
  gemm(tb ? \"T\" : \"N\", ta ? \"T\" : \"N\", &m, &n, &k, &alpha, b, &ldb, a, &lda, &beta, c, &m);
}
";
