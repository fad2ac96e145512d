#!/usr/bin/python3
"""Parts of arrays that are replaced in loops: what is copied for it, and what comes out.

Each of PATTERNS is a loop whose rounds update a part of an array that only one name holds. The
plan of a round says how many bytes its copies write: no more than what is read of the array
and lies in the part, and as a rule none. What comes out is what numpy has, bit for bit.

A mask that chooses several times is counted once. Then random loops: updates, in arrays of one to four dimensions, that read what they replace,
or what overlaps it: slices that are shifted, reversed, stepped, transposed, chosen by a list,
or summed, once another name has the array or a function changes it, beside numpy. All
numbers are whole and small.

    tests/test_updates.py [--count N] [--first N] [--target cpu|cuda|fake]

Without a target the loops run on both the CPU and the fake GPU. The last line is
`N passed, N failed`.
"""
import argparse
import json
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

# A statement of a loop over k = 4:9, the same as numpy over indices from 0, and how many
# elements copies write in a round. A is 40 x 48, x and b have 40, C is 6 x 7 x 12.
PATTERNS = [
    ('A[7, k] = 2*A[7, k];', 'A[6, k-1] *= 2', 0),
    ('A[7, k] = sum(A[8, :]);', 'A[6, k-1] = A[7].sum()', 0),
    ('A[k, 7] = sum(A[:, 9]);', 'A[k-1, 6] = A[:, 8].sum()', 0),
    ('A[7, k] += 1; A[7, k] *= 2;', 'A[6, k-1] += 1; A[6, k-1] *= 2', 0),
    ('A[k, 5:40] = A[k, 5:40]*A[k, 5];', 'A[k-1, 4:40] = A[k-1, 4:40]*A[k-1, 4]', 1),
    ('A[k, 5:40] = A[k, 5:40]*A[k, 4];', 'A[k-1, 4:40] *= A[k-1, 3]', 0),
    ('A[k, 9] -= A[k, 1:3]*A[1:3, 9];', 'A[k-1, 8] -= A[k-1, :3] @ A[:3, 8]', 0),
    ('A[9, k] -= A[9, 1:3]*A[1:3, k];', 'A[8, k-1] -= A[8, :3] @ A[:3, k-1]', 0),
    ('x[k] = b[k] - A[k, 1:k-1]*x[1:k-1];', 'x[k-1] = b[k-1] - A[k-1, :k-1] @ x[:k-1]', 0),
    ('A[:, k] -= A[:, 1]*A[1, k];', 'A[:, k-1] -= A[:, 0]*A[0, k-1].copy()', 1),
    ('A[:, k] -= A[:, 1]*A[1, 2];', 'A[:, k-1] -= A[:, 0]*A[0, 1]', 0),
    ('A[k, :] = A[k, :] + A[3, :];', 'A[k-1] += A[2]', 0),
    ('A[k, :] = A[k-1, :] + A[k+1, :];', 'A[k-1] = A[k-2] + A[k]', 0),
    ('A[:, k] = A[:, k-1] + A[:, k+1];', 'A[:, k-1] = A[:, k-2] + A[:, k]', 0),
    ('A[k, 2:47] = A[k, 1:46] + A[k, 3:48];', 'A[k-1, 1:47] = A[k-1, :46] + A[k-1, 2:48]', 46),
    ('x[1:k] += x[k:-1:1];', 'x[:k] += x[:k][::-1].copy()', 'k'),
    ('x[1:20] += x[20:-1:1];', 'x[:20] += x[:20][::-1].copy()', 20),
    ('x[1:20] += x[21:40];', 'x[:20] += x[20:]', 0),
    ('x[1:20] += x[40:-1:21];', 'x[:20] += x[20:][::-1]', 0),
    ('x[1:2:39] += x[2:2:40];', 'x[::2] += x[1::2]', 0),
    ('x[2:2:40] = x[39:-2:1] + k;', 'x[1::2] = x[38::-2] + k', 0),
    ('x[k+1] = x[k] + b[k];', 'x[k] = x[k-1] + b[k-1]', 0),
    ('x[k] = sum(x);', 'x[k-1] = x.sum()', 1),
    ('A[k, k] = sum(sum(A));', 'A[k-1, k-1] = A.sum()', 1),
    ('A[k, :] = sum(A, 1);', 'A[k-1] = A.sum(0)', 48),
    ('A[:, k] = sum(A, 2);', 'A[:, k-1] = A.sum(1)', 40),
    ('A[k, 1:5] = A[k, 5:-1:1];', 'A[k-1, :5] = A[k-1, :5][::-1].copy()', 5),
    ('A[1:k, 1] = A[1, 1:k]\';', 'A[:k, 0] = A[0, :k].copy()', 'k'),
    ('A[2:5, 7:10] = A[2:5, 7:10]\';', 'A[1:5, 6:10] = A[1:5, 6:10].T.copy()', 16),
    ('A[2:5, 7:10] = A[12:15, k:k+3]\' + 1;', 'A[1:5, 6:10] = A[11:15, k-1:k+3].T + 1', 0),
    ('A[k:40, 5] -= A[k:40, 1:3]*A[1:3, 5];',
     'A[k-1:, 4] -= A[k-1:, :3] @ A[:3, 4].copy()', 0),
    ('A[k, 5:40] -= A[k, 1:3]*A[1:3, 5:40];', 'A[k-1, 4:40] -= A[k-1, :3] @ A[:3, 4:40]', 0),
    ('A[k+1:40, k+1:48] -= A[k+1:40, k]*A[k, k+1:48];',
     'A[k:, k:] -= np.outer(A[k:, k-1], A[k-1, k:])', 0),
    ('t = A[k, :] + 0; A[k, :] = A[3, :]; A[3, :] = t;', 't = A[k-1].copy(); A[k-1] = A[2]; A[2] = t',
     48),
    ('A[k, 1] = 3; A[k, 2] = A[k, 1] + A[k, 3];', 'A[k-1, 0] = 3; A[k-1, 1] = 3 + A[k-1, 2]', 0),
    ('A[k, 1:4] = A[k, [4, 2, 2, 1]];', 'A[k-1, :4] = A[k-1, [3, 1, 1, 0]]', 4),
    ('C[:, :, k] = C[:, :, k-1] + 1;', 'C[:, :, k-1] = C[:, :, k-2] + 1', 0),
    ('C[2, :, k] = C[3, :, k] - C[2, :, k+1];', 'C[1, :, k-1] = C[2, :, k-1] - C[1, :, k]', 0),
    ('C[:, 3, k] += C[:, 4, k] + C[1, 2, k];', 'C[:, 2, k-1] += C[:, 3, k-1] + C[0, 1, k-1]', 0),
    ('C[:, 3, k] *= C[4, 3, k];', 'C[:, 2, k-1] *= C[3, 2, k-1].copy()', 1),
    ('C[2:5, :, k] = C[3:6, :, k];', 'C[1:5, :, k-1] = C[2:6, :, k-1].copy()', 28),
    ('D[:, 2, :, k] = D[:, 1, :, k] + D[:, 2, :, k-1];',
     'D[:, 1, :, k-1] = D[:, 0, :, k-1] + D[:, 1, :, k-2]', 0),
    ('D[1, :, :, k] = D[1, 2, 3, k]*D[1, :, :, k];',
     'D[0, :, :, k-1] = D[0, 1, 2, k-1].copy()*D[0, :, :, k-1]', 20),
]
SIZES = {'A': (40, 48), 'x': (40,), 'b': (40,), 'C': (6, 7, 12), 'D': (3, 4, 5, 11)}
FIRST, LAST = 4, 9


