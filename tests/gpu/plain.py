#!/usr/bin/python3
"""FUSIBLE_KERNELS=plain keeps to what an sm_80 device can do, and the full code does
not: the blocks of forms.py give the same results by both, to the bit, and only the
full code has words of sm_90 in it.

    tests/gpu/plain.py [--fusible PATH] [--jobs 6]

The last line is `N passed, N failed`.
"""
import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from forms import CACHE, FORMS, answers, codes  # noqa: E402
from score import Score  # noqa: E402

# Instructions and attributes that came with sm_90.
NEW = ('cp.async.bulk', '.shared::cluster', '__cluster_dims__', 'barrier.cluster',
       'tensorMap', 'mapa.')


def run(fusible, text, **env):
    env = dict(os.environ, FUSIBLE_L2=CACHE, **env)
    return subprocess.run([fusible, '--no-rc', '--target', 'cuda', '--plan', 'off',
                           '-e', text], env=env, capture_output=True, text=True,
                          errors='replace', check=False)


def check(score, used, fusible, form, dtype):
    full = run(fusible, form.text(dtype))
    plain = run(fusible, form.text(dtype), FUSIBLE_KERNELS='plain')
    what = f'{form.name} {dtype}'
    if not score.check(full.returncode == 0 and plain.returncode == 0,
                       f'{what}: {full.stderr}{plain.stderr}'):
        return
    a, b = answers(full.stdout)[what], answers(plain.stdout)[what]
    score.check(a == b and len(a) == len(form.results.split()),
                f'{what}: {a} in full, {b} plain')
    found = [word for word in NEW if word in plain.stdout]
    score.check('__global__' in plain.stdout and not found,
                f'{what}: {found} in plain code')
    used.update(word for word in NEW if word in codes(full.stdout)[what])


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    p.add_argument('--fusible', default=os.environ.get('FUSIBLE', 'build/fusible'))
    p.add_argument('--jobs', type=int, default=6)
    o = p.parse_args()
    score, used = Score(), set()
    with ThreadPoolExecutor(o.jobs) as pool:
        list(pool.map(lambda job: check(score, used, o.fusible, *job),
                      [(form, dtype) for form in FORMS for dtype in form.dtypes]))
    for word in ('cp.async.bulk', '__cluster_dims__'):
        score.check(word in used, f'no full kernel uses {word}')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
