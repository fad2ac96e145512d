#!/usr/bin/env python3
"""Builds of the program side by side, interleaved: is a change faster?

    bench/builds.py before=build-old/bench-serve after=build/bench-serve
                    [--n table] [--len table] [--dtypes f32] [--cases BiCGK,...]
                    [--rounds 4] [--runs 8] [--target cuda|cpu] [--json FILE]

Each build is a process of its own (bench/serve.c) with an empty folder for what it keeps,
so that neither has a calibration or learns from the other. They run in turns, the order
reversed every other round. Medians over all runs: kernel times of a block in ms, in
parentheses relative to the first build (of what has none, the wall time), then its wall time. Two processes of one build
differ by up to 0.5 % on an H200, as their arrays lie elsewhere: name a build twice to
see it.
"""
import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases import read_text, setup_text, size_text  # noqa: E402
from gpu import Party, Times, by_iteration, command, facts, jobs  # noqa: E402


def text_of(case):
    """What is run again and again: a block, or all steps of a program."""
    return case.block or case.text(case.steps)


def prepare(parties, dtype, case, size):
    """None, or the sentence of a build that cannot run the case."""
    for name, party in parties.items():
        for request in (dict(eval=':reset -f'), dict(eval=setup_text(case, dtype, size)),
                        dict(eval=read_text(case)), dict(run=text_of(case), repeat=3)):
            answer = party.ask(**request)
            if 'error' in answer:
                return f'{name}: {answer["error"]}'
    return None


def measure(o, parties, case):
    times = {name: Times() for name in parties}
    for k in range(o.rounds):
        for name in list(parties)[::-1 if k % 2 else 1]:
            answer = parties[name].ask(run=text_of(case), repeat=o.runs)
            times[name].hear(answer if case.block else by_iteration(case, answer))
    return {name: t.row() for name, t in times.items()}


def options():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    p.add_argument('builds', nargs='+', metavar='NAME=SERVE')
    p.add_argument('--n', default='table')
    p.add_argument('--len', default='table')
    p.add_argument('--dtypes', default='f32')
    p.add_argument('--cases', default='')
    p.add_argument('--rounds', type=int, default=4)
    p.add_argument('--runs', type=int, default=8)
    p.add_argument('--target', default='cuda', choices=('cuda', 'cpu'))
    p.add_argument('--json')
    o = p.parse_args()
    if not all('=' in b for b in o.builds):
        p.error('a build is NAME=PROGRAM, such as after=build/bench-serve')
    return o


def start(o, folder):
    parties = {}
    for name, _, program in (b.partition('=') for b in o.builds):
        os.environ['XDG_DATA_HOME'] = os.path.join(folder, name)
        parties[name] = Party(name, [program, '--target', o.target])
    return parties


def main():
    o, rows = options(), []
    with tempfile.TemporaryDirectory(prefix='fusible-builds-') as folder:
        parties = start(o, folder)
        about = {'fusible': next(iter(parties.values())).ask(device=True)}
        for dtype, case, size in jobs(o):
            wrong = prepare(parties, dtype, case, size)
            if wrong:
                print(f'{case.name} {dtype}, {wrong}', file=sys.stderr)
                continue
            row = dict(case=case.name, dtype=dtype, size=size_text(size),
                       builds=measure(o, parties, case))
            rows.append(row)
            first = next(iter(row['builds'].values()))
            timed = 'kernel_ms' if first['kernel_ms'] else 'wall_ms'
            print(f'{case.name:18s} {dtype:4s} {row["size"]:>9s}' + ''.join(
                f'  {name} {b["kernel_ms"]:.4f} ({b[timed] / first[timed]:.3f}) '
                f'{b["wall_ms"]:.4f}' for name, b in row['builds'].items()), flush=True)
        for party in parties.values():
            party.end()
    if o.json:
        plain = [b.partition('=')[0] for b in o.builds]
        said = command([a for a in sys.argv[1:] if a not in o.builds] + plain,
                       'bench/builds.py')
        with open(o.json, 'w', encoding='utf-8') as f:
            f.write(json.dumps(dict(facts(o.target, about), command=said, rows=rows),
                               indent=1) + '\n')
    return 0 if rows else 1


if __name__ == '__main__':
    sys.exit(main())
