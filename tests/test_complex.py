#!/usr/bin/python3
"""Complex numbers beside numpy.

Random programs of small whole numbers, whose every part must be numpy's; functions and
products of rounded data, each part within a bound of a reference in a longer type; special
values; parts, masks and views; files. On the CPU and, unless --target says otherwise, on the
fake GPU.

    tests/test_complex.py [--count N] [--first N] [--target cpu|fake|both]

The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import random
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score, folder  # noqa: E402

score = Score()
HOME = folder('complex')
PART = {'c64': np.float32, 'c128': np.float64}
WHOLE = {'c64': np.complex64, 'c128': np.complex128}
LONG = {'c64': np.complex128, 'c128': np.clongdouble}
UNIT = {'c64': 2. ** -24, 'c128': 2. ** -53}
SHAPES = [(1,), (2,), (7,), (31,), (33,), (1, 1), (1, 9), (3, 4), (5, 1), (33, 31), (64, 3)]


def run(text, data, target, what):
    """The results of a program that gets the arrays `data` as variables: what it saves."""
    path, out = os.path.join(HOME, 'in.npz'), os.path.join(HOME, 'out.npz')
    np.savez(path, **{f'{name}_{part}': getattr(a, part) for name, a in data.items()
                      for part in ('real', 'imag')})
    head = [f'{name} = complex(load("{path}", "{name}_real"), load("{path}", "{name}_imag"));'
            for name in data]
    if os.path.exists(out):
        os.remove(out)
    names = [line.split(' = ')[0] for line in text if ' = ' in line and line[0] != ' ' and
             line.split(' = ')[0].isidentifier()]
    names = sorted(set(names))
    saved = [s for n in names for s in (f'{n}_re = re({n});', f'{n}_im = im({n});')]
    parts = ', '.join(f'{n}_re, {n}_im' for n in names)
    program = '\n'.join(head + text + saved + [f'save("{out}", {parts})']) + '\n'
    done = fakegpu.run_script(program, target, HOME)
    if done.returncode != 0 or not os.path.exists(out):
        score.check(False, f'{what} runs on {target}', done.stdout + done.stderr + program)
        return None
    with np.load(out) as f:
        got = {}
        for n in names:
            re, im = f[f'{n}_re'], f[f'{n}_im']
            got[n] = joined(re, im)
        return got


def joined(re, im):
    out = np.empty(re.shape, np.complex64 if re.dtype == np.float32 else np.complex128)
    out.real, out.imag = re, im
    return out


def same(got, want):
    """Equal parts, NaN where NaN is."""
    want = np.asarray(want)
    got = np.asarray(got).reshape(want.shape)
    return all(np.array_equal(g, w, equal_nan=True)
               for g, w in ((got.real, want.real), (got.imag, want.imag)))


# -- whole numbers ------------------------------------------------------------------------


def gaussian(r, shape, most=3, dtype='c64'):
    draw = np.random.RandomState(r.randrange(2 ** 31))
    a = draw.randint(-most, most + 1, shape) + 1j * draw.randint(-most, most + 1, shape)
    return a.astype(WHOLE[dtype])


class Exact:
    """A program of statements each of whose values numpy has exactly."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.shape = self.r.choice(SHAPES)
        self.lines, self.vars, self.data = [], {}, {}
        for name in 'abc':
            dtype = self.r.choice(['c64', 'c64', 'c128'])
            self.data[name] = gaussian(self.r, self.shape, 3, dtype)
            self.vars[name] = self.data[name].astype(complex)
        for k in range(self.r.choice([2, 4, 6])):
            self.statement(f'v{k}')

    def leaf(self):
        r = self.r
        if r.random() < 0.2:
            x, y = r.randrange(-3, 4), r.randrange(-3, 4)
            return r.choice([(f'({x} + {y}i)', x + 1j * y), (f'{abs(y)}i', 1j * abs(y)),
                             (str(abs(x)), abs(x) + 0j)])
        name = r.choice([n for n in self.vars if np.abs(self.vars[n]).max() < 50] or ['a'])
        return name, self.vars[name]

    def expression(self, depth):
        r = self.r
        if depth == 0:
            return self.leaf()
        (s, x), (t, y) = self.expression(depth - 1), self.expression(r.randrange(depth))
        way = r.choice(['+', '-', '.*', '-x', 'conj', 're', 'im', 'square', 'where', 'power'])
        if np.abs(x).max() > 60 or np.abs(y).max() > 60:
            way = r.choice(['+', '-', 'conj', 're'])
        if way in ('+', '-', '.*'):
            return (f'({s} {way} {t})',
                    x + y if way == '+' else x - y if way == '-' else x * y)
        if way == 'where':
            return f'where(re({s}) > im({t}), {s}, {t})', np.where(x.real > y.imag, x, y)
        one = {'-x': (f'(-{s})', -x), 'conj': (f'conj({s})', np.conj(x)),
               're': (f're({s})', x.real + 0j), 'im': (f'im({s})', x.imag + 0j),
               'square': (f'square({s})', x * x), 'power': (f'({s}).^2', x * x)}
        return one[way]

    def statement(self, name):
        r = self.r
        text, x = self.expression(r.choice([1, 2, 3]))
        kind = r.choice(['value'] * 3 + ['sum', 'turned', 'part', 'mask', 'product', 'equal', 'put'])
        x = x + 0 * self.data['a']
        text = f'({text} + 0*a)'
        a = x.reshape(self.shape) if x.size > 1 or len(self.shape) else x
        if kind == 'sum':
            text, a = f'sum({text})', a.sum()
        elif kind == 'turned' and len(self.shape) == 2:
            plain = r.random() < 0.5
            text, a = f"({text}){'.' * plain}'", a.T if plain else a.conj().T
        elif kind == 'part' and a.shape[0] > 2:
            text, a = (f'({text})[2:end]', a[1:]) if a.ndim == 1 else (f'({text})[2:end, :]', a[1:])
        elif kind == 'mask' and a.ndim == 1 and (a.real > 0).any():
            text, a = f't[re(t) > 0]', a[a.real > 0]
            self.lines.append(f't = {self.text_of(x)};')
        elif kind == 'product' and np.abs(a).max() < 60:
            text, a = (f"({text})'*a", np.vdot(a, self.vars['a'])) if a.ndim == 1 else \
                (f"({text})'*a", a.conj().T @ self.vars['a'])
        elif kind == 'equal':
            text, a = f'complex(({text} == a)*1, 0)', (a == self.vars['a']) * 1 + 0j
        elif kind == 'put' and a.ndim == 1 and a.size > 3:
            self.lines += [f'{name} = c64({text});', f'{name}[2] = 5 - 2i;', f'{name}[1:2:end] += 1i;']
            a = a.copy()
            a[1] = 5 - 2j
            a[::2] += 1j
            self.keep(name, a)
            return
        self.lines.append(f'{name} = c128({text});' if r.random() < 0.3 else f'{name} = {text};')
        self.keep(name, a)

    def text_of(self, x):
        re = ', '.join(f'{v.real:.0f} + {v.imag:.0f}i' for v in np.ravel(x))
        return f'[{re}]'.replace('+ -', '- ')

    def keep(self, name, a):
        if np.shape(a) == self.shape:
            self.vars[name] = a
        self.want = getattr(self, 'want', {})
        self.want[name] = a


