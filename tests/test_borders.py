#!/usr/bin/python3
"""Loops over neighbours whose places a condition, the subscript itself, or a border keeps inside of
the array: corners, edges, mirrored, clamped and wrapped borders. Beside numpy, element by element;
where all have a border, whole arrays by it, too.

    tests/test_borders.py [--count N] [--first N] [--target cpu|fake|cuda]

Values are whole numbers, so every element must be the same. On the CPU the plans are looked at,
too: no list of places is made. The last line is `N passed, N failed`.
"""
import argparse
import glob
import itertools
import os
import random
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
import score as scores  # noqa: E402

score = scores.Score()
COUNTERS = 'ijk'


def clamped(at, n):
    return min(max(at, 1), n)


def mirrored(at, n):
    return 2 - at if at < 1 else 2*n - at if at > n else at


def wrapped(at, n):
    return (at - 1) % n + 1


WAYS = {'clamped': (clamped, 'min(max({at}, 1), {n})'),
        'mirrored': (mirrored, 'where({at} < 1, 2 - ({at}), where({at} > {n}, 2*{n} - ({at}), {at}))'),
        'wrapped': (wrapped, 'mod({at} - 1, {n}) + 1')}


def same(at, _):
    return at


def mirror(at, n):
    at = (at - 1) % (2*n) + 1
    return min(at, 2*n + 1 - at)


# What stands behind the subscripts: A[i - 1; mirror].
WORDS = {'is clamped': (clamped, 'clamped'), 'is mirror': (mirror, 'mirror'),
         'is wrapped': (wrapped, 'wrapped'), 'is zeros': (same, 'zeros')}


class Nest:
    """A loop over all elements of X, which sums some of its neighbours."""

    def __init__(self, r, number):
        self.rank = r.choice([1, 2, 2, 2, 3])
        self.shape = [r.randint(1 if r.random() < .1 else 3, 7) for _ in range(self.rank)]
        if self.rank == 2 and r.random() < .2:
            self.shape[1] = r.randint(30, 90)
        self.dtype = r.choice(['f32', 'f32', 'i32', 'f64'])
        self.taps = [self.tap(r) for _ in range(r.randint(1, 5))]
        self.of = r.choice(['plain', 'plain', 'turned', 'part', 'computed'])
        if self.of == 'turned' and self.rank != 2:
            self.of = 'plain'
        self.name = number

    def tap(self, r):
        tap = [r.randint(1, 3)]
        for n in self.shape:
            by = r.randint(-2, 2)
            if r.random() < .4:
                tap.append((by, r.choice(list(WORDS))))
            elif n < 3:
                tap.append((by, 'guarded'))
            else:
                tap.append((by, r.choice(['guarded', 'guarded', *WAYS])))
        return tap

    def text(self):
        v, n = f'X{self.name}', self.shape
        head = ', '.join(f'{COUNTERS[d]} = 1:{n[d]}' for d in range(self.rank))
        lines = [{'plain': f'X = {v};', 'turned': f"X = {v}';", 'computed': f'X = {v} + 0*{v};',
                  'part': f'X = {v}[{", ".join(f"2:{k + 1}" for k in n)}];'}[self.of]]
        if self.of == 'computed':
            lines.append('begin')
        lines += [f'y{self.name} = zeros({", ".join(map(str, n + [1]*(self.rank == 1)))}, '
                  f'"{self.dtype}");', f'forall {head}', '  s = 0;']
        for weight, *at in self.taps:
            subs, conditions = [], []
            for d, (by, way) in enumerate(at):
                place = f'{COUNTERS[d]} + {by}' if by >= 0 else f'{COUNTERS[d]} - {-by}'
                if way in WORDS:
                    subs.append(place)
                elif way == 'guarded':
                    subs.append(place)
                    conditions += [f'{place} >= 1'] if by < 0 else []
                    conditions += [f'{place} <= {n[d]}'] if by > 0 else []
                else:
                    subs.append(WAYS[way][1].format(at=place, n=n[d]))
            term = f's += {weight}*X[{", ".join(subs)}{self.borders(at)}];'
            lines.append(f'  if {" && ".join(conditions)}; {term} end' if conditions else f'  {term}')
        lines += [f'  y{self.name}[{", ".join(COUNTERS[:self.rank])}] = s;', 'end']
        if self.of == 'computed':
            lines.append('end')
        return lines

    @staticmethod
    def borders(at):
        words = [WORDS[way][1] if way in WORDS else 'checked' for _, way in at]
        return '' if set(words) == {'checked'} else '; ' + ', '.join(words)

    def whole(self):
        """The same of whole arrays, where that can be said."""
        if any(way not in WORDS for _, *at in self.taps for _, way in at):
            return []
        taps = [f'{weight}*X[{", ".join(f"1 + ({by}):{n} + ({by})" for (by, _), n in zip(at, self.shape))}'
                f'{self.borders(at)}]' for weight, *at in self.taps]
        return [f'assert(all({" + ".join(taps)} == y{self.name}), "whole arrays")']

    def stored(self, data):
        """What X is made of."""
        if self.of == 'turned':
            return np.ascontiguousarray(data.T)
        if self.of == 'part':
            return np.pad(data, 1, constant_values=77)
        return data

    def result(self, data):
        out = np.zeros(self.shape, data.dtype)
        for place in itertools.product(*(range(n) for n in self.shape)):
            for weight, *at in self.taps:
                to = [c + 1 + by for c, (by, _) in zip(place, at)]
                to = [(WAYS | WORDS)[way][0](t, n) if way != 'guarded' else t
                      for t, n, (_, way) in zip(to, self.shape, at)]
                if all(1 <= t <= n for t, n in zip(to, self.shape)):
                    out[place] += weight*data[tuple(t - 1 for t in to)]
        return out


