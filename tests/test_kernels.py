#!/usr/bin/python3
"""Kernels in CUDA C and OpenCL C that are read: what they give, beside numpy; and files that
are refused, each with the place.

    tests/test_kernels.py [--count N] [--target cpu|fake|cuda]

The kernels are those of tests/kernels. Values are whole numbers, so every element must be
the same. The last line is `N passed, N failed`.
"""
import argparse
import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
import score as scores  # noqa: E402

score = scores.Score()
KERNELS = os.path.join(HERE, 'kernels')
F32, F64, I32 = np.float32, np.float64, np.int32


def regional_maxima(a):
    p = np.pad(a, 1, constant_values=-np.inf)
    h, w = a.shape
    around = np.max([p[1 + j:1 + j + h, 1 + i:1 + i + w] for j in (-1, 0, 1)
                     for i in (-1, 0, 1)], axis=0)
    return (around <= a).astype(F32)


def demosaic(a):
    out = a.copy()
    for y in range(1, a.shape[0] - 1):
        for x in range(1, a.shape[1] - 1):
            if (x + y) % 2 == 0:
                out[y, x] = (a[y, x - 1] + a[y, x + 1] + a[y - 1, x] + a[y + 1, x])/4
    return out


def convolved(a, k):
    h, w = a.shape[0] - k.shape[0] + 1, a.shape[1] - k.shape[1] + 1
    return sum(a[j:j + h, i:i + w]*k[j, i] for j in range(k.shape[0]) for i in range(k.shape[1]))


def hot(t, power):
    down, right = np.minimum(np.arange(6) + 1, 5), np.minimum(np.arange(7) + 1, 6)
    up, left = np.maximum(np.arange(6) - 1, 0), np.maximum(np.arange(7) - 1, 0)
    return t + F32(.5)*(power + (t[down] + t[up] - 2*t)*2 + (t[:, right] + t[:, left] - 2*t)*4 + 3 - t)


def path(wall, src):
    far = np.array([99], I32)
    around = [src, np.concatenate([far, src[:-1]]), np.concatenate([src[1:], far])]
    return np.min(around, axis=0) + wall


def weighed(a):
    out, w = np.zeros_like(a), np.array([[2, 5, -8], [-3, 6, -9], [4, 7, 1]], F32)
    out[1:-1, 1:-1] = sum(w[j, i]*a[j:j + 4, i:i + 5] for j in range(3) for i in range(3))
    return out


def boxed(a):
    rows, columns = np.arange(a.shape[0]), np.arange(a.shape[1])
    at = [(np.clip(rows + j, 0, rows[-1]), np.clip(columns + i, 0, columns[-1]))
          for j in (-1, 0, 1) for i in (-1, 0, 1)]
    return sum(a[np.ix_(j, i)] for j, i in at)/F32(9)


def chosen(x, k):
    w = x.reshape(-1, 3).copy()
    for j in (0, 1):
        w[:, j], w[:, j + 1] = w[:, j:j + 2].min(axis=1), w[:, j:j + 2].max(axis=1)
    return w[np.arange(len(k)), k]


def tiles(r):
    """Tiles of what is read anyway, in shared memory."""
    def array(*shape, dtype=F32, low=-9, high=10):
        return r.integers(low, high, shape).astype(dtype)

    a, b, rect, line = array(32, 32), array(32, 32), array(32, 16), array(28, dtype=I32)
    small, eight, other = array(4, 8), array(8, 8), array(8, 8)
    x = array(150)
    sums = np.array([x[:64].sum(), x[64:128].sum(), x[128:].sum()], F32)
    most = np.array([x[:64].max(), x[64:128].max(), max(x[128:].max(), -99)], F32)
    beside = np.pad(small, ((0, 0), (1, 1)))
    return [('tiles.cu', *case) for case in [
        ('matmul_tiled', [a, b, 32], [a @ b]), ('mmul', [eight, other, 8], [eight @ other]),
        ('transpose_tiled', [a, 32, 32], [a.T]), ('transpose_tiled', [rect, 16, 32], [rect.T]),
        ('stencil_1d', [line, np.zeros(24, I32), 24],
         [np.array([line[i:i + 5].sum() for i in range(24)], I32)]),
        ('reduce0', [x, np.zeros(3, F32), 150], [sums]), ('most', [x, np.zeros(3, F32), 150], [most]),
        ('tiled_blur', [small, 8, 4], [beside[:, :-2] + small + beside[:, 2:]])]]


