#!/usr/bin/python3
"""Half types computed two at once give the bits that the CPU target gives.

Sums, products, differences, quotients and roots of f16 and bf16, on vectors and
matrices of odd and even extents, slices that lie apart from 4-byte boundaries,
broadcasts, numbers, NaN, infinities, signed zeros and what f16 has below its normal
range, on the CPU and on the fake GPU, whose kernels must say that they work in
pairs. What the targets may round differently has the same bits in pairs and alone.

The last line is `N passed, N failed`.
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
STATEMENTS = {  # name -> over x, y (vectors), A, B (matrices), all of type T
    'sum': 'x + y', 'three': 'x + y - 0.5*x', 'minus': '-x .* y + 3',
    'stencil': '0.1*x[1:end-4] + 0.2*x[2:end-3] + 0.4*x[3:end-2] - x[5:end]',
    'shifted': 'x[2:end] - y[1:end-1]', 'every other': 'x[1:2:end] + 1',
    'matrix': 'A + B - A.*B', 'broadcast': 'A .* x\' + 2',
    'turned': "A' + A'", 'row and column': "A .* x' - A[1:end, 1]",
    'jacobi': '0.25*(A[1:end-2, 2:end-1] + A[3:end, 2:end-1] '
              '+ A[2:end-1, 1:end-2] + A[2:end-1, 3:end])',
    'quotient': 'x ./ y + y ./ 3', 'root': 'sqrt(abs(x)) - rsqrt(y.*y)',
    'square': '(x - 1).^2 .* y', 'clamp': 'clamp(x, -0.5, 1) + round(y)',
    'rows': '(A - rowmax(A)) .* 2', 'more rows': 'max(A, -1) ./ rowmax(abs(A) + 1)',
    'row means': '2*round(clamp(A, -2, 2)) - mean(round(clamp(A, -2, 2)), 2)',
}
# Each alone, in pairs, and widened in the same kernel, one at a time.
FUNCTIONS = ('exp(x)', 'log(abs(x))', 'erf(x)', 'tanh(y)', 'x ./ y', 'sqrt(abs(y))',
             'exp(A - rowmax(A))')
SIZES = ((64, 128), (37, 96), (33, 75))


def inputs(m, n, seed):
    """Vectors of n and m x n matrices; every tenth element special."""
    rng = np.random.default_rng(seed)
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 6e-8, -3e-6, 65504, 1e-5])

    def make(*shape):
        a = rng.standard_normal(shape).astype(np.float32)
        at = rng.random(shape) < 0.1
        a[at] = rng.choice(special, int(at.sum()))
        return a
    return dict(x=make(n), y=make(n), A=make(m, n), B=make(m, n))


def script(folder, how, dtype, m, n):
    lines = [f'{name} = {dtype}(load("{folder}/{m}x{n}_{name}.npy"));'
             for name in 'xyAB'] + ['print(x[1] + y[1] + A[1, 1] + B[1, 1]);']
    for k, text in enumerate(STATEMENTS.values()):
        lines += [f'r{k} = {text};', 'barrier;']
        lines.append(':code cuda sm_90a' if how == 'gpu' else '')
    lines += [f'save("{folder}/{m}x{n}_{dtype}_{how}_{k}.npy", f32(r{k}));'
              for k in range(len(STATEMENTS))]
    path = os.path.join(folder, f'{m}x{n}_{dtype}_{how}.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')
    return path


def alone(folder, dtype, m, n):
    """The script that computes each function in pairs and not in pairs."""
    lines = [f'{name} = {dtype}(load("{folder}/{m}x{n}_{name}.npy"));'
             for name in 'xyAB'] + ['print(x[1] + y[1] + A[1, 1] + B[1, 1]);']
    for k, text in enumerate(FUNCTIONS):
        for name, value in ((f'p{k}', text), (f'q{k}', f'f32({text})')):
            lines += [f'{name} = {value};', 'barrier;', ':code cuda sm_90a',
                      f'save("{folder}/{m}x{n}_{dtype}_{name}.npy", f32({name}));']
    path = os.path.join(folder, f'{m}x{n}_{dtype}_alone.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')
    return path


def same_bits(a, b):
    nan = np.isnan(a) & np.isnan(b)
    return a.shape == b.shape and bool(
        np.all(nan | (a.view(np.uint32) == b.view(np.uint32))))


def compare(folder, env, dtype, m, n):
    for name, a in inputs(m, n, m * n).items():
        np.save(f'{folder}/{m}x{n}_{name}.npy', a)
    cpu = subprocess.run([fakegpu.PROGRAM, '--target', 'cpu',
                          script(folder, 'cpu', dtype, m, n)],
                         text=True, capture_output=True, check=False, env=env)
    gpu = fakegpu.run(['--target', 'cuda', script(folder, 'gpu', dtype, m, n)], env)
    what = f'{dtype} {m}x{n}'
    if not score.check(cpu.returncode == 0 and gpu.returncode == 0, what,
                       (cpu.stderr + gpu.stderr)[-800:]):
        return 0
    for k, name in enumerate(STATEMENTS):
        a, b = (np.load(f'{folder}/{m}x{n}_{dtype}_{how}_{k}.npy')
                for how in ('cpu', 'gpu'))
        score.check(same_bits(a, b), f'{what} {name}', f'{a}\n{b}')
    score.check(n % 2 or re.search(r'mean.*\n//\n// scheme row.*in pairs', gpu.stdout),
                f'{what}: the kernel of row means is not in pairs')
    return len(re.findall(r'^// scheme .*in pairs', gpu.stdout, re.M))


def compare_alone(folder, env, dtype, m, n):
    got = fakegpu.run(['--target', 'cuda', alone(folder, dtype, m, n)], env)
    what = f'{dtype} {m}x{n} functions'
    if not score.check(got.returncode == 0, what, got.stderr[-800:]):
        return
    kernels = re.findall(r'^// scheme (.*)', got.stdout, re.M)
    paired = sum('in pairs' in k for k in kernels)
    score.check(len(FUNCTIONS) <= paired <= len(kernels) - len(FUNCTIONS),
                f'{what}: {paired} kernels of {len(kernels)} in pairs', kernels)
    for k, name in enumerate(FUNCTIONS):
        a, b = (np.load(f'{folder}/{m}x{n}_{dtype}_{how}{k}.npy') for how in 'pq')
        score.check(same_bits(a, b), f'{what} {name}', f'{a}\n{b}')


def main():
    with tempfile.TemporaryDirectory(prefix='fusible-pairs-') as folder:
        env = fakegpu.environment(folder)
        for dtype in ('f16', 'bf16'):
            pairs = [compare(folder, env, dtype, m, n) for m, n in SIZES]
            score.check(min(pairs) >= 5, f'{dtype}: kernels in pairs: {pairs}')
            for m, n in SIZES[:2]:
                compare_alone(folder, env, dtype, m, n)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
