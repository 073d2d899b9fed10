#!/usr/bin/env python3
"""What the shipped programs compute, written a second time with numpy.

    programs.py            prints the values of all programs, a line of JSON each
    programs.py --write    writes them into the files beside this script
    programs.py NAME ...   only these programs

Inputs are made by a formula that tests/references.rs has, too: number i of leaf l (an array, one of
a pair of arrays, or a scalar) is drawn from mix(l, i), a hash of both. Floats are computed in double
precision here and rounded last, so the values are closer to the truth than those of any kernel.
"""
import json
import os
import sys

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view as windows

PROGRAMS = {}

# Type: the numbers that are drawn by default.
RANGES = {
    "f32": (-1.0, 1.0),
    "f64": (-1.0, 1.0),
    "u8": (0, 255),
    "i8": (-128, 127),
    "i32": (-1000, 1000),
}


def program(name, at, *params, tolerance=4e-6):
    """Declares a reference: `at` are the sizes in declared order, `params` the leaves as text, for
    instance "image f32 h+4 w+4" or "s f32 n in 0.5 2"; an element type idx:n is an index below n."""

    def declare(function):
        PROGRAMS[name] = (function, at, [leaf(p) for p in params], tolerance)
        return function

    return declare


def leaf(text):
    head, _, bounds = text.partition(" in ")
    _, kind, *shape = head.split()
    bounds = [float(b) for b in bounds.split()]
    return kind, shape, bounds or list(RANGES.get(kind, (0, 0)))


