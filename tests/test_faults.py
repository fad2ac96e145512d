#!/usr/bin/python3
"""Faults of the process that holds the session: whatever happens to it, no session
is lost, the variables come back bit for bit, and the next input works.

A prompt runs cells while its worker is killed, stopped, or faults, at random
times; beside it a session in one process runs the same cells, without those
during which the worker ended. Then the fake GPU stops with faults and kernels
that never end, the rebuilding itself is disturbed, and fronts are killed.

    tests/test_faults.py [--cells 200] [--seed 1]
"""
import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'fake'))
import fakegpu  # noqa: E402
from front import (Front, children_of, is_alive, notes, state_of, status,  # noqa: E402
                   text, values, wait_for)
from score import Score, await_work  # noqa: E402

score = Score()
check = score.check
SETUP = ('A = rand(60, 60); x = rand(60); n = 0; f(t) = t*2 + n; '
         'z = x; w = x; B = A; v = x;')
CELLS = [
    'A = rand(60, 60);', 'x = rand(60);', 'z = A*x;', 'z = z/sum(abs(z)) + x;',
    's = sum(x .* z)', 'n = n + 1', 'x[3] = n;', 'w = f(x);', 'A[2, :] = 0;',
    "B = A*A' + 60*eye(60);", 'v = B \\ x;', 'rand(3)', 'print(n, sum(x))',
    'for k = 1:20; x = x + k*0.001; end', 'f(t) = t*3 - n', ':vars', ':plan',
    'n = n + 1; there_is_no_such_name', 'y = randn(8, 8); y2 = y*y;',
    'if n > 3; n = 0; end', 'u = A[1:10, 5]; u = u .* u;',
    'save("kept-{0}.npy", x); g = load("kept-{0}.npy");', ':set digits 7',
    'for k = 1:2000; n = n + 1; end', 't = map(c -> c^2 + n, x);',
    ':set seed {0}', 'randn(5);', 'h(a, b) = a .* b + n; q = h(x, z);',
]
LONG = ['for k = 1:1e9; x = x + k; end', 'while true; n = n + 1; end',
        'for k = 1:1e9; C = rand(200, 200); x = C[1:60, 1]; end']


def environment(folder):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(('FUSIBLE', 'XDG_'))}
    env.update(HOME=folder, LC_ALL='C.UTF-8')
    return env