def written(r):
    """Kernels as they stand in samples and benchmarks."""
    def array(*shape, dtype=F32, low=-9, high=10):
        return r.integers(low, high, shape).astype(dtype)

    x, y, k = array(12), array(12), array(12, dtype=I32, low=0, high=3)
    a, b, t, wall = array(6, 7), array(6, 7), array(6, 7), array(3, 8, dtype=I32)
    up, down = np.vstack([t[:1], t[:-1]]) - t, np.vstack([t[1:], t[-1:]]) - t
    five, four, six, old = array(5, 7), array(4, 6), array(6, 5), array(4, 5)
    src, seven, sides = array(8, dtype=I32), array(7), array(5, 4)
    rgb, points = array(60, dtype=I32, low=0, high=50), array(12)
    turned = points.reshape(4, 3) @ np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], F32).T
    small = np.array([1, 2, 3, 4, 7, 8, 9, 16, 31], F32)
    quarters = np.where(x < 0, (4 - x)/4, np.where(x > 8, 8, (x + 4)/4)) + F32(.5)
    grey = np.trunc(rgb.reshape(4, 5, 3) @ np.array([.25, .5, .25])).astype(np.uint8)
    bits = np.array([0, 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1, 3000000000, 7, 12345], np.uint32)
    hashed = bits*np.uint32(2654435761)
    hashed = (hashed ^ (hashed >> np.uint32(16)))*np.uint32(1664525) + np.uint32(1013904223)
    bytes_ = np.array([-128, -1, 5, 127], np.int8)
    words = np.array([300, 65535, 0, 128], np.uint16)
    all_bytes = np.array([255, 0, 3, 255, 254, 1, 127, 128, 255], np.uint8)
    x256 = array(256)
    packed = ((bytes_.astype(int) << 8) | (words & 255)).astype(np.int16)
    return [('written.cu', *case) for case in [
        ('saxpy', [12, 2, x, y], [2*x + y]), ('hotspot', [a, b, 6, 7, 0.5, 4, 2, 1, 3], [hot(a, b)]),
        ('pathfinder', [wall, src, 8, 1], [path(wall[1], src)]),
        ('srad', [t], [up, down, up*up + down*down]), ('atax_kernel1', [five, seven], [five @ seven]),
        ('gemm_kernel', [four, six, old], [3*old + 2*(four @ six)]),
        ('Convolution2D_kernel', [a, np.zeros((6, 7), F32)], [weighed(a)]),
        ('local_array', [sides, 5], [sides.max(axis=1) + sides[:, 3]]), ('rotate', [points, 4], [turned]),
        ('pick', [k, x, 12], [np.where(k == 0, x, np.where(k == 1, -x, F32(0)))]),
        ('scale', [x, 3, 12], [3*x]), ('scale', [x.astype(F64), 3, 12], [3*x.astype(F64)]),
        ('hashed', [bits, 8], [hashed // 3 + hashed % 7]),
        ('hashed', [bits.astype(I32), 8], [hashed // 3 + hashed % 7]),
        ('above', [bits, 8], [(bits > 2 ** 31).astype(I32)]),
        ('packed', [bytes_, words, 4], [packed]),
        ('brighter', [bits.astype(np.uint8), 100, 8],
         [np.minimum(bits.astype(np.uint8).astype(int) + 100, 255).astype(np.uint8)]),
        ('tallied', [all_bytes, 9, np.zeros(256, np.uint32)],
         [np.bincount(all_bytes, minlength=256).astype(np.uint32)]),
        ('table_of_bytes', [bytes_, x256, 4], [x256[bytes_.astype(int) + 128]]),
        ('rgb2gray', [rgb, 5, 4], [grey]), ('box', [a, 7, 6], [boxed(a)]),
        ('collatz', [small, 9], [np.array([1, 1, 2, 2, 3, 3, 4, 4, 5], I32)]),
        ('quarters', [x], [quarters.astype(F32)]), ('strided', [x, 12], [2*x]),
        ('chosen', [x, k[:4]], [chosen(x, k[:4])])]]


def warps(r):
    """Sums over the lanes of a warp."""
    x, zero = r.integers(-9, 10, 150).astype(F32), np.zeros(1, F32)
    k, rows = x.astype(I32), r.integers(-9, 10, (4, 50)).astype(F32)
    return [('warps.cu', *case) for case in [
        ('strided', [x, zero, 150], [zero + x.sum()]), ('by_blocks', [x, zero, 150], [zero + x.sum()]),
        ('called', [x, zero + 5, 150], [zero + 5 + x.sum()]),
        ('written_out', [k, np.zeros(1, I32), 150], [k.sum(keepdims=True).astype(I32)]),
        ('largest', [k, np.array([-99], I32), 150], [k.max(keepdims=True)]),
        ('row_sums', [rows, np.zeros(4, F32), 50], [rows.sum(axis=1)])]]


def near(value, size=1):
    """Where a library's functions are in it: what single precision leaves of it, and of what it is
    the difference of, numbers up to 6*size."""
    return ('near', value, 2e-6*size)


def black_scholes(s, x, t, r, v):
    def cnd(d):
        k = 1/(1 + .2316419*np.abs(d))
        a = [.31938153, -.356563782, 1.781477937, -1.821255978, 1.330274429]
        c = np.exp(-d*d/2)/np.sqrt(2*np.pi)*sum(w*k**(n + 1) for n, w in enumerate(a))
        return np.where(d > 0, 1 - c, c)

    d1 = (np.log(s/x) + (r + v*v/2)*t)/(v*np.sqrt(t))
    d2 = d1 - v*np.sqrt(t)
    call = s*cnd(d1) - x*np.exp(-r*t)*cnd(d2)
    return [near(call, 8), near(call + x*np.exp(-r*t) - s, 8)]


def mandelbrot(w, h, x0, y0, step, most):
    out = np.zeros((h, w), I32)
    for y in range(h):
        for x in range(w):
            c, z = complex(x0 + x*step, y0 + y*step), 0
            while out[y, x] < most and abs(z)**2 < 4:
                z, out[y, x] = z*z + c, out[y, x] + 1
    return out


def edges(a, f):
    """f of the inner elements' neighbours, 0 at the border."""
    out = np.zeros_like(a)
    out[1:-1, 1:-1] = f(lambda j, i: a[1 + j:a.shape[0] - 1 + j, 1 + i:a.shape[1] - 1 + i])
    return out


def users(r):
    """Kernels as users have them."""
    def array(*shape, dtype=F32, low=-9, high=10):
        return r.integers(low, high, shape).astype(dtype)

    x, y, k = array(12), array(12), array(12, dtype=I32, low=0, high=5)
    a, b, c = array(6, 7), array(7, 5), array(6, 5)
    line, mask, life = array(512 + 6, dtype=I32), array(5), array(6, 7, dtype=I32, low=0, high=2)
    i32, rgb, cube = array(512, dtype=I32), array(5, 4, 3), array(4, 5, 6)
    whole = array(12, dtype=I32, low=1, high=40)
    big, wide, x16 = array(64, 64), array(32, 48), array(64)
    gauss = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], F32)
    blocks = x[:9].reshape(3, 3)
    points, centres = array(9, 3), array(4, 3)
    distances = ((points[:, None] - centres[None])**2).sum(2)
    order = r.permutation(12).astype(I32)
    ptr, col = np.array([0, 2, 2, 5, 7], I32), array(7, dtype=I32, low=0, high=12)
    wrapped = sum(np.roll(life, (j, i), (0, 1)) for j in (-1, 0, 1) for i in (-1, 0, 1)) - life
    stock, strike, years = (array(8, low=20, high=40), array(8, low=20, high=40),
                            array(8, low=1, high=5))
    at = [np.clip(np.arange(n) + d, 0, n - 1) for n in (6, 7) for d in (-1, 1)]
    clamped = sum(s*w*a[np.clip(np.arange(6) + j, 0, 5)][:, at[2 + (s > 0)]]
                  for s in (-1, 1) for j, w in ((-1, 1), (0, 2), (1, 1)))
    inner = sum(cube[1 + i:3 + i, 1 + j:4 + j, 1 + l:5 + l] for i, j, l in
                ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)))
    heat = np.zeros_like(cube)
    heat[1:-1, 1:-1, 1:-1] = inner - 6*cube[1:-1, 1:-1, 1:-1]
    padded = np.pad(x, 2)
    step = x.copy()
    for i in range(8):
        if i ^ 2 > i and ((i & 4 == 0) == (step[i] > step[i ^ 2])) and step[i] != step[i ^ 2]:
            step[i], step[i ^ 2] = step[i ^ 2], step[i]
    window = np.pad(a, 1, constant_values=np.nan)
    beside = np.array([window[1 + j:7 + j, 1 + i:8 + i] for j in (-1, 0, 1) for i in (-1, 0, 1)])
    alike = (beside - a)**2 < 40
    filtered = np.where(alike, beside, 0).sum(0)/alike.sum(0)
    two = array(4, 4)
    even = two - two.mean(1, keepdims=True)
    normal = even/np.sqrt((even**2).mean(1, keepdims=True) + 1e-5)
    shares = np.exp(a.astype(F64) - a.max(1, keepdims=True))
    square, other, t5, y5, x5 = array(5, 5), array(5, 5), array(5), array(5), array(5)
    square[1, 1] = 2
    laplace = np.zeros_like(a)
    laplace[1:-1, 1:-1] = (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1] - 4*a[1:-1, 1:-1])/2
    fan = np.zeros_like(square)
    fan[2:, 1] = square[2:, 1]/square[1, 1]
    summed = 2*(t5 + square @ x5) + 3*(y5 + other @ x5)
    return [('users.cu', *case) for case in [
        ('named_places', [x], [2*x]), ('large_strides', [x], [3*x]),
        ('large_places', [a, np.zeros_like(a), 7, 6, 2], [laplace]),
        ('gesummv_kernel', [5, 2, 3, square, other, t5, x5, y5], [t5 + square @ x5, summed]),
        ('mvt_kernel2', [5, square, x5, y5], [x5 + square.T @ y5]),
        ('syrk_kernel', [6, 7, 2, 3, a, array(6, 6)*0], [2*a @ a.T]),
        ('Fan1', [square*0, square, 5, 1], [fan]),
        ('saxpy', [12, 2, x, y], [2*x + y]), ('vectorAdd', [x, y, np.zeros(12, F32), 12], [x + y]),
        ('reduce3', [big.reshape(-1), np.zeros(8, F32), 4096],
         [big.reshape(8, 512).sum(1).astype(F32)]),
        ('transposeTile', [wide, 48, 32], [wide.T]),
        ('stencil_1d', [line, np.zeros(512, I32)],
         [np.array([line[i:i + 7].sum() for i in range(512)], I32)]),
        ('histogram', [k, np.ones(5, I32), 12], [1 + np.bincount(k, minlength=5).astype(I32)]),
        ('softmax_rows', [a, np.zeros((6, 7), F32), 6, 7], [near(shares/shares.sum(1, keepdims=True))]),
        ('layernorm', [two, np.arange(1, 5, dtype=F32), np.ones(4, F32), 4, 4],
         [near(normal*np.arange(1, 5) + 1)]),
        ('scan_serial', [a, 6, 7], [np.cumsum(a, 1)]),
        ('matrixMultiply', [a, b, 6, 7, 5], [a @ b]), ('matmul_tiled', [a, b, 6, 5, 7], [a @ b]),
        ('convolution_1D_basic', [x, np.zeros(12, F32), 12, mask],
         [np.array([padded[i:i + 5] @ mask for i in range(12)], F32)]),
        ('gauss3', [16*a, np.zeros((6, 7), F32), 7, 6],
         [edges(16*a, lambda n: sum(gauss[j + 1, i + 1]*n(j, i) for j in (-1, 0, 1)
                                    for i in (-1, 0, 1))/16)]),
        ('rgb2gray', [rgb, 4, 5], [rgb @ np.array([2, 7, 1], F32)]),
        ('jacobi', [4*a, np.zeros((6, 7), F32), np.zeros((6, 7), F32), 7, 6],
         [edges(4*a, lambda n: (n(0, -1) + n(0, 1) + n(-1, 0) + n(1, 0))/4)]),
        ('gather', [x, order, 12], [x[order]]),
        ('scatter', [x, order, np.zeros(12, F32), 12], [np.array([x[order == i][0] for i in range(12)])]),
        ('spmv_csr_scalar_kernel', [4, ptr, col, y[:7], x, np.ones(4, F32)],
         [np.array([1 + (y[p:q]*x[col[p:q]]).sum() for p, q in zip(ptr, ptr[1:])], F32)]),
        ('sobel', [a, np.zeros((6, 7), F32), 7, 6],
         [near(edges(a, lambda n: np.sqrt(
             (n(-1, 1) + 2*n(0, 1) + n(1, 1) - n(-1, -1) - 2*n(0, -1) - n(1, -1))**2 +
             (n(-1, -1) + 2*n(-1, 0) + n(-1, 1) - n(1, -1) - 2*n(1, 0) - n(1, 1))**2)))]),
        ('sobel_table', [a, 7, 6], [clamped]), ('bilateral', [a, 7, 6, 1, 40], [near(filtered)]),
        ('kmeans_assign', [points, centres, 9, 4, 3], [distances.argmin(1).astype(I32)]),
        ('relu', [x, 12], [np.maximum(x, 0)]),
        ('game_of_life', [life, 7, 6], [((wrapped == 3) | ((wrapped == 2) & (life == 1))).astype(I32)]),
        ('softmax_block', [a, np.zeros((6, 7), F32), 7],
         [near(shares/shares.sum(1, keepdims=True))]),
        ('rms_rows', [8*two, np.zeros((4, 4), F32), np.zeros(4, F32), 4],
         [8*two - 8*two.min(1, keepdims=True) + 8*two.mean(1, keepdims=True), 8*two.mean(1)]),
        ('reduce0 block=16', [i32, np.zeros(32, I32)], [i32.reshape(32, 16).sum(1).astype(I32)]),
        ('reduce1 block=64', [i32, np.zeros(8, I32)], [i32.reshape(8, 64).sum(1).astype(I32)]),
        ('matrixMulCUDA', [np.zeros((64, 64), F32), big, big.T.copy(), 64, 64], [big @ big.T]),
        ('counts', [k, np.ones(5, I32), 12], [1 + np.bincount(k, minlength=5).astype(I32)]),
        ('histo_kernel', [k, 12, np.ones(256, I32)],
         [1 + np.bincount(k, minlength=256).astype(np.uint32)]),
        ('transposeCoalesced', [np.zeros((64, 64), F32), big], [big.T]),
        ('is_prime', [np.arange(30, dtype=I32), 30],
         [np.array([n > 1 and all(n % d for d in range(2, n)) for n in range(30)], I32)]),
        ('gcds', [whole, np.abs(k) + 1, 12],
         [np.gcd(whole, k + 1), np.array([int(n).bit_length() for n in whole], I32)]),
        ('mandelbrot', [9, 8, -2, -1, 0.25, 20], [mandelbrot(9, 8, -2, -1, .25, 20)]),
        ('BlackScholesGPU', [stock, strike, years, 0.02, 0.3, 8],
         black_scholes(stock.astype(F64), strike, years, .02, .3)),
        ('row_means', [4*a[:, :4], 6, 4],
         [4*a[:, :4].mean(1) + 4*a[:, 1] + 4*a[:, 2]]),
        ('ordered', [x, y, 12], [np.minimum(x, y), np.maximum(x, y)]),
        ('heat3d', [cube, np.zeros_like(cube), 6, 5, 4], [heat]),
        ]] + [('users.cl', *case) for case in [
        ('vadd', [x, y, 12], [x + y]),
        ('reduce block=16', [x16, 64, np.zeros(4, F32)], [x16.reshape(4, 16).min(1)]),
        ('myGEMM2', [64, 64, 64, big, big.T.copy()], [(big.T @ big).T]),
        ('weigh', [x, np.zeros(12, F32), 12],
         [np.concatenate([[0], x[:-2] + 2*x[1:-1] + 3*x[2:], [0]]).astype(F32)])]]


