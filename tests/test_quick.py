#!/usr/bin/python3
"""The short ways of elemlib/cuda/quick*.cuh against higher precision.

The files are compiled for the host, where a reciprocal and a root are correctly
rounded instead of good to an ulp, and run over a few million operands: quotients
and roots must have the bits of the processor's, logarithms and the error function
must stay within the bounds that their comments give; of bf16 all operands. With nvcc
and a GPU, `tests/test_quick.py --cuda` runs the same on the device over all operands
of f32 and bf16.

The last line is `N passed, N failed`.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from score import Score  # noqa: E402

CUDA = os.path.join(HERE, '..', 'elemlib', 'cuda')
score = Score()


def build(folder, cuda):
    text = ''
    for name in ('quick.cuh', 'quick_f64.cuh', 'quick_bf16.cuh', 'memory.cuh', 'pairs.cuh',
                 'quick_pairs.cuh'):
        with open(os.path.join(CUDA, name), encoding='utf-8') as f:
            text += f.read()
    source = os.path.join(folder, 'quick.cu' if cuda else 'quick.cc')
    head = '' if cuda else '#include "fiber.h"\n#include <stdio.h>\n'
    with open(os.path.join(HERE, 'fiber', 'quick_test.h'), encoding='utf-8') as f:
        text = head + text + f.read()
    with open(source, 'w', encoding='utf-8') as f:
        f.write(text)
    program = os.path.join(folder, 'quick')
    if cuda:
        command = ['nvcc', '-std=c++17', '-O3', '-fmad=false', '-arch=native']
    else:
        command = [os.environ.get('CXX', 'c++'), '-std=c++17', '-O2', '-w',
                   '-ffp-contract=off', '-I', os.path.join(HERE, 'fiber')]
    done = subprocess.run(command + ['-o', program, source], text=True,
                          capture_output=True, check=False)
    score.check(done.returncode == 0, 'quick.cuh compiles', done.stderr[-2000:])
    return program if done.returncode == 0 else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, '--cuda' in sys.argv)
        if program:
            done = subprocess.run([program], text=True, capture_output=True,
                                  timeout=600, check=False)
            lines = done.stdout.splitlines()
            score.check(done.returncode == 0 and len(lines) == 40,
                        'the program runs to its end', done.stderr[-500:])
            for line in lines:  # "ok what" or "no what"
                score.check(line.startswith('ok '), line)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
