#!/usr/bin/python3
"""A session that comes back is the same session, or says what is not: the worker is killed
after inputs that read and write files, import, leave comments, set several things, or are
followed by other costs. A second front runs the same cells and is not killed; what is in
neither the same bits nor named by the note is a failure.

    tests/test_rebuild.py [--cells 400] [--seed 1] [--only WORD]

`--only storm` is the random session alone, for many seeds.
"""
import argparse
import os
import random
import re
import signal
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from front import Front, notes, status, text, values  # noqa: E402
from score import Score, await_work  # noqa: E402

score = Score()
check = score.check


TWICE = '''function twice
doc      y = twice(x)
args     x:vec
result   vec
define   2*x
'''


def environment(folder):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(('FUSIBLE', 'XDG_'))}
    env.update(HOME=folder, LC_ALL='C.UTF-8')
    return env


class Session:
    """A front in a folder of its own."""

    def __init__(self):
        self.place = tempfile.TemporaryDirectory(prefix='fusible-rebuild-')
        self.folder = self.place.name
        self.front = Front(self.folder, environment(self.folder))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *cells):
        for cell in cells:
            done = self.front.cell(cell)
            check(status(done) == 'ok', f'`{cell}`: {done}')

    def shown(self, expression):
        return text(self.front.cell(f'print({expression})')).strip()

    def killed(self):
        """What the note says after the worker was killed."""
        os.kill(self.front.worker(), signal.SIGKILL)
        said = notes(self.front.cell('there = 1;'), 'rebuilt')
        return said[0] if check(len(said) == 1, f'notes: {said}') else ''

    def __enter__(self):
        return self

    def __exit__(self, *_):
        check(self.front.close() == 0, 'the end')
        check(not self.front.noise, f'noise: {self.front.noise}')
        self.place.cleanup()


def named(note, name):
    """Whether the note says that a name is not as before."""
    before, _, missing = note.partition('not as before: ')
    return bool(before) and re.search(rf'(^|[ ,]){re.escape(name)}\b', missing) is not None


# -- files --------------------------------------------------------------------------------


def test_saved_over():
    """What an input reads and then writes is not there to be read again."""
    forms = {
        'x': ['x = load("x.npy"); x = x + 1; save("x.npy", x);'],
        'y': ['for k = 1:3; y = load("x.npy"); y = y + k; save("x.npy", y); end'],
        'z': ['import "part.inc.fs"'],
    }
    for name, cells in forms.items():
        with Session() as s:
            np.save(s.path('x.npy'), np.arange(4.0))
            with open(s.path('part.inc.fs'), 'w', encoding='utf-8') as f:
                f.write('z = load("x.npy"); z = 2*z; save("x.npy", z);\n')
            s.run('a = 1;', *cells)
            note = s.killed()
            check(named(note, name) and not named(note, 'a'), f'{cells}: {note}')


def test_complex():
    with Session() as s:
        s.run('z = rand(40, "c128") + 2i;', 'w = z*z\'; w[1, 2] = 5i;', 'u = 2 - 3i;')
        before = [s.shown(x) for x in ('sum(w)', 'w[1, 2]', 'u')]
        note = s.killed()
        check('not as before' not in note, note)
        after = [s.shown(x) for x in ('sum(w)', 'w[1, 2]', 'u')]
        check(before == after and after[1] == '0 + 5i', f'{before} {after}')


def test_saved_elsewhere():
    with Session() as s:
        np.save(s.path('x.npy'), np.arange(4.0))
        s.run('x = load("x.npy"); save("y.npy", x + 1);', 'y = load("y.npy");')
        note = s.killed()
        check('as before' in note and 'not as before' not in note, note)
        check(s.shown('y') == s.shown('x + 1'), 'y')


def test_replaced_meanwhile():
    """Another program puts a file in the place of the one that was read, while the input
    still runs."""
    with Session() as s:
        np.save(s.path('x.npy'), np.arange(4.0))
        np.save(s.path('other.npy'), np.arange(4.0) + 1)
        s.front.send('x = load("x.npy"); for k = 1:1e8; n = k; end')
        await_work(s.front.worker)
        os.replace(s.path('other.npy'), s.path('x.npy'))
        check(status(s.front.until_done()) == 'ok', 'it ends')
        note = s.killed()
        check(named(note, 'x'), note)


