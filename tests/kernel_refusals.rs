//! What a kernel does where it cannot do its work: it returns its error code, writes nothing, and
//! keeps no memory. Under sanitizers, with sizes that are negative, that overflow, that leave
//! nothing to do (then arrays may be missing), and with each of its allocations failing in turn.

use crate::common::cases::{
    compile, count, goals, kernels, one_of_goals, one_written, Case, Goal, SANITIZED,
};
use crate::common::program_text;
use rise_opt::arith::Nat;
use rise_opt::emit::{self, c_type};
use rise_opt::interp::Sizes;
use rise_opt::lower::{lower, Options as Lowering};
use rise_opt::nest::{Buffer, Nest, Slot, StorageClass};
use rise_opt::target::Target;
use rise_opt::ty::Scalar;
use std::fmt::Write as _;
use std::process::Command;

/// One call of a kernel.
struct Call {
    kernel: usize,
    sizes: Vec<i64>,
    /// Of each array, results first; none where no array is given.
    bytes: Vec<Option<i64>>,
    expected: i32,
    /// Whether its allocations fail, too.
    starve: bool,
}

const OK: i32 = 0;
const SIZE: i32 = 1;
const MEMORY: i32 = 2;
/// Whether it is the size or the memory depends on the number of threads.
const ANY: i32 = -1;

/// No array has so many elements.
const HUGE: i64 = 1 << 40;

fn slots(nest: &Nest) -> impl Iterator<Item = &Slot> {
    nest.abi.outputs.iter().chain(&nest.abi.inputs)
}

/// A call without arrays, but for values that are passed.
fn without(kernel: usize, case: &Case, sizes: Vec<i64>, expected: i32) -> Call {
    let value = |s: &Slot| s.by_value.then_some(8);
    Call {
        kernel,
        sizes,
        bytes: slots(&case.nest).map(value).collect(),
        expected,
        starve: false,
    }
}

/// With the arrays that have elements.
fn with(kernel: usize, case: &Case, sizes: Sizes, starve: bool) -> Call {
    let abi = &case.nest.abi;
    let mut lookup = |s| sizes.get(&s).copied();
    let taken = (abi.assumptions.iter()).all(|a| a.holds(&mut lookup) == Some(true));
    let bytes = |s: &Slot| match (taken, s.by_value) {
        (_, true) => Some(8),
        (false, _) => None,
        _ => Some(count(s, &sizes) * s.elem.bytes() as i64).filter(|b| *b > 0),
    };
    Call {
        kernel,
        sizes: abi.sizes.iter().map(|s| sizes[s]).collect(),
        bytes: slots(&case.nest).map(bytes).collect(),
        expected: if taken { OK } else { SIZE },
        starve: starve && taken,
    }
}