def exact(seed, targets):
    p = Exact(seed)
    for target in targets:
        got = run(p.lines, p.data, target, f'program {seed}')
        for name, want in p.want.items():
            if got is None:
                break
            good = got[name].size == np.size(want) and same(np.ravel(got[name]), np.ravel(want))
            score.check(good, f'program {seed} on {target}: {name}',
                        '\n'.join(p.lines) + f'\n{got[name]}\n{want}')


# -- state --------------------------------------------------------------------------------


def state(seed, targets):
    """Names that share parts, of which parts are assigned, in blocks and loops: all keep
    their values."""
    r = random.Random(seed)
    n = r.choice([1, 5, 33, 70000])
    have = {x: gaussian(r, (n,), 4, 'c128').astype(complex) for x in 'abc'}
    data = {x: v.astype(np.complex64) for x, v in have.items()}
    lines, depth = ['  ' + f'{x} = c64({x});' for x in 'abc'], 0
    for _ in range(30):
        x, y, z = (r.choice('abc') for _ in range(3))
        i = r.randrange(n)
        j = r.randrange(i, n)
        way = r.choice(['copy', 'conj', 'swap', 'one', 'part', 'add', 'mask', 'parts', 'all', 'loop',
                        'begin', 'list'])
        X, Y, Z = have[x], have[y], have[z]
        if way == 'copy':
            text, new = f'{x} = {y};', Y
        elif way == 'conj':
            text, new = f'{x} = conj({y});', Y.conj()
        elif way == 'swap':
            text = f'{x}, {y} = {y}, {x};'
            have[x], new = Y, Y
            have[y] = X
        elif way == 'one':
            text, new = f'{x}[{i + 1}] = {y}[{j + 1}] - 1i;', X.copy()
            new[i] = Y[j] - 1j
        elif way == 'part':
            text, new = f'{x}[{i + 1}:{j + 1}] = {y}[{i + 1}:{j + 1}];', X.copy()
            new[i:j + 1] = Y[i:j + 1]
        elif way == 'add':
            text, new = f'{x}[{i + 1}:{j + 1}] += 2i;', X.copy()
            new[i:j + 1] += 2j
        elif way == 'mask':
            text, new = f'{x}[re({x}) > 1] = 1i;', np.where(X.real > 1, 1j, X)
        elif way == 'parts':
            text, new = f'{x} = complex(im({y}), re({z}));', Y.imag + 1j * Z.real
        elif way == 'all':
            text, new = f'{x}[:] = 3 - 1i;', np.full(n, 3 - 1j)
        elif way == 'list':
            text, new = f'{x}[[{i + 1}, {j + 1}, {i + 1}]] += 1 + 1i;', X.copy()
            np.add.at(new, [i, j, i], 1 + 1j)
        elif way == 'loop' and not depth:
            text, new = f'for k = 1:3; {x}[{i + 1}] += k*1i; end', X.copy()
            new[i] += 6j
        else:
            text, new = ('end', X) if depth else ('begin', X)
            depth = not depth
        if way == 'swap' and x == y:
            text, new = f'{x} = {y};', X
        have[x] = new
        lines.append('  ' + text)
    lines += ['  end'] * depth + [f'v{x} = {x} + 0;' for x in 'abc']
    for target in targets:
        got = run(lines, data, target, f'state {seed}')
        for x in 'abc':
            good = got is not None and same(got[f'v{x}'].ravel(), have[x])
            score.check(good, f'state {seed} on {target}: {x}', '\n'.join(lines))


