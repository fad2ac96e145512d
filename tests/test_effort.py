#!/usr/bin/env python3
"""Programs whose blocks are long (bench/long): what planning them takes, in counted steps,
and that the plans are good.

Steps are counted, not seconds, so that every machine finds the same; each program may take
so many. The kernels of its plans must be those of tests/effort/NAME.out, where equal ones
of a block stand on one line, and what they are predicted to take at most a little more
than what planning without a limit finds. So must those of loops whose steps are one block,
tests/effort/NAME.fs, on a CPU and on an H200 that is not there.

UPDATE=1 rewrites the .out files. The last line is `N passed, N failed`.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
UPDATE = os.environ.get('UPDATE') == '1'
# Steps at most: calls in sets that were priced, and those of the search for covers.
STEPS = {'fft': 150000, 'gru': 30000, 'pairs': 25000, 'strassen': 34000}
# What the kernels may be predicted to take, times that of a search without a limit.
MORE = {'fft': 1.03, 'gru': 1.03, 'pairs': 1.03, 'strassen': 1.03}

# The same of the programs whose steps come again.
REPEATED = ('jacobi', 'kalman', 'ladder', 'leapfrog', 'lstm', 'power', 'rk4')
MORE_REPEATED = 1.03

sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, 'fake'))
import fakegpu  # noqa: E402
from score import Score  # noqa: E402

score = Score()
check = score.check


def plans(fusible, path, effort=None, gpu=None):
    """The plan events of the program, on a CPU or on a GPU of that name."""
    name = os.path.basename(path)[:-3]
    with open(path, encoding='utf-8') as f:
        text = f.read()
    if effort:
        text = f':set plan-effort {effort}\n{text}'
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, name + '.fs')
        with open(script, 'w', encoding='utf-8') as f:
            f.write(text)
        env = {k: v for k, v in os.environ.items() if not k.startswith('FUSIBLE')}
        env.update(HOME=folder, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder,
                   XDG_DATA_HOME=folder, FUSIBLE_REFERENCE_DEVICE='1', LC_ALL='C.UTF-8')
        if gpu:
            env = fakegpu.environment(folder, FUSIBLE_FAKE_DEVICE=gpu, FUSIBLE_FAKE_RUN='0',
                                      FUSIBLE_REFERENCE_DEVICE='measured', LC_ALL='C.UTF-8')
        target = ['--target', 'cuda'] if gpu else ['--target', 'cpu', '--threads', '2']
        done = subprocess.run([fusible, '--json', *target, script], env=env,
                              capture_output=True, text=True, timeout=600)
    check(done.returncode == 0, f'{name}: runs', done.stderr)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return [e for e in events if e['event'] == 'plan']


def words(found):
    """Each block, and its kernels: equal ones on one line, as they come first."""
    out = []
    for k, plan in enumerate(found, 1):
        kernels = plan['kernels']
        out.append(f'block {k}: {plan["calls"]} calls, {len(kernels)} kernels')
        alike = collections.Counter(
            (x['scheme'], *x['space'], len(x['calls'])) for x in kernels)
        out += [f'  {n} x {scheme} {rows}x{columns}, {calls} calls'
                for (scheme, rows, columns, calls), n in alike.items()]
    return '\n'.join(out) + '\n'


def steps_of(found):
    return sum(p['space']['priced'] + p['space']['steps'] for p in found)


def seconds_of(found):
    return sum(k['first'] for p in found for k in p['kernels'])


def test(fusible, name):
    program = os.path.join(ROOT, 'bench/long', name + '.fs')
    found = plans(fusible, program)
    path = os.path.join(HERE, 'effort', name + '.out')
    text = words(found)
    if UPDATE:
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
    with open(path, encoding='utf-8') as f:
        check(f.read() == text, f'{name}: the kernels of {path}', text)
    steps = steps_of(found)
    check(steps <= STEPS[name], f'{name}: {steps} steps, {STEPS[name]} at most')
    best = plans(fusible, program, 100000)
    check(steps_of(best) > steps, f'{name}: a limit that is higher is used')
    check(seconds_of(found) <= MORE[name] * seconds_of(best), f'{name}: the plans are good',
          f'{seconds_of(found) * 1e6:.1f} us, {seconds_of(best) * 1e6:.1f} without a limit')


def repeated(fusible, name):
    program = os.path.join(HERE, 'effort', name + '.fs')
    for gpu in None, 'h200':
        found, best = plans(fusible, program, None, gpu), plans(fusible, program, 20000, gpu)
        ratio = seconds_of(found) / seconds_of(best)
        check(ratio <= MORE_REPEATED, f'{name}: the plans are good', f'{gpu}: {ratio:.3f}')


CAPS = """x = rand(1000); y = rand(1000); x[1] = 1; y[1] = 1;
begin
%s
end
:alternatives 2
:why a1 s1
:dump space
:plan dump
"""


def caps(fusible):
    """Counts that are caps say so, and others do not."""
    for pairs, cap in (60, True), (2, False):
        text = CAPS % '\n'.join(f"a{k} = x*{k}.5 + y; s{k} = a{k}'*y;"
                                for k in range(1, pairs + 1))
        with tempfile.TemporaryDirectory() as folder:
            env = {k: v for k, v in os.environ.items() if not k.startswith('FUSIBLE')}
            env.update(HOME=folder, FUSIBLE_REFERENCE_DEVICE='1', LC_ALL='C.UTF-8')
            done = subprocess.run([fusible, '-t', 'cpu', '--threads', '2', '--color', 'never',
                                   '-e', text], env=env, capture_output=True, text=True)
        check(done.returncode == 0, f'{pairs} pairs: runs', done.stderr)
        for words in ('\nthere are more than ', 'in the best plan found (',
                      '\n  combinations more than ', ', more than '):
            check((words in done.stdout) == cap, f'{pairs} pairs: {words!r}', done.stdout[:3000])


UPDATES = ('x[K] = K', 'x[K] = y[K] + 1', 'A[K, :] = 2*A[K, :]', 'A[K, 1:2] = A[K, 2:3]')


def processor_time(fusible, text):
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'long.fs')
        with open(script, 'w', encoding='utf-8') as f:
            f.write(text)
        env = {k: v for k, v in os.environ.items() if not k.startswith('FUSIBLE')}
        env.update(HOME=folder)
        pid = os.posix_spawn(fusible, [fusible, '--no-rc', '-t', 'cpu', '--threads', '1', script],
                             env)
        _, status, used = os.wait4(pid, 0)
    check(status == 0, 'runs', text[:200])
    return used.ru_utime


def updates(fusible):
    """What an update of a part costs does not go up with how many the block has, or hardly."""
    few, many, most = 300, 2400, 3
    start = f'x = zeros({many}); y = rand({many}); A = rand({many}, 3);\nbegin\n'
    for update in UPDATES:
        bare, one, other = (
            processor_time(fusible, start + ''.join(
                update.replace('K', str(k)) + ';\n' for k in range(1, n + 1)) + 'end\n')
            for n in (0, few, many))
        each, then = (one - bare)/few, (other - bare)/many
        check(then <= most*max(each, 1e-4), f'{update}: {1e6*each:.0f} us each of {few}, '
              f'{1e6*then:.0f} us each of {many}')


def main():
    parser = argparse.ArgumentParser(description='planning of long blocks')
    parser.add_argument('--fusible', default=os.environ.get(
        'FUSIBLE', os.path.join(ROOT, 'build', 'fusible')))
    parser.add_argument('pattern', nargs='*')
    args = parser.parse_args()
    for name in STEPS:
        if not args.pattern or any(p in name for p in args.pattern):
            test(os.path.abspath(args.fusible), name)
    for name in REPEATED:
        if not args.pattern or any(p in name for p in args.pattern):
            repeated(os.path.abspath(args.fusible), name)
    updates(os.path.abspath(args.fusible))
    caps(os.path.abspath(args.fusible))
    return score.close()


if __name__ == '__main__':
    sys.exit(main())