def touch_alike(path, change):
    """Changes a file, which then has the size and the time of change that it had."""
    before = os.stat(path)
    with open(path, 'r+b') as f:
        change(f)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_same_size_and_time():
    def change(f):
        f.seek(-8, 2)
        f.write(np.float64(99).tobytes())
    with Session() as s:
        np.save(s.path('x.npy'), np.arange(4.0))
        s.run('x = load("x.npy");')
        touch_alike(s.path('x.npy'), change)
        note = s.killed()
        check(named(note, 'x'), note)


def test_elem_of_same_size():
    with Session() as s:
        with open(s.path('twice.elem'), 'w', encoding='utf-8') as f:
            f.write(TWICE)
        done = s.front.cell(':elem twice.elem')
        if not check(status(done) == 'ok', f'the function: {done}'):
            return
        s.run('y = twice([1, 2]);')

        def change(f):
            data = f.read()
            f.seek(data.index(b'2*x'))
            f.write(b'3*x')
        touch_alike(s.path('twice.elem'), change)
        note = s.killed()
        check('twice.elem has changed' in note and named(note, 'y'), note)


def test_one_element_of_a_large_file():
    """At a quarter of 80 MB, as far from its ends as from its middle."""
    def change(f):
        f.seek(20 << 20)
        f.write(b'\x01')
    with Session() as s:
        np.save(s.path('x.npy'), np.zeros(10 << 20))
        s.run('x = load("x.npy"); s = sum(x);')
        touch_alike(s.path('x.npy'), change)
        note = s.killed()
        check(named(note, 's'), note)


# -- what follows ---------------------------------------------------------------------------


def test_followers():
    with Session() as s:
        np.save(s.path('x.npy'), np.arange(4.0))
        s.run('a = [1, 2, 3, 4]; f(t) = t + x;', 'x = load("x.npy");', 'y = a + 1;',
              'z = 2*x;', 'w = f(a);', 'v = w[1];', 'x = a;', 'u = x + 1;')
        np.save(s.path('x.npy'), np.arange(4.0) + 5)
        note = s.killed()
        for name, expected in {'x': True, 'z': True, 'w': True, 'v': True, 'y': False,
                               'a': False, 'u': False}.items():
            check(named(note, name) == expected, f'{name}: {note}')


def test_after_an_interrupt():
    with Session() as s:
        s.run('x = 1;')
        s.front.send('x = 5; for k = 1:1e9; n = k; end')
        await_work(s.front.worker)
        s.front.interrupt()
        check(status(s.front.until_done()) == 'interrupted', 'interrupted')
        s.run('z = x;')
        note = s.killed()
        check(named(note, 'x') and named(note, 'z'), note)


def test_other_costs():
    with Session() as s:
        s.run('A = rand(300, 300); x = rand(300);', 'c = 3;', 'y = A*x; z = A\'*y;')
        s.shown('sum(z)')
        s.run(':calibrate quick')
        note = s.killed()
        check(named(note, 'z') and not named(note, 'c'), note)
        s.run('t = A*x;')
        s.shown('sum(t)')
        note = s.killed()
        check(not named(note, 't'), f'planned by these costs: {note}')


# -- what is kept -----------------------------------------------------------------------------


def many(s, n=310):
    for k in range(n):
        s.run(f'filler = {k};')


def test_comments_are_none():
    with Session() as s:
        s.run('x = 5;', 'begin\n  a = 1 # old; x = 0\n  b = a + x\nend', 'x = 7;')
        many(s)
        note = s.killed()
        check('not as before' not in note, note)
        check((s.shown('b'), s.shown('x')) == ('6', '7'), f'b is {s.shown("b")}')


def test_loops_read_their_range():
    with Session() as s:
        s.run('s = 0;', 'k = 5; for k = 1:k; s = s + k; end', 'k = 3;')
        many(s)
        s.killed()
        check(s.shown('s') == '15', f's is {s.shown("s")}')


def test_settings():
    with Session() as s:
        s.run('x = 1;')
        s.run(':set width 60', ':set digits 3', ':set width 90')
        before = text(s.front.cell(':set'))
        many(s)
        s.killed()
        check(text(s.front.cell(':set')) == before, 'the settings')


# -- random sessions --------------------------------------------------------------------------

