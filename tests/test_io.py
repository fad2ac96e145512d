#!/usr/bin/env python3
"""What happens when a file cannot be read or written: a script that saves, loads and
imports runs with tests/fault/failio.c preloaded, which lets the n-th call on its files
fail, for every n: with EIO, ENOSPC and EACCES, with EINTR, and with a read or write that
takes one byte. Every file must be the old one or the new one, none may be left over, what
happened is said in one sentence, and the session goes on. After reads and writes that were
interrupted or short all is as if nothing had happened.

    tests/test_io.py [--bin build/fusible]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from score import Score

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ('a.npy', 'p.npz', 'm.mtx', 'c.csv', 'plan.svg')
SCRIPT = '''\
A = [1, 2; 3, 4]; x = [5, 6];
save("a.npy", A)
save("p.npz", A, x)
save("m.mtx", A)
save("c.csv", A)
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
REASONS = {'EIO': 'Input/output error', 'ENOSPC': 'No space left on device',
           'EACCES': 'ermission denied', 'EINTR': 'Interrupted system call'}
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
            env = dict(os.environ, LD_PRELOAD=shim, FAILIO_FOLDER=folder + '/',
                       FAILIO_AT=str(at), FAILIO_HOW=how, FAILIO_OUT=out, LC_ALL='C.UTF-8')
            done = subprocess.run([binary, '-t', 'cpu', '--threads', '1', '-k', '-'],
                                  input=SCRIPT, env=env, cwd=folder, capture_output=True,
                                  text=True, errors='replace', timeout=600)
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
            with open(out, encoding='ascii') as f:
                count, self.failed = f.read().split()
            self.count = int(count)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', default=os.environ.get(
        'FUSIBLE', os.path.join(HERE, '..', 'build', 'fusible')))
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    with open(args.bin, 'rb') as f:
        if b'__asan_init' in f.read():
            sys.exit('test_io: not with a sanitizer, which must be loaded first')
    with tempfile.TemporaryDirectory() as folder:
        shim = os.path.join(folder, 'failio.so')
        subprocess.run([os.environ.get('CC', 'cc').split()[-1], '-O1', '-shared', '-fPIC', '-o',
                        shim, os.path.join(HERE, 'fault', 'failio.c'), '-ldl'], check=True)
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
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
