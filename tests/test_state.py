#!/usr/bin/python3
"""Random programs that carry state, run by Fusible and by NumPy: equal bit for bit.

    tests/test_state.py [--count N] [--seed S] [--fusible PATH] [--target T]

Where test_random.py is about expressions, these are about what becomes of values:
parts assigned in place that overlap with what is read, by slices, lists and masks,
names that are exchanged, loops that hand values on, branches on what was computed,
functions with loops and several results. Every statement is written twice, in Fusible
and in Python; numbers stay small integers, so that all results are exact. Each program
runs under one of the strategies. The last line is `N passed, N failed`.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZES = [1, 2, 3, 5, 8, 16, 17, 31, 33, 65]
TYPES = {'f32': np.float32, 'f64': np.float64, 'i32': np.int32, 'i64': np.int64}
STRATEGIES = ['smart', 'minsync', 'minmemory', 'noreorder', 'manual', 'off']
FUNCTIONS = [
    ('f(x, y) = mod(x.*y + y, 11);', 'f = lambda x, y: np.mod(x*y + y, 11)'),
    ('''function g(x, y)
  z = x;
  for k = 1:3
    z = mod(z + k*y, 7);
    if sum(z) > 20
      x = z - x;
    end
  end
  return x + z
end''', '''def g(x, y):
  z = x
  for k in range(1, 4):
    z = np.mod(z + k*y, 7)
    if z.sum() > 20:
      x = z - x
  return x + z'''),
    ('''function h(x, y)
  add = t -> mod(t + x, 5);
  x = y;
  return add(x) + f(x, y)
end''', '''def h(x, y):
  add = lambda t, x=x: np.mod(t + x, 5)
  x = y
  return add(x) + f(x, y)''')]


class Program:
    """Lines of both languages; all variables have one type and keep their shapes."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        data = np.random.default_rng(seed)
        m = self.rng.choice(SIZES)
        n = self.rng.choice(SIZES + [m]*4)
        self.dtype = self.rng.choice(list(TYPES))
        self.shapes = {'A': (m, n), 'B': (m, n), 'C': (n, m), 'D': (n, n),
                       'u': (m,), 'v': (n,), 'w': (n,)}
        self.inputs = {name: data.integers(-6, 7, shape).astype(TYPES[self.dtype])
                       for name, shape in self.shapes.items()}
        self.lines, self.python, self.depth, self.loops = [], [], 0, 0
        for fusible, python in FUNCTIONS:
            self.add(fusible, python)
        for _ in range(self.rng.randint(5, 15)):
            self.statement(2)

    def add(self, fusible, python):
        self.lines.append('  '*self.depth + fusible)
        self.python.append('  '*self.depth + python)

    # -- expressions: texts in both languages ------------------------------------

    def slice(self, full, count):
        """`count` of `full` elements, perhaps with a step or backwards."""
        step = self.rng.choice([s for s in (1, 1, 2, 3) if (count - 1)*s < full])
        first = self.rng.randint(0, full - (count - 1)*step - 1)
        last = first + (count - 1)*step
        if self.rng.random() < 0.25:
            stop = first - step if first >= step else ''
            return f'{last + 1}:-{step}:{first + 1}', f'{last}:{stop}:-{step}'
        end = 'end' if last == full - 1 else last + 1
        return f'{first + 1}:{step}:{end}', f'{first}:{last + 1}:{step}'

    def list(self, full, count):
        """`count` of `full` elements, in any order, some perhaps several times."""
        chosen = [self.rng.randint(1, full) for _ in range(count)]
        return (f'[{", ".join(map(str, chosen))}]',
                f'[{", ".join(str(k - 1) for k in chosen)}]')

    def part(self, name, shape):
        """A part of that shape of a variable."""
        cuts = [self.slice(full, count)
                for full, count in zip(self.shapes[name], shape)]
        if self.rng.random() < 0.2 and max(shape) < 40:
            k = self.rng.randrange(len(shape))
            cuts[k] = self.list(self.shapes[name][k], shape[k])
        return [f'{name}[{", ".join(cut[k] for cut in cuts)}]' for k in (0, 1)]

    def leaf(self, shape):
        found = []
        for name, have in self.shapes.items():
            if len(have) == len(shape) and all(a >= b for a, b in zip(have, shape)):
                found.append(self.part(name, shape))
            turned = have[::-1]
            if len(shape) == 2 == len(have) and \
                    all(a >= b for a, b in zip(turned, shape)):
                a, b = self.part(name, shape[::-1])
                found.append([f"{a}'", f'{b}.T'])
            if len(shape) == 1 and len(have) == 2 and have[0] == shape[0]:
                k = self.rng.randint(1, have[1])
                found.append([f'{name}[:, {k}]', f'{name}[:, {k - 1}]'])
            if len(shape) == 1 and len(have) == 2 and have[0]*have[1] >= shape[0]:
                cut, at = self.slice(have[0]*have[1], shape[0])
                turn = self.rng.choice([0, 1])
                found.append([f'vec({name}{["", chr(39)][turn]})[{cut}]',
                              f'{name}{["", ".T"][turn]}.ravel()[{at}]'])
        return self.rng.choice(found)

    def scalar(self):
        name = self.rng.choice(list(self.shapes))
        at = [self.rng.randint(1, n) for n in self.shapes[name]]
        some = [f'{name} >= {name}[{", ".join(map(str, at))}]',
                f'{name} >= {name}[{", ".join(str(k - 1) for k in at)}]']
        kind = self.rng.choice(['sum', 'sum', 'element', 'element', 'mask', 'find', 'arg'])
        if kind == 'sum':
            return [f'mod(sum({name}), 13)', f'np.mod({name}.sum(), 13)']
        if kind == 'mask':
            return [f'mod(sum({name}[{some[0]}]), 13)',
                    f'np.mod({name}[{some[1]}].sum(), 13)']
        if kind == 'find':
            return [f'mod(find({some[0]})[end], 13)',
                    f'np.mod(np.flatnonzero({some[1]})[-1] + 1, 13)']
        if kind == 'arg':
            return [f'mod(argmax({name}), 13)', f'np.mod({name}.argmax() + 1, 13)']
        return [f'{name}[{", ".join(map(str, at))}]',
                f'{name}[{", ".join(str(k - 1) for k in at)}]']

    def expression(self, shape, depth):
        if depth == 0 or self.rng.random() < 0.2:
            return self.leaf(shape)
        a, p = self.expression(shape, depth - 1)
        b, q = self.expression(shape, depth - 1)
        kind = self.rng.choice(['+', '-', '.*', 'min', 'where', 'call', 'scalar',
                                'row', 'sum'])
        if kind in '+-':
            return [f'({a} {kind} {b})', f'({p} {kind} {q})']
        if kind == '.*':
            return [f'mod({a}.*{b}, 13)', f'np.mod({p}*{q}, 13)']
        if kind == 'min':
            return [f'min({a}, {b})', f'np.minimum({p}, {q})']
        if kind == 'where':
            return [f'where({a} > {b}, {b}, {a})', f'np.where({p} > {q}, {q}, {p})']
        if kind == 'call':
            name = self.rng.choice('fgh')
            return [f'{name}(mod({a}, 13), mod({b}, 13))',
                    f'{name}(np.mod({p}, 13), np.mod({q}, 13))']
        if kind == 'row' and len(shape) == 2:
            c, r = self.expression((1, shape[1]), depth - 1)
            return [f'({a} + {c})', f'({p} + {r})']
        if kind == 'sum' and len(shape) == 1:
            of = self.rng.choice([n for n, s in self.shapes.items()
                                  if len(s) == 2 and s[0] >= shape[0]])
            c, r = self.part(of, (shape[0], self.shapes[of][1]))
            return [f'mod(sum({c}, 2), 13)', f'np.mod({r}.sum(1), 13)']
        c, r = self.scalar()
        return [f'({a} - {c})', f'({p} - {r})']

    # -- statements ----------------------------------------------------------------

    def value(self, shape):
        a, p = self.expression(shape, self.rng.choice([0, 1, 2]))
        return f'{self.dtype}(mod({a}, 13))', f'cast(np.mod({p}, 13))'

    def assign(self, name):
        a, p = self.value(self.shapes[name])
        self.add(f'{name} = {a};', f'{name} = {p}')

    def assign_part(self, name):
        shape = tuple(self.rng.randint(1, n) for n in self.shapes[name])
        a, p = self.value(shape)
        cuts = [self.slice(full, count) for full, count in zip(self.shapes[name], shape)]
        to, at = [f'{name}[{", ".join(cut[k] for cut in cuts)}]' for k in (0, 1)]
        sign = self.rng.choice(['', '', '+'])
        self.add(f'{to} {sign}= {a};',
                 f'part = {p}; {name} = {name}.copy(); {at} {sign}= part')

    def assign_list(self, name):
        """Along one dimension, everything along the other; the last of equals stays, but of
        what is added all is."""
        shape = list(self.shapes[name])
        k = self.rng.randrange(len(shape))
        shape[k] = self.rng.randint(1, min(shape[k], 40))
        to, at = [':']*len(shape), [':']*len(shape)
        to[k], at[k] = self.list(self.shapes[name][k], shape[k])
        a, p = self.scalar() if self.rng.random() < 0.3 else self.value(tuple(shape))
        sign, places = self.rng.choice(['', '', '+']), ', '.join(at)
        put = f'np.add.at({name}, np.s_[{places}], part)' if sign else f'{name}[{places}] = part'
        self.add(f'{name}[{", ".join(to)}] {sign}= {self.dtype}({a});',
                 f'part = cast({p}); {name} = {name}.copy(); {put}')

    def assign_mask(self, name):
        least = self.rng.randint(-2, 9)
        a, p = self.scalar()
        if self.rng.random() < 0.5:
            self.add(f'{name}[{name} > {least}] = {self.dtype}({a});',
                     f'{name} = np.where({name} > {least}, cast({p}), {name})')
        else:
            self.add(f'if any({name} > {least}); {name}[{name} > {least}] = '
                     f'mod({name}[{name} > {least}] + {self.dtype}({a}), 13); end',
                     f'{name} = np.where({name} > {least}, '
                     f'np.mod({name} + cast({p}), 13), {name})')

    def exchange(self, name):
        other = self.rng.choice([k for k, s in self.shapes.items()
                                 if s == self.shapes[name]])
        self.add(f'q = {name}; {name} = {other}; {other} = q;',
                 f'{name}, {other} = {other}, {name}')

    def body(self, depth):
        self.depth += 1
        self.python.append('  '*self.depth + 'pass')
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth)
        self.depth -= 1

    def loop(self, name, depth):
        self.loops += 1
        k, n = f'k{self.loops}', min(self.shapes[name][0], self.rng.randint(1, 5))
        all_, rows = (', :', ', :') if len(self.shapes[name]) == 2 else ('', '')
        self.add(f'for {k} = 1:{n}', f'for {k} in range(1, {n + 1}):')
        self.body(depth)
        self.depth += 1
        self.add(f'{name}[{k}{all_}] = mod({name}[end{all_}] + {k}, 13);',
                 f'{name} = {name}.copy(); '
                 f'{name}[{k} - 1{rows}] = np.mod({name}[-1{rows}] + {k}, 13)')
        self.depth -= 1
        self.add('end', 'pass')

    def branch(self, depth):
        a, p = self.scalar()
        self.add(f'if {a} > 2', f'if {p} > 2:')
        self.body(depth)
        self.add('else', 'else:')
        self.body(depth)
        self.add('end', 'pass')

    def statement(self, depth):
        name, x = self.rng.choice(list(self.shapes)), self.rng.random()
        if x < 0.25:
            self.assign(name)
        elif x < 0.35:
            self.assign_list(name)
        elif x < 0.42:
            self.assign_mask(name)
        elif x < 0.7 or (depth == 0 and x >= 0.78):
            self.assign_part(name)
        elif x < 0.78:
            self.exchange(name)
        elif x < 0.9:
            self.loop(name, depth - 1)
        else:
            self.branch(depth - 1)

    # -- running ---------------------------------------------------------------------

    def expected(self):
        cast = lambda x: np.asarray(x).astype(TYPES[self.dtype])
        names = dict(self.inputs, np=np, cast=cast)
        exec('\n'.join(self.python), names)  # what this file has made
        return {name: names[name] for name in self.shapes}

    def text(self, folder, strategy):
        load = [f'{name} = load("{folder}/{name}.npy");' for name in self.shapes]
        save = [f'save("{folder}/{name}_.npy", {name});' for name in self.shapes]
        return '\n'.join([f':strategy {strategy}', *load, *self.lines, *save, ''])


def check(seed, args, folder):
    """None, or what is wrong."""
    p = Program(seed)
    text = p.text(folder, STRATEGIES[seed % len(STRATEGIES)])
    for name, value in p.inputs.items():
        np.save(f'{folder}/{name}.npy', value)
    threads = str(1 + seed % 2)
    done = subprocess.run([args.fusible, '--target', args.target, '--threads', threads,
                           '-'], input=text, capture_output=True, text=True, timeout=600)
    if done.returncode:
        return text + done.stderr
    for name, want in p.expected().items():
        got = np.load(f'{folder}/{name}_.npy') # a row's transpose is a column
        if got.dtype != want.dtype or not np.array_equal(got.ravel(), want.ravel()):
            return f'{text}# {name} is\n{got}\n# and not\n{want}'
    return None


def main():
    parser = argparse.ArgumentParser(description='random programs with state')
    parser.add_argument('--count', type=int, default=150)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--target', default='cpu')
    parser.add_argument('--fusible', default=os.environ.get(
        'FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(args.count):
            wrong = check(args.seed + k, args, folder)
            failed += wrong is not None
            if wrong:
                print(f'FAILED: seed {args.seed + k}\n{wrong}')
    print(f'{args.count - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
