#!/usr/bin/python3
"""Every function, operator and subscript with every kind of value.

Whatever it is given, a statement gives a value or one error of the user's: no signal, no broken
rule (FUSIBLE_CHECK), no value that is lost. And what it gives does not depend on whether its
operands are stored or are still to be computed in the block: reading one may end the block.

    tests/test_mixtures.py [--target cpu|cuda|fake]

The last line is `N passed, N failed`.
"""
import argparse
import os
import random
import re
import resource
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'fake')]
import fakegpu  # noqa: E402
import score as scores  # noqa: E402

score = scores.Score()
KINDS = ['zeros(0)', 'zeros(0, 3)', '[1, 2i]', '[1, 2i; 3, 4]', 'u8([1, 2, 255])', 'i8([-128, 127])',
         '{1, "a", [1, 2]}', '{x = 1}', '"text"', '(t -> t)', 'zeros(2, 1, 2, 1, 2, 3)',
         '[true, false]', '3', '2i', 'NaN', '{}', 'u32([4294967295])', '1:3', '""', 'ones(3, 3)',
         '-1', '[]', 'i64([1, 2, 3])', 'f16([1, 2])', 'bf16([1, 2])']
ARRAYS = ['[1, 2i]', '[1, 2i; 3, 4]', 'u8([1, 2, 255])', 'i8([-128, 127])', '[true, false]',
          '[1.5, 2.5, 3.5]', 'i64([2])', '[2]', 'i32([1, 2])', 'reshape(f32(1:24), 2, 3, 4)',
          'reshape(f32(1:9), 3, 3)', 'reshape(f32(1:6), 2, 3)', '3', '2i', 'f16([1, 2])',
          'i64([1, 2, 3])', 'f32([1])', 'i64([-1])']
OPERATORS = ['+', '-', '*', '.*', '/', './', '\\', '.^', '^', '==', '<', '&&', '||']
SUBSCRIPTS = ['[1]', '[0]', '[end]', '[:]', '[[]]', '[1:0]', '[true]', '[2:end]', '[1, 1]', '.x', '["x"]']
NOT_HERE = {'ask', 'input', 'savefig', 'save', 'load', 'seed'}
CHANGING = NOT_HERE | {'rand', 'randn', 'print', 'error', 'plot', 'time'}
MOST_BYTES = 6 << 30
BROKEN = re.compile(r'fault of Fusible|R\d+: |value was lost|internal error')


def run(lines, target, folder):
    path = os.path.join(folder, 'mixture.fs')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')
    env = fakegpu.environment(folder) if target == 'fake' else dict(os.environ)
    env['FUSIBLE_CHECK'] = '1'
    device = 'cpu' if target == 'cpu' else 'cuda'
    return fakegpu.run(['--no-rc', '-q', '-p', 'off', '--keep-going', '--target', device, path], env,
                       folder, 6000)


def functions(folder):
    listed = run([':help functions'], 'cpu', folder).stdout
    return [line.split()[0] for line in listed.splitlines() if line.startswith('  ')]


def mixtures(names):
    for name in names:
        rng = random.Random(name)
        for kind in KINDS:
            yield f'{name}({kind})'
        for _ in range(25):
            yield f"{name}({', '.join(rng.choice(KINDS) for _ in range(rng.randint(2, 4)))})"
    for a in KINDS:
        for b in KINDS:
            for o in OPERATORS:
                yield f'({a}) {o} ({b})'
            for s in SUBSCRIPTS:
                yield f'v = {a}; v{s} = {b}'
        for s in SUBSCRIPTS:
            yield f'v = {a}; v{s}'
            yield f'v = {a}; v{s} += 1'
        yield from (f'for e in {a}; print(e); end', f'if {a}; 1; end', f'[{a}, 1]', f'[{a}; {a}]',
                    f'try; error({a}); catch e; e; end', f"({a})'", f"({a}).'", f'print({a})')


def is_broken(done):
    return done.returncode not in (0, 1, 3) or BROKEN.search(done.stderr + done.stdout)


def culprit(lines, target, folder):
    """Cuts a script that breaks something down to few lines."""
    while len(lines) > 1:
        half = len(lines)//2
        part = next((p for p in (lines[:half], lines[half:])
                     if is_broken(run(p, target, folder))), None)
        if part is None:
            break
        lines = part
    return lines


def check_all(names, target, folder):
    lines, size = list(mixtures(names)), 500
    for at in range(0, len(lines), size):
        part = lines[at:at + size]
        broken = is_broken(run(part, target, folder))
        score.check(not broken, broken and culprit(part, target, folder)[:20])


def call(name, operands):
    if name in OPERATORS:
        return f'({operands[0]}) {name} ({operands[1]})'
    return f"{name}({', '.join(operands)})"


def answers(done, first):
    """What was printed behind each `#k`, from `first` on."""
    parts = re.split(r'^#(\d+)\n', done.stdout, flags=re.M)
    return {int(k): text.split(first)[-1] for k, text in zip(parts[1::2], parts[2::2])}


def check_stored(names, target, folder):
    """The same of operands that are to be computed yet, and of stored ones."""
    asked = [(o, [a, b]) for o in OPERATORS for a in ARRAYS for b in ARRAYS]
    for name in names:
        rng = random.Random(name)
        if name not in CHANGING:
            asked += [(name, [rng.choice(ARRAYS) for _ in range(rng.randint(1, 3))])
                      for _ in range(30)]
    lazy, stored = [], []
    for k, (name, operands) in enumerate(asked):
        lazy += [f'print("#{k}")', 'r = ' + call(name, operands)]
        held = [f'a{x}' for x in range(len(operands))]
        stored += [f'print("#{k}")', *(f'{a} = {v};\nprint({a} == {a});' for a, v in zip(held, operands)),
                   'print("@")', 'r = ' + call(name, held)]
    one, two = run(lazy, target, folder), run(stored, target, folder)
    score.check(not is_broken(one) and not is_broken(two), (one.stderr[-500:], two.stderr[-500:]))
    one, two = answers(one, '@\n'), answers(two, '@\n')
    score.check(sum(text.startswith('r = ') for text in one.values()) > len(asked)//4, 'few have a value')
    for k, (name, operands) in enumerate(asked):
        score.check(one.get(k) == two.get(k), (call(name, operands), one.get(k), two.get(k)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--target', default='cpu', choices=('cpu', 'cuda', 'fake'))
    a = p.parse_args()
    # Of 4294967295 elements there is no room, on any machine: to fill them took most of the time.
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    folder = scores.folder('mixtures')
    names = [n for n in functions(folder) if n not in NOT_HERE]
    score.check(len(names) > 150, names)
    check_all(names, a.target, folder)
    check_stored(names, a.target, folder)
    sys.exit(score.close())


main()