# -- functions of rounded data ------------------------------------------------------------

# A bound of both parts' errors, in units of the part; and where parts cancel by nature, of
# the magnitude of the result.
FUNCTIONS = {
    'sqrt': (np.sqrt, 8, 0), 'exp': (np.exp, 12, 0), 'log': (np.log, 8, 2), 'sin': (np.sin, 16, 0),
    'cos': (np.cos, 16, 0), 'sinh': (np.sinh, 16, 0), 'cosh': (np.cosh, 16, 0),
    'tanh': (np.tanh, 40, 0), 'tan': (np.tan, 40, 0), 'abs': (np.abs, 8, 0),
    'arg': (np.angle, 8, 0), 'conj': (np.conj, 0, 0), 'square': (np.square, 0, 4),
    'log10': (np.log10, 12, 4)}


def points(r, dtype, n):
    """Of all sizes, and near the unit circle."""
    g = np.random.RandomState(r.randrange(2 ** 31))
    a = g.randn(n) + 1j * g.randn(n)
    a[::3] *= 10. ** g.uniform(-4, 1, a[::3].shape)
    k = a[1::5].shape
    a[1::5] = np.exp(1j * g.uniform(-3.1, 3.1, k)) * (1 + 1e-5 * g.randn(*k))
    a[2::7] = a[2::7].real
    return a.astype(WHOLE[dtype])


def apart(got, want, own, whole, unit, tiny, most):
    """How often the bound the error is, at most."""
    worst = 0.
    size = np.abs(want).astype(np.longdouble)
    for g, w in ((got.real, want.real), (got.imag, want.imag)):
        bound = unit * (own * np.abs(w) + whole * size) + tiny
        off = np.abs(g.astype(np.longdouble) - w) / np.maximum(bound, np.finfo(np.longdouble).tiny)
        worst = max(worst, float(np.max(off[size < most], initial=0)))
    return worst


