#!/usr/bin/python3
"""Random programs of everything that the language has for arrays, beside numpy.

Where test_cubes.py is about types, test_state.py about what becomes of values and
test_rounds.py about slices that move, these put all of it together: expressions some
levels deep of all types, with casts, numbers beside them, views of views, lists and
masks, reductions, products of parts and transposes, parts joined; parts assigned by
slices, lists and masks; loops, branches, functions with several results. A program is
run in one piece under one strategy and statement by statement under another one, since
neither may change anything. Numbers are whole, or have a few bits behind the point, and
their bounds are known, so that every type holds every result: all must be the same.

    tests/test_programs.py [--count N] [--first N] [--target cpu|fake|cuda]

The last line is `N passed, N failed`.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from dtypes import at_one_rank  # noqa: E402
from score import Score  # noqa: E402

score = Score()
ORDER = ['bool', 'i32', 'i64', 'f16', 'bf16', 'f32', 'f64']
NP = {'bool': np.bool_, 'i32': np.int32, 'i64': np.int64, 'f16': np.float16,
      'bf16': np.float32, 'f32': np.float32, 'f64': np.float64}  # as files have them
BITS = {'bool': 1, 'i32': 30, 'i64': 52, 'f16': 11, 'bf16': 8, 'f32': 24, 'f64': 52}
STRATEGIES = ['smart', 'smart', 'minsync', 'minmemory', 'noreorder', 'manual', 'off']
MOST = 6000  # elements of a value
EXTENTS = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 40, 64, 65, 100, 130]
KEPT = 40  # what a variable holds at most where a loop may come again


class Unfit(Exception):
    """What was drawn does not apply."""


def is_float(dtype):
    return ORDER.index(dtype) > 2


def promote(a, b):
    return 'f32' if {a, b} == {'f16', 'bf16'} else max(a, b, key=ORDER.index)


def number_type(dtype):
    return 'i32' if dtype == 'bool' else dtype


def float_type(dtype):
    return {'bool': 'f32', 'i32': 'f32', 'i64': 'f64'}.get(dtype, dtype)


def sum_type(dtype):
    return 'i64' if dtype in ('bool', 'i32') else dtype


def holds(dtype, most, fraction):
    """Whether a type holds all numbers up to `most` with so many bits behind the point."""
    if dtype == 'bool':
        return False
    if not is_float(dtype):
        return not fraction and most < 2 ** BITS[dtype]
    return most * 2 ** fraction <= 2 ** BITS[dtype] and (dtype != 'f16' or fraction <= 10)


def aligned(f):
    """f of arrays that are brought to one rank."""
    return lambda *arrays: f(*at_one_rank([np.asarray(a) for a in arrays]))


def bare(shape):
    """Without extents of 1 at the end."""
    shape = tuple(shape)
    while shape and shape[-1] == 1:
        shape = shape[:-1]
    return shape


def count(shape):
    n = 1
    for k in shape:
        n *= k
    return n


def cast(a, dtype):
    a = np.asarray(a, dtype=float)
    if dtype == 'bool':
        return (a != 0).astype(float)
    return a if is_float(dtype) else np.trunc(a)


def cut(a, dims):
    """The elements that subscripts choose, which are lists of positions; a number, as
    (k,), drops its dimension where it is in a last place."""
    a = np.asarray(a)
    a = a.reshape(a.shape + (1,) * (len(dims) - a.ndim))
    at = np.ix_(*[np.atleast_1d(d[0] if isinstance(d, tuple) else d) for d in dims])
    out, rank = a[at], len(dims)
    while rank and isinstance(dims[rank - 1], tuple):
        rank -= 1
    return out.reshape(out.shape[:rank])


def turned(shape):
    """The shape of a transpose; of a row, a column."""
    return (1,) + shape if len(shape) == 1 else shape[1:] if shape[0] == 1 else shape[::-1]


class Ex:
    """An expression: its text, f(env) that computes it, its shape and type, a bound of
    its elements' magnitudes, and bits behind the point. A number of the host has the
    type None; it is whole if it was written so."""

    def __init__(self, text, f, shape, dtype, most, fraction=0, whole=True):
        self.text, self.f, self.shape, self.dtype = text, f, tuple(shape), dtype
        self.most, self.fraction, self.whole = most, fraction, whole


class Var:
    def __init__(self, shape, dtype, most, fraction):
        self.shape, self.dtype, self.most, self.fraction = shape, dtype, most, fraction


class Program:
    """Statements as (text, f(env)); made in order, and computed as they are made."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.types = r.sample(ORDER, r.randint(1, 4))
        if r.random() < 0.3:
            self.types.append('f32')
        n = r.choice(EXTENTS)
        self.extents = [n, n if r.random() < 0.4 else r.choice(EXTENTS),
                        r.choice(EXTENTS), r.choice([1, 2, 3, 4])]
        self.vars, self.env, self.loops, self.depth = {}, {}, {}, 0
        self.names, self.functions, self.parts = 0, [], []
        self.inside = None  # names that were there when a loop or branch began
        for _ in range(r.randint(3, 5)):
            self.parts.append(self.first())
        for _ in range(r.randint(0, 2)):
            self.parts.append(self.function())
        for _ in range(r.randint(3, 12)):
            part = self.statement(2)
            if part:
                part[1](self.env)
                self.parts.append(part)

    def fresh(self, letter='v'):
        self.names += 1
        return f'{letter}{self.names}'

    # -- variables ------------------------------------------------------------------

    def shape(self):
        r, (m, n, k, p) = self.r, self.extents
        return r.choice([(m,), (n,), (k,), (m, n), (m, n), (n, m), (m, k), (n, n), (1, n),
                         (m, 1), (1, k), (), (m, p, n), (p, n, k), (n, p), (1,),
                         (p, 2, m, 3)])

    def some_shape(self):
        while True:
            s = self.shape()
            if count(s) <= MOST:
                return s

    def first(self):
        r, shape, dtype = self.r, self.some_shape(), self.r.choice(self.types)
        name, n, a, b = self.fresh(), count(shape), r.choice([3, 5, 7, 11]), r.randint(0, 9)
        m = r.choice([5, 9, 13]) if dtype != 'bool' else 2
        c = r.randint(0, m) if dtype != 'bool' else 0
        text = f'mod({a}*(1:{n}) + {b}, {m}) - {c}'
        if len(shape) != 1:
            text = f'reshape({text}, {", ".join(map(str, shape))})' if shape else \
                f'sum({text})' if n > 1 else f'({text})[1]'
        text = f'{name} = {dtype}({text});'

        def f(env):
            v = np.mod(a * np.arange(1, n + 1) + b, m) - c
            env[name] = cast(v.reshape(shape), dtype)
        f(self.env)
        self.vars[name] = Var(shape, dtype, max(m, c), 0)
        return text, f

    # -- places in a dimension ---------------------------------------------------------

    def place(self, extent, size):
        """Where `size` elements begin, from 1: text, f(env), perhaps moving in a loop."""
        room = extent - size
        for name, (rounds, _) in self.loops.items():
            if rounds - 1 <= room and self.r.random() < 0.5:
                b = self.r.randint(0, room - rounds + 1)
                return f'{name} + {b}' if b else name, lambda env: int(env[name]) + b
        b = self.r.randint(1, room + 1)
        return str(b), lambda env: b

    def span(self, extent, size):
        """A subscript that chooses so many: text, f(env) -> positions from 0."""
        r = self.r
        if size == extent and r.random() < 0.6:
            return ':', lambda env: np.arange(extent)
        step = r.choice([s for s in (1, 1, 1, 2, 3) if (size - 1) * s < extent])
        text, f = self.place(extent, (size - 1) * step + 1)
        if size == 1:
            return f'{text}:{text}', lambda env: np.array([f(env) - 1])
        last = f'{text} + {(size - 1) * step}'
        if text.isdigit():
            last = int(text) + (size - 1) * step
            last = 'end' if last == extent and r.random() < 0.5 else str(last)
        if r.random() < 0.25:
            return (f'{last}:-{step}:{text}',
                    lambda env: (f(env) - 1 + step * np.arange(size))[::-1])
        middle = ':' if step == 1 else f':{step}:'
        return f'{text}{middle}{last}', lambda env: f(env) - 1 + step * np.arange(size)

    def listed(self, extent, size):
        """A list or mask that chooses so many."""
        r = self.r
        kind = r.randint(0, 4)
        if kind == 0 and size <= extent <= 40:
            mask = [True] * size + [False] * (extent - size)
            r.shuffle(mask)
            return f'[{", ".join("true" if m else "false" for m in mask)}]', \
                lambda env: np.flatnonzero(mask)
        if kind == 1 and size <= 12:
            at = [r.randint(1, extent) for _ in range(size)]
            return f'[{", ".join(map(str, at))}]', lambda env: np.array(at) - 1
        if kind == 2:
            a, b = r.randint(1, 7), r.randint(0, 9)
            return (f'mod({a}*(1:{size}) + {b}, {extent}) + 1',
                    lambda env: np.mod(a * np.arange(1, size + 1) + b, extent))
        found = [(n, v) for n, v in self.vars.items()
                 if bare(v.shape) == (size,) and v.dtype != 'bool' and not v.fraction]
        if not found or size < 2:
            raise Unfit
        name, v = r.choice(found)
        if not holds(v.dtype, max(v.most, extent + 1), 0):
            raise Unfit
        return (f'mod({name}, {extent}) + 1',
                lambda env: np.mod(env[name].reshape(-1), extent).astype(int))

    # -- leaves and their views -------------------------------------------------------

    def variable(self, name):
        v = self.vars[name]
        return Ex(name, lambda env: env[name], v.shape, v.dtype, v.most, v.fraction)

    def like(self, e, text, f, shape):
        return Ex(text, f, shape, e.dtype, e.most, e.fraction)

    def indexed(self, e, sizes):
        """e[...] with so many elements along each dimension; None for a number."""
        parts = []
        for extent, size in zip(e.shape, sizes):
            if size is None:
                text, f = self.place(extent, 1)
                parts.append((text, lambda env, f=f: (f(env) - 1,)))
            elif len(e.shape) <= 2 and (size > extent or self.r.random() < 0.15):
                parts.append(self.listed(extent, size))
            elif size > extent:
                raise Unfit
            else:
                parts.append(self.span(extent, size))
        shape = [1 if s is None else s for s in sizes]
        while shape and sizes[len(shape) - 1] is None:
            shape.pop()
        if len(e.shape) == 2 and e.shape[0] == 1 and sizes[0] in (1, None) and \
                parts[1][0] != ':' and self.r.random() < 0.5:  # a row takes one subscript
            text, shape = f'{e.text}[{parts[1][0]}]', shape if len(shape) > 1 else []
            parts[0] = ('', lambda env: (0,)) if not shape else parts[0]
        else:
            text = f'{e.text}[{", ".join(t for t, _ in parts)}]'
        return self.like(e, text, lambda env: cut(e.f(env), [f(env) for _, f in parts]),
                         shape)

    def view(self, e):
        """Another way to read what is there, of any shape."""
        r, kind = self.r, self.r.randint(0, 6)
        if kind <= 2 and e.shape:
            sizes = [r.choice([n, n, None, max(1, n - 1), r.randint(1, n)]) for n in e.shape]
            return self.indexed(e, sizes)
        if kind == 3 and len(e.shape) in (1, 2):
            shape = turned(e.shape)
            return self.like(e, f"{e.text}'",
                             lambda env: np.asarray(e.f(env)).T.reshape(shape), shape)
        if kind == 4 and e.shape:
            return self.like(e, r.choice([f'vec({e.text})', f'{e.text}[:]']),
                             lambda env: e.f(env).reshape(-1), (count(e.shape),))
        if kind == 5:
            return self.reshaped(e, self.split(count(e.shape)))
        if kind == 6 and len(e.shape) == 2:
            n = min(e.shape)
            return self.like(e, f'diag({e.text})',
                             lambda env: np.diagonal(e.f(env)).copy(), (n,))
        raise Unfit

    def split(self, n):
        """A shape of so many elements."""
        shape = []
        for _ in range(self.r.randint(0, 2)):
            shape.append(self.r.choice([k for k in range(1, 41) if n % k == 0]))
            n //= shape[-1]
        shape.insert(self.r.randint(0, len(shape)), n)
        return tuple(shape)

    def reshaped(self, e, shape):
        return self.like(e, f'reshape({e.text}, {", ".join(map(str, shape))})',
                         lambda env: np.asarray(e.f(env)).reshape(shape), shape)

    def fitted(self, e, shape):
        """As many elements of e as a shape takes."""
        if bare(e.shape) == bare(shape):
            return e
        have, want = e.shape, bare(shape)
        if len(have) == len(want) and have and all(a >= b for a, b in zip(have, want)):
            return self.indexed(e, want)
        if len(have) == len(want) + 1 and all(a >= b for a, b in zip(have, want)):
            return self.indexed(e, list(want) + [None])
        if len(have) == 2 == len(want) and have[1] >= want[0] and have[0] >= want[1] > 1:
            e = self.like(e, f"{e.text}'", lambda env, e=e: e.f(env).T, have[::-1])
            return self.indexed(e, want)
        if have != (count(have),):
            e = self.like(e, f'vec({e.text})',
                          lambda env, e=e: np.asarray(e.f(env)).reshape(-1), (count(have),))
        if count(have) != count(want):
            e = self.indexed(e, [count(want)])
        return e if want == e.shape else self.reshaped(e, want or (1,))

    def leaf(self, shape):
        r = self.r
        if r.random() < 0.5:
            found = [n for n, v in self.vars.items() if bare(v.shape) == bare(shape)]
            if found:
                return self.variable(r.choice(found))
        if r.random() < 0.15:
            return self.made(shape)
        for _ in range(6):
            try:
                e = self.variable(r.choice(list(self.vars)))
                for _ in range(r.choice([0, 1, 1, 2, 3])):
                    e = self.view(e)
                return self.fitted(e, shape)
            except Unfit:
                pass
        return self.made(shape)

    def made(self, shape):
        """Out of nothing."""
        r, kind, shape = self.r, self.r.randint(0, 4), bare(shape)
        extents = ', '.join(map(str, shape)) or '1'
        dtype = r.choice(self.types)
        if kind == 0 and len(shape) == 2:
            return Ex(f'eye({extents}, "{dtype}")', lambda env: np.eye(*shape), shape,
                      dtype, 1)
        if kind == 1 and len(shape) == 1:
            a, s = r.randint(-5, 5), r.choice([1, 1, 2, -1])
            n = shape[0]
            most = abs(a) + abs(s) * n
            if n > 1 and most < 2 ** 20:
                return Ex(f'({a}:{s}:{a + s * (n - 1)})',
                          lambda env: a + s * np.arange(n, dtype=float), shape, 'i64', most)
        if kind == 2 and count(shape) <= 12 and len(shape) in (1, 2) and dtype != 'bool':
            v = [[r.randint(-3, 3) for _ in range(shape[-1])]
                 for _ in range(shape[0] if len(shape) == 2 else 1)]
            text = '; '.join(', '.join(map(str, row)) for row in v)
            if len(v) > 1 or len(shape) == 1:
                return Ex(f'{dtype}([{text}])',
                          lambda env: np.array(v, float).reshape(shape), shape, dtype, 3)
        k = r.randint(-3, 3) if dtype != 'bool' else 1
        return Ex(f'fill({k}, {extents}, "{dtype}")', lambda env: np.full(shape, float(k)),
                  shape, dtype, abs(k))

    # -- bounds -----------------------------------------------------------------------

    def small(self, e, most=9):
        """e, or what is left of it, so that it is whole and not large."""
        if e.dtype in ('bool', None) or e.most <= most and not e.fraction:
            return e
        if e.fraction:
            dtype = float_type(e.dtype)
            e = Ex(f'floor({e.text})', lambda env, e=e: np.floor(e.f(env)), e.shape, dtype,
                   e.most + 1)
            if not holds(dtype, e.most, 0):
                raise Unfit
        k = self.r.randint(3, most)
        return Ex(f'mod({e.text}, {k})', lambda env: np.mod(e.f(env), k), e.shape,
                  e.dtype, k)

    def to(self, e, dtype):
        """An operand that is going to be converted; perhaps only what is left of it."""
        if e.dtype == dtype or e.dtype is None or e.dtype == 'bool':
            return e
        return e if holds(dtype, e.most, e.fraction) else self.small(e)

    def cast(self, e, dtype):
        if e.dtype == dtype and self.r.random() < 0.8:
            return e
        if dtype == 'bool' or e.fraction and not is_float(dtype):
            return Ex(f'{dtype}({e.text})', lambda env: cast(e.f(env), dtype), e.shape, dtype,
                      1 if dtype == 'bool' else e.most)
        e = self.to(e, dtype)
        return Ex(f'{dtype}({e.text})', e.f, e.shape, dtype, e.most, e.fraction)

    # -- operations ---------------------------------------------------------------------

    def number(self):
        r = self.r
        if r.random() < 0.25:
            x = r.choice([0.5, 2.0, -1.5, 3.0])
            return Ex(f'({x})', lambda env: x, (), None, abs(x), 1, False)
        names = [n for n in self.loops]
        if names and r.random() < 0.5:
            name = r.choice(names)
            rounds, dtype = self.loops[name]
            return Ex(name, lambda env: np.asarray(float(env[name])), (), dtype, rounds)
        k = r.randint(-3, 5)
        return Ex(f'({k})' if k < 0 else str(k), lambda env: float(k), (), None, abs(k))

    def common(self, a, b, kind='N'):
        """The type of two operands, and both as that holds them."""
        if a.dtype is None and b.dtype is None:
            raise Unfit
        if a.dtype is None or b.dtype is None:
            n, t = (a, b) if a.dtype is None else (b, a)
            dtype = t.dtype if is_float(t.dtype) else \
                ('i64' if t.dtype == 'i64' else 'i32') if n.whole else \
                'f64' if t.dtype == 'i64' else 'f32'
        else:
            dtype = promote(a.dtype, b.dtype)
        dtype = {'N': number_type, 'F': float_type, 'A': lambda t: t}[kind](dtype)
        return dtype, self.to(a, dtype), self.to(b, dtype)

    def spread(self, shape):
        """A shape that is repeated to this one, or this one."""
        shape = bare(shape)
        if self.r.random() < 0.7 or not shape:
            return shape
        return bare([1 if self.r.random() < 0.5 else n for n in shape])

    def pair(self, shape, depth, numbers=True):
        a = self.expression(shape, depth - 1)
        if numbers and self.r.random() < 0.3:
            b = self.number()
        else:
            b = self.expression(self.spread(shape), depth - 1)
        return (a, b) if self.r.random() < 0.7 else (b, a)

    def wide(self, a, b):
        n = max(len(a.shape), len(b.shape))
        x, y = (e.shape + (1,) * (n - len(e.shape)) for e in (a, b))
        return tuple(max(p, q) for p, q in zip(x, y))

    def arithmetic(self, shape, depth):
        a, b = self.pair(shape, depth)
        op = self.r.choice(['+', '-', '.*', 'min', 'max', '+', '-'])
        dtype, a, b = self.common(a, b)
        if op == '.*':
            most, fraction = a.most * b.most, a.fraction + b.fraction
            if not holds(dtype, most, fraction):
                a, b = self.small(a, 5), self.small(b, 5)
                most, fraction = a.most * b.most, a.fraction + b.fraction
        else:
            most, fraction = a.most + b.most, max(a.fraction, b.fraction)
        if fraction > 6 or not holds(dtype, most, fraction):
            raise Unfit
        text = f'{op}({a.text}, {b.text})' if op.isalpha() else f'({a.text} {op} {b.text})'
        g = aligned({'+': np.add, '-': np.subtract, '.*': np.multiply, 'min': np.minimum,
                     'max': np.maximum}[op])
        return Ex(text, lambda env: g(a.f(env), b.f(env)), self.wide(a, b), dtype, most,
                  fraction)

    def compared(self, shape, depth):
        a, b = self.pair(shape, depth)
        op = self.r.choice(['==', '!=', '<', '<=', '>', '>=', '&&', '||'])
        if op in '&&||':
            if a.dtype is None:
                raise Unfit  # decides without what stands behind it
            g = aligned({'&&': lambda x, y: (x != 0) & (y != 0),
                         '||': lambda x, y: (x != 0) | (y != 0)}[op])
        else:
            _, a, b = self.common(a, b)
            g = aligned({'==': np.equal, '!=': np.not_equal, '<': np.less,
                         '<=': np.less_equal, '>': np.greater, '>=': np.greater_equal}[op])
        return Ex(f'({a.text} {op} {b.text})',
                  lambda env: g(a.f(env), b.f(env)).astype(float), self.wide(a, b), 'bool', 1)

    def unary(self, shape, depth):
        e = self.expression(shape, depth - 1)
        op = self.r.choice(['-', 'abs', 'sign', 'square', '!', 'floor', 'ceil', 'round', 'trunc',
                            'half', 'third', 'root', 'copy', 'mod', 'clamp', 'map', 'finite'])
        dtype, shape = number_type(e.dtype), e.shape
        make = lambda text, f, dtype, most, fraction=0: Ex(
            text, lambda env: f(e.f(env)), shape, dtype, most, fraction)
        if op == '-':
            return make(f'(-{e.text})', np.negative, dtype, e.most, e.fraction)
        if op == 'abs':
            return make(f'abs({e.text})', np.abs, dtype, e.most, e.fraction)
        if op == 'sign':
            return make(f'sign({e.text})', np.sign, dtype, 1)
        if op == 'copy':
            return make(f'copy({e.text})', lambda x: x, e.dtype, e.most, e.fraction)
        if op == '!':
            return make(f'(!{e.text})', lambda x: (x == 0).astype(float), 'bool', 1)
        if op == 'mod':
            k = self.r.randint(2, 7)
            return make(f'mod({e.text}, {k})', lambda x: np.mod(x, k), dtype, k, e.fraction)
        if op == 'clamp':
            return make(f'clamp({e.text}, -2, 3)', lambda x: np.clip(x, -2, 3), dtype, 3,
                        e.fraction)
        if op in ('square', 'third', 'map'):
            e = self.small(e, 5)
            dtype = number_type(e.dtype)
            if op == 'square':
                text = self.r.choice([f'square({e.text})', f'({e.text}).^2'])
                return make(text, np.square, dtype, e.most ** 2)
            if op == 'map':
                return make(f'map(t -> t*t + 2, {e.text})', lambda x: x * x + 2, dtype,
                            e.most ** 2 + 2)
            return make(f'({e.text}).^3', lambda x: x ** 3, dtype, e.most ** 3)
        dtype = float_type(e.dtype)
        if not holds(dtype, e.most + 1, e.fraction + 1):
            e = self.small(e)
        if op == 'half' and e.fraction < 4:
            return make(f'(({e.text})/2)', lambda x: x / 2, dtype, e.most, e.fraction + 1)
        if op == 'root':
            e = self.small(e, 9)
            return make(f'sqrt(square({e.text}))', np.abs, float_type(number_type(e.dtype)),
                        e.most)
        if op == 'finite':
            return make(f'isfinite(1 ./ {e.text})', lambda x: (x != 0).astype(float), 'bool', 1)
        g = {'floor': np.floor, 'ceil': np.ceil, 'round': np.rint, 'trunc': np.trunc}.get(op)
        if not g:
            raise Unfit
        return make(f'{op}({e.text})', g, dtype, e.most + 1)

    def chosen(self, shape, depth):
        c = self.expression(self.spread(shape), depth - 1)
        a, b = self.pair(shape, depth)
        dtype, a, b = self.common(a, b, 'A')
        g = aligned(lambda x, y, z: np.where(x != 0, y, z))
        most, fraction = max(a.most, b.most), max(a.fraction, b.fraction)
        if dtype != 'bool' and not holds(dtype, most, fraction):
            raise Unfit
        wide = self.wide(Ex('', None, self.wide(a, b), '', 0), c)
        return Ex(f'where({c.text}, {a.text}, {b.text})',
                  lambda env: g(c.f(env), a.f(env), b.f(env)), wide, dtype, most, fraction)

    def casted(self, shape, depth):
        return self.cast(self.expression(shape, depth - 1), self.r.choice(ORDER))

    def reduced(self, shape, depth):
        """Over all elements, along a dimension that is gone, or that stays as 1."""
        r, shape = self.r, bare(shape)
        axis, have = None, list(shape)
        if shape or r.random() < 0.5:
            at = [k for k, n in enumerate(shape) if n == 1] + [len(shape)] * 2
            axis = r.choice(at)
            if axis > 2:
                raise Unfit
            have[axis:axis + 1] = [r.choice(self.extents)]
        else:
            have = list(self.some_shape())
        if count(have) > MOST:
            raise Unfit
        e = self.expression(have, depth - 1)
        have = list(e.shape)
        n = have[axis] if axis is not None and axis < len(have) else \
            1 if axis is not None else count(have)
        op = r.choice(['sum', 'sum', 'prod', 'max', 'min', 'any', 'all', 'mean', 'arg'])
        whole = axis is None
        dim = '' if whole else f', {axis + 1}'
        along = lambda g: lambda env: self.along(g, e.f(env), axis)
        if whole:
            out = ()
        else:
            out = have[:axis] + [1] + have[axis + 1:] if axis < len(have) - 1 else have[:axis]
            if axis > len(have) - 1:
                out = have
        dtype = number_type(e.dtype)
        if op == 'mean':
            dtype = float_type(e.dtype)
            if n & (n - 1) or n > 32:
                raise Unfit
            e = self.to(e, 'f32' if dtype in ('f16', 'bf16') else dtype)
            bits = n.bit_length() - 1 + e.fraction
            if not holds(dtype, e.most, bits) or not holds('f32', e.most * n, e.fraction):
                raise Unfit
            return Ex(f'mean({e.text}{dim})', along(np.mean), out, dtype, e.most, bits)
        if op in ('any', 'all'):
            g = {'any': lambda x, **k: np.any(x != 0, **k),
                 'all': lambda x, **k: np.all(x != 0, **k)}[op]
            return Ex(f'{op}({e.text}{dim})', along(lambda x, **k: g(x, **k).astype(float)),
                      out, 'bool', 1)
        if op in ('max', 'min'):
            g = {'max': np.max, 'min': np.min}[op]
            text = f'{op}({e.text})' if whole else f'reduce("{op}", {e.text}{dim})'
            return Ex(text, along(g), out, dtype, e.most, e.fraction)
        if op == 'arg':
            which = r.choice(['max', 'min'])
            g = {'max': np.argmax, 'min': np.argmin}[which]
            if whole:
                return Ex(f'arg{which}({e.text})',
                          lambda env: np.asarray(g(e.f(env)) + 1.), (), 'i64', n)
            if len(have) != 2 or axis > 1:
                raise Unfit
            return Ex(f'{["col", "row"][axis]}arg{which}({e.text})',
                      along(lambda x, **k: g(x, **k) + 1.), out, 'i64', n)
        dtype = sum_type(e.dtype)
        if op == 'prod':
            e = self.cast(self.small(e, 3), e.dtype)
            e = Ex(f'sign({e.text})', lambda env, e=e: np.sign(e.f(env)), e.shape,
                   number_type(e.dtype), 1)
            return Ex(f'prod({e.text}{dim})', lambda env: self.along(np.prod, e.f(env), axis),
                      out, dtype, 1)
        if not holds(dtype, e.most * n, e.fraction):
            e = self.small(e, 3)
            if not holds(dtype, e.most * n, e.fraction):
                raise Unfit
        return Ex(f'sum({e.text}{dim})', lambda env: self.along(np.sum, e.f(env), axis), out,
                  dtype, e.most * n, e.fraction)

    @staticmethod
    def along(g, a, axis):
        a = np.asarray(a)
        if axis is None:
            return np.asarray(g(a))
        shape = a.shape
        if axis > a.ndim - 1:
            a = a.reshape(shape + (1,) * (axis + 1 - len(shape)))
            return np.asarray(g(a, axis=axis)).reshape(shape)
        out = np.asarray(g(a, axis=axis))
        return out if axis == len(shape) - 1 else \
            out.reshape(shape[:axis] + (1,) + shape[axis + 1:])

    def factor(self, m, n, depth):
        """An m x n factor of a product, perhaps a transpose; a column if n is 1."""
        if self.r.random() < 0.4 and m > 1:
            e = self.expression(bare((n, m)), depth)
            if not 0 < len(e.shape) <= 2:
                raise Unfit
            shape = turned(e.shape)
            return self.like(e, f"({e.text})'", lambda env: np.asarray(e.f(env)).T.reshape(shape),
                             shape)
        return self.expression(bare((m, n)), depth)

    def product(self, shape, depth):
        shape = bare(shape)
        if len(shape) > 2:
            raise Unfit
        m, n = (shape + (1, 1))[:2]
        k = self.r.choice(self.extents + [1])
        if m * k > MOST or k * n > MOST or m * n > MOST or m * k * n > 60000:
            raise Unfit
        a, b = self.factor(m, k, depth - 1), self.factor(k, n, depth - 1)
        if not a.shape or not b.shape or len(a.shape) > 2 or len(b.shape) > 2:
            raise Unfit  # a scalar times something, which is another thing
        if k == 1 and (m == 1 or n == 1) or (a.shape + (1,))[:2] != (m, k) or \
                (b.shape + (1,))[:2] != (k, n):
            raise Unfit
        outer = k == 1 and len(a.shape) == 1
        dtype = promote(a.dtype, b.dtype)
        result = number_type(dtype) if outer or is_float(dtype) else 'i64'
        a, b = self.to(a, result), self.to(b, result)
        if not holds(result, a.most * b.most * k, a.fraction + b.fraction):
            a, b = self.small(a, 3), self.small(b, 3)
        most, fraction = a.most * b.most * k, a.fraction + b.fraction
        if fraction > 6 or not holds(result, most, fraction):
            raise Unfit
        out = () if m == 1 and len(b.shape) == 1 else (m,) if len(b.shape) == 1 else (m, n)
        return Ex(f'({a.text}*{b.text})', lambda env: (
            np.asarray(a.f(env)).reshape(m, k) @ np.asarray(b.f(env)).reshape(k, n)
        ).reshape(out), out, result, most, fraction)

    def joined(self, shape, depth):
        shape = bare(shape)
        axis = self.r.randint(0, 1)
        if not 1 <= len(shape) <= 2 or len(shape) <= axis or shape[axis] < 2:
            raise Unfit
        n = self.r.randint(1, shape[axis] - 1)
        a, b = (self.expression([s if k != axis else size for k, s in enumerate(shape)],
                                depth - 1) for size in (n, shape[axis] - n))
        dtype = promote(a.dtype, b.dtype)
        a, b = self.to(a, dtype), self.to(b, dtype)
        if len(a.shape) > 2 or len(b.shape) > 2 or axis and count(a.shape + b.shape) == 1:
            raise Unfit  # two scalars side by side are a column

        def f(env):
            parts = []
            for x in (a.f(env), b.f(env)):
                x = np.asarray(x)
                parts.append(x.reshape(x.shape + (1,) * (len(shape) - x.ndim))
                             if x.ndim <= len(shape) else x.reshape(x.shape[:len(shape)]))
            return np.concatenate(parts, axis)
        most, fraction = max(a.most, b.most), max(a.fraction, b.fraction)
        if dtype != 'bool' and not holds(dtype, most, fraction):
            raise Unfit
        rank = max(len(a.shape), len(b.shape), axis + 1)
        out = shape + (1,) * (rank - len(shape))
        return Ex(f'[{a.text}{"; " if axis == 0 else ", "}{b.text}]',
                  lambda env: f(env).reshape(out), out, dtype, most, fraction)

    def viewed(self, shape, depth):
        """A part or another way to read something that is computed."""
        r = self.r
        larger = [n + r.randint(0, 3) for n in bare(shape)]
        how = r.randint(0, 3)
        if how == 0 and larger and len(larger) < 4 and count(larger) * 2 <= MOST:
            e = self.expression(larger + [2], depth - 1)
        elif how == 1 and count(larger) <= MOST:
            e = self.expression(larger, depth - 1)
        else:
            e = self.expression(self.some_shape(), depth - 1)
        e = Ex(f'({e.text})', e.f, e.shape, e.dtype, e.most, e.fraction)
        return self.fitted(e if how == 1 else self.view(e), shape)

    def diagonal(self, shape, depth):
        shape = bare(shape)
        if len(shape) != 2 or shape[0] != shape[1]:
            raise Unfit
        e = self.expression(shape[:1], depth - 1)
        if len(e.shape) != 1:
            raise Unfit
        return self.like(e, f'diag({e.text})', lambda env: np.diag(e.f(env)), shape)

    def by_name(self, shape, depth):
        """Scalars by dot, trace and norm; powers of matrices; map and reduce of functions."""
        r, shape = self.r, bare(shape)
        n = r.choice(self.extents)
        kind = r.choice(['dot', 'trace', 'norm']) if not shape else \
            r.choice(['power', 'map', 'reduce', 'scaled'])
        if kind in ('dot', 'norm'):
            a, b = (self.small(self.expression((n,), depth - 1), 4) for _ in range(2))
            if bare(a.shape) != (n,) or bare(b.shape) != (n,) or len(a.shape + b.shape) > 4:
                raise Unfit
            if kind == 'norm':
                a = self.to(a, 'f32')
                if a.most ** 2 * n > 2 ** 18 or a.dtype in ('f16', 'bf16'):
                    raise Unfit
                return Ex(f'round(norm({a.text})*norm({a.text}))',
                          lambda env: np.sum(np.square(a.f(env))), (), float_type(a.dtype),
                          a.most ** 2 * n)
            dtype = sum_type(promote(a.dtype, b.dtype))
            most = a.most * b.most * n
            if not holds(dtype, most, 0):
                raise Unfit
            return Ex(f'dot({a.text}, {b.text})', lambda env: np.sum(
                np.ravel(a.f(env)) * np.ravel(b.f(env))), (), dtype, most)
        if kind == 'trace':
            e = self.small(self.expression((n, n), depth - 1), 4)
            dtype = sum_type(e.dtype)
            if len(e.shape) != 2 or not holds(dtype, e.most * n, 0):
                raise Unfit
            return Ex(f'trace({e.text})', lambda env: np.trace(e.f(env)), (), dtype, e.most * n)
        if kind == 'power':
            e = self.cast(self.small(self.expression(shape, depth - 1), 3), 'f64')
            if len(e.shape) != 2 or e.shape[0] != e.shape[1] or e.shape[0] > 40:
                raise Unfit
            k, n = r.choice([2, 3, 3, 5, 0]), e.shape[0]
            most = max(1, e.most ** k * n ** max(0, k - 1))
            if not holds('f64', most, 0):
                raise Unfit
            return Ex(f'({e.text})^{k}', lambda env: np.linalg.matrix_power(e.f(env), k),
                      e.shape, 'f64', most)
        if kind == 'map':
            a, b = (self.small(self.expression(self.spread(shape) if k else shape, depth - 1), 4)
                    for k in range(2))
            dtype = number_type(promote(a.dtype, b.dtype))
            most = a.most * b.most + b.most
            if not holds(dtype, most, 0):
                raise Unfit
            g = aligned(lambda x, y: x * y - y)
            return Ex(f'map((s, t) -> s*t - t, {a.text}, {b.text})',
                      lambda env: g(a.f(env), b.f(env)), self.wide(a, b), dtype, most)
        if kind == 'scaled':
            e, k = self.product(shape, depth), r.choice(['2', 'sum(ones(3))', 'i32([3])[1]'])
            x, dtype = {'2': (2, None)}.get(k, (3, 'f32' if k[0] == 's' else 'i32'))
            a, b, = Ex(k, lambda env: float(x), (), dtype, x), e
            dtype, _, b = self.common(a, b)
            if not holds(dtype, b.most * x, b.fraction):
                raise Unfit
            inner = b.text[1:-1] if b is e else b.text
            return Ex(f'({k}*{inner})', lambda env: x * b.f(env), b.shape, dtype, b.most * x,
                      b.fraction)
        if len(shape) > 3 or count(shape) * n > MOST:
            raise Unfit
        e = self.small(self.expression(shape + (n,), depth - 1), 5)
        if len(e.shape) != len(shape) + 1 or not holds(sum_type(e.dtype), e.most * n, 0):
            raise Unfit
        op = r.choice(['+', 'max', '&&'])
        text = {'+': '(a, b) -> a + b', 'max': '(a, b) -> max(a, b)', '&&': '"all"'}[op]
        g = {'+': np.sum, 'max': np.max, '&&': lambda x, axis: np.all(x != 0, axis) * 1.}[op]
        dtype = {'+': sum_type(e.dtype), 'max': number_type(e.dtype), '&&': 'bool'}[op]
        return Ex(f'reduce({text}, {e.text}, {len(e.shape)})', lambda env: g(e.f(env), axis=-1),
                  shape, dtype, 1 if op == '&&' else e.most * n)

    def called(self, shape, depth):
        found = [f for f in self.functions if bare(f['shape']) == bare(shape)]
        if not found:
            raise Unfit
        return self.call(self.r.choice(found), depth, 0)

    def expression(self, shape, depth):
        ways = [self.arithmetic] * 5 + [self.unary] * 4 + [self.reduced] * 4 + \
            [self.product] * 3 + [self.viewed] * 3 + [self.by_name] * 2 + \
            [self.compared, self.chosen, self.casted, self.joined, self.diagonal, self.called]
        for _ in range(4):
            if depth <= 0 or self.r.random() < 0.12:
                break
            try:
                e = self.r.choice(ways)(shape, depth)
                if bare(e.shape) == bare(shape):
                    return e
            except Unfit:
                pass
        return self.leaf(shape)

    # -- functions ----------------------------------------------------------------------

    def function(self):
        """Of one or two arguments, of given shapes and types; the last result is a sum
        or an extreme of what the first was made of."""
        r, name = self.r, self.fresh('f')
        kept, self.vars, params = self.vars, {}, []
        for k in range(r.randint(1, 2)):
            p = self.fresh('p')
            shape, dtype = self.some_shape(), r.choice(self.types)
            self.vars[p] = Var(shape, dtype, 1 if dtype == 'bool' else 9, 0)
            params.append(p)
        have = [self.vars[p] for p in params]
        body = []
        for _ in range(r.randint(0, 3)):
            part = self.assign() if r.random() < 0.6 else self.assign_part()
            if part:
                body.append(part)
        results = [self.expression(self.some_shape(), 2) for _ in range(r.randint(1, 3))]
        self.vars = kept
        text = '\n'.join([f'function {name}({", ".join(params)})'] +
                         ['  ' + line for t, _ in body for line in t.split('\n')] +
                         [f'  return {", ".join(e.text for e in results)}', 'end'])

        def run(values):
            env = dict(zip(params, values))
            for _, f in body:
                f(env)
            return [e.f(env) for e in results]
        self.functions.append(dict(name=name, have=have, results=results, run=run,
                                   shape=results[0].shape))
        return text, lambda env: None

    def arguments(self, fun, depth):
        out = []
        for v in fun['have']:
            e = self.cast(self.small(self.expression(v.shape, depth - 1)), v.dtype)
            if e.shape != v.shape or e.dtype != v.dtype:
                if v.shape == () or bare(e.shape) != bare(v.shape):
                    raise Unfit
                e = self.cast(self.reshaped(e, v.shape), v.dtype)
                if e.dtype != v.dtype:
                    raise Unfit
            out.append(e)
        return out

    def call(self, fun, depth, which):
        args, e = self.arguments(fun, depth), fun['results'][which]
        text = f'{fun["name"]}({", ".join(a.text for a in args)})'
        return Ex(text, lambda env: fun['run']([a.f(env) for a in args])[which], e.shape,
                  e.dtype, e.most, e.fraction)

    # -- statements ---------------------------------------------------------------------

    def limited(self, e, v):
        """The value for a variable that was there before, within what it may hold."""
        e = self.cast(e, v.dtype)
        if v.dtype != 'bool' and (e.most > v.most or e.fraction > v.fraction):
            e = self.cast(self.small(e, max(3, min(int(v.most), 29))), v.dtype)
        return e

    def assign(self):
        r = self.r
        old = [n for n in self.vars if self.inside is None or n in self.inside]
        if old and (self.inside is not None or r.random() < 0.35):
            name = r.choice(old)
            v = self.vars[name]
            e = self.limited(self.expression(v.shape, 3), v)
            if e.shape != v.shape:
                if not v.shape:
                    return None
                e = self.reshaped(e, v.shape)
        else:
            name = self.fresh()
            e = self.expression(self.some_shape(), r.choice([1, 2, 3, 4]))
            if re.fullmatch(r'\(-?\d+:-?\d+:-?\d+\)', e.text):
                e = Ex(f'i64({e.text})', e.f, e.shape, e.dtype, e.most)  # no range
            self.vars[name] = Var(e.shape, e.dtype, max(e.most, 1), e.fraction)
        v = self.vars[name]
        if self.inside is None:
            v.most, v.fraction = max(e.most, 1), e.fraction

        def f(env):
            env[name] = np.asarray(e.f(env), float).reshape(v.shape)
        return f'{name} = {e.text};', f

    def target(self, v):
        """Subscripts of a part to assign to: texts, functions, the part's shape."""
        r = self.r
        sizes = [r.choice([n, r.randint(1, n), max(1, n - 1)]) for n in v.shape]
        texts, at = [], []
        lists = r.randrange(len(v.shape)) if len(v.shape) <= 2 and r.random() < 0.3 else None
        for k, n in enumerate(v.shape):
            if k == lists:
                t, f = self.listed(n, sizes[k])
            elif lists is not None:
                sizes[k] = n
                t, f = ':', lambda env, n=n: np.arange(n)
            elif sizes[k] == 1 and r.random() < 0.7:
                t, g = self.place(n, 1)
                f = lambda env, g=g: np.array([g(env) - 1])
            else:
                t, f = self.span(n, sizes[k])
            texts.append(t)
            at.append(f)
        return texts, at, sizes

    def assign_part(self):
        r = self.r
        names = [n for n, v in self.vars.items() if v.shape and
                 (self.inside is None or n in self.inside)]
        if not names:
            return None
        name = r.choice(names)
        v = self.vars[name]
        try:
            if r.random() < 0.2:
                return self.assign_mask(name, v)
            texts, at, sizes = self.target(v)
        except Unfit:
            return None
        part = [s for s in sizes]
        e = self.expression((), 2) if r.random() < 0.2 else self.expression(part, 3)
        if count(e.shape) == 1 and e.shape:
            e = self.reshaped(e, (1,)) if r.random() < 0.5 else e
        sign, limit = '', self.inside is not None
        if not limit and v.dtype != 'bool' and r.random() < 0.3:
            sign = r.choice('+-')
        if v.dtype != 'bool' and e.fraction and not is_float(v.dtype) or \
                is_float(e.dtype) and not is_float(v.dtype):
            e = self.cast(e, v.dtype)
        if limit or not holds(v.dtype, e.most + v.most, max(e.fraction, v.fraction)):
            e = self.limited(e, v) if v.dtype != 'bool' else self.cast(e, 'bool')
        if sign:
            both = promote(e.dtype, v.dtype)
            if not holds(both, e.most + v.most, max(e.fraction, v.fraction)) or \
                    not holds(v.dtype, e.most + v.most, max(e.fraction, v.fraction)) or \
                    is_float(both) and not is_float(v.dtype):
                return None
        if v.dtype != 'bool' and not limit:
            v.most = v.most + e.most if sign else max(v.most, e.most)
            v.fraction = max(v.fraction, e.fraction)
        one = ', '.join(texts)
        if len(v.shape) == 2 and v.shape[0] == 1 and texts[0] == ':' != texts[1] and \
                r.random() < 0.5:
            one = texts[1]

        def f(env):
            value = np.asarray(e.f(env), float)
            value = value.reshape(sizes) if value.size > 1 else value.reshape(())
            a, where = env[name].copy(), np.ix_(*[g(env) for g in at])
            if sign:
                value = a[where] + (value if sign == '+' else -value)
            a[where] = cast(value, v.dtype)
            env[name] = a
        return f'{name}[{one}] {sign}= {e.text};', f

    def assign_mask(self, name, v):
        """A scalar where something is true, also nowhere."""
        m = self.compared(v.shape, 2)
        if m.shape != v.shape:
            raise Unfit
        e = self.number() if self.r.random() < 0.5 else self.expression((), 2)
        if e.dtype is None and (e.fraction or v.dtype == 'bool'):
            raise Unfit
        if e.dtype is not None:
            e = self.limited(e, v) if v.dtype != 'bool' else self.cast(e, 'bool')
        elif e.most > v.most:
            raise Unfit

        def f(env):
            value = np.asarray(e.f(env), float).reshape(())
            env[name] = np.where(m.f(env) != 0, cast(value, v.dtype), env[name])
        return f'{name}[{m.text}] = {e.text};', f

    def results(self):
        """Several results of a function."""
        found = [f for f in self.functions if len(f['results']) > 1]
        if not found or self.inside is not None:
            return None
        fun = self.r.choice(found)
        try:
            args = self.arguments(fun, 2)
        except Unfit:
            return None
        names = [self.fresh() for _ in fun['results']]
        for n, e in zip(names, fun['results']):
            self.vars[n] = Var(e.shape, e.dtype, max(e.most, 1), e.fraction)
        if self.r.random() < 0.2:
            self.vars.pop(names[0])
            names[0] = '_'

        def f(env):
            for n, value, e in zip(names, fun['run']([a.f(env) for a in args]), fun['results']):
                env[n] = np.asarray(value, float).reshape(e.shape)
        return f'{", ".join(names)} = {fun["name"]}({", ".join(a.text for a in args)});', f

    def masked(self):
        """What a mask chooses, whose number is known only here."""
        if self.inside is not None:
            return None
        name = self.r.choice(list(self.vars))
        v = self.vars[name]
        m = self.compared(v.shape, 2)
        if not v.shape or m.shape != v.shape:
            return None
        n = int(np.count_nonzero(m.f(self.env)))
        if not n:
            return None
        row = len(v.shape) == 2 and v.shape[0] == 1
        shape, to = (1, n) if row else (n,), self.fresh()
        self.vars[to] = Var(shape, v.dtype, v.most, v.fraction)
        if self.r.random() < 0.3:
            self.vars[to] = Var((n,), 'i64', count(v.shape), 0)

            def f(env):
                env[to] = np.flatnonzero(m.f(env)) + 1.
            return f'{to} = find({m.text});', f

        def f(env):
            env[to] = env[name][m.f(env) != 0].reshape(shape)
        return f'{to} = {name}[{m.text}];', f

    def exchange(self):
        names = list(self.vars) if self.inside is None else list(self.inside)
        a = self.r.choice(names)
        v = self.vars[a]
        same = [n for n in names if n != a and (self.vars[n].shape, self.vars[n].dtype) ==
                (v.shape, v.dtype)]
        if not same:
            return None
        b = self.r.choice(same)
        w = self.vars[b]
        if self.r.random() < 0.5:
            if self.inside is None:
                v.most, v.fraction = w.most, w.fraction
            elif w.most > v.most or w.fraction > v.fraction:
                return None

            def f(env):
                env[a] = env[b]
            return f'{a} = {b};', f
        if self.inside is None:
            self.vars[a], self.vars[b] = w, v
        elif (w.most, w.fraction) != (v.most, v.fraction):
            return None

        def f(env):
            env[a], env[b] = env[b], env[a]
        return f'q = {a}; {a} = {b}; {b} = q;', f

    def bodies(self, how_many, depth):
        """Lists of statements that assign only what is there, within its bounds."""
        first = self.inside is None
        if first:
            self.inside = set(self.vars)
            for v in self.vars.values():
                if v.dtype != 'bool':
                    kept = KEPT if holds(v.dtype, KEPT, v.fraction) else 0
                    v.most = max(v.most, kept)
        out = []
        for _ in range(how_many):
            got = [self.statement(depth - 1) for _ in range(self.r.randint(1, 4))]
            out.append([g for g in got if g])
        if first:
            self.inside = None
        return out

    @staticmethod
    def indent(body):
        return ['  ' + line for t, _ in body for line in t.split('\n')]

    def loop(self, depth):
        r, k, rounds = self.r, self.fresh('k'), self.r.randint(1, 5)
        kind = r.choice(['for', 'for', 'while', 'list'])
        self.loops[k] = (rounds, 'f32' if kind == 'list' and rounds > 1 else None)
        body, = self.bodies(1, depth)
        del self.loops[k]
        if not body:
            return None
        order = list(range(1, rounds + 1))
        if kind == 'while':
            text = [f'{k} = 0;', f'while {k} < {rounds}', f'  {k} += 1;']
        elif kind == 'list' and rounds > 1:
            r.shuffle(order)
            text = [f'for {k} = [{", ".join(map(str, order))}]']
        else:
            text = [f'for {k} = 1:{rounds}']

        def f(env):
            for x in order:
                env[k] = x
                for _, g in body:
                    g(env)
        return '\n'.join(text + self.indent(body) + ['end']), f

    def branch(self, depth):
        c = self.small(self.expression((), 2))
        k = self.r.randint(0, 3)
        then, other = self.bodies(2, depth)

        def f(env):
            for _, g in then if float(np.asarray(c.f(env)).reshape(())) > k else other:
                g(env)
        return '\n'.join([f'if {c.text} > {k}'] + self.indent(then) + ['else'] +
                         self.indent(other) + ['end']), f

    def statement(self, depth):
        ways = [self.assign] * 5 + [self.assign_part] * 4 + [self.results, self.masked,
                                                            self.exchange]
        if depth > 0:
            ways += [lambda: self.loop(depth), lambda: self.branch(depth)]
        try:
            return self.r.choice(ways)()
        except Unfit:
            return None

    # -- running --------------------------------------------------------------------------

    def results_of(self, parts):
        env = {}
        for _, f in parts:
            f(env)
        return {n: env[n] for n in self.vars if n in env}


