#!/usr/bin/env python3
"""What happens when a file cannot be read or written: a script that saves, loads and
imports runs with tests/fault/failio.c preloaded, which lets the n-th call on its files
fail, for every n: with EIO, ENOSPC and EACCES, with EINTR, and with a read or write that
takes one byte. Every file must be the old one or the new one, none may be left over, what
happened is said in one sentence, and the session goes on. After reads and writes that were
interrupted or short all is as if nothing had happened.

The same of what the program keeps for itself: its history, compiled kernels, plans. (What a
notebook's kernel keeps: tests/jupyter/test_faults.py. The journal is in memory.)

    tests/test_io.py [--bin build/fusible]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import failio
from failio import REASONS
from score import Score

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, 'pty'), os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
from terminal import Terminal  # noqa: E402

NAMES = ('a.npy', 'p.npz', 'm.mtx', 'c.csv', 'plot.svg')
SCRIPT = '''\
A = [1, 2; 3, 4]; x = [5, 6];
save("a.npy", A)
save("p.npz", A, x)
save("m.mtx", A)
save("c.csv", A)
plot(x, "plot.svg")
a = load("a.npy"); sum(a)
b = load("p.npz", "x"); sum(b)
c = load("m.mtx"); sum(c)
d = load("c.csv"); sum(d)
import "lib.fs"
:elem f.elem
y = A*x;
print("last = ", sum(1:10))
'''
LIBRARY = 'twice(t) = 2*t;\n'
ELEM = '''\
function halved
doc      y = halved(x): half of x
args     x:each
result   each
flops    1
compute thread any {
  return 0.5f * x;
}
'''
score = Score()
check = score.check


class Run:
    """One run of the script in a folder of its own, with old files of other contents."""
    def __init__(self, binary, shim, at, how):
        with tempfile.TemporaryDirectory() as top:
            folder = os.path.join(top, 'work')
            os.mkdir(folder)
            for name in NAMES:
                self.put(folder, name, 'old')
            self.put(folder, 'lib.fs', LIBRARY)
            self.put(folder, 'f.elem', ELEM)
            out = os.path.join(top, 'count')
            env = dict(os.environ, **failio.environment(shim, folder, at, how, out))
            done = subprocess.run([binary, '-t', 'cpu', '--threads', '1', '-k', '-'],
                                  input=SCRIPT, env=env, cwd=folder, capture_output=True,
                                  text=True, errors='replace', timeout=600)
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
            self.count, self.failed = failio.outcome(out)
            self.files = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), 'rb') as f:
                    self.files[name] = f.read()

    @staticmethod
    def put(folder, name, text):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
            f.write(text)


def judge(run, normal, how):
    """None, or what is wrong with a run in which one call failed."""
    if not re.search('last = +55', run.out):
        return f'did not go on (status {run.code})'
    if set(run.files) != set(normal.files):
        return f'left behind or lost: {set(run.files) ^ set(normal.files)}'
    for name, data in run.files.items():
        if data != normal.files[name] and data != b'old':
            return f'{name} is neither the old nor the new file'
    if how == 'SHORT' or (how == 'EINTR' and run.failed in ('read', 'write')):
        same = (run.files, run.out, run.code) == (normal.files, normal.out, normal.code)
        return None if same else 'is not as without the fault'
    if run.out == normal.out and run.files == normal.files:  # the fault had no effect:
        quiet = run.failed in ('fsync-folder', 'open-folder')  # not every system can
        return None if quiet or run.err else f'{run.failed} says nothing'
    first = (re.findall(r'^(?:\S+: )?error: (.*)$', run.err, re.M) or [''])[0]
    if REASONS[how] not in first:
        return f'its first error is {first!r}'
    if run.code not in (1, 3):
        return f'exit status {run.code}'
    return None


# -- files that the program keeps for itself ------------------------------------------------

OLD = '#1700000000\nold = 1\n'


def at_prompt(binary, folder, env):
    """What is shown, and the entries of the history."""
    state = os.path.join(folder, 'fusible')
    os.makedirs(state, exist_ok=True)
    Run.put(state, 'history', OLD)
    env.update(XDG_STATE_HOME=folder, TERM='xterm', FUSIBLE_FAKE='')
    t = Terminal([binary, '--no-rc', '--one-process', '-t', 'cpu', '--threads', '1'],
                 {k: v for k, v in env.items() if k != 'FUSIBLE_HISTORY'})
    for line in ('x = 1;', 'print("last = ", sum(1:10))'):
        t.prompt()
        t.send(line + '\n')
    t.prompt()
    t.send(':quit\n')
    t.wait()
    t.close()
    with open(os.path.join(state, 'history'), encoding='utf-8') as f:
        kept = f.read()
    return t.raw.decode('utf-8', 'replace').replace('\r', ''), re.sub('^#[0-9]+\n', '', kept, flags=re.M).split('\n')


def with_kernels(binary, folder, env):
    """What is shown, and the names of the compiled kernels."""
    os.makedirs(folder, exist_ok=True)
    env = fakegpu.environment(os.path.dirname(folder), **{
        k: v for k, v in env.items() if k not in ('XDG_CACHE_HOME', 'HOME')})
    env.update(XDG_CACHE_HOME=folder)
    script = 'y = 2*[1, 2, 3] + 1; print(sum(y))\nprint("last = ", sum(1:10))\n'
    done = subprocess.run([binary, '--no-rc', '-t', 'cuda', '-k', '-'], input=script, env=env,
                          capture_output=True, text=True, errors='replace', timeout=600)
    at = os.path.join(folder, 'fusible', 'kernels')
    return done.stdout + done.stderr, sorted(os.listdir(at)) if os.path.isdir(at) else []


def when_tuned(binary, folder, env):
    """What is shown, and the names of the files of data."""
    script = 'A = [1, 2; 3, 4]; y = A*[1; 2];\n:tune\nprint("last = ", sum(1:10))\n'
    env.update(XDG_DATA_HOME=folder)
    done = subprocess.run([binary, '--no-rc', '-t', 'cpu', '--threads', '1', '-k', '-'],
                          input=script, env=env, capture_output=True, text=True,
                          errors='replace', timeout=600)
    at = os.path.join(folder, 'fusible')
    return done.stdout + done.stderr, os.listdir(at) if os.path.isdir(at) else []


def run_kept(scene, binary, shim, at, how):
    with tempfile.TemporaryDirectory() as top:
        out, folder = os.path.join(top, 'count'), os.path.join(top, 'kept')
        os.mkdir(folder, 0o700)
        env = dict(os.environ, **failio.environment(shim, folder, at, how, out))
        shown, kept = scene(binary, folder, env)
        return shown, kept, *failio.outcome(out)


def try_kept(binary, shim):
    """What is not kept is said once, and is all that is missing."""
    for scene in (at_prompt, with_kernels, when_tuned):
        name = scene.__name__
        shown, good, count, _ = run_kept(scene, binary, shim, 0, 'EIO')
        check(re.search('last = +55', shown) and good and count >= 5, name, shown)
        for how in ('EIO', 'ENOSPC', 'EINTR', 'SHORT'):
            for n in range(1, count + 1):
                shown, kept, _, failed = run_kept(scene, binary, shim, n, how)
                what = f'{name}: {how} in call {n} of {count} ({failed})'
                said = [l for l in shown.splitlines() if how in REASONS and REASONS[how] in l]
                check(re.search('last = +55', shown), f'{what}: it goes on', shown)
                check(len(said) == (kept != good) or (len(said) == 1 and kept == good),
                      f'{what}: {len(said)} sentences', f'{shown}\n{kept}\n{good}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', default=os.environ.get(
        'FUSIBLE', os.path.join(HERE, '..', 'build', 'fusible')))
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    with tempfile.TemporaryDirectory() as folder:
        shim = failio.build(args.bin, folder)
        normal = Run(args.bin, shim, 0, 'EIO')
        check(normal.code == 0 and not normal.err and normal.count >= 40 and
              normal.files['a.npy'] != b'old', 'without a fault', normal.out + normal.err)
        cases = [(n, how) for how in (*REASONS, 'SHORT')
                 for n in range(1, normal.count + 1)]
        with ThreadPoolExecutor(2) as pool:
            runs = pool.map(lambda c: Run(args.bin, shim, *c), cases)
            for (n, how), run in zip(cases, runs):
                check(run.failed != '-', f'{how} {n}: no call failed')
                wrong = judge(run, normal, how)
                check(not wrong, f'{how} in call {n} of {normal.count} ({run.failed}): '
                      f'{wrong}', run.err)
        try_kept(args.bin, shim)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
