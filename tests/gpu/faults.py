#!/usr/bin/python3
"""Real faults of a device: a kernel that reads where nothing is, one that never
ends, and the end of the process. After each the variables are as before, bit for
bit, and the next input is right, within 2 s plus the time of the replay.

    tests/gpu/faults.py [--target cuda] [--rounds 20] [--json FILE]

Also for --target cpu, where the same functions end or hold the worker.
"""
import argparse
import json
import os
import signal
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)
from front import Front, children_of, notes, status, text, values  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check
ELEM = os.path.join(TESTS, 'gpu', 'elem')
SETUP = [f':elem {ELEM}/wild.elem', f':elem {ELEM}/endless.elem',
         'A = rand(700, 600); p = rand(600); n = 0; v = [1, 7, 3];',
         'q = A*p; r = A\'*q; s = sum(r .* p);',
         'for k = 1:20; p = p + r/sum(abs(r)); r = A\'*(A*p); end',
         'C = A\'*A + 600*eye(600); z = C \\ p;', 'f(x) = x.^2 + n; w = f(q);',
         # The same kernels as later, with nothing that stops them.
         'u = [1, 2, 3]; a = wild(u); b = endless(u); sum(a + b)',
         'function turns(x); y = zeros(3); for i = 1:3; s = x[i]; while s == 7; s = s + 0; end; '
         'y[i] = s; end; print(sum(y)); end', 'turns(u)']
FAULTS = {'wild': 'a = wild(v); sum(a)', 'endless': 'b = endless(v); sum(b)',
          'while': 'turns(v)', 'killed': 'for k = 1:1e9; t = A*p; end'}


def replay_seconds(done):
    """As the front tells: "12 inputs were replayed in 0.80 s"."""
    said = ' '.join(notes(done, 'rebuilt'))
    return float(said.split(' replayed in ')[1].split()[0])


def strike(front, kind, folder, k):
    """Gives the seconds from the fault, or from Ctrl-C, to the next right answer,
    without those of the replay."""
    path = os.path.join(folder, 'values.npz')
    before = values(front, path)
    front.send(FAULTS[kind])
    began = time.monotonic()
    if kind != 'wild':
        time.sleep(0.5)
        began = time.monotonic()
    if kind in ('endless', 'while'):
        front.interrupt()
    if kind == 'killed':
        os.kill(front.worker(), signal.SIGKILL)
    done = front.until_done(120)
    if not check(status(done) == 'environment' and notes(done, 'rebuilt'),
                 f'{kind}: {done}'):
        return 0, 0
    replay = replay_seconds(done)
    front.cell(f'n = {k}', 60)
    shown = text(front.cell('print(n + sum(ones(100)))', 60))
    took = time.monotonic() - began
    check(shown.strip() == str(k + 100), f'the next input after {kind}: {shown}')
    front.cell('n = 0;')
    after = values(front, path)
    same = not isinstance(after, str) and after == before
    check(same, f'after {kind} the variables are not as before')
    check('as before' in ' '.join(notes(done, 'rebuilt')) and
          'not as before' not in ' '.join(notes(done, 'rebuilt')),
          f'{kind}: {notes(done, "rebuilt")}')
    # An endless kernel is given 2 s of patience.
    check(took < replay + (4 if kind in ('endless', 'while') else 2),
          f'{kind}: {took:.2f} s, {replay:.2f} s of it the replay')
    return took - replay, replay


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--target', default='cuda')
    parser.add_argument('--rounds', type=int, default=20)
    parser.add_argument('--json')
    args = parser.parse_args()
    figures = {}
    with tempfile.TemporaryDirectory(prefix='fusible-faults-') as folder:
        front = Front(folder, dict(os.environ), target=args.target)
        for cell in SETUP:
            done = front.cell(cell, 300)
            check(status(done) == 'ok', f'`{cell}`: {done}')
        files = front.files()
        for k in range(args.rounds if not score.failed else 0):
            kind = list(FAULTS)[k % len(FAULTS)]
            figures.setdefault(kind, []).append(strike(front, kind, folder, k))
            if score.failed:
                break
        check(front.files() == files, f'{front.files()} files, {files} at first')
        check(len(children_of(front.process.pid)) == 1, 'one worker')
        check(front.close() == 0, 'the exit')
    for kind, both in figures.items():
        took, replay = max(both), max(r for _, r in both)
        print(f'{kind}: {len(both)} times, back within {took[0]:.2f} s besides '
              f'the replay, which took up to {replay:.2f} s')
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as out:
            json.dump({'test': 'faults', 'target': args.target,
                       'figures': figures, 'failures': score.failed}, out)
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
