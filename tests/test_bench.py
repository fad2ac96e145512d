#!/usr/bin/python3
"""bench/gpu.py on the CPU at small sizes: every case runs, and its results are right.

    tests/test_bench.py [PATTERN]

Needs build/bench-serve and NumPy. The last line is `N passed, N failed`.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, 'bench')]
from cases import CASES, WIDE  # noqa: E402
from programs import PROGRAMS  # noqa: E402
from score import Score  # noqa: E402
from shapes import SHAPES, SUMS  # noqa: E402

score = Score()
SERVE = os.path.join(os.environ.get('BUILD', os.path.join(ROOT, 'build')), 'bench-serve')
LISTS = {'': CASES, 'wide': WIDE, 'programs': PROGRAMS, 'shapes': SHAPES, 'sums': SUMS}
BOUND = 1e-4  # of cases without one


def table(cases):
    """What bench/gpu.py says of all of them: the process, and its rows by name."""
    with tempfile.TemporaryDirectory(prefix='fusible-bench-') as folder:
        path, text = os.path.join(folder, 'table.json'), os.path.join(folder, 'table.md')
        env = dict(os.environ, XDG_DATA_HOME=folder, XDG_CACHE_HOME=folder)
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, 'bench', 'gpu.py'), '--target', 'cpu',
             '--peers', '', '--rounds', '1', '--cases', cases, '--n', '48', '--len', '1000',
             '--serve', SERVE, '--json', path, '--markdown', text],
            env=env, capture_output=True, text=True, timeout=600)
        if not os.path.exists(path):
            return done, {}, ''
        with open(path, encoding='utf-8') as f, open(text, encoding='utf-8') as g:
            return done, {row['case']: row for row in json.load(f)['rows']}, g.read()


def test_list(name, cases):
    done, rows, text = table(name)
    score.check(done.returncode == 0, f'{name}: ends well', done.stderr[-2000:])
    for case in cases:
        row = rows.get(case.name)
        bound = BOUND if case.bound is None else case.bound
        right = row is not None and isinstance(row['error'], float) and row['error'] <= bound
        score.check(right, f'{case.name}: right', f'{row}\n{done.stderr[-2000:]}')
        score.check(f'| {case.name} |' in text, f'{case.name}: in the table', text)


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ''
    for name, cases in LISTS.items():
        if pattern in name or not name:
            test_list(name, cases)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