def functions(seed, target):
    r = random.Random(seed)
    for dtype in ('c64', 'c128'):
        z, w = points(r, dtype, 999), points(r, dtype, 999)
        lines = [f'{f} = {f}(z);' for f in FUNCTIONS]
        lines = [line.replace(f'{f} = ', f'f_{f} = ', 1) for f, line in zip(FUNCTIONS, lines)]
        lines += ['quotient = z./w;', 'product = z.*w;', 'p3 = z.^3;', 'pc = z.^(0.5 + 0.3i);',
                  'inverse = 1./z;', 'mixed = z./re(w);', 'pz = z.^w;']
        got = run(lines, {'z': z, 'w': w}, target, f'functions of {dtype}')
        if got is None:
            continue
        u, tiny = UNIT[dtype], float(np.finfo(PART[dtype]).smallest_subnormal) * 4
        most = np.finfo(PART[dtype]).max / 4
        Z, W = z.astype(LONG[dtype]), w.astype(LONG[dtype])
        with np.errstate(all='ignore'):
            for f, (ref, own, whole) in FUNCTIONS.items():
                off = apart(got[f'f_{f}'], np.asarray(ref(Z)), own, whole, u, tiny, most)
                score.check(off <= 1, f'{f} of {dtype} on {target}', f'{off:.2f} of the bound')
            others = {'product': (Z * W, 0, 4), 'p3': (Z ** 3, 0, 12), 'inverse': (1 / Z, 8, 0),
                      'mixed': (Z / W.real, 4, 0),
                      'quotient': (Z / W, 1 if dtype == 'c64' else 0, 0 if dtype == 'c64' else 8),
                      'pc': (np.exp((0.5 + 0.3j) * np.log(Z)), 0, 40),
                      'pz': (np.exp(W * np.log(Z)), 0, 1000 if dtype == 'c128' else 8)}
            for name, (want, own, whole) in others.items():
                off = apart(got[name], want, own, whole, u, tiny, most)
                score.check(off <= 1, f'{name} of {dtype} on {target}', f'{off:.2f} of the bound')


# -- special values -----------------------------------------------------------------------


def specials(target):
    """Branch cuts by the sign of a zero, and nothing that overflows on the way."""
    big, small = 1e308, 1e-308
    cases = [
        ('sqrt', -4 + 0j, 2j), ('sqrt', complex(-4, -0.), -2j), ('sqrt', 0j, 0j),
        ('sqrt', complex(np.inf, 1), complex(np.inf, 0)), ('sqrt', complex(1, np.inf), complex(np.inf, np.inf)),
        ('sqrt', complex(-np.inf, 1), complex(0, np.inf)),
        ('log', -1 + 0j, complex(0, np.pi)), ('log', complex(-1, -0.), complex(0, -np.pi)),
        ('log', 0j, complex(-np.inf, 0)), ('log', complex(np.inf, np.inf), complex(np.inf, np.pi / 4)),
        ('exp', complex(np.inf, 0), complex(np.inf, 0)), ('exp', complex(-np.inf, 1), 0j),
        ('exp', 0j, 1 + 0j), ('abs', complex(np.inf, 1), np.inf), ('abs', complex(3e300, 4e300), 5e300),
        ('arg', complex(-1, -0.), -np.pi), ('arg', complex(-1, 0.), np.pi),
        ('tanh', complex(1000, 1), 1 + 0j), ('tanh', complex(-1000, 1), -1 + 0j),
        ('sinh', complex(np.inf, 0), complex(np.inf, 0)), ('cosh', complex(np.inf, 0), complex(np.inf, 0))]
    z = np.array([c[1] for c in cases], complex)
    lines = [f'v{k} = {f}(z[{k + 1}]);' for k, (f, _, _) in enumerate(cases)]
    got = run(lines, {'z': z}, target, 'special values')
    for k, (f, x, want) in enumerate(cases):
        if got is None:
            break
        g = complex(got[f'v{k}'].ravel()[0])
        good = all(a == b or abs(a - b) < 1e-15 * abs(b) or abs(b) == 0 and abs(a) < 1e-300
                   for a, b in ((g.real, complex(want).real), (g.imag, complex(want).imag)))
        score.check(good, f'{f}({x}) on {target}', f'{g} instead of {want}')
    a = np.array([complex(big, big), complex(small, small), complex(big, 0), complex(1, 1), 1 + 1j])
    b = np.array([complex(big, big), complex(small, small), complex(big, big), complex(1e200, 1e-200),
                  complex(small, small)])
    want = np.array([1, 1, 0.5 - 0.5j, complex(1e-200, 1e-200), complex(1 / small, 0)])
    got = run(['q = a./b;', 's = sqrt(a);', 'l = log(a);', 'n = norm(a);'], {'a': a, 'b': b}, target,
              'quotients of large numbers')
    if got:
        off = np.abs(got['q'] - want) <= 4 * 2. ** -53 * np.abs(want)
        score.check(off.all(), f'no quotient overflows on the way, on {target}', str(got['q']))
        off = np.abs(got['s'] - np.sqrt(a)) <= 1e-15 * np.abs(np.sqrt(a))
        score.check(off.all(), f'no root overflows on the way, on {target}', str(got['s']))
        off = np.abs(got['l'] - np.log(a)) <= 4 * 2. ** -53 * np.abs(np.log(a))
        score.check(off.all(), f'no logarithm overflows on the way, on {target}', str(got['l']))


