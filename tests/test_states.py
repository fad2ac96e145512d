#!/usr/bin/python3
"""Variances and logarithms of sums of exponentials beside exact arithmetic.

`var`, `moments` and `logsumexp` are one reduction each, whose state has several numbers
(core/graph/reductions.def). Data that make it hard: a large mean beside a small variance, an
outlier that comes first, values that ascend so that the largest changes all the time, values
far apart, infinities and NaN, one element. Each result has its own bound, in units of the
exact result and of what the data are conditioned like; docs/numerics.md has the same bounds.

    tests/test_states.py [--target cpu|cuda|fake]

Without a target everything runs on the CPU and on the fake GPU. The last line is
`N passed, N failed`.
"""
import argparse
import decimal
import math
import os
import sys
import tempfile
from fractions import Fraction

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
UNIT = {'f32': 2.0 ** -24, 'f64': 2.0 ** -53}
TERMS = 32  # what is demanded where docs/numerics.md says t; data here are not made against it

SCRIPT = '''
x = load("x.npy"); A = load("A.npy");
begin
  v = var(x); l = logsumexp(x);
end
m, c = moments(A); w = var(A, 2); p = logsumexp(A, 1); q = logsumexp(A, 2);
save("v.npy", [f64(v), f64(l)]); save("c.npy", f64(c)); save("w.npy", f64(w));
save("m.npy", f64(m)); save("p.npy", f64(p)); save("q.npy", f64(q));
begin
  v2 = var(x); l2 = logsumexp(x);
end
print(f64(v) == f64(v2) || v != v, " ", f64(l) == f64(l2) || l != l);
'''


def exact_sums(x):
    """The sum, and n times the sum of squares about the mean, as fractions."""
    whole = [Fraction(float(e)) for e in x]
    s = sum(whole)
    return s, len(whole) * sum(e * e for e in whole) - s * s


def check_variance(what, got, x, u):
    """Within the bound: roundings of the sum of squares, and of the way from the first
    element to the mean, which the squares are taken about."""
    n = len(x)
    if n < 2 or not np.isfinite(x).all():
        score.check(math.isnan(got), f'{what}: {got}, not NaN')
        return
    s, squares = exact_sums(x)
    want = squares / (n * (n - 1))
    if u > 2.0 ** -53 and want > 2.0 ** 128:
        score.check(got == math.inf, f'{what}: {got}, not Inf')
        return
    away = abs(Fraction(float(x[0])) - s / n)
    condition = math.sqrt(float(away * away / want)) if want else 0
    bound = u * float(want) * (1 + TERMS * 2.0 ** -53 / u * (1 + condition))
    if u > 2.0 ** -53:  # sums of f64: the squares of what is away from the first element
        bound += 2.0 ** -53 * TERMS * float(away * away) * 2
    error = abs(Fraction(got) - want)
    score.check(error <= Fraction(bound), f'{what}: {got!r}, not {float(want)!r}; '
                f'{float(error) / (u * float(want) or 1):.3g} units')


def exponential(cache, x):
    if x not in cache:
        cache[x] = decimal.Decimal(x).exp()
    return cache[x]


def check_log_sum(what, got, x, u):
    x = [float(e) for e in x]
    top = max(x)
    if any(math.isnan(e) for e in x):
        score.check(math.isnan(got), f'{what}: {got}, not NaN')
        return
    if math.isinf(top):
        score.check(got == top, f'{what}: {got}, not {top}')
        return
    cache = {}
    decimal.getcontext().prec = 40
    terms = [(exponential(cache, e - top), top - e) for e in x if e > -math.inf]
    total = sum(t for t, _ in terms)
    want = decimal.Decimal(top) + total.ln()
    away = float(sum(t * decimal.Decimal(d) for t, d in terms) / total)
    bound = u * (2 * abs(float(want)) + 2 * abs(top) + away + 4 * math.log(len(x)) + 16 + TERMS)
    error = abs(decimal.Decimal(got) - want)
    score.check(error <= decimal.Decimal(bound),
                f'{what}: {got!r}, not {float(want)!r}; {float(error) / bound:.3g} of the bound')