def texts(parts, wanted, folder, whole):
    """The program's inputs: one, or one for each statement."""
    save = [f'save("{folder}/{n}.npy", {n})' for n in wanted]
    lines = [t for t, _ in parts]
    return ['\n'.join(lines + save)] if whole else lines + save


def run(inputs, strategy, target, home):
    env = fakegpu.environment(home) if target == 'fake' else dict(os.environ)
    args = [fakegpu.PROGRAM, '--no-rc', '--target', 'cpu' if target == 'cpu' else 'cuda',
            '-e', f':strategy {strategy}']
    for text in inputs:
        args += ['-e', text]
    return subprocess.run(args, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=600, check=False)


def wrong(prog, parts, strategy, whole, target, home):
    """None, or what is wrong with the results of these statements."""
    folder = os.path.join(home, 'results')
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    want = prog.results_of(parts)
    inputs = texts(parts, want, folder, whole)
    done = run(inputs, strategy, target, home)
    if done.returncode:
        return f'status {done.returncode}: {done.stderr[:1000]}'
    for name, value in want.items():
        got = np.load(os.path.join(folder, name + '.npy'))
        v = prog.vars[name]
        if got.dtype != NP[v.dtype] or bare(got.shape) != bare(value.shape):
            return f'{name} is {got.dtype}{got.shape}, not {v.dtype}{value.shape}'
        got = got.astype(float).reshape(value.shape)
        if not np.array_equal(got, value):
            return f'{name} is\n{got}\nnot\n{value}'
    return None


def main():
    parser = argparse.ArgumentParser(description='random programs')
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--target', default='cpu')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for index in range(args.first, args.first + args.count):
            prog = Program(index)
            for whole in (True, False):
                strategy = STRATEGIES[(index + whole * 3) % len(STRATEGIES)]
                what = wrong(prog, prog.parts, strategy, whole, args.target, home)
                how = f'{strategy}, {"whole" if whole else "in steps"}'
                score.check(what is None, f'program {index} on {args.target}, {how}: {what}',
                            '\n'.join(t for t, _ in prog.parts))
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