def mix(leaf, i):
    """Sixty-four well mixed bits (the finalizer of splitmix64)."""
    with np.errstate(over="ignore"):
        z = np.uint64(leaf + 1) * np.uint64(0xD1342543DE82EF95) + (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def draw(number, kind, shape, bounds):
    count = int(np.prod(shape, dtype=np.int64))
    bits = mix(number, np.arange(count, dtype=np.uint64))
    low, high = bounds
    if kind in ("f32", "f64"):
        x = low + (high - low) * ((bits >> np.uint64(40)).astype(np.float64) / 2.0**24)
        # What a kernel gets, in double precision.
        x = x.astype(np.float32).astype(np.float64) if kind == "f32" else x
    else:
        span = np.uint64(int(high) - int(low) + 1)
        x = int(low) + ((bits >> np.uint64(11)) % span).astype(np.int64)
    return x.reshape(shape) if shape else x[0]


def values(name):
    function, at, leaves, tolerance = PROGRAMS[name]
    names = function.__code__.co_varnames[: len(at[0])]
    cases = []
    for numbers in at:
        sizes = dict(zip(names, numbers))
        args = []
        for i, (kind, shape, bounds) in enumerate(leaves):
            if kind.startswith("idx:"):
                bounds = [0, max(eval(kind[4:], {}, sizes), 1) - 1]
            dims = [eval(s, {}, sizes) for s in shape]
            args.append(draw(i, kind, dims, bounds))
        with np.errstate(all="ignore"):
            result = function(*numbers, *args)
        leaves_out = result if isinstance(result, tuple) else (result,)
        digits = 17 if any(kind == "f64" for kind, _, _ in leaves) else 9
        cases.append({"sizes": sizes, "expected": [shown(r, digits) for r in leaves_out]})
    ranges = [bounds for kind, _, bounds in leaves]
    return {"ranges": ranges, "tolerance": tolerance, "cases": cases}


def shown(result, digits):
    flat = np.asarray(result).reshape(-1)
    if flat.dtype.kind == "f":
        return [float(f"{x:.{digits}g}") for x in flat]
    return [int(x) for x in flat]


# Images


def separable(image, g):
    n = len(g)
    rows = windows(image, n, axis=1) @ g
    return windows(rows, n, axis=0) @ g


PIXELS = [(1, 1), (2, 3), (5, 1), (7, 9)]


@program("image/gaussian5", PIXELS, "image f32 h+4 w+4")
def gaussian5(h, w, image):
    return separable(image, np.array([1, 4, 6, 4, 1]) / 16)


@program("image/gaussian7", [(0, 0), (1, 0), (2, 3), (6, 9)], "image f32 h+1 w+1")
def gaussian7(h, w, image):
    return separable(np.pad(image, 3, mode="edge"), np.array([1, 6, 15, 20, 15, 6, 1]) / 64)


@program("image/unsharp", PIXELS, "amount f32", "image f32 h+2 w+2")
def unsharp(h, w, amount, image):
    middle = image[1:-1, 1:-1]
    return middle + amount * (middle - separable(image, np.array([1, 2, 1]) / 4))


def gradients(image):
    smooth, difference = np.array([1, 2, 1]), np.array([-1, 0, 1])
    gx = windows(windows(image, 3, axis=1) @ difference, 3, axis=0) @ smooth
    gy = windows(windows(image, 3, axis=1) @ smooth, 3, axis=0) @ difference
    return gx, gy


@program("image/sobel", PIXELS, "image f32 h+2 w+2")
def sobel(h, w, image):
    return np.hypot(*gradients(image))


@program("image/harris", PIXELS, "kappa f32", "image f32 h+4 w+4", tolerance=2e-5)
def harris(h, w, kappa, image):
    gx, gy = gradients(image)
    sxx, syy, sxy = (windows(p, (3, 3)).sum((2, 3)) for p in (gx * gx, gy * gy, gx * gy))
    return sxx * syy - sxy**2 - kappa * (sxx + syy) ** 2


@program("image/max_filter", [(0, 0), (1, 1), (0, 3), (4, 2), (6, 9)], "image f32 h+1 w+1")
def max_filter(h, w, image):
    return windows(np.pad(image, 2, mode="edge"), (5, 5)).max((2, 3))


@program("image/bilateral", PIXELS, "sharpness f32 in 0 4", "image f32 h+4 w+4")
def bilateral(h, w, sharpness, image):
    sums = weights = np.zeros((h, w))
    middle = image[2:-2, 2:-2]
    for i in range(5):
        for j in range(5):
            other = image[i : i + h, j : j + w]
            weight = np.exp(-((i - 2) ** 2 + (j - 2) ** 2) / 8) * np.exp(-((other - middle) ** 2) * sharpness)
            sums, weights = sums + weight * other, weights + weight
    return sums / weights


@program("image/local_variance", PIXELS, "image f32 h+4 w+4")
def local_variance(h, w, image):
    w5 = windows(image, (5, 5))
    return w5.mean((2, 3)), w5.var((2, 3))


@program("image/downscale", [(0, 0), (0, 3), (1, 1), (3, 4), (5, 7)], "image f32 2*h 2*w")
def downscale(h, w, image):
    return (image[0::2, 0::2] + image[0::2, 1::2] + image[1::2, 0::2] + image[1::2, 1::2]) / 4


@program("image/upscale", [(1, 1), (1, 3), (3, 4), (5, 7)], "image f32 h+1 w+1")
def upscale(h, w, image):
    def at(n):
        return 0.25 + np.arange(2 * n) / 2

    rows = np.array([np.interp(at(w), np.arange(w + 1), row) for row in image])
    return np.array([np.interp(at(h), np.arange(h + 1), column) for column in rows.T]).T


EMPTY = [(0, 0), (0, 3), (1, 1), (3, 4), (7, 9)]


@program("image/grey", EMPTY, "image u8 h w 3")
def grey(h, w, image):
    return (77 * image[:, :, 0] + 150 * image[:, :, 1] + 29 * image[:, :, 2]) >> 8


@program("image/blur_bytes", PIXELS, "image u8 h+2 w+2")
def blur_bytes(h, w, image):
    weights = np.outer([1, 2, 1], [1, 2, 1])
    return ((windows(image, (3, 3)) * weights).sum((2, 3)) + 8) >> 4


@program("image/sobel_bytes", PIXELS, "image u8 h+2 w+2")
def sobel_bytes(h, w, image):
    gx, gy = gradients(image)
    return np.minimum(np.abs(gx) + np.abs(gy), 255)


@program("image/dilate_bytes", PIXELS, "image u8 h+2 w+2")
def dilate_bytes(h, w, image):
    return windows(image, (3, 3)).max((2, 3))


@program("image/median", PIXELS, "image u8 h+2 w+2")
def median(h, w, image):
    cross = [image[0:-2, 1:-1], image[2:, 1:-1], image[1:-1, 0:-2], image[1:-1, 2:], image[1:-1, 1:-1]]
    return np.median(cross, axis=0).astype(np.int64)


@program(
    "image/block_match",
    [(0, 0, 0, 0), (1, 0, 0, 2), (3, 4, 1, 2), (2, 5, 3, 3)],
    "block u8 a+1 b+1",
    "image u8 h+a+1 w+b+1",
)
def block_match(h, w, a, b, block, image):
    return np.abs(windows(image, block.shape) - block).sum((2, 3))


# Stencils in time


@program("stencil/jacobi1d", [(0, 0), (1, 0), (2, 1), (3, 6), (4, 10)], "u f32 n+1")
def jacobi1d(t, n, u):
    for _ in range(t):
        p = np.pad(u, 1, mode="edge")
        u = (p[:-2] + p[1:-1] + p[2:]) / 3
    return u


def around(p):
    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]