# -- products -----------------------------------------------------------------------------


def products(seed, target):
    r = random.Random(seed)
    g = np.random.RandomState(seed)
    for dtype in ('c64', 'c128'):
        for m, n in ((1, 1), (1, 31), (33, 31), (31, 33), (5000, 3), (3, 5000)):
            a, p, q = (np.asarray(g.randn(*s) + 1j * g.randn(*s)).astype(WHOLE[dtype])
                       for s in ((m, n), (n,), (m,)))
            b = (g.randn(n, 5) + 1j * g.randn(n, 5)).astype(WHOLE[dtype])
            lines = ['y = a*p;', "x = a'*q;", "o = q*p';", "d = dot(q, q);", 'c = a*b;',
                     'h = norm(q);', 's = sum(a, 1);', 't = sum(a, 2);', 'mu = mean(a);',
                     'e = cumsum(p);']
            got = run(lines, {'a': a, 'p': p, 'q': q, 'b': b}, target, f'products {m}x{n}')
            if got is None:
                continue
            A, P, Q, B = (x.astype(np.complex128 if dtype == 'c64' else np.clongdouble)
                          for x in (a, p, q, b))
            want = {'y': (A @ P, np.abs(A) @ np.abs(P)), 'x': (A.conj().T @ Q, np.abs(A).T @ np.abs(Q)),
                    'o': (np.outer(Q, P.conj()), 2 * np.outer(np.abs(Q), np.abs(P))),
                    'd': (np.vdot(Q, Q), np.vdot(np.abs(Q), np.abs(Q))),
                    'c': (A @ B, np.abs(A) @ np.abs(B)), 'h': (np.sqrt(np.sum(np.abs(Q) ** 2)),) * 2,
                    's': (A.sum(0), np.abs(A).sum(0)), 't': (A.sum(1), np.abs(A).sum(1)),
                    'mu': (A.mean(), np.abs(A).mean()), 'e': (P.cumsum(), 3 * np.abs(P).cumsum())}
            for name, (w, size) in want.items():
                k = 24 if name != 'c' else 2 * n + 8
                v = got[name].reshape(np.shape(w))
                off = np.max(np.maximum(np.abs(v.real - w.real), np.abs(v.imag - w.imag)) / size)
                score.check(off <= k * UNIT[dtype], f'{name} of {dtype} {m}x{n} on {target}',
                            f'{off / UNIT[dtype]:.1f} u of the sum of magnitudes')
    for n in (1, 2, 31, 33, 100):
        a = gaussian(r, (n,), 1, 'c128')
        a[a == 0] = 1j
        a[::2] = 1j ** (np.arange(a[::2].size) % 4)
        got = run(['w = prod(a);'], {'a': a}, target, f'prod of {n}')
        if got:
            score.check(complex(got['w'].ravel()[0]) == complex(np.prod(a)), f'prod of {n} on {target}',
                        f'{got["w"]} {np.prod(a)}')


def solves(seed, target):
    g = np.random.RandomState(seed)
    for n in (1, 2, 33):
        a = g.randn(n, n) + 1j * g.randn(n, n) + 2 * n * np.eye(n)
        b, c = g.randn(n) + 1j * g.randn(n), g.randn(n, 3) + 1j * g.randn(n, 3)
        tall, right = g.randn(2 * n + 1, n) + 1j * g.randn(2 * n + 1, n), g.randn(2 * n + 1) + 0j
        lines = ['x = a\\b;', 'y = a\\c;', 'i = inv(a);', 'z = re(a)\\b;', 'w = a\\re(b);',
                 'l = tall\\right;', 'p = a^-2;', 'q = a^3;']
        got = run(lines, {'a': a, 'b': b, 'c': c, 'tall': tall, 'right': right}, target,
                  f'solves of {n}')
        if got is None:
            continue
        want = {'x': np.linalg.solve(a, b), 'y': np.linalg.solve(a, c), 'i': np.linalg.inv(a),
                'z': np.linalg.solve(a.real, b), 'w': np.linalg.solve(a, b.real),
                'l': np.linalg.lstsq(tall, right, rcond=None)[0],
                'p': np.linalg.matrix_power(a, -2), 'q': np.linalg.matrix_power(a, 3)}
        h = a + a.conj().T
        more = run(['d = det(a);', 'e = eig(h);', 's = svd(tall);', 'k = eigvals(h);'],
                   {'a': a, 'h': h, 'tall': tall}, target, f'values of {n}')
        if more:
            got.update(more)
            want.update(d=np.linalg.det(a), e=np.linalg.eigvalsh(h), k=np.linalg.eigvalsh(h),
                        s=np.linalg.svd(tall, compute_uv=False))
        for name, w in want.items():
            w = np.asarray(w)
            v = got[name].reshape(w.shape)
            off = np.max(np.abs(v - w)) / np.max(np.abs(w))
            score.check(off < 1e-11 * (100 if name == 'z' else 1), f'{name} of {n} on {target}', f'{off}')


