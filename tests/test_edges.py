#!/usr/bin/python3
"""Random programs over what lies at the edge of the types, beside numpy.

The data are NaN, infinities, zeros of both signs, the smallest and largest numbers of
every type, and integers at their limits, of shapes such as 1 x 1; the statements compare
them, take extremes, convert between all types, choose by masks, and let integers wrap.
None of this rounds differently anywhere: a program is run whole under one strategy and in
steps under another, and must give numpy's bits (but for a NaN's). Sums of floats are held
to the bound of docs/numerics.md; solutions of A \\ b and inverses to that of a stable
method, in double precision.

    tests/test_edges.py [--count N] [--first N] [--target cpu|fake|cuda] [--quick]

The last line is `N passed, N failed`.
"""
import argparse
import ctypes
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from dtypes import (HELD, INTEGERS, ORDER, beside, float_type, is_float, limits,  # noqa: E402
                    number_type, promote, sum_type, to_integer)
from score import Score  # noqa: E402

score = Score()
UNIT = {'f16': 2. ** -11, 'bf16': 2. ** -8, 'f32': 2. ** -24, 'f64': 2. ** -53}
MOST = {'f16': 65504., 'bf16': 3.3e38, 'f32': 3.4e38, 'f64': 1.7e308}
STRATEGIES = ['smart', 'minsync', 'minmemory', 'noreorder', 'manual', 'off']
SHAPES = [(), (1,), (1, 1), (2,), (3,), (7,), (8,), (17,), (33,), (64,), (1, 9), (1, 32),
          (5, 1), (3, 4), (8, 8), (9, 17), (16, 33), (2, 3, 5), (1, 1, 1), (1, 4, 3),
          (520,), (24, 64), (64, 24)]


def positive(x):
    """A half of a power sees no sign of an infinity or of a zero."""
    return np.where(np.isinf(x) | (x == 0), np.abs(x), x)


# The powers that are products: of integers, too, but for the last two. The roundings of
# each are a bound of its relative error.
POWERS = {0.5: lambda x: np.sqrt(positive(x)), -0.5: lambda x: 1 / np.sqrt(positive(x)),
          1.5: lambda x: positive(x) * np.sqrt(positive(x)),
          -1.5: lambda x: 1 / np.sqrt(positive(x)) / positive(x), -2: lambda x: (1 / x) * (1 / x),
          5: lambda x: x * x * (x * x) * x, 6: lambda x: (x * x * x) * (x * x * x)}
ROUNDINGS = {0.5: 1, -0.5: 2, 1.5: 2, -1.5: 3, -2: 3, 5: 4, 6: 5}


def rounded(a, dtype):
    """What is computed in f32 as f16 or bf16."""
    a = np.asarray(a, HELD[dtype])
    if dtype == 'f16':
        return a.astype(np.float16).astype(np.float32)
    if dtype == 'bf16':
        u = np.atleast_1d(a).view(np.uint32).astype(np.int64)
        u = ((u + 0x7fff + ((u >> 16) & 1)) & 0xffff0000).astype(np.uint32)
        return np.where(np.isnan(a), a, u.view(np.float32).reshape(a.shape))
    return a


def convert(a, dtype):
    a = np.asarray(a)
    if dtype == 'bool':
        return a != 0
    if not is_float(dtype):
        return to_integer(a, dtype)
    return rounded(a.astype(HELD[dtype]), dtype)


def aligned(arrays):
    rank = max(a.ndim for a in arrays)
    return [a.reshape(a.shape + (1,) * (rank - a.ndim)) for a in arrays]


def floats(dtype):
    tiny, step = {'f16': (2. ** -24, 2. ** -10), 'bf16': (2. ** -133, 2. ** -7),
                  'f32': (2. ** -149, 2. ** -23), 'f64': (5e-324, 2. ** -52)}[dtype]
    return [np.nan, np.inf, -np.inf, 0., -0., tiny, -tiny, MOST[dtype], -MOST[dtype], 1., -1.,
            0.5, 1.5, 2.5, -2.5, 1 + step, 1 - step / 2, 3., 255.5, 256., 65536., -129., 2147483648., -2147483649., 9.3e18,
            -9.2233720368547758e18, 1e-5, 100.]


class Value:
    """text; dtype (None: a number of the host, whole or not); its array."""

    def __init__(self, text, dtype, a, whole=True):
        self.text, self.dtype, self.a, self.whole = text, dtype, a, whole