@program("stencil/jacobi2d", [(0, 1, 1), (1, 1, 1), (2, 2, 3), (3, 5, 7)], "f f32 h w", "u f32 h w")
def jacobi2d(t, h, w, f, u):
    for _ in range(t):
        u = (around(np.pad(u, 1)) + f) / 4
    return u


@program(
    "stencil/jacobi3d",
    [(0, 0, 0, 0), (1, 0, 1, 2), (2, 1, 2, 3), (3, 4, 2, 3)],
    "c0 f32",
    "c1 f32 in 0 0.125",
    "u f32 d+1 h+1 w+1",
)
def jacobi3d(t, d, h, w, c0, c1, u):
    for _ in range(t):
        p = np.pad(u, 1, mode="edge")
        z, y, x = (slice(1, -1),) * 3
        near = p[:-2, y, x] + p[2:, y, x] + p[z, :-2, x] + p[z, 2:, x] + p[z, y, :-2] + p[z, y, 2:]
        u = c0 * u + c1 * near
    return u


@program(
    "stencil/heat", [(0, 0, 0), (1, 0, 3), (2, 2, 3), (4, 5, 7)], "k f32 h+1 w+1 in 0 0.25", "u f32 h+1 w+1"
)
def heat(t, h, w, k, u):
    for _ in range(t):
        u = u + k * (around(np.pad(u, 1, mode="edge")) - 4 * u)
    return u


@program(
    "stencil/chain",
    [(1,), (2,), (9,), (40,)],
    "a f32 25 in -0.1 0.1",
    "b f32 25 in -0.1 0.1",
    "c f32 25 in -0.1 0.1",
    "xs f32 n+72",
)
def chain(n, a, b, c, xs):
    for weights in (a, b, c):
        xs = np.correlate(xs, weights, mode="valid")
    return xs


@program("stencil/life", [(0, 1, 1), (1, 1, 1), (1, 3, 4), (3, 7, 9)], "cells u8 h w in 0 1")
def life(t, h, w, cells):
    for _ in range(t):
        near = windows(np.pad(cells, 1), (3, 3)).sum((2, 3)) - cells
        cells = ((near == 3) | ((near == 2) & (cells == 1))).astype(np.int64)
    return cells


# Layers


def convolved(weights, image, step=1):
    """CHW; `weights` of out, in, 3, 3."""
    w = windows(image, (3, 3), axis=(1, 2))[:, ::step, ::step]
    return np.einsum("ocij,cyxij->oyx", weights, w)


