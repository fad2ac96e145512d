#!/usr/bin/python3
"""FUSIBLE_KERNELS=plain keeps to what an sm_80 device can do, and the full code does
not: the blocks of forms.py give the same results by both, to the bit, and only the
full code has words of sm_90 in it.

    tests/gpu/plain.py [--fusible PATH]

There is a process for each dtype and each of both. The last line is `N passed, N failed`.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from forms import CACHE, DTYPES, FORMS, answers, codes  # noqa: E402
from score import Score  # noqa: E402

# Instructions and attributes that came with sm_90.
NEW = ('cp.async.bulk', '.shared::cluster', '__cluster_dims__', 'barrier.cluster',
       'tensorMap', 'mapa.')


def run(fusible, dtype, kernels):
    """What the forms of one dtype print, and what went wrong."""
    env = dict(os.environ, FUSIBLE_L2=CACHE, FUSIBLE_KERNELS=kernels)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'forms.fs')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(''.join(form.text(dtype) for form in FORMS
                            if dtype in form.dtypes))
        done = subprocess.run([fusible, '--no-rc', '--target', 'cuda', '--plan', 'off',
                               path], env=env, capture_output=True, text=True,
                              errors='replace', check=False)
    return done.stdout, done.stderr


def check(score, used, dtype, full, plain):
    a, b = answers(full), answers(plain)
    code, plain_code = codes(full), codes(plain)
    for form in FORMS:
        if dtype not in form.dtypes:
            continue
        key = f'{form.name} {dtype}'
        score.check(a.get(key) and a[key] == b.get(key) and
                    len(a[key]) == len(form.results.split()),
                    f'{key}: {a.get(key)} in full, {b.get(key)} plain')
        text = plain_code.get(key, '')
        found = [word for word in NEW if word in text]
        score.check('__global__' in text and not found, f'{key}: {found} in plain code')
        used.update(word for word in NEW if word in code.get(key, ''))


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    p.add_argument('--fusible', default=os.environ.get('FUSIBLE', 'build/fusible'))
    o = p.parse_args()
    score, used = Score(), set()
    with ThreadPoolExecutor(2 * len(DTYPES)) as pool:
        done = {(dtype, kernels): pool.submit(run, o.fusible, dtype, kernels)
                for dtype in DTYPES for kernels in ('best', 'plain')}
        for dtype in DTYPES:
            full, plain = done[dtype, 'best'].result(), done[dtype, 'plain'].result()
            score.check(not full[1] and not plain[1], f'{dtype}: {full[1]}{plain[1]}')
            check(score, used, dtype, full[0], plain[0])
    for word in ('cp.async.bulk', '__cluster_dims__'):
        score.check(word in used, f'no full kernel uses {word}')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
