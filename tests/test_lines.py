#!/usr/bin/python3
"""What goes along lines of an array - running sums, products and extremes, sorting -
beside numpy.

Arrays of all types and ranks, as they lie and seen through views, along every dimension
and along all elements; whole numbers, reals by a bound for every element, NaN, infinities.

    tests/test_lines.py [--count N] [--first N] [--target cpu|cuda|fake]

Without --target a few programs run on the fake GPU as well. The last line is
`N passed, N failed`.
"""
import argparse
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
TYPES = ['f32', 'f64', 'i32', 'i64', 'f16', 'bf16', 'bool', 'u8', 'i8', 'u16', 'i16', 'u32', 'u64']
NUMPY = {'f32': np.float32, 'f64': np.float64, 'i32': np.int32, 'i64': np.int64,
         'f16': np.float16, 'bf16': np.float32, 'bool': np.bool_, 'u8': np.uint8, 'i8': np.int8,
         'u16': np.uint16, 'i16': np.int16, 'u32': np.uint32, 'u64': np.uint64}
UNIT = {'f32': 2.0 ** -24, 'f64': 2.0 ** -53, 'f16': 2.0 ** -11, 'bf16': 2.0 ** -8}
STRATEGIES = ['smart', 'smart', 'minsync', 'minmemory', 'noreorder', 'off']
SIZES = [1, 2, 3, 7, 8, 9, 31, 33, 64, 100, 257]
LONG = [1, 2, 9, 255, 2047, 2048, 2049, 4100, 33000, 70001]


def is_float(dtype):
    return dtype in UNIT


def shape_of(r):
    kind = r.randint(0, 9)
    if kind < 4:
        n = r.choice(LONG)
        return (n,) if kind < 2 else (1, n) if kind == 2 else (n, 1)
    if kind < 8:
        wide = r.choice(SIZES)
        return r.choice([(wide, r.choice(SIZES)), (r.choice(LONG[:8]), wide % 40 + 1),
                         (wide % 40 + 1, r.choice(LONG[:8]))])
    return tuple(r.choice(SIZES[:7]) for _ in range(r.randint(3, 4)))


def elements(r, dtype, shape):
    g = np.random.default_rng(r.randint(0, 2 ** 31))
    kind = r.randint(0, 3)
    if dtype == 'bool':
        return g.integers(0, 2, shape).astype(bool)
    if not is_float(dtype):
        most = [3, 1000, 2 ** 30, 2 ** 30][kind]
        return g.integers(-most, most, shape).astype(NUMPY[dtype])
    x = g.integers(-3, 4, shape) if kind < 2 else g.standard_normal(shape)
    x = x.astype(NUMPY[dtype])
    if kind == 3 and x.size > 2:
        for _ in range(r.randint(1, 4)):
            at = tuple(r.randrange(n) for n in shape)
            x[at] = r.choice([np.nan, np.inf, -np.inf, -0.0, 0.0])
    if dtype == 'bf16':  # as the program rounds it
        bits = x.astype(np.float32).view(np.uint32)
        x = ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).astype(np.uint32).view(
            np.float32).reshape(shape) if not np.isnan(x).any() else np.float32(np.round(x))
    return x


def seen(r, name, x):
    """The array through a view, as text and value."""
    kind = r.randint(0, 7)
    if kind == 0 and x.ndim == 2:
        return f"{name}'", x.T
    if kind == 1 and x.ndim == 1 and x.size > 1:
        return f'{name}[end:-1:1]', x[::-1]
    if kind == 2 and x.ndim == 1 and x.size > 2:
        return f'{name}[2:2:end]', x[1::2]
    if kind == 3 and x.ndim == 2 and x.shape[1] > 2:
        return f'{name}[:, 2:end]', x[:, 1:]
    if kind == 4 and x.ndim == 2 and x.shape[0] > 2:
        return f'{name}[end:-1:2, :]', x[:0:-1]
    if kind == 5 and x.ndim == 2 and min(x.shape) > 2:
        return f"{name}[2:end, 1:2:end]'", x[1:, ::2].T
    return name, x


def lines_of(x, dim):
    """x as lines along a dimension (0: all elements), and the way back."""
    if not dim:
        flat = x.reshape(-1)
        return flat[None], lambda y: y.reshape(x.shape if max(x.shape) == x.size else -1)
    if dim > x.ndim:
        return x.reshape(-1, 1), lambda y: y.reshape(x.shape)
    moved = np.moveaxis(x, dim - 1, -1)
    return (moved.reshape(-1, moved.shape[-1]),
            lambda y: np.moveaxis(y.reshape(moved.shape), -1, dim - 1))


def so_far(name, lines, dtype):
    """What numpy has, and how far from it each element may be."""
    if name in ('cummax', 'cummin'):
        of = np.maximum if name == 'cummax' else np.minimum
        y = of.accumulate(lines.astype(np.int32) if dtype == 'bool' else lines, axis=1)
        return y, np.zeros(y.shape)
    of = np.cumsum if name == 'cumsum' else np.cumprod
    if not is_float(dtype):
        y = of(lines.astype(np.uint64 if dtype == 'u64' else np.int64), axis=1)
        return y, np.zeros(y.shape)
    with np.errstate(all='ignore'):
        y = of(lines.astype(np.longdouble), axis=1)
        own, on = UNIT[dtype], min(UNIT[dtype], 2.0 ** -24)
        if name == 'cumsum':
            sizes = np.cumsum(np.abs(lines).astype(np.longdouble), axis=1)
            bound = 24 * on * sizes
        else:
            bound = np.abs(y) * (np.arange(1, y.shape[1] + 1) + 8) * on * 1.01
        whole = np.abs(lines) == np.round(np.abs(lines))
        if name == 'cumsum' and whole.all() and np.nanmax(sizes, initial=0) < 0.5 / own:
            bound = np.zeros(y.shape)
        elif own > on:
            bound = bound + np.abs(y) * own + 2.0 ** -24
        bound = bound + (2.0 ** -148 if dtype == 'f32' else 0)
    return y, bound


