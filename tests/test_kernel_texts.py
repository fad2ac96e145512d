#!/usr/bin/python3
"""Random kernels in CUDA C: read, beside the same text compiled as C.

    tests/test_kernel_texts.py [--count N] [--first N] [--show]

The body of a kernel is a function of idx and idy; as C it is called for one thread after the
other. Values are whole numbers, so every element must be the same. Each kernel runs as it is
read, and round by round (`:set loops off`), which also holds where its threads cannot run at
once. The last line is `N passed, N failed`.
"""
import argparse
import ctypes
import os
import random
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import score as scores  # noqa: E402

score = scores.Score()
PARAMS = ('const float *A, const float *x, const int *k, float *C, float *y, int *w, '
          'int n, int m')


class Kernel:
    """The body of one, of threads (idx < m, idy < n) or idx < m alone."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.two = self.r.random() < 0.6
        self.ints = ['idx', 'm', 'n'] + ['idy']*self.two
        self.counters, self.floats, self.changed = [], [], []
        self.lines, self.names = [], 0
        guard = 'idx >= m || idy >= n' if self.two else 'idx >= m'
        self.put(0, f'if ({guard}) return;')
        for _ in range(self.r.randint(1, 4)):
            self.statement(0)
        where = 'C[idy*m + idx]' if self.two else 'y[idx]'
        self.put(0, f'{where} = {self.real(2)};')
        self.results = ['C' if self.two else 'y']
        if not self.two and self.r.random() < 0.5:
            self.put(0, f'w[idx] = {self.whole(2)};')
            self.results.append('w')
        self.text = '\n'.join(self.lines)

    def put(self, depth, line):
        self.lines.append('  '*(depth + 1) + line)

    def name(self, kind):
        self.names += 1
        return f'{kind}{self.names}'

    def inside(self, limit):
        """A subscript below n or m, as it stands or under a condition."""
        of = [c for c, end in self.counters if end == limit]
        of += ['idx'] if limit == 'm' else ['idy']*self.two
        return self.r.choice(of) if of else '0'

    def element(self):
        r = self.r
        kind = r.randrange(4)
        if kind == 0:
            return f'x[{self.inside("m")}]'
        if kind == 1:
            return f'A[{self.inside("n")}*m + {self.inside("m")}]'
        if kind == 2:
            i = self.inside('m')
            return f'({i} > 0 ? x[{i} - 1] : {r.randint(0, 3)})'
        i, j = self.inside('n'), self.inside('m')
        return f'({i} + 1 < n && {j} > 0 ? A[({i} + 1)*m + {j} - 1] : x[{j}])'

    def whole(self, depth):
        r = self.r
        if depth <= 0 or r.random() < 0.25:
            leaf = r.random()
            if leaf < 0.3:
                return str(r.randint(0, 5))
            return f'k[{self.inside("m")}]' if leaf < 0.5 else r.choice(self.ints)
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        return r.choice([f'({a} + {b})', f'({a} - {b})', f'{a} % {r.randint(2, 5)}',
                         f'{a} / {r.randint(2, 4)}', f'(idx & {r.choice([1, 3])})', f'(idx >> 1)',
                         f'({self.truth(depth - 1)} ? {a} : {b})', f'min({a}, {b})', f'-({a})',
                         f'(int)({self.real(depth - 1)})', f'abs({a})', f'({a})*2'])

    def real(self, depth):
        r = self.r
        if depth <= 0 or r.random() < 0.25:
            leaf = r.random()
            if leaf < 0.2:
                return f'{r.randint(0, 4)}.0f'
            return r.choice(self.floats) if self.floats and leaf < 0.5 else self.element()
        a, b = self.real(depth - 1), self.real(depth - 1)
        return r.choice([f'({a} + {b})', f'({a} - {b})', f'fmaxf({a}, {b})', f'({a})*0.5f',
                         f'({a} + {self.whole(depth - 1)})', f'fabsf({a})', f'-({a})',
                         f'({self.truth(depth - 1)} ? {a} : {b})', f'(float)({self.whole(1)})'])

    def truth(self, depth):
        r = self.r
        if depth > 0 and r.random() < 0.3:
            a, b = self.truth(depth - 1), self.truth(depth - 1)
            return r.choice([f'({a} && {b})', f'({a} || {b})', f'!({a})'])
        if r.random() < 0.5:
            return f'{self.whole(depth - 1)} {r.choice(["<", "<=", "==", "!=", ">"])} {self.whole(depth - 1)}'
        return f'{self.real(depth - 1)} {r.choice(["<", ">="])} {self.real(depth - 1)}'

    def block(self, depth):
        ints, floats = len(self.ints), len(self.floats)
        for _ in range(self.r.randint(1, 2)):
            self.statement(depth)
        del self.ints[ints:], self.floats[floats:]

    def statement(self, depth):
        r, kind = self.r, self.r.random()
        if kind < 0.25:
            name = self.name('t')
            self.put(depth, f'float {name} = {self.real(2)};')
            self.floats.append(name)
        elif kind < 0.4:
            name = self.name('i')
            self.put(depth, f'int {name} = {self.whole(2)};')
            self.ints.append(name)
        elif kind < 0.55 and self.floats:
            op = r.choice(['=', '+=', '-='])
            self.put(depth, f'{r.choice(self.floats)} {op} {self.real(1)};')
        elif kind < 0.7 and depth < 2:
            self.put(depth, f'if ({self.truth(1)}) {{')
            self.block(depth + 1)
            if r.random() < 0.4:
                self.put(depth, '} else {')
                self.block(depth + 1)
            self.put(depth, '}')
        elif depth < 2:
            self.loop(depth)

    def loop(self, depth):
        r, name, total = self.r, self.name('j'), self.name('s')
        end = r.choice('nm')
        head = r.choice([f'int {name} = 0; {name} < {end}; {name}++',
                         f'int {name} = {end} - 1; {name} >= 0; --{name}'])
        self.put(depth, f'float {total} = {r.randint(0, 3)};')
        self.put(depth, f'for ({head}) {{')
        self.counters.append((name, end))
        self.ints.append(name)
        ints, floats = len(self.ints), len(self.floats)
        if r.random() < 0.3:
            self.statement(depth + 1)
        under = f'if ({self.truth(1)}) ' if r.random() < 0.3 else ''
        self.put(depth + 1, f'{under}{total} {r.choice(["+=", "+=", "-="])} {self.real(1)};')
        self.put(depth, '}')
        self.counters.pop()
        del self.ints[ints:], self.floats[floats:]
        self.ints.remove(name)
        self.floats.append(total)


HEAD = '''#include <math.h>
#include <stdlib.h>
#define min(a, b) ((a) < (b) ? (a) : (b))
'''


def compiled(kernels, folder):
    source, library = os.path.join(folder, 'k.c'), os.path.join(folder, 'k.so')
    with open(source, 'w', encoding='utf-8') as out:
        out.write(HEAD)
        for at, k in enumerate(kernels):
            out.write(f'static void thread_{at}(int idx, int idy, {PARAMS}) {{\n{k.text}\n}}\n'
                      f'void run_{at}({PARAMS}) {{\n'
                      f'  for (int idy = 0; idy < {"n" if k.two else "1"}; idy++)\n'
                      f'    for (int idx = 0; idx < m; idx++)\n'
                      f'      thread_{at}(idx, idy, A, x, k, C, y, w, n, m);\n}}\n')
    cc = os.environ.get('CC', 'cc').split()
    subprocess.run(cc + ['-std=c11', '-w', '-O1', '-fwrapv', '-ffp-contract=off', '-shared', '-fPIC', '-o',
                         library, source, '-lm'], check=True)
    return ctypes.CDLL(library)


def as_c(library, at, n, m, a, x, k):
    out = [np.zeros((n, m), np.float32), np.zeros(m, np.float32), np.zeros(m, np.int32)]
    pointers = [v.ctypes.data_as(ctypes.c_void_p) for v in [a, x, k] + out]
    getattr(library, f'run_{at}')(*pointers, ctypes.c_int(n), ctypes.c_int(m))
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=60)
    p.add_argument('--first', type=int, default=0)
    p.add_argument('--show', action='store_true')
    args = p.parse_args()
    fusible = os.environ.get('FUSIBLE', os.path.join(os.path.dirname(HERE), 'build', 'fusible'))
    folder = scores.folder('kernel-texts')
    seeds = range(args.first, args.first + args.count)
    kernels = [Kernel(s) for s in seeds]
    library = compiled(kernels, folder)
    lifted = 0
    for at, (seed, k) in enumerate(zip(seeds, kernels)):
        r = np.random.default_rng(seed)
        n, m = int(r.integers(2, 6)), int(r.integers(2, 7))
        a, x = (r.integers(-4, 5, s).astype(np.float32) for s in ((n, m), (m,)))
        w = r.integers(-4, 5, m).astype(np.int32)
        want = as_c(library, at, n, m, a, x, w)
        if args.show:
            print(k.text)
        for name, value in (('A', a), ('x', x), ('k', w)):
            np.save(os.path.join(folder, name + '.npy'), value)
        with open(os.path.join(folder, 'f.cu'), 'w', encoding='utf-8') as out:
            out.write(f'__global__ void f({PARAMS}) {{\n{k.text}\n}}\n')
        for loops in ('on', 'off'):
            text = f':set loops {loops}\nf = :kernel "f.cu"\n' + ''.join(
                f'{v} = load("{v}.npy");\n' for v in 'Axk')
            text += (f'{", ".join(k.results)} = f(A, x, k, zeros({n}, {m}), zeros({m}), '
                     f'zeros({m}, "i32"), {n}, {m});\n')
            text += ''.join(f'save("r{v}.npy", {v});\n' for v in k.results)
            with open(os.path.join(folder, 'in.fs'), 'w', encoding='utf-8') as out:
                out.write(text)
            done = subprocess.run([fusible, '--target', 'cpu', 'in.fs'], cwd=folder, text=True,
                                  capture_output=True, check=False,
                                  env=dict(os.environ, FUSIBLE_CHECK='1'))
            if done.returncode and loops == 'on' and ('run at once' in done.stderr or
                                                      'wait for each other' in done.stderr):
                continue
            if not score.check(done.returncode == 0, (seed, loops, done.stderr, k.text)):
                continue
            lifted += loops == 'on'
            for v in k.results:
                value = want['Cyw'.index(v)]
                got = np.load(os.path.join(folder, f'r{v}.npy'))
                score.check((got == value).all(), (seed, loops, v, got, value, k.text))
    print(f'{lifted} of {len(kernels)} kernels run at once')
    score.check(2*lifted >= len(kernels), 'at least half of them run at once', lifted)
    return score.close()


sys.exit(main())
