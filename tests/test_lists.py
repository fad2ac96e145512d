#!/usr/bin/python3
"""Elements, rows and columns that lists choose, in blocks of statements, beside numpy.

Lists are made of ranges, so that they are known to be in range, or were looked at
before: kernels then load by them (struct fs_access of core/kernel/kernel.h), alone or with
what else the block does. Results are whole numbers, so every element must be the same,
under every strategy.

    tests/test_lists.py [--count N] [--first N] [--target cpu|cuda|fake]

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
SIZES = [2, 3, 4, 5, 8, 16, 31, 32, 33, 64, 100, 129, 260]
TYPES = {'f32': np.float32, 'f64': np.float64, 'i32': np.int32, 'i64': np.int64}
STRATEGIES = ['smart', 'smart', 'minsync', 'minmemory', 'noreorder', 'off']


class Program:
    """The text, and what numpy makes of it."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.text, self.values, self.names = [], {}, 0
        self.m, self.n = r.choice(SIZES), r.choice(SIZES)
        self.count, self.wide = r.choice(SIZES), r.choice(SIZES)
        self.inputs()
        self.text.append(f':strategy {r.choice(STRATEGIES)}')
        self.text.append('begin')
        for _ in range(r.randint(1, 5)):
            self.statement()
        self.text.append('end')
        if r.random() < 0.2:
            self.loop()

    def loop(self):
        """Parts of lists that grow, from the second size on by code for any size."""
        most = min(self.count, 24)
        self.text += ['s = 0.0;', f'for k = 1:{most}',
                      's = s + sum(x[p[1:k]] .* z[1:k]) + sum(B[p[1:k], :]);', 'end',
                      f'for k = 1:{most}', f's = s + dot(x[J[k, :]], W[{most} - k + 1, :]\');',
                      'end', 'vs = 1*s;']
        x, z, b = (self.values[n].astype(float) for n in 'xzB')
        p, j = self.at('p'), self.at('J')
        total = sum(x[p[:k]] @ z[:k] + b[p[:k]].sum() for k in range(1, most + 1))
        w = self.values['W'].astype(float)
        self.values['vs'] = np.float64(total + sum(x[j[k]] @ w[most - k - 1]
                                                   for k in range(most)))

    def give(self, text, value):
        self.names += 1
        name = f'v{self.names}'
        self.text.append(f'{name} = {text};')
        self.values[name] = value
        return name

    def inputs(self):
        r = self.r
        for name, rows in (('A', self.m), ('B', self.m), ('C', self.count)):
            dtype, by = r.choice(list(TYPES)), r.randint(3, 90)
            self.text.append(f'{name} = {dtype}(reshape(mod({by}*(1:{rows * self.n}), 7), '
                             f'{rows}, {self.n}));')
            self.values[name] = (by * np.arange(1, rows * self.n + 1) % 7).reshape(
                rows, self.n).astype(TYPES[dtype])
        for name, size in (('x', self.m), ('y', self.n), ('z', self.count)):
            dtype, by = r.choice(list(TYPES)), r.randint(3, 90)
            shape = r.choice(['', f', {size}, 1'])
            made = f'{dtype}(mod({by}*(1:{size}), 11))'
            self.text.append(f'{name} = reshape({made}{shape});' if shape else f'{name} = {made};')
            self.values[name] = (by * np.arange(1, size + 1) % 11).astype(TYPES[dtype])
        self.text.append("R = x';")
        self.values['R'] = self.values['x']
        # Of rows, of columns, a matrix of rows.
        self.list('p', self.count, self.m)
        self.list('q', self.count, self.n)
        self.list('o', self.count, self.count)
        self.list('J', self.count * self.wide, self.m)
        self.text.append(f'J = reshape(J, {self.count}, {self.wide});')
        self.values['J'] = self.values['J'].reshape(self.count, self.wide)
        dtype = r.choice(list(TYPES))
        self.text.append(f'W = {dtype}(mod(5*J, 4));')
        self.values['W'] = (5 * self.values['J'] % 4).astype(TYPES[dtype])
        if r.random() < 0.7:  # looked at: known to be in range
            self.text.append('t = sum(x[p]) + sum(y[q]) + sum(x[J[:]]);')

    def list(self, name, size, extent):
        r = self.r
        dtype, by, plus = r.choice(list(TYPES)), r.randint(1, 50), r.randint(0, 50)
        self.text.append(f'{name} = {dtype}(mod({by}*(1:{size}) + {plus}, {extent}) + 1);')
        self.values[name] = ((by * np.arange(1, size + 1) + plus) % extent + 1).astype(
            TYPES[dtype])

    def at(self, name):
        return self.values[name].astype(int) - 1

    def rows(self):
        """A matrix of `count` rows, as text and value."""
        r = self.r
        name = r.choice('AB')
        a = self.values[name]
        kind = r.randint(0, 5)
        if kind == 5:
            over = max(1, -(-self.count // self.m)) + r.randint(0, 2)
            return (f'{name}[i32(floor((0:{self.count - 1})/{over})) + 1, :]',
                    a[np.arange(self.count) // over])
        if kind == 0:
            fresh = f'mod({r.randint(1, 9)}*(1:{self.count}), {self.m}) + 1'
            by = int(fresh[4])
            return (f'{name}[{fresh}, :]',
                    a[by * np.arange(1, self.count + 1) % self.m])
        if kind == 1 and self.m == self.n:
            return f"{name}[:, p]'", a[:, self.at('p')].T
        return f'{name}[p, :]', a[self.at('p')]

    def column(self):
        """`count` elements."""
        r = self.r
        kind = r.randint(0, 6)
        if kind == 0:
            return 'y[q]', self.values['y'][self.at('q')]
        if kind == 1:
            k = self.r.randint(1, self.n)
            return f'A[p, {k}]', self.values['A'][self.at('p'), k - 1]
        if kind == 2:
            k = self.r.randint(1, self.m)
            return f"B[{k}, q]'", self.values['B'][k - 1, self.at('q')]
        if kind == 3:
            return 'z', self.values['z']
        if kind == 4:
            name = r.choice('xR')
            return f'sum(W .* {name}[J], 2)', self.total(self.picked(name), 1)
        return 'x[p]', self.values['x'][self.at('p')]

    def put(self, kind, ct, cv):
        """Elements put to those that a list names, some of them more than once."""
        r, p, q = self.r, self.at('p'), self.at('q')
        dtype, sign = r.choice(['f64', 'f32', 'i64']), r.choice([1, -1])
        op = {1: '+=', -1: '-='}[sign]
        if kind == 23:  # of a vector
            name = self.give(f'{dtype}(x)', self.values['x'].astype(float))
            how = r.randint(0, 2)
            if how == 0:
                self.text.append(f'{name}[p] {op} {dtype}({ct});')
                np.add.at(self.values[name], p, sign * cv)
            elif how == 1:
                self.text.append(f'{name}[p] {op} 3;')
                np.add.at(self.values[name], p, sign * 3)
            else:
                self.text.append(f'{name} = f64({name}); {name}[p] *= 2;')
                np.multiply.at(self.values[name], p, 2)
            return
        name = self.give(f'{dtype}(A)', self.values['A'].astype(float))
        a, c = self.values[name], self.values['C'].astype(float)
        if kind == 24:  # rows
            self.text.append(f'{name}[p, :] {op} {dtype}(C);')
            np.add.at(a, p, sign * c)
        elif kind == 25 and r.random() < 0.5:  # elements of a column, of a row
            k = r.randint(1, self.n)
            self.text.append(f'{name}[p, {k}] {op} {dtype}({ct});')
            np.add.at(a, (p, k - 1), sign * cv)
        elif kind == 25:
            k = r.randint(1, self.m)
            self.text.append(f"{name}[{k}, q] {op} {dtype}({ct})';")
            np.add.at(a, (k - 1, q), sign * cv)
        elif r.random() < 0.5:  # columns
            self.text.append(f'{name}[:, q] {op} 1;')
            np.add.at(a, (slice(None), q), sign)
        else:  # where rows and columns cross
            self.text.append(f'{name}[p, q] {op} 2;')
            np.add.at(a, np.ix_(p, q), 2 * sign)

    def picked(self, name):
        return self.values['W'].astype(float) * self.values[name][self.at('J')]

    @staticmethod
    def total(a, axis=None):
        return a.astype(float).sum(axis=axis)

    def statement(self):
        r = self.r
        (rt, rv), (ct, cv), (dt, dv) = self.rows(), self.column(), self.column()
        rv, cv, dv = (v.astype(float) for v in (rv, cv, dv))
        y, c = self.values['y'].astype(float), self.values['C'].astype(float)
        kind = r.randint(0, 26)
        both = f'{rt}', rv
        if kind == 0:
            self.give(f'{ct} + 2*{dt}', cv + 2 * dv)
        elif kind > 22:
            self.put(kind, ct, cv)
        elif kind == 1:
            self.give(f'{rt}*y', rv @ y)
        elif kind == 2:
            self.give(f"({rt})'*({ct})", rv.T @ cv)
        elif kind == 3:
            e = self.give(f'{rt}*y - {ct}', rv @ y - cv)
            if np.abs(self.values[e]).max() < 5000:
                self.give(f"({rt})'*{e}", rv.T @ self.values[e])
        elif kind == 4:
            self.give(f'sum({rt}, 1)', rv.sum(axis=0)[None])
        elif kind == 5:
            self.give(f'rowmax({rt}) + {ct}', rv.max(axis=1) + cv)
        elif kind == 6:
            self.give(f'{rt} .* C + {ct}', rv * c + cv[:, None])
        elif kind == 7:
            self.give(f'sum({both[0]} .* C)', (rv * c).sum())
        elif kind == 8:
            self.give(f'{rt} - rowmax({rt})', rv - rv.max(axis=1)[:, None])
        elif kind == 9:
            self.give(f'x[J] .* W + {ct}', self.picked('x') + cv[:, None])
        elif kind == 10:
            self.give('sum(W .* R[J], 1)', self.total(self.picked('R'), 0)[None])
        elif kind == 11:
            self.give(f"({ct})*y'", np.outer(cv, y))
        elif kind == 12:
            a = r.randint(1, self.count)
            self.give(f'({ct})[{a}:{self.count}] + 1', cv[a - 1:] + 1)
        elif kind == 13:
            name = self.give('f64(z)', self.values['z'].astype(float))
            self.text.append(f'{name}[1:{self.count}] = {name}[{self.count}:-1:1] + {ct};')
            self.values[name] = self.values[name][::-1] + cv
        elif kind == 14:
            self.give(f'dot({ct}, {dt})', cv @ dv)
        elif kind == 15:
            self.give(f"colmax({rt})", rv.max(axis=0)[None])
        elif kind == 16:
            self.give(f'({rt})[:, end:-1:1]', rv[:, ::-1])
        elif kind == 17:
            self.give('sum(z[z > 4 || p > 1]) + 1', self.total(self.values['z'][
                (self.values['z'] > 4) | (self.values['p'] > 1)]) + 1)
        elif kind == 20:  # of one number, and by one
            self.give(f'fill(3, {self.m})[p] + {ct}', 3 + cv)
        elif kind == 21:
            self.give(f'x[fill({self.m}, {self.count}, "i64")] + {ct}',
                      self.values['x'][-1] + cv)
        elif kind == 18:  # the last one stays
            name = self.give('f64(z)', self.values['z'].astype(float))
            self.text.append(f'{name}[o] = {ct} + 1;')
            for at, value in zip(self.at('o'), cv + 1):
                self.values[name][at] = value
        elif kind == 19:  # a list by a list
            self.give(f'x[p[o]] + {ct}', self.values['x'][self.at('p')[self.at('o')]] + cv)
        else:
            self.update()

    def update(self):
        """A part of an array by a list into it: what is read is what was there."""
        k = min(self.count, self.m)
        if not self.r.randint(0, 2):
            self.text.append(f'x[1:{k}] = x[p[1:{k}]];')
            x = self.values['x'].copy()
            x[:k] = self.values['x'][self.at('p')[:k]]
            self.values['x'] = x
        else:
            self.text.append(f'A = f64(A); A[1:{k}, :] = B[p[1:{k}], :];')
            self.values['A'] = self.values['A'].astype(float)
            self.values['A'][:k] = self.values['B'][self.at('p')[:k]]

    def script(self, folder):
        names = [n for n in self.values if n[0] == 'v' or n in 'Ax']
        return '\n'.join(self.text + [f'save("{folder}/{n}.npy", f64({n}))'
                                      for n in names]) + '\n', names


def one(index, target, home):
    prog = Program(index)
    folder = os.path.join(home, 'results')
    os.makedirs(folder, exist_ok=True)
    script, names = prog.script(folder)
    done = fakegpu.run_script(script, target, home)
    good, wrong = done.returncode == 0, ''
    for name in names if good else ():
        got = np.load(os.path.join(folder, name + '.npy'))
        want = prog.values[name]
        if np.abs(want).max() > 2.0 ** 22:
            continue  # more than sums of f32 hold
        if got.size != want.size or not np.array_equal(got.reshape(want.shape), want):
            wrong += f' {name}'
    score.check(good and not wrong,
                f'program {index} on {target}: {done.stderr[:300]}{wrong}\n{script}')


def main():
    parser = argparse.ArgumentParser(description='what lists choose')
    parser.add_argument('--count', type=int, default=300)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--target', default='cpu')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for index in range(args.first, args.first + args.count):
            one(index, args.target, home)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
