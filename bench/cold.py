#!/usr/bin/env python3
"""What a block takes that was never seen: with empty caches, and with its compiled
kernels on disk.

    bench/cold.py [--rounds 5] [--n table] [--len table] [--dtypes f32]
                  [--cases BiCGK,...] [--json FILE] [--serve build/bench-serve]
                  [--compile quick|full]

Every round has processes one after the other, with one cache folder that is
empty at first. In all, every case's inputs are made and read, for a formula is not
computed before that, and its block is run once: `cold` is from the text to the results
in the first process (planning, compiling, loading, running), as somebody at the prompt
waits for it: with `:set compile quick`, or what --compile says. Nobody waits for the full
code there, so a second process compiles all of it. `warm` is in the third,
where every kernel is found on disk. `first` is the first block of all in a process,
`x = ones(3) + 1`, which also waits for the compiler to be loaded. Medians over the
rounds, and the slowest. Blocks of one kernel must stay below the limits, by their
medians. The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, 'bench'), os.path.join(ROOT, 'tests')]
from cases import read_text, setup_text, size_text  # noqa: E402
from gpu import Party, command, facts, jobs  # noqa: E402
from score import Score  # noqa: E402

LIMITS = dict(cold=150.0, warm=5.0)  # ms, of a block of one kernel


def once(o, todo, compiling):
    """A process that runs every block once: {(case, dtype, size): (ms, kernels)}, and
    what it said of itself; or what went wrong."""
    party, took = Party('fusible', [o.serve, '--target', o.target]), {}
    about = party.ask(device=True)
    party.ask(eval=f':set compile {compiling}')
    for dtype, case, size in todo:
        party.ask(eval=':reset -f')
        answer = {}
        for request in (dict(eval=setup_text(case, dtype, size)),
                        dict(eval=read_text(case)),
                        dict(run=case.block, repeat=1)):
            if 'error' not in answer:
                answer = party.ask(**request)
        if 'error' in answer:
            return f'{case.name} {dtype}: {answer["error"]}', about
        took[case.name, dtype, size_text(size)] = (answer['wall'][0] * 1e3,
                                                   answer['kernels'])
    party.end()
    return took, about


def options():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    p.add_argument('--rounds', type=int, default=5)
    p.add_argument('--n', default='table')
    p.add_argument('--len', default='table')
    p.add_argument('--dtypes', default='f32')
    p.add_argument('--cases', default='')
    p.add_argument('--json')
    p.add_argument('--serve', default='build/bench-serve')
    p.add_argument('--compile', default='quick', choices=('quick', 'full'))
    p.add_argument('--target', default='cuda', choices=('cuda', 'cpu'))
    return p.parse_args()


def measure(o, score):
    """All rounds: {(case, dtype, size): {'cold': [ms], 'warm': [ms], 'kernels': n}},
    the first blocks' ms by cold and warm, and what the program said of itself."""
    todo, blocks, about = list(jobs(o)), {}, {}
    first = {state: [] for state in LIMITS}
    for _ in range(o.rounds):
        with tempfile.TemporaryDirectory(prefix='fusible-cold-') as folder:
            os.environ['XDG_CACHE_HOME'] = folder
            for state in LIMITS:
                took, about = once(o, todo, o.compile if state == 'cold' else 'full')
                if not score.check(isinstance(took, dict), took):
                    return blocks, first, about
                if state == 'cold' and o.compile == 'quick':
                    once(o, todo, 'full')
                first[state].append(about['first'] * 1e3)
                for key, (ms, kernels) in took.items():
                    block = blocks.setdefault(key, {s: [] for s in LIMITS})
                    block[state].append(ms)
                    block['kernels'] = kernels
    return blocks, first, about


def main():
    o, score, rows = options(), Score(), []
    blocks, first, about = measure(o, score)
    print(f'{"":32s} kernels  cold, most   warm, most (ms)')
    for (case, dtype, size), block in blocks.items():
        row = dict(case=case, dtype=dtype, size=size, kernels=block['kernels'])
        for state, limit in LIMITS.items():
            middle = statistics.median(block[state])
            row[f'{state}_ms'], row[f'{state}_most_ms'] = middle, max(block[state])
            if block['kernels'] == 1:
                score.check(middle < limit, f'{case} {dtype}: {state} {middle:.1f} ms, '
                            f'not below {limit:.0f}')
        rows.append(row)
        print(f'{case:18s} {dtype:4s} {size:>9s} {block["kernels"]:4d}  '
              f'{row["cold_ms"]:7.1f} {row["cold_most_ms"]:7.1f}  '
              f'{row["warm_ms"]:6.2f} {row["warm_most_ms"]:6.2f}')
    if rows:
        print('first block of a process: '
              f'{statistics.median(first["cold"]):.1f} ms cold, '
              f'{statistics.median(first["warm"]):.1f} ms warm')
    result = dict(facts(o.target, {'fusible': about}),
                  command=command(sys.argv[1:], 'bench/cold.py'),
                  limits_ms=LIMITS, rounds=o.rounds, rows=rows,
                  first_ms={s: statistics.median(v or [0]) for s, v in first.items()})
    if o.json:
        with open(o.json, 'w', encoding='utf-8') as f:
            f.write(json.dumps(result, indent=1) + '\n')
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
