#!/usr/bin/python3
"""The same bits every time: blocks run 20 times, with empty and with full caches,
as single kernels and as replayed graphs.

    tests/gpu/identity.py [--target cuda] [--runs 20] [--random 60] [--jobs 8]
                          [--matrices 67x45,...] [--vectors 1001,...]
                          [--large 6007x5501] [--panels 4001x264]
                          [--dtypes f32,f64,bf16] [--fusible PATH]

The blocks are those of bench/cases.py (the eleven sequences, softmax, stencils,
Black-Scholes, iterations of solvers) in every dtype, and random programs of
tests/test_random.py. Their data are fractions that round in every sum, so that
another order of summing gives other bits. Every result of every run is saved and
compared as bytes: within a process, where the first runs are single kernels and the
later ones a graph; with another process that finds compiled kernels on disk;
with a third that never replays; and with a fourth whose caches are empty and whose
first runs are quickly compiled code (`:set compile quick`). NaNs count as one value: of
two that meet, a compiler may let either survive. At last a difference is planted in one
run of one block, which must be found. The last line is `N passed, N failed`.
"""
import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(TESTS)
sys.path[:0] = [TESTS, os.path.join(ROOT, 'bench')]
from cases import CASES, count_of, read_text, size_of, size_text  # noqa: E402
from score import Score  # noqa: E402
from test_random import Program, script as random_script  # noqa: E402

MOST = 1 << 18      # elements of a result that is saved whole
STEP = 97           # of larger matrices every 97th row, and the sums of all rows
LARGE = ('SGEMVT', 'GEMVER', 'ATAX', 'BiCGK')  # cases that run at --large
PER_PROCESS = 10    # random programs


def fraction(spec, dtype, size):
    """An input like that of the benchmark whose elements no sum adds exactly."""
    if not isinstance(spec, tuple):
        return f'sum({dtype}([{spec}/7]))'
    shift = '+ 1/1009' if spec[0][0] == '+' else '- 0.5'
    if spec[0] == 'matrix':
        m, n, _ = size
        _, a, b, c = spec
        value = f"mod({11 * a}*(1:{m}) + {13 * b}*(1:{n})' + {c}, 1009)/1009 {shift}"
    else:
        value = (f'mod({17 * spec[1]}*(1:{count_of(spec, size)}) + {spec[2]}, 1009)'
                 f'/1009 {shift}')
    return f'{dtype}({value})'


def saves(case, name, size, path):
    m, n, _ = size
    if name in case.numbers:
        return [f'save("{path}.npy", {name} .* ones(1));']
    if name.isupper() and m * n > MOST:
        return [f'save("{path}.npy", {name}[1:{STEP}:end, :]);',
                f'save("{path}_sums.npy", sum({name}, 2));']
    return [f'save("{path}.npy", {name});']


class Sequence:
    """One case at one dtype and size, as statements that run and save it."""

    def __init__(self, case, dtype, size):
        self.case, self.dtype, self.size = case, dtype, size
        self.name = f'{case.name} {dtype} {size_text(size)}'

    def text(self, folder, index, runs, planted):
        case = self.case
        lines = [f'{name} = {fraction(spec, self.dtype, self.size)};'
                 for name, spec in case.inputs.items()]
        # Shown, so computed: else the first run would be another, larger block.
        lines.append(read_text(case).rstrip(';'))
        block = f'begin {case.block} end'
        if 'return' in case.block:  # in a script it would end the script
            inputs = ', '.join(case.inputs)
            lines.append(f'function block({inputs}) {case.block} end')
            block = f'{", ".join(case.outputs)} = block({inputs});'
        for k in range(runs):
            if k == planted:
                lines += self.plant()
            lines.append(block)
            for name in case.outputs:
                path = os.path.join(folder, f'{index}.{name}.{k}')
                lines += saves(case, name, self.size, path)
        return '\n'.join(lines + [':reset -f']) + '\n'

    def plant(self):
        """Statements that change one element a little."""
        name, spec = next(iter(self.case.inputs.items()))
        at = '2, 3' if spec[0] == 'matrix' else '2'
        return [f'{name}[{at}] = {name}[{at}] + 0.001;']


class Random:
    """A random program, likewise."""

    def __init__(self, seed):
        self.program = Program(seed).build()
        self.name = f'random program {seed}'

    def text(self, folder, index, runs, _):
        once = random_script(index, self.program, folder).replace(':reset -f\n', '')
        lines = []
        for k in range(runs):
            lines.append(once.replace('_out.npy"', f'.{k}.npy"')
                         .replace(f'{folder}/p{index}_v', f'{folder}/{index}.v'))
        return '\n'.join(lines + [':reset -f']) + '\n'


def digest_of(path):
    """Of all bits, with one NaN in place of all."""
    a = np.load(path)
    if a.dtype.kind == 'f':
        a = np.where(np.isnan(a), a.dtype.type(np.nan), a)
    return hashlib.sha1(f'{a.dtype} {a.shape}'.encode() + a.tobytes()).hexdigest()


def digests(folder):
    """What was saved: digests by (index of the block, result), of all its runs."""
    found = {}
    for file in sorted(os.listdir(folder)):
        parts = file.split('.')
        if len(parts) != 4:  # INDEX.RESULT.RUN.npy; RUN_sums is of the same run
            continue
        digest = digest_of(os.path.join(folder, file))
        run, _, part = parts[2].partition('_')
        key = int(parts[0]), f'{parts[1]} {part}'.strip()
        found.setdefault(key, {})[int(run)] = digest
    return found


