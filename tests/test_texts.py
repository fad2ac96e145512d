#!/usr/bin/env python3
"""Functions of strings and format() beside Python's own, for random texts of one to four bytes
a character.

    tests/test_texts.py [--count 400] [--seed 1] [--bin build/fusible]

The last line is `N passed, N failed`.
"""
import argparse
import random
import subprocess

from score import Score

score = Score()
LETTERS = ['a', 'b', 'ab', 'B', ' ', '\t', '\n', '"', '\\', '%', 'ä', 'É', 'ω', '€', '語', '😀',
           '\u00a0', '\u3000', '0', '.']
FLAGS = ['', '-', '+', '0', ' ', '-+', '+0', '- ', '0+']


def quoted(text):
    return '"' + ''.join(f'\\u{{{ord(c):x}}}' if c in '\n\t"\\' or ord(c) > 126 else c
                         for c in text) + '"'


def truth(value):
    return 'true' if value else 'false'


class Cases:
    """Expressions of a script, each with what Python gives for it."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.cases = []

    def text(self, most=12):
        return ''.join(self.r.choice(LETTERS) for _ in range(self.r.randint(0, most)))

    def part(self, text):
        a = self.r.randint(0, len(text))
        return text[a:a + self.r.randint(0, 3)] if self.r.random() < 0.7 else self.text(2)

    def add(self, expression, value):
        self.cases.append((expression, value))

    def strings(self):
        s, t = self.text(), self.text()
        p, q = self.part(s), quoted(s)
        self.add(f'length({q})', str(len(s)))
        self.add(f'{q} + {quoted(t)}', s + t)
        self.add(f'find({q}, {quoted(p)})', str(s.find(p) + 1))
        for name, value in (('contains', p in s), ('startswith', s.startswith(p)),
                            ('endswith', s.endswith(p))):
            self.add(f'{name}({q}, {quoted(p)})', truth(value))
        if p:
            self.add(f'replace({q}, {quoted(p)}, {quoted(t)})', s.replace(p, t))
        self.add(f'upper({q})', s.upper())
        self.add(f'lower({q})', s.lower())
        self.add(f'strip({q})', s.strip())
        self.add(f'repeat({q}, 3)', s*3)
        self.add(f'reverse({q})', s[::-1])
        for op, value in (('<', s < t), ('<=', s <= t), ('>', s > t), ('>=', s >= t),
                          ('==', s == t), ('!=', s != t)):
            self.add(f'{q} {op} {quoted(t)}', truth(value))
        if s:
            i = self.r.randint(1, len(s))
            j = self.r.randint(i - 1, len(s))
            step = self.r.randint(1, 3)
            self.add(f'{q}[{i}]', s[i - 1])
            self.add(f'{q}[{i}:{j}]', s[i - 1:j])
            self.add(f'{q}[1:{step}:end]', s[::step])
            self.add(f'{q}[end:-{step}:1]', s[::-step])
            self.add(f'{q}[[{i}, {len(s)}]]', s[i - 1] + s[-1])

    def number(self):
        r = self.r
        return r.choice([0.0, 1.5, -2.5, r.uniform(-1, 1), r.uniform(-1e6, 1e6),
                         r.uniform(-1, 1)*10**r.randint(-300, 300), float(r.randint(-10**6, 10**6))])

    def formats(self):
        r, form, values, mine = self.r, '', [], []
        for _ in range(r.randint(0, 4)):
            form += self.text(2).replace('%', '%%')
            letter = r.choice('dfegxs')
            flags = r.choice(FLAGS if letter != 'x' else ['', '-', '0'])
            width = r.choice(['', '', '1', '7', '20'])
            precision = r.choice(['', '', '.0', '.3', '.12', '.']) if letter in 'fegs' else ''
            form += '%' + flags.replace('0', '' if letter == 's' else '0') + width + precision + letter
            if letter in 'dx':
                x = r.randint(0, 1 << 40) if letter == 'x' else r.randint(-(1 << 50), 1 << 50)
                values.append(x)
                mine.append(str(x))
            elif letter == 's':
                values.append(self.text(4))
                mine.append(quoted(values[-1]))
            else:
                values.append(self.number())
                mine.append(f'({values[-1]!r})')
        self.add(f'format({", ".join([quoted(form)] + mine)})', form % tuple(values))


def run(binary, cases):
    """What is printed for each expression, between <<< and >>>."""
    script = ''.join(f'print("<<<", {e}, ">>>")\n' for e, _ in cases)
    done = subprocess.run([binary, 'run', '-'], input=script, capture_output=True,
                          encoding='utf-8', check=False)
    return [part.split('>>>')[0] for part in done.stdout.split('<<<')[1:]], done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', default='build/fusible')
    parser.add_argument('--count', type=int, default=400)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    cases = Cases(args.seed)
    for _ in range(args.count):
        cases.strings()
        cases.formats()
    got, errors = run(args.bin, cases.cases)
    score.check(len(got) == len(cases.cases), 'all were printed', errors[-500:])
    for (expression, value), mine in zip(cases.cases, got):
        score.check(mine == value, expression, f'{mine!r}, Python has {value!r}')
    return score.close()


if __name__ == '__main__':
    raise SystemExit(main())
