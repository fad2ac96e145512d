#!/usr/bin/python3
"""What is read of an array after parts of it were replaced, in one block, beside numpy.

Slices with steps up and down, rows, columns, single elements, transposed and repeated; that
lie within the part, beside it, or partly in it, after one update or several. Whole numbers,
so every element must be the same. And loops that read what they have just written are
planned once.

    tests/test_parts.py [--target cpu|cuda] [--count 400]

The last line is `N passed, N failed`.
"""
import argparse
import os
import random
import re
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from score import Score  # noqa: E402

PROGRAM = os.environ.get('FUSIBLE', os.path.join(HERE, '..', 'build', 'fusible'))
score = Score()


def subscript(r, n):
    """Fusible's text of a subscript of an extent n, and numpy's."""
    kind = r.randrange(5)
    if kind == 0:
        return ':', slice(None)
    if kind == 1:
        k = r.randint(1, n)
        return f'{k}', k - 1
    a, b = sorted((r.randint(1, n), r.randint(1, n)))
    step = r.choice((1, 1, 2, 3))
    if kind < 4:
        return f'{a}:{step}:{b}', slice(a - 1, b, step)
    return f'{b}:-{step}:{a}', np.arange(b - 1, a - 2, -step)


def pick(a, subs):
    """A[i, j] as Fusible has it: a single subscript leaves an extent of 1."""
    for axis, s in enumerate(subs):
        a = np.take(a, np.atleast_1d(np.arange(a.shape[axis])[s]), axis)
    return a


def put(a, subs, value):
    at = [np.atleast_1d(np.arange(a.shape[k])[s]) for k, s in enumerate(subs)]
    a[np.ix_(*at)] = value


def case(seed):
    r = random.Random(seed)
    shape = (r.randint(1, 9),) if r.random() < 0.4 else (r.randint(1, 7), r.randint(1, 7))
    count = int(np.prod(shape))
    a = np.arange(1.0, count + 1).reshape(shape)
    lines = [f'A = reshape((1:{count}) + 0.0, {", ".join(map(str, shape))});', 'begin']
    for k in range(r.randint(1, 3)):
        texts, subs = zip(*(subscript(r, n) for n in shape))
        part = pick(a, subs)
        if r.random() < 0.3:
            lines.append(f'A[{", ".join(texts)}] = {100 + k};')
            put(a, subs, 100 + k)
        else:
            lines.append(f'A[{", ".join(texts)}] = A[{", ".join(texts)}]*{k + 2} + 50;')
            put(a, subs, part * (k + 2) + 50)
    results = []
    for k in range(3):
        texts, subs = zip(*(subscript(r, n) for n in shape))
        lines.append(f'r{k} = A[{", ".join(texts)}]*3;')
        results.append(pick(a, subs) * 3)
    lines.append('end')
    for k, x in enumerate(results):
        flat = ', '.join(f'{v:g}' for v in x.ravel())
        lines.append(f'print(all(vec(r{k} + 0*ones({x.size if x.ndim < 2 else x.shape[0]}'
                     f'{"" if x.ndim < 2 else f", {x.shape[1]}"})) == vec([{flat}])));')
    return lines


def test_parts(target, count):
    for first in range(0, count, 50):
        lines = []
        for seed in range(first, first + 50):
            lines += [f'print("case {seed}");'] + case(seed)
        got = subprocess.run([PROGRAM, '--target', target, '-'], input='\n'.join(lines) + '\n',
                             text=True, capture_output=True, timeout=600, check=False)
        cases = re.split(r'^case (\d+)$', got.stdout, flags=re.M)[1:]
        right = dict(zip(map(int, cases[::2]), cases[1::2]))
        for seed in range(first, first + 50):
            score.check(right.get(seed, '').split() == ['true'] * 3,
                        '\n'.join(case(seed)) + '\n' + right.get(seed, got.stderr[-500:]))


LOOPS = {
    'element': 'z[k] = 0.5*k; y[k] = z[k] + 1;',
    'element before': 'z[k] = 0.5*k; y[k] = z[k - 1] + 1;',
    'row': 'A[k, :] = k*x\'; s = s + sum(A[k, :]);',
    'column': 'A[:, k] = k*x; s = s + sum(A[:, k]);',
}


def test_loops(target):
    for name, body in LOOPS.items():
        text = ('z = zeros(40); y = zeros(40); A = ones(40, 40); x = (1:40) + 0.0; s = 0.0;\n'
                f'for k = 3:39\n{body}\nend\n:plan all\n'
                'print("=", s + sum(z) + sum(y) + sum(A));\n')
        got = subprocess.run([PROGRAM, '--target', target, '-'], input=text, text=True,
                             capture_output=True, timeout=600, check=False)
        n = len(re.findall(r'block \d+', got.stderr))
        score.check(1 <= n <= 4, f'{name}: {n} blocks are planned\n{got.stdout}{got.stderr}')
        score.check(f'={LOOPS_GIVE[name]}\n' in got.stdout, f'{name}: {got.stdout[-200:]}')


def loops_give():
    """s + sum(z) + sum(y) + sum(A) of each loop."""
    k = np.arange(3, 40)
    element = (0.5 * k).sum() + (0.5 * k + 1).sum() + 1600
    before = (0.5 * k).sum() + (np.where(k > 3, 0.5 * (k - 1), 0) + 1).sum() + 1600
    x, ones = np.arange(1.0, 41), 3 * 40
    rows = (k * x.sum()).sum()
    return {'element': element, 'element before': before, 'row': 2 * rows + ones,
            'column': 2 * rows + ones}


LOOPS_GIVE = {name: f'{value:.1f}'.removesuffix('.0') for name, value in loops_give().items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--target', default='cpu')
    parser.add_argument('--count', type=int, default=400)
    args = parser.parse_args()
    test_parts(args.target, args.count)
    test_loops(args.target)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
