#!/usr/bin/env python3
"""Loops that compute with numbers and single elements on the host, at random, in two ways: as
they are, and with a `barrier` in every body. A barrier means nothing here, but a loop that has
one is not taken for one of numbers and elements alone: its statements are carried out one by one. Both must
give the same variables, bit for bit and of the same kind, and the same messages at the
same places. Then: what a loop is not to be taken for, Ctrl-C between rounds, and what a round costs beside
one of this interpreter.

    tests/test_host.py [--count N] [--first N]

The last line is `N passed, N failed`.
"""
import argparse
import os
import random
import resource
import subprocess
import sys
import time

import front
import score

ONE = ('abs', 'floor', 'ceil', 'round', 'trunc', 'sign', 'sqrt', 'exp', 'log', 'sin', 'cos',
       'tanh', 'erf', 'square', 'isnan', 'isfinite', 'not', 'neg', 'expm1', 'log1p', 'rsqrt')
TWO = ('mod', 'min', 'max', 'pow', 'atan2', 'hypot', 'add', 'mul', 'eq', 'lt', 'and')
THREE = ('where', 'clamp', 'fma')
BINARY = ('+', '-', '*', '/', '\\', '^', '.*', './', '.^', '==', '!=', '<', '<=', '>', '>=',
          '&&', '||')
# Functions of the user: short ones; with names of their own, branches and loops; of an array.
OWN = ('p1(v) = v*v - 1;', 'p2(v, w) = where(v < w, v, w + p1(v));',
       'function p3(v, w)\n  if v < w; return v; end\n  v = w + 1; w += v;\n  return v + w\nend',
       'function p4(v)\n  s = 0;\n  for j = 1:3; s = s + j*v; if s > 50; break; end; end\n'
       '  while s > 40 && s < 1e6; s = s/2; end\n  return s\nend',
       'function p5(x, k)\n  n = numel(x);\n  return x[mod(floor(abs(k)), n) + 1] + n\nend',
       'function p6(v)\n  if v > 1; u = v; end\n  return v + scale\nend')
NUMBERS = ('0', '1', '2', '3', '7', '0.5', '-1', '1e300', '2^53', '1e-308', 'true', 'false',
           'pi', 'inf', 'nan', 'eps', '3.0')


