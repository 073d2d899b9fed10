#!/usr/bin/env python3
"""Kernels of rise-opt beside Halide and PyTorch, on programs that these compute, too.

Comes in: `programs/`, `sketches/`, a built rise-opt. Goes out: a table of best times, and how many times as fast our best
kernel is as each other, all contestants of a row measured in turn in one process. Needs numpy, and whichever of the two is
to be compared with (`pip install halide torch`); what is not installed is left out, and said.

    python3 benches/peers/programs.py [--threads N] [--rise-opt FILE] [--seconds S] [PROGRAM ...]

Each result is compared with that of the program as it stands before anything is timed. Schedules for Halide are written
here: rows in parallel, columns in vectors, stages kept for a strip of rows; beside each stands what its autoscheduler
(Adams2019) finds.
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rise-opt", default=os.path.join(ROOT, "target/release/rise-opt"))
    parser.add_argument("--seconds", type=float, default=6.0, help="for each row of the table")
    parser.add_argument("--flag", action="append", default=[], help="one more contestant: rise-opt with this flag, as --flag=--auto=model")
    parser.add_argument("programs", nargs="*")
    return parser.parse_args()


OPTIONS = arguments()
# Thread pools read these when they are loaded.
for name in ("OMP_NUM_THREADS", "HL_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = str(OPTIONS.threads)

import numpy as np  # noqa: E402

try:
    import halide as hl
except ImportError:
    hl = None
try:
    import torch

    torch.set_num_threads(OPTIONS.threads)
except ImportError:
    torch = None


# Rise-opt.


class Kernel:
    """What rise-opt makes of a program, compiled and loaded; called with numpy arrays."""

    NUMBERS = {"float": np.float32, "double": np.float64, "int32_t": np.int32, "uint8_t": np.uint8}
    SCALARS = {"float": ctypes.c_float, "double": ctypes.c_double, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64}

    def __init__(self, folder, label, program, flags):
        stem = os.path.join(folder, label)
        source = os.path.join(ROOT, "programs", program + ".rise")
        run = subprocess.run([OPTIONS.rise_opt, source, *flags, "-o", stem + ".c"], capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(run.stderr.strip().splitlines()[0] if run.stderr.strip() else "no kernel")
        header = open(stem + ".h").read()
        recommended = re.search(r"compile with (.*?) \*/", header).group(1).split()
        subprocess.run(["cc", *recommended, "-fPIC", "-shared", stem + ".c", "-o", stem + ".so", "-lm"], check=True)
        name, parameters = re.search(r"^int (\w+)\((.*?)\);", header, re.S | re.M).groups()
        self.function = getattr(ctypes.CDLL(stem + ".so"), name)
        self.parameters = [p.strip() for p in parameters.split(",")]

    def bind(self, out, sizes, inputs):
        """A call without arguments."""
        values = []
        rest = iter([out, *inputs])
        sizes = iter(sizes)
        for parameter in self.parameters:
            kind = parameter.replace("const ", "").split()[0]
            if "*" in parameter:
                array = next(rest)
                assert array.dtype == self.NUMBERS[kind] and array.flags.c_contiguous, parameter
                values.append(array.ctypes.data_as(ctypes.c_void_p))
            elif kind == "int64_t":
                values.append(ctypes.c_int64(next(sizes)))
            else:
                values.append(self.SCALARS[kind](next(rest)))

        def call():
            code = self.function(*values)
            if code != 0:
                raise RuntimeError(f"the kernel returned {code}")

        return call


# Programs: sizes, inputs, and what others make of them. A schedule for Halide gets the pipeline's functions.

PIXELS = {"h": 1536, "w": 2560}


def uniform(*shape):
    return np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)


def image(border):
    return lambda s: [uniform(s["h"] + border, s["w"] + border)]


def strips(out, stages, rows=32, lanes=16):
    """Strips of rows in parallel, in each the stages it needs, all in vectors of columns."""
    x, y = out.args()[0], out.args()[1]
    yo, yi = hl.Var("yo"), hl.Var("yi")
    out.split(y, yo, yi, rows).parallel(yo).vectorize(x, lanes)
    for stage in stages:
        stage.store_at(out, yo).compute_at(out, yi).vectorize(stage.args()[0], lanes)


def halide_gaussian5(inputs, estimate):
    x, y = hl.Var("x"), hl.Var("y")
    source = inputs[0]
    g = [0.0625, 0.25, 0.375, 0.25, 0.0625]
    rows, out = hl.Func("rows"), hl.Func("out")
    rows[x, y] = sum((g[j] * source[x + j, y] for j in range(1, 5)), g[0] * source[x, y])
    out[x, y] = sum((g[i] * rows[x, y + i] for i in range(1, 5)), g[0] * rows[x, y])
    return out, lambda: strips(out, [rows])


def halide_unsharp(inputs, estimate):
    x, y = hl.Var("x"), hl.Var("y")
    amount, source = inputs
    rows, out = hl.Func("rows"), hl.Func("out")
    rows[x, y] = 0.25 * source[x, y] + 0.5 * source[x + 1, y] + 0.25 * source[x + 2, y]
    blurred = 0.25 * rows[x, y] + 0.5 * rows[x, y + 1] + 0.25 * rows[x, y + 2]
    middle = source[x + 1, y + 1]
    out[x, y] = middle + hl.f32(amount) * (middle - blurred)
    return out, lambda: strips(out, [rows])


def gradients(source, x, y):
    def weighed(weights):
        terms = [w * source[x + j, y + i] for i, row in enumerate(weights) for j, w in enumerate(row) if w]
        return sum(terms[1:], terms[0])

    across = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]
    return weighed(across), weighed([list(column) for column in zip(*across)])


def halide_sobel(inputs, estimate):
    x, y = hl.Var("x"), hl.Var("y")
    gx, gy = gradients(inputs[0], x, y)
    out = hl.Func("out")
    out[x, y] = hl.sqrt(gx * gx + gy * gy)
    return out, lambda: strips(out, [])


def halide_harris(inputs, estimate):
    x, y = hl.Var("x"), hl.Var("y")
    kappa, source = inputs
    gx, gy, out = hl.Func("gx"), hl.Func("gy"), hl.Func("out")
    gx[x, y], gy[x, y] = gradients(source, x, y)

    def summed(f, g):
        terms = [f[x + j, y + i] * g[x + j, y + i] for i in range(3) for j in range(3)]
        return sum(terms[1:], terms[0])

    xx, yy, xy = summed(gx, gx), summed(gy, gy), summed(gx, gy)
    out[x, y] = xx * yy - xy * xy - hl.f32(kappa) * (xx + yy) * (xx + yy)
    return out, lambda: strips(out, [gx, gy])


def halide_conv2d(inputs, estimate):
    x, y, o = hl.Var("x"), hl.Var("y"), hl.Var("o")
    weights, bias, source = inputs
    r = hl.RDom([(0, 3), (0, 3), (0, estimate["c"])])
    total, out = hl.Func("total"), hl.Func("out")
    total[x, y, o] = bias[o]
    total[x, y, o] += weights[r.x, r.y, r.z, o] * source[x + r.x, y + r.y, r.z]
    out[x, y, o] = hl.max(total[x, y, o], 0.0)

    def schedule():
        xo, xi, oo, oi, yo = hl.Var("xo"), hl.Var("xi"), hl.Var("oo"), hl.Var("oi"), hl.Var("yo")
        out.tile(x, o, xo, oo, xi, oi, 32, 4).reorder(xi, oi, xo, y, oo)
        out.fuse(y, oo, yo).parallel(yo).vectorize(xi, 16).unroll(oi)
        total.compute_at(out, xo).vectorize(x, 16).unroll(x).unroll(o)
        total.update().reorder(x, o, r.x, r.y, r.z).vectorize(x, 16).unroll(x).unroll(o).unroll(r.x).unroll(r.y)

    return out, schedule


def attention_inputs(s):
    return [uniform(s["m"], s["d"]), uniform(s["n"], s["d"]), uniform(s["n"], s["e"])]


def torch_attention(q, k, v):
    out = torch.nn.functional.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None])
    return out[0, 0]


# The largest error, of the largest number of a result: sums are in other orders, exponentials are others' own.
TOLERANCE = 1e-4


class Row:
    def __init__(self, sizes, inputs, shape, halide=None, in_torch=None):
        self.sizes, self.inputs, self.shape = sizes, inputs, shape
        self.halide, self.in_torch = halide, in_torch


def pixels(s):
    return (s["h"], s["w"])


ROWS = {
    "image/gaussian5": Row(PIXELS, image(4), pixels, halide_gaussian5),
    "image/unsharp": Row(PIXELS, lambda s: [0.5, *image(2)(s)], pixels, halide_unsharp),
    "image/sobel": Row(PIXELS, image(2), pixels, halide_sobel),
    "image/harris": Row(PIXELS, lambda s: [0.04, *image(4)(s)], pixels, halide_harris),
    "layer/conv2d": Row(
        {"o": 64, "c": 64, "h": 112, "w": 112},
        lambda s: [uniform(s["o"], s["c"], 3, 3), uniform(s["o"]), uniform(s["c"], s["h"] + 2, s["w"] + 2)],
        lambda s: (s["o"], s["h"], s["w"]),
        halide_conv2d,
        in_torch=lambda w, b, x: torch.relu(torch.nn.functional.conv2d(x[None], w, b))[0],
    ),
    "layer/softmax": Row(
        {"m": 1024, "n": 1023},
        lambda s: [uniform(s["m"], s["n"] + 1)],
        lambda s: (s["m"], s["n"] + 1),
        in_torch=lambda x: torch.softmax(x, 1),
    ),
    "layer/layer_norm": Row(
        {"m": 1024, "n": 1024},
        lambda s: [uniform(s["n"]), uniform(s["n"]), uniform(s["m"], s["n"])],
        lambda s: (s["m"], s["n"]),
        in_torch=lambda g, b, x: torch.nn.functional.layer_norm(x, (x.shape[1],), g, b),
    ),
    "layer/gelu": Row(
        {"n": 1 << 20},
        lambda s: [uniform(s["n"])],
        lambda s: (s["n"],),
        in_torch=lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    ),
    "layer/attention": Row(
        {"m": 1024, "n": 1024, "d": 64, "e": 64},
        attention_inputs,
        lambda s: (s["m"], s["e"]),
        in_torch=torch_attention,
    ),
}


# Contestants: a name, a call, where the result is.


def ours(folder, program, row, inputs):
    name = os.path.basename(program)
    plain = Kernel(folder, f"{name}_plain", program, ["--plain"])
    ways = [("as it stands", plain)]
    sketches = os.path.join(ROOT, "sketches", name)
    for sketch in sorted(os.listdir(sketches)) if os.path.isdir(sketches) else []:
        flags = ["--sketch", os.path.join(sketches, sketch)]
        try:
            ways.append((sketch, Kernel(folder, f"{name}_{len(ways)}", program, flags)))
        except RuntimeError as why:
            print(f"{program}, {sketch}: {why}", file=sys.stderr)
    for flag in OPTIONS.flag:
        try:
            ways.append((flag, Kernel(folder, f"{name}_{len(ways)}", program, flag.split())))
        except RuntimeError as why:
            print(f"{program}, {flag}: {why}", file=sys.stderr)
    for label, kernel in ways:
        out = np.zeros(row.shape(row.sizes), np.float32)
        yield f"rise-opt, {label}", kernel.bind(out, row.sizes.values(), inputs), out


def in_halide(row, inputs):
    if hl is None or row.halide is None:
        return
    target = hl.get_host_target()
    for label in ("schedule", "autoscheduler"):
        given = [hl.Buffer(a) if isinstance(a, np.ndarray) else float(a) for a in inputs]
        func, schedule = row.halide(given, row.sizes)
        out = np.zeros(row.shape(row.sizes), np.float32)
        try:
            if label == "schedule":
                schedule()
                pipeline = hl.Pipeline(func)
            else:
                for variable, extent in zip(func.args(), reversed(out.shape)):
                    func.set_estimate(variable, 0, extent)
                pipeline = hl.Pipeline(func)
                hl.load_plugin(os.path.join(os.path.dirname(hl.__file__), "lib64", "libautoschedule_adams2019.so"))
                parallelism = {"parallelism": str(OPTIONS.threads)}
                pipeline.apply_autoscheduler(target, hl.AutoschedulerParams("Adams2019", parallelism))
            pipeline.compile_jit(target)
        except (RuntimeError, hl.HalideError) as why:
            print(f"Halide, {label}: {str(why).splitlines()[0]}", file=sys.stderr)
            continue
        buffer = hl.Buffer(out)
        yield f"Halide, {label}", lambda p=pipeline, b=buffer: p.realize(b), out


def by_torch(row, inputs):
    if torch is None or row.in_torch is None:
        return
    given = [torch.from_numpy(a) for a in inputs]
    out = row.in_torch(*given).numpy()

    def call():
        with torch.inference_mode():
            row.in_torch(*given)

    yield "PyTorch", call, out


def timed(call, least=0.004):
    """Seconds for one call; several are measured at once where one is short. Threads of the last contestant fall asleep
    before the first call, which is not measured."""
    time.sleep(0.01)
    call()
    count = 1
    while True:
        begun = time.perf_counter()
        for _ in range(count):
            call()
        took = time.perf_counter() - begun
        if took >= least:
            return took / count
        count *= 2


def measure(program, row):
    inputs = row.inputs(row.sizes)
    with tempfile.TemporaryDirectory() as folder:
        contestants = [*ours(folder, program, row, inputs), *in_halide(row, inputs), *by_torch(row, inputs)]
        for _, call, _ in contestants:
            call()
        reference = contestants[0][2]
        for label, _, out in contestants[1:]:
            error = float(np.max(np.abs(out - reference)) / max(np.max(np.abs(reference)), 1e-30))
            if not error <= TOLERANCE:
                sys.exit(f"{program}: {label} is wrong: largest error {error:.2e}")
        best = [float("inf")] * len(contestants)
        until = time.perf_counter() + OPTIONS.seconds
        rounds = 0
        while time.perf_counter() < until or rounds < 3:
            for i, (_, call, _) in enumerate(contestants):
                best[i] = min(best[i], timed(call))
            rounds += 1
        own = min(b for (label, _, _), b in zip(contestants, best) if label.startswith("rise-opt"))
        sizes = " ".join(f"{k}={v}" for k, v in row.sizes.items())
        print(f"{program}, {sizes}, {OPTIONS.threads} thread(s)")
        for (label, _, _), b in zip(contestants, best):
            print(f"  {label:32} {b * 1e3:10.3f} ms  {b / own:8.2f} × the time of our best")
        sys.stdout.flush()


def main():
    for package, module in (("halide", hl), ("torch", torch)):
        if module is None:
            print(f"not compared with {package}: it is not installed (pip install {package})", file=sys.stderr)
    unknown = [p for p in OPTIONS.programs if p not in ROWS]
    if unknown:
        sys.exit(f"no comparison for {', '.join(unknown)}; there is one for {', '.join(ROWS)}")
    if not os.path.exists(OPTIONS.rise_opt):
        sys.exit(f"{OPTIONS.rise_opt} does not exist: run `cargo build --release`, or say --rise-opt FILE")
    for program in OPTIONS.programs or ROWS:
        measure(program, ROWS[program])


main()