fn calls(kernel: usize, case: &Case) -> Vec<Call> {
    let abi = &case.nest.abi;
    let n = abi.sizes.len();
    let mut all = vec![with(kernel, case, case.sizes.clone(), true)];
    if n == 0 {
        return all;
    }
    let refused = |sizes: Vec<i64>| without(kernel, case, sizes, SIZE);
    for i in 0..n {
        for least in [-1, i64::MIN, i64::MAX] {
            let mut sizes = vec![64; n];
            sizes[i] = least;
            all.push(refused(sizes));
        }
        // Nothing else to do, so that only the size itself is too large.
        let mut sizes = vec![0; n];
        sizes[i] = i64::MAX;
        all.push(refused(sizes));
    }
    all.push(refused(vec![i64::MAX; n]));
    for slot in slots(&case.nest) {
        // Two sizes whose product is too large, though each alone is not.
        let mut in_slot = vec![64; n];
        for (i, s) in abi.sizes.iter().enumerate() {
            let other = |x| if x == *s { Some(1) } else { Some(7) };
            let one = slot.count().eval(&mut { other });
            let two = slot.count().eval(&mut |x| other(x).map(|v| 2 * v));
            if one != two && slot.dims.len() > 1 {
                in_slot[i] = HUGE;
            }
        }
        let product: f64 = (slot.dims.iter())
            .map(|d| {
                let size = |s| {
                    let at = abi.sizes.iter().position(|x| *x == s);
                    at.map(|i| in_slot[i])
                };
                d.eval(&mut { size }).map_or(0.0, |v| v as f64)
            })
            .product();
        if product * slot.elem.bytes() as f64 > 2f64.powi(61) {
            all.push(refused(in_slot));
        }
    }
    // Some sizes are 0.
    for zeros in 1..1u32 << n {
        let mut sizes = case.sizes.clone();
        for (i, s) in abi.sizes.iter().enumerate() {
            sizes.insert(*s, if zeros >> i & 1 == 1 { 0 } else { 32 });
        }
        // Values that a program reads at fixed places of its own.
        let lookup = |s| sizes.get(&s).copied();
        let known = |s: &Slot| s.count().eval(&mut { lookup }).is_some_and(|c| c < 1 << 20);
        // No index is below 0: one that is given is refused.
        let possible = |s: &Slot| {
            let bound = s.bound.and_then(|b| b.eval(&mut { lookup }));
            bound != Some(0) || s.count().eval(&mut { lookup }) == Some(0)
        };
        if slots(&case.nest).all(|s| known(s) && possible(s)) {
            all.push(with(kernel, case, sizes, true));
        }
    }
    // A buffer that one thread may have, and all together may not.
    let each = |b: &&Buffer| b.storage == StorageClass::ThreadHeap;
    for i in 0..n {
        let mut sizes = vec![1; n];
        sizes[i] = 1 << 58;
        let size = |s| abi.sizes.iter().position(|x| *x == s).map(|at| sizes[at]);
        let fits = |n: Nat, elem: Scalar| {
            let count = n.eval(&mut { size }).map_or(f64::NAN, |n| n as f64);
            count * elem.bytes() as f64 <= 2f64.powi(60)
        };
        let taken = (abi.assumptions.iter()).all(|a| a.holds(&mut { size }) == Some(true));
        let mut buffers = case.nest.buffers.iter().filter(each);
        let large = buffers.any(|b| fits(b.len, b.elem) && !fits(b.len * Nat::int(2), b.elem));
        if large && taken && slots(&case.nest).all(|s| fits(s.count(), s.elem)) {
            all.push(without(kernel, case, sizes, ANY));
        }
    }
    // More than any machine has, for a buffer that the kernel makes first.
    let shared = |b: &&Buffer| b.storage == StorageClass::Heap;
    let large = |s| {
        let at = abi.sizes.iter().position(|x| *x == s)?;
        // Of kernels among which sizes choose, the one for large sizes.
        Some(if at == 0 { 1 << 10 } else { 1 << 28 })
    };
    let bytes = |n: Nat, elem: Scalar| {
        let count = n.eval(&mut { large }).map_or(f64::NAN, |n| n as f64);
        count * elem.bytes() as f64
    };
    let buffers = case.nest.buffers.iter().filter(shared);
    let made: Vec<f64> = buffers.map(|b| bytes(b.len, b.elem)).collect();
    let given = slots(&case.nest).map(|s| bytes(s.count(), s.elem));
    // But none of them more than an array may have.
    let allowed = made
        .iter()
        .copied()
        .chain(given)
        .all(|n| n <= 2f64.powi(60));
    let taken = (abi.assumptions.iter()).all(|a| a.holds(&mut { large }) == Some(true));
    if n == 3 && allowed && taken && made.iter().any(|n| *n >= 2f64.powi(52)) {
        let sizes = abi.sizes.iter().filter_map(|s| large(*s)).collect();
        all.push(without(kernel, case, sizes, MEMORY));
    }
    all
}

