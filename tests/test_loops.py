#!/usr/bin/python3
"""Loops over elements at random: lifted, and round by round on the host (`:set loops off`).

A nest of one to four loops, with steps of either sign, reads and writes elements of arrays
of all types by sums of its counters, and by lists; reads what it writes, in this round and in
others; adds up into scalars and into elements; has local names, conditions and inner loops whose
rounds depend on elements. What is printed afterwards, every array, local name and counter with
its type, and every error must be the same both ways. Numbers are whole and small, so that sums
are exact in any order. At least half of the nests are lifted, and who waits says for what.

    tests/test_loops.py [--count N] [--first N] [--target cpu|fake|cuda] [--show]

Many nests share a process; one that ends with an error is the last of its own. The last line is
`N passed, N failed`.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
TYPES = ['bool', 'i32', 'i64', 'f16', 'bf16', 'f32', 'f64']
LOCALS = ['s', 't', 'u']
AT_ONCE = 60  # nests of a process
BEGINS, ASKS = 'nest ', 'why\n'
# What a loop whose rounds wait says: two places, or the name that the round before has made.
WAITS = re.compile('rounds of `.*` wait for each other: `.*` (of line \\d+ )?('
                   'reads `.*`, which .* writes?( in line \\d+)?|'
                   'is an element that .* writes?( in line \\d+)?|'
                   'is what the round before made it)$')


class Nest:
    """The text of a program, drawn from a seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        r = self.r
        self.tame = False  # in a `while` names stay of one type
        self.while_share = 0.5 if seed % 4 == 3 else 0
        self.arrays = {}
        self.lines = []
        kinds = r.sample(TYPES, 2) if r.random() < 0.4 else [r.choice(['f32', 'f64', 'i64'])]
        self.halves = 'f16' in kinds or 'bf16' in kinds
        for name in 'AB':
            self.array(name, [r.randint(5, 8), r.randint(5, 8)], r.choice(kinds))
        for name in 'xyz':
            self.array(name, [r.randint(7, 10)], r.choice(kinds))
        self.array('w', [1, r.randint(6, 9)], r.choice(kinds))
        self.lines += [f'p = i32(mod({r.choice([2, 3])}*(1:12), {r.randint(4, 6)})) + 1;',
                       f'q = f32(mod(7*(1:12), 5) + {r.choice([1, 1, 1, 1.5])});']
        self.lines += ['c = 3;', 'h = 0.5;', 'd = sum(f32([1, 1]));', 'm = size(A, 1);']
        self.lines += [f'{name} = {r.choice(["0", "1", "d", "0.5"])};' for name in LOCALS]
        self.lines += ['i = 0;', 'j = 0;', 'k = 0;', 'l = 0;', 'a = 0;', 'b = 0;', 'e = 0;']
        self.before = len(self.lines)
        self.loops = []
        if seed % 8 == 5:
            self.by_itself()
        elif self.while_share and r.random() < 0.7:
            self.free_rounds(r.choice([1, 2]))
        else:
            self.nest('ijkl'[:r.choice([1, 1, 2, 2, 2] if self.halves else [1, 1, 2, 2, 2, 3, 4])], 0)

    def array(self, name, extents, dtype):
        n = 1
        for e in extents:
            n *= e
        self.arrays[name] = (extents, dtype)
        value = f'mod({self.r.choice([3, 5, 7])}*(1:{n}) + {self.r.randint(0, 9)}, 7)'
        if dtype == 'bool':
            value += ' > 3'
        shape = ', '.join(map(str, extents))
        self.lines.append(f'{name} = {dtype}(reshape({value}, {shape}));')

    def range(self):
        r = self.r
        low, high = sorted(r.choices(range(1, 8), k=2))
        if r.random() < 0.05:
            low, high = high + 1, low
        step = r.choice([1, 1, 1, 2, 3])
        values = list(range(low, high + 1, step))
        if r.random() < 0.25:
            return list(range(high, low - 1, -step)), f'{high}:{-step}:{low}'
        return values, f'{low}:{high}' if step == 1 else f'{low}:{step}:{high}'

    def dependent(self):
        """A range by another counter, and what it is between."""
        r = self.r
        outer, its = r.choice(self.loops)
        low, high = min(its or [1]), max(its or [1])
        a = r.randint(1, 7)
        text, ends = r.choice([
            (f'{a}:{outer}', (a, high)), (f'{outer}:{a}', (low, a)), (f'{a}:2:{outer}', (a, high)),
            (f'{outer} + 1:{a}', (low + 1, a)), (f'{outer}:-1:{a}', (a, high)),
            (f'{outer}:{outer} + 2', (low, high + 2)), (f'{a}:{outer} - 1', (a, high - 1))])
        return list(range(min(ends), max(ends) + 1)), text

    def search(self, depth):
        """The largest or least of what was seen, and where it is; or the first that is large."""
        r = self.r
        e, name, place = self.expression(r.choice([0, 0, 1])), *r.sample(LOCALS, 2)
        if depth == 1 and r.random() < 0.4:
            self.put(depth, f'if {self.condition()}')
            self.put(depth + 1, f'{name} = {r.choice(self.loops)[0]};')
            self.put(depth + 1, 'break;')
        else:
            op = r.choice(['>', '<', '>'])
            self.put(depth, f'if {e} {op} {name}' if r.random() < 0.5 else f'if {name} {op} {e}')
            self.put(depth + 1, f'{name} = {e};')
            if r.random() < 0.7:
                self.put(depth + 1, f'{place} = {self.leaf()};')
        self.put(depth, 'end')

    def nest(self, counters, depth):
        r = self.r
        values, text = self.range()
        name = counters[0]
        if self.loops and r.random() < 0.2:
            values, text = self.dependent()
        self.loops.append((name, values))
        self.put(depth, f'for {name} = {text}')
        if depth and r.random() < 0.12:
            self.put(depth + 1, f'if {self.condition()}')
            for _ in range(r.choice([0, 1, 2])):
                self.put(depth + 2, r.choice([f'{r.choice(LOCALS)} = {name};',
                                              f'{self.element("xyz")} = {self.leaf()};']))
            self.put(depth + 2, 'break;')
            self.put(depth + 1, 'end')
        for _ in range(r.choice([0, 0, 1, 2]) if len(counters) > 1 else r.choice([1, 1, 2, 3])):
            self.statement(depth + 1)
        if len(counters) > 1:
            self.nest(counters[1:], depth + 1)
            for _ in range(r.choice([0, 0, 1])):
                self.statement(depth + 1)
        self.put(depth, 'end')
        self.loops.pop()

    def put(self, depth, text):
        self.lines.append('  ' * depth + text)

    def subscript(self, extent):
        """A sum of counters within the extent, most of the time, or a place that is computed."""
        r = self.r
        if r.random() < 0.05:
            name, values = r.choice(self.loops)
            if r.random() < 0.3:
                return f'mod({self.leaf()} + {name}, 5) + 1'
            return f'{r.choice("pq")}[{name}]'
        for _ in range(20):
            name, values = r.choice(self.loops)
            factor = r.choice([1, 1, 1, 1, -1, 2]) if r.random() < 0.9 else 0
            if not values:
                return name
            ends = [factor * values[0], factor * values[-1]]
            low, high = 1 - min(ends), extent - max(ends)
            if r.random() < 0.004:
                high += 1
            if low > high:
                continue
            offset = r.randint(low, high) if r.random() < 0.5 else max(low, min(high, 0))
            if not factor:
                return str(offset) if r.random() < 0.9 else 'end'
            other, its = r.choice(self.loops)
            if r.random() < 0.15 and other != name and its and factor == 1:
                ends = [values[0] + its[0], values[0] + its[-1], values[-1] + its[0],
                        values[-1] + its[-1]]
                low, high = 1 - min(ends), extent - max(ends)
                if low <= high:
                    return f'{name} + {other} + {r.randint(low, high)}'
                continue
            text = {1: name, -1: f'{offset} - {name}', 2: f'2*{name}'}[factor]
            if factor < 0 or not offset:
                return text
            return f'{text} {"+-"[offset < 0]} {abs(offset)}'
        return str(r.randint(1, extent))

    def element(self, names='ABxyzw'):
        name = self.r.choice(names)
        extents = self.arrays[name][0]
        extents = extents[1:] if extents[0] == 1 else extents
        return f'{name}[{", ".join(self.subscript(e) for e in extents)}]'

    def leaf(self):
        r = self.r
        what = r.random()
        if what < 0.55:
            return self.element()
        if what < 0.7:
            return r.choice(self.loops)[0]
        if what < 0.78:
            return r.choice(LOCALS)
        return r.choice(['1', '2', '3', 'c', 'd', 'true', '0.5', 'h', 'm', 'size(B, 2)'])

    def expression(self, depth):
        r = self.r
        if depth == 0:
            return self.leaf()
        a, b = self.expression(r.randint(0, depth - 1)), self.expression(r.randint(0, depth - 1))
        what = r.random()
        if what < 0.6:
            return f'({a} {r.choice(["+", "-", "*", ".*"])} {b})'
        if what < 0.75:
            return f'{r.choice(["min", "max"])}({a}, {b})'
        if what < 0.82:
            return f'where({a} > {b}, {a}, {self.leaf()})'
        if what < 0.87:
            return f'abs(-{a})'
        if what < 0.92:
            return f'({a}){r.choice(["^2", "^2", "/2"])}'
        if what < 0.96:
            return f'floor({a}/2)'
        return f'({a} {r.choice(["<", "==", ">="])} {b} {r.choice(["&&", "||"])} {self.leaf()} > 2)'

    def addend(self, depth):
        """What is added up: of halves so little that all sums are exact."""
        e = self.expression(depth)
        return f'mod({e}, 2)' if self.halves else e

    def condition(self):
        """A comparison of elements, or one of counters that may be what keeps a subscript inside."""
        r = self.r
        what = r.random()
        if what < 0.35:
            name, values = r.choice(self.loops)
            return f'{name} {r.choice(["<", "<=", ">", ">=", "=="])} {r.choice(values or [1])}'
        if what < 0.8:
            return f'{self.expression(r.randint(0, 1))} {r.choice(["<", ">", "==", ">="])} {self.leaf()}'
        if what < 0.9:
            return f'{self.element()} > {r.randint(0, 5)}'
        return f'{self.condition()} {r.choice(["&&", "||"])} {self.condition()}'

    def guarded(self, depth):
        """An element beside this one, where there is one."""
        r = self.r
        counter, values = r.choice(self.loops)
        a, b = r.choice('xyz'), r.choice('xyz')
        back = r.choice([-1, 1, 2])
        low, high = 1 + max(back, 0), self.arrays[b][0][0] + min(back, 0)
        at = f'{b}[{counter} {"+-"[back > 0]} {abs(back)}]'
        test = r.choice([f'{counter} >= {low} && {counter} <= {high}',
                         f'!({counter} < {low} || {counter} > {high})', f'{counter} > {low - 1}',
                         f'{counter} < {high + 1}', f'{self.leaf()} > 2'])
        which = r.random()
        if which < 0.3:
            self.put(depth, f'if {test} && {at} > 2')
            self.put(depth + 1, f'{r.choice(LOCALS)} = {counter};')
        else:
            self.put(depth, f'if {test}')
            value = f'{at} + {self.leaf()}' if which < 0.7 else self.expression(1)
            self.put(depth + 1, f'{a}[{self.subscript(self.arrays[a][0][0])}] = {value};'
                     if which < 0.7 else f'{at} = mod({value}, 7);')
        self.put(depth, 'end')

    def branches(self, depth, deep=0):
        r = self.r
        if r.random() < 0.2:
            self.guarded(depth)
            return
        if r.random() < 0.2 and not deep:
            self.search(depth)
            return
        self.put(depth, f'if {self.condition()}')
        if r.random() < 0.12:
            if r.random() < 0.5:
                self.statement(depth + 1, deep + 1)
            self.put(depth + 1, 'continue;')
            self.put(depth, 'end')
            return
        for k in range(r.choice([0, 0, 1, 1, 2])):
            for _ in range(r.choice([1, 1, 2])):
                self.statement(depth + 1, deep + 1)
            self.put(depth, f'elseif {self.condition()}' if r.random() < 0.3 and not k else 'else')
            if self.lines[-1].strip() == 'else':
                break
        for _ in range(r.choice([1, 1, 2])):
            self.statement(depth + 1, deep + 1)
        self.put(depth, 'end')

    def inside(self, depth, deep=0):
        """A statement of a `while`."""
        r = self.r
        what = r.random()
        if what < 0.2 and deep < 2:
            self.put(depth, f'if {self.inner(1)} {r.choice(["<", ">", "==", ">="])} {self.inner(0)}')
            self.inside(depth + 1, deep + 1)
            if r.random() < 0.3:
                self.put(depth + 1, r.choice(['break;', 'continue;']))
            if r.random() < 0.5:
                self.put(depth, 'else')
                self.inside(depth + 1, deep + 1)
            self.put(depth, 'end')
        elif what < 0.25 and not deep:
            self.whiles(depth, 'b', 3)
        else:
            e = self.inner(2)
            if self.tame:
                e = f'({r.choice(LOCALS)} {r.choice("+-*")} {e})'
            self.put(depth, f'{r.choice(LOCALS)} = {r.choice(["mod({}, 7)", "{}"])};'.format(e))

    def free_rounds(self, depth):
        """Rounds that are free of each other, with a `while` in each."""
        r = self.r
        kind = r.choice(['f32', 'f64', 'i64', 'i32', 'f32'])
        self.array('o', [7, 7], r.choice([kind, 'f64']))
        self.tame = r.random() < 0.75
        for name in 'AB':
            self.array(name, [8, 8], kind)
        for name in 'xyzw':
            self.array(name, [9], kind)
        self.before = len(self.lines)
        for level in range(depth):
            self.put(level, f'for {"ij"[level]} = {r.choice(["1:7", "2:6", "7:-1:1"])}')
            self.loops.append(('ij'[level], list(range(1, 8))))
        if r.random() < 0.3:
            self.put(depth, f'if {self.expression(1)} {r.choice(["<", ">"])} {self.leaf()}')
        for name in LOCALS:
            e = r.choice([self.expression(1), '0', '1']) if not self.tame else self.element('ABxyzw')
            if self.tame or r.random() < 0.9:
                self.put(depth + 1, f'{name} = {e};')
        for _ in range(r.choice([1, 1, 1, 2])):
            self.whiles(depth + 1)
        at = 'i, j' if depth == 2 else f'i, {r.randint(1, 7)}'
        e = r.choice(['a', 's', 't', 'u', 's + t', 'a + s', 'max(a, t) - u'])
        if kind[0] == 'i':
            e = f'floor({e})' if r.random() < 0.3 else e
        if r.random() < 0.8:
            self.put(depth + 1, f'o[{at}] = {e};')
        if 'if ' in self.lines[self.before + depth]:
            self.put(depth, 'end')
        for level in reversed(range(depth)):
            self.put(level, 'end')

    def by_itself(self):
        """Rounds that go through an inner loop each, as long as an element says; what they read
        there is at places that they compute. Or all of it sets names alone, round after round."""
        r = self.r
        alone = r.random() < 0.3
        kind = r.choice(['f32', 'f64', 'i64', 'i32'])
        self.array('A', [8, 8], kind)
        for name in 'xyzw':
            self.array(name, [9], kind)
        self.array('o', [8], r.choice([kind, 'f64']))
        self.tame = True
        self.lines.append('p = i32(mod(3*(1:12), 7)) + 1;')
        self.before = len(self.lines)
        self.put(0, 'for i = ' + r.choice(['1:7', '2:6', '7:-1:1']))
        self.loops.append(('i', list(range(1, 8))))
        for name in LOCALS:
            value = r.choice([self.element('xyzA'), '0', 'x[i]'] if name == 's' else
                             [self.element('xyzA')])
            if not alone or r.random() < 0.3:
                self.put(1, f'{name} = {value};')
        ends = r.choice([('1', 'p[i]'), ('p[i]', '8'), ('p[i]', 'p[i + 1] - 1'), ('1', 'i'),
                         ('2', 'x[i]'), ('1', '6'), ('p[i]', '8')])
        step = r.choice(['', '', '', ':2'])
        if r.random() < 0.2:
            ends, step = ends[::-1], ':-1'
        self.put(1, f'for e = {ends[0]}{step}:{ends[1]}')
        for _ in range(r.choice([1, 2, 2, 3])):
            self.gathers(2)
        if r.random() < 0.2:
            self.put(2, f'if {self.inner(0)} > {r.randint(3, 9)}')
            self.put(3, r.choice(['break;', 'continue;']))
            self.put(2, 'end')
            self.gathers(2)
        self.put(1, 'end')
        if not alone:
            self.put(1, f'o[i] = {r.choice(["s", "t", "s + t", "max(t, u) - s", "e"])};')
        self.put(0, 'end')
        self.loops.pop()

    def gathers(self, depth):
        """A name gets what is at a place of the inner loop's."""
        r = self.r
        at = r.choice(['x[e]', 'x[e]', 'A[i, e]', 'A[e, i]', 'x[p[e]]', 'A[p[e], 2]',
                       'y[mod(s + e, 8) + 1]', 'x[e + 1]', 'A[e, e]', 'z[abs(e - 3) + 1]'])
        name, other = r.choice(LOCALS), r.choice(LOCALS)
        value = r.choice([f'{at}', f'{name} + {at}', f'{name} + {at}*{other}', f'max({name}, {at})',
                          f'where({at} > 2, {other}, {at})', f'{other} - {at}'])
        if r.random() < 0.25:
            self.put(depth, f'if {at} {r.choice("<>")} {r.randint(1, 5)}')
            self.put(depth + 1, f'{name} = mod({value}, 11);')
            self.put(depth, 'end')
        else:
            self.put(depth, f'{name} = {at};' if r.random() < 0.2 else f'{name} = mod({value}, 11);')

    def inner(self, depth):
        """An expression of a `while`: of what it sets, most of the time."""
        r = self.r
        if depth == 0:
            return r.choice([*LOCALS, *LOCALS, 'a', self.leaf(), str(r.randint(0, 4))])
        a, b = self.inner(depth - 1), self.inner(0)
        return r.choice([f'({a} {r.choice("+-*")} {b})', f'({a} + {b})', f'min({a}, {b})', f'({a})/2',
                         f'max({a}, {b})', f'abs({a} - {b})', f'floor({a})', f'({b})^2', f'mod({a}, 5)'])

    def whiles(self, depth, count='a', most=6):
        r = self.r
        if self.tame or r.random() < 0.95:
            self.put(depth, f'{count} = {r.choice(["0", "0", "1", "i"])};')
        test = f'{count} < {r.randint(1, most)}'
        if r.random() < 0.7:
            test += f' {r.choice(["&&", "&&", "||"])} {self.inner(1)} {r.choice(["<", ">="])} {self.inner(0)}'
            test = f'({test}) && {count} < {most}'
        self.put(depth, f'while {test}')
        self.put(depth + 1, f'{count} += 1;')
        for _ in range(r.choice([1, 2, 2, 3])):
            self.inside(depth + 1, count == 'b')
        self.put(depth, 'end')

    def statement(self, depth, deep=0):
        r = self.r
        if self.while_share and r.random() < self.while_share:
            for name in LOCALS:
                if r.random() < 0.8:
                    self.put(depth, f'{name} = {self.expression(r.randint(0, 1))};')
            self.whiles(depth)
            return
        if deep < 2 and r.random() < 0.15:
            self.branches(depth, deep)
            return
        what = r.random()
        if what < 0.5:
            value = f'mod({self.expression(r.randint(0, 2))}, 7)'
            if r.random() < 0.3:
                value = self.leaf()
            self.put(depth, f'{self.element("ABxyzw")} = {value};')
        elif what < 0.65:
            e = self.addend(r.randint(0, 1))
            self.put(depth, f'{self.element("ABxyzw")} {r.choice(["+", "+", "-"])}= {e};')
        elif what < 0.68:
            self.running(depth)
        elif what < 0.70:
            z = f'{r.choice("xyz")}[{r.choice("pq")}[{r.choice(self.loops)[0]}]]'
            self.put(depth, r.choice([f'{z} = {self.leaf()};', f'{z} += {self.addend(0)};',
                                      f'{z} = {z} - {self.addend(1)};']))
        elif what < 0.72:
            z, e = self.element('xyz'), self.addend(1)
            self.put(depth, r.choice([f'{z} = max({z}, {e});', f'{z} = {z} + {e};']))
        elif what < 0.86:
            self.put(depth, f'{r.choice(LOCALS)} = {self.expression(r.randint(0, 2))};')
        else:
            name, e = r.choice(LOCALS), self.addend(r.randint(0, 1))
            self.put(depth, r.choice([
                f'{name} += {e};', f'{name} = {name} + {e};', f'{name} -= {e};',
                f'{name} = max({name}, {e});', f'{name} = min({e}, {name});',
                f'{name} = {name} && {e} > 1;', f'{name} = {name} || {e} > 3;']))

    def running(self, depth):
        """What is read of every round of a sum; an element and the one before it."""
        r = self.r
        e = self.addend(r.randint(0, 1))
        op = r.choice(['{} + {}', '{} + {}', '{} - {}', 'max({}, {})', 'min({}, {})'])
        if r.random() < 0.5:
            name = r.choice(LOCALS)
            self.put(depth, f'{name} = {op.format(name, e)};')
            self.put(depth, f'{self.element("ABxyzw")} = {name};')
            return
        counter, values = self.loops[-1]
        name = r.choice('xyz')
        extent = self.arrays[name][0][0]
        ends = [v for v in values[:1] + values[-1:]] or [1]
        back = values[1] - values[0] if len(values) > 1 else 1
        low, high = 1 + max(back, 0) - min(ends), extent + min(back, 0) - max(ends)
        offset = r.randint(low, high) if low <= high else low
        at, before = (f'{counter} {"+-"[o < 0]} {abs(o)}' for o in (offset, offset - back))
        self.put(depth, f'{name}[{at}] = {op.format(f"{name}[{before}]", e)};')

    def text(self, loops):
        show = [f'print("{v} ", dtype({v}));\nprint({v});' for v in self.arrays]
        show += [f'print("{v} ", {v}, " ", dtype({v} + bool([true])), dtype({v} + i32([1])));'
                 for v in LOCALS]
        show += ['print(i, " ", j, " ", k, " ", l, " ", a, " ", b, " ", e);']
        return '\n'.join([f':set loops {loops}', *self.lines, *show]) + '\n'