def start(sizes=None):
    """Small whole numbers: text and numpy."""
    text, env = [], {}
    for at, (name, shape) in enumerate((sizes or SIZES).items()):
        count, a, b, m = int(np.prod(shape)), 3 + 2*at, 1 + at, 5
        made = f'f64(mod({a}*(1:{count}) + {b}, {m}) - 1)'
        text.append(f'{name} = reshape({made}, {", ".join(map(str, shape))});' if len(shape) > 1
                    else f'{name} = {made};')
        env[name] = (np.mod(a*np.arange(1, count + 1) + b, m) - 1).reshape(shape).astype(float)
    return text, env


def run(text, target, home, *options):
    path = os.path.join(home, 'program.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    env = fakegpu.environment(home) if target == 'fake' else dict(os.environ)
    name = 'cpu' if target == 'cpu' else 'cuda'
    return fakegpu.run(['--no-rc', '--target', name, *options, path], env)


def saved(names, home):
    return [f'save("{home}/{n}.npy", f64({n}))' for n in names]


def same(names, env, home):
    """Whether what was saved is what numpy has."""
    for n in names:
        got = np.load(os.path.join(home, n + '.npy'))
        if got.size != env[n].size or not np.array_equal(got.reshape(env[n].shape), env[n]):
            return False
    return True


def copied(events):
    """The bytes that the copies of the last plan of the loop write."""
    bytes_written = None
    for line in events.splitlines():
        event = json.loads(line)
        if event['event'] != 'plan':
            continue
        kernels = [k for k in event['kernels'] if not k['left_out']]
        if any('load' in s['text'] for s in event['statements']):
            continue
        bytes_written = sum(k['bytes_written'] for k in kernels if not k['calls'])
    return bytes_written


def pattern(statement, code, most, target, home):
    """What copies a round makes, and what the loop leaves."""
    text, env = start()
    names = [n for n in SIZES if n + '[' in statement]
    loop = [f'for k = {FIRST}:{LAST}', statement, 'end']
    script = '\n'.join(text + loop)
    done = run(script + '\n', target, home, '--json', '-p', 'line')
    good = done.returncode == 0
    moved = copied(done.stdout) if good else None
    limit = 8*(LAST if most == 'k' else most)
    score.check(good and moved is not None and moved <= limit,
                f'{statement} on {target} copies {moved} bytes, not {limit}\n{done.stderr[:300]}')
    done = run('\n'.join([script] + saved(names, home)) + '\n', target, home)
    for k in range(FIRST, LAST + 1):
        exec(code, {'np': np, 'k': k}, env)  # pylint: disable=exec-used
    score.check(done.returncode == 0 and same(names, env, home),
                f'{statement} on {target} is wrong\n{done.stderr[:300]}')



MASKS = """x = f64(1:100); m = mod(1:100, 3) == 0;
a = x[m]; b = 2*x[m]; c = x[m] + 1; d = x[m]; e = -x[m];
m[1] = 1 == 1; f = x[m];
function picked(v, m)
  return v[m]
end
g = picked(x, m); m = x > 98; h = x[m];
"""


def masks(target, home):
    """How many are true is counted once of a mask, and again once that was changed."""
    done = run(MASKS, target, home, '--json', '-p', 'line')
    counts = sum(c['op'] == 'reduce sum' for line in done.stdout.splitlines()
                 for k in json.loads(line).get('kernels', ()) for c in k['calls'])
    score.check(done.returncode == 0 and counts == 3, f'masks on {target}: counted {counts} times')
    done = run(MASKS + '\n'.join(saved('abcdefgh', home)) + '\n', target, home)
    x = np.arange(1.0, 101)
    y = x[x % 3 == 0]
    z = np.concatenate(([1.0], y))
    env = {'a': y, 'b': 2*y, 'c': y + 1, 'd': y, 'e': -y, 'f': z, 'g': z, 'h': x[98:]}
    score.check(done.returncode == 0 and same('abcdefgh', env, home),
                f'masks on {target}: {done.stderr[:300]}')


SHAPES = [(23,), (7, 9), (40, 48), (4, 5, 6), (3, 4, 3, 5)]
FUNCTIONS = """function half(A)
  for j = 2:3
    A[j, :] = mod(A[j, :] + A[j-1, end:-1:1], 7);
  end
  return A
end
"""


def half(a):
    a = a.copy()
    for j in (1, 2):
        a[j] = np.mod(a[j] + a[j - 1, ::-1], 7)
    return a


class Loop:
    """A loop of updates of one array, as text and as Python over numpy."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.shape = r.choice(SHAPES)
        self.rank = len(self.shape)
        self.body = []
        self.update()
        while r.random() < 0.6:
            self.statement()

    def slice(self, n, count):
        """`count` of n elements along a dimension, somewhere: text and indices; k counts
        from 1 to 3."""
        r = self.r
        step = r.choice((1, 1, 1, 2)) if (count - 1) * 2 < n else 1
        room = n - (count - 1) * step
        down, moves = count > 1 and r.random() < 0.3, room > 3 and r.random() < 0.5
        first = r.randint(1, room - 3 if moves else room)
        last = first + (count - 1) * step
        k = '+k' if moves else ''
        if count == n and not down and step == 1 and r.random() < 0.7:
            return ':', 'slice(None)'
        if count == 1:
            return f'{first}{k}', f'[{first - 1}{k}]'
        a, b, by = (last, first, -step) if down else (first, last, step)
        return (f'{a}{k}:{by}:{b}{k}' if by != 1 else f'{a}{k}:{b}{k}',
                f'np.arange({a}, {b + by}, {by}) - 1{k}')

    def part(self, counts):
        texts, codes = zip(*(self.slice(n, c) for n, c in zip(self.shape, counts)))
        axes = ', '.join(f'at(A, {x}, {c})' for x, c in enumerate(codes))
        return f'A[{", ".join(texts)}]', f'A[np.ix_({axes})]'

    def value(self, counts):
        """What is read of the array, of the part's shape or one number."""
        r, kind = self.r, self.r.randint(0, 9)
        if kind == 0:
            return self.part((1,) * self.rank)
        if kind == 1:
            return self.one()
        if kind == 2 and self.rank == 2 and counts[0] == counts[1]:
            text, code = self.part(counts)
            return f"{text}'", f'{code}.T'
        return self.part(counts)

    def one(self):
        """A number."""
        if self.rank == 1:
            text, code = self.part((self.r.randint(1, self.shape[0]),))
            return f'sum({text})', f'({code}).sum()'
        return 'A[' + ', '.join(['1'] * self.rank) + ']', 'A[' + ', '.join(['0'] * self.rank) + ']'

    def counts(self):
        r = self.r
        return tuple(r.choice((1, r.randint(1, n), n)) for n in self.shape)

    def update(self):
        r, counts = self.r, self.counts()
        to, at = self.part(counts)
        (a, x), (b, y) = self.value(counts), self.value(counts)
        c = r.randint(1, 3)
        text, code = f'mod({a} + {c}*({b}), 7)', f'np.mod({x} + {c}*({y}), 7)'
        if r.random() < 0.3:
            text, code = f'mod({to} + {a}, 7)', f'np.mod({at} + {x}, 7)'
        self.body.append((f'{to} = {text};', f'{at} = ({code}).copy()'))

    def statement(self):
        r, kind = self.r, self.r.randint(0, 9)
        m, n = self.shape[0], self.shape[-1]
        i, j = r.randint(1, m), r.randint(1, n)
        if kind == 0:
            self.body.append(('B = A;', 'B = A.copy()'))
        elif kind == 1:
            text, code = self.part(self.counts())
            self.body.append((f'v = mod({text} + k, 5);', f'v = np.mod({code} + k, 5)'))
        elif kind == 2:
            self.body.append(('s = mod(s + sum(vec(A)), 11);', 's = np.mod(s + A.sum(), 11)'))
        elif kind == 3 and self.rank == 2:
            self.body.append(('A = half(A);', 'A = half(A)'))
        elif kind == 4 and self.rank == 2:
            self.body.append((f'A[{i}, {j}] = mod(A[{i}, 1:2]*A[1:2, {j}], 7);',
                              f'A[{i-1}, {j-1}] = np.mod(A[{i-1}, :2] @ A[:2, {j-1}], 7)'))
        elif kind == 5 and self.rank == 2:
            rows = [r.randint(1, m) for _ in range(r.randint(1, 4))]
            self.body.append((f'A[2:{len(rows) + 1}, :] = A[{rows}, :];',
                              f'A[1:{len(rows) + 1}] = A[np.array({rows}) - 1]'))
        elif kind == 6 and self.rank == 1:
            some = [r.randint(1, n) for _ in range(r.randint(2, 6))]
            self.body.append((f'A[2:{len(some) + 1}] = A[{some}];',
                              f'A[1:{len(some) + 1}] = A[np.array({some}) - 1]'))
        else:
            self.update()

    def start(self):
        count = int(np.prod(self.shape))
        made = f'f64(mod(1:{count}, 6))'
        text = [f'A = reshape({made}, {", ".join(map(str, self.shape))});' if self.rank > 1
                else f'A = {made};', 'B = A; v = zeros(3); s = 0.0;']
        a = np.mod(np.arange(1.0, count + 1), 6).reshape(self.shape)
        return text, {'A': a, 'B': a.copy(), 'v': np.zeros(3), 's': np.zeros(())}

    def script(self, home):
        text = self.start()[0] + ['for r = 1:2', 'for k = 1:3']
        text += [t for t, _ in self.body] + ['end', 'end']
        return FUNCTIONS + '\n'.join(text + saved('ABvs', home)) + '\n'

    def results(self):
        env = self.start()[1]
        env.update(np=np, half=half, at=lambda a, x, i: np.arange(a.shape[x])[i])
        for _ in range(2):
            for k in (1, 2, 3):
                env['k'] = k
                for _, code in self.body:
                    exec(code, env)  # pylint: disable=exec-used
        env['s'] = np.asarray(env['s'], float)
        return env


def one(seed, target, home):
    loop = Loop(seed)
    script, env = loop.script(home), loop.results()
    done = run(script, target, home)
    score.check(done.returncode == 0 and same('ABvs', env, home),
                f'loop {seed} on {target}: {done.stderr[:300]}\n{script}')


# Loops in which every round has sizes of its own.
GROWING = {
    'syrk': """for i = 1:n
  C[i, 1:i] *= 0.5;
  for k = 1:4; C[i, 1:i] += 1.5*A[i, k]*A[1:i, k]'; end
end""",
    'syrk, whole rows': 'for i = 1:n; C[i, 1:i] += A[i, :]*A[1:i, :]\'; end',
    'a triangle solved': """x = zeros(n, "f64");
for j = 2:n; x[j] = mod(A[j, 1] - A[j, 1:j-1]*x[1:j-1], 7); end
C[1, :] = x';""",
}


def any_size(home):
    """On a GPU, loops of 20 and of 40 sizes compile the same kernels: those of the first
    sizes, and code for any size, which is not waited for."""
    for name, loop in GROWING.items():
        compiled = []
        for n in (20, 40, 20, 40):  # the host's compiler has had all texts from the third on
            text = (f':set compile full\nn = {n}; C = zeros(n, n, "f64");\n'
                    f'A = mod(reshape(f64(1:n*n)*7, n, n), 5);\n{loop}\nprint(sum(C[:]), " ", C[2, 1], " ", sum(C[n, :]))')
            folder = tempfile.mkdtemp(dir=home)
            fake, cpu = run(text, 'fake', folder), run(text, 'cpu', folder)
            score.check(fake.returncode == 0 and fake.stdout == cpu.stdout,
                        f'{name}, {n} sizes: {fake.stdout} for {cpu.stdout} {fake.stderr[:300]}')
            compiled.append(sum(len(files) for _, _, files in
                                os.walk(os.path.join(folder, 'cache'))))
        score.check(0 < compiled[2] == compiled[3],
                    f'{name}: {compiled[2]} kernels for 20 sizes, {compiled[3]} for 40')


def main():
    parser = argparse.ArgumentParser(description='parts that are replaced in loops')
    parser.add_argument('--count', type=int, default=60)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--target')
    args = parser.parse_args()
    targets = [args.target] if args.target else ['cpu', 'fake']
    with tempfile.TemporaryDirectory() as home:
        if 'fake' in targets:
            any_size(home)
        for target in targets:
            masks(target, home)
            for p in PATTERNS:
                pattern(*p, target, home)
            for seed in range(args.first, args.first + args.count):
                one(seed, target, home)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
