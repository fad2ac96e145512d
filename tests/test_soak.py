#!/usr/bin/python3
"""Many inputs through one worker: memory and open files stay as they are. With a
death now and then, and the same at the fake GPU.

    tests/test_soak.py [--inputs 3000]
"""
import argparse
import os
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'fake'))
import fakegpu  # noqa: E402
from front import Front, memory_of, status, text  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check
CELLS = ['x = rand(50) + n;', 'n = n + 1', 'y = x .* x; s = sum(y)', 'y', ':vars',
         'A = rand(20, 20); z = A*y[1:20];', 'w = nothing_of_that_name',
         'for k = 1:5; s = s + k; end', 'print(s)', 'f(t) = t*2 + 1; q = f(s)',
         'n = 0;', '?sum', 'B = A + A\'; b = B \\ y[1:20];', ':plan', '1 +* 2']
MOST_KIB = 300  # growth a thousand inputs


def slope(samples):
    """KiB a thousand inputs, by least squares over the second half."""
    half = samples[len(samples)//2:]
    n = len(half)
    mean_x, mean_y = sum(x for x, _ in half)/n, sum(y for _, y in half)/n
    above = sum((x - mean_x)*(y - mean_y) for x, y in half)
    below = sum((x - mean_x)**2 for x, _ in half)
    return 1000*above/below


def soak(name, front, inputs, deaths):
    check(status(front.cell('n = 0; s = 0;', 120)) == 'ok', f'{name}: a start')
    for cell in CELLS:
        front.cell(cell, 120)
    fronts, workers, files = [], [], front.files()
    began = time.monotonic()
    for k in range(inputs):
        if deaths and k % (inputs//deaths) == inputs//deaths - 1:
            os.kill(front.worker(), signal.SIGKILL)
        done = front.cell(CELLS[k % len(CELLS)], 120)
        if done is None:
            check(False, f'{name}: lost at input {k}')
            return
        if k % 50 == 0:
            fronts.append((k, memory_of(front.process.pid)))
            workers.append((k, memory_of(front.worker())))
    seconds = time.monotonic() - began
    check(slope(fronts) < MOST_KIB, f'{name}: the front grows {fronts[::8]}')
    if not deaths:
        check(slope(workers) < MOST_KIB, f'{name}: the worker grows '
              f'{workers[::8]}')
    check(front.files() == files, f'{name}: {front.files()} files, {files} first')
    front.cell('n = 41', 120)
    check(text(front.cell('print(n + 1)', 120)) == '42\n', f'{name}: the end')
    check(front.close() == 0, f'{name}: the exit')
    print(f'{name}: {inputs} inputs, {1e3*seconds/inputs:.2f} ms each, the front '
          f'grows {slope(fronts):.0f} KiB and the worker {slope(workers):.0f} KiB '
          f'a thousand inputs, {deaths} deaths')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--inputs', type=int, default=3000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='fusible-soak-') as folder:
        env = dict(os.environ, HOME=folder)
        soak('the CPU', Front(folder, env), args.inputs, 0)
        soak('with deaths', Front(folder, env), args.inputs//3, 8)
        soak('the fake GPU', Front(folder, fakegpu.environment(folder),
                                   target='cuda'), args.inputs//2, 0)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
