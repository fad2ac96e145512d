#!/usr/bin/python3
"""Kernels of much code take the long ways of quotients and roots one lane after the
other, flat ones after all the others, and give the bits that the CPU target gives.

Sums of many quotients, roots and remainders of vectors and matrices in which every
fifth element is one that the short ways are not made for, on the CPU and on the fake
GPU; and the same with few terms, whose long ways in a row go through all lanes at once.
Costs are those of the book: schemes do not depend on what was measured.

The last line is `N passed, N failed`.
"""
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
SPECIAL = (0, -0.0, np.inf, -np.inf, np.nan, 1e-42, -3e-39, 3e38, 1e-30)
MANY, FEW = 24, 2


def terms(count, x, y):
    """An expression of `count` different quotients, and of roots and remainders."""
    return ' + '.join(f'mod({x}, {k + 2}) ./ ({y} + {k}) + sqrt(abs({x})) ./ {k + 3}'
                      for k in range(count))


def statements(count):
    """Besides: divisors of which pairs of bf16 see less, with numbers tame and not."""
    unseen = ' + '.join(f'x ./ ({k + 2}*sqrt(y)) + sqrt(y ./ (y + {k}))' for k in range(8))
    return {'v': terms(count, 'x', 'y'), 'M': terms(count, 'A', 'B'), 'u': unseen,
            'f': '0.001*y ./ (1e-39*sqrt(y))', 'g': '1e37*y ./ (1e38*sqrt(y))',
            'R': f"({terms(count, 'A', 'B')}) ./ rowmax(B)"}


def make_inputs(folder):
    rng = np.random.default_rng(7)
    for name, shape in dict(x=1003, y=1003, A=(37, 96), B=(37, 96)).items():
        a = rng.integers(-40, 40, shape).astype(np.float32) / 8
        at = rng.random(shape) < 0.2
        a[at] = rng.choice(np.array(SPECIAL, np.float32), int(at.sum()))
        if name in 'yB':
            a = np.abs(np.nan_to_num(a, posinf=7)) + 1
        np.save(f'{folder}/{name}.npy', a)


def results(folder, target, dtype, count):
    """{name: values} of a target, and what it printed."""
    lines = [f'{name} = {dtype}(load("{folder}/{name}.npy"));' for name in 'xyAB']
    lines.append('print(x[1] + y[1] + A[1, 1] + B[1, 1]);')
    for name, text in statements(count).items():
        lines += [f'{name} = {text};', 'barrier;']
        lines.append(':code cuda sm_90a' if target == 'cuda' else '')
        lines.append(f'save("{folder}/{target}_{name}.npy", {name});'
                     if dtype != 'bf16' else
                     f'save("{folder}/{target}_{name}.npy", f32({name}));')
    path = os.path.join(folder, f'{target}.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')
    done = fakegpu.run(['--no-rc', '--target', target, path],
                       fakegpu.environment(folder, FUSIBLE_REFERENCE_DEVICE='1'))
    if not score.check(done.returncode == 0, f'{target} {dtype} {count} terms',
                       done.stderr[-800:]):
        return {}, ''
    return {name: np.load(f'{folder}/{target}_{name}.npy')
            for name in statements(count)}, done.stdout


def compare(folder, dtype, count):
    cpu, _ = results(folder, 'cpu', dtype, count)
    gpu, text = results(folder, 'cuda', dtype, count)
    for name in cpu:
        a, b = cpu[name], gpu.get(name, np.zeros(0))
        same = a.shape == b.shape and np.array_equal(np.isnan(a), np.isnan(b)) and \
            np.array_equal(np.nan_to_num(a).view(np.uint8),
                           np.nan_to_num(b).view(np.uint8))
        score.check(same, f'{dtype} {name} of {count} terms', f'{a}\n{b}')
        score.check(np.isfinite(a).sum() > a.size // 2, f'{dtype} {name} is numbers')
    flat, row = text[:text.rfind('// scheme row')], text[text.rfind('// scheme row'):]
    score.check(flat.count('if (left)') == 3 == flat.count('if (!rare)'),
                f'{dtype}, {count} terms: those without a short way come last',
                flat[-300:])
    score.check('rare' in row and ('fs_set_lane(v' in row) == (count == MANY),
                f'{dtype}, {count} terms: one by one in a row', row[-300:])


def main():
    with tempfile.TemporaryDirectory(prefix='fusible-long-') as folder:
        make_inputs(folder)
        for dtype in ('f32', 'f64', 'bf16'):
            for count in (FEW, MANY):
                compare(folder, dtype, count)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