# -- files --------------------------------------------------------------------------------


def program(text, target='cpu'):
    done = fakegpu.run_script(text, target, HOME)
    return done.returncode, done.stdout + done.stderr


def numpy_files(target):
    """What NumPy writes is loaded, and what is saved NumPy reads."""
    g = np.random.RandomState(5)
    src, out = os.path.join(HOME, 'a.npy'), os.path.join(HOME, 'b.npy')
    for shape in ((), (1,), (5,), (1, 4), (3, 4), (2, 3, 4), (300, 1000)):
        for dtype in ('<c8', '<c16', '>c8', '>c16'):
            for order in 'CF':
                a = np.asarray(g.randn(*shape) + 1j * g.randn(*shape)).astype(dtype)
                np.save(src, np.asarray(a, order=order))
                code, said = program(f'a = load("{src}"); save("{out}", a);', target)
                good = code == 0
                if good:
                    b = np.load(out)
                    good = b.dtype == a.dtype.newbyteorder('<') and b.shape == a.shape and \
                        np.array_equal(a, b)
                score.check(good, f'{dtype} {shape} {order} through .npy on {target}', said)
    a, b = (g.randn(3, 4) + 1j).astype(np.complex64), g.randn(5)
    path, back = os.path.join(HOME, 'a.npz'), os.path.join(HOME, 'b.npz')
    np.savez_compressed(path, a=a, b=b)
    code, said = program(f':load "{path}"\nz = 2 - 3i;\nr = a[2, :].\';\nsave("{back}", a, b, z, r)\n', target)
    good = code == 0
    if good:
        with np.load(back) as f:
            names = list(f)
            v = [f[n] for n in names]
            good = np.array_equal(v[0], a) and np.array_equal(v[1], b) and v[2] == 2 - 3j and \
                v[2].dtype == np.complex128 and np.array_equal(v[3].ravel(), a[1])
    score.check(good, f'real and complex arrays through .npz on {target}', said)


def other_files():
    mtx, out = os.path.join(HOME, 'a.mtx'), os.path.join(HOME, 'b.mtx')
    cases = [
        ('array complex general\n2 2\n1 2\n3 -4\n5 0\n0 6\n', [[1 + 2j, 5], [3 - 4j, 6j]]),
        ('coordinate complex hermitian\n2 2 2\n1 1 2 0\n2 1 1 3\n', [[2, 1 - 3j], [1 + 3j, 0]]),
        ('coordinate complex symmetric\n2 2 1\n2 1 1 3\n', [[0, 1 + 3j], [1 + 3j, 0]]),
        ('coordinate complex skew-symmetric\n2 2 1\n2 1 1 3\n', [[0, -1 - 3j], [1 + 3j, 0]]),
        ('array complex hermitian\n2 2\n1 0\n2 3\n4 0\n', [[1, 2 - 3j], [2 + 3j, 4]]),
        ('coordinate complex general\n2 1 2\n1 1 1 1\n1 1 1 -2\n', [2 - 1j, 0])]
    for text, want in cases:
        with open(mtx, 'w', encoding='utf-8') as f:
            f.write('%%MatrixMarket matrix ' + text)
        npy = os.path.join(HOME, 'c.npy')
        code, said = program(f'a = load("{mtx}"); save("{npy}", a); save("{out}", a); b = load("{out}");'
                             'assert(all(a == b)); assert(dtype(a) == "c128")')
        good = code == 0 and np.array_equal(np.load(npy), np.array(want, complex))
        score.check(good, f'MatrixMarket {text!r}', said)
    for text, word in (('coordinate complex hermitian\n1 1 1\n1 1 1 1\n', 'which is real'),
                       ('array complex general\n1 1\n1\n% more\n', 'line 3 holds no real and imaginary part'),
                       ('array complex general\n1 1\n1 2 3\n', 'line 3 holds more than one value')):
        with open(mtx, 'w', encoding='utf-8') as f:
            f.write('%%MatrixMarket matrix ' + text)
        code, said = program(f'a = load("{mtx}")')
        score.check(code == 1 and word in said, f'MatrixMarket {text!r} is refused', said)
    code, said = program(f'save("{HOME}/a.csv", [1i, 2])')
    score.check(code == 1 and 'holds real numbers' in said, 'a .csv file is refused', said)
    sparse = os.path.join(HOME, 's.npz')
    np.savez(sparse, format=np.array(b'csr'), shape=np.array([2, 3]), indptr=np.array([0, 1, 3]),
             indices=np.array([2, 0, 1]), data=np.array([1 + 1j, 2, 3j]))
    npy = os.path.join(HOME, 'd.npy')
    code, said = program(f'a = load("{sparse}"); save("{npy}", a)')
    good = code == 0 and np.array_equal(np.load(npy), np.array([[0, 0, 1 + 1j], [2, 3j, 0]]))
    score.check(good, 'a sparse matrix of SciPy', said)
    np.save(os.path.join(HOME, 'l.npy'), np.zeros(2, np.clongdouble))
    code, said = program(f'a = load("{HOME}/l.npy")')
    score.check(code == 1 and 'long complex numbers' in said, 'c32 is refused', said)


