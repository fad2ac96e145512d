#!/usr/bin/python3
"""Loops whose rounds differ in where slices begin, at random, beside numpy.

A round reads and writes rows, columns, windows and blocks that move with k, of
arrays that other names may hold as well; calls functions, some with loops of their
own; keeps what it had in histories. Each fifth program has its loop in a function, which is
called twice and finds B in the session. In each third program slices also grow or shrink
with k, and are multiplied as matrices are. All numbers are whole and small, so every
element must be the same. Lists of statements that come again run in another way
than those that are new (bound, not traced, to slices that lie elsewhere), which is
what this is about.

    tests/test_rounds.py [--count N] [--first N] [--target cpu|cuda|fake]

The last line is `N passed, N failed`.
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
# Two updates of one value that could both happen in place.
FOUND = (885, 2062)
FUNCTIONS = """function twice(v)
  for j = 1:2
    v = mod(2*v + j, 31);
  end
  return v
end
function shift(v)
  s = mod(sum(v), 31); return mod(v + s, 31)
end
"""


def twice(v):
    for j in (1, 2):
        v = np.mod(2 * v + j, 31)
    return v


def shift(v):
    return np.mod(v + np.mod(v.sum(), 31), 31)


class Program:
    """The text, and the same as Python over numpy, built statement by statement."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        r = self.r
        self.rounds = r.choice([5, 6, 8])
        self.rows, self.columns = r.choice([(12, 9), (17, 33), (40, 16), (9, 300)])
        self.length = r.choice([24, 37, 301])
        self.dtype = r.choice(['f32', 'f32', 'f64', 'i32'])
        self.growth = r.choice([1, -1]) if seed % 3 == 2 else 0
        if self.growth:
            # Code for any size comes with the fifth size, rounds that are not traced once
            # three were aligned alike.
            self.rounds = r.choice([12, 24])
            self.rows, self.columns = r.choice([(41, 43), (52, 38), (37, 300)])
            self.length = r.choice([37, 49, 301])
        self.calls = 2 if seed % 5 == 1 else 1
        self.temps = {}
        self.text, self.code = [], []
        body = [self.statement(f't{k}') for k in range(r.randint(1, 5))]
        if r.random() < 0.5:
            body.append(self.history())
        if r.random() < 0.3:
            body.append(('if mod(k, 2) == 0; x = mod(x + 1, 31); end',
                         'if k % 2 == 0: x = np.mod(x + 1, 31)'))
        self.body = body

    def most(self, size):
        """Elements of a slice when it is longest; `size` is when it is shortest."""
        return size + (self.rounds - 1 if self.growth else 0)

    def extent(self, size):
        """Elements of a slice in round k, as text and as Python."""
        if not self.growth:
            return str(size), str(size)
        text = f'{size - 1} + k' if self.growth > 0 else f'{size + self.rounds} - k'
        return f'({text})', f'({text})'

    def place(self, size, extent):
        """A start for each k in 1 .. rounds, as text and as a value from 0; there are
        `size` elements at most from it on."""
        room = extent - size
        ways = [s for s in (0, 1, 1, 1, 2, -1, 3) if abs(s) * (self.rounds - 1) <= room]
        s = self.r.choice(ways)
        low = 1 if s >= 0 else 1 - s * (self.rounds - 1)
        high = extent - size + 1 - (s * (self.rounds - 1) if s > 0 else 0)
        b = self.r.randint(low, high)  # at k = 1
        text = f'{s}*k + {b - s}' if s not in (0, 1) else f'k + {b - 1}' if s else str(b)
        return text, f'({s}*k + {b - s - 1})'

    def span(self, size, extent):
        text, value = self.place(self.most(size), extent)
        if size == extent:
            return ':', ':'
        n, m = self.extent(size)
        how = self.r.random()
        if how < 0.12:
            return (f'{text} + {n} - 1:-1:{text}',
                    f'np.arange({value} + {m} - 1, {value} - 1, -1)')
        return f'{text}:{text} + {n} - 1', f'{value}:{value} + {m}'

    def column(self, size):
        """Where a column vector of so many elements lies: (text, code, is it a row)."""
        r = self.r
        ways = [n for n, e in (('x', self.length), ('y', self.length), ('r', self.rows),
                               ('c', self.columns)) if e >= self.most(size)]
        way, name = r.choice(ways), r.choice('AB')
        if way in 'xy':
            text, value = self.span(size, self.length)
            return f'{way}[{text}]', f'{way}[{value}]', False
        if way == 'r':
            (t, v), (u, w) = self.span(size, self.rows), self.place(1, self.columns)
            return f'{name}[{t}, {u}]', f'{name}[{v}, {w}]', False
        (t, v), (u, w) = self.place(1, self.rows), self.span(size, self.columns)
        return f'{name}[{t}, {u}]', f'{name}[{v}, {w}]', True

    def operand(self, size):
        r = self.r
        known = [n for n, s in self.temps.items() if s == size]
        if known and r.random() < 0.4:
            name = r.choice(known)
            return name, name
        text, code, row = self.column(size)
        return (text + "'" if row else text), code

    def value(self, size):
        """A column of so many elements from 0 to 30."""
        r = self.r
        a, b = self.operand(size), self.operand(size)
        kind = r.randint(0, 6)
        if kind == 0:
            return f'twice({a[0]})', f'twice({a[1]})'
        if kind == 1:
            return f'shift({a[0]})', f'shift({a[1]})'
        if kind == 2:
            return (f'mod({a[0]} + sum({b[0]}) + k, 31)',
                    f'np.mod({a[1]} + ({b[1]}).sum() + k, 31)')
        if kind == 3:
            return f'mod({a[0]} .* {b[0]}, 31)', f'np.mod({a[1]} * {b[1]}, 31)'
        if kind == 4:
            return (f'mod(3*{a[0]} + max({b[0]}), 31)',
                    f'np.mod(3 * {a[1]} + ({b[1]}).max(), 31)')
        return f'mod({a[0]} - {b[0]}, 31)', f'np.mod({a[1]} - {b[1]}, 31)'

    def block(self):
        r = self.r
        h, w = r.randint(1, self.rows // 2), r.randint(2, self.columns // 2)
        if self.growth:
            h, w = r.choice([1, 3, 8]), r.choice([1, 4, 7])

        def part():
            name = r.choice('AB')
            (t, v), (u, x) = self.span(h, self.rows), self.span(w, self.columns)
            if 'arange' in v and 'arange' in x:
                return f'{name}[{t}, {u}]', f'{name}[np.ix_({v}, {x})]'
            return f'{name}[{t}, {u}]', f'{name}[{v}, {x}]'
        to, a, b = part(), part(), part()
        return (f'{to[0]} = mod({a[0]} + 2*{b[0]}, 31);',
                f'{to[1]} = np.mod({a[1]} + 2 * {b[1]}, 31)')

    def product(self):
        """A matrix times a vector, or an outer product added to a part."""
        r = self.r
        h, w = r.choice([1, 4, 8]), r.choice([1, 3, 7])
        (t, v), (u, x) = self.span(h, self.rows), self.span(w, self.columns)
        name = r.choice('AB')
        part = (f'{name}[{t}, {u}]', f'{name}[{v}][:, {x}]')
        if r.random() < 0.3:
            a, b = self.operand(h), self.operand(w)
            at = f'{name}[{v}, {x}]' if 'arange' not in v + x else f'{name}[np.ix_({v}, {x})]' \
                if 'arange' in v and 'arange' in x else f'{name}[{v}, {x}]'
            return (f"{part[0]} = mod({part[0]} + {a[0]}*({b[0]})', 31);",
                    f'{at} = np.mod({part[1]} + np.outer({a[1]}, {b[1]}), 31)')
        across = r.random() < 0.5
        size, other = (w, h) if across else (h, w)
        a, (to, at, row) = self.operand(other), self.column(size)
        whole = f"mod({part[0]}{chr(39) if across else ''}*{a[0]}, 31)"
        code = f"np.mod({part[1]}{'.T' if across else ''} @ {a[1]}, 31)"
        text = f"({whole})'" if row else whole
        return f'{to} = {text};', f'{at} = {code}'

    def swap(self):
        (t, v), (u, w) = self.place(1, self.rows), self.place(1, self.rows)
        return (f'w = A[{t}, :]; A[{t}, :] = A[{u}, :]; A[{u}, :] = w;',
                f'q = A[{v}].copy(); A[{v}] = A[{w}]; A[{w}] = q')

    def statement(self, temp):
        r = self.r
        kind, size = r.randint(0, 11), r.choice([1, 3, 4, 8, 9])
        if self.growth and r.random() < 0.5:
            return self.product()
        if kind == 10:
            return self.swap()
        if kind == 0:
            return self.block()
        if kind == 1:
            name = r.choice('AB')
            return (f'{name} = mod(A + B + k, 31);', f'{name} = np.mod(A + B + k, 31)')
        if kind == 2:
            a, b = r.choice(['AB', 'BA', 'xy', 'yx'])
            return f'{a} = {b};', f'{a} = {b}.copy()'
        if kind == 3:
            name = r.choice('xy')
            return f'{name} = {r.choice(["twice", "shift"])}({name});', None
        text, code = self.value(size)
        if kind in (4, 5):
            self.temps[temp] = size
            return f'{temp} = {text};', f'{temp} = {code}'
        to, at, row = self.column(size)
        text = f"({text})'" if row else text
        if kind == 6:
            return f'{to} += {text};', f'{at} = {at} + {code}'
        return f'{to} = {text};', f'{at} = {code}'

    def history(self):
        if self.growth:
            text, code = self.value(3)
            return f's[k] = sum({text});', f's[k - 1] = ({code}).sum()'
        text, code = self.value(4)
        return (f"h = {text}; H[k, :] = h'; s[k] = sum(h);",
                f'h = {code}; H[k - 1] = h; s[k - 1] = h.sum()')

    def start(self):
        """The arrays, as text and as numpy."""
        dt, text, env = self.dtype, [], {}
        for name, shape, a, b in (('A', (self.rows, self.columns), 7, 2),
                                  ('B', (self.rows, self.columns), 5, 3),
                                  ('x', (self.length,), 11, 1), ('y', (self.length,), 3, 4)):
            count = int(np.prod(shape))
            make = f'mod({a}*(1:{count}) + {b}, 29)'
            if len(shape) == 2:
                make = f'reshape({make}, {shape[0]}, {shape[1]})'
            text.append(f'{name} = {dt}({make});')
            env[name] = np.mod(a * np.arange(1, count + 1) + b, 29).reshape(shape).astype(float)
        text.append(f'H = {dt}(zeros({self.rounds}, 4)); s = {dt}(zeros({self.rounds}));')
        env['H'], env['s'] = np.zeros((self.rounds, 4)), np.zeros(self.rounds)
        return text, env

    def script(self, folder):
        text, _ = self.start()
        loop = [f'for k = 1:{self.rounds}', *('  ' + t for t, _ in self.body), 'end']
        if self.calls > 1:
            loop = ['function go(A, x, y, H, s)', *loop, 'return A, B, x, y, H, s', 'end',
                    *['A, B, x, y, H, s = go(A, x, y, H, s);']*self.calls]
        text += loop
        text += [f'save("{folder}/{n}.npy", f64({n}))' for n in 'ABxyHs']
        return '\n'.join(text) + '\n'

    def results(self):
        _, env = self.start()
        env.update(np=np, twice=twice, shift=shift)
        lines = [c if c else t.rstrip(';') for t, c in self.body]
        for k in self.calls*[*range(1, self.rounds + 1)]:
            env['k'] = k
            for line in lines:
                exec(line, env)  # pylint: disable=exec-used
        return {n: env[n] for n in 'ABxyHs'}


def one(index, target, home):
    prog = Program(index)
    folder = os.path.join(home, 'results')
    os.makedirs(folder, exist_ok=True)
    script = FUNCTIONS + prog.script(folder)
    wanted = prog.results()
    if max(np.abs(v).max() for v in wanted.values()) > 5000:
        return  # sums of products would be more than f32 has
    done = fakegpu.run_script(script, target, home)
    good = done.returncode == 0
    for name, value in wanted.items() if good else ():
        got = np.load(os.path.join(folder, name + '.npy'))
        good &= got.size == value.size and np.array_equal(got.reshape(value.shape), value)
    score.check(good, f'program {index} on {target}: {done.stderr[:300]}\n{script}')


def main():
    parser = argparse.ArgumentParser(description='loops with slices that move')
    parser.add_argument('--count', type=int, default=400)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--target', default='cpu')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for index in (*range(args.first, args.first + args.count), *FOUND):
            one(index, args.target, home)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