def vectors(r):
    """Several numbers at once: float4 and its like; and what C has for bits."""
    def array(*shape, dtype=F32, low=-9, high=10):
        return r.integers(low, high, shape).astype(dtype)

    x, y, line, three, rows = array(5, 4), array(5, 4), array(24), array(4, 3), array(3, 8)
    points, pixels = array(6, 4), array(3, 5, 4, dtype=np.uint8, low=0, high=255)
    bits = np.array([0, 1, 2 ** 31, 2 ** 32 - 1, 3000000000, 12345], np.uint32)
    whole = array(20, dtype=I32)
    a = (bits ^ np.uint32(61)) ^ (bits >> np.uint32(16))
    a = a + (a << np.uint32(3))
    a = (a ^ (a >> np.uint32(4)))*np.uint32(0x27d4eb2d)
    a = ((a ^ (a >> np.uint32(15))) & np.uint32(0xfffffffc) | np.uint32(1)) << np.uint32(1)
    a = (a >> np.uint32(2)) % np.uint32(1000003)
    pull = np.array([((points[:, :3] - p[:3])*points[:, 3:]).sum(0) for p in points])
    mixed = (3*x + y + np.array([1, 2, 3, 4]))*(1 + np.arange(5) % 2)[:, None]
    couples = np.where(line[:-1, None] > 0, np.stack([line[:-1], np.ones(23)], 1),
                       np.stack([line[:-1], line[1:]], 1))
    four = line.reshape(6, 4)
    return [('vectors.cu', *case) for case in [
        ('axpy4', [x, y, 2], [2*x + y]), ('axpy4', [x, y, 2, 3], [2*x[:3] + y[:3]]),
        ('turn4', [line], [four[:, ::-1].reshape(-1)]), ('norms', [three], [(three*three).sum(1)]),
        ('rowsum4', [rows], [rows.sum(1)]), ('copy_vector4', [whole], [whole]),
        ('pairs', [line, 23], [couples.astype(F32)]),
        ('bodies', [points], [np.concatenate([pull, (points*points).sum(1)[:, None]], 1)]),
        ('loads', [x], [x*np.array([1, 1, 2, 1], F32) + np.outer(x[:, 0], [0, 0, 0, 1]).astype(F32)]),
        ('grey4', [pixels.reshape(15, 4), 5, 3],
         [(pixels.astype(int) @ [1, 2, 1, 0] >> 2).astype(np.uint8)]),
        ('wang', [bits, 6], [a]), ('flip', [whole, 20], [~whole ^ 5])]] + [
            ('vectors.cl', 'mad4', [x, y, 3], [mixed.astype(F32)]),
            ('vectors.cl', 'halves', [line, np.zeros(12, F32), np.zeros(6, F32)],
             [np.stack([four[:, 0] + four[:, 2], 2*four[:, 3]], 1).reshape(-1), (four*four).sum(1)])]


