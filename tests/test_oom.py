#!/usr/bin/env python3
"""What happens when there is no memory, on the host and on the device.

Host: tests/fault/smoke.fs runs with tests/fault/failmalloc.c preloaded, which
lets the n-th allocation fail, for n spread over all that the script makes (and
with 20 failures in a row for fewer n). The program must never end by a signal;
once the session stands, it must say what it lacked, evaluate the statements
that follow, and leave no temporary file behind.

Device: on the CPU target requests beyond the machine's memory give an error and
the session goes on, with the old values of the block that failed.

    tests/test_oom.py [--bin build/fusible] [--count 250] [--seed 1] [--all]
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from score import Score

HERE = os.path.dirname(os.path.abspath(__file__))
SMOKE = os.path.join(HERE, 'fault', 'smoke.fs')
LAST = re.compile('last = +55')
# Other libraries end the process themselves: libgfortran while it is loaded
# with OpenBLAS, OpenBLAS and libgomp when they start.
FOREIGN = re.compile(r'Operating system error: Cannot allocate memory|'
                     r'^libgomp:|^OpenBLAS', re.M)
SAID = re.compile(r'out of (host )?memory|not enough (host )?memory|'
                  r'Cannot allocate memory|more than is free')
score = Score()
check = score.check


class Run:
    def __init__(self, binary, arguments, env=None, text=None, seconds=600):
        with tempfile.TemporaryDirectory() as folder:
            env = dict(os.environ, OPENBLAS_NUM_THREADS='1', LC_ALL='C.UTF-8',
                       **(env or {}))
            try:
                done = subprocess.run(
                    [binary, '--threads', '1'] + arguments, env=env,
                    cwd=folder, input=text, capture_output=True, text=True,
                    errors='replace', timeout=seconds)
                self.code, self.out, self.err = (done.returncode, done.stdout,
                                                 done.stderr)
            except subprocess.TimeoutExpired:
                self.code, self.out, self.err = None, '', 'timed out'
            self.files = set(os.listdir(folder)) - {'out.npz', 'out.csv'}


# -- host -------------------------------------------------------------------

def fault_run(args, shim, at, times, arguments=None):
    count = tempfile.NamedTemporaryFile(suffix='.count')
    run = Run(args.bin, arguments or ['-k', 'run', SMOKE], {
        'LD_PRELOAD': shim, 'FAILMALLOC_AT': str(at),
        'FAILMALLOC_TIMES': str(times), 'FAILMALLOC_OUT': count.name})
    text = open(count.name, encoding='ascii').read().split()
    run.counted, run.missed = map(int, text) if len(text) == 2 else (0, 0)
    return run


def held(run):
    """What :memory says at the end, when all names are gone: the work space of
    kernels, and what was lost."""
    found = re.search(r'used +([0-9.]+) (B|KiB|MiB|GiB)', run.out)
    units = {'B': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
    return float(found.group(1)) * units[found.group(2)] if found else 0


def judge(run, normal, started, at, times):
    """None, or what is wrong with a run in which allocation `at` failed."""
    if FOREIGN.search(run.err):
        return None
    if run.code == 2 and 'cannot read' in run.err and at <= started:
        return None
    if run.code not in (0, 1, 3, 4):
        return f'exit status {run.code}'
    if run.files:
        return f'left behind: {run.files}'
    if at <= started:  # no session yet: one line is enough
        return None
    if run.code == 4 and times == 1:
        return 'ended the process'
    if not SAID.search(run.err) and run.out != normal.out:
        # A plan found without the solver is another plan, with equal values.
        short = [t.out.partition('# k1')[0] for t in (run, normal)]
        if short[0] != short[1]:
            return 'did not say what it lacked'
    if times == 1 and held(run) > held(normal):
        return f'holds {held(run)} bytes, not {held(normal)}'
    if times == 1 and not LAST.search(run.out):
        return 'did not go on'
    return None


def test_host(args, folder):
    shim = os.path.join(folder, 'failmalloc.so')
    subprocess.run([os.environ.get('CC', 'cc'), '-O1', '-shared', '-fPIC',
                    '-o', shim, os.path.join(HERE, 'fault', 'failmalloc.c')],
                   check=True)
    normal = fault_run(args, shim, 0, 1)
    check(normal.counted > 2000 and normal.code == 1 and LAST.search(normal.out), 'without a fault',
          normal.err)
    # The first statement: what is allocated before it belongs to the start.
    started = fault_run(args, shim, 0, 1, ['-e', '']).counted
    total = normal.counted
    rng = random.Random(args.seed)
    width = max(1.0, total / args.count)
    spread = [int(k * width + rng.random() * width) + 1
              for k in range(args.count)]
    if args.all:
        spread = list(range(1, total + 1))
    cases = [(n, 1) for n in spread]
    cases += [(n, 20) for n in spread[::5] if n > started]
    began, injected = time.monotonic(), 0

    def one(case):
        if not args.all and time.monotonic() - began > args.seconds:
            return None
        return fault_run(args, shim, *case)

    with ThreadPoolExecutor(2) as pool:
        for (at, times), run in zip(cases, pool.map(one, cases)):
            if run is None:
                continue
            injected += run.missed > 0
            wrong = judge(run, normal, started, at, times)
            check(not wrong, f'allocation {at} of {total}, {times} in a row: '
                  f'{wrong}', run.err)
    check(injected >= len(cases) // 2, f'only {injected} faults took place')
    return injected


# -- device -----------------------------------------------------------------

def total_memory():
    with open('/proc/meminfo', encoding='ascii') as f:
        return 1024 * int(re.search(r'MemTotal:\s*(\d+)', f.read()).group(1))


def device_script():
    # n x n values of f32 are four times what the machine has, m x m all but what some
    # program has for sure.
    n = int(total_memory() ** 0.5) * 2 + 1000
    m = int((0.9999 * total_memory() / 4) ** 0.5)
    return f'''
x = 3
A = rand(300, 300); p = ones(300); s0 = sum(A*p)
B = rand(1000000, 1000000)
B2 = zeros({n}, {n})
print("first ", x)
v = ones({n})
E = v*v' + 1
print("second ", x)
begin
  x = 11
  y = A*p + 1
  E = v*v'
end
print("third ", x)
y
begin
  x = 12
  q = sum(v)
  O = v*v'; w = sum(O[1:10, :]*2, 1)
end
print("fused ", x, " ", w[2] == 20)
save("e.npy", v*v')
u = rand({n}) * ones({n})'
a = ones({m})
save("f.npy", a*a')
print("last ", x, " ", sum(A*p) == s0)
'''


def test_device(args):
    run = Run(args.bin, ['-t', 'cpu', '-k', 'run', '-'], text=device_script(),
              seconds=600)
    detail = run.out + run.err
    check(run.code == 3 or run.code == 1, f'exit status {run.code}', detail)
    check(re.search(r'1000000x1000000 f32 needs 3\.64 TiB', run.err),
          'the size is named', detail)
    check(len(re.findall(r': error: (\d+)x\1 f32 needs .* of memory', run.err)) >= 5,
          'blocks whose results do not fit', detail)
    check(re.search(r'^error: not enough memory on |: error: .* f32 needs .*\n.*"f.npy"',
                    run.err, re.M), 'a result that does not fit beside others', detail)
    for line in ('first 3', 'second 3', 'third 3', 'fused 12 true',
                 'last 12 true'):
        check(line in re.sub(' +', ' ', run.out),
              f'"{line}": old values stay', detail)
    check("there is nothing called 'y'" in run.err,
          'a block that failed leaves no result', detail)
    check(not run.files, f'left behind: {run.files}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', default=os.environ.get(
        'FUSIBLE', os.path.join(HERE, '..', 'build', 'fusible')))
    parser.add_argument('--count', type=int, default=220)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=45)
    parser.add_argument('--all', action='store_true',
                        help='every allocation; minutes')
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    began, injected = time.monotonic(), 0
    with open(args.bin, 'rb') as f:
        sanitized = b'__asan_init' in f.read()
    if sanitized:
        print('host: not with a sanitizer, which has its own malloc')
    else:
        with tempfile.TemporaryDirectory() as folder:
            injected = test_host(args, folder)
    test_device(args)
    print(json.dumps({'test': 'oom', 'seed': args.seed, 'faults': injected,
                      'count': score.passed + score.failed,
                      'failures': score.failed,
                      'seconds': round(time.monotonic() - began, 1)}))
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