def check(target, seed):
    r = random.Random(seed)
    folder = scores.folder('borders')
    nests = [Nest(r, k) for k in range(10)]
    lines, want, whole = [], [], []
    for nest in nests:
        data = np.random.default_rng(seed + nest.name).integers(-9, 10, nest.shape)
        data = data.astype({'f32': np.float32, 'f64': np.float64, 'i32': np.int32}[nest.dtype])
        want.append(nest.result(data))
        np.save(os.path.join(folder, f'X{nest.name}.npy'), nest.stored(data))
        lines.append(f'X{nest.name} = load("X{nest.name}.npy");')
        lines += nest.text()
        lines += [] if nest.of == 'computed' else [f':dump graph']
        lines.append(f'save("y{nest.name}.npy", y{nest.name});')
        whole += nest.whole()
        lines += nest.whole()
    os.environ['FUSIBLE_CHECK'] = '1'
    here = os.getcwd()
    os.chdir(folder)
    done = fakegpu.run_script('\n'.join(lines) + '\n', target, folder)
    os.chdir(here)
    if not score.check(done.returncode == 0, (seed, done.stderr, '\n'.join(lines))):
        return
    listed = [line for line in done.stdout.splitlines() if 'lib gather' in line]
    score.check(not listed, (seed, 'a list of places', listed))
    for nest, value in zip(nests, want):
        got = np.load(os.path.join(folder, f'y{nest.name}.npy'))
        good = got.reshape(value.shape).dtype == value.dtype and (got.reshape(value.shape) == value).all()
        score.check(good, (seed, '\n'.join(nest.text()), got, value))


SOBEL = """n = 8192; A = f32(rand(n, n)); z = zeros(n, n);
for i = 1:n; for j = 1:n
  up = where(i > 1, i - 1, 2); dn = where(i < n, i + 1, n - 1);
  lf = where(j > 1, j - 1, 2); rt = where(j < n, j + 1, n - 1);
  gx = A[up, rt] + 2*A[i, rt] + A[dn, rt] - A[up, lf] - 2*A[i, lf] - A[dn, lf];
  gy = A[dn, lf] + 2*A[dn, j] + A[dn, rt] - A[up, lf] - 2*A[up, j] - A[up, rt];
  z[i, j] = sqrt(gx*gx + gy*gy);
end; end
"""


def check_large():
    """Kernels of large arrays, which go over rows in strips, are texts that a compiler takes."""
    flags = os.path.join(fakegpu.BUILD, 'fiber')
    for device in ('a100', 'h200'):
        folder = scores.folder('borders')
        env = fakegpu.environment(folder, FUSIBLE_FAKE_DEVICE=device, FUSIBLE_FAKE_RUN='0',
                                  FUSIBLE_FAKE_KEEP=folder)
        done = fakegpu.run(['--target', 'cuda', '-e', SOBEL], env)
        texts = glob.glob(os.path.join(folder, '*.cu'))
        score.check(done.returncode == 0 and texts, (device, done.stderr))
        for text in texts:
            done = subprocess.run(
                ['c++', f'@{flags}/flags', '-fsyntax-only', '-include', f'{flags}/fiber.h',
                 '-x', 'c++', text], capture_output=True, text=True, check=False)
            score.check(done.returncode == 0, (device, done.stderr))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=12)
    p.add_argument('--first', type=int, default=0)
    p.add_argument('--target', default='cpu', choices=['cpu', 'fake', 'cuda'])
    args = p.parse_args()
    for seed in range(args.first, args.first + args.count):
        check(args.target, seed)
    if args.target == 'cpu':
        check_large()
    return score.close()


sys.exit(main())
