#!/usr/bin/python3
"""Sums and products of integers that leave their type: an error where Python's integers say so,
and else their value, on the CPU and on the fake GPU, after `:set overflow error`; what wraps else.

The last line is `N passed, N failed`.
"""
import os
import random
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
LIMITS = {'i8': (-2**7, 2**7), 'u8': (0, 2**8), 'i16': (-2**15, 2**15), 'u16': (0, 2**16),
          'i32': (-2**31, 2**31), 'u32': (0, 2**32), 'i64': (-2**63, 2**63), 'u64': (0, 2**64)}


def numpy_type(dtype):
    return {'i': 'int', 'u': 'uint'}[dtype[0]] + dtype[1:]


def wide(dtype):
    return 'u64' if dtype == 'u64' else 'i64'


def fits(values, dtype):
    low, high = LIMITS[wide(dtype)]
    return all(low <= v < high for v in np.asarray(values, dtype=object).ravel())


def wrapped(values, dtype):
    low = LIMITS[wide(dtype)][0]
    return [(int(v) - low) % 2**64 + low for v in np.asarray(values, dtype=object).ravel()]


def draw(rng, dtype, count):
    """Numbers near the ends, near a root of them, or small."""
    low, high = LIMITS[dtype]
    top = rng.choice([high, high, int(high**.5) + 1, high // count + 1, 5])
    out = [rng.choice([rng.randrange(top), top - 1, 1, 0 if rng.random() < .1 else 2])
           for _ in range(count)]
    return [max(low, -v) if low and rng.random() < .3 else v for v in out]


def case(rng, folder, k):
    """A statement, and what Python's integers make of it."""
    dtype = rng.choice(list(LIMITS) + ['i64', 'u64'] * 3)
    m, n = rng.choice([(1, 7), (3, 5), (33, 17), (2, 64), (5, 2)])
    A = np.array(draw(rng, dtype, m * n), dtype=numpy_type(dtype)).reshape(m, n)
    B = np.array(draw(rng, dtype, n * 3), dtype=numpy_type(dtype)).reshape(n, 3)
    np.savez(os.path.join(folder, f'{k}.npz'), A=A, B=B)
    a, b = A.astype(object), B.astype(object)
    text, value = rng.choice([
        ('sum(A)', a.sum()), ('sum(A, 1)', a.sum(0)), ('sum(A, 2)', a.sum(1)), ('prod(A)', a.prod()),
        ('prod(A, 2)', a.prod(1)), ('sum(A\')', a.sum()), ('sum(A[1:2:end, :])', a[::2].sum()),
        ('A*B', a.dot(b)), ('A*B[:, 2]', a.dot(b[:, 1])), ('B\'*A\'', a.dot(b).T),
        ('sum(A[:])', a.sum())])
    return dtype, text, value


def run_cases(count, target):
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        cases = [case(rng, folder, k) for k in range(count)]
        lines = []
        for mode in ('error', 'wrap'):
            lines.append(f':set overflow {mode}')
            for k, (dtype, text, _) in enumerate(cases):
                lines.append(f'A = load("{folder}/{k}.npz", "A");\nB = load("{folder}/{k}.npz", "B");\n'
                             f'try\nr = {text};\nsave("{folder}/{k}.{mode}.npy", r)\nprint("good")\n'
                             'catch e\nprint(e)\nend')
        done = fakegpu.run_script('\n'.join(lines), target, folder)
        said = done.stdout.splitlines()
        score.check(len(said) == 2 * count, (target, done.stderr[-500:], len(said)))
        for k, (dtype, text, value) in enumerate(cases):
            numbers = wrapped(value, dtype)
            told = said[k] if k < len(said) else ''
            good = fits(value, dtype)
            score.check('good' == told if good else 'wraps around' in told, (target, dtype, text, value, told))
            for mode in ['error'] * good + ['wrap']:
                made = np.load(f'{folder}/{k}.{mode}.npy')
                score.check(made.dtype == np.dtype(numpy_type(wide(dtype))) and made.ravel().tolist() == numbers,
                            (target, mode, dtype, text, numbers, made))
        score.check(any(not fits(v, d) for d, _, v in cases), 'no case overflows')


def loops():
    """The round in which a sum overflows, of a loop whose rounds come again; the value stays."""
    text = (':set overflow error\ny = i64([2^50, 2^50]); n = 0;\ntry\nfor k = 1:100; n = k; y = y*2; s = sum(y); end\n'
            'catch e\nprint(e)\nend\nprint(n, " ", y[1] == i64(2)^62, " ", s)\n'
            'y = i64([2^50, 2^50]); z = i64([2^62, 2^62]); q = sum(z .* 0);\n'
            'q = i64([1, 2]);\ntry\nbegin; b = sum(q); a = q[q + 5]; c = sum(a); end\ncatch e\n'
            'end\nd = sum(q .* q);\n'
            'begin; a = sum(y); b = prod(y); c = sum(z); end')
    for target in ('cpu', 'fake'):
        with tempfile.TemporaryDirectory() as folder:
            done = fakegpu.run_script(text, target, folder)
        said = done.stdout.splitlines()
        score.check(said == ['this sum is beyond i64: it wraps around', '12 true -9223372036854775808'],
                    (target, said))
        score.check(':16:24: error: this product is beyond i64' in done.stderr and done.returncode == 1,
                    (target, done.stderr))


def main():
    run_cases(int(sys.argv[sys.argv.index('--programs') + 1]) if '--programs' in sys.argv else 200, 'cpu')
    run_cases(40, 'fake')
    loops()
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
