#!/usr/bin/python3
"""Random programs with random layouts on several ranks beside one device: exactly equal.

    tests/test_layouts.py [--programs N] [--seed S] [--only WORDS] [--show K]

Numbers are small integers, so that every order of sums gives the same. A session of ranks
stays open over many programs; each begins with `:reset -f`. N programs are dealt to 2, 3
and 4 ranks on the CPU, N to fake GPUs with a fake NCCL and through the host, and N/5 to 2
and 4 ranks of MPI.
--programs N (120).
--only: the sessions whose names have these words; --show K: the text of program K.
The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests/fake')]
import fakegpu  # noqa: E402
import score  # noqa: E402

MPIRUN = ['mpirun', '--allow-run-as-root', '--oversubscribe', '-q', '-n']
SIZES = [1, 2, 3, 4, 5, 7, 8, 12, 31, 33, 70]
TYPES = ['f32', 'f64', 'i32', 'f32', 'i64', 'f16', 'u8', 'bf16']
SHOWN = ('value', 'text', 'diagnostic', 'table')  # events that must be equal


class Program:
    """Statements over small integers. narrow: of few sizes and types, so that kernels of other
    programs come again, where a kernel is what takes time."""

    def __init__(self, seed, narrow=False):
        self.rng = random.Random(seed)
        self.narrow = narrow
        self.m, self.n = (4, 3) if narrow else (self.rng.choice(SIZES) for _ in range(2))
        if not narrow and self.rng.random() < .06:  # so large that it lies by rows by itself
            self.m, self.n = self.rng.choice([(701, 600), (600, 701)])
        self.names = {'matrices': [], 'columns': [], 'rows': [], 'cubes': []}
        self.lines = [':reset -f', ':strategy ' + ('off' if narrow else self.rng.choice(
            ['smart'] * 4 + ['off', 'noreorder', 'manual', 'minsync', 'minmemory']))]
        self.made = 0
        self.begin()
        for _ in range(6 if narrow else 12):
            draw = self.rng.random()
            if draw < .12:
                self.lines.append(self.block())
            elif draw < .4:
                self.lines.append(self.assignment())
            else:
                self.lines.append(self.statement())
        for kind, count in (('matrices', 3), ('columns', 3), ('rows', 2), ('cubes', 1)):
            self.lines += [f'{v}\nsum({v})' for v in self.names[kind][-count:]]
        if not narrow:  # it is rounded, once
            count = self.rng.randrange(300, 3000)
            self.lines.append(f'sum(shard({self.rng.choice(["bf16", "f16"])}(mod(1:{count}, 7))))')

    def name(self, kind):
        self.made += 1
        self.names[kind].append(f'v{self.made}')
        return f'v{self.made}'

    def lay(self, what, dims):
        """The value in a layout of any kind."""
        return self.rng.choice([what, what, f'whole({what})'] +
                               [f'shard({what}, {d + 1})' for d, n in enumerate(dims) if n > 1] * 2)

    def begin(self):
        m, n, pick = self.m, self.n, self.rng.choice
        for _ in range(2 if self.narrow else 3):
            dt = 'f32' if self.narrow else pick(TYPES)
            low = 0 if dt == 'u8' else 2
            k = 1 if self.narrow else self.rng.randrange(1, 9)
            value = f'{dt}(mod({k}*reshape(1:{m * n}, {m}, {n}), 5) - {low})'
            self.lines.append(f'{self.name("matrices")} = {self.lay(value, (m, n))};')
            for kind, size in (('columns', m), ('rows', n)):
                value = f'{dt}(mod({k}*(1:{size}), 5) - {low})'
                self.lines.append(f'{self.name(kind)} = {self.lay(value, (size,))};')
        if not self.narrow:
            value = f'floor(8*rand({m}, {n}))'
            self.lines.append(f'{self.name("matrices")} = {self.lay(value, (m, n))};')
            value = f'f32(mod(3*reshape(1:{m * n * 3}, {m}, {n}, 3), 7))'
            self.lines.append(f'{self.name("cubes")} = {self.lay(value, (m, n, 3))};')

    def pair(self, last):
        return sorted(self.rng.randrange(1, last + 1) for _ in range(2))

    def some(self, last, count):
        return '[' + ', '.join(str(self.rng.randrange(1, last + 1)) for _ in range(count)) + ']'

    def value(self):
        """(kind, text) of an expression."""
        pick, m, n = self.rng.choice, self.m, self.n
        A, B = pick(self.names['matrices']), pick(self.names['matrices'])
        x, y = pick(self.names['columns']), pick(self.names['columns'])
        r, axis = pick(self.names['rows']), pick([1, 2])
        (i, j), (p, q) = self.pair(m), self.pair(n)
        ways = [
            ('matrices', f'{A} + {B}'), ('matrices', f'{A} .* {x}'), ('matrices', f'{A} - {r}\''),
            ('matrices', f'{A} .* ({B} > 0)'), ('matrices', f'where({A} > {B}, {A}, {r}\')'),
            ('matrices', f'{x}*{r}\' + {A}'), ('columns', f'{A}*{r}'), ('rows', f'{A}\'*{x}'),
            ('columns', f'sum({A}, 2)'), ('rows', f'sum({A}, 1)\''),
            ('columns', f'{x} + 2*{y}'), ('columns', f'{A}[:, {p}]'), ('rows', f'{A}[{i}, :]\''),
            ('columns', f'{x} .* ({x}\'*{y})'), ('columns', f'{x} + sum({A})'),
        ]
        if not self.narrow:
            C = pick(self.names['cubes'])
            ways += [
                ('columns', f'reduce("max", {A} .* {x}, 2)'), ('rows', f'reduce("min", {A}, 1)\''),
                ('matrices', f'min(max({A}, -9), 9)'), ('columns', f'{x} - {y}[end:-1:1]'),
                ('columns', f'{A}[:, {p}]'), ('columns', f'sort({x})'),
                ('columns', f'cumsum({x}) - {y}'), ('matrices', f'cumsum({A}, {axis})'),
                ('matrices', f'sort({A}, {axis})'), ('matrices', f'({A}*{B}\')*{A}'),
                ('matrices', f'{A}*({A}\'*{B})'), ('columns', f'argmax({A}, 2)'),
                ('rows', f'argmin({A}, 1)\''), ('columns', f'{x}[{x} .* 0 + 1]'),
                ('matrices', f'[{A}[:, 1:{p}], {B}[:, {p + 1}:end]]'),
                ('matrices', f'[{A}[1:{i}, :]; {B}[{i + 1}:end, :]]'),
                ('matrices', f'reshape({A}\', {m}, {n})'), ('matrices', f'circrows({A}, 1)'),
                ('columns', f'any({A} > 1, 2) + {x}'), ('rows', f'prod({A} > -2, 1)\' + {r}'),
                ('columns', f'sum({A} .* {B}, 2)'), ('columns', f'{x} + mean(2*{A})*{m * n}'),
                ('columns', f'{x} .* {A}[{i}:end, {q}][1]'), ('matrices', f'{A}[end:-1:1, :]'),
                ('matrices', f'{A}[{self.some(m, m)}, :]') if m < 13 else ('columns', x),
                ('matrices', f'{A}[:, {self.some(n, n)}]') if n < 13 else ('columns', x),
                ('columns', f'{x} + sum({A}[:])'), ('columns', f'{x} + argmax({A})'),
                ('rows', f'argmax({A}, 1)\' - {r}'), ('columns', f'{x} - argmin({A}[:])'),
                ('matrices', f'{A} - {B}[{i}, :]'), ('rows', f'{r} + sum({A}[{i}:{j}, :], 1)\''),
                ('columns', f'{A}[:, {q}] - {A}[{i}, {p}]'),
                ('matrices', f'reshape({A}[:], {m}, {n})'),
                ('columns', f'{x} + argmax({y})'), ('columns', f'{x} + sum({A}[{A} > 1])'),
                ('columns', f'{x} + sum(find({A}[:, {p}] > 0))'), ('columns', f'argsort({x})'),
                ('matrices', f'{C}[:, :, {pick([1, 2, 3])}]'), ('matrices', f'sum({C}, 3)'),
                ('cubes', f'{C} + {A}'), ('cubes', f'{C} .* {x}'), ('cubes', f'{C}[:, :, 3:-1:1]'),
                ('matrices', f'reduce("max", {C}, 3)'), ('columns', f'sum(sum({C}, 3), 2)'),
                ('matrices', f'cummax({A}, {axis})'), ('rows', f'{A}[{i}:{j}, :]\'*{x}[{i}:{j}]'),
                ('columns', f'{x} + sum(({A} + {B})[{i}:{j}, :])'),
                ('columns', f'{x} + sum(cumsum({A}, 2)[{i}:{j}, :])'),
                ('columns', f'sort({A}, 2)[end:-1:1, {p}] + {y}'),
                ('rows', f'({A} .* 2)[{i}:{j}, :]\'*{x}[{i}:{j}]'),
                ('columns', f'{A}[:, {p}:{q}]*{r}[{p}:{q}]'), ('columns', f'{A}[:, {q}] + {i}'),
                ('matrices', f'{x} .* {r}\''), ('matrices', f'repmat({x}, 1, {n})'),
                ('columns', f'vec({A}\')[1:{n}:end]'), ('columns', f'cumprod({x} > 0) + {y}'),
                ('rows', f'median({A} > 0, 1)\' + {r}'), ('columns', f'diff([0; {x}])'),
                ('matrices', f'where({x} > 0, {A}, {B})'), ('matrices', f'tril({A}*{A}\')*{A}'),
                ('columns', f'f(mod({x}, 13), {y})'),
            ]
        return pick(ways)

    def statement(self):
        kind, value = self.value()
        dims = {'matrices': (self.m, self.n), 'columns': (self.m,), 'rows': (self.n,),
                'cubes': (self.m, self.n, 3)}[kind]
        if self.rng.random() < .25:
            value = self.lay(f'({value})', dims)
        return f'{self.name(kind)} = mod({value}, 17);'

    def block(self):
        return 'begin\n' + '\n'.join('  ' + self.statement() for _ in range(4)) + '\nend;'

    def assignment(self):
        pick = self.rng.choice
        A, B = pick(self.names['matrices']), pick(self.names['matrices'])
        x, y = pick(self.names['columns']), pick(self.names['columns'])
        (i, j), (p, q) = self.pair(self.m), self.pair(self.n)
        ways = [f'{A}[{i}, {p}] = 3;', f'{A}[:, {p}] = mod({A}[:, {p}]*2, 7);',
                f'{A}[{i}, :] = 1;', f'{x}[{i}] = 2;', f'{x}[{i}:end] += 1;']
        if not self.narrow:
            ways += [
                f'{A}[{A} > 2] = 0;', f'{A}[{i}:{j}, {p}:{q}] = 4;', f'{A}[{i}, :] = {B}[{j}, :];',
                f'{A}[{i}:{j}, :] = mod({B}[{i}:{j}, :] + 1, 5);', f'{A}[1:2:end, :] = 2;',
                f'{A}[:, {p}] = {x};', f'{A}[{self.some(self.m, 3)}, :] = 5;',
                f'{x}[{self.some(self.m, 3)}] += 1;', f'{x}[end:-1:1] = mod({x}, 9);',
                f't = {A}; {A} = {B}; {B} = t;',
                f'for k = 1:3\n {A} = mod({A} + k, 11); {x} = mod({x} + 1, 5);\nend',
                f'for k = 1:{self.m}\n {x}[k] = mod({x}[k] + k, 7);\nend',
                f'for k = 1:{self.m}\n {A}[k, :] = mod({A}[k, :] + k, 7);\nend',
                f'for k = 2:{self.m}\n {x}[k] = mod({x}[k - 1] + {y}[k], 7);\nend',
                f'for k = 1:{self.n}\n {A}[:, k] = mod({A}[:, k] + {x}, 7);\nend',
                f'for k = 1:{self.m}\n if {y}[k] > 0\n  {x}[k] = 1;\n end\nend',
                f'if sum({A}) > 3\n {x} = mod({x} - 1, 9);\nelse\n {x} = {x} + 1;\nend',
                f'k = 0;\nwhile sum({x}) < 40 && k < 4\n {x} = mod({x} + 2, 9); k += 1;\nend']
        return pick(ways)

    def text(self):
        define = 'f(a, b) = mod(a.*b + b, 11);'
        return '\n'.join(self.lines[:2] + [define] + self.lines[2:]) + '\n'


def sentinel(k):
    return f'=== program {k}'


def run(args, programs, env=None, before=()):
    """What each of the programs shows: a list of texts by the program's number."""
    text = ':set rows 100\n:set columns 100\n:set width 1000\n'
    text += ''.join(f'{p.text()}print("{sentinel(k)}")\n' for k, p in programs)
    done = subprocess.run([*before, fakegpu.PROGRAM, '--no-rc', '-i', '--json', '--threads', '1',
                           *args], input=text, capture_output=True, text=True, timeout=1200,
                          env=dict(env or os.environ, FUSIBLE_CHECK='1'), check=False)
    found, shown = {}, []
    for line in done.stdout.splitlines():
        event = json.loads(line)
        if event['event'] not in SHOWN:
            continue
        if event['event'] == 'diagnostic':
            if event['severity'] == 'note':  # of what is slow
                continue
            shown.append(event['severity'] + ': ' + event['message'])
        elif event['event'] == 'text' and event['text'].startswith('==='):
            found[int(event['text'].split()[-1])] = shown
            shown = []
        elif not event.get('text', '').startswith('the last block'):
            shown.append(event['text'] if 'text' in event else
                         event['data']['text/plain'] if 'data' in event else line)
    return found, f'status {done.returncode}\n{done.stderr[-2000:]}'