class Run:
    """What one nest said: what it printed, and why loops of it are not lifted."""

    def __init__(self):
        self.said, self.why, self.failed, self.died = [], None, False, None


def sort_events(done, begins):
    """What each nest said, by seed; `begins`: the line in which it begins."""
    found, now, asked = {}, None, False
    for line in done.stdout.splitlines():
        event = json.loads(line)
        text = event.get('text') if event['event'] == 'text' else None
        if text and text.startswith(BEGINS):
            seed = int(text.split()[1])
            now = found[seed] = Run()
        elif asked:  # of all loops so far
            now.why = [m[2] for m in re.finditer(r'^\S+?:(\d+):\d+: note: (.*)$', text, re.M)
                       if int(m[1]) >= begins[seed]]
        elif text and text != ASKS or event.get('severity') == 'error':
            now.said.append(line)
            now.failed |= not text
        asked = text == ASKS
    return found


def run(seeds, loops, folder, env, args):
    """Nests one after another, in as few processes as errors let there be; by seed."""
    found, left = {}, list(seeds)
    folder = os.path.join(folder, loops)
    path = f'{left[0]}.fs'
    os.makedirs(folder, exist_ok=True)
    while left:
        text, begins = ':set rows 20\n:set columns 20\n:set digits 17\n', {}
        for seed in left:
            begins[seed] = text.count('\n') + 1
            text += f'print("{BEGINS}{seed}");\n{Nest(seed).text(loops)}print("why");\n:why\n'
        with open(os.path.join(folder, path), 'w', encoding='utf-8') as f:
            f.write(text)
        done = fakegpu.run([*args, '--no-rc', '--json', path], env, folder)
        new = sort_events(done, begins)
        if done.returncode not in (0, 1) or not new:
            new = new or {left[0]: Run()}
            list(new.values())[-1].died = done.returncode
        found.update(new)
        if done.returncode == 0:
            break
        left = [seed for seed in left if seed not in found]
    return found