CHANNELS = [(1, 1, 1, 1), (2, 0, 1, 2), (0, 2, 1, 1), (3, 2, 4, 5)]


@program("layer/conv2d", CHANNELS, "weights f32 o c 3 3", "bias f32 o", "image f32 c h+2 w+2")
def conv2d(o, c, h, w, weights, bias, image):
    return np.maximum(convolved(weights, image) + bias[:, None, None], 0)


@program(
    "layer/conv2d_nhwc",
    [(1, 1, 1, 1, 1), (0, 1, 2, 1, 3), (1, 2, 1, 0, 2), (2, 3, 4, 2, 3)],
    "weights f32 3 3 c o",
    "bias f32 o",
    "images f32 n h+2 w+2 c",
)
def conv2d_nhwc(n, h, w, c, o, weights, bias, images):
    swapped = weights.transpose(3, 2, 0, 1)
    result = np.zeros((n, h, w, o))
    for i in range(n):
        result[i] = np.maximum(convolved(swapped, images[i].transpose(2, 0, 1)).transpose(1, 2, 0) + bias, 0)
    return result


@program(
    "layer/conv2d_stride2",
    [(1, 1, 0, 0), (2, 0, 1, 2), (0, 2, 1, 1), (3, 2, 3, 4)],
    "weights f32 o c 3 3",
    "image f32 c 2*h+3 2*w+3",
)
def conv2d_stride2(o, c, h, w, weights, image):
    return convolved(weights, image, 2)


@program("layer/depthwise", [(1, 1, 1), (0, 2, 1), (2, 3, 1), (3, 4, 5)], "weights f32 c 3 3", "image f32 c h+2 w+2")
def depthwise(c, h, w, weights, image):
    return np.einsum("cij,cyxij->cyx", weights, windows(image, (3, 3), axis=(1, 2)))


PLANES = [(0, 1, 1), (1, 0, 2), (1, 1, 1), (2, 3, 1), (3, 4, 5)]


@program("layer/max_pool", PLANES, "image f32 c 2*h 2*w")
def max_pool(c, h, w, image):
    return image.reshape(c, h, 2, w, 2).transpose(0, 1, 3, 2, 4).reshape(c, h, w, 4).max(3)


@program("layer/mean_pool", [(0, 1, 1), (1, 1, 1), (2, 3, 1), (3, 4, 5)], "image f32 c h w")
def mean_pool(c, h, w, image):
    return image.mean((1, 2))


@program(
    "layer/mlp",
    [(0, 1, 1, 1), (1, 1, 1, 1), (2, 0, 3, 0), (2, 3, 0, 2), (3, 5, 7, 4)],
    "wa f32 k l",
    "a f32 l",
    "wb f32 l n",
    "b f32 n",
    "x f32 m k",
)
def mlp(m, k, l, n, wa, a, wb, b, x):
    return np.maximum(x @ wa + a, 0) @ wb + b


def powers(x):
    e = np.exp(x - x.max(-1, keepdims=True, initial=-1e30))
    return e / e.sum(-1, keepdims=True)


@program("layer/softmax", [(0, 1), (1, 0), (2, 3), (5, 8)], "x f32 m n+1 in -9 9")
def softmax(m, n, x):
    return powers(x)


@program("layer/layer_norm", [(0, 1), (1, 1), (2, 3), (5, 9)], "gamma f32 n", "beta f32 n", "x f32 m n", tolerance=1e-5)
def layer_norm(m, n, gamma, beta, x):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * gamma + beta


@program("layer/rms_norm", [(0, 1), (1, 1), (2, 3), (5, 9)], "gamma f32 n", "x f32 m n")
def rms_norm(m, n, gamma, x):
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * gamma


VECTORS = [(0,), (1,), (2,), (7,), (33,)]


