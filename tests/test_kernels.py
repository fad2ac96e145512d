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
    ]


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
    text, given = [f'f = :kernel "{os.path.join(KERNELS, file)}", "{name}"'], []
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
        good = got.shape == value.shape and got.dtype == value.dtype and (got == value).all()
        score.check(good, (seed, name, args, got, value))


def check_values(run, count):
    for seed in range(count):
        for case in cases(np.random.default_rng(seed)):
            check_case(run, seed, case)


HEAD = '__global__ void f(float *A, const float *x, float *y, int n) {\n'
# What stands in a kernel, its line and column, and what is said of it.
REFUSED = {
    'a barrier': (HEAD + '  y[idx] = x[idx];\n  __syncthreads();\n}', '3:3', 'wait for each other'),
    'shared memory': (HEAD + '  __shared__ float s[16];\n}', '2:3', 'memory that threads share'),
    'an array of its own': (HEAD + '  float s[16];\n}', '2:9', "a thread's own"),
    'do': (HEAD + '  do y[idx] = 1; while (n);\n}', '2:3', '`do` is not read'),
    'goto': (HEAD + '  goto end;\n}', '2:3', '`goto` is not read'),
    'switch': (HEAD + '  switch (n) { }\n}', '2:3', '`switch` is not read'),
    'a call': (HEAD + '  g(x);\n}', '2:3', 'the call of `g` as a statement'),
    'an unknown function': (HEAD + '  y[idx] = g(x[idx]);\n}', '2:12', '`g` is no function'),
    'an unknown name': (HEAD + '  y[idx] = z;\n}', '2:12', 'nothing in the kernel is called `z`'),
    'a counter that is changed': (HEAD + '  for (int i = 0; i < n; i++) { i = 3; y[i] = 1; }\n}',
                                  '2:33', 'a counter is changed by the head'),
    'a counter behind its loop': (HEAD + '  int i;\n  for (i = 0; i < n; i++) y[i] = 1;\n'
                                  '  y[i] = idx;\n}', '4:5', 'what the counter `i` is behind'),
    'a loop by another way': (HEAD + '  for (int i = 1; i < n; i *= 2) y[idx] = i;\n}', '2:26',
                              'a counter goes on by i++'),
    'a loop of another condition': (HEAD + '  for (int i = 1; i != n; i++) y[idx] = i;\n}', '2:19',
                                    'while its counter is less or more'),
    'a return in a loop': (HEAD + '  for (int i = 0; i < n; i++) return;\n  y[idx] = 1;\n}', '2:31',
                           'a `return` within a loop'),
    'an assignment inside': (HEAD + '  y[idx] = n = 3;\n}', '2:14', 'a statement of its own'),
    'a pointer': (HEAD + '  float *p = A;\n}', '2:9', 'pointers are parameters only'),
    'an array as a whole': (HEAD + '  y[idx] = x;\n}', '2:12', 'by elements'),
    'two subscripts of a pointer': (HEAD + '  y[idx] = A[idx][0];\n}', '2:12',
                                    '`A` has 1 subscript, not 2'),
    'bits': (HEAD + '  y[idx] = n | 3;\n  y[idx] = x[idx];\n}', '2:12', '`|` of these numbers'),
    'no semicolon': (HEAD + '  y[idx] = 1\n}', '3:1', 'expected `;`'),
    'no end': (HEAD + '  y[idx] = 1;\n', '2:14', 'expected `}`'),
    'no end of a comment': (HEAD + '  /* y\n}', '2:3', 'this comment has no end'),
    'no number': (HEAD + '  y[idx] = 1.5q;\n}', '2:12', 'no number of C'),
    'another character': (HEAD + '  y[idx] = 1 @ 2;\n}', '2:14', 'C has no use for'),
    'a long device function': ('__device__ float g(float x) { x = 1; return x; }\n', '1:31',
                               'is one `return`'),
    'a device function of an array': ('__device__ float g(float *x) { return x[0]; }\n', '1:26',
                                      'up to four numbers'),
    'a device function of others': ('__device__ float g(float x) { return x; }\n' + HEAD +
                                    '  y[idx] = g(1, 2);\n}', '3:12', '`g` has 1 parameter, not 2'),
    'a device function that grows': ('__device__ float g(float x) { return x*x; }\n' + HEAD +
                                     '  y[idx] = ' + 'g('*20 + 'x[idx]' + ')'*20 + ';\n}', '3:',
                                     'too long'),
    'a constant': ('const int N = 3;\n', '1:1', 'a file has kernels'),
    'a kernel that gives something': ('__global__ int f(int *x) { }', '1:12', 'expected `void`'),
    'a pointer to pointers': ('__global__ void f(float **x) { }', '1:27', 'name of a parameter'),
    'a vector type': ('__global__ void f(float4 *x) { }', '1:19', 'expected a type'),
    'nothing written': ('__global__ void f(float *x) { }', '1:17', 'writes no array'),
    'a parameter that is changed': (HEAD + '  n = 3;\n  y[idx] = n;\n}', '2:3',
                                    'a parameter keeps its value'),
    'no kernel': ('#define N 3\n', '1:12', 'no kernel in the file'),
    'a condition of the preprocessor': ('#ifdef N\n#endif\n', '1:1', 'directive is not read'),
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
        HEAD + '  if (idx < 2) y[idx] = x[idx + 1];\n}', 'f(A, x, 2)', '2:25',
        'may be out of range'),
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
    check_values(run, args.count)
    check_refusals(run)
    check_files(run)
    score.close()


main()