class Program:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.inputs, self.lines, self.want, self.checks = {}, [], {}, []
        self.types = r.sample(ORDER, r.randint(1, 3)) + r.sample(ORDER, 1)
        self.shapes = r.sample(SHAPES, 2)
        self.vars = []
        with np.errstate(all='ignore'):
            for _ in range(r.randint(2, 4)):
                self.given(r.choice(self.shapes), r.choice(self.types))
            for _ in range(r.randint(3, 10)):
                self.statement()

    def fresh(self):
        return f'v{len(self.want) + len(self.inputs) + 1}'

    def given(self, shape, dtype):
        """An input from a file, or what a cast makes of one that files have not."""
        r, n = self.r, int(np.prod(shape))
        pool = [0, 1] if dtype == 'bool' else floats(dtype) if is_float(dtype) else \
            limits(dtype)
        if r.random() < 0.3:
            pool = [x for x in pool if x == x and abs(x) < 1e4]
        few = r.sample(pool, min(len(pool), r.choice([2, 5, 30])))
        a = np.array([r.choice(few) for _ in range(n)], HELD[dtype]).reshape(shape)
        a = rounded(a, dtype) if is_float(dtype) else a
        name = self.fresh()
        self.inputs[name] = a.astype(np.float16) if dtype == 'f16' else a
        self.lines.append(f'{name} = {dtype}(load("given.npz", "{name}"));')
        self.vars.append(Value(name, dtype, a))

    # -- expressions ------------------------------------------------------------------

    def number(self):
        r = self.r
        if r.random() < 0.6:
            k = r.choice([0, 1, -1, 2, 3, 7, 200, 256, -129, 40000, 65536, 2147483647, 2147483648, -2147483648,
                          16777217, 2 ** 53, -2 ** 62])
            return Value(f'({k})', None, np.asarray(float(k)), True)
        x = r.choice(['0.5', '-1.5', '1e10', 'nan', 'inf', '(-inf)', '65520.0', '3.0'])
        return Value(x, None, np.asarray(float(x.strip('()'))), False)

    def operand(self, shape, depth):
        if depth > 0 and self.r.random() < 0.75:
            return self.expression(shape, depth - 1)
        return self.leaf(shape)

    def leaf(self, shape):
        fit = [v for v in self.vars if v.a.shape == shape]
        one = [v for v in self.vars if v.a.shape == ()]
        if one and self.r.random() < 0.1:
            return self.r.choice(one)
        if not fit:
            dtype, k = self.r.choice(self.types), self.r.choice([0, 1, 2])
            a = convert(np.full(shape, k), dtype)
            size = ', '.join(map(str, shape)) or '1'
            text = f'fill({k}, {size}, "{dtype}")'
            return Value(text if shape else f'{text}[1]', dtype, a)
        return self.r.choice(fit)

    def common(self, values, kind):
        """The type that operands are computed in, and their arrays."""
        tensors = [v for v in values if v.dtype]
        if not tensors:
            return None, None
        dtype = promote(*(v.dtype for v in tensors))
        dtype = promote(dtype, *(beside(float(v.a), v.whole, dtype) for v in values
                                 if not v.dtype))
        dtype = {'N': number_type, 'F': float_type, 'A': lambda t: t}[kind](dtype)
        return dtype, aligned([convert(v.a, dtype) for v in values])

    def pair(self, shape, depth):
        a = self.operand(shape, depth)
        b = self.number() if self.r.random() < 0.3 else self.operand(shape, depth)
        return (a, b) if self.r.random() < 0.7 else (b, a)

    def binary(self, shape, depth):
        a, b = self.pair(shape, depth)
        op = self.r.choice(['+', '-', '.*', './', 'min', 'max', 'mod', '+', '-', '.*'])
        dtype, x = self.common([a, b], 'F' if op == './' else 'N')
        if not dtype:
            return self.leaf(shape)
        if op == 'mod' and is_float(dtype):
            op = '-'
        f = {'+': np.add, '-': np.subtract, '.*': np.multiply, './': np.divide,
             'min': np.minimum, 'max': np.maximum, 'mod': np.mod}[op]
        text = f'{op}({a.text}, {b.text})' if op.isalpha() else f'({a.text} {op} {b.text})'
        out = f(*x)
        if op in ('min', 'max') and is_float(dtype):  # of zeros of both signs either
            text, out = f'({text} + 0)', out + HELD[dtype](0)
        if op == 'mod':
            out = np.where(x[1] == 0, 0, out).astype(out.dtype)
        return Value(text, dtype, rounded(out, dtype) if is_float(dtype) else out)

    def compared(self, shape, depth):
        a, b = self.pair(shape, depth)
        op = self.r.choice(['==', '!=', '<', '<=', '>', '>=', '&&', '||'])
        if op in '&&||':
            if not a.dtype:
                return self.leaf(shape)
            x = aligned([convert(v.a, 'bool') for v in (a, b)])
        else:
            dtype, x = self.common([a, b], 'N')
            if not dtype:
                return self.leaf(shape)
            signs = {t.dtype[0] for t in (a, b) if t.dtype in INTEGERS}
            if dtype == 'u64' and signs == {'i', 'u'} and a.dtype and b.dtype:  # exact
                x = aligned([v.a.astype(object) for v in (a, b)])
        f = {'==': np.equal, '!=': np.not_equal, '<': np.less, '<=': np.less_equal,
             '>': np.greater, '>=': np.greater_equal, '&&': np.logical_and,
             '||': np.logical_or}[op]
        return Value(f'({a.text} {op} {b.text})', 'bool', np.asarray(f(*x)).astype(bool))

    def unary(self, shape, depth):
        e = self.operand(shape, depth)
        op = self.r.choice(['-', 'abs', 'sign', 'square', '!', 'sqrt', 'floor', 'ceil', 'round',
                            'trunc', 'isnan', 'isfinite', 'copy', 'third', 'rsqrt', 'inverse',
                            'power'])
        kind = 'A' if op in ('copy', '!') else \
            'N' if op in ('-', 'abs', 'sign', 'square', 'third') else 'F'
        power = self.r.choice(list(POWERS)[:len(POWERS) if e.dtype and is_float(e.dtype) else -2])
        dtype, (x,) = self.common([e], kind)
        one = HELD[dtype](1)
        f = {'-': lambda x: -x, 'abs': np.abs, 'sign': np.sign, 'square': lambda x: x * x,
             '!': lambda x: x == 0, 'sqrt': np.sqrt, 'floor': np.floor, 'ceil': np.ceil,
             'round': np.rint, 'trunc': np.trunc, 'isnan': np.isnan, 'isfinite': np.isfinite,
             'copy': lambda x: x, 'rsqrt': lambda x: one / np.sqrt(x),
             'third': lambda x: rounded(x * x, dtype) * x if is_float(dtype) else x * x * x,
             'inverse': lambda x: one / x, 'power': POWERS[power]}[op]
        text = {'-': f'(-{e.text})', '!': f'(!{e.text})', 'third': f'({e.text}).^3',
                'inverse': f'(1 ./ {e.text})', 'power': f'({e.text}).^({power})'}.get(op, f'{op}({e.text})')
        out = f(x)
        if op in ('!', 'isnan', 'isfinite'):
            dtype = 'bool'
        return Value(text, dtype, rounded(out, dtype) if is_float(dtype) else out)

    def casted(self, shape, depth):
        e, dtype = self.operand(shape, depth), self.r.choice(ORDER)
        return Value(f'{dtype}({e.text})', dtype, convert(e.a, dtype))

    def chosen(self, shape, depth):
        c = self.operand(shape, depth)
        if self.r.random() < 0.3:
            lo, hi = self.r.choice([(-1, 1), (0, 2147483647), (-5, -5), (0, 200)])
            dtype, x = self.common([c] + [Value('', None, np.asarray(float(k))) for k in (lo, hi)],
                                   'N')
            out = np.maximum(x[1], np.minimum(x[0], x[2])).reshape(c.a.shape)
            text = f'clamp({c.text}, {lo}, {hi})'
            if is_float(dtype):
                text, out = f'({text} + 0)', out + HELD[dtype](0)
            return Value(text, dtype, out)
        a, b = self.pair(shape, depth)
        dtype, x = self.common([a, b], 'A')
        if not dtype:
            return self.leaf(shape)
        x = aligned([convert(c.a, 'bool')] + x)
        return Value(f'where({c.text}, {a.text}, {b.text})', dtype,
                     np.where(*x).astype(HELD[dtype]))

    def reduced(self, shape, depth):
        """An extreme, a truth value, or a sum of integers."""
        r = self.r
        have = r.choice(SHAPES + self.shapes * 5) if shape == () else shape
        axis = None if shape == () else r.choice([k for k, n in enumerate(shape) if n == 1] + [9])
        if axis == 9 or len(have) > 3:
            return self.leaf(shape)
        if axis is not None:
            have = shape[:axis] + (r.choice([1, 2, 9, 40, 300]),) + shape[axis + 1:]
            if axis == len(have) - 1:
                return self.leaf(shape)  # that one would be gone
        e = self.operand(have, depth)
        if e.a.shape != have:
            return self.leaf(shape)
        op = r.choice(['max', 'min', 'any', 'all', 'sum', 'prod', 'arg'])
        dtype, (x,) = self.common([e], 'N')
        along = {} if axis is None else {'axis': axis, 'keepdims': True}
        dim = '' if axis is None else f', {axis + 1}'
        if op in ('any', 'all'):
            out = getattr(np, op)(convert(e.a, 'bool'), **along)
            return Value(f'{op}({e.text}{dim})', 'bool', np.asarray(out))
        if op == 'arg':
            if axis is not None:
                return self.leaf(shape)
            op = r.choice(['argmax', 'argmin'])
            return Value(f'{op}({e.text})', 'i64', np.asarray(getattr(np, op)(x) + 1))
        if op in ('sum', 'prod'):
            if is_float(dtype):
                return self.leaf(shape)
            out = getattr(np, op)(x.astype(HELD[sum_type(dtype)]), **along)
            return Value(f'{op}({e.text}{dim})', sum_type(dtype), np.asarray(out))
        out = np.asarray(getattr(np, op)(x, **along))
        text = f'{op}({e.text})' if axis is None else f'reduce("{op}", {e.text}{dim})'
        if is_float(dtype):
            text, out = f'({text} + 0)', out + HELD[dtype](0)
        return Value(text, dtype, out)

    def product(self, shape, depth):
        """Of integers, which wrap; an outer product of vectors stays i32."""
        k = self.r.choice([1, 2, 9, 40])
        if len(shape) == 1:
            ways = [((shape[0], k), (k,))]
        else:
            ways = [((shape[0], k), (k, shape[1])), ((shape[0],), (1, shape[1]))] \
                if len(shape) == 2 else [((1, k), (k,))]
        (p, q), r = self.r.choice(ways), None
        a, b = self.operand(p, depth), self.operand(q, depth)
        if shape.count(1) or k == 1 or a.a.shape != p or b.a.shape != q or len(shape) > 2:
            return self.leaf(shape)
        r, x = self.common([Value('', a.dtype, a.a), Value('', b.dtype, b.a)], 'N')
        if is_float(r):
            return self.leaf(shape)
        outer = len(p) == 1
        r = r if outer else sum_type(r)
        x = convert(a.a, r), convert(b.a, r)
        out = np.outer(*x) if outer else (x[0] @ x[1]).reshape(shape)
        return Value(f'({a.text}*{b.text})', r, out.astype(HELD[r]))

    def viewed(self, shape, depth):
        if len(shape) == 2:
            e = self.operand(shape[::-1], depth)
            if e.a.shape == shape[::-1] and shape[0] > 1 and shape[1] > 1:
                return Value(f"({e.text})'", e.dtype, e.a.T)
        n = int(np.prod(shape))
        e = self.operand((n,), depth)
        if e.a.shape != (n,) or not shape:
            return self.leaf(shape)
        if len(shape) == 1:
            return Value(f'({e.text})[end:-1:1]', e.dtype, e.a[::-1])
        return Value(f'reshape({e.text}, {", ".join(map(str, shape))})', e.dtype,
                     e.a.reshape(shape))

    def expression(self, shape, depth):
        way = self.r.choice([self.binary] * 5 + [self.compared] * 3 + [self.unary] * 4 +
                            [self.casted] * 3 + [self.chosen] * 2 + [self.reduced] * 2 + [self.product] +
                            [self.viewed])
        e = way(shape, depth)
        return e if e.a.shape == shape else self.leaf(shape)

    # -- statements -----------------------------------------------------------------------

    def keep(self, name, dtype, a):
        self.want[name] = (dtype, a)
        self.vars = [v for v in self.vars if v.text != name] + [Value(name, dtype, a)]

    def statement(self):
        r = self.r
        kind = r.choice(['value'] * 6 + ['mask', 'chosen', 'sum', 'find', 'solve'])
        if kind == 'solve':
            return self.solved()
        shape = r.choice(self.shapes)
        if kind == 'sum':
            return self.summed(shape)
        if kind in ('mask', 'chosen', 'find') and shape:
            return self.masked(shape, kind)
        e = self.expression(shape, r.choice([1, 2, 3, 4]))
        name = self.fresh()
        self.lines.append(f'{name} = {e.text};')
        return self.keep(name, e.dtype, e.a)

    def masked(self, shape, kind):
        m = self.compared(shape, 2)
        if m.dtype != 'bool' or m.a.shape != shape:
            return
        name, n = self.fresh(), int(np.count_nonzero(m.a))
        if kind == 'find':
            if n:
                self.lines.append(f'{name} = find({m.text});')
                self.keep(name, 'i64', np.flatnonzero(m.a) + 1)
            return
        fit = [v for v in self.vars if v.a.shape == shape]
        if not fit or (len(shape) == 2 and shape[0] == 1):
            return
        v = self.r.choice(fit)
        if kind == 'chosen':
            if n:
                self.lines.append(f'{name} = {v.text}[{m.text}];')
                self.keep(name, v.dtype, v.a[m.a])
            return
        e = self.number() if self.r.random() < 0.5 else self.expression((), 2)
        if e.dtype is None and (v.dtype == 'bool' or not e.whole and not is_float(v.dtype)):
            return
        x = float(e.a)
        if e.dtype is None and v.dtype in INTEGERS and \
                not np.iinfo(HELD[v.dtype]).min <= x < float(np.iinfo(HELD[v.dtype]).max) + 1:
            return
        if e.dtype and is_float(e.dtype) and not is_float(v.dtype):
            e = Value(f'{v.dtype}({e.text})', v.dtype, convert(e.a, v.dtype))
        self.lines += [f'{name} = {v.text};', f'{name}[{m.text}] = {e.text};']
        self.keep(name, v.dtype, np.where(m.a, convert(e.a, v.dtype), v.a))

    def summed(self, shape):
        """A sum of floats; its value is a result only, since it may round otherwise."""
        e = self.expression(shape, 2)
        if not is_float(e.dtype):
            return
        name = self.fresh()
        self.want[name] = (e.dtype, None)
        self.lines.append(f'{name} = sum({e.text});')
        x = e.a.astype(np.float64)
        self.checks.append((name, lambda got: self.wrong_sum(got[name], x, e.dtype)))

    @staticmethod
    def wrong_sum(got, x, dtype):
        with np.errstate(all='ignore'):
            want, total = np.sum(x), np.sum(np.abs(x))
        if not np.all(np.isfinite(x)):
            good = np.isnan(got) if np.isnan(want) else got == want
        elif total > MOST[dtype] / 4:
            return None  # what overflows depends on the order
        else:
            unit = UNIT['f32'] if dtype in ('f16', 'bf16') else UNIT[dtype]
            bound = 8 * unit * total + UNIT[dtype] * abs(want) + 1e-320
            good = abs(float(got) - want) <= bound * 1.01 + (2. ** -25 if dtype == 'f16' else 0)
        return None if good else f'a sum is {got}, not {want} (of {total})'

    def solved(self):
        """A \\ b, inv(A) of random, triangular, 1 x 1 and oblong matrices."""
        r = self.r
        dtype, n = r.choice(['f32', 'f64', 'f32', 'f64', 'i32', 'f16']), r.choice([1, 2, 5, 16, 33])
        m = n if r.random() < 0.7 else n + r.choice([1, 7])
        g = np.random.default_rng(r.randrange(1 << 30))
        a = g.integers(-9, 10, (m, n)) + np.eye(m, n) * r.choice([2 * n, 20 * n])
        a = np.where(a == 0, 3, a) if a.size == 1 else a  # a quotient, not singular
        lower = m == n and r.random() < 0.3
        a = np.tril(a) if lower else a
        if np.linalg.cond(a) > 1e3:
            return
        cols = r.choice([None, 1, 3])
        b = g.integers(-9, 10, (m,) if cols is None else (m, cols)).astype(float)
        poison = m == n and not lower and r.random() < 0.2
        inverse = m == n and not poison and r.random() < 0.3
        if poison and is_float(dtype):
            a[r.randrange(m), r.randrange(n)] = np.nan
        names = [f's{len(self.inputs) + k + 1}' for k in range(3)]
        for name, x in zip(names, (a, b)):
            x = x.astype(np.int64) if dtype == 'i32' else x
            self.inputs[name] = x
            self.lines.append(f'{name} = {dtype}(load("given.npz", "{name}"));')
        self.inputs[names[2]] = np.zeros(1)
        out = self.fresh()
        self.want[out] = (None, None)
        self.lines.append(f'{out} = inv({names[0]});' if inverse else
                          f'{out} = {names[0]} \\ {names[1]};')
        rhs = np.eye(n) if inverse else b
        kind = {'i32': 'f32'}.get(dtype, dtype)
        self.checks.append((out, lambda got: self.wrong_solution(got[out], a, rhs, kind)))

    @staticmethod
    def wrong_solution(got, a, b, dtype):
        if not np.all(np.isfinite(a)):
            return None if np.all(np.isnan(got)) else f'NaN in A gives {got}'
        x = got.astype(np.float64)
        if x.size != a.shape[1] * (b.size // b.shape[0]):
            return f'a solution of shape {x.shape}'
        x, b = x.reshape(a.shape[1], -1), b.reshape(a.shape[0], -1)
        want = np.linalg.lstsq(a, b, rcond=None)[0]
        cond = np.linalg.cond(a)
        unit = max(UNIT[dtype], 1e-15)
        bound = 40 * a.shape[0] * unit * cond * (1 + cond * (a.shape[0] > a.shape[1])) * \
            max(np.abs(want).max(), np.abs(b).max() / np.linalg.norm(a, 2))
        off = np.abs(x - want).max()
        return None if off <= bound else f'a solution is {off} off, more than {bound}:\n{x}\n{want}'

    # -- running ----------------------------------------------------------------------------

    def text(self, whole):
        save = f'save("got.npz", {", ".join(self.want)});'
        return ['\n'.join(self.lines + [save])] if whole else self.lines + [save]


def same(got, want):
    nan = np.isnan(want) if want.dtype.kind == 'f' else np.zeros(want.shape, bool)
    got_nan = np.isnan(got) if got.dtype.kind == 'f' else np.zeros(got.shape, bool)
    if not np.array_equal(nan, got_nan):
        return False
    g, w = np.where(nan, 0, got), np.where(nan, 0, want)
    return np.array_equal(g, w) and (w.dtype.kind != 'f' or
                                     np.array_equal(np.signbit(g), np.signbit(w)))


def run(prog, strategy, whole, target, home, quick):
    cc = '90' if len(prog.lines) % 2 else '80'
    env = fakegpu.environment(home, FUSIBLE_FAKE_CC=cc) if target == 'fake' else dict(os.environ)
    args = [fakegpu.PROGRAM, '--no-rc', '--target', 'cpu' if target == 'cpu' else 'cuda',
            '-e', f':strategy {strategy}'] + ['-e', ':set compile quick'] * quick
    for text in prog.text(whole):
        args += ['-e', text]
    return subprocess.run(args, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          cwd=home, text=True, timeout=600, check=False)


def wrong(prog, strategy, whole, target, home, quick):
    """None, or what is wrong with the results."""
    done = run(prog, strategy, whole, target, home, quick)
    if done.returncode:
        return f'status {done.returncode}: {done.stderr[:1000]}'
    results = np.load(os.path.join(home, 'got.npz'))
    for name, (dtype, want) in prog.want.items():
        if want is None:
            continue
        got = results[name]
        kind = {'f16': np.float16}.get(dtype, HELD[dtype])
        if got.dtype != kind or got.size != want.size:
            return f'{name} is {got.dtype}{got.shape}, not {dtype}{want.shape}'
        if not same(got.astype(HELD[dtype]).reshape(want.shape), want):
            return f'{name} ({dtype}) is\n{got}\nnot\n{want}'
    for name, check in prog.checks:
        fault = check(results)
        if fault:
            return f'{name}: {fault}'
    return None


def powers(target, home):
    """Those of numbers of all magnitudes, beside what long double makes of them."""
    rng = np.random.default_rng(5)
    for dtype in ('f32', 'f64'):
        kind = HELD[dtype]
        tiny, most = float(np.finfo(kind).tiny), float(np.finfo(kind).max)
        x = np.exp2(rng.uniform(np.log2(tiny), np.log2(most), 100000)).astype(kind)
        np.savez(os.path.join(home, 'given.npz'), x=x)
        prog = Program(0)
        prog.lines = ['x = load("given.npz", "x");']
        prog.lines += [f'y{k} = x.^({e});' for k, e in enumerate(POWERS)]
        prog.want = {f'y{k}': None for k in range(len(POWERS))}
        done = run(prog, 'smart', True, target, home, False)
        score.check(not done.returncode, f'powers in {dtype}: {done.stderr[:500]}')
        if done.returncode:
            continue
        results = np.load(os.path.join(home, 'got.npz'))
        for k, e in enumerate(POWERS):
            got, unit = results[f'y{k}'], ROUNDINGS[e] * UNIT[dtype]
            with np.errstate(all='ignore'):
                want = x.astype(np.longdouble) ** np.longdouble(e)
                off = np.abs(got - want) / np.maximum(want, tiny)
            worst = float(np.max(off[want < most * (1 - unit)]))
            beyond = want > most * np.longdouble(1 + unit)
            score.check(worst <= unit * (1 + unit) and np.all(np.isinf(got[beyond])),
                        f'{dtype} x.^({e}) on {target}: {worst / UNIT[dtype]:.2f} units off')


def kind_of(x):
    """What must be the same of a power and C's pow(): the class and the sign."""
    return ('nan' if np.isnan(x) else '-' * int(np.signbit(x)) +
            ('zero' if x == 0 else 'inf' if np.isinf(x) else 'finite'))


def limits_of_powers(target, home):
    """Powers of zeros, infinities, NaN and the least and largest numbers, with the exponent
    as a number and in a tensor: of the class and the sign of C's pow(), and near it."""
    c_pow = ctypes.CDLL('libm.so.6').pow
    c_pow.restype, c_pow.argtypes = ctypes.c_double, [ctypes.c_double] * 2
    exponents = [-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7]
    for dtype, (tiny, least) in {'f16': (-14, -24), 'bf16': (-126, -133),
                                 'f32': (-126, -149), 'f64': (-1022, -1074)}.items():
        most = {'f16': 65504., 'bf16': 2.**127 * (2 - 2.**-7),
                'f32': 2.**127 * (2 - 2.**-23)}.get(dtype, np.finfo(float).max)
        parts = [np.inf, 0., 1, 2, .25, 3, most, 2.**tiny, 2.**least, 3 * 2.**least]
        x = np.array([np.nan] + parts + [-v for v in parts])
        np.savez(os.path.join(home, 'given.npz'), x=x)
        prog = Program(0)
        prog.lines = [f'x = {dtype}(load("given.npz", "x"));']
        prog.want = {}
        for k, e in enumerate(exponents):
            prog.lines += [f'n{k} = f64(x.^({e}));', f't{k} = f64(x.^{dtype}([{e}]));']
            prog.want.update({f'n{k}': e, f't{k}': e})
        done = run(prog, 'smart', True, target, home, False)
        score.check(not done.returncode, f'limits of powers: {done.stderr[:500]}')
        if done.returncode:
            continue
        results = np.load(os.path.join(home, 'got.npz'))
        for name, e in prog.want.items():
            for a, got in zip(x, results[name]):
                with np.errstate(all='ignore'):
                    want = rounded(HELD[dtype](c_pow(a, e)), dtype).astype(float).item()
                near = abs(got - want) <= 8 * UNIT[dtype] * abs(want) + 2.**least \
                    if np.isfinite(want) and np.isfinite(got) else True
                score.check(kind_of(got) == kind_of(want) and near,
                            f'{dtype} {a}.^({e}) ({name[0]}) on {target} is {got}, not {want}')


def main():
    parser = argparse.ArgumentParser(description='random programs at the edges of types')
    parser.add_argument('--count', type=int, default=150)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--target', default='cpu')
    parser.add_argument('--quick', action='store_true')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        powers(args.target, home)
        limits_of_powers(args.target, home)
        for index in range(args.first, args.first + args.count):
            prog = Program(index)
            if not prog.want:
                continue
            np.savez(os.path.join(home, 'given.npz'), **prog.inputs)
            for whole in (True, False):
                strategy = STRATEGIES[(index + whole) % len(STRATEGIES)]
                what = wrong(prog, strategy, whole, args.target, home, args.quick)
                how = f'{strategy}, {"whole" if whole else "in steps"}'
                score.check(what is None, f'program {index} on {args.target}, {how}: {what}',
                            '\n'.join(prog.lines))
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