def near(got, want, bound, dtype):
    got = got.astype(np.longdouble)
    most = {'f16': 65504.0, 'bf16': 3.38e38, 'f32': 3.4e38, 'f64': 1.79e308}[dtype]
    with np.errstate(all='ignore'):
        # May be infinite and NaN from then on; products may be lost among the smallest.
        over = np.abs(want) + bound >= most
        over |= (np.abs(want) < (1e-290 if dtype == 'f64' else 1e-30)) & (want != 0)
        over = np.logical_or.accumulate(over & ~np.isnan(want), axis=1)
        same = (np.isnan(got) & np.isnan(want)) | (got == want)
        return bool(np.all(same | over | (np.abs(got - want) <= bound)))


def order_of(lines, down):
    """Stable, NaN last, zeros of both signs equal."""
    keys = np.zeros(lines.shape, dtype=np.int64)
    for k, line in enumerate(lines):
        nan = np.isnan(line)
        _, rank = np.unique(np.where(nan, 0, line), return_inverse=True)
        rank = -rank.reshape(-1) if down else rank.reshape(-1)
        keys[k] = np.where(nan, line.size + 1, rank)
    return np.argsort(keys, axis=1, kind='stable')


def same_bits(got, want):
    if got.size != want.size:
        return False
    got, want = got.reshape(-1), want.reshape(-1)
    if got.dtype.kind != 'f':
        return np.array_equal(got, want)
    nan = np.isnan(want)
    return (np.array_equal(np.isnan(got), nan) and np.array_equal(got[~nan], want[~nan]) and
            np.array_equal(np.signbit(got[~nan]), np.signbit(want[~nan])))


class Program:
    def __init__(self, seed, home):
        self.r = r = random.Random(seed)
        self.home, self.text, self.checks = home, [], []
        self.text.append(f':strategy {r.choice(STRATEGIES)}')
        for k in range(r.randint(3, 6)):
            self.case(k)

    def case(self, k):
        r = self.r
        dtype, shape = r.choice(TYPES), shape_of(r)
        x = elements(r, dtype, shape)
        np.save(os.path.join(self.home, f'x{k}.npy'), x)
        loaded = f'load("{self.home}/x{k}.npy")'
        self.text.append(f'x{k} = {"bf16(" + loaded + ")" if dtype == "bf16" else loaded};')
        text, value = seen(r, f'x{k}', x)
        self.text.append('begin')
        for which in range(r.randint(1, 3)):
            dim = r.randint(0, value.ndim)
            if r.randint(0, 1):
                self.sort(f'v{k}_{which}', text, value, dim, dtype)
                continue
            self.so_far(f'v{k}_{which}', text, value, dim, dtype)
        self.text.append('end')

    def give(self, name, text, check):
        self.text.append(f'{name} = {text};')
        self.checks.append((name, text, check))

    def so_far(self, name, text, value, dim, dtype):
        r = self.r
        op = r.choice(['cumsum', 'cumsum', 'cumprod', 'cummax', 'cummin'])
        lines, back = lines_of(value, dim)
        want, bound = so_far(op, lines, dtype)
        computed = is_float(dtype) and not r.randint(0, 3)
        text = f'{text} + 0*{text}' if computed and np.isfinite(value).all() else text
        call = f'{op}({text})' if not dim else f'{op}({text}, {dim})'
        shape = back(want).shape

        def check(got):
            if got.size != want.size:
                return False
            got = lines_of(got.reshape(shape), dim if len(shape) == value.ndim else 0)[0]
            return near(got, want, bound, dtype) if is_float(dtype) else np.array_equal(got, want)
        self.give(name, call, check)

    def sort(self, name, text, value, dim, dtype):
        r = self.r
        places, down = r.randint(0, 1), r.randint(0, 1)
        lines, back = lines_of(value, dim)
        at = order_of(lines, down)
        want = back(at + 1 if places else np.take_along_axis(lines, at, axis=1))
        word = ', "descend"' if down else r.choice(['', ', "ascend"'])
        along = f', {dim}' if dim else ''
        call = f'{"argsort" if places else "sort"}({text}{along}{word})'
        self.give(name, call, lambda got: same_bits(got, want))

    def script(self):
        saved = []
        for name, _, _ in self.checks:
            saved.append(f'if dtype({name}) == "bf16"\n{name} = f32({name});\nend\n'
                         f'save("{self.home}/{name}.npy", {name});')
        return '\n'.join(self.text + saved) + '\n'


def one(index, target, home):
    prog = Program(index, home)
    script = prog.script()
    done = fakegpu.run_script(script, target, home)
    good, wrong = done.returncode == 0, ''
    for name, text, check in prog.checks if good else ():
        if not check(np.load(os.path.join(home, name + '.npy'))):
            wrong += f' {name} = {text};'
    score.check(good and not wrong,
                f'program {index} on {target}: {done.stderr[:300]}{wrong}\n{script}')


def main():
    parser = argparse.ArgumentParser(description='what goes along lines')
    parser.add_argument('--count', type=int, default=30)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--target')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for index in range(args.first, args.first + args.count):
            one(index, args.target or 'cpu', home)
        for index in range(2 if not args.target else 0):
            one(1000 + index, 'fake', home)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