def cases(r):
    """(file, kernel, arguments, results)"""
    n, m, w = (int(r.integers(2, 9)) for _ in range(3))

    def array(*shape, dtype=F32, low=-9, high=10):
        return r.integers(low, high, shape).astype(dtype)

    a, b, x, y = array(n, m), array(m, w), array(n), array(m)
    a64, k = array(n, m, dtype=F64), array(12, dtype=I32)
    image, window = array(n + 3, m + 2), array(int(r.integers(1, 4)), int(r.integers(1, 3)))
    low = np.tril(array(n, n))
    np.fill_diagonal(low, r.choice([1, 2, 4], n))
    solution = array(n, w)
    right = (low @ solution).astype(F32)
    cube, square = array(n, m, w), array(4, 4)
    layer = np.arange(n, dtype=F32).reshape(-1, 1, 1)
    cu, cl = 'naive.cu', 'dialect.cl'
    return [
        ('mv.cu', 'mv_naive', [a, y], [a @ y]),
        ('mv.cu', 'mv_naive', [a, y, m], [a @ y]),
        ('mv.cu', 'mv_naive', [a, y, np.zeros(n, F32), m], [a @ y]),
        ('mv.cu', 'mv_naive', [a64, y.astype(F64)], [a64 @ y]),
        (cu, 'tmv', [a, x], [a.T @ x]),
        (cu, 'mm', [a, b], [a @ b]),
        (cu, 'mm', [a, b, m, w], [a @ b]),
        (cu, 'vv', [x, x], [x*x]),
        (cu, 'rd', [x, np.zeros(1, F32), n], [x.sum(keepdims=True)]),
        (cu, 'dot', [x, x], [(x*x).sum(keepdims=True)]),
        (cu, 'crd', [x, 2*x], [x.sum(keepdims=True), 2*x.sum(keepdims=True)]),
        (cu, 'tp', [a], [a.T]),
        (cu, 'tp', [a64], [a64.T]),
        (cu, 'conv', [image, window], [convolved(image, window)]),
        (cu, 'imregionmax', [image], [regional_maxima(image)]),
        (cu, 'demosaic', [4*image], [demosaic(4*image)]),
        (cu, 'strsm', [low, right], [solution]),
        (cu, 'half_of', [2*x], [x]),
        (cu, 'half_of', [2*x, n - 1], [x[:-1]]),
        (cu, 'prefix', [x], [np.cumsum(x)]),
        (cu, 'rows', [array(n, 5)], None),
        (cu, 'count', [k, 3], None),
        (cu, 'cube', [cube, w, m, n], [2*cube + layer]),
        (cu, 'cube', [cube], [2*cube + layer]),
        (cu, 'stride', [x], [np.where(x > 0, 2*x*x + 1, np.float32(1))]),
        (cu, 'mirrored', [image, m + 2, n + 3], [sum(image[:, np.abs(np.arange(image.shape[1]) + k)]
                                       for k in (-1, 0))]),
        (cu, 'remains', [k, k % 3 + 4], [np.fmod(np.fmod(k, k % 3 + 4), 3)]),
        (cl, 'scale', [x, 2.5], [2.5*x]),
        (cl, 'tile', [square], [(square*(np.arange(4, dtype=F32) + 1)[:, None]).T]),
        (cl, 'axpy', [3, x, x], [4*x]),
        (cl, 'axpy', [n - 1, 3, x, x], [np.append(4*x[:-1], x[-1])]),
        (cl, 'clip', [k], [np.where(k < 0, -k, np.where(k > 9, 9, k//2 + k % 3))]),
        (cl, 'shift', [x], [np.append(F32(0), x[:-1])]),
        (cl, 'evens', [x, np.zeros(5, F32), n], [np.array(
            [max([0] + [x[j]*(i & 1) + (i >> 1) for j in range(n - 1, -1, -2)]) for i in range(5)],
            F32)]),
        ('atomic.cu', 'hist', [k % 5, np.zeros(5, I32)],
         [np.bincount(k % 5, minlength=5).astype(I32)]),
        ('atomic.cu', 'least', [k[:n] % 3, x, np.full(3, 4, F32)],
         [np.array([min([4] + list(x[k[:n] % 3 == i])) for i in range(3)], F32)]),
        ('atomic.cu', 'total', [x, np.ones(1, F32)], [x.sum(keepdims=True) + 1]),
        (cl, 'hist', [k % 5, np.zeros(5, I32)], [np.bincount(k % 5, minlength=5).astype(I32)]),
        *written(r), *tiles(r), *users(r), *vectors(r), *warps(r)]


def expected(name, args, results):
    if name == 'rows':
        return [args[0].max(axis=1)]
    if name == 'count':
        return [np.array([(args[0] < 3).sum()], I32), np.array([(args[0] >= 3).sum()], I32)]
    return results


def check_case(run, seed, case):
    file, name, args, results = case
    folder = scores.folder('kernels')
    results = expected(name, args, results)
    name, _, how = name.partition(' ')
    text, given = [f'f = :kernel "{os.path.join(KERNELS, file)}", "{name}" {how}'], []
    for k, v in enumerate(args):
        if isinstance(v, np.ndarray):
            np.save(os.path.join(folder, f'a{k}.npy'), v)
            text.append(f'a{k} = load("a{k}.npy");')
        given.append(f'a{k}' if isinstance(v, np.ndarray) else str(v))
    outs = [f'r{k}' for k in range(len(results))]
    text.append(f'{", ".join(outs)} = f({", ".join(given)});')
    text += [f'save("{o}.npy", {o});' for o in outs]
    done = run('\n'.join(text) + '\n', folder)
    if not score.check(done.returncode == 0, (seed, name, args, done.stderr)):
        return
    for out, value in zip(outs, results):
        got = np.load(os.path.join(folder, out + '.npy'))
        if isinstance(value, tuple):
            good = got.shape == value[1].shape and np.allclose(got, value[1], 2e-6, value[2])
        else:
            good = got.shape == value.shape and got.dtype == value.dtype and (got == value).all()
        score.check(good, (seed, name, args, got, value))


def check_plans():
    """Flat subscripts whose row or column is computed are views: no list of places."""
    folder = scores.folder('kernels')
    for call in ('box(A, 7, 6)', 'hotspot(A, A, 6, 7, 0.5, 2, 4, 1, 3)'):
        text = (f'A = rand(6, 7); A[1, 1] = 0;\n:kernel {KERNELS}/written.cu\nr = {call};\n'
                ':dump graph\n')
        done = fakegpu.run_script(text, 'cpu', folder)
        score.check('loose' in done.stdout and 'lib gather' not in done.stdout, (call, done.stdout))


def check_values(run, count):
    for seed in range(count):
        for case in cases(np.random.default_rng(seed)):
            check_case(run, seed, case)


HEAD = '__global__ void f(float *A, const float *x, float *y, int n) {\n'
TILE = HEAD + '  __shared__ float s[16];\n'
# What stands in a kernel, its line and column, and what is said of it.
G = HEAD + '  y[idx] = g(x[idx]);\n}\n'
REFUSED = {
    'a barrier': (HEAD + '  y[idx] = x[idx];\n  __syncthreads();\n}', '3:3', 'wait for each other'),
    'shared memory of any size': (HEAD + '  __shared__ float s[n];\n}', '2:20', 'share has a constant size'),
    'shared memory from outside': ('__kernel void f(__local float *s) { s[0] = 1; }', '1:17',
                                   'block=256 says how many'),
    'shared memory of a launch': (HEAD + '  extern __shared__ float s[];\n  s[idx] = 1;\n}', '2:27',
                                  'block=256 says how many'),
    'one shared number': (HEAD + '  __shared__ float s;\n}', '2:20', 'one number that threads share'),
    'a tile read too early': (TILE + 's[threadIdx.x] = x[idx]; y[idx] = s[threadIdx.x]; }', '3:35', 'threads have waited'),
    'a tile that nobody fills': (TILE + 'y[idx] = s[threadIdx.x]; }', '3:10', 'nobody has filled'),
    'a tile filled too early': (TILE + 'for (int t = 0; t < n; t++) { s[threadIdx.x] = x[t]; __syncthreads();\n'
                                'y[idx] = s[0]; } }', '3:1', 'before threads have waited'),
    'a tile at a computed place': (TILE + 's[(int)x[idx]] = 1; __syncthreads(); y[idx] = s[threadIdx.x]; }', '3:3',
                                   'a sum of threads and numbers'),
    'a tile at one place': (TILE + 's[0] = x[idx]; __syncthreads(); y[idx] = s[0]; }', '3:10',
                            'several threads put to one place'),
    'a name that changes in a tile': (TILE + 'float t = 1; t = t + x[idx]; s[threadIdx.x] = t; __syncthreads();\n'
                                      'y[idx] = s[threadIdx.x]; }', '3:47', 'a name that changes'),
    'a sum in shared memory': (TILE + 's[threadIdx.x] = x[idx]; __syncthreads(); s[threadIdx.x] += s[0]; }', '3:43',
                               'computed in shared memory'),
    'another tree': (TILE + 's[threadIdx.x] = x[idx]; __syncthreads(); for (int k = 8; k > 0; k >>= 1) '
                     '{ if (threadIdx.x < k) s[threadIdx.x] = 1; __syncthreads(); } }', '3:43', 'is halved'),
    'waiting under a condition': (TILE + 'if (idx < n) { s[threadIdx.x] = x[idx]; __syncthreads(); } }', '3:41',
                                  'wait under a condition'),
    'a place in the block alone': (TILE + 's[threadIdx.x] = x[idx]; __syncthreads(); y[idx] = s[threadIdx.x]*threadIdx.x; }',
                                   '3:5', 'by its place in its block alone'),
    'an array of its own of any size': (HEAD + '  float s[n];\n}', '2:9', 'a constant size'),
    'a large array of its own': (HEAD + '  float s[20][20];\n}', '2:9', 'up to 256 elements'),
    'an array of its own as a whole': (HEAD + '  float s[2];\n  y[idx] = s;\n}', '3:12', 'by elements'),
    'too many values': (HEAD + '  float s[2] = {1, 2, 3};\n}', '2:23', 'more values than elements'),
    'a do that is left': (HEAD + '  do { break; } while (n);\n}', '2:3', 'left within'),
    'a do without an end': (HEAD + '  do y[idx] = 1;\n}', '3:1', 'expected `while`'),
    'goto': (HEAD + '  goto end;\n}', '2:3', '`goto` is not read'),
    'a case that goes on': (HEAD + '  switch (n) { case 1: y[idx] = 1; case 2: y[idx] = 2; }\n}', '2:36',
                            'goes on into the next one'),
    'a default that stands first': (HEAD + '  switch (n) { default: y[idx] = 1; break; case 2: ; }\n}',
                                    '2:16', 'stands last'),
    'no case': (HEAD + '  switch (n) { y[idx] = 1; }\n}', '2:16', 'expected `case`'),
    'a call': (HEAD + '  g(x);\n}', '2:3', 'the call of `g` as a statement'),
    'an unknown function': (HEAD + '  y[idx] = g(x[idx]);\n}', '2:12', '`g` is no function'),
    'an unknown name': (HEAD + '  y[idx] = z;\n}', '2:12', 'nothing in the kernel is called `z`'),
    'a counter that is changed': (HEAD + '  for (int i = 0; i < n; i++) { i = 3; y[i] = 1; }\n}',
                                  '2:33', 'a counter is changed by the head'),
    'a counter behind its loop': (HEAD + '  int i;\n  for (i = 0; i < n; i++) y[i] = 1;\n'
                                  '  y[i] = idx;\n}', '4:5', 'what the counter `i` is behind'),
    'a loop that goes on in another way': (
        HEAD + '  for (int i = 1; i*i < n; i++) { if (i == 2) continue; y[idx] = i; }\n}', '2:3',
        'is read in loops of a counter'),
    'a loop with no step that is read': (HEAD + '  for (int i = 1; i < n; i == 2) y[idx] = i;\n}',
                                         '2:28', 'expected an assignment'),
    'a return in a loop': (HEAD + '  for (int i = 0; i < n; i++) return;\n  y[idx] = 1;\n}', '2:31',
                           'a `return` within a loop'),
    'an assignment inside': (HEAD + '  y[idx] = n = 3;\n}', '2:14', 'a statement of its own'),
    'a pointer': (HEAD + '  float *p;\n}', '2:10', 'a pointer is a parameter, or begins'),
    'a pointer that moves': (HEAD + '  float *p = A;\n  p++;\n}', '3:3', 'a pointer stays where'),
    'a sum of strides': (HEAD + '  float s = 0;\n  for (int i = idx; i < n; i += '
                         'blockDim.x*gridDim.x) s += x[i];\n  y[idx] = s;\n}', '4:12',
                         'gathered in its strides'),
    'an array as a whole': (HEAD + '  y[idx] = x;\n}', '2:12', 'by elements'),
    'two subscripts of a pointer': (HEAD + '  y[idx] = A[idx][0];\n}', '2:12',
                                    '`A` has 1 subscript, not 2'),
    'bits': (HEAD + '  y[idx] = x[idx] | 3;\n}', '2:12', '`|` is of whole numbers'),
    'no semicolon': (HEAD + '  y[idx] = 1\n}', '3:1', 'expected `;`'),
    'no end': (HEAD + '  y[idx] = 1;\n', '2:14', 'expected `}`'),
    'no end of a comment': (HEAD + '  /* y\n}', '2:3', 'this comment has no end'),
    'no number': (HEAD + '  y[idx] = 1.5q;\n}', '2:12', 'no number of C'),
    'another character': (HEAD + '  y[idx] = 1 @ 2;\n}', '2:14', 'C has no use for'),
    'a device function that leaves a loop': (
        '__device__ float g(float x) { while (x > 1) if (x > 5) return 0; return x; }\n' + G,
        '1:56', 'gives its number at its end'),
    'a device function that gives nothing': (
        '__device__ float g(float x) { if (x > 1) return x; }\n' + G, '1:42', 'at its end'),
    'a device function of an array': ('__device__ float g(float *x) { return x[0]; }\n' + G, '3:14',
                                      'a pointer is a parameter'),
    'a device function that calls itself': (
        '__device__ float g(float x) { while (x > 1) x = x/2; return g(x); }\n' + G, '1:62',
        'call each other too often'),
    'a device function of others': ('__device__ float g(float x) { return x; }\n' + HEAD +
                                    '  y[idx] = g(1, 2);\n}', '3:12', '`g` has 1 parameter, not 2'),
    'a device function that grows': ('__device__ float g(float x) { return x*x; }\n' + HEAD +
                                     '  y[idx] = ' + 'g('*20 + 'x[idx]' + ')'*20 + ';\n}', '3:',
                                     'too long'),
    'an array outside': ('float w[3];\n' + HEAD + '  y[idx] = w[0];\n}\n', '1:7',
                         'what is outside of kernels'),
    'something else outside': ('5;\n' + G, '1:1', 'a file has kernels'),
    'a type of another kind': ('typedef struct { int a; } s;\n', '1:9', 'expected a type'),
    'a template of numbers': ('template <int N> __global__ void f(float *x) { x[idx] = N; }\n', '1:11',
                              'has types alone'),
    'a kernel that gives something': ('__global__ int f(int *x) { }', '1:12', 'expected `void`'),
    'a pointer to pointers': ('__global__ void f(float **x) { }', '1:27', 'name of a parameter'),
    'a vector type': ('__global__ void f(float4x4 *x) { }', '1:19', 'expected a type'),
    'a vector of one': ('__global__ void f(float4 x, float *y) { y[idx] = x.x; }', '1:26',
                        'a parameter is a number, or a pointer to vectors'),
    'a vector as a number': (HEAD + '  float4 v = {1, 2, 3, 4};\n  y[idx] = v;\n}', '3:12',
                             'is assigned alone'),
    'too few values of a vector': (HEAD + '  float4 v = make_float4(1, 2);\n}', '2:26', 'as many values as'),
    'vectors of several sizes': (HEAD + '  float2 v = {1, 2};\n  float4 w = v;\n}', '3:14', 'as many lanes'),
    'an array of vectors': (HEAD + '  float4 v[3];\n}', '2:10', 'are parameters alone'),
    'a pointer to vectors from nowhere': (HEAD + '  float4 *v;\n}', '2:10', 'begins as one: (float4 *)A'),
    'an address of something else': (HEAD + '  y[idx] = __ldg(&n);\n}', '2:', 'an address is that of a parameter'),
    'nothing written': ('__global__ void f(float *x) { }', '1:17', 'writes no array'),
    'a parameter that is changed': (HEAD + '  n = 3;\n  y[idx] = n;\n}', '2:3',
                                    'a parameter keeps its value'),
    'no kernel': ('#define N 3\n', '1:12', 'no kernel in the file'),
    'a condition of the preprocessor': ('#if N > 1\n#endif\n', '1:1', 'condition is not read'),
    'another directive': ('#error no\n', '1:1', 'directive is not read'),
    'a condition without end': ('#ifdef N\nfloat\n', '1:1', 'has no #endif'),
    'an end without condition': ('#endif\n', '1:1', 'belongs to no #if'),
    'too many conditions': ('#ifndef A\n'*40, '33:1', 'more than 32'),
    'macros that join words': ('#define A(x) x##1\n', '1:15', 'join words'),
    'arguments of a macro': ('#define A(x) x\n' + HEAD + '  y[idx] = A(1, 2);\n}', '3:12',
                             'another number of arguments'),
    'a macro that is open': ('#define A(x) x\n' + HEAD + '  y[idx] = A(1;\n}', '3:12',
                             'never closed'),
    'macros without end': (''.join(f'#define M{k} M{k + 1} + M{k + 1}\n' for k in range(40)) +
                           '#define M40 1\n' + HEAD + '  y[idx] = M0;\n}', '43:12',
                           'more than 200000 words'),
    'deep brackets': (HEAD + '  y[idx] = ' + '('*3000 + '1' + ')'*3000 + ';\n}', '2:',
                      'nested too deeply'),
    'a NUL byte': (HEAD + '  y[idx] = 1;\0\n}', '2:14', 'this is no text'),
}
TREE = '  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(~0u, v, k);\n'
BY_WARPS = ('  __shared__ float s[32];\n' + TREE +
            '  if (threadIdx.x % 32 == 0) s[threadIdx.x/32] = v;\n  __syncthreads();\n'
            '  v = threadIdx.x < blockDim.x/32 ? s[threadIdx.x] : 0;\n')


def row(*steps):
    return ''.join(f'  v += __shfl_xor_sync(~0u, v, {k});\n' for k in steps)


# What is done with shuffles, and what is said of it.
WARPS = {
    '  v = v + __shfl_up_sync(~0u, v, 1);\n  y[idx] = v;': '`__shfl_up_sync` is read as a step',
    '  v = v + __shfl_down_sync(~0u, v, 1);\n  y[idx] = v;': 'is read in a tree of sums alone',
    '  for (int k = 8; k > 0; k /= 2) v += __shfl_down_sync(~0u, v, k);\n'
    '  if (threadIdx.x % 32 == 0) atomicAdd(y, v);': 'is read in a tree of sums alone',
    '  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(~0u, v, k, 16);\n'
    '  if (threadIdx.x % 32 == 0) atomicAdd(y, v);': 'read as a step of a sum over the 32',
    TREE + '  y[idx] = v;': 'is added atomically by one of its threads',
    TREE + '  if (threadIdx.x == 0) atomicAdd(y, v);': 'is added atomically by one of its threads',
    TREE + '  atomicAdd(y, v);': 'is added atomically by one of its threads',
    TREE + '  if (threadIdx.x % 32 == 0) atomicMax(y, v);': 'what one thread of a warp does',
    TREE + '  if (threadIdx.x % 32 == 0) y[idx] = v;': 'what one thread of a warp does',
    TREE + '  if (threadIdx.x % 32 == 0) atomicAdd(y, v); else y[idx] = 1;': 'beside its sum',
    TREE + TREE + '  if (threadIdx.x % 32 == 0) atomicAdd(y, v);': 'is summed once more',
    '  float w = v;\n' + TREE.replace('v +=', 'w +=').replace('v, k', 'w, k') +
    '  v = 2;\n  if (threadIdx.x % 32 == 0) atomicAdd(y, w);': 'something else by now',
    '  if (n > 1) {' + TREE + '  }\n  if (threadIdx.x % 32 == 0) atomicAdd(y, v);':
        'was not summed by all',
    '  __shared__ float s[32];\n' + TREE + '  if (threadIdx.x % 32 == 0) s[threadIdx.x/32] = v;\n'
    '  __syncthreads();\n  if (threadIdx.x == 0) atomicAdd(y, s[0] + s[1]);':
        'are read by the first warp alone',
    '  __shared__ float s[32];\n' + TREE + '  if (threadIdx.x % 32 == 0) s[threadIdx.x/32] = v;\n'
    '  __syncthreads();\n  v = threadIdx.x < blockDim.x/32 ? s[threadIdx.x] : 0;\n' + TREE +
    '  if (threadIdx.x == 0) y[blockIdx.x] = v;': 'how many threads a block sums does not follow',
    TREE.replace('k > 0', 'k > 1') + '  if (threadIdx.x % 32 == 0) atomicAdd(y, v);':
        'is read in a tree of sums alone',
    '  for (int k = 1; k < 16; k *= 2) v += __shfl_xor_sync(~0u, v, k);\n'
    '  if (threadIdx.x % 32 == 0) atomicAdd(y, v);': 'is read in a tree of sums alone',
    '  float w = 1;\n' + TREE.replace('v +=', 'w +=') +
    '  if (threadIdx.x % 32 == 0) atomicAdd(y, w);': 'is read in a tree of sums alone',
    BY_WARPS.replace('  v = threadIdx', '  if (n > 1) v = threadIdx') + TREE +
    '  if (threadIdx.x == 0) atomicAdd(y, v);': 'was not summed by all',
    row(16, 8, 4, 2, 2) + '  if (threadIdx.x % 32 == 0) atomicAdd(y, v);':
        'is read in a tree of sums alone',
    row(16, 8, 4, 2) + '  v = max(v, __shfl_xor_sync(~0u, v, 1));\n'
    '  if (threadIdx.x % 32 == 0) atomicAdd(y, v);': 'is read in a tree of sums alone',
    TREE + '  if (threadIdx.x < 32) {\n  float u = x[i];\n' + TREE.replace('v', 'u') + '  }\n'
    '  if (threadIdx.x % 32 == 0) atomicAdd(y, v);': 'one warp alone sums',
    BY_WARPS.replace(' : 0', ' : 1') + TREE + '  if (threadIdx.x == 0) atomicAdd(y, v);':
        'is added atomically by one of its threads',
    BY_WARPS.replace('blockDim.x/32', '3') + TREE + '  if (threadIdx.x == 0) atomicAdd(y, v);':
        'is added atomically by one of its threads',
    BY_WARPS + TREE.replace('v +=', 'v = max(v,').replace('k);', 'k));') +
    '  if (threadIdx.x == 0) atomicAdd(y, v);': 'is summed once more',
    BY_WARPS.replace('s[threadIdx.x/32] = v', 's[threadIdx.x/16] = v') + TREE +
    '  if (threadIdx.x == 0) atomicAdd(y, v);': 'what one thread of a warp does',
    '  if (threadIdx.x < 32) {' + TREE + '  }\n  if (threadIdx.x == 0) atomicAdd(y, v);':
        'is added atomically by one of its threads',
}
X = 'A = f32([1, 2; 3, 4]); x = f32([1, 2]);\n'
# A kernel, a call of it, where the error points in the file, and what it says.
CALLED = {
    'one thread reads what another writes': (
        HEAD + '  if (idx > 0) y[idx] = y[idx - 1] + x[idx]*y[idx - 1];\n}', 'f(A, x, x, 2)', '1:17',
        'rounds of `kernel idx` wait for each other'),
    'out of range': (HEAD + '  y[idx] = x[idx + 1];\n}', 'f(A, x, zeros(2), 2)', '2:14',
                     'goes through 1 elements'),
    'a number that does not follow': (HEAD + '  if (idx < 9) y[idx] = x[idx]*n;\n}', 'f(A, x)', '2:',
                                      '`n` does not follow from the shapes'),
    'threads that do not follow': (HEAD + '  y[idx] = x[0];\n}', 'f(A, x, 2)', '2:5',
                                   'how many threads there are along `idx`'),
    'a shape that does not follow': (HEAD + '  y[(int)x[idx]] = 1;\n}', 'f(A, x, 2)', '1:52',
                                     'the shape of `y` does not follow'),
    'shapes that do not fit': (HEAD + '  y[idx] = x[idx] + A[idx];\n}', 'f(ones(3), x, 2)', '2:',
                               'goes through 3 elements of `A` and 2 of `x`'),
    'out of range under a condition': (
        HEAD + '  if (idx < 2) y[idx] = x[idx + 1];\n}', 'f(A, x, 2)', '2:27',
        'index 3 is out of range: dimension 1 has extent 2, where idx = 1'),
    'an element that there is not': (HEAD + '  float s[2];\n  s[2] = 1;\n  y[idx] = s[0] + x[idx];\n}',
                                     'f(A, x, 2)', '3:3', 'has no such element'),
    'a computed element that is written': (HEAD + '  float s[2];\n  s[(int)x[idx]] = 1;\n  y[idx] = s[0] + x[idx];\n}',
                                           'f(A, x, 2)', '3:3', 'is not written'),
    'too few arguments': (HEAD + '  y[idx] = x[idx];\n}', 'f(x)', None, 'f takes 3 arguments, not 1'),
    'an array for a number': (HEAD + '  y[idx] = x[idx]*n;\n}', 'f(A, x, x)', None,
                              '`n` of the kernel is a number'),
    'a number for an array': (HEAD + '  y[idx] = x[idx]*n;\n}', 'f(A, 2, 2)', None,
                              '`x` of the kernel is an array'),
    'a fraction for a whole number': (HEAD + '  y[idx] = x[idx]*n;\n}', 'f(A, x, 2.5)', None,
                                      'is a whole number'),
    'floats for whole numbers': ('__global__ void f(int *k, int *y) { y[idx] = k[idx]; }', 'f(x)',
                                 '1:24', 'has whole numbers, and is given f32'),
    'another rank': ('__global__ void f(float k[2][2], float *y) { y[idx] = k[0][idx]; }', 'f(x)',
                     '1:25', 'has 2 dimensions, and is given an array of 1'),
    'no thread': ('__global__ void f(float *y) { y[0] = 1; }', 'f(x)', '1:17', 'which one it is'),
    'a loop in a thread': (HEAD + '  float t = x[idx];\n  while (t > 1) t = t/2;\n  y[idx] = t;\n}',
                           'f(A, x, 2)', '3:', 'while'),
}


def refused(run, text, call):
    folder = scores.folder('kernels')
    with open(os.path.join(folder, 'f.cu'), 'wb') as out:
        out.write(text if isinstance(text, bytes) else text.encode())
    return run(X + 'f = :kernel "f.cu"\n' + call, folder).stderr


def check_refusals(run):
    for name, (text, place, words) in REFUSED.items():
        said = refused(run, text, 'f(A, x, 2)\n')
        score.check(f'f.cu:{place}' in said and words in said, (name, said))
        score.check(said.count('error:') == 1 and '^' in said, (name, said))
    for name, (text, call, place, words) in CALLED.items():
        if 'while' in words:
            continue  # which loops a thread may have is the lift's
        said = refused(run, text, call + '\n')
        where = f'f.cu:{place}' if place else 'in.fs:3:'
        score.check(where in said and words in said, (name, said))
        score.check(said.count('error:') == 1 and '^' in said, (name, said))


def check_users(run):
    """What depends on how many threads there are is refused, with the place."""
    folder = scores.folder('kernels')
    users_cu = os.path.join(KERNELS, 'users.cu')
    for name, words in {'one_each': 'a name that changes is in what is put into a tile',
                        'all_add': 'a name that changes is in what is put into a tile',
                        'first_counts': 'what is computed in shared memory',
                        'column_parts': 'the next round fills a tile',
                        'dot': 'gathered in its strides'}.items():
        said = run(f'f = :kernel "{users_cu}", "{name}"\n', folder).stderr
        score.check(words in said and said.count('error:') == 1, (name, said))


def check_warps(run):
    for body, words in WARPS.items():
        text = '__global__ void f(const float *x, float *y, int n) {\n  int i = idx;\n  float v = x[i];\n'
        said = refused(run, text + body + '\n}\n', 'f(x, x)\n')
        score.check(words in said and said.count('error:') == 1 and '^' in said, (body, said))
    head = f'f = :kernel "{os.path.join(KERNELS, "warps.cu")}", '
    x = 'x = f32(mod(7*(1:150), 31)); '
    done = run(x + head + '"each_block" block=64\nv = f(x, zeros(3), 150);\n'
               'print(all(v == 2*f32([sum(x[1:64]), sum(x[65:128]), sum(x[129:150])]) + 1))\n',
               scores.folder('kernels'))
    score.check(done.stdout.split()[-1:] == ['true'], (done.stdout, done.stderr))


def check_files(run):
    folder = scores.folder('kernels')
    good = HEAD + '  y[idx] = x[idx];\n}\n__global__ void g(float *y) { y[idx] = y[idx] + 1; }\n'
    for name, data in {'big.cu': good.encode() + b' '*(10 << 20), 'two.cu': good.encode(),
                       'bytes.cu': bytes(range(128, 256))*40}.items():
        with open(os.path.join(folder, name), 'wb') as out:
            out.write(data)
    for call, words in {'f = :kernel "big.cu"': 'more than 1 MiB', 'f = :kernel "no.cu"': 'No such file',
                        'f = :kernel "."': 'directory', 'f = :kernel "two.cu"': 'has 2 kernels',
                        'f = :kernel "bytes.cu"': 'C has no use for',
                        'f = :kernel "two.cu", "h"': 'no kernel `h`: it has f, g',
                        'f = :kernel two.cu': 'expected the file as a string',
                        ':kernel two.cu h': 'no kernel `h`'}.items():
        said = run(call + '\n', folder).stderr
        score.check(words in said and said.count('error:') == 1, (call, said))
    done = run(':kernel two.cu\ng(f32([1, 2]))\n', folder)
    score.check(done.stdout.split() == 'f(A, x, y, n) g(y) f32[2] 2 3'.split(), (done.stdout, done.stderr))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=4)
    p.add_argument('--target', default='cpu')
    p.add_argument('--warps', action='store_true', help='sums over warps alone')
    args = p.parse_args()
    fusible = os.environ.get('FUSIBLE', os.path.join(os.path.dirname(HERE), 'build', 'fusible'))
    env = dict(os.environ, FUSIBLE_CHECK='1')
    if args.target == 'fake':
        env = dict(fakegpu.environment(scores.folder("kernels-gpu")), FUSIBLE_CHECK="1")

    def run(text, folder):
        path = os.path.join(folder, 'in.fs')
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        target = 'cuda' if args.target == 'fake' else args.target
        return subprocess.run([fusible, '--target', target, 'in.fs'], cwd=folder, text=True,
                              env=env, capture_output=True, check=False)
    if args.warps:
        for seed in range(args.count):
            for case in warps(np.random.default_rng(seed)):
                check_case(run, seed, case)
        check_warps(run)
        return score.close()
    check_values(run, args.count)
    check_refusals(run)
    check_users(run)
    check_warps(run)
    check_files(run)
    check_plans()
    return score.close()


sys.exit(main())
