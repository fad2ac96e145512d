#!/usr/bin/env python3
"""When rounds of a loop may run at once, beside an enumeration of all pairs of accesses.

Nests of one or two statements over elements, with subscripts that are sums of counters. A nest
that is lifted does the reads of a statement in all rounds, then its writes, then the next
statement. Where that turns round the order of two accesses to one element of which one writes,
the nest must not be lifted, if no subscript is of two counters (then short loops are unrolled).
Where it turns none, one loop over vectors must be lifted. All results must be those of the rounds
one by one.

    tests/test_depend.py [--count N] [--first N]

The last line is `N passed, N failed`.
"""
import argparse
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from score import Score  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUSIBLE = os.path.abspath(os.environ.get('FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
EXTENTS = {'x': [40], 'y': [40], 'A': [12, 12]}
score = Score()


class Access:
    """An element of an array: each subscript a sum of numbers times counters, and a number."""

    def __init__(self, r, name, loops):
        self.name, self.subs = name, []
        for extent in EXTENTS[name]:
            for _ in range(50):
                factors = {c: 0 for c in loops}
                for counter in r.sample(list(loops), r.choice([1, 1, 1, 2]) if len(loops) > 1 else 1):
                    factors[counter] = r.choice([1, 1, 1, 2, -1, -2, 3, 0])
                ends = [sum(f*v for f, v in zip(factors.values(), values))
                        for values in itertools.product(*((v[0], v[-1]) for v in loops.values()))]
                low, high = 1 - min(ends), extent - max(ends)
                if low <= high:
                    near = [c for c in range(-3, 4) if low <= c <= high]
                    self.subs.append((factors, r.choice(near or [low])))
                    break
            else:
                self.subs.append(({c: 0 for c in loops}, 1))

    def text(self):
        subs = []
        for factors, constant in self.subs:
            terms = [f'{f}*{c}' for c, f in factors.items() if f]
            subs.append(' + '.join([*terms, str(constant)]))
        return f'{self.name}[{", ".join(subs)}]'

    def place(self, counters):
        return (self.name, *(sum(f*counters[c] for c, f in factors.items()) + constant
                             for factors, constant in self.subs))

    def counters(self):
        """How many one subscript has."""
        return max(sum(f != 0 for f in factors.values()) for factors, _ in self.subs)


class Nest:
    def __init__(self, seed):
        r = self.r = random.Random(seed)
        outer = self.loops(r, 'ij'[:r.choice([1, 1, 2])])
        self.outer, self.statements = outer, []
        for k in range(r.choice([1, 1, 2])):
            inner = self.loops(r, 'kl'[k]) if r.random() < 0.35 else {}
            loops = {**outer, **inner}
            names = r.choice(['xx', 'xx', 'xy', 'yx', 'AA', 'AA', 'Ax', 'xA'])
            self.statements.append((inner, Access(r, names[0], loops), Access(r, names[1], loops)))

    @staticmethod
    def loops(r, names):
        out = {}
        for name in names:
            low, count, step = r.randint(1, 4), r.choice([1, 2, 3, 4, 4, 5]), r.choice([1, 1, 1, 2, -1])
            values = [low + step*k for k in range(count)]
            out[name] = [v + max(0, 1 - min(values)) for v in values]
        return out

    def head(self, name, values):
        step = values[1] - values[0] if len(values) > 1 else 1
        return f'for {name} = {values[0]}:{step}:{values[-1]}'

    def text(self):
        lines = [self.head(*loop) for loop in self.outer.items()]
        for inner, write, read in self.statements:
            lines += [self.head(*loop) for loop in inner.items()]
            counter = list({**self.outer, **inner})[-1]
            lines.append(f'{write.text()} = abs({read.text()} - 2)*2 + {counter};')
            lines += ['end']*len(inner)
        return '\n'.join(lines + ['end']*len(self.outer)) + '\n'

    def events(self):
        """Of each access: its place, whether it writes, when the rounds do it, when lifted."""
        for outer in itertools.product(*self.outer.values()):
            round_ = [v.index(c) for v, c in zip(self.outer.values(), outer)]
            for k, (inner, write, read) in enumerate(self.statements):
                for values in itertools.product(*inner.values()):
                    counters = dict(zip([*self.outer, *inner], [*outer, *values]))
                    its = [v.index(c) for v, c in zip(inner.values(), values)]
                    for writes, access in ((0, read), (1, write)):
                        yield (access.place(counters), writes, (round_, k, its, writes),
                               (k, writes, round_, its))

    def turns(self):
        """Whether the order of two accesses to one element is another when it is lifted."""
        by_place = {}
        for place, writes, one, other in self.events():
            by_place.setdefault(place, []).append((writes, one, other))
        return any((a[0] or b[0]) and (a[1] < b[1]) != (a[2] < b[2])
                   for events in by_place.values() for a, b in itertools.combinations(events, 2))

    def accesses(self):
        return [access for statement in self.statements for access in statement[1:]]

    def is_plain(self):
        """One loop over vectors: that is decided exactly."""
        loops = len(self.outer) + sum(len(inner) for inner, _, _ in self.statements)
        return loops == 1 and all(len(access.subs) == 1 for access in self.accesses())


def run(nests, loops, folder):
    """What each prints, and why it is not lifted."""
    text = f':set loops {loops}\n:set columns 60\n:set rows 60\n'
    lines = []
    for seed, nest in nests.items():
        lines.append(text.count('\n') + 1)
        text += 'x = f32(mod(3*(1:40), 7)); y = f32(mod(5*(1:40), 11)); '
        text += 'A = f32(reshape(mod(7*(1:144), 13), 12, 12));\n'
        text += nest.text() + f'print("nest {seed}");\nprint(x\');\nprint(y\');\nprint(A);\n'
    path = os.path.join(folder, f'{loops}.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text + 'print("why");\n:why\n')
    done = subprocess.run([FUSIBLE, '--no-rc', '--target', 'cpu', '--plan', 'off', '--json', path],
                          capture_output=True, text=True, timeout=600)
    said = [json.loads(line).get('text') for line in done.stdout.splitlines()
            if '"event":"text"' in line]
    score.check(done.returncode == 0, f'exit status {done.returncode}', done.stdout[-2000:])
    printed = {int(said[k].split()[1]): said[k + 1:k + 4] for k in range(len(said))
               if said[k].startswith('nest ')}
    why = [int(n) for n in re.findall(r'^\S+?:(\d+):\d+: note: ', said[-1], re.M)]
    ends = [*lines[1:], 1 << 30]
    return printed, {seed for seed, first, end in zip(nests, lines, ends)
                     if any(first <= n < end for n in why)}


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--count', type=int, default=1200)
    p.add_argument('--first', type=int, default=1)
    a = p.parse_args()
    turned = lifted = 0
    with tempfile.TemporaryDirectory() as folder:
        for first in range(a.first, a.first + a.count, 100):
            nests = {seed: Nest(seed) for seed in range(first, min(first + 100, a.first + a.count))}
            (on, waits), (off, _) = (run(nests, loops, folder) for loops in ('on', 'off'))
            for seed, nest in nests.items():
                turns = nest.turns()
                turned += turns
                lifted += seed not in waits
                score.check(on.get(seed) == off.get(seed) is not None, f'seed {seed}: other values',
                            nest.text())
                apart = all(access.counters() < 2 for access in nest.accesses())
                score.check(not (turns and apart) or seed in waits, f'seed {seed}: lifted',
                            nest.text())
                score.check(turns or not nest.is_plain() or seed not in waits,
                            f'seed {seed}: not lifted', nest.text())
    print(f'{turned} of {a.count} turn an order round, {lifted} are lifted')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