def columns(check, what, got, A, u):
    for j in {0, A.shape[1] // 2, A.shape[1] - 1}:
        check(f'{what} {j}', float(np.ravel(got)[j]), A[:, j], u)


def data(g, kind, n):
    x = np.round(g.standard_normal(n) * 64) / 64
    if kind == 'far':  # x[i] - mean has few digits in common with the mean
        return x + 1e8
    if kind == 'outlier':
        x[0] = 1e6
    if kind == 'ascending':  # the largest changes with every few elements
        x = np.floor(np.arange(n) / 16) / 32
    if kind == 'steep':
        x = np.floor(np.arange(n) / 16) * 1.5 - 300
    if kind == 'descending':
        x = -np.floor(np.arange(n) / 16) / 32 + 50
    if kind == 'apart':
        x = np.where(np.arange(n) % 7 == 3, x - 600, x)
    if kind == 'equal':
        x = np.full(n, 0.1)
    if kind == 'huge':
        x = np.where(np.arange(n) % 2 == 0, -1e30, -2e30)
    if kind == 'low':
        x = np.full(n, -np.inf)
    if kind == 'some low':
        x = np.where(np.arange(n) < n - 1, -np.inf, 3)
    if kind == 'high':
        x[n // 2] = np.inf
    if kind == 'nan':
        x[n // 3] = np.nan
    if kind == 'both':
        x[0] = np.inf
        x[n - 1] = np.nan
    return x


KINDS = ['plain', 'far', 'outlier', 'ascending', 'steep', 'descending', 'apart', 'equal', 'huge',
         'low', 'some low', 'high', 'nan', 'both']


def run_case(g, folder, target, dtype, kind, n, shape):
    def of(count):
        return data(g, kind, count).astype({'f32': np.float32, 'f64': np.float64}[dtype])
    x = of(n)
    A = of(shape[0] * shape[1]).reshape(shape)
    if kind in ('ascending', 'steep', 'descending'):
        A = np.stack([of(shape[0]) for _ in range(shape[1])], axis=1)
    np.save(os.path.join(folder, 'x.npy'), x)
    np.save(os.path.join(folder, 'A.npy'), A)
    what = f'{target} {dtype} {kind} {n} {shape}'
    with open(os.path.join(folder, 'program.fs'), 'w', encoding='utf-8') as f:
        f.write(SCRIPT)
    env = fakegpu.environment(folder) if target == 'fake' else dict(os.environ)
    done = fakegpu.run(['--no-rc', '--target', 'cpu' if target == 'cpu' else 'cuda',
                        'program.fs'], env, cwd=folder)
    good = done.returncode == 0 and done.stdout == 'true true\n'
    score.check(good, f'{what}: {done.stdout}{done.stderr}')
    if not good:
        return
    v, l = (float(e) for e in np.load(os.path.join(folder, 'v.npy')))
    got = {k: np.load(os.path.join(folder, f'{k}.npy')) for k in 'cwpq'}
    u = UNIT[dtype]
    check_variance(f'{what} var', v, x, u)
    check_log_sum(f'{what} logsumexp', l, x, u)
    columns(check_variance, f'{what} var of column', got['c'], A, u)
    columns(check_variance, f'{what} var of row', got['w'], A.T, u)
    columns(check_log_sum, f'{what} logsumexp of column', got['p'], A, u)
    columns(check_log_sum, f'{what} logsumexp of row', got['q'], A.T, u)


def one_pass(folder):
    """Variances of f64 are one reduction, whatever they are of; a mean beside one is no pass more."""
    for text in ('v = var(A, 1)', 'v = var(A, 2)', 'v = var(A[:])', 'm, v = moments(A)'):
        script = f'A = f64(rand(40, 30)); A[1, 1] = 0;\n{text};\n:plan dump\n'
        done = fakegpu.run_script(script, 'cpu', folder)
        dump = done.stdout[done.stdout.rfind(": " + text):]
        score.check('reduce var over' in dump and dump.count(' = reduce ') <= 2, text,
                    done.stdout + done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--target', choices=['cpu', 'cuda', 'fake'])
    only = parser.parse_args().target
    g = np.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        one_pass(folder)
        for target in [only] if only else ['cpu', 'fake']:
            big = target != 'fake'
            for dtype in UNIT:
                for kind in KINDS:
                    run_case(g, folder, target, dtype, kind, 70001 if big else 5001,
                             (3000, 5) if big else (700, 5))
                run_case(g, folder, target, dtype, 'far', 1027, (9, 1500))
                run_case(g, folder, target, dtype, 'plain', 2, (2, 3))
                run_case(g, folder, target, dtype, 'plain', 1, (1, 4))
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
