use rise_opt::diag::{code, Diagnostic};
use rise_opt::exec::array::Array;
use rise_opt::exec::kernel::*;
use rise_opt::exec::toolchain::{temp_dir, Toolchain};
use rise_opt::interp::random::Rng;
use rise_opt::target::Target;
use rise_opt::ty::Scalar;
use std::time::Duration;

/// A kernel `int k(float *out, int64_t n, const float *a, float s)` with this body.
fn build(body: &str) -> Kernel {
    build_with(&Toolchain::find().unwrap(), body)
}

fn build_with(tool: &Toolchain, body: &str) -> Kernel {
    let signature = Signature {
        name: "k".into(),
        sizes: 1,
        outputs: vec![Scalar::F32],
        inputs: vec![Input::Array(Scalar::F32), Input::Value(Scalar::F32)],
    };
    let decl = "int k(float *restrict out, int64_t n, const float *restrict a, float s)";
    let source = Source {
        signature: &signature,
        c: &format!("#include \"k.h\"\n#include <stdlib.h>\n{decl} {{ (void)n, (void)a, (void)s; {body} }}\n"),
        header: &format!("#include <stdint.h>\n{decl};\n"),
        header_name: "k.h",
        flags: &[],
        libraries: &[],
    };
    Kernel::build(tool, &source).unwrap()
}

fn inputs() -> [Array; 2] {
    let a = Array::random(Scalar::F32, 10, &mut Rng::new(1));
    [a, Array::of(Scalar::F32, [2.0])]
}

fn run(body: &str, guard: bool) -> Result<Vec<Array>, Diagnostic> {
    build(body).results(&Setting {
        sizes: &[10],
        inputs: &inputs(),
        out_lens: &[10],
        threads: 1,
        guard,
    })
}

#[test]
fn a_kernel_gets_its_arguments_and_gives_its_result() {
    let body = "for (int64_t i = 0; i < n; i++) out[i] = s * a[i]; return 0;";
    for guard in [false, true] {
        let got = run(body, guard).unwrap().remove(0);
        for i in 0..10 {
            assert_eq!(got.number(i), 2.0 * inputs()[0].number(i));
        }
    }
}

/// What calls kernels is the same for all: a process compiles it once with each compiler.
#[test]
fn what_calls_kernels_is_compiled_once() {
    let dir = temp_dir().unwrap();
    let (script, log) = (dir.path().join("cc"), dir.path().join("log"));
    let text = format!("echo \"$*\" >> {}\nexec cc \"$@\"\n", log.display());
    std::fs::write(&script, text).unwrap();
    let sh = format!("sh {}", script.display());
    let tool = Toolchain::find_in(Some(&sh), Target::native()).unwrap();
    let kernels = ["return 0;", "return (int)n;"].map(|body| build_with(&tool, body));
    let said = std::fs::read_to_string(&log).unwrap();
    let times = |file: &str| said.lines().filter(|l| l.contains(file)).count();
    assert_eq!((times("kernel.c"), times("driver.c")), (2, 1), "{said}");
    let status = kernels.map(|kernel| {
        let (inputs, out_lens) = (inputs(), [10]);
        let setting = Setting {
            sizes: &[10],
            inputs: &inputs,
            out_lens: &out_lens,
            threads: 1,
            guard: true,
        };
        let mut session = kernel.start(&setting).unwrap();
        session.call(1, PATIENCE).unwrap().status
    });
    assert_eq!(status, [0, 10]);
}

#[test]
fn whatever_a_kernel_does_is_told() {
    let cases = [
        ("abort();", code::KERNEL_DIED),
        ("exit(0);", code::KERNEL_DIED),
        ("out[n] = 1; return 0;", code::KERNEL_DIED),
        ("out[-1] = 1; return 0;", code::OUT_OF_BOUNDS),
        ("*out = a[n]; return 0;", code::KERNEL_DIED),
        ("return 2;", code::KERNEL_REFUSES),
    ];
    for (body, code) in cases {
        let e = run(body, true).unwrap_err();
        assert_eq!(e.code, code, "{body}: {e:?}");
        assert!(e.message.contains("`k`"), "{e:?}");
    }
}

#[test]
fn a_kernel_that_hangs_is_stopped() {
    let kernel = build("for (volatile int x = 1; x;) {} return 0;");
    let mut session = kernel
        .start(&Setting {
            sizes: &[10],
            inputs: &inputs(),
            out_lens: &[10],
            threads: 1,
            guard: false,
        })
        .unwrap();
    let e = session.call(1, Duration::from_millis(200)).unwrap_err();
    assert_eq!(e.code, code::KERNEL_HANGS);
}

#[test]
fn calls_before_those_that_are_timed_wake_threads_and_count_for_nothing() {
    let wait = "static int calls; for (volatile int x = 0; calls == 0 && x < 50000000; x++) {}";
    let kernel = build(&format!("{wait} out[0] = ++calls; return 0;"));
    let mut session = kernel
        .start(&Setting {
            sizes: &[10],
            inputs: &inputs(),
            out_lens: &[10],
            threads: 1,
            guard: false,
        })
        .unwrap();
    let long = Duration::from_secs(60);
    let sample = session.timed(2, 1, long).unwrap();
    assert_eq!(session.outputs().unwrap()[0].number(0), 3.0);
    assert!(sample.cpu < Duration::from_millis(50), "{sample:?}");
}
