#!/usr/bin/python3
"""The emitted CUDA text of the sequence suite, run without a GPU.

The paper's eleven sequences and its two printed scripts run on the fake GPU of
tests/fake, where a block's threads are fibers: as compute capability 8.0 (plain
loads) and 9.0 (bulk copies, imitated). Results must equal the CPU target's bit for
bit, and NumPy's; the data are small integers, so every sum is exact. A second run,
from the kernel cache, must give the same bits.

    tests/test_fiber.py [--sizes 1,33,300x1000] [--keep FOLDER]

The last line is `N passed, N failed`.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
import test_sequences as sequences  # noqa: E402
from score import Score  # noqa: E402

# The last ones are there for their long rows: rings, chunks, strips.
SIZES = '1,31,32,33,100x17,1000,300x1000,90x4096,9x16384,5x40001'
LONGEST_KEPT = 16384  # columns: longer rows may be read twice, by two kernels
CAPABILITIES = ('80', '90')
score = Score()
check = score.check


def script(data, folder, out):
    """Every sequence on inputs from files, its results in the folder `out`."""
    lines = []
    for name, (inputs, text, results, _) in sequences.SEQUENCES.items():
        lines.append(f'alpha = {sequences.ALPHA}; beta = {sequences.BETA};')
        for item in inputs.split():
            x, kind = item.split(':')
            path = os.path.join(folder, f'{x}_{kind}.npy')
            if not os.path.exists(path):
                np.save(path, data.get(x, kind))
            lines.append(f'{x} = load("{path}");')
        body = text.replace('; ', ';\n  ')
        lines += [text] if text.startswith('import') else \
            ['begin', f'  {body};', 'end']
        for r in results.split():
            path = os.path.join(out, f'{name}_{r}.npy')
            lines.append(f'save("{path}", {r});')
        lines.append(':reset -f')
    return '\n'.join(lines) + '\n'


def run(data, folder, target, out, env):
    """Runs all sequences; gives the plans as the program reports them."""
    os.makedirs(out)
    path = out + '.fs'
    with open(path, 'w', encoding='utf-8') as f:
        f.write(script(data, folder, out))
    r = fakegpu.run(['--no-rc', '--json', '--keep-going', '--threads', '1',
                     '--target', target, path], env, folder, 600)
    events = []
    for line in r.stdout.splitlines():
        try:
            events.append(json.loads(line))
        except ValueError:
            pass
    errors = [e.get('rendered', '') for e in events
              if e.get('event') == 'diagnostic' and
              e.get('severity') == 'error']
    check(r.returncode == 0 and not errors and not r.stderr.strip(),
          f'{out}: status {r.returncode}\n{errors}\n{r.stderr[-800:]}')
    return [e for e in events if e.get('event') == 'plan']


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, 'rb') as f:
        return f.read()


def compare(data, folder, size, plans):
    """All results of a size: CPU, NumPy, and each capability twice."""
    for name, (_, text, results, most) in sequences.SEQUENCES.items():
        want, bounds = data.reference(name)
        check(max(bounds) < 2 ** 24, f'{name} at {size}: data are not exact')
        for r in results.split():
            what = f'{name} at {size}: {r}'
            cpu = os.path.join(folder, 'cpu', f'{name}_{r}.npy')
            if check(os.path.exists(cpu), what + ' of the CPU is not there'):
                check(np.array_equal(np.load(cpu).reshape(-1),
                                     np.asarray(want[r]).reshape(-1)),
                      what + ' of the CPU is wrong')
            for cc in CAPABILITIES:
                got = [read(os.path.join(folder, f'{cc}_{k}',
                                         f'{name}_{r}.npy')) for k in range(2)]
                check(got[0] is not None and got[0] == read(cpu),
                      f'{what}: capability {cc} and CPU differ')
                check(got[0] == got[1],
                      f'{what}: capability {cc}, other bits in a second run')
        if text.startswith('import') or data.n > LONGEST_KEPT or \
                data.m * data.n < sequences.LARGE:
            continue
        for cc in CAPABILITIES:
            k = sequences.kernels_of(plans[cc], text)
            check(k is not None and k <= most,
                  f'{name} at {size}, capability {cc} takes {k} kernels')


def one_size(size, keep):
    m, n = (int(x) for x in (size.split('x') * 2)[:2])
    data = sequences.Data(m, n)
    with tempfile.TemporaryDirectory(prefix='fusible-fiber-') as folder:
        home = os.path.join(folder, 'home')
        cpu = fakegpu.environment(home)
        run(data, folder, 'cpu', os.path.join(folder, 'cpu'), cpu)
        plans = {}
        for cc in CAPABILITIES:
            env = fakegpu.environment(home, FUSIBLE_FAKE_CC=cc,
                                      FUSIBLE_FAKE_KEEP=keep)
            for k in range(2):
                out = os.path.join(folder, f'{cc}_{k}')
                plans[cc] = run(data, folder, 'cuda', out, env)
        compare(data, folder, size, plans)
    print('size', size, 'is done', flush=True)


def report(keep):
    """What was run, by scheme and way; every scheme must have been."""
    kinds = collections.Counter()
    for path in glob.glob(os.path.join(keep, '*.cu')):
        with open(path, encoding='utf-8') as f:
            head = re.search(r'^// scheme (.*)', f.read(2000), re.M)
        if head:
            ways = re.findall(r'^\w+|in \w+|blocks|ring', head[1])
            kinds[os.path.basename(path).split('-')[0] + ' ' +
                  ' '.join(ways)] += 1
    for kind, n in sorted(kinds.items()):
        print(f'{n:5} kernels: {kind}')
    for kind in ('sm_80 flat', 'sm_80 row', 'sm_80 row in chunks', 'sm_80 tile',
                 'sm_80 row in strips', 'sm_90a row ring',
                 'sm_90a row blocks ring'):
        check(kinds[kind], f'no kernel is {kind}')


def main():
    parser = argparse.ArgumentParser(description='sequences on fibers')
    parser.add_argument('--sizes', default=SIZES)
    parser.add_argument('--keep', help='a folder for the kernel texts')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='fusible-fiber-') as home:
        keep = os.path.abspath(args.keep or os.path.join(home, 'texts'))
        os.makedirs(keep, exist_ok=True)
        workers = min(4, len(os.sched_getaffinity(0)))
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for done in [pool.submit(one_size, size, keep)
                         for size in args.sizes.split(',')]:
                done.result()
        report(keep)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