class Program:
    """Both texts: a body ends with {end}, which becomes `end` or `barrier; end`."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = list('abcdef')
        self.known = list(self.names)
        self.depth = 0
        self.lines = []
        for name in self.names:
            self.lines.append(f'{name} = {self.r.choice(NUMBERS)};')
        self.lines.append(f'scale = {self.r.choice(NUMBERS)};')
        self.function = self.r.random() < 0.3
        self.owns = seed % 3 == 0
        if self.owns:
            self.lines += OWN
        self.arrays = {}
        if seed % 2:
            self.make_arrays()
        if self.function:
            self.lines.append('function f(a, b)\n  c = 1; d = 2; e = 3; f = 4;')
        self.loop('  ')
        if self.function:
            self.lines.append('  return [a, b, c, d, e, f]\nend\nx = f(a, b);')

    def make_arrays(self):
        r = self.r
        for name, kind in zip('XYZ', r.sample(('bool', 'i32', 'i64', 'f32', 'f64', 'f16'), 3)):
            shape = r.choice(((5,), (4,), (3, 4), (1, 6)))
            count = shape[0] if len(shape) == 1 else shape[0]*shape[1]
            text = f'mod({r.choice((3, 5, 7))}*(1:{count}), {r.choice((2, 5, 11))})'
            whole = 0 if kind in ('bool', 'i32', 'i64') else r.choice((0, 0.5, 0.1))
            self.lines.append(f'{name} = {kind}({text} - {whole});' if len(shape) == 1 else
                              f'{name} = reshape({kind}({text} - {whole}), {shape[0]}, {shape[1]});')
            self.arrays[name] = shape
        if r.random() < 0.3:
            self.lines.append('W = X;')

    def element(self, deep):
        r = self.r
        name = r.choice(list(self.arrays))
        shape = self.arrays[name]
        if shape[0] == 1 and r.random() < 0.5:
            shape = shape[1:]
        subscripts = []
        for extent in shape:
            kind = r.random()
            if kind < 0.3:
                subscripts.append(str(r.randint(1, extent)))
            elif kind < 0.4:
                subscripts.append(r.choice(('end', 'end - 1')))
            elif kind < 0.97:
                subscripts.append(f'mod(floor(abs({self.expression(deep + 2)})), {extent}) + 1')
            else:
                subscripts.append(self.expression(deep + 2))
        if len(shape) == 1 and r.random() < 0.1:
            subscripts.append('1') if self.arrays[name][0] != 1 else subscripts.insert(0, '1')
        return f"{name}[{', '.join(subscripts)}]"

    def expression(self, deep=0):
        r = self.r
        kind = r.random()
        if self.owns and deep < 3 and r.random() < 0.2:
            name, n = r.choice((('p1', 1), ('p2', 2), ('p3', 2), ('p4', 1), ('p6', 1)))
            flat = [k for k, shape in self.arrays.items() if len(shape) == 1]
            if flat and r.random() < 0.3:
                return f'p5({r.choice(flat)}, {self.expression(deep + 2)})'
            return f"{name}({', '.join(self.expression(deep + 1) for _ in range(n))})"
        if self.arrays and deep < 3 and r.random() < 0.3:
            return self.element(deep)
        if self.arrays and r.random() < 0.05:
            return r.choice(('numel(X)', 'size(Y, 1)', 'size(Z, 2)', 'length(X)', 'f32(a)', 'f64(b)'))
        if deep > 3 or kind < 0.25:
            return r.choice(self.known) if r.random() < 0.7 else r.choice(NUMBERS)
        if kind < 0.7:
            return (f'({self.expression(deep + 1)} {r.choice(BINARY)} '
                    f'{self.expression(deep + 1)})')
        if kind < 0.78:
            return f"{r.choice('-+!')}({self.expression(deep + 1)})"
        if kind < 0.82:
            return f"({self.expression(deep + 1)})'"
        n, of = r.choice(((1, ONE), (2, TWO), (2, TWO), (3, THREE)))
        parts = [self.expression(deep + 1) for _ in range(n)]
        return f"{r.choice(of)}({', '.join(parts)})"

    def statements(self, indent, loop):
        for _ in range(self.r.randint(1, 3)):
            kind = self.r.random()
            if self.arrays and kind < 0.3:
                self.lines.append(f"{indent}{self.element(1)} {self.r.choice(('=', '=', '+=', '*='))} "
                                  f'{self.expression(1)};')
            elif kind < 0.55 or self.depth > 3:
                name = self.r.choice(self.names + ['t', 'u'])
                op = self.r.choice(('=', '=', '=', '+=', '*=')) if name in self.known else '='
                self.lines.append(f'{indent}{name} {op} {self.expression()};')
                if name not in self.known and (loop or self.r.random() < 0.5):
                    self.known.append(name)  # mostly it will be there when it is read
            elif kind < 0.75:
                self.branch(indent, loop)
            elif kind < 0.85 and loop:
                word = self.r.choice(('break', 'continue'))
                self.lines.append(f'{indent}if {self.expression(2)}; {word}; end')
            else:
                self.loop(indent)

    def branch(self, indent, loop):
        self.depth += 1
        self.lines.append(f'{indent}if {self.expression(2)}')
        self.statements(indent + '  ', loop)
        if self.r.random() < 0.5:
            self.lines.append(f'{indent}else')
            self.statements(indent + '  ', loop)
        self.lines.append(f'{indent}end')
        self.depth -= 1

    def loop(self, indent):
        r = self.r
        self.depth += 1
        if r.random() < 0.7:
            over = r.choice(('1:5', '1:3', '5:-2:-3', '0:0.25:1', '3:1', '1:mod(floor(a), 5)',
                             'b:c:4' if r.random() < 0.1 else '-2:1',
                             '1:min(abs(scale), 4)'))
            self.lines.append(f"{indent}for {r.choice(['k', 'j', 'a', 't'])} = {over}")
        else:
            count = f'n{len(self.lines)}'
            self.lines.insert(0, f'{count} = 0;') if not self.function else \
                self.lines.append(f'{indent}{count} = 0;')
            self.lines.append(f'{indent}while {count} < 4 && !isnan({self.expression(3)})')
            self.lines.append(f'{indent}  {count} = {count} + 1;')
        self.statements(indent + '  ', True)
        self.lines.append(f'{indent}' + '{end}')
        self.depth -= 1

    def text(self, end):
        return '\n'.join(self.lines).replace('{end}', end)


def ran(session, text, path):
    """What a text leaves: its messages, with their places, and the variables."""
    session.cell('z0 = 0;')
    events = session.cell('begin\n' + text + '\nend', 60) or []
    told = [(e.get('id'), e['message'], e.get('line'), e.get('column')) for e in events
            if e['event'] == 'diagnostic' and e.get('id') != 'rounds-wait']
    left = front.values(session, path)
    session.cell(':reset -f')
    return front.status(events), told, left


def compare(folder, first, count, counts):
    fast, plain = (front.Front(folder) for _ in range(2))
    path = os.path.join(folder, 'v.npz')
    errors = 0
    for seed in range(first, first + count):
        p = Program(seed)
        a = ran(fast, p.text('end'), path)
        b = ran(plain, p.text('barrier; end'), path)
        errors += a[0] != 'ok'
        counts.check(a == b, f'program {seed}: {str(a)[:500]} for {str(b)[:500]}\n'
                             + p.text('end'))
    counts.check(errors < count / 2, f'{errors} of {count} programs ended in an error')
    return fast.close(), plain.close()


SAME = {
    'shadowed': 'mod(a, b) = a*b; s = 0; for k = 1:5; s = s + mod(k, 3); {end}',
    'shadowed inside': 's = 0; for k = 1:3; floor = k; s = s + floor; {end}',
    'unknown': 'for k = 1:3; s = s + k; {end}',
    'unknown later': 's = 0; for k = 1:3; if k > 2; s = s + tt; end; {end}',
    'known later': 's = 0; for k = 1:9; if k > 2; s = s + t; end; t = k; {end}',
    'never run': 'for k = 1:0; s = k; {end}',
    'never assigned': 'for k = 1:3; if k > 5; s = k; end; {end}',
    'constant': 's = 0; for k = 1:3; s = s + pi*k; pi = 3; {end}',
    'a range without end': 's = 0; for k = 1:3; for j = 1:k-3:5; s = s + j; {end}; {end}',
    'an infinite range': 's = 0; for k = 1:3; s = s + 1; for j = 1:1/(k - 2):9; s = s + j; '
                         '{end}; {end}',
    'an array': 'x = [1, 2]; s = 0; for k = 1:3; s = s + x[1]; {end}',
    'an array later': 's = 0; for k = 1:9; if k == 5; s = f64([1, 2]); end; s = s + k; {end}',
    'an array before': 's = f64([1, 2]); for k = 1:20; s = 1 + k; {end}',
    'a text': 's = "a"; for k = 1:3; s = s + k; {end}',
    'a display': 's = 0; for k = 1:3\n  s = s + k\n{end}',
    'a blank': '_ = 1; for k = 1:3; _ = k; {end}',
    'an integer too large': 's = 2^53 - 2; for k = 1:4; s = s + 1; u = s == 2^53; {end}',
    'minus zero': 's = 0; t = 0.0; for k = 1:3; s = -s*k; t = -t*k; {end}; u = 1/s; v = 1/t;',
    'its own variable': 's = 0; for k = 1:4; s = s + k; k = 10; {end}',
    'in a map': 'f(x) = x + 1; function g(x)\n s = 0; for k = 1:3; s = s + k; {end}\n'
                'return s + x\nend\ny = map(g, [1, 2, 3]);',
    'a global': 'a = 5; function g(x)\n for k = 1:3; a = a + x; {end}\n return a\nend\n'
                'y = g(2);',
    'a global untouched': 'a = 5; function g(x)\n for k = 1:3; if k > 5; a = 1; end; {end}\n '
                          'return a + x\nend\ny = g(2); z = a;',
    'short': 's = 0; n = 0; for k = 1:9; t = k > 3 && k < 7; u = k == 2 || k == t; '
             's = s + t; n = n + u; {end}',
    'narrowed': 'x = zeros(3); d = f64([0.1, 0.2]); for k = 2:3; x[k] = sqrt(x[k-1]) + d[k-1]; {end}',
    'no -0 by a product': 's = 0; for k = 1:3; s = s*(k - 5); {end}; u = 1/s;',
    'remainders': 'r = zeros(4, "i64"); a = i64([7, -7, 7, -7]); b = [3, 3, -3, -3]; s = 0; '
                  'for k = 1:4; t = 7 - 14*mod(k + 1, 2); u = 3 - 6*(k > 2); s = 10*s + mod(t, u); '
                  'r[k] = mod(a[k], u) + s; {end}',
    'f32 each time': 'f = f32(mod(7*(1:40), 11)/10); for k = 2:40; '
                     'f[k] = f[k-1]*0.7 - f[k]*0.3*f[k-1] + 0.1; {end}',
    'a wider integer': 'k = i32([5, 6]); t = 0; for i = 1:2; t = k[i] + 3000000000 + 0*t; {end}',
    'a tensor decides nothing': 'x = f64(1:4); s = 0; for i = 2:4; t = x[i-1] > 100 && i; '
                                'x[i] = x[i-1] + t; u = x[1] == 1 || i; v = t + 0.5; {end}',
    'no value on one way': 'function q(v)\n if v > 2; u = v; end\n return u\nend\ny = f64(1:4); '
                           'for i = 4:-1:2; y[i] = q(i) + y[i-1]; {end}',
    'nothing on one way': 'function q(v)\n if v > 2; return v; end\nend\ny = f64(1:4); '
                          'for i = 4:-1:2; y[i] = q(i) + y[i-1]; {end}',
    'too large': 'k = i32([1, 2]); for i = 2:2; k[i] = k[i-1] + 1; k[i] = 3e9; {end}',
    'one subscript of a matrix': 'A = f64([1, 2; 3, 4]); s = 0; for i = 1:2; s = s/2 + A[i]; {end}',
    'a chain': 's = 1; for k = 1:9; s = ' + ' + '.join(['s'] * 300) + '; s = s/300; {end}',
}


def fixed(folder, counts):
    fast, plain = (front.Front(folder) for _ in range(2))
    path = os.path.join(folder, 'w.npz')
    for name, text in SAME.items():
        if '[i' in text or '[k' in text:  # assignments alone would be traced into the block
            text = text.replace('{end}', 'if false; zz = 0; end; {end}')
        a = ran(fast, text.replace('{end}', 'end'), path)
        b = ran(plain, text.replace('{end}', 'barrier; end'), path)
        counts.check(a == b, f'{name}: {a} for {b}')
    fast.close()
    plain.close()


def inputs_are_read(folder, counts):
    """An input that only a loop of numbers reads was read; one that nothing reads is told."""
    script = os.path.join(folder, 's.fs')
    for text, said in (('s = 0; k = 0; while k < n; k = k + 1; end; print(k)', False),
                       ('s = 0; for k = 1:3; if k > 5; s = s + n; end; end; print(k)', True)):
        with open(script, 'w', encoding='utf-8') as f:
            f.write(text)
        told = []
        for end in ('end', 'barrier; end'):
            with open(script, 'w', encoding='utf-8') as f:
                f.write(text.replace(' end; print', f' {end}; print'))
            done = subprocess.run([front.PROGRAM, '-t', 'cpu', script, 'n=7'], check=False,
                                  capture_output=True, text=True, timeout=600)
            told.append((done.stdout, done.returncode, 'n' in done.stderr))
        counts.check(told[0] == told[1], f'{text}: {told} ({said})')


def of_the_processor(text):
    """Seconds of the processor that a session with this text takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([front.PROGRAM, '--target', 'cpu', '--threads', '1', '--quiet', '-e', text],
                   check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_python(rounds):
    start, s = time.process_time(), 0
    for _ in range(1, rounds + 1):
        s = s + 1
    return time.process_time() - start


def rounds_are_cheap(counts):
    """A round of a loop takes a small multiple of what this interpreter takes for it, who is
    measured in turns with it. Code that checks or counts itself is not what is asked."""
    with open(front.PROGRAM, 'rb') as f:
        program = f.read()
    if any(word in program for word in (b'__asan_init', b'__tsan_init', b'__ubsan_', b'__gcov_')):
        return
    rounds, most = 4000000, 2
    ours, theirs = [], []
    for _ in range(5):
        few, many = (of_the_processor(f's = 0; for k = 1:{n}; s = s + 1; end')
                     for n in (1, rounds))
        ours.append(many - few)
        theirs.append(of_python(rounds))
    ratio = min(ours)/min(theirs)
    counts.check(ratio < most, f'a round of s = s + 1 takes {ratio:.2f} times that of Python')


def interrupted(folder, counts):
    """Stopped between two rounds: what was assigned there belongs together."""
    session = front.Front(folder)
    session.cell('1')
    for text, sure in (
            ('s = 0; k = 0; while true; k = k + 1; s = s + k; end', 's == k*(k + 1)/2'),
            ('s = 0; for k = 1:1e12; s = s + k; end', 's == k*(k + 1)/2'),
            ('n = 0; for i = 1:1e9; for j = 1:3; n = n + 1; end; end',
             'n == 3*(i - 1) + j || (n == 3*(i - 1) && j == 3)'),
            ('x = zeros(1000, "f64"); for i = 1:1e9; x[1] = i; for k = 2:1000; '
             'x[k] = x[k-1]; end; end', 'i > 1 && all(x[1:999] >= x[2:1000]) && sum(x == i) + '
             'sum(x == i-1) == 1000 && (sum(x == i) < 2 || sum(x == i) == k || '
             'sum(x == i) == k - 1)')):
        session.send(text)
        time.sleep(0.3)
        before = score.processor_seconds(session.worker())
        session.interrupt()
        events = session.until_done()
        took = score.processor_seconds(session.worker()) - before
        counts.check(front.status(events) == 'interrupted', f'{text}: {events}')
        counts.check(took < 0.25, f'{text}: stopped after {took:.3f} s of the processor')
        said = front.text(session.cell(f'print("sure ", {sure})'))
        counts.check('sure true' in said, f'{text}: {said!r}')
    session.close()


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=250)
    p.add_argument('--first', type=int, default=1)
    args = p.parse_args()
    counts = score.Score()
    folder = score.folder('host')
    fixed(folder, counts)
    inputs_are_read(folder, counts)
    interrupted(folder, counts)
    rounds_are_cheap(counts)
    compare(folder, args.first, args.count, counts)
    return counts.close()


if __name__ == '__main__':
    sys.exit(main())