# -- sessions -----------------------------------------------------------------------------


def events():
    """What front ends are told."""
    text = ':set elements 9\nz = 2 - 3i\nw = [1i, 2; 3, 4]\nv = w[1, 1]\n:vars json\n'
    done = subprocess.run([fakegpu.PROGRAM, '--no-rc', '--json'], input=text, capture_output=True,
                          text=True, check=False, env=fakegpu.environment(HOME, FUSIBLE_FAKE=None))
    got, listed = {}, []
    for line in done.stdout.splitlines():
        e = json.loads(line)
        if e.get('event') == 'value':
            got[e.get('name')] = e
        if '"kind": "complex"' in e.get('text', '') or '"kind":"complex"' in e.get('text', ''):
            listed = json.loads(e['text'])
    z, w, v = (got.get(n, {}) for n in 'zwv')
    score.check(z.get('kind') == 'complex' and (z.get('re'), z.get('im')) == (2, -3), 'a complex number',
                done.stdout)
    score.check(w.get('kind') == 'tensor' and w.get('dtype') == 'c64' and w.get('shape') == [2, 2] and
                w.get('elements') == [[0, 1], [2, 0], [3, 0], [4, 0]], 'a complex matrix', str(w))
    score.check(v.get('dtype') == 'c64' and v.get('shape') == [] and
                v['data']['text/plain'] == 'v = 0 + 1i', 'a complex scalar', str(v))
    told = {x['name']: (x['kind'], x['type'], x.get('bytes')) for x in listed}
    score.check(told == {'z': ('complex', 'complex number', None), 'w': ('tensor', 'c64[2×2]', 32),
                         'v': ('tensor', 'c64', 8)}, ':vars json', str(listed))


def moved():
    """From one target to another, and rounds of a loop that a mistake ends."""
    code, said = program('z = [1i, 2, 3]; w = 1i*z;\n:target cpu\nprint(sum(z), " ", w[1])\n'
                         ':target cuda\nprint(sum(z + w))\n', 'fake')
    score.check(code == 0 and '5 + 1i -1 + 0i' in said and '4 + 6i' in said, 'values move', said)


def mandelbrot(target):
    """As whole arrays, and as a function of one element; numpy has the same bits."""
    x = np.linspace(-2, 0.5, 61).astype(np.float32)
    y = np.linspace(-1.2, 1.2, 41).astype(np.float32)
    c = (x[None, :] + 1j * y[:, None]).astype(np.complex64)
    lines = ['z = 0*c;', 'n = zeros(41, 61);',
             'for k = 1:40;', '  z = z.*z + c;', '  inside = square(re(z)) + square(im(z)) <= 4;',
             '  n = n + inside;', '  z = where(inside, z, 2);', 'end',
             'function rounds(c)', '  z = 0*c;', '  n = 0;', '  for k = 1:40',
             '    z = z^2 + c;', '    inside = square(re(z)) + square(im(z)) <= 4;',
             '    n = n + inside;', '    z = where(inside, z, 2);', '  end', '  return n', 'end',
             'm = map(rounds, c);']
    got = run([line if not line.startswith('z =') else '  ' + line for line in lines], {'c': c}, target,
              'mandelbrot')
    re, im = np.zeros(c.shape, np.float32), np.zeros(c.shape, np.float32)
    n = np.zeros(c.shape)
    for _ in range(40):
        re, im = re * re - im * im + c.real, re * im + im * re + c.imag
        inside = re * re + im * im <= 4
        n += inside
        re, im = np.where(inside, re, np.float32(2)), np.where(inside, im, np.float32(0))
    if got:
        for name in 'nm':
            score.check(np.array_equal(got[name].real.reshape(n.shape), n),
                        f'mandelbrot ({name}) on {target}', f'{np.sum(got[name].real != n)} differ')