CELLS = [
    'x = x + {0};  # y = 0; z = 1', 'begin\n  a = {0} # x = 3\n  b = a + sum(x)\nend',
    'save("f{1}.npy", x);', 'x = load("f{1}.npy");', 'y = load("f{1}.npy") + {0};',
    'x = load("f{1}.npy"); x = x + 1; save("f{1}.npy", x);', 'import "part{1}.inc.fs"',
    'for k = 1:{2}; s = s + k; end', 'k = {2}; for k = 1:k; s = s + k; end',
    'f(t) = t + s + {0}', 'w = f(y);', 'g = t -> t*a + {0};', 'v = map(g, [1, 2, 3]);',
    'if s > {0}; y = x; else; y = 2*x; end',
    'q = {{x, {0}, "t"}};', 'q = {{n = {0}, x = x}}; q.x[1] += a;', 'q = split("a b {0}", " ");',
    'try; q[end+1] = {0}; catch; q = {{{{}}}}; end',
    'try; x = x + {0}; y = x[9{2}]; catch q; u = {0}; end', 'x[{2}] = {0};', 'y = x(1:3) + a;',
    ':set digits {2}', ':set width 6{2}', 's = 0;', 'x = [{0}, 1, 2, 3, 4, 5, 6];',
    'x = randn(7);', 'q = "x = {0}"; u = {0};', 'u = u + a; # :set digits 9',
]


def change_file(rng, folder):
    """What another program does between two inputs."""
    path = os.path.join(folder, f'f{rng.randrange(3)}.npy')
    np.save(path, np.arange(7.0) + rng.randrange(100))


class Pair:
    """The session that is killed, and the one that is not."""

    def __init__(self):
        self.killed, self.other = Session(), Session()
        for s in (self.killed, self.other):
            for k in range(3):
                np.save(s.path(f'f{k}.npy'), np.arange(7.0) + k)
                with open(s.path(f'part{k}.inc.fs'), 'w', encoding='utf-8') as f:
                    f.write(f'y = y + load("f{k}.npy");  # x = 1\na = {k} + s;\n')
            s.run('x = [1, 2, 3, 4, 5, 6, 7]; y = x; s = 0; a = 1; u = 0; f(t) = t; '
                  'g = t -> t;')

    def both(self, cell):
        a, b = self.killed.front.cell(cell), self.other.front.cell(cell)
        return status(a) is not None and status(b) is not None

    def compare(self, note):
        a = values(self.killed.front, self.killed.path('a.npz'))
        b = values(self.other.front, self.other.path('b.npz'))
        if isinstance(a, str) or isinstance(b, str):
            check(False, f'{a} {b}')
            return set()
        differ = {n.removesuffix('.npy') for n in a.keys() | b.keys()
                  if a.get(n) != b.get(n)} - {'there'}
        silent = {n for n in differ if not named(note, n)}
        check(not silent, f'not named: {silent} of {differ}: {note}')
        return differ

    def close(self):
        self.killed.__exit__()
        self.other.__exit__()


def storm(rng, cells):
    """Gives how many kills there were. After one that left differences a new pair begins."""
    pair, kills, apart = Pair(), 0, 0
    for _ in range(cells):
        cell = rng.choice(CELLS).format(rng.randrange(10), rng.randrange(3),
                                        1 + rng.randrange(5))
        check(pair.both(cell), f'an end in `{cell}`')
        if rng.random() < 0.03:
            state = rng.getstate()
            change_file(rng, pair.killed.folder)
            rng.setstate(state)
            change_file(rng, pair.other.folder)
        if rng.random() < 0.003:
            costs = rng.choice([':calibrate quick', ':calibrate forget'])
            check(pair.both(costs), f'an end in `{costs}`')
        if rng.random() < 0.1:
            kills += 1
            note = pair.killed.killed()
            if pair.compare(note):
                apart += 1
                pair.close()
                pair = Pair()
        if score.failed > 5:
            break
    pair.close()
    print(f'{kills} kills, {apart} of them with names that are not as before')
    return kills


def main():
    parser = argparse.ArgumentParser(description='sessions that come back')
    parser.add_argument('--cells', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='')
    args = parser.parse_args()
    began = time.monotonic()
    for name, test in list(globals().items()):
        if name.startswith('test_') and args.only in name:
            test()
    if args.only in ('', 'storm'):
        kills = storm(random.Random(args.seed), args.cells)
        check(kills > args.cells // 20, f'{kills} kills')
    print(f'{time.monotonic() - began:.0f} s')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
