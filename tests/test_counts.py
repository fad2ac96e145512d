#!/usr/bin/python3
"""Functions that count, group, look up and fit, beside NumPy: exactly where whole numbers make
them, else within bounds of each element.

    tests/test_counts.py [--count 40] [--seed 1] [--bin build/fusible]

The last line is `N passed, N failed`.
"""
import argparse
import math
import os
import subprocess

import numpy as np

from score import Score, folder

score = Score()


class Case:
    """A statement per result, and what NumPy has for it; bound: of |mine - theirs|, 0: exact."""

    def __init__(self):
        self.inputs, self.results = {}, []

    def array(self, value):
        name = f'in{len(self.inputs)}'
        self.inputs[name] = np.asarray(value)
        return name

    def want(self, expression, value, bound=0.0):
        self.results.append((expression, np.asarray(value), bound))


def groups(case, r):
    n, m = int(r.integers(1, 30)), int(r.integers(1, 400))
    k = r.integers(1, n + 1, m)
    v = r.integers(-50, 50, m).astype(r.choice(['f4', 'f8', 'i8']))
    a, b = case.array(k), case.array(v)
    counts = np.bincount(k - 1, minlength=n)
    case.want(f'bincount({a}, {n})', counts)
    case.want(f'bincount({a})', counts[:k.max()])
    case.want(f'accumarray({a}, {b}, {n})', np.bincount(k - 1, v, minlength=n))
    case.want(f'accumarray({a}, {b}, {n}, "count")', counts)
    case.want(f'accumarray({a}, {b}, {n}, "mean")',
              np.bincount(k - 1, v, minlength=n)/np.maximum(counts, 1), 1e-5)
    for how, start, of in (('max', -np.inf, np.maximum), ('min', np.inf, np.minimum)):
        h = np.full(n, start)
        of.at(h, k - 1, v)
        case.want(f'accumarray({a}, {b}, {n}, "{how}")', np.where(counts, h, 0))
    s = r.integers(1, 3, m).astype('f8')
    s[r.random(m) < 0.9] = 1
    h = np.ones(n)
    np.multiply.at(h, k - 1, s)
    case.want(f'accumarray({a}, {case.array(s)}, {n}, "prod")', np.where(counts, h, 0))


def places(case, r):
    n, m = int(r.integers(1, 70)), int(r.integers(1, 300))
    v = np.sort(r.integers(-20, 20, n)).astype(r.choice(['f4', 'f8', 'i8']))
    x = r.integers(-25, 25, m).astype(v.dtype)
    if v.dtype.kind == 'f':
        x[r.random(m) < 0.1] = r.choice([np.nan, np.inf, -np.inf])
        x[r.random(m) < 0.3] += 0.5
    a, b = case.array(v), case.array(x)
    for side in ('left', 'right'):
        case.want(f'searchsorted({a}, {b}, "{side}")', np.searchsorted(v, x, side))
    edges = np.unique(r.integers(-20, 20, int(r.integers(2, 12))))
    if len(edges) > 1:
        case.want(f'histcounts({b}, {case.array(edges.astype(v.dtype))})',
                  np.histogram(x[np.isfinite(x)], edges)[0])


def lines(case, r):
    n, m = int(r.integers(2, 40)), int(r.integers(1, 200))
    x = np.cumsum(r.integers(1, 5, n)).astype('f8')
    y, q = r.normal(size=n), r.uniform(-2, x[-1] + 2, m)
    q[r.random(m) < 0.3] = r.choice(x)
    theirs = np.interp(q, x, y, np.nan, np.nan)
    case.want(f'interp1({case.array(x)}, {case.array(y)}, {case.array(q)})', theirs, 1e-13)
    degree = int(r.integers(0, 4))
    fit = np.polyfit(x/x[-1], y, degree) if n > degree else None
    if fit is not None:
        bound = 1e-8*max(np.abs(fit).max(), 1)
        case.want(f'polyfit({case.array(x/x[-1])}, {case.array(y)}, {degree})', fit, bound)


def chosen(case, r):
    n = int(r.integers(0, 50))
    k = int(r.integers(0, n + 1))
    value = math.comb(n, k)
    case.want(f'nchoosek({n}, {k})', float(value), 0 if value*max(n, 1) < 2**53 else value*1e-14)
    x = r.normal(size=(int(r.integers(3, 40)), int(r.integers(2, 5))))
    case.want(f'corr({case.array(x)})', np.corrcoef(x.T), 1e-12)


def recurrences(case, r):
    n = int(r.integers(1, 60))
    x = r.integers(-5, 6, n).astype('f8')
    b, a = r.integers(-3, 4, int(r.integers(1, 5))), r.integers(-1, 2, int(r.integers(1, 4)))
    a[0] = r.choice([1, 2, -1])
    y = np.zeros(n)
    for i in range(n):
        y[i] = (sum(b[j]*x[i - j] for j in range(len(b)) if i >= j) -
                sum(a[j]*y[i - j] for j in range(1, len(a)) if i >= j))/a[0]
    bound = 1e-10*max(1, np.abs(y).max())
    case.want(f'filter({case.array(b.astype("f8"))}, {case.array(a.astype("f8"))}, '
              f'{case.array(x)})', y, bound)


def wrong(mine, theirs, bound):
    if mine.shape != theirs.shape:
        return f'shape {mine.shape}, not {theirs.shape}'
    mine, theirs = mine.astype('f8'), theirs.astype('f8')
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    near = same | (np.abs(mine - theirs) <= bound)
    return None if near.all() else f'{mine[~near][:3]}, not {theirs[~near][:3]}'


def run(binary, case, home):
    for name, value in case.inputs.items():
        np.save(os.path.join(home, f'{name}.npy'), value)
    script = [f'{name} = load("{name}.npy");' for name in case.inputs]
    for k, (expression, _, _) in enumerate(case.results):
        script.append(f'r{k} = {expression}; save("r{k}.npy", r{k});')
    done = subprocess.run([binary, '-k', 'run', '-'], input='\n'.join(script), cwd=home,
                          capture_output=True, text=True, check=False)
    for k, (expression, theirs, bound) in enumerate(case.results):
        path = os.path.join(home, f'r{k}.npy')
        what = 'no result'
        if os.path.exists(path):
            what = wrong(np.load(path), theirs, bound)
            os.remove(path)
        score.check(what is None, expression, f'{what}\n{done.stderr[-600:]}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', default='build/fusible')
    parser.add_argument('--count', type=int, default=40)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    home = folder('counts')
    for seed in range(args.seed, args.seed + args.count):
        r = np.random.default_rng(seed)
        case = Case()
        for part in (groups, places, lines, chosen, recurrences):
            part(case, r)
        run(os.path.abspath(args.bin), case, home)
    return score.close()


if __name__ == '__main__':
    raise SystemExit(main())