def letters(target):
    """einsum of whole numbers, exactly; a real array among them."""
    r = random.Random(5)
    data = {n: gaussian(r, s, 9) for n, s in (('A', (3, 4)), ('B', (4, 5)), ('T', (2, 3, 4)), ('S', (3, 3)))}
    cases = [('ij,jk->ik', 'AB'), ('ij,ij->i', 'AA'), ('bij,jk->bik', 'TB'), ('ij,kj,kl->il', 'AAS'),
             ('ii->', 'S'), ('ij->ji', 'A'), ('bij,ij->b', 'TA')]
    text = [f'e{k} = einsum("{said}", {", ".join(names)});' for k, (said, names) in enumerate(cases)]
    text += ['w = einsum("ij,jk->ik", re(A), B);', 'v = einsum("i,i->", [1, 2, 3], 1i*[1, 2, 3]);']
    got = run(text, data, target, 'einsum')
    want = {f'e{k}': np.einsum(said, *(data[n].astype(complex) for n in names))
            for k, (said, names) in enumerate(cases)}
    want |= {'w': data['A'].real @ data['B'], 'v': 14j}
    for name, value in want.items() if got else []:
        score.check(same(got[name].reshape(np.shape(value)), np.asarray(value, complex)),
                    f'{name} of einsum on {target}', f'{got[name]} {value}')


def eliminations(target):
    """L*U is A[p, :], L has ones and none larger than sqrt(2), of any shape and of batches."""
    r = np.random.default_rng(3)
    shapes = [(1, 1), (4, 4), (5, 3), (3, 5), (1, 3), (3, 1), (2, 4, 4), (3, 5, 2)]
    data = {f'A{k}': (r.standard_normal(s) + 1j * r.standard_normal(s)).astype(np.complex128)
            for k, s in enumerate(shapes)}
    data['A1'][:, 1] = 0  # a pivot that is not there
    text = [line for k in range(len(shapes))
            for line in (f'L{k}, U{k}, p{k} = lu(A{k});', f'l{k} = L{k} + 0;', f'u{k} = U{k} + 0;',
                         f'q{k} = f64(p{k}) + 0;')]
    got = run(text, data, target, 'lu')
    for k, shape in enumerate(shapes if got else []):
        A, L, U, p = data[f'A{k}'], got[f'l{k}'], got[f'u{k}'], got[f'q{k}'].real.astype(int) - 1
        m, n = shape[-2:]
        fits = L.shape == shape[:-1] + (min(m, n),) and U.shape == shape[:-2] + (min(m, n), n)
        score.check(fits and p.shape == shape[:-1], f'shapes of lu of {shape} on {target}',
                    f'{L.shape} {U.shape} {p.shape}')
        if not fits:
            continue
        chosen = np.take_along_axis(A, p[..., None], -2)
        bound = 2. ** -53 * 8 * min(m, n) * (np.abs(L) @ np.abs(U))
        lower = np.array_equal(np.tril(L, -1) + np.eye(m, min(m, n)), L) and np.array_equal(np.triu(U), U)
        score.check(lower and (np.abs(L) < 1.4143).all() and (np.abs(L @ U - chosen) <= bound).all(),
                    f'lu of {shape} on {target}', f'{L} {U} {p}')


# -- all ----------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=40)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--target', default='both')
    o = parser.parse_args()
    targets = ['cpu', 'fake'] if o.target == 'both' else [o.target]
    for target in targets:
        specials(target)
        functions(7, target)
        products(11, target)
        solves(13, target)
        mandelbrot(target)
        letters(target)
        eliminations(target)
    numpy_files('cpu')
    events()
    moved()
    other_files()
    for k in range(o.count):
        exact(o.first + k, targets if k < 8 else targets[:1])
        state(o.first + k, targets if k < 4 else targets[:1])
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