def compare(seed, on, off):
    """What is different; how the loops ran: lifted, waiting, or neither."""
    wrong = []
    if on is None or off is None or on.died is not None or off.died is not None:
        return [f'seed {seed}: no answer, or an exit status'], 'error'
    if on.said != off.said:
        n = Nest(seed)
        wrong = [*n.lines[n.before:], 'on:', *on.said[-40:], 'off:', *off.said[-40:]]
    waits = [why for why in on.why or [] if 'wait for each other' in why]
    wrong += [why for why in waits if not WAITS.match(why)]
    how = 'error' if off.failed else 'wait' if waits else 'host' if on.why else 'lifted'
    return wrong, how


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--count', type=int, default=3000)
    p.add_argument('--first', type=int, default=1)
    p.add_argument('--target', default='cpu')
    p.add_argument('--show', action='store_true')
    a = p.parse_args()
    args = ['--target', 'cpu' if a.target == 'cpu' else 'cuda']
    if a.show:
        print(Nest(a.first).text('on'))
    ways = {}
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        env = fakegpu.environment(folder) if a.target == 'fake' else dict(os.environ)
        seeds = range(a.first, a.first + a.count)
        parts = [seeds[k:k + AT_ONCE] for k in range(0, a.count, AT_ONCE)]

        def both(part):
            return [run(part, loops, folder, env, args) for loops in ('on', 'off')]

        for part, (on, off) in zip(parts, pool.map(both, parts)):
            for seed in part:
                wrong, how = compare(seed, on.get(seed), off.get(seed))
                ways[how] = ways.get(how, 0) + 1
                score.check(not wrong, f'seed {seed}', '\n'.join(wrong))
    print('  '.join(f'{k}: {v}' for k, v in sorted(ways.items())))
    if a.count >= 100:
        score.check(2*ways.get('lifted', 0) >= a.count, f'too few are lifted: {ways}')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
