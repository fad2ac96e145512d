#!/usr/bin/python3
"""Fused equals unfused: 200 random programs, each run as planned and once more with
a kernel for each call, every value compared.

Programs on small integers and truth values, where every sum is exact, must agree
bit for bit; with rounding, each element within the sum of the two runs' bounds
(test_random.py computes them in float64 beside the program); NaN, infinities and
the sign of zero must be of one class. Nothing is relative to the size of a result
and nothing is averaged. At the end faults are planted in results that agreed: the
comparison must see every one.

    tests/test_fused.py [--count N] [--target T]

The last line is `N passed, N failed`.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_random as rnd  # noqa: E402
from score import Score  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get(
    'FUSIBLE', os.path.join(rnd.ROOT, 'build', 'fusible')))
SEED = 7919
score = Score()


def text_of(index, prog, folder, how):
    """The program as one block, its results in files named by `how`."""
    out = [f'# program {index}', ':fuse ' + ('on' if how == 'fused' else 'off')]
    for name, a in prog.inputs.items():
        path = os.path.join(folder, f'p{index}_{name}.npy')
        if how == 'fused':
            np.save(path, a)
        out.append(f'{name} = load("{path}");')
    out.append('begin')
    out += [x for x in prog.lines if x.strip() not in ('begin', 'end')]
    out.append('end')
    out += [f'save("{folder}/p{index}_{name}_{how}.npy", {name});'
            for name in prog.wanted]
    return '\n'.join(out + [':reset -f', ''])


def value_class(x):
    """Number, NaN or one of the infinities."""
    x = x.astype(np.float64)
    return np.where(np.isnan(x), 3, np.where(np.isinf(x), np.sign(x), 0))


def differs(mode, bound, a, b):
    """None, or how two results of one value differ."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return f'{a.dtype}{a.shape} and {b.dtype}{b.shape}'
    if mode == 'exact':
        bad = a.view(np.uint8) != b.view(np.uint8) if a.size and a.ndim else \
            np.atleast_1d(a.tobytes() != b.tobytes())
        return f'{np.count_nonzero(bad)} bytes' if np.any(bad) else None
    if mode == 'special':
        bad = value_class(a) != value_class(b)
        return f'the class of {np.count_nonzero(bad)}' if np.any(bad) else None
    tiny = 1e-37 if a.dtype == np.float32 else 1e-300
    with np.errstate(all='ignore'):
        off = np.abs(a.astype(np.float64) - b.astype(np.float64))
        bad = ~(off <= 2.02 * bound.reshape(a.shape) + tiny)
    return f'{np.count_nonzero(bad)} elements, by up to {np.nanmax(off)}' \
        if np.any(bad) else None


def plant(mode, bound, a, rng):
    """A copy with one element wrong by the least that must be seen."""
    b = np.array(a)
    flat, at = b.reshape(-1), int(rng.integers(0, b.size))
    if b.dtype == bool:
        flat[at] = not flat[at]
    elif mode == 'rounded':
        edge = bound.reshape(-1)[at]
        wrong = 3 * edge + 1e-30 + abs(float(flat[at])) * 1e-5
        if not np.isfinite(wrong):
            return None
        flat[at] += wrong
    elif mode == 'special':
        flat[at] = 0 if np.isnan(flat[at]) else np.nan \
            if b.dtype.kind == 'f' else 0
        if b.dtype.kind != 'f':
            return None
    else:
        flat[at] += 1
    return b


def load(folder, index, name, how):
    path = os.path.join(folder, f'p{index}_{name}_{how}.npy')
    return np.load(path) if os.path.exists(path) else None


def compare(index, prog, folder, faults, rng):
    for name in prog.wanted:
        v = prog.vars[name]
        a, b = (load(folder, index, name, how) for how in ('fused', 'unfused'))
        if a is None or b is None:
            return f'{name} was not saved'
        why = differs(prog.mode, v.err, a, b)
        if why:
            return f'{name}: {why}'
        wrong = plant(prog.mode, v.err, a, rng) if a.size else None
        if wrong is not None and not np.array_equal(wrong, a, equal_nan=True) \
                if a.dtype.kind == 'f' else wrong is not None:
            faults.append(differs(prog.mode, v.err, wrong, b) is not None)
    return None


def batch(first, last, target, faults):
    rng = np.random.default_rng(first)
    with tempfile.TemporaryDirectory(prefix='fusible-fused-') as folder:
        progs = [(i, rnd.Program(SEED * 1000003 + i).build())
                 for i in range(first, last)]
        path = os.path.join(folder, 'programs.fs')
        with open(path, 'w', encoding='utf-8') as f:
            for i, p in progs:
                f.write(text_of(i, p, folder, 'fused'))
                f.write(text_of(i, p, folder, 'unfused'))
        done = subprocess.run(
            [PROGRAM, '--no-rc', '--keep-going', '--target', target, path],
            env=dict(os.environ, FUSIBLE_TUNING='off'), capture_output=True,
            text=True, errors='replace', timeout=600)
        for i, p in progs:
            why = compare(i, p, folder, faults, rng)
            score.check(why is None, f'program {i}, {p.mode}: {why}',
                        '\n'.join(p.lines) + done.stderr[-800:] if why else '')
        score.check(done.returncode in (0, 1), f'exit {done.returncode}',
                    done.stderr[-2000:])


def main():
    parser = argparse.ArgumentParser(description='fused against unfused')
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--target', default='cpu')
    args = parser.parse_args()
    faults = []
    for first in range(0, args.count, 50):
        batch(first, min(args.count, first + 50), args.target, faults)
    score.check(len(faults) > 2 * args.count and all(faults),
                f'{len(faults)} planted faults, {faults.count(False)} missed')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
