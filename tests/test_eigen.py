#!/usr/bin/python3
"""Eigenvalues of any square matrix beside numpy.

Rotations and triangles, whose eigenvalues are known; random matrices, real and complex, by what
is left of A*V - V*D and by numpy's eigenvalues of well-conditioned ones; Hermitian ones; what is
no matrix, or not finite. On the CPU and, unless --target says otherwise, on the fake GPU.

    tests/test_eigen.py [--target cpu|fake|both]

The last line is `N passed, N failed`.
"""
import argparse
import sys

import numpy as np

from test_fourier import HOME, fakegpu, run, score  # noqa: F401

UNIT = {'f4': 2. ** -24, 'f8': 2. ** -53, 'c8': 2. ** -24, 'c16': 2. ** -53}


def joined(parts):
    return parts[0] + 1j * parts[1]


def residual(name, a, got, target):
    """A*V = V*D to rounding, vectors of length 1 whose largest number is real and positive."""
    n, u = len(a), UNIT[a.dtype.str[1:]]
    d, v = joined(got['d' + name]), joined(got['V' + name])
    left = np.linalg.norm(a.astype(complex) @ v - v * d)
    score.check(d.shape == (n,) and v.shape == (n, n) and
                left <= 20 * n * u * np.linalg.norm(a), f'eig of {name} on {target}', f'{left}')
    score.check(np.abs(np.linalg.norm(v, axis=0) - 1).max() <= 4 * n * u,
                f'lengths of vectors of {name} on {target}')
    most = np.abs(v).max(0)
    first = [v[np.argmax(np.abs(v[:, j]) >= most[j] * (1 - 1e-5)), j] for j in range(n)]
    score.check(np.abs(np.imag(first)).max() <= 8 * u and np.real(first).min() > 0,
                f'phases of vectors of {name} on {target}', f'{first}')
    score.check(abs(d.sum() - np.trace(a)) <= 20 * n * u * np.linalg.norm(a),
                f'the trace of {name} on {target}')


def matrices():
    draw = np.random.default_rng(5)
    x = draw.standard_normal((40, 40))
    q, _ = np.linalg.qr(x[:30, :30] + 1j * x[5:35, 5:35])
    normal = q @ np.diag(draw.standard_normal(30) + 1j * draw.standard_normal(30)) @ q.conj().T
    return {'Q': np.array([[0, 1], [-1, 0]], 'f4'), 'R': x.astype('f8'), 'S': x[:25, :25].astype('f4'),
            'C': (x[:20, :20] + 1j * x[20:, 20:]).astype('c16'), 'N': normal,
            'B': (x[:9, :9] - 1j * x[9:18, :9]).astype('c8'), 'O': np.array([[3.]]),
            'H': ((x + 1j * x.T) + (x + 1j * x.T).conj().T).astype('c16')}


def general(target):
    data = matrices()
    lines = [line for k in data for line in
             (f'd{k}, V{k} = eig({k});', f'w{k} = eig({k});')]
    names = [f'{p}{k}' for k in data for p in 'dVw']
    got = run(lines, data, target, 'eig', names)
    if not got:
        return
    for k, a in data.items():
        residual(k, a, got, target)
        values, alone = joined(got['d' + k]), joined(got['w' + k])
        u = UNIT[a.dtype.str[1:]]
        if k in 'NHQ':
            want = np.linalg.eigvals(a.astype(complex))
            far = max(np.abs(want - x).min() for x in values)
            also = max(np.abs(alone - x).min() for x in values)
            score.check(max(far, also) <= 40 * len(a) * u * np.linalg.norm(a, 2),
                        f'the eigenvalues of {k} on {target}', f'{far} {also}')
    v = joined(got['VH'])
    score.check(got['dH'][1].max() == 0 and (np.diff(got['dH'][0]) >= 0).all(),
                f'those of a Hermitian matrix are real and ascend on {target}')
    score.check(np.abs(v.conj().T @ v - np.eye(40)).max() < 1e-13,
                f'its vectors are orthonormal on {target}')
    score.check(np.array_equal(np.sort_complex(joined(got['dQ'])), [-1j, 1j]),
                f'those of a quarter turn are exact on {target}')


def types(target):
    """Real of what is symmetric up to rounding, else complex."""
    cases = ['[2, 1; 1, 2]', '[2, 1; 0, 2]', 'f64([1, 2; 3, 4])', 'i32([1, 2; 3, 4])',
             'i64([1, 2; 2, 4])', '[1, 1i; -1i, 1]', '[1, 1e-3; 0, 1]', 'f16([1, 2; 2.002, 1])', '5',
             '2i']
    program = ''.join(f'print(dtype(eig({c})))\n' for c in cases)
    program += ('A = [1, 2; 3, 4]; B = A*A; print(round(re(sum(eig(B)))))\n'
                'print(size(eig(zeros(0, 0)), 1))\n')
    want = ('f32 c64 c128 c64 f64 f32 c64 f32 f32 c64 29 0').split()
    done = fakegpu.run_script(program, target, HOME)
    score.check(done.stdout.split() == want, f'types on {target}', done.stdout + done.stderr)
    for text, words in (('eig(ones(2, 3))', 'square matrix'), ('eig(ones(2, 2, 3))', 'square matrix'),
                        ('eig([1, nan; 2, 3])', 'converge'), ('eig([1i, inf; 2, 3])', 'converge')):
        done = fakegpu.run_script(text + '\n', target, HOME)
        score.check(done.returncode == 1 and words in done.stderr, f'{text} on {target}',
                    done.stdout + done.stderr)


def functions(target):
    """sqrtm, logm, expm: by what undoes them."""
    draw = np.random.default_rng(8)
    x = draw.standard_normal((12, 12))
    data = {'G': x + 6 * np.eye(12), 'S': x @ x.T + np.eye(12), 'T': np.array([[-1., 1], [0, -2]]),
            'Q': np.array([[0., 1], [-1, 0]]), 'C': x[:5, :5] + 1j * x[5:10, :5] + 5 * np.eye(5),
            'F': (x + 6 * np.eye(12)).astype('f4'), 'N': -(x @ x.T + np.eye(12))}
    lines, names = [], []
    for k in data:
        lines += [f'r{k} = sqrtm({k});', f'l{k} = logm({k});', f'e{k} = expm(l{k});',
                  f'i{k} = f64(isreal(r{k}));']
        names += [p + k for p in 'rlei']
    got = run(lines + ['z = expm([0, 1i; 1i, 0]);'], data, target, 'functions of matrices',
              names + ['z'])
    for k, a in data.items() if got else []:
        r, e = joined(got['r' + k]), joined(got['e' + k])
        u = UNIT[a.dtype.str[1:]]
        score.check(np.linalg.norm(r @ r - a) <= 60 * u * np.linalg.norm(a), f'sqrtm of {k} on {target}')
        score.check(np.linalg.norm(e - a) <= 600 * u * np.linalg.norm(a), f'logm of {k} on {target}',
                    f'{np.linalg.norm(e - a) / u}')
        score.check(got['i' + k][0] == (k not in 'TCN'), f'the type of the root of {k} on {target}')
    want = np.array([[np.cos(1), 1j * np.sin(1)], [1j * np.sin(1), np.cos(1)]])
    score.check(bool(got) and np.abs(joined(got['z']) - want).max() < 1e-6, f'expm on {target}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--target', default='both')
    args = parser.parse_args()
    for target in ['cpu', 'fake'] if args.target == 'both' else [args.target]:
        general(target)
        types(target)
    functions('cpu')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