@program("layer/gelu", VECTORS, "x f32 n in -5 5")
def gelu(n, x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@program("layer/silu_gate", VECTORS, "a f32 n in -8 8", "b f32 n")
def silu_gate(n, a, b):
    return a / (1 + np.exp(-a)) * b


@program(
    "layer/attention",
    [(0, 1, 1, 1), (1, 1, 1, 1), (2, 3, 1, 0), (3, 5, 4, 7)],
    "q f32 m d in -3 3",
    "k f32 n d in -3 3",
    "v f32 n e",
)
def attention(m, n, d, e, q, k, v):
    return powers(q @ k.T / np.sqrt(d)) @ v


@program(
    "layer/attention_causal",
    [(0, 1, 1), (1, 1, 1), (3, 2, 0), (6, 4, 7)],
    "q f32 n d in -3 3",
    "k f32 n d in -3 3",
    "v f32 n e",
)
def attention_causal(n, d, e, q, k, v):
    result = np.zeros((n, e))
    for i in range(n):
        result[i] = powers(q[i] @ k[: i + 1].T / np.sqrt(d)) @ v[: i + 1]
    return result


@program("layer/argmax", [(0, 1), (1, 0), (2, 3), (5, 8)], "x f32 m n+1")
def argmax(m, n, x):
    return x.argmax(1)


ROWS = [(0, 0), (0, 3), (1, 1), (3, 0), (2, 5), (7, 9)]


@program("layer/cumsum", ROWS, "x f32 m n")
def cumsum(m, n, x):
    return x.cumsum(1)


# Linear algebra


@program("vector_add", VECTORS, "xs f32 n", "ys f32 n")
def vector_add(n, xs, ys):
    return xs + ys


@program("dot", VECTORS, "xs f32 n", "ys f32 n")
def dot(n, xs, ys):
    return xs @ ys


@program("stencil", [(1,), (2,), (7,), (33,)], "xs f32 n+2")
def stencil(n, xs):
    return np.convolve(xs, [0.25, 0.5, 0.25], mode="valid")


@program("binomial", PIXELS, "image f32 h+2 w+2")
def binomial(h, w, image):
    return separable(image, np.array([1, 2, 1]) / 4)


PRODUCTS = [(0, 1, 1), (1, 1, 1), (2, 3, 0), (1, 5, 2), (3, 5, 7)]


@program("mm", PRODUCTS, "a f32 m k", "b f32 k n")
def mm(m, n, k, a, b):
    return a @ b


@program("f64/mm", PRODUCTS, "a f64 m k", "b f64 k n", tolerance=1e-14)
def mm_f64(m, n, k, a, b):
    return a @ b


@program("mm_bt", PRODUCTS, "a f32 m k", "b f32 n k")
def mm_bt(m, n, k, a, b):
    return a @ b.T


@program("gemm", PRODUCTS, "alpha f32", "beta f32", "a f32 m k", "b f32 k n", "c f32 m n")
def gemm(m, n, k, alpha, beta, a, b, c):
    return alpha * (a @ b) + beta * c


@program("mm_bias_relu", PRODUCTS, "a f32 m k", "b f32 k n", "bias f32 n")
def mm_bias_relu(m, n, k, a, b, bias):
    return np.maximum(a @ b + bias, 0)


@program("mm_row_max", PRODUCTS, "a f32 m k", "b f32 k n", "least f32")
def mm_row_max(m, n, k, a, b, least):
    return (a @ b).max(1, initial=least)


@program("batched_mm", [(0, 1, 1, 1), (1, 1, 1, 1), (2, 2, 3, 0), (3, 2, 4, 5)], "a f32 t m k", "b f32 t k n")
def batched_mm(t, m, n, k, a, b):
    return np.matmul(a, b)


@program("gemv", ROWS, "alpha f32", "beta f32", "a f32 m n", "x f32 n", "y f32 m")
def gemv(m, n, alpha, beta, a, x, y):
    return alpha * (a @ x) + beta * y


@program("linear/axpy", VECTORS, "a f32", "x f32 n", "y f32 n")
def axpy(n, a, x, y):
    return a * x + y


@program("linear/asum", VECTORS, "x f32 n")
def asum(n, x):
    return np.abs(x).sum()


@program("linear/nrm2", VECTORS, "x f32 n")
def nrm2(n, x):
    return np.linalg.norm(x)


@program("linear/gemv_transposed", ROWS, "a f32 m n", "x f32 m")
def gemv_transposed(m, n, a, x):
    return x @ a


@program("linear/ger", ROWS, "alpha f32", "x f32 m", "y f32 n", "a f32 m n")
def ger(m, n, alpha, x, y, a):
    return a + alpha * np.outer(x, y)


@program("linear/syrk", ROWS, "a f32 n k")
def syrk(n, k, a):
    return a @ a.T


@program("linear/trmv", VECTORS, "a f32 n n", "x f32 n")
def trmv(n, a, x):
    return np.tril(a) @ x


@program("linear/forward_substitution", VECTORS, "a f32 n n in 0.5 1", "b f32 n", tolerance=2e-5)
def forward_substitution(n, a, b):
    return np.linalg.solve(np.tril(a), b) if n else b


@program("linear/transposed", ROWS, "a f32 m n")
def transposed(m, n, a):
    return a.T


@program("linear/kronecker", [(0, 1, 1, 1), (1, 1, 1, 1), (2, 1, 0, 3), (2, 3, 4, 5)], "a f32 m n", "b f32 p q")
def kronecker(m, n, p, q, a, b):
    return np.kron(a, b)


@program("linear/mm_integers", PRODUCTS, "a i32 m k", "b i32 k n")
def mm_integers(m, n, k, a, b):
    return a @ b


@program("linear/mm_bytes", PRODUCTS, "a i8 m k", "b i8 n k")
def mm_bytes(m, n, k, a, b):
    return a @ b.T


@program("linear/mm_complex", PRODUCTS, "ar f32 m k", "ai f32 m k", "br f32 k n", "bi f32 k n")
def mm_complex(m, n, k, ar, ai, br, bi):
    product = (ar + 1j * ai) @ (br + 1j * bi)
    return product.real, product.imag


@program(
    "linear/ell", [(0, 1, 1), (1, 1, 1), (3, 2, 0), (5, 7, 3)], "columns idx:n m k", "values f32 m k", "x f32 n"
)
def ell(m, n, k, columns, values, x):
    dense = np.zeros((m, n))
    np.add.at(dense, (np.arange(m)[:, None], columns), values)
    return dense @ x


@program("linear/min_plus", PRODUCTS, "a f32 m k", "b f32 k n")
def min_plus(m, n, k, a, b):
    return (a[:, :, None] + b[None, :, :]).min(1, initial=np.float32(1e30))


# Others


@program("other/nbody", VECTORS, "x f32 n", "y f32 n", "z f32 n", "mass f32 n in 0 1", tolerance=2e-5)
def nbody(n, x, y, z, mass):
    p = np.stack([x, y, z], 1)
    d = p[None, :, :] - p[:, None, :]
    f = mass[None, :] / ((d * d).sum(2) + 0.01) ** 1.5
    a = (f[:, :, None] * d).sum(1)
    return a[:, 0], a[:, 1], a[:, 2]


def squares(a, b):
    return ((a[:, None, :] - b[None, :, :]) ** 2).sum(2)


@program("other/kmeans", [(0, 1, 1), (1, 0, 1), (5, 2, 0), (20, 3, 2)], "points f32 n d", "centres f32 k+1 d")
def kmeans(n, k, d, points, centres):
    owners = squares(points, centres).argmin(1)
    moved = centres.copy()
    for c in range(k + 1):
        if (owners == c).any():
            moved[c] = points[owners == c].mean(0)
    return moved


@program("other/nearest", [(0, 1, 1), (1, 0, 1), (3, 2, 0), (5, 9, 3)], "queries f32 m d", "points f32 n+1 d")
def nearest(m, n, d, queries, points):
    distances = squares(queries, points)
    return distances.min(1), distances.argmin(1)


@program(
    "other/black_scholes",
    VECTORS,
    "r f32 in 0.01 0.05",
    "v f32 in 0.1 0.4",
    "s f32 n in 0.5 2",
    "k f32 n in 0.5 2",
    "t f32 n in 0.25 2",
    tolerance=1e-5,
)
def black_scholes(n, r, v, s, k, t):
    from math import erf

    def normal(x):
        return np.array([(1 + erf(y / 2**0.5)) / 2 for y in x])

    d1 = (np.log(s / k) + (r + v * v / 2) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    later = k * np.exp(-r * t)
    return s * normal(d1) - later * normal(d2), later * normal(-d2) - s * normal(-d1)


@program("other/trajectories", [(0, 1), (1, 0), (1, 1), (2, 9), (7, 33)], "h f32 in 0 0.01", "points f32 n 3")
def trajectories(k, n, h, points):
    x, y, z = points.T
    for _ in range(k):
        x, y, z = x + h * 10 * (y - x), y + h * (x * (28 - z) - y), z + h * (x * y - 8 / 3 * z)
    return np.stack([x, y, z], 1)


@program("other/mandelbrot", [(0, 1, 1), (3, 0, 2), (1, 1, 1), (9, 5, 7)], "xs f32 w in -2 1", "ys f32 h in -1.2 1.2")
def mandelbrot(k, h, w, xs, ys):
    counts = np.zeros((h, w), dtype=np.int64)
    for y in range(h):
        for x in range(w):
            c, z = complex(xs[x], ys[y]), 0
            while counts[y, x] < k and abs(z) <= 2:
                z, counts[y, x] = z * z + c, counts[y, x] + 1
    return counts


@program("other/fir", [(0, 0), (1, 0), (0, 3), (6, 3), (9, 16)], "weights f32 k+1", "signal f32 n+k+1")
def fir(n, k, weights, signal):
    return np.correlate(signal, weights, mode="valid")


@program(
    "other/iir",
    ROWS,
    "b0 f32",
    "b1 f32",
    "b2 f32",
    "a1 f32 in -0.5 0.5",
    "a2 f32 in -0.4 0.4",
    "signals f32 m n",
)
def iir(m, n, b0, b1, b2, a1, a2, signals):
    # The difference equation, not its form with two states.
    x = np.pad(signals, ((0, 0), (2, 0)))
    y = np.zeros((m, n + 2))
    for i in range(2, n + 2):
        y[:, i] = b0 * x[:, i] + b1 * x[:, i - 1] + b2 * x[:, i - 2] - a1 * y[:, i - 1] - a2 * y[:, i - 2]
    return y[:, 2:]


@program("other/bitonic_sort", [(1, 0), (2, 1), (4, 3), (8, 6), (32, 15)], "xs f32 n")
def bitonic_sort(n, t, xs):
    return np.sort(xs)


@program("other/fft", [(1, 1), (2, 2), (3, 4), (5, 16)], "re f32 2*h", "im f32 2*h", tolerance=1e-5)
def fft(s, h, re, im):
    y = np.fft.fft(re + 1j * im)
    return y.real, y.imag


@program("other/histogram", [(0, 1), (1, 1), (7, 0), (50, 256), (33, 100)], "xs u8 n")
def histogram(n, b, xs):
    return np.bincount(xs, minlength=256)[:b]


@program("other/horner", [(0, 0), (1, 0), (3, 4), (9, 7)], "coefficients f32 k+1", "xs f32 n")
def horner(n, k, coefficients, xs):
    return np.polyval(coefficients, xs)


@program("other/variance", [(0, 1), (1, 1), (2, 3), (5, 9)], "x f32 m n")
def variance(m, n, x):
    return x.mean(1), x.var(1)


# Reductions


LISTS = [(0,), (1,), (2,), (7,), (33,)]


@program("reduction/sum", LISTS, "xs f32 n", tolerance=1e-4)
def list_sum(n, xs):
    return xs.sum()


@program("reduction/argmin", LISTS, "xs f32 n+1 in -1 1")
def argmin(n, xs):
    return xs.min(), xs.argmin()


@program("reduction/argmin_2d", [(0, 0), (0, 3), (1, 1), (3, 0), (2, 5), (7, 9)], "xs f32 m+1 n+1")
def argmin_2d(m, n, xs):
    i, j = np.unravel_index(xs.argmin(), xs.shape)
    return xs.min(), i, j


@program("reduction/extrema", LISTS, "xs f32 n+1")
def extrema(n, xs):
    return xs.min(), xs.max()


@program("reduction/moments", LISTS, "xs f32 n+1", tolerance=2e-5)
def moments(n, xs):
    return xs.mean(), xs.var()


@program("reduction/complex_product", VECTORS, "re f32 n", "im f32 n", tolerance=2e-5)
def complex_product(n, re, im):
    product = (re + 1j * im).prod()
    return product.real, product.imag


@program("reduction/fibonacci", VECTORS, *(f"{name} u32 n in 0 4294967295" for name in ("a", "b", "c", "d")))
def fibonacci(n, a, b, c, d):
    product = np.identity(2, dtype=object)
    for m in zip(*(x.tolist() for x in (a, b, c, d))):
        product = product.dot(np.array(m, dtype=object).reshape(2, 2)) % 2**32
    return tuple(int(x) for x in product.reshape(-1))


@program("reduction/segment_sum", VECTORS, "xs f32 n")
def segment_sum(n, xs):
    sums = np.concatenate([[0.0], xs.cumsum()])
    return (sums - np.minimum.accumulate(sums)).max()


@program("reduction/log_sum_exp", VECTORS, "xs f32 n+1 in -20 20", tolerance=2e-5)
def log_sum_exp(n, xs):
    return xs.max() + np.log(np.exp(xs - xs.max()).sum())


@program("reduction/softmax_sum", VECTORS, "xs f32 n+1 in -20 20", "vs f32 n+1", tolerance=2e-5)
def softmax_sum(n, xs, vs):
    weights = np.exp(xs - xs.max())
    return (weights * vs).sum() / weights.sum()


@program("reduction/prefix_sum", VECTORS, "xs f32 n")
def prefix_sum(n, xs):
    return xs.cumsum()


@program("reduction/running_max", VECTORS, "xs f32 n+1")
def running_max(n, xs):
    return np.maximum.accumulate(xs)


@program("reduction/recurrence", VECTORS, "a f32 n", "b f32 n")
def recurrence(n, a, b):
    y, all_y = 0.0, []
    for factor, summand in zip(a, b):
        y = factor * y + summand
        all_y.append(y)
    return np.array(all_y)


@program("reduction/count_if", LISTS, "limit f32", "xs f32 n")
def count_if(n, limit, xs):
    return (xs > limit).sum()


@program("reduction/byte_histogram", LISTS, "xs u8 n")
def byte_histogram(n, xs):
    return np.bincount(xs, minlength=256)


def main(args):
    write = "--write" in args
    names = [a for a in args if not a.startswith("--")] or sorted(PROGRAMS)
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in names:
        value = values(name)
        if not write:
            print(json.dumps({"program": name, **value}))
            continue
        path = os.path.join(folder, name + ".json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        cases = ",\n".join(json.dumps(c) for c in value["cases"])
        head = json.dumps({k: v for k, v in value.items() if k != "cases"})
        with open(path, "w") as file:
            file.write(f'{head[:-1]}, "cases": [\n{cases}\n]}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])