/// The kernels behind one type, and their calls.
fn text(cases: &[Case], calls: &[Call]) -> String {
    let mut c = include_str!("kernel_refusals/memory.c").to_string();
    c += &emit::emit_all(&kernels(cases), &emit::Options::default());
    for (i, case) in cases.iter().enumerate() {
        let abi = &case.nest.abi;
        let sizes = (0..abi.sizes.len()).map(|j| format!("sizes[{j}]"));
        let mut args: Vec<String> = Vec::new();
        for (j, slot) in slots(&case.nest).enumerate() {
            if j == abi.outputs.len() {
                args.extend(sizes.clone());
            }
            args.push(match slot.by_value {
                true => format!("*({} *)at[{j}]", c_type(slot.elem)),
                false => format!("at[{j}]"),
            });
        }
        if abi.inputs.is_empty() {
            args.extend(sizes);
        }
        let _ = writeln!(
            c,
            "static int call{i}(const int64_t *sizes, void **at)\n{{\n    (void)sizes;\n    return {}({});\n}}\n",
            abi.name,
            args.join(", ")
        );
    }
    let names: Vec<String> = (0..cases.len()).map(|i| format!("call{i}")).collect();
    let _ = writeln!(
        c,
        "static int (*const kernels[])(const int64_t *, void **) = {{{}}};",
        names.join(", ")
    );
    let arrays = cases.iter().map(|c| slots(&c.nest).count()).max();
    let _ = writeln!(
        c,
        "enum {{ ARRAYS = {} }};\nstruct call {{ const char *name; int kernel, arrays, outputs, expected, memory, starve; \
         int64_t sizes[16], bytes[ARRAYS]; }};\nstatic const struct call calls_[] = {{",
        arrays.unwrap_or(1)
    );
    for call in calls {
        let case = &cases[call.kernel];
        let list = |all: &[i64]| {
            // The least number has no literal of its own.
            let one = |n: &i64| format!("INT64_C({}) - 1", n.saturating_add(1));
            all.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let bytes: Vec<i64> = call.bytes.iter().map(|b| b.unwrap_or(-1)).collect();
        let sizes = match call.sizes.is_empty() {
            true => "0".to_string(),
            false => list(&call.sizes),
        };
        let _ = writeln!(
            c,
            "    {{\"{} {:?}\", {}, {}, {}, {}, {MEMORY}, {}, {{{sizes}}}, {{{}}}}},",
            case.name,
            call.sizes,
            call.kernel,
            bytes.len(),
            case.nest.abi.outputs.len(),
            call.expected,
            i32::from(call.starve),
            list(&bytes),
        );
    }
    c + "};\n" + include_str!("kernel_refusals/calls.c")
}

/// Two kernels, among which a product decides that may be too large where no array is.
const CHOICE: Goal = Goal {
    program: "programs/mm.rise",
    sketch: "tests/kernel_refusals/choice.sk",
    set: "",
    fixed: "",
    at: &["m=3,n=4,k=5"],
    regroups: false,
};

#[test]
fn what_cannot_be_done_is_refused() {
    let target = Target::Portable;
    // Each kernel once: what is called is new.
    let mut cases = one_written(target, 3, 6);
    cases.extend(one_of_goals(target, |g| !g.sketch.contains("risegg"), 0, 2));
    cases.extend(CHOICE.cases("choice", target));
    cases.dedup_by(|a, b| a.program.term == b.program.term);
    let cube = |c: &Case| {
        let own: Vec<Nat> = c.nest.abi.sizes.iter().map(|s| Nat::var(*s)).collect();
        own.len() == 3 && slots(&c.nest).all(|s| s.dims == own)
    };
    if !cases.iter().any(cube) {
        let others = [4, 5, 0, 1, 2].into_iter();
        let mut all = others.flat_map(|part| one_written(target, part, 6));
        cases.insert(0, all.find(cube).expect("a kernel of three sizes"));
    }
    let heap = |c: &&Case| {
        let mut homes = c.nest.buffers.iter().map(|b| b.storage);
        homes.any(|h| matches!(h, StorageClass::Heap | StorageClass::ThreadHeap))
    };
    let buffers = cases.iter().filter(heap).count();
    assert!(buffers >= 8, "{buffers} kernels allocate");
    let mut calls: Vec<Call> = (cases.iter().enumerate())
        .flat_map(|(i, c)| calls(i, c))
        .collect();
    let choice = cases.len() - 1;
    for (sizes, expected) in [([1 << 28; 3], SIZE), ([0, 1, 1 << 58], OK)] {
        calls.push(without(choice, &cases[choice], sizes.to_vec(), expected));
    }
    // The product of two is too large where the third is 0.
    let three = cases.iter().position(cube);
    let three = three.expect("the kernel of three sizes");
    for sizes in [[0, HUGE, HUGE], [HUGE, 0, HUGE], [HUGE, HUGE, 0]] {
        calls.push(without(three, &cases[three], sizes.to_vec(), OK));
    }
    for (what, least) in [(OK, 40), (SIZE, 150), (MEMORY, 3), (ANY, 1)] {
        let have = calls.iter().filter(|c| c.expected == what).count();
        assert!(have >= least, "{have} calls that return {what}");
    }
    let dir = tempfile::tempdir().expect("a folder");
    let flags = [&["-O0", "-fopenmp"][..], &SANITIZED].concat();
    let exe = compile("cc", dir.path(), &text(&cases, &calls), &flags);
    for threads in ["1", "8"] {
        let run = Command::new(&exe)
            .env("OMP_NUM_THREADS", threads)
            .env("ASAN_OPTIONS", "allocator_may_return_null=1")
            .output()
            .expect("run");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{}\n{said}", run.status);
        let out = String::from_utf8_lossy(&run.stdout).into_owned();
        let counts: Vec<usize> = (out.split_whitespace())
            .map(|n| n.parse().expect("a number"))
            .collect();
        assert_eq!(counts[0], calls.len());
        assert!(counts[1] >= buffers, "{} allocations failed", counts[1]);
    }
}

/// Whether `cc` makes programs whose addresses have 32 bits.
fn has_narrow_addresses() -> bool {
    let dir = tempfile::tempdir().expect("a folder");
    let (source, exe) = (dir.path().join("a.c"), dir.path().join("a"));
    let text = "#include <stdlib.h>\nint main(void) { return sizeof(size_t) != 4; }\n";
    std::fs::write(&source, text).expect("write");
    let mut command = Command::new("cc");
    let made = command
        .arg("-m32")
        .arg(&source)
        .arg("-o")
        .arg(&exe)
        .output();
    let runs = || Command::new(&exe).status().is_ok_and(|s| s.success());
    let works = made.is_ok_and(|o| o.status.success()) && runs();
    if !works {
        let what = "no kernel is run with addresses of 32 bits (Debian: package `gcc-multilib`)";
        eprintln!("NOT TESTED: {what}");
    }
    works
}

/// A product of one row and one column, whose packed panels are beyond 4 GB.
#[test]
fn more_memory_than_there_are_addresses_is_refused() {
    if !has_narrow_addresses() {
        return;
    }
    let target = Target::Portable;
    let cases = goals(target, |g| g.sketch == "sketches/mm/micro.sk");
    assert!(!cases.is_empty());
    let dir = tempfile::tempdir().expect("a folder");
    for case in &cases {
        let mut c = emit::emit_all(
            &kernels(std::slice::from_ref(case)),
            &emit::Options::default(),
        );
        let _ = write!(
            c,
            "#include <stdio.h>\n#include <stdlib.h>\n\
             int main(void)\n{{\n    for (int64_t k = 1; k < 1 << 23; k += k / 3 + 1 + k % 5) {{\n        \
             float *a = malloc(4 * k), *b = malloc(4 * k), out = -1;\n        \
             for (int64_t i = 0; i < k; i++) a[i] = b[i] = i == k - 1;\n        \
             int code = {}(&out, 1, 1, k, a, b);\n        \
             if (code != 2 && (code != 0 || out != 1)) return 1;\n        \
             if (k < 1000 && code != 0) return 2;\n        free(a), free(b);\n    }}\n    return 0;\n}}\n",
            kernels(std::slice::from_ref(case))[0].abi.name
        );
        let exe = compile("cc", dir.path(), &c, &["-m32", "-O1", "-Wno-psabi"]);
        let status = Command::new(&exe).status().expect("run");
        assert!(status.success(), "{}: {status}", case.name);
    }
}

/// All indices of an array are looked at, several at once and by several threads.
#[test]
fn no_index_out_of_bounds_is_read() {
    let text = "def gathered [m n : nat] (at : m.idx[n]) (xs : n.f32) : m.f32 = at |> mapPar (\\i -> idx i xs)";
    let program = program_text(text);
    let nest = lower(&program, &Lowering::default()).expect("a kernel");
    let unit = emit::emit(&nest, &emit::Options::default());
    assert!(unit.c.contains("reduction("), "{}", unit.c);
    let dir = tempfile::tempdir().expect("a folder");
    let c = format!(
        "{}\nenum {{ FAR = 100000 }};\n{}",
        unit.c,
        include_str!("kernel_refusals/indices.c")
    );
    for flags in [&["-O0", "-fopenmp"][..], &["-O3", "-fopenmp"], &["-O3"]] {
        let exe = compile("cc", dir.path(), &c, flags);
        let run = Command::new(&exe)
            .env("OMP_NUM_THREADS", "3")
            .output()
            .expect("run");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{flags:?}: {}\n{said}", run.status);
        let asked: u32 = String::from_utf8_lossy(&run.stdout)
            .trim()
            .parse()
            .expect("a number");
        assert!(asked > 2000, "{asked}");
    }
}