def compare(name, programs, wanted, args, env=None, before=()):
    """One session over ranks beside what one device has shown."""
    found, end = run(args, programs, env, before)
    for k, p in programs:
        got = found.get(k, ['it did not come so far: ' + end])
        lines = [f'- {a}\n+ {b}' for a, b in zip(wanted[k], got) if a != b][:3]
        counted.check(got == wanted[k], f'program {k} on {name}',
                     p.text() + '\n'.join(lines) + f'\n{len(wanted[k])} {len(got)}')


def wanted_of(programs):
    wanted, end = run(['--target', 'cpu'], programs)
    for k, p in programs:
        bad = [line for line in wanted.get(k, [end] * 9) if line.startswith('error')]
        counted.check(k in wanted and len(bad) < 4, f'program {k} on one device',
                     p.text() + '\n'.join(bad or [end]))
    return wanted


def dealt(programs, hands):
    """So many lists of some of the programs, none of them empty."""
    return [programs[k % len(programs)::hands] for k in range(hands)]


def all_sessions(first, count):
    """(name, programs, arguments, environment, command in front) of each session."""
    own = [(k, Program(k)) for k in range(first, first + count)]
    narrow = [(k, Program(k, True)) for k in range(first, first + count)]
    for ranks, some in zip((2, 3, 4), dealt(own, 3)):
        yield f'{ranks} ranks of the CPU', some, ['--target', f'cpu:0-{ranks - 1}'], None, ()
    few = dealt(own[:max(1, count // 5)], 2)
    for ranks, some in zip((2, 4), few) if shutil.which('mpirun') else ():
        env = dict(os.environ, OMPI_MCA_btl_base_warn_component_unused='0')
        yield f'{ranks} ranks of MPI', some, ['--target', 'cpu'], env, (*MPIRUN, str(ranks))
    home = score.folder('layouts')
    ways = [(ranks, nccl) for ranks in (2, 3, 4) for nccl in ('libnccl.so.2', 'off')]
    for (ranks, nccl), some in zip(ways, dealt(narrow, len(ways))):
        file = nccl if nccl == 'off' else os.path.join(fakegpu.FAKE, nccl)
        env = fakegpu.environment(home, FUSIBLE_FAKE_DEVICES='4', FUSIBLE_NCCL=file)
        yield (f'{ranks} fake GPUs{" without NCCL" * (nccl == "off")}', some,
               ['--target', f'cuda:0-{ranks - 1}'], env, ())


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--programs', type=int, default=120)
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('--only', default='')
    options.add_argument('--show', type=int)
    o = options.parse_args()
    if o.show is not None:
        print(Program(o.show, 'GPU' in o.only).text())
        return 0
    for name, programs, args, env, before in all_sessions(o.seed, o.programs):
        if o.only in name:
            compare(name, programs, wanted_of(programs), args, env, before)
    return counted.close()


counted = score.Score()

if __name__ == '__main__':
    sys.exit(main())