class Process:
    """Blocks that one process of Fusible runs."""

    def __init__(self, blocks, options, env=None):
        self.blocks, self.options, self.env = blocks, options, env or {}
        self.cache = tempfile.mkdtemp(dir=options.folder)
        self.first = None

    def run(self, planted=None, setting='', **env):
        """Gives (digests, what went wrong or None)."""
        o = self.options
        env = {**os.environ, 'XDG_CACHE_HOME': self.cache, **self.env, **env}
        with tempfile.TemporaryDirectory(dir=o.folder) as folder:
            path = os.path.join(folder, 'identity.fs')
            with open(path, 'w', encoding='utf-8') as f:
                f.write(setting + ''.join(b.text(folder, k, o.runs, planted)
                                for k, b in enumerate(self.blocks)))
            r = subprocess.run([o.fusible, '--no-rc', '--plan', 'off', '--target',
                                o.target, path], env=env, capture_output=True,
                               text=True, errors='replace', check=False)
            wrong = None if r.returncode == 0 else f'exit {r.returncode}: {r.stderr}'
            return digests(folder), wrong


def differences(one, other, runs):
    """Results with more than one digest in two processes, or with runs missing."""
    found = set()
    for key in one.keys() | other.keys():
        a, b = one.get(key, {}), other.get(key, {})
        if len(a) != runs or len(b) != runs or \
                len(set(a.values()) | set(b.values())) != 1:
            found.add(key)
    return found


def check(score, process, o):
    """Runs a process's blocks in all the ways and compares; three runs of 20."""
    cold, wrong = process.run()
    score.check(not wrong, f'{process.blocks[0].name} ...: {wrong}')
    if not score.check(len({k for k, _ in cold}) == len(process.blocks),
                       f'{process.blocks[0].name} ...: results are missing'):
        return
    quick = {'setting': ':set compile quick\n',
             'XDG_CACHE_HOME': tempfile.mkdtemp(dir=o.folder)}
    for how, env in (('cold and warm cache', {}),
                     ('replay on and off', {'FUSIBLE_REPLAY': 'off'}),
                     ('quick and full code', quick)):
        other, wrong = process.run(**env)
        score.check(not wrong, f'{process.blocks[0].name} ..., {how}: {wrong}')
        bad = differences(cold, other, o.runs)
        for index, name in sorted(bad):
            seen = len(set(cold.get((index, name), {}).values()))
            score.check(False, f'{process.blocks[index].name}, {how}: {name} differs '
                        f'({seen} results in {o.runs} runs of the first process)')
        score.passed += len(cold) - len(bad)


def check_planted(score, o):
    """A changed bit in run 3 must be seen, in all results that depend on it."""
    case = next(c for c in CASES if c.name == 'GEMVER')
    process = Process([Sequence(case, 'f32', (67, 45, 0))], o)
    clean, _ = process.run()
    planted, _ = process.run(planted=o.runs - 2)
    score.check(not differences(clean, clean, o.runs), 'GEMVER differs from itself')
    found = {name for _, name in differences(clean, planted, o.runs)}
    score.check(found == {'B', 'x', 'w'},
                f'a difference was planted in B, x and w of GEMVER; seen in {found}')


def sequences(o):
    """Processes by dtype and size, and one for matrices that no cache holds."""
    matrices, vectors = o.matrices.split(','), o.vectors.split(',')
    out = []
    for dtype in o.dtypes.split(','):
        for text in matrices + vectors:
            blocks = []
            for case in CASES:
                size = size_of(case, text) if case.long == (text in vectors) else None
                if size:
                    blocks.append(Sequence(case, dtype, size))
            out.append(Process(blocks, o))
    by_name = {c.name: c for c in CASES}
    for text in [t for t in o.large.split(',') if t]:
        for name in LARGE:
            case = by_name[name]
            out.insert(0, Process([Sequence(case, 'f32', size_of(case, text))], o))
    # Panels at a size of which results can be saved many times.
    for dtype in o.dtypes.split(','):
        blocks = [Sequence(by_name[name], dtype, size_of(by_name[name], o.panels))
                  for name in ('SGEMVT', 'GEMVER') if o.panels]
        if blocks:
            out.append(Process(blocks, o, {'FUSIBLE_L2': '65536'}))
    return out


def options():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    p.add_argument('--target', default='cuda')
    p.add_argument('--fusible', default=os.environ.get(
        'FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
    p.add_argument('--runs', type=int, default=20)
    p.add_argument('--random', type=int, default=60)
    p.add_argument('--jobs', type=int, default=8)
    p.add_argument('--dtypes', default='f32,f64,bf16')
    p.add_argument('--matrices', default='67x45,333x4099,1021x777,511')
    p.add_argument('--vectors', default='1001,300007')
    p.add_argument('--panels', default='4001x264')
    p.add_argument('--large', default='6007x5501')
    return p.parse_args()


def main():
    o = options()
    score = Score()
    with tempfile.TemporaryDirectory(prefix='fusible-identity-') as o.folder:
        seeds = random.Random(7).sample(range(10 ** 6), o.random)
        programs = [Random(seed) for seed in seeds]
        processes = sequences(o) + [
            Process(programs[k:k + PER_PROCESS], o)
            for k in range(0, len(programs), PER_PROCESS)]
        with ThreadPoolExecutor(o.jobs) as pool:
            list(pool.map(lambda p: check(score, p, o), processes))
        check_planted(score, o)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