def differences(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return [a if isinstance(a, str) else '', b if isinstance(b, str) else '']
    return sorted(k for k in a.keys() | b.keys() if a.get(k) != b.get(k))


# -- random faults at random times ---------------------------------------------------

class Storm:
    def __init__(self, folder, seed):
        self.random = random.Random(seed)
        self.folder = folder
        self.front = Front(folder, environment(folder))
        self.other = Front(folder, environment(folder),
                           args=['--one-process'])
        self.deaths = self.again = 0

    def both(self, cell):
        """Runs a cell that nothing disturbs; what is shown must be the same."""
        a, b = self.front.cell(cell), self.other.cell(cell)
        ok = status(a) == status(b) and status(a) is not None
        if ok and not cell.startswith((':vars', ':plan')):
            ok = text(a) == text(b)
        check(ok, f'`{cell}`: {a} and without faults {b}')

    def hurt(self, how):
        worker = self.front.worker()
        if worker:
            os.kill(worker, how)
        if how == signal.SIGSTOP:
            self.front.interrupt()

    def disturbed(self, cell, how, wait):
        self.front.send(cell)
        if cell in LONG:  # one that was not begun would run again, without an end
            await_work(self.front.worker)
        time.sleep(wait)
        self.hurt(how)
        done = self.front.until_done()
        if notes(done, 'worker-died') and status(done) == 'environment':
            self.deaths += 1
        elif status(done) in ('ok', 'error'):  # it was over, or ran again
            self.other.cell(cell)
            self.again += 1
        elif status(done) == 'interrupted':
            check(how == signal.SIGSTOP, f'interrupted: {done}')
        check(done is not None, f'a session is lost by {how} in `{cell}`')

    def fault(self, k):
        how = self.random.choice([signal.SIGKILL] * 3 + [
            signal.SIGSEGV, signal.SIGABRT])
        kind = self.random.random()
        if k % 50 == 49:
            self.disturbed(self.random.choice(LONG), signal.SIGSTOP, 0.05)
        elif kind < 0.4:
            self.disturbed(self.random.choice(LONG), how,
                           self.random.random() * 0.05)
        elif kind < 0.7:
            cell = self.random.choice(CELLS).format(k)
            self.disturbed(cell, how, self.random.random() * 0.004)
        else:  # between two inputs
            self.hurt(how)
            self.deaths += 1
            self.both('n = n + 0')

    def run(self, cells):
        self.both(SETUP)
        files, missing = self.front.files(), 0
        for k in range(cells):
            if self.random.random() < 0.3:
                self.fault(k)
                a = values(self.front, os.path.join(self.folder, 'a.npz'))
                b = values(self.other, os.path.join(self.folder, 'b.npz'))
                missing += not check(not differences(a, b), 'after a fault '
                                     f'differ {differences(a, b)}')
            else:
                self.both(self.random.choice(CELLS).format(k))
            if score.failed > 5:
                break
        check(self.deaths > cells // 10, f'{self.deaths} deaths')
        check(self.front.files() == files,
              f'{self.front.files()} files open, {files} at first')
        kids = children_of(self.front.process.pid)
        check(len(kids) == 1 and state_of(kids[0]) != 'Z', f'children {kids}')
        check(self.front.close() == 0 and self.other.close() == 0, 'the ends')
        check(not is_alive(kids[0]), 'the worker is left')
        check(not self.front.noise, f'noise: {self.front.noise}')
        print(f'storm: {cells} cells, {self.deaths} deaths while cells ran or '
              f'between them, {self.again} after the cell was over, '
              f'{missing} sessions not as before')


# -- what cannot be as before, and rebuilding that goes wrong ------------------------

def front_with(folder, *cells, **more):
    f = Front(folder, environment(folder), **more)
    for cell in cells:
        f.cell(cell)
    return f


def test_files(folder):
    f = front_with(folder, 'a = rand(3); save("one.npy", a); save("two.npy", a);',
                   'b = load("one.npy");', 'c = load("two.npy"); d = c + 1;',
                   'save("three.npy", b);', 'e = 5;')
    with open(os.path.join(folder, 'one.npy'), 'ab') as out:
        out.write(b' ')
    os.unlink(os.path.join(folder, 'two.npy'))
    os.unlink(os.path.join(folder, 'three.npy'))
    os.kill(f.worker(), signal.SIGKILL)
    said = ' '.join(notes(f.cell('print(e)'), 'rebuilt'))
    check('one.npy has changed' in said and 'two.npy is gone' in said and
          'b (' in said and 'c' in said, f'files: {said}')
    check(not os.path.exists(os.path.join(folder, 'three.npy')),
          'a file was saved again')
    check(text(f.cell('print(e)')) == '5\n', 'after other files')
    f.close()


def test_interrupted(folder):
    f = front_with(folder, 'keep = 7; k = 0;')
    f.send('while true; k = k + 1; end')
    check(await_work(f.worker), 'the loop runs')
    f.interrupt()
    check(status(f.until_done()) == 'interrupted', 'interrupted')
    before = text(f.cell('print(k)'))
    os.kill(f.worker(), signal.SIGKILL)
    done = f.cell('print(k)')
    said = ' '.join(notes(done, 'rebuilt'))
    check(text(done) == before or 'was interrupted' in said,
          f'{before!r}, then {text(done)!r}: {said}')
    check(text(f.cell('print(keep)')) == '7\n', 'after an interrupt')
    f.close()


def test_settings(folder):
    f = front_with(folder, 'a = 1;', ':set rebuild off')
    os.kill(f.worker(), signal.SIGKILL)
    done = f.cell('print(a)')
    check(status(done) == 'error' and 'rebuild off' in
          ' '.join(notes(done, 'rebuilt')), f'rebuild off: {done}')
    f.cell('a = 3;')
    os.kill(f.worker(), signal.SIGKILL)
    check(status(f.cell('print(a)')) == 'error', 'rebuild off: the setting stays')
    check(text(f.cell('b = 2; print(b)')) == '2\n', 'without variables')
    f.close()
    f = front_with(folder, *['a = 1; t = time();'] * 20, ':reset -f', 'b = 2;',
                   't = time();')
    told = text(f.cell('print(t)'))
    os.kill(f.worker(), signal.SIGKILL)
    done = f.cell('print(b)')
    said = ' '.join(notes(done, 'rebuilt'))
    check(text(done) == '2\n' and int(said.split()[0]) < 10,
          f'after :reset: {said}')
    check(text(f.cell('print(t)')) == told, 'time() tells something else')
    check(text(f.cell(':history 2')).count('print') == 2, 'the history')
    f.close()


def test_kernel_pins(folder):
    """What `:pin` chose holds in the next worker, and what `:unpin` gave up does not."""
    block = "q = A*p; s = A'*r;"
    f = front_with(folder, 'A = rand(60, 90); p = rand(90); r = rand(60);', block,
                   ':pin 1 rows=90', block)
    pins = text(f.cell(':pin'))
    check('rows 90' in pins, f'pinned: {pins}')
    os.kill(f.worker(), signal.SIGKILL)
    check(text(f.cell(':pin')) == pins, ':pin of the next worker')
    f.cell(block)
    plan = text(f.cell(':plan json'))
    check('rows 90' in plan, f'the plan of the next worker: {plan}')
    f.cell(':unpin')
    os.kill(f.worker(), signal.SIGKILL)
    pins = text(f.cell(':pin'))
    check('no kernel is pinned' in pins, f'unpinned: {pins}')
    f.close()


def test_interrupted_rebuild(folder):
    f = front_with(folder, 'a = 1;', 'for k = 1:400000; a = a + 1; end',
                   'b = 3;')
    os.kill(f.worker(), signal.SIGKILL)
    f.send('print(1)')
    time.sleep(0.05)
    f.interrupt()
    done = f.until_done()
    check(done is not None and 'worker-died' in
          str([e.get('id') for e in done]), f'{done}')
    left = text(f.cell('print(a)')).strip()
    said = ' '.join(notes(done, 'rebuilt'))
    check(left in ('', '1', '400001') or 'was interrupted' in said,
          f'what was left: {left!r} {said}')
    check(text(f.cell('b = 4; print(b)')) == '4\n', 'after it')
    f.close()


# -- the fake GPU ----------------------------------------------------------------------

def fake_environment(folder, **more):
    return fakegpu.environment(folder, FUSIBLE_FAKE_FAULT=os.path.join(
        folder, 'fault'), **more)


def arm(folder, word):
    with open(os.path.join(folder, 'fault.new'), 'w', encoding='utf-8') as out:
        out.write(word)
    os.rename(os.path.join(folder, 'fault.new'), os.path.join(folder, 'fault'))


GPU_CELLS = ['a = rand(200);', 'b = a*2 + 1;', 's = sum(b)', 'c = b .* a - s;',
             'd = a + 1; e = sum(d)']


def gpu_fault(f, folder, word):
    before = values(f, os.path.join(folder, 'a.npz'))
    arm(folder, word)
    f.send('d = a + 1; e = sum(d)')
    if word == 'hang':
        wait_for(lambda: not os.path.exists(os.path.join(folder, 'fault')))  # it was taken
        f.interrupt()
    done = f.until_done()
    check(status(done) == 'environment' and notes(done, 'worker-died'),
          f'fault {word}: {done}')
    after = values(f, os.path.join(folder, 'b.npz'))
    check(not differences(before, after),
          f'after {word} differ {differences(before, after)}')
    check(status(f.cell('d = a + 1;')) == 'ok', f'the next input after {word}')


def test_gpu(folder):
    f = Front(folder, fake_environment(folder), target='cuda')
    for cell in GPU_CELLS:
        check(status(f.cell(cell)) == 'ok', f'on the fake GPU: {cell}')
    for word in ('700', 'abort', 'hang', '719', 'hang', '700'):
        gpu_fault(f, folder, word)
    # A `while` of a loop over elements that never ends is such a kernel.
    before = values(f, os.path.join(folder, 'a.npz'))
    f.send('w = zeros(5); for i = 1:5; q = a[i] + 1; while q > 0; q = q + 0; end; w[i] = q; end')
    await_work(f.worker, 1)  # of which planning is little, and compiling another process's
    f.interrupt()
    done = f.until_done()
    check(status(done) == 'environment' and notes(done, 'worker-died'), f'endless while: {done}')
    check(not differences(before, values(f, os.path.join(folder, 'b.npz'))), 'after it')
    check(f.close() == 0, 'the end on the fake GPU')


def test_deadly_input(folder):
    """An input that ends the process in the replay is left out; when all do, the
    rebuilding ends too."""
    f = Front(folder, fake_environment(folder), target='cuda')
    for cell in GPU_CELLS:
        f.cell(cell)
    arm(folder, 'abort')
    os.kill(f.worker(), signal.SIGKILL)
    done = f.cell('n = 1')
    said = ' '.join(notes(done, 'rebuilt'))
    check(status(done) == 'ok' and 'a (<repl:1> does not end' in said,
          f'a deadly input: {done}')
    stop = threading.Event()

    def keep_armed():
        while not stop.wait(0.002):
            arm(folder, 'abort')
    f.cell('a = rand(30);')
    f.cell('b = a + 1;')
    f.cell('c = b + 1;')
    thread = threading.Thread(target=keep_armed)
    thread.start()
    os.kill(f.worker(), signal.SIGKILL)
    done = f.cell('n = n + 1')
    stop.set()
    thread.join()
    check(done is not None, 'deaths without an end')
    if os.path.exists(os.path.join(folder, 'fault')):
        os.unlink(os.path.join(folder, 'fault'))
    check(status(f.cell('a = rand(3);')) == 'ok', 'after so many deaths')
    check(f.close() == 0, 'the end after deaths')


def test_prints(folder):
    """A megabyte of a library, in its place and without a standstill."""
    f = Front(folder, fake_environment(folder, FUSIBLE_FAKE_PRINT='300000'),
              target='cuda')
    done = f.cell('a = rand(64)')
    check(status(done) == 'ok', f'{str(done)[:200]}')
    done = f.cell('b = a + 1')
    kinds = [e['event'] for e in done]
    shown = text(done)
    check(shown.count('o') + shown.count('\n') >= 300000 and
          shown.count('e') >= 290000, f'{len(shown)} characters')
    check(kinds.index('value') > kinds.index('text') and
          'text' not in kinds[kinds.index('value'):], f'the order: {kinds[-9:]}')
    f.close()


# -- the front is killed ---------------------------------------------------------------

def test_killed_fronts(folder):
    def ready(f):
        f.cell('x = rand(3);')

    def running(f):
        ready(f)
        f.send('while true; end')
        time.sleep(0.1)

    def stopped(f):
        running(f)
        os.kill(f.worker(), signal.SIGSTOP)

    def rebuilding(f):
        ready(f)
        f.cell('for k = 1:300000; x = x; end')
        os.kill(f.worker(), signal.SIGKILL)
        f.send('1')
        time.sleep(0.05)

    def starting(f):
        time.sleep(0.003)
    for prepare in (ready, running, stopped, rebuilding, starting, starting):
        for how in (signal.SIGKILL, signal.SIGTERM):
            f = Front(folder, environment(folder))
            prepare(f)
            workers = children_of(f.process.pid)
            f.process.send_signal(how)
            f.process.wait()
            end = time.monotonic() + 600
            while any(map(is_alive, workers)) and time.monotonic() < end:
                time.sleep(0.01)
            check(not any(map(is_alive, workers)),
                  f'{prepare.__name__}: a worker outlives its front')
            for worker in filter(is_alive, workers):
                os.kill(worker, signal.SIGKILL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--cells', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('pattern', nargs='?', default='')
    args = parser.parse_args()
    for name, test in list(globals().items()):
        if name.startswith('test_') and args.pattern in name:
            began = time.monotonic()
            with tempfile.TemporaryDirectory(prefix='fusible-faults-') as folder:
                test(folder)
            print(f'{name} {time.monotonic() - began:.1f} s')
    if args.pattern in 'storm':
        with tempfile.TemporaryDirectory(prefix='fusible-faults-') as folder:
            Storm(folder, args.seed).run(args.cells)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
